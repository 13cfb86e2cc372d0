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

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.bodies import load_ground
from pytrammel.kernels.continuation import (
    fastest,
    fastest_turn,
    first_step,
    is_continuation,
    longest_in_sight,
    places_in,
    predict,
    predict_on,
    quintic,
    seen_through,
)
from pytrammel.kernels.instant import (
    END,
    JAC,
    NOTE_ANGLE,
    NOTE_BRIDGED,
    NOTE_ITERATIONS,
    NOTE_SIZE,
    NOTE_STEPS,
    PIVOTS,
    STATE,
    STEP,
    WEIGHTED,
    fill_scales,
    instant_places,
    instant_workspace,
    look_at_instant,
    solve_instant,
)
from pytrammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, call_routine, kernel
from pytrammel.kernels.schur import row_sines
from pytrammel.kernels.structure.calls import call_piece

NEARLY_SINGULAR = 1e-4  # singularity measure below which an instant is bridged
STILL = 1e-9  # movement in a step, in scales, that counts as none
BRIDGE = 0.01  # half length of a bridge: the fastest coordinate moves this many scales
LONGEST_TURN = 0.8  # per step, each component [rad]: two bodies together stay below half a turn
WEAKENED = 0.5  # share of the largest measure met at which rows chosen among redundant ones are chosen anew
WORTH_A_CHOICE = 1e-2  # below this the position itself is nearly singular: another choice would not help
SMALLEST_STEP = 1e-10  # of the run's natural time
FURTHER_ON = 2.5  # lengths of the last step that its cubic is trusted ahead

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
# in the table, of straight pieces: routine that solves an instant by them (0: none), where their addresses are; those of the pieces that
# look ahead, compare, find sines and measure
STRAIGHT, PIECES, AHEAD, GOES_ON, SINES, MEASURES = range(engine.OWN, engine.OWN + 6)
MOST_DIPS = 4096
NOTABLE = 0.2  # a minimum of the measure below this is noted


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
def copy(n, source, target):
    for c in range(n):
        target[c] = source[c]


@kernel()
def solve_at(I, F, P, t, at, note, ws, E):
    """Position, velocity and acceleration at time t from an estimate, in place.

    With a table E, the routine there finds them: the same way by straight pieces, or in coordinates of its own.
    """
    q, v, a = places_in(I, at)
    if E.size > 0:
        if E[STRAIGHT] != 0:
            return int(call_routine(E[STRAIGHT], E, t, 0.0, at, note, ws[STATE]))
        status = int(call_routine(E[engine.RATES], E, t, 0.0, q, v, a))
        note[NOTE_ITERATIONS] += 1.0
        return status if status != L.OK else look_at_instant(I, F, P, t, q, v, note, ws)
    return solve_instant(I, F, P, t, q, v, a, note, ws, None)


@kernel()
def find_sines(F, P, sines, ws, E):
    """Sines of the rows where an instant has just been solved."""
    if E.size > 0 and E[STRAIGHT] != 0:
        call_piece(E[SINES], 0.0, F, 1, sines, ws[STATE])
    else:
        row_sines(P, ws[JAC], ws[WEIGHTED], ws[PIVOTS], sines)


@kernel()
def goes_on(I, h, at, to, ws):
    """True when the motion leads from one place to the other in the time h."""
    q, v, a = places_in(I, at)
    q_to, v_to, _ = places_in(I, to)
    return is_continuation(I, h, q, v, a, q_to, v_to, ws)


@kernel()
def leads_on(I, F, h, at, places, ws, E):
    """The same for the place after `older` in a buffer."""
    place = 3 * I[L.N_COORDINATES]
    if E.size > 0 and E[STRAIGHT] != 0:
        call_piece(E[GOES_ON], h, F, 1, at, places)
        return places[4 * place] != 0.0
    return goes_on(I, h, at, advanced(places, place), ws)


@kernel()
def go_further(I, F, h, elapsed, at, places, ws, E):
    """Estimate of the place a time h after one, by the last two: the older one and the estimate one behind the other in a buffer."""
    place = 3 * I[L.N_COORDINATES]
    if E.size > 0 and E[STRAIGHT] != 0:
        places[4 * place] = elapsed
        call_piece(E[AHEAD], h, F, 1, at, places)
    else:
        q_to, v_to, a_to = places_in(I, advanced(places, place))
        predict_on(I, h, elapsed, at, places, q_to, v_to, a_to, ws[STEP])


