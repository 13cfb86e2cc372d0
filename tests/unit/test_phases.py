"""Constraint sets that switch at events."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm


def latch(target=0.0, hold=True):
    """A bar driven round; a block rides on it until x reaches a limit, then stays where it is."""
    m = tm.PlanarModel("latch")
    bar = m.body("bar", angle=0.0)
    block = m.body("block", position=(1.0, 0.0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.driver("motor", bar.phi, "t")
    m.weld("carry", bar, block, at=(1.0, 0.0))
    m.constrain("stay_x", block.x, value=target)
    m.constrain("stay_y", block.y, value=target)
    m.constrain("stay_phi", block.phi, value=target)
    m.phase("carried", active=["carry"])
    stay = ["stay_x", "stay_y", "stay_phi"]
    m.phase("parked", active=stay, hold=stay if hold else ())
    m.switch("drop", "carried", "parked", when="block.x - 0.5", direction=-1)
    return m


def test_a_held_body_stays_where_the_switch_found_it():
    k = latch().kinematics(2.0, samples=201)
    (switch,) = k.events
    # cos t = 0.5 at t = pi/3
    assert switch.time == pytest.approx(math.pi / 3, abs=1e-12)
    assert (switch.leave, switch.enter) == ("carried", "parked")
    after = k.times > switch.time
    np.testing.assert_allclose(k["block"].x[after], 0.5, atol=1e-12)
    np.testing.assert_allclose(k["block"].y[after], math.sin(math.pi / 3), atol=1e-12)
    np.testing.assert_allclose(k["block"].phi[after], math.pi / 3, atol=1e-12)
    np.testing.assert_allclose(k["block"].x[~after], np.cos(k.times[~after]), atol=1e-13)
    # the block stops dead: its speed 1 m/s (and 1 rad/s) is the reported jump
    assert switch.velocity_jump == pytest.approx(1.0, abs=0.51)
    assert "drop (carried → parked)" in k.summary()


def test_a_switch_that_would_make_a_body_jump_is_refused_with_the_gap():
    with pytest.raises(tm.MobilityError, match=r"switch 'drop' at t = 1\.0472 s would make 'stay_.*jump by") as error:
        latch(hold=False).kinematics(2.0)
    assert len(error.value.partial) > 100


def test_switches_are_found_whatever_the_spacing_of_the_instants():
    for samples in (3, 10, 1000):
        k = latch().kinematics(2.0, samples=samples)
        assert k.events[0].time == pytest.approx(math.pi / 3, abs=1e-11)
        assert k["block"].x[-1] == pytest.approx(0.5, abs=1e-11)


def test_a_condition_that_passes_zero_twice_between_two_instants_is_seen():
    """The block is below x = 0.5 only between t = pi/3 and 5 pi/3; the instants 0 and 6.2 s are both outside."""
    k = latch().kinematics(times=[0.0, 6.2])
    assert len(k.events) == 1
    assert k.events[0].time == pytest.approx(math.pi / 3, abs=1e-11)
    assert k["block"].x[-1] == pytest.approx(0.5, abs=1e-11)


def test_closure_counts_only_the_constraints_that_act():
    assert latch().kinematics(2.0).constraint_violation() < 1e-12


def test_direction_of_a_switch_counts():
    m = latch().copy(without=["drop"])
    m.switch("never", "carried", "parked", when="block.x - 0.5", direction=1)
    assert m.kinematics(2.0).events == []


@pytest.mark.parametrize("kind", [tm.PlanarModel, tm.SpatialModel])
def test_a_driver_cannot_be_held_since_it_follows_its_motion(kind):
    m = kind("halted")
    m.body("b")
    m.driver("motor", "b.x", "t")
    with pytest.raises(
        tm.ModelError, match=r"phase 'rest' cannot hold 'motor': a driver follows its motion.*constrain\(\)"
    ):
        m.phase("rest", active=["motor"], hold=["motor"])


def test_a_pin_is_caught_where_it_is_on_its_slot():
    """Off its slot, an arm carries the pin around for two turns and more; the slot takes over where the pin is then."""
    m = tm.PlanarModel("turns by turns", gravity=(0, 0))
    m.body("bead", position=(1, 0), velocity=(0, 1), mass=1.0, inertia=0.1)
    m.body("arm", mass=1.0, inertia=0.5, omega=1.0)
    m.slot("S", "ground", m["bead"].at(0, 0), curve=tm.curves.circle(1.0))
    m.revolute("A", "ground", "arm", at=(0, 0))
    m.revolute("P", "arm", "bead", at=(1, 0))
    m.phase("slot", active=["S", "A"])
    m.phase("carried", active=["P", "A"])
    m.switch("off", "slot", "carried", when="t - 1", direction=1)
    m.switch("on", "carried", "slot", when="t - 15", direction=1)
    r = m.simulate(17.0, samples=18)
    assert r["bead.x"] == pytest.approx(np.cos(r.times), abs=1e-6)
    assert r["bead.y"] == pytest.approx(np.sin(r.times), abs=1e-6)
    assert np.exp(1j * r["S.parameter"][-2:]) == pytest.approx(np.exp(1j * r.times[-2:]), abs=1e-6)


def test_a_point_is_caught_where_it_is_on_its_rail_in_space():
    """Nothing pulls: it goes on along the straight rail, held by it or not."""
    m = tm.SpatialModel("rail", gravity=(0, 0, 0))
    m.body("bead", position=(0, 0, 0), velocity=(1, 2, 2), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.point_on_curve(
        "S", "ground", m["bead"].at(0, 0, 0), curve=tm.curves.space_analytic("u", "2*u", "2*u", start=-1.0, end=5.0)
    )
    m.phase("on", active=["S"])
    m.phase("off", active=[])
    m.switch("leave", "on", "off", when="t - 0.5", direction=1)
    m.switch("catch", "off", "on", when="t - 2", direction=1)
    r = m.simulate(3.0, samples=4)
    assert r["bead.z"] == pytest.approx(2.0 * r.times, abs=1e-8)
    assert r["S.u"][-1] == pytest.approx(3.0, abs=1e-8)
