"""Sparse solution of J dq = r with the smallest weighted step: S = J W J', S = L D L', dq = W J' S^-1 r.

W holds the squared scales of the columns (zero for prescribed ones). The pattern is fixed by lowering (`system.pattern`),
so a factorisation is a few flat loops. A row that depends on earlier ones shows as a pivot that is tiny against its own
diagonal; it is left out (its multiplier is zero) and the smallest such ratio is reported as the measure of singularity.
"""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels.evaluate import row_times
from pytrammel.kernels.jit import kernel

DEPENDENT = 1e-14  # pivot / diagonal below which a row counts as dependent: its angle to the others is under 1e-7
PASSES = 6  # at most, of solving with the residual formed anew
SETTLED = 1e-14  # a correction this small against the solution ends the passes


@kernel()
def factor(P, jac, weighted, damping, y, lower, pivots_inverse):
    """Form S from the Jacobian J and the weighted Jacobian J W, and factor it in place.

    Returns the square root of the smallest pivot ratio: the sine of the angle by which the least independent row
    sticks out of the others, 0 at a singular position.
    """
    m = P[L.P_ROWS]
    s_start = P[L.P_AT_S]
    s_column = P[L.P_AT_S_COLUMN]
    term_start = P[L.P_AT_TERM]
    terms = P[L.P_AT_TERMS]
    row_start = P[L.P_AT_L_ROW]
    row_column = P[L.P_AT_L_ROW_COLUMN]
    row_place = P[L.P_AT_L_ROW_PLACE]
    column_start = P[L.P_AT_L_COLUMN]
    row_index = P[L.P_AT_L_ROW_INDEX]
    smallest = 1.0
    for k in range(m):
        # row k of S, lower triangle, diagonal last
        for e in range(P[s_start + k], P[s_start + k + 1]):
            total = 0.0
            for term in range(P[term_start + e], P[term_start + e + 1]):
                at = terms + 2 * term
                total += jac[P[at]] * weighted[P[at + 1]]
            y[P[s_column + e]] = total
        diagonal = y[k] * (1.0 + damping)
        y[k] = 0.0
        pivot = diagonal
        # row k of L by a sparse triangular solve (up-looking)
        for e in range(P[row_start + k], P[row_start + k + 1]):
            j = P[row_column + e]
            place = P[row_place + e]
            value = y[j]
            y[j] = 0.0
            for p in range(P[column_start + j], place):
                y[P[row_index + p]] -= lower[p] * value
            multiplier = value * pivots_inverse[j]
            lower[place] = multiplier
            pivot -= multiplier * value
        if diagonal > 0.0:
            ratio = pivot / diagonal
        else:
            ratio = 0.0
        if ratio > DEPENDENT:
            pivots_inverse[k] = 1.0 / pivot
        else:
            pivots_inverse[k] = 0.0
        if not ratio >= smallest:
            smallest = max(ratio, 0.0)
    return math.sqrt(smallest)


@kernel()
def row_sines(P, jac, weighted, pivots_inverse, sines):
    """For each row the sine of the angle by which it sticks out of those before it; one of them vanishes in a singular position."""
    for k in range(P[L.P_ROWS]):
        diagonal = 0.0
        e = P[P[L.P_AT_S] + k + 1] - 1  # the diagonal comes last in its row of S
        for term in range(P[P[L.P_AT_TERM] + e], P[P[L.P_AT_TERM] + e + 1]):
            at = P[L.P_AT_TERMS] + 2 * term
            diagonal += jac[P[at]] * weighted[P[at + 1]]
        product = pivots_inverse[k] * diagonal
        sines[k] = 1.0 / math.sqrt(product) if product > 0.0 else 0.0


@kernel()
def solve_factored(P, lower, pivots_inverse, b):
    """Overwrite b by S^-1 b."""
    m = P[L.P_ROWS]
    column_start = P[L.P_AT_L_COLUMN]
    row_index = P[L.P_AT_L_ROW_INDEX]
    for j in range(m):
        value = b[j]
        for p in range(P[column_start + j], P[column_start + j + 1]):
            b[P[row_index + p]] -= lower[p] * value
    for j in range(m - 1, -1, -1):
        value = b[j] * pivots_inverse[j]
        for p in range(P[column_start + j], P[column_start + j + 1]):
            value -= lower[p] * b[P[row_index + p]]
        b[j] = value


@kernel()
def add_transposed(I, P, weighted, lam, x):
    """x += W J' lam."""
    for k in range(P[L.P_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        j = I[at + 1]
        columns = I[at + 3]
        for e in range(I[at + 2]):
            column = I[columns + e]
            if column >= 0:
                x[column] += weighted[j + e] * lam[k]


@kernel()
def rates_pass(I, P, jac, weighted, inverse_scales, lower, pivots_inverse, rhs, x, residual, step):
    """One correction of x towards J x = rhs; returns its size and that of x."""
    for k in range(P[L.P_ROWS]):
        residual[k] = rhs[k] - row_times(I, P, k, jac, x)
    solve_factored(P, lower, pivots_inverse, residual)
    n = I[L.N_COLUMNS]
    for c in range(n):
        step[c] = 0.0
    add_transposed(I, P, weighted, residual, step)
    change = 0.0
    size = 0.0
    for c in range(n):
        x[c] += step[c]
        change = max(change, abs(step[c]) * inverse_scales[c])
        size = max(size, abs(x[c]) * inverse_scales[c])
    return change, size


@kernel()
def last_pass(change, size, shrinks, before):
    """Whether a next correction would be lost in rounding, or this one was no smaller than the one before."""
    return not change * shrinks > SETTLED * size or not change < before


@kernel()
def solve_rates(I, P, jac, weighted, inverse_scales, lower, pivots_inverse, rhs, shrinks, x, residual, step):
    """Correct x until J x = rhs; returns the size of the first correction against that of x.

    The residual is formed with the true Jacobian, so that neither the squared condition of S nor slightly old factors
    limit the accuracy. Starts from the x given: prescribed entries (weight zero) stay as they are.

    Args:
        inverse_scales: What makes entries of x comparable.
        shrinks: How much smaller the next correction is expected to be: a pass is left out if its correction would be lost in
            rounding. 1: nothing is known; 0: one pass.
    """
    before = math.inf
    first = 0.0
    for number in range(PASSES):
        change, size = rates_pass(I, P, jac, weighted, inverse_scales, lower, pivots_inverse, rhs, x, residual, step)
        if number == 0:
            first = change / size if size > 0.0 else 0.0
        if last_pass(change, size, shrinks, before):
            break
        before = change
    return first


@kernel()
def weigh(I, P, jac, weights, weighted):
    """J W for diagonal weights, active rows only."""
    for k in range(P[L.P_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        j = I[at + 1]
        columns = I[at + 3]
        for e in range(I[at + 2]):
            column = I[columns + e]
            if column >= 0:
                weighted[j + e] = jac[j + e] * weights[column]


@kernel()
def fill_weights(I, F, weights):
    """Squared column scales; zero for prescribed coordinates, which the solver must not move."""
    for c in range(I[L.N_COLUMNS]):
        scale = F[I[L.AT_COLUMN_SCALES] + c]
        weights[c] = scale * scale
    for k in range(I[L.N_PRESCRIBED]):
        weights[I[I[L.AT_PRESCRIBED] + 3 * k]] = 0.0
