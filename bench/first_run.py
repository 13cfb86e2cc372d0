"""First runs and later ones, from the start of a process to its result, with an empty cache of kernels and with a full one.

    python bench/first_run.py

Of a first run: the CPU time of one process that compiles alone, and what the user waits where others help
(`pytrammel.kernels.compilers`), by the clock on the wall: measure on a quiet machine. Of later runs: CPU time.
Aims: 15 s for the first run of each kind, 0.6 s for later ones.
What Python, NumPy and Numba take alone is the floor.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pytrammel.kernels import compilers

ROOT = Path(__file__).parents[1]
RUNS = {
    "simulation, plane (four-bar)": "from pytrammel.examples.falling_four_bar import build; build().simulate(0.5, progress=False)",
    "simulation, space (Bricard)": "from spatial_models import bricard; bricard().simulate(0.5, progress=False)",
    "kinematics, plane (four-bar)": "from pytrammel.examples.four_bar import build; build().kinematics(0.5, progress=False)",
    "kinematics, space (RSSR)": "from pytrammel.examples.rssr import build; build().kinematics(0.5, progress=False)",
}
BEFORE = "import sys, time; sys.path.insert(0, 'tests')\n"
REPORT = """
from pytrammel.kernels import jit
made = [k for k in jit.all_kernels() if k._compiled is not None and not k.was_loaded()]
print(time.process_time(), len(made))
"""
COLD, WARM = 15.0, 0.6


def seconds(code: str, cache: Path | str, *, alone: bool = True) -> tuple[float, int, float]:
    """CPU time of a process, how many kernels it compiled, and how long one waits for it."""
    env = {**os.environ, "TRAMMEL_CACHE_DIR": str(cache), "OPENBLAS_NUM_THREADS": "1"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env.pop("TRAMMEL_COMPILERS", None)
    if alone:
        env["TRAMMEL_COMPILERS"] = "1"
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=env, cwd=ROOT, capture_output=True, text=True, check=True
    )
    used, count = done.stdout.split()
    return float(used), int(count), time.perf_counter() - begun


def measured() -> Iterator[tuple[str, float, int, float, float]]:
    """Of every kind of run: its name, CPU time of the first one, kernels that it compiled, how long one waits, CPU time of later ones."""
    for name, run in RUNS.items():
        code = BEFORE + run + REPORT
        with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as other:
            cold, count, _ = seconds(code, cache)
            waiting = seconds(code, other, alone=False)[2]
            yield name, cold, count, waiting, min(seconds(code, cache)[0] for _ in range(4))


def main() -> None:
    floor = "import time, numpy, numba; print(time.process_time(), 0)"
    print(f"{compilers.processes()} processes compile at once.")
    print(f"{'':32}  first run, CPU [s]   kernels   waiting [s], aim {COLD:g}   later run [s], aim {WARM:g}")
    print(
        f"{'Python, NumPy and Numba alone':32}  {'':18}   {'':7}   {'':19}   {min(seconds(floor, '/')[0] for _ in range(4)):.2f}"
    )
    for name, cold, count, waiting, warm in measured():
        print(f"{name:32}  {cold:18.1f}   {count:7}   {waiting:19.1f}   {warm:.2f}")


if __name__ == "__main__":
    main()
