"""Positions of a mechanism for any values of its drivers, computed beforehand so that readers of a page can move each driver by itself.

Two drivers get one chart: positions on a grid over the ranges that both had in the run. More drivers get lines: from some instants of
the run each of them is moved alone. Between computed positions the page interpolates smoothly; the middle of every cell is computed,
too, so that the error is known, and cells where it could be seen, or where the mechanism does not close, are left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.positions.assembly import active_rows, closed_from
from pytrammel.expressions.expression import Expression, as_expression, number, time
from pytrammel.expressions.tables import Table
from pytrammel.joints.constraint import Constraint
from pytrammel.results.result import Result
from pytrammel.system.lowering import System, lower
from pytrammel.view.animation.series import driver_list, packed
from pytrammel.view.scene.planar import Array

FINENESS = (13, 25, 41)
"""Positions along an axis of a grid, the first that is fine enough."""
ALONG_LINE = 25
"""Positions along a line."""
INSTANTS = 5
"""Instants of the run from which drivers are moved alone."""
SEEN = 1e-3
"""Error that could be seen, as a share of the machine."""
MOST = 60_000
"""Most numbers that a page carries for this, some 300 kB."""
MOST_DRIVERS = 12


@dataclass(frozen=True, eq=False)
class Chart:
    """Positions over the values of one or two drivers.

    Attributes:
        drivers: Which drivers are moved, places among all sliders.
        axes: Their values [rad or m], each of shape (n,).
        base: Values of all sliders where the chart begins [rad or m].
        time: Instant of the run where it begins [s].
        q: Coordinates, shape (n, n_coordinates) or (n, m, n_coordinates); NaN where the mechanism does not close.
        good: Cells in which positions between may be trusted, shape (n - 1,) or (n - 1, m - 1).
    """

    drivers: tuple[int, ...]
    axes: tuple[Array, ...]
    base: Array
    time: float
    q: Array
    good: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Charts:
    """All charts of a run.

    Attributes:
        names: Drivers that can be moved.
        charts: One over two drivers, or lines.
        factors: Shown value per SI value of each slider.
        error: Largest error of a place between computed positions, of cells that are offered [m].
    """

    names: tuple[str, ...]
    charts: tuple[Chart, ...]
    factors: tuple[float, ...]
    error: float

    def data(self, result: Result, bodies: Sequence[str], k: float) -> dict[str, Any]:
        """Ready for JSON, in display units: ``k`` is the shown length of a metre; ``bodies`` are in the order of the scene."""
        names = list(result.model.bodies)[1:]
        width = 3 if result.model.space.dimension == 2 else 7
        places = 2 if width == 3 else 3
        scale = np.array([k] * places + [1.0] * (width - places))
        charts = []
        for chart in self.charts:
            flat = chart.q.reshape(-1, chart.q.shape[-1])
            own = {name: scale * flat[:, width * n : width * n + width] for n, name in enumerate(names)}
            charts.append({
                "drivers": list(chart.drivers),
                "axes": [
                    [float(self.factors[d] * axis[0]), float(self.factors[d] * axis[-1]), len(axis)]
                    for d, axis in zip(chart.drivers, chart.axes, strict=True)
                ],
                "base": (np.array(self.factors) * chart.base).tolist(),
                "time": chart.time,
                "good": "".join("1" if good else "0" for good in chart.good.ravel()),
                "bodies": [[packed(column) for column in own[name].T] if name in own else None for name in bodies],
            })  # fmt: skip
        return {"names": list(self.names), "error": float(f"{k * self.error:.2g}"), "list": charts}


def charts_of(result: Result) -> Charts | None:
    """Charts of a prescribed motion with several drivers; None where there is nothing to move by itself."""
    drivers = [d for d in driver_list(result) if _moves(_values(result, d))]
    if not 1 < len(drivers) <= MOST_DRIVERS or result.model.phases or len(result._segments) > 1:
        return None
    values = np.array([_values(result, d) for d in drivers])
    factors = tuple(_factor(result, d) for d in drivers)
    if len(drivers) == 2:
        return _grid(result, drivers, values, factors)
    return _lines(result, drivers, values, factors)


def _moves(values: Array) -> bool:
    """Return True if a driver moves, by more than the page's 32-bit numbers can lose."""
    return bool(np.ptp(values) > 1e-5 * np.abs(values).max(initial=0.0))


