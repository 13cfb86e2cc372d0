"""Oldham coupling: two shafts 20 mm apart turn at exactly the same speed.

The middle disc slides on both hubs along lines at right angles; its centre runs round a circle twice per turn.
"""

import math

import pytrammel as tm

OFFSET = tm.mm(20)
TRACES = ("M",)
PLOTS = ("first.omega", "second.omega", "X.distance", "Y.distance")


def disc(radius: float) -> list[tuple[float, float]]:
    angles = [k * math.pi / 48 for k in range(96)]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles]


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Oldham coupling", display_unit="mm")
    first = m.body("first", position=(0, 0))
    middle = m.body("middle", position=(0, 0), outline=disc(tm.mm(45)))
    second = m.body("second", position=(OFFSET, 0))
    m.revolute("A", m.ground, first, at=(0, 0))
    m.revolute("B", m.ground, second, at=(OFFSET, 0))
    m.prismatic("X", first, middle, at=(0, 0), axis=(0, 1))
    m.prismatic("Y", second, middle, at=(OFFSET, 0), axis=(1, 0))
    m.point("M", middle, local=(0, 0))
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=2.0, samples=241)
