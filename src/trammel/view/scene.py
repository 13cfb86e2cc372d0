"""What a picture is made of, and nothing else.

A :class:`Scene` is plain data in SI units: bodies with shapes in their own coordinates, one pose per frame, joint
marks, traced paths and massless rods. The drawers (:mod:`.animation`, :mod:`.drawing`) know scenes only, never models
or results. The second half turns shapes and joint marks into a few drawable parts, once for both drawers: lengths in
SI, points in the coordinates of the body, ``u`` the radius of a pin. A new mark is one function in ``_MARKS``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ModelError

Point = tuple[float, float]
Array = NDArray[np.float64]

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C2E")
"""Body and trace colours: Okabe and Ito's colour-blind-safe set, with an olive for yellow, which is lost on white."""


@dataclass(frozen=True)
class Shape:
    """A piece of a body's drawing, fixed in the body.

    Attributes:
        kind: ``polygon`` (closed, filled), ``polyline`` (open), ``circle`` (a line) or ``disc`` (filled).
        points: Vertices, or the one centre of a circle or disc, in body coordinates [m].
        radius: Radius of a circle or disc [m].
        role: ``outline`` a plain outline (an open one on the ground is hatched on its right-hand side), ``link`` a
            rounded bar or plate through the points, ``curve`` a working profile such as a cam, ``gear`` a pitch circle
            with a spoke that shows its rotation.
    """

    kind: Literal["polygon", "polyline", "circle", "disc"]
    points: tuple[Point, ...]
    radius: float = 0.0
    role: Literal["outline", "link", "curve", "gear"] = "outline"

    def __post_init__(self) -> None:
        round_kind = self.kind in ("circle", "disc")
        if not self.points or (round_kind and len(self.points) != 1):
            need = "exactly one point, its centre" if round_kind else "at least one point"
            raise ModelError(f"shape '{self.kind}' has {len(self.points)} points and needs {need}.")
        if not (np.isfinite(self.points).all() and 0.0 <= self.radius < math.inf):
            raise ModelError(f"shape '{self.kind}' has a point or radius that is not a finite length.")


@dataclass(frozen=True)
class Mark:
    """A joint symbol carried by a body.

    Attributes:
        kind: Which symbol.
        body: Index of the carrying body in ``Scene.bodies``.
        position: Centre of the symbol in body coordinates [m].
        angle: Direction of the symbol's x axis (sliding or rack direction) in the body [rad].
        label: Text beside the symbol; empty for none.
        size: Length of a slider block, slot or rack [m]; None for the standard symbol.
    """

    kind: Literal["pin", "fixed-pin", "slider", "pin-on-line", "weld", "rack", "point"]
    body: int
    position: Point
    angle: float = 0.0
    label: str = ""
    size: float | None = None

    def __post_init__(self) -> None:
        size = 1.0 if self.size is None else self.size
        if not (np.isfinite((*self.position, self.angle)).all() and 0.0 < size < math.inf):
            name = self.label or self.kind
            raise ModelError(f"mark '{name}': position and angle must be finite, size positive (or None); got {self}.")


@dataclass(frozen=True, eq=False)
class SceneBody:
    """A named body: what it looks like and where it is.

    Attributes:
        name: Name shown beside the body.
        shapes: Its drawing, in body coordinates.
        poses: x [m], y [m], phi [rad] of the body frame, shape (n_frames, 3).
        is_ground: Drawn in grey, without a name.
    """

    name: str
    shapes: tuple[Shape, ...]
    poses: Array
    is_ground: bool = False


@dataclass(frozen=True, eq=False)
class Trace:
    """The path of a point: ``xy`` [m], shape (n_frames, 2)."""

    name: str
    xy: Array


@dataclass(frozen=True)
class Rod:
    """A massless link from a point of body ``body_i`` to one of ``body_j`` (indices; points in body axes [m])."""

    body_i: int
    point_i: Point
    body_j: int
    point_j: Point
    label: str = ""


