"""Random mechanisms in the plane."""

from __future__ import annotations

import numpy as np

from fuzzing.case import Case, Inertial, number
from fuzzing.conditions import Along, Angle, Coincide, Distance, Geared, OnLine, OnPlane, OnSurface, SameTurn
from fuzzing.mechanism import Kit
from fuzzing.motion import GROUND, Array, turn

X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def add_body(case: Case, name: str, at: Array | None = None) -> str:
    rng, s = case.rng, case.scale
    r, angle = case.spot() if at is None else at, rng.uniform(-3.0, 3.0)
    mass, inertia = s.mass * rng.uniform(0.5, 3.0), s.mass * s.length**2 * rng.uniform(0.05, 0.5)
    centroid = s.length * rng.uniform(-0.2, 0.2, 3) * (rng.random() < 0.5)
    centroid[2] = 0.0
    speed, spin = s.length / s.time * rng.uniform(-0.5, 0.5, 2), rng.uniform(-1.0, 1.0) / s.time
    off = case.rough * rng.uniform(-1.0, 1.0, 3)
    drawn = r + case.size * np.array([off[0], off[1], 0.0])
    case.write(
        f'm.body("{name}", position={case.vector(drawn)}, angle={number(angle + off[2])}, mass={number(mass)}, inertia={number(inertia)}, '
        f"centroid={case.vector(centroid)}, velocity={case.vector(speed)}, omega={number(spin)})",
        name, (),
    )  # fmt: skip
    case.bodies[name] = Inertial(mass, np.diag([0.0, 0.0, inertia]), centroid, r, turn(Z, angle), angle)
    case.freedom += 3
    case.measures[f"{name}.phi"] = turning(GROUND, name)
    for k, axis in enumerate("xy"):
        case.measures[f"{name}.{axis}"] = Along(GROUND, np.zeros(3), np.eye(3)[k], name, np.zeros(3))
    return name


def turning(a: str, b: str) -> Angle:
    """Angle of the second body minus that of the first, as everywhere in the plane."""
    return Angle(a, Z, X, b, X)


# --- joints ---------------------------------------------------------------------------------------------------------------


def revolute(case: Case, name: str, a: str, b: str, at: Array | None = None) -> None:
    at = case.spot() if at is None else at
    p, q = case.local(a, at), case.local(b, at)
    text = f'm.revolute("{name}", {case.place(a, p)}, {case.place(b, q)})'
    case.joint(name, text, [a, b], 2, Coincide(a, p, b, q, case.size), seat=q)
    case.measures[f"{name}.angle"] = turning(a, b)


def _line(case: Case, a: str, at: Array, u: Array) -> tuple[Array, Array, str]:
    p, w = case.local(a, at), case.within(a, u)
    return p, w, f"({case.place(a, p)}, {case.place(a, p + 0.5 * case.size * w)})"


def prismatic(case: Case, name: str, a: str, b: str, at: Array | None = None, u: Array | None = None) -> None:
    at, u = case.spot() if at is None else at, case.heading() if u is None else u
    p, w, line = _line(case, a, at, u)
    on = at + case.size * case.rng.uniform(-0.5, 0.5) * u
    q, R = case.local(b, on), case.rotation(a).T @ case.rotation(b)
    angle = case.angle(b) - case.angle(a)
    text = f'm.prismatic("{name}", m{case.owner(a)}, {case.place(b, q)}, line={line}, angle={number(angle)})'
    case.joint(name, text, [a, b], 2, OnLine(a, p, w, b, q, case.size), SameTurn(a, b, R), seat=q)
    case.measures[f"{name}.distance"] = Along(a, p, w, b, q)


def point_on_line(case: Case, name: str, a: str, b: str) -> None:
    at, u = case.spot(), case.heading()
    p, w, line = _line(case, a, at, u)
    q = case.local(b, at + case.size * case.rng.uniform(-0.5, 0.5) * u)
    text = f'm.point_on_line("{name}", m{case.owner(a)}, {case.place(b, q)}, line={line})'
    case.joint(name, text, [a, b], 1, OnLine(a, p, w, b, q, case.size))
    case.measures[f"{name}.distance"] = Along(a, p, w, b, q)


def link(case: Case, name: str, a: str, b: str) -> None:
    at, to = case.spot(), case.spot()
    p, q, length = case.local(a, at), case.local(b, to), float(np.linalg.norm(to - at))
    text = f'm.link("{name}", {case.place(a, p)}, {case.place(b, q)}, length={number(length)})'
    case.joint(name, text, [a, b], 1, Distance(a, p, b, q, length, case.size))


