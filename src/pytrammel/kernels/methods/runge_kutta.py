"""One explicit Runge–Kutta step for any tableau, its error and its interpolant."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.engine import N_METHOD, OWN
from pytrammel.kernels.jit import call_routine, floats_at, kernel, routine

# the method's integers
STAGES, EXTRAS, TERMS, AT_TABLEAU, AT_WEIGHTS, AT_EXTRA, AT_TIMES, AT_DENSE, AT_K, AT_STAGE = range(OWN, OWN + 10)
# rows of the table of weights: of the solution, of the instants, of two error estimates
B_ROW, C_ROW, E5_ROW, E3_ROW, N_WEIGHTS = range(5)
# the method's own numbers: length of the last attempt, steps in a row that were far from unstable, the fraction of the step that the
# interpolant's polynomials are about, and whether the rates at the end of the last attempt are known
LENGTH, EASY, CENTRE, END_KNOWN, FIRST_FREE = range(N_METHOD, N_METHOD + 5)
AT_EASE = 6  # such steps, after which what was stiff is forgotten
FADES = 1.0  # product of step and rate of decay: a motion that fades within a step leaves no trace, but still holds the step short


@kernel()
def add_stages(h, weights, K, size, count, out):
    """Add h sum of weights times stages, which lie one behind the other; two at a time, so that `out` is passed over half as often."""
    held = -1
    first = 0.0
    for j in range(count):
        w = h * weights[j]
        if w == 0.0:
            continue
        if held < 0:
            held = j * size
            first = w
            continue
        row = j * size
        for c in range(size):
            out[c] += first * K[held + c] + w * K[row + c]
        held = -1
    if held >= 0:
        for c in range(size):
            out[c] += first * K[held + c]


@kernel()
def combine(y, h, weights, K, size, count, out):
    """out = y + h sum of weights times stages."""
    for c in range(size):
        out[c] = y[c]
    add_stages(h, weights, K, size, count, out)


@kernel()
def explicit_step(E, t, h, y, stages, tableau, weights, K, stage, y1):
    """All stages after the first, whose rates are known, and the state at the end. Returns the smallest singularity measure, or NaN.

    The measure of the last stage is left as that of the end.
    """
    size = E[engine.SIZE]
    S = floats_at(E[engine.NUMBERS])
    closest = 1.0
    for i in range(1, stages):
        combine(y, h, advanced(tableau, i * stages), K, size, i, stage)
        at = t + weights[C_ROW * (stages + 1) + i] * h
        angle = call_routine(E[engine.RATES], E, at, 0.0, stage, advanced(K, i * size), stage)
        if math.isnan(angle):
            return math.nan
        closest = min(closest, angle)
        S[engine.AT_END] = angle
    combine(y, h, advanced(weights, B_ROW * (stages + 1)), K, size, stages, y1)
    return closest


LARGEST = 1e300  # squares up to which two estimates of an error are combined; above, the larger one remains


@kernel()
def estimate(h, e5, e3, K, size, count, out, second):
    """Error of a step; two estimates (order 5 and 3) are combined as in Hairer's code."""
    for c in range(size):
        out[c] = 0.0
        second[c] = 0.0
    add_stages(h, e5, K, size, count, out)
    add_stages(h, e3, K, size, count, second)
    for c in range(size):
        if second[c] != 0.0:
            squares = out[c] * out[c] + 0.01 * second[c] * second[c]
            if squares > 0.0 and squares < LARGEST:  # squares of tiny numbers vanish, those of huge ones are infinite
                out[c] *= abs(out[c]) / math.sqrt(squares)


@kernel()
def interpolate(x, h, y, dense, terms, K, size, count, out):
    """out = y + h sum of stages times polynomials of x, whose coefficients, from the constant on, lie one row behind the other."""
    for c in range(size):
        out[c] = y[c]
    for i in range(count):
        weight = 0.0
        for d in range(terms - 1, -1, -1):
            weight = weight * x + dense[i * terms + d]
        weight *= h
        if weight != 0.0:
            for c in range(size):
                out[c] += weight * K[i * size + c]


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


