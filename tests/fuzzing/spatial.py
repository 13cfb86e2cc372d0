"""Random mechanisms in space."""

from __future__ import annotations

import numpy as np

from fuzzing.case import Case, Inertial, number
from fuzzing.conditions import (
    Along,
    Angle,
    Coincide,
    Distance,
    Geared,
    NoTwist,
    OnLine,
    OnPlane,
    OnSurface,
    Perpendicular,
    SameDirection,
    SameTurn,
)
from fuzzing.mechanism import Kit
from fuzzing.motion import GROUND, Array, turn


def add_body(case: Case, name: str, at: Array | None = None) -> str:
    rng, s = case.rng, case.scale
    r, R = case.spot() if at is None else at, turn(case.heading(), rng.uniform(-3.0, 3.0))
    mass = s.mass * rng.uniform(0.5, 3.0)
    cloud = rng.normal(size=(6, 3))
    cloud -= cloud.mean(axis=0)
    # of particles, so that some body can have it
    inertia = mass * s.length**2 * 0.02 * sum((p @ p) * np.eye(3) - np.outer(p, p) for p in cloud)
    centroid = s.length * rng.uniform(-0.2, 0.2, 3) * (rng.random() < 0.5)
    speed, spin = s.length / s.time * rng.uniform(-0.5, 0.5, 3), rng.uniform(-1.0, 1.0, 3) / s.time
    drawn, tilt = (
        r + case.rough * case.size * rng.uniform(-1.0, 1.0, 3),
        turn(case.heading(), case.rough * rng.uniform(-1.0, 1.0)),
    )
    rows = ", ".join(case.vector(row) for row in tilt @ R)
    case.write(
        f'm.body("{name}", position={case.vector(drawn)}, rotation=({rows}), mass={number(mass)}, '
        f"inertia=({', '.join(case.vector(row) for row in inertia)}), centroid={case.vector(centroid)}, "
        f"velocity={case.vector(speed)}, omega={case.vector(spin)})",
        name, (),
    )  # fmt: skip
    case.bodies[name] = Inertial(mass, inertia, centroid, r, R)
    case.freedom += 6
    for k, axis in enumerate("xyz"):
        case.measures[f"{name}.{axis}"] = Along(GROUND, np.zeros(3), np.eye(3)[k], name, np.zeros(3))
    return name


def across(case: Case, axis: Array) -> Array:
    """A random direction at right angles to another."""
    v = np.cross(axis, case.heading())
    return v / np.linalg.norm(v)


class Frames:
    """Markers of a joint on both bodies, at one place with one axis; the second is turned by a random angle about it."""

    def __init__(
        self, case: Case, a: str, b: str, at: Array | None = None, axis: Array | None = None, angle: float | None = None
    ) -> None:
        self.at = case.spot() if at is None else at
        self.z = case.heading() if axis is None else axis
        self.x = across(case, self.z)
        self.angle = case.rng.uniform(-2.5, 2.5) if angle is None else angle
        x2 = turn(self.z, self.angle) @ self.x
        self.a, self.b = a, b
        self.p, self.q = case.local(a, self.at), case.local(b, self.at)
        self.za, self.xa = case.within(a, self.z), case.within(a, self.x)
        self.zb, self.xb = case.within(b, self.z), case.within(b, x2)
        self.first, self.second = marker(case, a, self.p, self.za, self.xa), marker(case, b, self.q, self.zb, self.xb)


def marker(case: Case, body: str, at: Array, axis: Array, x: Array) -> str:
    return f"m{case.owner(body)}.marker({case.vector(at)}, axis={case.vector(axis)}, x={case.vector(x)})"


# --- joints ---------------------------------------------------------------------------------------------------------------


def revolute(case: Case, name: str, a: str, b: str, at: Array | None = None, axis: Array | None = None) -> None:
    f = Frames(case, a, b, at, axis)
    text = f'm.revolute("{name}", {f.first}, {f.second})'
    case.joint(name, text, [a, b], 5, Coincide(a, f.p, b, f.q, case.size), SameDirection(a, f.za, b, f.zb), seat=f.q)
    case.measures[f"{name}.angle"] = Angle(a, f.za, f.xa, b, f.xb)


