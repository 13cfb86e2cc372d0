"""Mass properties of simple shapes whose mass lies on their surface, as MuJoCo computes them for `shellinertia`."""

from __future__ import annotations

import math
from collections.abc import Callable

from pytrammel.inertia import MassProperties
from pytrammel.inertia._moments import from_second_moments

THOMSEN = 1.6075  # exponent of Thomsen's formula for the area of an ellipsoid, within 1.1 %
Moments = tuple[float, float, float]


def shell(kind: str, sizes: tuple[float, ...], *, density: float = 0.0, mass: float | None = None) -> MassProperties:
    """Mass, centroid and inertia of one shape; origin at its centre.

    Args:
        kind: One of `shapes.SOLIDS`.
        sizes: Sizes as there [m].
        density: Mass per area [kg/m²], where no mass is given.
        mass: Mass [kg].
    """
    area, second = AREAS[kind](*sizes)
    return from_second_moments(density * area if mass is None else mass, (0.0, 0.0, 0.0), second)


def _box(x: float, y: float, z: float) -> tuple[float, Moments]:
    sides = (2.0 * y * z, 2.0 * z * x, 2.0 * x * y)
    area = sum(sides)
    sizes = (x, y, z)
    x2, y2, z2 = (sizes[k] ** 2 * (sides[k] / 4.0 + (area - sides[k]) / 12.0) / area for k in range(3))
    return area, (x2, y2, z2)


def _sphere(radius: float) -> tuple[float, Moments]:
    return 4.0 * math.pi * radius**2, (radius**2 / 3.0,) * 3


def _cylinder(radius: float, length: float) -> tuple[float, Moments]:
    wall, ends = 2.0 * math.pi * radius * length, 2.0 * math.pi * radius**2
    across = radius**2 * (wall / 2.0 + ends / 4.0) / (wall + ends)
    return wall + ends, (across, across, length**2 * (wall / 12.0 + ends / 4.0) / (wall + ends))


def _capsule(radius: float, length: float) -> tuple[float, Moments]:
    wall, ends = 2.0 * math.pi * radius * length, 4.0 * math.pi * radius**2
    across = radius**2 * (wall / 2.0 + ends / 3.0) / (wall + ends)
    # half spheres: their mean distance from the end of the wall is radius/2, its mean square radius²/3
    along = length**2 / 12.0 * wall + (length**2 / 4.0 + length * radius / 2.0 + radius**2 / 3.0) * ends
    return wall + ends, (across, across, along / (wall + ends))


def _ellipsoid(a: float, b: float, c: float) -> tuple[float, Moments]:
    """Half axes. The layer between it and one with axes longer by the same small length, with Thomsen's area."""
    products = ((a * b) ** THOMSEN, (b * c) ** THOMSEN, (c * a) ** THOMSEN)
    area = 4.0 * math.pi * (sum(products) / 3.0) ** (1.0 / THOMSEN)
    thickness = 2.0 * a * b * c / (a * b + b * c + c * a)
    x2, y2, z2 = ((axis**2 + thickness * axis) / 5.0 for axis in (a, b, c))
    return area, (x2, y2, z2)


AREAS: dict[str, Callable[..., tuple[float, Moments]]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "ellipsoid": _ellipsoid,
}
"""Area [m²] and mean squares of the coordinates [m²], by kind."""
