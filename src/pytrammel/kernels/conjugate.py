"""Accelerations and multipliers where massless coordinates matter, by conjugate gradients on the motions that the rows allow.

The factorised matrix with artificial masses is the preconditioner (Gould, Hribar and Nocedal 2001). A correction that repeats with the
same matrix shrinks by the ratio of artificial to true inertia, which a thin rod in massless joints makes as large as one. Conjugate
gradients end after as many steps as there are degrees of freedom, regardless of this ratio.
"""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.evaluate import row_times
from pytrammel.kernels.jit import FLOATS, INTS, apart, kernel
from pytrammel.kernels.mass import apply_inverse_mass, apply_mass
from pytrammel.kernels.schur import add_transposed, solve_factored

RESTARTS = 8  # limit of restarts with a new balance of forces
MOST = 200  # limit of steps between two of them
BALANCED = 1e-15  # limit of the unbalanced force relative to the forces, and of a row relative to its terms
TOLERATED = 1e-12  # the same where no further restart reduces it
ENDED = 1e-30  # squared error at which the steps end, relative to the first one
SOLVED, UNSOLVED = 1.0, 0.0


@kernel()
def scaled_balance(I, F, P, state, jac, g, a, lam, r):
    """g + J' lam - M a with true masses; returns its size against the forces at work."""
    n = I[L.N_COLUMNS]
    apply_mass(I, F, state, a, r)
    size = 1e-300
    for c in range(n):
        scale = F[I[L.AT_COLUMN_SCALES] + c]
        size = max(size, scale * max(abs(g[c]), abs(r[c])))
        r[c] = g[c] - r[c]
    for k in range(P[L.P_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                term = jac[I[at + 1] + e] * lam[k]
                r[column] += term
                size = max(size, F[I[L.AT_COLUMN_SCALES] + column] * abs(term))
    left = 0.0
    for c in range(n):
        left = max(left, F[I[L.AT_COLUMN_SCALES] + c] * abs(r[c]))
    return left / size


@kernel()
def rows_open(I, P, jac, gamma, a, residual):
    """gamma - J a; returns its size against the largest term."""
    off = 0.0
    size = 1e-300
    for k in range(P[L.P_ROWS]):
        along = row_times(I, P, k, jac, a)
        residual[k] = gamma[k] - along
        off = max(off, abs(residual[k]))
        size = max(size, abs(gamma[k]) + abs(along))
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                size = max(size, abs(jac[I[at + 1] + e] * a[column]))
    return off / size


@kernel()
def allowed_step(I, F, P, state, jac, weighted, lower, pivots, r, z, residual, lam):
    """The motion z that the rows allow nearest to M^-1 r, artificial masses included; multipliers are updated, and r with them."""
    n = I[L.N_COLUMNS]
    apply_inverse_mass(I, F, state, r, z)
    for _ in range(2):  # the second pass removes what rounding left along the rows
        for k in range(P[L.P_ROWS]):
            residual[k] = -row_times(I, P, k, jac, z)
        solve_factored(P, lower, pivots, residual)
        add_transposed(I, P, weighted, residual, z)
        add_transposed(I, P, jac, residual, r)
        for k in range(P[L.P_ROWS]):
            lam[k] += residual[k]
    product = 0.0
    for c in range(n):
        product += r[c] * z[c]
    return product


@apart(INTS, FLOATS, INTS, *(11 * (FLOATS,)), seconds=2.0)
def solve_by_directions(I, F, P, state, jac, weighted, lower, pivots, g, gamma, K, residual, a, lam):
    """Correct accelerations and multipliers; returns SOLVED where they balance."""
    n = I[L.N_COLUMNS]
    r = K
    z = advanced(K, n)
    p = advanced(K, 2 * n)
    image = advanced(K, 3 * n)
    before = math.inf
    for _ in range(RESTARTS):
        # onto the rows
        off = rows_open(I, P, jac, gamma, a, residual)
        left = scaled_balance(I, F, P, state, jac, g, a, lam, r)
        worst = max(off, left)
        if worst <= BALANCED:
            return SOLVED
        if not worst < 0.5 * before:
            return SOLVED if worst <= TOLERATED else UNSOLVED
        before = worst
        if off > 0.0:
            solve_factored(P, lower, pivots, residual)
            add_transposed(I, P, weighted, residual, a)
            scaled_balance(I, F, P, state, jac, g, a, lam, r)
        product = allowed_step(I, F, P, state, jac, weighted, lower, pivots, r, z, residual, lam)
        first = product
        for c in range(n):
            p[c] = z[c]
        for _ in range(min(MOST, n)):
            apply_mass(I, F, state, p, image)
            curvature = 0.0
            for c in range(n):
                curvature += p[c] * image[c]
            if not curvature > 0.0 or not product > ENDED * first:
                break
            along = product / curvature
            for c in range(n):
                a[c] += along * p[c]
                r[c] -= along * image[c]
            last = product
            product = allowed_step(I, F, P, state, jac, weighted, lower, pivots, r, z, residual, lam)
            for c in range(n):
                p[c] = z[c] + product / last * p[c]
    return UNSOLVED
