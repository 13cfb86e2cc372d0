"""Radial engine with five cylinders: a master rod on the crank pin, and four rods that are hinged to it.

Only the first piston moves as in a slider-crank. The others hang on pins 30 mm from the crank pin, which the master rod tilts, so
that their strokes differ a little.
"""

import cmath
import math

import pytrammel as tm

CRANK, ROD, HUB, CYLINDERS = 0.05, 0.18, 0.03, 5
TRACES = tuple(f"piston{k}.centre" for k in range(CYLINDERS))
PLOTS = tuple(f"bore{k}.distance" for k in range(CYLINDERS))


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("radial engine", display_unit="mm")
    m.body("crank", angle=math.pi / 2)
    m.revolute("shaft", m.ground, "crank", at=(0, 0))
    pin = 1j * CRANK
    w, h = tm.mm((28, 20))
    for k in range(CYLINDERS):
        u = 1j * cmath.rect(1, 2 * math.pi * k / CYLINDERS)
        foot, length = (pin, ROD) if k == 0 else (pin + HUB * u, ROD - HUB)
        wrist = ((foot / u).real + math.sqrt(length**2 - (foot / u).imag ** 2)) * u
        at = (wrist.real, wrist.imag)
        rod, piston = "master" if k == 0 else f"rod{k}", f"piston{k}"
        m.body(rod, position=(foot.real, foot.imag), angle=cmath.phase(wrist - foot))
        sides = [(-h, -w), (h, -w), (h, w), (-h, w)]
        m.body(piston, position=at, angle=cmath.phase(u), outline=sides, points={"centre": (0, 0)})
        m.revolute(f"pin{k}", "crank" if k == 0 else "master", rod, at=(foot.real, foot.imag))
        m.revolute(f"wrist{k}", rod, piston, at=at)
        m.prismatic(f"bore{k}", m.ground, piston, at=at, axis=(u.real, u.imag))
    m.driver("motor", m["shaft"].angle, "pi/2 + 2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
