"""Windshield wipers: a crank swings one arm, and a parallelogram swings the other alike.

Crank 40 mm, rod 250 mm, arms 70 mm. The blades turn back where crank and rod are in line.
"""

import pytrammel as tm

CRANK, ROD, ARM, BLADE = tm.mm((40, 250, 70, 450))
TRACES = ("P", "Q")
PLOTS = ("left.phi", "right.phi", "left.omega")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("windshield wipers", display_unit="mm")
    shaft, D, E = complex(-0.25, -0.07), 0j, complex(0.45)
    A = shaft + CRANK
    B = tm.meet(A, D, ROD, ARM, side=-1)
    C = B + E
    tip = -B / ARM * BLADE
    bars = {"ground": "ODE", "crank": "OA", "rod": "AB", "left": "DBP", "tie": "BC", "right": "ECQ"}
    m.linkage({"O": shaft, "A": A, "B": B, "C": C, "D": D, "E": E, "P": tip, "Q": E + tip}, bars)
    m.driver("motor", m["O"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
