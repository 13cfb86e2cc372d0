"""Two shafts at 30° with a universal joint between them: the second runs unevenly, and so does the torque.

The driven shaft turns at cos b / (1 - (sin b cos a)²) times the speed of the driving one, b being the bend and a the driving angle;
the torque that overcomes a steady load follows the same ratio.
"""

import math

import numpy as np

import pytrammel as tm

BEND, LENGTH, RADIUS = tm.deg(30), 0.25, 0.012
TRACES = ("P", "Q")
PLOTS = ("driven.wx", "driving.wx", "motor.effort", "cross.angle", "cross.second_angle")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("universal joint", display_unit="mm")
    along = (math.cos(BEND), math.sin(BEND), 0.0)
    turn = tm.rotations.from_axis_angle((0, 0, 1), BEND)
    for name, side, rotation in (("driving", -1, (1, 0, 0, 0)), ("driven", 1, turn)):
        shaft = tm.Cylinder((side * 0.035, 0, 0), (side * LENGTH, 0, 0), RADIUS)
        wheel = tm.Cylinder((side * 0.17, 0, 0), (side * 0.18, 0, 0), 5 * RADIUS)
        across = np.array((0, 0.019, 0) if side < 0 else (0, 0, 0.019))  # the fork holds its arm of the cross
        size = (0.04, 0.006, 0.018) if side < 0 else (0.04, 0.018, 0.006)
        fork = [tm.Box(size, tuple(s * across + (side * 0.012, 0, 0))) for s in (-1, 1)]
        flange = tm.Cylinder((side * 0.03, 0, 0), (side * 0.036, 0, 0), 0.023)
        m.body(name, rotation=rotation, shape=[shaft, wheel, flange, *fork], density=7850.0)
    m.revolute("bearing", m.ground, "driving", at=(-LENGTH, 0, 0), axis="x")
    m.universal("cross", "driving", "driven", at=(0, 0, 0), axis="y", second_axis="z")
    far = tuple(LENGTH * u for u in along)
    m.point_on_line("far_bearing", m.ground, m["driven"].at(LENGTH), at=far, axis=along)
    m.point("P", "driving", local=(-0.175, 0, 5 * RADIUS))
    m.point("Q", "driven", local=(0.175, 0, 5 * RADIUS))
    m.user_force("load", m["driven"].angular_velocity_about("x"), -20.0)
    m.driver("motor", m["bearing"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().inverse_dynamics(duration=1.0, samples=241)
