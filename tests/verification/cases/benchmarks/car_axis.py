"""Car axis of the test set for initial value problems (Bari and CWI)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import pytrammel as tm
from verification.case import Row, case

# positions and velocities of the left and the right point after 3 s: x, y, x, y, and their rates; quadruple precision
END = (
    4.93455784275240921e-02, 4.96989460230008106e-01, 1.04174252488542612, 3.73911027265365819e-01,
    -7.70583684035920843e-02, 7.44686659206841649e-03, 1.75568157535417366e-02, 7.70341043779601063e-01,
)  # fmt: skip
MULTIPLIERS = (-4.73688659085332651531347605e-03, -1.10468033125956583986060075e-03)  # upright position, axle
MASS = 0.5 * 0.01**2 * 10  # eps² M / 2


def car_axis() -> tm.PlanarModel:
    """Axle of length 1 on two springs over a road that moves the right wheel up and down."""
    m = tm.PlanarModel("car axis", gravity=(0, -1))
    road, side = "0.1*sin(10*t)", "sqrt(1 - (0.1*sin(10*t))^2)"
    for name, x in (("left", 0.0), ("right", 1.0)):
        m.body(name, position=(x, 0.5), velocity=(-0.5, 0.0), mass=MASS, inertia=1.0)
        m.constrain(f"upright_{name}", f"{name}.phi", value=0.0)
    m.equation("base", f"left.x*{side} + left.y*{road}")
    m.link("axle", m["left"].at(0, 0), m["right"].at(0, 0))
    wheel = m.body("wheel", position=(1.0, 0.0), mass=1.0, inertia=1.0)
    m.driver("along", "wheel.x", side)
    m.driver("up", "wheel.y", road)
    m.constrain("flat", "wheel.phi", value=0.0)
    m.spring("left_spring", m.ground.at(0, 0), m["left"].at(0, 0), stiffness=1.0, free_length=0.5)
    m.spring("right_spring", wheel.at(0, 0), m["right"].at(0, 0), stiffness=1.0, free_length=0.5)
    return m


@case(
    "Car axis", area="Published benchmarks in the plane",
    source="Test set for initial value problems (Bari, CWI), recomputed in quadruple precision; published values agree to 3e-13",
    reason="rtol 1e-11 per step, some 1000 steps", uses="equation, link, drivers, springs; dop853 at rtol 1e-11",
)  # fmt: skip
def end() -> Iterator[Row]:
    m = car_axis()
    r = m.simulate(times=[0.0, 3.0], rtol=1e-11, atol=1e-13, progress=False)
    found = [r[body] for body in ("left", "right")]
    places = np.array([value[-1] for b in found for value in (b.x, b.y)])
    rates = np.array([value[-1] for b in found for value in (b.vx, b.vy)])
    yield Row("positions after 3 s", "m", np.array(END[:4]), places, 1e-9)
    yield Row("velocities after 3 s", "m/s", np.array(END[4:]), rates, 1e-8)
    # multipliers belong to xl xb + yl yb = 0 and (xl - xr)² + (yl - yr)² = 1
    left, right, up = np.array(END[:2]), np.array(END[2:4]), 0.1 * math.sin(30.0)
    base = MULTIPLIERS[0] * np.array([math.sqrt(1 - up**2), up])
    yield Row("force of the base on the left point", "N", base, r.reaction("base", on="left").force[-1], 1e-10)
    axle = 2 * MULTIPLIERS[1] * (right - left)
    yield Row("force of the axle on the right point", "N", axle, r.reaction("axle", on="right").force[-1], 1e-10)
