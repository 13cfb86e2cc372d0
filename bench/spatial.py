"""Speed of spatial dynamics: µs per evaluation of the equations of motion, cost against size, seconds against accuracy.

Run with ``.venv/bin/python bench/spatial.py``. Everything is printed in one run, best of several repetitions, so that ratios
hold on noisy machines. Figures of other codes are quoted below ours; they were measured elsewhere, on a 2-core machine.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import pytrammel as tm
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.simulation import Simulation
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.state import repeat_run

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from spatial_models import bricard, chain, rssr

REPEATS = 5
WORK = 200_000  # bodies times evaluations per repetition
TOLERANCES = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)

# High-precision references: point P3 of Bricard's mechanism at t = 1 … 10 s; tip of the chain after 1 s
BRICARD = [
    [0.5105014611871551, -1.6491675993948296, 0.14012311455314747],
    [-0.9693403447777855, -1.2212468949558861, 0.7542780107803038],
    [-0.9671998000487256, -1.2280202146741237, 0.7459831761758593],
    [0.5248995933922148, -1.643876001335732, 0.14883584611622197],
    [0.9999999977380489, -1.000067257697524, 0.999932740040677],
    [0.49587344994218263, -1.6543245122740642, 0.13160520404458992],
    [-0.9713738492434119, -1.2145418748551435, 0.7624440171116765],
    [-0.9649485716698718, -1.2348595452302673, 0.7375609517768483],
    [0.5390642884962807, -1.6384533082397956, 0.1577353783590345],
    [0.9999999638063494, -1.0002690126961882, 0.9997309511198964],
]
PEERS = {
    "Bricard, 10 s": [("MuJoCo, RK4 stiff h=1e-3", 0.17, 7e-8)],
    "chain of 10, 1 s": [("MuJoCo, RK4 h=1e-3", 0.012, 2e-8)],
    "chain of 100, 1 s": [("MuJoCo, RK4 h=1e-3", 0.27, 3e-10)],
    "chain of 1000, 1 s": [("MuJoCo, RK4 h=1e-3", 257.0, 5e-11)],
}
TIPS = {
    10: [-0.8802855828724298, -0.1412258363424509, -0.18469080666060664],
    100: [7.037665960190462, 0.7363073980327802, -5.662483275308994],
    1000: [96.08733283945058, 14.47895629479872, -19.412788792980606],
}


def universal_chain(n: int) -> tm.SpatialModel:
    """n bars of 1 m hanging from each other by universal joints."""
    m = tm.SpatialModel(f"universal chain of {n}")
    before = m.ground
    for k in range(n):
        body = m.body(f"b{k}", position=(k + 0.5, 0, 0), mass=1.0, inertia=(0.01, 0.09, 0.09))
        m.universal(f"u{k}", before, body, at=(k, 0, 0), axis="y", second_axis="z")
        before = body
    return m


def microseconds(model: tm.SpatialModel) -> float:
    """Best µs of one evaluation: forces, accelerations and multipliers at the start."""
    options = Options(method_named("dop853"), 1e-8, 1e-10, 0.0, 1.0, "projection", 0.0, 0.0, 10**6)
    run = Simulation(model, np.array([0.0, 1.0]), options, (), (), None, False)
    a, lam = np.zeros(run.system.n_columns), np.zeros(len(run.active))
    times = max(20, WORK // len(model.bodies))
    best = math.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        repeat_run(
            run.system.ints, run.floats, run.pattern, 0.0, run.q.copy(), run.v.copy(), np.zeros(0), a, lam, times
        )
        best = min(best, time.perf_counter() - start)
    return best / times * 1e6


def work_precision(
    name: str, model: tm.SpatialModel, times: list[float], error: Callable[[tm.results.Result], float]
) -> None:
    print(f"\n{name}")
    for rtol in TOLERANCES if len(model.bodies) < 500 else (1e-6, 1e-9):
        repeats = 3 if len(model.bodies) < 500 else 1
        runs = [model.simulate(times=times, rtol=rtol, atol=0.01 * rtol, progress=False) for _ in range(repeats)]
        count = runs[0].dynamics.statistics
        print(
            f"  rtol {rtol:7.0e}   {min(r.wall_time for r in runs):9.5f} s   {count.evaluations:6d} evaluations   "
            f"{count.steps:5d} steps   {count.rejected:4d} rejected   error {error(runs[0]):8.1e}"
        )
    for code, seconds, off in PEERS[name]:
        print(f"  measured elsewhere: {seconds:9.5f} s   error {off:8.1e}   {code}")


def p3(found: tm.results.Result) -> float:
    return float(np.linalg.norm(found.point("P3").position[1:] - np.array(BRICARD), axis=1).max())


def tip(found: tm.results.Result, n: int) -> float:
    return float(np.linalg.norm(found.point("tip").position[-1] - np.array(TIPS[n])) / (0.1 * n))


def main() -> None:
    prepare(["repeat_run"])
    print("µs per evaluation of accelerations and multipliers")
    for model in (rssr(), rssr(coupler="body"), bricard()):
        model.simulate(0.0)  # compiles what the model needs
        print(f"  {model.name:<24} {len(model.bodies) - 1:4d} bodies {microseconds(model):10.2f} µs")
    print("cost against size")
    for build in (universal_chain, chain):
        build(2).simulate(0.0)
        for n in (10, 30, 100, 300, 1000):
            model = build(n)
            cost = microseconds(model)
            print(f"  {model.name:<24} {n:4d} bodies {cost:10.2f} µs   {cost / n:6.3f} µs per body")
    work_precision("Bricard, 10 s", bricard(), [float(k) for k in range(11)], p3)
    for n in (10, 100, 1000):
        work_precision(f"chain of {n}, 1 s", chain(n), [0.0, 1.0], lambda r, n=n: tip(r, n))


if __name__ == "__main__":
    main()
