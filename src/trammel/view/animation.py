"""A mechanism in motion, as one HTML file that plays in any browser without a network.

The page is the template ``animation.html`` with the scene written into it as JSON. All lengths in the JSON are in
display units, rounded to a millionth of the picture; series that do not change are stored once.
"""

from __future__ import annotations

import html
import json
import math
import re
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ModelError
from trammel.view.scene import BAR, Array, Part, Scene, mark_parts, shape_parts, to_global
from trammel.whole_file import write_whole

MAX_FRAMES = 1500


def write_html(
    scene: Scene,
    path: str | Path,
    *,
    fps: float = 30.0,
    duration: float | None = None,
    width: int | None = None,
    max_frames: int = MAX_FRAMES,
) -> Path:
    """Write the animation of a scene and return its path.

    Args:
        scene: What to show.
        path: The file to write; an existing one is replaced.
        fps: Most redraws per second while playing [1/s].
        duration: Time one pass takes on the screen [s]; None is real time, but at least 2 s and at most 20 s.
        width: Greatest width of the page [px]; None fills the window.
        max_frames: Most frames stored; longer runs are thinned evenly. The page interpolates smoothly between frames.
    """
    player = player_options(scene.times, fps, duration, width, max_frames)
    data = scene_data(scene, max_frames=max_frames) | player
    return write_whole(path, fill_page("animation.html", scene.title, data))


def player_options(
    times: Array, fps: float, duration: float | None, width: int | None, max_frames: int
) -> dict[str, float | None]:
    """What the player of a page needs to know; see :func:`write_html` for the arguments."""
    for name, value in (("fps", fps), ("duration", duration), ("width", width), ("max_frames", max_frames)):
        if value is not None and not 0.0 < value < math.inf:
            raise ModelError(f"{name} is {value}, must be positive.")
    shown = min(max(length_of(times), 2.0), 20.0) if duration is None else duration
    return {"fps": fps, "width": width, "duration": shown}


def fill_page(template: str, title: str, data: dict[str, Any], **fields: str) -> str:
    """A page template of this package with its title, its data, the shared style and any further fields in it."""
    files = resources.files("trammel.view")
    text = files.joinpath(template).read_text(encoding="utf-8")
    style = files.joinpath("player.css").read_text(encoding="utf-8").rstrip()
    fields = {"TITLE": html.escape(title), "DATA": embed_json(data), "PLAYER_CSS": style, **fields}
    return re.sub(r"\{\{([A-Z_]+)\}\}", lambda found: fields[found[1]], text)


def embed_json(data: Any) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element or start a comment."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def scene_data(scene: Scene, *, max_frames: int = MAX_FRAMES) -> dict[str, Any]:
    """The scene as JSON-ready data in display units, at most ``max_frames`` frames."""
    k, u = scene.length_factor, scene.symbol_size()
    box = k * np.array(scene.bounds())
    digits = decimals(max(box[2] - box[0], box[3] - box[1]))
    kept = kept_frames(len(scene.times), max_frames)
    bodies = []
    for i, body in enumerate(scene.bodies):
        parts = [p for shape in body.shapes for p in shape_parts(shape, u, on_ground=body.is_ground)]
        marks = [p for mark in scene.marks if mark.body == i for p in mark_parts(mark, u)]
        x, y, phi = np.asarray(body.poses, dtype=float).T
        bodies.append(
            {
                "name": body.name,
                "ground": body.is_ground,
                "colour": scene.colour(i),
                "x": rounded_series(k * x[kept], digits),
                "y": rounded_series(k * y[kept], digits),
                "phi": rounded_series(_unwrapped(phi)[kept], 6),
                "parts": _parts(parts, k, digits),
                "under": _parts([p for p in marks if p.under], k, digits),
                "over": _parts([p for p in marks if not p.under], k, digits),
                "anchor": _anchor(scene, i, k, digits),
            }
        )
    times = np.asarray(scene.times, dtype=float)[kept]
    return {
        "title": scene.title,
        "unit": scene.length_unit,
        "box": np.round(box, digits).tolist(),
        "pin": round(k * u, digits + 3),
        "bar": BAR,
        "times": np.round(times, decimals(length_of(scene.times)) + 1).tolist(),
        "bodies": bodies,
        "labels": [
            {"text": m.label, "body": m.body, "at": _flat((m.position,), k, digits)} for m in scene.marks if m.label
        ],
        "traces": [
            {
                "name": t.name,
                "colour": scene.trace_colour(i),
                "x": rounded_series(x, digits),
                "y": rounded_series(y, digits),
            }
            for i, t in enumerate(scene.traces)
            for x, y in [k * np.asarray(t.xy, dtype=float)[kept].T]
        ],
        "rods": [
            {
                "label": rod.label,
                "x": [rounded_series(k * end[kept, 0], digits) for end in ends],
                "y": [rounded_series(k * end[kept, 1], digits) for end in ends],
            }
            for rod in scene.rods
            for ends in [
                (
                    to_global(scene.bodies[rod.body_i].poses, rod.point_i),
                    to_global(scene.bodies[rod.body_j].poses, rod.point_j),
                )
            ]
        ],
    }


