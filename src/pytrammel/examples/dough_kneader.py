"""Dough-kneading mechanism: a crank-rocker with a parallelogram that swings the kneading arm.

AB = 6, BC = EF = 13, BE = CF = 6, DC = 15, AD = 18, BP = 26 (Nikravesh 1988, problem 5.24; the figure is lost, here F lies on
the rocker beyond C, so that the arm B-E-P stays parallel to it).
"""

import math

import pytrammel as tm

TRACES = ("P",)
PLOTS = ("P.x", "P.y", "arm.phi")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("dough kneader", display_unit="cm")
    ab, bc, be, dc, ad, bp = tm.cm((6, 13, 6, 15, 18, 26))
    A, D = (0.0, 0.0), (ad, 0.0)
    B = (0.0, ab)
    # C where the circles about B and D meet, below the line of centres: the arm then reaches down into the trough
    gap = math.dist(B, D)
    u = ((D[0] - B[0]) / gap, (D[1] - B[1]) / gap)
    along = (gap**2 + bc**2 - dc**2) / (2 * gap)
    across = math.sqrt(bc**2 - along**2)
    C = (B[0] + along * u[0] + across * u[1], B[1] + along * u[1] - across * u[0])
    v = ((C[0] - D[0]) / dc, (C[1] - D[1]) / dc)
    E, F, P = ((q[0] + s * v[0], q[1] + s * v[1]) for q, s in ((B, be), (C, be), (B, bp)))

    places = {"crank": A, "coupler": B, "rocker": D, "link": E, "arm": B}
    crank, coupler, rocker, link, arm = (m.body(name, position=p) for name, p in places.items())
    m.revolute("A", m.ground, crank, at=A)
    m.revolute("D", m.ground, rocker, at=D)
    m.revolute("B", crank, coupler, at=B)
    m.revolute("B2", coupler, arm, at=B)
    m.revolute("C", coupler, rocker, at=C)
    m.revolute("E", arm, link, at=E)
    m.revolute("F", rocker, link, at=F)
    m.point("P", arm, at=P)
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
