"""Whitworth's quick return: the crank pin drives a slotted arm all the way round, fast through one half.

The arm turns about C, 40 mm from the crank's centre and inside its circle of 100 mm. Ram out and ram back take times in the ratio
(pi + 2 asin 0.4) : (pi - 2 asin 0.4).
"""

import math

import pytrammel as tm

CRANK, OFFSET, ARM, ROD = tm.mm((100, 40, 60, 250))
TRACES = ("pin", "B")
PLOTS = ("arm.omega", "ram.x", "ram.vx")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Whitworth quick return", display_unit="mm")
    tilt = math.atan2(OFFSET, CRANK)
    C = (0.0, -OFFSET)
    B = (-ARM * math.cos(tilt), -OFFSET - ARM * math.sin(tilt))
    R = (B[0] + math.sqrt(ROD**2 - (B[1] + OFFSET) ** 2), -OFFSET)
    m.body("crank")
    m.body("arm", position=C, angle=tilt)
    m.body("rod", position=B)
    m.body("ram", position=R, outline=tm.mm([(-20, -15), (60, -15), (75, 0), (60, 15), (-20, 15)]))
    m.revolute("O", m.ground, "crank", at=(0, 0))
    m.revolute("C", m.ground, "arm", at=C)
    pin = m.point("pin", "crank", local=(CRANK, 0))
    m.point_on_line("slot", "arm", pin, line=(m["arm"].at(0, 0), m["arm"].at(1, 0)))
    m.revolute("elbow", "arm", "rod", at=B)
    m.revolute("wrist", "rod", "ram", at=R)
    m.prismatic("guide", m.ground, "ram", at=R, axis=(1, 0))
    m.point("B", "arm", local=(-ARM, 0))
    m.driver("motor", m["O"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
