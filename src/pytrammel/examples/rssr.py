"""Spatial four-bar (RSSR): a crank swings a rocker about an axis at right angles to its own.

One of the coupler's two balls is a universal joint, so that the coupler cannot spin about its own length. Inverse dynamics gives the
torque at the crank and the reactions in all joints.
"""

import numpy as np

import pytrammel as tm

A, B, C, D = tm.mm([(0, 0, 100), (0, 0, 150), (200, 100, 120), (200, 100, 0)])
TRACES = ("M",)
PLOTS = ("D.angle", "D.angle.rate", "motor.effort", "A.reaction", "D.reaction")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("spatial four-bar (RSSR)", display_unit="mm")
    for name, start, end, radius in (("crank", A, B, 8), ("coupler", B, C, 6), ("rocker", D, C, 8)):
        way = tuple(np.subtract(end, start))
        m.body(name, position=start, shape=tm.Cylinder((0, 0, 0), way, tm.mm(radius)), density=7850.0)
    m.revolute("A", m.ground, "crank", at=A, axis="x")
    m.universal("B", "crank", "coupler", at=B, axis="x", second_axis="z")
    m.spherical("C", "coupler", "rocker", at=C)
    m.revolute("D", m.ground, "rocker", at=D, axis="y")
    m.point("M", "coupler", at=tuple(np.add(B, C) / 2))
    m.driver("motor", m["A"].angle, "4*pi*t")
    return m


def run() -> tm.results.Result:
    return build().inverse_dynamics(duration=0.5, samples=241)
