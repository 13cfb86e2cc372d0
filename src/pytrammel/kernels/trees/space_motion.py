"""Places and velocities of a tree of bodies in space, outwards from the ground: what each joint's coordinates and speeds mean."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.jit import kernel, routine
from pytrammel.kernels.spatial_bodies import write_rotation
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_ints, constants_at, room, tree_at
from pytrammel.kernels.trees.space_inertia import BIAS, DELTA
from pytrammel.kernels.vectors import cross, to_body, to_global


@kernel()
def times_parameters(state, at, a0, a1, a2, a3):
    """Euler parameters of a frame that lies on a body."""
    e0 = state[at + L.E0]
    e1 = state[at + L.E0 + 1]
    e2 = state[at + L.E0 + 2]
    e3 = state[at + L.E0 + 3]
    return (
        e0 * a0 - e1 * a1 - e2 * a2 - e3 * a3,
        e0 * a1 + e1 * a0 + e2 * a3 - e3 * a2,
        e0 * a2 - e1 * a3 + e2 * a0 + e3 * a1,
        e0 * a3 + e1 * a2 - e2 * a1 + e3 * a0,
    )


@kernel()
def write_motion(state, at, rx, ry, rz, vx, vy, vz, wx, wy, wz):
    """Place and velocities of a node whose rotation is already there."""
    state[at + L.R] = rx
    state[at + L.R + 1] = ry
    state[at + L.R + 2] = rz
    state[at + L.RD] = vx
    state[at + L.RD + 1] = vy
    state[at + L.RD + 2] = vz
    state[at + L.WG] = wx
    state[at + L.WG + 1] = wy
    state[at + L.WG + 2] = wz
    bx, by, bz = to_body(state, at, wx, wy, wz)
    state[at + L.WB] = bx
    state[at + L.WB + 1] = by
    state[at + L.WB + 2] = bz


@kernel()
def load_free(state, at, s, u, N, B):
    """A body without a joint: position and Euler parameters, velocity and angular velocity in body components."""
    size = 1.0 / math.sqrt(s[3] * s[3] + s[4] * s[4] + s[5] * s[5] + s[6] * s[6])
    write_rotation(state, at, s[3] * size, s[4] * size, s[5] * size, s[6] * size)
    wx, wy, wz = to_global(state, at, u[3], u[4], u[5])
    write_motion(state, at, s[0], s[1], s[2], u[0], u[1], u[2], wx, wy, wz)
    for k in range(3):
        N[DELTA + k] = s[k]
    for k in range(6):
        N[BIAS + k] = 0.0
    for k in range(36):
        B[k] = 0.0
    for k in range(3):
        B[7 * k] = 1.0
        for i in range(3):
            B[6 * (3 + k) + 3 + i] = state[at + L.ROT + 3 * i + k]


@kernel()
def load_joined(kind, state, at, parent, G, g, s, u, N, B):
    """A node that turns or slides against its parent about an axis, or turns about a point."""
    dx, dy, dz = to_global(state, parent, G[g], G[g + 1], G[g + 2])
    pwx = state[parent + L.WG]
    pwy = state[parent + L.WG + 1]
    pwz = state[parent + L.WG + 2]
    z = g + T_.ZERO
    if kind == T_.TURN:
        c = math.cos(0.5 * s[0])
        sn = math.sin(0.5 * s[0])
        h = g + T_.HALF
        q0, q1, q2, q3 = times_parameters(
            state, parent, c * G[z] + sn * G[h], c * G[z + 1] + sn * G[h + 1], c * G[z + 2] + sn * G[h + 2],
            c * G[z + 3] + sn * G[h + 3],
        )  # fmt: skip
    else:
        q0, q1, q2, q3 = times_parameters(state, parent, G[z], G[z + 1], G[z + 2], G[z + 3])
    write_rotation(state, at, q0, q1, q2, q3)
    if kind == T_.BALL:
        size = 1.0 / math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3])
        q0, q1, q2, q3 = times_parameters(state, at, s[0] * size, s[1] * size, s[2] * size, s[3] * size)
        write_rotation(state, at, q0, q1, q2, q3)
    o = g + T_.SPACE_OWN_POINT
    ox, oy, oz = to_global(state, at, -G[o], -G[o + 1], -G[o + 2])
    # relative motion: turning w_r, sliding along n by `slid`
    wrx = 0.0
    wry = 0.0
    wrz = 0.0
    slid_rate = 0.0
    nx = 0.0
    ny = 0.0
    nz = 0.0
    if kind == T_.TURN or kind == T_.SLIDE:
        a = g + T_.SPACE_AXIS
        nx, ny, nz = to_global(state, at, G[a], G[a + 1], G[a + 2])
        pitch = G[g + T_.PITCH]  # one for a slide
        slid_rate = pitch * u[0]
        slid = pitch * s[0]
        dx += slid * nx
        dy += slid * ny
        dz += slid * nz
        B[0] = pitch * nx
        B[1] = pitch * ny
        B[2] = pitch * nz
        B[3] = 0.0
        B[4] = 0.0
        B[5] = 0.0
        if kind == T_.TURN:
            wrx = nx * u[0]
            wry = ny * u[0]
            wrz = nz * u[0]
            tx, ty, tz = cross(nx, ny, nz, ox, oy, oz)
            B[0] += tx
            B[1] += ty
            B[2] += tz
            B[3] = nx
            B[4] = ny
            B[5] = nz
    elif kind == T_.BALL:
        wrx, wry, wrz = to_global(state, at, u[0], u[1], u[2])
        for k in range(3):
            ax = state[at + L.ROT + k]
            ay = state[at + L.ROT + 3 + k]
            az = state[at + L.ROT + 6 + k]
            tx, ty, tz = cross(ax, ay, az, ox, oy, oz)
            B[6 * k] = tx
            B[6 * k + 1] = ty
            B[6 * k + 2] = tz
            B[6 * k + 3] = ax
            B[6 * k + 4] = ay
            B[6 * k + 5] = az
    wx = pwx + wrx
    wy = pwy + wry
    wz = pwz + wrz
    N[DELTA] = dx + ox
    N[DELTA + 1] = dy + oy
    N[DELTA + 2] = dz + oz
    # velocities, and accelerations that remain without u'
    ex, ey, ez = cross(pwx, pwy, pwz, dx, dy, dz)
    fx, fy, fz = cross(wx, wy, wz, ox, oy, oz)
    write_motion(
        state, at,
        state[parent + L.R] + dx + ox, state[parent + L.R + 1] + dy + oy, state[parent + L.R + 2] + dz + oz,
        state[parent + L.RD] + ex + fx + slid_rate * nx, state[parent + L.RD + 1] + ey + fy + slid_rate * ny,
        state[parent + L.RD + 2] + ez + fz + slid_rate * nz,
        wx, wy, wz,
    )  # fmt: skip
    cx, cy, cz = cross(pwx, pwy, pwz, wrx, wry, wrz)
    N[BIAS + 3] = cx
    N[BIAS + 4] = cy
    N[BIAS + 5] = cz
    # twice the sliding rate turns with the axis
    ex += 2.0 * slid_rate * nx
    ey += 2.0 * slid_rate * ny
    ez += 2.0 * slid_rate * nz
    ax, ay, az = cross(pwx, pwy, pwz, ex, ey, ez)
    bx, by, bz = cross(wx, wy, wz, fx, fy, fz)
    tx, ty, tz = cross(cx, cy, cz, ox, oy, oz)
    N[BIAS] = ax + bx + tx
    N[BIAS + 1] = ay + by + ty
    N[BIAS + 2] = az + bz + tz


@routine(seconds=3.0)
def space_tree_load(E, t, h, y, unused, unused_too):
    """State of all nodes from joint coordinates and speeds."""
    T = tree_at(E)
    G = constants_at(E)
    state = room(E, T[T_.W_STATE])
    first_u = T[T_.N_POSITIONS] + bare_ints(E[engine.INTS])[L.N_EXTRAS] + bare_ints(E[engine.INTS])[L.N_TURNS]
    for k in range(T[T_.N_NODES]):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k)
        B = room(E, T[T_.W_B] + 6 * T[node + T_.AT_U])
        s = advanced(y, T[node + T_.AT_S])
        u = advanced(y, first_u + T[node + T_.AT_U])
        if T[node + T_.KIND] == T_.FREE:
            load_free(state, T[node + T_.PLACE], s, u, N, B)
        else:
            load_joined(
                T[node + T_.KIND],
                state,
                T[node + T_.PLACE],
                T[node + T_.PARENT_PLACE],
                G,
                T[node + T_.CONSTANTS],
                s,
                u,
                N,
                B,
            )
    return 0.0
