"""Contacts that push but never pull, with friction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from trammel.errors import ModelError
from trammel.model.body import checked_number, checked_vector
from trammel.model.constraint import Symbol, check_positive
from trammel.model.curve import Curve, analytic
from trammel.model.force import Force, ForceUse, check_not_negative, force_type
from trammel.model.joints.translational import line_on_body
from trammel.model.quantity import LENGTH, Quantity

if TYPE_CHECKING:
    from trammel.model.base import Place
    from trammel.model.model import PlanarModel

NormalLaw = Literal["linear", "hertz", "hunt_crossley", "lankarani_nikravesh"]
_LAWS = {"linear": 0.0, "hertz": 1.0, "hunt_crossley": 2.0, "lankarani_nikravesh": 3.0}
IMPACT_SLOT = 4  # place of the speed at first touch among the constants


def contact_constants(
    name: str, law: str, stiffness: float, damping: float | None, exponent: float | None, restitution: float | None,
    friction: float | Sequence[float], stick_speed: float, viscous: float, slip_slope: float,
) -> tuple[float, ...]:  # fmt: skip
    """The constants all contacts share, checked; order as in the kernel."""
    if law not in _LAWS:
        raise ModelError(f"contact {name!r}: law {law!r} is not known; use one of: {', '.join(_LAWS)}.")
    k = check_positive(checked_number(stiffness, f"stiffness of contact {name!r}"), f"stiffness of contact {name!r}")
    given = exponent if exponent is not None else (1.0 if law == "linear" else 1.5)
    power = check_positive(checked_number(given, f"exponent of contact {name!r}"), f"exponent of contact {name!r}")
    if law in ("linear", "hertz") and restitution is not None:
        raise ModelError(
            f"contact {name!r}: restitution= does not belong to the law {law!r}; give damping= or another law."
        )
    if law == "hertz" and damping:
        raise ModelError(f"contact {name!r}: the law {law!r} has no damping; use 'hunt_crossley'.")
    if law == "lankarani_nikravesh" or (law == "hunt_crossley" and damping is None):
        if restitution is None:
            raise ModelError(f"contact {name!r}: the law {law!r} needs restitution= (between 0 and 1).")
        e = checked_number(restitution, f"restitution of contact {name!r}")
        if not 0.0 <= e <= 1.0:
            raise ModelError(f"restitution of contact {name!r} is {e:g}; it must be between 0 and 1.")
        # Hunt–Crossley's factor belongs to an impact at 1 m/s; Lankarani–Nikravesh reads the actual one
        c = e if law == "lankarani_nikravesh" else 1.5 * (1.0 - e)
    else:
        c = check_not_negative(
            checked_number(damping or 0.0, f"damping of contact {name!r}"), f"damping of contact {name!r}"
        )
    mu = tuple(friction) if isinstance(friction, Sequence) else (friction, friction)
    if isinstance(friction, str) or len(mu) != 2:
        raise ModelError(
            f"friction of contact {name!r} must be a number or two (static, dynamic), but it is {friction!r}."
        )
    mu_s, mu_d = (
        check_not_negative(checked_number(m, f"friction of contact {name!r}"), f"friction of contact {name!r}")
        for m in mu
    )
    if mu_d > mu_s:
        raise ModelError(
            f"contact {name!r}: the dynamic coefficient {mu_d:g} is larger than the static one {mu_s:g}; give (static, dynamic)."
        )
    v_stick = check_positive(
        checked_number(stick_speed, f"stick speed of contact {name!r}"), f"stick speed of contact {name!r}"
    )
    lubricant, slope = (
        check_not_negative(checked_number(value, f"{what} of contact {name!r}"), f"{what} of contact {name!r}")
        for value, what in ((viscous, "viscous friction"), (slip_slope, "slip slope"))
    )
    return (_LAWS[law], k, power, c, 1.0, mu_s, mu_d, v_stick, lubricant, slope)


def make_contact(
    kind: str, name: str, given: dict[str, Any], bodies: tuple[str, str], use: ForceUse, measures: dict[str, Quantity],
    symbols: tuple[Symbol, ...], law: str,
) -> Force:  # fmt: skip
    slot = IMPACT_SLOT if law == "lankarani_nikravesh" else None
    return Force(kind, name, given, bodies, (use,), measures, symbols, slot)


@force_type(sample=lambda a, b, c: {"disc": b, "track": a, "radius": 0.8, "at": a.position, "direction": (1.0, 0.2),
    "stiffness": 100.0, "damping": 2.0, "friction": 0.3})  # fmt: skip
def contact_line(
    model: PlanarModel, name: str, disc: Place, track: Place, *, radius: float = 0.0, at: object = None,
    direction: object = None, line: object = None, stiffness: float, law: NormalLaw = "linear",
    damping: float | None = None, exponent: float | None = None,
    restitution: float | None = None, friction: float | Sequence[float] = 0.0, stick_speed: float = 1e-3,
    viscous: float = 0.0, slip_slope: float = 0.0,
) -> Force:  # fmt: skip
    """Disc, wheel or point against a straight line.

    Args:
        disc: Disc centre (a body alone: its origin).
        track: Body that carries the line.
        radius: Disc radius [m]; 0 for a point.
        at, direction: A point of the line and its direction, global, drawn pose; the free side is to the left of the direction.
        line: Instead of `at` and `direction`: two points (P, Q) of the track's body; the free side is to the left from P to Q.
        stiffness: Contact stiffness k [N/m^exponent].
        law: "linear" (k d + c d'), "hertz" (k d^1.5), "hunt_crossley" or "lankarani_nikravesh" (with restitution).
        damping: c of the linear law [N s/m], or the factor of Hunt–Crossley [s/m].
        exponent: Exponent of the penetration; 1 for the linear law, 1.5 otherwise.
        restitution: Coefficient of restitution for the last two laws.
        friction: Coefficient, or (static, dynamic).
        stick_speed: Slip speed below which friction fades [m/s] (regularisation).
        viscous: Viscous friction [N s/m].
        slip_slope: Tyre: friction per slip speed [N s/m], saturated at friction times the normal force.

    Measures: ``gap`` [m].
    """
    c = model.place(disc, None, f"the disc of contact {name!r}", origin=True)
    if line is not None and at is not None:
        raise ModelError(f"contact {name!r}: give either line=(P, Q) with two points, or at= and direction=.")
    model.check_at(at, f"contact {name!r}", track)
    body, (px, py), (ux, uy) = line_on_body(model, name, track, at, direction, line, "contact")
    model.different_bodies(name, c.body, body)
    rho = check_not_negative(checked_number(radius, f"radius of contact {name!r}"), f"radius of contact {name!r}")
    shared = contact_constants(
        name, law, stiffness, damping, exponent, restitution, friction, stick_speed, viscous, slip_slope
    )
    data = (*shared, c.xi, c.eta, rho, px, py, -uy, ux)
    use = ForceUse("contact_disc_line", "contact", bodies=(c.body, body), data=data, label=f"{name}.normal")
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
        "stick_speed": stick_speed, "viscous": viscous, "slip_slope": slip_slope,
    }  # fmt: skip
    symbols: tuple[Symbol, ...] = (Symbol("line", body, (px, py), math.atan2(uy, ux)),)
    if rho > 0.0:
        symbols += (Symbol("disc", c.body, (c.xi, c.eta), radius=rho),)
    return make_contact("contact_line", name, given, (c.body, body), use, {"gap": gap}, symbols, law)


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
    model: PlanarModel, name: str, first: Place, second: Place, *, radii: tuple[float, float], stiffness: float,
    law: NormalLaw = "linear", damping: float | None = None, exponent: float | None = None, restitution: float | None = None,
    friction: float | Sequence[float] = 0.0, stick_speed: float = 1e-3, viscous: float = 0.0, slip_slope: float = 0.0,
) -> Force:  # fmt: skip
    """Two discs; the laws are those of `contact_line`.

    Args:
        first, second: Disc centres (a body alone: its origin).
        radii: Radii [m].

    Measures: ``distance`` of the centres [m].
    """
    p = model.place(first, None, f"the first disc of contact {name!r}", origin=True)
    q = model.place(second, None, f"the second disc of contact {name!r}", origin=True)
    model.different_bodies(name, p.body, q.body)
    r1, r2 = (
        check_positive(r, f"radius of contact {name!r}") for r in checked_vector(radii, f"radii of contact {name!r}")
    )
    shared = contact_constants(
        name, law, stiffness, damping, exponent, restitution, friction, stick_speed, viscous, slip_slope
    )
    use = ForceUse(
        "contact_disc_disc", "contact", bodies=(p.body, q.body), data=(*shared, p.xi, p.eta, r1, q.xi, q.eta, r2),
        label=f"{name}.normal",
    )  # fmt: skip
    distance = Quantity("distance", (p.body, q.body), (p.xi, p.eta, q.xi, q.eta), (LENGTH,), f"{name}.distance")
    given = {
        "first": p, "second": q, "radii": (r1, r2), "stiffness": stiffness, "law": law, "damping": damping, "exponent": exponent,
        "restitution": restitution, "friction": friction, "stick_speed": stick_speed, "viscous": viscous, "slip_slope": slip_slope,
    }  # fmt: skip
    symbols = (Symbol("disc", p.body, (p.xi, p.eta), radius=r1), Symbol("disc", q.body, (q.xi, q.eta), radius=r2))
    return make_contact("contact_discs", name, given, (p.body, q.body), use, {"distance": distance}, symbols, law)


@force_type(
    sample=lambda a, b, c: {"disc": b, "terrain": a, "radius": 0.6, "curve": analytic("u", "0.2*sin(2*u)", -6.0, 6.0),
    "stiffness": 100.0, "damping": 1.0}
)  # fmt: skip
def contact_curve(
    model: PlanarModel, name: str, disc: Place, terrain: Place, *, curve: Curve, radius: float, stiffness: float,
    side: Literal["left", "right"] = "left", law: NormalLaw = "linear", damping: float | None = None,
    exponent: float | None = None, restitution: float | None = None, friction: float | Sequence[float] = 0.0,
    stick_speed: float = 1e-3, viscous: float = 0.0, slip_slope: float = 0.0,
) -> Force:  # fmt: skip
    """Disc against a curved profile (terrain, cam, bowl); it may touch in several places at once.

    The laws are those of `contact_line`.

    Args:
        disc: Disc centre (a body alone: its origin).
        terrain: Body that carries the profile.
        curve: Profile in that body's coordinates.
        radius: Disc radius [m].
        side: Free side, seen along the growing parameter.
    """
    c = model.place(disc, None, f"the disc of contact {name!r}", origin=True)
    body = model.body_of(terrain)
    model.different_bodies(name, c.body, body.name)
    rho = check_positive(checked_number(radius, f"radius of contact {name!r}"), f"radius of contact {name!r}")
    if side not in ("left", "right"):
        raise ModelError(f"contact {name!r}: side {side!r} is not known; use 'left' or 'right'.")
    if law == "lankarani_nikravesh":
        raise ModelError(
            f"contact {name!r}: {law!r} needs the speed at first touch, which a curve touched in several places does not "
            "have; use 'hunt_crossley'."
        )
    shared = contact_constants(
        name, law, stiffness, damping, exponent, restitution, friction, stick_speed, viscous, slip_slope
    )
    n = 801
    u = np.linspace(curve.start, curve.end, n)
    points = np.asarray(curve.point(u), dtype=float)
    reach = float(np.hypot(*np.diff(points, axis=0).T).max())
    table = np.column_stack([u, points]).ravel().tolist()
    data = (
        *shared, c.xi, c.eta, rho, 1.0 if side == "left" else -1.0, reach, curve.start, curve.end, float(curve.closed), *table,
    )  # fmt: skip
    use = ForceUse(
        "contact_disc_curve", "contact", bodies=(c.body, body.name), data=data, curve=curve, label=f"{name}.normal"
    )
    given = {
        "disc": c, "terrain": body.name, "curve": curve, "radius": rho, "stiffness": stiffness, "side": side, "law": law,
    "damping": damping,
        "exponent": exponent, "restitution": restitution, "friction": friction, "stick_speed": stick_speed, "viscous": viscous,
        "slip_slope": slip_slope,
    }  # fmt: skip
    symbols = (Symbol("curve", body.name, (0.0, 0.0), curve=curve), Symbol("disc", c.body, (c.xi, c.eta), radius=rho))
    return Force("contact_curve", name, given, (c.body, body.name), (use,), {}, symbols)
