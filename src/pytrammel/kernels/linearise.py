"""Exact derivatives of the equations of motion by position, velocity and inner states, in one sparse pattern.

With the residual r = M a - g - J'lam (g with inertia and weight) this fills M, C = dr/dv and K = dr/dq in columns of v: small motions,
rotations about a body's own axes. So M x'' + C x' + K x = J' dlam + input describes small motions about any state.

Second derivatives of holonomic rows come from their quadratic term alone: for a velocity u it is D(u, u), so that
D(u, w) = (D(u + w, u + w) - D(u, u) - D(w, w)) / 2; in space, where rotations do not commute, the derivative along u of J w is that plus
1/2 J [u x w]. Tapes give derivatives of laws. What has a geometry of its own is differenced, by itself and over its own columns
(`differences`). What joints carry, as input of a law, is held.
"""

from __future__ import annotations

import math

from pytrammel.kernels import dynamics as D
from pytrammel.kernels import layout as L
from pytrammel.kernels import linear_layout as N
from pytrammel.kernels.bodies import load_ground, load_state, state_size
from pytrammel.kernels.differences import (
    INNER,
    POSITION,
    differentiate,
    differentiate_law,
    run_some,
    sample_force,
    sample_piece,
)  # fmt: skip
from pytrammel.kernels.evaluate import run_elements
from pytrammel.kernels.force_elements._law import INPUT_RATE, INPUT_TIME, load_inputs
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT, INT_ARRAY, call_element, kernel
from pytrammel.kernels.mass import weigh_by_mass
from pytrammel.kernels.schur import factor
from pytrammel.kernels.tape import tape_run

COINCIDENT = 1e-9  # of the model's length: below it a distance has no direction


@kernel()
def set_speed(I, T, column, amount, lin):
    """Velocity along one column of the resting copy of the state."""
    at = T[N.T_AT_COLUMNS] + 3 * column
    state = lin[T[N.RESTING] :]
    if T[at + 1] == L.EXTRA_SIZE:
        state[T[at] + 1] += amount
    else:
        lin[T[N.STEP] + 0] = amount
        call_element(T[N.T_SPEED_UP], I, T[at], lin[T[N.STEP] :], state, state, T[at + 2], state, 0, state)


@kernel()
def stop(T, column, lin):
    """No velocity at all of the body that a column belongs to."""
    at = T[N.T_AT_COLUMNS] + 3 * column
    state = lin[T[N.RESTING] :]
    if T[at + 1] == L.EXTRA_SIZE:
        state[T[at] + 1] = 0.0
    elif T[at + 1] == L.BODY_SIZE:
        for k in range(L.XD, L.BODY_SIZE):
            state[T[at] + k] = 0.0
    else:
        for k in range(L.RD, L.SPACE_BODY_SIZE):
            state[T[at] + k] = 0.0


@kernel()
def quadratic_terms(I, F, T, at, i, j, sign, work, lin, into, where):
    """Quadratic terms of a piece's outputs while it moves along local columns i and j (or i alone), in column scales."""
    columns = T[at + N.PIECE_COLUMNS]
    scales = I[L.AT_COLUMN_SCALES]
    if i >= 0:
        set_speed(I, T, T[columns + i], sign * F[scales + T[columns + i]], lin)
    if j >= 0:
        set_speed(I, T, T[columns + j], sign * F[scales + T[columns + j]], lin)
    run_some(I, F, T, T[at + N.PIECE_RUNS], T[at + N.PIECE_N_RUNS], lin[T[N.RESTING] :], work, lin)
    for o in range(T[at + N.PIECE_OUTPUTS]):
        into[where + o] = lin[T[N.OUT] + L.OUTPUT_SIZE * (T[at + N.PIECE_OUTPUT] + o) + L.QUADRATIC]
    if i >= 0:
        stop(T, T[columns + i], lin)
    if j >= 0:
        stop(T, T[columns + j], lin)


