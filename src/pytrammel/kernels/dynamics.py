"""Accelerations and multipliers of a constrained system at one state, and projection onto its constraints.

M a - J' lam = g, J a = gamma. With S = J M^-1 J' (`schur`): S lam = gamma - J M^-1 g, a = M^-1 (g + J' lam). The residual of
the true equations is formed anew and corrected for, so that massless coordinates (curve parameters, massless bodies), which
carry an artificial mass in S only, come out right.
"""

from __future__ import annotations

import math

import numpy as np

from pytrammel.kernels import layout as L
from pytrammel.kernels.agreement import AGREED, GO_ON, NONE_AGREE
from pytrammel.kernels.bare import advanced, bare, tail
from pytrammel.kernels.bodies import load_state, move, settle, state_size
from pytrammel.kernels.evaluate import row_residuals, row_times, run_elements
from pytrammel.kernels.formulations import dense_size
from pytrammel.kernels.jit import call_apart, call_element, kernel
from pytrammel.kernels.joint_loads import loads_size
from pytrammel.kernels.mass import apply_inverse_mass, apply_mass, inertia_forces, mechanical_energy, weigh_by_mass
from pytrammel.kernels.schur import add_transposed, factor, solve_factored, weigh

# workspace: a tuple of float arrays, in this order
STATE, OUT, JAC, WEIGHTED, WORK, Y, LOWER, PIVOTS, PHI, NU, GAMMA, RESIDUAL, FORCES, ACCEL, STEP, ENERGY, KKT, LOADS = (
    range(18)
)

REFINEMENTS = 12
PATIENCE = 60  # passes while each takes away at least that share of the error
SHRINKS = 0.6
BALANCED = 1e-14  # share of the forces at work that the balance may lack, and share of its terms that a row may
ROUNDED = 1e-15  # the same where no further pass can better it
SUSPECT = 0.1  # measure in the mass metric below which the geometry is looked at by itself
UNCHANGED = 0.8  # share by which the measure must change before the geometry is looked at again
ALREADY_THERE = 1e-15  # of the scales: a correction of positions that would be lost in their rounding
ILL_CONDITIONED = 0.02  # singularity measure below which one correction does not do
WELL_CONDITIONED = 0.25  # singularity measure above which one solution is as good as a refined one


@kernel()
def workspace_places(I, P, at):
    """Where each array of the workspace begins in a buffer, and where the last ends."""
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    out = at + state_size(I)
    jac = out + L.OUTPUT_SIZE * I[L.N_OUTPUTS] + 1
    weighted = jac + I[L.N_JACOBIAN] + 1
    work = weighted + I[L.N_JACOBIAN] + 1
    y = work + I[L.N_WORK]
    lower = y + m
    pivots = lower + P[L.P_L_SIZE]
    forces = pivots + 5 * m  # and phi, nu, gamma, residual
    step = forces + 2 * n
    energy = step + max(n, 3)
    kkt = energy + 4  # energies, then the last two singularity measures
    loads = kkt + dense_size(I, P)
    return (
        at, out, jac, weighted, work, y, lower, pivots, pivots + m, pivots + 2 * m, pivots + 3 * m, pivots + 4 * m, forces,
        forces + n, step, energy, kkt, loads, loads + loads_size(I, P),
    )  # fmt: skip


@kernel(spread=True)
def workspace_in(I, P, W, at):
    """Everything that changes during a run, as parts of a buffer."""
    p = workspace_places(I, P, at)
    return (
        W[p[0] : p[1]], W[p[1] : p[2]], W[p[2] : p[3]], W[p[3] : p[4]], W[p[4] : p[5]], W[p[5] : p[6]], W[p[6] : p[7]],
        W[p[7] : p[8]], W[p[8] : p[9]], W[p[9] : p[10]], W[p[10] : p[11]], W[p[11] : p[12]], W[p[12] : p[13]],
        W[p[13] : p[14]], W[p[14] : p[15]], W[p[15] : p[16]], W[p[16] : p[17]], W[p[17] : p[18]],
    )  # fmt: skip


@kernel(spread=True)
def bare_workspace(I, P, W, at):
    """The same as bare pointers."""
    p = workspace_places(I, P, at)
    w = bare(W)
    return (
        advanced(w, p[0]), advanced(w, p[1]), advanced(w, p[2]), advanced(w, p[3]), advanced(w, p[4]), advanced(w, p[5]),
        advanced(w, p[6]), advanced(w, p[7]), advanced(w, p[8]), advanced(w, p[9]), advanced(w, p[10]), advanced(w, p[11]),
        advanced(w, p[12]), advanced(w, p[13]), advanced(w, p[14]), advanced(w, p[15]), advanced(w, p[16]), advanced(w, p[17]),
    )  # fmt: skip


