"""Joints of spatial models: bad input is answered with a sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytrammel.errors import ModelError
from pytrammel.model.spatial import SpatialModel

# --- bad input -----------------------------------------------------------------------------------------------------------------


def drawn():
    m = SpatialModel("bad")
    m.body("a", position=(0.1, 0.2, 0.3))
    m.body("b", position=(1.0, 0.0, 0.0))
    m.body("c", position=(0.0, 1.0, 0.0))
    m.revolute("A", "a", "b", at=(0.5, 0, 0), axis="z")
    m.revolute("B", "c", "b", at=(0.5, 0.5, 0), axis="z")
    m.spherical("S", "a", "c", at=(0, 0, 0))
    return m


HERE = {"at": (0, 0, 0)}
# what is wrong, its value, the limit and what to do: all four in one sentence
BAD = [
    # directions
    (lambda m: m.revolute("J", "a", "c", axis=(0, 0, 0), **HERE),
     r"axis of revolute joint 'J' is \(0, 0, 0\).*a direction needs a length; use a vector such as"),
    (lambda m: m.revolute("J", "a", "c", axis=((0, 1, 0), (0, 1, 0)), **HERE),
     r"axis of revolute joint 'J' is \(0, 0, 0\): the two points coincide"),
    (lambda m: m.revolute("J", "a", "c", axis=("nowhere", "a"), **HERE), r"nowhere"),
    (lambda m: m.prismatic("J", "a", "c", axis="w", **HERE), r"axis of prismatic joint 'J' is 'w'; use 'x', 'y', 'z'"),
    (lambda m: m.cylindrical("J", "a", "c", axis=(0, 1), **HERE),
     r"axis of cylindrical joint 'J' must be three numbers \(x, y, z\), but it is \(0, 1\)"),
    (lambda m: m.planar("J", "a", "c", axis=(0, math.nan, 1), **HERE),
     r"y of axis of planar joint 'J' is nan; it must be a finite number"),
    (lambda m: m.revolute("J", "a", "c", axis="z", x="-z", **HERE),
     r"revolute joint 'J': the x direction \(0, 0, -1\) is parallel to the axis \(0, 0, 1\); give one across it"),
    (lambda m: m["a"].angular_velocity_about("x", frame="world"),
     r"the axis on body 'a': frame 'world' is not known; use 'space' or 'body'"),
    # orientations
    (lambda m: m.body("n", rotation=np.diag([1, 1, 2.0])),
     r"rotation of body 'n' is not a rotation.*differs from the unit matrix by 3 \(limit 1e-08\)\. Correct"),
    (lambda m: m.body("n", rotation=np.diag([1, 1, -1.0])),
     r"rotation of body 'n' is left-handed: its determinant is -1 and must be \+1\. Reverse one column"),
    (lambda m: m.body("n", rotation=(1, 0.1, 0, 0)),
     r"rotation of body 'n' has Euler parameters \(1, 0\.1, 0, 0\) with p'p = 1\.01; it must be 1 within "
     r"1e-06\. Normalise them with tm\.rotations\.normalised"),
    (lambda m: m.body("n", rotation=(0, 0, 0)),
     r"rotation of body 'n' must be four Euler parameters or a 3x3 rotation matrix, but it has the shape "
     r"\(3,\); see tm\.rotations"),
    (lambda m: m.body("n", rotation="x"),
     r"rotation of body 'n' must be four Euler parameters or a 3x3 rotation matrix, but it is 'x'"),
    # masses
    (lambda m: m.body("n", mass=-2), r"mass of body 'n' is -2 kg; it must be greater than 0\. Leave it out"),
    (lambda m: m.body("n", mass=1, inertia=(1, 1, 3)),
     r"inertia of body 'n' has the principal moments 3, 1 and 1.*3 exceeds the sum of the other two, "
     r"2.*triangle inequality.*Check"),
    (lambda m: m.body("n", mass=1, inertia=(1, 1, -0.5)),
     r"inertia of body 'n'.*-0\.5 is negative, and no moment of inertia can be below 0\. Check"),
    (lambda m: m.body("n", mass=1, massless=True),
     r"body 'n' is massless, but mass = 1 is given"),
    (lambda m: m.body("n", density=1000), r"body 'n': density= needs shape="),
    # places
    (lambda m: m.body("n", position=(1, 2)),
     r"position of body 'n' must be three numbers \(x, y, z\) in m, but it is \(1, 2\)"),
    (lambda m: m.body("n", omega=3.0), r"omega of body 'n' must be three numbers \(x, y, z\) in rad/s, but it is 3\.0"),
    (lambda m: m.spherical("J", "a", "c", at=(1, 2, 3, 4)),
     r"spherical joint 'J' must be three numbers \(x, y, z\), but it is \(1, 2, 3, 4\)"),
    (lambda m: m.spherical("J", "a", "c"), r"spherical joint 'J': say where on body 'a', with at=\(x, y, z\)"),
    (lambda m: m.spherical("J", "a", "d", **HERE), r"no body 'd'"),
    # joints
    (lambda m: m.revolute("J", "a", "a", axis="z", **HERE),
     r"joint 'J' connects body 'a' with itself; name two different bodies"),
    (lambda m: m.universal("J", "a", "a", axis="z", second_axis="x", **HERE),
     r"joint 'J' connects body 'a' with itself; name two different bodies"),
    (lambda m: m.rolling_sphere("J", "a", "a", axis="z", radius=1, **HERE),
     r"joint 'J' connects body 'a' with itself; name two different bodies"),
    (lambda m: m.revolute("J", "a", "c", **HERE),
     r"revolute joint 'J': the axis is missing; give axis=\(x, y, z\), global in the drawn pose, or two "
     r"oriented markers"),
    (lambda m: m.point_on_plane("J", "a", "c", **HERE),
     r"point-on-plane 'J': the axis is missing; give it as \(x, y, z\)"),
    (lambda m: m.universal("J", "a", "c", axis="z", **HERE), r"universal joint 'J': give axis= and second_axis="),
    (lambda m: m.universal("J", "a", "c", axis="z", second_axis="-z", **HERE),
     r"universal joint 'J': the arms \(0, 0, 1\) and \(.*-1\) are parallel \(0° apart as drawn\); they must be "
     r"perpendicular \(at least 0\.1° apart in the drawing\)\. Turn one"),
    (lambda m: m.universal("J", "a", "c", axis="z", second_axis=(0.6 * 0.5, 0, math.sqrt(1 - 0.09)), **HERE),
     r"are 17\.46° apart; they must be perpendicular\. Use second_axis=\(1, 0, 0\)"),
    (lambda m: m.constant_velocity("J", "a", "c", axis="z", second_axis="-z", **HERE),
     r"constant-velocity joint 'J': the shafts are bent by 180° as drawn; it can bend by 120° at most\. Turn one"),
    (lambda m: m.screw("J", "a", "c", axis="z", lead=math.inf, **HERE),
     r"lead of screw joint 'J' is inf m; it must be a finite number"),
    (lambda m: m.fix("J", "ground"), r"constraint 'J' fixes the ground, which is fixed already; remove it"),
    # links
    (lambda m: m.link("J", m["a"].at_global(1, 0, 0), "b"),
     r"length of link 'J' is 0 m; it must be greater than 0\. Use a joint with a common point"),
    (lambda m: m.link("J", "a", "b", length=-0.5), r"length of link 'J' is -0\.5 m; it must be greater than 0"),
    (lambda m: m.revolute_revolute("J", m["a"].at_global(1, 0, -1), m["b"].at(0, 0, 0), axis="z"),
     r"link 'J': the link lies along its hinge axes, so they do not hold it; move one end"),
    (lambda m: m.revolute_revolute("J", m["a"].at_global(0, 0, 0), m["b"].at(0, 0, 0), axis="z", second_axis="x"),
     r"link 'J': the hinge axes and the link lie in one plane as drawn, a singular position; turn an axis"),
    (lambda m: m.revolute_revolute("J", m["a"].at_global(0, 0, 0), m["b"].at(0, 0, 0), axis="z", leans=(0.1,)),
     r"leans of revolute-revolute link 'J' must be two numbers"),
    # rolling
    (lambda m: m.rolling_disc("J", "a", "c", axis="z", disc_axis="z", radius=0.3, **HERE),
     r"rolling disc 'J' lies flat on its plane as drawn.*its axis is 0 rad off the normal and must be 0\.001 "
     r"rad at least\. Tilt"),
    (lambda m: m.rolling_sphere("J", "a", "c", axis="z", radius=0, **HERE),
     r"radius of rolling sphere 'J' is 0 m; it must be greater than 0"),
    # couplings
    (lambda m: m.gear("G", "A", "A", radii=(1, 2)),
     r"gear 'G': joint 'A' connects .* 'A' connects .*; exactly one of these bodies must be common to both"),
    (lambda m: m.gear("G", "A", "S", radii=(1, 2)),
     r"gear 'G': joint 'S' is a spherical and has no angle; give one that has"),
    (lambda m: m.gear("G", "A", "Q", radii=(1, 2)), r"no joint \(in gear 'G'\) 'Q'"),
    (lambda m: m.gear("G", "A", "A", radii=(1, -2)), r"radii of gear 'G' is -2 m; it must be greater than 0"),
    (lambda m: m.worm("W", "A", "B", ratio=0), r"ratio of worm 'W' is 0; it must not be"),
    (lambda m: m.rack_and_pinion("R", pinion="A", rack="B", radius=0.1),
     r"rack_and_pinion 'R': joint 'B' is a revolute and has no distance; give one that has"),
    # formulas
    (lambda m: m.equation("E", "a.rx - 2"),
     r"equation 'E': a\.rx has a rate but no value .*; use its rate, or constrain and driver"),
    (lambda m: m.orientation_driver("O", "a", ("t", "t")),
     r"orientation driver 'O'(: give a sequence of three axes| must be three angles)"),
    (lambda m: m.orientation_driver("O", "a", ("t", "t", "a.x")),
     r"orientation driver 'O': the angle a\.x may depend on t only"),
]  # fmt: skip


@pytest.mark.parametrize("build, sentence", BAD, ids=[s for _, s in BAD])
def test_bad_input_is_answered_with_a_sentence_and_leaves_the_model_alone(build, sentence):
    m = drawn()
    before = str(m)
    with pytest.raises(ModelError, match=sentence):
        build(m)
    assert str(m) == before
