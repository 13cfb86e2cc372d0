"""Cardan shaft: two universal joints whose errors cancel, so that shafts out of line turn exactly alike.

The forks of the middle shaft lie in one plane and the bends are equal; the middle shaft itself runs unevenly.
"""

import math

import pytrammel as tm

BEND, LENGTH = tm.deg(25), 0.3
TRACES = ("P",)
PLOTS = ("input.wx", "output.wx", "first_cross.angle", "second_cross.angle")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("Cardan shaft", display_unit="mm")
    along = (math.cos(BEND), math.sin(BEND), 0.0)
    far = tuple(LENGTH * u for u in along)
    end = (far[0] + LENGTH, far[1], 0.0)
    rod = tm.Cylinder((0, 0, 0), (LENGTH, 0, 0), 0.012)
    m.body("input", position=(-LENGTH, 0, 0), shape=rod, density=7850.0)
    m.body("middle", rotation=tm.rotations.from_axis_angle((0, 0, 1), BEND), shape=rod, density=7850.0)
    m.body("output", position=far, shape=rod, density=7850.0)
    m.revolute("bearing", m.ground, "input", at=(-LENGTH, 0, 0), axis="x")
    m.universal("first_cross", "input", "middle", at=(0, 0, 0), axis="y", second_axis="z")
    m.universal("second_cross", "middle", "output", at=far, axis="z", second_axis="y")
    # the cylinder leaves the output its place along x: the middle shaft gives it
    m.point_on_line("near", m.ground, m["output"].at(0, 0, 0), at=far, axis="x")
    m.point_on_line("end", m.ground, m["output"].at(LENGTH, 0, 0), at=end, axis="x")
    m.point("P", "middle", local=(LENGTH / 2, 0, 0.012))
    m.driver("motor", m["bearing"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=121)
