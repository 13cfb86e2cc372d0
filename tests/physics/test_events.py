"""Events, impulses, phases and interruptions of a simulation against closed forms and momentum balances."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel._util.progress import Progress
from pytrammel.errors import RunWarning

G = 9.81
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def falling(height=1.0, velocity=(0.0, 0.0), mass=0.5):
    m = tm.PlanarModel("ball")
    m.body("b", position=(0.0, height), velocity=velocity, mass=mass, inertia=0.1)
    return m


def named(r, name):
    return [e.time for e in r.events if e.name == name]


# --- times ----------------------------------------------------------------------------------------------------------------


def test_event_times_of_a_throw_are_exact():
    """y = h + v t - g t^2 / 2: the integrator is exact for parabolas, so the time is good to rounding of the root."""
    events = [tm.Event("up", "b.y - 2", +1), tm.Event("down", "b.y - 2", -1), tm.Event("floor", "b.y")]
    r = falling(1.0, (0.0, 6.0)).simulate(2.0, samples=5, events=events)
    root = math.sqrt(36.0 - 2.0 * G)
    assert named(r, "up") == pytest.approx([(6.0 - root) / G], abs=1e-9)
    assert named(r, "down") == pytest.approx([(6.0 + root) / G], abs=1e-9)
    assert named(r, "floor") == pytest.approx([(6.0 + math.sqrt(36.0 + 2.0 * G)) / G], abs=1e-9)
    # order of the report is order of time, and nothing was changed
    assert [e.name for e in r.events] == ["up", "down", "floor"]
    assert all(e.velocity_jump == 0.0 and not e.stopped for e in r.events)
    np.testing.assert_allclose(r["b"].y, 1.0 + 6.0 * r.times - 0.5 * G * r.times**2, atol=1e-9)


@pytest.mark.parametrize("method, options", [("dop853", TIGHT), ("dopri5", TIGHT), (tm.methods.rk4(step=1e-3), {})])
def test_every_method_finds_the_zeros_of_an_oscillation(method, options):
    """x = cos(5 t): zeros at (n + 1/2) pi / 5."""
    m = tm.PlanarModel("zeros", gravity=(0.0, 0.0))
    m.body("b", position=(1.0, 0.0), mass=1.0, inertia=1.0)
    m.user_force("pull", "b.x", "-25*b.x")
    r = m.simulate(4.0, samples=3, method=method, events=[tm.Event("zero", "b.x")], **options)
    expected = (np.arange(6) + 0.5) * math.pi / 5.0
    # rk4: global error (5 h)^4 / 120 * 5 t = 1e-10; its cubic interpolant (5 h)^4 / 384 = 2e-12
    np.testing.assert_allclose(named(r, "zero"), expected, atol=1e-9)


def test_event_by_time_alone():
    r = falling().simulate(1.0, samples=3, events=[tm.Event("alarm", "t - 0.3")])
    assert named(r, "alarm") == pytest.approx([0.3], abs=1e-12)


def test_two_events_in_one_step_come_in_order_of_time():
    """Two levels 1e-6 m apart are passed within one step."""
    events = [tm.Event("low", "b.y - 0.5"), tm.Event("high", "b.y - 0.500001")]
    r = falling().simulate(0.4, samples=2, events=events)
    assert [e.name for e in r.events] == ["high", "low"]
    expected = [math.sqrt(2.0 * (1.0 - y) / G) for y in (0.500001, 0.5)]
    assert [e.time for e in r.events] == pytest.approx(expected, abs=1e-9)


def test_two_events_at_the_same_instant_are_both_reported():
    events = [tm.Event("one", "b.y - 0.5"), tm.Event("other", "b.y - 0.5", -1)]
    r = falling().simulate(0.4, samples=2, events=events)
    assert sorted(e.name for e in r.events) == ["one", "other"]


@pytest.mark.parametrize("damping", [0.0, 5.0])
def test_event_at_the_first_touch_of_a_contact(damping):
    """Digest §3.7: impact at t = .440091, separation at .454231 without damping."""
    m = falling(1.0, mass=0.1)
    m.contact_line("c", "b", "ground", radius=0.05, at=(0, 0), axis=(1, 0), stiffness=5000.0, damping=damping)
    r = m.simulate(0.5, samples=6, events=[tm.Event("in", "c.gap", -1), tm.Event("out", "c.gap", +1)], **TIGHT)
    assert named(r, "in") == pytest.approx([math.sqrt(2.0 * 0.95 / G)], abs=1e-9)
    assert len(named(r, "out")) == 1
    if damping == 0.0:
        assert named(r, "out") == pytest.approx([0.454231], abs=1e-6)


# --- stop -----------------------------------------------------------------------------------------------------------------


def test_stop_ends_the_run_with_what_was_computed():
    t_floor = math.sqrt(2.0 / G)
    r = falling().simulate(1.0, output_step=0.1, events=[tm.Event("floor", "b.y", -1, stop=True)])
    assert len(r) == 6  # 0.0 … 0.4, then the floor itself at 0.4515
    assert r.times[-1] == r.events[0].time
    assert r["b"].y[-1] == pytest.approx(0.0, abs=1e-8)
    assert r.events[0].stopped
    assert r.events[0].time == pytest.approx(t_floor, abs=1e-9)
    assert "the run ends" in str(r.events[0])
    assert not r.dynamics.interrupted
    assert len(r.energy.kinetic) == len(r.q) == len(r.dynamics.work) == 6


# --- impulses ---------------------------------------------------------------------------------------------------------


def test_impulse_at_a_point_changes_velocity_and_spin():
    """dv = p / m, dw = s x p / J; the centroid is off the frame's origin in the second body."""
    m = tm.PlanarModel("kick", gravity=(0.0, 0.0))
    a = m.body("a", angle=0.5, mass=2.0, inertia=0.3)
    b = m.body("b", position=(3.0, 0.0), mass=2.0, inertia=0.3, centroid=(0.4, 0.0))
    kick = tm.Event(
        "kick", "t - 0.1", impulse=[(a.at(0.2, 0.0), (0.0, 1.5)), ("a", 0.05), (b.at(0.4, 0.3), (1.0, 0.0))]
    )
    r = m.simulate(0.2, samples=3, events=[kick], **TIGHT)
    assert r["a"].vy[-1] == pytest.approx(0.75, abs=1e-10)
    assert r["a"].omega[-1] == pytest.approx((0.2 * math.cos(0.5) * 1.5 + 0.05) / 0.3, abs=1e-10)
    # about the centroid (0.4, 0) the impulse has the arm 0.3
    assert r["b"].omega[-1] == pytest.approx(-0.3 * 1.0 / 0.3, abs=1e-10)
    jump = r.events[0]
    assert jump.jump_of == "a.phi"
    assert jump.velocity_jump == pytest.approx((0.2 * math.cos(0.5) * 1.5 + 0.05) / 0.3, abs=1e-10)


