"""Quick-return mechanism of a shaper: the tool goes back faster than it cuts.

Crank 100 mm, arm 500 mm, link 120 mm (Nikravesh 1988, section 4.4.2). The stroke is 1000/3 mm and the times of the two
strokes stand in the ratio 1.552.
"""

import math

import pytrammel as tm

TRACES = ("B", "T")
PLOTS = ("tool.x", "tool.vx", "tool.ax")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("quick-return shaper", display_unit="mm")
    C = tm.mm((0, -300))
    pin = (tm.mm(100) * math.cos(0.52), tm.mm(100) * math.sin(0.52))
    tilt = math.atan2(pin[1] - C[1], pin[0] - C[0])
    B = (C[0] + 0.5 * math.cos(tilt), C[1] + 0.5 * math.sin(tilt))
    T = (B[0] - math.sqrt(0.12**2 - (tm.mm(200) - B[1]) ** 2), tm.mm(200))
    crank = m.body("crank", position=(0, 0), angle=0.52)
    arm = m.body("arm", position=C, angle=tilt)
    link = m.body("link", position=B)
    tool = m.body("tool", position=T, outline=tm.mm([(-60, -12), (40, -12), (40, 12), (-60, 12), (-75, 0)]))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("C", m.ground, arm, at=C)
    m.point_on_line("A", arm, crank, at=pin, axis=(math.cos(tilt), math.sin(tilt)))
    m.revolute("joint", arm, link, at=B)
    m.revolute("wrist", link, tool, at=T)
    m.prismatic("guide", m.ground, tool, at=T, axis=(1, 0))
    m.point("B", arm, at=B)
    m.point("T", tool, at=T)
    m.driver("motor", m["O"].angle, "0.52 + 3*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=2 * math.pi / 3, samples=241)
