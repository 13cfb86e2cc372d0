"""Peaucellier-Lipkin linkage: seven bars that draw an exact straight line.

Arms f = 3, rhombus g = 1.4, crank and frame e = 1.2: S stays on x = (f² - g²) / 2e = 2.9333 (Nikravesh 1988, problem 5.30).
"""

import math

import pytrammel as tm

E, ARM, SIDE = 1.2, 3.0, 1.4
TRACES = ("S", "R")
PLOTS = ("S.x", "S.y", "S.vy")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Peaucellier-Lipkin straight-line linkage")
    start = -1.2
    F, pivot = (0.0, 0.0), (E, 0.0)
    R = (E + E * math.cos(start), E * math.sin(start))
    reach = math.hypot(*R)
    u = (R[0] / reach, R[1] / reach)
    # A and B lie symmetric to the line F-R, S on it
    along = (reach**2 + ARM**2 - SIDE**2) / (2 * reach)
    across = math.sqrt(ARM**2 - along**2)
    A = (along * u[0] - across * u[1], along * u[1] + across * u[0])
    B = (along * u[0] + across * u[1], along * u[1] - across * u[0])
    S = ((2 * along - reach) * u[0], (2 * along - reach) * u[1])

    crank = m.body("crank", position=pivot, angle=start)
    bars = {
        name: m.body(name, position=p) for name, p in [("FA", F), ("FB", F), ("RA", R), ("RB", R), ("SA", S), ("SB", S)]
    }
    m.revolute("E", m.ground, crank, at=pivot)
    m.revolute("F1", m.ground, bars["FA"], at=F)
    m.revolute("F2", m.ground, bars["FB"], at=F)
    for corner, place, first, others in [
        ("A", A, bars["FA"], ("RA", "SA")), ("B", B, bars["FB"], ("RB", "SB")), ("R", R, crank, ("RA", "RB")),
    ]:  # fmt: skip
        for k, other in enumerate(others, start=1):
            m.revolute(f"{corner}{k}", first, bars[other], at=place)
    m.revolute("S1", bars["SA"], bars["SB"], at=S)
    m.point("S", bars["SA"], at=S)
    m.point("R", crank, at=R)
    m.driver("motor", crank.phi, "-1.2*cos(2*pi*t/4)")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=4.0, samples=201)
