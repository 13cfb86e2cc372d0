"""Rotations in space: numbers from the book and from the digests.

"Digest" is the digest of Nikravesh (1988) that the numbers come from; B: is a line of the scanned book. Errata of the
book are corrected as noted there.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytrammel import rotations as rot
from pytrammel.errors import SingularError
from rotation_states import I4, States, close, difference, same_orientation

# numbers printed with four decimals, some of them through a short computation
FOUR_DIGITS = 1.5e-4
SIX_DIGITS = 1e-6
TEN_DIGITS = 1e-10
DEG = math.pi / 180.0


@pytest.fixture(scope="module")
def s():
    return States(1)


# --- numbers of the book and of the digests ---


def test_euler_angles_without_a_second_angle_are_reported():
    with pytest.raises(SingularError, match=r"'zxz' angles are not determined: at a second angle of 3\.14159 rad"):
        rot.rates_from_angular_velocity([0.3, math.pi, 0.1], [1, 0, 0], "zxz")
    singular = rot.angles([0.8, 0, 0, 0.6], "zxz")
    assert singular.singular
    assert "third angle was set to zero" in singular.note


def test_further_numbers_of_the_digest():
    # O6.a
    close(rot.from_angles(np.array([20, 30, 40]) * DEG, "xyz"), [0.878512, 0.244792, 0.182148, 0.367580], SIX_DIGITS)
    p = rot.from_angles(np.array([50, 180, 20]) * DEG, "zxz")  # O6.b
    close(p, [0, 0.965926, 0.258819, 0], SIX_DIGITS)
    close(rot.matrix(p), [[0.866025, 0.5, 0], [0.5, -0.866025, 0], [0, 0, -1]], SIX_DIGITS)
    close(rot.angles(p, "zxz").values, np.array([30, 180, 0]) * DEG)  # only psi - sigma is determined


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


def test_torque_free_symmetric_top():
    # O-11: J' = diag(1, 1, 2), omega'(0) = (0.1, 0, 1): p = Exp(H t) Exp(-t ez), omega' = (0.1 cos t, 0.1 sin t, 1)
    H = np.array([0.1, 0.0, 2.0])

    def at(t):
        return rot.product(rot.exp(H * t), rot.exp([0.0, 0.0, -t]))

    # p goes through whole turns; only the orientation is meant
    same_orientation(at(3.0), [0.0668274322, 0.0004853896, 0.0068446825, 0.9977409529], TEN_DIGITS)
    w = rot.angular_velocity(at(3.0), difference(at, 3.0, 0.05))
    close(w, [0.1 * math.cos(3), 0.1 * math.sin(3), 1], 1e-11)


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
