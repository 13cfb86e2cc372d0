"""What an experienced colleague would say about a model before it is run: mobility, redundancy, closure, masses, scales, advice."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pytrammel._util.messages import number_of
from pytrammel.analysis.formulations import formulation as formulation_of
from pytrammel.analysis.freedom.mobility import Mobility, mobility
from pytrammel.analysis.options import checked_options, instants_from
from pytrammel.analysis.positions.assembly import active_rows, assembled
from pytrammel.analysis.start.idle import undetermined, undetermined_sentences
from pytrammel.errors import TrammelError
from pytrammel.io.models.analyses import options, ready_options, verb_function
from pytrammel.model.base import Model
from pytrammel.model.display_unit import oversize
from pytrammel.system.lowering import lower
from pytrammel.system.masses import without_mass
from pytrammel.units import LENGTH_UNITS

Level = Literal["error", "warning", "note"]
FAR = 0.05  # of the model's size: bodies moved farther than this by assembly were probably not meant to be
UNLIKE = 1e6  # ratio of masses or lengths above which a slip of units is more likely than a machine


@dataclass(frozen=True)
class Finding:
    """One thing worth saying: how bad it is, and the sentence."""

    level: Level
    sentence: str


@dataclass
class Checkup:
    """What was found.

    Attributes:
        model: The model.
        findings: Errors first.
        mobility: Degrees of freedom, where they could be counted.
    """

    model: Model
    findings: list[Finding] = field(default_factory=list)
    mobility: Mobility | None = None

    @property
    def sound(self) -> bool:
        """No errors."""
        return all(finding.level != "error" for finding in self.findings)

    def plain(self) -> dict[str, Any]:
        """Ready for `json.dumps`."""
        from pytrammel.io.models.job import plain

        found = (
            None
            if self.mobility is None
            else {**plain(self.mobility), "dof": self.mobility.dof, "count": self.mobility.count}
        )
        listed = [{"level": finding.level, "sentence": finding.sentence} for finding in self.findings]
        return {"model": self.model.name, "sound": self.sound, "mobility": found, "findings": listed}

    def __str__(self) -> str:
        joints = len(self.model.constraints)
        lines = [
            f"{self.model.name}: {number_of(len(self.model.bodies) - 1, 'moving body')}, "
            f"{joints} {'joint or driver' if joints == 1 else 'joints and drivers'}, {number_of(len(self.model.forces), 'force')}"
        ]
        lines += [] if self.mobility is None else [f"  {line}" for line in str(self.mobility).splitlines()]
        lines += [f"  {finding.level}: {finding.sentence}" for finding in self.findings]
        return "\n".join([*lines, "  no objections" if not self.findings else ""]).rstrip()


def check(model: Model) -> Checkup:
    """Look a model over without running it."""
    out = Checkup(model)
    out.findings += [*_names(model), *_analyses(model), *_loops(model), *_lengths(model)]
    if len(model.bodies) == 1:
        out.findings.append(Finding("error", "the model has no moving body; add one with [bodies.NAME]."))
        return out
    closed = _closure(model, out)
    if closed:
        _freedom(model, out)
        out.findings += _undetermined(model)
    out.findings += [*_masses(model), *_scales(model)]
    rank = ("error", "warning", "note")
    out.findings.sort(key=lambda finding: rank.index(finding.level))
    return out


def _names(model: Model) -> Iterator[Finding]:
    for name in model.unused_parameters:
        yield Finding("warning", f"nothing uses the parameter {name!r}; use it or remove it.")
    joined = {body for part in (*model.constraints.values(), *model.forces.values()) for body in part.bodies}
    for name in list(model.bodies)[1:]:
        if name not in joined:
            yield Finding("note", f"body {name!r} has neither joints nor forces: it flies freely.")


def _loops(model: Model) -> Iterator[Finding]:
    """Loops, motors and joint types that come from a second file of a robot, and what was moved to close the loops."""
    for note in model.conversion_report or ():
        if note.kind in ("added", "moved"):
            yield Finding("note", f"{note}.")


def _lengths(model: Model) -> Iterator[Finding]:
    """A model too large for its display unit; the finding replaces the warning of the first analysis."""
    if message := oversize(model):
        model._warned.add("size")
        yield Finding("warning", message)


def _analyses(model: Model) -> Iterator[Finding]:
    """What is wrong with the options of the analyses, which would stop them at once."""
    for name, given in model.analyses.items():
        try:
            known = options(given["type"])
            functions = [verb_function(verb) for verb in ("kinematics", given["type"])]
            settled = checked_options(given["type"], known, ready_options(model, given), *functions)
            settings = {key: settled.get(key, parameter.default) for key, parameter in known.items()}
            _check_words(model, given["type"], settings)
            if {"duration", "times"} <= known.keys():
                instants_from(1, settings)
        except TrammelError as error:
            yield Finding("error", f"analysis {name!r}: {error}")


def _check_words(model: Model, verb: str, settings: Mapping[str, Any]) -> None:
    """Raise what the run itself raises for methods, formulations and other words that it does not know."""
    from pytrammel.analysis.rest.equilibrium import check_options
    from pytrammel.analysis.runs.dynamics import run_options

    if verb == "simulate":
        taken = inspect.signature(run_options).parameters
        run_options(model, **{key: value for key, value in settings.items() if key in taken})
    elif verb == "equilibrium":
        check_options(model, *(settings[key] for key in ("allow_unstable", "method", "cut", "cut_stiffness")))
    elif "formulation" in settings:
        formulation_of(settings["formulation"])


def _closure(model: Model, out: Checkup) -> bool:
    try:
        found = assembled(model)
    except TrammelError as error:
        out.findings.append(Finding("error", str(error)))
        return False
    size = found.system.length
    for move in found.moves:
        if move.shift > FAR * size or move.turn > FAR * math.pi:
            unit = model.display_unit
            out.findings.append(
                Finding(
                    "warning",
                    f"closing the joints moves body {move.body!r} by {move.shift / LENGTH_UNITS[unit]:.3g} {unit} and "
                    f"{math.degrees(move.turn):.3g}°; draw it closer to where it belongs.",
                )
            )
    if found.tries > 1:
        out.findings.append(
            Finding("warning", "the drawn pose does not lead to a closed position, others nearby do; draw it better.")
        )
    return True


def _freedom(model: Model, out: Checkup) -> None:
    try:
        found = out.mobility = mobility(model)
    except TrammelError as error:
        out.findings.append(Finding("error", str(error)))
        return
    if found.redundant:
        joints = ", ".join(found.redundant_joints)
        out.findings.append(
            Finding(
                "note",
                f"redundant rows in {joints}: the motion is right, but reactions there are shared by a rule; "
                "replace a joint by one with fewer rows if they matter.",
            )
        )
    if found.singular:
        out.findings.append(Finding("warning", "this position is singular; draw the mechanism a little further on."))
    if found.drivers > found.dof:
        out.findings.append(
            Finding(
                "error",
                f"{number_of(found.drivers, 'driver')} for {number_of(found.dof, 'degree of freedom')}. "
                f"Remove {found.drivers - found.dof}.",
            )
        )
    elif 0 < found.drivers < found.dof:
        out.findings.append(
            Finding(
                "note",
                f"{number_of(found.drivers, 'driver')} and {number_of(found.dof, 'degree of freedom')}: simulate can run it, kinematics "
                f"needs {found.dof - found.drivers} more.",
            )
        )
    if found.dof == 0:
        out.findings.append(Finding("note", "nothing can move: this is a structure; statics gives its reactions."))


def _masses(model: Model) -> Iterator[Finding]:
    bodies = list(model.bodies.values())[1:]
    bare = [body.name for body in bodies if not body.massless and (body.mass is None or body.inertia is None)]
    if bare and (len(bare) < len(bodies) or model.forces):
        yield Finding(
            "note", f"without mass or inertia: {', '.join(bare[:8])}; simulate and inverse_dynamics need both."
        )
    masses = [body.mass for body in bodies if body.mass]
    if masses and max(masses) > UNLIKE * min(masses):
        yield Finding("warning", f"masses reach from {min(masses):g} to {max(masses):g} kg; is one in grams or tonnes?")
    for body in bodies:
        if body.mass and isinstance(body.inertia, float) and body.inertia > 0.0:
            radius = math.sqrt(body.inertia / body.mass)
            reach = _reach(model, body.name)
            if reach > 0.0 and not 1e-3 * reach < radius < 100.0 * reach:
                yield Finding(
                    "warning",
                    f"body {body.name!r} has a radius of gyration of {radius:.3g} m, but reaches {reach:.3g} m; is its inertia in "
                    "other units?",
                )


def _undetermined(model: Model) -> Iterator[Finding]:
    """Bodies that neither forces nor inertia move."""
    if without_mass(model):
        return
    try:
        system = lower(model, dynamics=True)
        found = undetermined(system, active_rows(system), 0.0, assembled(model, system=system).q)
    except TrammelError:
        return  # other findings report the error
    for text in undetermined_sentences(found):
        yield Finding("warning", text)


def _reach(model: Model, name: str) -> float:
    """Farthest joint from the origin of a body [m]."""
    places = [seat.point for c in model.constraints.values() for seat in c.seats if seat.body == name]
    return max((math.hypot(*place) for place in places), default=0.0)


def _scales(model: Model) -> Iterator[Finding]:
    places = np.array([body.position for body in model.bodies.values()])
    size = float(np.linalg.norm(np.ptp(places, axis=0)))
    if size > 1e3:
        yield Finding(
            "warning", f'the model is {size:.3g} m large; numbers are metres unless they carry a unit ("40 mm").'
        )
    if model.forces and not any(model.gravity) and any(body.mass for body in model.bodies.values()):
        yield Finding("note", "gravity is off.")
