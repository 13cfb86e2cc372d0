"""One explicit Runge–Kutta step of constrained motion, for any tableau, and its interpolant.

The integrated vector is [q, v, inner states, work of each force element, work of the drivers].
"""

from __future__ import annotations

import math

from trammel.kernels import layout as L
from trammel.kernels.bodies import coordinate_rates
from trammel.kernels.dynamics import NU, OUT, STATE, accelerations
from trammel.kernels.jit import kernel

# rows of the table of weights
B_ROW, C_ROW, E5_ROW, E3_ROW = range(4)


@kernel()
def vector_size(I):
    return I[L.N_COORDINATES] + I[L.N_COLUMNS] + I[L.N_STATES] + I[L.N_FORCES] + 1


@kernel(spread=True)
def derivative(I, F, P, t, y, alpha, beta, a, lam, dy, ws):
    """Right-hand side; returns the singularity measure or NaN."""
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    nz = I[L.N_STATES]
    z = nq + n
    angle = accelerations(I, F, P, t, y[:nq], y[nq:z], y[z : z + nz], alpha, beta, a, lam, ws)
    coordinate_rates(I, F, ws[STATE], y[:nq], y[nq:z], dy[:nq])
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
    return angle


@kernel()
def combine(y, h, weights, K, count, out):
    """out = y + h sum of weights times stages."""
    for c in range(y.size):
        out[c] = y[c]
    for j in range(count):
        w = h * weights[j]
        if w != 0.0:
            for c in range(y.size):
                out[c] += w * K[j, c]


@kernel(spread=True)
def take_stages(I, F, P, t, h, y, alpha, beta, tableau, weights, a, lam, K, stage, y1, ws):
    """All stages of a step from K[0], the new vector y1 and the derivative there.

    Returns the smallest singularity measure met and the one at the end; NaN if something was not a number.
    """
    stages = tableau.shape[0]
    closest = 1.0
    for i in range(1, stages):
        combine(y, h, tableau[i], K, i, stage)
        angle = derivative(I, F, P, t + weights[C_ROW, i] * h, stage, alpha, beta, a, lam, K[i], ws)
        if math.isnan(angle):
            return math.nan, math.nan
        closest = min(closest, angle)
    combine(y, h, weights[B_ROW], K, stages, y1)
    angle = derivative(I, F, P, t + h, y1, alpha, beta, a, lam, K[stages], ws)
    return min(closest, angle), angle


@kernel(spread=True)
def extra_stages(I, F, P, t, h, y, alpha, beta, tableau_extra, times_extra, first, a, lam, K, stage, ws):
    """Stages that only the interpolant needs."""
    for i in range(times_extra.size):
        combine(y, h, tableau_extra[i], K, first + i, stage)
        derivative(I, F, P, t + times_extra[i] * h, stage, alpha, beta, a, lam, K[first + i], ws)


@kernel()
def interpolate(K, dense, theta, h, y, out):
    """Method's interpolant at the fraction theta of a step: y + h sum_i k_i b_i(theta)."""
    for c in range(y.size):
        out[c] = y[c]
    for i in range(dense.shape[0]):
        weight = 0.0
        for d in range(dense.shape[1] - 1, -1, -1):
            weight = (weight + dense[i, d]) * theta
        weight *= h
        if weight != 0.0:
            for c in range(y.size):
                out[c] += weight * K[i, c]


@kernel()
def estimate(weights, K, c):
    """Error of one entry per unit of step length; two estimates (order 5 and 3) are combined as in Hairer's code."""
    e5 = 0.0
    e3 = 0.0
    for j in range(weights.shape[1]):
        e5 += weights[E5_ROW, j] * K[j, c]
        e3 += weights[E3_ROW, j] * K[j, c]
    squares = e5 * e5 + 0.01 * e3 * e3
    if e3 != 0.0 and squares > 0.0:  # squares of tiny numbers vanish
        e5 = e5 * abs(e5) / math.sqrt(squares)
    return e5


@kernel()
def error_norm(I, F, h, y, y1, K, weights, rtol, atol):
    """Largest error in units of what is allowed: positions against the model's size, velocities against the fastest."""
    nq = I[L.N_COORDINATES]
    n = I[L.N_COLUMNS]
    speed = 1e-3
    for c in range(n):
        scale = F[I[L.AT_COLUMN_SCALES] + c]
        speed = max(speed, max(abs(y[nq + c]), abs(y1[nq + c])) / scale)
    total = 0.0
    for c in range(nq + n):
        if c < nq:
            allowed = F[I[L.AT_COORDINATE_SCALES] + c] * (rtol + atol)
        else:
            allowed = F[I[L.AT_COLUMN_SCALES] + c - nq] * (rtol * speed + atol)
        ratio = abs(h * estimate(weights, K, c)) / allowed
        if not ratio <= total:  # also true for NaN
            total = ratio
    return total


@kernel()
def energy_at_work(y1, first, kinetic):
    """Kinetic energy and all work done so far; the works begin at entry `first`."""
    total = kinetic
    for c in range(first, y1.size):
        total += abs(y1[c])
    return total


@kernel()
def work_norm(h, first, K, weights, allowed):
    """Largest error of the integrated works in units of what is allowed."""
    total = 0.0
    for c in range(first, K.shape[1]):
        ratio = abs(h * estimate(weights, K, c))
        if not ratio <= total:
            total = ratio
    return total / allowed if allowed > 0.0 else 0.0
