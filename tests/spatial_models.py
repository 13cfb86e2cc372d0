"""Mechanisms in space used by several test files, drawn closed by their own geometry, and Newton–Euler written by hand.

Nothing here uses the code under test to find a pose: rotations are Rodrigues' formula, positions come from closed forms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import pytrammel as tm

G = 9.81
X, Y, Z = np.eye(3)
EYE = np.eye(3)


def turn(axis: Sequence[float], angle: float) -> np.ndarray:
    """Rotation matrix about a unit axis (Rodrigues)."""
    k = np.asarray(axis, float)
    skew = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return EYE + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew


def along(direction: Sequence[float]) -> np.ndarray:
    """Some rotation matrix whose x axis lies along a direction."""
    x = np.asarray(direction, float) / np.linalg.norm(direction)
    y = np.cross(Z if abs(x[2]) < 0.9 else X, x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def rod_inertia(mass: float, length: float, *, thick: float = 1e-2) -> tuple[float, float, float]:
    """Bar along its x axis: m l²/12 across; `thick` is the share of that about its own axis."""
    across = mass * length**2 / 12
    return thick * across, across, across


def rod(m: tm.SpatialModel, name: str, p: Sequence[float], q: Sequence[float], mass: float = 1.0, **more: Any) -> Any:
    """Uniform bar from p to q: frame at its middle, x axis towards q."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    inertia = rod_inertia(mass, float(np.linalg.norm(q - p)))
    return m.body(name, position=(p + q) / 2, rotation=along(q - p), mass=mass, inertia=inertia, **more)


# --- closed chains -------------------------------------------------------------------------------------------------------

BENNETT_A, BENNETT_ALPHA, BENNETT_B = 1.0, math.radians(30.0), 1.5
BENNETT_BETA = math.asin(BENNETT_B * math.sin(BENNETT_ALPHA) / BENNETT_A)  # a / sin(alpha) = b / sin(beta)


def bennett_second(theta: float) -> float:
    """Second joint angle of the Bennett linkage: tan(t1/2) tan(t2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2)."""
    ratio = math.sin((BENNETT_BETA + BENNETT_ALPHA) / 2) / math.sin((BENNETT_BETA - BENNETT_ALPHA) / 2)
    return 2 * math.atan2(ratio * math.cos(theta / 2), math.sin(theta / 2))


def bennett(theta: float, *, drive: str | None = None) -> tm.SpatialModel:
    """Bennett's linkage, Rz(theta) Tx(a) Rx(alpha) per link; the ground is the fourth; joint angles J1 … J4 are thetas.

    Body frames stand at the far end of each link, as Denavit and Hartenberg put them; 1 kg each, mass in the middle.
    """
    m = tm.SpatialModel("Bennett")
    second = bennett_second(theta)
    links = [(BENNETT_A, BENNETT_ALPHA), (BENNETT_B, BENNETT_BETA)] * 2
    place, pose, before = np.zeros(3), EYE, m.ground
    for k, (angle, (length, twist)) in enumerate(zip((theta, second, -theta), links, strict=False), start=1):
        pose = pose @ turn(Z, angle)
        place = place + pose @ (length * X)
        pose = pose @ turn(X, twist)
        body = m.body(
            f"l{k}", position=place, rotation=pose, mass=1.0, inertia=rod_inertia(1.0, length), centroid=(-length / 2, 0, 0)
        )  # fmt: skip
        foot = body.marker((-length, 0, 0), axis=(0, math.sin(twist), math.cos(twist)), x="x")
        m.revolute(f"J{k}", before.marker(x="x"), foot, angle=angle)
        before = body
    length, twist = links[3]
    foot = m.ground.marker((-length, 0, 0), axis=(0, math.sin(twist), math.cos(twist)), x="x")
    m.revolute("J4", before.marker(x="x"), foot, angle=-second)
    if drive is not None:
        m.driver("motor", "J1.angle", drive)
    return m


RSSR_PIVOT = np.array([3.0, 0.0, 2.0])


