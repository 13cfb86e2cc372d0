"""Delta robot: three arms and six rods move a plate that never turns, as fast as machines pack chocolates.

The rods go in parallel pairs from each forearm hinge to the plate, so that the plate keeps level. It is led round a circle; the arms'
angles follow from one triangle each.
"""

import math

import numpy as np

import pytrammel as tm

BASE, ARM, ROD, PLATE, HALF = 0.2, 0.25, 0.55, 0.06, 0.04
TRACES = ("tool",)
PLOTS = ("shoulder1.angle", "shoulder2.angle", "shoulder3.angle", "plate.z")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("delta robot", display_unit="mm")
    reach = BASE + ARM - PLATE
    height = -math.sqrt(ROD**2 - reach**2)
    plate = m.body(
        "plate", position=(0, 0, height), shape=tm.Cylinder((0, 0, -0.005), (0, 0, 0.005), PLATE), density=2700.0
    )
    for k in (1, 2, 3):
        a = 2 * math.pi * (k - 1) / 3
        out, side = np.array((math.cos(a), math.sin(a), 0.0)), np.array((-math.sin(a), math.cos(a), 0.0))
        bar = [
            tm.Cylinder((0, 0, 0), tuple(ARM * out), 0.012),
            tm.Cylinder(tuple(ARM * out - HALF * side), tuple(ARM * out + HALF * side), 0.008),
        ]
        arm = m.body(f"arm{k}", position=tuple(BASE * out), shape=bar, density=2700.0)
        m.revolute(f"shoulder{k}", m.ground, arm, at=tuple(BASE * out), axis=tuple(-side))
        for name, shift in (("a", HALF), ("b", -HALF)):
            head, foot = (BASE + ARM) * out + shift * side, PLATE * out + shift * side + (0, 0, height)
            m.link(f"rod{k}{name}", arm.at_global(*head), plate.at_global(*foot))
    m.point("tool", plate, local=(0, 0, 0))
    m.driver("along", plate.x, "0.1*sin(2*pi*t)")
    m.driver("across", plate.y, "0.1*(1 - cos(2*pi*t))")
    m.driver("height", plate.z, f"{height} - 0.05*(1 - cos(4*pi*t))")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=121)
