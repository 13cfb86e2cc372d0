"""Modelica.Mechanics.MultiBody.Examples.Systems.RobotR3: the Manutec r3 with motors, gears and controllers."""

from __future__ import annotations

import numpy as np

from .joints import Revolute, Y
from .loads import Inertia
from .network import Network, Part
from .parts import BodyShape, X
from .reference import REASON, define
from .servo import Axis, point_to_point
from .train import Train, train

USES = "stick_slip, state, user_force; default method"


def one_axis(t: Train) -> None:
    axis = Axis(ratio=210.0, w=5500.0, c=8.0, cd=0.01, Rv0=0.5, Rv1=0.1 / 130)
    t.rotor("motor", axis.J)
    t.rotor("load", 1.3 * 15)
    reference = point_to_point([0.0], [np.deg2rad(120)], [3.0], [10.0])[0]
    t.m.user_force("emf", "motor.phi", axis.drive(t.m, "axis", "motor.phi", "motor.omega", reference))
    axis.friction(t.m, "bearing", "motor.phi", "motor.omega")
    twist = f"({axis.ratio!r}*load.phi - motor.phi)"
    t.m.define("twist", twist)
    law = f"({axis.c!r}*twist + {axis.cd!r}*({axis.ratio!r}*load.omega - motor.omega))"
    t.m.user_force("spring_motor", "motor.phi", law)
    t.m.user_force("spring_load", "load.phi", f"-{axis.ratio!r}*{law}")


train(
    "systems",
    "Systems.RobotR3.OneAxis",
    one_axis,
    {
        "axis.controller.PI.x": "axis_PI_x",
        "axis.gear.spring.phi_rel": "twist",
        "axis.gear.spring.w_rel": "twist.rate",
        "axis.initializeFlange.phi_flange": "load.phi",
        "axis.initializeFlange.w_flange": "load.omega",
        "axis.motor.C.v": "axis_C_v",
        "axis.motor.La.i": "axis_La_i",
    },
    reason=f"{REASON}. The published result has the earlier inertia 15*1.3 kg m² of the load; v4.1.0 has 15*1.14² kg m²",
    uses=USES,
)

BASE = {name: {"w": w, "ratio": r, "c": c, "cd": d, "Rv0": v0, "Rv1": v1} for name, w, r, c, d, v0, v1 in (
    ("1", 4590.0, -105.0, 43.0, 0.005, 0.4, 0.13 / 160),
    ("2", 5500.0, 210.0, 8.0, 0.01, 0.5, 0.1 / 130),
    ("3", 5500.0, 60.0, 58.0, 0.04, 0.7, 0.2 / 130),
)}  # fmt: skip
HAND = {name: {"k": k, "w": w, "D": d, "J": j, "ratio": r, "Rv0": v0, "Rv1": v1, "peak": p / v0}
    for name, k, w, d, j, r, v0, v1, p in (
    ("4", 0.2365, 6250.0, 0.55, 1.6e-4, -99.0, 21.8, 9.8, 26.7),
    ("5", 0.2608, 6250.0, 0.55, 1.8e-4, 79.2, 30.1, 0.03, 39.6),
    ("6", 0.0842, 7400.0, 0.27, 4.3e-5, -99.0, 10.9, 3.92, 16.8),
)}  # fmt: skip
AXES = {name: Axis(**numbers) for name, numbers in (BASE | HAND).items()}
START, END = (
    np.deg2rad(a).tolist() for a in ((-60.0, 20.0, 90.0, 0.0, -110.0, 0.0), (60.0, -70.0, -35.0, 45.0, 110.0, 45.0))
)
WAYS = point_to_point(START, END, [3.0, 1.5, 5.0, 3.1, 3.1, 4.1], [15.0, 15.0, 15.0, 60.0, 60.0, 60.0])
SMALL = 0.001  # default moment of inertia of a body [kg m²]
ARM: dict[str, Part] = {
    "b0": BodyShape(r=(0, 0.351, 0), m=1),
    "b1": BodyShape(
        r=(0, 0.324, 0.3), m=1, I=(0.58, 1.16, 0.58)
    ),  # turns about y only; Modelica has 0.001 twice, which no body reaches
    "b2": BodyShape(r=(0, 0.65, 0), r_CM=(0.172, 0.205, 0), m=56.5, I=(2.58, 0.64, 2.73), products=(-0.46, 0, 0)),
    "b3": BodyShape(
        r=(0, 0.414, -0.155), r_CM=(0.064, -0.034, 0), m=26.4, I=(0.279, 0.245, 0.413), products=(-0.070, 0, 0)
    ),
    "b4": BodyShape(r=(0, 0.186, 0), m=28.7, I=(1.67, 0.081, 1.67)),
    "b5": BodyShape(r=(0, 0.125, 0), m=5.2, I=(1.25, 0.81, 1.53)),
    "b6": BodyShape(r_CM=(0.05, 0.05, 0.05), m=0.5, I=(SMALL, SMALL, SMALL)),
    "load": BodyShape(r_CM=(0.1, 0.25, 0.1), m=15, I=(SMALL, SMALL, SMALL)),
} | {f"r{k}": Revolute(n=n, phi=a) for k, n, a in zip("123456", (Y, X, X, Y, X, Y), START, strict=True)}
CHAIN = (
    "world.b b0.a; b0.b r1.a; "
    + "".join(f"r{k}.b b{k}.a; b{k}.b r{k + 1}.a; " for k in range(1, 6))
    + "r6.b b6.a; b6.b load.a"
)
GRAVITY = (0.0, -9.81, 0.0)


