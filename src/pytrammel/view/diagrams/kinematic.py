"""Kinematic diagram: the skeleton of a model with joints by convention and names, in the plane and in space."""

from __future__ import annotations

import itertools
import math
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import number_of
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.view.diagrams.labels import Name, place_labels
from pytrammel.view.diagrams.skeleton import Joint, Skeleton, skeleton_of
from pytrammel.view.figure import given_axes, new_figure, saved
from pytrammel.view.scene.symbols import spiral_points, stretched_role
from pytrammel.view.theme import current, curve_colour

Array = NDArray[np.float64]
LETTER = 0.085  # width of a letter of the heading [inch]
SYMBOL = 0.018  # radius of a pin, as a share of the picture
WORDS = {
    "pin": "R", "slider": "P", "slot": "RP", "cylinder": "C", "universal": "U", "ball": "S", "screw": "H", "plane": "E", "weld": "fixed",
}  # fmt: skip


def draw_diagram(model: Model, *, ax: Any = None, labels: bool = True, path: str | PathLike[str] | None = None) -> Any:
    """Draw the kinematic diagram of a model; see `Model.diagram`."""
    if len(model.bodies) < 2:
        raise ModelError(f"model {model.name!r} has no moving body yet; add some before drawing its diagram.")
    skeleton = skeleton_of(model)
    low, high = skeleton.extent()
    size = float((high - low).max())
    u = SYMBOL * size
    width, height = (high - low) / size
    found = given_axes(ax, 1, "a kinematic diagram")
    wide = max(2.0 + 6.0 * width, 0.4 + LETTER * len(_heading(model)))  # the heading must fit, too
    axes = found[0] if found else new_figure(wide, 1.6 + 4.8 * height).add_subplot()
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlim(low[0] - 7 * u, high[0] + 7 * u)
    axes.set_ylim(low[1] - 8 * u, high[1] + 7 * u)
    axes.axis("off")
    colours = body_colours(model)
    strokes = _draw_bodies(axes, skeleton, colours, u)
    for body, ends in skeleton.slots:
        _draw_slot(axes, ends, colours[body], u)
        strokes.append(ends)
    for _, kind, at in skeleton.acting:
        if kind == "torsion":
            wire = at + 0.5 * u * np.array(spiral_points(0.0))
            axes.plot(*wire.T, color=current().ink, lw=0.9, zorder=7)
    for _, kind, a, b in skeleton.springs:
        _draw_spring(axes, a, b, u, kind)
        strokes.append(np.array([a, b]))
    for joint in skeleton.joints:
        _draw_joint(axes, joint, u, space=model.space.dimension == 3)
        if GROUND in joint.bodies and joint.glyph != "other":  # names keep off the hatching
            strokes.append(joint.place + u * np.array([(-2.0, -2.4), (2.0, -2.4), (0.0, -1.2), (0.0, -3.0)]))
    for place in skeleton.points.values():
        axes.plot(*place, "+", color=current().ink, ms=8, mew=1.4, zorder=9)
    if model.space.dimension == 3:
        _draw_triad(axes, skeleton, low, u)
    axes.set_title(_heading(model), fontsize=11, parse_math=False)
    if labels:
        _write_names(axes, skeleton, colours, strokes)
    saved(axes.figure, path)  # type: ignore[arg-type]
    return axes


def _heading(model: Model) -> str:
    moving = len(model.bodies) - 1
    joints = sum(not c.is_driver for c in model.constraints.values())
    return f"{model.name}: {number_of(moving, 'moving body')}, {number_of(joints, 'joint')}"


def body_colours(model: Model) -> dict[str, str]:
    """Colours of all bodies: those given by the user, else the next one of the theme."""
    theme = current()
    moving = {
        name: theme.line(theme.colour(body.color or k)) for k, (name, body) in enumerate(list(model.bodies.items())[1:])
    }
    return moving | {GROUND: theme.ground}


