"""Skeleton of a model: where its joints stand on each body, in the plane of the picture, for models in the plane and in space."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.joints.constraint import Constraint, Symbol
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.units import LENGTH_UNITS
from pytrammel.view.scene.measured import axle_of, where_measured

Array = NDArray[np.float64]
ELEVATION, AZIMUTH = math.radians(24.0), math.radians(-52.0)  # of the eye, for models in space
CURVE_POINTS = 121
RACK = 2.5  # half length of a rack, in radii of its pinion
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
        curves: Outlines of gears, discs, cams, racks and slotted bodies: body, points.
        slots: Middle lines of slots in moving bodies: body, both ends.
        springs: Forces between two places: name, kind, both ends.
        acting: Forces at one place: name, kind, place.
        points: Points of interest by name.
        axes: Directions of the global axes in the picture.
    """

    nodes: dict[str, list[Array]] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    curves: list[tuple[str, Array]] = field(default_factory=list)
    slots: list[tuple[str, Array]] = field(default_factory=list)
    springs: list[tuple[str, str, Array, Array]] = field(default_factory=list)
    acting: list[tuple[str, str, Array]] = field(default_factory=list)
    points: dict[str, Array] = field(default_factory=dict)
    axes: dict[str, Array] = field(default_factory=dict)

    def extent(self) -> tuple[Array, Array]:
        """Lower left and upper right corner of everything."""
        found = [p for places in self.nodes.values() for p in places] + [p for _, xy in self.curves for p in xy]
        found += [p for _, xy in self.slots for p in xy]
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
        if model.space.dimension == 3 and joint.separation is not None:
            _add_teeth(model, joint, view, out)
        elif joint.seats and not joint.is_driver:
            _add_joint(joint, view, out, joint.name in driven)
        for symbol in joint.symbols:
            _add_symbol(symbol, view, out)
            if symbol.kind == "slot-line" and symbol.body != GROUND:
                out.slots.append((symbol.body, _slot(model, symbol, view)))
                for line in model.bodies[symbol.body].outlines:
                    closed = np.array([view.place(symbol.body, p) for p in (*line, line[0])])
                    if not any(body == symbol.body and np.array_equal(closed, xy) for body, xy in out.curves):
                        out.curves.append((symbol.body, closed))
    for force in model.forces.values():
        for symbol in force.symbols:
            if symbol.along is not None or symbol.kind in ("torsion", "motor"):
                _add_acting(model, force.name, symbol, view, out)
            elif symbol.other_body:
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


def _add_teeth(model: Model, mesh: Constraint, view: _View, out: Skeleton) -> None:
    """Pitch circles of gears in space, and the pitch line of a rack, on the body that carries both."""
    (seat,) = mesh.seats
    at = np.array(seat.point)
    shafts = [
        model.constraints[name]
        for name in mesh.parameters.values()
        if isinstance(name, str) and name in model.constraints
    ]
    for shaft in shafts:
        own = shaft.seat_on(seat.body)
        gear = next(name for name in shaft.bodies if name != seat.body)
        if own is None:
            continue
        axis = np.array(own.axis)
        arm = at - np.array(own.point)
        centre = np.array(own.point) + (arm @ axis) * axis
        if shaft.turning:
            x, y = at - centre, np.cross(axis, at - centre)
            turn = np.linspace(0.0, 2.0 * math.pi, CURVE_POINTS)[:, None]
            local = centre + np.cos(turn) * x + np.sin(turn) * y
            out.nodes[gear].append(view.place(seat.body, centre))
        else:
            half = RACK * float(mesh.parameters.get("radius", 1.0)) * axis
            local = np.array([at - half, at + half])
            out.nodes[gear].append(view.place(seat.body, at))
        out.curves.append((gear, np.array([view.place(seat.body, p) for p in local])))
    place = view.place(seat.body, at)
    out.joints.append(Joint(mesh.name, mesh.kind, "other", mesh.bodies, place, (place,)))


def _add_acting(model: Model, name: str, symbol: Symbol, view: _View, out: Skeleton) -> None:
    """Torsion springs, motors, stops and friction stand where their quantity is measured, or at the axle of their bodies."""
    if symbol.along is not None:
        place = where_measured(model, symbol.along)
        if place is not None:
            out.acting.append((name, symbol.kind, view.place(place.body, place.point)))
    else:
        at, _ = axle_of(model, symbol.body, symbol.other_body)
        out.acting.append((name, symbol.kind, view.place(symbol.body, at)))


def _slot(model: Model, symbol: Symbol, view: _View) -> Array:
    """Both ends of the slot that a symbol stands for: as long as its body's outline is wide there, or as its pin needs."""
    origin, way = np.array(symbol.position), np.array([math.cos(symbol.angle), math.sin(symbol.angle)])
    (base, tilt), (there, turn) = view.poses[symbol.body], view.poses[symbol.other_body]
    pin = float(tilt @ way @ (there + turn @ np.array(symbol.other_position) - base - tilt @ origin))
    corners = [np.array(p) - origin for line in model.bodies[symbol.body].outlines for p in line]
    reach = [float(c @ way) for c in corners] or [0.0, 1.25 * pin]
    return np.array([view.place(symbol.body, origin + s * way) for s in (min(reach), max(reach))])


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
        self.factor = 1.0 / LENGTH_UNITS[model.display_unit]
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
