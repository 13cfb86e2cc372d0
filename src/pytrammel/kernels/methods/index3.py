"""Methods that solve for positions on the constraints and for multipliers in one step (index 3): generalised alpha, BDF.

A formula gives velocities and accelerations to positions at the end of the step; Newton's method finds the positions and multipliers with

    [(M + c1/c2 C) R + K/c2, -J'] [ds     ]   [(g + J'lam - M a)/c2]
    [J,                       0 ] [dlam/c2] = [-Phi                ],      dv = c1 R ds,  da = c2 R ds

so scaled that the matrix does not grow with 1/h. R belongs to rotations in space: the formulas are in rotation vectors, which are not
summed like angles. With velocity rows (index 2, after Gear, Gupta and Leimkuhler) the velocities of the formula are moved onto J v = nu
in the mass metric: that is the solution of q' = v - M⁻¹ J'mu with mu eliminated.

What goes on from step to step is the method's own: states are put right for output, not for the next step. What these methods ask of
equations beside the rates is in `equations.steps`; the matrix comes from exact derivatives in body coordinates (`index3_exact`), from
differences in fewer coordinates (`index3_differenced`).
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.bare import bare
from pytrammel.kernels.equations.steps import (
    CARRIED,
    FIRST,
    MATRIX,
    MULTIPLIERS,
    ROWS,
    SOLVE,
    STEPS,
    N,
    move,
    room_of,
    steps_of,
)
from pytrammel.kernels.hermite import between
from pytrammel.kernels.jit import call_routine, floats_at, kernel, routine, vector
from pytrammel.kernels.methods.index3_formulas import (
    AT_ACCEL,
    AT_BEFORE,
    AT_F0,
    AT_F1,
    AT_JUMP,
    AT_K,
    AT_LAM,
    AT_NEW,
    AT_PAST,
    AT_SCRATCH,
    AT_SHIFTED,
    AT_STARTER,
    AT_TABLEAU,
    AT_TIMES,
    AT_TRUE,
    AT_TRUE_BEFORE,
    AT_WEIGHTS,
    AT_Y0,
    AT_Y1,
    COUNT,
    ERROR,
    HELD,
    LENGTH,
    PAST,
    PREVIOUS,
    STAGES,
    STARTING,
    VELOCITY_ROWS,
    WORST,
    error_norm,
    go_on_with,
    next_length,
    part,
    shift,
    step_coefficients,
    what_is_left,
)  # fmt: skip
from pytrammel.kernels.methods.runge_kutta import explicit_step

ITERATIONS = 12  # with one matrix
REFRESHES = 6
TIGHT = 1e-15  # of the scales: what is left of an iteration; accelerations see it over h²
ROUNDING = 4e-16  # of the scales: nothing is left to be found
GOOD_ENOUGH = 1e-11  # an iteration that gets no further twice is at its end
NEAR = 1e-6  # a correction after which it is not worth while to begin again
SLOW = 0.5  # share of the correction that the next one may have
LAZY = 0.05  # share above which the next step gets a matrix of its own


@routine()
def index3_start(E, t, h, y, unused, unused_too):
    if E[STEPS] == 0:
        return math.nan
    M = steps_of(E)
    S = bare(floats_at(E[engine.NUMBERS]))
    S[PREVIOUS] = 0.0
    S[COUNT] = 1.0
    S[HELD] = 0.0
    S[WORST] = -1.0
    S[engine.PROPOSED] = 0.0
    S[E[AT_TIMES]] = t
    for c in range(E[engine.SIZE]):
        S[E[AT_PAST] + c] = y[c]
    angle = call_routine(E[engine.RATES], E, t, 0.0, y, part(S, E[AT_F0]), y)
    for c in range(M[N]):
        S[E[AT_ACCEL] + c] = S[E[AT_F0] + M[FIRST] + c]
        S[E[AT_TRUE] + c] = S[E[AT_F0] + M[FIRST] + c]
    put_multipliers(E, M, part(S, E[AT_LAM]))
    return angle


@kernel()
def put_multipliers(E, M, out):
    """Multipliers of the last evaluation, from which fewer coordinates count theirs."""
    if M[MULTIPLIERS] != 0:
        call_routine(M[MULTIPLIERS], E, 0.0, 0.0, out, out, out)
        return
    for k in range(M[ROWS]):
        out[k] = 0.0


@kernel()
def starting_step(E, S, t, h, y, y1):
    """An explicit Runge–Kutta step while there are too few past states. Returns the smallest singularity measure."""
    rates = part(S, E[AT_K])
    for c in range(E[engine.SIZE]):
        rates[c] = S[E[AT_F0] + c]
    tableau = part(S, E[AT_TABLEAU])
    return explicit_step(E, t, h, y, E[STAGES], tableau, part(S, E[AT_STARTER]), rates, part(S, E[AT_SCRATCH]), y1)


@kernel()
def predict(E, M, S, h, failed, q, v, lam, x):
    """Where to begin: accelerations and multipliers as before; after a failure without accelerations, after two at rest."""
    for c in range(M[N]):
        v0 = S[E[AT_PAST] + M[FIRST] + c]
        a0 = S[E[AT_TRUE] + c] if failed == 0 else 0.0
        x[c] = h * (v0 + 0.5 * h * a0) if failed < 2 else 0.0
        v[c] = v0 + h * a0
    move(M, part(S, E[AT_PAST]), x, q)
    for k in range(M[ROWS]):
        lam[k] = S[E[AT_LAM] + k]


@kernel()
def solve_step(E, M, S, t, h, y1):
    """Newton's method for positions and multipliers at t; False if it does not converge."""
    size = E[engine.SIZE]
    q = part(S, E[AT_SCRATCH])
    v = part(S, E[AT_SCRATCH] + size)
    lam = part(S, E[AT_SCRATCH] + 3 * size)
    rhs = part(S, E[AT_SCRATCH] + 4 * size)
    scales = room_of(M)
    n = M[N]
    c1, c2 = step_coefficients(E, S, t - h, h)
    predict(E, M, S, h, 0, q, v, lam, rhs)
    failed = 0
    for _ in range(REFRESHES):
        fresh = not abs(S[HELD] - c1) <= 1e-6 * c1
        if fresh:
            if math.isnan(call_routine(M[MATRIX], E, t, h, y1, y1, y1)):
                S[HELD] = 0.0
                return False
            S[HELD] = c1
        before = math.inf
        rate = 0.0
        norm = 0.0
        stalled = 0
        for iteration in range(ITERATIONS):
            what_is_left(E, M, S, t, h)
            call_routine(M[SOLVE], E, t, h, rhs, rhs, rhs)
            norm = 0.0
            for c in range(n):
                change = abs(rhs[c]) / scales[c]
                if not change <= norm:  # also true for NaN
                    norm = change
            if not norm < 1e3:
                break
            move(M, q, rhs, q)
            for k in range(M[ROWS]):
                lam[k] += c2 * rhs[n + k]
            rate = norm / before if iteration > 0 and before > 0.0 else 0.0
            left = norm if iteration == 0 else norm * rate / max(1e-3, 1.0 - rate)
            # an iteration more for the multipliers, which velocity rows feed a step late
            if rate > SLOW and norm <= GOOD_ENOUGH:
                stalled += 1
            if (left <= TIGHT and iteration > 2 * E[VELOCITY_ROWS]) or norm <= ROUNDING or stalled > 1:
                if LAZY < rate < SLOW:
                    S[HELD] = 0.0
                what_is_left(E, M, S, t, h)
                S[WORST] = -1.0
                return True
            if rate > SLOW and norm > GOOD_ENOUGH:
                break
            before = norm
        S[HELD] = 0.0
        failed += 1 if fresh else 0
        if failed <= 2 and not norm < NEAR:
            # what is stiff has large accelerations and velocities that do not last
            predict(E, M, S, h, failed, q, v, lam, rhs)
        if failed > 2 and not norm < 1e3:
            return False
    return False


