"""Friction in joints, and sticking, against closed forms and conservation laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

G = 9.81
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


# --- friction in joints -----------------------------------------------------------------------------------------------


def test_pin_friction_spins_a_disc_down():
    """Pin load m g, torque mu r m g: w = w0 - mu r m g t / J, then it stands."""
    mass, J, mu, r_pin, w0 = 5.0, 0.1, 0.15, 0.02, 10.0
    m = tm.PlanarModel("disc")
    m.body("disc", mass=mass, inertia=J, omega=w0)
    m.revolute("A", "ground", "disc", at=(0, 0))
    m.joint_friction("f", "A", friction=mu, radius=r_pin)
    rate = mu * r_pin * mass * G / J
    stop = w0 / rate
    r = m.simulate(times=[0.0, 0.5 * stop, 0.99 * stop, 1.2 * stop])
    np.testing.assert_allclose(r["disc"].omega[:3], w0 - rate * r.times[:3], atol=1e-6)
    assert abs(r["disc"].omega[3]) < 1e-3  # the stick rate
    assert r.reaction("A").magnitude == pytest.approx(mass * G, rel=1e-9)


def test_pin_friction_of_a_pendulum_takes_mu_r_times_the_reaction():
    """Energy lost = integral of mu r R |w|; the reaction comes from the result itself."""
    mu, r_pin = 0.2, 0.05
    m = tm.PlanarModel("pendulum")
    m.body("p", position=(0.5, 0.0), mass=2.0, inertia=2.0 / 12.0)
    m.revolute("A", "ground", "p", at=(0, 0))
    m.joint_friction("f", "A", friction=mu, radius=r_pin)
    r = m.simulate(0.4, samples=4001, **TIGHT)
    power = mu * r_pin * r.reaction("A").magnitude * np.abs(r["p"].omega) * np.tanh(np.abs(r["p"].omega) / 1e-3)
    lost = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(r.times))])
    np.testing.assert_allclose(r.energy.dissipated, lost, atol=1e-5)  # trapezoidal rule with 4000 pieces
    np.testing.assert_allclose(r.energy.total[0] - r.energy.total, r.energy.dissipated, atol=1e-8)


def test_slide_friction_decelerates_with_mu_g():
    m = tm.PlanarModel("slide")
    m.body("b", velocity=(2.0, 0.0), mass=3.0, inertia=0.1)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.joint_friction("f", "T", friction=0.25)
    r = m.simulate(times=[0.0, 0.4, 0.8, 1.2])
    np.testing.assert_allclose(r["b"].vx[:3], 2.0 - 0.25 * G * r.times[:3], atol=1e-6)
    assert abs(r["b"].vx[3]) < 1e-3


def test_viscous_joint_friction_decays_exponentially():
    m = tm.PlanarModel("viscous")
    m.body("disc", mass=1.0, inertia=0.2, omega=5.0)
    m.revolute("A", "ground", "disc", at=(0, 0))
    m.joint_friction("f", "A", viscous=0.4)
    r = m.simulate(1.0, samples=11, **TIGHT)
    np.testing.assert_allclose(r["disc"].omega, 5.0 * np.exp(-2.0 * r.times), rtol=1e-8)


# --- sticking ---------------------------------------------------------------------------------------------------------


def belt(mu_s, mu_d, *, V=0.1, k=50.0, normal=10.0, bristle=None):
    """Mass of 1 kg on a slack spring, on a belt that runs with V and carries it along."""
    m = tm.PlanarModel("belt", gravity=(0.0, 0.0))
    m.body("belt", mass=1.0, inertia=1.0, velocity=(V, 0.0))
    m.prismatic("G1", "ground", "belt", at=(0, 0), axis=(1, 0))
    m.driver("run", "belt.x", f"{V}*t")
    m.body("b", position=(1.0, 0.0), mass=1.0, inertia=1.0, velocity=(V, 0.0))
    m.prismatic("G2", "ground", "b", at=(1.0, 0), axis=(1, 0))
    m.spring("s", m.ground.at(0.0, 0.0), "b", stiffness=k, free_length=1.0)
    slip = m.difference("belt", "b", (1.0, 0.0))
    m.stick_slip("f", slip, normal=normal, friction=(mu_s, mu_d), bristle_stiffness=bristle)
    return m


def test_mass_on_a_belt_with_one_coefficient_sticks_once_and_then_swings():
    """Stuck until k x = mu N; then x = mu N / k + V / w sin(w t), which only touches the belt's speed again."""
    V, k, mu, N = 0.1, 50.0, 0.3, 10.0
    w, x1 = math.sqrt(k), mu * N / k
    t1 = x1 / V
    r = belt(mu, mu).simulate(t1 + 0.8 * 2 * math.pi / w, samples=101)
    x = r["b"].x - 1.0
    t = r.times
    expected = np.where(t < t1, V * t, x1 + V / w * np.sin(w * (t - t1)))
    # below 1e-4 m/s, a tenth of the stick speed, sliding friction fades: that delays the break-away by less than a millisecond
    np.testing.assert_allclose(x, expected, atol=1e-4)


