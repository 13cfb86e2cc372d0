"""The three-stage Radau IIA method: order 5, L-stable, stiffly accurate; the solution inside a step is its collocation polynomial.

The increments of the stages, Z, are solved for in the coordinates in which the inverse of the tableau is diagonal but for a pair
of complex numbers: one real and one complex system per iteration (Hairer and Wanner).
"""

from __future__ import annotations

import math

from trammel.kernels import engine
from trammel.kernels.engine import N_METHOD, OWN
from trammel.kernels.hermite import between
from trammel.kernels.jit import call_routine, floats_at, kernel, routine, table_in, vector
from trammel.kernels.newton import (
    FACTORED,
    LENGTH,
    N_NEWTON,
    PREVIOUS,
    SAME_STEP,
    forget_matrix,
    linearised,
    settled,
    worth_another_try,
)

# the method's integers
AT_T, AT_TI, AT_TIMES, AT_ERROR, AT_BEGIN, AT_Y0, AT_Y1, AT_BEFORE, AT_Z, AT_W, AT_F = range(OWN, OWN + 11)
# numbers of its own: eigenvalues of the inverse tableau; whether the last attempt was good
REAL, COMPLEX_REAL, COMPLEX_IMAGINARY, ACCEPTED, FIRST_FREE = range(N_METHOD + N_NEWTON, N_METHOD + N_NEWTON + 5)
ITERATIONS = 10
NOT_CONVERGED = 16.0


