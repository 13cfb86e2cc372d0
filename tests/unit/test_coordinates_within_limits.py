"""Coordinates of a mechanism: limits, whole turns, allowed velocities and steps that keep the limits, against plain trigonometry."""

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.robotics.mechanism import LONGEST, Mechanism, coordinates_from, least_norm, mechanism_of
from pytrammel.analysis.robotics.modes import target_of
from pytrammel.errors import ModelError
from robot_mechanisms import arm, five_bar

TAU = math.tau


def crane():
    """A hinge, and a slide along the arm that it carries."""
    m = tm.PlanarModel("crane")
    m.body("boom", position=(0.5, 0.0), mass=1.0, inertia=0.1)
    m.body("trolley", position=(2.0, 0.0), mass=1.0, inertia=0.1)
    m.revolute("J", "ground", "boom", at=(0.0, 0.0))
    m.prismatic("S", "boom", "trolley", at=(0.0, 0.0), axis=(1, 0))
    m.point("P", "trolley", at=(2.0, 0.0))
    return m


@pytest.mark.parametrize("turns", [-3, -1, 0, 1, 2])
@pytest.mark.parametrize("angle", [-0.5, 0.0, 0.9, 1.0])
def test_angles_are_moved_by_whole_turns_into_their_limits(angle, turns):
    limited = mechanism_of(arm(1.0, 0.5), limits={"J1.angle": (-0.5, 1.0)})
    q = np.array([[angle + TAU * turns, 7.0]])
    assert limited.wrapped(q) == pytest.approx(np.array([[angle, 7.0]]), abs=1e-12)
    assert q[0, 0] == angle + TAU * turns


@pytest.mark.parametrize(
    ("limits", "given", "expected"),
    [
        ((None, 1.0), 1.0 + 0.1, 1.1 - TAU),
        ((None, 1.0), -30.0, -30.0),
        ((-0.5, None), -0.6, TAU - 0.6),
        ((-0.5, None), 30.0, 30.0),
        ((-0.5, 1.0), 2.0, 2.0 - TAU),  # no turn leads into the limits
        ((-0.5, 1.0), -1.0, TAU - 1.0),
    ],
)
def test_angles_with_one_limit_or_between_two_turns(limits, given, expected):
    limited = mechanism_of(arm(1.0), limits={"J1.angle": limits})
    assert limited.wrapped(np.array([[given]]))[0, 0] == pytest.approx(expected, abs=1e-12)


def test_a_slide_has_no_turns():
    limited = mechanism_of(crane(), limits={"S.distance": (-1.0, 1.0)})
    q = np.array([[0.3, 1.0 + TAU]])
    assert np.array_equal(limited.wrapped(q), q)
    assert np.array_equal(limited.nearest_turns(q, np.array([[20.0, 0.0]])), [[0.3 + 3 * TAU, 1.0 + TAU]])


def test_angles_with_limits_keep_their_turns_while_free_angles_come_near():
    limited = mechanism_of(arm(1.0, 0.5, 0.5), limits={"J1.angle": (-9.0, None), "J2.angle": (None, 9.0)})
    q, near = np.array([[7.0, 7.0, 7.0]]), np.array([[0.0, 0.0, 0.0]])
    assert np.array_equal(limited.nearest_turns(q, near), [[7.0, 7.0, 7.0 - TAU]])
    assert limited.nearest_turns(q, near + 3.9)[0, 2] == 7.0  # 3.1 rad away, less than half a turn
    assert limited.nearest_turns(q, near + 3.8)[0, 2] == 7.0 - TAU
    assert limited.nearest_turns(q, near + 10.2)[0, 2] == 7.0 + TAU


@pytest.mark.parametrize(("off", "fits"), [(0.0, True), (0.9e-9, True), (1.1e-9, False), (-0.1, True)])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_limits_are_kept_up_to_rounding(off, fits, side):
    limited = mechanism_of(arm(1.0, 0.5), limits={"J2.angle": (-0.5, 0.5)})
    q = np.array([[50.0, side * (0.5 + off)], [50.0, 0.0]])
    assert limited.allowed(q).tolist() == [fits, True]
    assert limited.allowed(q, slack=0.0).tolist() == [off <= 0.0, True]


