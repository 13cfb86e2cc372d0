"""Inertia of the bodies of a tree in space: of each alone, and articulated, with all that hangs on it."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.jit import kernel, routine
from pytrammel.kernels.spatial_mass import CENTROID, INERTIA, KIND, MASS, PRINCIPAL
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, constants_at, room, tree_at
from pytrammel.kernels.trees.inverse import invert_positive
from pytrammel.kernels.vectors import to_global

# places in a node's workspace
DELTA, M, K, J, F_LOAD, BIAS, ACC = 0, 3, 9, 18, 24, 30, 36


@kernel()
def own_inertia(F, at, state, place, N):
    """Inertia of a body about its origin, global components."""
    m = F[at + MASS]
    for k in range(M, F_LOAD):
        N[k] = 0.0
    N[M] = m
    N[M + 3] = m
    N[M + 5] = m
    A = advanced(state, place + L.ROT)
    i = at + INERTIA
    if F[at + KIND] == PRINCIPAL:
        jx = F[i]
        jy = F[i + 4]
        jz = F[i + 8]
        N[J] = A[0] * A[0] * jx + A[1] * A[1] * jy + A[2] * A[2] * jz
        N[J + 1] = A[0] * A[3] * jx + A[1] * A[4] * jy + A[2] * A[5] * jz
        N[J + 2] = A[0] * A[6] * jx + A[1] * A[7] * jy + A[2] * A[8] * jz
        N[J + 3] = A[3] * A[3] * jx + A[4] * A[4] * jy + A[5] * A[5] * jz
        N[J + 4] = A[3] * A[6] * jx + A[4] * A[7] * jy + A[5] * A[8] * jz
        N[J + 5] = A[6] * A[6] * jx + A[7] * A[7] * jy + A[8] * A[8] * jz
        return
    at_j = J
    for r in range(3):
        x = A[3 * r] * F[i] + A[3 * r + 1] * F[i + 3] + A[3 * r + 2] * F[i + 6]
        y = A[3 * r] * F[i + 1] + A[3 * r + 1] * F[i + 4] + A[3 * r + 2] * F[i + 7]
        z = A[3 * r] * F[i + 2] + A[3 * r + 1] * F[i + 5] + A[3 * r + 2] * F[i + 8]
        for c in range(r, 3):
            N[at_j] = x * A[3 * c] + y * A[3 * c + 1] + z * A[3 * c + 2]
            at_j += 1
    cx, cy, cz = to_global(state, place, F[at + CENTROID], F[at + CENTROID + 1], F[at + CENTROID + 2])
    # f = m (a - c x alpha), so K = -m c~; n about the origin gets m (c² 1 - c c')
    N[K + 1] = m * cz
    N[K + 2] = -m * cy
    N[K + 3] = -m * cz
    N[K + 5] = m * cx
    N[K + 6] = m * cy
    N[K + 7] = -m * cx
    square = m * (cx * cx + cy * cy + cz * cz)
    N[J] += square - m * cx * cx
    N[J + 1] -= m * cx * cy
    N[J + 2] -= m * cx * cz
    N[J + 3] += square - m * cy * cy
    N[J + 4] -= m * cy * cz
    N[J + 5] += square - m * cz * cz


@kernel()
def times_inertia(N, ax, ay, az, bx, by, bz):
    """Force and moment that a node needs for an acceleration."""
    return (
        N[M] * ax + N[M + 1] * ay + N[M + 2] * az + N[K] * bx + N[K + 1] * by + N[K + 2] * bz,
        N[M + 1] * ax + N[M + 3] * ay + N[M + 4] * az + N[K + 3] * bx + N[K + 4] * by + N[K + 5] * bz,
        N[M + 2] * ax + N[M + 4] * ay + N[M + 5] * az + N[K + 6] * bx + N[K + 7] * by + N[K + 8] * bz,
        N[K] * ax + N[K + 3] * ay + N[K + 6] * az + N[J] * bx + N[J + 1] * by + N[J + 2] * bz,
        N[K + 1] * ax + N[K + 4] * ay + N[K + 7] * az + N[J + 1] * bx + N[J + 3] * by + N[J + 4] * bz,
        N[K + 2] * ax + N[K + 5] * ay + N[K + 8] * az + N[J + 2] * bx + N[J + 4] * by + N[J + 5] * bz,
    )


@kernel()
def hand_over(N, U, D, n, Q):
    """Add the inertia that a node shows its parent, Q: what its own freedom leaves of it, seen from the parent's origin."""
    mxx = N[M]
    mxy = N[M + 1]
    mxz = N[M + 2]
    myy = N[M + 3]
    myz = N[M + 4]
    mzz = N[M + 5]
    kxx = N[K]
    kxy = N[K + 1]
    kxz = N[K + 2]
    kyx = N[K + 3]
    kyy = N[K + 4]
    kyz = N[K + 5]
    kzx = N[K + 6]
    kzy = N[K + 7]
    kzz = N[K + 8]
    jxx = N[J]
    jxy = N[J + 1]
    jxz = N[J + 2]
    jyy = N[J + 3]
    jyz = N[J + 4]
    jzz = N[J + 5]
    for a in range(n):
        for b in range(n):
            d = D[a * n + b]
            ux = d * U[6 * a]
            uy = d * U[6 * a + 1]
            uz = d * U[6 * a + 2]
            wx = d * U[6 * a + 3]
            wy = d * U[6 * a + 4]
            wz = d * U[6 * a + 5]
            vx = U[6 * b]
            vy = U[6 * b + 1]
            vz = U[6 * b + 2]
            tx = U[6 * b + 3]
            ty = U[6 * b + 4]
            tz = U[6 * b + 5]
            mxx -= ux * vx
            mxy -= ux * vy
            mxz -= ux * vz
            myy -= uy * vy
            myz -= uy * vz
            mzz -= uz * vz
            kxx -= ux * tx
            kxy -= ux * ty
            kxz -= ux * tz
            kyx -= uy * tx
            kyy -= uy * ty
            kyz -= uy * tz
            kzx -= uz * tx
            kzy -= uz * ty
            kzz -= uz * tz
            jxx -= wx * tx
            jxy -= wx * ty
            jxz -= wx * tz
            jyy -= wy * ty
            jyz -= wy * tz
            jzz -= wz * tz
    x = N[DELTA]
    y = N[DELTA + 1]
    z = N[DELTA + 2]
    # K' = K - M delta~
    lxx = kxx - mxy * z + mxz * y
    lxy = kxy + mxx * z - mxz * x
    lxz = kxz - mxx * y + mxy * x
    lyx = kyx - myy * z + myz * y
    lyy = kyy + mxy * z - myz * x
    lyz = kyz - mxy * y + myy * x
    lzx = kzx - myz * z + mzz * y
    lzy = kzy + mxz * z - mzz * x
    lzz = kzz - mxz * y + myz * x
    # J' = J - K' delta~ (transposed K) + delta~ K'
    Q[J] += jxx - kyx * z + kzx * y - z * lyx + y * lzx
    Q[J + 1] += jxy + kxx * z - kzx * x - z * lyy + y * lzy
    Q[J + 2] += jxz - kxx * y + kyx * x - z * lyz + y * lzz
    Q[J + 3] += jyy + kxy * z - kzy * x + z * lxy - x * lzy
    Q[J + 4] += jyz - kxy * y + kyy * x + z * lxz - x * lzz
    Q[J + 5] += jzz - kxz * y + kyz * x - y * lxz + x * lyz
    Q[M] += mxx
    Q[M + 1] += mxy
    Q[M + 2] += mxz
    Q[M + 3] += myy
    Q[M + 4] += myz
    Q[M + 5] += mzz
    Q[K] += lxx
    Q[K + 1] += lxy
    Q[K + 2] += lxz
    Q[K + 3] += lyx
    Q[K + 4] += lyy
    Q[K + 5] += lyz
    Q[K + 6] += lzx
    Q[K + 7] += lzy
    Q[K + 8] += lzz


