"""Explicit Runge–Kutta integration of constrained motion, driven by a tableau: one kernel for every method.

The integrated vector is [q, v, inner states, work of each force element, work of the drivers]. After each accepted step q
and v are projected onto the constraints. Output instants are read off the method's own interpolant, then projected.
"""

from __future__ import annotations

import math

import numpy as np

from trammel.kernels import layout as L
from trammel.kernels.dynamics import (
    ENERGY,
    JAC,
    NU,
    OUT,
    PHI,
    STATE,
    accelerations,
    project,
    workspace,
)  # fmt: skip
from trammel.kernels.evaluate import load_ground, load_state, row_times, run_elements
from trammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, kernel
from trammel.kernels.mass import mechanical_energy

# integer options of a method
STAGES, EXTRA_STAGES, DEGREE, ORDER, FIXED, HAS_E3, PROJECT, MAX_STEPS, METHOD_INTS = range(9)
# places in the float buffer of a method, after: rtol, atol, first step, largest step, alpha, beta
RTOL, ATOL, FIRST_STEP, LARGEST_STEP, ALPHA, BETA, TABLEAU = range(7)
# the cursor: time, next step, previous error, started, length of the last step far from singular positions
C_TIME, C_STEP, C_ERROR, C_STARTED, C_NATURAL, CURSOR_SIZE = range(6)
# counters
N_STEPS, N_REJECTED, N_EVALUATIONS, LARGEST_PHI, LARGEST_RATE, SMALLEST_ANGLE, N_FORCED, N_COUNTERS = range(8)
# A step whose stages come this close to a singular position may fail only for rounding: other lengths are tried before it
# is shortened, because the way across is to step over, not to creep up. If none passes, the best of them is taken.
CLOSE = 0.05
TOO_CLOSE = 0.01
FAR_OFF = 1e6  # times the tolerance: as good as impossible
SHORTER = 0.59
OTHER_LENGTHS = np.array([1.0, SHORTER, 1.31, 0.77, 1.72, 2.15, 3.1])

OK, EVENT, STEP_TOO_SMALL, NOT_A_NUMBER, TOO_MANY_STEPS = 0, 10, 11, 12, 13


@kernel()
def derivative(I, F, P, t, y, alpha, beta, a, lam, dy, ws):
    """Right-hand side; returns the singularity measure or NaN."""
    n = I[L.N_COLUMNS]
    nz = I[L.N_STATES]
    angle = accelerations(I, F, P, t, y[:n], y[n : 2 * n], y[2 * n : 2 * n + nz], alpha, beta, a, lam, ws)
    for c in range(n):
        dy[c] = y[n + c]
        dy[n + c] = a[c]
    for k in range(nz):
        dy[2 * n + k] = ws[OUT][L.OUTPUT_SIZE * I[I[L.AT_STATES] + k] + L.STATE_RATE]
    at = I[L.AT_FORCES]
    for k in range(I[L.N_FORCES]):
        dy[2 * n + nz + k] = ws[OUT][L.OUTPUT_SIZE * I[at + 2] + L.POWER]
        at += L.FORCE_SIZE
    power = 0.0
    for k in range(P[L.P_ROWS]):
        power += lam[k] * ws[NU][k]
    dy[2 * n + nz + I[L.N_FORCES]] = power
    return angle


@kernel()
def error_norm(I, F, y, y1, error, rtol, atol):
    """Largest error in units of what is allowed: positions against the model's size, velocities against the fastest."""
    n = I[L.N_COLUMNS]
    speed = 0.0
    for c in range(n):
        scale = F[I[L.AT_COLUMN_SCALES] + c]
        speed = max(speed, max(abs(y[n + c]), abs(y1[n + c])) / scale)
    total = 0.0
    for c in range(n):
        scale = F[I[L.AT_COLUMN_SCALES] + c]
        ratio = error[c] / (scale * (rtol + atol))
        total = max(total, abs(ratio))
        allowed = scale * (rtol * max(speed, 1e-3) + atol)
        total = max(total, abs(error[n + c] / allowed))
    return total


