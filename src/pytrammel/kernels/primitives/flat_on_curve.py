"""A straight face of body j tangent to a curve of body i: the flat-faced follower (eq. 4.29, with a unit tangent so that
the first row is an angle and the second a length)."""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, COS, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, SIN, VALUE, XD, YD, W, X, Y
from pytrammel.kernels.primitives import primitive
from pytrammel.kernels.primitives._curve import E0, E1, E2, P0, P1, P2, curve_at


@primitive(n_bodies=2, n_outputs=2, n_data=4, n_extras=1, n_tapes=2, smooth_in_complex=False)
def flat_on_curve(ip, io, fp, state, out, o, jac, jo, work):
    # values: e . n and d . n ; e unit tangent (body i), n face normal (body j), d = r_i + P - r_j - s_j
    # data: s'_j (a point of the face), n' (unit)
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    parameter = ip[io + BODIES + 2]
    u = state[parameter]
    ud = state[parameter + 1]
    curve_at(ip, ip[io + BODIES + 3], ip[io + BODIES + 4], fp, u, work)
    ci = state[i + COS]
    si = state[i + SIN]
    cj = state[j + COS]
    sj = state[j + SIN]
    px = ci * work[P0] - si * work[P0 + 1]
    py = si * work[P0] + ci * work[P0 + 1]
    gx = ci * work[P1] - si * work[P1 + 1]
    gy = si * work[P1] + ci * work[P1 + 1]
    hx = ci * work[P2] - si * work[P2 + 1]
    hy = si * work[P2] + ci * work[P2 + 1]
    ex = ci * work[E0] - si * work[E0 + 1]
    ey = si * work[E0] + ci * work[E0 + 1]
    e1x = ci * work[E1] - si * work[E1 + 1]
    e1y = si * work[E1] + ci * work[E1 + 1]
    e2x = ci * work[E2] - si * work[E2 + 1]
    e2y = si * work[E2] + ci * work[E2 + 1]
    sx = cj * fp[f] - sj * fp[f + 1]
    sy = sj * fp[f] + cj * fp[f + 1]
    nx = cj * fp[f + 2] - sj * fp[f + 3]
    ny = sj * fp[f + 2] + cj * fp[f + 3]
    wi = state[i + W]
    wj = state[j + W]
    dx = state[i + X] + px - state[j + X] - sx
    dy = state[i + Y] + py - state[j + Y] - sy
    # rates with accelerations zero: d, e, n once and twice
    ddx = state[i + XD] - wi * py + ud * gx - state[j + XD] + wj * sy
    ddy = state[i + YD] + wi * px + ud * gy - state[j + YD] - wj * sx
    d2x = -wi * wi * px - 2.0 * wi * ud * gy + ud * ud * hx + wj * wj * sx
    d2y = -wi * wi * py + 2.0 * wi * ud * gx + ud * ud * hy + wj * wj * sy
    edx = -wi * ey + ud * e1x
    edy = wi * ex + ud * e1y
    ed2x = -wi * wi * ex - 2.0 * wi * ud * e1y + ud * ud * e2x
    ed2y = -wi * wi * ey + 2.0 * wi * ud * e1x + ud * ud * e2y
    ndx = -wj * ny
    ndy = wj * nx
    p = OUTPUT_SIZE * o
    out[p + VALUE] = ex * nx + ey * ny
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = ed2x * nx + ed2y * ny + 2.0 * (edx * ndx + edy * ndy) - wj * wj * (ex * nx + ey * ny)
    p = p + OUTPUT_SIZE
    out[p + VALUE] = dx * nx + dy * ny
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = d2x * nx + d2y * ny + 2.0 * (ddx * ndx + ddy * ndy) - wj * wj * (dx * nx + dy * ny)
    turn = ex * ny - ey * nx  # (R e) . n = -(e . R n)
    jac[jo] = 0.0
    jac[jo + 1] = 0.0
    jac[jo + 2] = turn
    jac[jo + 3] = 0.0
    jac[jo + 4] = 0.0
    jac[jo + 5] = -turn
    jac[jo + 6] = e1x * nx + e1y * ny
    jac[jo + 7] = nx
    jac[jo + 8] = ny
    jac[jo + 9] = px * ny - py * nx
    jac[jo + 10] = -nx
    jac[jo + 11] = -ny
    jac[jo + 12] = (dy + sy) * nx - (dx + sx) * ny
    jac[jo + 13] = gx * nx + gy * ny
