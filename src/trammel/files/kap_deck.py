"""KAP decks: the input of the kinematic analysis program of Nikravesh (1988), section 5.1.

    deck = read_kap("four_bar.kap")
    result = deck.run()

Records, in this order, each beginning on a new line:

    NB, NR, NT, NG, NS, ND, NP                                       counts, once
    x, y, phi                                                        estimate, for each of NB bodies
    i, j, xi_P_i, eta_P_i, xi_P_j, eta_P_j                           for each of NR revolute joints
    i, j, xi_P_i, eta_P_i, xi_Q_i, eta_Q_i, xi_P_j, eta_P_j          for each of NT translational joints
    body                                                             for each of NG grounded bodies
    body, dir                                                        for each of NS simple constraints (1 x, 2 y, 3 phi)
    body, dir, pos0, vel0, acc                                       for each of ND drivers
    body, xi, eta                                                    for each of NP points of interest
    T0, TE, DT                                                       times, once

The estimates of grounded and simply constrained coordinates, and the angles of bodies in translational joints, are data;
all others are only where the iteration begins. A driver is pos0 + vel0 t + acc t²/2 with t counted from zero, not from T0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trammel.errors import FileFormatError
from trammel.files.kap_fields import FieldReader, Record
from trammel.model.model import PlanarModel
from trammel.model.motion import constant_acceleration

if TYPE_CHECKING:
    from trammel.results.result import Result

COUNTS = ("NB", "NR", "NT", "NG", "NS", "ND", "NP")
DIRECTIONS = ("x", "y", "phi")
LEVELS = ("position", "velocity", "acceleration")
MOST_REPORTS = 1_000_000
_REVOLUTE = ("i", "j", "xi_P_i", "eta_P_i", "xi_P_j", "eta_P_j")
_TRANSLATIONAL = ("i", "j", "xi_P_i", "eta_P_i", "xi_Q_i", "eta_Q_i", "xi_P_j", "eta_P_j")
# prefix of the count's name, title of one record, fields, whole numbers among them; in the order of the deck
_GROUPS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("NB", "initial estimate of body", ("x", "y", "phi"), ()),
    ("NR", "revolute joint", _REVOLUTE, ("i", "j")),
    ("NT", "translational joint", _TRANSLATIONAL, ("i", "j")),
    ("NG", "grounded body", ("body",), ("body",)),
    ("NS", "simple constraint", ("body", "dir"), ("body", "dir")),
    ("ND", "driver", ("body", "dir", "pos0", "vel0", "acc"), ("body", "dir")),
    ("NP", "point of interest", ("body", "xi", "eta"), ("body",)),
)

Pair = tuple[float, float]


@dataclass(frozen=True)
class KapRevolute:
    """Pin between point P of body i and point P of body j."""

    line: int
    i: int
    j: int
    p_i: Pair
    p_j: Pair


@dataclass(frozen=True)
class KapTranslational:
    """Slide: P of body j stays on the line through P and Q of body i."""

    line: int
    i: int
    j: int
    p_i: Pair
    q_i: Pair
    p_j: Pair


@dataclass(frozen=True)
class KapSimple:
    """Coordinate held at its estimate; direction 1 x, 2 y, 3 phi."""

    line: int
    body: int
    direction: int


@dataclass(frozen=True)
class KapDriver:
    """Coordinate driven as position + velocity t + acceleration t²/2 (radians)."""

    line: int
    body: int
    direction: int
    position: float
    velocity: float
    acceleration: float

    def at(self, time: float) -> float:
        return self.position + time * (self.velocity + 0.5 * time * self.acceleration)


@dataclass(frozen=True)
class KapPoint:
    """Point of interest in body coordinates."""

    line: int
    body: int
    xi: float
    eta: float


@dataclass(frozen=True)
class KapDeck:
    """A deck as it was understood; angles in radians, lengths in the deck's own unit.

    Attributes:
        name: Name of the deck, used as the model's title.
        counts: NB, NR, NT, NG, NS, ND, NP.
        estimates: x, y, phi of each body.
        estimate_lines: Lines they stand on.
        grounded: (line, body) of each grounded body.
        first, last, step: T0, TE, DT [s].
        degrees: Angles were given in degrees, and are reported so.
    """

    name: str
    counts: dict[str, int]
    estimates: tuple[tuple[float, float, float], ...]
    estimate_lines: tuple[int, ...]
    revolutes: tuple[KapRevolute, ...]
    translationals: tuple[KapTranslational, ...]
    grounded: tuple[tuple[int, int], ...]
    simples: tuple[KapSimple, ...]
    drivers: tuple[KapDriver, ...]
    points: tuple[KapPoint, ...]
    first: float
    last: float
    step: float
    degrees: bool = False

    def times(self) -> NDArray[np.float64]:
        """Times of the reports, T0 + k DT up to TE; only T0 if DT is 0 [s]."""
        steps = np.arange(_report_count(self.first, self.last, self.step), dtype=np.float64)
        return np.asarray(self.first + self.step * steps, dtype=np.float64)

    def start(self) -> tuple[tuple[float, float, float], ...]:
        """Estimates from which the iteration begins: a driver's pos0 takes the place of what was typed."""
        poses = [list(pose) for pose in self.estimates]
        for driver in self.drivers:
            poses[driver.body - 1][driver.direction - 1] = driver.position
        return tuple((x, y, phi) for x, y, phi in poses)

    def model(self) -> PlanarModel:
        """The same mechanism as a model: bodies body1 … bodyN, ground among them, held by ``fix``."""
        model = PlanarModel(self.name)
        bodies = [
            model.body(f"body{k}", position=(x, y), angle=phi) for k, (x, y, phi) in enumerate(self.start(), start=1)
        ]
        for k, pin in enumerate(self.revolutes, start=1):
            model.revolute(f"revolute{k}", bodies[pin.i - 1].at(*pin.p_i), bodies[pin.j - 1].at(*pin.p_j))
        for k, slide in enumerate(self.translationals, start=1):
            i, j = bodies[slide.i - 1], bodies[slide.j - 1]
            # the angle is that of the typed estimates: drivers are read later and do not change it
            angle = self.estimates[slide.j - 1][2] - self.estimates[slide.i - 1][2]
            line = (i.at(*slide.p_i), i.at(*slide.q_i))
            model.translational(f"slider{k}", i, j.at(*slide.p_j), line=line, angle=angle)
        for k, (_, body) in enumerate(self.grounded, start=1):
            model.fix(f"fix{k}", bodies[body - 1])
        for k, simple in enumerate(self.simples, start=1):
            value = self.estimates[simple.body - 1][simple.direction - 1]
            quantity = bodies[simple.body - 1].measures[DIRECTIONS[simple.direction - 1]]
            model.constrain(f"simple{k}", quantity, value=value)
        for k, driver in enumerate(self.drivers, start=1):
            motion = constant_acceleration(driver.position, driver.velocity, driver.acceleration)
            model.driver(f"driver{k}", bodies[driver.body - 1].measures[DIRECTIONS[driver.direction - 1]], motion)
        for k, point in enumerate(self.points, start=1):
            model.point(f"P{k}", bodies[point.body - 1], local=(point.xi, point.eta))
        return model

    def run(self, *, level: int = 3, progress: bool = True) -> Result:
        """Analyse the mechanism.

        Args:
            level: 1 positions, 2 also velocities, 3 also accelerations (problem 5.12 of the book).
            progress: Show a progress bar if it takes long.
        """
        options: dict[str, Any] = {"times": self.times(), "level": LEVELS[level - 1], "progress": progress}
        return self.model().kinematics(**options)


