"""Coordinates of particles for methods that treat the constraints themselves (`steps`)."""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations.points import look_at_rows, solve
from pytrammel.kernels.jit import ints_at, routine, vector
from pytrammel.kernels.particles import (
    N_DISTANCES,
    W_BODY,
    W_F,
    W_GAMMA,
    W_J,
    W_K,
    W_NU,
    W_PHI,
    load,
    parts,
    rates_at,
    spread_forces,
    unknowns,
)


@routine(seconds=4.0)
def points_look(E, t, h, y_at, phi, off):
    H, _, W, I = parts(E)
    n = unknowns(H, I)
    y = vector(y_at, E[engine.SIZE])
    load(E, t, y)
    look_at_rows(E, t)
    first = rates_at(H, I)
    for r in range(H[N_DISTANCES] + ints_at(E[engine.PATTERN])[L.P_ROWS]):
        phi[r] = W[H[W_PHI] + r]
        rate = W[H[W_NU] + r]
        for c in range(n):
            rate -= W[H[W_J] + n * r + c] * y[first + c]
        off[r] = rate
    return 0.0


@routine(seconds=2.0)
def points_pull(E, t, h, delta, out, unused):
    H, _, W, I = parts(E)
    n = unknowns(H, I)
    for c in range(n):
        W[H[W_F] + c] = 0.0
    for r in range(H[N_DISTANCES] + ints_at(E[engine.PATTERN])[L.P_ROWS]):
        W[H[W_GAMMA] + r] = delta[r]
    solve(E)
    for c in range(n):
        out[c] = W[H[W_K] + c]
    return 0.0


@routine(seconds=4.0)
def points_respond(E, t, h, y_at, forces, out):
    """Distances and rows take their part at once: what they add is along them."""
    H, _, W, I = parts(E)
    load(E, t, vector(y_at, E[engine.SIZE]))
    look_at_rows(E, t)
    spread_forces(H, W, I, forces)
    for r in range(H[N_DISTANCES] + ints_at(E[engine.PATTERN])[L.P_ROWS]):
        W[H[W_GAMMA] + r] = 0.0
    solve(E)
    for c in range(unknowns(H, I)):
        out[c] = W[H[W_K] + c]
    return 0.0


@routine(seconds=3.0)
def points_bodies(E, t, h, y_at, out, unused):
    H, _, W, I = parts(E)
    load(E, t, vector(y_at, E[engine.SIZE]))
    for k in range(I[L.N_COORDINATES] + I[L.N_COLUMNS]):
        out[k] = W[H[W_BODY] + k]
    return 0.0
