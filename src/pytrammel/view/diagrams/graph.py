"""Joint graph: bodies as nodes, joints as edges, with its loops and the mobility of the model."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief, number_of
from pytrammel.analysis.freedom.mobility import Mobility, mobility
from pytrammel.errors import TrammelError
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND
from pytrammel.view.diagrams.kinematic import WORDS
from pytrammel.view.diagrams.labels import Name, place_labels
from pytrammel.view.diagrams.skeleton import glyph_of
from pytrammel.view.figure import given_axes, new_figure, saved
from pytrammel.view.notebook import as_svg, unseen
from pytrammel.view.theme import current, curve_colour

Array = NDArray[np.float64]
ROUNDS = 200  # of the layout


@brief
@dataclass(frozen=True, eq=False)
class JointGraph:
    """Which bodies are joined by what.

    Attributes:
        bodies: Names, the ground first.
        joints: Names of joints and constraints with the bodies that each connects; drivers are not among them.
        drivers: Names of drivers.
        forces: Names of forces with their bodies.
        loops: Independent loops, each as names of joints in order; the first of them closes it.
        parts: Bodies that hang together, each part in order of its distance from the ground.
        mobility: Degrees of freedom; None where the model does not assemble, and `why` says so.
    """

    bodies: tuple[str, ...]
    joints: tuple[tuple[str, tuple[str, ...]], ...] = field(repr=False)
    drivers: tuple[str, ...]
    forces: tuple[tuple[str, tuple[str, ...]], ...] = field(repr=False)
    loops: tuple[tuple[str, ...], ...]
    parts: tuple[tuple[str, ...], ...] = field(repr=False)
    mobility: Mobility | None
    why: str = ""
    _model: Model = field(default=None, repr=False, compare=False)  # type: ignore[assignment]

    def __str__(self) -> str:
        lines = [
            f"{self._model.name}: {number_of(len(self.bodies) - 1, 'moving body')}, {number_of(len(self.joints), 'joint')}, "
            f"{number_of(len(self.loops), 'loop')}, {number_of(len(self.parts), 'part')}"
        ]
        lines += [f"  {name}: {' – '.join(bodies)}" for name, bodies in self.joints]
        lines += [f"  loop {k}: {' – '.join(loop)}" for k, loop in enumerate(self.loops, start=1)]
        lines += [f"  {line}" for line in (str(self.mobility) if self.mobility else self.why).splitlines()]
        return "\n".join(lines)

    @checked
    def plot(self, *, ax: Any = None, path: str | PathLike[str] | None = None) -> Any:
        """Draw the graph; joints that close loops are in another colour.

        Args:
            ax: Axes to draw on; a figure of its own by default.
            path: File to write (svg, png, pdf).

        Returns:
            The axes.
        """
        return _draw(self, ax, path)

    def _repr_html_(self) -> str:
        from html import escape

        with unseen():
            picture = as_svg(self.plot().figure)
        return f'<div style="max-width:640px">{picture}</div><pre>{escape(str(self))}</pre>'


def joint_graph(model: Model) -> JointGraph:
    """The joint graph of a model; see `Model.graph`."""
    joints = tuple((c.name, _bodies(c)) for c in model.constraints.values() if not c.is_driver and _bodies(c))
    drivers = tuple(c.name for c in model.constraints.values() if c.is_driver)
    forces = tuple((f.name, tuple(dict.fromkeys(f.bodies))) for f in model.forces.values())
    loops, parts = _loops(tuple(model.bodies), joints)
    found, why = None, ""
    if len(model.bodies) > 1:
        try:
            found = mobility(model)
        except TrammelError as error:
            why = f"mobility is not known: {error}"
    return JointGraph(tuple(model.bodies), joints, drivers, forces, loops, parts, found, why, model)


def _bodies(constraint: Any) -> tuple[str, ...]:
    """Bodies that a constraint ties together; a condition on a single body ties it to the ground."""
    bodies = tuple(dict.fromkeys(constraint.bodies))
    return bodies if len(bodies) > 1 else (GROUND, *bodies) if bodies and bodies != (GROUND,) else ()


def _loops(
    bodies: tuple[str, ...], joints: tuple[tuple[str, tuple[str, ...]], ...]
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Fundamental loops of a spanning tree grown from the ground, and the parts that hang together."""
    edges = [(name, pair[0], pair[1]) for name, pair in joints]  # a gear's carrier guides the two that mesh
    parent: dict[str, tuple[str, str] | None] = {}
    depth: dict[str, int] = {}
    parts: list[tuple[str, ...]] = []
    used: set[int] = set()
    for root in bodies:
        if root in parent:
            continue
        parent[root], depth[root] = None, 0
        queue, part = deque([root]), [root]
        while queue:
            body = queue.popleft()
            for k, (name, one, two) in enumerate(edges):
                if body in (one, two):
                    other = two if body == one else one
                    if other not in parent:
                        parent[other], depth[other] = (body, name), depth[body] + 1
                        used.add(k)
                        queue.append(other)
                        part.append(other)
        parts.append(tuple(part))
    loops = []
    for k, (name, one, two) in enumerate(edges):
        if k in used:
            continue
        left, right = [], []
        a, b = one, two
        while a != b:
            if depth[a] >= depth[b]:
                step = parent[a]
                assert step is not None
                left.append(step[1])
                a = step[0]
            else:
                step = parent[b]
                assert step is not None
                right.append(step[1])
                b = step[0]
        loops.append(tuple(dict.fromkeys((name, *right, *reversed(left)))))
    return tuple(loops), tuple(parts)


