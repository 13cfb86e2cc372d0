"""Shapes, joint marks, rods and arrows as a few drawable parts, once for all drawers of spatial scenes.

Lengths are in SI, points in the coordinates of the body, ``u`` the radius of a joint symbol. Parts that the page
shades for itself (tubes, spheres) stay what they are; :func:`triangles` turns any part into triangles for drawers that
know nothing else. A new mark is one function in ``_MARKS``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel.view.scene.planar import Array
from pytrammel.view.scene.spatial import Mark3, Point3, RodKind, Shape3, Spiral3, rotation_matrices
from pytrammel.view.scene.symbols import SPIRAL, spiral_points

LINK = 0.85
"""Radius of a link bar, in symbol radii."""
LARGEST_MARK = 4.0
"""Most that a mark grows to be seen on a thick body."""
COILS = 8
"""Turns of a drawn spring."""

Style = Literal["body", "joint", "ink"]


@dataclass(frozen=True, eq=False)
class Part3:
    """One drawable piece.

    Attributes:
        kind: ``tube`` (closed at both ends), ``sphere``, ``mesh`` or ``line``.
        points: Two ends, a centre, or vertices [m], shape (n, 3).
        radii: Of a tube at both ends, of a sphere twice [m].
        sides: Of a tube; 0 is round.
        faces: Triangles of a mesh, shape (m, 3).
        style: ``body`` in the body colour, ``joint`` in the steel of joints, ``ink`` in the dark of their details.
        role: Role of its symbol, whose colour replaces steel and dark where the theme sets one.
    """

    kind: Literal["tube", "sphere", "mesh", "line"]
    points: Array
    radii: tuple[float, float] = (0.0, 0.0)
    sides: int = 0
    faces: NDArray[np.intp] = field(default_factory=lambda: np.zeros((0, 3), dtype=np.intp))
    style: Style = "body"
    role: str = ""


def shape_parts(shape: Shape3, u: float) -> list[Part3]:
    """Parts of a body shape."""
    points = shape.points
    if shape.kind == "box":
        return [_box(shape.size, points[0], rotation_matrices(np.array([shape.rotation]))[0])]
    if shape.kind == "sphere":
        return [_sphere(points[0], shape.radius)]
    if shape.kind in ("cylinder", "cone"):
        tip = shape.radius if shape.kind == "cylinder" else shape.tip_radius
        return [_tube(points[0], points[1], shape.radius, tip)]
    if shape.kind == "link":
        return list(_link(points, shape.radius or LINK * u, shape.closed))
    if shape.kind == "plate":
        return [_plate(points, shape.thickness)]
    if shape.kind == "polyline":
        return [Part3("line", points)]
    return [Part3("mesh", points, faces=shape.triangles)]


def mark_parts(mark: Mark3, u: float) -> list[Part3]:
    """Parts of a joint mark, in the coordinates of its body."""
    u = grown(mark.size, u)
    turn = axes_of(mark.axis, mark.x_axis)
    centre, role = np.array(mark.position, dtype=float), mark_role(mark.kind)
    return [
        replace(part, points=centre + u * part.points @ turn.T, radii=(u * part.radii[0], u * part.radii[1]), role=role)
        for part in _MARKS[mark.kind]()
    ]


def mark_role(kind: str) -> str:
    """Role of the colour of a mark."""
    if kind in ("point", "motor", "motor-slide"):
        return ""
    return {"torsion": "spring"}.get(kind, "contact" if kind.startswith(("stop", "friction")) else "joint")


ROD_ROLES: dict[str, str] = {"rod": "", "spring": "spring", "damper": "damper", "bumper": "contact"}
"""Role of the colour of what stretches between two points."""


def rod_parts(kind: RodKind, start: ArrayLike, end: ArrayLike, u: float) -> list[Part3]:
    """Parts of a rod, spring or damper between two points in any one frame [m]."""
    return [replace(part, role=ROD_ROLES[kind]) for part in _rod_parts(kind, start, end, u)]


def _rod_parts(kind: RodKind, start: ArrayLike, end: ArrayLike, u: float) -> list[Part3]:
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    if (a == b).all():
        return [_sphere(a, 0.5 * u, "joint")]
    if kind == "rod":
        return [_tube(a, b, 0.5 * u, style="joint")]
    eyes = [_sphere(a, 0.6 * u, "joint"), _sphere(b, 0.6 * u, "joint")]
    if kind == "bumper":
        d = (b - a) / np.linalg.norm(b - a)
        reach = min(2.4 * u, 0.3 * float(np.linalg.norm(b - a)))
        ends = ((a, d), (b, -d))
        return [_tube(p, p + reach * way, 1.1 * u, 0.6 * u, "ink") for p, way in ends]
    if kind == "damper":
        m = a + 0.55 * (b - a)
        return [*eyes, _tube(a, m, 1.3 * u, style="joint"), _tube(m, b, 0.45 * u, style="joint")]
    turn = axes_of(b - a)
    length = float(np.linalg.norm(b - a))
    s = np.linspace(0.0, 1.0, 24 * COILS + 1)
    angle = 2.0 * np.pi * COILS * s
    swell = 1.7 * u * np.minimum(1.0, 8.0 * np.minimum(s, 1.0 - s))  # the ends of the wire come to the axis
    coil = np.column_stack((swell * np.cos(angle), swell * np.sin(angle), length * s))
    return [*eyes, Part3("line", a + coil @ turn.T, style="joint")]


def spiral_part(spiral: Spiral3, frame: int, u: float) -> Part3:
    """The wire of a spiral at one frame, in the coordinates of its body."""
    u = grown(spiral.size, u)
    wire = np.array(spiral_points(float(spiral.turned[frame])))
    places = np.column_stack((-SPIRAL_SIZE * wire, np.full(len(wire), SPIRAL_UP)))  # the outer end is along x here
    turn = axes_of(spiral.axis, spiral.x_axis)
    return Part3("line", np.array(spiral.point) + u * places @ turn.T, style="ink", role="spring")


def grown(size: float, u: float) -> float:
    """Radius of a symbol that stands inside a body of some thickness [m]."""
    return max(u, min(size, LARGEST_MARK * u))


def arrow_parts(origin: ArrayLike, vector: ArrayLike, u: float, heads: int = 1) -> list[Part3]:
    """An arrow as long as ``vector`` [m]; no parts when it is too short to see."""
    a, v = np.asarray(origin, dtype=float), np.asarray(vector, dtype=float)
    length = float(np.linalg.norm(v))
    if length < 0.05 * u:
        return []
    d = v / length
    head = min(2.6 * u, length / (0.5 + heads))
    tips = [a + v - i * 0.6 * head * d for i in range(heads)]
    cones = [_tube(tip - head * d, tip, 0.42 * head, 0.0) for tip in tips]
    return [_tube(a, tips[-1] - head * d, 0.14 * head), *cones]


def axes_of(axis: ArrayLike, x_axis: ArrayLike | None = None) -> Array:
    """Rotation matrix whose z is along ``axis`` and whose x is as near to ``x_axis`` as it can be."""
    z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    wanted = np.eye(3)[int(np.argmin(np.abs(z)))] if x_axis is None else np.asarray(x_axis, dtype=float)
    x = wanted - (wanted @ z) * z
    if np.linalg.norm(x) < 1e-9 * np.linalg.norm(wanted):
        return axes_of(axis)
    x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(z, x), z))


# ---- parts of shapes


def _tube(a: ArrayLike, b: ArrayLike, ra: float, rb: float | None = None, style: Style = "body") -> Part3:
    return Part3("tube", np.array([a, b], dtype=float), (ra, ra if rb is None else rb), style=style)


def _sphere(centre: ArrayLike, radius: float, style: Style = "body") -> Part3:
    return Part3("sphere", np.array([centre], dtype=float), (radius, radius), style=style)


_CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
_BOX_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4]]
    + [[1, 5, 7], [1, 7, 3]]
)


def _box(size: ArrayLike, centre: ArrayLike, turn: Array | None = None, style: Style = "body") -> Part3:
    corners = _CORNERS * np.asarray(size)
    return Part3(
        "mesh", np.asarray(centre) + (corners if turn is None else corners @ turn.T), faces=_BOX_FACES, style=style
    )


def _link(points: Array, radius: float, closed: bool) -> Iterator[Part3]:
    path = np.vstack((points, points[:1])) if closed and len(points) > 2 else points
    for a, b in pairwise(path):
        if (a != b).any():
            yield _tube(a, b, radius)
    for point in points:
        yield _sphere(point, radius)
    if len(path) > len(points):
        yield _plate(points, 0.6 * radius)


def _plate(points: Array, thickness: float) -> Part3:
    """A polygon, cut into triangles; with a thickness, both faces and the rim."""
    normal = _normal(points)
    faces = np.array(_ears(points @ axes_of(normal)[:, :2]), dtype=np.intp).reshape(-1, 3)
    if thickness == 0.0:
        return Part3("mesh", points, faces=faces)
    n = len(points)
    i = np.arange(n)
    j = (i + 1) % n
    rim = np.vstack((np.column_stack((i, j, j + n)), np.column_stack((i, j + n, i + n))))
    shift = 0.5 * thickness * normal
    return Part3("mesh", np.vstack((points - shift, points + shift)), faces=np.vstack((faces[:, ::-1], faces + n, rim)))


def _normal(points: Array) -> Array:
    """Newell's normal of a polygon; any direction for one without area."""
    following = np.roll(points, -1, axis=0)
    normal: Array = np.cross(points - points[0], following - points[0]).sum(axis=0)
    length = float(np.linalg.norm(normal))
    return normal / length if length > 0.0 else np.array([0.0, 0.0, 1.0])


