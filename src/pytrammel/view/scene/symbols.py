"""How every part of a planar mechanism looks: this is the place where symbols are drawn, for the player and for stills.

A symbol is a list of :class:`Part` objects, made once in Python; the drawers only place them. There are four kinds:

- *marks* stand at a point of a body and turn with it (pins, blocks, masses, motors): functions registered with ``@mark``,
  with lengths in pin radii ``u``;
- *stretched* symbols reach from one point to another (coils, dampers, ropes): functions registered with ``@stretched``, whose
  points are (share of the distance, along, across), the last two in pin radii;
- *spirals* wind with the angle between two bodies: :func:`spiral_points`;
- *shapes* belong to a body (links, plates, gears, cams, guides): :func:`shape_parts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from pytrammel.view.scene.planar import Mark, Point, Shape

BAR = 1.25
"""Half width of a link bar, in pin radii."""
GROOVE = 1.4
"""Half width of a slot, in pin radii."""
BLOCK = 1.9
"""Half height of a slider block, in pin radii."""

SPIRAL = 1.4, 4.2
"""Inner and outer radius of a spiral spring, in pin radii."""
TURNS = 2.5
"""Turns of a slack spiral spring."""
MOST_TURNS = 12.0
"""Most turns that are drawn."""

Style = Literal["bar", "face", "edge", "fine", "ink", "paper", "line", "hatch", "groove", "accent", "steel"]


@dataclass(frozen=True)
class Part:
    """One path or circle in one style.

    Attributes:
        style: In the body colour: ``bar`` rounded bar or plate, ``face`` tinted area with an edge, ``edge`` line, ``fine`` thin
            line. In ink: ``ink`` filled, ``paper`` filled with the background and outlined, ``line`` line, ``hatch`` thin line,
            ``groove`` a wide slot with an outline, ``steel`` a grey area with an edge. ``accent`` a line that says "driven".
        points: Vertices, or the centre when ``radius`` is set; of stretched symbols (share, along, across).
        closed: Whether the path returns to its first point.
        radius: Radius of a circle; 0 for a path.
        under: Drawn below all bodies (supports, guides) instead of above them (pins).
        sags: Of stretched symbols: across counts in the sag of a slack rope, to the lower side.
        width: Of a bar, as a share of the standard one.
        role: Role of its symbol, whose colour replaces ink and steel where the theme sets one; see `pytrammel.view.theme.SYMBOLS`.
    """

    style: Style
    points: tuple[tuple[float, ...], ...]
    closed: bool = False
    radius: float = 0.0
    under: bool = False
    sags: bool = False
    width: float = 1.0
    role: str = ""


_MARKS: dict[str, Callable[[float | None], list[Part]]] = {}
_STRETCHED: dict[str, Callable[[], list[Part]]] = {}


def mark(
    kind: str, role: str = ""
) -> Callable[[Callable[[float | None], list[Part]]], Callable[[float | None], list[Part]]]:
    """Register a mark and the role of its colour. The function gets the size in pin radii, None for the standard one."""

    def keep(function: Callable[[float | None], list[Part]]) -> Callable[[float | None], list[Part]]:
        _MARKS[kind] = lambda length: [replace(part, role=role) for part in function(length)]
        return function

    return keep


def stretched(kind: str, role: str = "") -> Callable[[Callable[[], list[Part]]], Callable[[], list[Part]]]:
    """Register a symbol between two points and the role of its colour."""

    def keep(function: Callable[[], list[Part]]) -> Callable[[], list[Part]]:
        _STRETCHED[kind] = lambda: [replace(part, role=role) for part in function()]
        return function

    return keep


def mark_kinds() -> tuple[str, ...]:
    """All marks that can be drawn."""
    return tuple(_MARKS)


def stretched_kinds() -> tuple[str, ...]:
    """All symbols between two points that can be drawn."""
    return tuple(_STRETCHED)


def stretched_role(kind: str) -> str:
    """Role of the colour of a symbol between two points; "" for what has none."""
    return _STRETCHED[kind]()[0].role if kind in _STRETCHED else ""


def mark_parts(mark: Mark, u: float) -> list[Part]:
    """Parts of a mark in the coordinates of its body [m]; ``u`` is the radius of a pin [m]."""
    c, s = math.cos(mark.angle), math.sin(mark.angle)
    x0, y0 = mark.position
    length = None if mark.size is None else mark.size / u
    placed = []
    for part in _MARKS[mark.kind](length):
        points = tuple((x0 + u * (c * x - s * y), y0 + u * (s * x + c * y)) for x, y in part.points)
        placed.append(replace(part, points=points, radius=part.radius * u))
    return placed


def stretched_parts(kind: str) -> list[Part]:
    """Parts of a symbol between two points, as (share, along, across)."""
    return _STRETCHED[kind]()


def stretched_gap(kind: str) -> float:
    """Where a label is clear of a symbol between two points, in units of symbols."""
    across = [abs(y) for part in stretched_parts(kind) if not part.sags for _, _, y in part.points]
    return max(1.9, max(across, default=0.0) + 0.4)


def place_stretched(part: Part, a: Point, b: Point, u: float, free: float = 0.0) -> list[Point]:
    """Global points of a part of a stretched symbol between ``a`` and ``b`` [m]; ``free`` is the length of a rope [m].

    The player does the same in ``player/symbols.mjs``; a test holds the two together.
    """
    length = math.dist(a, b)
    ex, ey = ((b[0] - a[0]) / length, (b[1] - a[1]) / length) if length > 0.0 else (1.0, 0.0)
    along = min(u, length / 6.0)  # what is short squeezes its ends
    if part.sags:
        sag = math.sqrt(0.375 * length * (free - length)) if free > length else 0.0  # of a flat parabola of that length
        side = (ey, -ex) if ex > 0.0 else (-ey, ex)  # the lower one
    else:
        sag, side = u, (-ey, ex)
    return [
        (
            a[0] + (s * length + x * along) * ex + y * sag * side[0],
            a[1] + (s * length + x * along) * ey + y * sag * side[1],
        )
        for s, x, y in part.points
    ]


# ---- shapes of bodies -----------------------------------------------------------------------------------------------


def shape_parts(shape: Shape, u: float, *, on_ground: bool) -> list[Part]:
    """Parts of a body shape, in body coordinates [m]."""
    points = shape.points
    if shape.role in ("gear", "wheel", "tyre", "roller") and shape.radius > 0.0:
        return _wheel(shape, u)
    if shape.kind in ("circle", "disc"):
        style: Style = "face" if shape.kind == "disc" else "edge"
        return [Part(style, points, radius=shape.radius)] if shape.radius > 0.0 else []
    closed = shape.kind == "polygon"
    if shape.role == "link":
        return [Part("bar", points, closed, width=shape.width)]
    if shape.role == "groove":
        return [Part("groove", points, closed)]
    if shape.role in ("guide", "track"):
        return _guide(shape, u, on_ground=on_ground)
    if shape.role == "face":
        return [Part("edge", points), *(_hatch(points, u) if on_ground else ())]
    if closed:
        return [Part("face", points, True)]
    if on_ground and shape.role == "outline":
        return [Part("line", points, under=True), *_hatch(points, u)]
    return [Part("edge", points)]


def _wheel(shape: Shape, u: float) -> list[Part]:
    """Gear, wheel, tyre or roller: a rim, a hub, and spokes that show how it turns. Teeth come as further points."""
    (x, y), radius = shape.points[0], shape.radius
    hub = min(1.9 * u, 0.3 * radius)
    circle = ((x, y),)
    if len(shape.points) > 1:
        rim = [Part("face", shape.points[1:], True)]
    elif shape.role == "tyre":
        rim = [Part("ink", circle, radius=radius), Part("face", circle, radius=0.78 * radius)]
    else:
        rim = [Part("face", circle, radius=radius)]
    if shape.role == "roller":
        return rim
    reach = 0.78 * radius if shape.role == "tyre" else 0.82 * radius if len(shape.points) > 1 else radius
    spokes = [
        Part("fine", tuple((x + r * math.cos(a), y + r * math.sin(a)) for r in (hub, reach)))
        for a in (2.0 * math.pi * k / 5.0 for k in range(1, 5))
    ]
    return [*rim, *spokes, Part("edge", ((x + hub, y), (x + reach, y))), Part("edge", circle, radius=hub)]


def _guide(shape: Shape, u: float, *, on_ground: bool) -> list[Part]:
    """Straight way: beside the block of a slider (on both sides if it is steep), or right under a wheel or disc."""
    (xa, ya), (xb, yb) = shape.points[:2]
    length = math.hypot(xb - xa, yb - ya) or 1.0
    nx, ny = (yb - ya) / length, -(xb - xa) / length  # to the right of the way
    gap = 0.0 if shape.role == "track" else shape.gap or BLOCK * u
    sides = (1.0, -1.0) if shape.both_sides else (1.0,)
    parts: list[Part] = []
    for side in sides:
        dx, dy = side * gap * nx, side * gap * ny
        line = ((xa + dx, ya + dy), (xb + dx, yb + dy))
        parts.append(Part("line" if on_ground else "edge", line, under=True))
        if on_ground:
            parts += _hatch(line if side > 0.0 else line[::-1], u)
    return parts


def _hatch(points: tuple[tuple[float, ...], ...], u: float, depth: float = 1.2) -> Iterator[Part]:
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


# ---- marks: lengths in pin radii ------------------------------------------------------------------------------------


def _box(half_x: float, half_y: float) -> tuple[Point, ...]:
    return ((-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y))


def _arc(radius: float, start: float, end: float, n: int = 25) -> tuple[Point, ...]:
    """Points of an arc, angles in degrees."""
    return tuple((radius * math.cos(a), radius * math.sin(a)) for a in np.radians(np.linspace(start, end, n)))


def _head(tip: Point, direction: float, size: float, style: Style) -> Part:
    """Filled head of an arrow; the direction in degrees."""
    back = [(size, 155.0), (size, 205.0)]
    wings = [
        (tip[0] + r * math.cos(math.radians(direction + a)), tip[1] + r * math.sin(math.radians(direction + a)))
        for r, a in back
    ]
    return Part(style, (tip, *wings), True)


_PIN = Part("paper", ((0.0, 0.0),), radius=1.0)


@mark("pin", "joint")
def _pin(_: float | None) -> list[Part]:
    return [_PIN]


@mark("fixed-pin", "joint")
def _fixed_pin(_: float | None) -> list[Part]:
    base = ((-2.6, -3.3), (2.6, -3.3))
    stand = Part("paper", ((0.0, 0.4), (1.75, -3.3), (-1.75, -3.3)), True, under=True)
    dot = Part("ink", ((0.0, 0.0),), radius=0.3)
    return [stand, Part("line", base, under=True), *_hatch(base, 1.0), _PIN, dot]


@mark("slider", "joint")
def _slider(length: float | None) -> list[Part]:
    half = 3.2 if length is None else 0.5 * length
    return [Part("face", _box(half, min(BLOCK, max(0.8 * half, 0.5))), True, under=True)]


@mark("point-on-line", "joint")
def _point_on_line(length: float | None) -> list[Part]:
    half = 3.6 if length is None else 0.5 * length
    end = _arc(1.45, -90.0, 90.0, 9)
    right = [(half + x, y) for x, y in end]
    slot = tuple(right + [(-x, -y) for x, y in right])
    return [Part("paper", slot, True, under=True), _PIN]


@mark("weld", "joint")
def _weld(_: float | None) -> list[Part]:
    return [Part("ink", _box(0.85, 0.85), True)]


@mark("fixed-weld", "joint")
def _fixed_weld(_: float | None) -> list[Part]:
    wall = ((-2.4, -1.0), (2.4, -1.0))
    return [Part("line", wall, under=True), *_hatch(wall, 1.0), Part("ink", _box(0.85, 0.85), True)]


@mark("point")
def _point(_: float | None) -> list[Part]:
    cross = [Part("line", ((-1.5, 0.0), (1.5, 0.0))), Part("line", ((0.0, -1.5), (0.0, 1.5)))]
    return [*cross, Part("ink", ((0.0, 0.0),), radius=0.55)]


@mark("mass")
def _mass(diameter: float | None) -> list[Part]:
    """A lump of mass, sized by its mass: a shaded ball."""
    r = 0.5 * (4.0 if diameter is None else diameter)
    return [Part("face", ((0.0, 0.0),), radius=r), Part("ink", ((0.0, 0.0),), radius=min(0.45, 0.3 * r))]


@mark("centroid")
def _centroid(diameter: float | None) -> list[Part]:
    """Where the mass of a link is: the quartered circle of drawings."""
    r = 0.5 * (1.8 if diameter is None else diameter)
    quarters = [Part("ink", ((0.0, 0.0), *((x, y) for x, y in _arc(r, a, a + 90.0, 7))), True) for a in (0.0, 180.0)]
    return [Part("paper", ((0.0, 0.0),), radius=r), *quarters]


@mark("torsion", "spring")
def _torsion(_: float | None) -> list[Part]:
    """Where the outer end of a spiral spring is held; the spiral itself winds with the angle (:func:`spiral_points`)."""
    return [Part("line", ((-SPIRAL[1], 0.0), (-SPIRAL[1], -1.6)))]


def spiral_sizes() -> dict[str, float]:
    """What the player must know of spirals."""
    return {"inner": SPIRAL[0], "outer": SPIRAL[1], "turns": TURNS, "most": MOST_TURNS}


def spiral_points(turned: float) -> list[Point]:
    """A spiral spring in pin radii, from its inner end outwards; ``turned`` is the angle from where it is slack [rad].

    The outer end stays to the left, the inner end turns. Of a spring wound very far whole turns are left out.
    The player does the same in ``player/symbols.mjs``; a test holds the two together.
    """
    sweep = 2.0 * math.pi * TURNS - turned
    most = 2.0 * math.pi * MOST_TURNS
    if abs(sweep) > most:
        sweep -= math.copysign(2.0 * math.pi * math.ceil((abs(sweep) - most) / (2.0 * math.pi)), sweep)
    n = max(12, math.ceil(abs(sweep) * 5.0))
    inner, outer = SPIRAL
    out = []
    for k in range(n + 1):
        s = k / n
        r, a = inner + s * (outer - inner), math.pi - (1.0 - s) * sweep
        out.append((r * math.cos(a), r * math.sin(a)))
    return out


# stops: the axis of turning at the origin, or the middle of what slides, x along what turns or slides


def _wall(points: tuple[Point, Point]) -> list[Part]:
    return [Part("line", points), *(replace(part, under=False) for part in _hatch(points, 1.0))]


@mark("stop-turn-low", "contact")
def _stop_turn_low(_: float | None) -> list[Part]:
    """A wall beside a bar, on its clockwise side."""
    return _wall(((4.8, -BAR - 0.15), (7.6, -BAR - 0.15)))


@mark("stop-turn-high", "contact")
def _stop_turn_high(_: float | None) -> list[Part]:
    return _wall(((7.6, BAR + 0.15), (4.8, BAR + 0.15)))


@mark("stop-slide-low", "contact")
def _stop_slide_low(length: float | None) -> list[Part]:
    """A wall behind a block."""
    back = -(3.2 if length is None else 0.5 * length)
    return _wall(((back, 2.4), (back, -2.4)))


@mark("stop-slide-high", "contact")
def _stop_slide_high(length: float | None) -> list[Part]:
    ahead = 3.2 if length is None else 0.5 * length
    return _wall(((ahead, -2.4), (ahead, 2.4)))


@mark("stop-finger", "contact")
def _stop_finger(_: float | None) -> list[Part]:
    """What meets the walls, on a body that is no bar."""
    return [Part("bar", ((0.0, 0.0), (6.4, 0.0)))]


@mark("friction-turn", "contact")
def _friction_turn(_: float | None) -> list[Part]:
    """Two shoes round a pin."""
    shoes = [Part("line", _arc(1.75, a, a + 110.0, 13)) for a in (-55.0, 125.0)]
    angles = [a + da for a in (-55.0, 125.0) for da in (10.0, 40.0, 70.0, 100.0)]
    rough = [Part("hatch", tuple(_arc(r, a, a, 1)[0] for r in (1.75, 2.35))) for a in angles]
    return [*shoes, *rough]


@mark("friction-slide", "contact")
def _friction_slide(length: float | None) -> list[Part]:
    """A rough face below a block."""
    half = 3.2 if length is None else 0.5 * length
    teeth = 8
    saw = [(-half + 2.0 * half * k / (2 * teeth), -BLOCK - (0.55 if k % 2 else 0.0)) for k in range(2 * teeth + 1)]
    return [Part("line", tuple(saw))]


@mark("motor")
def _motor(_: float | None) -> list[Part]:
    """Circle with an M, and the arrow of its torque."""
    letter = ((-0.95, -0.9), (-0.95, 0.9), (0.0, -0.2), (0.95, 0.9), (0.95, -0.9))
    turn = _arc(3.0, 35.0, 325.0, 41)
    return [
        Part("steel", ((0.0, 0.0),), radius=2.1, under=True),
        Part("accent", turn),
        _head(turn[-1], 325.0 + 100.0, 1.3, "accent"),
        Part("paper", ((0.0, 0.0),), radius=1.7),
        Part("line", letter),
    ]


@mark("drive-turn")
def _drive_turn(_: float | None) -> list[Part]:
    """A driven angle: an arrow round the pin."""
    turn = _arc(2.9, 20.0, 290.0, 41)
    return [Part("accent", turn), _head(turn[-1], 290.0 + 100.0, 1.5, "accent")]


@mark("drive-slide")
def _drive_slide(_: float | None) -> list[Part]:
    """A driven distance: an arrow along the way."""
    tip = (4.4, 3.0)
    return [Part("accent", ((-2.4, 3.0), tip)), _head((5.2, 3.0), 0.0, 1.6, "accent")]


@mark("torque")
def _torque(_: float | None) -> list[Part]:
    """A moment: an arrow on an arc."""
    turn = _arc(2.6, -50.0, 200.0, 33)
    return [Part("line", turn), _head(turn[-1], 200.0 + 100.0, 1.4, "ink")]


@mark("load")
def _load(_: float | None) -> list[Part]:
    """Where a force acts; its arrow is drawn apart, as long as the force is large."""
    return [Part("ink", ((0.0, 0.0),), radius=0.5)]


@mark("drag", "damper")
def _drag(_: float | None) -> list[Part]:
    """Three streaks of air."""
    return [Part("line", ((-2.0 + 0.5 * k, y), (2.0 - 0.5 * k, y))) for k, y in ((0, 0.0), (1, 0.9), (1, -0.9))]


# ---- stretched: (share of the distance, along, across) --------------------------------------------------------------

_EYES = [Part("paper", ((share, 0.0, 0.0),), radius=0.5) for share in (0.0, 1.0)]


def _coil(radius: float, across: float, turns: int = 9) -> tuple[tuple[float, float, float], ...]:
    """Loops of a coil seen from the side, straight at both ends."""
    middle = []
    for k in range(16 * turns + 1):
        s = k / (16.0 * turns)
        angle = 2.0 * math.pi * turns * s
        lean = 0.42 * radius * math.sin(angle)
        middle.append((s, 1.3 * (1.0 - 2.0 * s) + lean, across + radius * (1.0 - math.cos(angle)) - radius))
    return ((0.0, 0.0, across), (0.0, 0.9, across), *middle[4:-4], (1.0, -0.9, across), (1.0, 0.0, across))


def _dashpot(across: float, half: float, lead: float = 0.0) -> list[Part]:
    """A pot that is open on one side, and a piston in it."""
    pot = ((0.7, 0.0, across + half), (0.28, 0.0, across + half), (0.28, 0.0, across - half), (0.7, 0.0, across - half))
    filled = tuple((s, 0.0, across + y * half) for s, y in ((0.28, -1.0), (0.55, -1.0), (0.55, 1.0), (0.28, 1.0)))
    piston = ((0.55, 0.0, across - 0.75 * half), (0.55, 0.0, across + 0.75 * half))
    return [
        Part("steel", filled, True),
        Part("line", ((0.0, lead, across), (0.28, 0.0, across))),
        Part("line", pot),
        Part("line", piston),
        Part("line", ((0.55, 0.0, across), (1.0, -lead, across))),
    ]  # fmt: skip


@stretched("spring", "spring")
def _spring() -> list[Part]:
    return [Part("line", _coil(1.3, 0.0)), *_EYES]


@stretched("damper", "damper")
def _damper() -> list[Part]:
    return [*_dashpot(0.0, 1.2), *_EYES]


@stretched("spring-damper", "spring")
def _spring_damper() -> list[Part]:
    """Side by side between two plates."""
    plates = [Part("line", ((s, x, -1.5), (s, x, 1.5))) for s, x in ((0.0, 0.9), (1.0, -0.9))]
    ends = [Part("line", ((s, 0.0, 0.0), (s, x, 0.0))) for s, x in ((0.0, 0.9), (1.0, -0.9))]
    return [Part("line", _coil(0.8, 1.5)[1:-1]), *_dashpot(-1.5, 0.8, 0.9), *plates, *ends, *_EYES]


@stretched("actuator")
def _actuator() -> list[Part]:
    """A cylinder and its rod."""
    body = ((0.0, 0.6, -1.1), (0.6, 0.0, -1.1), (0.6, 0.0, 1.1), (0.0, 0.6, 1.1))
    rod = ((0.6, 0.0, -0.45), (1.0, -0.4, -0.45), (1.0, -0.4, 0.45), (0.6, 0.0, 0.45))
    piston = ((0.3, 0.0, -0.7), (0.3, 0.0, 0.7))
    return [Part("steel", rod, True), Part("steel", body, True), Part("accent", piston), *_EYES]


@stretched("bumper", "contact")
def _bumper() -> list[Part]:
    """End stops of a length: a buffer at either end, on a thin line."""
    ends = [
        tuple((s, x * w, y) for w, y in ((0.6, -0.9), (2.4, -0.5), (2.4, 0.5), (0.6, 0.9)))
        for s, x in ((0.0, 1.0), (1.0, -1.0))
    ]
    return [Part("hatch", ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))), *(Part("ink", end, True) for end in ends)]


@stretched("gas-spring", "spring")
def _gas_spring() -> list[Part]:
    """Folds of a gas spring."""
    folds = 6
    top = [(0.15 + 0.7 * k / (2 * folds), 0.0, 1.6 if k % 2 else 1.0) for k in range(2 * folds + 1)]
    outline = (*top, *((s, x, -y) for s, x, y in reversed(top)))
    ends = [Part("line", ((a, 0.0, 0.0), (b, 0.0, 0.0))) for a, b in ((0.0, 0.15), (0.85, 1.0))]
    return [*ends, Part("steel", outline, True), *_EYES]


@stretched("rope")
def _rope() -> list[Part]:
    """Straight while it is taut; slack, it hangs."""
    return [Part("line", tuple((s, 0.0, 4.0 * s * (1.0 - s)) for s in np.linspace(0.0, 1.0, 25).tolist()), sags=True)]


@stretched("rod")
def _rod() -> list[Part]:
    """A massless link: a narrow bar between two eyes."""
    bar = ((0.0, 0.0, -0.55), (1.0, 0.0, -0.55), (1.0, 0.0, 0.55), (0.0, 0.0, 0.55))
    ends = [Part("steel", ((s, 0.0, 0.0),), radius=0.85) for s in (0.0, 1.0)]
    return [*ends, Part("steel", bar, True), *_EYES]
