"""Which unknowns of a matrix depend on which: coordinate partitioning (sec. 13.3.3, App. C)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel._util.matrix_inputs import Floats, as_matrix, as_names, as_tolerance, check_finite, chosen, first_largest
from pytrammel._util.messages import brief, in_sentences, number_of, short
from pytrammel._util.worked_steps import matrix_text, number_text
from pytrammel.analysis.elimination import Elimination, Pivoting
from pytrammel.errors import ModelError, SingularError

DEPENDENT = 1e-9  # share of the largest entry below which what is left of a row counts as nothing
NAMED = 12  # reasons shown in a report; the others are counted


@dataclass(frozen=True)
class Pick:
    """Why a column was chosen.

    Attributes:
        column: The column.
        size: Its pivot, or how much of it was left.
        row: The row whose pivot it is; None for methods that look at whole columns.
        rival: The column that came next, or None.
        rival_size: How large that was.
    """

    column: int
    size: float
    row: int | None = None
    rival: int | None = None
    rival_size: float = 0.0


@dataclass(frozen=True)
class Choice:
    """Columns told apart.

    Attributes:
        dependent: Columns whose unknowns follow from the others, in the order chosen, counted from 0.
        independent: The others, in the order in which they were left.
        redundant: Rows that say nothing new.
        picks: Why, in the order of the method.
    """

    dependent: tuple[int, ...]
    independent: tuple[int, ...]
    redundant: tuple[int, ...]
    picks: tuple[Pick, ...] = field(repr=False, default=())


# --- the methods: each a function of the matrix and the size of a zero -------------------------------------------------------


def _eliminated(pivoting: Pivoting) -> Callable[[Floats, float], Choice]:
    """Gauss and L-U with the same pivoting leave the same numbers behind each step, so that they choose alike."""

    def choose(matrix: Floats, zero: float) -> Choice:
        e = Elimination(matrix.copy(), matrix.shape[1], pivoting, zero)
        picks: list[Pick] = []
        while (pivot := e.next_pivot()) is not None:
            k = e.rank - 1
            seen = np.abs(e.work[k : k + 1 if pivoting == "column" else e.rows_left, k + 1 : e.columns_left]).max(
                axis=0
            )
            rival = k + 1 + first_largest(seen) if seen.size and seen.max() > zero else None
            next_size = float(seen[rival - k - 1]) if rival is not None else 0.0
            picks.append(Pick(e.columns[k], pivot, e.rows[k], None if rival is None else e.columns[rival], next_size))
            e.work[k + 1 :, k:] -= np.outer(e.work[k + 1 :, k] / pivot, e.work[k, k:])
        r = e.rank
        return Choice(tuple(e.columns[:r]), tuple(e.columns[r:]), tuple(sorted(e.rows[r:])), tuple(picks))

    return choose


def _most_left(matrix: Floats, zero: float, most: int) -> tuple[list[int], list[Pick]]:
    """Order of the columns if the one of which most is left comes next, and the first of them with their sizes."""
    rest, order = matrix.copy(), list(range(matrix.shape[1]))
    picks: list[Pick] = []
    for k in range(most):
        sizes = np.linalg.norm(rest[:, k:], axis=0)
        if not sizes.size or sizes.max() <= zero:
            break
        j = k + first_largest(sizes)
        rest[:, [k, j]] = rest[:, [j, k]]
        order[k], order[j] = order[j], order[k]
        left = np.linalg.norm(rest[:, k + 1 :], axis=0)
        rival = k + 1 + first_largest(left) if left.size and left.max() > zero else None
        picks.append(
            Pick(
                order[k], float(sizes[j - k]), None, None if rival is None else order[rival],
                0.0 if rival is None else float(left[rival - k - 1]),
            )
        )  # fmt: skip
        q = rest[:, k] / np.linalg.norm(rest[:, k])
        for _ in range(2):  # twice is enough for rounding
            rest[:, k + 1 :] -= np.outer(q, q @ rest[:, k + 1 :])
    return order, picks


def _by_columns(matrix: Floats, zero: float) -> Choice:
    """QR with exchange of columns: the longest comes first, then the one of which most is left. Reflections, and Gram and Schmidt's
    process, find the same."""
    order, picks = _most_left(matrix, zero, min(matrix.shape))
    r = len(picks)
    return Choice(tuple(order[:r]), tuple(order[r:]), dependent_rows(matrix, zero, r), tuple(picks))


def _by_motions(matrix: Floats, zero: float) -> Choice:
    """Singular values: the independent columns are those that move most in the motions that no row forbids."""
    _, values, right = np.linalg.svd(matrix, full_matrices=True)
    r = int((values > zero).sum())
    order, picks = _most_left(right[r:], 0.0, matrix.shape[1] - r)
    free = order[: matrix.shape[1] - r]
    dependent = tuple(k for k in range(matrix.shape[1]) if k not in free)
    return Choice(dependent, tuple(free), dependent_rows(matrix, zero, r), tuple(picks))


def dependent_rows(matrix: Floats, zero: float, rank: int) -> tuple[int, ...]:
    """Rows that depend on earlier ones, as many as the rank says."""
    basis = np.zeros((0, matrix.shape[1]))
    out: list[int] = []
    for k, given in enumerate(matrix):
        rest = given.copy()
        for _ in range(2):
            rest -= basis.T @ (basis @ rest)
        size = float(np.linalg.norm(rest))
        if size > zero and len(basis) < rank:
            basis = np.vstack([basis, rest / size])
        else:
            out.append(k)
    return tuple(out)


METHODS: dict[str, tuple[Callable[[Floats, float], Choice], str]] = {
    "gauss": (_eliminated("column"), "Gauss's elimination, row by row with exchange of columns"),
    "gauss-full": (_eliminated("full"), "Gauss's elimination with full pivoting"),
    "lu-column": (_eliminated("column"), "L-U factorisation, row by row with exchange of columns"),
    "lu-full": (_eliminated("full"), "L-U factorisation with full pivoting"),
    "gram-schmidt": (_by_columns, "Gram and Schmidt's process with exchange of columns"),
    "qr": (_by_columns, "QR factorisation with exchange of columns"),
    "svd": (_by_motions, "singular values: the coordinates that move most in the free motions"),
}
"""How columns are chosen, by name: a function of the matrix and the size of a zero, and a line about it."""


@checked
@in_sentences
def choose_columns(matrix: ArrayLike, method: str = "lu-full", *, tolerance: float = DEPENDENT) -> Choice:
    """Tell dependent and independent columns of a matrix apart; the matrix is taken as it is.

    Where columns have different units, or rows different sizes, scale them first, or the units decide.

    Args:
        matrix: Shape (m, n), usually a constraint Jacobian.
        method: "gauss", "gauss-full", "lu-column", "lu-full", "gram-schmidt", "qr" or "svd"; see `METHODS`.
        tolerance: Share of the largest entry below which what is left counts as nothing.
    """
    J = as_matrix(matrix, fewest_rows=0)
    chosen(method, list(METHODS), "method")
    zero = as_tolerance(tolerance, float(np.abs(J).max(initial=0.0)))
    return METHODS[method][0](J, zero) if len(J) else Choice((), tuple(range(J.shape[1])), ())


# --- the report ----------------------------------------------------------------------------------------------------------


@brief
@dataclass(frozen=True, eq=False)
class Partition:
    """Dependent and independent unknowns of J dq = 0, and how the ones follow from the others: du = H dv.

    Attributes:
        method: Name of the method, or "given".
        names, row_names: Names of the columns and rows.
        dependent, independent, redundant: Names of dependent and independent columns, and of rows that say nothing new.
        choice: The same as places, with the reasons.
        H: Influence matrix (eq. C.3), shape (dependent, independent), in the units of the columns.
        scaled_H: The same in units of the columns' scales.
    """

    method: str
    names: tuple[str, ...]
    row_names: tuple[str, ...]
    choice: Choice
    H: Floats
    scaled_H: Floats = field(repr=False)

    @property
    def dependent(self) -> tuple[str, ...]:
        return tuple(self.names[k] for k in self.choice.dependent)

    @property
    def independent(self) -> tuple[str, ...]:
        return tuple(self.names[k] for k in self.choice.independent)

    @property
    def redundant(self) -> tuple[str, ...]:
        return tuple(self.row_names[k] for k in self.choice.redundant)

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return len(self.choice.dependent)

    @property
    def dof(self) -> int:
        """Number of independent columns."""
        return len(self.choice.independent)

    @property
    def amplification(self) -> float:
        """By how much errors of the independent unknowns grow in the dependent ones: the norm of H in units of the scales."""
        return float(np.linalg.norm(self.scaled_H, 2)) if self.scaled_H.size else 0.0

    @property
    def worst(self) -> tuple[str, str, float] | None:
        """The largest entry of H in units of the scales: dependent name, independent name, value."""
        if not self.scaled_H.size:
            return None
        i, j = divmod(first_largest(self.scaled_H.ravel()), self.dof)
        return self.dependent[i], self.independent[j], float(self.scaled_H[i, j])

    @checked
    def influence(self, dependent: str, independent: str) -> float:
        """One entry of H by names."""
        for name, known in ((dependent, self.dependent), (independent, self.independent)):
            if name not in known:
                raise ModelError(f"{short(name)} is not among {', '.join(known) or 'none'}.")
        return float(self.H[self.dependent.index(dependent), self.independent.index(independent)])

    def reasons(self) -> list[str]:
        """Why each column was chosen, as sentences."""
        out = []
        for pick in self.choice.picks:
            rival = "" if pick.rival is None else f"; next {self.names[pick.rival]} with {number_text(pick.rival_size)}"
            name, size = self.names[pick.column], number_text(pick.size)
            if pick.row is not None:
                out.append(f"{self.row_names[pick.row]} → {name}, pivot {size}{rival}")
            elif self.method == "svd":
                out.append(f"{name} moves most in the motions that are left, {size} of their length{rival}")
            else:
                out.append(f"most is left of {name}, {size}{rival}")
        return out

    @checked
    def table(self, *, digits: int = 4) -> str:
        """H with the names of its rows and columns; rows of zeros are left out."""
        moving = [k for k in range(self.rank) if np.abs(self.scaled_H[k]).max(initial=0.0) > 1e-12]
        if not moving:
            return "  no dependent coordinate moves"
        return matrix_text(self.H[moving], self.independent, [self.dependent[k] for k in moving], digits=digits)

    def __str__(self) -> str:
        title = "as given" if self.method == "given" else f"{METHODS[self.method][1]} ({self.method!r})"
        lines = [
            f"partition, {title}",
            f"{len(self.names)} coordinates, {len(self.row_names)} rows, rank {self.rank}",
            f"  independent: {', '.join(self.independent) or 'none'}",
            f"  dependent: {', '.join(self.dependent) or 'none'}",
        ]
        if self.redundant:
            lines.append(f"  rows that say nothing new here: {', '.join(self.redundant)}")
        reasons = self.reasons()
        if reasons:
            lines.append("why:")
            lines += [f"  {reason}" for reason in reasons[:NAMED]]
            if len(reasons) > NAMED:
                lines.append(f"  … and {len(reasons) - NAMED} more")
        if self.dof:
            lines += ["H, rows of zeros left out:", self.table()]
            lines.append(f"amplification of errors |H| = {number_text(self.amplification)}, in units of the scales")
        return "\n".join(lines)


@checked("matrix", "independent", "names", "row_names", "scales")
@in_sentences
def partition(
    matrix: ArrayLike,
    *,
    method: str | None = None,
    independent: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    row_names: Sequence[str] | None = None,
    scales: ArrayLike | None = None,
    tolerance: float = DEPENDENT,
) -> Partition:
    """Split the unknowns of J dq = 0 into dependent and independent ones, and say how the ones follow from the others.

    Args:
        matrix: J, shape (m, n).
        method: How columns are chosen, "lu-full" by default; see `choose_columns`.
        independent: Names of the independent columns, to look at a choice of one's own instead.
        names, row_names: Names of columns and rows; x1, x2 ... and row 1, row 2 ... by default.
        scales: What counts as one in each column, shape (n,); columns are multiplied by it and rows brought to length one before the
            choice, so that units do not matter. By default the matrix is taken as it is.
        tolerance: Share of the largest entry below which what is left counts as nothing.
    """
    J = as_matrix(matrix, fewest_rows=0)
    m, n = J.shape
    if method is not None and independent is not None:
        raise ModelError(f"method={short(method)} would not be used, because the independent columns are given.")
    columns, rows = as_names(names, n, "x", "names"), as_names(row_names, m, "row ", "row_names")
    sizes = np.ones(n) if scales is None else as_matrix(np.reshape(np.asarray(scales), (1, -1)), "scales")[0]
    if sizes.size != n or not (sizes > 0.0).all():
        raise ModelError(f"scales must be {n} numbers greater than 0, but they are {short(scales)}.")
    scaled = J * sizes
    if scales is not None:
        lengths = np.linalg.norm(scaled, axis=1)
        scaled = scaled / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    zero = as_tolerance(tolerance, float(np.abs(scaled).max(initial=0.0)))
    if independent is not None:
        how, choice = "given", _given(scaled, zero, columns, independent)
    else:
        how = method or "lu-full"
        choice = choose_columns(scaled, how, tolerance=tolerance)
    kept = [k for k in range(m) if k not in choice.redundant]
    part = scaled[kept]
    # H solves Phi_u H = -Phi_v, in scaled units; the sizes bring it back to those of the columns
    scaled_H = np.linalg.solve(part[:, choice.dependent], -part[:, choice.independent])
    H = scaled_H * sizes[list(choice.dependent)][:, None] / sizes[list(choice.independent)]
    check_finite(H, scaled_H)
    return Partition(how, columns, rows, choice, H, scaled_H)


def _given(scaled: Floats, zero: float, names: tuple[str, ...], independent: Any) -> Choice:
    """A choice of the user's own, if it is one."""
    if not isinstance(independent, str) and not hasattr(independent, "__iter__"):
        raise ModelError(f"independent must be a list of names, but it is {short(independent)}.")
    listed = (independent,) if isinstance(independent, str) else tuple(independent)
    for name in listed:
        if name not in names:
            raise ModelError(f"there is no column {short(name)}; choose from: {', '.join(names)}.")
    if len(set(listed)) < len(listed):
        raise ModelError(f"independent={short(listed)} names a column twice; name each once.")
    rank = int((np.linalg.svd(scaled, compute_uv=False) > zero).sum()) if len(scaled) else 0
    if len(listed) != len(names) - rank:
        raise ModelError(
            f"{number_of(len(listed), 'independent column')} named ({', '.join(listed) or 'none'}), but {len(names)} columns and rank "
            f"{rank} leave {len(names) - rank} independent. Name as many."
        )
    free = tuple(names.index(name) for name in listed)
    dependent = tuple(k for k in range(len(names)) if k not in free)
    redundant = dependent_rows(scaled, zero, rank)
    part = np.delete(scaled, redundant, axis=0)[:, dependent]
    if rank and np.linalg.svd(part, compute_uv=False)[-1] <= zero:
        _, _, right = np.linalg.svd(part)
        moving = [names[dependent[k]] for k in np.flatnonzero(np.abs(right[-1]) > 1e-6)]
        raise SingularError(
            f"{', '.join(listed)} cannot be independent here: with {'it' if len(listed) == 1 else 'them'} held, "
            f"{', '.join(moving[:6])}{' …' if len(moving) > 6 else ''} could still move. Choose others."
        )
    return Choice(dependent, free, redundant)
