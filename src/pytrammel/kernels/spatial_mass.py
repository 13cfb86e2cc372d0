"""The mass matrix of bodies in space, block by block: never formed, only applied. Rotations in body components.

Per moving body: 1/m, m, kind, centroid c' (3), J' about the centroid (9), its inverse (9). Kind 0: centroidal frame along the
principal axes, so that the block is diagonal. Kind 1: any axes. Kind 2: the frame's origin is not the centroid; the block then
couples translation and rotation (Haug 11.1.11), and its inverse is short: a force f and a moment n' at the origin act on the
centroid with the moment n' - c' x A'f, and the origin accelerates by w'' x c' less than the centroid.

The functions that `mass` needs are elements, reached by address: planar models never compile them.
"""

from __future__ import annotations

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import element, kernel
from pytrammel.kernels.vectors import cross, to_body, to_global

INVERSE_MASS, MASS, KIND, CENTROID, INERTIA, INVERSE_INERTIA = 0, 1, 2, 3, 6, 15
PRINCIPAL, CENTROIDAL, COUPLED = 0.0, 1.0, 2.0


@kernel()
def times_matrix(F, at, x, y, z):
    return (
        F[at] * x + F[at + 1] * y + F[at + 2] * z,
        F[at + 3] * x + F[at + 4] * y + F[at + 5] * z,
        F[at + 6] * x + F[at + 7] * y + F[at + 8] * z,
    )


@kernel()
def inverse_block(F, at, state, body, fx, fy, fz, nx, ny, nz):
    """Accelerations of one coupled body under a force and a moment (body components) at its origin."""
    cx = F[at + CENTROID]
    cy = F[at + CENTROID + 1]
    cz = F[at + CENTROID + 2]
    bx, by, bz = to_body(state, body, fx, fy, fz)
    mx, my, mz = cross(cx, cy, cz, bx, by, bz)
    ax, ay, az = times_matrix(F, at + INVERSE_INERTIA, nx - mx, ny - my, nz - mz)
    sx, sy, sz = cross(ax, ay, az, cx, cy, cz)
    gx, gy, gz = to_global(state, body, sx, sy, sz)
    w = F[at + INVERSE_MASS]
    return fx * w - gx, fy * w - gy, fz * w - gz, ax, ay, az


@element
def space_inverse_mass(I, io, F, state, f, o, x, jo, work):
    for b in range(I[L.N_BODIES] - 1):
        at = I[L.AT_MASSES] + L.SPACE_MASS_SIZE * b
        k = 6 * b
        if F[at + KIND] == COUPLED:
            body = L.FIRST_BODY + L.SPACE_BODY_SIZE * (b + 1)
            ax, ay, az, bx, by, bz = inverse_block(
                F, at, state, body, f[k], f[k + 1], f[k + 2], f[k + 3], f[k + 4], f[k + 5]
            )
            x[k] = ax
            x[k + 1] = ay
            x[k + 2] = az
        else:
            for i in range(3):
                x[k + i] = f[k + i] * F[at + INVERSE_MASS]
            bx, by, bz = times_matrix(F, at + INVERSE_INERTIA, f[k + 3], f[k + 4], f[k + 5])
        x[k + 3] = bx
        x[k + 4] = by
        x[k + 5] = bz


@element
def space_mass(I, io, F, state, a, o, f, jo, work):
    for b in range(I[L.N_BODIES] - 1):
        at = I[L.AT_MASSES] + L.SPACE_MASS_SIZE * b
        body = L.FIRST_BODY + L.SPACE_BODY_SIZE * (b + 1)
        k = 6 * b
        m = F[at + MASS]
        cx = F[at + CENTROID]
        cy = F[at + CENTROID + 1]
        cz = F[at + CENTROID + 2]
        sx, sy, sz = cross(a[k + 3], a[k + 4], a[k + 5], cx, cy, cz)
        gx, gy, gz = to_global(state, body, sx, sy, sz)
        fx = m * (a[k] + gx)
        fy = m * (a[k + 1] + gy)
        fz = m * (a[k + 2] + gz)
        bx, by, bz = to_body(state, body, fx, fy, fz)
        mx, my, mz = cross(cx, cy, cz, bx, by, bz)
        jx, jy, jz = times_matrix(F, at + INERTIA, a[k + 3], a[k + 4], a[k + 5])
        f[k] = fx
        f[k + 1] = fy
        f[k + 2] = fz
        f[k + 3] = jx + mx
        f[k + 4] = jy + my
        f[k + 5] = jz + mz


