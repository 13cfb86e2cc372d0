"""Trammel of Archimedes: a bar whose ends run in two slots at right angles draws ellipses.

A point at distances p and q from the two ends draws x²/q² + y²/p² = 1. This is the thing the package is named after.
"""

import pytrammel as tm

TRACES = ("P", "Q", "M")
PLOTS = ("P.x", "P.y", "horizontal.distance", "vertical.distance")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("trammel of Archimedes", display_unit="mm")
    length = tm.mm(100)
    bar = m.body("bar", angle=tm.deg(180))
    K, L = bar.at(length, 0), bar.at(0, 0)
    bar_end = tm.mm(160)
    m.point_on_line("horizontal", m.ground, L, at=(0, 0), axis=(1, 0))
    m.point_on_line("vertical", m.ground, K, at=(0, 0), axis=(0, 1))
    m.point("P", bar, local=(bar_end, 0))
    m.point("Q", bar, local=(tm.mm(30), 0))
    m.point("M", bar, local=(0.5 * length, 0))
    m.driver("hand", bar.phi, "pi + 2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
