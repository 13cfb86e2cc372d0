"""A tree of bodies in the plane: the same steps as in `space`, with one rotation."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.jit import kernel, routine
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, constants_at, room, tree_at
from pytrammel.kernels.trees.inverse import invert_positive

# places in a node's workspace; inertia: xx, xy, yy, x-phi, y-phi, phi
DELTA, M, K, J, F_LOAD, BIAS, ACC = 0, 2, 5, 7, 8, 11, 14


@routine(seconds=2.0)
def plane_tree_load(E, t, h, y, unused, unused_too):
    """State of all nodes from joint coordinates and speeds."""
    T = tree_at(E)
    G = constants_at(E)
    state = room(E, T[T_.W_STATE])
    first_u = T[T_.N_POSITIONS] + bare_ints(E[engine.INTS])[L.N_EXTRAS] + bare_ints(E[engine.INTS])[L.N_TURNS]
    for k in range(T[T_.N_NODES]):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * k)
        B = room(E, T[T_.W_B] + 3 * T[node + T_.AT_U])
        s = T[node + T_.AT_S]
        u = first_u + T[node + T_.AT_U]
        kind = T[node + T_.KIND]
        at = T[node + T_.PLACE]
        if kind == T_.FREE:
            state[at + L.X] = y[s]
            state[at + L.Y] = y[s + 1]
            state[at + L.PHI] = y[s + 2]
            state[at + L.COS] = math.cos(y[s + 2])
            state[at + L.SIN] = math.sin(y[s + 2])
            for i in range(3):
                state[at + L.XD + i] = y[u + i]
                N[BIAS + i] = 0.0
            for i in range(9):
                B[i] = 0.0
            for i in range(3):
                B[4 * i] = 1.0
            N[DELTA] = y[s]
            N[DELTA + 1] = y[s + 1]
            continue
        g = T[node + T_.CONSTANTS]
        i = T[node + T_.PARENT_PLACE]
        px = G[g + T_.POINT]
        py = G[g + T_.POINT + 1]
        nx = 0.0
        ny = 0.0
        turned = 0.0
        turning = 0.0
        sliding = 0.0
        if kind == T_.TURN:
            turned = y[s]
            turning = y[u]
        elif kind == T_.SLIDE:
            ax = G[g + T_.AXIS]
            ay = G[g + T_.AXIS + 1]
            px += y[s] * ax
            py += y[s] * ay
            sliding = y[u]
            nx = state[i + L.COS] * ax - state[i + L.SIN] * ay
            ny = state[i + L.SIN] * ax + state[i + L.COS] * ay
        dx = state[i + L.COS] * px - state[i + L.SIN] * py
        dy = state[i + L.SIN] * px + state[i + L.COS] * py
        phi = state[i + L.PHI] + G[g + T_.ANGLE] + turned
        c = math.cos(phi)
        sn = math.sin(phi)
        ox = -c * G[g + T_.OWN_POINT] + sn * G[g + T_.OWN_POINT + 1]
        oy = -sn * G[g + T_.OWN_POINT] - c * G[g + T_.OWN_POINT + 1]
        wi = state[i + L.W]
        w = wi + turning
        state[at + L.X] = state[i + L.X] + dx + ox
        state[at + L.Y] = state[i + L.Y] + dy + oy
        state[at + L.PHI] = phi
        state[at + L.COS] = c
        state[at + L.SIN] = sn
        state[at + L.XD] = state[i + L.XD] - wi * dy - w * oy + sliding * nx
        state[at + L.YD] = state[i + L.YD] + wi * dx + w * ox + sliding * ny
        state[at + L.W] = w
        N[DELTA] = dx + ox
        N[DELTA + 1] = dy + oy
        N[BIAS] = -wi * wi * dx - w * w * ox - 2.0 * sliding * wi * ny
        N[BIAS + 1] = -wi * wi * dy - w * w * oy + 2.0 * sliding * wi * nx
        N[BIAS + 2] = 0.0
        if kind == T_.TURN:
            B[0] = -oy
            B[1] = ox
            B[2] = 1.0
        elif kind == T_.SLIDE:
            B[0] = nx
            B[1] = ny
            B[2] = 0.0
    return 0.0


@kernel()
def times_inertia(N, ax, ay, b):
    """Force and moment that a node needs for an acceleration."""
    return (
        N[M] * ax + N[M + 1] * ay + N[K] * b,
        N[M + 1] * ax + N[M + 2] * ay + N[K + 1] * b,
        N[K] * ax + N[K + 1] * ay + N[J] * b,
    )


@routine(seconds=2.0)
def plane_tree_factor(E, t, h, unused, unused_too, unused_three):
    """Articulated inertias, U and D^-1 of every node; h = 1 with ones in the place of masses. NaN where some motion meets no inertia."""
    T = tree_at(E)
    G = constants_at(E)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    state = room(E, T[T_.W_STATE])
    count = T[T_.N_NODES]
    for k in range(count):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * k)
        body = T[node + T_.BODY]
        for i in range(M, F_LOAD):
            N[i] = 0.0
        if body < 0:
            continue
        if h != 0.0:
            N[M] = 1.0
            N[M + 2] = 1.0
            N[J] = G[T[T_.UNIT_INERTIA]]
            continue
        at = I[L.AT_MASSES] + L.MASS_SIZE * body
        m = F[at + 4]
        N[M] = m
        N[M + 2] = m
        N[J] = F[at + 5]
        if F[at + 6] != 0.0:
            place = T[node + T_.PLACE]
            sx = state[place + L.COS] * F[at + 2] - state[place + L.SIN] * F[at + 3]
            sy = state[place + L.SIN] * F[at + 2] + state[place + L.COS] * F[at + 3]
            N[K] = -m * sy
            N[K + 1] = m * sx
            N[J] += m * (sx * sx + sy * sy)
    for k in range(count - 1, -1, -1):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * k)
        at_u = T[node + T_.AT_U]
        B = room(E, T[T_.W_B] + 3 * at_u)
        U = room(E, T[T_.W_U] + 3 * at_u)
        D = room(E, T[T_.W_D] + T[node + T_.AT_D])
        n = T[node + T_.SPEEDS]
        xx = N[M]
        xy = N[M + 1]
        yy = N[M + 2]
        kx = N[K]
        ky = N[K + 1]
        jj = N[J]
        if n == 1:  # nearly always: nothing is read back
            bx = B[0]
            by = B[1]
            bz = B[2]
            fx = xx * bx + xy * by + kx * bz
            fy = xy * bx + yy * by + ky * bz
            nz = kx * bx + ky * by + jj * bz
            pivot = bx * fx + by * fy + bz * nz
            if not pivot > 0.0:
                return math.nan
            d = 1.0 / pivot
            U[0] = fx
            U[1] = fy
            U[2] = nz
            D[0] = d
            dx = d * fx
            dy = d * fy
            xx -= dx * fx
            xy -= dx * fy
            yy -= dy * fy
            kx -= dx * nz
            ky -= dy * nz
            jj -= d * nz * nz
        elif n > 1:
            for a in range(n):
                fx, fy, nz = times_inertia(N, B[3 * a], B[3 * a + 1], B[3 * a + 2])
                U[3 * a] = fx
                U[3 * a + 1] = fy
                U[3 * a + 2] = nz
            for a in range(n):
                for b in range(n):
                    D[a * n + b] = B[3 * a] * U[3 * b] + B[3 * a + 1] * U[3 * b + 1] + B[3 * a + 2] * U[3 * b + 2]
            if not invert_positive(D, n):
                return math.nan
            for a in range(n):
                for b in range(n):
                    d = D[a * n + b]
                    xx -= d * U[3 * a] * U[3 * b]
                    xy -= d * U[3 * a] * U[3 * b + 1]
                    yy -= d * U[3 * a + 1] * U[3 * b + 1]
                    kx -= d * U[3 * a] * U[3 * b + 2]
                    ky -= d * U[3 * a + 1] * U[3 * b + 2]
                    jj -= d * U[3 * a + 2] * U[3 * b + 2]
        if T[node + T_.PARENT] < 0:
            continue
        x = -N[DELTA + 1]
        y = N[DELTA]
        lx = kx + xx * x + xy * y
        ly = ky + xy * x + yy * y
        Q = room(E, T[T_.W_NODES] + T_.PLANE_NODE * T[node + T_.PARENT])
        Q[M] += xx
        Q[M + 1] += xy
        Q[M + 2] += yy
        Q[K] += lx
        Q[K + 1] += ly
        Q[J] += jj + kx * x + ky * y + lx * x + ly * y
    return 0.0


@kernel()
def pass_load(E, T, k, n, U, D, nu, fx, fy, nz):
    """Hand a node's load to its parent, less what its own freedom gives way to."""
    if n == 1:
        x = D[0] * nu[0]
        fx -= U[0] * x
        fy -= U[1] * x
        nz -= U[2] * x
        n = 0
    for a in range(n):
        x = 0.0
        for b in range(n):
            x += D[a * n + b] * nu[b]
        fx -= U[3 * a] * x
        fy -= U[3 * a + 1] * x
        nz -= U[3 * a + 2] * x
    parent = T[T[T_.AT_NODES] + T_.NODE_SIZE * k + T_.PARENT]
    if parent >= 0:
        N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * k)
        P = room(E, T[T_.W_NODES] + T_.PLANE_NODE * parent + F_LOAD)
        P[0] += fx
        P[1] += fy
        P[2] += nz + N[DELTA] * fy - N[DELTA + 1] * fx


