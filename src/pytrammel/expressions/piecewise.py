"""Functions given piece by piece: what rise laws and tables have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pytrammel import opcodes
from pytrammel._util.messages import brief


class Sine(NamedTuple):
    """The term ``amplitude * sin(frequency * h + phase)`` of a piece; h is the distance from its left break."""

    amplitude: float
    frequency: float
    phase: float


@brief
@dataclass(frozen=True)
class Pieces:
    """A function of one number on consecutive intervals.

    Attributes:
        breaks: Ends of the intervals, increasing, n + 1 numbers.
        coefficients: For each interval the factors of 1, h, h^2, ..., where h is the distance from its left break.
        sines: For each interval a sine term, or empty when no interval has one.
        outside: ``opcodes.OUTSIDE_LINEAR``, ``OUTSIDE_PERIODIC`` or ``OUTSIDE_HOLD``.
    """

    breaks: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    sines: tuple[Sine, ...] = ()
    outside: int = opcodes.OUTSIDE_LINEAR

    @property
    def degree(self) -> int:
        return len(self.coefficients[0]) - 1

    def floats(self) -> tuple[float, ...]:
        """The numbers as a tape carries them; the layout is written down in `pytrammel.opcodes`."""
        flat: list[float] = [float(len(self.coefficients)), float(self.degree), float(bool(self.sines)), self.outside]
        flat.extend(self.breaks)
        for i, row in enumerate(self.coefficients):
            flat.extend(row)
            if self.sines:
                flat.extend(self.sines[i])
        return tuple(float(number) for number in flat)

    def evaluate(self, x: Any, order: int = 0) -> Any:
        """Value or derivative at x: continuous from the right, extended outside the breaks.

        Args:
            x: Where to evaluate, any shape.
            order: Order of the derivative.
        """
        x = np.asarray(x, dtype=float)
        index, h, beyond = self._place(x)
        value = self._derivative(index, h, order)
        if self.outside == opcodes.OUTSIDE_HOLD:
            return value if order == 0 else np.where(beyond, 0.0, value)
        if self.outside == opcodes.OUTSIDE_LINEAR:
            if order == 0:
                inside = np.clip(x, self.breaks[0], self.breaks[-1])
                return value + np.where(beyond, self._derivative(index, h, 1) * (x - inside), 0.0)
            return value if order == 1 else np.where(beyond, 0.0, value)
        return value

    def locate(self, x: Any) -> tuple[Any, Any, Any]:
        """Number of the piece at x, distance from its left break, and whether x is between the breaks."""
        index, h, beyond = self._place(np.asarray(x, dtype=float))
        return index, h, ~beyond

    def _place(self, x: Any) -> tuple[Any, Any, Any]:
        breaks = np.array(self.breaks)
        first, last = breaks[0], breaks[-1]
        if self.outside == opcodes.OUTSIDE_PERIODIC:
            x = x - (last - first) * np.floor((x - first) / (last - first))
        inside = np.clip(x, first, last)
        # the interval to the right of x; the last break belongs to the last interval
        index = np.clip(np.searchsorted(breaks, inside, side="right") - 1, 0, len(breaks) - 2)
        if self.outside == opcodes.OUTSIDE_HOLD:
            beyond = (x < first) | (x >= last)
        else:
            beyond = (x < first) | (x > last)
        return index, inside - breaks[index], beyond

    def corners_between(self, low: float, high: float) -> Any:
        """Arguments from low to high at which the function or one of its derivatives jumps, increasing."""
        corners = np.array(self.corners)
        if self.outside == opcodes.OUTSIDE_PERIODIC and corners.size:
            first, period = self.breaks[0], self.breaks[-1] - self.breaks[0]
            turns = np.arange(math.floor((low - first) / period), math.floor((high - first) / period) + 1)
            corners = np.unique(corners[None, :] + period * turns[:, None])
        return corners[(corners >= low) & (corners <= high)]

    @cached_property
    def corners(self) -> tuple[float, ...]:
        """Breaks at which it is not the same polynomial on both sides."""
        kept = []
        lengths = np.diff(np.array(self.breaks))
        orders = range(max(self.degree, 6 if self.sines else 1) + 1)
        for k, at in enumerate(self.breaks):
            before = [self._side(k - 1, lengths, order, at_end=True) for order in orders]
            after = [self._side(k, lengths, order, at_end=False) for order in orders]
            size = max(abs(a) for a in before + after)
            if any(abs(a - b) > 1e-12 * size for a, b in zip(before, after, strict=True)):
                kept.append(at)
        return tuple(kept)

    def _side(self, piece: int, lengths: Any, order: int, *, at_end: bool) -> float:
        """Derivative at the end or beginning of a piece, scaled by its length; pieces -1 and n are what lies outside."""
        n = len(self.coefficients)
        if self.outside == opcodes.OUTSIDE_PERIODIC:
            piece %= n
        if not 0 <= piece < n:
            edge, h = (0, 0.0) if piece < 0 else (n - 1, lengths[-1])
            straight = order == 0 or (order == 1 and self.outside == opcodes.OUTSIDE_LINEAR)
            value = self._derivative(np.array(edge), np.array(h), order) if straight else 0.0
        else:
            value = self._derivative(np.array(piece), np.array(lengths[piece] if at_end else 0.0), order)
        return float(value * lengths.mean() ** order)

    def _derivative(self, index: Any, h: Any, order: int) -> Any:
        rows = np.array(self.coefficients)
        total = np.zeros_like(h)
        for power in range(order, self.degree + 1):
            total = total + rows[index, power] * math.perm(power, order) * h ** (power - order)
        if self.sines:
            amplitude, frequency, phase = np.array(self.sines).T
            turned = frequency[index] * h + phase[index] + order * math.pi / 2
            total = total + amplitude[index] * frequency[index] ** order * np.sin(turned)
        return total


@brief
@dataclass(frozen=True)
class PiecewiseFunction:
    """A named piecewise function that formulas may call: a rise law or a table."""

    name: str
    pieces: Pieces = field(repr=False)
