"""One of the relative Euler parameters of two bodies, to be measured, driven, held and used in formulas."""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, E0, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, VALUE, WB
from pytrammel.kernels.spatial_primitives import ROTATION, spatial_primitive


@spatial_primitive(n_bodies=2, n_outputs=1, n_data=1, touched=(ROTATION,))
def relative_parameter(ip, io, fp, state, out, o, jac, jo, work):
    # as `relative_parameters`, of which it is one row; data: which of the four
    k = int(fp[ip[io + FLOATS]])
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    a0, ax, ay, az = state[j + E0], -state[j + E0 + 1], -state[j + E0 + 2], -state[j + E0 + 3]
    b0, bx, by, bz = state[i + E0], state[i + E0 + 1], state[i + E0 + 2], state[i + E0 + 3]
    e0 = a0 * b0 - ax * bx - ay * by - az * bz
    ex = a0 * bx + b0 * ax + ay * bz - az * by
    ey = a0 * by + b0 * ay + az * bx - ax * bz
    ez = a0 * bz + b0 * az + ax * by - ay * bx
    ux, uy, uz = state[i + WB], state[i + WB + 1], state[i + WB + 2]
    vx, vy, vz = state[j + WB], state[j + WB + 1], state[j + WB + 2]
    square = 0.25 * (ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz)
    g0 = -ex * ux - ey * uy - ez * uz
    gx = e0 * ux + ey * uz - ez * uy
    gy = e0 * uy + ez * ux - ex * uz
    gz = e0 * uz + ex * uy - ey * ux
    if k == 0:
        value, twice = e0, 0.5 * (vx * gx + vy * gy + vz * gz)
        px, py, pz = -ex, -ey, -ez
        qx, qy, qz = ex, ey, ez
    elif k == 1:
        value, twice = ex, -0.5 * (vx * g0 + vy * gz - vz * gy)
        px, py, pz = e0, -ez, ey
        qx, qy, qz = -e0, -ez, ey
    elif k == 2:
        value, twice = ey, -0.5 * (vy * g0 + vz * gx - vx * gz)
        px, py, pz = ez, e0, -ex
        qx, qy, qz = ez, -e0, -ex
    else:
        value, twice = ez, -0.5 * (vz * g0 + vx * gy - vy * gx)
        px, py, pz = -ey, ex, e0
        qx, qy, qz = -ey, ex, -e0
    out[OUTPUT_SIZE * o + VALUE] = value
    out[OUTPUT_SIZE * o + PARTIAL_T] = 0.0
    out[OUTPUT_SIZE * o + QUADRATIC] = twice - square * value
    for c in range(12):
        jac[jo + c] = 0.0
    jac[jo + 3] = 0.5 * px
    jac[jo + 4] = 0.5 * py
    jac[jo + 5] = 0.5 * pz
    jac[jo + 9] = 0.5 * qx
    jac[jo + 10] = 0.5 * qy
    jac[jo + 11] = 0.5 * qz
