"""Structures, static balance, inverse dynamics and equilibria against the book's cases and closed forms.

Numbers marked [D] come from the digest of Nikravesh chapters 9-10, which recomputed them independently of this code.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from static_models import MOTORS, bar, four_bar, robot

# --- structures -----------------------------------------------------------------------------------------------------


def test_a_redundant_structure_shares_its_load_with_the_smallest_sum_of_squares():
    """A beam on three equal vertical supports: statics alone does not tell, the least-squares answer is by symmetry."""
    m = tm.PlanarModel("beam")
    beam = m.body("beam", mass=3.0, inertia=1.0)
    m.constrain("side", beam.x)
    for name, x in (("a", -1.0), ("b", 0.0), ("c", 1.0)):
        m.constrain(name, beam.at(x, 0.0).y)
    s = m.statics()
    assert s.redundant == ("c",)
    for name in "abc":
        assert s.effort(name)[0] == pytest.approx(9.81, abs=1e-10)  # 3 kg over three supports


def test_what_can_move_is_refused_with_the_missing_degrees_of_freedom():
    m = tm.PlanarModel("pendulum")
    b = m.body("b", position=(0.5, 0.0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, b, at=(0, 0))
    with pytest.raises(tm.MobilityError, match="cannot be held: nobody acts along 1 degree of freedom"):
        m.statics()


# --- inverse dynamics -----------------------------------------------------------------------------------------------


def test_driver_efforts_of_the_robot_are_forces_on_the_hand_not_torques():
    s = robot().inverse_dynamics(times=[0.0])
    assert abs(s.effort("along_y")[0] - 44.92277) > 1.0
    # power is the same whoever gives it
    motors = robot().inverse_dynamics(times=[0.0], actuators=MOTORS)
    by_drivers = s.effort("along_x")[0] * -0.3 + s.effort("along_y")[0] * 0.4
    rates = [motors[j].angle_rate[0] for j in "ABC"]
    by_motors = sum(motors.effort(k)[0] * w for k, w in zip(MOTORS, rates, strict=True))
    assert by_drivers == pytest.approx(by_motors, abs=1e-10)


def test_more_actuators_than_needed_share_with_the_smallest_sum_of_squares():
    """Two equal motors on the same joint each do half."""
    m = robot()
    s = m.inverse_dynamics(times=[0.0, 0.5], actuators={**MOTORS, "helper": "A.angle"})
    np.testing.assert_allclose(s.effort("shoulder"), s.effort("helper"), rtol=1e-9)
    np.testing.assert_allclose(s.effort("shoulder") + s.effort("helper"), [44.92277, 32.146795], atol=5e-6)


def test_too_few_actuators_are_refused():
    with pytest.raises(
        tm.MobilityError, match=r"nobody acts along 1 degree of freedom \(acting: 'elbow', 'shoulder'\)"
    ):
        robot().inverse_dynamics(times=[0.0], actuators={k: MOTORS[k] for k in ("shoulder", "elbow")})


def test_actuators_in_a_singular_position_are_refused():
    """A slider cannot be pushed along its crank's dead centre: the crank needs a torque there that the slider cannot give."""
    m = tm.PlanarModel("dead centre")
    crank, rod = bar(m, "crank", (0, 0), (1, 0), 1.0), bar(m, "rod", (1, 0), (3, 0), 1.0)
    slider = m.body("slider", position=(3, 0), mass=1.0, inertia=0.1)
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(1, 0))
    m.revolute("B", rod, slider, at=(3, 0))
    m.prismatic("T", m.ground, slider, at=(3, 0), axis=(1, 0))
    m.driver("motor", crank.phi, 0.0)
    with pytest.raises(tm.MobilityError, match="cannot"):
        m.statics(actuators={"piston": "T.distance"})


def test_forward_and_inverse_dynamics_invert_each_other():
    """Drive a linkage, take the torque as a table of time, and let it move the free linkage: the same motion comes back."""
    driven = four_bar().copy(without=["motor"])
    driven.driver("motor", "b2.phi", "pi/3 + 0.5*t^2")
    times = np.linspace(0.0, 1.0, 401)
    inverse = driven.inverse_dynamics(times=times)
    free = driven.assemble().model().copy(without=["motor"])
    free.motor(
        "torque",
        first=free.ground,
        second="b2",
        torque=tm.functions.spline(times, inverse.effort("motor"), name="torque"),
    )
    forward = free.simulate(times=times[::50], rtol=1e-10)
    # a cubic spline through 401 torques is good to (1/400)^4 of their fourth derivative
    np.testing.assert_allclose(forward["b2"].phi, math.pi / 3 + 0.5 * times[::50] ** 2, atol=1e-7)


# --- equilibrium ----------------------------------------------------------------------------------------------------


def test_a_pendulum_hangs_down():
    m = tm.PlanarModel("pendulum")
    b = bar(m, "b", (0, 0), (1, 0), 1.0)
    m.revolute("A", m.ground, b, at=(0, 0))
    found = m.equilibrium()
    assert found.stable
    assert math.cos(found.pose("b")[2] + math.pi / 2) == pytest.approx(1.0, abs=1e-12)
    # [D] section 3.4: small period 1.6379466 s of a uniform rod of 1 m
    assert 2 * math.pi / found.frequencies[0] == pytest.approx(1.6379466, abs=5e-7)


def test_a_cart_on_springs_is_stable_and_free_to_roll():
    """Mass on two vertical springs that ride on a rail: it bounces at sqrt(2 k / m) and may stand anywhere along the rail."""
    m = tm.PlanarModel("cart")
    rail = m.body("rail", mass=1.0, inertia=1.0)
    cart = m.body("cart", position=(0.0, 0.5), mass=4.0, inertia=1.0)
    m.prismatic("along", m.ground, rail, at=(0, 0), axis=(1, 0))
    m.prismatic("up", rail, cart, at=(0, 0.5), axis=(0, 1))
    for x in (-0.5, 0.5):
        m.spring(f"s{'lr'[x > 0]}", rail.at(x, 0), cart.at(x, 0), stiffness=200.0, free_length=0.5)
    found = m.equilibrium()
    assert found.stable and found.neutral == 1
    assert found.pose("cart")[1] == pytest.approx(0.5 - 4.0 * 9.81 / 400.0, abs=1e-12)
    np.testing.assert_allclose(found.frequencies, [0.0, 10.0], atol=1e-6)  # differences of step 1e-5
    assert "neutral in 1 direction" in str(found)


def test_nothing_to_hold_it_is_reported():
    m = tm.PlanarModel("falling")
    m.body("stone", mass=1.0, inertia=0.1)
    with pytest.raises(tm.ConvergenceError, match="no equilibrium of model 'falling'"):
        m.equilibrium()
