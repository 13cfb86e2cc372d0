"""Relative coordinates for methods that treat the constraints themselves (`steps`)."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations.relative import load, to_bodies, velocities_of_rows
from pytrammel.kernels.equations.relative_matrices import look_at_rows, solve_with_rows, weigh_columns
from pytrammel.kernels.jit import ints_at, kernel, routine, vector
from pytrammel.kernels.links.layout import (
    N_UNKNOWN,
    W_K,
    W_LAM,
    W_NORMS,
    W_P,
    W_PHI,
    W_RATE,
    W_STEP,
    relative_at,
    workspace_of,
)


@routine(seconds=4.0)
def relative_look(E, t, h, y_at, phi, off):
    R = relative_at(E)
    W = workspace_of(E)
    load(E, t, vector(y_at, E[engine.SIZE]))
    look_at_rows(E, t)
    weigh_columns(E)
    velocities_of_rows(E)
    for k in range(ints_at(E[engine.PATTERN])[L.P_ROWS]):
        phi[k] = W[R[W_PHI] + k]
        off[k] = W[R[W_RATE] + k] - W[R[W_NORMS] + k]
    return 0.0


@kernel()
def solve_right(E, out):
    """Solve for the right-hand sides in the last column of the matrix; NaN without a solution."""
    R = relative_at(E)
    W = workspace_of(E)
    if not solve_with_rows(E, W[R[W_LAM] :]):
        return math.nan
    for c in range(R[N_UNKNOWN]):
        out[c] = W[R[W_STEP] + c]
    return 0.0


@routine(seconds=2.0)
def relative_pull(E, t, h, delta, out, unused):
    R = relative_at(E)
    W = workspace_of(E)
    m = ints_at(E[engine.PATTERN])[L.P_ROWS]
    nu = R[N_UNKNOWN]
    right = W[R[W_K] + nu + m :]
    for c in range(nu):
        right[(nu + m + 1) * c] = 0.0
    for k in range(m):
        right[(nu + m + 1) * (nu + k)] = delta[k]
    return solve_right(E, out)


@routine(seconds=4.0)
def relative_respond(E, t, h, y_at, forces, out):
    """Rows that act take their part at once: what they add is along them."""
    R = relative_at(E)
    W = workspace_of(E)
    n = ints_at(E[engine.INTS])[L.N_COLUMNS]
    m = ints_at(E[engine.PATTERN])[L.P_ROWS]
    nu = R[N_UNKNOWN]
    load(E, t, vector(y_at, E[engine.SIZE]))
    look_at_rows(E, t)
    weigh_columns(E)
    right = W[R[W_K] + nu + m :]
    for c in range(nu):
        total = 0.0
        for i in range(n):
            total += W[R[W_P] + n * c + i] * forces[i]
        right[(nu + m + 1) * c] = total
    for k in range(m):
        right[(nu + m + 1) * (nu + k)] = 0.0
    return solve_right(E, out)


@routine(seconds=2.0)
def relative_bodies(E, t, h, y_at, out, unused):
    y = vector(y_at, E[engine.SIZE])
    load(E, t, y)
    to_bodies(E, y, out)
    return 0.0
