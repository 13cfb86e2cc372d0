"""Dynamics in the plane with closed forms, in several formulations and by several methods."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import ellipj, ellipk, fresnel

import pytrammel as tm
from verification.case import Row, case
from verification.variants import each_formulation, listed

AREA = "Closed forms: dynamics in the plane"
G = 9.81
TIGHT = {"rtol": 1e-11, "atol": 1e-13, "progress": False}
CLOSE = 2e-8
REASON = "1e-11 of the model's size per step, some hundred steps"


def hanging_mass(**spring: float) -> tm.PlanarModel:
    """Mass of 1 kg above the origin on a vertical spring, drawn with its length 1.2 m."""
    m = tm.PlanarModel("oscillator")
    m.body("b", position=(0.0, 1.2), mass=1.0, inertia=1.0)
    m.spring("s", "ground", "b", **spring)
    return m


@case("Damped oscillator by many methods", area=AREA, source="0.2981 e^(-2t) (cos ωt + 2/ω sin ωt) about 0.9019 m, ω = √96",
      reason=f"{REASON}; methods of low order take many steps, rk4 has steps of 0.5 ms",
      uses="spring with damping; dop853, dopri5, bs32, radau5, adams, bdf, rk4, scipy_dop853")  # fmt: skip
def damped() -> Iterator[Row]:
    m = hanging_mass(stiffness=100.0, free_length=1.0, damping=4.0)
    t = np.linspace(0, 2, 41)
    w = math.sqrt(96.0)
    want = 0.9019 + 0.2981 * np.exp(-2.0 * t) * (np.cos(w * t) + 2.0 / w * np.sin(w * t))
    for method, options, tolerance in (
        ("dop853", {}, CLOSE), ("dopri5", {}, CLOSE), ("radau5", {}, CLOSE), ("adams", {}, CLOSE), ("scipy_dop853", {}, CLOSE),
        ("bs32", {"rtol": 1e-8, "atol": 1e-10}, 1e-6), ("bdf", {"rtol": 1e-8, "atol": 1e-10}, 1e-6),
    ):  # fmt: skip
        r = m.simulate(times=t, method=method, **{**TIGHT, **options})
        yield Row(f"height of the mass ({method})", "m", want, r["b"].y, tolerance, at=t)
    r = m.simulate(times=t, method=tm.methods.rk4(step=5e-4), progress=False)
    yield Row("height of the mass (rk4)", "m", want, r["b"].y, 1e-10, at=t)
    r = m.simulate(times=t, **TIGHT)
    rate = 0.2981 * np.exp(-2.0 * t) * -(w + 4.0 / w) * np.sin(w * t)
    taken = 9.81 * (1.2 - want) + 50.0 * (0.2**2 - (want - 1.0) ** 2) - 0.5 * rate**2
    yield Row("energy taken by the damper", "J", taken, r.energy.dissipated, 10 * CLOSE)


@case("Undamped oscillator by conserving methods", area=AREA, source="0.9019 + 0.2981 cos 10t; energy 50 (y - 1)²",
      reason="methods of order 2 with steps of 0.1 ms: (ω h)² / 24 of the phase",
      uses="spring; dop853, rattle, generalized_alpha, hht")  # fmt: skip
def undamped() -> Iterator[Row]:
    m = hanging_mass(stiffness=100.0, free_length=1.0)
    t = np.linspace(0, 2 * 0.62831853, 21)
    want = 0.9019 + 0.2981 * np.cos(10.0 * t)
    r = m.simulate(times=t, **TIGHT)
    yield Row("height of the mass (dop853)", "m", want, r["b"].y, CLOSE, at=t)
    yield Row("energy of the spring (dop853)", "J", 50.0 * (want - 1.0) ** 2, r.energy.stored, 10 * CLOSE)
    for method, tolerance in (("rattle", 1e-6), ("generalized_alpha", 1e-4), ("hht", 1e-3)):
        r = m.simulate(times=t, method=tm.methods[method](step=1e-4), progress=False)
        yield Row(f"height of the mass ({method})", "m", want, r["b"].y, tolerance, at=t)


@case("Duffing's oscillator", area=AREA, source="x = A cn(√(a + b A²) t | b A² / 2(a + b A²))", reason=REASON,
      uses="spring by formula or by table; dop853, radau5")  # fmt: skip
def duffing() -> Iterator[Row]:
    amplitude, a, b = 0.3, 100.0, 4000.0
    x = np.linspace(-0.5, 0.5, 9)
    laws = {
        "formula": "100*(l - 2) + 4000*(l - 2)^3",
        "table": tm.functions.Table("duffing", x, 100.0 * x + 4000.0 * x**3),
    }
    rate = math.sqrt(a + b * amplitude**2)
    parameter = b * amplitude**2 / (2.0 * rate**2)
    t = np.linspace(0, 8.0 * ellipk(parameter) / rate, 81)
    want = 2.0 + amplitude * ellipj(rate * t, parameter)[1]
    for name, stiffness in laws.items():
        m = tm.PlanarModel("duffing", gravity=(0.0, 0.0))
        m.body("b", position=(2.0 + amplitude, 0.0), mass=1.0, inertia=1.0)
        m.spring("s", "ground", "b", stiffness=stiffness, free_length=2.0)
        for method in ("dop853", "radau5"):
            r = m.simulate(times=t, method=method, **TIGHT)
            yield Row(f"place of the mass ({name}, {method})", "m", want, r["b"].x, 2 * CLOSE, at=t)


@case("Follower force off the centre", area=AREA, source="φ = F e t² / 2 J; speeds by Fresnel integrals (clothoid)", reason=REASON,
      uses="force in the body frame; dop853, dopri5")  # fmt: skip
def clothoid() -> Iterator[Row]:
    F, e, mass, J = 3.0, 0.4, 2.0, 0.6
    m = tm.PlanarModel("clothoid", gravity=(0.0, 0.0))
    body = m.body("b", mass=mass, inertia=J)
    m.force("F", body.at(0.0, -e), (F, 0.0), frame="body")
    t, alpha = np.linspace(0, 3, 31), F * e / J
    scale = math.sqrt(math.pi / alpha)
    s, c = fresnel(t / scale)
    for method in ("dop853", "dopri5"):
        r = m.simulate(times=t, method=method, **TIGHT)
        yield Row(f"angle ({method})", "rad", 0.5 * alpha * t**2, r["b"].phi, 10 * CLOSE, at=t)
        yield Row(f"vx ({method})", "m/s", F / mass * scale * c, r["b"].vx, CLOSE, at=t)
        yield Row(f"vy ({method})", "m/s", F / mass * scale * s, r["b"].vy, CLOSE, at=t)


@case("Drag and wind", area=AREA, source="v = v_t tanh(g t / v_t); u = u₀ / (1 + k u₀ t / m)", reason=REASON, uses="drag")  # fmt: skip
def drag() -> Iterator[Row]:
    m = tm.PlanarModel("fall")
    m.body("b", mass=80.0, inertia=1.0)
    m.drag("d", "b", coefficient=1.0, area=0.7)
    terminal = math.sqrt(80.0 * G / (0.5 * 1.225 * 0.7))
    r = m.simulate(60.0, samples=31, **TIGHT)
    yield Row(
        "speed of a falling body", "m/s", -terminal * np.tanh(G * r.times / terminal), r["b"].vy, 1e-7, at=r.times
    )
    m = tm.PlanarModel("wind", gravity=(0.0, 0.0))
    m.body("b", mass=2.0, inertia=1.0)
    m.drag("d", "b", coefficient=1.0, area=2.0, density=1.2, wind=(6.0, 8.0))
    r = m.simulate(4.0, samples=21, **TIGHT)
    against = 10.0 / (1.0 + 1.2 * 10.0 * r.times / 2.0)
    yield Row("speed of a body in the wind", "m/s", 0.8 * (10.0 - against), r["b"].vy, 1e-7, at=r.times)


@case("Motors", area=AREA, source="ω = T/c (1 - e^(-c t / J)); without outer moment J₁ ω₁ + J₂ ω₂ = 0",
reason=REASON, uses="motor, revolute")  # fmt: skip
def motors() -> Iterator[Row]:
    m = tm.PlanarModel("motor")
    m.body("rotor", mass=1.0, inertia=0.02)
    m.revolute("A", "ground", "rotor", at=(0.0, 0.0))
    m.motor("M", first="ground", second="rotor", torque="5 - 0.1*A.angle.rate")
    r = m.simulate(1.0, samples=21, **TIGHT)
    yield Row("speed of the rotor", "rad/s", 50.0 * (1.0 - np.exp(-5.0 * r.times)), r["rotor"].omega, 1e-6, at=r.times)
    yield Row("torque of the motor", "N m", 5.0 * np.exp(-5.0 * r.times), r.force("M.torque"), 1e-7, at=r.times)
    m = tm.PlanarModel("pair", gravity=(0.0, 0.0))
    m.body("stator", mass=1.0, inertia=0.5)
    m.body("rotor", position=(1.0, 0.0), mass=1.0, inertia=0.2)
    m.motor("M", first="stator", second="rotor", torque=3.0)
    r = m.simulate(0.5, samples=6, **TIGHT)
    yield Row(
        "speeds of two free bodies",
        "rad/s",
        np.outer(r.times, [15.0, -6.0]),
        np.column_stack([r["rotor"].omega, r["stator"].omega]),
        CLOSE,
    )


@case("Gas spring", area=AREA, source="small swings ω² = n p A² / m V; isothermal work p V ln(V/V₀) - p_out (V - V₀)",
      reason=f"{REASON}; the first nonlinear term is 5e-6 of the linear one", uses="gas_spring")  # fmt: skip
def gas() -> Iterator[Row]:
    def piston(exponent: float, pressure: float, speed: float = 0.0) -> tm.PlanarModel:
        m = tm.PlanarModel("gas spring", gravity=(0.0, 0.0))
        m.body("p", position=(0.2, 0.0), velocity=(speed, 0.0), mass=0.5, inertia=1.0)
        m.gas_spring("air", "p.x", area=0.01, volume=0.002, pressure=pressure, outside=101325.0, exponent=exponent)
        return m

    for exponent in (1.0, 1.4):
        m = piston(exponent, 101325.0, 1e-4)
        m.body("q", mass=1.0, inertia=1.0)  # keeps the model's size at the scale of its motion
        w = math.sqrt(exponent * 101325.0 * 0.01**2 / (0.5 * 0.002))
        r = m.simulate(2.0 * math.pi / w, samples=33, **TIGHT)
        yield Row(
            f"small swings, exponent {exponent:g}",
            "m",
            1e-4 / w * np.sin(w * r.times),
            r["p"].x - 0.2,
            2e-5,
            1e-4 / w,
            at=r.times,
        )
    r = piston(1.0, 3e5).simulate(0.03, samples=31, **TIGHT)
    volume = 0.002 + 0.01 * (r["p"].x - 0.2)
    work = 3e5 * 0.002 * np.log(volume / 0.002) - 101325.0 * (volume - 0.002)
    yield Row("isothermal work as kinetic energy", "J", work, 0.25 * r["p"].vx ** 2, 1e-5, at=r.times)


@case("Wound torsion spring", area=AREA, source="φ = 6π cos 5t, over three turns without a jump",
reason="63 times the amplitude of a small swing",
      uses=f"torsion_spring; {listed(('cartesian', 'joint', 'relative'))}")  # fmt: skip
def wound() -> Iterator[Row]:
    m = tm.PlanarModel("wound")
    m.body("disc", angle=6.0 * math.pi, mass=1.0, inertia=2.0)
    m.revolute("A", "ground", "disc", at=(0, 0))
    m.torsion_spring("s", first="ground", second="disc", stiffness=50.0, free_angle=0.0)
    for name, r in each_formulation(m, ("cartesian", "joint", "relative"), duration=1.0, samples=41, **TIGHT):
        yield Row(
            f"angle of the disc ({name})",
            "rad",
            6.0 * math.pi * np.cos(5.0 * r.times),
            r["disc"].phi,
            63 * CLOSE,
            at=r.times,
        )
