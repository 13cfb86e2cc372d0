"""Dynamics in space of Nikravesh, chapters 8 and 11, recomputed with eight to ten digits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

import pytrammel as tm
from spatial_models import G, Z, turn
from verification.case import Row, case
from verification.cases.book.kap import BOOK
from verification.variants import TIGHT, each_formulation

AREA = "Nikravesh: dynamics in space"
DIGITS = "half a unit of the last digit given"
QUIET = {"progress": False}


def push(m: tm.SpatialModel, name: str, point: tm.Point, vector: Sequence[float]) -> None:
    """Force at a point, global components, as forces along its coordinates."""
    for axis, value in zip("xyz", vector, strict=True):
        if value:
            m.user_force(f"{name}_{axis}", getattr(point, axis), value)


def twist(m: tm.SpatialModel, name: str, body: tm.SpatialBody, vector: Sequence[float], frame: str = "body") -> None:
    """Couple on a body, as forces along its rotations."""
    for axis, value in zip("xyz", vector, strict=True):
        if value:
            m.user_force(f"{name}_{axis}", body.angular_velocity_about(axis, frame=frame), value)


@case("One body with a torque", area=AREA, source=f"{BOOK}, ch. 8: J' = diag(2, 3, 4), p = (.5, .7, -.5, .1), ω' = (1, -2, .5)",
      reason="rounding", uses="user_force along rotations in body and global components")  # fmt: skip
def torque() -> Iterator[Row]:
    for frame, couple in (("body", (0.3, -0.1, 0.2)), ("space", (0.152, -0.34, 0.036))):
        m = tm.SpatialModel("body", gravity=(0, 0, 0))
        twist(
            m,
            "n",
            m.body("b", rotation=(0.5, 0.7, -0.5, 0.1), mass=1.0, inertia=(2, 3, 4), omega=(1, -2, 0.5)),
            couple,
            frame,
        )
        r = m.simulate(times=[0.0], **QUIET)
        b = r["b"]
        yield Row(
            f"angular acceleration, body components (torque in {frame} components)",
            "rad/s²",
            [0.65, 0.3, 0.55],
            b.alpha_body[0],
            1e-14,
        )
    yield Row("angular acceleration, global components", "rad/s²", [-0.126, -0.83, 0.332], b.alpha[0], 1e-14)
    yield Row("angular momentum", "kg m²/s", [5.04, -2.8, -3.28], r.angular_momentum[0], 1e-14)
    yield Row("kinetic energy", "J", 7.5, r.energy.kinetic[0], 1e-14)
    second = tm.rotations.parameter_acceleration(b.parameters[0], b.omega_body[0], b.alpha_body[0])
    yield Row(
        "second derivatives of the Euler parameters", "1/s²", [-0.83625, -0.90875, 0.57125, 0.27375], second, 1e-14
    )


@case("Unbalanced rotor", area=AREA, source=f"{BOOK}, ch. 8: j_xz = -.2, j_yz = .1, j_zz = 1.5; by hand", reason="rounding",
      uses="revolute, driver; inverse_dynamics")  # fmt: skip
def rotor() -> Iterator[Row]:
    m = tm.SpatialModel("rotor", gravity=(0, 0, 0))
    m.body("rotor", mass=1.0, inertia=[[1.2, 0, -0.2], [0, 1.2, 0.1], [-0.2, 0.1, 1.5]])
    m.revolute("A", m.ground.marker(x="x"), m["rotor"].marker(x="x"))
    m.driver("motor", "A.angle", "10*t + 1.5*t^2")
    r = m.inverse_dynamics(times=[0.0, 0.7], **QUIET)
    load = r.reaction("A", on="rotor")
    yield Row("moment of the bearing at 0 s", "N m", [-10.6, -19.7, 0.0], load.moment_in_joint_frame[0], 1e-13)
    yield Row("force of the bearing", "N", np.zeros((2, 3)), load.force, 1e-13)
    yield Row("torque of the motor", "N m", 4.5, r.effort("motor")[0], 1e-13)
    speed = 10 + 3 * 0.7
    want = [-0.2 * 3 - 0.1 * speed**2, 0.1 * 3 - 0.2 * speed**2, 0.0]
    yield Row("moment of the bearing at 0.7 s", "N m", want, load.moment_in_joint_frame[1], 1e-12)


@case("Rod on a ball joint starts to fall", area=AREA, source=f"{BOOK}, ch. 8: 6 kg, 2 m, J' = diag(.01, 2, 2)", reason="rounding",
      uses="spherical")  # fmt: skip
def rod() -> Iterator[Row]:
    for spin, pull in (((0, 0, 0), (0, 0, 14.715)), ((0, 0, 2), (-24, 0, 14.715))):
        m = tm.SpatialModel("rod")
        m.body(
            "rod", position=(1, 0, 0), mass=6.0, inertia=(0.01, 2, 2), omega=spin, velocity=np.cross(spin, (1, 0, 0))
        )
        m.spherical("O", m.ground.at(0, 0, 0), m["rod"].at(-1, 0, 0))
        r = m.simulate(times=[0.0], **QUIET)
        yield Row(
            f"angular acceleration (spin {spin[2]} rad/s)", "rad/s²", [0, 7.3575, 0], r["rod"].alpha_body[0], 1e-13
        )
        yield Row(
            f"acceleration of the centre (spin {spin[2]} rad/s)", "m/s²", -7.3575, r["rod"].acceleration[0, 2], 1e-13
        )
        yield Row(
            f"reaction of the ball joint (spin {spin[2]} rad/s)", "N", pull, r.reaction("O", on="rod").force[0], 1e-12
        )


@case("Axisymmetric body without torque", area=AREA, source=f"{BOOK}, ch. 8: J' = diag(2, 2, 3), ω' = (.3, 0, 4); closed form",
      reason="rtol 1e-12 over some hundred steps; six printed digits", uses="free body; formulations cartesian, joint, I, II")  # fmt: skip
def axisymmetric() -> Iterator[Row]:
    m = tm.SpatialModel("top", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(2, 2, 3), omega=(0.3, 0, 4))
    t = np.array([0.0, 1.0, math.pi, 10.0])
    want = np.column_stack([0.3 * np.cos(2 * t), 0.3 * np.sin(2 * t), np.full_like(t, 4.0)])
    for name, r in each_formulation(m, ("cartesian", "joint", "I", "II"), times=t, **TIGHT):
        yield Row(f"angular velocity ({name})", "rad/s", want, r["b"].omega_body, 1e-10)
    yield Row("angular velocity at 1 s, printed", "rad/s", [-0.124844, 0.272789, 4], r["b"].omega_body[1], 6e-7)


def two_bodies() -> tm.SpatialModel:
    """Problem 11.7 with loads and velocities."""
    m = tm.SpatialModel("two bodies")
    one = m.body("one", mass=2.0, inertia=(0.2, 0.3, 0.4), velocity=(0.3, 0, 0.1), omega=(0.1, 0.2, -0.3))
    two = m.body(
        "two", position=(0.612, 0.384, -0.1), rotation=(0.8, 0, 0, 0.6), mass=3.0, inertia=(0.1, 0.5, 0.6),
        velocity=(0.958, -0.394, -0.2), omega=(1, 0.5, -2),
    )  # fmt: skip
    m.spherical("S", one.at(0.5, 0, 0), two.at(-0.4, 0, 0.1))
    push(m, "f", one.at(0, 0, 0.25), (0, 5, 0))
    twist(m, "n1", one, (1, 0, 2), frame="space")
    twist(m, "n2", two, (0, -1, 0.5), frame="space")
    return m


# acceleration, angular acceleration and moment of the joint about the centroid in body components
PROBLEM_11_7 = {
    "one": ((-0.0685474206, 1.26474241, -9.8480520578), (-1.22, 0.1068401927, 1.9068560251), (0, 0.0380520578, -1.23525759)),
    "two": ((0.0456982804, 0.82350506, -9.7846319615), (-9.1601332029, -2.0171004818, 0.1265778647),
            (-0.0560133203, 0.2714497591, -0.2240532812)),
}  # fmt: skip
FORCE_11_7 = np.array([-0.1370948411, -2.4705151799, -0.0761041156])


@case("Problem 11.7, two bodies on a ball joint", area=AREA, source=f"{BOOK}, prob. 11.7 with further data, recomputed with ten digits",
      reason=DIGITS, uses="spherical, loads; formulations cartesian, joint, relative, I, II")  # fmt: skip
def ball_joint() -> Iterator[Row]:
    m = two_bodies()
    for name, r in each_formulation(m, ("cartesian", "joint", "relative", "I", "II"), times=[0.0]):
        for body, (a, alpha, moment) in PROBLEM_11_7.items():
            sign = 1 if body == "one" else -1
            load = r.reaction("S", on=body)
            yield Row(f"acceleration of body {body} ({name})", "m/s²", a, r[body].acceleration[0], 6e-9)
            yield Row(f"angular acceleration of body {body} ({name})", "rad/s²", alpha, r[body].alpha_body[0], 6e-9)
            yield Row(f"reaction on body {body} ({name})", "N", sign * FORCE_11_7, load.force[0], 6e-11)
            found = r[body].matrix[0].T @ load.moment_about(r[body].position)[0]
            yield Row(f"moment of the joint about the centroid of body {body} ({name})", "N m", moment, found, 6e-9)


@case("Hinge in space as a planar pendulum", area=AREA, source=f"{BOOK}, ch. 11: m = 2, J' = diag(.3, .4, .5), d = 1, φ = .4",
      reason=DIGITS, uses="revolute; formulations cartesian, joint, relative, I, II")  # fmt: skip
def hinge() -> Iterator[Row]:
    m = tm.SpatialModel("pendulum", gravity=(0, -G, 0))
    at = turn(Z, 0.4) @ (1, 0, 0)
    m.body(
        "b",
        position=at,
        rotation=turn(Z, 0.4),
        mass=2.0,
        inertia=(0.3, 0.4, 0.5),
        omega=(0, 0, 1.7),
        velocity=1.7 * np.cross(Z, at),
    )
    m.revolute("O", m.ground, "b", at=(0, 0, 0), axis="z")
    for name, r in each_formulation(m, ("cartesian", "joint", "relative", "I", "II"), times=[0.0]):
        yield Row(f"acceleration ({name})", "m/s²", [0.153039028, -7.7832961368, 0], r["b"].acceleration[0], 6e-10)
        yield Row(f"angular acceleration ({name})", "rad/s²", [0, 0, -7.2284866809], r["b"].alpha_body[0], 6e-11)
        yield Row(
            f"reaction of the hinge ({name})",
            "N",
            [0.306078056, 4.0534077265, 0],
            r.reaction("O", on="b").force[0],
            6e-10,
        )


# time: position, Euler parameters (None where not given), angular velocity in body components
THRUST = {
    1: ((-0.0186403225, 4.9738949744, 4.1081953909), (0.6216197941, 0.6231059266, -0.4642612753, 0.0989409118),
        (3.062346462, -1.7889272456, 0.7592037592)),
    2: ((-0.0507547572, 4.8289807685, 4.236637955), (-0.6512534927, -0.5957778098, 0.0035536388, 0.4700053843),
        (6.1507718168, 2.0112224375, 0.9074807062)),
    5: ((-0.1114033439, 4.2668171941, 4.6247030224), None, (14.879955464, -0.3855471745, 1.5816341202)),
}  # fmt: skip


@case("Problem 13.2, box under a thrust that turns with it", area=AREA, source=f"{BOOK}, prob. 13.2, recomputed with ten digits",
      reason="ten digits after 5 s and some 400 steps", uses="force along a body-fixed direction; dop853, radau5 and adams")  # fmt: skip
def thrust() -> Iterator[Row]:
    m = tm.SpatialModel("box", gravity=(0, 0, 0))
    J = 50 / 12 * np.array([0.4**2 + 0.2**2, 0.6**2 + 0.2**2, 0.6**2 + 0.4**2])
    b = m.body("b", position=(0, 5, 4), mass=50.0, inertia=J)
    m.user_force("thrust", b.at(0.3, 0.2, 0.1).velocity_along("z", frame="body"), 12.0)
    times = np.array(list(THRUST), float)
    for method in ("dop853", "adams"):
        r = m.simulate(times=[0.0, *times], method=method, **TIGHT)
        yield Row(f"moment at 0 s ({method})", "N m", [2.4, -3.6, 0], J * r["b"].alpha_body[0], 1e-13)
        place, _, omega = (
            np.array(list(column)) if k != 1 else None for k, column in enumerate(zip(*THRUST.values(), strict=True))
        )
        yield Row(f"position ({method})", "m", place, r["b"].position[1:], 1e-9)
        yield Row(f"angular velocity ({method})", "rad/s", omega, r["b"].omega_body[1:], 1e-8)
        for k in (1, 2):
            p, want = r["b"].parameters[k], np.array(THRUST[k][1])
            yield Row(f"Euler parameters at {k} s ({method})", "", want, p * np.sign(p @ want), 1e-9)
        yield Row(
            f"velocity at 1 s ({method})", "m/s", [-0.0635476313, -0.094348561, 0.1735753541], r["b"].velocity[1], 1e-9
        )


@case("Orientation of a symmetric top without torque", area=AREA,
      source=f"{BOOK}, ch. 11: J' = diag(1, 1, 2), ω' = (.1, 0, 1); closed form",
      reason="rtol 1e-12 over 40 s", uses="free body; dop853")  # fmt: skip
def top() -> Iterator[Row]:
    m = tm.SpatialModel("top", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(1, 1, 2), omega=(0.1, 0, 1))
    r = m.simulate(times=[0.0, 3.0, 40.0], **TIGHT)
    H = np.array([0.1, 0, 2])
    want = np.array([turn(H / np.linalg.norm(H), np.linalg.norm(H) * t) @ turn(Z, -t) for t in r.times])
    yield Row("rotation matrix", "", want, r["b"].matrix, 1e-10)
    spin = np.column_stack([0.1 * np.cos(r.times), 0.1 * np.sin(r.times), np.ones(3)])
    yield Row("angular velocity", "rad/s", spin, r["b"].omega_body, 1e-10)
    yield Row(
        "Euler parameters at 3 s",
        "",
        [0.0668274322, 0.0004853896, 0.0068446825, 0.9977409529],
        r["b"].parameters[1],
        1e-10,
    )
