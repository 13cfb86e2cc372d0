"""Velocity and acceleration polygons: vectors of all joints from one pole, and how they follow from each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint
from pytrammel.model.bodies import GROUND
from pytrammel.results.result import Result
from pytrammel.view.diagrams.labels import Name, place_labels
from pytrammel.view.diagrams.planar import (
    Array,
    Motion,
    at_time,
    body_colours,
    cross,
    draw_behind,
    fastest,
    motion,
    need_plane,
    shown_length,
    turned,
)
from pytrammel.view.figure import as_given, given_axes, new_figure, saved
from pytrammel.view.plots.panels import finish
from pytrammel.view.theme import current

SAME = 1e-9  # share of the largest vector below which two are the same


@dataclass(frozen=True)
class Node:
    """A point of the polygon.

    Attributes:
        name: Joint or point, with the body where two bodies slide past each other there.
        bodies: Bodies that have this vector there.
        place: Where the point is, global [m].
        vector: Its velocity [m/s] or acceleration [m/s²].
    """

    name: str
    bodies: tuple[str, ...]
    place: tuple[float, float]
    vector: tuple[float, float]


@dataclass(frozen=True)
class Edge:
    """A side of the polygon: the vector of `head` against `tail`.

    Attributes:
        tail, head: Names of nodes.
        body: The body or rod that both are on; the joint's name where two bodies slide.
        vector: Difference of both vectors.
        parts: What it consists of, by name: "normal" and "tangential" on a body, "sliding" and "Coriolis" in a guide.
    """

    tail: str
    head: str
    body: str
    vector: tuple[float, float]
    parts: tuple[tuple[str, tuple[float, float]], ...]


@brief
@dataclass(frozen=True, eq=False)
class Polygon:
    """Velocity or acceleration polygon at an instant.

    Attributes:
        kind: "velocity" or "acceleration".
        time: [s].
        nodes: Its points; the pole, where everything on the ground is, is at nil.
        edges: Its sides.
        turning: Angular velocity [rad/s] or acceleration [rad/s²] by body.
    """

    kind: str
    time: float
    nodes: tuple[Node, ...] = field(repr=False)
    edges: tuple[Edge, ...] = field(repr=False)
    turning: dict[str, float] = field(repr=False)
    _result: Result = field(repr=False, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nodes."""
        return tuple(node.name for node in self.nodes)

    @property
    def vectors(self) -> Array:
        """Vectors of the nodes [m/s or m/s²], shape (nodes, 2)."""
        return np.array([node.vector for node in self.nodes]).reshape(-1, 2)

    def __getitem__(self, name: str) -> Node:
        for node in self.nodes:
            if node.name == name:
                return node
        raise ModelError(f"there is no node {name!r} in this polygon; there are: {', '.join(self.names)}.")

    def __str__(self) -> str:
        unit = "m/s" if self.kind == "velocity" else "m/s²"
        lines = [f"{self.kind} polygon of {self._result.model.name!r} at t = {self.time:g} s [{unit}]"]
        for node in self.nodes:
            x, y = node.vector
            lines.append(f"  {node.name}: ({x:.5g}, {y:.5g}), size {np.hypot(x, y):.5g}")
        for edge in self.edges:
            parts = ", ".join(f"{name} {np.hypot(*vector):.4g}" for name, vector in edge.parts)
            lines.append(f"  {edge.tail} → {edge.head} on {edge.body}: {np.hypot(*edge.vector):.5g} ({parts})")
        return "\n".join(lines)

    @checked
    def plot(self, *, ax: Any = None, path: str | PathLike[str] | None = None) -> Any:
        """Draw the polygon beside the mechanism.

        Args:
            ax: Axes for the polygon alone; a figure of its own with the mechanism by default.
            path: File to write (png, svg, pdf).

        Returns:
            The axes: of mechanism and polygon, shape (2,), or those given.
        """
        return _draw(self, ax, path)


def polygon(result: Result, kind: str, time: float | None) -> Polygon:
    """Polygon at an instant; see `Diagrams.velocity_polygon`."""
    need_plane(result, f"{kind} polygons", "in space take vectors of result.point(…) and result['…'].")
    now = at_time(result, time)
    known = {name: motion(now, name, accelerations=kind == "acceleration") for name in now.model.bodies}
    peak = fastest(now)
    if peak == 0.0 and kind == "velocity":
        raise ModelError(
            f"at t = {now.times[0]:g} s nothing moves, so that its velocity polygon is a point; choose another time=."
        )
    nodes: list[Node] = []
    links: list[Edge] = []
    scale = max((float(np.hypot(*_vector(m, kind, m.r)[0])) for m in known.values()), default=0.0)
    scale = max(scale, peak if kind == "velocity" else 0.0)
    for joint in now.model.constraints.values():
        if _is_rod(joint):
            _add_rod(joint, known, kind, nodes, links)
        elif joint.seats and joint.freedom is not None and len(joint.bodies) == 2 and not joint.is_driver:
            _add_joint(joint, known, kind, SAME * scale, nodes, links)
    for point in now.model.points.values():
        if point.body != GROUND:
            body = known[point.body]
            _add(nodes, point.name, (point.body,), body, body.place(point.local), kind)
    edges = [*_on_bodies(nodes, _ground_pins(now, known), known, kind), *links]
    rates = {
        name: float((m.omega if kind == "velocity" else m.alpha)[0]) for name, m in known.items() if name != GROUND
    }
    if not nodes:
        raise ModelError(
            f"model {now.model.name!r} has neither joints between moving bodies nor points, so that a {kind} polygon is a point."
        )
    return Polygon(kind, float(now.times[0]), tuple(nodes), tuple(edges), rates, now)


