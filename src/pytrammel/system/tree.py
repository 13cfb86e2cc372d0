"""Joint coordinates: how the bodies of a tree follow from them, packed for the kernels at one pose, where all of them are zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.joints.constraint import Freedom
from pytrammel.kernels import layout as L
from pytrammel.kernels.trees import layout as T
from pytrammel.model.bodies import GROUND
from pytrammel.system.lowering import System
from pytrammel.system.topology import Branch, Topology

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Motion = tuple[int, Freedom | None]  # kind, and the axis that it is about

Known = TypeVar("Known")

SAME_AXIS = 1e-9
SPEEDS = {T.FIXED: 0, T.TURN: 1, T.SLIDE: 1, T.BALL: 3}


@dataclass(frozen=True)
class Node:
    """A frame of the tree.

    Attributes:
        branch: The branch it belongs to.
        kind: What it can do against its parent.
        parent: Number of the parent, -1 for the ground.
        body: Number of the moving body that it is, -1 for a frame without mass between two motions.
        at_s, at_u: Its first coordinate and its first speed.
        label: Name of its motion.
    """

    branch: Branch
    kind: int
    motion: Freedom | None
    parent: int
    body: int
    at_s: int
    at_u: int
    label: str


@dataclass(frozen=True)
class Tree:
    """The structure of a tree, whatever the pose.

    Attributes:
        topology: The spanning tree.
        nodes: Frames, parents first.
        n_positions, n_speeds: Numbers of coordinates (four for a ball) and of speeds.
        known: What follows from the structure alone, worked out once for all runs.
    """

    system: System
    topology: Topology
    nodes: tuple[Node, ...]
    n_positions: int
    n_speeds: int
    known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, key: Any, work: Callable[[], Known]) -> Known:
        """What was worked out for this structure before, or is now."""
        if key not in self.known:
            self.known[key] = work()
        found: Known = self.known[key]
        return found

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the speeds, after the motion that each belongs to."""
        names: list[str] = []
        per_body = self.system.per_body
        for node in self.nodes:
            if node.kind == T.FREE:
                names += [f"{node.branch.body}.{c}" for c in self.system.model.space.columns]
            elif node.kind == T.BALL:
                names += [f"{node.label}.{c}" for c in ("wx", "wy", "wz")]
            elif node.kind != T.FIXED:
                names.append(node.label)
        assert per_body in (3, 6)
        return tuple(names)

    @property
    def seats(self) -> _Seats:
        """Where the motions stand."""
        return self.once("seats", lambda: _seats(self))

    @property
    def node_of(self) -> dict[int, int]:
        """Node of each moving body."""
        return self.once("node of", lambda: {node.body: k for k, node in enumerate(self.nodes) if node.body >= 0})


def build_tree(system: System, topology: Topology) -> Tree:
    """Nodes of a spanning tree: one per body, and massless ones between the motions of a joint with several."""
    space = system.per_body == 6
    number = {name: k - 1 for k, name in enumerate(system.model.bodies)}
    node_of: dict[str, int] = {GROUND: -1}
    nodes: list[Node] = []
    s = u = 0
    for branch in topology.branches:
        at = node_of[branch.parent]
        motions: Sequence[Motion] = [(T.FREE, None)] if not branch.joint else _motions(system, branch)
        labels = _labels(system, branch, motions)
        for k, ((kind, motion), label) in enumerate(zip(motions, labels, strict=True)):
            last = k == len(motions) - 1
            nodes.append(Node(branch, kind, motion, at, number[branch.body] if last else -1, s, u, label))
            at = len(nodes) - 1
            s += (7 if space else 3) if kind == T.FREE else 4 if kind == T.BALL else SPEEDS[kind]
            u += system.per_body if kind == T.FREE else SPEEDS[kind]
        node_of[branch.body] = at
    return Tree(system, topology, tuple(nodes), s, u)


def _motions(system: System, branch: Branch) -> list[Motion]:
    """Motions of a joint one after another from the parent to the body; three rotations of one body are a ball."""
    joint = system.model.constraints[branch.joint]
    free = list(joint.freedom or ())
    ordered = sorted(free, key=lambda f: f.seat) if not branch.turned_round else sorted(free, key=lambda f: -f.seat)
    out: list[Motion] = []
    balls: set[int] = set()
    for motion in ordered:
        turns = [f for f in free if f.kind == "rotation" and f.seat == motion.seat]
        if motion.kind == "rotation" and len(turns) == 3:
            if motion.seat not in balls:
                balls.add(motion.seat)
                out.append((T.BALL, motion))
        else:
            out.append((T.TURN if motion.kind == "rotation" else T.SLIDE, motion))
    return out or [(T.FIXED, None)]


def _labels(system: System, branch: Branch, motions: Sequence[Motion]) -> list[str]:
    """Names of the motions after the joint's measures, where these are as many and of the same sort."""
    if not branch.joint:
        return [branch.body]
    joint = system.model.constraints[branch.joint]
    units = {"rotation": "rad", "translation": "m"}
    left = [(name, q.units[0]) for name, q in joint.measures.items() if name in joint.moving]
    out = []
    for k, (kind, motion) in enumerate(motions):
        fits = [name for name, unit in left if motion is not None and kind != T.BALL and unit == units[motion.kind]]
        if fits:
            left = [pair for pair in left if pair[0] != fits[0]]
            out.append(f"{joint.name}.{fits[0]}")
        else:
            out.append(joint.name if len(motions) == 1 else f"{joint.name}.{k + 1}")
    return out


