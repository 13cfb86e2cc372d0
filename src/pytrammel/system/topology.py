"""Which bodies hang on which by which joints: a spanning tree of a mechanism, and the joints that are cut to get it."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint, Freedom
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.system.lowering import System


@dataclass(frozen=True)
class Branch:
    """A body and what it hangs on.

    Attributes:
        body: The body.
        parent: The body it hangs on; the ground for one without a joint.
        joint: The joint between them; "" for a body that is free to move.
        turned_round: The joint's second body is the parent.
    """

    body: str
    parent: str
    joint: str
    turned_round: bool = False


@dataclass(frozen=True)
class Topology:
    """A spanning tree.

    Attributes:
        branches: Bodies with what they hang on, parents first.
        rows: Rows that the tree does not hold by itself: of joints that close loops, and of all that is no joint of a tree.
        cut: The constraints that these rows belong to.
    """

    branches: tuple[Branch, ...]
    rows: tuple[int, ...]
    cut: tuple[str, ...]

    @property
    def bases(self) -> tuple[str, ...]:
        """Bodies that hang on nothing."""
        return tuple(branch.body for branch in self.branches if not branch.joint)


def can_carry(model: Model, joint: Constraint) -> bool:
    """Return True if a body can hang on another by this joint: all it leaves free are motions about axes, and it does nothing else."""
    per_body = len(model.space.columns)
    free = joint.freedom
    if free is None or joint.is_driver or joint.extras or len(joint.bodies) != 2 or not joint.n_rows:
        return False
    if joint.n_rows + len(free) != per_body or (joint.span and per_body == 6) or not _one_after_another(free):
        return False
    return all(isinstance(target, int | float) for block in joint.blocks for target in block.targets)


def _one_after_another(free: Sequence[Freedom]) -> bool:
    """Whether the motions can follow each other: on each body one rotation or a ball, and slides of the second body along its axis."""
    turns = [[f for f in free if f.kind == "rotation" and f.seat == seat] for seat in (0, 1)]
    if any(len(own) not in (0, 1, 3) for own in turns):
        return False
    slides = [f for f in free if f.kind == "translation" and f.seat == 1]
    return all(f.axis == turn.axis for f in slides for own in turns for turn in own)


def spanning_tree(
    system: System, rows: Sequence[int], *, base: str = "heaviest", cut: str | Collection[str] | None = None
) -> Topology:
    """A tree from the ground, and from a base for bodies that are not joined to it.

    Joints that leave the most free are cut first, for they add the fewest rows; among equals the tree stays flat, so that loops are short.

    Args:
        system: The system.
        rows: Rows that act.
        base: Which body of a part that floats carries it: "heaviest", "root" (the first that is not the second body of a joint), "distance"
            (the one from which the joints' freedoms are most evenly spread, Nikravesh 13.4), or the name of a body.
        cut: Joints to cut, or the one; chosen by default.
    """
    model = system.model
    joints = _tree_joints(system, rows)
    if isinstance(cut, str):
        cut = (cut,)
    if cut is not None and not (isinstance(cut, Collection) and all(isinstance(name, str) for name in cut)):
        raise ModelError(f"cut={cut!r} must be the name of a joint, or a list of such.")
    unknown = [name for name in cut or () if name not in model.constraints]
    if unknown:
        raise ModelError(
            f"cut={unknown[0]!r} is no joint of model {model.name!r}; it has: {', '.join(map(repr, joints))}."
        )
    if base not in ("heaviest", "root", "distance") and (base not in model.bodies or base == GROUND):
        raise ModelError(
            f"base={base!r} is no body; use 'heaviest', 'root', 'distance' or one of: {', '.join(list(model.bodies)[1:])}."
        )
    allowed = {name: joint for name, joint in joints.items() if name not in (cut or ())}
    around: dict[str, list[str]] = {name: [] for name in model.bodies}
    for name, joint in allowed.items():
        for body in joint.bodies:
            around[body].append(name)
    found: dict[str, Branch] = {}
    if base in model.bodies:
        _grow(GROUND, allowed, around, found)
        if base in found:
            raise ModelError(
                f"base={base!r}: this body is joined to the ground, which is the base there; a base can be chosen for parts that float."
            )
        _grow(base, allowed, around, found)
    _grow(GROUND, allowed, around, found)
    for part in _parts(model, allowed, found):
        _grow(_base(model, allowed, part, base), allowed, around, found)
    inside = {branch.joint for branch in found.values()}
    if cut is not None:
        missed = [name for name in joints if name not in inside and name not in cut]
        if missed:
            raise ModelError(
                f"cut={sorted(cut)} leaves a loop closed: {', '.join(map(repr, missed))} must be cut, too, or others of the same loop."
            )
    left = tuple(row for row in rows if system.rows[row].owner not in inside)
    return Topology(tuple(found.values()), left, tuple(dict.fromkeys(system.rows[row].owner for row in left)))


def _tree_joints(system: System, rows: Sequence[int]) -> dict[str, Constraint]:
    """Joints that can be in a tree, if all their rows act with the targets that they were drawn with."""
    acting: dict[str, int] = {}
    for row in rows:
        acting[system.rows[row].owner] = acting.get(system.rows[row].owner, 0) + 1
    model = system.model
    return {
        name: joint
        for name, joint in model.constraints.items()
        if can_carry(model, joint) and acting.get(name) == joint.n_rows
    }


def _grow(
    root: str, joints: Mapping[str, Constraint], around: Mapping[str, list[str]], found: dict[str, Branch]
) -> None:
    """Hang all that can be reached on a root."""
    if root != GROUND:
        found[root] = Branch(root, GROUND, "")
    depth = {root: 0, **({} if root == GROUND else {GROUND: -1})}
    order = {name: k for k, name in enumerate(joints)}
    heap: list[tuple[int, int, int, str, str]] = []

    def offer(body: str) -> None:
        for name in around[body]:
            joint = joints[name]
            other = joint.bodies[1] if joint.bodies[0] == body else joint.bodies[0]
            if other not in found and other != GROUND:
                heapq.heappush(heap, (-joint.n_rows, depth[body], order[name], name, other))

    offer(root)
    while heap:
        _, above, _, name, body = heapq.heappop(heap)
        if body in found:
            continue
        joint = joints[name]
        parent = joint.bodies[1] if joint.bodies[0] == body else joint.bodies[0]
        depth[body] = above + 1
        found[body] = Branch(body, parent, name, turned_round=joint.bodies[0] == body)
        offer(body)


def _parts(model: Model, joints: Mapping[str, Constraint], found: Collection[str]) -> list[list[str]]:
    """Bodies that nothing carries yet, joined to each other."""
    left = [name for name in list(model.bodies)[1:] if name not in found]
    group = {name: name for name in left}

    def root(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    for joint in joints.values():
        one, two = joint.bodies
        if one in group and two in group:
            group[root(two)] = root(one)
    parts: dict[str, list[str]] = {}
    for name in left:
        parts.setdefault(root(name), []).append(name)
    return list(parts.values())


def _base(model: Model, joints: Mapping[str, Constraint], part: Sequence[str], how: str) -> str:
    """The body of a floating part that carries the others."""
    if how == "distance":
        return most_central({name: len(joint.freedom or ()) for name, joint in joints.items()}, joints, part)
    if how == "root":
        carried = {joint.bodies[1] for joint in joints.values()}
        return next((name for name in part if name not in carried), part[0])
    return max(part, key=lambda name: model.bodies[name].mass or 0.0)


def most_central(distance: Mapping[str, int], joints: Mapping[str, Constraint], part: Sequence[str]) -> str:
    """The body from which the freedoms of the joints on its sides are spread most evenly (13.4): the least difference of two sides.

    With more than two sides, those with the most and the least freedoms count.
    """
    sums = {body: sorted(sides_of(distance, {n: j.bodies for n, j in joints.items()}, body)) for body in part}
    return min(part, key=lambda body: sums[body][-1] - (sums[body][0] if len(sums[body]) > 1 else 0))


def sides_of(distance: Mapping[str, int], joints: Mapping[str, tuple[str, ...]], body: str) -> list[int]:
    """Sum of the joints' distances on each side of a body of a tree."""
    out = []
    for first, bodies in joints.items():
        if body not in bodies:
            continue
        total, seen, ahead = 0, {body}, [first]
        while ahead:
            name = ahead.pop()
            total += distance[name]
            for other in joints[name]:
                if other not in seen:
                    seen.add(other)
                    ahead += [
                        n for n, pair in joints.items() if other in pair and n != name and not (set(pair) <= seen)
                    ]
        out.append(total)
    return out
