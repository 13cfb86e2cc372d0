"""Motion of bodies in space: poses, angular velocities in both frames, momenta, joint reactions in joint frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.checks import checked, with_checked_names
from pytrammel._util.messages import brief, meant
from pytrammel.errors import ModelError
from pytrammel.joints.constraint import Constraint
from pytrammel.model.bodies import counted_mass
from pytrammel.model.spatial_bodies import SpatialBody
from pytrammel.results.segments import per_model
from pytrammel.results.series import needed, places, series_repr

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
FORMS = ("body", "space", "parameters")  # of the kinetic energy of rotation


@with_checked_names
class SpaceBodySeries:
    """Motion of a body in space; n is the number of instants.

    Attributes:
        position, velocity, acceleration: Of the frame's origin, global [m, m/s, m/s²], shape (n, 3).
        parameters: Euler parameters, scalar first, shape (n, 4).
        matrix: Rotation matrices, body to global components, shape (n, 3, 3).
        omega, alpha: Angular velocity and acceleration, global components [rad/s, rad/s²], shape (n, 3).
        omega_body, alpha_body: The same in body components.
        norm_error: p'p - 1 of the Euler parameters as they were integrated, shape (n,).
        norm_rate: p.p' of the same, half the rate of `norm_error` [1/s], shape (n,).
    """

    def __init__(self, result: Result, body: SpatialBody) -> None:
        self.name = body.name
        self._result = result
        self._index = list(result.model.bodies).index(body.name) - 1
        self._columns: dict[str, tuple[Array, str]] | None = None

    def __repr__(self) -> str:
        names = ("position, matrix", "velocity, omega", "acceleration, alpha")[: self._result._levels]
        return series_repr(self, repr(self.name), names, len(self._result))

    def _take(self, table: Array | None, width: int, first: int, count: int, level: str) -> Array:
        if self._index < 0:
            return np.zeros((len(self._result), count))
        at = width * self._index + first
        return needed(table, level)[:, at : at + count]

    @property
    def position(self) -> Array:
        return self._take(self._result.q, 7, 0, 3, "position")

    @property
    def parameters(self) -> Array:
        if self._index < 0:
            return np.tile([1.0, 0.0, 0.0, 0.0], (len(self._result), 1))
        return self._take(self._result.q, 7, 3, 4, "position")

    @property
    def norm_error(self) -> Array:
        return self._of_length(0)

    @property
    def norm_rate(self) -> Array:
        return self._of_length(1)

    def _of_length(self, which: int) -> Array:
        data = self._result.dynamics
        if data is not None and data.parameters is not None and self._index >= 0:
            return data.parameters[:, 2 * self._index + which]
        p = self.parameters
        if which == 0:
            return np.asarray((p * p).sum(axis=1) - 1.0)
        return np.asarray((p * rotations.parameter_rate(p, self.omega_body)).sum(axis=1))

    @property
    def matrix(self) -> Array:
        if self._result.dynamics is None:
            return np.asarray(rotations.matrix(self.parameters))
        made = self._result.dynamics.made
        # none yet, or those of a result that this one was made from
        if made.get("q of matrices") is not self._result.q:
            for key in [key for key in made if key.startswith("matrix of ")]:
                del made[key]
            made["q of matrices"] = self._result.q
        if f"matrix of {self.name}" not in made:
            made[f"matrix of {self.name}"] = np.asarray(rotations.matrix(self.parameters))
        return made[f"matrix of {self.name}"]

    @property
    def velocity(self) -> Array:
        return self._take(self._result.v, 6, 0, 3, "velocity")

    @property
    def omega_body(self) -> Array:
        return self._take(self._result.v, 6, 3, 3, "velocity")

    @property
    def omega(self) -> Array:
        return self._to_global(self.omega_body)

    @property
    def acceleration(self) -> Array:
        return self._take(self._result.a, 6, 0, 3, "acceleration")

    @property
    def alpha_body(self) -> Array:
        return self._take(self._result.a, 6, 3, 3, "acceleration")

    @property
    def alpha(self) -> Array:
        return self._to_global(self.alpha_body)

    def _to_global(self, vectors: Array) -> Array:
        return np.asarray(np.einsum("nij,nj->ni", self.matrix, vectors))

    @checked
    def angles(self, sequence: str = "xyz") -> Array:
        """Three angles of the orientation [rad], shape (n, 3): "xyz" for Bryant's, "zxz" for Euler's, or any other sequence."""
        return np.asarray(rotations.angles(self.parameters, sequence).values)

    @property
    def axis_angle(self) -> tuple[Array, Array]:
        """Axis (n, 3) and angle (n,) [rad] of the rotation from the global frame."""
        axis, angle = rotations.axis_angle(self.parameters)
        return np.asarray(axis), np.asarray(angle)

    @property
    def centroid(self) -> Array:
        """Centre of mass, global [m], shape (n, 3)."""
        return self.position + _arm(self._result, self.name)

    @property
    def momentum(self) -> Array:
        """Linear momentum [kg m/s], shape (n, 3)."""
        return _body_momenta(self._result, self.name)[0]

    @property
    def spin_momentum(self) -> Array:
        """Angular momentum about the body's own centroid, global components [kg m²/s], shape (n, 3)."""
        return _body_momenta(self._result, self.name)[1]

    @checked
    def kinetic_energy(self, form: str = "body") -> Array:
        """Kinetic energy [J], shape (n,), the rotation's share in one of three forms that are equal (problem 11.5).

        Args:
            form: "body" (w'.J'w'/2), "space" (w.J w/2, global components), or "parameters" (p'.4 L'J'L p'/2, rates of Euler parameters).
        """
        if form not in FORMS:
            raise ModelError(f"form={form!r} is not known; use one of: {', '.join(map(repr, FORMS))}.")
        return _kinetic_energy(self._result, self.name, form)

    @property
    def columns(self) -> dict[str, tuple[Array, str]]:
        """Every component by name, with its unit; as far as the run went."""
        if self._columns is None:
            self._columns = self._all_columns()
        return self._columns

    def _all_columns(self) -> dict[str, tuple[Array, str]]:
        out = {name: (self.position[:, k], "m") for k, name in enumerate(("x", "y", "z"))}
        out |= {f"e{k}": (self.parameters[:, k], "1") for k in range(4)}
        out["norm_error"] = (self.norm_error, "1")
        if self._result.v is not None:
            out |= {f"v{a}": (self.velocity[:, k], "m/s") for k, a in enumerate("xyz")}
            out |= {f"w{a}": (self.omega_body[:, k], "rad/s") for k, a in enumerate("xyz")}
            out["norm_rate"] = (self.norm_rate, "1/s")
        if self._result.a is not None:
            out |= {f"a{a}": (self.acceleration[:, k], "m/s²") for k, a in enumerate("xyz")}
            out |= {f"alpha_{a}": (self.alpha_body[:, k], "rad/s²") for k, a in enumerate("xyz")}
        return out

    if TYPE_CHECKING:  # columns
        x: Array
        y: Array
        z: Array
        e0: Array
        e1: Array
        e2: Array
        e3: Array
        vx: Array
        vy: Array
        vz: Array
        wx: Array
        wy: Array
        wz: Array
        ax: Array
        ay: Array
        az: Array
        alpha_x: Array
        alpha_y: Array
        alpha_z: Array
    else:

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            columns = self.columns
            if name in columns:
                return columns[name][0]
            hint = meant(name, [*columns, *(each for each in dir(type(self)) if not each.startswith("_"))])
            raise AttributeError(f"body {self.name!r} has no {name!r}; it has: {', '.join(columns)}.{hint}")


