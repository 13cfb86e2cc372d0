"""Texts about a KAP deck: KAP's own report, the deck in words, and the deck written out again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trammel.files.kap_deck import COUNTS, DIRECTIONS, KapDeck

if TYPE_CHECKING:
    from trammel.results.result import Result

HEADER = "***** KINEMATIC ANALYSIS *****"
_BODY_HEADS = ("X", "Y", "PHI", "XD", "YD", "PHID", "XDD", "YDD", "PHIDD")
_POINT_HEADS = ("X", "Y", "XD", "YD", "XDD", "YDD")


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


def report(deck: KapDeck, result: Result, level: int = 3, degrees: bool = False) -> str:
    """KAP's report (section 5.1.6): one block per time, one line per body (I3, 6F8.3, 3F9.3) and point (I3, 4F8.3, 2F9.3).

    Args:
        deck: The deck.
        result: Its analysis.
        level: 1 positions, 2 also velocities, 3 also accelerations.
        degrees: Angles in degrees.
    """
    unit = 180.0 / math.pi if degrees else 1.0
    bodies = [_table(result, level, 3 * k, unit) for k in range(deck.counts["NB"])]
    points = [_point_table(result, f"P{k}", level) for k in range(1, len(deck.points) + 1)]
    lines = [HEADER, "", *(["ANGLES IN DEGREES", ""] if degrees else [])]
    body_heads = _heads("BODY", _BODY_HEADS[: 3 * level], 3)
    point_heads = _heads("NO.", _POINT_HEADS[: 2 * level], 2)
    rule = "-" * len(body_heads)
    for k, time in enumerate(result.times):
        lines += [f"TIME = {fortran_f(float(time), 10, 4)}", rule, body_heads]
        lines += [_line(number, table[k], 3) for number, table in enumerate(bodies, start=1)]
        if points:
            lines += ["POINTS OF INTEREST", point_heads]
            lines += [_line(number, table[k], 2) for number, table in enumerate(points, start=1)]
        lines.append("")
    return "\n".join(lines)


def _table(result: Result, level: int, column: int, unit: float) -> NDArray[np.float64]:
    tables = [table[:, column : column + 3] for table in (result.q, result.v, result.a)[:level] if table is not None]
    return np.asarray(np.hstack(tables) * np.tile([1.0, 1.0, unit], len(tables)), dtype=np.float64)


def _point_table(result: Result, name: str, level: int) -> NDArray[np.float64]:
    series = result.point(name)
    parts = [series.position]
    if level >= 2:
        parts.append(series.velocity)
    if level >= 3:
        parts.append(series.acceleration)
    return np.hstack(parts)


def _widths(n: int, group: int) -> list[int]:
    """Positions and velocities take 8 places, accelerations 9."""
    return [8 if k < 2 * group else 9 for k in range(n)]


def _heads(first: str, heads: Sequence[str], group: int) -> str:
    text = first
    end = 3
    for head, width in zip(heads, _widths(len(heads), group), strict=True):
        end += width
        text += head.rjust(end - len(text))
    return text


def _line(number: int, values: NDArray[np.float64], group: int) -> str:
    widths = _widths(len(values), group)
    return f"{number:3d}" + "".join(fortran_f(float(v), w, 3) for v, w in zip(values, widths, strict=True))


def in_words(deck: KapDeck) -> str:
    """What was understood, for ``--echo`` (problem 5.8 of the book)."""
    angle, unit = (math.degrees, "°") if deck.degrees else (float, " rad")
    counts = ", ".join(f"{name} = {deck.counts[name]}" for name in COUNTS)
    lines = [f"Deck {deck.name}: {counts}; {3 * deck.counts['NB']} coordinates and as many constraints."]
    grounded = {body for _, body in deck.grounded}
    held = {(s.body, s.direction) for s in deck.simples}
    driven = {(d.body, d.direction) for d in deck.drivers}
    for k, (x, y, phi) in enumerate(deck.estimates, start=1):
        what = "fixed" if k in grounded else "estimated"
        marks = [f"{name} held" for d, name in enumerate(DIRECTIONS, start=1) if (k, d) in held]
        marks += [f"{name} driven" for d, name in enumerate(DIRECTIONS, start=1) if (k, d) in driven]
        extra = f" ({', '.join(marks)})" if marks else ""
        lines.append(f"  body {k} {what} at ({x:g}, {y:g}), turned {angle(phi):g}{unit}{extra}")
    for k, pin in enumerate(deck.revolutes, start=1):
        lines.append(f"  revolute joint {k}: {_at(pin.p_i)} of body {pin.i} on {_at(pin.p_j)} of body {pin.j}")
    for k, slide in enumerate(deck.translationals, start=1):
        lines.append(
            f"  translational joint {k}: {_at(slide.p_j)} of body {slide.j} on the line through {_at(slide.p_i)} and "
            f"{_at(slide.q_i)} of body {slide.i}"
        )
    for k, driver in enumerate(deck.drivers, start=1):
        scale = angle if driver.direction == 3 else float
        motion = f"{scale(driver.position):g} {scale(driver.velocity):+g} t"
        if driver.acceleration:
            motion += f" {scale(driver.acceleration):+g} t²/2"
        suffix = unit if driver.direction == 3 else ""
        lines.append(f"  driver {k}: {DIRECTIONS[driver.direction - 1]} of body {driver.body} = {motion}{suffix}")
    for k, point in enumerate(deck.points, start=1):
        lines.append(f"  point of interest {k}: ({point.xi:g}, {point.eta:g}) of body {point.body}")
    n = len(deck.times())
    lines.append(f"  {n} report(s) from t = {deck.first:g} to {deck.times()[-1]:g} s, step {deck.step:g} s")
    return "\n".join(lines) + "\n"


def _at(point: tuple[float, float]) -> str:
    return f"({point[0]:g}, {point[1]:g})"


def deck_text(deck: KapDeck) -> str:
    """The deck written out again, every number to full precision, with a comment on each record."""
    unit = 180.0 / math.pi if deck.degrees else 1.0
    lines = [f"! {deck.name}" + (": angles in degrees, read with --degrees" if deck.degrees else "")]
    lines.append(_record([deck.counts[name] for name in COUNTS], " ".join(COUNTS)))
    lines += [_record((x, y, phi * unit), f"estimate of body {k}") for k, (x, y, phi) in enumerate(deck.estimates, 1)]
    lines += [_record((p.i, p.j, *p.p_i, *p.p_j), f"revolute joint {k}") for k, p in enumerate(deck.revolutes, 1)]
    lines += [
        _record((s.i, s.j, *s.p_i, *s.q_i, *s.p_j), f"translational joint {k}")
        for k, s in enumerate(deck.translationals, 1)
    ]
    lines += [_record((body,), f"grounded body {k}") for k, (_, body) in enumerate(deck.grounded, 1)]
    lines += [_record((s.body, s.direction), f"simple constraint {k}") for k, s in enumerate(deck.simples, 1)]
    for k, d in enumerate(deck.drivers, 1):
        scale = unit if d.direction == 3 else 1.0
        motion = (d.position * scale, d.velocity * scale, d.acceleration * scale)
        lines.append(_record((d.body, d.direction, *motion), f"driver {k}"))
    lines += [_record((p.body, p.xi, p.eta), f"point of interest {k}") for k, p in enumerate(deck.points, 1)]
    lines.append(_record((deck.first, deck.last, deck.step), "T0 TE DT"))
    return "\n".join(lines) + "\n"


def _record(values: Sequence[float], comment: str) -> str:
    return f"{', '.join(repr(v) for v in values):<32} ! {comment}"
