"""The equations of motion in relative coordinates at one state, for study: Kamman's matrices, the partition, the loads of all joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import unlike
from pytrammel.analysis.at_state import mass_matrix
from pytrammel.analysis.formulations import Formulation
from pytrammel.analysis.formulations import formulation as formulation_of
from pytrammel.analysis.formulations.relative import (
    Layout,
    independent_rows,
    layout_of,
    needed_kernels,
    part,
    relative_table,
    structure_of,
    turned_away,
    values_at,
    vector_at,
    whole_layout,
    with_known,
)
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.options import verb
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.positions.phase_at import system_at
from pytrammel.analysis.positions.plain_newton import row_names
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.runs.engine import Table, vector_size
from pytrammel.analysis.start.initial import consistent_start
from pytrammel.errors import ModelError, SingularError, tell
from pytrammel.expressions.expression import Expression, as_expression
from pytrammel.kernels import engine as places
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations import relative as kernels
from pytrammel.kernels.links import layout as K
from pytrammel.model.base import Model
from pytrammel.results.studies.relative import JointLoad, RelativeEquations
from pytrammel.system.lowering import System
from pytrammel.system.relative import Link, Relative, pose_of

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
Row = tuple[Mapping[str, float], float | str | Expression]
HELD = 1e-7  # of the fastest speed: how well speeds must obey a row that is given
NEAR_90 = 1e-3  # cosine of a second angle below which multipliers do not tell the moment


@verb
def relative_equations(
    model: Model,
    *,
    time: float = 0.0,
    result: Result | None = None,
    formulation: str | Formulation = "relative",
    rows: Sequence[Row] = (),
) -> RelativeEquations:
    """The equations of motion in relative coordinates at one state, with joint loads by the eliminated equations (Kamman).

    Args:
        model: The model.
        time: Instant [s]: of the start, where bodies are as drawn with the velocities given, or one of the result's.
        result: A run of this model; the state is the one at `time`.
        formulation: "relative", or `tm.formulation("relative", ...)` with its options.
        rows: Rows b.y + b0 = 0 beside those of the model: names of speeds with their coefficients, and b0, a number or a formula of t.
    """
    chosen = formulation_of(formulation)
    if chosen.name != "relative":
        raise ModelError(
            f"relative_equations is about formulation 'relative', not {chosen.name!r}; leave formulation= out, or use matrices("
            f"formulation={chosen.name!r})."
        )
    make_ready(model, ["jacobian_run", "rates_run", *needed_kernels(model.space.dimension)], forces=True)
    system, acting, floats, state = _state(model, float(time), result)
    study, notes = study_of(system, acting, floats, float(time), state, chosen)
    return _solved(study, rows, notes)


def study_of(
    system: System, acting: Sequence[int], floats: Array, time: float, state: Array, chosen: Formulation
) -> tuple[Study, list[str]]:
    """Matrices over all coordinates at a state, given in body coordinates, and what to know about the rows."""
    if system.ints[L.N_REACTIONS]:
        raise ModelError(
            f"some force of model {system.model.name!r} depends on reactions, which follow only after the motion in relative coordinates; "
            "use formulation='cartesian' or 'joint'."
        )
    q = state[: system.n_coordinates]
    structure = structure_of(system, acting, q, chosen)
    if chosen["rotations"] == "angles":
        structure = turned_away(structure, q)
    layout = with_known(layout_of(structure, chosen), structure.rows, floats, q, time)
    driven = {row for _, _, row, _ in layout.driven}
    left = [row for row in structure.rows if row not in driven]
    used = independent_rows(layout, left, floats, q, time)
    notes = [
        f"{name} depends on the other constraints and carries no load here"
        for name in _owners(system, set(left) - set(used))
    ]
    teeth = [
        name for name in dict.fromkeys(system.rows[k].owner for k in used) if system.model.constraints[name].separation
    ]
    notes += [
        f"what the teeth of {name!r} push their bearings apart is not in these loads; reactions of a run tell it"
        for name in teeth
    ]
    return Study(layout, used, floats, time, state), notes


def _owners(system: System, rows: set[int]) -> list[str]:
    return list(dict.fromkeys(repr(system.rows[row].owner) for row in sorted(rows)))


def _state(model: Model, time: float, result: Result | None) -> tuple[System, tuple[int, ...], Array, Array]:
    """Lowered model, active equations, its numbers, and the vector in body coordinates."""
    if result is None:
        system = system_at(model, time, "relative_equations", dynamics=True)
        rows = active_rows(system)
        start = consistent_start(system, rows, time)
        tell(start.warnings)
        vector = np.zeros(vector_size(system.ints))
        vector[: start.q.size + start.v.size] = np.concatenate([start.q, start.v])
        return system, tuple(rows), system.floats, vector
    if result.model is not model:
        raise ModelError("result= must be a run of this very model.")
    if result.v is None or result.dynamics is None:
        raise ModelError("result= must be a simulation: it has the velocities and inner states that forces depend on.")
    near = np.abs(result.times - time)
    k = int(np.argmin(near))
    if near[k] > 1e-9 * max(1.0, abs(time)):
        texts = unlike(time, result.times[k], digits=6)
        raise ModelError(f"time={texts[0]} s is none of the result's instants; the nearest is {texts[1]} s.")
    segment = next(s for s in result._segments if s.first <= k < s.last)
    vector = np.zeros(vector_size(segment.system.ints))
    known = np.concatenate([result.q[k], result.v[k], np.ravel(result.dynamics.inner_states[k])])
    vector[: known.size] = known
    return segment.system, segment.rows, segment.floats, vector


class Study:
    """Matrices over all coordinates at one state."""

    def __init__(self, layout: Layout, rows: Sequence[int], floats: Array, time: float, state: Array) -> None:
        self.layout, self.time, self.state, self.floats = layout, time, state, floats
        structure = self.structure = layout.structure
        system = self.system = structure.system
        self.q = state[: system.n_coordinates]
        self.whole = whole_layout(structure, layout.parameters)
        # speeds of what is locked are zero; where a law jumps, speeds are those of the state
        free = replace(layout, unknown=(*layout.unknown, *((k, i) for k, i, _, _ in layout.driven)), driven=())
        moving = relative_table(free, floats, [], self.q)
        self._load(moving, free)
        speeds = part(moving, K.W_Y, len(structure.links), 6).copy()
        own = relative_table(layout, floats, [], self.q)
        self._load(own, layout)
        self.driven_rates = part(own, K.W_YD, len(layout.driven)).copy()
        table = relative_table(self.whole, floats, rows, self.q)
        y = vector_at(table, self.whole, time, state)
        first = len(self.whole.positions) + len(system.extras) + len(system.model.turns)
        y[first : first + len(self.whole.unknown)] = [speeds[k, i] for k, i in self.whole.unknown]
        kernels.relative_study_run(table.entries, time, y)
        n, m, count = system.n_columns, len(rows), len(self.whole.unknown) + len(system.extras)
        self.y = y[first : first + count].copy()
        self.A, self.f = part(table, K.W_A, count, count).copy(), part(table, K.W_F, count).copy()
        self.P, self.bias = part(table, K.W_P, count, n).copy(), part(table, K.W_BIAS, n).copy()
        self.forces = part(table, K.W_FORCES, n).copy()
        self.B, gamma = part(table, K.W_B, m, count).copy(), part(table, K.W_GAMMA, m).copy()
        pattern = table.data[places.PATTERN]
        self.rows = [int(row) for row in pattern[int(pattern[L.P_AT_ROWS]) :][:m]]
        scales = system.row_scales()[self.rows, None] / system.column_scales()
        self.J = np.asarray(jacobian(system, self.q, time, self.rows) * scales)
        self.right = gamma - self.J @ self.bias

    def _load(self, table: Table, layout: Layout) -> None:
        """Leave the state in the workspace of a table."""
        y = vector_at(table, layout, self.time, self.state)
        kernels.relative_to_bodies_run(table.entries, self.time, y, np.zeros(self.state.size))

    def partition(self) -> tuple[list[int], Array]:
        """Columns of the unknown coordinates, and rates of the speeds of the known ones, shape (columns,)."""
        columns = {place: c for c, place in enumerate(self.whole.unknown)}
        rates = np.zeros(len(self.y))
        for (k, i, _, _), rate in zip(self.layout.driven, self.driven_rates, strict=True):
            rates[columns[k, i]] = rate
        own = [columns[place] for place in self.layout.unknown]
        return own + list(range(len(self.whole.unknown), len(self.y))), rates

    def by_angular_velocities(self) -> Array:
        """Partial velocities with angular velocities in the place of all angles' rates, shape (n, columns): never singular."""
        spatial = self.system.per_body == 6
        layout = whole_layout(self.structure, [spatial] * len(self.structure.links))
        table = relative_table(layout, self.floats, [], self.q)
        self._load(table, layout)
        return part(table, K.W_P, len(layout.unknown) + len(self.system.extras), self.system.n_columns).copy()


