"""Teeth of gears and racks in pictures: how many there are, and how they are turned so that they mesh as drawn.

A model knows pitch radii only. Gears that mesh, directly or through others, get one module, chosen so that the numbers of teeth are
as whole as the radii allow; then one gear after the other is turned so that a tooth meets a gap.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Point = tuple[float, float]
FEWEST, MOST = 12, 28
"""Teeth of the smallest gear of a train."""
ADDENDUM, DEDENDUM = 0.9, 1.1
"""Height and depth of teeth, in modules."""


@dataclass(frozen=True)
class Wheel:
    """A toothed wheel as drawn: centre [m] and angle [rad], global; pitch radius [m]; a ring has its teeth inside."""

    centre: Point
    angle: float
    radius: float
    ring: bool = False


K = TypeVar("K", bound=Hashable)


def fitted(wheels: Mapping[K, Wheel], beside: Mapping[K, Sequence[K]]) -> tuple[float, dict[K, float]]:
    """Module of a train [m], and the angle of a tooth of each wheel in its own frame [rad], as drawn.

    Of all numbers of teeth those are taken that are nearest to whole for all wheels, and that mesh best where a train has loops
    (several planets between a sun and a ring).
    """
    least = min(wheel.radius for wheel in wheels.values())

    def tried(teeth: int) -> tuple[float, dict[K, float], tuple[float, float, int]]:
        module = 2.0 * least / teeth
        counts = [2.0 * wheel.radius / module for wheel in wheels.values()]
        broken = max(abs(n - round(n)) / n for n in counts)
        phases = _turned(wheels, beside, module)
        gap = max((_mismatch(wheels, phases, a, b, module) for a in phases for b in beside[a]), default=0.0)
        return module, phases, (round(broken, 4), round(gap, 2), abs(teeth - 18))

    module, phases, _ = min((tried(teeth) for teeth in range(FEWEST, MOST + 1)), key=lambda it: it[2])
    return module, phases


def _turned(wheels: Mapping[K, Wheel], beside: Mapping[K, Sequence[K]], module: float) -> dict[K, float]:
    """Each wheel turned so that it meshes with the one it was reached from."""
    first = next(iter(wheels))
    phases, waiting = {first: 0.0}, [first]
    while waiting:
        key = waiting.pop()
        for other in beside[key]:
            if other not in phases:
                phases[other] = phase_beside(wheels[key], phases[key], wheels[other], module)
                waiting.append(other)
    return phases


def _mismatch(wheels: Mapping[K, Wheel], phases: Mapping[K, float], a: K, b: K, module: float) -> float:
    """By how much of a tooth two wheels miss each other, 0 to 0.5."""
    wanted = phase_beside(wheels[a], phases[a], wheels[b], module)
    off = (phases[b] - wanted) * teeth_of(wheels[b].radius, module) / (2.0 * math.pi)
    return abs(off - round(off))


def teeth_of(radius: float, module: float) -> int:
    """Number of teeth."""
    return max(3, round(2.0 * radius / module))


def phase_beside(first: Wheel, phase: float, second: Wheel, module: float) -> float:
    """Angle of a tooth of the second wheel, in its own frame, with which it meshes with the first one [rad]."""
    n1, n2 = teeth_of(first.radius, module), teeth_of(second.radius, module)
    inside = first.ring or second.ring
    outer, inner = (first, second) if first.ring else (second, first)
    if inside:  # both meet on the far side of the inner one, seen from the middle of the ring
        towards = math.atan2(inner.centre[1] - outer.centre[1], inner.centre[0] - outer.centre[0])
        place = n1 / (2.0 * math.pi) * (towards - first.angle - phase)
        return towards - second.angle - 2.0 * math.pi / n2 * (0.5 + place)
    towards = math.atan2(second.centre[1] - first.centre[1], second.centre[0] - first.centre[0])
    place = n1 / (2.0 * math.pi) * (towards - first.angle - phase)
    return towards + math.pi - second.angle - 2.0 * math.pi / n2 * (0.5 - place)


def gear_outline(centre: Point, radius: float, module: float, phase: float) -> list[Point]:
    """Corners of an external gear, with a tooth at the angle ``phase``, in its body's coordinates."""
    n = teeth_of(radius, module)
    low, high = radius - DEDENDUM * module, radius + ADDENDUM * module
    return _toothed(centre, n, phase, low, high)


def ring_outline(centre: Point, radius: float, module: float, phase: float) -> list[Point]:
    """Corners of the inner outline of a ring gear, with a tooth (pointing inwards) at the angle ``phase``."""
    n = teeth_of(radius, module)
    low, high = radius + DEDENDUM * module, radius - ADDENDUM * module
    return _toothed(centre, n, phase, low, high)


def _toothed(centre: Point, n: int, phase: float, low: float, high: float) -> list[Point]:
    corners = []
    for k in range(n):
        middle = phase + 2.0 * math.pi * k / n
        for share, r in ((-0.32, low), (-0.14, high), (0.14, high), (0.32, low)):
            a = middle + share * 2.0 * math.pi / n
            corners.append((centre[0] + r * math.cos(a), centre[1] + r * math.sin(a)))
    return corners


def rack_outline(start: Point, angle: float, side: float, low: float, high: float, tooth: float, module: float) -> list[Point]:  # fmt: skip
    """Corners of a rack from ``low`` to ``high`` along its pitch line, teeth towards ``side`` (+1 is left), one of them at ``tooth``."""
    pitch = math.pi * module
    first, last = math.ceil((low - tooth) / pitch), math.floor((high - tooth) / pitch)
    back = -2.6 * module
    line: list[Point] = [(low, back), (low, -DEDENDUM * module)]
    for k in range(first, last + 1):
        x = tooth + k * pitch
        for share, y in ((-0.36, -DEDENDUM), (-0.16, ADDENDUM), (0.16, ADDENDUM), (0.36, -DEDENDUM)):
            if low < x + share * pitch < high:
                line.append((x + share * pitch, y * module))
    line += [(high, -DEDENDUM * module), (high, back)]
    c, s = math.cos(angle), math.sin(angle)
    return [(start[0] + c * x - s * side * y, start[1] + s * x + c * side * y) for x, y in line]


def rack_tooth(pinion: Wheel, phase: float, foot: float, towards: float, sign: float, module: float) -> float:
    """Place of a tooth on the pitch line that fits the pinion [m].

    Args:
        pinion, phase: The pinion and the angle of one of its teeth.
        foot: Place on the line that is nearest to its centre [m].
        towards: Global direction from its centre to that place [rad].
        sign: +1 if the line runs counter-clockwise round the pinion there.
        module: Module [m].
    """
    n, pitch = teeth_of(pinion.radius, module), math.pi * module
    place = n / (2.0 * math.pi) * (towards - pinion.angle - phase)
    return foot - sign * place * pitch + 0.5 * pitch
