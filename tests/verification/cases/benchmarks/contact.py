"""Contact and friction with closed forms (examples of Siconos)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq

import trammel as tm
from trammel.errors import RunWarning
from verification.case import Row, case

AREA = "Published benchmarks in the plane"
SICONOS = "Siconos tutorials, examples/mechanics"
NOTES = {
    AREA: "Results of Siconos come from time stepping of first order. These examples of Siconos are not compared:\n\n"
    "- impacting stick with friction: its slip reverses during the impact. Trammel's friction acts against the slip before the "
    "impact, friction of Siconos against the slip after the impact.\n"
    "- woodpecker toy: its kinematics are linearised.\n"
    "- rocking block: a law for simultaneous impacts (Liu, Zhao and Brogliato).\n"
    "- slider-crank with clearance: several corners of one body in impact.\n"
    "- cam follower and four-bar with three clearances: defined by a program only."
}


@case(
    "Bouncing ball", area=AREA, source=f"{SICONOS}; bounces end at (1 + e)/(1 - e) √(2 h / g)",
    reason="rounding at each impact; the time at rest is read from samples every 1 ms", uses="contact_line with impact='newton'; events",
)  # fmt: skip
def ball() -> Iterator[Row]:
    m = tm.PlanarModel("ball", gravity=(0, -9.81))
    m.body("ball", position=(0, 1.0), mass=1.0, inertia=1.0)
    m.contact_line(
        "floor", "ball", m.ground, at=(0, 0), direction=(1, 0), law="rigid", restitution=0.9, impact="newton"
    )
    fall = math.sqrt(2 / 9.81)
    times = np.concatenate([np.linspace(0, 8.5, 851), np.arange(8.501, 8.7, 1e-3)])
    r = m.simulate(times=times, progress=False)
    moving = times[np.abs(r["ball"].vy) > 0]
    yield Row("time at rest", "s", 8.578949178728886, float(moving[-1]), 2e-3)
    apexes = [fall * (1 + 2 * sum(0.9**j for j in range(1, k)) + 0.9**k) for k in range(1, 6)]
    for k, time in enumerate(apexes, start=1):
        yield Row(f"height of bounce {k}", "m", 0.81**k, float(r.at(time)["ball"].y[-1]), 1e-9)


@case(
    "Friction oscillator", area=AREA, source=f"{SICONOS}; half waves about ±μN/k",
    reason="location of sticking; the turning point is read from samples every 10 ms", uses="stick_slip, spring; events",
)  # fmt: skip
def oscillator() -> Iterator[Row]:
    m = tm.PlanarModel("oscillator", gravity=(0, 0))
    m.body("block", position=(12.0, 0), velocity=(6.0, 0), mass=1.0, inertia=1.0)
    m.translational("T", m.ground, "block", at=(0, 0), direction=(1, 0))
    m.spring("S", m.ground.at(-100, 0), "block", stiffness=1.0, free_length=100.0)
    m.stick_slip("F", "T.distance", normal=1.0, coefficients=(1.0, 1.0))
    r = m.simulate(60.0, samples=6001, progress=False)
    yield Row("first turning point", "m", 13.317821063276353, float(r["block"].x.max()), 5e-5)
    yield Row("final position", "m", 0.6821789367236466, float(r["block"].x[-1]), 1e-6)


# time: height [m] of FMI's reference BouncingBall (modelica/Reference-FMUs, fixed steps of 10 ms, e = 0.7 from 1 m)
FMU_BALL = {
    0.1: 0.95144, 0.2: 0.80478, 0.3: 0.56002, 0.4: 0.21716, 0.5: 0.13560, 0.6: 0.35201, 0.7: 0.47032, 0.8: 0.49053,
    0.9: 0.41264, 1.0: 0.23664, 1.1: 0.02355, 1.2: 0.18319, 1.3: 0.24473, 1.4: 0.20816, 1.5: 0.07350, 1.6: 0.07808,
}  # fmt: skip


@case(
    "BouncingBall of the Reference-FMUs", area=AREA, source="modelica/Reference-FMUs, BouncingBall_out.csv",
    reason="the reference takes steps of 10 ms of order one, at up to 4.4 m/s after two impacts",
    uses="contact_line with impact='newton'; events",
)  # fmt: skip
def reference_fmu() -> Iterator[Row]:
    m = tm.PlanarModel("ball", gravity=(0, -9.81))
    m.body("ball", position=(0, 1.0), mass=1.0, inertia=1.0)
    m.contact_line(
        "floor", "ball", m.ground, at=(0, 0), direction=(1, 0), law="rigid", restitution=0.7, impact="newton"
    )
    times = np.array(list(FMU_BALL))
    r = m.simulate(times=np.array([0.0, *times]), progress=False)
    yield Row("height", "m", np.array(list(FMU_BALL.values())), r["ball"].y[1:], 0.03, at=times)


def stick_by_hand(times: np.ndarray, mu: float) -> np.ndarray:
    """Rod that falls on its lower tip: free flight, and impacts with e = 1 and sliding friction; rows x, y, θ and their rates."""
    inertia, half = 1 / 12, 0.5
    start, state = (
        0.0,
        np.array([half * math.sin(math.pi / 4), half * math.cos(math.pi / 4) + 0.01, math.pi / 4, -0.5, 0.1, 0.1]),
    )

    def flight(t: float) -> np.ndarray:
        x, y, theta, vx, vy, omega = state
        s = t - start
        return np.array([x + vx * s, y + vy * s - 5 * s * s, theta + omega * s, vx, vy - 10 * s, omega])

    def height(t: float) -> float:
        now = flight(t)
        return now[1] - half * math.cos(now[2])

    found = []
    for t in times:
        # the tip leaves the floor after an impact, so the next root lies beyond the next maximum of its height
        grid = np.linspace(start + 1e-6, t, 400)
        below = [k for k in range(1, len(grid)) if height(grid[k]) < 0 < height(grid[k - 1])]
        if t > start and below:
            hit = brentq(height, grid[below[0] - 1], grid[below[0]], xtol=1e-15)
            x, y, theta, vx, vy, omega = flight(hit)
            arm = half * np.array([math.sin(theta), -math.cos(theta)])  # vector from the centre to the tip
            normal = vy + arm[0] * omega
            friction = -mu * math.copysign(1.0, vx - arm[1] * omega)  # against the slip before the impact
            turn = arm[0] - arm[1] * friction
            impulse = -2 * normal / (1 + arm[0] * turn / inertia)
            start, state = (
                hit,
                np.array([x, y, theta, vx + friction * impulse, vy + impulse, omega + turn * impulse / inertia]),
            )
        found.append(flight(t))
    return np.array(found)


@case(
    "Impacting stick", area=AREA, source=f"{SICONOS}, ImpactingStick; by hand: free flight and two impacts with e = 1",
    reason="location of the impacts, rtol 1e-10", uses="contact_line at a point with friction, impact='newton'; events",
)  # fmt: skip
def stick() -> Iterator[Row]:
    times, half = np.linspace(0.025, 0.2, 8), 0.5
    for mu in (0.0, 0.01):
        m = tm.PlanarModel("stick", gravity=(0, -10))
        place = (half * math.sin(math.pi / 4), half * math.cos(math.pi / 4) + 0.01)
        m.body("stick", position=place, angle=math.pi / 4, mass=1.0, inertia=1 / 12, velocity=(-0.5, 0.1), spin=0.1)
        m.contact_line(
            "floor",
            m["stick"].at(0, -half),
            m.ground,
            at=(0, 0),
            direction=(1, 0),
            law="rigid",
            restitution=1.0,
            friction=mu,
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the impact of 'floor'", RunWarning)  # friction reverses the slip
            r = m.simulate(times=np.array([0.0, *times]), progress=False, rtol=1e-10, atol=1e-12)["stick"]
        found, hand = np.column_stack([r.x, r.y, r.phi, r.vx, r.vy, r.omega])[1:], stick_by_hand(times, mu)
        names = [("x", "m"), ("y", "m"), ("angle", "rad"), ("vx", "m/s"), ("vy", "m/s"), ("angular speed", "rad/s")]
        for k, (name, unit) in enumerate(names):
            yield Row(f"{name}, friction {mu:g}", unit, hand[:, k], found[:, k], 1e-8, at=times)
