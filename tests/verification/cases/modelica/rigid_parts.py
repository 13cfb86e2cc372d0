"""ModelicaTest.MultiBody.Parts: rigid parts, rotors and gears; Frames and InitializationConversion."""

from __future__ import annotations

from .drives import filtered
from .joints import FreeMotion, GearConstraint, Revolute, Spherical, Weld, Y, Z
from .loads import Inertia, Rotor1D, Spring, Torque, WorldTorque
from .network import Network
from .parts import Body, BodyBox, BodyCylinder, BodyShape, Fixed, FixedRotation, FixedTranslation, PointMass, X
from .reference import define

THIN, THICK = BodyCylinder(r=(0.4, 0, 0), diameter=0.1), BodyCylinder(r=(0.4, 0, 0), diameter=0.2)


def led(net: Network) -> None:
    """Turn both carriers: Modelica's filter of the position 2 sin(2 pi t) is a damped oscillator of 50 Hz."""
    for name in ("r1", "r2"):
        net.model.driver(f"{name}_position", f"{name}.angle", filtered(2.0, 1.0))


def gear(net: Network) -> None:
    """Couple two rotors of drive trains with the ratio 10."""
    net.model.equation("gear", "inertia1.angle - 10*inertia2.angle", unit="rad")


def coupled(net: Network) -> None:
    """Couple rotors by springs of 1e4 N m/rad."""
    for k in (5, 7, 9):
        first, second = f"rotor1D{k}", f"rotor1D{k + 1}"
        twist = f"1e4*({second}.angle - {first}.angle)"
        net.model.motor(f"spring{k}", first, twist)
        net.model.motor(f"back{k}", second, f"-{twist}")


define(
    "parts",
    "Parts.FixedTranslation",
    {
        "fixedTranslation": FixedTranslation(r=(1, 0.5, 0)),
        "fixed1": Weld(),
    },
    """
    fixed1.b fixedTranslation.a; world.b fixed1.a
    """,
    run={"at_rest": True},
)

define(
    "parts",
    "Parts.BodyShape",
    {
        "bar2": FixedTranslation(r=(0.8, 0, 0)),
        "spring1": Spring(c=20, s_unstretched=0),
        "body": BodyShape(m=1, r=(0.4, 0, 0), r_CM=(0.2, 0, 0), I=(1, 1, 1)),
        "spring2": Spring(c=20, s_unstretched=0),
        "freeMotion": FreeMotion(r=(0.2, -0.5, 0.1)),
    },
    """
    world.b bar2.a; world.b spring1.a; world.b freeMotion.a; spring1.b body.a; freeMotion.b body.a; body.b
    spring2.b; bar2.b spring2.a
    """,
)

define(
    "parts",
    "Parts.Bodies",
    {
        "body2": Body(m=1, r_0=(0.8, 0.2, 0), r_CM=(0, 0, 0), I=(1, 1, 1)),
        "bodyShape": BodyShape(m=1, r_CM=(0.3, 0, 0), r=(0.6, 0, 0), I=(1, 1, 1)),
        "BodyBox1": BodyBox(r=X),
        "bodyCylinder": BodyCylinder(r=X, inner=0.025),
        "at3": FixedTranslation(r=(0, -0.3, 0)),
        "Fixed3": Weld(),
        "at4": FixedTranslation(r=(0, -0.6, 0)),
        "Fixed4": Weld(),
        "at5": FixedTranslation(r=(0, -0.8, 0)),
        "Fixed5": Weld(),
        "body1": Body(m=1, r_CM=(0.3, 0, 0), r_0=(0.8, 0.2, 0), I=(1, 1, 1)),
        "at1": FixedTranslation(r=(0, 0.2, 0)),
        "Fixed1": Weld(),
        "at2": FixedTranslation(r=(0, 0, 0)),
        "Fixed2": Weld(),
    },
    """
    world.b at1.a; at1.b Fixed1.a; Fixed1.b body1.a; world.b at2.a; at2.b Fixed2.a; Fixed2.b body2.a; world.b
    at3.a; at3.b Fixed3.a; Fixed3.b bodyShape.a; world.b at4.a; at4.b Fixed4.a; Fixed4.b BodyBox1.a; world.b
    at5.a; at5.b Fixed5.a; Fixed5.b bodyCylinder.a
    """,
    run={"at_rest": True},
)

