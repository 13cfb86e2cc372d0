"""Stiff machines: steps, evaluations, CPU time and error of each method, and the steps that SUNDIALS takes.

    python bench/stiff.py                # all
    python bench/stiff.py governor       # some
    python bench/stiff.py auto           # what method="auto" costs and saves

In coordinates of all bodies and in joint coordinates. Errors are largest differences of coordinates from a run with radau5 at 1e-11,
against the size of the model. SUNDIALS' CVODE is called
from Python (extra `sundials`): its steps can be compared, its time cannot.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import pytrammel as tm

METHODS = ("dop853", "auto", "radau5", "esdirk43", "bdf", "cvode_bdf")
TOLERANCES = (1e-5, 1e-7)
FORMULATIONS = ("cartesian", "joint")


def crank() -> tm.PlanarModel:
    """A crank of 1 kg on a spring of 1e8 N/m with a damper."""
    m = tm.PlanarModel("crank", gravity=(0.0, -9.81))
    body = m.body("crank", position=(0.5, 0.0), mass=1.0, inertia=0.1)
    m.revolute("O", m.ground.at(0.0, 0.0), body.at(-0.5, 0.0))
    m.spring("s", m.ground.at(0.5, 1.0), body.at(0.0, 0.0), stiffness=1e8, damping=1e4)
    return m


def car_axis(mass: float = 5e-4) -> tm.PlanarModel:
    """The car axis of the IVP test set; its mass is 10 eps²/2."""
    m = tm.PlanarModel("car axis", gravity=(0.0, -1.0))
    axle = m.body("axle", mass=1.0, inertia=1.0)
    m.revolute("O", m.ground, axle, at=(0.0, 0.0))
    m.driver("road", axle.phi, "asin(0.1*sin(10*t))")
    left = m.body("L", position=(0.0, 0.5), mass=mass, inertia=mass, velocity=(-0.5, 0.0))
    right = m.body("R", position=(1.0, 0.5), mass=mass, inertia=mass, velocity=(-0.5, 0.0))
    m.point_on_line("g1", axle, left.at(0.0, 0.0), line=((0.0, 0.0), (0.0, 1.0)))
    m.link("g2", left.at(0.0, 0.0), right.at(0.0, 0.0), length=1.0)
    m.spring("SL", m.ground.at(0.0, 0.0), left.at(0.0, 0.0), stiffness=1.0, free_length=0.5)
    m.spring("SR", axle.at(1.0, 0.0), right.at(0.0, 0.0), stiffness=1.0, free_length=0.5)
    return m


def governor() -> tm.SpatialModel:
    """Flyball governor A05 of the IFToMM benchmarks: springs of 8e5 N/m, dampers of 4e4 N s/m."""
    m = tm.SpatialModel("governor", gravity=(0.0, 0.0, -9.81))
    speed, angle = 2.0 * math.pi, math.radians(30.0)
    shaft_inertia = tuple(0.3 / 12 * np.array([1 + 1e-4, 1 + 1e-4, 2e-4]))
    turning = (0.0, 0.0, speed)
    shaft = m.body("shaft", position=(0.0, 0.0, 0.5), mass=0.3, inertia=shaft_inertia, omega=turning)
    slider = m.body("slider", position=(0.0, 0.0, 0.5), mass=3.0, inertia=(0.005,) * 3, omega=turning)
    m.revolute("R", m.ground, shaft, at=(0.0, 0.0, 0.0), axis="z")
    m.prismatic("P", shaft, slider, at=(0.0, 0.0, 0.5), axis="z")
    centre = (0.3 * 0.5 + 5.0) / 5.3
    thin, long = 0.3 / 12 * 2e-4, 0.3 / 12 * (1 + 1e-4)
    about = 0.3 * (0.5 - centre) ** 2 + 5.0 * (1.0 - centre) ** 2
    for side, name in ((1.0, "right"), (-1.0, "left")):
        along = np.array([side * math.cos(angle), 0.0, -math.sin(angle)])
        hinge = np.array([side * 0.05, 0.0, 1.0])
        axes = np.column_stack([along, [0.0, 1.0, 0.0], np.cross(along, [0.0, 1.0, 0.0])])
        at = hinge + centre * along
        rod = m.body(
            name, position=at, rotation=axes, mass=5.3, inertia=(thin, long + about, long + about),
            omega=tuple(axes.T @ turning), velocity=tuple(np.cross(turning, at)),
        )  # fmt: skip
        m.revolute(f"H{name}", shaft, rod, at=hinge, axis="y")
        m.spring(
            f"S{name}", slider.at(side * 0.05, 0.0, 0.0), rod.at(0.5 - centre, 0.0, 0.0), stiffness=8e5, damping=4e4, free_length=0.5
        )  # fmt: skip
    return m


def contact() -> tm.PlanarModel:
    """A ball of 1 kg that comes to rest on a Hertz contact of 1e10 N/m^1.5."""
    m = tm.PlanarModel("contact", gravity=(0.0, -9.81))
    ball = m.body("ball", position=(0.0, 0.1), mass=1.0, inertia=4e-3)
    m.contact_line(
        "floor", ball, m.ground, radius=0.1, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=1e10, law="hunt_crossley", restitution=0.3
    )  # fmt: skip
    return m


def bushing_chain(count: int = 10) -> tm.SpatialModel:
    """A chain of bodies on stiff bushings, held at one end."""
    m = tm.SpatialModel("bushings", gravity=(0.0, 0.0, -9.81))
    last = m.ground
    for k in range(count):
        body = m.body(f"b{k}", position=(0.1 * (k + 0.5), 0.0, 0.0), mass=0.1, inertia=(1e-5, 1e-4, 1e-4))
        m.bushing(
            f"j{k}", last, body, at=(0.1 * k, 0.0, 0.0), stiffness=(1e6,) * 3, damping=(1e2,) * 3,
            rotational_stiffness=(10.0,) * 3, rotational_damping=(0.01,) * 3,
        )  # fmt: skip
        last = body
    return m


Model = tm.PlanarModel | tm.SpatialModel
CASES: dict[str, tuple[Callable[[], Model], float]] = {
    "crank": (crank, 1.0),
    "car axis": (car_axis, 3.0),
    "car axis, eps 1e-4": (lambda: car_axis(5e-8), 0.3),
    "governor": (governor, 10.0),
    "contact": (contact, 1.0),
    "bushings": (bushing_chain, 0.5),
}


def measure(name: str) -> None:
    build, duration = CASES[name]
    model = build()
    times = np.linspace(0.0, duration, 11)
    reference = model.simulate(times=times, method="radau5", rtol=1e-11, atol=1e-13, progress=False)
    print(f"\n{name}, {duration:g} s (reference: {reference.dynamics.statistics.steps} steps)")
    print(
        f"{'method':10s} {'coordinates':11s} {'rtol':>6s} {'error':>8s} {'CPU ms':>9s} {'steps':>7s} {'evaluations':>12s}"
    )
    for method in METHODS:
        if method.startswith("cvode") and importlib.util.find_spec("sksundae") is None:
            continue
        for formulation in FORMULATIONS:
            compare(model, reference, times, method, formulation)


def compare(model: Model, reference: tm.results.Result, times: np.ndarray, method: str, formulation: str) -> None:
    for rtol in TOLERANCES:
        spent = math.inf
        for _ in range(3):  # the first one compiles
            began = time.process_time()
            try:
                r = model.simulate(
                    times=times, method=method, formulation=formulation, rtol=rtol, atol=0.01 * rtol, progress=False
                )
            except tm.TrammelError as reason:
                print(f"{method:10s} {formulation:11s} {rtol:6.0e} refused or stopped: {str(reason)[:90]}")
                return
            spent = min(spent, 1e3 * (time.process_time() - began))
        s = r.dynamics.statistics
        off = np.abs(r.q - reference.q).max() / reference.system.length
        print(
            f"{method:10s} {formulation:11s} {rtol:6.0e} {off:8.1e} {spent:9.1f} {s.steps:7d} {s.evaluations:12d}",
            flush=True,
        )


def automatic(repeats: int = 25) -> None:
    """What `method="auto"` costs where nothing is stiff, and saves where something is: CPU ms, in turn, best of many."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    import dynamic_models
    import spatial_models

    cases: dict[str, tuple[Callable[[], Model], float, float]] = {
        "four-bar": (lambda: dynamic_models.n_four_bar(1), 5.0, 1e-8),
        "andrews": (dynamic_models.andrews, 0.03, 1e-8),
        "bricard": (spatial_models.bricard, 5.0, 1e-8),
        "governor": (governor, 2.0, 1e-6),
        "crank": (crank, 1.0, 1e-8),
    }
    for name, (build, duration, rtol) in cases.items():
        model, best = build(), {"dop853": math.inf, "auto": math.inf}
        for _ in range(repeats):
            for method in best:
                began = time.process_time()
                r = model.simulate(duration, samples=101, method=method, rtol=rtol, progress=False)
                best[method] = min(best[method], 1e3 * (time.process_time() - began))
        used = ", ".join(use.name for use in r.dynamics.methods)
        print(f"{name:10s} dop853 {best['dop853']:8.2f} ms, auto {best['auto']:8.2f} ms ({used})", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["auto"]:
        automatic()
    else:
        for chosen in sys.argv[1:] or CASES:
            measure(chosen)
