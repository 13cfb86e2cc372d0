"""Rates close to a singular position: where constraints hold, whatever the stages of a step have made of them.

The constraints' second derivatives divide what a stage is off by the distance from the singular position; put onto the constraints
first, a stage is moved by no more than it was off. Both give the same motion and full order, if all stages of a step do the same.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.jit import call_routine, floats_at, routine


@routine(seconds=0.5)
def rates_on_constraints(E, t, h, y, dy, unused):
    spare = floats_at(E[engine.TREATMENT])
    for c in range(E[engine.SIZE]):
        spare[c] = y[c]
    if math.isnan(call_routine(E[engine.SETTLE], E, t, 0.0, spare, spare, spare)):
        return call_routine(E[engine.UNTREATED], E, t, h, y, dy, dy)
    return call_routine(E[engine.UNTREATED], E, t, h, spare, dy, dy)
