"""Objectives without an end: a ray from the design found along which they improve as far as one can go."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pytrammel.design.optimization.feasibility import nearest
from pytrammel.design.optimization.problem import KEPT, Problem
from pytrammel.design.variant_runs import Trial

Array = NDArray[np.float64]
DECADES = 6  # lengths of a ray, each ten times the one before
GAIN = 1e-12  # least improvement per decade, relative to the objective: above its rounding
HUGE = 1e9  # improvement, relative to the objective and its slope at the start, after which an overflow ends a ray
AWAY = 10.0  # sizes of a parameter: a calm end nearer to the start is an end
ENDLESS = 1e9  # sizes of a parameter beyond which a slope that remains needs no ray


def moved(problem: Problem, trial: Trial) -> Array:
    """Distance of each parameter from its starting value, in sizes of the parameter, shape (n_parameters,)."""
    return np.asarray(np.abs(trial.x - problem.trials.start) / problem.factor)


def endless(problem: Problem, found: Trial, slope: Array, calm: bool) -> Trial | None:
    """Return the last design of a ray on which the objective improves over six decades, or None if there is no such ray.

    The result depends on where the objective goes far away, not on the place at which a search stopped.

    Args:
        problem: The task in scaled variables.
        found: End of the search; it keeps all limits.
        slope: Derivatives of the objective that no limit or bound takes up, by scaled parameter.
        calm: Whether they are small.
    """
    start = problem.trials.start
    open_ended = ~np.isfinite(problem.low) | ~np.isfinite(problem.high)
    far = float(moved(problem, found)[open_ended].max(initial=0.0))
    if not open_ended.any() or (calm and far < AWAY):
        return None
    if not calm and far > ENDLESS:
        return found
    gone = (found.x - start) / problem.factor
    for way in _ways(open_ended, (gone,) if calm else (gone, -slope)):
        # the slopes of a calm end may be small by rounding: its ray has fixed places, seen from the start
        base = np.where(way != 0.0, start, found.x) if calm else found.x
        last = _followed(problem, found, base, way, AWAY if calm else max(1.0, far))
        if last is not None:
            return last
    return None


def _ways(open_ended: NDArray[np.bool_], given: tuple[Array, ...]) -> Iterator[Array]:
    """Directions, each with all parameters and with each parameter without bounds alone."""
    alone = [np.where(np.arange(way.size) == k, way, 0.0) for k in np.flatnonzero(open_ended) for way in given]
    seen: set[bytes] = set()
    for way in (*given, *alone):
        size = float(np.abs(way).max(initial=0.0))
        if size > 0.0 and np.isfinite(size) and (key := (way / size).tobytes()) not in seen:
            seen.add(key)
            yield way / size


def _followed(problem: Problem, found: Trial, base: Array, way: Array, reach: float) -> Trial | None:
    """Return the last design of one ray if every one improves on the one before, None otherwise."""
    start = problem.trials.at(problem.trials.start)
    first = problem.merit(start if start.ok else found)
    last = found if base is found.x else None
    for decade in range(DECADES + 1):
        trial = problem.trials.at(
            np.clip(base + 10.0**decade * reach * way * problem.factor, problem.low, problem.high)
        )
        problem.note(trial)
        if trial.ok and problem.violation(trial) > KEPT:
            trial = nearest(problem, trial)
        if not trial.ok:  # an overflow, or the end of what can be run
            gain = first - problem.merit(last) if last is not None else 0.0
            return last if gain > HUGE * (abs(first) + problem.reference) else None
        if problem.violation(trial) > KEPT or (last is not None and not _better(problem, trial, last)):
            return None
        last = trial
    return last


def _better(problem: Problem, one: Trial, other: Trial) -> bool:
    before = problem.merit(other)
    return before - problem.merit(one) > GAIN * (abs(before) + problem.reference)
