"""Particles with joint variables as unknowns (Attia, section 6): x' = B u along a tree, so that B'M B u' = B'(f - M B' u).

The vector is that of `tree`, which also settles, measures errors and records; accelerations come from the particles. Distances and the
joints of the tree vanish, B'J' = 0 for them; what closes loops stays as rows C = J B.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import bare
from pytrammel.kernels.bodies import body_size, coordinate_rates
from pytrammel.kernels.elimination import eliminate
from pytrammel.kernels.equations.points import (
    ALPHA,
    BETA,
    copy_references,
    distribute_forces,
    read_reactions,
    stabilise,
)
from pytrammel.kernels.equations.points import look_at_rows as look_at_particles
from pytrammel.kernels.equations.tree import FROM_BODIES
from pytrammel.kernels.equations.tree_rows import factor_rows, inner_states_at, look_at_rows, speeds_at, to_bodies
from pytrammel.kernels.equations.tree_rows import load as load_tree
from pytrammel.kernels.jit import call_routine, floats_at, ints_at, kernel, routine, vector
from pytrammel.kernels.particles import (
    AT_BODIES,
    AT_MASS,
    AT_POINTS,
    BODY,
    MOST,
    N_ALL,
    N_FREE,
    W_BODY,
    W_END,
    W_F,
    W_GAMMA,
    W_J,
    W_NU,
    W_OUT,
    W_PHI,
    W_RATES,
    W_STATE,
    dimension,
    load,
    parts,
    rates_at,
    unknowns,
)
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import room, tree_at
from pytrammel.kernels.vectors import cross, to_global

PARTICLES = engine.TABLE_SIZE - 1  # entry of the table: that of the particles


@kernel()
def places(E, I, n, nt, m, vector_size, whole):
    """Where the parts of the room behind the workspace of the particles begin: bodies, their rates, y, B, M B, what B' u gives, matrix."""
    rates = whole + 1
    y = rates + whole + 1
    B = y + vector_size + 1
    MB = B + n * nt
    bias = MB + n * nt
    K = bias + n
    return rates, y, B, MB, bias, K, K + (nt + m) * (nt + m + 1) + 1


@kernel()
def put_arms(EP, E, y):
    """Places and, with what is in the vector of bodies, velocities of the particles from the tree that is loaded."""
    H, G, _, I = parts(EP)
    T = tree_at(E)
    d = dimension(I)
    state = room(E, T[T_.W_STATE])
    first = rates_at(H, I)
    for b in range(I[L.N_BODIES] - 1):
        at = H[AT_BODIES] + BODY * b
        body = L.FIRST_BODY + body_size(I) * (b + 1)
        for i in range(H[at]):
            p = H[at + 1 + i]
            if p >= H[N_FREE]:
                continue
            g = H[AT_POINTS] + d * (MOST * b + i)
            if d == 2:
                ax = state[body + L.COS] * G[g] - state[body + L.SIN] * G[g + 1]
                ay = state[body + L.SIN] * G[g] + state[body + L.COS] * G[g + 1]
                y[2 * p] = state[body + L.X] + ax
                y[2 * p + 1] = state[body + L.Y] + ay
                y[first + 2 * p] = state[body + L.XD] - state[body + L.W] * ay
                y[first + 2 * p + 1] = state[body + L.YD] + state[body + L.W] * ax
            else:
                ax, ay, az = to_global(state, body, G[g], G[g + 1], G[g + 2])
                vx, vy, vz = cross(state[body + L.WG], state[body + L.WG + 1], state[body + L.WG + 2], ax, ay, az)
                y[3 * p] = state[body + L.R] + ax
                y[3 * p + 1] = state[body + L.R + 1] + ay
                y[3 * p + 2] = state[body + L.R + 2] + az
                y[first + 3 * p] = state[body + L.RD] + vx
                y[first + 3 * p + 1] = state[body + L.RD + 1] + vy
                y[first + 3 * p + 2] = state[body + L.RD + 2] + vz


