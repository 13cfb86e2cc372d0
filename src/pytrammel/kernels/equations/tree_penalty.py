"""Loops of a tree closed by penalties, with multipliers that are iterated or not: `penalty` along joint coordinates.

A pass is (S + W^-1) d_lam = gamma* - J a with S = J H^-1 J' over the freedoms of the tree; joints of the tree do not yield.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations.penalty import HOLDS, PASSES, PENALTY, TAKEN
from pytrammel.kernels.equations.tree import begin_rates, finish_rates, free_motion, note_openings
from pytrammel.kernels.equations.tree_rows import add_by_rows, factor_rows
from pytrammel.kernels.evaluate import row_times
from pytrammel.kernels.jit import kernel, routine
from pytrammel.kernels.schur import solve_factored
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, room, tree_at


@kernel()
def yielding(E, D, lam):
    """Accelerations and multipliers from the free motion and the factors; False if the multipliers do not settle."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    m = P[L.P_ROWS]
    gamma = room(E, T[T_.W_GAMMA])
    residual = room(E, T[T_.W_RESIDUAL])
    accel = room(E, T[T_.W_ACCEL])
    for k in range(m):
        lam[k] = 0.0
    most = int(D[PASSES])
    before = math.inf
    size = 1e-300
    for done in range(most + 1):
        off = 0.0
        for k in range(m):
            along = row_times(I, P, k, room(E, T[T_.W_JAC]), accel)
            residual[k] = gamma[k] - along
            off = max(off, abs(residual[k]))
            size = max(size, abs(gamma[k]), abs(along))
        if done > 0 and (most == 1 or off <= HOLDS * size or (off < 1e-9 * size and not off < 0.5 * before)):
            D[TAKEN] = max(D[TAKEN], float(done))
            return True
        before = off
        solve_factored(P, room(E, T[T_.W_LOWER]), room(E, T[T_.W_PIVOTS]), residual)
        for k in range(m):
            lam[k] += residual[k]
        add_by_rows(E, residual, room(E, T[T_.W_UDOT]), accel)
    D[TAKEN] = float(most)
    return False


@routine(seconds=8.0)
def tree_penalty_rates(E, t, h, y, dy, unused):
    T = tree_at(E)
    D = bare_floats(E[engine.TREATMENT])
    lam = room(E, T[T_.W_RESIDUAL] + bare_ints(E[engine.PATTERN])[L.P_ROWS])
    room(E, 0)[engine.EVALUATIONS] += 1.0
    begin_rates(E, t, y)
    note_openings(E)
    angle = factor_rows(E, 0.0, 1.0 / D[PENALTY])
    free_motion(E, t)
    if not yielding(E, D, lam) or not finish_rates(E, t, y, lam, dy):
        return math.nan
    return angle