def cylindrical(case: Case, name: str, a: str, b: str) -> None:
    f = Frames(case, a, b)
    text = f'm.cylindrical("{name}", {f.first}, {f.second})'
    case.joint(name, text, [a, b], 4, OnLine(a, f.p, f.za, b, f.q, case.size), SameDirection(a, f.za, b, f.zb))
    case.measures[f"{name}.angle"] = Angle(a, f.za, f.xa, b, f.xb)
    case.measures[f"{name}.distance"] = Along(a, f.p, f.za, b, f.q)


def prismatic(case: Case, name: str, a: str, b: str, at: Array | None = None, axis: Array | None = None) -> None:
    f = Frames(case, a, b, at, axis, angle=0.0)
    relative = case.rotation(a).T @ case.rotation(b)
    text = f'm.prismatic("{name}", {f.first}, {f.second})'
    case.joint(name, text, [a, b], 5, OnLine(a, f.p, f.za, b, f.q, case.size), SameTurn(a, b, relative), seat=f.q)
    case.measures[f"{name}.distance"] = Along(a, f.p, f.za, b, f.q)


def screw(case: Case, name: str, a: str, b: str) -> None:
    f = Frames(case, a, b)
    lead = case.size * case.rng.uniform(0.1, 1.0) * case.rng.choice([-1.0, 1.0])
    text = f'm.screw("{name}", {f.first}, {f.second}, lead={number(lead)})'
    angle, way = Angle(a, f.za, f.xa, b, f.xb), Along(a, f.p, f.za, b, f.q)
    thread = Geared(((1.0, way), (-lead / (2.0 * np.pi), angle)), case.size)
    case.joint(name, text, [a, b], 5, OnLine(a, f.p, f.za, b, f.q, case.size), SameDirection(a, f.za, b, f.zb), thread)
    case.measures[f"{name}.angle"] = angle


def planar(case: Case, name: str, a: str, b: str) -> None:
    f = Frames(case, a, b)
    text = f'm.planar("{name}", {f.first}, {f.second})'
    case.joint(name, text, [a, b], 3, OnPlane(a, f.p, f.za, b, f.q, 0.0, case.size), SameDirection(a, f.za, b, f.zb))
    case.measures[f"{name}.angle"] = Angle(a, f.za, f.xa, b, f.xb)
    case.measures[f"{name}.x"] = Along(a, f.p, f.xa, b, f.q)


def spherical(case: Case, name: str, a: str, b: str) -> None:
    at = case.spot()
    p, q = case.local(a, at), case.local(b, at)
    text = f'm.spherical("{name}", {case.place(a, p)}, {case.place(b, q)})'
    case.joint(name, text, [a, b], 3, Coincide(a, p, b, q, case.size))


def universal(case: Case, name: str, a: str, b: str) -> None:
    at, u = case.spot(), case.heading()
    w = across(case, u)
    p, q, ua, wb = case.local(a, at), case.local(b, at), case.within(a, u), case.within(b, w)
    first, second = marker(case, a, p, ua, across(case, ua)), marker(case, b, q, wb, across(case, wb))
    text = f'm.universal("{name}", {first}, {second})'
    case.joint(name, text, [a, b], 4, Coincide(a, p, b, q, case.size), Perpendicular(a, ua, b, wb))


def constant_velocity(case: Case, name: str, a: str, b: str) -> None:
    """The second shaft is swung by up to a radian about an axis across the first."""
    at, z = case.spot(), case.heading()
    x = across(case, z)
    swing = turn(turn(z, case.rng.uniform(-3.0, 3.0)) @ x, case.rng.uniform(0.1, 1.0))
    p, q = case.local(a, at), case.local(b, at)
    axes = np.column_stack([x, np.cross(z, x), z])
    A, B = (np.column_stack([case.within(body, c) for c in frame.T]) for body, frame in ((a, axes), (b, swing @ axes)))
    first, second = marker(case, a, p, A[:, 2], A[:, 0]), marker(case, b, q, B[:, 2], B[:, 0])
    text = f'm.constant_velocity("{name}", {first}, {second})'
    case.joint(name, text, [a, b], 4, Coincide(a, p, b, q, case.size), NoTwist(a, A, b, B))


def link(case: Case, name: str, a: str, b: str) -> None:
    at, to = case.spot(), case.spot()
    p, q, length = case.local(a, at), case.local(b, to), float(np.linalg.norm(to - at))
    text = f'm.link("{name}", {case.place(a, p)}, {case.place(b, q)}, length={number(length)})'
    case.joint(name, text, [a, b], 1, Distance(a, p, b, q, length, case.size))