def kept_frames(n: int, max_frames: int) -> NDArray[np.intp]:
    """Which of ``n`` frames are stored: all, or ``max_frames`` spread evenly with both ends."""
    return np.unique(np.linspace(0, n - 1, min(n, max(max_frames, 2))).round().astype(int))


def length_of(times: Array) -> float:
    """Time from the first to the last frame [s]; 0 without frames."""
    return float(times[-1] - times[0]) if len(times) else 0.0


def decimals(size: float) -> int:
    """Decimals that resolve a millionth of ``size``; np.round takes negative ones too."""
    return 7 - math.ceil(math.log10(size)) if size > 0.0 else 6


def rounded_series(values: Array, digits: int) -> list[float]:
    """Rounded values; one only where they are all the same."""
    rounded = np.round(values, digits) + 0.0  # no negative zeros
    constant = bool((rounded == rounded[:1]).all())
    values_out: list[float] = (rounded[:1] if constant else rounded).tolist()
    return values_out


def _unwrapped(phi: Array) -> Array:
    """Angles that stay within one turn and jump were wrapped; undo it, or the body would spin back in one frame."""
    return np.unwrap(phi) if np.ptp(phi) <= 2.0 * math.pi + 1e-9 else phi


def _flat(points: tuple[tuple[float, float], ...], k: float, digits: int) -> list[float]:
    values: list[float] = (np.round(k * np.array(points, dtype=float).ravel(), digits) + 0.0).tolist()
    return values


def _parts(parts: list[Part], k: float, digits: int) -> list[dict[str, Any]]:
    """Parts as {style, circle: [x, y, r]} or {style, closed, paths: [[x, y, x, y ...]]}; like neighbours are joined."""
    out: list[dict[str, Any]] = []
    for part in parts:
        if part.radius > 0.0:
            circle = [*_flat(part.points, k, digits), float(np.round(k * part.radius, digits + 1))]
            out.append({"style": part.style, "circle": circle})
            continue
        path = _flat(part.points, k, digits + 1)
        last = out[-1] if out else {}
        if not part.closed and last.get("style") == part.style and last.get("closed") is False:
            last["paths"].append(path)
        else:
            out.append({"style": part.style, "closed": part.closed, "paths": [path]})
    return out


def _anchor(scene: Scene, body: int, k: float, digits: int) -> list[float] | None:
    """Where the name goes: [x, y] of a point, or [x, y, direction] beside a link."""
    found = scene.anchor(body)
    if found is None:
        return None
    point, direction = found
    return _flat((point,), k, digits) + ([] if direction is None else [round(direction, 4)])
