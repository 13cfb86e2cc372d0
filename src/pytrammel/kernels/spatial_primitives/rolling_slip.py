"""Slip where a sphere or a thin disc of body i touches a plane of body j: two rows that restrain velocities only.

The outputs have no value. Their rates are the components, along two directions of the plane, of the velocity of the sphere's (or
disc's) material at the contact point relative to the plane's.
"""

from __future__ import annotations

import math

from pytrammel.kernels.jit import kernel
from pytrammel.kernels.layout import BODIES, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, RD, VALUE, R
from pytrammel.kernels.spatial_primitives import ALL, spatial_primitive
from pytrammel.kernels.spatial_primitives._rows import spun, write_moment, write_three
from pytrammel.kernels.vectors import turned


@kernel()
def slip_rows(fp, tangents, state, i, j, sx, sy, sz, cx, cy, cz, ex, ey, ez, out, o, jac, jo):
    """Rows for centre s (from i's origin), contact c (from the centre) and its rate e; the tangents' constants are at `tangents`."""
    # velocity of the centre and of the contact point's material on i
    vx, vy, vz = spun(state, i, sx, sy, sz)
    ax, ay, az = spun(state, i, vx + ex, vy + ey, vz + ez)
    vx += state[i + RD]
    vy += state[i + RD + 1]
    vz += state[i + RD + 2]
    ux, uy, uz = spun(state, i, cx, cy, cz)
    # arm of the contact point on j
    gx = state[i + R] + sx + cx - state[j + R]
    gy = state[i + R + 1] + sy + cy - state[j + R + 1]
    gz = state[i + R + 2] + sz + cz - state[j + R + 2]
    wx, wy, wz = spun(state, j, gx, gy, gz)
    ux += vx - state[j + RD] - wx
    uy += vy - state[j + RD + 1] - wy
    uz += vz - state[j + RD + 2] - wz
    bx, by, bz = spun(state, j, vx + ex - state[j + RD], vy + ey - state[j + RD + 1], vz + ez - state[j + RD + 2])
    for k in range(2):
        tx, ty, tz = turned(state, j, fp, tangents + 3 * k)
        hx, hy, hz = spun(state, j, tx, ty, tz)
        p = OUTPUT_SIZE * (o + k)
        out[p + VALUE] = 0.0
        out[p + PARTIAL_T] = 0.0
        out[p + QUADRATIC] = hx * ux + hy * uy + hz * uz + tx * (ax - bx) + ty * (ay - by) + tz * (az - bz)
        at = jo + 12 * k
        write_three(jac, at, tx, ty, tz)
        write_moment(state, i, sx + cx, sy + cy, sz + cz, tx, ty, tz, 1.0, jac, at + 3)
        write_three(jac, at + 6, -tx, -ty, -tz)
        write_moment(state, j, gx, gy, gz, tx, ty, tz, -1.0, jac, at + 9)


@spatial_primitive(n_bodies=2, n_outputs=2, n_data=13, velocity_only=True, touched=(ALL, ALL))
def sphere_slip(ip, io, fp, state, out, o, jac, jo, work):
    # data: centre s'_i, radius, normal n'_j, two tangents
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    radius = fp[f + 3]
    sx, sy, sz = turned(state, i, fp, f)
    nx, ny, nz = turned(state, j, fp, f + 4)
    dx, dy, dz = spun(state, j, nx, ny, nz)
    slip_rows(
        fp, f + 7, state, i, j, sx, sy, sz, -radius * nx, -radius * ny, -radius * nz,
        -radius * dx, -radius * dy, -radius * dz, out, o, jac, jo,
    )  # fmt: skip


@spatial_primitive(n_bodies=2, n_outputs=2, n_data=16, velocity_only=True, smooth_in_complex=False, touched=(ALL, ALL))
def disc_slip(ip, io, fp, state, out, o, jac, jo, work):
    # data: centre s'_i, radius, normal n'_j, two tangents, disc axis a'_i
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    radius = fp[f + 3]
    sx, sy, sz = turned(state, i, fp, f)
    nx, ny, nz = turned(state, j, fp, f + 4)
    ax, ay, az = turned(state, i, fp, f + 13)
    # w = n - (n . a) a points up in the plane of the disc; the contact is at -radius w / |w|
    c = nx * ax + ny * ay + nz * az
    wx = nx - c * ax
    wy = ny - c * ay
    wz = nz - c * az
    dnx, dny, dnz = spun(state, j, nx, ny, nz)
    dax, day, daz = spun(state, i, ax, ay, az)
    dc = dnx * ax + dny * ay + dnz * az + nx * dax + ny * day + nz * daz
    dwx = dnx - dc * ax - c * dax
    dwy = dny - dc * ay - c * day
    dwz = dnz - dc * az - c * daz
    size = math.sqrt(wx * wx + wy * wy + wz * wz)
    along = (wx * dwx + wy * dwy + wz * dwz) / (size * size)
    scale = -radius / size
    slip_rows(
        fp, f + 7, state, i, j, sx, sy, sz, scale * wx, scale * wy, scale * wz,
        scale * (dwx - along * wx), scale * (dwy - along * wy), scale * (dwz - along * wz), out, o, jac, jo,
    )  # fmt: skip