@kernel()
def implicit_step(E, M, S, t, h, y1):
    """A step by the formula to the time t, with the state at its end but for works; False if it fails."""
    if not solve_step(E, M, S, t, h, y1):
        return False
    size = E[engine.SIZE]
    first = M[FIRST]
    for c in range(first - M[CARRIED]):
        y1[c] = S[E[AT_SCRATCH] + c]
    # turn counters: near enough to find the turn
    for c in range(first - M[CARRIED], first):
        y1[c] = S[E[AT_PAST] + c] + h * S[E[AT_F0] + c]
    for c in range(M[N]):
        y1[first + c] = S[E[AT_SCRATCH] + size + c]
    for c in range(first + M[N], size):
        y1[c] = S[E[AT_PAST] + c]
    return True


@routine(seconds=6.0)
def index3_attempt(E, t, h, y, y1, unused):
    M = steps_of(E)
    S = bare(floats_at(E[engine.NUMBERS]))
    size = E[engine.SIZE]
    S[LENGTH] = h
    for c in range(size):
        S[E[AT_Y0] + c] = y[c]
    closest = 1.0
    S[STARTING] = 1.0 if S[COUNT] < E[PAST] else 0.0
    if S[STARTING] != 0.0:
        closest = starting_step(E, S, t, h, y, y1)
    else:
        if E[PAST] == 0:
            shift(E, M, S, h)
        if not implicit_step(E, M, S, t + h, h, y1):
            return math.nan
    angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, part(S, E[AT_F1]), y1)
    if math.isnan(angle) or math.isnan(closest):
        return math.nan
    if S[STARTING] == 0.0:
        # works, by the trapezoidal rule or the formula
        for c in range(E[engine.N_ACTIVE], size):
            if E[PAST] == 0:
                y1[c] += 0.5 * h * (S[E[AT_F0] + c] + S[E[AT_F1] + c])
            else:
                y1[c] = S[E[AT_F1] + c]
                for j in range(E[PAST]):
                    y1[c] -= S[E[AT_WEIGHTS] + j + 1] * S[E[AT_PAST] + j * size + c]
                y1[c] /= S[E[AT_WEIGHTS]]
    for c in range(size):
        S[E[AT_Y1] + c] = y1[c]
    S[engine.CLOSEST] = min(closest, angle)
    S[engine.AT_END] = angle
    if S[engine.FIXED] != 0.0:
        return 0.0
    go_on_with(E, M, S, part(S, E[AT_F1] + M[FIRST]))
    S[ERROR] = error_norm(E, M, S, t, h, y, y1)
    works_error(E, S, h, part(S, E[AT_SCRATCH]))
    engine.note_works(E, S, part(S, E[AT_SCRATCH]))
    return S[ERROR]


