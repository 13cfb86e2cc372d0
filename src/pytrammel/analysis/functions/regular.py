"""Loop equations that depend on each other in the design configuration only, such as loops of linkages that are drawn flat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import linalg

from pytrammel.analysis.functions.model_functions import ModelFunctions
from pytrammel.analysis.functions.packing import Packed, row_order
from pytrammel.errors import AssemblyError

STEP = 0.2  # largest displacement to a neighbouring position, in scales of the coordinates
CLEAR = 1e-5  # pivot of scaled rows, relative to the largest and to 1, above which a row is independent
TRIES = 3  # neighbouring positions


def with_regular_rows(packed: Packed) -> Packed:
    """Replace the rows by those that are independent in a neighbouring closed position, if there are more of them."""
    whole = ModelFunctions(replace(packed, rows=(*packed.rows, *packed.dependent), dependent=()), (), ("root", ()))
    loops = whole._loop_part()
    free = loops.motions(whole.start) / loops.of_speeds[:, None]
    if not free.shape[1]:
        return packed
    random = np.random.default_rng(1)
    best = packed
    for _ in range(TRIES):
        step = free @ random.standard_normal(free.shape[1])
        try:
            q = whole.close(whole.integrate(whole.start, STEP * step / np.abs(step).max() * loops.of_speeds))
        except AssemblyError:  # rounded data close in the design configuration only
            continue
        rows = loops.scaled(q, 0.0)[1]
        _, sizes, order = linalg.qr(rows.T, mode="economic", pivoting=True)
        pivots = np.abs(np.diag(sizes))
        rank = int((pivots > CLEAR * max(pivots[0], 1.0)).sum())
        if rank > len(best.rows):
            listed = row_order(whole._local.table, len(rows))
            chosen = sorted(listed[k] for k in order[:rank])
            best = replace(packed, rows=tuple(chosen), dependent=(), regular=q)
    return best
