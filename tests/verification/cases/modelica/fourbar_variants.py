"""ModelicaTest.MultiBody.FourbarVariants: one spatial four-bar, its coupler held by different joints."""

from __future__ import annotations

from .joints import Prismatic, Revolute, RodAndGuide, Spherical, SphericalSpherical, Universal, UniversalSpherical, Y, Z
from .parts import Body, BodyCylinder, FixedTranslation, X
from .reference import define
from .rotations import unit

define(
    "fourbar_variants",
    "FourbarVariants.SphericalAndUniversal",
    {
        "j1": Revolute(n=X, w=5.235987755982989, fixed="phi w"),
        "j2": Prismatic(n=X),
        "b1": BodyCylinder(r=(0, 0.5, 0.1), diameter=0.05),
        "b2": BodyCylinder(r=(0, 0.2, 0), diameter=0.05),
        "b3": FixedTranslation(r=X),
        "spherical": Spherical(),
        "FixedTranslation1": FixedTranslation(r=(1, -0.3, -0.1)),
        "Universal1": Universal(n_b=Y, n_a=Z),
    },
    """
    j2.b b2.a; j1.b b1.a; j1.a world.b; b3.a world.b; b3.b j2.a; b1.b spherical.a; spherical.b
    FixedTranslation1.a; FixedTranslation1.b Universal1.a; b2.b Universal1.b
    """,
)

define(
    "fourbar_variants",
    "FourbarVariants.SphericalSpherical",
    {
        "j1": Revolute(n=X, w=5.235987755982989, fixed="phi w"),
        "j2": Prismatic(n=X, fixed="s"),
        "b1": BodyCylinder(r=(0, 0.5, 0.1), diameter=0.05),
        "b2": BodyCylinder(r=(0, 0.2, 0), diameter=0.05),
        "sphericalSpherical": SphericalSpherical(m=1),
        "b3": FixedTranslation(r=X),
    },
    """
    j2.b b2.a; j1.b b1.a; j1.a world.b; b1.b sphericalSpherical.b; sphericalSpherical.a b2.b; b3.a world.b; b3.b
    j2.a
    """,
)

define(
    "fourbar_variants",
    "FourbarVariants.UniversalSpherical",
    {
        "j1": Revolute(n=X, w=5.235987755982989, fixed="phi w"),
        "j2": Prismatic(n=X),
        "b1": BodyCylinder(r=(0, 0.5, 0.1), diameter=0.05),
        "b2": BodyCylinder(r=(0, 0.2, 0), diameter=0.05),
        "universalSpherical": UniversalSpherical(rRod_ia=(-1, 0.3, 0.1), n1_a=(0, 1, 0.1)),
        "b3": FixedTranslation(r=(0.8, 0, 0)),
    },
    """
    j2.b b2.a; j1.b b1.a; j1.a world.b; b1.b universalSpherical.b; universalSpherical.a b2.b; b3.a world.b; b3.b
    j2.a
    """,
)

define(
    "fourbar_variants",
    "FourbarVariants.JointUSR",
    {
        "j2": Prismatic(n=X, v=-0.4, fixed="s v"),
        "b2": BodyCylinder(r=(0, 0.2, 0), diameter=0.05),
        "b3": FixedTranslation(r=X),
        "jointUSR": RodAndGuide(Revolute(X, d=0.1), n1_a=Y, rRod1_ia=(-1, 0.3, -0.1), rRod2_ib=(0, 0.5, 0.1)),
        "Body1": Body(m=1, r_CM=(0.01, 0, 0), I=(0.1, 0.1, 0.1)),
        "Body2": Body(m=1, r_CM=unit((-1, 0.3, -0.1)) / 2, I=(0.1, 0.1, 0.1)),
        "Body3": Body(m=1, r_CM=(0, 0, 0), I=(0.1, 0.1, 0.1)),
    },
    """
    j2.b b2.a; b3.a world.b; b3.b j2.a; world.b jointUSR.b; jointUSR.a b2.b; Body1.a jointUSR.ib; Body2.a
    jointUSR.ia; Body3.a jointUSR.im
    """,
    reason="1e-3 of the largest value up to 0.6 s. From there on the motion magnifies errors: a change of the start by 1e-6 grows "
    "to 1e-4, and SciPy's BDF with the reference's relative tolerance 1e-6 differs from the converged motion by 1e-3",
)

define(
    "fourbar_variants",
    "FourbarVariants.JointSSR",
    {
        "j2": Prismatic(n=X, v=-0.2, fixed="s v"),
        "b2": BodyCylinder(r=(0, 0.2, 0), diameter=0.05),
        "b3": FixedTranslation(r=X),
        "jointSSR": RodAndGuide(
            Revolute(X, d=0.5), rRod2_ib=(0, 0.5, 0.1), rod1Length=1.1**0.5, rod1Mass=0.1, universal=False
        ),
        "Body1": Body(r_CM=(0, 0.25, 0.05), m=0.1),
        "Body2": Body(m=0.1, r_CM=(0, 0, 0)),
    },
    """
    world.b b3.a; world.b jointSSR.b; b3.b j2.a; j2.b b2.a; b2.b jointSSR.a; Body1.a jointSSR.ib; Body2.a
    jointSSR.im
    """,
)

define(
    "fourbar_variants",
    "FourbarVariants.JointUSP",
    {
        "revolute": Revolute(n=X, w=5.235987755982989, fixed="phi w"),
        "body1": BodyCylinder(r=(0, 0.5, 0.1), diameter=0.05),
        "body3": BodyCylinder(r=(0, 0.2, 0), diameter=0.05),
        "ground_rod": FixedTranslation(r=(1.2, 0, 0)),
        "jointUSP": RodAndGuide(
            Prismatic((-1, 0, 0), d=50), n1_a=(0, 0, -1), rRod1_ia=(1, -0.3, 0.1), rRod2_ib=(0, 0.2, 0)
        ),
        "body2": BodyCylinder(r=(1, -0.3, 0.1), diameter=0.05),
    },
    """
    ground_rod.b jointUSP.b; world.b ground_rod.a; world.b revolute.a; revolute.b body1.a; body1.b jointUSP.a;
    jointUSP.ia body2.a; jointUSP.ib body3.a
    """,
)
