"""End-of-chapter mechanisms of Nikravesh (1988), chapter 5: numbers of the digest, closed forms and stated properties."""

from __future__ import annotations

import cmath
import math
from typing import Any

import mpmath
import numpy as np
import pytest

import pytrammel as tm
from mechanisms import (
    circles_meet,
    derivatives,
    elliptic_trammel,
    four_bar,
    four_bar_angles,
    pantograph,
    peaucellier,
    pinned,
    turned,
    turning,
    xy,
)
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.system.lowering import lower

FIVE_DIGITS = 0.5e-5
DEGREES = 0.5e-4  # angles printed with four decimals [deg]
EXACT = 1e-12  # closed forms: a few hundred roundings of numbers of order one to ten


# --- 5.3 and 5.4 double rocker -----------------------------------------------------------------------------------------------

DOUBLE_ROCKER = (2.1, 0.8, 2.5, 1.6)


@pytest.mark.parametrize(
    ("direction", "stretched", "degrees"), [(1, 0.8 + 2.5, 125.6853), (-1, 2.5 - 0.8, 52.6168)], ids=["CCW", "CW"]
)
def test_problem_5_4_crank_runs_to_its_dead_point_and_no_further(
    direction: int, stretched: float, degrees: float
) -> None:
    a, _, _, d = DOUBLE_ROCKER
    # triangle A–B–D with coupler and rocker in line: BD = c + b or c - b
    limit = math.acos((a**2 + d**2 - stretched**2) / (2 * a * d))
    assert math.degrees(limit) == pytest.approx(degrees, abs=DEGREES)
    last = abs(limit - math.pi / 2)
    m = four_bar(*DOUBLE_ROCKER, motion=turning(math.pi / 2, direction))
    with pytest.raises(tm.SingularError, match=f"{degrees}.*dead point") as stopped:
        m.kinematics(times=[0.0, 0.3, last - 1e-6, last + 1e-6])
    assert stopped.value.partial.times[-1] == last - 1e-6


# --- 5.5, 5.6, 5.7: change points --------------------------------------------------------------------------------------------


def change_point_angles(sides: tuple[float, ...], crank: np.ndarray, first_side: int, flips: Any) -> np.ndarray:
    """Coupler and rocker angles when the diagonal's side changes at every change point, as inertia would have it."""
    rows = []
    for angle in crank:
        side = first_side * (-1) ** flips(angle)
        with mpmath.workdps(30):
            rows.append([float(x) for x in four_bar_angles(*map(mpmath.mpf, sides), mpmath.mpf(float(angle)), side)])
    return np.array(rows)


CHANGE_POINTS = {
    # sides, first crank angle, side, number of change points passed before a crank angle
    "5.5": ((1.2, 1.4, 1.6, 1.0), math.pi / 2, 1, lambda x: math.floor(x / math.tau)),
    "5.6 Galloway": ((1.0, 1.5, 1.5, 1.0), math.pi / 2, 1, lambda x: math.floor(x / math.tau)),
    "5.7 parallelogram": ((1.0, 2.0, 1.0, 2.0), math.pi / 3, 1, lambda x: math.floor(x / math.pi)),
    "5.7 antiparallelogram": ((1.0, 2.0, 1.0, 2.0), math.pi / 3, -1, lambda x: math.floor(x / math.pi)),
}


@pytest.mark.parametrize("samples", [13, 37, 361, 1000])
@pytest.mark.parametrize("name", CHANGE_POINTS)
def test_two_turns_through_change_points_keep_the_branch(name: str, samples: int) -> None:
    sides, start, side, flips = CHANGE_POINTS[name]
    k = four_bar(*sides, crank=start, side=side).kinematics(2 * math.tau, samples=samples)
    away = np.array([abs(turned(2 * x) / 2) > 0.05 for x in k["crank"].phi])  # change points are at 0 or pi
    exact = change_point_angles(sides, k["crank"].phi[away], side, flips)
    found = np.column_stack([k["coupler"].phi, k["rocker"].phi])[away]
    # the closed form carries 30 digits; 0.05 rad from a change point angles depend on lengths with a factor of about 20
    assert np.abs(turned(found - exact)).max() < 1e-11


