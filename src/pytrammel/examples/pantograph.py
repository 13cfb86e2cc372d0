"""Pantograph: the pen draws what the stylus is led along, 2.5 times as large.

A parallelogram keeps pivot, stylus and pen in line; the ratio of the bars is that of the drawings. Here the stylus follows a curve with
five petals.
"""

import pytrammel as tm

BAR, SCALE = 0.5, 2.5
TRACES = ("stylus", "P")
PLOTS = ("stylus.x", "P.x", "stylus.y", "P.y")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("pantograph", display_unit="mm")
    S = complex(0.28, 0.03)
    P = SCALE * S
    C = tm.meet(0j, P, BAR, BAR)
    A, D = C / SCALE, C + (P - C) / SCALE
    places = {"O": 0j, "A": A, "C": C, "D": D, "P": P, "S": S}
    m.linkage(places, {"ground": "O", "long": "OAC", "pen_arm": "CDP", "side": "AS", "tie": "DS"})
    stylus = m.point("stylus", "side", at=(S.real, S.imag))
    m.driver("lead_x", stylus.x, "0.25 + 0.02*cos(2*pi*t) + 0.01*cos(8*pi*t)")
    m.driver("lead_y", stylus.y, "0.03 + 0.02*sin(2*pi*t) - 0.01*sin(8*pi*t)")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