def _ring(case: Case, a: str, on: Array, gap: float = 0.0) -> tuple[str, object]:
    """A circle or an ellipse of a body that passes a point of space at a distance: its text, and the function that vanishes on it."""
    rng, size = case.rng, case.size
    centre, p = size * rng.uniform(-0.5, 0.5, 3) * np.array([1.0, 1.0, 0.0]), case.local(a, on)
    d = (p - centre)[:2]
    if gap == 0.0 and rng.random() < 0.5:
        flat = rng.uniform(0.6, 1.6)
        rx = float(np.hypot(d[0], d[1] / flat))
        ry = rx * flat
        x, y = f"{number(centre[0])} + {number(rx)}*cos(u)", f"{number(centre[1])} + {number(ry)}*sin(u)"
        text = f'tm.curves.analytic("{x}", "{y}", 0.0, {number(2 * np.pi)}, closed=True)'
        return (
            text,
            lambda v: 0.5 * rx / size * (((v[:, 0] - centre[0]) / rx) ** 2 + ((v[:, 1] - centre[1]) / ry) ** 2 - 1.0),
        )
    radius = float(np.hypot(*d)) - gap
    text = f"tm.curves.circle({number(radius)}, center={case.vector(centre)})"
    return text, lambda v: (np.hypot(v[:, 0] - centre[0], v[:, 1] - centre[1]) - radius - gap) / size


def _on_ring(case: Case, name: str, a: str, b: str, kind: str, first: str, second: str) -> None:
    at = case.spot()
    q = case.local(b, at)
    gap = 0.1 * case.size if kind == "cam_roller" else 0.0
    curve, function = _ring(case, a, at, gap)
    extra = f", radius={number(gap)}" if gap else ""
    text = f'm.{kind}("{name}", m{case.owner(a)}, {case.place(b, q)}, curve={curve}{extra})'
    case.joint(name, text, [a, b], 1, OnSurface(a, b, q, function))


def slot(case: Case, name: str, a: str, b: str) -> None:
    _on_ring(case, name, a, b, "slot", "slotted", "pin")


def cam_point(case: Case, name: str, a: str, b: str) -> None:
    _on_ring(case, name, a, b, "cam_point", "cam", "follower")


def cam_roller(case: Case, name: str, a: str, b: str) -> None:
    _on_ring(case, name, a, b, "cam_roller", "cam", "follower")


def cam_flat(case: Case, name: str, a: str, b: str) -> None:
    """A face of the second body on an eccentric circle of the first: the face keeps its distance from the centre."""
    rng, size = case.rng, case.size
    centre, radius = size * rng.uniform(-0.4, 0.4, 3) * np.array([1.0, 1.0, 0.0]), size * rng.uniform(0.2, 0.6)
    middle = case.point(a, centre)
    normal = case.heading()
    along = np.cross(Z, normal)
    foot = middle + radius * normal + size * rng.uniform(-0.3, 0.3) * along
    q, tip = case.local(b, foot), case.local(b, foot + 0.5 * size * along)
    text = (
        f'm.cam_flat("{name}", m{case.owner(a)}, m{case.owner(b)}, curve=tm.curves.circle({number(radius)}, center={case.vector(centre)}), '
        f"face=({case.place(b, q)}, {case.place(b, tip)}))"
    )
    # seen from the face: the centre of the circle stays at the depth of the radius
    case.joint(name, text, [a, b], 1, OnPlane(b, q, case.within(b, normal), a, centre, -radius, size))


def rolling(case: Case, name: str, a: str, b: str) -> None:
    """A wheel of the second body on a line of the first."""
    rng, size = case.rng, case.size
    centre, u, radius, side = case.spot(), case.heading(), size * rng.uniform(0.2, 0.6), rng.choice([-1.0, 1.0])
    left = np.cross(Z, u)
    at = centre - side * radius * left + size * rng.uniform(-0.3, 0.3) * u
    p, w, line = _line(case, a, at, u)
    q = case.local(b, centre)
    text = (
        f'm.rolling("{name}", track=m{case.owner(a)}, wheel={case.place(b, q)}, radius={number(radius)}, line={line})'
    )
    travel = Along(a, p, w, b, q)
    # a wheel on the left of its track turns clockwise when it goes forward
    roll = Geared(((1.0, travel), (side * radius, turning(a, b))), size)
    case.joint(name, text, [a, b], 2, OnPlane(a, p, case.within(a, left), b, q, side * radius, size), roll)
    case.measures[f"{name}.travel"] = travel


