"""Rotations in space: identities, another code, and independent derivatives.

"Digest" is the digest of Nikravesh (1988) that the identities come from.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pytrammel import rotations as rot
from pytrammel.errors import SingularError
from rotation_states import I3, I4, ROUNDING, States, T, close, difference, same_orientation

SEQUENCES = [s for s in map("".join, itertools.product("xyz", repeat=3)) if s[0] != s[1] != s[2]]
PROPER = [s for s in SEQUENCES if s[0] == s[2]]


def times(m, v):
    return np.einsum("...ij,...j->...i", m, v)


def outer(a, b):
    return a[..., :, None] * b[..., None, :]


@pytest.fixture(scope="module")
def s():
    return States(1)


@pytest.fixture(scope="module")
def other():
    return States(2)


# --- identities of the digest of chapters 6-8, sections 2.1 to 2.8 ---


def test_tilde_algebra(s):
    ta, tb = rot.skew(s.a), rot.skew(s.b)
    close(times(ta, s.b), np.cross(s.a, s.b))
    close(T(ta), -ta)
    close(times(ta, s.b), -times(tb, s.a))
    close(times(ta, s.a), 0)
    ab = np.sum(s.a * s.b, axis=-1)[:, None, None]
    close(ta @ tb, outer(s.b, s.a) - ab * I3)
    close(rot.skew(times(ta, s.b)), outer(s.b, s.a) - outer(s.a, s.b))
    close(rot.skew(times(ta, s.b)), ta @ tb - tb @ ta)
    close(ta @ tb + outer(s.a, s.b), tb @ ta + outer(s.b, s.a))
    close(s.A @ ta, rot.skew(times(s.A, s.a)) @ s.A)  # 6.88
    close(rot.skew(times(s.A, s.a)), s.A @ ta @ T(s.A))  # 6.89
    close(rot.unskew(ta), s.a)
    close(rot.unskew(ta + outer(s.a, s.a)), s.a)


def test_matrix_of_euler_parameters(s):
    e0, e = s.p[:, 0, None, None], s.p[:, 1:]
    by_6_18 = (2 * e0**2 - 1) * I3 + 2 * (outer(e, e) + e0 * rot.skew(e))
    close(s.A, by_6_18)
    close(T(s.A), (2 * e0**2 - 1) * I3 + 2 * (outer(e, e) - e0 * rot.skew(e)))
    close(times(s.A, e), e)
    close(times(T(s.A), e), e)
    close(np.trace(s.A, axis1=1, axis2=2), 4 * s.p[:, 0] ** 2 - 1)
    close(s.A @ T(s.A), np.broadcast_to(I3, s.A.shape))
    close(np.linalg.det(s.A), 1)
    close(rot.matrix(-s.p), s.A)


def test_half_turns_have_symmetric_matrices(s):
    u = s.a / np.linalg.norm(s.a, axis=-1, keepdims=True)
    p = np.concatenate([np.zeros((len(u), 1)), u], axis=-1)
    close(rot.matrix(p), 2 * outer(u, u) - I3)  # 6.29


def test_g_and_l_of_one_state_entry_by_entry():
    e0, e1, e2, e3 = p = 2.0, 3.0, 5.0, 7.0  # primes, so that no two entries can be confused
    close(rot.G(p), [[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]], 0)
    close(rot.L(p), [[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]], 0)
    close(rot.plus([2, 3, 5]), [[0, -2, -3, -5], [2, 0, -5, 3], [3, 5, 0, -2], [5, -3, 2, 0]], 0)
    close(rot.minus([2, 3, 5]), [[0, -2, -3, -5], [2, 0, 5, -3], [3, -5, 0, 2], [5, 3, -2, 0]], 0)


def test_products_of_g_and_l(s):
    for M in (s.G, s.L):
        close(times(M, s.p), 0)
        close(M @ T(M), np.broadcast_to(I3, (40, 3, 3)))
        close(T(M) @ M, I4 - outer(s.p, s.p))
    for M, Md in ((s.G, s.Gd), (s.L, s.Ld)):
        close(times(M, s.pdot), -times(Md, s.p))
        close(times(Md, s.pdot), 0)
        close(M @ T(Md), -Md @ T(M))
    close(s.G @ T(s.Ld), s.Gd @ T(s.L))
    close(rot.skew(times(s.G, s.pdot)), -s.G @ T(s.Gd))
    close(rot.skew(times(s.L, s.pdot)), s.L @ T(s.Ld))
    close(s.Add, 2 * s.Gdd @ T(s.L) + 2 * s.Gd @ T(s.Ld))


def test_four_by_four_matrices(s):
    plus, minus, ta = rot.plus(s.a), rot.minus(s.a), rot.skew(s.a)
    close(T(plus), -plus)
    close(T(minus), -minus)
    for x, Gx, Lx in ((s.p, s.G, s.L), (s.pdot, s.Gd, s.Ld), (s.pddot, s.Gdd, s.Ldd)):
        close(times(T(Gx), s.a), times(plus, x))
        close(times(T(Lx), s.a), times(minus, x))
    close(s.G @ plus, ta @ s.G + outer(s.a, s.p))
    close(s.L @ minus, -ta @ s.L + outer(s.a, s.p))
    plus_b = rot.plus(s.b)
    close(plus_b @ minus, minus @ plus_b)


def test_derivatives_of_a_times_a_vector(s):
    plus, minus = rot.plus(s.a), rot.minus(s.a)
    close(times(s.Ad, s.a), 2 * times(s.G @ minus, s.pdot))
    close(times(s.Ad, s.a), 2 * times(s.Gd @ minus, s.p))
    close(times(T(s.Ad), s.a), 2 * times(s.L @ plus, s.pdot))
    close(times(T(s.Ad), s.a), 2 * times(s.Ld @ plus, s.p))
    h = 2 * times(s.Gd @ T(s.Ld), s.a)
    close(times(s.Add, s.a), h + 2 * times(s.G @ minus, s.pddot))
    close(times(s.Add, s.a), 2 * times(s.Gd @ minus, s.pdot) + 2 * times(s.G @ minus, s.pddot))
    close(times(T(s.Add), s.a), 2 * times(s.Ld @ T(s.Gd), s.a) + 2 * times(s.L @ plus, s.pddot))
    close(times(T(s.Add), s.a), 2 * times(s.Ld @ plus, s.pdot) + 2 * times(s.L @ plus, s.pddot))
    Aa = times(s.A, s.a)
    close(2 * s.G @ minus, -2 * rot.skew(Aa) @ s.G + 2 * outer(Aa, s.p))
    close(s.G @ minus @ T(s.L), -s.A @ rot.skew(s.a))
    w = rot.angular_velocity(s.p, s.pdot, frame="global")
    half_square = 0.5 * np.sum(w * w, axis=-1)[:, None]
    close(h, np.cross(w, np.cross(w, Aa)) + half_square * Aa)


def test_jacobians_by_euler_parameters(s):
    # A is quadratic in p, so central differences are exact for any step; 1/2 keeps the rounding small
    p, a = s.p[0], s.a[0]
    columns = [(rot.matrix(p + 0.5 * e) - rot.matrix(p - 0.5 * e)) for e in I4]
    close(np.stack([c @ a for c in columns], axis=-1), 2 * rot.G(p) @ rot.minus(a))  # 7.34
    close(np.stack([c.T @ a for c in columns], axis=-1), 2 * rot.L(p) @ rot.plus(a))  # 7.35
    # form 6.18 is G L^T + (p^T p - 1) I for any p, which adds 2 a p^T (6.86, 6.87)
    close(
        np.stack([c @ a + 2 * p[k] * a for k, c in enumerate(columns)], axis=-1),
        2 * rot.G(p) @ rot.minus(a) + 2 * np.outer(a, p),
    )


def test_two_forms_of_the_matrix_differ_by_the_normalisation(s):
    p = 1.3 * s.p[0] + 0.1
    e0, e = p[0], p[1:]
    by_6_18 = (2 * e0**2 - 1) * I3 + 2 * (np.outer(e, e) + e0 * rot.skew(e))
    close(by_6_18, rot.matrix(p) + (p @ p - 1) * I3)


def test_angular_velocity_and_acceleration_maps(s):
    w, wb = rot.angular_velocity(s.p, s.pdot, frame="global"), rot.angular_velocity(s.p, s.pdot)
    wd, wbd = rot.angular_acceleration(s.p, s.pddot, frame="global"), rot.angular_acceleration(s.p, s.pddot)
    close(w, times(s.A, wb))
    close(wd, times(s.A, wbd))
    close(np.sum(w * w, axis=-1), 4 * np.sum(s.pdot**2, axis=-1))  # 6.114
    close(rot.skew(w), 2 * s.Gd @ T(s.G))
    close(rot.skew(w), s.Ad @ T(s.A))
    close(rot.skew(wb), 2 * s.L @ T(s.Ld))
    close(rot.skew(wb), T(s.A) @ s.Ad)
    close(rot.parameter_rate(s.p, w, frame="global"), s.pdot)
    close(rot.parameter_rate(s.p, wb), s.pdot)
    close(rot.parameter_acceleration(s.p, w, wd, frame="global"), s.pddot)
    close(rot.parameter_acceleration(s.p, wb, wbd), s.pddot)


def test_relative_orientation(s, other):
    pi, pj = s.p, other.p
    pij = rot.relative(pi, pj)
    close(rot.matrix(pij), T(other.A) @ s.A)
    close(pij[:, 0], np.sum(pi * pj, axis=-1))
    close(pij[:, 1:], times(other.L, pi))
    close(rot.from_relative(pij, pj), pi)
    close(np.trace(rot.matrix(pij), axis1=1, axis2=2), 4 * np.sum(pi * pj, axis=-1) ** 2 - 1)
    close(times(s.L, pj), -times(other.L, pi))  # 6.118
    close(times(s.G, pj), -times(other.G, pi))
    close(times(s.L, other.pdot), -times(other.Ld, pi))  # 6.124
    close(times(s.G, other.pdot), -times(other.Gd, pi))
    for A in (s.A, other.A):
        close(times(A, pij[:, 1:]), times(other.G, pi))
    pji = rot.relative(pj, pi)
    close(pji, rot.conjugate(pij))
    close(rot.product(pi, pji), pj)


def test_relative_angular_velocity(s, other):
    pij = rot.relative(s.p, other.p)
    pijd = rot.relative(s.pdot, other.p) + rot.relative(s.p, other.pdot)
    difference = 2 * times(s.G, s.pdot) - 2 * times(other.G, other.pdot)
    close(rot.angular_velocity(pij, pijd, frame="global"), times(T(other.A), difference))
    close(rot.angular_velocity(pij, pijd), times(T(s.A), difference))


def test_product_is_the_product_of_matrices(s, other):
    close(rot.matrix(rot.product(s.p, other.p)), s.A @ other.A)
    close(rot.matrix(rot.conjugate(s.p)), T(s.A))


def test_semi_rotating_components(s):
    star = rot.semi_rotating(s.p, s.a)
    close(times(s.G, star), times(s.A, s.a))
    close(np.sum(star * s.p, axis=-1), 0)


# --- the direction of finite turns (digest 2.8, the direction trap and the sign trap) ---


def test_relative_axis_carries_j_onto_i(s, other):
    axis, angle = rot.relative_axis(s.p, other.p, frame="global")
    assert np.all((angle >= 0) & (angle <= math.pi))
    close(rot.rotate(T(other.A), axis[:, None], angle[:, None]), T(s.A))  # rows of A^T are the body axes
    body, same = rot.relative_axis(s.p, other.p)
    close(same, angle, 0)
    close(times(s.A, body), axis)
    close(times(other.A, body), axis)


def test_intermediate_axis_runs_from_start_to_end():
    start, end = rot.from_axis_angle([0, 0, 1], 0.2), rot.from_axis_angle([0, 0, 1], 0.7)
    for sign in (1, -1):  # -p is the same orientation: the short way is meant
        axis, angle = rot.intermediate_axis(start, sign * end)
        close(axis, [0, 0, 1])
        close(angle, 0.5)
    axis, angle = rot.intermediate_axis(end, start)
    close(axis, [0, 0, -1])
    close(angle, 0.5)


def test_between_turns_at_constant_speed(s, other):
    whole = rot.relative_axis(other.p, s.p)[1]
    for fraction in (0.0, 0.25, 1.0):
        part = rot.between(s.p, other.p, fraction)
        # angles come from e by atan2, exact to rounding
        close(rot.relative_axis(part, s.p)[1], fraction * whole, 1e-12)
        close(rot.relative_axis(other.p, part)[1], (1 - fraction) * whole, 1e-12)
        assert np.all(np.sum(part * s.p, axis=-1) >= 0)
    same_orientation(rot.between(s.p, other.p, 1.0), other.p)
    close(
        rot.between([1, 0, 0, 0], [0, 0, 0, 2], [0, 0.5, 1]),
        [[1, 0, 0, 0], [math.sqrt(0.5), 0, 0, math.sqrt(0.5)], [0, 0, 0, 1]],
    )


# --- derivatives along motions, against complex steps and differences ---


def path(t):
    """A unit vector p(t) that is analytic, so that t may be complex."""
    x = np.array([1.0 + 0.3 * np.sin(t), 0.4 * np.cos(2 * t), 0.5 * np.sin(t + 1), 0.2 + 0.6 * np.cos(t)])
    return x / np.sqrt(np.sum(x * x))


def path_rate(t):
    return path(t + 1e-30j).imag / 1e-30


def path_matrix(t):
    """Eq. 6.18, written out for complex t."""
    e0, *e = path(t)
    tilde = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return (2 * e0**2 - 1) * I3 + 2 * (np.outer(e, e) + e0 * tilde)


def path_omega(t):
    tilde = path_matrix(t + 1e-30j).imag / 1e-30 @ path_matrix(t).T
    return np.array([tilde[2, 1], tilde[0, 2], tilde[1, 0]])


@pytest.mark.parametrize("t", [0.0, 0.9, 2.3])
def test_omega_and_its_derivative_along_a_motion(t):
    p, pdot, A = path(t), path_rate(t), path_matrix(t)
    w = path_omega(t)
    close(rot.angular_velocity(p, pdot, frame="global"), w)
    close(rot.angular_velocity(p, pdot), A.T @ w)
    close(rot.parameter_rate(p, A.T @ w), pdot)
    # order eight with h = 0.02: truncation 1e-13 at these speeds, rounding 1e-16/h
    pddot, wdot = difference(path_rate, t, 0.02), difference(path_omega, t, 0.02)
    close(rot.angular_acceleration(p, pddot, frame="global"), wdot, 1e-10)
    close(rot.angular_acceleration(p, pddot), A.T @ wdot, 1e-10)
    close(rot.parameter_acceleration(p, w, wdot, frame="global"), pddot, 1e-10)


def elementary(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)]["xyz".index(axis)]
    R = np.eye(3, dtype=complex)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


@pytest.mark.parametrize("fixed", [False, True], ids=["body axes", "fixed axes"])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angle_rates_against_complex_steps(sequence, fixed):
    values, rates = np.array([0.4, 0.7, -1.2]), np.array([0.5, -0.3, 0.7])
    turns = [elementary(axis, x) for axis, x in zip(sequence, values + 1e-30j * rates, strict=True)]
    A = turns[2] @ turns[1] @ turns[0] if fixed else turns[0] @ turns[1] @ turns[2]
    tilde = A.imag / 1e-30 @ A.real.T
    w = np.array([tilde[2, 1], tilde[0, 2], tilde[1, 0]])
    close(rot.matrix(rot.from_angles(values, sequence, fixed=fixed)), A.real)
    close(rot.angular_velocity_from_rates(values, rates, sequence, frame="global", fixed=fixed), w)
    close(rot.angular_velocity_from_rates(values, rates, sequence, fixed=fixed), A.real.T @ w)
    # the inverse divides by sin 0.7 or cos 0.7
    close(rot.rates_from_angular_velocity(values, w, sequence, frame="global", fixed=fixed), rates)
    close(rot.rates_from_angular_velocity(values, A.real.T @ w, sequence, fixed=fixed), rates)


# --- angle sequences ---


@pytest.mark.parametrize("fixed", [False, True], ids=["body axes", "fixed axes"])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_agree_with_scipy_and_come_back(s, sequence, fixed):
    got = rot.angles(s.p, sequence, fixed=fixed)
    # SciPy writes turns about body axes in upper case
    theirs = Rotation.from_quat(s.p, scalar_first=True).as_euler(sequence if fixed else sequence.upper())
    close(got.values, theirs, 1e-12)  # the random states come within 0.05 of a singular one
    close(rot.angles(s.A, sequence, fixed=fixed).values, theirs, 1e-12)
    assert not got.singular.any()
    assert got.note == ""
    same_orientation(rot.from_angles(got.values, sequence, fixed=fixed), s.p)


def singular_middles(sequence):
    return (0.0, math.pi) if sequence in PROPER else (-math.pi / 2, math.pi / 2)


@pytest.mark.parametrize("fixed", [False, True], ids=["body axes", "fixed axes"])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_singular_angles_say_so_and_still_give_the_orientation(sequence, fixed):
    for middle in singular_middles(sequence):
        p = rot.from_angles([0.6, middle, 0.3], sequence, fixed=fixed)
        got = rot.angles(p, sequence, fixed=fixed)
        assert got.singular
        zero = 0 if fixed else 2
        assert got.values[zero] == 0.0
        assert f"The {'first' if fixed else 'third'} angle was set to zero" in got.note
        # the other one is the sum or the difference of the two
        assert min(abs(abs(got.values[2 - zero]) - x) for x in (0.9, 0.3)) < ROUNDING
        close(got.values[1], middle)
        same_orientation(rot.from_angles(got.values, sequence, fixed=fixed), p)
        with pytest.raises(SingularError, match=f"'{sequence}' angles are not determined"):
            rot.rates_from_angular_velocity([0.6, middle, 0.3], [1, 2, 3], sequence, fixed=fixed)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_are_singular_within_their_tolerance_on_both_sides(sequence, tolerance):
    """The middle angle is the angle between the first and the third axis, or a quarter turn from it."""
    for middle in singular_middles(sequence):
        for off in (0.95, -0.95, 1.05, -1.05):
            p = rot.from_angles([0.6, middle + off * tolerance, 0.3], sequence)
            assert rot.angles(p, sequence, tolerance=tolerance).singular == (abs(off) < 1.0)


@pytest.mark.parametrize("fixed", [False, True], ids=["body axes", "fixed axes"])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_the_sequence_advised_at_a_singular_place_works_there(sequence, fixed):
    for middle in singular_middles(sequence):
        at = [0.6, middle, math.pi / 2]
        with pytest.raises(SingularError) as caught:
            rot.rates_from_angular_velocity(at, [1, 2, 3], sequence, fixed=fixed)
        advised = str(caught.value).split("such as '")[1][:3]
        there = rot.angles(rot.from_angles(at, sequence, fixed=fixed), advised, fixed=fixed)
        # its first and third axis are at right angles: the sine is 1
        close(abs(np.linalg.det(rot.rate_matrix(there.values, advised, fixed=fixed))), 1)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_close_to_singular_still_give_the_orientation(sequence):
    for middle, step in itertools.product(singular_middles(sequence), (1e-4, 1e-7, 1e-9, 1e-11, 1e-13)):
        p = rot.from_angles([0.6, middle + step, 0.3], sequence)
        got = rot.angles(p, sequence)
        assert got.singular == (step < 1e-10)
        # where the split is given up, the orientation is off by no more than the step
        same_orientation(rot.from_angles(got.values, sequence), p, ROUNDING + (step if got.singular else 0.0))


def test_tolerance_of_angles_is_for_data_with_few_digits():
    rounded = rot.normalised([0.8, 1e-5, 0, 0.6])
    assert not rot.angles(rounded, "zxz").singular
    assert rot.angles(rounded, "zxz", tolerance=1e-4).singular


def test_a_stack_with_one_singular_member():
    got = rot.angles([[0.8, 0, 0, 0.6], [0.5, 0.5, 0.5, 0.5]], "zxz")
    assert got.singular.tolist() == [True, False]
    assert "for 1 of 2 orientations" in got.note
