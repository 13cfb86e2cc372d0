"""Vector between two body-fixed points, in global components: the revolute joint (Nikravesh eq. 4.8, 4.46-4.47)."""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, COS, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, SIN, VALUE, W, X, Y
from pytrammel.kernels.primitives import primitive


@primitive(n_bodies=2, n_outputs=2, n_data=4, curved=(2,))
def point_difference(ip, io, fp, state, out, o, jac, jo, work):
    # value = r_i + A_i s'_i - r_j - A_j s'_j ; data: s'_i, s'_j
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    six = state[i + COS] * fp[f] - state[i + SIN] * fp[f + 1]
    siy = state[i + SIN] * fp[f] + state[i + COS] * fp[f + 1]
    sjx = state[j + COS] * fp[f + 2] - state[j + SIN] * fp[f + 3]
    sjy = state[j + SIN] * fp[f + 2] + state[j + COS] * fp[f + 3]
    wi2 = state[i + W] * state[i + W]
    wj2 = state[j + W] * state[j + W]
    p = OUTPUT_SIZE * o
    out[p + VALUE] = state[i + X] + six - state[j + X] - sjx
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = sjx * wj2 - six * wi2
    p = p + OUTPUT_SIZE
    out[p + VALUE] = state[i + Y] + siy - state[j + Y] - sjy
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = sjy * wj2 - siy * wi2
    jac[jo] = 1.0
    jac[jo + 1] = 0.0
    jac[jo + 2] = -siy
    jac[jo + 3] = -1.0
    jac[jo + 4] = 0.0
    jac[jo + 5] = sjy
    jac[jo + 6] = 0.0
    jac[jo + 7] = 1.0
    jac[jo + 8] = six
    jac[jo + 9] = 0.0
    jac[jo + 10] = -1.0
    jac[jo + 11] = -sjx
