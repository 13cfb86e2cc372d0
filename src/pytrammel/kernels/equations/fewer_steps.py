"""Fewer coordinates than those of the bodies, for methods that treat the constraints themselves (`steps`).

With u' = a*(t, y) the accelerations that all rows leave, every solution of H a = f + (J B)'lam is a = a* + p(delta), p the accelerations by
forces of the rows with which J B p is delta: balance and multipliers of a step need the rates and p (PULL), and no mass matrix.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.equations.steps import AT_FLAGS, FIRST, LOOK, PULL, ROWS, N, room_of, steps_of
from pytrammel.kernels.jit import call_routine, kernel, routine


@kernel(spread=True)
def rooms(E, M):
    """Room behind the scales: a state, its rates, accelerations, residuals, rates of residuals; its end."""
    y = M[N]
    rates = y + E[engine.SIZE]
    x = rates + E[engine.SIZE]
    phi = x + M[N]
    return y, rates, x, phi, phi + M[ROWS], phi + 2 * M[ROWS]


@kernel()
def put_state(E, M, q, v, y):
    """A state of which only positions and speeds count."""
    for c in range(M[FIRST]):
        y[c] = q[c]
    for c in range(M[N]):
        y[M[FIRST] + c] = v[c]


@routine()
def fewer_onto(E, t, h, q, v, unused):
    M = steps_of(E)
    D = room_of(M)
    at = rooms(E, M)
    y = advanced(D, at[0])
    x = advanced(D, at[2])
    off = advanced(D, at[4])
    if M[ROWS] == 0:
        return 0.0
    for _ in range(2):
        put_state(E, M, q, v, y)
        call_routine(M[LOOK], E, t, 0.0, y, advanced(D, at[3]), off)
        call_routine(M[PULL], E, t, 0.0, off, x, x)
        for c in range(M[N]):
            v[c] += x[c]
    return 0.0


@routine()
def fewer_balance(E, t, c1, q, moving, unused):
    M = steps_of(E)
    D = room_of(M)
    at = rooms(E, M)
    size = E[engine.SIZE]
    v = advanced(q, size)
    a = advanced(q, 2 * size)
    delta = advanced(q, 3 * size)
    rhs = advanced(q, 4 * size)
    n = M[N]
    y = advanced(D, at[0])
    rates = advanced(D, at[1])
    x = advanced(D, at[2])
    phi = advanced(D, at[3])
    off = advanced(D, at[4])
    put_state(E, M, q, v, y)
    if math.isnan(call_routine(E[engine.RATES], E, t, 0.0, y, rates, rates)):
        for c in range(n + M[ROWS]):
            rhs[c] = math.nan
        return -1.0
    for c in range(n):
        x[c] = 0.0
    if M[ROWS] > 0:
        put_state(E, M, q, moving, y)
        call_routine(M[LOOK], E, t, 0.0, y, phi, off)
        call_routine(M[PULL], E, t, 0.0, delta, x, x)
    worst = 0.0
    found = -1.0
    fastest = 1e-300
    for c in range(n):
        fastest = max(fastest, abs(a[c]) / D[c])
    for c in range(n):
        rhs[c] = rates[M[FIRST] + c] + x[c] - a[c]
        if abs(rhs[c]) / (D[c] * fastest) >= worst:
            worst = abs(rhs[c]) / (D[c] * fastest)
            found = float(c)
    for k in range(M[ROWS]):
        rhs[n + k] = -phi[k] if M[M[AT_FLAGS] + k] == 0 else off[k] / c1
        if abs(rhs[n + k]) > worst:
            worst = abs(rhs[n + k])
            found = float(n + k)
    return found
