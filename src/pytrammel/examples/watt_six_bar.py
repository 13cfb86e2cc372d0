"""Watt's six-bar: two four-bars in a row that share a bent rocker; the output swings wider than the rocker.

The first four-bar turns a full crank into a swing of the rocker; the second makes the swing larger.
"""

import cmath

import pytrammel as tm

TRACES = ("P",)
PLOTS = ("rocker.phi", "output.phi", "output.omega")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Watt's six-bar", display_unit="mm")
    A, B, D, G = 0j, complex(0.04), complex(0.12), complex(0.22)
    C = tm.meet(B, D, 0.11, 0.08)
    E = D + (C - D) * cmath.rect(0.9 / 0.8, tm.deg(-50))
    F = tm.meet(E, G, 0.10, 0.055)
    places = {"A": A, "B": B, "C": C, "D": D, "E": E, "F": F, "G": G, "P": G + 2 * (F - G)}
    bars = {"ground": "ADG", "crank": "AB", "coupler": "BC", "rocker": "DCE", "link": "EF", "output": "GFP"}
    m.linkage(places, bars)
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
