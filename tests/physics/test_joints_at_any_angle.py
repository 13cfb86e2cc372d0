"""Axes that meet at any angle, and frames that stay parallel."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import ModelError

TILTED = (math.sin(1.0), 0.0, math.cos(1.0))


def two_bodies(omega=None):
    m = tm.SpatialModel("two", gravity=(0.0, 0.0, -9.81))
    m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.body("b", mass=2.0, inertia=(0.2, 0.1, 0.3), position=(0.5, 0.0, 0.0), omega=omega)
    m.fix("base", "a")
    return m


def test_axes_that_meet_keep_their_angle_and_point():
    m = two_bodies(omega=(None, None, 1.0))
    m.intersecting_axes("J", "a", "b", at=(0.0, 0.0, 0.0), axis="z", second_axis=TILTED)
    assert m.mobility().dof == 2
    r = m.simulate(1.0, samples=21)
    axis = r["b"].matrix @ np.array(TILTED)
    np.testing.assert_allclose(axis[:, 2], math.cos(1.0), atol=1e-9)
    np.testing.assert_allclose(r.point(m["b"].at(-0.5, 0.0, 0.0)).position, 0.0, atol=1e-9)
    assert np.abs(r["energy.balance"]).max() < 1e-6
    square = two_bodies()
    square.intersecting_axes("J", "a", "b", at=(0.0, 0.0, 0.0), axis="z", second_axis="x")
    other = two_bodies()
    other.universal("J", "a", "b", at=(0.0, 0.0, 0.0), axis="z", second_axis="x")
    one, two = (model.simulate(0.5, samples=6) for model in (square, other))
    np.testing.assert_allclose(one.q[:, :14], two.q[:, :14], atol=1e-7)  # at right angles it is a universal joint


def test_parallel_frames_move_without_turning():
    m = two_bodies()
    m = m.copy(changes={"b": {"velocity": (1.0, 2.0, 3.0)}})
    m.parallel_frames("P", "a", "b")
    m.torque("T", "b", (1.0, 2.0, 3.0))
    assert m.mobility().dof == 3
    r = m.simulate(0.5, samples=6)
    np.testing.assert_allclose(r["b"].matrix, np.broadcast_to(np.eye(3), (6, 3, 3)), atol=1e-9)
    np.testing.assert_allclose(r["b.z"], 3.0 * r.times - 0.5 * 9.81 * r.times**2, atol=1e-8)


def test_axes_along_one_line_are_refused():
    with pytest.raises(ModelError, match=r"at least 0\.01745 rad"):
        two_bodies().intersecting_axes("J", "a", "b", at=(0.0, 0.0, 0.0), axis="z", second_axis="z")
    with pytest.raises(ModelError, match="give axis= and second_axis="):
        two_bodies().intersecting_axes("J", "a", "b", at=(0.0, 0.0, 0.0), axis="z")


@pytest.mark.parametrize("axis", [(1.0, 1.0, 1.0), (1.0, 2.0, 1.0), (1.0, 0.0, 5.0)])
@pytest.mark.parametrize(("sign", "angle"), [(1.0, r"e-08|0"), (-1.0, r"3\.142")])
def test_rounded_cosines_beyond_one_are_angles_along_one_line(axis, sign, angle):
    """The product of these unit vectors with themselves is rounded to more than 1."""
    opposite = tuple(sign * x for x in axis)
    with pytest.raises(ModelError, match=rf"'J' of intersecting axes: the angle of its axes is \S*({angle}) rad"):
        two_bodies().intersecting_axes("J", "a", "b", at=(0.0, 0.0, 0.0), axis=axis, second_axis=opposite)