@kernel()
def interpolate(K, B, n_stages, degree, theta, h, y0, size, out):
    """Method's interpolant at the fraction theta of a step: y0 + h sum_i k_i b_i(theta)."""
    for c in range(size):
        out[c] = y0[c]
    for i in range(n_stages):
        weight = 0.0
        for d in range(degree - 1, -1, -1):
            weight = (weight + B[i, d]) * theta
        weight *= h
        if weight != 0.0:
            for c in range(size):
                out[c] += weight * K[i, c]


@kernel()
def event_values(EI, EF, t, y, state, out, jac, work, values):
    """Values of the event formulas at one state."""
    n = EI[L.N_COLUMNS]
    load_state(EI, t, y[:n], y[n : 2 * n], state)
    run_elements(EI, EF, state, out, jac, work)
    for k in range(EI[L.N_ROWS]):
        values[k] = out[L.OUTPUT_SIZE * EI[EI[L.AT_ROWS] + L.ROW_SIZE * k] + L.VALUE]


@kernel()
def crossed(before, after, direction):
    return (before < 0.0 and after >= 0.0 and direction >= 0) or (before > 0.0 and after <= 0.0 and direction <= 0)


@kernel()
def fill_extra(I, F, P, t, h, y, alpha, beta, a, lam, K, A_extra, c_extra, stages, extra, stage, size, ws):
    """Stages that only the interpolant needs."""
    for i in range(extra):
        for c in range(size):
            stage[c] = y[c]
        for j in range(stages + 1 + i):
            w = h * A_extra[i, j]
            if w != 0.0:
                for c in range(size):
                    stage[c] += w * K[j, c]
        derivative(I, F, P, t + c_extra[i] * h, stage, alpha, beta, a, lam, K[stages + 1 + i], ws)


@kernel()
def record(I, F, P, t, y, alpha, beta, a, lam, k, Y, A, LAM, OUTS, ENERGIES, counters, ws):
    """Fill the rows of one instant; accelerations and multipliers are evaluated there."""
    n = I[L.N_COLUMNS]
    nz = I[L.N_STATES]
    accelerations(I, F, P, t, y[:n], y[n : 2 * n], y[2 * n : 2 * n + nz], 0.0, 0.0, a, lam, ws)
    counters[N_EVALUATIONS] += 1
    for c in range(y.size):
        Y[k, c] = y[c]
    for c in range(n):
        A[k, c] = a[c]
    for c in range(P[L.P_ROWS]):
        LAM[k, c] = lam[c]
        counters[LARGEST_RATE] = max(counters[LARGEST_RATE], abs(row_times(I, P, c, ws[JAC], y[n : 2 * n]) - ws[NU][c]))
    at = I[L.AT_FORCES]
    for c in range(I[L.N_FORCES]):
        o = L.OUTPUT_SIZE * I[at + 2]
        OUTS[k, 2 * c] = ws[OUT][o + L.FORCE]
        OUTS[k, 2 * c + 1] = ws[OUT][o + L.POWER]
        at += L.FORCE_SIZE
    mechanical_energy(I, F, ws[STATE], ws[ENERGY])
    ENERGIES[k, 0] = ws[ENERGY][0]
    ENERGIES[k, 1] = ws[ENERGY][1]


