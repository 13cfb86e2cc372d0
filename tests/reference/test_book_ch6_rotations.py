"""Rotations in space: numbers from the book and from the digests.

"Digest" is the digest of Nikravesh (1988) that the numbers come from; B: is a line of the scanned book. Errata of the
book are corrected as noted there.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rotation_states import I3, I4, States, close, difference, same_orientation
from trammel import rotations as rot
from trammel.errors import SingularError

# numbers printed with four decimals, some of them through a short computation
FOUR_DIGITS = 1.5e-4
SIX_DIGITS = 1e-6
TEN_DIGITS = 1e-10
DEG = math.pi / 180.0


@pytest.fixture(scope="module")
def s():
    return States(1)


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
    # O6.a
    close(rot.from_angles(np.array([20, 30, 40]) * DEG, "xyz"), [0.878512, 0.244792, 0.182148, 0.367580], SIX_DIGITS)
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
