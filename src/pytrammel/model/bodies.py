"""Bodies and the points on them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_bool, checked_number, checked_numbers, checked_text, with_checked_names
from pytrammel._util.colors import checked_color
from pytrammel._util.messages import brief, short
from pytrammel._util.not_numbers import NotNumber
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, Quantity, linear
from pytrammel.model.suggestions import Worded

Vector = tuple[float, float]
Given = tuple[float | None, ...]

GROUND = "ground"
POINT_NAME = re.compile(r"\w+")


def counted_mass(body: Any) -> float:
    """Mass of a body in sums over bodies: 0 for a massless one, and for an armature, whose inertia belongs to a joint [kg]."""
    return 0.0 if getattr(body, "armature", False) else float(body.mass or 0.0)


def mass_text(body: Any) -> str:
    """Mass of a body as tables show it."""
    if body.mass is None:
        return ""
    return "armature" if getattr(body, "armature", False) else f"{body.mass:.5g}"


def checked_velocity(value: object, what: str, names: Sequence[str]) -> Given | None:
    """Starting velocities: None where they are not given, in whole or for a component."""
    if value is None:
        return None
    known = [0.0 if item is None else item for item in value] if isinstance(value, list | tuple) else value
    numbers = checked_numbers(known, what, names)
    given: Any = value
    return tuple(None if item is None else number for item, number in zip(given, numbers, strict=True))


def checked_vector(value: object, what: str) -> Vector:
    """A pair of finite floats."""
    x, y = checked_numbers(value, what, ("x", "y"))
    return x, y


def _is_list(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str)


def checked_corners(value: object, what: str) -> tuple[Vector, ...]:
    """Corners of an outline."""
    listed: Any = value
    if not _is_list(value):
        raise ModelError(
            f"{what} must be a list of corners such as [(0, 0), (1, 0), (0, 1)], but it is {short(value)}."
        )
    return tuple(checked_vector(corner, f"a corner of the {what}") for corner in listed)


def checked_outline(value: object, what: str) -> tuple[Vector, ...] | tuple[tuple[Vector, ...], ...]:
    """Corners of an outline, or of each of its lines where it has several."""
    listed: Any = value
    if _is_list(value) and any(_is_list(line) and any(map(_is_list, line)) for line in listed):
        return tuple(checked_corners(line, f"line {k} of the {what}") for k, line in enumerate(listed, 1))
    return checked_corners(value, what)


def checked_points(body: str, points: object, axes: Sequence[str]) -> Mapping[str, tuple[float, ...]]:
    """Named points of a body."""
    if not isinstance(points, Mapping):
        raise ModelError(
            f"points of body {body!r} must be places by name, {{'tip': (...)}}, but they are {short(points)}."
        )
    for key in points:
        if not isinstance(key, str) or not POINT_NAME.fullmatch(key):
            raise ModelError(
                f"{short(key)} cannot be the name of a point of body {body!r}: use letters, digits and underscores."
            )
    return MappingProxyType({k: checked_numbers(p, f"point {k!r} of body {body!r}", axes) for k, p in points.items()})


class SaidPlace(dict[str, Any]):
    """A place on a body in terms of parameters, as it was said; builders find its numbers."""

    def __getattr__(self, name: str) -> Any:
        if name in ("x", "y", "z", "along", "velocity_along"):
            raise ModelError(
                f"a place in terms of parameters has no {name!r} yet; add it to the model: m.point('P', {self['body']!r}, local=...), then "
                f"m['P'].{name}."
            )
        raise AttributeError(name)


FORMULAS = (str, Expression)


def finite_floats(*values: object) -> bool:
    """Return True if all values are finite numbers of the type float, which need no further check."""
    for value in values:  # noqa: SIM110 (a generator costs more than the test)
        if type(value) is not float or not math.isfinite(value):
            return False
    return True


def said_place(body: str, **places: Any) -> SaidPlace | None:
    """The place as plain data where some of its coordinates are formulas or texts; None where all are numbers."""
    for place in places.values():
        for item in place:
            if type(item) is not float and isinstance(item, FORMULAS):
                return SaidPlace(body=body, **places)
    return None


SHORTEST = 1e-150  # length of a direction below which squares underflow; their inverse overflows


class AnyPoint(Worded, NotNumber):
    """A point fixed in a body, in the plane or in space."""


class AnyBody(Worded, NotNumber):
    """A rigid body, in the plane or in space."""


@with_checked_names
@brief
@dataclass(frozen=True)
class Point(AnyPoint):
    """A point fixed in a body.

    Attributes:
        body: Name of the body.
        xi, eta: Body coordinates [m].
        x0, y0: Where it is in the drawn pose, global [m].
        name: Name under which it was added to the model, or "".
    """

    body: str
    xi: float
    eta: float
    x0: float = field(compare=False)
    y0: float = field(compare=False)
    name: str = ""

    @property
    def local(self) -> Vector:
        """Body coordinates [m]."""
        return self.xi, self.eta

    @property
    def drawn(self) -> Vector:
        """Global coordinates in the drawn pose [m]."""
        return self.x0, self.y0

    @property
    def label(self) -> str:
        """Its name, or body and place."""
        return self.name or f"{self.body}({self.xi:g}, {self.eta:g})"

    @property
    def x(self) -> Quantity:
        """Global x [m]."""
        return self.along((1.0, 0.0), f"{self.label}.x")

    @property
    def y(self) -> Quantity:
        """Global y [m]."""
        return self.along((0.0, 1.0), f"{self.label}.y")

    def along(self, axis: Sequence[float], label: str = "") -> Quantity:
        """Coordinate along a direction that is fixed in space [m]."""
        checked_text(label, "label")
        ux, uy = unit_vector(axis, f"the direction at point {self.label}")
        return Quantity(
            "projection", (self.body, GROUND), (self.xi, self.eta, 0.0, 0.0, ux, uy), (LENGTH,),
            label or f"{self.label}.along({ux:g},{uy:g})",
        )  # fmt: skip


def checked_frame(frame: object, what: str) -> str:
    """ "space" or "body": what a direction is fixed in."""
    if not isinstance(frame, str) or frame not in ("space", "body"):
        raise ModelError(f"{what}: frame={short(frame)} is not a valid frame. Use 'space' or 'body'.")
    return frame


def unit_vector(direction: object, what: str) -> Vector:
    """Normalise a direction; its length must not be zero."""
    dx, dy = checked_vector(direction, what)
    length = traced_numbers.hypot(dx, dy)
    if length == 0.0:
        raise ModelError(f"{what} is (0, 0); give a direction of nonzero length.")
    if not SHORTEST < length < 1.0 / SHORTEST:  # the length would be rounded or overflow; powers of two are exact
        power = -math.frexp(max(abs(dx), abs(dy)))[1]
        dx, dy = math.ldexp(dx, power), math.ldexp(dy, power)
        length = traced_numbers.hypot(dx, dy)
    return dx / length, dy / length


@with_checked_names
@brief
@dataclass(frozen=True)
class Body(AnyBody):
    """A rigid body in the plane.

    Attributes:
        name: Unique name.
        position: Origin of its frame in the drawn pose [m].
        angle: Angle of its frame in the drawn pose [rad].
        mass: Mass [kg], or None if it is not needed.
        inertia: Moment of inertia about the centroid [kg m²], or None.
        outline: Corners in body coordinates, for pictures; a list of such lists for several lines.
        points: Named points in body coordinates.
        centroid: Centre of mass in body coordinates [m]; the frame's origin by default.
        velocity: Velocity of the frame's origin at the start of a simulation [m/s]; None, or None for a component, where it is not given.
        omega: Angular velocity at the start of a simulation [rad/s], or None.
        massless: The body has no mass on purpose; it may have a moment of inertia.
        color: Colour in pictures, "#rrggbb" or a name such as "tab:orange"; None takes the next one of the theme.
    """

    name: str
    position: Vector = (0.0, 0.0)
    angle: float = 0.0
    mass: float | None = None
    inertia: float | None = None
    outline: tuple[Vector, ...] | tuple[tuple[Vector, ...], ...] = ()
    points: Mapping[str, Vector] = field(default_factory=lambda: MappingProxyType({}))
    centroid: Vector = (0.0, 0.0)
    velocity: Given | None = None
    omega: float | None = None
    massless: bool = False
    color: str | None = None

    def at(self, xi: float, eta: float = 0.0, name: str = "") -> Point:
        """Point given in body coordinates [m]; formulas of parameters may be given, too."""
        checked_text(name, "name")
        if not finite_floats(xi, eta):
            said = said_place(self.name, local=(xi, eta))
            if said is not None:
                return said  # type: ignore[return-value]
            xi = checked_number(xi, f"xi of a point on body {self.name!r}")
            eta = checked_number(eta, f"eta of a point on body {self.name!r}")
        c, s = traced_numbers.cos(self.angle), traced_numbers.sin(self.angle)
        return Point(self.name, xi, eta, self.position[0] + c * xi - s * eta, self.position[1] + s * xi + c * eta, name)

    def again(self, point: Point) -> Point:
        """The same point, on this body as it is drawn now."""
        return self.at(point.xi, point.eta, name=point.name)

    @property
    def outlines(self) -> tuple[tuple[Vector, ...], ...]:
        """Corners of each line of the outline."""
        lines: Any = self.outline
        several = any(line and isinstance(line[0], tuple) for line in lines)
        return tuple(filter(None, lines if several else (lines,)))

    @property
    def coordinates(self) -> tuple[float, ...]:
        """Coordinates in the drawn pose: x, y [m], phi [rad]."""
        return (*self.position, self.angle)

    @property
    def given_velocities(self) -> Given:
        """Velocities at the start of a simulation, None where nothing was said."""
        return (*(self.velocity or (None, None)), self.omega)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Arguments that make it again."""
        return {
            "position": self.position, "angle": self.angle, "mass": self.mass, "inertia": self.inertia,
            "outline": self.outline, "points": self.points, "centroid": self.centroid, "velocity": self.velocity,
            "omega": self.omega, "massless": self.massless, "color": self.color,
        }  # fmt: skip

    def placed_at(self, coordinates: Sequence[float]) -> dict[str, object]:
        """Arguments that change its drawn pose to the given coordinates."""
        x, y, phi = map(float, coordinates)
        return {"position": (x, y), "angle": phi}

    @property
    def turned(self) -> str:
        """Orientation in words."""
        return f"{traced_numbers.degrees(self.angle):g}°"

    def at_global(self, x: float, y: float, name: str = "") -> Point:
        """Point given in global coordinates of the drawn pose [m]; formulas of parameters may be given, too."""
        checked_text(name, "name")
        if not finite_floats(x, y):
            said = said_place(self.name, at=(x, y))
            if said is not None:
                return said  # type: ignore[return-value]
            x = checked_number(x, f"x of a point on body {self.name!r}")
            y = checked_number(y, f"y of a point on body {self.name!r}")
        c, s = traced_numbers.cos(self.angle), traced_numbers.sin(self.angle)
        dx, dy = x - self.position[0], y - self.position[1]
        return Point(self.name, c * dx + s * dy, -s * dx + c * dy, x, y, name)

    def local_direction(self, direction: object, what: str) -> Vector:
        """Unit vector in body components of a direction given globally in the drawn pose."""
        ux, uy = unit_vector(direction, what)
        c, s = traced_numbers.cos(self.angle), traced_numbers.sin(self.angle)
        return c * ux + s * uy, -s * ux + c * uy

    def __getitem__(self, name: str) -> Point:
        """Named point."""
        if not isinstance(name, str) or name not in self.points:
            known = ", ".join(self.points) or "none"
            raise ModelError(f"body {self.name!r} has no point {name!r}; it has: {known}.")
        return self.at(*self.points[name], name=f"{self.name}.{name}")

    @property
    def x(self) -> Quantity:
        """x of the frame's origin [m]."""
        return linear({self.name: (1.0, 0.0, 0.0)}, LENGTH, f"{self.name}.x")

    @property
    def y(self) -> Quantity:
        """y of the frame's origin [m]."""
        return linear({self.name: (0.0, 1.0, 0.0)}, LENGTH, f"{self.name}.y")

    @property
    def phi(self) -> Quantity:
        """Angle of the frame, counter-clockwise, unbounded [rad]."""
        return linear({self.name: (0.0, 0.0, 1.0)}, ANGLE, f"{self.name}.phi")

    @property
    def measures(self) -> Mapping[str, Quantity]:
        """What can be measured of it, by name: x, y, phi."""
        return {"x": self.x, "y": self.y, "phi": self.phi}