def test_impulse_on_a_pinned_rod_is_shared_with_the_pin():
    """Angular momentum about the pin: w = p L / (m L^2 / 3)."""
    m = tm.PlanarModel("rod", gravity=(0.0, 0.0))
    rod = m.body("rod", position=(0.5, 0.0), mass=3.0, inertia=3.0 / 12.0)
    m.revolute("A", "ground", "rod", at=(0, 0))
    r = m.simulate(
        0.2, samples=3, events=[tm.Event("hit", "t - 0.1", impulse=[(rod.at(0.5, 0.0), (0.0, 2.0))])], **TIGHT
    )
    assert r["rod"].omega[-1] == pytest.approx(2.0 * 1.0 / (3.0 / 3.0), abs=1e-9)


@pytest.mark.parametrize("direction", [-1, 0])
def test_ball_bounced_by_impulses_follows_the_closed_form(direction):
    """Each floor contact gives 2 m v up (v known from the height): bounces every 2 v / g after the first.

    With direction 0 the same event must not fire again on the way up from the floor it stands on.
    """
    mass, v = 0.5, math.sqrt(2.0 * G)
    hit = tm.Event("floor", "b.y", direction, impulse=[("b", (0.0, 2.0 * mass * v))])
    r = falling(1.0, mass=mass).simulate(4.0, samples=41, events=[hit], **TIGHT)
    expected = v / G * (1.0 + 2.0 * np.arange(4))
    np.testing.assert_allclose(named(r, "floor"), expected, atol=1e-9)
    phase = np.mod(r.times + v / G, 2.0 * v / G) - v / G
    np.testing.assert_allclose(r["b"].y, 1.0 - 0.5 * G * phase**2, atol=1e-8)


