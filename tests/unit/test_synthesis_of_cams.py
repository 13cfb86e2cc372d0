"""Cams from lift programmes: the built model lifts as asked; limits against closed forms and against trying base circles."""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import synthesis
from pytrammel.expressions.expression import number, variable
from pytrammel.expressions.tables import Table

pytestmark = pytest.mark.search

PROGRAMME = [
    tm.profiles.rise(0.02, 2.0),
    tm.profiles.dwell(0.9),
    tm.profiles.fall(0.0, 2.0, law="modified_sine"),
    tm.profiles.dwell(math.tau - 4.9),
]
SWING = [
    tm.profiles.rise(0.3, 2.0),
    tm.profiles.dwell(0.9),
    tm.profiles.fall(0.0, 2.0),
    tm.profiles.dwell(math.tau - 4.9),
]
KINDS = {
    "roller": {"lift": PROGRAMME, "follower": "roller", "roller": 0.008},
    "roller with offset": {
        "lift": PROGRAMME,
        "follower": "roller",
        "roller": 0.008,
        "offset": 0.005,
        "least_radius": 0.02,
    },
    "point": {"lift": PROGRAMME, "follower": "point"},
    "flat": {"lift": PROGRAMME, "follower": "flat", "least_radius": 0.01},
    "oscillating roller": {
        "lift": SWING,
        "roller": 0.01,
        "arm": 0.08,
        "pivot": 0.1,
        "pressure_limit": math.radians(35),
    },
    "oscillating flat": {"lift": "0.05*(1 - cos(3*u))", "follower": "flat", "pivot": 0.1, "least_radius": 0.002},
    "oscillating flat off its pivot": {
        "lift": "0.1*(1 - cos(2*u))",
        "follower": "flat",
        "pivot": 0.1,
        "offset": 0.01,
        "least_radius": 0.002,
    },
    "oscillating point": {"lift": SWING, "follower": "point", "arm": 0.08, "pivot": 0.1},
}


