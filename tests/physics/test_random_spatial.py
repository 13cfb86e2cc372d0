"""Random mechanisms in space: what must hold for all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pytrammel as tm

# velocities are drawn at random, so the joints change them
pytestmark = pytest.mark.filterwarnings("ignore:the given starting velocities contradict")

SETTINGS = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
JOINTS = ("revolute", "spherical", "universal", "prismatic", "cylindrical", "screw", "planar", "constant_velocity")


def unit(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def random_inertia(rng: np.random.Generator) -> np.ndarray:
    """Of a cloud of particles, so that some body can have it."""
    points = rng.normal(size=(6, 3))
    points -= points.mean(axis=0)
    return 0.05 * sum((p @ p) * np.eye(3) - np.outer(p, p) for p in points)


def random_tree(seed: int, *, grounded: bool) -> tm.SpatialModel:
    """Four bodies anywhere, with full inertia matrices and frames off their centroids, joined by random joints, moving at random."""
    rng = np.random.default_rng(seed)
    m = tm.SpatialModel(f"tree {seed}", gravity=(0.3, -0.2, -9.81) if grounded else (0, 0, 0))
    bodies = []
    for k in range(4):
        p = rng.normal(size=4)
        bodies.append(
            m.body(
                f"b{k}",
                position=tuple(rng.normal(size=3)),
                rotation=p / np.linalg.norm(p),
                mass=float(rng.uniform(0.5, 3.0)),
                inertia=random_inertia(rng),
                centroid=tuple(0.2 * rng.normal(size=3)) if k % 2 else (0, 0, 0),
                velocity=tuple(rng.normal(size=3)),
                omega=tuple(rng.normal(size=3)),
            )
        )
    before, after = ([m.ground, *bodies[:3]], bodies) if grounded else (bodies[:3], bodies[1:])
    for k, (a, b) in enumerate(zip(before, after, strict=True)):
        kind, at, axis = JOINTS[int(rng.integers(len(JOINTS)))], rng.normal(size=3), unit(rng)
        if kind == "spherical":
            m.spherical(f"J{k}", a, b, at=at)
        elif kind == "universal":
            other = np.cross(axis, unit(rng))
            m.universal(f"J{k}", a, b, at=at, axis=axis, second_axis=other / np.linalg.norm(other))
        elif kind == "screw":
            m.screw(f"J{k}", a, b, at=at, axis=axis, lead=0.4)
        else:
            getattr(m, kind)(f"J{k}", a, b, at=at, axis=axis)
    return m


@SETTINGS
@given(st.integers(0, 10_000))
def test_trees_on_the_ground_keep_their_energy_and_their_joints(seed):
    m = random_tree(seed, grounded=True)
    found = m.mobility()
    assert not found.redundant
    r = m.simulate(0.3, samples=4, rtol=1e-9)
    size = np.abs(r.energy.kinetic).max() + np.abs(r.energy.gravity - r.energy.gravity[0]).max()
    assert np.abs(r.energy.balance).max() < 1e-7 * size  # some hundred times the tolerance per step
    assert r.constraint_violation() < 1e-12  # held by projection
    # Newton for all bodies together: gravity and the ground's reaction change the momentum
    total = sum(b.mass for b in list(m.bodies.values())[1:]) * np.array(m.gravity)
    ground = r.ground_reaction[:, :3]
    change = np.zeros((len(r), 3))
    for name, body in list(m.bodies.items())[1:]:
        b = r[name]
        arm = b.matrix @ np.array(body.centroid)
        change += body.mass * (b.acceleration + np.cross(b.alpha, arm) + np.cross(b.omega, np.cross(b.omega, arm)))
    np.testing.assert_allclose(change, total - ground, rtol=0, atol=1e-8 * max(1.0, np.abs(ground).max()))


@SETTINGS
@given(st.integers(0, 10_000))
def test_floating_trees_keep_their_momenta(seed):
    r = random_tree(seed, grounded=False).simulate(0.3, samples=4, rtol=1e-9)
    # joints act between bodies of the tree only: exact conservation, up to the tolerance
    np.testing.assert_allclose(r.momentum - r.momentum[0], 0.0, rtol=0, atol=1e-9 * max(1.0, np.abs(r.momentum).max()))
    size = max(1.0, np.abs(r.angular_momentum).max())
    np.testing.assert_allclose(r.angular_momentum - r.angular_momentum[0], 0.0, rtol=0, atol=1e-7 * size)
    assert np.abs(r.energy.balance).max() < 1e-7 * r.energy.kinetic.max()


class Closing:
    """Closed form of an RSSR: crank about z at the origin, output of any axis, coupler with two balls."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.crank, self.arm, self.coupler = rng.uniform(0.3, 1.0), rng.uniform(0.5, 2.0), rng.uniform(1.0, 4.0)
        self.pivot, self.axis = rng.uniform(-2, 2, size=3), unit(rng)
        self.e1 = np.cross(self.axis, unit(rng))
        self.e1 /= np.linalg.norm(self.e1)
        self.e2 = np.cross(self.axis, self.e1)

    def parts(self, theta: float) -> tuple[float, float, float]:
        """a cos psi + b sin psi = goal, with w from the crank pin to the output pivot."""
        w = self.pivot - self.crank * np.array([math.cos(theta), math.sin(theta), 0.0])
        goal = self.coupler**2 - w @ w - self.arm**2
        return 2 * self.arm * float(w @ self.e1), 2 * self.arm * float(w @ self.e2), float(goal)

    def margin(self, theta: float) -> float:
        """Positive where the loop closes; the branches touch where it is zero."""
        a, b, goal = self.parts(theta)
        return math.hypot(a, b) - abs(goal)

    def output(self, theta: float) -> float:
        """One branch; the other has the minus sign."""
        a, b, goal = self.parts(theta)
        return math.atan2(b, a) + math.acos(max(-1.0, min(1.0, goal / math.hypot(a, b))))

    def model(self, theta: float, psi: float) -> tm.SpatialModel:
        m = tm.SpatialModel("RSSR")
        axis, x, pivot = tuple(self.axis), tuple(self.e1), tuple(self.pivot)
        m.body("crank", rotation=tm.rotations.from_axis_angle((0, 0, 1), theta))
        m.body("out", position=pivot, rotation=tm.rotations.from_axis_angle(self.axis, psi))
        m.revolute("A", m.ground.marker(x="x"), m["crank"].marker(x="x"))
        m.revolute("D", m.ground.marker(pivot, axis=axis, x=x), m["out"].marker(axis=axis, x=x))
        m.link("rod", m["crank"].at(self.crank, 0, 0), m["out"].at(*(self.arm * self.e1)), length=self.coupler)
        return m


