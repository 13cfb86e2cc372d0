"""Multistep methods: steps from rates (and states) at past instants, however these are spaced.

Adams methods integrate the polynomial through known rates, with weights computed for the instants at hand: a step that an event or a break
has shortened costs no accuracy. Methods with given coefficients need equal steps and begin anew where one was shortened. Before there is
enough history, and after a very short step, an explicit Runge–Kutta method or given states help out. (Variable order: `adams`, `bdf`.)
"""

from __future__ import annotations

import math

import numpy as np

from pytrammel.kernels import engine
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.engine import N_METHOD, OWN
from pytrammel.kernels.jit import call_routine, floats_at, kernel, routine, table_in, vector
from pytrammel.kernels.methods.runge_kutta import combine, explicit_step
from pytrammel.kernels.newton import LENGTH, N_NEWTON

# the method's integers: what it is, past instants in predictor and corrector, most in the history; stages of the starter; given states
(
    KIND, PREDICT, CORRECT, MOST, STAGES, N_GIVEN, AT_TABLEAU, AT_STARTER, AT_K, AT_GIVEN, AT_TIMES, AT_NODES, AT_WEIGHTS, AT_F, AT_Y,
    AT_Y1, AT_SPARE, AT_A, AT_B, AT_GUESS,
) = range(OWN, OWN + 20)  # fmt: skip
# kinds: explicit; corrected once; corrected until it settles. With states in the history: given coefficients; backward differences with
# fixed steps, with variable ones
EXPLICIT, CORRECTED, SETTLED, GIVEN, BACKWARD, VARIABLE_BACKWARD = range(6)
# the method's numbers; EQUAL: the weights at hand are those of equal steps
(
    COUNT, WAY, FIRST, TAKEN, NEXT_GIVEN, GIVEN_STEP, STARTS, SAME_RATES, K, PHASE, TRIED, NORM, LOWER, HIGHER, EQUAL, FREE,
) = range(N_METHOD + N_NEWTON, N_METHOD + N_NEWTON + 16)  # fmt: skip
# ways in which the last attempt can be interpolated: by the integrated polynomial; by it with a correction; by the cubic through the ends
INTEGRAL, MENDED, CUBIC = 0, 1, 2

TOO_SHORT = 0.05  # of the step before: differences over it would lose digits, so that the history is forgotten
SAME = 1e-7  # relative difference of steps that count as equal: the clock rounds
ITERATIONS = 200
CLOSE = 1e-6  # of the tolerance, 1e-8 where steps are fixed: where an iterated corrector has settled
AS_GOOD_AS_EQUAL = 1e-10  # of a step: the clock's rounding; what it changes of a step is below that of the state
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


@kernel(spread=True)
def history(E, S):
    """Nodes, weights of predictor and corrector, and rates: new instant first, then the present one and those before."""
    numbers = bare(S)
    weights = advanced(numbers, E[AT_WEIGHTS])
    return advanced(numbers, E[AT_NODES]), weights, advanced(weights, E[MOST] + 1), advanced(numbers, E[AT_F])


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
    numbers = bare(S)
    rates = advanced(numbers, E[AT_K])
    for c in range(size):
        rates[c] = S[E[AT_F] + size + c]
    tableau = advanced(numbers, E[AT_TABLEAU])
    weights = advanced(numbers, E[AT_STARTER])
    return explicit_step(E, t, h, y, E[STAGES], tableau, weights, rates, advanced(numbers, E[AT_SPARE]), y1)


@kernel()
def settle_corrector(E, S, t, h, y, y1, weight):
    """Repeat y1 = spare + h weight f(y1) until it settles. Returns the smallest singularity measure; not a number if it does not."""
    size = E[engine.SIZE]
    numbers = bare(S)
    new = advanced(numbers, E[AT_F])
    change = advanced(numbers, E[AT_K])
    known = advanced(numbers, E[AT_SPARE])
    closest = 1.0
    before = math.inf
    for _ in range(ITERATIONS):
        for c in range(size):
            value = known[c] + h * weight * new[c]
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


@kernel()
def weigh(E, S, t, h):
    """Nodes of a step, and the weights of predictor and corrector; those of equal steps serve again."""
    nodes, predictor, corrector, _ = history(E, S)
    past = E[PREDICT]
    nodes[0] = 1.0
    equal = True
    for j in range(int(S[COUNT])):
        nodes[1 + j] = (S[E[AT_TIMES] + j] - t) / h
        equal = equal and abs(nodes[1 + j] + j) <= AS_GOOD_AS_EQUAL
    if S[COUNT] < past or (equal and S[EQUAL] != 0.0):
        return
    integral_weights(nodes, 1, past, 1.0, predictor)
    if E[KIND] == CORRECTED or E[KIND] == SETTLED:
        integral_weights(nodes, 0, E[CORRECT] + 1, 1.0, corrector)
    S[EQUAL] = 1.0 if equal else 0.0