def _values(result: Result, driver: Constraint) -> Array:
    return np.asarray(result._column(f"{driver.name}.value")[0], dtype=float)


def _factor(result: Result, driver: Constraint) -> float:
    _, unit = result._column(f"{driver.name}.value")
    shown: Any = result._shown(np.array([1.0]), unit)[1]
    return float(shown[0])


# ---- positions


class _Solver:
    """Positions for rows of driver values: one model whose drivers go through all of them as its time counts rows."""

    def __init__(self, result: Result, drivers: Sequence[Constraint], rows: Array, instant: float) -> None:
        count = np.arange(float(len(rows)))
        changes = {
            d.name: {"motion": Table("row", count, rows[:, k], kind="linear")(time)} for k, d in enumerate(drivers)
        }
        moved = {d.name for d in drivers}
        for other in result.model.constraints.values():
            if other.is_driver and other.name not in moved:
                changes[other.name] = {
                    key: _at(value, instant) for key, value in other.parameters.items() if _timed(value)
                }
        self.system: System = lower(result.model.copy(changes=changes))
        self.rows = active_rows(self.system)

    def at(self, row: int, start: Array) -> Array | None:
        found = closed_from(self.system, self.rows, float(row), start)
        return found if found is not None and np.isfinite(found).all() else None


def _timed(value: Any) -> bool:
    return isinstance(value, Expression) or (
        isinstance(value, list | tuple) and any(isinstance(v, Expression | str) for v in value)
    )


def _at(value: Any, instant: float) -> Any:
    """A motion that stands still at what it is at an instant."""
    if isinstance(value, Expression):
        return number(float(value.evaluate({"t": instant})))
    return tuple(float(as_expression(v, "motion").evaluate({"t": instant})) for v in value)


def _grid(
    result: Result, drivers: Sequence[Constraint], values: Array, factors: tuple[float, ...]
) -> Charts | None:  # fmt: skip
    best: Charts | None = None
    for n in FINENESS:
        if n * n * result.q.shape[1] > MOST:
            break
        axes = tuple(np.linspace(v.min(), v.max(), n) for v in values)
        nodes = np.array(list(itertools.product(*axes)))
        middles = np.array(list(itertools.product(*(0.5 * (a[1:] + a[:-1]) for a in axes))))
        rows = np.vstack((nodes, middles))
        solver = _Solver(result, drivers, rows, float(result.times[0]))
        q = _flooded(
            solver, (n, n), [int(np.argmin(np.abs(a - v[0]))) for a, v in zip(axes, values, strict=True)], result.q[0]
        )
        between = 0.5 * (q[:-1, :-1] + q[1:, 1:])
        errors = _errors(result, solver, q, between, n * n)
        chart = Chart((0, 1), axes, values[:, 0], float(result.times[0]), q, errors < SEEN * result._system.length)
        if chart.good.any():
            best = Charts(tuple(d.name for d in drivers), (chart,), factors, float(errors[chart.good].max()))
        if (
            chart.good[np.isfinite(errors)].all()
            and best is not None
            and best.error < 0.2 * SEEN * result._system.length
        ):
            break
    return best


def _lines(
    result: Result, drivers: Sequence[Constraint], values: Array, factors: tuple[float, ...]
) -> Charts | None:  # fmt: skip
    frames = np.unique(np.linspace(0, len(result) - 1, INSTANTS).round().astype(int)).tolist()
    n = ALONG_LINE
    while len(frames) > 1 and n * len(frames) * len(drivers) * result.q.shape[1] > MOST:
        frames = frames[:: 2 if len(frames) > 2 else len(frames)]
    axes = [np.linspace(v.min(), v.max(), n) for v in values]
    charts, error = [], 0.0
    for frame in frames:
        begin = values[:, frame]
        lines = []
        for k, axis in enumerate(axes):
            line = np.tile(begin, (2 * n - 1, 1))  # the positions, then those half way between
            line[:, k] = np.concatenate((axis, 0.5 * (axis[1:] + axis[:-1])))
            lines.append(line)
        solver = _Solver(result, drivers, np.vstack(lines), float(result.times[frame]))
        for k, axis in enumerate(axes):
            first = k * (2 * n - 1)
            q = _flooded(solver, (n,), [int(np.argmin(np.abs(axis - begin[k])))], result.q[frame], first)
            errors = _errors(result, solver, q, 0.5 * (q[:-1] + q[1:]), first + n)
            good = errors < SEEN * result._system.length
            error = max(error, float(errors[good].max(initial=0.0)))
            charts.append(Chart((k,), (axis,), begin, float(result.times[frame]), q, good))
    names = tuple(d.name for d in drivers)
    return Charts(names, tuple(charts), factors, error) if any(chart.good.any() for chart in charts) else None