def _ears(xy: Array) -> list[tuple[int, int, int]]:
    """Triangles of a simple counter-clockwise polygon, by cutting ears off."""

    def area(a: int, b: int, c: int) -> float:
        (xa, ya), (xb, yb), (xc, yc) = xy[a], xy[b], xy[c]
        return float((xb - xa) * (yc - ya) - (yb - ya) * (xc - xa))

    left = list(range(len(xy)))
    out: list[tuple[int, int, int]] = []
    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            others = (p for p in left if p not in (a, b, c))
            if area(a, b, c) > 0.0 and not any(min(area(a, b, p), area(b, c, p), area(c, a, p)) >= 0.0 for p in others):
                break
        else:
            k = 0  # crossing or flat: any triangle is as good as another
        out.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
        del left[k]
    return [*out, (left[0], left[1], left[2])]


# ---- marks, in symbol radii, about the origin, the axis along z


def _along(half: float, radius: float, style: Style = "joint", sides: int = 0) -> Part3:
    return replace(_tube((0.0, 0.0, -half), (0.0, 0.0, half), radius, style=style), sides=sides)


def _revolute() -> list[Part3]:
    return [_along(1.9, 1.35), _along(2.4, 0.6, "ink")]


def _spherical() -> list[Part3]:
    return [_sphere((0.0, 0.0, 0.0), 1.5, "joint")]


