"""Constrained motion by coordinate partitioning: independent coordinates are integrated, the others follow from the constraints.

The integrated vector is that of `cartesian`. Of its dependent positions and velocities only a prediction is taken: at every evaluation
Newton's method moves the dependent coordinates onto the constraints, and their velocities follow linearly. A weight of zero makes a
column independent (`schur`). In space a rotation is no coordinate: its velocity is what is dependent or independent, all Euler
parameters are carried, and corrections turn bodies about their dependent axes only. A measured quantity (a joint angle) is independent
by a row of its own: its value and rate, as predicted, are what the others must fit.

The treatment's data are three addresses: its numbers, the pattern of the rows that the others follow from, and a workspace for it.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_state, move, settle
from pytrammel.kernels.dynamics import (
    FORCES,
    GAMMA,
    JAC,
    LOWER,
    NU,
    OUT,
    PHI,
    PIVOTS,
    RESIDUAL,
    STATE,
    STEP,
    WEIGHTED,
    workspace_in,
)
from pytrammel.kernels.dynamics import WORK as SCRATCH
from pytrammel.kernels.dynamics import Y as ROW
from pytrammel.kernels.engine import data_of
from pytrammel.kernels.equations.cartesian import ALPHA, BETA, ENERGY_MET, ENERGY_NOW, WORK, vector_size
from pytrammel.kernels.evaluate import row_residuals, row_times, run_elements
from pytrammel.kernels.jit import call_routine, floats_at, ints_at, kernel, routine, vector
from pytrammel.kernels.schur import add_transposed, factor, solve_factored, solve_rates, weigh

# numbers of a partition: measure of its quality now, below which to ask for another (0: never), the smallest met, opening above which
# the dependent coordinates are put right, the largest found, how often they were, first row that measures and how many do; then weights
# of the columns, a copy of y, and per measuring row its period (0: none), value and rate
(MEASURE, LEAST, SMALLEST, BOUND, OPENED, CORRECTIONS, FIRST_MEASURED, MEASURED, WEIGHTS) = range(9)
ADDRESS_OF_NUMBERS, ADDRESS_OF_PATTERN, ADDRESS_OF_WORKSPACE = range(3)

ITERATIONS = 15
WEAKENED = 0.5  # share of the largest measure met at which another partition is asked for
SURE = (
    0.25  # of the measure: a correction in scales that cannot lead to another branch, where curvatures are of order one
)
USELESS = 1e-6  # measure below which the dependent coordinates do not follow from the others


@kernel(spread=True)
def partition_of(E):
    """Numbers of the partition, pattern and workspace of the rows that the others follow from."""
    at = ints_at(E[engine.TREATMENT])
    return floats_at(at[ADDRESS_OF_NUMBERS]), ints_at(at[ADDRESS_OF_PATTERN]), floats_at(at[ADDRESS_OF_WORKSPACE])


@kernel()
def keep_measured(I, F, P, v, D, ws, predicted):
    """Rows that measure ask for the value and rate predicted; returns the largest residual of all rows in row scales."""
    at = WEIGHTS + I[L.N_COLUMNS] + vector_size(I)
    count = int(D[MEASURED])
    largest = 0.0
    for k in range(P[L.P_ROWS]):
        row = P[P[L.P_AT_ROWS] + k]
        j = row - int(D[FIRST_MEASURED])
        if 0 <= j < count:
            if predicted:
                D[at + count + j] = ws[PHI][k]
                D[at + 2 * count + j] = row_times(I, P, k, ws[JAC], v)
            off = ws[PHI][k] - D[at + count + j]
            if D[at + j] > 0.0:
                off -= D[at + j] * math.floor(off / D[at + j] + 0.5)
            ws[PHI][k] = off
            ws[NU][k] = D[at + 2 * count + j]
        size = abs(ws[PHI][k]) / F[I[L.AT_ROW_SCALES] + row]
        if not size <= largest:  # also true for NaN
            largest = size
    return largest


@kernel()
def look(I, F, P, t, q, v, D, ws, predicted):
    """Residuals and Jacobian, weighted by the partition, at a state; returns the largest residual in row scales."""
    load_state(I, t, q, v, ws[STATE])
    run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[SCRATCH])
    largest = row_residuals(I, F, P, t, ws[OUT], ws[SCRATCH], ws[STEP], ws[PHI], ws[NU], ws[GAMMA])
    if D[MEASURED] > 0.0:
        largest = keep_measured(I, F, P, v, D, ws, predicted)
    weigh(I, P, ws[JAC], D[WEIGHTS : WEIGHTS + I[L.N_COLUMNS]], ws[WEIGHTED])
    return largest


@kernel()
def quality(I, F, P, ws):
    """Factor the part of the dependent columns; returns the smallest share of a row, all columns counted, that determines them."""
    factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[ROW], ws[LOWER], ws[PIVOTS])
    smallest = 1.0
    for k in range(P[L.P_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        whole = 0.0
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                entry = ws[JAC][I[at + 1] + e] * F[I[L.AT_COLUMN_SCALES] + column]
                whole += entry * entry
        product = ws[PIVOTS][k] * whole
        smallest = min(smallest, 1.0 / product) if product > 0.0 else 0.0
    return math.sqrt(smallest)


@kernel()
def follow(I, F, P, t, q, v, D, ws):
    """Dependent positions and velocities from the independent ones, in place. Returns the largest residual met, or NaN."""
    m = P[L.P_ROWS]
    n = I[L.N_COLUMNS]
    step = ws[STEP]
    correction = math.inf
    opened = 0.0
    for iteration in range(ITERATIONS):
        largest = look(I, F, P, t, q, v, D, ws, iteration == 0)
        if not math.isfinite(largest):
            return math.nan
        if iteration == 0:
            for k in range(m):
                opened = max(opened, abs(ws[PHI][k]))
        if iteration == 0 or correction > 1e-4:
            D[MEASURE] = quality(I, F, P, ws)
            if D[MEASURE] < USELESS:
                return math.nan
        if largest < 4e-16 or correction < 1e-13:
            scales = ws[FORCES]  # not in use yet
            for c in range(n):
                scales[c] = 1.0 / F[I[L.AT_COLUMN_SCALES] + c]
            solve_rates(I, P, ws[JAC], ws[WEIGHTED], scales, ws[LOWER], ws[PIVOTS], ws[NU], 1.0, v, ws[RESIDUAL], step)
            return opened
        for k in range(m):
            ws[RESIDUAL][k] = -ws[PHI][k]
        solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
        for c in range(n):
            step[c] = 0.0
        add_transposed(I, P, ws[WEIGHTED], ws[RESIDUAL], step)
        before = correction
        correction = 0.0
        for c in range(n):
            correction = max(correction, abs(step[c]) / F[I[L.AT_COLUMN_SCALES] + c])
        if correction > SURE * D[MEASURE] or (iteration > 3 and correction > 0.5 * before):
            if largest > 1e-12:
                return math.nan
            correction = 0.0  # rounding: as good as it gets
        move(I, q, step, q)
    return math.nan


@routine(seconds=9.0)
def partitioned_rates(E, t, h, y_at, dy_at, unused):
    I, F, _acting, _shared = data_of(E)
    D, P, W = partition_of(E)
    ws = workspace_in(I, P, W, WORK)
    size = vector_size(I)
    nq = I[L.N_COORDINATES]
    z = nq + I[L.N_COLUMNS]
    given = vector(y_at, size)
    y = D[WEIGHTS + I[L.N_COLUMNS] : WEIGHTS + I[L.N_COLUMNS] + size]
    for c in range(size):
        y[c] = given[c]
    if P[L.P_ROWS] > 0 and math.isnan(follow(I, F, P, t, y[:nq], y[nq:z], D, ws)):
        return math.nan
    return call_routine(E[engine.UNTREATED], E, t, h, y, dy_at, dy_at)


@routine(seconds=4.0)
def hybrid_rates(E, t, h, y_at, dy_at, unused):
    """Stabilised through the dependent coordinates alone: what the independent ones do is not touched by the drift of the others."""
    I, F, _acting, W = data_of(E)
    alpha = W[ALPHA]
    beta = W[BETA]
    W[ALPHA] = 0.0
    W[BETA] = 0.0
    angle = call_routine(E[engine.UNTREATED], E, t, h, y_at, dy_at, dy_at)
    W[ALPHA] = alpha
    W[BETA] = beta
    D, P, W = partition_of(E)
    if math.isnan(angle) or P[L.P_ROWS] == 0 or (alpha == 0.0 and beta == 0.0):
        return angle
    ws = workspace_in(I, P, W, WORK)
    nq = I[L.N_COORDINATES]
    z = nq + I[L.N_COLUMNS]
    y = vector(y_at, vector_size(I))
    v = y[nq:z]
    if D[MEASURED] > 0.0:  # the rates looked at the other rows alone
        look(I, F, P, t, y[:nq], v, D, ws, True)
    else:
        weigh(I, P, ws[JAC], D[WEIGHTS : WEIGHTS + I[L.N_COLUMNS]], ws[WEIGHTED])
    D[MEASURE] = quality(I, F, P, ws)
    if D[MEASURE] < USELESS:
        return math.nan
    for k in range(P[L.P_ROWS]):
        rate = row_times(I, P, k, ws[JAC], v) - ws[NU][k]
        ws[RESIDUAL][k] = -2.0 * alpha * rate - beta * beta * ws[PHI][k]
    solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
    add_transposed(I, P, ws[WEIGHTED], ws[RESIDUAL], vector(dy_at, vector_size(I))[nq:z])
    return angle


@routine(seconds=9.0)
def partitioned_settle(E, t, h, y_at, unused, unused_too):
    """Dependent coordinates follow, at once or where they are off by more than a bound; asks for another partition in time."""
    I, F, _acting, W = data_of(E)
    D, P, own = partition_of(E)
    ws = workspace_in(I, P, own, WORK)
    m = P[L.P_ROWS]
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    y = vector(y_at, vector_size(I))
    q = y[:nq]
    v = y[nq : nq + n]
    at_end = W[engine.AT_STEP_END] != 0.0
    W[engine.AT_STEP_END] = 0.0
    if at_end:
        W[ENERGY_MET] = max(W[ENERGY_MET], W[ENERGY_NOW])
    if m == 0:
        load_state(I, t, q, v, ws[STATE])
        settle(I, F, ws[STATE], q)
        return 0.0
    off = math.inf
    if h != 0.0:  # dependent coordinates would magnify the errors of the independent ones
        load_state(I, t, q, v, ws[STATE])
        settle(I, F, ws[STATE], q)
        return 0.0
    if D[BOUND] > 0.0:
        off = look(I, F, P, t, q, v, D, ws, True)
        D[MEASURE] = quality(I, F, P, ws)
        for k in range(m):
            if at_end:
                W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], abs(ws[PHI][k]))
            off = max(off, abs(ws[NU][k] - row_times(I, P, k, ws[JAC], v)))
    opened = 0.0
    # a weak partition would spread what it puts right: the next one does that better
    if off > D[BOUND] and (D[BOUND] == 0.0 or not at_end or D[MEASURE] >= D[LEAST]):
        opened = follow(I, F, P, t, q, v, D, ws)
        if math.isnan(opened):
            return math.nan
        D[CORRECTIONS] += 1.0 if at_end else 0.0
    settle(I, F, ws[STATE], q)
    if at_end:
        W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], opened)
        D[SMALLEST] = min(D[SMALLEST], D[MEASURE])
        if D[LEAST] > 0.0:
            if D[MEASURE] < D[LEAST]:
                W[engine.CHANGE] = 1.0
            D[LEAST] = max(D[LEAST], WEAKENED * D[MEASURE])
    return opened
