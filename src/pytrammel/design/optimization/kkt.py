"""Conditions of an optimum (Karush, Kuhn, Tucker): what limits and bounds cost, and how much slope is left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.design.optimization.problem import Problem

Array = NDArray[np.float64]
ACTIVE = 1e-5  # shares of its scale by which a limit may be away and still hold the design back


@dataclass(frozen=True)
class Conditions:
    """What holds an optimum where it is.

    Attributes:
        kkt_residual: Largest slope of the objective that no limit or bound takes up, per full range of a parameter, as a share of the
            slope at the start.
        left: That slope for every parameter, scaled as in the search, shape (n_parameters,).
        limits: By how much the objective changes per unit by which each limit is loosened, SI, shape (n_limits,).
        bounds: By how much it changes per unit by which the bound of each parameter is moved outwards, SI, shape (n_parameters,).
        active: Whether each limit holds it back.
        at_low, at_high: Whether each parameter is at a bound.
    """

    kkt_residual: float
    left: Array
    limits: Array
    bounds: Array
    active: NDArray[np.bool_]
    at_low: NDArray[np.bool_]
    at_high: NDArray[np.bool_]


def conditions_at(problem: Problem, x: Array) -> Conditions:
    """Find multipliers by least squares over what is active."""
    from scipy.optimize import lsq_linear

    trial = problem.trials.at(x)
    z = problem.scaled(x)
    if problem.levels:
        z = np.append(z, problem.value(trial) / problem.scale)
    gradient, slopes = problem.gradient(z), problem.inequality_slopes(z)
    gaps, equal = problem.inequalities(z), problem.equality_slopes(z)
    low, high = problem.box
    at_low, at_high = z - low <= 1e-7, high - z <= 1e-7
    near = np.flatnonzero(gaps <= ACTIVE)
    columns = [slopes[near].T, equal.T, np.eye(z.size)[:, at_low], -np.eye(z.size)[:, at_high]]
    table = np.hstack(columns)
    free = np.zeros(table.shape[1])
    free[near.size : near.size + len(equal)] = -np.inf
    loads = np.zeros(table.shape[1])
    left = gradient
    if table.size:
        loads = lsq_linear(table, gradient, bounds=(free, np.inf), tol=1e-14).x
        left = gradient - table @ loads
    owners = np.array(problem.owners(), dtype=int)
    n, m = problem.factor.size, len(gaps)
    limits, active = np.zeros(len(problem.limits)), np.zeros(len(problem.limits), dtype=bool)
    value = problem.value(trial) if problem._squared else 1.0  # the square was minimised
    unit = problem.scale / (value or 1.0)
    for place, load in zip([*near, *range(m, m + len(equal))], loads, strict=False):
        owner = owners[place]
        if owner >= 0:
            # an equality is moved by its right side, an inequality loosened
            limits[owner] += (1.0 if place >= m else -1.0) * load * unit / problem.scales[owner]
            active[owner] = True
    bounds = np.zeros(z.size)
    first = near.size + len(equal)
    bounds[at_low] -= loads[first : first + at_low.sum()]
    bounds[at_high] -= loads[first + at_low.sum() :]
    sign = problem.objective.sign if problem.objective is not None else 1.0
    return Conditions(
        kkt_residual=float(np.abs(left).max(initial=0.0)) * problem.scale / (problem.reference or problem.scale),
        left=left[:n],
        limits=sign * limits,
        bounds=sign * bounds[:n] * unit / problem.factor,
        active=active,
        at_low=at_low[:n],
        at_high=at_high[:n],
    )
