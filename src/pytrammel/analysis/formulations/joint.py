"""Joint coordinates: the bodies follow from them along a tree of joints, and only what closes loops is left as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.lazy_imports import linalg
from pytrammel.analysis.formulations import Cut, Formulation, SmallMotions, formulation_type
from pytrammel.analysis.freedom.rank import exact_rows, jacobian, rank_of, rank_of_pivots
from pytrammel.analysis.runs.engine import Table, addresses
from pytrammel.analysis.runs.fewer import FewerCoordinates, refusal
from pytrammel.analysis.runs.run_partition import IndependentJoints
from pytrammel.analysis.treatments import enforcement
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations import tree as kernels
from pytrammel.kernels.equations import tree_instant, tree_matrix, tree_partitioned, tree_penalty, tree_steps  # noqa: F401 (found by name)
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.trees import layout as T
from pytrammel.kernels.trees import plane, space
from pytrammel.system.lowering import System
from pytrammel.system.pattern import build_pattern
from pytrammel.system.topology import Topology, spanning_tree
from pytrammel.system.tree import (
    Tree,
    build_tree,
    constants,
    n_massless,
    node_table,
    positions,
    scales,
    support,
    turn_speeds,
)

if TYPE_CHECKING:
    from pytrammel.analysis.runs.options import Options
    from pytrammel.analysis.runs.simulation import Simulation
    from pytrammel.analysis.runs.steps import Positions
    from pytrammel.analysis.small_motions.reduced import State
    from pytrammel.results.studies.matrices import Matrices

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

PARTS = ("load", "factor", "inward", "outward", "row", "move", "joint_rates", "store")
EQUATIONS = ("rates", "settle", "norm", "record", "watch")
FORMS = {"articulated": kernels.ARTICULATED, "bodies": kernels.FROM_BODIES, "matrix": kernels.ARTICULATED}


def tree_routines(dimension: int) -> tuple[str, ...]:
    """Names of the routines of a tree in the plane or in space."""
    where = "plane" if dimension == 2 else "space"
    return tuple(f"{where}_tree_{part}" for part in PARTS)


def _needs(dimension: int) -> tuple[str, ...]:
    runs = ("tree_to_bodies_run", "tree_speeds_run", "tree_measure_run", "tree_begin")
    return (*tree_routines(dimension), *(f"tree_{part}" for part in EQUATIONS), *runs)


def _cannot(system: System, options: Options) -> str:
    reason = refusal(options, "loops are closed", tuple(enforcement))
    form = options.formulation.options.get("form", "articulated")
    if not reason and options.treatment.rates[0] == "penalty" and form != "articulated":
        return "penalties work with the recursion over the tree; leave out form=, or use constraints='baumgarte'"
    return reason


def _matrices(state: State, formulation: Formulation) -> Matrices:
    from pytrammel.analysis.study.joints import write_out

    return write_out(state, formulation)


def _instants(*given: Any) -> Table:
    from pytrammel.analysis.driven.instants import instants_along_tree

    return instants_along_tree(*given)


def _small_motions(state: State, formulation: Formulation) -> SmallMotions:
    from pytrammel.analysis.study.small import along_tree

    return along_tree(state, formulation)


@formulation_type("joint")
def joint() -> Formulation:
    """Joint coordinates along a spanning tree, by articulated bodies."""
    return Formulation(
        "joint coordinates along a tree, by recursion: no joint of the tree drifts; fastest for chains and robots",
        JointCoordinates,
        _needs,
        values={"base": str, "cut": Cut, "form": Literal["articulated", "bodies", "matrix"]},
        takes={"base": "heaviest", "cut": None, "form": "articulated"},
        cannot=_cannot,
        matrices=_matrices,
        instants=_instants,
        small_motions=_small_motions,
    )


class JointCoordinates(FewerCoordinates):
    """Motion in joint coordinates; the equations in body coordinates keep the books."""

    routines = tuple(f"tree_{part}" for part in EQUATIONS)
    named, offers = "joint", "tree"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        chosen = options.formulation
        self.form, self.base, self.cut = FORMS[chosen["form"]], str(chosen["base"]), chosen["cut"]
        self.dense = chosen["form"] == "matrix"
        prepare([*(["tree_matrix_rates"] if self.dense else []), *(f"tree_{name}" for name in self.treatment.routines)])

    def tree_of(self, system: System, rows: list[int]) -> Tree:
        """The tree for the active equations now."""
        key = f"tree {self.base} {self.cut} {tuple(rows)}"
        if key not in system.kept:
            built = build_tree(system, spanning_tree(system, rows, base=self.base, cut=self.cut))
            system.kept[key] = (built.topology, built.nodes, built.n_positions, built.n_speeds, {})  # without the model
        return Tree(system, *system.kept[key])

    def _loop_rows(self, system: System, topology: Topology, run: Simulation) -> list[int]:
        """Rows that are held by equations; none is left out unless some are redundant."""
        if not run.redundant:
            return list(topology.rows)
        return independent_rows(system, topology, run.acting_rows, run.q, float(run.clock[0]))

    def table(self, run: Simulation, watch: System) -> Table:
        """The table of these equations, without a method."""
        inner = self.inner.table(run, watch)
        system = run.system
        tree = self.tree_of(system, run.acting_rows)
        massless = system.ints[L.HAS_MASSLESS] or system.ints[L.N_REACTIONS]
        how = kernels.FROM_BODIES if massless else self.form
        loops = self._loop_rows(system, tree.topology, run)
        table = tree_table(tree, run.floats, loops, run.q, how)
        table.shared[:] = self.counted
        self.counted = table.shared
        for entry in (places.N_EVENTS, places.ROW):
            table.entries[entry] = inner.entries[entry]
        table.put_routines(places.RATES, self.routines, kernels.__name__)
        table.put_routines(places.UNTREATED, self.routines[:1], kernels.__name__)
        if self.dense and how == kernels.ARTICULATED:
            _form_matrices(table, tree)
        for place, (file, name) in ((places.RATES, self.treatment.rates), (places.SETTLE, self.treatment.settle)):
            if file != "cartesian":
                table.put_routines(place, (f"tree_{name}",), f"pytrammel.kernels.equations.tree_{file}")
        if isinstance(run.independent, IndependentJoints):
            run.independent.look_at(tree, loops)
        table.put_data(places.INNER, inner.entries)
        table.keep(inner)
        self._table, self._tree, self._anchor = table, tree, run.q.copy()
        self._bodies = np.zeros(0)
        return table

    def positions(self, system: System) -> Positions:
        """How joint coordinates follow speeds."""
        from pytrammel.analysis.runs.steps import Positions

        tree, extras = self._tree, len(system.extras)
        balls = {T.BALL: (0, 0), T.FREE: (3, 3)} if system.per_body == 6 else {}
        turning = [(n.at_s + balls[n.kind][0], n.at_u + balls[n.kind][1]) for n in tree.nodes if n.kind in balls]
        taken = {s + i for s, _ in turning for i in range(4)}
        speeds = {u + i for _, u in turning for i in range(3)}
        left = [u for u in range(tree.n_speeds) if u not in speeds]
        plain = list(zip((s for s in range(tree.n_positions) if s not in taken), left, strict=True))
        plain += [(tree.n_positions + e, tree.n_speeds + e) for e in range(extras)]
        return Positions(plain, turning, len(system.model.turns), tree.n_speeds + extras)

    def equation(self, system: System, k: int) -> str:
        """What an entry of the integrated vector stands for, in words."""
        tree = self._tree
        first = tree.n_positions + len(system.extras) + len(system.model.turns)
        if k < tree.n_positions:
            node = next(node for node in reversed(tree.nodes) if node.at_s <= k)
            return f"the place {node.label!r} of body {node.branch.body!r}"
        if first <= k < first + tree.n_speeds:
            node = next(node for node in reversed(tree.nodes) if node.at_u <= k - first)
            return f"the balance of forces along {tree.speeds[k - first]!r} of body {node.branch.body!r}"
        return "a state behind those of the joints"

    def _reduced(self, run: Simulation) -> Array:
        """Joint coordinates and speeds of the state that the run is in."""
        assert self._table is not None
        system, tree = run.system, self._tree
        nq, n, n_extras = system.n_coordinates, system.n_columns, len(system.extras)
        carried = n_extras + len(system.model.turns)
        tail = run.y[nq + n - n_extras :]
        y = np.concatenate([positions(tree, run.q), run.q[nq - carried :], np.zeros(tree.n_speeds), tail])
        if not np.array_equal(self._anchor, run.q):
            self._constants[:] = constants(tree, run.q)
            self._anchor = run.q.copy()
        kernels.tree_speeds_run(self._table.entries, float(run.clock[0]), y, run.v.copy())
        return y

    def _show(self, table: Table, time: float) -> None:
        kernels.tree_to_bodies_run(table.entries, time, self._y, self._bodies)

    def _measure(self, table: Table, time: float) -> float:
        return float(kernels.tree_measure_run(table.entries, time, self._y, np.zeros(self._y.size)))

    @property
    def _constants(self) -> Array:
        assert self._table is not None
        numbers = self._table.data[places.REDUCED_NUMBERS]
        size = T.SPACE_CONSTANTS if self._tree.system.per_body == 6 else T.PLANE_CONSTANTS
        return numbers[: size * len(self._tree.nodes)]


def tree_table(tree: Tree, floats: Array, loop_rows: list[int], q: Array, how: int = kernels.ARTICULATED) -> Table:
    """A table that kernels of the tree can be run from, its joint coordinates counted from a pose.

    Args:
        tree: The tree.
        floats: Numbers of the system as they are now.
        loop_rows: Independent equations that the tree does not hold by itself.
        q: The pose.
        how: How accelerations are found.
    """
    system = tree.system
    found = tree.once(("structure", tuple(loop_rows), how), lambda: _structure(tree, loop_rows, how, q))
    ints, pattern, head = found.ints, found.pattern, found.head
    numbers = np.concatenate([constants(tree, q), found.scales, [system.length**2]])
    work = np.zeros(found.room)
    kernels.tree_begin(ints, work[head[T.W_STATE] :])
    table = Table()
    table.shared = work[: kernels.WORK]
    n_extras, n_turns = len(system.extras), len(system.model.turns)
    first = tree.n_positions + n_extras + n_turns
    active = first + tree.n_speeds + n_extras + int(ints[L.N_STATES])
    table.entries[places.SIZE] = active + int(ints[L.N_FORCES]) + 1
    table.entries[places.N_ACTIVE] = active
    for place, data in (
        (places.INTS, ints), (places.FLOATS, floats), (places.PATTERN, pattern), (places.WORKSPACE, work),
        (places.REDUCED, head), (places.REDUCED_NUMBERS, numbers),
    ):  # fmt: skip
        table.put_data(place, data)
    of_places, of_speeds = np.split(found.scales, [tree.n_positions + n_extras])
    table.scales = np.ones(active)
    table.scales[:first] = np.concatenate([of_places, np.full(n_turns, 1e3)])
    table.scales[first : first + tree.n_speeds + n_extras] = of_speeds
    return table


class Structure(NamedTuple):
    """What the kernels are told of a tree and its rows, whatever the pose; not to be written to."""

    ints: Ints
    pattern: Ints
    head: Ints
    scales: Array  # of coordinates, then of speeds, places on curves with both
    room: int  # size of the workspace


def _structure(tree: Tree, loop_rows: list[int], how: int, q: Array) -> Structure:
    """Any pose in which the joints are closed tells the same."""
    system = tree.system
    ints = _without_tree_rows(system, tree.topology)
    pattern, supports = _loops(tree, loop_rows)
    head = _header(tree, q, supports, how)
    s, u = scales(tree)
    extra = [e.scale for e in system.extras]
    return Structure(ints, pattern, head, np.concatenate([s, extra, u, extra]), _places(head, tree, ints, pattern))


def _form_matrices(table: Table, tree: Tree) -> None:
    """Rates by the mass matrix of the tree, formed as a whole."""
    for place in (places.RATES, places.UNTREATED):
        table.put_routines(place, ("tree_matrix_rates",), tree_matrix.__name__)
    size, rows = int(table.entries[places.SIZE]), int(table.data[places.PATTERN][L.P_ROWS])
    n = tree.system.n_columns
    whole = size + tree.system.n_coordinates + n
    table.put_data(tree_matrix.DENSE, np.zeros(tree_matrix.dense_room(size, n, whole, tree.n_speeds, rows)))


def independent_rows(system: System, topology: Topology, acting: Sequence[int], q: Array, time: float) -> list[int]:
    """Rows beside the tree that are independent of it and of each other."""
    rows = list(topology.rows)
    if not rows:
        return rows
    inside = exact_rows(system, q, time, [row for row in acting if row not in set(rows)])
    free = rank_of(jacobian(system, q, time, inside)).freedom if inside else np.eye(system.n_columns)
    along = jacobian(system, q, time, rows) @ free
    # along the tree a row can nearly vanish: the largest come first, not those with the clearest directions
    _, sizes, order = linalg.qr(along.T, mode="economic", pivoting=True)
    rank = rank_of_pivots(system, np.diag(sizes))
    return sorted(rows[k] for k in order[:rank])


def _without_tree_rows(system: System, topology: Topology) -> Ints:
    """The system's integers with a table of elements that leaves out the rows which the tree holds by itself."""
    ints = system.ints
    inside = {branch.joint for branch in topology.branches}
    outputs = {
        int(ints[int(ints[L.AT_ROWS]) + L.ROW_SIZE * k]) for k, row in enumerate(system.rows) if row.owner in inside
    }
    by_output = {e.output + k: e for e in system.elements for k in range(len(e.columns))}
    idle: set[int] = set()
    ahead = list(outputs)
    while ahead:  # a formula's ingredients are its own
        element = by_output[ahead.pop()]
        if element.output not in idle:
            idle.add(element.output)
            ahead += element.inputs
    at = int(ints[L.AT_ELEMENTS])
    table = ints[at : at + L.ELEMENT_SIZE * len(system.elements)].reshape(-1, L.ELEMENT_SIZE)
    kept = table[[e.output not in idle for e in system.elements]]
    out = np.concatenate([ints, kept.ravel()])
    out[L.AT_ELEMENTS], out[L.N_ELEMENTS] = ints.size, len(kept)
    return out


