"""Velocities that fit the constraints, and how independent the constraints are, from one sparse factorisation."""

from __future__ import annotations

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.bodies import load_ground, load_state
from pytrammel.kernels.dynamics import (
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
    bare_workspace,
    workspace_places,
)
from pytrammel.kernels.evaluate import row_residuals, row_times, run_elements
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT_ARRAY, kernel
from pytrammel.kernels.schur import add_transposed, factor, fill_weights, solve_factored, weigh


@kernel(INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY)
def rates_run(I, F, P, t, q, v):
    """Bring v onto the velocity constraints at (t, q) by the smallest step in column scales; returns the singularity measure.

    The measure alone tells whether the rows are independent, at a cost that grows with the number of rows only.
    """
    room = workspace_places(I, P, 0)[18]
    W = np.zeros(room + I[L.N_COLUMNS])
    ws = bare_workspace(I, P, W, 0)
    weights = advanced(bare(W), room)
    ints, floats, pattern, speeds = bare(I), bare(F), bare(P), bare(v)
    fill_weights(ints, floats, weights)
    load_ground(ints, ws[STATE])
    load_state(ints, t, bare(q), speeds, ws[STATE])
    run_elements(ints, floats, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
    row_residuals(ints, floats, pattern, t, ws[OUT], ws[WORK], ws[STEP], ws[PHI], ws[NU], ws[GAMMA])
    weigh(ints, pattern, ws[JAC], weights, ws[WEIGHTED])
    angle = factor(pattern, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
    for _ in range(3):
        for k in range(P[L.P_ROWS]):
            ws[RESIDUAL][k] = ws[NU][k] - row_times(ints, pattern, k, ws[JAC], speeds)
        solve_factored(pattern, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
        add_transposed(ints, pattern, ws[WEIGHTED], ws[RESIDUAL], speeds)
    W[0] = 0.0  # pointers do not keep it alive
    return angle
