"""A spatial mechanism at one instant, drawn with matplotlib.

Everything solid goes into one collection of small triangles, because matplotlib sorts the faces of a collection by
depth but not one collection against another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from pytrammel._util.colors import rgb
from pytrammel.view.figure import new_figure, settled
from pytrammel.view.scene.planar import Array
from pytrammel.view.scene.spatial import ArrowKind, SpaceScene, rotation_matrices
from pytrammel.view.scene.spatial_parts import (
    Part3,
    arrow_parts,
    mark_parts,
    rod_parts,
    shape_parts,
    spiral_part,
    triangles,
)
from pytrammel.view.stills.labels import Box, Places, free_place, room_for
from pytrammel.view.stills.planar import FAINT, ghost_frames, plain_label
from pytrammel.view.stills.space_outlines import outlines
from pytrammel.view.theme import current

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d.axes3d import Axes3D  # type: ignore[import-untyped]

ARROW_LENGTH = 0.18
"""Length of the longest arrow, as a share of the picture."""
_FINENESS = 0.05
"""Longest edge of a triangle, as a share of the picture: long ones would be sorted wrongly."""


def draw_space(
    scene: SpaceScene,
    ax: Axes3D | None = None,
    frame: int = 0,
    view: tuple[float, float] = (25.0, -50.0),
    *,
    ghosts: int = 0,
    traces: bool = True,
    labels: bool = True,
    arrows: bool | Collection[str] = True,
    frames: bool = False,
    places: Places | None = None,
) -> Axes3D:
    """Draw the mechanism at one frame, in display units and equal aspect.

    Args:
        scene: What to draw; it must have frames.
        ax: Where to draw, axes made with ``projection="3d"``; None makes a figure of its own.
        frame: Index of the frame; negative counts from the end.
        view: Elevation and azimuth of the eye, as matplotlib counts them [deg].
        ghosts: Number of further positions, spread evenly over the motion, shown as thin outlines behind.
        traces: Whether to draw the traced paths.
        labels: Whether to write the names of bodies and joints.
        arrows: Whether to draw forces and moments, or which kinds of arrows.
        frames: Whether to draw the frames of the bodies: x red, y green, z blue.
        places: Where labels were in the last frame of a film, and are now.

    Returns:
        The axes drawn on.
    """
    scene.need_frames()
    n = len(scene.times)
    if not -n <= frame < n:
        raise IndexError(f"frame {frame} does not exist: scene '{scene.title}' has frames 0 to {n - 1}.")
    ax = new_figure(8.0, 6.5).add_subplot(projection="3d") if ax is None else ax
    ax.computed_zorder = False
    right, upward, towards = _frame_axes(ax, scene, view)
    for ghost in ghost_frames(n, ghosts):
        _draw_ghost(ax, scene, ghost, towards)
    _draw_solids(ax, scene, frame, np.array([right, upward, towards]), arrows=arrows)
    k = scene.length_factor
    for i, trace in enumerate(scene.traces if traces else ()):
        x, y, z = k * scene.trace_points(i).T
        ax.plot(x, y, z, color=current().line(scene.trace_colour(i)), lw=1.8, zorder=3, label=plain_label(trace.name))
    if frames:
        _draw_frames(ax, scene, frame)
    if labels:
        _draw_labels(ax, scene, frame, right, upward, _chosen(arrows), {} if places is None else places)
    if scene.traces and traces:
        legend = ax.legend(loc="upper right", fontsize=8, framealpha=0.9)
        for text in legend.get_texts():
            text.set_parse_math(False)
    return ax


def arrow_scales(scene: SpaceScene) -> dict[str, float]:
    """Drawn length per unit of force and of moment [m/N, m/(N m)], each longest one a fixed share of the picture."""
    low, high = scene.bounds()
    reach = ARROW_LENGTH * float((high - low).max())
    longest = dict.fromkeys(get_args(ArrowKind), 0.0)
    for arrow in scene.arrows:
        longest[arrow.kind] = max(longest[arrow.kind], float(np.linalg.norm(arrow.vector, axis=1).max()))
    return {kind: reach / value if value > 0.0 else 0.0 for kind, value in longest.items()}


def _chosen(arrows: bool | Collection[str]) -> Collection[str]:
    return (("force", "moment") if arrows else ()) if isinstance(arrows, bool) else arrows


def solids(
    scene: SpaceScene, frame: int, *, arrows: bool | Collection[str] = True
) -> Iterator[tuple[Part3, str, float]]:
    """Everything solid at one frame as parts in global coordinates [m], each with its colour and opacity."""
    u = scene.symbol_size()
    for i, body in enumerate(scene.bodies):
        turn, origin = rotation_matrices(body.parameters[frame][None, :])[0], body.positions[frame]
        parts = [(part, 1.0) for shape in body.shapes for part in shape_parts(shape, u)]
        marks = [(mark, _opacity(mark.active, frame)) for mark in scene.marks if mark.body == i]
        parts += [(part, alpha) for mark, alpha in marks for part in mark_parts(mark, u)]
        for part, alpha in parts:
            colour = part_colour(part, scene.colour(i))
            yield Part3(part.kind, origin + part.points @ turn.T, part.radii, part.sides, part.faces), colour, alpha
    for spiral in scene.spirals:
        it = scene.bodies[spiral.body]
        turn, origin = rotation_matrices(it.parameters[frame][None, :])[0], it.positions[frame]
        wire = spiral_part(spiral, frame, u)
        yield Part3("line", origin + wire.points @ turn.T), part_colour(wire), _opacity(spiral.active, frame)
    for rod in scene.rods:
        ends = (
            scene.global_points(rod.body_i, rod.point_i)[frame],
            scene.global_points(rod.body_j, rod.point_j)[frame],
        )
        for part in rod_parts(rod.kind, *ends, u):
            yield part, part_colour(part), _opacity(rod.active, frame)
    scales = arrow_scales(scene)
    for arrow in (a for a in scene.arrows if a.kind in _chosen(arrows)):
        vector = scales[arrow.kind] * np.asarray(arrow.vector[frame])
        for part in arrow_parts(arrow.origin[frame], vector, u, heads=2 if arrow.kind == "moment" else 1):
            yield part, current().arrow(arrow.kind), 1.0


def part_colour(part: Part3, own: str = "") -> str:
    """Colour of a part in the active theme; ``own`` is the colour of its body."""
    theme = current()
    if part.style == "body":
        return own
    return theme.metal(part.role, dark=part.style == "ink")


def _opacity(active: tuple[bool, ...] | None, frame: int) -> float:
    return 1.0 if active is None or active[frame] else FAINT


def _draw_ghost(ax: Axes3D, scene: SpaceScene, frame: int, towards: Array) -> None:
    """Another position as thin outlines: solids on top of each other would hide everything."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection  # type: ignore[import-untyped]

    for i, body in enumerate(scene.bodies):
        turn, origin = rotation_matrices(body.parameters[frame][None, :])[0], body.positions[frame]
        lines = [] if body.is_ground else [line for shape in body.shapes for line in outlines(shape, turn.T @ towards)]
        if lines:
            placed = [scene.length_factor * (origin + line @ turn.T) for line in lines]
            look = {"colors": current().line(scene.colour(i)), "linewidths": 1.0, "alpha": 0.4, "zorder": 1}
            ax.add_collection3d(Line3DCollection(placed, **look), autolim=False)


