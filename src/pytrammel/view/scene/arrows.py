"""Arrows of a planar result: loads, reactions, velocities and accelerations over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.forces.force import Force
from pytrammel.model.bodies import GROUND
from pytrammel.results.result import Result
from pytrammel.view.scene.planar import Array, Arrow, ArrowKind, Point, Scene, to_global

CURVE_SAMPLES = 801
MOST_PLACES = 48
"""Most places whose velocities and accelerations are shown; points of interest come first."""
NO_ARROW = 1e-9
"""Arrows smaller than this share of the largest one of their kind are left out."""


def arrows_of(result: Result, scene: Scene) -> tuple[Arrow, ...]:
    """Everything with a size and a direction that is known of a result."""
    index = {body.name: k for k, body in enumerate(scene.bodies)}
    out = [
        *_loads(result, scene, index),
        *(_reactions(result, scene, index) if result.dynamics is not None else ()),
        *_motions(result, index),
    ]
    largest: dict[ArrowKind, float] = {}
    for arrow in out:
        largest[arrow.kind] = max(largest.get(arrow.kind, 0.0), _largest(arrow))
    return tuple(a for a in out if _largest(a) > NO_ARROW * largest[a.kind] and np.isfinite(a.vector).all())


def _largest(arrow: Arrow) -> float:
    return float(np.linalg.norm(arrow.vector, axis=1).max(initial=0.0))


# ---- velocities and accelerations of centroids and points of interest


def _motions(result: Result, index: dict[str, int]) -> Iterator[Arrow]:
    model = result.model
    places: list[tuple[str, str, Point]] = [
        (p.name, p.body, p.local) for p in model.points.values() if p.body != GROUND
    ]
    places += [(name, name, body.centroid) for name, body in model.bodies.items() if name != GROUND]
    for name, body, at in places[:MOST_PLACES]:
        k = 3 * (list(model.bodies).index(body) - 1)
        phi = result.q[:, k + 2]
        rx, ry = (to_global(np.column_stack((0.0 * phi, 0.0 * phi, phi)), at)).T
        if result.v is not None:
            vx, vy, omega = result.v[:, k : k + 3].T
            yield Arrow(name, "velocity", index[body], at, np.column_stack((vx - omega * ry, vy + omega * rx)), "m/s")
            if result.a is not None:
                ax, ay, alpha = result.a[:, k : k + 3].T
                across = np.column_stack((ax - alpha * ry - omega**2 * rx, ay + alpha * rx - omega**2 * ry))
                yield Arrow(name, "acceleration", index[body], at, across, "m/s²")


# ---- reactions


def _reactions(result: Result, scene: Scene, index: dict[str, int]) -> Iterator[Arrow]:
    """What every joint does to its second body (the first, where the second is the ground)."""
    for joint in result.model.constraints.values():
        body = joint.second if joint.second != GROUND else joint.bodies[0]
        seat = joint.seat_on(body)
        if not joint.n_rows or joint.is_driver or seat is None or body == GROUND:
            continue
        found = result.reaction(joint.name, on=body)
        name, at = f"{joint.name} on {body}", (seat.point[0], seat.point[1])
        here = to_global(scene.bodies[index[body]].poses, at)
        fixed = np.allclose(here, found.point, rtol=0.0, atol=1e-6 * result._system.length)
        origin = None if fixed else np.asarray(found.point)  # the page needs no series of places then
        yield Arrow(name, "reaction", index[body], at, np.asarray(found.force), "N", origin)
        moment = np.asarray(found.moment)[:, None]
        size = result._system.length * float(np.abs(found.force).max(initial=0.0))
        if np.abs(moment).max(initial=0.0) > 1e-6 * size:  # a pin's rounding is no moment
            yield Arrow(name, "reaction-moment", index[body], at, moment, "N m", origin)


# ---- loads


def _loads(result: Result, scene: Scene, index: dict[str, int]) -> Iterator[Arrow]:
    for force in result.model.forces.values():
        for symbol in force.symbols:
            if symbol.along is not None:
                continue  # drawn where its quantity is measured, without an arrow
            at = (symbol.position[0], symbol.position[1])
            body = index[symbol.body]
            if symbol.kind == "load":
                vector = _components(result, force)
                if vector is not None:
                    yield Arrow(force.name, "load", body, at, vector, "N")
            elif symbol.kind in ("torque", "motor", "torsion"):
                moment = _value(result, force)
                if moment is not None:
                    body, at = _turned(scene, force, index, body, at)
                    yield Arrow(force.name, "moment", body, at, moment[:, None], "N m")
            elif symbol.other_body and force.measures.get("length") is not None:
                yield from _pull(result, scene, force, index)
        yield from _pushes(result, scene, force, index)


def _turned(scene: Scene, force: Force, index: dict[str, int], body: int, at: Point) -> tuple[int, Point]:
    """Where the mark of a torque, motor or torsion spring stands."""
    for mark in scene.marks:
        if force.name in mark.label.split(", "):
            return mark.body, mark.position
    return (index[force.bodies[-1]], (0.0, 0.0)) if len(force.bodies) > 1 else (body, at)


def _value(result: Result, force: Force) -> Array | None:
    """Value of a force over time: computed, or of its law where that knows time only."""
    if result.dynamics is not None:
        try:
            return result.force(force.name)
        except ModelError:
            return None
    laws = [use.law for use in force.uses]
    values = _timed(laws, result.times)
    return None if values is None else values.sum(axis=1)


def _components(result: Result, force: Force) -> Array | None:
    """Global components of a load over time."""
    if result.dynamics is not None:
        try:
            vector = np.column_stack([result.force(use.label) for use in force.uses])
        except ModelError:
            return None
    else:
        found = _timed([use.law for use in force.uses], result.times)
        if found is None:
            return None
        vector = found
    if force.parameters.get("frame") == "body":
        phi = result._body(force.bodies[0]).phi
        c, s = np.cos(phi), np.sin(phi)
        vector = np.column_stack((c * vector[:, 0] - s * vector[:, 1], s * vector[:, 0] + c * vector[:, 1]))
    return vector


def _timed(laws: Sequence[Expression | None], times: Array) -> Array | None:
    """Values of laws of time, shape (n, n_laws); None if one needs more than time."""
    if any(law is None or not law.names <= {"t"} for law in laws):
        return None
    return np.array([[float(law.evaluate({"t": t})) for law in laws if law is not None] for t in times.tolist()])


def _pull(result: Result, scene: Scene, force: Force, index: dict[str, int]) -> Iterator[Arrow]:
    """Force of a spring, damper or actuator on the body it pulls."""
    value = _value(result, force) if result.dynamics is not None else None
    if value is None:
        return
    symbol = force.symbols[0]
    ends = [(symbol.body, symbol.position), (symbol.other_body, symbol.other_position)]
    (here, at), (there, to) = ends if ends[0][0] != GROUND else ends[::-1]
    a = to_global(scene.bodies[index[here]].poses, (at[0], at[1]))
    b = to_global(scene.bodies[index[there]].poses, (to[0], to[1]))
    length = np.linalg.norm(b - a, axis=1, keepdims=True)
    towards = np.divide(b - a, length, out=np.zeros_like(a), where=length > 0.0)
    yield Arrow(force.name, "load", index[here], (at[0], at[1]), value[:, None] * towards, "N")


def _pushes(result: Result, scene: Scene, force: Force, index: dict[str, int]) -> Iterator[Arrow]:
    """Normal force of a contact on its disc, where they touch."""
    discs = [s for s in force.symbols if s.kind in ("disc", "tyre", "track")]
    if result.dynamics is None or not force.kind.startswith("contact_") or not discs:
        return
    try:
        value = np.abs(result.force(f"{force.name}.normal"))
    except ModelError:
        return
    disc = discs[-1]
    body, at = (disc.other_body, disc.other_position) if disc.kind == "track" else (disc.body, disc.position)
    centre = to_global(scene.bodies[index[body]].poses, (at[0], at[1]))
    normal = _normals(scene, force, centre, index)
    touch = centre - disc.radius * normal
    yield Arrow(force.name, "load", index[body], (at[0], at[1]), value[:, None] * normal, "N", touch)


def _normals(scene: Scene, force: Force, centre: Array, index: dict[str, int]) -> Array:
    """Unit vectors from what a disc touches towards its centre, shape (n, 2)."""
    other = force.symbols[0]
    poses = scene.bodies[index[other.body]].poses
    if other.kind == "track":
        angle = poses[:, 2] + other.angle
        return np.column_stack((-np.sin(angle), np.cos(angle)))
    if other.curve is None:
        foot = to_global(poses, (other.position[0], other.position[1]))
    else:
        points = np.asarray(other.curve.sample(CURVE_SAMPLES), dtype=float)
        c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        dx, dy = (centre - poses[:, :2]).T
        local = np.column_stack((c * dx + s * dy, c * dy - s * dx))
        nearest = [points[int(np.argmin(((points - p) ** 2).sum(axis=1)))] for p in local]
        foot = np.array([to_global(poses[k : k + 1], (p[0], p[1]))[0] for k, p in enumerate(nearest)])
    way = centre - foot
    length = np.linalg.norm(way, axis=1, keepdims=True)
    out: Array = np.divide(way, length, out=np.zeros_like(way), where=length > 0.0)
    return out
