"""Differences of accelerations from MuJoCo and Pinocchio in the same random states with the same controls.

The other programs are passed as modules, so that this file does not import them.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

import trammel as tm

State = dict[str, tuple[np.ndarray, ...]]


def accelerations(m: tm.SpatialModel, rates: dict[str, float]) -> State:
    """Per body: position, linear and angular acceleration in global axes."""
    run = m.simulate(1e-9, samples=2, initial=rates, progress=False)
    out = {}
    for k, name in enumerate(list(m.bodies)[1:]):
        q, a = run.q[0][7 * k : 7 * k + 7], run.a[0][6 * k : 6 * k + 6]
        out[name] = (q[:3], a[:3], np.asarray(tm.rotations.matrix(q[3:])) @ a[3:])
    return out


def furthest(ours: State, theirs: State, names: dict[str, str]) -> float:
    """Largest difference of bodies that both have, accelerations relative to 1 plus the largest."""
    largest = 1.0 + max(float(np.abs(values[1:]).max()) for values in theirs.values())
    common = [name for name in theirs if names.get(name) in ours]
    if not common:
        raise ValueError("no common bodies")
    worst = 0.0
    for name in common:
        one, two = ours[names[name]], theirs[name]
        worst = max(worst, float(np.abs(one[0] - two[0]).max()))
        worst = max(worst, *(float(np.abs(one[k] - two[k]).max()) / largest for k in (1, 2)))
    return worst


def tree(m: tm.SpatialModel, robot: Any) -> tm.SpatialModel:
    """The model without what closes loops or couples coordinates."""
    names = m.account.names
    gone = [names["joint", joint.name] for joint in robot.loops if ("joint", joint.name) in names]
    gone += [names["relation", name] for name in robot.relations]
    gone += [key for key in m.constraints if any(key == f"{name}_twist" for name in gone)]
    return m.copy(without=[name for name in gone if name in m.constraints])


def moving(m: tm.SpatialModel, robot: Any, rates: dict[str, float]) -> dict[str, float]:
    """Initial rates by the names of the model."""
    kinds = {"revolute": "angle", "prismatic": "distance"}
    names = m.account.names
    return {f"{names['joint', key]}.{kinds[robot.joints[key].kind]}.rate": rate for key, rate in rates.items()}


# --- MuJoCo ---


def smooth(mj: Any, theirs: Any) -> list[str]:
    """Switch off in MuJoCo what both programs treat differently; its names."""
    off = mj.mjtDisableBit
    theirs.opt.disableflags |= int(
        off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_EQUALITY | off.mjDSBL_FRICTIONLOSS
    )
    if not (theirs.opt.density or theirs.opt.viscosity):
        return []
    theirs.opt.density = theirs.opt.viscosity = 0.0
    return ["without fluid"]


def model_of(mj: Any, path: Path, robot: Any) -> tuple[Any, int]:
    """MuJoCo's model of a file without the actuators that the reader reports as not supported, and their number."""
    spec = mj.MjSpec.from_file(str(path))
    noted = [note.what for note in robot.account if note.kind == "ignored"]
    gone = [one for one in spec.actuators if one.name not in robot.actuators and not _unnamed(spec, robot)]
    for one in gone:
        if one.name and not any(repr(one.name) in what for what in noted):
            raise ValueError(f"actuator {one.name!r} is missing without a note")
    count = len(gone)
    for one in gone + (list(spec.keys) if gone else []):
        spec.delete(one)
    return spec.compile(), count


def _unnamed(spec: Any, robot: Any) -> bool:
    """Return True if actuators without names correspond by their order."""
    return not all(one.name for one in spec.actuators) and len(spec.actuators) == len(robot.actuators)


