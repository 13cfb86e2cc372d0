"""Why a kinematic run stopped, and where it passed through singular positions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import in_degrees
from pytrammel.analysis.events.breaks import jump_between
from pytrammel.analysis.events.curve_ends import leaving_sentence, nearest_end
from pytrammel.analysis.freedom.rank import best_rows_at, measure_of
from pytrammel.errors import ConvergenceError, ModelError, SingularError, TrammelError
from pytrammel.kernels import layout as L
from pytrammel.kernels.instant import NOTE_ANGLE, NOTE_BRIDGED
from pytrammel.kernels.kinematics import CURSOR_SIZE, CURSOR_SPAN, CURSOR_STARTED, CURSOR_TIME, LAST_ANGLE
from pytrammel.results.events import Singularity
from pytrammel.system.positions import as_row

if TYPE_CHECKING:
    from pytrammel.analysis.driven.kinematics import Run

SINGULAR = 1e-3  # measure at the bottom of a dip that counts as passing through a singular position
SAME = 1e-6  # relative: measures this close differ by rounding only
# distances from the bottom of a dip, in widths of the dip, at which other rows are looked at
ASIDE = (0.02, 0.05, 0.1, 0.2, 0.5)
STEADY = 0.6  # share of its value at four times the distance that a measure keeps near a regular position; near a singular one 0.25
MANY = 200  # dips of a segment above which neighbours are joined
CREEPING = 10.0  # gap between dips that are joined, in widths of a dip


def stop_error(run: Run, status: int, where: float, wanted: float) -> TrammelError:
    """The sentence for a run that stopped between two times."""
    model = run.model
    values = ", ".join(
        f"{driven} = {in_degrees(motion.evaluate({'t': where}), unit)}"
        for constraint in model.constraints.values()
        for driven, (motion, unit) in constraint.motions.items()
    )
    place = f"at t = {where:.6g} s" + (f" ({values})" if values else "")
    error: TrammelError
    jump = jump_between(model, where, wanted)
    if jump is not None:
        error = ModelError(f"{jump} {run.done} of {run.instants.size} instants were computed (error.partial).")
    elif status == L.NOT_FINITE:
        error = ConvergenceError(
            f"a constraint or driver gives a value that is not a number between t = {where:.6g} s and {wanted:.6g} s; check the "
            "formulas and the range of the tables."
        )
    elif status == L.CURVE_END:
        error = SingularError(_left_curve(run, where))
    elif run.cursor[CURSOR_STARTED] == 0.0:
        error = SingularError(
            f"{place} model {model.name!r} is in a singular position (a change point or dead point), where the drivers do not "
            "determine its motion. Start the run elsewhere, or drive another coordinate."
        )
    else:
        scales = run.system.column_scales()
        fast = int(np.argmax(np.abs(run.at[1, : scales.size]) / scales))
        run.dead_point = where
        error = SingularError(
            f"the motion ends {place}: the mechanism reaches a dead point there and cannot follow its drivers any further "
            f"({run.system.columns[fast]} would have to move infinitely fast). Stop before, turn the driver round, or drive another "
            f"coordinate. {run.done} of {run.instants.size} instants were computed (error.partial)."
        )
    error.partial = run.result()
    return error


def _left_curve(run: Run, where: float) -> str:
    """Which pin stands at the end of its curve."""
    found = nearest_end(run.system, run.at[0], run.model.constraints)
    assert found is not None
    extra, u, _ = found
    return f"{leaving_sentence(run.model, extra, u, where)}. {run.done} of {run.instants.size} instants were computed (error.partial)."


def passages(run: Run) -> list[Singularity]:
    """Singular positions that were passed or reached: dips of the singularity measure, followed to their bottom."""
    out: list[Singularity] = []
    for segment, dips in run.segments:
        first, last, pattern = segment.first, segment.last, segment.pattern
        assert pattern is not None
        times = run.instants[first:last]
        if not times.size:
            continue
        probe = _Probe(run, pattern, first)
        before = -math.inf, math.inf  # where the last dip ended, and its bottom
        for low, high in _joined(dips):
            probe.come_near(first + max(0, int(np.searchsorted(times, low, side="right")) - 1), low - (high - low))
            time, value = _bottom(probe, float(low), float(high))
            # a dwell has no single bottom: the next dip ends on the same floor
            same_floor = low <= before[0] and abs(value - before[1]) <= SAME * value
            before = high, value
            if value <= SINGULAR and otherwise_regular(run, probe, time, high - low):
                continue
            if value <= SINGULAR and not (same_floor or any(abs(time - p.time) <= 1e-3 * (high - low) for p in out)):
                inside = (run.instants >= low) & (run.instants <= high) & (run.notes[:, NOTE_BRIDGED] > 0.0)
                out.append(Singularity(time, value, "change point", bool(inside.any())))
        at_end = float(times[-1]), float(run.notes[last - 1, NOTE_ANGLE])
        if at_end[1] < SINGULAR:
            # what is not left again is not passed
            out = [p for p in out if abs(p.time - at_end[0]) > SAME]
            out.append(Singularity(*at_end, "end" if segment is run.segments[-1][0] else "switch", False))
    if run.dead_point is None:
        return out
    # the measure falls towards the dead point: a bottom found there is the dead point itself
    ended = float(run.cursor[CURSOR_TIME])
    near = max(1e-6, 1e-3 * (run.dead_point - float(run.instants[0])))
    out = [p for p in out if p.kind != "end" and p.time < min(ended, run.dead_point) - near]
    return [*out, Singularity(run.dead_point, float(run.cursor[LAST_ANGLE]), "dead point", False)]


def otherwise_regular(run: Run, probe: _Probe, time: float, longest: float) -> bool:
    """Return True if only the rows chosen among redundant ones are dependent at a time, and others are not.

    The measure of the best choice vanishes like the distance from a singular position.
    """
    if not run.redundant:
        return False
    rows, measures = run.rows_in_force(), []
    for share in ASIDE:
        aside = time - share * longest
        found = probe.followed(aside) if aside > probe.time else None
        if found is not None:
            q = found[0][0]
            chosen = best_rows_at(run.system, q, aside, rows, len(run.active), run.system.prescribed)
            measures.append((share, measure_of(run.system, q, aside, [rows[k] for k in chosen])))
    near = measures[0] if measures else (math.inf, 0.0)
    return any(near[1] > STEADY * far for share, far in measures if share >= 4.0 * near[0])


def _joined(dips: NDArray[np.float64]) -> NDArray[np.float64]:
    """Dips of a segment; a motion that creeps along a singular position has thousands side by side, which become one."""
    if len(dips) <= MANY:
        return dips
    apart = dips[1:, 0] - dips[:-1, 1] > CREEPING * (dips[1:, 1] - dips[1:, 0])
    first = np.append(True, apart)
    return np.column_stack([dips[first, 0], dips[np.append(apart, True), 1]])


class _Probe:
    """The singularity measure at any time, followed to from a place known before it."""

    def __init__(self, run: Run, pattern: NDArray[np.int64], first: int) -> None:
        self.run, self.pattern = run, pattern
        self._stand_at(first)

    def _stand_at(self, index: int) -> None:
        run = self.run
        self.time = float(run.instants[index])
        self.at = np.stack([run.Q[index], as_row(run.system, run.V[index]), as_row(run.system, run.A[index])])

    def come_near(self, index: int, time: float) -> None:
        """Go on to a time of the run, then to a time: every part of a long way between times is followed only once."""
        if self.run.instants[index] > self.time:
            self._stand_at(index)
        if time > self.time:
            found = self.followed(time)
            if found is not None:
                self.time, self.at = time, found[0]

    def measure(self, time: float) -> float:
        """Singularity measure [1]; 0 where the position cannot be told from a singular one."""
        found = self.followed(time)
        return found[1] if found is not None else 0.0

    def followed(self, time: float) -> tuple[NDArray[np.float64], float] | None:
        """Rows q, v, a and the measure at a time, None where that lies in a bridge or beyond the motion's end."""
        cursor, at = np.zeros(CURSOR_SIZE), self.at.copy()
        cursor[CURSOR_TIME], cursor[CURSOR_STARTED] = self.time, 1.0
        cursor[CURSOR_SPAN] = self.run.cursor[CURSOR_SPAN]
        saved, self.run.pattern = self.run.pattern, self.pattern
        try:
            status, *_, note = self.run.solve_at(time, cursor, at)
        finally:
            self.run.pattern = saved
        return (at, float(note[NOTE_ANGLE])) if status == L.OK and cursor[CURSOR_TIME] == time else None


