"""Bodies that hang on another by several joints at once, with links without mass between: exact, and by the sparse equations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.at_state import evaluate_state
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.io.robots.robot import Robot
from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import FLOATS, INTS, apart
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern
from robot_files import mjcf, written
from tree_truth import TreeTruth

CLOSE = 1e-9  # against the largest acceleration; refined to 1e-13 of the forces, with masses over five orders next to each other


@apart(INTS, FLOATS, INTS, *(9 * (FLOATS,)), seconds=1.0)
def no_dense_solution(ints, F, P, state, jac, g, gamma, K, unit, image, a, lam):
    """In the place of the dense solution: accelerations that are no numbers."""
    for c in range(ints[L.N_COLUMNS]):
        a[c] = np.nan
    return 0.0


def several_joints(seed: int) -> str:
    """A random tree in MJCF: hands of grams on trunks of kilograms, up to three hinges and slides per body."""
    random = np.random.default_rng(seed)

    def numbers(values: np.ndarray) -> str:
        return " ".join(map(repr, np.asarray(values, dtype=float).tolist()))

    def body(k: int, depth: int, size: float) -> str:
        mass = 500.0 * size**3 * float(random.uniform(0.5, 2.0))
        moments = 0.1 * mass * size**2 * random.uniform(0.8, 1.2, 3)
        turned, _ = np.linalg.qr(random.normal(size=(3, 3)))
        joints = "".join(
            f'<joint name="j{k}_{depth}_{i}" type="{"slide" if random.random() < 0.2 else "hinge"}" axis="{numbers(turned[i])}" '
            f'pos="{numbers(0.2 * size * random.normal(size=3))}"/>'
            for i in range(random.integers(1, 4))
        )
        if depth == 0 and seed % 2:
            joints = "<freejoint/>"
        inner = "".join(
            body(10 * k + i, depth + 1, size * float(random.uniform(0.3, 0.8)))
            for i in range(random.integers(1, 3) if depth < 4 else 0)
        )
        place = numbers(size * random.normal(size=3))
        return (
            f'<body name="b{k}_{depth}" pos="{place}"><inertial pos="{numbers(0.3 * size * random.normal(size=3))}" mass="{mass!r}" '
            f'diaginertia="{numbers(moments)}"/>{joints}{inner}</body>'
        )

    return mjcf(body(1, 0, 0.4))


def speeds_of(robot: Robot, seed: int) -> dict[str, float]:
    random = np.random.default_rng(1000 + seed)
    return {name: float(random.uniform(-2.0, 2.0)) for name, joint in robot.joints.items() if joint.axes}


@pytest.mark.parametrize("moving", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_accelerations_are_those_of_the_tree_without_a_dense_solution(tmp_path: Path, seed: int, moving: bool) -> None:
    robot = tm.read_robot(written(tmp_path, several_joints(seed), "robot.xml"))
    truth = TreeTruth(robot, speeds_of(robot, seed) if moving else {})
    system = lower(robot.model(), dynamics=True)
    ints = system.ints.copy()
    if ints[L.HAS_MASSLESS]:
        ints[L.DENSELY] = no_dense_solution.address()
    v = np.zeros(system.n_columns)
    links = list(system.model.bodies)[1:]
    turns = [robot.links[name].pose.rotation for name in links]
    for b, (name, turn) in enumerate(zip(links, turns, strict=True)):
        linear, angular = truth.rates[name]
        v[6 * b : 6 * b + 3], v[6 * b + 3 : 6 * b + 6] = linear, turn.T @ angular
    rows = pattern(system, active_rows(system))
    found = evaluate_state(replace(system, ints=ints), system.floats, rows, 0.0, system.start, v).accelerations
    largest = max(float(np.abs(part).max()) for pair in truth.accelerations.values() for part in pair)
    for b, (name, turn) in enumerate(zip(links, turns, strict=True)):
        linear, angular = truth.accelerations[name]
        assert found[6 * b : 6 * b + 3] == pytest.approx(linear, abs=CLOSE * largest)
        assert turn @ found[6 * b + 3 : 6 * b + 6] == pytest.approx(angular, abs=CLOSE * largest)


@pytest.mark.parametrize("seed", range(6))
def test_a_chain_in_balance_needs_no_dense_solution(tmp_path: Path, seed: int) -> None:
    """All centroids and joints lie on one vertical line, so that nothing accelerates and accelerations have no size of their own."""
    random = np.random.default_rng(seed)
    text = ""
    for k in range(random.integers(2, 6)):
        armature = f' armature="{random.uniform(0.0, 0.02)!r}"' if seed % 2 else ""
        turned, _ = np.linalg.qr(random.normal(size=(3, 3)))
        axes = turned if k % 2 else np.eye(3)
        joints = "".join(
            f'<joint name="j{k}_{i}" axis="{axis[0]!r} {axis[1]!r} {axis[2]!r}"{armature}/>'
            for i, axis in enumerate(axes.tolist())
        )
        mass, moments = random.uniform(0.1, 2.0), random.uniform(0.8, 1.2, 3) * 10 ** random.uniform(-5, -2)
        height, place = random.uniform(-0.3, 0.3), random.uniform(-0.4, 0.4)
        text += (
            f'<body name="b{k}" pos="0 0 {place!r}"><inertial pos="0 0 {height!r}" mass="{mass!r}" '
            f'diaginertia="{" ".join(map(repr, moments.tolist()))}"/>{joints}'
        )
    robot = tm.read_robot(written(tmp_path, mjcf(text + "</body>" * text.count("<body")), "robot.xml"))
    system = lower(robot.model(), dynamics=True)
    ints = system.ints.copy()
    assert ints[L.HAS_MASSLESS]
    ints[L.DENSELY] = no_dense_solution.address()
    rows = pattern(system, active_rows(system))
    still = np.zeros(system.n_columns)
    found = evaluate_state(replace(system, ints=ints), system.floats, rows, 0.0, system.start, still).accelerations
    # rounding of the weight, over the least moment of inertia of 1e-5 kg m²
    assert np.abs(found).max() < 9.81 * 1e-15 * 2.0 * 5 * 0.4 / 1e-5
