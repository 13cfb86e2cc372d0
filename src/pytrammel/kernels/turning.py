"""Euler parameters turned by rotation vectors, and the way back."""

from __future__ import annotations

import math

from pytrammel.kernels.jit import kernel


@kernel()
def turn(p, at, x, y, z, out):
    """Euler parameters turned by a rotation vector in the axes of what turns, of length one; p and out may be the same."""
    x *= 0.5
    y *= 0.5
    z *= 0.5
    half = math.sqrt(x * x + y * y + z * z)
    w = math.cos(half)
    sinc = math.sin(half) / half if half > 1e-6 else 1.0 - half * half / 6.0
    x *= sinc
    y *= sinc
    z *= sinc
    e0 = p[at] * w - p[at + 1] * x - p[at + 2] * y - p[at + 3] * z
    e1 = p[at] * x + p[at + 1] * w + p[at + 2] * z - p[at + 3] * y
    e2 = p[at] * y - p[at + 1] * z + p[at + 2] * w + p[at + 3] * x
    e3 = p[at] * z + p[at + 1] * y - p[at + 2] * x + p[at + 3] * w
    size = 1.0 / math.sqrt(e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
    out[at] = e0 * size
    out[at + 1] = e1 * size
    out[at + 2] = e2 * size
    out[at + 3] = e3 * size


@kernel()
def turn_between(p_to, p_from, at):
    """The quaternion that leads from one to another turn, the shorter way."""
    e0 = p_from[at]
    e1 = -p_from[at + 1]
    e2 = -p_from[at + 2]
    e3 = -p_from[at + 3]
    w = p_to[at]
    x = p_to[at + 1]
    y = p_to[at + 2]
    z = p_to[at + 3]
    n0 = e0 * w - e1 * x - e2 * y - e3 * z
    n1 = e0 * x + e1 * w + e2 * z - e3 * y
    n2 = e0 * y - e1 * z + e2 * w + e3 * x
    n3 = e0 * z + e1 * y - e2 * x + e3 * w
    sign = -1.0 if n0 < 0.0 else 1.0
    return sign * n0, sign * n1, sign * n2, sign * n3
