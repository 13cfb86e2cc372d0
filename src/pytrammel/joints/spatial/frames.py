"""From what a person says about a joint (where, which axis) to the markers on its two bodies, and quantities between markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel.errors import ModelError
from pytrammel.geometry import vectors
from pytrammel.geometry.vectors import Vector
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, NUMBER, Quantity, Turn
from pytrammel.model.quantities.spatial_design_configuration import drawn_angle, nearest_turn
from pytrammel.model.spatial_bodies import Marker, direction, frame_on_axis, space_vector

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Angle, Place
    from pytrammel.model.spatial import SpatialModel

X, Y, Z = 0, 1, 2
ANGLE_TOLERANCE = 1e-3  # rad; an angle typed with three digits still counts as the drawn one


def joint_markers(
    model: SpatialModel, name: str, kind: str, first: Place, second: Place, at: object, axis: object, *, x: object = None,
    angle: Angle | None = None,
) -> tuple[Marker, Marker]:  # fmt: skip
    """Markers of a joint with one axis: coincident axes in the drawn pose, unless oriented markers are given.

    Args:
        first, second: Bodies (with `at`), points, or oriented markers (then `axis` is not needed).
        at: Where, global, design configuration [m].
        axis: Joint axis, global, design configuration: a vector of any length, "x" …, or two points.
        x: Direction from which the angle counts, global, design configuration.
        angle: Value of the joint angle in the design configuration [rad]; markers show theirs, up to whole turns.
    """
    turn = None if angle is None else checked_number(angle, f"angle of {kind} {name!r}")
    if axis is None:
        i, j = model.oriented(first), model.oriented(second)
        if i is None or j is None:
            raise ModelError(
                f"{kind} {name!r}: the axis is missing; give axis=(x, y, z), global in the drawn pose, or two oriented markers "
                "(body.marker(at, axis=...))."
            )
        for key, value in (("at", at), ("x", x)):
            if value is not None:
                raise ModelError(
                    f"{kind} {name!r}: {key}= is given, but its markers have a place and axes already, so that it would not be used; "
                    f"leave {key}= out, or give axis= as well."
                )
        model.different_bodies(name, i.body, j.body, kind)
        if turn is not None:
            check_drawn_angle(model, f"{kind} {name!r}", "angle", turn, angle_about(model, i, j, "angle"))
        return i, j
    p, q = model.two_points(name, kind, first, second, at)
    what = f"{kind} {name!r}"
    z = axis_direction(model, axis, f"axis of {what}")
    frame = frame_on_axis(z, None if x is None else direction(x, f"x of {what}"), what)
    turned = frame
    if turn is not None:
        c, s = traced_numbers.cos(turn), traced_numbers.sin(turn)
        turned = vectors.product(frame, ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
    return (
        model.bodies[p.body].marker_global(p.drawn, frame, p.name),
        model.bodies[q.body].marker_global(q.drawn, turned, q.name),
    )


def axis_direction(model: SpatialModel, axis: object, what: str) -> Vector:
    """Return the unit vector of a direction, global, design configuration; see `direction`.

    Of two points, each may also be a point of a body, or its name.
    """
    if isinstance(axis, list | tuple) and len(axis) == 2:
        axis = tuple(model.place(end, None, what).drawn if isinstance(end, str | Marker) else end for end in axis)
    return direction(axis, what)


def check_drawn_angle(model: SpatialModel, what: str, key: str, said: float, drawn: Quantity) -> None:
    """Markers and bodies show a joint's angle up to whole turns; a number that says otherwise is refused."""
    assert drawn.turn is not None
    off = nearest_turn(drawn.turn.start, said) - said
    if abs(off) > ANGLE_TOLERANCE and not model._redrawing:
        raise ModelError(
            f"{what}: {key}={said:g} rad is said, but the joint is drawn at {drawn.turn.start:.6g} rad (or whole turns from there); "
            f"leave {key}= out, turn a body, or turn a marker's x axis."
        )


def marker_on_axis(
    model: SpatialModel, place: Place, at: object, axis: object, what: str, *, x: object = None
) -> Marker:
    """One oriented marker: given as such, or by a place and an axis (global, drawn pose)."""
    if axis is None:
        marker = model.oriented(place)
        if marker is None:
            raise ModelError(
                f"{what}: the axis is missing; give it as (x, y, z), global in the drawn pose, or an oriented marker."
            )
        return marker
    p = model.place(place, at, what)
    frame = frame_on_axis(
        axis_direction(model, axis, f"axis of {what}"), None if x is None else space_vector(x, f"x of {what}"), what
    )
    made: Marker = model.bodies[p.body].marker_global(p.drawn, frame, p.name)
    return made


def gap(i: Marker, j: Marker, label: str) -> Quantity:
    """Vector from the second marker to the first, three rows: a ball joint (s)."""
    return Quantity("point_offset", (i.body, j.body), (*i.local, *j.local), (LENGTH,) * 3, label)


def dot(i: Marker, k: int, j: Marker, m: int, label: str) -> Quantity:
    """Scalar product of axis k of one marker with axis m of another (n1)."""
    return Quantity("axis_dot", (i.body, j.body), (*i.axis(k), *j.axis(m)), (NUMBER,), label)


def offset(i: Marker, k: int, j: Marker, label: str) -> Quantity:
    """Component along axis k of the first marker of the way to the second (n2)."""
    return Quantity("axis_offset", (i.body, j.body), (*i.axis(k), *i.local, *j.local), (LENGTH,), label)


def length_between(i: Marker, j: Marker, label: str) -> Quantity:
    """Distance of two markers (s-s)."""
    return Quantity("point_distance", (i.body, j.body), (*i.local, *j.local), (LENGTH,), label)


def angle_about(
    model: SpatialModel,
    i: Marker,
    j: Marker,
    label: str,
    *,
    axis: int = X,
    sign: float = 1.0,
    start: Angle | None = None,
) -> Quantity:
    """Angle about the first marker's z axis of an axis of the second (its x axis by default), counted through all turns."""
    x, y, _ = (i.axis(k) for k in range(3))
    data = (*x, *(sign * v for v in y), *j.axis(axis))
    drawn = drawn_angle(model.bodies[i.body], model.bodies[j.body], data)
    if start is not None:
        drawn = nearest_turn(drawn, traced_numbers.real(start))
    turn = Turn(label, i.body, j.body, data, drawn)
    return Quantity("axis_angle", (i.body, j.body), data, (ANGLE,), label, turn=turn)


def parallel_rows(i: Marker, j: Marker, name: str) -> list[Quantity]:
    """Second marker's z axis along the first's: p1 by perpendiculars."""
    return [dot(i, X, j, Z, f"tilt of {name} about y"), dot(i, Y, j, Z, f"tilt of {name} about x")]


def same_way(i: Marker, j: Marker, name: str, *axes: int) -> list[Quantity]:
    """Cosines between like axes of two markers, which are positive where they point the same way."""
    return [dot(i, k, j, k, f"{'xyz'[k]} axes of {name}") for k in axes]


def on_axis_rows(i: Marker, j: Marker, name: str) -> list[Quantity]:
    """Second marker's point on the first's z axis: p2 by perpendiculars."""
    return [offset(i, X, j, f"offset of {name} along x"), offset(i, Y, j, f"offset of {name} along y")]


def drawn_way(i: Marker, j: Marker) -> Vector:
    """From the first marker to the second in the drawn pose [m]."""
    return vectors.minus(j.drawn, i.drawn)
