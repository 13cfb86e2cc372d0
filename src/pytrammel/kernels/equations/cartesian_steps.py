"""Constrained motion in body coordinates for methods that treat the constraints themselves (`steps`)."""

from __future__ import annotations

from pytrammel.kernels import dynamics as K
from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.bodies import load_state
from pytrammel.kernels.dynamics import bare_workspace
from pytrammel.kernels.engine import data_of
from pytrammel.kernels.equations.cartesian import WORK, unknowns
from pytrammel.kernels.evaluate import row_residuals, row_times, run_elements
from pytrammel.kernels.jit import routine
from pytrammel.kernels.mass import inertia_forces, weigh_by_mass
from pytrammel.kernels.schur import add_transposed, factor, solve_factored


@routine()
def cartesian_multipliers(E, t, h, out, unused, unused_too):
    I, _, P, W = data_of(E)
    lam = unknowns(I, P, W)[1]
    for k in range(P[L.P_ROWS]):
        out[k] = lam[k]
    return 0.0


@routine(seconds=3.0)
def cartesian_onto(E, t, h, q, v, unused):
    ints, floats, pattern, W = data_of(E)
    I = bare(ints)
    F = bare(floats)
    P = bare(pattern)
    ws = bare_workspace(I, P, W, WORK)
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
    return 0.0


@routine(seconds=5.0)
def cartesian_balance(E, t, c1, q, moving, unused):
    ints, floats, pattern, W = data_of(E)
    I = bare(ints)
    F = bare(floats)
    P = bare(pattern)
    size = E[engine.SIZE]
    v = advanced(q, size)
    a = advanced(q, 2 * size)
    lam = advanced(q, 3 * size)
    rhs = advanced(q, 4 * size)
    ws = bare_workspace(I, P, W, WORK)
    n = I[L.N_COLUMNS]
    load_state(I, t, q, v, ws[K.STATE])
    run_elements(I, F, ws[K.STATE], ws[K.OUT], ws[K.JAC], ws[K.WORK])
    largest = row_residuals(I, F, P, t, ws[K.OUT], ws[K.WORK], ws[K.STEP], ws[K.PHI], ws[K.NU], ws[K.GAMMA])
    inertia_forces(I, F, ws[K.STATE], ws[K.FORCES])
    K.run_forces(I, F, ws[K.STATE], ws[K.OUT], ws[K.JAC], ws[K.WORK], ws[K.FORCES])
    unbalanced = K.force_balance(I, F, P, a, lam, ws)
    worst = 0.0
    found = -1.0
    for c in range(n):
        rhs[c] = ws[K.ACCEL][c]
        if unbalanced >= largest and abs(ws[K.ACCEL][c]) * F[I[L.AT_COLUMN_SCALES] + c] >= worst:
            worst = abs(ws[K.ACCEL][c]) * F[I[L.AT_COLUMN_SCALES] + c]
            found = float(c)
    for k in range(P[L.P_ROWS]):
        row = P[P[L.P_AT_ROWS] + k]
        rhs[n + k] = -ws[K.PHI][k]
        if I[I[L.AT_ROWS] + L.ROW_SIZE * row + 5] != 0:  # only its rate counts
            rhs[n + k] = (ws[K.NU][k] - row_times(I, P, k, ws[K.JAC], moving)) / c1
        off = abs(rhs[n + k]) / F[I[L.AT_ROW_SCALES] + row]
        if unbalanced < largest and off >= worst:
            worst = off
            found = float(n + k)
    return found
