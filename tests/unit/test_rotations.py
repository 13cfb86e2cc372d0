"""Rotations in space: identities, numbers from the book, another code, and independent derivatives.

"Digest" is the digest of Nikravesh (1988) that the numbers come from; B: is a line of the scanned book. Errata of the
book are corrected as noted there.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from trammel import rotations as rot
from trammel.errors import ModelError, SingularError

# sums of a dozen products of numbers of size one, each rounded to 1.1e-16, with room for the worst of many states
ROUNDING = 1e-13
# numbers printed with four decimals, some of them through a short computation
FOUR_DIGITS = 1.5e-4
SIX_DIGITS = 1e-6
TEN_DIGITS = 1e-10
DEG = math.pi / 180.0

SEQUENCES = [s for s in map("".join, itertools.product("xyz", repeat=3)) if s[0] != s[1] != s[2]]
PROPER = [s for s in SEQUENCES if s[0] == s[2]]
I3, I4 = np.eye(3), np.eye(4)


def T(m):
    return np.swapaxes(m, -1, -2)


def times(m, v):
    return np.einsum("...ij,...j->...i", m, v)


def outer(a, b):
    return a[..., :, None] * b[..., None, :]


def close(a, b, tolerance=ROUNDING):
    np.testing.assert_allclose(a, b, rtol=0.0, atol=tolerance)


def same_orientation(p, q, tolerance=ROUNDING):
    """p equals q or -q."""
    p, q = np.asarray(p), np.asarray(q)
    sign = np.where(np.sum(p * q, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    close(p, sign * q, tolerance)


class States:
    """Forty random states with p^T p = 1 and its two time derivatives satisfied."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.a, self.b = rng.uniform(-1, 1, (2, 40, 3))
        p = rng.normal(size=(40, 4))
        self.p = p / np.linalg.norm(p, axis=-1, keepdims=True)
        self.pdot, self.pddot = rng.uniform(-1, 1, (2, 40, 4))
        self.pdot -= np.sum(self.p * self.pdot, axis=-1, keepdims=True) * self.p
        wanted = -np.sum(self.pdot**2, axis=-1) - np.sum(self.p * self.pddot, axis=-1)
        self.pddot += wanted[:, None] * self.p
        self.G, self.Gd, self.Gdd = rot.G(self.p), rot.G(self.pdot), rot.G(self.pddot)
        self.L, self.Ld, self.Ldd = rot.L(self.p), rot.L(self.pdot), rot.L(self.pddot)
        self.A = rot.matrix(self.p)
        self.Ad = 2 * self.G @ T(self.Ld)
        self.Add = 2 * self.G @ T(self.Ldd) + 2 * self.Gd @ T(self.Ld)


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


# --- numbers of the book and of the digests ---

A_EX_6_1 = [[0.5449, -0.5549, 0.6285], [0.3111, 0.8299, 0.4629], [-0.7785, -0.0567, 0.6249]]
A_P6_7 = np.array([[-0.4590, 0.8376, -0.2962], [0.4908, 0.5170, 0.7014], [0.7406, 0.1766, -0.6483]])
A_P6_8 = [[0.0319, -0.8506, 0.5249], [-0.8506, -0.2988, -0.4327], [0.5249, -0.4327, -0.7330]]
# name, matrix, Euler parameters up to sign, tolerance
MATRICES = [
    ("O6.1, example 6.1, B:8347", A_EX_6_1, [0.8660, -0.1500, 0.4062, 0.2500], FOUR_DIGITS),
    # three decimals in, and a book result that differs in the third from what its own matrix gives
    ("O6.2, example 6.2, B:8387", [[-0.28, -0.6, -0.749], [-0.6, -0.5, 0.625], [-0.749, 0.625, -0.22]], [0, 0.6, -0.5, -0.624], 1.5e-3),
    ("O6.2, pivoted", [[-0.28, -0.6, -0.749], [-0.6, -0.5, 0.625], [-0.749, 0.625, -0.22]], [0, -0.5997, 0.5004, 0.6245], FOUR_DIGITS),
    ("P6.7a, B:9595", A_P6_7, [0.3200, -0.4100, -0.8100, -0.2710], FOUR_DIGITS),
    ("P6.7b, B:9595", A_P6_7.T, [0.3200, 0.4100, 0.8100, 0.2710], FOUR_DIGITS),
    # trace -0.9999 sends the book's route with e0 != 0 to [0.005, 0, 0, 0]
    ("P6.8, B:9629", A_P6_8, [0, 0.7183, -0.5921, 0.3654], FOUR_DIGITS),
]  # fmt: skip


@pytest.mark.parametrize(("A", "p", "tolerance"), [m[1:] for m in MATRICES], ids=[m[0] for m in MATRICES])
def test_parameters_of_the_books_matrices(A, p, tolerance):
    got = rot.parameters(A)
    same_orientation(got, p, tolerance)
    close(got @ got, 1)
    assert got[0] >= 0


