"""Gauss's elimination and the Gauss–Jordan reduction (sec. 3.3.1, 3.3.2), with the steps shown."""

from __future__ import annotations

from dataclasses import dataclass, field

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
from pytrammel._util.messages import brief, in_sentences, number_of
from pytrammel._util.worked_steps import MOST_ENTRIES, Step, number_text
from pytrammel.analysis.elimination import PIVOTINGS, Elimination, Pivoted, Pivoting
from pytrammel.errors import ModelError, SingularError


@brief
@dataclass(frozen=True, eq=False)
class Reduction(Pivoted):
    """What an elimination made of a matrix A and right sides c.

    Attributes:
        method: "Gauss" or "Gauss–Jordan".
        pivoting: "none", "row", "column" or "full".
        matrix: A as given, shape (m, n).
        right: c as given, shape (m,) or (m, k), or None.
        reduced: A after the elimination, rows and columns in their new order: ones on the diagonal, zeros below it (Gauss) or on both
            sides (Gauss–Jordan).
        reduced_right: c after it, shape (m, k), or None.
        row_order, column_order: Which row and column of A stands at each place, counted from 0.
        pivots: The pivots, as they were before the division.
        steps: The steps, for matrices of up to 2500 entries.
    """

    method: str
    pivoting: str
    matrix: Floats
    right: Floats | None
    reduced: Floats
    reduced_right: Floats | None
    row_order: tuple[int, ...]
    column_order: tuple[int, ...]
    pivots: tuple[float, ...]
    steps: tuple[Step, ...] = field(repr=False)
    sign: float = field(repr=False, default=1.0)
    zero: float = field(repr=False, default=0.0)

    @property
    def free(self) -> tuple[int, ...]:
        """Unknowns that the equations leave free, counted from 0."""
        return tuple(sorted(self.column_order[self.rank :]))

    @property
    def solution(self) -> Floats:
        """The unknowns x of A x = c, shape (n,) or (n, k).

        Raises:
            SingularError: There is no solution, or more than one; ``error.partial`` is the reduction.
        """
        if self.right is None or self.reduced_right is None:
            raise ModelError("there is no solution without a right side; give it as the second argument.")
        r, n = self.rank, self.matrix.shape[1]
        # what elimination leaves of a zero is rounding of the numbers that went through it
        left = np.abs(self.reduced_right[r:])
        limit = 1e3 * self.zero * max(1.0, float(np.abs(self.reduced_right).max(initial=0.0)))
        if left.size and left.max() > max(limit, 1e-13 * float(np.abs(self.right).max())):
            worst = r + int(left.max(axis=1).argmax())
            raise SingularError(
                f"the equations contradict each other: after elimination equation {self.row_order[worst] + 1} reads 0 = "
                f"{self.reduced_right[worst][int(left[worst - r].argmax())]:.4g}. Correct the matrix or the right side.",
                partial=self,
            )
        if r < n:
            names = ", ".join(f"x{k + 1}" for k in self.free)
            raise SingularError(
                f"the solution is not unique: the rank is {r} with {n} unknowns, so that {names} may have any value. Add "
                f"{number_of(n - r, 'equation')}.",
                partial=self,
            )
        y = self.reduced_right[:n].copy()
        for k in range(n - 2, -1, -1):  # nothing to do after Gauss–Jordan
            y[k] -= self.reduced[k, k + 1 : n] @ y[k + 1 :]
        x = np.zeros_like(y)
        x[list(self.column_order)] = y
        return x[:, 0] if self.right.ndim == 1 else x

    @property
    def residual(self) -> float:
        """Largest entry of A x - c."""
        x = self.solution
        assert self.right is not None  # or there would have been no solution
        return float(np.abs(self.matrix @ x - self.right).max())

    def __str__(self) -> str:
        return self.shown()

    @checked
    def shown(self, *, digits: int = 4, fractions: bool = False) -> str:
        """All steps and the outcome as text; `fractions` writes 19/5 instead of 3.8."""
        m, n = self.matrix.shape
        lines = [f"{self.method}, {pivoting_text(self.pivoting)}, {m} equations, {n} unknowns"]
        for k, step in enumerate(self.steps):
            lines.append(f"{k}. {step.shown(digits=digits, fractions=fractions)}")
        lines.append(f"rank {self.rank}" + (f", determinant {number_text(self.determinant)}" if m == n else ""))
        if self.redundant:
            lines.append("equations that depend on the others: " + ", ".join(str(k + 1) for k in self.redundant))
        if self.right is not None:
            try:
                x = self.solution
            except SingularError as error:
                return "\n".join([*lines, str(error)])
            rows = x if x.ndim == 2 else x[:, None]
            values = [", ".join(number_text(v, digits, fractions) for v in row) for row in rows]
            how = "back substitution" if self.method == "Gauss" else "solution"
            lines.append(f"{how}: " + ", ".join(f"x{k + 1} = {v}" for k, v in enumerate(values)))
        return "\n".join(lines)


