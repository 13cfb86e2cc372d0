"""Analyses at a time use what acts at that time: each is compared with the same analysis of a model that holds only those constraints."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.examples import geneva
from pytrammel.system.positions import drawn_at


def geneva_wheel():
    """Two slots that take turns; in between the wheel is held where it stands."""
    m = geneva.build()
    return m.copy(changes={"crank": {"mass": 1.0, "inertia": 0.01}, "wheel": {"mass": 2.0, "inertia": 0.5}})


def latch():
    """A block rides on a bar until its x reaches 0.5 m, then stays where it is."""
    m = tm.PlanarModel("latch")
    bar = m.body("bar", mass=2.0, inertia=0.3)
    block = m.body("block", position=(1.0, 0.0), mass=3.0, inertia=0.1)
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.driver("motor", bar.phi, "t")
    m.weld("carry", bar, block, at=(1.0, 0.0))
    stay = [m.constrain(f"stay_{c}", f"block.{c}").name for c in ("x", "y", "phi")]
    m.phase("carried", active=["carry"])
    m.phase("parked", active=stay, hold=stay)
    m.switch("drop", "carried", "parked", when="block.x - 0.5", direction=-1)
    return m


def relay():
    """Two motors by turns on one arm, changed by the clock, with a spring whose load differs from place to place."""
    m = tm.PlanarModel("relay")
    arm = m.body("arm", position=(0.5, 0), mass=1.5, inertia=0.2)
    m.revolute("O", m.ground, arm, at=(0, 0))
    m.driver("slow", arm.phi, "0.3*t")
    m.driver("fast", arm.phi, "0.3 + 0.3*(t - 1) + 0.8*(t - 1)^2")
    m.spring("S", m.ground.at(1, 1), arm.at(0.5, 0), stiffness=40.0, free_length=0.4)
    m.phase("first", active=["slow"])
    m.phase("second", active=["fast"])
    m.switch("hand_over", "first", "second", when="t - 1", direction=1)
    return m


def hoist():
    """In space a load hangs on one of two drivers by height, and swings nowhere."""
    m = tm.SpatialModel("hoist")
    m.body("load", position=(0, 0, 0), mass=4.0, inertia=(0.2, 0.3, 0.4))
    m.prismatic("rail", m.ground, "load", at=(0, 0, 0), axis=(0, 0, 1))
    m.driver("up", "load.z", "sin(t)")
    m.driver("further", "load.z", "0.5 + cos(pi/6)*(t - pi/6)")
    m.phase("low", active=["up"])
    m.phase("high", active=["further"])
    m.switch("pass_on", "low", "high", when="load.z - 0.5", direction=1)
    return m


BUILT = (geneva_wheel, latch, relay, hoist)
SPAN = {"geneva_wheel": 2.0, "latch": 2.0, "relay": 2.0, "hoist": 1.0}
COUNT = 14  # times per model, chosen so that none is the time of a switch


@functools.cache
def motion(build):
    model = build()
    times = np.linspace(0.0, SPAN[build.__name__], COUNT) * 0.987
    return model, model.kinematics(times=times), model.inverse_dynamics(times=times)


def alone(model, k, row):
    """The model with the constraints of one time only, drawn there, held ones at the value of the run."""
    entered = [s.enter for s in k.events if s.time < k.times[row]]
    phase = model.phases[entered[-1] if entered else next(iter(model.phases))]
    others = {name for p in model.phases.values() for name in p.active} - set(phase.active)
    segment = next(s for s in k._segments if s.first <= row < s.last)
    values = {name: float(segment.targets[segment.system.rows_of((name,))][0]) for name in phase.hold}
    twin = model.copy(without=[*model.switches, *model.phases, *others])
    return twin.copy(changes=drawn_at(k._system, k.q[row]) | {name: {"value": x} for name, x in values.items()})


def multipliers(result, names, row=-1):
    """Loads of constraints at one time of a result, by name."""
    return {name: result.dynamics.multipliers[row][result._system.rows_of((name,))] for name in names}


def check_alike(found, expected, size):
    """Both come from linear systems of a few rows: rounding only."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-9 * size, err_msg=name)


@pytest.mark.parametrize("build", BUILT)
def test_efforts_and_reactions_are_those_of_the_constraints_that_act(build):
    model, k, r = motion(build)
    assert k.events, "the family must change its phase on the way"
    size = max(float(np.abs(r.dynamics.multipliers).max()), 1.0)
    for row in range(COUNT):
        twin = alone(model, k, row)
        own = twin.inverse_dynamics(times=[k.times[row]])
        check_alike(multipliers(r, twin.constraints, row), multipliers(own, twin.constraints), size)
        idle = multipliers(r, set(model.constraints) - set(twin.constraints), row)
        assert not any(np.any(load) for load in idle.values())


