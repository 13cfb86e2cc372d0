"""Double-wishbone suspension of a quarter car that meets a kerb of 40 mm.

Two wishbones and a tie rod lead the wheel, a spring with damper carries the car, and the tyre pushes on the road but never pulls. The
wheel leans in as it rises.
"""

import numpy as np

import pytrammel as tm

RADIUS = 0.3
TRACES = ("hub",)
PLOTS = ("hub.z", "car.z", "strut.length", "strut.spring", "lower_ball.reaction", "upper_ball.reaction")


def arm(m: tm.SpatialModel, name: str, inner: tuple[float, ...], ball: tuple[float, ...], mass: float) -> None:
    """Wishbone: two legs from its hinge to its ball."""
    way = np.subtract(ball, inner)
    legs = [tm.Cylinder((side, 0, 0), tuple(way), 0.015) for side in (-0.14, 0.14)]
    m.body(name, position=inner, mass=mass, inertia=mass * 0.02, centroid=tuple(way / 2), shape=legs)


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("double wishbone", display_unit="mm")
    # x points forwards, y out of the car; hard points of the left front corner
    lower, upper, hub = (0.0, 0.68, 0.2), (-0.02, 0.64, 0.44), (0.0, 0.75, RADIUS)
    low_hinge, high_hinge, top = (0.0, 0.3, 0.21), (0.0, 0.36, 0.42), (0.0, 0.36, 0.66)
    rails = [tm.Box((0.36, 0.03, 0.03), p) for p in ((0, 0.0, -0.19), (0, 0.06, 0.02))]
    tower = [tm.Box((0.04, 0.03, 0.5), (0, -0.02, 0.04)), tm.Box((0.06, 0.13, 0.02), (0, 0.04, 0.28))]
    m.body("car", position=(0, 0.3, 0.4), mass=350.0, inertia=(30, 60, 70), shape=rails + tower)
    arm(m, "lower_arm", low_hinge, lower, 5.0)
    arm(m, "upper_arm", high_hinge, upper, 3.0)
    foot, head = (tuple(np.subtract(p, hub)) for p in (lower, upper))
    wheel = [tm.Cylinder((0, 0, 0), (0, 0.16, 0), RADIUS), tm.Cylinder(foot, head, 0.02)]
    wheel.append(tm.Cylinder((0, -0.09, 0), (0, 0, 0), 0.03))
    m.body("wheel", position=hub, mass=35.0, inertia=(0.9, 1.4, 0.9), shape=wheel)
    m.prismatic("guide", m.ground, "car", at=(0, 0.3, 0.4), axis="z")
    m.revolute("lower_hinge", "car", "lower_arm", at=low_hinge, axis="x")
    m.revolute("upper_hinge", "car", "upper_arm", at=high_hinge, axis="x")
    m.spherical("lower_ball", "lower_arm", "wheel", at=lower)
    m.spherical("upper_ball", "upper_arm", "wheel", at=upper)
    m.link("tie_rod", m["car"].at_global(0.16, 0.31, 0.28), m["wheel"].at_global(0.12, 0.68, 0.28))
    mount = m["lower_arm"].at_global(0, 0.55, 0.205)
    m.spring("strut", mount, m["car"].at_global(*top), stiffness=45e3, free_length=0.626, damping=4e3)
    centre = m.point("hub", "wheel", at=hub)
    kerb = "0.04*min(max((t - 0.5)/0.05, 0), 1)"
    m.user_force("tyre", centre.z, f"max(2e5*({RADIUS + 0.018} + {kerb} - hub.z) - 500*hub.vz, 0)")
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=3.0, samples=601)
