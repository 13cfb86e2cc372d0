"""Predictor and corrector of Adams with variable step and order, after Shampine and Gordon's program STEP.

The polynomial through past rates is kept in Newton's form, as differences that are divided by the instants at hand and multiplied by the
distances to the newest one: phi_m = f[t_0 … t_m] (t_0 - t_1) … (t_0 - t_m). At the end of a step, 1 in its units with nodes x_j, they count
beta_m times as much, and what the new rates differ from their prediction by m past ones is the m-th difference there. So one pass over
them makes the next ones, none is ever moved, and the errors that neighbouring orders would have made cost a vector each.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.engine import N_METHOD, OWN
from pytrammel.kernels.jit import call_routine, floats_at, kernel, routine
from pytrammel.kernels.methods.multistep import GAUSS_W, GAUSS_X, TOO_SHORT
from pytrammel.kernels.methods.runge_kutta import combine

HIGHEST = 12  # order of the predictor
ROWS = HIGHEST + 1  # differences that are kept

# the method's integers: past instants; nodes, beta, integrals and weights of a step; differences, new rates, their correction, scratch
AT_TIMES, AT_NODES, AT_BETA, AT_G, AT_WEIGHTS, AT_PHI, AT_NEW, AT_CORRECTION, AT_SPARE = range(OWN, OWN + 9)
# the method's numbers: length of the last attempt; differences known, order, whether it is still beginning, attempts at this step; the
# errors of this order and of its neighbours; the order of the last attempt
(LENGTH, COUNT, K, PHASE, TRIED, NORM, LOWER, LOWEST, HIGHER, TAKEN, FREE) = range(N_METHOD, N_METHOD + 11)


@routine()
def adams_start(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    begin(E, S, t)
    return call_routine(E[engine.RATES], E, t, 0.0, y, advanced(bare(S), E[AT_PHI]), y)


@kernel()
def begin(E, S, t):
    """The history is the present instant."""
    S[COUNT] = 1.0
    S[K] = 1.0
    S[PHASE] = 1.0
    S[TRIED] = 0.0
    S[engine.PROPOSED] = 0.0
    S[E[AT_TIMES]] = t


@kernel()
def place(E, S, t, h):
    """Nodes of a step of length h from t, and what the differences count at its end."""
    nodes = advanced(bare(S), E[AT_NODES])
    beta = advanced(bare(S), E[AT_BETA])
    nodes[0] = 0.0
    beta[0] = 1.0
    for m in range(1, int(S[COUNT])):
        nodes[m] = (S[E[AT_TIMES] + m] - t) / h
        beta[m] = -beta[m - 1] * (1.0 - nodes[m - 1]) / nodes[m]


@kernel()
def integrals(E, S, theta, count):
    """Integrals from 0 to theta of the first polynomials of Newton's form, which are 1 at the end of the step."""
    nodes = advanced(bare(S), E[AT_NODES])
    g = advanced(bare(S), E[AT_G])
    inverse = advanced(bare(S), E[AT_WEIGHTS])
    last = count - 1
    g[last] = 0.0
    for m in range(last):
        g[m] = 0.0
        inverse[m] = 1.0 / (1.0 - nodes[m])
    for q in range(GAUSS_X.size):
        x = theta * GAUSS_X[q]
        term = theta * GAUSS_W[q]
        for m in range(last):
            g[m] += term
            term *= (x - nodes[m]) * inverse[m]
        g[last] += term


@kernel()
def predict(E, S, h, y, k, out):
    """out = y + h times the integral of the polynomial through k past rates, to where the integrals at hand reach."""
    numbers = bare(S)
    weights = advanced(numbers, E[AT_WEIGHTS])
    for m in range(k):
        weights[m] = S[E[AT_G] + m] * S[E[AT_BETA] + m]
    combine(y, h, weights, advanced(numbers, E[AT_PHI]), E[engine.SIZE], k, out)


@kernel()
def predict_both(E, S, h, y, k, out, rates):
    """The same, and the rates of that polynomial at the end of the step, in one pass over the differences, two at a time."""
    numbers = bare(S)
    size = E[engine.SIZE]
    phi = advanced(numbers, E[AT_PHI])
    g = advanced(numbers, E[AT_G])
    beta = advanced(numbers, E[AT_BETA])
    odd = k % 2
    for c in range(size):  # beta_0 is 1
        out[c] = y[c] + h * g[0] * phi[c] if odd == 1 else y[c]
        rates[c] = phi[c] if odd == 1 else 0.0
    for m in range(odd, k, 2):
        first = advanced(phi, m * size)
        second = advanced(first, size)
        b0 = beta[m]
        b1 = beta[m + 1]
        w0 = h * g[m] * b0
        w1 = h * g[m + 1] * b1
        for c in range(size):
            out[c] += w0 * first[c] + w1 * second[c]
            rates[c] += b0 * first[c] + b1 * second[c]


