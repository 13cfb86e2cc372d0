"""Kamman's notes on inter-body joints: relative coordinates, the partition into known and unknown, joint loads by eliminated equations.

The notes hold no numbers. K1, K2 and K5 are the cases of our digest of them, integrated by DOP853 at 1e-12 in a program of its own and
checked against absolute coordinates there: K1 by hand at the start, K2 in motion and all loads, K5 statically.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from kamman_models import I1, K2, chain
from pytrammel.analysis.study.relative_equations import speeds_of_angles


def test_the_generalised_mass_matrix_is_that_of_partial_velocities_and_twice_the_kinetic_energy():
    """(3): A = sum of m V'V + W'I W, with partial velocities of centres and of rotations in body components."""
    m = K2()
    found = tm.textbook.relative_equations(m)
    A = sum(
        body.mass * found.linear[name].T @ found.linear[name] + found.angular[name].T @ np.array(body.inertia) @ found.angular[name]
        for name, body in list(m.bodies.items())[1:]
    )  # fmt: skip
    assert np.abs(found.A - A).max() < 1e-13
    assert found.part("u", "k").shape == (6, 12)
    energy = m.simulate(times=[0.0], progress=False).energy.kinetic[0]
    assert found.y @ found.A @ found.y == pytest.approx(2.0 * energy, rel=1e-12)


def test_a_hinge_about_the_second_axis_at_90_degrees_keeps_its_moment():
    """The multipliers coincide and do not determine the moment (manual: hinge about the second axis at 90°)."""
    m, _ = chain([("one", 1.0, I1, (0.1, 0.05, -0.3), (0, 0, 0), (0, math.pi / 2, 0), (0, 0.7, 0))])
    m.revolute("A", "ground", "one", at=(0, 0, 0), axis="y")
    found = tm.textbook.relative_equations(m)
    assert found.joints == ("hinge 2 'A'",)
    assert "theta2" in found.notes[0]
    assert "axes=" in found.notes[0]


def test_angular_velocity_from_rates_of_angles_is_as_printed():
    """(19): W = [[C2C3, S3, 0], [-C2S3, C3, 0], [S2, 0, 1]]."""
    t = np.array([0.3, -0.7, 1.1])
    (_, c2, c3), (_, s2, s3) = np.cos(t), np.sin(t)
    expected = [[c2 * c3, s3, 0], [-c2 * s3, c3, 0], [s2, 0, 1]]
    assert speeds_of_angles(t) == pytest.approx(np.array(expected), abs=1e-15)


def test_euler_parameters_give_the_same_multipliers_in_the_body():
    """Locked speeds of rotation have the moments in the body for multipliers; loads are the same either way."""
    one = tm.textbook.relative_equations(K2())
    two = tm.textbook.relative_equations(K2(), formulation=tm.formulations.relative(rotations="parameters"))
    assert two.names[12:15] == ("three.omega1", "three.omega2", "three.omega3")
    turning = speeds_of_angles(np.array([0.2, 0.3, -0.1]))
    assert two.y[12:15] == pytest.approx(turning @ one.y[12:15], abs=1e-12)
    for name in "ABC":
        assert two.loads[name].force_lower == pytest.approx(one.loads[name].force_lower, abs=1e-11)
        assert two.loads[name].moment_lower == pytest.approx(one.loads[name].moment_lower, abs=1e-11)
