"""Six components between markers of two bodies: a spring with the energy 1/2 u'Ku + 1/2 th'K_r th, or the damper beside it.

u is the way from the first marker to the second in the first one's axes, th the rotation vector between their axes. With
th' = D w, D the inverse of the left Jacobian of the exponential map, the torque that belongs to the energy is -D' K_r th.
"""

from __future__ import annotations

import math

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._space import velocity_at, write_wrench
from pytrammel.kernels.jit import kernel
from pytrammel.kernels.layout import E0, FORCE, OUTPUT_SIZE, POWER, STATE_RATE, WG, R
from pytrammel.kernels.vectors import cross, turned

# where its constants are: 1 for the spring and 0 for the damper, matrices by rows, points, axes, Euler parameters of the axes
MATRIX, TORQUE_MATRIX, POINT_I, AXES_I, POINT_J, PARAMETERS_I, PARAMETERS_J = 1, 10, 19, 22, 31, 34, 38


@kernel()
def times(fp, f, x, y, z):
    """A 3x3 matrix of constants, by rows, times a vector."""
    return (
        fp[f] * x + fp[f + 1] * y + fp[f + 2] * z,
        fp[f + 3] * x + fp[f + 4] * y + fp[f + 5] * z,
        fp[f + 6] * x + fp[f + 7] * y + fp[f + 8] * z,
    )


@kernel()
def chained(a0, a1, a2, a3, b0, b1, b2, b3):
    """Product of Euler parameters."""
    return (
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
        a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
        a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
        a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    )


@kernel()
def marker_parameters(state, b, fp, f):
    """Euler parameters of a marker's axes in space."""
    return chained(
        state[b + E0], state[b + E0 + 1], state[b + E0 + 2], state[b + E0 + 3], fp[f], fp[f + 1], fp[f + 2], fp[f + 3]
    )


@kernel()
def rotation_vector(state, i, j, fp, f, g):
    """Shorter rotation vector that turns the first marker's axes into the second's, in the axes of either."""
    i0, i1, i2, i3 = marker_parameters(state, i, fp, f)
    j0, j1, j2, j3 = marker_parameters(state, j, fp, g)
    c, x, y, z = chained(i0, -i1, -i2, -i3, j0, j1, j2, j3)
    s = math.sqrt(x * x + y * y + z * z)
    if c < 0.0:
        c = -c
        x = -x
        y = -y
        z = -z
    scale = 2.0 * math.atan2(s, c) / s if s > 1e-9 else 2.0
    return scale * x, scale * y, scale * z


@kernel()
def gradient(x, y, z, mx, my, mz):
    """D' m = m + 1/2 th x m + b th x (th x m), b = (1 - th/2 cot th/2) / th²."""
    square = x * x + y * y + z * z
    half = 0.5 * math.sqrt(square)
    b = (1.0 - half / math.tan(half)) / square if half > 1e-3 else 1.0 / 12.0 + square / 720.0
    px, py, pz = cross(x, y, z, mx, my, mz)
    qx, qy, qz = cross(x, y, z, px, py, pz)
    return mx + 0.5 * px + b * qx, my + 0.5 * py + b * qy, mz + 0.5 * pz + b * qz


@force_element
def space_bushing(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, body i, body j; floats: see above
    f = ip[io]
    i = ip[io + 1]
    j = ip[io + 2]
    ax, ay, az = turned(state, i, fp, f + POINT_I)
    bx, by, bz = turned(state, j, fp, f + POINT_J)
    dx = state[j + R] + bx - state[i + R] - ax
    dy = state[j + R + 1] + by - state[i + R + 1] - ay
    dz = state[j + R + 2] + bz - state[i + R + 2] - az
    # both forces act at the second marker, where body i has this arm: the axes of u turn with body i
    ax += dx
    ay += dy
    az += dz
    xx, xy, xz = turned(state, i, fp, f + AXES_I)
    yx, yy, yz = turned(state, i, fp, f + AXES_I + 3)
    zx, zy, zz = turned(state, i, fp, f + AXES_I + 6)
    ix, iy, iz = velocity_at(state, i, ax, ay, az)
    vx, vy, vz = velocity_at(state, j, bx, by, bz)
    vx -= ix
    vy -= iy
    vz -= iz
    wx = state[j + WG] - state[i + WG]
    wy = state[j + WG + 1] - state[i + WG + 1]
    wz = state[j + WG + 2] - state[i + WG + 2]
    if fp[f] != 0.0:
        px, py, pz = times(
            fp, f + MATRIX, xx * dx + xy * dy + xz * dz, yx * dx + yy * dy + yz * dz, zx * dx + zy * dy + zz * dz
        )
        hx, hy, hz = rotation_vector(state, i, j, fp, f + PARAMETERS_I, f + PARAMETERS_J)
        mx, my, mz = times(fp, f + TORQUE_MATRIX, hx, hy, hz)
        mx, my, mz = gradient(hx, hy, hz, mx, my, mz)
    else:
        px, py, pz = times(
            fp, f + MATRIX, xx * vx + xy * vy + xz * vz, yx * vx + yy * vy + yz * vz, zx * vx + zy * vy + zz * vz
        )
        mx, my, mz = times(
            fp, f + TORQUE_MATRIX, xx * wx + xy * wy + xz * wz, yx * wx + yy * wy + yz * wz, zx * wx + zy * wy + zz * wz
        )
    # from the marker's axes to global ones; on body j they act back
    fx = -(xx * px + yx * py + zx * pz)
    fy = -(xy * px + yy * py + zy * pz)
    fz = -(xz * px + yz * py + zz * pz)
    tx = -(xx * mx + yx * my + zx * mz)
    ty = -(xy * mx + yy * my + zy * mz)
    tz = -(xz * mx + yz * my + zz * mz)
    write_wrench(state, i, ax, ay, az, fx, fy, fz, tx, ty, tz, -1.0, jac, jo)
    write_wrench(state, j, bx, by, bz, fx, fy, fz, tx, ty, tz, 1.0, jac, jo + 6)
    out[OUTPUT_SIZE * o + FORCE] = math.sqrt(fx * fx + fy * fy + fz * fz)
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = fx * vx + fy * vy + fz * vz + tx * wx + ty * wy + tz * wz
