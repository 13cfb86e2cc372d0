"""Inverse dynamics along a tree (recursive Newton–Euler): the effort of every joint from a known motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.analysis.at_state import evaluate_state, mass_matrix
from pytrammel.analysis.formulations import Formulation, formulation
from pytrammel.analysis.formulations.joint import tree_table
from pytrammel.analysis.options import tool
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.small_motions.reduced import State
from pytrammel.analysis.study.bodies import rows_at
from pytrammel.analysis.study.joints import transformation
from pytrammel.errors import ModelError
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations.tree_efforts import tree_efforts_run
from pytrammel.results.result import Result
from pytrammel.results.segments import Segment
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.topology import spanning_tree
from pytrammel.system.tree import Tree, build_tree, positions

Array = NDArray[np.float64]


@tool()
def joint_efforts(result: Result) -> dict[str, Array]:
    """Efforts along all freedoms of the joints of an open chain or tree that a motion needs, beside gravity, springs and other forces.

        tm.textbook.joint_efforts(m.inverse_dynamics(2.0))["A.angle"]

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
    for segment in result._segments:
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
    return _inwards(tree, floats, float(result.times[k]), result.q[k].copy(), _asked(tree.system, floats, result, k))


def _asked(system: System, floats: Array, result: Result, k: int) -> Array:
    """M a - g: what joints and actuators must do to the bodies."""
    assert result.v is not None and result.a is not None and result.dynamics is not None
    q = result.q[k].copy()
    inner = system.inner_start
    known = np.ravel(result.dynamics.inner_states[k]) if result.dynamics.inner_states.size else np.zeros(0)
    inner[: known.size] = known[: inner.size]
    g = evaluate_state(system, floats, pattern(system, ()), float(result.times[k]), q, result.v[k], inner).generalised
    return np.asarray(mass_matrix(system, q) @ result.a[k] - g)


def _inwards(tree: Tree, floats: Array, time: float, q: Array, loads: Array) -> Array:
    """What loads on the bodies are along the freedoms."""
    table = tree_table(tree, floats, [], q)
    y = np.zeros(int(table.entries[0]))
    y[: tree.n_positions] = positions(tree, q)
    efforts = np.zeros(tree.n_speeds + 1)
    tree_efforts_run(table.entries, time, y, loads, efforts)
    return efforts[: tree.n_speeds]


def efforts_along_tree(result: Result, chosen: Formulation) -> Result:
    """The same result with multipliers found along a tree: recursive Newton–Euler for what acts beside it, then joint by joint inwards.

    Args:
        result: A motion with the forces that go with it.
        chosen: Joint coordinates with their options.
    """
    data = result.dynamics
    assert data is not None
    if result._system.ints[L.N_REACTIONS]:
        raise ModelError(
            f"some force of model {result.model.name!r} depends on reactions, which are known last along a tree; use "
            "formulation='cartesian'."
        )
    make_ready(result.model, ["tree_efforts_run", "tree_bias_run", "rows_run", "state_run"], forces=True)
    multipliers = data.multipliers.copy()
    for segment in result._segments:
        _along_tree(result, segment, chosen, multipliers)
    return replace(result, dynamics=replace(data, multipliers=multipliers, formulation=str(chosen)))


def _along_tree(result: Result, segment: Segment, chosen: Formulation, multipliers: Array) -> None:
    """Fill in the multipliers of the output times in which the same constraints act."""
    assert result.v is not None
    system, floats = segment.system, segment.floats
    rows = active_rows(system)
    topology = spanning_tree(system, rows, base=str(chosen["base"]), cut=chosen["cut"])
    tree = build_tree(system, topology)
    left, extras = list(topology.rows), len(system.extras)
    inside = {b.joint: [k for k in rows if system.rows[k].owner == b.joint] for b in topology.branches}
    for k in range(segment.first, segment.last):
        time = float(result.times[k])
        state = State(system, floats, tuple(rows), time, result.q[k], result.v[k], system.inner_start)
        J = dict(zip(rows, rows_at(state, rows)[0], strict=True))
        loads = _asked(system, floats, result, k)
        if left:
            along = np.array([J[row] for row in left]) @ transformation(tree, state)[0]
            tau = np.concatenate([_inwards(tree, floats, time, state.q, loads), loads[loads.size - extras :]])
            multipliers[k, left] = _shared(system, along, tau)
            loads = loads - multipliers[k, left] @ np.array([J[row] for row in left])
        for branch in reversed(topology.branches):
            own = inside[branch.joint]
            if own:
                at = system.per_body * (list(system.model.bodies).index(branch.body) - 1)
                block = np.array([J[row] for row in own])
                found = np.linalg.lstsq(
                    block[:, at : at + system.per_body].T, loads[at : at + system.per_body], rcond=None
                )[0]
                multipliers[k, own] = found
                loads = loads - found @ block


def _shared(system: System, along: Array, tau: Array) -> Array:
    """Multipliers of the rows beside a tree that do along its freedoms what is asked for."""
    size = np.abs(along).max(axis=1, keepdims=True)
    found, _, rank, _ = np.linalg.lstsq((along / size).T, tau, rcond=1e-10)
    if rank < len(along):
        raise ModelError(
            f"model {system.model.name!r} has more rows beside its tree than these can tell apart (redundant joints, or actuators that "
            "share the work); use formulation='cartesian', which shares the loads out."
        )
    return np.asarray(found / size[:, 0])
