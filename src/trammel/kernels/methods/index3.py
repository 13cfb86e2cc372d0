"""Methods that solve for positions on the constraints and for multipliers in one step (index 3): generalised alpha, BDF.

A formula gives velocities and accelerations to positions at the end of the step; Newton's method finds the positions and multipliers with

    [(M + c1/c2 C) R + K/c2, -J'] [ds     ]   [(g + J'lam - M a)/c2]
    [J,                       0 ] [dlam/c2] = [-Phi                ],      dv = c1 R ds,  da = c2 R ds

so scaled that the matrix does not grow with 1/h. R belongs to rotations in space: the formulas are in rotation vectors, which are not
summed like angles. With velocity rows (index 2, after Gear, Gupta and Leimkuhler) the velocities of the formula are moved onto J v = nu
in the mass metric: that is the solution of q' = v - M⁻¹ J'mu with mu eliminated.

What goes on from step to step is the method's own: states are put right for output, not for the next step. These methods know the
equations of constrained motion in body coordinates (`equations.cartesian`, matrices from `equations.exact`).
"""

from __future__ import annotations

import math

from trammel.kernels import dynamics as K
from trammel.kernels import engine
from trammel.kernels import layout as L
from trammel.kernels import linear_layout as N
from trammel.kernels.banded import band_factor, band_solve
from trammel.kernels.bare import bare
from trammel.kernels.bodies import difference, load_state, move
from trammel.kernels.dynamics import bare_workspace
from trammel.kernels.engine import data_of
from trammel.kernels.equations.cartesian import WORK, unknowns
from trammel.kernels.equations.exact import add_entry, add_turned, band_at, band_width, exact_places
from trammel.kernels.evaluate import row_residuals, row_times, run_elements
from trammel.kernels.hermite import between
from trammel.kernels.jit import call_routine, floats_at, ints_at, kernel, routine, table_in, vector
from trammel.kernels.mass import inertia_forces, weigh_by_mass
from trammel.kernels.methods.index3_formulas import (
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
    accelerations_of,
    error_norm,
    go_on_with,
    next_length,
    part,
    shift,
    step_coefficients,
    velocities_of,
)  # fmt: skip
from trammel.kernels.methods.runge_kutta import explicit_step
from trammel.kernels.schur import add_transposed, factor, solve_factored

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
    I, _, P, W = data_of(E)
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
    a, lam = unknowns(I, P, W)
    for c in range(I[L.N_COLUMNS]):
        S[E[AT_ACCEL] + c] = a[c]
        S[E[AT_TRUE] + c] = a[c]
    for k in range(P[L.P_ROWS]):
        S[E[AT_LAM] + k] = lam[k]
    return angle


@kernel()
def starting_step(E, S, t, h, y, y1):
    """An explicit Runge–Kutta step while there are too few past states. Returns the smallest singularity measure."""
    rates = part(S, E[AT_K])
    for c in range(E[engine.SIZE]):
        rates[c] = S[E[AT_F0] + c]
    tableau = part(S, E[AT_TABLEAU])
    return explicit_step(E, t, h, y, E[STAGES], tableau, part(S, E[AT_STARTER]), rates, part(S, E[AT_SCRATCH]), y1)


@kernel()
def onto_velocity_rows(I, F, P, t, q, v, ws):
    """Velocities onto J v = nu by the smallest step in the mass metric."""
    load_state(I, t, q, v, ws[K.STATE])
    run_elements(I, F, ws[K.STATE], ws[K.OUT], ws[K.JAC], ws[K.WORK])
    row_residuals(I, F, P, t, ws[K.OUT], ws[K.WORK], ws[K.STEP], ws[K.PHI], ws[K.NU], ws[K.GAMMA])
    weigh_by_mass(I, F, P, ws[K.STATE], ws[K.JAC], ws[K.WEIGHTED])
    factor(P, ws[K.JAC], ws[K.WEIGHTED], 0.0, ws[K.Y], ws[K.LOWER], ws[K.PIVOTS])
    for _ in range(2):
        for k in range(P[L.P_ROWS]):
            ws[K.RESIDUAL][k] = ws[K.NU][k] - row_times(I, P, k, ws[K.JAC], v)
        solve_factored(P, ws[K.LOWER], ws[K.PIVOTS], ws[K.RESIDUAL])
        add_transposed(I, P, ws[K.WEIGHTED], ws[K.RESIDUAL], v)