def rssr_output(theta: float, branch: int = 1) -> float:
    """Output angle of the RSSR four-bar of the benchmark: A cos psi + B sin psi = C."""
    w = RSSR_PIVOT - np.array([math.cos(theta), math.sin(theta), 0.0])
    a, b, c = 4 * w[0], 4 * w[2], 16.0 - 4.0 - w @ w
    return math.atan2(b, a) + branch * math.acos(c / math.hypot(a, b))


def rssr(theta: float = 0.0, branch: int = 1, *, coupler: str = "link", drive: str | None = None) -> tm.SpatialModel:
    """Crank 1 about z at the origin, output 2 about -y through (3, 0, 2), coupler 4 as a "link" or a "body" with two balls."""
    m = tm.SpatialModel(f"RSSR ({coupler})")
    psi = rssr_output(theta, branch)
    B = np.array([math.cos(theta), math.sin(theta), 0.0])
    C = RSSR_PIVOT + 2 * np.array([math.cos(psi), 0.0, math.sin(psi)])
    crank = m.body("crank", rotation=turn(Z, theta), mass=1.0, inertia=rod_inertia(1.0, 1.0), centroid=(0.5, 0, 0))
    out = m.body(
        "out", position=RSSR_PIVOT, rotation=turn(-Y, psi), mass=2.0, inertia=rod_inertia(2.0, 2.0), centroid=(1, 0, 0)
    )  # fmt: skip
    m.revolute("A", m.ground.marker(x="x"), crank.marker(x="x"))
    m.revolute("D", m.ground.marker(RSSR_PIVOT, axis="-y", x="x"), out.marker(axis="-y", x="x"))
    if coupler == "link":
        m.link("rod", crank.at(1, 0, 0), out.at(2, 0, 0), length=4.0)
    else:
        rod(m, "rod", B, C, 3.0)
        m.spherical("B", crank.at(1, 0, 0), m["rod"].at(-2, 0, 0))
        m.spherical("C", m["rod"].at(2, 0, 0), out.at(2, 0, 0))
    if drive is not None:
        m.driver("motor", "A.angle", drive)
    return m


STEWART_PLACE = np.array([0.05, -0.08, 0.9])
STEWART_TURN = turn(Z, 0.2) @ turn(Y, -0.15) @ turn(X, 0.1)


def stewart_points() -> tuple[np.ndarray, np.ndarray]:
    """Ball centres on base (radius 1, ±15° about 0, 120, 240°) and platform (radius 0.6, ±45°), in their own frames."""

    def circle(radius: float, half: float) -> np.ndarray:
        angles = np.radians([sector + sign * half for sector in (0, 120, 240) for sign in (-1, 1)])
        return radius * np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])

    return circle(1.0, 15.0), circle(0.6, 45.0)


def stewart(
    place: Sequence[float] = STEWART_PLACE, pose: np.ndarray = STEWART_TURN, lengths: Sequence[Any] | None = None
) -> tm.SpatialModel:
    """Platform of 10 kg on six massless legs; with lengths each leg is driven to its length or motion."""
    m = tm.SpatialModel("Stewart–Gough")
    m.body("platform", position=place, rotation=pose, mass=10.0, inertia=(1.0, 1.0, 2.0))
    for k, (p, q) in enumerate(zip(*stewart_points(), strict=True)):
        if lengths is not None:
            m.driver(f"leg{k}", m.distance(m.ground.at(*p), m["platform"].at(*q), f"length{k}"), lengths[k])
    return m


