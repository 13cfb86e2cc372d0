"""Rows of constraints at one state, for questions asked from Python."""

from __future__ import annotations

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_ground, load_state, state_size
from pytrammel.kernels.evaluate import row_residuals, run_elements
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT_ARRAY, kernel


@kernel(
    INT_ARRAY,
    FLOAT_ARRAY,
    INT_ARRAY,
    FLOAT,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    seconds=3.0,
)
def rows_run(I, F, P, t, q, v, jac, phi, nu, gamma):
    """Stored Jacobian entries; residual, velocity and acceleration right-hand side of the active rows in elimination order."""
    state = np.zeros(state_size(I))
    out = np.zeros(L.OUTPUT_SIZE * I[L.N_OUTPUTS] + 1)
    work = np.zeros(I[L.N_WORK] + 4)
    target = np.zeros(3)
    load_ground(I, state)
    load_state(I, t, q, v, state)
    run_elements(I, F, state, out, jac, work)
    return row_residuals(I, F, P, t, out, work, target, phi, nu, gamma)


@kernel(INT_ARRAY, FLOAT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, seconds=3.0)
def turned_values_run(I, F, t, q, v, matrices, parameters, values):
    """Value of every row with given matrices A and Euler parameters of the moving bodies, which need not be rotations."""
    state = np.zeros(state_size(I))
    out = np.zeros(L.OUTPUT_SIZE * I[L.N_OUTPUTS] + 1)
    jac = np.zeros(I[L.N_JACOBIAN] + 1)
    work = np.zeros(I[L.N_WORK] + 4)
    load_ground(I, state)
    load_state(I, t, q, v, state)
    for b in range(1, I[L.N_BODIES]):
        at = L.FIRST_BODY + L.SPACE_BODY_SIZE * b
        for k in range(9):
            state[at + L.ROT + k] = matrices[9 * (b - 1) + k]
        for k in range(4):
            state[at + L.E0 + k] = parameters[4 * (b - 1) + k]
    run_elements(I, F, state, out, jac, work)
    for row in range(I[L.N_ROWS]):
        values[row] = out[L.OUTPUT_SIZE * I[I[L.AT_ROWS] + L.ROW_SIZE * row] + L.VALUE]
    return 0
