"""Whole kinematic runs: position, velocity and acceleration at many instants in one call.

Between instants the motion is followed by steps of its own: a step is accepted only if position and velocity are where the
second-order prediction puts them, else it is halved. So the branch is kept, whatever the spacing of the instants. At a
singular position (change point) velocities are not determined by the constraints alone; such an instant is bridged: the
motion is computed a little before and after it and joined by the quintic that matches position, velocity and
acceleration on both sides.
"""

from __future__ import annotations

import math

import numpy as np

from trammel.kernels import layout as L
from trammel.kernels.bodies import difference, from_rates, load_ground, load_state, move, settle, state_size, to_rates
from trammel.kernels.evaluate import row_residuals, run_elements
from trammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, kernel
from trammel.kernels.schur import add_transposed, factor, fill_weights, row_sines, solve_factored, solve_rates, weigh
from trammel.kernels.tape import tape_run

NEWTON_ITERATIONS = 12
KEEP_FACTORS = 1e-4  # corrections smaller than this leave the factorisation as it is
CONVERGED = 1e-9  # a full Newton correction this small leaves an error at rounding level
RESIDUAL = 1e-14  # and the residual must be here, or as low as it gets
POSITION_TRUST = 0.1  # accepted distance from the predicted position, against the predicted movement
VELOCITY_TRUST = 0.05  # likewise for the velocity
NEARLY_SINGULAR = 1e-4  # singularity measure below which an instant is bridged
STILL = 1e-9  # movement in a step, in scales, that counts as none
BRIDGE = 0.01  # half length of a bridge: the fastest coordinate moves this many scales
FIRST_MOVE = 0.05  # where nothing is known yet, the fastest coordinate moves this many scales
IN_SIGHT = 0.5  # share of its sine that a row may lose in a step, by linear extrapolation
BENT = 0.1  # by how much a sine may differ from its linear extrapolation for a step to count as seen through
OUT_OF_SIGHT = 1e-3  # positions with a smaller sine count as singular: they are passed and reported
LONGEST_TURN = 0.8  # per step, each component [rad]: two bodies together stay below half a turn
WEAKENED = 0.5  # share of the largest measure met at which rows chosen among redundant ones are chosen anew
WORTH_A_CHOICE = 1e-2  # below this the position itself is nearly singular: another choice would not help
SMALLEST_STEP = 1e-10  # of the run's natural time

# cursor: where the motion has been followed to; the last two steps; dips of the singularity measure noted so far; measure below
# which the rows should be chosen anew (0: never); steps after which a call returns so that Ctrl-C is heard (0: none)
(
    CURSOR_TIME,
    CURSOR_STARTED,
    CURSOR_SPAN,
    LAST_TIME,
    LAST_ANGLE,
    OLDER_TIME,
    OLDER_ANGLE,
    N_DIPS,
    CURSOR_WEAK,
    CURSOR_PATIENCE,
    CURSOR_SIZE,
) = range(11)
MOST_DIPS = 4096
NOTABLE = 0.2  # a minimum of the measure below this is noted

# what is noted for each instant
NOTE_ANGLE, NOTE_ITERATIONS, NOTE_STEPS, NOTE_BRIDGED, NOTE_SIZE = 0, 1, 2, 3, 4


@kernel()
def prescribe(I, F, t, work, q, v, a):
    """Give the prescribed coordinates their values at time t."""
    for k in range(I[L.N_PRESCRIBED]):
        at = I[L.AT_PRESCRIBED] + 3 * k
        work[0] = t
        work[1] = 1.0
        work[2] = 0.0
        work[3] = 0.0
        r = tape_run(I, I[at + 2], F, work, 0)
        q[I[at + 1]] = work[r]
        v[I[at]] = work[r + 1]
        a[I[at]] = 2.0 * work[r + 2]


