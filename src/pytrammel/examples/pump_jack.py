"""Pump jack of an oil well: crank and pitman rock the beam, and the rod hangs on the arc of its horse's head.

The wire leaves the arc at the height of the saddle, so that the rod stays plumb and moves by the arc's radius times the beam's angle.
"""

import pytrammel as tm

CRANK, PITMAN, REAR, FRONT = 0.7, 2.9, 2.4, 2.6
TRACES = ("rod.top",)
PLOTS = ("beam.phi", "rod.y", "rod.vy", "rod.ay")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("pump jack")
    D, A = 4j, complex(-2.4, 1.2)
    B = A + CRANK
    C = tm.meet(B, D, PITMAN, REAR)
    head = D + (D - C) / REAR * FRONT
    m.linkage(
        {"A": A, "B": B, "C": C, "D": D, "H": head}, {"ground": "AD", "crank": "AB", "pitman": "BC", "beam": "DCH"}
    )
    m.body("rod", position=(FRONT, 2.0), points={"top": (0, 0)})
    m.prismatic("well", m.ground, "rod", at=(FRONT, 0), axis=(0, 1))
    # the beam turns clockwise as the rod goes down
    m.equation("wire", f"rod.y - 2 - {FRONT}*(beam.phi - {float(m.bodies['beam'].angle)})")
    m.driver("motor", m["A"].angle, "2*pi*t/6")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=6.0, samples=241)
