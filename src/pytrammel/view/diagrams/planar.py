"""What diagrams of plane motion share: motions of all bodies as arrays, the mechanism behind a diagram, instants by time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.model.bodies import GROUND
from pytrammel.results.result import Result
from pytrammel.results.series import needed
from pytrammel.units import LENGTH_UNITS

Array = NDArray[np.float64]
STILL = 1e-9  # share of the largest speed of a run: what is slower stands still
TRANSLATES = 1e-9  # of the speed, per size of the model: what turns more slowly only translates


@dataclass(frozen=True)
class Motion:
    """Plane motion of a body along a run: position and velocity of its origin, and accelerations where they are known.

    Attributes:
        r, v, a: Of the origin, global [m, m/s, m/s²], shape (n, 2).
        phi, omega, alpha: Angle and its rates [rad, rad/s, rad/s²], shape (n,).
    """

    r: Array
    v: Array
    a: Array
    phi: Array
    omega: Array
    alpha: Array

    def place(self, local: Any) -> Array:
        """Global places of a point of the body, shape (n, 2)."""
        c, s = np.cos(self.phi), np.sin(self.phi)
        x, y = local
        return np.asarray(self.r + np.column_stack([c * x - s * y, s * x + c * y]))

    def local(self, points: Array) -> Array:
        """Global places in body coordinates, shape (n, 2)."""
        c, s = np.cos(self.phi), np.sin(self.phi)
        d = points - self.r
        return np.column_stack([c * d[:, 0] + s * d[:, 1], -s * d[:, 0] + c * d[:, 1]])

    def velocity_at(self, points: Array) -> Array:
        """Velocities of the points of the body that are at global places, shape (n, 2)."""
        return self.v + self.omega[:, None] * turned(points - self.r)

    def acceleration_at(self, points: Array) -> Array:
        """Accelerations of the points of the body that are at global places, shape (n, 2)."""
        d = points - self.r
        return self.a + self.alpha[:, None] * turned(d) - (self.omega**2)[:, None] * d


def turned(vectors: Array) -> Array:
    """Vectors turned by a right angle to the left."""
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def cross(a: Array, b: Array) -> Array:
    """Third component of the product of plane vectors."""
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def need_plane(result: Result, what: str, instead: str) -> None:
    """Refuse results of models in space."""
    if result.model.space.dimension != 2:
        raise ModelError(f"{what} belong to plane motion, but model {result.model.name!r} is in space; {instead}")


def motion(result: Result, name: str, *, accelerations: bool = False) -> Motion:
    """Motion of a body; the ground stands still."""
    n = len(result)
    needed(result.v, "velocity")
    if name == GROUND:
        zero, zeros = np.zeros(n), np.zeros((n, 2))
        return Motion(zeros, zeros, zeros, zero, zero, zero)
    body = result._body(name)
    if accelerations:
        needed(result.a, "acceleration")
        return Motion(body.position, body.velocity, body.acceleration, body.phi, body.omega, body.alpha)
    return Motion(body.position, body.velocity, np.full((n, 2), np.nan), body.phi, body.omega, np.full(n, np.nan))


def fastest(result: Result) -> float:
    """Largest speed of any body in a run, turning counted at the model's size [m/s]."""
    speeds = [0.0]
    for name in list(result.model.bodies)[1:]:
        body = result._body(name)
        speeds.append(float(np.hypot(body.vx, body.vy).max(initial=0.0)))
        speeds.append(float(np.abs(body.omega).max(initial=0.0)) * result._system.length)
    return max(speeds)


def known_body(result: Result, name: Any) -> str:
    """The name of a body that exists."""
    text = getattr(name, "name", name)
    if not isinstance(text, str):
        raise ModelError(f"a body must be given by its name, but it is {short(name)}.")
    if text not in result.model.bodies:
        raise result.model._unknown(text, "body", result.model.bodies)
    return str(text)


def at_time(result: Result, time: float | None) -> Result:
    """The result at one instant: the first by default."""
    when = float(result.times[0]) if time is None else checked_number(time, "time")
    return result.at(when)


def draw_behind(result: Result, ax: Any, *, labels: bool = False) -> None:
    """Draw the mechanism at the one instant of a result."""
    from pytrammel.view.result_views import build_scene
    from pytrammel.view.stills.planar import draw

    draw(build_scene(result, traces=()), ax, labels=labels, traces=False)


def body_colours(result: Result) -> dict[str, str]:
    """Colours of the bodies as they are drawn, by name."""
    from pytrammel.view.result_views import build_scene

    scene = build_scene(result, traces=())
    return {body.name: scene.colour(i) for i, body in enumerate(scene.bodies)}


def shown_length(result: Result) -> tuple[float, str]:
    """Display lengths per metre, and their unit."""
    return 1.0 / LENGTH_UNITS[result.model.display_unit], result.model.display_unit
