"""Spur gears, on fixed centres or on a moving carrier, external or internal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number, checked_numbers
from pytrammel._util.messages import unlike
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import as_expression
from pytrammel.joints.constraint import (
    PRESSURE,
    Block,
    Constraint,
    Seat,
    Symbol,
    SymbolKind,
    check_positive,
    constraint_type,
    pressure_tangent,
)
from pytrammel.model.bodies import GROUND, Body, Point
from pytrammel.model.quantities.quantity import LENGTH, Quantity

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Angle, Place, Scalars
    from pytrammel.model.planar import PlanarModel


def _touching(a: Body, b: Body) -> tuple[float, float]:
    """Pitch radii that touch for gears on the origins of two bodies."""
    gap = traced_numbers.hypot(a.position[0] - b.position[0], a.position[1] - b.position[1])
    return 0.4 * gap, 0.6 * gap


def _moved(carrier: Body, centre: Point, direction: tuple[float, float], arm: float) -> Quantity:
    """Displacement of a gear relative to the carrier along a direction of it, at an arm from its centre across that direction [m]."""
    home = carrier.at_global(centre.x0, centre.y0)
    data = (*centre.local, *home.local, *direction, arm)
    return Quantity("along", (centre.body, carrier.name), data, (LENGTH,), f"way of {centre.body}")


def _against(name: str, label: str, moved: Sequence[Quantity]) -> Quantity:
    first, second = moved
    bodies = tuple(dict.fromkeys((first.bodies[0], second.bodies[0], first.bodies[1])))
    return Quantity(
        "expression", bodies, (1.0,), (LENGTH,), f"{label} of {name}", formula=as_expression("a - b", name),
        inputs={"a": first, "b": second},
    )  # fmt: skip


CENTRE_TOLERANCE = 1e-3  # drawn centre distance against the sum of pitch radii


@constraint_type(sample=lambda a, b, c: {"first": a, "second": b, "radii": _touching(a, b), "carrier": c})
def gear(
    model: PlanarModel,
    name: str,
    first: Place,
    second: Place,
    *,
    radii: Scalars,
    carrier: Place | None = None,
    internal: bool = False,
    pressure_angle: Angle = PRESSURE,
) -> Constraint:
    """Meshing spur gears (1 row); pins to the ground or to the carrier must hold the centres.

    Args:
        first, second: Gear bodies, or the points of them that are the gear centres. With ``internal=True`` the second
            is the ring gear.
        radii: Pitch radii of first and second [m].
        carrier: Body that carries both centres (planetary trains); the ground by default.
        internal: The first gear runs inside the second.
        pressure_angle: Angle between the tooth force at the pitch point and the common tangent [rad]; 20° by default, 0 allowed.
    """
    p = model.place(first, None, f"the centre of the first gear of {name!r}", origin=True)
    q = model.place(second, None, f"the centre of the second gear of {name!r}", origin=True)
    model.different_bodies(name, p.body, q.body)
    k = model.body_of(carrier).name if carrier is not None else GROUND
    r1, r2 = checked_numbers(radii, f"radii of gear {name!r}", ("first", "second"))
    check_positive(r1, f"first of radii of gear {name!r}")
    check_positive(r2, f"second of radii of gear {name!r}")
    expected = abs(r2 - r1) if internal else r1 + r2
    drawn = traced_numbers.hypot(p.x0 - q.x0, p.y0 - q.y0)
    if abs(drawn - expected) > CENTRE_TOLERANCE * (r1 + r2):
        how = f"|{r2:g} - {r1:g}|" if internal else f"{r1:g} + {r2:g}"
        texts = unlike(drawn, expected, digits=6)
        raise ModelError(
            f"gear {name!r}: the centres are drawn {texts[0]} m apart, but the pitch circles touch at {how} = {texts[1]} m. "
            "Move a centre, change a radius, or set internal=True for a ring gear."
        )
    if drawn <= CENTRE_TOLERANCE * (r1 + r2):
        raise ModelError(
            f"gear {name!r}: the centres coincide, so that the gears do not mesh at a point; use a weld instead."
        )
    # along n and e at the pitch point, both fixed in the carrier: no slip, and teeth that push each other off
    holder = model.bodies[k]
    e = holder.local_direction((q.x0 - p.x0, q.y0 - p.y0), f"centres of gear {name!r}")
    n = (-e[1], e[0])
    # the ratio is that of the radii given, however roughly the centres are drawn
    arms = (r1, -r2) if not internal else (r1, r2) if r1 > r2 else (-r1, -r2)
    sides = tuple(zip((p, q), arms, strict=True))
    roll = _against(name, "roll", [_moved(holder, centre, n, arm) for centre, arm in sides])
    off = _against(
        name, "separation", [_moved(holder, centre, e, 0.0) for centre, _ in sides][:: 1 if internal else -1]
    )
    alpha = checked_number(pressure_angle, f"pressure angle of gear {name!r}")
    start = sum(s * model.drawn_value(inner) for s, inner in zip((1.0, -1.0), roll.inputs.values(), strict=True))
    outer: SymbolKind = "ring" if internal else "gear"
    return Constraint(
        "gear", name, {"first": p, "second": q, "radii": (r1, r2), "carrier": carrier if k == GROUND else k, "internal": internal,
         "pressure_angle": alpha},
        roll.bodies, (Block(roll, (start,)),),
        symbols=(Symbol("gear", p.body, p.local, radius=r1), Symbol(outer, q.body, q.local, radius=r2)),
        seats=(Seat(p.body, p.local, radius=r1), Seat(q.body, q.local, radius=r2)),
        held=tuple(_moved(holder, centre, way, 0.0) for centre in (p, q) for way in (e, n)),
        separation=(off, pressure_tangent(alpha, f"gear {name!r}")),
    )  # fmt: skip
