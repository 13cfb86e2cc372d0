"""Which method makes the steps: the one asked for, or, for methods that change, the one that gets on with less work.

An explicit method notices when its steps stand at the limit of stability, or outlast what fades away: then the motion is stiff.
Whether an implicit method does better is measured: evaluations per simulated second, a matrix counted as so many of them. Counts, not
seconds, so that runs repeat. The default method changes only where much is left to do: a first implicit run waits for the compiler.
"""

from __future__ import annotations

from typing import Protocol

from pytrammel.analysis.methods import Array, Method, method_named
from pytrammel.kernels import engine as seam
from pytrammel.kernels import run as rk
from pytrammel.results.forces.dynamics import MethodUse

ENOUGH = 25  # stiff steps, before another method is tried
MATRIX = 12.0  # evaluations that a matrix and its factors cost
TRIAL = 40  # steps of an implicit method, before it is judged
WORTH = 0.8  # share of the explicit method's work below which the implicit one stays
LOOK_BACK = 1000  # implicit steps, before the explicit method is tried again
PROBE = 20  # steps of such a try
ALWAYS = 1 << 30


class Running(Protocol):
    """A run whose method may change."""

    clock: Array
    counters: Array
    instants: Array
    y: Array

    @property
    def evaluations(self) -> float:
        """Evaluations of the equations so far."""


class Choice:
    """The method in use, and when it changed.

    Attributes:
        uses: Methods that the run used.
        patience: Steps after which the choice wants to look.
        stiff_steps: Stiff ones, of those that a method has counted, after which it wants to look before; 0 for any number.
    """

    def __init__(self, method: Method) -> None:
        self.method = self._first = method
        self._other = method_named(method.stiff) if method.stiff else None
        self.uses: list[MethodUse] = []
        self.patience = ALWAYS
        self._needed = ENOUGH
        self.stiff_steps = self._needed if self._other else 0
        self._look_back = LOOK_BACK
        self._explicit_work = 0.0
        self._since = (0.0, 0.0, 0)

    def begin(self, run: Running) -> Method:
        """The method for a piece of motion; behind an event the explicit one is tried first."""
        if not self.uses:
            self.uses.append(MethodUse(float(run.clock[0]), self._name(self._first), self._beginning()))
        elif self.method is not self._first:
            self._change(run, self._first, "an event happened")
        self._since = self._state(run, 0.0)
        return self.method

    def go_on(self, run: Running, why: str) -> None:
        """Take the first method again, for a reason."""
        self._change(run, self._first, why)

    def _beginning(self) -> str:
        return "runs begin with it" if self._first.worth_changing else "it was asked for"

    def _name(self, method: Method) -> str:
        return "dop853" if method.stiff else method.name

    def look(self, run: Running, numbers: Array) -> Method | None:
        """After some steps: another method to go on with, or None."""
        if self._other is None:
            return None
        time, work, steps = self._state(run, float(numbers[seam.LINEARISED]))
        passed, spent, taken = time - self._since[0], work - self._since[1], steps - self._since[2]
        per_second = spent / passed if passed > 0.0 else 0.0
        if self.method is self._first:
            if numbers[seam.STIFF_STEPS] < self._needed:
                self.patience, self.stiff_steps = ALWAYS, self._needed
                return None
            if taken > 5 * PROBE:  # what was long ago says little about the work now: that of a few steps more counts
                self._since = (time, work, steps)
                self.patience, self.stiff_steps = PROBE, 0
                return None
            if (float(run.instants[-1]) - time) * per_second * run.y.size < self._first.worth_changing:
                self._needed *= 4  # it will soon be over, or gets slower yet
                self.patience, self.stiff_steps = ALWAYS, self._needed
                return None
            self._explicit_work = per_second
            why = f"steps of {passed / max(1, taken):.2g} s were held short by what is stiff, not by the motion"
            return self._change(run, self._other, why)
        if taken >= TRIAL and per_second > WORTH * self._explicit_work:
            self._needed *= 4  # not so soon again
            return self._change(run, self._first, "its steps got on no better")
        if taken >= self._look_back:
            self._look_back *= 2
            self._needed = PROBE // 2
            return self._change(run, self._first, "the motion may be stiff no more")
        return None

    def _change(self, run: Running, method: Method, why: str) -> Method:
        self.method = method
        self.patience, self.stiff_steps = (TRIAL, 0) if method.implicit else (ALWAYS, self._needed)
        self.uses.append(MethodUse(float(run.clock[0]), self._name(method), why))
        self._since = self._state(run, 0.0)
        return method

    @staticmethod
    def _state(run: Running, matrices: float) -> tuple[float, float, int]:
        """Time, work done and steps taken so far."""
        work = run.evaluations + MATRIX * matrices
        return float(run.clock[0]), work, int(run.counters[rk.N_STEPS])
