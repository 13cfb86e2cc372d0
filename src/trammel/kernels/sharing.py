"""Redundant rows share the load: among all multipliers that do the same, those with the smallest sum of squares.

A row left out is a combination of the active ones, J_out = C'J. Load x moved onto it takes C x off them, so the best x solves
(1 + C'C) x = C'lam, a system as small as the number of rows left out. C comes from the sparse factors of the active rows.
"""

from __future__ import annotations

import math

import numpy as np

from trammel.kernels import layout as L
from trammel.kernels.bodies import load_ground, load_state
from trammel.kernels.dynamics import JAC, LOWER, OUT, PIVOTS, STATE, WEIGHTED, WORK, Y, workspace
from trammel.kernels.evaluate import row_times, run_elements
from trammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, kernel
from trammel.kernels.schur import factor, fill_weights, solve_factored, weigh


@kernel()
def solve_positive(N, size, b):
    """Solve N x = b for a positive definite N by Cholesky's method; N and b are overwritten."""
    for j in range(size):
        for k in range(j):
            for i in range(j, size):
                N[i, j] -= N[i, k] * N[j, k]
        pivot = math.sqrt(N[j, j])
        for i in range(j, size):
            N[i, j] /= pivot
    for i in range(size):
        for k in range(i):
            b[i] -= N[i, k] * b[k]
        b[i] /= N[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            b[i] -= N[k, i] * b[k]
        b[i] /= N[i, i]


@kernel(INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_ARRAY)
def sharing_run(I, F, P, left_out, times, Q, LAM, measures):
    """Share the multipliers LAM (one column per row of the system) at each instant; measures tell how independent the active rows are."""
    m = P[L.P_ROWS]
    n = I[L.N_COLUMNS]
    r = left_out.size
    ws = workspace(I, P)
    weights = np.zeros(n)
    at_rest = np.zeros(n)
    C = np.zeros((r, m))
    N = np.zeros((r, r))
    x = np.zeros(r)
    column = np.zeros(n)
    load = np.zeros(m)
    scales = I[L.AT_ROW_SCALES]
    fill_weights(I, F, weights)
    load_ground(I, ws[STATE])
    for instant in range(times.size):
        load_state(I, times[instant], Q[instant], at_rest, ws[STATE])
        run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
        weigh(I, P, ws[JAC], weights, ws[WEIGHTED])
        measures[instant] = factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
        for k in range(m):
            row = P[P[L.P_AT_ROWS] + k]
            load[k] = LAM[instant, row] * F[scales + row]
        for o in range(r):
            at = I[L.AT_ROWS] + L.ROW_SIZE * left_out[o]
            for c in range(n):
                column[c] = 0.0
            for e in range(I[at + 2]):
                c = I[I[at + 3] + e]
                if c >= 0:
                    column[c] += ws[JAC][I[at + 1] + e] * weights[c]
            for k in range(m):
                C[o, k] = row_times(I, P, k, ws[JAC], column)
            solve_factored(P, ws[LOWER], ws[PIVOTS], C[o])
            for k in range(m):
                C[o, k] *= F[scales + P[P[L.P_AT_ROWS] + k]] / F[scales + left_out[o]]
        for o in range(r):
            for p in range(o + 1):
                total = 1.0 if o == p else 0.0
                for k in range(m):
                    total += C[o, k] * C[p, k]
                N[o, p] = total
                N[p, o] = total
            total = 0.0
            for k in range(m):
                total += C[o, k] * load[k]
            x[o] = total
        solve_positive(N, r, x)
        for o in range(r):
            for k in range(m):
                load[k] -= C[o, k] * x[o]
            LAM[instant, left_out[o]] = x[o] / F[scales + left_out[o]]
        for k in range(m):
            row = P[P[L.P_AT_ROWS] + k]
            LAM[instant, row] = load[k] / F[scales + row]
