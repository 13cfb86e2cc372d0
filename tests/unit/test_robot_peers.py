"""The same robots in MuJoCo and Pinocchio: masses, poses and accelerations of trees agree.

The peers are an optional extra for tests (``pip install pytrammel[peers]``); Trammel itself never reads with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
from robot_files import (
    ARM,
    FLYER,
    GRIPPER,
    LEG,
    MJCF_FOUR_BAR,
    PLANAR_TREE,
    loaded,
    mjcf,
    saved,
    state,
    urdf,
    urdf_joint,
    urdf_link,
    written,
)

pytestmark = pytest.mark.peers
CLOSE = 1e-9  # relative to accelerations of order 10, as asked for; what is seen is 1e-12

CHAIN = urdf(
    urdf_link("l0", 1.0),
    *(urdf_link(f"l{k}", 1.0 / k, f"0 0.0{k} 0.1", "0.1 0 0.2") for k in range(1, 8)),
    *(
        urdf_joint(
            f"j{k}", "continuous", f"l{k - 1}", f"l{k}", "0.05 0 0.2", f"0.{k} 0.2 0", "1 0 0" if k % 2 else "0 0.6 0.8"
        )
        for k in range(1, 8)
    ),
)
HAND = urdf(
    urdf_link("palm", 1.0),
    *(urdf_link(f"f{k}", 0.1, "0 0 0.03", scale=0.01) for k in range(4)),
    *(urdf_link(f"t{k}", 0.05, "0 0 0.02", scale=0.005) for k in range(4)),
    *(urdf_joint(f"a{k}", "revolute", "palm", f"f{k}", f"{0.02 * k} 0 0.1", axis="0 1 0") for k in range(4)),
    *(urdf_joint(f"b{k}", "revolute", f"f{k}", f"t{k}", "0 0 0.06", axis="0 1 0") for k in range(4)),
)
URDFS = {"arm": ARM, "tree": PLANAR_TREE, "flyer": FLYER, "chain": CHAIN, "hand": HAND, "gripper": GRIPPER}

HUMANOID = mjcf(
    '<body name="torso" pos="0 0 1.4"><freejoint/><geom type="capsule" size="0.07" fromto="0 -0.07 0 0 0.07 0"/>'
    '<geom size="0.09" pos="0 0 0.19"/>'
    + "".join(
        f'<body name="{side}_thigh" pos="0 {y} -0.2"><joint name="{side}_x" axis="1 0 0"/><joint name="{side}_z" axis="0 0 1"/>'
        f'<joint name="{side}_y" axis="0 1 0" armature="0.01"/><geom type="capsule" size="0.06" fromto="0 0 0 0 0.01 -0.34"/>'
        f'<body name="{side}_shin" pos="0 0.01 -0.4"><joint name="{side}_knee" axis="0 -1 0" pos="0 0 0.02" stiffness="2" damping="0.5"/>'
        f'<geom type="box" size="0.03 0.04 0.15" pos="0 0 -0.15" euler="5 0 10"/></body></body>'
        for side, y in (("left", 0.1), ("right", -0.1))
    )
    + "</body>"
)
CART = mjcf(
    '<body name="cart"><joint name="slide" type="slide" axis="1 0 0" ref="0.3" stiffness="4" springref="0.1"/>'
    '<geom type="box" size="0.2 0.1 0.1"/>'
    '<body name="pole" pos="0 0 0.1"><joint name="hinge" axis="0 1 0" ref="20"/><geom type="capsule" size="0.04" fromto="0 0 0 0.1 0 0.6"/>'
    '<body name="bob" pos="0.1 0 0.6"><joint name="ball" type="ball" damping="0.05"/>'
    '<geom type="ellipsoid" size="0.05 0.06 0.1"/></body></body></body>',
    after='<actuator><position name="hold" joint="hinge" kp="3" kv="0.2" gear="2"/></actuator>',
)  # fmt: skip
ROVER = mjcf(
    '<body name="chassis" pos="0 0 0.2" gravcomp="0.3"><freejoint/><geom type="box" size="0.3 0.2 0.05" density="300"/>'
    + "".join(
        f'<frame pos="{x} {y} 0" euler="0 0 {10 * k}"><body name="wheel{k}">'
        f'<joint name="turn{k}" axis="0 1 0" armature="0.02" damping="0.1"/>'
        f'<geom type="cylinder" size="0.1 0.02" euler="90 0 0"/></body></frame>'
        for k, (x, y) in enumerate(((0.2, 0.2), (0.2, -0.2), (-0.2, 0.2), (-0.2, -0.2)))
    )
    + "</body>",
    '<compiler eulerseq="zyx"/>',
)
FINGER = mjcf(
    '<body name="near"><joint name="a" axis="0 1 0" ref="10"/><geom type="capsule" size="0.01" fromto="0 0 0 0 0 0.05"/><body name="far" '
    'pos="0 0 0.05"><joint name="b" axis="0 1 0"/><geom type="capsule" size="0.008" fromto="0 0 0 0 0 0.04"/></body></body>',
    after='<tendon><fixed name="t" stiffness="0.3" damping="0.001" springlength="0.05 0.1"><joint joint="a" coef="0.8"/>'
    '<joint joint="b" coef="-0.5"/></fixed></tendon>',
)
MJCFS = {"finger": FINGER, "humanoid": HUMANOID, "cart": CART, "rover": ROVER, "leg": LEG, "four-bar": MJCF_FOUR_BAR}


@pytest.mark.parametrize("name", URDFS)
def test_urdf_trees_agree_with_pinocchio(tmp_path: Path, name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra 'peers')")
    agrees_with_pinocchio(pin, written(tmp_path, URDFS[name]), merge_fixed=False)


def agrees_with_pinocchio(pin: Any, path: Path, **options: Any) -> None:
    """Masses, poses and accelerations of a URDF robot in a random state."""
    theirs = pin.buildModelFromUrdf(str(path))
    data = theirs.createData()
    robot = tm.read_robot(path, meshes=False)
    random = np.random.default_rng(7)
    q, v, torque = pin.neutral(theirs), np.zeros(theirs.nv), np.zeros(theirs.nv)
    pose, rates = {}, {}
    for number in range(1, theirs.njoints):
        joint, label = theirs.joints[number], theirs.names[number]
        ours = robot.joints[label]
        x, w = random.uniform(-0.8, 0.8, 2)
        q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
        v[joint.idx_v] = w
        torque[joint.idx_v] = -ours.axes[0].damping * w
        pose[label], rates[label] = x, w
    m = robot.model(pose=pose, friction=False, **options)
    rates = {f"{name}.{measure}.rate": rates[label] for label, name, measure in named(m, robot, rates)}
    # Pinocchio leaves mimics free by default
    m = m.copy(without=[key for key in m.constraints if key.endswith("_mimic")])
    acceleration = pin.aba(theirs, data, q, v, torque)
    pin.forwardKinematics(theirs, data, q, v, acceleration)
    pin.updateFramePlacements(theirs, data)
    standing = {joint.child for joint in robot.joints.values() if joint.parent == "world" and joint.kind == "fixed"}
    while more := {j.child for j in robot.joints.values() if j.kind == "fixed" and j.parent in standing} - standing:
        standing |= more
    # what stands on the ground does not count there
    total = pin.computeTotalMass(theirs) + sum(robot.links[name].mass for name in standing)
    assert robot.mass == pytest.approx(total, rel=1e-12)
    largest = 1.0 + float(np.abs(acceleration).max())
    for body, (place, turn, linear, angular) in state(m, rates).items():
        frame = theirs.getFrameId(body, pin.FrameType.BODY)
        assert data.oMf[frame].translation == pytest.approx(place, abs=CLOSE)
        assert data.oMf[frame].rotation == pytest.approx(turn, abs=CLOSE)
        told = pin.getFrameClassicalAcceleration(theirs, data, frame, pin.LOCAL_WORLD_ALIGNED)
        assert told.linear == pytest.approx(linear, abs=CLOSE * largest)
        assert told.angular == pytest.approx(angular, abs=CLOSE * largest)


def named(m: tm.SpatialModel, robot: Any, labels: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Joints of a file, what they are called in the model, and what they measure."""
    for label in labels:
        plain = re.sub(r"\W", "_", label)
        name = plain if plain in m.constraints else f"{plain}_joint"
        yield label, name, "angle" if robot.joints[label].kind == "revolute" else "distance"


