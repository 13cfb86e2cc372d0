"""From a result to a scene: which shapes, marks and traces a mechanism is drawn with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trammel.errors import FileWriteError, ModelError
from trammel.model.base import Model
from trammel.model.body import GROUND
from trammel.model.constraint import Constraint, Symbol
from trammel.model.force import Force
from trammel.model.model import PlanarModel
from trammel.model.units import LENGTH_UNITS
from trammel.results.result import Result
from trammel.system.lowering import length_scale
from trammel.view.figure import new_figure, saved
from trammel.view.scene import Array, Mark, Rod, Scene, SceneBody, Shape, Trace, to_global
from trammel.view.space_from_result import build_space_scene, draw_space_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVE_POINTS = 181


def build_scene(result: Result, *, traces: Iterable[str] | None = None) -> Scene:
    """Scene of a result: bodies drawn from their outlines, or from their joints where there are none."""
    return scene_of_plane(result.model, result.times, result.q, traces=traces)


def scene_of_plane(model: Model, times: Array, q: Array, *, traces: Iterable[str] | None = None) -> Scene:
    """Scene of a planar model with the given coordinates, shape (n, n_coordinates)."""
    assert isinstance(model, PlanarModel)
    names = _drawing_order(model)
    poses = {name: q[:, 3 * k : 3 * k + 3] for k, name in enumerate(list(model.bodies)[1:])}
    poses[GROUND] = np.zeros((len(q), 3))
    size = length_scale(model)
    shapes: dict[str, list[Shape]] = {name: [] for name in names}
    marks: list[Mark] = []
    rods: list[Rod] = []
    coming_and_going = {name for phase in model.phases.values() for name in phase.active}
    for constraint in model.constraints.values():
        for symbol in constraint.symbols:
            if constraint.name not in coming_and_going:
                _add_symbol(model, constraint, symbol, names, shapes, marks, rods, size)
    for force in model.forces.values():
        for symbol in force.symbols:
            _add_symbol(model, force, symbol, names, shapes, marks, rods, size)
    for name, body in model.bodies.items():
        if body.outline:
            shapes[name].insert(0, Shape("polygon", body.outline, role="outline"))
        elif name not in _grounded(model):
            link = _link_shape(model, name)
            if link is not None:
                shapes[name].insert(0, link)
    chosen = list(model.points) if traces is None else list(traces)
    for name in chosen:
        point = model.point(name)
        marks.append(Mark("point", names.index(point.body), (point.xi, point.eta), 0.0, label=name))
    bodies = tuple(
        SceneBody(name, tuple(shapes[name]), poses[name], is_ground=name in _grounded(model)) for name in names
    )
    return Scene(
        title=model.name,
        times=times,
        bodies=bodies,
        marks=tuple(_shared_labels(marks, bodies)),
        traces=tuple(Trace(p.name, to_global(poses[p.body], p.local)) for p in map(model.point, chosen)),
        rods=tuple(rods),
        length_unit=model.units,
        length_factor=1.0 / LENGTH_UNITS[model.units],
    )


def _grounded(model: PlanarModel) -> set[str]:
    """Bodies that never move: the ground and what is fixed to it."""
    return {GROUND} | {c.held_body for c in model.constraints.values() if c.held_body}


def _drawing_order(model: PlanarModel) -> list[str]:
    """Ground first, then plates, then bars, so that plates do not hide the bars."""
    wide = {name for name in model.bodies if name != GROUND and _is_plate(model, name)}
    rest = [name for name in model.bodies if name != GROUND]
    return [GROUND, *(n for n in rest if n in wide), *(n for n in rest if n not in wide)]


def _is_plate(model: PlanarModel, name: str) -> bool:
    if model.bodies[name].outline:
        return True
    link = _link_shape(model, name)
    return link is not None and link.kind == "polygon"


def _shared_labels(marks: list[Mark], bodies: tuple[SceneBody, ...]) -> list[Mark]:
    """Marks at one place share one label."""
    out: list[Mark] = []
    places: dict[tuple[float, float], int] = {}
    for mark in marks:
        x, y, phi = bodies[mark.body].poses[0]
        c, s = math.cos(phi), math.sin(phi)
        xi, eta = mark.position
        place = (round(x + c * xi - s * eta, 9), round(y + s * xi + c * eta, 9))
        if mark.kind != "point" and place in places:
            first = out[places[place]]
            out[places[place]] = replace(first, label=f"{first.label}, {mark.label}")
            mark = replace(mark, label="")
        elif mark.kind != "point":
            places[place] = len(out)
        out.append(mark)
    return out


def _add_symbol(
    model: PlanarModel,
    constraint: Constraint | Force,
    symbol: Symbol,
    names: list[str],
    shapes: dict[str, list[Shape]],
    marks: list[Mark],
    rods: list[Rod],
    size: float,
) -> None:
    body, at = names.index(symbol.body), _xy(symbol.position)
    if symbol.kind == "pin":
        ends = ((symbol.body, symbol.position), (symbol.other_body, symbol.other_position))
        fixed = [end for end in ends if end[0] in _grounded(model)]
        owner, position = fixed[0] if fixed else ends[1]
        place = names.index(owner), _xy(position)
        marks.append(Mark("fixed-pin" if fixed else "pin", *place, 0.0, label=constraint.name))
    elif symbol.kind in ("rod", "spring"):
        other = names.index(symbol.other_body)
        rods.append(Rod(body, at, other, _xy(symbol.other_position), label=constraint.name))
    elif symbol.kind == "pin-on-line":
        marks.append(Mark("pin", body, at, 0.0, label=constraint.name))
    elif symbol.kind == "slider" or symbol.kind == "weld":
        # an outline shows the slider itself, and a fixed body needs no sign that it is fixed to itself
        if not model.bodies[symbol.body].outline and constraint.kind != "fix":
            marks.append(Mark(symbol.kind, body, at, symbol.angle, label=constraint.name))
    elif symbol.kind == "ring":
        x, y = symbol.position
        turn = np.linspace(0.0, 2.0 * math.pi, CURVE_POINTS)
        circle = tuple((float(x + symbol.radius * math.cos(a)), float(y + symbol.radius * math.sin(a))) for a in turn)
        shapes[symbol.body].append(Shape("polyline", circle, role="curve"))
    elif symbol.kind == "gear":
        shapes[symbol.body].append(Shape("circle", (at,), radius=symbol.radius, role="gear"))
    elif symbol.kind == "disc":
        shapes[symbol.body].append(Shape("disc", (at,), radius=symbol.radius, role="gear"))
    elif symbol.kind in ("line", "face") and not model.bodies[symbol.body].outline:
        # a line on a body that has its own look (a link through its pins) would only be drawn twice
        reach = 0.6 * size if symbol.kind == "line" else 0.25 * size
        dx, dy = reach * math.cos(symbol.angle), reach * math.sin(symbol.angle)
        x, y = symbol.position
        shapes[symbol.body].append(Shape("polyline", ((x - dx, y - dy), (x + dx, y + dy)), role="curve"))
    elif symbol.kind == "curve":
        curve = symbol.curve
        assert curve is not None
        points = tuple((float(x), float(y)) for x, y in np.asarray(curve.sample(CURVE_POINTS)))
        shapes[symbol.body].append(Shape("polygon" if curve.closed else "polyline", points, role="curve"))


def _xy(position: Sequence[float]) -> tuple[float, float]:
    x, y = position
    return x, y


def _link_shape(model: PlanarModel, name: str) -> Shape | None:
    """Bar or plate through the pins of a body without an outline."""
    points: list[tuple[float, float]] = []
    for constraint in model.constraints.values():
        for symbol in constraint.symbols:
            if symbol.kind in ("pin", "rod", "pin-on-line", "slider", "disc", "gear"):
                for body, position in ((symbol.body, symbol.position), (symbol.other_body, symbol.other_position)):
                    if body == name and _xy(position) not in points:
                        points.append(_xy(position))
    points += [(p.xi, p.eta) for p in model.points.values() if p.body == name and (p.xi, p.eta) not in points]
    if len(points) < 2:
        return None
    if len(points) == 2:
        return Shape("polyline", tuple(points), role="link")
    return Shape("polygon", tuple(_hull(points)), role="link")


def _hull(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Convex hull, counter-clockwise (monotone chain); collinear points give the two ends."""
    ordered = sorted(points)

    def half(sequence: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for p in sequence:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0.0:
                chain.pop()
            chain.append(p)
        return chain

    lower, upper = half(ordered), half(reversed(ordered))
    return lower[:-1] + upper[:-1]


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def draw_figure(
    result: Result, *, time: float | None, ghosts: int, traces: Iterable[str] | None, path: str | Path | None
) -> Figure:
    """Static drawing of one instant."""
    from trammel.view.drawing import draw

    frame = 0 if time is None else int(np.argmin(np.abs(result.times - time)))
    for segment in result.segments:  # parts may have been changed by then
        if segment.first <= frame < segment.last:
            result = replace(result, model=segment.model)
    if result.model.space.dimension == 3:
        if ghosts:
            raise ModelError("drawings of spatial mechanisms have no ghosts; leave ghosts= out, or draw several times.")
        figure = draw_space_figure(result, frame=frame, traces=traces)
    else:
        figure = new_figure(8.0, 6.0)
        draw(build_scene(result, traces=traces), figure.add_subplot(), frame=frame, ghosts=ghosts)
    return saved(figure, path)


def write_animation(result: Result, path: str | Path, *, traces: Iterable[str] | None, duration: float | None) -> Path:
    """Page or film that plays the motion, as the suffix says."""
    from trammel.view.animation import write_html
    from trammel.view.drawing import draw
    from trammel.view.gltf import write_gltf
    from trammel.view.movie import animation_kind, write_film
    from trammel.view.space_animation import write_space_html
    from trammel.view.space_drawing import draw_space

    kind = animation_kind(path)
    if not Path(path).suffix:
        path = Path(path).with_name(Path(path).name + ".html")
    if result.model.space.dimension == 3:
        space = build_space_scene(result, traces=traces)
        if kind == "page":
            return write_space_html(space, path, duration=duration)
        if kind == "scene":
            return write_gltf(space, path, duration=duration)
        return write_film(
            path, result.times, lambda f, k: draw_space(space, f.add_subplot(projection="3d"), k), duration=duration
        )
    if kind == "scene":
        raise FileWriteError(
            f"the file {str(path)!r} cannot be written: glTF shows models in space, and {result.model.name!r} is planar; write .html, .gif "
            "or .mp4."
        )
    scene = build_scene(result, traces=traces)
    if kind == "page":
        return write_html(scene, path, duration=duration)
    return write_film(path, result.times, lambda f, k: draw(scene, f.add_subplot(), k), duration=duration)
