"""Rates in body coordinates by machine code that was written out for one model (`structure`): the numbers of the general kernel, sooner."""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.dynamics import ENERGY, SUSPECT, is_known, workspace_places
from pytrammel.kernels.engine import data_of
from pytrammel.kernels.equations.cartesian import WORK
from pytrammel.kernels.jit import call_routine, floats_at, routine
from pytrammel.kernels.structure.calls import call_piece


@routine()
def straight_rates(E, t, h, y_at, dy_at, unused):
    if E[engine.IN_FULL] != 0:
        return call_routine(E[engine.GENERAL], E, t, h, y_at, dy_at, dy_at)
    I, F, P, W = data_of(E)
    found = bare(floats_at(E[engine.STRAIGHT_ROOM]))
    call_piece(E[engine.STRAIGHT], t, bare(F), 1, y_at, found)
    size = E[engine.SIZE]
    m = P[L.P_ROWS]
    lam = advanced(found, size)
    angle = lam[m]
    places = workspace_places(I, P, WORK)
    if not math.isnan(angle) and not angle > SUSPECT:
        measures = advanced(bare(W), places[ENERGY] + 2)
        if not is_known(angle, measures):  # the general kernel looks at the geometry, and keeps what it finds
            return call_routine(E[engine.GENERAL], E, t, h, y_at, dy_at, dy_at)
        angle = max(angle, measures[1])
    W[engine.EVALUATIONS] += 1.0
    for k in range(size):
        dy_at[k] = found[k]
    n = I[L.N_COLUMNS]
    a = advanced(found, I[L.N_COORDINATES])
    for k in range(n):
        W[places[18] + k] = a[k]
    for k in range(m):
        W[places[18] + n + k] = lam[k]
    if W[engine.AT_STEP_END] != 0.0:
        W[engine.AT_STEP_END] = 0.0
        W[engine.LARGEST_PHI] = max(W[engine.LARGEST_PHI], lam[m + 1])
    return angle
