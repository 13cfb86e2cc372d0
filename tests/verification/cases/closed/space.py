"""Dynamics in space with closed forms."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

import pytrammel as tm
from spatial_models import G, Y, Z, along, rod_inertia, turn
from verification.case import Row, case
from verification.variants import TIGHT, each_formulation

AREA = "Closed forms: dynamics in space"
REASON = "rtol 1e-12 over some hundred steps"
QUIET = {"progress": False}


@case("Thrown body", area=AREA, source="parabola of the centre of mass, wherever the frame stands", reason=REASON,
      uses="free body with centroid=; formulations cartesian, joint, I, II")  # fmt: skip
def thrown() -> Iterator[Row]:
    spin, pose = np.array([0.4, 3.0, 0.2]), turn((0.6, 0.0, 0.8), 0.7)
    start, t = np.array([1.0, 2.0, 3.0]), np.linspace(0, 2, 9)
    for centroid in ((0, 0, 0), (0.3, -0.2, 0.1)):
        m = tm.SpatialModel("thrown")
        speed = start - pose @ np.cross(spin, centroid)
        m.body("b", rotation=pose, mass=2.0, inertia=(0.1, 0.2, 0.25), centroid=centroid, velocity=speed, omega=spin)
        want = pose @ np.array(centroid) + start * t[:, None] - 0.5 * G * Z * t[:, None] ** 2
        names = ("cartesian", "joint", "I", "II") if centroid == (0, 0, 0) else ("cartesian", "joint")
        for name, r in each_formulation(m, names, times=t, **TIGHT):
            yield Row(f"path of the centre of mass, centroid {centroid} ({name})", "m", want, r["b"].centroid, 1e-11)


@case("Symmetric top without torque", area=AREA, source="the axis turns about H at |H| / A, the body about its axis at (A - C) n / A",
      reason=REASON, uses="free body; dop853, radau5, adams")  # fmt: skip
def cone() -> Iterator[Row]:
    A, n, w = 0.7, 5.0, 1.3
    for ratio in (0.5, 1.7):
        C = ratio * A
        m = tm.SpatialModel("top", gravity=(0, 0, 0))
        m.body("b", mass=1.0, inertia=(A, A, C), omega=(w, 0, n))
        H, t = np.array([A * w, 0, C * n]), np.linspace(0, 3, 16)
        want = np.array(
            [turn(H / np.linalg.norm(H), np.linalg.norm(H) / A * x) @ turn(Z, (A - C) / A * n * x) for x in t]
        )
        for method in ("dop853", "adams"):
            r = m.simulate(times=t, method=method, **TIGHT)
            yield Row(f"rotation matrix, C / A = {ratio:g} ({method})", "", want, r["b"].matrix, 1e-10)
            yield Row(
                f"angular momentum, C / A = {ratio:g} ({method})",
                "kg m²/s",
                np.tile(H, (16, 1)),
                r.angular_momentum,
                1e-9,
            )


@case("Conical pendulum", area=AREA, source="Ω² = 3 g / (2 l cos α) for a rod on a ball joint", reason=REASON,
      uses="spherical; formulations cartesian, joint")  # fmt: skip
def conical() -> Iterator[Row]:
    length, tilt, thick, mass = 1.2, 0.6, 1e-6, 2.0
    rate = math.sqrt(1.5 * G / length / math.cos(tilt) / (1 - thick / 4))
    down = turn(Y, -tilt) @ (-Z)
    pose, spin = along(down), rate * Z
    m = tm.SpatialModel("conical pendulum")
    m.body(
        "rod", position=down * length / 2, rotation=pose, mass=mass, inertia=rod_inertia(mass, length, thick=thick),
        omega=pose.T @ spin, velocity=np.cross(spin, down * length / 2),
    )  # fmt: skip
    m.spherical("O", m.ground, "rod", at=(0, 0, 0))
    t = np.linspace(0, 2 * math.pi / rate, 13)
    want = np.array([turn(Z, rate * x) @ down for x in t])
    for name, r in each_formulation(m, ("cartesian", "joint"), times=t, **TIGHT):
        yield Row(f"direction of the rod ({name})", "", want, r["rod"].matrix[:, :, 0], 1e-11)
        force = r.reaction("O", on="rod").force
        radial = np.hypot(force[:, 0], force[:, 1])
        yield Row(f"vertical force of the joint ({name})", "N", np.full(13, mass * G), force[:, 2], 1e-10)
        yield Row(
            f"radial force of the joint ({name})",
            "N",
            np.full(13, mass * rate**2 * length / 2 * math.sin(tilt)),
            radial,
            1e-8,
        )


@case("Rotor in two bearings and gyroscope", area=AREA, source="(-j_yz ω², j_xz ω²) over the distance; C n Ω across both axes",
reason="rounding",
      uses="spherical, point_on_line, revolute; inverse_dynamics")  # fmt: skip
def rotors() -> Iterator[Row]:
    m = tm.SpatialModel("rotor", gravity=(0, 0, 0))
    m.body("rotor", mass=3.0, inertia=[[1.2, 0, -0.2], [0, 1.2, 0.1], [-0.2, 0.1, 1.5]])
    m.spherical("ball", m.ground, "rotor", at=(0, 0, -0.5))
    m.point_on_line("sleeve", m.ground, m["rotor"].at(0, 0, 0.5), at=(0, 0, 0.5), axis="z")
    m.driver("motor", m.angle_between(m.ground, "rotor", "z"), "10*t")
    r = m.inverse_dynamics(1.0, samples=7, **QUIET)
    top = np.array([turn(Z, 10 * t) @ (-20.0, 10.0, 0.0) for t in r.times])
    yield Row("force of the sleeve", "N", top, r.reaction("sleeve", on="rotor").force, 1e-11)
    yield Row("force of the ball", "N", -top, r.reaction("ball", on="rotor").force, 1e-11)
    C, n, W = 0.4, 30.0, 2.0
    m = tm.SpatialModel("gyroscope", gravity=(0, 0, 0))
    m.body("table", mass=1.0, inertia=1.0)
    m.body("rotor", position=(0, 0, 0.3), mass=1.0, inertia=(C, 0.25, 0.25))
    m.revolute("A", m.ground.marker(x="x"), m["table"].marker(x="x"))
    m.revolute("B", m["table"].marker((0, 0, 0.3), axis="x", x="y"), m["rotor"].marker(axis="x", x="y"))
    m.driver("turn", "A.angle", f"{W}*t")
    m.driver("spin", "B.angle", f"{n}*t")
    r = m.inverse_dynamics(1.0, samples=11, **QUIET)
    frame = np.array([turn(Z, W * t) for t in r.times])
    moment = np.einsum("nji,nj->ni", frame, r.reaction("B", on="rotor").moment)
    yield Row("gyroscopic moment in the table's frame", "N m", np.tile([0.0, C * n * W, 0.0], (11, 1)), moment, 1e-12)


@case("Rolling balls", area=AREA, source="g sin α / (1 + k) on a slope; 2/7 of the speed of a turntable (Earnshaw)", reason=REASON,
      uses="rolling_sphere; dop853")  # fmt: skip
def rolling() -> Iterator[Row]:
    slope, mass, radius = 0.3, 3.0, 0.2
    normal, down = np.array([math.sin(slope), 0, math.cos(slope)]), np.array([math.cos(slope), 0, -math.sin(slope)])
    for share, name in ((0.4, "solid"), (2 / 3, "hollow")):
        m = tm.SpatialModel("ball")
        m.body("ball", position=radius * normal, mass=mass, inertia=share * mass * radius**2)
        m.rolling_sphere("roll", m.ground, "ball", radius=radius, at=(0, 0, 0), axis=normal)
        r = m.simulate(2.0, samples=5, **TIGHT)
        a, t = G * math.sin(slope) / (1 + share), r.times[:, None]
        yield Row(
            f"path down the slope ({name})", "m", radius * normal + 0.5 * a * t**2 * down, r["ball"].position, 1e-10
        )
        force = mass * G * (math.cos(slope) * normal - math.sin(slope) * share / (1 + share) * down)
        yield Row(
            f"force of the contact ({name})", "N", np.tile(force, (5, 1)), r.reaction("roll", on="ball").force, 1e-10
        )
    W, radius = 3.0, 0.1
    m = tm.SpatialModel("turntable")
    m.body("table", mass=5.0, inertia=1.0, omega=(0, 0, W))
    m.body("ball", position=(0.5, 0, radius), mass=1.0, inertia=0.4 * radius**2, velocity=(0.3, 0.4, 0))
    m.revolute("A", m.ground.marker(), m["table"].marker())
    m.driver("motor", "A.angle", f"{W}*t")
    m.rolling_sphere("roll", m["table"].marker(), "ball", radius=radius)
    rate = 2 * W / 7
    r = m.simulate(2 * math.pi / rate, samples=15, **TIGHT)
    start = np.array([0.5, 0, radius])
    centre = start + np.cross(Z, (0.3, 0.4, 0)) / rate
    want = np.array([centre + turn(Z, rate * t) @ (start - centre) for t in r.times])
    yield Row("circle on a turntable", "m", want, r["ball"].position, 1e-11)


@case("Nut on a screw", area=AREA, source="(m + J (2π / lead)²) z'' = -m g",
reason=REASON, uses="screw; formulations cartesian, joint")  # fmt: skip
def nut() -> Iterator[Row]:
    lead, J, mass = 0.05, 2e-4, 0.5
    m = tm.SpatialModel("nut")
    m.body("nut", mass=mass, inertia=(1e-4, 1e-4, J))
    m.screw("S", m.ground, "nut", lead=lead, at=(0, 0, 0), axis="z")
    a = -mass * G / (mass + J * (2 * math.pi / lead) ** 2)
    t = np.linspace(0, 1, 5)
    for name, r in each_formulation(m, ("cartesian", "joint"), times=t, **TIGHT):
        yield Row(f"height of the nut ({name})", "m", 0.5 * a * t**2, r["nut"].position[:, 2], 1e-11, at=t)
        yield Row(
            f"angle of the nut ({name})",
            "rad",
            0.5 * a * t**2 * 2 * math.pi / lead,
            r.series("S.angle").value,
            1e-9,
            at=t,
        )


@case("Bushing in its six directions", area=AREA, source="damped oscillation along each principal direction, rotations up to 2.4 rad",
      reason="rtol 1e-11 over some hundred steps", uses="bushing with damping")  # fmt: skip
def bushing() -> Iterator[Row]:
    stiff, damp, mass = (
        (40.0, 90.0, 160.0, 2.0, 5.0, 9.0),
        (1.0, 0.5, 2.0, 0.04, 0.1, 0.2),
        (2.0, 2.0, 2.0, 0.2, 0.3, 0.4),
    )
    axes = Rotation.from_rotvec([0.3, -0.5, 0.8]).as_matrix()
    at = (0.2, 0.1, -0.3)
    for k in range(6):
        kick = {"velocity": tuple(0.7 * axes[:, k])} if k < 3 else {"omega": tuple(7.5 * np.eye(3)[k - 3])}
        m = tm.SpatialModel("bushing", gravity=(0, 0, 0))
        m.body("b", position=at, rotation=axes, mass=mass[0], inertia=mass[3:], **kick)
        i, j = m.ground.marker(at, axis=tuple(axes[:, 2]), x=tuple(axes[:, 0])), m["b"].marker(axis="z", x="x")
        m.bushing(
            "B",
            i,
            j,
            stiffness=stiff[:3],
            rotational_stiffness=stiff[3:],
            damping=damp[:3],
            rotational_damping=damp[3:],
        )
        decay = damp[k] / (2.0 * mass[k])
        w = math.sqrt(stiff[k] / mass[k] - decay**2)
        r = m.simulate(3.0, samples=31, rtol=1e-11, atol=1e-13, progress=False)
        want = (0.7 if k < 3 else 7.5) / w * np.exp(-decay * r.times) * np.sin(w * r.times)
        if k < 3:
            found = r.series(f"B.{'xyz'[k]}").value
        else:
            found = np.array(
                [(Rotation.from_matrix(axes).inv() * Rotation.from_matrix(A)).as_rotvec() for A in r["b"].matrix]
            )[:, k - 3]
        yield Row(
            f"{'shift along' if k < 3 else 'turn about'} {'xyz'[k % 3]}",
            "m" if k < 3 else "rad",
            want,
            found,
            2e-7,
            at=r.times,
        )


@case("Loads on bodies in space", area=AREA, source="circle under a turning thrust; m x'' = a t, m y'' = -k y, m z'' = -c z'; ω = N t / J",
reason=REASON,
      uses="force, torque, motor, drag in the frames of space and body")  # fmt: skip
def loads() -> Iterator[Row]:
    options = {"rtol": 1e-11, "atol": 1e-13, "progress": False}
    F, mass, w = 3.0, 2.0, 4.0
    A = turn((0.6, 0.0, 0.8), 0.9)
    m = tm.SpatialModel("thruster", gravity=(0, 0, 0))
    m.body("b", rotation=A, mass=mass, inertia=0.5, velocity=tuple(-F / (mass * w) * A[:, 1]), omega=(0.0, 0.0, w))
    m.force("F", "b", (F, 0.0, 0.0), frame="body")
    r = m.simulate(3.0, samples=31, **options)
    radius = F / (mass * w**2)
    want = radius * np.outer(1.0 - np.cos(w * r.times), A[:, 0]) - radius * np.outer(np.sin(w * r.times), A[:, 1])
    yield Row("circle under a turning thrust", "m", want, r["b"].position, 1e-9)
    m = tm.SpatialModel("formulas", gravity=(0, 0, 0))
    m.body("b", position=(0.0, 0.5, 0.0), mass=2.0, inertia=1.0, velocity=(0.0, 0.0, 3.0))
    m.force("F", "b", ("6*t", "-18*b.y", "-4*b.vz"))
    r = m.simulate(2.0, samples=21, **options)
    t = r.times
    want = np.column_stack([0.5 * t**3, 0.5 * np.cos(3.0 * t), 1.5 * (1.0 - np.exp(-2.0 * t))])
    yield Row("motion under formulas", "m", want, r["b"].position, 1e-9)
    N = np.array([0.3, -0.5, 0.2])
    for frame in ("space", "body"):
        m = tm.SpatialModel("spin-up", gravity=(0, 0, 0))
        m.body("b", rotation=A, mass=1.0, inertia=0.4)
        m.torque("T", "b", tuple(N), frame=frame)
        r = m.simulate(4.0, samples=21, **options)
        want = np.outer(r.times / 0.4, N if frame == "space" else A @ N)
        yield Row(f"angular velocity under a constant torque ({frame})", "rad/s", want, r["b"].omega, 1e-9)
    m = tm.SpatialModel("parachute")
    m.body("b", mass=80.0, inertia=10.0)
    m.drag("D", "b", coefficient=1.2, area=25.0)
    vt = math.sqrt(2.0 * 80.0 * G / (1.2 * 1.225 * 25.0))
    r = m.simulate(6.0, samples=31, **options)
    yield Row("speed of a parachute", "m/s", -vt * np.tanh(G * r.times / vt), r["b"].velocity[:, 2], 1e-9, at=r.times)
