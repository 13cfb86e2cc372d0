"""Bodies in space from relative coordinates: states, partial velocities, and accelerations without rates of speeds."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import ints_at, kernel, routine
from pytrammel.kernels.links.layout import (
    AT_LINKS,
    BODY,
    COLUMNS,
    FIRST_SLIDE_X,
    FIRST_SLIDE_Y,
    INTO_BODY,
    KIND,
    LINK_NUMBERS,
    LINK_SIZE,
    LOWER,
    LOWER_FRAME,
    LOWER_PLACE,
    N_COLUMNS,
    N_LINKS,
    ON_BODY,
    ON_LOWER,
    PARAMETERS,
    PER_LINK_X,
    PER_LINK_Y,
    PLACE,
    W_BIAS,
    W_P,
    W_STATE,
    W_TURNING,
    W_X,
    W_Y,
    B,
    D,
    numbers_at,
    relative_at,
    workspace_of,
)
from pytrammel.kernels.spatial_bodies import write_rotation
from pytrammel.kernels.vectors import cross, to_body, to_global


@kernel()
def times_quaternion(a0, a1, a2, a3, b0, b1, b2, b3):
    return (
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
        a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
        a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
        a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    )


@kernel()
def turn_against_lower(state, link, R, G, g, X, turning):
    """Rotation of a body, and the axes that its three rotational speeds are about, global, nine numbers."""
    place = R[link + PLACE]
    lower = R[link + LOWER_PLACE]
    if R[link + KIND] == PARAMETERS:
        size = 1.0 / math.sqrt(X[0] * X[0] + X[1] * X[1] + X[2] * X[2] + X[3] * X[3])
        t0 = X[0] * size
        t1 = X[1] * size
        t2 = X[2] * size
        t3 = X[3] * size
    else:
        c1 = math.cos(0.5 * X[0])
        s1 = math.sin(0.5 * X[0])
        c2 = math.cos(0.5 * X[1])
        s2 = math.sin(0.5 * X[1])
        c3 = math.cos(0.5 * X[2])
        s3 = math.sin(0.5 * X[2])
        t0 = c1 * c2 * c3 - s1 * s2 * s3
        t1 = s1 * c2 * c3 + c1 * s2 * s3
        t2 = c1 * s2 * c3 - s1 * c2 * s3
        t3 = s1 * s2 * c3 + c1 * c2 * s3
    p = lower + L.E0
    f = g + LOWER_FRAME
    d0, d1, d2, d3 = times_quaternion(
        state[p], state[p + 1], state[p + 2], state[p + 3], G[f], G[f + 1], G[f + 2], G[f + 3]
    )
    t0, t1, t2, t3 = times_quaternion(d0, d1, d2, d3, t0, t1, t2, t3)
    f = g + INTO_BODY
    t0, t1, t2, t3 = times_quaternion(t0, t1, t2, t3, G[f], G[f + 1], G[f + 2], G[f + 3])
    size = 1.0 / math.sqrt(t0 * t0 + t1 * t1 + t2 * t2 + t3 * t3)  # signs of frames are exact, their lengths rounded
    write_rotation(state, place, t0 * size, t1 * size, t2 * size, t3 * size)
    if R[link + KIND] == PARAMETERS:
        for k in range(3):
            x, y, z = to_global(state, place, G[g + B + k], G[g + B + 3 + k], G[g + B + 6 + k])
            turning[3 * k] = x
            turning[3 * k + 1] = y
            turning[3 * k + 2] = z
        return
    cos1 = math.cos(X[0])
    sin1 = math.sin(X[0])
    cos2 = math.cos(X[1])
    sin2 = math.sin(X[1])
    for k in range(3):
        if k == 0:
            a = 1.0
            b = 0.0
            c = 0.0
        elif k == 1:
            a = 0.0
            b = cos1
            c = sin1
        else:
            a = sin2
            b = -sin1 * cos2
            c = cos1 * cos2
        d = g + D
        x, y, z = to_global(
            state,
            lower,
            G[d] * a + G[d + 1] * b + G[d + 2] * c,
            G[d + 3] * a + G[d + 4] * b + G[d + 5] * c,
            G[d + 6] * a + G[d + 7] * b + G[d + 8] * c,
        )
        turning[3 * k] = x
        turning[3 * k + 1] = y
        turning[3 * k + 2] = z


@kernel()
def write_columns(I, R, link, state, P, turning, slides, rx, ry, rz, dx, dy, dz):
    """Partial velocities of a body: those of its lower body carried over, and its own (r from its joint's point, d from the lower one)."""
    n = I[L.N_COLUMNS]
    place = R[link + PLACE]
    lower = R[link + LOWER_PLACE]
    row = 6 * R[link + BODY]
    lower_row = 6 * R[link + LOWER]
    for c in range(R[N_COLUMNS]):
        column = P[n * c :]
        for i in range(6):
            column[row + i] = 0.0
        if R[link + LOWER] >= 0:
            wx, wy, wz = to_global(state, lower, column[lower_row + 3], column[lower_row + 4], column[lower_row + 5])
            tx, ty, tz = cross(wx, wy, wz, dx, dy, dz)
            column[row] = column[lower_row] + tx
            column[row + 1] = column[lower_row + 1] + ty
            column[row + 2] = column[lower_row + 2] + tz
            wx, wy, wz = to_body(state, place, wx, wy, wz)
            column[row + 3] = wx
            column[row + 4] = wy
            column[row + 5] = wz
    for k in range(3):
        c = R[link + COLUMNS + k]
        if c >= 0:
            tx, ty, tz = cross(turning[3 * k], turning[3 * k + 1], turning[3 * k + 2], rx, ry, rz)
            wx, wy, wz = to_body(state, place, turning[3 * k], turning[3 * k + 1], turning[3 * k + 2])
            P[n * c + row] = tx
            P[n * c + row + 1] = ty
            P[n * c + row + 2] = tz
            P[n * c + row + 3] = wx
            P[n * c + row + 4] = wy
            P[n * c + row + 5] = wz
        c = R[link + COLUMNS + 3 + k]
        if c >= 0:
            for i in range(3):
                P[n * c + row + i] = slides[3 * k + i]


@routine(seconds=5.0)
def space_sweep(E, t, h, unused, unused_too, unused_three):
    """States of all bodies, partial velocities, and accelerations that remain without rates of speeds, from lower bodies outwards."""
    R = relative_at(E)
    G = numbers_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    state = W[R[W_STATE] :]
    bias = W[R[W_BIAS] :]
    turning = W[R[W_TURNING] : R[W_TURNING] + 9]
    slides = W[R[W_TURNING] + 9 : R[W_TURNING] + 18]
    for k in range(R[N_LINKS]):
        link = R[AT_LINKS] + LINK_SIZE * k
        g = LINK_NUMBERS * k
        X = W[R[W_X] + PER_LINK_X * k :]
        Y = W[R[W_Y] + PER_LINK_Y * k :]
        place = R[link + PLACE]
        lower = R[link + LOWER_PLACE]
        turn_against_lower(state, link, R, G, g, X, turning)
        # the joint frame on the lower body, and where the joint's point of the body is seen from the lower body's origin
        dx, dy, dz = to_global(state, lower, G[g + ON_LOWER], G[g + ON_LOWER + 1], G[g + ON_LOWER + 2])
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for i in range(3):
            ex, ey, ez = to_global(state, lower, G[g + D + i], G[g + D + 3 + i], G[g + D + 6 + i])
            slides[3 * i] = ex
            slides[3 * i + 1] = ey
            slides[3 * i + 2] = ez
            dx += X[FIRST_SLIDE_X + i] * ex
            dy += X[FIRST_SLIDE_X + i] * ey
            dz += X[FIRST_SLIDE_X + i] * ez
            sx += Y[FIRST_SLIDE_Y + i] * ex
            sy += Y[FIRST_SLIDE_Y + i] * ey
            sz += Y[FIRST_SLIDE_Y + i] * ez
        rx, ry, rz = to_global(state, place, -G[g + ON_BODY], -G[g + ON_BODY + 1], -G[g + ON_BODY + 2])
        lwx = state[lower + L.WG]
        lwy = state[lower + L.WG + 1]
        lwz = state[lower + L.WG + 2]
        # angular velocity, one turn after another, and what the turning of their axes adds to the acceleration
        wx = lwx
        wy = lwy
        wz = lwz
        ax = 0.0
        ay = 0.0
        az = 0.0
        lax = 0.0
        lay = 0.0
        laz = 0.0
        bx = 0.0
        by = 0.0
        bz = 0.0
        if R[link + LOWER] >= 0:
            at = 6 * R[link + LOWER]
            lax, lay, laz = to_global(state, lower, bias[at + 3], bias[at + 4], bias[at + 5])
            bx = bias[at]
            by = bias[at + 1]
            bz = bias[at + 2]
        ax = lax
        ay = lay
        az = laz
        for i in range(3):
            tx = turning[3 * i] * Y[i]
            ty = turning[3 * i + 1] * Y[i]
            tz = turning[3 * i + 2] * Y[i]
            if R[link + KIND] == PARAMETERS:
                ux, uy, uz = cross(
                    lwx, lwy, lwz, tx, ty, tz
                )  # axes of the body: all of it turns them but their own sum
            else:
                ux, uy, uz = cross(wx, wy, wz, tx, ty, tz)
            ax += ux
            ay += uy
            az += uz
            wx += tx
            wy += ty
            wz += tz
        vx, vy, vz = cross(lwx, lwy, lwz, dx, dy, dz)
        ux, uy, uz = cross(wx, wy, wz, rx, ry, rz)
        state[place + L.R] = state[lower + L.R] + dx + rx
        state[place + L.R + 1] = state[lower + L.R + 1] + dy + ry
        state[place + L.R + 2] = state[lower + L.R + 2] + dz + rz
        state[place + L.RD] = state[lower + L.RD] + vx + sx + ux
        state[place + L.RD + 1] = state[lower + L.RD + 1] + vy + sy + uy
        state[place + L.RD + 2] = state[lower + L.RD + 2] + vz + sz + uz
        state[place + L.WG] = wx
        state[place + L.WG + 1] = wy
        state[place + L.WG + 2] = wz
        cx, cy, cz = to_body(state, place, wx, wy, wz)
        state[place + L.WB] = cx
        state[place + L.WB + 1] = cy
        state[place + L.WB + 2] = cz
        # accelerations: carried, centripetal, twice the sliding rate turned
        px, py, pz = cross(lwx, lwy, lwz, vx + 2.0 * sx, vy + 2.0 * sy, vz + 2.0 * sz)
        qx, qy, qz = cross(lax, lay, laz, dx, dy, dz)
        bx += px + qx
        by += py + qy
        bz += pz + qz
        px, py, pz = cross(wx, wy, wz, ux, uy, uz)
        qx, qy, qz = cross(ax, ay, az, rx, ry, rz)
        ax, ay, az = to_body(state, place, ax, ay, az)
        at = 6 * R[link + BODY]
        bias[at] = bx + px + qx
        bias[at + 1] = by + py + qy
        bias[at + 2] = bz + pz + qz
        bias[at + 3] = ax
        bias[at + 4] = ay
        bias[at + 5] = az
        write_columns(I, R, link, state, W[R[W_P] :], turning, slides, rx, ry, rz, dx + rx, dy + ry, dz + rz)
    return 0.0
