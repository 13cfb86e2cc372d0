"""ModelicaTest.MultiBody.Sensors: motions, distances, cut forces and torques."""

from __future__ import annotations

from .joints import Revolute, Weld, Z
from .loads import WorldForce, WorldForceAndTorque, WorldTorque
from .network import GRAVITY
from .parts import Body, BodyBox, Distance, Fixed, FixedRotation, FixedTranslation, Sensor, X
from .reference import REASON, define

define(
    "sensors",
    "Sensors.AbsoluteSensor",
    {
        "rev": Revolute(n=Z, fixed="phi w", d=0.1),
        "rev1": Revolute(n=X, fixed="phi w", d=0.1),
        "box": BodyBox(r=(1, 0, 1)),
        "sensor_frame_a1": Sensor(resolve="frame_a"),
        "sensor_frame_a2": Sensor(resolve="frame_resolve"),
        "sensor_world1": Sensor(resolve="world"),
        "sensor_world2": Sensor(resolve="frame_resolve"),
    },
    """
    world.b rev.a; rev.b rev1.a; rev1.b box.a; box.b sensor_frame_a1.a; box.b sensor_world1.a; box.b
    sensor_frame_a2.a; box.b sensor_world2.a; sensor_world2.resolve world.b; sensor_frame_a2.resolve rev1.b
    """,
    reason=f"{REASON}. Between compared times, in a peak of 10 ms at 0.99 s, accelerations differ by at most 3.9e-3",
)

define(
    "sensors",
    "Sensors.AbsoluteSensor2",
    {
        "fixedRotation": FixedRotation(r=(0.5, 0.5, 0.1), angles=(45, 45, 45)),
        "freeMotion": Sensor(resolve="world"),
    },
    """
    world.b fixedRotation.a; fixedRotation.b freeMotion.a
    """,
    run={"at_rest": True},
)

define(
    "sensors",
    "Sensors.Distance",
    {
        "rev": Revolute(n=Z, fixed="phi w", d=0.1),
        "fixed": Fixed(r=(0, -1, 0)),
        "Distance1": Distance(),
        "BodyBox1": BodyBox(r=(0.5, 0, 0)),
    },
    """
    world.b rev.a; rev.b BodyBox1.a; Distance1.b BodyBox1.b; Distance1.a fixed.b
    """,
)

define(
    "sensors",
    "Sensors.Distance2",
    {
        "Revolute1": Revolute(phi=0.5235987755982988, fixed="phi w"),
        "BodyBox1": BodyBox(r=X, width=0.08),
        "fixed": Fixed(r=X),
        "distance1": Distance(),
        "distance2": Distance(),
    },
    """
    world.b Revolute1.a; Revolute1.b BodyBox1.a; BodyBox1.b distance1.a; distance1.b fixed.b; Revolute1.a
    distance2.a; Revolute1.b distance2.b
    """,
)

define(
    "sensors",
    "Sensors.CutForce",
    {
        "cutForce1a": Weld(),
        "translate1a": FixedTranslation(r=(0, -1, 0)),
        "body1a": Body(r_CM=(0, 0, 0), m=1),
        "cutForce2a": Weld(positiveSign=False, resolve="world"),
        "translate2a": FixedTranslation(r=(0, -1, 0)),
        "body2a": Body(r_CM=(0, 0, 0), m=1),
        "rotate1a": FixedRotation(n=Z, angle=90, r=(0, 0, -0.2)),
        "rotate2a": FixedRotation(n=Z, angle=90, r=(0, 0, 0.2)),
        "cutForce1b": Weld(resolve="frame_resolve"),
        "translate1b": FixedTranslation(r=(0, -1, 0)),
        "body1b": Body(r_CM=(0, 0, 0), m=1),
        "rotate1b": FixedRotation(n=Z, angle=90, r=(0, 0, -0.6)),
        "cutForce2b": Weld(positiveSign=False, resolve="frame_resolve"),
        "translate2b": FixedTranslation(r=(0, -1, 0)),
        "body2b": Body(r_CM=(0, 0, 0), m=1),
        "rotate2b": FixedRotation(n=Z, angle=90, r=(0, 0, 0.6)),
    },
    """
    world.b rotate1a.a; rotate1a.b cutForce1a.a; rotate2a.b cutForce2a.a; rotate2a.a world.b; rotate1b.b
    cutForce1b.a; cutForce1b.resolve rotate1b.b; world.b rotate1b.a; rotate2b.b cutForce2b.a; rotate2b.a
    world.b; cutForce2b.resolve world.b; cutForce1b.b translate1b.a; translate1b.b body1b.a; cutForce1a.b
    translate1a.a; translate1a.b body1a.a; cutForce2a.b translate2a.a; translate2a.b body2a.a; cutForce2b.b
    translate2b.a; translate2b.b body2b.a
    """,
)