@kernel()
def polarise(I, F, T, at, work, lin):
    """Symmetric second derivatives of a piece's outputs; derivatives of their rows by time beside them."""
    n = T[at + N.PIECE_LOCAL]
    outputs = T[at + N.PIECE_OUTPUTS]
    timed = T[at + N.PIECE_KIND] == N.TIMED
    second = lin[T[N.SECOND] :]
    x = lin[T[N.AHEAD] :]
    for e in range(outputs * n * n):
        second[e] = 0.0
    if timed:
        quadratic_terms(I, F, T, at, -1, -1, 1.0, work, lin, x, 0)
    curved = T[at + N.PIECE_CURVED]
    count = T[at + N.PIECE_N_CURVED]
    for a in range(count):
        i = T[curved + a]
        for b in range(a, count):
            j = T[curved + b]
            other = j if j > i else -1
            quadratic_terms(I, F, T, at, i, other, 1.0, work, lin, x, outputs)
            if timed:
                quadratic_terms(I, F, T, at, i, other, -1.0, work, lin, x, 2 * outputs)
            for o in range(outputs):
                value = x[outputs + o]
                if timed:
                    value = 0.5 * (x[outputs + o] + x[2 * outputs + o]) - x[o]
                    if j == i:
                        lin[T[N.BY_TIME] + o * n + i] = 0.25 * (x[outputs + o] - x[2 * outputs + o])
                second[(o * n + i) * n + j] = value
    scales = I[L.AT_COLUMN_SCALES]
    columns = T[at + N.PIECE_COLUMNS]
    for o in range(outputs):
        for a in range(count):
            i = T[curved + a]
            for b in range(a + 1, count):
                j = T[curved + b]
                value = second[(o * n + i) * n + j] - second[(o * n + i) * n + i] - second[(o * n + j) * n + j]
                value *= 0.5 / (F[scales + T[columns + i]] * F[scales + T[columns + j]])
                second[(o * n + i) * n + j] = value
                second[(o * n + j) * n + i] = value
        for a in range(count):
            i = T[curved + a]
            second[(o * n + i) * n + i] /= F[scales + T[columns + i]] * F[scales + T[columns + i]]
            if timed:
                lin[T[N.BY_TIME] + o * n + i] /= F[scales + T[columns + i]]


@kernel()
def spread_row(T, at, o, jac, n, into):
    """Jacobian row of a piece's output over its local columns."""
    for i in range(n):
        into[i] = 0.0
    entries = T[at + N.PIECE_ENTRIES]
    for e in range(entries):
        i = T[T[at + N.PIECE_MAP] + o * entries + e]
        if i >= 0:
            into[i] += jac[T[at + N.PIECE_ENTRY] + o * entries + e]


@kernel()
def add_brackets(T, at, jac, lin):
    """Rotations of a body do not commute: derivatives along u of J w get 1/2 J [u x w]."""
    n = T[at + N.PIECE_LOCAL]
    columns = T[at + N.PIECE_COLUMNS]
    for o in range(T[at + N.PIECE_OUTPUTS]):
        spread_row(T, at, o, jac, n, lin[T[N.LOCAL] :])
        for w in range(n):
            a = T[N.T_AT_COLUMNS] + 3 * T[columns + w]
            if T[a + 1] != L.SPACE_BODY_SIZE or T[a + 2] < 3:
                continue
            for u in range(n):
                b = T[N.T_AT_COLUMNS] + 3 * T[columns + u]
                if u == w or T[b] != T[a] or T[b + 2] < 3:
                    continue
                sign = 1.0 if (T[a + 2] - T[b + 2]) % 3 == 1 else -1.0
                third = w + 12 - T[b + 2] - 2 * T[a + 2]
                lin[T[N.SECOND] + (o * n + w) * n + u] += 0.5 * sign * lin[T[N.LOCAL] + third]


@kernel()
def difference_rows(I, F, T, at, work, lin):
    """Derivatives of rows that are nobody's gradient (slip) by differences: along u (column) of the component w (row)."""
    n = T[at + N.PIECE_LOCAL]
    entries = T[at + N.PIECE_ENTRIES]
    for e in range(T[at + N.PIECE_OUTPUTS] * n * n):
        lin[T[N.SECOND] + e] = 0.0
    sample_piece(I, F, T, at, work, lin, lin[T[N.MIDDLE] :])
    for u in range(n):
        column = T[T[at + N.PIECE_COLUMNS] + u]
        differentiate(I, F, T, at, -1, POSITION, column, F[I[L.AT_COLUMN_SCALES] + column], work, lin)
        for o in range(T[at + N.PIECE_OUTPUTS]):
            for e in range(entries):
                w = T[T[at + N.PIECE_MAP] + o * entries + e]
                if w >= 0:
                    lin[T[N.SECOND] + (o * n + w) * n + u] += lin[T[N.BEST] + o * entries + e]


