"""The three-stage Radau IIA method: order 5, L-stable, stiffly accurate; the solution inside a step is its collocation polynomial.

The increments of the stages, Z, are solved for in the coordinates in which the inverse of the tableau is diagonal but for a pair
of complex numbers: one real and one complex system per iteration (Hairer and Wanner).
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.engine import N_METHOD, OWN
from pytrammel.kernels.jit import call_routine, floats_at, kernel, routine, table_in, vector
from pytrammel.kernels.newton import (
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
AT_T, AT_TI, AT_TIMES, AT_ERROR, AT_BEGIN, AT_BEFORE, AT_Z, AT_W, AT_F = range(OWN, OWN + 9)
# numbers of its own: eigenvalues of the inverse tableau; whether the last attempt was good; its error
REAL, COMPLEX_REAL, COMPLEX_IMAGINARY, ACCEPTED, ERROR, FIRST_FREE = range(N_METHOD + N_NEWTON, N_METHOD + N_NEWTON + 6)
ITERATIONS = 10
NOT_CONVERGED = 16.0
LARGEST_BULGE = 0.0185  # of the polynomial that vanishes at the beginning and at the stages, inside the step


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
    for c in range(3 * E[engine.SIZE]):
        S[E[AT_BEFORE] + c] = S[E[AT_Z] + c]
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
                S[engine.UNSOLVED] = 1.0 if iteration > 0 else 0.0
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
            S[engine.UNSOLVED] = 0.0
            return closest
        if done < 0:
            break
        before = norm
    S[engine.UNSOLVED] = 1.0
    return math.nan


@kernel()
def collocation_weights(S, at_times, theta):
    """Weights of the three increments in the polynomial through them and the beginning of the step, at a fraction of it."""
    c0 = S[at_times]
    c1 = S[at_times + 1]
    c2 = S[at_times + 2]
    return (
        theta * (theta - c1) * (theta - c2) / (c0 * (c0 - c1) * (c0 - c2)),
        theta * (theta - c0) * (theta - c2) / (c1 * (c1 - c0) * (c1 - c2)),
        theta * (theta - c0) * (theta - c1) / (c2 * (c2 - c0) * (c2 - c1)),
    )


@kernel()
def guess(E, S, h, y, Z):
    """Increments of the stages from the polynomial of the last step, continued; zero without one."""
    size = y.size
    last = table_in(S, E[AT_BEFORE], 3, size)
    for i in range(3):
        if S[ACCEPTED] == 0.0:
            for c in range(size):
                Z[i, c] = 0.0
        else:
            a, b, d = collocation_weights(S, E[AT_TIMES], 1.0 + S[E[AT_TIMES] + i] * h / S[PREVIOUS])
            for c in range(size):
                Z[i, c] = a * last[0, c] + b * last[1, c] + (d - 1.0) * last[2, c]


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
        W[0, c] = (weights[0] * Z[0, c] + weights[1] * Z[1, c] + weights[2] * Z[2, c]) / S[REAL]
        stage[c] = h / S[REAL] * begin[c] + W[0, c]
    engine.note_works(E, S, stage)
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
    S[ERROR] = norm
    return norm


@routine()
def radau_dense(E, t, h, y_at, y1_at, unused):
    """Error of the interpolant: what it misses of the middle stage of the step before. It may be far above that of the step."""
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    if S[ACCEPTED] == 0.0:
        return S[ERROR]  # of a fourth derivative both leave about a thousandth
    Z = table_in(S, E[AT_Z], 3, size)
    last = table_in(S, E[AT_BEFORE], 3, size)
    missed = S[E[AT_F] : E[AT_F] + size]
    c0 = S[E[AT_TIMES]]
    c1 = S[E[AT_TIMES] + 1]
    theta = (c1 - 1.0) * S[PREVIOUS] / h
    a, b, d = collocation_weights(S, E[AT_TIMES], theta)
    share = LARGEST_BULGE / (theta * (theta - c0) * (theta - c1) * (theta - 1.0))
    for c in range(size):
        missed[c] = share * (last[1, c] - last[2, c] - a * Z[0, c] - b * Z[1, c] - d * Z[2, c])
    return call_routine(E[engine.NORM], E, t + h, h, y_at, y1_at, missed)


@routine()
def radau_between(E, t, theta, y_at, out_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    out = vector(out_at, size)
    Z = table_in(S, E[AT_Z], 3, size)
    a, b, d = collocation_weights(S, E[AT_TIMES], theta)
    for c in range(size):
        out[c] = y[c] + a * Z[0, c] + b * Z[1, c] + d * Z[2, c]
    return 0.0


@routine()
def radau_place(E, t, number, y, out, unused):
    return 0.0
