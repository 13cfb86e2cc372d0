"""Straight lines across the cells of a grid, and lengths, areas and volumes of the positions reached on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.robotics.branches import Branch, BranchSearch

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def edge_key(pair: Any) -> tuple[int, int]:
    a, b = int(pair[0]), int(pair[1])
    return (a, b) if a < b else (b, a)


def cells_of(search: BranchSearch) -> list[tuple[int, int, int, int]]:
    """Nodes of each cell of a grid of two components, in order around it."""
    number = np.arange(len(search.nodes)).reshape(search.shape)
    around = (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:])
    return list(zip(*(corner.ravel().tolist() for corner in around), strict=True))


def segments(search: BranchSearch, points: Mapping[tuple[int, int], Array]) -> Array:
    """Lines across the cells between points on their edges, shape (n, 2, 2)."""
    out = []
    if points:
        for cell in cells_of(search):
            on = [points[key] for key in (edge_key((cell[k], cell[(k + 1) % 4])) for k in range(4)) if key in points]
            out += [(on[k], on[k + 1]) for k in range(0, len(on) - 1, 2)]
    return np.array(out).reshape(-1, 2, 2)


def polygons(search: BranchSearch, reached: Mask, ends: Mapping[tuple[int, int], Array]) -> list[Array]:
    """Parts of the cells within the boundary."""
    out = []
    for cell in cells_of(search):
        inside = reached[list(cell)]
        polygon = []
        for k in range(4):
            a, b = cell[k], cell[(k + 1) % 4]
            if inside[k]:
                polygon.append(search.nodes[a])
            if inside[k] != inside[(k + 1) % 4]:
                end = ends.get(edge_key((a, b)))
                polygon.append(0.5 * (search.nodes[a] + search.nodes[b]) if end is None else end)
        if len(polygon) > 2:
            out.append(np.array(polygon))
    return out


def area(polygon: Array) -> float:
    x, y = polygon.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def content(search: BranchSearch, branch: Branch, ends: Array) -> float:
    """Length or volume: around each node a box that reaches to the middle of the way to its neighbours, or to the boundary."""
    steps = np.repeat([axis[1] - axis[0] for axis in search.axes], 2)
    widths = np.where(search.neighbours >= 0, 0.5 * steps, 0.0)
    if len(ends):
        begin, end = branch.ends[:, 0], branch.ends[:, 1]
        direction = np.argmax(search.neighbours[begin] == end[:, None], axis=1)
        widths[begin, direction] = np.linalg.norm(ends - search.nodes[begin], axis=1)
    return float((widths[:, ::2] + widths[:, 1::2])[branch.reached].prod(axis=1).sum())
