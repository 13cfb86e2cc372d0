"""Index reduction of differential-algebraic equations: which equations to differentiate, how often, and consistent initial values.

After Pryce, A simple structural analysis method for DAEs (2001): s_ij is the highest derivative of variable j in equation i. A transversal
of largest sum gives the smallest offsets c_i, d_j with d_j - c_i >= s_ij, equal on the transversal. The c_i-th derivatives of the
equations are solved for the d_j-th derivatives of the variables; lower derivatives of the equations are constraints on the states.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.plain_equations.primes import inner_name, outer_name
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, variable

Array = NDArray[np.float64]
ABSENT = -1_000_000  # s_ij of a variable that an equation does not contain
HIGHEST = 5  # number of differentiations of an equation
OPEN = 1e-9  # residual of a constraint relative to the states that counts as inconsistent
ITERATIONS = 50


@dataclass(frozen=True)
class Reduced:
    """Equations of index 1 with the constraints that index reduction leaves.

    Attributes:
        states: Names of the states, with primes.
        top: Names of the derivatives to solve for.
        residuals: Equations for them.
        hidden: Constraints on the states.
        sources: Number of the original equation of each constraint.
        equations: Texts of the original equations.
    """

    states: tuple[str, ...]
    top: tuple[str, ...]
    residuals: tuple[Expression, ...]
    hidden: tuple[Expression, ...]
    sources: tuple[int, ...]
    equations: tuple[str, ...]


def reduced_index(equations: Sequence[str], residuals: Sequence[Expression], bases: Sequence[str]) -> Reduced | None:
    """Return the equations of index 1, or None if the given ones are of index 0 or 1."""
    signature = np.array([[_highest(f, base) for base in bases] for f in residuals])
    c, d = _offsets(signature, equations)
    if not c.any():
        return None
    if c.max() > HIGHEST:
        worst = int(c.argmax())
        raise ModelError(
            f"equation {equations[worst]!r} needs {int(c[worst])} differentiations; the limit is {HIGHEST}. Differentiate it by hand."
        )
    hidden: list[Expression] = []
    sources: list[int] = []
    last: list[Expression] = []
    for k, f in enumerate(residuals):
        for _ in range(int(c[k])):
            hidden.append(f)
            sources.append(k)
            f = _differentiated(f)
        last.append(f)
    states = tuple(base + "'" * k for base, order in zip(bases, d, strict=True) for k in range(int(order)))
    top = tuple(base + "'" * int(order) for base, order in zip(bases, d, strict=True))
    return Reduced(states, top, tuple(last), tuple(hidden), tuple(sources), tuple(equations))


def _highest(f: Expression, base: str) -> int:
    """Order of the highest derivative of a variable in a formula."""
    orders = [len(name) - len(name.rstrip("'")) for name in map(outer_name, f.names) if name.rstrip("'") == base]
    return max(orders, default=ABSENT)


def _offsets(signature: NDArray[np.int64], equations: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of differentiations of the equations, and orders of the variables."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(-signature)
    missing = [int(i) for i, j in zip(rows, columns, strict=True) if signature[i, j] == ABSENT]
    if missing:
        raise ModelError(
            f"the equations do not determine all unknowns: {equations[missing[0]]!r} has no unknown of its own. Check it or add an "
            "equation."
        )
    c = np.zeros(len(signature), dtype=np.int64)
    while True:
        d = np.maximum((signature + c[:, None]).max(axis=0), 0)
        new = d[columns] - signature[rows, columns]
        if (new == c).all():
            return c, d
        c = new


def _differentiated(f: Expression) -> Expression:
    """Time derivative of a formula of states and derivatives."""
    total = f.derivative("t")
    for name in sorted(f.names - {"t"}):
        total = total + f.derivative(name) * variable(inner_name(outer_name(name) + "'"))
    return total


def consistent(reduced: Reduced, initial: Mapping[str, float], given: Collection[str], start: float) -> Array:
    """Return states at the start that satisfy all constraints.

    Args:
        reduced: The equations.
        initial: Values by name; those of states that are missing are taken as 0.
        given: Names of the states with given values; the others are found.
        start: Time.

    Raises:
        ModelError: The given values contradict a constraint.
    """
    y = np.array([initial.get(name, 0.0) for name in reduced.states])
    free = np.array([name not in given for name in reduced.states], dtype=bool)
    y = _solved(reduced, y, start, free)
    h, _ = _constraints(reduced, y, start)
    size = max(1.0, float(np.abs(y).max(initial=0.0)))
    worst = int(np.abs(h).argmax())
    if not abs(h[worst]) <= OPEN * size:
        near = _solved(reduced, y, start, np.ones(y.size, dtype=bool))
        order = sum(k == reduced.sources[worst] for k in reduced.sources[:worst])
        which = f"equation {reduced.equations[reduced.sources[worst]]!r}"
        derived = (
            ("", "the first derivative of ", "the second derivative of ")[order]
            if order < 3
            else f"derivative {order} of "
        )
        text = ""
        if np.abs(_constraints(reduced, near, start)[0]).max() <= OPEN * size:
            listed = ", ".join(
                f"{name} = {v:.6g}" for name, v in zip(reduced.states, near, strict=True) if name in given
            )
            text = f" The nearest consistent values are {listed}."
        raise ModelError(
            f"initial values contradict {derived}{which}: the residual is {abs(h[worst]):.3g} at t = {start:g}; the limit is "
            f"{OPEN * size:.3g}.{text}"
        )
    return _solved(reduced, y, start, np.ones(y.size, dtype=bool))


def _constraints(reduced: Reduced, y: Array, t: float) -> tuple[Array, Array]:
    """Residuals and Jacobian of the constraints."""
    inner = tuple(map(inner_name, reduced.states))
    at = {**dict(zip(inner, map(float, y), strict=True)), "t": t}
    with np.errstate(all="ignore"):
        h = np.array([float(f.evaluate(at)) for f in reduced.hidden])
        J = np.array([[float(f.derivative(name).evaluate(at)) for name in inner] for f in reduced.hidden])
    return h, J


def _solved(reduced: Reduced, y: Array, t: float, free: NDArray[np.bool_]) -> Array:
    """Gauss-Newton on the constraints with some states free."""
    if not free.any():
        return y
    y = y.copy()
    for _ in range(ITERATIONS):
        h, J = _constraints(reduced, y, t)
        if not (np.isfinite(h).all() and np.isfinite(J).all()):
            break
        step = np.linalg.lstsq(J[:, free], -h, rcond=1e-12)[0]
        y[free] += step
        if np.abs(step).max(initial=0.0) <= 1e-14 * max(1.0, float(np.abs(y).max())):
            break
    return y
