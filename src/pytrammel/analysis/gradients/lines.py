"""Shortcuts where nothing has to be described again: numbers of the system that follow parameters by their traced description, and
quantities that are entries of the state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.gradients.directions import Direction, Variant
from pytrammel.system.lowering import System
from pytrammel.system.parameter_map import parameter_map

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """How a system changes along a direction, to first order.

    Attributes:
        along: The direction, with the model itself in the place of variants.
        floats, start: Changes of the system's numbers, shape (n,), and of the drawn coordinates.
    """

    along: Direction
    floats: Array
    start: Array


def lines(system: System, directions: Sequence[Direction], *, dynamics: bool) -> list[Line] | None:
    """Changes of a system along directions; None where its description cannot be followed, or more than its numbers changes."""
    model = system.model
    if system.laws or not any(d.name in model.parameters for d in directions):
        return None
    found = parameter_map(model, dynamics=dynamics)
    if not found.traced or not np.array_equal(found.system.floats, system.floats):
        return None
    slopes = found.jacobian()
    out = []
    for d in directions:
        if d.name not in found.names:
            return None
        k = found.names.index(d.name)
        if slopes.velocities[:, k].any() or slopes.inner[:, k].any():
            return None
        still = Direction(d.name, d.value, d.size, lambda offset: Variant(offset, model))
        out.append(Line(still, slopes.floats[:, k], slopes.start[:, k]))
    return out


def state_columns(system: System, names: Sequence[str]) -> list[tuple[int, int]] | None:
    """Level (0 for coordinates, 1 for velocities, 2 for accelerations) and column of quantities that are entries of the motion; None if
    one is not."""
    space = system.model.space
    out = []
    for name in names:
        body, _, what = name.rpartition(".")
        level = 1 if what in space.rates else 2 if what in space.accelerations else 0
        base = f"{body}.{(what, space.rates.get(what), space.accelerations.get(what))[level]}"
        listed = system.columns if level else system.coordinates
        if body not in system.model.bodies or base not in listed or base not in system.coordinates:
            return None
        out.append((level, listed.index(base)))
    return out
