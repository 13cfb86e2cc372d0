"""Constrained motion by penalties, with multipliers that are iterated or not (Bayo's augmented Lagrangian).

M a + J' W (J a - gamma*) = g + J' lam with gamma* = gamma - 2 alpha Phi' - beta² Phi, then lam := lam - W (J a - gamma*), again and
again. With S = J M^-1 J' a pass is (S + W^-1) d_lam = gamma* - J a, a += M^-1 J' d_lam: nothing is stiff. The weight of a row is the
penalty times what the row moves: W^-1 = diag(S) / penalty.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_state
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
    load_inner_states,
    run_forces,
    workspace_in,
)
from pytrammel.kernels.dynamics import WORK as SCRATCH
from pytrammel.kernels.dynamics import Y as ROW
from pytrammel.kernels.engine import data_of
from pytrammel.kernels.equations.cartesian import ALPHA, BETA, WORK, fill_rates, unknowns, vector_size
from pytrammel.kernels.evaluate import row_residuals, row_times, run_elements
from pytrammel.kernels.jit import floats_at, kernel, routine, vector
from pytrammel.kernels.mass import apply_inverse_mass, inertia_forces, weigh_by_mass
from pytrammel.kernels.schur import add_transposed, factor, solve_factored

# numbers of the treatment: the penalty, passes at most, the most that were taken
(PENALTY, PASSES, TAKEN, N_NUMBERS) = range(4)
HOLDS = 1e-12  # of the accelerations along the rows: a constraint that holds


@kernel()
def yielding(I, F, P, D, a, lam, ws):
    """Accelerations and multipliers from forces and factors in the workspace; False if the multipliers do not settle."""
    m = P[L.P_ROWS]
    residual = ws[RESIDUAL]
    apply_inverse_mass(I, F, ws[STATE], ws[FORCES], a)
    for k in range(m):
        lam[k] = 0.0
    most = int(D[PASSES])
    before = math.inf
    size = 1e-300
    for done in range(most + 1):
        off = 0.0
        for k in range(m):
            along = row_times(I, P, k, ws[JAC], a)
            residual[k] = ws[GAMMA][k] - along
            off = max(off, abs(residual[k]))
            size = max(size, abs(ws[GAMMA][k]), abs(along))
        if done > 0 and (most == 1 or off <= HOLDS * size or (off < 1e-9 * size and not off < 0.5 * before)):
            D[TAKEN] = max(D[TAKEN], float(done))
            return True
        before = off
        solve_factored(P, ws[LOWER], ws[PIVOTS], residual)
        for k in range(m):
            lam[k] += residual[k]
        add_transposed(I, P, ws[WEIGHTED], residual, a)
    D[TAKEN] = float(most)
    return False


@routine(seconds=12.0)
def penalty_rates(E, t, h, y_at, dy_at, unused):
    I, F, P, W = data_of(E)
    D = floats_at(E[engine.TREATMENT])
    ws = workspace_in(I, P, W, WORK)
    a, lam = unknowns(I, P, W)
    nq = I[L.N_COORDINATES]
    z = nq + I[L.N_COLUMNS]
    y = vector(y_at, vector_size(I))
    v = y[nq:z]
    W[engine.EVALUATIONS] += 1.0
    load_state(I, t, y[:nq], v, ws[STATE])
    load_inner_states(I, y[z:], ws[STATE])
    run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[SCRATCH])
    row_residuals(I, F, P, t, ws[OUT], ws[SCRATCH], ws[STEP], ws[PHI], ws[NU], ws[GAMMA])
    for k in range(P[L.P_ROWS]):
        rate = row_times(I, P, k, ws[JAC], v) - ws[NU][k]
        ws[GAMMA][k] -= 2.0 * W[ALPHA] * rate + W[BETA] * W[BETA] * ws[PHI][k]
    weigh_by_mass(I, F, P, ws[STATE], ws[JAC], ws[WEIGHTED])
    angle = factor(P, ws[JAC], ws[WEIGHTED], 1.0 / D[PENALTY], ws[ROW], ws[LOWER], ws[PIVOTS])
    inertia_forces(I, F, ws[STATE], ws[FORCES])
    run_forces(I, F, ws[STATE], ws[OUT], ws[JAC], ws[SCRATCH], ws[FORCES])
    if not yielding(I, F, P, D, a, lam, ws):
        return math.nan
    total = 0.0
    for c in range(I[L.N_COLUMNS]):
        total += a[c]
    if not math.isfinite(total):
        return math.nan
    fill_rates(I, F, P, W, y, a, lam, ws, vector(dy_at, vector_size(I)))
    return angle
