"""Poses, angles and rotation vectors of robot files against closed forms, on both sides of their thresholds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytrammel.io.robots.closing import _inverse_jacobian, _rotation_vector
from pytrammel.io.robots.poses import (
    Pose,
    about,
    from_quaternion,
    from_rpy,
    on_axis,
    shift,
    to_quaternion,
    to_rpy,
    turn,
)

AXES = [np.array(axis) / 3.0 for axis in ((1.0, 2.0, 2.0), (-2.0, 1.0, 2.0), (2.0, -2.0, -1.0))]
QUARTER = 0.5 * math.pi


def cross(vector):
    return np.column_stack([np.cross(vector, e) for e in np.eye(3)])


def test_poses_combine_like_homogeneous_matrices():
    def matrix(pose):
        return np.block([[pose.rotation, pose.position[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

    a = Pose(np.array([0.1, -0.2, 0.3]), turn(AXES[0], 0.7))
    b = Pose(np.array([-1.0, 0.5, 2.0]), turn(AXES[1], -2.1))
    np.testing.assert_allclose(matrix(a @ b), matrix(a) @ matrix(b), atol=1e-15)
    np.testing.assert_allclose(matrix(a.inverse), np.linalg.inv(matrix(a)), atol=1e-15)
    np.testing.assert_allclose([*a.at((3.0, 1.0, -1.0)), 1.0], matrix(a) @ [3.0, 1.0, -1.0, 1.0], atol=1e-15)
    np.testing.assert_array_equal(matrix(Pose()), np.eye(4))


def test_poses_are_compared_to_a_tolerance_of_their_size():
    far = shift(9.0, -3.0, 0.0)
    assert far.near(shift(9.0 + 0.9e-11, -3.0, 0.0)) and not far.near(shift(9.0 + 1.2e-11, -3.0, 0.0))
    assert far.near(shift(9.0, -3.0, 0.09), 0.01) and not far.near(shift(9.0, -3.0, 0.11), 0.01)
    assert Pose().near(Pose(np.zeros(3), about("z", 0.9e-12))) and not Pose().near(
        Pose(np.zeros(3), about("x", 1.1e-12))
    )


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, 2.0, -1.1])
def test_turns_keep_their_axis_and_turn_by_their_angle(axis, angle):
    R = turn(axis, angle)
    np.testing.assert_allclose(R @ axis, axis, atol=1e-15)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    across = np.cross(axis, np.eye(3)[0])
    np.testing.assert_allclose(
        R @ across, math.cos(angle) * across + math.sin(angle) * np.cross(axis, across), atol=1e-15
    )
    np.testing.assert_allclose(from_quaternion(3.0 * to_quaternion(R)), R, atol=1e-15)


@pytest.mark.parametrize("distance", [0.0, 1e-12, 2e-9, 1e-6, 0.05, 0.4])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rolls_pitches_and_yaws_give_their_rotation(distance, sign):
    """Also near a pitch of a quarter turn, where yaw is set to zero."""
    pitch = sign * (QUARTER - distance)
    pose = from_rpy((1.0, 2.0, 3.0), (0.4, pitch, -0.7))
    np.testing.assert_allclose(pose.rotation, about("z", -0.7) @ about("y", pitch) @ about("x", 0.4), atol=1e-15)
    angles = to_rpy(pose.rotation)
    assert angles[1] == pytest.approx(pitch, abs=1e-12)
    np.testing.assert_allclose(
        from_rpy((0, 0, 0), angles).rotation, pose.rotation, atol=2e-9 if distance < 1e-9 else 1e-14
    )
    if distance > 1e-9:  # rounding of entries of the size of the distance
        assert angles == pytest.approx((0.4, pitch, -0.7), abs=1e-15 / distance)
    else:
        assert angles == pytest.approx((0.4 + sign * 0.7, pitch, 0.0), abs=2e-9)


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("angle", [0.0, 1e-10, 1e-7, 1e-3, 1.2, 2.6, 2.75, math.pi - 1e-4, math.pi - 1e-9])
def test_rotation_vectors_are_axes_times_angles(axis, angle):
    np.testing.assert_allclose(_rotation_vector(turn(axis, angle)), angle * axis, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("angle", [0.9e-4, 1.1e-4, 0.05, 0.5, 2.0, 3.0])
def test_derivatives_of_rotation_vectors_invert_the_left_jacobian(axis, angle):
    """Its series is I + (1 - cos a)/a^2 K + (a - sin a)/a^3 K^2 with the matrix K of the vector of length a."""
    K = cross(angle * axis)
    half = math.sin(0.5 * angle)
    odd = 1.0 / 6.0 - angle**2 / 120.0 if angle < 1e-3 else (angle - math.sin(angle)) / angle**3
    left = np.eye(3) + 2.0 * half * half / angle**2 * K + odd * K @ K
    np.testing.assert_allclose(_inverse_jacobian(angle * axis) @ left, np.eye(3), atol=2e-14 if angle > 1e-3 else 2e-15)


def test_frames_on_axes_lie_along_them_and_near_the_other_direction():
    z, x = np.array([0.0, 3.0, 4.0]), np.array([2.0, 5.0, 0.0])
    R = on_axis(z, x)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_allclose(R[:, 2], z / 5.0, atol=1e-15)
    assert R[:, 1] @ x == pytest.approx(0.0, abs=1e-15) and R[:, 0] @ x > 0.0
    for near, kept in ((1e-7, True), (1e-10, False)):  # directions along the axis do not choose x
        R = on_axis((0.0, 0.0, 2.0), (0.6 * near, 0.8 * near, 1.0))
        assert (R[:, 0] == pytest.approx([0.6, 0.8, 0.0], abs=1e-8)) is kept
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
