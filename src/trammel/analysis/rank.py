"""Rank questions about the constraint Jacobian, asked a few times per analysis and so answered densely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from trammel.kernels import layout as L
from trammel.kernels.jit import prepare
from trammel.kernels.measures import jacobian_run
from trammel.kernels.rates import rates_run
from trammel.kernels.sharing import sharing_run
from trammel.progress import in_pieces, interruptible
from trammel.system.lowering import System
from trammel.system.pattern import pattern

Places = NDArray[np.int64]

# Rows are unit vectors in scaled coordinates; a direction weaker than this is a dependence. Assembled positions are good to
# about 1e-13, so true dependences show at that level and real ones far above it.
TOLERANCE = 1e-7
LARGE = 100_000  # entries of a matrix whose decomposition Ctrl-C must not wait for
WORTH_CHANGING = 2.0  # by what factor the measure must grow for other rows to be taken
SURE = 1e-3  # singularity measure of the sparse factorisation above which rows are independent beyond doubt


def jacobian(system: System, q: NDArray[np.float64], time: float, rows: Sequence[int]) -> NDArray[np.float64]:
    """Dense Jacobian of the given rows, columns in scaled units, shape (len(rows), n_columns)."""
    dense = np.zeros((len(rows), system.n_columns))
    row_index, column_index, values = jacobian_entries(system, q, time, rows)
    np.add.at(dense, (row_index, column_index), values)
    return dense


def jacobian_entries(
    system: System, q: NDArray[np.float64], time: float, rows: Sequence[int]
) -> tuple[Places, Places, NDArray[np.float64]]:
    """Row, column and value of all entries of the Jacobian of the given rows, in scaled units; those of one place add up."""
    entries = np.zeros(int(system.ints[L.N_JACOBIAN]) + 1)
    jacobian_run(
        system.ints, system.floats, np.array([time]), q.reshape(1, -1).copy(), np.zeros((1, system.n_columns)), entries
    )
    row_index, column_index, entry_index = _places(system, tuple(rows))
    row_scales = system.row_scales()[list(rows)]
    values = entries[entry_index] * system.column_scales()[column_index] / row_scales[row_index]
    return row_index, column_index, values


def _places(system: System, rows: tuple[int, ...]) -> tuple[Places, Places, Places]:
    """Row, column and stored entry of everything in the dense Jacobian of some rows; kept for the next time."""
    if rows not in system.places:
        found = [
            (k, column, system.row_entries[row] + e)
            for k, row in enumerate(rows)
            for e, column in enumerate(system.row_columns[row])
            if column >= 0
        ]
        table = np.array(found, dtype=np.int64).reshape(-1, 3)
        system.places[rows] = (table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy())
    return system.places[rows]


@dataclass(frozen=True)
class Rank:
    """Which rows are independent.

    Attributes:
        independent: Indices (into the rows asked about) of a maximal independent set, earliest rows preferred.
        redundant: The others.
        freedom: Orthonormal basis of the motions that no row forbids, scaled coordinates, shape (n, dof).
        weakest: Smallest singular value that counts as nonzero, of rows normalised to one.
    """

    independent: tuple[int, ...]
    redundant: tuple[int, ...]
    freedom: NDArray[np.float64]
    weakest: float

    @property
    def rank(self) -> int:
        return len(self.independent)


def surely_independent(system: System, q: NDArray[np.float64], time: float, rows: Sequence[int]) -> bool:
    """True if the rows are so far from dependence that nobody needs to look closer; the sparse factorisation tells."""
    return measure_of(system, q, time, rows) > SURE


def measure_of(system: System, q: NDArray[np.float64], time: float, rows: Sequence[int]) -> float:
    """Singularity measure of the rows: 0 if they are dependent, up to 1."""
    if not rows:
        return 1.0
    v = np.zeros(system.n_columns)
    return float(rates_run(system.ints, system.floats, pattern(system, rows), float(time), q, v))


def rank_of(dense: NDArray[np.float64], free_columns: NDArray[np.bool_] | None = None) -> Rank:
    """Rank of a scaled Jacobian and the rows to blame for what is missing.

    Args:
        dense: Scaled Jacobian.
        free_columns: Columns that may move; all by default.
    """
    m = dense.shape[0]
    matrix = dense if free_columns is None else dense[:, free_columns]
    sizes = np.linalg.norm(matrix, axis=1)
    unit = matrix / np.where(sizes > TOLERANCE, sizes, np.inf)[:, None]
    n_free = matrix.shape[1]
    if m == 0:
        return Rank((), (), np.eye(n_free), 1.0)
    _, values, right = interruptible(lambda: np.linalg.svd(unit, full_matrices=True), when=unit.size > LARGE)
    rank = int((values > TOLERANCE * max(1.0, values[0])).sum())
    weakest = float(values[rank - 1]) if rank else 0.0
    freedom = right[rank:].T
    if rank == m:
        return Rank(tuple(range(m)), (), freedom, weakest)
    # earliest rows first: a row is redundant if what is new in it vanishes (Gram–Schmidt, twice for accuracy)
    basis = np.zeros((0, n_free))
    independent: list[int] = []
    redundant: list[int] = []
    for k in range(m):
        rest = unit[k].copy()
        for _ in range(2):
            rest -= basis.T @ (basis @ rest)
        size = float(np.linalg.norm(rest))
        if size > TOLERANCE and len(independent) < rank:
            basis = np.vstack([basis, rest / size])
            independent.append(k)
        else:
            redundant.append(k)
    return Rank(tuple(independent), tuple(redundant), freedom, weakest)


def best_rows(dense: NDArray[np.float64], rank: int) -> tuple[int, ...]:
    """The rows that stick out of each other most, as many as the rank (QR with pivoting)."""
    sizes = np.linalg.norm(dense, axis=1)
    unit = dense / np.where(sizes > TOLERANCE, sizes, np.inf)[:, None]
    _, order = interruptible(lambda: qr(unit.T, mode="r", pivoting=True), when=unit.size > LARGE)
    return tuple(sorted(int(k) for k in order[:rank]))


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
    prepare(["sharing_run"])  # only over-constrained models need it
    rows, used = list(rows), [int(k) for k in active]
    shared, measures = np.zeros((times.size, lam.shape[1])), np.zeros(times.size)
    shared[:, used] = lam[:, used]
    left_out = sorted(set(rows) - set(used))
    constants = (system.ints, system.floats, pattern(system, used, left_out))
    tables = (np.ascontiguousarray(times), np.ascontiguousarray(q), shared, measures)
    in_pieces(sharing_run, constants, tables, system.n_columns * (1 + len(left_out)))
    scales = system.row_scales()[rows]
    for k in np.flatnonzero(measures < SURE):  # a singular position, where the active rows are dependent themselves
        dense = jacobian(system, q[k], float(times[k]), rows)
        solution, *_ = np.linalg.lstsq(dense.T, dense.T @ (lam[k, rows] * scales), rcond=1e-10)
        shared[k, rows] = solution / scales
    return shared[:, rows]


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
    scales = system.row_scales()[rows]
    cost = np.sqrt([weights.get(system.rows[k].owner, 1.0) for k in rows])[drives]
    out = np.zeros((times.size, len(rows)))
    for k in range(times.size):
        dense = jacobian(system, q[k], float(times[k]), rows)
        needed = dense.T @ (lam[k, rows] * scales)
        joints, acting = dense[~drives].T, dense[drives].T * scales[drives] / cost
        basis, sizes, _ = np.linalg.svd(joints, full_matrices=False)
        basis = basis[:, sizes > TOLERANCE * sizes.max(initial=0.0)]
        free = np.eye(needed.size) - basis @ basis.T  # what joints cannot carry
        efforts, *_ = np.linalg.lstsq(free @ acting, free @ needed, rcond=TOLERANCE)
        carried, *_ = np.linalg.lstsq(joints, needed - acting @ efforts, rcond=TOLERANCE)
        out[k, drives], out[k, ~drives] = efforts / cost, carried / scales[~drives]
    return out
