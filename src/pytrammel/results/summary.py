"""A result in a few lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.units import LENGTH_UNITS

if TYPE_CHECKING:
    from pytrammel.results.result import Result


def headline(result: Result) -> str:
    """Whose motion, and when."""
    times = f" from t = {result.times[0]:g} s to {result.times[-1]:g} s" if len(result) else ""
    return f"{result.model.name}: {number_of(len(result), 'instant')}{times}"


def summary_of(result: Result) -> str:
    """What an engineer wants to know at a glance: ranges, extreme speeds and accelerations, anything unusual."""
    unit, factor = result.model.display_unit, 1.0 / LENGTH_UNITS[result.model.display_unit]
    lines = [headline(result)]
    measured = [f"{c.name}.{m}" for c in result.model.constraints.values() if c.prescribes is None for m in c.measures]
    width = max(12, *map(len, measured), 0)
    lines += [line for name in measured if (line := _range_line(result, name, width))]
    for name in result.model.points:
        series = result.point(name)
        xy = series.position * factor
        ranges = [
            f"{axis} {xy[:, k].min():.4g} … {xy[:, k].max():.4g}" for k, axis in enumerate(result.model.space.axes)
        ]
        line = f"  point {name}: {', '.join(ranges)} {unit}"
        path_length = float(np.linalg.norm(np.diff(xy, axis=0), axis=1).sum())
        line += f", path {path_length:.4g} {unit}"
        if result.v is not None:
            line += f", top speed {np.linalg.norm(series.velocity, axis=1).max() * factor:.4g} {unit}/s"
        lines.append(line)
    lines += [f"  {event}" for event in result.log()]
    return "\n".join(lines)


def _range_line(result: Result, name: str, width: int) -> str:
    """Range of a measure with its extreme rates; nothing for one that does not move."""
    values, unit = result._column(name)
    if np.ptp(values) < 1e-9 * max(1.0, float(np.abs(values).max())):
        return ""
    label, values = result._shown(values, unit)
    line = f"  {name:<{width}} {_tidy(values.min(), values):>10} … {_tidy(values.max(), values):<10} {label}"
    if result.v is not None:
        label, rate = result._shown(*result._column(f"{name}.rate"))
        line += f"  peak {np.abs(rate).max():.4g} {label}"
        if result.a is not None:
            label, second = result._shown(*result._column(f"{name}.acceleration"))
            line += f", {_tidy(np.abs(second).max(), np.abs(rate))} {label}"
    return line


def _tidy(value: float, among: NDArray[np.float64]) -> str:
    """Four digits; what is only rounding next to its neighbours is zero."""
    return f"{0.0 if abs(value) < 1e-9 * float(np.abs(among).max(initial=0.0)) else value:.4g}"
