"""Time ratio of strokes, and the time from which a motion is steady."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import unlike
from pytrammel.errors import ModelError
from pytrammel.results.formulas.extremes import between_samples, cycles_of, extremes_of

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
PHASES = 64  # places in a cycle at which cycles are compared
HELD = 0.1  # least part of a run without cycles for which a quantity keeps its last value
PARTS = (
    1.0,
    0.5,
    0.25,
    0.125,
)  # parts of a run whose mean separates cycles: a start may lie far from the mean of later cycles
RECENT = (
    1.5  # time between the begin of the last cycle and the end of the run, in cycles, above which cycles have ended
)
CLOSED = 1e-6  # difference of first and last value of a periodic quantity, relative to its range


def time_ratio_of(result: Result, name: str) -> float:
    """Return the duration of the slow stroke over the duration of the quick one, at least 1."""
    found = extremes_of(result, name)
    turning = np.array([time for time, _ in found.turning])
    values, times = result._column(name)[0], result.times
    if turning.size == 2 and abs(values[-1] - values[0]) <= CLOSED * float(np.ptp(values)):
        turning = np.append(turning, turning[0] + times[-1] - times[0])  # the run is one period
    if turning.size < 3:
        raise ModelError(
            f"{name}: a time ratio needs two whole strokes, but the run from {times[0]:g} s to {times[-1]:g} s has "
            f"{turning.size} turning points. Use a run of one period, or a longer one."
        )
    strokes = np.diff(turning)
    strokes = strokes[: strokes.size // 2 * 2].reshape(-1, 2).mean(axis=0)
    return float(strokes.max() / strokes.min())


def steady_from(result: Result, name: str, *, tolerance: float = 0.02) -> float:
    """Return the time from which a quantity repeats its last cycle, or keeps its last value [s]."""
    share = checked_number(tolerance, "tolerance of steady_from")
    if not 0.0 < share < 1.0:
        raise ModelError(f"steady_from: tolerance is {unlike(share, 0.0, 1.0)[0]}; it must be between 0 and 1.")
    values, times = result._column(name)[0], result.times
    if not len(values):
        raise ModelError(f"{name}: the result has no output times.")
    whole = float(np.ptp(values))
    final = np.abs(values - values[-1]) <= share * whole
    since = int(np.flatnonzero(~final)[-1]) + 1 if not final.all() else 0
    if times[-1] - times[since] >= 0.5 * (times[-1] - times[0]) or whole == 0.0:
        return float(times[since])  # constant for at least half of the run
    begins = _last_cycles(result, name)
    steady = _steady_cycle(between_samples(result, name), begins, share)
    if steady is not None:
        return float(begins[steady])
    if times[-1] - times[since] >= HELD * (times[-1] - times[0]) and begins.size < 3:
        return float(times[since])
    if begins.size < 3:
        raise ModelError(
            f"{name}: the run from {times[0]:g} s to {times[-1]:g} s has fewer than two whole cycles to compare at its end, and {name} "
            f"does not keep its last value within {share:g} of its range for {HELD:.0%} of the run. Use a longer run."
        )
    raise ModelError(
        f"{name} is not steady: its last two cycles differ by more than {share:g} of the range of a cycle, and it does not keep "
        f"its last value within {share:g} of its range. Use a longer run or a larger tolerance."
    )


def _last_cycles(result: Result, name: str) -> Array:
    """Return the times at which cycles begin that last up to the end of a run [s]; none if there are fewer than two of them."""
    first, last = float(result.times[0]), float(result.times[-1])
    for part in PARTS:
        since = last - part * (last - first)
        begins = cycles_of(result, name, since)
        own = begins[begins >= since]
        if own.size >= 3 and last - own[-1] <= RECENT * (own[-1] - own[-2]):
            return begins
    return np.zeros(0)


def _steady_cycle(values: Callable[[Array], Array], begins: Array, share: float) -> int | None:
    """Return the first of the cycles that agree with the last one; None if the last two differ."""
    if begins.size < 3:
        return None
    phases = np.linspace(0.0, 1.0, PHASES)
    shapes = np.array([values(a + phases * (b - a)) for a, b in itertools.pairwise(begins)])
    last = shapes[-1]
    shapes = shapes - shapes[:, :1] + last[0]  # an angle that keeps turning begins each cycle a turn later
    agree = np.abs(shapes - last).max(axis=1) <= share * float(np.ptp(last))
    first = int(np.flatnonzero(~agree)[-1]) + 1 if not agree.all() else 0
    return first if first < len(agree) - 1 else None
