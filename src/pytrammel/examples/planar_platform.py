"""Planar platform on three legs of two rods each (3-RRR), pushed sideways: particles instead of bodies.

Rods of 1 kg, platform of 3 kg (Attia); his paper leaves dimensions open: rods of 2 m and a platform with sides of 2 m have his inertias.
``print(tm.textbook.particles(build()))`` shows the nine particles, two of them with negative masses.
"""

import math

import pytrammel as tm

TRACES = ("centre",)
PLOTS = ("platform.x", "platform.y", "platform.phi")


def ahead(place: tuple[float, float], degrees: float) -> tuple[float, float]:
    return place[0] + 2 * math.cos(tm.deg(degrees)), place[1] + 2 * math.sin(tm.deg(degrees))


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("planar platform", gravity=(0, -9.81))
    p1 = (0.0, 0.0)
    p2 = ahead(p1, 120)
    p3 = ahead(p2, 30)
    p4, p5 = ahead(p3, 0), ahead(p3, 60)
    p6, p8 = ahead(p4, -30), ahead(p5, 120)
    p7, p9 = ahead(p6, -120), ahead(p8, 60)
    centre = (sum(p[0] for p in (p3, p4, p5)) / 3, sum(p[1] for p in (p3, p4, p5)) / 3)
    outline = [(p[0] - centre[0], p[1] - centre[1]) for p in (p3, p4, p5)]
    m.body("platform", position=centre, mass=3.0, inertia=1.0, outline=outline)
    rods = {"12": (p1, p2), "23": (p2, p3), "46": (p4, p6), "67": (p6, p7), "58": (p5, p8), "89": (p8, p9)}
    for name, (a, b) in rods.items():
        angle = math.atan2(b[1] - a[1], b[0] - a[0])
        middle = (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]))
        m.body(f"rod{name}", position=middle, angle=angle, mass=1.0, inertia=1 / 3)
    joints = (
        ("ground", "rod12", p1), ("rod12", "rod23", p2), ("rod23", "platform", p3), ("platform", "rod46", p4),
        ("platform", "rod58", p5), ("rod46", "rod67", p6), ("rod67", "ground", p7), ("rod58", "rod89", p8), ("rod89", "ground", p9),
    )  # fmt: skip
    for k, (first, second, place) in enumerate(joints):
        m.revolute(f"P{k + 1}", first, second, at=place)
    m.force("push", "platform", vector=(10.0, 0.0))
    m.point("centre", m["platform"], at=centre)
    return m


def run() -> tm.results.Result:
    return build().simulate(2.0, samples=201, formulation="points", progress=False)
