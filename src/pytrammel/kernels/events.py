"""Zero crossings of watched formulas inside a step.

A formula may pass zero twice within a step, so its signs at the ends say nothing. The step is halved until in each part the
formula is certainly away from zero: the cubic through values and slopes at the ends of a part stays on one side by more than it
was wrong in the middle of that part. What cannot be shown so is halved down to the last bits, from left to right; what passes zero
there is the first event.
"""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels.jit import call_routine, kernel

# directions beyond +1 rising, -1 falling, 0 either way: corners of force laws, passed either way. A step ends there; the run goes on
# (SILENT), or first asks how fast the bodies meet (TOUCH)
SILENT, TOUCH = 2, 3

FINEST = 2.0**-50  # of a step
DEEPEST = 56  # halvings and the two first parts
MOST_LOOKS = 4000  # per step, before only changes of sign count
NUDGE = 1e-6  # of a step: differences over it give slopes
SHORT = 1e-10  # length of a step, relative to the time, below which slopes are rounding and only changes of sign are searched


@kernel()
def crossed(before, after, direction, noise):
    if before < 0.0 and direction >= 0:
        return after > noise if noise > 0.0 else after >= 0.0
    if before > 0.0 and (direction <= 0 or direction >= SILENT):
        return after < -noise if noise > 0.0 else after <= 0.0
    return False


@kernel()
def first_crossed(signs, values, directions, noise, count):
    """Number of the first event that has passed zero, or -1."""
    for k in range(count):
        if crossed(signs[k], values[k], directions[k], noise[k]):
            return k
    return -1


@kernel()
def values_between(E, t, h, theta, y, stage, values):
    """Values of all formulas at a fraction of a step."""
    call_routine(E[engine.BETWEEN], E, t, theta, y, stage, stage)
    call_routine(E[engine.WATCH], E, t + theta * h, 0.0, stage, values, values)


@kernel()
def look(E, t, h, theta, y, stage, values, slopes):
    """Values and slopes of all formulas at a fraction of a step."""
    nudge = NUDGE if theta < 0.5 else -NUDGE
    values_between(E, t, h, theta + nudge, y, stage, slopes)
    values_between(E, t, h, theta, y, stage, values)
    for k in range(E[engine.N_EVENTS]):
        slopes[k] = (slopes[k] - values[k]) / nudge


@kernel()
def stays(sign, fresh, g0, r0, gm, rm, g1, r1, width, noise):
    """True if a formula certainly keeps its sign between two places, from values and slopes there and in the middle.

    `fresh`: it comes from zero at the first place, so that only its slope counts there.
    """
    if gm != gm or g0 != g0 or g1 != g1:
        return True
    if sign == 0.0:
        if abs(gm) <= noise and abs(g1) <= noise:
            return True
        sign = gm if abs(gm) > noise else g1
    s = 1.0 if sign > 0.0 else -1.0
    off = abs(gm - 0.5 * (g0 + g1) - 0.125 * width * (r0 - r1))
    off += 0.25 * width * abs(rm - 1.5 * (g1 - g0) / width + 0.25 * (r0 + r1))
    # a cubic stays within its Bernstein coefficients
    arm = width / 6.0
    least = min(s * (g0 + arm * r0), s * (gm - arm * rm), s * gm, s * (gm + arm * rm), s * (g1 - arm * r1), s * g1)
    if not fresh:
        least = min(least, s * g0)
    return least - off > -noise if noise > 0.0 else least - off > 0.0


@kernel()
def goes_back(E, t, h, theta, y, stage, values, k, direction):
    """True if a formula passes zero against its direction: rounding there shows both changes of sign."""
    if direction != 1 and direction != -1:
        return False
    values_between(E, t, h, theta - NUDGE, y, stage, values)
    before = direction * values[k]
    values_between(E, t, h, theta + NUDGE, y, stage, values)
    return before > 0.0 and direction * values[k] < 0.0