@per_model
def _arm(result: Result, name: str) -> Array:
    """From a body's origin to its centre of mass, global components [m], shape (n, 3)."""
    body: SpatialBody = result.model.bodies[name]
    return np.asarray(SpaceBodySeries(result, body).matrix @ np.array(body.centroid))


@per_model
def _body_momenta(result: Result, name: str) -> tuple[Array, Array]:
    """Momentum of a body and its angular momentum about its own centroid, global components, shape (n, 3) each; none of armatures."""
    body: SpatialBody = result.model.bodies[name]
    series = SpaceBodySeries(result, body)
    inertia = np.zeros((3, 3)) if body.inertia is None or body.armature else np.array(body.inertia)
    momentum = counted_mass(body) * (series.velocity + np.cross(series.omega, _arm(result, name)))
    spin = np.einsum("nij,nj->ni", series.matrix, series.omega_body @ inertia)
    return np.asarray(momentum), np.asarray(spin)


@per_model
def _kinetic_energy(result: Result, name: str, form: str) -> Array:
    """Of one body, shape (n,)."""
    body: SpatialBody = result.model.bodies[name]
    series = SpaceBodySeries(result, body)
    inertia = np.zeros((3, 3)) if body.inertia is None else np.array(body.inertia)
    velocity = series.velocity + np.cross(series.omega, _arm(result, name))
    if form == "body":
        rates, around = series.omega_body, np.broadcast_to(inertia, (len(result), 3, 3))
    elif form == "space":
        rates, around = series.omega, series.matrix @ inertia @ series.matrix.transpose(0, 2, 1)
    else:
        L = rotations.L(series.parameters)
        rates = np.asarray(rotations.parameter_rate(series.parameters, series.omega_body))
        around = 4.0 * L.transpose(0, 2, 1) @ inertia @ L
    turning = np.einsum("ni,nij,nj->n", rates, around, rates)
    return np.asarray(0.5 * ((body.mass or 0.0) * (velocity**2).sum(axis=1) + turning))


