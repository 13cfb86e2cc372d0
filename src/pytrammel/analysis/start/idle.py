"""Directions that are free but have no kinetic energy: harmless as long as nothing pushes along them, without a solution otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.analysis.at_state import evaluate_state
from pytrammel.analysis.freedom.rank import exact_rows, jacobian, rank_of
from pytrammel.analysis.positions.assembly import closed_from
from pytrammel.analysis.start.start_velocities import kinetic_roots
from pytrammel.errors import ModelError
from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import prepare
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import moved

Array = NDArray[np.float64]

LARGEST = 600  # columns up to which the question is asked; dense matrices answer it
NOTHING = 1e-12  # root of the share of the largest kinetic energy that counts as none
PUSHED = 1e-9  # share of the forces at work that counts as a push
NAMED = 5  # number of massless bodies with a separate message
MOVES = 1e-6  # component of a motion, in scales, above which a body takes part in it
NUDGE = 1e-2  # how far, in scaled coordinates, and how fast forces are looked for


def refuse_pushed(
    system: System, rows: Sequence[int], time: float, q: Array, later: Sequence[float] | Array = ()
) -> None:
    """Raise a ModelError if a force acts along a free direction without kinetic energy.

    Forces are evaluated in a position, a little beside it, both also at a little speed, and in the position at later times.

    Args:
        system: Lowered for dynamics.
        rows: Active equations.
        time, q: The start.
        later: Times at which forces that depend on time are looked at [s].
    """
    if not int(system.ints[L.HAS_MASSLESS]) or not system.forces or system.n_columns > LARGEST:
        return
    rows = exact_rows(system, q, time, rows)
    idle = idle_directions(system, rows, time, q)
    if not idle.shape[1]:
        return
    prepare(["state_run"])
    scales, still = system.column_scales(), np.zeros(system.n_columns)

    def check(at: float, place: Array, speed: Array, along: Array) -> None:
        g = evaluate_state(system, system.floats, pattern(system, ()), at, place, speed).generalised * scales
        push = along.T @ g
        if not np.abs(push).max() <= PUSHED * np.abs(g).max(initial=0.0):
            raise _refusal(system, along @ push)

    check(time, q, still, idle)
    for k in range(idle.shape[1]):
        step = NUDGE * idle[:, k] * scales
        for sign in (1.0, -1.0):
            check(time, q, sign * step, idle)
            near = closed_from(system, rows, time, moved(system, q, sign * step))
            if near is None:
                continue
            along = idle_directions(system, rows, time, near)
            if along.shape[1]:
                check(time, near, still, along)
                check(time, near, step, along)  # a damper on a line through the pin has a rate only beside it
    if any(f.use.law is not None and "t" in f.use.law.names for f in system.forces):
        for at in later:
            check(at, q, still, idle)


def undetermined(system: System, rows: Sequence[int], time: float, q: Array) -> list[tuple[str, str, str]]:
    """Return bodies with a free motion that no force and no inertia determines, each with the property it lacks and such a motion.

    A body in space that spins about the line of its own joints is no such body: no point of interest moves. Neither is a point mass
    without a pin, which would measure its angle.
    """
    moving = list(system.model.bodies.values())[1:]
    joined = {name for c in system.model.constraints.values() if c.kind == "revolute" for name in c.bodies}
    bare = [k for k, body in enumerate(moving) if not body.mass or (_is_point(body) and body.name in joined)]
    if not bare or system.n_columns > LARGEST:
        return []
    idle = idle_directions(system, exact_rows(system, q, time, rows), time, q)
    motions = system.column_scales()[:, None] * idle
    size, found = system.per_body, []
    for k in bare:
        own = slice(size * k, size * (k + 1))
        if np.abs(idle[own]).max(initial=0.0) > MOVES and not _spins_in_place(system, k, q, motions[own]):
            column = system.columns[own.start + int(np.abs(idle[own]).max(axis=1).argmax())]
            name, _, what = column.rpartition(".")
            turns = system.column_units[system.columns.index(column)] == "rad"
            lacks = "moment of inertia" if moving[k].mass else "mass"
            found.append((name, lacks, "turn" if turns else f"move along {what}"))
    return found


def _is_point(body: Any) -> bool:
    """Return True if a body has a mass and no moment of inertia."""
    return bool(body.mass) and body.inertia is not None and not np.any(np.asarray(body.inertia, dtype=float))


def undetermined_sentences(found: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return a message for each of the first undetermined bodies, and one for the rest."""
    out = [
        f"body {name!r} has no {lacks} and can {way}, and no force acts along this motion, so that it is not determined. Give the body a "
        f"{lacks}, hold it with a joint, or remove it."
        for name, lacks, way in found[:NAMED]
    ]
    if len(found) > NAMED:
        more = ", ".join(repr(name) for name, *_ in found[NAMED:])
        out.append(f"the motions of further bodies without mass or inertia are not determined either: {more}.")
    return out


def _spins_in_place(system: System, k: int, q: Array, motions: Array) -> bool:
    """Return True if two joints of a body or more stand still in some motions of it."""
    model = system.model
    name = list(model.bodies)[1 + k]
    seats = {tuple(seat.point) for c in model.constraints.values() for seat in c.seats if seat.body == name}
    if system.per_body == 3 or len(seats) < 2:
        return False
    turn = rotations.matrix(q[7 * k + 3 : 7 * k + 7])
    reach = float(np.abs(motions).max(initial=0.0)) * system.length
    return all(
        np.abs(v[:3] + turn @ np.cross(v[3:], seat)).max() <= MOVES * reach
        for v in motions.T
        for seat in map(np.array, seats)
    )


def idle_directions(system: System, rows: Sequence[int], time: float, q: Array) -> Array:
    """Orthonormal basis of the free motions without kinetic energy, scaled coordinates, shape (n, k)."""
    free = rank_of(jacobian(system, q, time, exact_rows(system, q, time, rows))).freedom
    if not free.shape[1]:
        return free
    moving = kinetic_roots(system, q) @ free
    if not moving.shape[0]:
        return free
    _, values, right = np.linalg.svd(moving)
    return np.asarray(free @ right[int((values > NOTHING).sum()) :].T)


def faintest_motion(system: System, rows: Sequence[int], time: float, q: Array) -> tuple[str, float]:
    """Return the column that moves most in the free motion of least kinetic energy, and its share of the largest one; "" if none."""
    if system.n_columns > LARGEST:
        return "", 1.0
    free = rank_of(jacobian(system, q, time, exact_rows(system, q, time, rows))).freedom
    moving = kinetic_roots(system, q) @ free
    if not free.shape[1] or moving.shape[0] < free.shape[1]:
        return "", 1.0
    _, values, right = np.linalg.svd(moving)
    direction = np.abs(free @ right[-1])
    return system.columns[int(direction.argmax())], float((values[-1] / values[0]) ** 2)


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
