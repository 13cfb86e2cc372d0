"""Lines that the reports and decks of KAP and DAP share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.io.decks.deck_records import DIRECTIONS, JointedDeck

if TYPE_CHECKING:
    from pytrammel.results.result import Result

BODY_HEADS = ("X", "Y", "PHI", "XD", "YD", "PHID", "XDD", "YDD", "PHIDD")
POINT_HEADS = ("X", "Y", "XD", "YD", "XDD", "YDD")
PRINTED = 5e-4  # half a unit in the last digit of a report

Array = NDArray[np.float64]


# --- reports ---------------------------------------------------------------------------------------------------------


def fortran_f(value: float, width: int, decimals: int) -> str:
    """Number in Fortran's F format: right-aligned, asterisks if it does not fit.

    A negative number that rounds to zero is written 0.000, never -0.000, so that reports can be compared.
    """
    text = f"{value:.{decimals}f}" if math.isfinite(value) else "NaN" if math.isnan(value) else f"{value:+}".title()
    if text.startswith("-") and not text.strip("-0."):
        text = text[1:]
    if len(text) > width and text.lstrip("-").startswith("0."):
        text = text.replace("0.", ".", 1)  # the zero before the point may go
    return text.rjust(width) if len(text) <= width else "*" * width


def body_table(result: Result, level: int, column: int, unit: float) -> Array:
    """Coordinates of one body and their rates up to a level, angles times `unit`."""
    tables = [table[:, column : column + 3] for table in (result.q, result.v, result.a)[:level] if table is not None]
    return np.asarray(np.hstack(tables) * np.tile([1.0, 1.0, unit], len(tables)), dtype=np.float64)


def point_table(result: Result, name: str, level: int) -> Array:
    """Position of a point of interest and its rates up to a level."""
    series = result.point(name)
    parts = [series.position]
    if level >= 2:
        parts.append(series.velocity)
    if level >= 3:
        parts.append(series.acceleration)
    return np.hstack(parts)


def table_heads(first: str, heads: Sequence[str], group: int) -> str:
    """Heads over columns of (I3, F8.3 …, F9.3 …); `group` columns make a position."""
    text = first
    end = 3
    for head, width in zip(heads, _widths(len(heads), group), strict=True):
        end += width
        text += head.rjust(end - len(text))
    return text


def table_line(number: int, values: Array, group: int) -> str:
    """One line of (I3, F8.3 …, F9.3 …)."""
    widths = _widths(len(values), group)
    return f"{number:3d}" + "".join(fortran_f(float(v), w, 3) for v, w in zip(values, widths, strict=True))


def _widths(n: int, group: int) -> list[int]:
    """Positions and velocities take 8 places, accelerations 9."""
    return [8 if k < 2 * group else 9 for k in range(n)]


def asterisks(deck: JointedDeck, result: Result) -> int:
    """Number of values of the bodies that do not fit their columns."""
    unit = 180.0 / math.pi if deck.degrees else 1.0
    scale = np.tile([1.0, 1.0, unit], deck.counts["NB"])
    n = scale.size
    count = 0
    for table, width in ((result.q, 8), (result.v, 8), (result.a, 9)):
        if table is not None:
            count += too_wide(table[:, :n] * scale, width)
    return count


def too_wide(values: Array, width: int) -> int:
    """Number of values that do not fit F`width`.3."""
    high, low = 10.0 ** (width - 4), -(10.0 ** (width - 5))
    return int(((values >= high - PRINTED) | (values <= low + PRINTED)).sum())


# --- decks -----------------------------------------------------------------------------------------------------------


def at(point: tuple[float, float]) -> str:
    return f"({point[0]:g}, {point[1]:g})"


def joints_in_words(deck: JointedDeck) -> list[str]:
    """Joints of a deck, for ``--echo``."""
    lines = [
        f"  revolute joint {k}: {at(pin.p_i)} of body {pin.i} on {at(pin.p_j)} of body {pin.j}"
        for k, pin in enumerate(deck.revolutes, start=1)
    ]
    lines += [
        f"  translational joint {k}: {at(slide.p_j)} of body {slide.j} on the line through {at(slide.p_i)} and "
        f"{at(slide.q_i)} of body {slide.i}"
        for k, slide in enumerate(deck.translationals, start=1)
    ]
    return lines


def held_in_words(deck: JointedDeck, body: int) -> list[str]:
    """Coordinates of a body that simple constraints hold: "x held" …"""
    held = {s.direction for s in deck.simples if s.body == body}
    return [f"{name} held" for d, name in enumerate(DIRECTIONS, start=1) if d in held]


def points_in_words(deck: JointedDeck) -> list[str]:
    """Points of interest of a deck, for ``--echo``."""
    return [
        f"  point of interest {k}: ({point.xi:g}, {point.eta:g}) of body {point.body}"
        for k, point in enumerate(deck.points, start=1)
    ]


def record_line(values: Sequence[float], comment: str) -> str:
    """A record with a comment."""
    return f"{', '.join(repr(v) for v in values):<32} ! {comment}"


def joint_lines(deck: JointedDeck) -> list[str]:
    """Records of the joints, grounded bodies and simple constraints."""
    lines = [record_line((p.i, p.j, *p.p_i, *p.p_j), f"revolute joint {k}") for k, p in enumerate(deck.revolutes, 1)]
    lines += [
        record_line((s.i, s.j, *s.p_i, *s.q_i, *s.p_j), f"translational joint {k}")
        for k, s in enumerate(deck.translationals, 1)
    ]
    lines += [record_line((body,), f"grounded body {k}") for k, (_, body) in enumerate(deck.grounded, 1)]
    return lines + [record_line((s.body, s.direction), f"simple constraint {k}") for k, s in enumerate(deck.simples, 1)]


def point_lines(deck: JointedDeck) -> list[str]:
    """Records of the points of interest."""
    return [record_line((p.body, p.xi, p.eta), f"point of interest {k}") for k, p in enumerate(deck.points, 1)]
