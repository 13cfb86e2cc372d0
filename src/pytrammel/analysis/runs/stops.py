"""Why a simulation stopped before its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_state import evaluate_state
from pytrammel.analysis.events.curve_ends import SLACK, leaving_sentence, nearest_end, remedies
from pytrammel.analysis.methods import unsolved
from pytrammel.analysis.positions.assembly import residuals
from pytrammel.analysis.runs.fit import fewer_steps
from pytrammel.analysis.runs.pace import dead_point, ending_driver, no_progress, self_locking, singular_sentence
from pytrammel.analysis.runs.runaway import ESCAPE, is_outrun, is_resolved, pole_message, runaway_sentence
from pytrammel.analysis.start.idle import faintest_motion
from pytrammel.errors import ConvergenceError, SingularError, TrammelError
from pytrammel.kernels import engine as seam
from pytrammel.kernels import run as rk
from pytrammel.kernels import step_control
from pytrammel.kernels.equations import penalty
from pytrammel.system.positions import moved

if TYPE_CHECKING:
    from pytrammel.analysis.runs.simulation import Simulation

ENDS = (rk.NOT_A_NUMBER, rk.STEP_TOO_SMALL, rk.NO_PROGRESS)  # how a run ends at a singular position
Array = NDArray[np.float64]
CLOSE_TO_END = 1e-6  # of a curve's scale: so close to its end a value that is not a number means the end
FAINT = 1e-13  # ratio of kinetic energies of free motions per unit of speed, below which the least is rounding


def stop_reason(run: Simulation, status: int) -> TrammelError:
    """The sentence for a simulation that stopped."""
    t = float(run.clock[0])
    law = next((law for law in run.system.laws if law.complaint()), None)
    if law is None and status in (rk.NOT_A_NUMBER, rk.STEP_TOO_SMALL) and _at_an_end(run):
        return left_curve(run)
    # a fixed step that is too long grows as well
    cause = (
        law is not None
        or (run.options.method.fixed and not is_resolved(run))
        or (not run.pace.growing and (ending_driver(run) or singular_sentence(run)))
    )
    astray = "" if cause else runaway_sentence(run)
    pole = "" if law is not None or astray or status != rk.STEP_TOO_SMALL else pole_message(run)
    dead = "" if law is not None or astray or pole or status not in ENDS or ending_driver(run) else dead_point(run)
    if dead:
        text = f"the simulation stopped: {dead}"
    elif astray or pole:
        text = f"the simulation stopped at t = {t:.6g} s: {astray or pole}"
    elif law is not None:
        text = f"the simulation stopped at t = {t:.6g} s: {law.complaint()}."
    elif status in (rk.NOT_A_NUMBER, rk.STEP_TOO_SMALL) and _partition(run):
        text = f"the simulation stopped at t = {t:.6g} s: {_partition(run)}"
    elif status == rk.NOT_A_NUMBER and run.method_numbers[seam.UNSOLVED]:
        text = f"the simulation stopped at t = {t:.6g} s: {_unsolved(run)}"
    elif status == rk.NOT_A_NUMBER:
        culprit = _not_a_number(run, t)
        text = f"the simulation stopped at t = {t:.6g} s: {culprit}"
    elif status == rk.NO_PROGRESS:
        text = f"the simulation stopped at t = {t:.6g} s: {no_progress(run)}"
    elif status == rk.STEP_TOO_SMALL and _unsolved(run):
        text = f"the simulation stopped at t = {t:.6g} s, where no step is short enough: {_unsolved(run)}"
    elif status == rk.STEP_TOO_SMALL:
        text = (
            f"the simulation stopped at t = {t:.6g} s: the step became smaller than the clock resolves. The tolerance rtol = "
            f"{run.options.rtol:g} cannot be met there"
        ) + (
            f". {singular_sentence(run)}"
            if singular_sentence(run)
            else "; loosen it, soften the stiffest contact or spring, or look for a singular position."
        )
    else:
        options = run.options
        span = float(run.instants[-1] - run.instants[0])
        remedy = fewer_steps(
            options.method, span, (options.time_step, options.max_step), options.max_steps, options.rtol
        )
        text = f"the simulation stopped at t = {t:.6g} s after {options.max_steps} steps; raise max_steps of the method or {remedy}."
        text += f" At the end {_unsolved(run)}" if _unsolved(run) else ""
    if status == rk.NOT_A_NUMBER and law is None and not (dead or astray) and is_outrun(run):
        text += f" {ESCAPE}"
    text += f" {run.done} of {run.instants.size} instants were computed (error.partial)."
    error = ConvergenceError(text, partial=run.result())
    error.__cause__ = None if law is None else law.error
    return error


def _partition(run: Simulation) -> str:
    """What to say where independent coordinates are to blame."""
    if run.independent is None:
        return ""
    return run.independent.trouble(run.system, run.active, run.q, float(run.clock[0]))


def check_on_curves(run: Simulation) -> None:
    """Refuse a start in which a pin is beyond the end of its curve."""
    found = nearest_end(run.system, run.q, run.acting)
    if found is not None and found[2] < -SLACK:
        raise left_curve(run)


def left_curve(run: Simulation) -> SingularError:
    """The sentence for a pin that stands at the end of its curve."""
    found = nearest_end(run.system, run.q, run.acting)
    assert found is not None
    extra, u, _ = found
    return SingularError(
        f"{leaving_sentence(run.model, extra, u, float(run.clock[0]))}{remedies(run.model, extra, u)} "
        f"{run.done} instants were computed (error.partial), {run.asked} were asked for.",
        partial=run.result(),
    )


def _at_an_end(run: Simulation) -> bool:
    """Return True if a pin is about to leave its curve, whose formula may have no value beyond."""
    found = nearest_end(run.system, run.q, run.acting)
    if found is None or found[2] > CLOSE_TO_END:
        return False
    extra, u, inside = found
    if inside <= SLACK:
        return True
    rate = run.v[run.system.columns.index(extra.name)]
    return bool(rate < 0.0 if abs(u - extra.low) < abs(u - extra.high) else rate > 0.0)


def _not_a_number(run: Simulation, t: float) -> str:
    """Which force law, constraint or mass gives a value that is not a number."""
    equation = run.equations.trouble(run.system) or _worst_equation(run)
    if equation:
        return equation
    for ahead in (0.0, 5.0 * float(run.control[step_control.NEXT])):  # the step that failed was five times the next one
        state = evaluate_state(
            run.system, run.floats, run.pattern, t + ahead, moved(run.system, run.q, ahead * run.v), run.v
        )
        for k, force in enumerate(run.system.forces):
            if not np.isfinite(state.forces[k]):
                remedy = "shorten the step of the method" if is_outrun(run) else "check its law"
                return f"the force {force.use.label!r} of {force.owner!r} is not a number there; {remedy}."
    gap = residuals(run.system, run.q, t)
    for k, row in enumerate(run.system.rows):
        if not np.isfinite(gap[k]):
            return f"constraint {row.owner!r} gives a value that is not a number there."
    if run.options.treatment.iterated and run.penalties[penalty.TAKEN] >= run.penalties[penalty.PASSES]:
        return (
            f"the multipliers of constraints='augmented' do not settle within {run.penalties[penalty.PASSES]:g} passes; raise penalty = "
            f"{run.options.penalty:g}."
        )
    if self_locking(run.system):
        return self_locking(run.system)
    singular = singular_sentence(run)
    if singular:
        return f"the equations have no solution there. {singular}"
    if run.options.method.fixed and np.isfinite(state.accelerations).all():
        return (
            f"a step of {run.options.time_step:g} s from there leads to where the equations cannot be solved or the joints cannot be "
            "closed; shorten the step."
        )
    light = [name for name, body in run.model.bodies.items() if body.massless or body.mass == 0.0]
    if light:
        return (
            "the equations have no solution there: nothing determines the acceleration of a part without mass "
            f"({', '.join(map(repr, light))}). Give it a mass, or tie it to another body."
        )
    column, share = faintest_motion(run.system, run.active, t, run.q)
    if column and share < FAINT:
        return (
            f"the equations have no solution there: a free motion, largest in {column}, has {share:.1g} of the largest kinetic energy, "
            "which is lost in rounding. Give the bodies that take part an inertia, or hold one of their joints."
        )
    return (
        "the equations have no solution there (a singular position, or a coordinate without mass that nothing holds)."
    )


def _unsolved(run: Simulation) -> str:
    """What to say where the iteration of an implicit method does not converge; empty where it does."""
    table = run.stepping
    if table.method is None or not table.numbers[seam.UNSOLVED]:
        return ""
    worst = table.worst()
    where = "" if worst is None else run.equations.equation(run.system, worst)
    return unsolved(table.method, run.options.time_step, where)


def _worst_equation(run: Simulation) -> str:
    """Which equation of an implicit step could not be solved; empty if none was left so."""
    place = run.options.method.worst
    worst = -1 if place is None else int(run.method_numbers[place])
    if worst < 0:
        return ""
    where = run.equations.worst_equation(run.system, run.stepping, worst)
    return (
        f"the equations of a step of {run.options.time_step:g} s could not be solved: the iteration does not converge, worst in {where}. "
        "Shorten the step, or look for a singular position or a force that jumps there."
    )
