"""Plain equations y' = f(t, y): formulas as tapes, or a function of the user.

What is kept of an instant is y and y'. The state may be integrated in a scale of its own, z = c y, which changes nothing but rounding.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.engine import N_SHARED, data_of
from pytrammel.kernels.equations.matrices import places
from pytrammel.kernels.jit import call_law, call_routine, floats_at, ints_at, kernel, routine, table_in, vector
from pytrammel.kernels.tape import tape_run

# integers: whether a function gives the rates, its address; then where the tapes of the rates begin
(HAS_FUNCTION, FUNCTION, TAPES) = range(3)
# entries of the workspace after those of all equations: the scale c, then slots of tapes, or arguments and values of the function
(SCALE, BUFFER) = range(N_SHARED, N_SHARED + 2)


@kernel()
def fill(work, y, scale, t):
    """State and time into the first slots of tapes."""
    for c in range(y.size):
        work[4 * c] = y[c] / scale
        for d in range(1, 4):
            work[4 * c + d] = 0.0
    work[4 * y.size] = t
    for d in range(1, 4):
        work[4 * y.size + d] = 0.0


@routine()
def plain_rates(E, t, h, y_at, dy_at, unused):
    I, F, _, W = data_of(E)
    n = E[engine.SIZE]
    y = vector(y_at, n)
    dy = vector(dy_at, n)
    work = W[BUFFER:]
    scale = W[SCALE]
    W[engine.EVALUATIONS] += 1.0
    if I[HAS_FUNCTION] != 0:
        work[0] = t
        for c in range(n):
            work[1 + c] = y[c] / scale
        call_law(I[FUNCTION], work)
        for c in range(n):
            dy[c] = scale * work[1 + n + c]
    else:
        fill(work, y, scale, t)
        for c in range(n):
            dy[c] = scale * work[tape_run(I, I[TAPES + c], F, work, 0)]
    for c in range(n):
        if not math.isfinite(dy[c]):
            return math.nan
    return 1.0


@routine()
def plain_linearise(E, t, h, y_at, dy_at, unused):
    """Derivatives of the rates by the state, exactly, from tapes."""
    I, F, _, W = data_of(E)
    n = E[engine.SIZE]
    slopes = table_in(floats_at(E[engine.MATRICES]), places(n, n)[0], n, n)
    work = W[BUFFER:]
    fill(work, vector(y_at, n), W[SCALE], t)
    for j in range(n):
        work[4 * j + 1] = 1.0
        for c in range(n):
            slopes[c, j] = work[tape_run(I, I[TAPES + c], F, work, 0) + 1]
            if not math.isfinite(slopes[c, j]):
                return math.nan
        work[4 * j + 1] = 0.0
    return 0.0


@routine()
def plain_settle(E, t, h, y_at, unused, unused_too):
    W = floats_at(E[engine.WORKSPACE])
    W[engine.AT_STEP_END] = 0.0
    return 0.0


@routine()
def plain_norm(E, t, h, y_at, y1_at, error_at):
    """Largest error in units of rtol max(|y|, |y1|) + atol, which each entry has for itself."""
    W = floats_at(E[engine.WORKSPACE])
    absolute = floats_at(E[engine.FLOATS])
    n = E[engine.SIZE]
    y = vector(y_at, n)
    y1 = vector(y1_at, n)
    error = vector(error_at, n)
    total = 0.0
    for c in range(n):
        allowed = W[engine.RTOL] * max(abs(y[c]), abs(y1[c])) + W[SCALE] * absolute[c]
        ratio = abs(error[c]) / allowed if allowed > 0.0 or error[c] != 0.0 else 0.0
        if not ratio <= total:  # also true for NaN
            total = ratio
    return total


@routine()
def plain_record(E, t, h, y_at, row_at, unused):
    W = floats_at(E[engine.WORKSPACE])
    n = E[engine.SIZE]
    y = vector(y_at, n)
    row = vector(row_at, 2 * n)
    call_routine(E[engine.RATES], E, t, 0.0, y_at, row[n:], y_at)
    for c in range(n):
        row[c] = y[c] / W[SCALE]
        row[n + c] /= W[SCALE]
    return 0.0


@routine()
def plain_watch(E, t, h, y_at, values_at, unused):
    I = ints_at(E[engine.WATCH_INTS])
    F = floats_at(E[engine.WATCH_FLOATS])
    work = floats_at(E[engine.WATCH_WORK])
    count = E[engine.N_EVENTS]
    values = vector(values_at, count)
    fill(work, vector(y_at, E[engine.SIZE]), floats_at(E[engine.WORKSPACE])[SCALE], t)
    for k in range(count):
        values[k] = work[tape_run(I, I[k], F, work, 0)]
    return 0.0
