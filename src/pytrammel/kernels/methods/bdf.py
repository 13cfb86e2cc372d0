"""Backward differentiation formulas (Gear's methods): the polynomial through past states and the new one has the rates of the new one.

The weights are those of the instants at hand, however they are spaced. With fixed steps the first ones are taken by extrapolating backward
Euler steps, which stiff equations bear, unless another starter is asked for; with variable ones the order begins at 1.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.jit import call_routine, floats_at, kernel, routine, table_in, vector
from pytrammel.kernels.methods.multistep import (
    AT_F,
    AT_GUESS,
    AT_K,
    AT_NODES,
    AT_SPARE,
    AT_TIMES,
    AT_WEIGHTS,
    AT_Y,
    AT_Y1,
    COUNT,
    HIGHER,
    KIND,
    LOWER,
    MOST,
    N_GIVEN,
    NEXT_GIVEN,
    NORM,
    PHASE,
    PREDICT,
    STAGES,
    TAKEN,
    TRIED,
    VARIABLE_BACKWARD,
    K,
    begin_history,
    put_state,
    starting_step,
    values_weights,
)
from pytrammel.kernels.newton import (
    DIVERGES,
    FACTORED,
    LENGTH,
    RATE,
    forget_matrix,
    made_ready,
    settled,
    worth_another_try,
)

HIGHEST = 5  # order with variable steps
ITERATIONS = 10
TRIES = 4  # to solve a step, each with a new matrix
TIGHTER = 1e3  # with fixed steps, whose error nothing else bounds, equations are solved to 1e-13
LOOSER = 0.4  # with variable steps: the formulas forget what an iteration leaves, and a sixth of it shows in the estimated error
NOT_CONVERGED = 16.0  # error norm of a step that cannot be solved for: it is tried shorter
WORTHWHILE = 1.3  # a longer step that is worth a new matrix
LONGEST, LONGEST_AT_FIRST = 2.0, 10.0


@kernel()
def slope_weights(nodes, count, out):
    """Weights of values at the nodes in the derivative at the first one of the polynomial through them."""
    out[0] = 0.0
    for j in range(1, count):
        out[0] += 1.0 / (nodes[0] - nodes[j])
        above = 1.0
        below = nodes[j] - nodes[0]
        for m in range(1, count):
            if m != j:
                above *= nodes[0] - nodes[m]
                below *= nodes[j] - nodes[m]
        out[j] = above / below


@kernel()
def backward_step(E, S, t, a, base, k, y):
    """Newton iteration for k = f(t, base + a k); spare is base + a k at the end. Returns the singularity measure, or NaN."""
    size = base.size
    stage = S[E[AT_SPARE] : E[AT_SPARE] + size]
    step = S[E[AT_K] : E[AT_K] + size]
    demand = TIGHTER if S[engine.FIXED] != 0.0 else LOOSER
    before = 0.0
    for iteration in range(ITERATIONS):
        for c in range(size):
            stage[c] = base[c] + a * k[c]
        angle = call_routine(E[engine.RATES], E, t, 0.0, stage, step, step)
        if math.isnan(angle):
            S[engine.UNSOLVED] = 1.0 if iteration > 0 else 0.0
            return math.nan
        for c in range(size):
            step[c] -= k[c]
        call_routine(E[engine.SOLVE], E, t, 0.0, step, step, step)
        share = 2.0 / (1.0 + a / S[FACTORED])  # the factors may belong to a somewhat different step
        for c in range(size):
            if c < E[engine.N_ACTIVE]:  # works follow as they are
                step[c] *= share
            k[c] += step[c]
            step[c] *= a
        norm = demand * call_routine(E[engine.NORM], E, t, 0.0, y, stage, step)
        done = settled(S, iteration, norm, before)
        if done < 0:
            break
        if done > 0:
            for c in range(size):
                stage[c] = base[c] + a * k[c]
            return angle
        before = norm
    S[engine.UNSOLVED] = 1.0
    return math.nan


@kernel()
def solved(E, S, t, a, base, k, y):
    """A backward step with a matrix that serves, k first guess and solution; returns as `backward_step`."""
    size = base.size
    guess = S[E[AT_GUESS] : E[AT_GUESS] + size]
    stage = S[E[AT_SPARE] : E[AT_SPARE] + size]
    for c in range(size):
        guess[c] = k[c]
    angle = math.nan
    nearer = False
    for _ in range(TRIES):
        for c in range(size):
            if not nearer:
                k[c] = guess[c]
            stage[c] = base[c] + a * k[c]
        if not made_ready(E, S, t, a, stage, k):
            return math.nan
        angle = backward_step(E, S, t, a, base, k, y)
        if not math.isnan(angle):
            break
        # fixed steps continue with a new matrix from where the iteration became slow
        nearer = S[engine.FIXED] != 0.0 and 0.0 < S[RATE] < DIVERGES
        if not worth_another_try(S) and not nearer:
            break
    return angle


@kernel()
def extrapolated_step(E, S, t, h, y, y1):
    """A step without history: backward Euler in 1, 2, 3 … parts, extrapolated. Returns the singularity measure, or NaN."""
    size = y.size
    rows = E[PREDICT]
    table = table_in(S, E[AT_Y1] + size, rows, size)
    k = S[E[AT_F] : E[AT_F] + size]
    angle = 1.0
    for i in range(rows):
        a = h / (i + 1.0)
        for c in range(size):
            table[i, c] = y[c]
            k[c] = S[E[AT_F] + size + c]
        for part in range(i + 1):
            angle = solved(E, S, t + (part + 1) * a, a, table[i], k, y)
            if math.isnan(angle):
                return math.nan
            for c in range(size):
                table[i, c] = S[E[AT_SPARE] + c]
        for m in range(i - 1, -1, -1):
            ratio = (i + 1.0) / (m + 1.0) - 1.0
            for c in range(size):
                table[m, c] = table[m + 1, c] + (table[m + 1, c] - table[m, c]) / ratio
    for c in range(size):
        y1[c] = table[0, c]
    return angle


@kernel()
def add_states(E, S, weights, count, share, out):
    """Add past states, times their weights and a share, to a vector."""
    size = out.size
    for j in range(count):
        state = S[E[AT_Y] + j * size : E[AT_Y] + (j + 1) * size]
        w = share * weights[1 + j]
        for c in range(size):
            out[c] += w * state[c]


@kernel()
def difference(E, S, h, y1, past, out):
    """What the new state differs from its prediction by `past` states, in the error of the order below that number."""
    size = y1.size
    nodes = S[E[AT_NODES] : E[AT_NODES] + E[MOST] + 1]
    weights = S[E[AT_WEIGHTS] : E[AT_WEIGHTS] + E[MOST] + 1]
    values_weights(nodes, 1, past, 1.0, weights)
    share = 1.0 / (1.0 - nodes[past])
    for c in range(size):
        out[c] = share * y1[c]
    add_states(E, S, weights, past, -share, out)


@routine()
def bdf_start(E, t, h, y_at, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    begin_history(E, S, t, vector(y_at, size))
    forget_matrix(S)
    return call_routine(E[engine.RATES], E, t, 0.0, y_at, S[E[AT_F] + size :], y_at)


@kernel()
def formula_step(E, S, t, h, y, y1, order):
    """The implicit step of an order. Returns the singularity measure, or NaN."""
    size = y.size
    nodes = S[E[AT_NODES] : E[AT_NODES] + E[MOST] + 1]
    weights = S[E[AT_WEIGHTS] : E[AT_WEIGHTS] + E[MOST] + 1]
    k = S[E[AT_F] : E[AT_F] + size]
    base = S[E[AT_Y1] : E[AT_Y1] + size]
    # first guess of the rates: those of the polynomial through past states, extrapolated
    past = min(order + 1, int(S[COUNT]))
    for c in range(size):
        y1[c] = y[c] + h * S[E[AT_F] + size + c]  # where there is one state only
    if past > 1:
        values_weights(nodes, 1, past, 1.0, weights)
        for c in range(size):
            y1[c] = 0.0
        add_states(E, S, weights, past, 1.0, y1)
    slope_weights(nodes, order + 1, weights)
    a = h / weights[0]
    for c in range(size):
        base[c] = 0.0
    add_states(E, S, weights, order, -1.0 / weights[0], base)
    for c in range(size):
        k[c] = (y1[c] - base[c]) / a
    angle = solved(E, S, t + h, a, base, k, y)
    for c in range(size):
        y1[c] = S[E[AT_SPARE] + c]
    return angle


@routine(seconds=4.0)
def bdf_attempt(E, t, h, y_at, y1_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    y1 = vector(y1_at, size)
    variable = E[KIND] == VARIABLE_BACKWARD
    count = int(S[COUNT])
    S[LENGTH] = h
    S[engine.UNSOLVED] = 0.0
    S[E[AT_NODES]] = 1.0
    for j in range(count):
        S[E[AT_NODES] + 1 + j] = (S[E[AT_TIMES] + j] - t) / h
    if variable and S[TRIED] > 0.0 and not S[NORM] <= 1.0:  # the attempt before was refused
        S[PHASE] = 0.0
        if S[TRIED] >= 3.0:
            S[K] = 1.0
        elif S[K] > 1.0 and S[LOWER] <= S[NORM]:
            S[K] -= 1.0
    S[TRIED] += 1.0
    S[NORM] = math.inf
    S[LOWER] = math.inf
    S[HIGHER] = math.inf
    order = int(S[K]) if variable else E[PREDICT]
    S[TAKEN] = float(order)
    if not variable and (count < order or S[NEXT_GIVEN] < E[N_GIVEN]):
        S[TAKEN] = float(min(count, order))
        if S[NEXT_GIVEN] < E[N_GIVEN] or E[STAGES] > 0:
            angle = starting_step(E, S, t, h, y, y1)
        else:
            angle = extrapolated_step(E, S, t, h, y, y1)
    else:
        angle = formula_step(E, S, t, h, y, y1, order)
    if math.isnan(angle):
        forget_matrix(S)
        return NOT_CONVERGED if variable else math.nan
    for c in range(size):
        S[E[AT_Y1] + c] = y1[c]
    S[engine.CLOSEST] = angle
    S[engine.AT_END] = angle
    if not variable:
        return 0.0
    error = S[E[AT_SPARE] : E[AT_SPARE] + size]
    S[engine.ORDER] = order + 1.0
    if count == 1:
        for c in range(size):
            error[c] = 0.5 * (y1[c] - y[c] - h * S[E[AT_F] + size + c])
        engine.note_works(E, S, error)
        S[NORM] = call_routine(E[engine.NORM], E, t + h, h, y, y1, error)
        return S[NORM]
    difference(E, S, h, y1, order + 1, error)
    engine.note_works(E, S, error)
    S[NORM] = call_routine(E[engine.NORM], E, t + h, h, y, y1, error)
    if S[PHASE] + 1.0 < order + 2.0 and S[NORM] <= 1.0:
        return S[NORM]  # order and step stay
    if order > 1:
        difference(E, S, h, y1, order, error)
        S[LOWER] = call_routine(E[engine.NORM], E, t + h, h, y, y1, error)
    if order < min(HIGHEST, count - 1):
        difference(E, S, h, y1, order + 2, error)
        S[HIGHER] = call_routine(E[engine.NORM], E, t + h, h, y, y1, error)
    return S[NORM]


@kernel()
def promise(error, bias, order):
    """How much longer a step may be at an order with this error."""
    return 1.0 / ((bias * error) ** (1.0 / (order + 1.0)) + 1e-6)


@kernel()
def choose_step(S, h):
    """Order and length of the next step; both are kept for a while, so that the matrix serves and the formulas stay stable."""
    k = int(S[K])
    S[engine.PROPOSED] = h
    S[PHASE] += 1.0
    if S[PHASE] < k + 2.0:
        return
    best = promise(S[NORM], 6.0, k)
    same_order = best
    if k > 1 and math.isfinite(S[LOWER]) and promise(S[LOWER], 6.0, k - 1) > best:
        best = promise(S[LOWER], 6.0, k - 1)
        S[K] = k - 1.0
    if k < HIGHEST and math.isfinite(S[HIGHER]) and promise(S[HIGHER], 10.0, k + 1) > best:
        best = promise(S[HIGHER], 10.0, k + 1)
        S[K] = k + 1.0
    if best >= WORTHWHILE:
        S[engine.PROPOSED] = h * min(best, LONGEST if S[COUNT] > 3.0 else LONGEST_AT_FIRST)
    elif best < 0.9:
        S[engine.PROPOSED] = h * max(best, 0.5)
    elif S[K] > k and best < WORTHWHILE * same_order:
        S[K] = float(k)
        return
    S[PHASE] = 0.0


@routine()
def bdf_accept(E, t, h, y_at, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    length = t - S[E[AT_TIMES]]
    put_state(E, S, t, y)
    S[COUNT] = min(S[COUNT] + 1.0, float(E[MOST]))
    S[NEXT_GIVEN] = min(S[NEXT_GIVEN] + 1.0, float(E[N_GIVEN]))
    S[TRIED] = 0.0
    S[engine.PROPOSED] = 0.0
    if E[KIND] == VARIABLE_BACKWARD:
        choose_step(S, length)
        S[K] = min(S[K], S[COUNT])
    starting = E[KIND] != VARIABLE_BACKWARD and S[COUNT] < E[PREDICT]
    if starting or floats_at(E[engine.WORKSPACE])[engine.AT_STEP_END] != 0.0:
        return call_routine(E[engine.RATES], E, t, 0.0, y_at, S[E[AT_F] + size :], y_at)
    return S[engine.AT_END]


@routine()
def bdf_dense(E, t, h, y_at, unused, unused_too):
    return 0.0


@routine()
def bdf_between(E, t, theta, y_at, out_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    out = vector(out_at, size)
    if S[COUNT] == 1.0 and E[KIND] != VARIABLE_BACKWARD and S[TAKEN] == 1.0 and E[PREDICT] > 1:
        # the first step: the parabola with the rates at the start
        for c in range(size):
            first = S[LENGTH] * S[E[AT_F] + size + c]
            out[c] = y[c] + theta * (first + theta * (S[E[AT_Y1] + c] - y[c] - first))
        return 0.0
    nodes = S[E[AT_NODES] : E[AT_NODES] + E[MOST] + 1]
    weights = S[E[AT_WEIGHTS] : E[AT_WEIGHTS] + E[MOST] + 1]
    past = int(S[TAKEN])
    values_weights(nodes, 0, past + 1, theta, weights)
    for c in range(size):
        out[c] = weights[0] * S[E[AT_Y1] + c] + weights[1] * y[c]
    for j in range(1, past):
        for c in range(size):
            out[c] += weights[1 + j] * S[E[AT_Y] + j * size + c]
    return 0.0


@routine()
def bdf_place(E, t, number, y_at, out_at, unused):
    return 0.0
