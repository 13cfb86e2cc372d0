"""What forces do to bodies: the force vector of a spring, the resultant of all loads about any point.

A force along a measured quantity acts on bodies as its value times the quantity's Jacobian row; forces with a geometry of their own are
evaluated again along the motion. Rows that a contact brings into play while it sticks count as its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked, checked_numbers
from pytrammel._util.messages import brief, short
from pytrammel._util.progress import in_pieces
from pytrammel.errors import ModelError
from pytrammel.forces.force import Force, ForceUse
from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.loads import loads_run
from pytrammel.kernels.measures import reactions_run
from pytrammel.model.bodies import GROUND
from pytrammel.results.forces.dynamics import (
    about_origin,
    carried_by_armatures,
    dynamics_data,
    joint_forces,
    row_forces,
)
from pytrammel.results.forces.groups import centre_of, mass_of
from pytrammel.results.segments import per_model
from pytrammel.results.series import places
from pytrammel.system.lowering import lower_measures
from pytrammel.system.pattern import pattern

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True)
class Resultant:
    """Force and moment on a body.

    Attributes:
        force: Global components [N], shape (n, 2) or (n, 3).
        moment: About `point` [N m], shape (n,), or in space global components, shape (n, 3).
        point: Where the moment is about, global [m], shape (n, 2) or (n, 3).
    """

    force: Array
    moment: Array
    point: Array

    @property
    def magnitude(self) -> Array:
        """Magnitude of the force [N], shape (n,)."""
        return np.asarray(np.linalg.norm(self.force, axis=1))

    @checked
    def moment_about(self, point: Any) -> Array:
        """Moment about another place, global [m]: one for all instants or one each."""
        return np.asarray(self.moment + turning(self.point - places(point, self.point), self.force))


def turning(arm: Array, force: Array) -> Array:
    """Moment of a force at an arm: a number in the plane, a vector in space, at every instant."""
    if force.shape[1] == 2:
        return np.asarray(arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0])
    return np.cross(arm, force)


@per_model
def force_on(result: Result, name: str, body: str) -> Resultant:
    """What one force does to one body, about the body's centre of mass."""
    if body not in result.model.bodies:
        raise result.model._unknown(body, "body", result.model.bodies)
    return _resultant(result, body, _of_force(result, _force(result, name)).get(body))


@per_model
def resultant(result: Result, body: str, *, gravity: bool = True, joints: bool = False) -> Resultant:
    """All applied loads on a body about its centre of mass; gravity and what joints carry on demand."""
    model = result.model
    dynamics_data(result)
    total: Array | None = None
    for force in model.forces.values():
        total = _plus(total, _of_force(result, force).get(body))
    if joints:
        for joint in model.constraints.values():
            total = _plus(total, joint_forces(result, joint).get(body) if body in (*joint.bodies, GROUND) else None)
        if body == GROUND:
            total = _plus(total, carried_by_armatures(result))
    found = _resultant(result, body, total)
    if gravity and body != GROUND:
        found = Resultant(found.force + mass_of(model, body) * np.array(model.gravity), found.moment, found.point)
    return found


def _plus(total: Array | None, more: Array | None) -> Array | None:
    return more if total is None else total if more is None else total + more


def _force(result: Result, name: str) -> Force:
    found = result.model.forces.get(name)
    if found is None:
        raise result.model._unknown(name, "force", result.model.forces)
    return found


def _resultant(result: Result, body: str, generalised: Array | None) -> Resultant:
    """From force and moment about the origin (body components in space) to those about the centre of mass."""
    n, d = len(result), result.model.space.dimension
    centre = centre_of(result, body)
    if generalised is None:
        generalised = np.zeros((n, 3 if d == 2 else 6))
    force, series = generalised[:, :d], result._body(body)
    moment = generalised[:, 2] if d == 2 else np.einsum("nij,nj->ni", series.matrix, generalised[:, 3:])
    return Resultant(force.copy(), moment - turning(centre - series.position, force), centre)


# --- generalised forces ------------------------------------------------------------------------------------------------


def _of_force(result: Result, force: Force) -> dict[str, Array]:
    """Generalised force on every body of a run with one model: of all uses of a force, and of the rows it brings into play."""
    made = dynamics_data(result).made
    key = f"load of {force.name} on "
    table = {name.removeprefix(key): own for name, own in made.items() if name.startswith(key)}
    if not table:
        table = _fresh(result, force)
        made.update({f"{key}{body}": own for body, own in table.items()})
    if GROUND in force.bodies:
        table[GROUND] = -about_origin(result, table)
    return table


