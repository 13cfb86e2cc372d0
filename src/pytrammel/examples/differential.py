"""Differential of a car: bevel planets in a cage let the wheels turn unevenly, and share the torque in halves.

The mean speed of the two wheels is that of the cage, whatever the difference.
"""

import pytrammel as tm

SIDE, PLANET = tm.mm((40, 25))
TRACES = ("P", "Q")
PLOTS = ("left_axle.angle.rate", "right_axle.angle.rate", "cage_bearing.angle.rate", "pin.angle.rate")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("differential", display_unit="mm")
    rim = [tm.Cylinder((0, side * 0.06, 0), (0, side * 0.07, 0), 0.02) for side in (-1, 1)]
    m.body("cage", shape=[*rim, tm.Cylinder((0, -0.07, 0.06), (0, 0.07, 0.06), 0.005)], density=7850.0)
    m.revolute("cage_bearing", m.ground, "cage", at=(0, 0, 0), axis="y")
    for name, side in (("left", 1), ("right", -1)):
        parts = [
            tm.Cylinder((0, side * PLANET, 0), (0, side * 0.035, 0), SIDE),
            tm.Cylinder((0, side * 0.035, 0), (0, side * 0.2, 0), 0.01),
        ]
        m.body(name, shape=parts, density=7850.0)
        m.revolute(f"{name}_axle", "cage", name, at=(0, side * PLANET, 0), axis="y")
    m.body("planet", shape=tm.Cylinder((0, 0, SIDE), (0, 0, SIDE + 0.01), PLANET), density=7850.0)
    m.revolute("pin", "cage", "planet", at=(0, 0, SIDE), axis="z")
    m.gear("left_mesh", "left_axle", "pin", radii=(SIDE, PLANET))
    m.gear("right_mesh", "right_axle", "pin", radii=(SIDE, PLANET))
    m.point("P", "left", local=(SIDE, PLANET, 0))
    m.point("Q", "planet", local=(PLANET, 0, SIDE))
    m.driver("engine", m["cage_bearing"].angle, "2*pi*t")
    m.driver("bend", m["left_axle"].angle, "0.8*sin(pi*t)")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=2.0, samples=121)
