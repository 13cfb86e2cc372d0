"""What the equations of particles (`points`) are made of, each reached by address: state, rows, their independence, forces, solution."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.dynamics import run_forces
from pytrammel.kernels.elimination import eliminate
from pytrammel.kernels.evaluate import row_residuals, run_elements
from pytrammel.kernels.jit import floats_at, ints_at, routine, vector
from pytrammel.kernels.particles import (
    AT_LENGTHS,
    AT_MASS,
    AT_PAIRS,
    AT_SCALES,
    N_ALL,
    N_DISTANCES,
    N_FREE,
    W_BIAS,
    W_F,
    W_G,
    W_GAMMA,
    W_J,
    W_JAC,
    W_K,
    W_NU,
    W_OUT,
    W_PHI,
    W_Q,
    W_R,
    W_STATE,
    W_TARGET,
    W_V,
    W_WORK,
    W_X,
    add_to_particles,
    dimension,
    load_particles,
    parts,
    spread_forces,
    unknowns,
)


@routine(seconds=4.0)
def points_load(E, t, h, y_at, unused, unused_too):
    load_particles(E, t, vector(y_at, E[engine.SIZE]))
    return 0.0


@routine(seconds=2.0)
def points_rows(E, t, h, unused, unused_too, unused_three):
    """Residuals, right-hand sides and Jacobian of all rows at the state that is loaded: distances first, then those of the model.

    Returns the largest residual in units of what counts as one.
    """
    H, G, W, I = parts(E)
    F = floats_at(E[engine.FLOATS])
    P = ints_at(E[engine.PATTERN])
    d = dimension(I)
    n = unknowns(H, I)
    m = H[N_DISTANCES]
    phi = W[H[W_PHI] :]
    nu = W[H[W_NU] :]
    gamma = W[H[W_GAMMA] :]
    J = W[H[W_J] :]
    for k in range((m + P[L.P_ROWS]) * n):
        J[k] = 0.0
    largest = 0.0
    for r in range(m):
        i = H[H[AT_PAIRS] + 2 * r]
        j = H[H[AT_PAIRS] + 2 * r + 1]
        length = G[H[AT_LENGTHS] + r]
        square = 0.0
        speed = 0.0
        for k in range(d):
            way = W[H[W_X] + d * i + k] - W[H[W_X] + d * j + k]
            rate = W[H[W_V] + d * i + k] - W[H[W_V] + d * j + k]
            square += way * way
            speed += rate * rate
            if i < H[N_FREE]:
                J[n * r + d * i + k] = way / length
            if j < H[N_FREE]:
                J[n * r + d * j + k] = -way / length
        phi[r] = 0.5 * (square - length * length) / length
        nu[r] = 0.0
        gamma[r] = -speed / length
        largest = max(largest, abs(phi[r]) / G[H[AT_SCALES]])
    out = W[H[W_OUT] :]
    jac = W[H[W_JAC] :]
    work = W[H[W_WORK] :]
    run_elements(I, F, W[H[W_STATE] :], out, jac, work)
    size = row_residuals(I, F, P, t, out, work, W[H[W_TARGET] :], phi[m:], nu[m:], gamma[m:])
    for k in range(P[L.P_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        add_to_particles(H, W, I, I[at + 3], I[at + 2], jac, I[at + 1], J[n * (m + k) :])
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                gamma[m + k] -= jac[I[at + 1] + e] * W[H[W_BIAS] + column]
    return size if not size <= largest else largest


@routine(seconds=1.0)
def points_independence(E, t, h, unused, unused_too, unused_three):
    """Orthonormal rows Q and triangular R of the Jacobian in scaled columns.

    Returns the sine by which the least independent row sticks out of those before it.
    """
    H, G, W, I = parts(E)
    n = unknowns(H, I)
    m = H[N_DISTANCES] + ints_at(E[engine.PATTERN])[L.P_ROWS]
    J = W[H[W_J] :]
    Q = W[H[W_Q] :]
    R = W[H[W_R] :]
    smallest = 1.0
    for r in range(m):
        whole = 0.0
        for c in range(n):
            Q[n * r + c] = J[n * r + c] * G[H[AT_SCALES] + c]
            whole += Q[n * r + c] * Q[n * r + c]
        for s in range(r):
            R[m * r + s] = 0.0
        for _ in range(2):  # twice is enough
            for s in range(r):
                dot = 0.0
                for c in range(n):
                    dot += Q[n * s + c] * Q[n * r + c]
                R[m * r + s] += dot
                for c in range(n):
                    Q[n * r + c] -= dot * Q[n * s + c]
        left = 0.0
        for c in range(n):
            left += Q[n * r + c] * Q[n * r + c]
        size = math.sqrt(left)
        R[m * r + r] = size
        for c in range(n):
            Q[n * r + c] = Q[n * r + c] / size if size > 0.0 else 0.0
        sine = size / math.sqrt(whole) if whole > 0.0 else 0.0
        if not sine >= smallest:
            smallest = sine
    return smallest


@routine(seconds=1.0)
def points_forces(E, t, h, unused, unused_too, unused_three):
    """All forces of bodies, gravity left out, and gravity of particles, as forces on the particles."""
    H, G, W, I = parts(E)
    F = floats_at(E[engine.FLOATS])
    d = dimension(I)
    g = W[H[W_G] :]
    f = W[H[W_F] :]
    for c in range(I[L.N_COLUMNS]):
        g[c] = 0.0
    run_forces(I, F, W[H[W_STATE] :], W[H[W_OUT] :], W[H[W_JAC] :], W[H[W_WORK] :], g)
    spread_forces(H, W, I, g)
    for p in range(H[N_FREE]):
        weight = 0.0
        for other in range(H[N_ALL]):
            weight += G[H[AT_MASS] + H[N_ALL] * p + other]
        for k in range(d):
            f[d * p + k] += weight * F[I[L.AT_GRAVITY] + k]
    return 0.0


@routine(seconds=2.0)
def points_solve(E, t, h, unused, unused_too, unused_three):
    """[M -J'; J 0] [x''; lam] = [f; gamma], densely; the solution is left at the start of the matrix. Masses may be negative."""
    H, G, W, I = parts(E)
    P = ints_at(E[engine.PATTERN])
    d = dimension(I)
    n = unknowns(H, I)
    m = H[N_DISTANCES] + P[L.P_ROWS]
    size = n + m
    width = size + 1
    K = W[H[W_K] :]
    J = W[H[W_J] :]
    unit = 0.0
    for k in range(H[N_ALL] * H[N_ALL]):
        unit = max(unit, abs(G[H[AT_MASS] + k]))
    if unit == 0.0:
        unit = 1.0
    for k in range(size * width):
        K[k] = 0.0
    for p in range(H[N_FREE]):
        for other in range(H[N_FREE]):
            mass = G[H[AT_MASS] + H[N_ALL] * p + other] / unit
            for k in range(d):
                K[(d * p + k) * width + d * other + k] = mass
    for c in range(n):
        K[c * width + size] = W[H[W_F] + c] / unit
    for r in range(m):
        for c in range(n):
            K[(n + r) * width + c] = J[n * r + c]
            K[c * width + n + r] = -J[n * r + c]
        K[(n + r) * width + size] = W[H[W_GAMMA] + r]
    eliminate(K, size)
    for r in range(m):
        K[n + r] *= unit
    return 0.0
