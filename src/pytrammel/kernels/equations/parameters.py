"""Rotations in space by Euler parameters that are treated in another way: with their rates as state, or held at length one otherwise.

These equations stand around others, whose treatment of constraints they keep: a state is handed to the inner routines with parameters
p^ = p / s of length one and angular velocities w' = 2 L(p^) p', and what comes back is turned into rates of p and p'. With rates as state
(DI-2) the integrated vector of `cartesian` has p' of all bodies behind it; its angular velocities then only follow. n = p^.p'.

p'' by 11.3.29 or 13.7 (formulations I and II), whose row says p.p'' = -p'.p', or by 11.3.21 (formulation III):

I, II   p'' = (1/2 L(p^)' w'' - 2 n p'_across) / s - (p'.p' / s) p^
III     p'' = s (1/2 L(p^)' w'' - 1/4 w'² p^)
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.engine import TABLE_SIZE, data_of
from pytrammel.kernels.equations.cartesian import vector_size
from pytrammel.kernels.jit import call_routine, floats_at, ints_at, kernel, routine, vector
from pytrammel.kernels.spatial_bodies import from_parameter_rates, write_rates

ROTATIONS = TABLE_SIZE - 1  # entry of the table, beyond those of any method: address of these integers
# inner routines; whether rates are state; how the length is held; address of the numbers; then each body's dependent parameter
(RATES, SETTLE, NORM, RECORD, WITH_RATES, HELD, NUMBERS, DEPENDENT) = range(8)
# how the length is held: after steps p or p' or both put right or neither; at every evaluation by a stabilised row, or by one
# parameter that follows from the others
NONE, POSITION, VELOCITY, BOTH, STABILISED, FOLLOWING = range(6)
# numbers: gains of the row, body (from 1 on) whose dependent parameter was not found at the last evaluation; then lengths s and parts n of
# all bodies, 1/2 L' w'', two copies of the integrated vector
ALPHA, BETA, LOST, LENGTHS = range(4)
SWITCH = 0.8  # of the largest parameter of a body: a dependent one that is smaller gives way to it
SURE = 0.25  # of a dependent parameter: a prediction that far off may have the wrong sign


@kernel()
def places(bodies, size):
    """Where things begin behind the lengths: parts along p, 1/2 L' w'', copies of the integrated vector; the end."""
    turning = LENGTHS + 2 * bodies
    copy = turning + 7 * bodies
    return LENGTHS + bodies, turning, copy, copy + size, copy + 2 * size


@kernel()
def follow_length(x, k, at, which, with_rates):
    """One parameter of the body at k from the other three, with the sign that was predicted, and its rate; False if that is not sure."""
    rest = 0.0
    slope = 0.0
    for i in range(4):
        if i != which:
            rest += x[k + 3 + i] * x[k + 3 + i]
            if with_rates:
                slope += x[k + 3 + i] * x[at + i]
    if not rest < 1.0:
        return False
    root = math.sqrt(1.0 - rest)
    if abs(root - abs(x[k + 3 + which])) > SURE * root:
        return False
    x[k + 3 + which] = root if x[k + 3 + which] >= 0.0 else -root
    if with_rates:
        x[at + which] = -slope / x[k + 3 + which]
    return True


@kernel()
def unpack(I, R, D, given, x):
    """A state for the inner routines; lengths and parts of p' along p are noted. False if a dependent parameter cannot be found."""
    bodies = I[L.N_BODIES] - 1
    base = vector_size(I)
    size = base + 4 * bodies * R[WITH_RATES]
    p = places(bodies, size)
    for c in range(size):
        x[c] = given[c]
    D[LOST] = 0.0
    for b in range(bodies):
        k = 7 * b
        at = base + 4 * b
        if R[HELD] == FOLLOWING:
            if not follow_length(x, k, at, R[DEPENDENT + b], R[WITH_RATES] != 0):
                D[LOST] = b + 1.0
                return False
        square = 0.0
        for i in range(3, 7):
            square += x[k + i] * x[k + i]
        length = math.sqrt(square)
        along = 0.0
        for i in range(4):
            x[k + 3 + i] /= length
            if R[WITH_RATES] != 0:
                along += x[k + 3 + i] * x[at + i]
        if R[WITH_RATES] != 0:
            from_parameter_rates(x, k, x[at - k - 3 :], x[I[L.N_COORDINATES] :], 6 * b)
        D[LENGTHS + b] = length
        D[p[0] + b] = along
    return True


@kernel()
def pull(R, D, length, along):
    """p.p'' + p'.p', or p.p' where angular velocities are state, that a stabilised row asks for; 0 without one."""
    if R[HELD] != STABILISED:
        return 0.0
    off = length * length - 1.0
    if R[WITH_RATES] == 0:
        return -0.5 * D[ALPHA] * off
    return -2.0 * D[ALPHA] * length * along - 0.5 * D[BETA] * D[BETA] * off


@kernel()
def second_rates(I, R, D, k, at, length, along, turning, x, dy):
    """p'' of the body at k behind the rates of the inner vector, which still hold the part of p' across p."""
    across = 0.0
    for i in range(3, 7):
        across += dy[k + i] * dy[k + i]
    if I[L.FORMULATION] == 0 and R[HELD] != STABILISED:
        for i in range(4):
            dy[at + i] = length * (turning[k + 3 + i] - across * x[k + 3 + i])
        return
    push = pull(R, D, length, along) - across - along * along
    for i in range(4):
        turned = length * turning[k + 3 + i]
        if I[L.FORMULATION] != 0:
            turned = (turning[k + 3 + i] - 2.0 * along * dy[k + 3 + i]) / length
        dy[at + i] = turned + push / length * x[k + 3 + i]


