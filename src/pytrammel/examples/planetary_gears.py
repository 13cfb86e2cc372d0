"""Planetary gear train: sun in, carrier out, ring fixed, three planets.

The carrier turns r_sun / (r_sun + r_ring) = 20 / 70 times as fast as the sun. Two of the three planets are redundant; the
result says so and the motion is found all the same.
"""

import math

import pytrammel as tm

SUN, PLANET = tm.mm(20), tm.mm(15)
RING = SUN + 2 * PLANET
TRACES = ("P",)
PLOTS = ("sun.omega", "carrier.omega", "planet1.omega")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("planetary gear train", display_unit="mm")
    sun = m.body("sun")
    carrier = m.body("carrier")
    m.revolute("S", m.ground, sun, at=(0, 0))
    m.revolute("C", m.ground, carrier, at=(0, 0))
    for k in (1, 2, 3):
        a = 2 * math.pi * (k - 1) / 3
        centre = ((SUN + PLANET) * math.cos(a), (SUN + PLANET) * math.sin(a))
        planet = m.body(f"planet{k}", position=centre)
        m.revolute(f"B{k}", carrier, planet, at=centre)
        m.gear(f"inner{k}", sun, planet, radii=(SUN, PLANET), carrier=carrier)
        m.gear(f"outer{k}", planet, m.ground.at(0, 0), radii=(PLANET, RING), carrier=carrier, internal=True)
    m.point("P", "planet1", local=(PLANET, 0))
    m.driver("motor", m["S"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=10.5, samples=841)
