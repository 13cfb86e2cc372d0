"""Functions of a whole series, such as its largest sample or its mean, with how they change with every sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import unlike
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.expression import Expression, Number

if TYPE_CHECKING:
    from pytrammel.results.formulas.time_windows import Window

Array = NDArray[np.float64]


class OverTime(NamedTuple):
    """A function of a whole series.

    Attributes:
        value: From the series (..., n) and its instants (n,), and a number where it takes one; shape (..., 1).
        weights: How the value changes with every sample, shape (..., n) or one that broadcasts to it.
        arguments: How many there are: the series, and perhaps a number.
        about: What it is, in a few words.
    """

    value: Callable[..., Array]
    weights: Callable[..., Array]
    arguments: int
    about: str


def _shares(times: Array) -> Array:
    """Weights of an integral over time by straight lines between instants, shape (n,)."""
    steps = np.diff(times)
    return np.asarray(0.5 * (np.append(steps, 0.0) + np.append(0.0, steps)))


def mean_weights(times: Array) -> Array:
    """Weights of a mean over time, which add up to 1."""
    weights = _shares(times)
    total = weights.sum()
    return np.asarray(weights / total if total > 0.0 else np.full(times.size, 1.0 / times.size))


def sum_over_time(x: Array) -> Array:
    """Sum over time, shape (..., 1)."""
    return np.asarray(x.sum(axis=-1, keepdims=True))


def _linear(weights: Callable[..., Array]) -> tuple[Callable[..., Array], Callable[..., Array]]:
    """Of functions that weigh the samples and add them up."""
    return lambda x, t, *given: sum_over_time(x * weights(t, *given)), lambda x, t, *given: weights(t, *given)


def _mean(x: Array, t: Array) -> Array:
    return sum_over_time(x * mean_weights(t))


def _rms(x: Array, t: Array) -> Array:
    return np.asarray(np.sqrt(_mean(x * x, t)))


def _deviation(x: Array, t: Array) -> Array:
    return _rms(x - _mean(x, t), t)


def _over(x: Array, size: Array, t: Array) -> Array:
    """Slope of a root mean square; none where everything is zero."""
    return np.asarray(mean_weights(t) * x / np.where(size > 0.0, size, 1.0))


def _one_hot(x: Array, place: Array) -> Array:
    return np.asarray(np.arange(x.shape[-1]) == place[..., None], dtype=float)


def _at_top(x: Array, t: Array) -> Array:
    return _one_hot(x, x.argmax(axis=-1))


def _at_bottom(x: Array, t: Array) -> Array:
    return _one_hot(x, x.argmin(axis=-1))


def sample_weights(t: Array, place: float = -1.0) -> Array:
    """All weight on one sample, by its number; negative ones count from the end."""
    k, n = int(place), t.size
    if not -n <= k < n:
        raise ModelError(f"there is no sample [{k}]: the run has {n} instants, [0] to [{n - 1}].")
    return np.asarray(np.arange(n) == k % n, dtype=float)


def at_time(t: Array, time: float) -> Array:
    """Weights of the samples around an instant: of the cubic through the nearest four, never across an instant that stands twice."""
    n = t.size
    slack = 1e-9 * max(abs(float(t[0])), abs(float(t[-1])), 1e-300)
    if not n or time < t[0] - slack or time > t[-1] + slack:
        texts = unlike(time, t[0], t[-1], digits=6)
        raise ModelError(
            f"at(…, {texts[0]}): the run covers t = {texts[1]} s to {texts[2]} s; choose an instant within it."
        )
    weights = np.zeros(n)
    nearest = int(np.argmin(np.abs(t - time)))
    if abs(t[nearest] - time) <= slack:
        weights[nearest] = 1.0
        return weights
    after = int(np.searchsorted(t, time))  # between two different instants
    doubled = np.flatnonzero(np.diff(t) <= 0.0)
    low = int(doubled[doubled < after - 1].max() + 1) if (doubled < after - 1).any() else 0
    high = int(doubled[doubled >= after].min() + 1) if (doubled >= after).any() else n
    first = max(low, min(after - 2, high - 4))
    places = np.arange(first, min(first + 4, high))
    for k in places:
        others = t[places[places != k]]
        weights[k] = np.prod((time - others) / (t[k] - others))
    return weights


OVER_TIME: dict[str, OverTime] = {
    "max": OverTime(lambda x, t: np.asarray(x.max(axis=-1, keepdims=True)), _at_top, 1, "largest sample"),
    "min": OverTime(lambda x, t: np.asarray(x.min(axis=-1, keepdims=True)), _at_bottom, 1, "smallest sample"),
    "range": OverTime(
        lambda x, t: np.asarray(np.ptp(x, axis=-1)[..., None]),
        lambda x, t: _at_top(x, t) - _at_bottom(x, t), 1, "from the smallest sample to the largest",
    ),
    "mean": OverTime(*_linear(mean_weights), 1, "mean over time"),
    "integral": OverTime(*_linear(_shares), 1, "integral over time, by straight lines between instants"),
    "sum": OverTime(*_linear(lambda t: np.ones(t.size)), 1, "sum of all samples"),
    "rms": OverTime(_rms, lambda x, t: _over(x, _rms(x, t), t), 1, "root mean square over time"),
    "deviation": OverTime(
        _deviation, lambda x, t: _over(x - _mean(x, t), _deviation(x, t), t), 1, "root mean square distance from the mean"
    ),
    "start": OverTime(*_linear(lambda t: sample_weights(t, 0.0)), 1, "first sample; also written x[start]"),
    "last": OverTime(*_linear(sample_weights), 1, "last sample; also written x[end]"),
    "sample": OverTime(*_linear(sample_weights), 2, "sample by its number; also written x[3]"),
    "at": OverTime(*_linear(at_time), 2, "value at an instant [s], by the cubic through the samples around it"),
}  # fmt: skip


class Reduced(Expression):
    """Function of a whole series, as part of a formula; its label is the name, and the time window where it has one."""

    __slots__ = ()

    @property
    def function(self) -> OverTime:
        plain = OVER_TIME[self.label[0]]
        return plain if self.window is None else self.window.of(plain)

    @property
    def window(self) -> Window | None:
        """Time window, None for the whole series."""
        return self.label[1] if len(self.label) > 1 else None

    @property
    def options(self) -> tuple[str, ...]:
        return () if self.window is None else (str(self.window),)

    @property
    def given(self) -> tuple[float, ...]:
        return tuple(child.value for child in self.children[1:] if isinstance(child, Number))

    def of(self, *children: Expression) -> Expression:
        return Reduced(self.label, children)

    def _evaluate(self, values: Mapping[str, Any], arguments: list[Any]) -> Any:
        times = np.asarray(values["t"])
        return self.function.value(whole(arguments[0], times), times, *self.given)

    def _derivative(self, name: str, inner: list[Expression]) -> Expression:
        raise ExpressionError(f"{self} is made of a whole series and has no formula as its derivative.")


def whole(x: Any, times: Array) -> Array:
    """A series with its whole length, also where it is one number."""
    x = np.asarray(x, dtype=float)
    return np.broadcast_to(x, (*x.shape[:-1], times.size))