def test_example_6_3_frame_from_three_points():
    # O6.3, B:8473. The book's u_zeta has -.293 where -.029 is right, and its p follows from the slip.
    A = rot.from_points([-0.10, 0.30, 0.25], [0.977, 1.665, 2.916], [-0.573, 2.539, -0.709])
    close(A[:, 0], [0.338, 0.429, 0.838], 6e-4)  # three decimals, the last one rounded twice
    close(A[:, 1], [-0.191, 0.902, -0.387], 1.75e-3)  # the book does not take out the part along xi, 1.25e-3
    close(A[:, 2], [-0.9216, -0.0289, 0.3871], FOUR_DIGITS)
    close(rot.parameters(A), [0.810613, -0.109966, -0.542551, 0.190925], SIX_DIGITS)


def test_special_orientations_6_34():
    for k, half in itertools.product(range(3), (0.1, 0.7)):
        wanted = np.array([math.cos(half), 0, 0, 0])
        wanted[k + 1] = math.sin(half)
        close(rot.from_axis_angle(I3[k], 2 * half), wanted)
    close(rot.parameters(I3), [1, 0, 0, 0], 0)


FRAMES = [
    (
        "P6.3, P6.6b, B:9527",
        lambda: rot.from_axes(xi=[0.1107, 0.3924, 1.1286], eta=[-1.9450, 1.5330, -0.3422]),
        [[0.092251, -0.777987, -0.621470], [0.327003, 0.613189, -0.719077], [0.940510, -0.136878, 0.310972]],
        [0.7100, 0.2050, -0.5500, 0.3891],
        2e-5,  # the digest does not take out the part along xi, 3.1e-5/(1.2 * 2.5)
    ),
    (
        "P6.4, P6.6c, B:9547",
        lambda: rot.from_axes(xi=[0.6438, 2.3930, -1.6909], zeta=[-0.7796, -0.2077, -0.5908]),
        [[0.214599, 0.588338, -0.779616], [0.797664, -0.566203, -0.207704], [-0.563631, -0.577298, -0.590812]],
        [0.1200, -0.7700, -0.4500, 0.4361],
        5e-5,  # input of four decimals; the part along xi is 3e-5
    ),
    (
        "P6.5, P6.6d, B:9562, eta positive",
        lambda: rot.from_axis_and_plane([-1, 1.2, 0.5], [1.3, -0.6, 0.8]),
        [[-0.609711, 0.532915, 0.586732], [0.731653, 0.093693, 0.675208], [0.304855, 0.840966, -0.447034]],
        [0.096109, 0.431170, 0.733219, 0.516958],
        SIX_DIGITS,
    ),
    (
        "P6.5, P6.6d, B:9562, eta negative",
        lambda: rot.from_axis_and_plane([-1, 1.2, 0.5], [1.3, -0.6, 0.8], eta_positive=False),
        [[-0.609711, -0.532915, -0.586732], [0.731653, -0.093693, -0.675208], [0.304855, -0.840966, 0.447034]],
        [0.431170, -0.096109, -0.516958, 0.733219],
        SIX_DIGITS,
    ),
    (
        "P6.23, B:9729",
        lambda: rot.from_axes(eta=[-1.1098, 1.6598, -0.1134], zeta=[0.6285, 0.4629, 0.6249]),
        A_EX_6_1,
        [0.8660, -0.1500, 0.4062, 0.2500],
        FOUR_DIGITS,
    ),
]


@pytest.mark.parametrize(("build", "A", "p", "tolerance"), [f[1:] for f in FRAMES], ids=[f[0] for f in FRAMES])
def test_frames_of_the_books_problems(build, A, p, tolerance):
    close(build(), A, tolerance)
    same_orientation(rot.parameters(build()), p, FOUR_DIGITS)


def test_problem_6_10_to_6_12_euler_angles():
    p = rot.from_angles(np.array([40, 30, -25]) * DEG, "zxz")  # B:9649
    close(p, [0.957662, 0.218286, 0.139063, 0.126079], SIX_DIGITS)
    A = rot.matrix(rot.from_angles(np.array([45, 45, 30]) * DEG, "zxz"))  # B:9653
    close(A @ [2, 6, 8], [0.005348, -1.798499, 10.038196], SIX_DIGITS)
    A = rot.matrix(rot.from_angles(np.array([30, 30, 60]) * DEG, "zxz"))  # B:9657
    close(A.T @ [3, 3, 1], [3.305608, -2.823557, 0.316987], SIX_DIGITS)


