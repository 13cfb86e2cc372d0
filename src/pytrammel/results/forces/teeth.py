"""Teeth push each other off: the part of tooth forces that does no work, and what bearings carry because of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.measures import jacobian_run
from pytrammel.system.lowering import System, lower_measures

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
HELD = 1e-6  # share of a push that may be left uncarried


def carried(result: Result, multipliers: Array) -> tuple[Array, dict[str, Array]]:
    """Multipliers with what the other joints carry of the pushes, and the push of every gear, rack or worm along all columns.

    The push is the tangent of the pressure angle times the force along the pitch surfaces, whichever flank carries it. It does no work
    where joints hold the centres, so that motion and drivers do not feel it. A push that nothing holds is left out.
    """
    model, system = result.model, result._system
    toothed = {c.name: c.separation for c in model.constraints.values() if c.separation and c.separation[1] > 0.0}
    if not toothed:
        return multipliers, {}
    out = multipliers.copy()
    pushes = {name: np.zeros((len(result), system.n_columns)) for name in toothed}
    along = lower_measures(model, [quantity for quantity, _ in toothed.values()])
    prepare(["jacobian_run", *system.primitives, *along.primitives])
    own = {name: next(k for k, row in enumerate(system.rows) if row.owner == name) for name in toothed}
    scales, sizes = system.column_scales(), system.row_scales()
    for segment in result._segments:
        if segment.pattern is None:
            continue
        first = int(segment.pattern[L.P_AT_ROWS])
        acting = [int(k) for k in segment.pattern[first : first + int(segment.pattern[L.P_ROWS])]]
        others = [k for k in acting if system.rows[k].owner not in toothed]
        joints = [k for k in others if not system.rows[k].is_driver]
        for k in range(segment.first, segment.last):
            loads = {name: toothed[name][1] * abs(multipliers[k, row]) for name, row in own.items() if row in acting}
            if not any(loads.values()):
                continue
            directions = _dense(along, along.floats, result.times[k], result.q[k], range(len(along.rows)))
            matrix = _dense(system, segment.floats, result.times[k], result.q[k], others)
            for name, direction in zip(toothed, directions, strict=True):
                push = loads.get(name, 0.0) * direction
                for rows in (joints, others):
                    share, left = _share(matrix[[others.index(r) for r in rows]], push, scales, sizes[rows])
                    if left <= HELD:
                        out[k, rows] -= share
                        pushes[name][k] = push
                        break
    return out, pushes


def _share(matrix: Array, push: Array, scales: Array, sizes: Array) -> tuple[Array, float]:
    """Smallest multipliers that do what the push does, and the share of it that they cannot do."""
    goal = push * scales
    size = float(np.linalg.norm(goal))
    if size == 0.0 or not len(matrix):
        return np.zeros(len(matrix)), float(size > 0.0)
    scaled = (matrix * scales / sizes[:, None]).T
    found, *_ = np.linalg.lstsq(scaled, goal, rcond=1e-10)
    return found / sizes, float(np.linalg.norm(scaled @ found - goal)) / size


def _dense(system: System, floats: Array, time: float, q: Array, rows: Sequence[int]) -> Array:
    """Jacobian of some rows, shape (len(rows), n_columns)."""
    entries = np.zeros(int(system.ints[L.N_JACOBIAN]) + 1)
    at_rest = np.zeros((1, system.n_columns))
    jacobian_run(system.ints, floats, np.array([float(time)]), q.reshape(1, -1).copy(), at_rest, entries)
    dense = np.zeros((len(rows), system.n_columns))
    for i, row in enumerate(rows):
        for e, column in enumerate(system.row_columns[row]):
            if column >= 0:
                dense[i, column] += entries[system.row_entries[row] + e]
    return dense
