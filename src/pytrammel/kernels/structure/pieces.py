"""What drivers of straight kernels ask for, made of the general kernels. They are only ever specialised, never called."""

from __future__ import annotations

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import coordinate_rates, load_ground, load_state, move, settle, state_size
from pytrammel.kernels.continuation import is_continuation, predict
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
    WORK,
    Y,
    accelerations,
    solved_motion,
    workspace,
)
from pytrammel.kernels.engine import N_SHARED
from pytrammel.kernels.equations.cartesian import fill_rates, motion_norm
from pytrammel.kernels.evaluate import row_residuals, row_times, run_elements
from pytrammel.kernels.instant import END, fill_scales, instant_places, instant_workspace, prescribe
from pytrammel.kernels.jit import kernel
from pytrammel.kernels.mass import weigh_by_mass
from pytrammel.kernels.measures import measure_rows
from pytrammel.kernels.schur import add_transposed, factor, fill_weights, solve_factored, weigh


@kernel()
def piece_rates(I, F, P, t, y, dy, lam):
    """Rates of [q, v] and multipliers; returns the singularity measure, NaN where something is not a number."""
    ws = workspace(I, P)
    load_ground(I, ws[STATE])
    q = y
    nq = I[L.N_COORDINATES]
    v = y[nq:]
    a = dy[nq:]
    angle = accelerations(I, F, P, t, q, v, v, 0.0, 0.0, a, lam, ws)
    coordinate_rates(I, F, ws[STATE], q, v, dy)
    return angle


@kernel()
def piece_motion(I, F, P, t, y, dy):
    """Rates of [q, v]; returns the singularity measure."""
    return piece_rates(I, F, P, t, y, dy, np.zeros(P[L.P_ROWS]))


@kernel()
def piece_vector(I, F, P, t, y, dy, lam):
    """Rates of all that is integrated, and multipliers; returns the singularity measure in the mass metric and the largest opening."""
    ws = workspace(I, P)
    load_ground(I, ws[STATE])
    nq = I[L.N_COORDINATES]
    z = nq + I[L.N_COLUMNS]
    a = np.zeros(I[L.N_COLUMNS])
    angle = solved_motion(I, F, P, t, y, y[nq:], y[z:], 0.0, 0.0, a, lam, ws)
    fill_rates(I, F, P, np.zeros(N_SHARED), y, a, lam, ws, dy)
    opened = 0.0
    for k in range(P[L.P_ROWS]):
        opened = max(opened, abs(ws[PHI][k]))
    return angle, opened


@kernel()
def piece_norm(I, F, P, t, x, out):
    """Error of a step in units of what is allowed; x: the two tolerances, y before and after, error."""
    size = I[L.N_COORDINATES] + I[L.N_COLUMNS]
    out[0] = motion_norm(I, F, x[0], x[1], x[2:], x[2 + size :], x[2 + 2 * size :])


@kernel()
def largest_step(I, F, step):
    """A step, in scales."""
    size = 0.0
    for c in range(I[L.N_COLUMNS]):
        size = max(size, abs(step[c]) / F[I[L.AT_COLUMN_SCALES] + c])
    return size


@kernel()
def piece_project(I, F, P, t, y, out):
    """[q, v] brought onto the constraints by one correction in the mass metric; returns residual and correction, in scales."""
    ws = workspace(I, P)
    load_ground(I, ws[STATE])
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    v = y[nq:]
    v_to = out[nq:]
    load_state(I, t, y, v, ws[STATE])
    run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
    largest = row_residuals(I, F, P, t, ws[OUT], ws[WORK], ws[STEP], ws[PHI], ws[NU], ws[GAMMA])
    weigh_by_mass(I, F, P, ws[STATE], ws[JAC], ws[WEIGHTED])
    factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
    for k in range(P[L.P_ROWS]):
        ws[RESIDUAL][k] = -ws[PHI][k]
    solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
    for c in range(n):
        ws[STEP][c] = 0.0
    add_transposed(I, P, ws[WEIGHTED], ws[RESIDUAL], ws[STEP])
    correction = largest_step(I, F, ws[STEP])
    move(I, y, ws[STEP], out)
    settle(I, F, ws[STATE], out)
    for c in range(n):
        v_to[c] = v[c]
    for k in range(P[L.P_ROWS]):
        ws[RESIDUAL][k] = ws[NU][k] - row_times(I, P, k, ws[JAC], v)
    solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
    add_transposed(I, P, ws[WEIGHTED], ws[RESIDUAL], v_to)
    return largest, correction


