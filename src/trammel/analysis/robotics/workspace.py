"""Workspace of an end effector on a grid: reachable positions, conditioning, and singular loci of both types."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trammel.analysis.options import verb, whole_number
from trammel.analysis.robotics.measures import maps, pair_signs, sizes_of
from trammel.analysis.robotics.mechanism import Mechanism, coordinates_from, mechanism_of
from trammel.analysis.robotics.modes import Search, target_of
from trammel.analysis.robotics.task import POSITIONS, Target, Task, label_of
from trammel.checks import checked_number
from trammel.errors import AssemblyError, ModelError, RunWarning, tell
from trammel.model.base import Model
from trammel.progress import Progress
from trammel.results.robotics.workspace import Workspace
from trammel.sentences import number_of, short

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
SAMPLES = 2000  # random positions that bound the default box
MARGIN = 0.05  # widening of the default box, relative to its width
FITS, WIDENING = 4, 0.25  # trials to fit a default box, and its enlargement where positions at its faces are reached
FILLED = 0.6  # fraction of the grid that the workspace must span in each direction
PARTS = (1, 4, 16)  # parts of the way between neighbours in which Newton's method is tried
LONGEST = 1.0  # largest change of a scaled coordinate between neighbours on one branch
HALVINGS = 36  # of a cell's edge: the boundary is found to 1e-10 of a cell or to the rounding of Newton's method
SINGULAR = 0.02  # conditioning below which a boundary point is singular: it vanishes as the root of the distance
MEETING = 1e-6  # conditioning of the starting position below which branches meet there
DISPLACEMENTS = (0.2, 0.6, 1.5)  # random ones from a starting position on the boundary, in scales of the coordinates
SAME = 1e-4  # distance of positions on one branch, in model lengths and radians
LIMIT = 1e-3  # distance from a limit at which a boundary is due to it [m, rad]


@verb
def workspace(
    model: Model,
    place: Any,
    *,
    over: Sequence[str] | None = None,
    at: Mapping[str, float] | None = None,
    components: Sequence[str] | None = None,
    orientation: ArrayLike | None = None,
    box: Mapping[str, tuple[float, float]] | None = None,
    cells: int = 60,
    branches: str = "one",
    cross: bool = True,
    near: Any = None,
    actuators: Sequence[str] | None = None,
    limits: Mapping[str, tuple[float | None, float | None]] | None = None,
    progress: bool = True,
) -> Workspace:
    """Find the positions that an end effector can reach, and its singular positions.

        space = m.workspace("tool0", over=("x", "z"))
        print(space.size, len(space.type_1), len(space.type_2))
        space.plot("workspace.png")

    Positions spread over a grid from one position to its neighbours on the same branch. Between neighbours, bisection finds the boundary
    (type 1, where the end effector loses a motion, or limits of joints) and the places where the actuators lose control (type 2).

    Args:
        model: The mechanism, an open chain or with closed loops; drivers are ignored.
        place: End effector: a named point or a body.
        over: Position components of the grid, one to three. Defaults to "x", "y" in the plane and "x", "z" in space.
        at: Values of the other position components by name [m]. Defaults to the values of the starting position.
        components: Position components that are prescribed. Defaults to all; those neither in `over` nor in `at` keep their values.
        orientation: Orientation at every position: an angle in the plane [rad], a rotation matrix in space. Defaults to a free one.
        box: Lower and upper bounds of the grid by component [m]. Defaults to the range of random positions.
        cells: Number of cells along the longest side of the grid.
        branches: "one" for the branch of the starting position, "all" for all working modes.
        cross: Whether positions spread through singularities of type 2, where the actuators lose control; False finds the workspace
            that the actuators can use.
        near: Joint coordinates of the starting position: an array, or values by name. Defaults to the design configuration.
        actuators: Joint coordinates that are driven, for singularities of type 2. Defaults to the actuators of `m.functions`.
        limits: Lower and upper limits of joint coordinates by name; None for no limit.
        progress: Whether to show progress after a second.

    Raises:
        AssemblyError: The starting position cannot be reached.
    """
    mechanism = mechanism_of(model, actuators, limits)
    dimension = model.space.dimension
    known = POSITIONS[:dimension]
    names = _axes(place, over, known, dimension)
    label = f"workspace of {label_of(place)}"
    start, good = mechanism.solve(coordinates_from(mechanism, near, "near")[None])
    if not good[0]:
        raise AssemblyError(
            f"{label} in model {model.name!r}: the loops do not close near the starting position. Pass another near=."
        )
    here = mechanism.f.position(place, start)[0]
    values = dict(zip(known, map(float, here), strict=True))
    for name, value in ({} if at is None else at).items():
        if name not in known or name in names:
            others = ", ".join(n for n in known if n not in names) or "none"
            raise ModelError(
                f"{label}: at= names {short(name)}, which must be a component outside of over= ({others})."
            )
        values[name] = checked_number(value, f"at: {name}")
    used = known if components is None else tuple(components)
    missing = [name for name in (*names, *({} if at is None else at)) if name not in used]
    if missing:
        raise ModelError(f"{label}: components= must contain {missing[0]!r}, which over= or at= names.")
    task, goal = target_of(mechanism, place, [values[n] for n in known if n in used], orientation, components)
    if len(task.components) > mechanism.freedoms:
        raise ModelError(
            f"{label}: {number_of(len(task.components), 'component')} ({', '.join(task.components)}) exceed "
            f"{number_of(mechanism.freedoms, 'degree of freedom')}. Pass components= with at most {mechanism.freedoms}, or a free "
            "orientation."
        )
    count = whole_number(cells, "cells", 2)
    bounds = _bounds(mechanism, place, names, known, box, here, label)
    with Progress(label, enabled=progress) as bar:
        for trial in range(FITS + 1):
            search = _Spread(mechanism, task, goal, names, _grid(bounds, count), [n for n in known if n in used], cross)
            seed = search.first(start)
            if seed is None:
                text = ", ".join(f"{n} = {values[n]:.6g}" for n in known if n in used)
                raise AssemblyError(
                    f"{label} in model {model.name!r}: the starting position ({text}) cannot be reached, or lies outside of the box. Pass "
                    "near= or at= within the workspace, or another box=."
                )
            found = [search.spread(*seed, bar)]
            fitted = _fitted(bounds, search.axes, found[0].reached.reshape(search.shape), () if box is None else box)
            if fitted == bounds or trial == FITS:
                break
            bounds = fitted
        if branches == "all" and seed is not None:
            found += _other_branches(search, seed, found[0], bar)
    return _result(search, found, place, start if search.start is None else search.start)


def _axes(place: Any, over: Sequence[str] | None, known: Sequence[str], dimension: int) -> tuple[str, ...]:
    names = (("x", "y") if dimension == 2 else ("x", "z")) if over is None else tuple(over)
    for name in names:
        if name not in known:
            raise ModelError(
                f"workspace of {label_of(place)}: over= names {short(name)}, which is not one of {', '.join(known)}."
            )
    if not names or len(set(names)) < len(names):
        raise ModelError(f"workspace of {label_of(place)}: over= must name one to {dimension} different components.")
    return names


def _bounds(
    mechanism: Mechanism,
    place: Any,
    names: Sequence[str],
    known: Sequence[str],
    box: Mapping[str, tuple[float, float]] | None,
    here: Array,
    label: str,
) -> dict[str, tuple[float, float]]:
    """Lower and upper bounds of each component: given ones, or the range of random positions."""
    given = {} if box is None else dict(box)
    for name in given:
        if name not in names:
            raise ModelError(
                f"{label}: box= names {short(name)}, which is not a component of the grid ({', '.join(names)})."
            )
    bounds = {}
    if len(given) < len(names):
        q, good = mechanism.solve(mechanism.random(np.random.default_rng(0), SAMPLES))
        points = np.vstack([here, mechanism.f.position(place, q[good])]) if good.any() else here[None]
        for name in names:
            low, high = points[:, known.index(name)].min(), points[:, known.index(name)].max()
            more = max(MARGIN * (high - low), 1e-3 * mechanism.length)
            bounds[name] = (float(low - more), float(high + more))
    for name, pair in given.items():
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ModelError(f"{label}: box of {name} must be a pair (lower, upper), but it is {short(pair)}.")
        low, high = (checked_number(x, f"box: {name}") for x in pair)
        if not low < high:
            raise ModelError(
                f"{label}: box of {name} has the lower bound {low:g} m, but its upper bound is {high:g} m. Exchange them."
            )
        bounds[name] = (low, high)
    return {name: bounds[name] for name in names}


def _grid(bounds: Mapping[str, tuple[float, float]], cells: int) -> tuple[Array, ...]:
    """Values of each component on the grid, with cells of nearly equal sides."""
    step = max(high - low for low, high in bounds.values()) / cells
    return tuple(np.linspace(low, high, max(2, round((high - low) / step)) + 1) for low, high in bounds.values())


def _fitted(
    bounds: dict[str, tuple[float, float]], axes: Sequence[Array], reached: Mask, given: Container[str]
) -> dict[str, tuple[float, float]]:
    """Bounds moved outwards where positions at them were reached, and inwards where most of the grid is empty, unless they are given."""
    out = {}
    for k, (name, (low, high)) in enumerate(bounds.items()):
        along = np.flatnonzero(reached.any(axis=tuple(j for j in range(reached.ndim) if j != k)))
        first, last, step = int(along[0]), int(along[-1]), float(axes[k][1] - axes[k][0])
        if name in given:
            out[name] = (low, high)
        elif first == 0 or last == len(axes[k]) - 1:
            more = WIDENING * (high - low)
            out[name] = (low - more * (first == 0), high + more * (last == len(axes[k]) - 1))
        elif last - first < FILLED * len(axes[k]):
            out[name] = (float(axes[k][first]) - 1.5 * step, float(axes[k][last]) + 1.5 * step)
        else:
            out[name] = (low, high)
    return out


@dataclass
class _Branch:
    """Positions of one branch, by node of the grid, and the edges where it ends."""

    q: Array
    reached: Mask
    ends: NDArray[np.int64]  # pairs of nodes: reached, not reached; shape (n, 2)


class _Spread:
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

    def spread(self, node: int, q: Array, bar: Progress) -> _Branch:
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
        return _Branch(places, reached, listed[~reached[listed[:, 1]]])

    def boundary(self, branch: _Branch) -> tuple[Array, Array]:
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

    def inner_pairs(self, branch: _Branch) -> NDArray[np.int64]:
        """Pairs of neighbours that are both reached."""
        pairs = []
        for k in range(0, self.neighbours.shape[1], 2):
            a = np.flatnonzero(branch.reached & (self.neighbours[:, k] >= 0))
            b = self.neighbours[a, k]
            pairs.append(np.stack([a, b], axis=-1)[branch.reached[b]])
        return np.concatenate(pairs)

    def seams(self, branch: _Branch) -> int:
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

    def crossings(self, branch: _Branch, ends: Array, at_ends: Array) -> tuple[NDArray[np.int64], Array]:
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


def _other_branches(search: _Spread, seed: tuple[int, Array], first: _Branch, bar: Progress) -> list[_Branch]:
    """Branches of all working modes at the first node and at nodes that no branch has reached."""
    mechanism = search.mechanism
    if not search.square:
        raise ModelError(
            f"workspace of {label_of(search.task.place)}: branches='all' requires as many components as degrees of freedom, but there are "
            f"{len(search.task.components)} ({', '.join(search.task.components)}) and {mechanism.freedoms}. Use branches='one'."
        )
    found: list[_Branch] = []
    rng = np.random.default_rng(3)
    for node in (seed[0], *rng.choice(np.flatnonzero(first.reached), 3)):
        modes = Search(mechanism, search.task, search.goals(search.nodes[[node]]), {}, 0, "working modes", False)
        modes.run(1024)
        for q in modes.found:
            place = mechanism.places(q[None])
            known = any(
                branch.reached[node] and np.abs(mechanism.places(branch.q[[node]]) - place).max() < SAME
                for branch in (first, *found)
            )
            if not known:
                found.append(search.spread(int(node), q, bar))
    return found


def _result(search: _Spread, found: list[_Branch], place: Any, start: Array) -> Workspace:
    mechanism, shape, task = search.mechanism, search.shape, search.task
    keys = ("serial", "parallel", "dexterity", "manipulability")
    measured = {key: np.full((len(found), len(search.nodes)), np.nan) for key in keys}
    none = np.zeros((0, len(shape)))
    points: dict[str, list[Array]] = {"type 1": [none], "type 2": [none], "limit": [none]}
    lines: dict[str, list[Array]] = {"boundary": [np.zeros((0, 2, 2))], "type 2": [np.zeros((0, 2, 2))]}
    outlines: list[Array] = []
    sizes, lost, seams = [], 0, 0
    for k, branch in enumerate(found):
        for key, values in sizes_of(*maps(mechanism, task, branch.q[branch.reached])).items():
            measured[key][k, branch.reached] = values
        ends, q = search.boundary(branch)
        singular, uncontrolled, limited = _reasons(search, q)
        lost += int((~singular & ~uncontrolled & ~limited).sum())
        seams += search.seams(branch)
        pairs, crossed = search.crossings(branch, ends, q)
        points["type 1"].append(ends[singular & ~limited])
        points["limit"].append(ends[limited])
        points["type 2"] += [crossed, ends[uncontrolled & ~limited]]
        at_edges = dict(zip(map(_key, branch.ends), ends, strict=True))
        if len(shape) == 2:
            lines["boundary"].append(_segments(search, at_edges))
            uncontrolled_edges = dict(zip(map(_key, branch.ends[uncontrolled]), ends[uncontrolled], strict=True))
            crossings = dict(zip(map(_key, pairs), crossed, strict=True))
            lines["type 2"].append(_segments(search, {**uncontrolled_edges, **crossings}))
            polygons = _polygons(search, branch.reached, at_edges)
            outlines += polygons
            sizes.append(sum(map(_area, polygons)))
        else:
            sizes.append(_content(search, branch, ends))
    warnings = _warnings(search, found, place, lost, seams)
    positions = [c for c in task.components if c in POSITIONS]
    grids = {key: values.reshape(len(found), *shape) for key, values in measured.items()}
    joined = {key: np.concatenate(values) for key, values in points.items()}
    result = Workspace(
        mechanism.f.model, label_of(place).strip("'"), task.components, search.names,
        {n: float(v) for n, v in zip(positions, search.goal.values[0], strict=True) if n not in search.names},
        search.axes, np.array([branch.reached.reshape(shape) for branch in found]),
        np.array([branch.q.reshape(*shape, mechanism.nq) for branch in found]), grids["serial"], grids["parallel"], grids["dexterity"],
        grids["manipulability"], joined["type 1"], joined["type 2"], joined["limit"], np.array(sizes),
        np.concatenate(lines["boundary"]), np.concatenate(lines["type 2"]), mechanism.f.coordinates, mechanism.units,
        mechanism.f.actuators, mechanism.length, mechanism.body_coordinates(start), tuple(outlines), warnings,
    )  # fmt: skip
    tell(warnings, result)
    return result


def _reasons(search: _Spread, q: Array) -> tuple[Mask, Mask, Mask]:
    """Where the end effector has lost a motion, where the actuators have lost control, and where a joint is at its limit."""
    mechanism = search.mechanism
    if not len(q):
        return (np.zeros(0, dtype=bool),) * 3
    sizes = sizes_of(*maps(mechanism, search.task, q))
    singular = sizes["serial"] < SINGULAR
    uncontrolled = ~singular & (sizes["parallel"] < SINGULAR) & (not search.cross)
    away = np.minimum(q - mechanism.lower, mechanism.upper - q).min(axis=-1)
    return np.asarray(singular), np.asarray(uncontrolled), np.asarray(away < LIMIT)


def _warnings(search: _Spread, found: list[_Branch], place: Any, lost: int, seams: int) -> tuple[RunWarning, ...]:
    edge = np.zeros(search.shape, dtype=bool)
    for k in range(len(search.shape)):
        edge[(slice(None),) * k + ([0, -1],)] = True
    at_edge = int(sum((branch.reached & edge.ravel()).sum() for branch in found))
    label, out = f"workspace of {label_of(place)}", []
    if at_edge:
        out.append(
            RunWarning(
                "box",
                f"{label}: {number_of(at_edge, 'position')} at the faces of the box; the workspace may extend beyond. Widen box=.",
            )
        )
    if search.is_singular and len(found) == 1:
        out.append(
            RunWarning(
                "start",
                f"{label}: branches meet in the starting position, which is singular; one of them was followed. Pass near= to choose a "
                "branch, or branches='all'.",
            )
        )
    if lost:
        out.append(
            RunWarning(
                "search",
                f"{label}: at {number_of(lost, 'boundary point')} Newton's method ended although neither a singularity nor a limit is "
                f"there (conditioning above {SINGULAR:g}); the boundary is uncertain there. Use more cells=.",
            )
        )
    if seams:
        out.append(
            RunWarning(
                "sheets",
                f"{label}: {number_of(seams, 'pair')} of neighbouring positions belong to different sheets of a branch, because ways "
                "around a singularity lead to different positions; conditioning jumps and loci of type 2 end there. Use more cells=, "
                "cross=False or a smaller box=.",
            )
        )
    return tuple(out)


# --- lines and sizes -------------------------------------------------------------------------------------------------------


def _key(pair: Any) -> tuple[int, int]:
    a, b = int(pair[0]), int(pair[1])
    return (a, b) if a < b else (b, a)


def _corners(search: _Spread) -> list[tuple[int, int, int, int]]:
    """Nodes of each cell of a grid of two components, in order around it."""
    number = np.arange(len(search.nodes)).reshape(search.shape)
    around = (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:])
    return list(zip(*(corner.ravel().tolist() for corner in around), strict=True))


def _segments(search: _Spread, points: Mapping[tuple[int, int], Array]) -> Array:
    """Lines across the cells between points on their edges, shape (n, 2, 2)."""
    out = []
    if points:
        for cell in _corners(search):
            on = [points[key] for key in (_key((cell[k], cell[(k + 1) % 4])) for k in range(4)) if key in points]
            out += [(on[k], on[k + 1]) for k in range(0, len(on) - 1, 2)]
    return np.array(out).reshape(-1, 2, 2)


def _polygons(search: _Spread, reached: Mask, ends: Mapping[tuple[int, int], Array]) -> list[Array]:
    """Parts of the cells within the boundary."""
    out = []
    for cell in _corners(search):
        inside = reached[list(cell)]
        polygon = []
        for k in range(4):
            a, b = cell[k], cell[(k + 1) % 4]
            if inside[k]:
                polygon.append(search.nodes[a])
            if inside[k] != inside[(k + 1) % 4]:
                end = ends.get(_key((a, b)))
                polygon.append(0.5 * (search.nodes[a] + search.nodes[b]) if end is None else end)
        if len(polygon) > 2:
            out.append(np.array(polygon))
    return out


def _area(polygon: Array) -> float:
    x, y = polygon.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def _content(search: _Spread, branch: _Branch, ends: Array) -> float:
    """Length or volume: around each node a box that reaches to the middle of the way to its neighbours, or to the boundary."""
    steps = np.repeat([axis[1] - axis[0] for axis in search.axes], 2)
    widths = np.where(search.neighbours >= 0, 0.5 * steps, 0.0)
    if len(ends):
        begin, end = branch.ends[:, 0], branch.ends[:, 1]
        direction = np.argmax(search.neighbours[begin] == end[:, None], axis=1)
        widths[begin, direction] = np.linalg.norm(ends - search.nodes[begin], axis=1)
    return float((widths[:, ::2] + widths[:, 1::2])[branch.reached].prod(axis=1).sum())
