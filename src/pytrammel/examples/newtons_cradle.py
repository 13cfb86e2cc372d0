"""Newton's cradle of five balls: one goes in, one comes out on the other side.

The balls hang a hair's breadth apart. If they touched, the blow would pass through all of them at once and most balls would
move off (Nikravesh 1988, problem 10.24); with gaps it is handed on from pair to pair.
"""

import math

import pytrammel as tm

N, RADIUS, LENGTH, MASS = 5, 0.02, 0.2, 0.25
GAP = 1e-4
START = tm.deg(30)
TRACES = ()
PLOTS = ("b1.omega", "b3.omega", "b5.omega", "p1.reaction", "energy.kinetic", "energy.total")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Newton's cradle", display_unit="cm")
    balls = []
    for k in range(N):
        pivot = (k * (2 * RADIUS + GAP), 0.0)
        angle = START if k == 0 else 0.0
        place = (pivot[0] - LENGTH * math.sin(angle), -LENGTH * math.cos(angle))
        ball = m.body(
            f"b{k + 1}", position=place, angle=-angle, points={"c": (0, 0)},
            mass=MASS, inertia=0.4 * MASS * RADIUS**2,
        )  # fmt: skip
        m.revolute(f"p{k + 1}", m.ground, ball, at=pivot)
        balls.append(ball)
    for k in range(N - 1):
        m.contact_discs(f"hit_{k + 1}", balls[k], balls[k + 1], radii=(RADIUS, RADIUS), stiffness=1e9, law="hertz")
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=3.0, samples=601)
