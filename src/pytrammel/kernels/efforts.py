"""Inverse dynamics: the multipliers that make a given motion happen.

M a - g = J' lam is solved for lam in the least-squares sense of the column scales, so that no mass is needed (statics of
massless parts). What is left of the equation tells whether the rows can do it at all.
"""

from __future__ import annotations

import math

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.agreement import GO_ON, NONE_AGREE
from pytrammel.kernels.bodies import load_ground, load_state
from pytrammel.kernels.dynamics import (
    ACCEL,
    FORCES,
    JAC,
    LOWER,
    OUT,
    PIVOTS,
    RESIDUAL,
    STATE,
    WEIGHTED,
    WORK,
    Y,
    load_inner_states,
    read_loads,
    run_forces,
    workspace,
    write_outputs,
)  # fmt: skip
from pytrammel.kernels.evaluate import run_elements
from pytrammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, kernel
from pytrammel.kernels.mass import apply_mass, inertia_forces
from pytrammel.kernels.schur import factor, fill_weights, solve_factored, weigh

PASSES = 3  # of solving with the residual formed anew


@kernel()
def forces_at_work(I, F, weights, ws):
    """Largest weight or force of one element, in column scales: forces may cancel each other without any constraint."""
    size = 1e-300
    for c in range(I[L.N_COLUMNS]):
        size = max(size, math.sqrt(weights[c]) * abs(ws[FORCES][c]))
    at = I[L.AT_FORCES]
    for _ in range(I[L.N_FORCES]):
        for e in range(I[at + 4]):
            c = I[I[at + 5] + e]
            if c >= 0:
                size = max(size, math.sqrt(weights[c]) * abs(ws[JAC][I[at + 3] + e]))
        at += L.FORCE_SIZE
    return size


@kernel()
def solve_multipliers(I, F, P, a, weights, at_work, lam, ws):
    """Least-squares multipliers for the accelerations given; returns the largest unbalanced force against the forces at work."""
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    balance = ws[ACCEL]
    for k in range(m):
        lam[k] = 0.0
    left = 0.0
    size = at_work
    for sweep in range(PASSES + 1):
        apply_mass(I, F, ws[STATE], a, balance)
        for c in range(n):
            scale = math.sqrt(weights[c]) if weights[c] > 0.0 else 0.0
            size = max(size, scale * max(abs(balance[c]), abs(ws[FORCES][c])))
            balance[c] -= ws[FORCES][c]
        for k in range(m):
            at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
            for e in range(I[at + 2]):
                column = I[I[at + 3] + e]
                if column >= 0:
                    balance[column] -= ws[JAC][I[at + 1] + e] * lam[k]
        left = 0.0
        for c in range(n):
            left = max(left, math.sqrt(weights[c]) * abs(balance[c]))
        if sweep == PASSES:
            break
        for k in range(m):
            at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
            total = 0.0
            for e in range(I[at + 2]):
                column = I[I[at + 3] + e]
                if column >= 0:
                    total += ws[WEIGHTED][I[at + 1] + e] * balance[column]
            ws[RESIDUAL][k] = total
        solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
        for k in range(m):
            lam[k] += ws[RESIDUAL][k]
    return left / size


@kernel(
    INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE,
    FLOAT_TABLE,
    seconds=6.0,
)  # fmt: skip
def efforts_run(I, F, P, times, Q, V, A, LAM, OUTS, ENERGIES, notes):
    """Multipliers at each instant of a known motion.

    LAM has one column per active row in elimination order; notes holds the singularity measure and the unbalanced share.
    """
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    ws = workspace(I, P)
    load_ground(I, ws[STATE])
    weights = np.zeros(n)
    lam = np.zeros(m)
    z = np.zeros(I[L.N_STATES])
    fill_weights(I, F, weights)
    for k in range(times.size):
        load_state(I, times[k], Q[k], V[k], ws[STATE])
        load_inner_states(I, z, ws[STATE])
        run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
        weigh(I, P, ws[JAC], weights, ws[WEIGHTED])
        notes[k, 0] = factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
        passed = 0
        verdict = GO_ON
        while verdict == GO_ON:
            inertia_forces(I, F, ws[STATE], ws[FORCES])
            at_work = forces_at_work(I, F, weights, ws)
            run_forces(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK], ws[FORCES])
            at_work = max(at_work, forces_at_work(I, F, weights, ws))
            notes[k, 1] = solve_multipliers(I, F, P, A[k], weights, at_work, lam, ws)
            verdict = read_loads(I, F, P, passed, lam, ws)
            passed += 1
        if verdict == NONE_AGREE:
            notes[k, 1] = math.nan
        for r in range(m):
            LAM[k, r] = lam[r]
        write_outputs(I, F, OUTS[k], ENERGIES[k], ws)