@kernel(
    INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY,
    FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_ARRAY,
)  # fmt: skip
def dynamics_run(I, F, P, MI, MF, EI, EF, directions, signs, times, cursor, y, Y, A, LAM, OUTS, ENERGIES, counters):
    """Integrate through the given instants.

    Args:
        MI, MF: Method: options and tableau.
        EI, EF, directions, signs: Event formulas, their directions and their last values; updated.
        times: Output instants, ascending, not before the cursor.
        cursor, y: Where the motion stands; updated.
        Y, A, LAM, OUTS, ENERGIES: Rows filled per instant: integrated vector, accelerations, multipliers (elimination order),
            force outputs, kinetic and gravity energy.

    Returns ``(instants done, status, event index)``.
    """
    n = I[L.N_COLUMNS]
    size = 2 * n + I[L.N_STATES] + I[L.N_FORCES] + 1
    stages = MI[STAGES]
    extra = MI[EXTRA_STAGES]
    degree = MI[DEGREE]
    total_stages = stages + 1 + extra
    # unpack the tableau
    at = TABLEAU
    A_ = np.zeros((stages, stages))
    for i in range(stages):
        for j in range(stages):
            A_[i, j] = MF[at]
            at += 1
    b_ = MF[at : at + stages]
    at += stages
    c_ = MF[at : at + stages]
    at += stages
    e5 = MF[at : at + stages + 1]
    at += stages + 1
    e3 = MF[at : at + stages + 1]
    at += stages + 1
    A_extra = np.zeros((extra, total_stages))
    for i in range(extra):
        for j in range(total_stages):
            A_extra[i, j] = MF[at]
            at += 1
    c_extra = MF[at : at + extra]
    at += extra
    B = np.zeros((total_stages, degree))
    for i in range(total_stages):
        for j in range(degree):
            B[i, j] = MF[at]
            at += 1
    rtol = MF[RTOL]
    atol = MF[ATOL]
    alpha = MF[ALPHA]
    beta = MF[BETA]

    ws = workspace(I, P)
    load_ground(ws[STATE])
    n_events = EI[L.N_ROWS]
    e_state = np.zeros(L.FIRST_BODY + L.BODY_SIZE * EI[L.N_BODIES] + L.EXTRA_SIZE * EI[L.N_EXTRAS] + 1)
    e_out = np.zeros(L.OUTPUT_SIZE * EI[L.N_OUTPUTS] + 1)
    e_jac = np.zeros(EI[L.N_JACOBIAN] + 1)
    e_work = np.zeros(EI[L.N_WORK] + 1)
    e_values = np.zeros(n_events + 1)
    load_ground(e_state)
    K = np.zeros((total_stages, size))
    a = np.zeros(n)
    lam = np.zeros(P[L.P_ROWS])
    y1 = np.zeros(size)
    stage = np.zeros(size)
    error = np.zeros(size)
    error3 = np.zeros(size)
    exponent = -1.0 / MI[ORDER]

    t = cursor[C_TIME]
    angle = derivative(I, F, P, t, y, alpha, beta, a, lam, K[0], ws)
    counters[N_EVALUATIONS] += 1
    if math.isnan(angle):
        return 0, NOT_A_NUMBER, 0
    if cursor[C_STARTED] == 0.0:
        cursor[C_STARTED] = 1.0
        if n_events > 0:
            event_values(EI, EF, t, y, e_state, e_out, e_jac, e_work, signs)
    done = 0
    end = times[times.size - 1]
    steps_here = 0
    attempts = 0
    tries = 0
    hop = 0.0
    best_hop = 0.0
    h_asked = 0.0
    first_norm = math.inf
    best_norm = math.inf
    while True:
        # instants that coincide with the cursor
        while done < times.size and times[done] <= t:
            record(I, F, P, times[done], y, alpha, beta, a, lam, done, Y, A, LAM, OUTS, ENERGIES, counters, ws)
            done += 1
        if done >= times.size:
            return done, OK, 0
        if MI[FIXED] != 0:
            h = MF[FIRST_STEP]
            if t + h > end - 1e-9 * h:
                h = end - t
        else:
            h = min(cursor[C_STEP], MF[LARGEST_STEP])
            if t + h * 1.0000001 >= end:
                h = end - t
            elif t + 2.0 * h > end:
                h = 0.5 * (end - t)
        if not h > 1e-15 * max(abs(t), 1e-3 * (end - t)):
            return done, STEP_TOO_SMALL, 0
        attempts += 1
        if attempts > 40 * (MI[MAX_STEPS] + 1):
            return done, STEP_TOO_SMALL, 0
        if tries > 0 and MI[FIXED] == 0:
            h = min(hop * OTHER_LENGTHS[tries], end - t) if tries < OTHER_LENGTHS.size else min(best_hop, end - t)
        if steps_here >= MI[MAX_STEPS]:
            return done, TOO_MANY_STEPS, 0
        # stages
        closest = 1.0
        bad = False
        for i in range(1, stages):
            for c in range(size):
                stage[c] = y[c]
            for j in range(i):
                w = h * A_[i, j]
                if w != 0.0:
                    for c in range(size):
                        stage[c] += w * K[j, c]
            angle = derivative(I, F, P, t + c_[i] * h, stage, alpha, beta, a, lam, K[i], ws)
            counters[N_EVALUATIONS] += 1
            if math.isnan(angle):
                bad = True
                break
            closest = min(closest, angle)
        if not bad:
            for c in range(size):
                y1[c] = y[c]
            for j in range(stages):
                w = h * b_[j]
                if w != 0.0:
                    for c in range(size):
                        y1[c] += w * K[j, c]
            angle = derivative(I, F, P, t + h, y1, alpha, beta, a, lam, K[stages], ws)
            counters[N_EVALUATIONS] += 1
            bad = math.isnan(angle)
        if bad:
            counters[N_REJECTED] += 1
            if MI[FIXED] != 0:
                return done, NOT_A_NUMBER, 0
            tries = 0
            cursor[C_STEP] = 0.2 * h
            if cursor[C_STEP] < 1e-13 * max(abs(t), 1e-3 * (end - t)):
                return done, NOT_A_NUMBER, 0
            continue
        # error
        if MI[FIXED] == 0:
            for c in range(size):
                error[c] = 0.0
                error3[c] = 0.0
            for j in range(stages + 1):
                w5 = h * e5[j]
                w3 = h * e3[j]
                if w5 != 0.0 or w3 != 0.0:
                    for c in range(2 * n):
                        error[c] += w5 * K[j, c]
                        error3[c] += w3 * K[j, c]
            if MI[HAS_E3] != 0:
                # Hairer's combination of the fifth- and third-order estimates
                for c in range(2 * n):
                    denominator = math.sqrt(error[c] * error[c] + 0.01 * error3[c] * error3[c])
                    if denominator > 0.0:
                        error[c] = error[c] * abs(error[c]) / denominator
            norm = error_norm(I, F, y, y1, error, rtol, atol)
            closest = min(closest, angle)
            forced = tries >= OTHER_LENGTHS.size
            if angle < TOO_CLOSE and h > 1e-6 * (end - t):
                norm = max(norm, FAR_OFF)  # to land there would spoil the next step
            if (norm > 1.0 or not math.isfinite(norm)) and (closest < CLOSE or tries > 0) and not forced:
                counters[N_REJECTED] += 1
                if tries == 0:
                    h_asked = h
                    hop = max(h, cursor[C_NATURAL])
                    first_norm = norm if hop == h else math.inf
                    best_norm = math.inf
                if norm < best_norm or best_norm == math.inf:
                    best_norm = norm
                    best_hop = h
                if OTHER_LENGTHS[tries] == SHORTER and math.isfinite(first_norm) and norm < 0.1 * first_norm:
                    # it falls with the length as a truncation error does: the step was simply too long
                    tries = 0
                    cursor[C_STEP] = h
                    continue
                tries += 1
                if tries == OTHER_LENGTHS.size and best_norm >= FAR_OFF:
                    tries = 0
                    cursor[C_STEP] = 0.5 * h_asked
                    cursor[C_NATURAL] *= 0.5
                continue
            if forced:
                counters[N_FORCED] += 1
                norm = min(norm, 1.0)
            if norm > 1.0 or not math.isfinite(norm):
                counters[N_REJECTED] += 1
                factor_ = 0.2
                if math.isfinite(norm):
                    factor_ = max(0.2, 0.9 * norm**exponent)
                cursor[C_STEP] = h * factor_
                continue
            growth = 6.0
            if norm > 0.0:
                # proportional-integral control: smoother steps, fewer rejections
                growth = 0.9 * norm ** (0.7 * exponent) * max(cursor[C_ERROR], 1e-4) ** (-0.4 * exponent)
            cursor[C_ERROR] = max(norm, 1e-4)
            next_step = h * min(6.0, max(0.2, growth))
        else:
            next_step = h
        counters[N_STEPS] += 1
        steps_here += 1
        tries = 0
        if closest > CLOSE:
            cursor[C_NATURAL] = h
        for k in range(P[L.P_ROWS]):
            counters[LARGEST_PHI] = max(counters[LARGEST_PHI], abs(ws[PHI][k]))
        counters[SMALLEST_ANGLE] = min(counters[SMALLEST_ANGLE], angle)
        # where the step ends: at an event, if one fires inside
        theta_end = 1.0
        fired = -1
        dense_ready = False
        if n_events > 0:
            event_values(EI, EF, t + h, y1, e_state, e_out, e_jac, e_work, e_values)
            for k in range(n_events):
                if crossed(signs[k], e_values[k], directions[k]):
                    if not dense_ready:
                        fill_extra(
                            I, F, P, t, h, y, alpha, beta, a, lam, K, A_extra, c_extra, stages, extra, stage, size, ws
                        )
                        counters[N_EVALUATIONS] += extra
                        dense_ready = True
                    low = 0.0
                    high = theta_end
                    # the event may lie beyond one already found in this step
                    interpolate(K, B, total_stages, degree, high, h, y, size, stage)
                    event_values(EI, EF, t + high * h, stage, e_state, e_out, e_jac, e_work, e_values)
                    if not crossed(signs[k], e_values[k], directions[k]) and theta_end < 1.0:
                        continue
                    for _ in range(60):
                        middle = 0.5 * (low + high)
                        if middle == low or middle == high:
                            break
                        interpolate(K, B, total_stages, degree, middle, h, y, size, stage)
                        event_values(EI, EF, t + middle * h, stage, e_state, e_out, e_jac, e_work, e_values)
                        if crossed(signs[k], e_values[k], directions[k]):
                            high = middle
                        else:
                            low = middle
                    theta_end = high
                    fired = k
        t_end = t + h if fired < 0 else t + theta_end * h
        if MI[FIXED] != 0 and fired < 0 and abs(end - t_end) < 1e-9 * h:
            t_end = end
        # output instants inside the step
        while done < times.size and times[done] < t_end:
            if not dense_ready:
                fill_extra(I, F, P, t, h, y, alpha, beta, a, lam, K, A_extra, c_extra, stages, extra, stage, size, ws)
                counters[N_EVALUATIONS] += extra
                dense_ready = True
            interpolate(K, B, total_stages, degree, (times[done] - t) / h, h, y, size, stage)
            if MI[PROJECT] != 0:
                project(I, F, P, times[done], stage[:n], stage[n : 2 * n], stage[2 * n :], ws)
            record(I, F, P, times[done], stage, alpha, beta, a, lam, done, Y, A, LAM, OUTS, ENERGIES, counters, ws)
            done += 1
        if fired >= 0:
            interpolate(K, B, total_stages, degree, theta_end, h, y, size, y1)
        t = t_end
        for c in range(size):
            y[c] = y1[c]
        if MI[PROJECT] != 0:
            moved = project(I, F, P, t, y[:n], y[n : 2 * n], y[2 * n :], ws)
            if math.isnan(moved):
                return done, NOT_A_NUMBER, 1
        cursor[C_TIME] = t
        cursor[C_STEP] = next_step
        if MI[PROJECT] != 0 or fired >= 0:
            angle = derivative(I, F, P, t, y, alpha, beta, a, lam, K[0], ws)
            counters[N_EVALUATIONS] += 1
            if math.isnan(angle):
                return done, NOT_A_NUMBER, 0
        else:
            for c in range(size):
                K[0, c] = K[stages, c]
        if n_events > 0:
            event_values(EI, EF, t, y, e_state, e_out, e_jac, e_work, e_values)
            for k in range(n_events):
                if k == fired:
                    # on the far side of zero now, whatever rounding says
                    signs[k] = math.copysign(max(abs(e_values[k]), 1e-300), -signs[k])
                elif e_values[k] != 0.0:
                    signs[k] = e_values[k]
        if fired >= 0:
            return done, EVENT, fired
