"""Triangulated shapes, in the frames of the solids of the same name. For pictures, files and tests."""

from __future__ import annotations

import math

import numpy as np

from pytrammel._util.checks import checked
from pytrammel._util.messages import in_sentences
from pytrammel.errors import ModelError
from pytrammel.inertia._checks import Array, axis_turn, positive
from pytrammel.inertia.mesh import Indices, Mesh

MAX_SIDES = 1_000_000
MAX_SUBDIVISIONS = 8  # 1.3 million triangles


@checked
@in_sentences
def box_mesh(x: float, y: float, z: float) -> Mesh:
    """Rectangular block of 12 triangles; origin at the centroid.

    Args:
        x, y, z: Lengths of the edges along the axes [m].
    """
    edges = [positive(value, f"the edge of the box along {name}") for value, name in ((x, "x"), (y, "y"), (z, "z"))]
    signs = np.array([[i, j, k] for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)], dtype=np.float64)
    quads = np.array([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return Mesh(0.5 * signs * edges, triangles, "box")


@checked
@in_sentences
def sphere_mesh(radius: float, *, subdivisions: int = 3) -> Mesh:
    """Icosahedron, each triangle cut into four again and again, its vertices on the sphere; origin at the centre.

    Args:
        radius: Radius of the sphere through the vertices [m].
        subdivisions: How often to cut: 20·4ⁿ triangles. The enclosed volume is short by 0.9 % after three, and by a
            quarter of that after each further.
    """
    r = positive(radius, "the radius of the sphere")
    if not 0 <= subdivisions <= MAX_SUBDIVISIONS:
        raise ModelError(
            f"the sphere is to be subdivided {subdivisions} times; it must be between 0 and {MAX_SUBDIVISIONS}."
        )
    points, triangles = _icosahedron()
    for _ in range(subdivisions):
        points, triangles = _subdivided(points, triangles)
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Mesh(r * points, triangles, "sphere")


@checked
@in_sentences
def cylinder_mesh(radius: float, height: float, *, sides: int = 48, axis: str = "z") -> Mesh:
    """Prism over a regular polygon; origin at the centroid.

    Args:
        radius: Radius of the circle through the corners [m].
        height: Length along the axis [m].
        sides: Number of sides.
        axis: Its axis.
    """
    r, h = positive(radius, "the radius of the cylinder"), positive(height, "the height of the cylinder")
    circle, k, following = _circle(r, sides, "the cylinder")
    n = len(k)
    bottom, top = circle - (0.0, 0.0, h / 2), circle + (0.0, 0.0, h / 2)
    points = np.concatenate([bottom, top, [(0.0, 0.0, -h / 2), (0.0, 0.0, h / 2)]])
    triangles = _stacked(
        (k, following, n + following),
        (k, n + following, n + k),
        (2 * n, following, k),
        (2 * n + 1, n + k, n + following),
    )
    return Mesh(points @ axis_turn(axis, "the cylinder").T, triangles, "cylinder")


@checked
@in_sentences
def cone_mesh(radius: float, height: float, *, sides: int = 48, axis: str = "z") -> Mesh:
    """Pyramid over a regular polygon; origin at the centre of the base, the tip towards +axis.

    Args:
        radius: Radius of the circle through the corners of the base [m].
        height: Height [m].
        sides: Number of sides.
        axis: Direction of the tip.
    """
    r, h = positive(radius, "the radius of the cone"), positive(height, "the height of the cone")
    circle, k, following = _circle(r, sides, "the cone")
    n = len(k)
    points = np.concatenate([circle, [(0.0, 0.0, 0.0), (0.0, 0.0, h)]])
    triangles = _stacked((n, following, k), (n + 1, k, following))
    return Mesh(points @ axis_turn(axis, "the cone").T, triangles, "cone")


def _circle(radius: float, sides: int, what: str) -> tuple[Array, Indices, Indices]:
    """Corners of a regular polygon, shape (n, 3), their indices, and the indices of their followers."""
    if not 3 <= sides <= MAX_SIDES:
        raise ModelError(f"{what} is to have {sides} sides; it must be three or more, and at most {MAX_SIDES}.")
    k = np.arange(sides)
    angle = 2.0 * math.pi * k / sides
    return radius * np.stack([np.cos(angle), np.sin(angle), np.zeros(sides)], axis=1), k, np.roll(k, -1)


def _stacked(*groups: tuple[int | Indices, int | Indices, int | Indices]) -> Indices:
    """Triangles from groups of three columns; a single number stands for a whole column."""
    return np.concatenate([np.stack(np.broadcast_arrays(*group), axis=1) for group in groups])


def _icosahedron() -> tuple[Array, Indices]:
    golden = (1.0 + math.sqrt(5.0)) / 2.0
    corners = [(0.0, i, j * golden) for i in (-1.0, 1.0) for j in (-1.0, 1.0)]
    points = np.array([np.roll(corner, turn) for turn in range(3) for corner in corners])
    # the faces are the triples of corners that are all at the distance 2
    near = np.abs(np.linalg.norm(points[:, None] - points[None], axis=2) - 2.0) < 1e-9
    faces = [
        (i, j, k) for i in range(12) for j in range(i) for k in range(j) if near[i, j] and near[j, k] and near[i, k]
    ]
    outward = [f if np.linalg.det(points[list(f)]) > 0.0 else f[::-1] for f in faces]
    return points / np.linalg.norm(points[0]), np.array(outward, dtype=np.int64)


def _subdivided(points: Array, triangles: Indices) -> tuple[Array, Indices]:
    """Each triangle cut into four at the middles of its sides, which neighbours share."""
    a, b, c = triangles.T
    sides = np.sort(np.concatenate([np.stack(s, axis=1) for s in ((a, b), (b, c), (c, a))]), axis=1)
    keys, which = np.unique(sides[:, 0] * len(points) + sides[:, 1], return_inverse=True)
    ab, bc, ca = len(points) + which.reshape(3, -1)
    middles = 0.5 * (points[keys // len(points)] + points[keys % len(points)])
    return np.concatenate([points, middles]), _stacked((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))
