"""A mechanism at one instant, drawn with matplotlib."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from trammel.view.figure import new_figure
from trammel.view.scene import BAR, Array, Part, Scene, mark_parts, shape_parts, to_global

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, GROUND = "#22303c", "#66737f"
_LINE_WIDTH = {"face": 1.4, "edge": 1.6, "fine": 0.8, "paper": 1.3, "line": 1.4, "hatch": 0.7, "ink": 0.0}


def draw(
    scene: Scene, ax: Axes | None = None, frame: int = 0, ghosts: int = 0, traces: bool = True, labels: bool = True
) -> Axes:
    """Draw the mechanism at one frame, in display units and equal aspect.

    Args:
        scene: What to draw.
        ax: Where to draw; None makes a figure of its own (``ax.figure.savefig(...)`` writes it).
        frame: Index of the frame; negative counts from the end.
        ghosts: Number of further positions, spread evenly over the motion, shown faintly behind.
        traces: Whether to draw the traced paths.
        labels: Whether to write the names of bodies and joints.

    Returns:
        The axes drawn on.
    """
    n = len(scene.times)
    if not -n <= frame < n:
        raise IndexError(f"frame {frame} does not exist: scene '{scene.title}' has frames 0 to {n - 1}.")
    ax = _own_axes(scene) if ax is None else ax
    k, u = scene.length_factor, scene.symbol_size()
    for ghost in np.unique(np.linspace(0, n - 1, ghosts + 2).round().astype(int)[1:-1]) if ghosts > 0 else ():
        _draw_ghost(ax, scene, int(ghost))
    for i, trace in enumerate(scene.traces if traces else ()):
        x, y = k * np.asarray(trace.xy).T
        colour = scene.trace_colour(i)
        ax.plot(x, y, color=colour, lw=1.6, zorder=6, label=plain_label(trace.name))
        ax.plot(x[frame], y[frame], "o", color=colour, ms=5, zorder=9)
    _draw_bodies(ax, scene, frame, u)
    _draw_marks(ax, scene, frame, u)
    if labels:
        _draw_labels(ax, scene, frame)
    if scene.traces and traces:
        legend = ax.legend(loc="best", fontsize=8, framealpha=0.9)
        for text in legend.get_texts():
            text.set_parse_math(False)
    _frame_axes(ax, scene, u)
    return ax


def plain_label(name: str) -> str:
    """A legend entry as matplotlib will show it: names starting with '_' would be left out."""
    return f" {name}" if name.startswith("_") else name


def _own_axes(scene: Scene) -> Axes:
    x0, y0, x1, y1 = scene.bounds()
    height = min(max(7.0 * (y1 - y0) / (x1 - x0), 3.2), 8.0)
    return new_figure(7.5, height + 0.6).add_subplot()


def _frame_axes(ax: Axes, scene: Scene, u: float) -> None:
    k = scene.length_factor
    x0, y0, x1, y1 = scene.bounds()
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlim(k * (x0 - 5 * u), k * (x1 + 5 * u))
    ax.set_ylim(k * (y0 - 5 * u), k * (y1 + 5 * u))
    ax.grid(True, color="#e3e9ee", lw=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel(f"x [{scene.length_unit}]", parse_math=False)
    ax.set_ylabel(f"y [{scene.length_unit}]", parse_math=False)
    ax.set_title(scene.title, fontsize=11, parse_math=False)
    for spine in ax.spines.values():
        spine.set_color("#b8c2cb")
    ax.tick_params(color="#b8c2cb", labelsize=8)


def _placed(points: tuple[tuple[float, float], ...], pose: Array, k: float) -> Array:
    return np.array([k * to_global(pose[None, :], p)[0] for p in points])


def _draw_ghost(ax: Axes, scene: Scene, frame: int) -> None:
    """Another position, as a thin skeleton: filled shapes on top of each other would hide everything."""
    from matplotlib.patches import Circle

    k = scene.length_factor
    for i, body in enumerate(scene.bodies):
        for shape in () if body.is_ground else body.shapes:
            xy = _placed(shape.points, body.poses[frame], k)
            if shape.radius > 0.0:
                look = {"fill": False, "edgecolor": scene.colour(i), "alpha": 0.4, "zorder": 2}
                ax.add_patch(Circle(tuple(xy[0]), k * shape.radius, **look))
            else:
                x, y = (np.vstack((xy, xy[:1])) if shape.kind == "polygon" else xy).T
                ax.plot(x, y, color=scene.colour(i), lw=1.0, alpha=0.4, zorder=2)


def _draw_bodies(ax: Axes, scene: Scene, frame: int, u: float) -> None:
    for i, body in enumerate(scene.bodies):
        has_bar = any(shape.role == "link" for shape in body.shapes)
        level = 1.5 if body.is_ground else (4.0 if has_bar else 2.5) + 0.01 * i
        colour = GROUND if body.is_ground else scene.colour(i)
        for shape in body.shapes:
            for part in shape_parts(shape, u, on_ground=body.is_ground):
                _draw_part(ax, part, body.poses[frame], scene.length_factor, u, colour, level)
    for rod in scene.rods:
        a = to_global(scene.bodies[rod.body_i].poses[frame][None, :], rod.point_i)[0]
        b = to_global(scene.bodies[rod.body_j].poses[frame][None, :], rod.point_j)[0]
        x, y = scene.length_factor * np.array([a, b]).T
        ax.plot(x, y, color=GROUND, lw=2.4, solid_capstyle="round", zorder=5)


def _draw_marks(ax: Axes, scene: Scene, frame: int, u: float) -> None:
    for mark in scene.marks:
        body = scene.bodies[mark.body]
        colour = GROUND if body.is_ground else scene.colour(mark.body)
        for part in mark_parts(mark, u):
            level = 3.5 if part.under else 7.0
            _draw_part(ax, part, body.poses[frame], scene.length_factor, u, colour, level)


def _draw_part(ax: Axes, part: Part, pose: Array, k: float, u: float, colour: str, z: float) -> None:
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Circle, PathPatch
    from matplotlib.path import Path

    tint = tuple(0.78 + 0.22 * c for c in to_rgb(colour))
    ink = INK if part.style in ("ink", "paper", "line", "hatch") else colour
    fill: Any = {"face": tint, "paper": "white", "ink": INK}.get(part.style, "none")
    look: dict[str, Any] = {"edgecolor": ink, "facecolor": fill, "zorder": z}
    look["linewidth"] = _LINE_WIDTH.get(part.style, 1.0)
    xy = _placed(part.points, pose, k)
    if part.radius > 0.0:
        ax.add_patch(Circle(tuple(xy[0]), k * part.radius, **look))
    elif part.style == "bar":
        _draw_bar(ax, xy, part.closed, k * BAR * u, colour, tint, z)
    else:
        vertices = np.vstack((xy, xy[:1])) if part.closed else xy
        ax.add_patch(PathPatch(Path(vertices, closed=part.closed), joinstyle="round", capstyle="round", **look))


def _draw_bar(ax: Axes, xy: Array, closed: bool, half: float, colour: str, tint: tuple[float, ...], z: float) -> None:
    """A rounded bar in data units: the outline of all points within ``half`` of the path."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    outlines = [_capsule(a, b, half) for a, b in pairwise(xy)] or [_capsule(xy[0], xy[0], half)]
    if closed:
        outlines += [_capsule(xy[-1], xy[0], half), np.vstack((xy, xy[:1]))]
    for width, face, level in ((1.4, colour, z), (0.0, tint, z + 0.005)):  # all rims first, then all faces
        for outline in outlines:
            look = {"facecolor": face, "edgecolor": colour, "linewidth": 2 * width, "zorder": level}
            ax.add_patch(PathPatch(Path(outline, closed=True), **look))


