"""Directions and poses in space for several test files."""

from __future__ import annotations

import math

import numpy as np

TURN = 2 * math.pi


def random_pose(rng):
    p = rng.normal(size=4)
    return {"position": tuple(rng.normal(size=3)), "rotation": tuple(p / np.linalg.norm(p))}


def unit(*v):
    return np.array(v, dtype=float) / np.linalg.norm(v)


def across(u):
    """Two unit vectors across u and each other."""
    g = np.cross(u, np.eye(3)[np.argmin(np.abs(u))])
    g /= np.linalg.norm(g)
    return g, np.cross(u, g)


# axes along a coordinate axis, nearly so and at large: where the book's cross products must choose their rows (digest 2.13)
AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 2, -2), (1e-4, 1, 0), (1, 0.001, 0), (0.3, -0.5, 0.8)]