@kernel()
def what_is_left(E, I, F, P, S, t, h, c1, c2, q, v, a, lam, rhs, ws):
    """Right-hand side of the system above; v and a are those of the formula. Leaves in S the equation that is worst."""
    n = I[L.N_COLUMNS]
    velocities_of(E, I, S, h, q, v, rhs)
    if E[VELOCITY_ROWS] != 0:
        for c in range(n):
            S[E[AT_NEW] + c] = v[c]
        onto_velocity_rows(I, F, P, t, q, v, ws)
    accelerations_of(E, I, S, h, v, a)
    load_state(I, t, q, v, ws[K.STATE])
    run_elements(I, F, ws[K.STATE], ws[K.OUT], ws[K.JAC], ws[K.WORK])
    largest = row_residuals(I, F, P, t, ws[K.OUT], ws[K.WORK], ws[K.STEP], ws[K.PHI], ws[K.NU], ws[K.GAMMA])
    inertia_forces(I, F, ws[K.STATE], ws[K.FORCES])
    K.run_forces(I, F, ws[K.STATE], ws[K.OUT], ws[K.JAC], ws[K.WORK], ws[K.FORCES])
    unbalanced = K.force_balance(I, F, P, a, lam, ws)
    worst = 0.0
    for c in range(n):
        rhs[c] = ws[K.ACCEL][c] / c2
        if unbalanced >= largest and abs(ws[K.ACCEL][c]) * F[I[L.AT_COLUMN_SCALES] + c] >= worst:
            worst = abs(ws[K.ACCEL][c]) * F[I[L.AT_COLUMN_SCALES] + c]
            S[WORST] = float(c)
    for k in range(P[L.P_ROWS]):
        row = P[P[L.P_AT_ROWS] + k]
        rhs[n + k] = -ws[K.PHI][k]
        if I[I[L.AT_ROWS] + L.ROW_SIZE * row + 5] != 0:  # only its rate counts
            # of the positions: velocity rows hold already
            moving = part(S, E[AT_NEW]) if E[VELOCITY_ROWS] != 0 else v
            rhs[n + k] = (ws[K.NU][k] - row_times(I, P, k, ws[K.JAC], moving)) / c1
        size = abs(rhs[n + k]) / F[I[L.AT_ROW_SCALES] + row]
        if unbalanced < largest and size >= worst:
            worst = size
            S[WORST] = float(n + k)


@kernel()
def add_tangent(I, weight, sign, x, blocks):
    """Add to the blocks of rotations what a small motion at the end changes of a rotation vector: 1 + x~/2 + k x~², x times sign."""
    if I[L.IS_SPATIAL] == 0:
        return
    for b in range(I[L.N_BODIES] - 1):
        c = 6 * b + 3
        square = x[c] * x[c] + x[c + 1] * x[c + 1] + x[c + 2] * x[c + 2]
        k = 1.0 / 12.0 + square / 720.0
        if square > 1e-4:
            half = 0.5 * math.sqrt(square)
            k = (1.0 - half / math.tan(half)) / square
        for i in range(3):
            for j in range(3):
                value = k * x[c + i] * x[c + j]
                if i == j:
                    value += 1.0 - k * square
                elif (j - i) % 3 == 1:
                    value -= 0.5 * sign * x[c + 3 - i - j]
                else:
                    value += 0.5 * sign * x[c + 3 - i - j]
                blocks[3 * (c + i) + j] += weight * value


@kernel()
def make_matrix(E, I, P, S, t, h, c1, c2, q, v, y1, x):
    """Linearise at the positions and velocities at hand, and factorise; False without factors."""
    T = ints_at(E[engine.COUPLING])
    D = floats_at(E[engine.MATRICES])
    size = E[engine.SIZE]
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    nq = I[L.N_COORDINATES]
    for c in range(nq):
        y1[c] = q[c]
    for c in range(n):
        y1[nq + c] = v[c]
    for c in range(nq + n, size):
        y1[c] = S[E[AT_PAST] + c]
    if math.isnan(call_routine(E[engine.LINEARISE], E, t, 1.0, y1, y1, y1)):
        return False
    band = band_at(E, T)
    width = band_width(T, band)
    p = exact_places(size, T[N.T_SIZE], n, m, width)
    blocks = part(D, p[1] + 2)
    for e in range(3 * n):
        blocks[e] = 0.0
    if E[PAST] == 0:
        difference(I, q, part(S, E[AT_PAST]), x)
        add_tangent(I, 1.0, 1.0, x, blocks)
    for j in range(E[PAST]):
        difference(I, part(S, E[AT_PAST] + j * size), q, x)
        add_tangent(I, -S[E[AT_WEIGHTS] + j + 1] / c1, -1.0, x, blocks)
    A = table_in(D, p[1] + 2 + 3 * n, n + m, width)
    fill_matrix(I, P, T, D, E[engine.AT_PATTERN], band, c1, c2, blocks, A)
    if not band_factor(A, T[band], T[band + 1], part(D, p[1] + 2 + 3 * n + (n + m) * width)):
        return False
    S[HELD] = c1
    return True


