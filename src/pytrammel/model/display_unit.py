"""Lengths that were probably typed in the display unit: ``position=(40, 60)`` means 40 m, also where tables show mm."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pytrammel import rotations
from pytrammel._util import traced_numbers
from pytrammel._util.messages import apart
from pytrammel.errors import ModelWarning, tell_user
from pytrammel.geometry.shapes import Box, Cylinder, Sphere
from pytrammel.model.bodies import GROUND

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytrammel.model.base import Model

LARGE = 10.0  # size [m] of a model above which its display unit is probably the unit in which its lengths were typed
# display units to which the limit applies, with their helpers; a typed number is at least 39 times too large in them,
# while models of more than 10 m are common in ft and m
HELPERS = {"mm": "tm.mm", "cm": "tm.cm", "in": "tm.inch"}


def warn_of_size(model: Model) -> None:
    """Warn once of a model, and of its copies, that is too large for its display unit."""
    if "size" in model._warned or not (message := oversize(model)):
        return
    model._warned.add("size")
    if not tell_user(ModelWarning(message)):
        model._warned.discard("size")


def oversize(model: Model) -> str:
    """Message about a model that is too large for its display unit; "" if it is not."""
    unit = model.display_unit
    if unit not in HELPERS or len(model.bodies) < 2:
        return ""
    size = size_of(model)
    if not size > LARGE:
        return ""
    found, limit = apart(size, LARGE, digits=3)
    text, length = _example(model)
    return (
        f"model {model.name!r}: its size is {found} m (limit {limit} m), but its display unit is {unit}. {text} means {length} m. "
        f"Use {HELPERS[unit]} or '{length} {unit}'. Use display_unit='m' for a machine of this size."
    )


def _example(model: Model) -> tuple[str, str]:
    """Text and length of the largest position of a body, or of a position in general where all bodies are near the origin."""
    places = [[traced_numbers.plain(x) for x in body.position] for name, body in model.bodies.items() if name != GROUND]
    far = max(places, key=lambda place: math.hypot(*place))
    if math.hypot(*far) > 0.5 * LARGE:
        return f"position=({', '.join(f'{x:g}' for x in far)})", f"{next(abs(x) for x in far if abs(x) > 0.1):g}"
    return f"position=(40, {'60' if len(far) == 2 else '60, 0'})", "40"


def size_of(model: Model) -> float:
    """Diagonal of the box around the global origin and all bodies, joints, points, outlines and shapes in the design configuration [m]."""
    found: dict[str, list[tuple[tuple[float, ...], float]]] = {name: [] for name in model.bodies}
    for body, place, radius in _places(model):
        found[body].append((tuple(map(traced_numbers.plain, place)), traced_numbers.plain(radius)))
    origin = np.zeros(model.space.dimension)
    rough, exact = [origin], [origin]
    for name, items in found.items():
        at = np.array([traced_numbers.plain(x) for x in model.bodies[name].position])
        reach = max((math.hypot(*place) + radius for place, radius in items), default=0.0)
        rough += [at - reach, at + reach]
    if not _diagonal(rough) > LARGE:
        return _diagonal(rough)
    for name, items in found.items():
        at, turn = _pose(model, name)
        exact.append(at)
        for place, radius in items:
            exact += [at + turn @ np.array(place) - radius, at + turn @ np.array(place) + radius]
    return _diagonal(exact)


def _diagonal(places: list[NDArray[np.float64]]) -> float:
    return float(np.linalg.norm(np.ptp(np.array(places), axis=0)))


def _pose(model: Model, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Origin [m] and rotation matrix of a body in the design configuration."""
    q = np.array([traced_numbers.plain(x) for x in model.bodies[name].coordinates])
    if model.space.dimension == 3:
        return q[:3], np.asarray(rotations.matrix(q[3:]))
    c, s = np.cos(q[2]), np.sin(q[2])
    return q[:2], np.array([[c, -s], [s, c]])


def _places(model: Model) -> Iterator[tuple[str, tuple[float, ...], float]]:
    """Body, place in body coordinates and radius of all that is drawn; profiles of cams and terrain are not part of the size."""
    for constraint in model.constraints.values():
        yield from ((seat.body, seat.point, seat.radius) for seat in constraint.seats)
    for part in (*model.constraints.values(), *model.forces.values()):
        for symbol in part.symbols:
            if len(symbol.position) == model.space.dimension:
                yield symbol.body, symbol.position, symbol.radius
            if symbol.other_body and len(symbol.other_position) == model.space.dimension:
                yield symbol.other_body, symbol.other_position, 0.0
    for point in model.points.values():
        yield point.body, point.local, 0.0
    for name, body in model.bodies.items():
        if name != GROUND:
            yield from ((name, place, 0.0) for line in getattr(body, "outlines", ()) for place in line)
            yield from ((name, place, radius) for place, radius in _of_shapes(getattr(body, "shapes", ())))


def _of_shapes(shapes: tuple[object, ...]) -> Iterator[tuple[tuple[float, ...], float]]:
    """Places and radii of the shapes of a body in space; meshes keep the unit of their files."""
    for shape in shapes:
        if isinstance(shape, Sphere):
            yield shape.center, shape.radius
        elif isinstance(shape, Cylinder):
            yield from ((end, 0.0) for end in (shape.start, shape.end))
        elif isinstance(shape, Box):
            turn = np.eye(3) if shape.rotation is None else np.array(shape.rotation)
            for signs in np.ndindex(2, 2, 2):
                corner = turn @ (np.array(shape.size) * (np.array(signs) - 0.5)) + np.array(shape.center)
                yield tuple(corner.tolist()), 0.0
