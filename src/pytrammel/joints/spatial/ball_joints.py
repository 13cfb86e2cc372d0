"""Joints whose bodies share a point: spherical, universal, constant velocity, intersecting axes; and frames that stay parallel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import unlike
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import as_expression
from pytrammel.geometry import vectors
from pytrammel.joints.constraint import Constraint
from pytrammel.joints.spatial.frames import (
    X,
    Y,
    Z,
    angle_about,
    axis_direction,
    check_drawn_angle,
    dot,
    gap,
    marker_on_axis,
    parallel_rows,
    same_way,
)
from pytrammel.joints.spatial.markers_and_rows import joint, slides, turns
from pytrammel.model.quantities.quantity import NUMBER, Quantity
from pytrammel.model.spatial_bodies import UNIT
from pytrammel.model.spatial_registries import spatial_constraint_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Angle, Direction, Place, Position
    from pytrammel.model.spatial import SpatialModel

SQUARE = 1e-3  # cosine between arms that are typed with three digits
LEAST_BETWEEN = math.radians(1.0)  # between axes that meet, and short of a half turn
LEAST_DRAWN = 0.1  # degrees between the arms of markers, which a rough drawing may show at any angle but a singular one


@spatial_constraint_type(sample=lambda a, b, c: {"first": a.at(0.3, 0.1, -0.2), "second": b.at(-0.2, 0.4, 0.1)})
def spherical(model: SpatialModel, name: str, first: Place, second: Place, *, at: Position | None = None) -> Constraint:
    """Ball joint: a point of one body stays on a point of another (3 rows: s).

    Args:
        first, second: Bodies (with `at`) or points on bodies.
        at: Centre, global, design configuration [m].
    """
    i, j = model.two_points(name, "spherical joint", first, second, at)
    return joint(
        "spherical", name, {}, i, j, [gap(i, j, f"gap of {name}")], symbol="spherical", freedom=turns((i, j), 1, X, Y, Z), span=0.0
    )  # fmt: skip


@spatial_constraint_type(
    sample=lambda a, b, c: {
        "first": a.marker((0.3, 0.1, -0.2), axis="x"),
        "second": b.marker((-0.2, 0.4, 0.1), axis="y"),
    }
)
def universal(
    model: SpatialModel, name: str, first: Place, second: Place, *, at: Position | None = None,
    axis: Direction | None = None, second_axis: Direction | None = None,
    angle: Angle | None = None, second_angle: Angle | None = None,
) -> Constraint:  # fmt: skip
    """Hooke's joint: a common point, and an arm of the cross on each body at right angles to each other (4 rows: s, n1).

    Args:
        first, second: Bodies (with `at`), points, or oriented markers whose z axes are the arms.
        at: Centre of the cross, global, design configuration [m].
        axis: Arm of the cross that is held by the first body, global, design configuration, as a vector or by two points.
        second_axis: Arm that is held by the second body; perpendicular to the first.
        angle, second_angle: Values of the angles in the design configuration [rad]; the drawing shows them up to whole turns.

    Measures: ``angle`` of the cross against the first body about its arm, ``second_angle`` of the second body against the cross
    about the other arm, both zero as drawn [rad].
    """
    if (axis is None) != (second_axis is None):
        raise ModelError(
            f"universal joint {name!r}: give axis= and second_axis=, the two arms of the cross, not one of them."
        )
    model.check_at(at, f"universal joint {name!r}", first, second)
    if axis is not None and second_axis is not None:
        u, w = (
            axis_direction(model, axis, f"axis of universal joint {name!r}"),
            axis_direction(model, second_axis, f"second axis of universal joint {name!r}"),
        )
        _check_square(name, u, w)
        i = marker_on_axis(model, first, at, u, f"universal joint {name!r}", x=w)
        j = marker_on_axis(model, second, at, w, f"universal joint {name!r}", x=u)
    else:
        one, two = model.oriented(first), model.oriented(second)
        if one is None or two is None:
            raise ModelError(
                f"universal joint {name!r}: give axis= and second_axis=, the two arms of the cross, or two oriented markers."
            )
        i, j = one, two
        _check_perpendicular(name, i.drawn_axis(Z), j.drawn_axis(Z), LEAST_DRAWN)
    model.different_bodies(name, i.body, j.body)
    measures = {}
    told = {}
    for key, said, (one, two), sign in (("angle", angle, (i, j), 1.0), ("second_angle", second_angle, (j, i), -1.0)):
        start = None if said is None else checked_number(said, f"{key} of universal joint {name!r}")
        measures[key] = angle_about(model, one, two, f"{name}.{key}", axis=Z, sign=sign, start=start)
        turn = measures[key].turn
        assert turn is not None
        if start is not None:
            check_drawn_angle(model, f"universal joint {name!r}", key, start, measures[key])
        told[key] = turn.start if start is None else start
    return joint(
        "universal",
        name,
        told,
        i,
        j,
        [gap(i, j, f"gap of {name}"), dot(i, Z, j, Z, f"cross of {name}")],
        measures,
        "universal",
        freedom=turns((i, j), 0, Z) + turns((i, j), 1, Z),
        span=0.0,
    )


def _check_square(name: str, u: tuple[float, ...], w: tuple[float, ...]) -> None:
    """Arms that are said must be square: the joint would turn the bodies to make them so."""
    cosine = vectors.dot(u, w)
    if abs(cosine) > SQUARE:
        _check_perpendicular(name, u, w, LEAST_DRAWN)
        straight = np.array(w, dtype=float) - traced_numbers.plain(cosine) * np.array(u, dtype=float)
        straight /= np.linalg.norm(straight)
        apart = math.degrees(math.acos(abs(cosine)))
        raise ModelError(
            f"universal joint {name!r}: the arms axis= and second_axis= are {apart:.4g}° apart; they must be "
            f"perpendicular. Use second_axis=({', '.join(f'{float(x) + 0.0:.9g}' for x in straight)})."
        )


def _check_perpendicular(name: str, u: tuple[float, ...], w: tuple[float, ...], least: float) -> None:
    angle = traced_numbers.degrees(traced_numbers.atan2(vectors.length(vectors.cross(u, w)), abs(vectors.dot(u, w))))
    if angle < least:
        raise ModelError(
            f"universal joint {name!r}: the arms ({', '.join(f'{x:g}' for x in u)}) and ({', '.join(f'{x:g}' for x in w)}) are "
            f"{'parallel' if angle < 1e-6 else 'nearly parallel'} ({angle:.3g}° apart as drawn); they must be perpendicular "
            f"(at least {least:g}° apart in the drawing). Turn one of them."
        )


@spatial_constraint_type(
    sample=lambda a, b, c: {"first": a.marker((0.3, 0.1, -0.2)), "second": b.marker((-0.2, 0.4, 0.1))}
)
def constant_velocity(
    model: SpatialModel, name: str, first: Place, second: Place, *, at: Position | None = None,
    axis: Direction | None = None, second_axis: Direction | None = None
) -> Constraint:  # fmt: skip
    """Constant-velocity joint: shafts that meet in a point and turn alike whatever the angle between them (4 rows).

    The second shaft is swung against the first about an axis across both, never twisted: the relative Euler parameter along the
    shaft stays zero.

    Args:
        first, second: Shafts: bodies (with `at`), points, or oriented markers whose z axes are the shafts.
        at: Where the shafts meet, global, design configuration [m].
        axis: Direction of the first shaft, global, design configuration, as a vector or by two points.
        second_axis: Direction of the second shaft; along the first by default.

    Measures: ``bend``: cosine of the angle between the shafts.
    """
    what = f"constant-velocity joint {name!r}"
    model.check_at(at, what, first, second)
    if axis is None and second_axis is not None:
        raise ModelError(f"{what}: second_axis= needs axis=, the direction of the first shaft.")
    i = marker_on_axis(model, first, at, axis, what)
    j = marker_on_axis(model, second, at, axis if second_axis is None else second_axis, what)
    model.different_bodies(name, i.body, j.body)
    if axis is not None:
        # swing the first shaft's frame onto the second by the shortest rotation, so that the design configuration is untwisted
        j = model.bodies[j.body].marker_global(j.drawn, _swung(name, i.drawn_axes, j.drawn_axis(Z)), j.name)
    twist = Quantity(
        "expression", (i.body, j.body), (1.0,), (NUMBER,), f"twist of {name}", formula=as_expression("a - b", name),
        inputs={"a": dot(i, Y, j, X, "a"), "b": dot(i, X, j, Y, "b")},
    )  # fmt: skip
    rows = [gap(i, j, f"gap of {name}"), twist]
    measures = {"bend": dot(i, Z, j, Z, f"{name}.bend")}
    # the row is 4 e0 e3 of the relative Euler parameters: with e0 = 0 instead of e3 = 0 the shaft would be turned over
    untwisted = Quantity(
        "expression", (i.body, j.body), (1.0,), (NUMBER,), f"x and y axes of {name}", formula=as_expression("a + b", name),
        inputs={"a": dot(i, X, j, X, "a"), "b": dot(i, Y, j, Y, "b")},
    )  # fmt: skip
    return joint("constant_velocity", name, {}, i, j, rows, measures, "universal", span=0.0, aligned=[untwisted])


def _swung(name: str, frame: vectors.Matrix, z: vectors.Vector) -> vectors.Matrix:
    shaft = vectors.column(frame, Z)
    across = vectors.cross(shaft, z)
    sine, cosine = vectors.length(across), vectors.dot(shaft, z)
    if cosine < -0.5:
        raise ModelError(
            f"constant-velocity joint {name!r}: the shafts are bent by {math.degrees(math.acos(max(-1.0, cosine))):.4g}° as drawn; it can "
            "bend by 120° at most. Turn one shaft's direction round."
        )
    if sine < 1e-12:
        return frame
    k = vectors.over(across, sine)
    # Rodrigues: each axis v becomes cos v + sin k x v + (1 - cos) k (k.v)
    a, b, c = (
        vectors.plus(
            vectors.plus(vectors.times(cosine, v), vectors.times(sine, vectors.cross(k, v))),
            vectors.times((1.0 - cosine) * vectors.dot(k, v), k),
        )
        for v in vectors.transposed(frame)
    )
    return vectors.transposed((a, b, c))


@spatial_constraint_type(
    sample=lambda a, b, c: {
        "first": a.marker((0.3, 0.1, -0.2), axis="x"),
        "second": b.marker((-0.2, 0.4, 0.1), axis="y"),
    }
)
def intersecting_axes(
    model: SpatialModel, name: str, first: Place, second: Place, *, at: Position | None = None,
    axis: Direction | None = None, second_axis: Direction | None = None,
    angle: Angle | None = None,
) -> Constraint:  # fmt: skip
    """Two axes that meet in a point at any angle, kept as it is: a universal joint whose cross is not square (4 rows: s, n1).

    Args:
        first, second: Bodies (with `at`), points, or oriented markers whose z axes are the axes.
        at: Where the axes meet, global, design configuration [m].
        axis: Axis on the first body, global, design configuration, as a vector or by two points.
        second_axis: Axis on the second body.
        angle: Angle between the axes [rad], above 0 and below pi; defaults to the initial value.

    Measures: ``cosine`` of the angle between the axes, which the joint keeps.
    """
    what = f"joint {name!r} of intersecting axes"
    if (axis is None) != (second_axis is None):
        raise ModelError(f"{what}: give axis= and second_axis=, not one of them.")
    model.check_at(at, what, first, second)
    i = marker_on_axis(model, first, at, axis, what)
    j = marker_on_axis(model, second, at, second_axis, what)
    model.different_bodies(name, i.body, j.body)
    cosine = traced_numbers.maximum(
        (-1.0, traced_numbers.minimum((1.0, vectors.dot(i.drawn_axis(Z), j.drawn_axis(Z)))))
    )
    between = traced_numbers.acos(cosine) if angle is None else checked_number(angle, f"angle of {what}")
    if not LEAST_BETWEEN <= between <= math.pi - LEAST_BETWEEN:
        texts = unlike(between, LEAST_BETWEEN, math.pi - LEAST_BETWEEN, digits=4)
        raise ModelError(
            f"{what}: the angle of its axes is {texts[0]} rad; it must be at least {texts[1]} rad and at most "
            f"{texts[2]} rad. Use revolute for axes along one line."
        )
    kept = dot(i, Z, j, Z, f"{name}.cosine")
    rows: list[Any] = [gap(i, j, f"gap of {name}"), (kept, traced_numbers.cos(between))]
    return joint("intersecting_axes", name, {"angle": between}, i, j, rows, {"cosine": kept}, "universal", span=0.0)


@spatial_constraint_type(
    sample=lambda a, b, c: {"first": a.marker((0.3, 0.1, -0.2)), "second": b.marker((-0.2, 0.4, 0.1))}
)
def parallel_frames(model: SpatialModel, name: str, first: Place, second: Place) -> Constraint:
    """Two bodies that do not turn against each other but may move in any direction (3 rows: p1, n1).

    Args:
        first, second: Bodies, whose drawn orientation against each other is kept, or oriented markers whose axes stay parallel.
    """
    what = f"joint {name!r} of parallel frames"
    markers = [model.oriented(place) for place in (first, second)]
    if None in markers:
        if any(m is not None for m in markers):
            raise ModelError(f"{what}: give two bodies or two oriented markers, not one of each.")
        drawn = [model.place(place, None, what, origin=True) for place in (first, second)]
        markers = [model.bodies[p.body].marker_global(p.drawn, UNIT) for p in drawn]
    i, j = markers
    assert i is not None and j is not None
    model.different_bodies(name, i.body, j.body)
    rows = [*parallel_rows(i, j, name), dot(i, X, j, Y, f"twist of {name}")]
    free = slides((i, j), 0, X, Y, Z)
    return joint("parallel_frames", name, {}, i, j, rows, freedom=free, aligned=same_way(i, j, name, X, Z))