@pytest.mark.parametrize("build", BUILT)
def test_efforts_along_a_tree_are_the_same(build):
    model, k, r = motion(build)
    along = model.inverse_dynamics(times=k.times, formulation="joint")
    for c in model.constraints.values():
        if c.is_driver:
            # positions along a tree are solved to 1e-11 of the model's size
            np.testing.assert_allclose(along.effort(c.name), r.effort(c.name), rtol=1e-7, atol=1e-7)


def test_the_motor_of_a_geneva_drive_does_the_power_of_its_wheel():
    """Nothing else moves faster or slower: T omega = I alpha omega of the wheel."""
    _, k, r = motion(geneva_wheel)
    power = 0.5 * k["wheel.alpha"] * k["wheel.omega"]
    assert np.abs(power).max() > 100.0
    np.testing.assert_allclose(r.effort("motor") * 2.0 * math.pi, power, atol=1e-6 * np.abs(power).max())


AT_A_TIME = {
    "assemble": lambda m, t: m.assemble(time=t).q,
    "statics": lambda m, t: m.statics(time=t).q[0],
    "mobility": lambda m, t: [getattr(m.mobility(time=t), x) for x in ("dof", "constraints", "rank", "drivers")],
    "partition": lambda m, t: m.partition(time=t).q,
    "potential_energy": lambda m, t: m.potential_energy(time=t).value,
    "equilibrium": lambda m, t: m.equilibrium(time=t).q,
    "equilibria": lambda m, t: [rest.q for rest in m.equilibria(time=t, n_starts=1)],
    "terms": lambda m, t: m.terms(time=t).applied,
    "matrices": lambda m, t: m.matrices(time=t).accelerations,
    "matrices along a tree": lambda m, t: m.matrices(time=t, formulation="joint").accelerations,
    "linearize": lambda m, t: m.linearize(time=t).A,
    "linearize at rest": lambda m, t: m.linearize(at=m.equilibrium(time=t)).A,
}


