"""What forces do: their wrenches on each body, and the energy stored in them, from their printed laws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import pytrammel as tm
from fuzzing.conditions import Along, Angle, Measure
from fuzzing.motion import Array, Motion, rotation_vector, turn

Wrench = tuple[str, Array, Array, Array]  # body, force, its point, couple
Reader = Callable[
    [tm.results.Result, str, str], tuple[Array, Array, Array]
]  # force, point, moment of a joint on a body


def vanish(m: Motion) -> Array:
    return np.zeros((len(m), 3))


def dot(a: Array, b: Array) -> Array:
    return np.sum(a * b, axis=1)


class Law(ABC):
    """A force: what it does to bodies, and what it stores."""

    label: str
    contact = False  # whether what it stores is booked with the contacts

    @abstractmethod
    def wrenches(self, m: Motion, result: tm.results.Result) -> Iterator[Wrench]:
        """Force and couple on each body."""

    def stored(self, m: Motion) -> Array:
        return np.zeros(len(m))


def pushed(part: Measure, force: Array, m: Motion) -> Iterator[Wrench]:
    """Wrenches of a force (or torque) along a measure: what would do the work force times change."""
    if isinstance(part, Angle):
        torque = force[:, None] * m.axis(part.a, part.axis)
        yield part.b, vanish(m), m.bodies[part.b].r, torque
        yield part.a, vanish(m), m.bodies[part.a].r, -torque
    else:  # the axis turns with the first body, which is therefore pushed back at the point of the second
        assert isinstance(part, Along)
        f, at = force[:, None] * m.axis(part.a, part.u), m.point(part.b, part.q)
        yield part.b, f, at, vanish(m)
        yield part.a, -f, at, vanish(m)


def rate(part: Measure, m: Motion) -> Array:
    """How fast a measure grows, from velocities."""
    if isinstance(part, Angle):
        return dot(m.axis(part.a, part.axis), m.bodies[part.b].w - m.bodies[part.a].w)
    assert isinstance(part, Along)
    at = m.point(part.b, part.q)
    return dot(m.axis(part.a, part.u), m.velocity_there(part.b, at) - m.velocity_there(part.a, at))


@dataclass(frozen=True)
class Spring(Law):
    """Tension k (l - l0) + c l' along the line between two points."""

    label: str
    a: str
    p: Array
    b: str
    q: Array
    stiffness: float
    free: float
    damping: float = 0.0

    def wrenches(self, m: Motion, result: tm.results.Result) -> Iterator[Wrench]:
        way = m.point(self.b, self.q) - m.point(self.a, self.p)
        length = np.linalg.norm(way, axis=1)
        along = way / length[:, None]
        longer = dot(along, m.velocity(self.b, self.q) - m.velocity(self.a, self.p))
        force = (self.stiffness * (length - self.free) + self.damping * longer)[:, None] * along
        yield self.a, force, m.point(self.a, self.p), vanish(m)
        yield self.b, -force, m.point(self.b, self.q), vanish(m)

    def stored(self, m: Motion) -> Array:
        length = np.linalg.norm(m.point(self.b, self.q) - m.point(self.a, self.p), axis=1)
        return 0.5 * self.stiffness * (length - self.free) ** 2


@dataclass(frozen=True)
class Torsion(Law):
    """Torque -k (angle - free) - c rate + drive(t) along an angle."""

    label: str
    angle: Angle
    stiffness: float = 0.0
    free: float = 0.0
    damping: float = 0.0
    drive: Callable[[Array], Array] = np.zeros_like

    def value(self, m: Motion) -> Array:
        angle = self.angle.value(m) - self.free
        return angle - 2.0 * np.pi * np.round(angle[0] / (2.0 * np.pi))  # springs are drawn within half a turn of slack

    def wrenches(self, m: Motion, result: tm.results.Result) -> Iterator[Wrench]:
        torque = self.drive(m.t) - self.stiffness * self.value(m) - self.damping * rate(self.angle, m)
        return pushed(self.angle, torque, m)

    def stored(self, m: Motion) -> Array:
        return 0.5 * self.stiffness * self.value(m) ** 2


