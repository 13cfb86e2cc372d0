"""What stands in the plane where a quantity is measured: end stops and friction."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pytrammel.joints.constraint import Symbol
from pytrammel.model.base import Model
from pytrammel.model.bodies import Body
from pytrammel.view.scene.measured import MeasuredPlace, heading, turned_about, where_measured
from pytrammel.view.scene.planar import Array, Mark, Point

POINT = 1e-9
"""Length of a point that slides [m]."""


def measured_marks(
    model: Model, symbol: Symbol, held: Sequence[Point], *, bar: bool, block: bool
) -> list[tuple[str, Mark]] | None:
    """Marks of a stop or of friction with the names of their bodies, the one to be labelled first; None where there is no place for them.

    Args:
        model: The model.
        symbol: What is drawn, with its quantity.
        held: Where the body that moves is held, in its coordinates [m].
        bar: It is drawn as a bar through these points.
        block: It is drawn as a block where it slides.
    """
    place = None if symbol.along is None else where_measured(model, symbol.along)
    if place is None:
        return None
    length = None if place.turns else _length(model, place, block=block)
    if symbol.kind == "end-stop":
        return _turn_stops(model, place, symbol, held, bar=bar) if place.turns else _slide_stops(place, symbol, length)
    kind = "friction-turn" if place.turns else "friction-slide"
    angle = _tilt(model, place) + (math.atan2(place.axis[1], place.axis[0]) if place.axis else 0.0)
    return [(place.other, Mark(kind, 0, _xy(place.other_point), angle, size=length))]


def _turn_stops(
    model: Model, place: MeasuredPlace, symbol: Symbol, held: Sequence[Point], *, bar: bool
) -> list[tuple[str, Mark]]:
    """Walls beside the bar that turns; a body that is no bar gets a finger."""
    way: Array | None = heading(model, place, np.array(held)) if bar and held else None
    out = []
    if way is None:
        way = np.array([math.cos(_tilt(model, place)), -math.sin(_tilt(model, place))])
        out.append((place.other, Mark("stop-finger", 0, _xy(place.other_point))))
    for side, limit in _limits(symbol):
        x, y = turned_about(way, (), limit - place.value)
        out.insert(0, (place.body, Mark(f"stop-turn-{side}", 0, _xy(place.point), math.atan2(y, x))))
    return out


def _slide_stops(place: MeasuredPlace, symbol: Symbol, length: float | None) -> list[tuple[str, Mark]]:
    """Walls across the way of what slides."""
    out = []
    for side, limit in _limits(symbol):
        at = np.array(place.point) + (place.along + limit - place.value) * np.array(place.axis)
        angle = math.atan2(place.axis[1], place.axis[0])
        out.append((place.body, Mark(f"stop-slide-{side}", 0, _xy(at), angle, size=length)))
    return out


def _limits(symbol: Symbol) -> list[tuple[str, float]]:
    return [it for it in zip(("low", "high"), symbol.limits, strict=True) if math.isfinite(it[1])]


def _length(model: Model, place: MeasuredPlace, *, block: bool) -> float | None:
    """Length of what slides along its line [m]: of its outline; None for the standard block."""
    body: Body = model.bodies[place.other]
    if not body.outline:
        return None if block else POINT
    tilt = math.atan2(place.axis[1], place.axis[0]) + _tilt(model, place)
    x, y = place.other_point
    along = [abs(math.cos(tilt) * (px - x) + math.sin(tilt) * (py - y)) for line in body.outlines for px, py in line]
    return 2.0 * max(along) or None


def _tilt(model: Model, place: MeasuredPlace) -> float:
    """Angle of the body from which it is counted against the other one, as drawn [rad]."""
    return float(model.bodies[place.body].angle - model.bodies[place.other].angle)


def _xy(position: Sequence[float] | Array) -> Point:
    x, y = position
    return float(x), float(y)
