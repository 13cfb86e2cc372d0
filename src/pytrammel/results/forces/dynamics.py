"""What a simulation knows beyond the motion: reactions, forces, energies, statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel._util.progress import in_pieces
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint
from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.measures import reactions_run
from pytrammel.model.bodies import GROUND
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.results.events import EventReport
from pytrammel.results.forces.initial_energy import ENERGIES
from pytrammel.results.forces.stored_energy import energy_inputs, is_spring, stored_energy
from pytrammel.results.forces.teeth import carried
from pytrammel.results.segments import per_model
from pytrammel.results.series import places
from pytrammel.results.spatial_series import SpaceReaction, space_reaction

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]


@brief
@dataclass(frozen=True)
class StepStatistics:
    """How the integration went.

    Attributes:
        steps, rejected, evaluations: Accepted steps, rejected steps, evaluations of the equations of motion.
        position_violation: Largest constraint residual before projection [m, rad].
        velocity_violation: Largest violation at velocity level at the output instants.
        singularity: Smallest singularity measure met: 0 is a singular position, 1 far from any.
        forced: Steps across singular positions that were taken although their estimated error was above the tolerance.
        partitions: Of runs by coordinate partitioning: since when [s] which coordinates were the independent ones.
        dependent_parameters: Of runs with euler_parameters="partitioning": since when [s] which parameter of each body followed.
        integrated, rows: How many numbers the state has in the coordinates of the run, and how many rows hold by equations (at its end).
    """

    steps: int
    rejected: int
    evaluations: int
    position_violation: float
    velocity_violation: float
    singularity: float
    forced: int = 0
    partitions: tuple[tuple[float, tuple[str, ...]], ...] = ()
    dependent_parameters: tuple[tuple[float, tuple[str, ...]], ...] = ()
    integrated: int = 0
    rows: int = 0


@dataclass(frozen=True)
class MethodUse:
    """From when on a run used a method of integration, and why.

    Attributes:
        time: [s].
        name: Of the method.
        why: A sentence.
    """

    time: float
    name: str
    why: str

    def __str__(self) -> str:
        return f"t = {self.time:.6g} s: {self.name}, because {self.why}"


@brief
@dataclass(frozen=True)
class DynamicsData:
    """Raw tables of a simulation; `Result` gives them names.

    `formulation` says in which coordinates the run was made, and why where that was left open.
    `parameters` holds p'p - 1 and p.p' of every body as they were integrated, where that is not the default way.
    """

    multipliers: Array
    outputs: Array
    work: Array
    inner_states: Array
    kinetic: Array
    gravity: Array
    events: tuple[EventReport, ...]
    changed: tuple[str, ...]
    statistics: StepStatistics
    interrupted: bool = False
    methods: tuple[MethodUse, ...] = ()
    formulation: str = "cartesian"
    parameters: Array | None = None
    made: dict[str, Array] = field(default_factory=dict, compare=False, repr=False)

    def between(self, first: int, last: int) -> DynamicsData:
        """The tables of some of the instants."""
        span = slice(first, last)
        tables = ("multipliers", "outputs", "work", "inner_states", "kinetic", "gravity")
        parameters = None if self.parameters is None else self.parameters[span]
        return replace(self, made={}, parameters=parameters, **{name: getattr(self, name)[span] for name in tables})


@brief
@dataclass(frozen=True)
class Reaction:
    """What a joint does to one of its bodies, at the joint point.

    Attributes:
        force: Global components [N], shape (n, 2).
        moment: About the joint point [N m], shape (n,).
        point: Joint point, global [m], shape (n, 2).
        angle: Angle of the joint frame [rad], shape (n,).
    """

    force: Array
    moment: Array
    point: Array
    angle: Array

    @property
    def in_joint_frame(self) -> Array:
        """Force components along and across the joint's axis [N], shape (n, 2)."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.column_stack(
            [c * self.force[:, 0] + s * self.force[:, 1], -s * self.force[:, 0] + c * self.force[:, 1]]
        )

    @property
    def magnitude(self) -> Array:
        """Magnitude of the force [N], shape (n,)."""
        return np.asarray(np.hypot(self.force[:, 0], self.force[:, 1]))

    @checked
    def moment_about(self, point: Array) -> Array:
        """Moment about another point, shape (n,)."""
        d = self.point - places(point, self.point)
        return np.asarray(self.moment + d[:, 0] * self.force[:, 1] - d[:, 1] * self.force[:, 0])


