"""Scott Russell's linkage: a slider and a crank half as long as the rod draw an exact straight line.

The crank holds the middle of the rod. One end of the rod slides along x, so the other stays on y.
"""

import cmath

import pytrammel as tm

CRANK = 0.1
MEAN, SWING = tm.deg(45), tm.deg(35)
TRACES = ("P",)
PLOTS = ("P.x", "P.y", "rod.x")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Scott Russell's linkage", display_unit="mm")
    A = cmath.rect(CRANK, MEAN + SWING)
    B = complex(2 * A.real)
    m.linkage({"O": 0j, "A": A, "B": B, "P": 2 * A - B}, {"ground": "O", "crank": "OA", "rod": "BAP"})
    m.point_on_line("guide", m.ground, "rod", at=(B.real, 0), axis=(1, 0))
    m.driver("motor", m["O"].angle, f"{MEAN} + {SWING}*cos(2*pi*t)")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=201)
