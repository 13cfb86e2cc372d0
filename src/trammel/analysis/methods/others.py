"""Solvers of SciPy and SUNDIALS on our equations, as referees.

They know no events, and constraints are put right at output times only. Rates are called from Python, so that steps, not seconds, are
what can be compared.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from trammel.analysis.methods import Array, BackEnd, Method, register
from trammel.errors import ModelError
from trammel.kernels import engine as seam
from trammel.kernels import jit
from trammel.kernels import run as rk

UNWATCHED = 1e30  # allowed error of what follows from the others


@dataclass
class Problem:
    """Equations in an engine's table, as functions of Python.

    Attributes:
        entries: The table.
        size, active: Entries of the integrated vector, and how many of them the rates depend on.
    """

    entries: Any
    size: int
    active: int

    def call(self, which: int, t: float, *vectors: Array) -> float:
        """Call a routine of the equations."""
        given = [*vectors, vectors[-1], vectors[-1]][:3]
        if not jit.HAVE_JIT:
            return float(jit.call_routine(self.entries[which], self.entries, t, 0.0, *given))
        number, place = ctypes.c_double, ctypes.c_void_p
        function = ctypes.CFUNCTYPE(number, place, number, number, place, place, place)(int(self.entries[which]))
        return float(function(self.entries.ctypes.data, t, 0.0, *(vector.ctypes.data for vector in given)))

    def rates(self, t: float, y: Array) -> Array:
        """Derivative at a state."""
        at, out = np.array(y, dtype=float), np.zeros(self.size)
        if np.isnan(self.call(seam.RATES, float(t), at, out)):
            out[:] = np.nan
        return out

    def keep(self, t: float, y: Array, row: Array) -> None:
        """Bring a state onto the constraints and fill what is kept of it."""
        at = np.array(y, dtype=float)
        self.call(seam.SETTLE, t, at)
        self.call(seam.RECORD, t, at, row)


def allowed(problem: Problem, scales: Array, rtol: float, atol: float) -> Array:
    """Absolute tolerances: of positions and velocities in their scales; works follow."""
    out = np.full(problem.size, UNWATCHED)
    out[: problem.active] = np.where(scales < 1e3, scales * (rtol + atol), UNWATCHED)
    return out


def scipy_steps(
    name: str, problem: Problem, t: float, y: Array, end: float, rtol: float, atol: Array, longest: float
) -> Any:
    """One step after another of a solver of SciPy: time and a function for the states since the last."""
    import scipy.integrate

    solver = getattr(scipy.integrate, name)(problem.rates, t, y, end, rtol=rtol, atol=atol, max_step=longest)
    while solver.status == "running":
        solver.step()
        if solver.status == "failed":
            return
        yield solver.t, solver.dense_output()


def cvode_steps(
    name: str, problem: Problem, t: float, y: Array, end: float, rtol: float, atol: Array, longest: float
) -> Any:
    """One step after another of SUNDIALS' CVODE."""
    from sksundae.cvode import CVODE

    def rates(at: float, state: Array, out: Array) -> None:
        out[:] = problem.rates(at, state)

    solver = CVODE(rates, method=name, rtol=rtol, atol=atol, max_step=longest, max_num_steps=10**6)
    solver.init_step(t, y)
    now = t
    while now < end:
        found = solver.step(end, method="onestep", tstop=end)
        if found.status < 0:
            return
        now = float(found.t)
        yield now, lambda at: np.asarray(solver.step(at).y).reshape(-1)


def back_end(steps: Callable[..., Any], needs: str) -> BackEnd:
    """A run by another solver, from output time to output time."""

    def run(table: Any, options: Array, instants: Array, clock: Array, y: Array, rows: Array, counters: Array) -> Any:
        if importlib.util.find_spec(needs) is None:
            raise ModelError(f"this method needs the package {needs}; install it with: pip install scikit-sundae.")
        entries = table.entries
        problem = Problem(entries, int(entries[seam.SIZE]), int(entries[seam.N_ACTIVE]))
        rtol, atol = float(table.shared[seam.RTOL]), float(table.shared[seam.ATOL])
        done = 0
        while done < instants.size and instants[done] <= clock[0]:
            problem.keep(float(instants[done]), y, rows[done])
            done += 1
        if done == instants.size:
            return done, rk.OK, 0
        tolerances = table.allowed if table.allowed.size else allowed(problem, table.scales, rtol, atol)
        longest = float(options[rk.LARGEST_STEP])
        for now, between in steps(problem, float(clock[0]), y.copy(), float(instants[-1]), rtol, tolerances, longest):
            if counters[rk.N_STEPS] >= options[rk.MAX_STEPS]:
                return done, rk.TOO_MANY_STEPS, 0
            counters[rk.N_STEPS] += 1
            while done < instants.size and instants[done] <= now:
                y[:] = between(float(instants[done]))
                clock[0] = instants[done]
                problem.keep(float(instants[done]), y, rows[done])
                done += 1
        return done, rk.OK if done == instants.size else rk.STEP_TOO_SMALL, 0

    return run


def _other(about: str, order: int, run: BackEnd) -> Method:
    return Method(
        about=about, order=order, family="", fixed=False, numbers=lambda size: (np.zeros(0), []), back_end=run
    )


for solver, order in (("DOP853", 8), ("LSODA", 12), ("Radau", 5), ("BDF", 5)):
    made = back_end(partial(scipy_steps, solver), "scipy")
    register(f"scipy_{solver.lower()}", partial(_other, f"SciPy's {solver}, as a referee: no events.", order, made))
for solver, order in (("Adams", 12), ("BDF", 5)):
    made = back_end(partial(cvode_steps, solver), "sksundae")
    about = f"SUNDIALS' CVODE ({solver}), as a referee: no events; needs the package scikit-sundae."
    register(f"cvode_{solver.lower()}", partial(_other, about, order, made))
