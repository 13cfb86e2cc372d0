"""The matrix of methods on index 3 (`index3`) in fewer coordinates: differences of what is left along the formula, dense."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.bare import bare
from pytrammel.kernels.dense import lu_factor, lu_solve
from pytrammel.kernels.equations.fewer_steps import rooms
from pytrammel.kernels.equations.steps import FIRST, PULL, ROOM, ROWS, N, move, room_of, steps_of
from pytrammel.kernels.jit import call_routine, floats_at, kernel, routine, table_in, vector
from pytrammel.kernels.methods.index3_formulas import AT_SCRATCH, part, what_is_left

NUDGE = 1.5e-8  # of a scale: balances truncation and rounding of a difference


@kernel(spread=True)
def matrix_at(E, M):
    """The matrix and its order, behind the room of the equations."""
    D = floats_at(M[ROOM])
    at = rooms(E, M)[5]
    count = M[N] + M[ROWS]
    return table_in(D, at, count, count), D[at + count * count : at + count * count + count]


@routine(seconds=4.0)
def index3_differenced_matrix(E, t, h, kept, unused, unused_too):
    """Factors at the positions and multipliers of the scratch; NaN without. There must be room for positions."""
    M = steps_of(E)
    S = bare(floats_at(E[engine.NUMBERS]))
    scales = room_of(M)
    size = E[engine.SIZE]
    n = M[N]
    m = M[ROWS]
    q = part(S, E[AT_SCRATCH])
    rhs = part(S, E[AT_SCRATCH] + 4 * size)
    here = part(S, E[AT_SCRATCH] + 5 * size)
    A, order = matrix_at(E, M)
    for c in range(M[FIRST]):
        kept[c] = q[c]
    step = part(scales, rooms(E, M)[2])
    what_is_left(E, M, S, t, h)
    for k in range(m):
        for j in range(m):
            A[n + j, n + k] = 0.0
            here[j] = 0.0
        here[k] = 1.0
        call_routine(M[PULL], E, t, 0.0, here, step, step)
        for c in range(n):
            A[c, n + k] = -step[c]
    for c in range(n + m):
        here[c] = rhs[c]
    for j in range(n):
        for c in range(n):
            step[c] = 0.0
        step[j] = NUDGE * scales[j]
        move(M, kept, step, q)
        what_is_left(E, M, S, t, h)
        for c in range(n + m):
            A[c, j] = (here[c] - rhs[c]) / (NUDGE * scales[j])
            if not math.isfinite(A[c, j]):
                return math.nan
    for c in range(M[FIRST]):
        q[c] = kept[c]
    return 0.0 if lu_factor(A, order) else math.nan


@routine(seconds=1.0)
def index3_differenced_solve(E, t, h, r, unused, unused_too):
    M = steps_of(E)
    A, order = matrix_at(E, M)
    lu_solve(A, order, vector(r, M[N] + M[ROWS]))
    return 0.0
