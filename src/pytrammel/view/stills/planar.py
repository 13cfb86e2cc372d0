"""A planar mechanism at one instant, drawn with matplotlib: the same symbols as the player's."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel.view.figure import new_figure
from pytrammel.view.scene.planar import MOMENTS, Array, Scene, to_global
from pytrammel.view.scene.symbols import (
    BAR,
    GROOVE,
    Part,
    mark_parts,
    place_stretched,
    shape_parts,
    spiral_points,
    stretched_gap,
    stretched_parts,
)
from pytrammel.view.stills.labels import Places, Wanted, place_labels
from pytrammel.view.theme import PART_WIDTHS, current

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAINT = 0.25
"""Opacity of what is off in the phase shown."""
ARROW = 0.17
"""Length of the longest arrow of a kind, as a share of the picture."""


def draw(
    scene: Scene,
    ax: Axes | None = None,
    frame: int = 0,
    ghosts: int = 0,
    traces: bool = True,
    labels: bool = True,
    arrows: Collection[str] = ("load", "moment"),
    places: Places | None = None,
) -> Axes:
    """Draw the mechanism at one frame, in display units and equal aspect.

    Args:
        scene: What to draw.
        ax: Where to draw; None makes a figure of its own (``ax.figure.savefig(...)`` writes it).
        frame: Index of the frame; negative counts from the end.
        ghosts: Number of further positions, spread evenly over the motion, shown faintly behind.
        traces: Whether to draw the traced paths.
        labels: Whether to write the names of bodies and joints.
        arrows: Kinds of arrows to draw with their values, as in `pytrammel.view.scene.planar.ArrowKind`.
        places: Where labels were in the last frame of a film, and are now.

    Returns:
        The axes drawn on.
    """
    n = len(scene.times)
    if not -n <= frame < n:
        raise IndexError(f"frame {frame} does not exist: scene '{scene.title}' has frames 0 to {n - 1}.")
    frame %= n
    ax = _own_axes(scene) if ax is None else ax
    k, u = scene.length_factor, scene.symbol_size()
    for ghost in ghost_frames(n, ghosts):
        _draw_ghost(ax, scene, ghost)
    for i, trace in enumerate(scene.traces if traces else ()):
        x, y = k * scene.trace_points(i).T
        colour = current().line(scene.trace_colour(i))
        ax.plot(x, y, color=colour, lw=1.6, zorder=6, label=plain_label(trace.name))
        ax.plot(x[frame], y[frame], "o", color=colour, ms=5, zorder=9)
    _draw_bodies(ax, scene, frame, u)
    _draw_rods(ax, scene, frame, u)
    _draw_marks(ax, scene, frame, u)
    values = _draw_arrows(ax, scene, frame, u, arrows)
    _draw_gravity(ax, scene)
    _frame_axes(ax, scene, u)
    if scene.traces and traces:
        legend = ax.legend(loc="best", fontsize=8, framealpha=0.9)
        for text in legend.get_texts():
            text.set_parse_math(False)
    place_labels(ax, [*values, *(_names(scene, frame, u) if labels else ())], places)
    return ax


def ghost_frames(n: int, ghosts: int) -> list[int]:
    """Frames of further positions, spread evenly over a motion of ``n`` frames."""
    if ghosts <= 0:
        return []
    inner: list[int] = np.unique(np.linspace(0, n - 1, min(ghosts, 10 * n) + 2).round().astype(int)[1:-1]).tolist()
    return inner


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
    theme = current()
    ax.grid(True, color=theme.grid, lw=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel(f"x [{scene.length_unit}]", parse_math=False)
    ax.set_ylabel(f"y [{scene.length_unit}]", parse_math=False)
    ax.set_title(scene.title, fontsize=11, parse_math=False)
    for spine in ax.spines.values():
        spine.set_color(theme.frame)
    ax.tick_params(color=theme.frame, labelsize=8)


# ---- bodies, marks and what stretches between them


def _placed(points: tuple[tuple[float, ...], ...], pose: Array, k: float) -> Array:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    xy = np.array(points, dtype=float)
    turned: Array = k * (pose[:2] + xy @ np.array([[c, s], [-s, c]]))
    return turned


def _draw_ghost(ax: Axes, scene: Scene, frame: int) -> None:
    """Another position, as a thin skeleton: filled shapes on top of each other would hide everything."""
    from matplotlib.patches import Circle

    k = scene.length_factor
    for i, body in enumerate(scene.bodies):
        for shape in () if body.is_ground else body.shapes:
            xy = _placed(shape.points, body.poses[frame], k)
            if shape.radius > 0.0:
                look = {"fill": False, "edgecolor": current().line(scene.colour(i)), "alpha": 0.4, "zorder": 2}
                ax.add_patch(Circle(tuple(xy[0]), k * shape.radius, **look))
            else:
                x, y = (np.vstack((xy, xy[:1])) if shape.kind == "polygon" else xy).T
                ax.plot(x, y, color=current().line(scene.colour(i)), lw=1.0, alpha=0.4, zorder=2)


def _draw_bodies(ax: Axes, scene: Scene, frame: int, u: float) -> None:
    for i, body in enumerate(scene.bodies):
        level = (1.5, 2.5, 4.0)[body.level] + 0.01 * i
        for shape in body.shapes:
            for part in shape_parts(shape, u, on_ground=body.is_ground):
                xy = _placed(part.points, body.poses[frame], scene.length_factor)
                _draw_part(
                    ax, part, xy, scene.length_factor * u, part.radius / u, current().line(scene.colour(i)), level
                )


def _draw_marks(ax: Axes, scene: Scene, frame: int, u: float) -> None:
    for spiral in scene.spirals:
        pose, inner = (scene.bodies[b].poses[frame] for b in (spiral.body_i, spiral.body_j))
        wire = np.array(spiral.point) + u * np.array(spiral_points(inner[2] - pose[2] - spiral.free))
        alpha = FAINT if spiral.active is not None and not spiral.active[frame] else 1.0
        xy = _placed(tuple(map(tuple, wire)), pose, scene.length_factor)
        _draw_part(ax, Part("line", (), role="spring"), xy, scene.length_factor * u, 0.0, current().ink, 7.0, alpha)
    for mark in scene.marks:
        alpha = FAINT if mark.active is not None and not mark.active[frame] else 1.0
        for part in mark_parts(mark, u):
            xy = _placed(part.points, scene.bodies[mark.body].poses[frame], scene.length_factor)
            level = 3.5 if part.under else 7.0
            _draw_part(
                ax,
                part,
                xy,
                scene.length_factor * u,
                part.radius / u,
                current().line(scene.colour(mark.body)),
                level,
                alpha,
            )


def _draw_rods(ax: Axes, scene: Scene, frame: int, u: float) -> None:
    for rod in scene.rods:
        a, b = (
            to_global(scene.bodies[body].poses[frame][None, :], at)[0].tolist()
            for body, at in ((rod.body_i, rod.point_i), (rod.body_j, rod.point_j))
        )
        alpha = FAINT if rod.active is not None and not rod.active[frame] else 1.0
        for part in stretched_parts(rod.kind):
            xy = scene.length_factor * np.array(place_stretched(part, a, b, u, rod.free))
            _draw_part(ax, part, xy, scene.length_factor * u, part.radius, current().ground, 5.0, alpha)


def _draw_part(
    ax: Axes, part: Part, xy: Array, u: float, radius: float, colour: str, z: float, alpha: float = 1.0
) -> None:
    """One part at its place; ``u`` is the radius of a pin in display units, ``radius`` counts in it."""
    from matplotlib.patches import Circle, PathPatch
    from matplotlib.path import Path

    theme = current()
    own = theme.symbol(part.role)
    ink, tint = own or theme.ink, theme.tint(colour)
    inked = {"ink": ink, "paper": ink, "line": ink, "steel": ink, "hatch": own or theme.soft, "accent": theme.accent}
    steel = theme.steel if own is None else theme.tint(own)
    fills: dict[str, Any] = {"face": tint, "paper": theme.paper, "ink": ink, "steel": steel}
    fill = fills.get(part.style, theme.accent if part.style == "accent" and part.closed else "none")
    look: dict[str, Any] = {"edgecolor": inked.get(part.style, colour), "facecolor": fill, "zorder": z, "alpha": alpha}
    look["linewidth"] = theme.line_width * PART_WIDTHS[part.style]
    if radius > 0.0:
        ax.add_patch(Circle(tuple(xy[0]), u * radius, **look))
    elif part.style == "bar":
        _draw_wide(ax, xy, part.closed, part.width * BAR * u, colour, tint, z, fill=part.closed)
    elif part.style == "groove":
        _draw_wide(ax, xy, part.closed, GROOVE * u, theme.ink, theme.paper, z, fill=False)
    else:
        vertices = np.vstack((xy, xy[:1])) if part.closed else xy
        ax.add_patch(PathPatch(Path(vertices, closed=part.closed), joinstyle="round", capstyle="round", **look))


def _draw_wide(
    ax: Axes, xy: Array, closed: bool, half: float, colour: Any, inside: Any, z: float, *, fill: bool
) -> None:
    """A rounded bar or slot in data units: the outline of all points within ``half`` of the path, rim first, then its inside."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    pairs = list(pairwise(np.vstack((xy, xy[:1])) if closed else xy)) or [(xy[0], xy[0])]
    for width, face, level in ((current().line_width * PART_WIDTHS["bar"], colour, z), (0.0, inside, z + 0.005)):
        outlines = [_capsule(a, b, half) for a, b in pairs]
        if fill:
            outlines.append(np.vstack((xy, xy[:1])) if _turns_left(xy) else np.vstack((xy[::-1], xy[-1:])))
        joined = Path.make_compound_path(*(Path(outline, closed=True) for outline in outlines))
        ax.add_patch(PathPatch(joined, facecolor=face, edgecolor=colour, linewidth=2 * width, zorder=level))


