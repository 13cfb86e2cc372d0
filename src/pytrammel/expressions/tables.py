"""Tables of numbers as smooth functions: linear and cubic spline interpolation.

The splines are found from their slopes at the points (de Boor, *A Practical Guide to Splines*, ch. IV).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from pytrammel import opcodes
from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, in_sentences, unlike
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import NAME_PATTERN, Expression, call_piecewise, is_taken
from pytrammel.expressions.piecewise import Pieces, PiecewiseFunction

TableKind = Literal["cubic", "natural", "periodic", "clamped", "linear"]
Outside = Literal["continue", "hold"]
Floats = NDArray[np.float64]


@brief
@dataclass(frozen=True, init=False)
class Table(PiecewiseFunction):
    """A function through given points.

    Call it on an expression to use it in a formula. Outside its points a periodic table repeats itself; the others go
    on straight with the last slope ("continue") or keep the last value ("hold").

    Attributes:
        name: How formulas call it.
        x: Where the values are given, increasing.
        y: The values.
        kind: "cubic" (not-a-knot; 3 points give a parabola, 2 a line), "natural" (no curvature at the ends), "clamped"
            (no slope at the ends), "periodic" (last value equal to the first), or "linear".
        outside: What a table that is not periodic does beyond its points.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    kind: TableKind
    outside: Outside
    # found from the other fields, so it takes no part in comparisons
    pieces: Pieces = field(repr=False, compare=False)

    @checked("x", "y", "kind")
    @in_sentences
    def __init__(
        self,
        name: str,
        x: Sequence[float] | Floats,
        y: Sequence[float] | Floats,
        *,
        kind: TableKind = "cubic",
        outside: Outside = "continue",
    ) -> None:
        points, values = _checked(name, x, y, kind, outside)
        if kind == "periodic":
            mode = opcodes.OUTSIDE_PERIODIC
        else:
            mode = opcodes.OUTSIDE_LINEAR if outside == "continue" else opcodes.OUTSIDE_HOLD
        pieces = Pieces(_tuple(points), _coefficients(points, values, kind), (), mode)
        found = {"x": _tuple(points), "y": _tuple(values), "kind": kind, "outside": outside, "pieces": pieces}
        for attribute, value in {"name": name, **found}.items():
            object.__setattr__(self, attribute, value)

    @overload
    def __call__(self, argument: Expression) -> Expression: ...
    @overload
    def __call__(self, argument: float) -> float: ...
    @overload
    def __call__(self, argument: Floats) -> Floats: ...
    def __call__(self, argument: Expression | float | Floats) -> Expression | float | Floats:
        """A formula that uses the table, or its values at numbers."""
        if isinstance(argument, Expression):
            return call_piecewise(self, argument)
        values = self.pieces.evaluate(argument)
        return float(values) if np.ndim(values) == 0 else values


@checked("x", "y", "kind")
@in_sentences
def spline(
    x: Sequence[float] | Floats, y: Sequence[float] | Floats, *, kind: TableKind = "cubic", name: str = "table"
) -> Table:
    """A table through points, ready to be called on an expression: ``spline(x, y)(time)``.

    Args:
        x: Where the values are given, increasing.
        y: The values.
        kind: How to join and end the pieces; see `Table`.
        name: How texts and messages call it.
    """
    return Table(name, x, y, kind=kind)


def _tuple(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _checked(
    name: str, x: Sequence[float] | Floats, y: Sequence[float] | Floats, kind: str, outside: str
) -> tuple[Floats, Floats]:
    if not NAME_PATTERN.fullmatch(name) or is_taken(name):
        raise ModelError(f"table '{name}': formulas cannot call it by this name; use letters, digits and underscores.")
    for word, allowed in ((kind, get_args(TableKind)), (outside, get_args(Outside))):
        if word not in allowed:
            raise ModelError(f"table '{name}': '{word}' is not one of {', '.join(allowed)}.")
    points, values = _numbers(name, "x", x), _numbers(name, "y", y)
    if len(points) != len(values):
        raise ModelError(f"table '{name}': x has {len(points)} numbers and y has {len(values)}; give one y for each x.")
    needed = 3 if kind == "periodic" else 2
    if len(points) < needed:
        raise ModelError(
            f"table '{name}': {len(points)} points given, a {kind} table needs at least {needed}; add points."
        )
    for i in range(1, len(points)):
        if points[i] <= points[i - 1]:
            texts = unlike(points[i], points[i - 1], digits=6)
            raise ModelError(
                f"table '{name}': x must increase, but x[{i}] = {texts[0]} is not greater than "
                f"x[{i - 1}] = {texts[1]}; sort the rows or remove the duplicate."
            )
    if kind == "periodic" and values[0] != values[-1]:
        texts = unlike(values[0], values[-1], digits=10)
        raise ModelError(
            f"table '{name}': a periodic table must end as it starts, but y[0] = {texts[0]} and "
            f"y[{len(values) - 1}] = {texts[1]}; make them equal or choose another kind."
        )
    return points, values


def _numbers(name: str, which: str, given: Sequence[float] | Floats) -> Floats:
    try:
        numbers = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"table '{name}': {which} must be a list of numbers, not {given!r}.") from None
    if numbers.ndim != 1:
        raise ModelError(f"table '{name}': {which} must be one list of numbers, but has shape {numbers.shape}.")
    for i, number in enumerate(numbers):
        if not np.isfinite(number):
            raise ModelError(f"table '{name}': {which}[{i}] = {number} is not a number; remove the row or repair it.")
    return numbers


