"""Rank questions about the constraint Jacobian, asked a few times per analysis: of small models by singular values, of large ones by
sparse orthogonal elimination."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.lazy_imports import pivoted_columns
from pytrammel._util.progress import interruptible
from pytrammel._util.threads import one_thread
from pytrammel.analysis.freedom.fronts import Elimination, eliminate
from pytrammel.analysis.freedom.motions import Basis, Motions, Projection
from pytrammel.kernels import layout as L
from pytrammel.kernels.measures import jacobian_run
from pytrammel.kernels.rates import rates_run
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern

if TYPE_CHECKING:
    from scipy import sparse
else:
    from pytrammel._util.lazy_imports import sparse

Places = NDArray[np.int64]

# Rows are unit vectors in scaled coordinates; a direction weaker than this is a dependence. Assembled positions are good to
# about 1e-13, so true dependences show at that level and real ones far above it.
TOLERANCE = 1e-7
LARGE = 100_000  # entries of a matrix whose decomposition Ctrl-C must not wait for
WORTH_CHANGING = 2.0  # by what factor the measure must grow for other rows to be taken
# the same with closure_tolerance, where the gap of the others grows with 1 / smallest singular value of the rows in use: they are looked at
# below this share of the measure, and changed for rows that are stronger by this factor
WEAKENED_WITHIN, WORTH_CHANGING_WITHIN = 0.85, 1.2
DENSE = 100  # columns up to which a model is small
NO_DOUBT = (1e-9, 1e-6)  # sines up to which rows are dependent beyond doubt, and from which on they are not
ROUNDING = 1e-14  # what elimination may add to rows: this over the smallest singular value is noise in sines
MOST_DENSE = 3000  # columns that depend on each other up to which singular values decide where elimination leaves doubt
THRESHOLDS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 3e-3, 1e-3, 1e-4)  # sines tried for rows that stick out of each other
# sine up to which a row of a model with closure_tolerance is redundant, per slack, and at most: data rounded by d change directions by
# about d, and joints of usable mechanisms are independent by a tenth
PER_SLACK, COARSEST = 10.0, 0.03
FLOOR = 1e-3  # singular value relative to that sine below which rows are redundant
SURE = 1e-3  # singularity measure of the sparse factorisation above which rows are independent beyond doubt


def jacobian(system: System, q: NDArray[np.float64], time: float, rows: Sequence[int]) -> NDArray[np.float64]:
    """Dense Jacobian of the given rows, columns in scaled units, shape (len(rows), n_columns)."""
    dense = np.zeros((len(rows), system.n_columns))
    row_index, column_index, values = jacobian_entries(system, q, time, rows)
    np.add.at(dense, (row_index, column_index), values)
    return dense


def sparse_jacobian(system: System, q: NDArray[np.float64], time: float, rows: Sequence[int]) -> sparse.csr_matrix:
    """The same, sparse."""
    row_index, column_index, values = jacobian_entries(system, q, time, rows)
    found = sparse.coo_matrix((values, (row_index, column_index)), shape=(len(rows), system.n_columns)).tocsr()
    found.sum_duplicates()
    return found


def jacobian_entries(
    system: System, q: NDArray[np.float64], time: float, rows: Sequence[int]
) -> tuple[Places, Places, NDArray[np.float64]]:
    """Row, column and value of all entries of the Jacobian of the given rows, in scaled units; those of one place add up."""
    entries = np.zeros(int(system.ints[L.N_JACOBIAN]) + 1)
    jacobian_run(
        system.ints, system.floats, np.array([time]), q.reshape(1, -1).copy(), np.zeros((1, system.n_columns)), entries
    )
    row_index, column_index, entry_index = jacobian_places(system, tuple(rows))
    row_scales = system.row_scales()[list(rows)]
    values = entries[entry_index] * system.column_scales()[column_index] / row_scales[row_index]
    return row_index, column_index, values


def jacobian_places(system: System, rows: tuple[int, ...]) -> tuple[Places, Places, Places]:
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
        motions: Motions that no row forbids, scaled coordinates.
        weakest: Smallest singular value that counts as nonzero, of rows normalised to one.
    """

    independent: tuple[int, ...]
    redundant: tuple[int, ...]
    motions: Motions
    weakest: float

    @property
    def rank(self) -> int:
        return len(self.independent)

    @property
    def freedom(self) -> NDArray[np.float64]:
        """Orthonormal basis of the free motions, shape (n, dof)."""
        return self.motions.basis


