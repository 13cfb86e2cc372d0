"""ModelicaTest.MultiBody.Joints: single joints, their starts, and rods."""

from __future__ import annotations

import numpy as np

from .joints import (
    Cylindrical,
    FreeMotion,
    GearConstraint,
    JointUPS,
    Planar,
    Prismatic,
    Revolute,
    RodAndGuide,
    Spherical,
    Universal,
    UniversalSpherical,
    Y,
    Z,
)
from .loads import Inertia, Spring, Torque, WorldTorque
from .network import GRAVITY as G
from .network import Network
from .parts import Body, BodyBox, BodyCylinder, BodyShape, Fixed, FixedRotation, FixedTranslation, X
from .reference import define

ANGLE = 0.78539816339745


def held_gear(net: Network) -> None:
    """Hold the slow shaft of an ideal gear of ratio 10; its housing turns the second rotor."""
    net.model.equation("gear", "inertia1.angle + 9*inertia2.angle", unit="rad")


def driven_hinges(net: Network) -> None:
    """Hold the speed of one hinge, and add a damper between the flanges of two."""
    m = net.model
    m.driver("constantSpeed", "revolute1.angle", f"{ANGLE!r} + 2*t")
    rate = "(revolute3.angle.rate - revolute2.angle.rate)"
    m.motor("damper_a", "revolute3", f"-0.6*{rate}")
    m.motor("damper_b", "revolute2", f"0.6*{rate}")


define(
    "joints",
    "Joints.Revolute",
    {
        "revolute": Revolute(n=Z, phi=0.7853981633974483, fixed="phi w"),
        "body": Body(r_CM=(0, 0, 0), m=1),
    },
    """
    world.b revolute.a; revolute.b body.a
    """,
)

define(
    "joints",
    "Joints.RevoluteInitialization",
    {
        "rev": Revolute(n=Z, fixed="phi w", d=0.1),
        "body": BodyShape(r=X, r_CM=(0.5, 0, 0), m=1),
        "fixed": Fixed(r=(1, 0.2, 0)),
        "spring": Spring(s_unstretched=0.1, c=5 * G),
    },
    """
    world.b rev.a; rev.b body.a; fixed.b spring.a; body.b spring.b
    """,
)

define(
    "joints",
    "Joints.Prismatic",
    {
        "prismatic": Prismatic(n=(1, 1, 0), s=0.3, fixed="s v"),
        "body": Body(r_CM=(0, 0, 0), m=1),
    },
    """
    world.b prismatic.a; prismatic.b body.a
    """,
)

define(
    "joints",
    "Joints.Cylindrical",
    {
        "cylindrical": Cylindrical(n=Z, phi=0.7853981633974483, s=0.3, fixed="phi s v w"),
        "body": Body(r_CM=(0, 0, 0), m=1),
    },
    """
    world.b cylindrical.a; cylindrical.b body.a
    """,
)

define(
    "joints",
    "Joints.Universal",
    {
        "universal": Universal(n_a=Z, phi_a=1.570796326794897, phi_b=0.7853981633974483, fixed="phi_a phi_b w_a w_b"),
        "body": Body(m=1, r_CM=(0.5, 0, 0)),
    },
    """
    world.b universal.a; universal.b body.a
    """,
)

define(
    "joints",
    "Joints.Planar",
    {
        "planar": Planar(n=Y, n_x=Z, phi=0.7853981633974483, s_x=0.5, s_y=0.5, fixed="phi s_x s_y v_x v_y w"),
        "body": Body(r_CM=(0, 0, 0), m=1),
    },
    """
    world.b planar.a; planar.b body.a
    """,
)

define(
    "joints",
    "Joints.Spherical",
    {
        "spherical": Spherical(angles=(ANGLE, ANGLE, ANGLE)),
        "body": Body(r_CM=(0, 0, 0), m=1),
    },
    """
    world.b spherical.a; spherical.b body.a
    """,
)

define(
    "joints",
    "Joints.FreeMotion",
    {
        "freeMotion": FreeMotion(angles=(ANGLE, ANGLE, ANGLE), r=(0.5, 0.4, 0)),
        "body": Body(r_CM=(0, 0, 0), m=1),
    },
    """
    world.b freeMotion.a; freeMotion.b body.a
    """,
)

