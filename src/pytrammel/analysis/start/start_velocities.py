"""Starting velocities: what was given is kept, the rest has the least kinetic energy.

Kelvin's theorem: a system at rest that is set moving by impulses at some of its coordinates takes, among all motions in which
those coordinates have the velocities given to them, the one with the least kinetic energy. So the start is found in stages, each
within what the stages before leave free:

1. the constraints, drivers included: J v = nu;
2. conditions that must hold: held velocities, initial values of rates;
3. the velocities given with the bodies, exactly if they can be had, else as close as can be: the change costs the kinetic energy
   that it would take on the free bodies;
4. the least kinetic energy;
5. the smallest velocities along what has no kinetic energy (massless bodies, curve coordinates).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.lazy_imports import sparse_linalg
from pytrammel.analysis.at_state import mass_blocks, mass_roots, momenta
from pytrammel.analysis.freedom.rank import jacobian, sparse_jacobian
from pytrammel.analysis.stacks import times
from pytrammel.analysis.start.staged import (
    CONTRADICTION,
    Conditions,
    Stages,
    body_roots,
    fits_rows,
    in_own_units,
    scaled_blocks,
    weights_of_given,
)
from pytrammel.errors import AssemblyError
from pytrammel.kernels.measures import measures_run
from pytrammel.system.lowering import System

if TYPE_CHECKING:
    from scipy import sparse
else:
    from pytrammel._util.lazy_imports import sparse

Array = NDArray[np.float64]

DENSE = 300  # columns up to which the stages are solved by singular values
SOFT, PROXIMAL, PASSES = 1e-6, 1e-11, 60  # of the sparse solution, see `_sparse`


def rates_missing(system: System, rows: Sequence[int], time: float, q: Array, v: Array) -> Array:
    """What the rates of rows lack to follow their targets, nu - J v, in row scales."""
    values, rates, seconds = (np.zeros((1, len(system.rows))) for _ in range(3))
    state = (q.reshape(1, -1).copy(), v.reshape(1, -1).copy(), np.zeros((1, system.n_columns)))
    measures_run(system.ints, system.floats, np.array([float(time)]), *state, values, rates, seconds)
    goals = [goal for c in system.model.constraints.values() for block in c.blocks for goal in block.targets]
    speeds = np.zeros(len(rows))
    for k, row in enumerate(rows):
        goal = goals[row] if row < len(goals) else 0.0  # rows that forces bring into play come last
        if not isinstance(goal, int | float):
            speeds[k] = goal.derivative("t").evaluate({"t": time})
    return np.asarray((speeds - rates[0, list(rows)]) / system.row_scales()[list(rows)])


def start_velocity(
    system: System,
    rows: Sequence[int],
    time: float,
    q: Array,
    given: Mapping[int, float],
    hard: Conditions | None = None,
) -> Array:
    """Velocities at the start.

    Args:
        system: Lowered for dynamics.
        rows: Active equations.
        time, q: The start.
        given: Velocities by column, as given with the bodies.
        hard: Conditions that must hold; whether they do is for the caller to check.

    Raises:
        AssemblyError: No velocities satisfy the constraints.
    """
    scales = system.column_scales()
    v = np.zeros(system.n_columns)
    v[list(given)] = list(given.values())
    missing = rates_missing(system, rows, time, q, v)
    size = max(1e-300, float(np.abs(v / scales).max(initial=0.0)))
    if hard is None and np.abs(missing).max(initial=0.0) <= 1e-15 * size and _left_alone(system, q, given, v):
        return v
    columns = sorted(given)
    g = np.array([given[c] / scales[c] for c in columns])
    if v.size <= DENSE:
        dense = jacobian(system, q, time, rows)
        nu = missing + times(dense[None], (v / scales)[None])[0]
        blocks = scaled_blocks(mass_blocks(system, q)[None], scales[None])
        roots = body_roots(mass_roots(system, q)[None], blocks, scales[None])
        stages = Stages(dense[None], nu[None], columns, g[None], blocks, roots)
        x = stages.under(None if hard is None else Conditions(hard.rows[None], hard.values[None]))[0][0]
        left = nu - times(dense[None], x[None])[0]
    else:
        J = sparse_jacobian(system, q, time, rows)
        nu = missing + J @ (v / scales)
        A, b = (J, nu) if hard is None else (sparse.vstack([J, sparse.csr_matrix(hard.rows)]), np.r_[nu, hard.values])
        x = _sparse(A.tocsr(), b, *_given_rows(system, q, columns), g, kinetic_roots(system, q))
        left = nu - J @ x
    _check_constraints(system, rows, time, left, x)
    return np.asarray(in_own_units(x[None], scales[None], columns, v[None, columns], np.array([size]))[0])


def closest_in_energy(system: System, rows: Sequence[int], time: float, q: Array, momentum: Array) -> Array:
    """Velocities that fit the constraints and are closest to given momenta in the sense of kinetic energy, sparsely.

    Raises:
        AssemblyError: No velocities satisfy the constraints.
    """
    scales = system.column_scales()
    J, nu = sparse_jacobian(system, q, time, rows), rates_missing(system, rows, time, q, np.zeros(scales.size))
    largest = float(np.abs(_scaled_blocks(system, q)).max(initial=0.0)) or 1.0
    roots = kinetic_roots(system, q)
    x = _proximal(roots.T @ roots, J, nu, momentum * scales / largest)
    _check_constraints(system, rows, time, nu - J @ x, x)
    return np.asarray(x * scales)


def _left_alone(system: System, q: Array, given: Mapping[int, float], v: Array) -> bool:
    """True if what was not given has no momentum when it stands still: then that is its motion with the least energy."""
    others = np.ones(v.size, dtype=bool)
    others[list(given)] = False
    if not v.any() or not others.any():
        return True
    return not momenta(system, q, v)[others].any()


def _check_constraints(system: System, rows: Sequence[int], time: float, missing: Array, x: Array) -> None:
    if not fits_rows(missing[None], x[None])[0]:
        off = np.abs(missing)
        # a driver is to blame rather than a joint
        worst = max(
            range(len(rows)), key=lambda k: (system.rows[rows[k]].is_driver and off[k] > 0.1 * off.max(), off[k])
        )
        raise AssemblyError(
            f"no velocities satisfy the constraints at t = {time:g} s: {system.rows[rows[worst]].owner!r} is driven against the others."
        )


def _given_rows(system: System, q: Array, columns: Sequence[int]) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Rows that pick the given velocities, and a root of the weights of changes to them."""
    scales = system.column_scales()
    G = sparse.coo_matrix((np.ones(len(columns)), (range(len(columns)), columns)), shape=(len(columns), scales.size))
    roots = [each[0] for each in weights_of_given(_scaled_blocks(system, q)[None], columns)]
    return G.tocsr(), (sparse.block_diag(roots) if roots else sparse.csr_matrix((0, 0))).tocsr()


