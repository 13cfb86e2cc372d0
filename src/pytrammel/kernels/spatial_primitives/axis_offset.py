"""Component along a vector fixed in body i of the way from a point of body i to one of body j: the primitive n2 (eq. 7.4).

Across an axis it holds a point on a line or plane; along it, it is the sliding distance. On the ground it is a coordinate of a point.
"""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, RD, VALUE, R
from pytrammel.kernels.spatial_primitives import ALL, spatial_primitive
from pytrammel.kernels.spatial_primitives._rows import spun, write_moment, write_three
from pytrammel.kernels.vectors import turned


@spatial_primitive(n_bodies=2, n_outputs=1, n_data=9, touched=(ALL,))
def axis_offset(ip, io, fp, state, out, o, jac, jo, work):
    # value = s . d, d = r_j + A_j s'_j - r_i - A_i s'_i ; data: s' (in i), s'_i, s'_j
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    sx, sy, sz = turned(state, i, fp, f)
    ax, ay, az = turned(state, i, fp, f + 3)
    bx, by, bz = turned(state, j, fp, f + 6)
    dx = state[j + R] + bx - state[i + R] - ax
    dy = state[j + R + 1] + by - state[i + R + 1] - ay
    dz = state[j + R + 2] + bz - state[i + R + 2] - az
    # first and second rates, accelerations zero
    ux, uy, uz = spun(state, i, sx, sy, sz)
    vx, vy, vz = spun(state, i, ux, uy, uz)
    px, py, pz = spun(state, i, ax, ay, az)
    qx, qy, qz = spun(state, j, bx, by, bz)
    ddx = state[j + RD] + qx - state[i + RD] - px
    ddy = state[j + RD + 1] + qy - state[i + RD + 1] - py
    ddz = state[j + RD + 2] + qz - state[i + RD + 2] - pz
    px, py, pz = spun(state, i, px, py, pz)
    qx, qy, qz = spun(state, j, qx, qy, qz)
    p = OUTPUT_SIZE * o
    out[p + VALUE] = sx * dx + sy * dy + sz * dz
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = (
        vx * dx
        + vy * dy
        + vz * dz
        + 2.0 * (ux * ddx + uy * ddy + uz * ddz)
        + sx * (qx - px)
        + sy * (qy - py)
        + sz * (qz - pz)
    )
    write_three(jac, jo, -sx, -sy, -sz)
    # the vector turns with body i, and so does the point the way starts from
    write_moment(state, i, sx, sy, sz, dx + ax, dy + ay, dz + az, 1.0, jac, jo + 3)
    write_three(jac, jo + 6, sx, sy, sz)
    write_moment(state, j, bx, by, bz, sx, sy, sz, 1.0, jac, jo + 9)