@routine()
def radau_start(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    forget_matrix(S)
    S[PREVIOUS] = 0.0
    S[ACCEPTED] = 0.0
    return call_routine(E[engine.RATES], E, t, 0.0, y, S[E[AT_BEGIN] :], y)


@routine()
def radau_accept(E, t, h, y_at, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    for c in range(size):
        S[E[AT_BEFORE] + c] = S[E[AT_Y0] + c]
        S[E[AT_BEFORE] + size + c] = S[E[AT_BEGIN] + c]
    S[PREVIOUS] = S[LENGTH]
    S[ACCEPTED] = 1.0
    return call_routine(E[engine.RATES], E, t, 0.0, y_at, S[E[AT_BEGIN] :], y_at)


@kernel()
def factors_ready(E, S, t, h, y, rates):
    """Derivatives and both factors for a step of length h; False if there are none."""
    if not linearised(E, S, t, y, rates):
        return False
    if S[FACTORED] == 0.0 or abs(h / S[FACTORED] - 1.0) > 0.5 * SAME_STEP:
        size = S[COMPLEX_REAL] ** 2 + S[COMPLEX_IMAGINARY] ** 2
        failed = math.isnan(call_routine(E[engine.FACTOR], E, h / S[REAL], 0.0, y, y, y))
        failed = failed or math.isnan(
            call_routine(E[engine.FACTOR], E, h * S[COMPLEX_REAL] / size, -h * S[COMPLEX_IMAGINARY] / size, y, y, y)
        )
        if failed:
            return False
        S[FACTORED] = h
    return True


@kernel()
def solve_increments(E, S, t, h, y, Z, W, G, T, TI, stage):
    """Newton iteration for the increments of the stages. Returns the smallest singularity measure met, or NaN."""
    size = y.size
    before = 0.0
    closest = 1.0
    mr = S[REAL] / h
    ma = S[COMPLEX_REAL] / h
    mb = S[COMPLEX_IMAGINARY] / h
    modulus = ma * ma + mb * mb
    for iteration in range(ITERATIONS):
        closest = 1.0
        for i in range(3):
            for c in range(size):
                stage[c] = y[c] + Z[i, c]
            angle = call_routine(E[engine.RATES], E, t + S[E[AT_TIMES] + i] * h, 0.0, stage, G[i], stage)
            if math.isnan(angle):
                return math.nan
            closest = min(closest, angle)
        S[engine.AT_END] = angle
        for c in range(size):
            f0 = G[0, c]
            f1 = G[1, c]
            f2 = G[2, c]
            # right-hand sides divided by the eigenvalues, as the factors are those of 1 - f'/eigenvalue
            G[0, c] = (TI[0, 0] * f0 + TI[0, 1] * f1 + TI[0, 2] * f2) / mr - W[0, c]
            re = TI[1, 0] * f0 + TI[1, 1] * f1 + TI[1, 2] * f2
            im = TI[2, 0] * f0 + TI[2, 1] * f1 + TI[2, 2] * f2
            G[1, c] = (re * ma + im * mb) / modulus - W[1, c]
            G[2, c] = (im * ma - re * mb) / modulus - W[2, c]
        call_routine(E[engine.SOLVE], E, t, 0.0, G[0], G[0], G[0])
        call_routine(E[engine.SOLVE], E, t, 1.0, G[1], G[2], G[1])
        for c in range(size):
            for i in range(3):
                W[i, c] += G[i, c]
            for i in range(3):
                Z[i, c] = T[i, 0] * W[0, c] + T[i, 1] * W[1, c] + T[i, 2] * W[2, c]
        norm = 0.0
        for i in range(3):
            for c in range(size):
                stage[c] = T[i, 0] * G[0, c] + T[i, 1] * G[1, c] + T[i, 2] * G[2, c]
            norm = max(norm, call_routine(E[engine.NORM], E, t, 0.0, y, y, stage))
        done = settled(S, iteration, norm, before)
        if done > 0:
            return closest
        if done < 0:
            return math.nan
        before = norm
    return math.nan


@kernel()
def guess(E, S, h, y, Z):
    """Increments of the stages from the polynomial of the last step, continued; zero without one."""
    size = y.size
    for i in range(3):
        if S[ACCEPTED] == 0.0:
            for c in range(size):
                Z[i, c] = 0.0
        else:
            theta = 1.0 + S[E[AT_TIMES] + i] * h / S[PREVIOUS]
            for c in range(size):
                Z[i, c] = 0.0
            # cubic through begin and end of the last step and the rates there
            a = theta * theta * (3.0 - 2.0 * theta)
            b = theta * (1.0 - theta) * (1.0 - theta)
            d = -theta * theta * (1.0 - theta)
            for c in range(size):
                old = S[E[AT_BEFORE] + c]
                at = old + a * (y[c] - old) + S[PREVIOUS] * (b * S[E[AT_BEFORE] + size + c] + d * S[E[AT_BEGIN] + c])
                Z[i, c] = at - y[c]


@routine(seconds=5.0)
def radau_attempt(E, t, h, y_at, y1_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    y1 = vector(y1_at, size)
    T = table_in(S, E[AT_T], 3, 3)
    TI = table_in(S, E[AT_TI], 3, 3)
    Z = table_in(S, E[AT_Z], 3, size)
    W = table_in(S, E[AT_W], 3, size)
    G = table_in(S, E[AT_F], 3, size)
    begin = S[E[AT_BEGIN] : E[AT_BEGIN] + size]
    stage = S[E[AT_F] + 3 * size : E[AT_F] + 4 * size]
    S[LENGTH] = h
    for c in range(size):
        S[E[AT_Y0] + c] = y[c]
    closest = math.nan
    for _ in range(3):
        guess(E, S, h, y, Z)
        # linearised inside the step: stiff parts may turn with the machine
        for c in range(size):
            stage[c] = y[c] + Z[1, c]
        if S[ACCEPTED] == 0.0 or not factors_ready(E, S, t + S[E[AT_TIMES] + 1] * h, h, stage, begin):
            if not factors_ready(E, S, t, h, y, begin):
                return math.nan
        for c in range(size):
            for i in range(3):
                W[i, c] = TI[i, 0] * Z[0, c] + TI[i, 1] * Z[1, c] + TI[i, 2] * Z[2, c]
        closest = solve_increments(E, S, t, h, y, Z, W, G, T, TI, stage)
        if not math.isnan(closest) or not worth_another_try(S):
            break
    if math.isnan(closest):
        return NOT_CONVERGED
    S[engine.CLOSEST] = closest
    weights = S[E[AT_ERROR] : E[AT_ERROR] + 3]
    for c in range(size):
        y1[c] = y[c] + Z[2, c]
        S[E[AT_Y1] + c] = y1[c]
        W[0, c] = (weights[0] * Z[0, c] + weights[1] * Z[1, c] + weights[2] * Z[2, c]) / S[REAL]
        stage[c] = h / S[REAL] * begin[c] + W[0, c]
    call_routine(E[engine.SOLVE], E, t, 0.0, stage, stage, stage)
    norm = call_routine(E[engine.NORM], E, t + h, h, y, y1, stage)
    if norm > 1.0:
        # filtered once more where the start of the step is stiff, which an estimate from its rates overrates
        for c in range(size):
            stage[c] += y[c]
        if not math.isnan(call_routine(E[engine.RATES], E, t, 0.0, stage, G[0], stage)):
            for c in range(size):
                stage[c] = h / S[REAL] * G[0, c] + W[0, c]
            call_routine(E[engine.SOLVE], E, t, 0.0, stage, stage, stage)
            norm = min(norm, call_routine(E[engine.NORM], E, t + h, h, y, y1, stage))
    return norm


@routine()
def radau_dense(E, t, h, y, y1, unused):
    """Rates at the end, for the interpolant."""
    S = floats_at(E[engine.NUMBERS])
    return call_routine(E[engine.RATES], E, t + h, 0.0, S[E[AT_Y1] :], S[E[AT_F] :], y)


@routine()
def radau_between(E, t, theta, y_at, out_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    between(
        theta, S[LENGTH], vector(y_at, size), S[E[AT_BEGIN] : E[AT_BEGIN] + size], S[E[AT_Y1] : E[AT_Y1] + size],
        S[E[AT_F] : E[AT_F] + size], S[PREVIOUS], S[E[AT_BEFORE] : E[AT_BEFORE] + size],
        S[E[AT_BEFORE] + size : E[AT_BEFORE] + 2 * size], vector(out_at, size),
    )  # fmt: skip
    return 0.0


@routine()
def radau_place(E, t, number, y, out, unused):
    return 0.0
