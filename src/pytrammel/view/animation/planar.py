"""A planar mechanism in motion, as one HTML file that plays in any browser without a network.

The page is the player of :mod:`.page` with the scene written into it as JSON. All lengths in the JSON are in display units, rounded
to a millionth of the picture; series that do not change are stored once.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from pytrammel.view.scene.planar import Array, Scene, Spiral
from pytrammel.view.scene.symbols import (
    BAR,
    GROOVE,
    Part,
    mark_parts,
    shape_parts,
    spiral_sizes,
    stretched_gap,
    stretched_parts,
)
from pytrammel.view.theme import ARROWS


def write_html(
    scene: Scene,
    path: str | Path,
    *,
    quantities: Quantities | None = None,
    charts: dict[str, Any] | None = None,
    fps: float = 30.0,
    duration: float | None = None,
    width: int | None = None,
    max_frames: int = MAX_FRAMES,
) -> Path:
    """Write the animation of a scene and return its path.

    Args:
        scene: What to show.
        path: The file to write; an existing one is replaced.
        quantities: What can be plotted beside the picture, and driven; nothing by default.
        charts: Positions for drivers that are moved by themselves, from `pytrammel.view.animation.driver_charts`; None for none.
        fps: Most redraws per second while playing [1/s].
        duration: Time one pass takes on the screen [s]; None is real time, but at least 2 s and at most 20 s.
        width: Greatest width of the page [px]; None fills the window.
        max_frames: Most frames stored. The page interpolates smoothly between frames; a long run stores those that this needs.
    """
    player = player_options(scene.times, fps, duration, width, max_frames)
    data = scene_data(scene, max_frames=max_frames) | player
    data["quantities"] = None if quantities is None else quantities.data()
    data["charts"] = charts
    return write_whole(path, make_page(scene.title, data))


def plane_decimals(scene: Scene) -> int:
    """Decimals that resolve a millionth of the picture in display units."""
    x0, y0, x1, y1 = scene.bounds()
    return decimals(scene.length_factor * max(x1 - x0, y1 - y0))


def scene_data(scene: Scene, *, max_frames: int = MAX_FRAMES) -> dict[str, Any]:
    """The scene as JSON-ready data in display units, at most ``max_frames`` frames."""
    k, u, digits = scene.length_factor, scene.symbol_size(), plane_decimals(scene)
    kept, note = page_frames(scene.times, _moving(scene), max_frames)
    bodies = []
    for i, body in enumerate(scene.bodies):
        x, y, phi = np.asarray(body.poses, dtype=float).T
        bodies.append(
            {
                "name": body.name,
                "ground": body.is_ground,
                "level": body.level,
                "colour": scene.paint(i),
                "x": rounded_series(k * x[kept], digits),
                "y": rounded_series(k * y[kept], digits),
                "phi": rounded_series(_unwrapped(phi)[kept], 6),
                "parts": _parts(
                    [p for shape in body.shapes for p in shape_parts(shape, u, on_ground=body.is_ground)], k, digits
                ),
                "anchor": _anchor(scene, i, k, digits),
            }
        )
    times = np.asarray(scene.times, dtype=float)[kept]
    return {
        "kind": "plane",
        "title": scene.title,
        "note": note,
        "unit": scene.length_unit,
        "box": np.round(k * np.array(scene.bounds()), digits).tolist(),
        "pin": round(k * u, digits + 3),
        "own": round(k * scene.own_size(), digits),
        "bar": BAR,
        "groove": GROOVE,
        "spiral": spiral_sizes(),
        "gravity": [float(g) for g in scene.gravity],
        "times": np.round(times, decimals(length_of(scene.times)) + 1).tolist(),
        "bodies": bodies,
        "marks": _marks(scene, u, k, digits, kept),
        "labels": [
            {"text": m.label, "body": m.body, "at": _flat((m.position,), k, digits), "gap": m.gap}
            | phase_states(m.active, kept)
            for m in scene.marks
            if m.label
        ],
        "traces": _traces(scene, k, digits, kept),
        "symbols": {kind: _template(stretched_parts(kind)) for kind in sorted({rod.kind for rod in scene.rods})},
        "rods": [
            {
                "label": rod.label,
                "kind": rod.kind,
                "bodies": [rod.body_i, rod.body_j],
                "at": [_flat((rod.point_i,), k, digits), _flat((rod.point_j,), k, digits)],
                "free": k * rod.free,
                "gap": stretched_gap(rod.kind),
            }
            | phase_states(rod.active, kept)
            for rod in scene.rods
        ],
        "spirals": [
            {
                "bodies": [it.body_i, it.body_j],
                "at": _flat((it.point,), k, digits),
                "free": _slack(scene, it, kept),
            }
            | phase_states(it.active, kept)
            for it in scene.spirals
        ],
        "arrows": _arrows(scene, k, digits, kept),
    }


def _moving(scene: Scene) -> list[Moving]:
    """All that moves in a scene, with the errors that may remain between frames."""
    x0, y0, x1, y1 = scene.bounds()
    place = SEEN * max(x1 - x0, y1 - y0)
    poses = [np.asarray(body.poses, dtype=float) for body in scene.bodies]
    turns = [Moving(_unwrapped(pose[:, 2]), SEEN) for pose in poses]
    paths = [np.asarray(trace.xy, dtype=float) for trace in scene.traces if trace.xy is not None]
    origins = [np.asarray(arrow.origin, dtype=float) for arrow in scene.arrows if arrow.origin is not None]
    places = [Moving(column, place) for each in (*poses, *paths, *origins) for column in each[:, :2].T]
    return places + turns + arrow_series([(a.kind, np.asarray(a.vector, dtype=float)) for a in scene.arrows])


def _marks(scene: Scene, u: float, k: float, digits: int, kept: NDArray[np.intp]) -> list[dict[str, Any]]:
    out = []
    for mark in scene.marks:
        parts = mark_parts(mark, u)
        out.append(
            {
                "body": mark.body,
                "mass": mark.kind in ("mass", "centroid"),
                "under": _parts([p for p in parts if p.under], k, digits),
                "over": _parts([p for p in parts if not p.under], k, digits),
            }
            | phase_states(mark.active, kept)
        )
    return out


def _traces(scene: Scene, k: float, digits: int, kept: NDArray[np.intp]) -> list[dict[str, Any]]:
    """Traced points as the body they are fixed in, or as their positions."""
    out = []
    for i, trace in enumerate(scene.traces):
        it: dict[str, Any] = {"name": trace.name, "colour": i}
        if trace.body is not None:
            it |= {"body": trace.body, "at": _flat((trace.point,), k, digits)}
        else:
            x, y = k * np.asarray(trace.xy, dtype=float)[kept].T
            it |= {"x": rounded_series(x, digits), "y": rounded_series(y, digits)}
        out.append(it)
    return out


def _arrows(scene: Scene, k: float, digits: int, kept: NDArray[np.intp]) -> list[dict[str, Any]]:
    out = []
    for arrow in scene.arrows:
        it: dict[str, Any] = {
            "name": arrow.name,
            "kind": arrow.kind,
            "unit": arrow.unit,
            "colour": ARROWS[arrow.kind],
            "v": [packed(v) for v in np.asarray(arrow.vector, dtype=float)[kept].T],
        }
        if arrow.origin is None:
            it |= {"body": arrow.body, "at": _flat((arrow.point,), k, digits)}
        else:
            it["o"] = [packed(v) for v in k * np.asarray(arrow.origin, dtype=float)[kept].T]
        out.append(it)
    return out


def _unwrapped(phi: Array) -> Array:
    """Angles that stay within one turn and jump were wrapped; undo it, or the body would spin back in one frame."""
    return np.unwrap(phi) if np.ptp(phi) <= 2.0 * math.pi + 1e-9 else phi


def _slack(scene: Scene, spiral: Spiral, kept: NDArray[np.intp]) -> float:
    """Slack angle for the angles that the page has, which may be whole turns away from those of the scene."""
    turns = [
        _unwrapped(np.asarray(scene.bodies[b].poses, dtype=float)[:, 2])[kept[0]] - scene.bodies[b].poses[kept[0], 2]
        for b in (spiral.body_i, spiral.body_j)
    ]
    return round(float(spiral.free + turns[1] - turns[0]), 6)


def _flat(points: tuple[tuple[float, ...], ...], k: float, digits: int) -> list[float]:
    values: list[float] = (np.round(k * np.array(points, dtype=float).ravel(), digits) + 0.0).tolist()
    return values


def _template(parts: list[Part]) -> list[dict[str, Any]]:
    """A stretched symbol: (share, along, across) of all its points, the last two in pin radii."""
    return [
        {"style": p.style, "closed": p.closed, "r": p.radius, "sags": p.sags, "v": _flat(p.points, 1.0, 4)} | _role(p)
        for p in parts
    ]


def _parts(parts: list[Part], k: float, digits: int) -> list[dict[str, Any]]:
    """Parts as {style, circle: [x, y, r]} or {style, closed, paths: [[x, y, x, y ...]]}; like neighbours are joined."""
    out: list[dict[str, Any]] = []
    for part in parts:
        if part.radius > 0.0:
            circle = [*_flat(part.points, k, digits), float(np.round(k * part.radius, digits + 1))]
            out.append({"style": part.style, "circle": circle} | _role(part))
            continue
        path = _flat(part.points, k, digits + 1)
        last = out[-1] if out else {}
        if (
            not part.closed
            and last.get("style") == part.style
            and last.get("closed") is False
            and last.get("role", "") == part.role
        ):
            last["paths"].append(path)
        else:
            narrow = {} if part.width == 1.0 else {"w": part.width}
            out.append({"style": part.style, "closed": part.closed, "paths": [path]} | narrow | _role(part))
    return out


def _role(part: Part) -> dict[str, str]:
    return {"role": part.role} if part.role else {}


def _anchor(scene: Scene, body: int, k: float, digits: int) -> list[float] | None:
    """Where the name goes: [x, y] of a point, or [x, y, direction] beside a link."""
    found = scene.anchor(body)
    if found is None:
        return None
    point, direction = found
    return _flat((point,), k, digits) + ([] if direction is None else [round(direction, 4)])
