"""First runs and later ones: CPU seconds from the start of a process to its result, with an empty cache of kernels and with a full one.

    python bench/first_run.py

Aims: 15 s for the first run of each kind, 0.6 s for later ones. What Python, NumPy and Numba take alone is the floor.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODEL = """
import sys, time
sys.path.insert(0, "tests")
import dynamic_models, mechanisms, spatial_models
"""
RUNS = {
    "simulation, plane (four-bar)": "m = dynamic_models.four_bar_release(); m.simulate(0.5, progress=False)",
    "simulation, space (Bricard)": "m = spatial_models.bricard(); m.simulate(0.5, progress=False)",
    "kinematics, plane (four-bar)": "m = mechanisms.four_bar(1, 3, 3, 3); m.kinematics(0.5, progress=False)",
    "kinematics, space (RSSR)": 'm = spatial_models.rssr(drive="0.5*t"); m.kinematics(0.5, progress=False)',
}
REPORT = """
from trammel.kernels import jit
made = [k for k in jit.all_kernels() if k._compiled is not None and not k.was_loaded()]
print(time.process_time(), len(made))
"""
COLD, WARM = 15.0, 0.6


def seconds(code: str, cache: Path | str) -> tuple[float, int]:
    """CPU time of a process, and how many kernels it compiled."""
    env = {**os.environ, "TRAMMEL_CACHE_DIR": str(cache), "OPENBLAS_NUM_THREADS": "1"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=env, cwd=ROOT, capture_output=True, text=True, check=True
    )
    time, count = done.stdout.split()
    return float(time), int(count)


def measured() -> Iterator[tuple[str, float, int, float]]:
    """Of every kind of run: its name, CPU time of the first one, kernels that it compiled, CPU time of later ones."""
    for name, run in RUNS.items():
        code = MODEL + run + REPORT
        with tempfile.TemporaryDirectory() as cache:
            cold, count = seconds(code, cache)
            yield name, cold, count, min(seconds(code, cache)[0] for _ in range(4))


def main() -> None:
    floor = "import time, numpy, numba; print(time.process_time(), 0)"
    print(f"{'':32}  first run [s], aim {COLD:g}   kernels   later run [s], aim {WARM:g}")
    print(
        f"{'Python, NumPy and Numba alone':32}  {'':22}   {'':7}   {min(seconds(floor, '/')[0] for _ in range(4)):.2f}"
    )
    for name, cold, count, warm in measured():
        print(f"{name:32}  {cold:22.1f}   {count:7}   {warm:.2f}")


if __name__ == "__main__":
    main()
