"""`optimize`: parameters of a model chosen so that what its runs give is best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import short
from pytrammel.analysis.analysis import Analysis
from pytrammel.design.analysis import variant_analysis, with_analysis
from pytrammel.design.argument_checks import listed, small, whole
from pytrammel.design.optimization.arguments import Task
from pytrammel.design.optimization.explanation import answer_of
from pytrammel.design.optimization.front import ParetoFront, by_generations, by_limits, checked_objectives
from pytrammel.design.optimization.goals import read_objective
from pytrammel.design.optimization.local import LOCAL, from_start
from pytrammel.design.optimization.optimum import Optimum
from pytrammel.design.optimization.problem import Problem
from pytrammel.design.optimization.progress import Watcher
from pytrammel.design.optimization.refinement import BetweenSamples, hold_between
from pytrammel.design.optimization.search import SEARCHES, spread
from pytrammel.design.variant_runs import CROSSING, Trial
from pytrammel.errors import ConvergenceError, ModelError, TrammelError
from pytrammel.model.base import Model
from pytrammel.results.formulas.reductions import refuse_unused_data

if TYPE_CHECKING:
    from pytrammel.model.typed_methods import AnyOptimum

Array = NDArray[np.float64]
METHODS = ("auto", *LOCAL, *SEARCHES)
DRAWS = 10  # designs that are drawn for each start, at most


@with_analysis
@checked(
    "minimize",
    "maximize",
    "least_squares",
    "subject_to",
    "variables",
    "data",
    "bounds",
    "n_starts",
    "points",
    "max_iterations",
    "tol",
    "callback",
    "analysis",
    "duration",
    "samples",
    "times",
)
def optimize(
    model: Model,
    *,
    minimize: str | Sequence[str] | None = None,
    maximize: str | None = None,
    least_squares: Sequence[str] | None = None,
    subject_to: str | Sequence[str] = (),
    analysis: str | Analysis = "kinematics",
    duration: float | None = None,
    samples: int | None = None,
    times: ArrayLike | None = None,
    variables: Sequence[str] | None = None,
    bounds: Mapping[str, Sequence[Any]] | None = None,
    data: Mapping[str, Any] | None = None,
    method: str = "auto",
    n_starts: int = 1,
    points: int | None = None,
    allow_singular: bool = False,
    seed: int = 0,
    max_iterations: int = 200,
    tol: float = 1e-12,
    progress: bool = True,
    callback: Callable[[Any], Any] | None = None,
) -> AnyOptimum:
    """Choose values of parameters so that a formula over results is as small or as large as it can be.

    Formulas are those of `Model.gradient`: "max(abs(A.reaction))", "rms(P.y - target)", "P.x[end]". A limit without a function over time
    ("P.x <= 0.3") holds at every instant. The largest sample of a series is no smooth function of the design; methods that follow slopes
    get it as a level above all samples instead. Variants that cannot be run (they do not close, say) are counted, and avoided.

    Args:
        model: The model, with parameters.
        minimize, maximize: What should be small, or large: a formula over results that is one number. Several to minimise in a list give
            the `ParetoFront` of designs none of which is better than another in all of them.
        least_squares: Formulas, numbers or series, the sum of whose squares should be small.
        subject_to: What must hold: "max(P.x) <= 0.3", "min(A.angle) >= 40 deg", "P.x[end] == 0.2", "0.1 <= rod <= 0.4".
        analysis: What is run: "kinematics", "simulate", "inverse_dynamics", "statics", "equilibrium" or "modes"
            ("mode1.frequency", at rest), or an `Analysis` with its output times and options:
            ``tm.Analysis("simulate", 1.0, samples=401)``.
        duration, samples, times: Output times of an analysis that is given by its name [s].
        variables: Parameters to vary; by default all that have bounds.
        bounds: Bounds by name, instead of those of the parameters: {"rod": ("100 mm", "300 mm")}.
        data: Arrays that formulas use by name, numbers or one value per instant.
        method: From one start along slopes: "slsqp", "trust-constr", "least_squares"; over whole ranges: "differential_evolution", "cma"
            (both end with "slsqp"). "auto" takes least_squares or slsqp. For several objectives "slsqp" (two: one under a limit that is
            moved) or "nsga2" (any number, by generations).
        n_starts: From how many designs to begin: the present one, and others that fill the ranges evenly.
        points: Designs of a front of two objectives along slopes, 15 by default.
        allow_singular: Whether variants count that pass a singular position (a change point), beyond which the branch is indeterminate.
        seed: Of what is drawn by chance.
        max_iterations: Largest number of iterations, from each start.
        tol: Change of the scaled objective at which to stop.
        progress: Whether long searches show how far they are; in notebooks, with a picture of what was tried.
        callback: Called after every variant with the `History` so far.

    Returns:
        The `Optimum`; for several objectives the `ParetoFront`.

    Raises:
        ModelError: A name means nothing, bounds are the wrong way round, there is nothing to vary.
        ConvergenceError: No design keeps all limits; the sentence says which is missed and by how much, the nearest design is in
            ``error.partial``.
    """
    if minimize is not None and not isinstance(minimize, str):
        if maximize is not None or least_squares is not None:
            raise ModelError("a list of objectives in minimize= stands alone; write -x to make x large.")
        if callback is not None:
            raise ModelError("callback= watches the search for one objective; leave it out for a list of them.")
    elif callback is not None and not callable(callback):
        raise ModelError(f"callback must be a function of the history, but it is {short(callback)}.")
    elif points is not None:
        raise ModelError("points= is for a front of two objectives, minimize=[…, …]; leave it out.")
    _check_numbers(n_starts, seed, max_iterations, tol)
    starts, seed, iterations, tolerance = int(n_starts), int(seed), int(max_iterations), float(tol)
    asked: dict[str, Any] = {
        "analysis": variant_analysis(analysis, duration=duration, samples=samples, times=times), "variables": variables, "bounds": bounds,
        "data": data, "subject_to": subject_to, "allow_singular": _switch(allow_singular, "allow_singular"),
    }  # fmt: skip
    if minimize is not None and not isinstance(minimize, str):
        return _front(model, minimize, method, points, starts, seed, iterations, tolerance, progress, asked)  # type: ignore[return-value]
    task = Task(model, minimize=minimize, maximize=maximize, least_squares=least_squares, **asked)
    refuse_unused_data(task.formulas, data)
    chosen = _method(method, task)
    return _solved(task, chosen, starts, seed, iterations, tolerance, progress, callback)  # type: ignore[return-value]


def _solved(
    task: Task, method: str, starts: int, seed: int, iterations: int, tolerance: float, progress: bool,
    callback: Callable[[Any], Any] | None = None, sampled: Sequence[str] = (),
) -> Optimum:  # fmt: skip
    """The best design; limits hold between samples, except those that are about samples."""
    if starts > 1 or method in SEARCHES:
        task.need_finite_bounds(f"n_starts={starts}" if starts > 1 else f"method={method!r}")
    with Watcher(task.text, task.sign, bool(task.limits), progress=progress, callback=callback) as watcher:
        watcher.most = starts * iterations * (max(20, 10 * len(task.names)) if method in SEARCHES else 1)
        return _held(task, task.problem(watcher.notice), method, starts, seed, iterations, tolerance, sampled)


def _held(
    task: Task, problem: Problem, method: str, starts: int, seed: int, iterations: int, tolerance: float, sampled: Sequence[str]
) -> Optimum:  # fmt: skip
    """The best design over samples, then between them."""
    found, message = _searched(task, problem, method, starts, seed, iterations, tolerance)
    local = method if method in LOCAL else "slsqp"

    def again(x: Array) -> tuple[Trial, str]:
        return _one(problem, local, x, seed, iterations, tolerance)

    checks = BetweenSamples(problem, task.words.read, sampled)
    found, message, doubts = hold_between(checks, found, message, again)
    return answer_of(task, problem, found, message, method, starts, doubts)


def _front(
    model: Model, minimize: Sequence[str], method: str, points: int | None, starts: int, seed: int, iterations: int, tolerance: float,
    progress: bool, asked: Mapping[str, Any],
) -> ParetoFront:  # fmt: skip
    """Several objectives."""
    texts = checked_objectives(minimize)
    ways = ("auto", "slsqp", "trust-constr", "nsga2") if len(texts) == 2 else ("auto", "nsga2")
    if method not in ways:
        raise ModelError(f"method is {short(method)}; for {len(texts)} objectives it can be one of: {', '.join(ways)}.")
    task = Task(model, minimize=texts[0], **asked)
    goals = [read_objective(task.words, text).formula for text in texts]
    refuse_unused_data([*task.formulas, *goals], asked["data"])
    if method == "nsga2" or len(texts) > 2:
        if points is not None or starts > 1:
            raise ModelError(
                f"{'points' if points is not None else 'n_starts'}= is not for method='nsga2'; leave it out."
            )
        task.need_finite_bounds("method='nsga2'")
        return by_generations(task, goals, iterations, seed)
    trials = task.trials.of(goals)
    own = {name: (low, high) for name, low, high in zip(task.names, task.low, task.high, strict=True)}

    def solve(begin: Model, *, starts: int, sampled: Sequence[str] = (), **wanted: Any) -> Optimum:
        one = Task(begin, **{**asked, "variables": task.names, "bounds": own, **wanted})
        return _solved(one, _method(method, one), starts, seed, iterations, tolerance, progress, sampled=sampled)

    wishes = listed(asked["subject_to"], "subject_to")
    count = 15 if points is None else whole(points, "points", 2)
    return by_limits(solve, lambda x: np.array(trials.at(x).values, dtype=float), model, texts, wishes, count, starts)


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


def _switch(given: Any, key: str) -> bool:
    if not isinstance(given, bool):
        raise ModelError(f"{key} is {short(given)}; it must be True or False.")
    return given


def _check_numbers(starts: int, seed: int, iterations: int, tolerance: float) -> None:
    whole(starts, "n_starts", 1)
    whole(seed, "seed", 0)
    whole(iterations, "max_iterations", 1)
    small(tolerance, "tol")


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
    best, message = min(ends, key=lambda end: problem.rank(end[0]))
    return (begin, message) if problem.rank(begin) < problem.rank(best) else (best, message)


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
        task.refuse_other_units()
        problem.rescale(begin)
        return begin
    try:
        if task.trials._needs_run:
            result, series = task.analysis.looked(task.model, task.trials._quantities)
            for formula in task.formulas:
                formula.of(series, result.times)
    except ModelError:
        raise
    except TrammelError as error:
        if not may_fail:
            raise type(error)(
                f"the design to begin with cannot be run: {error} Give other values, or n_starts=20 to begin elsewhere as well.",
                partial=error.partial,
            ) from None
    if not may_fail:
        crossing = " To count such designs, give allow_singular=True." if CROSSING in task.trials.failed else ""
        raise ConvergenceError(
            f"the design to begin with has no value: {begin.reason} Give other values, or n_starts=20.{crossing}"
        )
    return begin


def _one(problem: Problem, method: str, x: Array, seed: int, iterations: int, tolerance: float) -> tuple[Trial, str]:
    if method in SEARCHES:
        x = SEARCHES[method](problem, x, iterations, seed)
        if not problem.trials.at(x).ok:
            raise ConvergenceError(f"no design was found that can be run: {problem.trials.at(x).reason}")
        method = "least_squares" if problem.residuals and not problem.limits else "slsqp"
    found, message = from_start(problem, method, x, iterations, tolerance)
    return problem.trials.at(found), message
