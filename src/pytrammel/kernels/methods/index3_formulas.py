"""Formulas of the methods on index 3 (`index3`): velocities and accelerations at the end of a step from the positions there.

Generalised alpha goes on with accelerations of t + (alpha_m - alpha_f) h, which change with the step: where it changes, they are made anew
from the true ones here and a step before, which keeps the order. (Scaled ones would grow: their recursion is damped for equal steps only.)
Their jumps over a step and the one before tell the errors of positions and velocities. Where the error is controlled, velocities and
accelerations go on from where all rows hold: what the formula leaves across them swings from step to step, the more the shorter they are.
"""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels.bare import tail
from pytrammel.kernels.engine import N_METHOD, OWN
from pytrammel.kernels.equations.steps import BALANCE, FIRST, ONTO, N, difference, move
from pytrammel.kernels.jit import call_routine, kernel

# the method's integers: past states of BDF (0: generalised alpha), whether rows hold for velocities too, starter, and where things are
(
    PAST, VELOCITY_ROWS, STAGES, AT_TABLEAU, AT_STARTER, AT_K, AT_TIMES, AT_WEIGHTS, AT_PAST, AT_Y0, AT_F0, AT_Y1, AT_F1, AT_BEFORE,
    AT_ACCEL, AT_TRUE, AT_LAM, AT_NEW, AT_SHIFTED, AT_JUMP, AT_TRUE_BEFORE, AT_SCRATCH,
) = range(OWN, OWN + 22)  # fmt: skip
# the method's numbers: lengths of this step and the one before, past states known, whether the last step was one of the starter, c1 of
# the factors at hand (0: none), the equation that Newton's method left worst (column, or columns + row; -1: none), the error of the last
# attempt; alpha's numbers
(
    LENGTH, PREVIOUS, COUNT, STARTING, HELD, WORST, ERROR, ALPHA_M, ALPHA_F, BETA, GAMMA, FREE,
) = range(N_METHOD, N_METHOD + 12)  # fmt: skip

SAME = 1e-7  # relative difference of steps that count as equal: the clock rounds
WORTHWHILE = 1.25  # a longer step that is worth a matrix
LONGEST = 2.0  # share of the step before


@kernel(spread=True)
def part(S, at):
    return tail(S, at)


@kernel()
def step_coefficients(E, S, t, h):
    """c1 and c2; for BDF also the weights of the new and the past states in a derivative at the end of the step."""
    past = E[PAST]
    if past == 0:
        c2 = (1.0 - S[ALPHA_M]) / ((1.0 - S[ALPHA_F]) * S[BETA] * h * h)
        return S[GAMMA] / (S[BETA] * h), c2
    times = part(S, E[AT_TIMES])
    weights = part(S, E[AT_WEIGHTS])
    weights[0] = 0.0
    for j in range(past):
        away = t + h - times[j]
        weights[0] += 1.0 / away
        weights[j + 1] = -1.0 / away
        for m in range(past):
            if m != j:
                weights[j + 1] *= (t + h - times[m]) / (times[j] - times[m])
    return weights[0], weights[0] * weights[0]


@kernel()
def velocities_of(E, M, S, h, q, v, x):
    """Velocities that the formula gives to positions; x: scratch."""
    n = M[N]
    nq = M[FIRST]
    size = E[engine.SIZE]
    if E[PAST] == 0:
        difference(M, q, part(S, E[AT_PAST]), x)
        for c in range(n):
            v0 = S[E[AT_PAST] + nq + c]
            a0 = S[E[AT_SHIFTED] + c]
            new = (x[c] / h - v0) / h - (0.5 - S[BETA]) * a0
            v[c] = v0 + h * ((1.0 - S[GAMMA]) * a0 + S[GAMMA] / S[BETA] * new)
        return
    for c in range(n):
        v[c] = 0.0
    for j in range(E[PAST]):
        difference(M, part(S, E[AT_PAST] + j * size), q, x)
        for c in range(n):
            v[c] += S[E[AT_WEIGHTS] + j + 1] * x[c]


@kernel()
def accelerations_of(E, M, S, h, v, a):
    """Accelerations at the end of the step; for generalised alpha also the ones that it goes on with."""
    n = M[N]
    nq = M[FIRST]
    size = E[engine.SIZE]
    if E[PAST] == 0:
        for c in range(n):
            a0 = S[E[AT_SHIFTED] + c]
            new = ((v[c] - S[E[AT_PAST] + nq + c]) / h - (1.0 - S[GAMMA]) * a0) / S[GAMMA]
            S[E[AT_NEW] + c] = new
            a[c] = ((1.0 - S[ALPHA_M]) * new + S[ALPHA_M] * a0 - S[ALPHA_F] * S[E[AT_TRUE] + c]) / (1.0 - S[ALPHA_F])
        return
    for c in range(n):
        a[c] = S[E[AT_WEIGHTS]] * v[c]
        for j in range(E[PAST]):
            a[c] += S[E[AT_WEIGHTS] + j + 1] * S[E[AT_PAST] + j * size + nq + c]


