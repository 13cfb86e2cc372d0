"""Constraints of the user: formulas with rates (non-holonomic), and Python functions, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression


def skate(**body):
    """A skate on a slope: its velocity is along its edge. Gravity's part down the slope is g along x."""
    m = tm.PlanarModel("skate", gravity=(2.0, 0.0))
    m.body("b", mass=1.3, inertia=0.4, omega=1.5, **body)
    m.equation("edge", "-sin(b.phi)*b.vx + cos(b.phi)*b.vy")
    return m


@pytest.mark.parametrize("options", [{}, {"method": "radau5"}, {"constraints": "baumgarte"}], ids=str)
def test_a_skate_on_a_slope_runs_along_a_cycloid(options):
    """Neimark and Fufaev: with constant spin w, x = g/(2 w²) sin² w t and y = g/(2 w²) (w t - sin w t cos w t)."""
    r = skate().simulate(3.0, samples=31, **options)
    w, t, g = 1.5, r.times, 2.0
    np.testing.assert_allclose(r["b.phi"], w * t, atol=1e-6)
    np.testing.assert_allclose(r["b.x"], g / (2 * w * w) * np.sin(w * t) ** 2, atol=1e-5)
    np.testing.assert_allclose(r["b.y"], g / (2 * w * w) * (w * t - np.sin(w * t) * np.cos(w * t)), atol=1e-5)
    assert np.abs(r["energy.balance"]).max() < 1e-5  # the edge does no work
    force = np.column_stack([r["b.com.ax"], r["b.com.ay"]]) * 1.3 - [1.3 * 2.0, 0.0]
    np.testing.assert_allclose(force[:, 0] * np.cos(w * t) + force[:, 1] * np.sin(w * t), 0.0, atol=1e-5)


def test_a_skate_counts_as_two_freedoms_of_velocity():
    assert skate().mobility().dof == 2


@pytest.mark.parametrize("space", [False, True])
def test_a_rate_coupled_to_a_spin(space):
    """v + 0.3 w = 0 under a force F: (m + I/0.09) v' = F."""
    m = (tm.SpatialModel if space else tm.PlanarModel)("coupled", gravity=(0.0,) * (3 if space else 2))
    m.body("a", mass=2.0, inertia=(0.5, 0.5, 0.5) if space else 0.5)
    m.equation("u", "a.vx + 0.3*a.wz" if space else "a.vx + 0.3*a.omega")
    m.force("f", "a", (3.0, 0.0, 0.0) if space else (3.0, 0.0))
    if space:
        m.equation("level", "a.wx + 0*t")
    r = m.simulate(0.5, samples=6)
    speed = 3.0 / (2.0 + 0.5 / 0.09) * r.times
    np.testing.assert_allclose(r["a.vx"], speed, atol=1e-9)
    np.testing.assert_allclose(r["a.wz" if space else "a.omega"], -speed / 0.3, atol=1e-8)
    assert r["u.effort"] == pytest.approx(np.full(6, -3.0 * (0.5 / 0.09) / (2.0 + 0.5 / 0.09)), rel=1e-8)


def test_a_prescribed_speed_that_depends_on_place_and_time():
    """x' = 2 x cos t has the solution x0 exp(2 sin t); without another force the constraint does all the work."""
    m = tm.PlanarModel("driven", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=1.0, position=(0.5, 0.0))
    m.equation("speed", "b.vx - 2*b.x*cos(t)")
    r = m.simulate(2.0, samples=21, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(r["b.x"], 0.5 * np.exp(2.0 * np.sin(r.times)), rtol=1e-7)


def test_constant_speed_along_a_direction_in_space_or_in_the_body():
    """Problem 4.24. Along u in space: u·r = v t. Along an axis of the body that spins with w: across it, c' + w v = 0."""
    v, w, across = 2.0, 0.7, 0.3
    fixed, turning = (tm.PlanarModel(name, gravity=(0.0, 0.0)) for name in ("fixed", "turning"))
    fixed.body("b", mass=1.5, inertia=0.2, omega=w)
    fixed.equation("speed", f"b.vx*cos(0.5) + b.vy*sin(0.5) - {v}")
    r = fixed.simulate(1.0, samples=11)
    np.testing.assert_allclose(r["b.x"] * math.cos(0.5) + r["b.y"] * math.sin(0.5), v * r.times, atol=1e-8)
    turning.body("b", mass=1.5, inertia=0.2, omega=w, velocity=(v, across))
    turning.equation("speed", f"b.vx*cos(b.phi) + b.vy*sin(b.phi) - {v}")
    r = turning.simulate(1.0, samples=11)
    c, s = np.cos(w * r.times), np.sin(w * r.times)
    sideways = across - w * v * r.times
    np.testing.assert_allclose(r["b.vx"], v * c - sideways * s, atol=1e-7)
    np.testing.assert_allclose(r["b.vy"], v * s + sideways * c, atol=1e-7)


def circle(x, y, t):
    return x**2 + np.power(y, 2) - np.exp(-t) * np.cos(0.0 * t)


def test_a_python_function_is_the_formula_it_computes():
    def bead(given):
        m = tm.PlanarModel("bead")
        m.body("b", mass=1.0, inertia=1.0, position=(1.0, 0.0))
        m.equation("ring", given, **({"inputs": ["b.x", "b.y", "t"]} if callable(given) else {}))
        return m.simulate(0.5, samples=11)

    by_function, by_formula = bead(circle), bead("b.x^2 + b.y^2 - exp(-t)*cos(0*t)")
    np.testing.assert_allclose(by_function["b.x"], by_formula["b.x"], atol=1e-9)
    np.testing.assert_allclose(by_function["b.x"] ** 2 + by_function["b.y"] ** 2, np.exp(-by_function.times), atol=1e-9)


def test_a_python_function_of_rates_in_space():
    m = tm.SpatialModel("m", gravity=(0.0, 0.0, 0.0))
    m.body("a", mass=2.0, inertia=(0.5, 0.5, 0.5))
    m.equation("u", lambda v, w: v + 0.3 * w, inputs=["a.vx", "a.wz"])
    m.force("f", "a", (3.0, 0.0, 0.0))
    assert m.simulate(0.5, samples=2)["a.vx"][-1] == pytest.approx(1.5 / (2.0 + 0.5 / 0.09))


def test_wrong_equations_are_explained(tmp_path):
    m = skate()
    with pytest.raises(ModelError, match=r"is not linear in the rate 'b.vx'; constraints on velocities must be linear"):
        m.equation("n", "b.vx^2 + b.vy^2 - 1")
    with pytest.raises(ModelError, match="cannot be read as a formula"):
        m.equation("n", lambda x: x if x > 0 else -x, inputs=["b.x"])
    with pytest.raises(ModelError, match="cannot be read as a formula"):
        m.equation("n", lambda x: math.sin(x), inputs=["b.x"])
    with pytest.raises(ModelError, match="needs inputs="):
        m.equation("n", circle)
    with pytest.raises(ModelError, match="inputs= belong to a Python function"):
        m.equation("n", "b.x", inputs=["b.x"])
    with pytest.raises(ModelError, match="it must not branch by its values"):
        m.equation("n", lambda x: 2 * x if isinstance(x, Expression) else x, inputs=["b.x"])
    m.equation("n", circle, inputs=["b.x", "b.y", "t"])
    with pytest.raises(ModelError, match="which a model file cannot hold"):
        m.save(tmp_path / "m.toml")
    again = tm.load(skate().save(tmp_path / "skate.toml"))
    assert again.constraints["edge"].blocks == skate().constraints["edge"].blocks
