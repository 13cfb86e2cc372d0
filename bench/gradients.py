"""What a gradient costs, in runs of the same model: CPU time, best of a few.

python bench/gradients.py
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import pytrammel as tm

LENGTHS = {"crank": 0.1, "coupler": 0.3, "rocker": 0.25, "base": 0.3, "mass": 0.8, "pull": 5.0}
FORMULAS = {"of a state": "rms(rocker_body.phi)", "of a reaction": "max(A.reaction)"}


def four_bar(*, driven: bool) -> tm.PlanarModel:
    """A four-bar with six parameters, driven or pulled by a spring."""
    m = tm.PlanarModel("four-bar", gravity=(0.0, -9.81))
    for name, value in LENGTHS.items():
        m.parameter(name, value)
    m.body("crank_body", mass=0.3, inertia=0.001, points={"tip": ("crank", 0)})
    m.body(
        "coupler_body",
        position=("crank", 0),
        angle=0.8,
        mass="mass",
        inertia=0.003,
        points={"base": (0, 0), "tip": ("coupler", 0)},
    )
    m.body(
        "rocker_body",
        position=("base", 0),
        angle=1.5,
        mass=0.5,
        inertia=0.002,
        points={"base": (0, 0), "tip": ("rocker", 0)},
    )
    m.revolute("A", m.ground, "crank_body", at=(0, 0))
    m.revolute("B", "crank_body.tip", "coupler_body.base")
    m.revolute("C", "coupler_body.tip", "rocker_body.tip")
    m.revolute("D", m.ground.at("base", 0), "rocker_body.base")
    m.spring("S", m.ground.at(0, 0.5), "coupler_body.tip", stiffness="pull", free_length=0.2)
    if driven:
        m.driver("motor", "A.angle", "5*t")
    return m


def seconds(function: Callable[[], object], times: int) -> float:
    """CPU time of a call, the best of so many."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        function()
        found.append(time.process_time() - begin)
    return min(found)


def main() -> None:
    warnings.simplefilter("ignore")
    for analysis in ("kinematics", "inverse_dynamics", "simulate"):
        model = four_bar(driven=analysis != "simulate")
        options = {"progress": False} if analysis == "simulate" else {}
        run = getattr(model, analysis)
        run(1.0, **options)
        once = seconds(lambda: run(1.0, **options), 10)  # noqa: B023
        for what, formula in FORMULAS.items():
            if analysis == "kinematics" and "reaction" in formula:
                continue
            for way in ("direct", "adjoint"):
                for count in (1, 6):
                    names = list(LENGTHS)[:count]
                    took = seconds(lambda: model.gradient(formula, 1.0, analysis=analysis, method=way, wrt=names), 2)  # noqa: B023
                    print(
                        f"{analysis:17s} {once * 1e3:6.2f} ms   gradient {what:13s} by {count} {way:8s} {took * 1e3:8.1f} ms = "
                        f"{took / once:6.1f} runs",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