@pytest.mark.parametrize("build", BUILT)
@pytest.mark.parametrize("verb", AT_A_TIME)
@pytest.mark.filterwarnings("ignore::pytrammel.RunWarning")
def test_what_is_evaluated_at_a_time_has_the_constraints_of_that_time(build, verb):
    model, k, _ = motion(build)
    look = AT_A_TIME[verb]
    for row in (COUNT - 1,) if verb == "equilibria" else (COUNT // 2, COUNT - 1):
        time = float(k.times[row])
        found, expected = look(model, time), look(alone(model, k, row), time)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("build", BUILT)
def test_loads_at_rest_are_those_of_the_constraints_that_act(build):
    model, k, _ = motion(build)
    for row in range(0, COUNT, 3):
        time, twin = float(k.times[row]), alone(model, k, row)
        own = twin.statics(time=time)
        expected = multipliers(own, twin.constraints)
        check_alike(multipliers(model.statics(time=time), twin.constraints), expected, 100.0)
        check_alike(multipliers(model.equilibrium(time=time).result, twin.constraints), expected, 100.0)


@pytest.mark.parametrize("build", BUILT)
def test_a_motion_that_is_looked_at_late_is_followed_from_its_beginning(build):
    model, k, r = motion(build)
    late = model.inverse_dynamics(times=k.times[COUNT // 2 :])
    np.testing.assert_allclose(late.q, r.q[COUNT // 2 :], atol=1e-9)
    np.testing.assert_allclose(late.dynamics.multipliers, r.dynamics.multipliers[COUNT // 2 :], rtol=1e-6, atol=1e-6)
    assert [s.name for s in late.events] == [s.name for s in r.events]


@pytest.mark.parametrize("build", BUILT)
def test_phases_of_efforts_are_stored(build, tmp_path):
    _, _, r = motion(build)
    again = tm.load_result(r.save(tmp_path / "efforts.trammel"))
    np.testing.assert_array_equal(again.dynamics.multipliers, r.dynamics.multipliers)
    assert [(s.first, s.last, s.rows) for s in again._segments] == [(s.first, s.last, s.rows) for s in r._segments]


def test_actuators_take_the_place_of_drivers_in_every_phase():
    model, k, r = motion(relay)
    efforts = model.inverse_dynamics(times=k.times, actuators={"x": "arm.phi"}).effort("x")
    np.testing.assert_allclose(efforts, r.effort("slow") + r.effort("fast"), atol=1e-10)


def falling(condition):
    m = tm.PlanarModel("falling")
    m.body("ball", mass=1.0, inertia=1.0)
    m.constrain("roof", "ball.y")
    m.phase("hung", active=["roof"])
    m.phase("free", active=[])
    m.switch("let_go", "hung", "free", when=condition, direction=1)
    return m


@pytest.mark.parametrize(
    "verb", ["mobility", "terms", "matrices", "linearize", "equilibrium", "partition", "potential_energy"]
)
def test_a_phase_that_depends_on_a_motion_nobody_gives_is_refused(verb):
    with pytest.raises(tm.ModelError, match=rf"{verb} at t = 2 s.*'falling'"):
        getattr(falling("ball.x - 1"), verb)(time=2.0)


def test_a_phase_that_the_clock_gives_needs_no_motion():
    m = falling("t - 1")
    assert [m.mobility(time=t).dof for t in (0.0, 0.9, 1.1)] == [2, 2, 3]
    assert [m.terms(time=t).owners for t in (0.9, 1.1)] == [("roof",), ()]


def test_a_simulation_that_starts_after_a_switch_of_the_clock_is_warned_of():
    m = falling("t - 1")
    with pytest.warns(tm.RunWarning, match=r"starts in phase 'hung'.*'free' acts at t = 2 s"):
        r = m.simulate(times=[2.0, 2.5])
    assert r["ball.y"][-1] == 0.0


def test_derivatives_after_a_switch_are_refused():
    m = relay()
    m = m.copy()
    m.parameter("k", 40.0)
    m = m.copy(changes={"S": {"stiffness": "k"}})
    for options in (
        {"analysis": tm.Analysis("statics", time=1.5)},
        {"analysis": tm.Analysis("equilibrium", time=1.5)},
    ):
        with pytest.raises(tm.ModelError, match=r"'relay' is in phase 'second'.*derivatives"):
            m.gradient("S.force[end]", wrt=["k"], **options)


@pytest.mark.parametrize("verb", ["kinematics", "simulate"])
def test_a_constraint_has_its_own_target_again_in_a_phase_that_does_not_hold_it(verb):
    m = tm.PlanarModel("stop here")
    m.body("b", mass=1.0, inertia=1.0)
    m.constrain("lock", "b.x")
    m.constrain("level", "b.y")
    m.constrain("upright", "b.phi")
    m.driver("go", "b.x", "t")
    m.phase("moving", active=["go"])
    m.phase("held", active=["lock"], hold=["lock"])
    m.phase("as_drawn", active=["lock"])
    m.switch("stop", "moving", "held", when="t - 0.5", direction=1)
    m.switch("back", "held", "as_drawn", when="t - 1", direction=1)
    with pytest.raises(tm.TrammelError, match=r"'back'.*'lock'.* by 0\.5"):
        getattr(m, verb)(1.5)


@pytest.mark.parametrize("samples", [3, 4, 7])
def test_a_switch_shortly_before_a_dead_point_is_found_between_samples(samples):
    """A ladder is pushed along the floor until 10 mm before it lies flat, then drawn up the wall again: top^2 + foot^2 = 1."""
    m = tm.PlanarModel("ladder")
    m.body("rod", position=(0.25, math.sqrt(3) / 4), angle=-math.pi / 3, points={"top": (-0.5, 0), "foot": (0.5, 0)})
    m.equation("wall", "rod.top.x")
    m.equation("floor", "rod.foot.y")
    low = math.sqrt(1 - 0.99**2)
    m.driver("push", "rod.foot.x", "0.5 + t")  # flat at 0.5 s
    m.driver("pull", "rod.top.y", f"{low!r} + 0.5*(t - 0.49)")
    m.phase("down", active=["push"])
    m.phase("up", active=["pull"])
    m.switch("turn", "down", "up", when="rod.foot.x - 0.99", direction=1)
    result = m.kinematics(times=np.linspace(0.0, 1.2, samples), progress=False)
    foot = 0.5 + result.times
    down = np.sqrt(np.maximum(1 - foot**2, 0.0))
    exact = np.where(result.times < 0.49, down, low + 0.5 * (result.times - 0.49))
    np.testing.assert_allclose(result["rod.top.y"], exact, atol=1e-9)  # Newton's method converges to 1e-10
    assert [switch.time for switch in result.events] == pytest.approx([0.49], abs=1e-9)
