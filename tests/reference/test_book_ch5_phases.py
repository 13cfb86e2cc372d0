"""End-of-chapter mechanisms of Nikravesh (1988), problems 5.37 and 5.38: mechanisms whose constraints switch."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import pytest

import trammel as tm
from mechanisms import (
    circles_meet,
    geneva,
    pinned,
    rod,
    turned,
    turning,
    xy,
)

FIVE_DIGITS = 0.5e-5
SIX_DIGITS = 0.5e-6
DEGREES = 0.5e-4  # angles printed with four decimals [deg]
EXACT = 1e-12  # closed forms: a few hundred roundings of numbers of order one to ten


# --- 5.37 Geneva wheel -----------------------------------------------------------------------------------------------------------------

GENEVA = {  # slots: largest speed ratio, acceleration at engagement, largest acceleration, crank angle of it [deg]
    4: (2.414214, 1.0, 5.406981, 11.466),
    6: (1.0, 0.577350, 1.349637, 22.9),
}


def geneva_exact(n: int, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wheel angle from the line of centres, speed and acceleration at unit crank speed (wheel counted against the crank)."""
    m = 1 / math.sin(math.pi / n)
    below = 1 + m**2 - 2 * m * np.cos(phi)
    return (
        np.arctan2(np.sin(phi), m - np.cos(phi)),
        (m * np.cos(phi) - 1) / below,
        m * (1 - m**2) * np.sin(phi) / below**2,
    )


@pytest.mark.parametrize("n", GENEVA)
def test_problem_5_37_wheel_follows_the_formulas_for_three_turns(n: int) -> None:
    beta = math.pi / n
    limit = math.pi / 2 - beta
    k = geneva(n).kinematics(3 * math.tau, samples=3 * 191 + 1)  # a prime per turn: no instant is a switch
    phi = turned(math.pi + k.times)  # crank angle from the line of centres
    psi, rate, second = geneva_exact(n, phi)
    engaged = np.abs(phi) < limit
    # the crank starts opposite the wheel: a slot pitch is done in each turn once it has passed
    done = 2 * beta * (np.floor(k.times / math.tau) + np.where(k.times % math.tau > math.pi, 1, 0))
    expected = -np.where(engaged, 2 * beta * np.floor(k.times / math.tau) + psi + beta, done)
    wheel = k["wheel"]
    # three turns of switches located to 1e-12 and position, speed and acceleration solved to rounding
    assert wheel.phi == pytest.approx(expected, abs=1e-9)
    assert wheel.omega == pytest.approx(np.where(engaged, -rate, 0.0), abs=1e-9)
    assert wheel.alpha == pytest.approx(np.where(engaged, -second, 0.0), abs=1e-9)


@pytest.mark.parametrize("n", GENEVA)
def test_problem_5_37_switch_times_are_exact(n: int) -> None:
    limit = math.pi / 2 - math.pi / n
    k = geneva(n).kinematics(3 * math.tau, samples=50)
    exact = [math.tau * turn + math.pi + s * limit for turn in range(3) for s in (-1, 1)]
    assert [s.time for s in k.switches] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("n", GENEVA)
def test_problem_5_37_acceleration_jumps_at_engagement(n: int) -> None:
    # velocities are continuous since the slot is entered along its axis
    k = geneva(n).kinematics(math.tau, samples=50)
    assert [s.acceleration_jump for s in k.switches] == pytest.approx([GENEVA[n][1]] * 2, abs=SIX_DIGITS)
    assert [s.velocity_jump for s in k.switches] == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("n", GENEVA)
def test_problem_5_37_extreme_speed_and_acceleration(n: int) -> None:
    speed, _, acceleration, where = GENEVA[n]
    k = geneva(n).kinematics(times=[0.0, math.pi - math.radians(where), math.pi])
    assert abs(k["wheel"].omega[2]) == pytest.approx(speed, abs=SIX_DIGITS)
    # the place of the extreme is printed to 0.1 deg at worst, which moves the value by 4e-6
    assert abs(k["wheel"].alpha[1]) == pytest.approx(acceleration, abs=5e-6)


