"""Bodies in the plane from relative coordinates: the third angle and two translations of each."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import ints_at, kernel, routine
from pytrammel.kernels.links.layout import (
    ANGLE_OFFSET,
    AT_LINKS,
    BODY,
    COLUMNS,
    FIRST_SLIDE_X,
    FIRST_SLIDE_Y,
    LINK_NUMBERS,
    LINK_SIZE,
    LOWER,
    LOWER_PLACE,
    N_COLUMNS,
    N_LINKS,
    ON_BODY,
    ON_LOWER,
    PER_LINK_X,
    PER_LINK_Y,
    PLACE,
    W_BIAS,
    W_P,
    W_STATE,
    W_X,
    W_Y,
    D,
    numbers_at,
    relative_at,
    workspace_of,
)

THIRD = 2  # the angle about the normal of the plane


@kernel()
def turned(state, at, x, y):
    """Global components of a vector of a body."""
    return state[at + L.COS] * x - state[at + L.SIN] * y, state[at + L.SIN] * x + state[at + L.COS] * y


@routine(seconds=3.0)
def plane_sweep(E, t, h, unused, unused_too, unused_three):
    """States of all bodies, partial velocities, and accelerations that remain without rates of speeds, from lower bodies outwards."""
    R = relative_at(E)
    G = numbers_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    n = I[L.N_COLUMNS]
    state = W[R[W_STATE] :]
    bias = W[R[W_BIAS] :]
    P = W[R[W_P] :]
    for k in range(R[N_LINKS]):
        link = R[AT_LINKS] + LINK_SIZE * k
        g = LINK_NUMBERS * k
        X = W[R[W_X] + PER_LINK_X * k :]
        Y = W[R[W_Y] + PER_LINK_Y * k :]
        place = R[link + PLACE]
        lower = R[link + LOWER_PLACE]
        phi = state[lower + L.PHI] + G[g + ANGLE_OFFSET] + X[THIRD]
        state[place + L.PHI] = phi
        state[place + L.COS] = math.cos(phi)
        state[place + L.SIN] = math.sin(phi)
        e1x, e1y = turned(state, lower, G[g + D], G[g + D + 3])
        e2x, e2y = turned(state, lower, G[g + D + 1], G[g + D + 4])
        dx, dy = turned(state, lower, G[g + ON_LOWER], G[g + ON_LOWER + 1])
        dx += X[FIRST_SLIDE_X] * e1x + X[FIRST_SLIDE_X + 1] * e2x
        dy += X[FIRST_SLIDE_X] * e1y + X[FIRST_SLIDE_X + 1] * e2y
        sx = Y[FIRST_SLIDE_Y] * e1x + Y[FIRST_SLIDE_Y + 1] * e2x
        sy = Y[FIRST_SLIDE_Y] * e1y + Y[FIRST_SLIDE_Y + 1] * e2y
        rx, ry = turned(state, place, -G[g + ON_BODY], -G[g + ON_BODY + 1])
        lw = state[lower + L.W]
        w = lw + Y[THIRD]
        state[place + L.X] = state[lower + L.X] + dx + rx
        state[place + L.Y] = state[lower + L.Y] + dy + ry
        state[place + L.XD] = state[lower + L.XD] - lw * dy + sx - w * ry
        state[place + L.YD] = state[lower + L.YD] + lw * dx + sy + w * rx
        state[place + L.W] = w
        row = 3 * R[link + BODY]
        lower_row = 3 * R[link + LOWER]
        bx = -lw * lw * dx - 2.0 * lw * sy - w * w * rx
        by = -lw * lw * dy + 2.0 * lw * sx - w * w * ry
        turning = 0.0
        if R[link + LOWER] >= 0:
            turning = bias[lower_row + 2]
            bx += bias[lower_row] - turning * (dy + ry)
            by += bias[lower_row + 1] + turning * (dx + rx)
        bias[row] = bx
        bias[row + 1] = by
        bias[row + 2] = turning
        for c in range(R[N_COLUMNS]):
            column = P[n * c :]
            column[row] = 0.0
            column[row + 1] = 0.0
            column[row + 2] = 0.0
            if R[link + LOWER] >= 0:
                column[row] = column[lower_row] - column[lower_row + 2] * (dy + ry)
                column[row + 1] = column[lower_row + 1] + column[lower_row + 2] * (dx + rx)
                column[row + 2] = column[lower_row + 2]
        c = R[link + COLUMNS + THIRD]
        if c >= 0:
            P[n * c + row] = -ry
            P[n * c + row + 1] = rx
            P[n * c + row + 2] = 1.0
        c = R[link + COLUMNS + FIRST_SLIDE_Y]
        if c >= 0:
            P[n * c + row] = e1x
            P[n * c + row + 1] = e1y
        c = R[link + COLUMNS + FIRST_SLIDE_Y + 1]
        if c >= 0:
            P[n * c + row] = e2x
            P[n * c + row + 1] = e2y
    return 0.0
