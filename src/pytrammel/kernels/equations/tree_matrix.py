"""Accelerations along a tree by its mass matrix, formed and eliminated densely: the textbook form of joint coordinates, for study.

B'M B u' - (J B)'lam = B'(g - M B'u),  J B u' = gamma - J B'u

B comes column by column from the velocities that unit speeds give. Everything else is that of the recursion (`tree`).
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.dynamics import run_forces
from pytrammel.kernels.elimination import eliminate
from pytrammel.kernels.equations.tree import ALPHA, BETA, fill_tail
from pytrammel.kernels.equations.tree_rows import factor_rows, load, look_at_rows, speeds_at, to_bodies
from pytrammel.kernels.evaluate import row_times
from pytrammel.kernels.jit import call_routine, kernel, routine
from pytrammel.kernels.mass import apply_mass, inertia_forces
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, room, tree_at

DENSE = engine.INNER + 1  # entry of the table: room for the matrices


def dense_room(size: int, n: int, whole: int, speeds: int, rows: int) -> int:
    """Numbers that the matrices need: the system, B, a vector of trial, the bodies' vector, and two vectors of columns."""
    total = speeds + rows
    return total * (total + 1) + n * speeds + size + whole + 2 * n + 8


@kernel()
def form_transformation(E, t, y, trial, bodies, B):
    """B by columns: velocities of the bodies for a unit of each speed."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    n = I[L.N_COLUMNS]
    nq = I[L.N_COORDINATES]
    first = speeds_at(I, T)
    for k in range(E[engine.SIZE]):
        trial[k] = y[k]
    for c in range(T[T_.N_SPEEDS]):
        trial[first + c] = 0.0
    for c in range(T[T_.N_SPEEDS]):
        trial[first + c] = 1.0
        load(E, t, trial)
        to_bodies(E, trial, bodies)
        for i in range(n):
            B[n * c + i] = bodies[nq + i]
        trial[first + c] = 0.0


@routine(seconds=8.0)
def tree_matrix_rates(E, t, h, y, dy, unused):
    T = tree_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    P = bare_ints(E[engine.PATTERN])
    n = I[L.N_COLUMNS]
    nu = T[T_.N_SPEEDS]
    m = P[L.P_ROWS]
    total = nu + m
    width = total + 1
    K = bare_floats(E[DENSE])
    B = advanced(K, total * width)
    trial = advanced(B, n * nu)
    bias = advanced(trial, E[engine.SIZE])
    image = advanced(bias, n)
    bodies = advanced(image, n)
    W[engine.EVALUATIONS] += 1.0
    form_transformation(E, t, y, trial, bodies, B)
    load(E, t, y)
    look_at_rows(E, t)
    state = room(E, T[T_.W_STATE])
    jac = room(E, T[T_.W_JAC])
    gamma = room(E, T[T_.W_GAMMA])
    lam = room(E, T[T_.W_RESIDUAL] + m)
    if W[ALPHA] != 0.0 or W[BETA] != 0.0:
        to_bodies(E, y, bodies)
        for k in range(m):
            rate = row_times(I, P, k, jac, advanced(bodies, I[L.N_COORDINATES])) - W[T[T_.W_RATE] + k]
            gamma[k] -= 2.0 * W[ALPHA] * rate + W[BETA] * W[BETA] * W[T[T_.W_PHI] + k]
    for k in range(T[T_.W_D], T[T_.W_D + 1]):
        W[k] = 0.0  # nothing gives way: what remains is the rate of B times the speeds
    call_routine(T[T_.OUTWARD], E, t, 1.0, room(E, T[T_.W_NU]), room(E, T[T_.W_UDOT]), bias)
    forces = room(E, T[T_.W_FORCES])
    inertia_forces(I, F, state, forces)
    run_forces(I, F, state, room(E, T[T_.W_OUT]), jac, room(E, T[T_.W_WORK]), forces)
    for k in range(total * width):
        K[k] = 0.0
    apply_mass(I, F, state, bias, image)
    for c in range(nu):
        right = 0.0
        for i in range(n):
            right += B[n * c + i] * (forces[i] - image[i])
        K[c * width + total] = right
    for c in range(nu):
        column = advanced(B, n * c)
        apply_mass(I, F, state, column, image)
        for r in range(nu):
            value = 0.0
            for i in range(n):
                value += B[n * r + i] * image[i]
            K[r * width + c] = value
        for k in range(m):
            value = row_times(I, P, k, jac, column)
            K[(nu + k) * width + c] = value
            K[c * width + nu + k] = -value
    for k in range(m):
        K[(nu + k) * width + total] = gamma[k] - row_times(I, P, k, jac, bias)
    eliminate(K, total)
    call_routine(T[T_.JOINT_RATES], E, t, 0.0, y, dy, dy)
    first = speeds_at(I, T)
    check = 0.0
    for c in range(nu):
        dy[first + c] = K[c]
        check += K[c]
    for k in range(m):
        lam[k] = K[nu + k]
    if not math.isfinite(check):
        return math.nan
    fill_tail(E, y, lam, dy)
    if W[engine.AT_STEP_END] != 0.0:
        # without projection this is the first look at the constraints after a step
        W[engine.AT_STEP_END] = 0.0
        for k in range(m):
            W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], abs(W[T[T_.W_PHI] + k]))
    return factor_rows(E, 1.0, 0.0) if m > 0 else 1.0
