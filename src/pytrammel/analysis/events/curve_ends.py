"""Ends of open curves: where a pin, a follower or a point would leave its slot or outline."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.events.events import Event
from pytrammel.expressions.expression import as_expression
from pytrammel.joints.constraint import ExtraCoordinate
from pytrammel.model.base import Model
from pytrammel.system.lowering import System

Array = NDArray[np.float64]
SLACK = 1e-9  # of a curve's scale: a pin drawn at the very end is still on it


class CurveEnd(Event):
    """The end of an open curve, named after its joint: the run stops there unless an event of the user says otherwise."""


def curve_ends(model: Model, acting: Iterable[str]) -> list[CurveEnd]:
    """Both ends of every open curve of the joints that act."""
    out = []
    for name in acting:
        joint = model.constraints[name]
        for extra in joint.extras:
            measure = _measure_of(model, extra)
            slack = SLACK * extra.scale
            for sign, bound in ((1.0, extra.low - slack), (-1.0, extra.high + slack)):
                if np.isfinite(bound):
                    inside = as_expression(f"{sign!r}*({measure} - {bound!r})", f"end of {name!r}")
                    out.append(CurveEnd(name, inside, -1))
    return out


def _measure_of(model: Model, extra: ExtraCoordinate) -> str:
    """Name of the measured quantity that is the place on a curve: "S.parameter", or "P.u" in space."""
    owner = model.constraints[extra.name.rpartition(".")[0]]
    return next(f"{owner.name}.{key}" for key, q in owner.measures.items() if q.extra == extra.name)


def nearest_end(system: System, q: Array, acting: Iterable[str]) -> tuple[ExtraCoordinate, float, float] | None:
    """The open curve whose end is nearest to its pin, or most exceeded: with the place, and how far inside it is in curve scales."""
    first = system.n_coordinates - len(system.model.turns) - len(system.extras)
    owners = set(acting)
    found = [
        (extra, float(u), float(min(u - extra.low, extra.high - u) / extra.scale))
        for extra, u in zip(system.extras, q[first:], strict=False)
        if extra.name.rpartition(".")[0] in owners and np.isfinite(min(u - extra.low, extra.high - u))
    ]
    return min(found, key=lambda f: f[2], default=None)


def leaving_sentence(model: Model, extra: ExtraCoordinate, u: float, time: float) -> str:
    """Which pin stands at the end of its curve, and when."""
    owner = model.constraints[extra.name.rpartition(".")[0]]
    return (
        f"{owner.kind} {owner.name!r}: the pin leaves its curve at t = {time:.6g} s (u = {u:.6g}, the curve runs from "
        f"{extra.low:g} to {extra.high:g}). Lengthen the curve or shorten the motion"
    )


def remedies(model: Model, extra: ExtraCoordinate, u: float) -> str:
    """What a simulation offers beside that."""
    owner, measure = extra.name.rpartition(".")[0], _measure_of(model, extra)
    end = extra.low if abs(u - extra.low) < abs(u - extra.high) else extra.high
    return (
        f', or say what is to happen: an Event with when="{measure} - {end!r}" and stop=True ends the run there, one with '
        f'release=["{owner}"] lets the pin go.'
    )