def point_on_plane(case: Case, name: str, a: str, b: str) -> None:
    f = Frames(case, a, b)
    height = case.size * case.rng.uniform(-0.5, 0.5)
    q = case.local(b, f.at + height * f.z)
    text = f'm.point_on_plane("{name}", {f.first}, {case.place(b, q)}, height={number(height)})'
    case.joint(name, text, [a, b], 1, OnPlane(a, f.p, f.za, b, q, height, case.size))


def point_on_line(case: Case, name: str, a: str, b: str) -> None:
    f = Frames(case, a, b)
    q = case.local(b, f.at + case.size * case.rng.uniform(-0.5, 0.5) * f.z)
    text = f'm.point_on_line("{name}", {f.first}, {case.place(b, q)})'
    case.joint(name, text, [a, b], 2, OnLine(a, f.p, f.za, b, q, case.size))


def revolute_spherical(case: Case, name: str, a: str, b: str) -> None:
    f = Frames(case, a, b)
    length = case.size * case.rng.uniform(0.3, 1.0)
    q = case.local(b, f.at + length * f.x)
    text = f'm.revolute_spherical("{name}", {f.first}, {case.place(b, q)}, length={number(length)})'
    flat = OnPlane(a, f.p, f.za, b, q, 0.0, case.size)
    case.joint(name, text, [a, b], 2, Distance(a, f.p, b, q, length, case.size), flat)


def helix(case: Case, name: str, a: str, b: str) -> None:
    """A point on a helix about the z axis of the first body: a fixed distance from the axis, a height that goes with the angle."""
    size = case.size
    radius, lead = size * case.rng.uniform(0.3, 1.0), size * case.rng.uniform(0.2, 1.0)
    u = case.rng.uniform(8.0, 12.0)
    local = np.array([radius * np.cos(u), radius * np.sin(u), lead * u / (2.0 * np.pi)])
    q = case.local(b, case.point(a, local))

    def off(v: Array) -> Array:
        phase = np.arctan2(v[:, 1], v[:, 0]) - 2.0 * np.pi * v[:, 2] / lead
        return np.column_stack([np.hypot(v[:, 0], v[:, 1]) / size - radius / size, np.sin(phase)])

    curve = f"tm.curves.helix({number(radius)}, {number(lead)}, turns=3.0)"
    text = f'm.point_on_curve("{name}", m{case.owner(a)}, {case.place(b, q)}, curve={curve})'
    case.joint(name, text, [a, b], 2, OnSurface(a, b, q, off))


JOINTS = {
    f.__name__: f
    for f in (
        revolute, cylindrical, prismatic, screw, planar, spherical, universal, constant_velocity, link, point_on_plane, point_on_line,
        revolute_spherical, helix,
    )
}  # fmt: skip


# --- trains and loops -----------------------------------------------------------------------------------------------------


def add_gears(case: Case, carrier: str) -> None:
    """Two wheels on parallel axes of a carrier, turning against each other, or one inside the other; axes may point opposite ways."""
    rng, L = case.rng, case.size
    first, axis, way = case.spot(), case.heading(), float(case.rng.choice([-1.0, 1.0]))
    r1, r2, internal = L * rng.uniform(0.1, 0.25), L * rng.uniform(0.3, 0.5), bool(rng.random() < 0.3)
    second = first + (r2 - r1 if internal else r1 + r2) * across(case, axis) + L * rng.uniform(-0.1, 0.1) * axis
    for k, (at, z) in enumerate(((first, axis), (second, way * axis))):
        add_body(case, f"g{k}", at)
        revolute(case, f"G{k}", carrier, f"g{k}", at, z)
    text = f'm.gear("mesh", "G0", "G1", radii=({number(r1)}, {number(r2)}), internal={internal})'
    parts = (r1, case.measures["G0.angle"]), (way * (-r2 if internal else r2), case.measures["G1.angle"])
    case.joint("mesh", text, ["G0", "G1"], 1, Geared(parts, L))