def _loops(tree: Tree, rows: list[int]) -> tuple[Ints, list[list[int]]]:
    """Elimination pattern of rows along the freedoms of the tree, and per row, in that order, its nodes with their entries."""
    entries: dict[int, dict[int, int]] = {}
    supports: dict[int, list[int]] = {}
    at = 0
    for row in rows:
        own, flat = {}, []
        for node in support(tree, row):
            flat += [node, at]
            if node < 0:
                columns = [tree.n_speeds - node - 1]
            else:
                ahead = tree.nodes[node + 1].at_u if node + 1 < len(tree.nodes) else tree.n_speeds
                columns = list(range(tree.nodes[node].at_u, ahead))
            for column in columns:
                own[column] = at
                at += 1
        entries[row], supports[row] = own, flat
    pattern = build_pattern({row: tree.system.rows[row].owner for row in rows}, entries)
    order = pattern[int(pattern[L.P_AT_ROWS]) :][: len(rows)]
    return pattern, [supports[int(row)] for row in order]


def _header(tree: Tree, q: Array, supports: list[list[int]], how: int) -> Ints:
    """Integers of the tree."""
    system = tree.system
    head = [0] * T.HEADER_SIZE
    head[T.N_NODES], head[T.N_POSITIONS], head[T.N_SPEEDS] = len(tree.nodes), tree.n_positions, tree.n_speeds
    head[T.HOW] = how
    where = space if system.per_body == 6 else plane
    head[T.LOAD : T.LOAD + len(PARTS)] = addresses(tree_routines(system.model.space.dimension), where.__name__)
    head[T.AT_NODES] = len(head)
    head += node_table(tree)
    head[T.AT_NODE_OF_BODY] = len(head)
    head += [tree.node_of[b] for b in range(len(system.model.bodies) - 1)]
    head[T.AT_SUPPORT] = len(head)
    starts = len(head) + 2 * len(supports)
    flat: list[int] = []
    for own in supports:
        head += [starts + len(flat), len(own) // 2]
        flat += own
    head += flat
    head[T.AT_TURN_SPEEDS] = len(head)
    head += turn_speeds(tree, q)
    size = T.SPACE_CONSTANTS if system.per_body == 6 else T.PLANE_CONSTANTS
    head[T.AT_EXTRA_SCALES] = size * len(tree.nodes)
    head[T.UNIT_INERTIA] = head[T.AT_EXTRA_SCALES] + tree.n_positions + tree.n_speeds + 2 * len(system.extras)
    return np.array(head, dtype=np.int64)


def _places(head: Ints, tree: Tree, ints: Ints, pattern: Ints) -> int:
    """Enter where each part of what changes begins; returns the room that all take."""
    system = tree.system
    spatial = system.per_body == 6
    n, m, nu = system.n_columns, int(pattern[L.P_ROWS]), tree.n_speeds
    extras = len(system.extras)
    body = L.SPACE_BODY_SIZE if spatial else L.BODY_SIZE
    state = int(kernels.tree_begin(ints, np.zeros(0))) + body * n_massless(tree)
    entries = int(sum(head[int(head[T.AT_SUPPORT]) + 2 * k + 1] for k in range(m)))
    y = entries * system.per_body
    whole = system.n_coordinates + n + int(ints[L.N_STATES]) + int(ints[L.N_FORCES]) + 1
    rows = max(1, m)
    room = {
        T.W_STATE: state, T.W_OUT: L.OUTPUT_SIZE * int(ints[L.N_OUTPUTS]) + 1, T.W_JAC: int(ints[L.N_JACOBIAN]) + 1,
        T.W_WORK: int(ints[L.N_WORK]) + 4, T.W_FORCES: n, T.W_ACCEL: n, T.W_VELOCITY: n,
        T.W_NODES: (T.SPACE_NODE if spatial else T.PLANE_NODE) * len(tree.nodes), T.W_B: system.per_body * nu,
        T.W_U: system.per_body * nu, T.W_D: sum(6 if k.kind == T.FREE else 3 if k.kind == T.BALL else 1 for k in tree.nodes) * 6,
        T.W_NU: nu, T.W_UDOT: nu + extras, T.W_STEP: nu + extras, T.W_Y: y, T.W_WEIGHTED: y, T.W_LOWER: int(pattern[L.P_L_SIZE]),
        T.W_PIVOTS: rows, T.W_ROW: rows, T.W_PHI: rows, T.W_RATE: rows, T.W_GAMMA: rows, T.W_RESIDUAL: 2 * rows, T.W_TARGET: 3,
        T.W_CARTESIAN: whole, T.W_ENERGY: 4, T.W_RATES: whole, T.W_BODY_ROWS: int(ints[L.N_JACOBIAN]),
    }  # fmt: skip
    at = kernels.WORK
    for place, size in room.items():
        head[place] = at
        at += size + 1
    return at
