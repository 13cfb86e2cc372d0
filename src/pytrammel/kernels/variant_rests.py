"""Positions of rest of many variants of one system: forces, derivatives and efforts, with the calls of a single search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.calls import NOTHING, NUMBER, WHOLE, calls
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, FLOAT_TABLE, INT, INT_ARRAY, kernel
from pytrammel.kernels.variant_runs import jacobian_at, loads_at
from pytrammel.kernels.variants import measure_at, record

# where the entry points are that are called
ENTRIES, FORCES, BALANCE, LINEARISE, EFFORTS, LOADS, MEASURE, N_ADDRESSES = range(8)

state_at = calls(
    NUMBER, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY,
    FLOAT_ARRAY,
)  # fmt: skip
balance_at = calls(
    NOTHING, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY,
    FLOAT_ARRAY,
)  # fmt: skip
linearise_at = calls(
    WHOLE, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, INT,
    FLOAT_ARRAY, FLOAT_ARRAY,
)  # fmt: skip
efforts_at = calls(
    NOTHING, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE,
    FLOAT_TABLE,
)  # fmt: skip


@kernel(
    INT_ARRAY, INT_ARRAY, FLOAT_TABLE, INT_ARRAY, INT_ARRAY, FLOAT, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE,
    seconds=1.0,
)  # fmt: skip
def forces_of_variants(addresses, ints, floats, free, acting, time, places, entries, applied, outputs, left):
    """At rest in a place, per variant: Jacobian entries, applied forces, the value of each element, and what rows must balance.

    Args:
        addresses: Of the entry points.
        ints, floats: The system; one row of floats per variant.
        free, acting: Patterns of no rows, and of those that act.
        time, places: When and where.
        entries, applied, outputs, left: What is found, one row per variant.
    """
    n = ints[L.N_COLUMNS]
    times = np.zeros(1)
    times[0] = time
    still = np.zeros((1, n))
    v, a, inner, rates, none = np.zeros(n), np.zeros(n), np.zeros(0), np.zeros(0), np.zeros(0)
    unloaded = np.zeros(acting[L.P_ROWS])
    for k in range(places.shape[0]):
        F, q = floats[k], places[k]
        jacobian_at(addresses[ENTRIES], (ints, F, times, places[k : k + 1], still, entries[k]))
        a[:] = 0.0
        state_at(addresses[FORCES], (ints, F, free, time, q, v, inner, a, none, applied[k], outputs[k]))
        a[:] = 0.0
        balance_at(addresses[BALANCE], (ints, F, acting, time, q, v, inner, a, unloaded, left[k], rates))


@kernel(
    INT_ARRAY, INT_ARRAY, FLOAT_TABLE, INT_ARRAY, INT_ARRAY, FLOAT, FLOAT_TABLE, FLOAT_TABLE, INT, FLOAT_TABLE, FLOAT_TABLE, INT_ARRAY,
    seconds=1.0,
)  # fmt: skip
def derivatives_of_variants(
    addresses, ints, floats, acting, coupling, time, places, carried, asked, left, found, status
):
    """Derivatives of the balance of each variant, and what is left of it, with what its rows carry."""
    n = ints[L.N_COLUMNS]
    v, a, inner, rates = np.zeros(n), np.zeros(n), np.zeros(0), np.zeros(0)
    entries = np.zeros(ints[L.N_JACOBIAN])
    for k in range(places.shape[0]):
        F, q = floats[k], places[k]
        balance_at(addresses[BALANCE], (ints, F, acting, time, q, v, inner, a, carried[k], left[k], rates))
        status[k] = linearise_at(
            addresses[LINEARISE],
            (ints, F, acting, coupling, time, q, v, inner, a, carried[k], asked, found[k], entries),
        )


class Resting(NamedTuple):
    """What is kept of each variant: multipliers of all rows, value and power of the elements, energies, how well forces balance,
    what rows do along each entry of the Jacobian (may be empty), measured quantities."""

    multipliers: Any
    outputs: Any
    energies: Any
    notes: Any
    does: Any
    values: Any
    rates: Any
    seconds: Any


@kernel(
    INT_ARRAY, INT_ARRAY, FLOAT_TABLE, INT_ARRAY, FLOAT, FLOAT_TABLE, INT_ARRAY, FLOAT_TABLE, record(Resting, FLOAT_TABLE),
    seconds=1.5,
)  # fmt: skip
def efforts_of_variants(addresses, ints, floats, acting, time, places, m_ints, m_floats, kept):
    """What holds each variant in its place, and what is measured there."""
    n = ints[L.N_COLUMNS]
    acts = acting[L.P_ROWS]
    times = np.zeros(1)
    times[0] = time
    v, a, carried = np.zeros((1, n)), np.zeros((1, n)), np.zeros((1, acts))
    for k in range(places.shape[0]):
        F, q = floats[k], places[k : k + 1]
        own = slice(k, k + 1)
        efforts_at(
            addresses[EFFORTS],
            (ints, F, acting, times, q, v, a, carried, kept.outputs[own], kept.energies[own], kept.notes[own]),
        )
        for r in range(acts):
            kept.multipliers[k, acting[acting[L.P_AT_ROWS] + r]] = carried[0, r]
        if kept.does.shape[1] > 0:
            loads_at(addresses[LOADS], (ints, F, acting, times, q, v, kept.multipliers[own], kept.does[own]))
        if m_ints[L.N_ROWS] > 0:
            measure_at(
                addresses[MEASURE],
                (m_ints, m_floats[k], times, q, v, a, kept.values[own], kept.rates[own], kept.seconds[own]),
            )
