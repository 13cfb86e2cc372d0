"""Accelerations of small robots by Pinocchio and MuJoCo, recorded for machines without these programs.

    python -m verification.robot_programs     # in tests, where both are installed: writes tests/data/robots/accelerations.json

The rates are zero or random with a fixed seed, forces are weight, joint damping and joint springs. A record holds joint positions and
rates, and for each body its position, its acceleration and its angular acceleration in global axes.
"""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import pytrammel as tm
from robot_files import ARM, FLYER, GRIPPER, LEG, PLANAR_TREE, urdf, urdf_joint, urdf_link

RECORDS = Path(__file__).parents[1] / "data" / "robots" / "accelerations.json"
CHAIN = urdf(
    urdf_link("l0", 1.0),
    *(urdf_link(f"l{k}", 1.0 / k, f"0 0.0{k} 0.1", "0.1 0 0.2") for k in range(1, 8)),
    *(
        urdf_joint(f"j{k}", "continuous", f"l{k - 1}", f"l{k}", "0.05 0 0.2", f"0.{k} 0.2 0", "1 0 0" if k % 2 else "0 0.6 0.8")
        for k in range(1, 8)
    ),
)  # fmt: skip
ROBOTS = {
    "Pinocchio": {
        "arm": ARM,
        "cart with poles": PLANAR_TREE,
        "flyer": FLYER,
        "chain of seven": CHAIN,
        "gripper": GRIPPER,
    },
    "MuJoCo": {"leg": LEG},
}
Bodies = dict[str, list[list[float]]]


def written(text: str, folder: Path) -> Path:
    """Write a robot into a folder and return its path."""
    path = folder / ("robot.urdf" if "<robot" in text else "robot.xml")
    path.write_text(text, encoding="utf-8")
    return path


def trammel_model(
    text: str, pose: Mapping[str, float], rates: Mapping[str, float]
) -> tuple[tm.SpatialModel, dict[str, float]]:
    """Return the model without couplings and loops, and the initial rates by its names."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.ModelWarning)  # couplings and loops are removed below
        robot = tm.read_robot(written(text, Path(folder)), meshes=False)
        m = robot.model(pose=dict(pose), friction=False, merge_fixed=False)
    loops = [joint.name for joint in robot.loops]
    m = m.copy(
        without=[key for key in m.constraints if key.endswith("_mimic") or key in loops or key in robot.relations]
    )
    initial = {}
    for label, rate in rates.items():
        plain = re.sub(r"\W", "_", label)
        name = plain if plain in m.constraints else f"{plain}_joint"
        initial[f"{name}.{'angle' if robot.joints[label].kind == 'revolute' else 'distance'}.rate"] = rate
    return m, initial


def by_pinocchio(text: str) -> tuple[dict[str, float], dict[str, float], Bodies]:
    """Return pose, rates and states of bodies by Pinocchio."""
    import pinocchio as pin

    with tempfile.TemporaryDirectory() as folder:
        path = written(text, Path(folder))
        theirs, robot = pin.buildModelFromUrdf(str(path)), tm.read_robot(path, meshes=False)
    data, random = theirs.createData(), np.random.default_rng(7)
    q, v, torque = pin.neutral(theirs), np.zeros(theirs.nv), np.zeros(theirs.nv)
    pose, rates = {}, {}
    for number in range(1, theirs.njoints):
        joint, label = theirs.joints[number], theirs.names[number]
        x, w = (float(z) for z in random.uniform(-0.8, 0.8, 2))
        q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
        v[joint.idx_v], torque[joint.idx_v] = w, -robot.joints[label].axes[0].damping * w
        pose[label], rates[label] = x, w
    acceleration = pin.aba(theirs, data, q, v, torque)
    pin.forwardKinematics(theirs, data, q, v, acceleration)
    pin.updateFramePlacements(theirs, data)
    out: Bodies = {}
    for body in robot.links:
        if not theirs.existFrame(body) or not robot.links[body].mass:
            continue
        frame = theirs.getFrameId(body, pin.FrameType.BODY)
        a = pin.getFrameClassicalAcceleration(theirs, data, frame, pin.LOCAL_WORLD_ALIGNED)
        out[body] = [list(map(float, x)) for x in (data.oMf[frame].translation, a.linear, a.angular)]
    return pose, rates, out


def by_mujoco(text: str) -> tuple[dict[str, float], dict[str, float], Bodies]:
    """Return pose, rates and states of bodies by MuJoCo, without contacts, limits, equalities and dry friction."""
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        path = written(text, Path(folder))
        model, robot = mujoco.MjModel.from_xml_path(str(path)), tm.read_robot(path)
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= int(off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_EQUALITY | off.mjDSBL_FRICTIONLOSS)
    data, random = mujoco.MjData(model), np.random.default_rng(3)
    rates = {key: float(random.uniform(-1, 1)) for key, joint in robot.joints.items() if joint.axes}
    for number in range(model.njnt):
        data.qvel[model.jnt_dofadr[number]] = rates.get(model.joint(number).name, 0.0)
    mujoco.mj_forward(model, data)
    out: Bodies = {}
    for number in range(1, model.nbody):
        J = [np.zeros((3, model.nv)) for _ in range(4)]
        mujoco.mj_jac(model, data, J[0], J[1], data.xpos[number], number)
        mujoco.mj_jacDot(model, data, J[2], J[3], data.xpos[number], number)
        linear, angular = (J[k] @ data.qacc + J[k + 2] @ data.qvel for k in (0, 1))
        out[model.body(number).name] = [list(map(float, x)) for x in (data.xpos[number], linear, angular)]
    return {}, rates, out


def record() -> None:
    """Write the states of all robots and the versions of both programs."""
    from importlib import metadata

    out: dict[str, Any] = {}
    for program, package, compute in (("Pinocchio", "pin", by_pinocchio), ("MuJoCo", "mujoco", by_mujoco)):
        robots = {}
        for name, text in ROBOTS[program].items():
            pose, rates, bodies = compute(text)
            robots[name] = {"pose": pose, "rates": rates, "bodies": bodies}
        out[program] = {"version": metadata.version(package), "robots": robots}
    RECORDS.parent.mkdir(parents=True, exist_ok=True)
    RECORDS.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
