"""Mechanisms with closed-form motions, and invariances that every motion must have.

Closed forms are differentiated with 30 digits. "Relative" is always against the largest value of the series: near a
zero of a velocity only absolute accuracy has a meaning.
"""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import pytrammel as tm
from mechanisms import (
    BUILDERS,
    Frame,
    derivatives,
    elliptic_trammel,
    four_bar,
    four_bar_angles,
    inverted_slider_crank,
    quick_return,
    slider_crank,
    turning,
)

# a few hundred roundings, and Newton corrections that end below 1e-13
RELATIVE = 1e-12


def close(found: Any, exact: Any, tolerance: float = RELATIVE, size: float | None = None) -> None:
    """All values agree relative to the largest (or a given size, where the series itself should vanish)."""
    exact = np.asarray(exact)
    largest = float(np.abs(exact).max()) if size is None else size
    assert found == pytest.approx(exact, rel=0, abs=tolerance * largest)


def motion_is(series: tuple[Any, Any, Any], f: Any, times: Any, tolerance: float = RELATIVE) -> None:
    """Position, velocity and acceleration are those of the closed form."""
    for found, exact in zip(series, derivatives(f, times), strict=True):
        close(found, exact, tolerance)


def turn_of(body: Any) -> tuple[Any, Any, Any]:
    return body.phi, body.omega, body.alpha


# --- closed forms --------------------------------------------------------------------------------------------------------


def test_inverted_slider_crank_with_a_turning_rod() -> None:
    # r > d: the rod turns with the crank, once a turn
    k = inverted_slider_crank(1.0, 0.4, crank=0.0).kinematics(math.tau, samples=31)
    assert k["rod"].phi[-1] - k["rod"].phi[0] == pytest.approx(math.tau, abs=RELATIVE)


# --- what a motion must not depend on ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILDERS)
def test_motion_does_not_depend_on_the_spacing_of_instants(name: str) -> None:
    build, duration = BUILDERS[name]
    model = build()
    few, many = (model.kinematics(duration, samples=n) for n in (5, 5001))
    common = slice(None, None, 1250)
    # the same equations solved to rounding; errors of Newton's last step and of the accelerations' size
    close(few.q, many.q[common], 1e-11)
    close(few.v, many.v[common], 1e-11)
    close(few.a, many.a[common], 1e-11)


@pytest.mark.parametrize("name", BUILDERS)
def test_driving_backwards_retraces_the_motion(name: str) -> None:
    build, duration = BUILDERS[name]
    forward = build()
    start = float(forward["motor"].parameters["motion"].evaluate({"t": 0.0}))
    ahead = forward.kinematics(duration, samples=41)
    # drawn where the forward run ended, driven back with the same speed
    poses = {
        b: {"position": (ahead[b].x[-1], ahead[b].y[-1]), "angle": float(ahead[b].phi[-1])}
        for b in list(forward.bodies)[1:]
    }
    backward = forward.copy(without=["motor"], changes=poses)
    backward.driver("motor", forward["motor"].parameters["quantity"], f"{start + duration!r} - t")
    back = backward.kinematics(duration, samples=41)
    # two runs with their own Newton steps; beside its dead point the Peaucellier linkage magnifies their last digits
    close(back.q[::-1], ahead.q, 1e-11)
    close(-back.v[::-1], ahead.v, 1e-11)
    close(back.a[::-1], ahead.a, 1e-11)