def compare_mujoco(mj: Any, theirs: Any, robot: Any, random: np.random.Generator) -> float:
    data = mj.MjData(theirs)
    order = [joint for joint in robot.joints.values() if not joint.closing and joint.kind != "fixed"]
    assert len(order) == theirs.njnt
    pose: dict[str, tuple[float, ...]] = {}
    rates: dict[str, float] = {}
    for k, joint in enumerate(order):
        at, dof, kind = theirs.jnt_qposadr[k], theirs.jnt_dofadr[k], theirs.jnt_type[k]
        if kind == mj.mjtJoint.mjJNT_FREE:
            q = random.uniform(-1, 1, 7)
            q[3:] /= np.linalg.norm(q[3:])
            data.qpos[at : at + 7], data.qvel[dof : dof + 6] = q, random.uniform(-1, 1, 6)
            pose[joint.name] = tuple(q)
        elif kind == mj.mjtJoint.mjJNT_BALL:
            q = random.uniform(-1, 1, 4)
            data.qpos[at : at + 4] = q / np.linalg.norm(q)
            data.qvel[dof : dof + 3] = random.uniform(-1, 1, 3)
            pose[joint.name] = tuple(data.qpos[at : at + 4])
        else:
            size = 0.1 if kind == mj.mjtJoint.mjJNT_SLIDE else 0.5
            data.qpos[at] += random.uniform(-size, size)
            data.qvel[dof] = random.uniform(-2 * size, 2 * size)
            pose[joint.name] = (float(data.qpos[at]),)
            rates[joint.name] = float(data.qvel[dof])
    controls = driven(theirs, data, robot, random)
    mj.mj_forward(theirs, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = robot.model(pose=pose, friction=False, controls=controls)
        names = {link: name for (kind, link), name in m.account.names.items() if kind == "link"}
        initial = {**moving(m, robot, rates), **balls(mj, theirs, data, order, names)}
        ours = accelerations(tree(m, robot), initial)
    return furthest(ours, mujoco_state(mj, theirs, data), names)


def driven(theirs: Any, data: Any, robot: Any, random: np.random.Generator) -> dict[str, float]:
    controls = {}
    unnamed = iter(list(robot.actuators))
    for k in range(theirs.nu):
        name = theirs.actuator(k).name or next(unnamed)
        low, high = theirs.actuator_ctrlrange[k] if theirs.actuator_ctrllimited[k] else (-1.0, 1.0)
        data.ctrl[k] = random.uniform(low, high)
        if name in robot.actuators:
            controls[name] = float(data.ctrl[k])
    return controls


def balls(mj: Any, theirs: Any, data: Any, order: list[Any], names: dict[str, str]) -> dict[str, float]:
    """Velocities of what floats, and angular velocities of what turns on balls, in the words of the model."""
    out: dict[str, float] = {}
    for k, joint in enumerate(order):
        kind, body = theirs.jnt_type[k], names[joint.child]
        if not (kind == mj.mjtJoint.mjJNT_FREE or kind == mj.mjtJoint.mjJNT_BALL):
            continue
        velocity = np.zeros(6)
        mj.mj_objectVelocity(theirs, data, mj.mjtObj.mjOBJ_XBODY, theirs.jnt_bodyid[k], velocity, 1)
        out |= {f"{body}.r{axis}.rate": float(w) for axis, w in zip("xyz", velocity[:3], strict=True)}
        if kind == mj.mjtJoint.mjJNT_FREE:
            dof = theirs.jnt_dofadr[k]
            out |= {f"{body}.{axis}.rate": float(v) for axis, v in zip("xyz", data.qvel[dof : dof + 3], strict=True)}
    return out


def mujoco_state(mj: Any, theirs: Any, data: Any) -> State:
    mj.mj_rnePostConstraint(theirs, data)
    gravity = theirs.opt.gravity * (not theirs.opt.disableflags & int(mj.mjtDisableBit.mjDSBL_GRAVITY))
    out = {}
    for number in range(1, theirs.nbody):
        if not theirs.body(number).name:
            continue
        found = np.zeros(6)
        mj.mj_objectAcceleration(theirs, data, mj.mjtObj.mjOBJ_XBODY, number, found, 0)
        angular, linear = found[:3].copy(), found[3:] + gravity  # theirs is what an accelerometer measures
        out[theirs.body(number).name] = (data.xpos[number].copy(), linear, angular)
    return out


# --- Pinocchio ---


def compare_pinocchio(pin: Any, theirs: Any, robot: Any, random: np.random.Generator) -> float:
    data = theirs.createData()
    q, v, torque = pin.neutral(theirs), np.zeros(theirs.nv), np.zeros(theirs.nv)
    pose, rates, controls = {}, {}, {}
    for number in range(1, theirs.njoints):
        joint, label = theirs.joints[number], theirs.names[number]
        x, w, effort = random.uniform(-0.8, 0.8, 3)
        q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
        v[joint.idx_v] = w
        torque[joint.idx_v] = effort - robot.joints[label].axes[0].damping * w
        pose[label], rates[label], controls[label] = x, w, effort
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = robot.model(pose=pose, friction=False, controls=controls)
        names = {link: name for (kind, link), name in m.account.names.items() if kind == "link"}
        ours = accelerations(tree(m, robot), moving(m, robot, rates))
    acceleration = pin.aba(theirs, data, q, v, torque)
    pin.forwardKinematics(theirs, data, q, v, acceleration)
    pin.updateFramePlacements(theirs, data)
    told = {}
    for link in names:
        if link == "world" or not theirs.existFrame(link, pin.FrameType.BODY):
            continue
        frame = theirs.getFrameId(link, pin.FrameType.BODY)
        found = pin.getFrameClassicalAcceleration(theirs, data, frame, pin.LOCAL_WORLD_ALIGNED)
        told[link] = (data.oMf[frame].translation.copy(), found.linear, found.angular)
    return furthest(ours, told, names)
