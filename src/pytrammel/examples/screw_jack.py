"""Screw jack: turning the screw lifts the load, and a small torque carries a large weight.

Lead 6 mm, load 500 kg: each turn lifts 6 mm, and torque times angle is weight times height.
"""

import pytrammel as tm

LEAD, LOAD = tm.mm(6), 500.0
TRACES = ("handle",)
PLOTS = ("load.z", "motor.effort", "head.reaction")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("screw jack", display_unit="mm")
    bar = tm.Cylinder((0, 0, 0.22), (0.2, 0, 0.22), 0.006)
    m.body("screw", mass=3.0, inertia=(0.02, 0.02, 0.01), shape=[tm.Cylinder((0, 0, 0), (0, 0, 0.25), 0.02), bar])
    m.body("load", position=(0, 0, 0.25), mass=LOAD, inertia=5.0, shape=tm.Box((0.3, 0.3, 0.05), (0, 0, 0.025)))
    m.screw("nut", m.ground, "screw", at=(0, 0, 0), axis="z", lead=LEAD)
    m.revolute("head", "screw", "load", at=(0, 0, 0.25), axis="z")
    # a peg in an upright groove keeps the load from turning
    m.point_on_plane("groove", m.ground, m["load"].at(0.15, 0, 0), at=(0, 0, 0), axis="y")
    m.point("handle", "screw", local=(0.2, 0, 0.22))
    m.driver("motor", m["nut"].angle, "5*pi*(1 - cos(pi*t/4))")
    return m


def run() -> tm.results.Result:
    return build().inverse_dynamics(duration=4.0, samples=121)