@routine()
def multistep_attempt(E, t, h, y, y1, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    _, predictor, corrector, rates = history(E, S)
    spare = advanced(bare(S), E[AT_SPARE])
    kind = E[KIND]
    S[LENGTH] = h
    S[engine.UNSOLVED] = 0.0
    past = E[PREDICT]
    weigh(E, S, t, h)
    S[SAME_RATES] = 1.0
    if S[COUNT] < past or (kind == GIVEN and not equally_spaced(E, S, h)) or S[NEXT_GIVEN] < E[N_GIVEN]:
        closest = starting_step(E, S, t, h, y, y1)
    else:
        closest = 1.0
        S[WAY] = INTEGRAL
        S[FIRST] = 1.0
        S[TAKEN] = float(past)
        combine(y, h, advanced(predictor, 1), advanced(rates, size), size, past, y1)
        if kind == GIVEN:
            given_step(E, S, h, y1)
    if math.isnan(closest):
        return math.nan
    angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, rates, y1)
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
            combine(y, h, advanced(corrector, 1), advanced(rates, size), size, E[CORRECT], spare)
            if kind == SETTLED:
                closest = settle_corrector(E, S, t, h, y, y1, corrector[0])
            else:
                S[SAME_RATES] = 0.0
                for c in range(size):
                    y1[c] = spare[c] + h * corrector[0] * rates[c]
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
    numbers = bare(S)
    size = E[engine.SIZE]
    for c in range(size):
        out[c] = 0.0
    for j in range(E[PREDICT]):
        a = S[E[AT_A] + j]
        b = h * S[E[AT_B] + 1 + j]
        state = advanced(numbers, E[AT_Y] + j * size)
        rates = advanced(numbers, E[AT_F] + (1 + j) * size)
        for c in range(size):
            out[c] += a * state[c] + b * rates[c]


@kernel()
def given_step(E, S, h, y1):
    """An explicit step with given coefficients; of an implicit method the prediction stays."""
    S[WAY] = MENDED
    S[FIRST] = 0.0
    S[TAKEN] = float(E[PREDICT] + 1)
    if S[E[AT_B]] == 0.0:
        given_history(E, S, h, y1)


@routine()
def multistep_dense(E, t, h, y_at, unused, unused_too):
    return 0.0


@routine()
def multistep_between(E, t, theta, y, out, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    nodes, weights, _, rates = history(E, S)
    h = S[LENGTH]
    if S[WAY] == CUBIC:
        blend = theta * theta * (3.0 - 2.0 * theta)
        first = h * theta * (1.0 - theta) * (1.0 - theta)
        last = h * theta * theta * (theta - 1.0)
        for c in range(size):
            out[c] = y[c] + blend * (S[E[AT_Y1] + c] - y[c]) + first * rates[size + c] + last * rates[c]
        return 0.0
    begin = int(S[FIRST])
    count = int(S[TAKEN])
    used = advanced(weights, begin)
    known = advanced(rates, begin * size)
    S[EQUAL] = 0.0  # the weights are for another place
    if S[WAY] == MENDED:
        spare = advanced(bare(S), E[AT_SPARE])
        integral_weights(nodes, begin, count, 1.0, weights)
        combine(y, h, used, known, size, count, spare)
    integral_weights(nodes, begin, count, theta, weights)
    combine(y, h, used, known, size, count, out)
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
    for c in range(E[engine.SIZE]):
        if y[c] != S[E[AT_Y1] + c]:
            return False
    return True


@routine()
def multistep_accept(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    most = E[MOST]
    rates = advanced(bare(S), E[AT_F])
    times = S[E[AT_TIMES] : E[AT_TIMES] + most + 1]
    count = int(S[COUNT])
    length = t - times[0]
    gap = times[0] - times[1] if count > 1 else length
    angle = S[engine.AT_END]
    if not unchanged(E, S, y):
        angle = call_routine(E[engine.RATES], E, t, 0.0, y, rates, y)
    for j in range(min(count + 1, most), 0, -1):
        newer = advanced(rates, (j - 1) * size)
        older = advanced(rates, j * size)
        for c in range(size):
            older[c] = newer[c]
    if E[KIND] == GIVEN:
        put_state(E, S, t, vector(y, size))
    else:
        for j in range(min(count, most - 1), 0, -1):
            times[j] = times[j - 1]
        times[0] = t
    S[NEXT_GIVEN] = min(S[NEXT_GIVEN] + 1.0, float(E[N_GIVEN]))
    count = min(count + 1, most)
    if length < TOO_SHORT * gap:
        count = 1
    if E[KIND] == GIVEN and count > 2 and abs(length - gap) > SAME * length:
        count = 2
    S[COUNT] = float(count)
    return angle
