"""The equations of a tree as functions of given coordinates and velocities: dynamics, loop rows, poses, Jacobians, for many states a call.

The table is one of a tree that was never factored, with ones in D: joints do not yield, so that the outward pass hands given accelerations
on, and the inward pass is recursive Newton–Euler.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.dynamics import run_forces
from pytrammel.kernels.equations.tree_elimination import decompose, eliminate, scale_rows, solve_decomposed, weigh_rows
from pytrammel.kernels.equations.tree_places import write_acceleration, write_jacobian, write_pose, write_velocity
from pytrammel.kernels.equations.tree_rows import look_at_rows, speeds_at
from pytrammel.kernels.equations.tree_state import (
    AT_X,
    AT_Y,
    FEWER,
    MASS_ROUTINE,
    N_Q,
    N_V,
    WITH_ELEMENTS,
    X_AT_Q,
    X_BEFORE,
    X_SPEEDS,
    Y_BODIES,
    Y_CONSTANTS,
    Y_EFFORTS,
    Y_MASS,
    Y_RIGHT,
    Y_ROWS,
    Y_SOLVED,
    Y_SQUARE,
    Y_TREE_MASS,
    Y_VECTOR,
    Y_ZERO,
    bodies_accelerate,
    numbers,
    project_efforts,
    set_state,
)
from pytrammel.kernels.evaluate import row_times
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT, INT_ARRAY, call_routine, kernel
from pytrammel.kernels.mass import apply_mass, inertia_forces, mechanical_energy
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, room, tree_at

# tasks
(
    INVERSE, MASS, FORWARD, ROWS, POSE, VELOCITY, ACCELERATION, JACOBIAN, ELEMENTS, GRAVITY, ENERGY, MOVE, RATES, ROW_BIAS, ACTUATORS,
) = range(15)  # fmt: skip
OK, NOT_FINITE, SINGULAR = range(3)
RANK = 1e-9  # pivot tolerance of scaled rows, relative to the largest entry


@kernel()
def efforts(E, a, with_inertia, with_elements, out):
    """Efforts along the speeds for given accelerations at the loaded state (recursive Newton–Euler)."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    state = room(E, T[T_.W_STATE])
    n = I[L.N_COLUMNS]
    forces = room(E, T[T_.W_FORCES])
    loads = numbers(E, Y_BODIES)
    if with_inertia:
        accel = room(E, T[T_.W_ACCEL])
        bodies_accelerate(E, a, accel)
        inertia_forces(I, F, state, forces)
        apply_mass(I, F, state, accel, loads)
    else:
        for c in range(n):
            forces[c] = 0.0
            loads[c] = 0.0
    if with_elements:
        run_forces(I, F, state, room(E, T[T_.W_OUT]), room(E, T[T_.W_JAC]), room(E, T[T_.W_WORK]), forces)
    for c in range(n):
        loads[c] -= forces[c]
    call_routine(T[T_.INWARD], E, 0.0, 0.0, loads, loads, loads)
    project_efforts(E, room(E, T[T_.W_NU]), out)


@kernel()
def form_mass(E, out):
    """Mass matrix along the speeds that callers give."""
    T = tree_at(E)
    X = bare_ints(E[AT_X])
    Y = bare_floats(E[AT_Y])
    if X[FEWER] == 0:
        call_routine(E[MASS_ROUTINE], E, 0.0, 0.0, out, out, out)
        return
    H = numbers(E, Y_TREE_MASS)
    call_routine(E[MASS_ROUTINE], E, 0.0, 0.0, H, H, H)
    n = T[T_.N_SPEEDS]
    for k in range(X[N_V] * X[N_V]):
        out[k] = 0.0
    for r in range(n):
        own = X[X_SPEEDS] + 2 * r
        for c in range(n):
            value = H[r * n + c]
            if value == 0.0:
                continue
            other = X[X_SPEEDS] + 2 * c
            for i in range(X[own + 1]):
                for j in range(X[other + 1]):
                    factor = Y[X[X[own] + 2 * i + 1]] * Y[X[X[other] + 2 * j + 1]]
                    out[X[X[own] + 2 * i] * X[N_V] + X[X[other] + 2 * j]] += factor * value


