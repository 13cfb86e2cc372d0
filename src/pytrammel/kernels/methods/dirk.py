"""Diagonally implicit Runge–Kutta methods with an explicit first stage and the last stage as solution (ESDIRK).

Each stage is solved by simplified Newton iteration; the matrix is kept over stages and steps as long as the iteration converges
well. Where it does not, the next stage gets one of its own: stiff parts that turn with a machine change all the time.

Between its ends a step is a polynomial through states at its stages, not through rates, which stiff parts make wrong by far more than
the states. What it misses of the state where the step before began shows one term of its error, which is taken off.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.engine import N_METHOD, OWN
from pytrammel.kernels.jit import call_routine, floats_at, kernel, routine, table_in, vector
from pytrammel.kernels.methods.runge_kutta import interpolate
from pytrammel.kernels.newton import (
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
(
    STAGES, TERMS, AT_TABLEAU, AT_TIMES, AT_ERROR, AT_DENSE, AT_MISSED, AT_K, AT_Y0, AT_Y1, AT_BEFORE, AT_SCRATCH,
) = range(OWN, OWN + 12)  # fmt: skip
# numbers of its own: one over the missed term where the step before began, 0 without one; the error of the last attempt
SHARE, ERROR, FIRST_FREE = range(N_METHOD + N_NEWTON, N_METHOD + N_NEWTON + 3)
ITERATIONS = 8
NOT_CONVERGED = 16.0  # error norm of a step whose stages cannot be solved for: it is tried shorter
BULGE = 0.09  # of a polynomial that vanishes where steps begin and end and in the middle of one, within that one
FIRST = 12.0  # times the error of a step: that of its polynomial where there is nothing to look back to
POWERS = 0.02  # share of the allowed error of works that an iteration may leave
BEARABLE = 3.0  # allowed errors of the interpolant: less than steps add up to


@kernel(spread=True)
def part(S, at, size):
    return S[at : at + size]


@routine()
def dirk_start(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    forget_matrix(S)
    S[PREVIOUS] = 0.0
    return call_routine(E[engine.RATES], E, t, 0.0, y, S[E[AT_K] :], y)


@kernel()
def polynomial(S, at, terms, theta):
    """Value of a polynomial, from its coefficients beginning with the constant."""
    value = 0.0
    for d in range(terms - 1, -1, -1):
        value = value * theta + S[at + d]
    return value


@kernel()
def look_back(E, S, y):
    """What the polynomial of a step from y misses of the state where the step before began, left as the first scratch vector."""
    if S[PREVIOUS] == 0.0:
        S[SHARE] = 0.0
        return
    numbers = bare(S)
    size = E[engine.SIZE]
    back = -S[PREVIOUS] / S[LENGTH]
    slip = advanced(numbers, E[AT_SCRATCH])
    dense = advanced(numbers, E[AT_DENSE])
    interpolate(back, S[LENGTH], y, dense, E[TERMS], advanced(numbers, E[AT_K]), size, E[STAGES], slip)
    for c in range(size):
        slip[c] = numbers[E[AT_BEFORE] + c] - slip[c]
    S[SHARE] = 1.0 / polynomial(S, E[AT_MISSED], E[TERMS], back)


@kernel()
def inside(E, S, theta, y, out):
    """State at the fraction theta of a step from y."""
    numbers = bare(S)
    size = E[engine.SIZE]
    dense = advanced(numbers, E[AT_DENSE])
    interpolate(theta, S[LENGTH], y, dense, E[TERMS], advanced(numbers, E[AT_K]), size, E[STAGES], out)
    if S[SHARE] != 0.0:
        slip = advanced(numbers, E[AT_SCRATCH])
        w = S[SHARE] * polynomial(S, E[AT_MISSED], E[TERMS], theta)
        for c in range(size):
            out[c] += w * slip[c]


@routine()
def dirk_accept(E, t, h, y, unused, unused_too):
    """Remember beginning and middle of the step, and evaluate at its end."""
    S = floats_at(E[engine.NUMBERS])
    numbers = bare(S)
    size = E[engine.SIZE]
    begin = advanced(numbers, E[AT_Y0])
    before = advanced(numbers, E[AT_BEFORE])
    look_back(E, S, begin)
    inside(E, S, 0.5, begin, advanced(before, size))
    for c in range(size):
        before[c] = begin[c]
    S[PREVIOUS] = S[LENGTH]
    return call_routine(E[engine.RATES], E, t, 0.0, y, advanced(numbers, E[AT_K]), y)


@kernel()
def powers_at_solution(E, S, t, a, base, k, stage, step, angle, faster):
    """Put the powers at a solved stage into its rates k, which hold the powers of the last iterate; returns `angle`, or NaN.

    `step` holds a times what the last iteration changed them by; the next would change them by the share `faster` of it.
    """
    missed = 0.0
    for c in range(E[engine.N_ACTIVE], base.size):
        missed = max(missed, abs(step[c]))
    if missed * faster <= POWERS * floats_at(E[engine.WORKSPACE])[engine.RTOL] * S[engine.WORKS_DONE]:
        return angle
    for c in range(base.size):
        stage[c] = base[c] + a * k[c]
    if math.isnan(call_routine(E[engine.RATES], E, t, 0.0, stage, step, step)):
        return math.nan
    for c in range(E[engine.N_ACTIVE], base.size):
        k[c] = step[c]
    return angle


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
            if c < E[engine.N_ACTIVE]:  # works follow as they are
                step[c] *= share
            k[c] += step[c]
            step[c] *= a
        norm = call_routine(E[engine.NORM], E, t, 0.0, y, stage, step)
        done = settled(S, iteration, norm, before)
        if done > 0:
            S[engine.UNSOLVED] = 0.0
            return powers_at_solution(E, S, t, a, base, k, stage, step, angle, norm / before if before > 0.0 else 1.0)
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
    engine.note_works(E, S, error)
    call_routine(E[engine.SOLVE], E, t, 0.0, error, error, error)
    S[ERROR] = call_routine(E[engine.NORM], E, t + h, h, y, y1, error)
    return S[ERROR]


@routine()
def dirk_dense(E, t, h, y, y1, unused):
    """Error of the interpolant: what it misses of the middle of the step before."""
    S = floats_at(E[engine.NUMBERS])
    numbers = bare(S)
    size = E[engine.SIZE]
    look_back(E, S, y)
    if S[PREVIOUS] == 0.0:
        return FIRST / BEARABLE * S[ERROR]
    missed = advanced(numbers, E[AT_SCRATCH] + size)
    half = 0.5 * S[PREVIOUS] / S[LENGTH]
    inside(E, S, -half, y, missed)
    share = BULGE / BEARABLE / (half * half * (1.0 + half) * (0.5 + half))
    for c in range(size):
        missed[c] = share * (numbers[E[AT_BEFORE] + size + c] - missed[c])
    return call_routine(E[engine.NORM], E, t + h, h, y, y1, missed)


@routine()
def dirk_between(E, t, theta, y, out, unused):
    S = floats_at(E[engine.NUMBERS])
    inside(E, S, theta, y, out)
    return 0.0


@routine()
def dirk_place(E, t, number, y, out, unused):
    return 0.0