@routine(seconds=4.0)
def space_tree_factor(E, t, h, unused, unused_too, unused_three):
    """Articulated inertias, U and D^-1 of every node; h = 1 with ones in the place of masses. NaN where some motion meets no inertia."""
    T = tree_at(E)
    G = constants_at(E)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    state = room(E, T[T_.W_STATE])
    count = T[T_.N_NODES]
    for k in range(count):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k)
        body = T[node + T_.BODY]
        if body >= 0 and h == 0.0:
            own_inertia(F, I[L.AT_MASSES] + L.SPACE_MASS_SIZE * body, state, T[node + T_.PLACE], N)
        else:
            for i in range(M, F_LOAD):
                N[i] = 0.0
            if body >= 0:
                for i in range(0, 6):
                    if i == 0 or i == 3 or i == 5:
                        N[M + i] = 1.0
                        N[J + i] = G[T[T_.UNIT_INERTIA]]
    for k in range(count - 1, -1, -1):
        node = T[T_.AT_NODES] + T_.NODE_SIZE * k
        N = room(E, T[T_.W_NODES] + T_.SPACE_NODE * k)
        at_u = T[node + T_.AT_U]
        B = room(E, T[T_.W_B] + 6 * at_u)
        U = room(E, T[T_.W_U] + 6 * at_u)
        D = room(E, T[T_.W_D] + T[node + T_.AT_D])
        n = T[node + T_.SPEEDS]
        for a in range(n):
            fx, fy, fz, nx, ny, nz = times_inertia(
                N, B[6 * a], B[6 * a + 1], B[6 * a + 2], B[6 * a + 3], B[6 * a + 4], B[6 * a + 5]
            )
            U[6 * a] = fx
            U[6 * a + 1] = fy
            U[6 * a + 2] = fz
            U[6 * a + 3] = nx
            U[6 * a + 4] = ny
            U[6 * a + 5] = nz
        if n == 1:
            pivot = B[0] * U[0] + B[1] * U[1] + B[2] * U[2] + B[3] * U[3] + B[4] * U[4] + B[5] * U[5]
            if not pivot > 0.0:
                return math.nan
            D[0] = 1.0 / pivot
        elif n > 1:
            for a in range(n):
                for b in range(n):
                    total = 0.0
                    for i in range(6):
                        total += B[6 * a + i] * U[6 * b + i]
                    D[a * n + b] = total
            if not invert_positive(D, n):
                return math.nan
        if T[node + T_.PARENT] >= 0:
            hand_over(N, U, D, n, room(E, T[T_.W_NODES] + T_.SPACE_NODE * T[node + T_.PARENT]))
    return 0.0
