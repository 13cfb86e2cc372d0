"""Motion in relative coordinates after Kamman: y = [unknown coordinates, places on curves, turn counters, rates, inner states, works].

Each body has three 1-2-3 angles (or Euler parameters) against its lower body and three translations in the lower body's joint frame. What
a joint locks is known and has no column; what a driver prescribes is known and has a column behind those of the unknown ones. From the
partial velocities P and the accelerations b that remain without rates of speeds follow, with u unknown and k known,

    A = P'MP,  f = P'(g - M b),  A_uu y_u' - B'lam = f_u - A_uk y_k',  B y_u' = gamma - J b - B_k y_k',  B = J P,

for the rows J of cut joints and of whatever is no joint. All of it is dense. What is kept of an instant is what the equations in body
coordinates say there. The passes over the bodies differ in the plane and in space and are reached by address.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import tail
from pytrammel.kernels.bodies import body_size, load_ground, state_size
from pytrammel.kernels.engine import N_SHARED
from pytrammel.kernels.equations.fewer_norm import motion_error, with_works
from pytrammel.kernels.equations.relative_matrices import (
    assemble,
    independence,
    look_at_rows,
    solve_rates_of_speeds,
    solve_with_rows,
    weigh_columns,
)
from pytrammel.kernels.equations.states import with_states
from pytrammel.kernels.evaluate import row_target, row_times
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
from pytrammel.kernels.links.layout import (
    ANGLES,
    AT_DRIVEN,
    AT_LAWS,
    AT_LINKS,
    AT_POSITIONS,
    AT_SCALES,
    AT_SPEEDS,
    AT_Y,
    COLUMNS,
    DRIVEN_SIZE,
    IS_BALL,
    KIND,
    LINK_SIZE,
    N_COLUMNS,
    N_DRIVEN,
    N_LINKS,
    N_POSITIONS,
    N_SPEEDS,
    N_UNKNOWN,
    PARAMETERS,
    SWEEP,
    TURNED_FAR,
    W_A,
    W_B,
    W_BIAS,
    W_CARTESIAN,
    W_ENERGY,
    W_F,
    W_GAMMA,
    W_JAC,
    W_K,
    W_LAM,
    W_NORMS,
    W_OUT,
    W_P,
    W_PHI,
    W_RATE,
    W_STATE,
    W_STEP,
    W_TARGET,
    W_VELOCITY,
    W_WORK,
    W_X,
    W_Y,
    W_YD,
    numbers_at,
    relative_at,
    workspace_of,
)
from pytrammel.kernels.links.space import times_quaternion
from pytrammel.kernels.mass import mechanical_energy
from pytrammel.kernels.spatial_bodies import angle_parts, nearest_turn, turn_rate

# entries of the workspace after those of all equations
(ALPHA, BETA, PROJECT, CONTROL_WORK, ENERGY_MET, ENERGY_NOW, WORK) = range(N_SHARED, N_SHARED + 7)


@kernel()
def speeds_at(I, R):
    """Where the speeds begin in y."""
    return R[N_POSITIONS] + I[L.N_EXTRAS] + I[L.N_TURNS]


@kernel()
def inner_states_at(I, R):
    """Where the inner states of forces begin in y."""
    return speeds_at(I, R) + R[N_UNKNOWN]


@kernel()
def load(E, t, y):
    """The whole state at (t, y), with partial velocities and remaining accelerations."""
    R = relative_at(E)
    G = numbers_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    F = floats_at(E[engine.FLOATS])
    first = speeds_at(I, R)
    for k in range(R[N_POSITIONS]):
        W[R[W_X] + R[R[AT_POSITIONS] + 2 * k]] = y[k]
    for c in range(R[N_SPEEDS]):
        W[R[W_Y] + R[R[AT_SPEEDS] + c]] = y[first + c]
    target = W[R[W_TARGET] :]
    for k in range(R[N_DRIVEN]):
        at = R[AT_DRIVEN] + DRIVEN_SIZE * k
        sign = G[R[AT_LAWS] + 2 * k]
        row_target(I, F, R[at + 2], t, W[R[W_WORK] :], target)
        W[R[W_X] + R[at]] = sign * (target[0] - G[R[AT_LAWS] + 2 * k + 1])
        W[R[W_Y] + R[at + 1]] = sign * target[1]
        W[R[W_YD] + k] = sign * target[2]
    state = W[R[W_STATE] :]
    state[L.TIME] = t
    n = I[L.N_COLUMNS]
    for x in range(I[L.N_EXTRAS]):
        column = W[R[W_P] + n * (R[N_SPEEDS] + x) :]
        for i in range(n):
            column[i] = 0.0
        column[n - I[L.N_EXTRAS] + x] = 1.0
        W[R[W_BIAS] + n - I[L.N_EXTRAS] + x] = 0.0
    call_routine(R[SWEEP], E, t, 0.0, y, y, y)
    at = L.FIRST_BODY + body_size(I) * I[L.N_BODIES]
    for x in range(I[L.N_EXTRAS]):
        state[at] = y[R[N_POSITIONS] + x]
        state[at + 1] = y[first + R[N_SPEEDS] + x]
        at += L.EXTRA_SIZE
    for k in range(I[L.N_TURNS]):
        state[at + k] = y[R[N_POSITIONS] + I[L.N_EXTRAS] + k]
    at += I[L.N_TURNS]
    for k in range(I[L.N_STATES]):
        state[at + k] = y[inner_states_at(I, R) + k]


@kernel()
def to_bodies(E, y, out):
    """The vector in body coordinates of the state that is loaded."""
    R = relative_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    state = W[R[W_STATE] :]
    per_q = 7 if I[L.IS_SPATIAL] != 0 else 3
    per_v = 6 if I[L.IS_SPATIAL] != 0 else 3
    for b in range(I[L.N_BODIES] - 1):
        at = L.FIRST_BODY + body_size(I) * (b + 1)
        rates = at + (L.RD if I[L.IS_SPATIAL] != 0 else L.XD)
        for i in range(per_q):
            out[per_q * b + i] = state[at + i]
        for i in range(per_v):
            out[nq + per_v * b + i] = state[rates + i]
    carried = I[L.N_EXTRAS] + I[L.N_TURNS]
    for k in range(carried):
        out[nq - carried + k] = y[R[N_POSITIONS] + k]
    at = inner_states_at(I, R) - I[L.N_EXTRAS]
    for k in range(I[L.N_EXTRAS] + I[L.N_STATES] + I[L.N_FORCES] + 1):
        out[nq + n - I[L.N_EXTRAS] + k] = y[at + k]


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, seconds=1.0)
def relative_to_bodies_run(E, t, y, out):
    """The vector in body coordinates that belongs to y; leaves partial velocities in the workspace."""
    load(E, t, y)
    to_bodies(E, y, out)


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, seconds=1.0)
def relative_study_run(E, t, y):
    """Everything at (t, y) into the workspace: A, f, rows along the columns; returns the singularity measure of the rows."""
    load(E, t, y)
    look_at_rows(E, t)
    assemble(E)
    return independence(E)


@kernel(INT_ARRAY, FLOAT_ARRAY, seconds=1.0)
def relative_begin(I, state):
    """Put the ground into a fresh workspace; returns the size of a state."""
    if state.size > 0:
        load_ground(I, state)
    return state_size(I)


@kernel()
def driving_power(E):
    """Power of the rows and of what drives known coordinates: their forces are what their own, eliminated equations lack."""
    R = relative_at(E)
    W = workspace_of(E)
    m = ints_at(E[engine.PATTERN])[L.P_ROWS]
    nu = R[N_UNKNOWN]
    count = R[N_COLUMNS]
    power = 0.0
    for j in range(m):
        power += W[R[W_LAM] + j] * W[R[W_RATE] + j]
    for k in range(R[N_DRIVEN]):
        c = nu + k
        force = -W[R[W_F] + c]
        for d in range(nu):
            force += W[R[W_A] + count * c + d] * W[R[W_STEP] + d]
        for d in range(R[N_DRIVEN]):
            force += W[R[W_A] + count * c + nu + d] * W[R[W_YD] + d]
        for j in range(m):
            force -= W[R[W_B] + count * j + c] * W[R[W_LAM] + j]
        power += force * W[R[W_Y] + R[R[AT_DRIVEN] + DRIVEN_SIZE * k + 1]]
    return power


@kernel()
def fill_rates(E, y, dy):
    """Derivatives of the integrated vector from what is in the workspace."""
    R = relative_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    F = floats_at(E[engine.FLOATS])
    state = W[R[W_STATE] :]
    out = W[R[W_OUT] :]
    first = speeds_at(I, R)
    for k in range(R[N_POSITIONS]):
        c = R[R[AT_POSITIONS] + 2 * k + 1]
        if c >= 0:
            dy[k] = y[first + c]
    for k in range(R[N_LINKS]):
        link = R[AT_LINKS] + LINK_SIZE * k
        if R[link + KIND] == PARAMETERS and R[link + AT_Y] >= 0:
            s = R[link + AT_Y]
            u = first + R[link + COLUMNS]
            a, b, c, d = times_quaternion(
                y[s], y[s + 1], y[s + 2], y[s + 3], 0.0, 0.5 * y[u], 0.5 * y[u + 1], 0.5 * y[u + 2]
            )
            dy[s] = a
            dy[s + 1] = b
            dy[s + 2] = c
            dy[s + 3] = d
    for x in range(I[L.N_EXTRAS]):
        dy[R[N_POSITIONS] + x] = y[first + R[N_SPEEDS] + x]
    turn = R[N_POSITIONS] + I[L.N_EXTRAS]
    for k in range(I[L.N_TURNS]):
        at = I[L.AT_TURNS] + L.TURN_SIZE * k
        dy[turn + k] = turn_rate(state, I[at], I[at + 1], F, I[at + 2])
    for c in range(R[N_UNKNOWN]):
        dy[first + c] = W[R[W_STEP] + c]
    z = inner_states_at(I, R)
    for k in range(I[L.N_STATES]):
        dy[z + k] = out[L.OUTPUT_SIZE * I[I[L.AT_STATES] + k] + L.STATE_RATE]
    z += I[L.N_STATES]
    at = I[L.AT_FORCES]
    for k in range(I[L.N_FORCES]):
        dy[z + k] = out[L.OUTPUT_SIZE * I[at + 2] + L.POWER]
        at += L.FORCE_SIZE
    dy[z + I[L.N_FORCES]] = driving_power(E)


@routine(seconds=8.0)
def relative_rates(E, t, h, y_at, dy_at, unused):
    R = relative_at(E)
    W = workspace_of(E)
    P = ints_at(E[engine.PATTERN])
    y = vector(y_at, E[engine.SIZE])
    dy = vector(dy_at, E[engine.SIZE])
    m = P[L.P_ROWS]
    W[engine.EVALUATIONS] += 1.0
    load(E, t, y)
    look_at_rows(E, t)
    if W[ALPHA] != 0.0 or W[BETA] != 0.0:
        velocities_of_rows(E)
        for k in range(m):
            rate = W[R[W_NORMS] + k] - W[R[W_RATE] + k]
            W[R[W_GAMMA] + k] -= 2.0 * W[ALPHA] * rate + W[BETA] * W[BETA] * W[R[W_PHI] + k]
    angle = independence(E) if m > 0 else 1.0
    assemble(E)
    if not solve_rates_of_speeds(E):
        return math.nan
    fill_rates(E, y, dy)
    if W[engine.AT_STEP_END] != 0.0:
        # without projection this is the first look at the constraints after a step
        W[engine.AT_STEP_END] = 0.0
        for k in range(m):
            W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], abs(W[R[W_PHI] + k]))
    return angle


@kernel()
def velocities_of_rows(E):
    """J v of every row at the state that is loaded, from the speeds of unknown and known coordinates."""
    R = relative_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    P = ints_at(E[engine.PATTERN])
    state = W[R[W_STATE] :]
    v = W[R[W_VELOCITY] :]
    per_v = 6 if I[L.IS_SPATIAL] != 0 else 3
    for b in range(I[L.N_BODIES] - 1):
        rates = L.FIRST_BODY + body_size(I) * (b + 1) + (L.RD if I[L.IS_SPATIAL] != 0 else L.XD)
        for i in range(per_v):
            v[per_v * b + i] = state[rates + i]
    at = L.FIRST_BODY + body_size(I) * I[L.N_BODIES]
    for x in range(I[L.N_EXTRAS]):
        v[I[L.N_COLUMNS] - I[L.N_EXTRAS] + x] = state[at + L.EXTRA_SIZE * x + 1]
    for k in range(P[L.P_ROWS]):
        W[R[W_NORMS] + k] = row_times(I, P, k, W[R[W_JAC] :], v)


@kernel()
def move(E, y):
    """Move the unknown coordinates by the step in the workspace; Euler parameters turn, and keep length one."""
    R = relative_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    step = W[R[W_STEP] :]
    for k in range(R[N_POSITIONS]):
        c = R[R[AT_POSITIONS] + 2 * k + 1]
        if c >= 0:
            y[k] += step[c]
    for k in range(R[N_LINKS]):
        link = R[AT_LINKS] + LINK_SIZE * k
        if R[link + KIND] == PARAMETERS and R[link + AT_Y] >= 0:
            s = R[link + AT_Y]
            u = R[link + COLUMNS]
            a, b, c, d = times_quaternion(
                y[s], y[s + 1], y[s + 2], y[s + 3], 1.0, 0.5 * step[u], 0.5 * step[u + 1], 0.5 * step[u + 2]
            )
            size = 1.0 / math.sqrt(a * a + b * b + c * c + d * d)
            y[s] = a * size
            y[s + 1] = b * size
            y[s + 2] = c * size
            y[s + 3] = d * size
    for x in range(I[L.N_EXTRAS]):
        y[R[N_POSITIONS] + x] += step[R[N_SPEEDS] + x]


@kernel()
def project(E, t, y):
    """Move unknown coordinates and speeds onto the rows by the smallest step in the mass metric.

    Returns the largest residual that it met, or NaN when it does not converge.
    """
    R = relative_at(E)
    G = numbers_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    m = ints_at(E[engine.PATTERN])[L.P_ROWS]
    nu = R[N_UNKNOWN]
    width = nu + m + 1
    right = W[R[W_K] + nu + m :]
    scales = R[AT_SCALES] + R[N_POSITIONS] + I[L.N_EXTRAS]
    first = speeds_at(I, R)
    opened = 0.0
    correction = math.inf
    for iteration in range(12):
        load(E, t, y)
        largest = look_at_rows(E, t)
        if not math.isfinite(largest):
            return math.nan
        for k in range(m):
            opened = max(opened, abs(W[R[W_PHI] + k]))
        if largest < 4e-16 or correction < 1e-12:
            break
        weigh_columns(E)
        for c in range(nu):
            right[width * c] = 0.0
        for k in range(m):
            right[width * (nu + k)] = -W[R[W_PHI] + k]
        if not solve_with_rows(E, W[R[W_LAM] :]):
            return math.nan
        before = correction
        correction = 0.0
        for c in range(nu):
            correction = max(correction, abs(W[R[W_STEP] + c]) / G[scales + c])
        if correction > 0.5 or (iteration > 3 and correction > 0.5 * before):
            if largest < 1e-9:
                break  # as good as it gets, close to a singular position
            return math.nan
        move(E, y)
    weigh_columns(E)
    velocities_of_rows(E)
    for c in range(nu):
        right[width * c] = 0.0
    for k in range(m):
        right[width * (nu + k)] = W[R[W_RATE] + k] - W[R[W_NORMS] + k]
    if not solve_with_rows(E, W[R[W_LAM] :]):
        return math.nan
    for c in range(nu):
        y[first + c] += W[R[W_STEP] + c]
    return opened


@kernel()
def count_turns(E, y):
    """Turn counters to the angles of the state, each on the turn it is nearest to."""
    R = relative_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    F = floats_at(E[engine.FLOATS])
    first = R[N_POSITIONS] + I[L.N_EXTRAS]
    for k in range(I[L.N_TURNS]):
        at = I[L.AT_TURNS] + L.TURN_SIZE * k
        along, across = angle_parts(W[R[W_STATE] :], I[at], I[at + 1], F, I[at + 2])
        y[first + k] = nearest_turn(math.atan2(across, along), y[first + k])


@routine(seconds=5.0)
def relative_settle(E, t, h, y_at, unused, unused_too):
    """Onto the rows, if asked for; with unit Euler parameters and counted turns. Asks for other joint frames before a ball is near a
    singular one of its angles. NaN if it does not converge."""
    R = relative_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    P = ints_at(E[engine.PATTERN])
    y = vector(y_at, E[engine.SIZE])
    at_end = W[engine.AT_STEP_END] != 0.0
    if at_end:
        W[ENERGY_MET] = max(W[ENERGY_MET], W[ENERGY_NOW])
    for c in range(R[N_UNKNOWN]):
        W[R[W_STEP] + c] = 0.0
    move(E, y)
    opened = 0.0
    if W[PROJECT] != 0.0:
        if P[L.P_ROWS] > 0:
            opened = project(E, t, y)
        elif I[L.N_TURNS] > 0:
            load(E, t, y)
        if at_end:
            W[engine.AT_STEP_END] = 0.0
            W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], opened)
    elif I[L.N_TURNS] > 0:
        load(E, t, y)
    if I[L.N_TURNS] > 0:
        count_turns(E, y)
    if at_end:
        for k in range(R[N_LINKS]):
            link = R[AT_LINKS] + LINK_SIZE * k
            if R[link + IS_BALL] != 0 and R[link + KIND] == ANGLES:
                if not abs(math.cos(y[R[link + AT_Y] + 1])) > TURNED_FAR:
                    W[engine.CHANGE] = 1.0
    return opened


@routine()
def relative_norm(E, t, h, y_at, y1_at, error_at):
    """Largest error in units of what is allowed: coordinates against the model's size, speeds against the fastest."""
    R = relative_at(E)
    G = numbers_at(E)
    W = workspace_of(E)
    I = ints_at(E[engine.INTS])
    F = floats_at(E[engine.FLOATS])
    size = E[engine.SIZE]
    y = vector(y_at, size)
    y1 = vector(y1_at, size)
    error = vector(error_at, size)
    rtol = W[engine.RTOL]
    atol = W[engine.ATOL]
    positions = R[N_POSITIONS] + I[L.N_EXTRAS]
    first = speeds_at(I, R)
    last = inner_states_at(I, R)
    scales = R[AT_SCALES]
    of = tail(G, scales)
    total = 0.0
    if h != engine.WORKS:
        total = motion_error(y, y1, error, positions, of, first, last - first, tail(of, positions), rtol, atol)
        if I[L.N_STATES] > 0:
            total = with_states(I, F, y, y1, error, last, rtol, atol, total)
        if W[CONTROL_WORK] == 0.0:
            return total
    load(E, t, y1)
    energies = W[R[W_ENERGY] :]
    mechanical_energy(I, F, W[R[W_STATE] :], energies)
    return with_works(W, y1, error, size - I[L.N_FORCES] - 1, size, energies[0], rtol, total)


@routine()
def relative_record(E, t, h, y_at, row_at, unused):
    """What the equations in body coordinates keep of this instant."""
    R = relative_at(E)
    W = workspace_of(E)
    inner = ints_at(E[engine.INNER])
    y = vector(y_at, E[engine.SIZE])
    body = W[R[W_CARTESIAN] :]
    load(E, t, y)
    to_bodies(E, y, body)
    return call_routine(inner[engine.RECORD], inner, t, 0.0, body, row_at, row_at)


@routine()
def relative_watch(E, t, h, y_at, values_at, unused):
    """Values of watched formulas."""
    R = relative_at(E)
    W = workspace_of(E)
    inner = ints_at(E[engine.INNER])
    y = vector(y_at, E[engine.SIZE])
    body = W[R[W_CARTESIAN] :]
    load(E, t, y)
    to_bodies(E, y, body)
    return call_routine(inner[engine.WATCH], inner, t, 0.0, body, values_at, values_at)
