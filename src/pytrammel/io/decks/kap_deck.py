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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.terminal_text import visible
from pytrammel.errors import FileFormatError
from pytrammel.expressions.profiles import constant_acceleration
from pytrammel.io.decks.deck_fields import FieldReader, Record
from pytrammel.io.decks.deck_records import (
    DIRECTIONS,
    GROUNDED,
    POINT,
    REVOLUTE,
    SIMPLE,
    TRANSLATIONAL,
    Driver,
    Group,
    PointOfInterest,
    Revolute,
    Simple,
    Translational,
    add_joints,
    add_points,
    check_coordinates,
    check_slides,
    check_times,
    joint_parts,
    opened,
    read_counts,
    read_groups,
    reading_notes,
    report_times,
)
from pytrammel.model.planar import PlanarModel

if TYPE_CHECKING:
    from pytrammel.io.decks.kap_quirks import Constants
    from pytrammel.results.result import Result

COUNTS = ("NB", "NR", "NT", "NG", "NS", "ND", "NP")
LEVELS = ("position", "velocity", "acceleration")
_BODY: Group = ("NB", "initial estimate of body", ("x", "y", "phi"), ())
_DRIVER: Group = ("ND", "driver", ("body", "dir", "pos0", "vel0", "acc"), ("body", "dir"))
GROUPS = (_BODY, REVOLUTE, TRANSLATIONAL, GROUNDED, SIMPLE, _DRIVER, POINT)  # in the order of the deck


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
        notes: Numbers of the deck that were ignored.
    """

    name: str
    counts: dict[str, int]
    estimates: tuple[tuple[float, float, float], ...]
    estimate_lines: tuple[int, ...]
    revolutes: tuple[Revolute, ...]
    translationals: tuple[Translational, ...]
    grounded: tuple[tuple[int, int], ...]
    simples: tuple[Simple, ...]
    drivers: tuple[Driver, ...]
    points: tuple[PointOfInterest, ...]
    first: float
    last: float
    step: float
    degrees: bool = False
    notes: tuple[str, ...] = ()

    @property
    def n_constraints(self) -> int:
        return 3 * self.counts["NB"] + self.excess

    @property
    def excess(self) -> int:
        """Number of constraints beyond the number of coordinates, M - N; the redundant ones among them are left out."""
        return excess_of(self.counts)

    def times(self) -> NDArray[np.float64]:
        """Times of the reports, T0 + k DT up to TE; only T0 if DT is 0 [s]."""
        return report_times(self.first, self.last, self.step)

    def model(self) -> PlanarModel:
        """The same mechanism as a model: bodies body1 … bodyN, ground among them, held by ``fix``.

        The typed estimates are the design configuration. KAP's Newton iteration starts there as well: a driver does not
        change the estimate of the coordinate that it drives.
        """
        model = PlanarModel(visible(self.name))
        bodies = [
            model.body(f"body{k}", position=(x, y), angle=phi) for k, (x, y, phi) in enumerate(self.estimates, start=1)
        ]
        add_joints(model, bodies, self)
        for k, driver in enumerate(self.drivers, start=1):
            motion = constant_acceleration(driver.position, driver.velocity, driver.acceleration)
            model.driver(f"driver{k}", bodies[driver.body - 1].measures[DIRECTIONS[driver.direction - 1]], motion)
        add_points(model, bodies, self)
        return model

    def run(self, *, level: int = 3, constants: Constants | None = None, progress: bool = True) -> Result:
        """Analyse the mechanism.

        Args:
            level: 1 positions, 2 also velocities, 3 also accelerations (problem 5.12 of the book).
            constants: NRMAX, FEPS and EPSLU of KAP's own algorithm, which is used then; by default Trammel's kinematics.
            progress: Show a progress bar if it takes long.
        """
        if constants is not None:
            from pytrammel.io.decks.kap_listing import listing_result

            return listing_result(self, constants, level)
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
    source, title, text = opened(deck, name)
    reader = FieldReader(text, source)
    record, counts = read_counts(reader, COUNTS)
    check_balance(record, counts)
    try:
        groups, times = read_groups(reader, counts, GROUPS)
        for key in groups:
            check_group(key, groups)
        check_times(times)
    except FileFormatError as error:
        if excess_of(counts) > 0:
            raise _unbalanced(record, counts) from None
        raise reader.explained(error) from None
    return _deck(title, counts, groups, times, degrees, reading_notes(reader))


def excess_of(counts: dict[str, int]) -> int:
    """Number of constraints beyond the number of coordinates, M - N."""
    return 2 * (counts["NR"] + counts["NT"]) + 3 * counts["NG"] + counts["NS"] + counts["ND"] - 3 * counts["NB"]


def check_balance(record: Record, counts: dict[str, int]) -> None:
    """Raise an error where constraints are missing; those beyond the coordinates may be redundant."""
    if excess_of(counts) < 0:
        raise _unbalanced(record, counts)


def check_group(key: str, groups: dict[str, list[Record]]) -> None:
    """Check the records of one group, with those before it; the last one may be new."""
    if key == "NT":
        check_slides(groups[key])
    if key in ("NG", "NS", "ND"):
        check_coordinates([record for other in ("NG", "NS", "ND") for record in groups.get(other, [])])


def _unbalanced(record: Record, counts: dict[str, int]) -> FileFormatError:
    n, excess = 3 * counts["NB"], excess_of(counts)
    return record.error(
        f"N = 3·NB = {n}, but M = 2(NR+NT)+3NG+NS+ND = 2({counts['NR']}+{counts['NT']})+3·{counts['NG']}+{counts['NS']}"
        f"+{counts['ND']} = {n + excess}: {_imbalance(-excess)} There must be as many constraints as coordinates."
    )


def _imbalance(missing: int) -> str:
    if missing == 1:
        return "one driver missing?"
    if missing == 3:
        return "3 constraints missing, the grounded body (NG)?"
    if missing > 0:
        return f"{missing} constraints or drivers missing."
    return "one constraint or driver too many." if missing == -1 else f"{-missing} constraints or drivers too many."


def _deck(
    title: str,
    counts: dict[str, int],
    groups: dict[str, list[Record]],
    times: Record,
    degrees: bool,
    notes: tuple[str, ...],
) -> KapDeck:
    deck = KapDeck(
        name=title,
        counts=counts,
        estimates=tuple((r.values[0], r.values[1], r.values[2]) for r in groups["NB"]),
        estimate_lines=tuple(r.line for r in groups["NB"]),
        drivers=tuple(Driver(r.line, r.integer("body"), r.integer("dir"), *r.values[2:]) for r in groups["ND"]),
        **joint_parts(groups),
        first=times.values[0],
        last=times.values[1],
        step=times.values[2],
        degrees=degrees,
        notes=notes,
    )
    return _in_radians(deck) if degrees else deck


def _in_radians(deck: KapDeck) -> KapDeck:
    unit = math.pi / 180.0
    drivers = [
        replace(d, position=unit * d.position, velocity=unit * d.velocity, acceleration=unit * d.acceleration)
        if d.direction == 3
        else d
        for d in deck.drivers
    ]
    return replace(deck, estimates=tuple((x, y, unit * phi) for x, y, phi in deck.estimates), drivers=tuple(drivers))
