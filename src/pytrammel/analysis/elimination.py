"""The search for pivots and the exchanges that bring them to their place, shared by all eliminations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from pytrammel._util.matrix_inputs import Floats, first_largest
from pytrammel.errors import ModelError

Pivoting = Literal["none", "row", "column", "full"]
PIVOTINGS = ("none", "row", "column", "full")


class Pivoted:
    """What the pivots of a finished elimination tell of the matrix."""

    matrix: Floats
    row_order: tuple[int, ...]
    pivots: tuple[float, ...]
    sign: float

    @property
    def rank(self) -> int:
        """Number of pivots."""
        return len(self.pivots)

    @property
    def redundant(self) -> tuple[int, ...]:
        """Rows of A that depend on the others, counted from 0."""
        return tuple(sorted(self.row_order[self.rank :]))

    @property
    def determinant(self) -> float:
        """Determinant of A, the product of the pivots with the sign of the exchanges."""
        m, n = self.matrix.shape
        if m != n:
            raise ModelError(f"a matrix with {m} rows and {n} columns has no determinant; it must be square.")
        return self.sign * float(np.prod(self.pivots)) if self.rank == n else 0.0


@dataclass
class Elimination:
    """A matrix on its way to triangular form: who stands where, and which rows and columns have been set aside.

    Attributes:
        work: The numbers; columns behind `n` are right sides.
        n: Number of columns of the matrix itself.
        pivoting: Where pivots are looked for.
        zero: Size below which an entry counts as zero.
        rows, columns: Which row and column of the given matrix stands at each place.
        pivots: The pivots so far.
        told: Exchanges since the last time they were asked for, as sentences.
        failed: True if the pivot is zero and no exchange is allowed.
    """

    work: Floats
    n: int
    pivoting: Pivoting
    zero: float
    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    pivots: list[float] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    failed: bool = False
    sign: float = 1.0

    def __post_init__(self) -> None:
        self.rows, self.columns = list(range(self.work.shape[0])), list(range(self.n))
        self.rows_left, self.columns_left = self.work.shape[0], self.n

    @property
    def rank(self) -> int:
        return len(self.pivots)

    def next_pivot(self) -> float | None:
        """Bring the next pivot to its place; None when there is no other."""
        while True:
            k = self.rank
            rest = self.work[k : self.rows_left, k : self.columns_left]
            if rest.size == 0 or np.abs(rest).max() <= self.zero:
                return None
            i, j = self._look(rest)
            if abs(rest[i, j]) > self.zero:
                self._bring(k, k + i, k + j, float(rest[i, j]))
                self.pivots.append(float(self.work[k, k]))
                return self.pivots[-1]
            if self.pivoting == "none":
                self.failed = True
                return None
            if self.pivoting == "row":
                self._set_column_aside(k)
            else:
                self._set_row_aside(k)

    def _look(self, rest: Floats) -> tuple[int, int]:
        if self.pivoting == "row":
            return first_largest(rest[:, 0]), 0
        if self.pivoting == "column":
            return 0, first_largest(rest[0])
        if self.pivoting == "full":
            i, j = divmod(first_largest(rest.ravel()), rest.shape[1])
            return i, j
        return 0, 0

    def _bring(self, k: int, i: int, j: int, pivot: float) -> None:
        where = {"row": f"column {k + 1}", "column": f"row {k + 1}", "full": "all that is left"}.get(self.pivoting)
        changes = []
        if i != k:
            self.work[[k, i]] = self.work[[i, k]]
            self.rows[k], self.rows[i] = self.rows[i], self.rows[k]
            self.sign = -self.sign
            changes.append(f"rows {k + 1} and {i + 1}")
        if j != k:
            self.work[:, [k, j]] = self.work[:, [j, k]]
            self.columns[k], self.columns[j] = self.columns[j], self.columns[k]
            self.sign = -self.sign
            changes.append(f"columns {k + 1} and {j + 1}")
        if changes:
            self.told.append(f"the largest entry in {where} is {pivot:.4g}: exchange {' and '.join(changes)}")

    def _set_row_aside(self, k: int) -> None:
        """A row without anything left goes to the end; the others keep their order."""
        end = self.rows_left - 1
        self.work[k : end + 1] = np.roll(self.work[k : end + 1], -1, axis=0)
        self.rows[k : end + 1] = [*self.rows[k + 1 : end + 1], self.rows[k]]
        self.sign *= (-1.0) ** (end - k)
        self.rows_left = end
        self.told.append(f"nothing is left of row {k + 1}: it depends on the rows before and goes to the end")

    def _set_column_aside(self, k: int) -> None:
        end = self.columns_left - 1
        self.work[:, k : end + 1] = np.roll(self.work[:, k : end + 1], -1, axis=1)
        self.columns[k : end + 1] = [*self.columns[k + 1 : end + 1], self.columns[k]]
        self.sign *= (-1.0) ** (end - k)
        self.columns_left = end
        self.told.append(f"nothing is left in column {k + 1}: it has no pivot and goes to the end")

    def news(self) -> str:
        """The exchanges since the last call."""
        text, self.told = "; ".join(self.told), []
        return text
