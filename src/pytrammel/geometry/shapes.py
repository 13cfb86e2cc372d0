"""What a body in space looks like; with a density it also says how heavy it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from pytrammel import inertia
from pytrammel._util.checks import checked, checked_number, checked_numbers
from pytrammel._util.messages import brief, short
from pytrammel.errors import ModelError
from pytrammel.inertia import MassProperties, Mesh
from pytrammel.rotations import check_rotation

Vector = tuple[float, float, float]
AXES = ("x", "y", "z")


@checked
@dataclass(frozen=True)
class Box:
    """A block, sides along the body's axes (or turned).

    Attributes:
        size: Lengths along x, y, z [m].
        center: Its centre in body coordinates [m].
        rotation: Rotation matrix of its sides in the body, or None.
    """

    size: Vector
    center: Vector = (0.0, 0.0, 0.0)
    rotation: tuple[Vector, Vector, Vector] | None = None

    def __post_init__(self) -> None:
        size = _settle(self, "size", checked_numbers(self.size, "size of a box", AXES))
        _check_positive("size of a box", *size)
        _settle(self, "center", checked_numbers(self.center, "center of a box", AXES))
        if self.rotation is not None:
            turn = check_rotation(self.rotation, "rotation of a box")
            _settle(self, "rotation", tuple(tuple(map(float, row)) for row in turn))

    def properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m³]."""
        turn = None if self.rotation is None else np.array(self.rotation)
        return inertia.box(*self.size, density=density).moved(self.center, turn)


@checked
@dataclass(frozen=True)
class Sphere:
    """A ball: radius [m] and centre in body coordinates [m]."""

    radius: float
    center: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _check_positive(
            "radius of a sphere", _settle(self, "radius", checked_number(self.radius, "radius of a sphere"))
        )
        _settle(self, "center", checked_numbers(self.center, "center of a sphere", AXES))

    def properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m³]."""
        return inertia.sphere(self.radius, density=density).moved(self.center)


@checked
@dataclass(frozen=True)
class Cylinder:
    """A round bar between two points of the body.

    Attributes:
        start, end: Centres of its end faces, body coordinates [m].
        radius: Radius [m].
    """

    start: Vector
    end: Vector
    radius: float

    def __post_init__(self) -> None:
        start = _settle(self, "start", checked_numbers(self.start, "start of a cylinder", AXES))
        end = _settle(self, "end", checked_numbers(self.end, "end of a cylinder", AXES))
        radius = _settle(self, "radius", checked_number(self.radius, "radius of a cylinder"))
        _check_positive("radius of a cylinder", radius)
        _check_positive("length of a cylinder, from start to end,", math.dist(start, end))

    def properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m³]."""
        from pytrammel.model.spatial_bodies import frame_on_axis

        way = np.subtract(self.end, self.start)
        length = float(np.linalg.norm(way))
        x, y, z = (float(v) for v in way / length)
        turn = np.array(frame_on_axis((x, y, z), None, "a cylinder"))
        return inertia.cylinder(self.radius, length, density=density).moved(0.5 * np.add(self.start, self.end), turn)


@brief
@dataclass(frozen=True, eq=False)
class Solid:
    """A closed surface of triangles, from a file (`tm.inertia.read_mesh`) or made by hand, in body coordinates."""

    mesh: Mesh

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, Mesh):
            raise ModelError(
                f"a solid needs a mesh, e.g. tm.inertia.read_mesh('part.stl'), but it is given {short(self.mesh)}."
            )

    def properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m³]."""
        return self.mesh.properties(density=density)


Shape = Box | Sphere | Cylinder | Solid
T = TypeVar("T")


def as_shapes(given: object, what: str) -> tuple[Shape, ...]:
    """Shapes from one or several; a path is that of a mesh file, a mesh is a solid."""
    if given is None:
        return ()
    if isinstance(given, Shape):
        return (given,)
    if isinstance(given, Mesh):
        return (Solid(given),)
    if isinstance(given, str | Path):
        return (Solid(inertia.read_mesh(given)),)
    if isinstance(given, Sequence):
        return tuple(shape for item in given for shape in as_shapes(item, what))
    raise ModelError(
        f"{what} must be a Box, Sphere, Cylinder, Solid, mesh file or a list of them, but it is {short(given)}."
    )


def _settle(shape: object, attribute: str, value: T) -> T:
    object.__setattr__(shape, attribute, value)
    return value


def _check_positive(what: str, *lengths: float) -> None:
    for value in lengths:
        if not (np.isfinite(value) and value > 0.0):
            raise ModelError(f"{what} is {value:g} m; it must be greater than 0.")
