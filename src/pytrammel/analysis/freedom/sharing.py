"""Loads that constraints could share in many ways: among all multipliers that do the same, those with the smallest sum of squares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.progress import in_pieces
from pytrammel.analysis.freedom.blocks import blocks
from pytrammel.analysis.freedom.fronts import eliminate
from pytrammel.analysis.freedom.motions import Projection
from pytrammel.analysis.freedom.rank import (
    SURE,
    dependence,
    jacobian,
    jacobian_entries,
    jacobian_places,
    slack,
    unit_rows,
)
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.sharing import sharing_run
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern

if TYPE_CHECKING:
    from scipy import sparse
else:
    from pytrammel._util.lazy_imports import sparse

MOST = 50_000  # redundant equations times others up to which all are taken together
SMALL = 200  # rows of a block up to which it is decomposed
OPEN = 100.0  # times the slack of a model with closure_tolerance: redundant equations then depend on others nearly
SAME = 1e-8  # share by which the loads on bodies may differ after sharing


def smallest_multipliers(
    system: System,
    rows: Sequence[int],
    active: Sequence[int] | NDArray[np.int64],
    times: NDArray[np.float64],
    q: NDArray[np.float64],
    lam: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Among all multipliers of `rows` that do what `lam` of the active ones does, those with the smallest sum of squares.

    Each row counts in its own scale.
    """
    rows, used = list(rows), [int(k) for k in active]
    if len(used) * (len(rows) - len(used)) > MOST:
        return np.array(list(_shared_by_blocks(system, rows, set(used), times, q, lam[:, rows])))
    prepare(["sharing_run"])  # only over-constrained models need it
    shared, measures = np.zeros((times.size, lam.shape[1])), np.zeros(times.size)
    shared[:, used] = lam[:, used]
    left_out = sorted(set(rows) - set(used))
    constants = (system.ints, system.floats, pattern(system, used, left_out))
    tables = (np.ascontiguousarray(times), np.ascontiguousarray(q), shared, measures)
    in_pieces(sharing_run, constants, tables, system.n_columns * (1 + len(left_out)))
    scales = system.row_scales()[rows]
    for k in np.flatnonzero(
        measures < SURE
    ):  # a singular position, where the active equations are dependent themselves
        dense = jacobian(system, q[k], float(times[k]), rows)
        solution, *_ = np.linalg.lstsq(dense.T, dense.T @ (lam[k, rows] * scales), rcond=1e-10)
        shared[k, rows] = solution / scales
    return shared[:, rows]


def _shared_by_blocks(
    system: System,
    rows: list[int],
    active: set[int],
    times: NDArray[np.float64],
    q: NDArray[np.float64],
    lam: NDArray[np.float64],
) -> Iterator[NDArray[np.float64]]:
    """The same for many redundant equations, time by time: rows of different blocks have nothing to share."""
    scales, least = system.row_scales()[rows], dependence(system)
    same = SAME + OPEN * slack(system)
    place = {row: k for k, row in enumerate(rows)}
    concerned = [block for block in blocks(system, rows) if not active.issuperset(block)]
    own = [np.array([place[row] for row in block]) for block in concerned]
    large = [block for block in own if block.size > SMALL]
    alike = _alike(system, rows, [block for block in own if block.size <= SMALL])
    for k, time in enumerate(times):
        line, column, values = jacobian_entries(system, q[k], float(time), rows)
        J = sparse.coo_matrix((values, (line, column)), shape=(len(rows), system.n_columns)).tocsr()
        given = lam[k] * scales
        best = given.copy()
        for block in large:
            best[block] = _smallest(J[block], given[block], least)
        for members, (count, height, width), (which, where, entry) in alike:
            dense = np.zeros((count, height * width))
            np.add.at(dense, (which, where), values[entry])
            left, sizes, _ = np.linalg.svd(dense.reshape(count, height, width), full_matrices=False)
            left *= (sizes > least * sizes.max(axis=1, keepdims=True))[:, None, :]
            best[members] = np.einsum("bij,bkj,bk->bi", left, left, given[members], optimize=True)
        wanted, found = J.T @ given, J.T @ best
        if np.abs(found - wanted).max(initial=0.0) > same * np.abs(wanted).max(initial=0.0):
            best = _smallest(J, given, least)  # rows that the graph does not understand
        yield best / scales


Alike = tuple[NDArray[np.int64], tuple[int, int, int], tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]


def _alike(system: System, rows: list[int], own: list[NDArray[np.int64]]) -> list[Alike]:
    """Blocks of the same shape together: their rows, how many they are and how large, and where the Jacobian's entries go."""
    line, column, _ = jacobian_places(system, tuple(rows))
    order = np.argsort(line, kind="stable")
    first = np.searchsorted(line[order], np.arange(len(rows) + 1))
    shapes: dict[tuple[int, int], list[tuple[NDArray[np.int64], ...]]] = {}
    for block in own:
        entries = np.concatenate([order[first[k] : first[k + 1]] for k in block])
        columns = np.unique(column[entries])
        where = np.searchsorted(block, line[entries]) * columns.size + np.searchsorted(columns, column[entries])
        shapes.setdefault((block.size, columns.size), []).append((block, where, entries))
    found = []
    for (height, width), same in shapes.items():
        which = np.concatenate([np.full(where.size, k) for k, (_, where, _) in enumerate(same)])
        where, entries = (np.concatenate([parts[k] for parts in same]) for k in (1, 2))
        found.append((np.array([block for block, *_ in same]), (len(same), height, width), (which, where, entries)))
    return found


def _smallest(J: sparse.csr_matrix, given: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    """The smallest loads of rows that do what the given ones do: their part that is made of columns of J."""
    columns = unit_rows(J.T.tocsr())
    found = eliminate(columns, [k // 6 for k in range(columns.shape[0])], least)
    return np.asarray(given - Projection(columns[found.independent].tocsr(), found.solver()).free(given))


def least_efforts(
    system: System,
    rows: Sequence[int],
    weights: Mapping[str, float],
    times: NDArray[np.float64],
    q: NDArray[np.float64],
    lam: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Multipliers of `rows` that do what `lam` does with the smallest weighted sum of squares of the drivers' own; the joints' follow, with
    the smallest sum of squares where they are redundant."""
    rows = list(rows)
    drives = np.array([system.rows[k].is_driver for k in rows])
    scales, least = system.row_scales()[rows], dependence(system)
    cost = np.sqrt([weights.get(system.rows[k].owner, 1.0) for k in rows])[drives]
    out = np.zeros((times.size, len(rows)))
    for k in range(times.size):
        dense = jacobian(system, q[k], float(times[k]), rows)
        needed = dense.T @ (lam[k, rows] * scales)
        joints, acting = dense[~drives].T, dense[drives].T * scales[drives] / cost
        basis, sizes, _ = np.linalg.svd(joints, full_matrices=False)
        basis = basis[:, sizes > least * sizes.max(initial=0.0)]
        free = np.eye(needed.size) - basis @ basis.T  # what joints cannot carry
        efforts, *_ = np.linalg.lstsq(free @ acting, free @ needed, rcond=least)
        carried, *_ = np.linalg.lstsq(joints, needed - acting @ efforts, rcond=least)
        out[k, drives], out[k, ~drives] = efforts / cost, carried / scales[~drives]
    return out
