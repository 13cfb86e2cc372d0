"""Curves inside primitives: position, unit tangent and their derivatives by the curve parameter."""

from __future__ import annotations

import math

from trammel.kernels.jit import kernel
from trammel.kernels.tape import tape_run

# places in the scratch buffer, filled by `curve_at`
P0, P1, P2 = 0, 2, 4  # position and its first two derivatives (x, y each)
E0, E1, E2 = 6, 8, 10  # unit tangent and its first two derivatives
SPEED = 12  # length of the tangent vector
CURVE_SCRATCH = 13


@kernel()
def curve_at(ip, tape_x, tape_y, fp, u, work):
    """Fill the scratch buffer for parameter u. Third derivatives enter through the unit tangent (digest eq. 2.9)."""
    slots = CURVE_SCRATCH
    work[slots] = u
    work[slots + 1] = 1.0
    work[slots + 2] = 0.0
    work[slots + 3] = 0.0
    r = tape_run(ip, tape_x, fp, work, slots)
    x = work[r]
    gx = work[r + 1]
    hx = 2.0 * work[r + 2]
    kx = 6.0 * work[r + 3]
    work[slots] = u
    work[slots + 1] = 1.0
    work[slots + 2] = 0.0
    work[slots + 3] = 0.0
    r = tape_run(ip, tape_y, fp, work, slots)
    y = work[r]
    gy = work[r + 1]
    hy = 2.0 * work[r + 2]
    ky = 6.0 * work[r + 3]
    # g = G e, h = G' e + G e', k = G'' e + 2 G' e' + G e''
    speed = math.sqrt(gx * gx + gy * gy)
    ex = gx / speed
    ey = gy / speed
    speed1 = ex * hx + ey * hy
    ex1 = (hx - speed1 * ex) / speed
    ey1 = (hy - speed1 * ey) / speed
    speed2 = ex1 * hx + ey1 * hy + ex * kx + ey * ky
    work[P0] = x
    work[P0 + 1] = y
    work[P1] = gx
    work[P1 + 1] = gy
    work[P2] = hx
    work[P2 + 1] = hy
    work[E0] = ex
    work[E0 + 1] = ey
    work[E1] = ex1
    work[E1 + 1] = ey1
    work[E2] = (kx - 2.0 * speed1 * ex1 - speed2 * ex) / speed
    work[E2 + 1] = (ky - 2.0 * speed1 * ey1 - speed2 * ey) / speed
    work[SPEED] = speed
