"""The design that comes nearest to keeping all limits, where none keeps them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trammel.design.optimise.problem import Problem
from trammel.design.trials import Trial
from trammel.errors import TrammelError

Array = NDArray[np.float64]


def nearest(problem: Problem, found: Trial) -> Trial:
    """Least squares of what limits are missed by, each in its own scale; better than the design given, or that itself."""
    from scipy.optimize import least_squares

    levels, problem.smooth = problem.smooth, False  # no level above a maximum: limits only
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
            return np.full(_gaps(problem, found).size, np.inf)
        return _gaps(problem, trial)

    def slopes(z: Array) -> Array:
        less = problem.inequalities(z) < 0.0
        return np.vstack([-problem.inequality_slopes(z) * less[:, None], problem.equality_slopes(z)])

    try:
        with np.errstate(all="ignore"):
            end = least_squares(missed, z, jac=slopes, bounds=(low, high), max_nfev=100)
        trial = problem.trials.at(problem.unscaled(end.x))
    except TrammelError:
        trial = found
    finally:
        problem.smooth = levels
    return trial if trial.ok and problem.violation(trial) < problem.violation(found) else found


def _gaps(problem: Problem, trial: Trial) -> Array:
    z = problem.scaled(trial.x)
    return np.concatenate([np.maximum(-problem.inequalities(z), 0.0), problem.equalities(z)])
