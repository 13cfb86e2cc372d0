"""Sliding joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Block, Constraint, Freedom, Seat, Symbol, constraint_type
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, Quantity, linear

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Angle, Direction, Place, Position
    from pytrammel.model.planar import PlanarModel


def line_on_body(
    model: PlanarModel, name: str, first: Place, at: object, axis: object, line: object, kind: str = "joint"
) -> tuple[str, tuple[float, float], tuple[float, float]]:
    """Body, point and unit direction (body components) of a line given by point and direction or by two points."""
    if line is not None:
        if axis is not None or not isinstance(line, list | tuple) or len(line) != 2:
            raise ModelError(f"{kind} {name!r}: give either line=(P, Q) with two points, or at= and axis=.")
        carrier = model.body_of(first)
        p = model.place(carrier, line[0], f"P of the line of {kind} {name!r}")
        q = model.place(carrier, line[1], f"Q of the line of {kind} {name!r}")
        dx, dy = q.xi - p.xi, q.eta - p.eta
        length = traced_numbers.hypot(dx, dy)
        if length <= 1e-12 * (abs(p.xi) + abs(p.eta)) or length == 0.0:
            raise ModelError(
                f"{kind} {name!r}: P and Q coincide at ({p.xi:g}, {p.eta:g}) on body {p.body!r}, so the line has no "
                "direction; move Q along the slide."
            )
        return p.body, (p.xi, p.eta), (dx / length, dy / length)
    if axis is None:
        raise ModelError(f"{kind} {name!r}: the direction of the line is missing. Use axis=(dx, dy) or line=(P, Q).")
    p = model.place(first, at, f"the line of {kind} {name!r}")
    return p.body, (p.xi, p.eta), model.body_of(p).local_direction(axis, f"axis of {kind} {name!r}")


def _turned(x: float, y: float, angle: float) -> tuple[float, float]:
    c, s = traced_numbers.cos(angle), traced_numbers.sin(angle)
    return c * x - s * y, s * x + c * y


@constraint_type(
    sample=lambda a, b, c: {"first": a, "second": b.at(0.1, -0.3), "line": (a.at(0.2, 0.1), a.at(0.7, 0.5))}
)
def prismatic(
    model: PlanarModel,
    name: str,
    first: Place,
    second: Place,
    *,
    at: Position | None = None,
    axis: Direction | None = None,
    line: Direction | None = None,
    angle: Angle | None = None,
) -> Constraint:
    """Slide: the second body moves along a line fixed in the first and does not turn against it (2 rows).

    Args:
        first: Body that carries the line.
        second: Sliding body, or the point of it that stays on the line.
        at: A point of the line, global, design configuration [m]; also the sliding point if `second` is a body.
        axis: Direction of the line, global, design configuration.
        line: Instead of `at` and `axis`: two points (P, Q) of the first body.
        angle: Angle of the second body relative to the first [rad]; defaults to the initial value.

    Measures: ``distance`` along the line [m], ``angle`` [rad].
    """
    model.check_at(at, f"prismatic {name!r}", *((second,) if line is not None else (first, second)))
    i, (px, py), (ux, uy) = line_on_body(model, name, first, at, axis, line)
    where = at
    if where is None:
        point = model.bodies[i].at(px, py)
        where = (point.x0, point.y0)
    q = model.place(second, where, f"the sliding point of joint {name!r}")
    model.different_bodies(name, i, q.body)
    points = (q.xi, q.eta, px, py)
    lateral = Quantity("along", (q.body, i), (*points, -uy, ux, 0.0), (LENGTH,), f"lateral gap of {name}")
    distance = Quantity("along", (q.body, i), (*points, ux, uy, 0.0), (LENGTH,), f"{name}.distance")
    turn = linear({q.body: (0, 0, 1.0), i: (0, 0, -1.0)}, ANGLE, f"{name}.angle")
    drawn = model.bodies[q.body].angle - model.bodies[i].angle
    angle = drawn if angle is None else checked_number(angle, f"angle of prismatic {name!r}")
    tilt = traced_numbers.atan2(uy, ux)
    carrier = model.bodies[i]
    return Constraint(
        "prismatic", name,
        {"first": carrier.at(px, py), "second": q, "line": (carrier.at(px, py), carrier.at(px + ux, py + uy)), "angle": angle},
        (i, q.body), (Block(lateral, (0.0,)), Block(turn, (angle,))),
        {"distance": distance, "angle": turn},
        symbols=(
            Symbol("guide", i, (px, py), tilt, other_body=q.body, other_position=(q.xi, q.eta)),
            Symbol("slider", q.body, (q.xi, q.eta), tilt - angle),
        ),
        seats=(Seat(i, (px, py), (ux, uy)), Seat(q.body, q.local, _turned(ux, uy, -angle))),
        freedom=(Freedom("translation", 0, (ux, uy)),),
    )  # fmt: skip
