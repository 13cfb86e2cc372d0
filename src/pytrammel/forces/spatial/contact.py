"""Contacts of spheres that push but never pull, with friction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pytrammel._util.checks import checked_number, checked_numbers
from pytrammel.expressions.expression import filled
from pytrammel.forces.contact import make_contact
from pytrammel.forces.contact_laws import NormalLaw, contact_constants
from pytrammel.forces.force import Force, ForceUse, Gap, check_not_negative
from pytrammel.forces.rigid_contact import rigid_contact
from pytrammel.joints.constraint import Block, Symbol, check_positive
from pytrammel.joints.spatial.frames import X, Y, Z, marker_on_axis
from pytrammel.model.quantities.quantity import LENGTH, Quantity
from pytrammel.model.spatial_registries import spatial_force_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Direction, Length, Place, Position, Scalar, Scalars, Speed
    from pytrammel.model.spatial import SpatialModel


@spatial_force_type(
    sample=lambda a, b, c: {"sphere": b.at(0.1, 0.0, -0.1), "plane": a, "radius": 0.8, "at": a.position, "normal": (0.6, 0.0, 0.8),
    "stiffness": 100.0, "damping": 2.0, "friction": 0.3}
)  # fmt: skip
def contact_sphere_plane(
    model: SpatialModel, name: str, sphere: Place, plane: Place, *, radius: Length = 0.0, at: Position | None = None,
    normal: Direction | None = None, stiffness: Scalar | None = None, law: NormalLaw = "linear", damping: Scalar | None = None,
    exponent: Scalar | None = None, restitution: Scalar | None = None, friction: Scalar | Scalars = 0.0,
    stick_speed: Speed = 1e-3, viscous: Scalar = 0.0, slip_slope: Scalar = 0.0,
    impact: Literal["newton", "poisson"] | None = None, stick: bool = False,
) -> Force:  # fmt: skip
    """Sphere or point against a plane.

    Args:
        sphere: Centre of the sphere (a body alone: its origin).
        plane: Body that carries the plane, or an oriented marker whose z axis is the normal.
        radius: Radius of the sphere [m]; 0 for a point.
        at, normal: A point of the plane and its normal to the free side, global, design configuration.
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
    c = model.place(sphere, None, f"the sphere of contact {name!r}", origin=True)
    model.check_at(at, f"contact {name!r}", plane)
    p = marker_on_axis(model, plane, at, normal, f"the plane of contact {name!r}")
    model.different_bodies(name, c.body, p.body, "contact")
    rho = check_not_negative(checked_number(radius, f"radius of contact {name!r}"), f"radius of contact {name!r}")
    options: dict[str, Any] = {
        "stiffness": stiffness, "law": law, "damping": damping, "exponent": exponent, "restitution": restitution, "friction": friction,
        "stick_speed": stick_speed, "viscous": viscous, "slip_slope": slip_slope,
    }  # fmt: skip
    up = p.axis(Z)
    lifted = tuple(s + rho * n for s, n in zip(p.local, up, strict=True))
    gap = Quantity("axis_offset", (p.body, c.body), (*up, *lifted, *c.local), (LENGTH,), f"{name}.gap")
    given = {"sphere": c, "plane": p, "radius": rho, **options, "impact": impact, "stick": stick}
    symbols = (Symbol("ball", c.body, c.local, radius=rho),) if rho > 0.0 else ()
    ball = (*c.local, rho, *up)
    slip, other = (
        Quantity("sphere_slip", (c.body, p.body), (*ball, *p.axis(i), *p.axis(j)), (LENGTH,) * 2, f"{name}.slip", rate_only=True)
        for i, j in ((X, Y), (Y, X))
    )  # fmt: skip
    apart = Gap(gap, 0.0, None, None, (rho,))
    if law == "rigid":
        return rigid_contact(
            "contact_sphere_plane", name, given, (c.body, p.body), {"gap": gap}, apart, [slip, other], symbols,
            stick=[Block(slip, (0.0, 0.0))],
        )  # fmt: skip
    data = (*contact_constants(name, **options), *c.local, rho, *p.local, *up)
    use = ForceUse("space_sphere_plane", "contact", bodies=(c.body, p.body), data=data, label=f"{name}.normal")
    return make_contact(
        "contact_sphere_plane", name, given, (c.body, p.body), use, {"gap": gap}, symbols, [slip], gap=apart
    )


@spatial_force_type(
    sample=lambda a, b, c: {"first": a.at(0.1, 0.2, 0.0), "second": b, "radii": (1.5, 1.2), "stiffness": 100.0, "law": "hertz",
    "friction": 0.2}
)  # fmt: skip
def contact_sphere_sphere(
    model: SpatialModel, name: str, first: Place, second: Place, *, radii: Scalars, stiffness: Scalar | None = None,
    law: NormalLaw = "linear", damping: Scalar | None = None, exponent: Scalar | None = None, restitution: Scalar | None = None,
    friction: Scalar | Scalars = 0.0, stick_speed: Speed = 1e-3, viscous: Scalar = 0.0, slip_slope: Scalar = 0.0,
    impact: Literal["newton", "poisson"] | None = None, stick: bool = False,
) -> Force:  # fmt: skip
    """Two spheres; the laws are those of `contact_sphere_plane`.

    Args:
        first, second: Centres of the spheres (a body alone: its origin).
        radii: Radii [m].
        stiffness, damping, exponent, restitution, friction, stick_speed, viscous, slip_slope: As for `contact_sphere_plane`.

    Measures: ``gap`` [m] and ``distance`` of the centres [m].
    """
    p = model.place(first, None, f"the first sphere of contact {name!r}", origin=True)
    q = model.place(second, None, f"the second sphere of contact {name!r}", origin=True)
    model.different_bodies(name, p.body, q.body, "contact")
    given_radii = checked_numbers(radii, f"radii of contact {name!r}", ("first", "second"))
    r1, r2 = (check_positive(r, f"radii of contact {name!r}") for r in given_radii)
    options: dict[str, Any] = {
        "stiffness": stiffness, "law": law, "damping": damping, "exponent": exponent, "restitution": restitution, "friction": friction,
        "stick_speed": stick_speed, "viscous": viscous, "slip_slope": slip_slope,
    }  # fmt: skip
    distance = model.distance(p, q, f"{name}.distance")
    gap = Quantity(
        "expression", distance.bodies, (1.0,), (LENGTH,), f"{name}.gap", formula=filled("d - both", both=r1 + r2),
        inputs={"d": distance},
    )  # fmt: skip
    given = {"first": p, "second": q, "radii": (r1, r2), **options, "impact": impact, "stick": stick}
    symbols = tuple(Symbol("ball", end.body, end.local, radius=r) for end, r in ((p, r1), (q, r2)))
    measures = {"gap": gap, "distance": distance}
    apart = Gap(gap, 0.0, None, None, (r1, r2))
    if law == "rigid":
        return rigid_contact("contact_sphere_sphere", name, given, (p.body, q.body), measures, apart, [], symbols)
    data = (*contact_constants(name, **options), *p.local, r1, *q.local, r2)
    use = ForceUse("space_sphere_sphere", "contact", bodies=(p.body, q.body), data=data, label=f"{name}.normal")
    return make_contact("contact_sphere_sphere", name, given, (p.body, q.body), use, measures, symbols, gap=apart)
