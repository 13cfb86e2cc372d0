"""Where a motion leads: estimates of the next place, whether a place continues the motion, and how long a step may be.

A place is position, velocity and acceleration, three rows in a buffer.
"""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.bodies import difference, from_rates, move, to_rates
from pytrammel.kernels.instant import INVERSE_SCALES, STEP
from pytrammel.kernels.jit import kernel

POSITION_TRUST = 0.1  # accepted distance from the predicted position, against the predicted movement
VELOCITY_TRUST = 0.05  # likewise for the velocity
FIRST_MOVE = 0.05  # where nothing is known yet, the fastest coordinate moves this many scales
IN_SIGHT = 0.5  # share of its sine that a row may lose in a step, by linear extrapolation
BENT = 0.1  # by how much a sine may differ from its linear extrapolation for a step to count as seen through
OUT_OF_SIGHT = 1e-3  # positions with a smaller sine count as singular: they are passed and reported


@kernel(spread=True)
def places_in(I, at):
    """Coordinates, velocities and accelerations in a buffer of three rows."""
    return at, advanced(at, I[L.N_COORDINATES]), advanced(at, 2 * I[L.N_COORDINATES])


@kernel()
def predict(I, h, q, v, a, q_to, v_to, a_to, step):
    """Where a motion with constant acceleration leads."""
    for c in range(I[L.N_COLUMNS]):
        step[c] = h * (v[c] + 0.5 * h * a[c])
        v_to[c] = v[c] + h * a[c]
        a_to[c] = a[c]
    move(I, q, step, q_to)


@kernel()
def predict_on(I, h, elapsed, at, older, q_to, v_to, a_to, step):
    """Where the cubic through velocities and accelerations of the last two places leads, a time `elapsed` apart."""
    q, v, a = places_in(I, at)
    _, v0, a0 = places_in(I, older)
    x = h / elapsed
    for c in range(I[L.N_COLUMNS]):
        # v(s) = v + e (a s + c2 s^2 + c3 s^3) with s = 0 at the last place, -1 at the one before, e = elapsed
        off = v0[c] - v[c] + elapsed * a[c]
        slope = elapsed * (a0[c] - a[c])
        c2 = 3.0 * off + slope
        c3 = 2.0 * off + slope
        step[c] = h * (v[c] + x * (0.5 * elapsed * a[c] + x * (c2 / 3.0 + 0.25 * x * c3)))
        v_to[c] = v[c] + x * (elapsed * a[c] + x * (c2 + x * c3))
        a_to[c] = a[c] + x * (2.0 * c2 + 3.0 * x * c3) / elapsed
    if I[L.IS_SPATIAL] != 0:
        # turns about changing axes do not add up: the first term of what is missing
        share = h * h * h / 12.0
        for b in range(I[L.N_BODIES] - 1):
            k = 6 * b + 3
            step[k] += share * (v[k + 1] * a[k + 2] - v[k + 2] * a[k + 1])
            step[k + 1] += share * (v[k + 2] * a[k] - v[k] * a[k + 2])
            step[k + 2] += share * (v[k] * a[k + 1] - v[k + 1] * a[k])
    move(I, q, step, q_to)


@kernel()
def is_continuation(I, h, q, v, a, q_new, v_new, ws):
    """True when the new position and velocity lie where the motion so far leads."""
    moved_by = ws[STEP]
    difference(I, q_new, q, moved_by)
    off_q = 0.0
    off_v = 0.0
    moved = 1e-9
    speed = 0.0
    for c in range(I[L.N_COLUMNS]):
        per_scale = ws[INVERSE_SCALES][c]
        gained = h * a[c]
        off_q = max(off_q, abs(moved_by[c] - h * (v[c] + 0.5 * gained)) * per_scale)
        off_v = max(off_v, abs(v_new[c] - v[c] - gained) * per_scale)
        moved = max(moved, abs(h) * (abs(v[c]) + 0.5 * abs(gained)) * per_scale)
        speed = max(speed, (abs(v[c]) + abs(v_new[c]) + abs(gained)) * per_scale)
    if off_q > POSITION_TRUST * moved or off_q > 0.5:
        return False
    return off_v <= VELOCITY_TRUST * speed or off_v * abs(h) < 1e-9


