"""Homogeneous solids (Haug, Table 11.2.1, and more).

Give either ``density`` [kg/m³] or ``mass`` [kg]. Each docstring says where the origin of the frame is; the centroid of
the result is measured from there, so that `MassProperties.moved` puts the part where it belongs. Shapes with an axis
lie along z; ``axis="x"`` or ``"y"`` turns them cyclically (z→x, x→y, y→z for "x").
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.messages import in_sentences, unlike
from pytrammel.errors import ModelError
from pytrammel.inertia._checks import axis_turn, not_negative, one_of, positive, vector
from pytrammel.inertia._moments import from_moments, from_second_moments, simplex_moments
from pytrammel.inertia.polygons import checked_corners, triangle_fan
from pytrammel.inertia.properties import MassProperties, composite

PER_VOLUME = "kg/m³"


@in_sentences
def box(x: float, y: float, z: float, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """Rectangular block; origin at the centroid.

    Args:
        x, y, z: Lengths of the edges along the axes [m].
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    a, b, c = (positive(value, f"the edge of the box along {name}") for value, name in ((x, "x"), (y, "y"), (z, "z")))
    m = one_of(density, mass, a * b * c, PER_VOLUME, "the box")
    return from_second_moments(m, (0.0, 0.0, 0.0), (a * a / 12, b * b / 12, c * c / 12))