@dataclass(frozen=True)
class Stop(Law):
    """Beyond a value k d (1 + c d') back, never pulling; angles are counted from the value in the closed pose."""

    label: str
    part: Measure
    start: float
    limit: float
    side: float  # +1 above the limit, -1 below
    stiffness: float
    damping: float
    contact = True

    def depth(self, m: Motion) -> Array:
        x = self.part.value(m)
        if isinstance(self.part, Angle):
            x = x - 2.0 * np.pi * np.round((x[0] - self.start) / (2.0 * np.pi))
        return np.maximum(0.0, self.side * (x - self.limit))

    def wrenches(self, m: Motion, result: tm.results.Result) -> Iterator[Wrench]:
        back = self.stiffness * self.depth(m) * np.maximum(0.0, 1.0 + self.damping * self.side * rate(self.part, m))
        return pushed(self.part, -self.side * back, m)

    def stored(self, m: Motion) -> Array:
        return 0.5 * self.stiffness * self.depth(m) ** 2


@dataclass(frozen=True)
class Push(Law):
    """Force at a point of a body, given in space or in the axes of the body."""

    label: str
    body: str
    p: Array
    force: Array
    follows: bool = False

    def wrenches(self, m: Motion, result: tm.results.Result) -> Iterator[Wrench]:
        f = m.axis(self.body, self.force) if self.follows else np.tile(self.force, (len(m), 1))
        yield self.body, f, m.point(self.body, self.p), vanish(m)


@dataclass(frozen=True)
class Drag(Law):
    """Half c rho A |w| w against the motion of a point through still air."""

    label: str
    body: str
    p: Array
    factor: float

    def wrenches(self, m: Motion, result: tm.results.Result) -> Iterator[Wrench]:
        w = m.velocity(self.body, self.p)
        yield self.body, -self.factor * np.linalg.norm(w, axis=1)[:, None] * w, m.point(self.body, self.p), vanish(m)


@dataclass(frozen=True)
class Bushing(Law):
    """Springs and dampers along the axes A of the first body, between a point of each; torques along the rotation vector's gradient."""

    label: str
    a: str
    p: Array
    A: Array
    b: str
    q: Array
    B: Array
    stiffness: Array
    twist: Array
    damping: Array
    friction: Array

    def _parts(self, m: Motion) -> tuple[Array, Array, Array]:
        axes = m.bodies[self.a].R @ self.A
        way = np.einsum("nji,nj->ni", axes, m.point(self.b, self.q) - m.point(self.a, self.p))
        return axes, way, np.swapaxes(axes, 1, 2) @ m.bodies[self.b].R @ self.B

    def wrenches(self, m: Motion, result: tm.results.Result) -> Iterator[Wrench]:
        axes, way, relative = self._parts(m)
        at = m.point(self.b, self.q)
        v = np.einsum("nji,nj->ni", axes, m.velocity_there(self.b, at) - m.velocity_there(self.a, at))
        w = np.einsum("nji,nj->ni", axes, m.bodies[self.b].w - m.bodies[self.a].w)
        force = -np.einsum("nij,nj->ni", axes, way * self.stiffness + v * self.damping)
        h, slope = 1e-5, np.zeros((len(m), 3))
        for k, e in enumerate(np.eye(3)):  # how the energy changes when the second body turns a little
            ends = [self._twisted(turn(e, x) @ relative) for x in (2.0 * h, h, -h, -2.0 * h)]
            slope[:, k] = (-ends[0] + 8.0 * ends[1] - 8.0 * ends[2] + ends[3]) / (12.0 * h)
        torque = -np.einsum("nij,nj->ni", axes, slope + w * self.friction)
        yield self.b, force, at, torque
        yield self.a, -force, at, -torque

    def _twisted(self, relative: Array) -> Array:
        return 0.5 * rotation_vector(relative) ** 2 @ self.twist

    def stored(self, m: Motion) -> Array:
        _, way, relative = self._parts(m)
        return 0.5 * way**2 @ self.stiffness + self._twisted(relative)


