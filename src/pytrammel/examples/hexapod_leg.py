"""Leg of a hexapod walker: hip, thigh and shin with three motors that lead the foot through a step.

Half the time the foot moves back on the ground, half the time it is lifted forwards. Inverse dynamics gives what the motors do.
"""

import pytrammel as tm

COXA, THIGH, SHIN = tm.mm((60, 100, 130))
TRACES = ("foot",)
JOINTS = ("hip", "lift", "knee")
PLOTS = (*(f"{joint}_motor.effort" for joint in JOINTS), *(f"{joint}.angle" for joint in JOINTS))


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("hexapod leg", display_unit="mm")
    root, knee = (COXA, 0.0, 0.0), (COXA + THIGH, 0.0, 0.0)
    m.body("coxa", shape=tm.Cylinder((0, 0, 0), root, 0.012), density=1500.0)
    m.body("thigh", position=root, shape=tm.Cylinder((0, 0, 0), (THIGH, 0, 0), 0.010), density=1500.0)
    m.body("shin", position=knee, shape=tm.Cylinder((0, 0, 0), (0, 0, -SHIN), 0.007), density=1500.0)
    m.revolute("hip", m.ground, "coxa", at=(0, 0, 0), axis="z")
    m.revolute("lift", "coxa", "thigh", at=root, axis="y")
    m.revolute("knee", "thigh", "shin", at=knee, axis="y")
    foot = m.point("foot", "shin", local=(0, 0, -SHIN))
    # an egg-shaped step beside the body
    m.driver("beside", foot.x, f"{COXA + THIGH} - 0.01*(1 - cos(2*pi*t))")
    m.driver("stride", foot.y, "0.05*sin(2*pi*t)")
    m.driver("raise", foot.z, f"-{SHIN} + 0.02*(1 - cos(2*pi*t))")
    return m


def run() -> tm.results.Result:
    m = build()
    motors = {f"{joint}_motor": m[joint].angle for joint in JOINTS}
    return m.inverse_dynamics(duration=1.0, samples=121, actuators=motors)
