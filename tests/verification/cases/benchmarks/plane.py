"""Published benchmarks in the plane."""

from __future__ import annotations

import cmath
import math
import warnings
from collections.abc import Iterator

import numpy as np

import pytrammel as tm
from benchmark_tables import (
    ANDREWS_0,
    ANDREWS_62,
    ANDREWS_A,
    ANDREWS_ANGLES,
    ANDREWS_F,
    ANDREWS_FORCES,
    ANDREWS_Q,
    ANDREWS_V,
    DRIVEN,
    POINTS_HORIZONTAL,
    POINTS_LOW,
    RODS_HORIZONTAL,
    ROW,
    ROW_ENERGY,
    SIMPLE,
    SIMPLE_LONG,
)
from dynamic_models import andrews, bar, double_pendulum, n_four_bar, simple_pendulum
from mechanisms import xy
from pytrammel.errors import RunWarning
from verification.case import Row, case

AREA = "Published benchmarks in the plane"
LIMITED = {"progress": False}
IFTOMM = "IFToMM library of multibody benchmarks"


def tight(rtol: float) -> dict:
    """Options of a run whose absolute tolerance does not matter."""
    return {"rtol": rtol, "atol": 0.01 * rtol, **LIMITED}


@case(
    "A01 simple pendulum", area=AREA, source=f"{IFTOMM}, A01; elliptic functions with 50 digits",
    reason="1e-12 per step, some 600 steps without exponential growth; the tension is 3 m g cos, thirty times the position error",
    uses="link, pin and massless bar; dop853 at rtol 1e-12",
)  # fmt: skip
def pendulum() -> Iterator[Row]:
    times, table = np.array(list(SIMPLE)), np.array(list(SIMPLE.values()))
    for kind in ("link", "pin", "massless"):
        r = simple_pendulum(-1, kind=kind).simulate(times=times, **tight(1e-12))
        bob = r["bob"]
        pull = r.reaction("rod", on="bob").force
        tension = -(pull * bob.position).sum(axis=1)
        across = pull[:, 0] * bob.y - pull[:, 1] * bob.x
        for k, (name, unit, found) in enumerate(
            [("x", "m", bob.x), ("y", "m", bob.y), ("vx", "m/s", bob.vx), ("vy", "m/s", bob.vy)]
        ):
            yield Row(f"{name} of the bob ({kind})", unit, table[:, k], found, 2e-11, at=times)
        yield Row(f"tension of the rod ({kind})", "N", table[:, 4], tension, 1e-9, at=times)
        yield Row(f"force across the rod ({kind})", "N", np.zeros(len(times)), across, 1e-9)


@case(
    "A01 simple pendulum over 845 swings", area=AREA, source=f"{IFTOMM}, A01; elliptic functions with 50 digits",
    reason="the benchmark calls 1e-3 high precision; the phase error grows with the square of time",
    uses="link; dop853 at rtol 1e-10",
)  # fmt: skip
def swings() -> Iterator[Row]:
    times = np.array(list(SIMPLE_LONG))
    r = simple_pendulum(1).simulate(times=[0.0, *times], **tight(1e-10))
    bob, table = r["bob"], np.array(list(SIMPLE_LONG.values()))
    for k, (name, unit, found) in enumerate(
        [("x", "m", bob.x), ("y", "m", bob.y), ("vx", "m/s", bob.vx), ("vy", "m/s", bob.vy)]
    ):
        yield Row(f"{name} of the bob", unit, table[:, k], found[1:], 1e-5, at=times)


# Ten times in 10 s all bars line up; there the pins have N more freedoms than equations. Crossing at a distance d amplifies
# rounding by 1/d, and the whole row shares it, so that the attainable error grows with N.
ATTAINABLE = {1: 1e-9, 2: 1e-9, 10: 2e-8, 40: 5e-7}


