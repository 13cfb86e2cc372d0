"""What the decks of KAP and DAP have in common: joints, grounded bodies, simple constraints, points and times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.atomic_write import unreadable
from pytrammel.errors import FileFormatError
from pytrammel.io.decks.deck_fields import FieldReader, Record
from pytrammel.model.bodies import Body
from pytrammel.model.planar import PlanarModel

DIRECTIONS = ("x", "y", "phi")
TIMES = ("T0", "TE", "DT")
MOST_REPORTS = 1_000_000

Pair = tuple[float, float]
# name of the count, title of one record, fields, whole numbers among them
Group = tuple[str, str, tuple[str, ...], tuple[str, ...]]

REVOLUTE: Group = ("NR", "revolute joint", ("i", "j", "xi_P_i", "eta_P_i", "xi_P_j", "eta_P_j"), ("i", "j"))
TRANSLATIONAL: Group = (
    "NT",
    "translational joint",
    ("i", "j", "xi_P_i", "eta_P_i", "xi_Q_i", "eta_Q_i", "xi_P_j", "eta_P_j"),
    ("i", "j"),
)
GROUNDED: Group = ("NG", "grounded body", ("body",), ("body",))
SIMPLE: Group = ("NS", "simple constraint", ("body", "dir"), ("body", "dir"))
POINT: Group = ("NP", "point of interest", ("body", "xi", "eta"), ("body",))


@dataclass(frozen=True)
class Revolute:
    """Pin between point P of body i and point P of body j."""

    line: int
    i: int
    j: int
    p_i: Pair
    p_j: Pair


@dataclass(frozen=True)
class Translational:
    """Slide: P of body j stays on the line through P and Q of body i."""

    line: int
    i: int
    j: int
    p_i: Pair
    q_i: Pair
    p_j: Pair


@dataclass(frozen=True)
class Simple:
    """Coordinate held at its typed value; direction 1 x, 2 y, 3 phi."""

    line: int
    body: int
    direction: int


@dataclass(frozen=True)
class PointOfInterest:
    """Point of interest in body coordinates."""

    line: int
    body: int
    xi: float
    eta: float


@dataclass(frozen=True)
class Driver:
    """Coordinate driven as position + velocity t + acceleration t²/2 (radians)."""

    line: int
    body: int
    direction: int
    position: float
    velocity: float
    acceleration: float

    def at(self, time: float) -> float:
        return self.position + time * (self.velocity + 0.5 * time * self.acceleration)


class JointedDeck(Protocol):
    """A deck with bodies, numbered from 1, and joints between them; angles in radians."""

    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def estimates(self) -> tuple[tuple[float, float, float], ...]: ...
    @property
    def revolutes(self) -> tuple[Revolute, ...]: ...
    @property
    def translationals(self) -> tuple[Translational, ...]: ...
    @property
    def grounded(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def simples(self) -> tuple[Simple, ...]: ...
    @property
    def drivers(self) -> tuple[Driver, ...]: ...
    @property
    def points(self) -> tuple[PointOfInterest, ...]: ...
    @property
    def degrees(self) -> bool: ...
    @property
    def first(self) -> float: ...
    def model(self) -> PlanarModel: ...


# --- reading ---------------------------------------------------------------------------------------------------------


def opened(deck: str | Path, name: str | None) -> tuple[str, str, str]:
    """Name for messages, title and text of a deck given as a path or as a text of several lines."""
    if isinstance(deck, Path) or "\n" not in deck:
        path = Path(deck)
        return name or path.name, name or path.stem, _text_of(path)
    return name or "deck", name or "deck", deck


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FileFormatError(f"the deck {str(path)!r} is not a text file.") from None
    except (OSError, ValueError) as error:
        raise FileFormatError(f"the deck {str(path)!r} cannot be read: {unreadable(error)}.") from None


def read_counts(reader: FieldReader, names: Sequence[str]) -> tuple[Record, dict[str, int]]:
    """The first record: none negative, at least one body."""
    record = reader.take("counts", names, integers=names)
    counts = {name: record.integer(name) for name in names}
    for name, count in counts.items():
        if count < 0:
            raise record.error(f"{count} must not be negative.", name)
    if counts["NB"] < 1:
        raise record.error("0 bodies; there must be at least one.", "NB")
    return record, counts


def read_groups(
    reader: FieldReader, counts: dict[str, int], groups: Sequence[Group]
) -> tuple[dict[str, list[Record]], Record]:
    """All records after the counts, by name of their count, and the time record."""
    found: dict[str, list[Record]] = {}
    for position, (key, what, fields, integers) in enumerate(groups):
        found[key] = []
        for k in range(1, counts[key] + 1):
            awaited = _awaited(counts, groups[position:], k)
            record = reader.take(f"{what} {k}", fields, integers=integers, awaited=awaited)
            check_bodies(record, integers, counts["NB"])
            found[key].append(record)
    times = reader.take("time record", TIMES)
    reader.finish("time record")
    return found, times


def reading_notes(reader: FieldReader) -> tuple[str, ...]:
    """Notes on numbers that the deck holds and its records do not take."""
    text = [str(surplus) for surplus in reader.surplus]
    return tuple(f"{note[0].upper()}{note[1:]}." for note in text)


def _awaited(counts: dict[str, int], groups: Sequence[Group], k: int) -> str:
    """What the deck must still hold after the k-th record of the first of these groups."""
    rest = []
    for index, (key, what, _, _) in enumerate(groups):
        left = counts[key] - (k if index == 0 else 0)
        if left > 0:
            rest.append(f"{left} × {what.removesuffix(' of body')}")
    return ", ".join([*rest, f"the time record ({', '.join(TIMES)})"])


def check_bodies(record: Record, integers: Sequence[str], n_bodies: int) -> None:
    for field in integers:
        number = record.integer(field)
        if field == "dir":
            if not 1 <= number <= 3:
                raise record.error(f"{number} is no direction; use 1 for x, 2 for y, 3 for phi.", field)
        elif not 1 <= number <= n_bodies:
            raise record.error(f"there is no body {number}; bodies are numbered 1 to {n_bodies} (NB).", field)
    if "j" in record.names and record.integer("i") == record.integer("j"):
        what = "joint" if "joint" in record.title else "element"
        raise record.error(f"the {what} connects body {record.integer('i')} with itself.", "j")


def check_slides(records: Sequence[Record]) -> None:
    """P and Q of a translational joint must differ."""
    for record in records:
        _, _, px, py, qx, qy, *_ = record.values
        if math.hypot(px - qx, py - qy) <= 1e-12 * (abs(px) + abs(py)):
            raise record.error(
                f"P and Q coincide at ({px:g}, {py:g}) on body {record.integer('i')}, so the line has no direction; move Q "
                "along it.",
                "xi_Q_i",
            )


def check_coordinates(records: Sequence[Record]) -> None:
    """No coordinate may be held or driven twice."""
    holders: dict[tuple[int, int], Record] = {}
    for record in records:
        body = record.integer("body")
        directions = (record.integer("dir"),) if "dir" in record.names else (1, 2, 3)
        for direction in directions:
            other = holders.setdefault((body, direction), record)
            if other is not record:
                what = "driven" if other.title.startswith("driver") else "held"
                raise record.error(
                    f"{DIRECTIONS[direction - 1]} of body {body} is {what} already by {other.title} on line {other.line}.",
                    "dir" if len(directions) == 1 else "body",
                )


def check_times(record: Record) -> None:
    """The end may not lie before the start, nor the step be negative or tiny."""
    first, last, step = record.values
    if step < 0.0:
        raise record.error(f"the step is {step:g} s; it must be positive, or 0 for a single report.", "DT")
    if last < first:
        raise record.error(f"the end {last:g} s lies before the start {first:g} s.", "TE")
    if _report_count(first, last, step) > MOST_REPORTS:
        raise record.error(f"a step of {step:g} s asks for more than {MOST_REPORTS} reports; make it larger.", "DT")


def report_times(first: float, last: float, step: float) -> NDArray[np.float64]:
    """Times of the reports, T0 + k DT up to TE; only T0 if DT is 0 [s]."""
    steps = np.arange(_report_count(first, last, step), dtype=np.float64)
    return np.asarray(first + step * steps, dtype=np.float64)


def _report_count(first: float, last: float, step: float) -> int:
    if step == 0.0:
        return 1
    # decimal steps are not exact in binary: 0.025 × 40 must still reach 1
    return math.floor(min((last - first) / step * (1.0 + 1e-12) + 1e-9, 2.0 * MOST_REPORTS)) + 1


def joint_parts(groups: dict[str, list[Record]]) -> dict[str, Any]:
    """Joints, grounded bodies, simple constraints and points of a deck, by the names of its attributes."""
    return {
        "revolutes": tuple(Revolute(r.line, *_ij(r), *pairs(r.values[2:])) for r in groups["NR"]),
        "translationals": tuple(Translational(r.line, *_ij(r), *pairs(r.values[2:])) for r in groups["NT"]),
        "grounded": tuple((r.line, r.integer("body")) for r in groups["NG"]),
        "simples": tuple(Simple(r.line, r.integer("body"), r.integer("dir")) for r in groups["NS"]),
        "points": tuple(PointOfInterest(r.line, r.integer("body"), *r.values[1:]) for r in groups["NP"]),
    }


def _ij(record: Record) -> tuple[int, int]:
    return record.integer("i"), record.integer("j")


def pairs(numbers: Sequence[float]) -> list[Any]:
    """Points of a joint record: (P_i, P_j), or (P_i, Q_i, P_j)."""
    return [(numbers[k], numbers[k + 1]) for k in range(0, len(numbers), 2)]


# --- as a model ------------------------------------------------------------------------------------------------------


def add_joints(model: PlanarModel, bodies: Sequence[Body], deck: JointedDeck) -> None:
    """Add the joints of a deck to a model: revolute1 …, slider1 …, fix1 …, simple1 …"""
    for k, pin in enumerate(deck.revolutes, start=1):
        model.revolute(f"revolute{k}", bodies[pin.i - 1].at(*pin.p_i), bodies[pin.j - 1].at(*pin.p_j))
    for k, slide in enumerate(deck.translationals, start=1):
        i, j = bodies[slide.i - 1], bodies[slide.j - 1]
        # the angle is that of the typed estimates: drivers are read later and do not change it
        angle = deck.estimates[slide.j - 1][2] - deck.estimates[slide.i - 1][2]
        line = (i.at(*slide.p_i), i.at(*slide.q_i))
        model.prismatic(f"slider{k}", i, j.at(*slide.p_j), line=line, angle=angle)
    for k, (_, body) in enumerate(deck.grounded, start=1):
        model.fix(f"fix{k}", bodies[body - 1])
    for k, simple in enumerate(deck.simples, start=1):
        value = deck.estimates[simple.body - 1][simple.direction - 1]
        quantity = bodies[simple.body - 1].measures[DIRECTIONS[simple.direction - 1]]
        model.constrain(f"simple{k}", quantity, value=value)


def add_points(model: PlanarModel, bodies: Sequence[Body], deck: JointedDeck) -> None:
    """Add the points of interest of a deck to a model: P1 …"""
    for k, point in enumerate(deck.points, start=1):
        model.point(f"P{k}", bodies[point.body - 1], local=(point.xi, point.eta))
