"""Points whose paths pictures show by default."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytrammel.model.base import Model

COINCIDENT = 1e-9  # largest distance of a point from a joint, relative to the size of its body coordinates


def default_traces(model: Model) -> list[str]:
    """Return the names of all points of a model except named points of bodies that coincide with a joint.

    The end of a bar at a pin has the symbol of the pin already. A point that `m.point` adds is always shown.
    """
    seats: dict[str, list[tuple[float, ...]]] = {}
    for constraint in model.constraints.values():
        for seat in constraint.seats:
            seats.setdefault(seat.body, []).append(seat.point)
    return [
        name
        for name, point in model.points.items()
        if not (
            _belongs_to_body(model, name, point) and any(_coincide(s, point.local) for s in seats.get(point.body, ()))
        )
    ]


def _belongs_to_body(model: Model, name: str, point: Any) -> bool:
    """Return True if the point is one of `points=` of its body."""
    return name.startswith(f"{point.body}.") and name.removeprefix(f"{point.body}.") in model.bodies[point.body].points


def _coincide(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    return math.dist(first, second) <= COINCIDENT * max(map(abs, (*first, *second)), default=0.0)