def _scaled_blocks(system: System, q: Array) -> Array:
    return np.asarray(scaled_blocks(mass_blocks(system, q)[None], system.column_scales()[None])[0])


def kinetic_roots(system: System, q: Array) -> sparse.csr_matrix:
    """R with |R x|² twice the kinetic energy in units of the largest mass, extra coordinates left out."""
    scales = system.column_scales()
    roots = body_roots(mass_roots(system, q)[None], _scaled_blocks(system, q)[None], scales[None])[0]
    if not len(roots):
        return sparse.csr_matrix((0, system.n_columns))
    body = sparse.block_diag(list(roots))
    return sparse.hstack([body, sparse.csr_matrix((body.shape[0], system.n_columns - body.shape[1]))]).tocsr()


# --- sparse --------------------------------------------------------------------------------------------------------------


def _sparse(
    A: sparse.csr_matrix, b: Array, G: sparse.csr_matrix, weights: sparse.csr_matrix, g: Array, roots: sparse.csr_matrix
) -> Array:
    """The same for large models, from sparse factorisations, without any decision about ranks.

    First the given velocities are taken for constraints. If they cannot be had, the closest that can are found, and taken instead.
    """
    H = roots.T @ roots
    x = _proximal(H, sparse.vstack([A, G]), np.r_[b, g])
    if not np.abs(G @ x - g).max(initial=0.0) <= CONTRADICTION * max(1e-300, float(np.abs(g).max(initial=0.0))):
        W = weights @ G
        closest = G @ _proximal(W.T @ W, A, b, W.T @ (weights @ g), SOFT * H)
        x = _proximal(H, sparse.vstack([A, G]), np.r_[b, closest])
    return x


def _proximal(
    H: sparse.csr_matrix,
    A: sparse.csr_matrix,
    b: Array,
    pull: Array | float = 0.0,
    stay: sparse.csr_matrix | None = None,
) -> Array:
    """Smallest x' H x / 2 - pull' x under A x = b, each of which may be singular, by the proximal method of multipliers.

    Every pass stays near the last one (weight `stay`), so that the matrix is regular, and the limit is that of the true problem.
    """
    n, m = A.shape[1], A.shape[0]
    near = PROXIMAL * sparse.eye(n) + (0.0 * sparse.eye(n) if stay is None else stay)
    K = sparse.bmat([[H + near, A.T], [A, -PROXIMAL * sparse.eye(m)]]).tocsc()
    lu = sparse_linalg.splu(K)
    x, lam = np.zeros(n), np.zeros(m)
    for _ in range(PASSES):
        right = np.r_[near @ x + pull, b - PROXIMAL * lam]
        solution = lu.solve(right)
        solution += lu.solve(right - K @ solution)
        change = float(np.abs(solution[:n] - x).max(initial=0.0))
        x, lam = solution[:n], solution[n:]
        if change <= 1e-15 * max(1e-300, float(np.abs(x).max(initial=0.0))):
            break
    return np.asarray(x)
