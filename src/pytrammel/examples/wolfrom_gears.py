"""Wolfrom gear train: stepped planets between two rings of nearly the same size reduce 34 to 1 in one stage.

Sun 24, planets 24 and 20, rings 72 (fixed) and 68 (output) teeth of module 1 mm:
(1 + 72/24) / (1 - 72·20 / (68·24)) = 34.
"""

import pytrammel as tm

SUN, FIRST, SECOND, FIXED, OUTPUT = (tm.mm(teeth / 2) for teeth in (24, 24, 20, 72, 68))
TRACES = ("P",)
PLOTS = ("sun.omega", "carrier.omega", "planet.omega", "ring.omega")


def build() -> tm.PlanarModel:
    m = tm.PlanarModel("Wolfrom gear train", display_unit="mm")
    for name in ("sun", "carrier", "ring"):
        m.body(name)
        m.revolute(f"{name}_bearing", m.ground, name, at=(0, 0))
    m.body("planet", position=(SUN + FIRST, 0))
    m.revolute("axle", "carrier", "planet", at=(SUN + FIRST, 0))
    m.gear("mesh_sun", "sun", "planet", radii=(SUN, FIRST), carrier="carrier")
    m.gear("mesh_fixed", "planet", m.ground.at(0, 0), radii=(FIRST, FIXED), carrier="carrier", internal=True)
    m.gear("mesh_output", "planet", "ring", radii=(SECOND, OUTPUT), carrier="carrier", internal=True)
    m.point("P", "planet", local=(FIRST, 0))
    m.driver("motor", m["sun_bearing"].angle, "2*pi*t")
    return m


def run() -> tm.results.Result:
    return build().kinematics(duration=4.0, samples=241)
