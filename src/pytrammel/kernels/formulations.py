"""Formulations I and II of chapter 11: accelerations of Euler parameters as unknowns, solved densely.

With w'' = 2 L p'' the equations of motion M h' - J' lam = g (formulation III, which `dynamics` solves sparsely) become, T being the map
from q'' to h':

I    T'M T q'' + P' sigma - T'J' lam = T' g + 2 (w' J' w') p,  P q'' = -p'.p',  J T q'' = gamma   (11.42; Haug 11.3.29)
II   M T q'' - J' lam = g,                                      P q'' = -p'.p',  J T q'' = gamma   (11.45)

P has the row p' for each body. The last term of the first line makes sigma the book's multiplier.
"""

from __future__ import annotations

from pytrammel.kernels import layout as L
from pytrammel.kernels.elimination import eliminate
from pytrammel.kernels.jit import FLOATS, INTS, apart, kernel
from pytrammel.kernels.mass import apply_mass
from pytrammel.kernels.spatial_mass import INERTIA, times_matrix

ANGULAR_VELOCITIES, PARAMETERS, MIXED = 0, 1, 2


@kernel()
def dense_size(I, P):
    """Numbers that the dense system needs, right-hand side included; one if there is none."""
    bodies = I[L.N_BODIES] - 1
    size = I[L.N_COLUMNS] + P[L.P_ROWS]
    if I[L.FORMULATION] != ANGULAR_VELOCITIES:
        size += 2 * bodies
    elif I[L.HAS_MASSLESS] == 0:
        return 1
    return size * (size + 1) + 1


@kernel()
def map_entry(state, body, row, k):
    """Entry of 2 L: how the component k of p'' enters the component `row` of w''."""
    e = body + L.E0
    if k == 0:
        return -2.0 * state[e + 1 + row]
    c = k - 1
    if c == row:
        return 2.0 * state[e]
    # -e~ : (0,1) is e3, (0,2) is -e2, (1,0) is -e3, (1,2) is e1, (2,0) is e2, (2,1) is -e1
    third = 3 - row - c
    sign = 1.0 if (c - row) % 3 == 1 else -1.0
    return 2.0 * sign * state[e + 1 + third]


@kernel()
def expand(I, state, column, out):
    """Column of T: the accelerations h' that one unit of q'' gives."""
    bodies = I[L.N_BODIES] - 1
    for c in range(I[L.N_COLUMNS]):
        out[c] = 0.0
    if column >= 7 * bodies:
        out[6 * bodies + column - 7 * bodies] = 1.0
        return
    b = column // 7
    k = column % 7
    if k < 3:
        out[6 * b + k] = 1.0
    else:
        body = L.FIRST_BODY + L.SPACE_BODY_SIZE * (b + 1)
        for row in range(3):
            out[6 * b + 3 + row] = map_entry(state, body, row, k - 3)


@kernel()
def dot_columns(I, state, column, x):
    """T' x for one column of T."""
    bodies = I[L.N_BODIES] - 1
    if column >= 7 * bodies:
        return x[6 * bodies + column - 7 * bodies]
    b = column // 7
    k = column % 7
    if k < 3:
        return x[6 * b + k]
    body = L.FIRST_BODY + L.SPACE_BODY_SIZE * (b + 1)
    total = 0.0
    for row in range(3):
        total += map_entry(state, body, row, k - 3) * x[6 * b + 3 + row]
    return total


@apart(INTS, FLOATS, INTS, *(9 * (FLOATS,)), seconds=2.0)
def solve_in_parameters(I, F, P, state, jac, g, gamma, K, unit, image, a, lam):
    """Accelerations h' and multipliers by formulation I or II."""
    bodies = I[L.N_BODIES] - 1
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    nq = n + bodies
    first = I[L.FORMULATION] == PARAMETERS
    equations = nq if first else n
    size = nq + m + (bodies if first else 0)
    width = size + 1
    for k in range(size * width):
        K[k] = 0.0
    # the multipliers' columns begin after q'' (and sigma), the conditions' rows after the equations of motion
    lam_at = nq + (bodies if first else 0)
    for column in range(nq):
        expand(I, state, column, unit)
        apply_mass(I, F, state, unit, image)
        for r in range(equations):
            K[r * width + column] = dot_columns(I, state, r, image) if first else image[r]
        for k in range(m):
            at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
            total = 0.0
            for e in range(I[at + 2]):
                c = I[I[at + 3] + e]
                if c >= 0:
                    total += jac[I[at + 1] + e] * unit[c]
            K[(equations + bodies + k) * width + column] = total
            if first:
                K[column * width + lam_at + k] = -total
    if not first:
        for k in range(m):
            at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
            for e in range(I[at + 2]):
                c = I[I[at + 3] + e]
                if c >= 0:
                    K[c * width + lam_at + k] -= jac[I[at + 1] + e]
    for r in range(equations):
        K[r * width + size] = dot_columns(I, state, r, g) if first else g[r]
    for b in range(bodies):
        body = L.FIRST_BODY + L.SPACE_BODY_SIZE * (b + 1)
        wx = state[body + L.WB]
        wy = state[body + L.WB + 1]
        wz = state[body + L.WB + 2]
        hx, hy, hz = times_matrix(F, I[L.AT_MASSES] + L.SPACE_MASS_SIZE * b + INERTIA, wx, wy, wz)
        row = equations + b
        for k in range(4):
            p = state[body + L.E0 + k]
            K[row * width + 7 * b + 3 + k] = p
            if first:
                K[(7 * b + 3 + k) * width + nq + b] = p
                K[(7 * b + 3 + k) * width + size] += 2.0 * (wx * hx + wy * hy + wz * hz) * p
        K[row * width + size] = -0.25 * (wx * wx + wy * wy + wz * wz)
    for k in range(m):
        K[(equations + bodies + k) * width + size] = gamma[k]
    eliminate(K, size)
    for k in range(m):
        lam[k] = K[lam_at + k]
    for c in range(n):
        a[c] = 0.0
    for column in range(nq):
        expand(I, state, column, unit)
        for c in range(n):
            a[c] += K[column] * unit[c]
    return 0.0