@kernel()
def error_of(E, S, t, h, y, y1, order, k):
    """Size of the error that a predictor of an order from k - 2 to k + 1 would have had; k is that of the correction at hand."""
    numbers = bare(S)
    size = E[engine.SIZE]
    correction = advanced(numbers, E[AT_CORRECTION])
    spare = advanced(numbers, E[AT_SPARE])
    phi = advanced(numbers, E[AT_PHI])
    share = h * (S[E[AT_G] + order] - S[E[AT_G] + order - 1])
    for c in range(size):
        spare[c] = share * correction[c]
    for m in range(order, k):
        w = share * S[E[AT_BETA] + m]
        for c in range(size):
            spare[c] += w * phi[m * size + c]
    if order > k:
        w = share * S[E[AT_BETA] + k]
        for c in range(size):
            spare[c] -= w * phi[k * size + c]
    return call_routine(E[engine.NORM], E, t + h, h, y, y1, spare)


@routine()
def adams_attempt(E, t, h, y, y1, unused):
    """Predict with order k, evaluate, correct with order k + 1."""
    S = floats_at(E[engine.NUMBERS])
    numbers = bare(S)
    size = E[engine.SIZE]
    if S[TRIED] > 0.0 and not S[NORM] <= 1.0:  # the attempt before was refused
        S[PHASE] = 0.0
        if S[TRIED] >= 3.0:
            S[K] = 1.0
        elif S[K] > 1.0 and S[LOWER] <= S[NORM]:
            S[K] -= 1.0
    S[TRIED] += 1.0
    k = int(S[K])
    S[LENGTH] = h
    S[TAKEN] = S[K]
    S[engine.ORDER] = k + 1.0
    S[NORM] = math.inf
    S[LOWER] = math.inf
    S[LOWEST] = math.inf
    S[HIGHER] = math.inf
    place(E, S, t, h)
    integrals(E, S, 1.0, k + 2 if k < S[COUNT] else k + 1)
    expected = advanced(numbers, E[AT_SPARE])
    predict_both(E, S, h, y, k, y1, expected)
    new = advanced(numbers, E[AT_NEW])
    angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, new, y1)
    if math.isnan(angle):
        return math.nan
    correction = advanced(numbers, E[AT_CORRECTION])
    w = h * S[E[AT_G] + k]
    for c in range(size):
        correction[c] = new[c] - expected[c]
        y1[c] += w * correction[c]
    S[NORM] = error_of(E, S, t, h, y, y1, k, k)
    engine.note_works(E, S, expected)
    if k > 1:
        S[LOWER] = error_of(E, S, t, h, y, y1, k - 1, k)
    if S[NORM] <= 1.0:
        # only what `choose_order` will look at
        falls = k > 1 and k * S[LOWER] <= (k + 1.0) * S[NORM]
        if k > 2 and falls:
            S[LOWEST] = error_of(E, S, t, h, y, y1, k - 2, k)
        if S[PHASE] == 0.0 and k < min(int(S[COUNT]), HIGHEST):
            S[HIGHER] = error_of(E, S, t, h, y, y1, k + 1, k)
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
def adams_accept(E, t, h, y, unused, unused_too):
    """Rates at the settled end, and the differences there."""
    S = floats_at(E[engine.NUMBERS])
    numbers = bare(S)
    size = E[engine.SIZE]
    new = advanced(numbers, E[AT_NEW])
    phi = advanced(numbers, E[AT_PHI])
    times = advanced(numbers, E[AT_TIMES])
    beta = advanced(numbers, E[AT_BETA])
    known = int(S[COUNT])
    length = t - times[0]
    gap = times[0] - times[1] if known > 1 else length
    angle = call_routine(E[engine.RATES], E, t, 0.0, y, new, y)
    if length != S[LENGTH]:
        place(E, S, times[0], length)
    choose_order(S, length)
    S[TRIED] = 0.0
    count = min(known + 1, ROWS, int(S[K]) + 2)  # the order may rise by one, and is then judged against one more
    if length < TOO_SHORT * gap:  # differences over it would lose digits
        begin(E, S, t)
        count = 1
    for m in range(count):
        row = advanced(phi, m * size)
        b = beta[m] if m < known else 0.0
        for c in range(size):
            old = b * row[c]
            row[c] = new[c]
            new[c] -= old
    for j in range(count - 1, 0, -1):
        times[j] = times[j - 1]
    times[0] = t
    S[COUNT] = float(count)
    S[K] = min(S[K], float(count))
    return angle


@routine()
def adams_dense(E, t, h, y, unused, unused_too):
    return 0.0


@routine()
def adams_between(E, t, theta, y, out, unused):
    """The integrated polynomial through the new rates and the past ones."""
    S = floats_at(E[engine.NUMBERS])
    k = int(S[TAKEN])
    h = S[LENGTH]
    integrals(E, S, theta, k + 1)
    predict(E, S, h, y, k, out)
    w = h * S[E[AT_G] + k]
    correction = advanced(bare(S), E[AT_CORRECTION])
    for c in range(E[engine.SIZE]):
        out[c] += w * correction[c]
    return 0.0


@routine()
def adams_place(E, t, number, y, out, unused):
    return 0.0
