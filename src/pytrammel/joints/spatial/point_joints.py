"""A point of one body on a line, plane or curve of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel.geometry.curves import check_curve
from pytrammel.geometry.space_curves import SpaceCurve, helix
from pytrammel.joints.constraint import Block, Constraint, ExtraCoordinate, Seat, Symbol
from pytrammel.joints.spatial.frames import X, Y, Z, marker_on_axis, offset, on_axis_rows
from pytrammel.joints.spatial.markers_and_rows import joint, slides, turns
from pytrammel.model.quantities.quantity import LENGTH, NUMBER, Quantity
from pytrammel.model.spatial_registries import spatial_constraint_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Direction, Length, Place, Position, Scalar
    from pytrammel.model.spatial import SpatialModel


@spatial_constraint_type(
    sample=lambda a, b, c: {"first": a.marker((0.3, 0.1, -0.2), axis="x"), "second": b.at(-0.2, 0.4, 0.1)}
)
def point_on_line(
    model: SpatialModel,
    name: str,
    first: Place,
    second: Place,
    *,
    at: Position | None = None,
    axis: Direction | None = None,
) -> Constraint:
    """A point of the second body stays on a line of the first (2 rows: p2).

    Args:
        first: Body that carries the line (with `at` and `axis`), or an oriented marker whose z axis is the line.
        second: Point of the second body.
        at: A point of the line, global, design configuration [m].
        axis: Direction of the line, global, design configuration, as a vector or by two points.

    Measures: ``distance`` along the line [m].
    """
    model.check_at(at, f"point-on-line {name!r}", first, second)
    i = marker_on_axis(model, first, at, axis, f"point-on-line {name!r}")
    j = model.place(second, at, f"the point of point-on-line {name!r}", origin=True)
    model.different_bodies(name, i.body, j.body)
    return joint(
        "point_on_line",
        name,
        {},
        i,
        j,
        on_axis_rows(i, j, name),
        {"distance": offset(i, Z, j, f"{name}.distance")},
        "cylindrical",
        freedom=slides((i, j), 0, Z) + turns((i, j), 1, X, Y, Z),
    )


@spatial_constraint_type(
    sample=lambda a, b, c: {"first": a.marker((0.3, 0.1, -0.2), axis="x"), "second": b.at(-0.2, 0.4, 0.1)}
)
def point_on_plane(
    model: SpatialModel,
    name: str,
    first: Place,
    second: Place,
    *,
    at: Position | None = None,
    axis: Direction | None = None,
    height: Length = 0.0,
) -> Constraint:
    """A point of the second body keeps its height over a plane of the first (1 row: n2).

    Args:
        first: Body that carries the plane (with `at` and `axis`), or an oriented marker whose z axis is the normal.
        second: Point of the second body.
        at: A point of the plane, global, design configuration [m].
        axis: Normal of the plane, global, design configuration, as a vector or by two points.
        height: Height of the point over the plane [m].

    Measures: ``x``, ``y`` in the plane and ``height`` [m].
    """
    model.check_at(at, f"point-on-plane {name!r}", first, second)
    i = marker_on_axis(model, first, at, axis, f"point-on-plane {name!r}")
    j = model.place(second, at, f"the point of point-on-plane {name!r}", origin=True)
    model.different_bodies(name, i.body, j.body)
    level = checked_number(height, f"height of point-on-plane {name!r}")
    measures = {
        "x": offset(i, X, j, f"{name}.x"),
        "y": offset(i, Y, j, f"{name}.y"),
        "height": offset(i, Z, j, f"{name}.height"),
    }
    free = slides((i, j), 0, X, Y) + turns((i, j), 1, X, Y, Z)
    rows = [(measures["height"], level)]
    return joint("point_on_plane", name, {"height": level}, i, j, rows, measures, "planar", freedom=free)


@dataclass(frozen=True)
class _Nearest:
    """Parameter of the point of a curve nearest to a place."""

    curve: SpaceCurve

    def __call__(self, *place: float) -> float:
        return float(self.curve.nearest(place))


@spatial_constraint_type(sample=lambda a, b, c: {"first": a, "second": b.at(-0.2, 0.4, 0.1), "curve": helix(0.5, 0.2)})
def point_on_curve(
    model: SpatialModel, name: str, first: Place, second: Place, *, curve: SpaceCurve, start: Scalar | None = None
) -> Constraint:
    """A point of the second body stays on a space curve of the first (3 rows, 1 extra coordinate: the place on the curve).

    Args:
        first: Body that carries the curve.
        second: Point of the second body.
        curve: The curve, in the first body's coordinates: `space_analytic`, `helix`.
        start: Estimate of the curve parameter in the design configuration; by default the nearest place.

    Measures: ``u``, the curve parameter.
    """
    carrier = model.body_of(first)
    p = model.place(second, None, f"the point of point-on-curve {name!r}", origin=True)
    model.different_bodies(name, carrier.name, p.body)
    check_curve(curve, f"point-on-curve {name!r}", SpaceCurve, "tm.curves.helix(0.1, 0.02)")
    local = carrier.at_global(*p.drawn).local
    u = (
        traced_numbers.found(_Nearest(curve), *local)
        if start is None
        else checked_number(start, f"start of point-on-curve {name!r}")
    )
    extra = ExtraCoordinate(f"{name}.u", u, curve.scale, *curve.range)
    gap = Quantity(
        "point_on_space_curve",
        (p.body, carrier.name),
        p.local,
        (LENGTH,) * 3,
        f"gap of {name}",
        curve=curve,
        extra=extra.name,
    )
    place = Quantity("parameter", (), (), (NUMBER,), f"{name}.u", extra=extra.name)
    return Constraint(
        "point_on_curve", name, {"first": carrier.name, "second": p, "curve": curve, "start": start}, (carrier.name, p.body),
        (Block(gap, (0.0, 0.0, 0.0)),), {"u": place}, extras=(extra,),
        symbols=(Symbol("curve", carrier.name, (0.0, 0.0, 0.0), curve=curve), Symbol("point", p.body, p.local)),
        seats=(Seat(carrier.name, (0.0, 0.0, 0.0)), Seat(p.body, p.local)),
    )  # fmt: skip
