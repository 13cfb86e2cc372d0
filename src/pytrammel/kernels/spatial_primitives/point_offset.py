"""Vector between points of two bodies, global components: spherical joint (eq. 7.7)."""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, VALUE, R
from pytrammel.kernels.spatial_primitives import ROTATION, spatial_primitive
from pytrammel.kernels.spatial_primitives._rows import spun, write_point_rows
from pytrammel.kernels.vectors import turned


@spatial_primitive(
    n_bodies=2, n_outputs=3, n_data=6, touched=((0, 3, 4, 5), (1, 3, 4, 5), (2, 3, 4, 5)), curved=ROTATION
)
def point_offset(ip, io, fp, state, out, o, jac, jo, work):
    # value = r_i + A_i s'_i - r_j - A_j s'_j ; data: s'_i, s'_j
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    six, siy, siz = turned(state, i, fp, f)
    sjx, sjy, sjz = turned(state, j, fp, f + 3)
    p = OUTPUT_SIZE * o
    out[p + VALUE] = state[i + R] + six - state[j + R] - sjx
    out[p + OUTPUT_SIZE + VALUE] = state[i + R + 1] + siy - state[j + R + 1] - sjy
    out[p + 2 * OUTPUT_SIZE + VALUE] = state[i + R + 2] + siz - state[j + R + 2] - sjz
    ax, ay, az = spun(state, i, six, siy, siz)
    ax, ay, az = spun(state, i, ax, ay, az)
    bx, by, bz = spun(state, j, sjx, sjy, sjz)
    bx, by, bz = spun(state, j, bx, by, bz)
    out[p + QUADRATIC] = ax - bx
    out[p + OUTPUT_SIZE + QUADRATIC] = ay - by
    out[p + 2 * OUTPUT_SIZE + QUADRATIC] = az - bz
    for k in range(3):
        out[p + OUTPUT_SIZE * k + PARTIAL_T] = 0.0
    write_point_rows(state, i, j, fp[f], fp[f + 1], fp[f + 2], fp[f + 3], fp[f + 4], fp[f + 5], jac, jo, 12)