define(
    "sensors",
    "Sensors.CutForce2",
    {
        "cutForce": Weld(),
        "fixedRotation": FixedRotation(r=(0.5, 0.5, 0.1)),
        "WorldForce1": WorldForce(force=(500, 0, 0)),
    },
    """
    world.b fixedRotation.a; fixedRotation.b cutForce.a; cutForce.b WorldForce1.b
    """,
    run={"at_rest": True},
)

define(
    "sensors",
    "Sensors.CutForce3",
    {
        "cutForce": Weld(),
        "fixedRotation": FixedRotation(r=(0.5, 0.5, 0.1)),
        "WorldForce1": WorldForce(force=(500, 0, 0)),
    },
    """
    world.b fixedRotation.a; fixedRotation.b cutForce.a; cutForce.b WorldForce1.b
    """,
    run={"at_rest": True},
)

define(
    "sensors",
    "Sensors.CutTorque",
    {
        "cutTorque1a": Weld(),
        "translate1a": FixedTranslation(r=(0, -1, 0)),
        "body1a": Body(r_CM=(0, 0, 0), m=1),
        "cutTorque2a": Weld(positiveSign=False, resolve="world"),
        "translate2a": FixedTranslation(r=(0, -1, 0)),
        "body2a": Body(r_CM=(0, 0, 0), m=1),
        "rotate1a": FixedRotation(n=Z, angle=90, r=(0, 0, -0.2)),
        "rotate2a": FixedRotation(n=Z, angle=90, r=(0, 0, 0.2)),
        "cutTorque1b": Weld(resolve="frame_resolve"),
        "translate1b": FixedTranslation(r=(0, -1, 0)),
        "body1b": Body(r_CM=(0, 0, 0), m=1),
        "rotate1b": FixedRotation(n=Z, angle=90, r=(0, 0, -0.6)),
        "cutTorque2b": Weld(positiveSign=False, resolve="frame_resolve"),
        "translate2b": FixedTranslation(r=(0, -1, 0)),
        "body2b": Body(r_CM=(0, 0, 0), m=1),
        "rotate2b": FixedRotation(n=Z, angle=90, r=(0, 0, 0.6)),
    },
    """
    world.b rotate1a.a; rotate1a.b cutTorque1a.a; rotate2a.b cutTorque2a.a; rotate2a.a world.b; rotate1b.b
    cutTorque1b.a; cutTorque1b.resolve rotate1b.b; world.b rotate1b.a; rotate2b.b cutTorque2b.a; rotate2b.a
    world.b; cutTorque2b.resolve world.b; cutTorque1b.b translate1b.a; translate1b.b body1b.a; cutTorque1a.b
    translate1a.a; translate1a.b body1a.a; cutTorque2a.b translate2a.a; translate2a.b body2a.a; cutTorque2b.b
    translate2b.a; translate2b.b body2b.a
    """,
    gravity=(0.0, 0.0, -GRAVITY),
)

define(
    "sensors",
    "Sensors.CutTorque2",
    {
        "cutTorque": Weld(),
        "fixedRotation": FixedRotation(r=(0.5, 0.5, 0.1)),
        "worldTorque": WorldTorque(torque=(500, 0, 0)),
    },
    """
    world.b fixedRotation.a; fixedRotation.b cutTorque.a; cutTorque.b worldTorque.b
    """,
    run={"at_rest": True},
)

define(
    "sensors",
    "Sensors.CutTorque3",
    {
        "cutTorque": Weld(),
        "fixedRotation": FixedRotation(r=(0.5, 0.5, 0.1)),
        "worldTorque": WorldTorque(torque=(500, 0, 0)),
    },
    """
    world.b fixedRotation.a; fixedRotation.b cutTorque.a; cutTorque.b worldTorque.b
    """,
    run={"at_rest": True},
)

