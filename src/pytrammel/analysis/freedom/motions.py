"""Motions that no row of a Jacobian forbids: as a basis, or as a projection where a basis would be too large."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy import sparse
    from scipy.sparse.linalg import SuperLU
else:
    from pytrammel._util.lazy_imports import sparse

Array = NDArray[np.float64]

LOOKS = 3  # random motions by which it is seen what moves


class Motions(Protocol):
    """Free motions in scaled columns."""

    @property
    def basis(self) -> Array:
        """Orthonormal basis, shape (n, dof)."""
        ...

    def directions(self, random: np.random.Generator, mixtures: int) -> list[Array]:
        """Motions to try: of small models each of the basis, and mixtures of all."""
        ...

    def moving(self, limit: float) -> NDArray[np.bool_]:
        """Columns that can move."""
        ...


class Basis:
    """All free motions of a small model."""

    def __init__(self, basis: Array) -> None:
        self.basis = basis

    def directions(self, random: np.random.Generator, mixtures: int) -> list[Array]:
        each = [self.basis[:, k] for k in range(self.basis.shape[1])]
        return each + [self.basis @ random.normal(size=len(each)) for _ in range(mixtures if each else 0)]

    def moving(self, limit: float) -> NDArray[np.bool_]:
        return np.asarray(np.abs(self.basis).max(axis=1, initial=0.0) > limit)


class Projection:
    """Free motions of a large model: anything, less what its rows forbid."""

    def __init__(self, rows: sparse.csr_matrix, factor: SuperLU) -> None:
        self.rows = rows
        self.factor = factor

    @property
    def dof(self) -> int:
        return int(self.rows.shape[1] - self.rows.shape[0])

    def free(self, motion: Array) -> Array:
        """The free part of a motion; the second pass takes away what rounding left, the third what that left."""
        for _ in range(3 if self.rows.shape[0] else 0):
            forbidden = self.factor.solve(self.factor.solve(self.rows @ motion, trans="T"))
            motion = motion - self.rows.T @ forbidden
        return motion

    @cached_property
    def basis(self) -> Array:
        """Orthonormal basis, dense: for those who need it, at the cost of a dense matrix."""
        found, sizes, _ = np.linalg.svd(self.free(np.eye(self.rows.shape[1])), full_matrices=False)
        assert self.dof == 0 or sizes[self.dof - 1] > 0.5
        return np.asarray(found[:, : self.dof])

    def directions(self, random: np.random.Generator, mixtures: int) -> list[Array]:
        return [self.free(random.normal(size=self.rows.shape[1])) for _ in range(mixtures if self.dof else 0)]

    def moving(self, limit: float) -> NDArray[np.bool_]:
        if not self.dof:
            return np.zeros(self.rows.shape[1], dtype=bool)
        random = np.random.default_rng(5)
        looks = np.column_stack([self.free(random.normal(size=self.rows.shape[1])) for _ in range(LOOKS)])
        return np.asarray(np.abs(looks).max(axis=1) > limit)
