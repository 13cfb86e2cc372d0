"""Names beside what they name, where nothing else is: every name tries places around its anchor and takes the freest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.view.theme import current

Array = NDArray[np.float64]
SIZE = 8.5  # of letters [points]
WIDE, HIGH = 0.62, 1.25  # of a letter, in sizes
_REACHES = (8.0, 14.0, 22.0, 32.0, 46.0)  # of a name from its anchor [points]
_STEPS = 16  # directions
PAPER = {
    "boxstyle": "square,pad=0.08",
    "ec": "none",
    "alpha": 0.72,
}  # behind names; an outline would make them curves in files


@dataclass(frozen=True)
class Name:
    """Letters that belong to a place, in data coordinates."""

    text: str
    at: Any
    colour: str = ""
    style: str = "normal"
    size: float = SIZE


def place_labels(ax: Any, names: Sequence[Name], *, avoid: Sequence[Any] = ()) -> Array:
    """Write names beside their places so that they cover neither each other nor what they should avoid.

    Args:
        ax: Axes, with their final limits.
        names: The names, the most important first.
        avoid: Points in data coordinates that should stay free, each of shape (2,) or (n, 2).

    Returns:
        The boxes of the names [points]: left, bottom, right, top; shape (n, 4).
    """
    figure = ax.figure
    figure.draw_without_rendering()  # places and sizes are final only then
    scale = 72.0 / figure.dpi
    shown = [name for name in names if name.text]
    if not shown:
        return np.zeros((0, 4))

    def to_points(xy: Any) -> Array:
        return np.asarray(scale * ax.transData.transform(np.atleast_2d(np.asarray(xy, dtype=float))))

    anchors = np.vstack([to_points(name.at) for name in shown])
    dots = np.vstack([*(to_points(p) for p in avoid), anchors])
    frame = ax.get_window_extent()
    limits = scale * np.array([frame.x0, frame.y0, frame.x1, frame.y1])
    boxes = np.zeros((0, 4))
    for name, anchor in zip(shown, anchors, strict=True):
        width, height = WIDE * name.size * len(name.text), HIGH * name.size
        offsets = _places(width, height)
        around = anchor + offsets
        half = 0.5 * np.array([width, height])
        tried = np.hstack([around - half, around + half])
        best = int(np.argmin(_costs(tried, offsets, half, boxes, dots, limits)))
        boxes = np.vstack([boxes, tried[best]])
        _write(ax, name, offsets[best], width)
    return boxes


def _write(ax: Any, name: Name, offset: Array, width: float) -> None:
    theme = current()
    colour = name.colour or theme.ink
    far = math.hypot(*offset) > 24.0 + 0.5 * width
    leader = {"arrowstyle": "-", "color": colour, "lw": 0.6, "alpha": 0.6} if far else None
    note = ax.annotate(
        name.text, name.at, tuple(offset), textcoords="offset points", ha="center", va="center", fontsize=name.size,
        color=colour, zorder=20, arrowprops=leader, style=name.style, annotation_clip=False, bbox=PAPER | {"fc": theme.paper},
    )  # fmt: skip
    note.set_parse_math(False)


def _places(width: float, height: float) -> Array:
    """Where the middle of a name may be, seen from its place, shape (n, 2): near ones first."""
    angles = math.pi / 4 + 2.0 * math.pi * np.arange(_STEPS) / _STEPS
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.vstack([ways * (reach + 0.5 * np.array([width, height])) for reach in _REACHES])


def _costs(tried: Array, offsets: Array, half: Array, boxes: Array, dots: Array, limits: Array) -> Array:
    """How bad each place is: names that it covers count most, then what should stay free, the frame, and the distance."""
    cost = 0.05 * np.hypot(offsets[:, 0] / max(1.0, half[0]), 0.5 * offsets[:, 1] / half[1])
    across = np.minimum(tried[:, None, 2], boxes[None, :, 2]) - np.maximum(tried[:, None, 0], boxes[None, :, 0])
    up = np.minimum(tried[:, None, 3], boxes[None, :, 3]) - np.maximum(tried[:, None, 1], boxes[None, :, 1])
    touching = (across > -2.0) & (up > -1.0)
    share = np.maximum(across, 0.0) * np.maximum(up, 0.0) / (4.0 * half[0] * half[1])
    cost += np.where(touching, 10.0 + share, 0.0).sum(axis=1)
    inside = (dots[None] > tried[:, None, :2] - 2.0) & (dots[None] < tried[:, None, 2:] + 2.0)
    cost += inside.all(axis=2).sum(axis=1)
    out = np.maximum(limits[:2] - tried[:, :2], 0.0).sum(axis=1) + np.maximum(tried[:, 2:] - limits[2:], 0.0).sum(
        axis=1
    )
    return np.asarray(cost + 0.2 * out)