@in_sentences
def cube(edge: float, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """Cube; origin at the centroid.

    Args:
        edge: Length of the edges [m].
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    a = positive(edge, "the edge of the cube")
    m = one_of(density, mass, a**3, PER_VOLUME, "the cube")
    return from_second_moments(m, (0.0, 0.0, 0.0), (a * a / 12,) * 3)


@in_sentences
def sphere(radius: float, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """Solid ball; origin at the centre.

    Args:
        radius: Radius [m].
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    r = positive(radius, "the radius of the sphere")
    m = one_of(density, mass, 4 / 3 * math.pi * r**3, PER_VOLUME, "the sphere")
    return from_second_moments(m, (0.0, 0.0, 0.0), (r * r / 5,) * 3)


@in_sentences
def hollow_sphere(
    outer: float, inner: float, *, density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Ball with a concentric spherical void; origin at the centre.

    Args:
        outer: Outer radius [m].
        inner: Radius of the void [m], may be 0.
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    a, b = _outer_and_inner(outer, inner, "the hollow sphere")
    # a⁵ - b⁵ and a³ - b³ without their common factor a - b, so that thin walls keep their digits
    cubes = a * a + a * b + b * b
    fifths = a**4 + a**3 * b + a * a * b * b + a * b**3 + b**4
    m = one_of(density, mass, 4 / 3 * math.pi * (a - b) * cubes, PER_VOLUME, "the hollow sphere")
    return from_second_moments(m, (0.0, 0.0, 0.0), (fifths / cubes / 5,) * 3)


@in_sentences
def hemisphere(
    radius: float, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Half a ball; origin at the centre of the flat face, the dome towards +axis, the centroid 3/8 radius up the axis.

    Args:
        radius: Radius [m].
        axis: Direction of the dome.
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    r = positive(radius, "the radius of the hemisphere")
    m = one_of(density, mass, 2 / 3 * math.pi * r**3, PER_VOLUME, "the hemisphere")
    second = (r * r / 5, r * r / 5, r * r * (1 / 5 - 9 / 64))
    return from_second_moments(m, (0.0, 0.0, 0.375 * r), second).rotated(axis_turn(axis, "the hemisphere"))


@in_sentences
def ellipsoid(
    a: float, b: float, c: float, *, density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Solid ellipsoid; origin at the centre.

    Args:
        a, b, c: Half axes along x, y and z [m].
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    a, b, c = (
        positive(v, f"the half axis of the ellipsoid along {name}") for v, name in ((a, "x"), (b, "y"), (c, "z"))
    )
    m = one_of(density, mass, 4 / 3 * math.pi * a * b * c, PER_VOLUME, "the ellipsoid")
    return from_second_moments(m, (0.0, 0.0, 0.0), (a * a / 5, b * b / 5, c * c / 5))


@in_sentences
def cylinder(
    radius: float, height: float, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Round bar or disc; origin at the centroid.

    Args:
        radius: Radius [m].
        height: Length along the axis [m].
        axis: Its axis.
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    r, h = positive(radius, "the radius of the cylinder"), positive(height, "the height of the cylinder")
    m = one_of(density, mass, math.pi * r * r * h, PER_VOLUME, "the cylinder")
    body = from_second_moments(m, (0.0, 0.0, 0.0), (r * r / 4, r * r / 4, h * h / 12))
    return body.rotated(axis_turn(axis, "the cylinder"))


@in_sentences
def hollow_cylinder(
    outer: float,
    inner: float,
    height: float,
    *,
    axis: str = "z",
    density: float | None = None,
    mass: float | None = None,
) -> MassProperties:
    """Tube; origin at the centroid.

    Args:
        outer: Outer radius [m].
        inner: Inner radius [m], may be 0.
        height: Length along the axis [m].
        axis: Its axis.
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    a, b = _outer_and_inner(outer, inner, "the hollow cylinder")
    h = positive(height, "the height of the hollow cylinder")
    m = one_of(density, mass, math.pi * (a - b) * (a + b) * h, PER_VOLUME, "the hollow cylinder")
    across = (a * a + b * b) / 4
    body = from_second_moments(m, (0.0, 0.0, 0.0), (across, across, h * h / 12))
    return body.rotated(axis_turn(axis, "the hollow cylinder"))


@in_sentences
def half_cylinder(
    radius: float, height: float, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """A round bar cut lengthwise; origin at the middle of the flat face, the centroid 4/(3π) radius off it.

    With the axis along z the body bulges towards +x; with x, towards +y; with y, towards +z.

    Args:
        radius: Radius [m].
        height: Length along the axis [m].
        axis: Axis of the whole cylinder.
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    r, h = positive(radius, "the radius of the half cylinder"), positive(height, "the height of the half cylinder")
    m = one_of(density, mass, math.pi / 2 * r * r * h, PER_VOLUME, "the half cylinder")
    c = 4 * r / (3 * math.pi)
    body = from_second_moments(m, (c, 0.0, 0.0), (r * r / 4 - c * c, r * r / 4, h * h / 12))
    return body.rotated(axis_turn(axis, "the half cylinder"))


@in_sentences
def cone(
    radius: float, height: float, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Right circular cone; origin at the centre of the base, the tip towards +axis, the centroid height/4 up the axis.

    Args:
        radius: Radius of the base [m].
        height: Height [m].
        axis: Direction of the tip.
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    r, h = positive(radius, "the radius of the cone"), positive(height, "the height of the cone")
    m = one_of(density, mass, math.pi / 3 * r * r * h, PER_VOLUME, "the cone")
    body = from_second_moments(m, (0.0, 0.0, h / 4), (0.15 * r * r, 0.15 * r * r, 3 / 80 * h * h))
    return body.rotated(axis_turn(axis, "the cone"))


@in_sentences
def frustum(
    bottom: float,
    top: float,
    height: float,
    *,
    axis: str = "z",
    density: float | None = None,
    mass: float | None = None,
) -> MassProperties:
    """Cone with its tip cut off; origin at the centre of the bottom, the top towards +axis.

    The centroid is up the axis by height/4 (a² + 2ab + 3b²)/(a² + ab + b²), with a at the bottom and b at the top.

    Args:
        bottom: Radius at the bottom [m], may be 0.
        top: Radius at the top [m], may be 0, but not both.
        height: Height [m].
        axis: Direction of the top.
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    a, b = not_negative(bottom, "the bottom radius of the frustum"), not_negative(top, "the top radius of the frustum")
    h = positive(height, "the height of the frustum")
    if a == b == 0.0:
        raise ModelError("both radii of the frustum are 0 m; at least one must be positive.")
    area = a * a + a * b + b * b
    m = one_of(density, mass, math.pi / 3 * area * h, PER_VOLUME, "the frustum")
    across = 0.15 * (a**4 + a**3 * b + a * a * b * b + a * b**3 + b**4) / area
    along = 3 / 80 * h * h * (a**4 + 4 * a**3 * b + 10 * a * a * b * b + 4 * a * b**3 + b**4) / area**2
    centre = h / 4 * (a * a + 2 * a * b + 3 * b * b) / area
    return from_second_moments(m, (0.0, 0.0, centre), (across, across, along)).rotated(axis_turn(axis, "the frustum"))


@in_sentences
def torus(
    ring: float, tube: float, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Solid ring of round section; origin at the centre.

    Args:
        ring: Radius of the circle through the middle of the tube [m].
        tube: Radius of the tube [m], at most ``ring``.
        axis: Axis of the ring.
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    R, r = positive(ring, "the ring radius of the torus"), positive(tube, "the tube radius of the torus")
    if r > R:
        texts = unlike(r, R, digits=6)
        raise ModelError(
            f"the tube radius of the torus is {texts[0]} m; it must not exceed the ring radius {texts[1]} m."
        )
    m = one_of(density, mass, 2 * math.pi**2 * R * r * r, PER_VOLUME, "the torus")
    across = R * R / 2 + 3 / 8 * r * r
    body = from_second_moments(m, (0.0, 0.0, 0.0), (across, across, r * r / 4))
    return body.rotated(axis_turn(axis, "the torus"))


@in_sentences
def capsule(
    radius: float, length: float, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Cylinder with half a ball on each end; origin at the centroid (Haug, example 11.2.4).

    Args:
        radius: Radius [m].
        length: Length of the cylindrical part only [m].
        axis: Its axis.
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    r, h = positive(radius, "the radius of the capsule"), positive(length, "the length of the capsule")
    m = one_of(density, mass, math.pi * r * r * (h + 4 / 3 * r), PER_VOLUME, "the capsule")
    dome = hemisphere(r, density=1.0)
    flipped = dome.rotated(np.diag([1.0, -1.0, -1.0]))
    whole = composite(cylinder(r, h, density=1.0), dome.moved((0.0, 0.0, h / 2)), flipped.moved((0.0, 0.0, -h / 2)))
    return whole.scaled(mass=m).rotated(axis_turn(axis, "the capsule"))


@in_sentences
def tetrahedron(
    a: ArrayLike, b: ArrayLike, c: ArrayLike, d: ArrayLike, *, density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Tetrahedron with any four corners, in the frame of the corners.

    Args:
        a, b, c, d: Corners in any order [m], shape (3,).
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    corners = np.array(
        [vector(p, f"corner {name} of the tetrahedron") for p, name in zip((a, b, c, d), "abcd", strict=True)]
    )
    origin = corners.mean(axis=0)
    edges = corners[1:] - corners[0]
    volume = abs(float(np.linalg.det(edges))) / 6
    if volume <= 1e-14 * float(np.abs(edges).max()) ** 3:  # rounding of a determinant
        raise ModelError(
            "the four corners of the tetrahedron lie in one plane, so it has no volume. Move one off the plane."
        )
    moments = simplex_moments((corners - origin)[None], np.array([volume]))
    return from_moments(one_of(density, mass, volume, PER_VOLUME, "the tetrahedron"), origin, *moments)


@in_sentences
def extruded_polygon(
    corners: ArrayLike, height: float, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Prism over a polygon of the x-y plane, from z = 0 to z = height.

    Args:
        corners: Corners in order around the polygon, either way [m], shape (n, 2).
        height: Height [m].
        axis: Direction of the extrusion; for "x" the corners are (y, z), for "y" they are (z, x).
        density: Density [kg/m³].
        mass: Mass [kg].
    """
    outline = checked_corners(corners, "the extruded polygon")
    h = positive(height, "the height of the extruded polygon")
    origin, triangles, areas = triangle_fan(outline)
    area, first, second = simplex_moments(triangles, areas)
    second[2, 2] = area * h * h / 12  # measured from half height
    m = one_of(density, mass, area * h, PER_VOLUME, "the extruded polygon")
    body = from_moments(m, origin + (0.0, 0.0, h / 2), area, first, second)
    return body.rotated(axis_turn(axis, "the extruded polygon"))


def _outer_and_inner(outer: float, inner: float, what: str) -> tuple[float, float]:
    a = positive(outer, f"the outer radius of {what}")
    b = not_negative(inner, f"the inner radius of {what}")
    if b >= a:
        texts = unlike(b, a, digits=6)
        raise ModelError(
            f"the inner radius of {what} is {texts[0]} m; it must be less than the outer radius {texts[1]} m."
        )
    return a, b
