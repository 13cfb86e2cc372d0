"""Kinematics by partitioning: joint angles, measured quantities and orientations as independent coordinates, in the plane and in space."""

import numpy as np
import pytest

import pytrammel as tm
from mechanisms import four_bar
from pytrammel.examples import robot_arm, rssr, stewart_platform

SAME = 1e-9  # two ways to one motion, relative to its largest number


def agree(a, b):
    for one, other in ((a.q, b.q), (a.v, b.v), (a.a, b.a)):
        np.testing.assert_allclose(one, other, rtol=0, atol=SAME * max(1.0, np.abs(one).max()))


def test_a_joint_angle_in_space_takes_the_place_of_its_driver():
    m = rssr.build()
    agree(m.kinematics(0.5, samples=21), m.kinematics(0.5, samples=21, prescribed={"A.angle": "4*pi*t"}))


def test_the_other_end_may_be_independent():
    """The rocker's own motion, prescribed, brings back the crank's; the table is exact at the instants only."""
    m = rssr.build()
    driven = m.kinematics(0.1, samples=81)
    rocker = tm.functions.spline(driven.times, driven.series("D.angle").value)
    back = m.kinematics(0.1, samples=81, prescribed={"D.angle": rocker(tm.time)})
    np.testing.assert_allclose(back.q, driven.q, rtol=0, atol=1e-8)


def test_a_joint_angle_in_the_plane():
    m = four_bar(2, 4, 4, 2.5, crank=1.0)
    driven = m.kinematics(1.0, samples=41)
    angle = tm.functions.spline(driven.times, driven.series("B.angle").value)
    back = m.kinematics(1.0, samples=41, prescribed={"B.angle": angle(tm.time)})
    np.testing.assert_allclose(back.q, driven.q, rtol=0, atol=1e-8)


def test_a_platform_by_its_place_and_orientation():
    m = stewart_platform.build()
    driven = m.kinematics(1.0, samples=11)
    places = {str(m[name].parameters["quantity"]): m[name].parameters["motion"] for name in ("sway", "drift", "heave")}
    angles = m["tilt"].parameters["angles"]
    agree(driven, m.kinematics(1.0, samples=11, prescribed={**places, "platform.orientation": angles}))


def test_a_robot_by_the_path_of_its_hand():
    m = robot_arm.build()
    drivers = [c for c in m.constraints.values() if c.is_driver]
    given = {str(c.blocks[0].quantity): c.parameters["motion"] for c in drivers}
    agree(m.kinematics(1.0, samples=11), m.kinematics(1.0, samples=11, prescribed=given))


def test_a_free_body_turns_as_its_angles_say():
    m = tm.SpatialModel("stone")
    m.body("stone")
    given = {"stone.x": "t", "stone.y": 0, "stone.z": 0, "stone.orientation": ("0.3*t", "0.2*t", "0.1*t")}
    k = m.kinematics(1.0, samples=5, prescribed=given)
    for i, t in enumerate(k.times):
        p = tm.rotations.from_angles((0.3 * t, 0.2 * t, 0.1 * t), "xyz")
        np.testing.assert_allclose(tm.rotations.matrix(k.q[i, 3:7]), tm.rotations.matrix(p), rtol=0, atol=1e-12)
    assert k.v[:, 0] == pytest.approx(np.ones(5))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"A.angle": "x"}, r"motion of 'A\.angle': x may depend on t only"),
        ({"nobody.orientation": (0, 0, 0)}, "no moving body 'nobody'"),
        ({"crank.orientation": (0, 0)}, "needs three angles"),
        ({"crank.orientation": "t"}, "needs three angles"),
        ({"crank.rx": "t"}, "is a rotation, which cannot be prescribed by itself; prescribe a joint angle"),
        ({"B.x": "t"}, r"no coordinate 'B\.x' to prescribe"),
        ({"A.angle": "step(t - 0.1)"}, "jumps"),
    ],
)
def test_what_cannot_be_independent_is_told(given, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        rssr.build().kinematics(0.5, prescribed=given)


def test_an_orientation_in_the_plane_is_an_angle():
    with pytest.raises(tm.ModelError, match=r"prescribe 'crank\.phi'"):
        four_bar(2, 4, 4, 2.5, crank=1.0).kinematics(1.0, prescribed={"crank.orientation": (0, 0, 0)})


def test_too_many_are_told():
    with pytest.raises(tm.MobilityError, match=r"with the independent coordinates A\.angle, D\.angle in the place of"):
        rssr.build().kinematics(0.5, prescribed={"A.angle": "t", "D.angle": "t"})
    with pytest.raises(
        tm.MobilityError, match=r"with the independent coordinates none in the place of drivers: .*1 degree"
    ):
        rssr.build().kinematics(0.5, prescribed={})
