"""Redundant rows share the load: among all multipliers that do the same, those with the smallest sum of squares."""

from __future__ import annotations

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_ground, load_state
from pytrammel.kernels.dynamics import JAC, LOADS, LOWER, OUT, PIVOTS, STATE, WEIGHTED, WORK, Y, workspace
from pytrammel.kernels.evaluate import run_elements
from pytrammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, kernel
from pytrammel.kernels.joint_loads import LOADS_HEAD, share_load
from pytrammel.kernels.schur import factor, fill_weights, weigh


@kernel(INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_ARRAY, seconds=4.0)
def sharing_run(I, F, P, times, Q, LAM, measures):
    """Share the multipliers LAM (one column per row of the system) at each instant; measures tell how independent the active rows are."""
    ws = workspace(I, P)
    weights = np.zeros(I[L.N_COLUMNS])
    at_rest = np.zeros(I[L.N_COLUMNS])
    fill_weights(I, F, weights)
    load_ground(I, ws[STATE])
    for instant in range(times.size):
        load_state(I, times[instant], Q[instant], at_rest, ws[STATE])
        run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
        weigh(I, P, ws[JAC], weights, ws[WEIGHTED])
        measures[instant] = factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
        for row in range(I[L.N_ROWS]):
            ws[LOADS][LOADS_HEAD + row] = LAM[instant, row]
        share_load(I, F, P, ws[JAC], ws[WEIGHTED], ws[LOWER], ws[PIVOTS], ws[LOADS])
        for row in range(I[L.N_ROWS]):
            LAM[instant, row] = ws[LOADS][LOADS_HEAD + row]
