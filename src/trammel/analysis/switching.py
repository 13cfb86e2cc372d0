"""Phases: when to change the set of constraints, and what that does to the motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trammel.kernels import layout as L
from trammel.kernels.kinematics import CURSOR_STARTED, CURSOR_TIME
from trammel.kernels.measures import measures_run
from trammel.model.model import PlanarModel
from trammel.model.phases import Phase, Switch
from trammel.model.quantity import Quantity
from trammel.results.result import SwitchReport
from trammel.system.planar import System, lower_measures

if TYPE_CHECKING:
    from trammel.analysis.kinematics import _Run

BISECTIONS = 60


@dataclass
class Crossing:
    """A switch that is due: when, in which state, and how many instants before it stay."""

    switch: Switch
    time: float
    at: NDArray[np.float64]
    instants_kept: int


class SwitchWatch:
    """Watches the conditions under which the present phase ends."""

    def __init__(self, model: PlanarModel, system: System, phase: str | None) -> None:
        self.switches = [s for s in model.switches.values() if s.leave == phase]
        self.system: System | None = None
        if self.switches:
            quantities = [
                Quantity(
                    "expression", _bodies(model, s), (1.0,), ("1",), s.name, formula=s.when,
                    inputs={name: model.measure(name) for name in sorted(s.when.names - {"t"})},
                )
                for s in self.switches
            ]  # fmt: skip
            self.system = lower_measures(model, quantities)

    def values(self, times: NDArray[np.float64], Q: NDArray[np.float64], V: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self.system is not None
        out, rates, seconds = (np.zeros((times.size, len(self.switches))) for _ in range(3))
        measures_run(self.system.ints, self.system.floats, times, Q, V, np.zeros_like(V), out, rates, seconds)
        return out

    def first_crossing(
        self, run: _Run, before: tuple[NDArray[np.float64], NDArray[np.float64]], begin: int, end: int
    ) -> Crossing | None:
        """First switch that became due between the cursor before a chunk and its end (or where it stopped)."""
        if self.system is None:
            return None
        cursor, at = before
        # the cursor before, the instants, and the place where a failed chunk stopped
        times = [float(cursor[CURSOR_TIME]), *run.instants[begin:end]]
        states = [at[:2], *(np.stack([run.Q[k], run.V[k]]) for k in range(begin, end))]
        if run.cursor[CURSOR_TIME] > times[-1]:
            times.append(float(run.cursor[CURSOR_TIME]))
            states.append(run.at[:2])
        t = np.array(times)
        values = self.values(t, np.array([s[0] for s in states]), np.array([s[1] for s in states]))
        found: tuple[int, int] | None = None
        for k, switch in enumerate(self.switches):
            low, high = values[:-1, k], values[1:, k]
            rising = (low < 0.0) & (high >= 0.0)
            falling = (low > 0.0) & (high <= 0.0)
            hits = rising | falling if switch.direction == 0 else (rising if switch.direction > 0 else falling)
            index = np.flatnonzero(hits)
            if index.size and (found is None or index[0] < found[0]):
                found = (int(index[0]), k)
        if found is None:
            return None
        index_before, k = found
        return self._locate(run, before, t, states, index_before, k, begin)

    def _locate(
        self,
        run: _Run,
        before: tuple[NDArray[np.float64], NDArray[np.float64]],
        times: NDArray[np.float64],
        states: list[NDArray[np.float64]],
        index: int,
        k: int,
        begin: int,
    ) -> Crossing:
        """Bisect for the zero, following the motion anew from the last instant before it."""
        # start from the state at the left end of the bracket
        cursor, at = before[0].copy(), before[1].copy()
        if index > 0:
            last = begin + index - 1
            cursor[CURSOR_TIME], cursor[CURSOR_STARTED] = times[index], 1.0
            at = np.stack([run.Q[last], run.V[last], run.A[last]])
        low, high = float(times[index]), float(times[index + 1])
        low_value = float(self.values(np.array([low]), at[:1].copy(), at[1:2].copy())[0, k])
        best_time, best_at = low, at.copy()
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            trial_cursor, trial_at = cursor.copy(), at.copy()
            status, *_ = run.solve_at(middle, trial_cursor, trial_at)
            value = float(self.values(np.array([middle]), trial_at[:1].copy(), trial_at[1:2].copy())[0, k])
            if status == L.OK and value * low_value > 0.0:
                low, best_time, best_at = middle, middle, trial_at.copy()
                cursor, at = trial_cursor, trial_at
            else:
                high = middle
        kept = begin + int(np.searchsorted(run.instants[begin:], best_time, side="right"))
        kept = min(kept, begin + index)
        return Crossing(self.switches[k], best_time, best_at, kept)


def _bodies(model: PlanarModel, switch: Switch) -> tuple[str, ...]:
    names = sorted(switch.when.names - {"t"})
    return tuple(dict.fromkeys(b for name in names for b in model.measure(name).bodies))


def hold_targets(
    system: System, floats: NDArray[np.float64], phase: Phase, q: NDArray[np.float64], time: float
) -> NDArray[np.float64]:
    """Copy of the float buffer in which the held rows of a phase keep their present value."""
    from trammel.analysis.assembly import residuals

    out = floats.copy()
    rows = system.rows_of(phase.hold)
    if rows:
        # residual = value - own target, so this target makes the residual zero here
        targets = system.targets(out)
        targets[rows] = system.targets(system.floats)[rows] + residuals(system, q, time)[rows]
    return out


def switch_report(
    system: System,
    switch: Switch,
    time: float,
    before: NDArray[np.float64],
    v: NDArray[np.float64],
    a: NDArray[np.float64],
    gap: float,
) -> SwitchReport:
    jump_v = np.abs(v - before[1])
    jump_a = np.abs(a - before[2])
    k = int(np.argmax(jump_v / system.column_scales()))
    return SwitchReport(
        switch.name, time, switch.leave, switch.enter, gap, system.columns[k], float(jump_v[k]), float(jump_a.max())
    )
