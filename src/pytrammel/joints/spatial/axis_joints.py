"""Joints with an axis: revolute, cylindrical, prismatic, screw, planar, and axes that stay parallel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import filled
from pytrammel.joints.constraint import Constraint, Freedom
from pytrammel.joints.spatial.frames import (
    X,
    Y,
    Z,
    angle_about,
    dot,
    gap,
    joint_markers,
    offset,
    on_axis_rows,
    parallel_rows,
    same_way,
)
from pytrammel.joints.spatial.markers_and_rows import Row, joint, seat, slides, turns
from pytrammel.model.quantities.quantity import LENGTH, Quantity
from pytrammel.model.spatial_bodies import UNIT, Marker
from pytrammel.model.spatial_registries import spatial_constraint_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Angle, Direction, Length, Place, Position
    from pytrammel.model.spatial import SpatialModel


def _two(a: object, b: object) -> dict[str, object]:
    """Arguments of a typical use between two bodies."""
    return {"first": a.marker((0.3, 0.1, -0.2), axis="x"), "second": b.marker((-0.2, 0.4, 0.1), axis="z")}  # type: ignore[attr-defined]


@spatial_constraint_type(sample=lambda a, b, c: _two(a, b))
def revolute(
    model: SpatialModel, name: str, first: Place, second: Place, *, at: Position | None = None,
    axis: Direction | None = None, x: Direction | None = None,
    angle: Angle | None = None,
) -> Constraint:  # fmt: skip
    """Hinge: the bodies turn against each other about one axis (5 rows: s, p1).

    Args:
        first, second: Bodies (with `at`), points, or oriented markers.
        at: A point of the axis, global, design configuration [m].
        axis: Direction of the axis, global, design configuration, as a vector or by two points.
        x: Direction on the first body from which the angle counts; matters for pictures and joint frames only.
        angle: Value of the angle in the design configuration [rad]; zero by default, or what the markers show.

    Measures: ``angle`` of the second body relative to the first about the axis, counted through all turns [rad].
    """
    i, j = joint_markers(model, name, "revolute joint", first, second, at, axis, x=x, angle=angle)
    measures = {"angle": angle_about(model, i, j, f"{name}.angle", start=angle)}
    rows = [gap(i, j, f"gap of {name}"), *parallel_rows(i, j, name)]
    return joint(
        "revolute",
        name,
        _turned(measures, angle),
        i,
        j,
        rows,
        measures,
        "revolute",
        freedom=turns((i, j), 1, Z),
        span=0.0,
        aligned=same_way(i, j, name, Z),
    )


def _turned(measures: Mapping[str, Quantity], angle: Angle | None) -> dict[str, float]:
    """The markers know the angle only up to whole turns (and not which half turn is meant), so it is told again to a copy."""
    turn = measures["angle"].turn
    assert turn is not None
    return {"angle": turn.start if angle is None else traced_numbers.real(angle)}


@spatial_constraint_type(sample=lambda a, b, c: _two(a, b))
def cylindrical(
    model: SpatialModel, name: str, first: Place, second: Place, *, at: Position | None = None,
    axis: Direction | None = None, x: Direction | None = None,
    angle: Angle | None = None,
) -> Constraint:  # fmt: skip
    """Turning and sliding along one axis (4 rows: p1, p2).

    Args:
        first, second: Bodies (with `at`), points, or oriented markers.
        at: A point of the axis, global, design configuration [m].
        axis: Direction of the axis, global, design configuration, as a vector or by two points.
        x, angle: As for `revolute`.

    Measures: ``angle`` [rad] and ``distance`` along the axis [m] of the second body relative to the first.
    """
    i, j = joint_markers(model, name, "cylindrical joint", first, second, at, axis, x=x, angle=angle)
    measures = {
        "angle": angle_about(model, i, j, f"{name}.angle", start=angle),
        "distance": offset(i, Z, j, f"{name}.distance"),
    }
    rows = [*parallel_rows(i, j, name), *on_axis_rows(i, j, name)]
    free = turns((i, j), 1, Z) + slides((i, j), 1, Z)
    return joint(
        "cylindrical",
        name,
        _turned(measures, angle),
        i,
        j,
        rows,
        measures,
        "cylindrical",
        freedom=free,
        aligned=same_way(i, j, name, Z),
    )


@spatial_constraint_type(sample=lambda a, b, c: _two(a, b))
def prismatic(
    model: SpatialModel,
    name: str,
    first: Place,
    second: Place,
    *,
    at: Position | None = None,
    axis: Direction | None = None,
    x: Direction | None = None,
) -> Constraint:
    """Slide: the second body moves along an axis of the first and does not turn against it (5 rows: p1, p2, n1).

    Args:
        first, second: Bodies (with `at`), points, or oriented markers.
        at: A point of the axis, global, design configuration [m].
        axis: Direction of the axis, global, design configuration, as a vector or by two points.
        x: Direction across the axis, for the joint's frame.

    Measures: ``distance`` along the axis [m].
    """
    i, j = joint_markers(model, name, "prismatic joint", first, second, at, axis, x=x)
    rows = [*parallel_rows(i, j, name), *on_axis_rows(i, j, name), dot(i, X, j, Y, f"twist of {name}")]
    measures = {"distance": offset(i, Z, j, f"{name}.distance")}
    return joint(
        "prismatic",
        name,
        {},
        i,
        j,
        rows,
        measures,
        "prismatic",
        freedom=slides((i, j), 1, Z),
        aligned=same_way(i, j, name, Z, X),
    )


@spatial_constraint_type(sample=lambda a, b, c: {**_two(a, b), "lead": 0.05})
def screw(
    model: SpatialModel, name: str, first: Place, second: Place, *, lead: Length, at: Position | None = None,
    axis: Direction | None = None, x: Direction | None = None,
    angle: Angle | None = None, start: Length | None = None,
) -> Constraint:  # fmt: skip
    """Screw: turning and sliding along one axis in a fixed ratio (5 rows: p1, p2 and the thread).

    Args:
        first, second: Bodies (with `at`), points, or oriented markers.
        lead: Advance of the second body along the axis per turn [m]; negative for a left-hand thread.
        at, axis, x, angle: As for `revolute`.
        start: Distance along the axis when the angle is zero [m]; by default so that the design configuration fits.

    Measures: ``angle`` [rad] and ``distance`` [m].
    """
    i, j = joint_markers(model, name, "screw joint", first, second, at, axis, x=x, angle=angle)
    advance = checked_number(lead, f"lead of screw joint {name!r}") / (2.0 * math.pi)
    turn, slide = angle_about(model, i, j, f"{name}.angle", start=angle), offset(i, Z, j, f"{name}.distance")
    assert turn.turn is not None
    drawn = model.drawn_value(slide) - advance * turn.turn.start
    begin = drawn if start is None else checked_number(start, f"start of screw joint {name!r}")
    thread = Quantity(
        "expression", (i.body, j.body), (1.0,), (LENGTH,), f"thread of {name}", formula=filled("d - advance*a", advance=advance),
        inputs={"d": slide, "a": turn},
    )  # fmt: skip
    rows: list[Row] = [*parallel_rows(i, j, name), *on_axis_rows(i, j, name), (thread, begin)]
    measures = {"angle": turn, "distance": slide}
    given = {"lead": lead, "start": begin, **_turned(measures, angle)}
    free = (Freedom("rotation", 1, j.axis(Z), advance),)
    return joint("screw", name, given, i, j, rows, measures, "screw", freedom=free, aligned=same_way(i, j, name, Z))


@spatial_constraint_type(sample=lambda a, b, c: _two(a, b))
def planar(
    model: SpatialModel, name: str, first: Place, second: Place, *, at: Position | None = None,
    axis: Direction | None = None, x: Direction | None = None,
    angle: Angle | None = None,
) -> Constraint:  # fmt: skip
    """Plane on plane: the second body slides and turns on a plane of the first (3 rows: p1, n2).

    Args:
        first, second: Bodies (with `at`), points, or oriented markers.
        at: A point of the plane, global, design configuration [m].
        axis: Normal of the plane, global, design configuration, as a vector or by two points.
        x: Direction in the plane along which ``x`` counts.
        angle: Value of the angle in the design configuration [rad]; zero by default, or what the markers show.

    Measures: ``x``, ``y`` of the second body's point in the plane [m], ``angle`` about the normal [rad].
    """
    i, j = joint_markers(model, name, "planar joint", first, second, at, axis, x=x, angle=angle)
    measures = {
        "x": offset(i, X, j, f"{name}.x"),
        "y": offset(i, Y, j, f"{name}.y"),
        "angle": angle_about(model, i, j, f"{name}.angle", start=angle),
    }
    rows = [*parallel_rows(i, j, name), offset(i, Z, j, f"height of {name}")]
    free = slides((i, j), 0, X, Y) + turns((i, j), 1, Z)
    return joint(
        "planar",
        name,
        _turned(measures, angle),
        i,
        j,
        rows,
        measures,
        "planar",
        freedom=free,
        aligned=same_way(i, j, name, Z),
    )


@spatial_constraint_type(sample=lambda a, b, c: _two(a, b))
def parallel_axes(
    model: SpatialModel,
    name: str,
    first: Place,
    second: Place,
    *,
    axis: Direction | None = None,
    angle: Angle | None = None,
) -> Constraint:
    """An axis of one body stays parallel to one of another (2 rows: p1).

    Args:
        first, second: Bodies, or oriented markers.
        axis: The common direction, global, design configuration, as a vector or by two points.
        angle: Value of the angle in the design configuration [rad]; zero by default, or what the markers show.

    Measures: ``angle`` of the second body relative to the first about the axis [rad].
    """
    bodies = [place for place in (first, second) if model.is_body(place)]
    at = model.body_of(bodies[0]).position if axis is not None and bodies else None
    i, j = joint_markers(model, name, "parallel axes", first, second, at, axis, angle=angle)
    measures = {"angle": angle_about(model, i, j, f"{name}.angle", start=angle)}
    free = slides((i, j), 0, X, Y, Z) + turns((i, j), 1, Z)
    return joint(
        "parallel_axes",
        name,
        _turned(measures, angle),
        i,
        j,
        parallel_rows(i, j, name),
        measures,
        freedom=free,
        aligned=same_way(i, j, name, Z),
    )


def _rigid_rows(i: Marker, j: Marker, name: str) -> list[Quantity]:
    """Nothing moves: a common point, parallel axes, no twist."""
    return [gap(i, j, f"gap of {name}"), *parallel_rows(i, j, name), dot(i, X, j, Y, f"twist of {name}")]


@spatial_constraint_type(sample=lambda a, b, c: _two(a, b))
def weld(
    model: SpatialModel,
    name: str,
    first: Place,
    second: Place,
    *,
    at: Position | None = None,
    axis: Direction | None = None,
    x: Direction | None = None,
) -> Constraint:
    """Rigid joint (6 rows).

    Args:
        first, second: Bodies, points, or oriented markers.
        at: Where, global, design configuration [m]; by default the second body's origin.
        axis, x: Axes of the joint's frame, in which its reactions are given; the global ones by default.
    """
    if axis is None and (model.oriented(first) is None or model.oriented(second) is None):
        axis, x = "z", "x" if x is None else x
    if at is None and model.is_body(second):
        at = model.body_of(second).position
    i, j = joint_markers(model, name, "weld", first, second, at, axis, x=x)
    return joint(
        "weld",
        name,
        {},
        i,
        j,
        _rigid_rows(i, j, name),
        {},
        "weld",
        freedom=(),
        span=0.0,
        aligned=same_way(i, j, name, Z, X),
    )


@spatial_constraint_type(sample=lambda a, b, c: {"body": a})
def fix(model: SpatialModel, name: str, body: Place) -> Constraint:
    """Hold a body where it is drawn (6 rows)."""
    held = model.body_of(body)
    if held.name == model.ground.name:
        raise ModelError(f"constraint {name!r} fixes the ground, which is fixed already; remove it.")
    i, j = (owner.marker_global(held.position, UNIT) for owner in (model.ground, held))
    built = joint("fix", name, {}, i, j, _rigid_rows(i, j, name), {}, "weld")
    return Constraint(
        built.kind, name, {"body": held.name}, built.bodies, built.blocks, symbols=built.symbols,
        seats=(seat(i), seat(j)), freedom=(), span=0.0, aligned=tuple(same_way(i, j, name, Z, X)),
    )  # fmt: skip


@spatial_constraint_type(sample=lambda a, b, c: _two(a, b))
def free(
    model: SpatialModel,
    name: str,
    first: Place,
    second: Place,
    *,
    at: Position | None = None,
    axis: Direction | None = None,
) -> Constraint:
    """No restraint at all (0 rows): a joint that only measures how the second body lies against the first.

    Args:
        first, second: Bodies, points, or oriented markers.
        at, axis: Origin and z axis of the frame on the first body, global, design configuration.

    Measures: ``x``, ``y``, ``z`` of the second body's point in the first's frame [m].
    """
    i, j = joint_markers(model, name, "free joint", first, second, at, axis)
    measures = {key: offset(i, k, j, f"{name}.{key}") for key, k in (("x", X), ("y", Y), ("z", Z))}
    free = slides((i, j), 0, X, Y, Z) + turns((i, j), 1, X, Y, Z)
    return joint("free", name, {}, i, j, [], measures, freedom=free)
