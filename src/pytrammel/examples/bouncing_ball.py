"""Ball that bounces across a floor with friction: each bounce is lower, and the slip makes it spin.

Contact by Lankarani and Nikravesh's law: a Hertzian spring whose damping is solved for so that the coefficient of restitution comes out.
"""

import pytrammel as tm

RADIUS, MASS = 0.05, 0.1
TRACES = ("ball.centre",)
PLOTS = ("ball.y", "ball.vx", "ball.omega", "floor.normal", "energy.total", "energy.dissipated")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("bouncing ball", display_unit="cm")
    inertia = 0.4 * MASS * RADIUS**2
    ball = m.body("ball", position=(0, 1.0), mass=MASS, inertia=inertia, velocity=(1.0, 0), points={"centre": (0, 0)})
    m.contact_line(
        "floor", ball, m.ground, radius=RADIUS, at=(0, 0), axis=(1, 0), stiffness=2e5,
        law="lankarani_nikravesh", restitution=0.8, friction=0.3, stick_speed=0.01,
    )  # fmt: skip
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=3.0, samples=601)
