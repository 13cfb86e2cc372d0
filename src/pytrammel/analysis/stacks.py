"""Small matrices of many variants at once: stacks with one matrix or vector per variant, each treated as if it were alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def times(matrices: Array, vectors: Array) -> Array:
    """Matrix times vector for each of many."""
    return np.asarray((matrices @ vectors[..., None])[..., 0])


def transposed(matrices: Array) -> Array:
    """Each of many matrices transposed, as a view."""
    return np.swapaxes(matrices, -1, -2)


def largest(x: Array, least: float = 0.0) -> Array:
    """Largest size of the numbers of each variant."""
    return np.asarray(np.abs(x).max(axis=tuple(range(1, x.ndim)), initial=least))


def least_squares(matrices: Array, right: Array) -> Array:
    """The smallest x with A x closest to b, for each of many."""
    u, sizes, v = np.linalg.svd(matrices, full_matrices=False)
    if not sizes.size:
        return np.zeros((len(matrices), matrices.shape[2]))
    counts = sizes > np.finfo(float).eps * max(matrices.shape[1:]) * sizes[:, :1]
    parts = np.where(counts, times(transposed(u), right) / np.where(counts, sizes, 1.0), 0.0)
    return times(transposed(v), parts)
