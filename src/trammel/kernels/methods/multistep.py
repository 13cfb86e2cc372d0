"""Multistep methods: steps from rates (and states) at past instants, however these are spaced.

Adams methods integrate the polynomial through known rates, with weights computed for the instants at hand: a step that an event or a break
has shortened costs no accuracy. Methods with given coefficients need equal steps and begin anew where one was shortened. Before there is
enough history, and after a very short step, an explicit Runge–Kutta method or given states help out.
"""

from __future__ import annotations

import math

import numpy as np

from trammel.kernels import engine
from trammel.kernels.engine import N_METHOD, OWN
from trammel.kernels.jit import call_routine, floats_at, kernel, routine, table_in, vector
from trammel.kernels.methods.runge_kutta import B_ROW, C_ROW, N_WEIGHTS, combine
from trammel.kernels.newton import LENGTH, N_NEWTON

# the method's integers: what it is, past instants in predictor and corrector, most in the history; stages of the starter; given states
(
    KIND, PREDICT, CORRECT, MOST, STAGES, N_GIVEN, AT_TABLEAU, AT_STARTER, AT_K, AT_GIVEN, AT_TIMES, AT_NODES, AT_WEIGHTS, AT_F, AT_Y,
    AT_Y1, AT_SPARE, AT_A, AT_B, AT_GUESS,
) = range(OWN, OWN + 20)  # fmt: skip
# kinds: explicit; corrected once; corrected until it settles; of variable order. With states in the history: given coefficients; backward
# differences with fixed steps, with variable ones
EXPLICIT, CORRECTED, SETTLED, VARIABLE, GIVEN, BACKWARD, VARIABLE_BACKWARD = range(7)
# the method's numbers
(
    COUNT, WAY, FIRST, TAKEN, NEXT_GIVEN, GIVEN_STEP, STARTS, SAME_RATES, K, PHASE, TRIED, NORM, LOWER, LOWEST, HIGHER, FREE,
) = range(N_METHOD + N_NEWTON, N_METHOD + N_NEWTON + 16)  # fmt: skip
# ways in which the last attempt can be interpolated: by the integrated polynomial; by it with a correction; by the cubic through the ends
INTEGRAL, MENDED, CUBIC = 0, 1, 2

TOO_SHORT = 0.05  # of the step before: differences over it would lose digits, so that the history is forgotten
SAME = 1e-7  # relative difference of steps that count as equal: the clock rounds
ITERATIONS = 200
CLOSE = 1e-6  # of the tolerance, 1e-8 where steps are fixed: where an iterated corrector has settled
HIGHEST = 12  # order of the predictor with variable order
GAUSS_X = (np.polynomial.legendre.leggauss(7)[0] + 1.0) / 2.0  # exact up to degree 13
GAUSS_W = np.polynomial.legendre.leggauss(7)[1] / 2.0


@kernel()
def integral_weights(nodes, first, count, theta, out):
    """Weights of values at the nodes in the integral from 0 to theta of the polynomial through them."""
    for j in range(first, first + count):
        out[j] = 0.0
    if theta == 0.0:
        return
    for q in range(GAUSS_X.size):
        x = theta * GAUSS_X[q]
        whole = theta * GAUSS_W[q]
        for j in range(first, first + count):
            whole *= x - nodes[j]
        for j in range(first, first + count):
            out[j] += whole / (x - nodes[j])
    for j in range(first, first + count):
        product = 1.0
        for m in range(first, first + count):
            if m != j:
                product *= nodes[j] - nodes[m]
        out[j] /= product


@kernel()
def values_weights(nodes, first, count, x, out):
    """Weights of values at the nodes in the polynomial through them at another place."""
    for j in range(first, first + count):
        above = 1.0
        below = 1.0
        for m in range(first, first + count):
            if m != j:
                above *= x - nodes[m]
                below *= nodes[j] - nodes[m]
        out[j] = above / below