define(
    "parts",
    "Parts.PointMass",
    {
        "fixedTranslation": FixedTranslation(r=X),
        "pointMass": PointMass(m=5),
        "rev": Revolute(fixed="phi w"),
    },
    """
    fixedTranslation.b pointMass.a; world.b rev.a; rev.b fixedTranslation.a
    """,
)

define(
    "parts",
    "Parts.FixedRotation",
    {
        "fixedRotation": FixedRotation(angle=47),
        "fixedRotation1": FixedRotation(r=(1, 1, 1), n_x=Y, n_y=Z),
        "fixedRotation2": FixedRotation(n_x=Y, n_y=Z, angles=(30, 20, 10), r=(-1, 0, 1)),
    },
    """
    world.b fixedRotation.a; fixedRotation1.a world.b; fixedRotation2.a world.b
    """,
    run={"at_rest": True},
)

define(
    "parts",
    "Frames.AngularVelocity",
    {
        "bar2": FixedTranslation(r=(0.8, 0, 0)),
        "spring1": Spring(c=20, s_unstretched=0),
        "body": BodyShape(
            m=1,
            r=(0.4, 0, 0),
            r_CM=(0.2, 0, 0),
            angles=(0.174532925199433, 0.174532925199433, 0.174532925199433),
            r_0=(0.2, -0.5, 0.1),
            I=(1, 1, 1),
        ),
        "spring2": Spring(c=20, s_unstretched=0),
        "FrameTorque1": WorldTorque(resolve="frame_b", torque=(10, 0, 0)),
    },
    """
    bar2.a world.b; spring1.b body.a; spring2.b body.b; bar2.b spring2.a; spring1.a world.b; FrameTorque1.b
    body.b
    """,
)

define(
    "parts",
    "Parts.Rotor1D.Rotor1D_1",
    {
        "spherical1": Spherical(),
        "bodyCylinder1": BodyCylinder(r=(0.25, 0, 0), diameter=0.05),
        "fixedRotation1": FixedRotation(angle=45, n=Y),
        "revolute": Revolute(n=X, w=8.726646259971648, fixed="phi w"),
        "fixedTranslation": FixedTranslation(r=(-0.1, 0, 0)),
        "bodyCylinder2": BodyCylinder(diameter=0.1, r=(0.2, 0, 0)),
        "fixed": Fixed(),
        "spherical2": Spherical(),
        "bodyCylinder3": BodyCylinder(r=(0.25, 0, 0), diameter=0.05),
        "fixedRotation2": FixedRotation(n=Y, angle=45),
        "fixedTranslation1": FixedTranslation(r=(-0.1, 0, 0)),
        "bodyCylinder4": BodyCylinder(diameter=0.1, r=(0.2, 0, 0)),
        "rotor1D": Rotor1D(
            J=BodyCylinder(r=(0.2, 0, 0), diameter=0.1).axial, locked="bodyCylinder4.frame_a", w=8.726646259971648
        ),
    },
    """
    world.b spherical1.a; spherical1.b bodyCylinder1.a; bodyCylinder1.b fixedRotation1.a; fixedRotation1.b
    revolute.a; revolute.b fixedTranslation.a; fixedTranslation.b bodyCylinder2.a; spherical2.b bodyCylinder3.a;
    bodyCylinder3.b fixedRotation2.a; fixed.b spherical2.a; fixedTranslation1.b bodyCylinder4.a;
    fixedRotation2.b fixedTranslation1.a; rotor1D.a fixedRotation2.b
    """,
)

