"""Robots and chains in joint coordinates beside Pinocchio and MuJoCo, where these are installed: CPU time at equal accuracy, in one run.

python bench/robots.py                     # chains of 10, 100 and 1000, the six-legged robot
python bench/robots.py --site FOLDER 10    # peers from the site-packages of another environment; some cases only

A peer gets the same tree, its frames parallel to the global axes at the start. The reference is a run in body coordinates at 1e-13;
errors are the largest distance of a centroid from where it should be at the end. Only the integration is timed, on one thread, and of
each code the fastest setting that is accurate enough counts.
"""

from __future__ import annotations

import argparse
import importlib
import os
import site
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import pytrammel as tm
from pytrammel import rotations
from pytrammel._util.progress import Progress
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.simulation import Simulation
from pytrammel.analysis.small_motions.linear_state import state_at
from pytrammel.analysis.study.joints import transformation
from pytrammel.kernels.trees import layout as T
from pytrammel.system.topology import spanning_tree
from pytrammel.system.tree import Tree, build_tree

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).parent))
import spatial_models as space
from trees import hexapod

Array = NDArray[np.float64]
Trial = tuple[float, float, str]  # CPU time [s], error [m], setting
LIMITS = (1e-6, 1e-9)
LONG = 30.0  # seconds of CPU: no finer setting is tried after a run as long as that


class Robot:
    """A tree of hinges, its bodies and joints in global axes at the start."""

    def __init__(self, model: tm.SpatialModel, duration: float) -> None:
        self.model, self.duration = model, duration
        model.simulate(1e-6, samples=2, formulation="joint", progress=False)
        start = state_at(model, None, None)
        system = start.system
        self.tree: Tree = build_tree(system, spanning_tree(system, active_rows(system)))
        assert not self.tree.topology.rows
        assert all(node.kind in (T.TURN, T.FREE) for node in self.tree.nodes)
        self.speeds = transformation(self.tree, start)[2]
        seats = self.tree.seats
        bodies = [model.bodies[node.branch.body] for node in self.tree.nodes]
        own = start.q[: 7 * len(bodies)].reshape(-1, 7)
        places, turns = np.vstack([np.zeros(3), own[:, :3]]), [np.eye(3), *(rotations.matrix(p) for p in own[:, 3:])]
        self.points = np.array([places[c] + turns[c] @ p for c, p in zip(seats.carrier, seats.point, strict=True)])
        self.axes = np.array([turns[c] @ a for c, a in zip(seats.carrier, seats.axis, strict=True)])
        self.masses = [float(body.mass or 0.0) for body in bodies]
        self.rotations = [np.asarray(turns[k]) for k in seats.own]
        self.inertias = [R @ np.asarray(body.inertia) @ R.T for R, body in zip(self.rotations, bodies, strict=True)]
        self.centroids = np.array(
            [
                places[k] + R @ np.asarray(body.centroid)
                for k, R, body in zip(seats.own, self.rotations, bodies, strict=True)
            ]
        )
        self.local = [np.asarray(body.centroid) for body in bodies]
        exact = model.simulate(duration, samples=2, rtol=1e-13, atol=1e-15, progress=False)
        self.reference = self.ends(exact.q[-1])

    def ends(self, q: Array) -> Array:
        """Centroids of all bodies, in the order of the nodes."""
        own = q[: 7 * len(self.tree.nodes)].reshape(-1, 7)
        nodes = [node.body for node in self.tree.nodes]
        return np.array([own[b, :3] + rotations.matrix(own[b, 3:]) @ s for b, s in zip(nodes, self.local, strict=True)])

    def error(self, centroids: Array) -> float:
        return float(np.linalg.norm(centroids - self.reference, axis=1).max())

    def from_parent(self, k: int) -> Array:
        """The joint of a node from that of its parent."""
        parent = self.tree.nodes[k].parent
        return np.asarray(self.points[k] - (self.points[parent] if parent >= 0 else 0.0))


def timed(run: Callable[[], Any], most: int = 5) -> tuple[float, Any]:
    """Least CPU time of some runs [s], and what the last gave."""
    best, spent = np.inf, 0.0
    for _ in range(most):
        began = time.process_time()
        found = run()
        took = time.process_time() - began
        best, spent = min(best, took), spent + took
        if spent > 2.0:
            break
    return best, found


