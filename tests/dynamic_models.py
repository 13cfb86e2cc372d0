"""Mechanisms with masses, used by the tests and benchmarks of dynamics; drawn as their sources draw them.

Points are complex numbers, as in `mechanisms`. Angles of bars are those of the way from their first end to their second.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import pytrammel as tm
from mechanisms import circles_meet, xy

G = 9.81


def bar(
    m: tm.PlanarModel, name: str, p: complex, q: complex, mass: float, *, spin: float | None = None, angle: float | None = None,
    **more: Any,
) -> Any:  # fmt: skip
    """Uniform thin bar from p to q: frame at its middle, inertia m l²/12."""
    inertia = mass * abs(q - p) ** 2 / 12
    turn = cmath.phase(q - p) if angle is None else angle
    return m.body(name, position=xy((p + q) / 2), angle=turn, mass=mass, inertia=inertia, omega=spin, **more)


def place(found: tm.results.Result, body: str, xi: float, eta: float = 0.0) -> np.ndarray:
    """Complex positions of a point of a body, from its pose."""
    if body == "ground":
        return np.full(len(found), complex(xi, eta))
    pose = found[body]
    return pose.x + 1j * pose.y + np.exp(1j * pose.phi) * complex(xi, eta)


# --- pendulums and chains ----------------------------------------------------------------------------------------------


def pendulum(
    angle: float = 0.0, *, mass: float = 1.0, length: float = 1.0, spin: float | None = None
) -> tm.PlanarModel:
    """Uniform rod, one end pinned at the origin; angle from +x."""
    m = tm.PlanarModel("pendulum")
    tip = cmath.rect(length, angle)
    bar(m, "rod", 0, tip, mass, spin=spin, angle=angle)
    m.revolute("O", m.ground, "rod", at=(0, 0))
    return m


def simple_pendulum(start: complex = -1, *, kind: str = "link") -> tm.PlanarModel:
    """IFToMM A01: 1 kg on a massless rod of 1 m about the origin.

    kind: "link" (the bob may spin freely), "pin" (the bob is a point mass on an arm) or "massless" (a massless rod with pins).
    """
    m = tm.PlanarModel(f"simple pendulum ({kind})")
    if kind == "pin":
        m.body("bob", position=xy(start), angle=cmath.phase(start), mass=1.0, inertia=0.0)
        m.revolute("rod", m.ground, "bob", at=(0, 0))
        return m
    m.body("bob", position=xy(start), mass=1.0, inertia=1.0)
    if kind == "link":
        m.link("rod", m.ground.at(0, 0), m["bob"].at(0, 0))
    else:
        m.body("arm", position=xy(start / 2), angle=cmath.phase(start), massless=True)
        m.revolute("O", m.ground, "arm", at=(0, 0))
        m.revolute("rod", "arm", "bob", at=xy(start))
    return m


def chain(angles: Sequence[float], *, mass: float = 1.0, length: float = 1.0, gravity: float = G) -> tm.PlanarModel:
    """Uniform rods one after the other, the first pinned at the origin; angles from +x. Bodies r0, r1, …; pins p0, p1, …"""
    m = tm.PlanarModel(f"chain of {len(angles)}", gravity=(0, -gravity))
    end, before = 0j, m.ground
    for k, angle in enumerate(angles):
        tip = end + cmath.rect(length, angle)
        rod = bar(m, f"r{k}", end, tip, mass, angle=angle)
        m.revolute(f"p{k}", before, rod, at=xy(end))
        end, before = tip, rod
    return m


def double_pendulum(kind: str, theta: tuple[float, float]) -> tm.PlanarModel:
    """Two arms of 1 m and 1 kg; theta from the downward vertical. Bodies r0 and r1.

    kind: "rods" (uniform), "point" (point masses on pinned arms) or "links" (bodies joined by massless links, free to spin).
    """
    m = tm.PlanarModel(f"double pendulum ({kind})")
    end, before = 0j, m.ground
    for k, th in enumerate(theta):
        angle = th - math.pi / 2
        tip = end + cmath.rect(1.0, angle)
        if kind == "links":
            bob = m.body(f"r{k}", position=xy(tip), mass=1.0, inertia=1.0)
            m.link(f"p{k}", before.at(0, 0), bob.at(0, 0))
            end, before = tip, bob
            continue
        if kind == "rods":
            arm = bar(m, f"r{k}", end, tip, 1.0, angle=angle)
        else:
            arm = m.body(f"r{k}", position=xy(tip), angle=angle, mass=1.0, inertia=0.0)
        m.revolute(f"p{k}", before, arm, at=xy(end))
        end, before = tip, arm
    return m


def light_cart_pole(*, cart: float = 1e-6, kind: str = "link") -> tm.PlanarModel:
    """Cart of mass 1e-6 kg on the x axis; 1 kg on a massless pole of 1 m, drawn horizontal to the right.

    kind: "link" (the bob may spin freely) or "pin" (the bob is a point mass on an arm).
    """
    m = tm.PlanarModel("light cart-pole")
    m.body("cart", mass=cart, inertia=cart)
    m.prismatic("rail", m.ground, m["cart"].at(0, 0), at=(0, 0), axis=(1, 0))
    m.body("bob", position=(1.0, 0.0), mass=1.0, inertia=1.0 if kind == "link" else 0.0)
    if kind == "link":
        m.link("pole", m["cart"].at(0, 0), m["bob"].at(0, 0))
    else:
        m.revolute("pole", "cart", "bob", at=(0, 0))
    return m


# --- Nikravesh (1988), section 10.3 --------------------------------------------------------------------------------------


def dap_four_bar(*, exact: bool = False) -> tm.PlanarModel:
    """10.3.1: four-bar falling from rest, with the three digits of the printed input, or assembled exactly at 60°."""
    if exact:
        A, D = 0j, 2.5 + 0j
        B = cmath.rect(2.0, math.pi / 3)
        C = circles_meet(B, D, 4.0, 4.0, side=1)
        poses = [(*xy((p + q) / 2), cmath.phase(q - p)) for p, q in ((A, B), (B, C), (D, C))]
    else:
        poses = [(0.5, 0.866, 1.047), (2.824, 2.553, 0.423), (3.574, 1.687, 1.004)]
    m = tm.PlanarModel("DAP four-bar")
    for k, (pose, mass, inertia) in enumerate(zip(poses, (1.0, 2.25, 2.0), (0.3, 2.0, 1.35), strict=True)):
        m.body(f"b{k + 2}", position=pose[:2], angle=pose[2], mass=mass, inertia=inertia)
    m.revolute("rev1", m.ground.at(0, 0), m["b2"].at(-1, 0))
    m.revolute("rev2", m["b2"].at(1, 0), m["b3"].at(-2, 0))
    m.revolute("rev3", m["b3"].at(2, 0), m["b4"].at(2, 0))
    m.revolute("rev4", m["b4"].at(-2, 0), m.ground.at(2.5, 0))
    m.point("P", "b3", local=(0.5, 1.5))
    return m


def platform(*, exact: bool = False) -> tm.PlanarModel:
    """10.3.2: horizontal platform on two parallel legs with a spring-damper.

    Three digits as typed into DAP (the printed run used Y = .470), or exactly at 110° with the platform rising at .12 m/s.
    """
    m = tm.PlanarModel("platform")
    if exact:
        turn = math.pi / 9
        leg = 0.5j * cmath.exp(1j * turn)
        spin = 0.12 / leg.real
        foot, speed = leg / 2, 0.5j * spin * leg
        poses = [foot - 0.25, leg, foot + 0.25]
    else:
        turn, spin, speed, leg = 0.349, -0.702, 0.165 + 0.060j, -0.171 + 0.470j
        poses = [-0.335 + 0.235j, leg, 0.165 + 0.235j]
    legs = {"velocity": xy(speed), "omega": spin, "mass": 0.6, "inertia": 0.1, "angle": turn}
    m.body("b2", position=xy(poses[0]), **legs)
    m.body("b3", position=xy(poses[1]), velocity=xy(2 * speed), mass=1.5, inertia=0.2)
    m.body("b4", position=xy(poses[2]), **legs)
    m.revolute("rev1", m.ground.at(-0.25, 0), m["b2"].at(0, -0.25))
    m.revolute("rev2", m["b2"].at(0, 0.25), m["b3"].at(-0.25, 0))
    m.revolute("rev3", m["b3"].at(0.25, 0), m["b4"].at(0, 0.25))
    m.revolute("rev4", m["b4"].at(0, -0.25), m.ground.at(0.25, 0))
    m.spring("S", m.ground.at(0.25, 0), m["b3"].at(-0.25, 0), stiffness=700.0, damping=50.0, free_length=0.6)
    return m


def dump_truck(*, force: float, exact: bool = True, damping: float = 500.0) -> tm.PlanarModel:
    """10.3.3: scissor lift of a dump truck with an actuator pull `force` at D on BE; four digits of the book, or closed exactly.

    Bodies 2 = AC, 3 = CK, 4 = BE, 5 = EF, 6 = load.
    """
    if exact:
        A, B = 0j, 1.6 + 0.2j
        C = A - cmath.rect(0.4, -0.38)
        # CK and BE cross at D, 1.3 from C and .7 from B
        D = circles_meet(C, B, 1.3, 0.7, side=1)
        K, E = C + (D - C) * 2 / 1.3, B + (D - B) * 2 / 0.7
        H = circles_meet(E, K, 0.4, 1.6, side=1)
        poses = [(A, C, -0.38), (C, K, cmath.phase(K - C)), (E, B, cmath.phase(B - E)), (E, H, cmath.phase(H - E))]
        numbers = [(*xy((p + q) / 2), angle) for p, q, angle in poses]
        turn = cmath.phase(K - H)
        numbers.append((*xy((H + K) / 2 + 0.4 * cmath.exp(1j * (turn + math.pi / 2))), turn))
    else:
        numbers = [(-0.1857, 0.0742, -0.380), (0.6175, 0.2962, 0.148), (0.6204, 0.4008, -0.202), (-0.1658, 0.6522, 0.256),
                   (0.8818, 0.9682, -0.163)]  # fmt: skip
    m = tm.PlanarModel("dump truck")
    masses = [(0.4, 0.005), (2.0, 0.7), (2.0, 0.7), (0.4, 0.005), (100.0, 27.0)]
    for k, (pose, (mass, inertia)) in enumerate(zip(numbers, masses, strict=True)):
        m.body(f"b{k + 2}", position=pose[:2], angle=pose[2], mass=mass, inertia=inertia)
    ground = m.ground
    b2, b3, b4, b5, b6 = (m[f"b{k}"] for k in range(2, 7))
    m.revolute("rev1", ground.at(0, 0), b2.at(0.2, 0))
    m.revolute("rev2", ground.at(1.6, 0.2), b4.at(1, 0))
    m.revolute("rev3", b2.at(-0.2, 0), b3.at(-1, 0))
    m.revolute("rev4", b3.at(0.3, 0), b4.at(0.3, 0))
    m.revolute("rev5", b3.at(1, 0), b6.at(0.8, -0.4))
    m.revolute("rev6", b4.at(-1, 0), b5.at(-0.2, 0))
    m.revolute("rev7", b5.at(0.2, 0), b6.at(-0.8, -0.4))
    m.spring("S", ground.at(0, 0), b4.at(0.3, 0), damping=damping, force=force)
    return m


# --- published benchmarks ------------------------------------------------------------------------------------------------


def slider_crank_release() -> tm.PlanarModel:
    """Crank .3 m/1 kg, rod .8 m/2 kg, slider 1.5 kg on the x axis, released at 60°."""
    A = cmath.rect(0.3, math.pi / 3)
    S = A.real + math.sqrt(0.8**2 - A.imag**2)
    m = tm.PlanarModel("slider-crank")
    bar(m, "crank", 0, A, 1.0, angle=math.pi / 3)
    bar(m, "rod", A, S, 2.0)
    m.body("slider", position=(S, 0), mass=1.5, inertia=1e-2)
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.revolute("A", "crank", "rod", at=xy(A))
    m.revolute("B", "rod", "slider", at=(S, 0))
    m.prismatic("T", m.ground, "slider", at=(S, 0), axis=(1, 0))
    return m


def four_bar_release(
    lengths: Sequence[float] = (0.3, 0.9, 0.7, 1.0), masses: Sequence[float] = (1.0, 3.0, 2.3), *, crank: float = math.pi / 3,
    side: int = 1, spin: float | None = None,
) -> tm.PlanarModel:  # fmt: skip
    """Uniform bars: crank a, coupler b, rocker c, frame d; released at the given crank angle, with the given crank speed."""
    a, b, c, d = lengths
    A = cmath.rect(a, crank)
    B = circles_meet(A, d, b, c, side)
    m = tm.PlanarModel("four-bar")
    bar(m, "crank", 0, A, masses[0], angle=crank, spin=spin)
    bar(m, "coupler", A, B, masses[1])
    bar(m, "rocker", d, B, masses[2])
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.revolute("A", "crank", "coupler", at=xy(A))
    m.revolute("B", "coupler", "rocker", at=xy(B))
    m.revolute("D", m.ground, "rocker", at=(d, 0))
    return m


def n_four_bar(n: int) -> tm.PlanarModel:
    """IFToMM A02: n windows of bars of 1 m and 1 kg, upright, top row moving at 1 m/s."""
    m = tm.PlanarModel(f"{n}-four-bar")

    def post(i: int) -> Any:
        body = bar(m, f"v{i}", i, i + 1j, 1.0, spin=-1.0, velocity=(0.5, 0))
        m.revolute(f"g{i}", m.ground, body, at=(i, 0))
        return body

    before = post(0)
    for i in range(n):
        beam = bar(m, f"h{i}", i + 1j, i + 1 + 1j, 1.0, velocity=(1.0, 0))
        after = post(i + 1)
        m.revolute(f"a{i}", before, beam, at=(i, 1))
        m.revolute(f"b{i}", beam, after, at=(i + 1, 1))
        before = after
    return m


# IVP test set: masses, inertias, and where the centre of mass is along and across each bar
ANDREWS_BODIES = {
    "K1": (0.04325, 2.194e-6, 0.00092, 0.0), "K2": (0.00365, 4.410e-7, 0.0115, 0.0), "K3": (0.02373, 5.255e-6, 0.01874, 0.01043),
    "K4": (0.00706, 5.667e-7, 0.01421, 0.0), "K5": (0.07050, 1.169e-5, 0.02308, 0.00916),
    "K6": (0.00706, 5.667e-7, 0.01421, 0.0), "K7": (0.05498, 1.912e-5, 0.01228, 0.00449),
}  # fmt: skip
ANDREWS_START = {
    "beta": -0.0617138900142764496,
    "theta": 0.0,
    "delta": 0.487364979543842550,
    "epsilon": 1.23054744454982119,
}


def andrews() -> tm.PlanarModel:
    """Andrews' squeezing mechanism (IFToMM A03, IVP test set), drawn at its consistent start.

    Points O, A, B, C on the ground; F, E, G, H move. K1 = OF, K2 = FE, K3 = BE (with D), K4 = EG, K5 = AG, K6 = EH, K7 = AH.
    """
    q = ANDREWS_START
    A, B, C = complex(-0.06934, -0.00227), complex(-0.03635, 0.03273), complex(0.014, 0.072)
    F = cmath.rect(0.007, q["beta"])
    E = F - cmath.rect(0.028, q["beta"] + q["theta"])
    Gp = A + cmath.rect(0.04, q["delta"])
    H = A + cmath.rect(0.04, q["epsilon"] - math.pi / 2)
    m = tm.PlanarModel("Andrews", gravity=(0, 0))
    ends = {"K1": (0j, F), "K2": (F, E), "K3": (B, E), "K4": (E, Gp), "K5": (A, Gp), "K6": (E, H), "K7": (A, H)}
    for name, (p, r) in ends.items():
        mass, inertia, along, across = ANDREWS_BODIES[name]
        u = (r - p) / abs(r - p)
        m.body(name, position=xy(p + (along + 1j * across) * u), angle=cmath.phase(u), mass=mass, inertia=inertia)
    joints = [("O", "ground", "K1", 0j), ("F", "K1", "K2", F), ("E1", "K2", "K3", E), ("E2", "K3", "K4", E), ("E3", "K3", "K6", E),
              ("B", "ground", "K3", B), ("G", "K4", "K5", Gp), ("H", "K6", "K7", H), ("A1", "ground", "K5", A),
              ("A2", "ground", "K7", A)]  # fmt: skip
    for name, first, second, at in joints:
        m.revolute(name, first, second, at=xy(at))
    u = (E - B) / abs(E - B)
    D = B + (0.018 + 0.020j) * u
    m.spring("S", m["K3"].at_global(*xy(D)), m.ground.at(*xy(C)), stiffness=4530.0, free_length=0.07785)
    m.motor("M", first=m.ground, second="K1", torque=0.033)
    return m


def double_parallel_crank() -> tm.PlanarModel:
    """Three equal cranks of 1 m carry one beam: the third is redundant. Released at 60°, 1 kg bars, 3 kg beam."""
    turn = math.pi / 3
    m = tm.PlanarModel("double parallel crank")
    beam = bar(m, "beam", cmath.rect(1, turn), 4 + cmath.rect(1, turn), 3.0)
    for k in range(3):
        foot = 2.0 * k + 0j
        top = foot + cmath.rect(1, turn)
        crank = bar(m, f"c{k}", foot, top, 1.0, angle=turn)
        m.revolute(f"g{k}", m.ground, crank, at=xy(foot))
        m.revolute(f"t{k}", crank, beam, at=xy(top))
    return m


def imbalance(found: tm.results.Result, body: str, loads: list[Any]) -> tuple[np.ndarray, np.ndarray, float]:
    """m a_C - forces - reactions, I alpha - moments about the centroid, and the size of the largest force."""
    b, s = found.model[body], found[body]
    arm = np.exp(1j * s.phi) * complex(*b.centroid)
    centre = s.x + 1j * s.y + arm
    force = b.mass * (s.ax + 1j * s.ay + (1j * s.alpha - s.omega**2) * arm)
    moment = b.inertia * s.alpha
    size = 1.0
    for f, point, couple in loads:
        force = force - f
        moment = moment - couple
        if point is not None:
            moment = moment - (np.conj(point - centre) * f).imag
        size = max(size, float(np.abs(f).max()))
    for joint in found.model.constraints.values():
        if body in joint.bodies:
            r = found.reaction(joint.name, on=body)
            f = r.force[:, 0] + 1j * r.force[:, 1]
            force = force - f
            moment = moment - r.moment_about(np.column_stack([centre.real, centre.imag]))
            size = max(size, float(np.abs(f).max()))
    return force, moment, size
