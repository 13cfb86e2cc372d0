"""Corners and jumps of formulas of measured quantities: places at which a step must end."""

from __future__ import annotations

from trammel.model.base import Model
from trammel.model.breakpoints import corners_of
from trammel.model.expression import Expression
from trammel.model.force import Force
from trammel.model.measured import formula_quantity, measured_formula
from trammel.model.quantity import Quantity

MOST_CORNERS = 16  # of one table in a formula: where there are more, they are small


def law_corners(force: Force) -> list[Quantity]:
    """Zero where a law of measured quantities passes a corner or jump: ropes that go slack, stops, home-made contacts."""
    found: dict[Expression, Quantity] = {}
    for use in force.uses:
        for formula in _corners(use.law) if use.law is not None else ():
            given = {name: use.inputs[name] for name in sorted(formula.names)}
            inputs = {name: x.quantity for name, x in given.items() if x.kind == "value" and x.quantity is not None}
            # speeds and reactions pass corners without end where bodies stick
            if inputs and all(x.kind in ("value", "time") for x in given.values()):
                found[formula] = formula_quantity(force.name, formula, inputs)
    return list(found.values())


def event_corners(model: Model, name: str, formula: Expression) -> list[Quantity]:
    """Zero where the formula of an event passes a corner or jump: what it does between two of them cannot be seen from its slope."""
    return [measured_formula(model, name, zero) for zero in _corners(formula) if zero.names - {"t"}]


def _corners(formula: Expression) -> list[Expression]:
    corners = [corner for node in formula.nodes() for corner in corners_of(node) if corner.sharp]
    return list(dict.fromkeys(zero for corner in corners for zero in corner.zeros(MOST_CORNERS)))