@kernel()
def put_bias(EP, E, accel, out):
    """Accelerations of the particles where bodies accelerate so, with the velocities of the tree that is loaded."""
    H, G, _, I = parts(EP)
    T = tree_at(E)
    d = dimension(I)
    state = room(E, T[T_.W_STATE])
    for c in range(unknowns(H, I)):
        out[c] = 0.0
    for b in range(I[L.N_BODIES] - 1):
        at = H[AT_BODIES] + BODY * b
        body = L.FIRST_BODY + body_size(I) * (b + 1)
        for i in range(H[at]):
            p = H[at + 1 + i]
            if p >= H[N_FREE]:
                continue
            g = H[AT_POINTS] + d * (MOST * b + i)
            if d == 2:
                ax = state[body + L.COS] * G[g] - state[body + L.SIN] * G[g + 1]
                ay = state[body + L.SIN] * G[g] + state[body + L.COS] * G[g + 1]
                w2 = state[body + L.W] * state[body + L.W]
                out[2 * p] = accel[3 * b] - accel[3 * b + 2] * ay - w2 * ax
                out[2 * p + 1] = accel[3 * b + 1] + accel[3 * b + 2] * ax - w2 * ay
            else:
                wx = state[body + L.WG]
                wy = state[body + L.WG + 1]
                wz = state[body + L.WG + 2]
                ax, ay, az = to_global(state, body, G[g], G[g + 1], G[g + 2])
                ex, ey, ez = to_global(state, body, accel[6 * b + 3], accel[6 * b + 4], accel[6 * b + 5])
                tx, ty, tz = cross(ex, ey, ez, ax, ay, az)
                vx, vy, vz = cross(wx, wy, wz, ax, ay, az)
                cx, cy, cz = cross(wx, wy, wz, vx, vy, vz)
                out[3 * p] = accel[6 * b] + tx + cx
                out[3 * p + 1] = accel[6 * b + 1] + ty + cy
                out[3 * p + 2] = accel[6 * b + 2] + tz + cz


@kernel()
def put_columns(EP, E, t, y, unit, particles, B, nt):
    """B, one speed at a time: velocities are linear in the speeds."""
    H, _, _, I = parts(EP)
    T = tree_at(E)
    d = dimension(I)
    n = unknowns(H, I)
    n_speeds = T[T_.N_SPEEDS]
    at = speeds_at(I, T)
    first = rates_at(H, I)
    for c in range(n * nt):
        B[c] = 0.0
    for c in range(E[engine.SIZE]):
        unit[c] = y[c]
    for c in range(n_speeds + I[L.N_EXTRAS]):
        unit[at + c] = 0.0
    for k in range(n_speeds):
        unit[at + k] = 1.0
        load_tree(E, t, bare(unit))
        put_arms(EP, E, particles)
        for c in range(d * H[N_FREE]):
            B[nt * c + k] = particles[first + c]
        unit[at + k] = 0.0
    for e in range(I[L.N_EXTRAS]):
        B[nt * (d * H[N_FREE] + e) + n_speeds + e] = 1.0


@kernel()
def solve_along(EP, B, MB, bias, K, nt, m):
    """[B'MB -C'; C 0] [u'; lam] = [B'(f - M bias); gamma - J bias]; the solution is left at the start of the matrix."""
    H, G, W, I = parts(EP)
    d = dimension(I)
    n = unknowns(H, I)
    size = nt + m
    width = size + 1
    for c in range(size * width):
        K[c] = 0.0
    f = W[H[W_F] :]
    for c in range(n * nt):
        MB[c] = 0.0
    for p in range(H[N_FREE]):
        for other in range(H[N_FREE]):
            mass = G[H[AT_MASS] + H[N_ALL] * p + other]
            if mass != 0.0:
                for k in range(d):
                    f[d * p + k] -= mass * bias[d * other + k]
                    for c in range(nt):
                        MB[nt * (d * p + k) + c] += mass * B[nt * (d * other + k) + c]
    unit = 0.0
    for r in range(nt):
        for i in range(n):
            value = B[nt * i + r]
            if value != 0.0:
                K[r * width + size] += value * f[i]
                for c in range(nt):
                    K[r * width + c] += value * MB[nt * i + c]
        unit = max(unit, abs(K[r * width + r]))
    unit = unit if unit > 0.0 else 1.0
    for r in range(nt):
        for c in range(nt):
            K[r * width + c] /= unit
        K[r * width + size] /= unit
    for r in range(m):
        right = W[H[W_GAMMA] + r]
        for i in range(n):
            entry = W[H[W_J] + n * r + i]
            if entry != 0.0:
                right -= entry * bias[i]
                for c in range(nt):
                    K[(nt + r) * width + c] += entry * B[nt * i + c]
        K[(nt + r) * width + size] = right
        for c in range(nt):
            K[c * width + nt + r] = -K[(nt + r) * width + c]
    eliminate(K, size)
    for r in range(m):
        K[nt + r] *= unit


