"""What the primitives share: moments of a global vector in body components, and centripetal terms."""

from __future__ import annotations

from trammel.kernels.jit import kernel
from trammel.kernels.layout import WG
from trammel.kernels.vectors import cross, to_body


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
