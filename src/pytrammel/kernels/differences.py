"""Derivatives of one element alone by central differences with ever shorter steps, extrapolated (Ridders).

Long steps that leave the piece on which a force is smooth lose against shorter ones; where the two sides differ however short the
step, there is a kink, and the mean of both sides is the derivative.
"""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels import linear_layout as N
from pytrammel.kernels.jit import call_element, call_law, kernel
from pytrammel.kernels.tape import tape_run

LONGEST, SHRINK, STEPS = 2e-2, 4.0, 12  # steps in the scale of a column, and by what factor they shrink
SETTLED = 1e-12  # relative error that ends the search
KINK = 1e-3  # share of a derivative by which its two sides may differ at the shortest step
ROUNDING = 1e-11  # of the values, against which a kink must stand out

POSITION, VELOCITY, INNER = 0, 1, 2  # what is varied


@kernel()
def vary(I, T, kind, column, amount, lin):
    """Change one column of the moving copy of the state."""
    lin[T[N.STEP] + 0] = amount
    at = T[N.T_AT_COLUMNS] + 3 * column
    state = lin[T[N.MOVING] :]
    if kind == INNER:
        state[column] += amount
    elif T[at + 1] == L.EXTRA_SIZE:
        state[T[at] + kind] += amount
    elif kind == POSITION:
        call_element(T[N.T_DISPLACE], I, T[at], lin[T[N.STEP] :], state, state, T[at + 2], state, 0, state)
    else:
        call_element(T[N.T_SPEED_UP], I, T[at], lin[T[N.STEP] :], state, state, T[at + 2], state, 0, state)


@kernel()
def keep(T, kind, column, lin):
    """Remember what `vary` will change."""
    if kind == INNER:
        lin[T[N.SAVED] + 0] = lin[T[N.MOVING] + column]
        return
    at = T[N.T_AT_COLUMNS] + 3 * column
    for k in range(T[at + 1]):
        lin[T[N.SAVED] + k] = lin[T[N.MOVING] + T[at] + k]


@kernel()
def put_back(T, kind, column, lin):
    if kind == INNER:
        lin[T[N.MOVING] + column] = lin[T[N.SAVED] + 0]
        return
    at = T[N.T_AT_COLUMNS] + 3 * column
    for k in range(T[at + 1]):
        lin[T[N.MOVING] + T[at] + k] = lin[T[N.SAVED] + k]


@kernel()
def run_some(I, F, T, at, count, state, work, lin):
    """Run the listed elements on a copy of the outputs."""
    for k in range(count):
        e = I[L.AT_ELEMENTS] + L.ELEMENT_SIZE * T[at + k]
        call_element(I[e], I, I[e + 1], F, state, lin[T[N.OUT] :], I[e + 2], lin[T[N.JAC] :], I[e + 3], work)


@kernel()
def sample_piece(I, F, T, at, work, lin, into):
    """Jacobian entries and quadratic terms of a piece's outputs; returns their number."""
    run_some(I, F, T, T[at + N.PIECE_RUNS], T[at + N.PIECE_N_RUNS], lin[T[N.MOVING] :], work, lin)
    n = T[at + N.PIECE_OUTPUTS] * T[at + N.PIECE_ENTRIES]
    for e in range(n):
        into[e] = lin[T[N.JAC] + T[at + N.PIECE_ENTRY] + e]
    for o in range(T[at + N.PIECE_OUTPUTS]):
        into[n + o] = lin[T[N.OUT] + L.OUTPUT_SIZE * (T[at + N.PIECE_OUTPUT] + o) + L.QUADRATIC]
    return n + T[at + N.PIECE_OUTPUTS]


@kernel()
def sample_force(I, F, T, at, force, work, lin, into):
    """Block of a force element and the rate of its inner state; returns their number."""
    run_some(I, F, T, T[at + N.LOAD_RUNS], T[at + N.LOAD_N_RUNS], lin[T[N.MOVING] :], work, lin)
    f = I[L.AT_FORCES] + L.FORCE_SIZE * force
    call_element(I[f], I, I[f + 1], F, lin[T[N.MOVING] :], lin[T[N.OUT] :], I[f + 2], lin[T[N.JAC] :], I[f + 3], work)
    n = I[f + 4]
    for e in range(n):
        into[e] = lin[T[N.JAC] + I[f + 3] + e]
    into[n] = lin[T[N.OUT] + L.OUTPUT_SIZE * I[f + 2] + L.STATE_RATE]
    return n + 1


@kernel()
def largest(x, at, n):
    """Largest size of some numbers; NaN stays NaN."""
    size = 0.0
    for e in range(n):
        if not abs(x[at + e]) <= size:
            size = abs(x[at + e])
    return size


