"""Pins and balls that are smaller than their holes: in which directions each may lie beside, and the model with it there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.design.argument_checks import by_name
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.model.spatial_bodies import Marker
from pytrammel.units import LENGTH, read_measured

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pin:
    """A joint with clearance.

    Attributes:
        name: Of the joint.
        radius: By how much the pin may lie beside the middle of its hole [m].
        ways: Unit directions in which it may, axes of the second body, shape (2 or 3, dimension).
    """

    name: str
    radius: float
    ways: Array

    def moved(self, model: Model, by: Array) -> dict[str, Any]:
        """What is changed in the joint, for a pin that lies so far along each of its ways."""
        said = model.constraints[self.name].parameters
        second = said["second"]
        place: Any = tuple(float(x) for x in np.array(second.local, dtype=float) + by @ self.ways)
        if isinstance(second, Marker):
            return {"second": replace(second, local=place)}
        return {"first": said["first"], "second": model.bodies[second.body].at(*place), "at": None}

    def spread(self, unit: Array) -> Array:
        """Directions all round, of evenly spread numbers between 0 and 1, shape (n, ways - 1)."""
        turn = math.tau * unit[:, 0]
        circle = np.column_stack([np.cos(turn), np.sin(turn)])
        if len(self.ways) == 2:
            return circle
        height = 2.0 * unit[:, 1:] - 1.0
        return np.hstack([np.sqrt(1.0 - height**2) * circle, height])


def read_pins(model: Model, clearance: Mapping[str, Any] | None) -> tuple[Pin, ...]:
    """Joints with clearance: pins of revolute joints beside their axes, balls of spherical joints all round."""
    out = []
    for name, said in by_name(clearance, "clearance", "radii").items():
        ways = _ways(model, name)
        if ways is None:
            pins = [each for each in model.constraints if _ways(model, each) is not None]
            kinds = "revolute" if model.space.dimension == 2 else "revolute or spherical"
            raise ModelError(f"clearance: {name!r} is no {kinds} joint; pins are: {', '.join(pins) or 'none'}.")
        measured = read_measured(said, f"clearance of {name!r}") if isinstance(said, str) else None
        value = measured.value if measured is not None and measured.dimension == LENGTH else said
        if isinstance(value, bool | str) or not isinstance(value, float | int) or not 0.0 < value < math.inf:
            raise ModelError(f"clearance of {name!r} is {short(said)}; it must be a positive radius [m].")
        out.append(Pin(name, float(value), ways))
    return tuple(out)


def _ways(model: Model, name: str) -> Array | None:
    joint = model.constraints.get(name)
    if joint is None or joint.kind not in ("revolute", "spherical"):
        return None
    if model.space.dimension == 2 or joint.kind == "spherical":
        return np.eye(model.space.dimension)
    axes: Array = np.array(joint.parameters["second"].axes, dtype=float)
    return axes.T[:2]  # the axis of the joint is the last column