@kernel()
def error_weight(nodes, order):
    """Weight of what the rates at the new instant differ from their prediction by `order` past ones, in the error of that order."""
    total = 0.0
    product = 1.0
    for j in range(1, order + 1):
        product *= 1.0 - nodes[j]
    for q in range(GAUSS_X.size):
        x = GAUSS_X[q]
        term = GAUSS_W[q] * (x - 1.0)
        for j in range(1, order):
            term *= x - nodes[j]
        total += term
    return total / product


@kernel(spread=True)
def history(E, S):
    """Nodes, weights and rates: new instant first, then the present one and those before."""
    rows = E[MOST] + 1
    return (
        S[E[AT_NODES] : E[AT_NODES] + rows],
        S[E[AT_WEIGHTS] : E[AT_WEIGHTS] + rows],
        table_in(S, E[AT_F], rows, E[engine.SIZE]),
    )


@kernel()
def sum_of(y, h, weights, rates, first, count, out):
    """out = y + h sum of weights times rates."""
    for c in range(y.size):
        out[c] = y[c]
    for j in range(first, first + count):
        w = h * weights[j]
        for c in range(y.size):
            out[c] += w * rates[j, c]


@kernel()
def begin_history(E, S, t, y):
    """The history is the present state."""
    S[NEXT_GIVEN] = 0.0 if S[STARTS] == 0.0 else float(E[N_GIVEN])
    S[STARTS] += 1.0
    S[COUNT] = 1.0
    S[K] = 1.0
    S[PHASE] = 1.0
    S[TRIED] = 0.0
    S[engine.PROPOSED] = 0.0
    S[E[AT_TIMES]] = t
    if E[KIND] >= GIVEN:
        for c in range(y.size):
            S[E[AT_Y] + c] = y[c]


@kernel()
def put_state(E, S, t, y):
    """One state more in the history."""
    states = table_in(S, E[AT_Y], E[MOST], y.size)
    for j in range(min(int(S[COUNT]), E[MOST] - 1), 0, -1):
        S[E[AT_TIMES] + j] = S[E[AT_TIMES] + j - 1]
        for c in range(y.size):
            states[j, c] = states[j - 1, c]
    S[E[AT_TIMES]] = t
    for c in range(y.size):
        states[0, c] = y[c]


@routine()
def multistep_start(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    begin_history(E, S, t, vector(y, size))
    return call_routine(E[engine.RATES], E, t, 0.0, y, S[E[AT_F] + size :], y)


@kernel()
def starting_step(E, S, t, h, y, y1):
    """A step without history: to a given state, or by an explicit Runge–Kutta method. Returns the smallest singularity measure."""
    size = E[engine.SIZE]
    S[WAY] = CUBIC
    given = int(S[NEXT_GIVEN])
    if given < E[N_GIVEN]:
        if given == 0:
            S[GIVEN_STEP] = h
        if abs(h - S[GIVEN_STEP]) <= SAME * h:
            states = table_in(S, E[AT_GIVEN], E[N_GIVEN], size)
            for c in range(size):
                y1[c] = states[given, c]
            return 1.0
        S[NEXT_GIVEN] = float(E[N_GIVEN])  # the others belong to other instants
    stages = E[STAGES]
    tableau = table_in(S, E[AT_TABLEAU], stages, stages)
    weights = table_in(S, E[AT_STARTER], N_WEIGHTS, stages + 1)
    rates = table_in(S, E[AT_K], stages, size)
    stage = S[E[AT_SPARE] : E[AT_SPARE] + size]
    closest = 1.0
    for c in range(size):
        rates[0, c] = S[E[AT_F] + size + c]
    for i in range(1, stages):
        combine(y, h, tableau[i], rates, i, stage)
        angle = call_routine(E[engine.RATES], E, t + weights[C_ROW, i] * h, 0.0, stage, rates[i], stage)
        if math.isnan(angle):
            return math.nan
        closest = min(closest, angle)
    combine(y, h, weights[B_ROW], rates, stages, y1)
    return closest


@kernel()
def settle_corrector(E, S, t, h, y, y1, weight):
    """Repeat y1 = spare + h weight f(y1) until it settles. Returns the smallest singularity measure; not a number if it does not."""
    size = E[engine.SIZE]
    new = S[E[AT_F] : E[AT_F] + size]
    change = S[E[AT_K] : E[AT_K] + size]
    closest = 1.0
    before = math.inf
    for i in range(ITERATIONS):
        for c in range(size):
            value = S[E[AT_SPARE] + c] + h * weight * new[c]
            change[c] = value - y1[c]
            y1[c] = value
        size_of_change = call_routine(E[engine.NORM], E, t + h, h, y, y1, change)
        if not size_of_change < 1e30:
            break
        # at the end rounding decides: then the change no longer shrinks
        done = size_of_change <= CLOSE or (size_of_change >= before and size_of_change <= 1e4 * CLOSE)
        before = size_of_change
        angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, new, y1)
        if math.isnan(angle):
            break
        closest = min(closest, angle)
        if done:
            return closest
    S[engine.UNSOLVED] = 1.0
    return math.nan


