"""State and rows of a tree (`tree`): what its joint coordinates say of bodies, and what rows do along its freedoms."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.bodies import body_size
from pytrammel.kernels.evaluate import row_residuals, run_elements
from pytrammel.kernels.jit import call_routine, kernel
from pytrammel.kernels.mass import weigh_by_mass
from pytrammel.kernels.schur import factor
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, constants_at, room, tree_at


@kernel()
def speeds_at(I, T):
    """Where the speeds begin in y."""
    return T[T_.N_POSITIONS] + I[L.N_EXTRAS] + I[L.N_TURNS]


@kernel()
def inner_states_at(I, T):
    """Where the inner states of forces begin in y."""
    return speeds_at(I, T) + T[T_.N_SPEEDS] + I[L.N_EXTRAS]


@kernel()
def load(E, t, y):
    """The whole state at (t, y)."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    state = room(E, T[T_.W_STATE])
    state[L.TIME] = t
    call_routine(T[T_.LOAD], E, t, 0.0, y, y, y)
    at = L.FIRST_BODY + body_size(I) * I[L.N_BODIES]
    extra = T[T_.N_POSITIONS]
    rate = speeds_at(I, T) + T[T_.N_SPEEDS]
    for x in range(I[L.N_EXTRAS]):
        state[at] = y[extra + x]
        state[at + 1] = y[rate + x]
        at += L.EXTRA_SIZE
    for k in range(I[L.N_TURNS]):
        state[at + k] = y[extra + I[L.N_EXTRAS] + k]
    at += I[L.N_TURNS]
    for k in range(I[L.N_STATES]):
        state[at + k] = y[rate + I[L.N_EXTRAS] + k]


@kernel()
def to_bodies(E, y, out):
    """The vector in body coordinates of the state that is loaded."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    call_routine(T[T_.STORE], E, 0.0, 0.0, out, advanced(out, nq), out)
    carried = I[L.N_EXTRAS] + I[L.N_TURNS]
    for k in range(carried):
        out[nq - carried + k] = y[T[T_.N_POSITIONS] + k]
    at = inner_states_at(I, T) - I[L.N_EXTRAS]
    for k in range(I[L.N_EXTRAS] + I[L.N_STATES] + I[L.N_FORCES] + 1):
        out[nq + n - I[L.N_EXTRAS] + k] = y[at + k]


@kernel()
def look_at_rows(E, t):
    """Residuals and right-hand sides of the rows at the state that is loaded; returns the largest residual in row scales."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    P = bare_ints(E[engine.PATTERN])
    out = room(E, T[T_.W_OUT])
    run_elements(I, F, room(E, T[T_.W_STATE]), out, room(E, T[T_.W_JAC]), room(E, T[T_.W_WORK]))
    return row_residuals(
        I,
        F,
        P,
        t,
        out,
        room(E, T[T_.W_WORK]),
        room(E, T[T_.W_TARGET]),
        room(E, T[T_.W_PHI]),
        room(E, T[T_.W_RATE]),
        room(E, T[T_.W_GAMMA]),
    )


@kernel()
def factor_rows(E, of_ones, damping):
    """Factors of the tree and of what its rows make of it; returns the singularity measure, or NaN.

    With a damping, the diagonal of J H^-1 J' is greater by this share: the rows yield.
    """
    T = tree_at(E)
    W = room(E, 0)
    P = bare_ints(E[engine.PATTERN])
    if math.isnan(call_routine(T[T_.FACTOR], E, 0.0, of_ones, W, W, W)):
        return math.nan
    for k in range(P[L.P_ROWS]):
        call_routine(T[T_.ROW], E, float(k), 0.0, W, W, W)
    factor(
        P,
        room(E, T[T_.W_Y]),
        room(E, T[T_.W_WEIGHTED]),
        damping,
        room(E, T[T_.W_ROW]),
        room(E, T[T_.W_LOWER]),
        room(E, T[T_.W_PIVOTS]),
    )
    return smallest_sine(E, of_ones)


