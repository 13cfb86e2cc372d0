"""A model as a tree of joints, packed for kernels that evaluate it at given coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_state import measured_value
from pytrammel.analysis.formulations.joint import independent_rows, tree_routines, tree_table
from pytrammel.analysis.functions.couplings import Couplings, find_couplings
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.runs.controllers import refuse_states
from pytrammel.analysis.runs.engine import Table
from pytrammel.analysis.start.initial import consistent_start
from pytrammel.errors import ModelError
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations import tree_functions as kernels
from pytrammel.kernels.equations import tree_state
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.trees import composite
from pytrammel.kernels.trees import layout as T
from pytrammel.model.base import Model
from pytrammel.system.lowering import System, lower
from pytrammel.system.topology import spanning_tree
from pytrammel.system.tree import Tree, build_tree

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
PARAMETERS = ("e0", "e1", "e2", "e3")


@dataclass(frozen=True)
class Packed:
    """A model's tree and what kernels need to evaluate it.

    Attributes:
        system: The system, lowered for dynamics.
        tree: Its tree.
        anchor: Coordinates of the bodies in the design configuration, joints closed.
        rows: Independent constraint equations that close loops.
        couplings: Coordinates that follow from others.
        constants: Differences between coordinates of the tree, zero in the design configuration, and those of callers.
        coordinates, velocities: Names.
        at_q: Per coordinate its number in the tree.
        start: Coordinates in the design configuration.
        elements: Whether force elements act.
        dependent: Rows that depend on others in the design configuration.
        regular: Coordinates of a closed position where all rows are independent; empty if the design configuration is such a position.
    """

    system: System
    tree: Tree
    anchor: Array
    rows: tuple[int, ...]
    couplings: Couplings
    constants: Array
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    at_q: tuple[int, ...]
    start: Array
    elements: bool
    dependent: tuple[int, ...] = ()
    regular: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def massless(self) -> bool:
        return bool(self.system.ints[L.HAS_MASSLESS])

    def table(self) -> Table:
        """Return a new table, for one thread."""
        return _table(self)


def kernels_needed(dimension: int) -> list[str]:
    """Names of the kernels that functions of models in the plane or in space call."""
    mass = "plane_tree_mass" if dimension == 2 else "space_tree_mass"
    others = ("tree_functions_run", "tree_begin", "measures_run", "assemble_run", "rates_run", "jacobian_run")
    return [*tree_routines(dimension), mass, *others]


def pack(model: Model, elements: bool, base: str, cut: Sequence[str]) -> Packed:
    """Build the tree of a model and everything that does not depend on its coordinates."""
    system = lower(model, dynamics=True)
    rows = active_rows(system, drivers=False)
    if system.extras:
        names = ", ".join(repr(extra.name) for extra in system.extras)
        raise ModelError(
            f"functions of model {model.name!r}: places on curves ({names}) are not joint coordinates. Use m.simulate, m.kinematics or "
            "m.linearize for models with cams and slots."
        )
    if elements:
        _check_forces(model)
    if elements and system.ints[L.N_REACTIONS]:
        raise ModelError(
            f"functions of model {model.name!r}: a force depends on reactions (joint friction), which follow from the motion. Remove it "
            "with m.copy(without=[...]), or pass elements=False."
        )
    if elements and system.ints[L.N_STATES]:
        stateful = sorted({repr(force.use.label or force.use.state) for force in system.forces if force.use.has_state})
        uses = ", ".join(stateful[:3]) + (f" and {len(stateful) - 3} more" if len(stateful) > 3 else "")
        raise ModelError(
            f"functions of model {model.name!r}: {uses} depends on an inner state (friction that sticks, m.state), which is not a "
            "coordinate. Remove it with m.copy(without=[...]), or pass elements=False."
        )
    anchor = consistent_start(system, rows, 0.0).q
    tree = build_tree(system, spanning_tree(system, rows, base=base, cut=cut or None))
    if not tree.n_speeds:
        raise ModelError(f"functions of model {model.name!r}: no joint leaves a freedom. Add a joint that moves.")
    bare = _bare(system, tree, anchor, elements)
    couplings = _couplings(bare)
    left = tuple(row for row in tree.topology.rows if row not in couplings.rows)
    chosen = independent_rows(system, replace(tree.topology, rows=left), rows, anchor, 0.0) if left else []
    dependent = tuple(row for row in left if row not in chosen)
    return _named(replace(bare, rows=tuple(chosen), couplings=couplings, dependent=dependent))


def _check_forces(model: Model) -> None:
    """Raise `ModelError` for forces that switch constraints on and off, and for sampled controllers."""
    refuse_states(model, "functions", controllers_only=True)
    switching = [force.name for force in model.forces.values() if force.impact is not None or force.holds]
    if switching:
        raise ModelError(
            f"functions of model {model.name!r}: rigid contacts and friction that sticks ({', '.join(map(repr, switching[:3]))}) switch "
            "constraints, which no state determines. Use a compliant or regularised law, or pass elements=False."
        )


def _bare(system: System, tree: Tree, anchor: Array, elements: bool) -> Packed:
    """The tree with all its coordinates, zero in the design configuration, and all rows next to it."""
    n = tree.n_speeds
    alone = Couplings(np.eye(n), tuple(range(n)), ())
    return Packed(
        system, tree, anchor, tree.topology.rows, alone, np.zeros(tree.n_positions), (), tree.speeds,
        tuple(range(tree.n_positions)), _tree_start(tree, anchor), elements,
    )  # fmt: skip


def _tree_start(tree: Tree, anchor: Array) -> Array:
    from pytrammel.system.tree import positions

    return positions(tree, anchor)


def _couplings(bare: Packed) -> Couplings:
    """Rows of constant entries, and what follows from them."""
    tree, rows = bare.tree, bare.rows
    n, m = tree.n_speeds, len(rows)
    if not rows:
        return bare.couplings
    table = bare.table()
    order = row_order(table, m)
    at_s = [node.at_s for node in tree.nodes if node.kind in (T.TURN, T.SLIDE)]
    at_u = [node.at_u for node in tree.nodes if node.kind in (T.TURN, T.SLIDE)]

    def along(shift: Array) -> Array:
        q = bare.start.copy()
        q[at_s] += shift[at_u]
        out, none = np.zeros(m * (n + 1)), np.zeros(0)
        kernels.tree_functions_run(table.entries, kernels.ROWS, 0.0, 1, q, none, none, none, out)
        J = np.zeros((m, n))
        J[[rows.index(row) for row in order]] = out[m:].reshape(m, n)
        return J

    fixed = [row for row in rows if not _varies(bare.system, row)]
    places_of = [rows.index(row) for row in fixed]
    return find_couplings(tree, fixed, lambda shift: along(shift)[places_of])


def _varies(system: System, row: int) -> bool:
    """A row whose target depends on time, or that only holds rates."""
    at = int(system.ints[L.AT_ROWS]) + L.ROW_SIZE * row
    return bool(system.ints[at + 4] >= 0 or system.ints[at + 5] != 0)


def row_order(table: Table, m: int) -> list[int]:
    """Rows in elimination order, in which kernels give them."""
    pattern = table.data[places.PATTERN]
    return [int(row) for row in pattern[int(pattern[L.P_AT_ROWS]) :][:m]]


def _named(packed: Packed) -> Packed:
    """Coordinates that are what joints measure, with names."""
    system, tree, kept = packed.system, packed.tree, set(packed.couplings.kept)
    model = system.model
    names: list[str] = []
    at_q: list[int] = []
    start = packed.start.copy()
    rest = np.zeros(system.n_columns)
    for node in tree.nodes:
        if node.kind == T.FIXED:
            continue
        if node.kind == T.FREE:
            own = [f"{node.branch.body}.{name}" for name in model.space.positions]
        elif node.kind == T.BALL:
            own = [f"{node.label}.{name}" for name in PARAMETERS]
        else:
            owner, _, what = node.label.rpartition(".")
            if owner in model.constraints and what in model.constraints[owner].measures:
                quantity = model.constraints[owner].measures[what]
                start[node.at_s] = measured_value(model, quantity, 0.0, packed.anchor, rest)[0]
            if node.at_u not in kept:
                continue
            own = [node.label]
        names += own
        at_q += range(node.at_s, node.at_s + len(own))
    constants = packed.start - start
    factors = packed.couplings.factors
    by_speed = {node.at_u: node.at_s for node in tree.nodes if node.kind in (T.TURN, T.SLIDE)}
    for u, s in by_speed.items():
        if u not in kept:  # zero in the design configuration, as are its sources
            sources = np.flatnonzero(factors[u])
            constants[s] = sum(factors[u, k] * constants[by_speed[packed.couplings.kept[k]]] for k in sources)
    velocities = tuple(name for k, name in enumerate(tree.speeds) if k in kept)
    return replace(
        packed, constants=constants, coordinates=tuple(names), velocities=velocities, at_q=tuple(at_q), start=start[at_q]
    )  # fmt: skip


# --- tables for the kernels ------------------------------------------------------------------------------------------------


def _table(packed: Packed) -> Table:
    system, tree = packed.system, packed.tree
    dimension = system.model.space.dimension
    prepare(kernels_needed(dimension))
    table = tree_table(tree, system.floats, list(packed.rows), packed.anchor)
    table.put_data(places.INTS, _needed_elements(system, packed.rows, packed.elements))
    head, work = table.data[places.REDUCED], table.data[places.WORKSPACE]
    for k, node in enumerate(tree.nodes):
        at = int(head[int(head[T.AT_NODES]) + T.NODE_SIZE * k + T.AT_D]) + int(head[T.W_D])
        n = int(head[int(head[T.AT_NODES]) + T.NODE_SIZE * k + T.SPEEDS])
        work[at : at + n * n] = np.eye(n).ravel()
        assert n > 0 or node.kind == T.FIXED
    X, Y = _numbers(packed, table)
    table.put_data(tree_state.AT_X, X)
    table.put_data(tree_state.AT_Y, Y)
    name = "plane_tree_mass" if dimension == 2 else "space_tree_mass"
    table.put_routines(tree_state.MASS_ROUTINE, (name,), composite.__name__)
    return table


def _needed_elements(system: System, rows: Sequence[int], elements: bool) -> Ints:
    """The system's integers with a table of those elements that loop rows and forces need."""
    ints = system.ints
    by_output = {e.output + k: e for e in system.elements for k in range(len(e.columns))}

    def with_inputs(outputs: set[int]) -> set[int]:
        found: set[int] = set()
        ahead = list(outputs)
        while ahead:
            element = by_output[ahead.pop()]
            if element.output not in found:
                found.add(element.output)
                ahead += element.inputs
        return found

    at_rows = int(ints[L.AT_ROWS])
    output = [int(ints[at_rows + L.ROW_SIZE * k]) for k in range(len(system.rows))]
    wanted = with_inputs({output[k] for k in rows})
    if elements:
        idle = with_inputs({output[k] for k in range(len(system.rows)) if k not in rows}) - wanted
        wanted = {e.output for e in system.elements} - idle
    at = int(ints[L.AT_ELEMENTS])
    listed = ints[at : at + L.ELEMENT_SIZE * len(system.elements)].reshape(-1, L.ELEMENT_SIZE)
    kept = listed[[e.output in wanted for e in system.elements]]
    out = np.concatenate([ints, kept.ravel()])
    out[L.AT_ELEMENTS], out[L.N_ELEMENTS] = ints.size, len(kept)
    return out