@pytest.mark.parametrize("samples", [2, 3, 7, 50, 601])
def test_problem_5_37_wheel_angle_does_not_depend_on_the_spacing(samples: int) -> None:
    k = geneva(4).kinematics(4 * math.tau, samples=samples)
    assert k["wheel"].phi[-1] == pytest.approx(-math.tau, abs=1e-9)


# --- 5.38 walking mechanism --------------------------------------------------------------------------------------------------------------

CRANK, FRAME = 0.355, 0.785


def foot(theta: Any) -> complex:
    """End of the coupler relative to the crank pivot, linkage upside down: coupler 1 + 1, rocker 1 from (0.785, 0)."""
    A = cmath.rect(CRANK, theta)
    return 2 * circles_meet(A, complex(FRAME), 1, 1, 1) - A


def lambda_linkage() -> tm.PlanarModel:
    theta = math.pi / 2
    A = cmath.rect(CRANK, theta)
    B = circles_meet(A, complex(FRAME), 1, 1, -1)
    m = tm.PlanarModel("lambda linkage")
    pinned(
        m,
        {"O": 0j, "A": A, "B": B, "C": complex(FRAME), "D": 2 * B - A},
        "OA AD CB",
        "O:ground,OA A:OA,AD B:AD,CB C:ground,CB",
    )
    m.point("foot", "AD", local=(1.0, 0.0))
    m.driver("motor", "OA.phi", turning(theta))
    return m


def test_problem_5_38_foot_moves_straight_for_half_a_turn() -> None:
    k = lambda_linkage().kinematics(math.pi, samples=3601)
    P = k.point("foot").position
    # flat extremes sampled every 9e-4 rad
    assert (P[:, 1].min(), P[:, 1].max()) == pytest.approx((-1.644644, -1.643289), abs=SIX_DIGITS + 1e-6)
    assert (P[0, 0], P[-1, 0]) == pytest.approx((0.04128, 1.52872), abs=FIVE_DIGITS)


def test_problem_5_38_foot_is_lowest_with_the_crank_towards_the_rocker() -> None:
    k = lambda_linkage().kinematics(times=[0.0, 1.5 * math.pi])
    assert k.point("foot").y[1] == pytest.approx(-1.95323, abs=FIVE_DIGITS)


START = math.radians(100)


def walker() -> tm.PlanarModel:
    """Chassis that stays level, one crank with two pins half a turn apart, and a lambda linkage on each.

    A Pi-shaped leg hangs from the end of each coupler and only translates, so a standing leg is a coupler end at rest.
    """
    m = tm.PlanarModel("walker")
    m.body("chassis")
    m.body("crank", angle=START)
    m.constrain("level", "chassis.phi")
    m.revolute("O", "chassis", "crank", at=(0, 0))
    for leg, theta in (("1", START), ("2", START + math.pi)):
        A = cmath.rect(CRANK, theta)
        B = circles_meet(A, complex(FRAME), 1, 1, 1)
        rod(m, f"leg{leg}", A, 2 * B - A)
        rod(m, f"rocker{leg}", complex(FRAME), B)
        m.revolute(f"A{leg}", "crank", f"leg{leg}", at=xy(A))
        m.revolute(f"B{leg}", f"leg{leg}", f"rocker{leg}", at=xy(B))
        m.revolute(f"C{leg}", "chassis", f"rocker{leg}", at=(FRAME, 0))
        m.point(f"foot{leg}", f"leg{leg}", local=(1.0, 0.0))
        for axis in "xy":
            m.constrain(f"stands{leg}{axis}", f"foot{leg}.{axis}")
    m.driver("motor", "O.angle", turning(START))
    for leg in "12":
        m.phase(f"stance{leg}", active=[f"stands{leg}x", f"stands{leg}y"], hold=[f"stands{leg}x", f"stands{leg}y"])
    # leg 1 carries while its crank pin points away from the rocker, leg 2 half a turn later
    m.switch("one_to_two", "stance1", "stance2", when="cos(O.angle)", direction=1)
    m.switch("two_to_one", "stance2", "stance1", when="cos(O.angle)", direction=-1)
    return m


