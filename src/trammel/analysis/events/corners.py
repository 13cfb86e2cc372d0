"""Corners and jumps of formulas of measured quantities: places at which a step must end."""

from __future__ import annotations

from trammel.kernels.force_elements._contact import LINEAR, RATE
from trammel.model.base import Model
from trammel.model.breakpoints import corners_of
from trammel.model.expression import Expression, as_expression
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


def contact_corners(model: Model, force: Force) -> list[Quantity]:
    """Zero where a damped contact, which cannot pull, ceases to push before it opens."""
    use = next((use for use in force.uses if use.role == "contact"), None)
    if use is None or force.impact is not None or not {"gap", "distance"} & set(force.measures):
        return []
    law, stiffness, exponent, damping = int(use.data[0]), *use.data[1:4]
    rate = f"{force.name}.{'gap' if 'gap' in force.measures else 'distance'}.rate"
    if not damping or law not in (LINEAR, RATE):
        return []
    depth = f"max(0, -({touch_formula(force)}))"
    formula = (
        f"{depth}^{exponent!r} - {damping / stiffness!r}*{rate}" if law == LINEAR else f"{1.0 / damping!r} - {rate}"
    )
    return [measured_formula(model, force.name, as_expression(formula, force.name))]


def event_corners(model: Model, name: str, formula: Expression) -> list[Quantity]:
    """Zero where the formula of an event passes a corner or jump: what it does between two of them cannot be seen from its slope."""
    return [measured_formula(model, name, zero) for zero in _corners(formula) if zero.names - {"t"}]


def _corners(formula: Expression) -> list[Expression]:
    corners = [corner for node in formula.nodes() for corner in corners_of(node) if corner.sharp]
    return list(dict.fromkeys(zero for corner in corners for zero in corner.zeros(MOST_CORNERS)))


def touch_formula(force: Force) -> Expression:
    """Zero where a contact begins or ends."""
    measure = "gap" if "gap" in force.measures else "distance"
    reach = sum(force.parameters["radii"]) if measure == "distance" else 0.0
    return as_expression(f"{force.name}.{measure} - {float(reach)!r}", force.name)
