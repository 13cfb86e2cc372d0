"""Motion in joint coordinates: y = [joint coordinates, places on curves, turn counters, speeds, rates on curves, inner states, works].

Joints of the tree hold by themselves; what closes loops and whatever is no joint of the tree (gears, cams, drivers, formulas) are rows.
An inward and an outward pass over the tree (`trees`) solve with its mass matrix H = B'M B without forming it. Along each freedom a row
acts with y = B'(its force, as it arrives there), so that J H^-1 J' = sum of y D^-1 y' over the freedoms between the row and the ground.

What is kept of an instant is what the equations in body coordinates say there: all reactions, those in the tree too.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare, tail
from pytrammel.kernels.bodies import load_ground, state_size
from pytrammel.kernels.dynamics import ILL_CONDITIONED, SUSPECT, UNCHANGED, WELL_CONDITIONED, run_forces
from pytrammel.kernels.engine import N_SHARED
from pytrammel.kernels.equations.fewer_norm import motion_error, with_works
from pytrammel.kernels.equations.states import with_states
from pytrammel.kernels.equations.tree_rows import (
    add_by_rows,
    along_tree,
    factor_rows,
    inner_states_at,
    load,
    look_at_rows,
    speeds_at,
    to_bodies,
)
from pytrammel.kernels.evaluate import row_times
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT_ARRAY, call_routine, ints_at, kernel, routine
from pytrammel.kernels.mass import inertia_forces, mechanical_energy
from pytrammel.kernels.schur import solve_factored
from pytrammel.kernels.spatial_bodies import angle_parts, nearest_turn, turn_rate
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, constants_at, room, tree_at

# entries of the workspace after those of all equations
(ALPHA, BETA, PROJECT, CONTROL_WORK, ENERGY_MET, ENERGY_NOW, WORK) = range(N_SHARED, N_SHARED + 7)
ARTICULATED, FROM_BODIES = 0, 1  # how accelerations are found


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, seconds=1.0)
def tree_to_bodies_run(E, t, y, out):
    """The vector in body coordinates that belongs to y."""
    load(E, t, bare(y))
    to_bodies(E, bare(y), bare(out))


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, seconds=1.0)
def tree_speeds_run(E, t, y, v):
    """Speeds in y from the velocities of the bodies."""
    T = tree_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    first = speeds_at(I, T)
    for c in range(T[T_.N_SPEEDS]):
        y[first + c] = 0.0
    load(E, t, bare(y))
    call_routine(T[T_.FACTOR], E, t, 1.0, W, W, W)
    along_tree(E, bare(v), advanced(bare(y), first))


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, seconds=1.0)
def tree_bias_run(E, t, y, accel):
    """Accelerations of the bodies where the speeds stay as they are: the velocity transformation's rate times the speeds."""
    T = tree_at(E)
    W = room(E, 0)
    load(E, t, bare(y))
    for k in range(T[T_.W_D], T[T_.W_D + 1]):
        W[k] = 0.0  # nothing gives way
    call_routine(T[T_.OUTWARD], E, t, 1.0, room(E, T[T_.W_NU]), room(E, T[T_.W_UDOT]), accel)


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, seconds=1.0)
def tree_measure_run(E, t, y, dy):
    """How far the rows are from being dependent: the measure that the rates report."""
    return call_routine(E[engine.RATES], E, t, 0.0, bare(y), bare(dy), bare(dy))


@kernel(INT_ARRAY, FLOAT_ARRAY, seconds=1.0)
def tree_begin(I, state):
    """Put the ground into a fresh workspace; returns the size of a state without massless nodes."""
    if state.size > 0:
        load_ground(I, state)
    return state_size(I)


@kernel()
def fill_tail(E, y, lam, dy):
    """Rates of turn counters, inner states and works, from what is in the workspace."""
    T = tree_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    P = bare_ints(E[engine.PATTERN])
    state = room(E, T[T_.W_STATE])
    out = room(E, T[T_.W_OUT])
    turn = T[T_.N_POSITIONS] + I[L.N_EXTRAS]
    first = speeds_at(I, T)
    for k in range(I[L.N_TURNS]):
        speed = T[T[T_.AT_TURN_SPEEDS] + 2 * k]
        if speed >= 0:
            dy[turn + k] = T[T[T_.AT_TURN_SPEEDS] + 2 * k + 1] * y[first + speed]
        else:
            at = I[L.AT_TURNS] + L.TURN_SIZE * k
            dy[turn + k] = turn_rate(state, I[at], I[at + 1], F, I[at + 2])
    z = inner_states_at(I, T)
    for k in range(I[L.N_STATES]):
        dy[z + k] = out[L.OUTPUT_SIZE * I[I[L.AT_STATES] + k] + L.STATE_RATE]
    z += I[L.N_STATES]
    at = I[L.AT_FORCES]
    for k in range(I[L.N_FORCES]):
        dy[z + k] = out[L.OUTPUT_SIZE * I[at + 2] + L.POWER]
        at += L.FORCE_SIZE
    power = 0.0
    for k in range(P[L.P_ROWS]):
        power += lam[k] * W[T[T_.W_RATE] + k]
    dy[z + I[L.N_FORCES]] = power