def row_of_parallelograms(n: int, **output) -> tm.results.Result:
    """Simulate the benchmark at a tolerance that not every step through the flat position can meet; the run warns then."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*across singular positions", RunWarning)
        return n_four_bar(n).simulate(**output, **tight(1e-10))


def four_bars(n: int) -> None:
    @case(
        f"A02 row of {n} four-bar{'s' if n > 1 else ''}", area=AREA, source=f"{IFTOMM}, A02; Jacobi amplitude with 50 digits",
        reason="attainable where all bars line up ten times: rounding divided by the distance of the steps from the flat position",
        uses="pins, change points; dop853 at rtol 1e-10",
    )  # fmt: skip
    def compute() -> Iterator[Row]:
        times, table, allowed = np.array(list(ROW[n])), np.array(list(ROW[n].values())), ATTAINABLE[n]
        r = row_of_parallelograms(n, times=[0.0, *times])
        corner = r.point(r.model["v0"].at(0.5, 0))
        for k, (name, unit, found) in enumerate(
            [
                ("x of B0", "m", corner.x),
                ("y of B0", "m", corner.y),
                ("vx of B0", "m/s", corner.vx),
                ("vy of B0", "m/s", corner.vy),
            ]
        ):
            scale = 1.0 if unit == "m" else 7.0  # largest speed [m/s]
            yield Row(name, unit, table[:, k], found[1:], allowed, scale, at=times)
        yield Row("angle of the first post", "rad", table[:, 4], math.pi / 2 - r["v0"].phi[1:], allowed, at=times)
        yield Row("total energy at the start", "J", ROW_ENERGY[n], float(r.energy.total[0]), 1e-14, ROW_ENERGY[n])
        if n == 2:  # Exudyn with steps of 0.125 ms, 1e-6 from its limit of small steps
            last = [corner.x[-1], corner.y[-1], corner.vx[-1], corner.vy[-1]]
            yield Row(
                "B0 after 10 s, Exudyn", "m, m/s", [0.3284573768, 0.9445187937, 1.423050003, -0.4948670827], last, 3e-6
            )


for _n in ROW:
    four_bars(_n)


@case(
    "A03 Andrews' squeezer mechanism", area=AREA, source=f"{IFTOMM}, A03; quadruple precision, published values agree to ten digits",
    reason="1e-11 per step over 400 steps; speeds are 1000 rad/s, accelerations 6e5 rad/s²", uses="pins, spring; dop853 at rtol 1e-11",
)  # fmt: skip
def squeezer() -> Iterator[Row]:
    times = np.array(list(ANDREWS_Q))
    r = andrews().simulate(times=[0.0, *times], **tight(1e-11))
    q, v, a = (np.array(list(table.values())) for table in (ANDREWS_Q, ANDREWS_V, ANDREWS_A))
    for body, parts in ANDREWS_ANGLES.items():
        columns = list(parts)
        phi = r[body].phi
        yield Row(f"angle of {body}", "rad", (q - ANDREWS_0)[:, columns].sum(axis=1), phi[1:] - phi[0], 1e-9, at=times)
        yield Row(f"speed of {body}", "rad/s", v[:, columns].sum(axis=1), r[body].omega[1:], 1e-9, 1000.0, at=times)
        yield Row(
            f"acceleration of {body}", "rad/s²", a[:, columns].sum(axis=1), r[body].alpha[1:], 1e-9, 6e5, at=times
        )
    tip = r.point(r.model["K1"].at_global(*xy(cmath.rect(0.007, ANDREWS_0[0])))).position[1:]
    yield Row("place of F", "m", np.array(list(ANDREWS_F.values())), tip, 1e-11)
    closed, forces = np.array(list(ANDREWS_FORCES)), np.array(list(ANDREWS_FORCES.values())).reshape(-1, 3, 2)
    at = np.searchsorted(r.times, closed)
    for joint, body, expected in (
        ("E1", "K2", -forces.sum(axis=1)),  # all three equations close at the rod FE
        ("E2", "K4", forces[:, 1]),
        ("E3", "K6", forces[:, 2]),
    ):
        found = r.reaction(joint, on=body).force[at]
        yield Row(f"force of {joint} on {body}", "N", expected, found, 1e-9, 200.0)


@case(
    "A03 Andrews' squeezer mechanism, start of three digits", area=AREA, source=f"{IFTOMM}, A03; quadruple precision",
    reason="1e-11 per step over 400 steps; speeds are 1000 rad/s", uses="pins, spring, hold=; dop853 at rtol 1e-11",
)  # fmt: skip
def squeezer_rounded() -> Iterator[Row]:
    times, table = np.array(list(ANDREWS_62)), np.array(list(ANDREWS_62.values()))
    m = andrews().copy(changes={"K1": {"angle": -0.062}})
    r = m.simulate(times=[0.0, *times], initial=tm.InitialConditions(hold=["K1.phi"]), **tight(1e-11))
    tip = 0.007 * np.exp(1j * r["K1"].phi[1:])
    yield Row("angle of K1", "rad", table[:, 0], r["K1"].phi[1:], 1e-9, at=times)
    yield Row("speed of K1", "rad/s", table[:, 1], r["K1"].omega[1:], 1e-9, 1000.0, at=times)
    yield Row("x of F", "m", table[:, 2], tip.real, 1e-11, at=times)
    yield Row("y of F", "m", table[:, 3], tip.imag, 1e-11, at=times)


# The references at 10 s amplify a disturbance at the start 1e4 times (rods) and 1e2 times (points).
PENDULA = {
    "points on links from the horizontal": ((math.pi / 2, math.pi / 2), POINTS_HORIZONTAL, 1e-10, "links"),
    "points on links from small angles": ((0.5, -0.3), POINTS_LOW, 1e-11, "links"),
    "points on bodies from the horizontal": ((math.pi / 2, math.pi / 2), POINTS_HORIZONTAL, 1e-10, "point"),
    "points on bodies from small angles": ((0.5, -0.3), POINTS_LOW, 1e-11, "point"),
    "rods from the horizontal": ((math.pi / 2, math.pi / 2), RODS_HORIZONTAL, 1e-8, "rods"),
}


def turns_and_rates(r: tm.results.Result, kind: str, near: np.ndarray) -> np.ndarray:
    """Return both angles from the downward vertical and both rates, shape (times, 4); whole turns are taken from `near`."""
    if kind != "links":
        return np.array([*(r[f"r{k}"].phi + math.pi / 2 for k in (0, 1)), *(r[f"r{k}"].omega for k in (0, 1))]).T
    z = np.array([r[f"r{k}"].x + 1j * r[f"r{k}"].y for k in (0, 1)])
    w = np.array([r[f"r{k}"].vx + 1j * r[f"r{k}"].vy for k in (0, 1)])
    z[1] -= z[0]
    w[1] -= w[0]
    theta = np.angle(1j * z).T
    theta += math.tau * np.round((near - theta) / math.tau)
    return np.column_stack([theta, (z.conj() * w).imag.T])


def double(name: str) -> None:
    angles, expected, allowed, kind = PENDULA[name]

    @case(
        f"Double pendulum, {name}", area=AREA, source="Two independent codes with 30 digits",
        reason="1e-13 per step, amplified 1e4 times (rods) or 1e2 times (points) by the chaotic motion until 10 s",
        uses=f"{kind}; dop853 at rtol 1e-13",
    )  # fmt: skip
    def compute() -> Iterator[Row]:
        times, table = np.array(list(expected)), np.array(list(expected.values()))
        r = double_pendulum(kind, angles).simulate(times=[0.0, *times], **tight(1e-13))
        found = turns_and_rates(r, kind, np.vstack([table[:1, :2], table[:, :2]]))[1:]
        for k, (label, unit) in enumerate(
            [("first angle", "rad"), ("second angle", "rad"), ("first rate", "rad/s"), ("second rate", "rad/s")]
        ):
            yield Row(label, unit, table[:, k], found[:, k], allowed, at=times)


for _name in PENDULA:
    double(_name)


@case(
    "Slider-crank at constant speed", area=AREA, source="Closed form with 20 digits",
    reason="rounding only: positions are projected onto the driver and no degree of freedom remains",
    uses="pins, slide, driver; simulate and inverse_dynamics",
)  # fmt: skip
def slider_crank() -> Iterator[Row]:
    m = tm.PlanarModel("slider-crank")
    bar(m, "crank", 0, 0.1, 1.0)
    bar(m, "rod", 0.1, 0.4, 2.0)
    m.body("slider", position=(0.4, 0), mass=3.0, inertia=1.0)
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.revolute("A", "crank", "rod", at=(0.1, 0))
    m.revolute("B", "rod", "slider", at=(0.4, 0))
    m.prismatic("T", m.ground, "slider", at=(0.4, 0), axis=(1, 0))
    m.driver("motor", "O.angle", "20*t")
    table = np.array(list(DRIVEN.values()))
    r = m.simulate(times=np.radians(list(DRIVEN)) / 20)
    s, torque = r["slider"], r.reaction("motor", on="crank").moment
    for k, (name, unit, found) in enumerate(
        [
            ("x of the slider", "m", s.x),
            ("vx of the slider", "m/s", s.vx),
            ("ax of the slider", "m/s²", s.ax),
            ("torque", "N m", torque),
        ]
    ):
        yield Row(name, unit, table[:, k], found, 1e-11, at=np.array(list(DRIVEN), float), axis="crank angle [deg]")
    inverse = m.inverse_dynamics(times=np.radians(list(DRIVEN)) / 20, progress=False)
    yield Row("torque by inverse_dynamics", "N m", table[:, 3], inverse.effort("motor"), 1e-11)