@routine(seconds=2.0)
def plane_tree_inward(E, t, h, loads, unused, unused_too):
    """Loads on bodies to what acts along each freedom; needs the factors."""
    T = tree_at(E)
    count = T[T_.N_NODES]
    for k in range(count):
        body = T[T[T_.AT_NODES] + T_.NODE_SIZE * k + T_.BODY]
        N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * k + F_LOAD)
        for i in range(3):
            N[i] = loads[3 * body + i] if body >= 0 else 0.0
    for k in range(count - 1, -1, -1):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * k)
        at_u = T[node + T_.AT_U]
        n = T[node + T_.SPEEDS]
        nu = room(E, T[T_.W_NU] + at_u)
        B = room(E, T[T_.W_B] + 3 * at_u)
        fx, fy, nz = times_inertia(N, N[BIAS], N[BIAS + 1], N[BIAS + 2])
        fx = N[F_LOAD] - fx
        fy = N[F_LOAD + 1] - fy
        nz = N[F_LOAD + 2] - nz
        for a in range(n):
            nu[a] = B[3 * a] * fx + B[3 * a + 1] * fy + B[3 * a + 2] * nz
        pass_load(E, T, k, n, room(E, T[T_.W_U] + 3 * at_u), room(E, T[T_.W_D] + T[node + T_.AT_D]), nu, fx, fy, nz)
    return 0.0


