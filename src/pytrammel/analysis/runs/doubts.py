"""What a finished run knows to be doubtful about its own numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import apart, number_of
from pytrammel.analysis.driven.velocity_equations import speed_gaps, velocity_rows
from pytrammel.analysis.freedom.rank import slack
from pytrammel.analysis.positions.assembly import residuals
from pytrammel.analysis.runs.rotations import takes
from pytrammel.analysis.runs.runaway import fastest_column
from pytrammel.errors import RunWarning
from pytrammel.kernels import run as rk
from pytrammel.kernels import step_control
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.sharing import sharing_run
from pytrammel.results.constraint_check import largest_violation
from pytrammel.results.forces.gaps import gap_warnings, largest_gaps
from pytrammel.results.forces.overlaps import about_overlaps
from pytrammel.results.forces.unilateral import lost_contacts, unseen_couples
from pytrammel.results.segments import part

if TYPE_CHECKING:
    from pytrammel.analysis.driven.kinematics import Run
    from pytrammel.analysis.runs.simulation import Simulation
    from pytrammel.results.result import Result

Array = NDArray[np.float64]

# times rtol per step: what the tolerance may account for; well-resolved runs stay a hundred times below
EXPLAINED = 1.0
JUMPS = 10.0  # energy per choice of other rows, relative to the gap times the forces
MOST_EXPLAINED = 0.02  # share of the energy turned over that may be missing at any tolerance
DRIFT = 1e-6  # of the model's size: joints that are held to the tolerance stay far below this
# gain times fixed step: digest O-14, h = 0.02 s: 5 holds a pendulum to 9.6e-7, 10 to 4.1e-6, 50 only to 1.6e-4
NEAR = 0.5
USUAL_GAIN, FOLLOWED = 10.0, 1.0  # gains up to this, and up to this times the step, are left to the error control
WORTH_A_LOOK = 0.3  # share of the largest singularity measure: steps that stay above pass no singular position
LENGTH = 1e-2  # of the square of the length of Euler parameters: the angle of a step is then wrong in its third digit
MESH = 1e-2  # of the pitch radius: how far centres of gears may move
SINGULAR = 1e-6  # the same: below this nothing is left of the digits of reactions
BLOCK = 1 << 15  # times that are looked at together: those of a streamed run may not fit into memory
INSTANTS = 50  # of a run whose joints come apart that are searched for contradictions
SLIP = 1e-6  # velocities of redundant constraints, relative to their terms
ROUNDING = 1e-13  # share of energies that rounding takes away


def doubts(run: Simulation, result: Result) -> tuple[RunWarning, ...]:
    """Warnings about a simulation: energy that no force explains, forced steps, open joints, an early end."""
    found: list[RunWarning] = []
    if len(result):
        found += [
            *about_meshes(result),
            *_energy(run, result),
            *_drift(run, result),
            *_slipping(run, result),
            *gap_warnings(largest_gaps(result)),
            *_gains(run, result),
            *_lengths(run, result),
            *([] if run.independent is None else run.independent.doubts()),
            *_singular_instants(run, result),
            *_fixed_step_passages(run, result),
            *about_contacts(result),
            *about_overlaps(result, start_only=True),
        ]
    forced = result.dynamics.statistics.forced if result.dynamics is not None else 0
    if forced:
        found.append(
            RunWarning(
                "forced steps",
                f"{number_of(forced, 'step')} across singular positions taken with an estimated error above the tolerance: compare with "
                "another rtol.",
            )
        )
    return (*found, *about_end(run, float(run.clock[0])))


def about_end(run: Simulation | Run, now: float) -> Iterator[RunWarning]:
    """A warning where Ctrl-C ended the run."""
    if run.interrupted:
        yield RunWarning(
            "interrupted",
            f"the run was interrupted at t = {now:.6g} s: {run.done} of {run.instants.size} instants were computed.",
            time=now,
        )


def about_haste(result: Result) -> Iterator[RunWarning]:
    """A warning where Ctrl-C came after the last time, while the result was put together."""
    assert result.dynamics is not None
    left_open = np.flatnonzero(np.isnan(result.dynamics.multipliers).any(axis=0))
    names = dict.fromkeys(result._system.rows[k].owner for k in left_open)
    loads = f", and reactions of {', '.join(map(repr, names))} are not a number" if names else ""
    yield RunWarning(
        "interrupted",
        f"the run was interrupted after its {len(result)} instants were computed, while loads were shared among redundant joints and the "
        f"books looked through: the motion is complete, energy and closure are not checked{loads}. Run it again if you need them.",
    )


def about_missing_efforts(result: Result, asked: int) -> RunWarning:
    """A warning where Ctrl-C came while efforts and reactions of a known motion were computed."""
    assert result.dynamics is not None
    loads = ", and no loads were shared among redundant joints" if np.isnan(result.dynamics.multipliers).any() else ""
    return RunWarning(
        "interrupted",
        f"the run was interrupted: efforts and reactions of {len(result)} of {asked} instants were computed{loads}.",
    )


def about_meshes(result: Result) -> Iterator[RunWarning]:
    """A warning for every gear whose centres do not stay where its teeth need them."""
    for joint in result.model.constraints.values():
        if not joint.held or not len(result):
            continue
        values = np.array([series.value for series in result._measures(joint.held)])
        moved = np.abs(values - values[:, :1]).max(axis=0)
        limit = MESH * max(seat.radius for seat in joint.seats)
        late = np.flatnonzero(moved > limit)
        if late.size:
            when, (now, most) = float(result.times[late[0]]), apart(float(moved[late[0]]), limit, 3)
            yield RunWarning(
                "mesh",
                f"{joint.kind} {joint.name!r} loses its mesh at t = {when:.6g} s: a centre has moved by {now} m (up to "
                f"{moved.max():.3g} m later; the limit is {most} m), so that its ratio and tooth forces are wrong from there. Hold "
                "the centres with pins or slides; for gears on a moving arm name it as carrier=.",
                time=when,
            )


def about_contacts(result: Result) -> list[RunWarning]:
    """Warnings about what joints carry: contacts that would have to pull or slip, couples that friction does not see."""
    return [*lost_contacts(result), *unseen_couples(result)]


def about_start(model: str, tries: int) -> Iterator[RunWarning]:
    """A warning where assembly had to leave the drawn pose."""
    if tries > 1:
        yield RunWarning(
            "start",
            f"the drawn pose of model {model!r} did not lead to a closed position; another start was used (try {tries}): check "
            "that this is the branch you mean, or draw the parts closer to it.",
        )


def _overflow(run: Simulation, time: float) -> RunWarning:
    """A warning about a motion whose energy is beyond all numbers."""
    column, unit = fastest_column(run)
    return RunWarning(
        "energy",
        f"the motion runs away: its energy is beyond the largest number at t = {time:.6g} s, and the rate of {column} is "
        f"{float(run.v[run.system.columns.index(column)]):.3g} {unit}/s at the end. Check the signs of forces, motors and feedback, or "
        "end the run before.",
        time=time,
    )


def _energy(run: Simulation, result: Result) -> Iterator[RunWarning]:
    energy = result.energy
    accounts = (energy.kinetic, energy.gravity, energy.stored, energy.input, energy.dissipated)
    # kinetic and stored energy are at work as they are, the others by their changes
    turned_over = sum(float(np.abs(a).max()) for a in (energy.kinetic, energy.stored))
    turned_over += sum(float(np.ptp(a)) for a in (energy.gravity, energy.input, energy.dissipated))
    turned_over = max(turned_over, run.worked)  # between output times, too
    off = np.abs(energy.balance)
    limit = _explained(run, result, turned_over) + ROUNDING * sum(float(np.abs(a).max()) for a in accounts)
    late = np.flatnonzero(~(off <= limit))
    if not np.isfinite(off).all():
        yield _overflow(run, float(result.times[int(np.argmin(np.isfinite(off)))]))
    elif late.size:
        worst = int(np.argmax(off))
        when, options = float(result.times[late[0]]), run.options
        cause = f"step = {options.time_step:g} s is" if options.method.fixed else f"rtol = {options.rtol:g} is"
        yield RunWarning(
            "energy",
            f"the energy balance does not close from t = {when:.6g} s on: {energy.balance[worst]:.4g} J come from nowhere at t = "
            f"{result.times[worst]:.6g} s, where {turned_over:.4g} J are turned over and up to {limit:.2g} J could be explained by the "
            f"integration. Either {cause} too coarse, or something short was stepped over (give max_step), or a force law is "
            "not what it seems.",
            time=when,
        )


def _largest(values: NDArray[np.float64]) -> float:
    """Largest magnitude of the finite values: reactions in a singular position are not."""
    return float(np.abs(values).max(initial=0.0, where=np.isfinite(values)))


def _explained(run: Simulation, result: Result, turned_over: float) -> float:
    """Unexplained energy that the tolerance accounts for [J]: per step, forces times the positions allowed to be off, and so on."""
    data, system = result.dynamics, result._system
    assert data is not None
    length = system.length
    masses = sum(body.mass or 0.0 for body in result.model.bodies.values())
    scale = turned_over + masses * (1e-3 * length) ** 2  # speeds below 1e-3 sizes per second are not resolved
    for k, force in enumerate(system.forces):
        along = force.use.along
        arm = 1.0 if along is not None and along.unit == "rad" else length
        scale += arm * _largest(data.outputs[:, 2 * k])
    if system.rows:
        scales = system.row_scales()
        ends = range(0, len(data.multipliers), BLOCK)
        scale += max((_largest(data.multipliers[k : k + BLOCK] * scales) for k in ends), default=0.0)
    if run.options.method.fixed:
        return MOST_EXPLAINED * max(turned_over, scale * 1e-9)
    steps = max(1, data.statistics.steps)
    allowed = EXPLAINED * (run.options.rtol + run.options.atol) * steps * scale
    if run.redundant and slack(run.system):  # each choice of other rows moves the mechanism by about the gap
        allowed += JUMPS * len(result._segments) * largest_violation(result) * scale
    return min(allowed, MOST_EXPLAINED * max(turned_over, scale * 1e-9))


def _drift(run: Simulation, result: Result) -> Iterator[RunWarning]:
    # a start that was to be taken as drawn may be open; what counts is what the run adds to that
    drawn = 0.0 if run.corrected else part(result, 0, 1).constraint_violation()
    parts = [result] if len(result) <= BLOCK else [part(result, k, k + BLOCK) for k in range(0, len(result), BLOCK)]
    off = max(each.constraint_violation() for each in parts)
    limit = drawn + max(DRIFT, 1e3 * run.options.rtol) + slack(run.system)
    if not off <= limit:
        left_out = _contradicting(run, result, limit)
        if left_out:
            yield RunWarning(
                "contradiction",
                f"{left_out} followed from the other joints and drivers where the run began, and was left out as redundant, but "
                f"contradicts them later: it is off by up to {off:.2g} of the model's size. Remove it, or let it agree with the others.",
            )
            return
        how = run.options.constraints
        remedy, (found, most) = run.options.treatment.remedy, apart(off, limit, 2)
        yield RunWarning(
            "constraint drift",
            f"the joints come apart by {found} of the model's size (constraints={how!r}; the limit is "
            f"{most}): {remedy}.",
        )


def _slipping(run: Simulation, result: Result) -> Iterator[RunWarning]:
    """Redundant constraints on velocities that the velocities of the run violate later."""
    rows = velocity_rows(run.system, run.redundant)
    if not rows or result.v is None or len(result._segments) > 1:
        return
    few = np.unique(np.linspace(0, len(result) - 1, INSTANTS).astype(int))
    off = np.array([speed_gaps(run.system, rows, result.q[k], result.v[k], float(result.times[k])) for k in few])
    if not off.max(initial=0.0) > SLIP:
        return
    k, worst = (int(place) for place in np.argwhere(off > SLIP)[0])
    owner = run.system.rows[rows[worst]].owner
    yield RunWarning(
        "contradiction",
        f"{owner!r} was redundant where the run began, but contradicts the other constraints later: at t = "
        f"{float(result.times[few[k]]):.4g} s its velocities are off by {off[k, worst]:.2g} of their size (the limit is {SLIP:g}). "
        "Remove it, or let it agree with the others.",
        time=float(result.times[few[k]]),
    )


def _contradicting(run: Simulation, result: Result, limit: float) -> str:
    """Names of constraints that were left out as redundant and do not hold at some times that are looked at."""
    few = np.unique(np.linspace(0, len(result) - 1, INSTANTS).astype(int))
    off = np.abs([residuals(run.system, result.q[k], float(result.times[k])) for k in few]).max(axis=0)
    open_rows = [k for k in run.redundant if off[k] > limit * run.system.row_scales()[k]]
    return ", ".join(dict.fromkeys(repr(run.system.rows[k].owner) for k in open_rows))


def _gains(run: Simulation, result: Result) -> Iterator[RunWarning]:
    """Gains that the steps cannot follow: instead of dying away, errors of the joints are fed by the stabilisation."""
    options = run.options
    used = [(options.alpha, options.beta)] if "alpha" in options.treatment.takes else []
    used += [options.parameter_gains] if takes(options.rotations, options.euler_parameters, "alpha") else []
    if not used or not run.counters[rk.N_STEPS]:
        return
    alpha, beta = max(used, key=max)
    gain = max(alpha, beta)
    if options.method.fixed:
        if gain * options.time_step >= NEAR:
            yield RunWarning(
                "gains",
                f"the gains alpha = {alpha:g} and beta = {beta:g} 1/s are near 1 / step = "
                f"{1.0 / options.time_step:g} 1/s or above: there, larger gains hold the joints "
                f"worse, not better. Use {0.1 / options.time_step:.2g} 1/s or less.",
            )
        return
    step = abs(float(run.clock[0] - run.instants[0])) / float(run.counters[rk.N_STEPS])
    if gain > USUAL_GAIN and gain * step >= FOLLOWED:
        yield RunWarning(
            "gains",
            f"the steps, {step:.2g} s on average, follow the gains alpha = {alpha:g} and beta = {beta:g} 1/s rather than "
            f"the motion, and feed the joints what they should take away. Use {0.1 / step:.2g} 1/s or less.",
        )


def _lengths(run: Simulation, result: Result) -> Iterator[RunWarning]:
    """Euler parameters that have lost their length: the steps do not follow the rotation."""
    kept = result.dynamics.parameters if result.dynamics is not None else None
    if kept is None:
        return
    off = np.abs(kept[:, ::2])
    late = np.flatnonzero((off > LENGTH).any(axis=1))
    if late.size:
        worst = int(off.max(axis=0).argmax())
        when, body = float(result.times[late[0]]), list(result.model.bodies)[1 + worst]
        found, most = apart(float(off[:, worst].max()), LENGTH, 2)
        shorter = "a shorter step" if run.options.method.fixed else "a smaller rtol"
        yield RunWarning(
            "euler parameters",
            f"the square of the length of the Euler parameters of body {body!r} is off by {found} "
            f"(normalize={run.options.euler_parameters!r}; the limit is {most}): the steps do not follow its rotation. Use "
            f"{shorter}, or normalize='corrected'.",
            time=when,
        )


def _fixed_step_passages(run: Simulation, result: Result) -> Iterator[RunWarning]:
    """Singular positions that steps of a fixed length passed: without an error estimate, no step is rejected next to them."""
    method = run.options.method
    passed = [passage for passage in result.singularities if passage.time < float(result.times[-1])]
    if not method.fixed or not passed:
        return
    when = passed[0].time
    yield RunWarning(
        "fixed steps",
        f"{number_of(len(passed), 'singular position')} passed with fixed steps, the first at t = {when:.6g} s: method {method.name!r} "
        f"does not control its error there. Compare with another step than {run.options.time_step:g} s, or use method='dop853'.",
        time=when,
    )


def _singular_instants(run: Simulation, result: Result) -> Iterator[RunWarning]:
    """Times that lie in a singular position: there the constraints do not determine the reactions."""
    reference = float(run.control[step_control.REFERENCE])
    # where redundant equations share the load the measure is zero everywhere
    if run.counters[rk.SMALLEST_ANGLE] > WORTH_A_LOOK * reference or run.redundant or result.v is None:
        return
    for segment in result._segments:
        assert segment.pattern is not None
        if not segment.rows:
            continue
        span = slice(segment.first, segment.last)
        measures, nothing = (
            np.zeros(len(result.times[span])),
            np.zeros((len(result.times[span]), len(segment.system.rows))),
        )
        prepare(["sharing_run"])
        sharing_run(
            segment.system.ints, segment.floats, segment.pattern, result.times[span], result.q[span], nothing, measures
        )
        found = np.flatnonzero(measures <= SINGULAR * reference)
        if found.size:
            when = float(result.times[segment.first + found[0]])
            yield RunWarning(
                "singular position",
                f"at t = {when:.6g} s the mechanism is in a singular position (a change point or dead point), where reactions and "
                "accelerations are not determined: do not rely on those of that instant.",
                time=when,
            )
            return