@kernel()
def fill_tail(EP, E, y, K, nt, m, dy):
    """Rates of all but the joint coordinates and speeds."""
    H, _, W, I = parts(EP)
    T = tree_at(E)
    F = floats_at(EP[engine.FLOATS])
    nq = I[L.N_COORDINATES]
    extras = I[L.N_EXTRAS]
    first = speeds_at(I, T)
    for e in range(extras):
        dy[T[T_.N_POSITIONS] + e] = y[first + T[T_.N_SPEEDS] + e]
    dq = W[H[W_RATES] :]
    coordinate_rates(I, F, W[H[W_STATE] :], W[H[W_BODY] :], W[H[W_BODY] + nq :], dq)
    for k in range(I[L.N_TURNS]):
        dy[T[T_.N_POSITIONS] + extras + k] = dq[nq - I[L.N_TURNS] + k]
    out = W[H[W_OUT] :]
    z = inner_states_at(I, T)
    for k in range(I[L.N_STATES]):
        dy[z + k] = out[L.OUTPUT_SIZE * I[I[L.AT_STATES] + k] + L.STATE_RATE]
    z += I[L.N_STATES]
    at = I[L.AT_FORCES]
    for k in range(I[L.N_FORCES]):
        dy[z + k] = out[L.OUTPUT_SIZE * I[at + 2] + L.POWER]
        at += L.FORCE_SIZE
    power = 0.0
    for r in range(m):
        power += K[nt + r] * W[H[W_NU] + r]
    dy[z + I[L.N_FORCES]] = power


@routine(seconds=12.0)
def points_joint_rates(E, t, h, y_at, dy_at, unused):
    EP = ints_at(E[PARTICLES])
    H, _, W, I = parts(EP)
    T = tree_at(E)
    tree_work = room(E, 0)
    y = vector(y_at, E[engine.SIZE])
    dy = vector(dy_at, E[engine.SIZE])
    n = unknowns(H, I)
    nt = T[T_.N_SPEEDS] + I[L.N_EXTRAS]
    m = ints_at(EP[engine.PATTERN])[L.P_ROWS]
    nq = I[L.N_COORDINATES]
    whole = nq + I[L.N_COLUMNS] + I[L.N_STATES] + I[L.N_FORCES] + 1
    own = W[H[W_END] :]
    at = places(E, I, n, nt, m, max(EP[engine.SIZE], E[engine.SIZE]), whole)
    body = own[:whole]
    particles = own[at[1] : at[2]]
    B = own[at[2] : at[3]]
    bias = own[at[4] : at[5]]
    K = own[at[5] : at[6]]
    tree_work[engine.EVALUATIONS] += 1.0
    # B first: it leaves the tree with other speeds
    put_columns(EP, E, t, y, dy, particles, B, nt)
    load_tree(E, t, bare(y))
    to_bodies(E, bare(y), bare(body))
    put_arms(EP, E, particles)
    extras = I[L.N_EXTRAS]
    for k in range(extras + I[L.N_TURNS]):
        particles[n - extras + k] = body[nq - extras - I[L.N_TURNS] + k]
    copy_references(I, body, particles[n + I[L.N_TURNS] :])
    for k in range(extras + I[L.N_STATES] + I[L.N_FORCES] + 1):
        particles[rates_at(H, I) + n - extras + k] = body[nq + I[L.N_COLUMNS] - extras + k]
    load(EP, t, particles)
    look_at_particles(EP, t)
    if tree_work[engine.AT_STEP_END] != 0.0:
        # without projection this is the first look at the constraints after a step
        tree_work[engine.AT_STEP_END] = 0.0
        for k in range(m):
            tree_work[engine.LARGEST_PHI] = max(tree_work[engine.LARGEST_PHI], abs(W[H[W_PHI] + k]))
    W[ALPHA] = tree_work[ALPHA]
    W[BETA] = tree_work[BETA]
    if W[ALPHA] != 0.0 or W[BETA] != 0.0:
        stabilise(EP, particles)
    if I[L.N_REACTIONS] > 0 and not read_reactions(EP, t):
        return math.nan
    distribute_forces(EP)
    sine = 1.0
    if m > 0:
        look_at_rows(E, t)
        sine = factor_rows(E, 1.0 if T[T_.HOW] == FROM_BODIES else 0.0, 0.0)
    for k in range(T[T_.W_D], T[T_.W_D + 1]):
        tree_work[k] = 0.0  # nothing gives way: what is left is the rate of B times the speeds
    accel = own[at[0] : at[1]]
    call_routine(T[T_.OUTWARD], E, t, 1.0, room(E, T[T_.W_NU]), room(E, T[T_.W_UDOT]), accel)
    put_bias(EP, E, accel, bias)
    solve_along(EP, B, own[at[3] : at[4]], bias, K, nt, m)
    total = 0.0
    for c in range(nt):
        total += K[c]
    if not math.isfinite(total):
        return math.nan
    call_routine(T[T_.JOINT_RATES], E, t, 0.0, y, dy, dy)
    for c in range(nt):
        dy[speeds_at(I, T) + c] = K[c]
    fill_tail(EP, E, y, K, nt, m, dy)
    return sine