def _flooded(solver: _Solver, shape: tuple[int, ...], begin: Sequence[int], start: Array, first: int = 0) -> Array:
    """Coordinates at all nodes that can be reached from one of them, each from a neighbour and along the way it came."""
    q = np.full((*shape, len(start)), np.nan)
    ways = [tuple(int(w) * side for w in row) for row in np.eye(len(shape), dtype=int) for side in (1, -1)]
    root = tuple(begin)
    found = solver.at(first + int(np.ravel_multi_index(root, shape)), start)
    if found is None:
        return q
    q[root] = found
    waiting = [root]
    while waiting:
        here = waiting.pop(0)
        for way in ways:
            there, behind = (tuple(a + s * b for a, b in zip(here, way, strict=True)) for s in (1, -1))
            if not _inside(there, shape) or np.isfinite(q[there]).all():
                continue
            guess = q[here].copy()
            if _inside(behind, shape) and np.isfinite(q[behind]).all():
                guess += q[here] - q[behind]
            row = first + int(np.ravel_multi_index(there, shape))
            found = solver.at(row, guess)
            if found is not None:
                q[there] = found
                waiting.append(there)
    return q


def _inside(node: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return all(0 <= k < n for k, n in zip(node, shape, strict=True))


def _errors(result: Result, solver: _Solver, q: Array, guesses: Array, first: int) -> Array:
    """By how much places are off in the middle of each cell [m]; infinite where a corner is missing."""
    smooth = q
    for axis in range(q.ndim - 1):
        smooth = _middles(smooth, axis)
    out = np.full(guesses.shape[:-1], np.inf)
    for k, cell in enumerate(np.ndindex(*out.shape)):
        corners = q[tuple(slice(c, c + 2) for c in cell)]
        if not np.isfinite(corners).all():
            continue
        true = solver.at(first + k, guesses[cell])
        if true is not None:
            out[cell] = _off(result, smooth[cell], true)
    return out


def _middles(q: Array, axis: int) -> Array:
    """Values half way between nodes by the cubic that the page uses, along one axis; next to what is missing it has less to go by."""
    v = np.moveaxis(q, axis, 0)
    slope = np.empty_like(v)
    slope[1:-1] = 0.5 * (v[2:] - v[:-2])
    slope[0], slope[-1] = 2.0 * (v[1] - v[0]) - slope[1], 2.0 * (v[-1] - v[-2]) - slope[-2]
    chord = v[1:] - v[:-1]
    left, right = (np.where(np.isfinite(s), s, chord) for s in (slope[:-1], slope[1:]))
    return np.moveaxis(0.5 * (v[1:] + v[:-1]) + 0.125 * (left - right), 0, axis)


def _off(result: Result, smooth: Array, true: Array) -> float:
    """Largest distance of a place of the machine from where it should be [m]; turns count over the machine's size."""
    size, model = result._system.length, result.model
    count = len(model.bodies) - 1
    if model.space.dimension == 2:
        a, b = (v[: 3 * count].reshape(count, 3) for v in (smooth, true))
        return float((np.linalg.norm(a[:, :2] - b[:, :2], axis=1) + size * np.abs(a[:, 2] - b[:, 2])).max(initial=0.0))
    a, b = (v[: 7 * count].reshape(count, 7) for v in (smooth, true))
    turns = [v[:, 3:] / np.linalg.norm(v[:, 3:], axis=1, keepdims=True) for v in (a, b)]
    off = np.minimum(*(np.linalg.norm(turns[0] - side * turns[1], axis=1) for side in (1.0, -1.0)))
    return float((np.linalg.norm(a[:, :3] - b[:, :3], axis=1) + 2.0 * size * off).max(initial=0.0))
