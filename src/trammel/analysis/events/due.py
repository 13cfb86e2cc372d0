"""Events that are due where a run starts: their formula is zero there, and goes the way they watch for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trammel.kernels.measures import measures_run
from trammel.system.lowering import System

Array = NDArray[np.float64]
BITS = 16  # of rounding in every coordinate: what they can do to a formula counts as zero


def due_at_start(
    watch: System, directions: NDArray[np.int64], now: tuple[float, Array, Array], soon: tuple[float, Array, Array]
) -> list[int]:
    """Numbers of the events that fire at once.

    Args:
        watch: The watched formulas as rows.
        directions: +1 rising, -1 falling, 0 either way.
        now, soon: Time [s], coordinates and velocities at the start, and a moment later.
    """
    value, later = _values(watch, *(np.array([x, y]) for x, y in zip(now, soon, strict=True)))
    rounding = rounding_of(watch, now)
    due = []
    for k, direction in enumerate(directions[: len(watch.rows)]):
        leaves = 0 if abs(later[k]) <= rounding[k] else int(np.sign(later[k]))
        if abs(value[k]) <= rounding[k] and (direction == 0 or leaves in (0, direction)):
            due.append(k)
    return due


def rounding_of(watch: System, now: tuple[float, Array, Array]) -> Array:
    """How much the last bits of time, coordinates and velocities can change each formula."""
    t, q, v = now
    x = np.concatenate([[t], q, v])
    nudge = BITS * np.finfo(float).eps * np.maximum(np.abs(x), 1.0)
    nudged = np.vstack([x, x + np.diag(nudge)])
    values = _values(watch, nudged[:, 0], nudged[:, 1 : 1 + q.size], nudged[:, 1 + q.size :])
    out: Array = np.abs(values[1:] - values[0]).sum(axis=0)
    return out


def _values(watch: System, times: Array, Q: Array, V: Array) -> Array:
    values, rates, seconds = (np.zeros((times.size, len(watch.rows))) for _ in range(3))
    arrays = (np.ascontiguousarray(x, dtype=float) for x in (times, Q, V, np.zeros_like(V)))
    measures_run(watch.ints, watch.floats, *arrays, values, rates, seconds)
    return values
