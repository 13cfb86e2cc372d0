"""Every figure that users wait for, beside its aim, in one table; the other files of this folder go into detail.

    python bench/aims.py            # all but cold starts
    python bench/aims.py --cold     # with cold starts: minutes
    python bench/aims.py --json     # as JSON, for docs/make_speed_page.py

CPU time of one thread, best of several. Figures of other codes are live where these are installed (pin, mujoco, pylinkage), else not shown.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import pytrammel as tm

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import dynamic_models as plane
import kinematics
import peers
import spatial_models as space
import trees


@dataclass(frozen=True)
class Figure:
    """What was measured, in which unit, how much of it is aimed at, and what others need."""

    what: str
    measured: float
    aim: float
    unit: str
    others: str = ""

    def __str__(self) -> str:
        verdict = "" if self.measured <= self.aim else "  above"
        others = f"   {self.others}" if self.others else ""
        return f"  {self.what:<58} {self.measured:8.3g} {self.unit:<12} (aim {self.aim:g}){verdict}{others}"


def best(run: Callable[[], object], repeats: int = 5) -> float:
    """CPU seconds of a call, best of several."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times)


def evaluations() -> Iterator[Figure]:
    """One evaluation of the equations of motion in the formulation that wins."""
    for what, build, aim in (
        ("four-bar", plane.four_bar_release, 0.6),
        ("slider-crank", plane.slider_crank_release, 0.6),
        ("Andrews' squeezer", plane.andrews, 1.5),
        ("Bricard", space.bricard, 3.0),
    ):
        took = {f: min(trees.evaluation(build(), f) for _ in range(4)) for f in ("cartesian", "joint")}
        winner = min(took, key=lambda name: took[name])
        own = min(trees.evaluation(build(), "cartesian", written_out=True) for _ in range(4))
        yield Figure(f"evaluation, {what} (written out for the model)", own, aim, "µs", peers.evaluation(what))
        yield Figure(f"evaluation, {what} (general kernel, {winner} coordinates)", took[winner], aim, "µs")
    for n in (10, 100):
        took = {f: min(trees.evaluation(space.chain(n), f) for _ in range(3)) / n for f in ("cartesian", "joint")}
        winner = min(took, key=lambda name: took[name])
        yield Figure(f"evaluation, chain of {n} in space ({winner})", took[winner], 0.45, "µs per body", peers.chain(n))


def instants() -> Iterator[Figure]:
    """One instant of kinematics: position, velocity and acceleration."""
    for model in (kinematics.four_bar(), kinematics.slider_crank()):
        microseconds, _ = kinematics.best_microseconds(model, 2001)
        yield Figure(f"kinematics, {model.name}", microseconds, 2.0, "µs", peers.kinematics())
    for loops in (10, 100):
        microseconds, _ = kinematics.best_microseconds(kinematics.ladder(loops), 501)
        yield Figure(f"kinematics, ladder of {loops} loops", microseconds / loops, 3.0, "µs per loop")


def describing() -> Iterator[Figure]:
    def chain(n: int) -> None:
        m = tm.SpatialModel("bodies")
        for k in range(n):
            m.body(f"b{k}", position=(k, 0.5, 0), mass=1.0, inertia=(0.01, 0.09, 0.1))

    yield Figure("describing a body in space", 1e3 * best(lambda: chain(500)) / 500, 0.15, "ms")


def writing() -> Iterator[Figure]:
    found = kinematics.four_bar().kinematics(10.0, samples=100_000, progress=False)
    with tempfile.TemporaryDirectory() as folder:
        yield Figure("to_csv of 100,000 instants", best(lambda: found.to_csv(Path(folder) / "k.csv"), 3), 1.0, "s")


def accuracy() -> Iterator[Figure]:
    """Largest error of the first crank's angle over ten seconds and as many change points, at rtol = 1e-10."""
    from dynamics import ROW

    for loops in (10, 40):
        for formulation in ("cartesian", "joint"):
            model = plane.n_four_bar(loops)
            found = model.simulate(
                times=np.arange(11.0), rtol=1e-10, atol=1e-10, formulation=formulation, progress=False
            )
            error = np.abs(np.pi / 2 - found["v0"].phi[1:] - ROW[loops]).max()
            yield Figure(f"error of {loops} four-bars in a row, rtol 1e-10 ({formulation})", float(error), 1e-6, "rad")


def first_runs() -> Iterator[Figure]:
    """From the start of a process to its result, with an empty and with a full cache of kernels."""
    import first_run
    from pytrammel.kernels import compilers

    for name, cold, count, waiting, warm in first_run.measured():
        yield Figure(f"first {name}, {count} kernels compiled, CPU of one process", cold, first_run.COLD, "s")
        yield Figure(
            f"waiting for first {name}, {compilers.processes()} processes at once", waiting, first_run.COLD, "s"
        )
        yield Figure(f"later {name}", warm, first_run.WARM, "s")


def main() -> None:
    warnings.simplefilter("ignore")
    parts: list[Callable[[], Iterator[Figure]]] = [evaluations, instants, describing, writing, accuracy]
    if "--cold" in sys.argv:
        parts.append(first_runs)
    found = []
    for part in parts:
        for figure in part():
            found.append(figure)
            if "--json" not in sys.argv:
                print(figure, flush=True)
    if "--json" in sys.argv:
        print(json.dumps([asdict(figure) for figure in found], indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
