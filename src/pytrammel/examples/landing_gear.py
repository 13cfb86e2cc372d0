"""Landing gear: the leg swings up by a right angle while its brace folds from almost straight to almost shut.

Down, the brace of 630 and 580 mm spans 1204 mm and is nearly in line, so that it carries the load of landing as a strut.
"""

import cmath
import math

import pytrammel as tm

UPPER, LOWER, BASE, LUG, LEG = 0.63, 0.58, 0.9, 0.8, 1.5
TRACES = ("W", "knee")
PLOTS = ("leg.phi", "upper.phi", "lower.phi", "K.angle.rate")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("landing gear")
    H, G, S, W = 0j, complex(BASE), -1j * LUG, -1j * LEG
    K = tm.meet(G, S, UPPER, LOWER)
    m.linkage({"H": H, "G": G, "S": S, "W": W, "K": K}, {"ground": "HG", "leg": "HSW", "upper": "GK", "lower": "KS"})
    rim = [cmath.rect(0.3, math.pi * k / 18) for k in range(36)]
    m.body("wheel", position=(0, -LEG), outline=[(q.real, q.imag) for q in rim])
    m.weld("axle", "leg", "wheel", at=(0, -LEG))
    m.point("knee", "upper", local=(UPPER, 0))
    m.driver("retract", m["H"].angle, "-pi/2 + pi/4*(1 - cos(pi*t/4))")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=4.0, samples=201)
