"""The run: steps, events, breaks and output instants, for any equations and any method (`engine`)."""

from __future__ import annotations

import math

import numpy as np

from pytrammel.kernels import engine
from pytrammel.kernels.events import (
    DEEPEST,
    SILENT,
    felt_ahead,
    first_crossed,
    first_event,
    seen_by_interpolant,
    update_signs,
)
from pytrammel.kernels.jit import FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, call_routine, floats_at, kernel
from pytrammel.kernels.passing import (
    BEHIND,
    DIPS,
    FAST,
    GIVES_WAY,
    HELPS_OUT,
    LONG,
    MOST_NOTED,
    PERSISTS,
    SINGULAR,
    bottom_of,
    measure_at,
)
from pytrammel.kernels.step_control import (
    AHEAD,
    CLOSE,
    FORCED,
    FRESH,
    NEXT,
    RATE,
    REFERENCE,
    RETRY,
    TOO_CLOSE,
    TOUCHED,
    TRIES,
    WEAK,
    judge,
    length_to_try,
    shorten,
)
from pytrammel.kernels.works import DEEPEST as FINEST_WORKS
from pytrammel.kernels.works import add_works, allowed_work

# options, floats: fixed step (0 for error control), largest step, steps before the kernel returns for a look at the progress bar, or before
# that, stiff ones that the method has counted (0: any number)
(FIXED_STEP, LARGEST_STEP, MAX_STEPS, MAX_STIFF, N_OPTIONS) = range(5)
# counters
(N_STEPS, N_REJECTED, SMALLEST_ANGLE, N_FORCED, N_COUNTERS) = range(5)
ROOM_FOR_PASSAGES = 1 + 2 * MOST_NOTED  # behind the counters, where a caller asks for them: number, times and measures
# status
OK, EVENT, STEP_TOO_SMALL, NOT_A_NUMBER, TOO_MANY_STEPS, WEAK_ROWS, BREAK = 0, 10, 11, 12, 13, 14, 15
EQUATIONS_CHANGE = 17  # the equations ask to be set up anew
# a singular position is near, which other equations or another method must pass; it lies behind
CLOSE_BY, PASSED_BY = 18, 19
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
SOON = 1e-3  # of a step: so does one that soon whose formula has passed zero already, by less than it can tell
AIMS = 20  # repetitions, before the interpolant must do
AFTER_TOUCH = 0.1  # share of the last step with which to go on behind a corner of a force law
MAGNIFIED = (
    1e3  # times the allowed error that a state inside a step moves onto the constraints: then the measure is evaluated
)
ATTEMPTS, SPARE = (
    40,
    6,
)  # attempts per step on average, and steps whose attempts are allowed in advance, before the run is stuck


@kernel()
def record_as_it_is(E, t, y, row, close):
    """Fill the row of an output time; rates that move states onto the constraints would record the energies of another state."""
    rates = E[engine.RATES]
    if E[engine.UNTREATED] != 0 and (close or rates == E[engine.ON_CONSTRAINTS]):
        E[engine.RATES] = E[engine.UNTREATED]
    call_routine(E[engine.RECORD], E, t, 0.0, y, row, y)
    E[engine.RATES] = rates


@kernel()
def settle_inside(E, t, h, until, y, limit, stage, free, error, spare, scratch):
    """Bring the state inside a step onto the constraints, unless they magnify what it is off.

    A dip of the singularity measure may be so narrow that the step was not searched: there a state moves far. Returns 1 if the state
    stays as it is, else 0.
    """
    size = E[engine.SIZE]
    for c in range(size):
        free[c] = stage[c]
    settled = call_routine(E[engine.SETTLE], E, t + until * h, 0.0, stage, stage, stage)
    for c in range(size):
        error[c] = stage[c] - free[c]
    moved = call_routine(E[engine.NORM], E, t + until * h, 0.0, free, stage, error)
    if not math.isnan(settled) and moved <= MAGNIFIED:
        return 0.0
    if not measure_at(E, t, h, until, y, spare, scratch) < limit:
        return 0.0
    for c in range(size):
        stage[c] = free[c]
    call_routine(E[engine.SETTLE], E, t + until * h, 1.0, stage, stage, stage)
    return 1.0


