"""The mass matrix of planar bodies, block by block: never formed, only applied.

Per moving body: 1/m, 1/mu, centroid xi, eta, m, mu, 1 if the frame is not centroidal.

A body whose frame is not at its centroid has a coupled 3x3 block (Nikravesh problem 9.4). Its inverse is short: with
s = A c' the vector to the centroid, a force at the frame's origin acts on the centroid with the moment -s x f.
"""

from __future__ import annotations

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import kernel


@kernel()
def planar_apply_inverse_mass(I, F, state, f, x):
    """x = M^-1 f, with artificial masses where there is none."""
    moving = I[L.N_BODIES] - 1
    for b in range(moving):
        at = I[L.AT_MASSES] + L.MASS_SIZE * b
        k = 3 * b
        if F[at + 6] == 0.0:
            x[k] = f[k] * F[at]
            x[k + 1] = f[k + 1] * F[at]
            x[k + 2] = f[k + 2] * F[at + 1]
        else:
            body = L.FIRST_BODY + L.BODY_SIZE * (b + 1)
            sx = state[body + L.COS] * F[at + 2] - state[body + L.SIN] * F[at + 3]
            sy = state[body + L.SIN] * F[at + 2] + state[body + L.COS] * F[at + 3]
            alpha = (f[k + 2] - sx * f[k + 1] + sy * f[k]) * F[at + 1]
            x[k] = f[k] * F[at] + sy * alpha
            x[k + 1] = f[k + 1] * F[at] - sx * alpha
            x[k + 2] = alpha


@kernel()
def planar_apply_mass(I, F, state, a, f):
    """f = M a, with true masses: zero where a coordinate has none."""
    moving = I[L.N_BODIES] - 1
    for b in range(moving):
        at = I[L.AT_MASSES] + L.MASS_SIZE * b
        k = 3 * b
        m = F[at + 4]
        body = L.FIRST_BODY + L.BODY_SIZE * (b + 1)
        sx = state[body + L.COS] * F[at + 2] - state[body + L.SIN] * F[at + 3]
        sy = state[body + L.SIN] * F[at + 2] + state[body + L.COS] * F[at + 3]
        fx = m * (a[k] - sy * a[k + 2])
        fy = m * (a[k + 1] + sx * a[k + 2])
        f[k] = fx
        f[k + 1] = fy
        f[k + 2] = F[at + 5] * a[k + 2] + sx * fy - sy * fx


@kernel()
def planar_weigh(F, at, state, body, jac, weighted, j):
    """Three entries of a row times the inverse block of a body whose frame is not centroidal."""
    sx = state[body + L.COS] * F[at + 2] - state[body + L.SIN] * F[at + 3]
    sy = state[body + L.SIN] * F[at + 2] + state[body + L.COS] * F[at + 3]
    alpha = (jac[j + 2] - sx * jac[j + 1] + sy * jac[j]) * F[at + 1]
    weighted[j] = jac[j] * F[at] + sy * alpha
    weighted[j + 1] = jac[j + 1] * F[at] - sx * alpha
    weighted[j + 2] = alpha


@kernel()
def planar_inertia_forces(I, F, state, g):
    """Gravity and, for frames off the centroid, the centrifugal term: start of the force vector."""
    gx = F[I[L.AT_GRAVITY]]
    gy = F[I[L.AT_GRAVITY] + 1]
    moving = I[L.N_BODIES] - 1
    for b in range(moving):
        at = I[L.AT_MASSES] + L.MASS_SIZE * b
        body = L.FIRST_BODY + L.BODY_SIZE * (b + 1)
        m = F[at + 4]
        k = 3 * b
        g[k] = m * gx
        g[k + 1] = m * gy
        g[k + 2] = 0.0
        if F[at + 6] != 0.0:
            sx = state[body + L.COS] * F[at + 2] - state[body + L.SIN] * F[at + 3]
            sy = state[body + L.SIN] * F[at + 2] + state[body + L.COS] * F[at + 3]
            w2 = state[body + L.W] * state[body + L.W]
            g[k] += m * sx * w2
            g[k + 1] += m * sy * w2
            g[k + 2] += m * (sx * gy - sy * gx)


@kernel()
def planar_mechanical_energy(I, F, state, energy):
    """Kinetic energy and potential energy of gravity (zero at the global origin)."""
    kinetic = 0.0
    potential = 0.0
    for b in range(I[L.N_BODIES] - 1):
        at = I[L.AT_MASSES] + L.MASS_SIZE * b
        body = L.FIRST_BODY + L.BODY_SIZE * (b + 1)
        m = F[at + 4]
        sx = state[body + L.COS] * F[at + 2] - state[body + L.SIN] * F[at + 3]
        sy = state[body + L.SIN] * F[at + 2] + state[body + L.COS] * F[at + 3]
        w = state[body + L.W]
        vx = state[body + L.XD] - w * sy
        vy = state[body + L.YD] + w * sx
        kinetic += 0.5 * (m * (vx * vx + vy * vy) + F[at + 5] * w * w)
        potential -= m * (
            F[I[L.AT_GRAVITY]] * (state[body + L.X] + sx) + F[I[L.AT_GRAVITY] + 1] * (state[body + L.Y] + sy)
        )
    energy[0] = kinetic
    energy[1] = potential