# --- picture ------------------------------------------------------------------------------------------------------


def _draw(graph: JointGraph, ax: Any, path: str | PathLike[str] | None) -> Any:
    places = _layout(graph)
    n = len(places)
    side = float(np.clip(3.6 + 0.34 * n, 4.4, 11.0))
    (axes,) = given_axes(ax, 1, "a joint graph") or [new_figure(1.25 * side, side).add_subplot()]
    axes.set_aspect("equal", adjustable="box")
    axes.axis("off")
    xy = np.array([*places.values()])
    margin = 0.12 * max(float(np.ptp(xy, axis=0).max()), 1.0)
    axes.set_xlim(xy[:, 0].min() - margin, xy[:, 0].max() + margin)
    axes.set_ylim(xy[:, 1].min() - margin, xy[:, 1].max() + margin)
    closing = {loop[0] for loop in graph.loops}
    kinds = {c.name: WORDS.get(glyph_of(c), "") for c in graph._model.constraints.values()}
    names: list[Name] = []
    strokes: list[Array] = []
    seen: dict[frozenset[str], int] = {}
    for name, bodies in graph.joints:
        colour, ls = (curve_colour(1), "-") if name in closing else (current().ink, "-")
        letters = f" ({kinds[name]})" if kinds.get(name) else ""
        names.append(Name(name + letters, _edges(axes, places, bodies, colour, ls, seen, strokes)))
    for name, bodies in graph.forces:
        if len(bodies) > 1:
            names.append(Name(name, _edges(axes, places, bodies, current().ground, ":", seen, strokes)))
    _nodes(axes, places)
    axes.set_title(_heading(graph), fontsize=11, parse_math=False)
    place_labels(axes, names, avoid=[*strokes, xy])
    axes.plot([], [], color=curve_colour(1), lw=1.8, label=f"closes a loop ({len(graph.loops)} in all)")
    if any(len(bodies) > 1 for _, bodies in graph.forces):
        axes.plot([], [], color=current().ground, lw=1.4, ls=":", label="force")
    if graph.loops or graph.forces:
        axes.legend(fontsize=8, loc="lower right", framealpha=0.9, edgecolor=current().plot_grid)
    saved(axes.figure, path)  # type: ignore[arg-type]
    return axes


def _heading(graph: JointGraph) -> str:
    if graph.mobility is None:
        return graph._model.name
    m = graph.mobility
    extra = f", {number_of(len(m.redundant), 'redundant row')}" if m.redundant else ""
    return f"{graph._model.name}: mobility {m.dof} (Grübler {m.count}{extra}), {number_of(m.drivers, 'driver')}"


