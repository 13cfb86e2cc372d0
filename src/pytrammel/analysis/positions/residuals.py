"""Residuals of constraint equations at a position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels.measures import measures_run
from pytrammel.system.lowering import System


def residuals(system: System, q: NDArray[np.float64], time: float) -> NDArray[np.float64]:
    """Residual of every row of the system at one position, in the row's own unit."""
    values, rates, seconds = (np.zeros((1, len(system.rows))) for _ in range(3))
    zeros = np.zeros((1, system.n_columns))
    measures_run(
        system.ints,
        system.floats,
        np.array([float(time)]),
        q.reshape(1, -1).copy(),
        zeros,
        zeros,
        values,
        rates,
        seconds,
    )
    out: NDArray[np.float64] = values[0] - row_targets(system, time)
    return out


def row_targets(system: System, time: float, floats: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Target of every row at one time."""
    targets = system.targets(system.floats if floats is None else floats).copy()
    k = 0
    for constraint in system.model.constraints.values():
        for block in constraint.blocks:
            for goal in block.targets:
                if not isinstance(goal, int | float):
                    with np.errstate(all="ignore"):  # a formula may have no value there
                        targets[k] += float(goal.evaluate({"t": time}))
                k += 1
    return targets
