"""Starting velocities by stages (see `start_velocities`), of one system or of many variants at once.

Everything here has one row per variant. What is decided on the way, such as ranks, must be decided alike for all of them: those that
differ from most are marked, for the caller to look at them by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.progress import interruptible
from pytrammel.analysis.freedom.rank import LARGE
from pytrammel.analysis.stacks import largest, times, transposed

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

RANK = 1e-10  # singular value, against the largest row, below which a direction is not reached
CONTRADICTION = 1e-9  # share of the velocities by which conditions may be missed through rounding
LIGHT = 1e-6  # mass against the largest with which massless coordinates resist a change of what was given
ZERO = 1e-15  # share of the largest velocity that is rounding
AS_GIVEN = 1e-12  # share of the velocities given by which one may be off and is meant


@dataclass(frozen=True)
class Conditions:
    """Linear conditions on the velocities in scaled columns: rows @ (v / scales) = values."""

    rows: Array
    values: Array


def scaled_blocks(blocks: Array, scales: Array) -> Array:
    """Blocks of mass matrices in scaled columns."""
    unit = scales[:, : blocks.shape[-1]]  # the same for every body
    return np.asarray(blocks * (unit[:, :, None] * unit[:, None, :])[:, None])


def body_roots(roots: Array, blocks: Array, scales: Array) -> Array:
    """R of every body with |R x|² twice its kinetic energy in units of the largest mass.

    Args:
        roots: Roots of the blocks of mass matrices (`mass_roots`).
        blocks: Blocks in scaled columns.
        scales: Scales of the columns.
    """
    size = largest(blocks)
    units = np.sqrt(np.where(size > 0.0, size, 1.0))[:, None, None, None]
    return np.asarray(roots * scales[:, None, None, : roots.shape[-1]] / units)


def weights_of_given(blocks: Array, columns: Sequence[int]) -> list[Array]:
    """Roots of what changes of given velocities cost, for every body that has some.

    On a free body a change d of some of its velocities takes the kinetic energy d' (inverse of that block of M^-1) d / 2.
    """
    per, found = blocks.shape[-1], []
    masses = _in_units_of_largest(blocks)
    for b in sorted({c // per for c in columns}):
        own = [c - per * b for c in columns if c // per == b]
        values, axes = np.linalg.eigh(masses[:, b])
        inverse = (axes / np.maximum(values, LIGHT)[:, None, :]) @ transposed(axes)
        found.append(transposed(np.linalg.cholesky(np.linalg.inv(inverse[:, own][:, :, own]))))
    return found


def _in_units_of_largest(blocks: Array) -> Array:
    size = largest(blocks)
    return np.asarray(blocks / np.where(size > 0.0, size, 1.0)[:, None, None, None])


class Stages:
    """Velocities x in scaled columns: active equations first, then conditions, velocities that were given, and the least energy."""

    def __init__(
        self, rows: Array, rates: Array, columns: Sequence[int], given: Array, blocks: Array, roots: Array
    ) -> None:
        """Rows @ x = rates; velocities given in some columns; scaled blocks of the mass matrix, and their roots (`body_roots`)."""
        count, _, n = rows.shape
        self._columns, self._given, self._blocks = list(columns), given, blocks
        self._roots = _diagonal(count, list(np.swapaxes(roots, 0, 1)), n)
        self._first = _closest(np.zeros((count, n)), np.tile(np.eye(n), (count, 1, 1)), rows, rates)

    def under(self, hard: Conditions | None, chosen: Mask | slice = slice(None)) -> tuple[Array, Mask]:
        """Velocities of the chosen variants, under conditions that must hold, and whether all was decided alike for them."""
        x, Z, alike = self._first[0][chosen], self._first[1][chosen], self._first[2][chosen]
        if hard is not None:
            x, Z, same = _closest(x, Z, hard.rows, hard.values)
            alike = alike & same
        given = self._given[chosen]
        if self._columns:
            picked = np.zeros((len(x), len(self._columns), x.shape[1]))
            picked[:, range(len(self._columns)), self._columns] = 1.0
            y, Y, same = _closest(x, Z, picked, given)
            off = largest(y[:, self._columns] - given)
            can = off <= CONTRADICTION * largest(given, 1e-300)
            if can.any() or not len(can):
                x, Z, alike = y, Y, alike & same & can
            else:
                own = weights_of_given(self._blocks[chosen], self._columns)
                weights = _diagonal(len(x), own, len(self._columns))
                x, Z, same = _closest(x, Z, weights @ picked, times(weights, given))
                alike = alike & same
        roots = self._roots[chosen]
        x, Z, same = _closest(x, Z, roots, np.zeros(roots.shape[:2]))
        return x - times(Z, times(transposed(Z), x)), alike & same


def _diagonal(count: int, blocks: Sequence[Array], width: int) -> Array:
    """Matrices with these blocks along their diagonals, shape (count, rows, width)."""
    out = np.zeros((count, sum(block.shape[1] for block in blocks), width))
    at = 0
    for block in blocks:
        own = slice(at, at + block.shape[1])
        out[:, own, own] = block
        at = own.stop
    return out


def _closest(x: Array, Z: Array, A: Array, b: Array) -> tuple[Array, Array, Mask]:
    """Within x + Z y the point where A x is closest to b, the directions in which it can still be moved, and whether as many as in most."""
    reach = A @ Z
    if not reach.size:
        return x, Z, np.ones(len(x), dtype=bool)
    left, values, right = interruptible(lambda: np.linalg.svd(reach), when=reach[0].size > LARGE)
    sizes = np.linalg.norm(A, axis=2).max(axis=1)
    ranks = (values > RANK * np.maximum(1e-300, sizes)[:, None]).sum(axis=1)
    rank = int(np.bincount(ranks).argmax())
    back, forth = transposed(right[:, :rank]), transposed(left[:, :, :rank])
    with np.errstate(all="ignore"):  # in variants that are marked
        for _ in range(2):  # the second time for what rounding left
            x = x + times(Z, times(back, times(forth, b - times(A, x)) / values[:, :rank]))
    return x, Z @ transposed(right[:, rank:]), ranks == rank


def fits_rows(missing: Array, x: Array) -> Mask:
    """Whether rows lack nothing but rounding."""
    return np.asarray(largest(missing) <= CONTRADICTION * largest(x, 1.0))


def in_own_units(x: Array, scales: Array, columns: Sequence[int], given: Array, sizes: Array) -> Array:
    """Velocities in their own units; what was given is kept to the last digit."""
    found = np.where(np.abs(x) <= ZERO * largest(x)[:, None], 0.0, x) * scales
    own = found[:, columns]
    found[:, columns] = np.where(np.abs(own - given) <= AS_GIVEN * sizes[:, None] * scales[:, columns], given, own)
    return found