@dataclass(frozen=True, eq=False)
class Scene:
    """A mechanism over time, ready to draw.

    Attributes:
        title: Heading of the picture.
        times: Time of each frame [s], never decreasing, shape (n_frames,).
        bodies, marks, traces, rods: What is drawn.
        length_unit: Unit shown to the reader.
        length_factor: Shown value = SI value x factor (1000 for mm).
    """

    title: str
    times: Array
    bodies: tuple[SceneBody, ...]
    marks: tuple[Mark, ...] = ()
    traces: tuple[Trace, ...] = ()
    rods: tuple[Rod, ...] = ()
    length_unit: str = "m"
    length_factor: float = 1.0

    def __post_init__(self) -> None:
        times = np.asarray(self.times)
        n = len(times)
        if times.ndim != 1 or n == 0 or not np.isfinite(times).all() or (np.diff(times) < 0).any():
            raise ModelError(f"scene '{self.title}': times must be one or more finite numbers that never decrease.")
        if not 0.0 < self.length_factor < math.inf:
            raise ModelError(f"scene '{self.title}': length_factor is {self.length_factor}, must be positive.")
        for body in self.bodies:
            check_series(f"poses of body '{body.name}'", body.poses, (n, 3))
        for trace in self.traces:
            check_series(f"trace '{trace.name}'", trace.xy, (n, 2))
        for mark in self.marks:
            self._check_body(f"mark '{mark.label or mark.kind}'", mark.body)
        for rod in self.rods:
            self._check_body(f"rod '{rod.label}'", rod.body_i)
            self._check_body(f"rod '{rod.label}'", rod.body_j)
            if not np.isfinite((rod.point_i, rod.point_j)).all():
                raise ModelError(f"scene '{self.title}': rod '{rod.label}' has an end point that is not finite.")

    def _check_body(self, what: str, index: int) -> None:
        if not 0 <= index < len(self.bodies):
            last = len(self.bodies) - 1
            raise ModelError(f"{what} is on body {index}, but scene '{self.title}' has bodies 0 to {last}.")

    def colour(self, body: int) -> str:
        """Palette colour of a body; the ground has none and does not use one up."""
        return PALETTE[sum(not b.is_ground for b in self.bodies[:body]) % len(PALETTE)]

    def trace_colour(self, trace: int) -> str:
        """Palette colour of a trace, taken from the other end of the palette than the bodies."""
        return PALETTE[(3 + trace) % len(PALETTE)]

    def anchor(self, body: int) -> tuple[Point, float | None] | None:
        """Where a body's name goes, in its coordinates: a point, and the direction [rad] of the link it is beside."""
        it = self.bodies[body]
        points = next((s.points for s in it.shapes if s.role == "link"), it.shapes[0].points if it.shapes else ())
        points = points or tuple(m.position for m in self.marks if m.body == body)[:1]
        if it.is_ground or not it.name or not points:
            return None
        x, y = np.mean(points, axis=0).tolist()
        straight = len(points) == 2
        return (x, y), math.atan2(points[1][1] - points[0][1], points[1][0] - points[0][0]) if straight else None

    def bounds(self) -> tuple[float, float, float, float]:
        """Box around everything at all frames: x_min, y_min, x_max, y_max [m].

        Never empty: a flat motion gets a fifth of its length as height, a single point one display unit around it.
        """
        low, high = np.full(2, np.inf), np.full(2, -np.inf)

        def include(xy: Array, radius: float = 0.0) -> None:
            np.minimum(low, xy.min(axis=0) - radius, out=low)
            np.maximum(high, xy.max(axis=0) + radius, out=high)

        for body in self.bodies:
            for shape in body.shapes:
                for point in shape.points:  # one point over all frames at a time keeps long runs small in memory
                    include(to_global(body.poses, point), shape.radius)
        for mark in self.marks:
            include(to_global(self.bodies[mark.body].poses, mark.position))
        for rod in self.rods:
            include(to_global(self.bodies[rod.body_i].poses, rod.point_i))
            include(to_global(self.bodies[rod.body_j].poses, rod.point_j))
        for trace in self.traces:
            include(np.asarray(trace.xy, dtype=float))
        if not np.isfinite(low).all():
            low, high = np.zeros(2), np.zeros(2)
        extent = high - low
        largest = float(extent.max())
        unit = max(1.0 / self.length_factor, 1e-9 * float(np.abs(low).max()))
        least = 0.2 * largest if largest > 0.0 else unit
        grow = 0.5 * np.maximum(least - extent, 0.0)
        low, high = low - grow, high + grow
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def symbol_size(self) -> float:
        """Radius of a pin symbol [m]: a share of the typical link, within limits set by the whole picture."""
        x0, y0, x1, y1 = self.bounds()
        extent = max(x1 - x0, y1 - y0)
        lengths = [
            math.dist(a, b)
            for body in self.bodies
            for shape in body.shapes
            if shape.role == "link"
            for a, b in pairwise(shape.points)
        ]
        typical = float(np.median(lengths)) if lengths else extent
        return min(max(0.06 * typical, 0.005 * extent), 0.0105 * extent)


