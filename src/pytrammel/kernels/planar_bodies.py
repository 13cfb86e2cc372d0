"""Bodies in the plane: coordinates x, y, phi and their rates; q and v correspond one to one."""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import kernel


@kernel()
def load_planar(I, q, v, state):
    """Unpack coordinates and rates; the sines and cosines are formed once, here."""
    for b in range(1, I[L.N_BODIES]):
        at = L.FIRST_BODY + L.BODY_SIZE * b
        k = 3 * (b - 1)
        phi = q[k + 2]
        state[at + L.X] = q[k]
        state[at + L.Y] = q[k + 1]
        state[at + L.PHI] = phi
        state[at + L.COS] = math.cos(phi)
        state[at + L.SIN] = math.sin(phi)
        state[at + L.XD] = v[k]
        state[at + L.YD] = v[k + 1]
        state[at + L.W] = v[k + 2]


@kernel()
def load_planar_ground(state):
    for k in range(L.BODY_SIZE):
        state[L.FIRST_BODY + k] = 0.0
    state[L.FIRST_BODY + L.COS] = 1.0