define(
    "sensors",
    "Sensors.CutForceAndTorque1",
    {
        "cutForce1a": Weld(),
        "cutForce1b": Weld(resolve="frame_resolve"),
        "cutForce2a": Weld(positiveSign=False, resolve="world"),
        "cutForce2b": Weld(positiveSign=False, resolve="frame_resolve"),
        "translate1a": FixedTranslation(r=(0, -1, 0)),
        "translate1b": FixedTranslation(r=(0, -1, 0)),
        "translate2a": FixedTranslation(r=(0, -1, 0)),
        "translate2b": FixedTranslation(r=(0, -1, 0)),
        "rotate1a": FixedRotation(n=Z, angle=90, r=(0, 0, -0.2)),
        "rotate1b": FixedRotation(n=Z, angle=90, r=(0, 0, -0.6)),
        "rotate2a": FixedRotation(n=Z, angle=90, r=(0, 0, 0.2)),
        "rotate2b": FixedRotation(n=Z, angle=90, r=(0, 0, 0.6)),
        "body1a": Body(r_CM=(0, 0, 0), m=1),
        "body1b": Body(r_CM=(0, 0, 0), m=1),
        "body2a": Body(r_CM=(0, 0, 0), m=1),
        "body2b": Body(r_CM=(0, 0, 0), m=1),
    },
    """
    world.b rotate1a.a; rotate1a.b cutForce1a.a; rotate2a.b cutForce2a.a; rotate2a.a world.b; rotate1b.b
    cutForce1b.a; cutForce1b.resolve rotate1b.b; world.b rotate1b.a; rotate2b.b cutForce2b.a; rotate2b.a
    world.b; cutForce2b.resolve world.b; cutForce1b.b translate1b.a; translate1b.b body1b.a; cutForce1a.b
    translate1a.a; translate1a.b body1a.a; cutForce2a.b translate2a.a; translate2a.b body2a.a; cutForce2b.b
    translate2b.a; translate2b.b body2b.a
    """,
)

define(
    "sensors",
    "Sensors.CutForceAndTorque2",
    {
        "cutForce1a": Weld(),
        "translate1a": FixedTranslation(r=(0, -1, 0)),
        "body1a": Body(r_CM=(0, 0, 0), m=1),
        "cutForce2a": Weld(positiveSign=False, resolve="world"),
        "translate2a": FixedTranslation(r=(0, -1, 0)),
        "body2a": Body(r_CM=(0, 0, 0), m=1),
        "rotate1a": FixedRotation(n=Z, angle=90, r=(0, 0, -0.2)),
        "rotate2a": FixedRotation(n=Z, angle=90, r=(0, 0, 0.2)),
        "cutForce1b": Weld(resolve="frame_resolve"),
        "translate1b": FixedTranslation(r=(0, -1, 0)),
        "body1b": Body(r_CM=(0, 0, 0), m=1),
        "rotate1b": FixedRotation(n=Z, angle=90, r=(0, 0, -0.6)),
        "cutForce2b": Weld(positiveSign=False, resolve="frame_resolve"),
        "translate2b": FixedTranslation(r=(0, -1, 0)),
        "body2b": Body(r_CM=(0, 0, 0), m=1),
        "rotate2b": FixedRotation(n=Z, angle=90, r=(0, 0, 0.6)),
    },
    """
    world.b rotate1a.a; rotate1a.b cutForce1a.a; rotate2a.b cutForce2a.a; rotate2a.a world.b; rotate1b.b
    cutForce1b.a; cutForce1b.resolve rotate1b.b; world.b rotate1b.a; rotate2b.b cutForce2b.a; rotate2b.a
    world.b; cutForce2b.resolve world.b; cutForce1b.b translate1b.a; translate1b.b body1b.a; cutForce1a.b
    translate1a.a; translate1a.b body1a.a; cutForce2a.b translate2a.a; translate2a.b body2a.a; cutForce2b.b
    translate2b.a; translate2b.b body2b.a
    """,
    gravity=(0.0, 0.0, -GRAVITY),
)

define(
    "sensors",
    "Sensors.CutForceAndTorque3",
    {
        "cutForceAndTorque": Weld(),
        "fixedRotation": FixedRotation(r=(0.5, 0.5, 0.1)),
        "forceAndTorque": WorldForceAndTorque(resolve="world", force=(500, 0, 0), torque=(450, -250, 0)),
    },
    """
    forceAndTorque.b cutForceAndTorque.b; world.b fixedRotation.a; fixedRotation.b cutForceAndTorque.a
    """,
    run={"at_rest": True},
)
