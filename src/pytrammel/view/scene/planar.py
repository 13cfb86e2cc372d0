"""What a picture in the plane is made of, and nothing else.

A :class:`Scene` is plain data in SI units: bodies with shapes in their own coordinates, one pose per frame, marks (pins, masses,
motors), what stretches between two points (springs, rods), traced paths and arrows. The drawers (:mod:`.animation`,
:mod:`.drawing`) know scenes only, never models or results. How each part looks is in :mod:`.symbols`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.colors import hex_color
from pytrammel.errors import ModelError
from pytrammel.view.theme import current

Point = tuple[float, float]
Array = NDArray[np.float64]

ShapeRole = Literal["outline", "link", "curve", "face", "groove", "guide", "track", "gear", "wheel", "tyre", "roller"]
ArrowKind = Literal["load", "moment", "reaction", "reaction-moment", "velocity", "acceleration"]
MOMENTS = ("moment", "reaction-moment")


@dataclass(frozen=True)
class Shape:
    """A piece of a body's drawing, fixed in the body.

    Attributes:
        kind: ``polygon`` (closed, filled), ``polyline`` (open), ``circle`` (a line) or ``disc`` (filled).
        points: Vertices, or the one centre of a circle or disc, in body coordinates [m].
        radius: Radius of a circle or disc [m].
        role: ``outline`` a plain outline (an open one on the ground is hatched on its right-hand side), ``link`` a
            rounded bar or plate through the points, ``curve`` a working profile such as a cam, ``face`` the flat face of a
            follower, ``groove`` the middle line of a slot, ``guide`` the way of a slider and ``track`` that of a wheel (the
            fixed side to the right), ``gear``, ``wheel``, ``tyre`` and ``roller`` round ones (further points are the corners
            of teeth).
        gap: Distance of a guide from the middle of its slider [m]; 0 for the standard block.
        both_sides: A guide on both sides of its slider.
        width: Of a link, as a share of the standard one: of bars that lie on each other the upper one is narrower.
    """

    kind: Literal["polygon", "polyline", "circle", "disc"]
    points: tuple[Point, ...]
    radius: float = 0.0
    role: ShapeRole = "outline"
    gap: float = 0.0
    both_sides: bool = False
    width: float = 1.0

    def __post_init__(self) -> None:
        round_kind = self.kind in ("circle", "disc")
        if not self.points or (round_kind and self.role != "gear" and len(self.points) != 1):
            need = "exactly one point, its centre" if round_kind else "at least one point"
            raise ModelError(f"shape '{self.kind}' has {len(self.points)} points and needs {need}.")
        if not (np.isfinite(self.points).all() and 0.0 <= self.radius < math.inf):
            raise ModelError(f"shape '{self.kind}' has a point or radius that is not a finite length.")


@dataclass(frozen=True)
class Mark:
    """A symbol carried by a body.

    Attributes:
        kind: Which symbol, one of `pytrammel.view.scene.symbols.mark_kinds`.
        body: Index of the carrying body in ``Scene.bodies``.
        position: Centre of the symbol in body coordinates [m].
        angle: Direction of the symbol's x axis (sliding or rack direction) in the body [rad].
        label: Text beside the symbol; empty for none.
        size: Length of a slider block or slot, diameter of a mass [m]; None for the standard symbol.
        active: Per frame, whether it acts in the phase of that frame, shape (n_frames,); None for always.
        gap: Distance of the label from the centre, in units of symbols.
    """

    kind: str
    body: int
    position: Point
    angle: float = 0.0
    label: str = ""
    size: float | None = None
    active: tuple[bool, ...] | None = None
    gap: float = 0.9

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
        is_ground: Drawn in grey unless it has a colour, without a name.
        colour: Colour given by the user; None takes the next one of the theme.
    """

    name: str
    shapes: tuple[Shape, ...]
    poses: Array
    is_ground: bool = False
    colour: str | None = None

    @property
    def level(self) -> int:
        """In which order bodies are drawn: the ground (0), plates and wheels (1), bars (2)."""
        bar = any(shape.role == "link" and shape.kind == "polyline" for shape in self.shapes)
        return 0 if self.is_ground else 2 if bar else 1


