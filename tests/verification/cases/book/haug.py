"""Dynamics in space of Haug, chapter 11, recomputed with ten digits in two ways."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import pytrammel as tm
from spatial_models import G, haug_pendulum, heavy_top
from verification.case import Row, case
from verification.variants import TIGHT, each_formulation

AREA = "Haug: dynamics and mass properties"
HAUG = "Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems (1989)"
QUIET = {"progress": False}


def on_a_sphere(kind: str) -> tm.SpatialModel:
    """Example 11.1.1: the point (0, 0, 1) of the body stays at distance 1 from the origin."""
    m = tm.SpatialModel("point on a sphere")
    b = m.body(
        "b", position=(math.sin(0.5), 0, -math.cos(0.5) - 1), mass=2.0, inertia=(0.3, 0.4, 0.2), velocity=(-1, 0.8, 0),
        omega=(0.5, 1, 2),
    )  # fmt: skip
    m.point("P", b, local=(0, 0, 1))
    if kind == "link":
        m.link("hold", m.ground.at(0, 0, 0), "P", length=1.0)
    else:
        m.equation("hold", "P.x^2 + P.y^2 + P.z^2 - 1")
    return m


# time: position, Euler parameters, angular velocity in body components, multiplier of d'd - 1 with Haug's sign
SPHERE = {
    0: ((math.sin(0.5), 0, -math.cos(0.5) - 1), (1, 0, 0, 0), (0.5, 1, 2), 4.725210900),
    0.5: ((-0.2280420985, 0.3132060519, -1.9200338249), (0.8717532222, 0.0801555117, -0.0875763119, 0.4753438788),
          (1.893471245, 0.847341478, 1.918092026), 6.945313556),
    1: ((-0.6699463278, 0.2651311929, -1.8612772426), (0.5831080701, 0.1474343309, 0.0367985102, 0.7980563679),
        (-1.848836582, -1.711459377, 1.456093909), 23.613520273),
    2: ((0.3091608129, -0.2825123971, -1.8890245071), (-0.13071847, 0.0051803758, 0.1871927511, 0.973573171),
        (1.142589909, 1.365291387, 1.387388371), 5.002091575),
}  # fmt: skip


@case("Example 11.1.1, point of a body on a sphere", area=AREA, source=f"{HAUG}, ex. 11.1.1, recomputed with ten digits",
      reason="1e-8 after 2 s; forces are ten times larger", uses="link or equation; dop853 at rtol 1e-12")  # fmt: skip
def sphere() -> Iterator[Row]:
    times = np.array(list(SPHERE), float)
    place, p, omega, multiplier = (np.array(column) for column in zip(*SPHERE.values(), strict=True))
    for kind in ("link", "equation"):
        r = on_a_sphere(kind).simulate(times=times, **TIGHT)
        b = r["b"]
        yield Row(f"position ({kind})", "m", place, b.position, 1e-8)
        yield Row(f"angular velocity ({kind})", "rad/s", omega, b.omega_body, 1e-8)
        sign = np.sign((b.parameters * p).sum(axis=1))[:, None]
        yield Row(f"Euler parameters ({kind})", "", p, b.parameters * sign, 1e-8)
        yield Row(
            f"force of the constraint ({kind})",
            "N",
            -2 * multiplier[:, None] * (place + tm.rotations.matrix(p)[:, :, 2]),
            r.reaction("hold", on="b").force,
            1e-7,
        )
        yield Row(f"acceleration at 0 s ({kind})", "m/s²", [-2.265386781, 0, -5.663237313], b.acceleration[0], 6e-10)
        yield Row(
            f"angular acceleration at 0 s ({kind})",
            "rad/s²",
            [1.333333333, -11.576933905, -0.25],
            b.alpha_body[0],
            6e-10,
        )
        yield Row(f"total energy ({kind})", "J", np.full(4, -34.560669864), r.energy.total, 1e-8)
        yield Row(
            f"angular momentum about the vertical ({kind})",
            "kg m²/s",
            np.full(4, 1.167080862),
            r.angular_momentum[:, 2],
            1e-8,
        )
    yield Row("multiplier", "N/m", multiplier, -r.effort("hold"), 1e-7, at=times)


# example 11.1.2: time, φ, rate, acceleration, moment T_x'', T_z'', force F''
PENDULUM = np.array([
    (0, 0, 1, 2.4940677966, 6.0562372881, 0.7133983051, -4.0411016949, 0, 30.181779661),
    (0.5, 0.5134086537, 0.4842031142, -3.9522769867, 5.3485431804, 1.8331680343, -8.5964438892, 0, 27.173111499),
    (1, 0.2697026143, -1.1947643007, -0.9187494563, 6.0953867816, 1.3773302866, -6.8915851878, 0, 30.782928114),
    (2, 0.2616278153, 1.2006131684, -0.8162993035, 6.1075501116, 1.3596914795, -6.8201596999, 0, 30.8356012856),
])  # fmt: skip


@case("Example 11.1.2, pendulum with products of inertia", area=AREA, source=f"{HAUG}, ex. 11.1.2, recomputed with ten digits",
      reason="1e-9 after 2 s; accelerations and loads are ten times larger",
      uses="revolute; formulations cartesian, joint, relative, I, II")  # fmt: skip
def pendulum() -> Iterator[Row]:
    t = PENDULUM[:, 0]
    for name, r in each_formulation(haug_pendulum(), ("cartesian", "joint", "relative", "I", "II"), times=t, **TIGHT):
        angle, load = r.series("J.angle"), r.reaction("J", on="b")
        yield Row(f"angle ({name})", "rad", PENDULUM[:, 1], angle.value, 1e-9, at=t)
        yield Row(f"speed ({name})", "rad/s", PENDULUM[:, 2], angle.rate, 1e-9, at=t)
        yield Row(f"acceleration ({name})", "rad/s²", PENDULUM[:, 3], angle.acceleration, 1e-8, at=t)
        # the book's joint frame has y along the hinge, Trammel's has z there: its y is the book's -z
        moment, force = load.moment_in_joint_frame, load.in_joint_frame
        found = np.column_stack([moment[:, 0], -moment[:, 1], force[:, 0], force[:, 2], -force[:, 1]])
        yield Row(f"moments and forces of the bearing ({name})", "N m, N", PENDULUM[:, 4:], found, 1e-8)


@case("Pendulum with products of inertia, equilibrium and torque", area=AREA,
      source=f"{HAUG}, ex. 11.1.2, recomputed with ten digits; by hand",
      reason="ten digits; the stiffness of the frequency is a difference quotient", uses="equilibrium, inverse_dynamics")  # fmt: skip
def pendulum_at_rest() -> Iterator[Row]:
    found = haug_pendulum().equilibrium()
    axis, angle = tm.rotations.axis_angle(np.array(found.pose("b")[3:]))
    yield Row("angle of the equilibrium", "rad", 0.1973955598, axis[1] * angle, 1e-10)
    yield Row("frequency", "rad/s", 3.5661324096, float(found.frequencies[0]), 1e-7, 3.5661324096)
    r = haug_pendulum(drive="0.5*sin(2*t)").inverse_dynamics(times=[0, 0.3, 0.7], **QUIET)
    yield Row("torque for φ = .5 sin 2t", "N m", [-2.943, -0.0596577259, 2.0420293015], r.effort("motor"), 6e-11)
    phi = 0.5 * np.sin(2 * r.times)
    by_hand = 1.18 * -4 * phi - 3 * G * (-0.5 * np.sin(phi) + 0.1 * np.cos(phi))
    yield Row("torque for φ = .5 sin 2t, by hand", "N m", by_hand, r.effort("motor"), 1e-12)


@case("Problem 11.1.4, pendulum that may slide", area=AREA, source=f"{HAUG}, prob. 11.1.4, recomputed with eleven digits",
      reason="digits given; rtol 1e-12 over 1 s", uses="cylindrical; formulations cartesian, joint, relative")  # fmt: skip
def sliding() -> Iterator[Row]:
    m = haug_pendulum(joint="cylindrical", phi=0.7, phi_rate=1.1, slide=0.3, slide_rate=0.4)
    for name, r in each_formulation(m, ("cartesian", "joint", "relative"), times=[0.0, 1.0], **TIGHT):
        turned, slid = r.series("J.angle"), r.series("J.distance")
        start = [turned.value[0], turned.rate[0], slid.value[0], slid.rate[0]]
        yield Row(f"start ({name})", "rad, rad/s, m, m/s", [0.7, 1.1, 0.3, 0.4], start, 1e-14)
        yield Row(f"angular acceleration ({name})", "rad/s²", -6.1260446699, turned.acceleration[0], 6e-11)
        yield Row(f"acceleration along the axis ({name})", "m/s²", np.zeros(2), slid.acceleration, 1e-12)
        yield Row(f"distance after 1 s ({name})", "m", 0.7, slid.value[1], 1e-11)


SLOW, FAST = 5.2882182078, 8.5681882528  # roots of J_t cos θ Ω² - J_s ω₃ Ω + m g l = 0
TILT = math.pi / 6


@case("Heavy top, steady precession", area=AREA, source=f"{HAUG}, ch. 11: roots of J cos θ Ω² - C ω₃ Ω + m g l = 0, ten digits",
      reason="ten digits of the rate start a nutation of 1e-9", uses="spherical, frame at the tip or at the centroid; dop853")  # fmt: skip
def precession() -> Iterator[Row]:
    for frame in ("tip", "centroid"):
        for rate in (SLOW, FAST):
            r = heavy_top((0, rate * math.sin(TILT), 60), frame=frame).simulate(1.0, samples=11, **TIGHT)
            turned = rate * r.times
            want = np.column_stack(
                [math.sin(TILT) * np.sin(turned), -math.sin(TILT) * np.cos(turned), np.full(11, math.cos(TILT))]
            )
            yield Row(
                f"axis of the top, {rate:.4g} rad/s (frame at the {frame})", "", want, r["top"].matrix[:, :, 2], 1e-8
            )
            if rate == SLOW:
                yield Row(
                    f"angular momentum (frame at the {frame})",
                    "kg m²/s",
                    np.full(11, 0.58571797),
                    r.angular_momentum[:, 2],
                    6e-9,
                )
                yield Row(f"total energy (frame at the {frame})", "J", np.full(11, 19.873924666), r.energy.total, 1e-9)


NUTATION = {0.1: 0.6139170253, 0.5: 1.0654803046, 1.0: 0.7841716879, 2.0: 1.1266957810}  # time: tilt [rad]


@case("Heavy top, nutation", area=AREA, source=f"{HAUG}, ch. 11, recomputed with ten digits; lower limit by a root",
      reason="ten digits after 2 s; 401 samples meet the limit to (ω Δt)²/8",
      uses="spherical, frame at the tip or at the centroid; dop853")  # fmt: skip
def nutation() -> Iterator[Row]:
    size = (0.01 * 60) ** 2 / (4 * 0.05 * G * 0.2)
    low = math.acos(size - math.sqrt(1 - 2 * size * math.cos(TILT) + size**2))
    times = np.array(list(NUTATION))
    for frame in ("tip", "centroid"):
        r = heavy_top((0, 0, 60), frame=frame).simulate(2.0, samples=401, **TIGHT)
        tilt = np.arccos(r["top"].matrix[:, 2, 2])
        found = tilt[np.searchsorted(r.times, times - 1e-9)]
        want = np.array(list(NUTATION.values()))
        yield Row(f"tilt (frame at the {frame})", "rad", want, found, 1e-9, at=times, curve=(r.times, tilt))
        yield Row(f"largest tilt (frame at the {frame})", "rad", low, float(tilt.max()), 1e-3)
        yield Row(
            f"spin about the axis (frame at the {frame})", "rad/s", np.full(401, 60.0), r["top"].omega_body[:, 2], 1e-9
        )
