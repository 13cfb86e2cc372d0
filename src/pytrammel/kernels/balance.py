"""What is left of the equations of motion for accelerations and multipliers that are given, not solved for."""

from __future__ import annotations

from pytrammel.kernels import dynamics as D
from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_ground, load_state
from pytrammel.kernels.evaluate import run_elements
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT_ARRAY, kernel
from pytrammel.kernels.mass import apply_mass, inertia_forces, weigh_by_mass
from pytrammel.kernels.schur import factor


@kernel(
    INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY,
    seconds=6.0,
)  # fmt: skip
def balance_run(I, F, P, t, q, v, z, a, lam, left, rates):
    """left = M a - g - J'lam, forces that depend on what joints carry seeing the multipliers given; and the rates of inner states."""
    ws = D.workspace(I, P)
    load_ground(I, ws[D.STATE])
    load_state(I, t, q, v, ws[D.STATE])
    D.load_inner_states(I, z, ws[D.STATE])
    run_elements(I, F, ws[D.STATE], ws[D.OUT], ws[D.JAC], ws[D.WORK])
    if I[L.N_REACTIONS] > 0:
        weigh_by_mass(I, F, P, ws[D.STATE], ws[D.JAC], ws[D.WEIGHTED])
        factor(P, ws[D.JAC], ws[D.WEIGHTED], 0.0, ws[D.Y], ws[D.LOWER], ws[D.PIVOTS])
        D.read_loads(I, F, P, 0, lam, ws)
    inertia_forces(I, F, ws[D.STATE], ws[D.FORCES])
    D.run_forces(I, F, ws[D.STATE], ws[D.OUT], ws[D.JAC], ws[D.WORK], ws[D.FORCES])
    apply_mass(I, F, ws[D.STATE], a, left)
    for c in range(I[L.N_COLUMNS]):
        left[c] -= ws[D.FORCES][c]
    for k in range(P[L.P_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                left[column] -= ws[D.JAC][I[at + 1] + e] * lam[k]
    for k in range(I[L.N_STATES]):
        rates[k] = ws[D.OUT][L.OUTPUT_SIZE * I[I[L.AT_STATES] + k] + L.STATE_RATE]