def add_bevels(case: Case, carrier: str) -> None:
    """Two wheels whose axes meet: at the pitch point, which is as far from each axis as its radius, both move alike."""
    rng, L = case.rng, case.size
    apex, s1 = case.spot(), case.heading()
    s2 = turn(across(case, s1), rng.uniform(0.6, 2.4)) @ s1  # from the apex to where the wheels are
    r1, r2 = L * rng.uniform(0.1, 0.4, 2)
    sine = np.linalg.norm(np.cross(s1, s2))
    pitch, ways = (r2 * s1 + r1 * s2) / sine, rng.choice([-1.0, 1.0], 2)
    for k, s in enumerate((s1, s2)):
        add_body(case, f"g{k}")
        revolute(case, f"G{k}", carrier, f"g{k}", apex + L * rng.uniform(0.2, 0.6) * s, ways[k] * s)
    text = f'm.gear("mesh", "G0", "G1", radii=({number(r1)}, {number(r2)}))'
    normal = np.cross(s1, s2) / sine
    speeds = [float(np.cross(ways[k] * s, pitch) @ normal) for k, s in enumerate((s1, s2))]
    parts = (speeds[0], case.measures["G0.angle"]), (-speeds[1], case.measures["G1.angle"])
    case.joint("mesh", text, ["G0", "G1"], 1, Geared(parts, L))


def add_worm(case: Case, carrier: str) -> None:
    """A worm across its wheel. A right-hand thread that turns forward without advancing moves back, and the rim with it."""
    rng, L = case.rng, case.size
    foot, z1 = case.spot(), case.heading()
    e = across(case, z1)
    z2 = turn(e, rng.uniform(1.2, 1.9) * rng.choice([-1.0, 1.0])) @ z1
    apart, ratio = L * rng.uniform(0.2, 0.6), rng.uniform(3.0, 20.0) * rng.choice([-1.0, 1.0])
    for k, (at, z) in enumerate(((foot, z1), (foot + apart * e, z2))):
        add_body(case, f"g{k}")
        revolute(case, f"G{k}", carrier, f"g{k}", at + L * rng.uniform(-0.3, 0.3) * z, z)
    text = f'm.worm("mesh", "G0", "G1", ratio={number(ratio)})'
    rim = float(np.sign(np.cross(z2, -e) @ z1))
    parts = (L, case.measures["G0.angle"]), (L * ratio * rim, case.measures["G1.angle"])
    case.joint("mesh", text, ["G0", "G1"], 1, Geared(parts, L))


def add_rack(case: Case, carrier: str) -> None:
    """A pinion hinged to a carrier and a rack that slides on it, across the hinge."""
    centre, axis = case.spot(), case.heading()
    u, radius = across(case, axis), case.size * case.rng.uniform(0.1, 0.4)
    foot = centre + radius * np.cross(u, axis)  # there a positive angle moves the pinion's rim along u
    add_body(case, "pinion", centre)
    add_body(case, "rack", foot)
    revolute(case, "G0", carrier, "pinion", centre, axis)
    prismatic(case, "G1", carrier, "rack", foot, u)
    text = f'm.rack_and_pinion("mesh", pinion="G0", rack="G1", radius={number(radius)})'
    parts = (radius, case.measures["G0.angle"]), (-1.0, case.measures["G1.distance"])
    case.joint("mesh", text, ["G0", "G1"], 1, Geared(parts, case.size))


def add_four_bar(case: Case) -> None:
    """A planar four-bar in space, all hinges parallel: three rows are redundant, and it moves nevertheless."""
    axis = case.heading()
    x = across(case, axis)
    y, L, rng = np.cross(axis, x), case.size, case.rng
    corners = [L * (a * x + b * y) for a, b in ((0.0, 0.0), (0.3, 0.6), (1.3, 0.9), (1.2, -0.1))]
    corners = [c + L * 0.1 * rng.uniform(-1, 1) * x for c in corners]
    bars = [add_body(case, f"b{k}") for k in range(3)]
    for k, (a, b) in enumerate(zip([GROUND, *bars], [*bars, GROUND], strict=True)):
        # hinges may sit anywhere along their parallel axes
        revolute(case, f"J{k}", a, b, corners[k] + L * rng.uniform(-0.3, 0.3) * axis, axis)
    case.freedom = 1


SPACE = Kit(
    planar=False,
    most=4,
    add_body=add_body,
    joints=JOINTS,
    pairs=(
        "revolute", "revolute", "spherical", "universal", "cylindrical", "prismatic", "screw", "planar", "constant_velocity", "helix",
    ),
    loops={"link": 1, "point_on_plane": 1, "point_on_line": 2, "spherical": 3, "universal": 4, "revolute_spherical": 2},
    trains=(add_gears, add_rack, add_bevels, add_worm),
    redundant=(add_four_bar,),
)  # fmt: skip
