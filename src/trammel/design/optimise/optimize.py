"""`optimize`: parameters of a model chosen so that what its runs give is best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.design.optimise.conditions import Conditions, conditions_at
from trammel.design.optimise.feasibility import nearest
from trammel.design.optimise.goals import Limit, Objective, read_formula, read_limits, read_objective
from trammel.design.optimise.local import LOCAL, from_start
from trammel.design.optimise.optimum import Held, Optimum, Varied
from trammel.design.optimise.problem import KEPT, Problem
from trammel.design.optimise.search import SEARCHES, spread
from trammel.design.optimise.watcher import Watcher
from trammel.design.trials import Analysis, Trial, Trials
from trammel.errors import ConvergenceError, ModelError, RunWarning, TrammelError, tell
from trammel.model.base import Model
from trammel.model.limits import check_within, kept_as, read_bounds
from trammel.model.parameters import checked_free, free_parameters
from trammel.results.reductions import Reduction
from trammel.sentences import short

Array = NDArray[np.float64]
METHODS = ("auto", *LOCAL, *SEARCHES)
DRAWS = 10  # designs that are drawn for each start, at most
FLAT = 1e-4  # slope left, as a share of that at the start, at which a design counts as the best near by


def optimize(
    model: Model,
    *,
    minimize: str | None = None,
    maximize: str | None = None,
    least_squares: Sequence[str] | None = None,
    subject_to: str | Sequence[str] = (),
    analysis: str = "kinematics",
    over: Sequence[str] | None = None,
    bounds: Mapping[str, Sequence[Any]] | None = None,
    data: Mapping[str, Any] | None = None,
    method: str = "auto",
    starts: int = 1,
    seed: int = 0,
    iterations: int = 200,
    tolerance: float = 1e-12,
    analysis_options: Mapping[str, Any] | None = None,
    progress: bool = True,
    callback: Callable[[Any], Any] | None = None,
    **options: Any,
) -> Optimum:
    """Choose values of parameters so that a formula over results is as small or as large as it can be.

    Formulas are those of `Model.gradient`: "max(abs(A.reaction))", "rms(P.y - target)", "P.x[end]". A limit without a function over time
    ("P.x <= 0.3") holds at every instant. The largest sample of a series is no smooth function of the design; methods that follow slopes
    get it as a level above all samples instead. Variants that cannot be run (they do not close, say) are counted, and avoided.

    Args:
        model: The model, with parameters.
        minimize, maximize: What should be small, or large: a formula over results that is one number.
        least_squares: Formulas, numbers or series, the sum of whose squares should be small.
        subject_to: What must hold: "max(P.x) <= 0.3", "min(A.angle) >= 40 deg", "P.x[end] == 0.2", "0.1 <= rod <= 0.4".
        analysis: What is run: "kinematics", "simulate", "inverse_dynamics", "statics" or "equilibrium".
        over: Parameters to vary; by default all that have bounds.
        bounds: Bounds by name, instead of those of the parameters: {"rod": ("100 mm", "300 mm")}.
        data: Arrays that formulas use by name, numbers or one value per instant.
        method: From one start along slopes: "slsqp", "trust-constr", "least_squares"; over whole ranges: "differential_evolution", "cma"
            (both end with "slsqp"). "auto" takes least_squares or slsqp.
        starts: From how many designs to begin: the present one, and others that fill the ranges evenly.
        seed: Of what is drawn by chance.
        iterations: At most this many, from each start.
        tolerance: Change of the scaled objective at which to stop.
        analysis_options: Options of the analysis whose names are taken here, such as {"method": "radau"}.
        progress: Whether long searches show how far they are; in notebooks, with a picture of what was tried.
        callback: Called after every variant with the `History` so far.
        options: Those of the analysis: duration, samples, times …

    Returns:
        The `Optimum`.

    Raises:
        ModelError: A name means nothing, bounds are the wrong way round, there is nothing to vary.
        ConvergenceError: No design keeps all limits; the sentence says which is missed and by how much, the nearest design is in
            ``error.partial``.
    """
    task = Task(
        model, analysis=_analysis(analysis, analysis_options, options), over=over, bounds=bounds, data=data, subject_to=subject_to,
        minimize=minimize, maximize=maximize, least_squares=least_squares,
    )  # fmt: skip
    chosen = _method(method, task)
    _check_numbers(starts, iterations, tolerance)
    if starts > 1 or chosen in SEARCHES:
        task.need_finite_bounds(f"starts={starts}" if starts > 1 else f"method={chosen!r}")
    with Watcher(task.text, task.sign, bool(task.limits), progress=progress, callback=callback) as watcher:
        watcher.most = starts * iterations * (max(20, 10 * len(task.names)) if chosen in SEARCHES else 1)
        problem = task.problem(watcher.notice)
        found, message = _searched(task, problem, chosen, starts, seed, iterations, tolerance)
        return _answer(task, problem, found, message, chosen, starts)


class Task:
    """What was asked for, checked: formulas, limits, parameters and their bounds."""

    def __init__(
        self,
        model: Model,
        *,
        analysis: Analysis,
        over: Sequence[str] | None,
        bounds: Mapping[str, Sequence[Any]] | None,
        data: Mapping[str, Any] | None,
        subject_to: str | Sequence[str] = (),
        minimize: str | None = None,
        maximize: str | None = None,
        least_squares: Sequence[str] | None = None,
    ) -> None:
        if not isinstance(model, Model):
            raise ModelError(f"optimize needs a model, but it is given {short(model)}.")
        self.model, self.analysis, self.data = model, analysis, data
        asked = {"minimize": minimize, "maximize": maximize, "least_squares": least_squares}
        given = [key for key, what in asked.items() if what is not None]
        if len(given) != 1:
            told = f"{' and '.join(given)} are given" if given else "none is given"
            raise ModelError(f"optimize takes one of minimize=, maximize= and least_squares=; {told}.")
        self.objective: Objective | None = None
        self.residuals: tuple[Reduction, ...] = ()
        if least_squares is not None:
            listed = [least_squares] if isinstance(least_squares, str) else list(least_squares)
            self.residuals = tuple(read_formula(model, each, data, "least_squares") for each in listed)
            if not listed:
                raise ModelError("least_squares= is empty; give formulas whose squares should be small.")
        else:
            what, sign = (minimize, 1.0) if minimize is not None else (maximize, -1.0)
            self.objective = read_objective(model, what, data, sign=sign)
        wishes = [subject_to] if isinstance(subject_to, str) else list(subject_to)
        self.limits: list[Limit] = [limit for wish in wishes for limit in read_limits(model, wish, data)]
        self.names, self.low, self.high = bounded_parameters(model, over, bounds, self.used)
        self.trials = Trials(
            model, self.names, analysis, self.formulas, _ranges(model, self.names, self.low, self.high)
        )

    @property
    def formulas(self) -> list[Reduction]:
        """Everything that is wanted of a run."""
        out = list(self.residuals)
        if self.objective is not None:
            out += [self.objective.formula, *self.objective.tops]
        for limit in self.limits:
            out += [limit.left, limit.right, *limit.parts]
        return out

    @property
    def used(self) -> set[str]:
        """Parameters that formulas use directly."""
        return {name for formula in self.formulas for name in formula.parameters}

    @property
    def text(self) -> str:
        """What is asked for, in words."""
        if self.objective is None:
            return f"half the sum of squares of {', '.join(f.text for f in self.residuals)}"
        return f"{self.objective.verb} of {self.objective.text}"

    @property
    def sign(self) -> float:
        """-1 if large is good."""
        return self.objective.sign if self.objective is not None else 1.0

    def problem(self, notice: Callable[[Problem], None] | None = None) -> Problem:
        return Problem(self.trials, self.objective, self.residuals, self.limits, (self.low, self.high), notice)

    def need_finite_bounds(self, why: str) -> None:
        for name, low, high in zip(self.names, self.low, self.high, strict=True):
            if not math.isfinite(high - low):
                raise ModelError(
                    f"{why} searches whole ranges, but the parameter {name!r} has none; give bounds={{{name!r}: (least, greatest)}}."
                )


def bounded_parameters(
    model: Model,
    over: Sequence[str] | None,
    bounds: Mapping[str, Sequence[Any]] | None,
    used: set[str],
    *,
    what: str = "optimize",
) -> tuple[tuple[str, ...], Array, Array]:
    """Parameters to vary and their bounds, SI; infinite where there are none."""
    given = dict(bounds or {})
    if bounds is not None and not isinstance(bounds, Mapping):
        raise ModelError(f"bounds= must give (least, greatest) by name, but it is {short(bounds)}.")
    if over is None:
        free = free_parameters(model)
        own = [name for name in free if any(map(math.isfinite, model.parameters[name].bounds))]
        names = [name for name in free if name in own or name in given]
        names += [name for name in given if name not in names]  # refused below, with the reason
        names = [name for name in names if name in given or name in used or name not in model.unused_parameters]
        if not names:
            raise ModelError(
                f"{what}: no parameter of model {model.name!r} has bounds, so that there is nothing to vary; give them with "
                "m.parameter(…, bounds=(least, greatest)) or bounds=, or name parameters in over=."
            )
    else:
        names = [over] if isinstance(over, str) else list(over)
    checked_free(model, [name for name in names if name not in used or name not in model.unused_parameters], what)
    for name in given:
        if name not in names:
            raise ModelError(f"bounds= are given for {name!r}, which is not varied; name it in over= as well.")
    found = []
    for name in names:
        said = model.parameters[name]
        owner = f"parameter {name!r}"
        own_bounds = read_bounds(kept_as(given[name]), owner, said.dimension) if name in given else said.bounds
        check_within(said.value, own_bounds, owner)
        found.append(own_bounds)
    low, high = np.array(found, dtype=float).reshape(-1, 2).T
    return tuple(names), low, high


def _ranges(model: Model, names: Sequence[str], low: Array, high: Array) -> Array:
    """How much each parameter may change: its range, or its size."""
    now = np.abs([model.parameters[name].value for name in names])
    width = np.where(np.isfinite(high - low), high - low, np.where(now > 0.0, now, 1.0))
    return np.asarray(width, dtype=float)


def _analysis(name: str, more: Mapping[str, Any] | None, options: Mapping[str, Any]) -> Analysis:
    if more is not None and not isinstance(more, Mapping):
        raise ModelError(f"analysis_options= must be options by name, but it is {short(more)}.")
    return Analysis(name, {**options, **(more or {})})


def _method(method: str, task: Task) -> str:
    if method not in METHODS:
        raise ModelError(f"method is {short(method)}; it can be one of: {', '.join(METHODS)}.")
    if method == "auto":
        return "least_squares" if task.residuals and not task.limits else "slsqp"
    if method == "least_squares" and not task.residuals:
        raise ModelError("method='least_squares' needs least_squares=[formulas] instead of minimize= or maximize=.")
    if method == "least_squares" and task.limits:
        raise ModelError("method='least_squares' takes no subject_to=; choose method='slsqp'.")
    return method


def _check_numbers(starts: int, iterations: int, tolerance: float) -> None:
    for key, value in (("starts", starts), ("iterations", iterations)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ModelError(f"{key} is {short(value)}; it must be a whole number of at least 1.")
    if isinstance(tolerance, bool) or not isinstance(tolerance, float | int) or not 0.0 < tolerance < 1.0:
        raise ModelError(f"tolerance is {short(tolerance)}; it must be between 0 and 1.")


# --- searching -------------------------------------------------------------------------------------------------------------


def _searched(
    task: Task, problem: Problem, method: str, starts: int, seed: int, iterations: int, tolerance: float
) -> tuple[Trial, str]:
    begin = _first(task, problem, starts > 1 or method in SEARCHES)
    designs = [begin.x] if begin.ok or method in SEARCHES else []
    if len(designs) < starts:
        designs += _runnable(problem, starts - len(designs), seed)
    if not designs:
        raise ConvergenceError(
            f"none of the {DRAWS * starts} designs that were drawn to begin with can be run: "
            f"{', '.join(f'{n} {what}' for what, n in problem.trials.failed.items())}. Give narrower bounds."
        )
    ends: list[tuple[Trial, str]] = []
    lost = ""
    for k, x in enumerate(designs):
        problem.start = k
        try:
            ends.append(_one(problem, method, x, seed + k, iterations, tolerance))
        except TrammelError as error:
            lost = str(error)
    if not ends:
        raise ConvergenceError(f"no search came to an end: {lost}")
    return min(ends, key=lambda end: problem.rank(end[0]))


def _runnable(problem: Problem, count: int, seed: int) -> list[Array]:
    """Designs that fill the ranges and can be run, of ten times as many if need be."""
    out: list[Array] = []
    for x in spread(problem, DRAWS * count, seed):
        trial = problem.trials.at(x)
        problem.note(trial)
        if trial.ok:
            out.append(x)
        if len(out) == count:
            break
    return out


def _first(task: Task, problem: Problem, may_fail: bool) -> Trial:
    """The present design; what is wrong with the task itself shows here."""
    begin = problem.trials.at(problem.trials.start)
    problem.note(begin)
    if begin.ok:
        problem.rescale(begin)
        return begin
    try:
        result = task.analysis.run(task.model) if task.trials._needs_run else None
        for formula in task.formulas:
            if result is not None:
                formula.on(result)
    except ModelError:
        raise
    except TrammelError as error:
        if not may_fail:
            raise type(error)(
                f"the design to begin with cannot be run: {error} Give other values, or starts=20 to begin elsewhere too.",
                partial=error.partial,
            ) from None
    return begin


def _one(problem: Problem, method: str, x: Array, seed: int, iterations: int, tolerance: float) -> tuple[Trial, str]:
    if method in SEARCHES:
        x = SEARCHES[method](problem, x, iterations, seed)
        if not problem.trials.at(x).ok:
            raise ConvergenceError(f"no design was found that can be run: {problem.trials.at(x).reason}")
        method = "least_squares" if problem.residuals and not problem.limits else "slsqp"
    found, message = from_start(problem, method, x, iterations, tolerance)
    return problem.trials.at(found), message


def _answer(task: Task, problem: Problem, found: Trial, message: str, method: str, starts: int) -> Optimum:
    if problem.violation(found) > KEPT:
        found = nearest(problem, found)
    missed = problem.missed(found)
    kept = problem.violation(found) <= KEPT
    before = problem.trials.at(problem.trials.start)
    warnings: list[RunWarning] = []
    try:
        held = conditions_at(problem, found.x)
    except TrammelError as error:
        warnings.append(RunWarning("derivatives", f"whether this is the best near by could not be checked: {error}"))
        n, m = len(task.names), len(task.limits)
        nothing = np.zeros(n, dtype=bool)
        held = Conditions(math.inf, np.zeros(m), np.zeros(n), np.zeros(m, dtype=bool), nothing, nothing)
    tiny = problem.objective is not None and problem.objective.squared and problem.merit(found) <= 1e-12 * problem.scale
    calm = held.slope_left <= FLAT or tiny
    told = _told(message, calm, kept, held.slope_left)
    if not calm and kept and math.isfinite(held.slope_left):
        warnings.append(
            RunWarning(
                "not converged",
                f"the search ended where a slope of {held.slope_left:.2g} of that at the start is left: {message}",
            )
        )
    values = dict(zip(task.names, map(float, found.x), strict=True))
    answer = Optimum(
        model=task.model._with_parameters(values, bounded=False), values=values, objective=problem.shown(found), converged=calm and kept,
        message=told, text=task.text, before=problem.shown(before) if before.ok else math.nan,
        parameters=tuple(_varied(task, held, found.x, k) for k in range(len(task.names))),
        limits=tuple(_held(task, problem, held, before, found, missed, k) for k in range(len(task.limits))),
        slope_left=held.slope_left, history=problem.history, runs=problem.trials.runs, slope_runs=problem.trials.slope_runs,
        failed=problem.trials.failed, method=f"{method} from {starts} start{'s' if starts > 1 else ''}", original=task.model,
        analysis=task.analysis, sign=task.sign, inexact=problem.trials.inexact, warnings=tuple(warnings),
    )  # fmt: skip
    if not kept:
        raise ConvergenceError(_infeasible(answer), partial=answer)
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
        f"no design was found that keeps all limits. In the nearest one, {listed}. Loosen what cannot be met{hint}; starts=20 looks "
        "elsewhere too. The nearest design is in error.partial."
    )


def _varied(task: Task, held: Conditions, x: Array, k: int) -> Varied:
    side = "lower" if held.at_low[k] else "upper" if held.at_high[k] else ""
    before = task.model.parameters[task.names[k]].value
    cost = float(held.bounds[k]) if side else 0.0
    return Varied(task.names[k], before, float(x[k]), float(task.low[k]), float(task.high[k]), side, cost)


def _held(
    task: Task, problem: Problem, held: Conditions, before: Trial, found: Trial, missed: Sequence[float], k: int
) -> Held:
    limit = task.limits[k]
    over = missed[k] if missed[k] > KEPT * problem.scales[k] else 0.0
    after, right = _sides(problem, limit, found)
    first = _sides(problem, limit, before)[0] if before.ok else math.nan
    cost = 0.0 if any(m > KEPT * s for m, s in zip(missed, problem.scales, strict=True)) else float(held.limits[k])
    return Held(limit.text, first, after, right, over, bool(held.active[k]), cost)


def _sides(problem: Problem, limit: Limit, trial: Trial) -> tuple[float, float]:
    """Both sides of a limit at the instant at which it comes nearest to being missed."""
    left, right = np.broadcast_arrays(problem.of(trial, limit.left), problem.of(trial, limit.right))
    gap = {"<=": left - right, ">=": right - left, "==": np.abs(left - right)}[limit.sign]
    k = np.unravel_index(np.argmax(gap), gap.shape)
    return float(left[k]), float(right[k])