def read_kap(deck: str | Path, *, degrees: bool = False, name: str | None = None) -> KapDeck:
    """Read a deck from a file, or from a text of several lines.

    Args:
        deck: Path, or the text itself if it has more than one line.
        degrees: Angles and angular rates in the deck are in degrees.
        name: Name to use in messages and titles; by default the file's.

    Raises:
        FileFormatError: With line, field and reason.
    """
    if isinstance(deck, Path) or "\n" not in deck:
        path = Path(deck)
        source, title = name or path.name, name or path.stem
        text = _text_of(path)
    else:
        source, title, text = name or "deck", name or "deck", deck
    reader = FieldReader(text, source)
    counts = _read_counts(reader)
    groups: dict[str, list[Record]] = {}
    for position, (key, what, fields, integers) in enumerate(_GROUPS):
        groups[key] = []
        for k in range(1, counts[key] + 1):
            awaited = _awaited(counts, position, k)
            groups[key].append(reader.take(f"{what} {k}", fields, integers=integers, awaited=awaited))
            _check_bodies(groups[key][-1], integers, counts["NB"])
    times = reader.take("time record", ("T0", "TE", "DT"))
    reader.finish("time record")
    _check_slides(groups["NT"])
    _check_coordinates(groups)
    _check_times(times)
    return _deck(title, counts, groups, times, degrees)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileFormatError(f"the deck {str(path)!r} cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise FileFormatError(f"the deck {str(path)!r} is not a text file.") from None


def _read_counts(reader: FieldReader) -> dict[str, int]:
    record = reader.take("counts", COUNTS, integers=COUNTS)
    counts = {name: record.integer(name) for name in COUNTS}
    for name, count in counts.items():
        if count < 0:
            raise record.error(f"{count} must not be negative.", name)
    if counts["NB"] < 1:
        raise record.error("0 bodies; there must be at least one.", "NB")
    n = 3 * counts["NB"]
    m = 2 * (counts["NR"] + counts["NT"]) + 3 * counts["NG"] + counts["NS"] + counts["ND"]
    if n != m:
        raise record.error(
            f"N = 3·NB = {n}, but M = 2(NR+NT)+3NG+NS+ND = 2({counts['NR']}+{counts['NT']})+3·{counts['NG']}+{counts['NS']}"
            f"+{counts['ND']} = {m}: {_imbalance(n - m)} There must be as many constraints as coordinates."
        )
    return counts


def _imbalance(missing: int) -> str:
    if missing == 1:
        return "one driver missing?"
    if missing == 3:
        return "3 constraints missing, the grounded body (NG)?"
    if missing > 0:
        return f"{missing} constraints or drivers missing."
    return "one constraint or driver too many." if missing == -1 else f"{-missing} constraints or drivers too many."


def _awaited(counts: dict[str, int], position: int, k: int) -> str:
    """What the deck must still hold after the k-th record of a group."""
    rest = []
    for index, (key, what, _, _) in enumerate(_GROUPS[position:]):
        left = counts[key] - (k if index == 0 else 0)
        if left > 0:
            rest.append(f"{left} × {what.removesuffix(' of body')}")
    return ", ".join([*rest, "the time record (T0, TE, DT)"])


def _check_bodies(record: Record, integers: Sequence[str], n_bodies: int) -> None:
    for field in integers:
        number = record.integer(field)
        if field == "dir":
            if not 1 <= number <= 3:
                raise record.error(f"{number} is no direction; use 1 for x, 2 for y, 3 for phi.", field)
        elif not 1 <= number <= n_bodies:
            raise record.error(f"there is no body {number}; bodies are numbered 1 to {n_bodies} (NB).", field)
    if "j" in record.names and record.integer("i") == record.integer("j"):
        raise record.error(f"the joint connects body {record.integer('i')} with itself.", "j")


def _check_slides(records: Sequence[Record]) -> None:
    for record in records:
        _, _, px, py, qx, qy, *_ = record.values
        if math.hypot(px - qx, py - qy) <= 1e-12 * (abs(px) + abs(py)):
            raise record.error(
                f"P and Q coincide at ({px:g}, {py:g}) on body {record.integer('i')}, so the line has no direction; move Q "
                "along it.",
                "xi_Q_i",
            )


def _check_coordinates(groups: dict[str, list[Record]]) -> None:
    """No coordinate may be held or driven twice."""
    holders: dict[tuple[int, int], Record] = {}
    for record in [*groups["NG"], *groups["NS"], *groups["ND"]]:
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


def _check_times(record: Record) -> None:
    first, last, step = record.values
    if step < 0.0:
        raise record.error(f"the step is {step:g} s; it must be positive, or 0 for a single report.", "DT")
    if last < first:
        raise record.error(f"the end {last:g} s lies before the start {first:g} s.", "TE")
    if _report_count(first, last, step) > MOST_REPORTS:
        raise record.error(f"a step of {step:g} s asks for more than {MOST_REPORTS} reports; make it larger.", "DT")


def _report_count(first: float, last: float, step: float) -> int:
    if step == 0.0:
        return 1
    # decimal steps are not exact in binary: 0.025 × 40 must still reach 1
    return math.floor(min((last - first) / step * (1.0 + 1e-12) + 1e-9, 2.0 * MOST_REPORTS)) + 1


def _deck(title: str, counts: dict[str, int], groups: dict[str, list[Record]], times: Record, degrees: bool) -> KapDeck:
    deck = KapDeck(
        name=title,
        counts=counts,
        estimates=tuple((r.values[0], r.values[1], r.values[2]) for r in groups["NB"]),
        estimate_lines=tuple(r.line for r in groups["NB"]),
        revolutes=tuple(KapRevolute(r.line, *_ij(r), *_pairs(r)) for r in groups["NR"]),
        translationals=tuple(KapTranslational(r.line, *_ij(r), *_pairs(r)) for r in groups["NT"]),
        grounded=tuple((r.line, r.integer("body")) for r in groups["NG"]),
        simples=tuple(KapSimple(r.line, r.integer("body"), r.integer("dir")) for r in groups["NS"]),
        drivers=tuple(KapDriver(r.line, r.integer("body"), r.integer("dir"), *r.values[2:]) for r in groups["ND"]),
        points=tuple(KapPoint(r.line, r.integer("body"), *r.values[1:]) for r in groups["NP"]),
        first=times.values[0],
        last=times.values[1],
        step=times.values[2],
        degrees=degrees,
    )
    return _in_radians(deck) if degrees else deck


def _ij(record: Record) -> tuple[int, int]:
    return record.integer("i"), record.integer("j")


def _pairs(record: Record) -> list[Any]:
    """Points of a joint record: (P_i, P_j), or (P_i, Q_i, P_j)."""
    numbers = record.values[2:]
    return [(numbers[k], numbers[k + 1]) for k in range(0, len(numbers), 2)]


def _in_radians(deck: KapDeck) -> KapDeck:
    unit = math.pi / 180.0
    drivers = [
        replace(d, position=unit * d.position, velocity=unit * d.velocity, acceleration=unit * d.acceleration)
        if d.direction == 3
        else d
        for d in deck.drivers
    ]
    return replace(deck, estimates=tuple((x, y, unit * phi) for x, y, phi in deck.estimates), drivers=tuple(drivers))
