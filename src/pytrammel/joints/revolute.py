"""Pin joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel.joints.constraint import Block, Constraint, Freedom, Seat, Symbol, constraint_type
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, Quantity, linear

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Place, Position
    from pytrammel.model.planar import PlanarModel


@constraint_type(sample=lambda a, b, c: {"first": a.at(0.3, 0.1), "second": b.at(-0.2, 0.4)})
def revolute(model: PlanarModel, name: str, first: Place, second: Place, *, at: Position | None = None) -> Constraint:
    """Pin: a point of one body stays on a point of another (2 rows).

    Args:
        first, second: Bodies (with `at`) or points on bodies.
        at: Pin in global coordinates of the design configuration [m].

    Measures: ``angle`` of the second body relative to the first [rad].
    """
    p, q = model.two_points(name, "revolute joint", first, second, at)
    gap = Quantity("point_difference", (p.body, q.body), (p.xi, p.eta, q.xi, q.eta), (LENGTH, LENGTH), f"gap of {name}")
    angle = linear({q.body: (0, 0, 1.0), p.body: (0, 0, -1.0)}, ANGLE, f"{name}.angle")
    return Constraint(
        "revolute", name, {"first": p, "second": q}, (p.body, q.body), (Block(gap, (0.0, 0.0)),), {"angle": angle},
        symbols=(Symbol("pin", p.body, (p.xi, p.eta), other_body=q.body, other_position=(q.xi, q.eta)),),
        seats=(Seat(p.body, p.local), Seat(q.body, q.local)), freedom=(Freedom("rotation", 1),), span=0.0,
    )  # fmt: skip
