"""Modelica.Mechanics.MultiBody.Examples.Loops: four-bars, planar loops and engines."""

from __future__ import annotations

import math

import numpy as np

from .drives import filtered
from .joints import PlanarCut, Prismatic, Revolute, RodAndGuide, RodsOnHinges, UniversalSpherical, Y, Z
from .network import Part
from .parts import Body, BodyBox, BodyCylinder, FixedTranslation, X
from .reference import define

CRANK = Revolute(n=X, w=5.235987755982989, fixed="phi w")
ARM, SLIDER = BodyCylinder(r=(0, 0.5, 0.1), diameter=0.05), BodyCylinder(r=(0, 0.2, 0), diameter=0.05)
ROD = (-1, 0.3, 0.1)

define(
    "loops",
    "Loops.Fourbar1",
    {
        "j1": CRANK,
        "j2": Prismatic(s=-0.2),
        "b1": ARM,
        "b2": SLIDER,
        "b3": BodyCylinder(r=ROD, diameter=0.05),
        "rev": Revolute(n=Y),
        "rev1": Revolute(),
        "j3": Revolute(n=X),
        "j4": Revolute(n=Y),
        "j5": Revolute(n=Z),
        "b0": FixedTranslation(r=(1.2, 0, 0)),
    },
    """
    j2.b b2.a; j1.b b1.a; rev.a b2.b; rev.b rev1.a; rev1.b b3.a; world.b j1.a; b1.b j3.a; j3.b j4.a; j4.b j5.a; j5.b b3.b;
    b0.a world.b; b0.b j2.a
    """,
)

define(
    "loops",
    "Loops.Fourbar2",
    {
        "j1": CRANK,
        "j2": Prismatic(s=-0.2, fixed="s"),
        "b1": ARM,
        "b2": SLIDER,
        "universalSpherical": UniversalSpherical(n1_a=Y, rRod_ia=ROD),
        "b3": FixedTranslation(r=(1.2, 0, 0)),
    },
    "j2.b b2.a; j1.b b1.a; j1.a world.b; b1.b universalSpherical.b; universalSpherical.a b2.b; b3.a world.b; b3.b j2.a",
)

define(
    "loops",
    "Loops.Fourbar_analytic",
    {
        "j1": CRANK,
        "b1": ARM,
        "b2": SLIDER,
        "b3": FixedTranslation(r=(1.2, 0, 0)),
        "jointSSP": RodAndGuide(Prismatic(X, s=-0.2), rRod2_ib=(0, 0.2, 0), rod1Length=1.1**0.5, universal=False),
    },
    "j1.b b1.a; j1.a world.b; b3.a world.b; b1.b jointSSP.a; b3.b jointSSP.b; b2.a jointSSP.ib",
)

define(
    "loops",
    "Loops.PlanarFourbar",
    {
        "revolute1": Revolute(fixed="phi w", d=0.1),
        "revolute2": Revolute(),
        "revolute3": Revolute(),
        "revolute4cut": PlanarCut(),
        "body1": BodyBox(width=0.05, r=(0.4, 0, 0)),
        "body2": BodyBox(width=0.05, r=(0.1, 1.1, 0)),
        "body3": BodyBox(width=0.05, r=(-0.15, 1, 0)),
        "body4": BodyBox(width=0.05, r=(0.65, 0.1, 0)),
    },
    """
    revolute1.b body1.a; revolute2.a body1.b; revolute2.b body2.a; world.b revolute1.a body3.a; body3.b revolute3.a;
    revolute3.b body4.a; body4.b revolute4cut.a; body2.b revolute4cut.b
    """,
)

RODS = {1: ((0.6, 0, 0), (0.1, 0.5, 0)), 2: ((0.5, 0.1, 0), (0.1, 0.6, 0)), 3: ((0.4, -0.05, 0), (0, 0.55, 0))}

define(
    "loops",
    "Loops.PlanarLoops_analytic",
    {
        "rev": Revolute(),
        "rod1": FixedTranslation(r=(0, 0.5, 0)),
        **{
            f"jointRRR{k}": RodsOnHinges(Revolute(), rRod1_ia=first, rRod2_ib=last) for k, (first, last) in RODS.items()
        },
        **{f"body{k}": Body(m=1, r_CM=tuple(np.array(first) / 2)) for k, (first, _) in RODS.items()},
        **{f"rod{k}": FixedTranslation(r=(0.5, 0, 0)) for k in (2, 3, 4)},
    },
    """
    world.b rev.a rod2.a; rod1.a rev.b; rod1.b jointRRR1.a; rod2.b jointRRR1.b rod3.a; jointRRR1.ia body1.a;
    rod3.b jointRRR2.b rod4.a; jointRRR2.ia body2.a; jointRRR1.im jointRRR2.a; rod4.b jointRRR3.b; jointRRR2.im jointRRR3.a;
    jointRRR3.ia body3.a
    """,
    extra=lambda net: net.model.driver("position", "rev.angle", filtered(0.7, 1.0)),
)


