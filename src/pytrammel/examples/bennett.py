"""Bennett linkage: four bars and four hinges that should not move, and do.

Opposite bars are equal, and each hinge stands at right angles to its two bars. Counting rows gives -2 degrees of freedom; the
geometry makes three of the 20 rows redundant.
"""

import numpy as np

import pytrammel as tm

# a skew quadrilateral that half a turn about z brings onto itself
A, B, C, D = tm.mm([(160, 0, -50), (60, 120, 50), (-160, 0, -50), (-60, -120, 50)])
TRACES = ("P",)
PLOTS = ("A.angle", "B.angle", "C.angle", "D.angle")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("Bennett linkage", display_unit="mm")
    bodies, corners = ("frame", "first", "coupler", "last"), (A, B, C, D)
    for name, corner in zip(bodies, corners, strict=True):
        m.body(name, position=corner)
    m.fix("held", "frame")
    for k, name in enumerate("ABCD"):
        here, before, after = (np.array(corners[i % 4]) for i in (k, k - 1, k + 1))
        hinge = np.cross(after - here, before - here)
        m.revolute(name, bodies[k], bodies[(k + 1) % 4], at=corners[k], axis=hinge / np.linalg.norm(hinge))
    m.point("P", "coupler", at=tuple(np.add(B, C) / 2))
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=1.0, samples=241)