@kernel()
def fill_matrix(I, P, T, D, at_pattern, band, c1, c2, blocks, A):
    """The matrix above."""
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    for i in range(n + m):
        for j in range(A.shape[1]):
            A[i, j] = 0.0
    count = T[N.T_PLACES]
    for e in range(count):
        row = T[at_pattern + e]
        column = T[at_pattern + count + e]
        add_turned(I, T, band, A, row, column, D[T[N.MASS] + e] + c1 / c2 * D[T[N.DAMPING] + e], blocks)
        add_entry(T, band, A, row, column, D[T[N.STIFFNESS] + e] / c2)
    for k in range(m):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column < 0:
                continue
            place = I[at + 1] + e
            add_entry(T, band, A, column, n + k, -D[T[N.JAC] + place])
            if I[at + 5] == 0:
                add_entry(T, band, A, n + k, column, D[T[N.JAC] + place])
            else:
                add_turned(I, T, band, A, n + k, column, D[T[N.JAC] + place], blocks)
                add_entry(T, band, A, n + k, column, D[T[N.RATE_Q] + place] / c1)


@kernel()
def predict(E, I, P, S, h, failed, q, v, lam, x):
    """Where to begin: accelerations and multipliers as before; after a failure without accelerations, after two at rest."""
    n = I[L.N_COLUMNS]
    nq = I[L.N_COORDINATES]
    for c in range(n):
        v0 = S[E[AT_PAST] + nq + c]
        a0 = S[E[AT_TRUE] + c] if failed == 0 else 0.0
        x[c] = h * (v0 + 0.5 * h * a0) if failed < 2 else 0.0
        v[c] = v0 + h * a0
    move(I, part(S, E[AT_PAST]), x, q)
    for k in range(P[L.P_ROWS]):
        lam[k] = S[E[AT_LAM] + k]


@kernel()
def solve_step(E, I, F, P, W, S, t, h, q, v, a, lam, rhs, y1):
    """Newton's method for positions and multipliers at t; False if it does not converge."""
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    ws = bare_workspace(I, P, W, WORK)
    c1, c2 = step_coefficients(E, S, t - h, h)
    T = ints_at(E[engine.COUPLING])
    D = floats_at(E[engine.MATRICES])
    band = band_at(E, T)
    width = band_width(T, band)
    at = exact_places(E[engine.SIZE], T[N.T_SIZE], n, m, width)[1] + 2 + 3 * n
    A = table_in(D, at, n + m, width)
    order = part(D, at + (n + m) * width)
    ordered = vector(part(rhs, E[engine.SIZE]), n + m)
    predict(E, I, P, S, h, 0, q, v, lam, rhs)
    failed = 0
    for _ in range(REFRESHES):
        fresh = not abs(S[HELD] - c1) <= 1e-6 * c1
        if fresh and not make_matrix(E, I, P, S, t, h, c1, c2, q, v, y1, rhs):
            S[HELD] = 0.0
            return False
        before = math.inf
        rate = 0.0
        norm = 0.0
        stalled = 0
        for iteration in range(ITERATIONS):
            what_is_left(E, I, F, P, S, t, h, c1, c2, q, v, a, lam, rhs, ws)
            for k in range(n + m):
                ordered[T[band + 2 + k]] = rhs[k]
            band_solve(A, T[band], order, ordered)
            for k in range(n + m):
                rhs[k] = ordered[T[band + 2 + k]]
            norm = 0.0
            for c in range(n):
                size = abs(rhs[c]) / F[I[L.AT_COLUMN_SCALES] + c]
                if not size <= norm:  # also true for NaN
                    norm = size
            if not norm < 1e3:
                break
            move(I, q, rhs, q)
            for k in range(m):
                lam[k] += c2 * rhs[n + k]
            rate = norm / before if iteration > 0 and before > 0.0 else 0.0
            left = norm if iteration == 0 else norm * rate / max(1e-3, 1.0 - rate)
            # an iteration more for the multipliers, which velocity rows feed a step late
            if rate > SLOW and norm <= GOOD_ENOUGH:
                stalled += 1
            if (left <= TIGHT and iteration > 2 * E[VELOCITY_ROWS]) or norm <= ROUNDING or stalled > 1:
                if LAZY < rate < SLOW:
                    S[HELD] = 0.0
                what_is_left(E, I, F, P, S, t, h, c1, c2, q, v, a, lam, rhs, ws)
                S[WORST] = -1.0
                return True
            if rate > SLOW and norm > GOOD_ENOUGH:
                break
            before = norm
        S[HELD] = 0.0
        failed += 1 if fresh else 0
        if failed <= 2 and not norm < NEAR:
            # what is stiff has large accelerations and velocities that do not last
            predict(E, I, P, S, h, failed, q, v, lam, rhs)
        if failed > 2 and not norm < 1e3:
            return False
    return False


