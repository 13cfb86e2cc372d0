"""Modelica.Mechanics.MultiBody.Examples.Rotational3DEffects: drive trains on moving bodies."""

from __future__ import annotations

from .joints import GearConstraint, Revolute, Spherical, Y
from .loads import Inertia, Rotor1D, Torque
from .parts import BodyCylinder, BodyShape, Fixed, FixedRotation, FixedTranslation, X
from .reference import define
from .rigid_parts import THICK, THIN, gear, led

define(
    "rotational_3d",
    "Rotational3DEffects.ActuatedDrive",
    {
        "bodyCylinder": BodyShape(r=(0.5, 0, 0), m=0, I=(2, 2, 2)),
        "revolute": Revolute(n=X, fixed="phi w"),
        "torque": Torque(torque=("sin(2*pi*1*t)", "0", "0")),
        "fixed": Fixed(),
        "rotor1D": Rotor1D(J=2, tau="sin(2*pi*t)"),
    },
    """
    world.b revolute.a; revolute.b bodyCylinder.a; torque.b bodyCylinder.b; torque.a world.b; fixed.b rotor1D.a
    """,
    gravity=(0.0, 0.0, 0.0),
)

define(
    "rotational_3d",
    "Rotational3DEffects.GearConstraint",
    {
        "gearConstraint": GearConstraint(
            ratio=10,
        ),
        "cyl1": THIN,
        "cyl2": THICK,
        "torque1": Torque(torque=("2*sin(2*pi*1*t)", "0", "0")),
        "inertia1": Inertia(J=THIN.axial, tau="2*sin(2*pi*t)", phi=0, w=0, fixed="phi w"),
        "inertia2": Inertia(J=THICK.axial),
    },
    """
    world.b gearConstraint.bearing; cyl1.b gearConstraint.a; gearConstraint.b cyl2.a; torque1.b cyl1.a;
    torque1.a world.b
    """,
    extra=gear,
    gravity=(0.0, 0.0, 0.0),
)

define(
    "rotational_3d",
    "Rotational3DEffects.GyroscopicEffects",
    {
        "spherical1": Spherical(),
        "bodyCylinder1": BodyCylinder(r=(0.25, 0, 0), diameter=0.05),
        "fixedRotation1": FixedRotation(angle=45, n=Y),
        "revolute": Revolute(n=X, w=10, fixed="phi w"),
        "fixedTranslation": FixedTranslation(r=(-0.1, 0, 0)),
        "bodyCylinder2": BodyCylinder(diameter=0.1, r=(0.2, 0, 0)),
        "fixed": Fixed(),
        "spherical2": Spherical(),
        "bodyCylinder3": BodyCylinder(r=(0.25, 0, 0), diameter=0.05),
        "fixedRotation2": FixedRotation(n=Y, angle=45),
        "fixedTranslation1": FixedTranslation(r=(-0.1, 0, 0)),
        "bodyCylinder4": BodyCylinder(diameter=0.1, r=(0.2, 0, 0)),
        "rotor1D": Rotor1D(J=BodyCylinder(r=(0.2, 0, 0), diameter=0.1).axial, locked="bodyCylinder4.frame_a", w=10),
    },
    """
    world.b spherical1.a; spherical1.b bodyCylinder1.a; bodyCylinder1.b fixedRotation1.a; fixedRotation1.b
    revolute.a; revolute.b fixedTranslation.a; fixedTranslation.b bodyCylinder2.a; spherical2.b bodyCylinder3.a;
    bodyCylinder3.b fixedRotation2.a; fixed.b spherical2.a; fixedTranslation1.b bodyCylinder4.a;
    fixedRotation2.b fixedTranslation1.a; rotor1D.a fixedRotation2.b
    """,
)

define(
    "rotational_3d",
    "Rotational3DEffects.MovingActuatedDrive",
    {
        "bodyCylinder": BodyShape(r=(0.5, 0, 0), m=0, I=(2, 2, 2)),
        "revolute": Revolute(n=X, fixed="phi w"),
        "torque": Torque(torque=("sin(2*pi*1*t)", "0", "0")),
        "rotor1D": Rotor1D(J=2, tau="sin(2*pi*t)"),
        "r1": Revolute(n=Y),
        "r2": Revolute(n=Y),
        "fixed": Fixed(),
    },
    """
    revolute.b bodyCylinder.a; torque.b bodyCylinder.b; r1.a world.b; r1.b revolute.a; torque.a revolute.a;
    fixed.b r2.a; r2.b rotor1D.a
    """,
    extra=led,
    free=True,
    more={f"position{k}.w": lambda c, k=k: c.result[f"r{k}.angle.rate"] for k in (1, 2)},
    gravity=(0.0, 0.0, 0.0),
)
