"""Bricard linkage: six equal bars along the edges of a cube, hinged at right angles, that turn inside out.

Six hinges take 30 rows, as many as the five moving bars have freedoms, so nothing should move; one row is redundant and it does:
sin a + sin b + sin a sin b = 0 for the angles a, b of neighbouring hinges.
"""

import math

import numpy as np

import pytrammel as tm

EDGE = tm.mm(100)
CORNERS = EDGE * np.array([(1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1)])
TRACES = ("P",)
PLOTS = ("J1.angle", "J2.angle", "J3.angle")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("Bricard linkage", display_unit="mm")
    bars = [m.body(f"bar{k + 1}", position=tuple(CORNERS[k])) for k in range(6)]
    m.fix("held", bars[5])
    for k in range(6):
        before, here, after = CORNERS[k - 1], CORNERS[k], CORNERS[(k + 1) % 6]
        hinge = np.cross(before - here, after - here) / EDGE**2
        m.revolute(f"J{k + 1}", bars[k - 1], bars[k], at=tuple(here), axis=tuple(hinge))
    m.point("P", "bar3", at=tuple((CORNERS[2] + CORNERS[3]) / 2))
    m.driver("motor", m["J1"].angle, tm.deg(100) * (1 - tm.functions.cos(2 * math.pi * tm.time)))
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=201)