define(
    "parts",
    "Parts.Rotor1D.Rotor1D_2",
    {
        "bodyCylinder": BodyShape(r=(0.5, 0, 0), m=0, I=(2, 2, 2)),
        "revolute": Revolute(n=X, fixed="phi w"),
        "torque": Torque(resolve="frame_resolve", torque=("sin(2*pi*1*t)", "0", "0")),
        "fixed": Fixed(),
        "rotor1D": Rotor1D(J=2, tau="sin(2*pi*t)"),
    },
    """
    world.b revolute.a; revolute.b bodyCylinder.a; torque.b bodyCylinder.b; torque.resolve world.b; torque.a
    world.b; fixed.b rotor1D.a
    """,
    gravity=(0.0, 0.0, 0.0),
)

define(
    "parts",
    "Parts.Rotor1D.Rotor1D_3",
    {
        "bodyCylinder": BodyShape(r=(0.5, 0, 0), m=0, I=(2, 2, 2)),
        "revolute": Revolute(n=X, fixed="phi w"),
        "torque": Torque(resolve="frame_resolve", torque=("sin(2*pi*1*t)", "0", "0")),
        "rotor1D": Rotor1D(J=2, tau="sin(2*pi*t)"),
        "r1": Revolute(n=Y),
        "r2": Revolute(n=Y),
        "fixed": Fixed(),
    },
    """
    revolute.b bodyCylinder.a; torque.b bodyCylinder.b; r1.a world.b; r1.b revolute.a; torque.resolve
    revolute.a; torque.a revolute.a; fixed.b r2.a; r2.b rotor1D.a
    """,
    gravity=(0.0, 0.0, 0.0),
    extra=led,
    free=True,
)

define(
    "parts",
    "Parts.Rotor1D.GearConstraint",
    {
        "gearConstraint": GearConstraint(ratio=10),
        "cyl1": THIN,
        "cyl2": THICK,
        "torque1": Torque(resolve="frame_b", torque=("2*sin(2*pi*1*t)", "0", "0")),
        "inertia1": Inertia(J=THIN.axial, tau="2*sin(2*pi*t)", phi=0, w=0, fixed="phi w"),
        "inertia2": Inertia(J=THICK.axial),
    },
    """
    world.b gearConstraint.bearing; cyl1.b gearConstraint.a; gearConstraint.b cyl2.a; torque1.b cyl1.a;
    torque1.a world.b
    """,
    gravity=(0.0, 0.0, 0.0),
    extra=gear,
)

define(
    "parts",
    "Parts.Rotor1D.GearConstraint2",
    {
        "gc1": GearConstraint(ratio=5, r_a=X, r_b=X, n_a=X, n_b=X),
        "gc2": GearConstraint(n_a=X, n_b=X, r_a=X, r_b=X, ratio=2.5),
        "bodyCylinder": BodyCylinder(diameter=0.3, r=(0.1, 0, 0)),
        "bodyCylinder1": BodyCylinder(diameter=0.3, r=(0.1, 0, 0)),
        "bodyCylinder2": BodyCylinder(diameter=0.3, r=(0.2, 0, 0)),
        "bodyCylinder3": BodyCylinder(diameter=0.3, r=(0.2, 0, 0)),
        "fixedTranslation": FixedTranslation(r=Z),
        "fixedTranslation1": FixedTranslation(r=(0.5, 0, 0)),
        "fixedTranslation2": FixedTranslation(r=(0.5, 0, 0)),
        "torque1": Torque(torque=("100*min(max((t - 0)/2, 0), 1)", "0", "0")),
        "torque2": Torque(torque=("100*min(max((t - 0)/2, 0), 1)", "0", "0")),
    },
    """
    gc2.b bodyCylinder3.a; fixedTranslation.a world.b; gc1.b bodyCylinder2.a; bodyCylinder.b
    fixedTranslation1.a; fixedTranslation1.b gc1.a; bodyCylinder1.b fixedTranslation2.a; fixedTranslation2.b
    gc2.a; fixedTranslation.a gc1.bearing; fixedTranslation.a torque1.a; torque1.b bodyCylinder.a;
    fixedTranslation.b torque2.a; fixedTranslation.b gc2.bearing; torque2.b bodyCylinder1.a
    """,
)