def packaged(distribution: str, ending: str) -> Path:
    """A file inside of an installed package of the registry."""
    try:
        files = metadata.distribution(distribution).files or []
    except metadata.PackageNotFoundError:
        pytest.skip(f"the package {distribution} is not installed (extra 'peers')")
    return next(Path(str(file.locate())) for file in files if str(file).endswith(ending))


# inertias that no body can have, on the ground or merged
PLACEHOLDERS = ["go1.urdf", "tiago_no_hand.urdf", "hyq_no_sensors.urdf", "b1-z1.urdf"]


@pytest.mark.parametrize(
    "robot", ["ur5_robot.urdf", "double_pendulum.urdf", "a1.urdf", "finger_edu.urdf", "solo.urdf", *PLACEHOLDERS]
)
def test_robots_of_the_registry_agree_with_pinocchio(robot: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra 'peers')")
    agrees_with_pinocchio(pin, packaged("example-robot-data", f"/{robot}"))


def test_the_loops_of_cassie_close_and_stay_closed() -> None:
    robot = tm.read_robot(packaged("example-robot-data", "cassie_v2.sdf"), meshes=False)
    assert len(robot.loops) == 4
    m = robot.model(friction=False)
    assert m.assemble().residual < 1e-12
    assert m.simulate(0.01, samples=3, progress=False).constraint_violation() < 1e-12


