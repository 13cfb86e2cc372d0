"""A run that notes all that is needed to go back over it: its stretches between events, and what events do to small changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.events.events import Touch
from pytrammel.analysis.events.holds import CHANGE
from pytrammel.analysis.events.watching import Watched
from pytrammel.analysis.gradients.directions import Direction, Variant
from pytrammel.analysis.gradients.followed import FollowedRun
from pytrammel.analysis.gradients.problem import OnlyForwards
from pytrammel.analysis.runs.engine import Table
from pytrammel.errors import ModelError
from pytrammel.kernels import run as rk
from pytrammel.system.lowering import System

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
CLOSEST = 1e-12  # of the clock: steps beside corners of laws
NOTHING = 1e-10  # of a number: rounding of its differences


@dataclass(frozen=True)
class Leap:
    """What an event or a break does to small changes of each entry of the state, and to those along directions.

    Attributes:
        entries: Changes of the state behind it from those of each entry before it, shape (entries, size).
        along: The same along each direction, from changes of the numbers alone, shape (directions, size).
        noted: Changes of the numbers that it notes of the state, from entries and from numbers that were noted before, shape
            (entries + noted before, noted).
    """

    entries: Array
    along: Array
    noted: Array


@dataclass
class Stretch:
    """A part of a run in which nothing happens.

    Attributes:
        begin, end: Its instants [s].
        state: With which it begins.
        system, floats, pattern: What moves, and the active equations.
        numbers: How the system's numbers change along directions, shape (directions, n); one behind the other those that were given and
            those of numbers that events have noted of the state.
        first, upto: Times that were recorded in it.
        leap: What happens at its end; None if nothing does.
        behind_event, before_event: Whether something happens where it begins, or ends.
        corner: Whether a law has a corner where it ends.
        stops: Whether the run ends with the event at its end.
    """

    begin: float
    state: Array
    system: System
    floats: Array
    pattern: Ints
    numbers: Array
    first: int
    end: float = 0.0
    upto: int = 0
    leap: Leap | None = None
    behind_event: bool = False
    before_event: bool = False
    corner: bool = False
    stops: bool = False
    table: Table | None = field(default=None, repr=False)

    @property
    def closest(self) -> float:
        """How close steps get to corners [s]."""
        return CLOSEST * max(abs(self.begin), abs(self.end))


class Track(FollowedRun):
    """A run of its own. At events it follows changes of each entry of the state and of the numbers; between them it carries none.

    What events note of the state for later (a speed of approach, a place that is held) are directions of their own from then on.

    Attributes:
        stretches: In their order.
        noted: Places of numbers that were noted, and how large they are.
    """

    def __init__(
        self, entries: Ints, directions: Sequence[Direction], numbers: Array, scales: Array, *given: Any
    ) -> None:
        model = given[0]
        self.entries, self.n_entries, self.n_given = entries, entries.size, len(directions)
        self.stretches: list[Stretch] = []
        self.noted: dict[int, float] = {}
        self.carried = np.zeros((entries.size + len(directions), scales.size))
        self._entry = Direction("", 0.0, 1.0, lambda offset: Variant(offset, model))
        both = np.vstack([np.zeros((entries.size, numbers.shape[1])), numbers])
        super().__init__([self._entry] * entries.size + list(directions), both, self.carried, scales, *given)

    @property
    def Z(self) -> Array:
        return self.carried

    def _stretch_from(self, t: float, w: Array) -> None:
        """Time is not stretched: nothing is carried up to a break."""
        self.stretch = (t, np.zeros(self.p), np.zeros(self.p))

    def engine(self, watch: Watched, options: Array, ints: Ints) -> Table:
        table = super().engine(watch, options, ints)
        happened = bool(self.stretches and self.stretches[-1].before_event)
        self.stretches.append(
            Stretch(
                float(self.clock[0]), self.y.copy(), self.system, self.floats.copy(), self.pattern,
                self.numbers[self.n_entries :], self.done, behind_event=happened,
            )
        )  # fmt: skip
        return table

    def _pass(self, status: int, index: int, watch: Watched, passed: int) -> None:
        stretch = self.stretches[-1]
        stretch.upto = self.done
        stretch.end = float(self.breaks.table[passed + index, rk.BEFORE] if status == rk.BREAK else self.clock[0])
        stretch.before_event = status in (rk.EVENT, CHANGE)
        event = watch.events[index] if status == rk.EVENT else None
        soft = isinstance(event, Touch) and event.name not in self.holds.rigid
        stretch.corner = event is not None and bool(self._silent[index] or soft)
        stretch.stops = event is not None and event.stop
        scales = self.scales[self.entries]
        self.carried[:] = 0.0
        self.carried[: self.n_entries] = scales[:, None] * self._ways()
        super()._pass(status, index, watch, passed)
        if stretch.before_event or status == rk.BREAK:
            entries, along = np.split(self.carried, [self.n_entries])
            stretch.leap = Leap(entries / scales[:, None], along.copy(), self._note(scales))

    def _ways(self) -> Array:
        """A change of each entry, shape (entries, size); of Euler parameters without what would stretch all four, which no motion does,
        and with which loops would not close."""
        ways = np.zeros((self.n_entries, self.y.size))
        ways[np.arange(self.n_entries), self.entries] = 1.0
        named = {name: k for k, name in enumerate(self.system.coordinates)}
        for body in self.model.bodies:
            four = np.array([named[f"{body}.e{k}"] for k in range(4) if f"{body}.e{k}" in named], dtype=np.int64)
            unit = self.y[four] / max(float(np.linalg.norm(self.y[four])), 1e-300)
            ways[np.ix_(np.searchsorted(self.entries, four), four)] -= np.outer(unit, unit)
        return ways

    def _shares(self, Z: Array) -> Array:
        """Shorter where an entry alone, off the constraints, would move an event far away."""
        out = super()._shares(Z)
        out[: self.n_entries] /= np.maximum(np.abs(Z[: self.n_entries] / self.scales).max(axis=1), 1.0)
        return out

    def _note(self, scales: Array) -> Array:
        """Take numbers that have just been noted of the state among the directions; how they change, as in `Leap`."""
        rows = np.vstack([self.numbers[: self.n_entries], self.numbers[self.n_entries + self.n_given :]])
        before = len(self.noted)
        largest = np.abs(rows[: self.n_entries]).max(axis=0, initial=0.0)
        for k in np.flatnonzero(largest > NOTHING * np.abs(self.floats)):
            self.noted.setdefault(int(k), float(abs(self.floats[k]) or largest[k]))
        more, places, sizes = len(self.noted) - before, list(self.noted), np.array(list(self.noted.values()))
        self.directions = [*self.directions, *[self._entry] * more]
        self.p += more
        self.reach = np.append(self.reach, np.ones(more))
        self.moving = np.pad(self.moving, ((0, 0), (0, more)))
        self.watched = np.pad(self.watched, ((0, more), (0, 0)))
        self.carried = np.pad(self.carried, ((0, more), (0, 0)))
        self._stretch_from(float(self.clock[0]), np.zeros(self.p))
        own = np.zeros((len(places), self.floats.size))
        own[np.arange(len(places)), places] = sizes
        given = self.numbers[self.n_entries : self.n_entries + self.n_given]
        self.numbers = np.vstack([np.zeros((self.n_entries, self.floats.size)), given, own])
        if id(self.floats) in self.slopes:
            self.slopes[id(self.floats)] = (self.numbers, self.slopes[id(self.floats)][1])
        found = rows[:, places] / sizes
        found[: self.n_entries] /= scales[:, None]
        return np.asarray(found)

    def apart(self, t: float, names: str) -> ModelError:
        return OnlyForwards(
            f"{names} come at the same instant, t = {t:.6g} s; whether they stay together, method='adjoint' cannot tell beforehand; use "
            "method='direct'."
        )
