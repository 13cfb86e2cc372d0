"""Matrices of joint coordinates: the velocity transformation B, and what it makes of the equations in body coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.formulations import Formulation
from pytrammel.analysis.formulations.joint import tree_table
from pytrammel.analysis.small_motions.reduced import State
from pytrammel.analysis.study.bodies import in_bodies
from pytrammel.kernels.equations.tree import tree_bias_run, tree_speeds_run, tree_to_bodies_run
from pytrammel.kernels.jit import prepare
from pytrammel.results.studies.matrices import Labelled, Matrices, bordered
from pytrammel.system.topology import spanning_tree
from pytrammel.system.tree import Tree, build_tree, positions

Array = NDArray[np.float64]


def transformation(tree: Tree, state: State) -> tuple[Array, Array, Array]:
    """B, B' u and u of a tree at a state: velocities of the bodies are B u, their accelerations B u' + B' u.

    The places of followers on curves come last, along columns of their own.
    """
    prepare(["tree_bias_run"])
    system = tree.system
    n, nq, extras = system.n_columns, system.n_coordinates, len(system.extras)
    table = tree_table(tree, state.floats, [], state.q)
    carried = extras + len(system.model.turns)
    size = int(table.entries[0])
    first = tree.n_positions + carried
    y = np.zeros(size)
    y[: tree.n_positions] = positions(tree, state.q)
    y[tree.n_positions : first] = state.q[nq - carried :]
    B = np.zeros((n, tree.n_speeds + extras))
    B[n - extras :, tree.n_speeds :] = np.eye(extras)
    out = np.zeros(nq + n + size)
    for c in range(tree.n_speeds):
        y[first + c] = 1.0
        tree_to_bodies_run(table.entries, state.time, y, out)
        B[: n - extras, c] = out[nq : nq + n - extras]
        y[first + c] = 0.0
    tree_speeds_run(table.entries, state.time, y, state.v.copy())
    y[first + tree.n_speeds : first + tree.n_speeds + extras] = state.v[n - extras :]
    bias = np.zeros(n)
    tree_bias_run(table.entries, state.time, y, bias)
    bias[n - extras :] = 0.0
    return B, bias, y[first : first + tree.n_speeds + extras].copy()


def write_out(state: State, formulation: Formulation) -> Matrices:
    """B'M B u' - (J B)'lambda = B'(g - M B'u), J B u' = gamma - J B'u, with the rows that the tree leaves."""
    system = state.system
    topology = spanning_tree(system, list(state.rows), base=str(formulation["base"]), cut=formulation["cut"])
    tree = build_tree(system, topology)
    B, bias, u = transformation(tree, state)
    found = in_bodies(state)
    left = [state.rows.index(row) for row in topology.rows]
    names = tuple(found.names[k] for k in left)
    J = found.rows[left]
    H, f = B.T @ found.mass @ B, B.T @ (found.forces - found.mass @ bias)
    loops, right_of_loops = J @ B, found.gamma[left] - J @ bias
    columns = system.columns
    speeds = (*tree.speeds, *columns[len(columns) - len(system.extras) :])
    parts = (
        Labelled("u", "speeds of the joints", u, speeds),
        Labelled("B", "velocity transformation: velocities of the bodies are B u", B, columns, speeds),
        Labelled("Bdot u", "accelerations of the bodies where the speeds stay as they are", bias, columns),
        Labelled("H", "mass matrix B'M B", H, speeds, speeds),
        Labelled("f", "forces B'(g - M Bdot u)", f, speeds),
        Labelled("JB", "rows that the tree leaves: J B u' = gamma - J Bdot u", loops, names, speeds),
        Labelled("gamma", "right-hand side of these rows", right_of_loops, names),
    )
    matrix, right = bordered(H, loops, f, right_of_loops)
    return Matrices(
        system.model.name, str(formulation), state.time, parts, (*speeds, *names), (*speeds, *(f"lambda {name}" for name in names)),
        matrix, right, columns, B, bias,
    )  # fmt: skip
