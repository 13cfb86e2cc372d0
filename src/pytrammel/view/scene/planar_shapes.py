"""From a planar model and its motion to a scene: which shapes, marks and stretched symbols it is drawn with.

Every joint and force says itself what is drawn for it (its ``symbols``); here each kind of symbol becomes something of the scene.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pytrammel.errors import ModelError
from pytrammel.forces.force import Force
from pytrammel.joints.constraint import Constraint, Symbol
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND, Body
from pytrammel.model.planar import PlanarModel
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import length_scale
from pytrammel.units import LENGTH_UNITS
from pytrammel.view.scene.gear_trains import gear_key, train_of, wheel_of
from pytrammel.view.scene.measured import axle_of, stops_along, where_measured
from pytrammel.view.scene.phases import Active, activity, always_held
from pytrammel.view.scene.planar import (
    Array,
    Mark,
    Point,
    Rod,
    Scene,
    SceneBody,
    Shape,
    ShapeRole,
    Spiral,
    Trace,
    to_global,
)
from pytrammel.view.scene.planar_measured import measured_marks
from pytrammel.view.scene.slots import Slot, with_slots
from pytrammel.view.scene.symbols import GROOVE, stretched_kinds
from pytrammel.view.scene.teeth import gear_outline, rack_outline, rack_tooth, ring_outline
from pytrammel.view.scene.traces import default_traces

CURVE_POINTS = 181
NEAR = 1e-6
BESIDE_TURNS = 2.3  # where a label is clear of the arrow round a driven pin, in units of symbols
"""Points closer than this share of the model's size are one."""
END = 0.06
"""How far guides and tracks go beyond what runs along them, as a share of the model's size."""
SLOT_RIM = 0.08  # material round a slot, relative to the size of the model
SMALL, LARGE = 1.5, 3.8
"""Radii of the smallest and the largest lump of mass, in pin radii."""


def scene_of_plane(
    model: Model,
    times: Array,
    q: Array,
    *,
    traces: Iterable[str] | None = None,
    phases: Sequence[str] | None = None,
) -> Scene:
    """Scene of a planar model with the given coordinates, shape (n, n_coordinates).

    Args:
        traces: Points whose paths are shown; all points by default, without points of bodies at joints.
        phases: Phase in force at each instant; None for the first one.
    """
    assert isinstance(model, PlanarModel)
    poses = {name: q[:, 3 * k : 3 * k + 3] for k, name in enumerate(list(model.bodies)[1:])}
    poses[GROUND] = np.zeros((len(q), 3))
    build = _Build(model, poses, length_scale(model), phases)
    build.add_all()
    names = build.drawing_order()
    chosen = [model.point(name) for name in (default_traces(model) if traces is None else traces)]
    build.marks += [(p.body, Mark("point", 0, p.local, label=p.name)) for p in chosen]
    bodies = tuple(
        SceneBody(n, tuple(build.shapes[n]), poses[n], n in build.fixed, model.bodies[n].color) for n in names
    )
    marks = [replace(mark, body=names.index(body)) for body, mark in build.marks]
    rods = [replace(rod, body_i=names.index(s.body), body_j=names.index(s.other_body)) for s, rod in build.rods]
    spirals = [replace(it, body_i=names.index(s.body), body_j=names.index(s.other_body)) for s, it in build.spirals]
    heavy = any(body.mass for body in model.bodies.values())
    scene = Scene(
        title=model.name,
        times=times,
        bodies=bodies,
        marks=tuple(_shared_labels(marks, bodies)),
        traces=tuple(Trace(p.name, body=names.index(p.body), point=p.local) for p in chosen),
        rods=tuple(rods),
        length_unit=model.display_unit,
        length_factor=1.0 / LENGTH_UNITS[model.display_unit],
        gravity=_xy(model.gravity) if heavy else (0.0, 0.0),
        spirals=tuple(spirals),
    )
    u = scene.symbol_size()
    sized = [replace(m, size=u * m.size) if m.kind == "mass" and m.size else m for m in scene.marks]
    return replace(scene, marks=tuple(sized), bodies=tuple(_with_slots(build, body, GROOVE * u) for body in bodies))


def _stretches(along: Array, active: Active, stops: Sequence[float]) -> list[tuple[float, float]]:
    """Ranges of places on a line that are passed while a part is active, without overlaps; `stops` widen the only one."""
    mask = np.array(active, dtype=bool) if active is not None and len(active) == len(along) and any(active) else None
    if mask is None:
        runs = [along]
    else:
        runs = [run[kept] for run, kept in _runs(along, mask) if kept.any()]
    found: list[tuple[float, float]] = []
    for low, high in sorted((float(run.min()), float(run.max())) for run in runs):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return [(min(found[0][0], *stops), max(found[0][1], *stops))] if len(found) == 1 and len(stops) else found


