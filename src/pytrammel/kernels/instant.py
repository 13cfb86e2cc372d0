"""One instant of a kinematic run: from an estimate to position, velocity and acceleration.

Near the solution an evaluation of all elements is what counts. So the velocity is corrected beside the position: the evaluation that
finds the position good then finds the quadratic terms good as well, and two evaluations and one factorisation do.

What takes the time may be done by straight pieces made of these very functions (`structure.instants`): S then points to their addresses.
Elsewhere S is None, and what only they need is not compiled.
"""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.bodies import load_state, move, settle, state_size
from pytrammel.kernels.evaluate import law_of_time, row_residuals, run_elements
from pytrammel.kernels.jit import kernel
from pytrammel.kernels.schur import (
    PASSES,
    add_transposed,
    factor,
    fill_weights,
    last_pass,
    solve_factored,
    solve_rates,
    weigh,
)
from pytrammel.kernels.structure.calls import call_piece

NEWTON_ITERATIONS = 12
KEEP_FACTORS = 1e-4  # corrections smaller than this leave the factorisation as it is
CONVERGED = 1e-9  # a full Newton correction this small leaves an error at rounding level
CONVERGED_FRESH = 1e-7  # the same with factors of this very place, far from singular positions: the error is its square
RESIDUAL_LIMIT = 1e-14  # and the residual must be here, or as low as it gets
FAR_FROM_SINGULAR = 0.1
CLOSE_TO_SINGULAR = 1e-2  # old factors mislead
IN_REACH = 1e-6  # after a correction this small the next evaluation is likely the last
SAME_VELOCITY = 1e-14  # change of velocities that leaves the quadratic terms as they are
ROUNDING = 1e-15

# workspace: pointers into one buffer
(
    STATE,
    OUT,
    JAC,
    WEIGHTED,
    WORK,
    WEIGHTS,
    INVERSE_SCALES,
    Y,
    LOWER,
    PIVOTS,
    PHI,
    NU,
    GAMMA,
    RESIDUAL,
    STEP,
    RETURNED,
    END,
) = range(17)

# straight pieces
EVALUATE, AGAIN, FACTOR, CORRECT, CORRECT_VELOCITIES, CORRECT_ACCELERATIONS, SETTLE, N_PIECES = range(8)

# what is noted for each instant
NOTE_ANGLE, NOTE_ITERATIONS, NOTE_STEPS, NOTE_BRIDGED, NOTE_SIZE = 0, 1, 2, 3, 4


@kernel()
def instant_places(I, P):
    """Where each part of the workspace begins, and where the last ends."""
    n = max(I[L.N_COLUMNS], 3)
    m = P[L.P_ROWS] + 1
    out = state_size(I)
    jac = out + L.OUTPUT_SIZE * I[L.N_OUTPUTS] + 1
    weighted = jac + I[L.N_JACOBIAN] + 1
    work = weighted + I[L.N_JACOBIAN] + 1
    weights = work + I[L.N_WORK]
    y = weights + 2 * n
    lower = y + m
    pivots = lower + P[L.P_L_SIZE] + 1
    step = pivots + 5 * m
    return (
        0, out, jac, weighted, work, weights, weights + n, y, lower, pivots, pivots + m, pivots + 2 * m, pivots + 3 * m,
        pivots + 4 * m, step, step + n, step + n + 2,
    )  # fmt: skip


@kernel(spread=True)
def instant_workspace(I, P, buffer):
    """The parts of a buffer, as bare pointers."""
    p = instant_places(I, P)
    w = bare(buffer)
    return (
        advanced(w, p[0]), advanced(w, p[1]), advanced(w, p[2]), advanced(w, p[3]), advanced(w, p[4]), advanced(w, p[5]),
        advanced(w, p[6]), advanced(w, p[7]), advanced(w, p[8]), advanced(w, p[9]), advanced(w, p[10]), advanced(w, p[11]),
        advanced(w, p[12]), advanced(w, p[13]), advanced(w, p[14]), advanced(w, p[15]),
    )  # fmt: skip


