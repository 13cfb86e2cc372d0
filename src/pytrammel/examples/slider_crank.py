"""Slider-crank of an engine: crank 40 mm, connecting rod 140 mm, 3000 rpm.

At the dead centres the piston's acceleration is r w^2 (1 ± r/l), the classical check.
"""

import pytrammel as tm

SPEED = tm.rpm(3000)
TRACES = ("M",)
PLOTS = ("piston.y", "piston.vy", "piston.ay")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("slider-crank", display_unit="mm")
    r, rod_length = tm.mm(40), tm.mm(140)
    top = r + rod_length
    crank = m.body("crank", position=(0, 0))
    rod = m.body("rod", position=(0, r))
    w, h = tm.mm(35), tm.mm(25)
    piston = m.body("piston", position=(0, top), outline=[(-w, -h), (w, -h), (w, h), (-w, h)])
    m.revolute("A", m.ground, crank, at=(0, 0))
    m.revolute("B", crank, rod, at=(0, r))
    m.revolute("C", rod, piston, at=(0, top))
    m.prismatic("bore", m.ground, piston, at=(0, top), axis=(0, 1))
    m.point("M", rod, at=(0, r + 0.4 * rod_length))
    m.driver("motor", m["A"].angle, SPEED * tm.time)
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=0.04, samples=401)
