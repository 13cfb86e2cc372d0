"""What forces in space share: a force and a torque on one body, the opposite on another, and contact points."""

from __future__ import annotations

import math

from pytrammel.kernels.force_elements._contact import friction_force, normal_force
from pytrammel.kernels.jit import kernel
from pytrammel.kernels.layout import RD, WG, R
from pytrammel.kernels.vectors import cross, to_body


@kernel()
def velocity_at(state, b, x, y, z):
    """Velocity of the material of body b at an arm from its origin."""
    vx, vy, vz = cross(state[b + WG], state[b + WG + 1], state[b + WG + 2], x, y, z)
    return state[b + RD] + vx, state[b + RD + 1] + vy, state[b + RD + 2] + vz


@kernel()
def write_wrench(state, b, x, y, z, fx, fy, fz, tx, ty, tz, sign, jac, jo):
    """Generalised forces of a global force at an arm from body b's origin and of a global torque."""
    mx, my, mz = cross(x, y, z, fx, fy, fz)
    mx, my, mz = to_body(state, b, mx + tx, my + ty, mz + tz)
    jac[jo] = sign * fx
    jac[jo + 1] = sign * fy
    jac[jo + 2] = sign * fz
    jac[jo + 3] = sign * mx
    jac[jo + 4] = sign * my
    jac[jo + 5] = sign * mz


@kernel()
def write_contact(fp, f, state, i, j, cx, cy, cz, nx, ny, nz, depth, jac, jo):
    """Forces of one contact point c: on body i along n (from j to i) and against the slip, the opposite on j.

    Returns normal force and power.
    """
    ix = cx - state[i + R]
    iy = cy - state[i + R + 1]
    iz = cz - state[i + R + 2]
    jx = cx - state[j + R]
    jy = cy - state[j + R + 1]
    jz = cz - state[j + R + 2]
    vx, vy, vz = velocity_at(state, i, ix, iy, iz)
    wx, wy, wz = velocity_at(state, j, jx, jy, jz)
    vx -= wx
    vy -= wy
    vz -= wz
    approach = -(nx * vx + ny * vy + nz * vz)
    sx = vx + approach * nx
    sy = vy + approach * ny
    sz = vz + approach * nz
    slip = math.sqrt(sx * sx + sy * sy + sz * sz)
    normal = normal_force(fp, f, depth, approach)
    grip = friction_force(fp, f, normal, slip) / slip if slip > 0.0 else 0.0
    fx = normal * nx + grip * sx
    fy = normal * ny + grip * sy
    fz = normal * nz + grip * sz
    write_wrench(state, i, ix, iy, iz, fx, fy, fz, 0.0, 0.0, 0.0, 1.0, jac, jo)
    write_wrench(state, j, jx, jy, jz, fx, fy, fz, 0.0, 0.0, 0.0, -1.0, jac, jo + 6)
    return normal, fx * vx + fy * vy + fz * vz
