"""What a joint carries, for the forces that depend on it: friction and laws that name a reaction.

The generalised force of all its rows on one body, with what it carries of the pushes of teeth and with redundant rows sharing the load
as they are reported to do, gives force and moment at the joint's place, whatever rows the joint is made of.
"""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels.agreement import HEAD, agreement_size, compare_loads
from pytrammel.kernels.bare import tail
from pytrammel.kernels.evaluate import row_times
from pytrammel.kernels.jit import FLOATS, INT, INTS, apart, kernel
from pytrammel.kernels.schur import add_transposed, solve_factored
from pytrammel.kernels.vectors import cross, to_global, turned

FORCE_SIZE, BEARING, SLIDE = 0, 1, 2  # kinds of loads: size of the force, a bearing's, a guide's
HELD = 1e-6  # share of a push that may be left uncarried
LOADS_HEAD = 6  # numbers of the generalised force, before the multipliers in the buffer


@kernel()
def loads_size(I, P):
    """Size of the buffer: that of `sharing_size`, then that of `agreement_size`."""
    return sharing_size(I, P) + agreement_size(I)


@kernel()
def sharing_size(I, P):
    """A generalised force, all multipliers, then room for sharing: C, N, x, one column, the active load."""
    m = P[L.P_ROWS]
    r = P[L.P_LEFT_OUT]
    return LOADS_HEAD + I[L.N_ROWS] + r * m + r * r + r + I[L.N_COLUMNS] + m


