"""Models as robots: relations of coordinates, laws along them and compensated weights, against the formulas of the model."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.expressions.expression import parse
from pytrammel.io.robots.conversion_report import ConversionReport
from pytrammel.io.robots.description.tree import describe

GRAVITY = (0.0, -3.0, -9.0)
AT = {"A.angle": ("A", 0), "B.angle": ("B", 0), "S.distance": ("S", 0)}


def arms():
    m = tm.SpatialModel("arms", gravity=GRAVITY)
    for k, name in enumerate("abs"):
        m.body(name, position=(0.4 * k, 0.1, 0.2), mass=2.0 + k, inertia=(0.1, 0.2, 0.25))
    m.revolute("A", "ground", "a", at=(0.0, 0.1, 0.2), axis="x")
    m.revolute("B", "ground", "b", at=(0.4, 0.1, 0.2), axis="z")
    m.prismatic("S", "ground", "s", at=(0.8, 0.1, 0.2), axis="x")
    return m


def robot_of(m):
    account = ConversionReport()
    return describe(m, account), " ".join(map(str, account))


def misfit(relation, values):
    """Left side minus polynomial of the right side for values of the coordinates by joint and axis."""
    left = sum(factor * values[joint, axis] for factor, joint, axis in relation.left) - relation.left0
    right = sum(factor * values[joint, axis] for factor, joint, axis in relation.right) - relation.right0
    return left - sum(c * right**k for k, c in enumerate(relation.coefficients))


RELATIONS = [
    "2*A.angle - 3*B.angle + 0.4",
    "0.5*A.angle + 4*B.angle + 0.3*S.distance",
    "1.2 - 4*B.angle",
    "2*A.angle - B.angle^2 + 0.7*B.angle - 0.35",
    "S.distance^3 - 0.2*S.distance^4 + 3*B.angle",
    "0.02*A.angle + 1.5*B.angle*B.angle*B.angle*B.angle",
]


@pytest.mark.parametrize("text", RELATIONS)
def test_relations_hold_where_their_equations_do(text):
    m = arms()
    m.equation("E", text)
    relation = robot_of(m)[0].relations["E"]
    rng = np.random.default_rng(2)
    factors = set()
    for x in rng.uniform(-2.0, 2.0, (5, 3)):
        given = dict(zip(AT, x, strict=True))
        exact = float(parse(text).evaluate(given))
        found = misfit(relation, {AT[key]: value for key, value in given.items()})
        factors.add(round(exact / found, 9))
    assert len(factors) == 1  # the same equation but for a factor


@pytest.mark.parametrize(
    "text",
    [
        "A.angle - sin(B.angle)",
        "A.angle^2 - B.angle^2",
        "A.angle - B.angle^5",
        "A.angle*B.angle - 1e-3",
        "A.angle - B.angle^2 + 1e-6*sin(9*B.angle)",
    ],
)
def test_equations_that_are_no_polynomials_of_one_coordinate_are_refused(text):
    m = arms()
    m.equation("E", text)
    with pytest.raises(tm.ModelError, match="cannot be written as a robot: it has equation 'E'"):
        robot_of(m)


def test_a_kept_coordinate_has_its_value():
    m = arms()
    m.constrain("K", "B.angle", value=0.3)
    (relation,) = robot_of(m)[0].relations.values()
    assert misfit(relation, {("B", 0): 0.3}) == pytest.approx(0.0, abs=1e-15)
    assert abs(misfit(relation, {("B", 0): 0.4})) == pytest.approx(0.1)


def along(law, quantity="A.angle", **more):
    m = arms()
    m.user_force("F", quantity, law)
    for name, other in more.items():
        m.user_force(name, quantity, other)
    robot, account = robot_of(m)
    return robot, account, robot.joints[quantity[0]].axes[0]


def test_linear_laws_are_springs_and_dampers_of_their_coordinate():
    robot, _, axis = along("2 - 5*A.angle - 0.3*A.angle.rate")
    assert (axis.stiffness, axis.damping, axis.rest) == pytest.approx((5.0, 0.3, 0.4)) and not robot.actuators
    robot, _, axis = along("-0.3*A.angle.rate")
    assert (axis.stiffness, axis.damping, axis.rest) == (0.0, 0.3, 0.0)
    robot, _, axis = along("-4*S.distance", "S.distance")
    assert (axis.stiffness, axis.damping, axis.rest) == (4.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("law", "bias"),
    [("2", (2.0, 0.0, 0.0)), ("3*A.angle", (0.0, 3.0, 0.0)), ("-A.angle + 0.2*A.angle.rate", (0.0, -1.0, 0.2)),
     ("2 - 0.5*A.angle.rate", (2.0, 0.0, -0.5))],
)  # fmt: skip
def test_laws_that_no_spring_or_damper_has_are_actuators(law, bias):
    robot, _, axis = along(law)
    actuator = robot.actuators["F"]
    assert (actuator.joint, actuator.axis, actuator.gain) == ("A", 0, 0.0) and actuator.bias == pytest.approx(bias)
    assert (axis.stiffness, axis.damping) == (0.0, 0.0)


def test_the_second_spring_of_a_coordinate_is_an_actuator():
    robot, _, axis = along("-5*A.angle", G="-2*A.angle - A.angle.rate")
    assert axis.stiffness == 5.0 and axis.damping == 0.0
    assert robot.actuators["G"].bias == pytest.approx((0.0, -2.0, -1.0))


@pytest.mark.parametrize("law", ["-A.angle^3", "-5*B.angle", "-2*t"])
def test_other_laws_are_reported(law):
    robot, account, axis = along(law)
    assert not robot.actuators and axis.stiffness == 0.0 and "'F'" in account


def lifted(vector, place=(0.0, 0.0, 0.0), **more):
    m = arms()
    m.force("W", m["b"].at(*place), vector, **more)
    robot, account = robot_of(m)
    assert ("'W'" in account) is (robot.links["b"].lift == 0.0)
    return robot.links["b"].lift


def test_constant_forces_against_gravity_are_compensated_weights():
    """The body has 3 kg: its weight is (0, -9, -27) N."""
    assert lifted((0.0, 6.3, 18.9)) == pytest.approx(0.7)
    assert lifted((0.0, -4.5, -13.5)) == pytest.approx(-0.5)
    assert lifted((0.0, 6.3, 18.9 + 2e-11)) == pytest.approx(0.7)
    assert lifted((0.0, 6.3, 18.9 + 1e-9)) == 0.0
    assert lifted((1.0, 6.3, 18.9)) == 0.0
    assert lifted((0.0, 6.3, 18.9), place=(0.0, 0.0, 1e-6)) == 0.0
    assert lifted(("2*t", 6.3, 18.9)) == 0.0