def test_energy_of_a_kick_is_booked_as_work_put_in():
    """Kinetic energy jumps by p^2 / 2m; the balance stays closed."""
    m = tm.PlanarModel("kick", gravity=(0.0, 0.0))
    m.body("a", mass=2.0, inertia=0.3)
    r = m.simulate(0.2, samples=5, events=[tm.Event("kick", "t - 0.1", impulse=[("a", (3.0, 0.0))])])
    assert r.energy.kinetic[-1] == pytest.approx(9.0 / 4.0, rel=1e-12)
    np.testing.assert_allclose(r.energy.balance, 0.0, atol=1e-9)


# --- changes ------------------------------------------------------------------------------------------------------------


def test_stiffness_changed_at_an_event_goes_on_with_the_new_frequency():
    """x = A cos(w1 t) until x = 0, then with the same speed A w1 / w2 sin(w2 t)."""
    A, k1, k2 = 0.3, 100.0, 400.0
    m = tm.PlanarModel("change", gravity=(0.0, 0.0))
    m.body("b", position=(2.0 + A, 0.0), mass=1.0, inertia=1.0)
    m.spring("s", "ground", "b", stiffness=k1, free_length=2.0)
    stiffen = tm.Event("stiffen", "s.length - 2", -1, change={"s": {"stiffness": k2}})
    # the first passage stiffens; later downward passages set the same value again
    r = m.simulate(1.0, samples=201, events=[stiffen], **TIGHT)
    t1, w1, w2 = 0.5 * math.pi / 10.0, 10.0, 20.0
    t = r.times
    expected = np.where(t < t1, A * np.cos(w1 * t), -A * w1 / w2 * np.sin(w2 * (t - t1)))
    np.testing.assert_allclose(r["b"].x - 2.0, expected, atol=1e-8)
    assert named(r, "stiffen")[0] == pytest.approx(t1, abs=1e-9)


def test_stored_energy_starts_with_the_stiffness_of_the_start():
    """At t = 0 the spring that is changed later holds k1 A^2 / 2."""
    m = tm.PlanarModel("change", gravity=(0.0, 0.0))
    m.body("b", position=(2.3, 0.0), mass=1.0, inertia=1.0)
    m.spring("s", "ground", "b", stiffness=100.0, free_length=2.0)
    r = m.simulate(0.3, samples=4, events=[tm.Event("cut", "s.length - 2", change={"s": {"stiffness": 0.0}})], **TIGHT)
    assert r.energy.stored[0] == pytest.approx(0.5 * 100.0 * 0.3**2, rel=1e-9)
    # after the cut at x = 0 all of it is kinetic
    assert r.energy.kinetic[-1] == pytest.approx(4.5, rel=1e-7)
    assert r.energy.stored[-1] == pytest.approx(0.0, abs=1e-7)


def test_motor_switched_off_coasts():
    m = tm.PlanarModel("motor")
    m.body("rotor", mass=1.0, inertia=0.5)
    m.revolute("A", "ground", "rotor", at=(0, 0))
    m.motor("M", first="ground", second="rotor", torque=2.0)
    off = tm.Event("off", "A.angle - 0.5", +1, change={"M": {"torque": 0.0}})
    r = m.simulate(1.0, samples=11, events=[off], **TIGHT)
    # angle = 2 t^2 until 0.5 at t = 0.5; then w = 2
    np.testing.assert_allclose(r["rotor"].omega, np.minimum(4.0 * r.times, 2.0), atol=1e-8)


