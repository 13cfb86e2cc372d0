"""Explicit Runge–Kutta integration of constrained motion, driven by a tableau: one kernel for every method.

After each accepted step q and v are projected onto the constraints. Output instants are read off the method's own
interpolant, then projected.
"""

from __future__ import annotations

import math

import numpy as np

from trammel.kernels import layout as L
from trammel.kernels.bodies import load_ground, load_state, settle, state_size
from trammel.kernels.dynamics import ENERGY, JAC, NU, OUT, PHI, STATE, accelerations, project, workspace
from trammel.kernels.evaluate import row_times
from trammel.kernels.events import (
    DEEPEST,
    SILENT,
    event_values,
    first_crossed,
    first_event,
    seen_by_extra_stages,
    update_signs,
)
from trammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, kernel
from trammel.kernels.mass import mechanical_energy
from trammel.kernels.step_control import (
    ENERGY_MET,
    FORCED,
    NEXT,
    REFERENCE,
    RETRY,
    TOUCHED,
    TRIES,
    WEAK,
    judge,
    length_to_try,
    shorten,
)
from trammel.kernels.steps import (
    derivative,
    energy_at_work,
    error_norm,
    extra_stages,
    interpolate,
    take_stages,
    vector_size,
    work_norm,
)

# options, floats: tolerances, fixed step (0 for error control), largest step, Baumgarte's constants, order, projection,
# steps before the kernel returns for a look at the progress bar, whether the works are held to the tolerance too
(RTOL, ATOL, FIXED_STEP, LARGEST_STEP, ALPHA, BETA, ORDER, PROJECT, MAX_STEPS, CONTROL_WORK, N_OPTIONS) = range(11)
# counters
(N_STEPS, N_REJECTED, N_EVALUATIONS, LARGEST_PHI, LARGEST_RATE, SMALLEST_ANGLE, N_FORCED, N_COUNTERS) = range(8)
# status
OK, EVENT, STEP_TOO_SMALL, NOT_A_NUMBER, TOO_MANY_STEPS, WEAK_ROWS, BREAK = 0, 10, 11, 12, 13, 14, 15
NO_PROGRESS = 16  # never returned: what the caller finds out between calls
# columns of the table of breaks: the last instant before one, the first after it, whether velocities may jump there
BEFORE, AFTER, IMPULSIVE = 0, 1, 2

WEAKENED = 0.5  # share of the largest singularity measure met at which redundant rows are chosen anew
WORTH_A_CHOICE = 1e-2  # below this the position itself is nearly singular: another choice would not help
AT_ITS_END = 1e-6  # of a step: an event that close to its end has the accuracy of the step
OVERSHOOT = 1e-9  # of a step that is repeated to end at an event
OVERSHOOT_BITS = 1e-15  # of the clock, at least
WORTH_A_DOUBT = 1e-8  # of the clock: in a shorter step no force grows so much that the interpolant could be spoilt
AT_ONCE = 1e-13  # of the clock: an event that soon happens now
AIMS = 20  # repetitions, before the interpolant must do
AFTER_TOUCH = 0.1  # share of the last step with which to go on behind a corner of a force law
ATTEMPTS = 40  # per step, on average, before the run counts as stuck


@kernel(spread=True)
def record(I, F, P, t, y, a, lam, k, Y, A, LAM, OUTS, ENERGIES, counters, ws):
    """Fill the rows of one instant; accelerations and multipliers are evaluated there."""
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    z = nq + n
    accelerations(I, F, P, t, y[:nq], y[nq:z], y[z : z + I[L.N_STATES]], 0.0, 0.0, a, lam, ws)
    counters[N_EVALUATIONS] += 1
    for c in range(y.size):
        Y[k, c] = y[c]
    for c in range(n):
        A[k, c] = a[c]
    for c in range(P[L.P_ROWS]):
        LAM[k, c] = lam[c]
        off = row_times(I, P, c, ws[JAC], y[nq:z]) - ws[NU][c]
        counters[LARGEST_RATE] = max(counters[LARGEST_RATE], abs(off))
    write_outputs(I, F, k, OUTS, ENERGIES, ws)


