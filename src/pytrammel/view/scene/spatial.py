"""What a 3-D picture is made of, and nothing else.

A :class:`SpaceScene` is plain data in SI units, the spatial counterpart of :class:`pytrammel.view.scene.planar.Scene`: bodies
with shapes in their own coordinates, one pose per frame, joint marks, traced paths, rods and springs, and reaction
arrows. The drawers (:mod:`.space_animation`, :mod:`.space_drawing`, :mod:`.live`) know scenes only; what the shapes
and marks are built from is in :mod:`.space_parts`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.colors import checked_color, hex_color
from pytrammel.errors import ModelError
from pytrammel.view.scene.planar import Array, check_series
from pytrammel.view.theme import current

Point3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

ORIGIN: Point3 = (0.0, 0.0, 0.0)
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)

ShapeKind = Literal["box", "sphere", "cylinder", "cone", "link", "plate", "polyline", "mesh"]
MarkKind = Literal[
    "revolute", "spherical", "universal", "arm", "prismatic", "cylindrical", "screw", "planar", "fixed", "point",
    "motor", "motor-slide", "torsion", "friction-turn", "friction-slide",
    "stop-turn-low", "stop-turn-high", "stop-slide-low", "stop-slide-high", "stop-finger",
]  # fmt: skip
RodKind = Literal["rod", "spring", "damper", "bumper"]
ArrowKind = Literal["force", "moment", "velocity", "acceleration"]

_POINTS: dict[str, tuple[int, int | None]] = {
    "box": (1, 1),
    "sphere": (1, 1),
    "cylinder": (2, 2),
    "cone": (2, 2),
    "link": (2, None),
    "plate": (3, None),
    "polyline": (2, None),
    "mesh": (3, None),
}
_UNIT_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class Shape3:
    """A piece of a body's drawing, fixed in the body; make it with one of the class methods.

    Attributes:
        kind: What it is.
        points: In body coordinates [m], shape (n, 3): the centre of a box or sphere, the two ends of a cylinder, base
            and tip of a cone, the vertices of everything else.
        radius: Of a sphere, cylinder, cone base or link [m]; 0 for a link lets the drawer choose.
        tip_radius: Of the far end of a cone [m].
        size: Edge lengths of a box along its own axes [m].
        rotation: Euler parameters of a box in the body, scalar first.
        thickness: Of a plate [m], half to each side of its points.
        closed: Whether a link returns to its first point; it is then drawn with a thin web.
        triangles: Vertex indices of a mesh, shape (m, 3).
    """

    kind: ShapeKind
    points: Array
    radius: float = 0.0
    tip_radius: float = 0.0
    size: Point3 = ORIGIN
    rotation: Quaternion = UPRIGHT
    thickness: float = 0.0
    closed: bool = False
    triangles: NDArray[np.intp] = field(default_factory=lambda: np.zeros((0, 3), dtype=np.intp))

    @classmethod
    def box(cls, size: Point3, centre: Point3 = ORIGIN, rotation: Quaternion = UPRIGHT) -> Shape3:
        """Cuboid about ``centre``."""
        return cls("box", np.array([centre]), size=size, rotation=rotation)

    @classmethod
    def sphere(cls, radius: float, centre: Point3 = ORIGIN) -> Shape3:
        """Ball about ``centre``."""
        return cls("sphere", np.array([centre]), radius)

    @classmethod
    def cylinder(cls, start: Point3, end: Point3, radius: float) -> Shape3:
        """Cylinder from ``start`` to ``end``."""
        return cls("cylinder", np.array([start, end]), radius)

    @classmethod
    def cone(cls, base: Point3, tip: Point3, radius: float, tip_radius: float = 0.0) -> Shape3:
        """Cone, or the frustum of one, from the centre of its base to its tip."""
        return cls("cone", np.array([base, tip]), radius, tip_radius)

    @classmethod
    def link(cls, points: Sequence[Point3], radius: float = 0.0, *, closed: bool = False) -> Shape3:
        """Rounded bar through two or more points: a body drawn from its joints."""
        return cls("link", np.array(points, dtype=float), radius, closed=closed)

    @classmethod
    def plate(cls, points: Sequence[Point3], thickness: float = 0.0) -> Shape3:
        """Flat polygon, with or without a thickness."""
        return cls("plate", np.array(points, dtype=float), thickness=thickness)

    @classmethod
    def polyline(cls, points: ArrayLike) -> Shape3:
        """Open line through points."""
        return cls("polyline", np.array(points, dtype=float))

    @classmethod
    def mesh(cls, vertices: ArrayLike, triangles: ArrayLike) -> Shape3:
        """Surface of triangles; sharp edges stay sharp and the rest is shaded smoothly."""
        indices = np.array(triangles)
        if indices.dtype.kind not in "iu":
            raise ModelError(f"shape 'mesh' has triangles of {indices.dtype}, must be whole numbers: vertex indices.")
        return cls("mesh", np.array(vertices, dtype=float), triangles=indices.astype(np.intp))

    def __post_init__(self) -> None:
        what = f"shape '{self.kind}'"
        if self.kind not in _POINTS:
            raise ModelError(f"{what} is not known; there are {', '.join(get_args(ShapeKind))}.")
        points = np.asarray(self.points, dtype=float)
        object.__setattr__(self, "points", points)
        least, most = _POINTS[self.kind]
        if points.ndim != 2 or points.shape[1] != 3:
            raise ModelError(f"{what} has points of shape {points.shape}, must be (n, 3).")
        if len(points) < least or (most is not None and len(points) > most):
            raise ModelError(f"{what} has {len(points)} points and needs {'at least ' * (most is None)}{least}.")
        lengths = (self.radius, self.tip_radius, self.thickness, *self.size)
        if not (np.isfinite(points).all() and all(0.0 <= v < math.inf for v in lengths)):
            raise ModelError(f"{what} has a point or size that is not a finite length.")
        if self.kind in ("sphere", "cylinder", "cone") and self.radius == 0.0:
            raise ModelError(f"{what} has radius 0, must be positive.")
        if self.kind == "box" and min(self.size) <= 0.0:
            raise ModelError(f"{what} has size {self.size}, must be three positive lengths.")
        check_unit(f"rotation of {what}", np.array([self.rotation]))
        if self.kind in ("cylinder", "cone") and (points[0] == points[1]).all():
            raise ModelError(f"{what} begins and ends at the same point {tuple(points[0].tolist())}.")
        if self.kind == "mesh":
            self._check_triangles(what)

    def _check_triangles(self, what: str) -> None:
        shape = np.shape(self.triangles)
        if len(shape) != 2 or shape[1] != 3 or shape[0] == 0:
            raise ModelError(f"{what} has triangles of shape {shape}, must be (m, 3) with m at least 1.")
        if self.triangles.min() < 0 or self.triangles.max() >= len(self.points):
            worst = max(int(self.triangles.max()), -int(self.triangles.min()))
            raise ModelError(f"{what} has a triangle at vertex {worst}, but vertices 0 to {len(self.points) - 1}.")

    def extreme_points(self) -> tuple[Array, float]:
        """Points whose box, grown by the second value, holds the shape in any attitude [m]."""
        if self.kind == "box":
            corners = 0.5 * np.array(self.size) * np.array(list(product((-1.0, 1.0), repeat=3)))
            return self.points + corners @ rotation_matrices(np.array([self.rotation]))[0].T, 0.0
        if len(self.points) > 64:
            low, high = self.points.min(axis=0), self.points.max(axis=0)
            return np.array(list(product(*zip(low, high, strict=True)))), self.radius
        return self.points, max(self.radius, self.tip_radius, 0.5 * self.thickness)


@dataclass(frozen=True)
class Mark3:
    """A joint symbol carried by a body.

    Attributes:
        kind: Which symbol.
        body: Index of the carrying body in ``SpaceScene.bodies``.
        position: Centre of the symbol in body coordinates [m].
        axis: Direction in the body: of turning or sliding, the normal of a planar joint, one arm of a universal joint
            (a mark "arm" is only that one, for crosses that bend).
        label: Text beside the symbol; empty for none.
        x_axis: A second direction in the body: the other arm of a universal joint, the width of a slider; None for any.
        size: Least radius of the symbol [m], for one that stands inside a thick body; at most four times the usual one.
        active: Per frame, whether it acts in the phase of that frame; None for always.
    """

    kind: MarkKind
    body: int
    position: Point3
    axis: Point3 = (0.0, 0.0, 1.0)
    label: str = ""
    x_axis: Point3 | None = None
    size: float = 0.0
    active: tuple[bool, ...] | None = None

    def __post_init__(self) -> None:
        name = self.label or self.kind
        if self.kind not in get_args(MarkKind):
            known = ", ".join(get_args(MarkKind))
            raise ModelError(f"mark '{name}' is of kind '{self.kind}', which is not known; there are {known}.")
        if not np.isfinite(self.position).all():
            raise ModelError(f"mark '{name}' is at {self.position}, must be finite.")
        for what, axis in (("axis", self.axis), ("x_axis", self.x_axis)):
            if axis is not None:
                _check_direction(f"{what} of mark '{name}'", axis)


@dataclass(frozen=True, eq=False)
class SpaceBody:
    """A named body: what it looks like and where it is.

    Attributes:
        name: Name shown beside the body and in the list.
        shapes: Its drawing, in body coordinates.
        positions: Origin of the body frame [m], shape (n_frames, 3).
        parameters: Euler parameters of the body frame, scalar first, shape (n_frames, 4).
        is_ground: Drawn in grey unless it has a colour, without a name.
        colour: Colour given by the user, or a place among the theme's body colours; None takes the next one.
    """

    name: str
    shapes: tuple[Shape3, ...]
    positions: Array
    parameters: Array
    is_ground: bool = False
    colour: str | int | None = None

    def __post_init__(self) -> None:
        if self.colour is not None and not isinstance(self.colour, int):
            checked_color(self.colour, f"color of body {self.name!r}")


@dataclass(frozen=True, eq=False)
class Trace3:
    """The path of a point.

    Attributes:
        name: Name in the list of paths.
        xyz: Its positions [m], shape (n_frames, 3); None for a point fixed in a body.
        body: Index of the body the point is fixed in. Only such a point leaves a path in a live view.
        point: The point in body coordinates [m].
    """

    name: str
    xyz: Array | None = None
    body: int | None = None
    point: Point3 = ORIGIN


@dataclass(frozen=True)
class Rod3:
    """A massless link, spring or damper from a point of one body to a point of another.

    Attributes:
        body_i, body_j: Indices of the bodies.
        point_i, point_j: The ends, in body coordinates [m].
        label: Text beside its middle; empty for none.
        kind: ``rod``, ``spring`` (a coil that stretches), ``damper`` (a piston that slides) or ``bumper`` (buffers at both ends).
        active: Per frame, whether it acts; None for always.
    """

    body_i: int
    point_i: Point3
    body_j: int
    point_j: Point3
    label: str = ""
    kind: RodKind = "rod"
    active: tuple[bool, ...] | None = None


@dataclass(frozen=True, eq=False)
class Spiral3:
    """A torsion spring: a spiral whose outer end body ``body`` holds, and which winds as the other body turns.

    Attributes:
        body: Index of the body.
        point: Its middle, in body coordinates [m].
        axis, x_axis: Axis of turning, and the direction of the outer end from it, in the body.
        turned: Angle from where it is slack [rad], shape (n_frames,).
        size: Least radius of the symbol [m], as of marks.
        active: Per frame, whether it acts; None for always.
    """

    body: int
    point: Point3
    axis: Point3
    x_axis: Point3
    turned: Array
    size: float = 0.0
    active: tuple[bool, ...] | None = None


@dataclass(frozen=True, eq=False)
class Arrow3:
    """A force or moment over time. All forces are drawn to one scale, and all moments to another.

    Attributes:
        name: Name in the list of forces.
        origin: Where it acts [m], shape (n_frames, 3).
        vector: Its global components [N or N m], shape (n_frames, 3).
        unit: Unit shown to the reader.
        kind: A moment has two heads.
        body: Index of the body that its origin is fixed in, if it is: the page then needs no series of places.
        point: That place in body coordinates [m].
    """

    name: str
    origin: Array
    vector: Array
    unit: str = "N"
    kind: ArrowKind = "force"
    body: int | None = None
    point: Point3 = ORIGIN


@dataclass(frozen=True, eq=False)
class SpaceScene:
    """A spatial mechanism over time, ready to draw.

    Attributes:
        title: Heading of the picture.
        times: Time of each frame [s], never decreasing, shape (n_frames,). No frames at all is for a live view only.
        bodies, marks, traces, rods, spirals, arrows: What is drawn.
        length_unit: Unit shown to the reader.
        length_factor: Shown value = SI value x factor (1000 for mm).
        up: Direction that points up on the screen.
        show_arrows: Whether the page shows the arrows before its reader asks for them.
    """

    title: str
    times: Array
    bodies: tuple[SpaceBody, ...]
    marks: tuple[Mark3, ...] = ()
    traces: tuple[Trace3, ...] = ()
    rods: tuple[Rod3, ...] = ()
    arrows: tuple[Arrow3, ...] = ()
    length_unit: str = "m"
    length_factor: float = 1.0
    up: Point3 = (0.0, 0.0, 1.0)
    show_arrows: bool = True
    spirals: tuple[Spiral3, ...] = ()

    def __post_init__(self) -> None:
        times = np.asarray(self.times)
        n = len(times)
        if times.ndim != 1 or not np.isfinite(times).all() or (np.diff(times) < 0).any():
            raise ModelError(f"scene '{self.title}': times must be finite numbers that never decrease.")
        if not 0.0 < self.length_factor < math.inf:
            raise ModelError(f"scene '{self.title}': length_factor is {self.length_factor}, must be positive.")
        _check_direction(f"up of scene '{self.title}'", self.up)
        for body in self.bodies:
            check_series(f"positions of body '{body.name}'", body.positions, (n, 3))
            check_series(f"parameters of body '{body.name}'", body.parameters, (n, 4))
            check_unit(f"parameters of body '{body.name}'", body.parameters)
        for mark in self.marks:
            self._check_body(f"mark '{mark.label or mark.kind}'", mark.body)
        for trace in self.traces:
            self._check_trace(trace, n)
        for rod in self.rods:
            self._check_rod(rod)
        for spiral in self.spirals:
            self._check_body("a spiral", spiral.body)
            check_series("angle of a spiral", np.asarray(spiral.turned)[:, None], (n, 1))
        for arrow in self.arrows:
            _check_kind(f"arrow '{arrow.name}'", arrow.kind, ArrowKind)
            check_series(f"origin of arrow '{arrow.name}'", arrow.origin, (n, 3))
            check_series(f"vector of arrow '{arrow.name}'", arrow.vector, (n, 3))

    def _check_trace(self, trace: Trace3, n: int) -> None:
        what = f"trace '{trace.name}'"
        if (trace.xyz is None) == (trace.body is None):
            raise ModelError(f"{what} needs either positions (xyz) or the body its point is fixed in.")
        if trace.xyz is not None:
            check_series(what, trace.xyz, (n, 3))
        if trace.body is not None:
            self._check_body(what, trace.body)
            if not np.isfinite(trace.point).all():
                raise ModelError(f"{what} has a point {trace.point} that is not finite.")

    def _check_rod(self, rod: Rod3) -> None:
        what = f"{rod.kind} '{rod.label}'"
        _check_kind(what, rod.kind, RodKind)
        self._check_body(what, rod.body_i)
        self._check_body(what, rod.body_j)
        if not np.isfinite((rod.point_i, rod.point_j)).all():
            raise ModelError(f"scene '{self.title}': {what} has an end point that is not finite.")

    def _check_body(self, what: str, index: int) -> None:
        if not 0 <= index < len(self.bodies):
            last = len(self.bodies) - 1
            raise ModelError(f"{what} is on body {index}, but scene '{self.title}' has bodies 0 to {last}.")

    def need_frames(self) -> None:
        """Raise unless there is something to show."""
        if len(self.times) == 0:
            raise ModelError(f"scene '{self.title}' has no frames; only a live view can start without any.")

    def paint(self, body: int) -> str | int:
        """Colour of a body as ``#rrggbb`` where it was given, the role of the ground, or the place among the theme's body colours.

        The ground does not use a place up.
        """
        it = self.bodies[body]
        if it.colour is not None:
            return it.colour if isinstance(it.colour, int) else hex_color(it.colour)
        return "stone" if it.is_ground else sum(not b.is_ground for b in self.bodies[:body])

    def colour(self, body: int) -> str:
        """Colour of a body in the active theme."""
        return current().colour(self.paint(body))

    def trace_colour(self, trace: int) -> str:
        """Colour of a trace in the active theme."""
        return current().colour(trace, "path")

    @property
    def forces(self) -> tuple[Arrow3, ...]:
        """Arrows of forces and moments."""
        return tuple(arrow for arrow in self.arrows if arrow.kind in ("force", "moment"))

    def trace_points(self, trace: int) -> Array:
        """Positions of a traced point [m], shape (n_frames, 3)."""
        it = self.traces[trace]
        return self.global_points(it.body, it.point) if it.body is not None else np.asarray(it.xyz, dtype=float)

    def global_points(self, body: int, point: Point3 | Array) -> Array:
        """Global positions of a body-fixed point over all frames [m], shape (n_frames, 3)."""
        it = self.bodies[body]
        turned: Array = rotation_matrices(it.parameters) @ np.asarray(point, dtype=float)
        return np.asarray(it.positions, dtype=float) + turned

    def anchor(self, body: int) -> tuple[Point3, Point3 | None] | None:
        """Where a body's name goes, in its coordinates: a point, and the direction of the link it is beside."""
        it = self.bodies[body]
        if it.is_ground or not it.name:
            return None
        first = next((s for s in it.shapes if s.kind == "link"), it.shapes[0] if it.shapes else None)
        if first is None:
            return next((m.position for m in self.marks if m.body == body), ORIGIN), None
        if first.kind == "link" and not first.closed:
            middle = (len(first.points) - 1) // 2
            a, b = first.points[middle : middle + 2]
            return _point(0.5 * (a + b)), _point(b - a) if (a != b).any() else None
        return _point(first.points.mean(axis=0)), None

    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest x, y, z of everything at all frames [m], arrows left out.

        Never empty: a flat motion gets a tenth of its length as depth, a single point one display unit around it.
        Without frames every body is taken to stand at the origin.
        """
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for points, radius in self._extremes():
            np.minimum(low, points.min(axis=0) - radius, out=low)
            np.maximum(high, points.max(axis=0) + radius, out=high)
        if not np.isfinite(low).all():
            low, high = np.zeros(3), np.zeros(3)
        extent = high - low
        largest = float(extent.max())
        unit = max(1.0 / self.length_factor, 1e-9 * float(np.abs(low).max()))
        least = 0.1 * largest if largest > 0.0 else unit
        grow = 0.5 * np.maximum(least - extent, 0.0)
        return low - grow, high + grow

    def _extremes(self) -> Iterator[tuple[Array, float]]:
        for i, body in enumerate(self.bodies):
            for shape in body.shapes:
                points, radius = shape.extreme_points()
                for point in points:  # one point over all frames at a time keeps long runs small in memory
                    yield self._somewhere(i, point), radius
        for mark in self.marks:
            yield self._somewhere(mark.body, mark.position), 0.0
        for rod in self.rods:
            yield self._somewhere(rod.body_i, rod.point_i), 0.0
            yield self._somewhere(rod.body_j, rod.point_j), 0.0
        if len(self.times):
            for i in range(len(self.traces)):
                yield self.trace_points(i), 0.0

    def _somewhere(self, body: int, point: Point3 | Array) -> Array:
        return self.global_points(body, point) if len(self.times) else np.array([point], dtype=float)

    def symbol_size(self) -> float:
        """Radius of a joint symbol [m]: a share of the typical link, within limits set by the whole picture."""
        low, high = self.bounds()
        extent = float((high - low).max())
        shapes = [s for body in self.bodies for s in body.shapes]
        bars = [s for s in shapes if s.kind == "cylinder" and math.dist(*s.points) > 4.0 * s.radius]
        links = [s.points for s in shapes if s.kind == "link"] or [s.points for s in bars]
        lengths = [math.dist(a, b) for points in links for a, b in pairwise(points)]
        typical = float(np.median(lengths)) if lengths else extent
        return min(max(0.06 * typical, 0.006 * extent), 0.015 * extent)


def rotation_matrices(parameters: ArrayLike) -> Array:
    """Rotation matrices of Euler parameters (n, 4), scalar first; lengths near one are put right. Shape (n, 3, 3)."""
    p = np.asarray(parameters, dtype=float)
    e0, e1, e2, e3 = (p / np.linalg.norm(p, axis=1, keepdims=True)).T
    rows = [
        [1.0 - 2.0 * (e2 * e2 + e3 * e3), 2.0 * (e1 * e2 - e0 * e3), 2.0 * (e1 * e3 + e0 * e2)],
        [2.0 * (e1 * e2 + e0 * e3), 1.0 - 2.0 * (e1 * e1 + e3 * e3), 2.0 * (e2 * e3 - e0 * e1)],
        [2.0 * (e1 * e3 - e0 * e2), 2.0 * (e2 * e3 + e0 * e1), 1.0 - 2.0 * (e1 * e1 + e2 * e2)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def check_unit(what: str, parameters: Array) -> None:
    """Raise unless Euler parameters (n, 4) have length one."""
    lengths = np.linalg.norm(np.asarray(parameters, dtype=float), axis=1)
    bad = np.flatnonzero(~(np.abs(lengths - 1.0) <= _UNIT_TOLERANCE))
    if len(bad):
        where = f" at frame {bad[0]}" if len(lengths) > 1 else ""
        raise ModelError(f"{what}: the Euler parameters have length {lengths[bad[0]]:.6g}{where}, must be 1.")


def _point(values: Array) -> Point3:
    x, y, z = values.tolist()
    return x, y, z


def _check_direction(what: str, vector: Point3) -> None:
    length = float(np.linalg.norm(vector))
    if np.shape(vector) != (3,) or not 0.0 < length < math.inf:
        raise ModelError(f"{what} is {vector}, must be a direction: three finite numbers, not all zero.")


def _check_kind(what: str, kind: str, known: Any) -> None:
    if kind not in get_args(known):
        raise ModelError(f"{what} is of kind '{kind}', which is not known; there are {', '.join(get_args(known))}.")
