"""Texts about a DAP deck: DAP's own report, the deck in words, the deck written out again, and the results as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.io.decks.dap_deck import COUNTS, DapDeck
from pytrammel.io.decks.deck_lines import (
    BODY_HEADS,
    POINT_HEADS,
    at,
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
from pytrammel.results.forces.dynamics import joint_forces

if TYPE_CHECKING:
    from pytrammel.results.result import Result

HEADER = "***** DYNAMIC ANALYSIS *****"
STATIC_HEADER = "***** STATIC ANALYSIS *****"
ELEMENTS = "TRANSLATIONAL SPRING-DAMPER-ACTUATOR"
REACTIONS = "REACTION FORCES"
GROUND = "GROUND (not in DAP)"

PRINTED = {"revolute": "REV.", "slider": "TRA.", "simple": "SMP.", "fix": "GRD."}  # by the names that a deck gives

Array = NDArray[np.float64]


def element_table(deck: DapDeck, result: Result, number: int) -> Array:
    """Length [m], rate [m/s], spring force and damper force [N] of an element, shape (n, 4)."""
    element = deck.elements[number - 1]
    length = result._measure(f"element{number}.length")
    assert length.rate is not None
    spring, damper = element.stiffness * (length.value - element.free_length), element.damping * length.rate
    return np.column_stack([length.value, length.rate, spring, damper])


def reaction_tables(deck: DapDeck, result: Result) -> dict[str, list[tuple[int, Array]]]:
    """What each joint does to its bodies: by joint name, the body's number and (FX, FY, N about its centroid), shape (n, 3)."""
    joints: list[tuple[str, tuple[int, ...]]] = []
    joints += [(f"revolute{k}", (pin.i, pin.j)) for k, pin in enumerate(deck.revolutes, start=1)]
    joints += [(f"slider{k}", (slide.i, slide.j)) for k, slide in enumerate(deck.translationals, start=1)]
    joints += [(f"simple{k}", (simple.body,)) for k, simple in enumerate(deck.simples, start=1)]
    joints += [(f"fix{k}", (body,)) for k, (_, body) in enumerate(deck.grounded, start=1)]
    tables = {}
    for name, bodies in joints:
        forces = joint_forces(result, result.model.constraints[name])
        tables[name] = [(body, forces[f"body{body}"]) for body in bodies]
    return tables


def report(deck: DapDeck, result: Result) -> str:
    """DAP's report as one text; see `reports`."""
    return "\n".join(reports(deck, result))


def reports(deck: DapDeck, result: Result) -> list[str]:
    """DAP's report (section 10.2.5), a text per time: the bodies, points, elements and reactions, in DAP's own formats.

    The forces that hold grounded bodies follow under a head of their own; DAP does not print them.
    """
    unit = 180.0 / math.pi if deck.degrees else 1.0
    levels = 1 if deck.is_static else 3
    bodies = [body_table(result, levels, 3 * k, unit) for k in range(deck.counts["NB"])]
    points = [] if deck.is_static else [point_table(result, f"P{k}", 3) for k in range(1, len(deck.points) + 1)]
    elements = [] if deck.is_static else [element_table(deck, result, k) for k in range(1, len(deck.elements) + 1)]
    reactions = reaction_tables(deck, result)
    grounded = {name for name in reactions if result.model.constraints[name].held_body is not None}
    lines = [STATIC_HEADER if deck.is_static else HEADER, "", *(["ANGLES IN DEGREES", ""] if deck.degrees else [])]
    body_heads = table_heads("BODY", BODY_HEADS[: 3 * levels], 3)
    out = []
    for k, time in enumerate(result.times):
        if not deck.is_static:
            lines += [f"TIME = {fortran_f(float(time), 10, 4)}", "-" * len(body_heads)]
        lines += [body_heads, *(table_line(number, table[k], 3) for number, table in enumerate(bodies, start=1))]
        if points:
            lines += ["POINTS OF INTEREST", table_heads("NO.", POINT_HEADS, 2)]
            lines += [table_line(number, table[k], 2) for number, table in enumerate(points, start=1)]
        if elements:
            lines += [ELEMENTS, "NO." + "".join(h.rjust(10) for h in ("LENGTH", "d(EL)/dt", "f(s)", "f(d)"))]
            lines += [f"{number:3d}{_f10(table[k])}" for number, table in enumerate(elements, start=1)]
        if reactions:
            lines += _reaction_lines(reactions, grounded, k)
        out.append("\n".join([*lines, ""]))
        lines = []
    return out


