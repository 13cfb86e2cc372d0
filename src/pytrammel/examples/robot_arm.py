"""Robot arm with three motors whose gripper draws a tilted ellipse: the torques that the motors must give.

The drivers lead the tip round it; inverse dynamics finds what the motors at waist, shoulder and elbow do for it.
"""

import pytrammel as tm

TRACES = ("tip",)
JOINTS = ("waist", "shoulder", "elbow")
PLOTS = (*(f"{joint}_motor.effort" for joint in JOINTS), *(f"{joint}.angle" for joint in JOINTS))


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("robot arm")
    shoulder, elbow, tip = (0.0, 0.0, 0.4), (0.3, 0.0, 0.8), (0.75, 0.0, 0.6)
    post = [tm.Cylinder((0, 0, 0), (0, 0, 0.35), 0.07), tm.Cylinder((0, -0.07, 0.4), (0, 0.07, 0.4), 0.065)]
    m.body("column", shape=post, density=1500.0)
    upper = [tm.Cylinder((0, 0, 0), (0.3, 0, 0.4), 0.045), tm.Cylinder((0.3, -0.055, 0.4), (0.3, 0.055, 0.4), 0.05)]
    m.body("upper", position=shoulder, shape=upper, density=1500.0)
    m.body("fore", position=elbow, shape=tm.Cylinder((0, 0, 0), (0.45, 0, -0.2), 0.032), density=1500.0)
    m.revolute("waist", m.ground, "column", at=(0, 0, 0), axis="z")
    m.revolute("shoulder", "column", "upper", at=shoulder, axis="y")
    m.revolute("elbow", "upper", "fore", at=elbow, axis="y")
    hand = m.point("tip", "fore", at=tip)
    way = tm.profiles.motion(0.0, [tm.profiles.rise(2 * tm.deg(180), 2.0, law="poly345")])
    m.driver("along", hand.x, tip[0] - 0.2 + 0.2 * tm.functions.cos(way))
    m.driver("across", hand.y, 0.2 * tm.functions.sin(way))
    m.driver("height", hand.z, tip[2] - 0.15 * tm.functions.sin(way))
    return m


def run() -> tm.results.Result:
    m = build()
    motors = {f"{joint}_motor": m[joint].angle for joint in JOINTS}
    return m.inverse_dynamics(duration=2.0, samples=201, actuators=motors)