def holding_torque(net: Network, joint: str) -> float:
    """Torque of a joint that holds the links beyond it against gravity at the start [N m]."""
    hinge = net.poses[net.frames[f"{joint}.frame_b"].body].of(net.frames[f"{joint}.frame_b"])
    axis, moment = hinge.axes @ np.asarray(net.parts[joint].n), np.zeros(3)
    for link in (*(f"b{k}" for k in range(int(joint[1]), 7)), "load"):
        place, part = net.frames[f"{link}.frame_a"], net.parts[link]
        pose = net.poses[place.body].of(place)
        moment += np.cross(pose.of_point(part.r_CM) - hinge.at, part.m * np.asarray(GRAVITY))
    return float(-axis @ moment)


def driven(net: Network) -> None:
    """Add motors, gears and controllers, all of them in equilibrium at the start."""
    m = net.model
    for (k, axis), start, way in zip(AXES.items(), START, WAYS, strict=True):
        torque, ratio, joint = holding_torque(net, f"r{k}"), repr(axis.ratio), f"r{k}.angle"
        current = torque / (axis.ratio * axis.k)
        if axis.c is None:
            m.equation(f"gear{k}", f"motor{k}.angle - {ratio}*({joint} - ({start!r}))", unit="rad")
            emf = axis.drive(m, f"axis{k}", f"{ratio}*{joint}", f"{ratio}*{joint}.rate", way, current)
            m.motor(f"emf{k}", f"r{k}", f"{ratio}*{emf}")
            axis.friction(m, f"bearing{k}", joint, f"{joint}.rate")
            continue
        twist = -torque / (axis.ratio * axis.c)
        motor = f"(motor{k}.angle + ({axis.ratio * start - twist!r}))"
        m.define(f"twist{k}", f"{ratio}*{joint} - {motor}")
        emf = axis.drive(m, f"axis{k}", motor, f"motor{k}.angle.rate", way, current, twist)
        law = f"({axis.c!r}*twist{k} + {axis.cd!r}*({ratio}*{joint}.rate - motor{k}.angle.rate))"
        m.motor(f"emf{k}", f"motor{k}", f"{emf} + {law}")
        m.motor(f"spring{k}", f"r{k}", f"-{ratio}*{law}")
        axis.friction(m, f"bearing{k}", f"motor{k}.angle", f"motor{k}.angle.rate")


def columns_of(k: str) -> dict:
    """Columns of one axis."""
    names = {
        "controller.PI.x": f"axis{k}_PI_x", "motor.C.v": f"axis{k}_C_v", "motor.La.i": f"axis{k}_La_i",
        "gear.spring.phi_rel": f"twist{k}", "gear.spring.w_rel": f"twist{k}.rate",
    }  # fmt: skip
    return {f"axis{k}.{c}": lambda found, n=n: found.result.formula(n) for c, n in names.items()}


define(
    "systems",
    "Systems.RobotR3.FullRobot",
    ARM | {f"motor{k}": Inertia(J=axis.J) for k, axis in AXES.items()},
    CHAIN,
    gravity=GRAVITY,
    extra=driven,
    more={c: how for k in AXES for c, how in columns_of(k).items()}
    | {f"mechanics.r{k}.{x}": (lambda found, k=k, x=x: found[f"r{k}.{x}"]) for k in AXES for x in ("phi", "w")}
    | {"mechanics.b2.body.w_a[1]": lambda found: found["b2.body.w_a[1]"]},
    run={"rtol": 1e-6},
    uses="BodyShape, Revolute, Inertia, stick_slip, state; default method",
)
