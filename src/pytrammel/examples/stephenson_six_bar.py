"""Stephenson's six-bar with a dwell: part of the coupler's curve is almost round, and the output rests there.

Hoeken's linkage leads P. The link after it is as long as the radius of P's curve where that is round, 40° of the crank to both sides
of zero, and so the output hardly moves there: its end rests in the centre of the arc.
"""

import pytrammel as tm

CRANK = 0.04
LINK, OUTPUT = 0.1693, 0.10
TRACES = ("P_path",)
PLOTS = ("output.phi", "output.omega")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Stephenson's six-bar", display_unit="mm")
    A, B, D = 0j, complex(CRANK), complex(2 * CRANK)
    C = tm.meet(B, D, 2.5 * CRANK, 2.5 * CRANK)
    P = 2 * C - B
    G = complex(0.18, 0.027)  # so far right of the arc's centre as the output is long
    E = tm.meet(P, G, LINK, OUTPUT, side=-1)
    places = {"A": A, "B": B, "C": C, "D": D, "P": P, "E": E, "G": G}
    bars = {"ground": "ADG", "crank": "AB", "coupler": "BCP", "rocker": "DC", "link": "PE", "output": "GE"}
    m.linkage(places, bars)
    m.point("P_path", "coupler", at=(P.real, P.imag))
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
