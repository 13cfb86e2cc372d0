"""Klann's leg: a six-bar that walks like a spider, with the foot lifted high on its way back.

Crank and rocker lead a bent connecting rod; the leg hangs on its end and on a second rocker (J. Klann, US patent 6260862; lengths as
J. Boim improved them).
"""

import pytrammel as tm

TRACES = ("G",)
PLOTS = ("G.x", "G.y", "G.vx")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Klann's leg", display_unit="mm")
    B, D, C = complex(-0.0388, -0.0125), complex(-0.0146, 0.0419), complex(0.0175)
    H = tm.meet(C, B, 0.0388, 0.0237, side=-1)
    F = tm.meet(C, H, 0.0734, 0.0352, side=-1)
    E = tm.meet(F, D, 0.0577, 0.0341)
    G = tm.meet(E, F, 0.1117, 0.0590)
    m.linkage({"A": 0j, "B": B, "C": C, "D": D, "E": E, "F": F, "G": G, "H": H},
        {"ground": "ABD", "crank": "AC", "rod": "CHF", "lower_rocker": "BH", "upper_rocker": "DE", "leg": "EFG"},
    )  # fmt: skip
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
