"""Swash-plate pump: five pistons in a turning barrel slide on a slanting plate.

Pistons 30 mm from the axis, plate at 18°: each moves harmonically, by twice 30 mm tan 18°.
"""

import math

import pytrammel as tm

RADIUS, TILT, PISTONS = tm.mm(30), tm.deg(18), 5
TRACES = ("slipper1",)
PLOTS = tuple(f"bore{k}.distance" for k in range(1, PISTONS + 1))


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("swash-plate pump", display_unit="mm")
    m.body("barrel", shape=tm.Cylinder((0, 0, 0.05), (0, 0, 0.12), 0.045), density=7850.0)
    m.revolute("shaft", m.ground, "barrel", at=(0, 0, 0), axis="z")
    for k in range(PISTONS):
        a = 2 * math.pi * k / PISTONS
        foot = (RADIUS * math.cos(a), RADIUS * math.sin(a), RADIUS * math.cos(a) * math.tan(TILT))
        piston = m.body(
            f"piston{k + 1}", position=foot, shape=tm.Cylinder((0, 0, 0), (0, 0, 0.08), 0.008), density=7850.0
        )
        m.prismatic(f"bore{k + 1}", "barrel", piston, at=foot, axis="z")
        slipper = m.point(f"slipper{k + 1}", piston, local=(0, 0, 0))
        normal = (-math.sin(TILT), 0, math.cos(TILT))
        m.point_on_plane(f"plate{k + 1}", m.ground, slipper, at=(0, 0, 0), axis=normal)
    m.driver("motor", m["shaft"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=121)
