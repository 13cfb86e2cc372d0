"""Excavator arm: the bucket is led along a straight line, and three actuators must find the effort for it.

The drivers give the motion: the tip's x and y and the bucket's angle. The work is done elsewhere, by a torque in the boom's pin, a
cylinder between boom and stick, and a torque in the bucket's pin. Inverse dynamics translates one into the other.
"""

import math

import pytrammel as tm

TRACES = ("tip",)
PLOTS = ("cylinder.effort", "slew.effort", "tilt.effort", "A.reaction", "B.reaction")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("excavator arm")
    angle = {"boom": 0.9, "stick": -0.9, "bucket": -1.6}
    size = {"boom": (4.0, 900.0), "stick": (2.5, 400.0), "bucket": (1.2, 600.0)}
    x, y, before = 0.0, 0.0, m.ground
    for (name, (length, mass)), pin in zip(size.items(), "ABC", strict=True):
        u = (math.cos(angle[name]), math.sin(angle[name]))
        body = m.body(
            name, position=(x + u[0] * length / 2, y + u[1] * length / 2), angle=angle[name],
            mass=mass, inertia=mass * length**2 / 12,
        )  # fmt: skip
        m.revolute(pin, before, body, at=(x, y))
        x, y, before = x + u[0] * length, y + u[1] * length, body
    m.point("tip", "bucket", at=(x, y))
    # oil resists: the cylinder must overcome its own friction too
    m.spring("ram", m["boom"].at(-0.5, 0.4), m["stick"].at(-1.5, 0.3), damping=2e3)
    # back and up along a line, and the bucket curls in
    stroke = tm.profiles.rise(1.0, 4.0, law="poly345")
    way = tm.profiles.motion(0.0, [stroke])
    m.driver("tip_x", m.point("tip").x, x - 1.5 * way)
    m.driver("tip_y", m.point("tip").y, y + 1.0 * way)
    m.driver("curl", m["bucket"].phi, angle["bucket"] - 0.8 * way)
    return m


def run() -> tm.results.Result:
    m = build()
    acting = {"slew": m["A"].angle, "cylinder": m.forces["ram"].length, "tilt": m["C"].angle}
    return m.inverse_dynamics(duration=4.0, samples=201, actuators=acting)
