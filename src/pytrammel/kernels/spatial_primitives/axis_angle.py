"""Angle about an axis, counted through all turns: of a vector of body j in the x-y plane of a frame on body i.

With a common z axis it is the joint angle of a revolute, cylindrical or screw joint. It is the atan2 of two scalar products, so that
no position is singular for it; the turn comes from the counter kept in the state.
"""

from __future__ import annotations

import math

from pytrammel.kernels.layout import BODIES, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, VALUE
from pytrammel.kernels.spatial_bodies import nearest_turn
from pytrammel.kernels.spatial_primitives import ROTATION, spatial_primitive
from pytrammel.kernels.spatial_primitives._rows import spun, write_moment, write_three
from pytrammel.kernels.vectors import turned


@spatial_primitive(n_bodies=2, n_outputs=1, n_data=9, smooth_in_complex=False, touched=(ROTATION,))
def axis_angle(ip, io, fp, state, out, o, jac, jo, work):
    # value = atan2(y_i . s_j, x_i . s_j) + turns ; data: x'_i, y'_i, s'_j ; integers: place of the turn counter, or -1
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    counter = ip[io + BODIES + 2]
    xx, xy, xz = turned(state, i, fp, f)
    yx, yy, yz = turned(state, i, fp, f + 3)
    sx, sy, sz = turned(state, j, fp, f + 6)
    a = xx * sx + xy * sy + xz * sz
    b = yx * sx + yy * sy + yz * sz
    rho = a * a + b * b
    # the direction in which the angle grows: (a y - b x) / rho, fixed in body i
    gx = (a * yx - b * xx) / rho
    gy = (a * yy - b * xy) / rho
    gz = (a * yz - b * xz) / rho
    # rates of the two products, accelerations zero
    ux, uy, uz = spun(state, i, xx, xy, xz)
    vx, vy, vz = spun(state, i, yx, yy, yz)
    wx, wy, wz = spun(state, j, sx, sy, sz)
    da = ux * sx + uy * sy + uz * sz + xx * wx + xy * wy + xz * wz
    db = vx * sx + vy * sy + vz * sz + yx * wx + yy * wy + yz * wz
    dda = 2.0 * (ux * wx + uy * wy + uz * wz)
    ddb = 2.0 * (vx * wx + vy * wy + vz * wz)
    ux, uy, uz = spun(state, i, ux, uy, uz)
    vx, vy, vz = spun(state, i, vx, vy, vz)
    wx, wy, wz = spun(state, j, wx, wy, wz)
    dda += ux * sx + uy * sy + uz * sz + xx * wx + xy * wy + xz * wz
    ddb += vx * sx + vy * sy + vz * sz + yx * wx + yy * wy + yz * wz
    angle = math.atan2(b, a)
    p = OUTPUT_SIZE * o
    out[p + VALUE] = nearest_turn(angle, state[counter]) if counter >= 0 else angle
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = (a * ddb - b * dda) / rho - 2.0 * (a * da + b * db) * (a * db - b * da) / (rho * rho)
    write_three(jac, jo, 0.0, 0.0, 0.0)
    write_moment(state, i, gx, gy, gz, sx, sy, sz, 1.0, jac, jo + 3)
    write_three(jac, jo + 6, 0.0, 0.0, 0.0)
    write_moment(state, j, sx, sy, sz, gx, gy, gz, 1.0, jac, jo + 9)