def _runs(along: Array, mask: Array) -> list[tuple[Array, Array]]:
    """Pieces of a series between changes of activity."""
    cuts = np.flatnonzero(np.diff(mask)) + 1
    return list(zip(np.split(along, cuts), np.split(mask, cuts), strict=True))


def _with_slots(build: _Build, body: SceneBody, half: float) -> SceneBody:
    """Body with the slots of its outline."""
    slots = list(dict.fromkeys(slot for slot in build.slots if slot.body == body.name))
    if not slots:
        return body
    others = body.shapes[len(build.model.bodies[body.name].outlines) :]
    return replace(body, shapes=(*with_slots(build.model.bodies[body.name].outlines, slots, half), *others))


@dataclass
class _Build:
    """Shapes, marks and rods as they are collected, by name of their body."""

    model: PlanarModel
    poses: dict[str, Array]
    size: float
    phases: Sequence[str] | None
    shapes: dict[str, list[Shape]] = field(default_factory=dict)
    marks: list[tuple[str, Mark]] = field(default_factory=list)
    rods: list[tuple[Symbol, Rod]] = field(default_factory=list)
    spirals: list[tuple[Symbol, Spiral]] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.shapes = {name: [] for name in self.model.bodies}
        self.fixed = {GROUND} | always_held(self.model)
        self.teeth = train_of(self.model)

    def add_all(self) -> None:
        parts: list[Constraint | Force] = [*self.model.constraints.values(), *self.model.forces.values()]
        self._add_masses()
        for part in parts:
            for symbol in part.symbols:
                if symbol.kind not in _ADD:
                    raise ModelError(
                        f"{part} asks for the symbol {symbol.kind!r}, which planar pictures do not know; they know {', '.join(_ADD)}."
                    )
                _ADD[symbol.kind](self, part, symbol, self._active(part))
            if isinstance(part, Constraint) and part.is_driver:
                self._add_drive(part)
        for name, body in self.model.bodies.items():
            if body.outline:
                self.shapes[name][:0] = [Shape("polygon", line, role="outline") for line in body.outlines]
            elif name not in self.fixed:
                link = self._link(name)
                if link is not None:
                    self.shapes[name].insert(0, link)
            self.shapes[name] = list(dict.fromkeys(self.shapes[name]))
        self._narrow_upper_bars()

    def _narrow_upper_bars(self) -> None:
        """Bars that lie on each other as drawn: each one is narrower than the one below it."""
        lower: list[list[Array]] = []
        for name in self.drawing_order():
            for k, shape in enumerate(self.shapes[name]):
                if shape.role != "link" or shape.kind != "polyline":
                    continue
                ends = [to_global(self.poses[name][:1], p)[0] for p in shape.points]
                near = 0.01 * self.size
                on = sum(all(min(float(np.hypot(*(a - b))) for b in other) < near for a in ends) for other in lower)
                self.shapes[name][k] = replace(shape, width=0.6**on)
                lower.append(ends)

    def drawing_order(self) -> list[str]:
        """Ground first, then plates, the largest lowest, then bars, so that nothing hides what is smaller."""
        rest = [name for name in self.model.bodies if name != GROUND]

        def level(name: str) -> tuple[int, float]:
            bar = any(s.role == "link" and s.kind == "polyline" for s in self.shapes[name])
            return int(bar), -max((_extent(s) for s in self.shapes[name]), default=0.0)

        return [GROUND, *sorted(rest, key=level)]

    def _active(self, part: Constraint | Force) -> Active:
        return activity(self.model, part, self.phases, len(self.poses[GROUND]))

    # ---- joints

    def mark(self, kind: str, body: str, at: Sequence[float], part: Constraint | Force, active: Active, **more: float) -> None:  # fmt: skip
        self.marks.append((body, Mark(kind, 0, _xy(at), label=part.name, active=active, **more)))

    def add_pin(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        ends = ((symbol.body, symbol.position), (symbol.other_body, symbol.other_position))
        fixed = [end for end in ends if end[0] in self.fixed]
        owner, position = fixed[0] if fixed else ends[1]
        self.mark("fixed-pin" if fixed else "pin", owner, position, part, active)

    def add_block(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        rack = any(s.kind == "rack" and s.body == symbol.body for s in self._symbols())
        if not self.model.bodies[symbol.body].outline and not rack:  # these show the slider themselves
            self.mark("slider", symbol.body, symbol.position, part, active, angle=symbol.angle)

    def add_weld(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        if part.kind != "fix":  # a fixed body needs no sign that it is fixed to itself
            kind = "fixed-weld" if GROUND in part.bodies else "weld"
            self.mark(kind, symbol.body, symbol.position, part, active)

    def add_pin_in_slot(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        self.mark("pin", symbol.body, symbol.position, part, active)

    def add_rod(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        ends = _xy(symbol.position), _xy(symbol.other_position)
        self.rods.append((symbol, Rod(0, ends[0], 0, ends[1], part.name, symbol.kind, symbol.free, active)))

    def add_at_axle(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        """Torsion springs and motors: round the pin of their two bodies, where there is one."""
        at, _ = axle_of(self.model, symbol.body, symbol.other_body)
        self.mark(symbol.kind, symbol.body, at, part, active)
        if symbol.kind == "torsion":
            self.spirals.append((symbol, Spiral(0, 0, _xy(at), symbol.free, active)))

    def add_measured(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        """Stops and friction, where their quantity is measured; buffers for stops of a length."""
        assert symbol.along is not None
        place = where_measured(self.model, symbol.along)
        name = "" if place is None else place.other
        kinds = {s.kind for s in self._symbols() if s.body == name}
        bar = bool(name) and not self.model.bodies[name].outline and kinds.isdisjoint(_ROUND)
        held = self._held_points(name) or [self.model.bodies[name].centroid] if name else []
        found = measured_marks(self.model, symbol, held, bar=bar, block="slider" in kinds)
        if found is None and symbol.kind == "end-stop":
            self._add_bumper(part, symbol.along, active)
        for k, (body, mark) in enumerate(found or ()):
            self.marks.append((body, replace(mark, label="" if k else part.name, active=active)))

    def _add_bumper(self, part: Constraint | Force, quantity: Quantity, active: Active) -> None:
        """Stops of the length of a spring or link: buffers at its ends."""
        owner = quantity.label.rpartition(".")[0]
        spring = self.model.forces.get(owner) or self.model.constraints.get(owner)
        for s in spring.symbols if spring is not None else ():
            if s.other_body and s.kind in stretched_kinds():
                ends = _xy(s.position), _xy(s.other_position)
                self.rods.append((s, Rod(0, ends[0], 0, ends[1], part.name, "bumper", active=active)))

    def add_here(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        self.mark(symbol.kind, symbol.body, symbol.position, part, active)

    def _add_drive(self, driver: Constraint) -> None:
        """An arrow at what is driven: round the pin of an angle, along the way of a distance."""
        quantity = driver.prescribes
        if quantity is None:
            return
        owner, _, what = quantity.label.rpartition(".")
        joint = self.model.constraints.get(owner)
        active = self._active(driver)
        if joint is not None and len(joint.seats) == 2:
            seat = joint.seats[-1]
            if what == "angle":
                self.mark("drive-turn", seat.body, seat.point, driver, active)
            elif what in ("distance", "travel"):
                angle = math.atan2(seat.axis[1], seat.axis[0]) if seat.axis else 0.0
                self.mark("drive-slide", seat.body, seat.point, driver, active, angle=angle)
        elif what == "phi" and owner in self.model.bodies:
            base = next((b for b in self.model.bodies if b in self.fixed and self._are_pinned(b, owner)), None)
            if base is None:  # the arrow moves with the body
                self.mark("drive-turn", owner, self.model.bodies[owner].centroid, driver, active)
            else:
                self.mark("drive-turn", base, axle_of(self.model, base, owner)[0], driver, active)
        elif owner in self.model.points or owner in self.model.bodies:
            at = self.model.points[owner].local if owner in self.model.points else (0.0, 0.0)
            body = self.model.points[owner].body if owner in self.model.points else owner
            drawn = self.model.bodies[body].angle
            self.mark("drive-slide", body, at, driver, active, angle=(0.5 * math.pi if what == "y" else 0.0) - drawn)

    def _are_pinned(self, first: str, second: str) -> bool:
        return any(joint.turning and {first, second} == set(joint.bodies) for joint in self.model.constraints.values())

    # ---- ways

    def add_guide(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        ground, carrier = symbol.body in self.fixed, self.model.bodies[symbol.body]
        if symbol.kind == "slot-line":
            self._add_slots(part, symbol, active)
            return
        if carrier.outline and not ground:
            return  # the outline shows the guide
        a, b, side = self._way(part, symbol, active)
        role: ShapeRole = "track" if symbol.kind == "track" else "guide"
        if role == "guide":
            steep = abs(b[1] - a[1]) > 0.5 * abs(b[0] - a[0])
            if not ground:
                self.shapes[symbol.body].append(Shape("polyline", (a, b), role="curve"))
                return
            if not steep and b[0] < a[0]:
                a, b = b, a  # the fixed side is below
            gap = self._half_width(symbol)
            self.shapes[symbol.body].append(Shape("polyline", (a, b), role=role, gap=gap, both_sides=steep))
        else:
            self.shapes[symbol.body].append(Shape("polyline", (a, b) if side > 0.0 else (b, a), role=role))

    def _add_slots(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        """A slot for each stretch of its line that the point passes while the part is active."""
        along, _ = self._along(symbol)
        if active is not None and not any(active):
            active, along = self._of_other_slots(symbol, active, along)
        stops, more = stops_along(self.model, part.name), self._beyond(symbol)
        c, s = math.cos(symbol.angle), math.sin(symbol.angle)
        x, y = symbol.position
        with_outline = self.model.bodies[symbol.body].outline and symbol.body not in self.fixed
        for low, high in _stretches(along, active, stops):
            if with_outline:
                start, end = ((x + place * c, y + place * s) for place in (low, high))
                self.slots.append(Slot(symbol.body, start, end, (c, s), more))
            else:
                ends = tuple((x + place * c, y + place * s) for place in (low - more, high + more))
                self.shapes[symbol.body].append(Shape("polyline", ends, role="groove"))

    def _way(self, part: Constraint | Force, symbol: Symbol, active: Active) -> tuple[Point, Point, float]:
        """Ends of the straight way that something runs along while the part is active, in its body, and its side (+1 left)."""
        along, across = self._along(symbol)
        if active is not None and len(active) == len(along) and any(active):
            along, across = along[list(active)], across[list(active)]
        along = np.append(along, stops_along(self.model, part.name))
        c, s = math.cos(symbol.angle), math.sin(symbol.angle)
        more = self._beyond(symbol)
        low, high = float(along.min()) - more, float(along.max()) + more
        x, y = symbol.position
        return (x + low * c, y + low * s), (x + high * c, y + high * s), 1.0 if float(across[0]) >= 0.0 else -1.0

    def _beyond(self, symbol: Symbol) -> float:
        """Length of a way beyond what runs along it [m]."""
        return END * self.size + 1.3 * symbol.radius

    def _of_other_slots(self, symbol: Symbol, active: Active, along: Array) -> tuple[Active, Array]:
        """Activity and places along a slot that is never active, from other slots of its body for the same point."""
        ends = (symbol.kind, symbol.body, symbol.position, symbol.other_body, symbol.other_position)
        for other in self.model.constraints.values():
            now = self._active(other)
            for s in other.symbols if now is not None and any(now) else ():
                if (s.kind, s.body, s.position, s.other_body, s.other_position) == ends:
                    return now, self._along(s)[0]
        return active, along

    def _along(self, symbol: Symbol) -> tuple[Array, Array]:
        there = to_global(self.poses[symbol.other_body], _xy(symbol.other_position))
        here = to_global(self.poses[symbol.body], _xy(symbol.position))
        angle = self.poses[symbol.body][:, 2] + symbol.angle
        c, s = np.cos(angle), np.sin(angle)
        dx, dy = (there - here).T
        return c * dx + s * dy, c * dy - s * dx

    def _half_width(self, symbol: Symbol) -> float:
        """How wide a sliding body's outline is where it is narrowest, from the middle of its way [m]; 0 without an outline."""
        body: Body = self.model.bodies[symbol.other_body]
        if not body.outline:
            return 0.0
        tilt = symbol.angle + self.model.bodies[symbol.body].angle - body.angle
        x, y = symbol.other_position
        across = [
            abs(-math.sin(tilt) * (px - x) + math.cos(tilt) * (py - y)) for line in body.outlines for px, py in line
        ]
        return min((a for a in across if a > 1e-3 * max(across)), default=0.0)

    # ---- curves and round ones

    def add_curve(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        curve = symbol.curve
        assert curve is not None
        points = tuple((float(x), float(y)) for x, y in np.asarray(curve.sample(CURVE_POINTS)))
        role: ShapeRole = "groove" if symbol.kind == "groove" else "curve"
        hatched = not curve.closed and symbol.body in self.fixed and role == "curve"
        self.shapes[symbol.body].append(
            Shape("polygon" if curve.closed else "polyline", points, role="outline" if hatched else role)
        )

    def add_face(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        if not self.model.bodies[symbol.body].outline:
            dx, dy = 0.2 * self.size * math.cos(symbol.angle), 0.2 * self.size * math.sin(symbol.angle)
            x, y = symbol.position
            self.shapes[symbol.body].append(Shape("polyline", ((x - dx, y - dy), (x + dx, y + dy)), role="face"))

    def add_round(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        roles: dict[str, ShapeRole] = {"disc": "roller", "wheel": "wheel", "tyre": "tyre"}
        role = roles[symbol.kind]
        lone = isinstance(part, Force) and not self._is_held(symbol.body)
        if role == "roller" and (lone or part.kind in ("contact_line", "contact_discs", "contact_curve")):
            role = "wheel"
        shape = Shape("disc", (_xy(symbol.position),), radius=symbol.radius, role=role)
        if not any(s.radius == shape.radius and s.points == shape.points for s in self.shapes[symbol.body]):
            self.shapes[symbol.body].append(shape)

    def _is_held(self, body: str) -> bool:
        return any(body in joint.bodies for joint in self.model.constraints.values())

    def add_gear(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        key = gear_key(symbol)
        module, phase = self.teeth[key]
        centre = _xy(symbol.position)
        if symbol.kind == "ring":
            inner = ring_outline(centre, symbol.radius, module, phase)
            self.shapes[symbol.body].append(Shape("polyline", (*inner, inner[0]), role="curve"))
            rim = Shape("circle", (centre,), radius=symbol.radius + 2.6 * module, role="curve")
        else:
            outline = gear_outline(centre, symbol.radius, module, phase)
            rim = Shape("disc", (centre, *outline), radius=symbol.radius, role="gear")
        self.shapes[symbol.body].append(rim)

    def add_rack(self, part: Constraint | Force, symbol: Symbol, active: Active) -> None:
        """A rack as long as its pinion's way, with teeth that fit."""
        pinion = Symbol("gear", symbol.other_body, symbol.other_position, radius=symbol.radius)
        module, phase = self.teeth[gear_key(pinion)]
        (along, across), wheel = self._along(symbol), wheel_of(self.model, pinion)
        side = 1.0 if float(across[0]) >= 0.0 else -1.0
        heading = self.model.bodies[symbol.body].angle + symbol.angle
        towards = heading - 0.5 * math.pi * side
        tooth = rack_tooth(wheel, phase, float(along[0]), towards, side, module)
        more = 3.0 * math.pi * module
        low, high = float(along.min()) - more, float(along.max()) + more
        corners = rack_outline(_xy(symbol.position), symbol.angle, side, low, high, tooth, module)
        self.shapes[symbol.body].append(Shape("polygon", tuple(corners), role="curve"))

    # ---- masses and links

    def _add_masses(self) -> None:
        masses = {n: float(b.mass) for n, b in self.model.bodies.items() if b.mass and n != GROUND}
        heaviest = max(masses.values(), default=1.0)
        for name, mass in masses.items():
            body = self.model.bodies[name]
            share = (mass / heaviest) ** (1.0 / 3.0)
            if self._is_lump(body):  # its size counts in pin radii, which are known in the end
                size = 2.0 * (SMALL + (LARGE - SMALL) * share)
                self.marks.append((name, Mark("mass", 0, body.centroid, size=size)))
            else:
                self.marks.append((name, Mark("centroid", 0, body.centroid)))

    def _is_lump(self, body: Body) -> bool:
        """Return True if its mass is best seen as a ball: nothing else is drawn there, or it hangs at the end of a link."""
        if body.outline or any(s.kind in (*_ROUND, "slider") and s.body == body.name for s in self._symbols()):
            return False
        points = self._held_points(body.name)
        near = NEAR * self.size
        apart = [p for p in points if math.dist(p, body.centroid) > near]
        return len(apart) <= 1

    def _symbols(self) -> Iterable[Symbol]:
        for part in (*self.model.constraints.values(), *self.model.forces.values()):
            yield from part.symbols

    def _held_points(self, name: str) -> list[Point]:
        """Where joints, springs and loads hold a body, and its points of interest."""
        points: list[Point] = []
        ends = [
            end
            for s in self._symbols()
            if s.kind not in _NO_HOLD
            for end in ((s.body, s.position), (s.other_body, s.other_position))
        ]
        ends += [(p.body, p.local) for p in self.model.points.values()]
        for body, position in ends:
            if body == name and all(math.dist(_xy(position), p) > NEAR * self.size for p in points):
                points.append(_xy(position))
        return points

    def _link(self, name: str) -> Shape | None:
        """Bar or plate through the points where a body without an outline is held; to its mass, where one point is all there is."""
        points = self._held_points(name)
        body = self.model.bodies[name]
        slots = [p for shape in self.shapes[name] if shape.role == "groove" for p in shape.points]
        if slots:  # a plate round the slots and joints
            reach = SLOT_RIM * self.size
            rim = [
                (x + reach * math.cos(k), y + reach * math.sin(k))
                for x, y in slots
                for k in np.linspace(0, 2 * math.pi, 8, False)
            ]
            return Shape("polygon", tuple(_hull([*points, *rim])), role="outline")
        if len(points) == 1 and body.mass and math.dist(points[0], body.centroid) > NEAR * self.size:
            points.append(body.centroid)
        if len(points) < 2 or any(s.role == "gear" and len(points) <= 2 for s in self.shapes[name]):
            return None
        hull = _hull(points)
        return Shape("polyline" if len(hull) == 2 else "polygon", tuple(hull), role="link")


_Adder = Callable[[_Build, Constraint | Force, Symbol, Active], None]
_ADD: dict[str, _Adder] = {
    "pin": _Build.add_pin,
    "slider": _Build.add_block,
    "weld": _Build.add_weld,
    "point-on-line": _Build.add_pin_in_slot,
    **dict.fromkeys(("guide", "slot-line", "track"), _Build.add_guide),
    **dict.fromkeys(("cam", "groove", "curve"), _Build.add_curve),
    "face": _Build.add_face,
    **dict.fromkeys(("disc", "wheel", "tyre"), _Build.add_round),
    **dict.fromkeys(("gear", "ring"), _Build.add_gear),
    "rack": _Build.add_rack,
    **dict.fromkeys(("rod", "spring", "damper", "spring-damper", "actuator", "rope", "gas-spring"), _Build.add_rod),
    **dict.fromkeys(("torsion", "motor"), _Build.add_at_axle),
    **dict.fromkeys(("torque", "load", "drag"), _Build.add_here),
    **dict.fromkeys(("end-stop", "friction"), _Build.add_measured),
}
"""What is done with each kind of symbol that joints and forces ask for."""
_ROUND = ("disc", "wheel", "tyre", "gear", "ring")
_NO_HOLD = (
    "cam",
    "groove",
    "curve",
    "guide",
    "slot-line",
    "track",
    "rack",
    "face",
    "torsion",
    "motor",
    "torque",
    "drag",
    "end-stop",
    "friction",
)
"""Symbols that are not at a point where a link would reach."""


def _extent(shape: Shape) -> float:
    if shape.radius > 0.0:
        return 2.0 * shape.radius
    return float(np.ptp(np.array(shape.points), axis=0).max())


def _shared_labels(marks: list[Mark], bodies: tuple[SceneBody, ...]) -> list[Mark]:
    """Marks at one place share one label, beside the widest of them."""
    out = list(marks)
    places: dict[tuple[float, float], int] = {}
    for k, mark in enumerate(marks):
        if not mark.label:
            continue
        x, y, phi = bodies[mark.body].poses[0]
        c, s = math.cos(phi), math.sin(phi)
        xi, eta = mark.position
        first = places.setdefault((round(x + c * xi - s * eta, 9), round(y + s * xi + c * eta, 9)), k)
        gap = max(out[first].gap, BESIDE_TURNS if mark.kind in ("drive-turn", "motor") else mark.gap)
        if first < k:
            out[k] = replace(mark, label="")
        label = mark.label if first == k else f"{out[first].label}, {mark.label}"
        out[first] = replace(out[first], label=label, gap=gap)
    return out


def _xy(position: Sequence[float]) -> Point:
    x, y = position
    return float(x), float(y)


def _hull(points: list[Point]) -> list[Point]:
    """Convex hull, counter-clockwise (monotone chain); collinear points give the two ends."""
    ordered = sorted(points)

    def half(sequence: Iterable[Point]) -> list[Point]:
        chain: list[Point] = []
        for p in sequence:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0.0:
                chain.pop()
            chain.append(p)
        return chain

    lower, upper = half(ordered), half(reversed(ordered))
    return lower[:-1] + upper[:-1]


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
