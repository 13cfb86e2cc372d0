"""Motions that run away are stopped early and named; fast growth that ends is not."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.runs.runaway import escape_time


def slider(force, **body):
    m = tm.PlanarModel("slider", gravity=(0, 0))
    m.body("b", **{"position": (0.1, 0), "mass": 1, "inertia": 1, "velocity": (0.1, 0), **body})
    m.prismatic("G", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.user_force("F", "b.x", force)
    return m


def pendulum(moment):
    m = tm.PlanarModel("pendulum")
    m.body("b", position=(0, -1), mass=1, inertia=0.1)
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.user_force("F", "A.angle", moment)
    return m


RUNAWAYS = {
    "wrong spring": (slider("100*b.x"), 1000.0, "b.x"),
    "digits lost before the end": (slider("100*b.x"), 5.0, "b.x"),
    "wrong damper": (pendulum("2*A.angle.rate + 0.1"), 100.0, "b.phi"),
    "wrong damper with a spring": (pendulum("-5*A.angle + 3*A.angle.rate + 0.01"), 100.0, "b.phi"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if "damper" in name else ()) for name in RUNAWAYS]
)
def test_a_runaway_is_stopped_early_with_its_coordinate(name):
    m, duration, coordinate = RUNAWAYS[name]
    with pytest.raises(
        tm.ConvergenceError, match=rf"runs away: {coordinate} = .*grows by a factor of e within"
    ) as error:
        m.simulate(duration)
    assert "rtol" not in str(error.value)
    assert "max_steps" not in str(error.value)
    assert error.value.partial.dynamics.statistics.steps < 2e6


@pytest.mark.parametrize(
    ("force", "escape"),
    [("b.x.rate^2", 10.0), ("2*b.x^3", 10.0)],  # v = v0/(1 - v0 t); x = x0/(1 - x0 t) with v0 = x0^2
)
def test_an_escape_in_finite_time_is_named_with_its_time(force, escape):
    m = slider(force, velocity=(0.1 if "rate" in force else 0.01, 0))
    with pytest.raises(
        tm.ConvergenceError, match=rf"b\.x .*escapes to infinity in a finite time, near t = {escape:g}"
    ) as error:
        m.simulate(100.0)
    assert "rtol" not in str(error.value)


@pytest.mark.parametrize(
    ("m", "duration"),
    [
        (slider("-b.x + 5*(1 - b.x^2)*b.x.rate"), 100.0),  # grows into a limit cycle
        (slider("1000/(101 - t)"), 100.0),  # a rocket that burns its mass
        (pendulum("50*A.angle.rate - 0.01*A.angle.rate^3 + 1"), 5.0),  # to its highest speed
        (slider("100*b.x"), 1.0),  # grows by e^10 and ends
        (pendulum("30"), 20.0),
    ],
)
def test_growth_that_ends_is_not_stopped(m, duration):
    r = m.simulate(duration, samples=3)
    assert r.times[-1] == duration
    assert np.isfinite(r.q).all()


def said(error):
    """Named coordinate, e-folding time and time of escape of a message; nan where it has none."""
    text = str(error.value)
    found = [re.search(p, text) for p in (r"factor of e within ([\d.e+-]+) s", r"near t = ([\d.e+-]+) s")]
    return re.search(r"runs away: '?([\w.]+)|state '(\w+)'", text), *(float(x[1]) if x else math.nan for x in found)


SPUN = 3.0  # N m s/rad against 2.35 kg m²: two bars of 1 kg with 0.1 kg m² about a pin 1 m away, one of them 0.5 m further out


@pytest.mark.parametrize("formulation", ["auto", "joint", "relative"])
def test_the_growth_of_what_spins_is_that_of_its_spin(formulation):
    """Centripetal accelerations grow with the square of the spin: a ratio to the velocity is no growth."""
    m = tm.SpatialModel("spun", gravity=(0, 0, -9.81))
    m.body("a", position=(0, 0, -1), mass=1, inertia=(0.1, 0.1, 0.1))
    m.body("b", position=(0.5, 0, -1), mass=1, inertia=(0.1, 0.1, 0.1))
    m.revolute("A", m.ground, "a", at=(0, 0, 0), axis="y")
    m.weld("W", "a", "b", at=(0, 0, -1))
    m.user_force("F", "A.angle", f"{SPUN}*A.angle.rate + 0.1")
    with pytest.raises(tm.ConvergenceError, match=r"runs away: [ab]") as error:
        m.simulate(1000.0, **({} if formulation == "auto" else {"formulation": formulation}))
    inertia = 0.1 + 1.0 + 0.1 + (0.5**2 + 1.0)
    assert said(error)[1] == pytest.approx(inertia / SPUN, rel=0.05)  # gravity is 1e-4 of the moment where it stops


@pytest.mark.parametrize("method", ["dopri5", "radau5", "bdf", "esdirk43", "trbdf2", "adams", "gbs12", "bs32"])
@pytest.mark.parametrize(
    ("force", "power"), [("1.5*b.x^2", 0.5), ("2*b.x^3", 1.0)]
)  # x'' = c x^n with x' = x^((n + 1)/2): x = (1 - p t)^(-1/p) from x = 1
def test_the_time_of_an_escape_is_right_with_every_method(force, power, method):
    m = slider(force, position=(1.0, 0), velocity=(1.0, 0))
    with pytest.raises(tm.ConvergenceError, match=r"b\.x .*escapes to infinity in a finite time") as error:
        m.simulate(100.0, method=method)
    end, shown = said(error)[2], str(error.value)
    digits = len(re.search(r"near t = ([\d.]+) s", shown)[1].replace(".", ""))
    assert end == pytest.approx(1.0 / power, rel=1e-2 if digits < 6 else 1e-4)
    assert error.value.partial.dynamics.statistics.steps < 2e5


@pytest.mark.parametrize(
    ("rate", "escape"),
    [("z^2", 10.0), ("z^3", 50.0), ("exp(z)", math.exp(-0.1)), ("5*z", math.inf), ("z*z + 0*t", 10.0)],
)
def test_a_state_that_runs_away_is_named(rate, escape):
    m = slider("0")
    m.state("z", rate=rate, initial=0.1)
    with pytest.raises(tm.ConvergenceError, match=r"state 'z' runs away") as error:
        m.simulate(1000.0)
    assert "rtol" not in str(error.value) and "singular" not in str(error.value)
    _, folding, end = said(error)
    if math.isinf(escape):
        assert folding == pytest.approx(0.2, rel=1e-2)
    else:
        assert end == pytest.approx(escape, rel=1e-5)


def test_rates_of_growth_tell_an_escape_from_an_exponential():
    t = np.linspace(0.0, 0.9, 11)
    for power in (0.5, 1.0, 3.0):  # x' = x^(1 + p): the rate of growth is 1/(p (1 - t))
        assert escape_time([(x, 1.0 / (power * (1.0 - x))) for x in t]) == pytest.approx(1.0, rel=1e-9)
    for rates in (
        np.full(11, 10.0),
        10.0 + t,
        np.exp(t),
        np.exp(20 * t),
        np.exp(0.3 * t),
        1.0 / (1.0 + t),
        10.0 * np.tanh(3 * t + 0.1),
    ):
        assert math.isnan(escape_time(list(zip(t, rates, strict=True))))


POLES = {  # law of a force, and the time of its pole
    "1/(1.5 - t)": 1.5,
    "-20/(0.7 - t)": 0.7,
    "tan(2*t)": math.pi / 4,
    "b.x + 1/sin(pi*t + 1)": 1.0 - 1.0 / math.pi,
}


@pytest.mark.parametrize("method", ["dop853", "radau5", "bdf", "adams", "bs32"])
@pytest.mark.parametrize("law", POLES)
def test_a_pole_of_a_law_is_named_with_its_force(law, method):
    with pytest.raises(tm.ConvergenceError, match=r"force 'F' grows without limit") as error:
        slider(law).simulate(5.0, method=method, samples=3)
    text = str(error.value)
    assert "rtol" not in text and "spring" not in text
    assert float(re.search(r"stopped at t = ([\d.]+) s", text)[1]) == pytest.approx(POLES[law], rel=1e-5)


def test_a_pole_in_the_place_of_a_body_is_named():
    with pytest.raises(tm.ConvergenceError, match=r"force 'F' grows without limit"):
        slider("1/(1 - b.x)").simulate(5.0, samples=3)


@pytest.mark.parametrize("law", ["sign(t - 1)", "sqrt(abs(1 - t))", "log(abs(1 - t))", "1/sqrt(abs(1 - t))"])
def test_a_law_that_a_motion_passes_is_no_pole(law):
    assert slider(law).simulate(2.0, samples=3).times[-1] == 2.0


@pytest.mark.parametrize("method", ["generalized_alpha", "hht", "bdf3"])
def test_fixed_steps_that_follow_a_runaway_name_it(method):
    """Far away, rounding keeps the iteration of a step from its tolerance, and a shorter step would not help."""
    with pytest.raises(
        tm.ConvergenceError, match=r"runs away: b\.x = .*grows by a factor of e within 0\.141 s"
    ) as error:
        slider("50*b.x").simulate(100.0, method=tm.methods[method](step=1e-2), samples=3)  # 1/sqrt(50)
    assert "the step" not in str(error.value)


@pytest.mark.parametrize("method", ["rk4", "bdf3", "taylor2"])
def test_fixed_steps_that_are_too_long_are_to_blame_themselves(method):
    with pytest.raises(tm.ConvergenceError, match="shorten the step"):
        slider("-1e6*b.x^3 - 1e6*b.x", position=(1.0, 0)).simulate(
            10.0, method=tm.methods[method](step=1e-2), samples=3
        )


@pytest.mark.parametrize("time_step", [1e-2, 1e-3])
@pytest.mark.parametrize("method", ["rk4", "heun", "taylor2", "bdf3", "ab4", "generalized_alpha", "rattle"])
def test_an_escape_in_fixed_steps_is_not_blamed_on_them_alone(method, time_step):
    """The last steps before an escape are too long for it, however short they are: a second run tells both causes apart."""
    with pytest.raises(tm.ConvergenceError, match=r"stops near the same time, the motion escapes to infinity") as error:
        slider("100*b.x^3", velocity=(0.1 * math.sqrt(0.5), 0)).simulate(
            5.0, method=tm.methods[method](step=time_step), samples=3
        )
    end = math.sqrt(2.0)  # x = 0.1/(1 - sqrt(0.5) t), from x'^2 = 50 x^4
    assert float(re.search(r"stopped at t = ([\d.]+) s", str(error.value))[1]) == pytest.approx(end, abs=20 * time_step)
    assert "check its law" not in str(error.value)


@pytest.mark.parametrize("method", ["rk4", "heun"])
def test_a_law_without_a_value_is_blamed_in_fixed_steps(method):
    with pytest.raises(tm.ConvergenceError, match="check its law") as error:
        slider("sqrt(0.5 - b.x)").simulate(10.0, method=tm.methods[method](step=1e-2), samples=3)
    assert "escapes" not in str(error.value)


@pytest.mark.parametrize("method", ["rk4", "rattle", "taylor2"])
def test_an_energy_beyond_all_numbers_is_a_runaway(method):
    with pytest.warns(tm.RunWarning, match=r"runs away: .* the rate of b\.x is [\d.e+]+ m/s") as caught:
        slider("50*b.x").simulate(60.0, method=tm.methods[method](step=1e-2), samples=3)
    assert "nan" not in str(caught[0].message)


@pytest.mark.parametrize("moment", [2.0e6, -2.0e6, 0.0])
def test_a_fast_shaft_that_needs_too_many_steps_is_no_runaway(moment):
    """Its speed changes by a share of 1e-6 while 300 steps of its pendulum last."""
    m = pendulum(repr(moment))  # 1.1 kg m² about the pin: the share of change is 1.8 per second
    with pytest.raises(tm.ConvergenceError) as error:
        m.simulate(1.0, initial={"A.angle.rate": 1e6}, method=tm.methods.default(max_steps=300))
    assert "runs away" not in str(error.value) and "300" in str(error.value)
