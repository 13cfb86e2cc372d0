"""No run steps over what is known beforehand: corners and jumps of formulas of time, against closed forms and Duhamel's integral."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import pytrammel as tm
from pytrammel import opcodes
from pytrammel.expressions.breakpoints import breakpoints, corners_of
from pytrammel.expressions.derivatives import RULES
from pytrammel.expressions.expression import parse
from pytrammel.expressions.intervals import BOUNDS, bounds
from pytrammel.expressions.piecewise import Pieces
from pytrammel.expressions.rise_laws import LAWS

W = 10.0  # rad/s: the oscillator that feels every force below


def oscillator(force, **tables):
    """Mass 1 kg on a spring of W^2 N/m, at rest, pushed by a formula of t."""
    m = tm.PlanarModel("oscillator", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=1.0)
    m.user_force("spring", "b.x", f"-{W**2}*b.x")
    m.user_force("push", "b.x", parse(force, tables) if isinstance(force, str) else force)
    return m


def dragged(motion):
    """The same mass, but the other end of the spring follows a motion."""
    m = tm.PlanarModel("dragged", gravity=(0.0, 0.0))
    m.body("a", mass=0.3, inertia=1.0)
    m.body("b", mass=1.0, inertia=1.0)
    for body in "ab":
        m.prismatic(f"on_{body}", "ground", body, at=(0.0, 0.0), axis=(1.0, 0.0))
    m.user_force("spring", "b.x", f"-{W**2}*(b.x - a.x)")
    m.driver("drive", "a.x", motion)
    return m


def response(push, t, points):
    """Duhamel's integral of a push(t), starting at rest at time 0."""
    inside = [p for p in points if 0.0 < p < t]
    edges = [0.0, *inside, t]
    return sum(
        quad(lambda s: push(s) * math.sin(W * (t - s)) / W, a, b, epsabs=1e-13, epsrel=1e-12)[0]
        for a, b in itertools.pairwise(edges)
    )


def step_response(t, begin, size):
    """Rest, then a constant push from `begin` on: size / W^2 (1 - cos)."""
    late = np.maximum(t - begin, 0.0)
    return size / W**2 * (1.0 - np.cos(W * late))


# --- where formulas have corners -----------------------------------------------------------------------------------------

KNOWN = {
    "step(t - 5) - step(t - 5.05)": [5.0, 5.05],
    "abs(sin(3*t))": [k * math.pi / 3 for k in range(10)],
    "x*step(t - 1) + max(0, t - 2)*step(x)": [1.0, 2.0],
    "min(t^2, 4)": [2.0],
    "step(mod(t, 4) - 1)": [0.0, 1.0, 4.0, 5.0, 8.0, 9.0],
    "floor(t/3)": [0.0, 3.0, 6.0, 9.0],
    "modified_trapezoid(t - 1)": [1.0, 1.125, 1.375, 1.625, 1.875, 2.0],
    "step(exp(-t) - 0.25)": [math.log(4.0)],
    "atan(tan(t))": [0.5 * math.pi, 1.5 * math.pi, 2.5 * math.pi],
    # 3 t = n (3 - t/6) where n whole moduli are passed, and 3 t = n (3 - t/6) + 1
    "step(mod(3*t, 3 - t/6) - 1)": sorted(
        t for n in range(30) for s in (0, 1) if (t := (3 * n + s) / (3 + n / 6)) < 10
    ),
    "max(0, uniform(t - 1) - 0.5)": [1.0, 1.5, 2.0],
    "abs(t - 3)*step(sin(x))": [3.0],
    "sin(t)*exp(-t) + x": [],
}


