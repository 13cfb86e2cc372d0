"""Works of forces and drivers in steps that are short enough for the motion, but not for the works.

A force may do work with little trace in the motion, or without any: forces that cancel each other, a fast torque on a heavy wheel. The
method's estimate of the error of works shows where a step is too long for them. In such a step the powers are integrated along the
interpolant, by Gauss and Kronrod's rules on parts as short as the powers need. The motion keeps its steps and its bits.
"""

from __future__ import annotations

import numpy as np

from pytrammel.kernels import engine
from pytrammel.kernels.jit import call_routine, floats_at, kernel

# Kronrod's rule of seven points on [-1, 1]: nodes, weights, and weights of Gauss's rule of three points among them
NODES = np.array(
    [-0.960491268708020283, -0.774596669241483377, -0.434243749346802558, 0.0,
     0.434243749346802558, 0.774596669241483377, 0.960491268708020283]
)  # fmt: skip
WEIGHTS = np.array(
    [0.104656226026467265, 0.268488089868333441, 0.401397414775962223, 0.450916538658474142,
     0.401397414775962223, 0.268488089868333441, 0.104656226026467265]
)  # fmt: skip
GAUSS = np.array([0.0, 5.0 / 9.0, 0.0, 8.0 / 9.0, 0.0, 5.0 / 9.0, 0.0])
DEEPEST = 12  # halvings of a step
MOST_PARTS = 2000  # per step: beyond them a part is taken as it is
SHARE = 0.1  # fraction of the error that is allowed in a step
FADES = 0.1  # fraction of an error that is still expected in the next step


@kernel()
def allowed_work(E, t, y, y1, error):
    """Error that is allowed for a work in a step to t [J] if the method exceeds it, else 0. `error` is scratch."""
    S = floats_at(E[engine.NUMBERS])
    if S[engine.FIXED] != 0.0:
        return 0.0
    step = 0.0
    total = 0.0
    for c in range(E[engine.N_ACTIVE], E[engine.SIZE]):
        step += abs(y1[c] - y[c])
        total += abs(y1[c])
    S[engine.WORKS_DONE] = max(S[engine.WORKS_DONE] + step, total)
    # the estimate of a step that is much too long may vanish by chance
    off = max(S[engine.WORKS_OFF], FADES * S[engine.WORKS_OFF_BEFORE])
    S[engine.WORKS_OFF_BEFORE] = off
    allowed = floats_at(E[engine.WORKSPACE])[engine.RTOL] * S[engine.WORKS_DONE]
    if off <= allowed:
        return 0.0
    # the motion has energy as well, which its own error changes
    for c in range(E[engine.SIZE]):
        error[c] = 0.0
    error[E[engine.N_ACTIVE]] = off
    norm = call_routine(E[engine.NORM], E, t, engine.WORKS, y, y1, error)
    return max(allowed, off / norm) if norm > 1.0 else 0.0


@kernel()
def powers_weighed(E, t, h, left, right, y, stage, rates, fine, coarse):
    """Integrals of the powers over a part of a step by both rules; False where there are no rates."""
    first = E[engine.N_ACTIVE]
    middle = 0.5 * (left + right)
    arm = 0.5 * (right - left)
    for c in range(first, E[engine.SIZE]):
        fine[c] = 0.0
        coarse[c] = 0.0
    for k in range(NODES.size):
        theta = middle + arm * NODES[k]
        call_routine(E[engine.BETWEEN], E, t, theta, y, stage, stage)
        angle = call_routine(E[engine.RATES], E, t + theta * h, 0.0, stage, rates, rates)
        if angle != angle:
            return False
        for c in range(first, E[engine.SIZE]):
            fine[c] += h * arm * WEIGHTS[k] * rates[c]
            coarse[c] += h * arm * GAUSS[k] * rates[c]
    return True


@kernel()
def add_works(E, t, h, left, right, allowed, y, stage, rates, fine, coarse, ends, works):
    """Add the works between two fractions of a step to `works`. `ends` holds the right ends of the parts still to come."""
    first = E[engine.N_ACTIVE]
    top = 0
    ends[0] = right
    parts = 0
    while top >= 0:
        if not powers_weighed(E, t, h, left, ends[top], y, stage, rates, fine, coarse):
            return False
        parts += 1
        width = ends[top] - left
        off = 0.0
        for c in range(first, E[engine.SIZE]):
            off = max(off, abs(fine[c] - coarse[c]))
        if off > SHARE * allowed * width and top < DEEPEST and parts < MOST_PARTS:
            ends[top + 1] = 0.5 * (left + ends[top])
            top += 1
            continue
        for c in range(first, E[engine.SIZE]):
            works[c] += fine[c]
        left = ends[top]
        top -= 1
    return True