def _universal() -> list[Part3]:
    return [*_arm((0.0, 0.0, 2.3)), *_arm((2.3, 0.0, 0.0))[1:]]


def _arm(half: Point3 = (0.0, 0.0, 2.3)) -> list[Part3]:
    end, inner = np.array(half), 0.74 * np.array(half)
    ends = [_tube(side * inner, side * 1.04 * end, 0.8, style="ink") for side in (1.0, -1.0)]
    return [_sphere((0.0, 0.0, 0.0), 0.95, "joint"), _tube(-end, end, 0.5, style="joint"), *ends]


def _prismatic() -> list[Part3]:
    rails = [_box((0.55, 0.55, 9.0), (0.0, y, 0.0), style="ink") for y in (-1.2, 1.2)]
    return [_box((2.0, 3.6, 4.0), (0.0, 0.0, 0.0), style="joint"), *rails]


def _cylindrical() -> list[Part3]:
    return [_along(1.9, 1.35), _along(4.5, 0.65, "ink")]


def _screw() -> list[Part3]:
    thread = []
    for k in range(-6, 7):
        z = 0.7 * k
        thread.append(_tube((0.0, 0.0, z - 0.35), (0.0, 0.0, z), 0.5, 0.8, "ink"))
        thread.append(_tube((0.0, 0.0, z), (0.0, 0.0, z + 0.35), 0.8, 0.5, "ink"))
    return [_along(1.2, 1.9, sides=6), *thread]


def _planar() -> list[Part3]:
    return [_box((5.0, 5.0, 0.3), (0.0, 0.0, z), style=style) for z, style in _SHEETS]


_SHEETS: tuple[tuple[float, Style], ...] = ((0.3, "joint"), (-0.3, "ink"))


def _fixed() -> list[Part3]:
    return [_box((2.0, 2.0, 2.0), (0.0, 0.0, 0.0), style="ink")]


def _point() -> list[Part3]:
    return [_sphere((0.0, 0.0, 0.0), 0.95, "ink")]


# stops, friction, motors: the axis of turning or sliding along z, what turns along x

SPIRAL_SIZE = 0.8
"""Radii of spirals in space, as a share of those in the plane."""
SPIRAL_UP = 2.7
"""Where spirals lie along the axis: beside the hub of a hinge, in symbol radii."""


