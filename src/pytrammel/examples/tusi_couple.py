"""Tusi's couple: a wheel that rolls inside one of twice its size moves its rim straight to and fro.

Each point of the rim stays on a diameter of the ring, in harmonic motion. Murray and White built steam engines with it.
"""

import pytrammel as tm

WHEEL = tm.mm(50)
TRACES = ("P", "Q")
PLOTS = ("P.x", "P.vx", "P.ax", "Q.y")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Tusi couple", display_unit="mm")
    m.body("arm")
    m.body("wheel", position=(WHEEL, 0))
    m.revolute("hub", m.ground, "arm", at=(0, 0))
    m.revolute("axle", "arm", "wheel", at=(WHEEL, 0))
    m.gear("teeth", "wheel", m.ground.at(0, 0), radii=(WHEEL, 2 * WHEEL), carrier="arm", internal=True)
    m.point("P", "wheel", local=(WHEEL, 0))
    m.point("Q", "wheel", local=(-WHEEL, 0))
    m.driver("motor", m["hub"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=201)