@kernel()
def fill_scales(I, F, ws):
    """Weights of the columns, and what measures their steps."""
    fill_weights(I, F, ws[WEIGHTS])
    for c in range(I[L.N_COLUMNS]):
        ws[INVERSE_SCALES][c] = 1.0 / F[I[L.AT_COLUMN_SCALES] + c]


@kernel()
def prescribe(I, F, t, work, q, v, a):
    """Give the prescribed coordinates their values at time t."""
    for k in range(I[L.N_PRESCRIBED]):
        at = I[L.AT_PRESCRIBED] + 3 * k
        work[0] = t
        work[1] = 1.0
        work[2] = 0.0
        work[3] = 0.0
        r = law_of_time(I, I[at + 2], F, work)
        q[I[at + 1]] = work[r]
        v[I[at]] = work[r + 1]
        a[I[at]] = 2.0 * work[r + 2]


@kernel()
def evaluate_at(I, F, P, t, q, v, ws):
    """Elements and rows at a state; returns the largest residual in row scales."""
    load_state(I, t, q, v, ws[STATE])
    run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
    return row_residuals(I, F, P, t, ws[OUT], ws[WORK], ws[STEP], ws[PHI], ws[NU], ws[GAMMA])


@kernel()
def evaluate_and_weigh(I, F, P, t, q, v, ws, S):
    """The same, and the weighted Jacobian."""
    if S is None:
        largest = evaluate_at(I, F, P, t, q, v, ws)
        weigh(I, P, ws[JAC], ws[WEIGHTS], ws[WEIGHTED])
        return largest
    call_piece(S[EVALUATE], t, F, 1, q, ws[STATE])
    return ws[RETURNED][0]


@kernel()
def evaluate_again(I, F, P, t, q, v, ws, S):
    """Quadratic terms where only the velocities have changed."""
    if S is None:
        evaluate_at(I, F, P, t, q, v, ws)
    else:
        call_piece(S[AGAIN], t, F, 1, q, ws[STATE])


@kernel()
def factor_rows(F, P, q, ws, S):
    """Factors of the weighted rows; returns the singularity measure."""
    if S is None:
        return factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
    call_piece(S[FACTOR], 0.0, F, 1, q, ws[STATE])
    return ws[RETURNED][0]


@kernel()
def correct_rates(I, F, P, rhs, q, x, shrinks, ws, S, piece):
    """Solve J x = rhs from the x given; returns the first change against the size of x."""
    if S is None:
        return solve_rates(
            I, P, ws[JAC], ws[WEIGHTED], ws[INVERSE_SCALES], ws[LOWER], ws[PIVOTS], rhs, shrinks, x, ws[RESIDUAL], ws[STEP]
        )  # fmt: skip
    before = math.inf
    first = 0.0
    for number in range(PASSES):
        call_piece(S[piece], 0.0, F, 1, q, ws[STATE])
        change = ws[RETURNED][0]
        size = ws[RETURNED][1]
        if number == 0:
            first = change / size if size > 0.0 else 0.0
        if last_pass(change, size, shrinks, before):
            break
        before = change
    return first


@kernel()
def correct_position(I, P, q, ws):
    """One Newton correction with the factors at hand; returns its size in scales."""
    for k in range(P[L.P_ROWS]):
        ws[RESIDUAL][k] = -ws[PHI][k]
    solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
    for c in range(I[L.N_COLUMNS]):
        ws[STEP][c] = 0.0
    add_transposed(I, P, ws[WEIGHTED], ws[RESIDUAL], ws[STEP])
    move(I, q, ws[STEP], q)
    correction = 0.0
    for c in range(I[L.N_COLUMNS]):
        correction = max(correction, abs(ws[STEP][c]) * ws[INVERSE_SCALES][c])
    return correction


@kernel()
def correct(I, F, P, q, ws, S):
    """One Newton correction, whoever makes it; returns its size in scales."""
    if S is None:
        return correct_position(I, P, q, ws)
    call_piece(S[CORRECT], 0.0, F, 1, q, ws[STATE])
    return ws[RETURNED][0]


@kernel()
def settle_at(I, F, t, q, ws, S):
    """Euler parameters of length one and counted turns, after the last evaluation."""
    if S is None:
        settle(I, F, ws[STATE], q)
    elif I[L.IS_SPATIAL] != 0:
        call_piece(S[SETTLE], t, F, 1, q, ws[STATE])


@kernel()
def look_at_instant(I, F, P, t, q, v, note, ws):
    """How near to singular a place is that was found in other coordinates; leaves the factors of its rows."""
    evaluate_at(I, F, P, t, q, v, ws)
    weigh(I, P, ws[JAC], ws[WEIGHTS], ws[WEIGHTED])
    note[NOTE_ANGLE] = factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
    return L.SINGULAR if note[NOTE_ANGLE] < 1e-6 else L.OK


@kernel()
def solve_instant(I, F, P, t, q, v, a, note, ws, S):
    """From a position estimate to position, velocity and acceleration at time t, all in place.

    Straight pieces find v and a behind q, each as many places further on as there are coordinates.
    """
    prescribe(I, F, t, ws[WORK], q, v, a)
    correction = math.inf
    before = math.inf
    since_factored = 0.0  # how far the position has moved since, in scales
    fresh = False
    status = L.NOT_CONVERGED
    iterations = 0
    for _ in range(NEWTON_ITERATIONS):
        iterations += 1
        largest = evaluate_and_weigh(I, F, P, t, q, v, ws, S)
        if not math.isfinite(largest):
            note[NOTE_ITERATIONS] += iterations
            return L.NOT_FINITE
        as_low_as_it_gets = largest < RESIDUAL_LIMIT or (largest < 1e-10 and largest > 0.5 * before)
        if (correction < CONVERGED and as_low_as_it_gets) or (
            fresh and correction < CONVERGED_FRESH and largest < RESIDUAL_LIMIT
        ):
            status = L.OK
            break
        before = largest
        fresh = False
        if correction > KEEP_FACTORS or note[NOTE_ANGLE] < CLOSE_TO_SINGULAR:
            note[NOTE_ANGLE] = factor_rows(F, P, q, ws, S)
            since_factored = 0.0
            fresh = note[NOTE_ANGLE] > FAR_FROM_SINGULAR
        correction = correct(I, F, P, q, ws, S)
        since_factored += correction
        if correction > 10.0:
            break
        if correction < IN_REACH:
            correct_rates(I, F, P, ws[NU], q, v, 0.0, ws, S, CORRECT_VELOCITIES)
    note[NOTE_ITERATIONS] += iterations
    if status != L.OK:
        return status
    if note[NOTE_ANGLE] < CLOSE_TO_SINGULAR:
        # close to a singular position the factors must belong to this very place
        note[NOTE_ANGLE] = factor_rows(F, P, q, ws, S)
        since_factored = 0.0
        if note[NOTE_ANGLE] < 1e-6:
            return L.SINGULAR
    # by how much a pass with these factors lowers an error
    shrinks = 4.0 * since_factored + ROUNDING / (note[NOTE_ANGLE] * note[NOTE_ANGLE])
    if correct_rates(I, F, P, ws[NU], q, v, shrinks, ws, S, CORRECT_VELOCITIES) > SAME_VELOCITY:
        # the quadratic terms need the velocities just found
        evaluate_again(I, F, P, t, q, v, ws, S)
    correct_rates(I, F, P, ws[GAMMA], q, a, shrinks, ws, S, CORRECT_ACCELERATIONS)
    settle_at(I, F, t, q, ws, S)
    return L.OK
