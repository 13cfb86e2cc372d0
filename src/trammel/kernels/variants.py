"""Many variants of one system in one call: the entry points of a single run, called one after another for every variant.

Variants differ in their numbers only. Each is treated exactly as a single run treats it, with the same calls in the same order, so that
the answers are the same to the last bit; one in which anything unusual happens is left to the caller.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from trammel.kernels import engine
from trammel.kernels import layout as L
from trammel.kernels.calls import NOTHING, NUMBER, STOPPED, WHOLE, calls
from trammel.kernels.evaluate import row_target
from trammel.kernels.instant import NOTE_SIZE
from trammel.kernels.jit import FLOAT, FLOAT_ARRAY, FLOAT_TABLE, HAVE_JIT, INT, INT_ARRAY, kernel, table_in
from trammel.kernels.kinematics import CURSOR_PATIENCE, CURSOR_SIZE, CURSOR_SPAN, CURSOR_TIME, MEASURES, MOST_DIPS
from trammel.kernels.structure.calls import call_piece

if HAVE_JIT:
    from numba import types

# where the entry points are that are called
ASSEMBLE, RATES, FOLLOW, MEASURE, N_ADDRESSES = range(5)
# numbers of a single run that are the same for all: iterations and tolerance of assembly, measure above which rows are independent, length
# of the run, steps after which a call returns
ITERATIONS, TOLERANCE, SURE, SPAN, PATIENCE, N_NUMBERS = range(6)
# what became of a variant
DONE, NOT_CLOSED, DEPENDENT, STOPPED_EARLY = range(4)

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
        outcome[k] = DONE
        if m_ints[L.N_ROWS] > 0:
            piece = E[MEASURES] if E.size > 0 else 0
            measure_variant(addresses[MEASURE], piece, m_ints, m_floats[k], times, q_rows, v_rows, a_rows, measured, k)
