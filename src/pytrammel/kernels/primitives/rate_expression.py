"""A formula of measured quantities, their rates and time that must be zero, linear in the rates: constraints on velocities.

f = sum c_k(q, t) r_k + d(q, t) with the rates r_k = J_k v + ... of measured quantities; its row is sum c_k J_k.
"""

from __future__ import annotations

from pytrammel.kernels.layout import OUTPUT_SIZE, PARTIAL_T, QUADRATIC, VALUE
from pytrammel.kernels.primitives import primitive
from pytrammel.kernels.primitives.expression import load
from pytrammel.kernels.tape import tape_run


@primitive(n_bodies=None, n_outputs=1, n_data=0, n_extras=None, n_tapes=1, smooth_in_complex=False, velocity_only=True)
def rate_expression(ip, io, fp, state, out, o, jac, jo, work):
    # integers as those of `expression`
    tape = ip[io + 1]
    n_columns = ip[io + 2]
    n_inputs = ip[io + 3]
    rates = io + 4
    for c in range(n_columns):
        jac[jo + c] = 0.0
    at = rates + n_columns
    for k in range(n_inputs):
        if ip[at + 3] != 0:
            load(ip, rates, n_columns, n_inputs, state, out, jac, work)
            for m in range(n_inputs + 1):
                work[4 * m + 1] = 1.0 if m == k else 0.0
                work[4 * m + 2] = 0.0
            partial = work[tape_run(ip, tape, fp, work, 0) + 1]
            for e in range(ip[at + 2]):
                column = ip[at + 4 + e]
                if column >= 0:
                    jac[jo + column] += partial * jac[ip[at + 1] + e]
        at = at + 4 + ip[at + 2]
    # along the motion: the formula itself, and its rate with accelerations zero
    load(ip, rates, n_columns, n_inputs, state, out, jac, work)
    r = tape_run(ip, tape, fp, work, 0)
    along = 0.0
    for c in range(n_columns):
        along += jac[jo + c] * state[ip[rates + c]]
    out[OUTPUT_SIZE * o + VALUE] = 0.0
    out[OUTPUT_SIZE * o + PARTIAL_T] = work[r] - along
    out[OUTPUT_SIZE * o + QUADRATIC] = work[r + 1]