@routine()
def parameters_rates(E, t, h, y_at, dy_at, unused):
    I = ints_at(E[engine.INTS])
    R = ints_at(E[ROTATIONS])
    D = floats_at(R[NUMBERS])
    size = E[engine.SIZE]
    bodies = I[L.N_BODIES] - 1
    p = places(bodies, size)
    x = D[p[2] : p[2] + size]
    dy = vector(dy_at, size)
    if not unpack(I, R, D, vector(y_at, size), x):
        return math.nan
    angle = call_routine(R[RATES], E, t, h, x, dy_at, dy_at)
    if math.isnan(angle):
        return angle
    turning = D[p[1] : p[2]]
    if R[WITH_RATES] != 0:
        write_rates(bodies, x, dy[I[L.N_COORDINATES] :], turning)
    for b in range(bodies):
        k = 7 * b
        length = D[LENGTHS + b]
        along = D[p[0] + b]
        scale = 1.0
        if R[WITH_RATES] != 0:
            second_rates(I, R, D, k, vector_size(I) + 4 * b, length, along, turning, x, dy)
        else:
            scale = length
            along = pull(R, D, length, along) / length
        for i in range(3, 7):
            dy[k + i] = scale * dy[k + i] + along * x[k + i]
    return angle


@kernel()
def choose_dependent(y, k, which):
    """The parameter of the body at k that is to follow from the others: another one where that is clearly larger."""
    largest = 0
    for i in range(1, 4):
        if abs(y[k + 3 + i]) > abs(y[k + 3 + largest]):
            largest = i
    return largest if abs(y[k + 3 + which]) < SWITCH * abs(y[k + 3 + largest]) else which


@routine()
def parameters_settle(E, t, h, y_at, unused, unused_too):
    """As the inner equations settle, with lengths and parts along p put right only where that is asked for."""
    I, _, _, W = data_of(E)
    R = ints_at(E[ROTATIONS])
    D = floats_at(R[NUMBERS])
    size = E[engine.SIZE]
    bodies = I[L.N_BODIES] - 1
    nq = I[L.N_COORDINATES]
    p = places(bodies, size)
    x = D[p[2] : p[2] + size]
    y = vector(y_at, size)
    at_end = W[engine.AT_STEP_END] != 0.0
    if not unpack(I, R, D, y, x):
        return math.nan
    for c in range(size):
        y[c] = x[c]
    opened = call_routine(R[SETTLE], E, t, h, y_at, y_at, y_at)
    if math.isnan(opened):
        return opened
    held = R[HELD]
    across = D[p[1] : p[2]]
    if R[WITH_RATES] != 0:
        write_rates(bodies, y, y[nq:], across)
    for b in range(bodies):
        k = 7 * b
        length = 1.0 if held == POSITION or held == BOTH else D[LENGTHS + b]
        if R[WITH_RATES] != 0:
            along = 0.0 if held == VELOCITY or held == BOTH else D[p[0] + b]
            for i in range(4):
                y[vector_size(I) + 4 * b + i] = across[k + 3 + i] + along * y[k + 3 + i]
        for i in range(3, 7):
            y[k + i] *= length
        if held == FOLLOWING and at_end:
            chosen = choose_dependent(y, k, R[DEPENDENT + b])
            if chosen != R[DEPENDENT + b]:
                R[DEPENDENT + b] = chosen
                W[engine.CHANGE] = 1.0
    return opened


@routine()
def parameters_norm(E, t, h, y_at, y1_at, error_at):
    """Errors of the inner vector, and of p' as half of those of angular velocities."""
    I, _, _, W = data_of(E)
    R = ints_at(E[ROTATIONS])
    total = call_routine(R[NORM], E, t, h, y_at, y1_at, error_at)
    if R[WITH_RATES] == 0:
        return total
    size = E[engine.SIZE]
    y = vector(y_at, size)
    y1 = vector(y1_at, size)
    error = vector(error_at, size)
    speed = 1e-3
    for c in range(vector_size(I), size):
        speed = max(speed, 2.0 * abs(y[c]), 2.0 * abs(y1[c]))
    allowed = 0.5 * (W[engine.RTOL] * speed + W[engine.ATOL])
    for c in range(vector_size(I), size):
        ratio = abs(error[c]) / allowed
        if not ratio <= total:  # also true for NaN
            total = ratio
    return total


@routine()
def parameters_record(E, t, h, y_at, row_at, unused):
    """One instant of the inner equations, with parameters of length one; p'p - 1 and p.p' of every body at the end of the row."""
    I = ints_at(E[engine.INTS])
    R = ints_at(E[ROTATIONS])
    D = floats_at(R[NUMBERS])
    size = E[engine.SIZE]
    bodies = I[L.N_BODIES] - 1
    p = places(bodies, size)
    y = D[p[3] : p[3] + size]
    row = vector(row_at, E[engine.ROW])
    unpack(I, R, D, vector(y_at, size), y)
    tail = E[engine.ROW] - 2 * bodies
    for b in range(bodies):
        length = D[LENGTHS + b]
        row[tail + 2 * b] = length * length - 1.0
        row[tail + 2 * b + 1] = length * D[p[0] + b] if R[WITH_RATES] != 0 else pull(R, D, length, 0.0)
    return call_routine(R[RECORD], E, t, h, y, row_at, row_at)
