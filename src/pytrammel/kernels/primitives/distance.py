"""Distance between two body-fixed points: the massless link (eq. 4.14), written with the length itself, not its square,
so that the row has the unit and the scale of a length."""

from __future__ import annotations

import math

from pytrammel.kernels.layout import BODIES, COS, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, SIN, VALUE, XD, YD, W, X, Y
from pytrammel.kernels.primitives import primitive

COINCIDENT = 4e-16  # of the numbers that make up the difference: what is left of it is rounding
SLOWEST = 1e-200  # relative speed below which there is no direction of motion


@primitive(n_bodies=2, n_outputs=1, n_data=4, smooth_in_complex=False)
def distance(ip, io, fp, state, out, o, jac, jo, work):
    # value = |r_i + A_i s'_i - r_j - A_j s'_j| ; data: s'_i, s'_j
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    six = state[i + COS] * fp[f] - state[i + SIN] * fp[f + 1]
    siy = state[i + SIN] * fp[f] + state[i + COS] * fp[f + 1]
    sjx = state[j + COS] * fp[f + 2] - state[j + SIN] * fp[f + 3]
    sjy = state[j + SIN] * fp[f + 2] + state[j + COS] * fp[f + 3]
    wi = state[i + W]
    wj = state[j + W]
    dx = state[i + X] + six - state[j + X] - sjx
    dy = state[i + Y] + siy - state[j + Y] - sjy
    ddx = state[i + XD] - wi * siy - state[j + XD] + wj * sjy
    ddy = state[i + YD] + wi * six - state[j + YD] - wj * sjx
    d2x = wj * wj * sjx - wi * wi * six
    d2y = wj * wj * sjy - wi * wi * siy
    length = math.hypot(dx, dy)
    p = OUTPUT_SIZE * o
    out[p + VALUE] = length
    out[p + PARTIAL_T] = 0.0
    size = abs(state[i + X]) + abs(state[i + Y]) + abs(state[j + X]) + abs(state[j + Y])
    if length <= COINCIDENT * (size + abs(six) + abs(siy) + abs(sjx) + abs(sjy)):
        # where the points coincide the direction is that of the relative motion (Haug 11.4.9), or arbitrary at rest
        speed = math.hypot(ddx, ddy)
        nx = ddx / speed if speed > SLOWEST else 1.0
        ny = ddy / speed if speed > SLOWEST else 0.0
        out[p + QUADRATIC] = nx * d2x + ny * d2y
    else:
        nx = dx / length
        ny = dy / length
        sideways = nx * ddy - ny * ddx
        out[p + QUADRATIC] = nx * d2x + ny * d2y + sideways * sideways / length
    jac[jo] = nx
    jac[jo + 1] = ny
    jac[jo + 2] = ny * six - nx * siy
    jac[jo + 3] = -nx
    jac[jo + 4] = -ny
    jac[jo + 5] = nx * sjy - ny * sjx
