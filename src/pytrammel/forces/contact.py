"""Contacts that push but never pull, with friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import filled
from pytrammel.forces.contact_laws import EXPONENT, IMPACT_SLOT, STIFFNESS, NormalLaw, contact_constants, knows_impact
from pytrammel.forces.force import Force, ForceUse, Gap, Hold, check_not_negative, force_type, friction_pair
from pytrammel.forces.rigid_contact import rigid_contact
from pytrammel.geometry.curves import Curve, analytic, check_curve
from pytrammel.joints.constraint import Block, Symbol, SymbolKind, check_positive
from pytrammel.joints.prismatic import line_on_body
from pytrammel.model.bodies import Point, checked_vector
from pytrammel.model.quantities.quantity import LENGTH, Quantity

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Direction, Length, Place, Position, Scalar, Scalars, Speed
    from pytrammel.model.planar import PlanarModel

# stick speeds: a contact that gives way and slips more slowly may be caught; friction has hardly faded there
SLOW = 2.0
SAMPLES = 801  # of a profile, between which contacts are looked for
PER_GROUP = 24  # of them, around which circles are drawn: those too far off are passed over together
ROUNDING = 1e-12  # by which a circle is wider than it would be in exact arithmetic


def make_contact(
    kind: str, name: str, given: dict[str, Any], bodies: tuple[str, str], use: ForceUse, measures: dict[str, Quantity],
    symbols: tuple[Symbol, ...], slips: Sequence[Quantity] = (), *, gap: Gap,
) -> Force:  # fmt: skip
    """A contact of bodies that give way; `slips` are the quantities that stand still while it sticks."""
    if given["impact"] is not None:
        raise ModelError(
            f"contact {name!r}: impact= belongs to the law 'rigid', not to {given['law']!r}; leave it out."
        )
    holds: tuple[Hold, ...] = ()
    if given["stick"]:
        mu, _ = friction_pair(given["friction"], f"friction of contact {name!r}")
        if not mu > 0.0 or given["slip_slope"]:
            raise ModelError(f"contact {name!r}: stick=True needs friction= and no slip_slope=.")
        if not slips:
            raise ModelError(f"contact {name!r}: {kind} cannot stick; use a line or a plane, or leave stick= out.")
        blocks = tuple(Block(slip, (0.0,) * len(slip.units)) for slip in slips)
        holds = (
            Hold(f"{name}.stick", bodies, blocks, reported=(), limit=0, share=mu, slow=SLOW * given["stick_speed"]),
        )
    slot = IMPACT_SLOT if knows_impact(given["law"], given["damping"]) else None
    gap = replace(gap, stiffness=use.data[STIFFNESS], exponent=use.data[EXPONENT])
    return Force(kind, name, given, bodies, (use,), measures, symbols, slot, holds, gap=gap)


@force_type(sample=lambda a, b, c: {"disc": b, "track": a, "radius": 0.8, "at": a.position, "axis": (1.0, 0.2),
    "stiffness": 100.0, "damping": 2.0, "friction": 0.3})  # fmt: skip
def contact_line(
    model: PlanarModel, name: str, disc: Place, track: Place, *, radius: Length = 0.0, at: Position | None = None,
    axis: Direction | None = None, line: Direction | None = None, stiffness: Scalar | None = None, law: NormalLaw = "linear",
    damping: Scalar | None = None, exponent: Scalar | None = None,
    restitution: Scalar | None = None, friction: Scalar | Scalars = 0.0, stick_speed: Speed = 1e-3,
    viscous: Scalar = 0.0, slip_slope: Scalar = 0.0,
    impact: Literal["newton", "poisson"] | None = None, stick: bool = False,
) -> Force:  # fmt: skip
    """Disc, wheel or point against a straight line.

    Args:
        disc: Disc centre (a body alone: its origin).
        track: Body that carries the line.
        radius: Disc radius [m]; 0 for a point.
        at, axis: A point of the line and its direction, global, design configuration; the free side is to the left of the direction.
        line: Instead of `at` and `axis`: two points (P, Q) of the track's body; the free side is to the left from P to Q.
        stiffness: Contact stiffness k [N/m^exponent].
        law: "linear" (k d + c d'), "hertz" (k d^1.5), "hunt_crossley" (k d^1.5 (1 + c d')) or "lankarani_nikravesh"
            (k d^1.5 (1 + D d'/d'0), d'0 the speed at first touch); "classic_hunt_crossley" and "classic_lankarani_nikravesh" have the
            published D, 3/2 (1 - e) and 3/4 (1 - e²), and rebound faster than e.
            "rigid": no force in flight; where the gap closes, an impulse.
        damping: c of the linear law, or the factor c of Hunt–Crossley [N s/m or s/m].
        exponent: Exponent of the penetration; 1 for the linear law, 1.5 otherwise.
        restitution: Coefficient of restitution e, for Hunt–Crossley instead of `damping`: D is solved for so that the speed after
            the impact is e times that before, at every speed; 0.001 to 1, with the law "rigid" 0 to 1.
        friction: Coefficient, or (static, dynamic).
        stick_speed: Slip speed below which friction fades [m/s] (regularisation); with "rigid" or `stick`, over which it falls from
            static to dynamic.
        viscous: Viscous friction [N s/m].
        slip_slope: Tyre: friction per slip speed [N s/m], saturated at friction times the normal force.
        impact: With "rigid": "newton" (speeds before and after in the ratio e; the default) or "poisson" (impulses of restitution and
            compression in the ratio e).
        stick: Friction truly sticks, without creeping, up to its static limit; it always does with "rigid".

    Measures: ``gap`` [m].
    """
    c = model.place(disc, None, f"the disc of contact {name!r}", origin=True)
    if line is not None and at is not None:
        raise ModelError(f"contact {name!r}: give either line=(P, Q) with two points, or at= and axis=.")
    model.check_at(at, f"contact {name!r}", track)
    body, (px, py), (ux, uy) = line_on_body(model, name, track, at, axis, line, "contact")
    model.different_bodies(name, c.body, body, "contact")
    rho = check_not_negative(checked_number(radius, f"radius of contact {name!r}"), f"radius of contact {name!r}")
    gap = Quantity(
        "along",
        (c.body, body),
        (c.xi, c.eta, px - rho * uy, py + rho * ux, -uy, ux, 0.0),
        (LENGTH,),
        f"{name}.gap",
    )
    given = {
        "disc": c, "track": body, "radius": rho, "stiffness": stiffness, "law": law,
        "line": (model.bodies[body].at(px, py), model.bodies[body].at(px + ux, py + uy)),
        "damping": damping, "exponent": exponent, "restitution": restitution, "friction": friction,
        "stick_speed": stick_speed, "viscous": viscous, "slip_slope": slip_slope, "impact": impact, "stick": stick,
    }  # fmt: skip
    face = Symbol("track", body, (px, py), traced_numbers.atan2(uy, ux), rho, other_body=c.body, other_position=c.local)
    symbols: tuple[Symbol, ...] = (face,)
    if rho > 0.0:
        symbols += (
            Symbol(
                "tyre" if checked_number(slip_slope, f"slip_slope of contact {name!r}") else "disc",
                c.body,
                c.local,
                radius=rho,
            ),
        )
    slip = Quantity("along", (c.body, body), (c.xi, c.eta, px, py, ux, uy, rho), (LENGTH,), f"{name}.slip")
    apart = Gap(gap, 0.0, None, None, (rho,))
    if law == "rigid":
        return rigid_contact("contact_line", name, given, (c.body, body), {"gap": gap}, apart, [slip], symbols)
    shared = contact_constants(
        name, law, stiffness, damping, exponent, restitution, friction, stick_speed, viscous, slip_slope
    )
    data = (*shared, c.xi, c.eta, rho, px, py, -uy, ux)
    use = ForceUse("contact_disc_line", "contact", bodies=(c.body, body), data=data, label=f"{name}.normal")
    return make_contact("contact_line", name, given, (c.body, body), use, {"gap": gap}, symbols, [slip], gap=apart)


@force_type(
    sample=lambda a, b, c: {
        "first": a,
        "second": b,
        "radii": (1.5, 1.2),
        "stiffness": 100.0,
        "law": "hertz",
        "friction": 0.2,
    }
)
def contact_discs(
    model: PlanarModel, name: str, first: Place, second: Place, *, radii: Scalars, stiffness: Scalar | None = None,
    law: NormalLaw = "linear", damping: Scalar | None = None, exponent: Scalar | None = None, restitution: Scalar | None = None,
    friction: Scalar | Scalars = 0.0, stick_speed: Speed = 1e-3, viscous: Scalar = 0.0, slip_slope: Scalar = 0.0,
    impact: Literal["newton", "poisson"] | None = None, stick: bool = False,
) -> Force:  # fmt: skip
    """Two discs; the laws are those of `contact_line`.

    Args:
        first, second: Disc centres (a body alone: its origin).
        radii: Radii [m].
        stiffness, damping, exponent, restitution, friction, stick_speed, viscous, slip_slope: As for `contact_line`.

    Measures: ``distance`` of the centres [m].
    """
    p = model.place(first, None, f"the first disc of contact {name!r}", origin=True)
    q = model.place(second, None, f"the second disc of contact {name!r}", origin=True)
    model.different_bodies(name, p.body, q.body, "contact")
    r1, r2 = (
        check_positive(r, f"radii of contact {name!r}") for r in checked_vector(radii, f"radii of contact {name!r}")
    )
    distance = Quantity("distance", (p.body, q.body), (p.xi, p.eta, q.xi, q.eta), (LENGTH,), f"{name}.distance")
    given = {
        "first": p, "second": q, "radii": (r1, r2), "stiffness": stiffness, "law": law, "damping": damping, "exponent": exponent,
        "restitution": restitution, "friction": friction, "stick_speed": stick_speed, "viscous": viscous, "slip_slope": slip_slope,
        "impact": impact, "stick": stick,
    }  # fmt: skip
    symbols = (Symbol("disc", p.body, p.local, radius=r1), Symbol("disc", q.body, q.local, radius=r2))
    apart = Gap(distance, r1 + r2, None, None, (r1, r2))
    if law == "rigid":
        slip = _slip_of_discs(model, name, p, q, r1, r2)
        return rigid_contact(
            "contact_discs", name, given, (p.body, q.body), {"distance": distance}, apart, [slip], symbols
        )
    shared = contact_constants(
        name, law, stiffness, damping, exponent, restitution, friction, stick_speed, viscous, slip_slope
    )
    use = ForceUse(
        "contact_disc_disc", "contact", bodies=(p.body, q.body), data=(*shared, p.xi, p.eta, r1, q.xi, q.eta, r2),
        label=f"{name}.normal",
    )  # fmt: skip
    return make_contact("contact_discs", name, given, (p.body, q.body), use, {"distance": distance}, symbols, gap=apart)


def _slip_of_discs(model: PlanarModel, name: str, p: Point, q: Point, r1: float, r2: float) -> Quantity:
    """Slip of two discs in touch: (r1 + r2) times the turning of the line of centres, less what their own turning makes up for."""
    formula, sizes = "both*atan2(py - qy, px - qx)", {"both": r1 + r2}
    inputs = {"px": p.x, "py": p.y, "qx": q.x, "qy": q.y}
    for key, end, r in (("pa", p, r1), ("qa", q, r2)):
        if end.body != model.ground.name:
            formula += f" - {key}_radius*{key}"
            sizes[f"{key}_radius"] = r
            inputs[key] = model.bodies[end.body].phi
    return Quantity(
        "expression", (p.body, q.body), (1.0,), (LENGTH,), f"{name}.slip", formula=filled(formula, **sizes), inputs=inputs,
        rate_only=True,
    )  # fmt: skip


def _outline(u: NDArray[np.float64], points: NDArray[np.float64]) -> tuple[float, ...]:
    """Samples of a curve as kernels look through them: how many, how many per group, (u, x, y) of each, and circles (x, y, radius)
    around the groups."""
    circles = []
    for first in range(0, len(u), PER_GROUP):
        group = points[first : first + PER_GROUP]
        middle = 0.5 * (group.min(axis=0) + group.max(axis=0))
        radius = float(np.hypot(*(group - middle).T).max())
        circles.append((*middle, radius + ROUNDING * (radius + float(np.abs(group).max()))))
    return (
        float(len(u)),
        float(PER_GROUP),
        *np.column_stack([u, points]).ravel().tolist(),
        *np.ravel(circles).tolist(),
    )


@force_type(
    sample=lambda a, b, c: {"disc": b, "terrain": a, "radius": 0.6, "curve": analytic("u", "0.2*sin(2*u)", -6.0, 6.0),
    "stiffness": 100.0, "damping": 1.0}
)  # fmt: skip
def contact_curve(
    model: PlanarModel, name: str, disc: Place, terrain: Place, *, curve: Curve, radius: Length, stiffness: Scalar | None = None,
    side: Literal["left", "right"] = "left", law: NormalLaw = "linear", damping: Scalar | None = None,
    exponent: Scalar | None = None, restitution: Scalar | None = None, friction: Scalar | Scalars = 0.0,
    stick_speed: Speed = 1e-3, viscous: Scalar = 0.0, slip_slope: Scalar = 0.0,
    impact: Literal["newton", "poisson"] | None = None, stick: bool = False,
) -> Force:  # fmt: skip
    """Disc against a curved profile (terrain, cam, bowl); it may touch in several places at once.

    The laws are those of `contact_line`.

    Args:
        disc: Disc centre (a body alone: its origin).
        terrain: Body that carries the profile.
        curve: Profile in that body's coordinates.
        radius: Disc radius [m].
        side: Free side, seen along the growing parameter.
        stiffness, damping, exponent, restitution, friction, stick_speed, viscous, slip_slope: As for `contact_line`.

    Where it touches a second place while the first still touches, laws with restitution keep the speed at which the first was met.

    Measures: ``gap`` to the nearest point of the profile [m].
    """
    c = model.place(disc, None, f"the disc of contact {name!r}", origin=True)
    body = model.body_of(terrain)
    model.different_bodies(name, c.body, body.name, "contact")
    rho = check_positive(checked_number(radius, f"radius of contact {name!r}"), f"radius of contact {name!r}")
    if side not in ("left", "right"):
        raise ModelError(f"contact {name!r}: side {side!r} is not known; use 'left' or 'right'.")
    check_curve(curve, f"contact {name!r}")
    u = np.linspace(curve.start, curve.end, SAMPLES)
    points = np.asarray(curve.point(u), dtype=float)
    reach = float(np.hypot(*np.diff(points, axis=0).T).max())
    outline = _outline(u, points)
    hand = 1.0 if side == "left" else -1.0
    gap = Quantity(
        "disc_curve_gap", (c.body, body.name), (c.xi, c.eta, rho, hand, curve.start, curve.end, float(curve.closed), *outline),
        (LENGTH,), f"{name}.gap", curve=curve,
    )  # fmt: skip
    given = {
        "disc": c, "terrain": body.name, "curve": curve, "radius": rho, "stiffness": stiffness, "side": side, "law": law,
    "damping": damping,
        "exponent": exponent, "restitution": restitution, "friction": friction, "stick_speed": stick_speed, "viscous": viscous,
        "slip_slope": slip_slope, "impact": impact, "stick": stick,
    }  # fmt: skip
    rolling: SymbolKind = "tyre" if checked_number(slip_slope, f"slip_slope of contact {name!r}") else "disc"
    symbols = (Symbol("cam", body.name, (0.0, 0.0), curve=curve), Symbol(rolling, c.body, c.local, radius=rho))
    apart = Gap(gap, 0.0, None, None, (rho,))
    if law == "rigid":
        return rigid_contact("contact_curve", name, given, (c.body, body.name), {"gap": gap}, apart, [], symbols)
    shared = contact_constants(
        name, law, stiffness, damping, exponent, restitution, friction, stick_speed, viscous, slip_slope
    )
    data = (*shared, c.xi, c.eta, rho, hand, reach, curve.start, curve.end, float(curve.closed), *outline)
    use = ForceUse(
        "contact_disc_curve", "contact", bodies=(c.body, body.name), data=data, curve=curve, label=f"{name}.normal"
    )
    return make_contact("contact_curve", name, given, (c.body, body.name), use, {"gap": gap}, symbols, gap=apart)