def ours(robot: Robot, formulation: str) -> Iterator[Trial]:
    for rtol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11):
        runs: list[Simulation] = []
        for _ in range(6):
            options = Options(
                method_named("dop853"),
                rtol,
                0.01 * rtol,
                0.0,
                np.inf,
                "projection",
                0.0,
                0.0,
                10**7,
                tm.formulations[formulation],
            )
            runs.append(Simulation(robot.model, np.array([0.0, robot.duration]), options, (), (), None, True))
        left = iter(runs)

        def go(left: Iterator[Simulation] = left) -> Simulation:
            run = next(left)
            run.go(Progress("", enabled=False))
            return run

        took, done = timed(go)
        yield took, robot.error(robot.ends(done.q)), f"rtol {rtol:g}"


def pinocchio(robot: Robot) -> Iterator[Trial]:
    pin = importlib.import_module("pinocchio")
    m = pin.Model()
    m.gravity.linear = np.array(robot.model.gravity, dtype=float)
    joints: list[int] = []
    for k, node in enumerate(robot.tree.nodes):
        free = node.kind == T.FREE
        joint = pin.JointModelFreeFlyer() if free else pin.JointModelRevoluteUnaligned(robot.axes[k])
        at = robot.centroids[k] if free else robot.from_parent(k)
        if not free and node.parent >= 0 and robot.tree.nodes[node.parent].kind == T.FREE:
            at = robot.points[k] - robot.centroids[node.parent]
        joints.append(m.addJoint(joints[node.parent] if node.parent >= 0 else 0, joint, pin.SE3(np.eye(3), at), str(k)))
        lever = np.zeros(3) if free else robot.centroids[k] - robot.points[k]
        m.appendBodyToJoint(joints[k], pin.Inertia(robot.masses[k], lever, robot.inertias[k]), pin.SE3.Identity())
    data, nq, nv = m.createData(), m.nq, m.nv
    y0 = np.concatenate([pin.neutral(m), np.zeros(nv)])
    floating = nq != nv
    for k, node in enumerate(robot.tree.nodes):
        at = nq + m.joints[joints[k]].idx_v
        if node.kind == T.FREE:
            given = robot.speeds[node.at_u : node.at_u + 6]
            spin = robot.rotations[k] @ given[3:]
            y0[at : at + 6] = [*(given[:3] + np.cross(spin, robot.centroids[k] - _origin(robot, k))), *spin]
        else:
            y0[at] = robot.speeds[node.at_u]
    none = np.zeros(nv)

    def rates(t: float, y: Array) -> Array:
        q, v = y[:nq], y[nq:]
        dq = v
        if floating:
            p = q[3:7] / np.linalg.norm(q[3:7])
            q = np.concatenate([q[:3], p, q[7:]])
            turn = 0.5 * rotations.product(p[[3, 0, 1, 2]], np.array([0.0, *v[3:6]]))
            dq = np.concatenate([pin.Quaternion(p).matrix() @ v[:3], turn[[1, 2, 3, 0]], v[6:]])
        return np.concatenate([dq, pin.aba(m, data, q, v, none)])

    count = 500
    bare, _ = timed(lambda: [pin.aba(m, data, y0[:nq], y0[nq:], none) for _ in range(count)])
    print(f"    Pinocchio {pin.__version__}: aba {1e6 * bare / count:.2f} µs")
    for rtol in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12):
        took, found = timed(
            lambda rtol=rtol: solve_ivp(rates, (0.0, robot.duration), y0, method="DOP853", rtol=rtol, atol=0.01 * rtol)
        )
        end = found.y[:nq, -1].copy()
        if floating:
            end[3:7] /= np.linalg.norm(end[3:7])
        pin.forwardKinematics(m, data, end)
        centroids = [data.oMi[j].act(m.inertias[j].lever) for j in joints]
        yield took, robot.error(np.array(centroids)), f"SciPy's DOP853, rtol {rtol:g}"
        if took > LONG:
            return


def _origin(robot: Robot, k: int) -> Array:
    """Origin of a body at the start."""
    return np.asarray(robot.centroids[k] - robot.rotations[k] @ robot.local[k])


