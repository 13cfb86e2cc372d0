"""The spatial examples show what their descriptions claim."""

import math

import numpy as np
import pytest

from pytrammel.examples import find, spinning_top


def test_the_coupler_of_the_rssr_keeps_its_length_and_the_motor_feeds_the_energy():
    result = find("rssr").run()
    length = np.linalg.norm(result.reaction("C").point - result.reaction("B").point, axis=1)
    assert length == pytest.approx(np.full(len(result), math.dist((0, 0, 0.15), (0.2, 0.1, 0.12))), abs=1e-12)
    assert np.ptp(result["A"].angle) == pytest.approx(2 * math.pi)
    # the torque of the motor is all that changes the energy: its work over a turn is zero
    energy = result.energy.kinetic + result.energy.gravity
    power = result.effort("motor") * 4 * math.pi
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(result.times))])
    # trapezoids of 2 ms: error T h² max|P''| / 12, with P'' about P (8 pi)² at the second harmonic
    bound = 0.5 * result.times[1] ** 2 * np.abs(power).max() * (16 * math.pi) ** 2 / 12
    assert energy - energy[0] == pytest.approx(work, abs=bound)
    assert result.reaction("B").magnitude.max() > 0


def test_the_universal_joint_has_its_uneven_ratio_and_its_torque():
    result = find("universal_joint").run()
    b, a = math.radians(30), result["bearing"].angle
    # the driving arm of the cross stands across the plane of the shafts when the driving angle is a quarter turn
    ratio = math.cos(b) / (1 - (math.sin(b) * np.cos(a)) ** 2)
    assert result["driven"].wx == pytest.approx(2 * math.pi * ratio, rel=1e-10)
    # power in = power out + what the driven shaft's inertia takes
    body = result.model["driven"]
    axial = body.inertia[0][0]
    stored = axial * result["driven"].wx * result["driven"].alpha_x
    assert result.effort("motor") * 2 * math.pi == pytest.approx(
        20.0 * result["driven"].wx + stored, rel=1e-9, abs=1e-9
    )


def test_the_bennett_linkage_turns_although_it_should_not():
    result = find("bennett").run()
    assert np.ptp(result["A"].angle) == pytest.approx(2 * math.pi)
    # opposite hinges turn alike
    assert result["C"].angle == pytest.approx(result["A"].angle, abs=1e-9)
    assert result["D"].angle == pytest.approx(result["B"].angle, abs=1e-9)
    assert result.redundant


def test_the_bricard_linkage_follows_its_closed_form():
    result = find("bricard").run()
    for k in range(1, 6):
        a, b = np.sin(result[f"J{k}"].angle), np.sin(result[f"J{k + 1}"].angle)
        assert a + b + a * b == pytest.approx(np.zeros(len(result)), abs=1e-9)
    assert np.ptp(result["J1"].angle) > math.radians(199)


def test_the_legs_carry_the_stewart_platform():
    result = find("stewart_platform").run()
    body = result["platform"]
    assert body.z == pytest.approx(0.9 + 0.1 * np.sin(4 * math.pi * result.times), abs=1e-12)
    # Newton for the platform: the heads carry its weight and accelerate its centre of mass, 60 mm above its origin
    arm = body.matrix @ np.array([0.0, 0.0, 0.06])
    up = body.acceleration + np.cross(body.alpha, arm) + np.cross(body.omega, np.cross(body.omega, arm))
    carried = sum(result.reaction(f"head{k}").force for k in range(1, 7))
    mass = result.model["platform"].mass
    assert carried == pytest.approx(mass * (up + [0.0, 0.0, 9.81]), rel=1e-9, abs=1e-6)


def test_the_top_precesses_steadily():
    result = find("spinning_top").run()
    tip = result.point("tip")
    assert tip.z == pytest.approx(np.full(len(result), 0.1 * math.cos(spinning_top.LEAN)), rel=1e-6)
    azimuth = np.unwrap(np.arctan2(tip.y, tip.x))
    rate = spinning_top.precession(result.model["top"])
    assert azimuth - azimuth[0] == pytest.approx(rate * result.times, abs=1e-5)


def test_the_t_handle_flips_and_keeps_momentum_and_energy():
    result = find("dzhanibekov").run()
    moments = np.linalg.eigvalsh(np.array(result.model["handle"].inertia))
    assert moments[1] == pytest.approx(result.model["handle"].inertia[0][0])  # x is the middle axis
    turns = np.sign(result["handle"].wx[np.abs(result["handle"].wx) > 6])
    assert np.count_nonzero(np.diff(turns)) >= 2
    momentum = result.angular_momentum
    assert momentum == pytest.approx(np.tile(momentum[0], (len(result), 1)), rel=1e-6, abs=1e-9)
    assert result.energy.kinetic == pytest.approx(np.full(len(result), result.energy.kinetic[0]), rel=1e-7)


def test_the_robot_draws_its_ellipse_and_its_motors_do_the_work():
    result = find("robot_arm").run()
    tip = result.point("tip")
    assert ((tip.x - 0.55) / 0.2) ** 2 + (tip.y / 0.2) ** 2 == pytest.approx(np.ones(len(result)), abs=1e-9)
    assert tip.z == pytest.approx(0.6 - 0.75 * tip.y, abs=1e-9)
    power = sum(result.effort(f"{j}_motor") * result[j].angle_rate for j in ("waist", "shoulder", "elbow"))
    energy = result.energy.kinetic + result.energy.gravity
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(result.times))])
    assert work == pytest.approx(energy - energy[0], abs=0.01 * np.ptp(energy))


def test_the_coin_never_slips_and_loses_nothing():
    result = find("rolling_coin").run()
    coin = result["coin"]
    axis = coin.matrix[:, :, 2]
    down = np.array([0.0, 0.0, -1.0]) - (axis @ [0.0, 0.0, -1.0])[:, None] * axis
    contact = 0.012 * down / np.linalg.norm(down, axis=1)[:, None]
    assert coin.position[:, 2] + contact[:, 2] == pytest.approx(np.zeros(len(result)), abs=1e-12)
    slip = coin.velocity + np.cross(coin.omega, contact)
    assert np.abs(slip).max() < 1e-9
    assert result.energy.total == pytest.approx(np.full(len(result), result.energy.total[0]), rel=1e-8)


def test_the_suspension_comes_to_rest_on_the_kerb():
    result = find("suspension").run()
    # kerb 40 mm higher, tyre squeezed by the weight of everything: 393 kg on 200 kN/m
    weight = sum(body.mass for body in list(result.model.bodies.values())[1:]) * 9.81
    before, after = result.times < 0.45, result.times > 2.9
    assert result.point("hub").z[after].mean() == pytest.approx(0.3 + 0.018 + 0.04 - weight / 2e5, abs=2e-4)
    assert np.ptp(result["car"].z[after]) < 1e-3
    assert np.ptp(result.point("hub").z[~before]) > 0.03
    assert np.abs(result.energy.balance).max() < 1e-5 * np.abs(result.energy.total).max()


def test_the_chain_keeps_its_energy_and_cannot_twist():
    result = find("universal_chain").run()
    assert np.ptp(result.energy.total) < 1e-6 * np.ptp(result.energy.kinetic)
    assert np.abs(result.point("end").position[:, 1]).max() > 0.1
    for k in range(2, 7):
        # the arms of each cross stay perpendicular
        first, second = result.reaction(f"J{k}", on=f"link{k - 1}").axes, result.reaction(f"J{k}").axes
        assert np.einsum("ni,ni->n", first[:, :, 2], second[:, :, 2]) == pytest.approx(np.zeros(len(result)), abs=1e-10)