def _vector(body: Motion, kind: str, places: Array) -> Array:
    return body.velocity_at(places) if kind == "velocity" else body.acceleration_at(places)


def _pair(vector: Any) -> tuple[float, float]:
    return float(vector[0]), float(vector[1])


def _add(nodes: list[Node], name: str, bodies: tuple[str, ...], body: Motion, place: Array, kind: str) -> Node:
    node = Node(name, bodies, _pair(place[0]), _pair(_vector(body, kind, place)[0]))
    if bodies != (GROUND,) and GROUND not in bodies:
        nodes.append(node)
    return node


def _is_rod(joint: Constraint) -> bool:
    return bool(joint.span) and len(joint.seats) == 2 and len(joint.bodies) == 2


def _add_joint(
    joint: Constraint, known: dict[str, Motion], kind: str, same: float, nodes: list[Node], links: list[Edge]
) -> None:
    """One node where both bodies have the same vector, two and a side between them where they slide."""
    one, two = joint.seats[0].body, joint.seats[-1].body
    place = known[two].place(joint.seats[-1].point)
    first, second = (_vector(known[name], kind, place) for name in (one, two))
    if (joint.turning and joint.span == 0.0) or float(np.hypot(*(second - first)[0])) <= same:
        _add(nodes, joint.name, (one, two), known[two], place, kind)
        return
    tail = _add(nodes, f"{joint.name} on {one}", (one,), known[one], place, kind)
    head = _add(nodes, f"{joint.name} on {two}", (two,), known[two], place, kind)
    sliding = (known[two].velocity_at(place) - known[one].velocity_at(place))[0]
    difference = (second - first)[0]
    parts: tuple[tuple[str, tuple[float, float]], ...] = (("sliding", _pair(difference)),)
    if kind == "acceleration":
        coriolis = 2.0 * known[one].omega[0] * turned(sliding)
        parts = (("sliding", _pair(difference - coriolis)), ("Coriolis", _pair(coriolis)))
    links.append(
        Edge(
            "o" if one == GROUND else tail.name,
            "o" if two == GROUND else head.name,
            joint.name,
            _pair(difference),
            parts,
        )
    )


def _add_rod(joint: Constraint, known: dict[str, Motion], kind: str, nodes: list[Node], links: list[Edge]) -> None:
    """The ends of a massless rod are nodes, and it turns them about each other."""
    ends = [
        _add(nodes, f"{joint.name} on {s.body}", (s.body,), known[s.body], known[s.body].place(s.point), kind)
        for s in joint.seats
    ]
    places = [known[s.body].place(s.point) for s in joint.seats]
    arm = (places[1] - places[0])[0]
    speed = (known[joint.seats[1].body].velocity_at(places[1]) - known[joint.seats[0].body].velocity_at(places[0]))[0]
    omega = float(cross(arm, speed) / (arm @ arm))
    difference = np.array(ends[1].vector) - np.array(ends[0].vector)
    parts: tuple[tuple[str, tuple[float, float]], ...] = (("tangential", _pair(difference)),)
    if kind == "acceleration":
        parts = (("normal", _pair(-(omega**2) * arm)), ("tangential", _pair(difference + omega**2 * arm)))
    names = ["o" if s.body == GROUND else end.name for s, end in zip(joint.seats, ends, strict=True)]
    links.append(Edge(names[0], names[1], joint.name, _pair(difference), parts))


def _ground_pins(now: Result, known: dict[str, Motion]) -> list[Node]:
    """Pins of moving bodies on the ground: they are all at the pole."""
    found = []
    for joint in now.model.constraints.values():
        if joint.turning and joint.span == 0.0 and GROUND in joint.bodies and len(joint.bodies) == 2:
            body = next(name for name in joint.bodies if name != GROUND)
            seat = joint.seats[-1]
            found.append(Node("o", (body,), _pair(known[seat.body].place(seat.point)[0]), (0.0, 0.0)))
    return found


