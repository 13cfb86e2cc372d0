"""L-U factorisation of square and rectangular matrices with any pivoting (sec. 3.3.3, 3.3.4, App. C), with the steps shown."""

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
    pivoting_text,
)
from pytrammel._util.messages import brief, in_sentences
from pytrammel._util.worked_steps import MOST_ENTRIES, Step, matrix_text, number_text
from pytrammel.analysis.elimination import PIVOTINGS, Elimination, Pivoted, Pivoting
from pytrammel.errors import SingularError

Form = Literal["doolittle", "crout"]


@brief
@dataclass(frozen=True, eq=False)
class LU(Pivoted):
    """Factors of a matrix: A with its rows and columns in a new order is L U.

    Attributes:
        form: "doolittle" (ones on the diagonal of L) or "crout" (ones on the diagonal of U).
        pivoting: "none", "row", "column" or "full".
        matrix: A as given, shape (m, n).
        L: Lower factor, shape (m, r) with the rank r.
        U: Upper factor, shape (r, n); behind its first r columns stands what App. C calls R.
        row_order, column_order: Which row and column of A stands at each place, counted from 0:
            ``A[row_order][:, column_order] = L @ U``.
        pivots: The pivots.
        steps: The steps, for matrices of up to 2500 entries: L and U grow in one matrix, in place of A.
    """

    form: str
    pivoting: str
    matrix: Floats
    L: Floats
    U: Floats
    row_order: tuple[int, ...]
    column_order: tuple[int, ...]
    pivots: tuple[float, ...]
    steps: tuple[Step, ...] = field(repr=False)
    sign: float = field(repr=False, default=1.0)

    @property
    def residual(self) -> float:
        """Largest entry of L U - A, rows and columns in their new order."""
        given = self.matrix[list(self.row_order)][:, list(self.column_order)]
        return float(np.abs(self.L @ self.U - given).max())

    @property
    def H(self) -> Floats:
        """Influence of the columns without a pivot on those with one, -U_u⁻¹ R (eq. C.3), shape (r, n - r).

        If A x = 0, then the unknowns of the first r columns are H times the others, both in the new order.
        """
        r = self.rank
        return _backward(self.U[:, :r], -self.U[:, r:])

    def forward(self, right: ArrayLike) -> Floats:
        """y of L y = c, with c in the new order of the rows, shape (r,) or (r, k): the first half of `solve`."""
        c = as_right_side(right, self.matrix.shape[0])
        y = _forward(self.L, c.reshape(c.shape[0], -1)[list(self.row_order)])[: self.rank]
        return y[:, 0] if c.ndim == 1 else y

    def solve(self, right: ArrayLike) -> Floats:
        """The unknowns of A x = c by L y = c and U x = y; the factors serve any number of right sides.

        Args:
            right: c, shape (m,), or several right sides as columns, shape (m, k).

        Raises:
            SingularError: A has no inverse.
        """
        m, n = self.matrix.shape
        c = as_right_side(right, m)
        if m != n or self.rank < n:
            raise SingularError(
                f"the matrix ({m} rows, {n} columns, rank {self.rank}) has no inverse, so that x is not determined. Use gauss, "
                "which says what is free or contradictory, or qr for least squares."
            )
        y = self.forward(c).reshape(n, -1)
        x = np.zeros_like(y)
        x[list(self.column_order)] = _backward(self.U, y)
        return x[:, 0] if c.ndim == 1 else x

    def __str__(self) -> str:
        return self.shown()

    @checked
    def shown(self, *, digits: int = 4, fractions: bool = False) -> str:
        """All steps and the factors as text; `fractions` writes 19/5 instead of 3.8."""
        m, n = self.matrix.shape
        lines = [f"L-U factorisation ({self.form}), {pivoting_text(self.pivoting)}, {m} rows, {n} columns"]
        for k, step in enumerate(self.steps):
            lines.append(f"{k}. {step.shown(digits=digits, fractions=fractions)}")
        rows = [f"({k + 1})" for k in self.row_order]
        lines += ["L =", matrix_text(self.L, rows=rows, digits=digits, fractions=fractions)]
        above = [f"x{k + 1}" for k in self.column_order]
        lines += ["U =", matrix_text(self.U, above, bar=self.rank, digits=digits, fractions=fractions)]
        lines.append(f"rank {self.rank}" + (f", determinant {number_text(self.determinant)}" if m == n else ""))
        if self.redundant:
            lines.append("rows that depend on the others: " + ", ".join(str(k + 1) for k in self.redundant))
        return "\n".join(lines)


