"""Component along a direction fixed in body j of the vector to a point of body i, plus a rolling term.

Perpendicular to a slide it is the lateral gap of a translational joint (eq. 4.11) or of a pin on a line (eq. 4.16);
along the slide it is the sliding distance; with a radius it is rolling without slip (general rack and pinion, problem 4.15).
"""

from __future__ import annotations

from pytrammel.kernels.layout import (
    BODIES,
    COS,
    FLOATS,
    OUTPUT_SIZE,
    PARTIAL_T,
    PHI,
    QUADRATIC,
    SIN,
    VALUE,
    XD,
    YD,
    W,
    X,
    Y,
)
from pytrammel.kernels.primitives import primitive


@primitive(n_bodies=2, n_outputs=1, n_data=7)
def along(ip, io, fp, state, out, o, jac, jo, work):
    # value = u . d + rho (phi_i - phi_j), u = A_j u', d = r_i + A_i s'_i - r_j - A_j s'_j ; data: s'_i, s'_j, u', rho
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    six = state[i + COS] * fp[f] - state[i + SIN] * fp[f + 1]
    siy = state[i + SIN] * fp[f] + state[i + COS] * fp[f + 1]
    sjx = state[j + COS] * fp[f + 2] - state[j + SIN] * fp[f + 3]
    sjy = state[j + SIN] * fp[f + 2] + state[j + COS] * fp[f + 3]
    ux = state[j + COS] * fp[f + 4] - state[j + SIN] * fp[f + 5]
    uy = state[j + SIN] * fp[f + 4] + state[j + COS] * fp[f + 5]
    rho = fp[f + 6]
    wi = state[i + W]
    wj = state[j + W]
    dx = state[i + X] + six - state[j + X] - sjx
    dy = state[i + Y] + siy - state[j + Y] - sjy
    # first and second rate of d, accelerations zero
    ddx = state[i + XD] - wi * siy - state[j + XD] + wj * sjy
    ddy = state[i + YD] + wi * six - state[j + YD] - wj * sjx
    d2x = wj * wj * sjx - wi * wi * six
    d2y = wj * wj * sjy - wi * wi * siy
    p = OUTPUT_SIZE * o
    out[p + VALUE] = ux * dx + uy * dy + rho * (state[i + PHI] - state[j + PHI])
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = ux * d2x + uy * d2y + 2.0 * wj * (ux * ddy - uy * ddx) - wj * wj * (ux * dx + uy * dy)
    jac[jo] = ux
    jac[jo + 1] = uy
    jac[jo + 2] = uy * six - ux * siy + rho
    jac[jo + 3] = -ux
    jac[jo + 4] = -uy
    jac[jo + 5] = ux * (dy + sjy) - uy * (dx + sjx) - rho
