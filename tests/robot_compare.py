"""Differences of accelerations from MuJoCo and Pinocchio in the same random states with the same controls.

The other programs are passed as modules, so that this file does not import them.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import pytrammel as tm

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
    names = m.conversion_report.names
    gone = [names["joint", joint.name] for joint in robot.loops if ("joint", joint.name) in names]
    gone += [names["relation", name] for name in robot.relations]
    gone += [key for key in m.constraints if any(key == f"{name}_twist" for name in gone)]
    return m.copy(without=[name for name in gone if name in m.constraints])


def moving(m: tm.SpatialModel, robot: Any, rates: dict[str, float]) -> dict[str, float]:
    """Initial rates by the names of the model."""
    kinds = {"revolute": "angle", "prismatic": "distance"}
    names = m.conversion_report.names
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
    noted = [note.what for note in robot.conversion_report if note.kind == "ignored"]
    gone = [one for one in spec.actuators if one.name not in robot.actuators and not _unnamed(spec, robot)]
    for one in gone:
        if one.name and not any(repr(one.name) in what for what in noted):
            raise ValueError(f"actuator {one.name!r} is missing without a note")
    count = len(gone)
    for one in gone + (list(spec.keys) if gone else []):
        spec.delete(one)
    theirs = spec.compile()
    for k in range(theirs.ntendon):
        if not any(f"along tendon {theirs.tendon(k).name!r}" in note.what for note in robot.conversion_report):
            continue
        theirs.tendon_stiffness[k] = theirs.tendon_damping[k] = theirs.tendon_armature[k] = 0.0
    return theirs, count


def take_inertias(mj: Any, theirs: Any, robot: Any, most: float = 1e-6) -> float:
    """Give MuJoCo our inertias where its own differ by rounding; the largest relative difference.

    MuJoCo turns inertias of meshes to principal axes by rotations that end at products of inertia of some 1e-12 kg m².
    """
    worst = 0.0
    for number in range(1, theirs.nbody):
        link = robot.links.get(theirs.body(number).name)
        if link is None or not link.mass:
            continue
        turn = np.zeros(9)
        mj.mju_quat2Mat(turn, theirs.body_iquat[number])
        turn = turn.reshape(3, 3)
        own = turn @ np.diag(theirs.body_inertia[number]) @ turn.T
        error = float(np.abs(own - link.inertia).max() / np.abs(own).max())
        if 1e-12 < error <= most and np.abs(own - link.inertia).max() <= 1e-6:
            worst = max(worst, error)
            moments, axes = np.linalg.eigh(link.inertia)
            axes[:, 0] *= np.sign(np.linalg.det(axes))
            theirs.body_inertia[number] = moments
            mj.mju_mat2Quat(theirs.body_iquat[number], axes.ravel())
    if worst:
        mj.mj_setConst(theirs, mj.MjData(theirs))
    return worst


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
        names = {link: name for (kind, link), name in m.conversion_report.names.items() if kind == "link"}
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
    """Coordinates that follow others (`<mimic>`) follow them in both programs; compensated weights act in neither."""
    data = theirs.createData()
    q, v, torque = pin.neutral(theirs), np.zeros(theirs.nv), np.zeros(theirs.nv)
    pose, rates, controls = {}, {}, {}
    leads = leaders(robot)
    values = {label: random.uniform(-0.8, 0.8, 3) for label in theirs.names[1:]}
    follow = np.zeros((theirs.nv, theirs.nv))
    for number in range(1, theirs.njoints):
        joint, label = theirs.joints[number], theirs.names[number]
        lead, factor, offset = leads.get(label, (label, 1.0, 0.0))
        x, w = offset + factor * values[lead][0], factor * values[lead][1]
        effort = values[label][2]
        q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
        v[joint.idx_v] = w
        torque[joint.idx_v] = effort - robot.joints[label].axes[0].damping * w
        follow[joint.idx_v, theirs.joints[theirs.getJointId(lead)].idx_v] = factor
        pose[label], controls[label] = x, effort
        if lead == label:
            rates[label] = w
    follow = follow[:, follow.any(axis=0)]
    mass = pin.crba(theirs, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    idle = np.diag(follow.T @ mass @ follow) < 1e-14  # nothing has mass there: no efforts, no accelerations
    loose = set()
    for number in range(1, theirs.njoints):
        if follow[theirs.joints[number].idx_v, idle].any():
            loose.add(number)
            controls[theirs.names[number]] = torque[theirs.joints[number].idx_v] = 0.0
    follow = follow[:, ~idle]
    for name, link in robot.links.items():
        robot.links[name] = replace(link, lift=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = robot.model(pose=pose, friction=False, controls=controls)
        names = {link: name for (kind, link), name in m.conversion_report.names.items() if kind == "link"}
        held = tree(m, replace(robot, relations={}))
        ours = accelerations(held, moving(m, robot, rates))
    bias = pin.nonLinearEffects(theirs, data, q, v)
    acceleration = follow @ np.linalg.solve(follow.T @ mass @ follow, follow.T @ (torque - bias))
    pin.forwardKinematics(theirs, data, q, v, acceleration)
    pin.updateFramePlacements(theirs, data)
    told = {}
    for link in names:
        if link == "world" or not theirs.existFrame(link, pin.FrameType.BODY):
            continue
        frame = theirs.getFrameId(link, pin.FrameType.BODY)
        if loose & set(theirs.supports[theirs.frames[frame].parentJoint]):
            continue
        found = pin.getFrameClassicalAcceleration(theirs, data, frame, pin.LOCAL_WORLD_ALIGNED)
        told[link] = (data.oMf[frame].translation.copy(), found.linear, found.angular)
    return furthest(ours, told, names)


def leaders(robot: Any) -> dict[str, tuple[str, float, float]]:
    """Coordinates that follow others: the joint that leads in the end, factor and offset."""
    direct = {}
    for relation in robot.relations.values():
        (one, follower, _), (two, leader, _) = relation.left[0], relation.right[0]
        assert len(relation.left) == len(relation.right) == 1 and not any(relation.coefficients[2:])
        factor = relation.coefficients[1] * two / one
        offset = (relation.left0 + relation.coefficients[0] - relation.coefficients[1] * relation.right0) / one
        direct[follower] = leader, factor, offset
    out = {}
    for follower, (leader, factor, offset) in direct.items():
        while leader in direct:
            leader, other, more = direct[leader]
            factor, offset = factor * other, offset + factor * more
        out[follower] = leader, factor, offset
    return out