@pytest.mark.parametrize("name", CHANGE_POINTS)
def test_instants_exactly_at_change_points_are_still_accurate(name: str) -> None:
    # 37 samples of two turns from 90 or 60 deg meet the change points exactly; there the collinear links must be found
    sides, start, side, _ = CHANGE_POINTS[name]
    k = four_bar(*sides, crank=start, side=side).kinematics(2 * math.tau, samples=37)
    # an interpolated instant must close like any other
    assert k.constraint_violation() < EXACT


def test_problem_5_5_C_is_elsewhere_after_one_turn_and_back_after_two() -> None:
    k = four_bar(1.2, 1.4, 1.6, 1.0).kinematics(2 * math.tau, samples=3)
    C = k.point(k.model["coupler"].at(0.7, 0)).position
    mirrored = circles_meet(1.2j, 1.0 + 0j, 1.4, 1.6, -1)  # the other assembly at the same crank angle
    assert C[1] == pytest.approx(xy(mirrored), abs=1e-11)
    assert C[2] == pytest.approx(C[0], abs=1e-11)


@pytest.mark.parametrize("samples", [5, 9, 13, 37, 361, 1000])
@pytest.mark.parametrize("side", [1, -1], ids=["parallelogram", "antiparallelogram"])
def test_problem_5_7_all_four_change_points_are_reported(side: int, samples: int) -> None:
    k = four_bar(1, 2, 1, 2, crank=math.pi / 3, side=side).kinematics(2 * math.tau, samples=samples)
    exact = [n * math.pi - math.pi / 3 for n in (1, 2, 3, 4)]
    # located as the bottom of a V-shaped measure, to a millionth of a turn
    assert [p.time for p in k.singularities] == pytest.approx(exact, abs=1e-5)


@pytest.mark.parametrize("side", [1, -1], ids=["parallelogram", "antiparallelogram"])
def test_problem_5_7_run_without_change_points_reports_none(side: int) -> None:
    assert four_bar(1, 2, 1, 2, crank=math.pi / 3, side=side).kinematics(1.5).singularities == ()


def test_problem_5_7_flat_parallelogram_is_singular() -> None:
    found = four_bar(1, 2, 1, 2, crank=0.0).mobility()
    assert found.singular
    assert found.generic_dof == 1


def test_problem_5_7_run_cannot_start_in_the_flat_position() -> None:
    with pytest.raises(tm.SingularError, match="singular position"):
        four_bar(1, 2, 1, 2, crank=0.0).kinematics(1.0)


def test_problem_5_7_condition_at_sixty_degrees() -> None:
    # revolute rows of 2.1 and the driver, in SI units
    m = four_bar(1, 2, 1, 2, crank=math.pi / 3)
    system = lower(m)
    m.mobility()
    rows = list(range(len(system.rows)))
    found = jacobian(system, system.start, 0.0, rows) * system.row_scales()[:, None] / system.column_scales()
    AB, BC, DC = cmath.exp(1j * math.pi / 3) / 2, 1 + 0j, cmath.exp(1j * math.pi / 3) / 2  # half links

    def pin(first: int, s: complex, second: int, r: complex) -> np.ndarray:
        out = np.zeros((2, 9))
        for body, arm, sign in ((first, s, 1), (second, r, -1)):
            if body >= 0:
                out[:, 3 * body : 3 * body + 3] = sign * np.array([[1, 0, -arm.imag], [0, 1, arm.real]])
        return out

    by_hand = np.vstack([pin(-1, 0, 0, -AB), pin(0, AB, 1, -BC), pin(1, BC, 2, DC), pin(-1, 0, 2, -DC), np.eye(9)[2]])
    assert np.linalg.cond(found) == pytest.approx(np.linalg.cond(by_hand), rel=1e-12)
    # the digest says "about 10": a healthy position, not a singular one
    assert 5 < np.linalg.cond(found) < 20