def _solved(study: Study, given: Sequence[Row], notes: list[str]) -> RelativeEquations:
    """Unknown rates, multipliers and loads."""
    system, layout = study.system, study.layout
    names = names_of(study)
    count = len(names)
    b, right, said = _given_rows(given, names, study.y, study.time)
    matrix, wanted = np.vstack([study.B, b]), np.concatenate([study.right, right])
    columns = {place: c for c, place in enumerate(study.whole.unknown)}
    unknown, rates = study.partition()
    known = [c for c in range(count) if c not in set(unknown)]
    u, m = len(unknown), len(matrix)
    kkt = np.zeros((u + m, u + m))
    kkt[:u, :u] = study.A[np.ix_(unknown, unknown)]
    kkt[:u, u:], kkt[u:, :u] = -matrix[:, unknown].T, matrix[:, unknown]
    load = np.concatenate([study.f[unknown] - study.A[unknown] @ rates, wanted - matrix @ rates])
    try:
        found = np.linalg.solve(kkt, load) if u + m else np.zeros(0)
    except np.linalg.LinAlgError:
        raise SingularError(
            f"the equations of model {system.model.name!r} have no solution at t = {study.time:g} s: some motion meets no inertia, or rows "
            "contradict each other or depend on each other there."
        ) from None
    rates[unknown], lam = found[:u], found[u:]
    force = study.A @ rates - study.f - matrix.T @ lam
    loads = _loads(study, rates, lam, b)
    efforts = {
        system.rows[row].owner: float(sign * force[columns[k, i]]) for k, i, row, sign in layout.driven
    }  # fmt: skip
    angular, linear = _partial(study)
    structure = study.structure
    return RelativeEquations(
        study.time, tuple(link.body for link in structure.links), structure.lower, _kinds(structure, layout), _coordinates(study),
        names, study.y, rates, tuple(names[c] for c in known), tuple(names[c] for c in unknown), study.A, study.f,
        (*row_names(system, study.rows), *said), matrix, wanted, lam, {names[c]: float(force[c]) for c in known}, loads, efforts,
        angular, linear, (*notes, *_near_singular(study)),
    )  # fmt: skip