def mujoco(robot: Robot) -> Iterator[Trial]:
    mj = importlib.import_module("mujoco")
    words = lambda numbers: " ".join(repr(float(x)) for x in numbers)  # noqa: E731
    children: dict[int, list[int]] = {}
    for k, node in enumerate(robot.tree.nodes):
        children.setdefault(node.parent, []).append(k)

    def written(k: int) -> str:
        node, J = robot.tree.nodes[k], robot.inertias[k]
        free = node.kind == T.FREE
        at = _origin(robot, k) if free else robot.from_parent(k)
        if not free and node.parent >= 0 and robot.tree.nodes[node.parent].kind == T.FREE:
            at = robot.points[k] - _origin(robot, node.parent)
        joint = "<freejoint/>" if free else f'<joint type="hinge" axis="{words(robot.axes[k])}"/>'
        lever = robot.centroids[k] - (_origin(robot, k) if free else robot.points[k])
        full = words([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
        own = f'<inertial pos="{words(lever)}" mass="{robot.masses[k]!r}" fullinertia="{full}"/>'
        inside = "".join(map(written, children.get(k, [])))
        return f'<body name="{k}" pos="{words(at)}">{joint}{own}{inside}</body>'

    def model(h: float) -> Any:
        option = f'<option gravity="{words(robot.model.gravity)}" timestep="{h!r}" integrator="RK4"><flag contact="disable"/></option>'
        whole = "".join(map(written, children[-1]))
        return mj.MjModel.from_xml_string(
            f'<mujoco><compiler angle="radian" boundmass="0" balanceinertia="false"/>{option}<worldbody>{whole}</worldbody></mujoco>'
        )

    print(f"    MuJoCo {mj.__version__}")
    for steps in (50, 100, 200, 500, 1000, 2000, 5000):
        m = model(robot.duration / steps)
        d = mj.MjData(m)

        def go(m: Any = m, d: Any = d, steps: int = steps) -> None:
            mj.mj_resetData(m, d)
            for k, node in enumerate(robot.tree.nodes):
                at = m.jnt_dofadr[m.body(str(k)).jntadr[0]]
                count = 6 if node.kind == T.FREE else 1
                given = robot.speeds[node.at_u : node.at_u + count].copy()
                if count == 6:
                    given[3:] = robot.rotations[k] @ given[3:]
                d.qvel[at : at + count] = given
            mj.mj_step(m, d, nstep=steps)
            mj.mj_kinematics(m, d)

        took, _ = timed(go)
        ends = np.array([d.body(str(k)).xipos for k in range(len(robot.tree.nodes))])
        yield took, robot.error(ends), f"RK4, {steps} steps"
        if took > LONG:
            return


CODES: dict[str, tuple[str, Callable[[Robot], Iterator[Trial]]]] = {
    "joint coordinates": ("pytrammel", lambda robot: ours(robot, "joint")),
    "body coordinates": ("pytrammel", lambda robot: ours(robot, "cartesian")),
    "Pinocchio": ("pinocchio", pinocchio),
    "MuJoCo": ("mujoco", mujoco),
}
CASES: dict[str, tuple[Callable[[], tm.SpatialModel], float]] = {
    "10": (lambda: space.chain(10), 1.0),
    "100": (lambda: space.chain(100), 1.0),
    "1000": (lambda: space.chain(1000), 1.0),
    "hexapod": (hexapod, 1.0),
}
TOO_LARGE = {("Pinocchio", "1000"): "its data would take some 60 GB", ("MuJoCo", "1000"): "a step takes a second"}


def fastest(trials: Iterator[Trial]) -> str:
    """CPU time of the fastest trial within each limit."""
    found: dict[float, Trial] = {}
    for trial in trials:
        for limit in LIMITS:
            if trial[1] <= limit and (limit not in found or trial[0] < found[limit][0]):
                found[limit] = trial
        if trial[1] <= min(LIMITS):
            break
    said = []
    for limit in LIMITS:
        took, error, how = found.get(limit, (np.nan, np.nan, ""))
        said.append(f"<= {limit:g}: {1e3 * took:9.2f} ms ({error:.1e}, {how})" if how else f"<= {limit:g}: not reached")
    return "   ".join(said)


def compare(names: list[str]) -> None:
    """Print the table of some cases."""
    warnings.simplefilter("ignore")
    for name in names:
        build, duration = CASES[name]
        robot = Robot(build(), duration)
        print(f"{robot.model.name}, {duration:g} s")
        for code, (package, trials) in CODES.items():
            if (code, name) in TOO_LARGE:
                print(f"  {code:18s} left out: {TOO_LARGE[code, name]}")
                continue
            try:
                importlib.import_module(package)
            except ImportError:
                print(f"  {code:18s} is not installed here")
                continue
            print(f"  {code:18s} {fastest(trials(robot))}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", help="site-packages of an environment with the peers")
    parser.add_argument("cases", nargs="*", help=f"some of: {', '.join(CASES)}")
    given = parser.parse_args()
    if given.site:
        site.addsitedir(given.site)
    compare(given.cases or list(CASES))


if __name__ == "__main__":
    main()
