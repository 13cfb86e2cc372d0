"""Frequencies in a result: amplitudes of harmonics over time or over the turns of a shaft."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief, short
from pytrammel.errors import ModelError
from pytrammel.units import read_unit

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
UNIFORM = 1e-6  # of a step: instants that differ by less are evenly spaced
ANGLE = read_unit("rad")[1]
# cosine sums: amplitudes of a window's terms
WINDOWS: dict[str, tuple[float, ...]] = {
    "none": (1.0,),
    "hann": (0.5, 0.5),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
}


@brief
@dataclass(frozen=True, eq=False)
class Spectrum:
    """Amplitudes of the harmonics of a quantity.

    Attributes:
        name, unit: Of the quantity.
        frequency: Frequencies [Hz], or orders [per turn] over an angle, ascending from 0, shape (n,).
        amplitude: Amplitude of each harmonic; the first one is the mean. A pure tone of whole periods shows its own amplitude.
        phase: Phase of the cosine [rad].
        over: The angle over which orders count; "" over time.
        time: Middle of the instants it was made from [s].
    """

    name: str
    unit: str
    frequency: Array
    amplitude: Array
    phase: Array = field(repr=False)
    over: str = ""
    time: float = 0.0

    @property
    def peak(self) -> tuple[float, float]:
        """Frequency and amplitude of the largest harmonic, the mean left out."""
        k = 1 + int(np.argmax(self.amplitude[1:])) if len(self.amplitude) > 1 else 0
        return float(self.frequency[k]), float(self.amplitude[k])


def spectrum_of(result: Result, name: str, *, over: str | None = None, window: str = "none") -> Spectrum:
    """Spectrum of a quantity over the whole run; see `Result.spectrum`."""
    return spectra_of(result, name, slices=1, over=over, window=window)[0]


def spectra_of(result: Result, name: str, *, slices: int, over: str | None, window: str) -> list[Spectrum]:
    """Spectra of equal parts of a run that overlap by half, or of the whole run."""
    if not isinstance(window, str) or window not in WINDOWS:
        raise ModelError(f"window={short(window)} is not known; use one of: {', '.join(map(repr, WINDOWS))}.")
    if isinstance(slices, bool) or not isinstance(slices, int | np.integer) or slices < 1:
        raise ModelError(f"slices is {short(slices)}; it must be a whole number of at least 1.")
    even, step = _over_time(result) if over is None else _over_angle(result, over)
    values, unit = even._column(name)
    # the last instant of whole periods is the first of the next one
    values, times = values[:-1], even.times[:-1]
    length = values.size if slices == 1 else 2 * values.size // (int(slices) + 1)
    if length < 8:
        raise ModelError(
            f"a spectrum of {name!r} needs at least 8 instants{' in each slice' if slices > 1 else ''}, there are {length}; "
            "run with more samples or ask for fewer slices."
        )
    starts = [0] if slices == 1 else np.linspace(0, values.size - length, int(slices)).round().astype(int)
    return [
        _transformed(values[s : s + length], step, window, name, unit, over or "", float(times[s : s + length].mean()))
        for s in starts
    ]


def _transformed(values: Array, step: float, window: str, name: str, unit: str, over: str, time: float) -> Spectrum:
    n = values.size
    turns = 2.0 * math.pi * np.arange(n) / n
    weights = sum((-1) ** k * a * np.cos(k * turns) for k, a in enumerate(WINDOWS[window])) + np.zeros(n)
    mean = float((weights * values).sum() / weights.sum())
    found = np.fft.rfft((values - mean) * weights) / weights.sum()
    found[1:] *= 2.0
    if n % 2 == 0:
        found[-1] /= 2.0
    amplitude, phase = np.abs(found), np.angle(found)
    amplitude[0], phase[0] = abs(mean), 0.0 if mean >= 0.0 else math.pi
    return Spectrum(name, unit, np.asarray(np.fft.rfftfreq(n, step), dtype=float), amplitude, phase, over, time)


def _over_time(result: Result) -> tuple[Result, float]:
    """The run at evenly spaced instants, and their distance [s]."""
    times = result.times
    if times.size < 2:
        raise ModelError("a spectrum needs a motion; this result has a single instant.")
    step = float(times[-1] - times[0]) / (times.size - 1)
    if np.abs(np.diff(times) - step).max() <= UNIFORM * step:
        return result, step
    return result.resample(np.linspace(times[0], times[-1], times.size)), step


def _over_angle(result: Result, over: str) -> tuple[Result, float]:
    """The run at evenly spaced angles over whole turns, and their distance [turns]."""
    angle, unit = result._column(over)
    if read_unit(unit or "1")[1] != ANGLE:
        raise ModelError(f"over={over!r} is not an angle; orders count per turn of an angle such as a joint's.")
    way = np.sign(angle[-1] - angle[0])
    steps = way * np.diff(angle)
    if way == 0.0 or not (steps > 0.0).all():
        raise ModelError(
            f"over={over!r} does not turn in one direction all the time; leave over= out for a spectrum over time."
        )
    turns = int(abs(angle[-1] - angle[0]) / (2.0 * math.pi) * (1.0 + 1e-9))
    if turns < 1:
        raise ModelError(
            f"over={over!r} turns by {math.degrees(abs(angle[-1] - angle[0])):.4g}° in this run; orders need a whole turn at least."
        )
    n = max(9, int(angle.size * turns * 2.0 * math.pi / abs(angle[-1] - angle[0])))
    wanted = angle[0] + way * 2.0 * math.pi * turns * np.linspace(0.0, 1.0, n)
    times = _when(lambda t: result.resample(t)._column(over)[0], result.times, angle, wanted, way)
    return result.resample(times), turns / (n - 1)


def _when(of: Callable[[Array], Array], times: Array, angle: Array, wanted: Array, way: float) -> Array:
    """Instants at which an angle has the wanted values: secants from linear interpolation."""
    low, high = times[0], times[-1]
    found = np.clip(np.interp(way * wanted, way * angle, times), low, high)
    speed = np.interp(found, times, np.gradient(angle, times))
    for _ in range(4):
        found = np.clip(found - (of(found) - wanted) / speed, low, high)
        found = np.maximum.accumulate(found)
    return np.asarray(found)
