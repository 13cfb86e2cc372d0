"""Thin outlines of spatial shapes, for positions that are drawn behind others."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pytrammel.view.scene.planar import Array
from pytrammel.view.scene.spatial import Shape3
from pytrammel.view.scene.spatial_parts import Part3, axes_of, shape_parts

SHARP = 0.87
"""Cosine of the angle between two triangles above which their common edge is smooth."""
ROUND = 25
"""Points of a circle."""
MOST_EDGES = 2000
"""Edges of a mesh that are drawn at most, evenly chosen."""


def outlines(shape: Shape3, towards: Array) -> list[Array]:
    """Lines that show a shape, in body coordinates [m], each of shape (n, 3).

    Args:
        shape: The shape.
        towards: Direction to the viewer, in body components: balls are seen as a circle across it.
    """
    if shape.kind == "link":
        return [np.vstack((shape.points, shape.points[:1])) if shape.closed else shape.points]
    return [line for part in shape_parts(shape, 1.0) for line in _of_part(part, towards)]


def _of_part(part: Part3, towards: Array) -> list[Array]:
    if part.kind == "line":
        return [part.points]
    if part.kind == "sphere":
        return [_circle(part.points[0], towards, part.radii[0])]
    if part.kind == "tube":
        a, b = part.points
        side = np.cross(b - a, towards)  # the two lines that bound it as it is seen
        rims = [_circle(end, b - a, r, side if side.any() else None) for end, r in zip((a, b), part.radii, strict=True)]
        return [*rims, *(np.array([rims[0][k], rims[1][k]]) for k in (0, ROUND // 2))]
    return _edges(part)


def _circle(centre: Array, axis: Array, radius: float, x_axis: Array | None = None) -> Array:
    angle = np.linspace(0.0, 2.0 * np.pi, ROUND)
    x, y, _ = axes_of(axis, x_axis).T
    placed: Array = centre + radius * (np.outer(np.cos(angle), x) + np.outer(np.sin(angle), y))
    return placed


def _edges(part: Part3) -> list[Array]:
    """Sharp edges of a mesh and those at its rim; corners at one place count as one."""
    places, same = np.unique(np.round(part.points, 12), axis=0, return_inverse=True)
    corners = same.reshape(-1)[part.faces]
    a, b, c = (places[corners[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, sizes, out=np.zeros_like(normals), where=sizes > 0.0)
    beside: dict[tuple[int, int], list[int]] = {}
    for face, (i, j, k) in enumerate(corners.tolist()):
        for p, q in pairwise((i, j, k, i)):
            beside.setdefault((min(p, q), max(p, q)), []).append(face)
    kept = [
        edge
        for edge, faces in beside.items()
        if len(faces) != 2 or float(normals[faces[0]] @ normals[faces[1]]) < SHARP
    ]
    step = max(1, len(kept) // MOST_EDGES)
    return [places[list(edge)] for edge in kept[::step]]
