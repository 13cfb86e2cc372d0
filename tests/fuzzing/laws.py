"""What forces do: their wrenches on each body, and the energy stored in them, from their printed laws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fuzzing.conditions import Measure
from fuzzing.motion import GROUND, Array, Motion

Wrench = tuple[str, Array, Array, Array]  # body, force, its point, couple


def vanish(m: Motion) -> Array:
    return np.zeros((len(m), 3))


@dataclass(frozen=True)
class Spring:
    """Tension k (l - l0) + c l' + pull(t) along the line between two points."""

    label: str
    a: str
    p: Array
    b: str
    q: Array
    stiffness: float
    free: float
    damping: float = 0.0
    pull: Callable[[Array], Array] = np.zeros_like

    def tension(self, m: Motion) -> tuple[Array, Array]:
        way = m.point(self.b, self.q) - m.point(self.a, self.p)
        length = np.linalg.norm(way, axis=1)
        along = way / length[:, None]
        rate = np.sum(along * (m.velocity(self.b, self.q) - m.velocity(self.a, self.p)), axis=1)
        return self.stiffness * (length - self.free) + self.damping * rate + self.pull(m.t), along

    def wrenches(self, m: Motion) -> Iterator[Wrench]:
        pull, along = self.tension(m)
        force = pull[:, None] * along
        yield self.a, force, m.point(self.a, self.p), vanish(m)
        yield self.b, -force, m.point(self.b, self.q), vanish(m)

    def stored(self, m: Motion) -> Array:
        length = np.linalg.norm(m.point(self.b, self.q) - m.point(self.a, self.p), axis=1)
        return 0.5 * self.stiffness * (length - self.free) ** 2


@dataclass(frozen=True)
class Torsion:
    """Torque -k (angle - free) - c rate + drive(t) on the second body about an axis of the first; the opposite on the first.

    `start` is the counted angle that the model gives the first instant: from there turns are counted.
    """

    label: str
    a: str
    axis: Array
    b: str
    angle: Measure
    stiffness: float = 0.0
    free: float = 0.0
    damping: float = 0.0
    drive: Callable[[Array], Array] = np.zeros_like

    def value(self, m: Motion) -> Array:
        angle = self.angle.value(m) - self.free
        return angle - 2.0 * np.pi * np.round(angle[0] / (2.0 * np.pi))  # springs are drawn within half a turn of slack

    def wrenches(self, m: Motion) -> Iterator[Wrench]:
        z = m.axis(self.a, self.axis)
        rate = np.sum(z * (m.bodies[self.b].w - m.bodies[self.a].w), axis=1)
        torque = (self.drive(m.t) - self.stiffness * self.value(m) - self.damping * rate)[:, None] * z
        yield self.b, vanish(m), m.bodies[self.b].r, torque
        yield self.a, vanish(m), m.bodies[self.a].r, -torque

    def stored(self, m: Motion) -> Array:
        return 0.5 * self.stiffness * self.value(m) ** 2


@dataclass(frozen=True)
class Push:
    """Force at a point and couple on a body, given in space or in the axes of the body, as functions of time."""

    label: str
    body: str
    p: Array
    force: Callable[[Array], Array]
    couple: Callable[[Array], Array]
    follows: bool = False

    def wrenches(self, m: Motion) -> Iterator[Wrench]:
        f, c = self.force(m.t), self.couple(m.t)
        if self.follows:
            R = m.bodies[self.body].R
            f, c = np.einsum("nij,nj->ni", R, f), np.einsum("nij,nj->ni", R, c)
        yield self.body, f, m.point(self.body, self.p), c

    def stored(self, m: Motion) -> Array:
        return np.zeros(len(m))


@dataclass(frozen=True)
class Drag:
    """Half c rho A |w| w against the motion of a point through still air."""

    label: str
    body: str
    p: Array
    factor: float

    def wrenches(self, m: Motion) -> Iterator[Wrench]:
        w = m.velocity(self.body, self.p)
        yield self.body, -self.factor * np.linalg.norm(w, axis=1)[:, None] * w, m.point(self.body, self.p), vanish(m)

    def stored(self, m: Motion) -> Array:
        return np.zeros(len(m))


@dataclass(frozen=True)
class Touch:
    """Frictionless contact of a disc or sphere with a line or plane of the ground: k d^p on the free side."""

    label: str
    body: str
    p: Array
    radius: float
    place: Array
    normal: Array
    stiffness: float
    exponent: float

    def depth(self, m: Motion) -> Array:
        return np.maximum(0.0, self.radius - (m.point(self.body, self.p) - self.place) @ self.normal)

    def wrenches(self, m: Motion) -> Iterator[Wrench]:
        d = self.depth(m)
        force = (self.stiffness * d**self.exponent)[:, None] * self.normal
        centre = m.point(self.body, self.p)  # the force passes through the centre
        yield self.body, force, centre, vanish(m)
        yield GROUND, -force, centre, vanish(m)

    def stored(self, m: Motion) -> Array:
        return self.stiffness * self.depth(m) ** (self.exponent + 1.0) / (self.exponent + 1.0)


Law = Spring | Torsion | Push | Drag | Touch
