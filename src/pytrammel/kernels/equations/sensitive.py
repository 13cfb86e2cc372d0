"""Motion together with its changes along directions: Y = [y, Z_1, …, Z_p], around any equations.

With y' = f(t, y, F) and F the numbers of the system, changes obey Z' = f_y Z + f_F F. + f_t w + w' f, w being by how much time is stretched
along the direction (`Z = X + w y'`): the derivative of one evaluation of f, by differences of the fourth order. Where a corner of a force
law is near, differences are taken on the side of it on which the motion is.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.jit import call_routine, floats_at, ints_at, kernel, routine, vector

# integers: directions, entries of y, numbers of the system and of the watched formulas that change, formulas that must not change sign,
# the first coordinate that counts turns and how many there are, place of the changes in a recorded row; then the numbers' places in the
# buffers and the formulas' numbers
(COUNT, SIZE, N_NUMBERS, N_WATCHED, N_SIDES, AT_TURNS, N_TURNS, AT_RECORD, LISTS) = range(9)
# numbers: error allowed, since when time is stretched; then what `places` tells
(ALLOWED, SINCE, TABLES) = range(3)
SMALL = 1e-3  # step of the differences, in scales
SHORTER, TRIES = 0.125, 7  # where two orders disagree: a law bends there
AGREED = 2e-5  # share by which they may: the better one is then good to its square or so


@kernel()
def places(p, size, m, mw, sides, events):
    """Where tables begin: sizes of what is varied, stretching and its slope, numbers and their changes, those of watched formulas, sides,
    scales, workspaces; the end."""
    stretch = TABLES + p
    slope = stretch + p
    numbers = slope + p
    changes = numbers + m
    watched = changes + p * m
    moving = watched + mw
    side = moving + p * mw
    scales = side + sides
    x = scales + size
    fine = x + 2 * size + events + 1
    return (
        stretch, slope, numbers, changes, watched, moving, side, scales, x, x + size, x + 2 * size, fine, fine + size, fine + 2 * size,
    )  # fmt: skip


@kernel()
def tables_of(E, R):
    return places(R[COUNT], R[SIZE], R[N_NUMBERS], R[N_WATCHED], R[N_SIDES], E[engine.N_EVENTS])


@kernel()
def put_numbers(inner, R, D, at, i, ahead):
    """Numbers of the system so far along a direction."""
    F = floats_at(inner[engine.FLOATS])
    m = R[N_NUMBERS]
    for k in range(m):
        F[R[LISTS + k]] = D[at[2] + k] + ahead * D[at[3] + i * m + k]


@kernel()
def step_along(R, D, at, i, Z):
    """Length of the differences: small against the state and against what is varied."""
    size = R[SIZE]
    reach = 1.0 / D[TABLES + i]
    for c in range(size):
        reach = max(reach, abs(Z[c]) / D[at[7] + c])
    return SMALL / reach


@kernel()
def on_side(E, inner, R, D, at, t, i, ahead, y, Z):
    """Whether no guarded formula changes sign so far along a direction."""
    size = R[SIZE]
    mw = R[N_WATCHED]
    W = floats_at(inner[engine.WATCH_FLOATS])
    for k in range(mw):
        W[R[LISTS + R[N_NUMBERS] + k]] = D[at[4] + k] + ahead * D[at[5] + i * mw + k]
    x = D[at[8] : at[8] + size]
    values = D[at[10] : at[11]]
    for c in range(size):
        x[c] = y[c] + ahead * Z[c]
    call_routine(inner[engine.WATCH], inner, t, 0.0, x, values, values)
    for k in range(mw):
        W[R[LISTS + R[N_NUMBERS] + k]] = D[at[4] + k]
    for k in range(R[N_SIDES]):
        if values[R[LISTS + R[N_NUMBERS] + mw + k]] * D[at[6] + k] < 0.0:
            return False
    return True


@kernel()
def way_out(E, inner, R, D, at, t, i, e, w, y, Z):
    """0 if differences may go to both sides, else the side to which they may go."""
    if R[N_SIDES] == 0:
        return 0
    ahead = on_side(E, inner, R, D, at, t + 2.0 * e * w, i, 2.0 * e, y, Z)
    behind = on_side(E, inner, R, D, at, t - 2.0 * e * w, i, -2.0 * e, y, Z)
    if ahead == behind:
        return 0
    return 1 if ahead else -1


@kernel()
def stencil(way, k):
    """Place of a sample of a derivative, its weight in one of the fourth order and in one of a lower order: to both sides, or to one."""
    if way == 0:
        if k == 0:
            return 1.0, 2.0 / 3.0, 0.5
        if k == 1:
            return -1.0, -2.0 / 3.0, -0.5
        if k == 2:
            return 2.0, -1.0 / 12.0, 0.0
        return -2.0, 1.0 / 12.0, 0.0
    if k == 0:
        return 1.0 * way, 4.0 * way, 3.0 * way
    if k == 1:
        return 2.0 * way, -3.0 * way, -1.5 * way
    if k == 2:
        return 3.0 * way, 4.0 / 3.0 * way, 1.0 / 3.0 * way
    return 4.0 * way, -0.25 * way, 0.0


@kernel()
def slope_along(inner, R, D, at, t, i, e, w, way, y, f, Z, fine, coarse):
    """Derivative of the rates along a direction; returns by how much two orders disagree, in what counts as one, and how large it is."""
    size = R[SIZE]
    x = D[at[8] : at[8] + size]
    dx = D[at[9] : at[9] + size]
    for c in range(size):
        fine[c] = -way * 25.0 / 12.0 / e * f[c]
        coarse[c] = -way * 11.0 / 6.0 / e * f[c]
    for k in range(4):
        place, weight, lower = stencil(way, k)
        put_numbers(inner, R, D, at, i, place * e)
        for c in range(size):
            x[c] = y[c] + place * e * Z[c]
        if math.isnan(call_routine(inner[engine.RATES], inner, t + place * e * w, 0.0, x, dx, dx)):
            return math.inf, 0.0
        for c in range(size):
            fine[c] += weight / e * dx[c]
            coarse[c] += lower / e * dx[c]
    off = 0.0
    largest = 0.0
    for c in range(size):
        off = max(off, abs(fine[c] - coarse[c]) / D[at[7] + c])
        largest = max(largest, abs(fine[c]) / D[at[7] + c])
    return off, largest


@routine(seconds=1.0)
def sensitive_rates(E, t, h, y_at, dy_at, unused):
    inner = ints_at(E[engine.INNER])
    R = ints_at(E[engine.REDUCED])
    D = floats_at(E[engine.REDUCED_NUMBERS])
    size = R[SIZE]
    p = R[COUNT]
    at = tables_of(E, R)
    y = vector(y_at, size * (1 + p))
    dy = vector(dy_at, size * (1 + p))
    angle = call_routine(inner[engine.RATES], inner, t, 0.0, y_at, dy_at, dy_at)
    if math.isnan(angle):
        return angle
    fine = D[at[11] : at[11] + size]
    coarse = D[at[12] : at[12] + size]
    for i in range(p):
        Z = y[(1 + i) * size : (2 + i) * size]
        out = dy[(1 + i) * size : (2 + i) * size]
        w = D[at[0] + i] + D[at[1] + i] * (t - D[SINCE])
        e = step_along(R, D, at, i, Z)
        best = math.inf
        for _ in range(TRIES):
            way = way_out(E, inner, R, D, at, t, i, e, w, y, Z)
            off, largest = slope_along(inner, R, D, at, t, i, e, w, way, y, dy, Z, fine, coarse)
            if off < best:
                best = off
                for c in range(size):
                    out[c] = fine[c] + D[at[1] + i] * dy[c]
            if off <= AGREED * largest:
                break
            e *= SHORTER
        if best == math.inf:
            angle = math.nan
    put_numbers(inner, R, D, at, 0, 0.0)
    return angle


@routine(seconds=0.8)
def sensitive_settle(E, t, h, y_at, unused, unused_too):
    """Back onto the constraints, and the changes onto their derivatives: those of the settled state itself."""
    inner = ints_at(E[engine.INNER])
    R = ints_at(E[engine.REDUCED])
    D = floats_at(E[engine.REDUCED_NUMBERS])
    size = R[SIZE]
    p = R[COUNT]
    at = tables_of(E, R)
    y = vector(y_at, size * (1 + p))
    opened = call_routine(inner[engine.SETTLE], inner, t, 0.0, y_at, y_at, y_at)
    x = D[at[8] : at[8] + size]
    dx = D[at[9] : at[9] + size]
    for i in range(p):
        Z = y[(1 + i) * size : (2 + i) * size]
        w = D[at[0] + i] + D[at[1] + i] * (t - D[SINCE])
        e = step_along(R, D, at, i, Z)
        for c in range(size):
            dx[c] = 0.0
        lost = False
        for k in range(4):
            place, weight, _ = stencil(0, k)
            put_numbers(inner, R, D, at, i, place * e)
            for c in range(size):
                x[c] = y[c] + place * e * Z[c]
            lost = lost or math.isnan(call_routine(inner[engine.SETTLE], inner, t + place * e * w, 0.0, x, x, x))
            for c in range(size):
                dx[c] += weight / e * x[c]
        if lost:  # beside a singular position: they stay as they are
            continue
        for c in range(size):
            Z[c] = dx[c]
        for c in range(R[N_TURNS]):
            Z[R[AT_TURNS] + c] = 0.0
    put_numbers(inner, R, D, at, 0, 0.0)
    return opened


@routine()
def sensitive_norm(E, t, h, y_at, y1_at, error_at):
    """Largest error in units of what is allowed: of the motion, and of each change against its largest entry, in scales."""
    inner = ints_at(E[engine.INNER])
    R = ints_at(E[engine.REDUCED])
    D = floats_at(E[engine.REDUCED_NUMBERS])
    size = R[SIZE]
    at = tables_of(E, R)
    total = call_routine(inner[engine.NORM], inner, t, h, y_at, y1_at, error_at)
    y1 = vector(y1_at, size * (1 + R[COUNT]))
    error = vector(error_at, size * (1 + R[COUNT]))
    for i in range(R[COUNT]):
        reach = 1.0 / D[TABLES + i]
        off = 0.0
        for c in range((1 + i) * size, (2 + i) * size):
            scale = D[at[7] + c - (1 + i) * size]
            reach = max(reach, abs(y1[c]) / scale)
            if not abs(error[c]) / scale <= off:
                off = abs(error[c]) / scale
        if not off <= total * D[ALLOWED] * reach:
            total = off / (D[ALLOWED] * reach)
    return total


@routine()
def sensitive_record(E, t, h, y_at, row_at, unused):
    """What the equations record, and the changes at a fixed instant."""
    inner = ints_at(E[engine.INNER])
    R = ints_at(E[engine.REDUCED])
    D = floats_at(E[engine.REDUCED_NUMBERS])
    size = R[SIZE]
    at = tables_of(E, R)
    dx = D[at[9] : at[9] + size]
    call_routine(inner[engine.RECORD], inner, t, 0.0, y_at, row_at, row_at)
    call_routine(inner[engine.RATES], inner, t, 0.0, y_at, dx, dx)
    y = vector(y_at, size * (1 + R[COUNT]))
    row = vector(row_at, R[AT_RECORD] + size * R[COUNT])
    for i in range(R[COUNT]):
        w = D[at[0] + i] + D[at[1] + i] * (t - D[SINCE])
        for c in range(size):
            row[R[AT_RECORD] + i * size + c] = y[(1 + i) * size + c] - w * dx[c]
    return 0.0


@routine()
def sensitive_watch(E, t, h, y_at, values_at, unused):
    inner = ints_at(E[engine.INNER])
    return call_routine(inner[engine.WATCH], inner, t, 0.0, y_at, values_at, values_at)
