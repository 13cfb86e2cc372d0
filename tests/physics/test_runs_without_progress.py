"""Runs that get nowhere end by themselves and say why; runs that only take long do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.events import acting
from pytrammel.analysis.runs import pace, simulation
from pytrammel.errors import RunWarning


def parallelogram(spin, gravity=(0.0, 0.0), angle=1.0, friction=0.0):
    """Cranks of 1 m, 2 m apart, at an angle; the middle one of three bars stays level."""
    m = tm.PlanarModel("parallelogram", gravity=gravity)
    along = np.array([math.cos(angle), math.sin(angle)])
    v = spin * np.array([-along[1], along[0]])
    m.body("a", position=tuple(0.5 * along), angle=angle, mass=1.0, inertia=0.1, velocity=tuple(0.5 * v), omega=spin)
    m.body("c", position=tuple(along + [1.0, 0.0]), mass=1.0, inertia=0.3, velocity=tuple(v))
    m.body(
        "d",
        position=tuple(0.5 * along + [2.0, 0.0]),
        angle=angle,
        mass=1.0,
        inertia=0.1,
        velocity=tuple(0.5 * v),
        omega=spin,
    )
    m.revolute("A", m.ground.at(0, 0), m["a"].at(-0.5, 0))
    m.revolute("B", m["a"].at(0.5, 0), m["c"].at(-1, 0))
    m.revolute("C", m["c"].at(1, 0), m["d"].at(0.5, 0))
    m.revolute("D", m["d"].at(-0.5, 0), m.ground.at(2, 0))
    if friction:
        m.joint_friction("f", "B", friction=friction, radius=0.05)
    return m


@pytest.fixture
def judged_soon(monkeypatch):
    """Fewer and closer looks at the progress of a run: steps on which friction jams iterate hundreds of times."""
    monkeypatch.setattr(pace, "LOOKS", 3)
    monkeypatch.setattr(pace, "BETWEEN_LOOKS", 20)
    monkeypatch.setattr(simulation, "CHUNK", 20)


def between_two_springs(stiffness, mass):
    """A part without mass in the middle of two springs that balance; the outer part swings."""
    m = tm.PlanarModel("in between", gravity=(0.0, 0.0))
    m.body("p", position=(0.5, 0.0), massless=True)
    m.body("b", position=(1.0, 0.0), mass=mass, inertia=1.0)
    m.spring("s1", m.ground.at(0, 0), m["p"].at(0, 0), stiffness=stiffness, free_length=0.4)
    m.spring("s2", m["p"].at(0, 0), m["b"].at(0, 0), stiffness=stiffness, free_length=0.4)
    return m


@pytest.mark.parametrize("stiffness, mass", [(100.0, 1.0), (5e4, 20.0)])
def test_a_part_without_mass_between_springs_is_named(stiffness, mass):
    with pytest.raises(tm.TrammelError, match=r"'p'.*no mass") as stopped:
        between_two_springs(stiffness, mass).simulate(1.0)
    assert "'s1'" in str(stopped.value) or "p.x" in str(stopped.value)
    if stopped.value.partial is not None:
        assert stopped.value.partial.dynamics.statistics.steps < 20_000


@pytest.mark.parametrize("spin", [1.0, 2.0, 7.3])
def test_a_run_may_end_at_a_change_point(spin):
    """A parallelogram that coasts into its flat position at the very end: it turns uniformly, and the last reactions are open."""
    with pytest.warns(RunWarning, match=r"in a singular position \(a change point"):
        r = parallelogram(spin).simulate((math.pi - 1.0) / spin, samples=11)
    np.testing.assert_allclose(r["a"].phi, 1.0 + spin * r.times, atol=1e-7)
    assert r.warnings[-1].time == pytest.approx(r.times[-1])
    assert r.dynamics.statistics.steps < 200


@pytest.mark.filterwarnings("ignore:.*across singular positions")
@pytest.mark.parametrize("friction, spin, gravity", [(0.4, 2.38, -9.81), (0.1, 3.83, -9.81), (0.1, 1.06, 0.0)])
def test_friction_near_a_change_point_ends_with_a_sentence(friction, spin, gravity, judged_soon):
    """However it ends, it does so within seconds and says that the position is singular or that the friction jams."""
    try:
        parallelogram(spin, (0.0, gravity), friction=friction).simulate(
            6.0, method=tm.methods.default(max_steps=100_000)
        )
    except tm.ConvergenceError as stopped:
        assert "singular" in str(stopped)
        assert len(stopped.partial) > 10


@pytest.mark.parametrize("mu, stick", [(0.3, False), (0.1, True)])
def test_a_driven_pin_that_jams_is_named_and_no_light_body_blamed(judged_soon, mu, stick):
    """A rod is pushed flat along x. Its pin's friction holds as much as the push turns where y = mu r, and there it jams."""
    m = tm.PlanarModel("jam", gravity=(0.0, 0.0))
    m.body("rod", position=(0.3 * math.cos(0.2), 0.3 * math.sin(0.2)), mass=1.0, inertia=0.01)
    m.revolute("A", m.ground, "rod", at=(0, 0))
    m.joint_friction("F", "A", friction=mu, radius=0.05, stick=stick)
    m.driver("push", "rod.x", f"{0.3 * math.cos(0.2)} + 0.05*t")
    with pytest.raises(tm.ConvergenceError, match=r"'F' and the reactions .* \(self-locking\)|singular") as stopped:
        m.simulate(duration=3.0)
    assert "too little mass" not in str(stopped.value)
    assert stopped.value.partial["rod.y"][-1] == pytest.approx(0.05 * mu, abs=0.02)


