"""Relative Euler parameters of two bodies (eq. 6.122): four numbers that describe frame i seen from frame j without singularity."""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, E0, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, VALUE, WB
from pytrammel.kernels.spatial_primitives import ROTATION, spatial_primitive


@spatial_primitive(n_bodies=2, n_outputs=4, n_data=0, touched=(ROTATION,) * 4)
def relative_parameters(ip, io, fp, state, out, o, jac, jo, work):
    # value = conj(p_j) * p_i. Its rate is 1/2 (value * w'_i - w'_j * value), so that all derivatives are products of this kind.
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    a0 = state[j + E0]
    ax = -state[j + E0 + 1]
    ay = -state[j + E0 + 2]
    az = -state[j + E0 + 3]
    b0 = state[i + E0]
    bx = state[i + E0 + 1]
    by = state[i + E0 + 2]
    bz = state[i + E0 + 3]
    e0 = a0 * b0 - ax * bx - ay * by - az * bz
    ex = a0 * bx + b0 * ax + ay * bz - az * by
    ey = a0 * by + b0 * ay + az * bx - ax * bz
    ez = a0 * bz + b0 * az + ax * by - ay * bx
    ux = state[i + WB]
    uy = state[i + WB + 1]
    uz = state[i + WB + 2]
    vx = state[j + WB]
    vy = state[j + WB + 1]
    vz = state[j + WB + 2]
    # second rate: 1/4 (-u² e - v² e) - 1/2 v * e * u
    square = 0.25 * (ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz)
    g0 = -ex * ux - ey * uy - ez * uz
    gx = e0 * ux + ey * uz - ez * uy
    gy = e0 * uy + ez * ux - ex * uz
    gz = e0 * uz + ex * uy - ey * ux
    p = OUTPUT_SIZE * o
    out[p + VALUE] = e0
    out[p + QUADRATIC] = -square * e0 + 0.5 * (vx * gx + vy * gy + vz * gz)
    p = p + OUTPUT_SIZE
    out[p + VALUE] = ex
    out[p + QUADRATIC] = -square * ex - 0.5 * (vx * g0 + vy * gz - vz * gy)
    p = p + OUTPUT_SIZE
    out[p + VALUE] = ey
    out[p + QUADRATIC] = -square * ey - 0.5 * (vy * g0 + vz * gx - vx * gz)
    p = p + OUTPUT_SIZE
    out[p + VALUE] = ez
    out[p + QUADRATIC] = -square * ez - 0.5 * (vz * g0 + vx * gy - vy * gx)
    for k in range(4):
        out[OUTPUT_SIZE * (o + k) + PARTIAL_T] = 0.0
        for c in range(3):
            jac[jo + 12 * k + c] = 0.0
            jac[jo + 12 * k + 6 + c] = 0.0
    # rows of e * (0, x) / 2 for body i and of -(0, x) * e / 2 for body j
    jac[jo + 3] = -0.5 * ex
    jac[jo + 4] = -0.5 * ey
    jac[jo + 5] = -0.5 * ez
    jac[jo + 9] = 0.5 * ex
    jac[jo + 10] = 0.5 * ey
    jac[jo + 11] = 0.5 * ez
    jac[jo + 15] = 0.5 * e0
    jac[jo + 16] = -0.5 * ez
    jac[jo + 17] = 0.5 * ey
    jac[jo + 21] = -0.5 * e0
    jac[jo + 22] = -0.5 * ez
    jac[jo + 23] = 0.5 * ey
    jac[jo + 27] = 0.5 * ez
    jac[jo + 28] = 0.5 * e0
    jac[jo + 29] = -0.5 * ex
    jac[jo + 33] = 0.5 * ez
    jac[jo + 34] = -0.5 * e0
    jac[jo + 35] = -0.5 * ex
    jac[jo + 39] = -0.5 * ey
    jac[jo + 40] = 0.5 * ex
    jac[jo + 41] = 0.5 * e0
    jac[jo + 45] = -0.5 * ey
    jac[jo + 46] = 0.5 * ex
    jac[jo + 47] = -0.5 * e0