@kernel()
def quintic(I, t, t0, left, t1, right, to, rates):
    """Quintic Hermite interpolation between two ends (rows q, v, a) of position, velocity and acceleration."""
    n = I[L.N_COORDINATES]
    dq0 = rates
    ddq0 = advanced(rates, n)
    dq1 = advanced(rates, 2 * n)
    ddq1 = advanced(rates, 3 * n)
    dq = advanced(rates, 4 * n)
    ddq = advanced(rates, 5 * n)
    q0, v0, a0 = places_in(I, left)
    q1, v1, a1 = places_in(I, right)
    q, v, a = places_in(I, to)
    to_rates(I, q0, v0, a0, dq0, ddq0)
    to_rates(I, q1, v1, a1, dq1, ddq1)
    h = t1 - t0
    s = (t - t0) / h
    for c in range(n):
        # coefficients of the polynomial in s, from the differences to the start's own parabola
        d0 = q1[c] - q0[c] - h * dq0[c] - 0.5 * h * h * ddq0[c]
        d1 = h * (dq1[c] - dq0[c] - h * ddq0[c])
        d2 = h * h * (ddq1[c] - ddq0[c])
        c3 = 10.0 * d0 - 4.0 * d1 + 0.5 * d2
        c4 = -15.0 * d0 + 7.0 * d1 - d2
        c5 = 6.0 * d0 - 3.0 * d1 + 0.5 * d2
        q[c] = q0[c] + h * s * dq0[c] + 0.5 * h * h * s * s * ddq0[c] + s * s * s * (c3 + s * (c4 + s * c5))
        dq[c] = dq0[c] + h * s * ddq0[c] + s * s * (3.0 * c3 + s * (4.0 * c4 + 5.0 * s * c5)) / h
        ddq[c] = ddq0[c] + s * (6.0 * c3 + s * (12.0 * c4 + 20.0 * s * c5)) / (h * h)
    from_rates(I, q, dq, ddq, v, a)


@kernel()
def longest_in_sight(m, sines, older, elapsed, h):
    """Longest step after which no row's sine has fallen too far.

    Two branches that nearly touch can only be told apart by steps that see the sines fall and rise again: a longer step leads
    smoothly from one branch to the other.
    """
    longest = math.inf
    for k in range(m):
        falls = (older[k] - sines[k]) / elapsed
        if falls * h > 0.0 and sines[k] > OUT_OF_SIGHT and IN_SIGHT * sines[k] < longest * abs(falls):
            longest = IN_SIGHT * sines[k] / abs(falls)
    return longest


@kernel()
def seen_through(m, sines, older, elapsed, new, h):
    """True if the sines of the rows went on much as they had begun, so that none can have passed zero unseen inside the step."""
    ahead = h / elapsed
    for k in range(m):
        expected = sines[k] + (sines[k] - older[k]) * ahead
        if abs(new[k] - expected) > BENT:
            return False
    return True


@kernel()
def first_step(I, at, ws):
    """Length of a step that moves the fastest coordinate a little."""
    _, v, a = places_in(I, at)
    longest = math.inf
    for c in range(I[L.N_COLUMNS]):
        scale = FIRST_MOVE / ws[INVERSE_SCALES][c]
        if v[c] != 0.0:
            longest = min(longest, scale / abs(v[c]))
        if a[c] != 0.0:
            longest = min(longest, math.sqrt(2.0 * scale / abs(a[c])))
    return longest


@kernel()
def fastest(I, at, to, ws):
    """Largest speed at either end of a step, in scales [1/s]."""
    v_from = advanced(at, I[L.N_COORDINATES])
    v_to = advanced(to, I[L.N_COORDINATES])
    speed = 0.0
    for c in range(I[L.N_COLUMNS]):
        speed = max(speed, max(abs(v_from[c]), abs(v_to[c])) * ws[INVERSE_SCALES][c])
    return speed


@kernel()
def fastest_turn(I, at):
    """Largest angular velocity component of a body in space."""
    v = advanced(at, I[L.N_COORDINATES])
    largest = 0.0
    for b in range(I[L.N_BODIES] - 1):
        for c in range(6 * b + 3, 6 * b + 6):
            largest = max(largest, abs(v[c]))
    return largest