@pytest.mark.parametrize("text", KNOWN)
def test_corners_are_found_where_they_are(text):
    found = breakpoints(parse(text), 0.0, 10.0)
    np.testing.assert_allclose(found, KNOWN[text], rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", range(3))
@pytest.mark.parametrize(
    "function", ["max({a}, {b})", "min({a}, {b})", *(f"({{a}} {op} {{b}})" for op in ("<", "<=", ">", ">="))]
)
def test_two_lines_meet_at_a_corner(function, case):
    """k t + c and m t + d meet at (d - c) / (k - m), wherever both are then."""
    k, m, place, level = np.random.default_rng(case).uniform([1, -2, 2, 1], [3, -1, 8, 4]).round(3)
    text = function.format(a=f"({k}*(t - {place}) + {level})", b=f"({level} + {m}*(t - {place}))")
    np.testing.assert_allclose(breakpoints(parse(text), 0.0, 10.0), [place], rtol=0, atol=1e-12)


def test_points_of_a_table_count_only_where_it_bends():
    line = tm.functions.Table("line", [0, 1, 2, 3, 4], [0, 1, 2, 0, 0], kind="linear", outside="hold")
    np.testing.assert_allclose(breakpoints(line(tm.time), -1.0, 5.0), [0, 2, 3])
    around = tm.functions.Table("around", [0, 1, 2, 3], [0, 2, 1.3, 0], kind="periodic")
    np.testing.assert_allclose(breakpoints(around(tm.time - 0.5), 0.0, 7.0), 0.5 + np.arange(7))


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1e3, 1e9])
@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize(("kind", "kept"), [("linear", [2, 3, 5]), ("cubic", [2, 3, 4]), ("natural", [1, 2, 3, 4, 5])])
def test_points_of_a_table_count_in_any_unit(kind, kept, unit, size):
    """A polyline bends where its slope changes; cubics change at every point, or at all but the second and the last but one."""
    x, y = size * np.arange(7.0), unit * np.array([0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0])
    table = tm.functions.Table("it", x, y, kind=kind)
    np.testing.assert_allclose(breakpoints(table(tm.time), 0.5 * size, 5.5 * size), x[kept], rtol=1e-12)


def test_too_many_corners_are_refused_in_a_sentence():
    with pytest.raises(tm.ModelError, match=r"user_force 'push'.*more than 200000 corners.*t = 0 s and 1 s"):
        oscillator("floor(1e7*t)").simulate(1.0)


smooth = st.sampled_from(
    [
        "t",
        "2*t - 7",
        "sin(2*t)",
        "t^2/9",
        "exp(-t/3)",
        "cos(t)*t",
        "sqrt(t + 1)",
        "1/(t + 2)",
        "atan(t - 4)",
        "tanh(t-3)",
    ]
)
kinked = st.sampled_from(
    [
        "abs({})",
        "max({}, {})",
        "min({}, {})",
        "step({})",
        "if({} > {}, {}, {})",
        "({} <= {})*{}",
        "step({}, 0, 1, 2, 3)",
        "if(0 < {} < 1 or not {} != 0, {}, 2)",
        "sign({})",
        "mod({}, 1.7)",
        "floor({})",
        "poly23({})",
        "poly345({})",
        "cycloidal({})",
    ]
)


@st.composite
def formulas(draw, depth=2):
    inner = smooth if depth == 0 else st.one_of(smooth, formulas(depth=depth - 1))
    if draw(st.booleans()):
        pattern = draw(kinked)
        return pattern.format(*(draw(inner) for _ in range(pattern.count("{}"))))
    return f"({draw(inner)}) {draw(st.sampled_from('+-*'))} ({draw(inner)})"


@settings(max_examples=30, deadline=None, derandomize=True, phases=[Phase.generate])
@given(formulas())
def test_between_the_corners_a_formula_is_smooth(text):
    """A polynomial through Chebyshev points of a short interval without corners predicts the values in between; over a corner it cannot."""
    formula = parse(text)
    found = breakpoints(formula, 0.0, 9.0)
    edges = np.unique(np.concatenate([[0.0, 9.0], found]))
    pieces = [(a, b) for a, b in itertools.pairwise(edges) if b - a > 1e-6]
    for a, b in pieces[:40]:
        grid = np.linspace(a, b, 1 + math.ceil((b - a) / 0.2))
        for low, high in itertools.pairwise(grid):
            nodes = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.pi * (np.arange(16) + 0.5) / 16)
            values = np.asarray(formula.evaluate({"t": nodes})) + 0.0 * nodes
            fit = np.polynomial.Chebyshev.fit(nodes, values, 13, domain=(low, high))
            probe = np.linspace(low, high, 23)[1:-1]
            there = np.asarray(formula.evaluate({"t": probe})) + 0.0 * probe
            assert np.abs(fit(probe) - there).max() <= 1e-6 * (1.0 + np.abs(there).max()), (text, low, high)