@kernel()
def solve_positive(x, at_n, size, at_b):
    """Solve N b' = b for a positive definite N by Cholesky's method; both lie in the buffer x and are overwritten."""
    for j in range(size):
        for k in range(j):
            for i in range(j, size):
                x[at_n + i * size + j] -= x[at_n + i * size + k] * x[at_n + j * size + k]
        pivot = math.sqrt(x[at_n + j * size + j])
        for i in range(j, size):
            x[at_n + i * size + j] /= pivot
    for i in range(size):
        for k in range(i):
            x[at_b + i] -= x[at_n + i * size + k] * x[at_b + k]
        x[at_b + i] /= x[at_n + i * size + i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            x[at_b + i] -= x[at_n + k * size + i] * x[at_b + k]
        x[at_b + i] /= x[at_n + i * size + i]


@kernel()
def carry_pushes(I, F, P, jac, weighted, lower, pivots, x):
    """Add what the active rows carry of the pushes of teeth to the multipliers in the buffer.

    A push does no work where joints hold the centres, so that it is a combination of the rows; one that nothing holds is left out.
    """
    m = P[L.P_ROWS]
    n = I[L.N_COLUMNS]
    r = P[L.P_LEFT_OUT]
    scales = I[L.AT_COLUMN_SCALES]
    at_column = LOADS_HEAD + I[L.N_ROWS] + r * m + r * r + r
    column = tail(x, at_column)
    own = tail(x, at_column + n)
    for g in range(I[L.N_PUSHES]):
        at = I[L.AT_PUSHES] + L.PUSH_SIZE * g
        push = F[I[at + 4]] * abs(x[LOADS_HEAD + I[at]])
        for c in range(n):
            column[c] = 0.0
        for e in range(I[at + 2]):
            c = I[I[at + 3] + e]
            if c >= 0:
                column[c] += push * jac[I[at + 1] + e]
        size = 0.0
        for c in range(n):
            size = max(size, F[scales + c] * abs(column[c]))
        for k in range(m):
            own[k] = -row_times(I, P, k, weighted, column)
        solve_factored(P, lower, pivots, own)
        add_transposed(I, P, jac, own, column)
        left = 0.0
        for c in range(n):
            left = max(left, F[scales + c] * abs(column[c]))
        if left <= HELD * size:
            for k in range(m):
                x[LOADS_HEAD + P[P[L.P_AT_ROWS] + k]] += own[k]


@kernel()
def share_load(I, F, P, jac, weighted, lower, pivots, x):
    """Spread the multipliers in the buffer over active and redundant rows with the smallest sum of squares, each in its own scale.

    A row left out is a combination of the active ones, J_out = C'J. Load moved onto it takes C times as much off them, so the best
    load solves (1 + C'C) y = C'lam. C comes from the sparse factors of the active rows, in whatever metric they were made.
    """
    m = P[L.P_ROWS]
    n = I[L.N_COLUMNS]
    r = P[L.P_LEFT_OUT]
    scales = I[L.AT_ROW_SCALES]
    at_c = LOADS_HEAD + I[L.N_ROWS]
    at_n = at_c + r * m
    at_y = at_n + r * r
    at_column = at_y + r
    at_load = at_column + n
    for k in range(m):
        row = P[P[L.P_AT_ROWS] + k]
        x[at_load + k] = x[LOADS_HEAD + row] * F[scales + row]
    for o in range(r):
        out = P[P[L.P_AT_LEFT_OUT] + o]
        at = I[L.AT_ROWS] + L.ROW_SIZE * out
        column = tail(x, at_column)
        for c in range(n):
            column[c] = 0.0
        for e in range(I[at + 2]):
            c = I[I[at + 3] + e]
            if c >= 0:
                column[c] += jac[I[at + 1] + e]
        own = tail(x, at_c + o * m)
        for k in range(m):
            own[k] = row_times(I, P, k, weighted, column)
        solve_factored(P, lower, pivots, own)
        for k in range(m):
            own[k] *= F[scales + P[P[L.P_AT_ROWS] + k]] / F[scales + out]
    for o in range(r):
        for p in range(o + 1):
            total = 1.0 if o == p else 0.0
            for k in range(m):
                total += x[at_c + o * m + k] * x[at_c + p * m + k]
            x[at_n + o * r + p] = total
            x[at_n + p * r + o] = total
        total = 0.0
        for k in range(m):
            total += x[at_c + o * m + k] * x[at_load + k]
        x[at_y + o] = total
    solve_positive(x, at_n, r, at_y)
    for o in range(r):
        out = P[P[L.P_AT_LEFT_OUT] + o]
        for k in range(m):
            x[at_load + k] -= x[at_c + o * m + k] * x[at_y + o]
        x[LOADS_HEAD + out] = x[at_y + o] / F[scales + out]
    for k in range(m):
        row = P[P[L.P_AT_ROWS] + k]
        x[LOADS_HEAD + row] = x[at_load + k] / F[scales + row]


@kernel()
def across(fx, fy, fz, ax, ay, az):
    """Part of a vector across a unit axis, and the part along it."""
    along = fx * ax + fy * ay + fz * az
    return fx - along * ax, fy - along * ay, fz - along * az, along


@kernel()
def pressed(F, f, dimension, kind, state, b, j, x):
    """Sum of the normal forces in a bearing or guide: two journals, or edges, half its length off the middle, carry force and couple.

    x holds force and moment about the origin of body b. Constants at F[f]: place and axis on body j, one over the length, one over the
    radius. A bearing adds its thrust, a guide the couple about its axis over its radius.
    """
    if dimension == 2:
        if kind == BEARING:
            return math.hypot(x[0], x[1])
        c = state[j + L.COS]
        s = state[j + L.SIN]
        px = state[j + L.X] - state[b + L.X] + c * F[f] - s * F[f + 1]
        py = state[j + L.Y] - state[b + L.Y] + s * F[f] + c * F[f + 1]
        nx = -(s * F[f + 2] + c * F[f + 3])
        ny = c * F[f + 2] - s * F[f + 3]
        force = 0.5 * (nx * x[0] + ny * x[1])
        edge = (x[2] - px * x[1] + py * x[0]) * F[f + 4]
        return abs(force + edge) + abs(force - edge)
    px, py, pz = turned(state, j, F, f)
    px += state[j + L.R] - state[b + L.R]
    py += state[j + L.R + 1] - state[b + L.R + 1]
    pz += state[j + L.R + 2] - state[b + L.R + 2]
    ax, ay, az = turned(state, j, F, f + 3)
    mx, my, mz = to_global(state, b, x[3], x[4], x[5])
    tx, ty, tz = cross(px, py, pz, x[0], x[1], x[2])
    mx, my, mz, twist = across(mx - tx, my - ty, mz - tz, ax, ay, az)
    fx, fy, fz, thrust = across(x[0], x[1], x[2], ax, ay, az)
    ex, ey, ez = cross(mx, my, mz, ax, ay, az)
    ex *= F[f + 6]
    ey *= F[f + 6]
    ez *= F[f + 6]
    one = math.sqrt((0.5 * fx + ex) ** 2 + (0.5 * fy + ey) ** 2 + (0.5 * fz + ez) ** 2)
    two = math.sqrt((0.5 * fx - ex) ** 2 + (0.5 * fy - ey) ** 2 + (0.5 * fz - ez) ** 2)
    return one + two + (abs(thrust) if kind == BEARING else abs(twist) * F[f + 7])


@apart(INTS, FLOATS, INTS, INT, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, seconds=4.0)
def write_reactions(I, F, P, passed, state, jac, weighted, lower, pivots, lam, out, x):
    """Loads of joints for the forces that depend on them, after so many passes; returns the verdict of `compare_loads`.

    Needs the factors of the active rows; x is the buffer of `loads_size`.
    """
    for row in range(I[L.N_ROWS]):
        x[LOADS_HEAD + row] = 0.0
    for k in range(P[L.P_ROWS]):
        x[LOADS_HEAD + P[P[L.P_AT_ROWS] + k]] = lam[k]
    if I[L.N_PUSHES] > 0:
        carry_pushes(I, F, P, jac, weighted, lower, pivots, x)
    if P[L.P_LEFT_OUT] > 0:
        share_load(I, F, P, jac, weighted, lower, pivots, x)
    size = 6 if I[L.IS_SPATIAL] != 0 else 3
    agreement = tail(x, sharing_size(I, P))
    for r in range(I[L.N_REACTIONS]):
        at = I[L.AT_REACTIONS] + L.REACTION_SIZE * r
        first = I[at + 4]
        for c in range(size):
            x[c] = 0.0
        for row in range(I[at + 1], I[at + 1] + I[at + 2]):
            place = I[L.AT_ROWS] + L.ROW_SIZE * row
            for e in range(I[place + 2]):
                column = I[I[place + 3] + e] - first
                if 0 <= column < size:
                    x[column] += jac[I[place + 1] + e] * x[LOADS_HEAD + row]
        if I[at + 3] == FORCE_SIZE:
            total = x[0] * x[0] + x[1] * x[1]
            if size == 6:
                total += x[2] * x[2]
            agreement[HEAD + r] = math.sqrt(total)
        else:
            agreement[HEAD + r] = pressed(F, I[at + 7], size // 3 + 1, I[at + 3], state, I[at + 5], I[at + 6], x)
    return compare_loads(I, passed, out, agreement)
