"""Zero crossings of event formulas inside a step."""

from __future__ import annotations

from trammel.kernels import layout as L
from trammel.kernels.bodies import load_state
from trammel.kernels.evaluate import run_elements
from trammel.kernels.jit import kernel
from trammel.kernels.steps import interpolate

BISECTIONS = 60


@kernel()
def event_values(EI, EF, t, y, state, out, jac, work, values):
    """Values of the event formulas at one state."""
    nq = EI[L.N_COORDINATES]
    load_state(EI, t, y[:nq], y[nq : nq + EI[L.N_COLUMNS]], state)
    run_elements(EI, EF, state, out, jac, work)
    for k in range(EI[L.N_ROWS]):
        values[k] = out[L.OUTPUT_SIZE * EI[EI[L.AT_ROWS] + L.ROW_SIZE * k] + L.VALUE]


@kernel()
def crossed(before, after, direction):
    return (before < 0.0 and after >= 0.0 and direction >= 0) or (before > 0.0 and after <= 0.0 and direction <= 0)


@kernel()
def first_crossed(signs, values, directions, count):
    """Number of the first event that has passed zero, or -1."""
    for k in range(count):
        if crossed(signs[k], values[k], directions[k]):
            return k
    return -1


@kernel()
def first_event(EI, EF, t, h, y, K, dense, signs, directions, stage, state, out, jac, work, values):
    """First event inside a step, by bisection on the interpolant: which, and at which fraction of the step.

    The bracket is kept so that at its upper end at least one event has fired; the last to do so is the first in time.
    """
    count = EI[L.N_ROWS]
    low = 0.0
    high = 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if middle == low or middle == high:
            break
        interpolate(K, dense, middle, h, y, stage)
        event_values(EI, EF, t + middle * h, stage, state, out, jac, work, values)
        if first_crossed(signs, values, directions, count) >= 0:
            high = middle
        else:
            low = middle
    interpolate(K, dense, high, h, y, stage)
    event_values(EI, EF, t + high * h, stage, state, out, jac, work, values)
    return first_crossed(signs, values, directions, count), high


@kernel()
def update_signs(signs, values, directions, count, fired):
    """Remember on which side of zero each event stands.

    The one that fired counts anew from where the next step leads it. Another that crossed at the same time keeps its old
    side, so that it fires next.
    """
    for k in range(count):
        if k == fired:
            signs[k] = 0.0
        elif fired >= 0 and crossed(signs[k], values[k], directions[k]):
            continue
        elif values[k] != 0.0:
            signs[k] = values[k]