@kernel()
def write_rows(I, F, T, at, v, a, asked, work, lin):
    """Derivatives of J v and of J a + quadratic term by position and velocity, beside the Jacobian entries."""
    n = T[at + N.PIECE_LOCAL]
    outputs = T[at + N.PIECE_OUTPUTS]
    entries = T[at + N.PIECE_ENTRIES]
    columns = T[at + N.PIECE_COLUMNS]
    for o in range(outputs):
        for e in range(entries):
            u = T[T[at + N.PIECE_MAP] + o * entries + e]
            if u < 0:
                continue
            rate = 0.0
            along = 0.0
            speed = 0.0
            for w in range(n):
                d = lin[T[N.SECOND] + (o * n + w) * n + u]
                rate += d * v[T[columns + w]]
                along += d * a[T[columns + w]]
                speed += (d + lin[T[N.SECOND] + (o * n + u) * n + w]) * v[T[columns + w]]
            if T[at + N.PIECE_KIND] == N.TIMED:
                rate += lin[T[N.BY_TIME] + o * n + u]
                speed += 2.0 * lin[T[N.BY_TIME] + o * n + u]
            place = T[at + N.PIECE_ENTRY] + o * entries + e
            lin[T[N.RATE_Q] + place] = rate
            lin[T[N.SECOND_Q] + place] = along
            lin[T[N.SECOND_V] + place] = speed
    moving = T[at + N.PIECE_KIND] == N.TIMED
    for w in range(n):
        moving = moving or v[T[columns + w]] != 0.0
    if asked % 2 == 0 or not moving:
        return
    # third derivatives, of the quadratic term by position, by differences
    sample_piece(I, F, T, at, work, lin, lin[T[N.MIDDLE] :])
    for u in range(n):
        column = T[columns + u]
        differentiate(I, F, T, at, -1, POSITION, column, F[I[L.AT_COLUMN_SCALES] + column], work, lin)
        for o in range(outputs):
            for e in range(entries):
                if T[T[at + N.PIECE_MAP] + o * entries + e] == u:
                    lin[T[N.SECOND_Q] + T[at + N.PIECE_ENTRY] + o * entries + e] += lin[
                        T[N.BEST] + outputs * entries + o
                    ]


@kernel()
def quadratic_now(I, F, T, at, work, lin, into, where):
    """Quadratic terms of a piece's outputs while it moves as the resting copy of the state does at the moment."""
    run_some(I, F, T, T[at + N.PIECE_RUNS], T[at + N.PIECE_N_RUNS], lin[T[N.RESTING] :], work, lin)
    for o in range(T[at + N.PIECE_OUTPUTS]):
        into[where + o] = lin[T[N.OUT] + L.OUTPUT_SIZE * (T[at + N.PIECE_OUTPUT] + o) + L.QUADRATIC]


@kernel()
def write_rates_only(I, F, T, at, v, jac, work, lin):
    """Derivatives of J v alone by position, which take n evaluations and not n²: D(v, u) for every local column u."""
    n = T[at + N.PIECE_LOCAL]
    outputs = T[at + N.PIECE_OUTPUTS]
    entries = T[at + N.PIECE_ENTRIES]
    columns = T[at + N.PIECE_COLUMNS]
    x = lin[T[N.AHEAD] :]
    mixed = lin[T[N.SECOND] :]
    for u in range(n):
        quadratic_terms(I, F, T, at, u, -1, 1.0, work, lin, x, 0)
        for o in range(outputs):
            mixed[o * n + u] = x[o]
    for w in range(n):
        set_speed(I, T, T[columns + w], v[T[columns + w]], lin)
    quadratic_now(I, F, T, at, work, lin, x, 0)
    for u in range(n):
        scale = F[I[L.AT_COLUMN_SCALES] + T[columns + u]]
        set_speed(I, T, T[columns + u], scale, lin)
        quadratic_now(I, F, T, at, work, lin, x, outputs)
        set_speed(I, T, T[columns + u], -scale, lin)
        for o in range(outputs):
            mixed[o * n + u] = 0.5 * (x[outputs + o] - x[o] - mixed[o * n + u]) / scale
    for w in range(n):
        stop(T, T[columns + w], lin)
    for o in range(outputs):
        spread_row(T, at, o, jac, n, lin[T[N.LOCAL] :])
        for w in range(n):
            a = T[N.T_AT_COLUMNS] + 3 * T[columns + w]
            if T[a + 1] != L.SPACE_BODY_SIZE or T[a + 2] < 3:
                continue
            for u in range(n):
                b = T[N.T_AT_COLUMNS] + 3 * T[columns + u]
                if u == w or T[b] != T[a] or T[b + 2] < 3:
                    continue
                sign = 1.0 if (T[a + 2] - T[b + 2]) % 3 == 1 else -1.0
                third = w + 12 - T[b + 2] - 2 * T[a + 2]
                mixed[o * n + u] += 0.5 * sign * lin[T[N.LOCAL] + third] * v[T[columns + w]]
        for e in range(entries):
            u = T[T[at + N.PIECE_MAP] + o * entries + e]
            if u >= 0:
                lin[T[N.RATE_Q] + T[at + N.PIECE_ENTRY] + o * entries + e] = mixed[o * n + u]


