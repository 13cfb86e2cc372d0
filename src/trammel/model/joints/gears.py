"""Spur gears, on fixed centres or on a moving carrier, external or internal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trammel.errors import ModelError
from trammel.model.body import GROUND, Body, checked_number
from trammel.model.constraint import Block, Constraint, Seat, Symbol, SymbolKind, check_positive, constraint_type
from trammel.model.quantity import LENGTH, linear

if TYPE_CHECKING:
    from trammel.model.base import Place
    from trammel.model.model import PlanarModel


def _touching(a: Body, b: Body) -> tuple[float, float]:
    """Pitch radii that touch for gears on the origins of two bodies."""
    gap = math.hypot(a.position[0] - b.position[0], a.position[1] - b.position[1])
    return 0.4 * gap, 0.6 * gap


CENTRE_TOLERANCE = 1e-3  # drawn centre distance against the sum of pitch radii


@constraint_type(sample=lambda a, b, c: {"first": a, "second": b, "radii": _touching(a, b), "carrier": c})
def gear(
    model: PlanarModel,
    name: str,
    first: Place,
    second: Place,
    *,
    radii: tuple[float, float],
    carrier: Place | None = None,
    internal: bool = False,
) -> Constraint:
    """Meshing spur gears (1 row); pins to the ground or to the carrier must hold the centres.

    Args:
        first, second: Gear bodies, or the points of them that are the gear centres. With ``internal=True`` the second
            is the ring gear.
        radii: Pitch radii of first and second [m].
        carrier: Body that carries both centres (planetary trains); the ground by default.
        internal: The first gear runs inside the second.
    """
    p = model.place(first, None, f"the centre of the first gear of {name!r}", origin=True)
    q = model.place(second, None, f"the centre of the second gear of {name!r}", origin=True)
    model.different_bodies(name, p.body, q.body)
    k = model.body_of(carrier).name if carrier is not None else GROUND
    r1 = check_positive(checked_number(radii[0], f"first radius of gear {name!r}"), f"first radius of gear {name!r}")
    r2 = check_positive(checked_number(radii[1], f"second radius of gear {name!r}"), f"second radius of gear {name!r}")
    expected = abs(r2 - r1) if internal else r1 + r2
    drawn = math.hypot(p.x0 - q.x0, p.y0 - q.y0)
    if abs(drawn - expected) > CENTRE_TOLERANCE * (r1 + r2):
        how = f"|{r2:g} - {r1:g}|" if internal else f"{r1:g} + {r2:g}"
        raise ModelError(
            f"gear {name!r}: the centres are drawn {drawn:g} m apart, but the pitch circles touch at {how} = {expected:g} m. "
            "Move a centre, change a radius, or set internal=True for a ring gear."
        )
    s2 = -r2 if internal else r2
    weights = {p.body: (0.0, 0.0, r1), q.body: (0.0, 0.0, s2)}
    if k != GROUND:
        weights[k] = (0.0, 0.0, -(r1 + s2))
    roll = linear(weights, LENGTH, f"roll of {name}")
    outer: SymbolKind = "ring" if internal else "gear"
    return Constraint(
        "gear", name, {"first": p, "second": q, "radii": (r1, r2), "carrier": carrier if k == GROUND else k, "internal": internal},
        tuple(weights), (Block(roll, (model.drawn_value(roll),)),),
        symbols=(Symbol("gear", p.body, (p.xi, p.eta), radius=r1), Symbol(outer, q.body, (q.xi, q.eta), radius=r2)),
        seats=(Seat(p.body, p.local, radius=r1), Seat(q.body, q.local, radius=r2)),
    )  # fmt: skip