@pytest.mark.parametrize(
    ("limits", "known"), [({}, False), ({"J1.angle": (0, None)}, True), ({"J1.angle": (None, 0)}, True)]
)
def test_a_mechanism_with_one_limit_is_limited(limits, known):
    assert mechanism_of(arm(1.0), limits=limits).limited is known


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (
            {"J9.angle": (0, 1)},
            r"limits of model 'arm': 'J9.angle' is not a coordinate of a joint. Use some of: J1.angle, J2.angle",
        ),
        ({"J1.angle": 1.0}, r"J1.angle must be a pair \(lower, upper\), but it is 1"),
        ({"J1.angle": "01"}, r"J1.angle must be a pair \(lower, upper\), but it is '01'"),
        ({"J1.angle": (0, 1, 2)}, r"J1.angle must be a pair \(lower, upper\)"),
        ({"J1.angle": (1, 1)}, r"J1.angle has the lower limit 1, but its upper limit is 1. Exchange them"),
        ({"J1.angle": (2, 1)}, r"J1.angle has the lower limit 2, but its upper limit is 1. Exchange them"),
        ({"J1.angle": (math.nan, 1)}, r"limits of model 'arm': J1.angle"),
    ],
)
def test_wrong_limits_are_reported(limits, message):
    with pytest.raises(ModelError, match=message):
        mechanism_of(arm(1.0, 0.5), limits=limits)


def test_a_place_is_read_with_its_units():
    """Poses without units: lengths over the model's length, angles as cosine with sine."""
    mechanism = mechanism_of(arm(3.0, 2.0))
    q = np.array([[0.3, 0.4], [2.0, -1.0]])
    one, both = q[:, 0], q.sum(axis=1)
    first = 1.5 * np.column_stack([np.cos(one), np.sin(one)]) / mechanism.length
    second = (
        3.0 * np.column_stack([np.cos(one), np.sin(one)]) + np.column_stack([np.cos(both), np.sin(both)])
    ) / mechanism.length
    turns = [np.column_stack([np.cos(x), np.sin(x)]) for x in (one, both)]
    assert mechanism.length not in (0.0, 1.0)
    assert mechanism.places(q) == pytest.approx(np.hstack([first, turns[0], second, turns[1]]), abs=1e-12)
    assert mechanism.places(q, "link2") == pytest.approx(np.hstack([second, turns[1]]), abs=1e-12)


def test_coordinates_have_the_units_and_scales_of_their_joints():
    mechanism = mechanism_of(crane())
    assert mechanism.units == ("rad", "m") and mechanism.angular.tolist() == [True, False]
    assert mechanism.wrappable.tolist() == [True, False]
    assert mechanism.of_speeds == pytest.approx([1.0, mechanism.length], rel=1e-12) and mechanism.length != 1.0
    assert mechanism.freedoms == 2 and mechanism.at_velocity == {0: 0, 1: 1}


def test_allowed_velocities_are_those_that_loops_permit():
    """The basis is orthonormal in scaled velocities, spans the null space of the loops, and has one column per freedom."""
    mechanism = mechanism_of(five_bar())
    q = mechanism.f.start[None]
    basis = mechanism.basis(q)[0]
    J = mechanism.f.constraint_jacobian(q)[0]
    assert basis.shape == (mechanism.nv, mechanism.freedoms) == (mechanism.nv, 2)
    assert np.abs(J @ basis).max() < 1e-12
    scaled = basis / mechanism.of_speeds[:, None]
    assert scaled.T @ scaled == pytest.approx(np.eye(2), abs=1e-12)
    open_one = mechanism_of(crane())
    assert np.array_equal(open_one.basis(np.zeros((3, 2)))[1], np.diag(open_one.of_speeds))


def test_a_step_that_would_leave_a_limit_is_made_by_other_joints():
    """At a limit, the other two joints of three make the whole displacement; the smallest step of all three would pass it."""
    mechanism = mechanism_of(arm(1.0, 1.0, 1.0), limits={"J1.angle": (0.0, 0.5), "J2.angle": (-3.0, 3.0)})
    task, goal = target_of(mechanism, "P", [(1.5, 1.2)], None, None)
    for begin, side in (((0.5, 0.4, 0.3), 1.0), ((0.0, 0.4, 0.3), -1.0)):
        q = np.array([begin])
        J = mechanism.equations(q, task, goal)[1]
        residual = -(J @ np.array([side, 0.3, -0.2]))  # the smallest step turns the first joint towards the limit
        step = least_norm(J, -residual)
        assert step[0, 0] * side > 0.0
        kept = mechanism._within(q, step, J, residual)
        other = np.linalg.solve(J[0][:, 1:], -residual[0])
        assert kept[0] == pytest.approx([0.0, *other], abs=1e-9)
        away = mechanism._within(q, -step, J, -residual)  # back from the limit: unchanged
        assert np.array_equal(away, -step)
        inside = mechanism._within(q - side * np.array([[0.1, 0.0, 0.0]]), step, J, residual)
        assert np.array_equal(inside, step)


