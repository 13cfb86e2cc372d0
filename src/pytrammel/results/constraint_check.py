"""Independent check of a motion: do all constraints hold?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pytrammel._util.progress import in_pieces
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.measures import measures_run

if TYPE_CHECKING:
    from pytrammel.results.result import Result


def largest_violation(result: Result) -> float:
    """Largest |value - target| over all instants and the rows that acted there, each measured in the row's scale.

    Rows that restrain velocities only have no value to compare.
    """
    return max((off for piece in result._pieces for _, off, _ in violations(piece)), default=0.0)


def violations(result: Result) -> Iterator[tuple[int, float, float]]:
    """Row, its largest |value - target| in row scales and the time of it, per segment of a run with one model."""
    system = result._system
    prepare(["measures_run", *system.primitives])
    n, m = len(result), len(system.rows)
    values, rates, seconds = (np.zeros((n, m)) for _ in range(3))
    zeros = np.zeros((n, system.n_columns))
    tables = (result.times, result.q, zeros, zeros, values, rates, seconds)
    in_pieces(measures_run, (system.ints, system.floats), tables, system.n_columns)
    goals = [goal for c in result.model.constraints.values() for block in c.blocks for goal in block.targets]
    moving = {k: goal for k, goal in enumerate(goals) if not isinstance(goal, int | float)}
    scales = system.row_scales()
    for segment in result._segments:
        span = slice(segment.first, segment.last)
        times, targets = result.times[span], segment.targets
        for row in segment.rows:
            if system.rows[row].velocity_only or not values[span, row].size:
                continue
            target = targets[row]
            if row in moving:
                target = target + moving[row].evaluate({"t": times})
            off = np.abs(values[span, row] - target)
            worst = int(off.argmax())
            yield row, float(off[worst] / scales[row]), float(times[worst])
