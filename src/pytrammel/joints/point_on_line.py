"""Pin on a straight line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel.joints.constraint import Block, Constraint, Freedom, Seat, Symbol, constraint_type
from pytrammel.joints.prismatic import line_on_body
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, Quantity, linear

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Direction, Place, Position
    from pytrammel.model.planar import PlanarModel


@constraint_type(
    sample=lambda a, b, c: {"first": a, "second": b.at(0.1, -0.3), "line": (a.at(0.2, 0.1), a.at(0.7, 0.5))}
)
def point_on_line(
    model: PlanarModel,
    name: str,
    first: Place,
    second: Place,
    *,
    at: Position | None = None,
    axis: Direction | None = None,
    line: Direction | None = None,
) -> Constraint:
    """Revolute–translational joint: a point of the second body stays on a line of the first, free to turn (1 row).

    Args:
        first: Body that carries the line.
        second: Body (pinned at `at`) or point of it.
        at: The pin, global, design configuration [m]; the line passes through it unless `line` is given.
        axis: Direction of the line, global, design configuration.
        line: Two points (P, Q) of the first body, instead of `axis`.

    Measures: ``distance`` along the line [m], ``angle`` of the second body relative to the first [rad].
    """
    model.check_at(at, f"point_on_line {name!r}", *((second,) if line is not None else (first, second)))
    i, (px, py), (ux, uy) = line_on_body(model, name, first, at, axis, line)
    if at is None:
        start = model.bodies[i].at(px, py)
        at = (start.x0, start.y0)
    q = model.place(second, at, f"the pin of joint {name!r}")
    model.different_bodies(name, i, q.body)
    points = (q.xi, q.eta, px, py)
    lateral = Quantity("along", (q.body, i), (*points, -uy, ux, 0.0), (LENGTH,), f"lateral gap of {name}")
    distance = Quantity("along", (q.body, i), (*points, ux, uy, 0.0), (LENGTH,), f"{name}.distance")
    turn = linear({q.body: (0, 0, 1.0), i: (0, 0, -1.0)}, ANGLE, f"{name}.angle")
    carrier = model.bodies[i]
    return Constraint(
        "point_on_line", name,
        {"first": carrier.at(px, py), "second": q, "line": (carrier.at(px, py), carrier.at(px + ux, py + uy))},
        (i, q.body), (Block(lateral, (0.0,)),), {"distance": distance, "angle": turn},
        symbols=(
            Symbol("slot-line", i, (px, py), traced_numbers.atan2(uy, ux), other_body=q.body, other_position=(q.xi, q.eta)),
            Symbol("point-on-line", q.body, (q.xi, q.eta)),
        ),
        seats=(Seat(i, (px, py), (ux, uy)), Seat(q.body, q.local)),
        freedom=(Freedom("translation", 0, (ux, uy)), Freedom("rotation", 1)),
    )  # fmt: skip