# --- 5.23 elliptic trammel -----------------------------------------------------------------------------------------------------


def test_problem_5_23_middle_of_the_bar_draws_a_circle() -> None:
    m = elliptic_trammel(1.5)
    P = m.kinematics(math.tau, samples=37).point(m["bar"].at(0.75, 0)).position
    assert np.hypot(*P.T) == pytest.approx(np.full(37, 0.75), abs=EXACT)


# --- 5.24 dough kneader ----------------------------------------------------------------------------------------------------------


def dough_kneader() -> tm.PlanarModel:
    """AB = 6, BC = EF = 13, BE = CF = 6, DC = 15, AD = 18, BP = 26.

    Two pins at B and one degree of freedom fix the reading: F lies on the rocker beyond C, the arm BE carries P.
    """
    A, D = 0j, 18 + 0j
    B = cmath.rect(6, 1.0)
    C = circles_meet(B, D, 13, 15, 1)
    F = C + 6 * (C - D) / 15
    places = {"A": A, "B": B, "C": C, "D": D, "F": F, "E": B + F - C, "P": B + 26 * (F - C) / 6}
    m = tm.PlanarModel("dough kneader")
    pinned(m, places, "AB BC DF BP EF", "A:ground,AB B:AB,BC B:AB,BP C:BC,DF D:ground,DF E:BP,EF F:DF,EF")
    m.point("P", "BP", local=(13, 0))
    m.driver("motor", "AB.phi", turning(1.0))
    return m


def test_problem_5_24_has_one_degree_of_freedom() -> None:
    assert dough_kneader().mobility().dof == 1


def test_problem_5_24_path_of_P_closes_after_one_turn() -> None:
    k = dough_kneader().kinematics(math.tau, samples=73)
    P = k.point("P").position
    assert P[-1] == pytest.approx(P[0], abs=30 * EXACT)  # coordinates up to 30
    assert k["AB"].phi[-1] - k["AB"].phi[0] == pytest.approx(math.tau, abs=EXACT)
    assert k["DF"].phi[-1] == pytest.approx(k["DF"].phi[0], abs=EXACT)


def test_problem_5_24_arm_stays_parallel_to_the_rocker() -> None:
    k = dough_kneader().kinematics(math.tau, samples=73)
    assert k["BP"].phi == pytest.approx(k["DF"].phi, abs=EXACT)


def test_problem_5_24_rocker_swings_between_the_stretched_and_the_folded_crank() -> None:
    # triangle A–D–C with AC = 13 + 6 and 13 - 6
    inner, outer = (math.acos((18**2 + 15**2 - s**2) / (2 * 18 * 15)) for s in (7, 19))
    angle = math.pi - dough_kneader().kinematics(math.tau, samples=7201)["DF"].phi
    # flat extremes sampled every 9e-4 rad
    assert (angle.min(), angle.max()) == pytest.approx((inner, outer), abs=1e-6)


# --- 5.25 drafting machine ---------------------------------------------------------------------------------------------------------


def drafting_machine() -> tm.PlanarModel:
    """Two parallelograms in a row: AB = DC = 2, AD = BC = 0.5 and FG = EH = 1.5, EF = HG = 0.4, joined by the ring BCEF."""
    AB, EH = cmath.rect(2, 0.9), cmath.rect(1.5, -0.4)
    A, D = 0j, 0.5 + 0j
    B, C = A + AB, D + AB
    E, F = (B + C) / 2 - 0.3j, (B + C) / 2 - 0.3j + 0.4j
    places = {"A": A, "B": B, "C": C, "D": D, "E": E, "F": F, "H": E + EH, "G": F + EH}
    m = tm.PlanarModel("drafting machine")
    m.body("ring", position=xy((B + C) / 2), angle=0.0)
    pinned(
        m, places, "AB DC FG EH HG",
        "A:ground,AB D:ground,DC B:AB,ring C:DC,ring E:ring,EH F:ring,FG G:FG,HG H:EH,HG",
    )  # fmt: skip
    return m