def slack(system: System) -> float:
    """Gap that redundant equations may keep, in units of their scales: the model's closure_tolerance over its size."""
    return float(system.model.closure_tolerance) / system.length


def dependence(system: System, gap: float | None = None) -> float:
    """Sine up to which a row is redundant, for a gap in row scales; defaults to the slack of the model."""
    gap = slack(system) if gap is None else gap
    return max(TOLERANCE, min(COARSEST, PER_SLACK * gap))


def surely_independent(system: System, q: NDArray[np.float64], time: float, rows: Sequence[int]) -> bool:
    """True if the rows are so far from dependence that nobody needs to look closer; the sparse factorisation tells."""
    return not slack(system) and measure_of(system, q, time, rows) > SURE


def measure_of(system: System, q: NDArray[np.float64], time: float, rows: Sequence[int]) -> float:
    """Singularity measure of the rows: 0 if they are dependent, up to 1."""
    if not rows:
        return 1.0
    v = np.zeros(system.n_columns)
    return float(rates_run(system.ints, system.floats, pattern(system, rows), float(time), q, v))


def rank_at(
    system: System,
    q: NDArray[np.float64],
    time: float,
    rows: Sequence[int],
    free_columns: NDArray[np.bool_] | None = None,
) -> Rank:
    """Rank of the given rows at a position; of a large model at a cost that follows its size.

    Rows of a model with closure_tolerance are dependent where they are so within it; see `rank_within`.
    """
    if slack(system):
        return rank_within(system, q, time, rows, dependence(system), free_columns)
    return _rank_at(system, q, time, rows, TOLERANCE, free_columns)


def rank_within(
    system: System,
    q: NDArray[np.float64],
    time: float,
    rows: Sequence[int],
    tolerance: float,
    free_columns: NDArray[np.bool_] | None = None,
) -> Rank:
    """Rank of rows that are dependent up to a sine.

    Of joints the rows that stick out of each other most are independent, so that the mechanism hardly feels the gap of the others;
    drivers come after all joints.
    """
    joints = [k for k, row in enumerate(rows) if not system.rows[row].is_driver]
    drivers = [k for k, row in enumerate(rows) if system.rows[row].is_driver]
    found = _rank_at(system, q, time, [rows[k] for k in joints], tolerance, free_columns)
    kept = joints
    if found.redundant:
        fixed = [] if free_columns is None else [int(k) for k in np.flatnonzero(~free_columns)]
        kept = [joints[k] for k in best_rows_at(system, q, time, [rows[k] for k in joints], found.rank, fixed)]
    whole = [*kept, *drivers]
    last = _rank_at(system, q, time, [rows[k] for k in whole], tolerance, free_columns)
    independent = {whole[k] for k in last.independent}
    return Rank(
        tuple(k for k in range(len(rows)) if k in independent),
        tuple(k for k in range(len(rows)) if k not in independent),
        last.motions,
        last.weakest,
    )


def starting_rows(
    system: System, q: NDArray[np.float64], time: float, rows: Sequence[int], found: Rank, fixed: Sequence[int] = ()
) -> list[int]:
    """Independent rows to begin with: the earliest ones, or those that stick out of each other most where the earliest are weak.

    Earliest rows may be nearly dependent although others are not: of a parallelogram with three cranks those of two cranks that lie flat.
    """
    kept = [rows[k] for k in found.independent]
    if not found.redundant:
        return kept
    chosen = [rows[k] for k in best_rows_at(system, q, time, rows, found.rank, fixed)]
    now = measure_of(system, q, time, kept)
    if is_worth_changing(system, q, time, kept, chosen, now):
        return chosen
    return kept


def exact_rows(system: System, q: NDArray[np.float64], time: float, rows: Sequence[int]) -> list[int]:
    """Equations that hold exactly: all, unless the model has a closure_tolerance within which some are redundant at this position."""
    return [rows[k] for k in rank_at(system, q, time, rows).independent] if slack(system) else list(rows)