define(
    "joints",
    "Joints.FreeMotionScalarInit",
    {
        "freeMotionScalarInit": FreeMotion(r=(0.5, 0.4, 0), angles=(ANGLE, ANGLE, ANGLE)),
        "body": Body(r_CM=(0, 0, 0), m=1),
    },
    """
    world.b freeMotionScalarInit.a; freeMotionScalarInit.b body.a
    """,
)

define(
    "joints",
    "Joints.FreeMotionScalarInit2",
    {
        "freeMotionScalarInit": FreeMotion(r=(0.5, 0.4, 0), angles=(ANGLE, ANGLE, ANGLE)),
        "body": Body(r_CM=(0, 0, 0), m=1),
    },
    """
    world.b freeMotionScalarInit.a; freeMotionScalarInit.b body.a
    """,
)

define(
    "joints",
    "Joints.FreeMotionScalarInit3",
    {
        "freeMotionScalarInit": FreeMotion(r=(0, -G / 100, 0), angles=(ANGLE, ANGLE, ANGLE)),
        "body": Body(r_CM=(0, 0, 0), m=1),
        "spring": Spring(c=100),
    },
    """
    world.b freeMotionScalarInit.a; freeMotionScalarInit.b body.a; world.b spring.a; spring.b body.a
    """,
)

define(
    "joints",
    "Joints.FreeMotionScalarInit4",
    {
        "freeMotionScalarInit": FreeMotion(r=(0, -G / 100, 0), angles=(ANGLE, ANGLE, ANGLE)),
        "body": Body(r_CM=(0, 0, 0), m=1),
        "spring": Spring(c=100),
    },
    """
    world.b freeMotionScalarInit.a; freeMotionScalarInit.b body.a; world.b spring.a; spring.b body.a
    """,
    more={
        f"freeMotionScalarInit.derdd[{k}].u": lambda c, k=k: c[f"freeMotionScalarInit.angle_d_{k}"] for k in (1, 2, 3)
    },
)

define(
    "joints",
    "Joints.FreeMotionScalarInit5",
    {
        "freeMotionScalarInit1": FreeMotion(r=(0.5, 0.4, 0), angles=(ANGLE, ANGLE, ANGLE)),
        "body": Body(r_CM=(0, 0, 0), m=1),
        "freeMotionScalarInit2": FreeMotion(r=(0.5, 0.4, 0), angles=(ANGLE, ANGLE, ANGLE)),
    },
    """
    world.b freeMotionScalarInit1.a; freeMotionScalarInit1.b body.a; world.b freeMotionScalarInit2.a;
    freeMotionScalarInit2.b body.a
    """,
)

define(
    "joints",
    "Joints.CheckConstaintTorqueUniversalJoint",
    {
        "bodyCylinder": BodyCylinder(r=X),
        "torque": WorldTorque(torque=(2, 3, 4)),
        "universal": Universal(fixed="phi_a phi_b w_a w_b"),
    },
    """
    torque.b bodyCylinder.a; world.b universal.a; universal.b bodyCylinder.a
    """,
)

define(
    "joints",
    "Joints.Revolute2",
    {
        "revolute": Revolute(n=Z, w=2, phi=0.78539816339745, fixed="w phi"),
        "body": Body(r_CM=(0, 0, 0), m=1, I=(0.1, 0.1, 0.1)),
        "revolute1": Revolute(n=Z, w=2, phi=0.78539816339745, fixed="phi"),
        "body1": Body(r_CM=(0, 0, 0), m=1, I=(0.1, 0.1, 0.1)),
        "revolute2": Revolute(w=4, n=X, phi=0.78539816339745, fixed="w phi"),
        "body2": Body(r_CM=(0, 0, 0), m=1, I=(0.5, 0.5, 0.5)),
        "revolute3": Revolute(phi=0, n=X, w=20, fixed="phi w"),
        "bodyCylinder": BodyCylinder(density=2.5e4, diameter=0.2, r=X),
    },
    """
    world.b revolute.a; revolute.b body.a; revolute1.a world.b; revolute1.b body1.a; body2.a revolute2.b;
    revolute3.a world.b; revolute3.b bodyCylinder.a; bodyCylinder.b revolute2.a
    """,
    extra=driven_hinges,
)