@kernel()
def begin_rates(E, t, y):
    """Rows at (t, y) with what stabilises them in their right-hand sides."""
    T = tree_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    load(E, t, y)
    look_at_rows(E, t)
    if W[ALPHA] != 0.0 or W[BETA] != 0.0:
        gamma = room(E, T[T_.W_GAMMA])
        v = room(E, T[T_.W_CARTESIAN])
        to_bodies(E, y, v)
        for k in range(P[L.P_ROWS]):
            rate = row_times(I, P, k, room(E, T[T_.W_JAC]), advanced(v, I[L.N_COORDINATES])) - W[T[T_.W_RATE] + k]
            gamma[k] -= 2.0 * W[ALPHA] * rate + W[BETA] * W[BETA] * W[T[T_.W_PHI] + k]


@kernel()
def free_motion(E, t):
    """Accelerations along the freedoms and of the bodies under all forces, as if no row were there; needs the factors."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    state = room(E, T[T_.W_STATE])
    forces = room(E, T[T_.W_FORCES])
    inertia_forces(I, F, state, forces)
    run_forces(I, F, state, room(E, T[T_.W_OUT]), room(E, T[T_.W_JAC]), room(E, T[T_.W_WORK]), forces)
    call_routine(T[T_.INWARD], E, t, 0.0, forces, forces, forces)
    call_routine(
        T[T_.OUTWARD], E, t, 1.0, room(E, T[T_.W_NU]), room(E, T[T_.W_UDOT]), room(E, T[T_.W_ACCEL])
    )  # fmt: skip


@kernel()
def finish_rates(E, t, y, lam, dy):
    """Derivatives of y from the accelerations found; False if these are no numbers."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    udot = room(E, T[T_.W_UDOT])
    accel = room(E, T[T_.W_ACCEL])
    total = 0.0
    for c in range(I[L.N_COLUMNS]):
        total += accel[c]
    if not math.isfinite(total):
        return False
    call_routine(T[T_.JOINT_RATES], E, t, 0.0, y, dy, dy)
    first = speeds_at(I, T)
    for c in range(T[T_.N_SPEEDS]):
        dy[first + c] = udot[c]
    fill_tail(E, y, lam, dy)
    return True


@kernel()
def note_openings(E):
    """Without projection the first evaluation after a step is the first look at the rows."""
    T = tree_at(E)
    W = room(E, 0)
    if W[engine.AT_STEP_END] != 0.0:
        W[engine.AT_STEP_END] = 0.0
        for k in range(bare_ints(E[engine.PATTERN])[L.P_ROWS]):
            W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], abs(W[T[T_.W_PHI] + k]))