@brief
@dataclass(frozen=True)
class Energy:
    """Energies along a motion [J], shape (n,) each.

    The balance is what is left of: kinetic + gravity + stored - (their values at the start) - input + dissipated; zero but for
    the integration error. Statics and inverse dynamics integrate no work: what they cannot know is not a number.
    `start` has total, input and dissipated energy at the start of the run, where these begin later.
    """

    kinetic: Array
    gravity: Array
    stored: Array
    dissipated: Array
    input: Array
    start: tuple[float, float, float] | None = None

    @property
    def total(self) -> Array:
        """Mechanical energy: kinetic, gravity and stored."""
        out: Array = self.kinetic + self.gravity + self.stored
        return out

    @property
    def balance(self) -> Array:
        """What the books leave unexplained [J], shape (n,)."""
        total, given, lost = self.start or (self.total[0], self.input[0], self.dissipated[0])
        with np.errstate(invalid="ignore", over="ignore"):  # runaway motions have infinite energies
            out: Array = self.total - total - (self.input - given) + (self.dissipated - lost)
        return out


def energy_of(result: Result) -> Energy:
    """Energies of a result, and those at the start of its run where it begins later."""
    found = _energy(result)
    if result._origin is None:
        return found
    total, given, lost = (result._origin.numbers[f"energy.{name}"] for name in ENERGIES)
    return replace(found, start=(total, given, lost))


@per_model
def _energy(result: Result) -> Energy:
    """Book the work of every force element where it belongs; energy that a formula gives is taken from the state."""
    data = dynamics_data(result)
    n = len(result)
    stored, dissipated, given = np.zeros(n), np.zeros(n), data.work[:, -1].copy()
    known = _stored_by_formula(result)
    for k, force in enumerate(result._system.forces):
        work = data.work[:, k]
        if k in known:
            stored += known[k]
        elif force.use.role == "spring":
            stored -= work
        elif force.use.role == "input":
            given += work
        else:
            dissipated -= work
    return Energy(data.kinetic, data.gravity, stored, dissipated, given)


def _stored_by_formula(result: Result) -> dict[int, Array]:
    """Energy in each spring that the state alone tells, along a run with one model [J], shape (n,) each."""
    uses = {k: f.use for k, f in enumerate(result._system.forces) if f.use.stored is not None or is_spring(f.use)}
    inputs = {(k, key): quantity for k, use in uses.items() for key, quantity in energy_inputs(use).items()}
    values = {at: series.value for at, series in zip(inputs, result._measures(list(inputs.values())), strict=True)}
    found = {
        k: stored_energy(use, {key: value for (j, key), value in values.items() if j == k}) + np.zeros(len(result))
        for k, use in uses.items()
    }
    # a law that is no number somewhere on the way from where it is slack keeps its integrated work
    return {k: energy for k, energy in found.items() if uses[k].stored is not None or np.isfinite(energy).all()}


def dynamics_data(result: Result) -> DynamicsData:
    if result.dynamics is None:
        raise ModelError("this result comes from kinematics and has no forces; use simulate or inverse_dynamics.")
    return result.dynamics


@per_model
def reaction_of(result: Result, joint: Constraint, body: str) -> Reaction | SpaceReaction:
    """Force and moment of a joint on one of its bodies, at the joint point."""
    if body not in joint.bodies and (body != GROUND or joint.seats):
        raise ModelError(
            f"{joint.kind} {joint.name!r} does not act on {body!r}; it connects {', '.join(joint.bodies)}."
        )
    joint = result.model.constraints[joint.name]
    generalised = joint_forces(result, joint)[body]
    if result.model.space.dimension == 3:
        return space_reaction(result, joint, body, generalised)
    n = len(result)
    origin = result._body(body).position
    point = origin
    if joint.seats:
        seat = joint.seats[-1]
        point = result.point(result.model.bodies[seat.body].at(*seat.point)).position
    d = point - origin
    force = generalised[:, :2]
    moment = generalised[:, 2] - (d[:, 0] * force[:, 1] - d[:, 1] * force[:, 0])
    frame = joint.bodies[0]
    angle = np.zeros(n) if frame == GROUND else result._body(frame).phi.copy()
    if joint.seats and joint.seats[0].axis:
        angle = angle + np.arctan2(joint.seats[0].axis[1], joint.seats[0].axis[0])
    return Reaction(force, moment, point, angle)