def _draw_bodies(axes: Any, skeleton: Skeleton, colours: dict[str, str], u: float) -> list[Array]:
    strokes = []
    for body, xy in skeleton.curves:
        axes.plot(*xy.T, color=colours[body], lw=1.3, ls="-" if body != GROUND else "--", zorder=2)
        strokes.append(xy[::6])
    for body, nodes in skeleton.nodes.items():
        places = _distinct(nodes, 0.1 * u)
        if body == GROUND or len(places) < 2:
            continue
        outline = _outline(places)
        if len(outline) > 2:
            axes.fill(*np.array(outline).T, color=colours[body], alpha=0.13, lw=0.0, zorder=1)
        closed = np.array([*outline, outline[0]] if len(outline) > 2 else outline)
        axes.plot(*closed.T, color=colours[body], lw=2.6, solid_capstyle="round", solid_joinstyle="round", zorder=3)
        strokes.append(closed)
    return strokes


def _draw_slot(axes: Any, ends: Array, colour: str, u: float) -> None:
    """Two lines along the way of a pin, round at the ends."""
    for width, shade, level in ((2.2 * u, colour, 3.5), (1.7 * u, current().paper, 3.6)):
        t = ends[1] - ends[0]
        angle = math.atan2(t[1], t[0])
        arc = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 13)
        cap = 0.5 * width * np.column_stack((np.cos(arc + angle), np.sin(arc + angle)))
        axes.fill(*np.vstack((ends[1] + cap, ends[0] - cap)).T, fc=shade, ec="none", zorder=level)


def _distinct(places: list[Array], near: float) -> list[Array]:
    out: list[Array] = []
    for place in places:
        if all(math.hypot(*(place - other)) > near for other in out):
            out.append(place)
    return out


def _outline(places: list[Array]) -> list[Array]:
    """Convex hull of the places, counter-clockwise; the two ends where they are in line."""
    ordered = sorted(map(tuple, places))

    def chain(points: list[Any]) -> list[Any]:
        out: list[Any] = []
        for p in points:
            while len(out) > 1 and (out[-1][0] - out[-2][0]) * (p[1] - out[-2][1]) <= (out[-1][1] - out[-2][1]) * (
                p[0] - out[-2][0]
            ):
                out.pop()
            out.append(p)
        return out

    hull = chain(ordered)[:-1] + chain(ordered[::-1])[:-1]
    return [np.array(p) for p in hull]


def _draw_spring(axes: Any, a: Array, b: Array, u: float, kind: str) -> None:
    along = b - a
    length, theme = float(np.hypot(*along)), current()
    colour = theme.symbol(stretched_role(kind)) or theme.ink
    if length < 4.0 * u or kind not in ("spring", "spring-damper"):
        axes.plot(
            *np.array([a, b]).T,
            color=colour,
            lw=1.0,
            ls=(0, (5, 2)),
            zorder=2,
        )
        return
    t, n = along / length, np.array([-along[1], along[0]]) / length
    coils = 6
    stations = np.linspace(0.2, 0.8, 2 * coils + 1) * length
    sides = np.array([0.0, *([0.9, -0.9] * coils)][: 2 * coils] + [0.0]) * u
    zigzag = [a, *(a + s * t + side * n for s, side in zip(stations, sides, strict=True)), b]
    axes.plot(
        *np.array(zigzag).T,
        color=colour,
        lw=1.1,
        zorder=2,
    )


def _ink() -> str:
    """Colour of the symbols of joints."""
    theme = current()
    return theme.symbol("joint") or theme.ink


