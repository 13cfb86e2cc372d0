"""Simplified Newton iteration of implicit methods: when a matrix is made anew, and when an iteration is at its end."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.engine import N_METHOD
from pytrammel.kernels.jit import call_routine, kernel

# numbers of implicit methods, after those of all methods: length of the last attempt, of the step before it; what the matrix at hand
# holds and what the next one is to hold (NOTHING, STIFF, ALL); the coefficient of the factors; how fast the last iteration was; how often
# the matrix was used; how fast iterations with it are known to be (1: not known yet)
(LENGTH, PREVIOUS, HOLDS, WANTED, FACTORED, RATE, USED, KNOWN, NEWTON_END) = range(N_METHOD, N_METHOD + 9)
N_NEWTON = NEWTON_END - N_METHOD
NOTHING, STIFF, ALL = 0.0, 1.0, 2.0
FAMILIES = ("dirk", "radau", "bdf")  # files of methods with these numbers

CLOSE_ENOUGH = 0.02  # of the allowed error: what is left of an iteration
SAME_STEP = 0.15  # share by which the step may differ from the one that the factors belong to
SLOW = 0.2  # share of the error that one iteration leaves: above, the next stage gets a new matrix
POOR = 0.5
DIVERGES = 0.95
OLDEST = 100.0  # uses of one matrix
FADES = 0.3  # share of what was known of the rate of convergence that a faster iteration leaves
CAUTION = 0.8  # power of what is known from iterations before


@kernel()
def forget_matrix(S):
    """What was linearised says nothing any more."""
    S[HOLDS] = NOTHING
    S[WANTED] = STIFF
    S[FACTORED] = 0.0
    S[RATE] = 0.0


forget_matrix_of = getattr(forget_matrix, "py_func", forget_matrix)


@kernel()
def linearised(E, S, t, y, rates):
    """Derivatives at a state, unless those at hand still serve; False if there are none."""
    if S[HOLDS] == NOTHING or S[USED] >= OLDEST or S[RATE] > SLOW:
        if math.isnan(call_routine(E[engine.LINEARISE], E, t, S[WANTED] - STIFF, y, rates, rates)):
            return False
        S[engine.LINEARISED] += 1.0
        S[HOLDS] = S[WANTED]
        S[USED] = 0.0
        S[FACTORED] = 0.0
        S[RATE] = 0.0
        S[KNOWN] = 1.0
    S[USED] += 1.0
    return True


@kernel()
def made_ready(E, S, t, a, y, rates):
    """Derivatives and factors for 1 - a f'; False if there are none."""
    if not linearised(E, S, t, y, rates):
        return False
    if not abs(a - S[FACTORED]) <= SAME_STEP * a:
        if math.isnan(call_routine(E[engine.FACTOR], E, a, 0.0, y, y, y)):
            return False
        S[FACTORED] = a
    return True


@kernel()
def worth_another_try(S):
    """After an iteration that failed: whether a new matrix, or one with more in it, may help."""
    used, held = S[USED], S[HOLDS]
    S[HOLDS] = NOTHING
    if used <= 1.0 and held == ALL:
        S[WANTED] = STIFF
        return False
    if used <= 1.0:
        S[WANTED] = ALL
    return True


@kernel()
def settled(S, iteration, norm, before):
    """After an iteration: 1 if what is left is small enough, -1 if there is no hope, 0 to go on."""
    if not math.isfinite(norm):
        return -1
    left = norm
    if S[KNOWN] < POOR:  # the first iteration says nothing itself about how fast the others will be
        left *= (S[KNOWN] / (1.0 - S[KNOWN])) ** CAUTION
    if iteration > 0 and before > 0.0:
        S[RATE] = norm / before
        if S[RATE] >= DIVERGES:
            return -1 if norm > CLOSE_ENOUGH else 1
        if S[RATE] > POOR and S[USED] <= 1.0:
            S[WANTED] = ALL  # a fresh matrix should do better
        left = norm * S[RATE] / (1.0 - S[RATE])
        S[KNOWN] = max(FADES * S[KNOWN], S[RATE])
    return 1 if left <= CLOSE_ENOUGH else 0
