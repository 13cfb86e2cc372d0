"""Implicit equations g(t, y, y') = 0: at every evaluation the highest derivatives are solved for by Newton's method, from the last ones.

Equations of index 2 and 3 come with constraints on the states; every step ends with a projection onto them. The remaining routines are
those of plain equations.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.dense import lu_factor, lu_solve
from pytrammel.kernels.engine import data_of
from pytrammel.kernels.equations.plain import BUFFER, SCALE
from pytrammel.kernels.jit import routine, table_in, vector
from pytrammel.kernels.tape import tape_run

# integers: number of derivatives to solve for, number of constraints on the states; then per state the number of the next one, or of
# the derivative counted from -1 downwards; then where the tapes begin: equations, constraints
COUNT, HELD, SOURCES = 0, 1, 2
ITERATIONS = 30
ROUNDING = 1e-14  # of the largest derivative that was met: no correction is smaller where they pass zero
PROJECTIONS = 10  # iterations of a projection onto the constraints
ON_CONSTRAINTS = 1e-13  # correction relative to the largest state that ends them
STAGNATION = 1e-8  # correction relative to the largest state up to which the projection is accepted
SETTLED = 1e-9  # of the largest derivative: a correction after which Newton's method has all its digits


@routine()
def implicit_rates(E, t, h, y_at, dy_at, unused):
    I, F, _, W = data_of(E)
    n = E[engine.SIZE]
    m = I[COUNT]
    y = vector(y_at, n)
    dy = vector(dy_at, n)
    scale = W[SCALE]
    # derivatives, matrix, its order, correction, largest derivative so far; matrices of the projection; then the slots of tapes: states,
    # derivatives, time
    found = W[BUFFER : BUFFER + m]
    A = table_in(W, BUFFER + m, m, m)
    order = W[BUFFER + m + m * m : BUFFER + 2 * m + m * m]
    step = W[BUFFER + 2 * m + m * m : BUFFER + 3 * m + m * m]
    largest = W[BUFFER + 3 * m + m * m : BUFFER + 3 * m + m * m + 1]
    p = I[HELD]
    work = W[BUFFER + 3 * m + m * m + 1 + p * n + p * p + 2 * p :]
    W[engine.EVALUATIONS] += 1.0
    for c in range(n + m + 1):
        for d in range(4):
            work[4 * c + d] = 0.0
    for c in range(n):
        work[4 * c] = y[c] / scale
    work[4 * (n + m)] = t
    done = False
    for _ in range(ITERATIONS):
        for j in range(m):
            work[4 * (n + j)] = found[j]
        for j in range(m):
            work[4 * (n + j) + 1] = 1.0
            for i in range(m):
                r = tape_run(I, I[SOURCES + n + i], F, work, 0)
                step[i] = -work[r]
                A[i, j] = work[r + 1]
            work[4 * (n + j) + 1] = 0.0
        if not lu_factor(A, order):
            return math.nan
        lu_solve(A, order, step)
        size = 0.0
        change = 0.0
        for j in range(m):
            found[j] += step[j]
            if not math.isfinite(found[j]):
                found[j] = 0.0
                return math.nan
            size = max(size, abs(found[j]))
            change = max(change, abs(step[j]))
        if done:
            break
        largest[0] = max(largest[0], size)
        done = change <= SETTLED * size or change <= ROUNDING * largest[0]
        if change <= ROUNDING * largest[0]:
            break
    if not done:
        return math.nan
    for c in range(n):
        source = I[SOURCES + c]
        dy[c] = y[source] if source >= 0 else scale * found[-1 - source]
    return 1.0


@routine()
def implicit_settle(E, t, h, y_at, unused, unused_too):
    """Project the states onto their constraints by the smallest correction; NaN if that does not converge."""
    I, F, _, W = data_of(E)
    W[engine.AT_STEP_END] = 0.0
    p = I[HELD]
    if p == 0:
        return 0.0
    n = E[engine.SIZE]
    m = I[COUNT]
    y = vector(y_at, n)
    scale = W[SCALE]
    at = BUFFER + 3 * m + m * m + 1
    J = table_in(W, at, p, n)
    S = table_in(W, at + p * n, p, p)
    order = W[at + p * n + p * p : at + p * n + p * p + p]
    step = W[at + p * n + p * p + p : at + p * n + p * p + 2 * p]
    work = W[at + p * n + p * p + 2 * p :]
    for c in range(n + m + 1):
        for d in range(4):
            work[4 * c + d] = 0.0
    work[4 * (n + m)] = t
    before = math.inf
    for _ in range(PROJECTIONS):
        size = 0.0
        for c in range(n):
            work[4 * c] = y[c] / scale
            size = max(size, abs(work[4 * c]))
        for c in range(n):
            work[4 * c + 1] = 1.0
            for i in range(p):
                r = tape_run(I, I[SOURCES + n + m + i], F, work, 0)
                step[i] = -work[r]
                J[i, c] = work[r + 1]
            work[4 * c + 1] = 0.0
        for i in range(p):
            for j in range(p):
                total = 0.0
                for c in range(n):
                    total += J[i, c] * J[j, c]
                S[i, j] = total
        if not lu_factor(S, order):
            return math.nan
        lu_solve(S, order, step)
        change = 0.0
        for c in range(n):
            total = 0.0
            for i in range(p):
                total += J[i, c] * step[i]
            y[c] += scale * total
            change = max(change, abs(total))
        if not math.isfinite(change):
            return math.nan
        if change <= ON_CONSTRAINTS * size or (change <= STAGNATION * size and change >= 0.5 * before):
            return 0.0
        before = change
    return math.nan
