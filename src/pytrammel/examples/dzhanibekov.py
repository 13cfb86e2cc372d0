"""T-handle that spins in weightlessness and flips over again and again (Dzhanibekov effect).

Mass and inertia come from two steel cylinders. Rotation about the axis of the middle moment of inertia is unstable: the smallest
disturbance grows until the handle turns over, while angular momentum and energy stay what they were.
"""

import pytrammel as tm

TRACES = ("nut",)
PLOTS = ("handle.wx", "handle.wy", "handle.wz", "energy.kinetic")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("T-handle in weightlessness", gravity=(0, 0, 0), display_unit="mm")
    bar = tm.Cylinder((0, -0.05, 0), (0, 0.05, 0), 0.008)
    stem = tm.Cylinder((0.008, 0, 0), (0.06, 0, 0), 0.008)
    m.body("handle", shape=[bar, stem], density=7850.0, omega=(12.0, 0.01, 0.01))
    m.point("nut", "handle", local=(0.06, 0, 0))
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=6.0, samples=601)
