"""Centrodes: the paths of an instant centre on both bodies, which roll on each other; and the inflection circle."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError
from pytrammel.model.bodies import GROUND
from pytrammel.results.result import Result
from pytrammel.results.series import places
from pytrammel.view.diagrams.centres import instant_centers
from pytrammel.view.diagrams.planar import (
    Array,
    at_time,
    draw_behind,
    known_body,
    motion,
    need_plane,
    shown_length,
)
from pytrammel.view.figure import given_axes, new_figure, saved
from pytrammel.view.plots.panels import finish
from pytrammel.view.theme import current, curve_colour

REACH = 1.5  # of the mechanism's size: how far centrodes are shown
INSTEAD = "in space bodies move about screw axes: see pytrammel.rotations."


@brief
@dataclass(frozen=True, eq=False)
class Centrodes:
    """The two curves on which a body rolls against another one.

    Attributes:
        times: Instants [s], shape (n,).
        body, against: The moving body, and the one it moves against.
        fixed: Fixed centrode: the centre in the frame of `against` [m], shape (n, 2); not a number while it is at infinity.
        moving: Moving centrode: the centre in the frame of `body` [m], shape (n, 2).
        points: The centre, global [m], shape (n, 2).
    """

    times: Array
    body: str
    against: str
    fixed: Array = field(repr=False)
    moving: Array = field(repr=False)
    points: Array = field(repr=False)
    _result: Result = field(repr=False, compare=False)

    @checked
    def plot(self, time: float | None = None, *, ax: Any = None, path: str | PathLike[str] | None = None) -> Any:
        """Draw both centrodes over the mechanism; they touch at the centre.

        Args:
            time: Instant [s]; the first by default.
            ax: Axes to draw on; a figure of its own by default.
            path: File to write (png, svg, pdf).

        Returns:
            The axes.
        """
        now = at_time(self._result, time)
        (axes,) = given_axes(ax, 1, "a picture of centrodes") or [new_figure(7.5, 6.4).add_subplot()]
        draw_behind(now, axes)
        factor, _ = shown_length(now)
        low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
        middle, shown = 0.5 * (low + high), [low, high]
        travel = max(float(np.ptp(motion(self._result, name).r, axis=0).max()) for name in (self.against, self.body))
        near = np.abs(factor * self.points - middle).max(axis=1)  # a body may be drawn as a dot, far from its centre
        size = max(float((high - low).max()), factor * travel, float(np.nanmin(near)))
        for table, name, label, colour in (
            (self.fixed, self.against, f"fixed centrode (on {self.against})", curve_colour(0)),
            (self.moving, self.body, f"moving centrode (on {self.body})", curve_colour(1)),
        ):
            carrier = motion(now, name)
            xy = factor * np.array([carrier.place(p)[0] for p in table])
            xy[np.abs(xy - middle).max(axis=1) > REACH * size] = np.nan
            axes.plot(*xy.T, color=colour, lw=1.8, zorder=8, label=label)
            shown += list(xy[np.isfinite(xy).all(axis=1)])
        centre = factor * instant_centers(now).between(self.against, self.body)[0]
        if np.isfinite(centre).all() and np.abs(centre - middle).max() < REACH * size:
            axes.plot(
                *centre, "o", ms=6, mfc=current().paper, mec=current().ink, mew=1.6, zorder=12, label="instant centre"
            )
        _show_all(axes, np.array(shown))
        axes.set_title(f"{now.model.name}: {self.body} rolls on {self.against}", fontsize=11, parse_math=False)
        finish(axes, 3)
        saved(axes.figure, path)  # type: ignore[arg-type]
        return axes


def _show_all(axes: Any, points: Array) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.04 * float((high - low).max())
    axes.set_xlim(low[0] - margin, high[0] + margin)
    axes.set_ylim(low[1] - margin, high[1] + margin)


def centrodes(result: Result, body: Any, against: Any = GROUND) -> Centrodes:
    """Both centrodes of a body; see `Diagrams.centrodes`."""
    need_plane(result, "centrodes", INSTEAD)
    one, two = known_body(result, against), known_body(result, body)
    found = instant_centers(result)
    points, kinds = found.between(one, two), found.kind(one, two)
    if not (kinds == "centre").any():
        how = "only translates" if (kinds == "infinity").any() else "does not move"
        raise ModelError(
            f"{two!r} {how} against {one!r} in this run: its centre is never in reach, and there are no centrodes."
        )
    return Centrodes(
        result.times, two, one, motion(result, one).local(points), motion(result, two).local(points), points, result
    )


@brief
@dataclass(frozen=True, eq=False)
class InflectionCircle:
    """Points of a body whose paths are straight for a moment lie on a circle through its instant centre.

    Attributes:
        times: Instants [s], shape (n,).
        body: The body.
        pole: Instant centre against the ground [m], shape (n, 2).
        inflection_pole: The point of the circle opposite the pole [m], shape (n, 2).
        centre: Of the circle [m], shape (n, 2).
        diameter: Of the circle [m], shape (n,).
    """

    times: Array
    body: str
    pole: Array = field(repr=False)
    inflection_pole: Array = field(repr=False)
    centre: Array = field(repr=False)
    diameter: Array
    _omega: Array = field(repr=False)
    _result: Result = field(repr=False, compare=False)

    @checked
    def plot(self, time: float | None = None, *, ax: Any = None, path: str | PathLike[str] | None = None) -> Any:
        """Draw the circle over the mechanism, with its pole and its inflection pole.

        Args:
            time: Time of the picture [s]; defaults to the first one.
            ax: Axes to draw on; defaults to a new figure.
            path: File to write (png, svg, pdf).

        Returns:
            The axes.
        """
        from matplotlib.patches import Circle

        now = at_time(self._result, time)
        found = inflection_circle(now, self.body)
        (axes,) = given_axes(ax, 1, "a picture of an inflection circle") or [new_figure(7.5, 6.4).add_subplot()]
        draw_behind(now, axes)
        factor, _ = shown_length(now)
        low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
        centre, radius = factor * found.centre[0], 0.5 * factor * float(found.diameter[0])
        axes.add_patch(
            Circle(tuple(centre), radius, fill=False, ec=curve_colour(1), lw=1.8, zorder=8, label="inflection circle")
        )
        for place, face, label in (
            (found.pole, current().paper, "pole"),
            (found.inflection_pole, curve_colour(1), "inflection pole"),
        ):
            axes.plot(
                *(factor * place[0]),
                "o",
                ms=6,
                mfc=face,
                mec=curve_colour(1),
                mew=1.6,
                zorder=12,
                label=label,
                ls="none",
            )
        _show_all(axes, np.array([low, high, centre - radius, centre + radius]))
        axes.set_title(f"{now.model.name}: {self.body} at t = {now.times[0]:.4g} s", fontsize=11, parse_math=False)
        finish(axes, 3)
        saved(axes.figure, path)  # type: ignore[arg-type]
        return axes

    @checked
    def curvature_of(self, points: Any) -> Array:
        """Curvature of the paths of points of the body at global places [1/m], shape (n,), by Euler–Savary; left turns positive.

        Args:
            points: Global places [m], shape (n, 2).
        """
        r = places(points, self.pole) - self.pole
        d = self.inflection_pole - self.pole
        length = np.hypot(*r.T)
        return np.asarray(np.sign(self._omega) * (length**2 - (r * d).sum(axis=1)) / length**3)


def inflection_circle(result: Result, body: Any) -> InflectionCircle:
    """Inflection circle of a body; see `Diagrams.inflection_circle`.

    The point of the body at its pole is accelerated by omega² d, where d leads from the pole to the inflection pole.
    """
    need_plane(result, "inflection circles", INSTEAD)
    name = known_body(result, body)
    points = instant_centers(result).between(GROUND, name)
    if not np.isfinite(points).any():
        raise ModelError(f"{name!r} never turns in this run: it has no instant centre and no inflection circle.")
    moved = motion(result, name, accelerations=True)
    turning = np.isfinite(points[:, 0])
    omega = np.where(turning, moved.omega, np.nan)
    d = moved.acceleration_at(points) / (omega**2)[:, None]
    return InflectionCircle(
        result.times, name, points, points + d, points + 0.5 * d, np.asarray(np.hypot(*d.T)), omega, result
    )
