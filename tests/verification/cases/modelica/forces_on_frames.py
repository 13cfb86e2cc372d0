"""ModelicaTest.MultiBody.Forces: forces and torques on frames."""

from __future__ import annotations

from .joints import Revolute, Y, Z
from .loads import Force, ForceAndTorque, Torque, WorldForce, WorldForceAndTorque, WorldTorque
from .parts import BodyBox, BodyCylinder, Fixed, FixedRotation, FixedTranslation, X
from .reference import define

define(
    "forces",
    "Forces.DifferentiationOfForces",
    {
        "rev": Revolute(n=Z, fixed="phi w"),
        "body": BodyBox(r=X),
        "cutForce": FixedTranslation(),
        "forceAndTorque": WorldForceAndTorque(
            resolve="frame_b",
            force=("sin(2*pi*1*t)", "sin(2*pi*1*t)", "sin(2*pi*1*t)"),
            torque=("sin(2*pi*1*t)", "sin(2*pi*1*t)", "sin(2*pi*1*t)"),
        ),
    },
    """
    world.b rev.a; body.a rev.b; cutForce.b body.b; forceAndTorque.b cutForce.a
    """,
)

define(
    "forces",
    "Forces.Force",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "body2": BodyCylinder(r=X),
        "fixed3": Fixed(r=(0, -0.5, 0)),
        "fixedRotation": FixedRotation(n=Z, angle=45),
        "force1": Force(resolve="frame_b", force=(0, 500, 0)),
        "force2": Force(resolve="frame_resolve", force=(0, 500, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "Revolute3": Revolute(fixed="phi w"),
        "Revolute4": Revolute(fixed="phi w"),
        "fixed2": Fixed(r=(1.5, 0.25, 0)),
        "fixed4": Fixed(r=(1.5, -0.25, 0)),
    },
    """
    force1.b body1.b; Revolute1.b body1.a; Revolute2.b body2.a; force2.b body2.b; Revolute3.a fixed1.b;
    Revolute3.b Revolute1.a; fixedRotation.b force2.resolve; fixed3.b Revolute4.a; Revolute4.b Revolute2.a;
    fixed3.b fixedRotation.a; force1.a fixed2.b; fixed4.b force2.a
    """,
)

define(
    "forces",
    "Forces.Force2",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "body2": BodyCylinder(r=X),
        "fixed3": Fixed(r=(0, -0.5, 0)),
        "fixedRotation": FixedRotation(n=Z, angle=45),
        "force1": Force(resolve="frame_b", force=(0, 500, 0)),
        "force2": Force(resolve="frame_resolve", force=(0, 500, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "Revolute3": Revolute(fixed="phi w"),
        "Revolute4": Revolute(fixed="phi w"),
        "fixed2": Fixed(r=(1.5, 0.25, 0)),
        "fixed4": Fixed(r=(1.5, -0.25, 0)),
        "Revolute5": Revolute(n=Y, fixed="phi w"),
        "body3": BodyCylinder(r=X),
        "fixed5": Fixed(r=(0, 0.5, 0)),
        "body4": BodyCylinder(r=X),
        "fixed6": Fixed(r=(0, -0.5, 0)),
        "fixedRotation1": FixedRotation(n=Z, angle=45),
        "force3": ForceAndTorque(force=(0, 500, 0), torque=(0, 0, 0)),
        "force4": ForceAndTorque(resolve="frame_resolve", force=(0, 500, 0), torque=(0, 0, 0)),
        "Revolute6": Revolute(n=Y, fixed="phi w"),
        "Revolute7": Revolute(fixed="phi w"),
        "Revolute8": Revolute(fixed="phi w"),
        "fixed7": Fixed(r=(1.5, 0.25, 0)),
        "fixed8": Fixed(r=(1.5, -0.25, 0)),
    },
    """
    force1.b body1.b; Revolute1.b body1.a; Revolute2.b body2.a; force2.b body2.b; Revolute3.a fixed1.b;
    Revolute3.b Revolute1.a; fixedRotation.b force2.resolve; fixed3.b Revolute4.a; Revolute4.b Revolute2.a;
    fixed3.b fixedRotation.a; force1.a fixed2.b; fixed4.b force2.a; force3.b body3.b; Revolute5.b body3.a;
    Revolute6.b body4.a; force4.b body4.b; Revolute7.a fixed5.b; Revolute7.b Revolute5.a; fixedRotation1.b
    force4.resolve; fixed6.b Revolute8.a; Revolute8.b Revolute6.a; fixed6.b fixedRotation1.a; force3.a fixed7.b;
    fixed8.b force4.a
    """,
)

define(
    "forces",
    "Forces.ForcesAndTorques",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "body2": BodyCylinder(r=X),
        "fixed3": Fixed(r=(0, -0.5, 0)),
        "fixedRotation": FixedRotation(n=Z, angle=45),
        "forceAndTorque1": ForceAndTorque(force=(0, 500, 0), torque=(-100, 100, 0)),
        "forceAndTorque2": ForceAndTorque(resolve="frame_resolve", force=(0, 500, 0), torque=(-100, 100, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "Revolute3": Revolute(fixed="phi w"),
        "Revolute4": Revolute(fixed="phi w"),
        "fixed2": Fixed(r=(1.5, 0.25, 0)),
        "fixed4": Fixed(r=(1.5, -0.25, 0)),
    },
    """
    forceAndTorque1.b body1.b; Revolute1.b body1.a; Revolute2.b body2.a; forceAndTorque2.b body2.b; Revolute3.a
    fixed1.b; Revolute3.b Revolute1.a; fixedRotation.b forceAndTorque2.resolve; fixed3.b Revolute4.a;
    Revolute4.b Revolute2.a; fixed3.b fixedRotation.a; forceAndTorque1.a fixed2.b; fixed4.b forceAndTorque2.a
    """,
)

define(
    "forces",
    "Forces.FrameForces",
    {
        "Revolute1": Revolute(fixed="phi w"),
        "BodyCylinder1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "frameForce1": WorldForce(resolve="frame_b", force=(0, 500, 0)),
        "Revolute2": Revolute(fixed="phi w"),
        "BodyCylinder2": BodyCylinder(r=X),
        "fixed2": Fixed(r=(0, -0.5, 0)),
        "frameForce2": WorldForce(resolve="frame_resolve", force=(0, 500, 0)),
        "FixedRotation1": FixedRotation(n=Z, angle=45),
    },
    """
    BodyCylinder1.a Revolute1.b; fixed1.b Revolute1.a; frameForce1.b BodyCylinder1.b; BodyCylinder2.a
    Revolute2.b; fixed2.b Revolute2.a; frameForce2.b BodyCylinder2.b; fixed2.b FixedRotation1.a;
    FixedRotation1.b frameForce2.resolve
    """,
)

define(
    "forces",
    "Forces.FrameForces2",
    {
        "Revolute1": Revolute(fixed="phi w"),
        "BodyCylinder1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "frameForce1": WorldForce(resolve="frame_b", force=(0, 500, 0)),
        "Revolute2": Revolute(fixed="phi w"),
        "BodyCylinder2": BodyCylinder(r=X),
        "fixed2": Fixed(r=(0, -0.5, 0)),
        "frameForce2": WorldForce(resolve="frame_resolve", force=(0, 500, 0)),
        "Revolute3": Revolute(fixed="phi w"),
        "BodyCylinder3": BodyCylinder(r=X),
        "frameForce3": WorldForce(resolve="world", force=(0, 500, 0)),
        "Revolute4": Revolute(fixed="phi w"),
        "BodyCylinder4": BodyCylinder(r=X),
        "frameForce4": WorldForce(resolve="frame_resolve", force=(0, 500, 0)),
    },
    """
    BodyCylinder1.a Revolute1.b; fixed1.b Revolute1.a; frameForce1.b BodyCylinder1.b; BodyCylinder2.a
    Revolute2.b; fixed2.b Revolute2.a; frameForce2.b BodyCylinder2.b; BodyCylinder2.b frameForce2.resolve;
    BodyCylinder3.a Revolute3.b; frameForce3.b BodyCylinder3.b; BodyCylinder4.a Revolute4.b; frameForce4.b
    BodyCylinder4.b; world.b Revolute3.a; frameForce4.resolve world.b; Revolute4.a world.b
    """,
)

define(
    "forces",
    "Forces.FrameForcesAndTorques",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "body2": BodyCylinder(r=X),
        "fixed2": Fixed(r=(0, -0.5, 0)),
        "frameTorque1": WorldForceAndTorque(resolve="frame_b", force=(0, 500, 0), torque=(-100, 100, 0)),
        "frameTorque2": WorldForceAndTorque(resolve="frame_resolve", force=(0, 500, 0), torque=(-100, 100, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "Revolute3": Revolute(fixed="phi w"),
        "Revolute4": Revolute(fixed="phi w"),
        "FixedRotation1": FixedRotation(angle=45, n=Z),
    },
    """
    frameTorque1.b body1.b; Revolute1.b body1.a; Revolute2.b body2.a; frameTorque2.b body2.b; Revolute3.a
    fixed1.b; Revolute3.b Revolute1.a; fixed2.b Revolute4.a; Revolute4.b Revolute2.a; fixed2.b FixedRotation1.a;
    FixedRotation1.b frameTorque2.resolve
    """,
)

define(
    "forces",
    "Forces.FrameForcesAndTorques2",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "body2": BodyCylinder(r=X),
        "fixed2": Fixed(r=(0, -0.5, 0)),
        "frameTorque1": WorldForceAndTorque(resolve="frame_b", force=(0, 500, 0), torque=(-100, 100, 0)),
        "frameTorque2": WorldForceAndTorque(resolve="frame_resolve", force=(0, 500, 0), torque=(-100, 100, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "Revolute3": Revolute(fixed="phi w"),
        "Revolute4": Revolute(fixed="phi w"),
    },
    """
    frameTorque1.b body1.b; Revolute1.b body1.a; Revolute2.b body2.a; frameTorque2.b body2.b; Revolute3.a
    fixed1.b; Revolute3.b Revolute1.a; fixed2.b Revolute4.a; Revolute4.b Revolute2.a; body2.b
    frameTorque2.resolve
    """,
)

define(
    "forces",
    "Forces.FrameForcesAndTorques3",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "body2": BodyCylinder(r=X),
        "frameTorque1": WorldForceAndTorque(resolve="world", force=(0, 500, 0), torque=(-100, 100, 0)),
        "frameTorque2": WorldForceAndTorque(resolve="frame_resolve", force=(0, 500, 0), torque=(-100, 100, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "Revolute3": Revolute(fixed="phi w"),
        "Revolute4": Revolute(fixed="phi w"),
        "fixedTranslation": FixedTranslation(r=Z),
    },
    """
    frameTorque1.b body1.b; Revolute1.b body1.a; Revolute2.b body2.a; frameTorque2.b body2.b; Revolute3.b
    Revolute1.a; Revolute4.b Revolute2.a; world.b Revolute3.a; fixedTranslation.a world.b; fixedTranslation.b
    Revolute4.a; Revolute4.a frameTorque2.resolve
    """,
)

define(
    "forces",
    "Forces.FrameTorques",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "body2": BodyCylinder(r=X),
        "fixed2": Fixed(r=(0, -0.5, 0)),
        "FixedRotation1": FixedRotation(n=Z, angle=45),
        "frameTorque1": WorldTorque(resolve="frame_b", torque=(0, 100, 0)),
        "frameTorque2": WorldTorque(resolve="frame_resolve", torque=(0, 100, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
    },
    """
    fixed2.b FixedRotation1.a; frameTorque1.b body1.b; fixed1.b Revolute1.a; Revolute1.b body1.a; fixed2.b
    Revolute2.a; Revolute2.b body2.a; frameTorque2.b body2.b; FixedRotation1.b frameTorque2.resolve
    """,
)

define(
    "forces",
    "Forces.FrameTorques2",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "body2": BodyCylinder(r=X),
        "fixed2": Fixed(r=(0, -0.5, 0)),
        "frameTorque1": WorldTorque(resolve="frame_b", torque=(0, 100, 0)),
        "frameTorque2": WorldTorque(resolve="frame_resolve", torque=(0, 100, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "Revolute3": Revolute(n=Y, fixed="phi w"),
        "body3": BodyCylinder(r=X),
        "body4": BodyCylinder(r=X),
        "frameTorque3": WorldTorque(resolve="world", torque=(0, 100, 0)),
        "frameTorque4": WorldTorque(resolve="frame_resolve", torque=(0, 100, 0)),
        "Revolute4": Revolute(n=Y, fixed="phi w"),
    },
    """
    frameTorque1.b body1.b; fixed1.b Revolute1.a; Revolute1.b body1.a; fixed2.b Revolute2.a; Revolute2.b
    body2.a; frameTorque2.b body2.b; body2.b frameTorque2.resolve; frameTorque3.b body3.b; Revolute3.b body3.a;
    Revolute4.b body4.a; frameTorque4.b body4.b; world.b Revolute3.a; world.b Revolute4.a; Revolute4.a
    frameTorque4.resolve
    """,
)

define(
    "forces",
    "Forces.Torque",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "body2": BodyCylinder(r=X),
        "fixed3": Fixed(r=(0, -0.5, 0)),
        "fixedRotation": FixedRotation(n=Z, angle=45),
        "torque1": Torque(resolve="frame_b", torque=(-100, 100, 0)),
        "torque2": Torque(resolve="frame_resolve", torque=(-100, 100, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "Revolute3": Revolute(fixed="phi w"),
        "Revolute4": Revolute(fixed="phi w"),
        "fixed2": Fixed(r=(1.5, 0.25, 0)),
        "fixed4": Fixed(r=(1.5, -0.25, 0)),
    },
    """
    torque1.b body1.b; Revolute1.b body1.a; Revolute2.b body2.a; torque2.b body2.b; Revolute3.a fixed1.b;
    Revolute3.b Revolute1.a; fixedRotation.b torque2.resolve; fixed3.b Revolute4.a; Revolute4.b Revolute2.a;
    fixed3.b fixedRotation.a; torque1.a fixed2.b; fixed4.b torque2.a
    """,
)

define(
    "forces",
    "Forces.Torque2",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "body2": BodyCylinder(r=X),
        "fixed3": Fixed(r=(0, -0.5, 0)),
        "fixedRotation": FixedRotation(n=Z, angle=45),
        "torque1": Torque(resolve="frame_b", torque=(-100, 100, 0)),
        "torque2": Torque(resolve="frame_resolve", torque=(-100, 100, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "Revolute3": Revolute(fixed="phi w"),
        "Revolute4": Revolute(fixed="phi w"),
        "fixed2": Fixed(r=(1.5, 0.25, 0)),
        "fixed4": Fixed(r=(1.5, -0.25, 0)),
        "Revolute5": Revolute(n=Y, fixed="phi w"),
        "body3": BodyCylinder(r=X),
        "fixed5": Fixed(r=(0, 0.5, 0)),
        "body4": BodyCylinder(r=X),
        "fixed6": Fixed(r=(0, -0.5, 0)),
        "fixedRotation1": FixedRotation(n=Z, angle=45),
        "torque3": ForceAndTorque(force=(0, 0, 0), torque=(-100, 100, 0)),
        "torque4": ForceAndTorque(resolve="frame_resolve", force=(0, 0, 0), torque=(-100, 100, 0)),
        "Revolute6": Revolute(n=Y, fixed="phi w"),
        "Revolute7": Revolute(fixed="phi w"),
        "Revolute8": Revolute(fixed="phi w"),
        "fixed7": Fixed(r=(1.5, 0.25, 0)),
        "fixed8": Fixed(r=(1.5, -0.25, 0)),
    },
    """
    torque1.b body1.b; Revolute1.b body1.a; Revolute2.b body2.a; torque2.b body2.b; Revolute3.a fixed1.b;
    Revolute3.b Revolute1.a; fixedRotation.b torque2.resolve; fixed3.b Revolute4.a; Revolute4.b Revolute2.a;
    fixed3.b fixedRotation.a; torque1.a fixed2.b; fixed4.b torque2.a; torque3.b body3.b; Revolute5.b body3.a;
    Revolute6.b body4.a; torque4.b body4.b; Revolute7.a fixed5.b; Revolute7.b Revolute5.a; fixedRotation1.b
    torque4.resolve; fixed6.b Revolute8.a; Revolute8.b Revolute6.a; fixed6.b fixedRotation1.a; torque3.a
    fixed7.b; fixed8.b torque4.a
    """,
)

define(
    "forces",
    "Forces.Torque3",
    {
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "body1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "body2": BodyCylinder(r=X),
        "fixed3": Fixed(r=(0, -0.5, 0)),
        "torque1": Torque(resolve="frame_b", torque=(-100, 100, 0)),
        "torque2": Torque(resolve="frame_resolve", torque=(-100, 100, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "Revolute3": Revolute(fixed="phi w"),
        "Revolute4": Revolute(fixed="phi w"),
        "fixed2": Fixed(r=(1.5, 0.25, 0)),
        "fixed4": Fixed(r=(1.5, -0.25, 0)),
        "Revolute5": Revolute(n=Y, fixed="phi w"),
        "body3": BodyCylinder(r=X),
        "body4": BodyCylinder(r=X),
        "torque3": ForceAndTorque(resolve="world", force=(0, 0, 0), torque=(-100, 100, 0)),
        "torque4": ForceAndTorque(resolve="frame_resolve", force=(0, 0, 0), torque=(-100, 100, 0)),
        "Revolute6": Revolute(n=Y, fixed="phi w"),
        "Revolute7": Revolute(fixed="phi w"),
        "Revolute8": Revolute(fixed="phi w"),
        "fixed7": Fixed(r=(1.5, 0.25, 0)),
        "fixed8": Fixed(r=(1.5, -0.25, 0)),
    },
    """
    torque1.b body1.b; Revolute1.b body1.a; Revolute2.b body2.a; torque2.b body2.b; Revolute3.a fixed1.b;
    Revolute3.b Revolute1.a; fixed3.b Revolute4.a; Revolute4.b Revolute2.a; torque1.a fixed2.b; fixed4.b
    torque2.a; torque3.b body3.b; Revolute5.b body3.a; Revolute6.b body4.a; torque4.b body4.b; Revolute7.b
    Revolute5.a; Revolute8.b Revolute6.a; torque3.a fixed7.b; fixed8.b torque4.a; body2.b torque2.resolve;
    world.b Revolute7.a; world.b Revolute8.a; world.b torque4.resolve
    """,
)

define(
    "forces",
    "Forces.WorldForces",
    {
        "Revolute1": Revolute(fixed="phi w"),
        "BodyCylinder1": BodyCylinder(r=X),
        "worldForce": WorldForce(force=(0, 500, 0)),
        "fixed2": Fixed(r=(0, -0.5, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "BodyCylinder2": BodyCylinder(r=X),
        "worldTorque1": WorldTorque(torque=(100, 100, 100)),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "Revolute3": Revolute(fixed="phi w"),
        "BodyCylinder3": BodyCylinder(r=X),
        "fixed3": Fixed(r=(0, -1, 0)),
        "Revolute4": Revolute(n=Y, fixed="phi w"),
        "forceAndTorque": WorldForceAndTorque(resolve="world", force=(0, 500, 0), torque=(100, 100, 100)),
    },
    """
    BodyCylinder1.a Revolute1.b; worldForce.b BodyCylinder1.b; fixed2.b Revolute2.a; BodyCylinder2.a
    Revolute2.b; worldTorque1.b BodyCylinder2.b; fixed1.b Revolute1.a; fixed3.b Revolute3.a; Revolute3.b
    Revolute4.a; Revolute4.b BodyCylinder3.a; forceAndTorque.b BodyCylinder3.b
    """,
)

define(
    "forces",
    "Forces.WorldForces2",
    {
        "Revolute1": Revolute(fixed="phi w"),
        "BodyCylinder1": BodyCylinder(r=X),
        "worldForce": WorldForce(force=(0, 500, 0)),
        "fixed1": Fixed(r=(0, 0.5, 0)),
        "Revolute2": Revolute(fixed="phi w"),
        "BodyCylinder2": BodyCylinder(r=X),
        "worldForce1": WorldForce(resolve="frame_resolve", force=(0, 500, 0)),
        "fixed2": Fixed(r=(0, 0.5, 0)),
        "Revolute3": Revolute(fixed="phi w"),
        "BodyCylinder3": BodyCylinder(r=X),
        "fixed3": Fixed(r=(0, 0.5, 0)),
        "worldForce2": WorldForce(resolve="frame_b", force=("0", "500*sin(2*pi*1/0.403*t)", "0")),
    },
    """
    BodyCylinder1.a Revolute1.b; worldForce.b BodyCylinder1.b; fixed1.b Revolute1.a; BodyCylinder2.a
    Revolute2.b; worldForce1.b BodyCylinder2.b; fixed2.b Revolute2.a; world.b worldForce1.resolve;
    BodyCylinder3.a Revolute3.b; fixed3.b Revolute3.a; worldForce2.b BodyCylinder3.b
    """,
)

define(
    "forces",
    "Forces.WorldTorques",
    {
        "fixed2": Fixed(r=(0, -0.5, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "BodyCylinder2": BodyCylinder(r=X),
        "worldTorque1": WorldTorque(torque=(100, 100, 100)),
        "fixed1": Fixed(r=(0, -0.5, 0)),
        "Revolute1": Revolute(n=Y, fixed="phi w"),
        "BodyCylinder1": BodyCylinder(r=X),
        "worldTorque2": WorldTorque(resolve="frame_resolve", torque=(100, 100, 100)),
        "Revolute3": Revolute(n=Y, fixed="phi w"),
        "BodyCylinder3": BodyCylinder(r=X),
        "fixed3": Fixed(r=(0, 0.5, 0)),
        "worldTorque3": WorldTorque(
            resolve="frame_b", torque=("100*sin(2*pi*5*t)", "100*sin(2*pi*5*t)", "100*sin(2*pi*5*t)")
        ),
    },
    """
    fixed2.b Revolute2.a; BodyCylinder2.a Revolute2.b; worldTorque1.b BodyCylinder2.b; fixed1.b Revolute1.a;
    BodyCylinder1.a Revolute1.b; worldTorque2.b BodyCylinder1.b; world.b worldTorque2.resolve; BodyCylinder3.a
    Revolute3.b; fixed3.b Revolute3.a; worldTorque3.b BodyCylinder3.b
    """,
)

define(
    "forces",
    "Forces.WorldForceAndTorque",
    {
        "Revolute3": Revolute(fixed="phi w"),
        "BodyCylinder3": BodyCylinder(r=X),
        "fixed3": Fixed(r=(0, -1, 0)),
        "Revolute4": Revolute(n=Y, fixed="phi w"),
        "forceAndTorque": WorldForceAndTorque(resolve="world", force=(0, 500, 0), torque=(100, 100, 100)),
        "Revolute1": Revolute(fixed="phi w"),
        "BodyCylinder1": BodyCylinder(r=X),
        "fixed1": Fixed(r=(0, -1, 0)),
        "Revolute2": Revolute(n=Y, fixed="phi w"),
        "forceAndTorque1": WorldForceAndTorque(resolve="frame_resolve", force=(0, 500, 0), torque=(100, 100, 100)),
        "Revolute5": Revolute(fixed="phi w"),
        "BodyCylinder2": BodyCylinder(r=X),
        "fixed2": Fixed(r=(0, -1, 0)),
        "Revolute6": Revolute(n=Y, fixed="phi w"),
        "forceAndTorque2": WorldForceAndTorque(resolve="frame_b", force=(0, 500, 0), torque=(100, 100, 100)),
    },
    """
    fixed3.b Revolute3.a; Revolute3.b Revolute4.a; Revolute4.b BodyCylinder3.a; forceAndTorque.b
    BodyCylinder3.b; fixed1.b Revolute1.a; Revolute1.b Revolute2.a; Revolute2.b BodyCylinder1.a;
    forceAndTorque1.b BodyCylinder1.b; world.b forceAndTorque1.resolve; fixed2.b Revolute5.a; Revolute5.b
    Revolute6.a; Revolute6.b BodyCylinder2.a; forceAndTorque2.b BodyCylinder2.b
    """,
)
