"""The same evaluation many times: what benchmarks measure, for any equations."""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT, INT_ARRAY, call_routine, kernel


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, INT)
def rates_repeat_run(E, t, y, dy, times):
    """Evaluate the rates at one state many times."""
    total = 0.0
    for _ in range(times):
        total += call_routine(E[engine.RATES], E, t, 0.0, y, dy, dy)
    return total
