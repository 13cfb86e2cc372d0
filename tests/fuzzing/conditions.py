"""What joints promise, from positions and rotation matrices alone.

``violation(motion)`` has one row per instant; lengths are divided by the size of the mechanism. Conditions that hold up to a constant
(gears, screws) are counted from the first instant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fuzzing.motion import Array, Motion


@dataclass(frozen=True)
class Coincide:
    """A point of one body lies on a point of another."""

    a: str
    p: Array
    b: str
    q: Array
    size: float

    def violation(self, m: Motion) -> Array:
        return (m.point(self.b, self.q) - m.point(self.a, self.p)) / self.size


@dataclass(frozen=True)
class SameDirection:
    """Axes of two bodies point the same way (never opposite ways)."""

    a: str
    u: Array
    b: str
    w: Array

    def violation(self, m: Motion) -> Array:
        return m.axis(self.a, self.u) - m.axis(self.b, self.w)


@dataclass(frozen=True)
class Perpendicular:
    a: str
    u: Array
    b: str
    w: Array

    def violation(self, m: Motion) -> Array:
        return np.sum(m.axis(self.a, self.u) * m.axis(self.b, self.w), axis=1)[:, None]


@dataclass(frozen=True)
class SameTurn:
    """The relative rotation stays what it is in the closed pose."""

    a: str
    b: str
    relative: Array

    def violation(self, m: Motion) -> Array:
        found = np.swapaxes(m.bodies[self.a].R, 1, 2) @ m.bodies[self.b].R
        return (found - self.relative).reshape(len(m), 9)


@dataclass(frozen=True)
class OnLine:
    """A point of the second body lies on a line of the first."""

    a: str
    p: Array
    u: Array
    b: str
    q: Array
    size: float

    def violation(self, m: Motion) -> Array:
        return np.cross(m.axis(self.a, self.u), m.point(self.b, self.q) - m.point(self.a, self.p)) / self.size


@dataclass(frozen=True)
class OnPlane:
    """A point of the second body keeps its height over a plane of the first (a face its distance from a circle)."""

    a: str
    p: Array
    normal: Array
    b: str
    q: Array
    height: float
    size: float

    def violation(self, m: Motion) -> Array:
        way = m.point(self.b, self.q) - m.point(self.a, self.p)
        return (np.sum(m.axis(self.a, self.normal) * way, axis=1) - self.height)[:, None] / self.size


@dataclass(frozen=True)
class Distance:
    a: str
    p: Array
    b: str
    q: Array
    length: float
    size: float

    def violation(self, m: Motion) -> Array:
        way = m.point(self.b, self.q) - m.point(self.a, self.p)
        return (np.linalg.norm(way, axis=1) - self.length)[:, None] / self.size


@dataclass(frozen=True)
class OnSurface:
    """Where a point of the second body lies in the axes of the first, a function vanishes."""

    a: str
    b: str
    q: Array
    function: Callable[[Array], Array]

    def violation(self, m: Motion) -> Array:
        carrier = m.bodies[self.a]
        local = np.einsum("nji,nj->ni", carrier.R, m.point(self.b, self.q) - carrier.r)
        return self.function(local).reshape(len(m), -1)


@dataclass(frozen=True)
class NoTwist:
    """A shaft is swung against another but not twisted: the rotation from one frame to the other has its axis across the shaft."""

    a: str
    A: Array
    b: str
    B: Array

    def violation(self, m: Motion) -> Array:
        first, second = m.bodies[self.a].R @ self.A, m.bodies[self.b].R @ self.B
        relative = np.swapaxes(first, 1, 2) @ second
        return (relative[:, 1, 0] - relative[:, 0, 1])[:, None]


@dataclass(frozen=True)
class Angle:
    """Angle about an axis of the first body from one direction to a direction of the second, counted through turns [rad]."""

    a: str
    axis: Array
    x: Array
    b: str
    w: Array

    def value(self, m: Motion) -> Array:
        z, x, w = m.axis(self.a, self.axis), m.axis(self.a, self.x), m.axis(self.b, self.w)
        y = np.cross(z, x)
        angle = np.arctan2(np.sum(y * w, axis=1), np.sum(x * w, axis=1))
        # a fast wheel may turn by more than half a turn between instants: its rates tell how far about
        a, b, h = m.bodies[self.a], m.bodies[self.b], np.diff(m.t)
        rate, second = np.sum(z * (b.w - a.w), axis=1), np.sum(z * (b.alpha - a.alpha), axis=1)
        about = 0.5 * h * (rate[1:] + rate[:-1]) - h**2 / 12.0 * np.diff(second)
        turns = np.round((about - np.diff(angle)) / (2.0 * np.pi))
        return angle + 2.0 * np.pi * np.concatenate([[0.0], np.cumsum(turns)])


@dataclass(frozen=True)
class Along:
    """Distance along an axis of the first body from its point to one of the second [m]."""

    a: str
    p: Array
    u: Array
    b: str
    q: Array

    def value(self, m: Motion) -> Array:
        return np.sum(m.axis(self.a, self.u) * (m.point(self.b, self.q) - m.point(self.a, self.p)), axis=1)


@dataclass(frozen=True)
class Between:
    """Distance of two points [m]."""

    a: str
    p: Array
    b: str
    q: Array

    def value(self, m: Motion) -> Array:
        return np.linalg.norm(m.point(self.b, self.q) - m.point(self.a, self.p), axis=1)


Measure = Angle | Along | Between


@dataclass(frozen=True)
class Geared:
    """A sum of measures with fixed weights does not change."""

    parts: tuple[tuple[float, Measure], ...]
    size: float

    def violation(self, m: Motion) -> Array:
        total = sum(weight * part.value(m) for weight, part in self.parts)
        return (total - total[0])[:, None] / self.size


@dataclass(frozen=True)
class Driven:
    """A measure follows its motion; angles are known up to whole turns."""

    part: Measure
    motion: Callable[[Array], Array]
    size: float

    def violation(self, m: Motion) -> Array:
        off = self.part.value(m) - self.motion(m.t)
        if isinstance(self.part, Angle):
            off = off - 2.0 * np.pi * np.round(off[0] / (2.0 * np.pi))
        return off[:, None] / self.size


@dataclass(frozen=True)
class During:
    """A promise that is kept for a while."""

    kept: object
    begin: float
    end: float

    def violation(self, m: Motion) -> Array:
        some = m.between(self.begin, self.end)
        return self.kept.violation(some) if len(some) else np.zeros((0, 1))
