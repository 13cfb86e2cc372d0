"""Plane curves: cam outlines, slots and rails, as two formulas of a parameter u."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, in_sentences, short, unlike
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.expression import Expression, as_expression, call, variable
from pytrammel.expressions.tables import Table, TableKind
from pytrammel.geometry import nearest

Floats = NDArray[np.float64]
Numbers = Sequence[float] | Floats

PARAMETER = variable("u")
# fewest samples of a search over the whole curve, and samples of each piece of a table
SEARCH_SAMPLES = 720
SAMPLES_PER_PIECE = 16
MOST_POINTS = 10_000_000  # limit of memory for `sample`
# ends of a closed curve may differ by this share of its size: rounding of cos(2 pi) and of typed numbers
CLOSING_TOLERANCE = 1e-9


class AnyCurve(Protocol):
    """A plane or space curve, as far as joints and pictures care."""

    @property
    def components(self) -> tuple[Expression, ...]:
        """Formulas of its coordinates."""

    @property
    def start(self) -> float:
        """Where its parameter begins."""

    @property
    def end(self) -> float:
        """Where its parameter ends."""

    @property
    def closed(self) -> bool:
        """Whether it runs around."""

    @checked
    def sample(self, n: int) -> Floats:
        """Points along it, shape (count, dimension)."""


@checked
@brief
@dataclass(frozen=True)
class Curve:
    """A plane curve (x(u), y(u)) [m] in the axes of the body that carries it.

    Use the constructors `polar_table`, `cartesian_table`, `analytic`, `circle` and `line`.

    Attributes:
        x: Formula of u [m].
        y: Formula of u [m].
        start: First value of u.
        end: Last value of u; on a closed curve the same point as the first.
        closed: Whether the curve runs around; u may then go beyond start and end, counting turns.
        name: What messages call it.
    """

    x: Expression
    y: Expression
    start: float
    end: float
    closed: bool
    name: str = "curve"

    @property
    def components(self) -> tuple[Expression, ...]:
        """Formulas of its coordinates."""
        return self.x, self.y

    def __post_init__(self) -> None:
        check_curve_words(self.name, self.closed)
        for axis, formula in (("x", self.x), ("y", self.y)):
            unknown = sorted(formula.names - {"u"})
            if unknown:
                raise ExpressionError(
                    f"curve '{self.name}': {axis}(u) may use only the parameter u, but uses {', '.join(unknown)}: "
                    f"{formula}"
                )
        if not (math.isfinite(self.start) and math.isfinite(self.end) and self.start < self.end):
            texts = unlike(self.start, self.end, digits=6)
            raise ModelError(
                f"curve '{self.name}': the end must be greater than the start, but u runs from {texts[0]} to "
                f"{texts[1]}."
            )
        if self.closed:
            gap, size = self._closing_gap()
            if not gap <= CLOSING_TOLERANCE * size:
                raise ModelError(
                    f"curve '{self.name}': a closed curve must end where it starts, but the ends are {gap:g} m apart; "
                    "repeat the first point at the end, or set closed=False."
                )

    # shape -----------------------------------------------------------------------------------------------------------

    @property
    def period(self) -> float:
        """Length of the interval of u from start to end."""
        return self.end - self.start

    @checked
    def point(self, u: float | Floats) -> Floats:
        """Points of the curve [m], shape (..., 2)."""
        return self._both(self.x, self.y, u)

    @checked
    def tangent(self, u: float | Floats) -> Floats:
        """Unit vectors along the curve, in the direction of growing u, shape (..., 2)."""
        velocity = self.first_derivative(u)
        unit: Floats = velocity / np.linalg.norm(velocity, axis=-1, keepdims=True)
        return unit

    @checked
    def normal(self, u: float | Floats) -> Floats:
        """Unit vectors to the left of the curve, seen in the direction of growing u, shape (..., 2)."""
        along = self.tangent(u)
        return np.stack([-along[..., 1], along[..., 0]], axis=-1)

    @checked
    def first_derivative(self, u: float | Floats) -> Floats:
        """d(x, y)/du, shape (..., 2)."""
        return self._both(*self._first, u)

    @checked
    def second_derivative(self, u: float | Floats) -> Floats:
        """d²(x, y)/du², shape (..., 2)."""
        return self._both(*self._second, u)

    @checked
    def curvature(self, u: float | Floats) -> Any:
        """Curvature [1/m], positive where the curve turns left; not defined (nan) where the curve stands still."""
        d1, d2 = self.first_derivative(u), self.second_derivative(u)
        speed = np.hypot(d1[..., 0], d1[..., 1])
        turning = d1[..., 0] * d2[..., 1] - d1[..., 1] * d2[..., 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            result = turning / speed**3
        return float(result) if np.ndim(u) == 0 else result

    @checked
    def sample(self, n: int) -> Floats:
        """Points [m] at n equal steps of u from start to end, both included, shape (n, 2)."""
        if not 1 <= n <= MOST_POINTS:
            raise ModelError(f"curve '{self.name}': n is {n}; it must be from 1 to {MOST_POINTS} points.")
        return self.point(np.linspace(self.start, self.end, n))

    def orientation(self) -> int:
        """+1 when a closed curve runs counter-clockwise, -1 when clockwise."""
        if not self.closed:
            raise ModelError(f"curve '{self.name}' is open, so it has no inside and no orientation.")
        p = self.point(self.search_parameters)
        p = p - p[0]  # far from the origin the products below would cancel
        area = np.sum(p[:-1, 0] * p[1:, 1] - p[1:, 0] * p[:-1, 1])
        return 1 if area >= 0.0 else -1

    # questions -------------------------------------------------------------------------------------------------------

    @checked
    def nearest(self, point: Sequence[float] | Floats) -> float:
        """Parameter of the point of the curve that is nearest to a given point [m]."""
        return nearest.nearest(self, np.array(_pair(point, f"curve '{self.name}': the point")))

    def self_crossings(self) -> list[tuple[float, float, float, float]]:
        """Where the curve meets itself: (u1, u2, x, y) with u1 < u2."""
        return nearest.self_crossings(self)

    @checked
    def undercut(self, offset_distance: float) -> list[tuple[float, float]]:
        """Where the curve is too hollow for a roller: intervals of u in which the offset curve runs backwards.

        At such places 1 + offset * curvature <= 0, curvature taken positive where the curve bulges to the offset side.

        Args:
            offset_distance: Roller radius [m]. Positive is the outside of a closed curve; for an open curve it is the
                right-hand side, seen in the direction of growing u, and negative the left-hand side.

        Returns:
            Pairs (from, to); very close numbers where the curve only touches the limit. A pair across the seam of a
            closed curve has ``to`` beyond ``end``.
        """
        return nearest.undercut(self, offset_distance)

    @checked
    def offset_factor(self, u: float | Floats, offset_distance: float) -> Any:
        """1 + offset * curvature: speed of the offset curve over speed of the curve; 0 or less is undercut."""
        side = self.orientation() if self.closed else 1
        return 1.0 + offset_distance * side * self.curvature(u)

    @checked
    def check(self, offset_distance: float | None = None, *, raise_error: bool = False) -> list[str]:
        """What a maker of the curve should know, as sentences; an empty list when all is well.

        Args:
            offset_distance: Roller radius [m], see `undercut`; None to leave it out.
            raise_error: Raise a ModelError with the sentences instead of returning them.
        """
        found = nearest.report(self, offset_distance)
        if found and raise_error:
            raise ModelError("\n".join(found))
        return found

    # inside ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _first(self) -> tuple[Expression, Expression]:
        return self.x.derivative("u"), self.y.derivative("u")

    @cached_property
    def _second(self) -> tuple[Expression, Expression]:
        return self._first[0].derivative("u"), self._first[1].derivative("u")

    @cached_property
    def search_parameters(self) -> Floats:
        """Parameters from start to end, dense enough to see every wiggle of the tables."""
        breaks = {self.start, self.end}
        for table in {*self.x.tables, *self.y.tables}:
            breaks.update(u for u in table.x if self.start < u < self.end)
        ordered = sorted(breaks)
        pieces = len(ordered) - 1
        each = max(SAMPLES_PER_PIECE, -(-SEARCH_SAMPLES // pieces))
        parts = [np.linspace(a, b, each, endpoint=False) for a, b in pairwise(ordered)]
        return np.append(np.concatenate(parts), self.end)

    def _both(self, fx: Expression, fy: Expression, u: float | Floats) -> Floats:
        at = np.asarray(u, dtype=float)
        return np.stack([np.broadcast_to(f.evaluate({"u": at}), at.shape) for f in (fx, fy)], axis=-1).astype(float)

    def _closing_gap(self) -> tuple[float, float]:
        ends = self.point(np.array([self.start, self.end]))
        points = self.point(np.linspace(self.start, self.end, 33))
        return float(np.linalg.norm(ends[1] - ends[0])), float(np.max(np.ptp(points, axis=0)))


@checked
@in_sentences
def analytic(
    x: Expression | str | float,
    y: Expression | str | float,
    start: float,
    end: float,
    *,
    closed: bool = False,
    name: str = "curve",
) -> Curve:
    """A curve from two formulas of u.

    Args:
        x: Formula of u, for instance ``"0.1*cos(u)"`` [m].
        y: Formula of u [m].
        start: First value of u.
        end: Last value of u.
        closed: Whether the last point is the first one again.
        name: What messages call it.
    """
    formulas = [as_expression(x, f"x of curve '{name}'"), as_expression(y, f"y of curve '{name}'")]
    start, end = (_finite(value, f"curve '{name}': its {word}") for value, word in ((start, "start"), (end, "end")))
    curve = Curve(formulas[0], formulas[1], start, end, closed, name)
    if closed and not _repeats(curve):
        # followers run round many times, so the formulas must go on beyond the end
        wrapped = start + call("mod", PARAMETER - start, end - start)
        formulas = [formula.substitute({"u": wrapped}) for formula in formulas]
        # the very end is now the start, so the closing has been checked above, not here
        return Curve(formulas[0], formulas[1], start, end, closed, name)
    return curve


def _repeats(curve: Curve) -> bool:
    u = np.linspace(curve.start, curve.end, 33)
    one_turn_on = curve.point(u + curve.period)
    size = float(np.max(np.ptp(curve.point(u), axis=0)))
    return bool(np.max(np.abs(one_turn_on - curve.point(u))) <= CLOSING_TOLERANCE * size)


@checked
@in_sentences
def polar_table(
    theta: Numbers,
    radius: Numbers,
    *,
    origin: tuple[float, float] = (0.0, 0.0),
    closed: bool = True,
    kind: TableKind | None = None,
    name: str = "outline",
) -> Curve:
    """A curve from radii at angles, joined by a cubic spline; the parameter u is the angle.

    Args:
        theta: Angles [rad], increasing; for a closed curve exactly one turn from first to last.
        radius: Distances from the origin [m]; for a closed curve the last equals the first.
        origin: Centre of the angles [m].
        closed: Whether the curve runs around; its spline is then periodic.
        kind: Spline of an open curve, see `Table`; a not-a-knot spline by default. A closed curve has a periodic one.
        name: What messages call it.
    """
    _check_closed_kind(name, closed, kind)
    angles, radii = np.array(theta, dtype=float), np.array(radius, dtype=float)
    if closed and angles.ndim == 1 and radii.ndim == 1 and len(angles) >= 2 and len(radii) >= 2:
        turn = angles[-1] - angles[0]
        if abs(turn - math.tau) > CLOSING_TOLERANCE:
            texts = unlike(math.tau, turn, digits=10)
            raise ModelError(
                f"curve '{name}': the angles of a closed curve must span one turn, 2 pi = {texts[0]} rad, but "
                f"they span {texts[1]}; repeat the first point one turn later, convert degrees to radians, or set "
                "closed=False."
            )
        if radii[0] != radii[-1]:
            texts = unlike(radii[0], radii[-1], digits=10)
            raise ModelError(
                f"curve '{name}': a closed curve must end as it starts, but radius[0] = {texts[0]} and "
                f"radius[{len(radii) - 1}] = {texts[1]}; make them equal or set closed=False."
            )
        angles[-1] = angles[0] + math.tau
    table = Table(_table_name(name, "radius"), angles, radii, kind="periodic" if closed else kind or "cubic")
    reach = table(PARAMETER)
    cx, cy = _pair(origin, f"curve '{name}': the origin")
    x, y = cx + reach * call("cos", PARAMETER), cy + reach * call("sin", PARAMETER)
    return Curve(x, y, table.x[0], table.x[-1], closed, name)


def _check_closed_kind(name: str, closed: bool, kind: str | None) -> None:
    if closed and kind not in (None, "periodic"):
        raise ModelError(
            f"curve '{name}': kind={kind!r} would not be used, because the spline of a closed curve is periodic. Remove kind=, or set "
            "closed=False."
        )


@checked
@in_sentences
def cartesian_table(
    x: Numbers, y: Numbers, *, closed: bool = False, kind: TableKind | None = None, name: str = "outline"
) -> Curve:
    """A curve through points, joined by cubic splines; the parameter u is the length along the chords [m].

    Args:
        x: Coordinates [m].
        y: Coordinates [m].
        closed: Whether the curve runs around; the first point is repeated at the end if it is not there already.
        kind: Spline of an open curve, see `Table`; a not-a-knot spline by default. A closed curve has a periodic one.
        name: What messages call it.
    """
    _check_closed_kind(name, closed, kind)
    px, py = np.array(x, dtype=float), np.array(y, dtype=float)
    if px.ndim != 1 or px.shape != py.shape:
        raise ModelError(f"curve '{name}': x has shape {px.shape} and y has {py.shape}; give one y for each x.")
    if closed and len(px) and (px[0] != px[-1] or py[0] != py[-1]):
        px, py = np.append(px, px[0]), np.append(py, py[0])
    chords = np.hypot(np.diff(px), np.diff(py))
    for i, chord in enumerate(chords):
        if chord == 0.0:
            raise ModelError(
                f"curve '{name}': points {i} and {i + 1} are the same, ({px[i]:g}, {py[i]:g}); remove one of them."
            )
    along = np.concatenate([[0.0], np.cumsum(chords)])
    chosen: TableKind = "periodic" if closed else kind or "cubic"
    tables = [Table(_table_name(name, axis), along, values, kind=chosen) for axis, values in (("x", px), ("y", py))]
    return Curve(tables[0](PARAMETER), tables[1](PARAMETER), 0.0, float(along[-1]), closed, name)


@checked
@in_sentences
def circle(radius: float, center: tuple[float, float] = (0.0, 0.0), *, name: str = "circle") -> Curve:
    """A circle, counter-clockwise; u is the angle [rad].

    Args:
        radius: Radius [m].
        center: Centre [m].
        name: What messages call it.
    """
    radius = _finite(radius, f"curve '{name}': the radius")
    if not radius > 0.0:
        raise ModelError(f"curve '{name}': the radius must be greater than 0, not {radius:g}.")
    cx, cy = _pair(center, f"curve '{name}': the center")
    x, y = cx + radius * call("cos", PARAMETER), cy + radius * call("sin", PARAMETER)
    return Curve(x, y, 0.0, math.tau, True, name)


@checked
@in_sentences
def line(p: tuple[float, float], q: tuple[float, float], *, name: str = "line") -> Curve:
    """A straight line from p to q [m]; u is the distance from p [m]."""
    p, q = _pair(p, f"curve '{name}': p"), _pair(q, f"curve '{name}': q")
    length = math.hypot(q[0] - p[0], q[1] - p[1])
    if not length > 0.0:
        raise ModelError(f"curve '{name}': both ends are at ({p[0]:g}, {p[1]:g}); a line needs two different points.")
    x = p[0] + (q[0] - p[0]) / length * PARAMETER
    y = p[1] + (q[1] - p[1]) / length * PARAMETER
    return Curve(x, y, 0.0, length, False, name)


def check_curve(curve: object, user: str, kind: type = Curve, maker: str = "tm.curves.circle(0.1)") -> None:
    """Refuse what is no curve of the right kind."""
    if not isinstance(curve, kind):
        raise ModelError(f"the curve of {user} must be a curve, for instance {maker}, but it is {short(curve)}.")


def check_curve_words(name: object, closed: object) -> None:
    """What is not a number: the name and whether it is closed."""
    if not isinstance(name, str):
        raise ModelError(f"the name of a curve must be a text, but it is {short(name)}.")
    if not isinstance(closed, bool | np.bool_):
        raise ModelError(f"curve '{name}': closed must be True or False, but it is {short(closed)}.")


def _finite(value: object, what: str) -> float:
    if isinstance(value, bool | str) or not np.isscalar(value) or not math.isfinite(value):  # type: ignore[arg-type]
        raise ModelError(f"{what} must be a finite number, but it is {short(value)}.")
    return float(value)  # type: ignore[arg-type]


def _pair(value: object, what: str) -> tuple[float, float]:
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(listed, str) or not isinstance(listed, Sequence) or len(listed) != 2:
        raise ModelError(f"{what} must be two numbers (x, y), but it is {short(value)}.")
    return _finite(listed[0], f"x of {what}"), _finite(listed[1], f"y of {what}")


def _table_name(curve_name: str, what: str) -> str:
    """A name that formulas can show: curves may be called anything."""
    letters = "".join(c if c.isalnum() or c == "_" else "_" for c in curve_name)
    return f"{letters}_{what}" if letters and not letters[0].isdigit() else f"curve_{letters}_{what}"
