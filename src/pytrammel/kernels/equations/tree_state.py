"""Coordinates that callers give for a tree: the state that they load, and efforts and accelerations along their speeds.

Callers omit coordinates that follow from others by constant factors (gears, rotors): a coordinate of the tree is a sum of their
coordinates and a constant.
"""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations.tree import count_turns
from pytrammel.kernels.equations.tree_rows import load, speeds_at
from pytrammel.kernels.jit import call_routine, kernel
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, room, tree_at

# entries of the table: addresses of the integers X and the numbers Y below, and of the routine that forms the mass matrix
AT_X, AT_Y, MASS_ROUTINE = engine.OWN, engine.OWN + 1, engine.OWN + 2
# X: sizes, whether coordinates follow from others, whether force elements act; then tables
(
    N_Q, N_V, FEWER, WITH_ELEMENTS, X_COORDINATES, X_SPEEDS, X_TURNS, X_BEFORE, X_AT_Q,
) = range(9)  # fmt: skip
# X, places in Y: constants of the coordinates, turn counters, vector y, mass matrices, and vectors
(
    Y_CONSTANTS, Y_TURNS, Y_VECTOR, Y_TREE_MASS, Y_MASS, Y_ZERO, Y_SPEEDS, Y_RATES, Y_EFFORTS, Y_RIGHT, Y_ROWS, Y_SQUARE, Y_SOLVED,
    Y_BODIES,
) = range(9, 23)  # fmt: skip
X_SIZE = 23


@kernel()
def numbers(E, at):
    """Numbers of these functions, from one of their places on."""
    return bare_floats(E[AT_Y] + 8 * bare_ints(E[AT_X])[at])


@kernel()
def set_state(E, t, q, v):
    """Load the state of given coordinates and velocities."""
    T = tree_at(E)
    X = bare_ints(E[AT_X])
    I = bare_ints(E[engine.INTS])
    y = numbers(E, Y_VECTOR)
    constant = numbers(E, Y_CONSTANTS)
    first = speeds_at(I, T)
    if X[FEWER] == 0:
        for k in range(T[T_.N_POSITIONS]):
            y[k] = q[k] + constant[k]
        for k in range(T[T_.N_SPEEDS]):
            y[first + k] = v[k]
    else:
        for k in range(T[T_.N_POSITIONS]):
            y[k] = combined(E, X[X_COORDINATES] + 2 * k, q) + constant[k]
        for k in range(T[T_.N_SPEEDS]):
            y[first + k] = combined(E, X[X_SPEEDS] + 2 * k, v)
    turn = T[T_.N_POSITIONS] + I[L.N_EXTRAS]
    near = False
    for k in range(I[L.N_TURNS]):
        y[turn + k] = numbers(E, Y_TURNS)[k]
        s = X[X[X_TURNS] + k]
        if s >= 0:
            y[turn + k] += T[T[T_.AT_TURN_SPEEDS] + 2 * k + 1] * y[s]
        else:
            near = True
    load(E, t, y)
    if near:
        count_turns(E, y)
        load(E, t, y)


@kernel()
def combined(E, at, given):
    """A coordinate or speed of the tree from those that callers give."""
    X = bare_ints(E[AT_X])
    Y = bare_floats(E[AT_Y])
    total = 0.0
    start = X[at]
    for e in range(X[at + 1]):
        total += Y[X[start + 2 * e + 1]] * given[X[start + 2 * e]]
    return total


@kernel()
def project_efforts(E, along, out):
    """Project efforts along the speeds of the tree to the speeds of callers."""
    T = tree_at(E)
    X = bare_ints(E[AT_X])
    Y = bare_floats(E[AT_Y])
    if X[FEWER] == 0:
        for k in range(X[N_V]):
            out[k] = along[k]
        return
    for k in range(X[N_V]):
        out[k] = 0.0
    for k in range(T[T_.N_SPEEDS]):
        start = X[X[X_SPEEDS] + 2 * k]
        for e in range(X[X[X_SPEEDS] + 2 * k + 1]):
            out[X[start + 2 * e]] += Y[X[start + 2 * e + 1]] * along[k]


@kernel()
def bodies_accelerate(E, a, out):
    """Accelerations of the bodies for given accelerations along the speeds."""
    T = tree_at(E)
    X = bare_ints(E[AT_X])
    rates = a
    if X[FEWER] != 0:
        rates = numbers(E, Y_RATES)
        for k in range(T[T_.N_SPEEDS]):
            rates[k] = combined(E, X[X_SPEEDS] + 2 * k, a)
    call_routine(T[T_.OUTWARD], E, 0.0, 1.0, rates, room(E, T[T_.W_UDOT]), out)
