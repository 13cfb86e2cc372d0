"""Places on curves, found anew where joints begin to act in the middle of a run: meanwhile nothing moved them along."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.kernels.measures import measures_run
from pytrammel.system.lowering import System

Array = NDArray[np.float64]
SAMPLES = 1000  # looked at along a curve
STEPS = 30  # of Gauss and Newton's method from the best of them
FITS = 1e-6  # of a row's scale: what counts as closed, and stays as it is


def placed_on_curves(system: System, q: Array, time: float, rows: Sequence[int]) -> Array:
    """The position q with the places on curves at which the given rows, where they are open, close best; bodies stay where they are."""
    q = q.copy()
    first = system.n_coordinates - len(system.model.turns) - len(system.extras)
    for k, extra in enumerate(system.extras):
        joint = system.model.constraints[extra.name.rpartition(".")[0]]
        own = [row for row in rows if system.rows[row].owner == joint.name]
        place, column = first + k, system.n_columns - len(system.extras) + k
        if not own or _gaps(system, q, time, own, place, q[place : place + 1])[0] <= FITS:
            continue
        curve = next(block.quantity.curve for block in joint.blocks if block.quantity.curve is not None)
        samples = np.linspace(curve.start, curve.end, SAMPLES)
        found = float(samples[np.argmin(_gaps(system, q, time, own, place, samples))])
        if curve.closed:  # it goes on counting its turns
            turn = curve.end - curve.start
            found += turn * round((q[place] - found) / turn)
        q[place] = found
        for _ in range(STEPS):
            slope = jacobian(system, q, time, own)[:, column]
            opened = _opened(system, q, time, own, place, q[place : place + 1])[0]
            q[place] -= float(slope @ opened) / max(float(slope @ slope), 1e-300) * extra.scale
    return q


def _gaps(system: System, q: Array, time: float, rows: list[int], place: int, places: Array) -> Array:
    """By how much rows are open in their scales, the worst of them, for each place on a curve."""
    return np.asarray(np.abs(_opened(system, q, time, rows, place, places)).max(axis=1))


def _opened(system: System, q: Array, time: float, rows: list[int], place: int, places: Array) -> Array:
    Q = np.tile(q, (places.size, 1))
    Q[:, place] = places
    values, rates, seconds = (np.zeros((places.size, len(system.rows))) for _ in range(3))
    still = np.zeros((places.size, system.n_columns))
    measures_run(system.ints, system.floats, np.full(places.size, float(time)), Q, still, still, values, rates, seconds)
    return np.asarray((values - system.targets(system.floats))[:, rows] / system.row_scales()[rows])
