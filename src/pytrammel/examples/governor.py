"""Flyball governor: the faster the spindle turns, the higher the balls swing and lift the sleeve.

Porter's governor with four equal arms: it turns steadily where w² L cos(a) = g (m + M) / m, for balls m and sleeve M. Here it starts in
just that state and stays there.
"""

import math

import pytrammel as tm

ARM, BALL, SLEEVE, ANGLE = 0.2, 1.5, 6.0, tm.deg(40)
SPEED = math.sqrt(9.81 * (BALL + SLEEVE) / (BALL * ARM * math.cos(ANGLE)))
TRACES = ("ball1.centre", "ball2.centre")
PLOTS = ("sleeve.z", "top1.angle", "energy.total")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("flyball governor", display_unit="mm")
    spin = (0.0, 0.0, SPEED)
    m.body("spindle", shape=tm.Cylinder((0, 0, -0.45), (0, 0, 0.05), 0.008), density=7850.0, omega=spin)
    out, down = ARM * math.sin(ANGLE), ARM * math.cos(ANGLE)
    collar = tm.Cylinder((0, 0, -0.02), (0, 0, 0.02), 0.03)
    m.body("sleeve", position=(0, 0, -2 * down), mass=SLEEVE, inertia=0.003, shape=collar, omega=spin)
    m.revolute("bearing", m.ground, "spindle", at=(0, 0, 0), axis="z")
    m.prismatic("slide", "spindle", "sleeve", at=(0, 0, -2 * down), axis="z")
    for k, side in ((1, 1.0), (2, -1.0)):
        # arms without mass: the upper one belongs to the ball, a link is the lower one; a small ball keeps the closed form
        ball = m.body(
            f"ball{k}", position=(side * out, 0, -down), mass=BALL, inertia=1e-9, points={"centre": (0, 0, 0)},
            shape=[tm.Sphere(0.03), tm.Cylinder((0, 0, 0), (-side * out, 0, down), 0.004)],
            velocity=(0, side * out * SPEED, 0), omega=spin,
        )  # fmt: skip
        m.revolute(f"top{k}", "spindle", ball, at=(0, 0, 0), axis="y")
        m.link(f"lower_arm{k}", ball.at(0, 0, 0), m["sleeve"].at(0, 0, 0))
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=1.0, samples=201)
