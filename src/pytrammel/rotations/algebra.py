"""Euler parameters and their matrices: G, L, A, products and normalisation (sec. 6.1-6.4, 13.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pytrammel.errors import ModelError
from pytrammel.rotations.checks import check_rotation
from pytrammel.rotations.inputs import Floats, apply, as_matrices, as_vectors, check_stacks, dot, units

# a matrix typed with three digits deviates by less; a scaled, mirrored or mistyped one by more
TYPED_MATRIX = 1e-2


def skew(a: ArrayLike) -> Floats:
    """The matrix a~ with a~ b = a x b.

    Args:
        a: Vectors, shape (..., 3).

    Returns:
        Skew-symmetric matrices, shape (..., 3, 3).
    """
    a = as_vectors(a, 3, "vector")
    out = np.zeros((*a.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = a[..., 2], -a[..., 1], a[..., 0]
    return out


def unskew(m: ArrayLike) -> Floats:
    """The vector a of a skew matrix a~.

    Args:
        m: Matrices, shape (..., 3, 3). A symmetric part, such as that of a difference quotient, is left out.

    Returns:
        Vectors, shape (..., 3).
    """
    m = as_matrices(m, "skew matrix")
    half = 0.5 * (m - np.swapaxes(m, -1, -2))
    return np.stack([half[..., 2, 1], half[..., 0, 2], half[..., 1, 0]], axis=-1)


def _three_by_four(p: Floats, sign: float) -> Floats:
    e0, e = p[..., :1], p[..., 1:]
    square = sign * skew(e) + e0[..., None] * np.eye(3)
    return np.concatenate([-e[..., None], square], axis=-1)


def G(p: ArrayLike) -> Floats:
    """The matrix G = [-e, e~ + e0 I] of the global side (eq. 6.38): omega = 2 G pdot.

    It is linear in p, so G(pdot) is its time derivative.

    Args:
        p: Euler parameters, shape (..., 4).

    Returns:
        Shape (..., 3, 4).
    """
    return _three_by_four(as_vectors(p, 4, "Euler parameters"), 1.0)


def L(p: ArrayLike) -> Floats:
    """The matrix L = [-e, -e~ + e0 I] of the body side (eq. 6.39): omega' = 2 L pdot.

    It is linear in p, so L(pdot) is its time derivative.

    Args:
        p: Euler parameters, shape (..., 4).

    Returns:
        Shape (..., 3, 4).
    """
    return _three_by_four(as_vectors(p, 4, "Euler parameters"), -1.0)


def _four_by_four(a: ArrayLike, sign: float) -> Floats:
    a = as_vectors(a, 3, "vector")
    out = np.zeros((*a.shape[:-1], 4, 4))
    out[..., 0, 1:], out[..., 1:, 0] = -a, a
    out[..., 1:, 1:] = sign * skew(a)
    return out


def plus(a: ArrayLike) -> Floats:
    """The matrix a+ = [[0, -a^T], [a, a~]] with G^T a = a+ p (eq. 6.64).

    Args:
        a: Vectors, shape (..., 3).

    Returns:
        Skew-symmetric matrices, shape (..., 4, 4).
    """
    return _four_by_four(a, 1.0)


def minus(a: ArrayLike) -> Floats:
    """The matrix a- = [[0, -a^T], [a, -a~]] with L^T a = a- p (eq. 6.65).

    2 G a- is the derivative of (G L^T) a by p.

    Args:
        a: Vectors, shape (..., 3).

    Returns:
        Skew-symmetric matrices, shape (..., 4, 4).
    """
    return _four_by_four(a, -1.0)


def semi_rotating(p: ArrayLike, s: ArrayLike) -> Floats:
    """Components s* = L^T s' of a vector in the semi-rotating frame (sec. 6.4): s = G s*.

    Args:
        p: Euler parameters, shape (..., 4).
        s: Vectors s' in body components, shape (..., 3).

    Returns:
        Shape (..., 4); twice that of a moment n' is the moment n* = 2 L^T n' that goes with p (eq. 11.5).
    """
    p, s = as_vectors(p, 4, "Euler parameters"), as_vectors(s, 3, "vector")
    check_stacks(p=p.shape[:-1], s=s.shape[:-1])
    return apply(np.swapaxes(L(p), -1, -2), s)


def matrix(p: ArrayLike) -> Floats:
    """The rotation matrix A = G L^T (eq. 6.49), which maps body components to global ones.

    Args:
        p: Euler parameters, shape (..., 4). They are taken as they are: if p is not a unit vector, A is a rotation
            times p^T p.

    Returns:
        Shape (..., 3, 3).
    """
    return G(p) @ np.swapaxes(L(p), -1, -2)


def parameters(A: ArrayLike, previous: ArrayLike | None = None) -> Floats:
    """Euler parameters of a rotation matrix, by way of the largest of the four (eq. 6.24-6.28).

    The book's test "is e0 zero?" fails for rounded half-turns (problem 6.8); the largest parameter is never below 1/2.

    Args:
        A: Rotation matrices, shape (..., 3, 3). Rounding of up to 0.01 is accepted, so that three digits are enough.
        previous: Euler parameters, shape (..., 4), that the result shall be near to: of p and -p the one with
            p . previous >= 0 is taken. Without them, the one with e0 >= 0.

    Returns:
        Unit vectors, shape (..., 4).
    """
    A = check_rotation(A, "matrix", tolerance=TYPED_MATRIX)
    # 4 p p^T, entry by entry; any row is p times a number, and that of the largest diagonal entry is the safest
    outer = np.empty((*A.shape[:-2], 4, 4))
    trace = np.trace(A, axis1=-2, axis2=-1)
    outer[..., 0, 0] = 1.0 + trace
    outer[..., 1:, 1:] = A + np.swapaxes(A, -1, -2)
    for k in range(3):
        outer[..., k + 1, k + 1] += 1.0 - trace
    outer[..., 0, 1:] = outer[..., 1:, 0] = 2.0 * unskew(A)
    pivot = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    p = normalised(np.take_along_axis(outer, pivot[..., None, None], axis=-2)[..., 0, :])
    if previous is None:
        return np.where(p[..., :1] < 0.0, -p, p)
    previous = as_vectors(previous, 4, "previous Euler parameters")
    check_stacks(A=A.shape[:-2], previous=previous.shape[:-1])
    return np.where(dot(p, previous)[..., None] < 0.0, -p, p)


def conjugate(p: ArrayLike) -> Floats:
    """Euler parameters [e0, -e] of the opposite rotation A^T.

    Args:
        p: Euler parameters, shape (..., 4).

    Returns:
        Shape (..., 4).
    """
    p = as_vectors(p, 4, "Euler parameters")
    return np.concatenate([p[..., :1], -p[..., 1:]], axis=-1)


def product(p: ArrayLike, q: ArrayLike) -> Floats:
    """Euler parameters of A(p) A(q): first p, then q about the axes that p has turned.

    Args:
        p: Euler parameters, shape (..., 4).
        q: Euler parameters, shape (..., 4).

    Returns:
        Shape (..., 4).
    """
    p, q = as_vectors(p, 4, "Euler parameters"), as_vectors(q, 4, "Euler parameters")
    check_stacks(p=p.shape[:-1], q=q.shape[:-1])
    # L_p*^T q with L* = [p^T; L], sec. 6.5
    e0, e = q[..., :1], q[..., 1:]
    out: Floats = e0 * p + apply(np.swapaxes(L(p), -1, -2), e)
    return out


def normalised(p: ArrayLike) -> Floats:
    """Euler parameters brought back to length one, p / sqrt(p^T p) (eq. 13.9).

    Args:
        p: Euler parameters, shape (..., 4).

    Returns:
        Unit vectors, shape (..., 4).
    """
    p = as_vectors(p, 4, "Euler parameters")
    if not np.all(np.any(p != 0.0, axis=-1)):
        raise ModelError("Euler parameters are all zero, which is no orientation. Use [1, 0, 0, 0] for 'not turned'.")
    return units(p)


def corrected_rate(p: ArrayLike, pdot: ArrayLike) -> Floats:
    """Rates of Euler parameters without the part along p, pdot - (p^T pdot) p (eq. 13.11).

    Args:
        p: Euler parameters, shape (..., 4); they are normalised first.
        pdot: Their rates [1/s], shape (..., 4).

    Returns:
        Rates [1/s] with p^T pdot = 0, shape (..., 4).
    """
    p, pdot = normalised(p), as_vectors(pdot, 4, "rates of Euler parameters")
    check_stacks(p=p.shape[:-1], pdot=pdot.shape[:-1])
    return pdot - dot(p, pdot)[..., None] * p
