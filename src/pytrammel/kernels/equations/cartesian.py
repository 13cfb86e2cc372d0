"""Constrained motion in body coordinates: y = [q, v, inner states, work of each force element, work of the drivers].

Constraints hold at the level of accelerations; after each step they are put right by projection, or stabilised after Baumgarte, or left.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare, tail
from pytrammel.kernels.bodies import coordinate_rates, load_ground, load_state, settle, state_size
from pytrammel.kernels.dynamics import (
    ENERGY,
    JAC,
    NU,
    OUT,
    PHI,
    STATE,
    accelerations,
    bare_workspace,
    project,
    workspace_places,
    write_outputs,
)
from pytrammel.kernels.engine import N_SHARED, data_of, rates_in_full
from pytrammel.kernels.equations.states import with_states
from pytrammel.kernels.evaluate import row_times, run_elements
from pytrammel.kernels.jit import FLOAT_ARRAY, INT_ARRAY, floats_at, ints_at, kernel, routine
from pytrammel.kernels.mass import mechanical_energy

# entries of the workspace after those of all equations
(ALPHA, BETA, PROJECT, CONTROL_WORK, ENERGY_MET, ENERGY_NOW, WORK) = range(N_SHARED, N_SHARED + 7)


@kernel()
def vector_size(I):
    """Entries of the integrated vector."""
    return I[L.N_COORDINATES] + I[L.N_COLUMNS] + I[L.N_STATES] + I[L.N_FORCES] + 1


@kernel(spread=True)
def unknowns(I, P, W):
    """Accelerations and multipliers of the last evaluation, behind the workspace."""
    at = workspace_places(I, P, WORK)[18]
    return W[at : at + I[L.N_COLUMNS]], W[at + I[L.N_COLUMNS] : at + I[L.N_COLUMNS] + P[L.P_ROWS]]


@kernel(INT_ARRAY, INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, FLOAT_ARRAY)
def cartesian_begin(I, P, W, EI, EW):
    """Put the ground into fresh workspaces; returns the sizes that they must have."""
    if W.size > 0:
        load_ground(I, W[WORK:])
        load_ground(EI, EW)
    return workspace_places(I, P, WORK)[18] + I[L.N_COLUMNS] + P[L.P_ROWS] + 1, watch_places(EI)[3]


@kernel()
def fill_rates(I, F, P, W, y, a, lam, ws, dy):
    """Derivatives of the integrated vector from accelerations, multipliers and what is in the workspace."""
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    nz = I[L.N_STATES]
    z = nq + n
    coordinate_rates(I, F, ws[STATE], y, tail(y, nq), dy)
    for c in range(n):
        dy[nq + c] = a[c]
    for k in range(nz):
        dy[z + k] = ws[OUT][L.OUTPUT_SIZE * I[I[L.AT_STATES] + k] + L.STATE_RATE]
    at = I[L.AT_FORCES]
    for k in range(I[L.N_FORCES]):
        dy[z + nz + k] = ws[OUT][L.OUTPUT_SIZE * I[at + 2] + L.POWER]
        at += L.FORCE_SIZE
    power = 0.0
    for k in range(P[L.P_ROWS]):
        power += lam[k] * ws[NU][k]
    dy[z + nz + I[L.N_FORCES]] = power
    if W[engine.AT_STEP_END] != 0.0:
        # without projection this is the first look at the constraints after a step
        W[engine.AT_STEP_END] = 0.0
        for k in range(P[L.P_ROWS]):
            W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], abs(ws[PHI][k]))


@routine(seconds=6.0)
def cartesian_rates(E, t, h, y_at, dy_at, unused):
    I, F, P, W = data_of(E)
    ints = bare(I)
    floats = bare(F)
    pattern = bare(P)
    ws = bare_workspace(I, P, W, WORK)
    a = advanced(bare(W), workspace_places(I, P, WORK)[18])
    lam = advanced(a, I[L.N_COLUMNS])
    nq = I[L.N_COORDINATES]
    z = nq + I[L.N_COLUMNS]
    angle = accelerations(
        ints, floats, pattern, t, y_at, advanced(y_at, nq), advanced(y_at, z), W[ALPHA], W[BETA], a, lam, ws
    )
    W[engine.EVALUATIONS] += 1.0
    fill_rates(ints, floats, pattern, W, y_at, a, lam, ws, dy_at)
    return angle


@routine(seconds=1.5)
def cartesian_settle(E, t, h, y_at, unused, unused_too):
    """Onto the constraints, if asked for; in any case with unit Euler parameters and counted turns. NaN if it does not converge."""
    I, F, P, W = data_of(E)
    ws = bare_workspace(I, P, W, WORK)
    nq = I[L.N_COORDINATES]
    v = advanced(y_at, nq)
    ints = bare(I)
    floats = bare(F)
    if W[engine.AT_STEP_END] != 0.0:
        W[ENERGY_MET] = max(W[ENERGY_MET], W[ENERGY_NOW])
    if W[PROJECT] != 0.0 and h == 0.0:
        opened = project(ints, floats, bare(P), t, y_at, v, v, ws)
        if W[engine.AT_STEP_END] != 0.0:
            W[engine.AT_STEP_END] = 0.0
            W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], opened)
        return opened
    if I[L.IS_SPATIAL] != 0:
        load_state(ints, t, y_at, v, ws[STATE])
        settle(ints, floats, ws[STATE], y_at)
    return 0.0


@kernel()
def motion_norm(I, F, rtol, atol, y_at, y1_at, error_at):
    """Largest error in units of what is allowed: positions against the model's size, velocities against the fastest."""
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    of_positions = advanced(bare(F), I[L.AT_COORDINATE_SCALES])
    of_velocities = advanced(bare(F), I[L.AT_COLUMN_SCALES])
    # divided only where the largest so far is beaten
    speed = 1e-3
    for c in range(n):
        fastest = max(abs(y_at[nq + c]), abs(y1_at[nq + c]))
        if fastest > speed * of_velocities[c]:
            speed = fastest / of_velocities[c]
    # what is not a number stays so
    total = 0.0
    allowed = rtol + atol
    for c in range(nq):
        if not abs(error_at[c]) <= total * allowed * of_positions[c] and not math.isnan(total):
            total = abs(error_at[c]) / (allowed * of_positions[c])
    allowed = rtol * speed + atol
    for c in range(n):
        if not abs(error_at[nq + c]) <= total * allowed * of_velocities[c] and not math.isnan(total):
            total = abs(error_at[nq + c]) / (allowed * of_velocities[c])
    return total


