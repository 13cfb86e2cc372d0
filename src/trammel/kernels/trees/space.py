"""A tree of bodies in space. All vectors are global here; a body's speeds are those of its origin and its angular velocity.

Outwards (13.36, 13.37): r_j = r_i + D + rho with D from the parent's origin to the joint's point, rho from there to the node's origin, and
v_j = v_i + w_i x (r_j - r_i) + B u, a_j = a_i + w_i' x (r_j - r_i) + B u' + c. Inwards the articulated inertia of each node and the load
on it: I_A = I + sum of X'(I_A - U D^-1 U')X over its children, U = I_A B, D = B'U.
"""

from __future__ import annotations

import math

from trammel.kernels import engine
from trammel.kernels import layout as L
from trammel.kernels.bare import advanced
from trammel.kernels.jit import kernel, routine
from trammel.kernels.spatial_bodies import write_rotation
from trammel.kernels.trees import layout as T_
from trammel.kernels.trees.data import bare_floats, bare_ints, constants_at, room, tree_at
from trammel.kernels.trees.space_inertia import ACC, BIAS, DELTA, F_LOAD, space_tree_factor, times_inertia  # noqa: F401 (found by name)
from trammel.kernels.turning import turn
from trammel.kernels.vectors import cross, to_body, to_global


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


@kernel()
def pass_load(E, T, k, n, U, D, nu, fx, fy, fz, nx, ny, nz):
    """Hand a node's load to its parent, less what its own freedom gives way to."""
    for a in range(n):
        x = 0.0
        for b in range(n):
            x += D[a * n + b] * nu[b]
        fx -= U[6 * a] * x
        fy -= U[6 * a + 1] * x
        fz -= U[6 * a + 2] * x
        nx -= U[6 * a + 3] * x
        ny -= U[6 * a + 4] * x
        nz -= U[6 * a + 5] * x
    parent = T[T[T_.AT_NODES] + T_.NODE_SIZE * k + T_.PARENT]
    if parent >= 0:
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k)
        tx, ty, tz = cross(N[DELTA], N[DELTA + 1], N[DELTA + 2], fx, fy, fz)
        P = room(E, T[T_.W_NODES] + T_.SPACE_NODE * parent + F_LOAD)
        P[0] += fx
        P[1] += fy
        P[2] += fz
        P[3] += nx + tx
        P[4] += ny + ty
        P[5] += nz + tz


@kernel()
def along_freedom(B, n, nu, fx, fy, fz, nx, ny, nz):
    """nu = B'f."""
    for a in range(n):
        nu[a] = (
            B[6 * a] * fx
            + B[6 * a + 1] * fy
            + B[6 * a + 2] * fz
            + B[6 * a + 3] * nx
            + B[6 * a + 4] * ny
            + B[6 * a + 5] * nz
        )


@routine(seconds=3.0)
def space_tree_inward(E, t, h, loads, unused, unused_too):
    """Loads on bodies (body components of moments) to what acts along each freedom; needs the factors."""
    T = tree_at(E)
    state = room(E, T[T_.W_STATE])
    count = T[T_.N_NODES]
    for k in range(count):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k + F_LOAD)
        body = T[node + T_.BODY]
        if body >= 0:
            c = 6 * body
            nx, ny, nz = to_global(state, T[node + T_.PLACE], loads[c + 3], loads[c + 4], loads[c + 5])
            N[0] = loads[c]
            N[1] = loads[c + 1]
            N[2] = loads[c + 2]
            N[3] = nx
            N[4] = ny
            N[5] = nz
        else:
            for i in range(6):
                N[i] = 0.0
    for k in range(count - 1, -1, -1):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k)
        at_u = T[node + T_.AT_U]
        n = T[node + T_.SPEEDS]
        nu = room(E, T[T_.W_NU] + at_u)
        fx, fy, fz, nx, ny, nz = times_inertia(
            N, N[BIAS], N[BIAS + 1], N[BIAS + 2], N[BIAS + 3], N[BIAS + 4], N[BIAS + 5]
        )
        fx = N[F_LOAD] - fx
        fy = N[F_LOAD + 1] - fy
        fz = N[F_LOAD + 2] - fz
        nx = N[F_LOAD + 3] - nx
        ny = N[F_LOAD + 4] - ny
        nz = N[F_LOAD + 5] - nz
        along_freedom(room(E, T[T_.W_B] + 6 * at_u), n, nu, fx, fy, fz, nx, ny, nz)
        pass_load(
            E,
            T,
            k,
            n,
            room(E, T[T_.W_U] + 6 * at_u),
            room(E, T[T_.W_D] + T[node + T_.AT_D]),
            nu,
            fx,
            fy,
            fz,
            nx,
            ny,
            nz,
        )
    return 0.0


