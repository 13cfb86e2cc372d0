"""Named parameters of a model, formulas between them, and numbers given as texts."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import RAW, brief, nearest, short
from pytrammel._util.terminal_text import one_line
from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.dimensions import measure_of
from pytrammel.expressions.expression import (
    CONSTANTS,
    NAME_PATTERN,
    Expression,
    Name,
    as_expression,
    calls_tables,
    parse,
)
from pytrammel.expressions.parser import Parser
from pytrammel.model.arguments.dimensions import check_formula, measure_parameters
from pytrammel.model.arguments.plain_values import Evaluate, as_curve, as_properties, as_shape, from_plain
from pytrammel.model.arguments.signatures import Role, dimensions, may_be_named, role
from pytrammel.model.limits import (
    EVERYTHING,
    Bounds,
    Stated,
    Tolerance,
    check_within,
    read_bounds,
    read_tolerance,
    shown_limits,
)
from pytrammel.units import UNITS, Dimension, in_words, read_measured

if TYPE_CHECKING:
    from pytrammel.model.base import Model
    from pytrammel.model.builder import Lookup

TAKEN = ("t", "u", "l", "ldot", "theta", "thetadot")  # names that formulas of laws and curves have for themselves
TONNES = re.compile(r"(?<=[\d.])\s*t\b")  # directly after a number
AXES = ("x", "y", "z", "-x", "-y", "-z")
_PLAIN = (bool, int, float, type(None))


@brief
@dataclass(frozen=True)
class Parameter:
    """A named number of a model.

    Attributes:
        name: Its name in formulas.
        given: What was said: a number, a number with a unit ("40 mm"), or a formula of other parameters ("0.4*rod").
        value: The number, SI.
        dimension: Powers of m, kg, s and rad, where it was said with a unit; None if it is not known.
        note: What it is for.
        bounds: Least and greatest value, SI; infinite where none was said.
        tolerance: By how much it may be smaller and greater, SI; None where nothing was said.
        stated: All that was said, as it was said.
    """

    name: str
    given: float | str | Expression
    value: float
    dimension: Dimension | None = None
    note: str = ""
    bounds: Bounds = EVERYTHING
    tolerance: Tolerance | None = None
    stated: Stated = field(default=Stated(0.0), repr=False)

    @property
    def limits(self) -> tuple[str, str]:
        """Bounds and tolerance in words, SI; empty where there are none."""
        return shown_limits(self.bounds, self.tolerance)

    def __str__(self) -> str:
        given = "" if self.given == self.value else f" = {self.given}"
        span, margin = self.limits
        listed = [
            f" {margin}" if margin else "",
            f", bounds {span}" if span else "",
            f" ({one_line(self.note)})" if self.note else "",
        ]
        return f"{self.name}{given} = {self.value:.6g}{''.join(listed)}"


def resolved(given: Mapping[str, Stated], *, bounded: bool = True) -> dict[str, Parameter]:
    """Parameters from what was said about each. Formulas may use parameters in any order.

    Args:
        given: What was said, by name.
        bounded: Refuse values beyond their bounds.
    """
    done: dict[str, Parameter] = {}
    formulas = {name: _formula(name, said.value) for name, said in given.items()}
    for name, said in given.items():
        if formulas[name] is None:
            done[name] = _limited(_plain(name, said), bounded)
    used = {name: _names(formulas[name]) for name in given if name not in done}
    open_names = {name: sum(each not in done for each in names) for name, names in used.items()}
    followers: dict[str, list[str]] = {}
    for name, names in used.items():
        for other in (each for each in names if each not in done):
            followers.setdefault(other, []).append(name)
    place = {name: k for k, name in enumerate(used)}
    ready = [name for name, count in open_names.items() if not count]
    while ready:
        for name in ready:
            formula = formulas[name]
            assert formula is not None
            _check_sums(name, given[name].value, done)
            value = _finite(formula, {key: done[key].value for key in used[name]}, f"parameter {name!r}")
            alone = done[formula.name].dimension if isinstance(formula, Name) else None
            said = given[name]
            if said.tolerance is not None:
                raise ModelError(
                    f"parameter {name!r} follows the formula {short(str(formula))}, and its tolerance from what stands there; leave "
                    "tolerance out."
                )
            done[name] = _limited(Parameter(name, said.value, value, alone, said.note, stated=said), bounded)
        freed = []
        for other in (each for name in ready for each in followers.get(name, ())):
            open_names[other] -= 1
            freed += [other] if not open_names[other] else []
        ready = sorted(freed, key=place.__getitem__)
    if len(done) < len(given):
        raise _cannot_resolve([name for name in used if name not in done], formulas, given)
    return {name: done[name] for name in given}


def free_parameters(model: Model) -> tuple[str, ...]:
    """Parameters that were given as numbers; those given by formulas follow them."""
    return tuple(name for name, kept in model.parameters.items() if _formula(name, kept.given) is None)


def following(model: Model, names: Iterable[str]) -> tuple[str, ...]:
    """Parameters that change with some others by their formulas, directly or through further ones."""
    given = {name: _names(_formula(name, kept.given)) for name, kept in model.parameters.items()}
    moving = set(names)
    while fresh := {name for name, used in given.items() if used & moving} - moving:
        moving |= fresh
    return tuple(name for name, used in given.items() if used and name in moving)


def checked_free(model: Model, names: Iterable[str], what: str) -> tuple[str, ...]:
    """Parameters that somebody wants to vary, each once.

    Args:
        model: The model.
        names: Their names.
        what: What is done with them, as it should stand in an error message: "gradient", "batch".

    Raises:
        ModelError: There is no such parameter, it is given by a formula of others, or nothing uses it.
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ModelError(
            f"{what}: parameters must be a list of names, but they are {short(names)}; write [{short(names)}]."
        )
    found = tuple(names)
    for name in found:
        if not isinstance(name, str) or name not in model.parameters:
            raise ModelError(f"{what}: {_no_parameter(name, model.parameters)}")
        formula = _formula(name, model.parameters[name].given)
        if formula is not None:
            raise ModelError(
                f"{what}: the parameter {name!r} is given by the formula {short(str(formula))} and follows it; vary "
                f"{', '.join(sorted(formula.names)) or 'another'} instead."
            )
        if name in model._placed_by:
            raise ModelError(
                f"{what}: subsystems were placed or made with the parameter {name!r}, and do not follow it; describe their parts in the "
                "model itself to vary it."
            )
        if name in model.unused_parameters:
            raise ModelError(
                f"{what}: nothing in the model uses the parameter {name!r}, so that it cannot change anything."
            )
        if found.count(name) > 1:
            raise ModelError(f"{what}: the parameter {name!r} is named twice.")
    return found