@element
def space_weigh(I, at, F, state, out, body, jac, j, weighted):
    """Six entries of a row times the inverse block of a body whose frame is not centroidal."""
    x, y, z, ax, ay, az = inverse_block(
        F, at, state, body, jac[j], jac[j + 1], jac[j + 2], jac[j + 3], jac[j + 4], jac[j + 5]
    )
    weighted[j] = x
    weighted[j + 1] = y
    weighted[j + 2] = z
    weighted[j + 3] = ax
    weighted[j + 4] = ay
    weighted[j + 5] = az


@element
def space_inertia(I, io, F, state, g, o, jac, jo, work):
    """Gravity, centrifugal and gyroscopic terms: start of the force vector."""
    gx = F[I[L.AT_GRAVITY]]
    gy = F[I[L.AT_GRAVITY] + 1]
    gz = F[I[L.AT_GRAVITY] + 2]
    for b in range(I[L.N_BODIES] - 1):
        at = I[L.AT_MASSES] + L.SPACE_MASS_SIZE * b
        body = L.FIRST_BODY + L.SPACE_BODY_SIZE * (b + 1)
        k = 6 * b
        m = F[at + MASS]
        wx = state[body + L.WB]
        wy = state[body + L.WB + 1]
        wz = state[body + L.WB + 2]
        hx, hy, hz = times_matrix(F, at + INERTIA, wx, wy, wz)
        nx, ny, nz = cross(hx, hy, hz, wx, wy, wz)
        fx = m * gx
        fy = m * gy
        fz = m * gz
        if F[at + KIND] == COUPLED:
            cx = F[at + CENTROID]
            cy = F[at + CENTROID + 1]
            cz = F[at + CENTROID + 2]
            ux, uy, uz = cross(wx, wy, wz, cx, cy, cz)
            ux, uy, uz = cross(wx, wy, wz, ux, uy, uz)
            ux, uy, uz = to_global(state, body, ux, uy, uz)
            fx -= m * ux
            fy -= m * uy
            fz -= m * uz
            bx, by, bz = to_body(state, body, fx, fy, fz)
            mx, my, mz = cross(cx, cy, cz, bx, by, bz)
            nx += mx
            ny += my
            nz += mz
        g[k] = fx
        g[k + 1] = fy
        g[k + 2] = fz
        g[k + 3] = nx
        g[k + 4] = ny
        g[k + 5] = nz


@element
def space_energy(I, io, F, state, energy, o, jac, jo, work):
    kinetic = 0.0
    potential = 0.0
    for b in range(I[L.N_BODIES] - 1):
        at = I[L.AT_MASSES] + L.SPACE_MASS_SIZE * b
        body = L.FIRST_BODY + L.SPACE_BODY_SIZE * (b + 1)
        m = F[at + MASS]
        wx = state[body + L.WB]
        wy = state[body + L.WB + 1]
        wz = state[body + L.WB + 2]
        cx = F[at + CENTROID]
        cy = F[at + CENTROID + 1]
        cz = F[at + CENTROID + 2]
        sx, sy, sz = to_global(state, body, cx, cy, cz)
        ux, uy, uz = cross(state[body + L.WG], state[body + L.WG + 1], state[body + L.WG + 2], sx, sy, sz)
        ux += state[body + L.RD]
        uy += state[body + L.RD + 1]
        uz += state[body + L.RD + 2]
        hx, hy, hz = times_matrix(F, at + INERTIA, wx, wy, wz)
        kinetic += 0.5 * (m * (ux * ux + uy * uy + uz * uz) + wx * hx + wy * hy + wz * hz)
        potential -= m * (
            F[I[L.AT_GRAVITY]] * (state[body + L.R] + sx)
            + F[I[L.AT_GRAVITY] + 1] * (state[body + L.R + 1] + sy)
            + F[I[L.AT_GRAVITY] + 2] * (state[body + L.R + 2] + sz)
        )
    energy[0] = kinetic
    energy[1] = potential
