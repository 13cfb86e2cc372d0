"""Steps of a method on paper: a sentence and the numbers after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pytrammel._util.checks import checked
from pytrammel._util.matrix_inputs import Floats
from pytrammel.errors import ModelError

MOST_ENTRIES = 2500  # larger matrices keep no steps: nobody reads them
SMALL_DENOMINATOR = 10_000
MOST_DIGITS = 17  # digits that a double can have


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a method.

    Attributes:
        text: What was done, in a sentence; rows, columns and unknowns are counted from 1, as on paper.
        matrix: All numbers after the step, shape (rows, columns), right sides behind.
        columns: What stands above the columns.
        rows: What stands before the rows.
        bar: Number of columns before the bar that separates the right sides; all of them if there are none.
    """

    text: str
    matrix: Floats
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    bar: int = 0

    def __str__(self) -> str:
        return self.shown()

    @checked
    def shown(self, *, digits: int = 4, fractions: bool = False) -> str:
        """The sentence and the matrix as text.

        Args:
            digits: Digits of the numbers.
            fractions: Write 19/5 instead of 3.8 where a number is a fraction with a small denominator.
        """
        return f"{self.text}\n{matrix_text(self.matrix, self.columns, self.rows, self.bar, digits, fractions)}"


def check_digits(digits: int) -> None:
    """Raise `ModelError` if a number cannot be shown with so many digits."""
    if not 1 <= digits <= MOST_DIGITS:
        raise ModelError(f"digits is {digits}; it must be from 1 to {MOST_DIGITS}.")


def number_text(value: float, digits: int = 4, fractions: bool = False) -> str:
    """A number in a few digits; -0 is 0."""
    check_digits(digits)
    if fractions:
        near = Fraction(float(value)).limit_denominator(SMALL_DENOMINATOR)
        if abs(float(near) - value) <= 1e-10 * max(1.0, abs(value)):
            return str(near)
    return f"{value + 0.0:.{digits}g}"


def matrix_text(
    matrix: Floats, columns: Sequence[str] = (), rows: Sequence[str] = (), bar: int = 0, digits: int = 4,
    fractions: bool = False,
) -> str:  # fmt: skip
    """A matrix in aligned columns, with what stands above and before it."""
    # what is rounding beside the other entries is zero
    tiny = 1e-14 * float(np.abs(matrix).max(initial=0.0))
    cells = [[number_text(0.0 if abs(v) < tiny else float(v), digits, fractions) for v in row] for row in matrix]
    table = [list(columns), *cells] if columns else cells
    widths = [max(len(row[k]) for row in table) for k in range(matrix.shape[1])]
    before = max((len(name) for name in rows), default=0)
    lines = []
    for place, row in enumerate(table):
        name = rows[place - bool(columns)] if rows and place >= bool(columns) else ""
        parts = [text.rjust(width) for text, width in zip(row, widths, strict=True)]
        if 0 < bar < len(parts):
            parts.insert(bar, "|")
        lines.append(f"  {name.ljust(before)}{'  ' if before else ''}{'  '.join(parts)}")
    return "\n".join(lines)