def _bottom(probe: _Probe, low: float, high: float) -> tuple[float, float]:
    """Golden-section search for the smallest singularity measure in an interval."""
    measure = probe.measure
    golden = 0.5 * (math.sqrt(5.0) - 1.0)
    a, b = low, high
    c, d = b - golden * (b - a), a + golden * (b - a)
    fc, fd = measure(c), measure(d)
    if max(abs(x - fc) for x in (fd, measure(low), measure(high))) <= SAME * fc:
        return c, math.inf  # nothing moves, so nothing is passed: rounding made the dip
    for _ in range(30):
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
        sharp = _sharpened(probe, best, high - low)
        best = sharp if low <= sharp <= high and measure(sharp) <= value else best
    return best, value


def _sharpened(probe: _Probe, best: float, longest: float) -> float:
    """The measure is |s(t)| with s smooth through zero: its root from four clean points around the bottom."""
    scales = probe.run.system.column_scales()
    speed = float(np.abs(probe.at[1, : scales.size] / scales).max())
    width = min(0.03 / max(speed, 1e-300), 2.0 * longest)  # at rest before the dip there is no speed to go by
    for _ in range(4):
        t = best + width * np.array([-2.0, -1.0, 1.0, 2.0])
        s = np.array([-1.0, -1.0, 1.0, 1.0]) * np.array([probe.measure(float(x)) for x in t])
        if not ((np.abs(s) > 0.0).all() and (np.diff(s) > 0.0).all()):
            break
        best = _root_between(t, s)
        width *= 0.4
    return best


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
