"""Extremes, statistics and cycles of one quantity along a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ModelError
from trammel.model.constraint import Constraint
from trammel.results.between import polynomial, smooth_intervals
from trammel.results.quantities import in_unit, split_unit
from trammel.sentences import brief

if TYPE_CHECKING:
    from trammel.results.result import Result

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True)
class Extremes:
    """Where a quantity is smallest and largest.

    Attributes:
        name, unit: The quantity.
        minimum, maximum: Values.
        minimum_time, maximum_time: Their instants [s].
        turning: Instants [s] and values at which it turns back, in order.
        between: Whether extremes between samples were found, too: rates of the quantity are known.
    """

    name: str
    unit: str
    minimum: float
    minimum_time: float
    maximum: float
    maximum_time: float
    turning: tuple[tuple[float, float], ...] = field(default=(), repr=False)
    between: bool = True

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.minimum:.6g} {self.unit} at t = {self.minimum_time:.6g} s … "
            f"{self.maximum:.6g} {self.unit} at t = {self.maximum_time:.6g} s"
        )


@brief
@dataclass(frozen=True)
class Statistics:
    """A quantity over time; mean, rms and deviation weigh instants by the time between them.

    Attributes:
        unit: Of all of them.
        mean, rms, deviation: Mean, root mean square, and root mean square of the distance from the mean.
        minimum, maximum: Over the samples.
    """

    unit: str
    mean: float
    rms: float
    deviation: float
    minimum: float
    maximum: float

    @property
    def span(self) -> float:
        """From the smallest to the largest value."""
        return self.maximum - self.minimum


class _Curve:
    """A quantity between samples, where its rates are known."""

    def __init__(self, result: Result, name: str) -> None:
        plain, unit = split_unit(name)
        self.times = result.times
        self.values, self.unit = result.column(name)
        factor = 1.0 if not unit else float(in_unit(plain, (np.ones(1), result.column(plain)[1]), unit)[0][0])
        self.rate, self.second = (_derived(result, plain, order, factor) for order in (1, 2))
        self.smooth = smooth_intervals(result) if len(result) > 1 else np.zeros(0, dtype=bool)

    def polynomial(self, i: int) -> Array:
        """Coefficients in the share of the interval after instant i."""
        h = np.array([self.times[i + 1] - self.times[i]])
        assert self.rate is not None
        ends = [None if x is None else (x[i : i + 1], x[i + 1 : i + 2]) for x in (self.values, self.rate, self.second)]
        assert ends[0] is not None and ends[1] is not None
        return np.array([c[0] for c in polynomial(h, ends[0], ends[1], ends[2])])

    def roots(self, i: int, coefficients: Array) -> list[float]:
        """Instants in the interval after instant i at which a polynomial of its share is zero."""
        found = np.polynomial.polynomial.polyroots(np.trim_zeros(coefficients, "b"))
        shares = sorted(float(r.real) for r in found if abs(r.imag) < 1e-9 and 0.0 <= r.real <= 1.0)
        return [float(self.times[i] + s * (self.times[i + 1] - self.times[i])) for s in shares]

    def at(self, i: int, coefficients: Array, time: float) -> float:
        share = (time - self.times[i]) / (self.times[i + 1] - self.times[i])
        return float(np.polynomial.polynomial.polyval(share, coefficients))


def _derived(result: Result, name: str, order: int, factor: float) -> Array | None:
    """First or second rate of a quantity; None where nobody knows it."""
    owner, _, what = name.rpartition(".")
    if what in result.model.space.rates and owner in result.model and not isinstance(result.model[owner], Constraint):
        name, order = f"{owner}.{result.model.space.rates[what]}", order + 1
    try:
        return None if order > 2 else result.column(f"{name}.{'rate' if order == 1 else 'second'}")[0] * factor
    except ModelError:
        return None


def extremes_of(result: Result, name: str) -> Extremes:
    """Over all samples, and between them where rates are known."""
    if not len(result):
        raise ModelError(f"{name!r} has no extremes: this result holds no instants.")
    curve = _Curve(result, name)
    values = curve.values
    points = [(float(t), float(x)) for t, x in zip(curve.times, values, strict=True)]
    turning: list[tuple[float, float]] = []
    if curve.rate is not None:
        signs = np.sign(curve.rate)
        for i in np.flatnonzero((signs[1:] * signs[:-1] <= 0.0) & curve.smooth & (np.diff(curve.times) > 0.0)):
            c = curve.polynomial(int(i))
            slope = np.asarray(np.polynomial.polynomial.polyder(c), dtype=np.float64)
            if np.abs(slope).max() > 0.0:
                turning += [(t, curve.at(int(i), c, t)) for t in curve.roots(int(i), slope)]
        points += turning
    low, high = min(points, key=lambda p: p[1]), max(points, key=lambda p: p[1])
    kept = [p for k, p in enumerate(turning) if not k or p[0] > turning[k - 1][0]]
    return Extremes(name, curve.unit, low[1], low[0], high[1], high[0], tuple(kept), curve.rate is not None)


def statistics_of(result: Result, names: Sequence[str]) -> dict[str, Statistics]:
    """Of several quantities by name."""
    if not len(result):
        raise ModelError("there are no statistics: this result holds no instants.")
    out = {}
    for name, (values, unit) in zip(names, result._columns(list(names)), strict=True):
        mean = _mean(result.times, values)
        deviation = np.sqrt(max(0.0, _mean(result.times, (values - mean) ** 2)))
        rms = float(np.sqrt(_mean(result.times, values**2)))
        out[name] = Statistics(unit, mean, rms, float(deviation), float(values.min()), float(values.max()))
    return out


def _mean(times: Array, values: Array) -> float:
    """Over time, by straight lines between instants."""
    span = float(times[-1] - times[0])
    return (
        float((0.5 * np.diff(times) * (values[1:] + values[:-1])).sum() / span) if span > 0.0 else float(values.mean())
    )


def cycles_of(result: Result, name: str) -> Array:
    """Instants at which cycles begin [s]."""
    curve = _Curve(result, name)
    values, times = curve.values, curve.times
    if len(values) < 2:
        return np.zeros(0)
    turns = np.diff(values)
    one_way = (turns >= 0.0).all() or (turns <= 0.0).all()
    if curve.unit == "rad" and one_way and abs(values[-1] - values[0]) >= 2.0 * np.pi:
        way = np.sign(values[-1] - values[0])
        count = int(abs(values[-1] - values[0]) / (2.0 * np.pi) * (1.0 + 1e-12))
        levels = values[0] + way * 2.0 * np.pi * np.arange(1, count + 1)
        return np.array([times[0], *(_passage(curve, level, way) for level in levels)])
    mean = _mean(times, values)
    upward = np.flatnonzero((values[:-1] < mean) & (values[1:] >= mean))
    return np.array([_crossing(curve, int(i), mean) for i in upward])


def _passage(curve: _Curve, level: float, way: float) -> float:
    beyond = way * (curve.values - level) >= 0.0
    i = int(np.argmax(beyond)) - 1 if beyond.any() else len(curve.values) - 2
    return _crossing(curve, max(0, i), level)


def _crossing(curve: _Curve, i: int, level: float) -> float:
    """Instant after instant i at which a level is passed."""
    if curve.rate is not None and curve.smooth[i]:
        c = curve.polynomial(i)
        c[0] -= level
        found = curve.roots(i, c)
        if found:
            return found[0]
    a, b = curve.values[i], curve.values[i + 1]
    share = 0.0 if a == b else float(np.clip((level - a) / (b - a), 0.0, 1.0))
    return float(curve.times[i] + share * (curve.times[i + 1] - curve.times[i]))
