"""Where the time of each method goes: in the equations, or in the method and the driver around them.

    python bench/shares.py                        # every method on every machine
    python bench/shares.py andrews bdf radau5     # some

Every routine of the equations (`kernels/engine.py`) is measured by the processor's clock each time that it is called, so that what is left
of the run is what method and driver take: predicting, combining stages, step control, copying; what the clocks themselves take is measured
first and taken off. The share "outside" holds the error norm, too, and stands beside the aim. Of several runs the fastest counts, as others
may use the processor. Factors and solutions with the matrices of implicit methods belong to the equations. Methods that treat constraints
themselves evaluate the model inside their steps: they are compiled anew here with clocks around the parts that do.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cfunc, njit, types
from numba.extending import intrinsic

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import dynamic_models
import pytrammel as tm
import spatial_models
import stiff
from pytrammel.analysis.methods import methods
from pytrammel.kernels import engine, run
from pytrammel.kernels.jit import ROUTINE_SIGNATURE, address_of, call_routine, floats_at, ints_at

COLUMNS = {
    "rates": (engine.RATES, engine.ON_CONSTRAINTS),
    "settle": (engine.SETTLE,),
    "matrix": (engine.LINEARISE,),
    "factor": (engine.FACTOR,),
    "solve": (engine.SOLVE,),
    "record": (engine.RECORD, engine.WATCH),
    "norm": (engine.NORM,),
}
MEASURED = [place for group in COLUMNS.values() for place in group]
LIMIT = 0.15
REPEATS = 12
Model = tm.PlanarModel | tm.SpatialModel


def bushings() -> tm.SpatialModel:
    return stiff.bushing_chain(5)


def chain() -> tm.SpatialModel:
    return spatial_models.chain(10)


# machine, duration [s], tolerance, step of methods without error control [s]
MACHINES: dict[str, tuple[Callable[[], Model], float, float, float]] = {
    "andrews": (dynamic_models.andrews, 0.03, 1e-7, 1e-5),
    "bricard": (spatial_models.bricard, 2.0, 1e-7, 1e-3),
    "chain10": (chain, 1.0, 1e-7, 1e-3),
    "bushings5": (bushings, 0.02, 1e-6, 2e-5),
}


@intrinsic
def ticks(context: Any) -> Any:
    """The processor's clock."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=kind), [])

    return types.int64(), generate


@njit
def now() -> int:
    return ticks()  # type: ignore[no-any-return]


# parts of steps that evaluate the model, by family, with the routine that they stand for; then what is compiled around them
INSIDE: dict[str, tuple[dict[str, int], tuple[str, ...]]] = {
    "index3": (
        {"what_is_left": engine.RATES, "make_matrix": engine.FACTOR, "band_solve": engine.SOLVE},
        ("solve_step", "implicit_step"),
    ),
    "rattle": (
        dict.fromkeys(
            (
                "forces_at",
                "fly",
                "weigh_by_mass",
                "factor",
                "run_elements",
                "row_residuals",
                "apply_inverse_mass",
                "load_state",
            ),
            engine.RATES,
        )
        | dict.fromkeys(("solve_factored", "add_scaled", "add_transposed"), engine.SOLVE),
        ("onto_positions", "kick_at_end"),
    ),
}


