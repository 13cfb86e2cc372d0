"""Dynamics in the plane of Nikravesh, chapters 9 and 10; where a print is wrong, corrected values."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import pytrammel as tm
from dynamic_models import G, bar, chain, pendulum
from verification.case import Row, case
from verification.cases.book.kap import BOOK
from verification.variants import TIGHT, each_formulation, listed

AREA = "Nikravesh: dynamics in the plane"
DIGITS = "half a unit of the last digit given"
CLOSED = "closed form: rounding of numbers of order one to ten"
RUN = "rtol 1e-12 over some hundred steps"
AS_TYPED = {"initial": tm.InitialConditions(correct=False), "progress": False}


def last(digits: int) -> float:
    """Half a unit of the last of some decimals, with rounding."""
    return 0.51 * 10.0**-digits


def reaction(r: tm.results.Result, joint: str, body: str) -> np.ndarray:
    """Reaction (F_x, F_y, N) of a joint on a body at the start; N is about the centroid, or the origin of the ground."""
    load = r.reaction(joint, on=body)
    about = np.zeros((len(r), 2)) if body == "ground" else r[body].position
    return np.array([*load.force[0], load.moment_about(about)[0]])


@case("Example 9.1, force, moment and weight", area=AREA, source=f"{BOOK}, ex. 9.1", reason=DIGITS, uses="force, torque")  # fmt: skip
def example_9_1() -> Iterator[Row]:
    m = tm.PlanarModel("9.1")
    body = m.body("i", position=(2.1, 1.6), angle=math.radians(30), mass=2.0, inertia=1.0)
    m.force("f", body.at(-0.2, 0.3), (1.2, 0.5))
    m.torque("n", body, -0.6)
    a = m.simulate(0.0, **AS_TYPED).a[0]
    yield Row("generalised forces", "N, N m", [1.2, -19.12, -0.95337], a * [2.0, 2.0, 1.0], last(5))


def two_bodies(velocities: bool = False) -> tm.PlanarModel:
    """Examples 9.2 and 9.5: two bodies and a spring."""
    m = tm.PlanarModel("example 9.2")
    first, second = ((0.0, 1.22), (-0.71, -2.06)) if velocities else ((0.0, 0.0), (0.0, 0.0))
    m.body("b1", position=(-0.1, 0.2), angle=0.785, mass=0.2, inertia=0.03, velocity=first)
    m.body("b2", position=(0.1, 0.1), angle=0.262, mass=0.15, inertia=0.02, velocity=second)
    m.spring("S", m["b1"].at(0.15, 0), m["b2"].at(0, 0.1), stiffness=50.0, free_length=0.2)
    return m


@case("Example 9.2, spring between two bodies", area=AREA, source=f"{BOOK}, ex. 9.2", reason=DIGITS, uses="spring")  # fmt: skip
def example_9_2() -> Iterator[Row]:
    r = two_bodies().simulate(0.0, **AS_TYPED)
    loads = r.a[0] * [0.2, 0.2, 0.03, 0.15, 0.15, 0.02] + [0, 0.2 * G, 0, 0, 0.15 * G, 0]
    yield Row("length of the spring", "m", 0.128837, float(r.series("S.length").value[0]), last(6))
    yield Row("tension of the spring", "N", -3.55814, float(r.force("S.spring")[0]), last(5))
    yield Row(
        "forces and moments of the spring",
        "N, N m",
        [-1.87772, 3.02234, 0.51978, 1.87772, -3.02234, -0.10308],
        loads,
        2 * last(5),
    )
    yield Row("accelerations", "m/s², rad/s²", [-9.3886, 5.3017, 17.3259, 12.5181, -29.9589, -5.1541], r.a[0], last(4))


@case("Example 9.3, spring and damper", area=AREA, source=f"{BOOK}, ex. 9.3", reason=DIGITS, uses="spring with damping")  # fmt: skip
def example_9_3() -> Iterator[Row]:
    m = tm.PlanarModel("example 9.3")
    m.body("b2", position=(0.4, 0.1), angle=1.3, velocity=(0.8, -0.6), omega=-0.3, mass=3.0, inertia=1.0)
    m.body("b3", mass=0.7, inertia=1.0)
    m.body("b4", position=(-0.35, 0.2), angle=5.6, velocity=(-0.5, 0.45), omega=-0.1, mass=2.4, inertia=1.0)
    m.spring("S", m["b2"].at(0.3, 0.2), m["b4"].at(-0.1, 0.1), stiffness=100.0, damping=25.0, free_length=0.9)
    r = m.simulate(0.0, **AS_TYPED)
    forces = r.a[0] * [3.0, 3.0, 1.0, 0.7, 0.7, 1.0, 2.4, 2.4, 1.0]
    book = [-6.28476, -30.41213, 2.26340, 0.0, -6.867, 0.0, 6.28476, -22.56187, -0.89833]
    yield Row("generalised forces", "N, N m", book, forces, 2 * last(5))
    yield Row("rate of the spring's length", "m/s", 1.21492, float(r.series("S.length").rate[0]), last(5))
    yield Row("force of the spring", "N", -24.0119, float(r.force("S.spring")[0]), last(4))
    yield Row("force of the damper", "N", 30.3730, float(r.force("S.damper")[0]), last(4))


@case("Example 9.4, two bodies and a pin", area=AREA, source=f"{BOOK}, ex. 9.4", reason=DIGITS, uses="revolute")  # fmt: skip
def example_9_4() -> Iterator[Row]:
    m = tm.PlanarModel("example 9.4")
    m.body("i", position=(1.58, 1.59), angle=0.6, velocity=(1.1, 0.2), omega=-0.02, mass=1.2, inertia=2.5)
    m.body("j", position=(3.4, 1.96), angle=0.2, velocity=(1.14, 0.24), omega=0.03, mass=2.0, inertia=4.0)
    m.revolute("R", m["i"].at(0.9, 0.7), m["j"].at(-1.3, 1.0))
    m.force("on_i", "i", (-10.0, 0.0))
    m.force("on_j", "j", (10.0, 0.0))
    r = m.simulate(0.0, **AS_TYPED)
    yield Row(
        "accelerations", "m/s², rad/s²", [-2.57091, -10.15392, -3.06097, 1.54255, -9.60365, 1.09584], r.a[0], last(5)
    )
    for body, sign in (("i", 1), ("j", -1)):
        yield Row(
            f"reaction on {body}", "N", [sign * 6.91491, sign * -0.41270], r.reaction("R", on=body).force[0], last(5)
        )


@case("Example 9.5, two bodies, spring and link", area=AREA,
      source=f"{BOOK}, ex. 9.5, corrected: its Jacobian row has two wrong entries", reason=DIGITS, uses="spring, link")  # fmt: skip
def example_9_5() -> Iterator[Row]:
    m = two_bodies(velocities=True)
    m.link("L", m["b1"].at(-0.05, -0.05), m["b2"].at(-0.03, 0), length=0.175)
    r = m.simulate(0.0, **AS_TYPED)
    right = [28.57934, -2.92434, 35.22571, -38.10579, -18.99088, -10.48790]
    yield Row("accelerations", "m/s², rad/s²", right, r.a[0], last(5))
    yield Row("reaction on the first body", "N, N m", [7.59358, -1.64521, 0.53699], reaction(r, "L", "b1"), last(5))
    yield Row("reaction on the second body", "N, N m", [-7.59358, 1.64521, -0.10668], reaction(r, "L", "b2"), last(5))


@case("Problem 9.9, two masses and a rod", area=AREA, source=f"{BOOK}, prob. 9.9; -5.8 / 3 m/s²", reason=DIGITS, uses="link")  # fmt: skip
def problem_9_9() -> Iterator[Row]:
    m = tm.PlanarModel("9.9", gravity=(0, 0))
    m.body("a", position=(1, 0), mass=1.0, inertia=1.0)
    m.body("b", position=(2, 0), mass=2.0, inertia=1.0)
    m.link("rod", m["a"].at(0, 0), m["b"].at(0, 0))
    m.force("left", "a", (-1.0, 0.0))
    m.force("right", "b", (-4.8, 0.0))
    r = m.simulate(0.0, **AS_TYPED)
    yield Row("acceleration of both masses", "m/s²", [-1.933333] * 2, [r[b].ax[0] for b in "ab"], last(6))
    yield Row("force of the rod on the first mass", "N", [-0.933333, 0.0], r.reaction("rod", on="a").force[0], last(6))


@case("Translational joint with an eccentric load", area=AREA, source=f"{BOOK}, ch. 9; by hand",
reason=CLOSED, uses="prismatic")  # fmt: skip
def slider() -> Iterator[Row]:
    m = tm.PlanarModel("slider on the ground")
    m.body("slider", position=(0.5, 0.0), mass=2.0, inertia=0.1)
    m.prismatic("T", m.ground, "slider", at=(0, 0), axis=(1, 0))
    m.force("push", "slider", (3.0, 0.0))
    m.torque("turn", "slider", -0.6)
    r = m.simulate(0.0, **AS_TYPED)
    yield Row("accelerations", "m/s², rad/s²", [1.5, 0.0, 0.0], r.a[0], 1e-12)
    yield Row("reaction on the slider", "N, N m", [0.0, 19.62, 0.6], reaction(r, "T", "slider"), 1e-12)
    yield Row("reaction on the ground", "N, N m", [0.0, -19.62, -10.41], reaction(r, "T", "ground"), 1e-12)


@case("Collar on a turning bar", area=AREA, source=f"{BOOK}, ch. 9, recomputed with six digits; momentum and energy by hand",
      reason=f"{DIGITS}; {RUN}", uses=f"revolute, prismatic; {listed()}")  # fmt: skip
def collar() -> Iterator[Row]:
    m = tm.PlanarModel("collar", gravity=(0, 0))
    u = np.exp(0.3j)
    v = 0.5 * u + 2j * u
    m.body("bar", angle=0.3, mass=1.0, inertia=1.5, omega=2.0)
    m.body("collar", position=(u.real, u.imag), angle=0.3, mass=0.5, inertia=0.05, velocity=(v.real, v.imag), omega=2.0)
    m.revolute("O", m.ground, "bar", at=(0, 0))
    m.prismatic("T", "bar", m["collar"].at(0, 0), at=(0, 0), axis=(u.real, u.imag))
    for name, r in each_formulation(m, times=np.linspace(0, 1, 11), **{**TIGHT, "rtol": 1e-11}):
        s, c = r.series("T.distance"), r["collar"]
        yield Row(
            f"accelerations of bar and collar at 0 s ({name})",
            "rad/s², m/s²",
            [-0.4878049, 4.0],
            [r["bar"].alpha[0], s.acceleration[0]],
            1e-7,
        )
        late = [s.value[-1], r["bar"].phi[-1], r["bar"].omega[-1]]
        yield Row(
            f"distance, angle, speed at 1 s ({name})", "m, rad, rad/s", [3.227703, 1.632330, 0.606596], late, last(6)
        )
        momentum = 1.55 * r["bar"].omega + 0.5 * (c.x * c.vy - c.y * c.vx)
        yield Row(f"angular momentum ({name})", "kg m²/s", np.full(11, 4.1), momentum, 1e-9)
        yield Row(f"kinetic energy ({name})", "J", np.full(11, 4.1625), r.energy.kinetic, 1e-9)


@case("Error of rk4 over one period", area=AREA, source=f"{BOOK}, section 10.4: mass on a spring, 10 to 80 steps a period",
      reason="three digits are given", uses="rk4 with fixed steps")  # fmt: skip
def amplitude_error() -> Iterator[Row]:
    m = tm.PlanarModel("spring and mass")
    m.body("mass", position=(0.0, 1.2), mass=1.0, inertia=1.0)
    m.spring("S", m.ground.at(0, 0), m["mass"].at(0, 0), stiffness=100.0, free_length=1.0)
    period = math.tau / 10.0
    for parts, error in ((10, -4.08e-3), (20, -1.32e-4), (40, -4.16e-6), (80, -1.30e-7)):
        r = m.simulate(period, samples=2, method=tm.methods.rk4(step=period / parts), progress=False)
        amplitude = (r["mass"].y[-1] - 0.9019) / (1.2 - 0.9019)
        yield Row(f"error of the amplitude, {parts} steps", "", error, float(amplitude - 1.0), 3e-3 * abs(error))


# amplitude [rad]: period of a rod of 1 m [s]
PERIODS = {1e-3: 1.6379466, 0.5: 1.6639122, 1.0: 1.7465985, math.pi / 2: 1.9333349}


@case("Pendulum", area=AREA, source=f"{BOOK}, section 10.4; complete elliptic integrals with eight digits",
      reason=f"{DIGITS}; after a period the speed is the error of the period times the acceleration",
      uses="revolute; dop853, dopri5, radau5")  # fmt: skip
def swinging_rod() -> Iterator[Row]:
    for amplitude, period in PERIODS.items():
        for method in ("dop853", "radau5"):
            r = pendulum(amplitude - math.pi / 2).simulate(
                times=[0.0, period], method=method, **{**TIGHT, "rtol": 1e-11}
            )
            yield Row(
                f"angle after one period of {amplitude:.4g} rad ({method})",
                "rad",
                amplitude - math.pi / 2,
                r["rod"].phi[-1],
                1e-9,
            )
            yield Row(
                f"speed after one period of {amplitude:.4g} rad ({method})", "rad/s", 0.0, r["rod"].omega[-1], 2e-6
            )
    r = pendulum(0.0).simulate(times=[0.0, 0.48333371], method="dopri5", **TIGHT)
    yield Row("acceleration released from the horizontal", "rad/s²", -14.715, r["rod"].alpha[0], 1e-12)
    yield Row("reaction of the pin there", "N", [0.0, 2.4525], r.reaction("O").force[0], 1e-12)
    yield Row("speed at the lowest point", "rad/s", 5.4249424, abs(r["rod"].omega[1]), 1e-7)
    yield Row("reaction of the pin there, 2.5 times the weight", "N", [0.0, 24.525], r.reaction("O").force[1], 1e-6)
    r = pendulum(math.pi / 6 - math.pi / 2).simulate(0.0, **AS_TYPED)
    yield Row("accelerations at 30°", "m/s², rad/s²", [-3.1859, -1.8394, -7.3575], r.a[0], last(4))
    yield Row("reaction of the pin at 30°", "N", [-3.1859, 7.9706], r.reaction("O").force[0], last(4))


@case("Disc on a torsion spring", area=AREA, source=f"{BOOK}, section 10.4; period 2 π √(J/k) = 1.2566371 s",
      reason="eight digits of the period", uses="torsion_spring, revolute")  # fmt: skip
def disc() -> Iterator[Row]:
    m = tm.PlanarModel("disc")
    m.body("disc", angle=0.4, mass=1.0, inertia=2.0)
    m.revolute("O", m.ground, "disc", at=(0, 0))
    m.torsion_spring("S", first=m.ground, second="disc", stiffness=50.0, free_angle=0.0)
    r = m.simulate(times=[0.0, 1.2566371 / 2, 1.2566371], **TIGHT)
    yield Row("angle after half a period and a period", "rad", [0.4, -0.4, 0.4], r["disc"].phi, 1e-9)


# number of rods: angular accelerations [rad/s²], acceleration of the tip and force of the pin in units of g
CHAINS = {
    1: ([-14.715], -1.5, 0.25),
    2: ([-12.612857, 4.204286], -0.857143, 0.285714),
    3: ([-12.451154, 3.395769, -1.131923], -1.038462, 0.288462),
    4: ([-12.439485, 3.337423, -0.910206, 0.303402], -0.989691, 0.288660),
}


@case("Chains of rods released horizontally", area=AREA, source="Nikravesh, ch. 10, recomputed with six decimals; one rod by hand",
      reason=DIGITS, uses=f"revolute; {listed()}")  # fmt: skip
def chains() -> Iterator[Row]:
    for n, (alphas, tip, pin) in CHAINS.items():
        m = chain([0.0] * n)
        m.point("tip", f"r{n - 1}", local=(0.5, 0.0))
        for name, r in each_formulation(m, duration=0.0):
            yield Row(
                f"{n} rods: angular accelerations ({name})",
                "rad/s²",
                alphas,
                [r[f"r{k}"].alpha[0] for k in range(n)],
                last(6),
            )
            loads = [r.point("tip").ay[0] / G, r.reaction("p0").force[0, 1] / G]
            yield Row(f"{n} rods: tip and pin ({name})", "g", [tip, pin], loads, last(6))
    m = tm.PlanarModel("one rod")
    bar(m, "r0", 0, 1, 1.0)
    m.revolute("p0", m.ground, "r0", at=(0, 0))
    yield Row("one rod by hand", "rad/s²", -1.5 * G, m.simulate(0.0, **AS_TYPED)["r0"].alpha[0], 1e-12)


@case("Chains of four rods after one second", area=AREA, source="Nikravesh, ch. 10, recomputed: rk4 with steps of 1 ms",
      reason="the reference keeps its energy to 1e-7 J (straight) and 4.5e-6 J (folded)",
      uses=f"revolute; {listed(('cartesian', 'joint', 'points'))}")  # fmt: skip
def falling_chains() -> Iterator[Row]:
    straight, folded = [0.0] * 4, [0.0, math.pi, 0.0, math.pi]
    runs = (
        (straight, [-1.620975, -1.459736, -1.893073, -2.411600], 3e-6),
        (folded, [-1.354883, 3.251052, -1.484747, 6.489346], 2e-5),
    )
    for angles, want, tolerance in runs:
        shape = "straight" if angles is straight else "folded"
        for name, r in each_formulation(
            chain(angles), ("cartesian", "joint", "points"), duration=1.0, samples=2, rtol=1e-10, atol=1e-12
        ):
            found = [r[f"r{k}"].phi[-1] for k in range(4)]
            yield Row(f"angles of the {shape} chain ({name})", "rad", want, found, tolerance)
    found = [chain(folded).simulate(0.0, **AS_TYPED)[f"r{k}"].alpha[0] for k in range(4)]
    yield Row(
        "accelerations of the folded chain at 0 s",
        "rad/s²",
        [-12.439485, -3.337423, -0.910206, -0.303402],
        found,
        last(6),
    )
