"""Value, rate and second rate of measured quantities along a motion."""

from __future__ import annotations

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_ground, load_state, state_size
from pytrammel.kernels.evaluate import run_elements
from pytrammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, kernel


@kernel()
def measure_rows(I, out, jac, v, a, values, rates, seconds):
    """Value, rate and second rate of each row of a system whose elements have been run."""
    for row in range(I[L.N_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * row
        o = L.OUTPUT_SIZE * I[at]
        rate = out[o + L.PARTIAL_T]
        second = out[o + L.QUADRATIC]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                rate += jac[I[at + 1] + e] * v[column]
                second += jac[I[at + 1] + e] * a[column]
        values[row] = out[o + L.VALUE]
        rates[row] = rate
        seconds[row] = second


@kernel(
    INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE
)
def measures_run(I, F, times, Q, V, A, values, rates, seconds):
    """Fill one column per row of the system: the row's value, its rate and its second rate at each instant."""
    state = np.zeros(state_size(I))
    out = np.zeros(L.OUTPUT_SIZE * I[L.N_OUTPUTS])
    jac = np.zeros(I[L.N_JACOBIAN])
    work = np.zeros(I[L.N_WORK])
    load_ground(I, state)
    for k in range(times.size):
        load_state(I, times[k], Q[k], V[k], state)
        run_elements(I, F, state, out, jac, work)
        measure_rows(I, out, jac, V[k], A[k], values[k], rates[k], seconds[k])


@kernel(INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_ARRAY)
def jacobian_run(I, F, times, Q, V, entries):
    """Stored Jacobian entries at one state (the first row of Q and V): for rank questions asked from Python."""
    state = np.zeros(state_size(I))
    out = np.zeros(L.OUTPUT_SIZE * I[L.N_OUTPUTS])
    work = np.zeros(I[L.N_WORK])
    load_ground(I, state)
    load_state(I, times[0], Q[0], V[0], state)
    run_elements(I, F, state, out, entries, work)


@kernel(INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE)
def reactions_run(I, F, P, times, Q, V, LAM, R):
    """Each Jacobian entry times its row's multiplier: what every row does to every coordinate it touches, ground included."""
    state = np.zeros(state_size(I))
    out = np.zeros(L.OUTPUT_SIZE * I[L.N_OUTPUTS] + 1)
    jac = np.zeros(I[L.N_JACOBIAN] + 1)
    work = np.zeros(I[L.N_WORK])
    load_ground(I, state)
    for k in range(times.size):
        load_state(I, times[k], Q[k], V[k], state)
        run_elements(I, F, state, out, jac, work)
        for r in range(P[L.P_ROWS]):
            at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + r]
            for e in range(I[at + 2]):
                R[k, I[at + 1] + e] = jac[I[at + 1] + e] * LAM[k, P[P[L.P_AT_ROWS] + r]]
