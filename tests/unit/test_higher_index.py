"""Differential-algebraic equations of index 2 and 3 in `tm.textbook.integrate`, against closed forms and other coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm

ROUNDING = 1e-12  # constraints after a projection, states of order 10
PENDULUM = ["x'' = -l*x", "y'' = -l*y - 9.81", "x^2 + y^2 = 1"]
LEVEL = {"x": 1.0, "y": 0.0, "x'": 0.0, "y'": 0.0, "l": 0.0}
METHODS = ("dop853", "dopri5", "radau5", "bdf", "adams", "auto", "gbs12", "esdirk43")
FIXED = {"rk4": 1e-3, "abm4": 1e-3, "bdf4": 1e-3}


def angle(times):
    """The same pendulum by its angle from the vertical, and its rate."""
    found = tm.textbook.integrate(
        {"a''": "-9.81*sin(a)"}, {"a": np.pi / 2, "a'": 0.0}, times=times, rtol=1e-13, atol=1e-14
    )
    return found["a"], found["a'"]


@pytest.mark.parametrize("method", [*METHODS, *FIXED])
def test_the_pendulum_of_index_3(method):
    accuracy = {} if method in FIXED else {"rtol": 1e-9}
    chosen = tm.methods[method](step=FIXED[method]) if method in FIXED else method
    found = tm.textbook.integrate(PENDULUM, LEVEL, 2.0, samples=11, method=chosen, **accuracy)
    a, w = angle(found.times)
    np.testing.assert_allclose(found["x"], np.sin(a), rtol=0, atol=1e-6)
    np.testing.assert_allclose(found["l"], w**2 + 9.81 * np.cos(a), rtol=0, atol=1e-5)
    np.testing.assert_allclose(found["x"] ** 2 + found["y"] ** 2, 1.0, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(found["x"] * found["x'"] + found["y"] * found["y'"], 0.0, rtol=0, atol=ROUNDING)


def test_constraints_hold_over_many_turns():
    """No drift: a Baumgarte-free index reduction without projection would be off by about 1e-6 here."""
    found = tm.textbook.integrate(PENDULUM, {**LEVEL, "y'": 7.0}, 60.0, samples=61, rtol=1e-7)
    np.testing.assert_allclose(found["x"] ** 2 + found["y"] ** 2, 1.0, rtol=0, atol=ROUNDING)


def test_the_pendulum_of_index_2():
    """The constraint on velocities instead of positions."""
    found = tm.textbook.integrate([*PENDULUM[:2], "x*x' + y*y' = 0"], LEVEL, 2.0, samples=11, rtol=1e-10)
    a, _ = angle(found.times)
    np.testing.assert_allclose(found["x"], np.sin(a), rtol=0, atol=1e-7)


def test_a_prescribed_path_of_index_2():
    found = tm.textbook.integrate(
        ["x' = y + u", "y' = -x", "0 = x - sin(t)"], {"x": 0.0, "y": 2.0, "u": 0.0}, 3.0, samples=7
    )
    np.testing.assert_allclose(found["y"], 1.0 + np.cos(found.times), rtol=0, atol=1e-8)
    np.testing.assert_allclose(found["u"], -1.0 * np.ones(7), rtol=0, atol=1e-8)


def test_a_differentiator_finds_its_state_at_the_start():
    """x = sin(t), z = x': x is known at the start by the constraint alone, its guess does not matter."""
    found = tm.textbook.integrate(["z = x'", "x = sin(t)"], {"x": 0.0, "z": 0.0}, 2.0, samples=5)
    np.testing.assert_allclose(found["z"], np.cos(found.times), rtol=0, atol=1e-12)