@kernel()
def add_pieces(I, F, T, v, a, asked, ws, lin):
    """Rows and directions of laws: their second derivatives times what acts along them."""
    work = ws[D.WORK]
    for p in range(T[N.T_PIECES]):
        at = T[N.T_AT_PIECES] + N.PIECE_SIZE * p
        outputs = T[at + N.PIECE_OUTPUTS]
        first = T[at + N.PIECE_OUTPUT]
        wanted = T[at + N.PIECE_FOR_LAWS] != 0
        if asked < N.LAWS_ONLY:
            for o in range(outputs):
                wanted = wanted or lin[T[N.LOADED] + 2 * (first + o) + 1] != 0.0
        if not wanted:
            continue
        if asked >= N.LAWS_ONLY and T[at + N.PIECE_KIND] == N.HOLONOMIC:
            write_rates_only(I, F, T, at, v, ws[D.JAC], work, lin)
            run_some(I, F, T, T[at + N.PIECE_RUNS], T[at + N.PIECE_N_RUNS], lin[T[N.MOVING] :], work, lin)
            continue
        if T[at + N.PIECE_KIND] == N.SLIPPING:
            difference_rows(I, F, T, at, work, lin)
        else:
            polarise(I, F, T, at, work, lin)
            add_brackets(T, at, ws[D.JAC], lin)
        write_rows(I, F, T, at, v, a, asked, work, lin)
        # leave the copies as they were: forces read them
        run_some(I, F, T, T[at + N.PIECE_RUNS], T[at + N.PIECE_N_RUNS], lin[T[N.MOVING] :], work, lin)
        n = T[at + N.PIECE_LOCAL]
        for o in range(outputs):
            load = lin[T[N.LOADED] + 2 * (first + o)]
            if load != 0.0:
                for e in range(n * n):
                    lin[T[N.STIFFNESS] + T[T[at + N.PIECE_PLACES] + e]] -= load * lin[T[N.SECOND] + o * n * n + e]


@kernel()
def add_bodies(I, F, T, a, state, lin):
    """Mass, and what inertia and weight change with."""
    size = 6 if I[L.IS_SPATIAL] != 0 else 3
    block = lin[T[N.BLOCK] :]
    for b in range(I[L.N_BODIES] - 1):
        call_element(T[N.T_SLOPES], I, b, F, state, a, 0, a, 0, block)
        places = T[T[N.T_AT_BODIES] + b]
        for e in range(size * size):
            lin[T[N.MASS] + T[places + e]] += block[e]
            lin[T[N.DAMPING] + T[places + e]] += block[size * size + e]
            lin[T[N.STIFFNESS] + T[places + e]] += block[2 * size * size + e]


