"""A quantity that is integrated along with the motion, by a rate that is a formula; it acts on nothing by itself.

Laws read its value from the state. What a sampled controller puts out is such a quantity with the rate zero.
"""

from __future__ import annotations

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._law import law_value
from pytrammel.kernels.layout import FORCE, OUTPUT_SIZE, POWER, STATE_RATE


@force_element
def user_state(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, tape, inputs, place of the value in the state, then the inputs
    out[OUTPUT_SIZE * o + FORCE] = state[ip[io + 3]]
    out[OUTPUT_SIZE * o + STATE_RATE] = law_value(ip, ip[io + 1], io + 4, ip[io + 2], fp, state, out, jac, work)
    out[OUTPUT_SIZE * o + POWER] = 0.0
