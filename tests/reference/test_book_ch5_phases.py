"""End-of-chapter mechanisms of Nikravesh (1988), problems 5.37 and 5.38: mechanisms whose constraints switch."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
from book_mechanisms import CRANK, FRAME, lambda_linkage
from mechanisms import (
    circles_meet,
    geneva,
    rod,
    turning,
    xy,
)

FIVE_DIGITS = 0.5e-5
EXACT = 1e-12  # closed forms: a few hundred roundings of numbers of order one to ten


# --- 5.37 Geneva wheel -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 6])
def test_problem_5_37_velocities_are_continuous_at_engagement(n: int) -> None:
    # the slot is entered along its axis
    k = geneva(n).kinematics(math.tau, samples=50)
    assert [s.velocity_jump for s in k.events] == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("samples", [2, 3, 7, 50, 601])
def test_problem_5_37_wheel_angle_does_not_depend_on_the_spacing(samples: int) -> None:
    k = geneva(4).kinematics(4 * math.tau, samples=samples)
    assert k["wheel"].phi[-1] == pytest.approx(-math.tau, abs=1e-9)


# --- 5.38 walking mechanism --------------------------------------------------------------------------------------------------------------


def foot(theta: Any) -> complex:
    """End of the coupler relative to the crank pivot, linkage upside down: coupler 1 + 1, rocker 1 from (0.785, 0)."""
    A = cmath.rect(CRANK, theta)
    return 2 * circles_meet(A, complex(FRAME), 1, 1, 1) - A


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
def walk() -> tm.results.Result:
    return walker().kinematics(2 * math.tau, samples=481)


def test_problem_5_38_walker_advances_as_its_standing_feet_say(walk: tm.results.Result) -> None:
    exact = np.array([xy(walked(t)) for t in walk.times])
    # four switches located to 1e-12
    assert walk["chassis"].position == pytest.approx(exact, abs=1e-10)


@pytest.mark.parametrize("samples", [2, 5])
def test_problem_5_38_walk_does_not_depend_on_the_spacing_of_instants(samples: int) -> None:
    k = walker().kinematics(2 * math.tau, samples=samples)
    assert k["chassis"].position[-1] == pytest.approx(xy(walked(2 * math.tau)), abs=1e-10)


def test_problem_5_38_walker_advances_one_foot_travel_per_half_turn(walk: tm.results.Result) -> None:
    # foot travel 1.52872 - 0.04128 of the lambda linkage, four half turns
    assert abs(walk["chassis"].x[-1] - walk["chassis"].x[0]) == pytest.approx(4 * (1.52872 - 0.04128), abs=4e-5)


def test_problem_5_38_chassis_stays_level_and_at_its_height(walk: tm.results.Result) -> None:
    assert walk["chassis"].phi == pytest.approx(np.zeros(len(walk)), abs=EXACT)
    assert np.ptp(walk["chassis"].y) < 0.00136  # deviation .00135 of the foot from its straight line


def test_problem_5_38_standing_feet_do_not_slip(walk: tm.results.Result) -> None:
    edges = [walk.times[0], *(s.time for s in walk.events), walk.times[-1]]
    for stance in range(len(edges) - 1):
        inside = (walk.times >= edges[stance]) & (walk.times <= edges[stance + 1])
        P = walk.point(f"foot{stance % 2 + 1}")
        assert np.ptp(P.position[inside], axis=0) == pytest.approx([0, 0], abs=EXACT)
        assert P.velocity[inside] == pytest.approx(np.zeros((inside.sum(), 2)), abs=EXACT)


def test_problem_5_38_feet_change_every_half_turn_of_the_crank(walk: tm.results.Result) -> None:
    exact = [1.5 * math.pi + n * math.pi - START for n in range(4)]
    assert [s.time for s in walk.events] == pytest.approx(exact, abs=1e-9)


def test_problem_5_38_position_is_continuous_at_the_switches(walk: tm.results.Result) -> None:
    assert max(s.gap for s in walk.events) < EXACT


def test_problem_5_38_swinging_leg_passes_above_the_standing_one(walk: tm.results.Result) -> None:
    height = walk.point("foot2").y - walk.point("foot1").y
    edges = [walk.times[0], *(s.time for s in walk.events), walk.times[-1]]
    stance = np.searchsorted(edges[1:-1], walk.times) % 2
    lift = np.where(stance == 0, height, -height)
    assert lift.min() > -0.00136  # no lower than the waviness of the straight stretch
    assert lift.max() == pytest.approx(1.95323 - 1.64329, abs=1.4e-4)  # top, y'' = -1.47, sampled every 0.026 rad
