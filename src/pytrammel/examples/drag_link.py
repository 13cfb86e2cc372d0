"""Drag link: the base is the shortest link, so both cranks turn all the way round, one of them unevenly.

Grashof: 50 + 120 < 100 + 110. It drives presses and looms that must go fast one way and slowly the other.
"""

import pytrammel as tm

BASE, CRANK, COUPLER, FOLLOWER = tm.mm((50, 120, 100, 110))
TRACES = ("C_path",)
PLOTS = ("follower.phi", "follower.omega", "follower.alpha")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("drag link", display_unit="mm")
    B, D = complex(CRANK), complex(BASE)
    C = tm.meet(B, D, COUPLER, FOLLOWER, side=-1)
    m.linkage({"A": 0j, "B": B, "C": C, "D": D}, {"ground": "AD", "crank": "AB", "coupler": "BC", "follower": "DC"})
    m.point("C_path", "coupler", at=(C.real, C.imag))
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