@checked
@in_sentences
def gauss(
    matrix: ArrayLike, right: ArrayLike | None = None, *, pivoting: Pivoting = "row", tolerance: float = TOLERANCE
) -> Reduction:
    """Gauss's elimination to an upper triangle with ones on the diagonal, and back substitution.

    Args:
        matrix: A, shape (m, n); it need not be square.
        right: c, shape (m,), or several right sides as columns, shape (m, k).
        pivoting: Where the next pivot is looked for: "none" (on the diagonal), "row" (below it, rows are exchanged), "column" (beside
            it, columns are exchanged), "full" (everywhere). Of equal entries the first is taken.
        tolerance: Share of the largest entry of A below which a pivot counts as zero.

    Raises:
        SingularError: Without pivoting a pivot is zero; ``error.partial`` has the steps up to there.
    """
    return _reduced("Gauss", matrix, right, pivoting, tolerance)


@checked
@in_sentences
def gauss_jordan(
    matrix: ArrayLike, right: ArrayLike | None = None, *, pivoting: Pivoting = "row", tolerance: float = TOLERANCE
) -> Reduction:
    """The Gauss–Jordan reduction: the matrix becomes the identity, the right side the solution.

    With the identity as the right side, the solution is the inverse. Arguments are those of `gauss`.
    """
    return _reduced("Gauss–Jordan", matrix, right, pivoting, tolerance)


def _reduced(
    method: str, matrix: ArrayLike, right: ArrayLike | None, pivoting: Pivoting, tolerance: float
) -> Reduction:
    A = as_matrix(matrix)
    chosen(pivoting, PIVOTINGS, "pivoting")
    c = None if right is None else as_right_side(right, A.shape[0])
    columns = np.zeros((A.shape[0], 0)) if c is None else c.reshape(A.shape[0], -1)
    zero = as_tolerance(tolerance, float(np.abs(A).max()))
    m, n = A.shape
    e = Elimination(np.hstack([A, columns]), n, pivoting, zero)
    steps: list[Step] = []

    def tell(text: str) -> None:
        if A.size <= MOST_ENTRIES:
            above = [*(f"x{k + 1}" for k in e.columns), *[""] * columns.shape[1]]
            steps.append(Step(text, e.work.copy(), tuple(above), tuple(f"({k + 1})" for k in e.rows), n))

    def made() -> Reduction:
        return Reduction(
            method, pivoting, A, c, e.work[:, :n].copy(), None if c is None else e.work[:, n:].copy(), tuple(e.rows),
            tuple(e.columns), tuple(e.pivots), tuple(steps), e.sign, zero,
        )  # fmt: skip

    tell("the equations as given")
    while (pivot := e.next_pivot()) is not None:
        k = e.rank - 1
        if news := e.news():
            tell(news)
        others = [i for i in range(0 if method != "Gauss" else k + 1, m) if i != k]
        factors = {i: e.work[i, k] for i in others if e.work[i, k] != 0.0}
        e.work[k] /= pivot
        e.work[k, k] = 1.0
        for i, factor in factors.items():
            e.work[i] -= factor * e.work[k]
            e.work[i, k] = 0.0
        divided = f"divide row {k + 1} by {number_text(pivot)}"
        taken = [f"{number_text(factor)} times row {k + 1} from row {i + 1}" for i, factor in factors.items()]
        tell(divided + (f", then take {', '.join(taken)}" if taken else ""))
    if news := e.news():
        tell(news)
    check_finite(e.work)
    if e.failed:
        k = e.rank
        raise SingularError(
            f"the pivot of step {k + 1} is zero (row {k + 1}, column {k + 1}), and without pivoting elimination cannot go on; use "
            "pivoting='row', 'column' or 'full'.",
            partial=made(),
        )
    return made()