@kernel()
def articulated(E, t, y, dy):
    """Accelerations by the recursion over the tree, then the rows."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    m = P[L.P_ROWS]
    gamma = room(E, T[T_.W_GAMMA])
    residual = room(E, T[T_.W_RESIDUAL])
    lam = room(E, T[T_.W_RESIDUAL] + m)
    accel = room(E, T[T_.W_ACCEL])
    begin_rates(E, t, y)
    angle = factor_rows(E, 0.0, 0.0)
    free_motion(E, t)
    for k in range(m):
        lam[k] = 0.0
    passes = 0
    if m > 0:
        # the factorised matrix has the squared condition of the Jacobian: correct for that when it matters
        passes = 1 if angle > WELL_CONDITIONED else 2 if angle > ILL_CONDITIONED else 4
    for _ in range(passes):
        for k in range(m):
            residual[k] = gamma[k] - row_times(I, P, k, room(E, T[T_.W_JAC]), accel)
        solve_factored(P, room(E, T[T_.W_LOWER]), room(E, T[T_.W_PIVOTS]), residual)
        for k in range(m):
            lam[k] += residual[k]
        add_by_rows(E, residual, room(E, T[T_.W_UDOT]), accel)
    if not finish_rates(E, t, y, lam, dy):
        return math.nan
    if angle > SUSPECT or m == 0:
        return angle
    measures = room(E, T[T_.W_ENERGY] + 2)
    if not (UNCHANGED * measures[0] < angle and UNCHANGED * angle < measures[0]):
        measures[0] = angle
        measures[1] = factor_rows(E, 1.0, 0.0)  # light parts next to heavy ones are no singular position
    return max(angle, measures[1])


@kernel()
def from_bodies(E, t, y, dy):
    """Accelerations by the equations in body coordinates, read along the freedoms of the tree (JC-1, 13.38)."""
    T = tree_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    inner = ints_at(E[engine.INNER])
    nq = I[L.N_COORDINATES]
    first_extra = I[L.N_COLUMNS] - I[L.N_EXTRAS]
    load(E, t, y)
    body = room(E, T[T_.W_CARTESIAN])
    rates = room(E, T[T_.W_RATES])
    to_bodies(E, y, body)
    angle = call_routine(inner[engine.RATES], inner, t, 0.0, body, rates, rates)
    if math.isnan(angle) or math.isnan(call_routine(T[T_.FACTOR], E, t, 1.0, W, W, W)):
        return math.nan
    first = speeds_at(I, T)
    along_tree(E, advanced(rates, nq), advanced(dy, first))
    call_routine(T[T_.JOINT_RATES], E, t, 0.0, y, dy, dy)
    carried = I[L.N_EXTRAS] + I[L.N_TURNS]
    for k in range(carried):
        dy[T[T_.N_POSITIONS] + k] = rates[nq - carried + k]
    at = inner_states_at(I, T) - I[L.N_EXTRAS]
    for k in range(I[L.N_EXTRAS] + I[L.N_STATES] + I[L.N_FORCES] + 1):
        dy[at + k] = rates[nq + first_extra + k]
    return angle


@routine(seconds=8.0)
def tree_rates(E, t, h, y, dy, unused):
    T = tree_at(E)
    W = room(E, 0)
    W[engine.EVALUATIONS] += 1.0
    if T[T_.HOW] == FROM_BODIES:
        angle = from_bodies(E, t, y, dy)
        if W[engine.AT_STEP_END] != 0.0:
            look_at_rows(E, t)
    else:
        angle = articulated(E, t, y, dy)
    note_openings(E)
    return angle


@kernel()
def count_turns(E, y):
    """Turn counters to the angles of the state, each on the turn it is nearest to."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    first = T[T_.N_POSITIONS] + I[L.N_EXTRAS]
    for k in range(I[L.N_TURNS]):
        at = I[L.AT_TURNS] + L.TURN_SIZE * k
        along, across = angle_parts(room(E, T[T_.W_STATE]), I[at], I[at + 1], F, I[at + 2])
        y[first + k] = nearest_turn(math.atan2(across, along), y[first + k])


@kernel()
def project(E, t, y):
    """Move joint coordinates and speeds onto the rows by the smallest step in the mass metric.

    Returns the largest residual that it met, or NaN when it does not converge.
    """
    T = tree_at(E)
    G = constants_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    m = P[L.P_ROWS]
    n_speeds = T[T_.N_SPEEDS]
    extras = I[L.N_EXTRAS]
    first = speeds_at(I, T)
    residual = room(E, T[T_.W_RESIDUAL])
    step = room(E, T[T_.W_STEP])
    accel = room(E, T[T_.W_ACCEL])
    of_ones = 1.0 if T[T_.HOW] == FROM_BODIES else 0.0
    opened = 0.0
    correction = math.inf
    for iteration in range(12):
        load(E, t, y)
        largest = look_at_rows(E, t)
        if not math.isfinite(largest):
            return math.nan
        for k in range(m):
            opened = max(opened, abs(W[T[T_.W_PHI] + k]))
        if iteration == 0 or correction > 1e-4:
            if math.isnan(factor_rows(E, of_ones, 0.0)):
                return math.nan
        if largest < 4e-16 or correction < 1e-12:
            break
        for k in range(m):
            residual[k] = -W[T[T_.W_PHI] + k]
        solve_factored(P, room(E, T[T_.W_LOWER]), room(E, T[T_.W_PIVOTS]), residual)
        for c in range(n_speeds + extras):
            step[c] = 0.0
        add_by_rows(E, residual, step, accel)
        before = correction
        correction = 0.0
        for c in range(n_speeds + extras):
            correction = max(correction, abs(step[c]) / G[T[T_.AT_EXTRA_SCALES] + T[T_.N_POSITIONS] + extras + c])
        if correction > 0.5 or (iteration > 3 and correction > 0.5 * before):
            if largest < 1e-9:
                break  # as good as it gets, close to a singular position
            return math.nan
        call_routine(T[T_.MOVE], E, t, 0.0, y, step, step)
        for x in range(extras):
            y[T[T_.N_POSITIONS] + x] += step[n_speeds + x]
    velocity = room(E, T[T_.W_VELOCITY])
    for _ in range(2):
        load(E, t, y)
        to_bodies(E, y, room(E, T[T_.W_CARTESIAN]))
        for c in range(I[L.N_COLUMNS]):
            velocity[c] = W[T[T_.W_CARTESIAN] + I[L.N_COORDINATES] + c]
        for k in range(m):
            residual[k] = W[T[T_.W_RATE] + k] - row_times(I, P, k, room(E, T[T_.W_JAC]), velocity)
        solve_factored(P, room(E, T[T_.W_LOWER]), room(E, T[T_.W_PIVOTS]), residual)
        for c in range(n_speeds + extras):
            step[c] = 0.0
        add_by_rows(E, residual, step, accel)
        for c in range(n_speeds + extras):
            y[first + c] += step[c]
    return opened


