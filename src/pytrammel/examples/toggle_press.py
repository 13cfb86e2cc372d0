"""Toggle press: a crank straightens a knee, and the ram pushes hardest where it hardly moves.

Both toggle links are 200 mm. The ram works against 10 kN; the torque of the motor is what the ram's power asks for.
"""

import pytrammel as tm

LINK, LOAD = 0.2, 10e3
TRACES = ("knee",)
PLOTS = ("ram.y", "ram.vy", "motor.effort", "F.reaction")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("toggle press", display_unit="mm")
    F, shaft, A = 0.4j, complex(-0.35, 0.22), complex(-0.30, 0.22)
    K = tm.meet(A, F, 0.26, LINK, side=-1)
    low = 2 * K.imag - F.imag
    w, h = tm.mm((60, 40))
    m.body("ram", position=(0, low), mass=50.0, inertia=1.0, outline=[(-w, -h), (w, -h), (w, 0), (-w, 0)])
    bars = {"ground": "OF", "crank": "OA", "rod": "AK", "upper": "FK", "lower": "KR"}
    m.linkage({"O": shaft, "A": A, "K": K, "F": F, "R": complex(0, low)}, bars, massless=True)
    m.revolute("wrist", "lower", "ram", at=(0, low))
    m.prismatic("guide", m.ground, "ram", at=(0, low), axis=(0, 1))
    m.point("knee", "upper", local=(LINK, 0))
    m.force("work", "ram", vector=(0, LOAD))
    m.driver("motor", m["O"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().inverse_dynamics(duration=1.0, samples=241)
