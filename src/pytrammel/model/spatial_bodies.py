"""Bodies in space and the markers on them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, TypeGuard

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_bool, checked_number, checked_numbers, checked_text, with_checked_names
from pytrammel._util.colors import checked_color
from pytrammel._util.messages import brief, number_of, short
from pytrammel.errors import ModelError
from pytrammel.geometry import vectors
from pytrammel.geometry.shapes import Shape, as_shapes
from pytrammel.geometry.vectors import Matrix, Vector
from pytrammel.inertia import MassProperties
from pytrammel.inertia.properties import possible_inertia
from pytrammel.model.bodies import (
    GROUND,
    SHORTEST,
    AnyBody,
    AnyPoint,
    Given,
    SaidPlace,
    checked_points,
    checked_velocity,
    said_place,
)
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, NUMBER, Quantity

Array = NDArray[np.float64]

AXES = ("x", "y", "z")
UNIT: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
PARAMETER_TOLERANCE = 1e-6  # p'p - 1 of given Euler parameters


def space_vector(value: object, what: str) -> Vector:
    """Three finite floats."""
    x, y, z = checked_numbers(value, what, AXES)
    return x, y, z


def direction(value: object, what: str) -> Vector:
    """Return the unit vector of a direction.

    Args:
        value: Three numbers of any length, "x", "y", "z" (with a minus sign if wanted), or two points, from the first to
            the second.
        what: Name of the direction in messages.
    """
    if isinstance(value, str):
        sign, name = (-1.0, value[1:]) if value.startswith("-") else (1.0, value)
        if name not in AXES:
            raise ModelError(f"{what} is {value!r}; use 'x', 'y', 'z' (or '-x' ...), three numbers or two points.")
        x, y, z = (sign if axis == name else 0.0 for axis in AXES)
        return x, y, z
    _check_count_of_points(value, what)
    if _is_pair_of_points(value):
        first, second = (space_vector(end, f"a point of {what}") for end in value)
        vector = vectors.minus(second, first)
        if not all(map(traced_numbers.isfinite, vector)):
            vector = vectors.minus(vectors.over(second, 2.0), vectors.over(first, 2.0))
        remedy = "the two points coincide; use two different points"
    else:
        vector = space_vector(value, what)
        remedy = "a direction needs a length; use a vector such as (0, 0, 1)"
    largest = max(map(abs, vector))
    if largest == 0.0:
        raise ModelError(f"{what} is ({', '.join(f'{v:g}' for v in vector)}): {remedy}.")
    if not SHORTEST < largest < 1.0 / SHORTEST:  # squares would vanish or overflow; powers of two are exact
        x, y, z = (math.ldexp(v, -math.frexp(largest)[1]) for v in vector)
        vector = (x, y, z)
    return vectors.over(vector, vectors.length(vector))


def _check_count_of_points(value: object, label: str) -> None:
    """Raise `ModelError` for a list of points other than two."""
    if not isinstance(value, list | tuple) and not (isinstance(value, np.ndarray) and value.ndim):
        return
    if len(value) == 2:
        return
    if len(value) and all(isinstance(end, Sequence | np.ndarray) and not isinstance(end, str) for end in value):
        raise ModelError(
            f"{label} is a list of {number_of(len(value), 'point')}, but it must be one direction or two points. Use three numbers, such "
            "as (0, 0, 1), or the two points at the ends of the axis."
        )


def _is_pair_of_points(value: object) -> TypeGuard[Sequence[object]]:
    if isinstance(value, np.ndarray):
        return bool(value.shape == (2, 3))
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(isinstance(end, Sequence | np.ndarray) for end in value)
    )


def perpendicular(axis: Sequence[float]) -> Vector:
    """Some unit vector at right angles to another: the coordinate axis farthest from it, straightened."""
    sizes = [abs(x) for x in axis]
    helper = UNIT[min(range(3), key=sizes.__getitem__)]
    across = vectors.minus(helper, vectors.times(vectors.dot(axis, helper), axis))
    return vectors.over(across, vectors.length(across))


def as_matrix(array: Any) -> Matrix:
    """Nine numbers in three rows, which may be traced."""
    a, b, c = (tuple(map(traced_numbers.real, row)) for row in array)
    return a, b, c  # type: ignore[return-value]


def as_parameters(rotation: object, what: str) -> tuple[float, float, float, float]:
    """Unit Euler parameters from Euler parameters or a rotation matrix."""
    try:
        array = np.asarray(rotation, dtype=float)
        if array.shape == (4,) and not isinstance(rotation, np.ndarray):
            return _unit_parameters(checked_numbers(rotation, what, ("e0", "e1", "e2", "e3")), what)
        if traced_numbers.array(rotation).dtype == object:
            raise traced_numbers.UntraceableError("a rotation matrix of traced numbers")
    except (TypeError, ValueError, OverflowError):
        raise ModelError(
            f"{what} must be four Euler parameters or a 3x3 rotation matrix, but it is {short(rotation)}."
        ) from None
    if array.shape == (3, 3):
        p = rotations.parameters(rotations.check_rotation(array, what))
    elif array.shape == (4,):
        return _unit_parameters(checked_numbers(tuple(array.tolist()), what, ("e0", "e1", "e2", "e3")), what)
    else:
        raise ModelError(
            f"{what} must be four Euler parameters or a 3x3 rotation matrix, but it has the shape {array.shape}; "
            "see tm.rotations for axis and angle or three angles."
        )
    e0, e1, e2, e3 = map(float, p)
    return e0, e1, e2, e3


def _unit_parameters(e: tuple[float, ...], what: str) -> tuple[float, float, float, float]:
    size = traced_numbers.hypot(*e)
    if abs(size * size - 1.0) > PARAMETER_TOLERANCE:
        raise ModelError(
            f"{what} has Euler parameters ({', '.join(f'{x:g}' for x in e)}) with p'p = {size * size:.9g}; it must be 1 within "
            f"{PARAMETER_TOLERANCE:g}. Normalise them with tm.rotations.normalised(p)."
        )
    e0, e1, e2, e3 = (x / size for x in e)
    return e0, e1, e2, e3


def _check_axis(k: int) -> None:
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 0 <= k <= 2:
        raise ModelError(f"k is {short(k)}; it must be 0, 1 or 2.")


@with_checked_names
@brief
@dataclass(frozen=True)
class Marker(AnyPoint):
    """A point fixed in a body, with axes if it is oriented: a joint's z axis lies along it, its x axis is where angles begin.

    Attributes:
        body: Name of the body.
        local: Body coordinates of the point [m].
        axes: Rotation matrix of the axes in the body (columns are the marker's x, y, z in body components).
        oriented: True if the axes were given, False for a plain point.
        drawn: Where it is in the drawn pose, global [m].
        drawn_axes: Its axes there, global.
        name: Name under which it was added to the model, or "".
    """

    _dimension: ClassVar[int] = 3

    body: str
    local: Vector
    axes: Matrix = UNIT
    oriented: bool = False
    drawn: Vector = field(default=(0.0, 0.0, 0.0), compare=False)
    drawn_axes: Matrix = field(default=UNIT, compare=False)
    name: str = ""

    @property
    def label(self) -> str:
        """Its name, or body and place."""
        return self.name or f"{self.body}({', '.join(f'{v:g}' for v in self.local)})"

    def axis(self, k: int) -> Vector:
        """Axis k (0, 1, 2) in body components."""
        _check_axis(k)
        return self.axes[0][k], self.axes[1][k], self.axes[2][k]

    def drawn_axis(self, k: int) -> Vector:
        """Axis k in global components of the drawn pose."""
        _check_axis(k)
        return self.drawn_axes[0][k], self.drawn_axes[1][k], self.drawn_axes[2][k]

    @property
    def x(self) -> Quantity:
        """Global x [m]."""
        return self.along((1.0, 0.0, 0.0), f"{self.label}.x")

    @property
    def y(self) -> Quantity:
        """Global y [m]."""
        return self.along((0.0, 1.0, 0.0), f"{self.label}.y")

    @property
    def z(self) -> Quantity:
        """Global z [m]."""
        return self.along((0.0, 0.0, 1.0), f"{self.label}.z")

    def along(self, axis: object, label: str = "") -> Quantity:
        """Coordinate along a direction fixed in space [m]."""
        checked_text(label, "label")
        u = direction(axis, f"the direction at point {self.label}")
        return Quantity(
            "axis_offset", (GROUND, self.body), (*u, 0.0, 0.0, 0.0, *self.local), (LENGTH,),
            label or f"{self.label}.along({', '.join(f'{v:g}' for v in u)})",
        )  # fmt: skip

    def velocity_along(self, axis: object, *, frame: str = "space", label: str = "") -> Quantity:
        """Velocity along a direction that is fixed in space or turns with the body, as a quantity without a value [m/s as its rate].

        Forces along it act at the point in that direction; constraints on it are non-holonomic.
        """
        checked_text(label, "label")
        u = direction(axis, f"the direction at point {self.label}")
        follows = _follows(frame, f"the direction at point {self.label}")
        return Quantity(
            "drift",
            (self.body,),
            (*self.local, *u, follows),
            (LENGTH,),
            label or f"{self.label}.velocity_along",
            rate_only=True,
        )


def _follows(frame: str, what: str) -> float:
    if not isinstance(frame, str) or frame not in ("space", "body"):
        raise ModelError(f"{what}: frame {frame!r} is not known; use 'space' or 'body'.")
    return 1.0 if frame == "body" else 0.0


@with_checked_names
@brief
@dataclass(frozen=True)
class SpatialBody(AnyBody):
    """A rigid body in space.

    Attributes:
        name: Unique name.
        position: Origin of its frame in the drawn pose [m].
        rotation: Euler parameters of its frame in the drawn pose, scalar first.
        mass: Mass [kg], or None if it is not needed.
        inertia: Inertia matrix about the centroid in body axes [kg m²], or None.
        centroid: Centre of mass in body coordinates [m]; the frame's origin by default.
        shapes: What it looks like.
        points: Named points in body coordinates.
        velocity: Velocity of the frame's origin at the start of a simulation, global [m/s]; None, or None for a component, where it is
            not given.
        omega: Angular velocity at the start, body components [rad/s]; None where it is not given.
        massless: The body has no mass on purpose; it may have moments of inertia.
        armature: The body stands for the inertia of a rotor: it has kinetic energy, and counts in no mass, centre of mass or momentum.
        color: Colour in pictures, "#rrggbb" or a name such as "tab:orange"; None takes the next one of the theme.
    """

    _dimension: ClassVar[int] = 3

    name: str
    position: Vector = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    mass: float | None = None
    inertia: Matrix | None = None
    centroid: Vector = (0.0, 0.0, 0.0)
    shapes: tuple[Shape, ...] = ()
    points: Mapping[str, Vector] = field(default_factory=lambda: MappingProxyType({}))
    velocity: Given | None = None
    omega: Given | None = None
    massless: bool = False
    armature: bool = False
    color: str | None = None

    @cached_property
    def matrix(self) -> Array:
        """Rotation matrix in the drawn pose: body to global components."""
        e0, e1, e2, e3 = self.rotation
        G = np.array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]], dtype=float)
        L = np.array([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]], dtype=float)
        found = np.asarray(G @ L.T)  # `rotations.matrix` for one body, ten times as fast
        found.flags.writeable = False  # it is kept
        return found

    @cached_property
    def axes(self) -> Matrix:
        """The same as rows of numbers, for descriptions."""
        return vectors.rotation(*self.rotation)

    @cached_property
    def _global_axes(self) -> Matrix:
        """Rotation matrix from global to body components."""
        return vectors.transposed(self.axes)

    def at(self, x: float, y: float = 0.0, z: float = 0.0, name: str = "") -> Marker:
        """Point given in body coordinates [m]; formulas of parameters may be given, too."""
        checked_text(name, "name")
        said = said_place(self.name, local=(x, y, z))
        if said is not None:
            return said  # type: ignore[return-value]
        local = space_vector((x, y, z), f"a point on body {self.name!r}")
        return self._marker(local, UNIT, False, name)

    def at_global(self, x: float, y: float, z: float, name: str = "") -> Marker:
        """Point given in global coordinates of the drawn pose [m]; formulas of parameters may be given, too."""
        checked_text(name, "name")
        said = said_place(self.name, at=(x, y, z))
        if said is not None:
            return said  # type: ignore[return-value]
        return self._marker(self._local((x, y, z)), UNIT, False, name)

    def marker(self, at: object = (0.0, 0.0, 0.0), *, axis: object = (0.0, 0.0, 1.0), x: object = None) -> Marker:
        """Oriented marker given in body components.

        Args:
            at: Point in body coordinates [m].
            axis: z axis of the marker, body components: the axis of a joint.
            x: x axis, body components: where the joint's angle begins; any perpendicular one by default.
        """
        lists = {
            key: value for key, value in (("local", at), ("axis", axis), ("x", x)) if isinstance(value, tuple | list)
        }
        if said_place(self.name, **lists) is not None:
            rest = {"axis": axis, **({} if x is None else {"x": x})}
            return SaidPlace(body=self.name, local=at, **rest)  # type: ignore[return-value]
        what = f"a marker on body {self.name!r}"
        axes = frame_on_axis(
            direction(axis, f"the axis of {what}"), None if x is None else direction(x, f"x of {what}"), what
        )
        return self._marker(space_vector(at, f"the place of {what}"), axes, True, "")

    def marker_global(self, at: Sequence[float], drawn_axes: Matrix, name: str = "") -> Marker:
        """Oriented marker from a place and axes in the drawn pose, global."""
        return self._marker(self._local(at), vectors.product(self._global_axes, drawn_axes), True, name)

    def _local(self, at: Sequence[float]) -> Vector:
        """Body coordinates of a point given globally in the drawn pose."""
        place = space_vector(at, f"a point on body {self.name!r}")
        return vectors.turned(self._global_axes, vectors.minus(place, self.position))

    def again(self, marker: Marker) -> Marker:
        """The same marker, on this body as it is drawn now."""
        return self._marker(marker.local, marker.axes, marker.oriented, marker.name)

    def _marker(self, local: Vector, axes: Matrix, oriented: bool, name: str) -> Marker:
        drawn = vectors.plus(self.position, vectors.turned(self.axes, local))
        drawn_axes = self.axes if axes is UNIT else vectors.product(self.axes, axes)
        return Marker(self.name, local, axes, oriented, drawn, drawn_axes, name)

    def local_direction(self, axis: object, what: str) -> Vector:
        """Unit vector in body components of a direction given globally in the drawn pose."""
        return vectors.turned(self._global_axes, direction(axis, what))

    def __getitem__(self, name: str) -> Marker:
        """Named point."""
        if not isinstance(name, str) or name not in self.points:
            known = ", ".join(self.points) or "none"
            raise ModelError(f"body {self.name!r} has no point {name!r}; it has: {known}.")
        return self.at(*self.points[name], name=f"{self.name}.{name}")

    def angular_velocity_about(self, axis: object, *, frame: str = "body", label: str = "") -> Quantity:
        """Angular velocity about a direction that turns with the body or is fixed in space, as a quantity without a value.

        Its rate is a component of the angular velocity [rad/s]; a torque along it acts about that direction.
        """
        checked_text(label, "label")
        u = direction(axis, f"the axis on body {self.name!r}")
        follows = _follows(frame, f"the axis on body {self.name!r}")
        return Quantity(
            "spin",
            (self.name,),
            (*u, follows),
            (ANGLE,),
            label or f"{self.name}.angular_velocity_about",
            rate_only=True,
        )

    def cosine(self, own: object, axis: object, label: str = "") -> Quantity:
        """Cosine of the angle between a direction of the body and one fixed in space."""
        checked_text(label, "label")
        u = direction(own, f"the direction of body {self.name!r}")
        w = direction(axis, f"the direction in space for body {self.name!r}")
        return Quantity("axis_dot", (self.name, GROUND), (*u, *w), (NUMBER,), label or f"{self.name}.cosine")

    @property
    def measures(self) -> Mapping[str, Quantity]:
        """What can be measured of it, by name: x, y, z, and turns about global axes rx, ry, rz."""
        origin = self.at(0.0, 0.0, 0.0)
        places = {k: origin.along(u, f"{self.name}.{k}") for k, u in zip(AXES, UNIT, strict=True)}
        spins = {
            f"r{k}": self.angular_velocity_about(u, label=f"{self.name}.r{k}") for k, u in zip(AXES, UNIT, strict=True)
        }
        return {**places, **spins}

    @property
    def x(self) -> Quantity:
        """x of the frame's origin [m]."""
        return self.measures["x"]

    @property
    def y(self) -> Quantity:
        """y of the frame's origin [m]."""
        return self.measures["y"]

    @property
    def z(self) -> Quantity:
        """z of the frame's origin [m]."""
        return self.measures["z"]

    @property
    def coordinates(self) -> tuple[float, ...]:
        """Coordinates in the drawn pose: x, y, z [m], then the Euler parameters."""
        return (*self.position, *self.rotation)

    @property
    def given_velocities(self) -> Given:
        """Velocities at the start of a simulation, of the origin (global), angular (body components); None where nothing was said."""
        return (*(self.velocity or (None,) * 3), *(self.omega or (None,) * 3))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Arguments that make it again."""
        return {
            "position": self.position, "rotation": self.rotation, "mass": self.mass, "inertia": self.inertia, "centroid": self.centroid,
            "shape": self.shapes, "points": self.points, "velocity": self.velocity, "omega": self.omega, "massless": self.massless,
            "armature": self.armature, "color": self.color,
        }  # fmt: skip

    def placed_at(self, coordinates: Sequence[float]) -> dict[str, object]:
        """Arguments that change its drawn pose to the given coordinates."""
        numbers = np.asarray(coordinates, dtype=float)
        return {"position": tuple(numbers[:3]), "rotation": tuple(numbers[3:] / np.linalg.norm(numbers[3:]))}

    @property
    def turned(self) -> str:
        """Orientation in words."""
        axis, angle = rotations.axis_angle(np.array(self.rotation))
        if angle < 1e-12:
            return "not turned"
        return f"turned {math.degrees(float(angle)):.6g}° about ({', '.join(f'{float(v) + 0.0:.4g}' for v in axis)})"


def frame_on_axis(axis: Vector, x: Vector | None, what: str) -> Matrix:
    """Rotation matrix whose z column is the axis and whose x column is as close to x as it can be."""
    start = perpendicular(axis) if x is None else x
    across = vectors.minus(start, vectors.times(vectors.dot(axis, start), axis))
    size = vectors.length(across)
    if size < 1e-6:
        along, given = (", ".join(f"{v:g}" for v in vector) for vector in (axis, start))
        raise ModelError(f"{what}: the x direction ({given}) is parallel to the axis ({along}); give one across it.")
    first = vectors.over(across, size)
    return vectors.transposed((first, vectors.cross(axis, first), axis))


def make_spatial_body(
    name: str,
    *,
    position: object,
    rotation: object,
    mass: object | None,
    inertia: object | None,
    centroid: object | None,
    properties: MassProperties | None,
    shape: Shape | Sequence[Shape] | None,
    density: object | None,
    points: Mapping[str, object],
    velocity: object | None,
    omega: object | None,
    massless: bool,
    armature: bool,
    color: str | None,
) -> SpatialBody:
    """Check the numbers of a body."""
    shapes = as_shapes(shape, f"shape of body {name!r}")
    if density is not None:
        properties = _from_density(name, shapes, density, properties, mass)
    if properties is not None:
        if not isinstance(properties, MassProperties):
            raise ModelError(
                f"properties of body {name!r} must come from tm.inertia, but they are {short(properties)}."
            )
        if mass is not None or inertia is not None:
            raise ModelError(
                f"body {name!r}: properties (or density) give mass and inertia already; leave mass= and inertia= out."
            )
        mass, inertia = properties.mass, properties.inertia
        centroid = tuple(properties.centroid) if centroid is None else centroid
    if checked_bool(massless, f"massless of body {name!r}") and mass is not None:
        raise ModelError(f"body {name!r} is massless, but mass = {short(mass)} is given. Remove one of them.")
    if armature and (mass is None or inertia is None):
        raise ModelError(
            f"body {name!r} is an armature without inertia; give mass= and inertia=, or leave armature= out."
        )
    if mass is not None:
        mass = checked_number(mass, f"mass of body {name!r}")
        if mass <= 0.0:
            raise ModelError(
                f"mass of body {name!r} is {mass:g} kg; it must be greater than 0. Leave it out if it does not matter, "
                "or use massless=True."
            )
    tensor = None
    if inertia is not None:
        try:
            single = np.ndim(inertia) == 0  # type: ignore[arg-type]
        except ValueError:  # rows of different lengths
            raise ModelError(
                f"inertia of body {name!r} must be one number, three numbers or a 3x3 matrix, but it is {short(inertia)}."
            ) from None
        if single:
            inertia = [checked_number(inertia, f"inertia of body {name!r}")] * 3
        tensor = _tensor(inertia, mass, f"inertia of body {name!r}")
    return SpatialBody(
        name,
        space_vector(position, f"position of body {name!r}"),
        as_parameters(rotation, f"rotation of body {name!r}"),
        mass,
        tensor,
        space_vector((0.0, 0.0, 0.0) if centroid is None else centroid, f"centroid of body {name!r}"),
        shapes,
        checked_points(name, points, AXES),  # type: ignore[arg-type]
        checked_velocity(velocity, f"velocity of body {name!r}", AXES),
        checked_velocity(omega, f"omega of body {name!r}", AXES),
        bool(massless),
        checked_bool(armature, f"armature of body {name!r}"),
        None if color is None else checked_color(color, f"color of body {name!r}"),
    )


def _tensor(inertia: Any, mass: float | None, what: str) -> Matrix:
    """The inertia matrix of a body that can exist; three moments stay as they are, and their order is a guard."""
    checked = possible_inertia(inertia, None if mass is None else traced_numbers.plain(mass), what)
    moments = [traced_numbers.real(x) for x in np.ravel(traced_numbers.array(inertia))]
    if not any(map(traced_numbers.is_varied, moments)):
        return as_matrix(checked)
    if len(moments) != 3:
        if any(map(traced_numbers.is_traced, moments)):
            raise traced_numbers.UntraceableError("a full inertia matrix of traced numbers")
        return as_matrix(checked)
    a, b, c = moments
    if a >= 0.0 and b >= 0.0 and c >= 0.0 and a <= b + c and b <= a + c and c <= a + b:
        return (a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)
    return as_matrix(checked)


def _from_density(
    name: str, shapes: Sequence[Shape], density: object, properties: MassProperties | None, mass: object | None
) -> MassProperties:
    if not shapes or properties is not None or mass is not None:
        raise ModelError(f"body {name!r}: density= needs shape= and nothing else about its mass.")
    rho = checked_number(density, f"density of body {name!r}")
    if rho <= 0.0:
        raise ModelError(f"density of body {name!r} is {rho:g} kg/m³; it must be greater than 0.")
    first, *others = (shape.properties(rho) for shape in shapes)
    for other in others:
        first = first + other
    return first