def test_mistakes_in_events_are_answered_before_the_run():
    m = falling()
    m.spring("s", "ground", "b", stiffness=1.0)
    for event, sentence in (
        (tm.Event("e", "c.y"), r"event 'e'.*'c.y'.*[Dd]id you mean '\w.y'"),
        (tm.Event("e", "t - 0.1", enter="open"), r"no phase 'open'"),
        (tm.Event("e", "t - 0.1", change={"sprng": {"stiffness": 2.0}}), r"'sprng'.*"),
        (tm.Event("e", "t - 0.1", impulse=[("bb", (1.0, 0.0))]), r"no body 'bb'"),
    ):
        with pytest.raises(tm.ModelError, match=sentence):
            m.simulate(0.05, events=[event])


# --- phases -------------------------------------------------------------------------------------------------------------


def test_latch_that_is_released_lets_a_pendulum_go():
    """Held level until t = 0.3, then the bottom is reached .48333371 s later with |w| = 5.4249424 (digest §3.4)."""
    m = tm.PlanarModel("latch")
    m.body("rod", position=(0.5, 0.0), mass=1.0, inertia=1.0 / 12.0)
    m.revolute("A", "ground", "rod", at=(0, 0))
    m.constrain("latch", "rod.phi", value=0.0)
    m.phase("held", active=["latch"])
    m.phase("free", active=[])
    m.switch("release", "held", "free", when="t - 0.3")
    r = m.simulate(times=[0.0, 0.2, 0.3 + 0.48333371], **TIGHT)
    np.testing.assert_allclose(r["rod"].phi, [0.0, 0.0, -0.5 * math.pi], atol=1e-7)
    assert abs(r["rod"].omega[-1]) == pytest.approx(5.4249424, abs=1e-6)
    # while held the latch carries the moment of the weight, and the pin all of the weight
    assert r.reaction("latch").moment[1] == pytest.approx(G * 0.5, rel=1e-9)
    np.testing.assert_allclose(r.reaction("A", "rod").force[1], [0.0, G], atol=1e-9)
    # digest §3.4: pin force at the bottom 2.5 m g
    np.testing.assert_allclose(r.reaction("A", "rod").force[-1], [0.0, 24.525], atol=1e-5)
    assert named(r, "release") == pytest.approx([0.3], abs=1e-12)


def rod_over_a_peg():
    """Level rod that falls 0.5 m until its left end meets a pin there."""
    m = tm.PlanarModel("catch")
    rod = m.body("rod", position=(0.5, 0.5), mass=3.0, inertia=3.0 / 12.0, points={"end": (-0.5, 0.0)})
    m.revolute("A", m.ground.at(0.0, 0.0), rod.at(-0.5, 0.0))
    m.phase("fall", active=[])
    m.phase("caught", active=["A"])
    return m


@pytest.mark.parametrize("way", ["event", "switch"])
def test_falling_rod_caught_at_its_end(way):
    """Angular momentum about the pin: m v L/2 = (m L^2 / 3) w, so w = -3 v / 2L (clockwise)."""
    m = rod_over_a_peg()
    events = [tm.Event("catch", "rod.end.y", -1, enter="caught")] if way == "event" else []
    if way == "switch":
        m.switch("catch", "fall", "caught", when="rod.end.y", direction=-1)
    t1, v = math.sqrt(2.0 * 0.5 / G), math.sqrt(2.0 * G * 0.5)
    r = m.simulate(times=[0.0, t1 - 1e-7, t1 + 1e-7, 0.6], events=events, **TIGHT)
    # 1e-7 s of gravity before and after
    assert r["rod"].vy[1] == pytest.approx(-v, abs=2e-6)
    assert r["rod"].omega[2] == pytest.approx(-1.5 * v, abs=2e-6)
    assert r["rod"].vy[2] == pytest.approx(-0.75 * v, abs=2e-6)
    assert r.events[0].velocity_jump == pytest.approx(1.5 * v, rel=1e-6)
    np.testing.assert_allclose(r.point("rod.end").position[2:], 0.0, atol=1e-9)
    # from then on a pendulum: kinetic and gravity energy are kept
    assert r.energy.total[3] == pytest.approx(r.energy.total[2], rel=1e-8)
    # a quarter of the kinetic energy is lost in the catch: 1/2 (1/3 m)(3v/2)^2 = 3/4 of 1/2 m v^2
    assert r.energy.kinetic[2] / r.energy.kinetic[1] == pytest.approx(0.75, abs=1e-6)