@pytest.mark.parametrize(
    ("distribution", "robot"),
    [
        ("gymnasium", "mujoco/assets/hopper.xml"),
        ("gymnasium", "mujoco/assets/walker2d.xml"),
        ("gymnasium", "mujoco/assets/reacher.xml"),
        ("gymnasium", "mujoco/assets/inverted_double_pendulum.xml"),
        ("dm_control", "suite/humanoid.xml"),  # up to three hinges in a body, on a free base
        ("dm_control", "suite/humanoid_CMU.xml"),
    ],
)
def test_robots_of_the_registry_agree_with_mujoco(distribution: str, robot: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")
    path = packaged(distribution, robot)
    ours = tm.read_robot(path)
    random = np.random.default_rng(3)
    moving = {key: float(random.uniform(-1, 1)) for key, joint in ours.joints.items() if joint.axes}
    _, told = mujoco_state(mujoco, path, moving)
    m = ours.model(friction=False, merge_fixed=False)
    found = state(m, {f"{name}.{measure}.rate": moving[key] for key, name, measure in named(m, ours, moving)})
    for body, values in told.items():
        for mine, other in zip(found[body], values, strict=True):
            assert mine == pytest.approx(other, abs=CLOSE)


def mujoco_state(mujoco: Any, path: Path, rates: dict[str, float]) -> tuple[Any, dict[str, tuple[np.ndarray, ...]]]:
    """MuJoCo's model without equalities, ranges and contacts, and the state of its bodies at the reference pose."""
    model = mujoco.MjModel.from_xml_path(str(path))
    off = mujoco.mjtDisableBit
    for bit in (off.mjDSBL_CONTACT, off.mjDSBL_LIMIT, off.mjDSBL_EQUALITY, off.mjDSBL_FRICTIONLOSS):
        model.opt.disableflags |= int(bit)
    data = mujoco.MjData(model)
    for number in range(model.njnt):
        rate = rates.get(model.joint(number).name)
        if rate is not None:
            data.qvel[model.jnt_dofadr[number]] = rate
    mujoco.mj_forward(model, data)
    out = {}
    for number in range(1, model.nbody):
        J = [np.zeros((3, model.nv)) for _ in range(4)]
        mujoco.mj_jac(model, data, J[0], J[1], data.xpos[number], number)
        mujoco.mj_jacDot(model, data, J[2], J[3], data.xpos[number], number)
        linear, angular = J[0] @ data.qacc + J[2] @ data.qvel, J[1] @ data.qacc + J[3] @ data.qvel
        out[model.body(number).name] = (
            data.xpos[number].copy(),
            data.xmat[number].reshape(3, 3).copy(),
            linear,
            angular,
        )
    return model, out


@pytest.mark.parametrize("name", MJCFS)
def test_mjcf_trees_agree_with_mujoco(tmp_path: Path, name: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")
    path = written(tmp_path, MJCFS[name], "robot.xml")
    robot = tm.read_robot(path)
    random = np.random.default_rng(3)
    moving = {
        key: float(random.uniform(-1, 1))
        for key, joint in robot.joints.items()
        if joint.axes and name in ("leg", "four-bar")
    }
    theirs, told = mujoco_state(mujoco, path, moving)
    for link in robot.links.values():
        if link.mass:
            assert theirs.body(link.name).mass[0] == pytest.approx(link.mass, rel=1e-12)
    m = loaded(tmp_path, MJCFS[name], "robot.xml", merge_fixed=False)
    m = m.copy(without=[*(joint.name for joint in robot.loops), *robot.relations])
    found = state(m, {f"{key}.angle.rate": rate for key, rate in moving.items()})
    for body, values in told.items():
        for mine, other in zip(found[body], values, strict=True):
            assert mine == pytest.approx(other, abs=CLOSE)


@pytest.mark.parametrize("name", ["arm", "tree", "chain", "hand"])
def test_what_we_write_mujoco_reads_alike(tmp_path: Path, name: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")
    m = loaded(tmp_path, URDFS[name])
    path = saved(m, tmp_path / "written.xml")
    random = np.random.default_rng(5)
    moving = {
        key: float(random.uniform(-1, 1))
        for key, joint in m.constraints.items()
        if joint.kind in ("revolute", "prismatic")
    }
    _, told = mujoco_state(mujoco, path, moving)
    kinds = {"revolute": "angle", "prismatic": "distance"}
    found = state(m, {f"{key}.{kinds[m.constraints[key].kind]}.rate": rate for key, rate in moving.items()})
    for body, values in found.items():
        for mine, other in zip(values, told[body], strict=True):
            assert mine == pytest.approx(other, abs=CLOSE)


@pytest.mark.parametrize("name", ["arm", "chain", "hand"])
def test_what_we_write_pinocchio_reads_alike(tmp_path: Path, name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra 'peers')")
    m = loaded(tmp_path, URDFS[name])
    path = saved(m, tmp_path / "written.urdf")
    theirs = pin.buildModelFromUrdf(str(path))
    data = theirs.createData()
    still = np.zeros(theirs.nv)
    acceleration = pin.aba(theirs, data, pin.neutral(theirs), still, still)
    pin.forwardKinematics(theirs, data, pin.neutral(theirs), still, acceleration)
    pin.updateFramePlacements(theirs, data)
    for body, (place, turn, linear, _) in state(m).items():
        frame = theirs.getFrameId(body, pin.FrameType.BODY)
        assert data.oMf[frame].translation == pytest.approx(place, abs=CLOSE)
        assert data.oMf[frame].rotation == pytest.approx(turn, abs=CLOSE)
        told = pin.getFrameClassicalAcceleration(theirs, data, frame, pin.LOCAL_WORLD_ALIGNED)
        assert told.linear == pytest.approx(linear, abs=CLOSE)
