"""Loops around pieces, for one variant: run by this processor as they are, by graphics cards as C (`as_c`).

Only what C can say is used: numbers, whole numbers, pointers to numbers, loops. Places are q, v, a one behind the other. Whatever is
unusual ends a driver with a status other than 0: the variant is then left to the general kernels, which know what to do.
"""

from __future__ import annotations

import math

from pytrammel.kernels.bare import advanced
from pytrammel.kernels.jit import kernel
from pytrammel.kernels.methods.runge_kutta import B_ROW, C_ROW, E3_ROW, E5_ROW, combine, estimate
from pytrammel.kernels.step_control import longer_by, shorter_by
from pytrammel.kernels.structure.calls import call_piece

OK, NOT_CLOSED, TOO_NEAR, TOO_MANY = range(4)
N_REDUCED = 6  # what is left of a series: largest, smallest, weighted sum, weighted sum of squares, first, last
NEWTON = 30  # corrections at the start, at most
IN_REACH = 1e-5  # after so small a correction the next evaluation finds everything right
CLOSED = 1e-10  # correction that leaves nothing to be seen
RESIDUAL = 1e-10
NEAR_SINGULAR = 0.02  # singularity measure below which the general kernels look closer
SHORTEST = 1e-4  # of the distance between two instants


@kernel()
def close_place(CORRECT, INSTANT, t, F, stride, place, n_place, n_most):
    """From an estimate to a place; velocities and accelerations belong to it. Returns a status."""
    near = False
    before = math.inf
    for k in range(n_most):
        if near:
            call_piece(INSTANT, t, F, stride, place, place)
        else:
            call_piece(CORRECT, t, F, stride, place, place)
        residual = place[n_place]
        correction = place[n_place + 1]
        if not (correction < 10.0 and residual < 1e100):
            return NOT_CLOSED
        if place[n_place + 2] < NEAR_SINGULAR:
            return TOO_NEAR
        if near and correction < CLOSED:
            return OK
        if correction > before and correction > 1e-9:
            return NOT_CLOSED
        before = correction
        near = correction < IN_REACH
    return NOT_CLOSED


@kernel()
def note(values, n_kept, k, share, reduced, kept, k_stride):
    """Keep the numbers of instant k, or what is left of a series in the end.

    That is per number: largest, smallest, weighted sum, weighted sum of squares, first, last; `share` is the weight of the instant.
    """
    for c in range(n_kept):
        x = values[c]
        if not reduced > 0.0:
            kept[(k * n_kept + c) * k_stride] = x
            continue
        at = N_REDUCED * c * k_stride
        if k == 0:
            kept[at] = x
            kept[at + k_stride] = x
            kept[at + 2 * k_stride] = share * x
            kept[at + 3 * k_stride] = share * x * x
            kept[at + 4 * k_stride] = x
        else:
            kept[at] = max(kept[at], x)
            kept[at + k_stride] = min(kept[at + k_stride], x)
            kept[at + 2 * k_stride] += share * x
            kept[at + 3 * k_stride] += share * x * x
        kept[at + 5 * k_stride] = x


@kernel()
def follow_variant(CORRECT, INSTANT, AHEAD, GOES_ON, KEEP, times, shares, n_times, F, M, stride, place, n_place, room, reduced, kept,
                   n_kept, k_stride):  # fmt: skip
    """Kinematics of one variant through all instants.

    times, shares: Instants and their weights. F, M: Constants of the variant, of the motion and of what is measured.

    place: q of the start, and room for more (q, v, a, then three numbers). room: the same twice. Returns a status.
    """
    status = close_place(CORRECT, INSTANT, times[0], F, stride, place, n_place, NEWTON)
    if status != OK:
        return status
    t = times[0]
    call_piece(KEEP, t, M, stride, place, room)
    note(room, n_kept, 0, shares[0], reduced, kept, k_stride)
    for k in range(1, n_times):
        goal = times[k]
        h = goal - t
        shortest = SHORTEST * h
        while t < goal:
            if t + h > goal - 0.5 * shortest:
                h = goal - t
            call_piece(AHEAD, h, F, stride, place, room)
            status = close_place(CORRECT, INSTANT, t + h, F, stride, room, n_place, 8)
            good = status == OK
            if good:
                for c in range(n_place):
                    room[n_place + 8 + c] = place[c]
                    room[2 * n_place + 8 + c] = room[c]
                call_piece(GOES_ON, h, F, stride, advanced(room, n_place + 8), advanced(room, 3 * n_place + 8))
                good = room[3 * n_place + 8] > 0.5
            if not good:
                h = 0.5 * h
                if h < shortest:
                    return status if status != OK else NOT_CLOSED
                continue
            for c in range(n_place):
                place[c] = room[c]
            t = goal if t + h > goal - 0.5 * shortest else t + h
            h = goal - t
        call_piece(KEEP, t, M, stride, place, room)
        note(room, n_kept, k, shares[k], reduced, kept, k_stride)
    return OK


