"""Explicit Runge–Kutta steps there and back: a motion is stepped through and its steps are kept, then gone back over with multipliers.

A step leads from y to y + h sum b_i k_i, with k_i = f(y_i) and y_i = y + h sum a_ij k_j. What pulls at its end (psi) pulls at the stages,

    kappa_i = h b_i psi + h sum a_ji mu_j,   mu_i = f_y(y_i)' kappa_i,

from the last to the first, and at its beginning with psi + sum mu_i. Instants inside it pull at the stages by the method's interpolant.
So derivatives are those of the steps themselves, to the last digit.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.jit import (
    FLOAT,
    FLOAT_ARRAY,
    FLOAT_TABLE,
    INT,
    INT_ARRAY,
    call_routine,
    floats_at,
    kernel,
)
from pytrammel.kernels.methods.runge_kutta import (
    AT_DENSE,
    AT_EXTRA,
    AT_TABLEAU,
    AT_TIMES,
    AT_WEIGHTS,
    B_ROW,
    C_ROW,
    CENTRE,
    EXTRAS,
    STAGES,
    TERMS,
    combine,
)
from pytrammel.kernels.step_control import REFERENCE, RETRY, judge, length_to_try, shorten
from pytrammel.kernels.structure.calls import call_piece

DONE, FULL, STUCK = range(3)
TOWARDS = 0.875  # share of the way to a corner that a step may take
SHORTEST = 1e-15  # of the clock
ATTEMPTS = 40  # per step that there is room for
SHORTER, TRIES = 0.125, 7  # differences, where two orders disagree
AGREED = 1e-6  # share by which they may: the better one is then good to its square or so
ROUNDING = 1e-12  # of what is differenced


@kernel(INT_ARRAY, FLOAT, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, seconds=1.5)
def steps_run(E, end, closest, control, T, Y):
    """Step from the instant T[0] and state Y[0] towards the end; returns how many steps were made, and why they end.

    Where a law has a corner at the end, steps get shorter towards it, down to `closest`: stages of a step that ends there may lie behind
    it, and have other derivatives. T and Y get the beginning of each step and the end of the last.
    """
    S = floats_at(E[engine.NUMBERS])
    W = floats_at(E[engine.WORKSPACE])
    t = T[0]
    done = 0
    attempts = 0
    angle = call_routine(E[engine.START], E, t, 0.0, Y[0], Y[0], Y[0])
    control[REFERENCE] = max(control[REFERENCE], angle)
    while t < end:
        if done + 1 >= T.size:
            return done, FULL
        h = length_to_try(control, math.inf, t, end)
        if closest > 0.0 and end - t > closest:
            h = min(h, TOWARDS * (end - t))
        h = (t + h) - t
        attempts += 1
        if not h > SHORTEST * max(abs(t), 1e-3 * (end - t)) or attempts > ATTEMPTS * T.size or math.isnan(angle):
            return done, STUCK
        S[engine.CLOSEST] = control[REFERENCE]
        S[engine.AT_END] = control[REFERENCE]
        y = Y[done]
        y1 = Y[done + 1]
        norm = call_routine(E[engine.ATTEMPT], E, t, h, y, y1, y1)
        if math.isnan(norm):
            shorten(control, h)
            continue
        known = control[REFERENCE]
        short = h < 1e-6 * (end - t) or t + h >= end
        if (
            judge(control, h, norm, S[engine.CLOSEST] / known, S[engine.AT_END] / known, short, S[engine.ORDER])
            == RETRY
        ):
            continue
        t = end if abs(end - t - h) < 1e-9 * h else t + h
        done += 1
        T[done] = t
        W[engine.AT_STEP_END] = 1.0
        if math.isnan(call_routine(E[engine.SETTLE], E, t, 0.0, y1, y1, y1)):
            return done - 1, STUCK
        angle = call_routine(E[engine.ACCEPT], E, t, 0.0, y1, y1, y1)
        control[REFERENCE] = max(control[REFERENCE], angle)
    return done, DONE


@kernel()
def weighed(E, t, y, c, ahead, weights, x, dx):
    """Weighted sum of the rates in a state with one entry moved (c < 0: none)."""
    size = E[engine.SIZE]
    for k in range(size):
        x[k] = y[k]
    if c >= 0:
        x[c] += ahead
    call_routine(E[engine.RATES], E, t, 0.0, x, dx, dx)
    total = 0.0
    for k in range(size):
        total += weights[k] * dx[k]
    return total


@kernel()
def slope_of(E, t, y, c, i, reach, weights, places, numbers, x, dx):
    """Derivative of the weighted sum along an entry c of the state, or for c < 0 along a change i of the numbers.

    By differences of the fourth order, shorter where two orders disagree: a law bends there, or has a corner near.
    """
    F = floats_at(E[engine.FLOATS])
    found = 0.0
    doubt = math.inf
    e = reach
    for _ in range(TRIES):
        fine = 0.0
        coarse = 0.0
        largest = 0.0
        for k in range(-2, 3):
            if k == 0:
                continue
            if c < 0:
                for j in range(places.size):
                    F[places[j]] = numbers[0, j] + k * e * numbers[i, j]
            value = weighed(E, t, y, c, k * e, weights, x, dx)
            largest = max(largest, abs(value))
            fine += value * (8.0 * k if abs(k) == 1 else -0.5 * k) / (12.0 * e)
            if abs(k) == 1:
                coarse += 0.5 * k * value / e
        off = abs(fine - coarse)
        if off < doubt:
            found = fine
            doubt = off
        if off <= AGREED * abs(fine) + ROUNDING * largest / e:
            break
        e *= SHORTER
    if c < 0:
        for j in range(places.size):
            F[places[j]] = numbers[0, j]
    return found


@kernel()
def pull_at(E, code, t, y, weights, active, reach, places, numbers, x, dx, out):
    """How the weighted sum of the rates changes with each entry of the state, then with the numbers.

    By machine code that was written out for it, which knows every number. Without any (0) by differences along entries and along changes of
    numbers: these stand at `places`, their values in the first row of `numbers`, their changes in the others.
    """
    size = E[engine.SIZE]
    for c in range(size):
        x[c] = y[c]
        x[size + c] = weights[c]
        out[c] = 0.0
    if code != 0:
        call_piece(code, t, bare(floats_at(E[engine.FLOATS])), 1, x, out)
        return
    for j in range(active.size):
        out[active[j]] = slope_of(E, t, y, active[j], 0, reach[j], weights, places, numbers, x, dx)
    for i in range(1, numbers.shape[0]):
        e = reach[active.size + i - 1]
        out[size + i - 1] = slope_of(E, t, y, -1, i, e, weights, places, numbers, x, dx)


@kernel()
def any_of(weights, size):
    for c in range(size):
        if weights[c] != 0.0:
            return True
    return False


@kernel()
def stage_row(E, numbers, i):
    """Weights of earlier stages in the state of a stage, those of the end and of the interpolant included."""
    stages = E[STAGES]
    if i < stages:
        return advanced(numbers, E[AT_TABLEAU] + i * stages)
    if i == stages:
        return advanced(numbers, E[AT_WEIGHTS] + B_ROW * (stages + 1))
    return advanced(numbers, E[AT_EXTRA] + (i - stages - 1) * (stages + 1 + E[EXTRAS]))


@kernel()
def stage_time(E, numbers, i):
    """When a stage is, as a share of the step."""
    stages = E[STAGES]
    if i < stages:
        return numbers[E[AT_WEIGHTS] + C_ROW * (stages + 1) + i]
    return 1.0 if i == stages else numbers[E[AT_TIMES] + i - stages - 1]


@kernel(
    INT_ARRAY, INT, INT, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_ARRAY, FLOAT_TABLE,
    INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_TABLE, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_ARRAY, FLOAT_ARRAY, seconds=2.0,
)  # fmt: skip
def pull_run(E, code, steps, T, Y, times, pulls, active, reach, places, numbers, K, kappa, psi, totals):
    """Go back over steps: psi from their end to their beginning, and totals of what pulls at the numbers.

    Instants behind T[0] and up to the end of the steps pull. K has room for the rates of all stages and for one state with weights, rates
    and pulls more; kappa for their states, and for what pulls at them.
    """
    method = bare(floats_at(E[engine.NUMBERS]))
    size = E[engine.SIZE]
    stages = E[STAGES]
    rows = stages + 1 + E[EXTRAS]
    dense = advanced(method, E[AT_DENSE])
    terms = E[TERMS]
    rates = bare(K)
    x = advanced(rates, rows * size)
    dx = advanced(x, 2 * size)
    pulled = advanced(x, 3 * size)
    b = stage_row(E, method, stages)
    last = times.size - 1
    for n in range(steps - 1, -1, -1):
        t = T[n]
        h = T[n + 1] - t
        while last >= 0 and times[last] >= T[n + 1]:
            for c in range(size):
                psi[c] += pulls[last, c]
            last -= 1
        used = rows if last >= 0 and times[last] > t else stages
        for i in range(used):
            combine(Y[n], h, stage_row(E, method, i), rates, size, i, kappa[i])
            at = t + stage_time(E, method, i) * h
            call_routine(E[engine.RATES], E, at, 0.0, kappa[i], advanced(rates, i * size), kappa[i])
        for i in range(used):
            weight = h * b[i] if i < stages else 0.0
            for c in range(size):
                kappa[rows + i, c] = weight * psi[c]
        while last >= 0 and times[last] > t:
            theta = (times[last] - t) / h - method[CENTRE]
            for i in range(rows):
                weight = 0.0
                for d in range(terms - 1, -1, -1):
                    weight = weight * theta + dense[i * terms + d]
                for c in range(size):
                    kappa[rows + i, c] += h * weight * pulls[last, c]
            for c in range(size):
                psi[c] += pulls[last, c]
            last -= 1
        for i in range(used - 1, -1, -1):
            weights = kappa[rows + i]
            if not any_of(weights, size):
                continue
            at = t + stage_time(E, method, i) * h
            pull_at(E, code, at, kappa[i], weights, active, reach, places, numbers, x, dx, pulled)
            for k in range(totals.size):
                totals[k] += pulled[size + k]
            row = stage_row(E, method, i)
            for c in range(size):
                psi[c] += pulled[c]
            for j in range(i):
                weight = h * row[j]
                if weight != 0.0:
                    for c in range(size):
                        kappa[rows + j, c] += weight * pulled[c]