@kernel(spread=True)
def workspace(I, P):
    """Everything that changes during a run, allocated once."""
    return workspace_in(I, P, np.zeros(workspace_places(I, P, 0)[18]), 0)


@kernel()
def load_inner_states(I, z, state):
    at = state_size(I) - I[L.N_STATES]
    for k in range(I[L.N_STATES]):
        state[at + k] = z[k]


@kernel()
def run_forces(I, F, state, out, jac, work, g):
    """Add all force elements to the force vector."""
    at = I[L.AT_FORCES]
    for _ in range(I[L.N_FORCES]):
        call_element(I[at], I, I[at + 1], F, state, out, I[at + 2], jac, I[at + 3], work)
        for e in range(I[at + 4]):
            column = I[I[at + 5] + e]
            if column >= 0:
                g[column] += jac[I[at + 3] + e]
        at += L.FORCE_SIZE


@kernel()
def force_balance(I, F, P, a, lam, ws):
    """g + J' lam - M a with true masses, left in the workspace; returns its size against the forces at work."""
    n = I[L.N_COLUMNS]
    balance = ws[ACCEL]
    apply_mass(I, F, ws[STATE], a, balance)
    size = 1e-300
    for c in range(n):
        scale = F[I[L.AT_COLUMN_SCALES] + c]
        size = max(size, scale * max(abs(ws[FORCES][c]), abs(balance[c])))
        balance[c] = ws[FORCES][c] - balance[c]
    for k in range(P[L.P_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                balance[column] += ws[JAC][I[at + 1] + e] * lam[k]
                size = max(size, F[I[L.AT_COLUMN_SCALES] + column] * abs(ws[JAC][I[at + 1] + e] * lam[k]))
    left = 0.0
    for c in range(n):
        left = max(left, F[I[L.AT_COLUMN_SCALES] + c] * abs(balance[c]))
    return left / size


@kernel()
def refine(I, F, P, passes, a, lam, ws):
    """Correct a solution with the residual of the true equations; True when it has settled."""
    m = P[L.P_ROWS]
    n = I[L.N_COLUMNS]
    residual = ws[RESIDUAL]
    step = ws[STEP]
    before = math.inf
    unbalanced = math.inf
    settled = I[L.HAS_MASSLESS] == 0
    for number in range(passes if settled else PATIENCE):
        left = 0.0
        if I[L.HAS_MASSLESS] != 0:
            left = force_balance(I, F, P, a, lam, ws)
            if number >= passes and not left < SHRINKS * unbalanced:
                return settled
            unbalanced = left
            apply_inverse_mass(I, F, ws[STATE], ws[ACCEL], step)
        else:
            for c in range(n):
                step[c] = 0.0
        off = 0.0
        size = 1e-300
        for k in range(m):
            along = row_times(I, P, k, ws[JAC], a)
            residual[k] = ws[GAMMA][k] - along
            if I[L.HAS_MASSLESS] != 0:
                residual[k] -= row_times(I, P, k, ws[JAC], step)
            off = max(off, abs(ws[GAMMA][k] - along))
            size = max(size, abs(ws[GAMMA][k]) + abs(along))
        if I[L.HAS_MASSLESS] != 0 and left <= BALANCED:
            if off <= BALANCED * size:
                return True
            # both sides of every row vanish where bodies fall together, and its terms in balance: accelerations by forces alone remain
            size = max(size, largest_term(I, P, ws[JAC], a))
            size = max(size, largest_term(I, P, ws[WEIGHTED], ws[FORCES]))
            settled = off <= BALANCED * size
            if left <= ROUNDED and off <= ROUNDED * size:
                return True
        solve_factored(P, ws[LOWER], ws[PIVOTS], residual)
        add_transposed(I, P, ws[WEIGHTED], residual, step)
        change = 0.0
        for k in range(m):
            lam[k] += residual[k]
            change = max(change, abs(residual[k]))
        for c in range(n):
            a[c] += step[c]
        if off <= 2e-16 * size and I[L.HAS_MASSLESS] == 0:
            return True
        if not change < 0.5 * before and I[L.HAS_MASSLESS] == 0:
            return True
        before = change
    return settled


@kernel()
def largest_term(I, P, entries, factors):
    """Largest product of a row's entry and its factor: an acceleration, or a force if the entries are weighted."""
    largest = 0.0
    for k in range(P[L.P_ROWS]):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                largest = max(largest, abs(entries[I[at + 1] + e] * factors[column]))
    return largest


@kernel()
def correct_by_directions(I, F, P, a, lam, ws):
    """Correct a solution that refinement has not settled; True when it balances."""
    given = (
        I, F, P, ws[STATE], ws[JAC], ws[WEIGHTED], ws[LOWER], ws[PIVOTS], ws[FORCES], ws[GAMMA], ws[KKT], ws[RESIDUAL], a, lam
    )  # fmt: skip
    return call_apart(I[L.BY_DIRECTIONS], given) > 0.0


@kernel()
def solve_accelerations(I, F, P, angle, a, lam, ws):
    """From forces in the workspace to accelerations and multipliers (factors ready)."""
    m = P[L.P_ROWS]
    g = ws[FORCES]
    residual = ws[RESIDUAL]
    if I[L.FORMULATION] != 0:
        call_apart(
            I[L.IN_PARAMETERS],
            (I, F, P, ws[STATE], ws[JAC], g, ws[GAMMA], ws[KKT], ws[STEP], ws[ACCEL], a, lam),
        )
        return
    apply_inverse_mass(I, F, ws[STATE], g, a)
    for k in range(m):
        residual[k] = ws[GAMMA][k] - row_times(I, P, k, ws[JAC], a)
    solve_factored(P, ws[LOWER], ws[PIVOTS], residual)
    for k in range(m):
        lam[k] = residual[k]
    add_transposed(I, P, ws[WEIGHTED], lam, a)
    # the factorised matrix has the squared condition of the Jacobian: correct for that when it matters
    if I[L.HAS_MASSLESS] != 0:
        if not refine(I, F, P, REFINEMENTS, a, lam, ws) and not correct_by_directions(I, F, P, a, lam, ws):
            call_apart(
                I[L.DENSELY],
                (I, F, P, ws[STATE], ws[JAC], g, ws[GAMMA], ws[KKT], ws[STEP], ws[ACCEL], a, lam),
            )
    elif angle <= WELL_CONDITIONED:
        refine(I, F, P, 1 if angle > ILL_CONDITIONED else 3, a, lam, ws)


@kernel()
def geometric_angle(I, F, P, ws):
    """Singularity measure of the constraints alone: light parts next to heavy ones are no singular position."""
    for c in range(I[L.N_COLUMNS]):
        scale = F[I[L.AT_COLUMN_SCALES] + c]
        ws[STEP][c] = scale * scale
    weigh(I, P, ws[JAC], ws[STEP], ws[WEIGHTED])
    return factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])


