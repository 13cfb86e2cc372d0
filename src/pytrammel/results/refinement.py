"""Positions and efforts between the output times of a driven motion, solved exactly from the nearest earlier output time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import TrammelError
from pytrammel.kernels import kinematics as K
from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import prepare
from pytrammel.results.interpolation import smooth_intervals

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
PATIENCE = 1e6  # steps of one call
SIDE = 1e-9  # distance of output times from a switch, as a fraction of the interval
SHARE = 0.382  # place of a new output time in its interval: the inner would agree with periodic motions by symmetry


@dataclass(frozen=True)
class _Row:
    """Motion at one time, and the index of the segment whose constraints act."""

    time: float
    q: Array
    v: Array
    a: Array
    notes: Array
    owner: int


_New = tuple[int, _Row]  # output time by number, and the row that follows it


@dataclass(frozen=True)
class Driven:
    """Motion of drivers, and the function that computes its efforts.

    Attributes:
        motion: Kinematic result.
        efforts: Function of a kinematic result that returns the result with efforts.
    """

    motion: Result
    efforts: Callable[[Result], Result]

    def fits(self, result: Result) -> bool:
        """Return True if a result has the output times and positions of the motion."""
        return np.array_equal(self.motion.times, result.times) and np.array_equal(self.motion.q, result.q)


def can_be_denser(result: Result) -> bool:
    """Return True for driven motions with velocities and accelerations, where times between samples can be solved again."""
    if result._driven is not None:
        return result._driven.fits(result) and can_be_denser(result._driven.motion)
    return (
        result.dynamics is None
        and result.v is not None
        and result.a is not None
        and not result.histories
        and len(result) > 1
        and bool(result._segments)
        and all(segment.pattern is not None for segment in result._segments)
        and not any(row.velocity_only for row in result._system.rows)
    )


def with_more(result: Result, intervals: NDArray[np.bool_]) -> tuple[Result, NDArray[np.int64]]:
    """Return the run with one more output time in some of its intervals, and the indices of its previous output times.

    Times that cannot be solved are omitted.
    """
    if result._driven is not None:
        motion, place = with_more(result._driven.motion, intervals)
        try:
            denser = result._driven.efforts(motion)
        except TrammelError:  # a singular position between output times
            return result, np.arange(len(result))
        if denser.interrupted:
            raise KeyboardInterrupt
        return denser, place
    times, owners = result.times, _owners(result)
    found: list[_New] = []
    smooth = smooth_intervals(result)
    prepare(["kinematics_run", *result._system.primitives])
    for i in np.flatnonzero(intervals & smooth & (np.diff(times) > 0.0)).tolist():
        inner = _solved(result, owners[i], _row(result, i), times[i] + SHARE * (times[i + 1] - times[i]))
        if inner is not None:
            found.append((i, inner))
    return _merged(result, found)


def beside_switches(result: Result) -> Result:
    """Return the run with output times just before and after each switch that lies alone between two output times."""
    if result._driven is not None:
        try:
            found = result._driven.efforts(beside_switches(result._driven.motion))
        except TrammelError:  # a singular position at a switch
            return result
        if found.interrupted:
            raise KeyboardInterrupt
        return found
    times, owners, new = result.times, _owners(result), []
    count = np.searchsorted([switch.time for switch in result._switches], times)
    for i in np.flatnonzero(np.diff(count) == 1).tolist():
        at, near = result._switches[int(count[i])].time, SIDE * float(times[i + 1] - times[i])
        if not times[i] + near < at < times[i + 1] - near:
            continue
        prepare(["kinematics_run", *result._system.primitives])
        before = _solved(result, owners[i], _row(result, i), at - near)
        after = None if before is None else _solved(result, owners[i + 1], before, at + near)
        if before is not None and after is not None:
            new += [(i, before), (i, after)]
    return _merged(result, new)[0]


def _merged(result: Result, found: Sequence[_New]) -> tuple[Result, NDArray[np.int64]]:
    """The run with new output times, each after an output time by number, and the indices of its previous output times."""
    assert result.v is not None
    assert result.a is not None
    n, after = len(result), np.array([i for i, _ in found], dtype=np.int64)
    place = np.arange(n) + np.concatenate([[0], np.cumsum(np.bincount(after, minlength=n))[:-1]]).astype(np.int64)
    fresh = np.setdiff1d(np.arange(n + len(found)), place)

    def merged(own: Array, new: Sequence[Array | float]) -> Array:
        out = np.empty((n + len(found), *own.shape[1:]))
        out[place] = own
        if len(new):
            out[fresh] = new
        return out

    owner = np.zeros(n + len(found), dtype=np.int64)
    owner[place] = _owners(result)
    owner[fresh] = [row.owner for _, row in found]
    rows = [row for _, row in found]
    segments = []
    for k, s in enumerate(result._segments):
        own = np.flatnonzero(owner == k)
        segments.append(replace(s, first=int(own[0]), last=int(own[-1]) + 1) if s.last > s.first else s)
    out = replace(
        result,
        times=merged(result.times, [row.time for row in rows]),
        q=merged(result.q, [row.q for row in rows]),
        v=merged(result.v, [row.v for row in rows]),
        a=merged(result.a, [row.a for row in rows]),
        _notes=merged(result._notes, [row.notes for row in rows]),
        _segments=tuple(segments),
    )
    return out, place


def _owners(result: Result) -> list[int]:
    """Index of the segment of every output time."""
    out = [0] * len(result)
    for k, segment in enumerate(result._segments):
        out[segment.first : segment.last] = [k] * (segment.last - segment.first)
    return out


def _row(result: Result, i: int) -> _Row:
    assert result.v is not None
    assert result.a is not None
    return _Row(float(result.times[i]), result.q[i], result.v[i], result.a[i], result._notes[i], -1)


def _solved(result: Result, owner: int, begin: _Row, time: float) -> _Row | None:
    """Motion at one time with the constraints of a segment, followed from an earlier time on its branch."""
    segment = result._segments[owner]
    system = segment.system
    cursor, at = np.zeros(K.CURSOR_SIZE), np.zeros((3, system.n_coordinates))
    cursor[K.CURSOR_TIME], cursor[K.CURSOR_STARTED], cursor[K.CURSOR_PATIENCE] = begin.time, 1.0, PATIENCE
    cursor[K.CURSOR_SPAN] = float(result.times[-1] - result.times[0])
    at[0], at[1, : system.n_columns], at[2, : system.n_columns] = begin.q, begin.v, begin.a
    q, v, a = np.zeros((1, system.n_coordinates)), np.zeros((1, system.n_columns)), np.zeros((1, system.n_columns))
    notes = np.zeros((1, result._notes.shape[1]))
    count, status, _ = K.kinematics_run(
        system.ints, segment.floats, segment.pattern, np.array([time]), cursor, at.ravel(), q, v, a, notes, np.zeros((0, 2)),
        np.zeros(0, dtype=np.int64),
    )  # fmt: skip
    good = count == 1 and status == L.OK and np.isfinite(a).all()
    return _Row(time, q[0], v[0], a[0], notes[0], owner) if good else None
