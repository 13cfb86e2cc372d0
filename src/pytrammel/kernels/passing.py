"""Singular positions on the way of an integration: which run passes them how, and where they were.

Explicit methods with controlled error that put their stages onto the constraints step over a singular position (`step_control`). Other
methods, treatments of constraints and coordinates give way: the run returns, and goes on across with equations and a method that can.
"""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels.jit import call_routine, kernel

# what the table says about singular positions: pass them; return when one is near; return when it lies behind; go through it all the same
PASSES, GIVES_WAY, HELPS_OUT, PERSISTS = range(4)

BEHIND = 0.1  # singularity measure beyond which a singular position lies behind, relative to the largest
SINGULAR = 1e-3  # measure at the bottom of a dip that is a singular position, relative to the largest: as in kinematics
DIPS = 0.5  # measure met inside a step, relative to those at its ends, at which the step is searched
FAST = 1.5  # change of the measure within a step, relative to the sum at its ends, at which the step is searched
LONG = 5.0  # the same for steps whose middle is evaluated first
PARTS = 8  # of a step that is searched
PASSES_OF_SEARCH = 12
SHARP = 1e-9  # measure that ends the search, relative to the largest
MOST_NOTED = 64  # between two looks of the caller


@kernel()
def measure_at(E, t, h, theta, y, stage, scratch):
    """Singularity measure at a fraction of the last attempt, whose interpolant is ready."""
    call_routine(E[engine.BETWEEN], E, t, theta, y, stage, stage)
    rates = E[engine.UNTREATED] if E[engine.UNTREATED] != 0 else E[engine.RATES]
    return call_routine(rates, E, t + theta * h, 0.0, stage, scratch, scratch)


@kernel()
def bottom_of(E, t, h, y, before, after, largest, stage, scratch):
    """Fraction of a step at which the singularity measure is smallest, and its value there.

    Near a singular position the measure is the magnitude of a smooth function that passes zero: its slope tells where.
    """
    best, value = 0.0, before
    left, right = 0.0, 0.0  # values next to the best, 0 beyond the ends
    previous = before
    for k in range(1, PARTS + 1):
        found = after if k == PARTS else measure_at(E, t, h, k / PARTS, y, stage, scratch)
        if best == (k - 1) / PARTS:
            right = found
        if found < value:
            best, value, left, right = k / PARTS, found, previous, 0.0
        previous = found
    # the higher neighbour stands on the side of the best, the other one beyond zero
    slope = (max(left, right) - value) * PARTS if left > 0.0 and right > 0.0 else (max(left, right) + value) * PARTS
    for _ in range(PASSES_OF_SEARCH):
        if not value > SHARP * largest or not slope > 0.0:
            break
        here, aside = best, value / slope
        improved = False
        for sign in (-1.0, 1.0):
            theta = min(max(here + sign * aside, 0.0), 1.0)
            found = measure_at(E, t, h, theta, y, stage, scratch)
            if found < value:
                best, value, improved = theta, found, True
        if not improved:
            slope *= 2.0
    return best, value
