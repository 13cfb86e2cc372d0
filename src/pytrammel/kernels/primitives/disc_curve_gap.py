"""Gap between a disc of body i and a curve of body j: the distance of its centre from the nearest point, less the radius.

Beyond the free side of the curve it is negative; beyond the end of an open curve the end point is a corner.
"""

from __future__ import annotations

import math

from pytrammel.kernels.jit import kernel
from pytrammel.kernels.layout import BODIES, COS, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, SIN, VALUE, XD, YD, W, X, Y
from pytrammel.kernels.primitives import primitive
from pytrammel.kernels.primitives._curve import E0, E1, OUTLINE_TABLE, P0, P1, P2, curve_at, nearest_sample


@kernel()
def nearest_parameter(ip, tape_x, tape_y, fp, lx, ly, start, end, closed, outline, work):
    """Parameter of the point of a curve nearest to (lx, ly): the nearest sample, then Newton's method."""
    u = fp[outline + OUTLINE_TABLE + 3 * nearest_sample(fp, outline, lx, ly)]
    for _ in range(8):
        curve_at(ip, tape_x, tape_y, fp, u, work)
        ex = work[P0] - lx
        ey = work[P0 + 1] - ly
        bend = work[P1] * work[P1] + work[P1 + 1] * work[P1 + 1] + ex * work[P2] + ey * work[P2 + 1]
        if bend <= 0.0:
            break
        step = (ex * work[P1] + ey * work[P1 + 1]) / bend
        u -= step
        if not closed:
            u = min(max(u, start), end)
        if abs(step) < 1e-14 * (1.0 + abs(u)):
            break
    return u


@primitive(n_bodies=2, n_outputs=1, n_data=None, n_tapes=2, smooth_in_complex=False)
def disc_curve_gap(ip, io, fp, state, out, o, jac, jo, work):
    # data: s'_i (centre), radius, side, first and last parameter, closed, then an outline
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    tape_x = ip[io + BODIES + 2]
    tape_y = ip[io + BODIES + 3]
    start = fp[f + 4]
    end = fp[f + 5]
    closed = fp[f + 6] != 0.0
    six = state[i + COS] * fp[f] - state[i + SIN] * fp[f + 1]
    siy = state[i + SIN] * fp[f] + state[i + COS] * fp[f + 1]
    cj = state[j + COS]
    sj = state[j + SIN]
    dx = state[i + X] + six - state[j + X]
    dy = state[i + Y] + siy - state[j + Y]
    lx = cj * dx + sj * dy
    ly = -sj * dx + cj * dy
    u = nearest_parameter(ip, tape_x, tape_y, fp, lx, ly, start, end, closed, f + 7, work)
    curve_at(ip, tape_x, tape_y, fp, u, work)
    ax = lx - work[P0]
    ay = ly - work[P0 + 1]
    nx = -fp[f + 3] * work[E0 + 1]
    ny = fp[f + 3] * work[E0]
    height = nx * ax + ny * ay
    at_end = not closed and (u <= start or u >= end)
    corner = at_end and height > 0.0
    if corner:
        height = math.hypot(ax, ay)
        nx = ax / height
        ny = ay / height
    # the centre as seen from body j: rate and second rate with accelerations zero
    wi = state[i + W]
    wj = state[j + W]
    vx = state[i + XD] - wi * siy - state[j + XD]
    vy = state[i + YD] + wi * six - state[j + YD]
    rx = vx + wj * dy
    ry = vy - wj * dx
    lvx = cj * rx + sj * ry
    lvy = -sj * rx + cj * ry
    gx = -wi * wi * six + 2.0 * wj * vy - wj * wj * dx
    gy = -wi * wi * siy - 2.0 * wj * vx - wj * wj * dy
    second = nx * (cj * gx + sj * gy) + ny * (-sj * gx + cj * gy)
    if corner:
        along = nx * lvx + ny * lvy
        second += (lvx * lvx + lvy * lvy - along * along) / height
    elif not at_end:
        # the foot moves along: u' from (l - p) . p' = 0, and the normal turns with it
        bend = work[P1] * work[P1] + work[P1 + 1] * work[P1 + 1] - ax * work[P2] - ay * work[P2 + 1]
        ud = (lvx * work[P1] + lvy * work[P1 + 1]) / bend
        second += fp[f + 3] * ud * (-work[E1 + 1] * lvx + work[E1] * lvy)
    p = OUTPUT_SIZE * o
    out[p + VALUE] = height - fp[f + 2]
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = second
    hx = cj * nx - sj * ny
    hy = sj * nx + cj * ny
    jac[jo] = hx
    jac[jo + 1] = hy
    jac[jo + 2] = six * hy - siy * hx
    jac[jo + 3] = -hx
    jac[jo + 4] = -hy
    jac[jo + 5] = -(dx * hy - dy * hx)
