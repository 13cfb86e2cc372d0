"""Hart's inversor: a crossed parallelogram of four bars that draws an exact straight line.

Points half-way along the bars stay in line, with OP·OQ = (long² - short²) / 4. A crank leads P round a circle through O, so Q runs
on a line square to OE, (long² - short²) / 8r from O. Peaucellier needs two bars more.
"""

import math
from cmath import rect

import pytrammel as tm

LONG, SHORT, CRANK = 0.3, 0.15, 0.08
SWING = 1.7
TRACES = ("Q", "trace")
PLOTS = ("Q.x", "Q.y", "crank.phi")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Hart's inversor", display_unit="mm")
    power = (LONG**2 - SHORT**2) / 4
    u = rect(1, SWING / 2)
    q = 2 * CRANK * math.cos(SWING / 2)
    p = power / q
    h = math.sqrt(SHORT**2 - (p - q) ** 2)
    places = {
        "A": complex(q - p, -h) / 2 * u, "B": complex(p - q, h) / 2 * u, "C": complex(3 * p + q, -h) / 2 * u,
        "D": complex(p + 3 * q, h) / 2 * u, "P": q * u, "Q": p * u, "O": 0j, "E": complex(CRANK),
    }  # fmt: skip
    m.linkage(places, {"ground": "OE", "AB": "AOB", "BC": "BQC", "CD": "CD", "AD": "APD", "crank": "EP"})
    m.point("trace", "crank", local=(CRANK, 0))
    m.driver("motor", m["E"].angle, f"{SWING}*cos(2*pi*t)")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=201)