@kernel()
def first_event(E, t, h, y, signs, directions, noise, stage, places, G, R, sides):
    """First event inside a step, on the interpolant: which, and at which fraction of the step; -1 if there is none.

    places, G, R hold the left end of the part that is looked at (row 0) and the right ends of it and of those still to come.
    """
    count = E[engine.N_EVENTS]
    places[0], places[1], places[2] = 0.0, 1.0, 0.5
    for i in range(3):
        look(E, t, h, places[i], y, stage, G[i], R[i])
    for k in range(count):
        sides[k] = signs[k]
        leads_to = G[0, k] + NUDGE * R[0, k]
        if sides[k] == 0.0 and abs(leads_to) > noise[k]:
            sides[k] = leads_to
    top = 2
    looks = MOST_LOOKS if abs(h) <= SHORT * abs(t) else 3
    while top > 0:
        a = places[0]
        b = places[top]
        safe = b - a <= FINEST or looks >= MOST_LOOKS
        if safe:
            k = first_crossed(sides, G[top], directions, noise, count)
            while k >= 0 and b - a <= FINEST and goes_back(E, t, h, b, y, stage, R[0], k, directions[k]):
                sides[k] = -sides[k]
                k = first_crossed(sides, G[top], directions, noise, count)
            if k >= 0 and b - a <= FINEST:
                return k, b
            if k >= 0:  # out of patience: the change of sign is all that counts
                return bisect(E, t, h, y, sides, directions, noise, stage, G[0], a, b)
        else:
            looks += 1
            middle = 0.5 * (a + b)
            m = top + 1
            places[m] = middle
            look(E, t, h, middle, y, stage, G[m], R[m])
            safe = True
            for k in range(count):
                fresh = a == 0.0 and signs[k] == 0.0
                if not stays(
                    sides[k], fresh, G[0, k], R[0, k], G[m, k], R[m, k], G[top, k], R[top, k], b - a, noise[k]
                ):
                    safe = False
                    break
        if safe:
            places[0] = b
            for k in range(count):
                G[0, k] = G[top, k]
                R[0, k] = R[top, k]
                if abs(G[0, k]) > noise[k]:
                    sides[k] = G[0, k]
            top -= 1
        else:
            top += 1
    return -1, 1.0


@kernel()
def bisect(E, t, h, y, sides, directions, noise, stage, values, low, high):
    """A change of sign between two places: which event, and where."""
    count = E[engine.N_EVENTS]
    while high - low > FINEST:
        middle = 0.5 * (low + high)
        values_between(E, t, h, middle, y, stage, values)
        if first_crossed(sides, values, directions, noise, count) >= 0:
            high = middle
        else:
            low = middle
    values_between(E, t, h, high, y, stage, values)
    return first_crossed(sides, values, directions, noise, count), high


@kernel()
def seen_by_interpolant(E, t, h, y, signs, directions, noise, stage, values):
    """Fraction of a step at which the interpolant alone looked at a place beyond a corner of a law; 1 if it did not.

    It felt there a force that the step itself did not, and the interpolant cannot be trusted.
    """
    earliest = 1.0
    for i in range(E[engine.N_PLACES]):
        theta = call_routine(E[engine.PLACE], E, t, float(i), y, stage, stage)
        call_routine(E[engine.WATCH], E, t + theta * h, 0.0, stage, values, values)
        for k in range(E[engine.N_EVENTS]):
            if directions[k] >= SILENT and crossed(signs[k], values[k], directions[k], noise[k]):
                earliest = min(earliest, theta)
    return earliest


@kernel()
def felt_ahead(E, t, h, y, signs, directions, noise, stage, rates, values):
    """Fraction of a step to try instead where the way straight ahead passes a corner of a law that the step did not meet; else 1.

    A stage beyond the corner feels a stiff force and throws the step back, which hides the corner from its interpolant. Without error
    control no estimate rejects such a step.
    """
    watched = False
    for k in range(E[engine.N_EVENTS]):
        watched = watched or directions[k] >= SILENT
    if not watched:
        return 1.0
    call_routine(E[engine.RATES], E, t, 0.0, y, rates, rates)
    for i in range(1, 3):
        theta = 0.5 * i
        for c in range(E[engine.SIZE]):
            stage[c] = y[c] + theta * h * rates[c]
        call_routine(E[engine.WATCH], E, t + theta * h, 0.0, stage, values, values)
        for k in range(E[engine.N_EVENTS]):
            if directions[k] >= SILENT and crossed(signs[k], values[k], directions[k], noise[k]):
                return 0.5 * theta
    return 1.0


@kernel()
def update_signs(signs, values, directions, noise, count, fired):
    """Remember on which side of zero each event stands.

    The one that fired counts anew from where the next step leads it. Another that has crossed keeps its old side, so that it
    fires next.
    """
    for k in range(count):
        if k == fired:
            signs[k] = 0.0
        elif not crossed(signs[k], values[k], directions[k], noise[k]) and abs(values[k]) > noise[k]:
            signs[k] = values[k]