def test_every_function_has_bounds():
    assert BOUNDS.keys() == RULES.keys()


@settings(max_examples=60, deadline=None, derandomize=True, phases=[Phase.generate])
@given(formulas(depth=1), st.floats(0.0, 9.0), st.floats(1e-3, 0.5))
def test_bounds_hold_between_corners(text, low, width):
    formula = parse(text)
    if breakpoints(formula, low, low + width).size:
        return
    t = np.linspace(low, low + width, 200)
    least, _, most = bounds(formula, {"t": (np.array([low]), np.array([low + 0.5 * width]), np.array([low + width]))})
    values = np.asarray(formula.evaluate({"t": t}))
    room = 1e-12 * (1.0 + np.abs(values).max())
    assert least[0] - room <= values.min() and values.max() <= most[0] + room


@pytest.mark.parametrize(
    "text", ["mod(3*t, 3 - t/5)", "mod(40 - 3*t, 1 + t/5)", "mod(3*t, t/5 - 3)", "mod(-3*t, 3 - t/5)"]
)
def test_bounds_of_a_remainder_hold_where_its_modulus_varies(text):
    formula = parse(text)
    edges = np.unique(np.concatenate([[0.0], breakpoints(formula, 0.0, 9.0), [9.0]]))
    for low, high in itertools.pairwise(edges):
        inside = 1e-9 * (high - low)  # the ends belong to the next turn as well
        t = np.linspace(low + inside, high - inside, 101)
        least, _, most = bounds(formula, {"t": (t[:1], t[50:51], t[-1:])})
        values = np.asarray(formula.evaluate({"t": t}))
        assert least[0] - 1e-12 <= values.min() and values.max() <= most[0] + 1e-12


# --- forces ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dop853", "dopri5", tm.methods.rk4(step=0.013)], ids=str)
@pytest.mark.parametrize("width", [0.05, 1e-4])
def test_a_short_pulse_on_a_mass_at_rest_is_felt(method, width):
    r = oscillator(f"10*(step(t - 5) - step(t - {5.0 + width!r}))").simulate(10.0, samples=51, method=method)
    fixed = not isinstance(method, str)
    x = step_response(r.times, 5.0, 10.0) - step_response(r.times, 5.0 + width, 10.0)
    # rk4: (W h)^4 / 120 per radian over 50 rad, of an amplitude of at most 10 width / W, and twice that of the energy
    relative, amplitude = 50.0 * (W * 0.013) ** 4 / 120.0, 10.0 * width / W
    np.testing.assert_allclose(r["b"].x, x, rtol=0, atol=relative * amplitude if fixed else 1e-8)
    assert np.abs(r.energy.balance).max() < (relative * (W * amplitude) ** 2 if fixed else 1e-8)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.floats(0.0, 3.0), st.floats(-20.0, 20.0)), min_size=1, max_size=6))
def test_any_sum_of_steps(parts):
    """Each step adds its own response; steps may coincide, and may stand at the start or the end of the run."""
    r = oscillator(" + ".join(f"({size!r})*step(t - {begin!r})" for begin, size in parts)).simulate(
        3.0, samples=31, rtol=1e-10
    )
    x = sum(step_response(r.times, begin, size) for begin, size in parts)
    np.testing.assert_allclose(r["b"].x, x, rtol=0, atol=2e-8)