def _draw_joint(axes: Any, joint: Joint, u: float, *, space: bool) -> None:
    from matplotlib.patches import Circle

    x, y = joint.place
    if joint.glyph in ("rod", "rope"):
        axes.plot(*np.array(joint.ends).T, color=_ink(), lw=1.4, zorder=4)
        for end in joint.ends:
            axes.add_patch(Circle(tuple(end), 0.55 * u, fc=current().paper, ec=_ink(), lw=1.2, zorder=7))
        return
    if GROUND in joint.bodies and joint.glyph != "other":
        _draw_support(axes, joint, u)
    if joint.glyph in ("slider", "cylinder", "screw") or (joint.glyph == "slot" and GROUND in joint.bodies[:1]):
        _draw_guide(axes, joint, u)
    elif joint.glyph == "weld":
        _box(axes, joint.place, np.array([1.0, 0.0]), 0.7 * u, 0.7 * u, fc=_ink())
    elif joint.glyph == "plane":
        _box(axes, joint.place, np.array([1.0, 0.0]), 1.6 * u, 0.8 * u, fc=current().paper)
    if joint.glyph in ("pin", "slot", "ball", "universal"):
        axes.add_patch(Circle((x, y), 0.85 * u, fc=current().paper, ec=_ink(), lw=1.4, zorder=8))
    if joint.glyph == "ball":
        axes.add_patch(Circle((x, y), 0.5 * u, fc=_ink(), ec=_ink(), lw=0.0, zorder=9))
    if joint.glyph == "universal":
        for dx, dy in ((0.6, 0.6), (0.6, -0.6)):
            axes.plot([x - dx * u, x + dx * u], [y - dy * u, y + dy * u], color=_ink(), lw=1.2, zorder=9)
    if joint.glyph == "pin" and space and joint.along is not None:
        d = 2.6 * u * joint.along
        axes.plot([x - d[0], x + d[0]], [y - d[1], y + d[1]], color=_ink(), lw=1.2, ls="-.", zorder=7)
    if joint.driven:
        _draw_drive(axes, joint, u)


def _draw_guide(axes: Any, joint: Joint, u: float) -> None:
    d = joint.along if joint.along is not None else np.array([1.0, 0.0])
    size = float(np.hypot(*d))
    t = d / size if size > 1e-9 else np.array([1.0, 0.0])
    reach = 4.2 * u * max(size, 0.3)
    axes.plot(*np.array([joint.place - reach * t, joint.place + reach * t]).T, color=_ink(), lw=1.1, zorder=5)
    if joint.glyph != "slot":
        _box(axes, joint.place, t, 1.9 * u * max(size, 0.4), 1.0 * u, fc=current().paper)
    if joint.glyph == "screw":
        n = np.array([-t[1], t[0]])
        for k in (-1.0, 0.0, 1.0):
            at = joint.place + 0.9 * k * u * t
            axes.plot(
                *np.array([at - 0.9 * u * n - 0.3 * u * t, at + 0.9 * u * n + 0.3 * u * t]).T,
                color=_ink(),
                lw=1.0,
                zorder=8,
            )
    if joint.glyph == "cylinder":
        axes.plot(*joint.place, "o", ms=3, color=_ink(), zorder=8)


