"""Motion between the samples of a run that the samples do not show: pulses, fast waves, oscillations with too few samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.errors import RunWarning
from pytrammel.results.interpolation import polynomial
from pytrammel.results.quantities import split_unit

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
HIDDEN = 0.5  # mean acceleration beyond the accelerations at both samples, as a fraction of the largest one nearby
SPARSE = 0.25  # error of an interpolation over two intervals, as a fraction of the range, at which samples are too few
NOTICED = 1e-3  # change of a velocity between two samples, as a fraction of its largest value
ROUNDED = (
    1e-6  # change of a velocity, as a fraction of the largest velocity of the model, below which a body stands still
)


def hidden_motion(result: Result, smooth: NDArray[np.bool_], name: str) -> tuple[RunWarning, ...]:
    """A warning where velocities change more between two samples than accelerations at samples explain: contacts, pulses, fast waves.

    A position, velocity or acceleration of one body depends on the velocities of that body, any other quantity on all of them.
    """
    if result.v is None or result.a is None or len(result) < 2 or not smooth.any():
        return ()
    owner = split_unit(name)[0].partition(".")[0]
    own = [k for k, column in enumerate(result._system.columns) if column.startswith(f"{owner}.")]
    if owner not in list(result.model.bodies)[1:] or not own:
        own = list(range(result.v.shape[1]))
    step = np.diff(result.times)
    v, a = result.v[:, own], result.a[:, own]
    mean = np.diff(v, axis=0) / np.where(step > 0.0, step, np.inf)[:, None]
    beyond = np.maximum(mean - np.maximum(a[:-1], a[1:]), np.minimum(a[:-1], a[1:]) - mean)
    near = np.abs(a)
    near = np.maximum(near[:-1], near[1:])
    near = np.maximum(near, np.vstack([near[:1], near[:-1]]))
    near = np.maximum(near, np.vstack([near[1:], near[-1:]]))
    scales = result._system.column_scales()
    fastest = np.abs(result.v / scales).max() * scales[own]
    change = np.maximum(NOTICED * np.abs(v).max(axis=0), ROUNDED * fastest)
    least = HIDDEN * near + change / np.where(step > 0.0, step, np.inf)[:, None]
    share = np.where(smooth[:, None], beyond / np.where(least > 0.0, least, np.inf), 0.0)
    if share.max() <= 1.0:
        return _sparse(result, smooth, name, own)
    i, k = np.unravel_index(int(np.argmax(share)), share.shape)
    count, column = int((share.max(axis=1) > 1.0).sum()), result._system.columns[own[int(k)]]
    unit = result._system.column_units[own[int(k)]]
    begin, end = map(float, result.times[int(i) : int(i) + 2])
    text = (
        f"{name}: the velocity of {column!r} changes by {v[i + 1, k] - v[i, k]:.3g} {unit}/s between the samples at t = {begin:.6g} s and "
        f"{end:.6g} s, but accelerations there are {a[i, k]:.3g} and {a[i + 1, k]:.3g} {unit}/s²: extremes may lie between samples "
        f"({number_of(count, 'interval')} of {step.size}). Use more samples."
    )
    return (RunWarning("extremes", text, time=begin),)


def _sparse(result: Result, smooth: NDArray[np.bool_], name: str, own: list[int]) -> tuple[RunWarning, ...]:
    """A warning where samples do not follow from both neighbours by interpolation: fewer than about 3.5 samples per period.

    By chance accelerations at samples may explain the changes of velocities; positions and velocities seldom agree at the same time.
    """
    if len(result) < 3:
        return ()
    assert result.v is not None and result.a is not None
    step = np.diff(result.times)
    inside = smooth[:-1] & smooth[1:] & (step[:-1] > 0.0) & (step[1:] > 0.0)
    scales = result._system.column_scales()
    fastest = float(np.abs(result.v / scales).max())
    wide = result.times[2:] - result.times[:-2]
    share = step[:-1] / np.where(wide > 0.0, wide, 1.0)
    for k in own:
        v, a = result.v[:, k], result.a[:, k]
        series: list[tuple[Array, Array, Array | None, str, str]] = [
            (v, a, None, f"{result._system.column_units[k]}/s", "velocity")
        ]
        x = _positions(result, k)
        if x is not None:
            series.append((x, v, a, result._system.column_units[k], "position"))
        for values, rate, second, unit, what in series:
            bent = None if second is None else (second[:-2], second[2:])
            c = np.array(polynomial(wide, (values[:-2], values[2:]), (rate[:-2], rate[2:]), bent)).T
            expected = (c * share[:, None] ** np.arange(c.shape[1])).sum(axis=1)
            rounded = ROUNDED * scales[k] * (fastest if what == "velocity" else 1.0)
            missed = np.where(inside, np.abs(expected - values[1:-1]), 0.0)
            if missed.max() > max(SPARSE * float(np.ptp(values)), rounded):
                i = int(np.argmax(missed)) + 1
                text = (
                    f"{name}: the {what} of {result._system.columns[k]!r} at t = {result.times[i]:.6g} s is {values[i]:.3g} {unit}, but "
                    f"samples next to it lead to {expected[i - 1]:.3g} {unit}: extremes may lie between samples. Use more samples."
                )
                return (RunWarning("extremes", text, time=float(result.times[i])),)
    return ()


def _positions(result: Result, k: int) -> Array | None:
    """Coordinate whose rate is column k; None for rotations in space and places on curves."""
    size = result._system.per_body
    body, own = divmod(k, size)
    if body >= len(result.model.bodies) - 1:
        return None
    if size == 3:
        return result.q[:, k]
    return result.q[:, 7 * body + own] if own < 3 else None