@kernel()
def add_law(I, F, T, at, force, asked, ws, lin):
    """A law along a quantity: its direction times its derivatives by its inputs."""
    n = T[at + N.LOAD_LOCAL]
    f = I[L.AT_FORCES] + L.FORCE_SIZE * force
    io = I[f + 1]
    n_inputs = I[io + 2]
    entries = I[io + 4]
    work = ws[D.WORK]
    inputs = lin[T[N.INPUTS] :]
    along = lin[T[N.LOCAL] :]
    by_q = lin[T[N.LOCAL] + n :]
    by_v = lin[T[N.LOCAL] + 2 * n :]
    for i in range(3 * n):
        lin[T[N.LOCAL] + i] = 0.0
    for e in range(entries):
        i = T[T[at + N.LOAD_MAP] + e]
        if i >= 0:
            along[i] += ws[D.JAC][I[io + 3] + e]
    load_inputs(I, io + 5 + entries, n_inputs, ws[D.STATE], ws[D.OUT], ws[D.JAC], work)
    for k in range(n_inputs):
        inputs[k] = work[4 * k]
    called = T[at + N.LOAD_KIND] == N.CALLED_LAW
    record = io + 5 + entries
    for k in range(n_inputs):
        kind = I[record]
        known = T[at + N.LOAD_INPUTS] + N.LAW_INPUT_SIZE * k
        record += 4 + I[record + 3]
        if kind == INPUT_TIME or T[known + 1] == 0:
            continue
        slope = 0.0
        kink = 0
        if called or (asked // N.KINKS) % 2 == 1:
            _, kink = differentiate_law(I, T, io, F, called, inputs, n_inputs, k, F[I[L.AT_COLUMN_SCALES]], work, lin)
            slope = lin[T[N.BEST] + 0]
            if kink != 0:
                note = N.NOTE_SIZE * force + (1 if kind == INPUT_RATE else 0)
                lin[T[N.NOTES] + note] = T[T[known + 2]] + 1.0
        if not called and kink == 0:
            for j in range(n_inputs):
                work[4 * j] = inputs[j]
                work[4 * j + 1] = 1.0 if j == k else 0.0
                work[4 * j + 2] = 0.0
                work[4 * j + 3] = 0.0
            slope = work[tape_run(I, I[io + 1], F, work, 0) + 1]
        for e in range(T[known + 1]):
            i = T[T[known + 2] + e]
            if i < 0:
                continue
            if kind == INPUT_RATE:
                by_q[i] += slope * lin[T[N.RATE_Q] + T[known] + e]
                by_v[i] += slope * ws[D.JAC][T[known] + e]
            else:
                by_q[i] += slope * ws[D.JAC][T[known] + e]
    places = T[at + N.LOAD_PLACES]
    for i in range(n):
        for j in range(n):
            lin[T[N.STIFFNESS] + T[places + i * n + j]] -= along[i] * by_q[j]
            lin[T[N.DAMPING] + T[places + i * n + j]] -= along[i] * by_v[j]


@kernel()
def add_own_geometry(I, F, T, at, force, work, lin):
    """A force with a geometry of its own, by differences over its own columns."""
    n = T[at + N.LOAD_LOCAL]
    entries = I[I[L.AT_FORCES] + L.FORCE_SIZE * force + 4]
    places = T[at + N.LOAD_PLACES]
    scales = I[L.AT_COLUMN_SCALES]
    sample_force(I, F, T, at, force, work, lin, lin[T[N.MIDDLE] :])
    for j in range(n):
        column = T[T[at + N.LOAD_COLUMNS] + j]
        for kind in range(2):
            error, kink = differentiate(I, F, T, at, force, kind, column, F[scales + column], work, lin)
            target = lin[T[N.STIFFNESS] :] if kind == POSITION else lin[T[N.DAMPING] :]
            for e in range(entries):
                i = T[T[at + N.LOAD_MAP] + e]
                if i >= 0:
                    target[T[places + i * n + j]] -= lin[T[N.BEST] + e]
            note = N.NOTE_SIZE * force
            if kink != 0:
                lin[T[N.NOTES] + note + kind] = j + 1.0
            lin[T[N.NOTES] + note + 2 + kind] = max(lin[T[N.NOTES] + note + 2 + kind], error)
            if T[at + N.LOAD_STATE] >= 0:
                rates = lin[T[N.STATE_Q] :] if kind == POSITION else lin[T[N.STATE_V] :]
                rates[T[at + N.LOAD_AT_RATE] + j] = lin[T[N.BEST] + entries]
    if T[at + N.LOAD_STATE] >= 0:
        first = state_size(I) - I[L.N_STATES]
        differentiate(I, F, T, at, force, INNER, first + T[at + N.LOAD_STATE], 1.0, work, lin)
        for e in range(entries):
            lin[T[N.STATE_FORCE] + T[at + N.LOAD_AT_FORCE] + e] = lin[T[N.BEST] + e]
        lin[T[N.STATE_Z] + T[at + N.LOAD_STATE]] = lin[T[N.BEST] + entries]
    sample_force(I, F, T, at, force, work, lin, lin[T[N.MIDDLE] :])  # leave the copies as they were


@kernel()
def by_itself(I, F, T, at, out):
    """Whether a force is differenced as a whole: it has its own geometry, or the distance it acts along is nil and has no direction."""
    kind = T[at + N.LOAD_KIND]
    if kind == N.OWN_GEOMETRY:
        return True
    near = T[at + N.LOAD_NEAR]
    return near >= 0 and out[L.OUTPUT_SIZE * near] <= COINCIDENT * F[I[L.AT_COLUMN_SCALES]]


@kernel()
def prepare_copies(I, F, P, T, lam, ws, lin):
    """What acts along each output (2 numbers per output: the load, and 1 if a row is active), and copies of state and outputs."""
    for o in range(I[L.N_OUTPUTS]):
        lin[T[N.LOADED] + 2 * o] = 0.0
        lin[T[N.LOADED] + 2 * o + 1] = 0.0
    for k in range(P[L.P_ROWS]):
        o = I[I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]]
        lin[T[N.LOADED] + 2 * o] += lam[k]
        lin[T[N.LOADED] + 2 * o + 1] = 1.0
    for force in range(I[L.N_FORCES]):
        at = T[N.T_AT_FORCES] + N.LOAD_SIZE * force
        kind = T[at + N.LOAD_KIND]
        if (kind == N.TAPE_LAW or kind == N.CALLED_LAW) and not by_itself(I, F, T, at, ws[D.OUT]):
            value = ws[D.OUT][L.OUTPUT_SIZE * I[I[L.AT_FORCES] + L.FORCE_SIZE * force + 2] + L.FORCE]
            lin[T[N.LOADED] + 2 * T[at + N.LOAD_ALONG]] += value
    for k in range(ws[D.OUT].size):
        lin[T[N.OUT] + k] = ws[D.OUT][k]
    for k in range(ws[D.JAC].size):
        lin[T[N.JAC] + k] = ws[D.JAC][k]
    for k in range(ws[D.STATE].size):
        lin[T[N.MOVING] + k] = ws[D.STATE][k]
        lin[T[N.RESTING] + k] = ws[D.STATE][k]
    for c in range(I[L.N_COLUMNS]):
        stop(T, c, lin)