# --- the numbers at one pose ---------------------------------------------------------------------------------------------


class _Seats(NamedTuple):
    """Where the motions of the nodes stand, as tables: numbers of bodies (the ground is 0) and of nodes (the ground is -1)."""

    own: Ints
    carrier: Ints
    parent: Ints
    is_body: NDArray[np.bool_]
    point: Array
    axis: Array


def _seats(tree: Tree) -> _Seats:
    model = tree.system.model
    number = {name: k for k, name in enumerate(model.bodies)}
    own, carriers, points, axes = [], [], [], []
    for node in tree.nodes:
        own.append(number[node.branch.body])
        point = axis = (0.0,) * model.space.dimension
        carrier = own[-1]
        if node.branch.joint:
            joint, motion = model.constraints[node.branch.joint], node.motion
            seat = joint.seats[0 if motion is None else motion.seat]
            carrier, point = number[seat.body], seat.point
            if motion is not None and motion.axis and node.kind != T.BALL:
                sign = -1.0 if node.branch.turned_round else 1.0
                axis = tuple(sign * x for x in motion.axis)
        carriers.append(carrier)
        points.append(point)
        axes.append(axis)
    return _Seats(
        np.array(own), np.array(carriers), np.array([node.parent for node in tree.nodes]),
        np.array([node.body >= 0 for node in tree.nodes]), np.array(points), np.array(axes),
    )  # fmt: skip


def _poses(system: System, q: Array) -> tuple[Array, Array, Array]:
    """Origins, rotation matrices and Euler parameters (or angles) of all bodies, the ground first."""
    bodies = len(system.model.bodies) - 1
    if system.per_body == 6:
        own = q[: 7 * bodies].reshape(bodies, 7)
        p = own[:, 3:] / np.linalg.norm(own[:, 3:], axis=1, keepdims=True)
        r, p = np.vstack([np.zeros(3), own[:, :3]]), np.vstack([[1.0, 0.0, 0.0, 0.0], p])
        return r, np.asarray(rotations.matrix(p)), p
    own = q[: 3 * bodies].reshape(bodies, 3)
    phi = np.concatenate([[0.0], own[:, 2]])
    c, s = np.cos(phi), np.sin(phi)
    return np.vstack([np.zeros(2), own[:, :2]]), np.array([[c, -s], [s, c]]).transpose(2, 0, 1), phi[:, None]


def constants(tree: Tree, q: Array) -> Array:
    """What joins each node to its parent, with all joint coordinates zero at this pose."""
    space = tree.system.per_body == 6
    out = np.zeros((len(tree.nodes), T.SPACE_CONSTANTS if space else T.PLANE_CONSTANTS))
    if not tree.nodes:
        return out.ravel()
    at = tree.seats
    r, A, p = _poses(tree.system, q)
    point = r[at.carrier] + np.einsum("kij,kj->ki", A[at.carrier], at.point)
    axis = np.einsum("kij,kj->ki", A[at.carrier], at.axis)
    own_r, own_A, own_p = np.where(at.is_body[:, None], r[at.own], point), A[at.own], p[at.own]
    # the ground stands behind the nodes, where -1 leads
    parent_r, parent_A, parent_p = (
        np.concatenate([own, ground[:1]])[at.parent] for own, ground in ((own_r, r), (own_A, A), (own_p, p))
    )
    on_parent = np.einsum("kji,kj->ki", parent_A, point - parent_r)
    on_own = np.einsum("kji,kj->ki", own_A, point - own_r)
    if not space:
        out[:, T.POINT : T.POINT + 2], out[:, T.OWN_POINT : T.OWN_POINT + 2] = on_parent, on_own
        out[:, T.AXIS : T.AXIS + 2] = np.einsum("kji,kj->ki", parent_A, axis)
        out[:, T.ANGLE] = (own_p - parent_p)[:, 0]
        return out.ravel()
    out[:, T.SPACE_POINT : T.SPACE_POINT + 3], out[:, T.SPACE_OWN_POINT : T.SPACE_OWN_POINT + 3] = on_parent, on_own
    zero = _times(parent_p * [1.0, -1.0, -1.0, -1.0], own_p)
    own_axis = np.einsum("kji,kj->ki", own_A, axis)
    out[:, T.ZERO : T.ZERO + 4] = zero
    out[:, T.SPACE_AXIS : T.SPACE_AXIS + 3] = own_axis
    out[:, T.HALF : T.HALF + 4] = _times(zero, np.concatenate([np.zeros((len(zero), 1)), own_axis], axis=1))
    out[:, T.PITCH] = [1.0 if n.kind == T.SLIDE else 0.0 if n.motion is None else n.motion.pitch for n in tree.nodes]
    return out.ravel()