@routine()
def plane_tree_row(E, row, h, unused, unused_too, unused_three):
    """An active row, number `row` in elimination order, as it acts along each freedom, and that times D^-1."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    F = bare_floats(E[engine.FLOATS])
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
            N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * node + F_LOAD)
            N[0] = 0.0
            N[1] = 0.0
            N[2] = 0.0
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
            node = T[T[T_.AT_NODE_OF_BODY] + column // 3]
            room(E, T[T_.W_NODES] + T_.PLANE_NODE * node + F_LOAD)[column % 3] += value
    for e in range(number):
        k_node = T[start + 2 * e]
        if k_node < 0:
            continue
        entry = T[start + 2 * e + 1]
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k_node
        at_u = T[node + T_.AT_U]
        n = T[node + T_.SPEEDS]
        N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * k_node + F_LOAD)
        B = room(E, T[T_.W_B] + 3 * at_u)
        D = room(E, T[T_.W_D] + T[node + T_.AT_D])
        nu = advanced(Y, entry)
        for a in range(n):
            nu[a] = B[3 * a] * N[0] + B[3 * a + 1] * N[1] + B[3 * a + 2] * N[2]
        for a in range(n):
            total = 0.0
            for b in range(n):
                total += D[a * n + b] * nu[b]
            weighted[entry + a] = total
        pass_load(E, T, k_node, n, room(E, T[T_.W_U] + 3 * at_u), D, nu, N[0], N[1], N[2])
    return 0.0


@routine(seconds=2.0)
def plane_tree_outward(E, t, h, nu, udot, accel):
    """Accelerations along freedoms and of bodies from what acts along the freedoms: with the bias (h = 1), or as an addition to both."""
    T = tree_at(E)
    for k in range(T[T_.N_NODES]):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * k)
        parent = T[node + T_.PARENT]
        ax = 0.0
        ay = 0.0
        b_z = 0.0
        if parent >= 0:
            Q = room(E, T[T_.W_NODES] + T_.PLANE_NODE * parent + ACC)
            b_z = Q[2]
            ax = Q[0] - b_z * N[DELTA + 1]
            ay = Q[1] + b_z * N[DELTA]
        at_u = T[node + T_.AT_U]
        n = T[node + T_.SPEEDS]
        U = room(E, T[T_.W_U] + 3 * at_u)
        B = room(E, T[T_.W_B] + 3 * at_u)
        D = room(E, T[T_.W_D] + T[node + T_.AT_D])
        cx = ax
        cy = ay
        dz = b_z
        if h != 0.0:
            cx += N[BIAS]
            cy += N[BIAS + 1]
            dz += N[BIAS + 2]
        if n == 1:
            value = D[0] * (nu[at_u] - (U[0] * ax + U[1] * ay + U[2] * b_z))
            cx += B[0] * value
            cy += B[1] * value
            dz += B[2] * value
            if h != 0.0:
                udot[at_u] = value
            else:
                udot[at_u] += value
            n = 0
        for a in range(n):
            value = 0.0
            for b in range(n):
                w = nu[at_u + b] - (U[3 * b] * ax + U[3 * b + 1] * ay + U[3 * b + 2] * b_z)
                value += D[a * n + b] * w
            if h != 0.0:
                udot[at_u + a] = value
            else:
                udot[at_u + a] += value
            cx += B[3 * a] * value
            cy += B[3 * a + 1] * value
            dz += B[3 * a + 2] * value
        N[ACC] = cx
        N[ACC + 1] = cy
        N[ACC + 2] = dz
        body = T[node + T_.BODY]
        if body >= 0:
            c = 3 * body
            if h != 0.0:
                accel[c] = cx
                accel[c + 1] = cy
                accel[c + 2] = dz
            else:
                accel[c] += cx
                accel[c + 1] += cy
                accel[c + 2] += dz
    return 0.0


@routine()
def plane_tree_move(E, t, h, y, step, unused):
    """Joint coordinates moved by a step that has the meaning of speeds times a time."""
    T = tree_at(E)
    for c in range(T[T_.N_SPEEDS]):
        y[c] += step[c]
    return 0.0


@routine()
def plane_tree_joint_rates(E, t, h, y, dy, unused):
    """Rates of the joint coordinates, which are the speeds."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    first_u = T[T_.N_POSITIONS] + I[L.N_EXTRAS] + I[L.N_TURNS]
    for c in range(T[T_.N_SPEEDS]):
        dy[c] = y[first_u + c]
    return 0.0


@routine()
def plane_tree_store(E, t, h, q, v, unused):
    """Coordinates and velocities of the bodies from the state."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    state = room(E, T[T_.W_STATE])
    for b in range(I[L.N_BODIES] - 1):
        at = L.FIRST_BODY + L.BODY_SIZE * (b + 1)
        for i in range(3):
            q[3 * b + i] = state[at + i]
            v[3 * b + i] = state[at + L.XD + i]
    return 0.0
