"""Sarrus' linkage: two pairs of hinged plates at right angles lift a table exactly straight, without any slide.

Six hinges take 30 rows of the 30 freedoms of five moving bodies; one row is redundant, and the table moves: up and down by 2 L sin a.
"""

import math

import pytrammel as tm

PLATE, HALF = 0.2, 0.15
START = tm.deg(60)
TRACES = ("centre",)
PLOTS = ("table.z", "table.vz", "foot_x.angle")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("Sarrus linkage", display_unit="mm")
    out, up = PLATE * math.cos(START), PLATE * math.sin(START)
    table = m.body(
        "table", position=(0, 0, 2 * up), shape=tm.Box((2 * HALF, 2 * HALF, 0.01), (0, 0, 0.005)), density=2700.0
    )
    for name, way, hinge in (("x", (1.0, 0.0), "y"), ("y", (0.0, 1.0), "x")):
        foot, knee = ((r * way[0], r * way[1], z) for r, z in ((HALF, 0.0), (HALF + out, up)))
        head = (HALF * way[0], HALF * way[1], 2 * up)
        leg = tm.Cylinder((0, 0, 0), (out * way[0], out * way[1], up), 0.01)
        arm = tm.Cylinder((0, 0, 0), (-out * way[0], -out * way[1], up), 0.01)
        m.body(f"lower_{name}", position=foot, shape=leg, density=2700.0)
        m.body(f"upper_{name}", position=knee, shape=arm, density=2700.0)
        m.revolute(f"foot_{name}", m.ground, f"lower_{name}", at=foot, axis=hinge)
        m.revolute(f"knee_{name}", f"lower_{name}", f"upper_{name}", at=knee, axis=hinge)
        m.revolute(f"head_{name}", f"upper_{name}", table, at=head, axis=hinge)
    m.point("centre", table, local=(0, 0, 0.01))
    m.driver("motor", m["foot_x"].angle, "0.35*(1 - cos(2*pi*t))")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=121)
