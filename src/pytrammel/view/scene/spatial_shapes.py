"""From a spatial model and its motion to a scene: which shapes, marks, springs, paths and arrows it is drawn with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pytrammel.forces.force import Force
from pytrammel.geometry.shapes import Box, Cylinder, Shape, Sphere
from pytrammel.joints.constraint import Constraint, Symbol
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.model.spatial_bodies import Marker, SpatialBody
from pytrammel.results.result import Result
from pytrammel.rotations import parameters
from pytrammel.units import LENGTH_UNITS
from pytrammel.view.scene.measured import stops_along, where_measured
from pytrammel.view.scene.phases import activity, always_held, phases_of
from pytrammel.view.scene.planar import Array
from pytrammel.view.scene.spatial import (
    Arrow3,
    Mark3,
    MarkKind,
    Point3,
    Rod3,
    RodKind,
    Shape3,
    SpaceBody,
    SpaceScene,
    Spiral3,
    Trace3,
)
from pytrammel.view.scene.spatial_measured import measured_marks, spiral_of
from pytrammel.view.scene.traces import default_traces

CURVE_POINTS = 181
FLAT = 1e-6
"""Distance from a line or plane that counts as none, as a share of the body's size."""
MOST_PLACES = 48
"""Most places whose velocities and accelerations are shown; points of interest come first."""
FEW_ARROWS = 8
"""Most reaction arrows that are shown without being asked for."""
NO_ARROW = 1e-9
"""Reactions smaller than this share of the largest one are not drawn."""
SLENDER = 4.0
"""Least length of a cylinder that counts as a bar, in radii."""
OUTSIDE = 0.9
"""Size of a mark that shows outside a bar, in radii of the bar."""
DISC_THICKNESS = 0.08
"""Thickness of a rolling disc without a shape of its own, in radii."""
RING_WIDTH, RING_SIDES = 0.12, 64
"""Width of a ring gear beyond its pitch circle, in radii, and how many flat sides stand for its circles."""

_AT_FIRST: dict[str, MarkKind] = {"revolute": "revolute", "spherical": "spherical", "planar": "planar", "weld": "fixed"}
"""Marks that stand on the joint's first body, by symbol."""
_AT_SECOND: dict[str, MarkKind] = {"prismatic": "prismatic", "cylindrical": "cylindrical", "screw": "screw"}
"""Marks that slide along with the second body, on a rail of the first."""
_STRETCHED: dict[str, RodKind] = {
    "spring": "spring",
    "spring-damper": "spring",
    "damper": "damper",
    "actuator": "damper",
    "rope": "rod",
}
"""What stretches between two points, by symbol."""
_HELD = (*_AT_FIRST, *_AT_SECOND, "universal", "rod", *_STRETCHED, "point")
"""Symbols at points where a body without a shape is held."""


def build_space_scene(result: Result, *, traces: Iterable[str] | None = None) -> SpaceScene:
    """Scene of a spatial result: bodies drawn from their shapes, or from their joints where there are none."""
    scene = scene_of_motion(result.model, result.times, result.q, traces=traces, phases=phases_of(result))
    arrows = _reaction_arrows(result) if result.dynamics is not None else ()
    motions = tuple(_motion_arrows(result, scene)) if len(result) > 1 else ()
    return replace(scene, arrows=(*arrows, *motions), show_arrows=len(arrows) <= FEW_ARROWS)


