"""A point of body i on a curve of body j, or on the curve's parallel at a distance.

Point follower and pin in slot (eq. 4.27, 4.30); with an offset it is the roller follower, held on the pitch curve, so that
the roller cannot be found inside the cam (the printed pair, eq. 4.28, also accepts internal tangency).
"""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, COS, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, SIN, VALUE, W, X, Y
from pytrammel.kernels.primitives import primitive
from pytrammel.kernels.primitives._curve import E0, E1, E2, P0, P1, P2, curve_at


@primitive(n_bodies=2, n_outputs=2, n_data=3, n_extras=1, n_tapes=2, smooth_in_complex=False)
def pin_on_curve(ip, io, fp, state, out, o, jac, jo, work):
    # value = r_i + A_i s'_i - r_j - A_j c'(u), c' = p' + offset * (right-hand normal) ; data: s'_i, offset
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    parameter = ip[io + BODIES + 2]
    u = state[parameter]
    ud = state[parameter + 1]
    curve_at(ip, ip[io + BODIES + 3], ip[io + BODIES + 4], fp, u, work)
    offset = fp[f + 2]
    # right-hand normal of the unit tangent (a, b) is (b, -a)
    lx = work[P0] + offset * work[E0 + 1]
    ly = work[P0 + 1] - offset * work[E0]
    lx1 = work[P1] + offset * work[E1 + 1]
    ly1 = work[P1 + 1] - offset * work[E1]
    lx2 = work[P2] + offset * work[E2 + 1]
    ly2 = work[P2 + 1] - offset * work[E2]
    ci = state[i + COS]
    si = state[i + SIN]
    cj = state[j + COS]
    sj = state[j + SIN]
    six = ci * fp[f] - si * fp[f + 1]
    siy = si * fp[f] + ci * fp[f + 1]
    px = cj * lx - sj * ly
    py = sj * lx + cj * ly
    gx = cj * lx1 - sj * ly1
    gy = sj * lx1 + cj * ly1
    hx = cj * lx2 - sj * ly2
    hy = sj * lx2 + cj * ly2
    wi = state[i + W]
    wj = state[j + W]
    p = OUTPUT_SIZE * o
    out[p + VALUE] = state[i + X] + six - state[j + X] - px
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = -six * wi * wi + px * wj * wj + 2.0 * wj * ud * gy - ud * ud * hx
    p = p + OUTPUT_SIZE
    out[p + VALUE] = state[i + Y] + siy - state[j + Y] - py
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = -siy * wi * wi + py * wj * wj - 2.0 * wj * ud * gx - ud * ud * hy
    jac[jo] = 1.0
    jac[jo + 1] = 0.0
    jac[jo + 2] = -siy
    jac[jo + 3] = -1.0
    jac[jo + 4] = 0.0
    jac[jo + 5] = py
    jac[jo + 6] = -gx
    jac[jo + 7] = 0.0
    jac[jo + 8] = 1.0
    jac[jo + 9] = six
    jac[jo + 10] = 0.0
    jac[jo + 11] = -1.0
    jac[jo + 12] = -px
    jac[jo + 13] = -gy
