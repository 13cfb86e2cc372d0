"""Where the time of one evaluation in body coordinates goes, part by part, and that of a run around it.

    python bench/profile.py            # four-bar, Andrews, Bricard, governor, chain of 100
    python bench/profile.py --json

A part's time is what an evaluation takes longer when it goes on to that part: parts run in each other's shadow, so that they add up.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import pytrammel as tm
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.runs import straight
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.simulation import Simulation
from pytrammel.kernels import engine
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.bodies import load_state
from pytrammel.kernels.dynamics import (
    FORCES,
    GAMMA,
    JAC,
    LOWER,
    NU,
    OUT,
    PHI,
    PIVOTS,
    STATE,
    STEP,
    WEIGHTED,
    Y,
    bare_workspace,
    run_forces,
    solve_accelerations,
    workspace_places,
)  # fmt: skip
from pytrammel.kernels.dynamics import WORK as SCRATCH
from pytrammel.kernels.equations.cartesian import WORK
from pytrammel.kernels.equations.repeat import rates_repeat_run
from pytrammel.kernels.evaluate import row_residuals, run_elements
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT, INT_ARRAY, kernel
from pytrammel.kernels.layout import N_COLUMNS, N_COORDINATES
from pytrammel.kernels.mass import inertia_forces, weigh_by_mass
from pytrammel.kernels.schur import factor
from pytrammel.results.forces.dynamics import StepStatistics

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import dynamic_models as plane
import spatial_models as space
from stiff import governor

PARTS = (
    "sines and cosines", "joints and drivers", "right-hand sides of rows", "M⁻¹Jᵀ", "factors of J M⁻¹Jᵀ", "forces",
    "accelerations and multipliers", "rates of the whole vector, refinement, checks",
)  # fmt: skip


@kernel(INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, INT, INT)
def parts_run(ints, floats, pattern, t, y, W, last, times):
    """An evaluation up to a part, many times."""
    I = bare(ints)  # noqa: E741 (as in kernels)
    F = bare(floats)
    P = bare(pattern)
    ws = bare_workspace(ints, pattern, W, WORK)
    a = advanced(bare(W), workspace_places(ints, pattern, WORK)[18])
    lam = advanced(a, I[N_COLUMNS])
    q = bare(y)
    v = advanced(q, I[N_COORDINATES])
    angle = 1.0
    for _ in range(times):
        load_state(I, t, q, v, ws[STATE])
        if last >= 1:
            run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[SCRATCH])
        if last >= 2:
            row_residuals(I, F, P, t, ws[OUT], ws[SCRATCH], ws[STEP], ws[PHI], ws[NU], ws[GAMMA])
        if last >= 3:
            weigh_by_mass(I, F, P, ws[STATE], ws[JAC], ws[WEIGHTED])
        if last >= 4:
            angle = factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
        if last >= 5:
            inertia_forces(I, F, ws[STATE], ws[FORCES])
            run_forces(I, F, ws[STATE], ws[OUT], ws[JAC], ws[SCRATCH], ws[FORCES])
        if last >= 6:
            solve_accelerations(I, F, P, max(angle, 0.3), a, lam, ws)
    return angle


def chain_of_100() -> tm.SpatialModel:
    return space.chain(100)


MACHINES = {
    "four-bar": (plane.four_bar_release, 10.0), "Andrews": (plane.andrews, 0.05), "Bricard": (space.bricard, 10.0),
    "governor": (governor, 2.0), "chain of 100": (chain_of_100, 0.2),
}  # fmt: skip


def best(call: object, *arguments: object) -> float:
    """CPU time of one repetition [µs], best of several; the last argument says how many repetitions there are."""
    call(*arguments, 1)  # which may compile  # type: ignore[operator]
    count, least = 100, np.inf
    budget = 1.0
    while budget > 0.0:
        began = time.process_time()
        call(*arguments, count)  # type: ignore[operator]
        took = time.process_time() - began
        if took < 0.01:
            count *= 4
            continue
        least, budget = min(least, took / count), budget - took
    return 1e6 * least


def timed(model: tm.PlanarModel | tm.SpatialModel, duration: float) -> tuple[StepStatistics, float]:
    """What a run did, and its CPU time [ms], best of several."""
    least, spent = np.inf, 0.0
    while spent < 2.0:
        began = time.process_time()
        result = model.simulate(duration, samples=2, progress=False)
        took = time.process_time() - began
        least, spent = min(least, took), spent + took
    return result.dynamics.statistics, 1e3 * least


def profile(model: tm.PlanarModel | tm.SpatialModel, duration: float) -> dict[str, float]:
    """Microseconds of every part, of a whole evaluation, and of a step of a run beside its evaluations."""
    options = Options(method_named("dop853"), 1e-8, 1e-10, 0.0, np.inf, "projection", 0.0, 0.0, 10**6)
    run = Simulation(model, np.array([0.0, 1.0]), options, (), (), None, True)
    table = run.equations.table(run, run._look_out().system)
    y = run.equations.vector(run).copy()
    data = [table.data[place] for place in (engine.INTS, engine.FLOATS, engine.PATTERN)]
    up_to = [best(parts_run, *data, 0.0, y, table.data[engine.WORKSPACE], k) for k in range(len(PARTS) - 1)]
    whole = best(rates_repeat_run, table.entries, 0.0, y, np.zeros_like(y))
    found = dict(zip(PARTS, np.diff([0.0, *up_to, whole]), strict=True))
    found["one evaluation"] = whole
    code = straight.of_table(table)
    found["one evaluation, written out"] = np.nan
    if not isinstance(code, str):
        straight.put(table, code)
        found["one evaluation, written out"] = best(rates_repeat_run, table.entries, 0.0, y, np.zeros_like(y))
    straight._made.clear()
    statistics, found["a run [ms]"] = timed(model, duration)
    found["evaluations of a run"] = statistics.evaluations
    found["of it evaluations [ms]"] = 1e-3 * whole * statistics.evaluations
    found["a run, prepared [ms]"] = timed(model, duration)[1] if model.prepare().written_out else np.nan
    return {what: float(value) for what, value in found.items()}


def main() -> None:
    warnings.simplefilter("ignore")
    straight.PAYS = sys.maxsize  # only what is prepared is written out
    found = {name: profile(build(), duration) for name, (build, duration) in MACHINES.items()}
    if "--json" in sys.argv:
        print(json.dumps(found, indent=1, ensure_ascii=False))
        return
    print(f"  {'µs':<50}" + "".join(f"{name:>14}" for name in found))
    for what in next(iter(found.values())):
        print(f"  {what:<50}" + "".join(f"{numbers[what]:14.3f}" for numbers in found.values()))


if __name__ == "__main__":
    main()