def _rank_at(
    system: System,
    q: NDArray[np.float64],
    time: float,
    rows: Sequence[int],
    tolerance: float,
    free_columns: NDArray[np.bool_] | None,
) -> Rank:
    if system.n_columns <= DENSE:
        return rank_of(jacobian(system, q, time, rows), free_columns, tolerance)
    matrix = sparse_jacobian(system, q, time, rows)
    if free_columns is not None:
        matrix = matrix[:, np.flatnonzero(free_columns)]
    with one_thread():  # for its small fronts
        return interruptible(lambda: sparse_rank_of(matrix, [system.rows[k].owner for k in rows], tolerance))


def sparse_rank_of(matrix: sparse.csr_matrix, groups: Sequence[object], tolerance: float = TOLERANCE) -> Rank:
    """Rank of a large scaled Jacobian, whose rows belong to groups.

    What is left of a dependent equation is rounding, and of an independent one far more. Only if something lies between, singular values of
    the rows concerned decide.
    """
    unit = unit_rows(matrix)
    found = eliminate(unit, groups, tolerance)
    lu = found.solver()
    weakest = found.weakest(lu)
    doubtful = _doubtful(found, weakest, tolerance)
    if doubtful.any():
        redundant = _decided_densely(unit, found, doubtful, tolerance)
        kept = np.setdiff1d(np.arange(unit.shape[0]), redundant)
        again = eliminate(unit[kept], [groups[k] for k in kept], 0.0)
        lu, weakest = again.solver(), again.weakest(again.solver())
        found = Elimination(kept, redundant, found.sines, again.factor)
    motions = Projection(unit[found.independent].tocsr(), lu)
    return Rank(tuple(int(k) for k in found.independent), tuple(int(k) for k in found.redundant), motions, weakest)


