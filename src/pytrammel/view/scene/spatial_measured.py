"""What stands in space where a quantity is measured: end stops, friction, motors and torsion springs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pytrammel.joints.constraint import Symbol
from pytrammel.model.base import Model
from pytrammel.view.scene.measured import MeasuredPlace, drawn_pose, heading, turned_about, where_measured
from pytrammel.view.scene.phases import Active
from pytrammel.view.scene.planar import Array
from pytrammel.view.scene.spatial import Mark3, MarkKind, Point3, Shape3, SpaceScene, Spiral3, rotation_matrices
from pytrammel.view.scene.spatial_parts import axes_of

BLOCK = 2.0
"""Half length of the block of a slide, in symbol radii."""
_KINDS: dict[str, tuple[MarkKind, MarkKind]] = {
    "friction": ("friction-turn", "friction-slide"),
    "motor": ("motor", "motor-slide"),
    "torsion": ("torsion", "torsion"),
}


def measured_marks(
    model: Model, label: str, symbol: Symbol, bare: SpaceScene, points: Sequence[Sequence[float]], size: float
) -> list[Mark3]:
    """Marks of what stands along a measured quantity; none where it has no place.

    Args:
        model: The model.
        label: Name of the force.
        symbol: Its symbol, with the quantity.
        bare: Scene with the bodies.
        points: Where the turning body is held, in its components [m].
        size: Least radius of the marks [m].
    """
    place = None if symbol.along is None else where_measured(model, symbol.along)
    if place is None:
        return []
    names = [body.name for body in bare.bodies]
    way = heading(model, place, np.array(points, dtype=float).reshape(-1, 3)) if place.turns else None
    x_axis = axes_of(place.axis)[:, 0] if way is None else way
    if symbol.kind == "end-stop":
        return _stops(model, label, symbol, place, bare, way, size)
    turns, slides = _KINDS[symbol.kind]
    kind = turns if place.turns else slides
    if not place.turns:  # on what slides
        tilt = _turn(model, place)
        axis = _point(tilt.T @ np.array(place.axis))
        return [Mark3(kind, names.index(place.other), _p3(place.other_point), axis, label, size=size)]
    if symbol.kind == "torsion":
        x_axis = -x_axis  # the post stands where the bar is not
    return [Mark3(kind, names.index(place.body), _p3(place.point), _p3(place.axis), label, _point(x_axis), size)]


def spiral_of(
    model: Model, symbol: Symbol, scene: SpaceScene, points: Sequence[Sequence[float]], size: float, active: Active
) -> list[Spiral3]:
    """The spiral of a torsion spring over a motion; turns are counted from the first frame on."""
    place = None if symbol.along is None else where_measured(model, symbol.along)
    if place is None or not place.turns or symbol.kind != "torsion":
        return []
    names = [body.name for body in scene.bodies]
    way = heading(model, place, np.array(points, dtype=float).reshape(-1, 3))
    x = axes_of(place.axis)[:, 0] if way is None else way
    y = np.cross(place.axis, x)
    i, j = (rotation_matrices(scene.bodies[names.index(name)].parameters) for name in (place.body, place.other))
    arm = _turn(model, place).T @ x  # in the other body
    seen = np.einsum("nki,nkj,j->ni", i, j, arm) if len(scene.times) else np.zeros((0, 3))
    turned = place.value + np.unwrap(np.arctan2(seen @ y, seen @ x)) - symbol.free
    return [
        Spiral3(names.index(place.body), _p3(place.point), _p3(place.axis), _point(-x), turned, size, active)
    ]  # fmt: skip


def _stops(
    model: Model, label: str, symbol: Symbol, place: MeasuredPlace, bare: SpaceScene, way: Array | None, size: float
) -> list[Mark3]:
    names = [body.name for body in bare.bodies]
    carrier, other = names.index(place.body), names.index(place.other)
    out: list[Mark3] = []
    if place.turns and way is None:
        way = axes_of(place.axis)[:, 0]
        inner = _turn(model, place).T
        out.append(
            Mark3("stop-finger", other, _p3(place.other_point), _point(inner @ np.array(place.axis)), "", _point(inner @ way), size)
        )  # fmt: skip
    kinds: tuple[MarkKind, MarkKind] = (
        ("stop-turn-low", "stop-turn-high") if place.turns else ("stop-slide-low", "stop-slide-high")
    )
    words = [label, ""]
    for side, kind, limit in zip((-1.0, 1.0), kinds, symbol.limits, strict=True):
        if not math.isfinite(limit):
            continue
        at, x_axis = place.point, None
        if place.turns and way is not None:
            x_axis = _point(turned_about(way, place.axis, limit - place.value))
        else:
            far = place.along + limit - place.value + side * _half_length(model, place, bare)
            at = tuple(np.array(place.point) + far * np.array(place.axis))
        out.append(Mark3(kind, carrier, _p3(at), _p3(place.axis), words.pop(0), x_axis, size))
    return out


def _half_length(model: Model, place: MeasuredPlace, bare: SpaceScene) -> float:
    """Length of a sliding part along its line [m]."""
    shapes: tuple[Shape3, ...] = ()
    if model.bodies[place.other].shapes:
        shapes = next(body.shapes for body in bare.bodies if body.name == place.other)
    axis = _turn(model, place).T @ np.array(place.axis)
    reach = [
        float(np.abs((points - np.array(place.other_point)) @ axis).max()) + radius
        for points, radius in (shape.extreme_points() for shape in shapes)
    ]
    return max(reach, default=BLOCK * bare.symbol_size())


def _turn(model: Model, place: MeasuredPlace) -> Array:
    """Rotation matrix from components of the other body to those of the one that it is counted from, as drawn."""
    turned: Array = drawn_pose(model, place.body)[1].T @ drawn_pose(model, place.other)[1]
    return turned


def _p3(values: Sequence[float]) -> Point3:
    x, y, z = values
    return float(x), float(y), float(z)


def _point(values: Array) -> Point3:
    x, y, z = values.tolist()
    return x, y, z
