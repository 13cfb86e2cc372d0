"""Hoeken's linkage: for half a turn of the crank the coupler's end runs straight, at nearly constant speed.

Crank 1, base 2, coupler and rocker 2.5, and the coupler as long again beyond the rocker. P, B and D lie on a circle about C, so that
P always stands square to the line from D to B.
"""

import pytrammel as tm

CRANK = 0.04
TRACES = ("P",)
PLOTS = ("P.x", "P.y", "P.vx", "rocker.phi")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Hoeken's linkage", display_unit="mm")
    A, B, D = 0j, complex(CRANK), complex(2 * CRANK)
    C = tm.meet(B, D, 2.5 * CRANK, 2.5 * CRANK)
    bars = {"ground": "AD", "crank": "AB", "coupler": "BCP", "rocker": "DC"}
    m.linkage({"A": A, "B": B, "C": C, "D": D, "P": 2 * C - B}, bars)
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
