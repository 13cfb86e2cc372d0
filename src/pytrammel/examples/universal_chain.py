"""Chain of six links on universal joints, let go with a push to the side: it whirls but cannot twist."""

import pytrammel as tm

LINKS, LENGTH = 6, 0.2
TRACES = ("end",)
PLOTS = ("end.x", "end.y", "end.z", "J1.reaction", "energy.kinetic", "energy.gravity", "energy.total")


def build() -> tm.SpatialModel:
    m = tm.SpatialModel("chain of universal joints")
    before = m.ground
    for k in range(1, LINKS + 1):
        start = (LENGTH * (k - 1), 0, 0)
        bar = tm.Cylinder((0.01, 0, 0), (LENGTH - 0.01, 0, 0), 0.01)
        push = (0, 1.5 * start[0], 0)
        link = m.body(f"link{k}", position=start, shape=bar, density=7850.0, omega=(0, 0, 1.5), velocity=push)
        m.universal(f"J{k}", before, link, at=start, axis="y" if k % 2 else "z", second_axis="z" if k % 2 else "y")
        before = link
    m.point("end", before, at=(LINKS * LENGTH, 0, 0))
    return m


def run() -> tm.results.Result:
    return build().simulate(duration=3.0, samples=301)