@pytest.mark.parametrize(
    "force",
    ["40*abs(sin(7*t))", "30*max(0, sin(20*t) - 0.99)", "9*mod(t, 0.37)", "50*step(sin(t^2) - 0.9)", "20*floor(3*t)*(t - 1)",
     "min(t, max(1, 30*(t - 2)))*8", "200*max(0, 0.01 - abs(t - 1.5))"],
)  # fmt: skip
def test_corners_of_any_shape_against_duhamel(force):
    formula = parse(force)
    r = oscillator(force).simulate(3.0, samples=7)
    points = breakpoints(formula, 0.0, 3.0)
    expected = [response(lambda s: formula.evaluate({"t": s}), t, points) for t in r.times]
    np.testing.assert_allclose(r["b"].x, expected, rtol=0, atol=2e-8)


@pytest.mark.parametrize("kind", ["linear", "cubic", "natural", "clamped", "periodic"])
def test_tables_of_time_against_duhamel(kind):
    """A table that is at rest but for a spike of 20 ms."""
    spike = tm.functions.Table("spike", [0, 1, 1.49, 1.5, 1.51, 2, 2.5], [0, 0, 0, 50, 0, 0, 0], kind=kind)
    r = oscillator("spike(t)", spike=spike).simulate(3.0, samples=7)
    points = breakpoints(spike(tm.time), 0.0, 3.0)
    expected = [response(lambda s: float(spike(s)), t, points) for t in r.times]
    np.testing.assert_allclose(r["b"].x, expected, rtol=0, atol=2e-8)


# --- drivers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", LAWS)
def test_every_rise_law_after_a_dwell(law):
    """The mass is dragged by a spring: its push is W^2 times the driver's position."""
    motion = tm.profiles.motion(
        0.0,
        [
            tm.profiles.dwell(1.0),
            tm.profiles.rise(0.5, 0.3, law),
            tm.profiles.dwell(0.5),
            tm.profiles.fall(0.1, 0.4, law),
        ],
    )
    r = dragged(motion).simulate(3.0, samples=7)
    points = breakpoints(motion, 0.0, 3.0)
    expected = [response(lambda s: W**2 * motion.evaluate({"t": s}), t, points) for t in r.times]
    np.testing.assert_allclose(r["b"].x, expected, rtol=0, atol=2e-8)
    assert np.abs(r.energy.balance).max() < 1e-7
    # only the uniform rise has velocities that jump, at its four ends
    jumps = [(e.time, e.velocity_jump) for e in r.events]
    if law == "uniform":
        np.testing.assert_allclose(jumps, [(1.0, 0.5 / 0.3), (1.3, 0.5 / 0.3), (1.8, 1.0), (2.2, 1.0)], rtol=1e-9)
        assert str(r.events[0]).startswith("t = 1 s: event velocity jump of drive, velocity of a.x jumps by 1.667")
    else:
        assert not jumps


def test_a_driver_whose_velocity_jumps_strikes_what_is_joined_to_it():
    """A rod hangs from a slide that starts at 2 m/s: the pin takes its end along, the centroid gets a quarter of it.

    About the end: no moment, so J w = m (L/2) v_c; with v_c = v - w L/2 and J = m L^2/12: w = 3 v / (2 L), v_c = v / 4.
    """
    m = tm.PlanarModel("strike")
    m.body("slide", mass=1.0, inertia=1.0)
    m.body("rod", position=(0.0, -0.6), angle=-0.5 * math.pi, mass=2.0, inertia=2.0 * 1.2**2 / 12.0)
    m.prismatic("guide", "ground", "slide", at=(0, 0), axis=(1, 0))
    m.revolute("pin", "slide", "rod", at=(0, 0))
    m.driver("drive", "slide.x", "max(0, 2*(t - 0.5))")
    r = m.simulate(times=[0.0, 0.499999, 0.5, 1.0])
    assert r["rod"].vx[1] == pytest.approx(0.0, abs=1e-12)
    assert r["rod"].vx[2] == pytest.approx(0.5, abs=1e-9)
    assert abs(r["rod"].omega[2]) == pytest.approx(3.0 * 2.0 / (2.0 * 1.2), abs=1e-9)
    assert np.abs(r.energy.balance).max() < 1e-7


