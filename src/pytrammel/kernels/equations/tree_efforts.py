"""Recursive Newton–Euler along a tree: what acts along each freedom, from what every body asks for."""

from __future__ import annotations

from pytrammel.kernels.equations.tree_rows import load
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, INT_ARRAY, call_routine, kernel
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import room, tree_at


@kernel(INT_ARRAY, FLOAT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY, seconds=1.0)
def tree_efforts_run(E, t, y, loads, efforts):
    """Loads of the bodies handed inwards; needs a table that was never factored, so that no freedom gives way."""
    T = tree_at(E)
    load(E, t, y)
    nu = room(E, T[T_.W_NU])
    call_routine(T[T_.INWARD], E, t, 0.0, loads, loads, loads)
    for c in range(T[T_.N_SPEEDS]):
        efforts[c] = nu[c]