@SETTINGS
@given(st.integers(0, 10_000))
def test_four_bars_in_space_close_where_geometry_allows(seed):
    rng = np.random.default_rng(seed)
    bar = Closing(rng)
    theta = rng.uniform(-3, 3)
    margin = bar.margin(theta)
    if abs(margin) < 0.05 * bar.arm:
        return  # too close to the dead point for a statement that rounding cannot turn round
    m = bar.model(0.0, rng.uniform(-3, 3))
    m.driver("motor", "A.angle", f"{theta!r} + 2*t")
    if margin < 0.0:
        with pytest.raises(tm.AssemblyError, match=r"cannot close|misses its value"):
            m.assemble()
        return
    r = m.kinematics(times=[0.0])
    psi, rate = r.series("D.angle").value[0], r.series("D.angle").rate[0]
    a, b, goal = bar.parts(theta)
    centre, half = math.atan2(b, a), math.acos(goal / math.hypot(a, b))
    off = [abs(math.remainder(psi - (centre + side * half), 2 * math.pi)) for side in (1, -1)]
    assert min(off) < 1e-9  # Newton's solution; 1e-13 except close to the dead point
    # the closing equation w.w + 2 arm w.e(psi) = const differentiated, with w' = -pin'
    w = bar.pivot - bar.crank * np.array([math.cos(theta), math.sin(theta), 0.0])
    dw = -2.0 * bar.crank * np.array([-math.sin(theta), math.cos(theta), 0.0])
    c, s = math.cos(psi), math.sin(psi)
    expected = -(2 * w @ dw + 2 * bar.arm * (dw @ (bar.e1 * c + bar.e2 * s))) / (b * c - a * s)
    assert rate == pytest.approx(expected, rel=1e-7, abs=1e-9)


@SETTINGS
@given(st.integers(0, 10_000), st.sampled_from([2, 3, 5, 17, 101]))
def test_branches_are_kept_whatever_the_spacing_of_the_instants(seed, samples):
    """Two turns of the crank: on the branch of the start all the way, or up to the dead point."""
    rng = np.random.default_rng(seed)
    bar = Closing(rng)
    theta = rng.uniform(-3, 3)
    if bar.margin(theta) < 0.05:
        return
    fine = np.linspace(0.0, 4 * math.pi, 8001)
    margins = np.array([bar.margin(theta + x) for x in fine])
    if 0.0 < margins.min() < 1e-5 or 0.0 < -margins.min() < 1e-5:
        return  # whether the crank comes round hangs on the last digits
    m = bar.model(theta, bar.output(theta))
    m.driver("motor", "A.angle", f"{theta!r} + t")
    if margins.min() < 0.0:
        dead = fine[int(np.argmax(margins < 0.0))]
        with pytest.raises(tm.SingularError) as stopped:
            m.kinematics(4 * math.pi, samples=samples)
        assert float(str(stopped.value).split("t = ")[1].split()[0]) == pytest.approx(dead, abs=2e-3)  # the grid above
        return
    r = m.kinematics(4 * math.pi, samples=samples)
    angle = r.series("D.angle").value
    off = [abs(math.remainder(psi - bar.output(theta + t), 2 * math.pi)) for t, psi in zip(r.times, angle, strict=True)]
    assert max(off) < 1e-7  # the other branch is at least 3e-3 away


def test_branches_that_nearly_touch_are_told_apart():
    """The branches of this linkage come within 0.06 rad of each other: long steps lead smoothly from one to the other."""
    rng = np.random.default_rng(3971)  # the first one of its kind
    bar, theta = Closing(rng), rng.uniform(-3, 3)
    assert 2e-4 < min(bar.margin(theta + x) for x in np.linspace(0.0, 2 * math.pi, 200)) < 1e-2
    m = bar.model(theta, bar.output(theta))
    m.driver("motor", "A.angle", f"{theta!r} + t")
    for samples in (2, 3, 5, 9, 17, 33):
        r = m.kinematics(4 * math.pi, samples=samples)
        for t, psi in zip(r.times, r.series("D.angle").value, strict=True):
            assert abs(math.remainder(psi - bar.output(theta + t), 2 * math.pi)) < 1e-7