def _box(axes: Any, place: Array, t: Array, half_length: float, half_width: float, *, fc: str) -> None:
    n = np.array([-t[1], t[0]])
    corners = [place + i * half_length * t + j * half_width * n for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    axes.fill(*np.array(corners).T, fc=fc, ec=_ink(), lw=1.3, zorder=6)


def _draw_support(axes: Any, joint: Joint, u: float) -> None:
    """Hatching below what stands on the ground, or beside a guide."""
    if (
        joint.glyph in ("slider", "cylinder", "screw", "slot")
        and joint.along is not None
        and np.hypot(*joint.along) > 1e-9
    ):
        t = joint.along / np.hypot(*joint.along)
        middle, half = joint.place, 4.2 * u * max(float(np.hypot(*joint.along)), 0.3)
        if joint.glyph != "slot":
            n = np.array([t[1], -t[0]])
            middle = joint.place + 1.25 * u * (n if n[1] <= 0.0 else -n)
    else:
        t, half = np.array([1.0, 0.0]), 2.0 * u
        middle = joint.place - np.array([0.0, 2.4 * u])
        x, y = joint.place
        axes.fill(
            [x, x + 1.4 * u, x - 1.4 * u],
            [y, y - 2.4 * u, y - 2.4 * u],
            fc=current().paper,
            ec=_ink(),
            lw=1.1,
            zorder=5,
        )
    n = np.array([t[1], -t[0]])
    n = n if n[1] <= 1e-12 else -n
    axes.plot(*np.array([middle - half * t, middle + half * t]).T, color=_ink(), lw=1.3, zorder=5)
    for share in np.linspace(-0.9, 0.9, 7):
        at = middle + share * half * t
        axes.plot(*np.array([at, at + 0.7 * u * n - 0.5 * u * t]).T, color=_ink(), lw=0.7, zorder=4)


def _draw_drive(axes: Any, joint: Joint, u: float) -> None:
    """An arrow round a driven pin, or along a driven guide."""
    look = {"arrowstyle": "-|>", "color": curve_colour(1), "lw": 1.6, "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0}
    x, y = joint.place
    if joint.glyph in ("slider", "cylinder", "screw") and joint.along is not None and np.hypot(*joint.along) > 1e-9:
        t = joint.along / np.hypot(*joint.along)
        side = joint.place + 1.9 * u * np.array([-t[1], t[0]])
        axes.annotate("", tuple(side + 2.4 * u * t), tuple(side - 2.0 * u * t), arrowprops=look, zorder=10)
        return
    look["connectionstyle"] = "arc3,rad=0.7"
    axes.annotate("", (x - 1.9 * u, y + 0.9 * u), (x + 1.9 * u, y + 0.9 * u), arrowprops=look, zorder=10)


def _draw_triad(axes: Any, skeleton: Skeleton, low: Array, u: float) -> None:
    corner = low - np.array([2.0, 3.0]) * u
    for name, direction in skeleton.axes.items():
        tip = corner + 4.0 * u * direction
        look = {
            "arrowstyle": "-|>",
            "color": current().ground,
            "lw": 1.1,
            "mutation_scale": 8,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        axes.annotate("", tuple(tip), tuple(corner), arrowprops=look)
        axes.text(*(corner + 5.2 * u * direction), name, fontsize=8, color=current().ground, ha="center", va="center")


def _write_names(axes: Any, skeleton: Skeleton, colours: dict[str, str], strokes: list[Array]) -> None:
    """Joints with their letters first, then bodies in their colours, forces and points."""
    spots: dict[tuple[float, float], list[str]] = {}
    for joint in skeleton.joints:
        words = WORDS.get(joint.glyph, "")
        place = np.mean(joint.ends, axis=0) if joint.glyph in ("rod", "rope") else joint.place
        key = (round(float(place[0]), 6), round(float(place[1]), 6))
        spots.setdefault(key, []).append(f"{joint.name} ({words})" if words else joint.name)
    names = [Name(", ".join(texts), at, current().ink) for at, texts in spots.items()]
    for body, nodes in skeleton.nodes.items():
        if body != GROUND and nodes:
            names.append(Name(body, np.mean(_distinct(nodes, 0.0), axis=0), colours[body], "italic", 9.0))
    names += [Name(name, 0.5 * (a + b), current().ground) for name, _, a, b in skeleton.springs]
    names += [Name(name, at, current().ground) for name, _, at in skeleton.acting]
    names += [Name(name, at, current().ground) for name, at in skeleton.points.items()]
    place_labels(axes, names, avoid=[_along(stroke) for stroke in strokes])


def _along(stroke: Array) -> Array:
    """Points on a line, close enough that a name over it covers one."""
    parts = [a + share * (b - a) for a, b in itertools.pairwise(stroke) for share in np.linspace(0.0, 1.0, 9)]
    return np.array(parts) if parts else stroke
