"""Formulas of measured quantities, their rates and t as quantities of their own: what is watched, and what a start must keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.model.quantities.quantity import Quantity

if TYPE_CHECKING:
    from pytrammel.model.builder import Lookup


def measured_formula(model: Lookup, name: str, formula: Expression) -> Quantity:
    """A formula that is watched, as a quantity."""
    return formula_quantity(name, formula, *measured_inputs(model, name, formula, "cannot be watched"))


def measured_inputs(
    model: Lookup, user: str, formula: Expression, refusal: str
) -> tuple[dict[str, Quantity], frozenset[str]]:
    """Quantities that a formula names, by the name used there, and those of the names that mean a rate.

    Raises:
        ModelError: It names a reaction, which no state has before the forces are known.
    """
    given = {key: model.law_input(key, user) for key in sorted(formula.names - {"t"})}
    inputs = {key: one.quantity for key, one in given.items() if one.quantity is not None}
    for key in sorted(key for key, one in given.items() if one.kind == "state"):
        raise ModelError(
            f"{user}: {key!r} is a state, which laws of forces, rates of states and results may use, but which {refusal}."
        )
    for key in given.keys() - inputs.keys():
        raise ModelError(f"{user}: {key!r} is a reaction, which {refusal}; use measured quantities and their rates.")
    return inputs, frozenset(key for key, one in given.items() if one.kind == "rate")


def formula_quantity(
    name: str, formula: Expression, inputs: Mapping[str, Quantity], rates: frozenset[str] = frozenset()
) -> Quantity:
    """A formula of quantities, of the rates of some of them, and of t."""
    bodies = tuple(dict.fromkeys(b for quantity in inputs.values() for b in quantity.bodies))
    return Quantity("expression", bodies, (1.0,), ("1",), name, formula=formula, inputs=inputs, rates=rates)
