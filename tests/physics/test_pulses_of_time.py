"""Short pulses of formulas of time are not passed by steps that grow while nothing happens."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.expressions.breakpoints import pulses
from pytrammel.expressions.expression import parse

PULSE = "exp(-((t - 0.7)/0.01)^2)"
IMPULSE = 0.01 * math.sqrt(math.pi)
METHODS = ["default", "dopri5", "bs32", "gbs12", "esdirk43", "trbdf2", "radau5", "adams", "bdf"]


def slider(space, **force):
    if space:
        m = tm.SpatialModel("slider", gravity=(0, 0, 0))
        m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.prismatic("T", m.ground, "b", at=(0, 0, 0), axis="x")
    else:
        m = tm.PlanarModel("slider", gravity=(0, 0))
        m.body("b", mass=1.0, inertia=1.0)
        m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    return m


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("method", METHODS)
def test_a_force_that_acts_shortly_gives_its_impulse(method, space):
    m = slider(space)
    m.user_force("F", "b.x", f"10*{PULSE}")
    # multistep methods and low orders: error of a tolerance of 1e-8 per step over some hundred steps
    assert m.simulate(1.0, samples=3, method=method)["b.vx"][-1] == pytest.approx(10 * IMPULSE, rel=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_a_pulse_releases_a_body_that_sticks(method):
    """Above the limit of 3.924 N for 3.7 ms; slow sliding friction is smoothed below the stick speed, so only the order is compared."""
    m = slider(False)
    m.user_force("F", "b.x", f"4.5*{PULSE}")
    m.stick_slip("S", "b.x", normal=9.81, friction=0.4)
    reach = 0.01 * math.sqrt(math.log(4.5 / 3.924))
    t = np.linspace(-reach, 0.02, 20_001)
    speed = np.cumsum(4.5 * np.exp(-((t / 0.01) ** 2)) - 3.924) * (t[1] - t[0])
    end = int(np.argmax((speed <= 0.0) & (t > 0.0)))
    expected = float(np.maximum(speed[:end], 0.0).sum() * (t[1] - t[0]))
    assert m.simulate(1.0, samples=3, method=method)["b.x"][-1] == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("method", METHODS)
def test_events_on_driven_quantities_are_found_in_a_pulse(method):
    m = slider(False)
    m.driver("D", "b.x", f"0.1*{PULSE}")
    found = m.simulate(1.0, samples=3, method=method, events=[tm.Event("half", "b.x - 0.05")]).events
    half = 0.01 * math.sqrt(math.log(2))
    np.testing.assert_allclose([e.time for e in found], [0.7 - half, 0.7 + half], atol=1e-9)


@pytest.mark.parametrize("samples", [2, 3])
@pytest.mark.parametrize("law", ["0.1*cycloidal(t/1)", "100*cycloidal(t/1)", "5*sin(pi*t)^2", "2*(1 - cos(4*pi*t))"])
@pytest.mark.parametrize("method", ["default", "radau5", "bdf"])
def test_a_motion_that_rests_at_its_samples_has_no_false_energy_warning(method, law, samples):
    """All energies are zero at the samples; the works that the driver does between them are not."""
    m = slider(False)
    m.driver("D", "b.x", law)
    r = m.simulate(1.0, samples=samples, method=method)
    assert r.warnings == () and np.abs(r.energy.kinetic[[0, -1]]).max() < 1e-3


@pytest.mark.parametrize("way", ["direct", "adjoint"])
def test_derivatives_pass_through_pulses(way):
    m = slider(False)
    m.parameter("c", 0.7)
    m.parameter("F0", 10.0)
    m.user_force("F", "b.x", "F0*exp(-((t - c)/0.01)^2)")
    g = m.gradient("b.x[end]", 1.0, samples=3, method=way)
    assert g["c"] == pytest.approx(-10 * IMPULSE, rel=1e-6)
    assert g["F0"] == pytest.approx(0.3 * IMPULSE, rel=1e-6)


def test_variants_with_pulses_have_the_bits_of_single_runs():
    m = slider(False)
    m.parameter("F0", 10.0)
    m.user_force("F", "b.x", f"F0*{PULSE}")
    many = m.batch({"F0": [5.0, 10.0]}).simulate(1.0, samples=3, keep=["b.x"], progress=False)
    for k, size in enumerate((5.0, 10.0)):
        np.testing.assert_array_equal(many.values("b.x")[k], m.with_parameters(F0=size).simulate(1.0, samples=3)["b.x"])


@pytest.mark.parametrize("center", [0.2, 0.5, 0.83])
@pytest.mark.parametrize("width", [0.001, 0.004, 0.02])
@pytest.mark.parametrize(
    "text", ["exp(-((t - c)/w)^2)", "2 + A*(1 - tanh((t - c)/w)^2)", "0.4*t - 1/(1 + ((t - c)/(0.1*w))^2)^4"]
)
def test_the_top_of_a_pulse_is_among_its_times(text, center, width):
    formula = parse(text.replace("c", repr(center)).replace("w", repr(width)))
    times = pulses(formula, 0.0, 1.0)
    assert times.size >= 3
    assert np.abs(times - center).min() <= 1.5 / 2000  # samples


@pytest.mark.parametrize("rate", np.geomspace(1.0, 3000.0, 25))
@pytest.mark.parametrize("text", ["sin(w*t)", "3*t + cos(w*t + 1)", "x*sin(w*t)^2", "sin(w*t) + 0.3*sin(1.7*w*t)"])
def test_oscillations_have_no_pulses(text, rate):
    assert pulses(parse(text.replace("w", repr(float(rate)))), 0.0, 2.0).size == 0


@pytest.mark.parametrize(
    "text", ["2*pi*t", "3 + sin(7*t)", "sin(400*t)", "t^2", "exp(-5*t)", "x*sin(20*t)", "5", "sqrt(t + 1)", "x + 2*t"]
)
def test_smooth_formulas_have_no_pulses(text):
    assert pulses(parse(text), 0.0, 2.0).size == 0