def restated(said: Mapping[str, Stated], values: Mapping[str, Any]) -> dict[str, Stated]:
    """What was said about parameters, with other values; one that follows a formula now has no tolerance of its own."""
    out = dict(said)
    for name, value in values.items():
        _check_same_kind(name, said[name].value, value)
        out[name] = out[name]._replace(value=value)
        if out[name].tolerance is not None and _formula(name, value) is not None:
            out[name] = out[name]._replace(tolerance=None)
    return out


def _check_same_kind(name: str, was: Any, value: Any) -> None:
    """Refuse "35 kg" for what was said as "140 mm"."""
    before, now = (
        read_measured(given, f"parameter {name!r}") if isinstance(given, str) else None for given in (was, value)
    )
    if before is not None and now is not None and now.dimension != before.dimension:
        raise ModelError(
            f"parameter {name!r} is {short(value)}, {in_words(now.dimension)}; it must be {in_words(before.dimension)}, as {was!r} is."
        )


def _formula(name: str, value: Any) -> Expression | None:
    """The formula that was said, or None for a number."""
    if isinstance(value, Expression):
        return value
    if not isinstance(value, str) or read_measured(value, f"parameter {name!r}") is not None:
        return None
    try:
        return parse(value)
    except ExpressionError as error:
        raise ModelError(f"parameter {name!r}: {error}") from None