def _times(p: Array, q: Array) -> Array:
    """Products of quaternions of any length, row by row."""
    scalar = p[:, :1] * q[:, :1] - (p[:, 1:] * q[:, 1:]).sum(axis=1, keepdims=True)
    return np.concatenate([scalar, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])], axis=1)


def positions(tree: Tree, q: Array) -> Array:
    """Joint coordinates at the pose where the constants were found: zero, and whole for bodies that are free."""
    out = np.zeros(tree.n_positions)
    per_body = len(tree.system.model.space.positions)
    for node in tree.nodes:
        if node.kind == T.FREE:
            out[node.at_s : node.at_s + per_body] = q[per_body * node.body : per_body * (node.body + 1)]
        elif node.kind == T.BALL:
            out[node.at_s] = 1.0
    return out


def scales(tree: Tree) -> tuple[Array, Array]:
    """What counts as one for each coordinate and each speed."""
    length = tree.system.length
    s, u = np.ones(tree.n_positions), np.ones(tree.n_speeds)
    for node in tree.nodes:
        if node.kind == T.SLIDE:
            s[node.at_s] = u[node.at_u] = length
        elif node.kind == T.BALL:
            s[node.at_s : node.at_s + 4] = 0.5
        elif node.kind == T.FREE:
            n = 3 if tree.system.per_body == 6 else 2
            s[node.at_s : node.at_s + n] = u[node.at_u : node.at_u + n] = length
            if n == 3:
                s[node.at_s + 3 : node.at_s + 7] = 0.5
    return s, u


# --- for the kernels -----------------------------------------------------------------------------------------------------


def node_table(tree: Tree) -> list[int]:
    """The nodes as integers."""
    system = tree.system
    space = system.per_body == 6
    body_size = L.SPACE_BODY_SIZE if space else L.BODY_SIZE
    state_size = (
        L.FIRST_BODY + body_size * len(system.model.bodies) + L.EXTRA_SIZE * len(system.extras) + len(system.model.turns)
        + int(system.ints[L.N_STATES])
    )  # fmt: skip
    constants_size = T.SPACE_CONSTANTS if space else T.PLANE_CONSTANTS
    massless = 0
    places: list[int] = []
    out: list[int] = []
    at_d = 0
    for k, node in enumerate(tree.nodes):
        if node.body >= 0:
            place = L.FIRST_BODY + body_size * (node.body + 1)
        else:
            place = state_size + body_size * massless
            massless += 1
        places.append(place)
        n = system.per_body if node.kind == T.FREE else SPEEDS[node.kind]
        parent_place = places[node.parent] if node.parent >= 0 else L.FIRST_BODY
        out += [
            node.kind, place, node.parent, parent_place, node.at_s, node.at_u, n, constants_size * k, node.body, at_d,
        ]  # fmt: skip
        at_d += n * n
    return out


def turn_speeds(tree: Tree, q: Array) -> list[int]:
    """Per turn counter the speed that it follows, with its sign; -1 where it follows none alone."""
    by_pair = {frozenset((n.branch.parent, n.branch.body)): n for n in tree.nodes if n.kind == T.TURN}
    turning: dict[Branch, int] = {}
    for node in tree.nodes:
        turning[node.branch] = turning.get(node.branch, 0) + {T.TURN: 1, T.BALL: 3}.get(node.kind, 0)
    number = {name: k for k, name in enumerate(tree.system.model.bodies)}
    axes = _poses(tree.system, q)[1]
    out: list[int] = []
    for turn in tree.system.model.turns.values():
        found = by_pair.get(frozenset((turn.first, turn.second)))
        out += [-1, 0]
        if found is None or turning[found.branch] != 1 or found.motion is None:
            continue
        seat = tree.system.model.constraints[found.branch.joint].seats[found.motion.seat]
        (a, b, c), (d, e, f) = turn.data[:3], turn.data[3:6]
        about = axes[number[turn.first]] @ (b * f - c * e, c * d - a * f, a * e - b * d)
        along = float(about @ (axes[number[seat.body]] @ found.motion.axis))
        if abs(abs(along) - 1.0) < SAME_AXIS:
            # the node's axis is the joint's, turned round where the joint is; its body turns against its parent
            sign = -1 if found.branch.turned_round else 1
            sign *= 1 if turn.first == found.branch.parent else -1
            out[-2:] = [found.at_u, sign if along > 0.0 else -sign]
    return out


def n_massless(tree: Tree) -> int:
    """Nodes that are no bodies."""
    return sum(node.body < 0 for node in tree.nodes)


def support(tree: Tree, row: int) -> list[int]:
    """Nodes through which a row acts, from the leaves to the root; extra coordinates as negative numbers, last."""
    system, node_of = tree.system, tree.node_of
    first_extra = system.n_columns - len(system.extras)
    found: set[int] = set()
    extras: set[int] = set()
    for column in system.row_columns[row]:
        if column >= first_extra:
            extras.add(first_extra - column - 1)
        elif column >= 0:
            node = node_of[column // system.per_body]
            while node >= 0 and node not in found:
                found.add(node)
                node = tree.nodes[node].parent
    return sorted(found, reverse=True) + sorted(extras, reverse=True)
