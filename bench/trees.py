"""Joint coordinates against body coordinates: time of one evaluation and of whole runs, chains and loops, in one run.

python bench/trees.py            # all
python bench/trees.py 10 100     # chains of these lengths only
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import pytrammel as tm
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.runs import straight
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.simulation import Simulation
from pytrammel.kernels.equations.repeat import rates_repeat_run

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import dynamic_models as plane
import spatial_models as space


def hexapod() -> tm.SpatialModel:
    """Six legs of three hinges on a trunk that floats, kicking."""
    m = tm.SpatialModel("six legs", gravity=(0, 0, -9.81))
    m.body("trunk", position=(0, 0, 1), mass=10.0, inertia=(0.5, 1.0, 1.2), omega=(0.2, 0.1, 0.3))
    for k in range(6):
        x, y = 0.4 * (k % 3 - 1), 0.2 if k < 3 else -0.2
        side = 1.0 if k < 3 else -1.0
        before, at, turn = "trunk", np.array([x, y, 1.0]), np.array([0.2, 0.1, 0.3])
        for part, (axis, step) in enumerate((("z", (0, 0.1, 0)), ("x", (0, 0.3, 0)), ("x", (0, 0, -0.4)))):
            move = np.array(step, dtype=float) * (1.0, side, 1.0)
            turn = turn + [(0.0, 0.0, 1.5 * side), (3.0, 0.0, 0.0), (-5.0, 0.0, 0.0)][part]
            body = m.body(
                f"leg{k}{part}", position=at + move / 2, mass=1.0 - 0.3 * part, inertia=(0.01, 0.005, 0.01), omega=turn
            )
            m.revolute(f"J{k}{part}", before, body, at=at, axis=axis)
            before, at = body.name, at + move
    return m


def evaluation(
    model: tm.PlanarModel | tm.SpatialModel, formulation: str, budget: float = 0.2, *, written_out: bool = False
) -> float:
    """CPU time of one evaluation of the rates [µs], best of several; by the general kernels, or written out for the model."""
    options = Options(
        method_named("dop853"), 1e-8, 1e-10, 0.0, np.inf, "projection", 0.0, 0.0, 10**6, tm.formulations[formulation]
    )
    run = Simulation(model, np.array([0.0, 1.0]), options, (), (), None, True)
    table = run.equations.table(run, run._look_out().system)
    if written_out:
        straight.put(table, straight.of_table(table))
    y = run.equations.vector(run).copy()
    dy = np.zeros_like(y)
    rates_repeat_run(table.entries, 0.0, y, dy, 10)
    count = 10
    best = np.inf
    while True:
        began = time.process_time()
        rates_repeat_run(table.entries, 0.0, y, dy, count)
        took = time.process_time() - began
        if took > 0.01:
            best = min(best, took / count)
            budget -= took
            if budget < 0.0:
                return 1e6 * best
        else:
            count *= 4


def whole(model: tm.PlanarModel | tm.SpatialModel, duration: float, formulation: str) -> tuple[float, int]:
    """CPU time of a whole call [ms], best of some, and its steps."""
    best, steps = np.inf, 0
    for _ in range(5):
        began = time.process_time()
        result = model.simulate(duration, samples=11, formulation=formulation, progress=False)
        best = min(best, time.process_time() - began)
        assert result.dynamics is not None
        steps = result.dynamics.statistics.steps
        if best > 2.0:
            break
    return 1e3 * best, steps


def main(lengths: list[int]) -> None:
    warnings.simplefilter("ignore")
    cases: dict[str, tuple[Callable[[], tm.PlanarModel | tm.SpatialModel], float]] = {}
    for n in lengths or [3, 10, 30, 100, 300, 1000, 3000]:
        cases[f"plane, chain of {n}"] = (lambda n=n: plane.chain([0.3 * k / n for k in range(n)]), 0.2)  # type: ignore[misc]
        cases[f"space, chain of {n}"] = (lambda n=n: space.chain(n), 0.2)  # type: ignore[misc]
    if not lengths:
        cases |= {
            "four-bar": (lambda: plane.n_four_bar(1), 10.0),
            "40 four-bars": (lambda: plane.n_four_bar(40), 1.0),
            "Andrews": (plane.andrews, 0.05),
            "Bricard": (space.bricard, 10.0),
            "six-legged robot": (hexapod, 1.0),
        }
    print("one evaluation [µs] and a whole call [ms, steps]: body coordinates, joint coordinates, ratio")
    for name, (build, duration) in cases.items():
        model = build()
        for formulation in ("cartesian", "joint"):
            model.simulate(1e-6, samples=2, formulation=formulation, progress=False)
        one = [evaluation(model, f) for f in ("cartesian", "joint")]
        long = [whole(model, duration, f) for f in ("cartesian", "joint")]
        print(
            f"{name:22s} {one[0]:9.2f} {one[1]:9.2f}  {one[0] / one[1]:5.1f} | {long[0][0]:9.1f} ({long[0][1]:4d}) "
            f"{long[1][0]:9.1f} ({long[1][1]:4d})  {long[0][0] / long[1][0]:5.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