@pytest.mark.parametrize("name", BUILDERS)
def test_moving_and_turning_the_whole_mechanism_changes_nothing_else(name: str) -> None:
    build, duration = BUILDERS[name]
    here, there = build(), build(frame=Frame(-3.0 + 2.0j, 0.7))
    k, moved = (m.kinematics(duration, samples=41) for m in (here, there))
    rotate = np.exp(0.7j)
    for body in list(here.bodies)[1:]:
        a, b = k[body], moved[body]
        close(b.x + 1j * b.y, -3.0 + 2.0j + rotate * (a.x + 1j * a.y))
        close(b.vx + 1j * b.vy, rotate * (a.vx + 1j * a.vy), size=max(np.abs(k.v).max(), 1e-3))
        close(b.ax + 1j * b.ay, rotate * (a.ax + 1j * a.ay), RELATIVE, size=np.abs(k.a).max())
        difference = b.phi - a.phi - 0.7
        assert difference == pytest.approx(np.full(41, math.tau * round(difference[0] / math.tau)), abs=RELATIVE)
        close(b.omega, a.omega, RELATIVE, size=max(np.abs(k.v).max(), 1.0))
        close(b.alpha, a.alpha, RELATIVE, size=max(np.abs(k.a).max(), 1.0))


SCALABLE = {
    "four-bar": lambda s: four_bar(0.8 * s, 2.1 * s, 1.6 * s, 2.5 * s),
    "slider-crank": lambda s: slider_crank(0.1 * s, 0.25 * s, offset=0.04 * s),
    "quick return": lambda s: quick_return(0.1 * s, 0.25 * s, 0.5 * s, 0.2 * s, 0.55 * s),
    "inverted slider-crank": lambda s: inverted_slider_crank(0.4 * s, 1.0 * s),
    "elliptic trammel": lambda s: elliptic_trammel(1.5 * s),
}


@pytest.mark.parametrize("factor", [1e-3, 1e3])
@pytest.mark.parametrize("name", SCALABLE)
def test_a_mechanism_in_millimetres_moves_like_one_in_metres(name: str, factor: float) -> None:
    plain, scaled = (SCALABLE[name](s).kinematics(7.0, samples=41) for s in (1.0, factor))
    lengths = np.array([factor if unit == "m" else 1.0 for unit in plain._system.column_units])
    # each column against its own size; those that stay zero against the model's
    for found, exact in ((scaled.q, plain.q), (scaled.v, plain.v), (scaled.a, plain.a)):
        size = np.maximum(np.abs(exact).max(axis=0), 1.0)
        assert np.abs(found / lengths - exact).max(axis=0) == pytest.approx(
            np.zeros_like(size), abs=RELATIVE * size.max()
        )


# --- equivalent ways to drive ----------------------------------------------------------------------------------------------


def four_bar_driven_by(*drivers: tuple[str, str]) -> tm.results.Result:
    m = four_bar(0.8, 2.1, 1.6, 2.5, crank=0.5, drive=None)
    m.point("pin", "crank", local=(0.4, 0.0))
    for k, (quantity, motion) in enumerate(drivers):
        m.driver(f"driver{k}", quantity, motion)
    return m.kinematics(1.0, samples=21)


@pytest.fixture(scope="module")
def by_crank_angle() -> tm.results.Result:
    return four_bar_driven_by(("crank.phi", "0.5 + t"))


def test_driving_the_joint_angle_is_driving_the_crank(by_crank_angle: tm.results.Result) -> None:
    k = four_bar_driven_by(("A.angle", "0.5 + t"))
    close(k.a, by_crank_angle.a)


def test_driving_a_point_coordinate_is_driving_the_crank(by_crank_angle: tm.results.Result) -> None:
    k = four_bar_driven_by(("pin.y", "0.8*sin(0.5 + t)"))
    close(k.q, by_crank_angle.q)
    close(k.v, by_crank_angle.v)
    # crank angles up to 86 deg: the y coordinate determines the angle with a factor 1/cos = 14, twice
    close(k.a, by_crank_angle.a, 200 * RELATIVE)


def test_driving_the_rocker_as_it_moves_returns_the_crank(by_crank_angle: tm.results.Result) -> None:
    # a spline through the rocker's own angles, fine enough for 1e-9: h^4/384 times a fourth derivative of order 1
    dense = four_bar(0.8, 2.1, 1.6, 2.5, crank=0.5).kinematics(1.0, samples=401)
    m = four_bar(0.8, 2.1, 1.6, 2.5, crank=0.5, drive=None)
    m.driver("rocker_drive", "rocker.phi", tm.functions.spline(dense.times, dense["rocker"].phi)(tm.time))
    k = m.kinematics(1.0, samples=21)
    assert k["crank"].phi == pytest.approx(0.5 + k.times, abs=1e-8)


