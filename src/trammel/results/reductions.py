"""Formulas over whole results: "max(abs(A.reaction))", "rms(P.y - target)", "P.x[end] - 2*mean(Q.x)".

They are formulas like all others, in which functions of a whole series may stand as well (`OVER_TIME`). Names are those of results,
parameters and given data. All is evaluated on arrays whose last axis is time, so that thousands of runs are reduced at once, and
differentiated exactly, forwards (`Reduction.along`) and backwards (`Reduction.gradient`).
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ExpressionError, ModelError
from trammel.model.dimensions import read_unit
from trammel.model.expression import Call, Expression, Name, Number, PiecewiseCall, as_expression, is_taken, variable
from trammel.model.expression_parser import Parser, Token
from trammel.model.function_rules import RULES
from trammel.model.groups import SYSTEM
from trammel.results.quantities import split_unit
from trammel.sentences import short

if TYPE_CHECKING:
    from trammel.model.base import Model
    from trammel.results.result import Result

Array = NDArray[np.float64]
_NO_OWNER = ("t", "time", "energy", SYSTEM)


# --- what can be made of a series --------------------------------------------------------------------------------------


class OverTime(NamedTuple):
    """A function of a whole series.

    Attributes:
        value: From the series (..., n) and its instants (n,), and a number where it takes one; shape (..., 1).
        weights: How the value changes with every sample, shape (..., n) or one that broadcasts to it.
        arguments: How many there are: the series, and perhaps a number.
        about: What it is, in a few words.
    """

    value: Callable[..., Array]
    weights: Callable[..., Array]
    arguments: int
    about: str


def _shares(times: Array) -> Array:
    """Weights of an integral over time by straight lines between instants, shape (n,)."""
    steps = np.diff(times)
    return np.asarray(0.5 * (np.append(steps, 0.0) + np.append(0.0, steps)))


def mean_weights(times: Array) -> Array:
    """Weights of a mean over time, which add up to 1."""
    weights = _shares(times)
    total = weights.sum()
    return np.asarray(weights / total if total > 0.0 else np.full(times.size, 1.0 / times.size))


def _total(x: Array) -> Array:
    return np.asarray(x.sum(axis=-1, keepdims=True))


def _linear(weights: Callable[..., Array]) -> tuple[Callable[..., Array], Callable[..., Array]]:
    """Of functions that weigh the samples and add them up."""
    return lambda x, t, *given: _total(x * weights(t, *given)), lambda x, t, *given: weights(t, *given)


def _mean(x: Array, t: Array) -> Array:
    return _total(x * mean_weights(t))


def _rms(x: Array, t: Array) -> Array:
    return np.asarray(np.sqrt(_mean(x * x, t)))


def _deviation(x: Array, t: Array) -> Array:
    return _rms(x - _mean(x, t), t)


def _over(x: Array, size: Array, t: Array) -> Array:
    """Slope of a root mean square; none where everything is zero."""
    return np.asarray(mean_weights(t) * x / np.where(size > 0.0, size, 1.0))


def _one_hot(x: Array, place: Array) -> Array:
    return np.asarray(np.arange(x.shape[-1]) == place[..., None], dtype=float)


def _at_top(x: Array, t: Array) -> Array:
    return _one_hot(x, x.argmax(axis=-1))


def _at_bottom(x: Array, t: Array) -> Array:
    return _one_hot(x, x.argmin(axis=-1))


def _end(t: Array, place: float = -1.0) -> Array:
    """All weight on one sample, by its number; negative ones count from the end."""
    k, n = int(place), t.size
    if not -n <= k < n:
        raise ModelError(f"there is no sample [{k}]: the run has {n} instants, [0] to [{n - 1}].")
    return np.asarray(np.arange(n) == k % n, dtype=float)


def at_time(t: Array, time: float) -> Array:
    """Weights of the samples around an instant: of the cubic through the nearest four, never across an instant that stands twice."""
    n = t.size
    slack = 1e-9 * max(abs(float(t[0])), abs(float(t[-1])), 1e-300)
    if not n or time < t[0] - slack or time > t[-1] + slack:
        raise ModelError(
            f"at(…, {time:.6g}): the run covers t = {t[0]:.6g} s to {t[-1]:.6g} s; choose an instant within it."
        )
    weights = np.zeros(n)
    nearest = int(np.argmin(np.abs(t - time)))
    if abs(t[nearest] - time) <= slack:
        weights[nearest] = 1.0
        return weights
    after = int(np.searchsorted(t, time))  # between two different instants
    doubled = np.flatnonzero(np.diff(t) <= 0.0)
    low = int(doubled[doubled < after - 1].max() + 1) if (doubled < after - 1).any() else 0
    high = int(doubled[doubled >= after].min() + 1) if (doubled >= after).any() else n
    first = max(low, min(after - 2, high - 4))
    places = np.arange(first, min(first + 4, high))
    for k in places:
        others = t[places[places != k]]
        weights[k] = np.prod((time - others) / (t[k] - others))
    return weights


OVER_TIME: dict[str, OverTime] = {
    "max": OverTime(lambda x, t: np.asarray(x.max(axis=-1, keepdims=True)), _at_top, 1, "largest sample"),
    "min": OverTime(lambda x, t: np.asarray(x.min(axis=-1, keepdims=True)), _at_bottom, 1, "smallest sample"),
    "range": OverTime(
        lambda x, t: np.asarray(np.ptp(x, axis=-1)[..., None]),
        lambda x, t: _at_top(x, t) - _at_bottom(x, t), 1, "from the smallest sample to the largest",
    ),
    "mean": OverTime(*_linear(mean_weights), 1, "mean over time"),
    "integral": OverTime(*_linear(_shares), 1, "integral over time, by straight lines between instants"),
    "sum": OverTime(*_linear(lambda t: np.ones(t.size)), 1, "sum of all samples"),
    "rms": OverTime(_rms, lambda x, t: _over(x, _rms(x, t), t), 1, "root mean square over time"),
    "deviation": OverTime(
        _deviation, lambda x, t: _over(x - _mean(x, t), _deviation(x, t), t), 1, "root mean square distance from the mean"
    ),
    "start": OverTime(*_linear(lambda t: _end(t, 0.0)), 1, "first sample; also written x[start]"),
    "last": OverTime(*_linear(_end), 1, "last sample; also written x[end]"),
    "sample": OverTime(*_linear(_end), 2, "sample by its number; also written x[3]"),
    "at": OverTime(*_linear(at_time), 2, "value at an instant [s], by the cubic through the samples around it"),
}  # fmt: skip


class Reduced(Expression):
    """A function of a whole series, as part of a formula."""

    __slots__ = ()

    @property
    def function(self) -> OverTime:
        return OVER_TIME[self.label[0]]

    @property
    def given(self) -> tuple[float, ...]:
        return tuple(child.value for child in self.children[1:] if isinstance(child, Number))

    def of(self, *children: Expression) -> Expression:
        return Reduced(self.label, children)

    def _evaluate(self, values: Mapping[str, Any], arguments: list[Any]) -> Any:
        times = np.asarray(values["t"])
        return self.function.value(_whole(arguments[0], times), times, *self.given)

    def _derivative(self, name: str, inner: list[Expression]) -> Expression:
        raise ExpressionError(f"{self} is made of a whole series and has no formula as its derivative.")


def _whole(x: Any, times: Array) -> Array:
    """A series with its whole length, also where it is one number."""
    x = np.asarray(x, dtype=float)
    return np.broadcast_to(x, (*x.shape[:-1], times.size))


# --- reading -------------------------------------------------------------------------------------------------------------


class _Reader(Parser):
    """Reads formulas with functions over time, samples x[end] and units P.x[mm]."""

    symbols = re.compile(Parser.symbols.pattern + r"|\s*(?P<bracket>\[[^\[\]]*\])")

    @property
    def functions(self) -> list[str]:
        return [*super().functions, *(name for name in OVER_TIME if not is_taken(name))]

    def _atom(self) -> Expression:
        first = self.token
        found = super()._atom()
        while self.token.kind == "bracket":
            found = self._indexed(found, first, self._next())
        return found

    def _indexed(self, found: Expression, first: Token, bracket: Token) -> Expression:
        inside = bracket.text[1:-1].strip()
        if inside in ("end", "last", "start"):
            return Reduced(("start" if inside == "start" else "last",), (found,))
        if re.fullmatch(r"-?\d+", inside):
            return Reduced(("sample",), (found, as_expression(int(inside), "a sample")))
        if not isinstance(found, Name) or first.text != found.name:
            raise self._error(
                "Write x[end], x[start], the number of a sample, or the unit of a quantity.", bracket.position
            )
        try:
            read_unit(inside)
        except ModelError as error:
            raise self._error(str(error), bracket.position) from None
        return Name((f"{found.name} [{inside}]",), ())

    def _function(self, token: Token) -> Expression:
        name = token.text
        if name not in OVER_TIME or name in self.piecewise or token.primes:
            return super()._function(token)
        arguments = self._arguments()
        wanted = OVER_TIME[name].arguments
        if is_taken(name) and len(arguments) != wanted:  # max(a, b) is the larger of two at every instant
            if len(arguments) != 2:
                raise self._error(
                    f"'{name}' takes a series, or two values, but {len(arguments)} are given.", token.position
                )
            return self._apply(token, name, *arguments)
        if len(arguments) != wanted:
            needs = "one series" if wanted == 1 else "a series and a number"
            raise self._error(f"'{name}' takes {needs}, but {len(arguments)} arguments are given.", token.position)
        if not all(isinstance(argument, Number) for argument in arguments[1:]):
            raise self._error(f"'{name}' takes a plain number as its second argument.", token.position)
        return Reduced((name,), tuple(arguments))


@dataclass(frozen=True)
class Reduction:
    """A formula over a result: a number, or a series where nothing in it is reduced over time.

    Attributes:
        text: As it was written.
        expression: As a tree; named formulas of the model are put in.
        quantities: Names of the quantities it is made of, as results know them; "t" is not among them.
        parameters: Names and values of the parameters that it uses directly.
        data: Given arrays that it uses, by name: numbers, or one value per instant.
        is_series: Whether its value has one number per instant.
    """

    text: str
    expression: Expression = field(repr=False)
    quantities: tuple[str, ...]
    parameters: Mapping[str, float] = field(repr=False)
    data: Mapping[str, Array] = field(repr=False)
    is_series: bool = False

    @staticmethod
    def parse(
        text: object, model: Model, *, data: Mapping[str, Any] | None = None, also: Iterable[str] = ()
    ) -> Reduction:
        """Read a formula over results of a model.

        Args:
            text: The formula: "max(abs(A.reaction))", "P.x[end]", "rms(P.y - target)"; a number, or a formula made in Python.
            model: The model; its quantities, parameters and named formulas may be used.
            data: Arrays that the formula uses by name, numbers or shape (n,) with one value per instant.
            also: Names with which quantities may begin beside those of the model, such as "mode1".

        Raises:
            ExpressionError: The text is no formula.
            ModelError: It uses a name that nothing has.
        """
        given = _checked_data(model, data)
        if isinstance(text, str):
            try:
                expression = _Reader(text, model.tables).parse()
            except ExpressionError as error:
                raise ExpressionError(f"the formula over results: {error}") from None
        else:
            expression = as_expression(text, "the formula over results")
        expression = expression.substitute(model.definitions)
        names = expression.names - given.keys()
        parameters = {name: model.parameters[name].value for name in sorted(names & model.parameters.keys())}
        quantities = tuple(sorted(names - parameters.keys() - {"t"}))
        _refuse_unknown(model, quantities, [*given, *also])
        used = {name: given[name] for name in expression.names & given.keys()}
        return Reduction(str(text), expression, quantities, parameters, used, _is_series(expression, parameters, used))

    # --- values ----------------------------------------------------------------------------------------------------------

    def of(self, series: Mapping[str, Any], times: Any, parameters: Mapping[str, Any] | None = None) -> Array:
        """Value for one run or many.

        Args:
            series: The quantities by name, shape (..., n): time is the last axis, others are runs.
            times: Instants [s], shape (n,).
            parameters: Values of parameters other than the model's, shape (...).

        Returns:
            Shape (...), or (..., n) for a series.
        """
        values = self._values(series, times, parameters)
        with np.errstate(all="ignore"):
            return self._shaped(_values_of(self.expression, values)[id(self.expression)], values["t"])

    def on(self, result: Result) -> Any:
        """Value on one result: a float, or an array of shape (n,) for a series."""
        found = self.of(self.series_of(result), result.times)
        wrong = ~np.isfinite(found)
        if wrong.any():
            where = f" at t = {result.times[int(np.argmax(wrong))]:.6g} s" if self.is_series else ""
            raise ModelError(f"the formula {short(self.text)} is no number{where}.")
        return found if self.is_series else float(found)

    def series_of(self, result: Result) -> dict[str, Array]:
        """What it needs of a result, by name, shape (n,)."""
        found = result._columns(self.quantities)
        return {name: values for name, (values, _unit) in zip(self.quantities, found, strict=True)}

    # --- derivatives -----------------------------------------------------------------------------------------------------

    def along(
        self,
        series: Mapping[str, Any],
        times: Any,
        changes: Mapping[str, Any],
        parameters: Mapping[str, Any] | None = None,
    ) -> tuple[Array, Array]:
        """Value, and how it changes when series (and parameters) change: forwards.

        Args:
            series, times, parameters: As in `of`.
            changes: Changes of quantities, shape (..., n), and of parameters, shape (...), by name; none for what is not in it. They may
                have further axes in front, for many directions at once.
        """
        values = self._values(series, times, parameters)
        moved = {name: np.asarray(change, dtype=float) for name, change in changes.items()}
        moved = {name: x[..., None] if name in self.parameters else x for name, x in moved.items()}
        with np.errstate(all="ignore"):
            known = _values_of(self.expression, values)
            slopes: dict[int, Any] = {}
            for node in self.expression.nodes():
                slopes[id(node)] = (
                    moved.get(node.name, 0.0) if isinstance(node, Name) else _forwards(node, known, slopes, values["t"])
                )
        found, change = known[id(self.expression)], np.asarray(slopes[id(self.expression)], dtype=float)
        return self._shaped(found, values["t"]), self._shaped(change, values["t"])

    def gradient(
        self,
        series: Mapping[str, Any],
        times: Any,
        parameters: Mapping[str, Any] | None = None,
        *,
        sample: int | None = None,
    ) -> tuple[Array, dict[str, Array]]:
        """Value, and its derivative with respect to every sample of every quantity and to parameters: backwards.

        Where the largest or smallest sample is asked for, the derivative is that at this sample (the first, if several are equal); that of
        abs(x) at x = 0 is 0.

        Args:
            series, times, parameters: As in `of`.
            sample: Which value of a series is meant; a formula that is one number needs none.

        Returns:
            The value, and by name arrays of shape (..., n) for quantities, (...) for parameters.
        """
        if self.is_series and sample is None:
            raise ModelError(
                f"the formula {short(self.text)} is a series; say which sample, or reduce it, as in max({short(self.text)})."
            )
        values = self._values(series, times, parameters)
        t = values["t"]
        with np.errstate(all="ignore"):
            known = _values_of(self.expression, values)
            nodes = list(self.expression.nodes())
            pulls: dict[int, Any] = {id(node): 0.0 for node in nodes}
            pulls[id(self.expression)] = 1.0 if sample is None else _end(t, float(sample))
            for node in reversed(nodes):
                _backwards(node, known, pulls, t)
        out: dict[str, Array] = {}
        for node in nodes:
            if isinstance(node, Name) and node.name in (*self.quantities, *self.parameters):
                lead = np.broadcast_shapes(*(np.shape(known[id(k)])[:-1] for k in nodes))
                pull = np.broadcast_to(
                    np.asarray(pulls[id(node)], dtype=float), (*lead, t.size if node.name in self.quantities else 1)
                )
                out[node.name] = out.get(node.name, 0.0) + (pull if node.name in self.quantities else pull[..., 0])
        value = self._shaped(known[id(self.expression)], t)
        return (value if sample is None else value[..., sample]), out

    # --- shapes ----------------------------------------------------------------------------------------------------------

    def _values(self, series: Mapping[str, Any], times: Any, parameters: Mapping[str, Any] | None) -> dict[str, Any]:
        t = np.asarray(times, dtype=float)
        values: dict[str, Any] = {"t": t}
        for name in self.quantities:
            values[name] = np.asarray(series[name], dtype=float)
        for name, now in self.parameters.items():
            values[name] = np.asarray((parameters or {}).get(name, now), dtype=float)[..., None]
        for name, array in self.data.items():
            if array.ndim and array.size != t.size:
                raise ModelError(
                    f"data {name!r} has {array.size} values, but the run has {t.size} instants; give one for each."
                )
            values[name] = array
        return values

    def _shaped(self, found: Any, times: Array) -> Array:
        found = np.asarray(found, dtype=float)
        if self.is_series:
            return np.array(np.broadcast_to(found, (*found.shape[:-1], times.size)))
        return np.asarray(found[..., 0]) if found.ndim else found


def _checked_data(model: Model, data: Mapping[str, Any] | None) -> dict[str, Array]:
    if data is not None and not isinstance(data, Mapping):
        raise ModelError(f"data= must give arrays by name, but it is {short(data)}.")
    out: dict[str, Array] = {}
    for name, given in (data or {}).items():
        variable(name)
        if name in model or name in model.parameters or name in model.definitions or name == "t":
            raise ModelError(f"data {name!r}: the model has something of that name already; choose another.")
        try:
            array = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise ModelError(f"data {name!r} must be numbers, but it is {short(given)}.") from None
        if array.ndim > 1 or not np.isfinite(array).all():
            raise ModelError(f"data {name!r} must be a finite number, or one per instant, but it is {short(given)}.")
        out[name] = array
    return out


def _refuse_unknown(model: Model, names: Iterable[str], others: Iterable[str]) -> None:
    """Refuse names that begin with nothing that the model has."""
    owners = [
        *model.bodies,
        *model.points,
        *model.constraints,
        *model.forces,
        *model.groups,
        *model.states,
        *_NO_OWNER,
        *others,
    ]
    for name in names:
        pieces = split_unit(name)[0].split(".")
        if any(".".join(pieces[:k]) in owners or ".".join(pieces[:k]) in model for k in range(1, len(pieces) + 1)):
            continue
        known = list(dict.fromkeys([*owners[1:], *model.parameters, *model.definitions]))
        near = difflib.get_close_matches(pieces[0], known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"names begin with one of: {', '.join(known[:20])}."
        raise ModelError(f"there is no quantity {name!r} in model {model.name!r}; {hint}")


def _is_series(expression: Expression, parameters: Mapping[str, Any], data: Mapping[str, Array]) -> bool:
    """Whether the value has one number per instant."""
    found: dict[int, bool] = {}
    for node in expression.nodes():
        if isinstance(node, Name):
            found[id(node)] = node.name not in parameters and not (node.name in data and not data[node.name].ndim)
        else:
            found[id(node)] = not isinstance(node, Reduced) and any(found[id(child)] for child in node.children)
    return found[id(expression)]


# --- the tree forwards and backwards ---------------------------------------------------------------------------------------


def _values_of(expression: Expression, values: Mapping[str, Any]) -> dict[int, Any]:
    """Value of every node."""
    known: dict[int, Any] = {}
    for node in expression.nodes():
        known[id(node)] = node._evaluate(values, [known[id(child)] for child in node.children])
    return known


@functools.lru_cache(maxsize=256)
def _partial(function: str, arity: int, place: int) -> Expression:
    """Derivative of a function with respect to one of its arguments, which are called x0, x1, …"""
    names = [variable(f"x{k}") for k in range(arity)]
    rule = RULES[function]
    if rule.whole is not None:
        return as_expression(rule.whole(*names, *(1.0 if k == place else 0.0 for k in range(arity))), function)
    return as_expression(rule.partials[place](*names), function)


def _slope(node: Expression, place: int, known: Mapping[int, Any]) -> Any:
    """How a node changes with one of its arguments."""
    arguments = [known[id(child)] for child in node.children]
    if isinstance(node, PiecewiseCall):
        return node.function.pieces.evaluate(arguments[0], node.order + 1)
    assert isinstance(node, Call)
    return _partial(node.function, len(arguments), place).evaluate({f"x{k}": x for k, x in enumerate(arguments)})


def _forwards(node: Expression, known: Mapping[int, Any], slopes: Mapping[int, Any], times: Array) -> Any:
    if isinstance(node, Reduced):
        change = slopes[id(node.children[0])]
        if np.ndim(change) == 0:
            return 0.0
        series = _whole(known[id(node.children[0])], times)
        return _total(_whole(change, times) * node.function.weights(series, times, *node.given))
    total: Any = 0.0
    for place, child in enumerate(node.children):
        change = slopes[id(child)]
        if np.ndim(change):  # what does not change is the number 0, and its slope (a logarithm, say) is never asked for
            total = total + _slope(node, place, known) * change
    return total


def _backwards(node: Expression, known: Mapping[int, Any], pulls: dict[int, Any], times: Array) -> None:
    pull = pulls[id(node)]
    if isinstance(node, Reduced):
        series = _whole(known[id(node.children[0])], times)
        _add(pulls, node.children[0], known, pull * node.function.weights(series, times, *node.given))
        return
    for place, child in enumerate(node.children):
        if not isinstance(child, Number):
            _add(pulls, child, known, pull * _slope(node, place, known))


def _add(pulls: dict[int, Any], child: Expression, known: Mapping[int, Any], pull: Any) -> None:
    """Add to what pulls at an argument; one number for the whole series collects what all samples pull."""
    if np.shape(known[id(child)])[-1:] == (1,) and np.ndim(pull):
        pull = _total(np.asarray(pull))
    pulls[id(child)] = pulls[id(child)] + pull
