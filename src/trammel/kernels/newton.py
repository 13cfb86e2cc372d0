"""Simplified Newton iteration of implicit methods: when a matrix is made anew, and when an iteration is at its end."""

from __future__ import annotations

import math

from trammel.kernels import engine
from trammel.kernels.engine import N_METHOD
from trammel.kernels.jit import call_routine, kernel

# numbers of implicit methods, after those of all methods
(LENGTH, PREVIOUS, STALE, FACTORED, RATE, USED, N_NEWTON_PLUS) = range(N_METHOD, N_METHOD + 7)
N_NEWTON = N_NEWTON_PLUS - N_METHOD

CLOSE_ENOUGH = 0.02  # of the allowed error: what is left of an iteration
SAME_STEP = 0.15  # share by which the step may differ from the one that the factors belong to
SLOW = 0.25  # share of the error that one iteration leaves: above, the next step gets a new matrix
DIVERGES = 0.95
OLDEST = 25  # steps with one matrix


@kernel()
def forget_matrix(S):
    """What was linearised says nothing any more."""
    S[STALE] = 1.0
    S[FACTORED] = 0.0


@kernel()
def made_ready(E, S, t, a, y, rates):
    """Derivatives and factors for 1 - a f'; False if there are none."""
    if S[STALE] != 0.0 or S[USED] >= OLDEST:
        if math.isnan(call_routine(E[engine.LINEARISE], E, t, 0.0, y, rates, rates)):
            return False
        S[STALE] = 0.0
        S[USED] = 0.0
        S[FACTORED] = 0.0
    S[USED] += 1.0
    if not abs(a - S[FACTORED]) <= SAME_STEP * a:
        if math.isnan(call_routine(E[engine.FACTOR], E, a, 0.0, y, y, y)):
            return False
        S[FACTORED] = a
    return True


@kernel()
def settled(S, iteration, norm, before):
    """After an iteration: 1 if what is left is small enough, -1 if there is no hope, 0 to go on."""
    if not math.isfinite(norm):
        return -1
    left = norm  # the first iteration says nothing about how fast the others will be
    if iteration > 0 and before > 0.0:
        S[RATE] = norm / before
        if S[RATE] >= DIVERGES:
            return -1 if norm > CLOSE_ENOUGH else 1
        left = norm * S[RATE] / (1.0 - S[RATE])
    if left <= CLOSE_ENOUGH:
        if S[RATE] > SLOW and iteration > 0:
            S[USED] = OLDEST
        return 1
    return 0
