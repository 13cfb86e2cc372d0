"""Scalar product of vectors fixed in two bodies: the primitive n1 (eq. 7.3), by which axes are held parallel or at an angle."""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, VALUE
from pytrammel.kernels.spatial_primitives import ROTATION, spatial_primitive
from pytrammel.kernels.spatial_primitives._rows import spun, write_moment, write_three
from pytrammel.kernels.vectors import turned


@spatial_primitive(n_bodies=2, n_outputs=1, n_data=6, touched=(ROTATION,))
def axis_dot(ip, io, fp, state, out, o, jac, jo, work):
    # value = s_i . s_j ; data: s'_i, s'_j
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    ax, ay, az = turned(state, i, fp, f)
    bx, by, bz = turned(state, j, fp, f + 3)
    cx, cy, cz = spun(state, i, ax, ay, az)
    dx, dy, dz = spun(state, j, bx, by, bz)
    ex, ey, ez = spun(state, i, cx, cy, cz)
    gx, gy, gz = spun(state, j, dx, dy, dz)
    p = OUTPUT_SIZE * o
    out[p + VALUE] = ax * bx + ay * by + az * bz
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = ex * bx + ey * by + ez * bz + ax * gx + ay * gy + az * gz + 2.0 * (cx * dx + cy * dy + cz * dz)
    write_three(jac, jo, 0.0, 0.0, 0.0)
    write_moment(state, i, ax, ay, az, bx, by, bz, 1.0, jac, jo + 3)
    write_three(jac, jo + 6, 0.0, 0.0, 0.0)
    write_moment(state, j, bx, by, bz, ax, ay, az, 1.0, jac, jo + 9)