@kernel()
def works_error(E, S, h, out):
    """Error of the trapezoidal rule for works, from powers at the ends of this step and at the beginning of the one before."""
    size = E[engine.SIZE]
    before = S[PREVIOUS]
    for c in range(E[engine.N_ACTIVE], size):
        rise = S[E[AT_F1] + c] - S[E[AT_F0] + c]
        if before > 0.0:
            rise -= h / before * (S[E[AT_F0] + c] - S[E[AT_BEFORE] + size + c])
            out[c] = h * h / (6.0 * (h + before)) * rise
        else:
            out[c] = 0.5 * h * rise


@routine()
def index3_dense(E, t, h, y, unused, unused_too):
    return 0.0


@routine()
def index3_between(E, t, theta, y_at, out_at, unused):
    S = bare(floats_at(E[engine.NUMBERS]))
    size = E[engine.SIZE]
    between(
        theta, S[LENGTH], vector(y_at, size), part(S, E[AT_F0]), part(S, E[AT_Y1]), part(S, E[AT_F1]),
        S[PREVIOUS], part(S, E[AT_BEFORE]), part(S, E[AT_BEFORE] + size), vector(out_at, size),
    )  # fmt: skip
    return 0.0


@routine()
def index3_place(E, t, number, y, out, unused):
    return 0.0


@routine()
def index3_accept(E, t, h, y, unused, unused_too):
    """Go on from the positions of the settled end and the method's own velocities."""
    M = steps_of(E)
    S = bare(floats_at(E[engine.NUMBERS]))
    size = E[engine.SIZE]
    nq = M[FIRST]
    for j in range(E[PAST] - 1, 0, -1):
        S[E[AT_TIMES] + j] = S[E[AT_TIMES] + j - 1]
        for c in range(size):
            S[E[AT_PAST] + j * size + c] = S[E[AT_PAST] + (j - 1) * size + c]
    S[E[AT_TIMES]] = t
    S[COUNT] += 1.0
    for c in range(size):
        S[E[AT_PAST] + c] = y[c]
        S[E[AT_BEFORE] + c] = S[E[AT_Y0] + c]
        S[E[AT_BEFORE] + size + c] = S[E[AT_F0] + c]
    S[PREVIOUS] = S[LENGTH]
    controlled = S[engine.FIXED] == 0.0
    angle = call_routine(E[engine.RATES], E, t, 0.0, y, part(S, E[AT_F0]), y)
    a = part(S, E[AT_F0] + nq)
    own = S[STARTING] == 0.0 and not controlled
    if controlled:
        S[engine.PROPOSED] = next_length(S, S[LENGTH])
        go_on_with(E, M, S, a)
    for c in range(M[N]):
        S[E[AT_JUMP] + c] = S[E[AT_NEW] + c] - S[E[AT_SHIFTED] + c]
        S[E[AT_ACCEL] + c] = S[E[AT_NEW] + c]
        S[E[AT_TRUE_BEFORE] + c] = S[E[AT_TRUE] + c]
        S[E[AT_TRUE] + c] = S[E[AT_SCRATCH] + 2 * size + c] if own else a[c]
        if own:
            S[E[AT_PAST] + nq + c] = S[E[AT_Y1] + nq + c]
    if not own:
        put_multipliers(E, M, part(S, E[AT_LAM]))
        return angle
    for k in range(M[ROWS]):
        S[E[AT_LAM] + k] = S[E[AT_SCRATCH] + 3 * size + k]
    return angle
