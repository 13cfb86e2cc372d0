"""Values of quantities in the drawn pose, where a description needs them (a gear's start, a held coordinate)."""

from __future__ import annotations

from collections.abc import Mapping

from pytrammel._util import traced_numbers
from pytrammel.errors import ModelError
from pytrammel.model.bodies import Body
from pytrammel.model.quantities.quantity import Quantity


def drawn_value(bodies: Mapping[str, Body], quantity: Quantity) -> float:
    """Evaluate a scalar quantity from the poses in which the bodies are drawn."""
    data = quantity.data
    if quantity.primitive == "expression" and quantity.formula is not None and quantity.has_value:
        known = {name: drawn_value(bodies, inner) for name, inner in quantity.inputs.items()}
        return traced_numbers.real(quantity.formula.evaluate({**known, "t": 0.0}))
    if quantity.primitive == "linear":
        total = 0.0
        for k, name in enumerate(quantity.bodies):
            body = bodies[name]
            a, b, c = data[1 + 3 * k : 4 + 3 * k]
            total += a * body.position[0] + b * body.position[1] + c * body.angle
        return total
    if quantity.primitive in ("projection", "distance", "along"):
        i, j = bodies[quantity.bodies[0]], bodies[quantity.bodies[1]]
        p, q = i.at(data[0], data[1]), j.at(data[2], data[3])
        dx, dy = p.x0 - q.x0, p.y0 - q.y0
        if quantity.primitive == "distance":
            return traced_numbers.hypot(dx, dy)
        if quantity.primitive == "projection":
            return data[4] * dx + data[5] * dy
        c, s = traced_numbers.cos(j.angle), traced_numbers.sin(j.angle)
        ux, uy = c * data[4] - s * data[5], s * data[4] + c * data[5]
        return ux * dx + uy * dy + data[6] * (i.angle - j.angle)
    raise ModelError(f"{quantity} cannot be read off the drawing; give its value.")