@dataclass(frozen=True, eq=False)
class Trace:
    """The path of a point.

    Attributes:
        name: Name in the list of paths.
        xy: Its positions [m], shape (n_frames, 2); None for a point fixed in a body.
        body: Index of the body the point is fixed in. Only such a point leaves a path in a live view.
        point: The point in body coordinates [m].
    """

    name: str
    xy: Array | None = None
    body: int | None = None
    point: Point = (0.0, 0.0)


@dataclass(frozen=True)
class Rod:
    """What stretches from a point of body ``body_i`` to one of ``body_j`` (indices; points in body axes [m]).

    Attributes:
        kind: One of `pytrammel.view.scene.symbols.stretched_kinds`.
        free: Length at which a rope is taut [m].
        active: Per frame, whether it acts; None for always.
    """

    body_i: int
    point_i: Point
    body_j: int
    point_j: Point
    label: str = ""
    kind: str = "rod"
    free: float = 0.0
    active: tuple[bool, ...] | None = None


@dataclass(frozen=True)
class Spiral:
    """A torsion spring: a spiral in body ``body_i`` whose inner end turns with ``body_j``, so that it winds with the angle.

    Attributes:
        body_i, body_j: Indices of the bodies.
        point: Its middle, in coordinates of ``body_i`` [m].
        free: Angle of ``body_j`` against ``body_i`` at which it is slack [rad].
        active: Per frame, whether it acts; None for always.
    """

    body_i: int
    body_j: int
    point: Point
    free: float = 0.0
    active: tuple[bool, ...] | None = None


@dataclass(frozen=True, eq=False)
class Arrow:
    """A force, velocity or acceleration over time; a moment is drawn round its point. Each kind has one scale.

    Attributes:
        name: Name in the list, e.g. "B on rocker".
        kind: What it is.
        body: Index of the body whose point it starts from.
        point: That point in body coordinates [m].
        vector: Global components, shape (n_frames, 2); of a moment (n_frames, 1), counter-clockwise.
        unit: Unit of its value.
        origin: Where it starts instead, global [m], shape (n_frames, 2); None for the point of the body.
    """

    name: str
    kind: ArrowKind
    body: int
    point: Point
    vector: Array
    unit: str
    origin: Array | None = None


