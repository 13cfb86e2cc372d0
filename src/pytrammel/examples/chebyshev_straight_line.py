"""Chebyshev's linkage: crossed arms 5 : 5 over a base of 4 lead the middle of a bar of 2 almost straight.

The middle P lies exactly at the height 4 in three places, over both pivots and half-way between them, and hardly leaves it
in between.
"""

import pytrammel as tm

HALF_BASE, ARM, BAR = 0.2, 0.5, 0.2
TRACES = ("P",)
PLOTS = ("P.x", "P.y", "left.phi", "bar.phi")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Chebyshev's straight-line linkage")
    A, D = complex(-HALF_BASE), complex(HALF_BASE)
    B = A + 1j * ARM
    C = tm.meet(B, D, BAR, ARM, side=-1)
    bars = {"ground": "AD", "left": "AB", "bar": "BCP", "right": "DC"}
    m.linkage({"A": A, "B": B, "C": C, "D": D, "P": (B + C) / 2}, bars)
    # led by P: where the bar stands upright over a pivot, in line with an arm, no arm could lead it
    m.driver("lead", m.point("P").x, f"-{HALF_BASE}*cos(2*pi*t)")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=201)
