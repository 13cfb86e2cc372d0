"""Leg of Theo Jansen's beach beast: eleven lengths that turn a crank into a walk.

His "holy numbers": 38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8 and a crank of 15. The foot stays nearly level while
it carries, then swings back over the ground.
"""

import pytrammel as tm

TRACES = ("foot",)
PLOTS = ("foot.x", "foot.y", "foot.vx")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Jansen's leg", display_unit="mm")
    a, b, c, d, e, f, g, h, i, j, k, low, crank = tm.mm(
        (38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8, 15.0)
    )
    A, B = complex(crank), complex(-a, -low)
    C = tm.meet(A, B, j, b, side=-1)
    D = tm.meet(B, C, d, e)
    E = tm.meet(A, B, k, c)
    F = tm.meet(D, E, f, g, side=-1)
    foot = tm.meet(F, E, h, i, side=-1)
    m.linkage({"O": 0j, "A": A, "B": B, "C": C, "D": D, "E": E, "F": F, "foot": foot},
        {"ground": "OB", "crank": "OA", "upper_rod": "AC", "lower_rod": "AE", "rocker": "BCD", "hanger": "BE", "shin": "DF",
         "leg": ("E", "F", "foot")},
    )  # fmt: skip
    m.driver("motor", m["O"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
