"""Massless links: with balls or hinges at their ends (composite joints of section 7.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number, checked_numbers
from pytrammel.errors import ModelError
from pytrammel.geometry import vectors
from pytrammel.joints.constraint import Constraint, Freedom, Symbol
from pytrammel.joints.spatial.frames import (
    X,
    Y,
    Z,
    dot,
    drawn_way,
    length_between,
    marker_on_axis,
    offset,
    parallel_rows,
)
from pytrammel.joints.spatial.markers_and_rows import Row, joint, slides, turns
from pytrammel.model.quantities.quantity import NUMBER, Quantity
from pytrammel.model.spatial_bodies import Marker, frame_on_axis
from pytrammel.model.spatial_registries import spatial_constraint_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Direction, Length, Place, Scalar, Scalars
    from pytrammel.model.spatial import SpatialModel

PARALLEL = 1e-6  # sine of the angle between axes below which they count as parallel


def _rod(i: Marker, j: Marker) -> Symbol:
    return Symbol("rod", i.body, i.local, other_body=j.body, other_position=j.local)


def _swings(model: SpatialModel, i: Marker, j: Marker) -> tuple[Freedom, ...]:
    """The link swings about any axis through its first end; these two lie across it as drawn."""
    way = drawn_way(i, j)
    size = vectors.length(way)
    frame = frame_on_axis(vectors.over(way, size) if size else (0.0, 0.0, 1.0), None, "link")
    carrier = model.bodies[i.body]
    return tuple(Freedom("rotation", 0, carrier.local_direction(vectors.column(frame, k), "link")) for k in (X, Y))


def _length(name: str, i: Marker, j: Marker, length: Length | None) -> float:
    value = vectors.length(drawn_way(i, j)) if length is None else checked_number(length, f"length of link {name!r}")
    if not value > 0.0:
        raise ModelError(
            f"length of link {name!r} is {value:g} m; it must be greater than 0. Use a joint with a common point instead."
        )
    return value


@spatial_constraint_type(
    sample=lambda a, b, c: {"first": a.at(0.3, 0.1, -0.2), "second": b.at(-0.2, 0.4, 0.1), "length": 0.8}
)
def link(model: SpatialModel, name: str, first: Place, second: Place, *, length: Length | None = None) -> Constraint:
    """Spherical–spherical link: two points keep their distance (1 row: s-s), as if joined by a massless rod with balls.

    Args:
        first, second: Points on two bodies.
        length: Distance [m]; defaults to the initial value.

    Measures: ``length`` [m].
    """
    i = model.place(first, None, f"the first end of link {name!r}", origin=True)
    j = model.place(second, None, f"the second end of link {name!r}", origin=True)
    model.different_bodies(name, i.body, j.body)
    distance = length_between(i, j, f"{name}.length")
    value = _length(name, i, j, length)
    return joint(
        "link", name, {"length": value}, i, j, [(distance, value)], {"length": distance}, extra_symbols=[_rod(i, j)],
        freedom=_swings(model, i, j) + turns((i, j), 1, X, Y, Z), span=value,
    )  # fmt: skip


@spatial_constraint_type(
    sample=lambda a, b, c: {"first": a.marker((0.3, 0.1, -0.2)), "second": b.at(-0.2, 0.4, 0.1), "length": 0.8}
)
def revolute_spherical(
    model: SpatialModel,
    name: str,
    first: Place,
    second: Place,
    *,
    axis: Direction | None = None,
    length: Length | None = None,
) -> Constraint:
    """Massless link hinged to the first body and joined to the second by a ball (2 rows: s-s, n2).

    Args:
        first: Point on the hinge axis of the first body where the link stands, or an oriented marker.
        second: Point of the second body.
        axis: Hinge axis on the first body, global, design configuration, as a vector or by two points; the link is perpendicular to it.
        length: Length of the link [m]; defaults to the initial value.

    Measures: ``length`` [m].
    """
    i = marker_on_axis(model, first, None, axis, f"revolute-spherical link {name!r}")
    j = model.place(second, None, f"the ball of link {name!r}", origin=True)
    model.different_bodies(name, i.body, j.body)
    distance = length_between(i, j, f"{name}.length")
    value = _length(name, i, j, length)
    rows: list[Row] = [(distance, value), offset(i, Z, j, f"height of {name}")]
    return joint(
        "revolute_spherical", name, {"length": value}, i, j, rows, {"length": distance}, "revolute", [_rod(i, j)],
        freedom=turns((i, j), 0, Z) + turns((i, j), 1, X, Y, Z), span=value,
    )  # fmt: skip


@spatial_constraint_type(
    sample=lambda a, b, c: {
        "first": a.marker((0.3, 0.1, -0.2), axis="x"),
        "second": b.marker((-0.2, 0.4, 0.1), axis="z"),
    }
)
def revolute_revolute(
    model: SpatialModel, name: str, first: Place, second: Place, *, axis: Direction | None = None, second_axis: Direction | None = None,
    length: Length | None = None, leans: Scalars | None = None, cosine: Scalar | None = None,
) -> Constraint:  # fmt: skip
    """Massless link hinged to both bodies (4 rows). Axes may be parallel, perpendicular, or at any angle.

    The link's geometry is read off the drawing unless given: its length, how far it leans along each axis, and the angle between the axes.

    Args:
        first, second: Points on the hinge axes, or oriented markers.
        axis, second_axis: Hinge axes, global, design configuration, vectors or two points each; the second defaults to the first.
        length: Distance of the two points [m]; defaults to the initial value.
        leans: How far the second point lies along the first axis, and the first along the second [m]; defaults to the initial values.
        cosine: Cosine of the angle between the axes; defaults to the initial value.

    Measures: ``length`` [m].
    """
    what = f"revolute-revolute link {name!r}"
    i = marker_on_axis(model, first, None, axis, what)
    j = marker_on_axis(model, second, None, axis if second_axis is None else second_axis, what)
    model.different_bodies(name, i.body, j.body)
    distance = length_between(i, j, f"{name}.length")
    value = _length(name, i, j, length)
    u, w, d = i.drawn_axis(Z), j.drawn_axis(Z), drawn_way(i, j)
    drawn = (vectors.dot(u, d), -vectors.dot(w, d))
    first_lean, second_lean = (
        drawn if leans is None else checked_numbers(leans, f"leans of {what}", ("first", "second"))
    )
    c = vectors.dot(u, w) if cosine is None else checked_number(cosine, f"cosine of {what}")
    rows = [(distance, value), (offset(i, Z, j, f"lean of {name}"), first_lean)]
    given = {"length": value, "leans": (first_lean, second_lean), "cosine": c}
    aligned: list[Quantity] = []
    if 1.0 - abs(c) < 0.5 * PARALLEL**2:
        way = vectors.times(traced_numbers.copysign(1.0, c), j.axis(Z))
        aligned = [Quantity("axis_dot", (i.body, j.body), (*i.axis(Z), *way), (NUMBER,), f"z axes of {name}")]
        if vectors.length(vectors.cross(u, d)) < PARALLEL * value:
            raise ModelError(
                f"{what}: the link lies along its hinge axes, so they do not hold it; move one end off the axis."
            )
        rows += [(row, 0.0) for row in parallel_rows(i, j, name)]  # 7.24: no row to choose
    else:
        if abs(vectors.dot(u, vectors.cross(w, d))) < PARALLEL * value:
            raise ModelError(
                f"{what}: the hinge axes and the link lie in one plane as drawn, a singular position; turn an axis or move an end."
            )
        other = offset(j, Z, i, f"lean of {name} on the second body")
        rows += [(other, second_lean), (dot(i, Z, j, Z, f"axes of {name}"), c)]
    return joint(
        "revolute_revolute", name, given, i, j, rows, {"length": distance}, "revolute", [_rod(i, j)],
        freedom=turns((i, j), 0, Z) + turns((i, j), 1, Z), span=value, aligned=aligned,
    )  # fmt: skip


@spatial_constraint_type(
    sample=lambda a, b, c: {
        "first": a.marker((0.3, 0.1, -0.2), axis="x"),
        "second": b.marker((-0.2, 0.4, 0.1), axis="z"),
    }
)
def revolute_cylindrical(
    model: SpatialModel,
    name: str,
    first: Place,
    second: Place,
    *,
    axis: Direction | None = None,
    second_axis: Direction | None = None,
) -> Constraint:
    """Massless link hinged to the first body and sliding and turning on an axis of the second (3 rows: n1, p2).

    The axes are perpendicular and intersect at the first body's point (7.26).

    Args:
        first: Point of the first body where the axes meet, or an oriented marker whose z axis is the hinge.
        second: A point of the sliding axis on the second body, or an oriented marker.
        axis: Hinge axis, global, design configuration, as a vector or by two points.
        second_axis: Sliding axis on the second body, global, design configuration.

    Measures: ``distance`` along the sliding axis [m].
    """
    what = f"revolute-cylindrical link {name!r}"
    i = marker_on_axis(model, first, None, axis, what)
    j = marker_on_axis(model, second, None, second_axis, what)
    model.different_bodies(name, i.body, j.body)
    rows = [
        dot(i, Z, j, Z, f"axes of {name}"),
        offset(j, X, i, f"offset of {name} along x"),
        offset(j, Y, i, f"offset of {name} along y"),
    ]
    return joint(
        "revolute_cylindrical", name, {}, i, j, rows, {"distance": offset(j, Z, i, f"{name}.distance")}, "revolute",
        freedom=turns((i, j), 0, Z) + turns((i, j), 1, Z) + slides((i, j), 1, Z),
    )  # fmt: skip
