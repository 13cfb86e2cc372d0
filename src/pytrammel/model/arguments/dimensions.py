"""Dimensions of the formulas that builders are given: names of a model, and what each argument must measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pytrammel.errors import ExpressionError, ModelError
from pytrammel.expressions.dimensions import (
    MAY_HAVE_UNITS,
    TIME,
    UNKNOWN,
    Measure,
    check_needed,
    measure_of,
    measure_read,
    measure_stated,
)
from pytrammel.expressions.expression import Expression, Name, parse
from pytrammel.forces.force import Force, Input
from pytrammel.joints.constraint import Constraint
from pytrammel.model.arguments.signatures import dimensions, role
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, NUMBER, Quantity
from pytrammel.units import ANGLES, Dimension, read_measured
from pytrammel.units import LENGTH as LENGTHS

if TYPE_CHECKING:
    from pytrammel.model.builder import Lookup
    from pytrammel.model.parameters import Parameter

_UNITS: dict[str, Dimension] = {LENGTH: LENGTHS, ANGLE: ANGLES, NUMBER: (0, 0, 0, 0)}
_RATES: dict[str, Dimension] = {LENGTH: (1, 0, -1, 0), ANGLE: (0, 0, -1, 1), NUMBER: (0, 0, -1, 0)}
_FORCES: dict[str, Dimension] = {LENGTH: (1, 1, -2, 0), ANGLE: (2, 1, -2, 0), NUMBER: (2, 1, -2, 0)}
_ALONG = ("stiffness", "damping", "force", "torque", "law")  # arguments whose formulas are forces along a quantity
_PER_UNIT = ("stiffness", "damping")  # arguments whose numbers are forces per unit of the quantity or its rate
_DEEPEST = 20  # named formulas inside each other whose dimensions are followed


class FormulaNames:
    """Dimensions of the names in formulas of a model."""

    def __init__(self, model: Lookup, own: Mapping[str, Input] | None = None, depth: int = 0) -> None:
        self.model, self.own, self.depth = model, own or {}, depth

    def __call__(self, node: Name) -> Measure:
        name, model = node.name, self.model
        if name in self.own:
            return _of_input(self.own[name], node)
        if name in model.parameters:
            return measure_stated(model.parameters[name].dimension, node)
        if name in model.definitions:
            return self._definition(name, node)
        try:
            return _of_input(model.law_input(name, "a formula"), node)
        except ModelError:
            return UNKNOWN  # the builder explains it, or it is a quantity of results

    def _definition(self, name: str, node: Name) -> Measure:
        if self.depth == _DEEPEST:
            return UNKNOWN
        inner = FormulaNames(self.model, depth=self.depth + 1)
        found = measure_of(self.model._defined[("formulas", name)], inner, self.model.tables)
        return found if found.term is None else found._replace(term=node)


def measure_parameters(parameters: Mapping[str, Parameter]) -> Callable[[Name], Measure]:
    """Dimensions of the names in formulas of parameters."""

    def measure(node: Name) -> Measure:
        return measure_stated(parameters[node.name].dimension if node.name in parameters else None, node)

    return measure


def dimension_of(quantity: Quantity) -> Dimension | None:
    """Dimension of a measured quantity; None for formulas."""
    return None if quantity.formula is not None else _UNITS.get(quantity.unit)


def check_formula(
    model: Lookup, given: object, label: str, needed: Dimension | None = None, own: Mapping[str, Input] | None = None
) -> None:
    """Raise `ModelError` if a formula of a model has terms with units that do not fit.

    Args:
        model: The model.
        given: Formula as the user wrote it; other values pass.
        label: Owner of the formula in messages.
        needed: Dimension of its value; None if any is possible.
        own: Names that only this formula has.
    """
    if not isinstance(given, str | Expression) or not _has_units(model, given):
        return
    alone = read_measured(given, label) if isinstance(given, str) else None
    if alone is not None:
        found = measure_stated(alone.dimension, Name((given,), ()))
    else:
        try:
            found = measure_of(given, FormulaNames(model, own), model.tables)
        except ExpressionError as error:
            raise ExpressionError(f"{label}: {error}") from None
    check_needed(found, label, needed)


def check_laws(
    model: Lookup, builder: Callable[..., Any], made: object, label: str, arguments: Mapping[str, Any]
) -> None:
    """Raise `ModelError` if a formula that a builder was given measures something else than the argument.

    Args:
        model: The model.
        builder: Function that made the part.
        made: The part.
        label: Kind and name of the part in messages.
        arguments: Arguments as the user gave them.
    """
    for key, value in arguments.items():
        if role(builder, key) != "law":
            continue
        texts = value if isinstance(value, list | tuple) else (value,)
        if not any(isinstance(text, str | Expression) for text in texts):
            continue
        own = {name: one for use in made.uses for name, one in use.inputs.items()} if isinstance(made, Force) else {}
        for text in texts:
            if isinstance(text, str | Expression) and _has_units(model, text):
                needed = _needed(builder, made, key, is_number=_is_number(model, text))
                check_formula(model, text, f"{key} of {label}", needed, own)


def _is_number(model: Lookup, given: str | Expression) -> bool:
    """Return True if a formula depends on parameters only."""
    try:
        formula = parse(given, model.tables) if isinstance(given, str) else given
    except ExpressionError:
        return True  # a number with a unit that is not a formula, such as "5 kg m²"
    return formula.substitute(model.definitions).names <= model.parameters.keys()


def _needed(builder: Callable[..., Any], made: object, key: str, *, is_number: bool) -> Dimension | None:
    """Dimension of the formula for an argument; None if any is possible.

    A number for a stiffness or damping is a force per unit, a formula is a force.
    """
    if isinstance(made, Constraint) and key == "motion" and made.prescribes is not None:
        return dimension_of(made.prescribes)
    is_rate = is_number and key in _PER_UNIT
    if isinstance(made, Force) and key in _ALONG and made.uses[0].along is not None and not is_rate:
        along = made.uses[0].along
        return None if along.formula is not None else _FORCES.get(along.unit)
    documented = dimensions(builder, key)
    return documented[0] if len(documented) == 1 else None


def _has_units(model: Lookup, given: str | Expression) -> bool:
    """Return True if a formula may have a unit, of a number or of label a name stands for."""
    if isinstance(given, str) and MAY_HAVE_UNITS.search(given):
        return True
    named = bool(model.definitions) or any(one.dimension is not None for one in model.parameters.values())
    return named and (isinstance(given, str) or bool(given.names & {*model.parameters, *model.definitions}))


def _of_input(given: Input, node: Name) -> Measure:
    if given.kind == "time":
        return TIME
    if given.quantity is None or given.quantity.formula is not None or given.kind not in ("value", "rate"):
        return UNKNOWN
    units = _UNITS if given.kind == "value" else _RATES
    return measure_read(units.get(given.quantity.unit), node)
