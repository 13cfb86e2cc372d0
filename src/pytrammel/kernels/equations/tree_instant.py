"""Kinematics along a tree: position, velocity and acceleration at an instant by Newton's method on joint coordinates.

Only what closes loops and what drives are equations; the joints of the tree hold by themselves. As many rows act as the tree has
freedoms, so that masses play no part: ones stand in their place.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced
from pytrammel.kernels.bodies import difference
from pytrammel.kernels.equations.tree import count_turns, project
from pytrammel.kernels.equations.tree_rows import (
    add_by_rows,
    along_tree,
    factor_rows,
    load,
    look_at_rows,
    speeds_at,
    to_bodies,
)
from pytrammel.kernels.evaluate import row_times
from pytrammel.kernels.jit import call_routine, kernel, routine
from pytrammel.kernels.schur import solve_factored
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, constants_at, room, tree_at

READINGS = 8  # at most, of joint coordinates from bodies that stand only nearly as the joints allow
READ = 1e-9  # a change of joint coordinates, in scales, that ends this
PASSES = 6  # at most, of solving with the residual formed anew
SETTLED = 1e-14  # a change this small against the solution ends the passes


@kernel()
def size_of(E, x):
    """Largest entry along the freedoms of the tree, in scales."""
    T = tree_at(E)
    G = constants_at(E)
    I = bare_ints(E[engine.INTS])
    first = T[T_.AT_EXTRA_SCALES] + T[T_.N_POSITIONS] + I[L.N_EXTRAS]
    largest = 0.0
    for c in range(T[T_.N_SPEEDS] + I[L.N_EXTRAS]):
        size = abs(x[c]) / G[first + c]
        if not size <= largest:  # also true for NaN
            largest = size
    return largest


@kernel()
def read_joints(E, t, q, y):
    """Joint coordinates that put the bodies nearest to q, from those that y holds; False if there are none."""
    T = tree_at(E)
    W = room(E, 0)
    I = bare_ints(E[engine.INTS])
    body = room(E, T[T_.W_CARTESIAN])
    motion = room(E, T[T_.W_VELOCITY])
    step = room(E, T[T_.W_STEP])
    carried = I[L.N_EXTRAS] + I[L.N_TURNS]
    for k in range(carried):
        y[T[T_.N_POSITIONS] + k] = q[I[L.N_COORDINATES] - carried + k]
    first = speeds_at(I, T)
    for c in range(T[T_.N_SPEEDS] + I[L.N_EXTRAS]):
        y[first + c] = 0.0
        step[c] = 0.0
    for _ in range(READINGS):
        load(E, t, y)
        to_bodies(E, y, body)
        difference(I, q, body, motion)
        if math.isnan(call_routine(T[T_.FACTOR], E, t, 1.0, W, W, W)):
            return False
        along_tree(E, motion, step)
        call_routine(T[T_.MOVE], E, t, 0.0, y, step, step)
        size = size_of(E, step)
        if not math.isfinite(size):
            return False
        if size < READ:
            break
    return True


@kernel()
def meet_rows(E, wanted, along, bodies):
    """Add to speeds (or their rates), and to what the bodies do, until the rows have what is wanted of them."""
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    P = bare_ints(E[engine.PATTERN])
    m = P[L.P_ROWS]
    residual = room(E, T[T_.W_RESIDUAL])
    step = room(E, T[T_.W_STEP])
    count = T[T_.N_SPEEDS] + I[L.N_EXTRAS]
    before = math.inf
    for _ in range(PASSES):
        for k in range(m):
            residual[k] = wanted[k] - row_times(I, P, k, room(E, T[T_.W_JAC]), bodies)
        solve_factored(P, room(E, T[T_.W_LOWER]), room(E, T[T_.W_PIVOTS]), residual)
        for c in range(count):
            step[c] = 0.0
        add_by_rows(E, residual, step, bodies)
        for c in range(count):
            along[c] += step[c]
        change = size_of(E, step)
        if not change > SETTLED * size_of(E, along) or not change < before:
            break
        before = change


@routine(seconds=8.0)
def tree_instant(E, t, h, q, v, a):
    """From an estimate of the bodies' positions to positions, velocities and accelerations at time t, in place.

    Returns a status. The joint coordinates found stay for the next call.
    """
    T = tree_at(E)
    I = bare_ints(E[engine.INTS])
    y = bare_floats(E[engine.NUMBERS])
    n = I[L.N_COLUMNS]
    count = T[T_.N_SPEEDS] + I[L.N_EXTRAS]
    first = speeds_at(I, T)
    if not read_joints(E, t, q, y) or math.isnan(project(E, t, y)):
        return float(L.NOT_CONVERGED)
    bodies = room(E, T[T_.W_ACCEL])
    along = room(E, T[T_.W_UDOT])
    for c in range(count):
        y[first + c] = 0.0
        along[c] = 0.0
    for c in range(n):
        bodies[c] = 0.0
    load(E, t, y)
    if not math.isfinite(look_at_rows(E, t)) or math.isnan(factor_rows(E, 1.0, 0.0)):
        return float(L.NOT_FINITE)
    meet_rows(E, room(E, T[T_.W_RATE]), along, bodies)
    for c in range(count):
        y[first + c] = along[c]
    load(E, t, y)
    look_at_rows(E, t)  # quadratic terms need the velocities just found
    forces = room(E, T[T_.W_FORCES])
    for c in range(n):
        forces[c] = 0.0
        bodies[c] = 0.0
    for c in range(count):
        along[c] = 0.0
    call_routine(T[T_.INWARD], E, t, 0.0, forces, forces, forces)
    call_routine(T[T_.OUTWARD], E, t, 1.0, room(E, T[T_.W_NU]), along, bodies)
    meet_rows(E, room(E, T[T_.W_GAMMA]), along, bodies)
    if I[L.N_TURNS] > 0:
        count_turns(E, y)
    whole = room(E, T[T_.W_CARTESIAN])
    to_bodies(E, y, whole)
    velocity = advanced(whole, I[L.N_COORDINATES])
    total = 0.0
    for c in range(n):
        total += bodies[c] + velocity[c]
    if not math.isfinite(total):
        return float(L.NOT_FINITE)
    for c in range(I[L.N_COORDINATES]):
        q[c] = whole[c]
    for c in range(n):
        v[c] = velocity[c]
        a[c] = bodies[c]
    return float(L.OK)
