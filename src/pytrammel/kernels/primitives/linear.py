"""A weighted sum of coordinates: coordinates themselves, their differences, gear and rack couplings."""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, FLOATS, OUTPUT_SIZE, PARTIAL_T, PHI, QUADRATIC, VALUE, X, Y
from pytrammel.kernels.primitives import primitive


@primitive(n_bodies=None, n_outputs=1, n_data=None, curved=())
def linear(ip, io, fp, state, out, o, jac, jo, work):
    # data: number of bodies, then (a, b, c) per body; value = sum of a x + b y + c phi
    f = ip[io + FLOATS]
    n = int(fp[f])
    value = 0.0
    for k in range(n):
        b = ip[io + BODIES + k]
        for c in range(3):
            weight = fp[f + 1 + 3 * k + c]
            value = value + weight * state[b + c]
            jac[jo + 3 * k + c] = weight
    out[OUTPUT_SIZE * o + VALUE] = value
    out[OUTPUT_SIZE * o + PARTIAL_T] = 0.0
    out[OUTPUT_SIZE * o + QUADRATIC] = 0.0


assert (X, Y, PHI) == (0, 1, 2)  # the loop over c above relies on this order
