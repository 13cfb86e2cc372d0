"""Kinematics along a tree: the table from which a time is solved in joint coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.formulations import Formulation
from pytrammel.analysis.formulations.joint import independent_rows, tree_table
from pytrammel.analysis.runs.engine import Table
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations import tree, tree_instant
from pytrammel.system.lowering import System
from pytrammel.system.topology import spanning_tree
from pytrammel.system.tree import build_tree, positions

Array = NDArray[np.float64]


def instants_along_tree(
    system: System, formulation: Formulation, rows: Sequence[int], floats: Array, q: Array, time: float, redundant: bool
) -> Table:
    """A table whose first routine solves a time by Newton's method on joint coordinates.

    Args:
        system: The system, lowered for kinematics.
        formulation: Joint coordinates with their options.
        rows: All active equations, drivers too.
        floats: Numbers of the system as they are now.
        q: Pose from which joint coordinates are counted.
        time: Time there [s].
        redundant: Some of the rows depend on others.
    """
    topology = spanning_tree(system, rows, base=str(formulation["base"]), cut=formulation["cut"])
    found = build_tree(system, topology)
    left = independent_rows(system, topology, rows, q, time) if redundant else list(topology.rows)
    # places on curves weigh as much as their scale, where dynamics has an artificial mass
    weights = [extra.scale**2 for extra in system.extras]
    table = tree_table(found, np.concatenate([floats, weights]), left, q, tree.FROM_BODIES)
    ints = table.data[places.INTS].copy()
    ints[L.AT_EXTRA_MASSES] = floats.size
    table.put_data(places.INTS, ints)
    table.put_routines(places.RATES, ("tree_instant",), tree_instant.__name__)
    y = np.zeros(int(table.entries[places.SIZE]))
    y[: found.n_positions] = positions(found, q)
    table.put_data(places.NUMBERS, y)
    return table
