"""Functions of a model (`m.functions()`) compared with Pinocchio: the same numbers to 1e-12, then CPU time per call, in one run.

python bench/functions.py                          # the robots of ROBOTS that example-robot-data has
python bench/functions.py --only ur5_robot         # one of them
python bench/functions.py --site FOLDER            # Pinocchio and robots from the site-packages of another environment

Both read the same URDF file and are called the same way: one state, arrays of NumPy. Errors are relative to the largest entry of
Pinocchio's result, the worst of STATES random states. A robot whose numbers differ by more than 1e-12 (accelerations: or by what ten
roundings of the efforts do to them, through the inverse of the mass matrix) is not timed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import site
import sys
import time
import timeit
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

import pytrammel as tm

Array = NDArray[np.float64]
ROBOTS = {  # file below robots/, whether its root floats, frame whose Jacobian is compared
    "ur5_robot": ("ur_description/urdf/ur5_robot.urdf", False, "tool0"),
    "panda": ("panda_description/urdf/panda.urdf", False, "panda_hand"),
    "kinova": ("kinova_description/robots/kinova.urdf", False, "j2s6s200_link_6"),
    "z1": ("z1_description/urdf/z1.urdf", False, "link06"),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", True, "LF_FOOT"),
    "solo12": ("solo_description/robots/solo12.urdf", True, "FL_FOOT"),
    "talos_reduced": ("talos_data/robots/talos_reduced.urdf", True, "gripper_left_base_link"),
}
STATES, CLOSE, EPS = 20, 1e-12, 2.2e-16
COUNT, REPEATS = 2000, 7


class Pair:
    """One robot in both programs."""

    def __init__(self, pin: Any, path: Path, floats: bool, frame: str) -> None:
        self.pin, self.path = pin, path
        root = [pin.JointModelFreeFlyer()] if floats else []
        self.model = pin.buildModelFromUrdf(str(path), *root)
        self.data = self.model.createData()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.robot = tm.load_robot(path, floating_base=floats)
        self.f = self.robot.functions(elements=False)
        self.floats = floats
        self.frame = frame if self.model.existFrame(frame) else self.model.frames[len(self.model.frames) - 1].name
        self.frame_id = self.model.getFrameId(self.frame)
        self.order = self._order()

    def _order(self) -> list[tuple[Any, int, int, float, float]]:
        """Per joint of Pinocchio: where its coordinate and its velocity are here, and how it follows from them (mimic)."""
        found = []
        mimics = {tag.get("name"): tag.find("mimic") for tag in ElementTree.parse(self.path).getroot().iter("joint")}
        for k in range(2 if self.floats else 1, self.model.njoints):
            name, joint = self.model.names[k], self.model.joints[k]
            mimic = mimics.get(name)
            source = name if mimic is None else mimic.get("joint")
            here = [n for n in self.f.velocities if n.rpartition(".")[0] == source]
            if len(here) != 1:
                raise SystemExit(f"joint {name} of Pinocchio is {here or 'missing'} here: {self.f.velocities}")
            factor, offset = (
                (1.0, 0.0) if mimic is None else (float(mimic.get(x, d)) for x, d in (("multiplier", 1), ("offset", 0)))
            )
            found.append((joint, self.f.coordinates.index(here[0]), self.f.velocities.index(here[0]), factor, offset))
        return found

    def states(self, rng: np.random.Generator) -> tuple[Array, ...]:
        """Random q, v, a as both programs take them."""
        f, model = self.f, self.model
        q, p = f.start.copy(), self.pin.neutral(model)
        v, a = rng.standard_normal((2, len(f.velocities)))
        for at_q in {entry[1] for entry in self.order}:
            q[at_q] = rng.uniform(-2.0, 2.0)
        for joint, at_q, _, factor, offset in self.order:
            angle = factor * q[at_q] + offset
            p[joint.idx_q : joint.idx_q + joint.nq] = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        if self.floats:
            e = rng.standard_normal(4)
            e /= np.linalg.norm(e)
            q[self.base_q : self.base_q + 3] = p[:3] = rng.standard_normal(3)
            q[self.base_q + 3 : self.base_q + 7], p[3:7] = e, [e[1], e[2], e[3], e[0]]
        return q, v, a, p

    @property
    def base_q(self) -> int:
        return next(k for k, name in enumerate(self.f.coordinates) if name.endswith(".x"))

    @property
    def base_v(self) -> int:
        return next(k for k, name in enumerate(self.f.velocities) if name.endswith(".x"))

    def to_pin(self, q: Array) -> Array:
        """Matrix T with (velocities of Pinocchio) = T v: the free flyer's linear velocity has body components there."""
        T = np.zeros((self.model.nv, len(self.f.velocities)))
        for joint, _, at_v, factor, _ in self.order:
            T[joint.idx_v, at_v] = factor
        if self.floats:
            R = self.pin.Quaternion(*q[self.base_q + 3 : self.base_q + 7]).toRotationMatrix()
            at = self.base_v
            T[:3, at : at + 3], T[3:6, at + 3 : at + 6] = R.T, np.eye(3)
        return T

    def errors(self) -> dict[str, float]:
        """Largest relative difference per function."""
        pin, model, data, f = self.pin, self.model, self.data, self.f
        rng = np.random.default_rng(0)
        worst: dict[str, float] = {}
        self.off: dict[str, float] = {}  # differences that are too large

        def note(name: str, ours: Array, theirs: Array, allowed: float = CLOSE) -> None:
            error = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
            worst[name] = max(worst.get(name, 0.0), error)
            if error > max(CLOSE, allowed):
                self.off[name] = worst[name]

        for _ in range(STATES):
            q, v, a, p = self.states(rng)
            T = self.to_pin(q)
            w, b = T @ v, T @ a
            if self.floats:  # body components turn: d(R'v)/dt = R'a - omega x R'v
                b[:3] -= np.cross(w[3:6], w[:3])
            tau = pin.rnea(model, data, p, w, b)
            note("inverse_dynamics", f.inverse_dynamics(q, v, a), T.T @ tau)
            M = pin.crba(model, data, p)
            M = np.triu(M) + np.triu(M, 1).T
            note("mass_matrix", f.mass_matrix(q), T.T @ M @ T)
            note("gravity", f.gravity(q), T.T @ pin.computeGeneralizedGravity(model, data, p))
            accel = pin.aba(model, data, p, w, tau)
            if self.floats:
                accel[:3] += np.cross(w[3:6], w[:3])
            rounding = 10.0 * EPS * np.linalg.norm(np.linalg.inv(M), 2) * np.abs(tau).max() / np.abs(a).max()
            if T.shape[0] == T.shape[1]:  # without a mimicked joint, which is free in Pinocchio
                note("forward_dynamics", f.forward_dynamics(q, v, T.T @ tau), a_here(T, accel), rounding)
            note("round trip", f.forward_dynamics(q, v, f.inverse_dynamics(q, v, a)), a, rounding)
            J = pin.computeFrameJacobian(model, data, p, self.frame_id, pin.LOCAL_WORLD_ALIGNED)
            note("jacobian", f.jacobian(self.frame, q), J @ T)
            pin.forwardKinematics(model, data, p, w, b)
            pin.updateFramePlacements(model, data)
            placement = data.oMf[self.frame_id]
            r, A = f.pose(self.frame, q)
            note("pose", r, placement.translation)
            body = self.robot.body_of(self.frame)
            own = A if body.name == self.frame else None
            if own is not None:
                note("pose", own, placement.rotation)
            speed = pin.getFrameVelocity(model, data, self.frame_id, pin.LOCAL_WORLD_ALIGNED).vector
            note("velocity", f.velocity(self.frame, q, v), speed)
            rate = pin.getFrameClassicalAcceleration(model, data, self.frame_id, pin.LOCAL_WORLD_ALIGNED).vector
            note("acceleration", f.acceleration(self.frame, q, v, a), rate)
        return worst

    def times(self) -> list[tuple[str, float, float, float]]:
        """Microseconds of CPU per call here, there, and here per state of an array."""
        pin, model, data, f = self.pin, self.model, self.data, self.f
        q, v, a, p = self.states(np.random.default_rng(1))
        T = self.to_pin(q)
        w, b = T @ v, T @ a
        many, world = 1000, pin.LOCAL_WORLD_ALIGNED
        Q, V, A = np.tile(q, (many, 1)), np.tile(v, (many, 1)), np.tile(a, (many, 1))
        tau = f.inverse_dynamics(q, v, a)
        place, frame = self.frame, self.frame_id

        def pose_there() -> None:
            pin.forwardKinematics(model, data, p)
            pin.updateFramePlacement(model, data, frame)

        pairs: list[tuple[str, Callable[[], Any], Callable[[], Any], Callable[[], Any]]] = [
            ("inverse_dynamics", lambda: f.inverse_dynamics(q, v, a), lambda: pin.rnea(model, data, p, w, b),
             lambda: f.inverse_dynamics(Q, V, A)),
            ("forward_dynamics", lambda: f.forward_dynamics(q, v, tau), lambda: pin.aba(model, data, p, w, b),
             lambda: f.forward_dynamics(Q, V, A)),
            ("mass_matrix", lambda: f.mass_matrix(q), lambda: pin.crba(model, data, p), lambda: f.mass_matrix(Q)),
            ("bias_forces", lambda: f.bias_forces(q, v), lambda: pin.nonLinearEffects(model, data, p, w), lambda: f.bias_forces(Q, V)),
            ("gravity", lambda: f.gravity(q), lambda: pin.computeGeneralizedGravity(model, data, p), lambda: f.gravity(Q)),
            ("jacobian", lambda: f.jacobian(place, q), lambda: pin.computeFrameJacobian(model, data, p, frame, world),
             lambda: f.jacobian(place, Q)),
            ("pose", lambda: f.pose(place, q), pose_there, lambda: f.pose(place, Q)),
        ]  # fmt: skip
        return [
            (name, _per_call(ours), _per_call(theirs), _per_call(batch, COUNT // 100) / many)
            for name, ours, theirs, batch in pairs
        ]


def a_here(T: Array, accel: Array) -> Array:
    """Accelerations here from accelerations of Pinocchio; T is orthogonal."""
    return np.asarray(T.T @ accel)


def _per_call(call: Callable[[], Any], count: int = COUNT) -> float:
    call()
    return 1e6 * min(timeit.repeat(call, number=count, repeat=REPEATS, timer=time.process_time)) / count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="one robot of the list")
    parser.add_argument("--site", help="site-packages of an environment with pinocchio and example-robot-data")
    arguments = parser.parse_args()
    if arguments.site:
        site.addsitedir(arguments.site)
    import pinocchio as pin

    share = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"
    failed = False
    for name, (file, floats, frame) in ROBOTS.items():
        if arguments.only not in (None, name) or not (share / file).exists():
            continue
        begin = time.process_time()
        pair = Pair(pin, share / file, floats, frame)
        taken = time.process_time() - begin
        errors = pair.errors()
        print(f"\n{name}: {pair.f}, frame {pair.frame!r}, read and packed in {taken:.1f} s")
        if pair.off:
            failed = True
            print("  differs from Pinocchio, not timed: " + ", ".join(f"{key} {x:.1e}" for key, x in pair.off.items()))
            continue
        print(
            f"  {'function':18}{'error':>9}{'pytrammel':>11}{'pinocchio':>11}{'array':>11}   µs of CPU per call; per state of an array"
        )
        for key, ours, theirs, batch in pair.times():
            error = errors.get(key)
            print(f"  {key:18}{'' if error is None else f'{error:.0e}':>9}{ours:11.2f}{theirs:11.2f}{batch:11.2f}")
        print("  " + ", ".join(f"{key} {errors[key]:.0e}" for key in ("velocity", "acceleration", "round trip")))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