@kernel()
def solved(I, P, rhs, x, ws):
    """x += W J' S^-1 (rhs - J x)."""
    for k in range(P[L.P_ROWS]):
        ws[RESIDUAL][k] = rhs[k] - row_times(I, P, k, ws[JAC], x)
    solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
    add_transposed(I, P, ws[WEIGHTED], ws[RESIDUAL], x)


@kernel()
def piece_correct(I, F, P, t, place, out):
    """One Newton correction of a kinematic position. Returns residual, correction (both in scales) and singularity measure."""
    ws = workspace(I, P)
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    for c in range(nq + 2 * n):
        out[c] = place[c]
    return corrected(I, F, P, t, out, out[nq:], out[nq + n :], ws)


@kernel()
def corrected(I, F, P, t, q, v, a, ws):
    """One Newton correction of q, in place; leaves Jacobian and factors of the place before it."""
    n = I[L.N_COLUMNS]
    weights = ws[FORCES]
    load_ground(I, ws[STATE])
    prescribe(I, F, t, ws[WORK], q, v, a)
    fill_weights(I, F, weights)
    load_state(I, t, q, v, ws[STATE])
    run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
    largest = row_residuals(I, F, P, t, ws[OUT], ws[WORK], ws[STEP], ws[PHI], ws[NU], ws[GAMMA])
    weigh(I, P, ws[JAC], weights, ws[WEIGHTED])
    angle = factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
    for k in range(P[L.P_ROWS]):
        ws[RESIDUAL][k] = -ws[PHI][k]
    solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
    for c in range(n):
        ws[STEP][c] = 0.0
    add_transposed(I, P, ws[WEIGHTED], ws[RESIDUAL], ws[STEP])
    correction = largest_step(I, F, ws[STEP])
    move(I, q, ws[STEP], q)
    settle(I, F, ws[STATE], q)
    return largest, correction, angle


@kernel()
def piece_instant(I, F, P, t, place, out):
    """The same, and the velocities and accelerations that belong to the place before the correction."""
    ws = workspace(I, P)
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    v = out[nq:]
    a = out[nq + n :]
    for c in range(nq + 2 * n):
        out[c] = place[c]
    largest, correction, angle = corrected(I, F, P, t, out, v, a, ws)
    solved(I, P, ws[NU], v, ws)
    # quadratic terms with the velocities just found; what depends on places alone is not computed again
    q = np.zeros(nq)
    for c in range(nq):
        q[c] = place[c]
    prescribe(I, F, t, ws[WORK], q, v, a)
    load_state(I, t, q, v, ws[STATE])
    run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
    row_residuals(I, F, P, t, ws[OUT], ws[WORK], ws[STEP], ws[PHI], ws[NU], ws[GAMMA])
    solved(I, P, ws[GAMMA], a, ws)
    return largest, correction, angle


@kernel()
def piece_ahead(I, F, P, h, place, out):
    """Where a motion with constant acceleration leads in the time h."""
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    predict(I, h, place, place[nq:], place[nq + n :], out, out[nq:], out[nq + n :], np.zeros(n))


@kernel()
def piece_goes_on(I, F, P, h, places, out):
    """Whether the motion leads from the first place to the second in the time h: 1, or 0."""
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    to = places[nq + 2 * n :]
    ws = instant_workspace(I, P, np.zeros(instant_places(I, P)[END]))
    fill_scales(I, F, ws)
    out[0] = 1.0 if is_continuation(I, h, places, places[nq:], places[nq + n :], to, to[nq:], ws) else 0.0


@kernel()
def piece_measures(I, F, t, place, values):
    """Values, then rates, then second rates of the rows of a measuring system at q, v, a."""
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    rows = I[L.N_ROWS]
    v = place[nq:]
    state = np.zeros(state_size(I))
    out = np.zeros(L.OUTPUT_SIZE * I[L.N_OUTPUTS])
    jac = np.zeros(I[L.N_JACOBIAN])
    load_ground(I, state)
    load_state(I, t, place, v, state)
    run_elements(I, F, state, out, jac, np.zeros(I[L.N_WORK]))
    measure_rows(I, out, jac, v, place[nq + n :], values, values[rows:], values[2 * rows :])