def stewart_with_legs(place: Sequence[float] = STEWART_PLACE, pose: np.ndarray = STEWART_TURN) -> tm.SpatialModel:
    """The same with two bodies per leg: universal – prismatic – spherical; feet 2 kg, rods 1 kg."""
    m = tm.SpatialModel("hexapod")
    m.body("platform", position=place, rotation=pose, mass=10.0, inertia=(1.0, 1.0, 2.0))
    for k, (p, q) in enumerate(zip(*stewart_points(), strict=True)):
        top = np.asarray(place) + pose @ q
        u = (top - p) / np.linalg.norm(top - p)
        first = np.cross(u, Z) / np.linalg.norm(np.cross(u, Z))
        rod(m, f"foot{k}", p, p + 0.5 * u, 2.0)
        rod(m, f"rod{k}", top - 0.5 * u, top, 1.0)
        m.universal(f"U{k}", m.ground, f"foot{k}", at=p, axis=first, second_axis=np.cross(u, first))
        m.prismatic(f"P{k}", m[f"foot{k}"].marker((-0.25, 0, 0), axis="x"), m[f"rod{k}"].marker((0.25, 0, 0), axis="x"))
        m.spherical(f"S{k}", f"rod{k}", "platform", at=top)
    return m


BRICARD_POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
BRICARD_AXES = "yzxyzx"


def bricard() -> tm.SpatialModel:
    """IFToMM A04 with square bars of 1 x 0.1 x 0.1 m and 1 kg: five bars and the ground on six revolutes, gravity -y."""
    m = tm.SpatialModel("Bricard", gravity=(0, -G, 0))
    P, before = BRICARD_POINTS, m.ground
    for k in range(5):
        e = P[k + 1] - P[k]
        inertia = 1.01 / 12 * (EYE - np.outer(e, e)) + 0.02 / 12 * np.outer(e, e)
        body = m.body(f"b{k}", position=(P[k] + P[k + 1]) / 2, mass=1.0, inertia=inertia)
        m.revolute(f"J{k}", before, body, at=P[k], axis=BRICARD_AXES[k])
        before = body
    m.revolute("J5", before, m.ground, at=P[5], axis=BRICARD_AXES[5])
    m.point("P3", "b3", at=P[3])
    return m


def chain(n: int, *, bend: float = 0.6, spin: float = 0.0) -> tm.SpatialModel:
    """n boxes of 0.1 x 0.02 x 0.02 m and 0.1 kg, hinges alternating about y and z, each bent by bend / n; gravity -z."""
    m = tm.SpatialModel(f"chain of {n}")
    inertia = 0.1 / 12 * np.array([2 * 0.02**2, 0.1**2 + 0.02**2, 0.1**2 + 0.02**2])
    end, pose, before = np.zeros(3), EYE, m.ground
    for k in range(n):
        axis = Y if k % 2 == 0 else Z
        hinge = pose @ axis
        pose = pose @ turn(axis, bend / n)
        body = m.body(
            f"c{k}",
            position=end + pose @ (0.05 * X),
            rotation=pose,
            mass=0.1,
            inertia=inertia,
            omega=tuple(spin if a else None for a in axis),  # the hinge leaves each body this one free
        )
        m.revolute(f"J{k}", before, body, at=end, axis=hinge)
        end, before = end + pose @ (0.1 * X), body
    m.point("tip", before, at=end)
    return m


def four_bar(
    lengths: Sequence[float] = (0.3, 0.9, 0.7, 1.0), *, crank: float = math.pi / 3, side: int = 1, tilt: np.ndarray = EYE,
    gravity: Sequence[float] = (0, -G, 0), drive: str | None = None, masses: Sequence[float] = (1.0, 3.0, 2.3),
) -> tm.SpatialModel:  # fmt: skip
    """Planar four-bar of uniform bars with four full revolutes, in the plane across tilt's z axis: 3 redundant rows."""
    a, b, c, d = lengths
    A = a * np.array([math.cos(crank), math.sin(crank), 0.0])
    way = d * X - A
    f = float(np.linalg.norm(way))
    cosine = (b * b + f * f - c * c) / (2 * b * f)
    B = A + b * turn(Z, side * math.acos(max(-1.0, min(1.0, cosine)))) @ (way / f)
    places = {"O": np.zeros(3), "A": A, "B": B, "D": d * X}
    places = {k: tilt @ p for k, p in places.items()}
    m = tm.SpatialModel("four-bar", gravity=tuple(tilt @ np.asarray(gravity, float)))
    for name, ends, mass in zip(("crank", "coupler", "rocker"), ("OA", "AB", "DB"), masses, strict=True):
        x = places[ends[1]] - places[ends[0]]
        frame = np.column_stack([x / np.linalg.norm(x), np.cross(tilt[:, 2], x / np.linalg.norm(x)), tilt[:, 2]])
        m.body(
            name, position=(places[ends[0]] + places[ends[1]]) / 2, rotation=frame, mass=mass,
            inertia=rod_inertia(mass, float(np.linalg.norm(x))),
        )  # fmt: skip
    for pin, pair in {
        "O": ("ground", "crank"),
        "A": ("crank", "coupler"),
        "B": ("coupler", "rocker"),
        "D": ("ground", "rocker"),
    }.items():
        m.revolute(pin, *pair, at=places[pin], axis=tilt[:, 2], angle=crank if pin == "O" else 0.0)
    if drive is not None:
        m.driver("motor", "O.angle", drive)
    return m


