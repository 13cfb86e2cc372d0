"""Motors and torsion springs in joints of the plane and between two bodies: closed forms, equality of both, and messages."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

MASS, INERTIA, ARM = 2.0, 0.3, 0.4


def pair():
    """Two rods on pins in weightlessness, the second on the first, and a block on a slide."""
    m = tm.PlanarModel("pair", gravity=(0.0, 0.0))
    m.body("a", position=(ARM, 0.0), mass=MASS, inertia=INERTIA, omega=0.7)
    m.body("b", position=(2 * ARM, ARM), angle=math.pi / 2, mass=1.0, inertia=0.1)
    m.revolute("A", "ground", "a", at=(0.0, 0.0))
    m.revolute("B", "a", "b", at=(2 * ARM, 0.0))
    return m


def slide():
    m = tm.PlanarModel("slide", gravity=(0.0, 0.0))
    m.body("block", mass=MASS, inertia=INERTIA)
    m.prismatic("T", m.ground, "block", at=(0.0, 0.0), axis=(0.6, 0.8))
    return m


LAW = "2 - 0.5*B.angle.rate + sin(t)"


@pytest.mark.parametrize(
    "joint", ["B", "B.angle", lambda m: m["B"], lambda m: m["B"].angle, lambda m: m.angle_between("a", "b")]
)
def test_a_motor_in_a_joint_is_the_motor_between_its_bodies(joint):
    one, two = pair(), pair()
    one.motor("M", joint(one) if callable(joint) else joint, LAW)
    two.motor("M", first="a", second="b", torque=LAW)
    r, s = (m.simulate(1.0, samples=11) for m in (one, two))
    np.testing.assert_array_equal(r.q, s.q)
    np.testing.assert_array_equal(r["M.torque"], s["M.torque"])
    assert one["M"].bodies == two["M"].bodies == ("a", "b")


def test_a_torsion_spring_in_a_joint_is_the_spring_between_its_bodies():
    settings = {"stiffness": 3.0, "damping": 0.2, "torque": "0.3*t"}
    one, two = pair(), pair()
    one.torsion_spring("S", "B", **settings)
    two.torsion_spring("S", first="a", second="b", **settings)
    r, s = (m.simulate(1.0, samples=11) for m in (one, two))
    np.testing.assert_array_equal(r.q, s.q)
    np.testing.assert_array_equal(r["S.spring"], s["S.spring"])


def test_a_motor_on_a_pin_turns_its_rod_by_torque_over_inertia():
    m = pair().copy(without=["B", "b"])
    m.motor("M", "A", 1.5)
    r = m.simulate(1.0, samples=5)
    rate = 1.5 / (INERTIA + MASS * ARM**2)
    np.testing.assert_allclose(r["A.angle"], 0.7 * r.times + rate * r.times**2 / 2, rtol=1e-9, atol=1e-12)


def test_a_motor_on_a_slide_is_a_force_along_it():
    m = slide()
    m.motor("M", "T", "4*t")
    r = m.simulate(1.0, samples=5)
    np.testing.assert_allclose(r["T.distance"], 4.0 * r.times**3 / 6 / MASS, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(r["M.force"], 4.0 * r.times, rtol=1e-12, atol=1e-12)


def test_both_forms_are_drawn_alike_and_kept_in_files(tmp_path):
    for given in ({"joint": "B"}, {"first": "a", "second": "b"}):
        m = pair()
        m.motor("M", torque=LAW, **given)
        m.torsion_spring("S", stiffness=3.0, **given)
        kept = tm.load(m.save(tmp_path / "m.toml"))
        for name in ("M", "S"):
            (symbol,) = m[name].symbols
            assert (symbol.body, symbol.other_body) == ("a", "b") and symbol == kept[name].symbols[0]
            assert (
                kept[name].parameters == m[name].parameters
                and given.items() <= {**m[name].parameters, "joint": "B"}.items()
            )


@pytest.mark.parametrize("kind", ["motor", "torsion_spring"])
@pytest.mark.parametrize("given, message", [
    ({}, r"needs joint=, which is missing\. Use joint=, or two bodies: first= and second="),
    ({"first": "a"}, r"needs second=, which is missing"), ({"second": "a"}, r"needs first=, which is missing"),
    ({"joint": "A", "first": "a"}, r"has both joint= and first=\. Use either a joint or two bodies"),
    ({"first": "a", "second": "a"}, r"connects body 'a' with itself"),
])  # fmt: skip
def test_a_joint_or_two_bodies_are_needed_in_the_plane(kind, given, message):
    m = pair()
    load = {"torque": 1.0} if kind == "motor" else {"stiffness": 1.0}
    with pytest.raises(tm.ModelError, match=rf"'M'.*{message}"):
        getattr(m, kind)("M", **given, **load)


def test_a_constant_angle_is_not_driven():
    with pytest.raises(
        tm.ModelError, match=r"joint 'T' is a prismatic, which holds 'T\.angle'\. Use a joint that leaves it free"
    ):
        slide().torsion_spring("S", "T", stiffness=1.0)


def test_a_motor_needs_a_torque():
    with pytest.raises(tm.ModelError, match=r"motor 'M' needs torque=, which is missing"):
        pair().motor("M", "A")


@pytest.mark.parametrize("given, message", [
    ({}, r"needs joint=, which is missing"),
    ({"first": "a", "second": "ground"}, r"first= and second= is not supported in space.*Use joint="),
])  # fmt: skip
def test_two_bodies_have_no_angle_in_space(given, message):
    m = tm.SpatialModel()
    m.body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(tm.ModelError, match=message):
        m.motor("M", torque=1.0, **given)


def test_values_in_the_former_order_raise_an_error():
    with pytest.raises(tm.ModelError, match=r"takes 2 values without a name \(joint, torque\), but 3 are given"):
        pair().motor("M", "a", "b", 1.0)
    with pytest.raises(tm.ModelError, match=r"takes no value without a name, but 2 are given"):
        pair().rolling("R", "ground", "a", radius=0.1, axis=(1, 0), at=(0, 0))
