"""Positions between the output times of a kinematic run, solved exactly from the nearest earlier output time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trammel.kernels import kinematics as K
from trammel.kernels import layout as L
from trammel.kernels.jit import prepare
from trammel.results.between import smooth_intervals
from trammel.results.segments import Segment

if TYPE_CHECKING:
    from trammel.results.result import Result

Array = NDArray[np.float64]
PATIENCE = 1e6  # steps of one call
SHARE = 0.382  # place of a new output time in its interval: the inner would agree with periodic motions by symmetry


def can_be_denser(result: Result) -> bool:
    """Return True for kinematics with velocities and accelerations, where times between samples can be solved again."""
    return (
        result.dynamics is None
        and result.v is not None
        and result.a is not None
        and not result.histories
        and len(result) > 1
        and bool(result.segments)
        and all(segment.pattern is not None for segment in result.segments)
        and not any(row.velocity_only for row in result.system.rows)
    )


def with_more(result: Result, intervals: NDArray[np.bool_]) -> tuple[Result, NDArray[np.int64]]:
    """Return the run with one more output time in some of its intervals, and the indices of its previous output times.

    Times that cannot be solved are omitted.
    """
    assert result.v is not None
    assert result.a is not None
    times, n = result.times, len(result)
    owners = _owners(result)
    found: dict[int, tuple[Array, Array, Array, Array]] = {}
    smooth = smooth_intervals(result)
    prepare(["kinematics_run", *result.system.primitives])
    for i in np.flatnonzero(intervals & smooth & (np.diff(times) > 0.0)).tolist():
        inner = _solved(result, result.segments[owners[i]], i, times[i] + SHARE * (times[i + 1] - times[i]))
        if inner is not None:
            found[i] = inner
    more = np.zeros(n, dtype=np.int64)
    more[[i + 1 for i in found]] = 1
    place = np.arange(n) + np.cumsum(more)
    size = n + len(found)

    def merged(own: Array, new: Sequence[Array | float]) -> Array:
        out = np.empty((size, *own.shape[1:]))
        out[place] = own
        if len(new):
            out[[int(place[i + 1]) - 1 for i in found]] = new
        return out

    new = list(found.values())
    segments = tuple(
        replace(s, first=int(place[s.first]), last=int(place[s.last - 1]) + 1) if s.last > s.first else s
        for s in result.segments
    )
    out = replace(
        result,
        times=merged(times, [times[i] + SHARE * (times[i + 1] - times[i]) for i in found]),
        q=merged(result.q, [each[0] for each in new]),
        v=merged(result.v, [each[1] for each in new]),
        a=merged(result.a, [each[2] for each in new]),
        notes=merged(result.notes, [each[3] for each in new]),
        segments=segments,
    )
    return out, place


def _owners(result: Result) -> list[int]:
    """Index of the segment of every output time."""
    out = [0] * len(result)
    for k, segment in enumerate(result.segments):
        out[segment.first : segment.last] = [k] * (segment.last - segment.first)
    return out


def _solved(result: Result, segment: Segment, i: int, time: float) -> tuple[Array, Array, Array, Array] | None:
    """Coordinates, velocities and accelerations at one time, followed from output time i on its branch."""
    system = segment.system
    assert result.v is not None
    assert result.a is not None
    cursor, at = np.zeros(K.CURSOR_SIZE), np.zeros((3, system.n_coordinates))
    cursor[K.CURSOR_TIME], cursor[K.CURSOR_STARTED], cursor[K.CURSOR_PATIENCE] = result.times[i], 1.0, PATIENCE
    cursor[K.CURSOR_SPAN] = float(result.times[-1] - result.times[0])
    at[0], at[1, : system.n_columns], at[2, : system.n_columns] = result.q[i], result.v[i], result.a[i]
    q, v, a = np.zeros((1, system.n_coordinates)), np.zeros((1, system.n_columns)), np.zeros((1, system.n_columns))
    notes = np.zeros((1, result.notes.shape[1]))
    count, status, _ = K.kinematics_run(
        system.ints, segment.floats, segment.pattern, np.array([time]), cursor, at.ravel(), q, v, a, notes, np.zeros((0, 2)),
        np.zeros(0, dtype=np.int64),
    )  # fmt: skip
    good = count == 1 and status == L.OK and np.isfinite(a).all()
    return (q[0], v[0], a[0], notes[0]) if good else None
