"""Curvature of the path of a point, its cusps and its inflections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError
from pytrammel.model.bodies import GROUND
from pytrammel.results.result import Result
from pytrammel.results.series import checked_place, needed
from pytrammel.view.diagrams.labels import Name, place_labels
from pytrammel.view.diagrams.planar import Array, cross, fastest, need_plane, shown_length
from pytrammel.view.figure import given_axes, new_figure, saved
from pytrammel.view.plots.panels import finish
from pytrammel.view.theme import current, curve_colour

STOPPED = 1e-5  # share of the largest speed: a point that is slower at its slowest stands still there
HALVINGS = 40
CLEAR = 1e-9  # share of |v||a| from which on a side to which a path turns is more than rounding


@dataclass(frozen=True)
class PathPoint:
    """A place on a path: when [s] and where [m]."""

    time: float
    x: float
    y: float


@brief
@dataclass(frozen=True, eq=False)
class PathCurvature:
    """How the path of a point bends.

    Attributes:
        name: Of the point.
        times: Instants [s], shape (n,).
        position: Of the point [m], shape (n, 2).
        speed: [m/s], shape (n,).
        curvature: [1/m], positive where the path turns left, shape (n,); not a number where the point stands still.
        radius: Of curvature, without a sign [m]; infinite where the path is straight.
        centre: Of curvature [m], shape (n, 2).
        cusps: Where the point stops for an instant while its body turns: the path turns back in a point.
        stops: Where it stands still because its body does.
        inflections: Where the path changes the side to which it turns.
    """

    name: str
    times: Array
    position: Array = field(repr=False)
    speed: Array = field(repr=False)
    curvature: Array = field(repr=False)
    radius: Array = field(repr=False)
    centre: Array = field(repr=False)
    cusps: tuple[PathPoint, ...]
    stops: tuple[PathPoint, ...]
    inflections: tuple[PathPoint, ...]
    _result: Result = field(repr=False, compare=False)

    @checked
    def plot(self, *, ax: Any = None, path: str | PathLike[str] | None = None) -> Any:
        """Draw the path, coloured by curvature, with its cusps and inflections.

        Args:
            ax: Axes to draw on; a figure of its own by default.
            path: File to write (png, svg, pdf).

        Returns:
            The axes.
        """
        from matplotlib.collections import LineCollection
        from matplotlib.colors import SymLogNorm

        (axes,) = given_axes(ax, 1, "a picture of curvature") or [new_figure(7.0, 5.6).add_subplot()]
        factor, unit = shown_length(self._result)
        xy, bend = factor * self.position, self.curvature / factor
        segments = np.stack([xy[:-1], xy[1:]], axis=1)
        known = np.abs(bend[np.isfinite(bend)])
        typical = float(np.median(known)) if known.size and np.median(known) > 0.0 else 1.0
        norm = SymLogNorm(typical, vmin=-20 * typical, vmax=20 * typical)
        lines = LineCollection(list(segments), cmap=current().signed_map, norm=norm, lw=2.4, zorder=3)
        lines.set_array(np.nan_to_num(0.5 * (bend[:-1] + bend[1:])))
        axes.add_collection(lines)
        axes.plot(*xy.T, color=current().ink, lw=0.5, zorder=4, label="_")
        marks = []
        for points, mark, colour, label in (
            (self.cusps, "v", curve_colour(1), "cusp"),
            (self.stops, "s", current().ground, "standstill"),
            (self.inflections, "o", curve_colour(2), "inflection"),
        ):
            for k, p in enumerate(points):
                head = label if k == 0 else "_"
                axes.plot(
                    factor * p.x,
                    factor * p.y,
                    mark,
                    ms=7,
                    mfc=current().paper,
                    mec=colour,
                    mew=1.8,
                    zorder=6,
                    label=head,
                )
                if len(points) <= 8:
                    marks.append(Name(f"t = {p.time:.4g} s", (factor * p.x, factor * p.y)))
        ticks = [float(f"{factor * typical:.1g}") for factor in (-10, -1, 0, 1, 10)]
        axes.figure.colorbar(lines, ax=axes, label=f"curvature [1/{unit}]", shrink=0.8, ticks=ticks, format="%g")
        axes.set_aspect("equal", adjustable="datalim")
        axes.autoscale_view()
        axes.set_xlabel(f"x [{unit}]")
        axes.set_ylabel(f"y [{unit}]")
        axes.set_title(f"{self._result.model.name}: path of {self.name}", fontsize=11, parse_math=False)
        finish(axes, len(axes.get_legend_handles_labels()[1]))
        place_labels(axes, marks, avoid=[xy])
        saved(axes.figure, path)  # type: ignore[arg-type]
        return axes


def curvature(result: Result, point: Any) -> PathCurvature:
    """Curvature of the path of a point; see `Diagrams.curvature`."""
    need_plane(result, "cusps and inflections", "in space take velocities and accelerations of result.point(…).")
    needed(result.a, "acceleration")
    model = result.model
    if isinstance(point, str) and point not in model.points:
        if point not in model.bodies:
            raise model._unknown(point, "point or body", [*model.points, *list(model.bodies)[1:]])
        point = model.bodies[point].at(0.0, 0.0)
    place = model.points[point] if isinstance(point, str) else checked_place(model, point)
    if place.body == GROUND:
        raise ModelError(f"point {place.label!r} is fixed to the ground: its path is a point.")
    series = result.point(place)
    r, v, a = series.position, series.velocity, series.acceleration
    speed, peak = np.hypot(*v.T), fastest(result)
    moving = speed > STOPPED * float(speed.max(initial=0.0))
    if not moving.any() or speed.max() <= 1e-12 * peak or peak == 0.0:
        raise ModelError(f"point {place.label!r} stands still in this run: its path is a point.")
    safe = np.where(moving, speed, np.nan)
    bend = cross(v, a) / safe**3
    with np.errstate(divide="ignore", invalid="ignore"):
        radius = np.abs(1.0 / bend)
        normal = np.column_stack([-v[:, 1], v[:, 0]]) / safe[:, None]
        centre = r + normal / bend[:, None]
    halts = _halts(result, place, speed, v, a)
    turning = {t: _turns(result, place.body, t) for t in halts}
    return PathCurvature(
        place.label, result.times, r, speed, bend, radius, centre,
        tuple(_place(result, place, t) for t in halts if turning[t]),
        tuple(_place(result, place, t) for t in halts if not turning[t]),
        tuple(_place(result, place, t) for t in _inflections(result, place, v, a, moving)),
        result,
    )  # fmt: skip


def _place(result: Result, point: Any, time: float) -> PathPoint:
    x, y = result.at(time).point(point).position[0]
    return PathPoint(time, float(x), float(y))


def _turns(result: Result, body: str, time: float) -> bool:
    """Return True if a body still turns at an instant."""
    omega = float(np.abs(result.at(time)._body(body).omega[0]))
    return omega > STOPPED * float(np.abs(result._body(body).omega).max())


def _halts(result: Result, point: Any, speed: Array, v: Array, a: Array) -> list[float]:
    """Instants at which the point stands still: minima of its speed that are nil."""
    slowing = (v * a).sum(axis=1)
    limit = STOPPED * float(speed.max())
    found = [float(t) for t, s in zip(result.times[[0, -1]], speed[[0, -1]], strict=True) if s <= limit]

    def rate(run: Result) -> Array:
        series = run.point(point)
        out: Array = (series.velocity * series.acceleration).sum(axis=1)
        return out

    times = _roots(result, np.flatnonzero((slowing[:-1] < 0.0) & (slowing[1:] >= 0.0)), rate)
    if times.size:
        slow = np.hypot(*result.resample(times).point(point).velocity.T) <= limit
        found += [float(t) for t in times[slow] if min((abs(t - other) for other in found), default=1.0) > 1e-9]
    return sorted(found)


def _inflections(result: Result, point: Any, v: Array, a: Array, moving: Any) -> list[float]:
    side = cross(v, a)
    clear = np.abs(side) > CLEAR * np.hypot(*v.T) * np.hypot(*a.T)
    good = clear & moving
    places = np.flatnonzero(good[:-1] & good[1:] & (side[:-1] * side[1:] < 0.0) & ((v[:-1] * v[1:]).sum(axis=1) > 0.0))

    def turn(run: Result) -> Array:
        series = run.point(point)
        return np.asarray(cross(series.velocity, series.acceleration))

    exact = [
        float(result.times[k])
        for k in np.flatnonzero(~clear & moving)
        if 0 < k < len(side) - 1 and side[k - 1] * side[k + 1] < 0.0
    ]
    return sorted([*map(float, _roots(result, places, turn)), *exact])


def _roots(result: Result, places: Any, value: Callable[[Result], Array]) -> Array:
    """Instants between samples at which a value changes its sign, all at once by halving."""
    low: Array = result.times[places].copy()
    high: Array = result.times[np.asarray(places) + 1].copy()
    if not low.size:
        return low
    below = value(result.resample(low))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        found = value(result.resample(middle))
        same = np.sign(found) == np.sign(below)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    out: Array = 0.5 * (low + high)
    return out
