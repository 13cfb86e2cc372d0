"""Derivatives of anything that an analysis gives: `gradient`, and `value_and_grad` for optimisers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import short
from pytrammel._util.progress import analysis_scope
from pytrammel.analysis.added_names import added_owners
from pytrammel.analysis.analysis import Analysis, chosen_analysis
from pytrammel.analysis.events.events import Event
from pytrammel.analysis.gradients import analyses, rest, runs  # noqa: F401 (they offer what can be differentiated)
from pytrammel.analysis.gradients.directions import (
    Direction,
    OtherStructure,
    Variant,
    initial_direction,
    parameter_direction,
)
from pytrammel.analysis.gradients.problem import KINDS, Gradient, Kind, OnlyForwards, Problem
from pytrammel.analysis.options import verb
from pytrammel.analysis.start.given import InitialConditions, initial_conditions, with_values
from pytrammel.errors import ModelError, RunWarning, distinct, tell, untold
from pytrammel.model.base import Model
from pytrammel.model.parameters import checked_free, free_parameters
from pytrammel.results.formulas.reductions import Reduction, refuse_unused_data

Array = NDArray[np.float64]
METHODS = ("auto", "direct", "adjoint")
BESIDE = 1e-14  # of a value: far below what any result is good to


@verb
def gradient(
    model: Model,
    quantity: Any,
    duration: float | None = None,
    *,
    analysis: str | Analysis = "simulate",
    wrt: str | Sequence[str] | None = None,
    method: str = "auto",
    data: Mapping[str, Any] | None = None,
    samples: int | None = None,
    times: ArrayLike | None = None,
    initial: Mapping[str, Any] | InitialConditions | None = None,
) -> Any:
    """Value of a formula over a result, and its exact derivatives with respect to parameters and initial states.

    Args:
        model: The model, with parameters.
        quantity: A formula over the result: "max(abs(A.reaction))", "P.x[end]", "rms(P.y - target)"; without a function over time ("P.x")
            the derivatives are series. Several in a list share the work and give a tuple.
        duration, samples, times: Output times of the analysis [s], as `simulate` and `kinematics` take them.
        analysis: "kinematics", "inverse_dynamics", "statics", "simulate", "equilibrium" or "modes", or an `Analysis` with its output times
            and options: ``tm.Analysis("simulate", 1.0, rtol=1e-10)``.
        wrt: Names of parameters, and for "simulate" of quantities that start with a value ("A.angle", "crank.omega"); all parameters
            that were given as numbers by default.
        method: "direct" (one solution per name), "adjoint" (one per formula, for many names), or "auto".
        data: Arrays that formulas use by name, numbers or one value per time.
        initial: Values that quantities must have at the start of "simulate", or `InitialConditions`.

    Returns:
        A `Gradient`: ``g.value``, ``g.derivatives["crank"]``, ``g.array``. Where the largest or smallest sample is asked for, its
        time is held.

    Raises:
        ModelError: A name means nothing, or what is asked for has no derivative.
    """
    chosen = _chosen(analysis, duration=duration, samples=samples, times=times, initial=initial)
    with untold():
        found = _Task(model, quantity, chosen.name, wrt, method, data, chosen.options).gradients()
    answer = found[0] if not isinstance(quantity, list | tuple) else tuple(found)
    tell(distinct(w for g in found for w in g.warnings), answer)
    return answer


@verb
def value_and_grad(
    model: Model,
    quantity: Any,
    duration: float | None = None,
    *,
    analysis: str | Analysis = "simulate",
    wrt: str | Sequence[str] | None = None,
    method: str = "auto",
    data: Mapping[str, Any] | None = None,
    samples: int | None = None,
    times: ArrayLike | None = None,
    initial: Mapping[str, Any] | InitialConditions | None = None,
) -> ValueAndGrad:
    """A function of the values of parameters and initial states that gives a value and its gradient, for optimisers such as SciPy's.

    Args:
        model, quantity, duration, analysis, wrt, method, data, samples, times, initial: As for `gradient`.

    Returns:
        A function ``f`` with ``f(x) -> (value, gradient)``, ``f.value(x)``, ``f.grad(x)`` (the last point is remembered), ``f.names``,
        ``f.x0``, the values now, and ``f.warnings`` of the last point; each kind of warning is printed once. A formula that is a number
        gives a float and shape (p,); a series, or a list of formulas, gives shape (n,) and (n, p).
    """
    chosen = _chosen(analysis, duration=duration, samples=samples, times=times, initial=initial)
    return ValueAndGrad(model, quantity, chosen.name, wrt, method, data, chosen.options)


def _chosen(analysis: object, **given: Any) -> Analysis:
    """The analysis; "initial" of one without a start is an error of that analysis."""
    if not isinstance(analysis, Analysis):
        _one_of(analysis, KINDS, "analysis")
    return chosen_analysis(analysis, **given)


class ValueAndGrad:
    """A function of values of parameters and initial states with its derivatives; made by `value_and_grad`.

    Attributes:
        names: What it is a function of.
        x0: Their values in the model, SI, shape (p,).
        warnings: Warnings about the last value or gradient, as `Gradient.warnings`; each kind is printed once, however many points follow.
    """

    def __init__(
        self, model: Model, quantity: Any, analysis: str, wrt: str | Sequence[str] | None, method: str, data: Mapping[str, Any] | None,
        options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self._task = _Task(model, quantity, analysis, wrt, method, data, options)
        self._many = isinstance(quantity, list | tuple)
        self.names = tuple(self._task.names)
        self.x0 = np.array(list(self._task.present.values()))
        self._last: tuple[Array, Any, Any] | None = None
        self.warnings: tuple[RunWarning, ...] = ()
        self._printed: set[str] = set()

    def __repr__(self) -> str:
        return f"<ValueAndGrad of {short(self._task.quantity)} by {short(', '.join(self.names))}>"

    def __call__(self, x: Any) -> tuple[Any, Array]:
        """Value and gradient at the values x, shape (p,), in the order of `names`."""
        at = self._checked(x)
        if self._last is None or not np.array_equal(self._last[0], at) or self._last[2] is None:
            with analysis_scope(), untold():
                found = self._task.moved(at).gradients()
            self._last = (at, *self._shaped([g.value for g in found], [g.array for g in found]))
            self._tell(w for g in found for w in g.warnings)
        _, value, slopes = self._last
        return value, np.array(slopes)

    @checked
    def value(self, x: Any) -> Any:
        """The value alone."""
        at = self._checked(x)
        if self._last is None or not np.array_equal(self._last[0], at):
            with analysis_scope(), untold():
                found, told = self._task.moved(at).values()
            self._last = (at, self._shaped(found, [])[0], None)
            self._tell(told)
        return self._last[1]

    @checked
    def grad(self, x: Any) -> Array:
        """The gradient alone."""
        return self(x)[1]

    def _tell(self, found: Iterable[RunWarning]) -> None:
        """Keep warnings, and print those of a new kind: optimisers come by many points."""
        self.warnings = distinct(found)
        new = [warning for warning in self.warnings if warning.kind not in self._printed]
        self._printed |= {warning.kind for warning in new}
        tell(new, self)

    def _shaped(self, values: Sequence[Any], slopes: Sequence[Array]) -> tuple[Any, Any]:
        if not self._many:
            return values[0], slopes[0] if slopes else None
        p = len(self.names)
        return np.concatenate([np.atleast_1d(v) for v in values]), np.vstack(
            [s.reshape(-1, p) for s in slopes]
        ) if slopes else None

    def _checked(self, x: Any) -> Array:
        try:
            at = np.array(x, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(f"x must be {len(self.names)} numbers, but it is {short(x)}.") from None
        if at.shape != (len(self.names),) or not np.isfinite(at).all():
            raise ModelError(
                f"x must be {len(self.names)} finite numbers ({', '.join(self.names)}), but it is {short(x)}."
            )
        return at


class _Task:
    """What is asked for, checked."""

    def __init__(
        self, model: Model, quantity: Any, analysis: str, wrt: str | Sequence[str] | None, method: str, data: Mapping[str, Any] | None,
        options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.model, self.quantity, self.data, self.options = model, quantity, data, dict(options)
        self.method = _one_of(method, METHODS, "method")
        self.kind: Kind = KINDS[_one_of(analysis, KINDS, "analysis")]
        texts = list(quantity) if isinstance(quantity, list | tuple) else [quantity]
        if not texts:
            raise ModelError("there is nothing to differentiate: the list of formulas is empty.")
        also = added_owners(self.kind.name, self.options)
        self.formulas = [Reduction.parse(text, model, data=data, also=also) for text in texts]
        refuse_unused_data(self.formulas, data)
        self.names = self._names(wrt)
        self.present = self._present()
        states = {name: x for name, x in self.present.items() if name not in model.parameters}
        if states:  # a function of all names: each is held where the others are varied
            self.options["initial"] = with_values(self.options.get("initial"), states)
        self.sizes: dict[str, float] = {}  # what counts as a change, where the value itself does not tell

    def _names(self, wrt: object) -> list[str]:
        model = self.model
        used = {name for formula in self.formulas for name in formula.parameters} | self._in_events()
        if wrt is None:
            names = [name for name in free_parameters(model) if name in used or name not in model.unused_parameters]
            if not names:
                raise ModelError(
                    f"model {model.name!r} has no parameters to differentiate by; describe it with m.parameter, or name initial states."
                )
            return names
        names = [wrt] if isinstance(wrt, str) else list(wrt) if isinstance(wrt, list | tuple) else []
        if not names or not all(isinstance(name, str) for name in names):
            raise ModelError(
                f"wrt= must name parameters or initial states, as in wrt=['crank'], but it is {short(wrt)}."
            )
        spoken = [name for name in names if name in model.parameters or self.kind.initial is None]
        checked_free(model, [n for n in spoken if n not in used or n not in model.unused_parameters], "wrt")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ModelError(f"wrt= names {twice!r} twice; give each once.")
        return names

    def _in_events(self) -> set[str]:
        """Parameters that formulas of events use."""
        events = [event for event in self.options.get("events") or () if isinstance(event, Event)]
        texts = [
            str(x)
            for e in events
            for x in (e.when, *(v for given in (e.change or {}).values() for v in given.values()))
        ]
        words = {word for text in texts for word in re.findall(r"[^\W\d]\w*", text)}
        return {name for name in self.model.parameters if name in words}

    def _present(self) -> dict[str, float]:
        states = [name for name in self.names if name not in self.model.parameters]
        try:
            found = dict(self.kind.initial(self.model, states, self.options)) if states and self.kind.initial else {}
        except ModelError as error:
            raise ModelError(
                f"wrt= names {', '.join(map(repr, states))}, which must then be something that starts with a value, since no parameter is "
                f"called so: {error}"
            ) from None
        return {name: found[name] if name in found else float(self.model.parameters[name].value) for name in self.names}

    def moved(self, x: Array) -> _Task:
        """The same with other values."""
        values = dict(zip(self.names, map(float, x), strict=True))
        parameters = {name: value for name, value in values.items() if name in self.model.parameters}
        states = {name: value for name, value in values.items() if name not in parameters}
        changed = {name: v for name, v in parameters.items() if v != self.model.parameters[name].value}
        model = self.model._with_parameters(changed, bounded=False) if changed else self.model
        options = (
            {**self.options, "initial": with_values(self.options.get("initial"), states)} if states else self.options
        )
        return _Task(model, self.quantity, self.kind.name, self.names, self.method, self.data, options)

    def begin(self) -> Problem:
        wanted = tuple(sorted({name for formula in self.formulas for name in formula.quantities}))
        return self.kind.begin(self.model, wanted, self.options)

    def values(self) -> tuple[list[Any], tuple[RunWarning, ...]]:
        """Values of the formulas, and warnings of the run."""
        problem = self.begin()
        series = dict(zip(problem.names, problem.values(), strict=True))
        return [_plain(formula.of(series, problem.times)) for formula in self.formulas], problem.warnings

    def gradients(self) -> list[Gradient]:
        try:
            return self._gradients()
        except OtherStructure:
            # formulas drop what is multiplied by 0 or 1: values beside these have all terms
            directions = [self._direction(name) for name in self.names]
            beside = [x * (1.0 + BESIDE * k) if x else BESIDE for k, x in enumerate(self.present.values(), 1)]
            other = self.moved(np.array(beside))
            other.sizes = {d.name: d.size for d in directions}
            return other._gradients()

    def _gradients(self) -> list[Gradient]:
        problem = self.begin()
        table = problem.values()
        series = dict(zip(problem.names, table, strict=True))
        directions = [self._direction(name) for name in self.names]
        if self._adjoint(len(directions)):
            try:
                return [self._backwards(formula, problem, series, directions) for formula in self.formulas]
            except OnlyForwards:
                if self.method == "adjoint":
                    raise
        changes: list[list[Array]] = [[] for _ in self.formulas]
        for k, (direction, found) in enumerate(zip(directions, problem.alongs(directions), strict=True)):
            moved = dict(zip(problem.names, found, strict=True))
            for formula, out in zip(self.formulas, changes, strict=True):
                own = {name: moved[name] for name in formula.quantities} | _of_parameters(formula, direction)
                if problem.moving is not None:
                    own["t"] = problem.moving[k]
                out.append(formula.along(series, problem.times, own)[1])
        return [
            self._gradient(formula, problem, series, out, "direct")
            for formula, out in zip(self.formulas, changes, strict=True)
        ]

    def _gradient(
        self, formula: Reduction, problem: Problem, series: Mapping[str, Array], slopes: Iterable[Array], way: str
    ) -> Gradient:
        """Value and derivatives of a formula.

        Raises:
            ModelError: One of them is no finite number.
        """
        value, found = _plain(formula.of(series, problem.times)), _labelled(self.names, map(_plain, slopes))
        for name, one in (("", value), *found.items()):
            entries = np.atleast_1d(one)
            for k in np.flatnonzero(~np.isfinite(entries))[:1]:
                what = f"its derivative with respect to {name!r}" if name else "it"
                when = f" at t = {problem.times[k]:.6g} s" if entries.size > 1 else ""
                raise ModelError(
                    f"{formula.text!r} has no derivative here: {what} is {entries[k]:g}{when}. It divides by zero there, or takes the root "
                    "or logarithm of nothing; change the formula or the values."
                )
        return Gradient(formula.text, value, found, problem.times, way, problem.warnings)

    def _adjoint(self, directions: int) -> bool:
        if self.method != "auto":
            return self.method == "adjoint"
        single = not any(formula.is_series for formula in self.formulas)
        columns = len(self.model.bodies) * len(self.model.space.columns)
        return single and directions > self.kind.many * columns * len(self.formulas)

    def _backwards(
        self,
        formula: Reduction,
        problem: Problem,
        series: Mapping[str, Array],
        directions: Sequence[Direction],
    ) -> Gradient:
        samples: Sequence[int | None] = range(problem.times.size) if formula.is_series else [None]
        later = np.zeros(len(samples))
        if problem.end_moves:
            last = np.zeros(problem.times.size)
            last[-1] = 1.0
            later = np.atleast_1d(formula.along(series, problem.times, {"t": last})[1])
        rows = []
        for sample in samples:
            _, pulls = formula.gradient(series, problem.times, sample=sample)
            weights = np.array([pulls.get(name, np.zeros(problem.times.size)) for name in problem.names])
            found = problem.backwards(
                weights.reshape(len(problem.names), problem.times.size), float(later[sample or 0]), directions
            )
            own = [
                sum(float(pulls[k]) * float(d) for k, d in _of_parameters(formula, direction).items())
                for direction in directions
            ]
            rows.append([one + more for one, more in zip(found, own, strict=True)])
        table = np.array(rows).T if formula.is_series else np.array(rows[0])
        return self._gradient(formula, problem, series, table, "adjoint")

    def _direction(self, name: str) -> Direction:
        initial = initial_conditions(self.options.get("initial")).values or None
        if name in self.model.parameters:
            found = parameter_direction(self.model, name, initial)
        else:
            found = initial_direction(self.model, name, self.present[name], initial)
        return replace(found, size=self.sizes.get(name, found.size))


def _of_parameters(formula: Reduction, direction: Direction) -> dict[str, Array]:
    """How the parameters that a formula uses change along a direction."""

    def value(name: str) -> Callable[[Variant], Array]:
        return lambda variant: np.array([variant.model.parameters[name].value])

    return {name: direction.slope(value(name))[0] for name in formula.parameters}


def _labelled(names: Sequence[str], values: Any) -> dict[str, Any]:
    return dict(zip(names, values, strict=True))


def _plain(value: Any) -> Any:
    """A float for one number; of a single time, too."""
    value = np.asarray(value)
    return float(value.reshape(())) if value.size == 1 else value


def _one_of(given: object, known: Any, what: str) -> str:
    if given in list(known):
        return str(given)
    near = difflib.get_close_matches(str(given), list(known), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ModelError(f"{what}={short(given)} is not known; use one of: {', '.join(map(repr, known))}.{hint}")