def test_energy_balance_stays_closed_over_an_impact():
    """What the catch takes away (a quarter of 1/2 m v^2) must appear on some account."""
    m = rod_over_a_peg()
    m.switch("catch", "fall", "caught", when="rod.end.y", direction=-1)
    r = m.simulate(0.6, samples=13)
    np.testing.assert_allclose(r.energy.balance, 0.0, atol=1e-7)


def test_phase_that_holds_stops_where_it_is():
    """A wheel locked at 0.2 s keeps the angle it has then: w0 * 0.2."""
    m = tm.PlanarModel("lock", gravity=(0.0, 0.0))
    m.body("wheel", mass=1.0, inertia=0.5, omega=3.0)
    m.revolute("A", "ground", "wheel", at=(0, 0))
    m.constrain("brake", "wheel.phi", value=0.0)
    m.phase("free", active=[])
    m.phase("locked", active=[], hold=["brake"])
    m.switch("lock", "free", "locked", when="t - 0.2")
    r = m.simulate(1.0, samples=11)
    np.testing.assert_allclose(r["wheel"].phi, np.minimum(3.0 * r.times, 0.6), atol=1e-9)
    assert r.events[0].velocity_jump == pytest.approx(3.0, rel=1e-9)


def test_a_change_keeps_what_a_phase_holds():
    """The locked wheel stays at 0.6 rad when, later, some load is changed."""
    m = tm.PlanarModel("lock", gravity=(0.0, 0.0))
    m.body("wheel", mass=1.0, inertia=0.5, omega=3.0)
    m.revolute("A", "ground", "wheel", at=(0, 0))
    m.torque("M", "wheel", 0.0)
    m.constrain("brake", "wheel.phi", value=0.0)
    m.phase("free", active=[])
    m.phase("locked", active=[], hold=["brake"])
    m.switch("lock", "free", "locked", when="t - 0.2")
    r = m.simulate(1.0, samples=11, events=[tm.Event("load", "t - 0.5", change={"M": {"torque": 1.0}})])
    np.testing.assert_allclose(r["wheel"].phi, np.minimum(3.0 * r.times, 0.6), atol=1e-9)


# --- interruption --------------------------------------------------------------------------------------------------------


def test_ctrl_c_returns_what_was_computed(monkeypatch):
    """The keyboard interrupts the third look at the progress bar of a pendulum that needs thousands of steps."""
    looks = []

    def update(self, fraction, detail=""):
        looks.append(fraction)
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "update", update)
    m = tm.PlanarModel("pendulum")
    m.body("rod", position=(0.5, 0.0), mass=1.0, inertia=1.0 / 12.0)
    m.revolute("A", "ground", "rod", at=(0, 0))
    with pytest.warns(RunWarning, match=r"interrupted at t = .* of 10001 instants"):
        r = m.simulate(1000.0, samples=10001)
    assert r.dynamics.interrupted
    assert 0 < len(r) < 10001
    assert len(looks) == 3
    assert r.times[-1] == pytest.approx(looks[-1] * 1000.0, abs=0.2)
    # what is there is whole: motion, energies and reactions (m g / 4 at the start, digest §3.4)
    energy = r.energy
    np.testing.assert_allclose(energy.total, energy.total[0], atol=1e-4)
    np.testing.assert_allclose(r.reaction("A", "rod").force[0], [0.0, 2.4525], atol=1e-9)
    assert np.all(r.reaction("A", "rod").magnitude > 1.0)


