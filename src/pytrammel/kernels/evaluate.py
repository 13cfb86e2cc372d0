"""Run every primitive of a system at one state, and form residuals and right-hand sides of the active rows."""

from __future__ import annotations

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import call_apart, call_element, kernel


@kernel()
def run_elements(I, F, state, out, jac, work):
    at = I[L.AT_ELEMENTS]
    for _ in range(I[L.N_ELEMENTS]):
        call_element(I[at], I, I[at + 1], F, state, out, I[at + 2], jac, I[at + 3], work)
        at += L.ELEMENT_SIZE


@kernel(spread=True)
def law_of_time(I, tape, F, work):
    """Run a tape of the system's own, in a function of its own; returns the place of the result in ``work``."""
    return int(call_apart(I[L.TAPE], (I, tape, F, work, 0)))


@kernel()
def row_target(I, F, row, t, work, target):
    """Target of a row at time t: value, rate, second rate."""
    tape = I[I[L.AT_ROWS] + L.ROW_SIZE * row + 4]
    target[0] = F[I[L.AT_TARGETS] + row]
    target[1] = 0.0
    target[2] = 0.0
    if tape >= 0:
        work[0] = t
        work[1] = 1.0
        work[2] = 0.0
        work[3] = 0.0
        r = law_of_time(I, tape, F, work)
        target[0] += work[r]
        target[1] = work[r + 1]
        target[2] = 2.0 * work[r + 2]


@kernel()
def row_residuals(I, F, P, t, out, work, target, phi, nu, gamma):
    """Residual, velocity and acceleration right-hand side of each active row, in elimination order.

    phi = value - target, J v = nu = target' - dvalue/dt, J a = gamma = target'' - quadratic term.
    Returns the largest residual measured in row scales.
    """
    largest = 0.0
    for k in range(P[L.P_ROWS]):
        row = P[P[L.P_AT_ROWS] + k]
        at = I[L.AT_ROWS] + L.ROW_SIZE * row
        o = L.OUTPUT_SIZE * I[at]
        if I[at + 4] < 0:
            phi[k] = out[o + L.VALUE] - F[I[L.AT_TARGETS] + row]
            nu[k] = -out[o + L.PARTIAL_T]
            gamma[k] = -out[o + L.QUADRATIC]
        else:
            row_target(I, F, row, t, work, target)
            phi[k] = out[o + L.VALUE] - target[0]
            nu[k] = target[1] - out[o + L.PARTIAL_T]
            gamma[k] = target[2] - out[o + L.QUADRATIC]
        if I[at + 5] != 0:
            phi[k] = 0.0
        size = abs(phi[k]) / F[I[L.AT_ROW_SCALES] + row]
        if not size <= largest:  # also true for NaN
            largest = size
    return largest


@kernel()
def row_times(I, P, k, jac, x):
    """Jacobian row k (in elimination order) times a vector of all columns."""
    at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
    j = I[at + 1]
    columns = I[at + 3]
    total = 0.0
    for e in range(I[at + 2]):
        column = I[columns + e]
        if column >= 0:
            total += jac[j + e] * x[column]
    return total