def scene_of_motion(
    model: Model,
    times: Array,
    q: Array,
    *,
    traces: Iterable[str] | None = None,
    phases: Sequence[str] | None = None,
) -> SpaceScene:
    """Scene of a spatial model with the given coordinates, shape (n, n_coordinates); without forces.

    Args:
        traces: Points whose paths are shown; all points by default, without points of bodies at joints.
        phases: Phase in force at each instant; None for the first one.
    """
    names = list(model.bodies)
    positions, turns = poses(len(names), q)
    fixed = {GROUND} | always_held(model)
    colours = _colours([name for name in names if name not in fixed])
    colours |= {name: body.color for name, body in model.bodies.items() if body.color is not None}
    bodies = [
        SpaceBody(name, tuple(_looks(model, name)), positions[:, k], turns[:, k], name in fixed, colours.get(name))
        for k, name in enumerate(names)
    ]
    marks: list[Mark3] = []
    rods: list[Rod3] = []
    spirals: list[Spiral3] = []
    rails: dict[str, list[Shape3]] = {name: [] for name in names}
    bare = SpaceScene(model.name, times, tuple(bodies))
    for part in _parts(model):
        active = activity(model, part, phases, len(times))
        for symbol in part.symbols:
            if symbol.along is not None:
                held, size = _held_at_measured(model, symbol)
                found = measured_marks(model, part.name, symbol, bare, held, size)
                marks += [replace(mark, active=active) for mark in found]
                rods += [] if found else _bumpers(model, part, symbol, names)
                spirals += spiral_of(model, symbol, bare, held, size, active)
                continue
            marks += [replace(mark, active=active) for mark in _marks(model, part, symbol, names)]
            rods += [replace(rod, active=active) for rod in _rods(part, symbol, names)]
            rails[symbol.body] += _rail(model, part, symbol, names, bare)
    chosen = [model.point(name) for name in (default_traces(model) if traces is None else traces)]
    marks += [Mark3("point", names.index(p.body), p.local, label=p.name) for p in chosen]
    return SpaceScene(
        title=model.name,
        times=times,
        bodies=tuple(replace(body, shapes=(*body.shapes, *rails[body.name])) for body in bodies),
        marks=tuple(_shared_labels(marks, bare)),
        traces=tuple(Trace3(p.name, body=names.index(p.body), point=p.local) for p in chosen),
        rods=tuple(rods),
        length_unit=model.display_unit,
        length_factor=1.0 / LENGTH_UNITS[model.display_unit],
        up=upward(model),
        spirals=tuple(spirals),
    )


def poses(n_bodies: int, q: Array) -> tuple[Array, Array]:
    """Positions (n, n_bodies, 3) and Euler parameters (n, n_bodies, 4) from coordinates (n, ...), the ground first."""
    n = len(q)
    own = q[:, : 7 * (n_bodies - 1)].reshape(n, n_bodies - 1, 7)
    still = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (n, 1, 1))
    both = np.concatenate([still, own], axis=1)
    return both[:, :, :3], both[:, :, 3:]


def upward(model: Model) -> Point3:
    """Against gravity where it is along an axis, else z."""
    g = np.array(model.gravity)
    k = int(np.argmax(np.abs(g)))
    if g[k] == 0.0 or np.abs(np.delete(g, k)).max() > FLAT * abs(g[k]):
        return 0.0, 0.0, 1.0
    x, y, z = (-np.sign(g[k]) * np.eye(3)[k] + 0.0).tolist()
    return x, y, z


def _parts(model: Model) -> list[Constraint | Force]:
    return [*model.constraints.values(), *model.forces.values()]


def _colours(moving: list[str]) -> dict[str, str | int]:
    """One place among the colours for all bodies of a kind (barrel1, barrel2 ... and rod1, rod2 ...), where there are several kinds."""
    kinds = {name: name.rstrip("0123456789") for name in moving}
    known = list(dict.fromkeys(kinds.values()))
    if not 1 < len(known) < len(moving):
        return {}
    return {name: known.index(kind) for name, kind in kinds.items()}


# ---- what a body looks like


def _looks(model: Model, name: str) -> list[Shape3]:
    """Own shapes, curves, and a link through the joints where there is nothing else."""
    body: SpatialBody = model.bodies[name]
    own = [_shape(shape) for shape in body.shapes]
    symbols = [symbol for part in _parts(model) for symbol in part.symbols if symbol.body == name]
    curves = [
        Shape3.polyline(s.curve.sample(CURVE_POINTS)) for s in symbols if s.kind == "curve" and s.curve is not None
    ]
    if not own:
        wheels = {(s.kind, s.position, s.radius): s for s in symbols if s.kind in ("ball", "disc", "ring")}
        own = [_wheel(s) for s in wheels.values()]
        centres = _distinct([s.position for s in wheels.values()])
        if len(centres) > 1:  # the axle of several wheels
            own.append(Shape3.link([_point(p) for p in centres]))
    if not own and name != GROUND:
        own = _link(model, body)
    return own + curves


def _shape(shape: Shape) -> Shape3:
    if isinstance(shape, Box):
        turn = (1.0, 0.0, 0.0, 0.0) if shape.rotation is None else tuple(parameters(np.array(shape.rotation)).tolist())
        return Shape3.box(shape.size, shape.center, turn)
    if isinstance(shape, Sphere):
        return Shape3.sphere(shape.radius, shape.center)
    if isinstance(shape, Cylinder):
        return Shape3.cylinder(shape.start, shape.end, shape.radius)
    return Shape3.mesh(shape.mesh.vertices, shape.mesh.triangles)