@kernel()
def go_ahead(I, h, at, to, ws):
    """Estimate of the place a time h after one."""
    q, v, a = places_in(I, at)
    q_to, v_to, a_to = places_in(I, to)
    predict(I, h, q, v, a, q_to, v_to, a_to, ws[STEP])


@kernel()
def begin_cursor(cursor, t, angle):
    cursor[CURSOR_TIME] = t
    cursor[CURSOR_STARTED] = 1.0
    cursor[OLDER_ANGLE] = angle
    cursor[LAST_ANGLE] = angle
    cursor[LAST_TIME] = t
    cursor[OLDER_TIME] = t


@kernel()
def step_over(I, F, P, t, delta, cursor, at, left, right, note, ws, E):
    """Places a little before and after a singular one, if the motion leads through both."""
    t0 = cursor[CURSOR_TIME]
    go_ahead(I, t - delta - t0, at, left, ws)
    if solve_at(I, F, P, t - delta, left, note, ws, E) != L.OK or not goes_on(I, t - delta - t0, at, left, ws):
        return False
    go_ahead(I, 2.0 * delta, left, right, ws)
    return solve_at(I, F, P, t + delta, right, note, ws, E) == L.OK and goes_on(I, 2.0 * delta, left, right, ws)


@kernel()
def follow(
    ints, floats, pattern, times, cursor, cursor_place, Q, V, A, notes, dips, workspace, place_space, sine_space, E
):
    """What `kinematics_run` does, with room to work in."""
    I = bare(ints)
    F = bare(floats)
    P = bare(pattern)
    at = bare(cursor_place)
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    nq = I[L.N_COORDINATES]
    place = 3 * nq
    ws = instant_workspace(I, P, workspace)
    places = bare(place_space)
    older = places  # where the cursor stood a step before
    to = advanced(places, place)
    left = advanced(places, 2 * place)  # the two ends of a bridge over a singular position
    right = advanced(places, 3 * place)
    left_time = 0.0
    right_time = 0.0
    bridge_from = math.inf
    bridge_to = -math.inf
    # sines of the rows at the cursor and a step before; how long that step was (0: not known)
    sines = bare(sine_space)
    older_sines = advanced(sines, m)
    new_sines = advanced(sines, 2 * m)
    elapsed = 0.0
    seen = False
    last_step = 0.0  # length of the step from `older` to the cursor; 0: not known
    rates = advanced(places, 4 * place)  # room for a bridge, and for a number that a piece takes or returns
    note = advanced(places, 6 * place)
    fill_scales(I, F, ws)
    load_ground(I, ws[STATE])
    status = L.OK
    accepted = 0
    stopped_at = cursor[CURSOR_TIME]
    smallest = SMALLEST_STEP * cursor[CURSOR_SPAN]
    for instant in range(times.size):
        goal = times[instant]
        copy(NOTE_SIZE, notes[instant], note)
        note[NOTE_ANGLE] = cursor[LAST_ANGLE]  # for an instant that the cursor stands at already
        if cursor[CURSOR_STARTED] == 0.0:
            copy(nq, at, to)
            for c in range(nq, place):
                to[c] = 0.0
            status = solve_at(I, F, P, goal, to, note, ws, E)
            if status != L.OK:
                return instant, status, goal
            copy(place, to, at)
            begin_cursor(cursor, goal, note[NOTE_ANGLE])
        h = goal - cursor[CURSOR_TIME]
        while not (bridge_from <= goal <= bridge_to) and cursor[CURSOR_TIME] != goal:
            longest = longest_in_sight(m, sines, older_sines, elapsed, h) if elapsed != 0.0 else first_step(I, at, ws)
            if abs(h) > longest:
                h = math.copysign(min(abs(h), max(longest, 4.0 * smallest)), h)
            if abs(goal - cursor[CURSOR_TIME]) <= abs(h) * (1.0 + 1e-9):
                h = goal - cursor[CURSOR_TIME]
                t = goal
            else:
                t = cursor[CURSOR_TIME] + h
            if I[L.IS_SPATIAL] != 0:
                # rotations are compared by the shorter way round, and turns are counted from step to step
                while abs(h) * fastest_turn(I, at) > LONGEST_TURN:
                    h *= 0.5
                    t = cursor[CURSOR_TIME] + h
            if last_step != 0.0 and 0.0 < h / last_step <= FURTHER_ON:
                go_further(I, F, h, last_step, at, places, ws, E)
            else:
                go_ahead(I, h, at, to, ws)
            status = solve_at(I, F, P, t, to, note, ws, E)
            note[NOTE_STEPS] += 1.0
            good = status == L.OK and leads_on(I, F, h, at, places, ws, E)
            if status == L.OK and leaves_curve(I, F, to):
                status = L.CURVE_END
                good = False
            if status == L.OK and not good:
                status = L.BRANCH_LOST
                # a driver may jump in velocity: at a regular position the smallest step decides
                if abs(h) <= 4.0 * smallest and note[NOTE_ANGLE] > 1e-3:
                    good = True
            if good:
                find_sines(F, P, new_sines, ws, E)
                if (
                    elapsed != 0.0
                    and abs(h) > 8.0 * smallest
                    and not seen_through(m, sines, older_sines, elapsed, new_sines, h)
                ):
                    h *= 0.5
                    continue
            # at rest there is nothing to bridge: the plain solution is right
            if good and (note[NOTE_ANGLE] > NEARLY_SINGULAR or abs(h) * fastest(I, at, to, ws) < STILL):
                sines, older_sines, new_sines = new_sines, sines, older_sines
                last_step = t - cursor[CURSOR_TIME]
                elapsed = last_step if seen else 0.0
                seen = True
                copy(place, at, older)
                copy(place, to, at)
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
                delta = min(BRIDGE / max(fastest(I, at, at, ws), 1e-300), 0.1 * cursor[CURSOR_SPAN])
                if goal < cursor[CURSOR_TIME]:
                    delta = -delta
                within_reach = abs(t - delta - cursor[CURSOR_TIME]) < 4.0 * abs(delta)
                if good and not within_reach:
                    h *= 0.5  # too far to reach in one go: come closer first
                    continue
                if within_reach and step_over(I, F, P, t, delta, cursor, at, left, right, note, ws, E):
                    left_time = t - delta
                    right_time = t + delta
                    bridge_from = min(left_time, right_time)
                    bridge_to = max(left_time, right_time)
                    copy(place, right, at)
                    cursor[CURSOR_TIME] = right_time
                    seen = False
                    elapsed = 0.0
                    last_step = 0.0
                    note_dip(cursor, dips, left_time, right_time)
                    cursor[LAST_ANGLE] = 0.0  # a minimum already noted
                    note_step(cursor, dips, right_time, note[NOTE_ANGLE])
                    h = goal - cursor[CURSOR_TIME]
                    note[NOTE_BRIDGED] = 1.0
                    continue
                if good:
                    # near singular but passable only up to here (a dead point ahead): the plain solution is right
                    seen = False
                    elapsed = 0.0
                    last_step = 0.0
                    copy(place, to, at)
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
        found = at
        if bridge_from <= goal <= bridge_to:
            note[NOTE_BRIDGED] = 1.0
            quintic(I, goal, left_time, left, right_time, right, to, rates)
            found = to
        for c in range(nq):
            Q[instant, c] = found[c]
        for c in range(n):
            V[instant, c] = found[nq + c]
            A[instant, c] = found[2 * nq + c]
        copy(NOTE_SIZE, note, notes[instant])
        stopped_at = goal
    return times.size, L.OK, stopped_at


@kernel(
    INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE,
    FLOAT_TABLE, FLOAT_TABLE, INT_ARRAY,
    seconds=10.0,
)  # fmt: skip
def kinematics_run(ints, floats, pattern, times, cursor, cursor_place, Q, V, A, notes, dips, E):
    """Follow the motion through the given instants.

    Args:
        cursor: Time reached, 1 if the motion has started, natural time of the run.
        cursor_place: Rows q, v, a at the cursor, one after the other; updated.
        Q, V, A, notes: One row per instant, filled; a row of notes begun before a pause is continued.
        dips: Intervals in which the singularity measure has a minimum, appended.
        E: Table of a routine that solves an instant in other coordinates than those of the bodies; empty without one.

    Returns ``(instants done, status, time where it stopped)``; the cursor then stands at the last good place.
    """
    return follow(
        ints, floats, pattern, times, cursor, cursor_place, Q, V, A, notes, dips, np.zeros(instant_places(ints, pattern)[END]),
        np.zeros(18 * ints[L.N_COORDINATES] + NOTE_SIZE), np.zeros(3 * pattern[L.P_ROWS] + 1), E,
    )  # fmt: skip
