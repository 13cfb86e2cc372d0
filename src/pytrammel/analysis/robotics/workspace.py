"""Workspace of an end effector on a grid: reachable positions, conditioning, and singular loci of both types."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import number_of, short
from pytrammel._util.progress import Progress
from pytrammel.analysis.options import verb, whole_number
from pytrammel.analysis.robotics.branches import SAME, Branch, BranchSearch
from pytrammel.analysis.robotics.measures import maps, sizes_of
from pytrammel.analysis.robotics.mechanism import Mechanism, coordinates_from, mechanism_of
from pytrammel.analysis.robotics.modes import Search, target_of
from pytrammel.analysis.robotics.outlines import area, content, edge_key, polygons, segments
from pytrammel.analysis.robotics.task import POSITIONS, label_of
from pytrammel.errors import AssemblyError, ModelError, RunWarning, tell
from pytrammel.model.base import Model
from pytrammel.results.robotics.workspace import Workspace

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
SAMPLES = 2000  # random positions that bound the default box
MARGIN = 0.05  # widening of the default box, relative to its width
FITS, WIDENING = 4, 0.25  # trials to fit a default box, and its enlargement where positions at its faces are reached
FILLED = 0.6  # fraction of the grid that the workspace must span in each direction
SINGULAR = 0.02  # conditioning below which a boundary point is singular: it vanishes as the root of the distance
NARROW = 0.2  # fraction of positions without neighbours on both sides above which the grid is too coarse
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
            search = BranchSearch(
                mechanism, task, goal, names, _grid(bounds, count), [n for n in known if n in used], cross
            )
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


def _other_branches(search: BranchSearch, seed: tuple[int, Array], first: Branch, bar: Progress) -> list[Branch]:
    """Branches of all working modes at the first node and at nodes that no branch has reached."""
    mechanism = search.mechanism
    if not search.square:
        raise ModelError(
            f"workspace of {label_of(search.task.place)}: branches='all' requires as many components as degrees of freedom, but there are "
            f"{len(search.task.components)} ({', '.join(search.task.components)}) and {mechanism.freedoms}. Use branches='one'."
        )
    found: list[Branch] = []
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


def _result(search: BranchSearch, found: list[Branch], place: Any, start: Array) -> Workspace:
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
        at_edges = dict(zip(map(edge_key, branch.ends), ends, strict=True))
        if len(shape) == 2:
            lines["boundary"].append(segments(search, at_edges))
            uncontrolled_edges = dict(zip(map(edge_key, branch.ends[uncontrolled]), ends[uncontrolled], strict=True))
            crossings = dict(zip(map(edge_key, pairs), crossed, strict=True))
            lines["type 2"].append(segments(search, {**uncontrolled_edges, **crossings}))
            parts = polygons(search, branch.reached, at_edges)
            outlines += parts
            sizes.append(sum(map(area, parts)))
        else:
            sizes.append(content(search, branch, ends))
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


def _reasons(search: BranchSearch, q: Array) -> tuple[Mask, Mask, Mask]:
    """Where the end effector has lost a motion, where the actuators have lost control, and where a joint is at its limit."""
    mechanism = search.mechanism
    if not len(q):
        return (np.zeros(0, dtype=bool),) * 3
    sizes = sizes_of(*maps(mechanism, search.task, q))
    singular = sizes["serial"] < SINGULAR
    uncontrolled = ~singular & (sizes["parallel"] < SINGULAR) & (not search.cross)
    away = np.minimum(q - mechanism.lower, mechanism.upper - q).min(axis=-1)
    return np.asarray(singular), np.asarray(uncontrolled), np.asarray(away < LIMIT)


def _warnings(search: BranchSearch, found: list[Branch], place: Any, lost: int, seams: int) -> tuple[RunWarning, ...]:
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
    narrow, all_reached = (
        sum(map(count, found)) for count in (search.narrow, lambda branch: int(branch.reached.sum()))
    )
    if narrow > NARROW * all_reached:
        out.append(
            RunWarning(
                "grid",
                f"{label}: {narrow} of {number_of(all_reached, 'position')} have no neighbour on either side in some direction; the "
                "workspace is as narrow as the cells, so that parts and areas are uncertain. Use more cells= or a smaller box=.",
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
