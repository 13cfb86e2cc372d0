"""Second-order Taylor steps: y + h f + h²/2 df/dt, the derivative along the motion by a difference of the rates inside the step.

Forces may jump where a step begins: the difference (-3 f(0) + 4 f(s) - f(2 s)) / 2 s needs no earlier rates.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.engine import N_METHOD, OWN
from pytrammel.kernels.hermite import between
from pytrammel.kernels.jit import call_routine, floats_at, routine, vector

AT_RATES, AT_SCRATCH, AT_END_STATE = range(OWN, OWN + 3)
LENGTH, FIRST_FREE = range(N_METHOD, N_METHOD + 2)
NUDGE = 1e-3  # of the step: its square, relative, is what the difference is off by


@routine()
def taylor_start(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    return call_routine(E[engine.RATES], E, t, 0.0, y, S[E[AT_RATES] :], y)


@routine()
def taylor_accept(E, t, h, y, unused, unused_too):
    S = floats_at(E[engine.NUMBERS])
    return call_routine(E[engine.RATES], E, t, 0.0, y, S[E[AT_RATES] :], y)


@routine()
def taylor_attempt(E, t, h, y_at, y1_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    y1 = vector(y1_at, size)
    f = S[E[AT_RATES] : E[AT_RATES] + size]
    moved = S[E[AT_SCRATCH] : E[AT_SCRATCH] + size]
    ahead = S[E[AT_SCRATCH] + size : E[AT_SCRATCH] + 2 * size]
    further = S[E[AT_SCRATCH] + 2 * size : E[AT_SCRATCH] + 3 * size]
    S[LENGTH] = h
    step = NUDGE * h
    for c in range(size):
        moved[c] = y[c] + step * f[c]
    closest = call_routine(E[engine.RATES], E, t + step, 0.0, moved, ahead, moved)
    for c in range(size):
        moved[c] = y[c] + 2.0 * step * f[c]
    closest = min(closest, call_routine(E[engine.RATES], E, t + 2.0 * step, 0.0, moved, further, moved))
    for c in range(size):
        y1[c] = y[c] + h * f[c] + 0.25 * h * h * (4.0 * ahead[c] - 3.0 * f[c] - further[c]) / step
        S[E[AT_END_STATE] + c] = y1[c]
    angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, ahead, y1)
    if math.isnan(closest) or math.isnan(angle):
        return math.nan
    S[engine.CLOSEST] = min(closest, angle)
    S[engine.AT_END] = angle
    return 0.0


@routine()
def taylor_dense(E, t, h, y, unused, unused_too):
    return 0.0


@routine()
def taylor_between(E, t, theta, y_at, out_at, unused):
    S = floats_at(E[engine.NUMBERS])
    size = E[engine.SIZE]
    f = S[E[AT_RATES] : E[AT_RATES] + size]
    ahead = S[E[AT_SCRATCH] + size : E[AT_SCRATCH] + 2 * size]
    end = S[E[AT_END_STATE] : E[AT_END_STATE] + size]
    between(theta, S[LENGTH], vector(y_at, size), f, end, ahead, 0.0, f, f, vector(out_at, size))
    return 0.0


@routine()
def taylor_place(E, t, number, y, out, unused):
    return 0.0