@routine()
def runge_kutta_start(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    return call_routine(E[engine.RATES], E, t, 0.0, y, S[E[AT_K] :], y)


@routine()
def runge_kutta_accept(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    K = advanced(bare(S), E[AT_K])
    angle = call_routine(E[engine.RATES], E, t, 0.0, y, K, y)
    if S[engine.STABLE] > 0.0 and S[engine.FIXED] == 0.0:
        last = advanced(K, (E[STAGES] - 1) * E[engine.SIZE])
        note_stiffness(S, S[LENGTH], y, K, advanced(bare(S), E[AT_STAGE]), last, E[engine.N_ACTIVE])
    return angle


@kernel()
def end_can_wait(weights, stages):
    """Whether only the interpolant needs the rates at the end, and the last stage tells how close to singular it is there."""
    width = stages + 1
    used = weights[E5_ROW * width + stages] != 0.0 or weights[E3_ROW * width + stages] != 0.0
    return weights[C_ROW * width + stages - 1] == 1.0 and not used


@routine()
def runge_kutta_attempt(E, t, h, y, y1, unused):
    S = floats_at(E[engine.NUMBERS])
    numbers = bare(S)
    size = E[engine.SIZE]
    stages = E[STAGES]
    K = advanced(numbers, E[AT_K])
    tableau = advanced(numbers, E[AT_TABLEAU])
    weights = advanced(numbers, E[AT_WEIGHTS])
    width = stages + 1
    stage = advanced(numbers, E[AT_STAGE])
    S[LENGTH] = h
    closest = explicit_step(E, t, h, y, stages, tableau, weights, K, stage, y1)
    if math.isnan(closest):
        return math.nan
    S[END_KNOWN] = 0.0
    if not end_can_wait(weights, stages):
        angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, advanced(K, stages * size), y1)
        if math.isnan(angle):
            return math.nan
        S[END_KNOWN] = 1.0
        S[engine.AT_END] = angle
    S[engine.CLOSEST] = min(closest, S[engine.AT_END])
    if S[engine.FIXED] != 0.0:
        return 0.0
    error = advanced(stage, size)  # the last stage is looked at again when the step is accepted
    e5 = advanced(weights, E5_ROW * width)
    e3 = advanced(weights, E3_ROW * width)
    estimate(h, e5, e3, K, size, width, error, advanced(error, size))
    engine.note_works(E, S, error)
    return call_routine(E[engine.NORM], E, t + h, h, y, y1, error)


@routine()
def runge_kutta_dense(E, t, h, y, y1, unused):
    """Rates that only the interpolant needs."""
    numbers = bare(floats_at(E[engine.NUMBERS]))
    size = E[engine.SIZE]
    first = E[STAGES] + 1
    K = advanced(numbers, E[AT_K])
    tableau = advanced(numbers, E[AT_EXTRA])
    width = first + E[EXTRAS]
    stage = advanced(numbers, E[AT_STAGE] + E[engine.SIZE])
    if numbers[END_KNOWN] == 0.0:
        call_routine(E[engine.RATES], E, t + h, 0.0, y1, advanced(K, E[STAGES] * size), y1)
        numbers[END_KNOWN] = 1.0
    for i in range(E[EXTRAS]):
        combine(y, h, advanced(tableau, i * width), K, size, first + i, stage)
        at = t + numbers[E[AT_TIMES] + i] * h
        call_routine(E[engine.RATES], E, at, 0.0, stage, advanced(K, (first + i) * size), stage)
    return 0.0


@routine()
def runge_kutta_between(E, t, theta, y, out, unused):
    """Method's interpolant at the fraction theta of a step: y + h sum_i k_i b_i(theta)."""
    numbers = bare(floats_at(E[engine.NUMBERS]))
    rows = E[STAGES] + 1 + E[EXTRAS]
    dense = advanced(numbers, E[AT_DENSE])
    x = theta - numbers[CENTRE]
    interpolate(x, numbers[LENGTH], y, dense, E[TERMS], advanced(numbers, E[AT_K]), E[engine.SIZE], rows, out)
    return 0.0


@routine()
def runge_kutta_place(E, t, number, y, out, unused):
    """State at which a stage of the interpolant stood."""
    numbers = bare(floats_at(E[engine.NUMBERS]))
    i = int(number)
    first = E[STAGES] + 1
    tableau = advanced(numbers, E[AT_EXTRA] + i * (first + E[EXTRAS]))
    combine(y, numbers[LENGTH], tableau, advanced(numbers, E[AT_K]), E[engine.SIZE], first + i, out)
    return numbers[E[AT_TIMES] + i]
