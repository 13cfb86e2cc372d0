"""V-engine: two pistons at right angles on one crank pin.

Crank 40 mm, rods 140 mm, banks at ±45°: each piston makes the motion of a slider-crank, a quarter turn after the other.
"""

import cmath
import math

import pytrammel as tm

CRANK, ROD = tm.mm((40, 140))
BANKS = {"left": tm.deg(135), "right": tm.deg(45)}
TRACES = ("left.centre", "right.centre")
PLOTS = ("left_bore.distance", "right_bore.distance")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("V-engine", display_unit="mm")
    m.body("crank", angle=math.pi / 2)
    m.revolute("shaft", m.ground, "crank", at=(0, 0))
    pin = 1j * CRANK
    w, h = tm.mm((35, 25))
    for bank, angle in BANKS.items():
        u = cmath.rect(1, angle)
        across = (pin / u).imag
        wrist = ((pin / u).real + math.sqrt(ROD**2 - across**2)) * u
        at = (wrist.real, wrist.imag)
        m.body(f"{bank}_rod", position=(0, CRANK), angle=cmath.phase(wrist - pin))
        m.body(bank, position=at, angle=angle, outline=[(-h, -w), (h, -w), (h, w), (-h, w)], points={"centre": (0, 0)})
        m.revolute(f"{bank}_pin", "crank", f"{bank}_rod", at=(0, CRANK))
        m.revolute(f"{bank}_wrist", f"{bank}_rod", bank, at=at)
        m.prismatic(f"{bank}_bore", m.ground, bank, at=at, axis=(u.real, u.imag))
    m.driver("motor", m["shaft"].angle, f"pi/2 + {tm.rpm(3000)}*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=0.04, samples=241)
