"""Double pendulum of two uniform rods, let go above the horizontal: chaotic, with constant energy."""

import math

import pytrammel as tm

LENGTH, MASS = 1.0, 1.0
TRACES = ("tip",)
PLOTS = ("upper.phi", "lower.phi", "A.reaction", "B.reaction", "energy.kinetic", "energy.total")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("double pendulum")
    end = (0.0, 0.0)
    before = m.ground
    for name, joint, angle in (("upper", "A", tm.deg(30)), ("lower", "B", tm.deg(60))):
        half = (LENGTH / 2 * math.cos(angle), LENGTH / 2 * math.sin(angle))
        rod = m.body(
            name, position=(end[0] + half[0], end[1] + half[1]), angle=angle, mass=MASS, inertia=MASS * LENGTH**2 / 12
        )
        m.revolute(joint, before, rod, at=end)
        end = (end[0] + 2 * half[0], end[1] + 2 * half[1])
        before = rod
    m.point("tip", before, at=end)
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=10.0, samples=601)