@pytest.mark.parametrize("at", [0.0, 2.0])
def test_velocity_may_jump_at_the_very_start_and_end(at):
    """At the start the motion simply begins with the speed asked for; at the end the last instant has the new one."""
    r = dragged(f"0.3*max(0, t - {at})" if at else "0.3*uniform(t/5)").simulate(2.0, samples=5)
    assert r["a"].vx[-1] == pytest.approx(0.3 if at else 0.06, abs=1e-12)
    if at:
        assert r["a"].vx[-2] == pytest.approx(0.0, abs=1e-12)
        assert [e.time for e in r.events] == pytest.approx([2.0])
    else:
        assert r["a"].vx[0] == pytest.approx(0.06, abs=1e-12) and not r.events


@pytest.mark.parametrize(
    "motion", ["0.1*step(t - 1)", "mod(t, 0.7)", "floor(t)", "0.2*sign(t - 1.5)", "0.01*t + 0.3*step(t-1)*cos(t)"]
)
@pytest.mark.parametrize("verb", ["simulate", "kinematics"])
def test_a_driver_that_jumps_is_refused(motion, verb):
    m = tm.PlanarModel("jump")
    m.body("a", mass=1.0, inertia=1.0)
    m.prismatic("on", "ground", "a", at=(0.0, 0.0), axis=(1.0, 0.0))
    m.driver("drive", "a.x", motion)
    with pytest.raises(tm.ModelError, match=r"driver 'drive' jumps from .* m to .* m at t = (1|0.7|1.5) s.*rise"):
        getattr(m, verb)(2.0)
    getattr(m, verb)(0.6)  # before the jump all is well


def test_prescribed_coordinates_that_jump_are_refused():
    m = tm.PlanarModel("jump")
    m.body("a")
    m.revolute("A", "ground", "a", at=(0, 0))
    with pytest.raises(tm.ModelError, match=r"motion of 'a.phi' jumps from 0 rad to 1 rad at t = 1 s"):
        m.kinematics(2.0, prescribed={"a.phi": "step(t - 1)"})


def test_an_equation_that_jumps_stops_the_run_with_what_was_computed():
    m = tm.PlanarModel("jump", gravity=(0.0, 0.0))
    m.body("a", mass=1.0, inertia=1.0)
    m.equation("rule", "a.x - a.y - 0.2*step(t - 1)")
    with pytest.raises(tm.ModelError, match=r"equation 'rule' jumps by 0.2 at t = 1 s") as caught:
        m.simulate(2.0, samples=5)
    assert list(caught.value.partial.times) == [0.0, 0.5]


@pytest.mark.parametrize("verb", ["simulate", "kinematics"])
def test_a_driver_may_jump_while_another_phase_acts(verb):
    """The slow driver jumps at 1 s, when it does not act any more."""
    m = tm.PlanarModel("phases", gravity=(0.0, 0.0))
    m.body("a", mass=1.0, inertia=1.0)
    m.prismatic("on", "ground", "a", at=(0.0, 0.0), axis=(1.0, 0.0))
    m.driver("slow", "a.x", "0.1*t + step(t - 1)")
    m.driver("fast", "a.x", "0.05 + 0.4*(t - 0.5)")
    m.phase("first", active=["slow"])
    m.phase("second", active=["fast"])
    m.switch("over", "first", "second", when="t - 0.5")
    r = getattr(m, verb)(2.0, samples=5)
    np.testing.assert_allclose(r["a"].x, [0.0, 0.05, 0.25, 0.45, 0.65], rtol=0, atol=1e-9)
    del m
    m = tm.PlanarModel("phases", gravity=(0.0, 0.0))
    m.body("a", mass=1.0, inertia=1.0)
    m.prismatic("on", "ground", "a", at=(0.0, 0.0), axis=(1.0, 0.0))
    m.driver("slow", "a.x", "0.1*t + 40*step(t - 1)")
    m.phase("only", active=["slow"])
    with pytest.raises(tm.ModelError, match=r"driver 'slow' jumps .* at t = 1 s") as caught:
        getattr(m, verb)(2.0, samples=5)
    assert list(caught.value.partial.times) == [0.0, 0.5]