def test_a_force_through_a_spring_of_index_5():
    """A mass that follows sin(t) by a force on another one behind a spring: m x'' = k (y - x), M y'' = k (x - y) + F."""
    found = tm.textbook.integrate(
        ["2*x'' = 8*(y - x)", "3*y'' = 8*(x - y) + F", "x = sin(t)"],
        {"x": 0.0, "x'": 1.0, "y": 0.0, "y'": 0.75, "F": 0.0}, 2.0, samples=5,
    )  # fmt: skip
    y = np.sin(found.times) * (1.0 - 2.0 / 8.0)
    np.testing.assert_allclose(found["y"], y, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found["F"], -3.0 * y - 8.0 * (np.sin(found.times) - y), rtol=0, atol=1e-9)


def test_a_slider_crank_of_multipliers_moves_as_the_mechanism_does():
    """A crank (point mass at its end) and a massless rod to a slider, against a planar model."""
    equations = [
        "x'' = -2*l*x - 2*n*(x - s)",
        "y'' = -9.81 - 2*l*y - 2*n*y",
        "2*s'' = 2*n*(x - s)",
        "x^2 + y^2 = 0.25",
        "(x - s)^2 + y^2 = 1",
    ]
    start = {"x": 0.3, "y": 0.4, "x'": 0.0, "y'": 0.0, "s": 0.3 + np.sqrt(0.84), "s'": 0.0, "l": 0.0, "n": 0.0}
    found = tm.textbook.integrate(equations, start, 1.0, samples=6, rtol=1e-11, atol=1e-12)
    m = tm.PlanarModel("crank", gravity=(0, -9.81))
    m.body("p", position=(0.3, 0.4), mass=1.0, inertia=1.0)
    m.body("s", position=(start["s"], 0.0), mass=2.0, inertia=1.0)
    m.constrain("upright", "p.phi")
    m.prismatic("T", "ground", "s", at=(0, 0), axis=(1, 0))
    m.link("crank", m.ground.at(0, 0), m["p"].at(0, 0))
    m.link("rod", m["p"].at(0, 0), m["s"].at(0, 0))
    r = m.simulate(1.0, samples=6, rtol=1e-11)
    np.testing.assert_allclose(found["s"], r["s"].x, rtol=0, atol=1e-7)
    np.testing.assert_allclose(found["y"], r["p"].y, rtol=0, atol=1e-7)


def test_events_and_restarts_see_projected_states():
    found = tm.textbook.integrate(PENDULUM, LEVEL, 2.0, samples=5, events=[tm.Event("down", "x", stop=True)])
    a_quarter = 2.0 * np.sqrt(1 / 9.81) * 1.8540746773013719 / 2.0  # K(1/sqrt 2)
    assert found.events[0].time == pytest.approx(a_quarter, abs=1e-8)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"y": 0.1}, r"contradict equation 'x\^2 \+ y\^2 = 1'.*0\.01.*limit.*nearest consistent values are x = 0\.995"),
        ({"x'": 1.0}, r"first derivative of equation 'x\^2 \+ y\^2 = 1'.*residual is 2"),
    ],
)
def test_initial_values_that_contradict_constraints_are_rejected(change, text):
    with pytest.raises(tm.ModelError, match=text):
        tm.textbook.integrate(PENDULUM, {**LEVEL, **change}, 1.0)


def test_a_multiplier_without_a_first_guess_is_named():
    with pytest.raises(tm.ModelError, match=r"^'l': unknown without .* first guess in initial="):
        tm.textbook.integrate(PENDULUM, {name: value for name, value in LEVEL.items() if name != "l"}, 1.0)


def test_equations_that_determine_nothing_are_rejected():
    with pytest.raises(tm.ModelError, match=r"do not determine all unknowns.*'x = sin\(t\)'|'x = cos\(t\)'"):
        tm.textbook.integrate(["x = sin(t)", "x = cos(t)", "y' = u"], {"x": 0.0, "y": 0.0, "u": 0.0}, 1.0)


def test_solvers_without_projection_are_rejected():
    with pytest.raises(tm.ModelError, match=r"'scipy_radau' has no projection.*'radau5'"):
        tm.textbook.integrate(PENDULUM, LEVEL, 1.0, method="scipy_radau")
