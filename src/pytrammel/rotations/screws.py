"""Finite displacements as screws: a turn about an axis in space and a shift along it (Chasles, sec. 6.1.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel._util.messages import brief
from pytrammel.rotations.algebra import product
from pytrammel.rotations.axes import from_axis_angle, turned_by
from pytrammel.rotations.inputs import Floats, as_directions, as_numbers, as_vectors, check_stacks, dot, lengths
from pytrammel.rotations.pairs import intermediate_axis

# angles below this [rad] are rounding of the orientations, and their axis would be anywhere
NO_TURN = 1e-12


@brief
@dataclass(frozen=True)
class Screw:
    """A finite displacement: a turn about an axis together with a shift along it.

    Attributes:
        direction: Unit vector along the axis, global components, shape (..., 3); any length but zero when made by hand.
        point: The point of the axis nearest to the origin of the body before the displacement [m], shape (..., 3).
        angle: Angle of the turn [rad], 0 to pi, shape (...).
        translation: Shift along the direction [m], shape (...).
    """

    direction: Floats
    point: Floats
    angle: Floats
    translation: Floats

    def __post_init__(self) -> None:
        direction = as_directions(self.direction, "direction of the screw")
        point = as_vectors(self.point, 3, "point of the screw")
        angle = as_numbers(self.angle, "angle of the screw")[()]
        translation = as_numbers(self.translation, "translation of the screw")[()]
        shapes = {"direction": direction.shape[:-1], "point": point.shape[:-1]}
        check_stacks(**shapes, angle=angle.shape, translation=translation.shape)
        values = (direction, point, angle, translation)
        for name, value in zip(("direction", "point", "angle", "translation"), values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def pitch(self) -> Floats:
        """Shift per angle [m/rad], shape (...); infinite without a turn, zero without any motion."""
        still = self.angle == 0.0
        ratio = self.translation / np.where(still, 1.0, self.angle)
        return np.where(still & (self.translation != 0.0), np.copysign(np.inf, self.translation), ratio)[()]


def screw_between(r0: ArrayLike, p0: ArrayLike, r1: ArrayLike, p1: ArrayLike) -> Screw:
    """The screw that carries a body from one pose to another, turning the short way.

    Without a turn (below 1e-12 rad) the direction is that of the translation and the point is r0; without any motion
    the direction is x.

    Args:
        r0: Origin of the body before [m], global components, shape (..., 3).
        p0: Euler parameters before, shape (..., 4).
        r1: Origin after [m], shape (..., 3).
        p1: Euler parameters after, shape (..., 4).

    Returns:
        The screw.
    """
    r0, r1 = as_vectors(r0, 3, "origin before"), as_vectors(r1, 3, "origin after")
    p0, p1 = as_vectors(p0, 4, "Euler parameters before"), as_vectors(p1, 4, "Euler parameters after")
    check_stacks(r0=r0.shape[:-1], p0=p0.shape[:-1], r1=r1.shape[:-1], p1=p1.shape[:-1])
    axis, angle = intermediate_axis(p0, p1, frame="global")
    d = r1 - r0
    turns = angle >= NO_TURN
    size = lengths(d)
    moves = size > 0.0
    along = d / np.where(moves, size, 1.0)[..., None]
    still = np.where(moves[..., None], along, np.array([1.0, 0.0, 0.0]))
    u = np.where(turns[..., None], axis, still)
    shift = dot(u, d)
    across = d - shift[..., None] * u
    # the axis is seen from both origins under the angle of the turn: x - A x = across, x at right angles to u
    half = np.where(turns, 0.5 * angle, 0.5 * np.pi)
    x = 0.5 * (across + np.cross(u, across) / np.tan(half)[..., None])
    point = r0 + np.where(turns[..., None], x, 0.0)
    return Screw(u, point, np.where(turns, angle, 0.0), np.where(turns, shift, size))


@checked("r", "p", "fraction")
def screw_displacement(screw: Screw, r: ArrayLike, p: ArrayLike, *, fraction: ArrayLike = 1.0) -> tuple[Floats, Floats]:
    """Where a screw carries a body.

    Args:
        screw: The displacement; made by `screw_between`, or from an axis of one's own.
        r: Origin of the body before [m], global components, shape (..., 3).
        p: Euler parameters before, shape (..., 4).
        fraction: Share of the angle and of the shift, shape (...); between 0 and 1 it interpolates poses.

    Returns:
        Origin [m], shape (..., 3), and Euler parameters, shape (..., 4), after.
    """
    r, p = as_vectors(r, 3, "origin"), as_vectors(p, 4, "Euler parameters")
    fraction = as_numbers(fraction, "fraction")
    u, point = screw.direction, screw.point
    check_stacks(screw=u.shape[:-1], r=r.shape[:-1], p=p.shape[:-1], fraction=fraction.shape)
    turn, shift = fraction * screw.angle, fraction * screw.translation
    # r + (A - 1)(r - point) rather than point + A (r - point): the axis of a slight turn is far away
    moved = r + turned_by(r - point, u, turn) + shift[..., None] * u
    return moved, product(from_axis_angle(u, turn), p)
