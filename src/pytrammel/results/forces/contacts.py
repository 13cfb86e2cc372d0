"""Where contacts touch, how they slip and what friction does there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked, with_checked_names
from pytrammel._util.messages import brief
from pytrammel.errors import ModelError
from pytrammel.forces.force import Force
from pytrammel.results.forces.loads import force_on
from pytrammel.results.segments import per_model

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]


@with_checked_names
@brief
@dataclass(frozen=True)
class ContactSeries:
    """A contact along a motion; n is the number of instants, d the dimension.

    Attributes:
        point: The place of contact, or while it is open the nearest place of the second body, global [m], shape (n, d).
        normal: Unit vector from the second body to the first, global, shape (n, d).
        force: On the first body, global [N], shape (n, d).
        slip: Velocity of the first body's material against the second's at that place, across the normal [m/s], shape (n, d).
        hand: In the plane 1 if slip and friction count along the line or the curve, -1 for discs: counter-clockwise about the second.
    """

    point: Array
    normal: Array
    force: Array
    slip: Array
    hand: float = 1.0

    @property
    def friction(self) -> Array:
        """Part of the force across the normal, global [N], shape (n, d)."""
        along = (self.force * self.normal).sum(axis=1)
        return np.asarray(self.force - along[:, None] * self.normal)

    @checked
    def across(self, vector: Array) -> Array:
        """In the plane the component along the tangent, in space the size. Shape (n,)."""
        vector = np.asarray(vector, dtype=float)
        if vector.shape != self.force.shape:
            raise ModelError(
                f"the vectors have shape {vector.shape}, but the contact has {self.force.shape}. Use one for each output time."
            )
        if vector.shape[1] == 2:
            return np.asarray(self.hand * (self.normal[:, 1] * vector[:, 0] - self.normal[:, 0] * vector[:, 1]))
        return np.asarray(np.linalg.norm(vector, axis=1))


@per_model
def contact_of(result: Result, name: str) -> ContactSeries:
    """Place, direction, force and slip of a contact."""
    force = result.model.forces[name]
    point, normal = PLACES[force.kind](result, force)
    first, second = force.bodies[:2]
    relative = _material(result, first, point) - _material(result, second, point)
    slip = relative - (relative * normal).sum(axis=1)[:, None] * normal
    hand = -1.0 if force.kind == "contact_discs" or force.parameters.get("side") == "right" else 1.0
    load = force_on(result, name, first).force if result.dynamics is not None else np.full_like(point, np.nan)
    return ContactSeries(point, normal, load, slip, hand)


def _material(result: Result, body: str, point: Array) -> Array:
    """Velocity of a body's material at a place."""
    series = result._body(body)
    arm = point - series.position
    if point.shape[1] == 3:
        return np.asarray(series.velocity + np.cross(series.omega, arm))
    return np.asarray(series.velocity + series.omega[:, None] * np.column_stack([-arm[:, 1], arm[:, 0]]))


def _on_line(result: Result, force: Force) -> tuple[Array, Array]:
    given = force.parameters
    centre = result.point(given["disc"]).position
    start, end = (result.point(p).position for p in given["line"])
    along = (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    return _foot(centre, start, normal)


def _on_plane(result: Result, force: Force) -> tuple[Array, Array]:
    given = force.parameters
    marker = given["plane"]
    normal = np.asarray(result._body(marker.body).matrix @ np.array(marker.axis(2)))
    return _foot(result.point(given["sphere"]).position, result.point(marker).position, normal)


def _foot(centre: Array, start: Array, normal: Array) -> tuple[Array, Array]:
    height = ((centre - start) * normal).sum(axis=1)
    return centre - height[:, None] * normal, normal


def _between(result: Result, force: Force) -> tuple[Array, Array]:
    """Of discs and spheres: on the line of centres, in the middle of what they overlap, or where the second ends."""
    given = force.parameters
    p, q = (result.point(given[key]).position for key in ("first", "second"))
    length = np.linalg.norm(p - q, axis=1)
    normal = (p - q) / np.where(length > 0.0, length, 1.0)[:, None]
    r1, r2 = given["radii"]
    overlap = np.maximum(r1 + r2 - length, 0.0)
    return q + (r2 - 0.5 * overlap)[:, None] * normal, normal


def _on_curve(result: Result, force: Force) -> tuple[Array, Array]:
    """The nearest place of the profile, where the disc touches in one place only."""
    given = force.parameters
    curve, ground = given["curve"], result._body(given["terrain"])
    centre = result.point(given["disc"]).position
    c, s = np.cos(ground.phi), np.sin(ground.phi)
    arm = centre - ground.position
    local = np.column_stack([c * arm[:, 0] + s * arm[:, 1], -s * arm[:, 0] + c * arm[:, 1]])
    u = [curve.nearest(at) for at in local]
    own = np.asarray(curve.point(np.array(u)))
    slope = np.asarray(curve.first_derivative(np.array(u)))
    slope /= np.linalg.norm(slope, axis=1)[:, None]
    hand = 1.0 if given["side"] == "left" else -1.0
    across = hand * np.column_stack([-slope[:, 1], slope[:, 0]])

    def turned(v: Array) -> Array:
        return np.column_stack([c * v[:, 0] - s * v[:, 1], s * v[:, 0] + c * v[:, 1]])

    return ground.position + turned(own), turned(across)


PLACES: dict[str, Callable[[Any, Force], tuple[Array, Array]]] = {
    "contact_line": _on_line,
    "contact_discs": _between,
    "contact_curve": _on_curve,
    "contact_sphere_plane": _on_plane,
    "contact_sphere_sphere": _between,
}
