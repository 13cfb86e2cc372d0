"""Scotch yoke: a crank pin in a straight slot gives pure harmonic motion."""

import pytrammel as tm

TRACES = ("pin",)
PLOTS = ("yoke.x", "yoke.vx", "yoke.ax")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Scotch yoke", display_unit="mm")
    r = tm.mm(50)
    crank = m.body("crank", position=(0, 0))
    frame = tm.mm([(-9, -70), (9, -70), (9, -7), (110, -7), (110, 7), (9, 7), (9, 70), (-9, 70)])
    yoke = m.body("yoke", position=(r, 0), outline=frame)
    m.revolute("A", m.ground, crank, at=(0, 0))
    pin = m.point("pin", crank, at=(r, 0))
    m.point_on_line("slot", yoke, pin, at=(r, 0), axis=(0, 1))
    m.prismatic("guide", m.ground, yoke, at=(r + tm.mm(100), 0), axis=(1, 0))
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=201)
