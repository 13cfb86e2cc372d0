"""Matrices that implicit methods need, of constrained motion, from exact derivatives.

With small motions s, velocities v and the balance M a + ... : the correction of a state by a residual r of 1 - h f' solves

    [M + h C + h² K R,   -J'] [dv  ]   [M r_v - h K R r_s]
    [J + h S_v + h² S_q R, 0] [h dl] = [J r_v - h S_q R r_s],      ds = R (r_s + h dv)

where S_q and S_v are the derivatives of J a - gamma (with those of Baumgarte's 2 alpha (J v - nu) + beta² Phi), and R = 1 but for
rotations in space, whose parameters are integrated as plain numbers: R⁻¹ = 1 + h/2 w~ + h²/4 w w'. h may be complex. Works follow by
themselves.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels import linear_layout as N
from pytrammel.kernels.banded import band_factor, band_solve
from pytrammel.kernels.dynamics import JAC, workspace_in
from pytrammel.kernels.engine import data_of, rates_in_full
from pytrammel.kernels.equations.cartesian import ALPHA, BETA, WORK, unknowns, vector_size
from pytrammel.kernels.jit import complex_table_in, floats_at, ints_at, kernel, routine, table_in, vector
from pytrammel.kernels.linearise import linearise


@kernel()
def exact_places(size, lin, n, m, width):
    """Where things begin after the results of the linearisation: state, real factors, complex factors, scratch; and the end.

    The state is y, then the rates of the last call. Factors are the coefficient h (two numbers), the blocks R, the matrix with rows
    of `width` entries, its order.
    """
    k = n + m
    real = lin + 2 * size
    complex_ = real + 2 + 3 * n + k * width + 3 * k
    scratch = complex_ + 2 + 2 * 3 * n + 2 * k * width + 3 * k
    return lin, real, complex_, scratch, scratch + 2 * (k + 2 * n) + 2 * size


@kernel()
def band_at(E, T):
    """Where the widths of the band below and above the diagonal stand, then the places of columns and rows (`system.band`)."""
    return E[engine.AT_PATTERN] + 2 * T[N.T_PLACES]


@kernel()
def band_width(T, band):
    """Entries per row of the matrix with room for row exchanges."""
    return 2 * T[band] + T[band + 1] + 1


@kernel()
def add_entry(T, band, A, row, column, value):
    """Add to an entry of the matrix; rows of constraints count from the number of columns on."""
    place = T[band + 2 + row]
    A[place, T[band + 2 + column] - place + T[band]] += value


@routine(seconds=20.0)
def exact_linearise(E, t, h, y_at, dy_at, unused):
    I, F, P, W = data_of(E)
    D = floats_at(E[engine.MATRICES])
    T = ints_at(E[engine.COUPLING])
    ws = workspace_in(I, P, W, WORK)
    a, lam = unknowns(I, P, W)
    size = vector_size(I)
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    y = vector(y_at, size)
    p = exact_places(size, T[N.T_SIZE], n, P[L.P_ROWS], band_width(T, band_at(E, T)))
    for c in range(size):
        D[p[0] + c] = y[c]
    # what is stiff does not depend on accelerations: those of the last evaluation do
    if h != 0.0 and math.isnan(rates_in_full(E, t, y_at, D[p[0] + size :])):
        return math.nan
    asked = N.LAWS_ONLY if h == 0.0 else 0 if h == 1.0 else N.ACCELERATION_ROWS
    status = linearise(
        I, F, P, T, t, y[:nq], y[nq : nq + n], y[nq + n : nq + n + I[L.N_STATES]], a, lam, asked, ws, D[: T[N.T_SIZE]]
    )
    # the Jacobian goes where the linearisation keeps its own copy
    for k in range(I[L.N_JACOBIAN]):
        D[T[N.JAC] + k] = ws[JAC][k]
    return 0.0 if status == L.OK else math.nan


@kernel()
def turning_blocks(I, v, h, blocks):
    """R of every column triple, three numbers per column: row c of R stands at 3 c, over the three columns of its triple."""
    n = I[L.N_COLUMNS]
    for c in range(n):
        for j in range(3):
            blocks[3 * c + j] = 0.0
    if I[L.IS_SPATIAL] == 0:
        return
    for b in range(I[L.N_BODIES] - 1):
        c = 6 * b + 3
        x = v[c]
        y = v[c + 1]
        z = v[c + 2]
        # columns of 1 + h/2 w~ + h²/4 w w', inverted by cofactors
        q = 0.25 * h * h
        g = 0.5 * h
        m00 = 1.0 + q * x * x
        m01 = q * x * y - g * z
        m02 = q * x * z + g * y
        m10 = q * x * y + g * z
        m11 = 1.0 + q * y * y
        m12 = q * y * z - g * x
        m20 = q * x * z - g * y
        m21 = q * y * z + g * x
        m22 = 1.0 + q * z * z
        c00 = m11 * m22 - m12 * m21
        c01 = m12 * m20 - m10 * m22
        c02 = m10 * m21 - m11 * m20
        det = m00 * c00 + m01 * c01 + m02 * c02
        blocks[3 * c] = c00 / det
        blocks[3 * c + 1] = (m02 * m21 - m01 * m22) / det
        blocks[3 * c + 2] = (m01 * m12 - m02 * m11) / det
        blocks[3 * c + 3] = c01 / det
        blocks[3 * c + 4] = (m00 * m22 - m02 * m20) / det
        blocks[3 * c + 5] = (m02 * m10 - m00 * m12) / det
        blocks[3 * c + 6] = c02 / det
        blocks[3 * c + 7] = (m01 * m20 - m00 * m21) / det
        blocks[3 * c + 8] = (m00 * m11 - m01 * m10) / det


@kernel()
def first_of_triple(I, c):
    """First column of the rotation that a column belongs to, or -1."""
    if I[L.IS_SPATIAL] == 0 or c >= 6 * (I[L.N_BODIES] - 1) or c % 6 < 3:
        return -1
    return c - c % 3


@kernel()
def add_turned(I, T, band, A, row, column, value, blocks):
    """Add value times row `column` of R to a row of the matrix."""
    first = first_of_triple(I, column)
    if first < 0:
        add_entry(T, band, A, row, column, value)
    else:
        for j in range(3):
            add_entry(T, band, A, row, first + j, value * blocks[3 * column + j])


@kernel()
def fill_matrix(I, P, W, T, D, at_pattern, band, h, blocks, A):
    """The matrix above."""
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    damped = 1.0 + 2.0 * W[ALPHA] * h
    restored = W[BETA] * W[BETA]
    for i in range(n + m):
        for j in range(A.shape[1]):
            A[i, j] = 0.0
    count = T[N.T_PLACES]
    for e in range(count):
        row = T[at_pattern + e]
        column = T[at_pattern + count + e]
        add_entry(T, band, A, row, column, D[T[N.MASS] + e] + h * D[T[N.DAMPING] + e])
        stiffness = D[T[N.STIFFNESS] + e]
        if stiffness != 0.0:
            add_turned(I, T, band, A, row, column, h * h * stiffness, blocks)
    for k in range(m):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                place = I[at + 1] + e
                add_entry(T, band, A, column, n + k, -D[T[N.JAC] + place])
                add_entry(T, band, A, n + k, column, damped * D[T[N.JAC] + place] + h * D[T[N.SECOND_V] + place])
                second = D[T[N.SECOND_Q] + place] + restored * D[T[N.JAC] + place]
                second += 2.0 * W[ALPHA] * D[T[N.RATE_Q] + place]
                add_turned(I, T, band, A, n + k, column, h * h * second, blocks)


@routine(seconds=3.0)
def exact_factor(E, real, imaginary, unused, unused_too, unused_as_well):
    I = ints_at(E[engine.INTS])
    P = ints_at(E[engine.PATTERN])
    W = floats_at(E[engine.WORKSPACE])
    D = floats_at(E[engine.MATRICES])
    T = ints_at(E[engine.COUPLING])
    n = I[L.N_COLUMNS]
    k = n + P[L.P_ROWS]
    band = band_at(E, T)
    width = band_width(T, band)
    p = exact_places(vector_size(I), T[N.T_SIZE], n, P[L.P_ROWS], width)
    v = D[p[0] + I[L.N_COORDINATES] : p[0] + I[L.N_COORDINATES] + n]
    if imaginary == 0.0:
        D[p[1]] = real
        blocks = D[p[1] + 2 : p[1] + 2 + 3 * n]
        A = table_in(D, p[1] + 2 + 3 * n, k, width)
        turning_blocks(I, v, real, blocks)
        fill_matrix(I, P, W, T, D, E[engine.AT_PATTERN], band, real, blocks, A)
        at = p[1] + 2 + 3 * n + k * width
        return 0.0 if band_factor(A, T[band], T[band + 1], D[at : at + 3 * k]) else math.nan
    D[p[2]] = real
    D[p[2] + 1] = imaginary
    h = complex(real, imaginary)
    turning = complex_table_in(D, p[2] + 2, 1, 3 * n)[0]
    B = complex_table_in(D, p[2] + 2 + 6 * n, k, width)
    turning_blocks(I, v, h, turning)
    fill_matrix(I, P, W, T, D, E[engine.AT_PATTERN], band, h, turning, B)
    at = p[2] + 2 + 6 * n + 2 * k * width
    return 0.0 if band_factor(B, T[band], T[band + 1], D[at : at + 3 * k]) else math.nan


@kernel()
def to_small_motion(I, y, r, h, out):
    """Residuals of coordinates as small motions r_s + h r_e w, where r_e is the residual along the parameters themselves."""
    n = I[L.N_COLUMNS]
    if I[L.IS_SPATIAL] == 0:
        for c in range(n):
            out[c] = r[c]
        return
    bodies = I[L.N_BODIES] - 1
    nq = I[L.N_COORDINATES]
    for b in range(bodies):
        k = 7 * b
        c = 6 * b
        e0 = y[k + 3]
        e1 = y[k + 4]
        e2 = y[k + 5]
        e3 = y[k + 6]
        for i in range(3):
            out[c + i] = r[k + i]
        along = e0 * r[k + 3] + e1 * r[k + 4] + e2 * r[k + 5] + e3 * r[k + 6]
        out[c + 3] = 2.0 * (-e1 * r[k + 3] + e0 * r[k + 4] + e3 * r[k + 5] - e2 * r[k + 6]) + h * along * y[nq + c + 3]
        out[c + 4] = 2.0 * (-e2 * r[k + 3] - e3 * r[k + 4] + e0 * r[k + 5] + e1 * r[k + 6]) + h * along * y[nq + c + 4]
        out[c + 5] = 2.0 * (-e3 * r[k + 3] + e2 * r[k + 4] - e1 * r[k + 5] + e0 * r[k + 6]) + h * along * y[nq + c + 5]
    for x in range(I[L.N_EXTRAS]):
        out[6 * bodies + x] = r[7 * bodies + x]


@kernel()
def from_small_motion(I, y, s, h, r):
    """Small motions as corrections of the coordinates, in place of their residuals."""
    n = I[L.N_COLUMNS]
    if I[L.IS_SPATIAL] == 0:
        for c in range(n):
            r[c] = s[c]
        return
    bodies = I[L.N_BODIES] - 1
    nq = I[L.N_COORDINATES]
    for b in range(bodies):
        k = 7 * b
        c = 6 * b
        e0 = y[k + 3]
        e1 = y[k + 4]
        e2 = y[k + 5]
        e3 = y[k + 6]
        for i in range(3):
            r[k + i] = s[c + i]
        x = 0.5 * s[c + 3]
        u = 0.5 * s[c + 4]
        z = 0.5 * s[c + 5]
        along = e0 * r[k + 3] + e1 * r[k + 4] + e2 * r[k + 5] + e3 * r[k + 6]
        along -= 0.5 * h * (x * y[nq + c + 3] + u * y[nq + c + 4] + z * y[nq + c + 5])
        r[k + 3] = -e1 * x - e2 * u - e3 * z + along * e0
        r[k + 4] = e0 * x - e3 * u + e2 * z + along * e1
        r[k + 5] = e3 * x + e0 * u - e1 * z + along * e2
        r[k + 6] = -e2 * x + e1 * u + e0 * z + along * e3
    for x_ in range(I[L.N_EXTRAS]):
        r[7 * bodies + x_] = s[6 * bodies + x_]


@kernel()
def correct(I, P, W, T, D, at_pattern, band, y, h, blocks, A, order, r, rhs, small, turned):
    """Solve for the correction of a residual, in place. rhs, small, turned: scratch for n + m, n and n numbers."""
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    nq = I[L.N_COORDINATES]
    to_small_motion(I, y, r, h, small)
    for c in range(n):
        first = first_of_triple(I, c)
        turned[c] = small[c]
        if first >= 0:
            turned[c] = 0.0
            for j in range(3):
                turned[c] += blocks[3 * c + j] * small[first + j]
    for i in range(n + m):
        rhs[i] = 0.0
    count = T[N.T_PLACES]
    rows = T[at_pattern : at_pattern + count]
    columns = T[at_pattern + count : at_pattern + 2 * count]
    places = T[band + 2 : band + 2 + n + m]
    mass = D[T[N.MASS] : T[N.MASS] + count]
    stiffness = D[T[N.STIFFNESS] : T[N.STIFFNESS] + count]
    jacobian = D[T[N.JAC] : T[N.JAC] + I[L.N_JACOBIAN]]
    second = D[T[N.SECOND_Q] : T[N.SECOND_Q] + I[L.N_JACOBIAN]]
    rate = D[T[N.RATE_Q] : T[N.RATE_Q] + I[L.N_JACOBIAN]]
    for e in range(count):
        rhs[places[rows[e]]] += mass[e] * r[nq + columns[e]] - h * stiffness[e] * turned[columns[e]]
    restored = W[BETA] * W[BETA]
    for k in range(m):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        total = 0.0 * h
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                place = I[at + 1] + e
                total += jacobian[place] * r[nq + column]
                held = restored * jacobian[place] + 2.0 * W[ALPHA] * rate[place]
                total -= h * (second[place] + held) * turned[column]
        rhs[places[n + k]] = total
    band_solve(A, T[band], order, rhs)
    for c in range(n):
        r[nq + c] = rhs[places[c]]
        small[c] += h * r[nq + c]
    for c in range(n):
        first = first_of_triple(I, c)
        turned[c] = small[c]
        if first >= 0:
            turned[c] = 0.0
            for j in range(3):
                turned[c] += blocks[3 * c + j] * small[first + j]
    from_small_motion(I, y, turned, h, r)


@routine(seconds=3.0)
def exact_solve(E, t, which, r_at, s_at, unused):
    I = ints_at(E[engine.INTS])
    P = ints_at(E[engine.PATTERN])
    W = floats_at(E[engine.WORKSPACE])
    D = floats_at(E[engine.MATRICES])
    T = ints_at(E[engine.COUPLING])
    size = vector_size(I)
    n = I[L.N_COLUMNS]
    k = n + P[L.P_ROWS]
    band = band_at(E, T)
    width = band_width(T, band)
    p = exact_places(size, T[N.T_SIZE], n, P[L.P_ROWS], width)
    y = D[p[0] : p[0] + size]
    r = vector(r_at, size)
    if which == 0.0:
        at = p[1] + 2 + 3 * n + k * width
        correct(
            I, P, W, T, D, E[engine.AT_PATTERN], band, y, D[p[1]], D[p[1] + 2 : p[1] + 2 + 3 * n],
            table_in(D, p[1] + 2 + 3 * n, k, width), D[at : at + 3 * k], r,
            D[p[3] : p[3] + k], D[p[3] + k : p[3] + k + n], D[p[3] + k + n : p[3] + k + 2 * n],
        )  # fmt: skip
        return 0.0
    s = vector(s_at, size)
    at = p[2] + 2 + 6 * n + 2 * k * width
    z = complex_table_in(D, p[3] + 2 * (k + 2 * n), 1, size)[0]
    scratch = complex_table_in(D, p[3], 1, k + 2 * n)[0]
    for c in range(size):
        z[c] = complex(r[c], s[c])
    correct(
        I, P, W, T, D, E[engine.AT_PATTERN], band, y, complex(D[p[2]], D[p[2] + 1]), complex_table_in(D, p[2] + 2, 1, 3 * n)[0],
        complex_table_in(D, p[2] + 2 + 6 * n, k, width), D[at : at + 3 * k], z, scratch[:k], scratch[k : k + n], scratch[k + n :],
    )  # fmt: skip
    for c in range(size):
        r[c] = z[c].real
        s[c] = z[c].imag
    return 0.0
