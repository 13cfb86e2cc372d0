"""Vectors in space, as three numbers: small functions that Numba compiles inline."""

from __future__ import annotations

from pytrammel.kernels.jit import kernel
from pytrammel.kernels.layout import ROT


@kernel()
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel()
def to_global(state, b, x, y, z):
    """A_b s': from body components to global ones."""
    a = b + ROT
    return (
        state[a] * x + state[a + 1] * y + state[a + 2] * z,
        state[a + 3] * x + state[a + 4] * y + state[a + 5] * z,
        state[a + 6] * x + state[a + 7] * y + state[a + 8] * z,
    )


@kernel()
def to_body(state, b, x, y, z):
    """A_b' s: from global components to body ones."""
    a = b + ROT
    return (
        state[a] * x + state[a + 3] * y + state[a + 6] * z,
        state[a + 1] * x + state[a + 4] * y + state[a + 7] * z,
        state[a + 2] * x + state[a + 5] * y + state[a + 8] * z,
    )


@kernel()
def turned(state, b, fp, f):
    """Global components of a vector whose body components are at fp[f]."""
    return to_global(state, b, fp[f], fp[f + 1], fp[f + 2])
