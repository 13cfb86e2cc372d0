"""What is told about a design that was found: whether it is the best near by, what holds it, what limits cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pytrammel.design.optimization.arguments import Task
from pytrammel.design.optimization.feasibility import nearest
from pytrammel.design.optimization.goals import Limit
from pytrammel.design.optimization.kkt import Conditions, conditions_at
from pytrammel.design.optimization.optimum import Held, Optimum, Varied
from pytrammel.design.optimization.problem import KEPT, Problem
from pytrammel.design.optimization.unbounded import endless, moved
from pytrammel.design.variant_runs import Trial
from pytrammel.errors import ConvergenceError, RunWarning, TrammelError, distinct, tell

Array = NDArray[np.float64]
FLAT = 1e-4  # slope left, as a share of that at the start, at which a design counts as the best near by


def answer_of(
    task: Task, problem: Problem, found: Trial, message: str, method: str, starts: int, doubts: Sequence[RunWarning] = ()
) -> Optimum:  # fmt: skip
    """The optimum with its checks; `doubts` are about limits between samples."""
    if problem.violation(found) > KEPT:
        found = nearest(problem, found)
    missed = problem.missed(found)
    kept = problem.violation(found) <= KEPT
    before = problem.trials.at(problem.trials.start)
    warnings: list[RunWarning] = list(doubts)
    if task.idle:
        warnings.append(
            RunWarning(
                "idle", f"{task.text} does not change with {', '.join(task.names)}; vary something that it is made of."
            )
        )
    try:
        held = conditions_at(problem, found.x)
    except TrammelError as error:
        warnings.append(RunWarning("derivatives", f"whether this is the best near by could not be checked: {error}"))
        n, m = len(task.names), len(task.limits)
        nothing = np.zeros(n, dtype=bool)
        held = Conditions(math.inf, np.zeros(n), np.zeros(m), np.zeros(n), np.zeros(m, dtype=bool), nothing, nothing)
    tiny = problem.objective is not None and problem.objective.squared and problem.merit(found) <= 1e-12 * problem.scale
    calm = held.kkt_residual <= FLAT or tiny
    told = "limits are not known to hold between samples" if doubts else _told(message, calm, kept, held.kkt_residual)
    if not calm and kept and math.isfinite(held.kkt_residual):
        warnings.append(
            RunWarning(
                "not converged",
                f"the search ended where a slope of {held.kkt_residual:.2g} of that at the start is left: {message}",
            )
        )
    warnings += problem.trials.warnings(found.x)
    values = dict(zip(task.names, map(float, found.x), strict=True))
    answer = Optimum(
        model=task.model._with_parameters(values, bounded=False), values=values, objective=problem.shown(found),
        converged=bool(calm and kept and not doubts),
        message=told, text=task.text, before=problem.shown(before) if before.ok else math.nan,
        parameters=tuple(_varied(task, held, found.x, k) for k in range(len(task.names))),
        limits=tuple(_held(task, problem, held, before, found, missed, k) for k in range(len(task.limits))),
        kkt_residual=held.kkt_residual, history=problem.history, runs=problem.trials.runs, n_gradients=problem.trials.n_gradients,
        failed=problem.trials.failed, method=f"{method} from {starts} start{'s' if starts > 1 else ''}", original=task.model,
        analysis=task.analysis, sign=task.sign, inexact=problem.trials.inexact, warnings=distinct(warnings),
    )  # fmt: skip
    if not kept:
        raise ConvergenceError(_infeasible(answer), partial=answer)
    if not task.idle and (last := endless(problem, found, held.left, calm)) is not None:
        k = int(np.argmax(moved(problem, last)))
        name = task.names[k]
        raise ConvergenceError(
            f"{task.text} has no end: it still gets better at {name} = {last.x[k]:.3g}. Give "
            f"bounds={{{name!r}: (least, greatest)}}, or a limit in subject_to=.",
            partial=replace(answer, converged=False),
        )
    tell(answer.warnings, answer)
    return answer


def _told(message: str, calm: bool, kept: bool, slope: float) -> str:
    if not kept:
        return "no design was found that keeps all limits"
    if calm:
        return f"what slope is left is {slope:.1g} of that at the start"
    return message[:1].lower() + message[1:]


def _infeasible(answer: Optimum) -> str:
    missed = [limit for limit in answer.limits if limit.missed]
    listed = "; ".join(f"{limit.text} is missed by {limit.missed:.3g} (it is {limit.after:.6g})" for limit in missed)
    edge = [p.name for p in answer.parameters if p.at_bound]
    hint = f", or widen the bounds of {', '.join(edge)}" if edge else ""
    return (
        f"no design was found that keeps all limits. In the nearest one, {listed}. Loosen what cannot be met{hint}; n_starts=20 looks "
        "elsewhere as well. The nearest design is in error.partial."
    )


def _varied(task: Task, held: Conditions, x: Array, k: int) -> Varied:
    side = "lower" if held.at_low[k] else "upper" if held.at_high[k] else ""
    before = task.model.parameters[task.names[k]].value
    multiplier = float(held.bounds[k]) if side else 0.0
    return Varied(task.names[k], before, float(x[k]), float(task.low[k]), float(task.high[k]), side, multiplier)


def _held(
    task: Task, problem: Problem, held: Conditions, before: Trial, found: Trial, missed: Sequence[float], k: int
) -> Held:
    limit = task.limits[k]
    over = missed[k] if missed[k] > KEPT * problem.scales[k] else 0.0
    after, right = _sides(problem, limit, found)
    first = _sides(problem, limit, before)[0] if before.ok else math.nan
    multiplier = (
        0.0 if any(m > KEPT * s for m, s in zip(missed, problem.scales, strict=True)) else float(held.limits[k])
    )
    return Held(limit.text, first, after, right, over, bool(held.active[k]), multiplier)


def _sides(problem: Problem, limit: Limit, trial: Trial) -> tuple[float, float]:
    """Both sides of a limit at the instant at which it comes nearest to being missed."""
    left, right = np.broadcast_arrays(problem.of(trial, limit.left), problem.of(trial, limit.right))
    gap = {"<=": left - right, ">=": right - left, "==": np.abs(left - right)}[limit.sign]
    k = np.unravel_index(np.argmax(gap), gap.shape)
    return float(left[k]), float(right[k])
