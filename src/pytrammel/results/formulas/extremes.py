"""Extremes, statistics and cycles of one quantity along a motion."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief
from pytrammel.errors import ModelError, RunWarning, tell
from pytrammel.results.columns import derived
from pytrammel.results.forces.unilateral import NOTHING, forces_at_work
from pytrammel.results.formulas.hidden_motion import hidden_motion
from pytrammel.results.interpolation import breaks, polynomial, smooth_intervals
from pytrammel.results.quantities import in_unit, split_unit
from pytrammel.results.refinement import SHARE, beside_switches, can_be_denser, with_more

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
AGREEMENT = 1e-7  # difference of polynomials and motion, as a fraction of the range, at which an interval is resolved
FAINT = (
    1e-11  # difference of polynomials and motion, relative to all velocities, accelerations or forces, that is rounding
)
LEVELS = 16  # divisions of an interval
MOST_MORE = 20_000  # output times that are added at one level
ERRORS = 2.0  # differences between orders of interpolation that an error may have
STEADY = 1e-8  # fraction of its size by which a quantity that is constant changes in a run at the default rtol
DOUBTFUL = 0.01  # fraction of the range above which an interpolation error is reported


@brief
@dataclass(frozen=True)
class Extremes:
    """Where a quantity is smallest and largest.

    Attributes:
        name, unit: The quantity.
        minimum, maximum: Values.
        minimum_time, maximum_time: Their instants [s].
        turning: Instants [s] and values at which it turns back, in order.
        between: Whether rates of the quantity are known between samples. Without rates, cubics through the samples are used.
        warnings: Warnings about extremes between samples that differ with the order of interpolation.
    """

    name: str
    unit: str
    minimum: float
    minimum_time: float
    maximum: float
    maximum_time: float
    turning: tuple[tuple[float, float], ...] = field(default=(), repr=False)
    between: bool = True
    warnings: tuple[RunWarning, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        text = (
            f"{self.name}: {self.minimum:.6g} {self.unit} at t = {self.minimum_time:.6g} s … "
            f"{self.maximum:.6g} {self.unit} at t = {self.maximum_time:.6g} s"
        )
        return "\n".join([text, *(f"  warning: {warning}" for warning in self.warnings)])


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
        self.values, self.unit = result._column(name)
        factor = 1.0 if not unit else float(in_unit(plain, (np.ones(1), result._column(plain)[1]), unit)[0][0])
        rates = (derived(result, plain, order) for order in (1, 2))
        self.rate, self.second = (None if each is None else each * factor for each in rates)
        self.smooth = smooth_intervals(result) if len(result) > 1 else np.zeros(0, dtype=bool)
        self.corners = np.zeros_like(self.smooth)
        self.breaks = breaks(result)

    @functools.cached_property
    def polynomials(self) -> Array:
        """Coefficients in the share of each interval, shape (n - 1, 6); unknown rates come from polynomials through five samples."""
        first, second = self._estimated(self.values if self.rate is None else self.rate)
        if self.rate is None:
            return self._through(first, second)
        return self._through(self.rate, first if self.second is None else self.second)

    @functools.cached_property
    def lower(self) -> Array:
        """Cubics, for estimates of the error, shape (n - 1, 6)."""
        return self._through(self._slopes if self.rate is None else self.rate, None)

    def polynomial(self, i: int) -> Array:
        """Coefficients in the share of the interval after instant i."""
        return np.array(self.polynomials[i])

    def evaluate(self, at: Array) -> Array:
        """Values at any times of the run; straight lines where the motion is not smooth."""
        i = np.clip(np.searchsorted(self.times, at, side="right") - 1, 0, self.times.size - 2)
        step = self.times[i + 1] - self.times[i]
        share = np.where(step > 0.0, (at - self.times[i]) / np.where(step > 0.0, step, 1.0), 0.0)
        smooth = (self.polynomials[i] * share[..., None] ** np.arange(6)).sum(axis=-1)
        straight = self.values[i] + share * (self.values[i + 1] - self.values[i])
        return np.where(self.smooth[i] & (step > 0.0), smooth, straight)

    def _through(self, rate: Array, second: Array | None) -> Array:
        ends = [None if x is None else (x[:-1], x[1:]) for x in (self.values, rate, second)]
        assert ends[0] is not None
        assert ends[1] is not None
        return np.array(polynomial(np.diff(self.times), ends[0], ends[1], ends[2])).T

    @functools.cached_property
    def _slopes(self) -> Array:
        """Rates at samples by parabolas through three of them, within stretches of smooth motion."""
        return self._estimated(self.values, 3)[0]

    def _estimated(self, values: Array, most: int = 5) -> tuple[Array, Array]:
        """First and second derivatives of a series by polynomials through neighbouring samples of a smooth stretch."""
        first, second = np.zeros(values.size), np.zeros(values.size)
        for own in self._stretches:
            size = min(most, own.size)
            if size < 2:
                continue
            near = np.clip(np.arange(own.size) - size // 2, 0, own.size - size)[:, None] + np.arange(size)
            away = self.times[own][near] - self.times[own][:, None]
            scale = np.abs(away).max(axis=1)
            table = (away / scale[:, None])[:, :, None] ** np.arange(size)
            c = np.linalg.solve(table, values[own][near][:, :, None])[:, :, 0]
            first[own] = c[:, 1] / scale
            if size > 2:
                second[own] = 2.0 * c[:, 2] / scale**2
        return first, second

    @property
    def _stretches(self) -> list[NDArray[np.int64]]:
        joined = self.smooth & (np.diff(self.times) > 0.0)
        return np.split(np.arange(self.values.size), np.flatnonzero(~joined) + 1)

    @property
    def turning(self) -> NDArray[np.int64]:
        """Intervals inside which the quantity may turn back."""
        h = np.diff(self.times) > 0.0
        if self.rate is None:  # next to the largest and smallest samples; values that rest at nil are cut off there
            x = self.values
            fall, rise = x[1:-1] >= np.maximum(x[:-2], x[2:]), x[1:-1] <= np.minimum(x[:-2], x[2:])
            level = (x[1:-1] == x[:-2]) & (x[1:-1] == x[2:]) | (x[1:-1] == 0.0) & ((x[:-2] == 0.0) | (x[2:] == 0.0))
            peak = np.append(np.append(False, (fall | rise) & ~level), False)
            return np.flatnonzero((peak[1:] | peak[:-1]) & self.smooth & h)
        c = self.polynomials
        slope = c[:, 1:] * np.arange(1.0, 6.0)
        ends = np.cumsum(slope, axis=1)[:, -1:]
        # coefficients of Bernstein: a polynomial lies within their range
        table = np.array([[math.comb(k, j) / math.comb(4, j) for j in range(5)] for k in range(5)])
        shape = np.hstack([slope @ table.T, ends])
        return np.flatnonzero((shape.min(axis=1) <= 0.0) & (shape.max(axis=1) >= 0.0) & self.smooth & h)

    def roots(self, i: int, coefficients: Array) -> list[float]:
        """Instants in the interval after instant i at which a polynomial of its share is zero."""
        found = np.polynomial.polynomial.polyroots(np.trim_zeros(coefficients, "b"))
        shares = sorted(float(r.real) for r in found if abs(r.imag) < 1e-9 and 0.0 <= r.real <= 1.0)
        return [float(self.times[i] + s * (self.times[i + 1] - self.times[i])) for s in shares]

    def turns(self, i: int) -> list[tuple[float, float, float]]:
        """Times inside the interval after output time i with slope nil, and values there by both orders."""
        c = self.polynomial(i)
        slope = np.asarray(np.polynomial.polynomial.polyder(c), dtype=np.float64)
        found = self.roots(i, slope) if np.abs(slope).max() > 0.0 else []
        return [(t, self.at(i, c, t), self.at(i, self.lower[i], t)) for t in found]

    def squared(self) -> _Curve:
        """The square of the quantity."""
        out = copy.copy(self)
        for cached in ("polynomials", "lower", "_slopes"):
            out.__dict__.pop(cached, None)
        out.values = self.values**2
        return out

    def at(self, i: int, coefficients: Array, time: float) -> float:
        share = (time - self.times[i]) / (self.times[i + 1] - self.times[i])
        return float(np.polynomial.polynomial.polyval(share, coefficients))


def extremes_of(result: Result, name: str) -> Extremes:
    """Over all samples and between them.

    Kinematics and inverse dynamics are solved again between samples until polynomials agree with them; other runs are interpolated.
    """
    if not len(result):
        raise ModelError(f"{name!r} has no extremes: this result holds no instants.")
    curve = _resolved(result, name)
    points = [(float(t), float(x), 0.0) for t, x in zip(curve.times, curve.values, strict=True)]
    turning = _turning(curve)
    known, possible = _sides(curve)
    points += [*turning, *known]
    low, high = min(points, key=lambda p: p[1]), max(points, key=lambda p: p[1])
    apart = 1e-12 * float(curve.times[-1] - curve.times[0])
    noise = _noise(result, curve)
    faint = FAINT * _at_work(result, curve.unit)
    kept = _beyond(
        [p[:2] for k, p in enumerate(turning) if not k or p[0] > turning[k - 1][0] + apart], high[1] - low[1], faint
    )
    doubts = () if can_be_denser(result) and not result._driven else _doubts(name, curve.unit, low, high, noise)
    hidden = () if can_be_denser(result) else hidden_motion(result, curve.smooth, name)
    out = Extremes(
        name, curve.unit, low[1], low[0], high[1], high[0], tuple(kept), curve.rate is not None,
        (*doubts, *_at_changes(name, curve.unit, low[1], high[1], possible, noise), *hidden),
    )  # fmt: skip
    tell(out.warnings, out)
    return out


def _turning(curve: _Curve) -> list[tuple[float, float, float]]:
    """Times between samples at which a quantity turns back, its values there, and their estimated errors."""
    # a size passes near nil in a kink, its square smoothly
    squares = curve.squared() if curve.rate is None and curve.values.min() >= 0.0 else None
    out: list[tuple[float, float, float]] = []
    for i in curve.turning if len(curve.times) > 1 else ():
        below = float(curve.values[i : i + 2].min())
        for t, value, other in curve.turns(int(i)):
            if squares is None or value >= below:
                out.append((t, value, ERRORS * abs(value - other)))
        for t, value, other in squares.turns(int(i)) if squares is not None else ():
            low = math.sqrt(max(0.0, value))
            if low < below:
                error = ERRORS * abs(value - other)  # of the square
                up, down = math.sqrt(max(0.0, value) + error) - low, low - math.sqrt(max(0.0, value - error))
                out.append((t, low, max(up, down)))
    return sorted(out)


def _beyond(turning: list[tuple[float, float]], span: float, faint: float) -> list[tuple[float, float]]:
    """Turning points without pairs that differ by rounding only."""
    out: list[tuple[float, float]] = []
    for point in turning if span > faint else []:
        if out and abs(point[1] - out[-1][1]) <= faint:
            out.pop()
        else:
            out.append(point)
    return out


def _series(curve: _Curve, k: int, time: float) -> tuple[float, float]:
    """Value at a time beyond sample k by the series of its side, and its estimated error."""
    rates = [each for each in (curve.rate, curve.second) if each is not None]
    rates = [*rates, *curve._estimated(rates[-1] if rates else curve.values)][:3]
    step = time - curve.times[k]
    terms = [float(each[k]) * step**n / math.factorial(n) for n, each in enumerate(rates, start=1)]
    return float(curve.values[k]) + sum(terms), ERRORS * abs(terms[-1])


def _sides(curve: _Curve) -> tuple[list[tuple[float, float, float]], list[tuple[float, float, float]]]:
    """Values at events and switches.

    Returns:
        Times of events and switches, values just before and after them by series from the next samples, and estimated errors; values
        that are possible where the time of a change between two samples is not known, and both samples.
    """
    known, possible = [], []
    for i in np.flatnonzero(~curve.smooth).tolist():
        begin, end = map(float, curve.times[i : i + 2])
        inside = curve.breaks[(curve.breaks > begin) & (curve.breaks <= end)]
        if inside.size:
            known += [(float(t), *_series(curve, k, float(t))) for k, t in ((i, inside[0]), (i + 1, inside[-1]))]
        elif end > begin and not curve.corners[i]:
            possible += [(_series(curve, k, t)[0], begin, end) for k, t in ((i, end), (i + 1, begin))]
    return known, possible


def _at_changes(
    name: str, unit: str, low: float, high: float, possible: list[tuple[float, float, float]], noise: float
) -> tuple[RunWarning, ...]:
    """A warning where an extreme may lie at a change of the motion whose time is not known."""
    told = []
    for word, sign, own in (("smallest", -1.0, low), ("largest", 1.0, high)):
        value, begin, end = max(possible, key=lambda p: sign * p[0], default=(own, 0.0, 0.0))
        if sign * (value - own) > max(DOUBTFUL * (high - low), noise):
            said = (
                f"{name}: the motion changes abruptly between t = {begin:.6g} s and {end:.6g} s; the {word} value may lie there, up to "
                f"{value:.6g} {unit}. Use more samples there."
            )
            told.append(RunWarning("extremes", said, time=begin))
    return tuple(told)


def _noise(result: Result, curve: _Curve) -> float:
    """Size of changes of a quantity that are errors of a run, or rounding of what is at work in it."""
    return STEADY * float(np.abs(curve.values).max()) + NOTHING * _at_work(result, curve.unit)


def _at_work(result: Result, unit: str) -> float:
    """Size of the motion or of the forces of a model in a unit; 0 for other units."""
    length, scales = result._system.length, result._system.column_scales()

    def rate() -> float:
        return 0.0 if result.v is None else float(np.abs(result.v / scales).max(initial=0.0))

    def second() -> float:
        return rate() ** 2 + (0.0 if result.a is None else float(np.abs(result.a / scales).max(initial=0.0)))

    work: dict[str, Callable[[], float]] = {
        "m": lambda: length,
        "rad": lambda: 1.0,
        "m/s": lambda: length * rate(),
        "rad/s": rate,
        "m/s²": lambda: length * second(),
        "rad/s²": second,
        "N": lambda: forces_at_work(result),
        "N m": lambda: length * forces_at_work(result),
    }
    return work.get(unit, lambda: 0.0)()


def _doubts(
    name: str, unit: str, low: tuple[float, float, float], high: tuple[float, float, float], noise: float
) -> tuple[RunWarning, ...]:
    """A warning where an extreme between samples depends on the order of interpolation."""
    told = []
    for word, (time, value, error) in (("smallest", low), ("largest", high)):
        if error > max(DOUBTFUL * (high[1] - low[1]), noise):
            said = f"{name}: the {word} value {value:.6g} {unit} at t = {time:.6g} s lies between samples and is uncertain by about "
            told.append(RunWarning("extremes", f"{said}{error:.2g} {unit}. Use more samples there.", time=time))
    return tuple(told)


def _resolved(result: Result, name: str) -> _Curve:
    """The quantity with as many output times of a driven motion as polynomials need to agree with it."""
    if not can_be_denser(result):
        return _Curve(result, name)
    if result._switches:
        result = beside_switches(result)
    curve = _Curve(result, name)
    faint = FAINT * _at_work(result, curve.unit)
    open_ = np.ones(len(result) - 1, dtype=bool)
    for _ in range(LEVELS):
        if int(open_.sum()) > MOST_MORE:
            break
        predicted = curve.polynomials @ SHARE ** np.arange(6.0)
        denser, place = with_more(result, open_)
        if len(denser) == len(result):
            break
        found = _Curve(denser, name)
        inner = np.setdiff1d(np.arange(len(denser)), place)
        intervals = np.searchsorted(place, inner) - 1
        size = max(float(np.ptp(found.values)), 1e-12 * float(np.abs(found.values).max()))
        missed = np.abs(found.values[inner] - predicted[intervals]) > max(AGREEMENT * size, faint)
        open_ = np.zeros(len(denser) - 1, dtype=bool)
        open_[inner[missed]] = open_[inner[missed] - 1] = True
        result, curve = denser, found
        if not open_.any():
            break
    else:
        curve.corners = curve.smooth & open_  # corners of a formula: polynomials across them overshoot
        curve.smooth = curve.smooth & ~open_
    return curve


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


def between_samples(result: Result, name: str) -> Callable[[Array], Array]:
    """Return the function that evaluates a quantity at any times of a run of two samples or more."""
    return _Curve(result, name).evaluate


def cycles_of(result: Result, name: str, since: float = -math.inf) -> Array:
    """Times at which cycles begin [s]: upward passages of the mean of the part of the run from `since` on."""
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
    last = times >= since
    mean = _mean(times[last], values[last])
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