@kernel()
def implicit_step(E, I, F, P, W, S, t, h, y1):
    """A step by the formula to the time t, with the state at its end but for works; False if it fails."""
    size = E[engine.SIZE]
    n = I[L.N_COLUMNS]
    nq = I[L.N_COORDINATES]
    at = E[AT_SCRATCH]
    q = part(S, at)
    v = part(S, at + size)
    a = part(S, at + 2 * size)
    lam = part(S, at + 3 * size)
    if not solve_step(E, I, F, P, W, S, t, h, q, v, a, lam, part(S, at + 4 * size), y1):
        return False
    for c in range(nq):
        y1[c] = q[c]
    for c in range(n):
        y1[nq + c] = v[c]
    # turn counters: near enough to find the turn
    for c in range(nq - I[L.N_TURNS], nq):
        y1[c] = S[E[AT_PAST] + c] + h * S[E[AT_F0] + c]
    for c in range(nq + n, size):
        y1[c] = S[E[AT_PAST] + c]
    return True


@routine(seconds=15.0)
def index3_attempt(E, t, h, y, y1, unused):
    ints, floats, pattern, W = data_of(E)
    I = bare(ints)
    F = bare(floats)
    P = bare(pattern)
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
            shift(E, I, S, h)
        if not implicit_step(E, I, F, P, W, S, t + h, h, y1):
            return math.nan
    angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, part(S, E[AT_F1]), y1)
    if math.isnan(angle) or math.isnan(closest):
        return math.nan
    if S[STARTING] == 0.0:
        # works, by the trapezoidal rule or the formula
        for c in range(I[L.N_COORDINATES] + I[L.N_COLUMNS] + I[L.N_STATES], size):
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
    go_on_with(E, I, S, unknowns(ints, pattern, W)[0])
    S[ERROR] = error_norm(E, I, S, t, h, y, y1)
    return S[ERROR]


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
    I, _, P, W = data_of(E)
    S = bare(floats_at(E[engine.NUMBERS]))
    size = E[engine.SIZE]
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
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
    a, lam = unknowns(I, P, W)
    own = S[STARTING] == 0.0 and not controlled
    if controlled:
        S[engine.PROPOSED] = next_length(S, S[LENGTH])
        go_on_with(E, I, S, a)
    for c in range(n):
        S[E[AT_JUMP] + c] = S[E[AT_NEW] + c] - S[E[AT_SHIFTED] + c]
        S[E[AT_ACCEL] + c] = S[E[AT_NEW] + c]
        S[E[AT_TRUE_BEFORE] + c] = S[E[AT_TRUE] + c]
        S[E[AT_TRUE] + c] = S[E[AT_SCRATCH] + 2 * size + c] if own else a[c]
        if own:
            S[E[AT_PAST] + nq + c] = S[E[AT_Y1] + nq + c]
    for k in range(P[L.P_ROWS]):
        S[E[AT_LAM] + k] = S[E[AT_SCRATCH] + 3 * size + k] if own else lam[k]
    return angle
