"""How far the rows of a system are from closed along a given motion, in position, velocity and acceleration."""

from __future__ import annotations

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_ground, load_state, state_size
from pytrammel.kernels.evaluate import row_residuals, row_times, run_elements
from pytrammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, kernel


@kernel(
    INT_ARRAY, FLOAT_TABLE, INT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE,
    FLOAT_TABLE,
    seconds=3.0,
)  # fmt: skip
def closure_run(I, FS, P, times, Q, V, A, PHI, RATE, SECOND, ENTRIES):
    """Fill, per instant, phi, J v - nu and J a - gamma of the active rows in elimination order, and the stored Jacobian entries.

    FS has the float buffer of every instant, or one for all.
    """
    m = P[L.P_ROWS]
    state = np.zeros(state_size(I))
    out = np.zeros(L.OUTPUT_SIZE * I[L.N_OUTPUTS] + 1)
    work = np.zeros(I[L.N_WORK] + 4)
    target = np.zeros(3)
    nu = np.zeros(m)
    gamma = np.zeros(m)
    load_ground(I, state)
    for k in range(times.size):
        F = FS[min(k, FS.shape[0] - 1)]
        load_state(I, times[k], Q[k], V[k], state)
        run_elements(I, F, state, out, ENTRIES[k], work)
        row_residuals(I, F, P, times[k], out, work, target, PHI[k], nu, gamma)
        for r in range(m):
            RATE[k, r] = row_times(I, P, r, ENTRIES[k], V[k]) - nu[r]
            SECOND[k, r] = row_times(I, P, r, ENTRIES[k], A[k]) - gamma[r]
