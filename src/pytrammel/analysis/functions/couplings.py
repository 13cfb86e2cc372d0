"""Coordinates that follow from others by constant factors (gears, mimicked joints, rotors): omitted in the functions of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels.trees import layout as T
from pytrammel.system.tree import Tree

Array = NDArray[np.float64]
SAME = 1e-10  # change of a row's entries, relative to the largest, below which the row is constant
ZERO = 1e-9  # entry of a row, relative to the largest, that is treated as zero
TRIALS = 3  # positions in which rows are compared


@dataclass(frozen=True)
class Couplings:
    """Speeds of a tree from fewer: u = factors w.

    Attributes:
        factors: Shape (speeds of the tree, remaining speeds).
        kept: Speeds that remain, by their number in the tree.
        rows: Constraint equations that the factors satisfy.
    """

    factors: Array
    kept: tuple[int, ...]
    rows: tuple[int, ...]


def find_couplings(tree: Tree, rows: Sequence[int], along: Callable[[Array], Array]) -> Couplings:
    """Find rows with constant entries along the coordinates of hinges and slides, and solve them for the outermost coordinates.

    Args:
        tree: The tree.
        rows: Rows next to the tree that may be used.
        along: Rows along the speeds for coordinates that differ from the design configuration by given numbers.
    """
    n = tree.n_speeds
    plain = [node for node in tree.nodes if node.kind in (T.TURN, T.SLIDE)]
    model = tree.system.model
    allowed = np.zeros(n, dtype=bool)
    allowed[[node.at_u for node in plain]] = True
    rotor = np.zeros(n, dtype=bool)
    rotor[[node.at_u for node in plain if getattr(model.bodies[node.branch.body], "armature", False)]] = True
    if not rows or not plain:
        return Couplings(np.eye(n), tuple(range(n)), ())
    rng = np.random.default_rng(0)
    looks = [along(np.zeros(n))] + [along(0.7 * rng.standard_normal(n) * allowed) for _ in range(TRIALS - 1)]
    first = looks[0]
    size = np.abs(first).max(axis=1)
    constant = [
        k
        for k in range(len(rows))
        if size[k] > 0.0
        and all(np.abs(look[k] - first[k]).max() <= SAME * size[k] for look in looks[1:])
        and not np.any(np.abs(first[k][~allowed]) > ZERO * size[k])
    ]
    # rotors first, then what is furthest out
    order = sorted((int(c) for c in np.flatnonzero(allowed)), key=lambda c: (not rotor[c], -c))
    solved: dict[int, Array] = {}
    used: list[int] = []
    for k in constant:
        row = first[k].copy()
        for column, known in solved.items():
            row -= row[column] * known
        row[np.abs(row) <= ZERO * size[k]] = 0.0
        used.append(rows[k])  # a row that repeats others holds as well
        pivot = next((c for c in order if row[c] != 0.0), None)
        if pivot is None:
            continue
        row /= row[pivot]
        for column, known in solved.items():
            solved[column] = known - known[pivot] * row
        solved[pivot] = row
    kept = tuple(c for c in range(n) if c not in solved)
    factors = np.zeros((n, len(kept)))
    for place, c in enumerate(kept):
        factors[c, place] = 1.0
    for column, row in solved.items():
        factors[column] = -row[list(kept)]
    return Couplings(factors, kept, tuple(used))
