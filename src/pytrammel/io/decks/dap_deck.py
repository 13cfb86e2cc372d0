"""DAP decks: the input of the dynamic analysis program of Nikravesh (1988), section 10.2.

    deck = read_dap("four_bar.dap")
    result = deck.run()

Records, in this order, each beginning on a new line:

    NB, NR, NT, NG, NS, NSP, NP                                      counts, once
    x, y, phi, xd, yd, phid, m, mu, fx, fy, n                        for each of NB bodies: state, mass, inertia, load
    i, j, xi_P_i, eta_P_i, xi_P_j, eta_P_j                           for each of NR revolute joints
    i, j, xi_P_i, eta_P_i, xi_Q_i, eta_Q_i, xi_P_j, eta_P_j          for each of NT translational joints
    body                                                             for each of NG grounded bodies
    body, dir                                                        for each of NS simple constraints (1 x, 2 y, 3 phi)
    i, j, xi_P_i, eta_P_i, xi_P_j, eta_P_j, k, d, fa, l0             for each of NSP spring-damper-actuator elements
    body, xi, eta                                                    for each of NP points of interest
    T0, TE, DT                                                       times, once

Body frames sit at the centroids. The weight acts on every body by itself; fx, fy, n are constant loads at the centroid in
global directions. The typed coordinates are the constants of ground, simple and translational constraints. A deck with as many
constraints as coordinates (M = N) is a structure and gets a static analysis; its times and velocities are read and ignored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel._util.terminal_text import visible
from pytrammel.errors import FileFormatError, MobilityError, ModelError, SingularError
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
    Pair,
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
    pairs,
    read_counts,
    read_groups,
    reading_notes,
    report_times,
)
from pytrammel.model.planar import PlanarModel

if TYPE_CHECKING:
    from pytrammel.analysis.formulations import Formulation
    from pytrammel.analysis.methods import Method
    from pytrammel.analysis.treatments import Treatment
    from pytrammel.results.result import Result

COUNTS = ("NB", "NR", "NT", "NG", "NS", "NSP", "NP")
GRAVITY = (0.0, -9.81)
OPEN = 1e-2  # share of the mechanism's size by which a joint left out may open: more than any drift of the typed start
_BODY_AND_DIRECTION = re.compile(r"\s*(\d{1,9})\s*,\s*(\d{1,9})\s*")
_BODY: Group = ("NB", "body", ("x", "y", "phi", "xd", "yd", "phid", "m", "mu", "fx", "fy", "n"), ())
_ELEMENT: Group = (
    "NSP",
    "spring-damper-actuator element",
    ("i", "j", "xi_P_i", "eta_P_i", "xi_P_j", "eta_P_j", "k", "d", "fa", "l0"),
    ("i", "j"),
)
GROUPS = (_BODY, REVOLUTE, TRANSLATIONAL, GROUNDED, SIMPLE, _ELEMENT, POINT)  # in the order of the deck


@dataclass(frozen=True)
class DapBody:
    """State at T0, mass [kg], moment of inertia [kg m²] and constant load of a body; angles in radians."""

    line: int
    x: float
    y: float
    phi: float
    xd: float
    yd: float
    phid: float
    mass: float
    inertia: float
    fx: float
    fy: float
    n: float


@dataclass(frozen=True)
class DapElement:
    """Spring, damper and actuator between P of body i and P of body j: k (l - l0) + d l' + fa, positive if it pulls."""

    line: int
    i: int
    j: int
    p_i: Pair
    p_j: Pair
    stiffness: float
    damping: float
    force: float
    free_length: float


