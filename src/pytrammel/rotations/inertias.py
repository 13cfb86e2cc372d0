"""Equations of motion of one body with Euler parameters: their matrices and closed inverses (Nikravesh, problems 11.3 and 11.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pytrammel.errors import ModelError
from pytrammel.rotations.algebra import L
from pytrammel.rotations.inputs import Floats, as_matrices, as_vectors, check_stacks

UNIT = 1e-9  # largest difference of the squared norm of Euler parameters from 1
SYMMETRIC = 1e-12  # largest asymmetry of an inertia matrix relative to its largest entry
SINGULAR = 1e-14  # smallest moment of inertia relative to the largest


def formulation_i_matrix(p: ArrayLike, inertia: ArrayLike) -> Floats:
    """Return the 5×5 matrix of formulation I, [[4 L^T J' L, p], [p^T, 0]] (eq. 11.16).

    Args:
        p: Euler parameters of length one, shape (..., 4).
        inertia: Inertia matrix about the centroid in body axes [kg m²], shape (..., 3, 3).

    Returns:
        Shape (..., 5, 5).
    """
    p, J = _checked(p, inertia)
    sides = L(p)
    return _bordered(4.0 * np.swapaxes(sides, -1, -2) @ J @ sides, p)


def formulation_i_inverse(p: ArrayLike, inertia: ArrayLike) -> Floats:
    """Return the inverse of the 5×5 matrix in closed form, [[L^T J'^-1 L / 4, p], [p^T, 0]].

    Args:
        p: Euler parameters of length one, shape (..., 4).
        inertia: Inertia matrix about the centroid in body axes [kg m²], shape (..., 3, 3).

    Returns:
        Shape (..., 5, 5).
    """
    p, J = _checked(p, inertia, regular=True)
    sides = L(p)
    return _bordered(0.25 * np.swapaxes(sides, -1, -2) @ np.linalg.inv(J) @ sides, p)


def formulation_ii_matrix(p: ArrayLike, inertia: ArrayLike) -> Floats:
    """Return the 4×4 matrix of formulation II, [[2 J' L], [p^T]] (eq. 11.17).

    Args:
        p: Euler parameters of length one, shape (..., 4).
        inertia: Inertia matrix about the centroid in body axes [kg m²], shape (..., 3, 3).

    Returns:
        Shape (..., 4, 4).
    """
    p, J = _checked(p, inertia)
    upper = 2.0 * J @ L(p)
    return np.concatenate([upper, np.broadcast_to(p[..., None, :], (*upper.shape[:-2], 1, 4))], axis=-2)


def formulation_ii_inverse(p: ArrayLike, inertia: ArrayLike) -> Floats:
    """Return the inverse of the 4×4 matrix in closed form, [L^T J'^-1 / 2, p].

    Args:
        p: Euler parameters of length one, shape (..., 4).
        inertia: Inertia matrix about the centroid in body axes [kg m²], shape (..., 3, 3).

    Returns:
        Shape (..., 4, 4).
    """
    p, J = _checked(p, inertia, regular=True)
    left = 0.5 * np.swapaxes(L(p), -1, -2) @ np.linalg.inv(J)
    return np.concatenate([left, np.broadcast_to(p[..., :, None], (*left.shape[:-2], 4, 1))], axis=-1)


def _checked(p: ArrayLike, inertia: ArrayLike, *, regular: bool = False) -> tuple[Floats, Floats]:
    """Return unit Euler parameters and symmetric inertia matrices."""
    p = as_vectors(p, 4, "Euler parameters")
    J = as_matrices(inertia, "inertia")
    check_stacks(p=p.shape[:-1], inertia=J.shape[:-2])
    off = np.abs((p * p).sum(axis=-1) - 1.0).max(initial=0.0)
    if off > UNIT:
        raise ModelError(
            f"Euler parameters: the squared norm differs from 1 by {off:.3g}; the limit is {UNIT:g}. Use rotations.normalised(p)."
        )
    size = np.abs(J).max(axis=(-1, -2), initial=0.0)
    skew = np.abs(J - np.swapaxes(J, -1, -2)).max(axis=(-1, -2), initial=0.0)
    if np.any(skew > SYMMETRIC * size):
        raise ModelError(f"inertia is not symmetric: entries differ by {float(skew.max()):.3g} kg m².")
    if regular:
        moments = np.abs(np.linalg.eigvalsh(J))
        least, most = moments.min(axis=-1), moments.max(axis=-1)
        if np.any(least <= SINGULAR * most):
            raise ModelError(
                f"inertia is singular: a principal moment is {float(least.min()):.3g} kg m², so that there is no inverse. Use a body with "
                "three moments of inertia."
            )
    return p, J


def _bordered(block: Floats, p: Floats) -> Floats:
    out = np.zeros((*block.shape[:-2], 5, 5))
    out[..., :4, :4] = block
    out[..., :4, 4] = p
    out[..., 4, :4] = p
    return out
