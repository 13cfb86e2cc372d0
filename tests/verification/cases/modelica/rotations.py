"""Orientations as Modelica.Mechanics.MultiBody.Frames writes them: matrices whose columns are the axes of the frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Vector = Sequence[float]
UNIT = np.eye(3)


def unit(vector: Vector) -> np.ndarray:
    """Return the direction of a vector."""
    v = np.asarray(vector, float)
    return v / np.linalg.norm(v)


def perpendicular(e: np.ndarray) -> np.ndarray:
    """Return a unit vector at right angles to another."""
    x = UNIT[int(np.argmin(np.abs(e)))]
    return unit(x - e * (x @ e))


def skew(v: np.ndarray) -> np.ndarray:
    """Return the matrix of the vector product."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def about(axis: Vector, angle: float) -> np.ndarray:
    """Return the orientation after a turn about an axis (planarRotation)."""
    e = unit(axis)
    return np.outer(e, e) + (UNIT - np.outer(e, e)) * np.cos(angle) + skew(e) * np.sin(angle)


def in_turn(sequence: Sequence[int], angles: Vector) -> np.ndarray:
    """Return the orientation after turns about the own axes 1, 2, 3 in a sequence (axesRotations)."""
    matrix = UNIT
    for axis, angle in zip(sequence, angles, strict=True):
        matrix = matrix @ about(UNIT[axis - 1], angle)
    return matrix


def from_nxy(x: Vector, y: Vector) -> np.ndarray:
    """Return the orientation whose x axis lies along x and whose y axis in the plane of both (from_nxy)."""
    ex = unit(x)
    z = np.cross(ex, unit(y))
    if z @ z <= 1e-6:  # parallel: Modelica takes an axis of its own
        y = (0.0, 1.0, 0.0) if abs(ex[0]) > 1e-6 else (1.0, 0.0, 0.0)
        z = np.cross(ex, y)
    ez = unit(z)
    return np.column_stack([ex, np.cross(ez, ex), ez])


def angles_123(matrix: np.ndarray, *, follow: bool = True) -> np.ndarray:
    """Return the angles of the sequence 1, 2, 3 of matrices of shape (n, 3, 3).

    Of both sets of angles the one nearer to those before, or the one whose first angle is nearer to zero.
    """
    a = np.stack(
        [
            np.arctan2(-matrix[:, 1, 2], matrix[:, 2, 2]),
            np.arcsin(np.clip(matrix[:, 0, 2], -1, 1)),
            np.arctan2(-matrix[:, 0, 1], matrix[:, 0, 0]),
        ],
        axis=1,
    )
    if not follow:
        other = np.stack([a[:, 0] + np.pi, np.pi - a[:, 1], a[:, 2] + np.pi], axis=1)
        a = np.where(np.abs(a[:, :1]) > np.pi / 2, other, a)
        return a - 2 * np.pi * np.round(a / (2 * np.pi))
    for k in range(1, len(a)):
        other = np.array([a[k, 0] + np.pi, np.pi - a[k, 1], a[k, 2] + np.pi])
        candidates = [c - 2 * np.pi * np.round((c - a[k - 1]) / (2 * np.pi)) for c in (a[k], other)]
        a[k] = min(candidates, key=lambda c: float(np.abs(c - a[k - 1]).max()))
    return a


def rates_123(angles: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Return the rates of the angles of the sequence 1, 2, 3 from the angular velocity in the turned frame."""
    rates = np.empty_like(angles)
    for k, (a, w) in enumerate(zip(angles, omega, strict=True)):
        second, third = about(UNIT[1], a[1]), about(UNIT[2], a[2])
        rates[k] = np.linalg.solve(np.column_stack([third.T @ second.T @ UNIT[0], third.T @ UNIT[1], UNIT[2]]), w)
    return rates


def quaternions(matrix: np.ndarray) -> np.ndarray:
    """Return quaternions, scalar last, continuous along the first axis and begun with a positive scalar."""
    out = np.empty((len(matrix), 4))
    for k, a in enumerate(matrix):
        table = np.array(
            [
                [a[0, 0] - a[1, 1] - a[2, 2], 0, 0, 0],
                [a[0, 1] + a[1, 0], a[1, 1] - a[0, 0] - a[2, 2], 0, 0],
                [a[0, 2] + a[2, 0], a[1, 2] + a[2, 1], a[2, 2] - a[0, 0] - a[1, 1], 0],
                [a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1], np.trace(a)],
            ]
        )
        values, vectors = np.linalg.eigh(table / 3.0)  # the largest eigenvalue belongs to the quaternion
        q = vectors[:, np.argmax(values)]
        before = out[k - 1] if k else np.array([0.0, 0.0, 0.0, 1.0])
        out[k] = q if q @ before >= 0 else -q
    return out
