"""Pieces of a run: each has its own model, rows and targets, and is evaluated with them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief
from pytrammel.model.base import Model
from pytrammel.system.lowering import System

if TYPE_CHECKING:
    from pytrammel.results.result import Result

P = ParamSpec("P")
T = TypeVar("T")


@brief
@dataclass(frozen=True)
class Segment:
    """Instants of a run that share a model, a set of acting rows and their targets.

    Attributes:
        first, last: Instants ``first`` to ``last - 1``.
        model, system: The model in force, and the same lowered.
        rows: Rows of the system that act.
        floats: The system's numbers as they were used: held targets differ from those of the model.
        pattern: Elimination pattern of the rows that carry multipliers; None where there are none (kinematics).
    """

    first: int
    last: int
    model: Model = field(repr=False)
    system: System = field(repr=False)
    rows: tuple[int, ...]
    floats: NDArray[np.float64] = field(repr=False)
    pattern: NDArray[np.int64] | None = field(default=None, repr=False)

    @property
    def targets(self) -> NDArray[np.float64]:
        """Constant parts of the targets of all rows."""
        return self.system.targets(self.floats)

    def goes_on_as(self, other: Segment) -> bool:
        """Return True if the other segment differs from this one in its instants only."""
        return (
            self.model is other.model
            and self.floats is other.floats
            and self.pattern is other.pattern
            and self.rows == other.rows
        )

    def same_motion(self, other: Segment) -> bool:
        """Return True if the motion continues smoothly in the other segment: they differ in speeds of first touch only."""
        return (  # equal segments are separated by an impact of rigid bodies
            self.model is other.model
            and self.rows == other.rows
            and (self.pattern is None) == (other.pattern is None)
            and (self.pattern is None or other.pattern is None or np.array_equal(self.pattern, other.pattern))
            and np.array_equal(self.targets, other.targets)
            and self.impact_speeds != other.impact_speeds
        )

    @property
    def impact_speeds(self) -> dict[str, float]:
        """Speed at first touch [m/s] of each force whose law needs one."""
        forces = self.model.forces
        slots = ((each, forces[each.owner].impact_slot) for each in self.system.forces if each.owner in forces)
        return {each.owner: float(self.floats[each.floats + slot]) for each, slot in slots if slot is not None}

    def between(self, first: int, last: int) -> Segment:
        """What lies between two instants, counted from the first of them."""
        begin, end = max(self.first, first), min(self.last, last)
        return replace(self, first=begin - first, last=max(begin, end) - first)


def pieces_of(result: Result) -> tuple[Result, ...]:
    """The run cut where its model was changed: results with one model each."""
    groups: list[list[Segment]] = []
    for segment in result._segments:
        if segment.last <= segment.first:
            continue
        if groups and groups[-1][-1].model is segment.model:
            groups[-1].append(segment)
        else:
            groups.append([segment])
    if len(groups) <= 1 and (not groups or groups[0][0].model is result.model):
        return (result,)
    return tuple(
        replace(
            part(result, group[0].first, group[-1].last),
            model=group[0].model,
            _system=group[0].system,
        )
        for group in groups
    )


def part(result: Result, first: int, last: int) -> Result:
    """Instants ``first`` to ``last - 1`` of a result, as a result of its own."""
    span = slice(first, last)
    return replace(
        result,
        times=result.times[span],
        q=result.q[span],
        v=None if result.v is None else result.v[span],
        a=None if result.a is None else result.a[span],
        _notes=result._notes[span],
        _segments=tuple(s.between(first, last) for s in result._segments if s.first < last and s.last > first),
        dynamics=None if result.dynamics is None else result.dynamics.between(first, last),
    )


def per_model(function: Callable[Concatenate[Result, P], T]) -> Callable[Concatenate[Result, P], T]:
    """Evaluate a function of a result piece by piece, each with its own model, and join the answers in time."""

    @functools.wraps(function)
    def whole(result: Result, /, *args: P.args, **kwargs: P.kwargs) -> T:
        pieces = result._pieces
        if len(pieces) == 1:
            return function(pieces[0], *args, **kwargs)
        return cast(T, joined([function(piece, *args, **kwargs) for piece in pieces]))

    return whole


def joined(parts: Sequence[Any]) -> Any:
    """Arrays one after the other, also inside lists, dictionaries and data classes; anything else as in the first part."""
    first = parts[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    if isinstance(first, dict):
        return {key: joined([part[key] for part in parts]) for key in first}
    if isinstance(first, list | tuple):
        return type(first)(joined(own) for own in zip(*parts, strict=True))
    if is_dataclass(first) and not isinstance(first, type):
        return replace(first, **{f.name: joined([getattr(p, f.name) for p in parts]) for f in fields(first)})
    return first
