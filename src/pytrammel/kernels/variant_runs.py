"""Simulations of many variants of one system: closed, then integrated, with the calls of a single run in the same order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.calls import NOTHING, STEPPED, calls
from pytrammel.kernels.equations.cartesian import ENERGY_MET
from pytrammel.kernels.evaluate import row_target
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, kernel, table_in
from pytrammel.kernels.run import N_COUNTERS, N_FORCED, N_REJECTED, SMALLEST_ANGLE
from pytrammel.kernels.run import OK as INTEGRATED
from pytrammel.kernels.step_control import NEXT, REFERENCE
from pytrammel.kernels.variants import (
    DEPENDENT,
    DONE,
    ITERATIONS,
    NOT_CLOSED,
    STOPPED_EARLY,
    SURE,
    TOLERANCE,
    Measured,
    assemble_at,
    measure_at,
    measure_variant,
    rates_at,
    record,
)

# where the entry points are that are called
CLOSE, RATES, INTEGRATE, MEASURE, LOADS, SHARE, ENTRIES, N_ADDRESSES = range(8)
# doubts that leave a variant to the caller: rejected steps, opening of joints in row scales, share of the largest singularity measure from
# which on instants are looked at, and the share that is too little
MOST_REJECTED, WIDEST, WORTH_A_LOOK, SINGULAR, N_LIMITS = range(5)
DOUBTFUL = 5

integrate_at = calls(
    STEPPED, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY,
    FLOAT_TABLE, FLOAT_ARRAY,
)  # fmt: skip
jacobian_at = calls(NOTHING, INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_ARRAY)
loads_at = calls(
    NOTHING, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE
)
share_at = calls(NOTHING, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_ARRAY)


@kernel(
    INT_ARRAY, INT_ARRAY, FLOAT_TABLE, INT_ARRAY, INT_ARRAY, FLOAT_TABLE, INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY,
    seconds=1.0,
)  # fmt: skip
def close_variants(addresses, c_ints, c_floats, closing, ints, floats, acting, time, numbers, places, outcome):
    """Close every variant where it starts, and see whether the rows that act are independent there.

    Args:
        addresses: Of the entry points.
        c_ints, c_floats, closing: The system whose rows are closed, which may have conditions on the start beside those that act.
        ints, floats, acting: The system that moves, and its rows.
        time: The start.
        numbers: What is the same for all.
        places: Where each variant is drawn; updated to where it is closed.
        outcome: What became of each variant.
    """
    report = np.zeros(3)
    speeds = np.zeros(ints[L.N_COLUMNS])
    for k in range(places.shape[0]):
        q = places[k]
        outcome[k] = DONE
        status = assemble_at(
            addresses[CLOSE],
            (c_ints, c_floats[k], closing, time, q, int(numbers[ITERATIONS]), numbers[TOLERANCE], report),
        )
        if status != L.OK:
            outcome[k] = NOT_CLOSED
            continue
        speeds[:] = 0.0
        if (
            acting[L.P_ROWS] > 0
            and not rates_at(addresses[RATES], (ints, floats[k], acting, time, q, speeds)) > numbers[SURE]
        ):
            outcome[k] = DEPENDENT


@kernel(
    INT_ARRAY,
    INT_ARRAY,
    FLOAT_TABLE,
    FLOAT,
    FLOAT_TABLE,
    FLOAT_TABLE,
    FLOAT_TABLE,
    FLOAT_TABLE,
    FLOAT_TABLE,
    seconds=1.0,
)
def rows_of_variants(addresses, ints, floats, time, places, velocities, entries, values, rates):
    """Jacobian entries, values and rates of all rows of every variant in one state."""
    times = np.zeros(1)
    times[0] = time
    still = np.zeros((1, velocities.shape[1]))
    seconds = np.zeros((1, values.shape[1]))
    for k in range(places.shape[0]):
        q, v = places[k : k + 1], velocities[k : k + 1]
        jacobian_at(addresses[ENTRIES], (ints, floats[k], times, q, still, entries[k]))
        measure_at(
            addresses[MEASURE], (ints, floats[k], times, q, v, still, values[k : k + 1], rates[k : k + 1], seconds)
        )


@kernel()
def widest_opening(I, F, P, times, values, work, target):
    """Largest distance of any acting row from its target, in row scales."""
    largest = 0.0
    for r in range(P[L.P_ROWS]):
        row = P[P[L.P_AT_ROWS] + r]
        scale = F[I[L.AT_ROW_SCALES] + row]
        for instant in range(times.size):
            row_target(I, F, row, times[instant], work, target)
            off = abs(values[instant, row] - target[0]) / scale
            if not off <= largest:
                largest = off
    return largest


class Settings(NamedTuple):
    """An integration as it begins, the same for all variants.

    Attributes:
        memory, room: What equations and method remember at the start, and where they do so.
        options: Step lengths and their number.
        control: Step control.
        limits: What is doubtful.
    """

    memory: Any
    room: Any
    options: Any
    control: Any
    limits: Any


class Beginnings(NamedTuple):
    """First step, and energy of the slowest motion that counts, per variant."""

    steps: Any
    creeps: Any


class Instants(NamedTuple):
    """What is kept of the instants of all variants: all of it; coordinates, velocities, accelerations, multipliers of the rows, and
    what these do along each entry of the Jacobian, which may be empty."""

    rows: Any
    q: Any
    v: Any
    a: Any
    multipliers: Any
    does: Any


@kernel(
    INT_ARRAY, INT_ARRAY, FLOAT_TABLE, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, record(Settings), FLOAT_TABLE, record(Beginnings),
    record(Instants), FLOAT_TABLE, INT_ARRAY, FLOAT_TABLE, record(Measured), INT_ARRAY,
    seconds=2.0,
)  # fmt: skip
def integrate_variants(
    addresses, ints, floats, acting, times, table, settings, states, beginnings, kept, counted, m_ints, m_floats, measured, outcome
):  # fmt: skip
    """Integrate every variant that is closed, look whether anything about it is doubtful, and measure.

    Args:
        addresses: Of the entry points.
        ints, floats: The system; one row of floats per variant.
        acting: Elimination pattern of the rows that act.
        times: Instants.
        table: Equations and method; its addresses lead into the room of the settings.
        settings: What is the same for all.
        states: What is integrated, at the start; one row per variant.
        beginnings: What differs.
        kept: What is kept of the instants.
        counted: What was counted, one row per variant.
        m_ints, m_floats, measured: Measured quantities; without rows nothing is measured.
        outcome: What became of each variant.
    """
    limits = settings.limits
    room = settings.room
    instants = times.size
    n = ints[L.N_COLUMNS]
    nq = ints[L.N_COORDINATES]
    size = states.shape[1]
    rows = ints[L.N_ROWS]
    entries = ints[L.N_JACOBIAN] + 1
    acts = acting[L.P_ROWS]
    width = kept.rows.size // max(1, instants * floats.shape[0])
    at_forces = size + n + 2 * ints[L.N_FORCES] + 2  # where multipliers begin in a row
    E = np.zeros(table.size, dtype=np.int64)
    no_breaks = np.zeros((0, 3))
    directions = np.zeros(1, dtype=np.int64)
    noise = np.zeros(1)
    signs = np.zeros(1)
    clock = np.zeros(1)
    y = np.zeros(size)
    control = np.zeros(settings.control.size)
    counters = np.zeros(N_COUNTERS)
    still = np.zeros((instants, n))
    own, own_rates, own_seconds = np.zeros((instants, rows)), np.zeros((instants, rows)), np.zeros((instants, rows))
    nothing = np.zeros((instants, rows))
    measures = np.zeros(instants)
    work = np.zeros(ints[L.N_WORK] + 4)
    target = np.zeros(3)
    for k in range(floats.shape[0]):
        if outcome[k] != DONE:
            continue
        F = floats[k]
        room[:] = settings.memory
        room[ENERGY_MET] = beginnings.creeps[k]
        E[:] = table
        E[engine.FLOATS] = F.ctypes.data
        y[:] = states[k]
        control[:] = settings.control
        control[NEXT] = beginnings.steps[k]
        counters[:] = 0.0
        counters[SMALLEST_ANGLE] = 1.0
        signs[0] = np.nan
        clock[0] = times[0]
        rows_kept = table_in(kept.rows, k * instants * width, instants, width)
        done, status, _ = integrate_at(
            addresses[INTEGRATE],
            (E, settings.options, directions, noise, signs, times, no_breaks, clock, control, y, rows_kept, counters),
        )
        for c in range(N_COUNTERS):
            counted[k, c] = counters[c]
        if status != INTEGRATED or done != instants:
            outcome[k] = STOPPED_EARLY
            continue
        if counters[N_REJECTED] > limits[MOST_REJECTED] or counters[N_FORCED] > 0.0:
            outcome[k] = DOUBTFUL
            continue
        q_rows = table_in(kept.q, k * instants * nq, instants, nq)
        v_rows = table_in(kept.v, k * instants * n, instants, n)
        a_rows = table_in(kept.a, k * instants * n, instants, n)
        lam = table_in(kept.multipliers, k * instants * rows, instants, rows)
        for i in range(instants):
            for c in range(nq):
                q_rows[i, c] = rows_kept[i, c]
            for c in range(n):
                v_rows[i, c] = rows_kept[i, nq + c]
                a_rows[i, c] = rows_kept[i, size + c]
            for r in range(acts):
                lam[i, acting[acting[L.P_AT_ROWS] + r]] = rows_kept[i, at_forces + r]
        if acts > 0:
            measure_at(addresses[MEASURE], (ints, F, times, q_rows, still, still, own, own_rates, own_seconds))
            if not widest_opening(ints, F, acting, times, own, work, target) <= limits[WIDEST]:
                outcome[k] = DOUBTFUL
                continue
            reference = control[REFERENCE]
            if not counters[SMALLEST_ANGLE] > limits[WORTH_A_LOOK] * reference:
                nothing[:] = 0.0
                share_at(addresses[SHARE], (ints, F, acting, times, q_rows, nothing, measures))
                for i in range(instants):
                    if not measures[i] > limits[SINGULAR] * reference:
                        outcome[k] = DOUBTFUL
                if outcome[k] == DOUBTFUL:
                    continue
        if kept.does.size > 0:
            loads_at(
                addresses[LOADS],
                (
                    ints,
                    F,
                    acting,
                    times,
                    q_rows,
                    v_rows,
                    lam,
                    table_in(kept.does, k * instants * entries, instants, entries),
                ),
            )
        if m_ints[L.N_ROWS] > 0:
            measure_variant(addresses[MEASURE], 0, m_ints, m_floats[k], times, q_rows, v_rows, a_rows, measured, k)
