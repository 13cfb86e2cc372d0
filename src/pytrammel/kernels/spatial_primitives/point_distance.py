"""Distance between points of two bodies: rigid links with ball ends (s-s, eq. 7.19) and springs."""

from __future__ import annotations

import math

from pytrammel.kernels.layout import BODIES, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, RD, VALUE, R
from pytrammel.kernels.spatial_primitives import ALL, spatial_primitive
from pytrammel.kernels.spatial_primitives._rows import spun, write_moment, write_three
from pytrammel.kernels.vectors import turned

COINCIDENT = 4e-16  # of the numbers that make up the difference: what is left of it is rounding
SLOWEST = 1e-200  # relative speed below which there is no direction of motion


@spatial_primitive(n_bodies=2, n_outputs=1, n_data=6, smooth_in_complex=False, touched=(ALL,))
def point_distance(ip, io, fp, state, out, o, jac, jo, work):
    # value = |d|, d = r_i + A_i s'_i - r_j - A_j s'_j ; data: s'_i, s'_j
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    ax, ay, az = turned(state, i, fp, f)
    bx, by, bz = turned(state, j, fp, f + 3)
    dx = state[i + R] + ax - state[j + R] - bx
    dy = state[i + R + 1] + ay - state[j + R + 1] - by
    dz = state[i + R + 2] + az - state[j + R + 2] - bz
    px, py, pz = spun(state, i, ax, ay, az)
    qx, qy, qz = spun(state, j, bx, by, bz)
    ddx = state[i + RD] + px - state[j + RD] - qx
    ddy = state[i + RD + 1] + py - state[j + RD + 1] - qy
    ddz = state[i + RD + 2] + pz - state[j + RD + 2] - qz
    px, py, pz = spun(state, i, px, py, pz)
    qx, qy, qz = spun(state, j, qx, qy, qz)
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    size = abs(ax) + abs(ay) + abs(az) + abs(bx) + abs(by) + abs(bz)
    for k in range(3):
        size += abs(state[i + R + k]) + abs(state[j + R + k])
    if length <= COINCIDENT * size:
        # where the points coincide the direction is that of the relative motion (Haug 11.4.9), or arbitrary at rest
        speed = math.sqrt(ddx * ddx + ddy * ddy + ddz * ddz)
        nx = ddx / speed if speed > SLOWEST else 1.0
        ny = ddy / speed if speed > SLOWEST else 0.0
        nz = ddz / speed if speed > SLOWEST else 0.0
        sideways = 0.0
    else:
        nx = dx / length
        ny = dy / length
        nz = dz / length
        along = nx * ddx + ny * ddy + nz * ddz
        ddx -= along * nx
        ddy -= along * ny
        ddz -= along * nz
        sideways = (ddx * ddx + ddy * ddy + ddz * ddz) / length
    p = OUTPUT_SIZE * o
    out[p + VALUE] = length
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = nx * (px - qx) + ny * (py - qy) + nz * (pz - qz) + sideways
    write_three(jac, jo, nx, ny, nz)
    write_moment(state, i, ax, ay, az, nx, ny, nz, 1.0, jac, jo + 3)
    write_three(jac, jo + 6, -nx, -ny, -nz)
    write_moment(state, j, bx, by, bz, nx, ny, nz, -1.0, jac, jo + 9)
