"""Polygons of the x-y plane: checked outlines, cut into signed triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pytrammel.errors import ModelError
from pytrammel.inertia._checks import Array, table

# the area of a polygon is a difference of products of coordinates, good to a few 1e-16 of the squared size
FLAT = 1e-14


def checked_corners(corners: ArrayLike, what: str) -> Array:
    """Corners counter-clockwise, shape (n, 2), of a polygon that has an area and does not cross itself."""
    outline = table(corners, f"the corners of {what}", "a list of points (x, y)")
    if outline.ndim != 2 or outline.shape[1] != 2:
        raise ModelError(f"the corners of {what} must be points (x, y), but the array has the shape {outline.shape}.")
    if len(outline) > 1 and np.array_equal(outline[0], outline[-1]):
        outline = outline[:-1]  # written as a closed line
    if len(outline) < 3:
        raise ModelError(f"{what} has {len(outline)} different corners; it needs three or more.")
    crossing = _crossing(outline)
    if crossing is not None:
        i, k = crossing
        raise ModelError(
            f"{what} crosses itself: the edges from corner {i} and from corner {k} cut each other (counted from 0). "
            "List the corners in the order in which one walks around."
        )
    _, _, areas = triangle_fan(outline)
    size = float(np.ptp(outline, axis=0).max())
    if abs(areas.sum()) <= FLAT * size * size:
        raise ModelError(f"{what} has no area: its corners lie on one line. Move a corner off the line.")
    return outline if areas.sum() > 0.0 else outline[::-1]


def triangle_fan(outline: Array) -> tuple[Array, Array, Array]:
    """Signed triangles between the mean of the corners and each edge.

    Returns:
        Origin [m], shape (3,); corners of the triangles from there [m], shape (n, 3, 3); signed areas [m²], shape (n,).
    """
    origin = np.append(outline.mean(axis=0), 0.0)
    start = outline - origin[:2]
    end = np.roll(start, -1, axis=0)
    triangles = np.zeros((len(outline), 3, 3))
    triangles[:, 1, :2] = start
    triangles[:, 2, :2] = end
    return origin, triangles, 0.5 * (start[:, 0] * end[:, 1] - start[:, 1] * end[:, 0])


def _crossing(outline: Array) -> tuple[int, int] | None:
    """The first two edges that properly cut each other; edges that touch are let pass."""
    start, end = outline, np.roll(outline, -1, axis=0)
    for i in range(len(outline)):
        edge = end[i] - start[i]
        others = slice(i + 1, None)
        from_edge = _cross(edge, start[others] - start[i]) * _cross(edge, end[others] - start[i])
        along = end[others] - start[others]
        from_others = _cross(along, start[i] - start[others]) * _cross(along, end[i] - start[others])
        hits = np.flatnonzero((from_edge < 0.0) & (from_others < 0.0))
        if len(hits):
            return i, i + 1 + int(hits[0])
    return None


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], dtype=np.float64)
