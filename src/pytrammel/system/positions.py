"""Steps between positions, for analyses that move a mechanism from Python; the kernels have the same in `kernels.bodies`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pytrammel.joints.constraint import Constraint
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import System

Array = NDArray[np.float64]


def moved(system: System, q: Array, step: Array) -> Array:
    """Position after a small motion: additions, and rotations about the body's own axes in space; or many of them, one per row."""
    if system.model.space.dimension == 2:
        return np.asarray(q + step)
    out = q.copy()
    bodies = len(system.model.bodies) - 1
    out[..., 7 * bodies : 7 * bodies + len(system.extras)] += step[..., 6 * bodies :]
    own, d = q[..., : 7 * bodies].reshape(-1, 7), step[..., : 6 * bodies].reshape(-1, 6)
    half = 0.5 * np.linalg.norm(d[:, 3:], axis=1)
    turn = np.column_stack([np.cos(half), 0.5 * np.sinc(half / np.pi)[:, None] * d[:, 3:]])
    new = _product(own[:, 3:], turn)
    new /= np.linalg.norm(new, axis=1)[:, None]
    out[..., : 7 * bodies] = np.hstack([own[:, :3] + d[:, :3], new]).reshape(*q.shape[:-1], 7 * bodies)
    return out


def difference(system: System, q_to: Array, q_from: Array) -> Array:
    """The step that leads from one position to another, by the shorter rotation."""
    if system.model.space.dimension == 2:
        return np.asarray(q_to - q_from)
    bodies = len(system.model.bodies) - 1
    extras = slice(7 * bodies, 7 * bodies + len(system.extras))
    a, b = q_from[: 7 * bodies].reshape(bodies, 7), q_to[: 7 * bodies].reshape(bodies, 7)
    turn = _product(a[:, 3:] * np.array([1.0, -1.0, -1.0, -1.0]), b[:, 3:])
    turn *= np.where(turn[:, :1] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(turn[:, 1:], axis=1)
    scale = np.where(sine > 1e-9, 2.0 * np.arctan2(sine, turn[:, 0]) / np.maximum(sine, 1e-300), 2.0)
    steps = np.hstack([b[:, :3] - a[:, :3], scale[:, None] * turn[:, 1:]])
    return np.concatenate([steps.ravel(), q_to[extras] - q_from[extras]])


def coordinate_steps(system: System, q: Array, steps: Array) -> Array:
    """Changes of the coordinates that go with small motions, to first order: tables of shape (..., n_coordinates) from (..., n_columns)."""
    if system.model.space.dimension == 2:
        return np.array(steps)
    out = np.zeros((*steps.shape[:-1], q.shape[-1]))
    bodies = len(system.model.bodies) - 1
    own = np.broadcast_to(q, out.shape)[..., : 7 * bodies].reshape(-1, 7)
    turned = steps[..., : 6 * bodies].reshape(-1, 6)
    rates = _product(own[:, 3:], np.column_stack([np.zeros(len(turned)), 0.5 * turned[:, 3:]]))
    out[..., : 7 * bodies] = np.hstack([turned[:, :3], rates]).reshape(*steps.shape[:-1], 7 * bodies)
    out[..., 7 * bodies : 7 * bodies + len(system.extras)] = steps[..., 6 * bodies :]
    return out


def coordinates_of(system: System, q: Array, body: str) -> Array:
    """The coordinates of one moving body."""
    size = len(system.model.space.positions)
    k = size * (list(system.model.bodies).index(body) - 1)
    return q[k : k + size]


def drawn_at(system: System, q: Array) -> dict[str, dict[str, object]]:
    """Changes that draw every body where q has it, and tell joints their turns and places on curves, for `Model.copy`."""
    model = system.model
    bodies = list(model.bodies.values())[1:]
    changes = {body.name: body.placed_at(coordinates_of(system, q, body.name)) for body in bodies}
    extras = [extra.name for joint in model.constraints.values() for extra in joint.extras]
    first = system.n_coordinates - len(model.turns)
    counters = dict(zip(model.turns, q[first:], strict=True))
    places = dict(zip(extras, q[first - len(extras) : first], strict=True))
    for item in (*model.constraints.values(), *model.forces.values()):
        told: dict[str, object] = {
            name: float(counters[quantity.turn.name])
            for name, quantity in item.measures.items()
            if quantity.turn is not None and name in item.parameters
        }
        for name, given in item.parameters.items():
            if isinstance(given, Quantity) and given.turn is not None:
                # an angle between bodies carries its own counter along
                told[name] = replace(given, turn=replace(given.turn, start=float(counters[given.turn.name])))
        if "start" in item.parameters and isinstance(item, Constraint) and item.extras:
            told["start"] = float(places[item.extras[0].name])
        if told:
            changes[item.name] = told
    return changes


def as_row(system: System, values: Array) -> Array:
    """Velocities or accelerations padded to the width of the coordinates, to be stacked with them."""
    return np.concatenate([values, np.zeros(system.n_coordinates - values.size)])


def _product(a: Array, b: Array) -> Array:
    """Products of Euler parameters, row by row."""
    scalar = a[:, :1] * b[:, :1] - (a[:, 1:] * b[:, 1:]).sum(axis=1, keepdims=True)
    return np.hstack([scalar, a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])])