def _motor() -> list[Part3]:
    """A can with a shaft, at the end of the hinge."""
    can = _tube((0.0, 0.0, 2.6), (0.0, 0.0, 5.8), 1.9, style="joint")
    return [can, _tube((0.0, 0.0, 5.8), (0.0, 0.0, 6.3), 0.9, style="ink"), _along(3.0, 0.45, "ink")]


def _motor_slide() -> list[Part3]:
    """A box on the guide."""
    return [_box((2.2, 2.2, 3.0), (2.6, 0.0, 0.0), style="joint"), _box((0.6, 0.6, 3.6), (2.6, 0.0, 0.0), style="ink")]


def _torsion() -> list[Part3]:
    """The post that holds the outer end of a spiral."""
    x = SPIRAL_SIZE * SPIRAL[1]
    return [_tube((x, 0.0, 0.0), (x, 0.0, SPIRAL_UP + 0.4), 0.3, style="ink")]


def _friction_turn() -> list[Part3]:
    """A collar round the hub."""
    return [_along(0.5, 1.75, "ink")]


def _friction_slide() -> list[Part3]:
    """Two pads on a block."""
    return [_box((0.5, 2.6, 2.4), (side * 1.3, 0.0, 0.0), style="ink") for side in (1.0, -1.0)]


def _stop_turn(side: float) -> list[Part3]:
    """A post beside what turns."""
    return [_box((2.6, 0.45, 2.6), (4.6, side * (LINK + 0.25), 0.0), style="ink")]


def _stop_slide(side: float) -> list[Part3]:
    """A plate before what slides."""
    return [_box((4.0, 4.0, 0.4), (0.0, 0.0, side * 0.2), style="ink")]


def _stop_finger() -> list[Part3]:
    """What meets the posts, on a body that is no bar."""
    return [_tube((0.0, 0.0, 0.0), (5.6, 0.0, 0.0), LINK)]


_MARKS: dict[str, Callable[[], list[Part3]]] = {
    "revolute": _revolute,
    "spherical": _spherical,
    "universal": _universal,
    "arm": _arm,
    "prismatic": _prismatic,
    "cylindrical": _cylindrical,
    "screw": _screw,
    "planar": _planar,
    "fixed": _fixed,
    "point": _point,
    "motor": _motor,
    "motor-slide": _motor_slide,
    "torsion": _torsion,
    "friction-turn": _friction_turn,
    "friction-slide": _friction_slide,
    "stop-turn-low": lambda: _stop_turn(-1.0),
    "stop-turn-high": lambda: _stop_turn(1.0),
    "stop-slide-low": lambda: _stop_slide(-1.0),
    "stop-slide-high": lambda: _stop_slide(1.0),
    "stop-finger": _stop_finger,
}


# ---- triangles


def triangles(part: Part3, sides: int = 16) -> Array:
    """A part as triangles [m], shape (m, 3, 3), counter-clockwise from outside; none for a line."""
    if part.kind == "mesh":
        return part.points[part.faces]
    if part.kind == "line":
        return np.zeros((0, 3, 3))
    n = part.sides or sides
    if part.kind == "sphere":
        polar = np.linspace(0.0, np.pi, n // 2 + 1)
        rings = [(part.points[0] - [0.0, 0.0, part.radii[0] * math.cos(t)], part.radii[0] * math.sin(t)) for t in polar]
        return _rings(rings, np.eye(3), n)
    a, b = part.points
    ends = [(a, 0.0), (a, part.radii[0]), (b, part.radii[1]), (b, 0.0)]
    return _rings(ends, axes_of(b - a), n)


def _rings(rings: list[tuple[Array, float]], turn: Array, n: int) -> Array:
    """Triangles between rings along z of ``turn``; those that a ring of no radius makes flat are left out."""
    angle = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)
    circle = np.column_stack((np.cos(angle), np.sin(angle), np.zeros(n))) @ turn.T
    out = []
    for (ca, ra), (cb, rb) in pairwise(rings):
        low, high = ca + ra * circle, cb + rb * circle
        low_next, high_next = np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)
        tiny = 1e-9 * (ra + rb)
        if ra > tiny:
            out.append(np.stack((low, low_next, high_next), axis=1))
        if rb > tiny:
            out.append(np.stack((low, high_next, high), axis=1))
    return np.vstack(out) if out else np.zeros((0, 3, 3))