define(
    "joints",
    "Joints.RevolutePlanarLoopConstraint",
    {
        "revolute": Revolute(n=Y),
        "revolute1": Revolute(n=Y, tau="if(t < 1, 1000, 0)"),
        "revolute3": Revolute(n=Y, phi=1.5707963267949, fixed="phi w"),
        "revolute4": Revolute(n=Y, phi=1.5707963267949),
        "bodyCylinder": BodyCylinder(r=X, diameter=0.2),
        "bodyCylinder1": BodyCylinder(r=X, diameter=0.2),
        "bodyCylinder2": BodyCylinder(r=X, diameter=0.2),
        "bodyCylinder3": BodyCylinder(r=X, diameter=0.2),
        "revolute2": Revolute(n=X, phi=0, w=2 * np.pi, fixed="phi w"),
        "fixedRotation": FixedRotation(n=Y, angle=90),
        "fixedRotation1": FixedRotation(angle=45, n=Z),
    },
    """
    revolute1.b bodyCylinder.a; bodyCylinder.b revolute3.a; revolute3.b bodyCylinder1.a; bodyCylinder1.b
    revolute4.a; revolute4.b bodyCylinder2.a; bodyCylinder2.b revolute.a; revolute.b bodyCylinder3.a;
    bodyCylinder3.b revolute1.a; world.b revolute2.a; fixedRotation.b fixedRotation1.a; revolute2.b
    fixedRotation.a; fixedRotation1.b revolute1.a
    """,
    loose=["revolute"],
)

define(
    "joints",
    "Joints.FreeMotion2",
    {
        "freeMotion": FreeMotion(),
        "fixed": Fixed(r=X),
        "bodyBox": BodyBox(r=(0.5, 0, 0)),
        "prismatic": Prismatic(s=0.3, v=0.1, fixed="s v", spring=(10, 0.3)),
        "universal": Universal(w_a=0.3, w_b=0.3, fixed="phi_a phi_b w_a w_b"),
        "bodyBox1": BodyBox(r=(0.5, 0, 0)),
        "prismatic1": Prismatic(s=0.3, v=0.1, fixed="s v", spring=(10, 0.3)),
        "universal1": Universal(w_a=0.3, w_b=0.3, fixed="phi_a phi_b w_a w_b"),
    },
    """
    freeMotion.a fixed.b; bodyBox.b freeMotion.b; prismatic.b universal.a; universal.b bodyBox.a; prismatic.a
    world.b; prismatic1.b universal1.a; universal1.b bodyBox1.a; prismatic1.a world.b
    """,
)

define(
    "joints",
    "Joints.UniversalSpherical",
    {
        "fixedTranslation": FixedTranslation(r=(-1, 0, 0)),
        "bodyBox": BodyBox(r=(0.5, 0, 0), width=0.1, height=0.1, r_0=X, w_0=(0, 0, 0)),
        "spherical1": Spherical(angles=(0, np.pi, 0)),
        "bodyBox1": BodyBox(r=(0.5, 0, 0), width=0.1, height=0.1, w_0=(0, 0, 0)),
        "bodyBox2": BodyBox(r=(0.5, 0, 0), width=0.1, height=0.1, v_0=(0, 0, 0), r_0=X, w_0=(0, 0, 0)),
        "universalSpherical": UniversalSpherical(),
        "universalSpherical1": UniversalSpherical(),
        "universal": Universal(n_a=Z, n_b=Y, phi_a=0, phi_b=3.1415926535898, fixed="w_a w_b phi_a phi_b"),
    },
    """
    spherical1.b bodyBox1.a; world.b universalSpherical.a; world.b universal.a; world.b universalSpherical1.a;
    universalSpherical.b bodyBox.a; universalSpherical1.b bodyBox2.a; universal.b fixedTranslation.a;
    fixedTranslation.b spherical1.a
    """,
    more={f"universalSpherical.rRod_0[{k}]": lambda c, k=k: c[f"bodyBox.frame_a.r_0[{k}]"] for k in (1, 2, 3)},
)