@kernel()
def equally_spaced(E, S, h):
    """Whether the history has the spacing of the step, so that given coefficients hold."""
    if S[COUNT] < E[PREDICT]:
        return False
    return E[PREDICT] == 1 or abs(S[E[AT_TIMES]] - S[E[AT_TIMES] + 1] - h) <= SAME * h


@routine()
def multistep_attempt(E, t, h, y_at, y1_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    y1 = vector(y1_at, size)
    nodes, weights, rates = history(E, S)
    spare = S[E[AT_SPARE] : E[AT_SPARE] + size]
    kind = E[KIND]
    S[LENGTH] = h
    S[engine.UNSOLVED] = 0.0
    if kind == VARIABLE:
        return attempt_of_variable_order(E, S, t, h, y, y1)
    past = E[PREDICT]
    nodes[0] = 1.0
    for j in range(int(S[COUNT])):
        nodes[1 + j] = (S[E[AT_TIMES] + j] - t) / h
    S[SAME_RATES] = 1.0
    if S[COUNT] < past or (kind == GIVEN and not equally_spaced(E, S, h)) or S[NEXT_GIVEN] < E[N_GIVEN]:
        closest = starting_step(E, S, t, h, y, y1)
    else:
        closest = 1.0
        S[WAY] = INTEGRAL
        S[FIRST] = 1.0
        S[TAKEN] = float(past)
        integral_weights(nodes, 1, past, 1.0, weights)
        sum_of(y, h, weights, rates, 1, past, y1)
        if kind == GIVEN:
            given_step(E, S, h, y1)
    if math.isnan(closest):
        return math.nan
    angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, rates[0], y1)
    if math.isnan(angle):
        return math.nan
    closest = min(closest, angle)
    if S[WAY] != CUBIC:
        if kind == GIVEN and S[E[AT_B]] != 0.0:
            given_history(E, S, h, spare)
            closest = settle_corrector(E, S, t, h, y, y1, S[E[AT_B]])
        elif kind == CORRECTED or kind == SETTLED:
            S[FIRST] = 0.0
            S[TAKEN] = float(E[CORRECT] + 1)
            integral_weights(nodes, 0, E[CORRECT] + 1, 1.0, weights)
            sum_of(y, h, weights, rates, 1, E[CORRECT], spare)
            if kind == SETTLED:
                closest = settle_corrector(E, S, t, h, y, y1, weights[0])
            else:
                S[SAME_RATES] = 0.0
                for c in range(size):
                    y1[c] = spare[c] + h * weights[0] * rates[0, c]
        if math.isnan(closest):
            return math.nan
    for c in range(size):
        S[E[AT_Y1] + c] = y1[c]
    S[engine.CLOSEST] = closest
    S[engine.AT_END] = angle
    return 0.0