@routine(seconds=2.0)
def space_tree_row(E, row, h, unused, unused_too, unused_three):
    """An active row, number `row` in elimination order, as it acts along each freedom, and that times D^-1."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    F = bare_floats(E[engine.FLOATS])
    state = room(E, T[T_.W_STATE])
    jac = room(E, T[T_.W_JAC])
    Y = room(E, T[T_.W_Y])
    weighted = room(E, T[T_.W_WEIGHTED])
    first_extra = I[L.N_COLUMNS] - I[L.N_EXTRAS]
    k = int(row)
    start = T[T[T_.AT_SUPPORT] + 2 * k]
    number = T[T[T_.AT_SUPPORT] + 2 * k + 1]
    for e in range(number):
        node = T[start + 2 * e]
        if node >= 0:
            N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * node + F_LOAD)
            for i in range(6):
                N[i] = 0.0
        else:
            Y[T[start + 2 * e + 1]] = 0.0
    at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
    for e in range(I[at + 2]):
        column = I[I[at + 3] + e]
        value = jac[I[at + 1] + e]
        if column >= first_extra:
            for i in range(number):
                if T[start + 2 * i] == first_extra - column - 1:
                    place = T[start + 2 * i + 1]
                    Y[place] += value
                    weighted[place] = Y[place] * F[I[L.AT_EXTRA_MASSES] + column - first_extra]
        elif column >= 0:
            b = column // 6
            c = column % 6
            node = T[T[T_.AT_NODE_OF_BODY] + b]
            N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * node + F_LOAD)
            if c < 3:
                N[c] += value
            else:
                place = T[T[T_.AT_NODES] + T_.NODE_SIZE * node + T_.PLACE] + L.ROT + c - 3
                N[3] += state[place] * value
                N[4] += state[place + 3] * value
                N[5] += state[place + 6] * value
    for e in range(number):
        k_node = T[start + 2 * e]
        if k_node < 0:
            continue
        entry = T[start + 2 * e + 1]
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k_node
        at_u = T[node + T_.AT_U]
        n = T[node + T_.SPEEDS]
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k_node + F_LOAD)
        D = room(E, T[T_.W_D] + T[node + T_.AT_D])
        nu = advanced(Y, entry)
        along_freedom(room(E, T[T_.W_B] + 6 * at_u), n, nu, N[0], N[1], N[2], N[3], N[4], N[5])
        for a in range(n):
            total = 0.0
            for b in range(n):
                total += D[a * n + b] * nu[b]
            weighted[entry + a] = total
        pass_load(E, T, k_node, n, room(E, T[T_.W_U] + 6 * at_u), D, nu, N[0], N[1], N[2], N[3], N[4], N[5])
    return 0.0


@routine(seconds=3.0)
def space_tree_outward(E, t, h, nu, udot, accel):
    """Accelerations along freedoms and of bodies from what acts along the freedoms: with the bias (h = 1), or as an addition to both."""
    T = tree_at(E)
    state = room(E, T[T_.W_STATE])
    for k in range(T[T_.N_NODES]):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k)
        parent = T[node + T_.PARENT]
        ax = 0.0
        ay = 0.0
        az = 0.0
        bx = 0.0
        by = 0.0
        bz = 0.0
        if parent >= 0:
            Q = room(E, T[T_.W_NODES] + T_.SPACE_NODE * parent + ACC)
            bx = Q[3]
            by = Q[4]
            bz = Q[5]
            ax, ay, az = cross(bx, by, bz, N[DELTA], N[DELTA + 1], N[DELTA + 2])
            ax += Q[0]
            ay += Q[1]
            az += Q[2]
        at_u = T[node + T_.AT_U]
        n = T[node + T_.SPEEDS]
        U = room(E, T[T_.W_U] + 6 * at_u)
        B = room(E, T[T_.W_B] + 6 * at_u)
        D = room(E, T[T_.W_D] + T[node + T_.AT_D])
        cx = ax
        cy = ay
        cz = az
        dx = bx
        dy = by
        dz = bz
        if h != 0.0:
            cx += N[BIAS]
            cy += N[BIAS + 1]
            cz += N[BIAS + 2]
            dx += N[BIAS + 3]
            dy += N[BIAS + 4]
            dz += N[BIAS + 5]
        for a in range(n):
            value = 0.0
            for b in range(n):
                w = nu[at_u + b] - (
                    U[6 * b] * ax
                    + U[6 * b + 1] * ay
                    + U[6 * b + 2] * az
                    + U[6 * b + 3] * bx
                    + U[6 * b + 4] * by
                    + U[6 * b + 5] * bz
                )
                value += D[a * n + b] * w
            if h != 0.0:
                udot[at_u + a] = value
            else:
                udot[at_u + a] += value
            cx += B[6 * a] * value
            cy += B[6 * a + 1] * value
            cz += B[6 * a + 2] * value
            dx += B[6 * a + 3] * value
            dy += B[6 * a + 4] * value
            dz += B[6 * a + 5] * value
        N[ACC] = cx
        N[ACC + 1] = cy
        N[ACC + 2] = cz
        N[ACC + 3] = dx
        N[ACC + 4] = dy
        N[ACC + 5] = dz
        body = T[node + T_.BODY]
        if body >= 0:
            c = 6 * body
            dx, dy, dz = to_body(state, T[node + T_.PLACE], dx, dy, dz)
            if h != 0.0:
                accel[c] = cx
                accel[c + 1] = cy
                accel[c + 2] = cz
                accel[c + 3] = dx
                accel[c + 4] = dy
                accel[c + 5] = dz
            else:
                accel[c] += cx
                accel[c + 1] += cy
                accel[c + 2] += cz
                accel[c + 3] += dx
                accel[c + 4] += dy
                accel[c + 5] += dz
    return 0.0


@routine()
def space_tree_move(E, t, h, y, step, unused):
    """Joint coordinates moved by a step that has the meaning of speeds times a time; Euler parameters of length one."""
    T = tree_at(E)
    for k in range(T[T_.N_NODES]):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        kind = T[node + T_.KIND]
        s = T[node + T_.AT_S]
        u = T[node + T_.AT_U]
        if kind == T_.TURN or kind == T_.SLIDE:
            y[s] += step[u]
        elif kind == T_.BALL:
            turn(y, s, step[u], step[u + 1], step[u + 2], y)
        elif kind == T_.FREE:
            for i in range(3):
                y[s + i] += step[u + i]
            turn(y, s + 3, step[u + 3], step[u + 4], step[u + 5], y)
    return 0.0


@kernel()
def parameter_rates(p, x, y, z, out):
    """p' = 1/2 L'w'."""
    x *= 0.5
    y *= 0.5
    z *= 0.5
    out[0] = -p[1] * x - p[2] * y - p[3] * z
    out[1] = p[0] * x - p[3] * y + p[2] * z
    out[2] = p[3] * x + p[0] * y - p[1] * z
    out[3] = -p[2] * x + p[1] * y + p[0] * z


