"""Why a kinematic run stopped, and where it passed through singular positions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ConvergenceError, SingularError, TrammelError
from trammel.kernels import layout as L
from trammel.kernels.kinematics import CURSOR_SIZE, CURSOR_SPAN, CURSOR_STARTED, CURSOR_TIME, NOTE_ANGLE, NOTE_BRIDGED
from trammel.results.result import Passage

if TYPE_CHECKING:
    from trammel.analysis.kinematics import _Run

NOTABLE = 0.2  # singularity measure below which a dip is looked at more closely
SINGULAR = 1e-3  # measure at the bottom of a dip that counts as passing through a singular position


def stop_error(run: _Run, status: int, where: float, wanted: float) -> TrammelError:
    """The sentence for a run that stopped between two instants."""
    model = run.model
    drivers = [c for c in model.constraints.values() if c.is_driver]
    values = ", ".join(
        f"{c.measures['value']} = {_value(c.parameters['motion'].evaluate({'t': where}), c.measures['value'].unit)}"
        for c in drivers
    )
    place = f"at t = {where:.6g} s" + (f" ({values})" if values else "")
    error: TrammelError
    if status == L.NOT_FINITE:
        error = ConvergenceError(
            f"a constraint or driver gives a value that is not a number between t = {where:.6g} s and {wanted:.6g} s; check the "
            "formulas and the range of the tables."
        )
    elif run.cursor[CURSOR_STARTED] == 0.0:
        error = SingularError(
            f"{place} model {model.name!r} is in a singular position (a change point or dead point), where the drivers do not "
            "determine its motion. Start the run elsewhere, or drive another coordinate."
        )
    else:
        fast = int(np.argmax(np.abs(run.at[1]) / run.system.column_scales()))
        error = SingularError(
            f"the motion ends {place}: the mechanism reaches a dead point there and cannot follow its drivers any further "
            f"({run.system.columns[fast]} would have to move infinitely fast). Stop before, turn the driver round, or drive another "
            f"coordinate. {run.done} of {run.instants.size} instants were computed (error.partial)."
        )
    error.partial = run.result()
    return error


def _value(value: float, unit: str) -> str:
    return f"{math.degrees(value):.4f}°" if unit == "rad" else f"{value:.6g} {unit}"


def passages(run: _Run) -> list[Passage]:
    """Singular positions passed on the way: dips of the singularity measure, followed to their bottom."""
    out: list[Passage] = []
    for first, last, pattern in run.segments:
        angle = run.notes[first:last, NOTE_ANGLE]
        times = run.instants[first:last]
        bridged = run.notes[first:last, NOTE_BRIDGED] > 0.0
        if angle.size < 3:
            continue
        dip = np.zeros(angle.size, dtype=bool)
        dip[1:-1] = (angle[1:-1] <= angle[:-2]) & (angle[1:-1] < angle[2:]) & (angle[1:-1] < NOTABLE)
        dip[-1] = angle[-1] < min(angle[-2], NOTABLE)
        for k in np.flatnonzero(dip | bridged):
            before, after = max(0, int(k) - 1), min(angle.size - 1, int(k) + 1)
            low, high = float(times[before]), float(times[after])
            time, value = _bottom(run, pattern, first + before, low, high)
            if bridged[k]:
                value = min(value, SINGULAR)
            if value <= SINGULAR and not any(abs(time - p.time) <= 1.01 * (high - low) for p in out):
                kind = "end" if k == angle.size - 1 and not bridged[k] else "change point"
                out.append(Passage(time, value, kind, bool(bridged[k])))
    return out


def _bottom(run: _Run, pattern: NDArray[np.int64], index: int, low: float, high: float) -> tuple[float, float]:
    """Golden-section search for the smallest singularity measure between two instants."""
    saved = run.pattern
    run.pattern = pattern

    def measure(t: float) -> float:
        cursor = np.zeros(CURSOR_SIZE)
        cursor[CURSOR_TIME] = low
        cursor[CURSOR_STARTED] = 1.0
        cursor[CURSOR_SPAN] = run.cursor[CURSOR_SPAN]
        at = np.stack([run.Q[index], run.V[index], run.A[index]])
        status, *_, note = run.solve_at(t, cursor, at)
        return float(note[NOTE_ANGLE]) if status == L.OK and note[NOTE_BRIDGED] == 0.0 else 0.0

    try:
        golden = 0.5 * (math.sqrt(5.0) - 1.0)
        a, b = low, high
        c, d = b - golden * (b - a), a + golden * (b - a)
        fc, fd = measure(c), measure(d)
        for _ in range(40):
            if fc <= fd:
                b, d, fd = d, c, fc
                c = b - golden * (b - a)
                fc = measure(c)
            else:
                a, c, fc = c, d, fd
                d = a + golden * (b - a)
                fd = measure(d)
        best, value = (c, fc) if fc <= fd else (d, fd)
        if value <= SINGULAR:
            # the measure is |s(t)| with s smooth through zero: its root from four clean points around the bottom
            width = 0.05 * (high - low)
            for _ in range(3):
                t = best + width * np.array([-2.0, -1.0, 1.0, 2.0])
                s = np.array([-1.0, -1.0, 1.0, 1.0]) * np.array([measure(float(x)) for x in t])
                if not (np.abs(s) > 0.0).all():
                    break
                best = _root_between(t, s)
                width *= 0.3
        return best, value
    finally:
        run.pattern = saved


def _root_between(t: NDArray[np.float64], s: NDArray[np.float64]) -> float:
    """Zero of the cubic through four points, by interpolating t as a function of s (Lagrange)."""
    total = 0.0
    for i in range(t.size):
        weight = 1.0
        for j in range(t.size):
            if j != i:
                weight *= -s[j] / (s[i] - s[j])
        total += weight * t[i]
    return float(total)
