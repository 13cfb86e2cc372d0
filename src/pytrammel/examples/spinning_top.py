"""Spinning top that precesses steadily: it leans, its weight wants to tip it, and it walks round instead.

The precession rate is the slow root of I cos(lean) w² - I3 spin w + m g h = 0 (moments about the pivot), so that the lean stays what it
was.
"""

import math

import pytrammel as tm

LEAN, SPIN = tm.deg(35), 150.0
TRACES = ("tip",)
PLOTS = ("tip.x", "tip.y", "tip.z", "pivot.reaction", "energy.kinetic", "energy.total")


def precession(body: tm.SpatialBody) -> float:
    """Rate at which the top walks round [rad/s]."""
    assert body.inertia is not None and body.mass is not None  # both follow from shape and density
    h, spun = body.centroid[2], body.inertia[2][2] * SPIN
    across = (body.inertia[0][0] + body.mass * h**2) * math.cos(LEAN)  # about the pivot
    return float((spun - math.sqrt(spun**2 - 4 * across * body.mass * 9.81 * h)) / (2 * across))


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("spinning top", display_unit="mm")
    shape = [tm.Cylinder((0, 0, 0), (0, 0, 0.1), 0.004), tm.Cylinder((0, 0, 0.04), (0, 0, 0.055), 0.035)]
    leaning = tm.rotations.from_axis_angle((1, 0, 0), LEAN)
    rate = precession(tm.SpatialModel().body("top", rotation=leaning, shape=shape, density=7850.0))
    # the walk about the vertical and the spin about the top's own axis, in its own components
    omega = (0.0, rate * math.sin(LEAN), SPIN)
    top = m.body("top", rotation=leaning, shape=shape, density=7850.0, omega=omega)
    m.spherical("pivot", m.ground, top, at=(0, 0, 0))
    m.point("tip", top, local=(0, 0, 0.1))
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=2.0, samples=601)
