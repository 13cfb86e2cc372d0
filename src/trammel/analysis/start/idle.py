"""Directions that are free but have no kinetic energy: harmless as long as nothing pushes along them, without a solution otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.at_state import evaluate_state
from trammel.analysis.freedom.rank import jacobian, rank_of
from trammel.analysis.start.start_velocities import kinetic_roots
from trammel.errors import ModelError
from trammel.kernels import layout as L
from trammel.kernels.jit import prepare
from trammel.system.lowering import System
from trammel.system.pattern import pattern
from trammel.system.positions import moved

Array = NDArray[np.float64]

LARGEST = 600  # columns up to which the question is asked; dense matrices answer it
NOTHING = 1e-12  # root of the share of the largest kinetic energy that counts as none
PUSHED = 1e-9  # share of the forces at work that counts as a push
NUDGE = 1e-2  # how far, in scaled coordinates, and how fast forces are looked for


def refuse_pushed(system: System, rows: Sequence[int], time: float, q: Array) -> None:
    """Raise a ModelError if a force acts, here or a little beside, along a free direction without kinetic energy."""
    if not int(system.ints[L.HAS_MASSLESS]) or not system.forces or system.n_columns > LARGEST:
        return
    idle = idle_directions(system, rows, time, q)
    if not idle.shape[1]:
        return
    prepare(["state_run"])
    scales = system.column_scales()
    for k in range(idle.shape[1]):
        step = NUDGE * idle[:, k] * scales
        still = np.zeros(system.n_columns)
        for place, speed in (
            (q, still),
            (moved(system, q, step), still),
            (moved(system, q, -step), still),
            (q, step),
            (q, -step),
        ):
            g = evaluate_state(system, system.floats, pattern(system, ()), time, place, speed).generalised * scales
            push = idle.T @ g
            if not np.abs(push).max() <= PUSHED * np.abs(g).max(initial=0.0):
                raise _refusal(system, idle @ push)


def idle_directions(system: System, rows: Sequence[int], time: float, q: Array) -> Array:
    """Orthonormal basis of the free motions without kinetic energy, scaled coordinates, shape (n, k)."""
    free = rank_of(jacobian(system, q, time, rows)).freedom
    if not free.shape[1]:
        return free
    moving = kinetic_roots(system, q) @ free
    if not moving.shape[0]:
        return free
    _, values, right = np.linalg.svd(moving)
    return np.asarray(free @ right[int((values > NOTHING).sum()) :].T)


def _refusal(system: System, direction: Array) -> ModelError:
    column = system.columns[int(np.argmax(np.abs(direction)))]
    owner, _, what = column.rpartition(".")
    if owner not in system.model.bodies:
        return ModelError(
            f"{column} is free, has no mass, and a force acts along it: its motion has no solution; hold it."
        )
    turns = system.column_units[system.columns.index(column)] == "rad"
    lacks, way = ("inertia", "turn") if turns else ("mass", f"move along {what}")
    article = "an" if turns else "a"
    acting = ", ".join(repr(f.name) for f in system.model.forces.values() if owner in f.bodies)
    by = f" ({acting})" if acting else ""
    return ModelError(
        f"body {owner!r} is free to {way}, but has no {lacks} that way, while forces{by} act along it: no acceleration follows from them. "
        f"Give it {article} {lacks}, hold {column} with a joint, or look for its rest with equilibrium."
    )