@kernel()
def solve_instant(
    I,
    F,
    P,
    t,
    q,
    v,
    a,
    state,
    out,
    jac,
    weighted,
    work,
    weights,
    y,
    lower,
    pivots_inverse,
    phi,
    nu,
    gamma,
    residual,
    step,
    note,
):
    """From a position estimate to position, velocity and acceleration at time t, all in place."""
    m = P[L.P_ROWS]
    n = I[L.N_COLUMNS]
    prescribe(I, F, t, work, q, v, a)
    correction = math.inf
    before = math.inf
    status = L.NOT_CONVERGED
    iterations = 0
    for _ in range(NEWTON_ITERATIONS):
        iterations += 1
        load_state(I, t, q, v, state)
        run_elements(I, F, state, out, jac, work)
        largest = row_residuals(I, F, P, t, out, work, step, phi, nu, gamma)
        if not math.isfinite(largest):
            note[NOTE_ITERATIONS] += iterations
            return L.NOT_FINITE
        if correction < CONVERGED and (largest < RESIDUAL or (largest < 1e-10 and largest > 0.5 * before)):
            status = L.OK
            break
        before = largest
        weigh(I, P, jac, weights, weighted)
        if correction > KEEP_FACTORS or note[NOTE_ANGLE] < 1e-2:  # close to singular, old factors mislead
            note[NOTE_ANGLE] = factor(P, jac, weighted, 0.0, y, lower, pivots_inverse)
        for k in range(m):
            residual[k] = -phi[k]
        solve_factored(P, lower, pivots_inverse, residual)
        for c in range(n):
            step[c] = 0.0
        add_transposed(I, P, weighted, residual, step)
        correction = 0.0
        move(I, q, step, q)
        for c in range(n):
            correction = max(correction, abs(step[c]) / F[I[L.AT_COLUMN_SCALES] + c])
        if correction > 10.0:
            break
    note[NOTE_ITERATIONS] += iterations
    if status != L.OK:
        return status
    weigh(I, P, jac, weights, weighted)
    if note[NOTE_ANGLE] < 1e-2:
        # close to a singular position the factors must belong to this very place
        note[NOTE_ANGLE] = factor(P, jac, weighted, 0.0, y, lower, pivots_inverse)
        if note[NOTE_ANGLE] < 1e-6:
            return L.SINGULAR
    solve_rates(I, P, jac, weighted, weights, lower, pivots_inverse, nu, v, residual)
    # the quadratic terms need the velocities just found
    load_state(I, t, q, v, state)
    run_elements(I, F, state, out, jac, work)
    row_residuals(I, F, P, t, out, work, step, phi, nu, gamma)
    solve_rates(I, P, jac, weighted, weights, lower, pivots_inverse, gamma, a, residual)
    settle(I, F, state, q)
    return L.OK


@kernel()
def note_step(cursor, dips, t, angle):
    """Keep the last two steps; where the middle one of three was lowest, note the interval for a closer look."""
    lowest = 0.0 < cursor[LAST_ANGLE] < cursor[OLDER_ANGLE] and cursor[LAST_ANGLE] <= angle
    if lowest and cursor[LAST_ANGLE] < NOTABLE:
        note_dip(cursor, dips, cursor[OLDER_TIME], t)
    cursor[OLDER_TIME] = cursor[LAST_TIME]
    cursor[OLDER_ANGLE] = cursor[LAST_ANGLE]
    cursor[LAST_TIME] = t
    cursor[LAST_ANGLE] = angle


@kernel()
def note_dip(cursor, dips, begin, end):
    k = int(cursor[N_DIPS])
    if k < dips.shape[0]:
        dips[k, 0] = begin
        dips[k, 1] = end
        cursor[N_DIPS] += 1.0


@kernel()
def leaves_curve(I, F, q):
    """True when a curve coordinate is beyond the ends of its curve."""
    first = I[L.N_COORDINATES] - I[L.N_TURNS] - I[L.N_EXTRAS]
    for e in range(I[L.N_EXTRAS]):
        at = I[L.AT_EXTRA_BOUNDS] + 2 * e
        slack = 1e-12 * F[I[L.AT_COORDINATE_SCALES] + first + e]
        if q[first + e] < F[at] - slack or q[first + e] > F[at + 1] + slack:
            return True
    return False