@kernel(
    INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY,
    FLOAT_ARRAY, FLOAT_TABLE, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_ARRAY,
    seconds=5.0,
)  # fmt: skip
def integration_run(
    E, options, directions, noise, signs,
    times, breaks, clock, control, y, ROWS, counters,
):  # fmt: skip
    """Integrate through the given instants.

    Args:
        E: Equations, method and their data.
        options: Step lengths and their number.
        directions, noise, signs: Of the watched formulas: directions, the values that count as zero, and their last values (updated;
            NaN before the start).
        times: Output instants, ascending, not before the clock.
        breaks: Corners and jumps of formulas of time, ascending, not yet passed: a step ends before each, the next begins after it.
        clock, control, y: Time, step control and integrated vector; updated.
        ROWS: What is kept, one row per instant.

    Returns ``(instants done, status, index of the event or break)``.
    """
    fixed = options[FIXED_STEP] > 0.0
    size = E[engine.SIZE]
    S = floats_at(E[engine.NUMBERS])
    W = floats_at(E[engine.WORKSPACE])
    y1 = np.zeros(size)
    stage = np.zeros(size)
    works = np.zeros((6, size))  # so far, rates, integrals by two rules, and room
    work_ends = np.zeros(FINEST_WORKS + 1)
    spare = np.zeros(size)
    notes = counters[N_COUNTERS:]
    n_events = E[engine.N_EVENTS]
    e_values = np.zeros(n_events + 1)
    e_places = np.zeros(DEEPEST + 2)
    e_seen = np.zeros((DEEPEST + 2, n_events + 1))
    e_slopes = np.zeros((DEEPEST + 2, n_events + 1))
    e_sides = np.zeros(n_events + 1)

    t = clock[0]
    angle = S[engine.AT_END]
    if control[FRESH] != 0.0:
        angle = call_routine(E[engine.START], E, t, 0.0, y, y, y)
        control[FRESH] = 0.0
    if math.isnan(angle):
        return 0, NOT_A_NUMBER, 0
    if n_events > 0:
        call_routine(E[engine.WATCH], E, t, 0.0, y, e_values, e_values)
        for k in range(n_events):
            if math.isnan(signs[k]):  # the first look
                signs[k] = e_values[k] if abs(e_values[k]) > noise[k] else 0.0
    # light and massless parts lower the singularity measure everywhere: it counts against the largest met so far
    control[REFERENCE] = max(control[REFERENCE], angle, 1e-6)
    before = angle  # where the step begins: attempts that are repeated change the other one only
    done = 0
    end = times[times.size - 1]
    steps = 0
    attempts = 0
    ahead = 0
    asked = 0.0  # length of a step that is repeated so that it ends at an event
    aims = 0
    full = 0.0  # its length before
    landing = False  # at the next output instant
    others = n_events > 0  # events that passed zero at the same instant as the last one
    while True:
        goal = end
        if ahead < breaks.shape[0]:
            goal = min(goal, breaks[ahead, BEFORE])
        if others:
            call_routine(E[engine.WATCH], E, t, 0.0, y, e_values, e_values)
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
        # output times that coincide with the clock
        while done < times.size and times[done] <= t:
            record_as_it_is(E, t, y, ROWS[done], False)
            done += 1
        if done >= times.size:
            return done, OK, 0
        if steps >= options[MAX_STEPS] or (steps > 0 and 0.0 < options[MAX_STIFF] <= S[engine.STIFF_STEPS]):
            return done, TOO_MANY_STEPS, 0
        if notes.size > 0 and notes[0] >= MOST_NOTED and steps > 0:
            return done, TOO_MANY_STEPS, 0
        if ahead < breaks.shape[0] and t >= goal:
            # over a break: what happened before it says nothing about what follows
            t = breaks[ahead, AFTER]
            clock[0] = t
            ahead += 1
            control[TRIES] = 0.0
            if breaks[ahead - 1, IMPULSIVE] != 0.0:
                return done, BREAK, ahead - 1
            angle = call_routine(E[engine.START], E, t, 0.0, y, y, y)
            if math.isnan(angle):
                return done, NOT_A_NUMBER, 0
            before = angle
            control[TOUCHED] = 1.0
            others = n_events > 0
            continue
        if E[engine.CROSSING] == PERSISTS and before > BEHIND * control[REFERENCE]:
            E[engine.CROSSING] = GIVES_WAY
        if E[engine.CROSSING] == GIVES_WAY and before < CLOSE * control[REFERENCE]:
            control[AHEAD] = t
            return done, CLOSE_BY, 0
        if landing:
            goal = min(goal, times[done])
        if fixed:
            h = options[FIXED_STEP] if t + options[FIXED_STEP] * (1.0 + 1e-9) < goal else goal - t
        else:
            h = length_to_try(control, options[LARGEST_STEP], t, goal)
        if asked > 0.0:
            h = min(asked, goal - t)
            asked = 0.0
        else:
            aims = 0
        h = (t + h) - t  # as the clock tells it: the rounding of many instants would add up
        attempts += 1
        resolution = max(abs(t), 1e-3 * (end - t))
        if not h > 1e-15 * resolution or attempts > ATTEMPTS * (steps + SPARE):
            return done, STEP_TOO_SMALL, 0

        # an attempt that fails before it has met a state says nothing about singular positions
        S[engine.CLOSEST] = control[REFERENCE]
        S[engine.AT_END] = control[REFERENCE]
        norm = call_routine(E[engine.ATTEMPT], E, t, h, y, y1, y1)
        if math.isnan(norm):
            counters[N_REJECTED] += 1
            if fixed and E[engine.CROSSING] == GIVES_WAY and before < LONG * control[RATE] * h:
                # a step of this length cannot be solved so near to the singular position
                control[AHEAD] = t + before / control[RATE]
                return done, CLOSE_BY, 0
            if fixed or 0.2 * h < 1e-13 * resolution:
                return done, NOT_A_NUMBER, 0
            shorten(control, h)
            continue
        angle = S[engine.AT_END]
        # rows where none of the stages stood may come as close as those
        changes = abs(angle - before) / h
        rate = max(0.5 * control[RATE], changes)
        ends = min(before, angle)
        # a step to the same height on the other side shows no change: that of the step before counts in full
        known_change = max(control[RATE], changes) * h
        searched = before + angle < FAST * known_change
        searched = searched or S[engine.CLOSEST] < max(CLOSE * control[REFERENCE], DIPS * ends)
        searched = searched and E[engine.UNTREATED] != 0
        if E[engine.CROSSING] == GIVES_WAY and not searched and before + angle < LONG * known_change:
            # methods without stages pass from one side to the other in one step
            call_routine(E[engine.DENSE], E, t, h, y, y1, y1)
            searched = measure_at(E, t, h, 0.5, y, stage, spare) < DIPS * ends
        bottom = 1.0
        least = S[engine.CLOSEST]
        if searched:
            call_routine(E[engine.DENSE], E, t, h, y, y1, y1)
            bottom, least = bottom_of(E, t, h, y, before, angle, control[REFERENCE], stage, spare)
            if least < SINGULAR * control[REFERENCE]:
                rate = (before + angle) / h
        control[RATE] = rate
        close = min(least, S[engine.CLOSEST]) < CLOSE * control[REFERENCE]
        # perhaps only the rows chosen among redundant ones are dependent there
        weak = control[WEAK] > 0.0 and E[engine.CROSSING] != HELPS_OUT
        if close and (weak or E[engine.CROSSING] == GIVES_WAY):
            counters[N_REJECTED] += 1
            control[AHEAD] = t + bottom * h
            return done, WEAK_ROWS if weak else CLOSE_BY, 1
        if not fixed:
            known = control[REFERENCE]
            if E[engine.ON_CONSTRAINTS] != 0:
                stages_close = S[engine.CLOSEST] < CLOSE * known
                if stages_close and E[engine.RATES] == E[engine.UNTREATED]:
                    # the same step again, all its stages on the constraints
                    E[engine.RATES] = E[engine.ON_CONSTRAINTS]
                    counters[N_REJECTED] += 1
                    continue
                if not stages_close:
                    E[engine.RATES] = E[engine.UNTREATED]
            # too short to be worth a hop, or the last one, after which there is no step to spoil
            short = h < 1e-6 * (end - t) or t + h >= end
            verdict = judge(control, h, norm, S[engine.CLOSEST] / known, angle / known, short, S[engine.ORDER])
            if verdict == RETRY:
                counters[N_REJECTED] += 1
                continue
            if verdict == FORCED:
                counters[N_FORCED] += 1
        # where the step ends: at an event, if one fires inside
        t_end = goal if abs(goal - t - h) < 1e-9 * h else t + h
        fired = -1
        theta = 1.0
        dense = n_events > 0 or times[done] < t_end
        if dense:
            doubt = call_routine(E[engine.DENSE], E, t, h, y, y1, y1)
            if doubt > 1.0 and times[done] < t_end and not landing and not fixed:
                # the next output instant has the accuracy of steps if one ends there
                landing = True
                full = h
                asked = times[done] - t
                continue
        if n_events > 0:
            shorter = 1.0
            if aims < AIMS and h > WORTH_A_DOUBT * resolution:
                shorter = seen_by_interpolant(E, t, h, y, signs, directions, noise, stage, e_values)
            if shorter == 1.0:
                fired, theta = first_event(
                    E, t, h, y, signs, directions, noise, stage, e_places, e_seen, e_slopes, e_sides
                )
                now = theta * h <= AT_ONCE * resolution
                if fired >= 0 and not now and theta * h <= SOON * (max(h, full) if aims > 0 else h):
                    # a step that was to end there may have ended a rounding short of it, and so might the next, without end
                    call_routine(E[engine.WATCH], E, t, 0.0, y, e_values, e_values)
                    now = signs[fired] * e_values[fired] < 0.0
                if fired >= 0 and now:
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
                        if shorter > 1.0 - AT_ITS_END:  # the event lies within rounding of the end of the step
                            shorter = 1.0
            if fixed and fired < 0 and shorter == 1.0 and aims < AIMS and h > WORTH_A_DOUBT * resolution:
                shorter = felt_ahead(E, t, h, y, signs, directions, noise, stage, spare, e_values)
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
        counters[SMALLEST_ANGLE] = min(counters[SMALLEST_ANGLE], angle)
        control[REFERENCE] = max(control[REFERENCE], angle)

        known = control[REFERENCE]
        if notes.size > 0 and notes[0] < MOST_NOTED and searched and bottom <= theta and least < SINGULAR * known:
            notes[1 + 2 * int(notes[0])] = t + bottom * h
            notes[2 + 2 * int(notes[0])] = least
            notes[0] += 1.0
        # works that the step is too long for, from one output instant to the next
        uneven = allowed_work(E, t + h, y, y1, stage)
        first = E[engine.N_ACTIVE]
        begun = 0.0
        if uneven > 0.0:
            if not dense:
                call_routine(E[engine.DENSE], E, t, h, y, y1, y1)
            for c in range(first, size):
                works[0, c] = y[c]
        # output times inside the step; close to a singular position the constraints would magnify the error of a state
        while done < times.size and times[done] < t_end:
            until = (times[done] - t) / h
            as_it_is = 0.0
            if close and measure_at(E, t, h, until, y, stage, spare) < CLOSE * known:
                as_it_is = 1.0
            if uneven > 0.0:
                if not add_works(
                    E, t, h, begun, until, uneven, y, stage, works[1], works[2], works[3], work_ends, works[0]
                ):
                    uneven = 0.0
                begun = until
            call_routine(E[engine.BETWEEN], E, t, until, y, stage, stage)
            if uneven > 0.0:
                for c in range(first, size):
                    stage[c] = works[0, c]
            if as_it_is != 0.0:
                call_routine(E[engine.SETTLE], E, times[done], 1.0, stage, stage, stage)
            else:
                as_it_is = settle_inside(E, t, h, until, y, CLOSE * known, stage, works[4], works[5], spare, works[3])
            record_as_it_is(E, times[done], stage, ROWS[done], as_it_is != 0.0)
            done += 1
        if fired >= 0:
            call_routine(E[engine.BETWEEN], E, t, theta, y, y1, y1)
            control[TRIES] = 0.0
        if uneven > 0.0 and add_works(
            E, t, h, begun, theta, uneven, y, stage, works[1], works[2], works[3], work_ends, works[0]
        ):
            for c in range(first, size):
                y1[c] = works[0, c]
        if aims > 0 or landing:
            control[NEXT] = max(control[NEXT], full)
            landing = False
        control[TOUCHED] = 0.0
        if fired >= 0 and directions[fired] >= SILENT:
            control[TOUCHED] = 1.0
            control[NEXT] *= AFTER_TOUCH
        t = t_end
        clock[0] = t
        for c in range(size):
            y[c] = y1[c]
        W[engine.AT_STEP_END] = 1.0
        as_it_is = 0.0
        if fired >= 0 and close:
            as_it_is = 1.0 if call_routine(E[engine.RATES], E, t, 0.0, y, spare, spare) < CLOSE * known else 0.0
        elif not fixed and angle < TOO_CLOSE * known:
            as_it_is = 1.0
        if math.isnan(call_routine(E[engine.SETTLE], E, t, as_it_is, y, y, y)):
            return done, NOT_A_NUMBER, 1
        # behind an event or a corner of a law nothing needs to go on smoothly
        angle = call_routine(E[engine.ACCEPT] if fired < 0 else E[engine.START], E, t, 0.0, y, y, y)
        S[engine.AT_END] = angle
        if S[engine.PROPOSED] > 0.0 and aims == 0:
            control[NEXT] = S[engine.PROPOSED]
        if math.isnan(angle):
            return done, NOT_A_NUMBER, 0
        if n_events > 0:
            call_routine(E[engine.WATCH], E, t, 0.0, y, e_values, e_values)
            update_signs(signs, e_values, directions, noise, n_events, fired)
            # the way back onto the constraints may have led past an event that the interpolant did not meet
            others = fired >= 0 or first_crossed(signs, e_values, directions, noise, n_events) >= 0
        if fired >= 0 and directions[fired] != SILENT:
            return done, EVENT, fired
        if W[engine.CHANGE] != 0.0:
            W[engine.CHANGE] = 0.0
            return done, EQUATIONS_CHANGE, 0
        behind = t > control[AHEAD] and angle > max(before, BEHIND * control[REFERENCE])
        if E[engine.CROSSING] == HELPS_OUT and behind:
            return done, PASSED_BY, 0
        before = angle
        if control[WEAK] != 0.0:
            # rows chosen among redundant ones may become nearly dependent where others are not
            if WORTH_A_CHOICE < angle < control[WEAK]:
                return done, WEAK_ROWS, 0
            # negative until here where no other rows are better ahead
            control[WEAK] = max(abs(control[WEAK]), WEAKENED * angle)
