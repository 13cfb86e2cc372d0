"""Wankel engine: a rotor with an inner gear rolls round a fixed pinion, and its tips draw the housing.

The rotor turns once while the eccentric shaft turns three times. Its tips stay on the epitrochoid e exp(3ia) + R exp(ia).
"""

import cmath
import math

import pytrammel as tm

ECCENTRIC, TIP = tm.mm((15, 105))
TRACES = ("P1", "P2", "P3")
PLOTS = ("shaft.omega", "rotor.omega", "P1.x", "P1.y")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Wankel rotor", display_unit="mm")
    tips = [cmath.rect(TIP, 2 * math.pi * k / 3) for k in range(3)]
    # flanks are arcs from tip to tip, 0.7 TIP from the middle of the rotor
    arc = [1.975 * cmath.rect(1, 0.4537 * k / 8) - 1.275 for k in range(-8, 8)]
    bulged = [cmath.rect(TIP, math.pi * (2 * k + 1) / 3) * q for k in range(3) for q in arc]
    m.body("shaft")
    m.body("rotor", position=(ECCENTRIC, 0), outline=[(q.real, q.imag) for q in bulged])
    m.revolute("bearing", m.ground, "shaft", at=(0, 0))
    m.revolute("journal", "shaft", "rotor", at=(ECCENTRIC, 0))
    m.gear("phasing", m.ground.at(0, 0), "rotor", radii=(2 * ECCENTRIC, 3 * ECCENTRIC), carrier="shaft", internal=True)
    for k, tip in enumerate(tips, start=1):
        m.point(f"P{k}", "rotor", local=(tip.real, tip.imag))
    m.driver("motor", m["bearing"].angle, "6*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=361)