def sarrus(height: float = 0.8, *, side: float = 1.0, drive: str | None = None) -> tm.SpatialModel:
    """Sarrus' linkage: two pairs of plates of 1 m hinged about y and about x lift a stage straight up; 1 redundant row."""
    m = tm.SpatialModel("Sarrus")
    stage = m.body("stage", position=(0, 0, height), mass=2.0, inertia=(0.1, 0.1, 0.2))
    out = math.sqrt(1.0 - (height / 2) ** 2)
    for name, u, axis in (("x", X, "y"), ("y", Y, "x")):
        foot, knee, top = side * u, (side + out) * u + height / 2 * Z, side * u + height * Z
        low, high = rod(m, f"low_{name}", foot, knee), rod(m, f"high_{name}", knee, top)
        m.revolute(f"foot_{name}", m.ground, low, at=foot, axis=axis)
        m.revolute(f"knee_{name}", low, high, at=knee, axis=axis)
        m.revolute(f"top_{name}", high, stage, at=top, axis=axis)
    if drive is not None:
        m.driver("motor", "stage.z", drive)
    return m


# --- one body ------------------------------------------------------------------------------------------------------------

TOP_TIP_INERTIA = np.diag([0.05, 0.05, 0.01])
TOP_ARM = 0.2


def heavy_top(omega: Sequence[float], *, tilt: float = math.pi / 6, frame: str = "tip") -> tm.SpatialModel:
    """Haug's heavy symmetric top (H3): 1 kg, centroid 0.2 m up its axis, diag(.05, .05, .01) about the tip; tilted about x.

    frame: "tip" (the body frame stands at the fixed point) or "centroid".
    """
    m = tm.SpatialModel(f"heavy top ({frame})")
    pose = turn(X, tilt)
    about_centroid = TOP_TIP_INERTIA - TOP_ARM**2 * np.diag([1.0, 1.0, 0.0])  # parallel axes, 1 kg
    arm = TOP_ARM * Z
    if frame == "tip":
        m.body("top", rotation=pose, mass=1.0, inertia=about_centroid, centroid=arm, omega=omega)
        m.spherical("O", m.ground.at(0, 0, 0), m["top"].at(0, 0, 0))
    else:
        speed = None if None in tuple(omega) else pose @ np.cross(omega, arm)
        m.body("top", position=pose @ arm, rotation=pose, mass=1.0, inertia=about_centroid, omega=omega, velocity=speed)
        m.spherical("O", m.ground.at(0, 0, 0), m["top"].at(*(-arm)))
    return m


HAUG_RHO = np.array([0.1, 0.2, -0.5])
HAUG_INERTIA = np.array([[0.30, 0.02, 0.01], [0.02, 0.40, -0.03], [0.01, -0.03, 0.25]])


