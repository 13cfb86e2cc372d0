"""Large models: CPU seconds to describe, lower, assemble and count them and to have them running, beside the aim.

    python bench/large.py                    # all models at full size
    python bench/large.py 300                # bodies, instead of some thousand
    python bench/large.py 3000 ladder ring   # only models whose name contains one of these words

"run" is a first simulation of 0.01 s with three instants: consistent start, choice of rows, first steps, shared loads, warnings.
Each model is built from new, so that nothing is remembered from an earlier one. Compiling is done before, on small ones.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gc
import math
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

import pytrammel as tm
from pytrammel.system.lowering import lower

AIM = 10.0  # seconds, all phases together
BODIES = 3000
Model = tm.PlanarModel | tm.SpatialModel
ROD = (0.001, 0.09, 0.09)


def planar_chain(n: int) -> Model:
    """n bars on pins, hanging from the ground, drawn along a shallow arc."""
    m = tm.PlanarModel(f"planar chain, {n} bodies")
    before = m.ground
    for k in range(n):
        body = m.body(f"b{k}", position=(k + 0.5, 0), mass=1.0, inertia=0.09)
        m.revolute(f"p{k}", before, body, at=(k, 0))
        before = body
    return m


def spatial_chain(n: int) -> Model:
    """n bars on universal joints."""
    m = tm.SpatialModel(f"spatial chain, {n} bodies")
    before = m.ground
    for k in range(n):
        body = m.body(f"b{k}", position=(k + 0.5, 0, 0), mass=1.0, inertia=ROD)
        m.universal(f"u{k}", before, body, at=(k, 0, 0), axis="y", second_axis="z")
        before = body
    return m


def planar_ladder(n: int) -> Model:
    """n / 3 four-bars side by side that share their posts: one degree of freedom, leaning, since upright is a change point."""
    m = tm.PlanarModel(f"planar ladder, {n // 3} loops")
    lean = (0.3, 0.9)
    m.body("v0", position=(0.15, 0.45), mass=1.0, inertia=0.08)
    m.revolute("g0", m.ground, "v0", at=(0, 0))
    for k in range(n // 3):
        m.body(f"h{k}", position=(k + 0.5 + lean[0], lean[1]), mass=1.0, inertia=0.08)
        m.body(f"v{k + 1}", position=(k + 1 + lean[0] / 2, lean[1] / 2), mass=1.0, inertia=0.08)
        m.revolute(f"g{k + 1}", m.ground, f"v{k + 1}", at=(k + 1, 0))
        m.revolute(f"a{k}", f"v{k}", f"h{k}", at=(k + lean[0], lean[1]))
        m.revolute(f"b{k}", f"h{k}", f"v{k + 1}", at=(k + 1 + lean[0], lean[1]))
    return m


def planar_redundant(n: int) -> Model:
    """n / 4 parallelograms, each carrying the next, with a third crank each: one redundant row per loop."""
    m = tm.PlanarModel(f"planar redundant, {n // 4} loops")
    before, y = m.ground, 0.0
    for k in range(n // 4):
        deck = m.body(f"deck{k}", position=(0.3 * (k + 1), y + 0.9), mass=1.0, inertia=0.3)
        for i, x in enumerate((-1.0, 0.2, 1.0)):
            crank = m.body(f"c{k}_{i}", position=(0.3 * k + x + 0.15, y + 0.45), mass=1.0, inertia=0.08)
            m.revolute(f"foot{k}_{i}", before, crank, at=(0.3 * k + x, y))
            m.revolute(f"head{k}_{i}", crank, deck, at=(0.3 * (k + 1) + x, y + 0.9))
        before, y = deck, y + 0.9
    return m


def spatial_ladder(n: int) -> Model:
    """n / 3 planar four-bars in space, on pins: three redundant rows per loop."""
    m = tm.SpatialModel(f"spatial four-bars, {n // 3} loops")
    for k in range(n // 3):
        x = 4.0 * k
        points = [(x, 0, 0), (x + 0.3, 0, 0.9), (x + 2.2, 0, 1.6), (x + 2.0, 0, 0)]
        names = [m.ground]
        for i in range(3):
            p, q = np.array(points[i]), np.array(points[i + 1])
            names.append(m.body(f"b{k}_{i}", position=(p + q) / 2, mass=1.0, inertia=ROD))
        for i in range(4):
            m.revolute(f"J{k}_{i}", names[i], names[(i + 1) % 4], at=points[i], axis="y")
    return m


def spatial_carried(n: int) -> Model:
    """n / 3 planar parallelograms in space, each standing on the coupler of the one below."""
    m = tm.SpatialModel(f"spatial parallelograms, {n // 3} loops")
    before, x, z = m.ground, 0.0, 0.0
    for k in range(n // 3):
        one = m.body(f"one{k}", position=(x + 0.15, 0, z + 0.45), mass=1.0, inertia=ROD)
        two = m.body(f"two{k}", position=(x + 1.15, 0, z + 0.45), mass=1.0, inertia=ROD)
        deck = m.body(f"deck{k}", position=(x + 0.8, 0, z + 0.9), mass=1.0, inertia=ROD)
        m.revolute(f"A{k}", before, one, at=(x, 0, z), axis="y")
        m.revolute(f"B{k}", before, two, at=(x + 1, 0, z), axis="y")
        m.revolute(f"C{k}", one, deck, at=(x + 0.3, 0, z + 0.9), axis="y")
        m.revolute(f"D{k}", two, deck, at=(x + 1.3, 0, z + 0.9), axis="y")
        before, x, z = deck, x + 0.3, z + 0.9
    return m


def spatial_ring(n: int) -> Model:
    """One loop of n bars on parallel pins: three redundant rows that go all the way round."""
    m = tm.SpatialModel(f"spatial ring, {n} bodies")
    at = [(math.cos(2 * math.pi * k / (n + 1)), 0.0, math.sin(2 * math.pi * k / (n + 1))) for k in range(n + 1)]
    radius = n / (2 * math.pi)
    points = [radius * np.array(p) for p in at]
    before = m.ground
    for k in range(n):
        body = m.body(f"b{k}", position=(points[k] + points[k + 1]) / 2, mass=1.0, inertia=ROD)
        m.revolute(f"J{k}", before, body, at=points[k], axis="y")
        before = body
    m.revolute("last", before, m.ground, at=points[n], axis="y")
    return m


MODELS: dict[str, Callable[[int], Model]] = {
    "planar chain": planar_chain,
    "planar ladder": planar_ladder,
    "planar redundant": planar_redundant,
    "spatial chain": spatial_chain,
    "spatial four-bars": spatial_ladder,
    "spatial parallelograms": spatial_carried,
    "spatial ring": spatial_ring,
}
PHASES = ("describe", "lower", "assemble", "count", "run")


def phases(build: Callable[[int], Model], n: int) -> tuple[str, list[float], str]:
    """CPU seconds of every phase, and what was counted."""
    gc.collect()
    took = []

    def clocked(work: Callable[[], object]) -> object:
        began = time.process_time()
        out = work()
        took.append(time.process_time() - began)
        return out

    model = clocked(lambda: build(n))
    clocked(lambda: lower(model, dynamics=True))
    clocked(model.assemble)
    found = clocked(model.mobility)
    clocked(lambda: model.simulate(0.01, samples=3, progress=False))
    return model.name, took, f"dof {found.dof}, redundant {len(found.redundant)}"


def main(n: int, wanted: list[str]) -> None:
    chosen = {name: build for name, build in MODELS.items() if not wanted or any(w in name for w in wanted)}
    warnings.simplefilter("ignore")
    for build in chosen.values():
        phases(build, 8)  # compiles
    print(f"CPU seconds; aim: {AIM:g} s in sum\n{'':38}" + "".join(f"{phase:>10}" for phase in PHASES) + f"{'sum':>10}")
    for build in chosen.values():
        name, took, counted = phases(build, n)
        late = "" if sum(took) <= AIM else "   above the aim"
        print(f"{name:38}" + "".join(f"{t:10.3f}" for t in took) + f"{sum(took):10.3f}   {counted}{late}", flush=True)


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    main(numbers[0] if numbers else BODIES, [a for a in sys.argv[1:] if not a.isdigit()])
