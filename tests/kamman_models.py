"""Chains of Kamman's notes on inter-body joints: K1, K2 and K5, and bodies one after another by angles."""

from __future__ import annotations

import math

import numpy as np

import pytrammel as tm

I1 = [[0.12, 0.01, 0.02], [0.01, 0.10, -0.01], [0.02, -0.01, 0.05]]
I2 = [[0.2, -0.02, 0.01], [-0.02, 0.15, 0.03], [0.01, 0.03, 0.1]]
I3 = [[0.08, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.06]]
ROD = np.diag([1 / 12, 1 / 12, 1e-3])


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    out = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[i, i], out[i, j], out[j, i], out[j, j] = c, -s, s, c
    return out


def chain(parts):
    """Bodies one after another: name, mass, inertia, centre r, point q on the lower body, angles and their rates."""
    m = tm.SpatialModel("chain", gravity=(0, 0, -9.81))
    A, at, v, w = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    points = []
    for name, mass, inertia, r, q, theta, rates in parts:
        arm = A @ q
        at, v = at + arm, v + np.cross(w, arm)
        for axis in range(3):
            w = w + A[:, axis] * rates[axis]
            A = A @ turn(axis, theta[axis])
        p = tm.rotations.parameters(A)
        m.body(name, position=at, rotation=p, mass=mass, inertia=inertia, centroid=r, velocity=v, omega=A.T @ w)
        points.append((at.copy(), A.copy()))
    return m, points


def K1():
    rest = (0, 0, 0)
    m, at = chain([
        ("one", 1.0, ROD, (0, 0, -0.5), (0, 0, 0), (math.pi / 3, 0, 0), rest),
        ("two", 1.0, ROD, (0, 0, -0.5), (0, 0, -1), (math.pi / 6, 0, 0), rest),
    ])  # fmt: skip
    m.revolute("A", "ground", "one", at=at[0][0], axis="x")
    m.revolute("B", "one", "two", at=at[1][0], axis="x")
    return m


def bodies_of_K2(theta1, theta2, rates1=(0, 0, 0), rates2=(0, 0, 0)):
    return [
        ("one", 1.0, I1, (0.1, 0.05, -0.3), (0, 0, 0), theta1, rates1),
        ("two", 1.5, I2, (0.02, -0.1, -0.25), (0.1, 0, -0.6), theta2, rates2),
    ]


def K2():
    m, at = chain([
        *bodies_of_K2((0.5, 0, 0), (0.3, -0.4, 0), (1.0, 0, 0), (-0.5, 0.7, 0)),
        ("three", 0.8, I3, (0.05, 0, -0.2), (0, -0.1, -0.5), (0.2, 0.3, -0.1), (0.4, -0.6, 2.0)),
    ])  # fmt: skip
    m.revolute("A", "ground", "one", at=at[0][0], axis="x")
    m.universal("B", "one", "two", at=at[1][0], axis=at[0][1][:, 0], second_axis=at[1][1][:, 1])
    m.spherical("C", "two", "three", at=at[2][0])
    return m


def K5():
    m, at = chain(bodies_of_K2((0.3, 0, 0), (0, 0.2, 0)))
    m.weld("A", "ground", "one", at=at[0][0])
    m.weld("B", "one", "two", at=at[1][0])
    return m