@cache
def made(kind: str) -> synthesis.Cam:
    return synthesis.cam(**KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_the_built_model_lifts_as_asked(kind):
    design = made(kind)
    k = design.model().kinematics(1.0, samples=25, progress=False)
    wanted = design.lift.evaluate({"u": math.tau * k.times})
    got = -k["guide"].angle if design.pivot else k["follower"].y - design.start
    assert np.allclose(got, wanted, rtol=0, atol=1e-12)
    assert design.defects == ()
    u = k["contact"].parameter
    assert np.allclose(np.exp(1j * u), np.exp(1j * math.tau * k.times), rtol=0, atol=1e-9)  # u is the cam's angle


@pytest.mark.parametrize("kind", KINDS)
def test_the_pressure_angle_is_that_between_normal_and_motion_of_the_model(kind):
    """The speed of the follower over the cam's is the distance of the contact's normal from the centre (rigid bodies, no slip along it)."""
    design = made(kind)
    u = np.linspace(0.1, 6.2, 50)
    # outwards would be the other way for a clockwise curve
    normal = design.profile.first_derivative(u) @ np.array([[0, 1], [-1, 0]])
    turn = np.exp(1j * u)
    fixed = (normal[:, 0] + 1j * normal[:, 1]) * turn  # in fixed axes
    if design.pivot:
        at = design.profile.point(u)
        way = -1j * ((at[:, 0] + 1j * at[:, 1]) * turn - design.pivot) if design.follower == "flat" else np.exp(
            1j * (np.pi / 2 - design.start - design.lift.evaluate({"u": u}))
        )  # fmt: skip
    else:
        way = 1j
    angle = np.abs(np.angle(fixed / way))
    angle = np.minimum(angle, np.pi - angle)
    assert np.allclose(angle, np.abs(design.pressure_angle(u)), rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_curvature_is_that_of_the_profile(kind):
    design = made(kind)
    u = np.linspace(0.1, 6.2, 200)
    assert np.allclose(1.0 / design.curvature_radius(u), -design.profile.curvature(u), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_no_smaller_base_circle_keeps_the_limits(kind):
    design, given = made(kind), KINDS[kind]
    limit, least = given.get("pressure_limit", math.radians(30)), given.get("least_radius", 0.0)
    u = np.linspace(0, math.tau, 1801)

    def keeps(base: float) -> bool:
        try:
            other = synthesis.Cam(
                design.lift, design.follower, base, design.roller, design.offset, design.arm, design.pivot
            )
        except tm.ModelError:
            return False
        radius = other.curvature_radius(u)
        convex = design.follower == "point" or (
            radius.min() > least if design.follower == "flat" else _convex(other, u, least)
        )
        return bool(convex and np.abs(other.pressure_angle(u)).max() <= limit * (1 + 1e-9))

    assert keeps(design.base * (1 + 1e-6))
    assert not any(keeps(share * design.base) for share in np.linspace(0.2, 0.9999, 7))


def _convex(cam: synthesis.Cam, u: np.ndarray, least: float) -> bool:
    pitch = cam.curvature_radius(u) + cam.roller
    return bool(np.all((pitch < 0) | (pitch - cam.roller > least)))


def test_the_smallest_flat_faced_cam_of_a_harmonic_lift_has_a_closed_form():
    """s = h (1 - cos 2u) / 2: s + s'' = h/2 + 3h/2 cos 2u, least at cos 2u = -1, where it is -h. So base = least radius + h."""
    design = synthesis.cam("0.01*(1 - cos(2*u))/2", follower="flat", least_radius=0.005)
    assert design.base == pytest.approx(0.015, rel=1e-8)
    assert design.face_reach == pytest.approx((-0.01, 0.01), rel=1e-6)  # s' = h sin 2u


def test_an_eccentric_disc_comes_out_of_its_own_lift():
    """Flat follower, s = e (1 + sin u): the profile is a circle of radius base + e."""
    design = synthesis.cam("0.012*(1 + sin(u))", follower="flat", base=0.028)
    assert np.allclose(design.curvature_radius(np.linspace(0, 6, 50)), 0.04, rtol=1e-12)


def test_hertz_pressure_of_a_round_cam_is_that_of_two_cylinders():
    """p = sqrt(F E* / (pi L R)), 1/R = 1/R1 + 1/R2 (Johnson, Contact Mechanics, eq. 4.45)."""
    design = synthesis.cam("0*u", follower="roller", roller=0.01, base=0.03)
    reduced = 1 / (1 / 0.03 + 1 / 0.01)
    modulus = 210e9 / (2 * 0.91)
    assert design.stress(1000.0, 0.012) == pytest.approx(
        math.sqrt(1000 / 0.012 * modulus / (math.pi * reduced)), rel=1e-9
    )


def test_a_limit_of_stress_makes_the_base_circle_larger_until_it_is_kept():
    given = {"follower": "flat", "load": 800.0, "width": 0.01}
    free = synthesis.cam(PROGRAMME, follower="flat", least_radius=0.001)
    limit = 0.7 * free.stress(800.0, 0.01)
    kept = synthesis.cam(PROGRAMME, least_radius=0.001, stress_limit=limit, **given)
    assert kept.base > free.base
    assert kept.stress(800.0, 0.01) == pytest.approx(limit, rel=1e-6)


@pytest.mark.parametrize(("digits", "dips"), [(3, True), (4, True), (9, True)])
def test_a_spline_through_a_measured_lift_may_dip_a_little_below_the_base_circle(digits, dips):
    angles = np.linspace(0.0, math.tau, 37)
    lift = np.where((angles > 1.0) & (angles < 4.0), 0.005 * (1 - np.cos((angles - 1.0) / 3.0 * math.tau)), 0.0)
    table = Table("measured", angles, np.round(lift, digits), kind="periodic")
    least = min(table(number(float(u))).constant for u in np.linspace(0.0, math.tau, 2000))
    assert (least < -1e-6) == dips  # a cubic spline overshoots at the end of a dwell
    cam = synthesis.cam(table(variable("u")), roller=0.008, base=0.03)
    (dip,) = (re.search(r"dips ([\d.e-]+) m below", defect) for defect in cam.defects)
    # the samples of the cam and those of this test lie a thousandth of a turn apart
    assert float(dip[1]) == pytest.approx(-least, rel=0.02)
    angles = np.linspace(0.0, 6.0, 50)
    directly = synthesis.cam(table, roller=0.008, base=0.03)
    assert np.array_equal(directly.pressure_angle(angles), cam.pressure_angle(angles))
    # the follower of the built model follows the table, dips included
    k = cam.model().kinematics(times=np.linspace(0.0, 1.0, 41))
    assert np.ptp(k["follower"].y) == pytest.approx(
        np.ptp([table(number(u)).constant for u in k.times * math.tau]), rel=1e-6
    )


def test_an_undercut_cam_says_so():
    design = synthesis.cam(
        [tm.profiles.rise(0.03, 1.0), tm.profiles.fall(0.0, 1.0), tm.profiles.dwell(math.tau - 2.0)],
        roller=0.03,
        base=0.02,
    )
    assert "undercut" in design.defects[0]


@pytest.mark.parametrize(
    "ask, words",
    [
        (lambda: synthesis.cam([tm.profiles.rise(0.1, 1.0)], roller=0.1), "full turn"),
        (lambda: synthesis.cam([tm.profiles.rise(0.1, math.tau)], roller=0.1), "must end as it begins"),
        (lambda: synthesis.cam("0.1*sin(u)", roller=0.1), "least value must be 0"),
        (lambda: synthesis.cam("0.1*t", roller=0.1), "only the cam's angle u"),
        (lambda: synthesis.cam("0.01*u", roller=0.1), "must end as it begins"),
        (lambda: synthesis.cam(PROGRAMME), "needs roller="),
        (lambda: synthesis.cam(PROGRAMME, follower="flat", roller=0.1), "has no roller"),
        (lambda: synthesis.cam(PROGRAMME, follower="ball"), "follower must be one of"),
        (lambda: synthesis.cam(PROGRAMME, follower="flat", offset=0.1), "changes nothing"),
        (lambda: synthesis.cam(PROGRAMME, roller=0.01, arm=0.1), "both arm= and pivot="),
        (lambda: synthesis.cam(SWING, follower="flat", arm=0.1, pivot=0.2), "a flat face has no arm"),
        (lambda: synthesis.cam(SWING, follower="flat", pivot=0.1, base=0.2), "touches base circles between"),
        (lambda: synthesis.cam(SWING, follower="flat", pivot=0.1, base=0.0999), "past the right angle"),
        (lambda: synthesis.cam(SWING, roller=0.01, arm=0.1, pivot=0.2, offset=0.1), "with an arm has no offset"),
        (lambda: synthesis.cam([tm.profiles.rise(0.9, 5.0), tm.profiles.fall(0.0, math.tau - 5.0)], follower="flat", pivot=0.1),
         "fall slower"),
        (lambda: synthesis.cam(PROGRAMME, roller=0.01, pressure_limit=30), "below 90°"),
        (lambda: synthesis.cam(PROGRAMME, roller=0.01, stress_limit=1e9), "needs load="),
        (lambda: synthesis.cam(PROGRAMME, roller=0.01, base=0.005, pressure_limit=0.3), "too small"),
        (lambda: synthesis.cam(PROGRAMME, roller=0.01, pressure_limit=0.01, largest=0.1), "no base circle up to"),
        (lambda: synthesis.cam("0*u", roller=0.01), "moves nothing"),
        (lambda: synthesis.cam(PROGRAMME, roller=0.01, base=0.01, offset=0.05), "not within the pitch circle"),
        (lambda: synthesis.cam(PROGRAMME, follower="point", base=0.05).stress(1, 1), "no area"),
    ],
)  # fmt: skip
def test_bad_input_is_answered_in_sentences(ask, words):
    with pytest.raises(tm.ModelError, match=words):
        ask()


@pytest.mark.parametrize("peak", [0.0, 0.05, 0.4, 3.0, math.tau - 0.05, math.tau])
def test_the_largest_value_of_a_turn_is_found_at_any_angle(peak: float) -> None:
    cam = synthesis.cam(PROGRAMME, follower="point")
    assert cam._largest(lambda u: np.exp(-((u - peak) ** 2))) == pytest.approx(1.0, abs=1e-9)
    assert cam._largest(lambda u: np.exp(-(((u - peak) / 0.05) ** 2))) == pytest.approx(1.0, abs=1e-6)