def haug_pendulum(
    *, joint: str = "revolute", phi: float = 0.0, phi_rate: float = 1.0, slide: float = 0.0, slide_rate: float = 0.0,
    drive: str | None = None,
) -> tm.SpatialModel:  # fmt: skip
    """Haug's H2 body (3 kg, centroid [.1, .2, -.5] off the axis) turning about y, or turning and sliding on it."""
    m = tm.SpatialModel("Haug pendulum")
    m.body(
        "b", position=(0, slide, 0), rotation=turn(Y, phi), mass=3.0, inertia=HAUG_INERTIA, centroid=HAUG_RHO,
        omega=(0, phi_rate, 0), velocity=(0, slide_rate, 0),
    )  # fmt: skip
    # joint frames z along the hinge, x along the body's x: T'' and F'' read as (x, axis, -z across)
    pair = m.ground.marker(axis="y", x="x"), m["b"].marker(axis="y", x="x")
    getattr(m, joint)("J", *pair)
    if drive is not None:
        m.driver("motor", "J.angle", drive)
    return m


# --- Newton and Euler by hand ---------------------------------------------------------------------------------------------


def imbalance(
    found: tm.results.Result, body: str, loads: Sequence[tuple[np.ndarray, np.ndarray | None, np.ndarray]] = ()
) -> tuple[np.ndarray, np.ndarray, float]:
    """m a_C - forces and J α + ω × J ω - moments about the centroid, both global, and the size of the largest force.

    loads: (force, point or None for none, couple), global, shape (n, 3) each. Gravity and all joints are counted here.
    """
    b, s = found.model[body], found[body]
    arm = s.matrix @ np.array(b.centroid)
    centre = s.position + arm
    acceleration = s.acceleration + np.cross(s.alpha, arm) + np.cross(s.omega, np.cross(s.omega, arm))
    force = b.mass * (acceleration - np.array(found.model.gravity))
    J = np.array(b.inertia)
    w = s.omega_body
    moment = np.einsum("nij,nj->ni", s.matrix, s.alpha_body @ J + np.cross(w, w @ J))
    size = max(1.0, b.mass * float(np.abs(acceleration).max()), b.mass * float(np.linalg.norm(found.model.gravity)))
    for f, point, couple in loads:
        force = force - f
        moment = moment - couple
        if point is not None:
            moment = moment - np.cross(point - centre, f)
        size = max(size, float(np.abs(f).max()))
    for joint in found.model.constraints.values():
        if body in joint.bodies:
            r = found.reaction(joint.name, on=body)
            force = force - r.force
            moment = moment - r.moment_about(centre)
            size = max(size, float(np.abs(r.force).max()))
    return force, moment, size


# released models of which every one conserves its energy, with a stretch of motion [s]
RELEASED: dict[str, tuple[Callable[[], tm.SpatialModel], float]] = {
    "Bennett": (lambda: bennett(2.0), 3.0),
    "Bricard": (bricard, 2.0),
    "RSSR with a link": (lambda: rssr(0.7), 3.0),
    "RSSR with a coupler": (lambda: rssr(0.7, coupler="body"), 3.0),
    "four-bar in space": (lambda: four_bar(tilt=turn((0.6, 0.0, 0.8), 0.9)), 3.0),
    "chain": (lambda: chain(5, spin=2.0), 1.0),
    "heavy top, frame at the tip": (lambda: heavy_top((0.3, 1.0, 30.0)), 2.0),
    "pendulum with its frame off the centroid": (haug_pendulum, 2.0),
    "hexapod": (stewart_with_legs, 0.2),
    "Sarrus": (lambda: sarrus(1.5), 0.3),
}


def door() -> tm.SpatialModel:
    """Two hinges on one axis: five of their rows are redundant and share the load."""
    m = tm.SpatialModel("door")
    leaf = m.body("leaf", position=(0.5, 0.0, 0.0), mass=2.0, inertia=(0.2, 0.2, 0.2))
    for name, height in (("low", -0.4), ("high", 0.4)):
        m.revolute(name, m.ground, leaf, at=(0.0, 0.75 * height, height), axis=(0.0, 0.6, 0.8))
    return m