@kernel(spread=True)
def put_right(I, F, P, onto_constraints, t, y, ws):
    """Onto the constraints, if asked for; in any case with unit Euler parameters and counted turns. NaN if it does not converge."""
    nq = I[L.N_COORDINATES]
    z = nq + I[L.N_COLUMNS]
    if onto_constraints != 0.0:
        return project(I, F, P, t, y[:nq], y[nq:z], y[z:], ws)
    if I[L.IS_SPATIAL] != 0:
        load_state(I, t, y[:nq], y[nq:z], ws[STATE])
        settle(I, F, ws[STATE], y[:nq])
    return 0.0


@kernel()
def write_outputs(I, F, k, OUTS, ENERGIES, ws):
    """Value and power of every force element, and the energies, at the state in the workspace."""
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
    INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_ARRAY, FLOAT_TABLE,
    INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY,
    FLOAT_ARRAY, FLOAT_TABLE, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY,
    FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_ARRAY,
    seconds=25.0,
)  # fmt: skip
def dynamics_run(
    I, F, P, options, tableau, weights, tableau_extra, times_extra, dense,
    EI, EF, directions, noise, signs,
    times, breaks, clock, control, y,
    Y, A, LAM, OUTS, ENERGIES, counters,
):  # fmt: skip
    """Integrate through the given instants.

    Args:
        options, tableau, weights, tableau_extra, times_extra, dense: The method.
        EI, EF, directions, noise, signs: Event formulas, their directions, the values that count as zero, and their last values (updated;
            NaN before the start).
        times: Output instants, ascending, not before the clock.
        breaks: Corners and jumps of formulas of time, ascending, not yet passed: a step ends before each, the next begins after it.
        clock, control, y: Time, step control and integrated vector; updated.
        Y, A, LAM, OUTS, ENERGIES: Rows filled per instant: integrated vector, accelerations, multipliers (elimination order),
            force outputs, kinetic and gravity energy.

    Returns ``(instants done, status, index of the event or break)``.
    """
    n = I[L.N_COLUMNS]
    alpha = options[ALPHA]
    beta = options[BETA]
    fixed = options[FIXED_STEP] > 0.0
    stages = tableau.shape[0]
    size = vector_size(I)
    works = size - I[L.N_FORCES] - 1
    energy = 0.0
    ws = workspace(I, P)
    load_ground(I, ws[STATE])
    K = np.zeros((dense.shape[0], size))
    a = np.zeros(n)
    lam = np.zeros(P[L.P_ROWS])
    y1 = np.zeros(size)
    stage = np.zeros(size)
    # the event formulas have a workspace of their own
    n_events = EI[L.N_ROWS]
    e_state = np.zeros(state_size(EI))
    e_out = np.zeros(L.OUTPUT_SIZE * EI[L.N_OUTPUTS] + 1)
    e_jac = np.zeros(EI[L.N_JACOBIAN] + 1)
    e_work = np.zeros(EI[L.N_WORK] + 1)
    e_values = np.zeros(n_events + 1)
    load_ground(EI, e_state)
    e_places = np.zeros(DEEPEST + 2)
    e_seen = np.zeros((DEEPEST + 2, n_events + 1))
    e_slopes = np.zeros((DEEPEST + 2, n_events + 1))
    e_sides = np.zeros(n_events + 1)

    t = clock[0]
    angle = derivative(I, F, P, t, y, alpha, beta, a, lam, K[0], ws)
    counters[N_EVALUATIONS] += 1
    if math.isnan(angle):
        return 0, NOT_A_NUMBER, 0
    if n_events > 0:
        event_values(EI, EF, t, y, e_state, e_out, e_jac, e_work, e_values)
        for k in range(n_events):
            if math.isnan(signs[k]):  # the first look
                signs[k] = e_values[k] if abs(e_values[k]) > noise[k] else 0.0
    # light and massless parts lower the singularity measure everywhere: it counts against the largest met so far
    control[REFERENCE] = max(control[REFERENCE], angle, 1e-6)
    done = 0
    end = times[times.size - 1]
    steps = 0
    attempts = 0
    ahead = 0
    asked = 0.0  # length of a step that is repeated so that it ends at an event
    aims = 0
    full = 0.0  # its length before
    others = n_events > 0  # events that passed zero at the same instant as the last one
    while True:
        goal = end
        if ahead < breaks.shape[0]:
            goal = min(goal, breaks[ahead, BEFORE])
        if others:
            event_values(EI, EF, t, y, e_state, e_out, e_jac, e_work, e_values)
            fired = first_crossed(signs, e_values, directions, noise, n_events)
            others = fired >= 0
            if others:
                signs[fired] = 0.0
                if directions[fired] >= SILENT:
                    control[TOUCHED] = 1.0
                    control[NEXT] *= AFTER_TOUCH
                if directions[fired] != SILENT:
                    return done, EVENT, fired
                continue
        # instants that coincide with the clock
        while done < times.size and times[done] <= t:
            record(I, F, P, t, y, a, lam, done, Y, A, LAM, OUTS, ENERGIES, counters, ws)
            done += 1
        if done >= times.size:
            return done, OK, 0
        if steps >= options[MAX_STEPS]:
            return done, TOO_MANY_STEPS, 0
        if t >= goal:
            # over a break: what happened before it says nothing about what follows
            t = breaks[ahead, AFTER]
            clock[0] = t
            ahead += 1
            control[TRIES] = 0.0
            if breaks[ahead - 1, IMPULSIVE] != 0.0:
                return done, BREAK, ahead - 1
            angle = derivative(I, F, P, t, y, alpha, beta, a, lam, K[0], ws)
            counters[N_EVALUATIONS] += 1
            if math.isnan(angle):
                return done, NOT_A_NUMBER, 0
            control[TOUCHED] = 1.0
            others = n_events > 0
            continue
        if fixed:
            h = options[FIXED_STEP] if t + options[FIXED_STEP] * (1.0 + 1e-9) < goal else goal - t
        else:
            h = length_to_try(control, options[LARGEST_STEP], t, goal)
        if asked > 0.0:
            h = min(asked, goal - t)
            asked = 0.0
        else:
            aims = 0
        attempts += 1
        resolution = max(abs(t), 1e-3 * (end - t))
        if not h > 1e-15 * resolution or attempts > ATTEMPTS * (options[MAX_STEPS] + 1.0):
            return done, STEP_TOO_SMALL, 0

        closest, angle = take_stages(I, F, P, t, h, y, alpha, beta, tableau, weights, a, lam, K, stage, y1, ws)
        counters[N_EVALUATIONS] += stages
        if math.isnan(closest):
            counters[N_REJECTED] += 1
            if fixed or 0.2 * h < 1e-13 * resolution:
                return done, NOT_A_NUMBER, 0
            shorten(control, h)
            continue
        if not fixed:
            norm = error_norm(I, F, h, y, y1, K, weights, options[RTOL], options[ATOL])
            if options[CONTROL_WORK] != 0.0:
                # forces on parts that are driven do work without any trace in the motion
                mechanical_energy(I, F, ws[STATE], ws[ENERGY])
                energy = max(control[ENERGY_MET], energy_at_work(y1, works, ws[ENERGY][0]))
                norm = max(norm, work_norm(h, works, K, weights, options[RTOL] * energy))
            known = control[REFERENCE]
            # too short to be worth a hop, or the last one, after which there is no step to spoil
            short = h < 1e-6 * (end - t) or t + h >= end
            verdict = judge(control, h, norm, closest / known, angle / known, short, options[ORDER])
            if verdict == RETRY:
                counters[N_REJECTED] += 1
                continue
            if verdict == FORCED:
                counters[N_FORCED] += 1
            if options[CONTROL_WORK] != 0.0:
                control[ENERGY_MET] = energy
        opened = 0.0
        for k in range(P[L.P_ROWS]):
            opened = max(opened, abs(ws[PHI][k]))
        # where the step ends: at an event, if one fires inside
        t_end = goal if abs(goal - t - h) < 1e-9 * h else t + h
        fired = -1
        theta = 1.0
        if n_events > 0 or times[done] < t_end:
            extra_stages(I, F, P, t, h, y, alpha, beta, tableau_extra, times_extra, stages + 1, a, lam, K, stage, ws)
            counters[N_EVALUATIONS] += times_extra.size
        if n_events > 0:
            shorter = 1.0
            if aims < AIMS and h > WORTH_A_DOUBT * resolution:
                shorter = seen_by_extra_stages(
                    EI, EF, t, h, y, K, tableau_extra, times_extra, stages + 1, signs, directions, noise, stage, e_state, e_out,
                    e_jac, e_work, e_values,
                )  # fmt: skip
            if shorter == 1.0:
                fired, theta = first_event(
                    EI, EF, t, h, y, K, dense, signs, directions, noise, stage, e_state, e_out, e_jac, e_work, e_places,
                    e_seen, e_slopes, e_sides,
                )  # fmt: skip
                if fired >= 0 and theta * h <= AT_ONCE * resolution:
                    signs[fired] = 0.0
                    if directions[fired] != SILENT:
                        return done, EVENT, fired
                    control[TOUCHED] = 1.0
                    control[NEXT] = AFTER_TOUCH * h
                    continue
                if fired >= 0 and aims < AIMS:
                    if control[TOUCHED] != 0.0 and directions[fired] >= SILENT:
                        # what begins and ends within one step may have been passed over
                        shorter = 0.25 * theta
                        aims = max(aims, 1)
                        full = 0.0
                    elif theta < 1.0 - AT_ITS_END:
                        shorter = theta + max(OVERSHOOT, OVERSHOOT_BITS * abs(t) / h)
            if shorter < 1.0:
                if aims == 0:
                    full = h
                aims += 1
                asked = shorter * h
                counters[N_REJECTED] += 1
                continue
            if fired >= 0:
                t_end = t + theta * h
        counters[N_STEPS] += 1
        steps += 1
        counters[LARGEST_PHI] = max(counters[LARGEST_PHI], opened)
        counters[SMALLEST_ANGLE] = min(counters[SMALLEST_ANGLE], angle)
        control[REFERENCE] = max(control[REFERENCE], angle)

        # output instants inside the step
        while done < times.size and times[done] < t_end:
            interpolate(K, dense, (times[done] - t) / h, h, y, stage)
            put_right(I, F, P, options[PROJECT], times[done], stage, ws)
            record(I, F, P, times[done], stage, a, lam, done, Y, A, LAM, OUTS, ENERGIES, counters, ws)
            done += 1
        if fired >= 0:
            interpolate(K, dense, theta, h, y, y1)
            control[TRIES] = 0.0
        if aims > 0:
            control[NEXT] = max(control[NEXT], full)
        control[TOUCHED] = 0.0
        if fired >= 0 and directions[fired] >= SILENT:
            control[TOUCHED] = 1.0
            control[NEXT] *= AFTER_TOUCH
        t = t_end
        clock[0] = t
        for c in range(size):
            y[c] = y1[c]
        if math.isnan(put_right(I, F, P, options[PROJECT], t, y, ws)):
            return done, NOT_A_NUMBER, 1
        angle = derivative(I, F, P, t, y, alpha, beta, a, lam, K[0], ws)
        counters[N_EVALUATIONS] += 1
        if math.isnan(angle):
            return done, NOT_A_NUMBER, 0
        if n_events > 0:
            event_values(EI, EF, t, y, e_state, e_out, e_jac, e_work, e_values)
            update_signs(signs, e_values, directions, noise, n_events, fired)
        if fired >= 0:
            others = True
            if directions[fired] != SILENT:
                return done, EVENT, fired
        if control[WEAK] > 0.0:
            # rows chosen among redundant ones may become nearly dependent where others are not
            if WORTH_A_CHOICE < angle < control[WEAK]:
                return done, WEAK_ROWS, 0
            control[WEAK] = max(control[WEAK], WEAKENED * angle)
