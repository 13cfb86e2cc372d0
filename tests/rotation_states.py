"""Random states of rotation, and the comparisons that several test files make of rotations."""

from __future__ import annotations

import numpy as np

from pytrammel import rotations as rot

# sums of a dozen products of numbers of size one, each rounded to 1.1e-16, with room for the worst of many states
ROUNDING = 1e-13

I3, I4 = np.eye(3), np.eye(4)


def T(m):
    return np.swapaxes(m, -1, -2)


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


def difference(f, t, h):
    """Central difference of order eight."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    return sum(c * (f(t + k * h) - f(t - k * h)) for k, c in weights.items()) / h
