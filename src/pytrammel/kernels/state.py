"""One evaluation of the equations of motion, for questions asked from Python and for benchmarks."""

from __future__ import annotations

from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_ground
from pytrammel.kernels.dynamics import FORCES, OUT, STATE, accelerations, workspace
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT, INT_ARRAY, kernel


@kernel(
    INT_ARRAY,
    FLOAT_ARRAY,
    INT_ARRAY,
    FLOAT,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    seconds=15.0,
)
def state_run(I, F, P, t, q, v, z, a, lam, g, outs):
    """Fill accelerations, multipliers, force vector and the value of each force element."""
    ws = workspace(I, P)
    load_ground(I, ws[STATE])
    angle = accelerations(I, F, P, t, q, v, z, 0.0, 0.0, a, lam, ws)
    for c in range(I[L.N_COLUMNS]):
        g[c] = ws[FORCES][c]
    at = I[L.AT_FORCES]
    for k in range(I[L.N_FORCES]):
        outs[k] = ws[OUT][L.OUTPUT_SIZE * I[at + 2] + L.FORCE]
        at += L.FORCE_SIZE
    return angle


@kernel(
    INT_ARRAY,
    FLOAT_ARRAY,
    INT_ARRAY,
    FLOAT,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    FLOAT_ARRAY,
    INT,
    seconds=15.0,
)
def repeat_run(I, F, P, t, q, v, z, a, lam, times):
    """Evaluate the same state many times: what the benchmarks measure."""
    ws = workspace(I, P)
    load_ground(I, ws[STATE])
    total = 0.0
    for _ in range(times):
        total += accelerations(I, F, P, t, q, v, z, 0.0, 0.0, a, lam, ws)
    return total
