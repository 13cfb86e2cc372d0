"""What other codes need for the same evaluation, measured where they are installed: Pinocchio (pin), MuJoCo, pylinkage.

Bare calls from Python, without any integrator: the least that they can need.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from functools import cache

import numpy as np

# loops of rods on hinges: each rod's place in the one before, length and mass; then the end that is held, where (None: by a slider),
# and angles
LOOPS = {
    "four-bar": (
        [((0, 0), 0.3, 1.0), ((0.3, 0), 0.9, 3.0), ((0.9, 0), 0.7, 2.3)],
        (0.7, 0.0),
        (1.0, 0.0),
        (0.8, -0.4, -2.0),
    ),
    "slider-crank": (
        [((0, 0), 0.1, 1.0), ((0.1, 0), 0.3, 1.0)],
        (0.3, 0.0),
        None,
        (0.8, -1.04),
    ),
}


def microseconds(call: Callable[[], object], count: int = 2000) -> float:
    """CPU time of a call, best of several rounds."""
    best = np.inf
    for _ in range(7):
        began = time.process_time()
        for _ in range(count):
            call()
        best = min(best, time.process_time() - began)
    return best / count * 1e6


def said(times: dict[str, float], unit: str = "µs") -> str:
    return ", ".join(f"{name} {took:.2g} {unit}" for name, took in times.items())


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@cache
def evaluation(what: str) -> str:
    """Times for a loop of rods; empty where no other code is installed, or none holds the machine."""
    if what not in LOOPS:
        return ""
    found = {}
    if has("pinocchio"):
        found["Pinocchio"] = pinocchio_loop(what)
    if has("mujoco"):
        found["MuJoCo"] = mujoco_loop(what)
    return said(found)


def pinocchio_loop(what: str) -> float:
    import pinocchio as pin

    rods, end, ground, angles = LOOPS[what]
    model = pin.Model()
    before = 0
    for k, (place, length, mass) in enumerate(rods):
        before = model.addJoint(before, pin.JointModelRZ(), pin.SE3(np.eye(3), np.array([*place, 0.0])), f"j{k}")
        centre = np.array([length / 2, 0.0, 0.0])
        inertia = np.diag([1e-6, mass * length**2 / 12, mass * length**2 / 12])
        model.appendBodyToJoint(before, pin.Inertia(mass, centre, inertia), pin.SE3.Identity())
    slider = 0
    where = pin.SE3.Identity()
    if ground is None:
        slider = model.addJoint(0, pin.JointModelPX(), pin.SE3.Identity(), "slider")
        model.appendBodyToJoint(slider, pin.Inertia(1.0, np.zeros(3), 1e-3 * np.eye(3)), pin.SE3.Identity())
    else:
        where = pin.SE3(np.eye(3), np.array([*ground, 0.0]))
    closes = pin.StdVec_RigidConstraintModel()
    closes.append(
        pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, before, pin.SE3(np.eye(3), np.array([*end, 0.0])), slider, where,
            pin.ReferenceFrame.LOCAL,
        )
    )  # fmt: skip
    data = model.createData()
    work = pin.StdVec_RigidConstraintData()
    work.append(closes[0].createData())
    pin.initConstraintDynamics(model, data, closes, work)
    settings = pin.ProximalSettings(1e-12, 1e-10, 10)
    q = np.array([*angles, *([0.3] if ground is None else [])])
    v = np.full(model.nv, 0.1)
    tau = np.zeros(model.nv)
    return microseconds(lambda: pin.constraintDynamics(model, data, q, v, tau, closes, work, settings))


def mujoco_loop(what: str) -> float:
    import mujoco

    rods, end, ground, _ = LOOPS[what]
    opening = ""
    for k, (place, length, mass) in enumerate(rods):
        opening += (
            f'<body name="b{k}" pos="{place[0]} {place[1]} 0"><joint axis="0 0 1"/>'
            f'<inertial pos="{length / 2} 0 0" mass="{mass}" '
            f'diaginertia="{mass * length**2 / 24} {mass * length**2 / 12} {mass * length**2 / 12}"/>'
        )
    tree = opening + "</body>" * len(rods)
    if ground is None:
        tree += '<body name="s"><joint type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
        anchor = f'body1="b{len(rods) - 1}" body2="s" anchor="{end[0]} {end[1]} 0"'
    else:
        anchor = f'body1="b{len(rods) - 1}" body2="world" anchor="{end[0]} {end[1]} 0"'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 -9.81 0"/><worldbody>{tree}</worldbody><equality><connect {anchor}/></equality></mujoco>'
    )
    data = mujoco.MjData(model)
    return microseconds(lambda: mujoco.mj_forward(model, data))


@cache
def chain(n: int) -> str:
    """Time per body of an open chain of hinges in space."""
    if not has("pinocchio"):
        return ""
    import pinocchio as pin

    model = pin.Model()
    before = 0
    for k in range(n):
        kind = pin.JointModelRY() if k % 2 else pin.JointModelRZ()
        before = model.addJoint(before, kind, pin.SE3(np.eye(3), np.array([1.0 if k else 0.0, 0, 0])), f"j{k}")
        model.appendBodyToJoint(
            before, pin.Inertia(1.0, np.array([0.5, 0, 0]), np.diag([0.01, 0.09, 0.09])), pin.SE3.Identity()
        )
    data = model.createData()
    q = np.linspace(0.1, 0.5, model.nq)
    v = np.full(model.nv, 0.1)
    tau = np.zeros(model.nv)
    return said({"Pinocchio's aba": microseconds(lambda: pin.aba(model, data, q, v, tau), 500) / n})


@cache
def kinematics() -> str:
    """Time per position of a four-bar, without velocity and acceleration, in pylinkage."""
    if not has("pylinkage"):
        return ""
    from pylinkage.actuators import Crank
    from pylinkage.components import Ground
    from pylinkage.dyads import RRRDyad
    from pylinkage.simulation import Linkage

    count = 1000
    left, right = Ground(0, 0, name="left"), Ground(1.0, 0, name="right")
    crank = Crank(anchor=left, radius=0.3, angular_velocity=2 * np.pi / count, name="crank")
    rocker = RRRDyad(anchor1=crank.output, anchor2=right, distance1=0.9, distance2=0.7, name="rocker")
    linkage = Linkage([left, right, crank, rocker], name="four-bar")
    linkage.step_fast(iterations=count)
    return said({"pylinkage, positions only": microseconds(lambda: linkage.step_fast(iterations=count), 5) / count})
