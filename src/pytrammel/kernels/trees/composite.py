"""Mass matrix of a tree from composite inertias: H = B'M B, each column carried from its node to the ground (Featherstone's CRBA)."""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.jit import kernel, routine
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees import plane
from pytrammel.kernels.trees import space_inertia as space
from pytrammel.kernels.trees.data import bare_floats, bare_ints, room, tree_at
from pytrammel.kernels.vectors import cross


@kernel()
def enter(H, n, row, column, value):
    """An entry of the symmetric matrix, in both places."""
    H[row * n + column] = value
    H[column * n + row] = value


@routine(seconds=3.0)
def space_tree_mass(E, t, h, H, unused, unused_too):
    """Mass matrix at the state that is loaded, row by row; composite inertias stay in the workspace, to be cleared."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    state = room(E, T[T_.W_STATE])
    U = room(E, T[T_.W_U])  # unused: no column is eliminated
    count = T[T_.N_NODES]
    n = T[T_.N_SPEEDS]
    for i in range(n * n):
        H[i] = 0.0
    for k in range(count):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k)
        if T[node + T_.BODY] >= 0:
            at = I[L.AT_MASSES] + L.SPACE_MASS_SIZE * T[node + T_.BODY]
            space.own_inertia(F, at, state, T[node + T_.PLACE], N)
    for k in range(count - 1, -1, -1):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k)
        for a in range(T[node + T_.SPEEDS]):
            row = T[node + T_.AT_U] + a
            B = room(E, T[T_.W_B] + 6 * row)
            fx, fy, fz, nx, ny, nz = space.times_inertia(N, B[0], B[1], B[2], B[3], B[4], B[5])
            at = node
            up = k
            while up >= 0:
                for b in range(T[at + T_.SPEEDS]):
                    column = T[at + T_.AT_U] + b
                    C = room(E, T[T_.W_B] + 6 * column)
                    enter(H, n, row, column, C[0] * fx + C[1] * fy + C[2] * fz + C[3] * nx + C[4] * ny + C[5] * nz)
                D = room(E, T[T_.W_NODES] + T_.SPACE_NODE * up)
                tx, ty, tz = cross(D[space.DELTA], D[space.DELTA + 1], D[space.DELTA + 2], fx, fy, fz)
                nx += tx
                ny += ty
                nz += tz
                up = T[at + T_.PARENT]
                at = T[T_.AT_NODES] + T_.NODE_SIZE * up
        if T[node + T_.PARENT] >= 0:
            space.hand_over(N, U, U, 0, room(E, T[T_.W_NODES] + T_.SPACE_NODE * T[node + T_.PARENT]))
    for k in range(count):
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k)
        for i in range(space.M, space.F_LOAD):
            N[i] = 0.0
    return 0.0


@routine(seconds=2.0)
def plane_tree_mass(E, t, h, H, unused, unused_too):
    """Planar version of `space_tree_mass`."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    state = room(E, T[T_.W_STATE])
    count = T[T_.N_NODES]
    n = T[T_.N_SPEEDS]
    for i in range(n * n):
        H[i] = 0.0
    for k in range(count):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * k)
        if T[node + T_.BODY] < 0:
            continue
        at = I[L.AT_MASSES] + L.MASS_SIZE * T[node + T_.BODY]
        place = T[node + T_.PLACE]
        m = F[at + 4]
        sx = state[place + L.COS] * F[at + 2] - state[place + L.SIN] * F[at + 3]
        sy = state[place + L.SIN] * F[at + 2] + state[place + L.COS] * F[at + 3]
        N[plane.M] = m
        N[plane.M + 1] = 0.0
        N[plane.M + 2] = m
        N[plane.K] = -m * sy
        N[plane.K + 1] = m * sx
        N[plane.J] = F[at + 5] + m * (sx * sx + sy * sy)
    for k in range(count - 1, -1, -1):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.PLANE_NODE * k)
        for a in range(T[node + T_.SPEEDS]):
            row = T[node + T_.AT_U] + a
            B = room(E, T[T_.W_B] + 3 * row)
            fx, fy, nz = plane.times_inertia(N, B[0], B[1], B[2])
            at = node
            up = k
            while up >= 0:
                for b in range(T[at + T_.SPEEDS]):
                    column = T[at + T_.AT_U] + b
                    C = room(E, T[T_.W_B] + 3 * column)
                    enter(H, n, row, column, C[0] * fx + C[1] * fy + C[2] * nz)
                D = room(E, T[T_.W_NODES] + T_.PLANE_NODE * up)
                nz += D[plane.DELTA] * fy - D[plane.DELTA + 1] * fx
                up = T[at + T_.PARENT]
                at = T[T_.AT_NODES] + T_.NODE_SIZE * up
        if T[node + T_.PARENT] >= 0:
            x = -N[plane.DELTA + 1]
            y = N[plane.DELTA]
            lx = N[plane.K] + N[plane.M] * x + N[plane.M + 1] * y
            ly = N[plane.K + 1] + N[plane.M + 1] * x + N[plane.M + 2] * y
            Q = room(E, T[T_.W_NODES] + T_.PLANE_NODE * T[node + T_.PARENT])
            Q[plane.J] += N[plane.J] + N[plane.K] * x + N[plane.K + 1] * y + lx * x + ly * y
            Q[plane.K] += lx
            Q[plane.K + 1] += ly
            for i in range(3):
                Q[plane.M + i] += N[plane.M + i]
    for k in range(count):
        N = advanced(room(E, T[T_.W_NODES] + T_.PLANE_NODE * k), plane.M)
        for i in range(plane.F_LOAD - plane.M):
            N[i] = 0.0
    return 0.0