def unit_rows(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows brought to length one; those that vanish stay zero."""
    sizes = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return (sparse.diags(1.0 / np.where(sizes > TOLERANCE, sizes, np.inf)) @ matrix).tocsr()


def _doubtful(found: Elimination, weakest: float, tolerance: float) -> NDArray[np.bool_]:
    """Rows of which it is not clear whether they are dependent on those before them."""
    noise = ROUNDING / max(weakest, 1e-300)
    low, high = max(NO_DOUBT[0], noise), max(NO_DOUBT[1], 10.0 * noise, 10.0 * tolerance)
    return np.asarray((found.sines > low) & (found.sines < high))


def _decided_densely(
    unit: sparse.csr_matrix, found: Elimination, doubtful: NDArray[np.bool_], tolerance: float
) -> NDArray[np.int64]:
    """The redundant equations, with those that hang together with doubtful ones told by singular values."""
    _, part = sparse.csgraph.connected_components(unit @ unit.T, directed=False)
    redundant = [found.redundant[~np.isin(part[found.redundant], part[doubtful])]]
    for one in np.unique(part[doubtful]):
        own = np.flatnonzero(part == one)
        columns = np.unique(unit[own].indices)
        if columns.size > MOST_DENSE:
            redundant.append(found.redundant[part[found.redundant] == one])
            continue
        redundant.append(own[list(rank_of(unit[own][:, columns].toarray(), tolerance=tolerance).redundant)])
    return np.sort(np.concatenate(redundant)).astype(np.int64)


def rank_of(
    dense: NDArray[np.float64], free_columns: NDArray[np.bool_] | None = None, tolerance: float = TOLERANCE
) -> Rank:
    """Rank of a scaled Jacobian and the rows to blame for what is missing.

    Args:
        dense: Scaled Jacobian.
        free_columns: Columns that may move; all by default.
        tolerance: Sine up to which a row is dependent on others.
    """
    m = dense.shape[0]
    matrix = dense if free_columns is None else dense[:, free_columns]
    unit = _unit(matrix)
    n_free = matrix.shape[1]
    if m == 0:
        return Rank((), (), Basis(np.eye(n_free)), 1.0)
    _, values, right = interruptible(lambda: np.linalg.svd(unit, full_matrices=True), when=unit.size > LARGE)
    if tolerance > TOLERANCE:
        rank, tolerance = _widest_gap(values, tolerance)
    else:
        rank = int((values > tolerance * max(1.0, values[0])).sum())
    weakest = float(values[rank - 1]) if rank else 0.0
    freedom = Basis(right[rank:].T)
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
        if size > tolerance and len(independent) < rank:
            basis = np.vstack([basis, rest / size])
            independent.append(k)
        else:
            redundant.append(k)
    return Rank(tuple(independent), tuple(redundant), freedom, weakest)


def _widest_gap(values: NDArray[np.float64], tolerance: float) -> tuple[int, float]:
    """Rank of rows that are dependent nearly, and the sine that tells them apart.

    Singular values up to the tolerance may be those of redundant equations; the widest gap between neighbours separates them from values of
    independent equations that are small as well. Values below `FLOOR` times the tolerance are all of redundant equations.
    """
    padded = np.maximum(np.append(values, 0.0), FLOOR * tolerance)
    surely = int((values > tolerance).sum())
    ranks = range(surely, int((values > FLOOR * tolerance).sum()) + 1)
    above = [padded[r - 1] if r else 1.0 for r in ranks]
    rank, high = max(zip(ranks, above, strict=True), key=lambda each: each[1] / padded[each[0]])
    return rank, math.sqrt(high * padded[rank])


def rank_of_pivots(system: System, pivots: NDArray[np.float64]) -> int:
    """Rank of rows of a model by the pivots of their QR decomposition, largest first."""
    sizes = np.abs(pivots)
    if slack(system):
        return _widest_gap(sizes, dependence(system))[0]
    return int((sizes > TOLERANCE).sum())


def best_rows_at(
    system: System,
    q: NDArray[np.float64],
    time: float,
    rows: Sequence[int],
    rank: int,
    fixed: Sequence[int] = (),
) -> tuple[int, ...]:
    """The rows that stick out of each other most at a position, as many as the rank, with some columns that cannot move."""
    if system.n_columns <= DENSE:
        dense = jacobian(system, q, time, rows)
        dense[:, list(fixed)] = 0.0
        return best_rows(dense, rank)
    matrix = sparse_jacobian(system, q, time, rows)
    matrix = matrix @ sparse.diags(np.where(np.isin(np.arange(system.n_columns), list(fixed)), 0.0, 1.0))
    unit, groups = unit_rows(matrix.tocsr()), [system.rows[k].owner for k in rows]
    found: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    for threshold in (
        *THRESHOLDS,
        TOLERANCE,
    ):  # a row that sticks out too little is passed over, if there are others for it
        found = interruptible(lambda least=threshold: eliminate(unit, groups, least)).independent  # type: ignore[misc]
        if found.size >= rank:
            break
    return tuple(int(k) for k in found[:rank])


def weakened(system: System, usual: float) -> float:
    """Fraction of the measure of the rows in use below which other rows are looked for."""
    return WEAKENED_WITHIN if slack(system) else usual


def is_worth_changing(
    system: System, q: NDArray[np.float64], time: float, rows: Sequence[int], chosen: Sequence[int], now: float
) -> bool:
    """Return True if chosen rows are so much further from dependence than the rows in use, whose measure is `now`."""
    if not slack(system) or system.n_columns > DENSE:
        return measure_of(system, q, time, chosen) >= WORTH_CHANGING * now
    old, new = (float(np.linalg.svd(_unit(jacobian(system, q, time, each)))[1][-1]) for each in (rows, chosen))
    return new >= WORTH_CHANGING_WITHIN * old


def _unit(dense: NDArray[np.float64]) -> NDArray[np.float64]:
    sizes = np.linalg.norm(dense, axis=1)
    return dense / np.where(sizes > TOLERANCE, sizes, np.inf)[:, None]


def best_rows(dense: NDArray[np.float64], rank: int) -> tuple[int, ...]:
    """The rows that stick out of each other most, as many as the rank (QR with pivoting)."""
    unit = _unit(dense)
    order = interruptible(lambda: pivoted_columns(unit.T), when=unit.size > LARGE)
    return tuple(sorted(int(k) for k in order[:rank]))
