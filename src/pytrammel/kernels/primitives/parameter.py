"""The curve parameter at a contact: where on its outline or slot a follower is."""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, VALUE
from pytrammel.kernels.primitives import primitive


@primitive(n_bodies=0, n_outputs=1, n_data=0, n_extras=1, smooth_in_complex=False)
def parameter(ip, io, fp, state, out, o, jac, jo, work):
    out[OUTPUT_SIZE * o + VALUE] = state[ip[io + BODIES]]
    out[OUTPUT_SIZE * o + PARTIAL_T] = 0.0
    out[OUTPUT_SIZE * o + QUADRATIC] = 0.0
    jac[jo] = 1.0
