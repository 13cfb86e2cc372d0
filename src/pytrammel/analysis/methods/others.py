"""Solvers of SciPy and SUNDIALS on our equations, as referees.

They have no events, and constraints are put right at output times only. Rates are called from Python, so that steps, not seconds, are
comparable. Their error control covers the motion: works are integrated along their interpolants. In a step with a singular position a
run gives way to our own method, as it does with our own methods that cannot pass one.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pytrammel.analysis.methods import Array, BackEnd, Method, register
from pytrammel.errors import ModelError
from pytrammel.kernels import engine as seam
from pytrammel.kernels import jit, passing, step_control, works
from pytrammel.kernels import run as rk

Between = Callable[[float], Array]
LOOKS = 32  # parts of a step at whose ends the singularity measure is evaluated: its dips are narrow
NARROW = 1e-6  # width at which the search of a dip ends, relative to the step
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

    def call(self, which: int, t: float, *vectors: Array, h: float = 0.0) -> float:
        """Call a routine of the equations."""
        given = [*vectors, vectors[-1], vectors[-1]][:3]
        if not jit.HAVE_JIT:
            return float(jit.call_routine(self.entries[which], self.entries, t, h, *given))
        number, place = ctypes.c_double, ctypes.c_void_p
        function = ctypes.CFUNCTYPE(number, place, number, number, place, place, place)(int(self.entries[which]))
        return float(function(self.entries.ctypes.data, t, h, *(vector.ctypes.data for vector in given)))

    def rates(self, t: float, y: Array) -> Array:
        """Derivative at a state."""
        at, out = np.array(y, dtype=float), np.zeros(self.size)
        if np.isnan(self.call(seam.RATES, float(t), at, out)):
            out[:] = np.nan
        return out

    def measure(self, t: float, y: Array) -> float:
        """Singularity measure at a state."""
        return self.call(seam.RATES, float(t), np.array(y, dtype=float), np.zeros(self.size))

    def allowed_work(self, t: float, y: Array, rtol: float) -> float:
        """Error of a work that the tolerance allows [J], from the energy of a state."""
        error = np.zeros(self.size)
        error[self.active] = 1.0
        at = np.array(y, dtype=float)
        norm = self.call(seam.NORM, t, at, at.copy(), error, h=seam.WORKS)
        return max(1.0 / norm if norm > 0.0 else 0.0, rtol * float(np.abs(y[self.active :]).sum()))

    def add_works(self, between: Between, left: float, right: float, allowed: float, done: Array) -> None:
        """Add the works from one time to another to `done`: powers along the interpolant, on parts as short as they need."""
        ends, parts = [right], 0
        while ends:
            arm, middle = 0.5 * (ends[-1] - left), 0.5 * (ends[-1] + left)
            times = middle + arm * works.NODES
            powers = np.array([self.rates(t, between(t))[self.active :] for t in times])
            fine, coarse = arm * works.WEIGHTS @ powers, arm * works.GAUSS @ powers
            parts += 1
            if (
                np.abs(fine - coarse).max(initial=0.0) > allowed
                and len(ends) <= works.DEEPEST
                and parts < works.MOST_PARTS
            ):
                ends.append(middle)
                continue
            done += fine
            left = ends.pop()

    def dip(
        self, between: Between, left: float, right: float, instants: Array, largest: float
    ) -> tuple[float, float, float]:
        """Time of the smallest singularity measure in a step, its value there, and the largest one."""
        inside = instants[(instants > left) & (instants < right)]
        times = np.sort(np.concatenate([np.linspace(left, right, LOOKS + 1), inside]))
        found = np.nan_to_num([self.measure(t, between(t)) for t in times])  # without rates in the position itself
        largest = max(largest, float(found.max()))
        k = int(np.argmin(found))
        best, least = float(times[k]), float(found[k])
        if 0 < k < times.size - 1:
            width = (right - left) / LOOKS
            while least > passing.SINGULAR * largest and width > NARROW * (right - left):
                width *= 0.5
                for t in (best - width, best + width):
                    value = self.measure(t, between(t))
                    if value < least:
                        best, least = t, value
        return best, least, largest

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

    def run(
        table: Any, options: Array, instants: Array, clock: Array, y: Array, rows: Array, counters: Array,
        control: Array | None = None,
    ) -> Any:  # fmt: skip
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
        longest, before = float(options[rk.LARGEST_STEP]), float(clock[0])
        gives_way = control is not None and entries[seam.CROSSING] == passing.GIVES_WAY
        total = y[problem.active :].copy()
        for now, between in steps(problem, before, y.copy(), float(instants[-1]), rtol, tolerances, longest):
            if counters[rk.N_STEPS] >= options[rk.MAX_STEPS]:
                return done, rk.TOO_MANY_STEPS, 0
            if control is not None and gives_way:
                bottom, least, control[step_control.REFERENCE] = problem.dip(
                    between, before, now, instants[done:], float(control[step_control.REFERENCE])
                )
                if least < step_control.CLOSE * control[step_control.REFERENCE]:
                    y[:] = between(before)
                    y[problem.active :] = total
                    clock[0], control[step_control.AHEAD] = before, bottom
                    return done, rk.CLOSE_BY, 0
            counters[rk.N_STEPS] += 1
            enough = works.SHARE * problem.allowed_work(now, between(now), rtol) if total.size else 0.0
            while done < instants.size and instants[done] <= now:
                problem.add_works(between, before, float(instants[done]), enough, total)
                before = float(instants[done])
                y[:] = between(before)
                y[problem.active :] = total
                clock[0] = before
                problem.keep(before, y, rows[done])
                done += 1
            if before < now:
                problem.add_works(between, before, now, enough, total)
            before = now
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
