"""Space curves: three formulas of a parameter u."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import brief, in_sentences, unlike
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.expression import Expression, as_expression
from pytrammel.expressions.tables import spline
from pytrammel.geometry.curves import MOST_POINTS, check_curve_words
from pytrammel.geometry.nearest import rising_root

Floats = NDArray[np.float64]
SEARCH = 721


@checked
@brief
@dataclass(frozen=True)
class SpaceCurve:
    """A curve (x(u), y(u), z(u)) [m] in the axes of the body that carries it.

    Attributes:
        x, y, z: Formulas of u [m].
        start, end: Range of u.
        closed: Whether the end is the start again; u may then go on, counting turns.
        name: What messages call it.
    """

    x: Expression
    y: Expression
    z: Expression
    start: float
    end: float
    closed: bool = False
    name: str = "curve"

    def __post_init__(self) -> None:
        check_curve_words(self.name, self.closed)
        for axis, formula in zip("xyz", self.components, strict=True):
            unknown = sorted(formula.names - {"u"})
            if unknown:
                raise ExpressionError(
                    f"curve {self.name!r}: {axis}(u) may use only u, but uses {', '.join(unknown)}: {formula}"
                )
        if not (math.isfinite(self.start) and math.isfinite(self.end) and self.start < self.end):
            texts = unlike(self.start, self.end, digits=6)
            raise ModelError(
                f"curve {self.name!r}: the end must be greater than the start, but u runs from {texts[0]} to {texts[1]}."
            )
        ends = self.points(np.array([self.start, self.end]))
        if not np.isfinite(ends).all():
            raise ModelError(f"curve {self.name!r} is not a number at one of its ends; check its formulas.")
        if self.closed and float(np.linalg.norm(ends[1] - ends[0])) > 1e-9 * self.scale_of_points:
            raise ModelError(
                f"curve {self.name!r}: a closed curve must end where it starts, but the ends are {np.linalg.norm(ends[1] - ends[0]):g} m "
                "apart; set closed=False."
            )

    @property
    def components(self) -> tuple[Expression, ...]:
        """Formulas of its coordinates."""
        return self.x, self.y, self.z

    @checked
    def points(self, u: Floats) -> Floats:
        """Points at parameters u, shape (n, 3)."""
        return np.column_stack(
            [np.broadcast_to(np.asarray(f.evaluate({"u": u}), dtype=float), np.shape(u)) for f in self.components]
        )

    @checked
    def sample(self, n: int) -> Floats:
        """n points along it, shape (n, 3)."""
        if not 1 <= n <= MOST_POINTS:
            raise ModelError(f"curve '{self.name}': n is {n}; it must be from 1 to {MOST_POINTS} points.")
        return self.points(np.linspace(self.start, self.end, n))

    @property
    def scale_of_points(self) -> float:
        """Extent of the curve [m]."""
        points = self.sample(65)
        return float(np.linalg.norm(np.ptp(points, axis=0)))

    @property
    def scale(self) -> float:
        """Change of u that moves the point by about the curve's extent."""
        points = self.sample(129)
        length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        return (self.end - self.start) * self.scale_of_points / max(length, 1e-300)

    @property
    def range(self) -> tuple[float, float]:
        """Allowed values of u: without end on a closed curve."""
        return (-math.inf, math.inf) if self.closed else (self.start, self.end)

    @checked
    def nearest(self, point: Sequence[float] | Floats) -> float:
        """Parameter of the place nearest to a point: the best of many samples, refined."""
        u, target = np.linspace(self.start, self.end, SEARCH), np.array(point)
        if target.shape != (3,):
            raise ModelError(
                f"curve '{self.name}': the point must have three coordinates, but it has shape {target.shape}."
            )
        i = int(np.argmin(np.linalg.norm(self.points(u) - target, axis=1)))
        rates = [formula.derivative("u") for formula in self.components]

        def along(place: float) -> float:
            """Half the derivative of the squared distance."""
            at = np.array([place])
            speed = [float(np.asarray(rate.evaluate({"u": at})).flat[0]) for rate in rates]
            return float((self.points(at)[0] - target) @ speed)

        low, high = u[max(i - 1, 0)], u[min(i + 1, SEARCH - 1)]
        if self.closed and i in (0, SEARCH - 1):
            low, high = u[i] - (u[1] - u[0]), u[i] + (u[1] - u[0])
        return rising_root(along, float(low), float(high))

    def __str__(self) -> str:
        return f"{self.name}: ({self.x}, {self.y}, {self.z}), u = {self.start:g} .. {self.end:g}"


@checked
@in_sentences
def space_analytic(
    x: Expression | str | float, y: Expression | str | float, z: Expression | str | float, *, start: float = 0.0, end: float = 1.0,
    closed: bool = False, name: str = "curve",
) -> SpaceCurve:  # fmt: skip
    """Space curve from three formulas of u [m]."""
    fx, fy, fz = (as_expression(f, f"{axis} of curve {name!r}") for axis, f in zip("xyz", (x, y, z), strict=True))
    return SpaceCurve(
        fx, fy, fz, checked_number(start, "start of a curve"), checked_number(end, "end of a curve"), closed, name
    )


@checked
@in_sentences
def helix(radius: float, lead: float, *, turns: float = 1.0, name: str = "helix") -> SpaceCurve:
    """Helix about the z axis: u is the angle from the x axis [rad], lead the rise per turn [m]."""
    r, rise = checked_number(radius, "radius of a helix"), checked_number(lead, "lead of a helix") / (2.0 * math.pi)
    return space_analytic(f"{r!r}*cos(u)", f"{r!r}*sin(u)", f"{rise!r}*u", end=2.0 * math.pi * turns, name=name)


@checked
@in_sentences
def space_spline(points: Sequence[Sequence[float]], *, name: str = "spline") -> SpaceCurve:
    """Smooth curve through points; u runs from 0 at the first to 1 at the last, by chord length."""
    array = np.asarray(points, dtype=float)
    if array.ndim != 2 or array.shape[1] != 3 or array.shape[0] < 3:
        raise ModelError(f"curve {name!r} needs at least three points (x, y, z); it has the shape {array.shape}.")
    steps = np.linalg.norm(np.diff(array, axis=0), axis=1)
    if not steps.min() > 0.0:
        raise ModelError(
            f"curve {name!r}: points {int(np.argmin(steps))} and {int(np.argmin(steps)) + 1} coincide; remove one."
        )
    u = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
    from pytrammel.expressions.expression import variable

    x, y, z = (spline(u, array[:, k])(variable("u")) for k in range(3))
    return SpaceCurve(x, y, z, 0.0, 1.0, False, name)