@brief
@dataclass(frozen=True)
class SpaceReaction:
    """What a joint does to one of its bodies, at the joint point.

    Attributes:
        force: Global components [N], shape (n, 3).
        moment: About the joint point, global components [N m], shape (n, 3).
        point: Joint point, global [m], shape (n, 3).
        axes: Joint frame on that body, global: columns are its x, y, z axes, shape (n, 3, 3).
    """

    force: Array
    moment: Array
    point: Array
    axes: Array

    @property
    def in_joint_frame(self) -> Array:
        """Force in the joint-definition frame [N], shape (n, 3): z is the joint's axis."""
        return np.asarray(np.einsum("nji,nj->ni", self.axes, self.force))

    @property
    def moment_in_joint_frame(self) -> Array:
        """Moment about the joint point in the joint-definition frame [N m], shape (n, 3)."""
        return np.asarray(np.einsum("nji,nj->ni", self.axes, self.moment))

    @property
    def magnitude(self) -> Array:
        """Magnitude of the force [N], shape (n,)."""
        return np.asarray(np.linalg.norm(self.force, axis=1))

    @checked
    def moment_about(self, point: Array) -> Array:
        """Moment about another point, shape (n, 3)."""
        return np.asarray(self.moment + np.cross(self.point - places(point, self.point), self.force))


def space_reaction(result: Result, joint: Constraint, body: str, generalised: Array) -> SpaceReaction:
    """Turn generalised forces (global force, moment about the origin in body components) into force and moment at the joint."""
    series = SpaceBodySeries(result, result.model.bodies[body])
    turn = series.matrix
    seat = joint.seat_on(body)
    local = np.zeros(3) if seat is None else np.array(seat.point)
    axes = np.eye(3)
    if seat is not None and seat.axis:
        axes = np.column_stack([seat.x, np.cross(seat.axis, seat.x), seat.axis])
    arm = turn @ local
    force = generalised[:, :3]
    moment = np.einsum("nij,nj->ni", turn, generalised[:, 3:]) - np.cross(arm, force)
    return SpaceReaction(force, moment, series.position + arm, turn @ axes)
