"""Texts about a KAP deck: KAP's own report, the deck in words, and the deck written out again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytrammel._util.messages import number_of
from pytrammel.io.decks.deck_lines import (
    BODY_HEADS,
    POINT_HEADS,
    body_table,
    fortran_f,
    held_in_words,
    joint_lines,
    joints_in_words,
    point_lines,
    point_table,
    points_in_words,
    record_line,
    table_heads,
    table_line,
)
from pytrammel.io.decks.deck_records import DIRECTIONS
from pytrammel.io.decks.kap_deck import COUNTS, KapDeck

if TYPE_CHECKING:
    from pytrammel.results.result import Result

HEADER = "***** KINEMATIC ANALYSIS *****"


def report(deck: KapDeck, result: Result, level: int = 3, degrees: bool = False) -> str:
    """KAP's report as one text; see `reports`."""
    return "\n".join(reports(deck, result, level, degrees))


def reports(deck: KapDeck, result: Result, level: int = 3, degrees: bool = False) -> list[str]:
    """KAP's report (section 5.1.6), a text per time: one line per body (I3, 6F8.3, 3F9.3) and point (I3, 4F8.3, 2F9.3).

    Args:
        deck: The deck.
        result: Its analysis.
        level: 1 positions, 2 also velocities, 3 also accelerations.
        degrees: Angles in degrees.
    """
    unit = 180.0 / math.pi if degrees else 1.0
    bodies = [body_table(result, level, 3 * k, unit) for k in range(deck.counts["NB"])]
    points = [point_table(result, f"P{k}", level) for k in range(1, len(deck.points) + 1)]
    lines = [HEADER, "", *(["ANGLES IN DEGREES", ""] if degrees else [])]
    body_heads = table_heads("BODY", BODY_HEADS[: 3 * level], 3)
    point_heads = table_heads("NO.", POINT_HEADS[: 2 * level], 2)
    rule = "-" * len(body_heads)
    out = []
    for k, time in enumerate(result.times):
        lines += [f"TIME = {fortran_f(float(time), 10, 4)}", rule, body_heads]
        lines += [table_line(number, table[k], 3) for number, table in enumerate(bodies, start=1)]
        if points:
            lines += ["POINTS OF INTEREST", point_heads]
            lines += [table_line(number, table[k], 2) for number, table in enumerate(points, start=1)]
        out.append("\n".join([*lines, ""]))
        lines = []
    return out


def in_words(deck: KapDeck) -> str:
    """What was understood, for ``--echo`` (problem 5.8 of the book)."""
    angle, unit = (math.degrees, "°") if deck.degrees else (float, " rad")
    counts = ", ".join(f"{name} = {deck.counts[name]}" for name in COUNTS)
    lines = [f"Deck {deck.name}: {counts}; {3 * deck.counts['NB']} coordinates and as many constraints."]
    grounded = {body for _, body in deck.grounded}
    driven = {(d.body, d.direction) for d in deck.drivers}
    for k, (x, y, phi) in enumerate(deck.estimates, start=1):
        what = "fixed" if k in grounded else "estimated"
        marks = held_in_words(deck, k)
        marks += [f"{name} driven" for d, name in enumerate(DIRECTIONS, start=1) if (k, d) in driven]
        extra = f" ({', '.join(marks)})" if marks else ""
        lines.append(f"  body {k} {what} at ({x:g}, {y:g}), turned {angle(phi):g}{unit}{extra}")
    lines += joints_in_words(deck)
    for k, driver in enumerate(deck.drivers, start=1):
        scale = angle if driver.direction == 3 else float
        motion = f"{scale(driver.position):g} {scale(driver.velocity):+g} t"
        if driver.acceleration:
            motion += f" {scale(driver.acceleration):+g} t²/2"
        suffix = unit if driver.direction == 3 else ""
        lines.append(f"  driver {k}: {DIRECTIONS[driver.direction - 1]} of body {driver.body} = {motion}{suffix}")
    lines += points_in_words(deck)
    n = len(deck.times())
    lines.append(f"  {number_of(n, 'report')} from t = {deck.first:g} to {deck.times()[-1]:g} s, step {deck.step:g} s")
    return "\n".join(lines) + "\n"


def deck_text(deck: KapDeck) -> str:
    """The deck written out again, every number to full precision, with a comment on each record."""
    unit = 180.0 / math.pi if deck.degrees else 1.0
    lines = [f"! {deck.name}" + (": angles in degrees, read with --degrees" if deck.degrees else "")]
    lines.append(record_line([deck.counts[name] for name in COUNTS], " ".join(COUNTS)))
    lines += [
        record_line((x, y, phi * unit), f"estimate of body {k}") for k, (x, y, phi) in enumerate(deck.estimates, 1)
    ]
    lines += joint_lines(deck)
    for k, d in enumerate(deck.drivers, 1):
        scale = unit if d.direction == 3 else 1.0
        motion = (d.position * scale, d.velocity * scale, d.acceleration * scale)
        lines.append(record_line((d.body, d.direction, *motion), f"driver {k}"))
    lines += point_lines(deck)
    lines.append(record_line((deck.first, deck.last, deck.step), "T0 TE DT"))
    return "\n".join(lines) + "\n"
