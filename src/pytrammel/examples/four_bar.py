"""Crank-rocker four-bar whose coupler points draw curves.

P draws a figure of eight, Q a drop. The crank turns all the way round because shortest and longest link together are
shorter than the other two (Grashof: 40 + 120 < 90.4 + 91.2).
"""

import pytrammel as tm

TRACES = ("P", "Q")
PLOTS = ("D.angle", "rocker.omega", "rocker.alpha")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("crank-rocker four-bar", display_unit="mm")
    A, B, C, D = tm.mm([(0, 0), (0, 40), (80, 82), (120, 0)])
    crank = m.body("crank", position=A)
    coupler = m.body("coupler", position=B)
    rocker = m.body("rocker", position=D)
    m.revolute("A", m.ground, crank, at=A)
    m.revolute("B", crank, coupler, at=B)
    m.revolute("C", coupler, rocker, at=C)
    m.revolute("D", m.ground, rocker, at=D)
    m.point("P", coupler, at=tm.mm((99, 24)))
    m.point("Q", coupler, at=tm.mm((134, 43)))
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
