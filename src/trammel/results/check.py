"""Independent check of a motion: do all constraints hold?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trammel.kernels.jit import prepare
from trammel.kernels.measures import measures_run

if TYPE_CHECKING:
    from trammel.results.result import Result


def largest_violation(result: Result) -> float:
    """Largest |value - target| over all instants and rows, each measured in the row's scale."""
    system = result.system
    prepare(["measures_run", *system.primitives])
    n, m = len(result), len(system.rows)
    values, rates, seconds = (np.zeros((n, m)) for _ in range(3))
    zeros = np.zeros_like(result.q)
    measures_run(system.ints, system.floats, result.times, result.q, zeros, zeros, values, rates, seconds)
    targets = np.tile(system.targets(system.floats), (n, 1))
    goals = [goal for c in result.model.constraints.values() for block in c.blocks for goal in block.targets]
    for k, goal in enumerate(goals):
        if not isinstance(goal, int | float):
            targets[:, k] += goal.evaluate({"t": result.times})
    return float(np.abs((values - targets) / system.row_scales()).max(initial=0.0))