class Watch:
    """Clocks around the routines of the equations; calls inside of calls count for the outer one."""

    def __init__(self) -> None:
        self.routines = np.zeros(engine.TABLE_SIZE, dtype=np.int64)
        self.spent = np.zeros(engine.TABLE_SIZE)
        self.calls = np.zeros(engine.TABLE_SIZE)
        self.inside = np.zeros(1)
        self.total = 0.0
        self.seconds = 0.0
        self.timed = {place: self._around(place) for place in MEASURED}
        self.anew: dict[int, Any] = {}
        self.cost = self._cost()

    def _cost(self) -> float:
        """Ticks that one measured call adds outside of what it measures."""

        @cfunc(ROUTINE_SIGNATURE)
        def nothing(E, t, h, a, b, c):  # type: ignore[no-untyped-def]
            return 0.0

        @njit
        def calls(count, address, E, x):  # type: ignore[no-untyped-def]
            began = ticks()
            for _ in range(count):
                call_routine(address, E, 0.0, 0.0, x, x, x)
            return ticks() - began

        place, E, x, count = MEASURED[0], np.zeros(engine.TABLE_SIZE, dtype=np.int64), np.zeros(1), 100_000
        self.routines[place] = nothing.address
        least = math.inf
        for _ in range(20):
            self.clear()
            whole = calls(count, self.timed[place].address, E, x)
            least = min(least, (whole - self.spent[place]) / count)
        self.clear()
        return least

    def _around(self, place: int) -> Any:
        routines, inside = address_of(self.routines), address_of(self.inside)
        spent, calls = address_of(self.spent), address_of(self.calls)

        @cfunc(ROUTINE_SIGNATURE)
        def timed(E, t, h, a, b, c):  # type: ignore[no-untyped-def]
            address = ints_at(routines)[place]
            if floats_at(inside)[0] != 0.0:
                return call_routine(address, E, t, h, a, b, c)
            floats_at(inside)[0] = 1.0
            began = ticks()
            out = call_routine(address, E, t, h, a, b, c)
            floats_at(spent)[place] += ticks() - began
            floats_at(calls)[place] += 1.0
            floats_at(inside)[0] = 0.0
            return out

        return timed

    def _inside(self, part: Any, place: int) -> Any:
        inside, spent, calls = address_of(self.inside), address_of(self.spent), address_of(self.calls)

        @njit(error_model="numpy")
        def timed(*arguments):  # type: ignore[no-untyped-def]
            outer = floats_at(inside)[0]
            floats_at(inside)[0] = 1.0
            began = ticks()
            out = part(*arguments)
            if outer == 0.0:
                floats_at(spent)[place] += ticks() - began
                floats_at(calls)[place] += 1.0
                floats_at(inside)[0] = 0.0
            return out

        return timed

    def compile_anew(self, family: str) -> None:
        """Steps of a method that knows the equations, with clocks inside."""
        module = importlib.import_module(f"pytrammel.kernels.methods.{family}")
        routine = getattr(module, f"{family}_attempt")
        if routine.address() in self.anew:
            return
        parts, around = INSIDE[family]
        kept = {name: getattr(module, name) for name in (*parts, *around)}
        for name, place in parts.items():
            setattr(module, name, self._inside(kept[name], place))
        for name in around:
            setattr(module, name, njit(error_model="numpy")(kept[name].py_func))
        self.anew[routine.address()] = cfunc(ROUTINE_SIGNATURE, error_model="numpy")(routine.python)
        for name, each in kept.items():
            setattr(module, name, each)

    def clear(self) -> None:
        self.spent[:] = 0.0
        self.calls[:] = 0.0
        self.total = self.seconds = 0.0

    def run(self, E: Any, *rest: Any) -> Any:
        """In the place of `integration_run`."""
        table = E.copy()
        for place, timed in self.timed.items():
            if E[place] != 0:
                self.routines[place] = E[place]
                table[place] = timed.address
        if E[engine.UNTREATED] == E[engine.RATES]:  # the run changes between the two
            table[engine.UNTREATED] = table[engine.RATES]
        attempt = self.anew.get(int(E[engine.ATTEMPT]))
        if attempt is not None:
            table[engine.ATTEMPT] = attempt.address
        counted = self.calls.sum()
        clock, began = time.perf_counter(), now()
        out = untimed_run(table, *rest)
        self.total += now() - began - self.cost * (self.calls.sum() - counted)
        self.seconds += time.perf_counter() - clock
        return out


untimed_run = run.integration_run


def measure(machine: str, names: list[str], formulation: str, watch: Watch) -> list[tuple[float, str]]:
    build, duration, rtol, step = MACHINES[machine]
    model = build()
    print(f"\n{machine}, {formulation}: percent of the run, and calls per step")
    print(
        f"{'method':17s} {'steps':>6s} {'us/step':>8s} "
        + "".join(f"{name:>8s}" for name in COLUMNS)
        + f"   other outside (aim {100 * LIMIT:g})"
    )
    found = []
    for name in names:
        method = methods[name]
        if method.back_end is not None:
            continue
        options = {"method": method(step=step)} if method.fixed else {"method": name, "rtol": rtol, "atol": 0.01 * rtol}
        if method.family in INSIDE:
            watch.compile_anew(method.family)
        least, spent = math.inf, 0.0
        try:
            for _ in range(REPEATS):  # the first one compiles
                watch.clear()
                result = model.simulate(duration, samples=11, formulation=formulation, progress=False, **options)
                if watch.total < least:
                    least, spent = watch.total, watch.seconds
                    share = [sum(watch.spent[list(group)]) / watch.total for group in COLUMNS.values()]
        except tm.TrammelError as reason:
            print(f"{name:17s} refused or stopped: {str(reason)[:100]}")
            continue
        other = 1.0 - sum(share)
        outside = other + share[-1]
        steps = result.dynamics.statistics.steps
        spent *= 1e6 / steps
        calls = [sum(watch.calls[list(group)]) / steps for group in COLUMNS.values()]
        mark = " <--" if outside > LIMIT else ""
        print(
            f"{name:17s} {steps:6d} {spent:8.1f} "
            + "".join(f"{100 * s:8.1f}" for s in share)
            + f"{100 * other:8.1f}{100 * outside:8.1f}{mark}"
        )
        print(f"{'':33s} " + "".join(f"{c:8.2f}" for c in calls), flush=True)
        found.append((outside, name))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chosen", nargs="*", help="machines and methods")
    parser.add_argument("--formulation", default="cartesian", help="coordinates of the equations")
    asked = parser.parse_args()
    chosen = asked.chosen
    machines = [name for name in chosen if name in MACHINES] or list(MACHINES)
    names = [name for name in chosen if name not in MACHINES] or list(methods)
    watch = Watch()
    run.integration_run = watch.run
    found = [
        (share, f"{method} on {machine}")
        for machine in machines
        for share, method in measure(machine, names, asked.formulation, watch)
    ]
    beyond = sorted((f for f in found if f[0] > LIMIT), reverse=True)
    print(f"\n{len(found)} runs, {len(beyond)} spend more than {100 * LIMIT:g} % outside the equations")
    for share, what in beyond:
        print(f"  {100 * share:5.1f} %  {what}")


if __name__ == "__main__":
    main()
