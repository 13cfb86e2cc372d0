"""Formulas over whole results: "max(abs(A.reaction))", "rms(P.y - target)", "P.x[end] - 2*mean(Q.x)".

They are formulas like all others, in which functions of a whole series may stand as well (`OVER_TIME`). Names are those of results,
parameters and given data. All is evaluated on arrays whose last axis is time, so that thousands of runs are reduced at once, and
differentiated exactly, forwards (`Reduction.along`) and backwards (`Reduction.gradient`).
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel._util.messages import short, unlike
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.expression import Expression, Name, Number, as_expression, is_taken, variable
from pytrammel.expressions.parser import Parser, Token
from pytrammel.model.quantities.groups import SYSTEM
from pytrammel.results.formulas.derivatives import backwards, forwards, values_of
from pytrammel.results.formulas.series_functions import OVER_TIME, Array, Reduced, sample_weights
from pytrammel.results.formulas.time_windows import WITH_WINDOW, Window
from pytrammel.results.quantities import split_unit
from pytrammel.units import read_unit

if TYPE_CHECKING:
    from pytrammel.model.base import Model
    from pytrammel.results.result import Result

_NO_OWNER = ("t", "time", "energy", SYSTEM)


ENDS = ("from", "to")  # options of a time window


def _option_word(token: Token) -> str:
    return token.text.rstrip("=").strip()


class _Reader(Parser):
    """Reads formulas with functions over time, samples x[end] and units P.x[mm]."""

    symbols = re.compile(
        r"\s*(?P<option>[A-Za-z_]\w*\s*=(?!=))|" + Parser.symbols.pattern + r"|\s*(?P<bracket>\[[^\[\]]*\])"
    )

    @property
    def functions(self) -> list[str]:
        return [*super().functions, *(name for name in OVER_TIME if not is_taken(name))]

    def _atom(self) -> Expression:
        first = self.token
        if first.kind == "option":
            if _option_word(first) not in ENDS:
                raise self._error(
                    "The character '=' cannot be read here; a formula gives one value and sets nothing; to compare, write ==.",
                    first.position,
                )
            raise self._error(
                f"A time window belongs to a function of a whole series ({', '.join(WITH_WINDOW)}), behind its series: mean(x, from=4).",
                first.position,
            )
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
        arguments, window = self._arguments_and_window(name)
        wanted = OVER_TIME[name].arguments
        if window is not None and len(arguments) > wanted:
            raise self._error(
                f"'{name}' of two values at each time has no time window; use {name} of one series.", token.position
            )
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
        return Reduced((name,) if window is None else (name, window), tuple(arguments))

    def _arguments_and_window(self, name: str) -> tuple[list[Expression], Window | None]:
        """Return the arguments of a function over time, and its time window."""
        opened = self._next()
        arguments: list[Expression] = []
        ends: dict[str, float] = {}
        while self.token.text != ")":
            if self.token.kind == "option":
                option = self._next()
                word = _option_word(option)
                if word not in ENDS:
                    raise self._error(
                        f"'{word}=' is not an option of '{name}'; a time window has from= and to=.", option.position
                    )
                if name not in WITH_WINDOW:
                    raise self._error(
                        f"'{name}' has no time window; {', '.join(WITH_WINDOW)} have one.", option.position
                    )
                end = self._either()
                if not isinstance(end, Number):
                    raise self._error(f"'{word}=' takes a time in seconds, e.g. {word}=4.", option.position)
                if word in ends:
                    raise self._error(f"'{word}=' stands twice; give it once.", option.position)
                ends[word] = end.value
            else:
                if ends:
                    raise self._error("The time window stands behind the series: mean(x, from=4).", self.token.position)
                arguments.append(self._either())
            if self.token.text != ",":
                break
            self._next()
        self._expect_close(opened)
        if not ends:
            return arguments, None
        window = Window(ends.get("from", -math.inf), ends.get("to", math.inf))
        if not window.start < window.end:
            texts = unlike(window.start, window.end)
            raise self._error(
                f"The time window from {texts[0]} s to {texts[1]} s is empty; 'from' must be less than 'to'.",
                opened.position,
            )
        return arguments, window


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
            return self._shaped(values_of(self.expression, values)[id(self.expression)], values["t"])

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
            changes: Changes of quantities, and of the instants "t", shape (..., n), and of parameters, shape (...), by name; none for what
                is not in it. They may have further axes in front, for many directions at once.
        """
        values = self._values(series, times, parameters)
        moved = {name: np.asarray(change, dtype=float) for name, change in changes.items()}
        moved = {name: x[..., None] if name in self.parameters else x for name, x in moved.items()}
        with np.errstate(all="ignore"):
            known = values_of(self.expression, values)
            slopes: dict[int, Any] = {}
            for node in self.expression.nodes():
                slopes[id(node)] = (
                    moved.get(node.name, 0.0)
                    if isinstance(node, Name)
                    else forwards(node, known, slopes, values["t"], moved.get("t"))
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
            known = values_of(self.expression, values)
            nodes = list(self.expression.nodes())
            pulls: dict[int, Any] = {id(node): 0.0 for node in nodes}
            pulls[id(self.expression)] = 1.0 if sample is None else sample_weights(t, float(sample))
            for node in reversed(nodes):
                backwards(node, known, pulls, t)
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


def refuse_unused_data(formulas: Iterable[Reduction], data: Mapping[str, Any] | None) -> None:
    """Raise `ModelError` if there are data that no formula uses."""
    used = {name for formula in formulas for name in formula.data}
    for name in data or {}:
        if name not in used:
            raise ModelError(
                f"data {name!r} would not be used: no formula has this name. Remove it, or use the name in a formula."
            )


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
    """Return True if the value has one number per instant."""
    found: dict[int, bool] = {}
    for node in expression.nodes():
        if isinstance(node, Name):
            found[id(node)] = node.name not in parameters and not (node.name in data and not data[node.name].ndim)
        else:
            found[id(node)] = not isinstance(node, Reduced) and any(found[id(child)] for child in node.children)
    return found[id(expression)]
