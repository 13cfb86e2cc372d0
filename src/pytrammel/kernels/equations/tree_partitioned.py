"""Loops of a tree closed by partitioning: independent joint coordinates are integrated, the others follow from the rows.

The same as `partitioned` for columns that are freedoms of a tree. Without factors of the tree nothing gives way, so that a row arrives
along each freedom with its entry of J B; a weight of zero makes a freedom independent. A ball's rotations are dependent or independent
about each of its axes.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.equations.partitioned import (
    ADDRESS_OF_NUMBERS,
    BOUND,
    CORRECTIONS,
    ITERATIONS,
    LEAST,
    MEASURE,
    SMALLEST,
    SURE,
    USELESS,
    WEAKENED,
    WEIGHTS,
)
from pytrammel.kernels.equations.tree import ALPHA, BETA, ENERGY_MET, ENERGY_NOW, count_turns
from pytrammel.kernels.equations.tree_rows import load, look_at_rows, speeds_at
from pytrammel.kernels.jit import call_routine, kernel, routine
from pytrammel.kernels.schur import factor, solve_factored
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, constants_at, room, tree_at

PASSES = 6  # at most, of speeds with the residual formed anew


@kernel()
def numbers_of(E):
    """Numbers of the partition."""
    return bare_floats(bare_ints(E[engine.TREATMENT])[ADDRESS_OF_NUMBERS])


@kernel()
def row_along(E, k, x):
    """A row times what the freedoms do."""
    T = tree_at(E)
    W = room(E, 0)
    start = T[T[T_.AT_SUPPORT] + 2 * k]
    total = 0.0
    for e in range(T[T[T_.AT_SUPPORT] + 2 * k + 1]):
        node = T[start + 2 * e]
        entry = T[T_.W_Y] + T[start + 2 * e + 1]
        if node < 0:
            total += W[entry] * x[T[T_.N_SPEEDS] - node - 1]
            continue
        at = T[T_.AT_NODES] + T_.NODE_SIZE * node
        for a in range(T[at + T_.SPEEDS]):
            total += W[entry + a] * x[T[at + T_.AT_U] + a]
    return total


@kernel()
def weigh_rows(E, D):
    """J B W of all rows, W the weights of the partition."""
    T = tree_at(E)
    W = room(E, 0)
    shift = T[T_.W_WEIGHTED] - T[T_.W_Y]
    for k in range(bare_ints(E[engine.PATTERN])[L.P_ROWS]):
        start = T[T[T_.AT_SUPPORT] + 2 * k]
        for e in range(T[T[T_.AT_SUPPORT] + 2 * k + 1]):
            node = T[start + 2 * e]
            entry = T[T_.W_Y] + T[start + 2 * e + 1]
            if node < 0:
                W[entry + shift] = W[entry] * D[WEIGHTS + T[T_.N_SPEEDS] - node - 1]
                continue
            at = T[T_.AT_NODES] + T_.NODE_SIZE * node
            for a in range(T[at + T_.SPEEDS]):
                W[entry + shift + a] = W[entry + a] * D[WEIGHTS + T[at + T_.AT_U] + a]


@kernel()
def add_weighted(E, lam, x):
    """x += W (J B)' lam; returns the largest change in scales."""
    T = tree_at(E)
    G = constants_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    scales = T[T_.AT_EXTRA_SCALES] + T[T_.N_POSITIONS] + I[L.N_EXTRAS]
    largest = 0.0
    for k in range(bare_ints(E[engine.PATTERN])[L.P_ROWS]):
        start = T[T[T_.AT_SUPPORT] + 2 * k]
        for e in range(T[T[T_.AT_SUPPORT] + 2 * k + 1]):
            node = T[start + 2 * e]
            entry = T[T_.W_WEIGHTED] + T[start + 2 * e + 1]
            first = T[T_.N_SPEEDS] - node - 1
            count = 1
            if node >= 0:
                first = T[T[T_.AT_NODES] + T_.NODE_SIZE * node + T_.AT_U]
                count = T[T[T_.AT_NODES] + T_.NODE_SIZE * node + T_.SPEEDS]
            for a in range(count):
                change = W[entry + a] * lam[k]
                x[first + a] += change
                size = abs(change) / G[scales + first + a]
                if not size <= largest:  # also true for NaN
                    largest = size
    return largest


