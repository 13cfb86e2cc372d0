"""Trebuchet: a falling counterweight throws a stone in a sling; nearly all its energy goes into the stone.

Beam 2.0 + 0.5 m, 40 kg; counterweight 500 kg on a hanger of 0.5 m; stone 4 kg on a sling of 1.8 m. Free motion from rest without losses
until the stone would be let go.
"""

import cmath

import pytrammel as tm

LONG, SHORT, HANGER, SLING = 2.0, 0.5, 0.5, 1.8
TRACES = ("stone.centre", "weight.centre")
PLOTS = ("beam.phi", "stone.vx", "stone.vy", "energy.kinetic", "energy.gravity", "energy.total")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("trebuchet")
    u = cmath.rect(1, tm.deg(225))
    tip, butt = LONG * u, -SHORT * u
    middle = (tip + butt) / 2
    length = LONG + SHORT
    m.body("beam", position=(middle.real, middle.imag), angle=cmath.phase(u), mass=40.0, inertia=40 * length**2 / 12)
    m.body("weight", position=(butt.real, butt.imag - HANGER), mass=500.0, inertia=30.0, points={"centre": (0, 0)})
    m.body("stone", position=(tip.real + SLING, tip.imag), mass=4.0, inertia=0.01, points={"centre": (0, 0)})
    m.body("sling", position=(tip.real + SLING / 2, tip.imag), mass=0.2, inertia=0.2 * SLING**2 / 12)
    m.revolute("pivot", m.ground, "beam", at=(0, 0))
    m.revolute("hook", "beam", "weight", at=(butt.real, butt.imag))
    m.revolute("loop", "beam", "sling", at=(tip.real, tip.imag))
    m.weld("pouch", "sling", "stone", at=(tip.real + SLING, tip.imag))
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=0.75, samples=241)
