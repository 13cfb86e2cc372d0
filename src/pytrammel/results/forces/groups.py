"""Centre of mass, momenta, kinetic energy and power of a body, of a group of bodies or of all of them, in the plane and in space."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked, with_checked_names
from pytrammel._util.messages import number_of, short
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.model.bodies import GROUND, counted_mass
from pytrammel.model.suggestions import WordedResult
from pytrammel.results.segments import per_model
from pytrammel.results.series import needed, places

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]


@with_checked_names
class GroupSeries(WordedResult):
    """Some bodies along a motion, taken together; n is the number of instants, d the dimension.

    Attributes:
        bodies: Their names.
        mass: Of all of them [kg].
        centre, velocity, acceleration: Of the centre of mass, global [m, m/s, m/s²], shape (n, d).
        momentum: [kg m/s], shape (n, d).
        angular_momentum_com: Angular momentum about the centre of mass [kg m²/s], shape (n,), in space global components, shape (n, 3).
        kinetic: Kinetic energy [J], shape (n,).
        power: What all forces and joints together put into the bodies: the rate of the kinetic energy [W], shape (n,).
        work: What they have put in since the start, blows included [J], shape (n,).
    """

    def __init__(self, result: Result, bodies: Iterable[str]) -> None:
        self._result = result
        self.bodies = tuple(dict.fromkeys(bodies))
        for body in self.bodies:
            if body not in result.model.bodies or body == GROUND:
                raise result.model._unknown(body, "moving body", list(result.model.bodies)[1:])
        self.mass = sum(mass_of(result.model, body) for body in self.bodies)
        if not self.mass > 0.0:
            raise ModelError(
                f"{', '.join(self.bodies) or 'an empty group'}: nothing there has a mass, so that there is no centre of mass."
            )

    def __repr__(self) -> str:
        return f"<GroupSeries of {short(', '.join(self.bodies))}: {self.mass:.6g} kg, {number_of(len(self._result), 'output time')}>"

    def _mean(self, values: Any) -> Array:
        model = self._result.model
        return np.asarray(sum(mass_of(model, body) * values(body) for body in self.bodies) / self.mass)

    @property
    def centre(self) -> Array:
        return self._mean(lambda body: centre_of(self._result, body))

    @property
    def velocity(self) -> Array:
        return self._mean(lambda body: _moving(self._result, body)[0])

    @property
    def acceleration(self) -> Array:
        return self._mean(lambda body: _moving(self._result, body)[1])

    @property
    def momentum(self) -> Array:
        return self.mass * self.velocity

    @property
    def angular_momentum_com(self) -> Array:
        return self.angular_momentum(self.centre)

    @checked
    def angular_momentum(self, about: Any = None) -> Array:
        """Angular momentum about a fixed place or along a track of places, global [m]; about the global origin by default [kg m²/s]."""
        result = self._result
        zero = np.zeros(result.model.space.dimension)
        place = zero if about is None else places(about, np.zeros((len(result), zero.size)))
        # a moving place: each body counts with its velocity in the global frame, as in the textbooks' H about any point
        out: Any = 0.0
        for body in self.bodies:
            velocity, _ = _moving(result, body)
            momentum, arm = mass_of(result.model, body) * velocity, centre_of(result, body) - place
            if zero.size == 2:
                out = out + arm[:, 0] * momentum[:, 1] - arm[:, 1] * momentum[:, 0] + _spin(result, body)
            else:
                out = out + np.cross(arm, momentum) + _spin(result, body)
        return np.asarray(out)

    @property
    def kinetic(self) -> Array:
        return np.asarray(sum(self._result._body(body).kinetic_energy() for body in self.bodies))

    @property
    def power(self) -> Array:
        return np.asarray(sum(_power(self._result, body) for body in self.bodies))

    @property
    def work(self) -> Array:
        kinetic, origin = self.kinetic, self._result._origin
        start = kinetic[:1] if origin is None else sum(origin.numbers[f"{body}.kinetic"] for body in self.bodies)
        return np.asarray(kinetic - start)


def mass_of(model: Model, body: str) -> float:
    """Mass of a body in sums over bodies, 0 for a massless one or an armature [kg]."""
    return counted_mass(model.bodies[body]) if body != GROUND else 0.0


@per_model
def centre_of(result: Result, name: str) -> Array:
    """Centre of mass of a body (of the ground: its origin), global [m], shape (n, d)."""
    return np.asarray(result._body(name).position + _arm(result, name))


def _arm(result: Result, name: str) -> Array:
    body, series = result.model.bodies[name], result._body(name)
    if result.model.space.dimension == 3:
        return np.asarray(series.matrix @ np.array(body.centroid)) if name != GROUND else np.zeros((len(result), 3))
    c, s, (x, y) = np.cos(series.phi), np.sin(series.phi), body.centroid if name != GROUND else (0.0, 0.0)
    return np.column_stack([c * x - s * y, s * x + c * y])


@per_model
def _moving(result: Result, name: str) -> tuple[Array, Array]:
    """Velocity and acceleration of the centre of mass; the latter is not a number where the run has none. Shape (n, d) each."""
    series, arm = result._body(name), _arm(result, name)
    needed(result.v, "velocity")
    if result.model.space.dimension == 3:
        omega = series.omega
        velocity = series.velocity + np.cross(omega, arm)
        if result.a is None:
            return velocity, np.full_like(velocity, np.nan)
        turn = np.cross(series.alpha, arm) + np.cross(omega, np.cross(omega, arm))
        return velocity, series.acceleration + turn
    across = np.column_stack([-arm[:, 1], arm[:, 0]])
    velocity = series.velocity + series.omega[:, None] * across
    if result.a is None:
        return velocity, np.full_like(velocity, np.nan)
    return velocity, series.acceleration + series.alpha[:, None] * across - series.omega[:, None] ** 2 * arm


def _inertia(result: Result, name: str) -> Any:
    inertia = result.model.bodies[name].inertia
    if result.model.space.dimension == 3:
        return np.zeros((3, 3)) if inertia is None else np.array(inertia)
    return inertia or 0.0


@per_model
def _spin(result: Result, name: str) -> Array:
    """Angular momentum about the body's own centre of mass."""
    series = result._body(name)
    if result.model.space.dimension == 3:
        return np.asarray(series.spin_momentum)
    return np.asarray(_inertia(result, name) * series.omega)


@per_model
def _power(result: Result, name: str) -> Array:
    """Rate of the kinetic energy of a body [W], shape (n,)."""
    series = result._body(name)
    needed(result.a, "acceleration")
    velocity, acceleration = _moving(result, name)
    moved = mass_of(result.model, name) * (velocity * acceleration).sum(axis=1)
    inertia = _inertia(result, name)
    if result.model.space.dimension == 3:
        return np.asarray(moved + np.einsum("ni,ij,nj->n", series.omega_body, inertia, series.alpha_body))
    return np.asarray(moved + inertia * series.omega * series.alpha)
