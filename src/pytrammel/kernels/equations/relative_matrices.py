"""Matrices of relative coordinates at the state that is loaded, dense: A, f, the rows B, and the rates of speeds that solve them."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.dynamics import run_forces
from pytrammel.kernels.elimination import eliminate
from pytrammel.kernels.evaluate import row_residuals, row_times, run_elements
from pytrammel.kernels.jit import floats_at, ints_at, kernel
from pytrammel.kernels.links.layout import (
    AT_SCALES,
    N_COLUMNS,
    N_DRIVEN,
    N_POSITIONS,
    N_UNKNOWN,
    W_A,
    W_B,
    W_BIAS,
    W_F,
    W_FORCES,
    W_GAMMA,
    W_JAC,
    W_K,
    W_LAM,
    W_MP,
    W_OUT,
    W_P,
    W_PHI,
    W_RATE,
    W_STATE,
    W_STEP,
    W_TARGET,
    W_WORK,
    W_YD,
    numbers_at,
    relative_at,
    workspace_of,
)
from pytrammel.kernels.mass import apply_mass, inertia_forces


@kernel()
def look_at_rows(E, t):
    """Residuals and right-hand sides of the rows at the state that is loaded, and B = J P; returns the largest residual in row scales."""
    R = relative_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    F = floats_at(E[engine.FLOATS])
    P = ints_at(E[engine.PATTERN])
    n = I[L.N_COLUMNS]
    jac = W[R[W_JAC] :]
    out = W[R[W_OUT] :]
    run_elements(I, F, W[R[W_STATE] :], out, jac, W[R[W_WORK] :])
    for k in range(P[L.P_ROWS]):
        for c in range(R[N_COLUMNS]):
            W[R[W_B] + R[N_COLUMNS] * k + c] = row_times(I, P, k, jac, W[R[W_P] + n * c :])
    return row_residuals(
        I, F, P, t, out, W[R[W_WORK] :], W[R[W_TARGET] :], W[R[W_PHI] :], W[R[W_RATE] :], W[R[W_GAMMA] :]
    )


@kernel()
def assemble(E):
    """A = P'MP and f = P'(g - M b) over all columns."""
    R = relative_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    F = floats_at(E[engine.FLOATS])
    n = I[L.N_COLUMNS]
    count = R[N_COLUMNS]
    state = W[R[W_STATE] :]
    forces = W[R[W_FORCES] :]
    weighed = W[R[W_MP] :]
    P = W[R[W_P] :]
    weigh_columns(E)
    inertia_forces(I, F, state, forces)
    run_forces(I, F, state, W[R[W_OUT] :], W[R[W_JAC] :], W[R[W_WORK] :], forces)
    apply_mass(I, F, state, W[R[W_BIAS] :], weighed)
    for c in range(count):
        total = 0.0
        for i in range(n):
            total += P[n * c + i] * (forces[i] - weighed[i])
        W[R[W_F] + c] = total


@kernel()
def weigh_columns(E):
    """A = P'MP."""
    R = relative_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    F = floats_at(E[engine.FLOATS])
    n = I[L.N_COLUMNS]
    count = R[N_COLUMNS]
    weighed = W[R[W_MP] :]
    P = W[R[W_P] :]
    A = W[R[W_A] :]
    for c in range(count):
        apply_mass(I, F, W[R[W_STATE] :], P[n * c : n * c + n], weighed)
        for d in range(c + 1):
            total = 0.0
            for i in range(n):
                total += P[n * d + i] * weighed[i]
            A[count * c + d] = total
            A[count * d + c] = total


@kernel()
def independence(E):
    """Share of the least independent row, against what it does to bodies without joints, that others do not have; columns in scales."""
    R = relative_at(E)
    G = numbers_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    F = floats_at(E[engine.FLOATS])
    P = ints_at(E[engine.PATTERN])
    jac = W[R[W_JAC] :]
    nu = R[N_UNKNOWN]
    scales = R[AT_SCALES] + R[N_POSITIONS] + I[L.N_EXTRAS]
    unit = W[R[W_K] :]
    smallest = 1.0
    for k in range(P[L.P_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        whole = 0.0
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                entry = jac[I[at + 1] + e] * F[I[L.AT_COLUMN_SCALES] + column]
                whole += entry * entry
        for c in range(nu):
            unit[nu * k + c] = W[R[W_B] + R[N_COLUMNS] * k + c] * G[scales + c]
        left = 0.0
        for again in range(2):
            for j in range(k):
                along = 0.0
                for c in range(nu):
                    along += unit[nu * k + c] * unit[nu * j + c]
                for c in range(nu):
                    unit[nu * k + c] -= along * unit[nu * j + c]
        for c in range(nu):
            left += unit[nu * k + c] * unit[nu * k + c]
        ratio = math.sqrt(left / whole) if whole > 0.0 else 0.0
        if not ratio >= smallest:
            smallest = ratio
        size = 1.0 / math.sqrt(left) if left > 0.0 else 0.0
        for c in range(nu):
            unit[nu * k + c] *= size
    return smallest


@kernel()
def solve_with_rows(E, lam):
    """From right-hand sides in the last column of K: [A_uu -B_u'; B_u 0] [x; lam] = [r; s], in scales; x is left in the step.

    K must hold r and s in its last column; returns False without a solution.
    """
    R = relative_at(E)
    G = numbers_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    m = ints_at(E[engine.PATTERN])[L.P_ROWS]
    nu = R[N_UNKNOWN]
    count = R[N_COLUMNS]
    size = nu + m
    width = size + 1
    scales = R[AT_SCALES] + R[N_POSITIONS] + I[L.N_EXTRAS]
    K = W[R[W_K] :]
    for c in range(nu):
        for d in range(nu):
            K[width * c + d] = W[R[W_A] + count * c + d] * G[scales + c] * G[scales + d]
        K[width * c + size] *= G[scales + c]
    for k in range(m):
        for c in range(nu):
            value = W[R[W_B] + count * k + c] * G[scales + c]
            K[width * c + nu + k] = -value
            K[width * (nu + k) + c] = value
        for j in range(m):
            K[width * (nu + k) + nu + j] = 0.0
    eliminate(K, size)
    total = 0.0
    for c in range(nu):
        W[R[W_STEP] + c] = K[c] * G[scales + c]
        total += K[c]
    for k in range(m):
        lam[k] = K[nu + k]
        total += K[nu + k]
    return math.isfinite(total)


@kernel()
def solve_rates_of_speeds(E):
    """Rates of the unknown speeds into the step, multipliers of the rows; returns False without a solution."""
    R = relative_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    P = ints_at(E[engine.PATTERN])
    m = P[L.P_ROWS]
    nu = R[N_UNKNOWN]
    count = R[N_COLUMNS]
    width = nu + m + 1
    right = W[R[W_K] + nu + m :]
    for c in range(nu):
        total = W[R[W_F] + c]
        for k in range(R[N_DRIVEN]):
            total -= W[R[W_A] + count * c + nu + k] * W[R[W_YD] + k]
        right[width * c] = total
    for j in range(m):
        total = W[R[W_GAMMA] + j] - row_times(I, P, j, W[R[W_JAC] :], W[R[W_BIAS] :])
        for k in range(R[N_DRIVEN]):
            total -= W[R[W_B] + count * j + nu + k] * W[R[W_YD] + k]
        right[width * (nu + j)] = total
    return solve_with_rows(E, W[R[W_LAM] :])