def _wheel(symbol: Symbol) -> Shape3:
    centre = np.array(symbol.position)
    if symbol.kind == "ball":
        return Shape3.sphere(symbol.radius, _point(centre))
    half = 0.5 * DISC_THICKNESS * symbol.radius * np.array(symbol.axis)
    if symbol.kind == "ring":
        return _ring(centre, half, symbol.radius)
    return Shape3.cylinder(_point(centre - half), _point(centre + half), symbol.radius)


def _ring(centre: Array, half: Array, radius: float) -> Shape3:
    """A ring about an axis: inside, outside and both faces, each a band of quads between two circles."""
    across = np.linalg.svd(half[None, :])[2][1:]
    if np.linalg.det([*across, half]) > 0.0:  # so that triangles face outwards
        across = across[::-1]
    turn = 2.0 * np.pi * np.arange(RING_SIDES) / RING_SIDES
    way = np.cos(turn)[:, None] * across[0] + np.sin(turn)[:, None] * across[1]
    outer = (1.0 + RING_WIDTH) * radius
    circles = [centre + r * way + h for r, h in ((radius, half), (radius, -half), (outer, -half), (outer, half))]
    k = np.arange(RING_SIDES)
    bands = [(n * RING_SIDES, (n + 1) % 4 * RING_SIDES) for n in range(4)]
    here = np.concatenate([np.column_stack([a + k, b + k, b + (k + 1) % RING_SIDES]) for a, b in bands])
    back = np.concatenate(
        [np.column_stack([a + k, b + (k + 1) % RING_SIDES, a + (k + 1) % RING_SIDES]) for a, b in bands]
    )
    return Shape3.mesh(np.concatenate(circles), np.concatenate([here, back]))


def _link(model: Model, body: SpatialBody) -> list[Shape3]:
    """Bar, plate or solid through the points where a body is held; one that is held nowhere is a block of its inertia."""
    points = _held_points(model, body.name)
    ends = _distinct(points)
    if len(ends) == 1:
        ends = _distinct([*points, body.centroid])
    if len(ends) < 2:
        return _block(body)
    middle = ends.mean(axis=0)
    _, spread, axes = np.linalg.svd(ends - middle, full_matrices=False)
    if len(ends) == 2 or spread[1] < FLAT * spread[0]:
        return [Shape3.link([_point(p) for p in ends[np.argsort((ends - middle) @ axes[0])]])]
    if len(ends) == 3 or spread[2] < FLAT * spread[0]:
        across = (ends - middle) @ axes[:2].T
        corners = across[_hull(across)]
        return [Shape3.link([_point(middle + c @ axes[:2]) for c in corners], closed=True)]
    from scipy.spatial import ConvexHull

    return [Shape3.mesh(ends, _outward(ends, ConvexHull(ends).simplices))]


def _held_points(model: Model, name: str) -> list[tuple[float, ...]]:
    """Where joints and springs hold a body, and its points of interest."""
    points: list[tuple[float, ...]] = []
    for part in _parts(model):
        for symbol in part.symbols:
            if symbol.kind in _HELD:
                points += [symbol.position] if symbol.body == name else []
                points += [symbol.other_position] if symbol.other_body == name else []
    return points + [p.local for p in model.points.values() if p.body == name]


def _hull(xy: Array) -> list[int]:
    from scipy.spatial import ConvexHull

    return [int(k) for k in ConvexHull(xy).vertices]


