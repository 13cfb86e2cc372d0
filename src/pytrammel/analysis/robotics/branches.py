"""Branches of positions that spread over a grid, with their boundaries and the crossings of singularities of type 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.progress import Progress
from pytrammel.analysis.robotics.measures import maps, pair_signs, sizes_of
from pytrammel.analysis.robotics.mechanism import Mechanism
from pytrammel.analysis.robotics.task import Target, Task

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
PARTS = (1, 4, 16)  # parts of the way between neighbours in which Newton's method is tried
LONGEST = 1.0  # largest change of a scaled coordinate between neighbours on one branch
HALVINGS = 36  # bisections along a cell's edge: to 1e-10 of a cell, or to the rounding of Newton's method
MEETING = 1e-6  # conditioning of the starting position below which branches meet there
DISPLACEMENTS = (0.2, 0.6, 1.5)  # random ones from a starting position on the boundary, in scales of the coordinates
SAME = 1e-4  # distance of positions on one branch, in model lengths and radians


@dataclass
class Branch:
    """Positions of one branch, by node of the grid, and the edges where it ends."""

    q: Array
    reached: Mask
    ends: NDArray[np.int64]  # pairs of nodes: reached, not reached; shape (n, 2)


class BranchSearch:
    """Positions that spread over a grid."""

    def __init__(
        self, mechanism: Mechanism, task: Task, goal: Target, names: Sequence[str], axes: tuple[Array, ...], used: Sequence[str],
        cross: bool,
    ) -> None:  # fmt: skip
        self.mechanism, self.task, self.goal, self.names, self.axes = mechanism, task, goal, tuple(names), axes
        self.start: Array | None = None
        self.is_singular = False  # starting position of type 1, where branches meet
        self.cross = cross
        self.shape = tuple(map(len, axes))
        self.nodes = np.stack([x.ravel() for x in np.meshgrid(*axes, indexing="ij")], axis=-1)
        self.columns = [list(used).index(name) for name in names]
        self.square = len(task.components) == mechanism.freedoms
        self.controlled = self.square and len(mechanism.acting) == mechanism.freedoms
        strides = np.cumprod((1, *self.shape[:0:-1]))[::-1]
        index = np.stack(np.unravel_index(np.arange(len(self.nodes)), self.shape), axis=-1)
        steps = []
        for k, stride in enumerate(strides):
            for sign in (1, -1):
                inside = (index[:, k] + sign >= 0) & (index[:, k] + sign < self.shape[k])
                steps.append(np.where(inside, np.arange(len(self.nodes)) + sign * int(stride), -1))
        self.neighbours = np.stack(steps, axis=-1)  # (nodes, 2 k), -1 outside

    def goals(self, points: Array) -> Target:
        """Targets with given components of the grid."""
        goal = self.goal.take(np.zeros(len(points), dtype=int))
        values = goal.values.copy()
        values[:, self.columns] = points
        return Target(values, goal.orientation)

    def first(self, start: Array) -> tuple[int, Array] | None:
        """A node near the starting position, and its coordinates."""
        q, good = self.mechanism.solve(start, self.task, self.goal)
        if not good[0]:
            q, good = self.mechanism.solve(self.mechanism.random(np.random.default_rng(1), 256), self.task,
                                           self.goal.take(np.zeros(256, dtype=int)))  # fmt: skip
            if not good.any():
                return None
            away = np.abs(self.mechanism.places(q[good]) - self.mechanism.places(start)).max(axis=-1)
            q = q[good][[int(np.argmin(away))]]
        here, self.start = self.goal.values[0, self.columns], q
        self.is_singular = bool(sizes_of(*maps(self.mechanism, self.task, q))["serial"][0] < MEETING)
        for node in np.argsort(np.linalg.norm(self.nodes - here, axis=-1))[: 3 ** len(self.axes)]:
            q_node, fine = self.follow(q, here[None], self.nodes[[node]])
            if fine[0]:
                return int(node), q_node[0]
        return self._inwards(start, here)

    def _inwards(self, start: Array, here: Array) -> tuple[int, Array] | None:
        """A node near a starting position on the boundary (an arm that is drawn stretched), from small random displacements."""
        mechanism, random = self.mechanism, np.random.default_rng(2)
        near = np.argsort(np.linalg.norm(self.nodes - here, axis=-1))[: 9 ** len(self.axes)]
        for size in DISPLACEMENTS:
            moved = mechanism.moved(
                np.tile(start, (len(near), 1)), size * random.uniform(-1.0, 1.0, (len(near), mechanism.nv))
            )
            q, good = mechanism.solve(moved, self.task, self.goals(self.nodes[near]))
            if good.any():
                first = int(np.argmax(good))
                self.start = q[[first]]
                return int(near[first]), q[first]
        return None

    def follow(self, q: Array, begin: Array, end: Array) -> tuple[Array, Mask]:
        """Coordinates at other points on the same branch, and where they were found."""
        out, done = q.copy(), np.zeros(len(q), dtype=bool)
        for parts in PARTS:
            left = np.flatnonzero(~done)
            if not left.size:
                break
            now, fine = q[left], np.ones(len(left), dtype=bool)
            for k in range(1, parts + 1):
                some = np.flatnonzero(fine)
                if not some.size:
                    break
                point = begin[left[some]] + k / parts * (end[left[some]] - begin[left[some]])
                solved, good = self.mechanism.solve(now[some], self.task, self.goals(point), iterations=12)
                good[good] = self._same_branch(now[some][good], solved[good], parts)
                now[some] = solved
                fine[some] = good
            done[left], out[left[fine]] = fine, now[fine]
        return out, done

    def _same_branch(self, q: Array, other: Array, parts: int) -> Mask:
        """Return True where two positions are near each other and no singularity of type 1 lies between them."""
        mechanism = self.mechanism
        if not len(q):
            return np.zeros(0, dtype=bool)
        near = np.abs(mechanism.places(q) - mechanism.places(other)).max(axis=-1) < LONGEST / parts**0.5
        if self.square:
            first, second = pair_signs(mechanism, self.task, q, other)
            near &= first > 0.0
            if not self.cross and self.controlled:
                near &= second > 0.0
        return np.asarray(near)

    def spread(self, node: int, q: Array, bar: Progress) -> Branch:
        """All nodes that are reached from one."""
        mechanism, count = self.mechanism, len(self.nodes)
        places, reached = np.tile(q, (count, 1)), np.zeros(count, dtype=bool)
        reached[node] = True
        front, ends = np.array([node]), []
        while front.size:
            pairs = np.stack([np.repeat(front, self.neighbours.shape[1]), self.neighbours[front].ravel()], axis=-1)
            pairs = pairs[pairs[:, 1] >= 0]
            pairs = pairs[~reached[pairs[:, 1]]]
            fresh: list[NDArray[np.int64]] = []
            while len(pairs):  # each node from one neighbour, and from the next one if that fails
                _, one = np.unique(pairs[:, 1], return_index=True)
                trial, rest = pairs[one], np.delete(pairs, one, axis=0)
                found, good = self.follow(places[trial[:, 0]], self.nodes[trial[:, 0]], self.nodes[trial[:, 1]])
                new = trial[good, 1]
                places[new], reached[new] = mechanism.nearest_turns(found[good], places[trial[good, 0]]), True
                ends.append(trial[~good])
                fresh.append(new)
                pairs = rest[~reached[rest[:, 1]]]
            front = np.concatenate(fresh) if fresh else np.zeros(0, dtype=np.int64)
            bar.update(float(reached.mean()), f"{int(reached.sum())} positions")
        listed = np.concatenate(ends) if ends else np.zeros((0, 2), dtype=np.int64)
        return Branch(places, reached, listed[~reached[listed[:, 1]]])

    def boundary(self, branch: Branch) -> tuple[Array, Array]:
        """The last point of the branch on each edge where it ends, and its coordinates."""
        begin, end = self.nodes[branch.ends[:, 0]], self.nodes[branch.ends[:, 1]]
        q, low, high = branch.q[branch.ends[:, 0]].copy(), np.zeros(len(begin)), np.ones(len(begin))
        for _ in range(HALVINGS):
            if not len(begin):
                break
            middle = 0.5 * (low + high)
            point = begin + middle[:, None] * (end - begin)
            found, good = self.mechanism.solve(q, self.task, self.goals(point), iterations=25)
            good[good] = self._same_branch(q[good], found[good], 1)
            q[good] = found[good]
            low, high = np.where(good, middle, low), np.where(good, high, middle)
        return begin + low[:, None] * (end - begin), q

    def inner_pairs(self, branch: Branch) -> NDArray[np.int64]:
        """Pairs of neighbours that are both reached."""
        pairs = []
        for k in range(0, self.neighbours.shape[1], 2):
            a = np.flatnonzero(branch.reached & (self.neighbours[:, k] >= 0))
            b = self.neighbours[a, k]
            pairs.append(np.stack([a, b], axis=-1)[branch.reached[b]])
        return np.concatenate(pairs)

    def narrow(self, branch: Branch) -> int:
        """Number of positions from which neither neighbour along some axis is reached."""
        near = branch.reached[self.neighbours] & (self.neighbours >= 0)
        alone = ~(near[:, ::2] | near[:, 1::2]).all(axis=1)
        return int((alone & branch.reached).sum())

    def seams(self, branch: Branch) -> int:
        """Number of neighbours that were reached, but not from each other."""
        both = self.inner_pairs(branch)
        if not len(both) or not self.square:
            return 0
        q, other = branch.q[both[:, 0]], branch.q[both[:, 1]]
        far = np.abs(self.mechanism.places(q) - self.mechanism.places(other)).max(axis=-1) > LONGEST
        odd = far | (pair_signs(self.mechanism, self.task, q, other)[0] < 0.0)
        a, b = both[odd].T  # confirmed by the way from one to the other in small steps
        found, good = self.follow(branch.q[a], self.nodes[a], self.nodes[b])
        away = (
            np.abs(self.mechanism.places(found) - self.mechanism.places(branch.q[b])).max(axis=-1)
            if len(a)
            else np.zeros(0)
        )
        return int((~good | (away > SAME)).sum())

    def crossings(self, branch: Branch, ends: Array, at_ends: Array) -> tuple[NDArray[np.int64], Array]:
        """Pairs of nodes between which the actuators are singular, and the points there.

        Args:
            branch: Positions of the branch.
            ends, at_ends: Last points on the edges where the branch ends, and their coordinates.
        """
        if not self.controlled:
            return np.zeros((0, 2), dtype=np.int64), np.zeros((0, len(self.names)))
        both = self.inner_pairs(branch)
        end, q_end = np.concatenate([self.nodes[both[:, 1]], ends]), np.concatenate([branch.q[both[:, 1]], at_ends])
        both = np.concatenate([both, branch.ends])
        first, second = pair_signs(self.mechanism, self.task, branch.q[both[:, 0]], q_end)
        some = first * second < 0.0  # the sign of the end effector stays on a branch
        both, end = both[some], end[some]
        begin, q, low, high = (
            self.nodes[both[:, 0]],
            branch.q[both[:, 0]].copy(),
            np.zeros(len(both)),
            np.ones(len(both)),
        )
        for _ in range(HALVINGS):
            if not len(both):
                break
            middle = 0.5 * (low + high)
            found, good = self.mechanism.solve(
                q, self.task, self.goals(begin + middle[:, None] * (end - begin)), iterations=25
            )
            same = good.copy()
            same[good] = np.prod(pair_signs(self.mechanism, self.task, q[good], found[good]), axis=0) > 0.0
            q[same] = found[same]
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return both, begin + low[:, None] * (end - begin)