@kernel()
def predict(I, h, q, v, a, q_to, v_to, a_to, step):
    for c in range(I[L.N_COLUMNS]):
        step[c] = h * (v[c] + 0.5 * h * a[c])
        v_to[c] = v[c] + h * a[c]
        a_to[c] = a[c]
    move(I, q, step, q_to)


@kernel()
def is_continuation(I, F, h, q, v, a, q_new, v_new, moved_by):
    """True when the new position and velocity lie where the motion so far leads."""
    difference(I, q_new, q, moved_by)
    off_q = 0.0
    off_v = 0.0
    moved = 1e-9
    speed = 0.0
    for c in range(I[L.N_COLUMNS]):
        scale = F[I[L.AT_COLUMN_SCALES] + c]
        off_q = max(off_q, abs(moved_by[c] - h * (v[c] + 0.5 * h * a[c])) / scale)
        off_v = max(off_v, abs(v_new[c] - v[c] - h * a[c]) / scale)
        moved = max(moved, abs(h) * (abs(v[c]) + 0.5 * abs(h * a[c])) / scale)
        speed = max(speed, (abs(v[c]) + abs(v_new[c]) + abs(h * a[c])) / scale)
    if off_q > POSITION_TRUST * moved or off_q > 0.5:
        return False
    return off_v <= VELOCITY_TRUST * speed or off_v * abs(h) < 1e-9


@kernel()
def quintic(I, t, t0, left, t1, right, q, v, a):
    """Quintic Hermite interpolation between two ends (rows q, v, a) of position, velocity and acceleration."""
    n = I[L.N_COORDINATES]
    dq0 = np.zeros(n)
    ddq0 = np.zeros(n)
    dq1 = np.zeros(n)
    ddq1 = np.zeros(n)
    dq = np.zeros(n)
    ddq = np.zeros(n)
    to_rates(I, left[0], left[1], left[2], dq0, ddq0)
    to_rates(I, right[0], right[1], right[2], dq1, ddq1)
    h = t1 - t0
    s = (t - t0) / h
    for c in range(n):
        # coefficients of the polynomial in s, from the differences to the start's own parabola
        d0 = right[0, c] - left[0, c] - h * dq0[c] - 0.5 * h * h * ddq0[c]
        d1 = h * (dq1[c] - dq0[c] - h * ddq0[c])
        d2 = h * h * (ddq1[c] - ddq0[c])
        c3 = 10.0 * d0 - 4.0 * d1 + 0.5 * d2
        c4 = -15.0 * d0 + 7.0 * d1 - d2
        c5 = 6.0 * d0 - 3.0 * d1 + 0.5 * d2
        q[c] = left[0, c] + h * s * dq0[c] + 0.5 * h * h * s * s * ddq0[c] + s * s * s * (c3 + s * (c4 + s * c5))
        dq[c] = dq0[c] + h * s * ddq0[c] + s * s * (3.0 * c3 + s * (4.0 * c4 + 5.0 * s * c5)) / h
        ddq[c] = ddq0[c] + s * (6.0 * c3 + s * (12.0 * c4 + 20.0 * s * c5)) / (h * h)
    from_rates(I, q, dq, ddq, v, a)


@kernel()
def longest_in_sight(sines, older, elapsed, h):
    """Longest step after which no row's sine has fallen too far.

    Two branches that nearly touch can only be told apart by steps that see the sines fall and rise again: a longer step leads
    smoothly from one branch to the other.
    """
    longest = math.inf
    for k in range(sines.size):
        rate = (sines[k] - older[k]) / elapsed
        if rate * h < 0.0 and sines[k] > OUT_OF_SIGHT:
            longest = min(longest, IN_SIGHT * sines[k] / abs(rate))
    return longest


