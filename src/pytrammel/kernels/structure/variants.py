"""Many variants on this processor: drivers, one variant after the other."""

from __future__ import annotations

import numpy as np

from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.jit import FLOAT, FLOAT_ARRAY, FLOAT_TABLE, INT, INT_ARRAY, kernel
from pytrammel.kernels.structure.drivers import follow_variant, integrate_variant


@kernel()
def copy_column(table, k, out):
    """The constants of one variant, side by side: far apart they would crowd each other out of the cache."""
    for c in range(table.shape[0]):
        out[c] = table[c, k]


@kernel(
    INT_ARRAY, INT, INT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, INT, FLOAT, INT, FLOAT_TABLE, INT_ARRAY,
    seconds=2.0,
)  # fmt: skip
def follow_many(addresses, first, last, times, shares, F, M, start, n_place, reduced, n_kept, kept, status):
    """Kinematics of the variants from `first` to before `last`.

    Args:
        addresses: Of the pieces, in the order of `follow_variant`.
        F, M: Varying constants (constants × variants), of the motion and of what is measured.
        start: Coordinates of each (coordinates × variants).
        reduced: 1 to keep what is left of series, 0 for the series.
        kept: Numbers kept (variants × instants · kept, or variants × `N_REDUCED` · kept).
    """
    place = np.zeros(n_place + 8)
    room = np.zeros(4 * n_place + n_kept + 32)
    constants = np.zeros(F.shape[0])
    measured = np.zeros(M.shape[0])
    for k in range(first, last):
        copy_column(F, k, constants)
        copy_column(M, k, measured)
        for c in range(n_place):
            place[c] = 0.0
        for c in range(start.shape[0]):
            place[c] = start[c, k]
        status[k] = follow_variant(
            addresses[0], addresses[1], addresses[2], addresses[3], addresses[4], bare(times), bare(shares), times.size,
            bare(constants), bare(measured), 1, bare(place), n_place, bare(room), reduced,
            advanced(bare(kept), k * kept.shape[1]), n_kept, 1,
        )  # fmt: skip


@kernel(
    INT_ARRAY, INT, INT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_TABLE, FLOAT_TABLE, FLOAT_TABLE, INT, FLOAT_ARRAY, FLOAT_ARRAY, FLOAT_ARRAY,
    FLOAT, INT, FLOAT_TABLE, INT_ARRAY, seconds=2.0,
)  # fmt: skip
def integrate_many(
    addresses, first, last, times, shares, F, M, start, n_q, tableau, weights, options, reduced, n_kept, kept, status
):
    """Motions of the variants from `first` to before `last`.

    Args:
        start: Coordinates and velocities of each (numbers × variants).
        options: Stages, order, relative and absolute tolerance. The rest as in `follow_many`.
    """
    n_y = start.shape[0]
    stages = int(options[0])
    y = np.zeros(n_y + 8)
    room = np.zeros((stages + 12) * n_y + n_kept + 64)
    constants = np.zeros(F.shape[0])
    measured = np.zeros(M.shape[0])
    for k in range(first, last):
        copy_column(F, k, constants)
        copy_column(M, k, measured)
        for c in range(n_y):
            y[c] = start[c, k]
        status[k] = integrate_variant(
            addresses[0], addresses[1], addresses[2], addresses[3], bare(times), bare(shares), times.size, bare(constants),
            bare(measured), 1, bare(y), n_y, n_q, bare(tableau), bare(weights), stages, options[1], options[2],
            options[3], bare(room), reduced, advanced(bare(kept), k * kept.shape[1]), n_kept, 1,
        )  # fmt: skip
