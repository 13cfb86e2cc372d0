"""Many variants of one system in one call: the entry points of a single run, called one after another for every variant.

Variants differ in their numbers only. Each is treated exactly as a single run treats it, with the same calls in the same order, so that
the answers are the same to the last bit; one in which anything unusual happens is left to the caller.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.calls import NOTHING, NUMBER, STOPPED, WHOLE, calls
from pytrammel.kernels.evaluate import row_target
from pytrammel.kernels.instant import NOTE_ANGLE, NOTE_SIZE
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, FLOAT_TABLE, HAVE_JIT, INT, INT_ARRAY, kernel, table_in
from pytrammel.kernels.kinematics import (
    CURSOR_PATIENCE,
    CURSOR_SIZE,
    CURSOR_SPAN,
    CURSOR_STARTED,
    CURSOR_TIME,
    MEASURES,
    MOST_DIPS,
    N_DIPS,
)
from pytrammel.kernels.structure.calls import call_piece

if HAVE_JIT:
    from numba import types

# where the entry points are that are called
ASSEMBLE, RATES, FOLLOW, MEASURE, N_ADDRESSES = range(5)
# numbers of a single run that are the same for all: iterations and tolerance of assembly, measure above which rows are independent, length
# of the run, steps after which a call returns, measure below which a position is singular
ITERATIONS, TOLERANCE, SURE, SPAN, PATIENCE, SINGULAR, N_NUMBERS = range(7)
# what became of a variant
DONE, NOT_CLOSED, DEPENDENT, STOPPED_EARLY, MAY_PASS = range(5)
MANY_DIPS = 30  # of a variant, which is left to a single run without a look at them
NARROWED = 12  # times that the bottom of a dip is narrowed down: to some thousandth of its width

assemble_at = calls(WHOLE, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, INT, FLOAT, FLOAT_ARRAY)
rates_at = calls(NUMBER, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY)
follow_at = calls(
    STOPPED, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE,
    FLOAT_TABLE, FLOAT_TABLE, INT_ARRAY,
)  # fmt: skip
measure_at = calls(
    NOTHING,
    INT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_TABLE,
    FLOAT_TABLE,
    FLOAT_TABLE,
    FLOAT_TABLE,
    FLOAT_TABLE,
    FLOAT_TABLE,
)


class Motions(NamedTuple):
    """Coordinates, velocities and accelerations of all variants, instant by instant."""

    q: Any
    v: Any
    a: Any


class Measured(NamedTuple):
    """Measured quantities of all variants, their rates and second rates, instant by instant."""

    values: Any
    rates: Any
    seconds: Any


def record(kind: type[Any], of: Any = FLOAT_ARRAY) -> Any:
    """Type of a record of arrays, for kernels."""
    return types.NamedUniTuple(of, len(kind._fields), kind) if HAVE_JIT else None


@kernel()
def measure_variant(general, piece, I, F, times, Q, V, A, measured, k):
    """Measured quantities of variant k at all instants: by a straight piece (`structure.instants`), or without one generally."""
    n_rows = I[L.N_ROWS]
    at = k * times.size * n_rows
    measure_rows_of(
        general, piece, I, F, times, Q, V, A, table_in(measured.values, at, times.size, n_rows),
        table_in(measured.rates, at, times.size, n_rows), table_in(measured.seconds, at, times.size, n_rows),
    )  # fmt: skip


@kernel()
def measure_rows_of(general, piece, I, F, times, Q, V, A, values, rates, seconds):
    if piece == 0:
        measure_at(general, (I, F, times, Q, V, A, values, rates, seconds))
        return
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    m = I[L.N_ROWS]
    place = np.zeros(nq + 2 * n)
    found = np.zeros(3 * m)
    for k in range(times.size):
        for c in range(nq):
            place[c] = Q[k, c]
        for c in range(n):
            place[nq + c] = V[k, c]
            place[nq + n + c] = A[k, c]
        call_piece(piece, times[k], F, 1, place, found)
        for c in range(m):
            values[k, c] = found[c]
            rates[k, c] = found[m + c]
            seconds[k, c] = found[2 * m + c]


@kernel()
def measure_near(follow, I, F, P, times, time, span, q_rows, v_rows, a_rows, E):
    """Singularity measure at a time, followed to from the last instant before it; 0 where that does not lead there."""
    k = 0
    while k + 1 < times.size and times[k + 1] <= time:
        k += 1
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    cursor = np.zeros(CURSOR_SIZE)
    cursor[CURSOR_TIME] = times[k]
    cursor[CURSOR_STARTED] = 1.0
    cursor[CURSOR_SPAN] = span
    at = np.zeros(3 * nq)
    at[:nq] = q_rows[k]
    at[nq : nq + n] = v_rows[k]
    at[2 * nq : 2 * nq + n] = a_rows[k]
    goal = np.zeros(1)
    goal[0] = time
    note = np.zeros((1, NOTE_SIZE))
    q, v, a = np.zeros((1, nq)), np.zeros((1, n)), np.zeros((1, n))
    _, status, _ = follow_at(follow, (I, F, P, goal, cursor, at, q, v, a, note, np.zeros((0, 2)), E))
    return note[0, NOTE_ANGLE] if status == L.OK and cursor[CURSOR_TIME] == time else 0.0


@kernel()
def may_pass(follow, I, F, P, times, singular, cursor, dips, q_rows, v_rows, a_rows, E):
    """Whether any dip of the singularity measure may reach down to a singular position: a single run then looks at it closely."""
    count = int(cursor[N_DIPS])
    if count > MANY_DIPS:
        return True
    golden = 0.5 * (math.sqrt(5.0) - 1.0)
    span = cursor[CURSOR_SPAN]
    for k in range(count):
        low = dips[k, 0]
        high = dips[k, 1]
        width = high - low
        steepest = 0.0  # per time, as far as it is seen
        c = high - golden * width
        d = low + golden * width
        left = measure_near(follow, I, F, P, times, c, span, q_rows, v_rows, a_rows, E)
        right = measure_near(follow, I, F, P, times, d, span, q_rows, v_rows, a_rows, E)
        for _ in range(NARROWED):
            steepest = max(steepest, abs(right - left) / (d - c))
            if left <= right:
                high = d
                d = c
                right = left
                c = high - golden * (high - low)
                left = measure_near(follow, I, F, P, times, c, span, q_rows, v_rows, a_rows, E)
            else:
                low = c
                c = d
                left = right
                d = low + golden * (high - low)
                right = measure_near(follow, I, F, P, times, d, span, q_rows, v_rows, a_rows, E)
        if not min(left, right) > 2.0 * (singular + steepest * (high - low)):
            return True
    return False


@kernel(INT_ARRAY, FLOAT_TABLE, INT_ARRAY, FLOAT, FLOAT_TABLE, seconds=1.0)
def targets_of_variants(ints, floats, rows, t, targets):
    """Targets of some rows at one time, one row of the table per variant."""
    work = np.zeros(ints[L.N_WORK] + 4)
    target = np.zeros(3)
    for k in range(floats.shape[0]):
        for j in range(rows.size):
            row_target(ints, floats[k], rows[j], t, work, target)
            targets[k, j] = target[0]


@kernel(
    INT_ARRAY, INT_ARRAY, FLOAT_TABLE, INT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, record(Motions), INT_ARRAY,
    FLOAT_TABLE, record(Measured), INT_ARRAY, INT_ARRAY,
    seconds=1.5,
)  # fmt: skip
def kinematics_of_variants(
    addresses, ints, floats, closing, following, times, numbers, places, motions, m_ints, m_floats, measured, outcome, straight
):  # fmt: skip
    """Close, follow and measure every variant.

    Args:
        addresses: Of the entry points.
        ints, floats: The system; one row of floats per variant.
        closing, following: Elimination patterns of the rows that are closed, and of those that are followed.
        times: Instants.
        numbers: What is the same for all.
        places: Where each variant starts; updated to where it is closed.
        motions: What they do.
        m_ints, m_floats: The system that measures quantities; without rows nothing is measured.
        measured: Measured quantities.
        outcome: What became of each variant.
        straight: Table of straight pieces (`structure.instants`); empty without them.
    """
    instants = times.size
    n = ints[L.N_COLUMNS]
    nq = ints[L.N_COORDINATES]
    cursor = np.zeros(CURSOR_SIZE)
    at = np.zeros(3 * nq)
    notes = np.zeros((instants, NOTE_SIZE))
    dips = np.zeros((MOST_DIPS, 2))
    report = np.zeros(3)
    speeds = np.zeros(n)
    E = straight.copy()
    for k in range(places.shape[0]):
        q = places[k]
        F = floats[k]
        status = assemble_at(
            addresses[ASSEMBLE],
            (ints, F, closing, times[0], q, int(numbers[ITERATIONS]), numbers[TOLERANCE], report),
        )
        if status != L.OK:
            outcome[k] = NOT_CLOSED
            continue
        speeds[:] = 0.0
        if not rates_at(addresses[RATES], (ints, F, following, times[0], q, speeds)) > numbers[SURE]:
            outcome[k] = DEPENDENT
            continue
        cursor[:] = 0.0
        cursor[CURSOR_SPAN] = numbers[SPAN]
        cursor[CURSOR_TIME] = times[0]
        cursor[CURSOR_PATIENCE] = numbers[PATIENCE]
        at[:] = 0.0
        at[:nq] = q
        notes[:] = 0.0
        q_rows = table_in(motions.q, k * instants * nq, instants, nq)
        v_rows = table_in(motions.v, k * instants * n, instants, n)
        a_rows = table_in(motions.a, k * instants * n, instants, n)
        if E.size > 0:
            E[engine.FLOATS] = F.ctypes.data
        _, status, _ = follow_at(
            addresses[FOLLOW], (ints, F, following, times, cursor, at, q_rows, v_rows, a_rows, notes, dips, E)
        )
        if status != L.OK:
            outcome[k] = STOPPED_EARLY
            continue
        if instants > 1 and (
            notes[instants - 1, NOTE_ANGLE] < numbers[SINGULAR]
            or may_pass(
                addresses[FOLLOW], ints, F, following, times, numbers[SINGULAR], cursor, dips, q_rows, v_rows, a_rows, E
            )
        ):
            outcome[k] = MAY_PASS
            continue
        outcome[k] = DONE
        if m_ints[L.N_ROWS] > 0:
            piece = E[MEASURES] if E.size > 0 else 0
            measure_variant(addresses[MEASURE], piece, m_ints, m_floats[k], times, q_rows, v_rows, a_rows, measured, k)
