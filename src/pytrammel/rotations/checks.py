"""Whether a matrix is a rotation, and the rotation nearest to one that is not quite."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel._util.messages import unlike
from pytrammel.errors import ModelError
from pytrammel.rotations.inputs import Floats, as_matrices

# smallest over largest singular value; below, a direction of the matrix is nothing but rounding
FLAT = 1e-8


@checked("A")
def check_rotation(A: ArrayLike, what: str, *, tolerance: float = 1e-8) -> Floats:
    """Make sure that a matrix is a rotation: orthogonal and right-handed.

    Args:
        A: Matrices, shape (..., 3, 3).
        what: What a message calls them, such as "orientation of body 'arm'".
        tolerance: Largest entry of A^T A - 1 that is let pass. The default admits rounding, but no typed decimals.

    Returns:
        The same as an array, shape (..., 3, 3).
    """
    A = as_matrices(A, what)
    deviation = np.abs(np.swapaxes(A, -1, -2) @ A - np.eye(3)).max(axis=(-1, -2))
    if np.any(deviation > tolerance):
        where = _place(deviation)
        texts = unlike(deviation.max(), tolerance, digits=3)
        raise ModelError(
            f"{what}{where} is not a rotation: its columns must be unit vectors at right angles, but A^T A differs "
            f"from the unit matrix by {texts[0]} (limit {texts[1]}). Correct the numbers, "
            f"or take the nearest rotation with rotations.nearest_rotation."
        )
    determinant = np.linalg.det(A)
    if np.any(determinant < 0.0):
        where = _place(-determinant)
        raise ModelError(
            f"{what}{where} is left-handed: its determinant is {determinant.min():.3g} and must be +1. "
            f"Reverse one column, or exchange two."
        )
    return A


def nearest_rotation(A: ArrayLike) -> Floats:
    """The rotation with the smallest squared difference from a matrix, by singular values.

    Args:
        A: Measured or rounded rotation matrices, shape (..., 3, 3); any scale, determinant above zero.

    Returns:
        Rotation matrices, shape (..., 3, 3).
    """
    A = as_matrices(A, "matrix")
    U, size, Vt = np.linalg.svd(A)
    if not np.all(size[..., 2] > FLAT * size[..., 0]):
        raise ModelError(
            f"no rotation is nearest to the matrix: its singular values run from {size[..., 2].min():.3g} to "
            f"{size[..., 0].max():.3g}, so its columns lie in a plane. Give three independent columns."
        )
    out: Floats = U @ Vt
    determinant = np.linalg.det(out)
    if np.any(determinant < 0.0):
        where = _place(-determinant)
        raise ModelError(
            f"matrix{where} is left-handed: its determinant is below zero, and every rotation is far away. "
            f"Reverse one column, or exchange two."
        )
    return out


def _place(badness: Floats) -> str:
    """Which item of a stack is the worst, for a message."""
    if badness.ndim == 0:
        return ""
    at = np.unravel_index(int(np.argmax(badness)), badness.shape)
    return f" (item {', '.join(str(int(k)) for k in at)})"
