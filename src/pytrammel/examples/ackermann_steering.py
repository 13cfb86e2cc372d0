"""Ackermann steering: the inner wheel turns further than the outer, so that both roll round one centre.

Track 1.2 m, wheelbase 2.4 m; the steering arms of 150 mm point at the middle of the rear axle. Up to 25° the outer wheel is within a
degree and a half of the true angle, cot(outer) - cot(inner) = track / wheelbase.
"""

import cmath

import pytrammel as tm

TRACK, BASE, ARM, SWING = 1.2, 2.4, 0.15, tm.deg(25)
TRACES = ("P", "Q")
PLOTS = ("left.phi", "right.phi", "left.omega", "right.omega")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Ackermann steering")
    K, R = complex(-TRACK / 2), complex(TRACK / 2)
    A, B = (pin + ARM * (-1j * BASE - pin) / abs(-1j * BASE - pin) for pin in (K, R))
    # the bodies of the wheels point forwards: to P and Q
    ahead = 0.3j
    places = {"K": K, "R": R, "A": A, "B": B, "P": K + ahead, "Q": R + ahead}
    m.linkage(places, {"ground": "KR", "left": "KPA", "right": "RQB", "tie": "AB"})
    start = cmath.phase(ahead)
    m.driver("steer", m["K"].angle, f"{start} + {SWING}*sin(2*pi*t)")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=201)
