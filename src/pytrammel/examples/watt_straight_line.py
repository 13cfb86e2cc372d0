"""Watt's linkage: two equal arms lead the middle of a short bar along a line that is almost straight.

The whole path is Watt's curve, of sixth degree: in it the straight stretch is the crossing of a long thin eight. Watt led the
piston rods of his engines with it.
"""

from cmath import rect

import pytrammel as tm

ARM, HALF = 0.5, 0.1
SWING = 0.4
TRACES = ("P",)
PLOTS = ("P.x", "P.y", "left.phi", "right.phi")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Watt's straight-line linkage")
    A, D = complex(-ARM, HALF), complex(ARM, -HALF)
    B = A + rect(ARM, SWING)
    C = tm.meet(B, D, 2 * HALF, ARM, side=-1)
    bars = {"ground": "AD", "left": "AB", "bar": "BCP", "right": "DC"}
    m.linkage({"A": A, "B": B, "C": C, "D": D, "P": (B + C) / 2}, bars)
    m.driver("motor", m["A"].angle, f"{SWING}*cos(2*pi*t)")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=201)
