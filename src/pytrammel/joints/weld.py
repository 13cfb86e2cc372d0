"""Rigid connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.checks import checked_number
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Block, Constraint, Seat, Symbol, constraint_type
from pytrammel.model.bodies import GROUND
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, Quantity, linear

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Angle, Place, Position
    from pytrammel.model.planar import PlanarModel


@constraint_type(sample=lambda a, b, c: {"first": a.at(0.3, 0.1), "second": b.at(-0.2, 0.4)})
def weld(
    model: PlanarModel,
    name: str,
    first: Place,
    second: Place,
    *,
    at: Position | None = None,
    angle: Angle | None = None,
) -> Constraint:
    """Rigid joint: points stay together and the bodies do not turn against each other (3 rows).

    Args:
        first, second: Bodies (with `at`) or points on bodies.
        at: Where, in global coordinates of the design configuration [m]; by default the second body's origin.
        angle: Angle of the second body relative to the first [rad]; defaults to the initial value.

    Measures: ``angle`` of the second body relative to the first [rad].
    """
    if at is None and model.is_body(second):
        at = model.body_of(second).position
    p, q = model.two_points(name, "weld", first, second, at)
    gap = Quantity("point_difference", (p.body, q.body), (p.xi, p.eta, q.xi, q.eta), (LENGTH, LENGTH), f"gap of {name}")
    turn = linear({q.body: (0, 0, 1.0), p.body: (0, 0, -1.0)}, ANGLE, f"{name}.angle")
    drawn = model.bodies[q.body].angle - model.bodies[p.body].angle
    angle = drawn if angle is None else checked_number(angle, f"angle of weld {name!r}")
    return Constraint(
        "weld", name, {"first": p, "second": q, "angle": angle}, (p.body, q.body),
        (Block(gap, (0.0, 0.0)), Block(turn, (angle,))), {"angle": turn},
        symbols=(Symbol("weld", q.body, q.local, other_body=p.body, other_position=p.local),),
        seats=(Seat(p.body, p.local), Seat(q.body, q.local)), freedom=(), span=0.0,
    )  # fmt: skip


@constraint_type(sample=lambda a, b, c: {"body": a})
def fix(model: PlanarModel, name: str, body: Place) -> Constraint:
    """Hold a body where it is drawn (3 rows: x, y, phi)."""
    held = model.body_of(body)
    if held.name == GROUND:
        raise ModelError(f"constraint {name!r} fixes the ground, which is fixed already; remove it.")
    blocks = tuple(
        Block(quantity, (value,))
        for quantity, value in ((held.x, held.position[0]), (held.y, held.position[1]), (held.phi, held.angle))
    )
    return Constraint(
        "fix", name, {"body": held.name}, (GROUND, held.name), blocks, symbols=(Symbol("weld", held.name, (0.0, 0.0)),),
        seats=(Seat(GROUND, held.position), Seat(held.name, (0.0, 0.0))), freedom=(), span=0.0,
    )  # fmt: skip