@dataclass(frozen=True)
class Grip:
    """Friction of a contact: mu N tanh(2 s / s0) with a static peak, and a viscous part."""

    static: float = 0.0
    dynamic: float = 0.0
    speed: float = 1.0
    viscous: float = 0.0

    def force(self, normal: Array, slip: Array) -> Array:
        """Force on the first body for the slip of its material against the second's."""
        speed = np.linalg.norm(slip, axis=1)
        ratio = speed / self.speed
        mu = self.dynamic + (self.static - self.dynamic) * np.exp(-0.25 * ratio**2)
        size = mu * normal * np.tanh(2.0 * ratio) + self.viscous * speed * (normal > 0.0)
        return -(size / np.maximum(speed, 1e-300))[:, None] * slip


@dataclass(frozen=True)
class Contact(Law):
    """Disc or sphere against a line or plane of another body (`normal`), or against another disc or sphere (`other` radius)."""

    label: str
    a: str
    p: Array
    radius: float
    b: str
    q: Array
    normal: Array | None
    other: float
    stiffness: float
    exponent: float
    rule: str  # "linear" k d^p + c d', "hertz" k d^p, "hunt_crossley" k d^p (1 + c d')
    damping: float = 0.0
    grip: Grip = Grip()
    contact = True

    def _geometry(self, m: Motion) -> tuple[Array, Array, Array]:
        """Penetration, normal from the second body to the first, and the point in which the forces act."""
        way = m.point(self.a, self.p) - m.point(self.b, self.q)
        if self.normal is not None:
            n = m.axis(self.b, self.normal)
            height = dot(n, way)
            return np.maximum(0.0, self.radius - height), n, m.point(self.a, self.p) - height[:, None] * n
        length = np.linalg.norm(way, axis=1)
        n, depth = way / length[:, None], np.maximum(0.0, self.radius + self.other - length)
        return depth, n, m.point(self.b, self.q) + (self.other - 0.5 * depth)[:, None] * n

    def wrenches(self, m: Motion, result: tm.results.Result) -> Iterator[Wrench]:
        depth, n, at = self._geometry(m)
        v = m.velocity_there(self.a, at) - m.velocity_there(self.b, at)
        deeper, elastic = -dot(n, v), self.stiffness * depth**self.exponent
        damped = self.damping * deeper * (elastic if self.rule == "hunt_crossley" else depth > 0.0)
        normal = np.maximum(0.0, elastic + damped)
        force = normal[:, None] * n + self.grip.force(normal, v + deeper[:, None] * n)
        yield self.a, force, at, vanish(m)
        yield self.b, -force, at, vanish(m)

    def stored(self, m: Motion) -> Array:
        return self.stiffness * self._geometry(m)[0] ** (self.exponent + 1.0) / (self.exponent + 1.0)


@dataclass(frozen=True)
class JointFriction(Law):
    """mu r N tanh(rate / stick) + c rate against an angle or distance; N is what presses, from the reaction that is reported.

    A bearing or guide of a length carries force and couple across its axis by two forces at its ends. Thrust presses in a bearing, the
    couple about its axis over its radius in a guide; in the plane there is neither.
    """

    label: str
    joint: str
    part: Measure
    place: Array  # on the second body
    coefficient: float
    radius: float
    length: float
    stick: float
    viscous: float
    read: Reader

    def pressed(self, m: Motion, result: tm.results.Result) -> Array:
        force, point, moment = self.read(result, self.joint, self.part.b)
        moment = moment + np.cross(point - m.point(self.part.b, self.place), force)
        turns = isinstance(self.part, Angle)
        axis = m.axis(self.part.a, self.part.axis if turns else self.part.u)
        thrust, twist = dot(force, axis), dot(moment, axis)
        side, tilt = force - thrust[:, None] * axis, np.cross(moment, axis) / self.length
        ends = np.linalg.norm(0.5 * side + tilt, axis=1) + np.linalg.norm(0.5 * side - tilt, axis=1)
        return ends + np.abs(thrust if turns else twist / self.radius)

    def wrenches(self, m: Motion, result: tm.results.Result) -> Iterator[Wrench]:
        fast = rate(self.part, m)
        arm = self.radius if isinstance(self.part, Angle) else 1.0
        against = self.coefficient * arm * self.pressed(m, result) * np.tanh(fast / self.stick) + self.viscous * fast
        return pushed(self.part, -against, m)