def test_formulas_changed_by_an_event_bring_their_own_breakpoints():
    m = oscillator("0*t")
    later = tm.Event("arm", "t - 1", change={"push": {"law": "10*(step(t - 2) - step(t - 2.01))"}})
    r = m.simulate(4.0, samples=41, events=[later])
    x = step_response(r.times, 2.0, 10.0) - step_response(r.times, 2.01, 10.0)
    np.testing.assert_allclose(r["b"].x, x, rtol=0, atol=1e-8)


@pytest.mark.parametrize("when, times", [
    ("sin(200*t) - 0.999", None),
    ("step(t - 1) - step(t - 1.001) - 0.5", [1.0, 1.001]),
    ("t - 0.7", [0.7]),
    ("0.001 - abs(t - 2)", [1.999, 2.001]),
])  # fmt: skip
def test_events_of_time_alone_are_never_missed(when, times):
    r = oscillator("0*t").simulate(3.0, samples=3, events=[tm.Event("e", when)])
    if times is None:
        first = math.asin(0.999) / 200
        times = sorted(
            x for k in range(96) for x in (k * math.pi / 100 + first, (k + 0.5) * math.pi / 100 - first) if x < 3
        )
    np.testing.assert_allclose([e.time for e in r.events], times, rtol=0, atol=1e-12)


def test_a_square_wave_over_many_periods_is_quick():
    """4000 jumps: as many steps, not more."""
    r = oscillator("sign(sin(pi*t/0.05))").simulate(200.0, samples=3)
    assert r.dynamics.statistics.steps < 3 * 4000
    assert np.abs(r.energy.balance).max() < 1e-7


def test_corners_of_a_law_are_listed_up_to_the_number_that_is_asked_for():
    """A table that bends at four points: four formulas that are zero there, or none, but never some."""
    bent = tm.functions.Table("bent", (0, 1, 2, 3, 5, 8), (0, 1, 0, 2, 2, -1), kind="linear")
    (corner,) = (c for c in corners_of(bent(parse("b.x"))) if c.sharp)
    inner = [x for x in corner.listed if 0 < x < 8]
    assert inner == [1, 2, 3, 5]
    found = corner.zeros(len(corner.listed))
    assert [float(f.evaluate({"b.x": x})) for f, x in zip(found, corner.listed, strict=True)] == [0.0] * len(found)
    assert corner.zeros(len(corner.listed) - 1) == []


@pytest.mark.parametrize(
    "text, first", [("asin(sin(t))", 0.5), ("acos(cos(t))", 0.0), ("asin(-sin(t))", 0.5), ("acos(sin(t))", 0.5)]
)
def test_waves_of_inverse_functions_bend_at_both_ends_of_their_domain(text, first):
    """Triangles: a corner every half turn, where the argument is 1 and where it is -1."""
    found = breakpoints(parse(text), 0.1, 12.0)
    expected = [math.pi * (first + k) for k in range(6) if 0.1 < math.pi * (first + k) < 12.0]
    assert all(np.abs(found - t).min() < 1e-6 for t in expected)


@pytest.mark.parametrize("low", [-7.3, 0.2, 1.05, 2.6, 11.0])
@pytest.mark.parametrize("width", [0.5, 3.0, 9.0])
def test_corners_of_what_is_repeated_are_found_in_any_window(low, width):
    saw = Pieces((-1.0, 0.0, 1.5, 3.0), ((0.0, 1.0), (1.0, -1.0), (-1.0, 1.0)), (), opcodes.OUTSIDE_PERIODIC)
    every = [x + 4.0 * k for k in range(-5, 8) for x in (-1.0, 0.0, 1.5)]
    assert saw.corners_between(low, low + width).tolist() == sorted(x for x in every if low <= x <= low + width)
