"""What force elements with a geometry of their own do to the coordinates, along a known motion."""

from __future__ import annotations

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_ground, load_state, state_size
from pytrammel.kernels.dynamics import load_inner_states, run_forces
from pytrammel.kernels.evaluate import run_elements
from pytrammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, kernel


@kernel(INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE)
def loads_run(I, F, times, Q, V, Z, R):
    """Fill the blocks of generalised forces of all elements at each instant, where they lie among the Jacobian entries."""
    state = np.zeros(state_size(I))
    out = np.zeros(L.OUTPUT_SIZE * I[L.N_OUTPUTS] + 1)
    jac = np.zeros(I[L.N_JACOBIAN] + 1)
    work = np.zeros(I[L.N_WORK])
    g = np.zeros(I[L.N_COLUMNS] + 1)
    load_ground(I, state)
    for k in range(times.size):
        load_state(I, times[k], Q[k], V[k], state)
        load_inner_states(I, Z[k], state)
        run_elements(I, F, state, out, jac, work)
        run_forces(I, F, state, out, jac, work, g)
        for e in range(I[L.N_JACOBIAN]):
            R[k, e] = jac[e]