def make_body(
    name: str,
    *,
    position: object,
    angle: object,
    mass: object | None,
    inertia: object | None,
    outline: object,
    points: Mapping[str, object],
    centroid: object,
    velocity: object | None,
    omega: object | None,
    massless: bool,
    color: str | None,
) -> Body:
    """Check the numbers of a body."""
    if checked_bool(massless, f"massless of body {name!r}") and mass is not None:
        raise ModelError(f"body {name!r} is massless, but mass = {short(mass)} is given. Remove one of them.")
    if mass is not None:
        mass = checked_number(mass, f"mass of body {name!r}")
        if mass <= 0.0:
            raise ModelError(
                f"mass of body {name!r} is {mass:g} kg; it must be greater than 0. Leave it out if it does not matter, "
                "or use a massless link."
            )
    if inertia is not None:
        inertia = checked_number(inertia, f"inertia of body {name!r}")
        if inertia < 0.0:
            raise ModelError(f"inertia of body {name!r} is {inertia:g} kg m²; it must not be negative.")
    return Body(
        name,
        checked_vector(position, f"position of body {name!r}"),
        checked_number(angle, f"angle of body {name!r}"),
        mass,
        inertia,
        checked_outline(outline, f"outline of body {name!r}"),
        checked_points(name, points, ("x", "y")),  # type: ignore[arg-type]
        checked_vector(centroid, f"centroid of body {name!r}"),
        checked_velocity(velocity, f"velocity of body {name!r}", ("x", "y")),
        None if omega is None else checked_number(omega, f"omega of body {name!r}"),
        bool(massless),
        None if color is None else checked_color(color, f"color of body {name!r}"),
    )