JOINTS = {
    f.__name__: f for f in (revolute, prismatic, point_on_line, link, slot, cam_point, cam_roller, cam_flat, rolling)
}


def add_gears(case: Case, carrier: str) -> None:
    """Two gears pinned to a carrier, external or internal."""
    rng = case.rng
    first, second = case.spot(), case.spot()
    apart = float(np.linalg.norm(second - first))
    internal = bool(rng.random() < 0.4)
    r1 = apart * rng.uniform(0.3, 0.7)
    r2 = apart + r1 if internal else apart - r1
    for k, at in enumerate((first, second)):
        add_body(case, f"g{k}", at)
        revolute(case, f"G{k}", carrier, f"g{k}", at)
    sign = -1.0 if internal else 1.0
    needs = ["g0", "g1", carrier]
    on = "" if carrier == GROUND else f', carrier="{carrier}"'
    text = f'm.gear("mesh", "g0", "g1", radii=({number(r1)}, {number(r2)}), internal={internal}{on})'
    parts = (r1, turning(carrier, "g0")), (sign * r2, turning(carrier, "g1"))
    case.joint("mesh", text, needs, 1, Geared(parts, case.size))


def add_rack(case: Case, carrier: str) -> None:
    """A rack that slides on a carrier, and a pinion pinned to the carrier."""
    rng = case.rng
    centre, u, side = case.spot(), case.heading(), rng.choice([-1.0, 1.0])
    radius = case.size * rng.uniform(0.1, 0.5)
    foot = centre - side * radius * np.cross(Z, u)
    add_body(case, "pinion", centre)
    add_body(case, "rack", foot)
    revolute(case, "G0", carrier, "pinion", centre)
    prismatic(case, "G1", carrier, "rack", foot, u)
    p, w, line = _line(case, "rack", foot, u)
    text = f'm.rack_and_pinion("mesh", rack=m["rack"], pinion=m["pinion"], radius={number(radius)}, line={line})'
    travel = Along("rack", p, w, "pinion", np.zeros(3))
    parts = (1.0, travel), (side * radius, turning("rack", "pinion"))
    case.joint("mesh", text, ["rack", "pinion", "G0", "G1"], 1, Geared(parts, case.size))


def add_parallelogram(case: Case) -> None:
    """Equal cranks under one coupler, or a crank and links: one more than the motion needs."""
    rng, L = case.rng, case.size
    base = case.spot()
    along = L * rng.uniform(0.5, 1.5) * case.heading()
    feet = [base, base + along, base + rng.uniform(0.3, 0.7) * along]
    if rng.random() < 0.5:
        feet[2] = feet[2] + L * rng.uniform(-0.4, 0.4) * np.cross(Z, along / np.linalg.norm(along))
    arm = (
        L
        * rng.uniform(0.4, 1.0)
        * (turn(Z, rng.uniform(0.5, 2.6) * rng.choice([-1.0, 1.0])) @ along / np.linalg.norm(along))
    )
    add_body(case, "coupler")
    for k, foot in enumerate(feet):
        if k == 0 or rng.random() < 0.5:
            add_body(case, f"b{k}")
            revolute(case, f"A{k}", GROUND, f"b{k}", foot)
            revolute(case, f"B{k}", f"b{k}", "coupler", foot + arm)
        else:
            p, q, length = foot, case.local("coupler", foot + arm), float(np.linalg.norm(arm))
            text = f'm.link("A{k}", {case.place(GROUND, p)}, {case.place("coupler", q)}, length={number(length)})'
            case.joint(f"A{k}", text, ["coupler"], 1, Distance(GROUND, p, "coupler", q, length, L))
    case.freedom = 1


PLANE = Kit(
    planar=True,
    most=5,
    add_body=add_body,
    joints=JOINTS,
    pairs=(
        "revolute", "revolute", "revolute", "prismatic", "point_on_line", "slot", "cam_point", "cam_roller", "cam_flat", "rolling",
    ),
    loops={"revolute": 2, "link": 1, "point_on_line": 1, "slot": 1, "cam_roller": 1, "prismatic": 2},
    trains=(add_gears, add_rack),
    redundant=(add_parallelogram,),
)  # fmt: skip