define(
    "parts",
    "Parts.Rotor1D.GearConstraint3",
    {
        "gearConstraint": GearConstraint(
            ratio=10,
            n_a=X,
            n_b=Y,
        ),
        "revolute1": Revolute(n=X, fixed="phi w", tau="110*sin(2*pi*5*t)"),
        "revolute2": Revolute(n=Y, fixed="phi w", tau="120*sin(2*pi*6*t)"),
        "revolute3": Revolute(n=Z, fixed="phi w", tau="130*sin(2*pi*7*t)"),
        "bodyBox1": BodyBox(r=(0.1, 0.1, 0.1), length=0.1, width=0.1),
        "bodyBox2": BodyBox(length=0.1, width=0.1, r=(1.1, 1.2, 1.3)),
        "bodyBox3": BodyBox(length=0.1, width=0.1, r=(0.11, 0.12, 0.13)),
        "torque": Torque(torque=("140*sin(2*pi*8*t)", "150*sin(2*pi*9*t)", "160*sin(2*pi*10*t)")),
    },
    """
    world.b revolute1.a; revolute1.b revolute2.a; revolute2.b revolute3.a; revolute3.b bodyBox1.a;
    gearConstraint.b bodyBox2.a; gearConstraint.a bodyBox3.b; gearConstraint.bearing revolute3.b; bodyBox3.a
    torque.b; torque.a revolute1.a
    """,
    reason="1e-3 of the largest value up to 0.25 s. The motion magnifies errors: the difference grows tenfold every 0.05 s "
    "from 0.2 s on",
)

define(
    "parts",
    "Parts.Rotor1D.Bevel1D",
    {
        "gearConstraint": GearConstraint(ratio=10),
        "cyl1": THIN,
        "cyl2": THICK,
        "torque1": Torque(resolve="frame_b", torque=("2*sin(2*pi*1*t)", "0", "0")),
        "inertia1": Inertia(J=THIN.axial, tau="2*sin(2*pi*t)", phi=0, w=0, fixed="phi w"),
        "inertia2": Inertia(J=THICK.axial),
    },
    """
    world.b gearConstraint.bearing; cyl1.b gearConstraint.a; gearConstraint.b cyl2.a; torque1.b cyl1.a;
    torque1.a world.b
    """,
    gravity=(0.0, 0.0, 0.0),
    extra=gear,
)

define(
    "parts",
    "InitializationConversion.Rotor1D",
    {
        "rotor1D1": Rotor1D(J=1),
        "rotor1D2": Rotor1D(J=1, w=1.74532925199433, phi=1.5707963267949),
        "rotor1D3": Rotor1D(J=1),
        "rotor1D4": Rotor1D(J=1),
        "rotor1D5": Rotor1D(J=1),
        "rotor1D6": Rotor1D(J=1),
        "rotor1D7": Rotor1D(J=1, w=0.03490658503988659, phi=0.017453292519943),
        "rotor1D8": Rotor1D(J=1, phi=0.017453292519943 + 0.05235987755982989 / 1e4),
        "rotor1D9": Rotor1D(J=1, w=0.03490658503988659, phi=0.017453292519943),
        "rotor1D10": Rotor1D(J=1, phi=0.017453292519943 + 0.05235987755982989 / 1e4),
    },
    """
    world.b rotor1D1.a; world.b rotor1D2.a; world.b rotor1D3.a; world.b rotor1D4.a; world.b rotor1D5.a;
    rotor1D5.a rotor1D6.a; world.b rotor1D7.a; rotor1D7.a rotor1D8.a; world.b rotor1D9.a; rotor1D9.a rotor1D10.a
    """,
    extra=coupled,
    reason="1e-3 of the largest value. Pairs of rotors and a spring oscillate without damping at 22.5 Hz with a twist of 2.5e-4 rad. "
    "The absolute tolerance of the reference, 1e-6 rad per step, is 0.4 % of the twist. The speeds of these rotors are not compared",
)
