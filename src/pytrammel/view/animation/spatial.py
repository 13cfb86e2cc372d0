"""A spatial mechanism in motion, as one HTML file that plays in any browser without a network.

The page is the player of :mod:`.page` with the scene written into it as JSON. All lengths in the JSON are
in display units, rounded to a millionth of the picture; series that do not change are stored once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.atomic_write import write_whole
from pytrammel.view.animation.page import (
    MAX_FRAMES,
    SEEN,
    arrow_series,
    decimals,
    length_of,
    make_page,
    page_frames,
    phase_states,
    player_options,
    rounded_series,
)
from pytrammel.view.animation.series import Quantities, packed
from pytrammel.view.animation.thinning import Moving
from pytrammel.view.scene.planar import Array
from pytrammel.view.scene.spatial import SpaceScene, Trace3
from pytrammel.view.scene.spatial_parts import (
    COILS,
    ROD_ROLES,
    SPIRAL_SIZE,
    SPIRAL_UP,
    Part3,
    axes_of,
    grown,
    mark_parts,
    shape_parts,
)
from pytrammel.view.scene.symbols import spiral_sizes
from pytrammel.view.theme import ARROWS


def write_space_html(
    scene: SpaceScene,
    path: str | Path,
    *,
    quantities: Quantities | None = None,
    charts: dict[str, Any] | None = None,
    fps: float = 60.0,
    duration: float | None = None,
    width: int | None = None,
    max_frames: int = MAX_FRAMES,
) -> Path:
    """Write the animation of a spatial scene and return its path.

    Args:
        scene: What to show; it must have frames.
        path: The file to write; an existing one is replaced.
        quantities: What can be plotted beside the picture, and driven; nothing by default.
        charts: Positions for drivers that are moved by themselves, from `pytrammel.view.animation.driver_charts`; None for none.
        fps: Most redraws per second while playing [1/s].
        duration: Time one pass takes on the screen [s]; None is real time, but at least 2 s and at most 20 s.
        width: Greatest width of the page [px]; None fills the window.
        max_frames: Most frames stored. The page interpolates smoothly between frames; a long run stores those that this needs.
    """
    scene.need_frames()
    player = player_options(scene.times, fps, duration, width, max_frames)
    data = space_data(scene, max_frames=max_frames) | player
    data["quantities"] = None if quantities is None else quantities.data()
    data["charts"] = charts
    return write_whole(path, make_page(scene.title, data))


def space_decimals(scene: SpaceScene) -> int:
    """Decimals that resolve a millionth of the picture in display units."""
    low, high = scene.bounds()
    return decimals(scene.length_factor * float((high - low).max()))


def moving_in_space(scene: SpaceScene, *, linear: bool = False) -> list[Moving]:
    """All that moves in a scene, with the errors that may remain between frames; ``linear`` for places along straight lines."""
    if not len(scene.times):
        return []
    low, high = scene.bounds()
    place = SEEN * float((high - low).max())
    turns = [continuous(np.asarray(body.parameters, dtype=float)) for body in scene.bodies]
    paths = [np.asarray(trace.xyz, dtype=float) for trace in scene.traces if trace.xyz is not None]
    origins = [np.asarray(arrow.origin, dtype=float) for arrow in scene.arrows if arrow.body is None]
    places = [np.asarray(body.positions, dtype=float) for body in scene.bodies]
    return [
        *(Moving(column, place, linear) for each in (*places, *paths, *origins) for column in each.T),
        *(Moving(column, 0.5 * SEEN) for each in turns for column in each.T),  # half an angle in radians
        *arrow_series([(a.kind, np.asarray(a.vector, dtype=float)) for a in scene.arrows]),
    ]


def continuous(parameters: Array) -> Array:
    """Euler parameters with signs that do not jump, of length one."""
    turned = (parameters[1:] * parameters[:-1]).sum(axis=1) < 0.0
    signs = np.concatenate([[1.0], np.where(np.cumsum(turned) % 2, -1.0, 1.0)])[:, None]
    return np.asarray(signs * parameters / np.linalg.norm(parameters, axis=1, keepdims=True))


def space_data(scene: SpaceScene, *, max_frames: int = MAX_FRAMES) -> dict[str, Any]:
    """The scene as JSON-ready data in display units, at most ``max_frames`` frames."""
    k, u, digits = scene.length_factor, scene.symbol_size(), space_decimals(scene)
    kept, note = page_frames(scene.times, moving_in_space(scene), max_frames)

    def columns(values: ArrayLike, places: int, factor: float = 1.0) -> list[list[float]]:
        return [rounded_series(factor * v[kept], places) for v in np.asarray(values, dtype=float).T]

    bodies = []
    for i, body in enumerate(scene.bodies):
        bodies.append(
            {
                "name": body.name,
                "ground": body.is_ground,
                "colour": scene.paint(i),
                "p": columns(body.positions, digits, k),
                "e": columns(body.parameters, 6),
                "parts": [_part(part, k, digits) for shape in body.shapes for part in shape_parts(shape, u)],
                "marks": [
                    _part(part, k, digits) | phase_states(mark.active, kept)
                    for mark in scene.marks
                    if mark.body == i
                    for part in mark_parts(mark, u)
                ],
                "anchor": _anchor(scene, i, k, digits),
            }
        )
    times = np.asarray(scene.times, dtype=float)[kept]
    return {
        "kind": "space",
        "title": scene.title,
        "note": note,
        "unit": scene.length_unit,
        "up": list(scene.up),
        "pin": round(k * u, digits + 3),
        "coils": COILS,
        "forces": scene.show_arrows,
        "times": np.round(times, decimals(length_of(scene.times)) + 1).tolist(),
        "bodies": bodies,
        "labels": [
            {"text": m.label, "body": m.body, "at": _flat(m.position, k, digits)} | phase_states(m.active, kept)
            for m in scene.marks
            if m.label
        ],
        "traces": [
            {"name": trace.name, "colour": i, **_course(trace, columns, k, digits)}
            for i, trace in enumerate(scene.traces)
        ],
        "rods": [
            {
                "label": rod.label,
                "kind": rod.kind,
                "role": ROD_ROLES[rod.kind],
                "bodies": [rod.body_i, rod.body_j],
                "at": [_flat(rod.point_i, k, digits), _flat(rod.point_j, k, digits)],
            }
            | phase_states(rod.active, kept)
            for rod in scene.rods
        ],
        "spiral": {**spiral_sizes(), "share": SPIRAL_SIZE, "up": SPIRAL_UP},
        "spirals": [
            {
                "body": it.body,
                "at": _flat(it.point, k, digits),
                "axes": _flat(axes_of(it.axis, it.x_axis).T, 1.0, 6),
                "u": round(k * grown(it.size, u), digits + 3),
                "turned": rounded_series(np.asarray(it.turned, dtype=float)[kept], 4),
            }
            | phase_states(it.active, kept)
            for it in scene.spirals
        ],
        "arrows": [
            {
                "name": arrow.name,
                "unit": arrow.unit,
                "kind": arrow.kind,
                "colour": ARROWS[arrow.kind],
                "v": [packed(v[kept]) for v in np.asarray(arrow.vector, dtype=float).T],
            }
            | (
                {"o": [packed(k * v[kept]) for v in np.asarray(arrow.origin, dtype=float).T]}
                if arrow.body is None
                else {"body": arrow.body, "at": _flat(arrow.point, k, digits)}
            )
            for arrow in scene.arrows
        ],
    }


def _course(trace: Trace3, columns: Any, k: float, digits: int) -> dict[str, Any]:
    """A traced point as the body it is fixed in, or as its positions."""
    if trace.body is not None:
        return {"body": trace.body, "at": _flat(trace.point, k, digits)}
    return {"xyz": columns(trace.xyz, digits, k)}


def _flat(values: ArrayLike, k: float, digits: int) -> list[float]:
    rounded: list[float] = (np.round(k * np.asarray(values, dtype=float).ravel(), digits) + 0.0).tolist()
    return rounded


def _part(part: Part3, k: float, digits: int) -> dict[str, Any]:
    """A part as {kind, style, v: [x, y, z ...]} with r, sides or f (triangles) where it has them."""
    out: dict[str, Any] = {"kind": part.kind, "style": part.style, "v": _flat(part.points, k, digits + 1)}
    if part.kind in ("tube", "sphere"):
        out["r"] = _flat(part.radii, k, digits + 1)
    if part.role:
        out["role"] = part.role
    if part.sides:
        out["sides"] = part.sides
    if part.kind == "mesh":
        out["f"] = part.faces.ravel().tolist()
    return out


def _anchor(scene: SpaceScene, body: int, k: float, digits: int) -> list[float] | None:
    """Where the name goes: [x, y, z] of a point, or [x, y, z, dx, dy, dz] beside a link of that direction."""
    found = scene.anchor(body)
    if found is None:
        return None
    point, direction = found
    unit: Array = np.zeros(0) if direction is None else np.array(direction) / np.linalg.norm(direction)
    return _flat(point, k, digits) + _flat(unit, 1.0, 4)
