"""Searches that follow slopes from one start: sequential quadratic programming, an interior point method, least squares."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pytrammel.design.optimization.problem import Problem
from pytrammel.errors import TrammelError

Array = NDArray[np.float64]
DEPENDENT = 1e-9  # of the steepest: what is left of the slope of an equality that follows from others
Local = Callable[[Problem, Array, int, float], tuple[Array, str]]


def slsqp(problem: Problem, x: Array, iterations: int, tolerance: float, rounds: int = 3) -> tuple[Array, str]:
    """Sequential quadratic programming (Kraft's SLSQP in SciPy)."""
    from scipy.optimize import minimize

    z = problem.begin(x)
    low, high = problem.box
    listed = []
    if problem.levels or any(not limit.equal for limit in problem.limits):
        listed.append({"type": "ineq", "fun": problem.inequalities, "jac": problem.inequality_slopes})
    if (rows := _independent(problem, z)).size:
        listed.append(
            {
                "type": "eq",
                "fun": lambda z: problem.equalities(z)[rows],
                "jac": lambda z: problem.equality_slopes(z)[rows],
            }
        )
    found = minimize(
        problem.fun, np.clip(z, low, high), jac=problem.gradient, bounds=_pairs(low, high), constraints=listed,
        method="SLSQP", options={"maxiter": iterations, "ftol": tolerance},
    )  # fmt: skip
    end, message = problem.unscaled(found.x), str(found.message)
    scale, trial = problem.scale, problem.trials.at(end)
    if rounds > 1 and trial.ok and not problem.levels:
        problem.rescale(trial)
        # what was steep has become flat: its digits count only now
        if 1e-8 * problem.reference < problem.scale < 1e-2 * scale:
            return slsqp(problem, end, iterations, tolerance, rounds - 1)
    return end, message


def trust_constr(problem: Problem, x: Array, iterations: int, tolerance: float) -> tuple[Array, str]:
    """Interior point method with a trust region (SciPy's trust-constr)."""
    from scipy.optimize import BFGS, Bounds, NonlinearConstraint, minimize

    z = problem.begin(x)
    low, high = problem.box
    listed = []
    if problem.levels or any(not limit.equal for limit in problem.limits):
        listed.append(
            NonlinearConstraint(problem.inequalities, 0.0, np.inf, jac=problem.inequality_slopes, hess=BFGS())
        )
    if (rows := _independent(problem, z)).size:
        listed.append(
            NonlinearConstraint(
                lambda z: problem.equalities(z)[rows],
                0.0,
                0.0,
                jac=lambda z: problem.equality_slopes(z)[rows],
                hess=BFGS(),
            )
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # updates of its curvature that it leaves out
        found = minimize(
            problem.fun, np.clip(z, low, high), jac=problem.gradient, hess=BFGS(), bounds=Bounds(low, high, keep_feasible=True),
            constraints=listed, method="trust-constr",
            options={"maxiter": 5 * iterations, "gtol": 1e-10, "xtol": tolerance, "barrier_tol": 1e-12},
        )  # fmt: skip
    return problem.unscaled(found.x), str(found.message)


def least_squares(problem: Problem, x: Array, iterations: int, tolerance: float) -> tuple[Array, str]:
    """Trust-region least squares (SciPy's trf); limits are not taken."""
    from scipy.optimize import least_squares as solve

    z = problem.begin(x)
    low, high = problem.box
    size = problem.errors(problem.trials.at(x)).size

    def errors(z: Array) -> Array:
        trial = problem.trials.at(problem.unscaled(z))
        problem.note(trial)
        return problem.errors(trial) if trial.ok else np.full(size, np.inf)

    inside = 1e-10  # it wants to begin within the bounds
    z = np.clip(z, np.where(np.isfinite(low), low + inside, low), np.where(np.isfinite(high), high - inside, high))
    with np.errstate(all="ignore"):
        found = solve(
            errors, z, jac=problem.error_slopes, bounds=(low, high), max_nfev=iterations, xtol=tolerance, ftol=tolerance,
            gtol=tolerance,
        )  # fmt: skip
    return problem.unscaled(found.x), str(found.message)


LOCAL: dict[str, Local] = {"slsqp": slsqp, "trust-constr": trust_constr, "least_squares": least_squares}


def from_start(problem: Problem, method: str, x: Array, iterations: int, tolerance: float) -> tuple[Array, str]:
    """Search from one start; where slopes end, the best that was seen so far stands, the start among it."""
    seen = len(problem.history)
    try:
        found, message = LOCAL[method](problem, x, iterations, tolerance)
    except TrammelError as error:
        found, message = x, str(error)
    begin = problem.trials.at(x)
    ranked = [found, x, *problem.history.values[seen:]]
    best = min((problem.trials.at(each) for each in ranked), key=problem.rank)
    if not best.ok:
        raise TrammelError(message)
    final = problem.trials.at(found)  # others may be better only by the little that limits may be missed by
    within = problem.rank(best) + 1e-6 * (1.0 + abs(problem.rank(best)))
    if final.ok and problem.rank(final) <= min(within, problem.rank(begin)):
        best = final
    return best.x, message


def _independent(problem: Problem, z: Array) -> NDArray[np.intp]:
    """Equalities that do not follow from others, such as those of one more instant: methods stumble over the rest."""
    from scipy.linalg import qr

    slopes = problem.equality_slopes(z)
    if not len(slopes):
        return np.zeros(0, dtype=np.intp)
    _, left, order = qr(slopes.T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(left))
    return np.sort(order[: int((sizes > DEPENDENT * sizes[0]).sum())])


def _pairs(low: Array, high: Array) -> list[tuple[float | None, float | None]]:
    return [
        (float(a) if np.isfinite(a) else None, float(b) if np.isfinite(b) else None)
        for a, b in zip(low, high, strict=True)
    ]
