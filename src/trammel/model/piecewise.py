"""Functions given piece by piece: what rise laws and tables have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from trammel import opcodes


class Sine(NamedTuple):
    """The term ``amplitude * sin(frequency * h + phase)`` of a piece; h is the distance from its left break."""

    amplitude: float
    frequency: float
    phase: float


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
        """The numbers as a tape carries them; the layout is written down in `trammel.opcodes`."""
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
        breaks = np.array(self.breaks)
        first, last = breaks[0], breaks[-1]
        if self.outside == opcodes.OUTSIDE_PERIODIC:
            x = x - (last - first) * np.floor((x - first) / (last - first))
        inside = np.clip(x, first, last)
        # the interval to the right of x; the last break belongs to the last interval
        index = np.clip(np.searchsorted(breaks, inside, side="right") - 1, 0, len(breaks) - 2)
        h = inside - breaks[index]
        value = self._derivative(index, h, order)
        if self.outside == opcodes.OUTSIDE_HOLD:
            beyond = (x < first) | (x >= last)
            return value if order == 0 else np.where(beyond, 0.0, value)
        if self.outside == opcodes.OUTSIDE_LINEAR:
            beyond = (x < first) | (x > last)
            if order == 0:
                return value + np.where(beyond, self._derivative(index, h, 1) * (x - inside), 0.0)
            return value if order == 1 else np.where(beyond, 0.0, value)
        return value

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


@dataclass(frozen=True)
class PiecewiseFunction:
    """A named piecewise function that formulas may call: a rise law or a table."""

    name: str
    pieces: Pieces = field(repr=False)