@kernel()
def read_loads(I, F, P, passed, lam, ws):
    """Loads of joints by the multipliers, for the next of so many passes; returns a verdict. Needs the factors in the workspace."""
    if I[L.N_REACTIONS] == 0:
        return AGREED
    return call_apart(
        I[L.READ_LOADS],
        (I, F, P, passed, ws[STATE], ws[JAC], ws[WEIGHTED], ws[LOWER], ws[PIVOTS], lam, ws[OUT], ws[LOADS]),
    )


@kernel()
def accelerations(I, F, P, t, q, v, z, alpha, beta, a, lam, ws):
    """Accelerations and multipliers at (t, q, v). Returns the singularity measure, or NaN if something is not a number.

    alpha, beta: Baumgarte's constants; 0 leaves the equations as they are.
    """
    angle = solved_motion(I, F, P, t, q, v, z, alpha, beta, a, lam, ws)
    if angle > SUSPECT or math.isnan(angle):
        return angle
    measures = tail(ws[ENERGY], 2)
    if not is_known(angle, measures):
        measures[0] = angle
        measures[1] = geometric_angle(I, F, P, ws)
    return max(angle, measures[1])


@kernel()
def is_known(angle, measures):
    """Whether the geometry was looked at where the measure in the mass metric was about the same."""
    return UNCHANGED * measures[0] < angle and UNCHANGED * angle < measures[0]