@kernel()
def seen_through(sines, older, elapsed, new, h):
    """True if the sines of the rows went on much as they had begun, so that none can have passed zero unseen inside the step."""
    for k in range(sines.size):
        expected = sines[k] + (sines[k] - older[k]) / elapsed * h
        if abs(new[k] - expected) > BENT:
            return False
    return True


@kernel()
def first_step(I, F, v, a):
    """Length of a step that moves the fastest coordinate a little."""
    longest = math.inf
    for c in range(I[L.N_COLUMNS]):
        scale = FIRST_MOVE * F[I[L.AT_COLUMN_SCALES] + c]
        if v[c] != 0.0:
            longest = min(longest, scale / abs(v[c]))
        if a[c] != 0.0:
            longest = min(longest, math.sqrt(2.0 * scale / abs(a[c])))
    return longest


@kernel()
def fastest(I, F, v_from, v_to):
    """Largest speed at either end of a step, in scales [1/s]."""
    speed = 0.0
    for c in range(I[L.N_COLUMNS]):
        speed = max(speed, max(abs(v_from[c]), abs(v_to[c])) / F[I[L.AT_COLUMN_SCALES] + c])
    return speed


@kernel()
def fastest_turn(I, v):
    """Largest angular velocity component of a body in space."""
    largest = 0.0
    for b in range(I[L.N_BODIES] - 1):
        for c in range(6 * b + 3, 6 * b + 6):
            largest = max(largest, abs(v[c]))
    return largest


@kernel()
def copy(n, source, target):
    for c in range(n):
        target[c] = source[c]