@kernel()
def shift(E, M, S, h):
    """The accelerations that generalised alpha begins a step of length h with."""
    same = not abs(h - S[PREVIOUS]) > SAME * h
    slope = (S[ALPHA_M] - S[ALPHA_F]) * h / S[PREVIOUS] if S[PREVIOUS] > 0.0 else 0.0
    for c in range(M[N]):
        true = S[E[AT_TRUE] + c]
        S[E[AT_SHIFTED] + c] = S[E[AT_ACCEL] + c] if same else true + slope * (true - S[E[AT_TRUE_BEFORE] + c])


@kernel()
def go_on_with(E, M, S, true):
    """The accelerations that generalised alpha goes on with, from the true ones at the end of a step."""
    for c in range(M[N]):
        ends = (1.0 - S[ALPHA_F]) * true[c] + S[ALPHA_F] * S[E[AT_TRUE] + c]
        S[E[AT_NEW] + c] = (ends - S[ALPHA_M] * S[E[AT_SHIFTED] + c]) / (1.0 - S[ALPHA_M])


@kernel()
def error_norm(E, M, S, t, h, y, y1):
    """Size of the error of a step of generalised alpha, from the jumps of its accelerations over this step and the one before."""
    error = part(S, E[AT_SCRATCH])
    jump = part(S, E[AT_SCRATCH] + E[engine.SIZE])
    nq = M[FIRST]
    n = M[N]
    ahead = S[ALPHA_M] - S[ALPHA_F]
    of_position = (S[BETA] + 0.5 * ahead - 1.0 / 6.0) * h * h
    of_velocity = (1.0 / 12.0 + ahead * (S[ALPHA_M] - 0.5) - ahead * ahead) * h
    for c in range(E[engine.SIZE]):
        error[c] = 0.0
    for c in range(n):
        jump[c] = of_position * (S[E[AT_NEW] + c] - S[E[AT_SHIFTED] + c])
    moved_rates(M, y1, jump, error)
    if S[PREVIOUS] > 0.0:
        share = of_velocity * 2.0 * h / (h + S[PREVIOUS])
        for c in range(n):
            before = h / S[PREVIOUS] * S[E[AT_JUMP] + c]
            error[nq + c] = share * (S[E[AT_NEW] + c] - S[E[AT_SHIFTED] + c] - before)
    return call_routine(E[engine.NORM], E, t + h, h, y, y1, error)


@kernel()
def moved_rates(M, y, step, out):
    """What a small step changes of the coordinates y, left in out."""
    nq = M[FIRST]
    move(M, y, step, out)
    for c in range(nq):
        out[c] -= y[c]


@kernel()
def what_is_left(E, M, S, t, h):
    """Right-hand side of Newton's equations into the scratch, with the formula's v and a. Leaves in S the equation that is worst."""
    size = E[engine.SIZE]
    q = part(S, E[AT_SCRATCH])
    v = part(S, E[AT_SCRATCH] + size)
    rhs = part(S, E[AT_SCRATCH] + 4 * size)
    c1, c2 = step_coefficients(E, S, t - h, h)
    velocities_of(E, M, S, h, q, v, rhs)
    moving = v
    if E[VELOCITY_ROWS] != 0:
        # rows of rates hold already for the velocities that go on: what counts is the formula's
        moving = part(S, E[AT_NEW])
        for c in range(M[N]):
            moving[c] = v[c]
        call_routine(M[ONTO], E, t, 0.0, q, v, v)
    accelerations_of(E, M, S, h, v, part(S, E[AT_SCRATCH] + 2 * size))
    S[WORST] = call_routine(M[BALANCE], E, t, c1, q, moving, moving)
    for c in range(M[N]):
        rhs[c] /= c2


@kernel()
def next_length(S, h):
    """Length of the next step: changed only where that is worth a matrix, and not by too much at once."""
    growth = 0.9 * max(S[ERROR], 1e-6) ** (-1.0 / 3.0)
    if growth >= WORTHWHILE:
        return h * min(growth, LONGEST)
    return h * max(0.5, growth) if growth < 1.0 else h
