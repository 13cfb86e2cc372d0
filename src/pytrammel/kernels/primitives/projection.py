"""Component, along a direction fixed in space, of the vector between two body-fixed points (eq. 4.34-4.35, 4.39-4.40)."""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, COS, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, SIN, VALUE, W, X, Y
from pytrammel.kernels.primitives import primitive


@primitive(n_bodies=2, n_outputs=1, n_data=6, curved=(2,))
def projection(ip, io, fp, state, out, o, jac, jo, work):
    # value = u . (r_i + A_i s'_i - r_j - A_j s'_j) ; data: s'_i, s'_j, u (global)
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    six = state[i + COS] * fp[f] - state[i + SIN] * fp[f + 1]
    siy = state[i + SIN] * fp[f] + state[i + COS] * fp[f + 1]
    sjx = state[j + COS] * fp[f + 2] - state[j + SIN] * fp[f + 3]
    sjy = state[j + SIN] * fp[f + 2] + state[j + COS] * fp[f + 3]
    ux = fp[f + 4]
    uy = fp[f + 5]
    p = OUTPUT_SIZE * o
    out[p + VALUE] = ux * (state[i + X] + six - state[j + X] - sjx) + uy * (state[i + Y] + siy - state[j + Y] - sjy)
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = (ux * sjx + uy * sjy) * state[j + W] * state[j + W] - (ux * six + uy * siy) * state[
        i + W
    ] * state[i + W]
    jac[jo] = ux
    jac[jo + 1] = uy
    jac[jo + 2] = uy * six - ux * siy
    jac[jo + 3] = -ux
    jac[jo + 4] = -uy
    jac[jo + 5] = ux * sjy - uy * sjx