def struck_and_caught(length, mass, time):
    """A double pendulum that is struck, then caught at its tip: the same one in whatever units."""
    m = tm.PlanarModel("caught", gravity=(0.0, -G * length / time**2))
    for k, name in enumerate("ab"):
        m.body(name, position=((k + 0.5) * length, 0), mass=(k + 1) * mass, inertia=0.1 * mass * length**2)
        m.revolute(name.upper(), m["a"] if k else m.ground, name, at=(k * length, 0))
    m.point("tip", "b", at=(2 * length, 0))
    m.constrain("catch", "tip.y")
    m.phase("free", active=[])
    m.phase("caught", active=["catch"], hold=["catch"])
    m.switch("now", "free", "caught", when=f"t - {0.2 * time!r}")
    push = mass * length / time
    kick = tm.Event("kick", f"t - {0.1 * time!r}", impulse=[("b", (0.3 * push, 0.2 * push))])
    return m.simulate(times=np.array([0.0, 0.15, 0.25, 0.4]) * time, events=[kick])


@pytest.mark.parametrize("units", [(1e-6, 1e-9, 1e-3), (1e-3, 1e-3, 1.0), (440.0, 158.0, 0.13), (1e3, 1e6, 1e-3)])
def test_blows_and_catches_do_not_depend_on_units(units):
    one, other = struck_and_caught(1.0, 1.0, 1.0), struck_and_caught(*units)
    for body in "ab":  # within what rtol = 1e-8 leaves open
        assert other[body].phi == pytest.approx(one[body].phi, abs=1e-6)
        assert other[body].omega * units[2] == pytest.approx(one[body].omega, abs=1e-5)


# --- directions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", [0.25 * math.pi, 0.5 * math.pi, -0.8])
@pytest.mark.parametrize("direction", [1, -1])
def test_events_fire_in_their_direction_only(direction, phase):
    """sin(angle + phase) of an even turn: steps may be long, and rounding at a zero shows both changes of sign."""
    m = tm.PlanarModel("even turn", gravity=(0.0, 0.0))
    m.body("b", mass=1.0, inertia=0.01)
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.driver("motor", "A.angle", "2*pi*t")
    times = named(m.simulate(6.2, samples=20, events=[tm.Event("e", f"sin(A.angle + {phase!r})", direction)]), "e")
    first = (-phase / (2.0 * math.pi) + (0.0 if direction > 0 else 0.5)) % 1.0
    np.testing.assert_allclose(times, np.arange(first, 6.2), atol=1e-9)


@pytest.mark.parametrize("direction, times", [(1, [0.25, 1.25]), (-1, [0.5, 1.5])])
def test_jumps_against_the_slope_are_events(direction, times):
    """A sawtooth that falls everywhere and jumps up, and its opposite."""
    formula = "0.5 - mod(t - 0.25, 1)" if direction > 0 else "mod(t - 0.5, 1) - 0.5"
    r = falling().simulate(1.9, samples=5, events=[tm.Event("jump", formula, direction)])
    assert named(r, "jump") == pytest.approx(times, abs=1e-9)


# --- events of the same instant -------------------------------------------------------------------------------------------

AT_THE_TOP = {"time": "t - {0}", "place": "b.x - {0}", "speed": "b.vy"}
BLOWS = {"time": (0.5, 1.0), "place": (0.25, 1.5), "speed": (1.0, 0.75)}


@pytest.mark.parametrize("top", [0.5, 0.37])
@pytest.mark.parametrize("names", [("time", "speed"), ("speed", "time"), ("place", "speed", "time")])
def test_no_event_hides_another_of_the_same_instant(names, top):
    """At the top of a throw the first blow changes the speed that the other event watches; all blows act, in any order."""
    events = [tm.Event(n, AT_THE_TOP[n].format(top), impulse=[("b", BLOWS[n])]) for n in names]
    r = falling(0.0, (1.0, G * top), mass=2.0).simulate(top + 0.05, samples=2, events=events)
    assert sorted(e.name for e in r.events) == sorted(names)
    assert [e.time for e in r.events] == pytest.approx([top] * len(names), abs=1e-9)
    total = np.sum([BLOWS[n] for n in names], axis=0) / 2.0
    assert [r["b.vx"][-1], r["b.vy"][-1]] == pytest.approx([1.0 + total[0], total[1] - 0.05 * G], abs=1e-9)
