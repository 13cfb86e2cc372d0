"""Inputs of force laws: values and rates of measured quantities, time, and inner states."""

from __future__ import annotations

from pytrammel.kernels.jit import kernel
from pytrammel.kernels.layout import OUTPUT_SIZE, PARTIAL_T, TIME, VALUE
from pytrammel.kernels.tape import tape_run

INPUT_VALUE, INPUT_RATE, INPUT_TIME, INPUT_STATE = 0, 1, 2, 3


@kernel()
def load_inputs(ip, at, n_inputs, state, out, jac, work):
    """Fill the first slots of the scratch buffer with the inputs listed at `at`; returns where the list ends.

    Each input: kind, output (of an inner state its place), Jacobian start, number of entries, then the place of each entry's rate in the
    state (or -1).
    """
    for k in range(n_inputs):
        kind = ip[at]
        n = ip[at + 3]
        if kind == INPUT_TIME:
            value = state[TIME]
        elif kind == INPUT_VALUE:
            value = out[OUTPUT_SIZE * ip[at + 1] + VALUE]
        elif kind == INPUT_STATE:
            value = state[ip[at + 1]]
        else:
            value = out[OUTPUT_SIZE * ip[at + 1] + PARTIAL_T]
            for e in range(n):
                if ip[at + 4 + e] >= 0:
                    value += jac[ip[at + 2] + e] * state[ip[at + 4 + e]]
        work[4 * k] = value
        work[4 * k + 1] = 0.0
        work[4 * k + 2] = 0.0
        work[4 * k + 3] = 0.0
        at += 4 + n
    return at


@kernel()
def law_value(ip, tape, at, n_inputs, fp, state, out, jac, work):
    load_inputs(ip, at, n_inputs, state, out, jac, work)
    return work[tape_run(ip, tape, fp, work, 0)]
