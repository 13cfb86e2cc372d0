"""Roberts' linkage: the tip of a triangle that hangs on two equal arms runs almost straight between the pivots.

Arms and sides of the triangle are 1.2, its base is half the base of the linkage: the tip lies on the line of the pivots at both of
them and half-way.
"""

import math
from cmath import rect

import pytrammel as tm

BASE, SIDE = 0.2, 0.12
LAST = math.acos(BASE / 2 / SIDE)  # of the left arm, where the tip is at the right pivot
FIRST = LAST + 2 * math.asin(BASE / 4 / SIDE)  # where it is at the left one
TRACES = ("P",)
PLOTS = ("P.x", "P.y", "left.phi", "triangle.phi")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Roberts' straight-line linkage", display_unit="mm")
    B = rect(SIDE, FIRST)
    C = tm.meet(B, complex(BASE), BASE / 2, SIDE)
    P = tm.meet(B, C, SIDE, SIDE, side=-1)
    bars = {"ground": "AD", "left": "AB", "triangle": "BCP", "right": "DC"}
    m.linkage({"A": 0j, "B": B, "C": C, "D": complex(BASE), "P": P}, bars)
    m.driver("motor", m["A"].angle, f"{(FIRST + LAST) / 2} + {(FIRST - LAST) / 2}*cos(2*pi*t)")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=201)