def names_of(study: Study) -> tuple[str, ...]:
    """Names of all columns."""
    six = [study.structure.names(parameters=True), study.structure.names()]
    own = [six[0 if study.layout.parameters[k] else 1][6 * k + i] for k, i in study.whole.unknown]
    return (*own, *(extra.name for extra in study.system.extras))


def _kinds(structure: Relative, layout: Layout) -> tuple[str, ...]:
    driven = {k for k, _, _, _ in layout.driven}
    out = []
    for k, link in enumerate(structure.links):
        text = f"{link.kind} {link.joint!r}" if link.joint else link.kind
        out.append(text + (", Euler parameters" if layout.parameters[k] else "") + (", driven" if k in driven else ""))
    return tuple(out)


def _coordinates(study: Study) -> dict[str, float]:
    values = values_at(study.whole, study.q)
    out: dict[str, float] = {}
    for k, i in study.whole.unknown:
        body = study.structure.links[k].body
        if study.layout.parameters[k] and i < 3:
            out |= {f"{body}.e{e}": float(values[k, e]) for e in range(4)} if i == 0 else {}
        else:
            out[study.structure.names()[6 * k + i]] = float(values[k, i if i < 3 else i + 1])
    return out


def _given_rows(rows: Sequence[Row], names: Sequence[str], y: Array, time: float) -> tuple[Array, Array, list[str]]:
    """Coefficients, what b.y' must be, and names of rows b.y + b0 = 0."""
    b, right, said = np.zeros((len(rows), len(names))), np.zeros(len(rows)), []
    for r, row in enumerate(rows):
        what = f"row {r + 1} of rows="
        if not isinstance(row, tuple) or len(row) != 2 or not isinstance(row[0], Mapping) or not row[0]:
            raise ModelError(
                f"{what} must be a pair of coefficients by speed and b0, ({{'one.theta1': 1.0}}, 0.0), but it is {row!r}."
            )
        for name, value in row[0].items():
            if name not in names:
                raise ModelError(f"{what}: there is no speed {name!r}; there are: {', '.join(names)}.")
            b[r, names.index(name)] = checked_number(value, f"coefficient of {name} in {what}")
        formula = as_expression(row[1], what)
        off = float(b[r] @ y + formula.evaluate({"t": time}))
        if abs(off) > HELD * max(1.0, float(np.abs(y).max(initial=0.0))):
            raise ModelError(
                f"{what} does not hold at t = {time:g} s: b.y + b0 is {off:g}. Give starting velocities that obey it."
            )
        right[r] = -float(formula.derivative("t").evaluate({"t": time}))
        said.append(f"given row {r + 1}")
    return b, right, said


