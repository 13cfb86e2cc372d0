"""One explicit Runge–Kutta step for any tableau, its error and its interpolant."""

from __future__ import annotations

import math

from trammel.kernels import engine
from trammel.kernels.engine import N_METHOD, OWN
from trammel.kernels.jit import call_routine, floats_at, kernel, routine, table_in, vector

# the method's integers
STAGES, EXTRAS, DEGREE, AT_TABLEAU, AT_WEIGHTS, AT_EXTRA, AT_TIMES, AT_DENSE, AT_K, AT_STAGE = range(OWN, OWN + 10)
# rows of the table of weights: of the solution, of the instants, of two error estimates
B_ROW, C_ROW, E5_ROW, E3_ROW, N_WEIGHTS = range(5)
# the method's own numbers: length of the last attempt, steps in a row that were far from unstable
LENGTH, EASY, FIRST_FREE = range(N_METHOD, N_METHOD + 3)
AT_EASE = 6  # such steps, after which what was stiff is forgotten
FADES = 1.0  # product of step and rate of decay: a motion that fades within a step leaves no trace, but still holds the step short


@kernel()
def combine(y, h, weights, K, count, out):
    """out = y + h sum of weights times stages."""
    for c in range(y.size):
        out[c] = y[c]
    for j in range(count):
        w = h * weights[j]
        if w != 0.0:
            for c in range(y.size):
                out[c] += w * K[j, c]


@kernel()
def estimate(weights, K, c):
    """Error of one entry per unit of step length; two estimates (order 5 and 3) are combined as in Hairer's code."""
    e5 = 0.0
    e3 = 0.0
    for j in range(weights.shape[1]):
        e5 += weights[E5_ROW, j] * K[j, c]
        e3 += weights[E3_ROW, j] * K[j, c]
    squares = e5 * e5 + 0.01 * e3 * e3
    if e3 != 0.0 and squares > 0.0:  # squares of tiny numbers vanish
        e5 = e5 * abs(e5) / math.sqrt(squares)
    return e5


@kernel()
def note_stiffness(S, h, y1, f1, stage, f_stage, active):
    """Count steps that are held short by what is stiff: two states at their end and the rates there tell the fastest rate."""
    apart = 0.0
    change = 0.0
    decay = 0.0
    size = 0.0
    for c in range(active):
        apart += (y1[c] - stage[c]) ** 2
        change += (f1[c] - f_stage[c]) ** 2
        decay -= (f1[c] - f_stage[c]) * (y1[c] - stage[c])
        size += y1[c] ** 2
    if not apart > 1e-28 * size:
        return
    if h * h * change > S[engine.STABLE] ** 2 * apart or h * decay > FADES * apart:
        S[engine.STIFF_STEPS] += 1.0
        S[EASY] = 0.0
    else:
        S[EASY] += 1.0
        if S[EASY] >= AT_EASE:
            S[engine.STIFF_STEPS] = 0.0


@kernel(spread=True)
def derivatives(E, S):
    """Derivatives at the stages, one row each."""
    return table_in(S, E[AT_K], E[STAGES] + 1 + E[EXTRAS], E[engine.SIZE])


@routine()
def runge_kutta_start(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    return call_routine(E[engine.RATES], E, t, 0.0, y, S[E[AT_K] :], y)


@routine()
def runge_kutta_accept(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    return call_routine(E[engine.RATES], E, t, 0.0, y, S[E[AT_K] :], y)


@routine()
def runge_kutta_attempt(E, t, h, y_at, y1_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    stages = E[STAGES]
    y = vector(y_at, size)
    y1 = vector(y1_at, size)
    K = derivatives(E, S)
    tableau = table_in(S, E[AT_TABLEAU], stages, stages)
    weights = table_in(S, E[AT_WEIGHTS], N_WEIGHTS, stages + 1)
    stage = S[E[AT_STAGE] : E[AT_STAGE] + size]
    S[LENGTH] = h
    closest = 1.0
    for i in range(1, stages):
        combine(y, h, tableau[i], K, i, stage)
        angle = call_routine(E[engine.RATES], E, t + weights[C_ROW, i] * h, 0.0, stage, K[i], stage)
        if math.isnan(angle):
            return math.nan
        closest = min(closest, angle)
    combine(y, h, weights[B_ROW], K, stages, y1)
    angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, K[stages], y1)
    if math.isnan(angle):
        return math.nan
    S[engine.CLOSEST] = min(closest, angle)
    S[engine.AT_END] = angle
    if S[engine.FIXED] != 0.0:
        return 0.0
    if S[engine.STABLE] > 0.0:
        note_stiffness(S, h, y1, K[stages], stage, K[stages - 1], E[engine.N_ACTIVE])
    for c in range(size):
        stage[c] = h * estimate(weights, K, c)
    return call_routine(E[engine.NORM], E, t + h, h, y, y1, stage)


@routine()
def runge_kutta_dense(E, t, h, y_at, unused, unused_too):
    """Stages that only the interpolant needs."""
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    first = E[STAGES] + 1
    y = vector(y_at, size)
    K = derivatives(E, S)
    tableau = table_in(S, E[AT_EXTRA], E[EXTRAS], first + E[EXTRAS])
    times = S[E[AT_TIMES] : E[AT_TIMES] + E[EXTRAS]]
    stage = S[E[AT_STAGE] : E[AT_STAGE] + size]
    for i in range(E[EXTRAS]):
        combine(y, h, tableau[i], K, first + i, stage)
        call_routine(E[engine.RATES], E, t + times[i] * h, 0.0, stage, K[first + i], stage)
    return 0.0


@routine()
def runge_kutta_between(E, t, theta, y_at, out_at, unused):
    """Method's interpolant at the fraction theta of a step: y + h sum_i k_i b_i(theta)."""
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    rows = E[STAGES] + 1 + E[EXTRAS]
    y = vector(y_at, size)
    out = vector(out_at, size)
    K = derivatives(E, S)
    dense = table_in(S, E[AT_DENSE], rows, E[DEGREE])
    for c in range(size):
        out[c] = y[c]
    for i in range(rows):
        weight = 0.0
        for d in range(E[DEGREE] - 1, -1, -1):
            weight = (weight + dense[i, d]) * theta
        weight *= S[LENGTH]
        if weight != 0.0:
            for c in range(size):
                out[c] += weight * K[i, c]
    return 0.0


@routine()
def runge_kutta_place(E, t, number, y_at, out_at, unused):
    """State at which a stage of the interpolant stood."""
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    i = int(number)
    first = E[STAGES] + 1
    tableau = table_in(S, E[AT_EXTRA], E[EXTRAS], first + E[EXTRAS])
    combine(vector(y_at, size), S[LENGTH], tableau[i], derivatives(E, S), first + i, vector(out_at, size))
    return S[E[AT_TIMES] + i]
