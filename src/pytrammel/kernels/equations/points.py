"""Motion in coordinates of particles (Attia): y = [particles, places on curves, turn counters, angles or Euler parameters, then the rates
of particles and places, inner states, works].

Particles at fixed distances have the mass, centroid and inertia of each body (`particles`), so that M is constant and nothing gyroscopic
is left. Bodies are joined by having particles in common; other rows and all forces are those of the bodies, seen through [r'; w] = T x':
J T and T'g.

Everything is dense: these are equations to study. What is kept of an instant is what the equations in body coordinates say there.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import coordinate_rates, load_ground, settle, state_size
from pytrammel.kernels.dynamics import workspace_places
from pytrammel.kernels.engine import N_SHARED
from pytrammel.kernels.equations.cartesian import WORK as CARTESIAN_WORK
from pytrammel.kernels.equations.fewer_norm import motion_error, with_works
from pytrammel.kernels.equations.states import with_states
from pytrammel.kernels.jit import (
    FLOAT,
    FLOAT_ARRAY,
    INT_ARRAY,
    call_routine,
    floats_at,
    ints_at,
    kernel,
    routine,
    vector,
)
from pytrammel.kernels.mass import mechanical_energy
from pytrammel.kernels.particles import (
    AT_SCALES,
    FORCES,
    INDEPENDENCE,
    LOOK,
    N_DISTANCES,
    SOLVE,
    W_BODY,
    W_ENERGY,
    W_F,
    W_GAMMA,
    W_J,
    W_K,
    W_NU,
    W_OUT,
    W_PHI,
    W_Q,
    W_R,
    W_RATES,
    W_STATE,
    W_STEP,
    load,
    parts,
    rates_at,
    unknowns,
)

# entries of the workspace after those of all equations
(ALPHA, BETA, PROJECT, CONTROL_WORK, ENERGY_MET, ENERGY_NOW, WORK) = range(N_SHARED, N_SHARED + 7)


@kernel()
def look_at_rows(E, t):
    """Residuals, right-hand sides and Jacobian of all rows at the state that is loaded: distances first, then those of the model.

    Returns the largest residual in units of what counts as one.
    """
    H, _, W, _ = parts(E)
    return call_routine(H[LOOK], E, t, 0.0, W, W, W)


@kernel()
def orthogonalise(E):
    """Orthonormal rows Q and triangular R of the Jacobian in scaled columns.

    Returns the sine by which the least independent row sticks out of those before it.
    """
    H, _, W, _ = parts(E)
    return call_routine(H[INDEPENDENCE], E, 0.0, 0.0, W, W, W)


@kernel()
def smallest_step(E, residual, step):
    """The smallest step, in scaled columns, that changes the rows by a residual (which is used up)."""
    H, G, W, I = parts(E)
    n = unknowns(H, I)
    m = H[N_DISTANCES] + ints_at(E[engine.PATTERN])[L.P_ROWS]
    Q = W[H[W_Q] :]
    R = W[H[W_R] :]
    for c in range(n):
        step[c] = 0.0
    for r in range(m):
        for s in range(r):
            residual[r] -= R[m * r + s] * residual[s]
        residual[r] = residual[r] / R[m * r + r] if R[m * r + r] > 0.0 else 0.0
        for c in range(n):
            step[c] += residual[r] * Q[n * r + c]
    for c in range(n):
        step[c] *= G[H[AT_SCALES] + c]


@kernel()
def read_reactions(E, t):
    """What joints carry, for forces that depend on it: those of common particles appear in the equations in body coordinates only.

    Returns False if they cannot be found.
    """
    H, _, W, I = parts(E)
    inner = ints_at(E[engine.INNER])
    rates = W[H[W_RATES] :]
    if math.isnan(call_routine(inner[engine.RATES], inner, t, 0.0, W[H[W_BODY] :], rates, rates)):
        return False
    theirs = floats_at(inner[engine.WORKSPACE])
    first = workspace_places(I, ints_at(inner[engine.PATTERN]), CARTESIAN_WORK)[1]
    for k in range(I[L.N_REACTIONS]):
        at = L.OUTPUT_SIZE * I[I[L.AT_REACTIONS] + L.REACTION_SIZE * k]
        for j in range(L.OUTPUT_SIZE):
            W[H[W_OUT] + at + j] = theirs[first + at + j]
    return True


@kernel()
def distribute_forces(E):
    """All forces of bodies, gravity left out, and gravity of particles, as forces on the particles."""
    H, _, W, _ = parts(E)
    call_routine(H[FORCES], E, 0.0, 0.0, W, W, W)


@kernel()
def solve(E):
    """[M -J'; J 0] [x''; lam] = [f; gamma], densely; the solution is left at the start of the matrix. Masses may be negative."""
    H, _, W, _ = parts(E)
    call_routine(H[SOLVE], E, 0.0, 0.0, W, W, W)


@kernel()
def stabilise(E, y):
    """Baumgarte's terms in the right-hand sides."""
    H, _, W, I = parts(E)
    n = unknowns(H, I)
    first = rates_at(H, I)
    for r in range(H[N_DISTANCES] + ints_at(E[engine.PATTERN])[L.P_ROWS]):
        rate = -W[H[W_NU] + r]
        for c in range(n):
            rate += W[H[W_J] + n * r + c] * y[first + c]
        W[H[W_GAMMA] + r] -= 2.0 * W[ALPHA] * rate + W[BETA] * W[BETA] * W[H[W_PHI] + r]


@kernel()
def fill_rates(E, y, dy):
    """Derivatives of the integrated vector from the solution and what is in the workspace."""
    H, _, W, I = parts(E)
    F = floats_at(E[engine.FLOATS])
    n = unknowns(H, I)
    first = rates_at(H, I)
    nq = I[L.N_COORDINATES]
    body = W[H[W_BODY] :]
    dq = W[H[W_RATES] :]
    coordinate_rates(I, F, W[H[W_STATE] :], body[:nq], body[nq:], dq)
    for c in range(n):
        dy[c] = y[first + c]
        dy[first + c] = W[H[W_K] + c]
    for k in range(I[L.N_TURNS]):
        dy[n + k] = dq[nq - I[L.N_TURNS] + k]
    copy_references(I, dq, dy[n + I[L.N_TURNS] :])
    out = W[H[W_OUT] :]
    z = first + n
    for k in range(I[L.N_STATES]):
        dy[z + k] = out[L.OUTPUT_SIZE * I[I[L.AT_STATES] + k] + L.STATE_RATE]
    z += I[L.N_STATES]
    at = I[L.AT_FORCES]
    for k in range(I[L.N_FORCES]):
        dy[z + k] = out[L.OUTPUT_SIZE * I[at + 2] + L.POWER]
        at += L.FORCE_SIZE
    power = 0.0
    for r in range(H[N_DISTANCES] + ints_at(E[engine.PATTERN])[L.P_ROWS]):
        power += W[H[W_K] + n + r] * W[H[W_NU] + r]
    dy[z + I[L.N_FORCES]] = power


@kernel()
def copy_references(I, q, out):
    """Angles or Euler parameters out of coordinates of bodies."""
    for b in range(I[L.N_BODIES] - 1):
        if I[L.IS_SPATIAL] == 0:
            out[b] = q[3 * b + 2]
        else:
            for k in range(4):
                out[4 * b + k] = q[7 * b + 3 + k]


@routine(seconds=3.0)
def points_rates(E, t, h, y_at, dy_at, unused):
    H, _, W, I = parts(E)
    y = vector(y_at, E[engine.SIZE])
    dy = vector(dy_at, E[engine.SIZE])
    W[engine.EVALUATIONS] += 1.0
    load(E, t, y)
    look_at_rows(E, t)
    if W[engine.AT_STEP_END] != 0.0:
        # without projection this is the first look at the constraints after a step
        W[engine.AT_STEP_END] = 0.0
        for k in range(H[N_DISTANCES] + ints_at(E[engine.PATTERN])[L.P_ROWS]):
            W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], abs(W[H[W_PHI] + k]))
    if W[ALPHA] != 0.0 or W[BETA] != 0.0:
        stabilise(E, y)
    sine = orthogonalise(E)
    if I[L.N_REACTIONS] > 0 and not read_reactions(E, t):
        return math.nan
    distribute_forces(E)
    solve(E)
    total = 0.0
    for c in range(unknowns(H, I)):
        total += W[H[W_K] + c]
    if not math.isfinite(total):
        return math.nan
    fill_rates(E, y, dy)
    return sine


