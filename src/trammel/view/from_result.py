"""From a result to a scene: which shapes, marks and traces a mechanism is drawn with."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trammel.model.body import GROUND
from trammel.model.constraint import Constraint, Symbol
from trammel.model.model import PlanarModel
from trammel.model.units import LENGTH_UNITS
from trammel.results.result import Result
from trammel.view.scene import Mark, Rod, Scene, SceneBody, Shape, Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVE_POINTS = 181


def build_scene(result: Result, *, traces: Iterable[str] | None = None) -> Scene:
    """Scene of a result: bodies drawn from their outlines, or from their joints where there are none."""
    model = result.model
    names = list(model.bodies)
    shapes: dict[str, list[Shape]] = {name: [] for name in names}
    marks: list[Mark] = []
    rods: list[Rod] = []
    for constraint in model.constraints.values():
        for symbol in constraint.symbols:
            _add_symbol(model, constraint, symbol, names, shapes, marks, rods, result.system.length)
    for name, body in model.bodies.items():
        if body.outline:
            shapes[name].insert(0, Shape("polygon", body.outline, role="outline"))
        elif name != GROUND:
            link = _link_shape(model, name)
            if link is not None:
                shapes[name].insert(0, link)
    chosen = list(model.points) if traces is None else list(traces)
    for name in chosen:
        point = model.point(name)
        marks.append(Mark("point", names.index(point.body), (point.xi, point.eta), 0.0, label=name))
    bodies = tuple(
        SceneBody(name, tuple(shapes[name]), _poses(result, name), is_ground=name == GROUND) for name in names
    )
    return Scene(
        title=model.name,
        times=result.times,
        bodies=bodies,
        marks=tuple(marks),
        traces=tuple(Trace(name, result.point(name).position) for name in chosen),
        rods=tuple(rods),
        length_unit=model.units,
        length_factor=1.0 / LENGTH_UNITS[model.units],
    )


def _poses(result: Result, name: str) -> np.ndarray:
    body = result.body(name)
    return np.column_stack([body.x, body.y, body.phi])


def _add_symbol(
    model: PlanarModel,
    constraint: Constraint,
    symbol: Symbol,
    names: list[str],
    shapes: dict[str, list[Shape]],
    marks: list[Mark],
    rods: list[Rod],
    size: float,
) -> None:
    body = names.index(symbol.body)
    if symbol.kind == "pin":
        other = names.index(symbol.other_body)
        if GROUND in (symbol.body, symbol.other_body):
            position = symbol.position if symbol.body == GROUND else symbol.other_position
            marks.append(Mark("fixed-pin", names.index(GROUND), position, 0.0, label=constraint.name))
        else:
            marks.append(Mark("pin", other, symbol.other_position, 0.0, label=constraint.name))
    elif symbol.kind == "rod":
        rods.append(
            Rod(body, symbol.position, names.index(symbol.other_body), symbol.other_position, label=constraint.name)
        )
    elif symbol.kind == "slider" or symbol.kind == "pin-on-line" or symbol.kind == "weld":
        marks.append(Mark(symbol.kind, body, symbol.position, symbol.angle, label=constraint.name))
    elif symbol.kind == "gear":
        shapes[symbol.body].append(Shape("circle", (symbol.position,), radius=symbol.radius, role="gear"))
    elif symbol.kind == "disc":
        shapes[symbol.body].append(Shape("disc", (symbol.position,), radius=symbol.radius, role="gear"))
    elif symbol.kind in ("line", "face"):
        # a line on a body that has its own look (a link through its pins) would only be drawn twice
        reach = 0.6 * size if symbol.kind == "line" else 0.25 * size
        dx, dy = reach * math.cos(symbol.angle), reach * math.sin(symbol.angle)
        x, y = symbol.position
        shapes[symbol.body].append(Shape("polyline", ((x - dx, y - dy), (x + dx, y + dy)), role="curve"))
    elif symbol.kind == "curve":
        curve = constraint.blocks[0].quantity.curve
        assert curve is not None
        points = tuple((float(x), float(y)) for x, y in np.asarray(curve.sample(CURVE_POINTS)))
        shapes[symbol.body].append(Shape("polygon" if curve.closed else "polyline", points, role="curve"))


def _link_shape(model: PlanarModel, name: str) -> Shape | None:
    """Bar or plate through the pins of a body without an outline."""
    points: list[tuple[float, float]] = []
    for constraint in model.constraints.values():
        for symbol in constraint.symbols:
            if symbol.kind in ("pin", "rod", "pin-on-line", "slider", "disc", "gear"):
                for body, position in ((symbol.body, symbol.position), (symbol.other_body, symbol.other_position)):
                    if body == name and position not in points:
                        points.append(position)
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
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from trammel.view.drawing import draw

    frame = 0 if time is None else int(np.argmin(np.abs(result.times - time)))
    figure = Figure(figsize=(8, 6), layout="constrained")
    FigureCanvasAgg(figure)
    draw(build_scene(result, traces=traces), figure.add_subplot(), frame=frame, ghosts=ghosts)
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure
