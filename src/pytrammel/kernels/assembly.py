"""Put the bodies together from a rough guess: damped, scaled Newton with the smallest weighted step."""

from __future__ import annotations

import math

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.bodies import load_ground, load_state, move, settle, state_size
from pytrammel.kernels.evaluate import law_of_time, row_residuals, run_elements
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT, INT_ARRAY, kernel
from pytrammel.kernels.schur import add_transposed, factor, fill_weights, solve_factored, weigh

LONGEST_STEP = 0.5  # in column scales: half a radian, half the model's size


@kernel()
def sum_of_squares(I, F, P, phi):
    total = 0.0
    for k in range(P[L.P_ROWS]):
        scaled = phi[k] / F[I[L.AT_ROW_SCALES] + P[P[L.P_AT_ROWS] + k]]
        total += scaled * scaled
    return total


@kernel(INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, INT, FLOAT, FLOAT_ARRAY)
def assemble_run(all_ints, all_floats, all_pattern, t, place, max_iterations, tolerance, report):
    """Move the place q until all active rows hold at time t.

    The step solves (S + mu diag S) lam = -phi. mu grows when a step does not reduce the residual and shrinks when it
    does; at the end it is zero and convergence is quadratic. Iteration goes on past `tolerance` to rounding level.

    Returns a status; report = iterations, largest scaled residual, singularity measure.
    """
    I, F, P, q = bare(all_ints), bare(all_floats), bare(all_pattern), bare(place)
    m = P[L.P_ROWS]
    n = I[L.N_COLUMNS]
    outputs = L.OUTPUT_SIZE * I[L.N_OUTPUTS]
    entries = I[L.N_JACOBIAN]
    room = state_size(I) + outputs + 2 * entries + I[L.N_WORK] + P[L.P_L_SIZE]
    W = np.zeros(room + 6 * m + 3 * n + I[L.N_COORDINATES] + 3)
    state = bare(W)
    out = advanced(state, state_size(I))
    jac = advanced(out, outputs)
    weighted = advanced(jac, entries)
    work = advanced(weighted, entries)
    lower = advanced(work, I[L.N_WORK])
    y = advanced(lower, P[L.P_L_SIZE])
    pivots_inverse = advanced(y, m)
    phi = advanced(pivots_inverse, m)
    nu = advanced(phi, m)
    gamma = advanced(nu, m)
    lam = advanced(gamma, m)
    weights = advanced(lam, m)
    step = advanced(weights, n)
    at_rest = advanced(step, n)
    trial = advanced(at_rest, n)
    target = advanced(trial, I[L.N_COORDINATES])
    fill_weights(I, F, weights)
    load_ground(I, state)
    for k in range(I[L.N_PRESCRIBED]):
        at = I[L.AT_PRESCRIBED] + 3 * k
        work[0] = t
        work[1] = 1.0
        work[2] = 0.0
        work[3] = 0.0
        q[I[at + 1]] = work[law_of_time(I, I[at + 2], F, work)]
    load_state(I, t, q, at_rest, state)
    run_elements(I, F, state, out, jac, work)
    largest = row_residuals(I, F, P, t, out, work, target, phi, nu, gamma)
    squares = sum_of_squares(I, F, P, phi)
    damping = 1e-3 if largest > 1e-2 else 0.0
    angle = 1.0
    status = L.NOT_CONVERGED
    iteration = 0
    while iteration < max_iterations:
        iteration += 1
        if not math.isfinite(squares):
            status = L.NOT_FINITE
            break
        weigh(I, P, jac, weights, weighted)
        angle = factor(P, jac, weighted, damping, y, lower, pivots_inverse)
        for k in range(m):
            lam[k] = -phi[k]
        solve_factored(P, lower, pivots_inverse, lam)
        for c in range(n):
            step[c] = 0.0
        add_transposed(I, P, weighted, lam, step)
        length = 0.0
        for c in range(n):
            length = max(length, abs(step[c]) / F[I[L.AT_COLUMN_SCALES] + c])
        shrink = 1.0 if length <= LONGEST_STEP else LONGEST_STEP / length
        for c in range(n):
            step[c] *= shrink
        move(I, q, step, trial)
        load_state(I, t, trial, at_rest, state)
        run_elements(I, F, state, out, jac, work)
        trial_largest = row_residuals(I, F, P, t, out, work, target, phi, nu, gamma)
        trial_squares = sum_of_squares(I, F, P, phi)
        if trial_squares < squares or (trial_squares == squares and length < 1e-15):
            progress = squares - trial_squares
            settle(I, F, state, trial)
            for c in range(place.size):
                q[c] = trial[c]
            squares = trial_squares
            largest = trial_largest
            damping = 0.1 * damping if damping > 1e-9 else 0.0
            if largest < tolerance and length < 1e-9:
                status = L.OK
                break
            if largest > tolerance and progress < 1e-14 * squares:
                break  # stuck where the residual is as small as it gets: these constraints do not meet
        else:
            # back to the last good place
            load_state(I, t, q, at_rest, state)
            run_elements(I, F, state, out, jac, work)
            row_residuals(I, F, P, t, out, work, target, phi, nu, gamma)
            if largest < tolerance and length < 1e-6:
                status = L.OK  # rounding level: no step improves it
                break
            damping = max(10.0 * damping, 1e-6)
            if damping > 1e12:
                break
    if status == L.NOT_CONVERGED and largest < tolerance:
        status = L.OK
    W[0] = 0.0  # pointers do not keep it alive
    report[0] = iteration
    report[1] = largest
    report[2] = angle
    return status
