"""Rates of Euler parameters from angular velocities and back, against differences of a motion written down."""

from __future__ import annotations

import numpy as np
import pytest

from plain_source import plain
from pytrammel.kernels import layout as L
from pytrammel.kernels.spatial_bodies import space_from_rates, space_to_rates

STEP = 1e-3
# eighth-order central differences; at this step they are good to about 1e-12 (first) and 1e-9 (second)
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])


def rotation(p):
    """Rotation matrix by Rodrigues' formula."""
    e0, (a, b, c) = p[0], p[1:]
    skew = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
    return np.eye(3) + 2 * e0 * skew + 2 * skew @ skew


class Tumbling:
    """Two bodies on curved paths, tumbling at random: coordinates as functions of time."""

    def __init__(self, seed):
        self.c = np.random.default_rng(seed).normal(size=(2, 7, 4))

    def coordinates(self, t):
        q = self.c @ np.array([1.0, t, t**2, np.sin(t)])
        q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1)[:, None]
        return q.ravel()

    def turns(self, t):
        """Angular velocity in body components: R' dR/dt is skew."""
        out = []
        for b in range(2):
            R = [rotation(self.coordinates(t + k * STEP)[7 * b + 3 : 7 * b + 7]) for k in range(-4, 5)]
            skew = R[4].T @ sum(w * r for w, r in zip(FIRST, R, strict=True)) / STEP
            out.append(np.array([skew[2, 1] - skew[1, 2], skew[0, 2] - skew[2, 0], skew[1, 0] - skew[0, 1]]) / 2)
        return np.array(out)

    def derivatives(self, t):
        """q' and q''."""
        q = np.array([self.coordinates(t + k * STEP) for k in range(-4, 5)])
        return FIRST @ q / STEP, SECOND @ q / STEP**2

    def velocities(self, t):
        """v and a as the kernels have them: r' and w', r'' and the rate of w'."""
        dq, ddq = self.derivatives(t)
        spin = np.array([self.turns(t + k * STEP) for k in range(-4, 5)])
        w, dw = spin[4], np.tensordot(FIRST, spin, axes=1) / STEP
        v = np.concatenate([np.concatenate([dq[7 * b : 7 * b + 3], w[b]]) for b in range(2)])
        a = np.concatenate([np.concatenate([ddq[7 * b : 7 * b + 3], dw[b]]) for b in range(2)])
        return v, a


def header():
    ints = np.zeros(200, dtype=np.int64)
    ints[L.N_BODIES] = 3  # the ground and two others
    return ints


@pytest.mark.parametrize("seed", range(3))
def test_rates_of_coordinates_are_their_time_derivatives(seed):
    body, t = Tumbling(seed), 0.3
    v, a = body.velocities(t)
    dq, ddq = np.zeros(14), np.zeros(14)
    plain(space_to_rates.python)(header(), 0, body.coordinates(t), v, a, 0, dq, 0, ddq)
    first, second = body.derivatives(t)
    np.testing.assert_allclose(dq, first, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ddq, second, rtol=0, atol=1e-6)  # two differences deep


@pytest.mark.parametrize("seed", range(3))
def test_velocities_come_back_from_the_rates_of_coordinates(seed):
    body, t = Tumbling(seed), 0.3
    first, second = body.derivatives(t)
    v, a = np.zeros(12), np.zeros(12)
    plain(space_from_rates.python)(header(), 0, body.coordinates(t), first, second, 0, v, 0, a)
    true_v, true_a = body.velocities(t)
    np.testing.assert_allclose(v, true_v, rtol=0, atol=1e-9)
    np.testing.assert_allclose(a, true_a, rtol=0, atol=1e-6)
