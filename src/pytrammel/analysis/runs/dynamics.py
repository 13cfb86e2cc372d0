"""Simulate: motion under forces."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.progress import Progress, is_partial_allowed
from pytrammel._util.threads import one_thread
from pytrammel.analysis.at_states import NEEDS
from pytrammel.analysis.events.breaks import refuse_jumps
from pytrammel.analysis.events.events import Event, checked_events
from pytrammel.analysis.events.names import is_measured
from pytrammel.analysis.formulations import ROTATIONS, Formulation
from pytrammel.analysis.formulations import formulation as formulation_of
from pytrammel.analysis.methods import DEFAULT, Method, chosen_method, method_named, read_method, stored_method
from pytrammel.analysis.options import FEW_COLUMNS, instants_of, tool, verb
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.runs.checkpoint import Keeper
from pytrammel.analysis.runs.engine import DENSE, EXACT, Cartesian
from pytrammel.analysis.runs.fit import refuse_countless_steps, refuse_forces, refuse_hasty_gains, refuse_treatment
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.rotations import InParameters, is_usual, refuse_rotations
from pytrammel.analysis.runs.run_partition import partition_for
from pytrammel.analysis.runs.simulation import MASSLESS, Simulation, Watch
from pytrammel.analysis.start.given import InitialConditions, initial_conditions
from pytrammel.analysis.start.initial import Start
from pytrammel.analysis.treatments import GAINS, PENALTY, Treatment, treatment_named
from pytrammel.errors import ConvergenceError, FileWriteError, ModelError, RunWarning, TrammelError, tell
from pytrammel.expressions.expression import as_expression
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.results.result import Result

if TYPE_CHECKING:
    from pytrammel.io.results.run_store import RunStore

# options of a run that are stored as they are
STORED = (
    "rtol", "atol", "max_step", "constraints", "alpha", "beta", "max_steps", "penalty", "rotations", "euler_parameters", "corrected",
    "formulation_reason",
)  # fmt: skip
WITHOUT_EFFECT = 1e-3  # ratio of rtol to atol below which rtol changes no step
ROUNDING = 1e-15  # errors smaller than this cannot be told from rounding


@verb
def simulate(
    model: Model,
    duration: float | None = None,
    *,
    start_time: float = 0.0,
    samples: int = 201,
    output_step: float | None = None,
    times: ArrayLike | None = None,
    method: str | Method = DEFAULT,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    max_step: float = math.inf,
    constraints: str | Treatment = "projection",
    formulation: str | Formulation = "cartesian",
    initial: Mapping[str, Any] | InitialConditions | None = None,
    events: Sequence[Event] = (),
    progress: bool = True,
    callback: Watch | None = None,
    store: str | os.PathLike[str] | None = None,
) -> Result:
    """Integrate the motion of a model under its forces.

    The default needs no tuning: an eighth-order method with error control and projection onto the constraints after every
    step. Starting positions and velocities are made consistent first: what was given is kept wherever the constraints allow it, what was
    not given moves with the least kinetic energy.

    Args:
        model: The model; every body needs a mass and an inertia.
        duration: Length of the run [s].
        start_time, samples, output_step, times: Output times, as in `kinematics`; they do not influence the integration.
        method: Integration method: a name, or an object of ``tm.methods`` with options, ``tm.methods.rk4(step=1e-3)``. The default is
            "dop853" (order 8), which continues as "auto" where the motion turns out to be stiff and much is left to do. "dopri5"
            (order 5) is better for many contacts, "rk4" has fixed steps as the program DAP.
        rtol: Allowed error per step: positions against the model's size, velocities against the fastest one; at least 1e-15.
        atol: Allowed absolute error, in units of the model's size; it is added to rtol, so that smaller errors than atol need both.
        max_step: Largest step [s].
        constraints: Enforcement of constraints: a name, or an object of ``tm.enforcement`` with options,
            ``tm.enforcement.baumgarte(alpha=10, beta=10)``. "projection" after each step, "baumgarte" stabilisation, "partitioning" into
            independent and dependent coordinates, ...; with "none" joints drift apart. Gains near 1 / step do harm.
        formulation: Coordinates of the equations of motion: a name, or an object of ``tm.formulations`` with options. "cartesian" (of all
            bodies; "I", "II" and "III" are its variants with Euler parameters, mixed, and with angular velocities, which is the
            default), "joint" (along a tree of joints), ... All give the same motion; results are in terms of bodies. In body coordinates
            ``tm.formulations.cartesian(rotations=, normalize=)`` sets what is integrated of rotations in space ("velocities": Euler
            parameters and angular velocities, DI-3; "rates": Euler parameters and their rates, DI-2) and how Euler parameters keep
            length one ("corrected" after each step, only their "position" or "velocity", "none", or as a constraint under "baumgarte"
            with `alpha` and `beta`, or "partitioning"); errors are in ``result["rod"].norm_error`` and ``norm_rate``.
        initial: Values that measured quantities, formulas and rates have at the start, instead of the design values:
            ``{"A.angle": 0.3, "A.angle.rate": 10.0}`` [m, rad, m/s, rad/s], or `InitialConditions`, which also hold quantities.
        events: Events to locate.
        progress: Whether to show a progress bar if the run takes longer than a second.
        callback: Called as ``callback(time, coordinates)`` at every output time during the run, and its ``close()``, if it has
            one, at the end; ``model.live()`` shows the motion in a browser.
        store: File (.trammel) to which the run is streamed: what is stored takes no memory, and a run that was killed is
            read by `tm.load_result` and continued by `tm.resume`, with the same numbers as if it had never stopped.

    Raises:
        ConvergenceError: The integration stopped; ``error.partial`` holds what was computed. What a force law raised is the error's
            ``__cause__``.
        FileWriteError: The store cannot be written, any more: ``error.partial`` holds what was computed.

    Ctrl-C ends the run early: what was computed comes back, with ``result.interrupted`` set.
    """
    instants = instants_of(model if store is None else 1, duration, samples, output_step, times, start_time)
    begin = initial_conditions(initial)
    options = run_options(
        model, method=method, rtol=rtol, atol=atol, max_step=max_step, constraints=constraints, formulation=formulation,
        correct=begin.correct,
    )  # fmt: skip
    scheme = options.method
    span = float(instants[-1] - instants[0])
    refuse_countless_steps(scheme, span, options.time_step, max_step, options.max_steps, " s")
    refuse_hasty_gains(options, span)
    events = checked_events(model, events)
    refuse_jumps(model, float(instants[0]), float(instants[-1]))
    if store is None:
        run = prepared(model, instants, options, tuple(events), begin.hold, begin.values)
        return finished(run, progress=progress, callback=callback)
    from pytrammel.io.results.run_store import store_for

    keeper = store_for(store, model, _arguments(model, method_named(method), options, events))
    try:
        run = prepared(model, instants, options, tuple(events), begin.hold, begin.values, keeper)
        keeper.begin(run)
        return finished(run, keeper, progress=progress, callback=callback)
    finally:
        keeper.close()


def run_options(
    model: Model,
    *,
    method: str | Method,
    rtol: float,
    atol: float,
    max_step: float,
    constraints: str | Treatment,
    formulation: str | Formulation,
    correct: bool = True,
) -> Options:
    """Options of `simulate` for the integration, checked for a model."""
    treatment = treatment_named(constraints)
    if not (rtol > 0.0 and atol >= 0.0):
        raise ModelError(f"rtol = {rtol} and atol = {atol}: rtol must be greater than 0 and atol not negative.")
    scheme, step, max_steps = chosen_method(method)
    asked = formulation_of(formulation)
    about = {**ROTATIONS, **asked.rotations}
    chosen = replace(asked, options={k: x for k, x in asked.options.items() if k not in asked.rotations})
    gains = {**GAINS, **treatment.options}
    options = Options(
        scheme, rtol, atol, step or 0.0, max_step, treatment.name, gains["alpha"], gains["beta"], max_steps, chosen,
        treatment.partition, {**PENALTY, **treatment.options}["factor"], about["rotations"], about["normalize"], correct,
        normalize_gains=(about["alpha"], about["beta"]),
    )  # fmt: skip
    if chosen.choose is not None:
        chosen, why = chosen.choose(model, options)
        options = replace(options, formulation=chosen, formulation_reason=why)
    refuse_rotations(model.space.dimension, model.name, options)
    refuse_treatment(scheme, options)
    return options


def _seems_redundant(model: Model) -> bool:
    """Return True if joints alone leave no freedom by their count: a mechanism that moves all the same has redundant equations."""
    joints = (c for c in model.constraints.values() if not c.is_driver)
    rows = sum(len(block.targets) for c in joints for block in c.blocks)
    return rows >= len(model.space.units) * (len(model.bodies) - 1) > 0


def prepared(
    model: Model,
    instants: NDArray[np.float64],
    options: Options,
    events: tuple[Event, ...],
    hold: tuple[str | Quantity, ...] = (),
    initial: Mapping[str, Any] | None = None,
    keeper: Keeper | None = None,
    begin: Start | None = None,
) -> Simulation:
    """A run before its first step; what cannot be had for its model is refused.

    Args:
        model, instants, options, events: Of the run.
        hold, initial: What its start must be.
        keeper: Its store.
        begin: The start itself, where it is known already.
    """
    scheme, chosen, treatment = options.method, options.formulation, options.treatment
    kernels = [
        "integration_run",
        *(Cartesian.needs if is_usual(options) else InParameters.needs),
        *(treatment.routines if chosen.in_bodies else ()),
        *chosen.needs(model.space.dimension),
        *scheme.routines,
        "rates_on_constraints",
        *((*DENSE, *(EXACT if chosen.in_bodies else ())) if scheme.implicit else ()),
        "assemble_run",
        "jacobian_run",
        "rates_run",
        "measures_run",
        "reactions_run",
    ]
    if scheme.own_constraints:
        from pytrammel.analysis.runs.steps import step_kernels

        kernels += step_kernels(scheme, in_bodies=chosen.in_bodies)
    if any(force.holds for force in model.forces.values()):
        kernels.append("state_run")
    if _seems_redundant(model):
        kernels.append("sharing_run")
    formulas = [as_expression(e.when, f"event {e.name!r}") for e in events]
    if not all(is_measured(model, formula) for formula in formulas):
        kernels += NEEDS
    measured = partition_for(model, options).measured if treatment.partitioned else ()
    make_ready(model, kernels, forces=True, formulas=formulas, quantities=measured)
    run = Simulation(model, instants, options, events, hold, initial, options.corrected, keeper, begin)
    refuse_forces(scheme, run.system)
    reason = treatment.cannot(run.system, chosen.variant)
    if reason:
        raise ModelError(f"constraints={options.constraints!r} cannot be had here: {reason}.")
    reason = chosen.cannot(run.system, options)
    if reason:
        raise ModelError(f"formulation='{chosen}' cannot be had here: {reason}.")
    run.warnings += _warnings_of_options(options)
    return run


def _warnings_of_options(options: Options) -> list[RunWarning]:
    """Warnings about the method and its tolerances."""
    texts = [options.method.doubt] if options.method.doubt else []
    if not options.method.fixed and options.rtol < WITHOUT_EFFECT * options.atol:
        texts.append(
            f"rtol = {options.rtol:g} has no effect: the allowed error per step is rtol + atol, and atol = {options.atol:g} is more "
            f"than {1 / WITHOUT_EFFECT:g} times as large. Pass atol={options.rtol:g} as well for a more accurate run."
        )
    return [RunWarning("method", text) for text in texts]


def finished(
    run: Simulation, keeper: RunStore | None = None, *, progress: bool = True, callback: Watch | None = None
) -> Result:
    """Run to the end, and say what is doubtful about it."""
    options = run.options
    if not options.method.fixed and (options.rtol < ROUNDING or options.rtol + options.atol < ROUNDING):
        run.instants = run.instants[:1]
        run.go(Progress("start", enabled=False))
        raise ConvergenceError(
            f"rtol = {options.rtol:g} with atol = {options.atol:g} asks for more than double precision can give; the limit is "
            f"{ROUNDING:g}. Use a larger rtol.",
            partial=run.result(),
        )
    tell(w for w in run.warnings if w.kind == MASSLESS)  # the model is incomplete
    with Progress("simulation", enabled=progress) as bar:
        try:
            run.go(bar, callback)
        except KeyboardInterrupt:
            if not run.done or not is_partial_allowed():
                raise
            run.interrupted = True
        except FileWriteError as error:
            error.partial = run.result()
            raise
        except TrammelError as error:
            if keeper is not None and isinstance(error.partial, Result):
                keeper.stopped(error.partial, str(error))
            raise
        finally:
            close = getattr(callback, "close", None)
            if close is not None:
                close()
    run.warnings += [] if keeper is None else keeper.doubts
    try:
        result = run.result() if keeper is None or run.interrupted else keeper.finish(run)
    except KeyboardInterrupt:  # the motion is there: what remains to be done is not worth its loss
        if not is_partial_allowed():
            raise
        run.interrupted = True
        result = run.result(hurry=True)
    run.release()
    tell((w for w in result.warnings if w.kind != MASSLESS), result)
    return result


def _arguments(model: Model, method: Method, options: Options, events: Sequence[Event]) -> dict[str, Any]:
    """Options of a run as plain data, from which `resume` has them again."""
    said: dict[str, Any] = {
        "method": stored_method(method), "starter": method.options.get("starter"), "time_step": method.options.get("step"),
    }  # fmt: skip
    for name in STORED:
        said[name] = getattr(options, name)
    said["partition"] = options.partition if isinstance(options.partition, str) else [str(p) for p in options.partition]
    said["formulation"] = [options.formulation.name, dict(options.formulation.options)]
    said["normalize_gains"] = list(options.normalize_gains)
    return {**said, "events": [event.plain(model) for event in events]}


def stored_run(said: Mapping[str, Any]) -> tuple[Options, tuple[Event, ...]]:
    """Options and events of a run from what its store says."""
    given = {"step": said["time_step"], "starter": said["starter"]}
    scheme = read_method(said["method"]).with_options({key: value for key, value in given.items() if value is not None})
    name, given = said["formulation"]
    partition = said["partition"] if isinstance(said["partition"], str) else tuple(said["partition"])
    options = Options(
        method=chosen_method(scheme).method, time_step=said["time_step"] or 0.0, formulation=formulation_of(name, **given),
        partition=partition,
        normalize_gains=tuple(said.get("normalize_gains", (None, None))), **{key: said[key] for key in STORED},
    )  # fmt: skip
    return options, tuple(Event(**each) for each in said["events"])


@tool()
def resume(path: str | os.PathLike[str], *, progress: bool = True, callback: Watch | None = None) -> Result:
    """Continue a simulation that was cut off from the last checkpoint of its store, with the same numbers as if it had never stopped.

        m.simulate(3600.0, store="run.trammel")  # killed, or interrupted by Ctrl-C
        tm.resume("run.trammel")

    A run that is complete already is read from its store.

    Args:
        path: The store, see ``store=`` of `simulate`.
        progress: Show a progress bar if the run takes longer than a second.
        callback: As in `simulate`.

    Raises:
        FileFormatError: The file is no store, is damaged, or was begun by another version of Trammel.
        FileWriteError: Another process writes to it.
    """
    from pytrammel.io.models.model_file import loads
    from pytrammel.io.results.result_file import load_result
    from pytrammel.io.results.run_store import log_to_resume

    with log_to_resume(path) as waiting:
        if waiting is not None:
            keeper, found, head, numbers = waiting
            model = loads(head["model"], ".json")
            options, listed = stored_run(head["arguments"])
            events = checked_events(model, listed)
            told = [RunWarning(kind, text, time=time) for kind, text, time in head["warnings"]]
            begin = Start(numbers["q"], numbers["v"], list(head["changed"]), told)
            with one_thread(when=len(model.bodies) * len(model.space.columns) <= FEW_COLUMNS):
                run = prepared(model, numbers["instants"], options, events, keeper=keeper, begin=begin)
                keeper.go_on_from(run, found, (head, numbers))
                return finished(run, keeper, progress=progress, callback=callback)
    result = load_result(path)
    tell([RunWarning("resume", f"the run in {str(path)!r} was complete: nothing was left to do.")], result)
    return result