def to_global(poses: Array, point: Point) -> Array:
    """Global positions of a body-fixed point [m]; poses (n, 3) gives shape (n, 2)."""
    x, y, phi = np.asarray(poses, dtype=float).T
    c, s = np.cos(phi), np.sin(phi)
    return np.column_stack((x + c * point[0] - s * point[1], y + s * point[0] + c * point[1]))


def check_series(what: str, values: Array, shape: tuple[int, int]) -> None:
    if np.shape(values) != shape:
        raise ModelError(f"{what} has shape {np.shape(values)}, must be {shape}: one row per time.")
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise ModelError(f"{what} is not finite at frame {row}; cut the scene off before it.")


# ---- drawable parts -------------------------------------------------------------------------------------------------

BAR = 1.25
"""Half width of a link bar, in pin radii."""

Style = Literal["bar", "face", "edge", "fine", "ink", "paper", "line", "hatch"]


@dataclass(frozen=True)
class Part:
    """One path or circle in one style.

    Attributes:
        style: In the body colour: ``bar`` rounded bar or plate, ``face`` tinted area with an edge, ``edge`` line,
            ``fine`` thin line. In ink: ``ink`` filled, ``paper`` filled with the background and outlined, ``line``
            line, ``hatch`` thin line.
        points: Vertices, or the centre when ``radius`` is set [m].
        closed: Whether the path returns to its first point.
        radius: Radius of a circle [m]; 0 for a path.
        under: Drawn below all bodies (supports, guides) instead of above them (pins).
    """

    style: Style
    points: tuple[Point, ...]
    closed: bool = False
    radius: float = 0.0
    under: bool = False


def shape_parts(shape: Shape, u: float, *, on_ground: bool) -> list[Part]:
    """Parts of a body shape."""
    points = shape.points
    if shape.role == "gear" and shape.radius > 0.0:
        return _gear(points[0], shape.radius, u)
    if shape.kind in ("circle", "disc"):
        style: Style = "face" if shape.kind == "disc" else "edge"
        return [Part(style, points, radius=shape.radius)] if shape.radius > 0.0 else []
    closed = shape.kind == "polygon"
    if shape.role == "link":
        return [Part("bar", points, closed)]
    if closed:
        return [Part("face", points, True)]
    if on_ground and shape.role == "outline":
        return [Part("line", points, under=True), *_hatch(points, u)]
    return [Part("edge", points)]


def mark_parts(mark: Mark, u: float) -> list[Part]:
    """Parts of a joint mark, in the coordinates of its body."""
    c, s = math.cos(mark.angle), math.sin(mark.angle)
    x0, y0 = mark.position
    length = None if mark.size is None else mark.size / u  # drawn lengths are in pin radii
    placed = []
    for part in _MARKS[mark.kind](length):
        points = tuple((x0 + u * (c * x - s * y), y0 + u * (s * x + c * y)) for x, y in part.points)
        placed.append(Part(part.style, points, part.closed, part.radius * u, part.under))
    return placed