PROJECTIONS = 6
SETTLED = 1e-12  # correction of positions, in scales, after which velocities belong to them
SINGULAR = 0.01  # singularity measure below which steps need the care of the general kernels
STEPS = 2_000_000  # of one variant, at most


@kernel()
def onto_constraints(PROJECT, t, F, stride, y, n_y):
    """[q, v] onto the constraints, in place. Returns a status."""
    for k in range(PROJECTIONS):
        call_piece(PROJECT, t, F, stride, y, y)
        residual = y[n_y]
        correction = y[n_y + 1]
        if not (correction < 0.5 and residual < 1e100):
            return NOT_CLOSED
        if correction < SETTLED:
            return OK
    return NOT_CLOSED


@kernel()
def attempt_step(RATES, t, h, F, stride, y, n_y, tableau, weights, stages, K, stage, y1):
    """All stages of a step after the first, whose rates are known, and the state at its end. Returns a status."""
    for i in range(1, stages):
        combine(y, h, advanced(tableau, i * stages), K, n_y, i, stage)
        call_piece(RATES, t + weights[C_ROW * (stages + 1) + i] * h, F, stride, stage, advanced(K, i * n_y))
        angle = K[(i + 1) * n_y]
        if not angle >= SINGULAR:
            return TOO_NEAR
    combine(y, h, advanced(weights, B_ROW * (stages + 1)), K, n_y, stages, y1)
    return OK


@kernel()
def integrate_variant(RATES, PROJECT, NORM, KEEP, times, shares, n_times, F, M, stride, y, n_y, n_q, tableau, weights, stages, order,
                      rtol, atol, room, reduced, kept, n_kept, k_stride):  # fmt: skip
    """Explicit Runge-Kutta steps with error control through all instants; each instant ends a step. Returns a status.

    y: q and v of the start. room: for K (stages + 2), a stage, and four more vectors.
    """
    K = room
    width = stages + 1
    n_v = n_y - n_q
    stage = advanced(room, (stages + 2) * n_y)
    check = advanced(stage, n_y + 8)
    y1 = advanced(check, 2 + n_y)
    error = advanced(y1, n_y)
    second = advanced(error, n_y)
    t = times[0]
    status = onto_constraints(PROJECT, t, F, stride, y, n_y)
    if status != OK:
        return status
    call_piece(RATES, t, F, stride, y, K)
    if not K[n_y] >= SINGULAR:
        return TOO_NEAR
    h = 1e-3 * (times[n_times - 1] - t)
    last = 1e-4
    steps = 0
    for k in range(n_times):
        goal = times[k]
        while t < goal:
            steps += 1
            if steps > STEPS or not h > 1e-14 * goal:
                return TOO_MANY
            step = h
            if t + h * 1.0000001 >= goal:
                step = goal - t
            elif t + 2.0 * h > goal:
                step = 0.5 * (goal - t)
            status = attempt_step(RATES, t, step, F, stride, y, n_y, tableau, weights, stages, K, stage, y1)
            if status != OK:
                return status
            estimate(
                step,
                advanced(weights, E5_ROW * width),
                advanced(weights, E3_ROW * width),
                K,
                n_y,
                stages,
                error,
                second,
            )
            check[0] = rtol
            check[1] = atol
            for c in range(n_y):
                check[2 + c] = y[c]
            call_piece(NORM, t, F, stride, check, second)
            norm = second[0]
            if not norm <= 1.0:
                h = step * shorter_by(norm, order) if norm < 1e300 else 0.2 * step
                continue
            norm = max(norm, 1e-4)
            h = max(h, step * longer_by(norm, last, order)) if step < h else step * longer_by(norm, last, order)
            last = norm
            t = goal if t + step > goal - 1e-9 * step else t + step
            status = onto_constraints(PROJECT, t, F, stride, y1, n_y)
            if status != OK:
                return status
            for c in range(n_y):
                y[c] = y1[c]
            call_piece(RATES, t, F, stride, y, K)
            if not K[n_y] >= SINGULAR:
                return TOO_NEAR
        for c in range(n_y):
            stage[c] = y[c]
        for c in range(n_v):
            stage[n_y + c] = K[n_q + c]
        call_piece(KEEP, t, M, stride, stage, y1)
        note(y1, n_kept, k, shares[k], reduced, kept, k_stride)
    return OK