@kernel()
def project(E, t, y):
    """Move particles and their velocities onto the rows by the smallest step. Returns the largest residual met, or NaN."""
    H, G, W, I = parts(E)
    n = unknowns(H, I)
    m = H[N_DISTANCES] + ints_at(E[engine.PATTERN])[L.P_ROWS]
    first = rates_at(H, I)
    step = W[H[W_STEP] :]
    residual = W[H[W_GAMMA] :]
    opened = 0.0
    correction = math.inf
    for iteration in range(12):
        load(E, t, y)
        largest = look_at_rows(E, t)
        if not math.isfinite(largest):
            return math.nan
        for r in range(m):
            opened = max(opened, abs(W[H[W_PHI] + r]))
        if iteration == 0 or correction > 1e-4:
            orthogonalise(E)
        if largest < 4e-16 or correction < 1e-12:
            break
        for r in range(m):
            residual[r] = -W[H[W_PHI] + r]
        smallest_step(E, residual, step)
        before = correction
        correction = 0.0
        for c in range(n):
            correction = max(correction, abs(step[c]) / G[H[AT_SCALES] + c])
        if correction > 0.5 or (iteration > 3 and correction > 0.5 * before):
            if largest < 1e-9:
                break  # as good as it gets, close to a singular position
            return math.nan
        for c in range(n):
            y[c] += step[c]
    orthogonalise(E)
    for _ in range(2):
        for r in range(m):
            residual[r] = W[H[W_NU] + r]
            for c in range(n):
                residual[r] -= W[H[W_J] + n * r + c] * y[first + c]
        smallest_step(E, residual, step)
        for c in range(n):
            y[first + c] += step[c]
    return opened