def _capsule(a: Array, b: Array, half: float) -> Array:
    along = np.arctan2(b[1] - a[1], b[0] - a[0])
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 17) + along
    end = half * np.column_stack((np.cos(angles), np.sin(angles)))
    return np.vstack((b + end, a - end, (b + end)[:1]))


def _draw_labels(ax: Axes, scene: Scene, frame: int) -> None:
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.5, foreground="white")]
    k = scene.length_factor
    for mark in scene.marks:
        if mark.label:
            at = k * to_global(scene.bodies[mark.body].poses[frame][None, :], mark.position)[0]
            text = ax.annotate(mark.label, at, (6, 6), textcoords="offset points", fontsize=9, color=INK, zorder=10)
            text.set(parse_math=False, path_effects=halo)
    for i, body in enumerate(scene.bodies):
        found = scene.anchor(i)
        if found is None:
            continue
        point, direction = found
        at = k * to_global(body.poses[frame][None, :], point)[0]
        side = -0.5 * np.pi if direction is None else body.poses[frame, 2] + direction + 0.5 * np.pi
        reach = 28 if direction is None else 14  # clear of a support, or of the bar by half the text
        offset = ((10 + 2 * len(body.name)) * np.cos(side), reach * np.sin(side))
        text = ax.annotate(body.name, at, offset, textcoords="offset points", fontsize=8, zorder=10)
        text.set(ha="center", va="center", parse_math=False, path_effects=halo, color=GROUND, style="italic")