@kernel()
def given_history(E, S, h, out):
    """What given coefficients make of past states and rates."""
    size = E[engine.SIZE]
    for c in range(size):
        out[c] = 0.0
    for j in range(E[PREDICT]):
        a = S[E[AT_A] + j]
        b = h * S[E[AT_B] + 1 + j]
        for c in range(size):
            out[c] += a * S[E[AT_Y] + j * size + c] + b * S[E[AT_F] + (1 + j) * size + c]


@kernel()
def given_step(E, S, h, y1):
    """An explicit step with given coefficients; of an implicit method the prediction stays."""
    S[WAY] = MENDED
    S[FIRST] = 0.0
    S[TAKEN] = float(E[PREDICT] + 1)
    if S[E[AT_B]] == 0.0:
        given_history(E, S, h, y1)


@kernel()
def attempt_of_variable_order(E, S, t, h, y, y1):
    """Predict with order k, evaluate, correct with order k + 1 (Shampine and Gordon); errors that orders k - 2 … k + 1 would make."""
    size = E[engine.SIZE]
    nodes, weights, rates = history(E, S)
    spare = S[E[AT_SPARE] : E[AT_SPARE] + size]
    if S[TRIED] > 0.0 and not S[NORM] <= 1.0:  # the attempt before was refused
        S[PHASE] = 0.0
        if S[TRIED] >= 3.0:
            S[K] = 1.0
        elif S[K] > 1.0 and S[LOWER] <= S[NORM]:
            S[K] -= 1.0
    S[TRIED] += 1.0
    k = int(S[K])
    count = int(S[COUNT])
    S[engine.ORDER] = k + 1.0
    S[NORM] = math.inf
    S[LOWER] = math.inf
    S[LOWEST] = math.inf
    S[HIGHER] = math.inf
    S[WAY] = INTEGRAL
    S[FIRST] = 0.0
    S[TAKEN] = k + 1.0
    S[SAME_RATES] = 0.0
    nodes[0] = 1.0
    for j in range(count):
        nodes[1 + j] = (S[E[AT_TIMES] + j] - t) / h
    integral_weights(nodes, 1, k, 1.0, weights)
    sum_of(y, h, weights, rates, 1, k, y1)
    angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, rates[0], y1)
    if math.isnan(angle):
        return math.nan
    integral_weights(nodes, 0, k + 1, 1.0, weights)
    sum_of(y, h, weights, rates, 0, k + 1, y1)
    for order in range(max(1, k - 2), min(k + 1, count, HIGHEST) + 1):
        values_weights(nodes, 1, order, 1.0, weights)
        share = h * error_weight(nodes, order)
        for c in range(size):
            spare[c] = share * rates[0, c]
        for j in range(1, order + 1):
            w = share * weights[j]
            for c in range(size):
                spare[c] -= w * rates[j, c]
        norm = call_routine(E[engine.NORM], E, t + h, h, y, y1, spare)
        if order == k:
            S[NORM] = norm
        elif order == k - 1:
            S[LOWER] = norm
        elif order == k - 2:
            S[LOWEST] = norm
        else:
            S[HIGHER] = norm
    S[engine.CLOSEST] = angle
    S[engine.AT_END] = angle
    return S[NORM]


@kernel()
def choose_order(S, h):
    """Order and length of the next step after one that went well, as in the program STEP."""
    k = int(S[K])
    now = (k + 1.0) * S[NORM]  # the terms of a Taylor series, which orders are judged by
    lower = k * S[LOWER]
    higher = (k + 2.0) * S[HIGHER]
    error = S[NORM]
    down = (k > 2 and max(lower, (k - 1.0) * S[LOWEST]) <= now) or (k == 2 and lower <= 0.5 * now)
    if down or k == HIGHEST:
        S[PHASE] = 0.0
    if S[PHASE] != 0.0:
        S[K] = k + 1.0
        S[engine.PROPOSED] = 2.0 * h
        return
    if not down and math.isfinite(higher):
        down = k > 1 and lower <= min(now, higher)
        if not down and k < HIGHEST and higher < (now if k > 1 else 0.5 * now):
            k += 1
            error = S[HIGHER]
    if down:
        k -= 1
        error = S[LOWER]
    S[K] = float(k)
    factor = 1.0
    if error * 2.0 ** (k + 1) <= 0.5:
        factor = 2.0
    elif error > 0.5:
        factor = min(0.9, max(0.5, (0.5 / error) ** (1.0 / (k + 1.0))))
    S[engine.PROPOSED] = factor * h


