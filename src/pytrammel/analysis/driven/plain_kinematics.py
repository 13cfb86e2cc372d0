"""Kinematics as printed in the books: Newton's method from the last time's position, whatever lies between the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytrammel._util.progress import Progress
from pytrammel.analysis.driven.trouble import stop_error
from pytrammel.analysis.positions.newton import Ending
from pytrammel.analysis.positions.plain_newton import failure, plain_newton
from pytrammel.errors import AssemblyError, ConvergenceError, ModelError, RunWarning
from pytrammel.kernels import layout as L
from pytrammel.kernels.instant import NOTE_ITERATIONS
from pytrammel.kernels.kinematics import CURSOR_STARTED, CURSOR_TIME
from pytrammel.model.base import Model
from pytrammel.system.lowering import System
from pytrammel.system.positions import difference

if TYPE_CHECKING:
    from pytrammel.analysis.driven.kinematics import Run

JUMP = 0.5  # share of a move that the velocities at its ends leave unexplained, for it to count as a jump
NOTABLE = 0.05  # moves below this, in column scales, are not judged


def refuse_phases(model: Model) -> None:
    if model.switches:
        raise ModelError(
            "newton='full' takes one step from instant to instant and would miss the switches between phases; use newton='damped'."
        )


def refuse_velocity_equations(system: System) -> None:
    owners = sorted({row.owner for row in system.rows if row.velocity_only})
    if owners:
        raise ModelError(
            f"newton='full' solves equations between positions, but {', '.join(map(repr, owners))} relates velocities; use newton='damped'."
        )


def follow_plainly(run: Run, bar: Progress) -> None:
    """Algorithm K-II: positions by the plain method, velocities and accelerations by the same Jacobian."""
    try:
        for k, time in enumerate(map(float, run.instants)):
            outcome = plain_newton(run.system, run.rows_in_force(), time, run.at[0])
            run.histories.append(outcome.history)
            if outcome.ending is not Ending.CONVERGED:
                advice = "Draw the mechanism nearer to a closed position" if k == 0 else "Take smaller steps"
                said = failure(outcome, time, f"{advice}, or use newton='damped', which reports dead points.")
                if k == 0:
                    raise AssemblyError(said, partial=outcome.history)
                raise ConvergenceError(
                    f"{said} {run.done} of {run.instants.size} instants were computed (error.partial)."
                )
            run.at[0] = outcome.x
            if k == 0 or run.redundant:
                run.choose_rows(outcome.x, time)
            run.cursor[CURSOR_TIME], run.cursor[CURSOR_STARTED] = time, 0.0
            status, q, v, a, note = run.solve_at(time, run.cursor, run.at)
            if status != L.OK:
                raise stop_error(run, status, time, time)
            run.Q[k], run.V[k], run.A[k], run.notes[k] = q, v, a, note
            run.notes[k, NOTE_ITERATIONS] = outcome.history.iterations
            run.at[0] = q
            run.done = k + 1
            bar.update((k + 1) / run.instants.size, f"t = {time:.4g} s")
    except ConvergenceError as error:
        run.end_segment(0)
        error.partial = run.result()
        raise
    except KeyboardInterrupt:
        run.end_segment(0)
        raise
    run.end_segment(0)


def jumps(run: Run) -> list[RunWarning]:
    """Where the move between two times does not fit the velocities at them: the plain method may have changed the branch."""
    scales = run.system.column_scales()
    for k in range(run.done - 1):
        h = float(run.instants[k + 1] - run.instants[k])
        move = difference(run.system, run.Q[k + 1], run.Q[k]) / scales
        led = 0.5 * h * (run.V[k] + run.V[k + 1]) / scales
        worst = int(np.abs(move - led).argmax())
        if abs(move[worst] - led[worst]) > max(NOTABLE, JUMP * float(np.abs(move).max())):
            name, times = run.system.columns[worst], run.instants[k : k + 2]
            went, expected = (float(x[worst] * scales[worst]) for x in (move, led))
            said = (
                f"between t = {times[0]:.6g} s and {times[1]:.6g} s {name} moves by {went:.4g}, where velocities lead to {expected:.4g}: "
                "the plain method may have changed to another branch. Take smaller steps, or use newton='damped'."
            )
            return [RunWarning("branch", said, time=float(times[1]))]
    return []
