"""Four-bar that falls from rest under its own weight: reactions, and energies that add up.

Bars of 2 m, 4 m and 4 m on pins 2.5 m apart, released with the short one at 60° (Nikravesh 1988, section 10.3.1). Nothing drives
it and nothing brakes it, so the mechanical energy stays what it was.
"""

import math

import pytrammel as tm

TRACES = ("P",)
PLOTS = ("crank.phi", "A.reaction", "D.reaction", "energy.kinetic", "energy.gravity", "energy.total")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("falling four-bar")
    A, B, D = (0.0, 0.0), (1.0, math.sqrt(3.0)), (2.5, 0.0)
    # C where two circles of 4 m meet: above the middle of B-D, at right angles to it
    middle, half = ((B[0] + D[0]) / 2, (B[1] + D[1]) / 2), math.dist(B, D) / 2
    up = math.sqrt(4.0**2 - half**2) / (2 * half)
    C = (middle[0] + up * (B[1] - D[1]), middle[1] + up * (D[0] - B[0]))
    bars = {"crank": (A, B, 1.0, 0.3), "coupler": (B, C, 2.25, 2.0), "rocker": (D, C, 2.0, 1.35)}
    for name, (p, q, mass, inertia) in bars.items():
        centre = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
        m.body(name, position=centre, angle=math.atan2(q[1] - p[1], q[0] - p[0]), mass=mass, inertia=inertia)
    m.revolute("A", m.ground, "crank", at=A)
    m.revolute("B", "crank", "coupler", at=B)
    m.revolute("C", "coupler", "rocker", at=C)
    m.revolute("D", m.ground, "rocker", at=D)
    m.point("P", "coupler", local=(0.5, 1.5))
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=5.0, samples=401)
