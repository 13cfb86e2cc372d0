"""Which way round joints close: z axes that point the same way, never opposite, however the bodies were drawn."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.joints.constraint import Constraint
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import System

Array = NDArray[np.float64]
KEPT = 1e-3  # how much of the drawn orientation decides where an alignment leaves a choice


@dataclass(frozen=True)
class Alignment:
    """A quantity that is positive where a joint is closed as it is meant: the sum of `weights` times A_i' A_j, entry by entry."""

    joint: str
    first: str
    second: str
    weights: Array


def alignments(model: Model, acting: Collection[str], time: float) -> list[Alignment]:
    """All alignments of the constraints that act."""
    return [
        Alignment(joint.name, quantity.bodies[0], quantity.bodies[1], _weights(quantity, time))
        for joint in model.constraints.values()
        if joint.name in acting
        for quantity in joint.aligned
    ]


def _weights(quantity: Quantity, time: float) -> Array:
    """A scalar product of two axes, or a weighted sum of such products, as weights of the relative rotation matrix."""
    if quantity.formula is None:
        u, w = np.array(quantity.data).reshape(2, 3)
        return np.outer(u, w)
    total = np.zeros((3, 3))
    for name, inner in quantity.inputs.items():
        given = {key: float(key == name) for key in quantity.inputs}
        total += float(quantity.formula.evaluate({**given, "t": time})) * _weights(inner, time)
    return total


def poses(system: System, q: Array) -> tuple[dict[str, Array], dict[str, Array]]:
    """Places and rotation matrices of all bodies in space."""
    names = list(system.model.bodies)
    table = q[: 7 * (len(names) - 1)].reshape(-1, 7)
    places = {GROUND: np.zeros(3)} | {name: table[k, :3].copy() for k, name in enumerate(names[1:])}
    matrices = rotations.matrix(table[:, 3:]) if len(table) else table
    turned = {GROUND: np.eye(3)} | {name: np.asarray(matrices[k]) for k, name in enumerate(names[1:])}
    return places, turned


def wrong_way(found: Collection[Alignment], system: System, q: Array) -> list[str]:
    """Joints that are closed the wrong way round."""
    if not found:
        return []
    _, turned = poses(system, q)
    values = ((a.joint, float((a.weights * (turned[a.first].T @ turned[a.second])).sum())) for a in found)
    return list(dict.fromkeys(name for name, value in values if value < 0.0))


def steered(found: Collection[Alignment], system: System, q: Array, *, every: bool) -> Array:
    """Start from which joints close the right way: bodies turned about their joints, with all that hangs on them, from the ground on.

    Args:
        found: Alignments of the constraints that act.
        system: The system.
        q: Where the bodies are.
        every: Turn at every joint; otherwise at those that point the wrong way.
    """
    places, turned = poses(system, q)
    wanted: dict[tuple[str, str], list[Alignment]] = {}
    for a in found:
        wanted.setdefault((a.first, a.second), []).append(a)
    below: dict[str, list[str]] = {name: [] for name in system.model.bodies}
    edges = list(_tree(system.model, wanted))
    for parent, child, _ in edges:
        below[parent].append(child)
    for parent, child, joint in edges:
        goal = _goal(parent, child, wanted, turned, every)
        if goal is None:
            continue
        pivot, target = places[child].copy(), None
        ends = {seat.body: seat for seat in joint.seats}
        if parent in ends and child in ends:
            pivot = places[child] + turned[child] @ np.array(ends[child].point)
            target = places[parent] + turned[parent] @ np.array(ends[parent].point) if joint.span == 0.0 else pivot
        turn = goal @ turned[child].T
        moving = deque([child])
        while moving:
            body = moving.popleft()
            moving.extend(below[body])
            places[body] = (pivot if target is None else target) + turn @ (places[body] - pivot)
            turned[body] = turn @ turned[body]
    out = q.copy()
    for k, name in enumerate(list(system.model.bodies)[1:]):
        p = np.asarray(rotations.parameters(np.asarray(rotations.nearest_rotation(turned[name]))))
        out[7 * k : 7 * k + 7] = [*places[name], *p]
    return out


def _tree(model: Model, wanted: Mapping[tuple[str, str], object]) -> list[tuple[str, str, Constraint]]:
    """Bodies in the order in which they hang on the ground: (body, body that hangs on it, joint). Joints with axes come first."""
    pairs = [(c.bodies[0], c.bodies[1], c) for c in model.constraints.values() if len(c.bodies) == 2 and c.seats]
    pairs.sort(key=lambda pair: pair[:2] not in wanted and pair[1::-1] not in wanted)
    seen: set[str] = set()
    out = []
    for root in model.bodies:
        if root in seen:
            continue
        seen.add(root)
        queue = deque([root])
        while queue:
            body = queue.popleft()
            for one, two, joint in pairs:
                far = two if one == body else one if two == body else None
                if far is not None and far not in seen:
                    seen.add(far)
                    queue.append(far)
                    out.append((body, far, joint))
    return out


def _goal(
    parent: str,
    child: str,
    wanted: Mapping[tuple[str, str], list[Alignment]],
    turned: Mapping[str, Array],
    every: bool,
) -> Array | None:
    """Rotation matrix that the child should have: the one nearest to its own that its alignments like best (Procrustes)."""
    relative = turned[parent].T @ turned[child]
    weights = [a.weights for a in wanted.get((parent, child), [])]
    weights += [a.weights.T for a in wanted.get((child, parent), [])]
    if not weights or not (every or any(float((w * relative).sum()) < 0.0 for w in weights)):
        return None
    u, _, vt = np.linalg.svd(sum(weights) + KEPT * relative)
    best: Array = turned[parent] @ (u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt)
    return best