def _loads(study: Study, rates: Array, lam: Array, b: Array) -> dict[str, JointLoad]:
    """Force and moment of every joint: what the eliminated equations lack, with angular velocities for speeds so that none is singular."""
    system = study.system
    m = len(study.rows)
    accelerations = rates @ study.P + study.bias
    lacking = mass_matrix(system, study.q) @ accelerations - study.forces - study.J.T @ lam[:m]
    along = study.by_angular_velocities() @ lacking
    extra = b.T @ lam[m:]
    values = values_at(study.whole, study.q)
    out: dict[str, JointLoad] = {}
    for k, link in enumerate(study.structure.links):
        if not link.joint:
            continue
        own = np.zeros((2, 6))
        for c, (j, i) in enumerate(study.whole.unknown):
            if j == k:
                own[:, i] = along[c], extra[c]
        force, moment = own[0, 3:] - own[1, 3:], own[0, :3]
        if own[1, :3].any():
            turning = np.eye(3) if study.layout.parameters[k] else speeds_of_angles(values[k, :3])
            moment = moment - np.linalg.lstsq(turning.T, own[1, :3], rcond=None)[0]
        lower, outer = pose_of(system, study.q, link.lower), pose_of(system, study.q, link.body)
        whole_force, whole_moment = lower.A @ link.frame @ force, outer.A @ link.own_frame @ moment
        out[link.joint] = _load(study, link.body, link.lower, whole_force, whole_moment)
    return out | _cut_loads(study, lam)


def _load(study: Study, body: str, lower: str, force: Array, moment: Array) -> JointLoad:
    """From global components."""
    inner, outer = (pose_of(study.system, study.q, name).A.T for name in (lower, body))
    return JointLoad(body, lower, inner @ force, inner @ moment, outer @ force, outer @ moment)


def _cut_loads(study: Study, lam: Array) -> dict[str, JointLoad]:
    """Likewise for joints that close loops, from the multipliers of their rows, on their second body."""
    system, out = study.system, {}
    per_body = system.per_body
    for name in dict.fromkeys(system.rows[row].owner for row in study.rows):
        joint = system.model.constraints[name]
        if joint.freedom is None or len(joint.seats) != 2 or joint.seats[1].body == "ground" or joint.is_driver:
            continue
        seat = joint.seats[1]
        mine = [k for k, row in enumerate(study.rows) if system.rows[row].owner == name]
        at = per_body * (list(system.model.bodies).index(seat.body) - 1)
        load = study.J[mine, at : at + per_body].T @ lam[mine]
        pose = pose_of(system, study.q, seat.body)
        if per_body == 3:
            force, moment, point = (
                np.array([*load[:2], 0.0]),
                np.array([0.0, 0.0, load[2]]),
                np.array([*seat.point, 0.0]),
            )
        else:
            force, moment, point = load[:3], pose.A @ load[3:], np.array(seat.point)
        out[name] = _load(study, seat.body, joint.seats[0].body, force, moment - np.cross(pose.A @ point, force))
    return out


def speeds_of_angles(theta: Array) -> Array:
    """W of Kamman (19): relative angular velocity in the body's joint frame is W times the rates of the 1-2-3 angles."""
    return np.asarray(rotations.rate_matrix(theta, "xyz"))


def _partial(study: Study) -> tuple[dict[str, Array], dict[str, Array]]:
    """Partial angular velocities, and partial velocities of centres of mass, body components."""
    system = study.system
    angular, linear = {}, {}
    for k, (name, body) in enumerate(list(system.model.bodies.items())[1:]):
        pose, own = pose_of(system, study.q, name), study.P[:, system.per_body * k : system.per_body * (k + 1)].T
        if system.per_body == 3:
            turning, moving = (
                np.vstack([np.zeros((2, own.shape[1])), own[2:]]),
                np.vstack([own[:2], np.zeros((1, own.shape[1]))]),
            )
            centre = np.array([*body.centroid, 0.0])
        else:
            turning, moving, centre = own[3:], own[:3], np.array(body.centroid)
        angular[name], linear[name] = turning, pose.A.T @ moving - rotations.skew(centre) @ turning
    return angular, linear


def _near_singular(study: Study) -> list[str]:
    """Joints whose second angle is so near to 90 degrees that multipliers do not determine the moment."""
    values = values_at(study.whole, study.q)

    def is_near(k: int, link: Link) -> bool:
        return (
            bool(link.joint) and not study.layout.parameters[k] and link.free[1] and abs(np.cos(values[k, 1])) < NEAR_90
        )

    return [
        f"theta2 of body {link.body!r} is at ±90°, where multipliers of its angles do not tell the moment of joint {link.joint!r}; the "
        f"moment told here comes from speeds of rotation. Turn the joint's frames, axes={{{link.joint!r}: ...}}, to see regular multipliers"
        for k, link in enumerate(study.structure.links)
        if is_near(k, link)
    ]
