"""Straight slots of bodies with an outline: a groove within the outline, a notch where the slot reaches its rim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pytrammel.view.scene.planar import Array, Point, Shape

SAMPLES = 41  # places along a slot at which the outline is tested
LEAST = 0.5  # part of the way of a pin that lies within an outline if the outline does not show the slot itself
CLEAR = 1.5  # least distance of a closed end from the rim, in half widths
ARC = 9  # corners of the round end of a notch


@dataclass(frozen=True)
class Slot:
    """Way of a pin in a slot, in the body's coordinates.

    Attributes:
        body: Name of the body.
        start, end: Ends of the way of the pin [m].
        way: Unit vector from start to end, also where they coincide.
        more: Length of the slot beyond the way at closed ends [m].
    """

    body: str
    start: Point
    end: Point
    way: Point
    more: float


def with_slots(outlines: Sequence[Sequence[Point]], slots: Sequence[Slot], half: float) -> tuple[Shape, ...]:
    """Return outlines with notches, and grooves, for slots of a half width [m].

    A slot whose pin runs outside the outline is shown by the outline itself.
    """
    given = [np.asarray(line, dtype=float) for line in outlines]
    lines, grooves = list(given), []
    for slot in slots:
        ends = np.array([slot.start, slot.end])
        way = np.array(slot.way)
        across = half * np.array([-way[1], way[0]])
        middles = np.linspace(ends[0], ends[1], SAMPLES)
        inside = np.all([_inside(given, middles + side * across) for side in (-1.0, 0.0, 1.0)], axis=0)
        if inside.mean() < LEAST:
            continue
        middle = middles[int(np.argmax(inside))]
        tips, is_open = [], []
        for end, outwards in ((ends[0], -way), (ends[1], way)):
            rim = _rim(given, middle, outwards)
            own = float((end - middle) @ outwards)
            is_open.append(rim < own + CLEAR * half)
            tips.append(middle + (rim if is_open[-1] else min(own + slot.more, rim - CLEAR * half)) * outwards)
        cut = None
        if sum(is_open) == 1:
            inner, outer = (tips[1], tips[0]) if is_open[0] else (tips[0], tips[1])
            cut = _notched(lines, inner, outer, half)
        if cut is None:
            grooves.append(Shape("polyline", (_point(tips[0]), _point(tips[1])), role="groove"))
        else:
            lines = cut
    return (*(Shape("polygon", tuple(_point(p) for p in line), role="outline") for line in lines), *grooves)


def _point(xy: Array) -> Point:
    return float(xy[0]), float(xy[1])


def _inside(lines: Sequence[Array], points: Array) -> Array:
    """Return whether points lie within closed lines, by the parity of the edges to their right, shape (n,)."""
    x, y = points.T
    count = np.zeros(len(points), dtype=int)
    for line in lines:
        for (x1, y1), (x2, y2) in zip(line, np.roll(line, -1, axis=0), strict=True):
            if y1 != y2:
                spans = (y1 <= y) != (y2 <= y)
                count += spans & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
    return np.asarray(count % 2 == 1)


def _crossings(line: Array, start: Array, way: Array) -> list[tuple[float, int]]:
    """Distances at which a ray crosses the edges of a closed line, with the numbers of the edges, in increasing order."""
    found = []
    for k, (p, q) in enumerate(zip(line, np.roll(line, -1, axis=0), strict=True)):
        a, b = (way[0] * (r - start)[1] - way[1] * (r - start)[0] for r in (p, q))
        if (a < 0.0) != (b < 0.0):
            distance = float(way @ (p + a / (a - b) * (q - p) - start))
            if distance > 0.0:
                found.append((distance, k))
    return sorted(found)


def _rim(lines: Sequence[Array], start: Array, way: Array) -> float:
    """Distance to the rim along a direction; infinite where there is none."""
    return min((found[0][0] for line in lines if (found := _crossings(line, start, way))), default=math.inf)


def _notched(lines: Sequence[Array], inner: Array, outer: Array, half: float) -> list[Array] | None:
    """Return the lines with a notch from the rim to a round inner end; None where both sides do not meet the same line."""
    length = float(np.hypot(*(outer - inner)))
    if length <= half:
        return None
    way = (outer - inner) / length
    left = np.array([-way[1], way[0]])
    for k, line in enumerate(lines):
        x, y = line.T
        area = float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
        turned = line if area > 0.0 else line[::-1]
        sides = [_crossings(turned, inner + side * half * left, way) for side in (1.0, -1.0)]
        if not all(sides) or max(found[0][0] for found in sides) > length + 4.0 * half:
            continue
        (far_left, i), (far_right, j) = (found[0] for found in sides)
        kept = [turned[(i + 1 + n) % len(turned)] for n in range((j - i) % len(turned) or len(turned))]
        angles = math.atan2(left[1], left[0]) + np.linspace(math.pi, 0.0, ARC)
        arc = inner + half * np.column_stack((np.cos(angles), np.sin(angles)))
        right = inner - half * left + far_right * way
        new = np.vstack([inner + half * left + far_left * way, *kept, right, arc])
        x, y = new.T
        if not 0.0 < float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) < abs(area):
            return None
        return [*lines[:k], new, *lines[k + 1 :]]
    return None