def test_problem_6_13_and_6_14_two_turns():
    p = rot.product(rot.from_axis_angle([1, 0, 0], 0.5), rot.from_axis_angle([0, 0, 1], 0.3))  # B:9661
    wanted = [[0.955336, -0.295520, 0], [0.259343, 0.838387, -0.479426], [0.141680, 0.458013, 0.877583]]
    close(rot.matrix(p), wanted, SIX_DIGITS)
    # B:9670: 30 degrees about y are psi = 90, theta = 30, sigma = -90 degrees
    close(rot.angles(rot.from_axis_angle([0, 1, 0], 30 * DEG), "zxz").values, np.array([90, 30, -90]) * DEG)


def test_problem_6_15_and_6_16_rates_of_euler_angles():
    at = np.array([120, 30, 90]) * DEG  # B:9680
    close(rot.angular_velocity_from_rates(at, [2, 0, 125], "zxz"), [1, 0, 126.732051], SIX_DIGITS)
    with pytest.raises(SingularError, match=r"'zxz' angles are not determined: at a second angle of 3\.14159 rad"):
        rot.rates_from_angular_velocity([0.3, math.pi, 0.1], [1, 0, 0], "zxz")
    at = np.array([60, 30, 120]) * DEG  # B:9696
    close(rot.matrix(rot.from_angles(at, "zxz")) @ [0, 2, 20], [8.544229, -6.933013, 16.820508], SIX_DIGITS)
    close(rot.rates_from_angular_velocity(at, [0, 2, 20], "zxz"), [-2, -1.732051, 21.732051], SIX_DIGITS)


def test_problem_6_20_turning_a_vector():
    close(rot.from_axis_angle([2, -3, 2], 30 * DEG), [0.965926, 0.125546, -0.188319, 0.125546], SIX_DIGITS)  # B:9717
    turned = rot.rotate([3, 4, 12], [2, -3, 2], 30 * DEG)
    close(turned, [-2.453997, 0.855715, 12.737569], SIX_DIGITS)
    close(np.linalg.norm(turned), 13)  # 3-4-12 box


def test_problem_6_21_and_6_22_angles_of_parameters():
    close(rot.angles([0.6533, 0.3827, 0, 0.6533], "zxz").values, np.array([45, 45, 45]) * DEG, FOUR_DIGITS)  # B:9721
    singular = rot.angles([0.8, 0, 0, 0.6], "zxz")  # B:9725; psi + sigma = 2 atan(3/4)
    assert singular.singular
    close(singular.values, [2 * math.atan2(3, 4), 0, 0])
    assert "third angle was set to zero" in singular.note


def test_further_numbers_of_the_digest():
    close(
        rot.from_angles(np.array([20, 30, 40]) * DEG, "xyz"), [0.878512, 0.244792, 0.182148, 0.367580], SIX_DIGITS
    )  # O6.a
    p = rot.from_angles(np.array([50, 180, 20]) * DEG, "zxz")  # O6.b
    close(p, [0, 0.965926, 0.258819, 0], SIX_DIGITS)
    close(rot.matrix(p), [[0.866025, 0.5, 0], [0.5, -0.866025, 0], [0, 0, -1]], SIX_DIGITS)
    close(rot.angles(p, "zxz").values, np.array([30, 180, 0]) * DEG)  # only psi - sigma is determined


def test_relative_orientation_of_two_exact_units():
    # O6.c: decimal fractions with p^T p = 1 exactly
    pi, pj = [0.5, 0.7, -0.5, 0.1], [0.1, -0.5, 0.5, 0.7]
    close(rot.matrix(pi), [[0.48, -0.8, -0.36], [-0.6, 0, -0.8], [0.64, 0.6, -0.48]])
    close(rot.matrix(pj), [[-0.48, -0.64, -0.6], [-0.36, -0.48, 0.8], [-0.8, 0.6, 0]])
    close(rot.relative(pi, pj), [-0.48, -0.08, -0.84, -0.24])
    wanted = [[-0.5264, -0.096, 0.8448], [0.3648, 0.872, 0.3264], [-0.768, 0.48, -0.424]]
    close(rot.matrix(rot.relative(pi, pj)), wanted)