@kernel()
def extrapolate(T, k, n, h, error, lin):
    """Next row of the table from the values ahead and behind; the best derivative so far stays in the workspace.

    Returns its error, or NaN if the values are not numbers.
    """
    older = lin[T[N.OLDER] :]
    newer = lin[T[N.NEWER] :]
    for e in range(n):
        newer[e] = (lin[T[N.AHEAD] + e] - lin[T[N.BEHIND] + e]) / (2.0 * h)
    if not math.isfinite(largest(newer, 0, n)):
        return math.nan
    if k == 0:
        for e in range(n):
            lin[T[N.BEST] + e] = newer[e]
    factor = 1.0
    for j in range(k):
        factor *= SHRINK * SHRINK
        off = 0.0
        for e in range(n):
            value = newer[j * n + e] + (newer[j * n + e] - older[j * n + e]) / (factor - 1.0)
            newer[(j + 1) * n + e] = value
            off = max(off, abs(value - newer[j * n + e]), abs(value - older[j * n + e]))
        if off <= error:
            error = off
            for e in range(n):
                lin[T[N.BEST] + e] = newer[(j + 1) * n + e]
    for e in range((k + 1) * n):
        older[e] = newer[e]
    return error


@kernel()
def bend(T, n, h, lin):
    """How much the two sides differ, per step."""
    size = 0.0
    for e in range(n):
        size = max(size, abs(lin[T[N.AHEAD] + e] + lin[T[N.BEHIND] + e] - 2.0 * lin[T[N.MIDDLE] + e]))
    return size / h


@kernel()
def has_kink(T, first, before, now, n, h, lin):
    """A smooth function bends ever less over shorter steps; one with a kink by the same amount."""
    slope = 0.0
    for e in range(n):
        slope = max(
            slope, abs(lin[T[N.AHEAD] + e] - lin[T[N.MIDDLE] + e]), abs(lin[T[N.MIDDLE] + e] - lin[T[N.BEHIND] + e])
        )
    slope /= h
    constant = 0.6 * first < before and 0.6 * before < now and now < 1.7 * before
    return constant and now > max(KINK * slope, ROUNDING * largest(lin, T[N.MIDDLE], n) / h)


@kernel()
def differentiate(I, F, T, at, force, kind, column, scale, work, lin):
    """Derivative of a force (or, with force < 0, of a piece) by one column, left in the workspace; returns its error and 1 for a kink.

    The undisturbed values must lie in the workspace.
    """
    error = math.inf
    rows = 0
    first = 0.0
    before = 0.0
    now = 0.0
    n = 0
    h = LONGEST * scale
    keep(T, kind, column, lin)
    for k in range(STEPS):
        if k > 0:
            h /= SHRINK
        for side in range(2):
            vary(I, T, kind, column, h if side == 0 else -h, lin)
            into = lin[T[N.AHEAD] :] if side == 0 else lin[T[N.BEHIND] :]
            if force >= 0:
                n = sample_force(I, F, T, at, force, work, lin, into)
            else:
                n = sample_piece(I, F, T, at, work, lin, into)
            put_back(T, kind, column, lin)
        found = extrapolate(T, rows, n, h, error, lin)
        if not found >= 0.0:  # a long step may leave the domain of a law
            rows = 0
            error = math.inf
            continue
        error = found
        rows += 1
        first = before
        before = now
        now = bend(T, n, h, lin)
        if rows > 2 and error <= SETTLED * largest(lin, T[N.BEST], n):
            break
    if rows == 0:
        for e in range(n):
            lin[T[N.BEST] + e] = math.nan
        return math.nan, 0
    kink = 1 if rows > 2 and has_kink(T, first, before, now, n, h, lin) else 0
    return (0.0 if math.isinf(error) else error), kink


@kernel()
def law_at(I, io, F, called, n_inputs, work):
    """Value of a law whose inputs lie in the first slots of the scratch buffer."""
    if called:
        for k in range(n_inputs):
            work[k] = work[4 * k]
        work[n_inputs] = math.nan
        call_law(I[io + 1], work)
        return work[n_inputs]
    return work[tape_run(I, I[io + 1], F, work, 0)]


@kernel()
def load_law(inputs, n_inputs, which, shift, work):
    """Fill the input slots, one of them shifted."""
    for k in range(n_inputs):
        work[4 * k] = inputs[k] + (shift if k == which else 0.0)
        work[4 * k + 1] = 0.0
        work[4 * k + 2] = 0.0
        work[4 * k + 3] = 0.0


@kernel()
def differentiate_law(I, T, io, F, called, inputs, n_inputs, which, scale, work, lin):
    """Derivative of a law by one of its inputs, left in the workspace; returns its error and 1 for a kink."""
    error = math.inf
    rows = 0
    first = 0.0
    before = 0.0
    now = 0.0
    h = LONGEST * max(abs(inputs[which]), scale)
    for k in range(STEPS):
        if k > 0:
            h /= SHRINK
        for side in range(2 if k > 0 else 3):
            load_law(inputs, n_inputs, which, h if side == 0 else -h if side == 1 else 0.0, work)
            into = lin[T[N.AHEAD] :] if side == 0 else lin[T[N.BEHIND] :] if side == 1 else lin[T[N.MIDDLE] :]
            into[0] = law_at(I, io, F, called, n_inputs, work)
        found = extrapolate(T, rows, 1, h, error, lin)
        if not found >= 0.0:
            rows = 0
            error = math.inf
            continue
        error = found
        rows += 1
        first = before
        before = now
        now = bend(T, 1, h, lin)
        if rows > 2 and error <= SETTLED * abs(lin[T[N.BEST] + 0]):
            break
    if rows == 0:
        lin[T[N.BEST] + 0] = math.nan
        return math.nan, 0
    kink = 1 if rows > 2 and has_kink(T, first, before, now, 1, h, lin) else 0
    return (0.0 if math.isinf(error) else error), kink
