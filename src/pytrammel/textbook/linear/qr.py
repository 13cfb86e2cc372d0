"""QR factorisation by reflections, rotations or Gram and Schmidt's process, with the steps shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel._util.matrix_inputs import (
    TOLERANCE,
    Floats,
    as_matrix,
    as_right_side,
    as_tolerance,
    check_finite,
    chosen,
    first_largest,
)
from pytrammel._util.messages import brief, in_sentences
from pytrammel._util.worked_steps import MOST_ENTRIES, Step, matrix_text, number_text
from pytrammel.errors import ModelError, SingularError

Method = Literal["householder", "givens", "gram-schmidt"]
METHODS = ("householder", "givens", "gram-schmidt")


@brief
@dataclass(frozen=True, eq=False)
class QR:
    """Factors of a matrix: A with its columns in a new order is Q R.

    Attributes:
        method: "householder", "givens" or "gram-schmidt".
        matrix: A as given, shape (m, n).
        Q: Orthonormal columns, shape (m, k); k is the smaller of m and n, or the rank with Gram and Schmidt.
        R: Upper triangle, shape (k, n).
        column_order: Which column of A stands at each place, counted from 0; ``A[:, column_order] = Q @ R``.
        steps: The steps, for matrices of up to 2500 entries.
    """

    method: str
    matrix: Floats
    Q: Floats
    R: Floats
    column_order: tuple[int, ...]
    rank: int
    steps: tuple[Step, ...] = field(repr=False)

    @property
    def residual(self) -> float:
        """Largest entry of Q R - A, columns in their new order."""
        return float(np.abs(self.Q @ self.R - self.matrix[:, list(self.column_order)]).max())

    @property
    def orthogonality(self) -> float:
        """Largest entry of QᵀQ - 1: how far the columns of Q are from orthonormal."""
        return float(np.abs(self.Q.T @ self.Q - np.eye(self.Q.shape[1])).max())

    def solve(self, right: ArrayLike) -> Floats:
        """The x with the smallest sum of squares of A x - c, which is zero if the equations can be satisfied.

        Args:
            right: c, shape (m,), or several right sides as columns, shape (m, k).

        Raises:
            SingularError: The columns of A are dependent, so that x is not determined.
        """
        m, n = self.matrix.shape
        c = as_right_side(right, m)
        if self.rank < n:
            raise SingularError(
                f"the columns are dependent (rank {self.rank}, {n} unknowns), so that x is not determined. Add equations."
            )
        y = self.Q.T @ c.reshape(m, -1)
        x = np.zeros((n, y.shape[1]))
        x[list(self.column_order)] = np.linalg.solve(self.R, y)
        return x[:, 0] if c.ndim == 1 else x

    def __str__(self) -> str:
        return self.shown()

    @checked
    def shown(self, *, digits: int = 4, fractions: bool = False) -> str:
        """All steps and the factors as text."""
        m, n = self.matrix.shape
        lines = [f"QR factorisation ({self.method}), {m} rows, {n} columns"]
        for k, step in enumerate(self.steps):
            lines.append(f"{k}. {step.shown(digits=digits, fractions=fractions)}")
        lines += ["Q =", matrix_text(self.Q, digits=digits, fractions=fractions)]
        above = [f"x{k + 1}" for k in self.column_order]
        lines += ["R =", matrix_text(self.R, above, digits=digits, fractions=fractions), f"rank {self.rank}"]
        return "\n".join(lines)


@checked
@in_sentences
def qr(
    matrix: ArrayLike, *, method: Method = "householder", pivoting: bool = False, tolerance: float = TOLERANCE
) -> QR:
    """Factor a matrix, square or not, into orthonormal columns and an upper triangle.

    Args:
        matrix: A, shape (m, n).
        method: "householder" (reflections), "givens" (rotations), "gram-schmidt" (the modified process; what rounding leaves of
            orthogonality is in `orthogonality`).
        pivoting: Take the column of which most is left next; not with rotations.
        tolerance: Share of the largest entry of A below which what is left of a column counts as zero.
    """
    A = as_matrix(matrix)
    chosen(method, METHODS, "method")
    if not isinstance(pivoting, bool):
        raise ModelError(f"pivoting is {pivoting!r}; it must be True or False, because only columns can be exchanged.")
    if pivoting and method == "givens":
        raise ModelError("pivoting=True is not possible with rotations; use method='householder' or 'gram-schmidt'.")
    zero = as_tolerance(tolerance, float(np.abs(A).max()))
    work = _Work(A, zero, pivoting)
    {"householder": _reflections, "givens": _rotations, "gram-schmidt": _gram_schmidt}[method](work)
    check_finite(work.Q, work.R)
    return QR(method, A, work.Q, work.R, tuple(work.columns), _rank(work.R, zero), tuple(work.steps))


class _Work:
    """A factorisation in progress."""

    def __init__(self, A: Floats, zero: float, pivoting: bool) -> None:
        self.zero, self.pivoting = zero, pivoting
        self.R, self.Q = A.copy(), np.eye(A.shape[0])
        self.columns = list(range(A.shape[1]))
        self.steps: list[Step] = []
        self.tell("the matrix as given")

    def tell(self, text: str, matrix: Floats | None = None) -> None:
        shown = self.R if matrix is None else matrix
        if self.R.size <= MOST_ENTRIES:
            self.steps.append(Step(text, shown.copy(), tuple(f"x{k + 1}" for k in self.columns)))

    def exchange(self, k: int, sizes: Floats) -> None:
        """Bring the column of which most is left to place k; `sizes` are what is left of columns k and following."""
        j = k + first_largest(sizes)
        if self.pivoting and j != k:
            self.R[:, [k, j]] = self.R[:, [j, k]]
            self.columns[k], self.columns[j] = self.columns[j], self.columns[k]
            self.tell(
                f"most is left of column {j + 1} ({number_text(float(sizes[j - k]))}): exchange columns {k + 1} and {j + 1}"
            )


def _reflections(work: _Work) -> None:
    m, n = work.R.shape
    for k in range(min(m, n)):
        work.exchange(k, np.linalg.norm(work.R[k:, k:], axis=0))
        x = work.R[k:, k]
        length = float(np.linalg.norm(x))
        if k == m - 1 or length <= work.zero or not np.abs(x[1:]).any():
            continue
        u = x.copy()
        u[0] += np.copysign(length, x[0])
        u /= np.linalg.norm(u)
        work.R[k:] -= 2.0 * np.outer(u, u @ work.R[k:])
        work.R[k + 1 :, k] = 0.0
        work.Q[:, k:] -= 2.0 * np.outer(work.Q[:, k:] @ u, u)
        values = ", ".join(map(number_text, u))
        work.tell(f"reflect rows {k + 1} to {m} across the plane normal to ({values}): column {k + 1} gets its zeros")
    size = min(m, n)
    work.Q, work.R = work.Q[:, :size], work.R[:size]


def _rotations(work: _Work) -> None:
    m, n = work.R.shape
    for k in range(min(m, n)):
        for i in range(k + 1, m):
            a, b = work.R[k, k], work.R[i, k]
            if b == 0.0:
                continue
            length = float(np.hypot(a, b))
            turn = np.array([[a, b], [-b, a]]) / length
            work.R[[k, i]] = turn @ work.R[[k, i]]
            work.R[i, k] = 0.0
            work.Q[:, [k, i]] = work.Q[:, [k, i]] @ turn.T
            angle = number_text(float(np.degrees(np.arctan2(b, a))))
            work.tell(f"turn rows {k + 1} and {i + 1} by {angle}°: row {i + 1} gets its zero in column {k + 1}")
    size = min(m, n)
    work.Q, work.R = work.Q[:, :size], work.R[:size]


def _gram_schmidt(work: _Work) -> None:
    """Modified process: each new direction is taken out of all columns that are left, which stand in R meanwhile."""
    m, n = work.R.shape
    found: list[Floats] = []
    shares = np.zeros((0, n))
    for k in range(n):
        if len(found) == m:
            break
        before = list(work.columns)
        work.exchange(k, np.linalg.norm(work.R[:, k:], axis=0))
        shares = shares[:, [before.index(c) for c in work.columns]]
        size = float(np.linalg.norm(work.R[:, k]))
        if size <= work.zero * np.sqrt(m):
            work.R[:, k] = 0.0
            work.tell(f"nothing is left of column {k + 1}: it depends on the columns before")
            continue
        q = work.R[:, k] / size
        row = np.zeros(n)
        row[k:] = q @ work.R[:, k:]
        work.R[:, k:] -= np.outer(q, row[k:])
        work.R[:, k] = 0.0
        found.append(q)
        shares = np.vstack([shares, row])
        work.tell(
            f"column {k + 1} over its length {number_text(size)} is direction {len(found)}; take it out of the others"
        )
    work.Q, work.R = np.column_stack(found) if found else np.zeros((m, 0)), shares


def _rank(R: Floats, zero: float) -> int:
    """Number of independent columns of an upper triangle, or of its echelon form."""
    sizes = np.linalg.svd(R, compute_uv=False) if R.size else np.zeros(0)
    return int((sizes > zero * np.sqrt(max(R.shape))).sum())
