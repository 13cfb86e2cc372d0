"""Equations of motion at many states at once, each with numbers of its own: for sensitivities."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, FLOAT_TABLE, INT_ARRAY, call_routine, kernel


@kernel(INT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, seconds=1.0)
def sweep_run(E, F, FS, times, Y, DY, ROWS):
    """Fill the rates of each state and, where ROWS has columns, what is recorded of it; returns how many are numbers.

    F is the float buffer of the table; a row of FS replaces it for its state, the last one for all that follow.
    """
    good = 0
    for k in range(times.size):
        if k < FS.shape[0]:
            for c in range(F.size):
                F[c] = FS[k, c]
        angle = call_routine(E[engine.RATES], E, times[k], 0.0, Y[k], DY[k], DY[k])
        if not math.isnan(angle):
            good += 1
        if ROWS.shape[1] > 1:
            call_routine(E[engine.RECORD], E, times[k], 0.0, Y[k], ROWS[k], ROWS[k])
    return good


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, seconds=1.0)
def settle_run(E, t, y):
    """Bring a state onto the constraints, in place; NaN if it cannot be."""
    return call_routine(E[engine.SETTLE], E, t, 0.0, y, y, y)