def _turns_left(xy: Array) -> bool:
    x, y = xy.T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) > 0.0


def _capsule(a: Array, b: Array, half: float) -> Array:
    along = np.arctan2(b[1] - a[1], b[0] - a[0])
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 17) + along
    end = half * np.column_stack((np.cos(angles), np.sin(angles)))
    return np.vstack((b + end, a - end, (b + end)[:1]))


# ---- arrows


def _draw_arrows(ax: Axes, scene: Scene, frame: int, u: float, kinds: Collection[str]) -> list[Wanted]:
    """Arrows of the kinds that are asked for, and their values as labels."""
    from matplotlib.patches import FancyArrowPatch

    k = scene.length_factor
    x0, y0, x1, y1 = scene.bounds()
    reach = ARROW * k * max(x1 - x0, y1 - y0)
    out = []
    for kind in dict.fromkeys(a.kind for a in scene.arrows if a.kind in kinds):
        of_kind = [(i, a) for i, a in enumerate(scene.arrows) if a.kind == kind]
        largest = max(float(np.linalg.norm(a.vector, axis=1).max()) for _, a in of_kind)
        for i, arrow in of_kind:
            value = arrow.vector[frame]
            size, colour = float(np.linalg.norm(value)), current().arrow(kind)
            if size <= 1e-9 * largest:
                continue
            o = k * scene.arrow_origin(i)[frame]
            look: dict[str, Any] = {
                "color": colour,
                "lw": 1.8,
                "zorder": 8,
                "mutation_scale": 11,
                "shrinkA": 0,
                "shrinkB": 0,
            }
            if kind in MOMENTS:
                r = 2.4 * k * u + 0.25 * reach * size / largest
                start, end = o + [0.95 * r, -0.3 * r], o + [-0.6 * r, -0.8 * r]
                ends = (start, end) if value[0] > 0.0 else (end, start)
                bend = f"arc3,rad={'' if value[0] > 0.0 else '-'}1.1"
                ax.add_patch(FancyArrowPatch(*map(tuple, ends), arrowstyle="-|>", connectionstyle=bend, **look))
                tip, shown = o + [0.0, r], float(value[0])
            else:
                tip, shown = o + reach * value / largest, size
                ax.add_patch(FancyArrowPatch(tuple(o), tuple(tip), arrowstyle="-|>", **look))
            out.append(
                Wanted(
                    f"{shown:.3g} {arrow.unit}",
                    (float(tip[0]), float(tip[1])),
                    3.0,
                    current().line(colour),
                    8.0,
                    key=f"{kind} {i}",
                )
            )
    return out