def _numbers(packed: Packed, table: Table) -> tuple[Ints, Array]:
    """X and Y of the kernels."""
    system, tree, fewer = packed.system, packed.tree, packed.couplings
    head = table.data[places.REDUCED]
    n, nv, nq, m = tree.n_speeds, len(fewer.kept), len(packed.at_q), len(packed.rows)
    size = int(table.entries[places.SIZE])
    whole = nv < n
    turns = len(system.model.turns)
    rooms = {
        tree_state.Y_CONSTANTS: tree.n_positions, tree_state.Y_TURNS: turns, tree_state.Y_VECTOR: size,
        tree_state.Y_TREE_MASS: n * n if whole else 0, tree_state.Y_MASS: nv * nv + nv, tree_state.Y_ZERO: n + m + nq,
        tree_state.Y_SPEEDS: n, tree_state.Y_RATES: n, tree_state.Y_EFFORTS: size, tree_state.Y_RIGHT: m, tree_state.Y_ROWS: m * nv,
        tree_state.Y_SQUARE: m * m + m, tree_state.Y_SOLVED: m * nv, tree_state.Y_BODIES: system.n_columns,
    }  # fmt: skip
    X: list[int] = [0] * tree_state.X_SIZE
    at = 0
    for place, room in rooms.items():
        X[place] = at
        at += room + 1
    factors: list[float] = []

    def sums(pairs: list[list[tuple[int, float]]]) -> int:
        """A table of sums: per entry where its terms begin and how many there are."""
        begin = len(X)
        X.extend([0] * (2 * len(pairs)))
        for k, terms in enumerate(pairs):
            X[begin + 2 * k], X[begin + 2 * k + 1] = len(X), len(terms)
            for source, factor in terms:
                X.extend([source, at + len(factors)])
                factors.append(factor)
        return begin

    X[tree_state.N_Q], X[tree_state.N_V], X[tree_state.FEWER], X[tree_state.WITH_ELEMENTS] = (
        nq,
        nv,
        int(whole),
        int(packed.elements),
    )
    place_of = {s: k for k, s in enumerate(packed.at_q)}
    by_speed = {node.at_s: node.at_u for node in tree.nodes if node.kind in (T.TURN, T.SLIDE)}
    at_s = {u: s for s, u in by_speed.items()}
    of_speeds = [[(int(k), float(fewer.factors[u, k])) for k in np.flatnonzero(fewer.factors[u])] for u in range(n)]
    of_places = [
        [(place_of[s], 1.0)]
        if s in place_of
        else [(place_of[at_s[fewer.kept[k]]], factor) for k, factor in of_speeds[by_speed[s]]]
        for s in range(tree.n_positions)
    ]
    X[tree_state.X_COORDINATES], X[tree_state.X_SPEEDS] = sums(of_places), sums(of_speeds)
    X[tree_state.X_TURNS] = len(X)
    follows = int(head[T.AT_TURN_SPEEDS])
    X.extend(at_s.get(int(head[follows + 2 * k]), -1) for k in range(turns))
    X[tree_state.X_BEFORE] = len(X)
    X.extend(_before(tree))
    X[tree_state.X_AT_Q] = len(X)
    X.extend(packed.at_q)
    Y = np.zeros(at + len(factors))
    Y[at:] = factors
    Y[X[tree_state.Y_CONSTANTS] :][: tree.n_positions] = packed.constants
    if turns:
        Y[X[tree_state.Y_TURNS] :][:turns] = packed.anchor[-turns:]
    return np.array(X, dtype=np.int64), Y


def _before(tree: Tree) -> list[int]:
    """Per speed the one before it on the way to the ground, -1 for the first."""
    last: list[int] = []
    out: list[int] = []
    for k, node in enumerate(tree.nodes):
        at = last[node.parent] if node.parent >= 0 else -1
        ahead = tree.nodes[k + 1].at_u if k + 1 < len(tree.nodes) else tree.n_speeds
        for u in range(node.at_u, ahead):
            out.append(at)
            at = u
        last.append(at)
    return out
