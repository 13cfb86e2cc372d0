"""Thin rods, plates and shells, and particles.

The density of a rod or ring is mass per length [kg/m], that of a plate or shell mass per area [kg/m²]: the density of
the material times the cross-section or the thickness.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.messages import in_sentences
from pytrammel.errors import ModelError
from pytrammel.inertia._checks import Array, axis_turn, one_of, positive, table, vector
from pytrammel.inertia._moments import from_moments, from_second_moments, simplex_moments
from pytrammel.inertia.polygons import FLAT, checked_corners, triangle_fan
from pytrammel.inertia.properties import MassProperties

PER_LENGTH = "kg/m"
PER_AREA = "kg/m²"


@in_sentences
def thin_rod(
    length: float, *, axis: str = "y", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Straight rod of negligible thickness; origin at the middle. It has no inertia about its axis.

    Args:
        length: Length [m].
        axis: Its direction; y unless said otherwise, as in Haug, Table 11.2.1.
        density: Mass per length [kg/m].
        mass: Mass [kg].
    """
    h = positive(length, "the length of the thin rod")
    m = one_of(density, mass, h, PER_LENGTH, "the thin rod")
    return from_second_moments(m, (0.0, 0.0, 0.0), (0.0, 0.0, h * h / 12)).rotated(axis_turn(axis, "the thin rod"))


@in_sentences
def thin_ring(
    radius: float, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Hoop of thin wire; origin at the centre.

    Args:
        radius: Radius [m].
        axis: Axis of the ring.
        density: Mass per length [kg/m].
        mass: Mass [kg].
    """
    r = positive(radius, "the radius of the thin ring")
    m = one_of(density, mass, 2 * math.pi * r, PER_LENGTH, "the thin ring")
    body = from_second_moments(m, (0.0, 0.0, 0.0), (r * r / 2, r * r / 2, 0.0))
    return body.rotated(axis_turn(axis, "the thin ring"))


@in_sentences
def thin_disc(
    radius: float, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Round plate of negligible thickness; origin at the centre.

    Args:
        radius: Radius [m].
        axis: Normal of the plate.
        density: Mass per area [kg/m²].
        mass: Mass [kg].
    """
    r = positive(radius, "the radius of the thin disc")
    m = one_of(density, mass, math.pi * r * r, PER_AREA, "the thin disc")
    body = from_second_moments(m, (0.0, 0.0, 0.0), (r * r / 4, r * r / 4, 0.0))
    return body.rotated(axis_turn(axis, "the thin disc"))


@in_sentences
def spherical_shell(radius: float, *, density: float | None = None, mass: float | None = None) -> MassProperties:
    """Hollow sphere of negligible wall; origin at the centre.

    Args:
        radius: Radius [m].
        density: Mass per area [kg/m²].
        mass: Mass [kg].
    """
    r = positive(radius, "the radius of the spherical shell")
    m = one_of(density, mass, 4 * math.pi * r * r, PER_AREA, "the spherical shell")
    return from_second_moments(m, (0.0, 0.0, 0.0), (r * r / 3,) * 3)


@in_sentences
def thin_plate(
    a: float, b: float, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Rectangular plate of negligible thickness; origin at the centroid.

    Args:
        a, b: Lengths of the edges [m]: along x and y; for the normal "x" along y and z, for "y" along z and x.
        axis: Normal of the plate.
        density: Mass per area [kg/m²].
        mass: Mass [kg].
    """
    u, v = positive(a, "the edge a of the thin plate"), positive(b, "the edge b of the thin plate")
    m = one_of(density, mass, u * v, PER_AREA, "the thin plate")
    body = from_second_moments(m, (0.0, 0.0, 0.0), (u * u / 12, v * v / 12, 0.0))
    return body.rotated(axis_turn(axis, "the thin plate"))


@in_sentences
def triangular_plate(
    a: ArrayLike, b: ArrayLike, c: ArrayLike, *, density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Triangle of negligible thickness, anywhere in space, in the frame of its corners.

    Args:
        a, b, c: Corners [m], shape (3,), or (2,) for corners in the x-y plane.
        density: Mass per area [kg/m²].
        mass: Mass [kg].
    """
    corners = np.array(
        [_in_space(p, f"corner {name} of the triangle") for p, name in zip((a, b, c), "abc", strict=True)]
    )
    origin = corners.mean(axis=0)
    edges = corners[1:] - corners[0]
    area = 0.5 * float(np.linalg.norm(np.cross(edges[0], edges[1])))
    if area <= FLAT * float(np.abs(edges).max()) ** 2:
        raise ModelError("the three corners of the triangle lie on one line, so it has no area. Move one off the line.")
    moments = simplex_moments((corners - origin)[None], np.array([area]))
    return from_moments(one_of(density, mass, area, PER_AREA, "the triangle"), origin, *moments)


@in_sentences
def polygon_plate(
    corners: ArrayLike, *, axis: str = "z", density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Polygon of negligible thickness in the x-y plane, in the frame of its corners.

    Args:
        corners: Corners in order around the polygon, either way [m], shape (n, 2).
        axis: Normal of the plate; for "x" the corners are (y, z), for "y" they are (z, x).
        density: Mass per area [kg/m²].
        mass: Mass [kg].
    """
    origin, triangles, areas = triangle_fan(checked_corners(corners, "the polygon plate"))
    area, first, second = simplex_moments(triangles, areas)
    m = one_of(density, mass, area, PER_AREA, "the polygon plate")
    return from_moments(m, origin, area, first, second).rotated(axis_turn(axis, "the polygon plate"))


@in_sentences
def point_mass(mass: float, position: ArrayLike = (0.0, 0.0, 0.0)) -> MassProperties:
    """One particle.

    Args:
        mass: Mass [kg].
        position: Where it is [m], shape (3,).
    """
    return MassProperties(
        positive(mass, "the mass of the particle", "kg"), vector(position, "the position of the particle")
    )


@in_sentences
def particles(masses: ArrayLike, positions: ArrayLike) -> MassProperties:
    """A rigid cloud of particles.

    Args:
        masses: Masses [kg], shape (n,).
        positions: Where they are [m], shape (n, 3).
    """
    weights = table(masses, "the masses of the particles", "a list of numbers")
    places = table(positions, "the positions of the particles", "a list of points (x, y, z)")
    if weights.ndim != 1 or len(weights) == 0 or places.shape != (len(weights), 3):
        raise ModelError(
            f"particles need n masses and n points (x, y, z), but the arrays have the shapes {weights.shape} and {places.shape}."
        )
    if np.any(weights < 0.0):
        worst = int(np.argmin(weights))
        raise ModelError(f"the mass of particle {worst} is {weights[worst]:g} kg; it must not be negative.")
    total = float(weights.sum())
    if total == 0.0:
        raise ModelError("all particles have the mass 0 kg, so they have no centroid. Give at least one a mass.")
    centroid = places[0] + weights @ (places - places[0]) / total
    # measured from the centroid, the sum of squares cannot come out negative, however close the particles are
    arms = places - centroid
    second = (weights[:, None] * arms).T @ arms
    return MassProperties(total, centroid, np.trace(second) * np.eye(3) - second)


def _in_space(point: ArrayLike, what: str) -> Array:
    corner = table(point, what, "a point (x, y, z) or (x, y)")
    if corner.shape == (2,):
        corner = np.append(corner, 0.0)
    return vector(corner, what)
