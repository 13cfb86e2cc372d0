"""Step lengths: what to do after an attempt.

Far from singular positions this is plain proportional-integral control. Close to one, a step may fail only for rounding, and
the way across is to step over, not to creep up: other lengths are tried before the step is shortened. If none passes, the
best of them is taken and counted.
"""

from __future__ import annotations

import math

import numpy as np

from pytrammel.kernels.jit import kernel

# state of the control; AHEAD: time of the singular position for which a run gave way; RATE: of the singularity measure
(NEXT, LAST_NORM, NATURAL, TRIES, HOP, BEST_HOP, BEST_NORM, FIRST_NORM, ASKED, REFERENCE, WEAK, TOUCHED, FRESH,
 AHEAD, RATE, CONTROL_SIZE) = range(16)  # fmt: skip

ACCEPTED, RETRY, FORCED = 0, 1, 2

CLOSE = 0.05  # singularity measure below which a step counts as close
TOO_CLOSE = 0.01  # to land here would spoil the next step
FAR_OFF = 1e6  # times the tolerance: as good as impossible
SHORTER = 0.59
OTHER_LENGTHS = np.array([1.0, SHORTER, 1.31, 0.77, 1.72, 2.15, 3.1])


@kernel()
def length_to_try(control, largest, t, end):
    """Length of the next attempt, not beyond the end."""
    tries = int(control[TRIES])
    if tries == 0:
        h = min(control[NEXT], largest)
        if t + h * 1.0000001 >= end:
            return end - t
        if t + 2.0 * h > end:
            return 0.5 * (end - t)
        return h
    if tries < OTHER_LENGTHS.size:
        return min(control[HOP] * OTHER_LENGTHS[tries], end - t)
    return min(control[BEST_HOP], end - t)


@kernel()
def shorter_by(norm, order):
    """Share of its length that a step with too large an error is repeated with."""
    return max(0.2, 0.9 * norm ** (-1.0 / order))


@kernel()
def longer_by(norm, last_norm, order):
    """By how much the next step is longer, after a good one."""
    exponent = -1.0 / order
    growth = 0.9 * norm ** (0.7 * exponent) * last_norm ** (-0.4 * exponent)
    return min(6.0, max(0.2, growth))


@kernel()
def judge(control, h, norm, closest, at_end, short, order):
    """Decide about an attempt with the given error norm and singularity measures; sets the next length.

    `short` says that the step is not worth a hop, although it ends close to a singular position.
    """
    forced = int(control[TRIES]) >= OTHER_LENGTHS.size
    if at_end < TOO_CLOSE and not short and not forced:
        norm = max(norm, FAR_OFF)
    failed = not norm <= 1.0
    if failed and not forced and (closest < CLOSE or control[TRIES] > 0.0):
        hop_over(control, h, norm)
        return RETRY
    if failed and not forced:
        control[NEXT] = h * (shorter_by(norm, order) if math.isfinite(norm) else 0.2)
        return RETRY
    norm = min(max(norm, 1e-4), 1.0) if math.isfinite(norm) else 1.0
    control[NEXT] = h * longer_by(norm, control[LAST_NORM], order)
    control[LAST_NORM] = norm
    control[TRIES] = 0.0
    if closest > CLOSE:
        control[NATURAL] = h
    return FORCED if forced and failed else ACCEPTED


@kernel()
def hop_over(control, h, norm):
    """Choose another length after a failure close to a singular position."""
    tries = int(control[TRIES])
    if tries == 0:
        control[ASKED] = h
        control[HOP] = max(h, control[NATURAL])
        control[FIRST_NORM] = norm if control[HOP] == h else math.inf
        control[BEST_NORM] = math.inf
    if norm < control[BEST_NORM] or control[BEST_NORM] == math.inf:
        control[BEST_NORM] = norm
        control[BEST_HOP] = h
    if OTHER_LENGTHS[tries] == SHORTER and math.isfinite(control[FIRST_NORM]) and norm < 0.1 * control[FIRST_NORM]:
        # it falls with the length as a truncation error does: the step was simply too long
        control[TRIES] = 0.0
        control[NEXT] = h
        return
    control[TRIES] += 1.0
    if tries + 1 == OTHER_LENGTHS.size and not control[BEST_NORM] < FAR_OFF:
        control[TRIES] = 0.0
        control[NEXT] = 0.5 * control[ASKED]
        control[NATURAL] *= 0.5


@kernel()
def shorten(control, h):
    """After values that are not numbers: a much shorter step."""
    control[TRIES] = 0.0
    control[NEXT] = 0.2 * h
