"""Phases: when to change the set of constraints, and what that does to the motion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.events.impulses import SAME_SPEED
from pytrammel.kernels import layout as L
from pytrammel.kernels.kinematics import CURSOR_SPAN, CURSOR_STARTED, CURSOR_TIME
from pytrammel.kernels.measures import measures_run
from pytrammel.model.base import Model
from pytrammel.model.phases import Phase, Switch
from pytrammel.model.quantities.measures import measured_formula
from pytrammel.results.events import SwitchReport
from pytrammel.system.lowering import System, lower_measures
from pytrammel.system.positions import as_row

if TYPE_CHECKING:
    from pytrammel.analysis.driven.kinematics import Run

BISECTIONS = 60
WATCHED_MOVE = 0.05  # the fastest coordinate moves this many scales (radians) between two looks at the conditions
LEAST_LOOKS = 200  # over the whole run, even if nothing moves


@dataclass
class Crossing:
    """A switch that is due: when, and in which state."""

    switch: Switch
    time: float
    at: NDArray[np.float64]


@dataclass
class Track:
    """A piece of motion: times and the rows of q, v, a there."""

    times: NDArray[np.float64]
    Q: NDArray[np.float64]
    V: NDArray[np.float64]
    A: NDArray[np.float64]


class SwitchWatch:
    """Watches the conditions under which the present phase ends."""

    def __init__(self, model: Model, system: System, phase: str | None) -> None:
        self.switches = [s for s in model.switches.values() if s.leave == phase]
        self.system: System | None = None
        if self.switches:
            quantities = [measured_formula(model, s.name, s.when) for s in self.switches]
            self.system = lower_measures(model, quantities)

    def values(self, times: NDArray[np.float64], Q: NDArray[np.float64], V: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self.system is not None
        out, rates, seconds = (np.zeros((times.size, len(self.switches))) for _ in range(3))
        measures_run(self.system.ints, self.system.floats, times, Q, V, np.zeros_like(V), out, rates, seconds)
        return out

    def grid(self, run: Run, most: int) -> NDArray[np.float64]:
        """Next times together with times between them, close enough that no condition passes zero twice unseen."""
        now, last = float(run.cursor[CURSOR_TIME]), float(run.instants[-1])
        ahead = run.instants[run.done :]
        if run.cursor[CURSOR_STARTED] == 0.0:
            return ahead[:1]
        scales = run.system.column_scales()
        speed = float(np.abs(run.at[1, : scales.size] / scales).max())
        acceleration = float(np.abs(run.at[2, : scales.size] / scales).max())
        stride = run.cursor[CURSOR_SPAN] / LEAST_LOOKS
        stride = min(
            stride, WATCHED_MOVE / max(speed, 1e-300), math.sqrt(2.0 * WATCHED_MOVE / max(acceleration, 1e-300))
        )
        between = now + stride * np.arange(1, most + 1)
        end = min(last, float(between[-1]))
        return np.unique(np.concatenate([between[between < end], ahead[ahead <= end], [end]]))

    def first_crossing(
        self, run: Run, before: tuple[NDArray[np.float64], NDArray[np.float64]], track: Track
    ) -> Crossing | None:
        """First switch that became due between the cursor before a chunk and its end (or where it stopped)."""
        cursor, at = before
        times, states = [float(cursor[CURSOR_TIME])], [at]
        times += [float(t) for t in track.times]
        states += [
            np.stack([track.Q[k], as_row(run.system, track.V[k]), as_row(run.system, track.A[k])])
            for k in range(track.times.size)
        ]
        if run.cursor[CURSOR_TIME] > times[-1]:  # a failed chunk got this far beyond its last time
            times.append(float(run.cursor[CURSOR_TIME]))
            states.append(run.at)
        values = self.values(np.array(times), np.array([s[0] for s in states]), np.array([s[1] for s in states]))
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
        last, due = found
        start = cursor.copy()
        start[CURSOR_TIME], start[CURSOR_STARTED] = times[last], 1.0
        return self._locate(run, start, states[last].copy(), times[last + 1], due)

    def _locate(self, run: Run, cursor: NDArray[np.float64], at: NDArray[np.float64], high: float, k: int) -> Crossing:
        """Bisect for the zero, following the motion anew from the last state before it."""
        low = float(cursor[CURSOR_TIME])
        low_value = float(self.values(np.array([low]), at[:1].copy(), at[1:2].copy())[0, k])
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            trial_cursor, trial_at = cursor.copy(), at.copy()
            status, *_ = run.solve_at(middle, trial_cursor, trial_at)
            value = float(self.values(np.array([middle]), trial_at[:1].copy(), trial_at[1:2].copy())[0, k])
            if status == L.OK and value * low_value > 0.0:
                low, cursor, at = middle, trial_cursor, trial_at
            else:
                high = middle
        return Crossing(self.switches[k], low, at)


def rows_not_held(system: System, rows: Sequence[int], phase: Phase) -> list[int]:
    """Those of some rows that a phase does not take as it finds them."""
    return [k for k in rows if system.rows[k].owner not in phase.hold]


def hold_targets(
    system: System, floats: NDArray[np.float64], phase: Phase, q: NDArray[np.float64], time: float
) -> NDArray[np.float64]:
    """Copy of the float buffer in which the held equations of a phase keep their present value; others get their own target back."""
    from pytrammel.analysis.positions.assembly import residuals

    out = floats.copy()
    targets = system.targets(out)
    once = system.rows_of(name for other in system.model.phases.values() for name in other.hold)
    targets[once] = system.targets(system.floats)[once]
    rows = system.rows_of(phase.hold)
    if rows:
        # residual = value - own target, so this target makes the residual zero here
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
    jump_v = np.abs(v - before[1, : v.size])
    jump_a = np.abs(a - before[2, : a.size])
    k = int(np.argmax(jump_v / system.column_scales()))
    scales = system.column_scales()
    # both sides are solved to rounding, magnified by how well the position determines the velocities
    speeds = max(float(np.abs(x / scales).max(initial=0.0)) for x in (v, before[1, : v.size]))
    of, size = system.columns[k], float(jump_v[k])
    if size / scales[k] <= SAME_SPEED * speeds:
        of, size = "", 0.0
    return SwitchReport(switch.name, time, switch.leave, switch.enter, gap, of, size, float(jump_a.max()))