def _on_bodies(nodes: list[Node], pins: list[Node], known: dict[str, Motion], kind: str) -> Iterator[Edge]:
    """Sides between neighbouring nodes of each body: the image of the body in the polygon."""
    for body, m in known.items():
        own = [node for node in [*pins, *nodes] if body in node.bodies]
        chain = [*own, own[0]] if len(own) > 2 else own
        for tail, head in itertools.pairwise(chain):
            arm = np.array(head.place) - np.array(tail.place)
            difference = np.array(head.vector) - np.array(tail.vector)
            omega = float(m.omega[0])
            parts: tuple[tuple[str, tuple[float, float]], ...] = (("tangential", _pair(omega * turned(arm))),)
            if kind == "acceleration":
                parts = (("normal", _pair(-(omega**2) * arm)), ("tangential", _pair(float(m.alpha[0]) * turned(arm))))
            yield Edge(tail.name, head.name, body, _pair(difference), parts)


# --- picture ------------------------------------------------------------------------------------------------------


def _draw(found: Polygon, ax: Any, path: str | PathLike[str] | None) -> Any:
    given = given_axes(ax, 1, f"a {found.kind} polygon")
    if given:
        axes = given
    else:
        left, right = new_figure(11.0, 5.4).subplots(1, 2)
        draw_behind(found._result, left)
        factor, _ = shown_length(found._result)
        place_labels(left, [Name(node.name, np.array(node.place) * factor) for node in found.nodes])
        left.set_title(f"{found._result.model.name} at t = {found.time:.4g} s", fontsize=11, parse_math=False)
        axes = [left, right]
    _draw_polygon(axes[-1], found)
    saved(axes[0].figure, path)  # type: ignore[arg-type]
    return as_given(axes)


def _draw_polygon(ax: Any, found: Polygon) -> None:
    factor, unit = shown_length(found._result)
    colours = body_colours(found._result)
    places = {node.name: factor * np.array(node.vector) for node in found.nodes} | {"o": np.zeros(2)}
    reach = max(float(np.hypot(*p)) for p in places.values()) or 1.0
    for node in found.nodes:
        _arrow(ax, np.zeros(2), places[node.name], current().ground, reach, lw=1.3)
    named: set[str] = set()
    corners: list[Array] = list(places.values())
    for edge in found.edges:
        colour = colours.get(edge.body, current().ink)
        tail = places[edge.tail]
        shown = [np.array(vector) * factor for _, vector in edge.parts]
        dashed = len([v for v in shown if np.hypot(*v) > 1e-9 * reach]) > 1
        at = tail.copy()
        corners += [tail, places[edge.head]]
        for part, (what, _) in zip(shown, edge.parts, strict=True):
            if dashed and np.hypot(*part) > 1e-9 * reach:
                ax.plot(
                    *np.array([at, at + part]).T,
                    ":" if what in ("normal", "Coriolis") else "--",
                    color=colour,
                    lw=1.1,
                    zorder=3,
                )
            at = at + part
            corners.append(at)
        label = "_" if edge.body in named else edge.body
        named.add(edge.body)
        ax.plot([], [], color=colour, lw=1.8, label=label)
        _arrow(ax, tail, places[edge.head], colour, reach, lw=1.8)
    ax.plot(0.0, 0.0, "o", ms=5, color=current().ink, zorder=6)
    xy = np.array(corners)
    low, high = xy.min(axis=0), xy.max(axis=0)
    margin = 0.12 * max(float((high - low).max()), 1e-12)
    ax.set_xlim(low[0] - margin, high[0] + margin)
    ax.set_ylim(low[1] - margin, high[1] + margin)
    ax.set_aspect("equal", adjustable="box")
    per = "s" if found.kind == "velocity" else "s²"
    ax.set_xlabel(f"x [{unit}/{per}]")
    ax.set_ylabel(f"y [{unit}/{per}]")
    ax.set_title(f"{found.kind} polygon", fontsize=11)
    finish(ax, len(ax.get_legend_handles_labels()[1]))
    merged: dict[tuple[float, float], list[str]] = {}
    for name, place in places.items():
        key = tuple(np.round(place / reach, 6) * reach)
        merged.setdefault((float(key[0]), float(key[1])), []).append(name)
    strokes = [(places[e.tail], places[e.head]) for e in found.edges] + [
        (np.zeros(2), places[n.name]) for n in found.nodes
    ]
    sides = [tail + share * (head - tail) for tail, head in strokes for share in np.linspace(0.05, 0.95, 12)]
    place_labels(ax, [Name(", ".join(names), at) for at, names in merged.items()], avoid=sides)


def _arrow(ax: Any, tail: Array, head: Array, colour: str, reach: float, *, lw: float) -> None:
    if np.hypot(*(head - tail)) > 1e-6 * reach:
        look = {"arrowstyle": "-|>", "color": colour, "lw": lw, "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", tuple(head), tuple(tail), arrowprops=look, zorder=4)
