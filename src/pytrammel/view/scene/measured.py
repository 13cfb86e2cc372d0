"""Where a measured quantity is to be seen: round which axle an angle turns, along which line a distance is counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytrammel import rotations
from pytrammel.joints.constraint import Seat
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.model.quantities.quantity import ANGLE, Quantity
from pytrammel.view.scene.planar import Array

NO_LENGTH = 1e-9
"""A direction shorter than this share of what it is taken from is none."""


@dataclass(frozen=True, eq=False)
class MeasuredPlace:
    """The place of a measured quantity, in the drawn pose.

    Attributes:
        turns: It is an angle about a point or axis; else a distance along a line.
        body, other: The body it is counted from, and the one that moves.
        point: Point of the axle or line on ``body``, in its components [m].
        axis: Unit vector along the axis or line, components of ``body``; () for an angle in the plane.
        other_point: Point of ``other`` that turns about there or slides along, in its components [m].
        value: The quantity as drawn [rad or m].
        along: Of a distance: how far ``other_point`` is from ``point`` along the line, as drawn [m].
    """

    turns: bool
    body: str
    other: str
    point: tuple[float, ...]
    axis: tuple[float, ...]
    other_point: tuple[float, ...]
    value: float
    along: float = 0.0


def drawn_pose(model: Model, body: str) -> tuple[Array, Array]:
    """Origin [m] and rotation matrix of a body as drawn."""
    q = np.array(model.bodies[body].coordinates, dtype=float)
    if model.space.dimension == 3:
        return q[:3], np.asarray(rotations.matrix(q[3:]))
    c, s = np.cos(q[2]), np.sin(q[2])
    return q[:2], np.array([[c, -s], [s, c]])


def where_measured(model: Model, quantity: Quantity) -> MeasuredPlace | None:
    """Where a quantity is measured; None where it has no axle and no line: lengths of springs, formulas."""
    owner, _, what = quantity.label.rpartition(".")
    part = model.constraints.get(owner)
    if part is not None and part.is_driver and part.prescribes is not None:
        return where_measured(model, part.prescribes)
    turns = quantity.unit == ANGLE
    # along a direction of the first body, from a point of it to one of the second
    if quantity.primitive == "axis_offset":
        body, other = quantity.bodies
        axis, point, end = (np.array(quantity.data[k : k + 3]) for k in (0, 3, 6))
        return _placed(model, quantity, False, body, point, axis, other, end)
    own = part is not None and part.measures.get(what) == quantity and len(part.seats) == 2
    if part is not None and own and (quantity.turn is not None or model.space.dimension == 2):
        return _of_joint(model, quantity, part.seats, turns)
    return _of_coordinate(model, quantity, owner, what) or _of_two_bodies(model, quantity)


def _of_two_bodies(model: Model, quantity: Quantity) -> MeasuredPlace | None:
    """The angle of one body of the plane against another, as torsion springs and motors measure it."""
    if quantity.primitive != "linear" or quantity.unit != ANGLE or len(quantity.bodies) != 2:
        return None
    weights = np.array(quantity.data[1:]).reshape(-1, 3)
    if weights[:, :2].any() or sorted(weights[:, 2]) != [-1.0, 1.0]:
        return None
    other, body = (quantity.bodies[int(np.argmax(side * weights[:, 2]))] for side in (1.0, -1.0))
    at, own = axle_of(model, body, other)
    return _placed(model, quantity, True, body, at, np.zeros(0), other, own)


def _of_joint(model: Model, quantity: Quantity, seats: tuple[Seat, ...], turns: bool) -> MeasuredPlace | None:
    first, second = seats
    axis = np.array(first.axis)
    if quantity.turn is not None:  # counted in the x-y plane of a frame on the first body
        first, second = (
            seat for name in (quantity.turn.first, quantity.turn.second) for seat in seats if seat.body == name
        )
        axis = np.cross(quantity.turn.data[:3], quantity.turn.data[3:6])
    if len(axis) == 0 and not (turns and model.space.dimension == 2):
        return None
    if turns and model.space.dimension == 2:
        axis = np.zeros(0)
    return _placed(model, quantity, turns, first.body, first.point, axis, second.body, second.point)


def _of_coordinate(model: Model, quantity: Quantity, owner: str, what: str) -> MeasuredPlace | None:
    """Coordinates of bodies and points, counted from the ground."""
    point = model.points.get(owner)
    body = point.body if point is not None else owner
    if body not in model.bodies:
        return None
    local = point.local if point is not None else (0.0,) * model.space.dimension
    if what == "phi" and model.space.dimension == 2 and point is None:
        at, own = axle_of(model, GROUND, body)
        return _placed(model, quantity, True, GROUND, at, np.zeros(0), body, own)
    if what not in model.space.axes:
        return None
    k = model.space.axes.index(what)
    origin, turn = drawn_pose(model, body)
    place = origin + turn @ np.array(local)
    place[k] = 0.0
    return _placed(model, quantity, False, GROUND, place.tolist(), np.eye(model.space.dimension)[k], body, local)


def axle_of(model: Model, first: str, second: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Point about which two bodies turn against each other, on both: their pin, else the second one's centroid as drawn."""
    for joint in model.constraints.values():
        if joint.turning and {first, second} == set(joint.bodies):
            seats = joint.seat_on(first), joint.seat_on(second)
            if seats[0] is not None and seats[1] is not None:
                return seats[0].point, seats[1].point
    centroid = model.bodies[second].centroid
    (origin, turn), (base, tilt) = drawn_pose(model, second), drawn_pose(model, first)
    return tuple((tilt.T @ (origin + turn @ np.array(centroid) - base)).tolist()), tuple(centroid)


