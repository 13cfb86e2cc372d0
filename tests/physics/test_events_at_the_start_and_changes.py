"""Events that are due at once, several at the same instant, and changes after which the parts must still fit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import pytrammel as tm

G = 9.81


def ball(y=0.0, vy=0.0, gravity=(0.0, -G)):
    m = tm.PlanarModel("ball", gravity=gravity)
    m.body("b", position=(0.0, y), velocity=(0.0, vy), mass=1.0, inertia=1.0)
    return m


def fired(r):
    return [(e.name, round(e.time, 9)) for e in r.events]


# --- at the start ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction, times", [(0, [0.0, 1.0]), (1, [0.0]), (-1, [1.0])])
def test_an_event_that_starts_at_zero_fires_if_it_goes_its_way(direction, times):
    """Thrown from the level that is watched, back after 1 s."""
    r = ball(0.3, 0.5 * G).simulate(2.0, samples=3, events=[tm.Event("level", "b.y - 0.3", direction)])
    assert fired(r) == [("level", t) for t in times]


def test_an_event_that_stays_at_zero_fires_once():
    r = ball(gravity=(0.0, 0.0)).simulate(2.0, samples=5, events=[tm.Event("still", "b.y")])
    assert fired(r) == [("still", 0.0)]


@settings(max_examples=20, deadline=None, derandomize=True, phases=[Phase.generate])
@given(
    st.one_of(st.just(0.0), st.floats(0.01, 1e3), st.floats(-1e3, -0.01)),
    st.floats(1e-3, 1e3),
    st.sampled_from([1.0, 1e6, 1e-6]),
)
def test_zero_at_the_start_is_zero_but_for_rounding(y, speed, factor):
    third = y / 3.0
    when = f"{factor!r}*(b.y - {third!r} - {third!r} - {third!r})"
    r = ball(y, speed, gravity=(0.0, 0.0)).simulate(1.0, samples=2, events=[tm.Event("level", when)])
    assert fired(r) == [("level", 0.0)]


def test_an_event_of_time_at_the_start_fires():
    r = ball().simulate(
        1.0, start_time=2.0, samples=2, events=[tm.Event("now", "t - 2"), tm.Event("pulse", "step(t - 2) - 0.5")]
    )
    assert ("now", 2.0) in fired(r)


def test_what_an_event_at_the_start_does_counts_from_the_first_instant():
    events = [
        tm.Event("kick", "t", impulse=[("b", (3.0, 0.0))]),
        tm.Event("load", "b.y", change={"pull": {"law": "2"}}),
    ]
    m = ball(gravity=(0.0, 0.0))
    m.user_force("pull", "b.x", "0*t")
    r = m.simulate(1.0, samples=3, events=events)
    np.testing.assert_allclose(r["b"].vx, [3.0, 4.0, 5.0], rtol=0, atol=1e-9)
    assert np.abs(r.energy.balance).max() < 1e-9


def test_a_run_may_stop_where_it_starts():
    r = ball().simulate(1.0, samples=3, events=[tm.Event("stop", "b.y", stop=True)])
    assert list(r.times) == [0.0] and r.events[0].stopped


ZERO_AT = ("t - {0!r}", "{0!r} - t", "sin(t - {0!r})", "(t - {0!r})*(t - 7)", "0.1*t - {1!r}", "exp(t) - exp({0!r})")


@pytest.mark.parametrize("start", [-2.0, 0.0, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("formula", ZERO_AT)
@pytest.mark.parametrize("stop", [False, True])
def test_an_event_of_time_alone_is_told_at_its_exact_time(start, formula, stop):
    """At the start, where the run begins a few bits later on the other side of the corner, and in the middle of the run."""
    for at in (start, start + 0.5):
        event = tm.Event("now", formula.format(at, 0.1 * at), stop=stop)
        r = ball().simulate(1.0, start_time=start, samples=4, events=[event])
        (found,) = r.dynamics.events
        assert found.time == (start if at == start else pytest.approx(at, rel=0, abs=4 * math.ulp(5.5)))
        assert not stop or r.times[-1] == found.time
        assert (np.diff(r.times) > 0.0).all()


def test_a_phase_may_be_left_at_once():
    m = ball(0.0, 1.0, gravity=(0.0, 0.0))
    m.constrain("lock", "b.y")
    m.phase("free", active=[])
    m.phase("held", active=[], hold=["lock"])
    m.switch("catch", "free", "held", when="b.y")
    r = m.simulate(1.0, samples=3)
    np.testing.assert_allclose(r["b"].y, 0.0, atol=1e-12)


# --- at the same instant ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_all_events_of_one_instant_fire(order):
    """Each changes something: none may be forgotten because of another."""
    m = ball(1.0)
    m.user_force("wind", "b.x", "0*t")
    m.user_force("lift", "b.y", "0*t")
    at = math.sqrt(2.0 * 0.5 / G)
    events = [
        tm.Event("wind", "b.y - 0.5", change={"wind": {"law": "1"}}),
        tm.Event("lift", "0.5 - b.y", change={"lift": {"law": f"{G}"}}),
        tm.Event("kick", "2*b.y - 1", impulse=[("b", (0.0, 1.0))]),
        tm.Event("note", "b.y^2 - 0.25"),
    ]
    r = m.simulate(1.0, samples=3, events=[events[k] for k in order])
    assert sorted(e.name for e in r.events if abs(e.time - at) < 1e-9) == ["kick", "lift", "note", "wind"]
    assert r["b"].vy[-1] == pytest.approx(1.0 - G * at, abs=1e-8)
    assert r["b"].vx[-1] == pytest.approx(1.0 - at, abs=1e-8)


# --- changes --------------------------------------------------------------------------------------------------------------


def pendulum():
    m = tm.PlanarModel("pendulum")
    bob = m.body("bob", position=(1.0, 0.0), mass=1.0, inertia=0.1)
    m.link("L", m.ground.at(0.0, 0.0), bob.at(0.0, 0.0), length=1.0)
    return m


def test_a_change_that_would_tear_a_joint_is_refused():
    shorten = tm.Event("shorten", "t - 0.4", change={"L": {"length": 0.7}})
    with pytest.raises(tm.ModelError, match=r"event 'shorten' at t = 0.4 s would tear link 'L' open by 0.3") as caught:
        pendulum().simulate(1.0, samples=6, events=[shorten])
    assert list(caught.value.partial.times) == pytest.approx([0.0, 0.2, 0.4][: len(caught.value.partial.times)])
    assert len(caught.value.partial.times) >= 2


@pytest.mark.parametrize(
    "change, joint",
    [({"D": {"motion": "0.2 + t"}}, "driver 'D'"), ({"A": {"at": (0.1, 0.0)}}, "revolute 'A'"), ({"E": {"formula": "b.y - 0.01"}}, "E")],
)  # fmt: skip
def test_whatever_does_not_fit_any_more_is_refused(change, joint):
    m = tm.PlanarModel("machine", gravity=(0.0, 0.0))
    m.body("a", mass=1.0, inertia=1.0)
    m.body("b", position=(3.0, 0.0), mass=1.0, inertia=1.0)
    m.revolute("A", "ground", "a", at=(0, 0))
    m.driver("D", m["A"].angle, "t")
    m.equation("E", "b.y")
    with pytest.raises(tm.ModelError, match=rf"would tear .*{joint}.*two places"):
        m.simulate(1.0, samples=6, events=[tm.Event("break", "t - 0.5", change=change)])


def test_a_change_that_fits_goes_on():
    """The same length, said anew, and a driver that goes on from where it is, faster: an impulse."""
    same = tm.Event("same", "t - 0.4", change={"L": {"length": 1.0}})
    plain = pendulum().simulate(1.0, samples=6)
    r = pendulum().simulate(1.0, samples=6, events=[same])
    np.testing.assert_allclose(r["bob"].x, plain["bob"].x, rtol=0, atol=1e-7)
    m = tm.PlanarModel("motor")
    m.body("a", mass=1.0, inertia=0.5)
    m.revolute("A", "ground", "a", at=(0, 0))
    m.driver("D", m["A"].angle, "t")
    r = m.simulate(1.0, samples=3, events=[tm.Event("gear", "t - 0.5", change={"D": {"motion": "0.5 + 3*(t - 0.5)"}})])
    assert r["a"].omega[-1] == pytest.approx(3.0, abs=1e-9)
    assert r.events[0].velocity_jump == pytest.approx(2.0, abs=1e-9)
    assert r.energy.input[-1] == pytest.approx(0.5 * 0.5 * (9.0 - 1.0), abs=1e-9)
    assert np.abs(r.energy.balance).max() < 1e-9


def test_a_mass_that_changes_keeps_its_velocity():
    """Sand falls out at rest relative to the car: speed stays, energy leaves."""
    m = ball(vy=2.0, gravity=(0.0, 0.0))
    r = m.simulate(1.0, samples=3, events=[tm.Event("spill", "t - 0.4", change={"b": {"mass": 0.25}})])
    np.testing.assert_allclose(r["b"].vy, 2.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(r.energy.kinetic, [2.0, 0.5, 0.5], rtol=1e-12)
    assert np.abs(r.energy.balance).max() < 1e-12


@pytest.mark.parametrize(
    "key, value", [("position", (1.0, 1.0)), ("velocity", (0.0, 1.0)), ("omega", 2.0), ("angle", 0.3)]
)
def test_what_only_says_how_a_run_starts_cannot_be_changed_in_it(key, value):
    with pytest.raises(
        tm.ModelError, match=rf"event 'e' changes {key} of body 'b', which only says how the run starts"
    ):
        ball().simulate(1.0, events=[tm.Event("e", "t - 0.5", change={"b": {key: value}})])