@pytest.mark.parametrize("name", BUILDERS)
def test_prescribing_the_coordinate_agrees_with_driving_it(name: str) -> None:
    # the book's K-I (partitioned coordinates) against K-II (appended drivers)
    build, duration = BUILDERS[name]
    model = build()
    driver = model["motor"]
    appended = model.kinematics(duration, samples=41)
    partitioned = model.kinematics(
        duration, samples=41, prescribed={driver.parameters["quantity"]: driver.parameters["motion"]}
    )
    close(partitioned.q, appended.q)
    close(partitioned.v, appended.v)
    close(partitioned.a, appended.a, RELATIVE)


@pytest.mark.parametrize("turns", [-1, 0, 1])
def test_driver_that_counts_from_another_turn_keeps_the_drawn_branch(turns: int) -> None:
    # drawn closed, and the driver asks for the drawn direction of the crank: nothing has to move
    sides = (2.1, 1.6, 2.6, 0.9)
    m = four_bar(*sides, crank=1.1, side=-1, motion=turning(1.1 + turns * math.tau))
    k = m.kinematics(times=[0.0])
    exact = four_bar_angles(*sides, 1.1, -1)
    for body, angle in zip(("coupler", "rocker"), exact, strict=True):
        assert abs(np.exp(1j * k[body].phi[0]) - np.exp(1j * float(angle))) < RELATIVE


# --- motion laws as drivers --------------------------------------------------------------------------------------------------


def test_cycloidal_rise_between_dwells() -> None:
    # s = h (u - sin(2 pi u)/(2 pi)), u = (t - 0.5)/1.0, between dwells of 0.5 s
    law = tm.profiles.motion(
        0.2, [tm.profiles.dwell(0.5), tm.profiles.rise(1.2, 1.0), tm.profiles.dwell(0.5), tm.profiles.fall(0.2, 1.0)]
    )
    m = slider_crank(0.1, 0.25, crank=0.2, motion=law)
    k = m.kinematics(2.0, samples=41)
    u = np.clip(k.times - 0.5, 0.0, 1.0)
    close(k["crank"].phi, 0.2 + u - np.sin(math.tau * u) / math.tau)
    close(k["crank"].omega, 1 - np.cos(math.tau * u))
    close(k["crank"].alpha, math.tau * np.sin(math.tau * u))


def test_nothing_moves_during_a_dwell() -> None:
    law = tm.profiles.motion(
        0.2,
        [
            tm.profiles.rise(1.2, 1.0, law="poly345"),
            tm.profiles.dwell(1.0),
            tm.profiles.fall(0.2, 1.0, law="modified_sine"),
        ],
    )
    k = four_bar(0.8, 2.1, 1.6, 2.5, crank=0.2, motion=law).kinematics(3.0, samples=61)
    resting = (k.times >= 1.0) & (k.times < 2.0)
    assert np.abs(k.v[resting]).max() <= RELATIVE
    assert np.abs(k.a[resting]).max() <= RELATIVE
    assert np.ptp(k.q[resting], axis=0).max() <= RELATIVE


def test_repeated_motion_returns_to_its_start() -> None:
    law = tm.profiles.motion(
        0.2,
        [
            tm.profiles.rise(1.2, 1.0, law="modified_trapezoid"),
            tm.profiles.dwell(0.3),
            tm.profiles.fall(0.2, 0.7),
            tm.profiles.dwell(0.2),
        ],
        repeat=True,
    )
    k = four_bar(0.8, 2.1, 1.6, 2.5, crank=0.2, motion=law).kinematics(3 * 2.2, samples=67)
    close(k.q[22::22], np.tile(k.q[0], (3, 1)))