def gas(s: str, v: str, length: float, bore: float = 0.1) -> str:
    """Force of the gas in a cylinder at a distance s of the piston from the top, by Modelica's GasForce2 [N]."""
    x = f"(1 - ({s})/{length!r})"

    def polynomial(*c: float) -> str:
        return "(" + " + ".join(f"{a!r}*{x}^{4 - k}" if k < 4 else f"{a!r}" for k, a in enumerate(c)) + ")"

    low = polynomial(177.4132, -287.2189, 151.8252, -24.9973, 2.4)
    top = polynomial(2836360.0, -10569296.0, 14761814.0, -9158505.0, 2129670.0)
    fired = polynomial(-3929704.0, 14748765.0, -20747000.0, 12964477.0, -3036495.0)
    spent = polynomial(145.930, -131.707, 17.3438, 17.9272, 2.4)
    pressure = f"if(({v}) < 0, if({x} < 0.986061, {low}, {top}), if({x} > 0.933, {fired}, {spent}))"
    return f"1e5*{math.pi * bore**2 / 4!r}*({pressure})"


BASE: dict[str, Part] = {
    "bearing": Revolute(n=X, w=10, fixed="phi w"),
    "inertia": Body(m=0, I=(1, 1, 1)),
    "crank1": BodyCylinder(diameter=0.05, r=(0.1, 0, 0)),
    "crank2": BodyBox(height=0.05, across=X, width=0.02, r=(0, 0.1, 0)),
    "crank3": BodyCylinder(r=(0.1, 0, 0), diameter=0.03),
    "crank4": BodyBox(height=0.05, across=X, width=0.02, r=(0, -0.1, 0)),
    "mid": FixedTranslation(r=(0.05, 0, 0)),
    "cylPosition": FixedTranslation(r=(0.15, 0.45, 0)),
    "piston": BodyCylinder(diameter=0.1, r=(0, -0.1, 0)),
    "connectingRod": BodyBox(across=X, width=0.02, height=0.06, r=(0, -0.2, 0)),
}
SHAFT = """
    world.b bearing.a cylPosition.a; crank2.a crank1.b; bearing.b crank1.a inertia.a; crank3.b crank4.a;
    crank2.b crank3.a mid.a;
"""
TURNS = {"inertia.phi": lambda c: c.result["bearing.angle"], "inertia.w": lambda c: c.result["bearing.angle.rate"]}

define(
    "loops",
    "Loops.Engine1a",
    BASE | {"b1": Revolute(n=X), "b2": PlanarCut(n=X), "cylinder": Prismatic((0, -1, 0), s=0.15)},
    SHAFT
    + """
    cylPosition.b cylinder.a; b2.a mid.b; b2.b connectingRod.b; connectingRod.a b1.b; b1.a piston.b; cylinder.b piston.a
    """,
    more=TURNS,
)

define(
    "loops",
    "Loops.Engine1b",
    BASE
    | {
        "b1": Revolute(n=X),
        "b2": PlanarCut(n=X),
        "cylinder": Prismatic((0, -1, 0), s=0.05, f=gas("cylinder.distance", "cylinder.distance.rate", 0.35)),
        "rod1": FixedTranslation(r=(0, -0.2, 0)),
        "rod3": FixedTranslation(r=(0, -0.1, 0)),
    },
    SHAFT
    + """
    cylinder.b rod3.a; cylPosition.b cylinder.a; piston.a cylinder.b; rod3.b b1.a; mid.b b2.a;
    b2.b connectingRod.b rod1.b; b1.b rod1.a
    """,
    more=TURNS,
)

define(
    "loops",
    "Loops.Engine1b_analytic",
    BASE
    | {
        "jointRRP": RodsOnHinges(
            Prismatic((0, -1, 0), s=0.05, f=gas("jointRRP_guide.distance", "jointRRP_guide.distance.rate", 0.35)),
            rRod1_ia=(0, 0.2, 0),
            rRod2_ib=(0, -0.1, 0),
            n=X,
        )
    },
    SHAFT + "mid.b jointRRP.a; jointRRP.b cylPosition.b; jointRRP.ib piston.a; connectingRod.b jointRRP.ia",
    more=TURNS,
)
