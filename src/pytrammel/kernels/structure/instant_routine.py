"""The routine of `kinematics_run` that solves an instant by straight pieces."""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.instant import instant_workspace, solve_instant
from pytrammel.kernels.jit import floats_at, ints_at, routine, vector
from pytrammel.kernels.kinematics import PIECES


@routine(seconds=1.0)
def straight_instant(E, t, h, place, note, W):
    """Position, velocity and acceleration at time t from an estimate, in place, with room to work in. Returns a status."""
    I = bare(ints_at(E[engine.INTS]))
    P = bare(ints_at(E[engine.PATTERN]))
    nq = I[L.N_COORDINATES]
    F = bare(floats_at(E[engine.FLOATS]))
    ws = instant_workspace(I, P, vector(W, 1))
    S = bare(ints_at(E[PIECES]))
    return float(solve_instant(I, F, P, t, place, advanced(place, nq), advanced(place, 2 * nq), note, ws, S))
