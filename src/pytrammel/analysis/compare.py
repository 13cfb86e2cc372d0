"""Methods side by side: what they cost, how accurate they are, and how errors depend on the step."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked_number, listed
from pytrammel._util.messages import short
from pytrammel._util.progress import Progress, analysis_scope
from pytrammel.analysis.analysis import Analysis
from pytrammel.analysis.methods import Method, chosen_method, method_named
from pytrammel.analysis.options import tool
from pytrammel.analysis.plain_equations.integrate import PlainRun
from pytrammel.analysis.plain_equations.plain import PlainEquations, read_equations
from pytrammel.analysis.runs.fit import refuse_plain
from pytrammel.errors import ConvergenceError, ModelError, RunWarning, TrammelError
from pytrammel.expressions.expression import as_expression
from pytrammel.model.base import Model
from pytrammel.results.studies.comparison import ConvergenceStudy, MethodComparison, Trial
from pytrammel.results.studies.integration import Integration

Array = NDArray[np.float64]
INSTANTS = 21  # at which errors are measured
TIGHT, LESS_TIGHT = 1e-13, 1e-12  # tolerances of the reference, and of a second one that tells how good it is
TOO_MANY = 2_000_000  # steps of an explicit reference, before an implicit method is asked
SCALES = (1.1, 1.3, 1.7)  # units in which a run is repeated to see rounding
SHORT = 0.01  # seconds: such runs are timed three times
PLACES = 8  # along a run, at which single steps are looked at
USUAL = ("dop853", "dopri5", "rk4", "abm4", "adams", "bdf")
Exact = Callable[[float], Array]


@tool("tolerances", "methods", "initial", "given", "exact", "analysis")
def compare_methods(
    target: Any,
    initial: Any = None,
    duration: float | None = None,
    *,
    methods: Sequence[str | Method] = USUAL,
    tolerances: Sequence[float] = (1e-4, 1e-6, 1e-8),
    time_steps: Sequence[float] | None = None,
    given: Mapping[str, Any] | None = None,
    exact: Mapping[str, Any] | None = None,
    start_time: float = 0.0,
    analysis: Analysis | None = None,
    progress: bool = True,
) -> MethodComparison:
    """Run several methods on the same problem and compare time, steps, evaluations and error.

        tm.textbook.compare_methods("y' = -y^2", {"y": 1.0}, 5.0, methods=["ab4", "am4", "abm4"]).plot()
        tm.textbook.compare_methods(model, 2.0, time_steps=[1e-2, 1e-3])

    Args:
        target: Equations as in `integrate`, or a model.
        initial: Values at the start, for equations.
        duration: Length of the runs; for a model it may stand second.
        methods: Methods to compare; a method with a step, ``tm.methods.rk4(step=1e-3)``, runs with that step alone.
        tolerances: Values of rtol for methods with error control; atol is a hundredth of it.
        time_steps: For methods with fixed steps; 50 to 800 of them in the run by default.
        given: Parameters of formulas.
        exact: The solution as formulas of t by state, where it is known; by default a run with a tolerance of 1e-13 is the reference.
        start_time: Time at the start [s].
        analysis: For a model instead of `duration`: ``tm.Analysis("simulate", 2.0, constraints="baumgarte")``.
        progress: Show a progress bar if it takes longer than a second.

    Returns:
        The table (print it), its picture (``.plot()``) and the runs as data. Errors of equations are relative to the largest value of each
        state, those of models are distances of coordinates [m, rad].
    """
    model = isinstance(target, Model)
    if model and duration is None:
        duration, initial = initial, None
    if analysis is not None and not model:
        raise ModelError("analysis= is for models. Pass duration= for equations.")
    begin, length, options = compared_span(duration, start_time, analysis)
    schemes = [_method(m) for m in listed_values(methods, "methods")]
    rtols = [positive_entry(x, "tolerances") for x in listed_values(tolerances, "tolerances")]
    steps = [length / n for n in (50, 100, 200, 400, 800)]
    if time_steps is not None:
        steps = [positive_entry(x, "time_steps") for x in listed_values(time_steps, "time_steps")]
    times = np.linspace(begin, begin + length, INSTANTS)
    problem: _Problem
    if model:
        unused = [
            name for name, value in (("initial", initial), ("given", given), ("exact", exact)) if value is not None
        ]
        if unused:
            raise ModelError(
                f"{unused[0]}= belongs to equations; a model knows its own start and parameters. Leave it out."
            )
        problem = ModelProblem(target, times, options)
    else:
        for scheme in schemes:
            refuse_plain(scheme)
        problem = _PlainProblem(read_equations(target, initial, given, begin), times, exact)
    trials = []
    with Progress("comparison", enabled=progress) as bar:
        plan = [(s, x) for s in schemes for x in _settings(s, steps, rtols)]
        problem.find_reference(bar)
        for k, (scheme, setting) in enumerate(plan):
            trials.append(problem.trial(scheme, setting))
            bar.update((k + 1.0) / len(plan), scheme.name)
    return MethodComparison(tuple(trials), problem.what, problem.source, problem.uncertainty)


class _Problem(ABC):
    """Something to run methods on, with its reference."""

    what = ""
    source = "a run of dop853 with rtol = 1e-13"
    uncertainty = 0.0

    @abstractmethod
    def find_reference(self, bar: Progress) -> None:
        """Find what errors are measured against."""

    @abstractmethod
    def trial(self, method: Method, setting: float) -> Trial:
        """One run."""


class _PlainProblem(_Problem):
    what = "relative to the largest value of each state"

    def __init__(self, equations: PlainEquations, times: Array, exact: Mapping[str, Any] | None) -> None:
        self.equations, self.times = equations, times
        self.exact = None if exact is None else exact_solution(equations, exact)

    def find_reference(self, bar: Progress) -> None:
        if self.exact is not None:
            self.y = np.array([self.exact(float(t)) for t in self.times])
            self.source = "the given solution"
        else:
            self.y, off, name = reference(self.equations, self.times)
            self.source = f"a run of {name} with rtol = {TIGHT:g}"
        self.sizes = np.abs(self.y).max(axis=0)
        self.sizes[self.sizes == 0.0] = 1.0
        self.uncertainty = 0.0 if self.exact is not None else float((off / self.sizes).max())

    def trial(self, method: Method, setting: float) -> Trial:
        tolerance = 1e-8 if method.fixed else setting
        atol = 0.01 * tolerance * np.minimum(self.sizes, 1.0)
        step = setting if method.fixed else 0.0
        options: dict[str, Any] = {"rtol": tolerance, "atol": atol, "time_step": step}
        method = chosen_method(
            method.with_options({"step": step}) if method.fixed else method, len(self.equations.names)
        ).method
        run = PlainRun(self.equations, self.times, method, **options)
        failure, done = _gone(run)
        error = math.nan if failure else float((np.abs(done.y - self.y) / self.sizes).max())
        s = done.statistics
        seconds = s.seconds
        # what else the machine does counts for much in a short run
        for _ in range(0 if failure or seconds > SHORT else 2):
            again = PlainRun(self.equations, self.times, method, **options)
            seconds = min(seconds, _gone(again)[1].statistics.seconds)
        # the times of comparison are no work of the method
        return Trial(
            method.name, setting, method.fixed, error, seconds, s.steps, s.evaluations - len(done), failure=failure
        )


class ModelProblem(_Problem):
    """A model to run with several methods or formulations."""

    what = "largest distance of a coordinate [m, rad]"

    def __init__(self, model: Model, times: Array, options: dict[str, Any]) -> None:
        self.model, self.times, self.options = model, times, options

    def run(self, **options: Any) -> Any:
        """A run at the times of comparison."""
        from pytrammel.analysis.runs.dynamics import simulate

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)
            return simulate(self.model, times=self.times, progress=False, **self.options, **options)

    def find_reference(self, bar: Progress) -> None:
        tight = self.run(rtol=1e-12, atol=1e-14)
        other = self.run(rtol=1e-11, atol=1e-13)
        self.q = tight.q
        self.source = "a run of dop853 with rtol = 1e-12"
        self.uncertainty = float(np.abs(tight.q - other.q).max())

    def trial(self, method: Method, setting: float) -> Trial:
        options: dict[str, Any] = {"method": method}
        options |= {"rtol": setting, "atol": 0.01 * setting}
        if method.fixed:
            options = {"method": method.with_options({"step": setting})}
        return self.trial_of(method.name, setting, method.fixed, options)[0]

    def trial_of(self, name: str, setting: float, fixed: bool, options: dict[str, Any]) -> tuple[Trial, Any]:
        """One run under a name, and its result."""
        failure = ""
        try:
            done = self.run(**options)
        except TrammelError as problem:
            if problem.partial is None:
                raise
            failure, done = str(problem), problem.partial
        s = done.dynamics.statistics
        error = math.nan if failure else float(np.abs(done.q - self.q).max())
        balance = done.energy.balance
        trial = Trial(
            name, setting, fixed, error, done.wall_time, s.steps, s.evaluations - len(done), s.position_violation,
            float(np.abs(balance).max(initial=0.0)), failure,
        )  # fmt: skip
        return trial, done


def _gone(run: PlainRun) -> tuple[str, Integration]:
    """A run to its end: why it failed, and what it computed."""
    try:
        with analysis_scope():
            run.go(Progress("run", enabled=False))
    except ConvergenceError as problem:
        return str(problem), problem.partial
    return "", run.result()


def reference(equations: PlainEquations, times: Array) -> tuple[Array, Array, str]:
    """A very accurate solution at some times, what it may be off by, and the method."""
    for name in ("dop853", "radau5"):
        found = []
        for rtol in (TIGHT, LESS_TIGHT):
            atol = np.full(len(equations.names), 1e-3 * rtol)
            run = PlainRun(equations, times, method_named(name), rtol=rtol, atol=atol, max_steps=TOO_MANY)
            failure, done = _gone(run)
            if failure:
                break
            found.append(done.y)
        if len(found) == 2:
            off: Array = np.abs(found[0] - found[1]).max(axis=0)
            return found[0], off, name
    raise ConvergenceError(f"no reference was found: {failure} Give exact=, or a shorter duration.")


def exact_solution(equations: PlainEquations, exact: Any) -> Exact:
    """A solution given as formulas of t by state."""
    names = equations.names
    if not isinstance(exact, Mapping) or set(exact) != set(names):
        raise ModelError(
            f"exact must give every state as a formula of t, by name ({', '.join(names)}), but it is {short(exact)}."
        )
    formulas = [as_expression(exact[name], f"exact {name}") for name in names]
    for name, formula in zip(names, formulas, strict=True):
        if formula.names - {"t"}:
            raise ModelError(f"exact {name} = {formula} may depend on t only.")
    return lambda t: np.array([float(f.evaluate({"t": t})) for f in formulas])


@tool()
def convergence_study(
    equations: Any,
    initial: Any,
    duration: float,
    *,
    method: str | Method = "rk4",
    time_steps: ArrayLike | None = None,
    given: Mapping[str, Any] | None = None,
    exact: Mapping[str, Any] | None = None,
    start_time: float = 0.0,
    progress: bool = True,
) -> ConvergenceStudy:
    """Truncation, global and round-off error of a method with fixed steps against their length (book, section 12.5).

        print(tm.convergence_study("y' = -y^2", {"y": 1.0}, 5.0, method="ab4", exact={"y": "1/(1 + t)"}))

    Args:
        equations, initial, duration, given, start_time: As in `integrate`.
        method: A method with fixed steps.
        time_steps: Lengths; by default from an eighth of the run, halved fourteen times.
        exact: The solution as formulas of t by state, where it is known; by default a run with a tolerance of 1e-13 is the reference.
        progress: Show a progress bar if it takes longer than a second.

    The error of a single step begins at the true solution (multistep methods: with true past states). Rounding is what a run differs by
    from the same run in other units, where every rounding falls otherwise and nothing else changes.
    """
    scheme = method_named(method)
    refuse_plain(scheme)
    if not scheme.fixed:
        fixed = "'rk4' or 'abm4'"
        raise ModelError(
            f"method {scheme.name!r} chooses its steps itself; the study needs one with fixed steps such as {fixed}."
        )
    length = checked_number(duration, "duration")
    if not length > 0.0:
        raise ModelError(f"duration is {length:g}; it must be greater than 0.")
    begin = checked_number(start_time, "start_time")
    if scheme.options.get("step") is not None:
        raise ModelError(f"method {scheme}: the study chooses the steps itself. Use time_steps=[...] instead of step=.")
    scheme = chosen_method(scheme.with_options({"step": length})).method
    read = read_equations(equations, initial, given, begin)
    lengths: Array = length * 0.5 ** np.arange(3, 18, dtype=np.float64)
    if time_steps is not None:
        listed = [positive_entry(h, "time_steps") for h in listed_values(time_steps, "time_steps")]
        lengths = np.array(sorted(listed, reverse=True))
    solution = None if exact is None else exact_solution(read, exact)
    end = begin + length
    uncertainty = 0.0
    if solution is None:
        y, off, _ = reference(read, np.array([begin, end]))
        last, uncertainty = y[-1], float(off.max())
    else:
        last = solution(end)
    columns: list[tuple[float, float, float]] = []
    with Progress("study", enabled=progress) as bar:
        for k, h in enumerate(map(float, lengths)):
            columns.append(_errors(read, scheme, begin, end, h, last, solution))
            bar.update((k + 1.0) / lengths.size, f"step = {h:.3g}")
    one, total, rounding = np.array(columns).T
    return ConvergenceStudy(scheme.name, scheme.order, lengths, one, total, rounding, uncertainty)


def _errors(
    equations: PlainEquations, method: Method, begin: float, end: float, h: float, last: Array, solution: Exact | None
) -> tuple[float, float, float]:
    """Errors of one step, of the run, and by rounding, at one length of steps."""
    ends = []
    for scale in (1.0, *SCALES):
        failure, done = _gone(PlainRun(equations, np.array([begin, end]), method, time_step=h, scale=scale))
        if failure:
            return math.nan, math.nan, math.nan
        ends.append(done.y[-1])
    total = float(np.abs(ends[0] - last).max())
    rounding = float(max(np.abs(other - ends[0]).max() for other in ends[1:]))
    back = (method.history - 1) * h
    room = end - h - back - begin
    places = begin + np.linspace(0.0, room, PLACES) if room > 0.0 else np.zeros(0)
    errors = [_one_step(equations, method, float(t), h, begin, solution) for t in places]
    return max(errors, default=math.nan), total, rounding


def _one_step(
    equations: PlainEquations, method: Method, at: float, h: float, begin: float, solution: Exact | None
) -> float:
    """Error of one step that begins with the true states at `at` and, for multistep methods, those of the next times."""
    times: Array = at + h * np.arange(method.history + 1, dtype=np.float64)
    if solution is not None:
        states = np.array([solution(float(t)) for t in times])
    else:
        asked = times if times[0] == begin else np.append(begin, times)
        states = reference(equations, asked)[0][-times.size :]
    scheme = method
    if method.history > 1 and method.with_starter is not None:
        scheme = method.with_starter(states[1:-1], len(equations.names))
    there = replace(equations, start=states[0])
    failure, done = _gone(PlainRun(there, times[[0, -1]], scheme, time_step=h))
    return math.nan if failure else float(np.abs(done.y[-1] - states[-1]).max())


def listed_values(values: Any, what: str) -> list[Any]:
    members = list(listed(values, what))
    if not members:
        raise ModelError(f"{what} is empty; give at least one.")
    return members


def compared_span(duration: Any, start_time: Any, analysis: Any) -> tuple[float, float, dict[str, Any]]:
    """Start [s] and length [s] of the runs that are compared, and the other options of `simulate`."""
    options: dict[str, Any] = {}
    if analysis is not None:
        if not isinstance(analysis, Analysis) or analysis.name != "simulate":
            raise ModelError(f"analysis must be tm.Analysis('simulate', duration, ...), but it is {short(analysis)}.")
        if duration is not None or start_time:
            raise ModelError("analysis= holds the duration and start_time. Remove duration= and start_time=.")
        wrong = sorted({"times", "samples", "output_step", "method", "rtol", "atol"} & analysis.options.keys())
        if wrong:
            raise ModelError(f"analysis= must not give {wrong[0]!r}, which the comparison chooses. Remove it.")
        options = dict(analysis.options)
        duration, start_time = options.pop("duration", None), options.pop("start_time", 0.0)
    length = checked_number(duration, "duration")
    if not length > 0.0:
        raise ModelError(f"duration is {length:g}; it must be greater than 0.")
    return checked_number(start_time, "start_time"), length, options


def _settings(method: Method, steps: list[float], rtols: list[float]) -> list[float]:
    """Steps or tolerances with which a method is run."""
    own = method.options.get("step")
    return [own] if own is not None else steps if method.fixed else rtols


def _method(value: Any) -> Method:
    if not isinstance(value, str | Method):
        raise ModelError(f"methods must be a list of names or objects of tm.methods, but it holds {short(value)}.")
    return method_named(value)


def positive_entry(value: Any, what: str) -> float:
    number = checked_number(value, f"an entry of {what}")
    if not number > 0.0:
        raise ModelError(f"an entry of {what} is {number:g}; it must be greater than 0.")
    return number