@dataclass(frozen=True, eq=False)
class Scene:
    """A mechanism over time, ready to draw.

    Attributes:
        title: Heading of the picture.
        times: Time of each frame [s], never decreasing, shape (n_frames,).
        bodies, marks, traces, rods, spirals, arrows: What is drawn.
        length_unit: Unit shown to the reader.
        length_factor: Shown value = SI value x factor (1000 for mm).
        gravity: Acceleration of gravity, where masses feel it [m/s²].
    """

    title: str
    times: Array
    bodies: tuple[SceneBody, ...]
    marks: tuple[Mark, ...] = ()
    traces: tuple[Trace, ...] = ()
    rods: tuple[Rod, ...] = ()
    length_unit: str = "m"
    length_factor: float = 1.0
    arrows: tuple[Arrow, ...] = ()
    gravity: Point = (0.0, 0.0)
    spirals: tuple[Spiral, ...] = ()

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
            what = f"trace '{trace.name}'"
            if (trace.xy is None) == (trace.body is None):
                raise ModelError(f"{what} needs either positions (xy) or the body its point is fixed in.")
            if trace.xy is not None:
                check_series(what, trace.xy, (n, 2))
            else:
                self._check_body(what, trace.body or 0)
        for arrow in self.arrows:
            self._check_body(f"arrow '{arrow.name}'", arrow.body)
            check_series(f"arrow '{arrow.name}'", arrow.vector, (n, 1 if arrow.kind in MOMENTS else 2))
            if arrow.origin is not None:
                check_series(f"origin of arrow '{arrow.name}'", arrow.origin, (n, 2))
        for mark in self.marks:
            self._check_body(f"mark '{mark.label or mark.kind}'", mark.body)
        for spiral in self.spirals:
            self._check_body("a spiral", spiral.body_i)
            self._check_body("a spiral", spiral.body_j)
        for rod in self.rods:
            self._check_body(f"rod '{rod.label}'", rod.body_i)
            self._check_body(f"rod '{rod.label}'", rod.body_j)
            if not np.isfinite((rod.point_i, rod.point_j)).all():
                raise ModelError(f"scene '{self.title}': rod '{rod.label}' has an end point that is not finite.")

    def _check_body(self, what: str, index: int) -> None:
        if not 0 <= index < len(self.bodies):
            last = len(self.bodies) - 1
            raise ModelError(f"{what} is on body {index}, but scene '{self.title}' has bodies 0 to {last}.")

    def paint(self, body: int) -> str | int:
        """Colour of a body as ``#rrggbb`` where it was given, the role of the ground, or the place among the theme's body colours.

        The ground does not use a place up.
        """
        it = self.bodies[body]
        if it.colour is not None:
            return hex_color(it.colour)
        return "ground" if it.is_ground else sum(not b.is_ground for b in self.bodies[:body])

    def colour(self, body: int) -> str:
        """Colour of a body in the active theme."""
        return current().colour(self.paint(body))

    def arrow_origin(self, arrow: int) -> Array:
        """Where an arrow starts [m], shape (n_frames, 2)."""
        it = self.arrows[arrow]
        return (
            to_global(self.bodies[it.body].poses, it.point) if it.origin is None else np.asarray(it.origin, dtype=float)
        )

    def trace_points(self, trace: int) -> Array:
        """Positions of a traced point [m], shape (n_frames, 2)."""
        it = self.traces[trace]
        return (
            to_global(self.bodies[it.body].poses, it.point) if it.body is not None else np.asarray(it.xy, dtype=float)
        )

    def trace_colour(self, trace: int) -> str:
        """Colour of a trace in the active theme."""
        return current().colour(trace, "path")

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
                # one point over all frames at a time keeps long runs small in memory
                for point in shape.points[:1] if shape.radius > 0.0 else shape.points:
                    include(to_global(body.poses, point), shape.radius)
        for mark in self.marks:
            include(to_global(self.bodies[mark.body].poses, mark.position))
        for rod in self.rods:
            include(to_global(self.bodies[rod.body_i].poses, rod.point_i))
            include(to_global(self.bodies[rod.body_j].poses, rod.point_j))
        for i in range(len(self.traces)):
            include(self.trace_points(i))
        if not np.isfinite(low).all():
            low, high = np.zeros(2), np.zeros(2)
        extent = high - low
        largest = float(extent.max())
        unit = max(1.0 / self.length_factor, 1e-9 * float(np.abs(low).max()))
        least = 0.2 * largest if largest > 0.0 else unit
        grow = 0.5 * np.maximum(least - extent, 0.0)
        low, high = low - grow, high + grow
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def own_size(self) -> float:
        """Size of the machine itself at the first frame, without the way it goes and without the ground [m]."""
        places = [
            to_global(body.poses[:1], point)[0]
            for body in self.bodies
            if not body.is_ground
            for shape in body.shapes
            for point in shape.points
        ]
        places += [to_global(self.bodies[m.body].poses[:1], m.position)[0] for m in self.marks]
        reach = max((s.radius for b in self.bodies if not b.is_ground for s in b.shapes), default=0.0)
        own = float(np.ptp(np.array(places), axis=0).max()) if places else 0.0
        return max(own, 2.0 * reach)

    def symbol_size(self) -> float:
        """Radius of a pin symbol [m]: a share of the typical link, within limits set by the machine and by the whole picture."""
        x0, y0, x1, y1 = self.bounds()
        extent = max(x1 - x0, y1 - y0)
        own = min(max(1.3 * self.own_size(), 0.25 * extent), extent)
        lengths = [
            math.dist(a, b)
            for body in self.bodies
            for shape in body.shapes
            if shape.role == "link"
            for a, b in pairwise(shape.points)
        ]
        typical = float(np.median(lengths)) if lengths else own
        return min(max(0.06 * typical, 0.003 * own), 0.0125 * own)


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