@pytest.mark.parametrize("motion", ["0.1*sqrt(1 - t)", "0.1*asin(t)", "0.1*(1 - t)^1.5"])
def test_a_driver_whose_formula_ends_is_named(judged_soon, motion):
    m = tm.PlanarModel("ends", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=1.0)
    m.driver("push", "b.x", motion)
    with pytest.raises(tm.ConvergenceError, match=r"'push'"):
        m.simulate(2.0, samples=5)


def test_a_fast_vibration_that_is_resolved_goes_on():
    """Ten thousand radians per second for five seconds, on top of a slow drift, within some ten thousands of steps."""
    m = tm.PlanarModel("vibration", gravity=(0.0, 0.0))
    m.body("b", position=(0.0, 0.0), velocity=(1e-3, 0.0), mass=1e-4, inertia=1.0)
    m.user_force("spring", "b.x", "-1e4*b.x")
    r = m.simulate(1.0, samples=101, rtol=1e-6)
    assert np.abs(r["b"].x).max() == pytest.approx(1e-7, rel=0.1)
    assert r.dynamics.statistics.steps > 4000


def test_a_stiff_damper_that_has_settled_goes_on():
    """Explicit steps of some 1e-5 s are short for a body that hardly moves, but a hundred thousand of them are no reason to stop."""
    m = tm.PlanarModel("settled")
    m.body("b", mass=1.0, inertia=1.0)
    m.constrain("upright", "b.phi", value=0.0)
    m.user_force("damper", "b.y", "-2e5*b.vy")
    r = m.simulate(0.5, samples=3, method="dopri5")
    assert r["b"].vy[-1] == pytest.approx(-9.81 / 2e5, rel=1e-3)
    assert r.dynamics.statistics.steps > 10_000


def test_a_run_that_would_need_too_many_steps_for_no_motion_names_what_is_stiff():
    """A speck on a stiff damper: a time constant of 1e-9 s against a second."""
    m = tm.PlanarModel("speck")
    m.body("speck", mass=1e-6, inertia=1.0)
    m.body("block", position=(1.0, 0.0), mass=1.0, inertia=1.0)
    m.spring("d", m.ground.at(0.0, 1.0), m["speck"].at(0, 0), damping=1e3, stiffness=1.0)
    with pytest.raises(
        tm.ConvergenceError, match=r"no progress.*speck\.y answers to 'd' within .*e-0?9 s.*more, tie it"
    ) as stopped:
        m.simulate(1.0, method="dop853")
    assert len(stopped.value.partial) >= 1
    free = m.simulate(1.0)  # the default notices, and gets there; the speck hangs in the damper and creeps
    assert [use.name for use in free.dynamics.methods] == ["dop853", "radau5"]
    assert free["block"].y[-1] == pytest.approx(-0.5 * 9.81, rel=1e-6)


@pytest.mark.parametrize(("outward", "crowd"), [(1.5, 200), (2.0, acting.CROWD)])
def test_events_that_follow_each_other_without_end_stop_the_run(outward, crowd, monkeypatch):
    """A block is pulled back harder on its way out than on its way in: its swings shrink by a factor and end in a finite time."""
    monkeypatch.setattr(acting, "CROWD", crowd)
    m = tm.PlanarModel("relay", gravity=(0.0, 0.0))
    m.body("b", position=(-0.1, 0.0), mass=1.0, inertia=1.0)
    m.prismatic("T", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.force("push", "b", (1.0, 0.0))
    switches = [
        ("right", "b.x", 1, -outward),
        ("turn", "b.vx", -1, -1.0),
        ("left", "b.x", -1, outward),
        ("back", "b.vx", 1, 1.0),
    ]
    events = [tm.Event(n, when, direction=d, change={"push": {"vector": (f, 0.0)}}) for n, when, d, f in switches]
    with pytest.raises(tm.ConvergenceError, match=rf"last {crowd} events .* no end to them") as stopped:
        m.simulate(100.0, samples=1001, events=events, progress=False)
    # half a swing from x takes sqrt(2 x) in and sqrt(2 x)/outward out, and the next begins at x / outward
    share = outward**-0.5
    end = np.sqrt(0.2) * (1.0 + 1.0 / outward) / (1.0 - share)
    assert stopped.value.partial.times[-1] == pytest.approx(end, abs=0.1 + 1e-3)
