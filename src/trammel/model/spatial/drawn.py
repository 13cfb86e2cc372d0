"""Values of quantities in the drawn pose of bodies in space, where a description needs them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from trammel import rotations
from trammel.errors import ModelError
from trammel.model.quantity import Quantity
from trammel.model.spatial.body import SpatialBody


def drawn_value(bodies: Mapping[str, SpatialBody], quantity: Quantity) -> float:
    """Evaluate a scalar quantity from the poses in which the bodies are drawn."""
    if quantity.primitive == "expression" and quantity.formula is not None:
        known = {name: drawn_value(bodies, inner) for name, inner in quantity.inputs.items()}
        return float(quantity.formula.evaluate({**known, "t": 0.0}))
    if not quantity.has_value:
        return 0.0
    if quantity.primitive == "relative_parameter":
        p, q = (rotations.parameters(bodies[name].matrix) for name in quantity.bodies)
        return float(rotations.product(rotations.conjugate(q), p)[int(quantity.data[0])])
    if quantity.primitive not in ("axis_dot", "axis_offset", "point_distance", "axis_angle"):
        raise ModelError(f"{quantity} cannot be read off the drawing; give its value.")
    i, j = (bodies[name] for name in quantity.bodies)
    vectors = np.array(quantity.data).reshape(-1, 3)
    if quantity.primitive == "axis_dot":
        return float((i.matrix @ vectors[0]) @ (j.matrix @ vectors[1]))
    if quantity.primitive == "axis_angle":
        angle = drawn_angle(i, j, vectors)
        return angle if quantity.turn is None else nearest_turn(angle, quantity.turn.start)
    points = vectors[-2:]
    way = np.array(j.at(*points[1]).drawn) - np.array(i.at(*points[0]).drawn)
    if quantity.primitive == "point_distance":
        return float(np.linalg.norm(way))
    return float((i.matrix @ vectors[0]) @ way)


def nearest_turn(angle: float, reference: float) -> float:
    """The angle shifted by whole turns to be as close to a reference as possible."""
    return angle + 2.0 * math.pi * round((reference - angle) / (2.0 * math.pi))


def drawn_angle(i: SpatialBody, j: SpatialBody, vectors: np.ndarray) -> float:
    """Angle of the third vector (in j) in the plane of the first two (in i)."""
    s = i.matrix.T @ j.matrix @ vectors[2]
    return math.atan2(float(vectors[1] @ s), float(vectors[0] @ s))