def _plain(name: str, said: Stated) -> Parameter:
    value = said.value
    if isinstance(value, str):
        measured = read_measured(value, f"parameter {name!r}")
        assert measured is not None
        return Parameter(name, value, traced_numbers.varied(measured.value), measured.dimension, said.note, stated=said)
    number = traced_numbers.varied(checked_number(value, f"parameter {name!r}"))
    return Parameter(name, value, number, None, said.note, stated=said)


def _limited(made: Parameter, bounded: bool) -> Parameter:
    """A parameter with its bounds and tolerance."""
    said, what = made.stated, f"parameter {made.name!r}"
    if said.bounds is None and said.tolerance is None:
        return made
    bounds = read_bounds(said.bounds, what, made.dimension)
    if bounded:
        check_within(made.value, bounds, what)
    return replace(made, bounds=bounds, tolerance=read_tolerance(said.tolerance, made.value, what, made.dimension))


def _check_sums(name: str, given: str | Expression, known: Mapping[str, Parameter]) -> None:
    """Raise `ModelError` for "rod + 2 s", where the parameter rod is a length."""
    try:
        measure_of(given, measure_parameters(known))
    except ExpressionError as error:
        raise ModelError(f"parameter {name!r}: {error}") from None


def _names(formula: Expression | None) -> frozenset[str]:
    return frozenset() if formula is None else formula.names


def _cannot_resolve(
    waiting: list[str], formulas: Mapping[str, Expression | None], given: Mapping[str, Stated]
) -> ModelError:
    for name in waiting:
        for used in sorted(each for each in _names(formulas[name]) if each not in given):
            return ModelError(
                f"parameter {name!r} = {short(str(formulas[name]))}: {_no_parameter(used, [each for each in given if each != name])}"
            )
    left, passed, name = set(waiting), dict[str, None](), waiting[0]
    while name not in passed:
        passed[name] = None
        name = min(_names(formulas[name]) & left)
    loop = [*passed][[*passed].index(name) :] + [name]
    return ModelError(f"the parameters {' → '.join(loop)} depend on each other in a circle; give one of them a number.")


def _no_parameter(name: object, known: Iterable[str]) -> str:
    near = nearest(name, known)
    hint = f" Did you mean {near!r}?" if near else f" Parameters are: {', '.join(known) or 'none'}."
    return f"{short(name)} is no parameter.{hint}"


def _finite(formula: Expression, values: Mapping[str, float], what: str) -> float:
    with np.errstate(all="ignore"):
        value = traced_numbers.real(formula.evaluate(values))
    if not math.isfinite(value):
        raise ModelError(f"{what} = {short(str(formula))} is {value}; it must be a finite number.")
    return value


# --- arguments of builders -------------------------------------------------------------------------------------------


def all_plain(values: Iterable[Any]) -> bool:
    """Return True if all members are numbers, which need no evaluation."""
    for value in values:  # noqa: SIM110 (a generator costs more than the test)
        if not isinstance(value, _PLAIN):
            return False
    return True


