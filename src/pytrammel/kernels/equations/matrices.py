"""Matrices that implicit methods need, of any equations: derivatives of the rates by differences, dense factors.

Only the first N_ACTIVE entries of y count in the rates; the others (works) follow.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.dense import lu_factor, lu_solve
from pytrammel.kernels.jit import call_routine, complex_table_in, floats_at, kernel, routine, table_in, vector

NUDGE = 1.5e-8  # of an entry or of its scale: balances truncation and rounding of a difference


@kernel()
def places(size, active):
    """Where things begin after the scales: derivatives, real factors and their order, complex ones and theirs, scratch; the end."""
    derivatives = active
    real = derivatives + size * active
    order = real + active * active
    complex_ = order + active
    complex_order = complex_ + 2 * active * active
    scratch = complex_order + active
    return derivatives, real, order, complex_, complex_order, scratch, scratch + 3 * size + 4 + 2 * active


@routine()
def dense_linearise(E, t, h, y_at, unused, unused_too):
    D = floats_at(E[engine.MATRICES])
    size = E[engine.SIZE]
    active = E[engine.N_ACTIVE]
    p = places(size, active)
    y = vector(y_at, size)
    slopes = table_in(D, p[0], size, active)
    moved = D[p[5] : p[5] + size]
    rates = D[p[5] + size : p[5] + 2 * size]
    # what a method takes for the rates may be a guess: differences need them to the last digit
    here = D[p[6] - size : p[6]]
    if math.isnan(call_routine(E[engine.RATES], E, t, 0.0, y, here, here)):
        return math.nan
    for c in range(size):
        moved[c] = y[c]
    for j in range(active):
        nudge = NUDGE * max(abs(y[j]), D[j])
        moved[j] = y[j] + nudge
        nudge = moved[j] - y[j]
        angle = call_routine(E[engine.RATES], E, t, 0.0, moved, rates, rates)
        if math.isnan(angle):
            return math.nan
        for c in range(size):
            slopes[c, j] = (rates[c] - here[c]) / nudge
        moved[j] = y[j]
    return 0.0


@routine()
def dense_factor(E, real, imaginary, unused, unused_too, unused_as_well):
    D = floats_at(E[engine.MATRICES])
    active = E[engine.N_ACTIVE]
    p = places(E[engine.SIZE], active)
    slopes = table_in(D, p[0], active, active)
    if imaginary == 0.0:
        A = table_in(D, p[1], active, active)
        for i in range(active):
            for j in range(active):
                A[i, j] = -real * slopes[i, j]
            A[i, i] += 1.0
        D[p[5] + 2 * E[engine.SIZE]] = real
        return 0.0 if lu_factor(A, D[p[2] : p[2] + active]) else math.nan
    B = complex_table_in(D, p[3], active, active)
    a = complex(real, imaginary)
    for i in range(active):
        for j in range(active):
            B[i, j] = -a * slopes[i, j]
        B[i, i] += 1.0
    D[p[5] + 2 * E[engine.SIZE] + 1] = real
    D[p[5] + 2 * E[engine.SIZE] + 2] = imaginary
    return 0.0 if lu_factor(B, D[p[4] : p[4] + active]) else math.nan


@routine()
def dense_solve(E, t, which, r_at, s_at, unused):
    D = floats_at(E[engine.MATRICES])
    size = E[engine.SIZE]
    active = E[engine.N_ACTIVE]
    p = places(size, active)
    r = vector(r_at, size)
    slopes = table_in(D, p[0], size, active)
    kept = D[p[5] + 2 * size : p[5] + 2 * size + 3]
    if which == 0.0:
        lu_solve(table_in(D, p[1], active, active), D[p[2] : p[2] + active], r[:active])
        for c in range(active, size):
            for j in range(active):
                r[c] += kept[0] * slopes[c, j] * r[j]
        return 0.0
    s = vector(s_at, size)
    both = complex_table_in(D, p[5] + 2 * size + 4, 1, active)[0]
    for j in range(active):
        both[j] = complex(r[j], s[j])
    lu_solve(complex_table_in(D, p[3], active, active), D[p[4] : p[4] + active], both)
    for j in range(active):
        r[j] = both[j].real
        s[j] = both[j].imag
    for c in range(active, size):
        for j in range(active):
            r[c] += slopes[c, j] * (kept[1] * r[j] - kept[2] * s[j])
            s[c] += slopes[c, j] * (kept[1] * s[j] + kept[2] * r[j])
    return 0.0
