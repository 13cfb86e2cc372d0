"""Contact and friction with closed forms (examples of Siconos)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import trammel as tm
from verification.case import Row, case

AREA = "Published benchmarks in the plane"
SICONOS = "Siconos tutorials, examples/mechanics"


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
    yield Row("place of rest", "m", 0.6821789367236466, float(r["block"].x[-1]), 1e-6)