@dataclass(frozen=True)
class DapDeck:
    """A deck as it was understood; angles in radians.

    Attributes:
        name: Name of the deck, used as the model's title.
        counts: NB, NR, NT, NG, NS, NSP, NP.
        grounded: (line, body) of each grounded body.
        first, last, step: T0, TE, DT [s].
        degrees: Angles were given in degrees, and are reported so.
        notes: Numbers of the deck that were ignored.
    """

    name: str
    counts: dict[str, int]
    bodies: tuple[DapBody, ...]
    revolutes: tuple[Revolute, ...]
    translationals: tuple[Translational, ...]
    grounded: tuple[tuple[int, int], ...]
    simples: tuple[Simple, ...]
    elements: tuple[DapElement, ...]
    points: tuple[PointOfInterest, ...]
    first: float
    last: float
    step: float
    degrees: bool = False
    notes: tuple[str, ...] = ()

    @property
    def estimates(self) -> tuple[tuple[float, float, float], ...]:
        """x, y, phi of each body, as typed."""
        return tuple((b.x, b.y, b.phi) for b in self.bodies)

    @property
    def drivers(self) -> tuple[Driver, ...]:
        """DAP has none."""
        return ()

    @property
    def n_coordinates(self) -> int:
        return 3 * self.counts["NB"]

    @property
    def n_constraints(self) -> int:
        return _constraint_count(self.counts)

    @property
    def is_static(self) -> bool:
        """As many constraints as coordinates: a structure."""
        return self.n_coordinates == self.n_constraints

    def typed(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coordinates and velocities as typed, shape (3·NB,) each; velocities of a structure count as zero."""
        q = np.array(self.estimates, dtype=float).ravel()
        v = np.array([(b.xd, b.yd, b.phid) for b in self.bodies], dtype=float).ravel()
        return q, np.zeros_like(v) if self.is_static else v

    def times(self, every: int = 1) -> NDArray[np.float64]:
        """Times of the reports: every n-th of T0 + k DT up to TE; only T0 for a structure [s]."""
        if self.is_static:
            return np.array([self.first])
        return report_times(self.first, self.last, self.step)[::every]

    def model(self, *, gravity: tuple[float, float] = GRAVITY) -> PlanarModel:
        """The same mechanism as a model: bodies body1 … bodyN, ground among them, held by ``fix``; element1 …, load1 …

        Args:
            gravity: Acceleration of gravity [m/s²].
        """
        model = PlanarModel(visible(self.name), gravity=gravity)
        bodies = []
        grounded = {body for _, body in self.grounded}
        _, speeds = self.typed()
        for k, b in enumerate(self.bodies):
            vx, vy, spin = speeds[3 * k : 3 * k + 3]
            given: dict[str, Any] = {"velocity": (vx, vy), "omega": spin, **_mass_of(b, k + 1 in grounded)}
            bodies.append(model.body(f"body{k + 1}", position=(b.x, b.y), angle=b.phi, **given))
        add_joints(model, bodies, self)
        for k, e in enumerate(self.elements, start=1):
            law = {"stiffness": e.stiffness, "damping": e.damping, "force": e.force, "free_length": e.free_length}
            model.spring(f"element{k}", bodies[e.i - 1].at(*e.p_i), bodies[e.j - 1].at(*e.p_j), **law)
        for k, b in enumerate(self.bodies, start=1):
            if b.fx or b.fy:
                model.force(f"load{k}", bodies[k - 1].at(0.0, 0.0), (b.fx, b.fy))
            if b.n:
                model.torque(f"moment{k}", bodies[k - 1], b.n)
        add_points(model, bodies, self)
        return model

    def run(
        self,
        *,
        method: str | Method = "default",
        constraints: str | Treatment | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        hold: Sequence[str] = (),
        formulation: str | Formulation = "cartesian",
        every: int = 1,
        gravity: tuple[float, float] = GRAVITY,
        correct: bool = True,
        equilibrium: bool = False,
        progress: bool = True,
    ) -> Result:
        """Analyse the mechanism: motion under its forces, or the reactions of a structure.

        Args:
            method: Integration method, see ``tm.methods``; those with a fixed step take DT for it ("rk4" as DAP did), the others control
                their error.
            constraints: Enforcement of constraints, see ``tm.enforcement``: "projection" (default), "baumgarte", ..., or "none", which is
                the default if the start is taken as typed.
            rtol, atol: Allowed error per step of methods with error control, as in `simulate`; default 1e-8 and 1e-10.
            hold: Typed coordinates and velocities that the correction of the start keeps: "body2.phi", "body2.omega", or body and
                direction as in a simple constraint, "2,3".
            formulation: In which coordinates, see ``tm.formulations``: "cartesian" as DAP did (default), "joint", ...
            every: Report every n-th step only.
            gravity: Acceleration of gravity [m/s²].
            correct: Make the typed start satisfy the constraints; False takes it as typed, as DAP did.
            equilibrium: Begin in the position of rest nearest to the typed one, with the typed velocities.
            progress: Show a progress bar if it takes long.

        Raises:
            ConvergenceError: The integration stopped; ``error.partial`` holds what was computed.
            MobilityError: A structure that can move.
            SingularError: A start in a singular position, from which the joints come apart.
        """
        from pytrammel.analysis.methods import method_named
        from pytrammel.analysis.start.given import InitialConditions

        model = self.model(gravity=gravity)
        given = {"constraints": constraints, "rtol": rtol, "atol": atol}
        options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        held = self._held_names(hold)
        usual = {"method": "default", "formulation": "cartesian"}
        options.update({k: x for k, x in (("method", method), ("formulation", formulation)) if x != usual[k]})
        if self.is_static:
            self._check_static_options(
                [
                    *options,
                    *(["hold"] if held else []),
                    *(["equilibrium"] if equilibrium else []),
                    *(["every"] if every != 1 else []),
                ]
            )
            return self._statics(model, correct)
        if hold and (equilibrium or not correct):
            start = "equilibrium begins in the position of rest" if equilibrium else "a start as typed is not corrected"
            raise ModelError(f"hold keeps typed coordinates, but {start}. Remove one of them.")
        if equilibrium:
            at_rest = model.equilibrium(time=self.first).model
            assert isinstance(at_rest, PlanarModel)
            model, correct = at_rest, True
        initial = InitialConditions(hold=held, correct=correct)
        options = {"constraints": "projection" if correct else "none", "initial": initial, **options}
        if method_named(method).fixed:
            if rtol is not None or atol is not None:
                raise ModelError(f"method {method!r} has steps of DT and no error control. Remove rtol and atol.")
            options["method"] = method_named(method).with_options(
                {"step": self.step or 1.0}
            )  # a single report takes no step
        result = model.simulate(times=self.times(every), progress=progress, **options)
        self._check_closed(result)
        return result

    def _held_names(self, hold: Sequence[str]) -> list[str]:
        """Names of coordinates to be kept; "2,3" is phi of body 2, as in a record of a simple constraint."""
        names, n_bodies = [], self.counts["NB"]
        for text in hold:
            record = _BODY_AND_DIRECTION.fullmatch(text)
            if record is None:
                names.append(text)
                continue
            body, direction = int(record[1]), int(record[2])
            if not (1 <= body <= n_bodies and 1 <= direction <= 3):
                raise ModelError(
                    f"hold= {text!r}: body {body} must be from 1 to {n_bodies} and direction {direction} 1 for x, 2 for y or 3 for phi."
                )
            names.append(f"body{body}.{DIRECTIONS[direction - 1]}")
        return names

    def _check_static_options(self, given: Sequence[str]) -> None:
        if given:
            raise ModelError(
                f"{self.name} is a structure (M = N): {', '.join(given)} {'has' if len(given) == 1 else 'have'} no effect on a static "
                f"analysis. Remove {'it' if len(given) == 1 else 'them'}."
            )

    def _check_closed(self, result: Result) -> None:
        """A row that depends on others at the start is left out of the solution; it must hold all the same."""
        if result.redundant and result.constraint_violation() > OPEN:
            joints = ", ".join(result.redundant)
            raise SingularError(
                f"{self.name} begins in a singular position (stretched or folded): {joints} depends on the other joints there, and "
                f"comes apart by {result.constraint_violation():.2g} of the mechanism's size later. Begin a little beside that position."
            )

    def _statics(self, model: PlanarModel, correct: bool) -> Result:
        from pytrammel.analysis.start.given import InitialConditions
        from pytrammel.io.decks.kap_quirks import constraint_rows

        q, _ = self.typed()
        rank = int(np.linalg.matrix_rank(constraint_rows(self, q, self.first)[1], tol=1e-9))
        movable = MobilityError(
            f"{self.name} has M = N = {q.size} constraints, but they do not hold it (rank {rank} as typed): it can move, and has no "
            "static solution. Leave out records that repeat others, and its motion is simulated; or move it out of the singular position."
        )
        if correct:
            try:
                return model.statics(time=self.first)
            except MobilityError:
                raise movable from None
        if rank < q.size:
            raise movable
        # joints stay as far apart as typed: at rest the accelerations of a structure are zero, whatever its masses
        return model.simulate(
            times=[self.first], initial=InitialConditions(correct=False), constraints="none", progress=False
        )


def _mass_of(body: DapBody, is_grounded: bool) -> dict[str, Any]:
    """Mass arguments of a body; a moving body may have none, and a moment of inertia all the same."""
    if body.mass > 0.0:
        return {"mass": body.mass, "inertia": body.inertia}
    if is_grounded:
        return {}
    return {"massless": True, "inertia": body.inertia or None}


def _constraint_count(counts: dict[str, int]) -> int:
    return 2 * (counts["NR"] + counts["NT"]) + 3 * counts["NG"] + counts["NS"]


def read_dap(deck: str | Path, *, degrees: bool = False, name: str | None = None) -> DapDeck:
    """Read a deck from a file, or from a text of several lines.

    Args:
        deck: Path, or the text itself if it has more than one line.
        degrees: Angles and angular velocities in the deck are in degrees.
        name: Name to use in messages and titles; by default the file's.

    Raises:
        FileFormatError: With line, field and reason.
    """
    source, title, text = opened(deck, name)
    reader = FieldReader(text, source)
    record, counts = read_counts(reader, COUNTS)
    excess = excess_of(counts)
    try:
        groups, times = read_groups(reader, counts, GROUPS)
        for key in groups:
            check_group(key, groups)
        if excess < 0:
            check_step(times)
    except FileFormatError as error:
        check_balance(record, counts)
        raise reader.explained(error) from None
    found = _deck(title, counts, groups, times, degrees, reading_notes(reader))
    if excess > 0:
        from pytrammel.io.decks.deck_redundancy import redundancy_notes

        raise _unbalanced(record, counts, " ".join(["", *redundancy_notes(found)]))
    return found


def excess_of(counts: dict[str, int]) -> int:
    """Number of constraints beyond the number of coordinates, M - N."""
    return _constraint_count(counts) - 3 * counts["NB"]


def check_balance(record: Record, counts: dict[str, int]) -> None:
    """Raise an error where there are more constraints than coordinates."""
    if excess_of(counts) > 0:
        raise _unbalanced(record, counts, "")


def _unbalanced(record: Record, counts: dict[str, int], more: str) -> FileFormatError:
    n, m = 3 * counts["NB"], _constraint_count(counts)
    return record.error(
        f"N = 3·NB = {n}, but M = 2(NR+NT)+3NG+NS = 2({counts['NR']}+{counts['NT']})+3·{counts['NG']}+{counts['NS']} = {m}: "
        f"{number_of(m - n, 'constraint')} too many. M < N is simulated, M = N is a structure.{more}"
    )


def check_group(key: str, groups: dict[str, list[Record]]) -> None:
    """Check the records of one group, with those before it; the last one may be new."""
    if key == "NB":
        _check_masses(groups[key])
    if key == "NT":
        check_slides(groups[key])
    if key in ("NG", "NS"):
        check_coordinates([record for other in ("NG", "NS") for record in groups.get(other, [])])
    if key == "NSP":
        _check_elements(groups[key])


def _check_masses(records: list[Record]) -> None:
    for record in records:
        mass, inertia = record.values[6], record.values[7]
        if mass < 0.0:
            raise record.error(f"the mass is {mass:g}; it must not be negative.", "m")
        if inertia < 0.0:
            raise record.error(f"the moment of inertia is {inertia:g}; it must not be negative.", "mu")


def _check_elements(records: list[Record]) -> None:
    for record in records:
        stiffness, free = record.values[6], record.values[9]
        if stiffness < 0.0:
            raise record.error(f"the stiffness is {stiffness:g}; it must not be negative.", "k")
        if free < 0.0:
            raise record.error(f"the free length is {free:g}; it must not be negative.", "l0")


def check_step(record: Record) -> None:
    check_times(record)
    first, last, step = record.values
    if step == 0.0 and last > first:
        raise record.error(f"the step is 0, so that the end {last:g} s is never reached; give a positive one.", "DT")


def _deck(
    title: str,
    counts: dict[str, int],
    groups: dict[str, list[Record]],
    times: Record,
    degrees: bool,
    notes: tuple[str, ...],
) -> DapDeck:
    unit = math.pi / 180.0 if degrees else 1.0
    bodies = [DapBody(r.line, *r.values) for r in groups["NB"]]
    return DapDeck(
        name=title,
        counts=counts,
        bodies=tuple(replace(b, phi=unit * b.phi, phid=unit * b.phid) for b in bodies),
        elements=tuple(
            DapElement(r.line, r.integer("i"), r.integer("j"), *pairs(r.values[2:6]), *r.values[6:])
            for r in groups["NSP"]
        ),
        **joint_parts(groups),
        first=times.values[0],
        last=times.values[1],
        step=times.values[2],
        degrees=degrees,
        notes=notes,
    )
