"""Sewing machine: one shaft moves the needle bar by a slider-crank and the take-up lever by a four-bar.

The eye E of the lever gives the needle thread while the needle is down and pulls the stitch tight when it is up.
"""

import cmath

import pytrammel as tm

CRANK, ROD, PIN = tm.mm((15, 50, 12))
LEVER, ROCKER, EYE = tm.mm((25, 22, 50))
TRACES = ("E", "tip")
PLOTS = ("needle.y", "E.y", "needle.vy")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("sewing machine", display_unit="mm")
    A, B, D = 1j * CRANK, cmath.rect(PIN, tm.deg(150)), complex(-0.030, 0.010)
    C = tm.meet(B, D, LEVER, ROCKER, side=-1)
    N = 1j * (CRANK - ROD)
    places = {"O": 0j, "A": A, "B": B, "C": C, "D": D, "N": N, "E": B + (C - B) * cmath.rect(EYE / LEVER, -0.5)}
    m.body("needle", position=(0, N.imag), outline=tm.mm([(-3, 10), (3, 10), (3, -30), (0, -60), (-3, -30)]))
    m.linkage(places, {"ground": "OD", "crank": "OAB", "rod": "NA", "lever": "BCE", "rocker": "DC"})
    m.revolute("wrist", "rod", "needle", at=(0, N.imag))
    m.prismatic("guide", m.ground, "needle", at=(0, N.imag), axis=(0, 1))
    m.point("tip", "needle", local=tm.mm((0, -60)))
    m.driver("motor", m["O"].angle, "pi/2 + 2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