def test_finite_rotations_do_not_commute():
    x, y = rot.from_axis_angle([1, 0, 0], math.pi / 2), rot.from_axis_angle([0, 1, 0], math.pi / 2)  # O6.d
    close(rot.product(x, y), [0.5, 0.5, 0.5, 0.5])
    close(rot.matrix(rot.product(x, y)), [[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    close(rot.product(y, x), [0.5, 0.5, 0.5, -0.5])
    close(rot.matrix(rot.product(y, x)), [[0, 1, 0], [0, 0, -1], [-1, 0, 0]])


def test_semi_rotating_frame_is_half_way():
    u = np.array([1, 2, 2]) / 3  # O6.e
    p = rot.from_axis_angle(u, 70 * DEG)
    close(p, [0.819152, 0.191192, 0.382384, 0.382384], SIX_DIGITS)
    close(rot.semi_rotating(p, [1, 0, -1]), [0.191192, 0.436768, 0.573576, -1.201536], SIX_DIGITS)
    wanted = [[0.415129, -0.480244, 0.772679], [0.772679, 0.634456, -0.020795], [-0.480244, 0.605666, 0.634456]]
    close(rot.matrix(p), wanted, SIX_DIGITS)
    half = rot.matrix(rot.from_axis_angle(u, 35 * DEG))
    close(half @ half, rot.matrix(p))


def test_problem_11_6_moments():
    p, arm, force = [0.5, 0.7, -0.5, 0.1], [1, -1, 2], [3, -2, -1]  # O-1, L.15485
    n_body = rot.skew(arm) @ force
    close(n_body, [5, 7, 1])
    close(rot.matrix(p) @ n_body, [-3.56, -3.80, 6.92])
    n_star = 2 * rot.semi_rotating(p, n_body)
    close(n_star, [-0.2, 2.6, 6.6, 15.8])
    close(np.dot(p, n_star), 0)
    close(0.5 * rot.L(p) @ n_star, n_body)
    close(n_star, 2 * rot.G(p).T @ (rot.matrix(p) @ n_body))


def test_closed_identities_of_problems_11_1_to_11_5(s):
    # O-2, and the closed inverses of the digest of chapters 11-14, section 2.2
    p, pdot, L, G, Ld = s.p[0], s.pdot[0], s.L[0], s.G[0], s.Ld[0]
    J = np.array([[2.0, 0.3, -0.1], [0.3, 1.5, 0.2], [-0.1, 0.2, 1.0]])
    J_star = 4 * L.T @ J @ L
    assert np.linalg.matrix_rank(J_star) == 3
    close(J_star @ p, 0)
    close(J_star, 4 * G.T @ (s.A[0] @ J @ s.A[0].T) @ G)
    w = rot.angular_velocity(p, pdot)
    H = 4 * Ld.T @ J @ L
    close(-2 * p @ H @ pdot, 2 * w @ J @ w)
    close(L @ H @ pdot, np.cross(w, J @ w))
    whole = np.block([[J_star, p[:, None]], [p[None, :], np.zeros((1, 1))]])
    inverse = np.block([[0.25 * L.T @ np.linalg.inv(J) @ L, p[:, None]], [p[None, :], np.zeros((1, 1))]])
    close(whole @ inverse, np.eye(5))
    close(np.vstack([2 * J @ L, p]) @ np.column_stack([0.5 * L.T @ np.linalg.inv(J), p]), I4)


def test_euler_parameter_corrections():
    raw, rate = np.array([0.52, 0.71, -0.49, 0.12]), [0.1, -0.2, 0.3, 0.4]  # O-9, eq. 13.9 and 13.11
    p = rot.normalised(raw)
    close(p, [0.5126201298, 0.6999236388, -0.4830458915, 0.118296953], TEN_DIGITS)
    wanted = [0.1955102041, -0.0695918367, 0.21, 0.4220408163]
    close(rot.corrected_rate(p, rate), wanted, TEN_DIGITS)
    close(rot.corrected_rate(raw, rate), wanted, TEN_DIGITS)
    close(rot.matrix(raw).T @ rot.matrix(raw), 1.029**2 * I3)


def test_torque_free_symmetric_top():
    # O-11: J' = diag(1, 1, 2), omega'(0) = (0.1, 0, 1): p = Exp(H t) Exp(-t ez), omega' = (0.1 cos t, 0.1 sin t, 1)
    H = np.array([0.1, 0.0, 2.0])

    def at(t):
        return rot.product(rot.exp(H * t), rot.exp([0.0, 0.0, -t]))

    # p goes through whole turns; only the orientation is meant
    same_orientation(at(3.0), [0.0668274322, 0.0004853896, 0.0068446825, 0.9977409529], TEN_DIGITS)
    w = rot.angular_velocity(at(3.0), difference(at, 3.0, 0.05))
    close(w, [0.1 * math.cos(3), 0.1 * math.sin(3), 1], 1e-11)


def test_appendix_numbers():
    # O-23
    at, rates = np.array([30, 40, 50]) * DEG, [0.5, -0.3, 0.7]
    wanted = [
        [0.2632583548, -0.9096158864, 0.3213938048],
        [0.8295983733, 0.0434120444, -0.5566703992],
        [0.4924038765, 0.4131759112, 0.7660444431],
    ]
    p = rot.from_angles(at, "zxz")
    close(rot.matrix(p), wanted, TEN_DIGITS)
    close(p, [0.7198463104, 0.3368240888, -0.0593911746, 0.6040227736], TEN_DIGITS)
    close(rot.angular_velocity_from_rates(at, rates, "zxz"), [0.0533656553, 0.4364012885, 1.0830222216], TEN_DIGITS)
    at = np.array([10, 20, 30]) * DEG
    wanted = [
        [0.8137976813, -0.4698463104, 0.3420201433],
        [0.5438381425, 0.8231729446, -0.1631759112],
        [-0.2048741287, 0.3187957776, 0.9254165784],
    ]
    p = rot.from_angles(at, "xyz")
    close(rot.matrix(p), wanted, TEN_DIGITS)
    close(p, [0.9437143641, 0.1276794407, 0.1448781254, 0.2685358228], TEN_DIGITS)
    close(rot.angular_velocity_from_rates(at, rates, "xyz"), [0.2568988407, -0.4947307763, 0.8710100717], TEN_DIGITS)


def test_inverse_rates_of_the_appendix_formulas():
    # A.4 and A.8 as printed, at an ordinary place
    w = np.array([0.4, -1.1, 0.6])
    ps, th, sg = 0.3, 0.8, -0.5
    psd = (w[0] * math.sin(sg) + w[1] * math.cos(sg)) / math.sin(th)
    wanted = [psd, w[0] * math.cos(sg) - w[1] * math.sin(sg), w[2] - psd * math.cos(th)]
    close(rot.rates_from_angular_velocity([ps, th, sg], w, "zxz"), wanted)
    f1d = (math.cos(sg) * w[0] - math.sin(sg) * w[1]) / math.cos(th)
    wanted = [f1d, math.sin(sg) * w[0] + math.cos(sg) * w[1], w[2] - math.sin(th) * f1d]
    close(rot.rates_from_angular_velocity([ps, th, sg], w, "xyz"), wanted)


# --- derivatives along motions, against complex steps and differences ---


def difference(f, t, h):
    """Central difference of order eight."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    return sum(c * (f(t + k * h) - f(t - k * h)) for k, c in weights.items()) / h


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


# --- properties ---

# the same examples every time, and no clock: machines differ
steady = settings(deadline=None, derandomize=True)

unit = st.floats(-1, 1)
vectors = arrays(float, 3, elements=unit).filter(lambda v: np.linalg.norm(v) > 1e-3)
quaternions = arrays(float, 4, elements=unit).filter(lambda v: np.linalg.norm(v) > 1e-2)
places = arrays(float, 3, elements=st.floats(-10, 10))
# all sizes of angle, also close to zero and to a half-turn; below 1e-290, products run out of digits
turns = st.one_of(
    st.floats(0, math.pi).map(lambda x: x if x > 1e-290 else 0.0),
    st.floats(-16, 0).map(lambda x: 10**x),
    st.floats(-16, 0).map(lambda x: math.pi - 10**x),
)


@steady
@given(quaternions)
def test_matrix_and_parameters_are_inverse(raw):
    p = rot.normalised(raw)
    close(rot.parameters(rot.matrix(p), previous=p), p)
    again = rot.parameters(rot.matrix(p))
    assert again[0] >= 0
    same_orientation(again, p)
    close(rot.matrix(p), Rotation.from_quat(p, scalar_first=True).as_matrix())


@steady
@given(vectors, turns)
def test_exp_and_log_are_inverse(axis, angle):
    v = angle * axis / np.linalg.norm(axis)
    p = rot.exp(v)
    close(p @ p, 1)
    # at pi itself, rounding may put e0 below zero and the vector on the other side
    back = rot.log(p)
    assert np.abs(back - v).max() < ROUNDING or (angle > math.pi - 1e-14 and np.abs(back + v).max() < ROUNDING)
    close(p, Rotation.from_rotvec(v).as_quat(scalar_first=True))
    close(p, rot.from_axis_angle(axis, angle))
    # small vectors keep their relative accuracy
    assert np.abs(np.abs(back) - np.abs(v)).max() <= 1e-14 * angle


@steady
@given(vectors, st.floats(math.pi + 1e-9, 2 * math.pi))
def test_log_goes_the_short_way(axis, angle):
    u = axis / np.linalg.norm(axis)
    close(rot.log(rot.exp(angle * u)), (angle - 2 * math.pi) * u, 1e-12)


@steady
@given(vectors, turns)
def test_axis_and_angle_come_back(axis, angle):
    u, back = rot.axis_angle(rot.from_axis_angle(axis, angle))
    close(back, angle)
    close(np.linalg.norm(u), 1)
    wanted = axis / np.linalg.norm(axis)
    if angle > math.pi - 1e-14 and u @ wanted < 0:  # rounding of a half-turn
        u = -u
    close(u, wanted if angle > 0 else [1, 0, 0])


@steady
@given(vectors, vectors, st.floats(-10, 10))
def test_rotate_is_what_the_matrix_does(s_body, axis, angle):
    close(rot.rotate(s_body, axis, angle), rot.matrix(rot.from_axis_angle(axis, angle)) @ s_body)


@steady
@given(places, quaternions, places, vectors, turns)
def test_screw_carries_one_pose_to_the_other(r0, raw, r1, axis, angle):
    p0 = rot.normalised(raw)
    p1 = rot.product(rot.from_axis_angle(axis, angle), p0)
    screw = rot.screw_between(r0, p0, r1, p1)
    r, p = rot.screw_displacement(screw, r0, p0)
    close(r, r1, 1e-12)  # positions up to 17 m
    same_orientation(p, p1, 2e-12)  # turns below 1e-12 rad count as none
    close(np.linalg.norm(screw.direction), 1)
    # two halves make the whole
    r, p = rot.screw_displacement(screw, *rot.screw_displacement(screw, r0, p0, fraction=0.5), fraction=0.5)
    close(r, r1, 1e-12)
    same_orientation(p, p1, 2e-12)


@steady
@given(places, quaternions, vectors, places, st.floats(1e-3, math.pi - 1e-3), st.floats(-5, 5))
def test_screw_is_found_again(r0, raw, axis, through, angle, translation):
    p0, u = rot.normalised(raw), axis / np.linalg.norm(axis)
    made = rot.Screw(u, through, angle, translation)
    found = rot.screw_between(r0, p0, *rot.screw_displacement(made, r0, p0))
    # directions are known to rounding over the angle, and act on arms and shifts of up to 40 m
    slack = 1e-13 / angle
    close(found.angle, angle)
    close(found.direction, u, slack)
    close(found.translation, translation, 40 * slack)
    close(np.cross(found.point - through, u), 0, 100 * slack / angle)
    close((found.point - r0) @ found.direction, 0, 1e-10 / angle)
    close(found.pitch, translation / angle, 40 * slack / angle)


# --- particular cases ---


def test_a_screw_by_hand():
    # a quarter turn about the line x = 1 (parallel to z) carries the origin to (1, -1); it rises by 3
    half = math.sqrt(0.5)
    screw = rot.screw_between([0, 0, 0], [1, 0, 0, 0], [1, -1, 3], [half, 0, 0, half])
    close(screw.direction, [0, 0, 1])
    close(screw.point, [1, 0, 0])
    close(screw.angle, math.pi / 2)
    close(screw.translation, 3)
    close(screw.pitch, 6 / math.pi)


def test_pure_translation_and_no_motion_are_screws():
    p = rot.normalised([1, 2, 3, 4])
    slide = rot.screw_between([1, 0, 0], p, [1, 3, 4], -p)
    assert slide.angle == 0
    assert slide.pitch == math.inf
    close(slide.translation, 5)  # 3-4-5
    close(slide.direction, [0, 0.6, 0.8])
    close(slide.point, [1, 0, 0], 0)
    still = rot.screw_between([1, 0, 0], p, [1, 0, 0], p)
    assert (still.angle, still.translation, still.pitch) == (0, 0, 0)
    close(still.direction, [1, 0, 0], 0)


def test_a_stack_of_screws_may_mix_all_kinds():
    half = math.sqrt(0.5)
    one = [1.0, 0, 0, 0]
    screws = rot.screw_between([0, 0, 0], one, [[1, -1, 3], [0, 2, 0], [0, 0, 0]], [[half, 0, 0, half], one, one])
    close(screws.angle, [math.pi / 2, 0, 0])
    close(screws.translation, [3, 2, 0])
    assert screws.pitch.tolist() == pytest.approx([6 / math.pi, math.inf, 0])


def test_tiny_and_vanishing_rotations_have_an_axis():
    for p in ([1, 0, 0, 0], [-2, 0, 0, 0]):
        axis, angle = rot.axis_angle(p)
        assert axis.tolist() == [1, 0, 0]
        assert angle == 0
        assert rot.log(p).tolist() == [0, 0, 0]
    axis, angle = rot.axis_angle([1, 0, 3e-200, 4e-200])
    close(axis, [0, 0.6, 0.8])
    assert angle == pytest.approx(1e-199)
    assert rot.log([1, 0, 3e-200, 0]) == pytest.approx([0, 6e-200, 0])
    assert rot.exp([0, 0, 6e-200])[3] == pytest.approx(3e-200)
    close(rot.from_axis_angle([0, 1e-300, 0], math.pi), [0, 0, 1, 0])


def test_parameters_follow_the_previous_ones_through_whole_turns():
    p = np.array([1.0, 0, 0, 0])
    for angle in np.linspace(0, 4 * math.pi, 41):
        p = rot.parameters(rot.matrix(rot.from_axis_angle([1, 2, 2], angle)), previous=p)
        close(p, rot.from_axis_angle([1, 2, 2], angle))


@pytest.mark.parametrize("first", ["xi", "eta", "zeta"])
def test_axes_of_a_frame_build_it_again(s, first):
    columns = dict(zip(("xi", "eta", "zeta"), np.moveaxis(s.A, -1, 0), strict=True))
    del columns[first]
    (kept, a), (bent, b) = columns.items()
    # a part along the kept axis is taken out
    close(rot.from_axes(**{kept: 3 * a, bent: 2 * b + 0.3 * a}), s.A)
    close(rot.from_axes(**columns, tolerance=1e-12), s.A)


def test_nearest_rotation_is_nearer_than_its_neighbours(s):
    rng = np.random.default_rng(3)
    measured = 1.1 * s.A + 0.05 * rng.uniform(-1, 1, s.A.shape)
    nearest = rot.nearest_rotation(measured)
    rot.check_rotation(nearest, "nearest")
    # stationary: A^T M is symmetric; smallest: it is positive definite (polar decomposition)
    stretch = T(nearest) @ measured
    close(stretch, T(stretch))
    assert np.linalg.eigvalsh(stretch).min() > 0
    close(rot.nearest_rotation(s.A), s.A)


# --- one item or many ---

ONE_OR_MANY = {
    "skew": (rot.skew, "a"),
    "unskew": (lambda a: rot.unskew(rot.skew(a)), "a"),
    "G": (rot.G, "p"),
    "L": (rot.L, "p"),
    "plus": (rot.plus, "a"),
    "minus": (rot.minus, "a"),
    "matrix": (rot.matrix, "p"),
    "parameters": (rot.parameters, "A"),
    "parameters previous": (rot.parameters, "Ap"),
    "conjugate": (rot.conjugate, "p"),
    "product": (rot.product, "pp"),
    "normalised": (rot.normalised, "p"),
    "corrected_rate": (rot.corrected_rate, "pp"),
    "semi_rotating": (rot.semi_rotating, "pa"),
    "from_axis_angle": (rot.from_axis_angle, "ax"),
    "axis": (lambda p: rot.axis_angle(p)[0], "p"),
    "angle": (lambda p: rot.axis_angle(p)[1], "p"),
    "exp": (rot.exp, "a"),
    "log": (rot.log, "p"),
    "rotate": (rot.rotate, "aax"),
    "from_angles": (lambda a: rot.from_angles(a, "yzx"), "a"),
    "angles": (lambda p: rot.angles(p, "yzy").values, "p"),
    "rate_matrix": (lambda a: rot.rate_matrix(a, "zxy", frame="global"), "a"),
    "omega from rates": (lambda a, b: rot.angular_velocity_from_rates(a, b, "zxy"), "aa"),
    "rates from omega": (lambda a, b: rot.rates_from_angular_velocity(a, b, "zxy", fixed=True), "aa"),
    "angular_velocity": (rot.angular_velocity, "pp"),
    "angular_acceleration": (rot.angular_acceleration, "pp"),
    "parameter_rate": (rot.parameter_rate, "pa"),
    "parameter_acceleration": (rot.parameter_acceleration, "paa"),
    "relative": (rot.relative, "pp"),
    "from_relative": (rot.from_relative, "pp"),
    "relative_axis": (lambda p, q: rot.relative_axis(p, q, frame="global")[0], "pp"),
    "intermediate_axis": (lambda p, q: rot.intermediate_axis(p, q)[1], "pp"),
    "between": (rot.between, "ppx"),
    "from_points": (rot.from_points, "aaa"),
    "from_axes": (lambda a, b: rot.from_axes(eta=a, zeta=b), "aa"),
    "from_axis_and_plane": (rot.from_axis_and_plane, "aa"),
    "nearest_rotation": (rot.nearest_rotation, "A"),
    "check_rotation": (lambda A: rot.check_rotation(A, "it"), "A"),
    "screw point": (lambda *x: rot.screw_between(*x).point, "apap"),
    "screw pitch": (lambda *x: rot.screw_between(*x).pitch, "apap"),
    "screw moves": (lambda *x: rot.screw_displacement(rot.screw_between(*x), x[0], x[1], fraction=0.3)[0], "apap"),
}


@pytest.mark.parametrize("name", ONE_OR_MANY)
def test_a_stack_is_one_after_the_other(name):
    function, kinds = ONE_OR_MANY[name]
    rng = np.random.default_rng(5)
    shapes = {"a": (3,), "p": (4,), "x": ()}
    given_ = []
    for kind in kinds:
        x = rng.uniform(-1, 1, (2, 3, *shapes.get(kind, (4,))))
        if kind in "pA":
            x = rot.normalised(x)
        given_.append(rot.matrix(x) if kind == "A" else x)
    many = function(*given_)
    for at in np.ndindex(2, 3):
        close(many[at], function(*(x[at] for x in given_)), 1e-12)
    # a single first argument goes with a stack of the others
    if len(kinds) > 1:
        mixed = function(given_[0][0, 0], *given_[1:])
        close(mixed[1, 2], function(given_[0][0, 0], *(x[1, 2] for x in given_[1:])), 1e-12)


def test_every_public_function_is_in_the_stack_test():
    names = {name for function, _ in ONE_OR_MANY.values() for name in (function.__name__, *function.__code__.co_names)}
    assert set(rot.__all__) <= names | {"Screw", "AngleSet"}


# --- sentences ---

MIRROR = np.diag([1.0, 1.0, -1.0])
COMPLAINTS = [
    (lambda: rot.skew([1, 2]), r"vector: the shape is \(2,\), but 3 components are needed"),
    (lambda: rot.skew("abc"), "vector must be real numbers, but 'abc' is given"),
    (lambda: rot.skew([1j, 0, 0]), "must be real numbers"),
    (lambda: rot.skew([[1, 2, 3], [1, 2]]), "must be real numbers"),
    (lambda: rot.unskew([1, 2, 3]), r"skew matrix: the shape is \(3,\), but a matrix of three rows"),
    (lambda: rot.matrix(1.0), r"Euler parameters: the shape is \(\), but 4 components"),
    (lambda: rot.matrix([1, 0, math.nan, 0]), r"Euler parameters: nan is given at index \(2,\), but all entries"),
    (lambda: rot.from_axis_angle([0, 0, 1], math.inf), "angle: inf is given, but all entries must be finite"),
    (lambda: rot.from_axis_angle([0, 0, 0], 1.0), "axis is zero and has no direction. Give"),
    (lambda: rot.rotate([1, 2, 3], [[1, 0, 0], [0, 0, 0]], 1.0), "axis is zero"),
    (lambda: rot.normalised([0, 0, 0, 0]), r"Euler parameters are all zero.*Use \[1, 0, 0, 0\]"),
    (lambda: rot.product(np.ones((2, 4)), np.ones((3, 4))), r"stacks do not go together: .*p \(2,\), q \(3,\)"),
    (lambda: rot.angular_velocity(np.ones(4), np.ones(4), frame="local"), "frame is 'local', but must be 'body' or 'global'"),
    (lambda: rot.from_angles([1, 2, 3], "zxx"), "unknown sequence 'zxx': give three of the letters"),
    (lambda: rot.from_angles([1, 2, 3], "ZXZ"), "lower case.*fixed=True"),
    (lambda: rot.angles([1, 0, 0, 0], 313), "unknown sequence 313"),
    (lambda: rot.angles([1, 0, 0], "zxz"), "but 4 components are needed"),
    (lambda: rot.from_axes(xi=[1, 0, 0]), "exactly two of xi, eta and zeta, but xi given"),
    (lambda: rot.from_axes(xi=[1, 0, 0], zeta=[-2, 0, 0]), r"xi and zeta are parallel \(sine of the angle 0, limit 1e-08\).*Give"),
    (lambda: rot.from_axes(xi=[1, 0, 0], eta=[0, 0, 0]), "eta is zero"),
    (lambda: rot.from_axes(xi=[1, 0, 0], eta=[1, 1, 0], tolerance=0.01), r"the cosine of the angle is 0.707 \(limit 0.01\)"),
    (lambda: rot.from_axis_and_plane([1, 0, 0], [2, 0, 0]), "xi and vector in the plane are parallel"),
    (lambda: rot.from_points([0, 0, 0], [1, 1, 1], [0, 0, 0]), "line to the point on eta is zero"),
    # example 6.3: cos = -.0099/(3.183 * 2.481) = -.00125
    (lambda: rot.from_points([-0.10, 0.30, 0.25], [0.977, 1.665, 2.916], [-0.573, 2.539, -0.709], tolerance=1e-3), "is 0.00125"),
    (lambda: rot.check_rotation(1.1 * I3, "orientation of 'arm'"), r"'arm' is not a rotation: .* 0.21 \(limit 1e-08\).*nearest"),
    (lambda: rot.check_rotation(MIRROR, "orientation of 'arm'"), "'arm' is left-handed: its determinant is -1 and must be"),
    (lambda: rot.check_rotation([I3, MIRROR], "frames"), r"frames \(item 1\) is left-handed"),
    (lambda: rot.check_rotation([I3, I3, 2 * I3], "frames"), r"frames \(item 2\) is not a rotation: .* by 3 "),
    (lambda: rot.check_rotation(np.eye(2), "frame"), r"frame: the shape is \(2, 2\)"),
    (lambda: rot.parameters(1.1 * I3), r"matrix is not a rotation: .* by 0.21 \(limit 0.01\)"),
    (lambda: rot.parameters(MIRROR), "left-handed"),
    (lambda: rot.nearest_rotation(MIRROR), "left-handed"),
    (lambda: rot.nearest_rotation(np.ones((3, 3))), "its columns lie in a plane"),
    (lambda: rot.Screw([0, 0, 0], [0, 0, 0], 1.0, 0.0), "direction of the screw is zero"),
    (lambda: rot.between([1, 0, 0, 0], [1, 0, 0, 0], "half"), "fraction must be real numbers"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "sentence"), COMPLAINTS, ids=[c[1][:40] for c in COMPLAINTS])
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(ModelError, match=sentence):
        call()


def test_check_rotation_lets_rounding_pass(s):
    close(rot.check_rotation(s.A, "random"), s.A, 0)
