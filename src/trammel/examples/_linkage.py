"""What the planar linkages among the examples share: places as complex numbers, bars between them, pins where bars meet."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping, Sequence

import trammel as tm


def meet(first: complex, second: complex, a: float, b: float, side: int = 1) -> complex:
    """Place at the distance `a` from the first and `b` from the second, left (1) or right (-1) of the way between them."""
    way = second - first
    gap = abs(way)
    along = (gap**2 + a**2 - b**2) / (2 * gap)
    return first + complex(along, side * math.sqrt(a**2 - along**2)) * way / gap


def linkage(
    m: tm.PlanarModel, places: Mapping[str, complex], bars: Mapping[str, Sequence[str]], *, massless: bool = False
) -> None:
    """Bodies through their places, each at its first place and turned towards its second.

    Bodies that share a place are pinned there to the first of them: the pin of A is "A", several are "A1", "A2", ... A place of
    one body alone becomes a point. The bar "ground" lists the fixed places.
    """
    users: dict[str, list[str]] = {}
    for bar, held in bars.items():
        if bar != "ground":
            start, way = places[held[0]], places[held[1]] - places[held[0]]
            m.body(bar, position=(start.real, start.imag), angle=cmath.phase(way), massless=massless)
        for place in held:
            users.setdefault(place, []).append(bar)
    for place, (first, *others) in users.items():
        at = (places[place].real, places[place].imag)
        for k, other in enumerate(others, start=1):
            m.revolute(place if len(others) == 1 else f"{place}{k}", first, other, at=at)
        if not others and first != "ground":
            m.point(place, first, at=at)
