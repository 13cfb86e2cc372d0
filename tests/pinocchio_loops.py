"""A robot with loops in Pinocchio: its URDF and YAML files read with Pinocchio and ruamel.yaml alone, states taken from our bodies."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

import pytrammel as tm

AXES = dict(zip("XYZ", np.eye(3), strict=True))


def plain(name: str) -> str:
    """Name of a link in the model."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)


class LoopsTruth:
    """The robot of two files in Pinocchio, joints replaced and loops as rigid constraints."""

    def __init__(self, urdf: Path, loops: Path) -> None:
        import pinocchio as pin
        from ruamel.yaml import YAML

        self.pin, self.given = pin, YAML(typ="safe").load(loops.read_text(encoding="utf-8"))
        plain = pin.buildModelFromUrdf(str(urdf))
        types = dict(zip(self.given.get("joint_name", []), self.given.get("joint_type", []), strict=True))
        model, numbers, fixed = pin.Model(), {0: 0}, []
        for k in range(1, plain.njoints):
            name = plain.names[k]
            word, joint = types.get(name, ""), plain.joints[k]
            if word == "SPHERICAL":
                joint = pin.JointModelSpherical()
            elif word.startswith("UJOINT"):
                first, second = (getattr(pin, f"JointModelR{letter}")() for letter in word[-2:])
                joint = pin.JointModelComposite(first)
                joint.addJoint(second)
            elif word == "FIXED":
                fixed.append(name)
            numbers[k] = model.addJoint(numbers[plain.parents[k]], joint, plain.jointPlacements[k], name)
            model.appendBodyToJoint(numbers[k], plain.inertias[k], pin.SE3.Identity())
        for frame in list(plain.frames)[1:]:
            model.addFrame(pin.Frame(frame.name, numbers[frame.parentJoint], frame.placement, frame.type), False)
        model.gravity = plain.gravity
        if fixed:
            model = pin.buildReducedModel(model, [model.getJointId(name) for name in fixed], pin.neutral(model))
        self.model, self.data, self.types = model, model.createData(), types
        contacts = {"3d": pin.ContactType.CONTACT_3D, "6d": pin.ContactType.CONTACT_6D}
        self.constraints = []
        for (one, other), word in zip(self.given["closed_loop"], self.given["type"], strict=True):
            a, b = (model.frames[self._frame(name)] for name in (one, other))
            self.constraints.append(
                pin.RigidConstraintModel(contacts[word.lower()], model, a.parentJoint, a.placement, b.parentJoint, b.placement,
                                         pin.ReferenceFrame.LOCAL)
            )  # fmt: skip
        self.damping = np.zeros(model.nv)
        for k in range(1, plain.njoints):
            if model.existJointName(plain.names[k]):
                joint = model.joints[model.getJointId(plain.names[k])]
                self.damping[joint.idx_v : joint.idx_v + joint.nv] = plain.damping[plain.joints[k].idx_v]
        self.mimics = []  # follower, leader, multiplier: Pinocchio leaves followers free unless asked
        for joint in ElementTree.parse(urdf).getroot().findall("joint"):
            mimic = joint.find("mimic")
            if mimic is not None and model.existJointName(joint.get("name")):
                pair = (joint.get("name"), mimic.get("joint"))
                columns = [model.joints[model.getJointId(name)].idx_v for name in pair]
                self.mimics.append((*columns, float(mimic.get("multiplier", 1.0))))
        self.motors = [name for name in self.given.get("name_mot", []) if model.existJointName(name)]

    def _frame(self, name: str) -> int:
        kinds = (self.pin.FrameType.BODY, self.pin.FrameType.JOINT, self.pin.FrameType.FIXED_JOINT)
        return next(self.model.getFrameId(name, kind) for kind in kinds if self.model.existFrame(name, kind))

    # --- states ---

    def state(self, bodies: dict[str, tuple[Any, ...]]) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds of a state of our bodies: position, rotation, velocity and angular velocity by name, all global."""
        pin, model = self.pin, self.model
        poses, speeds = [pin.SE3.Identity()], [np.zeros(3)]
        points = [np.zeros(3)]
        for k in range(1, model.njoints):
            frame, body = self._carrier(k, bodies)
            place, turn, linear, angular = bodies[body]
            own = pin.SE3(np.array(turn), np.array(place))
            pose = own * frame.placement.inverse()
            poses.append(pose)
            speeds.append(np.array(angular))
            points.append(np.array(linear) + np.cross(angular, pose.translation - own.translation))
        q, v = pin.neutral(model), np.zeros(model.nv)
        for k in range(1, model.njoints):
            joint, parent = model.joints[k], model.parents[k]
            base = poses[parent] * model.jointPlacements[k]
            inner = base.inverse() * poses[k]
            spin = poses[k].rotation.T @ (speeds[k] - speeds[parent])
            arm = poses[k].translation - poses[parent].translation
            slide = base.rotation.T @ (points[k] - points[parent] - np.cross(speeds[parent], arm))
            at_q, at_v = slice(joint.idx_q, joint.idx_q + joint.nq), slice(joint.idx_v, joint.idx_v + joint.nv)
            q[at_q], v[at_v] = self._coordinates(joint, model.names[k], inner, spin, slide)
        return q, v

    def _carrier(self, k: int, bodies: dict[str, tuple[Any, ...]]) -> tuple[Any, str]:
        """A frame of a joint that is one of our bodies."""
        for frame in self.model.frames:
            if frame.type == self.pin.FrameType.BODY and frame.parentJoint == k:
                for name in (plain(frame.name), f"{plain(frame.name)}_link"):
                    if name in bodies:
                        return frame, name
        raise AssertionError(f"no body moves with joint {self.model.names[k]!r}")

    def _coordinates(self, joint: Any, name: str, inner: Any, spin: np.ndarray, slide: np.ndarray) -> tuple[Any, Any]:
        word = self.types.get(name, "")
        R = inner.rotation
        if word == "SPHERICAL":
            return self.pin.Quaternion(R).coeffs(), spin
        if word.startswith("UJOINT"):
            a, b = AXES[word[-2]], AXES[word[-1]]
            there, back = R @ b, R.T @ a
            angles = [np.arctan2(there @ np.cross(a, b), there @ b), -np.arctan2(back @ np.cross(b, a), back @ a)]
            return angles, [spin @ back, spin @ b]
        kind = joint.shortname()
        axis = (
            AXES[kind[-1]]
            if kind[-1] in AXES
            else np.array(joint.extract().axis if hasattr(joint, "extract") else joint.axis)
        )
        if "JointModelP" in kind:
            return [axis @ inner.translation], [axis @ slide]
        turned = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        turned /= np.linalg.norm(turned)
        angle = np.arctan2(R @ turned @ np.cross(axis, turned), R @ turned @ turned)
        return ([np.cos(angle), np.sin(angle)] if joint.nq == 2 else [angle]), [spin @ axis]

    # --- equations ---

    def rows(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Jacobian of the loops, their accelerations where the joints have none, and their gaps."""
        pin, model, data = self.pin, self.model, self.data
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.computeJointJacobians(model, data, q)
        J, bias, gaps = [], [], []
        for c in self.constraints:
            # motion of the second frame relative to the first, seen from the first
            one, two = data.oMi[c.joint1_id] * c.joint1_placement, data.oMi[c.joint2_id] * c.joint2_placement
            inner = one.actInv(two)
            both = []
            for joint, place in ((c.joint1_id, c.joint1_placement), (c.joint2_id, c.joint2_placement)):
                own = (
                    pin.getJointJacobian(model, data, joint, pin.ReferenceFrame.LOCAL)
                    if joint
                    else np.zeros((6, model.nv))
                )
                speed = data.v[joint] if joint else pin.Motion.Zero()
                drift = data.a[joint] if joint else pin.Motion.Zero()
                both.append((place.toActionMatrixInverse() @ own, place.actInv(speed), place.actInv(drift)))
            (J1, v1, a1), (J2, v2, a2) = both
            if c.type == pin.ContactType.CONTACT_6D:
                J.append(J1 - inner.toActionMatrix() @ J2)
                moved = inner.act(v2)
                bias.append((a1 - inner.act(a2) - v1.cross(moved)).vector)
                gaps.append(pin.log6(inner).vector)
            else:  # true accelerations of points
                R = inner.rotation
                J.append(J1[:3] - R @ J2[:3])
                one_a = a1.linear + np.cross(v1.angular, v1.linear)
                two_a = a2.linear + np.cross(v2.angular, v2.linear)
                bias.append(one_a - R @ two_a)
                gaps.append(inner.translation)
        for follower, leader, factor in self.mimics:
            row = np.zeros((1, model.nv))
            row[0, follower], row[0, leader] = 1.0, -factor
            J.append(row)
            bias.append(np.zeros(1))
        return np.vstack(J), np.concatenate(bias), np.concatenate(gaps)

    def accelerations(self, q: np.ndarray, v: np.ndarray, effort: np.ndarray) -> np.ndarray:
        """Forward dynamics with the loops: M a + h = effort + J' lam, J a = -bias; dependent equations by least squares."""
        model = self.model
        J, bias, _ = self.rows(q, v)
        M = self.pin.crba(model, self.data, q)
        M = np.triu(M) + np.triu(M, 1).T
        h = self.pin.nonLinearEffects(model, self.data, q, v)
        left, sizes, right = np.linalg.svd(J)
        rank = int((sizes > 1e-9 * sizes[0]).sum())
        free = right[rank:].T
        fitted = right[:rank].T @ ((left[:, :rank].T @ -bias) / sizes[:rank])
        return np.asarray(fitted + free @ np.linalg.solve(free.T @ M @ free, free.T @ (effort - h - M @ fitted)))

    def freedom(self, q: np.ndarray) -> tuple[np.ndarray, int, int]:
        """Velocities that loops and mimics allow, the number of rows of the loops and their rank."""
        J, _, _ = self.rows(q, np.zeros(self.model.nv))
        _, sizes, right = np.linalg.svd(J)
        rank = int((sizes > 1e-9 * sizes[0]).sum())
        return right[rank:].T, J.shape[0] - len(self.mimics), rank - len(self.mimics)

    def independent(self, q: np.ndarray) -> list[tuple[str, int, int]]:
        """Joint, number of the coordinate in it and column of as many speeds as there are degrees of freedom, motors first."""
        free = self.freedom(q)[0]
        listed = [
            (self.model.names[k], i, self.model.joints[k].idx_v + i)
            for k in range(1, self.model.njoints)
            for i in range(self.model.joints[k].nv)
        ]
        chosen: list[tuple[str, int, int]] = []
        for least in (0.05, 1e-3):  # sines by which a speed is independent of those before it
            for one in sorted(listed, key=lambda item: item[0] not in self.motors):
                rows = free[[column for *_, column in (*chosen, one)]]
                if one not in chosen and len(chosen) < free.shape[1]:
                    sizes = np.linalg.svd(rows / np.linalg.norm(rows, axis=1)[:, None].clip(1e-12), compute_uv=False)
                    if sizes[-1] > least:
                        chosen.append(one)
        assert len(chosen) == free.shape[1]
        return chosen

    def joint_accelerations(self, q: np.ndarray, v: np.ndarray, bodies: dict[str, tuple[Any, Any]]) -> np.ndarray:
        """Accelerations of the joints from linear and angular accelerations of bodies, global."""
        pin, model = self.pin, self.model
        drift = self.body_accelerations(q, v, np.zeros(model.nv), bodies)
        pin.computeJointJacobians(model, self.data, q)
        J, right = [], []
        for k in range(1, model.njoints):
            carrier, name = self._carrier(k, bodies)
            frame = model.getFrameId(carrier.name, pin.FrameType.BODY)
            J.append(pin.getFrameJacobian(model, self.data, frame, pin.LOCAL_WORLD_ALIGNED))
            right.append(np.concatenate(bodies[name]) - np.concatenate(drift[name]))
        return np.asarray(np.linalg.lstsq(np.vstack(J), np.concatenate(right), rcond=None)[0])

    def efforts(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, columns: Any) -> np.ndarray:
        """Efforts along independent speeds for a motion: rnea, projected onto the motions that the loops allow."""
        free = self.freedom(q)[0]
        needed = self.pin.rnea(self.model, self.data, q, v, a) + self.damping * v
        return np.asarray(np.linalg.solve(free[list(columns)].T, free.T @ needed))

    def body_accelerations(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, bodies: Any
    ) -> dict[str, tuple[Any, Any]]:
        """Linear and angular accelerations of those of our bodies that move with joints, global."""
        pin = self.pin
        pin.forwardKinematics(self.model, self.data, q, v, a)
        pin.updateFramePlacements(self.model, self.data)
        out = {}
        for k in range(1, self.model.njoints):
            carrier, name = self._carrier(k, bodies)
            frame = self.model.getFrameId(carrier.name, pin.FrameType.BODY)
            found = pin.getFrameClassicalAcceleration(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
            out[name] = found.linear.copy(), found.angular.copy()
        return out


def body_accelerations(result: Any, k: int = -1) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Linear and angular accelerations of all bodies at an output time, global."""
    out = {}
    for b, name in enumerate(list(result.model.bodies)[1:]):
        a, turn = result.a[k][6 * b : 6 * b + 6], np.asarray(tm.rotations.matrix(result.q[k][7 * b + 3 : 7 * b + 7]))
        out[name] = a[:3].copy(), turn @ a[3:]
    return out


def forward_error(truth: LoopsTruth, model: tm.SpatialModel, duration: float = 0.05) -> tuple[float, float]:
    """Largest difference of accelerations after a fall from rest, and the largest acceleration."""
    run = model.simulate(times=[0.0, duration], progress=False)
    ours = body_accelerations(run)
    q, v = truth.state(body_states(run))
    theirs = truth.body_accelerations(q, v, truth.accelerations(q, v, -truth.damping * v), ours)
    worst = max(float(np.abs(np.subtract(ours[name], theirs[name])).max()) for name in theirs)
    return worst, max(float(np.abs(found).max()) for found in theirs.values())


def inverse_error(truth: LoopsTruth, model: tm.SpatialModel, seed: int = 1) -> tuple[float, float, list[str]]:
    """Largest difference of efforts along independent coordinates in random motion, the largest effort, and the driven joints."""
    random = np.random.default_rng(seed)
    model = model.assemble().model()
    q, _ = truth.state(body_states(model.simulate(times=[0.0, 1e-9], progress=False), 0))
    chosen = truth.independent(q)
    for number, (name, i, _) in enumerate(chosen):
        quantity = _quantity(truth, model, name, i)
        start = model.drawn_value(quantity)
        rate, curve = random.uniform(-1.0, 1.0, 2).tolist()
        model.driver(f"drive_{number}", quantity, f"{start!r} + ({rate!r})*t + ({curve!r})*t^2")
    found = model.inverse_dynamics(times=[0.0], progress=False)
    ours = np.array([float(found.effort(f"drive_{k}")[0]) for k in range(len(chosen))])
    q, v = truth.state(body_states(found, 0))
    a = truth.joint_accelerations(q, v, body_accelerations(found, 0))
    theirs = truth.efforts(q, v, a, [column for *_, column in chosen])
    return float(np.abs(ours - theirs).max()), float(np.abs(theirs).max()), [name for name, *_ in chosen]


def _quantity(truth: LoopsTruth, model: tm.SpatialModel, name: str, i: int) -> Any:
    """A coordinate of a joint of the file, measured in the model; of a ball, the cosine of two directions that are at right angles."""
    label = plain(name) if plain(name) in model.constraints else f"{plain(name)}_joint"
    joint = model.constraints[label]
    if joint.kind != "spherical":
        keys = {"revolute": ("angle",), "prismatic": ("distance",), "universal": ("angle", "second_angle")}[joint.kind]
        return model.measure(f"{label}.{keys[i]}")
    carrier, body = truth._carrier(truth.model.getJointId(name), model.bodies)
    child = model.bodies[body]
    parent = model.bodies[next(other for other in joint.bodies if other != body)]
    own = child.matrix @ carrier.placement.rotation.T  # axes of the joint, global
    one, two = own[:, (i + 2) % 3], own[:, (i + 1) % 3]
    return model.cosine(parent, tuple(one), child, tuple(two))


def body_states(result: Any, k: int = -1) -> dict[str, tuple[np.ndarray, ...]]:
    """Position, rotation, velocity and angular velocity of all bodies at an output time, global."""
    out = {}
    for b, name in enumerate(list(result.model.bodies)[1:]):
        q, v = result.q[k][7 * b : 7 * b + 7], result.v[k][6 * b : 6 * b + 6]
        turn = np.asarray(tm.rotations.matrix(q[3:]))
        out[name] = q[:3].copy(), turn, v[:3].copy(), turn @ v[3:]
    return out