def test_problem_5_25_has_two_degrees_of_freedom() -> None:
    assert drafting_machine().mobility().dof == 2


def test_problem_5_25_link_p_stays_parallel_with_a_constant_angle() -> None:
    m = drafting_machine()
    m.constrain("angle", m.angle_between("ring", "EH"))
    m.driver("motor", "AB.phi", "0.9 + 0.7*sin(t)")
    k = m.kinematics(math.tau, samples=61)
    assert k["HG"].phi == pytest.approx(np.full(61, m["HG"].angle), abs=EXACT)
    # and translates on a circle of radius AB
    centre = np.array(m["HG"].position) - 2 * np.array([math.cos(0.9), math.sin(0.9)])
    assert np.hypot(*(k["HG"].position - centre).T) == pytest.approx(np.full(61, 2.0), abs=EXACT)


def test_problem_5_25_link_p_stays_parallel_when_both_arms_move() -> None:
    m = drafting_machine()
    m.driver("upper_arm", "AB.phi", "0.9 + 0.4*sin(t)")
    m.driver("lower_arm", "EH.phi", "-0.4 + 0.5*sin(2*t)")
    k = m.kinematics(math.tau, samples=61)
    assert k["HG"].phi == pytest.approx(np.full(61, m["HG"].angle), abs=EXACT)


# --- 5.27 pantographs ------------------------------------------------------------------------------------------------------------------

# a clover as the outline to trace, far from the ends of the arms
OUTLINE_X, OUTLINE_Y = "2.2 + (0.4 + 0.1*cos(3*t))*cos(t)", "0.3 + (0.4 + 0.1*cos(3*t))*sin(t)"


def test_problem_5_27_position_level_computes_no_velocities() -> None:
    m = pantograph(1.5, 1.6, 2.5, complex(2.7, 0.3), x=OUTLINE_X, y=OUTLINE_Y)
    k = m.kinematics(1.0, samples=3, level="position")
    assert k.v is None and k.a is None


# --- 5.30 and 5.31 Peaucellier ---------------------------------------------------------------------------------------------------------


def test_problem_5_30_has_eight_bodies_and_ten_pins() -> None:
    m = peaucellier(1.2, 1.2, 3.0, 1.4, angle=0.0, motion="t")
    assert len(m.bodies) == 8
    assert sum(c.kind == "revolute" for c in m.constraints.values()) == 10


@pytest.mark.parametrize("direction", [1, -1])
def test_problem_5_30_crank_reaches_a_dead_point_where_the_line_ends(direction: int) -> None:
    limit = 2 * math.acos((3.0 - 1.4) / (2 * 1.2))  # FR = f - g
    assert math.degrees(limit) == pytest.approx(96.38, abs=0.5e-2)
    m = peaucellier(1.2, 1.2, 3.0, 1.4, angle=0.0, motion=turning(0.0, direction))
    with pytest.raises(tm.SingularError, match="dead point") as stopped:
        m.kinematics(times=[0.0, 1.0, limit - 1e-6, limit + 1e-6])
    partial = stopped.value.partial
    assert partial.times[-1] == limit - 1e-6
    # half the line's length 6.55913; within 1e-6 rad of the end S is within 5e-6 of it
    assert direction * partial.point("S").y[-1] == pytest.approx(6.55913 / 2, abs=2 * FIVE_DIGITS)


# --- 5.33 Chebyshev reversing linkage --------------------------------------------------------------------------------------------------


def test_derivatives_helper_against_a_known_function() -> None:
    value, rate, second = derivatives(lambda t: mpmath.sin(2 * t), [0.3])
    assert (value[0], rate[0], second[0]) == pytest.approx(
        (math.sin(0.6), 2 * math.cos(0.6), -4 * math.sin(0.6)), rel=1e-15
    )
