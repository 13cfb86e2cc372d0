"""MacPherson strut: one wishbone, a tie rod, and the damper itself lead the wheel up and down.

The damper's rod swings about its top mount and slides in the upright, in line with the lower ball: so the upright always points from
that ball to the mount, which gives the camber.
"""

import numpy as np

import pytrammel as tm

BALL, HUB, TOP = (0.0, 0.68, 0.2), (0.0, 0.75, 0.3), (-0.03, 0.55, 0.8)
HINGE, INNER, OUTER = (0.0, 0.33, 0.22), (0.12, 0.34, 0.26), (0.12, 0.66, 0.25)
TRACES = ("hub", "patch")
PLOTS = ("hub.y", "hub.z", "strut.distance", "hinge.angle")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("MacPherson strut", display_unit="mm")
    line = np.subtract(TOP, BALL)
    leg = [tm.Cylinder((side, 0, 0), tuple(np.subtract(BALL, HINGE)), 0.015) for side in (-0.14, 0.14)]
    m.body("arm", position=HINGE, shape=leg, density=7850.0)
    tube = tm.Cylinder(tuple(np.subtract(BALL, HUB)), tuple(np.add(np.subtract(BALL, HUB), 0.6 * line)), 0.025)
    m.body(
        "upright",
        position=HUB,
        shape=[tube, tm.Cylinder((0, 0, 0), (0, 0.16, 0), 0.3)],
        mass=35.0,
        inertia=(0.9, 1.4, 0.9),
    )
    m.body("rod", position=TOP, shape=tm.Cylinder((0, 0, 0), tuple(-0.6 * line), 0.011), density=7850.0)
    m.revolute("hinge", m.ground, "arm", at=HINGE, axis="x")
    m.spherical("ball", "arm", "upright", at=BALL)
    m.prismatic("strut", "upright", "rod", at=TOP, axis=tuple(line / np.linalg.norm(line)))
    m.spherical("mount", m.ground, "rod", at=TOP)
    m.link("tie_rod", m.ground.at(*INNER), m["upright"].at_global(*OUTER))
    m.point("hub", "upright", at=HUB)
    m.point("patch", "upright", at=(HUB[0], HUB[1] + 0.08, 0.0))
    m.point("low", "upright", at=BALL)
    m.driver("road", m.point("hub").z, f"{HUB[2]} + 0.06*sin(2*pi*t)")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=121)