def test_driver_with_a_jump_in_speed_is_followed() -> None:
    # "uniform" starts and stops at once; positions are continuous
    law = tm.profiles.motion(
        0.2, [tm.profiles.dwell(0.5), tm.profiles.rise(1.2, 1.0, law="uniform"), tm.profiles.dwell(0.5)]
    )
    k = slider_crank(0.1, 0.25, crank=0.2, motion=law).kinematics(2.0, samples=33)
    close(k["crank"].phi, 0.2 + np.clip(k.times - 0.5, 0.0, 1.0))


def test_harmonic_drive() -> None:
    law = tm.profiles.harmonic_motion(0.5, 2.0, mean=1.0)
    k = slider_crank(0.1, 0.25, crank=1.0, motion=law).kinematics(1.0, samples=41)
    motion_is(turn_of(k["crank"]), lambda t: 1 + 0.5 * mpmath.sin(4 * mpmath.pi * t), k.times)


def test_constant_acceleration_drive() -> None:
    # the book's driver c0 + c1 t + c2 t^2/2
    k = slider_crank(0.1, 0.25, crank=0.3, motion=tm.profiles.constant_acceleration(0.3, 1.0, -0.8)).kinematics(
        3.0, samples=31
    )
    motion_is(turn_of(k["crank"]), lambda t: mpmath.mpf("0.3") + t - mpmath.mpf("0.4") * t**2, k.times)


def test_spline_through_a_cubic_drives_exactly() -> None:
    # a not-a-knot spline reproduces any cubic
    t = np.linspace(0.0, 2.0, 9)
    table = tm.functions.spline(t, 0.3 + t - 0.2 * t**2 + 0.1 * t**3)
    k = slider_crank(0.1, 0.25, crank=0.3, motion=table(tm.time)).kinematics(2.0, samples=31)
    motion_is(
        turn_of(k["crank"]),
        lambda s: mpmath.mpf("0.3") + s - mpmath.mpf("0.2") * s**2 + mpmath.mpf("0.1") * s**3,
        k.times,
    )


@pytest.mark.parametrize("points", [21, 41, 81])
def test_spline_through_a_sine_approaches_it_at_fourth_order(points: int) -> None:
    t = np.linspace(0.0, 2.0, points)
    k = slider_crank(0.1, 0.25, crank=0.0, motion=tm.functions.spline(t, np.sin(t))(tm.time)).kinematics(
        2.0, samples=57
    )
    h = t[1] - t[0]
    # interpolation error of the spline: 5/384 h^4 max|f''''| inside; not-a-knot ends are a few times worse
    assert np.abs(k["crank"].phi - np.sin(k.times)).max() < 0.1 * h**4


# --- rates are derivatives -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILDERS)
def test_velocities_and_accelerations_are_differences(name: str) -> None:
    build, duration = BUILDERS[name]
    h = 1e-3
    centres = np.linspace(0.1, duration - 0.1, 9)
    k = build().kinematics(times=(centres[:, None] + h * np.arange(-2, 3)).ravel())
    for of, rate in ((k.q, k.v), (k.v, k.a)):
        f = of.reshape(9, 5, -1)
        differences = (f[:, 0] - 8 * f[:, 1] + 8 * f[:, 3] - f[:, 4]) / (12 * h)
        # truncation h^4/30 times the ratio of fifth and first derivative, up to 1e4 where the Peaucellier linkage nears its
        # dead point, is 3e-10; rounding 1e-13/h is 1e-10
        close(rate[2::5], differences, 1e-9)


@pytest.mark.parametrize("name", BUILDERS)
def test_all_joints_hold_at_all_times(name: str) -> None:
    build, duration = BUILDERS[name]
    assert build().kinematics(duration, samples=201).constraint_violation() < RELATIVE


def test_turning_writes_every_digit() -> None:
    assert turning(1 / 3, 0.1) == "0.3333333333333333 + 0.1*t"
