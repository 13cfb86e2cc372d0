"""Inverse dynamics along a tree (recursive Newton–Euler): the effort of every joint from a known motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.at_state import evaluate_state, mass_matrix
from trammel.analysis.formulations import formulation
from trammel.analysis.formulations.joint import tree_table
from trammel.analysis.options import tool
from trammel.analysis.ready import make_ready
from trammel.errors import ModelError
from trammel.kernels import layout as L
from trammel.kernels.equations.tree_efforts import tree_efforts_run
from trammel.results.result import Result
from trammel.sentences import short
from trammel.system.lowering import System
from trammel.system.pattern import pattern
from trammel.system.topology import spanning_tree
from trammel.system.tree import Tree, build_tree, positions

Array = NDArray[np.float64]


@tool()
def joint_efforts(result: Result) -> dict[str, Array]:
    """Efforts along all freedoms of the joints of an open chain or tree that a motion needs, beside gravity, springs and other forces.

        tm.joint_efforts(m.inverse_dynamics(2.0))["A.angle"]

    Args:
        result: A motion with accelerations and forces, of `inverse_dynamics` or `simulate`.

    Returns:
        By freedom ("A.angle"; three per ball; those of free bodies by column) the effort [N, N m], shape (n,): nil where nothing drives.

    Mechanisms with loops are refused: there the efforts of the joints depend on what closes the loops; `inverse_dynamics` knows them.
    """
    if not isinstance(result, Result):
        raise ModelError(
            f"joint_efforts needs a result of inverse_dynamics or simulate, but it is given {short(result)}."
        )
    if result.v is None or result.a is None or result.dynamics is None:
        raise ModelError("the result has no accelerations or no forces; take one of inverse_dynamics or simulate.")
    dimension = result.model.space.dimension
    make_ready(result.model, ["state_run", "tree_efforts_run", *formulation("joint").needs(dimension)], forces=True)
    named: dict[str, list[float]] = {}
    for segment in result.segments:
        system = segment.system
        tree = _open_tree(system, [k for k in segment.rows if not system.rows[k].is_driver])
        if named and set(named) != set(tree.speeds):
            raise ModelError(
                "joints act by turns in this motion, so that its freedoms change. Take a result between two changes."
            )
        for k in range(segment.first, segment.last):
            efforts = _at_instant(tree, segment.floats, result, k)
            for name, value in zip(tree.speeds, efforts, strict=True):
                named.setdefault(name, []).append(float(value))
    return {name: np.array(values) for name, values in named.items()}


def _open_tree(system: System, rows: list[int]) -> Tree:
    found = spanning_tree(system, rows)
    if found.rows:
        left = ", ".join(dict.fromkeys(repr(system.rows[k].owner) for k in found.rows))
        raise ModelError(
            f"model {system.model.name!r} is no open chain or tree: {left} is left beside its tree, and efforts of joints depend on what "
            "it carries. Use inverse_dynamics."
        )
    if system.ints[L.N_REACTIONS]:
        raise ModelError(
            f"some force of model {system.model.name!r} depends on reactions, which are not known here. Use inverse_dynamics."
        )
    return build_tree(system, found)


def _at_instant(tree: Tree, floats: Array, result: Result, k: int) -> Array:
    """B'(M a - g), bodies handed inwards one after the other."""
    system = tree.system
    assert result.v is not None and result.a is not None and result.dynamics is not None
    time, q = float(result.times[k]), result.q[k].copy()
    inner = np.zeros(int(system.ints[L.N_STATES]))
    known = np.ravel(result.dynamics.inner_states[k]) if result.dynamics.inner_states.size else np.zeros(0)
    inner[: known.size] = known[: inner.size]
    g = evaluate_state(system, floats, pattern(system, ()), time, q, result.v[k], inner).generalised
    loads = mass_matrix(system, q) @ result.a[k] - g
    table = tree_table(tree, floats, [], q)
    y = np.zeros(int(table.entries[0]))
    y[: tree.n_positions] = positions(tree, q)
    efforts = np.zeros(tree.n_speeds + 1)
    tree_efforts_run(table.entries, time, y, loads, efforts)
    return efforts[: tree.n_speeds]
