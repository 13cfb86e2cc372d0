"""The smallest solution of linear equations, or none."""

from __future__ import annotations

import numpy as np

from pytrammel._util.matrix_inputs import Floats

SINGULAR = 1e-12  # share of the largest singular value, rows (and columns) of length one
MISSED = 1e-6  # share of the right side that a solution leaves at most
HALF = 0.5  # the same where dependent equations may disagree a little


def smallest_solution(A: Floats, c: Floats, *, unique: bool) -> Floats | None:
    """The smallest x with A x = c; None if there is none, or, with `unique`, not one alone.

    Without `unique`, equations that depend on each other may disagree: the x of least squares is given if it does at least half of
    what is asked. Whether rows are dependent does not depend on their sizes, nor, with `unique`, on the units of the unknowns.
    """
    if not c.size:
        return np.zeros(A.shape[1])
    rows = np.linalg.norm(A, axis=1)
    rows = np.where(rows > 0.0, rows, 1.0)
    even, right = A / rows[:, None], c / rows
    columns = np.ones(A.shape[1])
    if unique:
        columns = np.linalg.norm(even, axis=0)
        columns = np.where(columns > 0.0, columns, 1.0)
    x, _, rank, _ = np.linalg.lstsq(even / columns, right, rcond=SINGULAR)
    x = x / columns
    if (unique and rank < A.shape[1]) or np.abs(even @ x - right).max() > (MISSED if unique else HALF) * np.abs(
        right
    ).max():
        return None
    return np.asarray(x)
