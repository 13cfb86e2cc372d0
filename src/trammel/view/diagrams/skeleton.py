"""Skeleton of a model: where its joints stand on each body, in the plane of the picture, for models in the plane and in space."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel import rotations
from trammel.model.base import Model
from trammel.model.body import GROUND
from trammel.model.constraint import Constraint, Symbol
from trammel.model.units import LENGTH_UNITS

Array = NDArray[np.float64]
ELEVATION, AZIMUTH = math.radians(24.0), math.radians(-52.0)  # of the eye, for models in space
CURVE_POINTS = 121
ROUND = ("gear", "ring", "disc", "wheel", "tyre")


@dataclass(frozen=True)
class Joint:
    """A joint in the picture.

    Attributes:
        name, kind: Of the constraint; `glyph` is how it is drawn.
        bodies: That it connects.
        place: Where it is.
        ends: Where it stands on each of its bodies.
        along: Direction of its axis or guide in the picture, not of unit length in space; () if it has none.
        driven: Whether a driver moves it.
    """

    name: str
    kind: str
    glyph: str
    bodies: tuple[str, ...]
    place: Array
    ends: tuple[Array, ...]
    along: Array | None = None
    driven: bool = False


@dataclass
class Skeleton:
    """Everything that a kinematic diagram shows, in display units.

    Attributes:
        nodes: Places of joints and points by body.
        joints: The joints.
        curves: Outlines of gears, discs, cams and lines: body, points, whether closed.
        springs: Forces between two places: name, kind, both ends.
        points: Points of interest by name.
        axes: Directions of the global axes in the picture.
    """

    nodes: dict[str, list[Array]] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    curves: list[tuple[str, Array]] = field(default_factory=list)
    springs: list[tuple[str, str, Array, Array]] = field(default_factory=list)
    points: dict[str, Array] = field(default_factory=dict)
    axes: dict[str, Array] = field(default_factory=dict)

    def extent(self) -> tuple[Array, Array]:
        """Lower left and upper right corner of everything."""
        found = [p for places in self.nodes.values() for p in places] + [p for _, xy in self.curves for p in xy]
        found += [p for _, _, a, b in self.springs for p in (a, b)] + list(self.points.values()) or [np.zeros(2)]
        xy = np.array(found)
        low, high = xy.min(axis=0), xy.max(axis=0)
        size = float((high - low).max()) or 1.0
        middle = 0.5 * (low + high)
        half = np.maximum(0.5 * (high - low), 0.14 * size)
        return middle - half, middle + half


def glyph_of(joint: Constraint) -> str:
    """How a joint is drawn, from the motions it leaves free."""
    if joint.freedom is None or not joint.seats:
        return "rod" if joint.span and len(joint.seats) == 2 else "other"
    turns = sum(f.kind == "rotation" for f in joint.freedom)
    slides = len(joint.freedom) - turns
    if any(f.pitch for f in joint.freedom):
        return "screw"
    if joint.span:
        return "rod"
    return {
        (0, 0): "weld", (1, 0): "pin", (0, 1): "slider", (1, 1): "slot" if _flat(joint) else "cylinder", (2, 0): "universal",
        (3, 0): "ball", (1, 2): "plane",
    }.get((turns, slides), "other")  # fmt: skip


def _flat(joint: Constraint) -> bool:
    return len(joint.seats[0].point) == 2


def skeleton_of(model: Model) -> Skeleton:
    """The skeleton of a model as it is described."""
    view = _View(model)
    out = Skeleton(nodes={name: [] for name in model.bodies})
    out.axes = {
        name: view.direction(GROUND, axis) for name, axis in zip("xyz", np.eye(model.space.dimension), strict=False)
    }
    driven = _driven(model)
    for joint in model.constraints.values():
        if joint.seats and not joint.is_driver:
            _add_joint(joint, view, out, joint.name in driven)
        for symbol in joint.symbols:
            _add_symbol(symbol, view, out)
    for force in model.forces.values():
        for symbol in force.symbols:
            if symbol.other_body:
                ends = view.place(symbol.body, symbol.position), view.place(symbol.other_body, symbol.other_position)
                out.springs.append((force.name, symbol.kind, *ends))
                for body, end in zip((symbol.body, symbol.other_body), ends, strict=True):
                    out.nodes[body].append(end)
            else:
                _add_symbol(symbol, view, out)
    for point in model.points.values():
        out.points[point.name] = view.place(point.body, point.local)
        out.nodes[point.body].append(out.points[point.name])
    for name in list(model.bodies)[1:]:
        if len(out.nodes[name]) < 2:
            out.nodes[name].append(view.place(name, np.zeros(model.space.dimension)))
    return out


def _driven(model: Model) -> set[str]:
    """Joints whose own measure a driver prescribes."""
    goals = [c.prescribes for c in model.constraints.values() if c.is_driver and c.prescribes is not None]
    return {
        joint.name
        for joint in model.constraints.values()
        if any(measure is goal for measure in joint.measures.values() for goal in goals)
    }


def _add_joint(joint: Constraint, view: _View, out: Skeleton, driven: bool) -> None:
    ends = tuple(view.place(seat.body, seat.point) for seat in joint.seats)
    for seat, end in zip(joint.seats, ends, strict=True):
        out.nodes[seat.body].append(end)
    seat = joint.seats[0]
    along = view.direction(seat.body, seat.axis) if len(seat.axis) else None
    glyph = glyph_of(joint)
    if len(ends) > 2 and glyph == "other":
        glyph = "rope"
    out.joints.append(Joint(joint.name, joint.kind, glyph, joint.bodies, ends[-1], ends, along, driven))


def _add_symbol(symbol: Symbol, view: _View, out: Skeleton) -> None:
    """Curves that belong to a body: pitch circles, discs, cams."""
    if view.dimension == 3 or symbol.body not in out.nodes:
        return
    turn = np.linspace(0.0, 2.0 * math.pi, CURVE_POINTS)
    local: Array | None = None
    if symbol.kind in ROUND and symbol.radius > 0.0:
        local = np.asarray(symbol.position) + symbol.radius * np.column_stack([np.cos(turn), np.sin(turn)])
    elif symbol.curve is not None:
        local = np.asarray(symbol.curve.sample(CURVE_POINTS), dtype=float)
        if getattr(symbol.curve, "closed", False):
            local = np.vstack([local, local[:1]])
    if local is not None:
        out.curves.append((symbol.body, np.array([view.place(symbol.body, p) for p in local])))


class _View:
    """Places and directions of bodies in the plane of the picture."""

    def __init__(self, model: Model) -> None:
        self.dimension = model.space.dimension
        self.factor = 1.0 / LENGTH_UNITS[model.units]
        self.poses: dict[str, tuple[Array, Array]] = {}
        for name, body in model.bodies.items():
            place = np.array(body.coordinates, dtype=float)
            if self.dimension == 3:
                self.poses[name] = place[:3], np.asarray(rotations.matrix(place[3:]))
            else:
                c, s = math.cos(place[2]), math.sin(place[2])
                self.poses[name] = place[:2], np.array([[c, -s], [s, c]])
        ce, se, ca, sa = math.cos(ELEVATION), math.sin(ELEVATION), math.cos(AZIMUTH), math.sin(AZIMUTH)
        self.eye = np.array([[-sa, ca, 0.0], [-se * ca, -se * sa, ce]]) if self.dimension == 3 else np.eye(2)

    def place(self, body: str, local: Any) -> Array:
        origin, turn = self.poses[body]
        out: Array = self.factor * self.eye @ (origin + turn @ np.asarray(local, dtype=float))
        return out

    def direction(self, body: str, local: Any) -> Array:
        out: Array = self.eye @ (self.poses[body][1] @ np.asarray(local, dtype=float))
        return out
