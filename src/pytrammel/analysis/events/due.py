"""Events that are due where a run starts: their formula is zero there, and goes the way they watch for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels.measures import measures_run
from pytrammel.system.lowering import System

Array = NDArray[np.float64]
BITS = 16  # of rounding in every coordinate: what they can do to a formula counts as zero


def due_at_start(value: Array, later: Array, rounding: Array, directions: NDArray[np.int64]) -> list[int]:
    """Numbers of the events that fire at once.

    Args:
        value, later: Of each formula, at the start and a moment later.
        rounding: What counts as zero.
        directions: +1 rising, -1 falling, 0 either way.
    """
    due = []
    for k, direction in enumerate(directions[: value.size]):
        leaves = 0 if abs(later[k]) <= rounding[k] else int(np.sign(later[k]))
        if abs(value[k]) <= rounding[k] and (direction == 0 or leaves in (0, direction)):
            due.append(k)
    return due


def rounding_of(watch: System, now: tuple[float, Array, Array]) -> Array:
    """Largest change of each formula by the last bits of time, coordinates and velocities."""
    t, q, v = now
    x = np.concatenate([[t], q, v])
    nudge = BITS * np.finfo(float).eps * np.maximum(np.abs(x), 1.0)
    nudged = np.vstack([x, x + np.diag(nudge)])
    values = values_of(watch, nudged[:, 0], nudged[:, 1 : 1 + q.size], nudged[:, 1 + q.size :])
    out: Array = np.abs(values[1:] - values[0]).sum(axis=0)
    return out


def values_of(watch: System, times: Array, Q: Array, V: Array) -> Array:
    """Values of formulas that are rows of a system of their own, shape (states, formulas)."""
    values, rates, seconds = (np.zeros((times.size, len(watch.rows))) for _ in range(3))
    arrays = (np.ascontiguousarray(x, dtype=float) for x in (times, Q, V, np.zeros_like(V)))
    measures_run(watch.ints, watch.floats, *arrays, values, rates, seconds)
    return values
