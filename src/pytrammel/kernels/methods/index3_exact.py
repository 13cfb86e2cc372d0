"""The matrix of methods on index 3 (`index3`) in body coordinates, from exact derivatives, in a band."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels import linear_layout as N
from pytrammel.kernels.banded import band_factor, band_solve
from pytrammel.kernels.bare import bare
from pytrammel.kernels.engine import data_of
from pytrammel.kernels.equations.exact import add_entry, add_turned, band_at, band_width, exact_places
from pytrammel.kernels.equations.steps import difference, steps_of
from pytrammel.kernels.jit import call_routine, floats_at, ints_at, kernel, routine, table_in, vector
from pytrammel.kernels.methods.index3_formulas import (
    AT_PAST,
    AT_SCRATCH,
    AT_WEIGHTS,
    PAST,
    part,
    step_coefficients,
)


@kernel()
def add_tangent(I, weight, sign, x, blocks):
    """Add to the blocks of rotations what a small motion at the end changes of a rotation vector: 1 + x~/2 + k x~², x times sign."""
    if I[L.IS_SPATIAL] == 0:
        return
    for b in range(I[L.N_BODIES] - 1):
        c = 6 * b + 3
        square = x[c] * x[c] + x[c + 1] * x[c + 1] + x[c + 2] * x[c + 2]
        k = 1.0 / 12.0 + square / 720.0
        if square > 1e-4:
            half = 0.5 * math.sqrt(square)
            k = (1.0 - half / math.tan(half)) / square
        for i in range(3):
            for j in range(3):
                value = k * x[c + i] * x[c + j]
                if i == j:
                    value += 1.0 - k * square
                elif (j - i) % 3 == 1:
                    value -= 0.5 * sign * x[c + 3 - i - j]
                else:
                    value += 0.5 * sign * x[c + 3 - i - j]
                blocks[3 * (c + i) + j] += weight * value


@kernel()
def fill_matrix(I, P, T, D, at_pattern, band, c1, c2, blocks, A):
    """The matrix above."""
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    for i in range(n + m):
        for j in range(A.shape[1]):
            A[i, j] = 0.0
    count = T[N.T_PLACES]
    for e in range(count):
        row = T[at_pattern + e]
        column = T[at_pattern + count + e]
        add_turned(I, T, band, A, row, column, D[T[N.MASS] + e] + c1 / c2 * D[T[N.DAMPING] + e], blocks)
        add_entry(T, band, A, row, column, D[T[N.STIFFNESS] + e] / c2)
    for k in range(m):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column < 0:
                continue
            place = I[at + 1] + e
            add_entry(T, band, A, column, n + k, -D[T[N.JAC] + place])
            if I[at + 5] == 0:
                add_entry(T, band, A, n + k, column, D[T[N.JAC] + place])
            else:
                add_turned(I, T, band, A, n + k, column, D[T[N.JAC] + place], blocks)
                add_entry(T, band, A, n + k, column, D[T[N.RATE_Q] + place] / c1)


@kernel(spread=True)
def matrix_at(E, n, m):
    """The matrix in its band, its order, and where the band is described."""
    T = ints_at(E[engine.COUPLING])
    D = floats_at(E[engine.MATRICES])
    band = band_at(E, T)
    width = band_width(T, band)
    at = exact_places(E[engine.SIZE], T[N.T_SIZE], n, m, width)[1] + 2 + 3 * n
    return table_in(D, at, n + m, width), part(D, at + (n + m) * width), band


@routine(seconds=4.0)
def index3_exact_matrix(E, t, h, y1, unused, unused_too):
    """Linearise at the positions and velocities of the scratch, and factorise; NaN without factors."""
    ints, _, pattern, _ = data_of(E)
    I = bare(ints)
    P = bare(pattern)
    M = steps_of(E)
    S = bare(floats_at(E[engine.NUMBERS]))
    T = ints_at(E[engine.COUPLING])
    D = floats_at(E[engine.MATRICES])
    size = E[engine.SIZE]
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    nq = I[L.N_COORDINATES]
    q = part(S, E[AT_SCRATCH])
    x = part(S, E[AT_SCRATCH] + 4 * size)
    c1, c2 = step_coefficients(E, S, t - h, h)
    for c in range(nq):
        y1[c] = q[c]
    for c in range(n):
        y1[nq + c] = S[E[AT_SCRATCH] + size + c]
    for c in range(nq + n, size):
        y1[c] = S[E[AT_PAST] + c]
    if math.isnan(call_routine(E[engine.LINEARISE], E, t, 1.0, y1, y1, y1)):
        return math.nan
    A, order, band = matrix_at(E, n, m)
    blocks = part(D, exact_places(size, T[N.T_SIZE], n, m, band_width(T, band))[1] + 2)
    for e in range(3 * n):
        blocks[e] = 0.0
    if E[PAST] == 0:
        difference(M, q, part(S, E[AT_PAST]), x)
        add_tangent(I, 1.0, 1.0, x, blocks)
    for j in range(E[PAST]):
        difference(M, part(S, E[AT_PAST] + j * size), q, x)
        add_tangent(I, -S[E[AT_WEIGHTS] + j + 1] / c1, -1.0, x, blocks)
    fill_matrix(I, P, T, D, E[engine.AT_PATTERN], band, c1, c2, blocks, A)
    return 0.0 if band_factor(A, T[band], T[band + 1], order) else math.nan


@routine(seconds=1.0)
def index3_exact_solve(E, t, h, r, unused, unused_too):
    ints, _, pattern, _ = data_of(E)
    count = ints[L.N_COLUMNS] + pattern[L.P_ROWS]
    T = ints_at(E[engine.COUPLING])
    A, order, band = matrix_at(E, ints[L.N_COLUMNS], pattern[L.P_ROWS])
    S = bare(floats_at(E[engine.NUMBERS]))
    ordered = vector(part(S, E[AT_SCRATCH] + 5 * E[engine.SIZE]), count)
    for k in range(count):
        ordered[T[band + 2 + k]] = r[k]
    band_solve(A, T[band], order, ordered)
    for k in range(count):
        r[k] = ordered[T[band + 2 + k]]
    return 0.0