def _coefficients(x: Floats, y: Floats, kind: str) -> tuple[tuple[float, ...], ...]:
    """Factors of 1, h, h^2, h^3 of each piece."""
    length = np.diff(x)
    chord = np.diff(y) / length
    if kind == "linear" or (len(x) == 2 and kind in ("cubic", "natural")):
        return tuple(zip(_tuple(y[:-1]), _tuple(chord), strict=True))
    slope = _slopes(length, chord, kind)
    left, right = slope[:-1], slope[1:]
    square = (3 * chord - 2 * left - right) / length
    cube = (left + right - 2 * chord) / length**2
    return tuple(_tuple(row) for row in np.stack([y[:-1], left, square, cube], axis=1))


def _slopes(length: Floats, chord: Floats, kind: str) -> Floats:
    """Slopes at the points that make the second derivative continuous."""
    if kind == "periodic":
        return _periodic_slopes(length, chord)
    n = len(length) + 1
    if kind == "cubic" and n == 3:  # both not-a-knot conditions say the same: the parabola through the points
        bend = (chord[1] - chord[0]) / (length[0] + length[1])
        return np.array([chord[0] - bend * length[0], chord[0] + bend * length[0], chord[1] + bend * length[1]])
    # row i:  below s[i-1] + middle s[i] + above s[i+1] = right
    below, middle, above, right = np.zeros(n), np.ones(n), np.zeros(n), np.zeros(n)
    below[1:-1] = length[1:]
    middle[1:-1] = 2 * (length[:-1] + length[1:])
    above[1:-1] = length[:-1]
    right[1:-1] = 3 * (length[1:] * chord[:-1] + length[:-1] * chord[1:])
    if kind == "natural":
        middle[0], above[0], right[0] = 2.0, 1.0, 3 * chord[0]
        middle[-1], below[-1], right[-1] = 2.0, 1.0, 3 * chord[-1]
    elif kind == "cubic":  # the first two pieces are one cubic, and so are the last two
        both = length[0] + length[1]
        middle[0], above[0] = length[1], both
        right[0] = ((length[0] + 2 * both) * length[1] * chord[0] + length[0] ** 2 * chord[1]) / both
        both = length[-1] + length[-2]
        middle[-1], below[-1] = length[-2], both
        right[-1] = ((length[-1] + 2 * both) * length[-2] * chord[-1] + length[-1] ** 2 * chord[-2]) / both
    return _solve_tridiagonal(below, middle, above, right)


def _periodic_slopes(length: Floats, chord: Floats) -> Floats:
    """The same rows around a circle: tridiagonal but for two corners (Sherman and Morrison)."""
    before = np.roll(length, 1)
    below, middle, above = length.copy(), 2 * (before + length), before.copy()
    right = 3 * (length * np.roll(chord, 1) + before * chord)
    if len(length) == 2:  # both neighbours are the same point
        full = np.array([[middle[0], below[0] + above[0]], [below[1] + above[1], middle[1]]])
        slope = np.linalg.solve(full, right)
        return np.append(slope, slope[0])
    corner_top, corner_bottom = below[0], above[-1]
    gamma = -middle[0]
    middle[0] -= gamma
    middle[-1] -= corner_top * corner_bottom / gamma
    spread = np.zeros_like(right)
    spread[0], spread[-1] = gamma, corner_bottom
    solution = _solve_tridiagonal(below, middle, above, right)
    answer = _solve_tridiagonal(below, middle, above, spread)
    weight = corner_top / gamma
    factor = (solution[0] + weight * solution[-1]) / (1 + answer[0] + weight * answer[-1])
    slope = solution - factor * answer
    return np.append(slope, slope[0])


def _solve_tridiagonal(below: Floats, middle: Floats, above: Floats, right: Floats) -> Floats:
    """Elimination without pivoting: every system here keeps positive pivots."""
    n = len(right)
    upper, x = np.zeros(n), np.zeros(n)
    upper[0], x[0] = above[0] / middle[0], right[0] / middle[0]
    for i in range(1, n):
        pivot = middle[i] - below[i] * upper[i - 1]
        upper[i] = above[i] / pivot
        x[i] = (right[i] - below[i] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= upper[i] * x[i + 1]
    return x
