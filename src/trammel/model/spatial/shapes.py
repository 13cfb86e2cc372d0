"""What a body in space looks like; with a density it also says how heavy it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trammel import inertia
from trammel.errors import ModelError
from trammel.inertia import MassProperties, Mesh

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Box:
    """A block, sides along the body's axes (or turned).

    Attributes:
        size: Lengths along x, y, z [m].
        centre: Its centre in body coordinates [m].
        rotation: Rotation matrix of its sides in the body, or None.
    """

    size: Vector
    centre: Vector = (0.0, 0.0, 0.0)
    rotation: tuple[Vector, Vector, Vector] | None = None

    def __post_init__(self) -> None:
        _positive(self, *self.size)

    def properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m³]."""
        turn = None if self.rotation is None else np.array(self.rotation)
        return inertia.box(*self.size, density=density).moved(self.centre, turn)


@dataclass(frozen=True)
class Sphere:
    """A ball: radius [m] and centre in body coordinates [m]."""

    radius: float
    centre: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _positive(self, self.radius)

    def properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m³]."""
        return inertia.sphere(self.radius, density=density).moved(self.centre)


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
        _positive(self, self.radius, float(np.linalg.norm(np.subtract(self.end, self.start))))

    def properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m³]."""
        from trammel.model.spatial.body import frame_on_axis

        way = np.subtract(self.end, self.start)
        length = float(np.linalg.norm(way))
        x, y, z = (float(v) for v in way / length)
        turn = np.array(frame_on_axis((x, y, z), None, "a cylinder"))
        return inertia.cylinder(self.radius, length, density=density).moved(0.5 * np.add(self.start, self.end), turn)


@dataclass(frozen=True, eq=False)
class Solid:
    """A closed surface of triangles, from a file (`tm.inertia.read_mesh`) or made by hand, in body coordinates."""

    mesh: Mesh

    def properties(self, density: float) -> MassProperties:
        """Mass properties for a density [kg/m³]."""
        return self.mesh.properties(density=density)


Shape = Box | Sphere | Cylinder | Solid


def _positive(shape: object, *lengths: float) -> None:
    for value in lengths:
        if not (np.isfinite(value) and value > 0.0):
            raise ModelError(
                f"a {type(shape).__name__.lower()} with a length of {value:g} m; lengths must be greater than 0."
            )
