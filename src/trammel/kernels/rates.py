"""Velocities that fit the constraints, and how independent the constraints are, from one sparse factorisation."""

from __future__ import annotations

import numpy as np

from trammel.kernels import layout as L
from trammel.kernels.bodies import load_ground, load_state
from trammel.kernels.dynamics import (
    GAMMA,
    JAC,
    LOWER,
    NU,
    OUT,
    PHI,
    PIVOTS,
    RESIDUAL,
    STATE,
    STEP,
    WEIGHTED,
    WORK,
    Y,
    workspace,
)
from trammel.kernels.evaluate import row_residuals, row_times, run_elements
from trammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT_ARRAY, kernel
from trammel.kernels.schur import add_transposed, factor, fill_weights, solve_factored, weigh


@kernel(INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY)
def rates_run(I, F, P, t, q, v):
    """Bring v onto the velocity constraints at (t, q) by the smallest step in column scales; returns the singularity measure.

    The measure alone tells whether the rows are independent, at a cost that grows with the number of rows only.
    """
    ws = workspace(I, P)
    weights = np.zeros(I[L.N_COLUMNS])
    fill_weights(I, F, weights)
    load_ground(I, ws[STATE])
    load_state(I, t, q, v, ws[STATE])
    run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
    row_residuals(I, F, P, t, ws[OUT], ws[WORK], ws[STEP], ws[PHI], ws[NU], ws[GAMMA])
    weigh(I, P, ws[JAC], weights, ws[WEIGHTED])
    angle = factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
    for _ in range(3):
        for k in range(P[L.P_ROWS]):
            ws[RESIDUAL][k] = ws[NU][k] - row_times(I, P, k, ws[JAC], v)
        solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
        add_transposed(I, P, ws[WEIGHTED], ws[RESIDUAL], v)
    return angle
