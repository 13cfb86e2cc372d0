"""A force along a measured quantity given by a Python function, reached through its address."""

from __future__ import annotations

import math

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._law import load_inputs
from pytrammel.kernels.jit import call_law
from pytrammel.kernels.layout import FORCE, OUTPUT_SIZE, POWER, STATE_RATE


@force_element
def function_force(ip, io, fp, state, out, o, jac, jo, work):
    # integers: -, address, inputs, Jacobian start and entries of the quantity, rate place per entry, then the inputs
    n_inputs = ip[io + 2]
    row = ip[io + 3]
    n = ip[io + 4]
    load_inputs(ip, io + 5 + n, n_inputs, state, out, jac, work)
    for k in range(n_inputs):
        work[k] = work[4 * k]
    work[n_inputs] = math.nan  # stays if the law ends without writing its value
    call_law(ip[io + 1], work)
    force = work[n_inputs]
    power = 0.0
    for e in range(n):
        block = force * jac[row + e]
        jac[jo + e] = block
        if ip[io + 5 + e] >= 0:
            power += block * state[ip[io + 5 + e]]
    out[OUTPUT_SIZE * o + FORCE] = force
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = power