@routine()
def cartesian_norm(E, t, h, y_at, y1_at, error_at):
    """Largest error in units of what is allowed.

    Where forces act on parts that are driven, they do work without any trace in the motion: then the works count, too.
    """
    I, F, P, W = data_of(E)
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    rtol = W[engine.RTOL]
    atol = W[engine.ATOL]
    total = 0.0
    if h != engine.WORKS:
        total = motion_norm(I, F, rtol, atol, y_at, y1_at, error_at)
        if math.isnan(total):
            return math.nan
        if I[L.N_STATES] > 0:
            total = with_states(I, F, y_at, y1_at, error_at, nq + n, rtol, atol, total)
        if W[CONTROL_WORK] == 0.0:
            return total
    size = vector_size(I)
    ws = bare_workspace(I, P, W, WORK)
    first = size - I[L.N_FORCES] - 1
    load_state(bare(I), t, y1_at, advanced(y1_at, nq), ws[STATE])
    mechanical_energy(bare(I), bare(F), ws[STATE], ws[ENERGY])
    energy = ws[ENERGY][0]
    off = 0.0
    for c in range(first, size):
        energy += abs(y1_at[c])
        if not abs(error_at[c]) <= off:
            off = abs(error_at[c])
    energy = max(energy, W[ENERGY_MET])
    W[ENERGY_NOW] = energy
    return max(total, off / (rtol * energy)) if rtol * energy > 0.0 else total


@routine()
def cartesian_record(E, t, h, y_at, row_at, unused):
    """One instant: y, accelerations, value and power of every force element, kinetic and gravity energy, multipliers."""
    I, F, P, W = data_of(E)
    ws = bare_workspace(I, P, W, WORK)
    a = advanced(bare(W), workspace_places(I, P, WORK)[18])
    lam = advanced(a, I[L.N_COLUMNS])
    ints = bare(I)
    size = vector_size(I)
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    alpha = W[ALPHA]
    beta = W[BETA]
    W[ALPHA] = 0.0  # what stabilises is no reaction
    W[BETA] = 0.0
    rates_in_full(E, t, y_at, row_at)
    W[ALPHA] = alpha
    W[BETA] = beta
    at = size
    for c in range(size):
        row_at[c] = y_at[c]
    for c in range(n):
        row_at[at + c] = a[c]
    at += n
    outputs = 2 * I[L.N_FORCES]
    write_outputs(ints, bare(F), advanced(row_at, at), advanced(row_at, at + outputs), ws)
    at += outputs + 2
    for k in range(P[L.P_ROWS]):
        row_at[at + k] = lam[k]
        off = row_times(ints, bare(P), k, ws[JAC], advanced(y_at, nq)) - ws[NU][k]
        W[engine.LARGEST_RATE] = max(W[engine.LARGEST_RATE], abs(off))
    return 0.0


@kernel()
def watch_places(I):
    """Where state, outputs, Jacobian and scratch of watched formulas end in their workspace."""
    out = state_size(I) + L.OUTPUT_SIZE * I[L.N_OUTPUTS] + 1
    return state_size(I), out, out + I[L.N_JACOBIAN] + 1, out + I[L.N_JACOBIAN] + 1 + I[L.N_WORK] + 1


@routine()
def cartesian_watch(E, t, h, y_at, values_at, unused):
    """Values of watched formulas, which are rows of a system of their own."""
    I = ints_at(E[engine.WATCH_INTS])
    F = floats_at(E[engine.WATCH_FLOATS])
    W = floats_at(E[engine.WATCH_WORK])
    nq = I[L.N_COORDINATES]
    p = watch_places(I)
    state = bare(W)
    out = advanced(state, p[0])
    load_state(bare(I), t, y_at, advanced(y_at, nq), state)
    run_elements(bare(I), bare(F), state, out, advanced(state, p[1]), advanced(state, p[2]))
    for k in range(I[L.N_ROWS]):
        values_at[k] = out[L.OUTPUT_SIZE * I[I[L.AT_ROWS] + L.ROW_SIZE * k] + L.VALUE]
    return 0.0
