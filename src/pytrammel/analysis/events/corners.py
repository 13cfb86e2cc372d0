"""Corners and jumps of formulas of measured quantities: places at which a step must end."""

from __future__ import annotations

from pytrammel.expressions.breakpoints import corners_of
from pytrammel.expressions.expression import Call, Expression, as_expression
from pytrammel.forces.force import Force, Input
from pytrammel.kernels.force_elements._contact import LINEAR, RATE
from pytrammel.kernels.force_elements.dry_friction import LEAST_SPEED
from pytrammel.model.base import Model
from pytrammel.model.quantities.measures import formula_quantity, measured_formula
from pytrammel.model.quantities.quantity import Quantity

MOST_CORNERS = 16  # of one table in a formula: where there are more, they are small
READ = ("value", "rate", "time")  # kinds of inputs that follow from a state and a time
LAYER = 12.0  # argument of tanh beyond which friction differs by less than 1e-10 from its limit


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


def reversal_layers(force: Force) -> list[Quantity]:
    """Zero at both ends of the layer of speeds in which regularised friction reverses, tanh(speed/small)."""
    found: dict[Expression, Quantity] = {}
    for use in force.uses:
        arguments: list[Expression] = []
        if use.element == "dry_friction" and use.along is not None:
            static, dynamic, fall, least = use.data[: LEAST_SPEED + 1]
            # the peak of static friction is wider: exp(-(v/fall)²)
            arguments = [as_expression("v", force.name) / (0.5 * fall if static > dynamic else least)]
            inputs = {"v": Input("rate", use.along)}
        elif use.law is not None:
            calls = [node for node in use.law.nodes() if isinstance(node, Call) and node.function == "tanh"]
            arguments, inputs = [call.children[0] for call in calls], dict(use.inputs)
        for argument in arguments:
            given = {name: inputs[name] for name in sorted(argument.names)}
            if any(x.kind == "rate" for x in given.values()) and all(x.kind in READ for x in given.values()):
                quantities = {name: x.quantity for name, x in given.items() if x.quantity is not None}
                rates = frozenset(name for name, x in given.items() if x.kind == "rate")
                for end in (-LAYER, LAYER):
                    found[argument - end] = formula_quantity(force.name, argument - end, quantities, rates)
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


def event_corners(formula: Expression) -> list[Expression]:
    """Zero where the formula of an event passes a corner or jump: what it does between two of them cannot be seen from its slope."""
    return [zero for zero in _corners(formula) if zero.names - {"t"}]


def _corners(formula: Expression) -> list[Expression]:
    corners = [corner for node in formula.nodes() for corner in corners_of(node) if corner.sharp]
    return list(dict.fromkeys(zero for corner in corners for zero in corner.zeros(MOST_CORNERS)))


def touch_formula(force: Force) -> Expression:
    """Zero where a contact begins or ends."""
    measure = "gap" if "gap" in force.measures else "distance"
    reach = sum(force.parameters["radii"]) if measure == "distance" else 0.0
    return as_expression(f"{force.name}.{measure} - {float(reach)!r}", force.name)