@routine()
def multistep_dense(E, t, h, y_at, unused, unused_too):
    return 0.0


@routine()
def multistep_between(E, t, theta, y_at, out_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    out = vector(out_at, size)
    nodes, weights, rates = history(E, S)
    h = S[LENGTH]
    if S[WAY] == CUBIC:
        blend = theta * theta * (3.0 - 2.0 * theta)
        first = h * theta * (1.0 - theta) * (1.0 - theta)
        last = h * theta * theta * (theta - 1.0)
        for c in range(size):
            out[c] = y[c] + blend * (S[E[AT_Y1] + c] - y[c]) + first * rates[1, c] + last * rates[0, c]
        return 0.0
    begin = int(S[FIRST])
    count = int(S[TAKEN])
    if S[WAY] == MENDED:
        spare = S[E[AT_SPARE] : E[AT_SPARE] + size]
        integral_weights(nodes, begin, count, 1.0, weights)
        sum_of(y, h, weights, rates, begin, count, spare)
    integral_weights(nodes, begin, count, theta, weights)
    sum_of(y, h, weights, rates, begin, count, out)
    if S[WAY] == MENDED:
        for c in range(size):
            out[c] += theta * (S[E[AT_Y1] + c] - S[E[AT_SPARE] + c])
    return 0.0


@routine()
def multistep_place(E, t, number, y_at, out_at, unused):
    return 0.0


@kernel()
def unchanged(E, S, y):
    """Whether the rates of the attempt are those of the state that was accepted, and nobody waits for their evaluation."""
    if S[SAME_RATES] == 0.0 or floats_at(E[engine.WORKSPACE])[engine.AT_STEP_END] != 0.0:
        return False
    for c in range(y.size):
        if y[c] != S[E[AT_Y1] + c]:
            return False
    return True


@routine()
def multistep_accept(E, t, h, y_at, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    most = E[MOST]
    rates = table_in(S, E[AT_F], most + 1, size)
    times = S[E[AT_TIMES] : E[AT_TIMES] + most + 1]
    count = int(S[COUNT])
    length = t - times[0]
    gap = times[0] - times[1] if count > 1 else length
    angle = S[engine.AT_END]
    if not unchanged(E, S, y):
        angle = call_routine(E[engine.RATES], E, t, 0.0, y_at, rates[0], y_at)
    for j in range(min(count + 1, most), 0, -1):
        for c in range(size):
            rates[j, c] = rates[j - 1, c]
    if E[KIND] == GIVEN:
        put_state(E, S, t, y)
    else:
        for j in range(min(count, most - 1), 0, -1):
            times[j] = times[j - 1]
        times[0] = t
    S[NEXT_GIVEN] = min(S[NEXT_GIVEN] + 1.0, float(E[N_GIVEN]))
    count = min(count + 1, most)
    if length < TOO_SHORT * gap:
        count = 1
        S[K] = 1.0
        S[PHASE] = 1.0
    if E[KIND] == GIVEN and count > 2 and abs(length - gap) > SAME * length:
        count = 2
    S[COUNT] = float(count)
    S[engine.PROPOSED] = 0.0
    if E[KIND] == VARIABLE:
        if count > 1:
            choose_order(S, length)
        S[K] = min(S[K], float(count))
        S[TRIED] = 0.0
    return angle
