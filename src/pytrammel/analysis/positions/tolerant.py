"""Loops that close within the closure_tolerance of their model: independent equations hold exactly, redundant ones keep a gap.

Rounded data make an overconstrained loop contradict itself by about the rounding. The rows that stick out of each other most are held
exactly, the others stay open. A least-squares compromise would open every joint a little and could not be followed by the equations
of motion, which need equations that hold.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.freedom.rank import COARSEST, dependence, exact_rows, rank_at, rank_within, slack
from pytrammel.analysis.positions.loops import describe_loop, loop_through
from pytrammel.analysis.positions.residuals import residuals
from pytrammel.kernels import layout as L
from pytrammel.kernels.assembly import assemble_run
from pytrammel.results.forces.gaps import ROUNDING, Gap
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import moved

Array = NDArray[np.float64]
TOLERANCE = 1e-11  # residual in units of the model's size; iteration goes on to rounding level
ITERATIONS = 200
NEAR = 3e-3  # residual from which on dependent equations show: ten times this is the coarsest sine of a dependence
MOVED = 0.3  # motion in column scales along which a loop that may have been rounded is tried
ROUNDED = 0.01  # gap in units of the model's size that rounded dimensions explain
PASSES = 12  # choices of rows


def close_within(
    system: System, rows: Sequence[int], time: float, q: Array, report: Array
) -> tuple[int, tuple[int, ...]]:
    """Move q until independent equations hold exactly and the others within the model's tolerance.

    Returns a status and the equations that hold exactly; report as of `assemble_run`.
    """
    allowed, rows, count = slack(system), list(rows), 0
    best = _largest(system, rows, q, time)
    for _ in range(PASSES):
        if best > NEAR:
            count += _approach(system, rows, time, q, max(NEAR, allowed))
            best = _largest(system, rows, q, time)
        if not math.isfinite(best):
            break
        # what is open hides dependences of that size
        here = rank_within(system, q, time, rows, dependence(system, max(allowed, min(best, NEAR))))
        kept = [rows[k] for k in here.independent]
        trial, one = q.copy(), np.zeros(3)
        status = assemble_run(
            system.ints, system.floats, pattern(system, kept), float(time), trial, ITERATIONS, TOLERANCE, one
        )
        count += int(one[0])
        left = _largest(system, rows, trial, time)
        if status == L.OK and left <= max(allowed, TOLERANCE):
            again = exact_rows(system, trial, time, rows)
            q[:] = trial
            if len(again) <= len(kept):
                report[:] = count, left, one[2]
                return L.OK, tuple(kept)
            best = left
            continue
        if status == L.OK and left < 0.5 * best:
            q[:], best = trial, left
            continue
        # rows that are not redundant were left open: nearer with all of them
        before = best
        count += _approach(system, rows, time, q, 0.1 * before)
        best = _largest(system, rows, q, time)
        if not best < 0.9 * before:
            if status == L.OK and left <= NEAR:
                q[:], best = trial, left  # the gap that is too large
            break
    report[:] = count, best, 0.0
    return L.NOT_CONVERGED, tuple(rows)


def gap_left_by(system: System, rows: Sequence[int], time: float, q: Array, tolerances: Sequence[float]) -> float:
    """Largest gap [m] that redundant equations keep with the first of some tolerances within which the loops close; 0 if none does.

    A compromise spreads the gap over all equations. Where the independent ones hold exactly, the others collect it.
    """
    for tolerance in tolerances:
        model = copy.copy(system.model)
        model.closure_tolerance = tolerance
        loose, trial = replace(system, model=model), q.copy()
        if close_within(loose, rows, time, trial, np.zeros(3))[0] == L.OK:
            return _largest(loose, rows, trial, time) * system.length
    return 0.0


def _largest(system: System, rows: Sequence[int], q: Array, time: float) -> float:
    """Largest residual in row scales."""
    off = np.abs(residuals(system, q, time) / system.row_scales())[list(rows)]
    return float(off.max(initial=0.0)) if np.isfinite(off).all() else math.nan


def _approach(system: System, rows: Sequence[int], time: float, q: Array, enough: float) -> int:
    """Iterate with all rows until their residuals are small enough or fall no further; returns the number of iterations.

    Each call is short: past the compromise a step along the nearly free motion can be long.
    """
    count, steps, report = 0, 1, np.zeros(3)
    now = _largest(system, rows, q, time)
    while count < ITERATIONS and now > enough:
        trial = q.copy()
        assemble_run(system.ints, system.floats, pattern(system, rows), float(time), trial, steps, TOLERANCE, report)
        count += max(1, int(report[0]))
        then = _largest(system, rows, trial, time)
        if not then < now:
            steps *= 2
            if steps > ITERATIONS:
                break
            if not math.isfinite(then) or then > now:
                continue
        q[:], now = trial, then
    return count


def gaps_at(
    system: System, rows: Sequence[int], q: Array, time: float, exact: Sequence[int] | None = None
) -> tuple[Gap, ...]:
    """Gap of every constraint that has rows which do not hold exactly, if the model has a closure_tolerance."""
    if not slack(system):
        return ()
    exact = exact_rows(system, q, time, rows) if exact is None else exact
    off, scales = np.abs(residuals(system, q, time)), system.row_scales()
    found: dict[str, Gap] = {}
    for row in sorted(set(rows) - set(exact), key=lambda k: float(off[k] / scales[k])):
        if off[row] > ROUNDING * scales[row]:
            about = system.rows[row]
            found[about.owner] = Gap(about.owner, float(off[row]), about.unit, slack(system) * float(scales[row]), time)
    return tuple(found.values())


def rounded_loop(system: System, rows: Sequence[int], q: Array, time: float) -> str:
    """Hint for rows that depend on the others nearly: the loop, its gap and the tolerance needed; empty if rounding is not the cause.

    The mechanism without these rows is moved a little; where dimensions were rounded, it opens by little.
    """
    nearly = rank_within(system, q, time, rows, COARSEST)
    if len(nearly.independent) == rank_at(system, q, time, rows).rank:
        return ""
    kept, left = ([rows[k] for k in part] for part in (nearly.independent, nearly.redundant))
    P, scales, opens = pattern(system, kept), system.row_scales(), (0.0, left[0])
    for direction in nearly.motions.directions(np.random.default_rng(3), 2):
        for size in (-MOVED, MOVED):
            step = size * direction / max(1e-300, float(np.abs(direction).max())) * system.column_scales()
            near = moved(system, q, step)
            if (
                assemble_run(system.ints, system.floats, P, float(time), near, ITERATIONS, TOLERANCE, np.zeros(3))
                == L.OK
            ):
                off = np.abs(residuals(system, near, time) / scales)
                opens = max(opens, max((float(off[k]), k) for k in left))
    gap, row = opens
    if not 0.0 < gap <= ROUNDED:
        return ""
    return f" If its dimensions were rounded: {too_open(system, row, gap * float(scales[row]), time)}"


def too_open(system: System, row: int, gap: float, time: float) -> str:
    """Message about a redundant equation that opens by more than the model's closure_tolerance."""
    about, model, scale = system.rows[row], system.model, float(system.row_scales()[row])
    joint = model.constraints[about.owner]
    loop = loop_through(model, joint)
    where = f"loop {describe_loop(loop)} opens" if loop else f"{joint.kind} {about.owner!r} opens"
    unit = "" if about.unit == "1" else f" {about.unit}"
    needed = f"{1.1 * gap / scale * system.length:.2g} m"
    return (
        f"{where}: gap {gap:.3g}{unit} at {joint.kind} {about.owner!r} at t = {time:g} s, but closure_tolerance accepts "
        f"{slack(system) * scale:.3g}{unit}. State dimensions with more digits, or use closure_tolerance of {needed} or more."
    )
