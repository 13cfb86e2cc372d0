"""Speed of planar dynamics: µs per evaluation of the equations of motion, and seconds against accuracy.

Run with ``.venv/bin/python bench/dynamics.py``. Everything is printed in one run, best of several repetitions, so that ratios
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
from dynamic_models import andrews, four_bar_release, n_four_bar, slider_crank_release

REPEATS = 5
EVALUATIONS = 20_000
TOLERANCES = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11)

# High-precision references: crank angle at t = 1 … 10 s; clockwise angle of the first post at t = 1 … 10 s (exact: elliptic
# functions); Andrews' beta at 0.03 s (quadruple precision).
SLIDER_CRANK = [-3.993809934775682, 0.4757088184436844, -1.394335344610237, -2.2417297732390105, 0.8152776186340364,
                -4.161812968471924, 1.0068152792466676, -3.5473654241362556, -0.3766300694056857, -0.6353351520360213]  # fmt: skip
FOUR_BAR = [-4.560718473757635, 0.6358986779262599, -4.060255470112546, -0.755303312064061, -1.9602559565322695,
            -3.4365066591721867, -0.037531010505421666, -4.397027670325798, 0.9699277742839183, -4.611826869092737]  # fmt: skip
ROW = {
    10: [3.271261740835997, 6.321762541524037, 9.811670623691265, 12.644160973055525, 16.345907497050124,
         18.967840679192168, 22.87039766944292, 25.293466027711318, 29.382273223757583, 31.62172982277806],
    40: [3.2572069249098807, 6.317658442036014, 9.770119582195463, 12.635768336921045, 16.278626196931178,
         18.954786494809, 22.780099602185555, 25.275180438174736, 29.272329797636587, 31.597433743982563],
}  # fmt: skip
BETA = 15.81077119515370709711939

# other codes, measured elsewhere: (code and setting, seconds, error)
PEERS = {
    "slider-crank, 10 s": [
        ("Pinocchio, RK4 in Python h=1e-3, Baumgarte", 0.65, 1e-6),
        ("MuJoCo, RK4 stiff h=1e-3", 0.12, 6e-5),
        ("MuJoCo, RK4 stiff h=1e-4", 1.8, 2e-7),
        ("Exudyn, trapezoidal index 2 h=1e-3", 0.46, 3e-4),
        ("Exudyn, trapezoidal index 2 h=1e-4", 3.5, 3e-6),
        ("OpenSim (Simbody) RKM 1e-8", 0.43, 5e-6),
        ("plain Numba program, DOP853", 0.016, 9e-8),
    ],
    "four-bar, 10 s": [
        ("MuJoCo, RK4 stiff h=1e-3", 0.25, 8e-6),
        ("MuJoCo, RK4 stiff h=1e-4", 3.7, 3e-7),
        ("Exudyn, trapezoidal h=1e-3", 0.35, 7e-5),
        ("Exudyn, trapezoidal h=1e-4", 1.9, 3e-6),
        ("SymPy Kane + lambdify + SciPy DOP853 1e-9", 0.27, 1e-7),
        ("plain Numba program, DOP853", 0.019, 2e-7),
    ],
    "N-four-bar N = 10, 10 s": [("MuJoCo implicitfast stiff h=1e-3", 0.13, 4e-4)],
    "N-four-bar N = 40, 10 s": [("MuJoCo implicitfast stiff h=1e-3", 0.48, 2e-4)],
    "Andrews, 0.03 s": [("MuJoCo, RK4 stiff h=1e-5", 0.061, 1.5e-6)],
}


def microseconds(model: tm.PlanarModel) -> float:
    """Best µs of one evaluation: forces, accelerations and multipliers at the start."""
    options = Options(method_named("dop853"), 1e-8, 1e-10, 0.0, 1.0, "projection", 0.0, 0.0, 10**6)
    run = Simulation(model, np.array([0.0, 1.0]), options, (), (), None, True)
    n = run.system.n_columns
    q, v = run.y[:n].copy(), run.y[n : 2 * n].copy()
    a, lam = np.zeros(n), np.zeros(len(run.active))
    times = max(100, EVALUATIONS // max(1, n // 9))
    best = math.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        repeat_run(run.system.ints, run.floats, run.pattern, 0.0, q, v, np.zeros(0), a, lam, times)
        best = min(best, time.perf_counter() - start)
    return best / times * 1e6


def crank(found: tm.results.Result, right: list[float]) -> float:
    return float(np.abs(found["crank"].phi[1:] - right).max())


def post(found: tm.results.Result, right: list[float]) -> float:
    return float(np.abs(math.pi / 2 - found["v0"].phi[1:] - right).max())


SECONDS = [float(k) for k in range(11)]
CASES: list[tuple[str, Callable[[], tm.PlanarModel], list[float], Callable[[tm.results.Result], float]]] = [
    ("slider-crank, 10 s", slider_crank_release, SECONDS, lambda r: crank(r, SLIDER_CRANK)),
    ("four-bar, 10 s", four_bar_release, SECONDS, lambda r: crank(r, FOUR_BAR)),
    ("N-four-bar N = 10, 10 s", lambda: n_four_bar(10), SECONDS, lambda r: post(r, ROW[10])),
    ("N-four-bar N = 40, 10 s", lambda: n_four_bar(40), SECONDS, lambda r: post(r, ROW[40])),
    ("Andrews, 0.03 s", andrews, [0.0, 0.03], lambda r: abs(float(r["K1"].phi[-1]) - BETA)),
]


def work_precision(
    name: str, build: Callable[[], tm.PlanarModel], times: list[float], error: Callable[[tm.results.Result], float]
) -> None:
    print(f"\n{name}: error in rad")
    model = build()
    for rtol in TOLERANCES:
        try:
            runs = [model.simulate(times=times, rtol=rtol, atol=0.01 * rtol, progress=False) for _ in range(3)]
        except tm.TrammelError as trouble:
            print(f"  rtol {rtol:7.0e}   {trouble}")
            continue
        count = runs[0].dynamics.statistics
        print(
            f"  rtol {rtol:7.0e}   {min(r.wall_time for r in runs):9.5f} s   {count.evaluations:6d} evaluations   "
            f"{count.steps:5d} steps   {count.rejected:4d} rejected   error {error(runs[0]):8.1e}"
        )
    for code, seconds, off in PEERS[name]:
        print(f"  measured elsewhere: {seconds:9.5f} s   error {off:8.1e}   {code}")


def main() -> None:
    prepare(["repeat_run"])
    print("µs per evaluation of accelerations and multipliers")
    for model in (slider_crank_release(), four_bar_release(), andrews()):
        model.simulate(0.0)  # compiles what the model needs
        print(f"  {model.name:<16} {microseconds(model):8.2f} µs")
    print("cost against size: N-four-bar")
    for n in (1, 2, 5, 10, 20, 50, 100):
        cost = microseconds(n_four_bar(n))
        print(f"  {n:4d} loops, {2 * n + 1:4d} bodies {cost:10.2f} µs   {cost / n:6.2f} µs per loop")
    for case in CASES:
        work_precision(*case)


if __name__ == "__main__":
    main()