@kernel()
def smallest_sine(E, of_ones):
    """Sine of the angle by which the least independent row sticks out of the tree's joints and of the rows before it.

    Along the tree alone a row can vanish in a singular position, so that it is measured against what it does to bodies without joints.
    """
    T = tree_at(E)
    G = constants_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    P = bare_ints(E[engine.PATTERN])
    jac = room(E, T[T_.W_JAC])
    weighted = room(E, T[T_.W_BODY_ROWS])
    per_body = 6 if I[L.IS_SPATIAL] != 0 else 3
    first_turn = 3 if per_body == 6 else 2
    first_extra = I[L.N_COLUMNS] - I[L.N_EXTRAS]
    if of_ones == 0.0:
        weigh_by_mass(I, F, P, room(E, T[T_.W_STATE]), jac, weighted)
    smallest = 1.0
    for k in range(P[L.P_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        j = I[at + 1]
        size = 0.0
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column < 0:
                continue
            if of_ones == 0.0:
                size += jac[j + e] * weighted[j + e]
            elif column >= first_extra:
                size += jac[j + e] * jac[j + e] * F[I[L.AT_EXTRA_MASSES] + column - first_extra]
            else:
                inertia = G[T[T_.UNIT_INERTIA]] if column % per_body >= first_turn else 1.0
                size += jac[j + e] * jac[j + e] / inertia
        product = size * W[T[T_.W_PIVOTS] + k]
        ratio = 1.0 / product if product > 0.0 else 0.0
        if not ratio >= smallest:
            smallest = ratio
    return math.sqrt(smallest)


@kernel()
def add_by_rows(E, lam, udot, accel):
    """Add what forces of the rows do to accelerations along freedoms, and to those of bodies."""
    T = tree_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    F = bare_floats(E[engine.FLOATS])
    n_speeds = T[T_.N_SPEEDS]
    nu = room(E, T[T_.W_NU])
    first_extra = I[L.N_COLUMNS] - I[L.N_EXTRAS]
    for c in range(n_speeds):
        nu[c] = 0.0
    for k in range(P[L.P_ROWS]):
        start = T[T[T_.AT_SUPPORT] + 2 * k]
        for e in range(T[T[T_.AT_SUPPORT] + 2 * k + 1]):
            node = T[start + 2 * e]
            entry = T[start + 2 * e + 1]
            if node < 0:
                x = -node - 1
                more = W[T[T_.W_Y] + entry] * lam[k] * F[I[L.AT_EXTRA_MASSES] + x]
                udot[n_speeds + x] += more
                accel[first_extra + x] += more
            else:
                at = T[T_.AT_NODES] + T_.NODE_SIZE * node
                for a in range(T[at + T_.SPEEDS]):
                    nu[T[at + T_.AT_U] + a] += W[T[T_.W_Y] + entry + a] * lam[k]
    call_routine(T[T_.OUTWARD], E, 0.0, 0.0, nu, udot, accel)


@kernel()
def along_tree(E, motion, out):
    """Read velocities or accelerations of bodies along the freedoms of the tree; needs its factors with ones for masses.

    With ones for masses, the forces that give these accelerations are they themselves.
    """
    T = tree_at(E)
    G = constants_at(E)
    I = bare_ints(E[engine.INTS])
    per_body = 6 if I[L.IS_SPATIAL] != 0 else 3
    forces = room(E, T[T_.W_FORCES])
    for c in range(I[L.N_COLUMNS] - I[L.N_EXTRAS]):
        turning = c % per_body >= (3 if per_body == 6 else 2)
        forces[c] = motion[c] * (G[T[T_.UNIT_INERTIA]] if turning else 1.0)
    call_routine(T[T_.INWARD], E, 0.0, 0.0, forces, forces, forces)
    call_routine(T[T_.OUTWARD], E, 0.0, 1.0, room(E, T[T_.W_NU]), out, room(E, T[T_.W_ACCEL]))
