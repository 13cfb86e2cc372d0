"""Energy in driven mechanisms, where forces do work without any trace in the motion; dampers between points that coincide."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm


def crank_past_a_spring(gap, free_length, damping=0.0):
    """A driven crank of 1 m whose tip passes the fixed end of a spring at a distance `gap`."""
    m = tm.PlanarModel("driven crank")
    m.body("crank", mass=1.0, inertia=0.1)
    m.revolute("A", "ground", "crank", at=(0, 0))
    m.driver("motor", "crank.phi", "2*t")
    m.spring(
        "s",
        m.ground.at(0.0, 1.0 + gap),
        m["crank"].at(1.0, 0.0),
        stiffness=200.0,
        free_length=free_length,
        damping=damping,
    )
    return m


@pytest.mark.parametrize("gap", [0.1, 3e-3, 1e-4, 0.0, -0.02])
@pytest.mark.parametrize("free_length", [0.0, 0.4, 1.2])
def test_energy_of_a_spring_that_passes_near_zero_length(gap, free_length):
    """Stored: half k (l - l0)² with the law of cosines. Put in by the driver: what is stored, as kinetic energy is constant."""
    r = crank_past_a_spring(gap, free_length).simulate(3.0, samples=61)
    far = 1.0 + gap
    length = np.sqrt(1.0 + far**2 - 2.0 * far * np.sin(2.0 * r.times))
    stored = 100.0 * (length - free_length) ** 2
    np.testing.assert_allclose(r.energy.stored, stored, atol=1e-6)
    np.testing.assert_allclose(
        r.energy.input, (stored - stored[0]) + (r.energy.gravity - r.energy.gravity[0]), atol=1e-3
    )
    assert r.warnings == ()


@pytest.mark.parametrize("gap", [0.1, 3e-3])
def test_work_of_a_damper_between_driven_parts(gap):
    """Dissipated: the integral of c times the square of the length's rate, by a fine quadrature."""
    r = crank_past_a_spring(gap, 0.4, damping=5.0).simulate(1.5, samples=16)
    far, t = 1.0 + gap, np.linspace(0.0, 1.5, 2_000_001)
    length = np.sqrt(1.0 + far**2 - 2.0 * far * np.sin(2.0 * t))
    power = 5.0 * (-2.0 * far * np.cos(2.0 * t) / length) ** 2
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t))])
    # energy turned over is some 200 J, held to 1e-8 of that per step; the trapezoids are good to 1e-6
    np.testing.assert_allclose(r.energy.dissipated, np.interp(r.times, t, work), atol=2e-5)


@pytest.mark.parametrize("turned", [0.0, 0.3, 1.1, 2.9])
@pytest.mark.parametrize("heading", [0.0, 0.7, 2.2, -1.5])
def test_a_damper_between_coinciding_points_acts_against_their_parting(turned, heading):
    """F = -c v at once, whatever the direction, also where the points coincide but for rounding."""
    v = np.array([math.cos(heading), math.sin(heading)])
    m = tm.PlanarModel("coinciding", gravity=(0, 0))
    end = np.array([0.3 * math.cos(turned), 0.3 * math.sin(turned)])
    m.body("b", position=tuple(0.1 - end), angle=turned, velocity=tuple(v), mass=2.0, inertia=1e9)
    m.spring("d", m.ground.at(0.1, 0.1), m["b"].at(0.3, 0.0), damping=4.0)
    r = m.simulate(0.0)
    np.testing.assert_allclose(r["b"].acceleration[0], -2.0 * v, atol=1e-9)
    np.testing.assert_allclose(r.force("d.damper")[0], 4.0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_a_damper_between_coinciding_points_in_space(seed):
    rng = np.random.default_rng(seed)
    v = rng.normal(size=3)
    m = tm.SpatialModel("coinciding", gravity=(0, 0, 0))
    at = rng.uniform(-1, 1, 3)
    m.body("b", position=tuple(at), velocity=tuple(v), mass=2.0, inertia=1e9)
    m.spring("d", m.ground.at(*(at + 0.3)), m["b"].at(0.3, 0.3, 0.3), damping=4.0)
    r = m.simulate(0.0)
    np.testing.assert_allclose(r["b"].acceleration[0], -2.0 * v, atol=1e-8)


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("speed", [1e-12, 1e-6, 0.05, 3.0])
def test_a_damper_between_points_that_coincide_acts_against_the_slowest_motion(space, speed):
    """Attached off the centre of a body that does not turn: a = -c v/m along the motion, however slow it is."""
    way = np.array([0.48, -0.6, 0.64]) if space else np.array([0.8, -0.6])
    zero = (0.0,) * way.size
    m = (tm.SpatialModel if space else tm.PlanarModel)("damper", gravity=zero)
    b = m.body("b", position=tuple(0.3 - 0.2 * way), velocity=tuple(speed * way), mass=2.0, inertia=1e9)
    m.spring("d", m.ground.at(*(0.3 for _ in way)), b.at(*(0.2 * way)), damping=5.0)
    start = m.simulate(times=[0.0, 1e-9])
    np.testing.assert_allclose(start["b"].acceleration[0], -2.5 * speed * way, rtol=1e-6)
