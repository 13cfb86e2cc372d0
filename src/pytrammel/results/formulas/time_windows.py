"""Time windows of functions over whole series: ``mean(x, from=4)``, ``range(x, from=2, to=6)``."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import unlike
from pytrammel.errors import ModelError
from pytrammel.results.formulas.series_functions import OverTime, at_time

Array = NDArray[np.float64]
WITH_WINDOW = ("max", "min", "range", "mean", "integral", "rms", "deviation")  # functions that accept a window
SLACK = 1e-9  # coincidence of an end of a window with an output time, relative to the largest time


@dataclass(frozen=True)
class Window:
    """Time window of a function over a series.

    Attributes:
        start, end: Ends of the window [s]; infinite where it is open.
    """

    start: float = -math.inf
    end: float = math.inf

    def __str__(self) -> str:
        ends = [("from", self.start), ("to", self.end)]
        return ", ".join(f"{name}={value!r}".removesuffix(".0") for name, value in ends if math.isfinite(value))

    def inside(self, times: Array) -> NDArray[np.bool_]:
        """Return the output times within the window, shape (n,)."""
        return np.asarray((times >= self.start) & (times <= self.end))

    def of(self, function: OverTime) -> OverTime:
        """Return the function of the part of a series within the window."""
        return function._replace(value=_value(function.value, self), weights=_weights(function.weights, self))


@dataclass(frozen=True)
class _Cut:
    """Samples within a window, with interpolated values at its ends.

    Attributes:
        times: Output times within the window and its ends [s].
        first, last: Range of the samples that are kept.
        left, right: Weights of all samples at the ends of the window; None where the window begins or ends at a sample.
    """

    times: Array
    first: int
    last: int
    left: Array | None
    right: Array | None

    def series(self, x: Array) -> Array:
        """Return the values at `times`, shape (..., m)."""
        parts = [x[..., self.first : self.last]]
        if self.left is not None:
            parts.insert(0, (x * self.left).sum(axis=-1, keepdims=True))
        if self.right is not None:
            parts.append((x * self.right).sum(axis=-1, keepdims=True))
        return np.concatenate(parts, axis=-1)

    def back(self, weights: Array, n: int) -> Array:
        """Return weights of all n samples from weights of the values at `times`."""
        weights = np.broadcast_to(weights, (*np.shape(weights)[:-1], self.times.size))
        out = np.zeros((*weights.shape[:-1], n))
        begin = 0 if self.left is None else 1
        out[..., self.first : self.last] = weights[..., begin : begin + self.last - self.first]
        if self.left is not None:
            out += weights[..., :1] * self.left
        if self.right is not None:
            out += weights[..., -1:] * self.right
        return out


def _cut(window: Window, t: Array) -> _Cut:
    """Return the part of a run within a window.

    A time that stands twice belongs to an event: a window that begins there begins after the event, and one that ends there ends before.
    """
    slack = SLACK * max(abs(float(t[0])), abs(float(t[-1])), 1e-300)
    for name, value in (("from", window.start), ("to", window.end)):
        if math.isfinite(value) and not t[0] - slack <= value <= t[-1] + slack:
            texts = unlike(value, t[0], t[-1], digits=6)
            raise ModelError(
                f"{name}={texts[0]}: the run covers t = {texts[1]} s to {texts[2]} s. Use a time within the run."
            )
    first, last, left, right = 0, t.size, None, None
    if math.isfinite(window.start):
        at = np.flatnonzero(np.abs(t - window.start) <= slack)
        first = int(at[-1]) if at.size else int(np.searchsorted(t, window.start, side="right"))
        left = None if at.size else at_time(t, window.start)
    if math.isfinite(window.end):
        at = np.flatnonzero(np.abs(t - window.end) <= slack)
        last = int(at[0]) + 1 if at.size else int(np.searchsorted(t, window.end, side="left"))
        right = None if at.size else at_time(t, window.end)
    kept = t[first:last] if last > first else t[:0]
    ends = ([window.start] if left is not None else [], [window.end] if right is not None else [])
    return _Cut(np.concatenate([ends[0], kept, ends[1]]), first, max(first, last), left, right)


def _value(value: Callable[..., Array], window: Window) -> Callable[..., Array]:
    def of_part(x: Array, t: Array, *given: Any) -> Array:
        cut = _cut(window, t)
        return value(cut.series(x), cut.times, *given)

    return of_part


def _weights(weights: Callable[..., Array], window: Window) -> Callable[..., Array]:
    def of_part(x: Array, t: Array, *given: Any) -> Array:
        cut = _cut(window, t)
        return cut.back(weights(cut.series(x), cut.times, *given), t.size)

    return of_part
