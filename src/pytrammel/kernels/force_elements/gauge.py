"""The value of a formula as a column of the results, without any force: what friction may reach at most."""

from __future__ import annotations

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._law import law_value
from pytrammel.kernels.layout import FORCE, OUTPUT_SIZE, POWER, STATE_RATE


@force_element
def gauge(ip, io, fp, state, out, o, jac, jo, work):
    # integers as those of `law_force`
    n = ip[io + 4]
    for e in range(n):
        jac[jo + e] = 0.0
    out[OUTPUT_SIZE * o + FORCE] = law_value(ip, ip[io + 1], io + 5 + n, ip[io + 2], fp, state, out, jac, work)
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = 0.0