def _outward(points: Array, triangles: Array) -> Array:
    """Triangles of a convex solid, each counter-clockwise from outside."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inwards = np.einsum("ni,ni->n", np.cross(b - a, c - a), a - points.mean(axis=0)) < 0.0
    return np.where(inwards[:, None], triangles[:, ::-1], triangles)


def _block(body: SpatialBody) -> list[Shape3]:
    """The uniform block that has the mass and inertia of a body; nothing for a body without."""
    if body.mass is None or body.inertia is None:
        return []
    moments, axes = np.linalg.eigh(np.array(body.inertia))
    squares = 6.0 / body.mass * (moments.sum() - 2.0 * moments)
    size = np.sqrt(np.maximum(squares, 1e-4 * squares.max()))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    a, b, c, d = parameters(axes).tolist()
    return [Shape3.box(_point(size), body.centroid, (a, b, c, d))] if size.min() > 0.0 else []


def _distinct(points: Sequence[Sequence[float]]) -> Array:
    out: list[Array] = []
    array = np.array(points, dtype=float).reshape(-1, 3)
    near = FLAT * float(np.abs(array).max(initial=0.0))
    for point in array:
        if all(np.abs(point - other).max() > near for other in out):
            out.append(point)
    return np.array(out).reshape(-1, 3)


# ---- joints


def _marks(model: Model, part: Constraint | Force, symbol: Symbol, names: list[str]) -> list[Mark3]:
    """Signs of a joint; none where the bodies show it themselves: a slide with a shape, a body that is fixed."""
    first, second = part.parameters.get("first"), part.parameters.get("second")
    if part.kind == "fix" or (symbol.kind == "prismatic" and model.bodies[symbol.other_body].shapes):
        return []
    ends = (symbol.body, symbol.position), (symbol.other_body, symbol.other_position)
    size = OUTSIDE * max(_thickness(model, body, at) for body, at in ends)
    if symbol.kind == "universal" and part.kind != "constant_velocity":
        # each body holds an arm of the cross
        arms = [m for m in (first, second) if isinstance(m, Marker)]
        return [
            Mark3("arm", names.index(m.body), m.local, m.axis(2), label="" if k else part.name, size=0.7 * size)
            for k, m in enumerate(arms)
        ]
    if symbol.kind in _AT_SECOND and isinstance(second, Marker):
        axis = second.axis(2) if second.oriented else _seen_from(first, second)
        return [Mark3(_AT_SECOND[symbol.kind], names.index(second.body), second.local, axis, part.name, size=size)]
    soft = part.kind == "bushing"  # a spring in all directions, too short for a coil
    kind = _AT_FIRST.get(symbol.kind, "point" if symbol.kind == "point" else "spherical")
    if soft or symbol.kind in (*_AT_FIRST, "universal", "point"):
        axis = _point(np.array(symbol.axis)) if len(symbol.axis) == 3 else (0.0, 0.0, 1.0)
        return [Mark3(kind, names.index(symbol.body), _point(np.array(symbol.position)), axis, part.name, size=size)]
    return []


def _held_at_measured(model: Model, symbol: Symbol) -> tuple[list[tuple[float, ...]], float]:
    """Points where the body that a measured quantity moves is held, and the size of marks there [m]."""
    place = None if symbol.along is None else where_measured(model, symbol.along)
    if place is None:
        return [], 0.0
    ends = (place.body, place.point), (place.other, place.other_point)
    held = [*_held_points(model, place.other), tuple(model.bodies[place.other].centroid)]
    return held, OUTSIDE * max(_thickness(model, body, at) for body, at in ends)


def _bumpers(model: Model, part: Constraint | Force, symbol: Symbol, names: list[str]) -> list[Rod3]:
    """Stops of the length of a spring or link: buffers at its ends."""
    owner = symbol.along.label.rpartition(".")[0] if symbol.along is not None and symbol.kind == "end-stop" else ""
    spring = model.forces.get(owner) or model.constraints.get(owner)
    found = [] if spring is None else [rod for s in spring.symbols for rod in _rods(spring, s, names)]
    return [replace(rod, label=part.name, kind="bumper") for rod in found]


def _thickness(model: Model, name: str, at: Sequence[float]) -> float:
    """Radius of the thickest bar of a body that a point lies in [m]; wheels and plates do not count."""
    out = 0.0
    for bar in model.bodies[name].shapes if name else ():
        if isinstance(bar, Cylinder):
            way, to = np.subtract(bar.end, bar.start), np.subtract(at, bar.start)
            length = float(np.linalg.norm(way))
            along = float(way @ to) / length**2
            inside = -FLAT < along < 1.0 + FLAT and np.linalg.norm(to - along * way) < bar.radius
            if inside and SLENDER * bar.radius < length:
                out = max(out, bar.radius)
    return out


def _seen_from(first: object, second: Marker) -> Point3:
    """Axis of the first body's marker in components of the second body, drawn pose."""
    assert isinstance(first, Marker)
    turn = np.array(second.drawn_axes) @ np.array(second.axes).T  # the body's own orientation
    return _point(turn.T @ np.array(first.drawn_axis(2)))