def evaluated(model: Lookup, builder: Callable[..., Any], what: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments as builders want them: units converted, parameters replaced by their values, plain data made into what it says."""
    out = None
    for key, value in given.items():
        if isinstance(value, _PLAIN) or (type(value) in (list, tuple) and all_plain(value)):
            continue
        try:
            named = may_be_named(builder, key)
            found = _Evaluation(model, f"{key} of {what}", dimensions(builder, key), role(builder, key), named).of(
                value
            )
        except RAW as error:
            reason = str(error).rstrip(".") or type(error).__name__
            raise ModelError(f"{key} of {what} cannot be made from {short(value)}: {reason}.") from error
        if found is not value:
            out = dict(given) if out is None else out
            out[key] = found
    return given if out is None else out


@dataclass(frozen=True)
class _Evaluation:
    """One argument: which texts are names, which are numbers or laws, and what they may measure."""

    model: Lookup
    what: str
    allowed: tuple[Dimension, ...]
    role: Role
    named: bool = False

    def of(self, value: Any) -> Any:
        """A value with texts, parameters and plain data replaced; the same object where there are none."""
        if self.role == "curve" and isinstance(value, str | dict):
            return self._curve(value)
        if self.role == "shape" and isinstance(value, str | dict):
            return as_shape(self.model, value, self.what, numbers_of(self.model))
        if self.role == "properties" and isinstance(value, dict):
            return as_properties(value, self.what, numbers_of(self.model))
        if isinstance(value, list | tuple):
            inner = replace(self, named=self.named and not self.allowed)  # components of a place are no names
            items = [item if isinstance(item, _PLAIN) else inner.of(item) for item in value]
            return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
        if isinstance(value, dict):
            if self.role != "points":
                return from_plain(self.model, value, self.what, numbers_of(self.model))
            entries = {key: self.of(item) for key, item in value.items()}
            return value if all(entries[key] is value[key] for key in value) else entries
        if self.role == "word":
            return value
        law = self.role == "law"
        if isinstance(value, str):
            return _from_text(self.model, value, self.what, self.allowed, law, self.named)
        if isinstance(value, Expression) and (not law or value.names & _known(self.model)):
            if not law and not isinstance(value, Name):
                check_formula(self.model, value, self.what, self.allowed[0] if len(self.allowed) == 1 else None)
            return _from_formula(self.model, value, self.what, self.allowed, law)
        return value

    def _curve(self, value: str | dict[str, Any]) -> Any:
        if isinstance(value, str):
            return self.model.curve_named(value, self.what)
        return as_curve(self.model, value, self.what, numbers_of(self.model))


def numbers_of(model: Lookup) -> Evaluate:
    """Reads the numbers in plain data: units, and formulas of the model's parameters."""
    return lambda value, what, allowed: _Evaluation(model, what, allowed, "number").of(value)


def number_from(model: Lookup, text: str, what: str, allowed: tuple[Dimension, ...] = ()) -> float:
    """A number given as a text: with a unit, or as a formula of the model's parameters."""
    return checked_number(_from_text(model, text, what, allowed, False), what)


def _from_text(
    model: Lookup, text: str, what: str, allowed: tuple[Dimension, ...], law: bool, named: bool = False
) -> Any:
    if named and (text in AXES or text in model):
        return text
    measured = read_measured(text, what)
    if measured is not None:
        if law and TONNES.search(text) and measured.dimension not in allowed:
            raise ModelError(
                f"{what} is {text!r}: t after a number is the tonne. Write a product with the time as {TONNES.sub('*t', text)!r}."
            )
        _check_dimension(measured.dimension, allowed, f"{what} is {text!r}")
        return measured.value
    if law:
        refuse_two_meanings(model, text, what)
    if law and not model.parameters and not model.tables and not model.definitions:
        return text  # the builder reads it
    try:
        formula = parse(text, model.tables if law else None)
    except ExpressionError as error:
        if law:
            return text  # the builder explains it, in its own words
        raise ModelError(f"{what} is {text!r}, which is no number, unit or formula of parameters: {error}") from None
    if not law and not isinstance(formula, Name):
        check_formula(model, text, what, allowed[0] if len(allowed) == 1 else None)
    if law and not formula.names & _known(model):
        return formula if formula.tables else text
    return _from_formula(model, formula, what, allowed, law)


def _from_formula(model: Lookup, formula: Expression, what: str, allowed: tuple[Dimension, ...], law: bool) -> Any:
    if law and formula.names & model.definitions.keys():
        formula = formula.substitute(model.definitions)
    values = {name: model.parameters[name].value for name in formula.names if name in model.parameters}
    left = formula.names - values.keys()
    if left and law:
        return formula.substitute(values)
    if left and isinstance(formula, Name) and not difflib.get_close_matches(formula.name, list(model.parameters), n=1):
        return formula.name  # perhaps a name of something else, which the builder looks for
    if left:
        raise ModelError(f"{what} is {short(str(formula))}: {_no_parameter(min(left), model.parameters)}")
    if isinstance(formula, Name):
        _check_dimension(model.parameters[formula.name].dimension, allowed, f"{what} is the parameter {formula.name!r}")
    return _finite(formula, values, what)


def _known(model: Lookup) -> set[str]:
    """Names that the model gives a meaning of its own."""
    return model.parameters.keys() | model.definitions.keys()


def refuse_two_meanings(model: Lookup, text: str, what: str) -> None:
    """Raise ModelError if a name in a formula could be two things.

    A state may be called e, which is a number in all formulas; a parameter may be called h, which is a unit in "10 N/h".
    """
    for name in CONSTANTS.keys() & {*model.states, model._naming}:
        if re.search(rf"(?<![\w.]){name}(?![\w.(])", text):
            raise ModelError(
                f"{what}: {name} is the number {CONSTANTS[name]:.6g} in formulas, and here also a state; write {name}.value for the state, "
                "or the number in digits."
            )
    units = UNITS.keys() & {*model.states, model._naming, *_known(model)}
    for name in sorted(units & _unit_divisors(text, model)) if units and "/" in text else ():
        raise ModelError(
            f"{what} is {short(text)}: {name} after a number with a unit is a unit, and here also a name of the model. Write the "
            f"number with its unit in brackets to divide by the value of {name}."
        )


def _unit_divisors(text: str, model: Lookup) -> set[str]:
    parser = Parser(text, model.tables)
    try:
        parser.parse()
    except ExpressionError:
        return set()  # whoever reads the formula explains it
    return parser.unit_divisors


def read_formula(model: Lookup, value: Any, what: str) -> Expression:
    """A formula as the model understands it: its tables may be called, its parameters and named formulas are put in.

    Args:
        model: The model.
        value: An expression, a text or a number.
        what: What the formula is for, as it should stand in an error message.
    """
    if isinstance(value, str):
        refuse_two_meanings(model, value, what)
        check_formula(model, value, what)
    try:
        formula = as_expression(parse(value, model.tables) if isinstance(value, str) else value, what)
    except ExpressionError as error:
        raise ExpressionError(f"{what}: {error}" if isinstance(value, str) else str(error)) from None
    known = formula.names & _known(model)
    if not known:
        return formula
    formula = formula.substitute(model.definitions)
    return formula.substitute({name: model.parameters[name].value for name in formula.names & model.parameters.keys()})


def _check_dimension(found: Dimension | None, allowed: tuple[Dimension, ...], what: str) -> None:
    if found is not None and allowed and found not in allowed:
        wanted = " or ".join(in_words(dimension) for dimension in allowed)
        raise ModelError(f"{what}, which is {in_words(found)}; it must be {wanted}.")


def names_used(value: Any, known: Mapping[str, Any]) -> set[str]:
    """Parameters that occur in an argument as it was given."""
    if not known:
        return set()
    if isinstance(value, list | tuple):
        return set().union(*(names_used(item, known) for item in value))
    if isinstance(value, dict):
        return set().union(*(names_used(item, known) for item in value.values()))
    if isinstance(value, str):
        try:
            value = parse(value)
        except ExpressionError:
            # tables are called by names that only their model knows
            return {word for word in NAME_PATTERN.findall(value) if word in known} if calls_tables(value) else set()
    return set(value.names & known.keys()) if isinstance(value, Expression) else set()
