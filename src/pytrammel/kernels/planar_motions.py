"""Small motions of a body in the plane, and how its inertia forces change with them. Reached by address from `linearise`."""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import element


@element
def planar_displace(I, body, step, state, out, k, jac, jo, work):
    """Move one body by step[0] along its column k."""
    if k < 2:
        state[body + k] += step[0]
    else:
        phi = state[body + L.PHI] + step[0]
        state[body + L.PHI] = phi
        state[body + L.COS] = math.cos(phi)
        state[body + L.SIN] = math.sin(phi)


@element
def planar_speed_up(I, body, step, state, out, k, jac, jo, work):
    """Add step[0] to the velocity of one body along its column k."""
    state[body + L.XD + k] += step[0]


@element
def planar_slopes(I, b, F, state, a, o, jac, jo, block):
    """Mass of moving body b, and derivatives of M a - (inertia and weight) by velocity and position: three 3x3 blocks by rows."""
    at = I[L.AT_MASSES] + L.MASS_SIZE * b
    body = L.FIRST_BODY + L.BODY_SIZE * (b + 1)
    k = 3 * b
    m = F[at + 4]
    sx = state[body + L.COS] * F[at + 2] - state[body + L.SIN] * F[at + 3]
    sy = state[body + L.SIN] * F[at + 2] + state[body + L.COS] * F[at + 3]
    w = state[body + L.W]
    for e in range(27):
        block[e] = 0.0
    block[0] = m
    block[2] = -m * sy
    block[4] = m
    block[5] = m * sx
    block[6] = -m * sy
    block[7] = m * sx
    block[8] = F[at + 5] + m * (sx * sx + sy * sy)
    block[9 + 2] = -2.0 * m * sx * w
    block[9 + 5] = -2.0 * m * sy * w
    block[18 + 2] = m * (sy * w * w - sx * a[k + 2])
    block[18 + 5] = -m * (sx * w * w + sy * a[k + 2])
    block[18 + 8] = -m * (sx * (a[k] - F[I[L.AT_GRAVITY]]) + sy * (a[k + 1] - F[I[L.AT_GRAVITY] + 1]))
