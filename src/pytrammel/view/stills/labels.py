"""Labels of drawings that never collide: each tries the places beside its point, and stays away where none is free.

The player does the same in ``player/labels.mjs``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pytrammel.view.figure import settled
from pytrammel.view.theme import current

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Box = tuple[float, float, float, float]
CROWD, ROOM = 24, 7.0
SIDES = ((1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1.6), (0, -1.6), (1.3, 0), (-1.3, 0))


@dataclass(frozen=True)
class Wanted:
    """A label that wants a place.

    Attributes:
        text: What it says.
        at: The point it belongs to, data coordinates.
        gap: Distance it keeps, in units of ``size``; in typographic points where that is 0.
        colour, fontsize: Looks.
        slanted: In italics.
        side: Direction of the best place [rad]; None for the corners.
        size: Data length of one unit of the gap.
        key: What keeps its place from frame to frame of a film; by default the text.
        minor: Less important: in a crowd such labels need room around them.
    """

    text: str
    at: tuple[float, float]
    gap: float
    colour: str
    fontsize: float
    slanted: bool = False
    side: float | None = None
    size: float = 0.0
    key: str = ""
    minor: int = 0


Places = dict[str, int]
"""Which place each label had, by key: given from frame to frame of a film, labels stay where they were if they can."""


def room_for(minor: int, count: int) -> float:
    """Room that a label needs around it, in pixels: less important ones need some where there are many."""
    return ROOM * minor if count > CROWD else 0.0


def overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def free_place(
    x: float, y: float, w: float, h: float, gap: float, side: float | None, taken: Sequence[Box], *,
    area: Box | None = None, first: int = 0, room: float = 0.0,
) -> tuple[int, Box] | None:  # fmt: skip
    """A box of the given size beside a point that touches none of those that are taken, and its number; None if there is none.

    Args:
        x, y: The point [px].
        w, h: Size of the box [px].
        gap: Distance from the point [px].
        side: Direction of the best place [rad]; None for the corners.
        taken: Boxes that are not free.
        area: Where the box must lie; None for anywhere.
        first: Number of the place that is tried first: the one it had before.
        room: Distance from what is taken [px].
    """
    offsets = [(a * (gap + 0.5 * w), b * (gap + 0.5 * h)) for a, b in SIDES]
    if side is not None:
        for s in (side, side + math.pi):
            c, d = math.cos(s), math.sin(s)
            reach = gap + 0.5 * (abs(c) * w + abs(d) * h)
            offsets.insert(0 if s == side else 1, (reach * c, reach * d))
    for number in sorted(range(len(offsets)), key=lambda n: n != first):
        dx, dy = offsets[number]
        box = (x + dx - 0.5 * w, y + dy - 0.5 * h, x + dx + 0.5 * w, y + dy + 0.5 * h)
        wide = (box[0] - room, box[1] - room, box[2] + room, box[3] + room)
        if area is not None and not (
            area[0] <= box[0] and area[1] <= box[1] and box[2] <= area[2] and box[3] <= area[3]
        ):
            continue
        if not any(overlap(wide, other) for other in taken):
            return number, box
    return None


def place_labels(ax: Axes, wanted: Sequence[Wanted], places: Places | None = None) -> None:
    """Write those labels that find a place; pins and earlier labels are not written over. ``places`` are kept up to date."""
    from matplotlib.patheffects import withStroke

    figure = settled(ax)
    scale = figure.dpi / 72.0
    to_pixels = ax.transData
    halo = [withStroke(linewidth=2.5, foreground=current().paper)]
    taken: list[Box] = []
    places = {} if places is None else places
    frame: Box = ax.bbox.extents
    legend = ax.get_legend()
    if legend is not None:
        taken.append(legend.get_window_extent().extents)
    for it in wanted:
        if not it.slanted and it.size:
            x, y = to_pixels.transform(it.at)
            r = 0.9 * abs(to_pixels.transform((it.at[0] + it.size, it.at[1]))[0] - x)
            taken.append((x - r, y - r, x + r, y + r))
    for it in wanted:
        x, y = to_pixels.transform(it.at)
        unit = abs(to_pixels.transform((it.at[0] + it.size, it.at[1]))[0] - x) if it.size else scale
        style = "italic" if it.slanted else "normal"
        text = ax.annotate(it.text, it.at, (0, 0), textcoords="offset points", fontsize=it.fontsize, zorder=10)
        text.set(parse_math=False, path_effects=halo, color=it.colour, style=style, ha="center", va="center")
        found = text.get_window_extent()
        key = it.key or it.text
        sizes = found.width + 2, found.height + 1, it.gap * unit + 2 * scale
        room = 0.0 if key in places else room_for(it.minor, len(wanted))
        look = partial(free_place, x, y, *sizes, it.side, taken, first=places.get(key, 0), room=room)
        free = look(area=frame) or look()
        if free is None:
            text.remove()
            places.pop(key, None)
            continue
        places[key], box = free
        text.set_position(((0.5 * (box[0] + box[2]) - x) / scale, (0.5 * (box[1] + box[3]) - y) / scale))
        taken.append(box)
