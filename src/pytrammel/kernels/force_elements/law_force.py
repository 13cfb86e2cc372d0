"""A scalar force along a measured quantity: springs, dampers, actuators, motors, user formulas.

The generalised force is F times the quantity's Jacobian row, so that the power is F times the quantity's rate.
"""

from __future__ import annotations

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._law import law_value
from pytrammel.kernels.layout import FORCE, OUTPUT_SIZE, POWER, STATE_RATE


@force_element
def law_force(ip, io, fp, state, out, o, jac, jo, work):
    # integers: -, tape, inputs, Jacobian start and entries of the quantity, rate place per entry, then the inputs
    n_inputs = ip[io + 2]
    row = ip[io + 3]
    n = ip[io + 4]
    force = law_value(ip, ip[io + 1], io + 5 + n, n_inputs, fp, state, out, jac, work)
    power = 0.0
    for e in range(n):
        block = force * jac[row + e]
        jac[jo + e] = block
        if ip[io + 5 + e] >= 0:
            power += block * state[ip[io + 5 + e]]
    out[OUTPUT_SIZE * o + FORCE] = force
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = power