def _reaction_table(result: Result) -> Array:
    """Every Jacobian entry times its multiplier at every instant of a run with one model; made once, since each joint asks for it."""
    data, system = dynamics_data(result), result._system
    if "reactions" not in data.made:
        prepare(["reactions_run", *system.primitives])
        table = np.zeros((len(result), int(system.ints[L.N_JACOBIAN]) + 1))
        v = result.v if result.v is not None else np.zeros((len(result), system.n_columns))
        multipliers, pushes = carried(result, data.multipliers)
        data.made.update({f"push of {name}": push for name, push in pushes.items()})
        for segment in result._segments:
            span = slice(segment.first, segment.last)
            if segment.pattern is not None:
                tables = (result.times[span], result.q[span], v[span], multipliers[span], table[span])
                in_pieces(reactions_run, (system.ints, segment.floats, segment.pattern), tables, system.n_columns)
        data.made["reactions"] = table
    return data.made["reactions"]


@per_model
def joint_forces(result: Result, joint: Constraint) -> dict[str, Array]:
    """Generalised forces of a joint on its bodies and on the ground: (f_x, f_y, moment about the frame's origin), or in space the global
    force and the moment about the origin in body components; shape (n, 3) or (n, 6)."""
    joint = result.model.constraints[joint.name]
    system, n = result._system, len(result)
    out = {body: np.zeros((n, system.per_body)) for body in (*joint.bodies, GROUND)}
    row = next((k for k, r in enumerate(system.rows) if r.owner == joint.name), 0)
    relative: dict[str, Array] = {}  # to the ground, which gets what the others lack
    for block in joint.blocks:
        for _ in block.targets:
            direct = _on_ground(result, joint, block.quantity, row)
            for body, force in (row_forces(result, row) if direct is None else direct).items():
                out[body] = out.get(body, 0.0) + force
                if direct is None:
                    relative[body] = relative.get(body, 0.0) + force
            row += 1
    if relative:
        out[GROUND] = out[GROUND] - about_origin(result, relative)
    push = dynamics_data(result).made.get(f"push of {joint.name}")
    if push is not None:
        own = {
            body: push[:, k * system.per_body : (k + 1) * system.per_body]
            for k, body in enumerate(list(result.model.bodies)[1:])
        }
        out |= {body: out.get(body, 0.0) + force for body, force in own.items() if body in joint.bodies}
        out[GROUND] = out[GROUND] - about_origin(result, own)
    return out


def _on_ground(result: Result, joint: Constraint, quantity: Quantity, row: int) -> dict[str, Array] | None:
    """What one row does to its bodies where the ground is one of them; None where coordinates or a formula stand against the ground."""
    if not joint.seats or quantity.primitive == "expression" or GROUND not in quantity.bodies:
        return None
    size, at, table = result._system.per_body, result._system.row_entries[row], _reaction_table(result)
    return {body: table[:, at + size * i : at + size * (i + 1)] for i, body in enumerate(quantity.bodies)}


def row_forces(result: Result, row: int) -> dict[str, Array]:
    """What one row does to the moving bodies it touches, along a run with one model."""
    size, at, table = result._system.per_body, result._system.row_entries[row], _reaction_table(result)
    names = list(result.model.bodies)
    out: dict[str, Array] = {}
    for e, column in enumerate(result._system.row_columns[row]):
        if 0 <= column < size * (len(names) - 1):
            force = out.setdefault(names[column // size + 1], np.zeros((len(result), size)))
            force[:, column % size] += table[:, at + e]
    return out


def about_origin(result: Result, forces: Mapping[str, Array]) -> Array:
    """Sum of generalised forces on bodies: force and moment about the global origin, shape (n, 3) or (n, 6)."""
    size = result._system.per_body
    total = np.zeros((len(result), size))
    for body, force in forces.items():
        series = result._body(body)
        if size == 3:
            f, arm = force[:, :2], series.position
            total[:, :2] += f
            total[:, 2] += force[:, 2] + arm[:, 0] * f[:, 1] - arm[:, 1] * f[:, 0]
        else:
            total[:, :3] += force[:, :3]
            moment = np.einsum("nij,nj->ni", series.matrix, force[:, 3:])
            total[:, 3:] += moment + np.cross(series.position, force[:, :3])
    return total


@per_model
def ground_total(result: Result) -> Array:
    """Force and moment about the origin that all constraints together put on the ground, shape (n, 3), or (n, 6) in space."""
    total = carried_by_armatures(result)
    for joint in result.model.constraints.values():
        total = total + joint_forces(result, joint)[GROUND]
    return total


def carried_by_armatures(result: Result) -> Array:
    """Weight and rate of momentum of armatures, which the ground does not carry: force and moment about the origin."""
    rotors = {name for name, body in result.model.bodies.items() if getattr(body, "armature", False)}
    total = np.zeros((len(result), result._system.per_body))
    if rotors:
        for joint in result.model.constraints.values():
            forces = joint_forces(result, joint)
            total += about_origin(result, {name: forces[name] for name in rotors & forces.keys()})
    return total
