"""Long runs for small pages, without false pictures.

Plots keep the least and the greatest value of every part of the run, so that no peak is lost. Films keep frames between which
interpolation meets the samples that are dropped.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
PARTS = 400
"""Parts of a series; a picture has about as many columns of dots."""
MOST = 2 * PARTS + 2
"""Number of samples up to which all are kept."""
SMOOTH = 1e-3
"""Greatest distance of a dropped sample from the straight line between its kept neighbours, relative to the range of the series."""


def extreme_rows(times: Array, values: Array, parts: int = PARTS) -> NDArray[np.intp]:
    """Rows of the least and the greatest value of each part, with the first and the last row.

    Args:
        times: Times of the samples [s], shape (n,), however uneven.
        values: Series, shape (n_series, n). NaN stands for gaps.
        parts: Number of parts, each as long as the others. One without samples repeats the row before it.

    Returns:
        Rows in rising order, shape (n_series, 2*parts + 2). A row may stand twice. All rows if there are no more than that.
    """
    m, n = values.shape
    if n <= 2 * parts + 2:
        return np.tile(np.arange(n), (m, 1))
    # a gap hides no peak: values that are not numbers lie above every least and below every greatest value
    gaps = np.isnan(values)
    above, below = (np.where(gaps, end, values) if gaps.any() else values for end in (np.inf, -np.inf))
    rows = np.empty((m, 2 * parts + 2), dtype=np.intp)
    rows[:, 0], rows[:, -1] = 0, n - 1
    inner = np.searchsorted(times, np.linspace(times[0], times[-1], parts + 1)[1:-1])
    for k, (first, last) in enumerate(itertools.pairwise([0, *inner.tolist(), n])):
        if first == last:
            rows[:, 2 * k + 1 : 2 * k + 3] = max(first - 1, 0)
            continue
        rows[:, 2 * k + 1] = first + above[:, first:last].argmin(axis=1)
        rows[:, 2 * k + 2] = first + below[:, first:last].argmax(axis=1)
    rows.sort(axis=1)
    return rows


def is_coarse(times: Array, values: Array, rows: NDArray[np.intp]) -> bool:
    """Return True if straight lines between the kept rows of one series miss a dropped sample visibly."""
    place = np.searchsorted(rows, np.arange(len(times)), side="right") - 1
    left, right = rows[place], rows[np.minimum(place + 1, len(rows) - 1)]
    length = times[right] - times[left]
    share = np.divide(times - times[left], length, out=np.zeros_like(times), where=length > 0.0)
    off = np.abs(values[left] + share * (values[right] - values[left]) - values)
    return bool(off.max(initial=0.0) > SMOOTH * np.ptp(values))


ROUNDS = 40
"""Most refinements of the frames of a film; one halves all gaps where the motion is too fast for them."""


class Moving(NamedTuple):
    """A series that a film interpolates.

    Attributes:
        values: Its samples, shape (n,).
        error: Error that may remain.
        linear: Whether to interpolate linearly instead of by the cubics of `player/series.mjs`.
    """

    values: Array
    error: float
    linear: bool = False


def kept_frames(n: int, number: int) -> NDArray[np.intp]:
    """Return all of ``n`` rows, or ``number`` of them spread evenly with both ends."""
    return (
        np.unique(np.linspace(0, n - 1, min(n, max(number, 2))).round().astype(int))
        if n
        else np.zeros(0, dtype=np.intp)
    )


def faithful_frames(times: Array, series: Sequence[Moving], first: int, most: int) -> tuple[NDArray[np.intp], bool]:
    """Frames of a film: evenly spread ones, and further ones until interpolation meets all dropped samples.

    Args:
        times: Times of the samples [s], shape (n,).
        series: All that the film interpolates.
        first, most: Least and greatest number of frames; all samples if there are fewer.

    Returns:
        Rows of the frames, and whether every dropped sample is met.
    """
    rows, n = kept_frames(len(times), min(first, most)), len(times)
    if len(rows) == n:
        return rows, True
    moving = [it for it in series if np.ptp(it.values) > it.error > 0.0]
    for _ in range(ROUNDS):
        off, between = np.zeros(n - 1), Between(times, rows)
        for values, remaining, linear in moving:
            np.maximum(off, np.abs(between.interpolated(values, linear=linear) - values[:-1]) / remaining, out=off)
        error = np.maximum.reduceat(off, rows[:-1])
        gaps, room = np.flatnonzero(error > 1.0), max(most, 2) - len(rows)
        if not gaps.size or room <= 0:
            return rows, not gaps.size
        gaps = gaps[np.argsort(-error[gaps], kind="stable")[:room]]
        rows = np.union1d(rows, (rows[gaps] + rows[gaps + 1]) // 2)
    return rows, False


class Between:
    """Interpolation of series at all rows but the last one from those at some rows (with both ends), as a page or a glTF viewer does it."""

    def __init__(self, times: Array, rows: NDArray[np.intp]) -> None:
        self._rows = rows
        self._counts = np.diff(rows)
        self._length = np.diff(times[rows])
        left, length = (np.repeat(each, self._counts) for each in (times[rows[:-1]], self._length))
        s = np.divide(times[:-1] - left, length, out=np.zeros(len(left)), where=length > 0.0)
        self._share = s
        self._weights = s * (1.0 - s) ** 2, s * s * (s - 1.0), s * s * (3.0 - 2.0 * s)  # of both slopes and the rise

    def interpolated(self, values: Array, *, linear: bool = False) -> Array:
        """Values at all rows but the last one, shape (n - 1,)."""
        v = values[self._rows]
        rise = np.diff(v)
        out = np.repeat(v[:-1], self._counts)
        if linear:
            return np.asarray(out + self._share * np.repeat(rise, self._counts))
        slopes = (slope * self._length for slope in _slopes(self._length, rise))
        for weight, each in zip(self._weights, (*slopes, rise), strict=True):
            out += weight * np.repeat(each, self._counts)
        return out


def _slopes(length: Array, rise: Array) -> tuple[Array, Array]:
    """Slopes at the left and the right end of every stretch: of parabolas through three frames, never across a jump."""
    rises = length > 0.0
    chord = np.divide(rise, length, out=np.zeros_like(rise), where=rises)
    inner = np.zeros(len(length) + 1, dtype=bool)
    inner[1:-1] = rises[1:] & rises[:-1]
    middle = np.zeros(len(length) + 1)
    np.divide(
        chord[:-1] * length[1:] + chord[1:] * length[:-1], length[1:] + length[:-1], out=middle[1:-1], where=inner[1:-1]
    )
    left = np.where(inner[:-1], middle[:-1], np.where(inner[1:], 2.0 * chord - middle[1:], chord))
    right = np.where(inner[1:], middle[1:], np.where(inner[:-1], 2.0 * chord - middle[:-1], chord))
    return left, right
