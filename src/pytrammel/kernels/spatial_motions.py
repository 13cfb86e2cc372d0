"""Small motions of a body in space, and how its inertia forces change with them. Reached by address from `linearise`."""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import element, kernel
from pytrammel.kernels.spatial_bodies import write_rotation
from pytrammel.kernels.spatial_mass import CENTROID, INERTIA, MASS, times_matrix
from pytrammel.kernels.vectors import cross, to_body, to_global


@element
def space_displace(I, body, step, state, out, k, jac, jo, work):
    """Move one body by step[0] along its column k: an axis in space, or a rotation about an axis of its own."""
    if k < 3:
        state[body + L.R + k] += step[0]
        return
    c = math.cos(0.5 * step[0])
    s = math.sin(0.5 * step[0])
    e0 = state[body + L.E0]
    e1 = state[body + L.E0 + 1]
    e2 = state[body + L.E0 + 2]
    e3 = state[body + L.E0 + 3]
    x = s if k == 3 else 0.0
    y = s if k == 4 else 0.0
    z = s if k == 5 else 0.0
    write_rotation(
        state, body,
        e0 * c - e1 * x - e2 * y - e3 * z,
        e0 * x + e1 * c + e2 * z - e3 * y,
        e0 * y - e1 * z + e2 * c + e3 * x,
        e0 * z + e1 * y - e2 * x + e3 * c,
    )  # fmt: skip
    x, y, z = to_global(state, body, state[body + L.WB], state[body + L.WB + 1], state[body + L.WB + 2])
    state[body + L.WG] = x
    state[body + L.WG + 1] = y
    state[body + L.WG + 2] = z


@element
def space_speed_up(I, body, step, state, out, k, jac, jo, work):
    """Add step[0] to the velocity of one body along its column k."""
    if k < 3:
        state[body + L.RD + k] += step[0]
    else:
        state[body + L.WB + k - 3] += step[0]
        for i in range(3):
            state[body + L.WG + i] += step[0] * state[body + L.ROT + 3 * i + k - 3]


@kernel()
def put(block, at, fx, fy, fz, nx, ny, nz):
    """Write one column of a 6x6 block by rows."""
    block[at] = fx
    block[at + 6] = fy
    block[at + 12] = fz
    block[at + 18] = nx
    block[at + 24] = ny
    block[at + 30] = nz


@element
def space_slopes(I, b, F, state, a, o, jac, jo, block):
    """Mass of moving body b, and derivatives of M a - (inertia and weight) by velocity and position: three 6x6 blocks by rows.

    The force is f = m (r'' - g + A h), h = w'' x c + w x (w x c); the moment J w'' + w x J w + c x A'f, in body components.
    """
    at = I[L.AT_MASSES] + L.SPACE_MASS_SIZE * b
    body = L.FIRST_BODY + L.SPACE_BODY_SIZE * (b + 1)
    q = 6 * b
    m = F[at + MASS]
    cx = F[at + CENTROID]
    cy = F[at + CENTROID + 1]
    cz = F[at + CENTROID + 2]
    wx = state[body + L.WB]
    wy = state[body + L.WB + 1]
    wz = state[body + L.WB + 2]
    g = I[L.AT_GRAVITY]
    tx, ty, tz = to_body(state, body, a[q] - F[g], a[q + 1] - F[g + 1], a[q + 2] - F[g + 2])
    ux, uy, uz = cross(wx, wy, wz, cx, cy, cz)
    hx, hy, hz = cross(wx, wy, wz, ux, uy, uz)
    px, py, pz = cross(a[q + 3], a[q + 4], a[q + 5], cx, cy, cz)
    hx += px
    hy += py
    hz += pz
    jx, jy, jz = times_matrix(F, at + INERTIA, wx, wy, wz)
    for e in range(108):
        block[e] = 0.0
    for k in range(3):
        dx = 1.0 if k == 0 else 0.0
        dy = 1.0 if k == 1 else 0.0
        dz = 1.0 if k == 2 else 0.0
        # mass: a unit acceleration along axis k, then a unit angular acceleration about axis k
        bx, by, bz = to_body(state, body, m * dx, m * dy, m * dz)
        nx, ny, nz = cross(cx, cy, cz, bx, by, bz)
        block[7 * k] = m
        block[18 + k] = nx
        block[24 + k] = ny
        block[30 + k] = nz
        ex, ey, ez = cross(dx, dy, dz, cx, cy, cz)
        nx, ny, nz = cross(cx, cy, cz, m * ex, m * ey, m * ez)
        px, py, pz = times_matrix(F, at + INERTIA, dx, dy, dz)
        fx, fy, fz = to_global(state, body, m * ex, m * ey, m * ez)
        put(block, k + 3, fx, fy, fz, px + nx, py + ny, pz + nz)
        # velocity: h changes by d x (w x c) + w x (d x c), w x J w by d x J w + w x J d
        sx, sy, sz = cross(dx, dy, dz, ux, uy, uz)
        ex, ey, ez = cross(wx, wy, wz, ex, ey, ez)
        ex = m * (ex + sx)
        ey = m * (ey + sy)
        ez = m * (ez + sz)
        nx, ny, nz = cross(cx, cy, cz, ex, ey, ez)
        sx, sy, sz = cross(dx, dy, dz, jx, jy, jz)
        px, py, pz = cross(wx, wy, wz, px, py, pz)
        fx, fy, fz = to_global(state, body, ex, ey, ez)
        put(block, 36 + k + 3, fx, fy, fz, nx + sx + px, ny + sy + py, nz + sz + pz)
        # position: A changes by A d x, A' by -d x A'
        ex, ey, ez = cross(dx, dy, dz, hx, hy, hz)
        fx, fy, fz = to_global(state, body, m * ex, m * ey, m * ez)
        px, py, pz = cross(tx, ty, tz, dx, dy, dz)
        nx, ny, nz = cross(cx, cy, cz, m * px, m * py, m * pz)
        put(block, 72 + k + 3, fx, fy, fz, nx, ny, nz)
