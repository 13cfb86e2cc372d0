"""Disc of body i against a curve of body j (terrain): every patch that touches acts, two or more at once if need be."""

from __future__ import annotations

import math

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._contact import N_CONTACT, add_contact
from pytrammel.kernels.layout import COS, FORCE, OUTPUT_SIZE, POWER, SIN, STATE_RATE, X, Y
from pytrammel.kernels.primitives._curve import (
    E0,
    OUTLINE_PER_GROUP,
    OUTLINE_SAMPLES,
    OUTLINE_TABLE,
    P0,
    P1,
    P2,
    curve_at,
)


@force_element
def contact_disc_curve(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, body i, body j, tape x, tape y; floats: contact constants, s'_i, radius, side,
    # reach between samples, first and last parameter, closed, then an outline
    f = ip[io]
    i = ip[io + 1]
    j = ip[io + 2]
    g = f + N_CONTACT
    n = int(fp[g + 8 + OUTLINE_SAMPLES])
    size = int(fp[g + 8 + OUTLINE_PER_GROUP])
    radius = fp[g + 2]
    side = fp[g + 3]
    reach = fp[g + 4]
    cj = state[j + COS]
    sj = state[j + SIN]
    px = state[i + X] + state[i + COS] * fp[g] - state[i + SIN] * fp[g + 1]
    py = state[i + Y] + state[i + SIN] * fp[g] + state[i + COS] * fp[g + 1]
    # disc centre in the curve's body
    dx = px - state[j + X]
    dy = py - state[j + Y]
    lx = cj * dx + sj * dy
    ly = -sj * dx + cj * dy
    for e in range(6):
        jac[jo + e] = 0.0
    total = 0.0
    power = 0.0
    table = g + 8 + OUTLINE_TABLE
    circles = table + 3 * n
    far = (radius + reach) * (radius + reach)
    found = 0
    last_u = 0.0
    closed = fp[g + 7] != 0.0
    last = n - 1 if closed else n  # the last sample of a closed curve is its first
    k = -1
    while k + 1 < last:
        k += 1
        if k % size == 0:
            # groups of samples that are all too far off are passed over
            at = circles + k // size * 3
            ax = lx - fp[at]
            ay = ly - fp[at + 1]
            limit = radius + reach + fp[at + 2]
            if ax * ax + ay * ay > limit * limit:
                k += size - 1
                continue
        ax = lx - fp[table + 3 * k + 1]
        ay = ly - fp[table + 3 * k + 2]
        here = ax * ax + ay * ay
        if here > far:
            continue
        before = here + 1.0
        if k > 0 or closed:
            b = table + 3 * (k - 1 if k > 0 else n - 2)
            bx = lx - fp[b + 1]
            by = ly - fp[b + 2]
            before = bx * bx + by * by
        after = here + 1.0
        if k < n - 1:
            bx = lx - fp[table + 3 * (k + 1) + 1]
            by = ly - fp[table + 3 * (k + 1) + 2]
            after = bx * bx + by * by
        if here <= before and here < after:
            # a local minimum of the distance: Newton for (p(u) - c) . p'(u) = 0
            u = fp[table + 3 * k]
            for _ in range(8):
                curve_at(ip, ip[io + 3], ip[io + 4], fp, u, work)
                ex = work[P0] - lx
                ey = work[P0 + 1] - ly
                slope = ex * work[P1] + ey * work[P1 + 1]
                bend = work[P1] * work[P1] + work[P1 + 1] * work[P1 + 1] + ex * work[P2] + ey * work[P2 + 1]
                if bend <= 0.0:
                    break
                step = slope / bend
                u -= step
                if not closed:
                    u = min(max(u, fp[g + 5]), fp[g + 6])
                if abs(step) < 1e-14 * (1.0 + abs(u)):
                    break
            if found > 0 and abs(u - last_u) < 1e-9 * (1.0 + abs(u)):
                continue
            curve_at(ip, ip[io + 3], ip[io + 4], fp, u, work)
            # the free side is to the left (side = 1) or right (-1) of growing u
            nlx = -side * work[E0 + 1]
            nly = side * work[E0]
            height = nlx * (lx - work[P0]) + nly * (ly - work[P0 + 1])
            across = math.hypot(lx - work[P0], ly - work[P0 + 1])
            if not closed and (u == fp[g + 5] or u == fp[g + 6]) and height > 0.0:
                # beyond an end of the curve only its corner can touch
                nlx = (lx - work[P0]) / across
                nly = (ly - work[P0 + 1]) / across
                height = across
            depth = radius - height
            if depth > 0.0 and across < 2.0 * radius + reach:
                nx = cj * nlx - sj * nly
                ny = sj * nlx + cj * nly
                cx = state[j + X] + cj * work[P0] - sj * work[P0 + 1]
                cy = state[j + Y] + sj * work[P0] + cj * work[P0 + 1]
                normal, work_rate = add_contact(fp, f, state, i, j, cx, cy, nx, ny, depth, jac, jo)
                total += normal
                power += work_rate
                found += 1
                last_u = u
    out[OUTPUT_SIZE * o + FORCE] = total
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = power