def _draw_gravity(ax: Axes, scene: Scene) -> None:
    """A small arrow in the corner that says which way masses are pulled."""
    size = float(np.hypot(*scene.gravity))
    if size == 0.0:
        return
    from matplotlib.transforms import offset_copy

    dx, dy = (9.0 * g / size for g in scene.gravity)
    corner: Any = ax.transAxes
    figure: Any = ax.figure
    tail, head, beside = (
        offset_copy(corner, figure, x=15.0 + x, y=-18.0 + y, units="points")
        for x, y in ((-dx, -dy), (dx, dy), (9.0, -3.0))
    )
    ends: dict[str, Any] = {"xycoords": head, "textcoords": tail}
    ax.annotate(
        "", (0.0, 1.0), (0.0, 1.0), arrowprops={"arrowstyle": "-|>", "color": current().soft, "lw": 1.3}, **ends
    )
    ax.text(0.0, 1.0, "g", transform=beside, fontsize=9, color=current().soft, style="italic", parse_math=False)


# ---- names


def _names(scene: Scene, frame: int, u: float) -> list[Wanted]:
    k, theme = scene.length_factor, current()
    out = []
    for mark in scene.marks:
        if mark.label:
            x, y = k * to_global(scene.bodies[mark.body].poses[frame][None, :], mark.position)[0]
            faint = mark.active is not None and not mark.active[frame]
            out.append(
                Wanted(mark.label, (float(x), float(y)), mark.gap, theme.soft if faint else theme.ink, 9.0, size=k * u)
            )
    for i, body in enumerate(scene.bodies):
        found = scene.anchor(i)
        if found is not None:
            point, direction = found
            x, y = k * to_global(body.poses[frame][None, :], point)[0]
            side = None if direction is None else float(body.poses[frame, 2] + direction + 0.5 * np.pi)
            out.append(Wanted(body.name, (float(x), float(y)), BAR, theme.ground, 8.0, True, side, k * u, minor=1))
    for rod in scene.rods:
        if rod.label:
            ends = [
                to_global(scene.bodies[b].poses[frame][None, :], p)[0]
                for b, p in ((rod.body_i, rod.point_i), (rod.body_j, rod.point_j))
            ]
            (xa, ya), (xb, yb) = ends
            side = float(np.arctan2(yb - ya, xb - xa) + 0.5 * np.pi)
            at = (float(0.5 * k * (xa + xb)), float(0.5 * k * (ya + yb)))
            out.append(Wanted(rod.label, at, stretched_gap(rod.kind), theme.ground, 8.0, True, side, k * u, minor=2))
    return out
