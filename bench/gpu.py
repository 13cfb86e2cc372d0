"""Many variants of one structure: variants per second of one core, of all cores and of a graphics card.

python bench/gpu.py            # single runs and straight kernels on this processor
python bench/gpu.py --card     # and on the card (needs cupy)
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import pytrammel as tm
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.examples import andrews, rssr
from pytrammel.kernels.structure import gpu
from pytrammel.kernels.structure.constants import Structure, varying_in
from pytrammel.kernels.structure.many import Many, Variants
from pytrammel.kernels.structure.piece import Wanted
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern

DESCRIBED = 64  # variants that are described in Python; batches repeat them
RTOL = 1e-8


def four_bar(r: np.random.Generator) -> tm.PlanarModel:
    """A driven four-bar, drawn with the crank to the right."""
    m = tm.PlanarModel("four-bar")
    a, b, c, d = 0.1 + 0.01 * r.random(), 0.3 + 0.02 * r.random(), 0.25 + 0.02 * r.random(), 0.28 + 0.01 * r.random()
    x = (b * b - c * c + (d - a) ** 2) / (2.0 * (d - a))
    A, B, C, D = (0.0, 0.0), (a, 0.0), (a + x, math.sqrt(b * b - x * x)), (d, 0.0)
    for name, p, q in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
        m.body(name, position=p, angle=math.atan2(q[1] - p[1], q[0] - p[0]))
    m.revolute("A", m.ground, "crank", at=A)
    m.revolute("B", "crank", "coupler", at=B)
    m.revolute("C", "coupler", "rocker", at=C)
    m.revolute("D", m.ground, "rocker", at=D)
    m.driver("motor", m["A"].angle, "2*pi*t")
    return m


def slider_crank(r: np.random.Generator) -> tm.PlanarModel:
    """A slider-crank that falls, the crank at 1 rad first."""
    m = tm.PlanarModel("slider-crank", gravity=(0, -9.81))
    a, b = 0.1 + 0.01 * r.random(), 0.3 + 0.05 * r.random()
    bx, by = a * math.cos(1.0), a * math.sin(1.0)
    x = bx + math.sqrt(b * b - by * by)
    m.body("crank", position=(bx / 2, by / 2), angle=1.0, mass=1 + r.random(), inertia=1e-3)
    m.body("rod", position=((bx + x) / 2, by / 2), angle=math.atan2(-by, x - bx), mass=0.5 + r.random(), inertia=2e-3)
    m.body("slider", position=(x, 0.0), mass=0.5, inertia=1e-3)
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.revolute("B", "crank", "rod", at=(bx, by))
    m.revolute("C", "rod", "slider", at=(x, 0))
    m.prismatic("G", m.ground, "slider", at=(x, 0), axis=(1, 0))
    return m


def squeezer(r: np.random.Generator) -> tm.PlanarModel:
    m = andrews.build()
    return m.copy(changes={"K1": {"mass": m.bodies["K1"].mass * (1 + 0.1 * r.random())}})


def spatial_four_bar(r: np.random.Generator) -> tm.SpatialModel:
    m = rssr.build().copy(without=["motor"])
    m.gravity = (0, -9.81 * (1 + 0.1 * r.random()), 0)  # across the crank, which stands upright
    return m


class Case:
    """Variants of one structure."""

    def __init__(
        self, name: str, make: Callable[[np.random.Generator], Any], duration: float, instants: int, moves: bool
    ) -> None:
        random = np.random.default_rng(1)
        self.name, self.moves = name, moves
        self.times, self.shares = np.linspace(0.0, duration, instants), np.full(instants, 1.0 / instants)
        self.models = [make(random) for _ in range(DESCRIBED)]
        systems = [lower(m, dynamics=moves) for m in self.models]
        self.system = systems[0]
        self.floats = np.array([s.floats for s in systems])
        self.starts = np.array([s.start for s in systems])
        if moves:
            self.starts = np.hstack([self.starts, np.zeros((DESCRIBED, self.system.n_columns))])

    def single(self, model: Any) -> Any:
        if self.moves:
            return model.simulate(times=self.times, method="dop853", rtol=RTOL, progress=False)
        return model.kinematics(times=self.times, progress=False)

    def kernels(self, device: str) -> Many:
        system = self.system
        wanted = [Wanted(place=0), Wanted(place=system.n_coordinates - 1)]
        structure = Structure(system.ints, self.floats[0], varying_in(self.floats))
        return Many(structure, pattern(system, active_rows(system)), wanted, device=device)

    def many(self, kernels: Many, count: int) -> Any:
        repeats = -(-count // DESCRIBED)
        variants = Variants(np.tile(self.floats, (repeats, 1))[:count], np.tile(self.starts, (repeats, 1))[:count])
        if not self.moves:
            return lambda: kernels.follow(variants, self.times, self.shares, reduced=True)
        method = method_named("dop853")
        numbers, own = method.numbers(self.system.n_coordinates + self.system.n_columns)
        steps = numbers[own[3] : own[4]].copy(), numbers[own[4] : own[5]].copy()
        options = np.array([own[0], method.order, RTOL, 1e-3 * RTOL])
        return lambda: kernels.integrate(variants, self.times, self.shares, *steps, options, reduced=True)


def best(call: Callable[[], Any], times: int = 3) -> tuple[Any, float, float, float]:
    """What it returns, its first wall time, and its best wall and CPU time afterwards."""
    walls, cpus = [], []
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        found = call()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return found, walls[0], min(walls[1:]), min(cpus[1:])


def measured(case: Case, counts: list[int], card: bool) -> None:
    """One table."""
    print(f"\n{case.name}: {case.times[-1]:g} s, {case.times.size} instants")
    single = case.single(case.models[0])
    _, _, _, alone = best(lambda: [case.single(m) for m in case.models[:8]])
    print(f"  single runs         {8 / alone:12.0f} per second of one core")
    kernels = case.kernels("cpu")
    _, first, wall, cpu = best(case.many(kernels, 1024))
    straight = 1024 / cpu
    print(
        f"  straight kernels    {straight:12.0f} per second of one core, {1024 / wall:.0f} of all; first call {first:.1f} s"
    )
    if not card:
        return
    kernels = case.kernels("gpu")
    for count in counts:
        found, first, wall, _ = best(case.many(kernels, count))
        rate = count / gpu.last_seconds
        off = np.abs(found.values[0, :, 5] - single.q[-1, [0, -1]]).max()
        print(
            f"  card, {count:9d}     {rate:12.0f} per second of the card = {rate * alone / 8:.0f} cores of single runs, "
            f"{rate / straight:.0f} of straight kernels; {count / wall:.0f} with transfers; first call {first:.1f} s; "
            f"{int((found.status != 0).sum())} left over; end differs by {off:.0e}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--card", action="store_true", help="measure the graphics card, too")
    parser.add_argument("--only", default="", help="cases whose name begins so")
    given = parser.parse_args()
    print(f"{os.cpu_count()} cores")
    counts = [2048, 131_072]
    for name, make, duration, instants, moves, more in (
        ("four-bar, kinematics of a turn", four_bar, 1.0, 360, False, [1_000_000]),
        ("slider-crank, dynamics", slider_crank, 1.0, 3, True, []),
        ("Andrews' squeezer, dynamics", squeezer, 0.03, 3, True, []),
        ("RSSR, dynamics", spatial_four_bar, 1.0, 3, True, []),
    ):
        if name.startswith(given.only):
            measured(Case(name, make, duration, instants, moves), [*counts, *more], given.card)


if __name__ == "__main__":
    main()