@routine(seconds=5.0)
def tree_settle(E, t, h, y, unused, unused_too):
    """Onto the rows, if asked for; in any case with unit Euler parameters and counted turns. NaN if it does not converge."""
    T = tree_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    if W[engine.AT_STEP_END] != 0.0:
        W[ENERGY_MET] = max(W[ENERGY_MET], W[ENERGY_NOW])
    step = room(E, T[T_.W_STEP])
    for c in range(T[T_.N_SPEEDS]):
        step[c] = 0.0
    call_routine(T[T_.MOVE], E, t, 0.0, y, step, step)  # Euler parameters of length one
    opened = 0.0
    if W[PROJECT] != 0.0:
        if P[L.P_ROWS] > 0:
            opened = project(E, t, y)
        elif I[L.N_TURNS] > 0:
            load(E, t, y)
        if W[engine.AT_STEP_END] != 0.0:
            W[engine.AT_STEP_END] = 0.0
            W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], opened)
    elif I[L.N_TURNS] > 0:
        load(E, t, y)
    if I[L.N_TURNS] > 0:
        count_turns(E, y)
    return opened


@routine()
def tree_norm(E, t, h, y, y1, error):
    """Largest error in units of what is allowed: coordinates against the model's size, speeds against the fastest."""
    T = tree_at(E)
    G = constants_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    F = bare_floats(E[engine.FLOATS])
    size = E[engine.SIZE]
    rtol = W[engine.RTOL]
    atol = W[engine.ATOL]
    positions = T[T_.N_POSITIONS] + I[L.N_EXTRAS]
    first = speeds_at(I, T)
    last = inner_states_at(I, T)
    scales = T[T_.AT_EXTRA_SCALES]
    of = tail(G, scales)
    total = 0.0
    if h != engine.WORKS:
        total = motion_error(y, y1, error, positions, of, first, last - first, tail(of, positions), rtol, atol)
        if I[L.N_STATES] > 0:
            total = with_states(I, F, y, y1, error, last, rtol, atol, total)
        if W[CONTROL_WORK] == 0.0:
            return total
    load(E, t, y1)
    energies = room(E, T[T_.W_ENERGY])
    mechanical_energy(I, F, room(E, T[T_.W_STATE]), energies)
    return with_works(W, y1, error, size - I[L.N_FORCES] - 1, size, energies[0], rtol, total)


@routine()
def tree_record(E, t, h, y, row_at, unused):
    """What the equations in body coordinates keep of this instant."""
    T = tree_at(E)
    inner = ints_at(E[engine.INNER])
    body = room(E, T[T_.W_CARTESIAN])
    load(E, t, y)
    to_bodies(E, y, body)
    return call_routine(inner[engine.RECORD], inner, t, 0.0, body, row_at, row_at)


@routine()
def tree_watch(E, t, h, y, values_at, unused):
    """Values of watched formulas."""
    T = tree_at(E)
    inner = ints_at(E[engine.INNER])
    body = room(E, T[T_.W_CARTESIAN])
    load(E, t, y)
    to_bodies(E, y, body)
    return call_routine(inner[engine.WATCH], inner, t, 0.0, body, values_at, values_at)
