"""Instant centres: where two bodies have the same velocity, for every pair of bodies (Kennedy–Aronhold)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint
from pytrammel.results.result import Result
from pytrammel.units import LENGTH_UNITS
from pytrammel.view.diagrams.labels import Name, place_labels
from pytrammel.view.diagrams.planar import (
    STILL,
    TRANSLATES,
    Array,
    at_time,
    draw_behind,
    fastest,
    known_body,
    motion,
    need_plane,
    shown_length,
    turned,
)
from pytrammel.view.figure import given_axes, new_figure, saved
from pytrammel.view.theme import current, curve_colour

FAR = 1.2  # of the picture's size: centres farther off are told in words
MANY = 6  # bodies up to which the lines of Kennedy's theorem are drawn


@brief
@dataclass(frozen=True, eq=False)
class InstantCenters:
    """Instant centres of all pairs of bodies along a run.

    Attributes:
        times: Instants [s], shape (n,).
        bodies: Names of the bodies, the ground first.
        pairs: Pairs of bodies.
        points: Centres, global [m], shape (n, pairs, 2); not a number where there is none.
        directions: Unit vector towards a centre at infinity, across the common direction of motion, shape (n, pairs, 2).
        kinds: "centre", "infinity" (the bodies only translate against each other) or "none" (they stand still against each other).
        omega: Angular velocity of the second body against the first [rad/s], shape (n, pairs).
    """

    times: Array
    bodies: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    points: Array = field(repr=False)
    directions: Array = field(repr=False)
    kinds: NDArray[np.str_] = field(repr=False)
    omega: Array = field(repr=False)
    _result: Result = field(repr=False, compare=False)

    @checked
    def between(self, first: str, second: str) -> Array:
        """Centres of two bodies, global [m], shape (n, 2); not a number where there is none."""
        return self.points[:, self._pair(first, second)]

    @checked
    def kind(self, first: str, second: str) -> NDArray[np.str_]:
        """Kinds of the centres of two bodies, shape (n,)."""
        return np.asarray(self.kinds[:, self._pair(first, second)])

    def _pair(self, first: str, second: str) -> int:
        a, b = known_body(self._result, first), known_body(self._result, second)
        if a == b:
            raise ModelError(f"a centre belongs to two bodies, but both are {a!r}.")
        return self.pairs.index((a, b) if (a, b) in self.pairs else (b, a))

    def __str__(self) -> str:
        unit, factor = self._result.model.display_unit, 1.0 / LENGTH_UNITS[self._result.model.display_unit]
        lines = [f"instant centres at t = {self.times[0]:g} s [{unit}]"]
        for k, (a, b) in enumerate(self.pairs):
            lines.append(f"  {a} / {b}: {self._said(0, k, factor)}")
        return "\n".join(lines)

    def _said(self, i: int, k: int, factor: float) -> str:
        kind = self.kinds[i, k]
        if kind == "centre":
            return f"({factor * self.points[i, k, 0]:.5g}, {factor * self.points[i, k, 1]:.5g})"
        if kind == "infinity":
            angle = np.degrees(np.arctan2(self.directions[i, k, 1], self.directions[i, k, 0])) % 180.0
            return f"at infinity, in the direction of {angle:.4g}°: they only translate against each other"
        return "none: they do not move against each other"

    @checked
    def plot(
        self,
        time: float | None = None,
        *,
        ax: Any = None,
        labels: bool = True,
        path: str | PathLike[str] | None = None,
    ) -> Any:
        """Draw the centres over the mechanism, with the lines on which three of them lie.

        Args:
            time: Instant [s]; the first by default.
            ax: Axes to draw on; a figure of its own by default.
            labels: Whether to write which bodies each centre belongs to.
            path: File to write (png, svg, pdf).

        Returns:
            The axes.
        """
        return _draw(self._result, time, ax=ax, labels=labels, path=path)


def instant_centers(result: Result) -> InstantCenters:
    """Instant centres of all pairs of bodies; see `Diagrams.instant_centers`."""
    need_plane(result, "instant centres", "in space bodies move about screw axes: see pytrammel.rotations.")
    bodies = tuple(result.model.bodies)
    if len(bodies) < 2:
        raise ModelError(f"model {result.model.name!r} has no moving body, and so no instant centres.")
    motions = {name: motion(result, name) for name in bodies}
    pairs = tuple(itertools.combinations(bodies, 2))
    n, size, peak = len(result), result._system.length, fastest(result)
    points, directions = np.full((n, len(pairs), 2), np.nan), np.full((n, len(pairs), 2), np.nan)
    kinds, omega = np.full((n, len(pairs)), "none", dtype="<U8"), np.zeros((n, len(pairs)))
    for k, (a, b) in enumerate(pairs):
        one, two = motions[a], motions[b]
        # relative velocity of the points at the middle of both origins, where rounding is smallest
        middle = 0.5 * (one.r + two.r)
        u = two.velocity_at(middle) - one.velocity_at(middle)
        w = two.omega - one.omega
        speed = np.hypot(*u.T)
        moves = (speed > STILL * peak) | (np.abs(w) * size > STILL * peak)
        turns = moves & (np.abs(w) * size > TRANSLATES * speed)
        safe = np.where(turns, w, 1.0)
        points[turns, k] = (middle + turned(u) / safe[:, None])[turns]
        slides = moves & ~turns
        directions[slides, k] = (turned(u) / np.where(slides, speed, 1.0)[:, None])[slides]
        kinds[turns, k], kinds[slides, k] = "centre", "infinity"
        omega[:, k] = w
        pin = _pin_between(result, a, b)
        if pin is not None:  # a permanent centre, also while the bodies do not move against each other
            seat = pin.seats[-1]
            points[:, k], directions[:, k], kinds[:, k] = motions[seat.body].place(seat.point), np.nan, "centre"
    return InstantCenters(result.times, bodies, pairs, points, directions, kinds, omega, result)


def _pin_between(result: Result, one: str, two: str) -> Constraint | None:
    """The pin of two bodies that is always closed."""
    passing = {name for phase in result.model.phases.values() for name in phase.active}
    for joint in result.model.constraints.values():
        if joint.turning and joint.span == 0.0 and set(joint.bodies) == {one, two} and joint.name not in passing:
            return joint
    return None


def _draw(result: Result, time: float | None, *, ax: Any, labels: bool, path: str | PathLike[str] | None) -> Any:
    now = at_time(result, time)
    found = instant_centers(now)
    if not (found.kinds == "centre").any():
        raise ModelError(
            f"at t = {now.times[0]:g} s no two bodies turn against each other: they stand still or only translate; choose another time=."
        )
    (axes,) = given_axes(ax, 1, "a picture of instant centres") or [new_figure(7.5, 6.4).add_subplot()]
    draw_behind(now, axes)
    factor, _ = shown_length(now)
    low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
    reach = FAR * float((high - low).max())
    middle = 0.5 * (low + high)
    points = factor * found.points[0]
    near = np.isfinite(points).all(axis=1) & (np.abs(points - middle).max(axis=1) < reach)
    if len(found.bodies) <= MANY:
        _kennedy_lines(axes, found, points, near)
    entries: dict[tuple[float, float], list[str]] = {}
    outside = []
    for k, (a, b) in enumerate(found.pairs):
        if near[k]:
            place = tuple(np.round(points[k] / reach, 6) * reach)
            entries.setdefault((float(place[0]), float(place[1])), []).append(f"{a}/{b}")
        elif found.kinds[0, k] != "none":
            outside.append(f"{a}/{b}: {found._said(0, k, factor)}")
    for x, y in entries:
        axes.plot(x, y, "o", ms=6, mfc=current().paper, mec=curve_colour(1), mew=1.8, zorder=12)
    shown = np.array([*entries, low, high])
    margin = 0.04 * float((shown.max(axis=0) - shown.min(axis=0)).max())
    axes.set_xlim(shown[:, 0].min() - margin, shown[:, 0].max() + margin)
    axes.set_ylim(shown[:, 1].min() - margin, shown[:, 1].max() + margin)
    if labels:
        place_labels(axes, [Name(", ".join(names), place, curve_colour(1)) for place, names in entries.items()])
    if outside:
        text = "outside: " + "; ".join(
            each.split(":")[0] + (" at infinity" if "infinity" in each else each.partition(":")[2]) for each in outside
        )
        axes.text(
            0.01, 0.01, text, transform=axes.transAxes, fontsize=8, color=current().ground, wrap=True, parse_math=False
        )
    axes.set_title(f"{result.model.name}: instant centres at t = {now.times[0]:.4g} s", fontsize=11, parse_math=False)
    saved(axes.figure, path)  # type: ignore[arg-type]
    return axes


def _kennedy_lines(axes: Any, found: InstantCenters, points: Array, near: NDArray[np.bool_]) -> None:
    """A faint line through the three centres of every three bodies."""
    for triple in itertools.combinations(found.bodies, 3):
        members = [found.pairs.index(pair) for pair in itertools.combinations(triple, 2)]
        if not near[members].all():
            continue
        p = points[members]
        spread = p - p.mean(axis=0)
        if np.hypot(*spread.T).max() > 0.0:
            along = spread[np.argmax(np.hypot(*spread.T))]
            order = np.argsort(spread @ along)
            axes.plot(*p[order].T, ":", color=current().plot_frame, lw=1.0, zorder=1)