@kernel()
def linearise(I, F, P, T, t, q, v, z, a, lam, asked, ws, lin):
    """Fill the results of the workspace `lin` at a state with its accelerations and multipliers (elimination order).

    asked: a sum of `linear_layout.ACCELERATION_ROWS`, `KINKS` and `LAWS_ONLY`.
    """
    load_state(I, t, q, v, ws[D.STATE])
    D.load_inner_states(I, z, ws[D.STATE])
    run_elements(I, F, ws[D.STATE], ws[D.OUT], ws[D.JAC], ws[D.WORK])
    if I[L.N_REACTIONS] > 0:
        weigh_by_mass(I, F, P, ws[D.STATE], ws[D.JAC], ws[D.WEIGHTED])
        factor(P, ws[D.JAC], ws[D.WEIGHTED], 0.0, ws[D.Y], ws[D.LOWER], ws[D.PIVOTS])
        D.read_loads(I, F, P, 0, lam, ws)
    D.run_forces(I, F, ws[D.STATE], ws[D.OUT], ws[D.JAC], ws[D.WORK], ws[D.FORCES])
    for k in range(T[N.MASS], T[N.RESTING]):
        lin[k] = 0.0
    prepare_copies(I, F, P, T, lam, ws, lin)
    add_bodies(I, F, T, a, ws[D.STATE], lin)
    add_pieces(I, F, T, v, a, asked, ws, lin)
    for force in range(I[L.N_FORCES]):
        at = T[N.T_AT_FORCES] + N.LOAD_SIZE * force
        if T[at + N.LOAD_KIND] == N.NO_LOAD:
            continue
        if by_itself(I, F, T, at, ws[D.OUT]):
            add_own_geometry(I, F, T, at, force, ws[D.WORK], lin)
        else:
            add_law(I, F, T, at, force, asked, ws, lin)
    total = 0.0
    for k in range(T[N.T_PLACES]):
        total += lin[T[N.STIFFNESS] + k] + lin[T[N.DAMPING] + k]
    return L.OK if math.isfinite(total) else L.NOT_FINITE


@kernel(
    INT_ARRAY, FLOAT_ARRAY, INT_ARRAY, INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, INT,
    FLOAT_ARRAY, FLOAT_ARRAY,
    seconds=25.0,
)  # fmt: skip
def linearise_run(I, F, P, T, t, q, v, z, a, lam, asked, lin, jac):
    """One linearisation, asked from Python: results in the workspace lin, Jacobian entries in jac."""
    ws = D.workspace(I, P)
    load_ground(I, ws[D.STATE])
    status = linearise(I, F, P, T, t, q, v, z, a, lam, asked, ws, lin)
    for k in range(jac.size):
        jac[k] = ws[D.JAC][k]
    return status
