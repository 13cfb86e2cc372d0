"""Values of quantities in the drawn pose of bodies in space, where a description needs them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pytrammel import rotations
from pytrammel._util import traced_numbers
from pytrammel.errors import ModelError
from pytrammel.geometry import vectors
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.spatial_bodies import SpatialBody


def drawn_value(bodies: Mapping[str, SpatialBody], quantity: Quantity) -> float:
    """Evaluate a scalar quantity from the poses in which the bodies are drawn."""
    if quantity.primitive == "expression" and quantity.formula is not None:
        known = {name: drawn_value(bodies, inner) for name, inner in quantity.inputs.items()}
        return traced_numbers.real(quantity.formula.evaluate({**known, "t": 0.0}))
    if not quantity.has_value:
        return 0.0
    if quantity.primitive == "relative_parameter":
        p, q = (rotations.parameters(bodies[name].matrix) for name in quantity.bodies)
        return float(rotations.product(rotations.conjugate(q), p)[int(quantity.data[0])])
    if quantity.primitive not in ("axis_dot", "axis_offset", "point_distance", "axis_angle"):
        raise ModelError(f"{quantity} cannot be read off the drawing; give its value.")
    i, j = (bodies[name] for name in quantity.bodies)
    data = quantity.data
    if quantity.primitive == "axis_dot":
        return vectors.dot(vectors.turned(i.axes, data[:3]), vectors.turned(j.axes, data[3:]))
    if quantity.primitive == "axis_angle":
        angle = drawn_angle(i, j, data)
        return angle if quantity.turn is None else nearest_turn(angle, quantity.turn.start)
    (x, y, z), (u, v, w) = data[-6:-3], data[-3:]
    way = vectors.minus(j.at(u, v, w).drawn, i.at(x, y, z).drawn)
    if quantity.primitive == "point_distance":
        return vectors.length(way)
    return vectors.dot(vectors.turned(i.axes, data[:3]), way)


def nearest_turn(angle: float, reference: float) -> float:
    """The angle shifted by whole turns to be as close to a reference as possible."""
    return angle + 2.0 * math.pi * round((reference - angle) / (2.0 * math.pi))


def drawn_angle(i: SpatialBody, j: SpatialBody, data: Sequence[float]) -> float:
    """Angle of the third of three vectors (in j) in the plane of the first two (in i)."""
    s = vectors.turned(vectors.transposed(i.axes), vectors.turned(j.axes, data[6:9]))
    return traced_numbers.atan2(vectors.dot(data[3:6], s), vectors.dot(data[:3], s))
