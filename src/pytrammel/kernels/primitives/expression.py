"""A formula of measured quantities and time: user constraints. Derivatives come from the tape, exactly."""

from __future__ import annotations

from pytrammel.kernels.jit import kernel
from pytrammel.kernels.layout import OUTPUT_SIZE, PARTIAL_T, QUADRATIC, TIME, VALUE
from pytrammel.kernels.primitives import primitive
from pytrammel.kernels.tape import tape_run


@kernel()
def load(ip, rates, n_columns, n_inputs, state, out, jac, work):
    """Fill the input slots with value, rate and half the second rate along the motion; time comes last."""
    at = rates + n_columns
    for m in range(n_inputs):
        rate = out[OUTPUT_SIZE * ip[at] + PARTIAL_T]
        for e in range(ip[at + 2]):
            column = ip[at + 4 + e]
            if column >= 0:
                rate += jac[ip[at + 1] + e] * state[ip[rates + column]]
        if ip[at + 3] == 0:
            work[4 * m] = out[OUTPUT_SIZE * ip[at] + VALUE]
            work[4 * m + 1] = rate
            work[4 * m + 2] = 0.5 * out[OUTPUT_SIZE * ip[at] + QUADRATIC]
        else:
            work[4 * m] = rate
            work[4 * m + 1] = out[OUTPUT_SIZE * ip[at] + QUADRATIC]
            work[4 * m + 2] = 0.0
        work[4 * m + 3] = 0.0
        at = at + 4 + ip[at + 2]
    work[4 * n_inputs] = state[TIME]
    work[4 * n_inputs + 1] = 1.0
    work[4 * n_inputs + 2] = 0.0
    work[4 * n_inputs + 3] = 0.0


@primitive(n_bodies=None, n_outputs=1, n_data=0, n_extras=None, n_tapes=1, smooth_in_complex=False)
def expression(ip, io, fp, state, out, o, jac, jo, work):
    # integers: -, tape, columns, inputs, then per column the state place of its rate, then per input: its output, its
    # Jacobian start, its number of entries, 1 if its rate is meant, then for each entry the column here (or -1)
    tape = ip[io + 1]
    n_columns = ip[io + 2]
    n_inputs = ip[io + 3]
    rates = io + 4
    for c in range(n_columns):
        jac[jo + c] = 0.0
    by_time = 0.0
    # one sweep per input gives the partial derivative by it; input n_inputs is time
    for k in range(n_inputs + 1):
        load(ip, rates, n_columns, n_inputs, state, out, jac, work)
        for m in range(n_inputs + 1):
            work[4 * m + 1] = 1.0 if m == k else 0.0
            work[4 * m + 2] = 0.0
        r = tape_run(ip, tape, fp, work, 0)
        partial = work[r + 1]
        if k == n_inputs:
            out[OUTPUT_SIZE * o + VALUE] = work[r]
            by_time += partial
        else:
            at = rates + n_columns
            for _ in range(k):
                at = at + 4 + ip[at + 2]
            if ip[at + 3] == 0:  # formulas of rates are watched, never enforced: they need no derivatives
                by_time += partial * out[OUTPUT_SIZE * ip[at] + PARTIAL_T]
                for e in range(ip[at + 2]):
                    column = ip[at + 4 + e]
                    if column >= 0:
                        jac[jo + column] += partial * jac[ip[at + 1] + e]
    # one more along the motion gives the second derivative in time with accelerations zero
    load(ip, rates, n_columns, n_inputs, state, out, jac, work)
    r = tape_run(ip, tape, fp, work, 0)
    out[OUTPUT_SIZE * o + PARTIAL_T] = by_time
    out[OUTPUT_SIZE * o + QUADRATIC] = 2.0 * work[r + 2]