define(
    "joints",
    "Joints.PrismaticInit",
    {
        "prismatic": Prismatic(s=0.3, n=(1, -1, 0), v=0, fixed="s v"),
        "body": Body(r_CM=(0, 0, 0), m=1),
        "spring": Spring(c=87.4862, s_unstretched=0.1),
        "fixedTranslation": FixedTranslation(r=(0.045**0.5, 0, 0)),
    },
    """
    world.b prismatic.a; prismatic.b body.a; body.a spring.b; world.b fixedTranslation.a; fixedTranslation.b
    spring.a
    """,
)

define(
    "joints",
    "Joints.JointUSP2",
    {
        "jointUSP": RodAndGuide(
            Prismatic(Z, s=0.9, spring=(10, -0.5)), n1_a=Y, rRod1_ia=(1, 1, 0), rRod2_ib=(-1, 1, 0), phi=(-2, 0)
        ),
        "body": Body(m=10, r_CM=(0, 0, 0)),
        "fixedTranslation": FixedTranslation(r=(2, 0, 0)),
        "revolute": Revolute(fixed="phi w"),
        "bodyBox": BodyBox(r=(-1.4141, 0, 0)),
    },
    """
    jointUSP.im body.a; world.b jointUSP.a; world.b fixedTranslation.a; fixedTranslation.b revolute.a;
    revolute.b bodyBox.a; bodyBox.b jointUSP.b
    """,
    reason="1e-3 of the largest value up to 0.67 s. At 0.69 s the rod stands at right angles to the slide: there Modelica's analytic "
    "loop keeps the sign of the slide's distance, while the mechanism passes its dead centre",
)

define(
    "joints",
    "Joints.JointUPS2",
    {
        "jointUPS": JointUPS(s=0.5859, spring=(10, 0.5)),
        "body": Body(m=10, r_CM=(0, 0, 0)),
        "fixedTranslation": FixedTranslation(r=(2, 0, 0)),
        "bodyBox": BodyBox(r=(-1.4141, 0, 0)),
        "universal": Universal(w_a=2, w_b=2, n_a=Z, fixed="phi_a phi_b w_a w_b"),
    },
    """
    world.b fixedTranslation.a; world.b jointUPS.a; jointUPS.ib body.a; jointUPS.b bodyBox.b; fixedTranslation.b
    universal.a; universal.b bodyBox.a
    """,
)

define(
    "joints",
    "Joints.GearConstraint",
    {
        "gearConstraint": GearConstraint(ratio=10),
        "cyl1": BodyCylinder(r=(0.4, 0, 0), diameter=0.1),
        "cyl2": BodyCylinder(r=(0.4, 0, 0), diameter=0.2),
        "torque1": Torque(torque=("2*sin(2*pi*t)", "0", "0")),
        "inertia1": Inertia(J=BodyCylinder(r=(0.4, 0, 0), diameter=0.1).axial, tau="2*sin(2*pi*t)"),
        "inertia2": Inertia(J=BodyCylinder(r=(0.4, 0, 0), diameter=0.2).axial),
    },
    "cyl1.b gearConstraint.a; torque1.b cyl1.a; torque1.a world.b; world.b gearConstraint.b; cyl2.a gearConstraint.bearing",
    gravity=(0.0, 0.0, 0.0),
    extra=held_gear,
)

ARM, HAND = BodyBox(r=(0.4, 0.0, -0.3), width=0.06), BodyBox(r=(0.3, -0.4, 0.0), width=0.06)
SWING = Spherical(w_rel=(0.05235987755982989, 0.03490658503988659, 0.0174532925199433))

define(
    "joints",
    "SphericalDoublePendulum",
    {
        "boxBody1": ARM, "boxBody2": HAND, "Spherical1": SWING, "Spherical2": Spherical(),
        "boxBody3": ARM, "boxBody4": HAND, "Spherical3": SWING, "Spherical4": Spherical(),
        "boxBody5": ARM, "boxBody6": HAND, "Spherical5": SWING, "Spherical6": Spherical(),
    },
    """
    boxBody1.b Spherical2.a; Spherical2.b boxBody2.a; world.b Spherical1.a; Spherical1.b boxBody1.a; boxBody3.b
    Spherical4.a; Spherical4.b boxBody4.a; Spherical3.b boxBody3.a; world.b Spherical3.a; boxBody5.b
    Spherical6.a; Spherical6.b boxBody6.a; Spherical5.b boxBody5.a; Spherical5.a world.b
    """,
)  # fmt: skip