def _reaction_lines(reactions: dict[str, list[tuple[int, Array]]], grounded: set[str], k: int) -> list[str]:
    """Lines of (2X, A4, I3, I4, 3F10.3, I4, 3F10.3), DAP's joints first, then what holds the grounded bodies."""
    heads = "  JOINT NO." + "".join(
        body.rjust(2 if body == "I" else 4) + "".join(f"{head}-{body}".rjust(10) for head in ("FX", "FY", "N"))
        for body in "IJ"
    )
    joints: list[str] = []
    ground: list[str] = []
    for name, sides in reactions.items():
        word = name.rstrip("0123456789")
        number = int(name[len(word) :])
        text = "".join(f"{body:4d}{_f10(table[k])}" for body, table in sides)
        (ground if name in grounded else joints).append(f"  {PRINTED[word]}{number:3d}{text}")
    lines = [REACTIONS, heads, *joints] if joints else []
    return lines + ([GROUND, *ground] if ground else [])


def _f10(values: Sequence[float] | Array) -> str:
    return "".join(fortran_f(float(v), 10, 3) for v in values)


def in_words(deck: DapDeck) -> str:
    """What was understood, for ``--echo``."""
    angle, unit = (math.degrees, "°") if deck.degrees else (float, " rad")
    counts = ", ".join(f"{name} = {deck.counts[name]}" for name in COUNTS)
    n, m = deck.n_coordinates, deck.n_constraints
    what = (
        "a structure: static analysis"
        if deck.is_static
        else f"{number_of(n - m, 'degree of freedom')}: dynamic analysis"
    )
    lines = [f"Deck {deck.name}: {counts}; {n} coordinates, {m} constraints, {what}."]
    grounded = {body for _, body in deck.grounded}
    for k, b in enumerate(deck.bodies, start=1):
        marks = held_in_words(deck, k)
        extra = f" ({', '.join(marks)})" if marks else ""
        line = f"  body {k} {'fixed' if k in grounded else 'begins'} at {at((b.x, b.y))}, turned {angle(b.phi):g}{unit}{extra}"
        if any((b.xd, b.yd, b.phid)):
            line += f", velocity {at((b.xd, b.yd))}, spin {angle(b.phid):g}{unit}/s"
        line += f"; mass {b.mass:g}, inertia {b.inertia:g}"
        if any((b.fx, b.fy, b.n)):
            line += f"; load {at((b.fx, b.fy))}, moment {b.n:g}"
        lines.append(line)
    lines += joints_in_words(deck)
    for k, e in enumerate(deck.elements, start=1):
        lines.append(
            f"  element {k} from {at(e.p_i)} of body {e.i} to {at(e.p_j)} of body {e.j}: stiffness {e.stiffness:g}, damping "
            f"{e.damping:g}, actuator force {e.force:g}, free length {e.free_length:g}"
        )
    lines += points_in_words(deck)
    if not deck.is_static:
        times = deck.times()
        lines.append(
            f"  {number_of(len(times), 'report')} from t = {deck.first:g} to {times[-1]:g} s, step {deck.step:g} s"
        )
    return "\n".join(lines) + "\n"


def deck_text(deck: DapDeck) -> str:
    """The deck written out again, every number to full precision, with a comment on each record."""
    unit = 180.0 / math.pi if deck.degrees else 1.0
    lines = [f"! {deck.name}" + (": angles in degrees, read with --degrees" if deck.degrees else "")]
    lines.append(record_line([deck.counts[name] for name in COUNTS], " ".join(COUNTS)))
    for k, b in enumerate(deck.bodies, 1):
        state = (b.x, b.y, b.phi * unit, b.xd, b.yd, b.phid * unit)
        lines.append(record_line((*state, b.mass, b.inertia, b.fx, b.fy, b.n), f"body {k}"))
    lines += joint_lines(deck)
    for k, e in enumerate(deck.elements, 1):
        law = (e.stiffness, e.damping, e.force, e.free_length)
        lines.append(record_line((e.i, e.j, *e.p_i, *e.p_j, *law), f"element {k}"))
    lines += point_lines(deck)
    lines.append(record_line((deck.first, deck.last, deck.step), "T0 TE DT"))
    return "\n".join(lines) + "\n"


def dap_json(deck: DapDeck, result: Result, notes: Sequence[str], *, error: str | None = None) -> dict[str, Any]:
    """Everything that was computed, ready for `json.dumps`: motion, reactions and element forces.

    Args:
        deck: Deck that was analysed.
        result: Its analysis.
        notes: Sentences about the run.
        error: Sentence that says why the run stopped early, if it did.
    """
    from pytrammel.io.results.result_json import result_json

    data = result_json(result.model, result, error=error)
    data["analysis"] = "static" if deck.is_static else "dynamic"
    data["notes"] = list(notes)
    data["reactions"] = {
        name: {f"body{body}": {key: table[:, k].tolist() for k, key in enumerate(("fx", "fy", "n"))} for body, table in sides}
        for name, sides in reaction_tables(deck, result).items()
    }  # fmt: skip
    data["elements"] = {}
    for k, element in enumerate(deck.elements, start=1):
        columns = zip(("length", "rate", "spring", "damper"), element_table(deck, result, k).T, strict=True)
        data["elements"][f"element{k}"] = {key: values.tolist() for key, values in columns}
        data["elements"][f"element{k}"]["actuator"] = [element.force] * len(result)
    return data
