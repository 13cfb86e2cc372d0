"""Which rows of a large sparse matrix are independent, by orthogonal elimination along the rows.

Row after row is turned against those before it, as Gram and Schmidt do, but with Householder's reflections on small dense *fronts*: the
columns that a group of rows meets first, and what earlier groups left over for it. So the cost follows the fill, not the cube of the size,
no squares of the matrix are formed, and what is left of a dependent equation is rounding times the condition of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.lazy_imports import sparse_linalg

if TYPE_CHECKING:
    from scipy import sparse
    from scipy.sparse.linalg import SuperLU
else:
    from pytrammel._util.lazy_imports import sparse

Array = NDArray[np.float64]
Places = NDArray[np.int64]

PASSES = 12  # of inverse iteration for the smallest singular value
STARTS = 3  # vectors that it starts from


@dataclass(frozen=True)
class Elimination:
    """Rows of a matrix with rows of length one (or zero), eliminated in their order.

    Attributes:
        independent: Rows that stick out of those before them.
        redundant: The others.
        sines: Per row, how much of it is new: the sine of its angle to the rows before it.
        factor: R of the independent rows, K' = Q R: upper triangular, one row per independent row.
    """

    independent: Places
    redundant: Places
    sines: Array
    factor: sparse.csc_matrix

    def solver(self) -> SuperLU:
        """Solves with R and its transpose."""
        return sparse_linalg.splu(
            self.factor, permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )

    def weakest(self, lu: SuperLU) -> float:
        """Estimate of the smallest singular value of the independent equations."""
        size = self.independent.size
        if not size:
            return 1.0
        vectors = np.random.default_rng(2).normal(size=(size, min(STARTS, size)))
        found = np.inf
        for _ in range(PASSES):
            vectors, _ = np.linalg.qr(vectors)
            vectors = lu.solve(lu.solve(vectors, trans="T"))
            found = 1.0 / np.sqrt(float(np.linalg.norm(vectors, ord=2)))
        return float(found)


def eliminate(rows: sparse.csr_matrix, groups: Sequence[object], tolerance: float) -> Elimination:
    """Eliminate rows in their order.

    Args:
        rows: The matrix, its rows of length one or zero.
        groups: Per row the group that it belongs to; neighbours of one group are eliminated together.
        tolerance: Sine up to which a row is dependent on those before it.
    """
    m = rows.shape[0]
    starts = [k for k in range(m) if k == 0 or groups[k] != groups[k - 1]] + [m]
    group_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    columns, first = _by_first_group(rows.tocsc(), group_of, len(starts) - 1)
    left_over: list[list[tuple[Places, Array]]] = [[] for _ in range(len(starts) - 1)]
    sines = np.zeros(m)
    kept: list[tuple[Places, Places, Array]] = []  # rows of R: which rows they belong to, their columns, their numbers
    for g in range(len(starts) - 1):
        own = np.arange(starts[g], starts[g + 1])
        names, front = _front(own, columns, first[g], first[g + 1], left_over[g])
        left_over[g] = []
        pivots, triangle, rest = _reflect(front, own.size, tolerance, sines[own[0] : own[-1] + 1])
        kept.append((own[pivots], names, triangle))
        others = names[own.size :]
        if rest.shape[0] and others.size:
            left_over[group_of[others[0]]].append((others, rest))
    return _collected(kept, sines, m)


def _by_first_group(columns: sparse.csc_matrix, group_of: Places, count: int) -> tuple[sparse.csc_matrix, Places]:
    """Columns ordered by the first group that touches them, and where each group's begin."""
    columns.sort_indices()
    used = np.flatnonzero(np.diff(columns.indptr))
    home = group_of[columns.indices[columns.indptr[used]]]
    order = np.argsort(home, kind="stable")
    first = np.searchsorted(home[order], np.arange(count + 1))
    return columns[:, used[order]].tocsc(), first


def _front(
    own: Places, columns: sparse.csc_matrix, begin: int, end: int, waiting: list[tuple[Places, Array]]
) -> tuple[Places, Array]:
    """The dense front of a group: its transposed rows first, then the others that share columns with it."""
    at = columns.indptr
    touched = columns.indices[at[begin] : at[end]]
    names = np.unique(np.concatenate([own, touched, *(names for names, _ in waiting)]))
    height = end - begin + sum(len(block) for _, block in waiting)
    front = np.zeros((height, names.size))
    line = np.repeat(np.arange(end - begin), np.diff(at[begin : end + 1]))
    front[line, np.searchsorted(names, touched)] = columns.data[at[begin] : at[end]]
    below = end - begin
    for others, block in waiting:
        front[below : below + len(block), np.searchsorted(names, others)] = block
        below += len(block)
    return names, front


def _reflect(front: Array, own: int, tolerance: float, sines: Array) -> tuple[list[int], Array, Array]:
    """Eliminate the first columns of a front; gives those that are pivots, their rows of R, and what is left for others."""
    if len(front) >= own:
        triangle = np.asarray(np.linalg.qr(front, mode="r"))
        sizes = np.abs(np.diagonal(triangle)[:own])
        if sizes.min() > tolerance:
            sines[:] = sizes
            return list(range(own)), triangle[:own], triangle[own:, own:]
    front = front.copy()
    pivots: list[int] = []
    for k in range(own):
        done = len(pivots)
        column = front[done:, k]
        size = float(np.linalg.norm(column))
        sines[k] = size
        if not size > tolerance:
            continue
        mirror = column.copy()
        mirror[0] += size if mirror[0] >= 0.0 else -size
        mirror /= np.linalg.norm(mirror)
        front[done:, k:] -= np.outer(2.0 * mirror, mirror @ front[done:, k:])
        pivots.append(k)
    rest = front[len(pivots) :, own:]
    if rest.shape[0] > rest.shape[1]:
        rest = np.asarray(np.linalg.qr(rest, mode="r"))
    return pivots, front[: len(pivots)], rest


def _collected(kept: list[tuple[Places, Places, Array]], sines: Array, m: int) -> Elimination:
    independent = np.concatenate([own for own, *_ in kept]) if kept else np.zeros(0, dtype=np.int64)
    place = np.full(m, -1)
    place[independent] = np.arange(independent.size)
    line = np.concatenate([np.repeat(place[own], names.size) for own, names, _ in kept]) if kept else np.zeros(0, int)
    column = np.concatenate([np.tile(place[names], own.size) for own, names, _ in kept]) if kept else np.zeros(0, int)
    numbers = np.concatenate([block.ravel() for *_, block in kept]) if kept else np.zeros(0)
    used = (column >= line) & (numbers != 0.0)
    factor = sparse.csc_matrix((numbers[used], (line[used], column[used])), shape=(independent.size, independent.size))
    return Elimination(independent, np.flatnonzero(place < 0), sines, factor)
