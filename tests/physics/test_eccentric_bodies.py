"""Bodies whose frame is off their centroid, free in flight under a force at the frame's origin: Newton and Euler at one state."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm

GRAVITY = np.array([0.7, -9.81, 0.4])


def start(m):
    """The first instant of a run of three bodies; one of them alone would hide mistakes in where numbers are kept."""
    return m.simulate(times=[0.0, 1e-9])


@pytest.mark.parametrize("seed", range(4))
def test_a_planar_body_accelerates_about_its_centroid(seed):
    rng = np.random.default_rng(seed)
    m = tm.PlanarModel("flight", gravity=tuple(GRAVITY[:2]))
    for name in "abc":
        m.body(
            name, position=rng.normal(size=2), angle=rng.uniform(-3, 3), centroid=rng.normal(size=2) if name != "a" else (0, 0),
            velocity=rng.normal(size=2), omega=rng.normal(), mass=rng.uniform(0.5, 3), inertia=rng.uniform(0.5, 3),
        )  # fmt: skip
    forces = {name: rng.normal(scale=10.0, size=2) for name in "abc"}
    for name, f in forces.items():
        m.force(f"F{name}", m[name].at(0, 0), tuple(f))
    r = start(m)
    kinetic = potential = 0.0
    for name, f in forces.items():
        b, s = m.bodies[name], r[name]
        c, d = np.cos(b.angle), np.sin(b.angle)
        arm = np.array([c * b.centroid[0] - d * b.centroid[1], d * b.centroid[0] + c * b.centroid[1]])
        across = np.array([-arm[1], arm[0]])
        alpha = -(arm[0] * f[1] - arm[1] * f[0]) / b.inertia
        a = GRAVITY[:2] + f / b.mass - alpha * across + b.omega**2 * arm
        np.testing.assert_allclose(s.acceleration[0], a, rtol=1e-9, atol=1e-9)
        assert s.alpha[0] == pytest.approx(alpha, rel=1e-9)
        speed = np.array(b.velocity) + b.omega * across
        kinetic += 0.5 * b.mass * speed @ speed + 0.5 * b.inertia * b.omega**2
        potential -= b.mass * GRAVITY[:2] @ (np.array(b.position) + arm)
    assert r.energy.kinetic[0] == pytest.approx(kinetic, rel=1e-12)
    assert r.energy.gravity[0] == pytest.approx(potential, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("principal", [True, False])
def test_a_body_in_space_accelerates_about_its_centroid(seed, principal):
    rng = np.random.default_rng(seed)
    m = tm.SpatialModel("flight", gravity=tuple(GRAVITY))
    for name in "abc":
        axes = np.eye(3) if principal else np.linalg.qr(rng.normal(size=(3, 3)))[0]
        m.body(
            name, position=rng.normal(size=3), rotation=tm.rotations.normalised(rng.normal(size=4)),
            centroid=rng.normal(size=3) if name != "a" else (0, 0, 0), velocity=rng.normal(size=3), omega=rng.normal(size=3),
            mass=rng.uniform(0.5, 3), inertia=axes @ np.diag(rng.uniform(1.0, 1.9, size=3)) @ axes.T,
        )  # fmt: skip
    forces = {name: rng.normal(scale=10.0, size=3) for name in "abc"}
    for name, f in forces.items():
        m.force(f"F{name}", m[name].at(0, 0, 0), tuple(f))
    r = start(m)
    kinetic = potential = 0.0
    for name, f in forces.items():
        b, s = m.bodies[name], r[name]
        turn, w = s.matrix[0], s.omega[0]
        arm, inertia = turn @ np.array(b.centroid), turn @ np.array(b.inertia) @ turn.T
        alpha = np.linalg.solve(inertia, np.cross(-arm, f) - np.cross(w, inertia @ w))
        a = GRAVITY + f / b.mass - np.cross(alpha, arm) - np.cross(w, np.cross(w, arm))
        np.testing.assert_allclose(s.acceleration[0], a, rtol=1e-9, atol=1e-8)
        np.testing.assert_allclose(s.alpha[0], alpha, rtol=1e-9, atol=1e-8)
        speed = s.velocity[0] + np.cross(w, arm)
        kinetic += 0.5 * b.mass * speed @ speed + 0.5 * w @ inertia @ w
        potential -= b.mass * GRAVITY @ (np.array(b.position) + arm)
    assert r.energy.kinetic[0] == pytest.approx(kinetic, rel=1e-12)
    assert r.energy.gravity[0] == pytest.approx(potential, rel=1e-12)