@kernel()
def look(E, t, y, D):
    """Residuals, and rows along the freedoms weighted by the partition, at a state; returns the largest residual in row scales."""
    T = tree_at(E)
    W = room(E, 0)
    load(E, t, y)
    largest = look_at_rows(E, t)
    for k in range(T[T_.W_U], T[T_.W_NU]):
        W[k] = 0.0  # nothing gives way
    for k in range(bare_ints(E[engine.PATTERN])[L.P_ROWS]):
        call_routine(T[T_.ROW], E, float(k), 0.0, W, W, W)
    weigh_rows(E, D)
    return largest


@kernel()
def quality(E):
    """Factor the part of the dependent freedoms; returns the smallest share of a row, all freedoms counted, that determines them."""
    T = tree_at(E)
    G = constants_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    factor(
        P,
        room(E, T[T_.W_Y]),
        room(E, T[T_.W_WEIGHTED]),
        0.0,
        room(E, T[T_.W_ROW]),
        room(E, T[T_.W_LOWER]),
        room(E, T[T_.W_PIVOTS]),
    )
    scales = T[T_.AT_EXTRA_SCALES] + T[T_.N_POSITIONS] + I[L.N_EXTRAS]
    smallest = 1.0
    for k in range(P[L.P_ROWS]):
        start = T[T[T_.AT_SUPPORT] + 2 * k]
        whole = 0.0
        for e in range(T[T[T_.AT_SUPPORT] + 2 * k + 1]):
            node = T[start + 2 * e]
            first = T[T_.N_SPEEDS] - node - 1
            count = 1
            if node >= 0:
                first = T[T[T_.AT_NODES] + T_.NODE_SIZE * node + T_.AT_U]
                count = T[T[T_.AT_NODES] + T_.NODE_SIZE * node + T_.SPEEDS]
            for a in range(count):
                entry = W[T[T_.W_Y] + T[start + 2 * e + 1] + a] * G[scales + first + a]
                whole += entry * entry
        product = W[T[T_.W_PIVOTS] + k] * whole
        smallest = min(smallest, 1.0 / product) if product > 0.0 else 0.0
    return math.sqrt(smallest)


@kernel()
def follow_speeds(E, u):
    """Dependent speeds from the independent ones, in place."""
    T = tree_at(E)
    P = bare_ints(E[engine.PATTERN])
    residual = room(E, T[T_.W_RESIDUAL])
    before = math.inf
    for _ in range(PASSES):
        for k in range(P[L.P_ROWS]):
            residual[k] = room(E, T[T_.W_RATE])[k] - row_along(E, k, u)
        solve_factored(P, room(E, T[T_.W_LOWER]), room(E, T[T_.W_PIVOTS]), residual)
        change = add_weighted(E, residual, u)
        if not change < 0.5 * before:  # rounding: as good as it gets
            break
        before = change


