"""Contacts of rigid bodies: no force in flight, blows with restitution and friction, rest and rolling once the bouncing has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import unlike
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression, filled
from pytrammel.forces.force import Force, ForceUse, Gap, Hold, Impact, Input, friction_pair
from pytrammel.forces.friction import LEAST_SHARE, SLOW_SHARE
from pytrammel.joints.constraint import Block, Symbol, check_positive
from pytrammel.model.quantities.quantity import Quantity

COMPLIANT_ONLY = ("stiffness", "damping", "exponent", "viscous", "slip_slope")


def rigid_contact(
    kind: str, name: str, given: dict[str, Any], bodies: tuple[str, str], measures: Mapping[str, Quantity], gap: Gap,
    slips: Sequence[Quantity], symbols: tuple[Symbol, ...], *, stick: Sequence[Block] | None = None,
) -> Force:  # fmt: skip
    """A contact with the law "rigid".

    Args:
        given: All arguments of the contact, checked here where they concern the law.
        gap: Distance of the surfaces, which a row keeps closed.
        slips: Quantities whose rates are the slip, one in the plane, two in space; () where friction is not offered.
        stick: Rows that keep it from slipping; by default those of the slips.
    """
    for key in COMPLIANT_ONLY:
        if given.get(key):
            raise ModelError(f"contact {name!r}: {key}= does not belong to the law 'rigid'; leave it out.")
    if given["restitution"] is None:
        raise ModelError(f"contact {name!r}: the law 'rigid' needs restitution= (between 0 and 1).")
    e = checked_number(given["restitution"], f"restitution of contact {name!r}")
    if not 0.0 <= e <= 1.0:
        raise ModelError(f"restitution of contact {name!r} is {unlike(e, 0.0, 1.0)[0]}; it must be between 0 and 1.")
    rule = given["impact"] or "newton"
    if rule not in ("newton", "poisson"):
        raise ModelError(f"contact {name!r}: impact {rule!r} is not known; use 'newton' or 'poisson'.")
    mu_s, mu_d = friction_pair(given["friction"], f"friction of contact {name!r}")
    speed = check_positive(
        checked_number(given["stick_speed"], f"stick_speed of contact {name!r}"), f"stick_speed of contact {name!r}"
    )
    if mu_s > 0.0 and not slips:
        raise ModelError(
            f"contact {name!r}: {kind} with the law 'rigid' has no friction; leave friction= out, or use another law."
        )
    rest = Hold(f"{name}.rest", bodies, (Block(gap.quantity, (gap.closed,)),), reported=())
    load = {"N": Input("reaction", joint=rest.name)}
    normal = ForceUse("gauge", "contact", gap.quantity, as_expression("N", name), inputs=load, label=f"{name}.normal")
    if mu_s == 0.0:
        impact = Impact(rest.name, "", e, 0.0, rule == "poisson")
        return Force(kind, name, given, bodies, (normal,), measures, symbols, holds=(rest,), impact=impact, gap=gap)
    least = LEAST_SHARE * speed
    grip = [
        ForceUse("law_force", "damping", slip, _sliding(k, len(slips), mu_s, mu_d, speed, least), inputs={**load, **_rates(slips)},
            label=f"{name}.friction" + ("" if len(slips) == 1 else f"_{'xy'[k]}"))
        for k, slip in enumerate(slips)
    ]  # fmt: skip
    limit = ForceUse("gauge", "damping", gap.quantity, filled("mu*N", mu=mu_s), inputs=load, label=f"{name}.limit")
    held = Hold(
        f"{name}.stick", bodies, tuple(stick or (Block(slip, (0.0,)) for slip in slips)), reported=tuple(range(1, 1 + len(slips))),
        limit=1 + len(slips), slow=SLOW_SHARE * speed, needs=rest.name,
    )  # fmt: skip
    impact = Impact(rest.name, held.name, e, mu_d, rule == "poisson")
    uses = (normal, *grip, limit)
    return Force(kind, name, given, bodies, uses, measures, symbols, holds=(rest, held), impact=impact, gap=gap)


def _rates(slips: Sequence[Quantity]) -> dict[str, Input]:
    return {"vw"[k]: Input("rate", slip) for k, slip in enumerate(slips)}


def _sliding(k: int, count: int, mu_s: float, mu_d: float, speed: float, least: float) -> Expression:
    """Friction along one direction while it slides: Coulomb's, faded below the least speed."""
    size = "abs(v)" if count == 1 else "sqrt(v^2 + w^2)"
    way = "tanh(v/least)" if count == 1 else f"{'vw'[k]}/sqrt(v^2 + w^2 + least^2*exp(-(v^2 + w^2)/(2*least)^2))"
    text = f"-(mu + more*exp(-({size}/speed)^2))*N*{way}"
    return filled(text, mu=mu_d, more=mu_s - mu_d, speed=speed, least=least)