def stops_along(model: Model, joint: str) -> list[float]:
    """Where stops end the way of a sliding joint, from its point along its line [m]."""
    out = []
    for force in model.forces.values():
        for symbol in force.symbols:
            if (
                symbol.kind == "end-stop"
                and symbol.along is not None
                and symbol.along.label.rpartition(".")[0] == joint
            ):
                place = where_measured(model, symbol.along)
                if place is not None and not place.turns:
                    out += [place.along + limit - place.value for limit in symbol.limits if np.isfinite(limit)]
    return out


def _placed(
    model: Model, quantity: Quantity, turns: bool, body: str, point: object, axis: Array, other: str, other_point: object
) -> MeasuredPlace:  # fmt: skip
    here, there = np.array(point, dtype=float), np.array(other_point, dtype=float)
    (base, tilt), (origin, turn) = drawn_pose(model, body), drawn_pose(model, other)
    unit = axis / np.linalg.norm(axis) if len(axis) else axis
    along = 0.0 if turns else float(tilt @ unit @ (origin + turn @ there - base - tilt @ here))
    value = model.drawn_value(quantity) if quantity.turn is None else quantity.turn.start
    at, way, own = (tuple(map(float, v)) for v in (here, unit, there))
    return MeasuredPlace(turns, body, other, at, way, own, float(value), along)


def heading(model: Model, place: MeasuredPlace, points: Array) -> Array | None:
    """Direction from an axle to the farthest of some points of the turning body, as drawn, in components of ``body``.

    Args:
        place: Of an angle.
        points: Points of ``other``, in its components [m], shape (n, 2 or 3).

    Returns:
        A unit vector across the axis; None where all points are on the axis.
    """
    if not len(points):
        return None
    (_, tilt), (_, turn) = drawn_pose(model, place.body), drawn_pose(model, place.other)
    arms = (points - np.array(place.other_point)) @ turn.T @ tilt
    if place.axis:
        arms = arms - np.outer(arms @ np.array(place.axis), place.axis)
    lengths = np.linalg.norm(arms, axis=1)
    far = int(np.argmax(lengths))
    return arms[far] / lengths[far] if lengths[far] > NO_LENGTH * max(1.0, float(np.abs(points).max())) else None


def turned_about(vector: Array, axis: tuple[float, ...], angle: float) -> Array:
    """A vector across the axis turned about it; in the plane counter-clockwise."""
    c, s = float(np.cos(angle)), float(np.sin(angle))
    side = np.cross(axis, vector) if axis else np.array([-vector[1], vector[0]])
    out: Array = c * vector + s * side
    return out