def test_stick_and_slip_take_turns_with_the_closed_form_durations():
    """Slip: (2 pi - 2 atan(d w / V)) / w with d = (mu_s - mu_d) N / k; stick: 2 d / V."""
    V, k, mu_s, mu_d, N = 0.1, 50.0, 0.4, 0.3, 10.0
    w, d = math.sqrt(k), (mu_s - mu_d) * N / k
    slip = (2.0 * math.pi - 2.0 * math.atan(d * w / V)) / w
    stick = 2.0 * d / V
    first = mu_s * N / k / V  # the mass starts with a slack spring
    # breaking away is unstable: errors grow there, so that steps are to be more careful than by default
    r = belt(mu_s, mu_d, bristle=4e6).simulate(first + 2.0 * (slip + stick), samples=2001, rtol=1e-9, atol=1e-11)
    v, t = r["b"].vx, r.times
    stuck = np.abs(v - V) < 0.05 * V
    ends = t[1:][stuck[:-1] & ~stuck[1:]]  # leaves the belt
    begins = t[1:][~stuck[:-1] & stuck[1:]]  # is caught again
    # once the load equals the static friction, it must still speed the mass up to the stick speed before friction falls:
    # k V t^2 / 2m = 1e-3 gives 20 ms per cycle, which lengthen the stick; being 5 % off the belt's speed takes 5 ms more
    delay = math.sqrt(2.0 * 1e-3 / (k * V))
    assert ends[0] == pytest.approx(first, abs=delay)
    assert begins[0] - ends[0] == pytest.approx(slip, abs=delay)
    assert ends[1] - begins[0] == pytest.approx(stick, abs=delay + 0.005)
    assert ends[1] - ends[0] == pytest.approx(slip + stick, abs=delay)
    # turning points of the slip: x = mu_d N / k ± A, A^2 = d^2 + (V/w)^2
    x = r["b"].x - 1.0
    A = math.hypot(d, V / w)
    assert x[t > first].max() == pytest.approx(mu_d * N / k + A, abs=1e-3)
    assert x[t > first].min() == pytest.approx(mu_d * N / k - A, abs=1e-3)


def test_block_sticks_on_an_incline_below_the_friction_angle():
    """It moves by the bend of its bristle, m g sin / sigma0, swings about it, and no further."""
    angle, mass, mu = tm.deg(15), 2.0, 0.4  # tan 15° = 0.27
    m = tm.PlanarModel("stuck", gravity=(G * math.sin(angle), -G * math.cos(angle)))
    m.body("b", mass=mass, inertia=1.0)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.stick_slip(
        "f", "T.distance", normal="T.reaction", friction=(mu, mu), bristle_stiffness=1e5, bristle_damping=500.0
    )
    r = m.simulate(2.0, samples=201)
    bend = mass * G * math.sin(angle) / 1e5
    assert r["b"].x.max() < 2.0 * bend
    # at rest the bristle carries the load exactly and the block does not creep
    assert abs(r["b"].x[-1] - bend) < 1e-6 * bend
    assert r.force("f.force")[-1] == pytest.approx(-mass * G * math.sin(angle), rel=1e-4)


def test_block_slides_above_the_friction_angle():
    """a = g (sin - mu cos) with the reaction of the slide as normal force."""
    angle, mu = tm.deg(30), 0.3
    m = tm.PlanarModel("slides", gravity=(G * math.sin(angle), -G * math.cos(angle)))
    m.body("b", mass=2.0, inertia=1.0)
    m.prismatic("T", "ground", "b", at=(0, 0), axis=(1, 0))
    m.stick_slip("f", "T.distance", normal="T.reaction", friction=(mu, mu))
    r = m.simulate(0.5, samples=6)
    a = G * (math.sin(angle) - mu * math.cos(angle))
    np.testing.assert_allclose(np.diff(r["b"].vx[1:]), a * 0.1, rtol=1e-4)
    np.testing.assert_allclose(r.force("f.force")[1:], -mu * 2.0 * G * math.cos(angle), rtol=1e-4)
