"""What the primitives share: moments of a global vector in body components, and centripetal terms."""

from __future__ import annotations

from pytrammel.kernels.jit import kernel
from pytrammel.kernels.layout import ROT, WG
from pytrammel.kernels.vectors import cross, to_body


@kernel()
def write_three(jac, at, x, y, z):
    jac[at] = x
    jac[at + 1] = y
    jac[at + 2] = z


@kernel()
def write_moment(state, b, sx, sy, sz, ux, uy, uz, sign, jac, at):
    """Entries of body b's rotation in u . s with s fixed in the body: s x u in body components."""
    mx, my, mz = cross(sx, sy, sz, ux, uy, uz)
    x, y, z = to_body(state, b, mx, my, mz)
    jac[at] = sign * x
    jac[at + 1] = sign * y
    jac[at + 2] = sign * z


@kernel()
def spun(state, b, x, y, z):
    """w x s with the angular velocity of body b: the rate of a vector fixed in it."""
    return cross(state[b + WG], state[b + WG + 1], state[b + WG + 2], x, y, z)


@kernel()
def write_point_rows(state, i, j, sx, sy, sz, cx, cy, cz, jac, jo, width):
    """Three rows of r_i + A_i s' - r_j - A_j c', `width` entries apart; s' and c' in body components."""
    for k in range(3):
        at = jo + width * k
        for c in range(3):
            jac[at + c] = 0.0
            jac[at + 6 + c] = 0.0
        jac[at + k] = 1.0
        jac[at + 6 + k] = -1.0
        # row k of A is the global axis k in body components; s' x that is the row for the rotation
        a = i + ROT + 3 * k
        b = j + ROT + 3 * k
        jac[at + 3] = sy * state[a + 2] - sz * state[a + 1]
        jac[at + 4] = sz * state[a] - sx * state[a + 2]
        jac[at + 5] = sx * state[a + 1] - sy * state[a]
        jac[at + 9] = cz * state[b + 1] - cy * state[b + 2]
        jac[at + 10] = cx * state[b + 2] - cz * state[b]
        jac[at + 11] = cy * state[b] - cx * state[b + 1]
