"""Named series: what ``k["rod"]``, ``k["A"]`` and ``k.point("P")`` give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked, with_checked_names
from pytrammel._util.messages import brief, number_of, short
from pytrammel.errors import ModelError
from pytrammel.forces.force import Force
from pytrammel.joints.constraint import Constraint
from pytrammel.model.bodies import GROUND, Body
from pytrammel.model.suggestions import WordedResult
from pytrammel.results.segments import per_model

if TYPE_CHECKING:
    from pytrammel.model.base import Model
    from pytrammel.model.typed_methods import MeasuredArrays
    from pytrammel.results.result import Result
else:
    MeasuredArrays = object

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True)
class Series:
    """A measured quantity along a motion.

    Attributes:
        name: What it is.
        unit: Unit of the value; the rates have /s and /s².
        value, rate, acceleration: Value and its first two time derivatives, shape (n,).
    """

    name: str
    unit: str
    value: Array
    rate: Array | None
    acceleration: Array | None


def needed(values: Array | None, level: str) -> Array:
    if values is None:
        raise ModelError(f"this run stopped before {level}s; run kinematics with level={level!r}.")
    return values


def series_repr(series: object, title: str, names: Sequence[str], count: int) -> str:
    """Repr of a motion: class, object, names of its quantities and number of output times."""
    shown = ", ".join(names) or "no measures"
    return f"<{type(series).__name__} {title}: {shown}; {number_of(count, 'output time')}>"


@with_checked_names
class BodySeries(WordedResult):
    """Motion of a body: positions [m, rad], velocities [m/s, rad/s], accelerations [m/s², rad/s²]; shape (n,) each."""

    def __init__(self, result: Result, body: Body) -> None:
        self.name = body.name
        self._result = result
        self._column = -1 if body.name == GROUND else result.coordinate_names.index(f"{body.name}.x")

    def __repr__(self) -> str:
        return series_repr(self, f"{self.name!r}", self._result._suffixes(), len(self._result))

    def _take(self, table: Array | None, k: int, level: str) -> Array:
        if self._column < 0:
            return np.zeros(len(self._result))
        return needed(table, level)[:, self._column + k]

    @property
    def x(self) -> Array:
        """Global x of its origin [m], shape (n,)."""
        return self._take(self._result.q, 0, "position")

    @property
    def y(self) -> Array:
        """Global y of its origin [m], shape (n,)."""
        return self._take(self._result.q, 1, "position")

    @property
    def phi(self) -> Array:
        """Angle, unwrapped: revolutions are counted."""
        return self._take(self._result.q, 2, "position")

    angle = phi

    @property
    def vx(self) -> Array:
        """Velocity of its origin along x [m/s], shape (n,)."""
        return self._take(self._result.v, 0, "velocity")

    @property
    def vy(self) -> Array:
        """Velocity of its origin along y [m/s], shape (n,)."""
        return self._take(self._result.v, 1, "velocity")

    @property
    def omega(self) -> Array:
        """Angular velocity [rad/s], shape (n,)."""
        return self._take(self._result.v, 2, "velocity")

    @property
    def ax(self) -> Array:
        """Acceleration of its origin along x [m/s²], shape (n,)."""
        return self._take(self._result.a, 0, "acceleration")

    @property
    def ay(self) -> Array:
        """Acceleration of its origin along y [m/s²], shape (n,)."""
        return self._take(self._result.a, 1, "acceleration")

    @property
    def alpha(self) -> Array:
        """Angular acceleration [rad/s²], shape (n,)."""
        return self._take(self._result.a, 2, "acceleration")

    @property
    def position(self) -> Array:
        """Origin, shape (n, 2)."""
        return np.column_stack([self.x, self.y])

    @property
    def velocity(self) -> Array:
        """Velocity of its origin [m/s], shape (n, 2)."""
        return np.column_stack([self.vx, self.vy])

    @property
    def acceleration(self) -> Array:
        """Acceleration of its origin [m/s²], shape (n, 2)."""
        return np.column_stack([self.ax, self.ay])

    def kinetic_energy(self) -> Array:
        """Kinetic energy [J], shape (n,)."""
        return _kinetic_energy(self._result, self.name)


@per_model
def _kinetic_energy(result: Result, name: str) -> Array:
    body: Body = result.model.bodies[name]
    series = BodySeries(result, body)
    c, s = np.cos(series.phi), np.sin(series.phi)
    xi, eta = body.centroid
    vx = series.vx - series.omega * (s * xi + c * eta)
    vy = series.vy + series.omega * (c * xi - s * eta)
    return np.asarray(0.5 * ((body.mass or 0.0) * (vx**2 + vy**2) + (body.inertia or 0.0) * series.omega**2))


def checked_place(model: Model, point: Any) -> Any:
    """A point of a model that was not given by name."""
    if not hasattr(point, "label") or getattr(point, "body", None) not in model.bodies:
        raise ModelError(f"a point must be given by its name or as body.at(…), but it is {short(point)}.")
    return point


def places(given: Any, track: Array) -> Array:
    """A place, or one for each instant, as an array that goes with a track of places, shape (n, d)."""
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        found = np.empty(0)
    if found.shape not in (track.shape, track.shape[1:]) or not np.isfinite(found).all():
        raise ModelError(
            f"a place must be {track.shape[1]} finite numbers [m], or as many for each of {len(track)} instants, but it is {short(given)}."
        )
    return found


@with_checked_names
class PointSeries:
    """Motion of a point: ``position``, ``velocity``, ``acceleration`` of shape (n, 2) or (n, 3), and components ``x``, ``vx``, ``ax``."""

    def __init__(self, result: Result, point: Any) -> None:
        point = checked_place(result.model, point)
        self.name = point.label
        self._axes = result.model.space.axes
        self._levels = ("position", "velocity", "acceleration")[: result._levels]
        named = result.model.points.get(point.name) == point  # then it is looked up in the model in force
        self._series = result._measures([f"{point.name}.{a}" if named else getattr(point, a) for a in self._axes])

    def __repr__(self) -> str:
        return series_repr(self, f"{self.name!r}", self._levels, self._series[0].value.size)

    @property
    def position(self) -> Array:
        """Global place [m], shape (n, 2) or (n, 3)."""
        return np.column_stack([s.value for s in self._series])

    @property
    def velocity(self) -> Array:
        """Velocity [m/s], shape (n, 2) or (n, 3)."""
        return np.column_stack([needed(s.rate, "velocity") for s in self._series])

    @property
    def acceleration(self) -> Array:
        """Acceleration [m/s²], shape (n, 2) or (n, 3)."""
        return np.column_stack([needed(s.acceleration, "acceleration") for s in self._series])

    if TYPE_CHECKING:
        x: Array
        y: Array
        z: Array
        vx: Array
        vy: Array
        vz: Array
        ax: Array
        ay: Array
        az: Array
    else:

        def __getattr__(self, name):
            tables = {"": "position", "v": "velocity", "a": "acceleration"}
            if not name.startswith("_") and name[-1:] in self._axes and name[:-1] in tables:
                table = getattr(self, tables[name[:-1]])
                return table[:, self._axes.index(name[-1])]
            raise AttributeError(
                f"point {self.__dict__.get('name')!r} has no {name!r}; it has position, velocity, acceleration and their components."
            )


@with_checked_names
class MeasureSeries(MeasuredArrays):
    """Measures of a joint or driver: ``k["A"].angle``, and ``k["A"].series("angle")`` with rates."""

    def __init__(self, result: Result, constraint: Constraint | Force) -> None:
        self._result = result
        self._constraint = constraint

    def __repr__(self) -> str:
        part = self._constraint
        return series_repr(self, f"of {part.kind} {part.name!r}", list(part.measures), len(self._result))

    @checked
    def series(self, measure: str) -> Series:
        """A measure with its rate and second rate."""
        if measure not in self._constraint.measures:
            raise ModelError(self._complaint(measure))
        return self._result._measure(f"{self._constraint.name}.{measure}")

    @property
    def force(self) -> Array:
        """Value of a force element: tension, torque or normal force [N or N m], shape (n,)."""
        return self._result.force(self._constraint.name)

    @property
    def reaction(self) -> Array:
        """Force on the joint's second body, global components [N], shape (n, 2) or (n, 3)."""
        return np.asarray(self._result.reaction(self._constraint.name).force)

    if not TYPE_CHECKING:  # type checkers know the measures of all registered types

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            if name in self._constraint.measures:
                return self.series(name).value
            measure, _, order = name.rpartition("_")
            if measure in self._constraint.measures and order in ("rate", "acceleration"):
                series = self.series(measure)
                return (
                    needed(series.rate, "velocity") if order == "rate" else needed(series.acceleration, "acceleration")
                )
            raise AttributeError(self._complaint(name))

    def _complaint(self, name: str) -> str:
        known = ", ".join(self._constraint.measures) or "nothing"
        return (
            f"{self._constraint.kind} {self._constraint.name!r} has no {name!r}; it measures: {known} "
            "(add _rate or _acceleration for time derivatives)."
        )