@routine(seconds=2.0)
def points_settle(E, t, h, y_at, unused, unused_too):
    """Onto the rows, if asked for; in any case with angles, Euler parameters and turn counters of the particles. NaN if it fails."""
    H, _, W, I = parts(E)
    F = floats_at(E[engine.FLOATS])
    y = vector(y_at, E[engine.SIZE])
    if W[engine.AT_STEP_END] != 0.0:
        W[ENERGY_MET] = max(W[ENERGY_MET], W[ENERGY_NOW])
    opened = 0.0
    if W[PROJECT] != 0.0:
        opened = project(E, t, y)
        if W[engine.AT_STEP_END] != 0.0:
            W[engine.AT_STEP_END] = 0.0
            W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], opened)
    load(E, t, y)
    nq = I[L.N_COORDINATES]
    q = W[H[W_BODY] : H[W_BODY] + nq]
    settle(I, F, W[H[W_STATE] :], q)
    n = unknowns(H, I)
    for k in range(I[L.N_TURNS]):
        y[n + k] = q[nq - I[L.N_TURNS] + k]
    copy_references(I, q, y[n + I[L.N_TURNS] :])
    return opened


@routine()
def points_norm(E, t, h, y_at, y1_at, error_at):
    """Largest error in units of what is allowed: places against the model's size, velocities against the fastest."""
    H, G, W, I = parts(E)
    F = floats_at(E[engine.FLOATS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    y1 = vector(y1_at, size)
    error = vector(error_at, size)
    rtol = W[engine.RTOL]
    atol = W[engine.ATOL]
    n = unknowns(H, I)
    first = rates_at(H, I)
    scales = H[AT_SCALES]
    of = G[scales:]
    total = 0.0
    if h != engine.WORKS:
        total = motion_error(y, y1, error, n, of, first, n, of, rtol, atol)
        if I[L.N_STATES] > 0:
            total = with_states(I, F, y, y1, error, first + n, rtol, atol, total)
        if W[CONTROL_WORK] == 0.0:
            return total
    load(E, t, y1)
    energies = W[H[W_ENERGY] :]
    mechanical_energy(I, F, W[H[W_STATE] :], energies)
    return with_works(W, y1, error, size - I[L.N_FORCES] - 1, size, energies[0], rtol, total)


@routine()
def points_record(E, t, h, y_at, row_at, unused):
    """What the equations in body coordinates keep of this instant."""
    H, _, W, _ = parts(E)
    inner = ints_at(E[engine.INNER])
    load(E, t, vector(y_at, E[engine.SIZE]))
    return call_routine(inner[engine.RECORD], inner, t, 0.0, W[H[W_BODY] :], row_at, row_at)


@routine()
def points_watch(E, t, h, y_at, values_at, unused):
    """Values of watched formulas."""
    H, _, W, _ = parts(E)
    inner = ints_at(E[engine.INNER])
    load(E, t, vector(y_at, E[engine.SIZE]))
    return call_routine(inner[engine.WATCH], inner, t, 0.0, W[H[W_BODY] :], values_at, values_at)


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, seconds=0.7)
def points_to_bodies_run(E, t, y, out):
    """The vector in body coordinates that belongs to y."""
    H, _, W, _ = parts(E)
    load(E, t, y)
    for k in range(out.size):
        out[k] = W[H[W_BODY] + k]


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, seconds=0.7)
def points_rows_run(E, t, y, jacobian):
    """The Jacobian of all rows, distances first; returns the singularity measure."""
    H, _, W, _ = parts(E)
    load(E, t, y)
    look_at_rows(E, t)
    for k in range(jacobian.size):
        jacobian[k] = W[H[W_J] + k]
    return orthogonalise(E)


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, seconds=0.7)
def points_forces_run(E, t, y, forces):
    """Forces on the particles; rates of the rows, their right-hand sides and T stay in the workspace."""
    H, _, W, _ = parts(E)
    load(E, t, y)
    look_at_rows(E, t)
    distribute_forces(E)
    for k in range(forces.size):
        forces[k] = W[H[W_F] + k]


@kernel(INT_ARRAY, FLOAT_ARRAY, seconds=1.0)
def points_begin(I, state):
    """Put the ground into a fresh workspace; returns the size of a state."""
    if state.size > 0:
        load_ground(I, state)
    return state_size(I)