def _draw_solids(ax: Axes3D, scene: SpaceScene, frame: int, eye: Array, *, arrows: bool | Collection[str]) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    k, u = scene.length_factor, scene.symbol_size()
    low, high = scene.bounds()
    limit = _FINENESS * float((high - low).max())
    faces: list[Array] = []
    colours: list[Array] = []
    for part, colour, alpha in solids(scene, frame, arrows=arrows):
        corners = _subdivided(np.vstack([triangles(p) for p in _thickened(part, 0.25 * u)]), limit)
        if alpha < 1.0:  # one layer: what faces away would show through
            corners = corners[np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) @ eye[2] > 0.0]
        faces.append(k * corners)
        shade = np.outer(_light(corners, eye), rgb(colour)).clip(0.0, 1.0)
        colours.append(np.column_stack((shade, np.full(len(shade), alpha))))
    if not faces:
        return
    shades = np.vstack(colours)
    edges = np.where(shades[:, 3:] < 1.0, 0.0, shades)  # they would darken what is faint
    look = {"facecolors": shades, "edgecolors": edges, "linewidths": 0.25, "zorder": 2, "zsort": "average"}
    ax.add_collection3d(Poly3DCollection(np.vstack(faces), **look), autolim=False)


def _thickened(part: Part3, radius: float) -> list[Part3]:
    """A line as a chain of thin tubes, so that it is sorted among the triangles; anything else as it is."""
    if part.kind != "line":
        return [part]
    steps = [np.array(pair) for pair in pairwise(part.points) if (pair[0] != pair[1]).any()]
    return [Part3("tube", ends, (radius, radius), 5) for ends in steps] or [
        Part3("sphere", part.points[:1], (radius,) * 2)
    ]