@kernel()
def solved_motion(I, F, P, t, q, v, z, alpha, beta, a, lam, ws):
    """The same, with the singularity measure in the mass metric."""
    load_state(I, t, q, v, ws[STATE])
    load_inner_states(I, z, ws[STATE])
    run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
    row_residuals(I, F, P, t, ws[OUT], ws[WORK], ws[STEP], ws[PHI], ws[NU], ws[GAMMA])
    if alpha != 0.0 or beta != 0.0:
        for k in range(P[L.P_ROWS]):
            rate = row_times(I, P, k, ws[JAC], v) - ws[NU][k]
            ws[GAMMA][k] -= 2.0 * alpha * rate + beta * beta * ws[PHI][k]
    weigh_by_mass(I, F, P, ws[STATE], ws[JAC], ws[WEIGHTED])
    angle = factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
    inertia_forces(I, F, ws[STATE], ws[FORCES])
    run_forces(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK], ws[FORCES])
    solve_accelerations(I, F, P, angle, a, lam, ws)
    if I[L.N_REACTIONS] > 0:
        passed = 0
        verdict = read_loads(I, F, P, passed, lam, ws)
        while verdict == GO_ON:
            inertia_forces(I, F, ws[STATE], ws[FORCES])
            run_forces(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK], ws[FORCES])
            solve_accelerations(I, F, P, angle, a, lam, ws)
            passed += 1
            verdict = read_loads(I, F, P, passed, lam, ws)
        if verdict == NONE_AGREE:
            return math.nan
    total = 0.0
    for c in range(I[L.N_COLUMNS]):
        total += a[c]
    if not math.isfinite(total):
        return math.nan
    return angle


@kernel()
def project(I, F, P, t, q, v, z, ws):
    """Move q and v onto the constraints by the smallest step in the mass metric.

    Returns the largest residual that it met, or NaN when it does not converge.
    """
    m = P[L.P_ROWS]
    n = I[L.N_COLUMNS]
    opened = 0.0
    if m == 0:
        load_state(I, t, q, v, ws[STATE])
        settle(I, F, ws[STATE], q)
        return opened
    step = ws[STEP]
    correction = math.inf
    last = math.inf
    for iteration in range(12):
        load_state(I, t, q, v, ws[STATE])
        run_elements(I, F, ws[STATE], ws[OUT], ws[JAC], ws[WORK])
        largest = row_residuals(I, F, P, t, ws[OUT], ws[WORK], step, ws[PHI], ws[NU], ws[GAMMA])
        if not math.isfinite(largest):
            return math.nan
        for k in range(m):
            opened = max(opened, abs(ws[PHI][k]))
        weigh_by_mass(I, F, P, ws[STATE], ws[JAC], ws[WEIGHTED])
        if iteration == 0 or correction > 1e-4:
            factor(P, ws[JAC], ws[WEIGHTED], 0.0, ws[Y], ws[LOWER], ws[PIVOTS])
        # the next correction would be to the last as residuals are
        if largest < 4e-16 or correction < 1e-12 or correction * largest < ALREADY_THERE * last:
            break
        last = largest
        for k in range(m):
            ws[RESIDUAL][k] = -ws[PHI][k]
        solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
        for c in range(n):
            step[c] = 0.0
        add_transposed(I, P, ws[WEIGHTED], ws[RESIDUAL], step)
        before = correction
        correction = 0.0
        for c in range(n):
            correction = max(correction, abs(step[c]) / F[I[L.AT_COLUMN_SCALES] + c])
        if correction > 0.5 or (iteration > 3 and correction > 0.5 * before):
            if largest < 1e-9:
                break  # as good as it gets, close to a singular position
            return math.nan
        move(I, q, step, q)
    settle(I, F, ws[STATE], q)
    for _ in range(2):
        for k in range(m):
            ws[RESIDUAL][k] = ws[NU][k] - row_times(I, P, k, ws[JAC], v)
        solve_factored(P, ws[LOWER], ws[PIVOTS], ws[RESIDUAL])
        add_transposed(I, P, ws[WEIGHTED], ws[RESIDUAL], v)
    return opened


@kernel()
def write_outputs(I, F, outputs, energies, ws):
    """Value and power of every force element, and the energies, at the state in the workspace."""
    at = I[L.AT_FORCES]
    for c in range(I[L.N_FORCES]):
        o = L.OUTPUT_SIZE * I[at + 2]
        outputs[2 * c] = ws[OUT][o + L.FORCE]
        outputs[2 * c + 1] = ws[OUT][o + L.POWER]
        at += L.FORCE_SIZE
    mechanical_energy(I, F, ws[STATE], ws[ENERGY])
    energies[0] = ws[ENERGY][0]
    energies[1] = ws[ENERGY][1]
