"""Diagonally implicit Runge–Kutta methods with an explicit first stage and the last stage as solution (ESDIRK).

Each stage is solved by simplified Newton iteration; the matrix is kept over stages and steps as long as the iteration converges
well. Where it does not, the next stage gets one of its own: stiff parts that turn with a machine change all the time.
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
    forget_matrix,
    made_ready,
    settled,
    worth_another_try,
)

# the method's integers
STAGES, AT_TABLEAU, AT_TIMES, AT_ERROR, AT_K, AT_Y0, AT_Y1, AT_BEFORE, AT_SCRATCH = range(OWN, OWN + 9)
FIRST_FREE = N_METHOD + N_NEWTON
ITERATIONS = 8
NOT_CONVERGED = 16.0  # error norm of a step whose stages cannot be solved for: it is tried shorter


@kernel(spread=True)
def part(S, at, size):
    return S[at : at + size]


@routine()
def dirk_start(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    forget_matrix(S)
    S[PREVIOUS] = 0.0
    return call_routine(E[engine.RATES], E, t, 0.0, y, S[E[AT_K] :], y)


@routine()
def dirk_accept(E, t, h, y, unused, unused_too):
    """Remember where the step began for the interpolant, and evaluate at its end."""
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    for c in range(size):
        S[E[AT_BEFORE] + c] = S[E[AT_Y0] + c]
        S[E[AT_BEFORE] + size + c] = S[E[AT_K] + c]
    S[PREVIOUS] = S[LENGTH]
    return call_routine(E[engine.RATES], E, t, 0.0, y, S[E[AT_K] :], y)


@kernel()
def solve_stage(E, S, t, a, base, k, stage, step, y):
    """Newton iteration for the rates k at a stage, k = f(base + a k). Returns the singularity measure there, or NaN."""
    before = 0.0
    for iteration in range(ITERATIONS):
        for c in range(base.size):
            stage[c] = base[c] + a * k[c]
        angle = call_routine(E[engine.RATES], E, t, 0.0, stage, step, step)
        if math.isnan(angle):
            S[engine.UNSOLVED] = 1.0 if iteration > 0 else 0.0
            return math.nan
        for c in range(base.size):
            step[c] -= k[c]
        call_routine(E[engine.SOLVE], E, t, 0.0, step, step, step)
        share = 2.0 / (1.0 + a / S[FACTORED])  # the factors may belong to a somewhat different step
        for c in range(base.size):
            step[c] *= share
            k[c] += step[c]
            step[c] *= a
        norm = call_routine(E[engine.NORM], E, t, 0.0, y, stage, step)
        done = settled(S, iteration, norm, before)
        if done > 0:
            S[engine.UNSOLVED] = 0.0
            return angle
        if done < 0:
            break
        before = norm
    S[engine.UNSOLVED] = 1.0
    return math.nan


@kernel()
def all_stages(E, S, t, h, y):
    """Rates at all stages; returns the smallest singularity measure met, or NaN."""
    size = E[engine.SIZE]
    stages = E[STAGES]
    tableau = table_in(S, E[AT_TABLEAU], stages, stages)
    K = table_in(S, E[AT_K], stages, size)
    base = part(S, E[AT_SCRATCH], size)
    stage = part(S, E[AT_SCRATCH] + size, size)
    step = part(S, E[AT_SCRATCH] + 2 * size, size)
    closest = 1.0
    for i in range(1, stages):
        for c in range(size):
            base[c] = y[c]
        for j in range(i):
            w = h * tableau[i, j]
            if w != 0.0:
                for c in range(size):
                    base[c] += w * K[j, c]
        a = h * tableau[i, i]
        at = t + S[E[AT_TIMES] + i] * h
        angle = math.nan
        for _ in range(3):
            for c in range(size):
                K[i, c] = K[i - 1, c]
                stage[c] = base[c] + a * K[i, c]
            if not made_ready(E, S, at, a, stage, K[i]):
                return math.nan
            angle = solve_stage(E, S, at, a, base, K[i], stage, step, y)
            if not math.isnan(angle) or not worth_another_try(S):
                break
        if math.isnan(angle):
            return math.nan
        closest = min(closest, angle)
        S[engine.AT_END] = angle
    # the last stage is the solution
    a = h * tableau[stages - 1, stages - 1]
    for c in range(size):
        S[E[AT_Y1] + c] = base[c] + a * K[stages - 1, c]
    return closest


@routine(seconds=4.0)
def dirk_attempt(E, t, h, y_at, y1_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    stages = E[STAGES]
    y = vector(y_at, size)
    y1 = vector(y1_at, size)
    K = table_in(S, E[AT_K], stages, size)
    S[LENGTH] = h
    for c in range(size):
        S[E[AT_Y0] + c] = y[c]
    closest = all_stages(E, S, t, h, y)
    if math.isnan(closest):
        return NOT_CONVERGED
    S[engine.CLOSEST] = closest
    error = part(S, E[AT_SCRATCH], size)
    for c in range(size):
        y1[c] = S[E[AT_Y1] + c]
        error[c] = 0.0
        for j in range(stages):
            error[c] += h * S[E[AT_ERROR] + j] * K[j, c]
    # what is stiff is damped in the solution, but not in the difference of two: the matrix filters it
    call_routine(E[engine.SOLVE], E, t, 0.0, error, error, error)
    return call_routine(E[engine.NORM], E, t + h, h, y, y1, error)


@routine()
def dirk_dense(E, t, h, y, unused, unused_too):
    return 0.0


@routine()
def dirk_between(E, t, theta, y_at, out_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    between(
        theta, S[LENGTH], vector(y_at, size), part(S, E[AT_K], size), part(S, E[AT_Y1], size),
        part(S, E[AT_K] + (E[STAGES] - 1) * size, size), S[PREVIOUS], part(S, E[AT_BEFORE], size),
        part(S, E[AT_BEFORE] + size, size), vector(out_at, size),
    )  # fmt: skip
    return 0.0


@routine()
def dirk_place(E, t, number, y, out, unused):
    return 0.0