@kernel()
def follow(E, t, y, D):
    """Dependent joint coordinates and speeds from the independent ones, in place. Returns the largest residual met, or NaN."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    m = P[L.P_ROWS]
    count = T[T_.N_SPEEDS] + I[L.N_EXTRAS]
    phi = room(E, T[T_.W_PHI])
    residual = room(E, T[T_.W_RESIDUAL])
    step = room(E, T[T_.W_STEP])
    correction = math.inf
    opened = 0.0
    for iteration in range(ITERATIONS):
        largest = look(E, t, y, D)
        if not math.isfinite(largest):
            return math.nan
        if iteration == 0:
            for k in range(m):
                opened = max(opened, abs(phi[k]))
        if iteration == 0 or correction > 1e-4:
            D[MEASURE] = quality(E)
            if D[MEASURE] < USELESS:
                return math.nan
        if largest < 4e-16 or correction < 1e-13:
            follow_speeds(E, advanced(y, speeds_at(I, T)))
            return opened
        for k in range(m):
            residual[k] = -phi[k]
        solve_factored(P, room(E, T[T_.W_LOWER]), room(E, T[T_.W_PIVOTS]), residual)
        for c in range(count):
            step[c] = 0.0
        before = correction
        correction = add_weighted(E, residual, step)
        if not correction <= SURE * D[MEASURE] or (iteration > 3 and correction > 0.5 * before):
            if not largest <= 1e-12:
                return math.nan
            correction = 0.0  # rounding: as good as it gets
        call_routine(T[T_.MOVE], E, t, 0.0, y, step, step)
        for x in range(I[L.N_EXTRAS]):
            y[T[T_.N_POSITIONS] + x] += step[T[T_.N_SPEEDS] + x]
    return math.nan


@routine(seconds=6.0)
def tree_partitioned_rates(E, t, h, given, dy, unused):
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    D = numbers_of(E)
    y = advanced(D, WEIGHTS + T[T_.N_SPEEDS] + I[L.N_EXTRAS])
    for c in range(E[engine.SIZE]):
        y[c] = given[c]
    if bare_ints(E[engine.PATTERN])[L.P_ROWS] > 0 and math.isnan(follow(E, t, y, D)):
        return math.nan
    return call_routine(E[engine.UNTREATED], E, t, h, y, dy, dy)


@routine(seconds=4.0)
def tree_hybrid_rates(E, t, h, y, dy, unused):
    """Stabilised through the dependent joint coordinates alone."""
    T = tree_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    D = numbers_of(E)
    alpha = W[ALPHA]
    beta = W[BETA]
    W[ALPHA] = 0.0
    W[BETA] = 0.0
    angle = call_routine(E[engine.UNTREATED], E, t, h, y, dy, dy)
    W[ALPHA] = alpha
    W[BETA] = beta
    if math.isnan(angle) or P[L.P_ROWS] == 0 or (alpha == 0.0 and beta == 0.0):
        return angle
    look(E, t, y, D)
    D[MEASURE] = quality(E)
    if D[MEASURE] < USELESS:
        return math.nan
    first = speeds_at(I, T)
    residual = room(E, T[T_.W_RESIDUAL])
    for k in range(P[L.P_ROWS]):
        rate = row_along(E, k, advanced(y, first)) - W[T[T_.W_RATE] + k]
        residual[k] = -2.0 * alpha * rate - beta * beta * W[T[T_.W_PHI] + k]
    solve_factored(P, room(E, T[T_.W_LOWER]), room(E, T[T_.W_PIVOTS]), residual)
    add_weighted(E, residual, advanced(dy, first))
    return angle


@routine(seconds=6.0)
def tree_partitioned_settle(E, t, h, y, unused, unused_too):
    """Dependent joint coordinates follow, at once or where they are off by more than a bound; asks for another partition in time."""
    T = tree_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    D = numbers_of(E)
    m = P[L.P_ROWS]
    at_end = W[engine.AT_STEP_END] != 0.0
    W[engine.AT_STEP_END] = 0.0
    if at_end:
        W[ENERGY_MET] = max(W[ENERGY_MET], W[ENERGY_NOW])
    step = room(E, T[T_.W_STEP])
    for c in range(T[T_.N_SPEEDS]):
        step[c] = 0.0
    call_routine(T[T_.MOVE], E, t, 0.0, y, step, step)  # Euler parameters of length one
    opened = 0.0
    if m == 0:
        load(E, t, y)
    else:
        off = math.inf
        if D[BOUND] > 0.0:
            off = look(E, t, y, D)
            D[MEASURE] = quality(E)
            for k in range(m):
                if at_end:
                    W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], abs(W[T[T_.W_PHI] + k]))
                off = max(off, abs(W[T[T_.W_RATE] + k] - row_along(E, k, advanced(y, speeds_at(I, T)))))
        # a weak partition would spread what it puts right: the next one does that better
        if off > D[BOUND] and (D[BOUND] == 0.0 or not at_end or D[MEASURE] >= D[LEAST]):
            opened = follow(E, t, y, D)
            if math.isnan(opened):
                return math.nan
            D[CORRECTIONS] += 1.0 if at_end else 0.0
    if I[L.N_TURNS] > 0:
        count_turns(E, y)
    if at_end and m > 0:
        W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], opened)
        D[SMALLEST] = min(D[SMALLEST], D[MEASURE])
        if D[LEAST] > 0.0:
            if D[MEASURE] < D[LEAST]:
                W[engine.CHANGE] = 1.0
            D[LEAST] = max(D[LEAST], WEAKENED * D[MEASURE])
    return opened
