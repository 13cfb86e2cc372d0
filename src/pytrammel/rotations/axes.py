"""Axis and angle, rotation vectors, and turning a vector (sec. 6.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pytrammel.rotations.algebra import normalised
from pytrammel.rotations.inputs import Floats, as_directions, as_numbers, as_vectors, check_stacks, dot, lengths, units

# below this length of e, atan2(|e|, |e0|)/|e| is 1/|e0| to the last digit: the next term is |e|^2/3
SMALL = 1e-9


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Floats:
    """Euler parameters e0 = cos(angle/2), e = u sin(angle/2) (eq. 6.15).

    Args:
        axis: Axes of rotation of any length but zero, shape (..., 3).
        angle: Angles [rad], shape (...). A full turn more gives -p, which is the same orientation.

    Returns:
        Unit vectors, shape (..., 4).
    """
    u, angle = as_directions(axis, "axis"), as_numbers(angle, "angle")
    check_stacks(axis=u.shape[:-1], angle=angle.shape)
    half = 0.5 * angle[..., None]
    e0, e = np.broadcast_arrays(np.cos(half), np.sin(half) * u, subok=False)
    return np.concatenate([e0[..., :1], e], axis=-1)


def axis_angle(p: ArrayLike) -> tuple[Floats, Floats]:
    """The axis and the angle of an orientation.

    Args:
        p: Euler parameters, shape (..., 4); they need not be normalised.

    Returns:
        Unit axes, shape (..., 3), and angles [rad] from 0 to pi, shape (...). The axis of no rotation is the x axis;
        that of a half-turn is e, whose sign is free.
    """
    p = normalised(p)
    e0, e = p[..., 0], p[..., 1:]
    none = ~np.any(e != 0.0, axis=-1)
    short_way = np.where(e0[..., None] < 0.0, -e, e)
    axis = units(np.where(none[..., None], np.array([1.0, 0.0, 0.0]), short_way))
    angle: Floats = 2.0 * np.arctan2(lengths(e), np.abs(e0))
    return axis, angle


def exp(vector: ArrayLike) -> Floats:
    """Euler parameters of a rotation vector: angle times unit axis.

    Args:
        vector: Rotation vectors [rad], shape (..., 3); zero is no rotation.

    Returns:
        Unit vectors, shape (..., 4).
    """
    v = as_vectors(vector, 3, "rotation vector")
    half = 0.5 * np.linalg.norm(v, axis=-1)[..., None]
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * v], axis=-1)


def log(p: ArrayLike) -> Floats:
    """The rotation vector of an orientation, the short way round.

    Args:
        p: Euler parameters, shape (..., 4); p and -p give the same but for half-turns, where the sign is that of e.

    Returns:
        Rotation vectors [rad] of length 0 to pi, shape (..., 3).
    """
    p = normalised(p)
    e0, e = p[..., 0], p[..., 1:]
    size = lengths(e)
    small = size < SMALL
    safe = np.where(small, 1.0, size)
    factor = np.where(small, 2.0, 2.0 * np.arctan2(safe, np.abs(e0)) / safe)
    return np.where(e0 < 0.0, -factor, factor)[..., None] * e


def rotate(vector: ArrayLike, axis: ArrayLike, angle: ArrayLike) -> Floats:
    """A vector turned about an axis through the origin (rotation formula, eq. 6.14).

    Args:
        vector: Vectors, shape (..., 3).
        axis: Axes of any length but zero, shape (..., 3).
        angle: Angles [rad], shape (...).

    Returns:
        Vectors, shape (..., 3).
    """
    s, u, angle = as_vectors(vector, 3, "vector"), as_directions(axis, "axis"), as_numbers(angle, "angle")
    check_stacks(vector=s.shape[:-1], axis=u.shape[:-1], angle=angle.shape)
    return s + turned_by(s, u, angle)


def turned_by(s: Floats, u: Floats, angle: Floats) -> Floats:
    """What a turn about the unit vector u adds to s; exact to the last digit for small angles."""
    versine = 2.0 * np.sin(0.5 * angle)[..., None] ** 2
    across = s - dot(s, u)[..., None] * u
    out: Floats = np.sin(angle)[..., None] * np.cross(u, s) - versine * across
    return out
