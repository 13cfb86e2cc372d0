"""A tree of bodies in space. All vectors are global here; a body's speeds are those of its origin and its angular velocity.

Outwards (13.36, 13.37): r_j = r_i + D + rho with D from the parent's origin to the joint's point, rho from there to the node's origin, and
v_j = v_i + w_i x (r_j - r_i) + B u, a_j = a_i + w_i' x (r_j - r_i) + B u' + c. Inwards the articulated inertia of each node and the load
on it: I_A = I + sum of X'(I_A - U D^-1 U')X over its children, U = I_A B, D = B'U.
"""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.jit import kernel, routine
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, room, tree_at
from pytrammel.kernels.trees.space_inertia import ACC, BIAS, DELTA, F_LOAD, space_tree_factor, times_inertia  # noqa: F401 (found by name)
from pytrammel.kernels.trees.space_motion import space_tree_load  # noqa: F401 (found by name)
from pytrammel.kernels.turning import turn
from pytrammel.kernels.vectors import cross, to_body, to_global


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