def walked(t: float) -> complex:
    """Chassis position: in each stance it moves against its standing foot, and stances follow without a gap."""
    theta, end = START, START + t
    position, leg = 0j, 0
    while True:
        stop = min(end, 1.5 * math.pi + leg * math.pi)
        position -= foot(stop + leg * math.pi) - foot(theta + leg * math.pi)
        if stop == end:
            return position
        theta, leg = stop, leg + 1


@pytest.fixture(scope="module")
def walk() -> tm.Result:
    return walker().kinematics(2 * math.tau, samples=481)


def test_problem_5_38_walker_advances_as_its_standing_feet_say(walk: tm.Result) -> None:
    exact = np.array([xy(walked(t)) for t in walk.times])
    # four switches located to 1e-12
    assert walk["chassis"].position == pytest.approx(exact, abs=1e-10)


@pytest.mark.parametrize("samples", [2, 5])
def test_problem_5_38_walk_does_not_depend_on_the_spacing_of_instants(samples: int) -> None:
    k = walker().kinematics(2 * math.tau, samples=samples)
    assert k["chassis"].position[-1] == pytest.approx(xy(walked(2 * math.tau)), abs=1e-10)


def test_problem_5_38_walker_advances_one_foot_travel_per_half_turn(walk: tm.Result) -> None:
    # foot travel 1.52872 - 0.04128 of the lambda linkage, four half turns
    assert abs(walk["chassis"].x[-1] - walk["chassis"].x[0]) == pytest.approx(4 * (1.52872 - 0.04128), abs=4e-5)


def test_problem_5_38_chassis_stays_level_and_at_its_height(walk: tm.Result) -> None:
    assert walk["chassis"].phi == pytest.approx(np.zeros(len(walk)), abs=EXACT)
    assert np.ptp(walk["chassis"].y) < 0.00136  # deviation .00135 of the foot from its straight line


def test_problem_5_38_standing_feet_do_not_slip(walk: tm.Result) -> None:
    edges = [walk.times[0], *(s.time for s in walk.switches), walk.times[-1]]
    for stance in range(len(edges) - 1):
        inside = (walk.times >= edges[stance]) & (walk.times <= edges[stance + 1])
        P = walk.point(f"foot{stance % 2 + 1}")
        assert np.ptp(P.position[inside], axis=0) == pytest.approx([0, 0], abs=EXACT)
        assert P.velocity[inside] == pytest.approx(np.zeros((inside.sum(), 2)), abs=EXACT)


def test_problem_5_38_feet_change_every_half_turn_of_the_crank(walk: tm.Result) -> None:
    exact = [1.5 * math.pi + n * math.pi - START for n in range(4)]
    assert [s.time for s in walk.switches] == pytest.approx(exact, abs=1e-9)


def test_problem_5_38_position_is_continuous_at_the_switches(walk: tm.Result) -> None:
    assert max(s.gap for s in walk.switches) < EXACT


def test_problem_5_38_swinging_leg_passes_above_the_standing_one(walk: tm.Result) -> None:
    height = walk.point("foot2").y - walk.point("foot1").y
    edges = [walk.times[0], *(s.time for s in walk.switches), walk.times[-1]]
    stance = np.searchsorted(edges[1:-1], walk.times) % 2
    lift = np.where(stance == 0, height, -height)
    assert lift.min() > -0.00136  # no lower than the waviness of the straight stretch
    assert lift.max() == pytest.approx(1.95323 - 1.64329, abs=1.4e-4)  # top, y'' = -1.47, sampled every 0.026 rad
