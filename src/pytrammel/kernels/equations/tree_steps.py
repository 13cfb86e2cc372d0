"""Joint coordinates for methods that treat the constraints themselves (`steps`)."""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.equations.tree_rows import add_by_rows, factor_rows, load, look_at_rows, to_bodies
from pytrammel.kernels.evaluate import row_times
from pytrammel.kernels.jit import call_routine, routine
from pytrammel.kernels.schur import solve_factored
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_ints, room, tree_at


@routine(seconds=3.0)
def tree_look(E, t, h, y, phi, off):
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    body = room(E, T[T_.W_CARTESIAN])
    load(E, t, y)
    look_at_rows(E, t)
    factor_rows(E, 1.0 if I[L.HAS_MASSLESS] != 0 else 0.0, 0.0)
    to_bodies(E, y, body)
    v = advanced(body, I[L.N_COORDINATES])
    for k in range(P[L.P_ROWS]):
        phi[k] = room(E, T[T_.W_PHI])[k]
        off[k] = room(E, T[T_.W_RATE])[k] - row_times(I, P, k, room(E, T[T_.W_JAC]), v)
    return 0.0


@routine(seconds=2.0)
def tree_pull(E, t, h, delta, out, unused):
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    residual = room(E, T[T_.W_RESIDUAL])
    for k in range(P[L.P_ROWS]):
        residual[k] = delta[k]
    solve_factored(P, room(E, T[T_.W_LOWER]), room(E, T[T_.W_PIVOTS]), residual)
    for c in range(T[T_.N_SPEEDS] + I[L.N_EXTRAS]):
        out[c] = 0.0
    add_by_rows(E, residual, out, room(E, T[T_.W_ACCEL]))
    return 0.0


@routine(seconds=2.0)
def tree_respond(E, t, h, y, forces, out):
    T = tree_at(E)
    load(E, t, y)
    call_routine(T[T_.FACTOR], E, t, 0.0, forces, forces, forces)
    call_routine(T[T_.INWARD], E, t, 0.0, forces, forces, forces)
    call_routine(T[T_.OUTWARD], E, t, 1.0, room(E, T[T_.W_NU]), out, room(E, T[T_.W_ACCEL]))
    return 0.0


@routine(seconds=2.0)
def tree_bodies(E, t, h, y, out, unused):
    load(E, t, y)
    to_bodies(E, y, out)
    return 0.0