def _edges(
    axes: Any,
    places: dict[str, Array],
    bodies: tuple[str, ...],
    colour: str,
    ls: str,
    seen: dict[frozenset[str], int],
    strokes: list[Array],
) -> Array:
    """Draw what connects bodies, bowed where several do; where its name goes."""
    if len(bodies) > 2:
        middle = _edges(axes, places, bodies[:2], colour, ls, seen, strokes)
        for body in bodies[2:]:
            axes.plot(*np.array([middle, places[body]]).T, color=colour, ls=":", lw=0.9, zorder=1)
        axes.plot(*middle, "s", ms=5, color=colour, zorder=3)
        return middle
    key = frozenset(bodies)
    rank = seen.get(key, 0)
    seen[key] = rank + 1
    a, b = (places[body] for body in sorted(bodies))
    bow = 0.28 * ((rank + 1) // 2) * (1 if rank % 2 else -1)
    normal = np.array([-(b - a)[1], (b - a)[0]])
    control = 0.5 * (a + b) + bow * normal
    s = np.linspace(0.0, 1.0, 25)[:, None]
    curve = (1 - s) ** 2 * a + 2 * s * (1 - s) * control + s**2 * b
    axes.plot(*curve.T, color=colour, ls=ls, lw=1.8, zorder=2)
    strokes.append(curve[2:-2:2])
    return np.asarray(curve[12])


def _nodes(axes: Any, places: dict[str, Array]) -> None:
    for name, place in places.items():
        fixed = name == GROUND
        box = {
            "boxstyle": "square,pad=0.35" if fixed else "round,pad=0.45",
            "fc": current().fixed if fixed else current().paper,
            "ec": current().ink,
            "lw": 1.4,
        }
        text = axes.text(*place, name, ha="center", va="center", fontsize=9, color=current().ink, bbox=box, zorder=10)
        text.set_parse_math(False)


def _layout(graph: JointGraph) -> dict[str, Array]:
    """Places of the bodies: distances in the picture like those in the graph (stress majorisation), the ground below."""
    bodies = [
        b
        for b in graph.bodies
        if b != GROUND
        or any(GROUND in pair for _, pair in graph.joints)
        or any(GROUND in pair and len(pair) > 1 for _, pair in graph.forces)
        or len(graph.bodies) == 1
    ]
    n = len(bodies)
    far = _distances(bodies, graph)
    turn = -0.5 * np.pi + 2.0 * np.pi * np.arange(n) / max(n, 1)
    xy = max(1.0, 0.25 * n) * np.column_stack([np.cos(turn), np.sin(turn)])
    weights = 1.0 / np.maximum(far, 1.0) ** 2
    np.fill_diagonal(weights, 0.0)
    for _ in range(ROUNDS if n > 1 else 0):
        gap = xy[:, None] - xy[None]
        length = np.hypot(gap[..., 0], gap[..., 1]) + np.eye(n) + 1e-9
        pull = xy[None] + far[..., None] * gap / length[..., None]
        xy = (weights[..., None] * pull).sum(axis=1) / weights.sum(axis=1)[:, None]
    if GROUND in bodies and n > 2:  # turned so that the ground is below the others
        g = bodies.index(GROUND)
        away = xy.mean(axis=0) - xy[g]
        angle = 0.5 * np.pi - np.arctan2(away[1], away[0])
        c, s = np.cos(angle), np.sin(angle)
        xy = (xy - xy[g]) @ np.array([[c, s], [-s, c]])
    return {name: xy[k] * np.array([1.35, 1.0]) for k, name in enumerate(bodies)}


def _distances(bodies: list[str], graph: JointGraph) -> Array:
    n = len(bodies)
    far = np.full((n, n), np.inf)
    np.fill_diagonal(far, 0.0)
    for _, pair in (*graph.joints, *graph.forces):
        members = [bodies.index(b) for b in pair if b in bodies]
        for i in members:
            for j in members:
                if i != j:
                    far[i, j] = 1.0
    for k in range(n):  # Floyd and Warshall
        far = np.minimum(far, far[:, k, None] + far[None, k])
    return np.where(np.isfinite(far), far, 3.0)
