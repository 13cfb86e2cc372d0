"""Speed and memory of batches: thousands of four-bars in one call against a Python loop of single runs.

Run with ``.venv/bin/python bench/batch.py`` (``bench/batch.py million`` for a million variants, some minutes). Processor time per
variant, loop and batch by turns, the best of several repetitions, so that ratios hold on noisy machines; wall time with all processors
beside it.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import pytrammel as tm
from pytrammel.analysis.batches import fast_dynamics as dynamics
from pytrammel.analysis.batches import fast_kinematics as kinematics
from pytrammel.system.parameter_map import parameter_map

REPEATS = 5
VARIANTS = 1000
LOOPED = 30  # variants of the Python loop
LENGTHS = {"crank": 0.1, "rod": 0.3, "rocker": 0.25, "base": 0.3}


def four_bar(*, driven: bool) -> tm.PlanarModel:
    """A crank-rocker with four lengths as parameters; driven, or falling under gravity."""
    m = tm.PlanarModel("four-bar", gravity=(0, -9.81))
    for name, value in LENGTHS.items():
        m.parameter(name, value)
    m.body("K", angle=math.radians(60), mass=1.0, inertia=1e-2)
    m.body("R", position=(0.05, 0.0866), angle=math.radians(40), mass=1.0, inertia=1e-2)
    m.body("S", position=("base", 0), angle=math.radians(100), mass=1.0, inertia=1e-2)
    m.revolute("A", m.ground, "K", at=(0, 0))
    m.revolute("B", {"body": "K", "local": ["crank", 0]}, {"body": "R", "local": [0, 0]})
    m.revolute("C", {"body": "R", "local": ["rod", 0]}, {"body": "S", "local": ["rocker", 0]})
    m.revolute("D", {"body": "ground", "local": ["base", 0]}, {"body": "S", "local": [0, 0]})
    m.point("P", "R", local=("rod/2", 0.1))
    if driven:
        m.driver("motor", "A.angle", "2*pi*t + 1")
    return m


def table(count: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    return {name: value * (1.0 + 0.05 * random.uniform(-1.0, 1.0, count)) for name, value in LENGTHS.items()}


def best(
    loop: Callable[[], object], batch: Callable[[], object], wall: Callable[[], object]
) -> tuple[float, float, float]:
    """Processor seconds of the loop and of the batch, and wall seconds of the batch on all processors, by turns."""
    found = [math.inf] * 3
    for _ in range(REPEATS):
        for k, (work, clock) in enumerate(
            ((loop, time.process_time), (batch, time.process_time), (wall, time.perf_counter))
        ):
            began = clock()
            work()
            found[k] = min(found[k], clock() - began)
    return found[0], found[1], found[2]


def compare(
    title: str, model: tm.PlanarModel, verb: str, *, states: dict[str, np.ndarray] | None = None, **options: object
) -> None:
    """Print what a variant takes in a loop of single runs and in a batch; states are starting values."""
    b = model.batch(table(VARIANTS), states=states)
    starts = [{name: float(column[k]) for name, column in (states or {}).items()} for k in range(LOOPED)]

    def loop() -> None:
        for start in starts:
            given = {"initial": start} if start else {}
            found = getattr(model.copy(), verb)(**options, **given)
            _ = found.result if verb == "equilibrium" else found

    def run(workers: int | None) -> Callable[[], object]:
        return lambda: getattr(b, verb)(**options, keep=["P.x"], workers=workers, progress=False)

    run(None)()
    share = _share_in_kernels(run(1)) if verb != "equilibrium" else 0.0
    looped, one, wall = best(loop, run(1), run(None))
    per_loop, per_one, per_all = 1e6 * looped / LOOPED, 1e6 * one / VARIANTS, 1e6 * wall / VARIANTS
    print(
        f"{title:42} loop {per_loop:7.0f} µs, one core {per_one:6.0f} µs ({per_loop / per_one:5.1f} x), "
        f"{os.cpu_count()} cores {per_all:6.0f} µs of wall time ({per_loop / per_all:5.1f} x)"
        + (f"; {share:.0%} in kernels" if share else "")
    )


def _share_in_kernels(work: Callable[[], object]) -> float:
    """Share of the processor time of a batch that is spent in kernels, which other threads need not wait for."""
    spent = 0.0
    known = [(kinematics, "kernels", "kinematics_of_variants"), (dynamics, "kernels", "integrate_variants")]
    kept = [getattr(getattr(module, name), kernel) for module, name, kernel in known]

    def timed(kernel: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            nonlocal spent
            began = time.process_time()
            out = kernel(*arguments)
            spent += time.process_time() - began
            return out

        return call

    for (module, name, kernel), function in zip(known, kept, strict=True):
        setattr(getattr(module, name), kernel, timed(function))
    began = time.process_time()
    work()
    total = time.process_time() - began
    for (module, name, kernel), function in zip(known, kept, strict=True):
        setattr(getattr(module, name), kernel, function)
    return spent / total


def peak_memory() -> float:
    """Peak memory of this process [MB]; NaN where the system does not report it."""
    try:
        import resource
    except ImportError:
        return float("nan")
    most: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # [KiB], on macOS [bytes]
    return most / (2**20 if sys.platform == "darwin" else 1024)


def many(count: int) -> None:
    """Time and peak memory of a batch of which only reductions are kept, against one a hundredth of its size; stored, and read again."""
    model = four_bar(driven=True)
    asked = {"samples": 37, "reduce": {"top": "max(P.y)", "swing": "range(S.phi)"}}
    for size in (count // 100, count):
        with tempfile.TemporaryDirectory() as folder:
            for what in ("computed", "found in its store"):
                began, spent = time.perf_counter(), time.process_time()
                found = model.batch(table(size)).kinematics(1.0, **asked, store=f"{folder}/batch")
                peak = peak_memory()
                print(
                    f"{size} variants {what}: {time.perf_counter() - began:.1f} s, {time.process_time() - spent:.1f} s of processor time, "
                    f"peak memory {peak:.0f} MB ({len(found.failures)} failed; {found.kernels} kernels)"
                )


def main() -> None:
    turning = four_bar(driven=True)
    mapped = parameter_map(turning)
    values = np.column_stack([table(VARIANTS)[name] for name in mapped.names])
    mapped.at(values)
    began = time.process_time()
    mapped.at(values)
    print(f"numbers of a variant from its parameters: {1e6 * (time.process_time() - began) / VARIANTS:.1f} µs")
    for samples in (37, 73, 201):
        compare(f"kinematics, full turn, {samples} instants", turning, "kinematics", duration=1.0, samples=samples)
    falling = four_bar(driven=False)
    compare("dynamics, one second, 201 instants", falling, "simulate", duration=1.0)
    states = {"A.angle": np.linspace(0.5, 1.5, VARIANTS), "A.angle.rate": np.linspace(-1.0, 1.0, VARIANTS)}
    compare("the same with starting values", falling, "simulate", duration=1.0, states=states)
    falling.torsion_spring("spring", first=falling.ground, second="K", stiffness=20.0)
    compare("positions of rest", falling, "equilibrium")


if __name__ == "__main__":
    if "million" in sys.argv:
        many(1_000_000)
    else:
        main()
