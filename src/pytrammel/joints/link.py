"""Massless link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Block, Constraint, Freedom, Seat, Symbol, constraint_type
from pytrammel.model.quantities.quantity import LENGTH, Quantity

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Length, Place
    from pytrammel.model.planar import PlanarModel


@constraint_type(sample=lambda a, b, c: {"first": a.at(0.3, 0.1), "second": b.at(-0.2, 0.4), "length": 0.8})
def link(model: PlanarModel, name: str, first: Place, second: Place, *, length: Length | None = None) -> Constraint:
    """Revolute–revolute link: two points keep their distance (1 row), as if joined by a massless rod with pins.

    Args:
        first, second: Points on two bodies.
        length: Distance [m]; defaults to the initial value.

    Measures: ``length`` [m].
    """
    p = model.place(first, None, f"the first end of link {name!r}")
    q = model.place(second, None, f"the second end of link {name!r}")
    model.different_bodies(name, p.body, q.body)
    drawn = traced_numbers.hypot(p.x0 - q.x0, p.y0 - q.y0)
    length = drawn if length is None else checked_number(length, f"length of link {name!r}")
    if not length > 0.0:
        raise ModelError(
            f"length of link {name!r} is {length:g} m; it must be greater than 0. Use a revolute joint instead."
        )
    quantity = Quantity("distance", (p.body, q.body), (p.xi, p.eta, q.xi, q.eta), (LENGTH,), f"{name}.length")
    return Constraint(
        "link", name, {"first": p, "second": q, "length": length}, (p.body, q.body), (Block(quantity, (length,)),),
        {"length": quantity},
        symbols=(Symbol("rod", p.body, (p.xi, p.eta), other_body=q.body, other_position=(q.xi, q.eta)),),
        seats=(Seat(p.body, p.local), Seat(q.body, q.local)),
        freedom=(Freedom("rotation", 0), Freedom("rotation", 1)), span=length,
    )  # fmt: skip
