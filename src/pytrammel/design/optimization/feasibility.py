"""The design that comes nearest to keeping all limits, where a search ended beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pytrammel.design.optimization.problem import KEPT, Problem
from pytrammel.design.variant_runs import Trial
from pytrammel.errors import TrammelError

Array = NDArray[np.float64]
STEPS = 20  # corrections by Newton's method, at most


def nearest(problem: Problem, found: Trial) -> Trial:
    """Return the design on the limits next to the given one; without such a design the one that misses the limits least."""
    levels, problem.smooth = problem.smooth, False  # no level above a maximum: limits only
    try:
        onto = corrected(problem, found)
        trial = onto if problem.violation(onto) <= KEPT else _least_missed(problem, found)
    except TrammelError:
        return found
    finally:
        problem.smooth = levels
    return trial if trial.ok and problem.violation(trial) < problem.violation(found) else found


def corrected(problem: Problem, found: Trial) -> Trial:
    """Newton's method on the limits that are missed, by the shortest steps; the last design that could be run."""
    trial = found
    for _ in range(STEPS):
        if problem.violation(trial) <= KEPT:
            break
        z = problem.scaled(trial.x)
        gaps, slopes = _gaps(problem, z), _gap_slopes(problem, z)
        moved = problem.trials.at(problem.unscaled(z - np.linalg.lstsq(slopes, gaps, rcond=1e-10)[0]))
        problem.note(moved)
        if not moved.ok:
            break
        trial = moved
    return trial


def _least_missed(problem: Problem, found: Trial) -> Trial:
    """Least squares of what limits are missed by, each in its own scale."""
    from scipy.optimize import least_squares

    low, high = problem.box
    inside = 1e-10
    z = np.clip(
        problem.scaled(found.x),
        np.where(np.isfinite(low), low + inside, low),
        np.where(np.isfinite(high), high - inside, high),
    )

    def missed(z: Array) -> Array:
        trial = problem.trials.at(problem.unscaled(z))
        problem.note(trial)
        if not trial.ok:
            return np.full(_gaps(problem, problem.scaled(found.x)).size, np.inf)
        return _gaps(problem, problem.scaled(trial.x))

    with np.errstate(all="ignore"):
        end = least_squares(missed, z, jac=lambda z: _gap_slopes(problem, z), bounds=(low, high), max_nfev=100)
    return problem.trials.at(problem.unscaled(end.x))


def _gaps(problem: Problem, z: Array) -> Array:
    return np.concatenate([np.maximum(-problem.inequalities(z), 0.0), problem.equalities(z)])


def _gap_slopes(problem: Problem, z: Array) -> Array:
    less = problem.inequalities(z) < 0.0
    return np.vstack([-problem.inequality_slopes(z) * less[:, None], problem.equality_slopes(z)])