def _fresh(result: Result, force: Force) -> dict[str, Array]:
    out = {body: np.zeros((len(result), result._system.per_body)) for body in list(result.model.bodies)[1:]}
    parts = [
        _of_use(result, k, lowered.use)
        for k, lowered in enumerate(result._system.forces)
        if lowered.owner == force.name and not lowered.use.label.endswith(".limit")
    ]
    # rows that only push are told by the normal force already, and so are those whose multipliers uses report
    rest = force.impact.rest if force.impact is not None else ""
    own = {hold.name for hold in force.holds if not hold.reported and hold.name != rest}
    parts += [row_forces(result, k) for k, row in enumerate(result._system.rows) if row.owner in own]
    for part in parts:
        for body, load in part.items():
            out[body] += load
    return {body: load for body, load in out.items() if load.any() or body in force.bodies}


def _of_use(result: Result, k: int, use: ForceUse) -> dict[str, Array]:
    """Generalised force of one element on its bodies."""
    system, size = result._system, result._system.per_body
    if use.along is not None:
        small = lower_measures(result.model, [use.along])
        values = np.ascontiguousarray(dynamics_data(result).outputs[:, 2 * k : 2 * k + 1])
        table = np.zeros((len(result), int(small.ints[L.N_JACOBIAN]) + 1))
        prepare(["reactions_run", *small.primitives])
        tables = (result.times, result.q, _velocities(result), values, table)
        in_pieces(reactions_run, (small.ints, small.floats, pattern(small, [0])), tables, small.n_columns)
        at, columns = small.row_entries[0], small.row_columns[0]
    else:
        if any(given.kind == "reaction" for given in use.inputs.values()):
            raise ModelError(
                f"what {use.label!r} does to single bodies is not known: its law names a reaction; ask for its value instead."
            )
        first = int(system.ints[L.AT_FORCES]) + L.FORCE_SIZE * k
        _address, _ints, _output, at, count, listed = (int(x) for x in system.ints[first : first + L.FORCE_SIZE])
        table, columns = _blocks(result), tuple(int(c) for c in system.ints[listed : listed + count])
    names = list(result.model.bodies)
    out: dict[str, Array] = {}
    for e, column in enumerate(columns):
        if 0 <= column < size * (len(names) - 1):
            own = out.setdefault(names[column // size + 1], np.zeros((len(result), size)))
            own[:, column % size] += table[:, at + e]
    return out


def _velocities(result: Result) -> Array:
    return result.v if result.v is not None else np.zeros((len(result), result._system.n_columns))


def _blocks(result: Result) -> Array:
    """Generalised forces of all elements along a run with one model; made once."""
    data, system = dynamics_data(result), result._system
    if "loads" not in data.made:
        prepare(["loads_run", *system.primitives, *{f.use.element for f in system.forces}])
        table = np.zeros((len(result), int(system.ints[L.N_JACOBIAN]) + 1))
        z = np.zeros((len(result), int(system.ints[L.N_STATES])))
        if data.inner_states.shape == z.shape:
            z = np.ascontiguousarray(data.inner_states)
        for segment in result._segments:
            span = slice(segment.first, segment.last)
            tables = (result.times[span], result.q[span], _velocities(result)[span], z[span], table[span])
            in_pieces(loads_run, (system.ints, segment.floats), tables, system.n_columns)
        data.made["loads"] = table
    return data.made["loads"]


def about(result: Result, found: Resultant, place: Any) -> Resultant:
    """The same about another place: a point of a body, its name, or global coordinates."""
    if place is None:
        return found
    if (isinstance(place, str) and place in result.model.points) or hasattr(place, "local"):
        where = result.point(place).position
    elif isinstance(place, Sequence | np.ndarray) and not isinstance(place, str):
        where = np.tile(checked_numbers(place, "about", result.model.space.axes), (len(result), 1))
    else:
        axes = ", ".join(result.model.space.axes)
        raise ModelError(f"about= must be a point, its name or ({axes}) [m], but it is {short(place)}.")
    return Resultant(found.force, found.moment_about(where), where)
