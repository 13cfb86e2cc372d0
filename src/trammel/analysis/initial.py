"""Consistent starting positions and velocities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.assembly import assemble
from trammel.analysis.rank import jacobian, rank_of, surely_independent
from trammel.errors import AssemblyError, ModelError
from trammel.kernels import layout as L
from trammel.kernels.measures import measures_run
from trammel.kernels.rates import rates_run
from trammel.system.lowering import System
from trammel.system.pattern import pattern
from trammel.system.positions import difference

Array = NDArray[np.float64]
HELD = 1e-9  # a held coordinate moves this much less readily than the others


def drawn_velocity(system: System) -> Array:
    """Velocities as given with the bodies."""
    v = [x for body in list(system.model.bodies.values())[1:] for x in body.velocities]
    return np.array(v + [0.0] * len(system.extras))


def consistent_start(
    system: System, rows: Sequence[int], time: float, hold: Sequence[str]
) -> tuple[Array, Array, list[str]]:
    """Positions and velocities that satisfy the constraints, closest to those given, and what had to be changed.

    Args:
        hold: Coordinates ("crank.phi") and velocities ("crank.omega") that must stay as given.
    """
    held_q, held_v = _held(system, hold)
    changed: list[str] = []
    begin = system.start.copy()
    q = begin.copy()
    if rows:
        floats = system.floats.copy()
        at = int(system.ints[L.AT_COLUMN_SCALES])
        floats[[at + k for k in held_q]] *= HELD
        try:
            q = assemble(system.model, time=time, system=replace(system, floats=floats), rows=rows, start=begin).q
        except AssemblyError as error:
            if not held_q:
                raise
            names = ", ".join(system.columns[k] for k in held_q)
            raise AssemblyError(f"with {names} held as drawn: {error} Or hold fewer coordinates.") from None
    for k, (name, step) in enumerate(zip(system.columns, difference(system, q, begin), strict=True)):
        if abs(step) > 1e-9 * system.column_scales()[k]:
            where = system.coordinates.index(name) if name in system.coordinates else -1
            if k in held_q:
                how = f"at {begin[where]:g}" if where >= 0 else "as drawn"
                raise AssemblyError(
                    f"{name} is held {how}, but the joints do not close there; hold another coordinate."
                )
            if where >= 0:
                changed.append(f"{name} moved from {begin[where]:.6g} to {q[where]:.6g}")
            else:
                owner, _, axis = name.rpartition(".r")
                changed.append(f"{owner} turned by {np.degrees(step):.6g}° about its {axis} axis")
    given = drawn_velocity(system)
    v = consistent_velocity(system, rows, time, q, given, held_v)
    scales = system.column_scales()
    size = max(float(np.abs(v / scales).max(initial=0.0)), 1e-300)
    for k, name in enumerate(system.columns):
        if abs(v[k] - given[k]) / scales[k] > 1e-9 * size:
            if k in held_v:
                raise AssemblyError(
                    f"the velocity of {name} is held at {given[k]:g}, but the constraints do not allow it; hold another one."
                )
            changed.append(f"velocity of {name} changed from {given[k]:.6g} to {v[k]:.6g}")
    return q, v, changed


def velocity_target(system: System, rows: Sequence[int], time: float, q: Array) -> Array:
    """Right-hand side nu of J v = nu, in row scales."""
    values, rates, seconds = (np.zeros((1, len(system.rows))) for _ in range(3))
    zeros = np.zeros((1, system.n_columns))
    measures_run(
        system.ints, system.floats, np.array([time]), q.reshape(1, -1).copy(), zeros, zeros, values, rates, seconds
    )
    goals = [goal for c in system.model.constraints.values() for block in c.blocks for goal in block.targets]
    nu = []
    for k in rows:
        goal = goals[k]
        speed = 0.0 if isinstance(goal, int | float) else float(goal.derivative("t").evaluate({"t": time}))
        nu.append(speed - rates[0, k])
    return np.array(nu) / system.row_scales()[list(rows)]


def consistent_velocity(
    system: System, rows: Sequence[int], time: float, q: Array, given: Array, held: Sequence[int]
) -> Array:
    """Velocities closest to the given ones that the constraints allow."""
    if not rows:
        return given.copy()
    scales = system.column_scales()
    weight = np.ones(system.n_columns)
    weight[list(held)] = HELD
    if not held and surely_independent(system, q, time, rows):
        v = given.copy()
        rates_run(system.ints, system.floats, pattern(system, rows), float(time), q, v)
        return v
    dense = jacobian(system, q, time, rows)
    x = given / scales
    for _ in range(2):
        missing = velocity_target(system, rows, time, q) - dense @ x
        step, *_ = np.linalg.lstsq(dense * weight, missing, rcond=1e-12)
        x = x + weight * step
    found = rank_of(dense)
    off = np.abs(velocity_target(system, rows, time, q) - dense @ x)[list(found.independent)]
    if off.size and off.max() > 1e-9 * max(1.0, float(np.abs(x).max())):
        raise AssemblyError(
            f"no velocities satisfy the constraints at t = {time:g} s: {system.rows[rows[found.independent[int(off.argmax())]]].owner!r} "
            "is driven against the others."
        )
    return np.asarray(x * scales)


def _held(system: System, hold: Sequence[str]) -> tuple[list[int], list[int]]:
    """Columns whose position and whose velocity must stay as given."""
    space = system.model.space
    translations, rotations = space.columns[: space.dimension], space.columns[space.dimension :]
    positions = {
        **{c: (c,) for c in space.columns},
        "angle": rotations,
        "rotation": rotations,
        "position": translations,
    }
    velocities = {**{v: (c,) for v, c in space.rates.items()}, "omega": rotations, "velocity": translations}
    held_q: list[int] = []
    held_v: list[int] = []
    for name in hold:
        owner, _, what = name.rpartition(".")
        chosen = [f"{owner}.{c}" for c in {**positions, **velocities}.get(what, ("",))]
        if name in system.columns:
            chosen = [name]
        if not all(column in system.columns for column in chosen):
            raise ModelError(
                f"there is no coordinate {name!r} to hold; choose from: {', '.join(system.columns)} (or {', '.join(velocities)})."
            )
        (held_v if what in velocities else held_q).extend(system.columns.index(column) for column in chosen)
    return held_q, held_v