@checked
@in_sentences
def lu(matrix: ArrayLike, *, pivoting: Pivoting = "row", form: Form = "doolittle", tolerance: float = TOLERANCE) -> LU:
    """Factor a matrix, square or not, step by step as algorithm LU-I does.

    LU-I takes the elements in Crout's order and puts the ones on the diagonal of L; that is the form called Doolittle's elsewhere.

    Args:
        matrix: A, shape (m, n).
        pivoting: "none", "row", "column" or "full", as in `gauss`. With "column" or "full" the columns with a pivot come first and
            dependent rows last (App. C).
        form: "doolittle" for ones on the diagonal of L, "crout" for ones on the diagonal of U.
        tolerance: Share of the largest entry of A below which a pivot counts as zero.

    Raises:
        SingularError: Without pivoting a pivot is zero; ``error.partial`` has the steps up to there.
    """
    A = as_matrix(matrix)
    chosen(pivoting, PIVOTINGS, "pivoting")
    chosen(form, ("doolittle", "crout"), "form")
    e = Elimination(A.copy(), A.shape[1], pivoting, as_tolerance(tolerance, float(np.abs(A).max())))
    steps: list[Step] = []

    def tell(text: str) -> None:
        if A.size <= MOST_ENTRIES:
            above, before = (f"x{k + 1}" for k in e.columns), (f"({k + 1})" for k in e.rows)
            steps.append(Step(text, e.work.copy(), tuple(above), tuple(before)))

    tell("the matrix as given")
    while (pivot := e.next_pivot()) is not None:
        k = e.rank - 1
        if news := e.news():
            tell(news)
        if form == "doolittle":
            e.work[k + 1 :, k] /= pivot
            divided = f"divide what stands below the pivot {number_text(pivot)} by it"
        else:
            e.work[k, k + 1 :] /= pivot
            divided = f"divide what stands right of the pivot {number_text(pivot)} by it"
        e.work[k + 1 :, k + 1 :] -= np.outer(e.work[k + 1 :, k], e.work[k, k + 1 :])
        if e.work[k + 1 :].size + e.work[k, k + 1 :].size:
            tell(f"{divided}, then take column {k + 1} times row {k + 1} from what is left")
    if news := e.news():
        tell(news)
    check_finite(e.work)
    made = _factors(e, form, pivoting, A, steps)
    if e.failed:
        k = e.rank
        raise SingularError(
            f"the pivot of step {k + 1} is zero (row {k + 1}, column {k + 1}), and without pivoting the factorisation cannot go on; use "
            "pivoting='row', 'column' or 'full'.",
            partial=made,
        )
    return made


def _factors(e: Elimination, form: str, pivoting: str, A: Floats, steps: list[Step]) -> LU:
    r = e.rank
    L, U = np.tril(e.work[:, :r]), np.triu(e.work[:r])
    np.fill_diagonal(L if form == "doolittle" else U[:, :r], 1.0)
    return LU(form, pivoting, A, L, U, tuple(e.rows), tuple(e.columns), tuple(e.pivots), tuple(steps), e.sign)


def _forward(L: Floats, c: Floats) -> Floats:
    """y of L y = c."""
    y = c.copy()
    for k in range(L.shape[1]):
        y[k] = (y[k] - L[k, :k] @ y[:k]) / L[k, k]
    return y


def _backward(U: Floats, y: Floats) -> Floats:
    """x of U x = y."""
    x = y.copy()
    for k in range(U.shape[0] - 1, -1, -1):
        x[k] = (x[k] - U[k, k + 1 :] @ x[k + 1 :]) / U[k, k]
    return x