def _gear(centre: Point, radius: float, u: float) -> list[Part]:
    x, y = centre
    hub = min(1.9 * u, 0.3 * radius)
    ticks = []
    for i in range(1, 12):
        c, s = math.cos(i * math.pi / 6), math.sin(i * math.pi / 6)
        ticks.append(Part("fine", tuple((x + f * radius * c, y + f * radius * s) for f in (0.92, 1.0))))
    spoke = Part("edge", ((x + hub, y), (x + radius, y)))
    hub_circle = Part("edge", (centre,), radius=hub)
    return [Part("face", (centre,), radius=radius), *ticks, spoke, hub_circle]


def _hatch(points: tuple[Point, ...], u: float, depth: float = 1.2) -> Iterator[Part]:
    """Short strokes on the right-hand side of a line, as under a fixed support."""
    for (xa, ya), (xb, yb) in pairwise(points):
        length = math.hypot(xb - xa, yb - ya)
        if length == 0.0:
            continue
        tx, ty = (xb - xa) / length, (yb - ya) / length
        n = max(1, min(400, round(length / (0.95 * u))))
        for i in range(n):
            at = (i + 0.75) * length / n
            x, y = xa + at * tx, ya + at * ty
            back = depth * u * 0.7
            yield Part("hatch", ((x, y), (x - back * tx + back * ty, y - back * ty - back * tx)), under=True)


def _box(half_x: float, half_y: float) -> tuple[Point, ...]:
    return ((-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y))


_PIN = Part("paper", ((0.0, 0.0),), radius=1.0)


def _pin(_: float | None) -> list[Part]:
    return [_PIN]


def _fixed_pin(_: float | None) -> list[Part]:
    base = ((-2.6, -3.3), (2.6, -3.3))
    stand = Part("paper", ((0.0, 0.4), (1.75, -3.3), (-1.75, -3.3)), True, under=True)
    dot = Part("ink", ((0.0, 0.0),), radius=0.3)
    return [stand, Part("line", base, under=True), *_hatch(base, 1.0), _PIN, dot]


def _slider(length: float | None) -> list[Part]:
    half = 3.2 if length is None else 0.5 * length
    return [Part("face", _box(half, min(1.9, max(0.8 * half, 0.5))), True, under=True)]


def _pin_on_line(length: float | None) -> list[Part]:
    half = 3.6 if length is None else 0.5 * length
    end = [(math.cos(a), math.sin(a)) for a in np.linspace(-0.5 * math.pi, 0.5 * math.pi, 9)]
    right = [(half + 1.45 * c, 1.45 * s) for c, s in end]
    slot = tuple(right + [(-x, -y) for x, y in right])
    return [Part("paper", slot, True, under=True), _PIN]


def _weld(_: float | None) -> list[Part]:
    return [Part("ink", _box(0.85, 0.85), True)]


def _rack(length: float | None) -> list[Part]:
    half = 8.0 if length is None else 0.5 * length
    n = max(2, min(400, round(half / 0.8)))
    pitch = 2.0 * half / n
    tip, depth = 0.22 * pitch, min(1.0, 0.6 * pitch)
    teeth: list[Point] = []
    for i in range(n):  # the pitch line of the rack is y = 0
        x = -half + i * pitch
        teeth += [(x, -depth), (x + tip, depth), (x + 0.5 * pitch, depth), (x + 0.5 * pitch + tip, -depth)]
    return [Part("face", ((-half, -2.6), *teeth, (half, -depth), (half, -2.6)), True, under=True)]


def _point(_: float | None) -> list[Part]:
    cross = [Part("line", ((-1.5, 0.0), (1.5, 0.0))), Part("line", ((0.0, -1.5), (0.0, 1.5)))]
    return [*cross, Part("ink", ((0.0, 0.0),), radius=0.55)]


_MARKS: dict[str, Callable[[float | None], list[Part]]] = {
    "pin": _pin,
    "fixed-pin": _fixed_pin,
    "slider": _slider,
    "pin-on-line": _pin_on_line,
    "weld": _weld,
    "rack": _rack,
    "point": _point,
}