def test_positions_are_found_within_the_limits_of_the_joints():
    """Both elbows of two links reach the point; limits permit one of them, or none."""
    point = np.array((1.2, 0.5))
    inside = math.acos((point @ point - 2.0) / 2.0)
    for limits, elbow in (((0.0, 3.0), inside), ((-3.0, 0.0), -inside)):
        mechanism = mechanism_of(arm(1.0, 1.0), limits={"J2.angle": limits})
        task, goal = target_of(mechanism, "P", [tuple(point)], None, None)
        q, good = mechanism.solve(np.array([[0.2, 0.7 * elbow]]), task, goal)
        assert good[0] and q[0, 1] == pytest.approx(elbow, abs=1e-9)
        q, good = mechanism.solve(np.array([[0.2, -0.7 * elbow]]), task, goal)
        assert good[0] and q[0, 1] == pytest.approx(elbow, abs=1e-9)
        free, reached = mechanism.solve(np.array([[0.2, -0.7 * elbow]]), task, goal, keep_limits=False)
        assert reached[0] and free[0, 1] == pytest.approx(-elbow, abs=1e-9)
    mechanism = mechanism_of(arm(1.0, 1.0), limits={"J2.angle": (-0.5, 0.5)})
    assert not mechanism.solve(np.array([[0.2, 0.3]]), task, goal)[1][0]


def test_held_coordinates_keep_their_values():
    mechanism = mechanism_of(arm(1.0, 1.0, 1.0))
    task, goal = target_of(mechanism, "P", [(1.5, 1.0)], None, None)
    q, good = mechanism.solve(np.array([[0.1, 0.6, 0.7]]), task, goal, held=[1])
    assert good[0] and q[0, 1] == 0.6
    angles = np.cumsum(q[0])
    assert (np.cos(angles).sum(), np.sin(angles).sum()) == pytest.approx((1.5, 1.0), abs=1e-9)


def test_one_iteration_makes_a_step_of_limited_length():
    mechanism = mechanism_of(arm(1.0, 1.0))
    task, goal = target_of(mechanism, "P", [(-1.0, 1.0)], None, None)
    q, good = mechanism.solve(np.array([[0.3, 0.4]]), task, goal, iterations=1)
    assert not good[0]
    assert np.abs(q - (0.3, 0.4)).max() == pytest.approx(LONGEST, rel=1e-12) and LONGEST == 0.5


def test_random_positions_fill_the_limits_or_a_turn():
    mechanism = mechanism_of(crane(), limits={"J.angle": (0.5, 0.7)})
    q = mechanism.random(np.random.default_rng(0), 400)
    assert 0.5 <= q[:, 0].min() < 0.51 and 0.69 < q[:, 0].max() <= 0.7
    reach = 1.5 * mechanism.length
    assert -reach <= q[:, 1].min() < -0.95 * reach and 0.95 * reach < q[:, 1].max() <= reach
    turned = mechanism_of(crane()).random(np.random.default_rng(0), 400)[:, 0]
    assert -math.pi <= turned.min() < -3.0 and 3.0 < turned.max() <= math.pi


def test_steps_with_the_smallest_norm_are_those_of_the_pseudo_inverse():
    rng = np.random.default_rng(2)
    for rows, columns in ((2, 4), (3, 3), (4, 2), (0, 3)):
        J, right = rng.normal(size=(5, rows, columns)), rng.normal(size=(5, rows))
        expected = np.array([np.linalg.pinv(a) @ b for a, b in zip(J, right, strict=True)]).reshape(5, columns)
        assert least_norm(J, right) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_starting_coordinates_are_named_or_listed():
    mechanism = mechanism_of(arm(1.0, 0.5))
    assert np.array_equal(coordinates_from(mechanism, None, "near"), mechanism.f.start)
    assert np.array_equal(coordinates_from(mechanism, {"J2.angle": 0.4}, "near"), [0.0, 0.4])
    assert np.array_equal(coordinates_from(mechanism, (0.1, 0.2), "near"), [0.1, 0.2])
    with pytest.raises(
        ModelError, match=r"near of model 'arm': 'x' is not a coordinate. Use some of: J1.angle, J2.angle"
    ):
        coordinates_from(mechanism, {"x": 0.4}, "near")
    with pytest.raises(ModelError, match=r"near of model 'arm' must be one state, but it has shape \(1, 2\)"):
        coordinates_from(mechanism, [(0.1, 0.2)], "near")


def test_too_few_actuators_are_reported_with_both_numbers():
    mechanism = mechanism_of(five_bar(), actuators=["A.angle"])
    with pytest.raises(ModelError, match=r"modes of model 'five-bar': 1 actuator \(A.angle\) for 2 degrees of freedom"):
        mechanism.need_actuators("modes")
    assert isinstance(mechanism, Mechanism)
    mechanism_of(five_bar(), actuators=["A.angle", "E.angle"]).need_actuators("modes")
