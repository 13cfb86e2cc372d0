"""Constraint Jacobians with respect to Euler parameters (Nikravesh, tables 7.1 and 7.2).

The entries depend on how A(p) is written, because they contain its derivative along p: (2 e0^2 - 1) I + 2 (e e^T + e0 e~) leads to
table 7.1, G L^T to the modified Jacobian of table 7.2. Both give J p' for p.p' = 0, and gamma belongs to its own Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.analysis.small_motions.reduced import State
from pytrammel.analysis.study.bodies import row_names, rows_at
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.rows import turned_values_run
from pytrammel.results.studies.matrices import Labelled
from pytrammel.results.studies.terms import ParameterTerms

Array = NDArray[np.float64]
STEP = 1e-2  # of Euler parameters; rows are of second order in A for most joints, so that differences of sixth order are exact
WEIGHTS = ((1, 45.0), (2, -9.0), (3, 1.0))  # central differences of sixth order, times 60 h


def parameter_terms(state: State, rows: Sequence[int]) -> ParameterTerms:
    """Return both Jacobians by coordinates and their right-hand sides."""
    system = state.system
    bodies = len(system.model.bodies) - 1
    names = row_names(system, rows)
    columns = (*system.coordinates[: 7 * bodies], *(extra.name for extra in system.extras))
    J, gamma = rows_at(state, rows)
    angular = np.zeros((len(rows), len(columns)))  # J T with omega' = 2 L p', for rows that have no value
    for b in range(bodies):
        angular[:, 7 * b : 7 * b + 3] = J[:, 6 * b : 6 * b + 3]
        angular[:, 7 * b + 3 : 7 * b + 7] = (
            2.0 * J[:, 6 * b + 3 : 6 * b + 6] @ rotations.L(state.q[7 * b + 3 : 7 * b + 7])
        )
    angular[:, 7 * bodies :] = J[:, 6 * bodies :]
    parts = []
    for matrix in (_plain, _homogeneous):
        found = angular.copy()
        slopes = _slopes(state, matrix)[:, list(rows)]
        for k, row in enumerate(rows):
            if not system.rows[row].velocity_only:
                for b in range(bodies):
                    found[k, 7 * b + 3 : 7 * b + 7] = slopes[4 * b : 4 * b + 4, k]
        # gamma = gamma# - sum 1/4 omega^2 Phi_p p: what p'' has along p
        right = gamma.copy()
        for b in range(bodies):
            omega, p = state.v[6 * b + 3 : 6 * b + 6], state.q[7 * b + 3 : 7 * b + 7]
            right -= 0.25 * float(omega @ omega) * (found[:, 7 * b + 3 : 7 * b + 7] @ p)
        parts.append((found, right))
    (full, gamma_full), (modified, gamma_modified) = parts
    return ParameterTerms(
        Labelled("Phi_q", "Jacobian by coordinates, table 7.1", full, names, columns),
        Labelled("gamma", "right-hand side for it", gamma_full, names),
        Labelled("Phi_q*", "modified Jacobian by coordinates, table 7.2", modified, names, columns),
        Labelled("gamma*", "right-hand side for it", gamma_modified, names),
    )


def _plain(p: Array) -> Array:
    """A = (2 e0^2 - 1) I + 2 (e e^T + e0 e~) (eq. 6.18)."""
    return np.asarray(
        (2.0 * p[0] ** 2 - 1.0) * np.eye(3) + 2.0 * (np.outer(p[1:], p[1:]) + p[0] * rotations.skew(p[1:]))
    )


def _homogeneous(p: Array) -> Array:
    """A = G L^T (eq. 6.51)."""
    return np.asarray(rotations.G(p) @ rotations.L(p).T)


def _slopes(state: State, matrix: Callable[[Array], Array]) -> Array:
    """Derivatives of all rows by all Euler parameters, shape (4 bodies, rows)."""
    system = state.system
    prepare(["turned_values_run"])
    bodies = len(system.model.bodies) - 1
    p = np.array([state.q[7 * b + 3 : 7 * b + 7] for b in range(bodies)]).reshape(bodies, 4)
    own = np.array([matrix(each) for each in p]).reshape(bodies, 9)

    def values(b: int, k: int, step: float) -> Array:
        there, turned, out = p.copy(), own.copy(), np.zeros(max(1, len(system.rows)))
        there[b, k] += step
        turned[b] = matrix(there[b]).ravel()
        turned_values_run(
            system.ints,
            state.floats,
            float(state.time),
            state.q.copy(),
            state.v.copy(),
            turned.ravel(),
            there.ravel(),
            out,
        )
        return out[: len(system.rows)]

    return np.array([
        sum(weight * (values(b, k, i * STEP) - values(b, k, -i * STEP)) for i, weight in WEIGHTS) / (60.0 * STEP)
        for b in range(bodies)
        for k in range(4)
    ])  # fmt: skip
