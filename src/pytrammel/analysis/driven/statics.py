"""Statics and inverse dynamics: the reactions and actuator efforts that go with a given pose or motion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import number_of
from pytrammel._util.progress import (
    allow_partial_results,
    analysis_scope,
    complete_rows,
    in_pieces,
    is_partial_allowed,
)
from pytrammel.analysis.driven.independent import without_drivers
from pytrammel.analysis.driven.kinematics import kinematics
from pytrammel.analysis.events.holds import left_out_at_rest
from pytrammel.analysis.formulations import Formulation, offered
from pytrammel.analysis.freedom.rank import Rank, best_rows_at, rank_at
from pytrammel.analysis.freedom.sharing import least_efforts, smallest_multipliers
from pytrammel.analysis.options import instants_of, verb
from pytrammel.analysis.positions.assembly import Newton, assembled
from pytrammel.analysis.positions.phase_at import held_targets, in_phase, system_at
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.runs.controllers import refuse_states
from pytrammel.analysis.runs.doubts import about_contacts, about_missing_efforts, about_start
from pytrammel.analysis.runs.pace import self_locking
from pytrammel.errors import ConvergenceError, MobilityError, ModelError, RunWarning, tell
from pytrammel.joints.constraint import check_positive
from pytrammel.kernels import layout as L
from pytrammel.kernels.efforts import efforts_run
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.results.events import SwitchReport
from pytrammel.results.forces.dynamics import DynamicsData, StepStatistics
from pytrammel.results.forces.gaps import gap_warnings
from pytrammel.results.forces.overlaps import about_overlaps
from pytrammel.results.refinement import Driven
from pytrammel.results.result import Result
from pytrammel.results.segments import Segment, part
from pytrammel.system.lowering import System, lower
from pytrammel.system.pattern import pattern

Array = NDArray[np.float64]
KERNELS = ("efforts_run", "assemble_run", "jacobian_run", "rates_run", "measures_run", "reactions_run")
KEPT = 0.2  # rows chosen at one time serve others where their singularity measure is at least this share of its value there
UNBALANCED = 1e-8  # share of the forces at work that may be left over by rounding


@verb
def statics(
    model: Model,
    *,
    time: float = 0.0,
    actuators: Mapping[str, Quantity | str] | None = None,
    weights: Mapping[str, float] | None = None,
) -> Result:
    """Reactions of a structure, or of a mechanism held in a pose by its drivers, at rest.

    A driver holds its coordinate; what it must do for that is ``result.effort("driver")``: a torque for an angle, a force for a
    length (the book's static balance).

    Args:
        model: The model, with enough joints and drivers that nothing can move.
        time: Time at which drivers and loads are read [s].
        actuators: Quantities along which the holding efforts act, by name, if they are not the drivers' own.
        weights: How dear each actuator's effort is, see `inverse_dynamics`.
    """
    refuse_states(model, "statics")
    make_ready(model, KERNELS, forces=True)
    system = system_at(model, time, "statics")
    pose = assembled(model, time=time, system=system)
    n = pose.system.n_columns
    held = {} if system.phase is None else held_targets(lower(model), system.floats)
    spans = [Acting(0, 1, system.phase, held)]
    q, rest = pose.q.reshape(1, -1), np.zeros((1, n))
    warnings = (*about_start(model.name, pose.tries), *gap_warnings(pose.gaps))
    result = _with_efforts(
        model, np.array([float(time)]), q, rest, rest.copy(), actuators, weights, pose.tries, what="the pose", warnings=warnings,
        spans=spans,
    )  # fmt: skip
    tell(result.warnings, result)
    return result


@verb
def inverse_dynamics(
    model: Model,
    duration: float | None = None,
    *,
    actuators: Mapping[str, Quantity | str] | None = None,
    weights: Mapping[str, float] | None = None,
    formulation: str | Formulation = "cartesian",
    start_time: float = 0.0,
    samples: int = 201,
    output_step: float | None = None,
    times: ArrayLike | None = None,
    prescribed: Mapping[str, Any] | None = None,
    newton: Newton = "damped",
    progress: bool = True,
) -> Result:
    """Reactions and actuator efforts of a driven mechanism (kinetostatic analysis).

    The drivers give the motion. By default they are the actuators too: ``result.effort("motor")`` is the torque or force that the
    driver needs. With `actuators`, the efforts act along other quantities: one column of the book's matrix B each.

    Args:
        model: The model; every body needs a mass and an inertia.
        duration: Length of the run [s].
        actuators: Name of each actuator and the quantity it drives, e.g. ``{"shoulder": m["A"].angle, "elbow": "B.angle"}``.
            More than there are degrees of freedom share the work so that the sum of the squares of their efforts is smallest; the joints'
            reactions follow.
        weights: By actuator: what its squared effort counts in that sum, greater than 0; 1 by default. Efforts are in N or N m.
        formulation: In which coordinates: "cartesian", or "joint": the motion as in `kinematics`, efforts of actuators and what closes
            loops by recursive Newton–Euler along the tree, from which reactions of the joints follow outwards in. The same numbers.
        start_time, samples, output_step, times: Output times, as in `kinematics`.
        prescribed, newton, progress: As in `kinematics`.

    Ctrl-C ends the run early: what was computed comes back, with ``result.interrupted`` set.
    """
    chosen = offered(formulation, model, "inverse_dynamics", "instants", "it needs a motion of bodies, or along a tree")
    refuse_states(model, "inverse_dynamics")
    make_ready(model, KERNELS, forces=True)
    instants = instants_of(model, duration, samples, output_step, times, start_time)
    with allow_partial_results():
        motion = kinematics(
            model, times=instants, prescribed=prescribed, newton=newton, formulation=chosen, progress=progress
        )
    acting = model if actuators is None else _with_actuators(model, actuators)
    system = lower(acting, dynamics=True)
    result = _of_motion(motion, acting=acting, system=system, weights=weights, formulation=chosen)
    tell(result.warnings[len(motion.warnings) :], result)
    passed = tuple(each for each in motion.singularities if each.time <= result.times[-1])
    return replace(result, singularities=passed, interrupted=result.interrupted or motion.interrupted)


def _of_motion(
    motion: Result, *, acting: Model, system: System, weights: Mapping[str, float] | None, formulation: Formulation
) -> Result:
    """Reactions and efforts of a motion, which can be computed again for more output times.

    Args:
        motion: Kinematic result.
        acting: The model, or the model with actuators in place of its drivers.
        system: The same, lowered with masses and forces.
        weights: Weights of actuators, see `inverse_dynamics`.
        formulation: Coordinates.
    """
    assert motion.v is not None and motion.a is not None
    result = _with_efforts(
        acting, motion.times, motion.q, motion.v, motion.a, None, weights, motion.n_starts, what="the motion", seconds=motion.wall_time,
        warnings=motion.warnings, system=system, spans=_acting(motion), switches=motion._switches,
    )  # fmt: skip
    if not formulation.in_bodies:
        from pytrammel.analysis.study.efforts import efforts_along_tree

        result = efforts_along_tree(result, formulation)
    again = partial(_of_motion, acting=acting, system=system, weights=weights, formulation=formulation)
    return replace(result, _driven=Driven(part(motion, 0, len(result)), again))


def efforts_of(
    model: Model, times: Array, q: Array, v: Array, a: Array, actuators: Mapping[str, Quantity | str] | None = None,
    weights: Mapping[str, float] | None = None,
) -> Result:  # fmt: skip
    """Reactions and efforts that go with a given motion, tables of one row per time, as `inverse_dynamics` finds them."""
    with analysis_scope():
        return _with_efforts(model, times, q, v, a, actuators, weights, 1, what="the motion", warnings=())


def resting_at(system: System, time: float, q: Array) -> Result:
    """Reactions and forces of a system that rests in a position, which is known to be closed and balanced."""
    rest = np.zeros((1, system.n_columns))
    instant = np.array([float(time)])
    with analysis_scope():
        return _with_efforts(
            system.model,
            instant,
            q.reshape(1, -1),
            rest,
            rest.copy(),
            None,
            None,
            1,
            what="the pose",
            warnings=(),
            system=system,
            unbalanced=math.inf,  # where all forces vanish, their shares are rounding: the search has found the balance
        )


@dataclass(frozen=True)
class Acting:
    """Range of output times in which the same constraints act.

    Attributes:
        first, last: Output times ``first`` to ``last - 1``.
        phase: Phase that acts; None for the first one of the model.
        held: Targets of held constraints by name.
    """

    first: int
    last: int
    phase: str | None = None
    held: Mapping[str, Array] = field(default_factory=dict)


def _acting(motion: Result) -> list[Acting]:
    """Ranges of a kinematic result that share a phase."""
    found: list[Acting] = []
    since = np.searchsorted([s.time for s in motion._switches], motion.times)
    for segment in motion._segments:
        if segment.last <= segment.first:
            continue
        changes = int(since[segment.first])
        own = Acting(
            segment.first, segment.last, motion._switches[changes - 1].enter if changes else None,
            held_targets(segment.system, segment.floats),
        )  # fmt: skip
        same = bool(found) and changes == int(since[found[-1].first])
        if same:  # other rows of the same phase were chosen on the way
            found[-1] = replace(found[-1], last=own.last)
        else:
            found.append(own)
    return found


def _with_efforts(
    model: Model, times: Array, q: Array, v: Array, a: Array, actuators: Mapping[str, Quantity | str] | None,
    weights: Mapping[str, float] | None, tries: int, *, what: str, warnings: tuple[RunWarning, ...], seconds: float = 0.0,
    system: System | None = None, spans: Sequence[Acting] = (), switches: tuple[SwitchReport, ...] = (), unbalanced: float = UNBALANCED,
) -> Result:  # fmt: skip
    acting = model if actuators is None else _with_actuators(model, actuators)
    system = system or lower(acting, dynamics=True)
    efforts = {c.name for c in acting.constraints.values() if c.is_driver}
    costs = _checked_weights(weights or {}, efforts)
    asked = times.size
    pieces = []
    for span in spans or [Acting(0, asked)]:
        own = slice(span.first, span.last)
        here = in_phase(system, span.phase, span.held)
        pieces.append(_Piece(here, span.first, times[own], q[own], v[own], a[own], efforts, costs))
        if pieces[-1].count < span.last - span.first:
            break
    count = sum(piece.count for piece in pieces)
    interrupted = any(piece.interrupted for piece in pieces)
    if not count or (interrupted and not is_partial_allowed()):
        raise KeyboardInterrupt
    pieces = [piece for piece in pieces if piece.count]
    LAM, OUTS, energies, notes = (np.concatenate([piece.tables[k] for piece in pieces]) for k in range(4))
    times, q, v, a = (table[:count] for table in (times, q, v, a))
    data = DynamicsData(
        multipliers=LAM,
        outputs=OUTS,
        work=np.full((count, len(system.forces) + 1), np.nan),  # nothing was integrated, so that nobody knows
        inner_states=np.zeros((count, 0)),
        kinetic=energies[:, 0],
        gravity=energies[:, 1],
        events=(),
        changed=(),
        statistics=StepStatistics(0, 0, count, 0.0, 0.0, float(notes[:, 0].min())),
    )
    result = Result(
        model=acting, _system=system, times=times, q=q, v=v, a=a, _notes=np.zeros((count, 4)), _switches=switches,
        redundant=tuple(dict.fromkeys(name for piece in pieces for name in piece.redundant)), wall_time=seconds,
        n_starts=tries, _segments=tuple(piece.segment for piece in pieces), dynamics=data,
    )  # fmt: skip
    _check_numbers(result, what)
    for piece in pieces:
        _complain(model, piece.system, piece.rank, piece.tables[3], piece.times, piece.efforts, what, unbalanced)
    if interrupted:
        return replace(result, interrupted=True, warnings=(*warnings, about_missing_efforts(result, asked)))
    return replace(result, warnings=(*warnings, *about_contacts(result), *about_overlaps(result)))


class _Piece:
    """Multipliers, forces and energies while the same constraints act.

    Attributes:
        count: Number of output times that are known; fewer than given after Ctrl-C.
        tables: Multipliers, forces, energies and notes, one row per known output time.
    """

    def __init__(
        self, system: System, first: int, times: Array, q: Array, v: Array, a: Array, efforts: set[str], costs: dict[str, float]
    ) -> None:  # fmt: skip
        self.system = system
        rows = _effort_rows(system)
        self.efforts = {system.rows[k].owner for k in rows} & efforts
        middle = times.size // 2
        found = rank_at(system, q[middle], float(times[middle]), rows)
        self.rank = found.rank
        self.redundant = tuple(dict.fromkeys(system.rows[rows[k]].owner for k in found.redundant))
        shared = sorted({system.rows[rows[k]].owner for k in found.redundant if system.rows[rows[k]].is_driver})
        if shared and int(system.ints[L.N_REACTIONS]):
            raise ModelError(
                f"model {system.model.name!r} has more actuators than degrees of freedom: {', '.join(map(repr, shared))} could share the "
                "work in many ways, and its joint friction depends on which. Leave out actuators until the efforts are determined, or "
                "the friction."
            )
        tables, known, active, self.interrupted = _fill(system, rows, found, costs if shared else None, times, q, v, a)
        self.count = times.size if known.all() else int(np.argmin(known))
        self.times, self.tables = times[: self.count], [table[: self.count] for table in tables]
        held = tuple(k for k in rows if system.rows[k].owner not in efforts)
        p = pattern(system, rows if found.redundant else active)
        self.segment = Segment(first, first + self.count, system.model, system, held, system.floats, p)


def _fill(
    system: System, rows: list[int], found: Rank, costs: dict[str, float] | None, times: Array, q: Array, v: Array, a: Array
) -> tuple[tuple[Array, Array, Array, Array], NDArray[np.bool_], list[int], bool]:  # fmt: skip
    """Multipliers, forces, energies and notes of all times; which are known, the rows used last, and whether Ctrl-C ended it.

    With costs, actuators share the work, each squared effort times its cost.
    """
    LAM = np.zeros((times.size, len(system.rows)))
    OUTS = np.zeros((times.size, max(1, 2 * len(system.forces))))
    energies, notes = np.zeros((times.size, 2)), np.zeros((times.size, 2))
    known, interrupted = np.zeros(times.size, dtype=bool), False
    remaining = np.arange(times.size)
    active = [rows[k] for k in found.independent]
    while remaining.size and not interrupted:
        p = pattern(system, active, sorted(set(rows) - set(active)))
        tables = [np.full((remaining.size, w), np.nan) for w in (len(active), 2 * len(system.forces), 2, 2)]
        if not system.forces:
            tables[1] = np.zeros((remaining.size, 1))
        motion = [np.ascontiguousarray(table[remaining]) for table in (times, q, v, a)]
        try:
            in_pieces(efforts_run, (system.ints, system.floats, p), [*motion, *tables], 4 * system.n_columns)
        except KeyboardInterrupt:
            interrupted = True
        # rows chosen among redundant ones may be dependent at other times: those get rows of their own
        measure = tables[3][:, 0]
        good = (
            measure >= KEPT * measure[remaining.size // 2] if found.redundant else np.ones(remaining.size, dtype=bool)
        )
        if interrupted:
            good[complete_rows(*tables[:3]) :] = False
        done = remaining[good]
        order = p[int(p[L.P_AT_ROWS]) :][: len(active)]
        LAM[np.ix_(done, order)] = tables[0][good]
        OUTS[done], energies[done], notes[done] = (table[good] for table in tables[1:])
        known[done] = True
        try:
            if costs is not None:
                LAM[np.ix_(done, rows)] = least_efforts(system, rows, costs, times[done], q[done], LAM[done])
            elif found.redundant:
                LAM[np.ix_(done, rows)] = smallest_multipliers(system, rows, active, times[done], q[done], LAM[done])
        except KeyboardInterrupt:
            interrupted = True
            LAM[np.ix_(done, rows)] = np.nan
        remaining = remaining[~good]
        if remaining.size:
            k = remaining[remaining.size // 2]
            chosen = best_rows_at(system, q[k], float(times[k]), rows, found.rank)
            active = [rows[j] for j in chosen]
    return (LAM, OUTS, energies, notes), known, active, interrupted


def _check_numbers(result: Result, what: str) -> None:
    """Refuse force laws that give values which are not numbers; hands over the times before."""
    data, system = result.dynamics, result._system
    assert data is not None
    for k, force in enumerate(system.forces):
        if any(given.kind == "reaction" for given in force.use.inputs.values()):
            continue  # its numbers hang on those of the others
        bad = ~np.isfinite(data.outputs[:, 2 * k])
        if bad.any():
            first = int(np.argmax(bad))
            raised = next((law.error for law in system.laws if law.name == force.owner and law.error is not None), None)
            cause = "check its law" if raised is None else f"its law raised {type(raised).__name__}: {raised}"
            raise ConvergenceError(
                f"the force {force.use.label!r} of {force.owner!r} is not a number in {what} of model {result.model.name!r} at t = "
                f"{result.times[first]:.6g} s; {cause}. {first} of {len(result)} instants were computed before (error.partial).",
                partial=part(result, 0, first),
            ) from raised


def _with_actuators(model: Model, actuators: Mapping[str, Quantity | str]) -> Model:
    """The model with its drivers replaced by rows along which the actuators act."""
    if not actuators:
        raise ModelError("actuators is empty; name at least one quantity that an actuator drives.")
    quantities = {name: model.measure(quantity, f"actuator {name!r}") for name, quantity in actuators.items()}
    twin = without_drivers(model)
    for name, quantity in quantities.items():
        twin.driver(name, quantity, 0.0)  # only its row is used: where the effort acts, not how far
    return twin


def _checked_weights(weights: Mapping[str, float], efforts: set[str]) -> dict[str, float]:
    out = {}
    for name, weight in weights.items():
        if name not in efforts:
            known = ", ".join(map(repr, sorted(efforts))) or "none"
            raise ModelError(f"weights: there is no actuator {name!r}; there are: {known}.")
        out[name] = check_positive(
            checked_number(weight, f"weight of actuator {name!r}"), f"weight of actuator {name!r}"
        )
    return out


def _effort_rows(system: System) -> list[int]:
    from pytrammel.analysis.positions.assembly import active_rows

    rows = active_rows(system)
    return [k for k in rows if not system.rows[k].is_driver] + [k for k in rows if system.rows[k].is_driver]


def _complain(
    model: Model, system: System, rank: int, notes: Array, times: Array, efforts: set[str], what: str, unbalanced: float
) -> None:  # fmt: skip
    """Say so if the rows cannot carry the forces: something is free to move, or the actuators cannot do it."""
    unsettled = np.isnan(notes[:, 1])
    if unsettled.any() and int(system.ints[L.N_REACTIONS]):
        raise ConvergenceError(f"at t = {times[int(np.argmax(unsettled))]:g} s {self_locking(system)}")
    worst = int(np.argmax(notes[:, 1]))
    if notes[worst, 1] <= unbalanced:
        return
    missing = system.n_columns - rank
    share = 100.0 * notes[worst, 1]
    named = ", ".join(map(repr, sorted(efforts))) or "no actuator"
    if missing > 0:
        raise MobilityError(
            f"{what} of model {model.name!r} cannot be held: nobody acts along {number_of(missing, 'degree of freedom')} (acting: "
            f"{named}), and {share:.3g} % of the forces stay unbalanced at t = {times[worst]:g} s. Add an actuator or a driver."
            + left_out_at_rest(model)
        )
    raise MobilityError(
        f"the actuators {named} cannot produce {what} of model {model.name!r} at t = {times[worst]:g} s: its position is singular for them "
        f"(measure {notes[worst, 0]:.2g}), {share:.3g} % of the forces stay unbalanced. Move an actuator to another joint."
    )
