"""Curves inside primitives: position, unit tangent and their derivatives by the curve parameter."""

from __future__ import annotations

import math

from pytrammel.kernels.jit import kernel
from pytrammel.kernels.tape import tape_run

# places in the scratch buffer, filled by `curve_at`
P0, P1, P2 = 0, 2, 4  # position and its first two derivatives (x, y each)
E0, E1, E2 = 6, 8, 10  # unit tangent and its first two derivatives
SPEED = 12  # length of the tangent vector
CURVE_SCRATCH = 13

# an outline of a curve in the constants: how many samples, how many per group, (u, x, y) of each sample, then per group a circle
# (x, y, radius) around its samples, a little wider than need be
OUTLINE_SAMPLES, OUTLINE_PER_GROUP, OUTLINE_TABLE = 0, 1, 2


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


@kernel()
def nearest_sample(fp, outline, lx, ly):
    """The first of the samples of an outline that are nearest to a point.

    Groups farther off than some other group can be are not looked through; the answer is that of looking through all.
    """
    n = int(fp[outline + OUTLINE_SAMPLES])
    size = int(fp[outline + OUTLINE_PER_GROUP])
    table = outline + OUTLINE_TABLE
    circles = table + 3 * n
    groups = (n + size - 1) // size
    least = math.inf  # farther than this the nearest sample cannot be
    for group in range(groups):
        at = circles + 3 * group
        least = min(least, math.hypot(lx - fp[at], ly - fp[at + 1]) + fp[at + 2])
    best = math.inf
    nearest = 0
    for group in range(groups):
        at = circles + 3 * group
        if math.hypot(lx - fp[at], ly - fp[at + 1]) - fp[at + 2] > least:
            continue
        for k in range(group * size, min(n, (group + 1) * size)):
            ax = lx - fp[table + 3 * k + 1]
            ay = ly - fp[table + 3 * k + 2]
            here = ax * ax + ay * ay
            if here < best:
                best = here
                nearest = k
    return nearest
