"""One relative Euler parameter as a quantity: measured, held, driven, and in formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import rotations
from pytrammel.errors import ModelError


def spinning():
    m = tm.SpatialModel("two", gravity=(0.0, 0.0, 0.0))
    m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.3), rotation=(0.5, 0.5, 0.5, 0.5), omega=(1.0, -2.0, 0.5))
    m.body("b", mass=1.0, inertia=(0.3, 0.1, 0.2), omega=(0.3, 0.4, -1.0))
    return m


def test_they_are_those_of_the_bodies_and_so_are_their_rates():
    r = spinning().simulate(1.0, samples=2001, rtol=1e-10, atol=1e-12)
    exact = rotations.product(rotations.conjugate(r["b"].parameters), r["a"].parameters)
    h = r.times[1] - r.times[0]
    for k in range(4):
        e = r[f"a.b.e{k}"]
        np.testing.assert_allclose(e, exact[:, k], atol=1e-12)
        # central differences leave h²/6 and h²/12 of the next derivatives, some tens
        np.testing.assert_allclose(r[f"a.b.e{k}.rate"][1:-1], (e[2:] - e[:-2]) / (2 * h), atol=1e-5)
        np.testing.assert_allclose(r[f"a.b.e{k}.acceleration"][1:-1], (e[2:] - 2 * e[1:-1] + e[:-2]) / h**2, atol=1e-4)
    assert r.formula("a.b.e0^2 + a.b.e1^2 + a.b.e2^2 + a.b.e3^2") == pytest.approx(np.ones(2001))


def test_a_driven_parameter_turns_a_hinge():
    """About the z axis e3 = sin(angle/2)."""
    m = tm.SpatialModel("hinge")
    m.body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("A", "ground", "a", at=(0.0, 0.0, 0.0), axis="z")
    m.driver("d", "a.ground.e3", "0.4*sin(t)")
    k = m.kinematics(1.0, samples=6)
    assert k["A.angle"] == pytest.approx(2.0 * np.arcsin(0.4 * np.sin(k.times)), abs=1e-9)


def test_a_held_parameter_and_a_law():
    m = spinning()
    m.constrain("hold", m.relative_parameter("a", "b", 1))
    m.equation("also", "a.b.e2 - 0.5")
    with pytest.warns(tm.RunWarning, match="starting velocities"):
        r = m.simulate(0.3, samples=4)
    assert r["a.b.e1"] == pytest.approx(np.full(4, 0.5), abs=1e-9) and r["a.b.e2"] == pytest.approx(
        np.full(4, 0.5), abs=1e-9
    )
    with pytest.raises(ModelError, match="which= must be 0, 1, 2 or 3"):
        m.relative_parameter("a", "b", 4)
    assert math.isclose(m.drawn_value(m.measure("a.b.e0")), 0.5)