@kernel()
def form_rows(E, J):
    """Rows along the speeds that callers give, at the state whose rows were evaluated."""
    T = tree_at(E)
    X = bare_ints(E[AT_X])
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    jac = room(E, T[T_.W_JAC])
    loads = numbers(E, Y_BODIES)
    for k in range(P[L.P_ROWS]):
        for c in range(I[L.N_COLUMNS]):
            loads[c] = 0.0
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                loads[column] += jac[I[at + 1] + e]
        call_routine(T[T_.INWARD], E, 0.0, 0.0, loads, loads, loads)
        project_efforts(E, room(E, T[T_.W_NU]), advanced(J, X[N_V] * k))


@kernel()
def row_bias(E, out):
    """Right-hand side of the rows along the speeds: J v' = out."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    bodies = room(E, T[T_.W_ACCEL])
    bodies_accelerate(E, numbers(E, Y_ZERO), bodies)
    for k in range(P[L.P_ROWS]):
        out[k] = room(E, T[T_.W_GAMMA])[k] - row_times(I, P, k, room(E, T[T_.W_JAC]), bodies)


@kernel()
def accelerate(E, with_elements, tau, out):
    """Accelerations along the speeds under given efforts, then the multipliers of the rows; False where they are not determined."""
    X = bare_ints(E[AT_X])
    P = bare_ints(E[engine.PATTERN])
    n = X[N_V]
    m = P[L.P_ROWS]
    efforts(E, numbers(E, Y_ZERO), True, with_elements, numbers(E, Y_EFFORTS))
    bias = numbers(E, Y_EFFORTS)
    for c in range(n):
        out[c] = tau[c] - bias[c]
    H = numbers(E, Y_MASS)
    form_mass(E, H)
    before = X[X_BEFORE] if X[FEWER] == 0 else -1
    if m == 0:
        if not decompose(H, n, X, before):
            return False
        solve_decomposed(H, n, X, before, out)
        return True
    J = numbers(E, Y_ROWS)
    form_rows(E, J)
    S = numbers(E, Y_SQUARE)
    solved = numbers(E, Y_SOLVED)
    right = numbers(E, Y_RIGHT)
    row_bias(E, right)
    if not decompose(H, n, X, before):
        form_mass(E, H)
        weigh_rows(H, n, J, m, right, out)
        before = -1
        if not decompose(H, n, X, before):
            return False
    solve_decomposed(H, n, X, before, out)
    for k in range(m):
        one = advanced(solved, n * k)
        for c in range(n):
            one[c] = J[n * k + c]
        solve_decomposed(H, n, X, before, one)
    for k in range(m):
        for c in range(n):
            right[k] -= J[n * k + c] * out[c]
        for i in range(m):
            total = 0.0
            for c in range(n):
                total += J[n * k + c] * solved[n * i + c]
            S[m * k + i] = total
    if not decompose(S, m, X, -1):
        return False
    solve_decomposed(S, m, X, -1, right)
    for k in range(m):
        out[n + k] = right[k]
        for c in range(n):
            out[c] += solved[n * k + c] * right[k]
    return True


@kernel()
def actuator_efforts(E, a, with_elements, given, out):
    """Efforts of the actuators for given accelerations, loops held; False where the loops do not determine the passive speeds.

    `given` holds the number of passive speeds, all speeds with the passive ones first, and the scales of speeds and rows. Rows that
    are eliminated over the passive speeds are v_p = -U_p^-1 U_a v_a, so that the efforts are f_a - U_a' U_p^-T f_p.
    """
    X = bare_ints(E[AT_X])
    P = bare_ints(E[engine.PATTERN])
    n = X[N_V]
    m = P[L.P_ROWS]
    passive = int(given[0])
    if passive > m:
        return False
    needed = numbers(E, Y_EFFORTS)
    efforts(E, a, True, with_elements, needed)
    J = numbers(E, Y_ROWS)
    form_rows(E, J)
    speeds = advanced(bare(given), 1 + n)
    least = RANK * scale_rows(J, m, n, speeds, advanced(bare(given), 1 + 2 * n))
    order = numbers(E, Y_SOLVED)
    for c in range(n):
        order[c] = given[1 + c]
    if not eliminate(J, m, n, passive, order, least):
        return False
    w = numbers(E, Y_RIGHT)
    for k in range(passive):
        c = int(order[k])
        total = needed[c] * speeds[c]
        for i in range(k):
            total -= J[n * i + c] * w[i]
        w[k] = total / J[n * k + c]
    for j in range(n - passive):
        c = int(order[passive + j])
        total = needed[c] * speeds[c]
        for k in range(passive):
            total -= J[n * k + c] * w[k]
        out[j] = total / speeds[c]
    return True


@kernel()
def write_coordinates(E, task, v, out):
    """Coordinates moved by a step along the speeds, or rates of the coordinates."""
    T = tree_at(E)
    X = bare_ints(E[AT_X])
    I = bare_ints(E[engine.INTS])
    y = numbers(E, Y_VECTOR)
    if task == RATES:
        rates = numbers(E, Y_EFFORTS)
        call_routine(T[T_.JOINT_RATES], E, 0.0, 0.0, y, rates, rates)
        for k in range(X[N_Q]):
            out[k] = rates[X[X[X_AT_Q] + k]]
        return
    step = advanced(y, speeds_at(I, T))
    call_routine(T[T_.MOVE], E, 0.0, 0.0, y, step, step)
    constant = numbers(E, Y_CONSTANTS)
    for k in range(X[N_Q]):
        s = X[X[X_AT_Q] + k]
        out[k] = y[s] - constant[s]


@kernel()
def one_state(E, task, t, q, v, a, place, out):
    """One state; returns a status."""
    T = tree_at(E)
    X = bare_ints(E[AT_X])
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    zero = numbers(E, Y_ZERO)
    elements = X[WITH_ELEMENTS] != 0 and task != GRAVITY
    set_state(E, t, q, v)
    if (
        task == ROWS
        or task == ROW_BIAS
        or (elements and (task == INVERSE or task == ELEMENTS))
        or task == FORWARD
        or task == ACTUATORS
    ):
        look_at_rows(E, t)
    if task == INVERSE:
        efforts(E, a, True, elements, out)
    elif task == GRAVITY:
        efforts(E, zero, True, False, out)
    elif task == ELEMENTS:
        efforts(E, zero, False, elements, out)
        for c in range(X[N_V]):
            out[c] = -out[c]
    elif task == MASS:
        form_mass(E, out)
    elif task == FORWARD:
        if not accelerate(E, elements, a, out):
            return SINGULAR
    elif task == ACTUATORS:
        if not actuator_efforts(E, a, elements, place, out):
            return SINGULAR
    elif task == ROWS:
        m = P[L.P_ROWS]
        for k in range(m):
            out[k] = room(E, T[T_.W_PHI])[k]
        form_rows(E, advanced(out, m))
    elif task == ROW_BIAS:
        row_bias(E, out)
    elif task == POSE:
        write_pose(E, place, out)
    elif task == VELOCITY:
        write_velocity(E, place, out)
    elif task == ACCELERATION:
        write_acceleration(E, a, place, out)
    elif task == JACOBIAN:
        write_jacobian(E, place, out)
    elif task == ENERGY:
        mechanical_energy(I, bare_floats(E[engine.FLOATS]), room(E, T[T_.W_STATE]), out)
    else:
        write_coordinates(E, task, v, out)
    return OK


@kernel(INT_ARRAY, INT, FLOAT, INT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, seconds=8.0)
def tree_functions_run(E, task, t, count, Q, V, A, place, out):
    """A task for many states, one row of everything each; a single row serves all, an empty array means zeros.

    Returns a status plus 4 times the number of the state.
    """
    X = bare_ints(E[AT_X])
    zero = numbers(E, Y_ZERO)
    nq = X[N_Q] if Q.size > X[N_Q] else 0
    nv = X[N_V] if V.size > X[N_V] else 0
    na = X[N_V] if A.size > X[N_V] else 0
    width = out.size // count
    for k in range(count):
        q = advanced(bare(Q), nq * k)
        v = advanced(bare(V), nv * k) if V.size > 0 else zero
        a = advanced(bare(A), na * k) if A.size > 0 else zero
        own = advanced(bare(out), width * k)
        status = one_state(E, task, t, q, v, a, place, own)
        total = 0.0
        for c in range(width):
            total += own[c]
        if status == OK and not math.isfinite(total + t):
            status = NOT_FINITE
        if status != OK:
            return float(status + 4 * k)
    return 0.0