@kernel(
    INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE,
    FLOAT_TABLE, FLOAT_TABLE,
    seconds=10.0,
)  # fmt: skip
def kinematics_run(I, F, P, times, cursor, at, Q, V, A, notes, dips):
    """Follow the motion through the given instants.

    Args:
        cursor: Time reached, 1 if the motion has started, natural time of the run.
        at: Rows q, v, a at the cursor; updated.
        Q, V, A, notes: One row per instant, filled; a row of notes begun before a pause is continued.
        dips: Intervals in which the singularity measure has a minimum, appended.

    Returns ``(instants done, status, time where it stopped)``; the cursor then stands at the last good place.
    """
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    state = np.zeros(state_size(I))
    out = np.zeros(L.OUTPUT_SIZE * I[L.N_OUTPUTS])
    jac = np.zeros(I[L.N_JACOBIAN])
    weighted = np.zeros(I[L.N_JACOBIAN])
    work = np.zeros(I[L.N_WORK])
    weights = np.zeros(n)
    y = np.zeros(m)
    lower = np.zeros(P[L.P_L_SIZE])
    pivots_inverse = np.zeros(m)
    phi = np.zeros(m)
    nu = np.zeros(m)
    gamma = np.zeros(m)
    residual = np.zeros(m)
    step = np.zeros(max(n, 3))
    note = np.zeros(NOTE_SIZE)
    nq = I[L.N_COORDINATES]
    q = np.zeros(nq)
    v = np.zeros(n)
    a = np.zeros(n)
    # sines of the rows at the cursor and a step before; how long that step was (0: not known)
    sines = np.zeros(m)
    older_sines = np.zeros(m)
    new_sines = np.zeros(m)
    elapsed = 0.0
    seen = False
    # the two ends of a bridge over a singular position
    left = np.zeros((3, nq))
    right = np.zeros((3, nq))
    left_time = 0.0
    right_time = 0.0
    bridge_from = math.inf
    bridge_to = -math.inf
    fill_weights(I, F, weights)
    load_ground(I, state)
    status = L.OK
    accepted = 0
    stopped_at = cursor[CURSOR_TIME]
    for instant in range(times.size):
        goal = times[instant]
        copy(NOTE_SIZE, notes[instant], note)
        note[NOTE_ANGLE] = cursor[LAST_ANGLE]  # for an instant that the cursor stands at already
        if cursor[CURSOR_STARTED] == 0.0:
            copy(nq, at[0], q)
            v[:] = 0.0
            a[:] = 0.0
            status = solve_instant(
                I, F, P, goal, q, v, a, state, out, jac, weighted, work, weights, y, lower, pivots_inverse, phi, nu, gamma,
                residual, step, note,
            )  # fmt: skip
            if status != L.OK:
                return instant, status, goal
            copy(nq, q, at[0])
            copy(n, v, at[1])
            copy(n, a, at[2])
            cursor[CURSOR_TIME] = goal
            cursor[CURSOR_STARTED] = 1.0
            cursor[OLDER_ANGLE] = note[NOTE_ANGLE]
            cursor[LAST_ANGLE] = note[NOTE_ANGLE]
            cursor[LAST_TIME] = goal
            cursor[OLDER_TIME] = goal
        h = goal - cursor[CURSOR_TIME]
        smallest = SMALLEST_STEP * cursor[CURSOR_SPAN]
        while not (bridge_from <= goal <= bridge_to) and cursor[CURSOR_TIME] != goal:
            longest = (
                longest_in_sight(sines, older_sines, elapsed, h) if elapsed != 0.0 else first_step(I, F, at[1], at[2])
            )
            if abs(h) > longest:
                h = math.copysign(max(longest, 4.0 * smallest), h)
            if abs(goal - cursor[CURSOR_TIME]) <= abs(h) * (1.0 + 1e-9):
                h = goal - cursor[CURSOR_TIME]
                t = goal
            else:
                t = cursor[CURSOR_TIME] + h
            if I[L.IS_SPATIAL] != 0:
                # rotations are compared by the shorter way round, and turns are counted from step to step
                while abs(h) * fastest_turn(I, at[1]) > LONGEST_TURN:
                    h *= 0.5
                    t = cursor[CURSOR_TIME] + h
            predict(I, h, at[0], at[1], at[2], q, v, a, step)
            status = solve_instant(
                I, F, P, t, q, v, a, state, out, jac, weighted, work, weights, y, lower, pivots_inverse, phi, nu, gamma,
                residual, step, note,
            )  # fmt: skip
            note[NOTE_STEPS] += 1.0
            good = status == L.OK and is_continuation(I, F, h, at[0], at[1], at[2], q, v, step)
            if status == L.OK and leaves_curve(I, F, q):
                status = L.CURVE_END
                good = False
            if status == L.OK and not good:
                status = L.BRANCH_LOST
                # a driver may jump in velocity: at a regular position the smallest step decides
                if abs(h) <= 4.0 * smallest and note[NOTE_ANGLE] > 1e-3:
                    good = True
            if good:
                row_sines(P, jac, weighted, pivots_inverse, new_sines)
                if (
                    elapsed != 0.0
                    and abs(h) > 8.0 * smallest
                    and not seen_through(sines, older_sines, elapsed, new_sines, h)
                ):
                    h *= 0.5
                    continue
            # at rest there is nothing to bridge: the plain solution is right
            if good and (note[NOTE_ANGLE] > NEARLY_SINGULAR or abs(h) * fastest(I, F, at[1], v) < STILL):
                copy(m, sines, older_sines)
                copy(m, new_sines, sines)
                elapsed = t - cursor[CURSOR_TIME] if seen else 0.0
                seen = True
                copy(nq, q, at[0])
                copy(n, v, at[1])
                copy(n, a, at[2])
                cursor[CURSOR_TIME] = t
                note_step(cursor, dips, t, note[NOTE_ANGLE])
                if cursor[CURSOR_WEAK] > 0.0:
                    if WORTH_A_CHOICE < note[NOTE_ANGLE] < cursor[CURSOR_WEAK]:
                        return instant, L.WEAK_ROWS, t
                    cursor[CURSOR_WEAK] = max(cursor[CURSOR_WEAK], WEAKENED * note[NOTE_ANGLE])
                accepted += 1
                if 0.0 < cursor[CURSOR_PATIENCE] <= accepted:
                    copy(NOTE_SIZE, note, notes[instant])
                    return instant, L.PAUSED, t
                h *= 2.0
                continue
            if status != L.CURVE_END and (good or status == L.SINGULAR or abs(h) <= smallest):
                # try to step over: reach t - delta, then t + delta
                delta = min(BRIDGE / max(fastest(I, F, at[1], at[1]), 1e-300), 0.1 * cursor[CURSOR_SPAN])
                if goal < cursor[CURSOR_TIME]:
                    delta = -delta
                bridged = False
                t0 = cursor[CURSOR_TIME]
                start = t - delta
                if abs(start - t0) < 4.0 * abs(delta):
                    predict(I, start - t0, at[0], at[1], at[2], left[0], left[1], left[2], step)
                    over = solve_instant(
                        I, F, P, start, left[0], left[1], left[2], state, out, jac, weighted, work, weights, y, lower,
                        pivots_inverse, phi, nu, gamma, residual, step, note,
                    )  # fmt: skip
                    if over == L.OK and is_continuation(I, F, start - t0, at[0], at[1], at[2], left[0], left[1], step):
                        predict(I, 2.0 * delta, left[0], left[1], left[2], right[0], right[1], right[2], step)
                        over = solve_instant(
                            I, F, P, t + delta, right[0], right[1], right[2], state, out, jac, weighted, work, weights, y, lower,
                            pivots_inverse, phi, nu, gamma, residual, step, note,
                        )  # fmt: skip
                        bridged = over == L.OK and is_continuation(
                            I, F, 2.0 * delta, left[0], left[1], left[2], right[0], right[1], step
                        )
                        if bridged:
                            left_time = start
                            right_time = t + delta
                            bridge_from = min(left_time, right_time)
                            bridge_to = max(left_time, right_time)
                            copy(nq, right[0], at[0])
                            copy(n, right[1], at[1])
                            copy(n, right[2], at[2])
                            cursor[CURSOR_TIME] = t + delta
                            seen = False
                            elapsed = 0.0
                            note_dip(cursor, dips, left_time, right_time)
                            cursor[LAST_ANGLE] = 0.0  # a minimum already noted
                            note_step(cursor, dips, right_time, note[NOTE_ANGLE])
                            h = goal - cursor[CURSOR_TIME]
                            note[NOTE_BRIDGED] = 1.0
                elif good:
                    # too far to reach in one go: come closer first
                    h *= 0.5
                    continue
                if bridged:
                    continue
                if good:
                    # near singular but passable only up to here (a dead point ahead): the plain solution is right
                    seen = False
                    elapsed = 0.0
                    copy(nq, q, at[0])
                    copy(n, v, at[1])
                    copy(n, a, at[2])
                    cursor[CURSOR_TIME] = t
                    note_step(cursor, dips, t, note[NOTE_ANGLE])
                    accepted += 1
                    if 0.0 < cursor[CURSOR_PATIENCE] <= accepted:
                        copy(NOTE_SIZE, note, notes[instant])
                        return instant, L.PAUSED, t
                    h *= 2.0
                    continue
            if abs(h) <= smallest:
                if status == L.OK:
                    status = L.BRANCH_LOST
                return instant, status, cursor[CURSOR_TIME]
            h *= 0.5
        if bridge_from <= goal <= bridge_to:
            note[NOTE_BRIDGED] = 1.0
            quintic(I, goal, left_time, left, right_time, right, Q[instant], V[instant], A[instant])
        else:
            copy(nq, at[0], Q[instant])
            copy(n, at[1], V[instant])
            copy(n, at[2], A[instant])
        copy(NOTE_SIZE, note, notes[instant])
        stopped_at = goal
    return times.size, L.OK, stopped_at