def _rods(part: Constraint | Force, symbol: Symbol, names: list[str]) -> list[Rod3]:
    if symbol.kind not in ("rod", *_STRETCHED) or part.kind == "bushing":
        return []
    kind = _STRETCHED.get(symbol.kind, "rod")
    ends = (symbol.body, symbol.position), (symbol.other_body, symbol.other_position)
    (i, p), (j, r) = ((names.index(body), _point(np.array(at))) for body, at in ends)
    return [Rod3(i, p, j, r, label=part.name, kind=kind)]


def _rail(model: Model, part: Constraint | Force, symbol: Symbol, names: list[str], scene: SpaceScene) -> list[Shape3]:
    """The way that a slide goes in this motion, on its first body."""
    second = part.parameters.get("second")
    if symbol.kind not in _AT_SECOND or not isinstance(second, Marker):
        return []
    i = names.index(symbol.body)
    origin, axis = np.array(symbol.position), np.array(symbol.axis)
    way = scene.global_points(names.index(second.body), second.local) - scene.global_points(i, origin)
    along = np.einsum("ni,ni->n", way, scene.global_points(i, origin + axis) - scene.global_points(i, origin))
    reached = [0.0, *along.tolist(), *stops_along(model, part.name)]
    low, high = min(reached), max(reached)
    return [Shape3.polyline([origin + low * axis, origin + high * axis])] if high > low else []


def _shared_labels(marks: list[Mark3], scene: SpaceScene) -> list[Mark3]:
    """Marks that start at one place share one label."""
    out: list[Mark3] = []
    places: dict[tuple[float, ...], int] = {}
    for mark in marks:
        place = tuple(np.round(scene.global_points(mark.body, mark.position)[0], 9).tolist())
        if mark.label and place in places:
            first = out[places[place]]
            out[places[place]] = replace(first, label=f"{first.label}, {mark.label}")
            mark = replace(mark, label="")
        elif mark.label:
            places[place] = len(out)
        out.append(mark)
    return out


# ---- forces


def _reaction_arrows(result: Result) -> tuple[Arrow3, ...]:
    """Force and moment of every joint on its second body (the first, where the second is the ground), at the joint."""
    arrows: list[Arrow3] = []
    for joint in result.model.constraints.values():
        body = joint.bodies[-1] if joint.bodies[-1] != GROUND else joint.bodies[0]
        if joint.n_rows and not joint.is_driver and joint.seat_on(body) is not None:
            found = result.reaction(joint.name, on=body)
            arrows.append(Arrow3(joint.name, found.point, found.force))
            arrows.append(Arrow3(joint.name, found.point, found.moment, "N m", "moment"))
    length = result._system.length
    force = max((_largest(a) for a in arrows if a.kind == "force"), default=0.0)
    moment = max((_largest(a) for a in arrows if a.kind == "moment"), default=0.0)
    least = NO_ARROW * max(force, moment / length)
    return tuple(a for a in arrows if _largest(a) > (least if a.kind == "force" else least * length))


def _motion_arrows(result: Result, scene: SpaceScene) -> Iterator[Arrow3]:
    """Velocity and acceleration of the centroids of moving bodies and of the points of interest."""
    model = result.model
    if result.v is None:
        return
    names = list(model.bodies)
    places = [(p.name, p.body, p.local) for p in model.points.values() if p.body != GROUND]
    places += [(name, name, body.centroid) for name, body in model.bodies.items() if name != GROUND]
    for name, body, at in places[:MOST_PLACES]:
        series, k = result._body(body), names.index(body)
        here = scene.global_points(k, at)
        arm, omega = here - scene.bodies[k].positions, series.omega
        fixed: dict[str, Any] = {"body": k, "point": _point(np.array(at))}
        velocity = series.velocity + np.cross(omega, arm)
        if not np.abs(velocity).max(initial=0.0) > 0.0:
            continue
        yield Arrow3(name, here, velocity, "m/s", "velocity", **fixed)
        if result.a is not None:
            bent = series.acceleration + np.cross(series.alpha, arm) + np.cross(omega, np.cross(omega, arm))
            yield Arrow3(name, here, bent, "m/s²", "acceleration", **fixed)


def _largest(arrow: Arrow3) -> float:
    return float(np.linalg.norm(arrow.vector, axis=1).max())


def _point(values: Array) -> Point3:
    x, y, z = (float(v) for v in values)
    return x, y, z
