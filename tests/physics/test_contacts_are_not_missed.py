"""Bodies in free flight take long steps; no contact, corner of a law or event may fall between their ends. Against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import pytrammel as tm

G = 9.81
FAMILY = {"deadline": None, "derandomize": True, "phases": [Phase.generate]}


def discs(away, speed, stiffness, *, across=0.0, radius=0.028, masses=(0.17, 0.17), law="hertz"):
    """A disc that flies towards another one at rest; `away` is the way to go until they touch if it flies straight at it."""
    m = tm.PlanarModel("discs", gravity=(0.0, 0.0))
    m.body("a", velocity=(speed, 0.0), mass=masses[0], inertia=1e-4)
    m.body("b", position=(away + 2.0 * radius, across), mass=masses[1], inertia=1e-4)
    m.contact_discs("c", "a", "b", radii=(radius, radius), stiffness=stiffness, law=law)
    return m


@pytest.mark.parametrize("away", [0.1, 1.0, 5.0, 100.0])
@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_equal_discs_exchange_their_velocities(away, method):
    r = discs(away, 1.0, 1e7).simulate(2.0 * away + 0.1, samples=11, method=method)
    assert r["a"].vx[-1] == pytest.approx(0.0, abs=1e-6)
    assert r["b"].vx[-1] == pytest.approx(1.0, abs=1e-6)
    assert np.abs(r.energy.balance).max() < 1e-7 * 0.085


@settings(max_examples=25, **FAMILY)
@given(
    st.floats(-1.0, 2.0),
    st.floats(-1.0, 2.0),
    st.floats(3.0, 9.0),
    st.floats(0.2, 5.0),
    st.sampled_from(["hertz", "linear"]),
)
def test_any_two_discs_collide_elastically(away, speed, stiffness, ratio, law):
    """Velocities after an elastic collision: (m1 - m2) / (m1 + m2) v and 2 m1 / (m1 + m2) v."""
    away, v, k = 10.0**away, 10.0**speed, 10.0**stiffness
    masses = (0.2, 0.2 * ratio)
    m = discs(away, v, k, masses=masses, law=law)
    reduced = masses[0] * masses[1] / sum(masses)
    # deepest penetration of the linear law v sqrt(m/k); the softest would let them pass through each other
    if v * math.sqrt(reduced / k) > 0.01 or (law == "hertz" and (1.25 * reduced * v * v / k) ** 0.4 > 0.01):
        return
    r = m.simulate(2.0 * away / v + 0.1, samples=3)
    total = sum(masses)
    assert r["a"].vx[-1] == pytest.approx((masses[0] - masses[1]) / total * v, abs=2e-6 * v)
    assert r["b"].vx[-1] == pytest.approx(2.0 * masses[0] / total * v, abs=2e-6 * v)


@settings(max_examples=20, **FAMILY)
@given(st.floats(-0.08, 0.08), st.floats(0.5, 50.0))
def test_glancing_passes_are_what_geometry_says(across, away):
    """Smooth discs of radius r exchange momentum along the line of centres if they pass at less than 2 r, and nothing otherwise."""
    radius, k = 0.028, 1e10
    r = discs(away, 1.0, k, across=across).simulate(2.0 * away + 0.2, samples=3)
    if abs(across) >= 2.0 * radius:
        assert r["a"].vx[-1] == pytest.approx(1.0, abs=1e-12) and r["b"].vx[-1] == 0.0
        return
    sine = across / (2.0 * radius)
    along = math.sqrt(1.0 - sine * sine)
    # the line of centres turns during the contact: pi sqrt(m/2k) or so, at 1 m/s, of 2 r
    allowed = 3e-3
    assert np.hypot(r["b"].vx[-1], r["b"].vy[-1]) == pytest.approx(along, abs=allowed)
    assert 0.17 * (r["a"].vx[-1] + r["b"].vx[-1]) == pytest.approx(0.17, abs=1e-8)
    assert np.abs(r.energy.balance).max() < 1e-8


def dropped(kind, height, stiffness):
    """A ball of radius 5 cm, its lowest point this high over ground of some kind."""
    if kind in ("plane", "sphere"):
        m = tm.SpatialModel("ball", gravity=(0.0, 0.0, -G))
        b = m.body("b", position=(0.0, 0.0, height + 0.05), mass=0.5, inertia=0.01)
        if kind == "plane":
            m.contact_sphere_plane("c", b, m.ground, radius=0.05, at=(0, 0, 0), normal=(0, 0, 1), stiffness=stiffness)
        else:
            m.contact_sphere_sphere("c", b, m.ground.at(0, 0, -0.3), radii=(0.05, 0.3), stiffness=stiffness)
        return m, "z"
    m = tm.PlanarModel("ball")
    b = m.body("b", position=(0.0, height + 0.05), mass=0.5, inertia=0.01)
    if kind == "line":
        m.contact_line("c", b, m.ground, radius=0.05, at=(0, 0), axis=(1, 0), stiffness=stiffness)
    elif kind == "disc":
        m.contact_discs("c", b, m.ground.at(0, -0.3), radii=(0.05, 0.3), stiffness=stiffness)
    elif kind == "curve":
        m.contact_curve(
            "c", b, m.ground, curve=tm.curves.analytic("u", "0.2*u^2", -2.0, 2.0), radius=0.05, stiffness=stiffness
        )
    elif kind == "circle":
        m.contact_curve(
            "c",
            b,
            m.ground.name,
            curve=tm.curves.circle(0.3, (0.0, -0.3)),
            side="right",
            radius=0.05,
            stiffness=stiffness,
        )
    else:  # a law of one's own
        m.user_force("c", "b.y", f"{stiffness!r}*max(0, 0.05 - b.y)")
    return m, "y"


@pytest.mark.parametrize("kind", ["line", "disc", "curve", "circle", "plane", "sphere", "law"])
@pytest.mark.parametrize("height, stiffness", [(5.0, 1e6), (0.3, 1e8), (40.0, 1e5)])
def test_a_dropped_ball_comes_back_to_its_height(kind, height, stiffness):
    """Elastic ground: after the bounce it rises to where it came from; the contact takes pi sqrt(m/k), gravity hardly matters in it."""
    m, up = dropped(kind, height, stiffness)
    fall, touch = math.sqrt(2.0 * height / G), math.pi * math.sqrt(0.5 / stiffness)
    r = m.simulate(times=[0.0, fall, 2.0 * fall + touch])
    reached = getattr(r["b"], up) - 0.05
    # at its top the ball is slow: an error dt of the contact's time costs g dt^2 / 2; static sag m g / k moves the ground
    assert reached[-1] == pytest.approx(height, abs=1e-6 * height + 20.0 * 0.5 * G / stiffness)
    assert np.abs(r.energy.balance).max() < 1e-6 * 0.5 * G * height


def test_the_gap_to_a_curve_is_the_distance_of_rims():
    m, _ = dropped("circle", 2.0, 1e6)
    r = m.simulate(0.5, samples=6)
    np.testing.assert_allclose(r["c"].gap, r["b"].y + 0.3 - 0.3 - 0.05, rtol=0, atol=1e-9)
    np.testing.assert_allclose(r["c"].gap_rate, r["b"].vy, rtol=0, atol=1e-9)


def test_a_rope_that_goes_taut_for_a_moment():
    """Thrown upwards from its anchor, a mass is turned round by a stiff rope 1 m long and comes back with its speed."""
    m = tm.PlanarModel("rope", gravity=(0.0, 0.0))
    m.body("b", position=(0.0, 0.0), velocity=(0.0, 0.2), mass=1.0, inertia=1.0)
    m.user_force("rope", "b.y", "-1e8*max(0, b.y - 1)")
    r = m.simulate(9.0, samples=4)
    assert r["b"].vy[-1] == pytest.approx(-0.2, abs=1e-8)


def test_a_narrow_well_in_space_is_felt():
    """A pulse of 100 N over 1 mm gives 0.1 J: v^2 grows by 0.2 / m."""
    m = tm.PlanarModel("well", gravity=(0.0, 0.0))
    m.body("b", velocity=(1.0, 0.0), mass=1.0, inertia=1.0)
    m.user_force("kick", "b.x", "100*(step(b.x - 7) - step(b.x - 7.001))")
    r = m.simulate(20.0, samples=3)
    assert r["b"].vx[-1] == pytest.approx(math.sqrt(1.2), abs=1e-7)


@pytest.mark.parametrize(
    "when, places",
    [("b.x - 3", [3.0]), ("0.001 - abs(b.x - 3)", [2.999, 3.001]), ("step(b.x - 3) - step(b.x - 3.0001) - 0.5", [3.0, 3.0001]),
     ("(b.x - 3)*(b.x - 3.01)", [3.0, 3.01]), ("sin(50*b.x) - 0.999", None), ("1e-6 - (b.x - 4)^2", [3.999, 4.001])],
)  # fmt: skip
@pytest.mark.parametrize("method", ["dop853", "dopri5", tm.methods.rk4(step=2.0)], ids=str)
def test_double_crossings_inside_a_step_are_found(when, places, method):
    """A body at 1 m/s passes x at t = x."""
    m = tm.PlanarModel("pass", gravity=(0.0, 0.0))
    m.body("b", velocity=(1.0, 0.0), mass=1.0, inertia=1.0)
    r = m.simulate(10.0, samples=2, method=method, events=[tm.Event("e", when)])
    if places is None:
        first = math.asin(0.999) / 50.0
        turn = math.tau / 50.0
        places = sorted(x for k in range(81) for x in (k * turn + first, (k + 0.5) * turn - first) if x < 10.0)
    np.testing.assert_allclose([e.time for e in r.events], places, rtol=0, atol=1e-9)


@settings(max_examples=20, **FAMILY)
@given(st.floats(0.0, 30.0), st.floats(1e-4, 1.0))
def test_a_throw_over_a_bar_that_it_just_clears_or_not(speed, share):
    """y = v t - g t^2 / 2 reaches v^2 / 2g: a bar a little lower is passed twice, a little higher never."""
    top = speed * speed / (2.0 * G)
    if top < 1e-3:
        return
    m = tm.PlanarModel("throw")
    m.body("b", velocity=(0.0, speed), mass=1.0, inertia=1.0)
    events = [
        tm.Event("low", f"b.y - {top * (1.0 - share * 1e-3)!r}"),
        tm.Event("high", f"b.y - {top * (1.0 + share * 1e-3)!r}"),
    ]
    r = m.simulate(2.5 * speed / G, samples=2, events=events)
    half = math.sqrt(2.0 * top * share * 1e-3 / G)
    times = [e.time for e in r.events]
    assert [e.name for e in r.events] == ["low", "low"]
    np.testing.assert_allclose(times, [speed / G - half, speed / G + half], rtol=0, atol=1e-6)


def test_switches_of_phases_are_not_stepped_over():
    """A latch closes while the body is in a slot of 1 mm: it stops there."""
    m = tm.PlanarModel("latch", gravity=(0.0, 0.0))
    m.body("b", velocity=(1.0, 0.0), mass=1.0, inertia=1.0)
    m.constrain("bolt", "b.x", value=0.0)
    m.phase("free", active=[])
    m.phase("locked", active=[], hold=["bolt"])
    m.switch("catch", "free", "locked", when="0.0005 - abs(b.x - 6)", direction=1)
    r = m.simulate(20.0, samples=5)
    assert r["b"].x[-1] == pytest.approx(5.9995, abs=1e-9)


def test_states_at_events_are_as_accurate_as_steps():
    """A pendulum's speed at the bottom, stopped there by an event inside a long step, from its energy."""
    m = tm.PlanarModel("pendulum")
    m.body("rod", position=(0.5, 0.0), mass=1.0, inertia=1.0 / 12.0)
    m.revolute("A", "ground", "rod", at=(0, 0))
    for tolerance in (1e-5, 1e-9):
        r = m.simulate(2.0, samples=2, rtol=tolerance, events=[tm.Event("low", "rod.phi + pi/2", stop=True)])
        assert abs(r["rod"].omega[-1]) == pytest.approx(math.sqrt(3.0 * G), rel=20.0 * tolerance)
        # the projection onto the pin moves it by less than the tolerance once more
        assert r["rod"].phi[-1] == pytest.approx(-0.5 * math.pi, abs=1e-3 * tolerance)


def test_output_between_long_steps_is_as_accurate_as_steps():
    """Free flight for 1000 s in a few steps, read off at instants between them."""
    m = tm.PlanarModel("flight")
    m.body("b", velocity=(3.0, 200.0), omega=1.0, mass=1.0, inertia=1.0)
    r = m.simulate(1000.0, samples=777)
    assert r.dynamics.statistics.steps < 100
    t = r.times
    np.testing.assert_allclose(r["b"].y, 200.0 * t - 0.5 * G * t * t, rtol=1e-12, atol=1e-6)
    np.testing.assert_allclose(r["b"].phi, t, rtol=1e-12, atol=1e-9)