def _subdivided(corners: Array, limit: float) -> Array:
    """Triangles cut at the middle of their longest edge until none is longer than ``limit``."""
    done = []
    while len(corners):
        edges = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
        long = edges.max(axis=1) > limit
        done.append(corners[~long])
        rest, first = corners[long], edges[long].argmax(axis=1)
        rows = np.arange(len(rest))
        a, b, c = (rest[rows, (first + i) % 3] for i in range(3))
        middle = 0.5 * (a + b)
        corners = np.concatenate((np.stack((a, middle, c), axis=1), np.stack((middle, b, c), axis=1)))
    return np.concatenate(done) if done else np.zeros((0, 3, 3))


def _light(corners: Array, eye: Array) -> Array:
    """Brightness of triangles, lit from above the left shoulder of the viewer; both sides alike."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) @ eye.T
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    normals *= np.where(normals[:, 2:] < 0.0, -1.0, 1.0)
    key = np.array([-0.4, 0.6, 0.75]) / np.linalg.norm([-0.4, 0.6, 0.75])
    brightness: Array = 0.58 + 0.5 * (normals @ key).clip(0.0)
    return brightness


def _frame_axes(ax: Axes3D, scene: SpaceScene, view: tuple[float, float]) -> tuple[Array, Array, Array]:
    """Set limits, view and looks; return the directions right, up and towards the viewer."""
    k = scene.length_factor
    low, high = scene.bounds()
    margin = 0.04 * float((high - low).max())
    limits = k * np.array([low - margin, high + margin])
    ax.set(xlim=limits[:, 0], ylim=limits[:, 1], zlim=limits[:, 2])
    ax.set_box_aspect(limits[1] - limits[0], zoom=0.98)
    vertical = int(np.argmax(np.abs(scene.up)))
    upside_down = scene.up[vertical] < 0.0
    elevation, azimuth = view
    ax.view_init(elevation, azimuth, roll=180.0 if upside_down else 0.0, vertical_axis="xyz"[vertical])
    theme = current()
    for name in "xyz":
        getattr(ax, f"set_{name}label")(f"{name} [{scene.length_unit}]", parse_math=False, fontsize=9)
        pane = getattr(ax, f"{name}axis")
        pane.set_pane_color(theme.wall)
        pane.line.set_color(theme.frame)
        pane._axinfo["grid"].update(
            color=theme.space_grid, linewidth=0.6
        )  # the only way to a grid in space that keeps behind the drawing
        ax.tick_params(axis=name, labelsize=8, color=theme.frame, labelcolor=theme.soft, pad=0)
    ax.locator_params(nbins=5)
    ax.set_title(scene.title, fontsize=11, parse_math=False)
    e, a = np.radians(view)
    sign = -1.0 if upside_down else 1.0
    directions = (
        (-sign * np.sin(a), sign * np.cos(a), 0.0),
        (-sign * np.sin(e) * np.cos(a), -sign * np.sin(e) * np.sin(a), sign * np.cos(e)),
        (np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)),
    )
    right, upward, towards = (np.roll(np.array(d), vertical - 2) for d in directions)
    return right, upward, towards


def _draw_frames(ax: Axes3D, scene: SpaceScene, frame: int) -> None:
    low, high = scene.bounds()
    length, theme = 0.5 * ARROW_LENGTH * float((high - low).max()), current()
    for body in scene.bodies:
        if not body.is_ground:
            origin, turn = body.positions[frame], rotation_matrices(body.parameters[frame][None, :])[0]
            for axis, colour in zip(turn.T, (theme.x_axis, theme.y_axis, theme.z_axis), strict=True):
                x, y, z = scene.length_factor * np.array([origin, origin + length * axis]).T
                ax.plot(x, y, z, color=colour, lw=1.8, zorder=4)


def _draw_labels(
    ax: Axes3D, scene: SpaceScene, frame: int, right: Array, upward: Array, arrows: Collection[str], places: Places
) -> None:
    """Names and values where they do not cover each other as the drawing is seen; they turn with it."""
    from matplotlib.patheffects import withStroke

    k, u = scene.length_factor, scene.symbol_size()
    wanted: list[tuple[str, str, Array, dict[str, Any]]] = []
    scales = arrow_scales(scene)
    for arrow in (a for a in scene.arrows if a.kind in arrows):
        size = float(np.linalg.norm(arrow.vector[frame]))
        if size * scales[arrow.kind] > 0.01 * u:
            tip = arrow.origin[frame] + scales[arrow.kind] * arrow.vector[frame]
            key = f"{arrow.kind} of {arrow.name}"
            wanted.append(
                (
                    key,
                    f"{size:.3g} {arrow.unit}",
                    tip,
                    {"fontsize": 8, "color": current().line(current().arrow(arrow.kind))},
                )
            )
    for mark in scene.marks:
        if mark.label:
            look = {"fontsize": 9, "color": current().soft if _opacity(mark.active, frame) < 1.0 else current().ink}
            wanted.append((mark.label, mark.label, scene.global_points(mark.body, mark.position)[frame], look))
    for i, body in enumerate(scene.bodies):
        found = scene.anchor(i)
        if found is not None:
            look = {"fontsize": 8, "color": current().ground, "style": "italic"}
            wanted.append((body.name, body.name, scene.global_points(i, found[0])[frame], look))
    settled(ax)
    halo = [withStroke(linewidth=2.5, foreground=current().paper)]
    taken: list[Box] = []
    for key, words, point, look in wanted:
        x, y = _pixels(ax, k * point)
        unit = np.hypot(*np.subtract(_pixels(ax, k * (point + u * right)), (x, y)))
        text = ax.text(
            *(k * point), words, zorder=10, parse_math=False, path_effects=halo, ha="center", va="center", **look
        )
        extent = text.get_window_extent()
        room = 0.0 if key in places else room_for(int("style" in look), len(wanted))
        sizes = extent.width + 2, extent.height + 1, 1.6 * unit + 2
        free = free_place(x, y, *sizes, None, taken, first=places.get(key, 0), room=room)
        if free is None:
            text.remove()
            places.pop(key, None)
            continue
        places[key], box = free
        taken.append(box)
        dx, dy = 0.5 * (box[0] + box[2]) - x, 0.5 * (box[1] + box[3]) - y
        text.set_position_3d(k * (point + u / unit * (dx * right + dy * upward)))


def _pixels(ax: Axes3D, point: Array) -> tuple[float, float]:
    """Where a point is seen."""
    from mpl_toolkits.mplot3d.proj3d import proj_transform  # type: ignore[import-untyped]

    x, y, _ = proj_transform(*point, ax.get_proj())
    px, py = ax.transData.transform((x, y))
    return float(px), float(py)
