"""Gyroscope in gimbals with a weight on its inner ring: it turns steadily about the vertical instead of tipping.

With the rotor's axle level, the precession is exactly weight · arm / (axial moment · spin).
"""

import pytrammel as tm

SPIN, WEIGHT, ARM, AXIAL = 300.0, 0.2, 0.1, 2e-3
RATE = WEIGHT * 9.81 * ARM / (AXIAL * SPIN)
TRACES = ("weight",)
PLOTS = ("mast.angle.rate", "trunnion.angle", "energy.kinetic", "energy.total")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("gyroscope", display_unit="mm")
    turning = (0.0, 0.0, RATE)
    fork = [tm.Cylinder((0, side * 0.11, -0.1), (0, side * 0.11, 0.01), 0.004) for side in (-1, 1)]
    m.body("outer", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), shape=fork, omega=turning)
    # the weight hangs on the inner ring, on the rotor's axis
    rod: list[tm.Cylinder | tm.Sphere] = [tm.Cylinder((0, 0, 0), (ARM, 0, 0), 0.004), tm.Sphere(0.015, (ARM, 0, 0))]
    m.body("inner", mass=WEIGHT, inertia=1e-6, centroid=(ARM, 0, 0), shape=rod, omega=turning)
    disc = tm.Cylinder((-0.01, 0, 0), (0.01, 0, 0), 0.08)
    m.body("rotor", mass=0.6, inertia=(AXIAL, 1e-3, 1e-3), shape=disc, omega=(SPIN, 0.0, RATE))
    m.revolute("mast", m.ground, "outer", at=(0, 0, 0), axis="z")
    m.revolute("trunnion", "outer", "inner", at=(0, 0, 0), axis="y")
    m.revolute("axle", "inner", "rotor", at=(0, 0, 0), axis="x")
    m.point("weight", "inner", local=(ARM, 0, 0))
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=1.0, samples=201)