@routine()
def space_tree_joint_rates(E, t, h, y, dy, unused):
    """Rates of the joint coordinates."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    first_u = T[T_.N_POSITIONS] + I[L.N_EXTRAS] + I[L.N_TURNS]
    for k in range(T[T_.N_NODES]):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        kind = T[node + T_.KIND]
        s = T[node + T_.AT_S]
        u = first_u + T[node + T_.AT_U]
        if kind == T_.TURN or kind == T_.SLIDE:
            dy[s] = y[u]
        elif kind == T_.BALL:
            parameter_rates(advanced(y, s), y[u], y[u + 1], y[u + 2], advanced(dy, s))
        elif kind == T_.FREE:
            for i in range(3):
                dy[s + i] = y[u + i]
            parameter_rates(advanced(y, s + 3), y[u + 3], y[u + 4], y[u + 5], advanced(dy, s + 3))
    return 0.0


@routine()
def space_tree_store(E, t, h, q, v, unused):
    """Coordinates and velocities of the bodies from the state."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    state = room(E, T[T_.W_STATE])
    for b in range(I[L.N_BODIES] - 1):
        at = L.FIRST_BODY + L.SPACE_BODY_SIZE * (b + 1)
        for i in range(7):
            q[7 * b + i] = state[at + L.R + i]
        for i in range(6):
            v[6 * b + i] = state[at + L.RD + i]
    return 0.0
