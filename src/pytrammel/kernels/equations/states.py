"""The error of quantities that users have integrated along with the motion."""

from __future__ import annotations

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import kernel


@kernel()
def with_states(I, F, y, y1, error, z, rtol, atol, total):
    """The norm of an error with that of user states, each against its own size; z is where inner states begin in the vectors.

    Behind the outputs of all inner states lies for each the place of its size in F, or -1 where the motion tells how accurate it must be.
    """
    n = I[L.N_STATES]
    for k in range(n):
        at = I[I[L.AT_STATES] + n + k]
        if at >= 0:
            size = max(F[at], max(abs(y[z + k]), abs(y1[z + k])))
            ratio = abs(error[z + k]) / (rtol * size + atol * F[at])
            if not ratio <= total:  # also true for NaN
                total = ratio
    return total
