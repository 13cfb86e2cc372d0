"""Motion between the instants of a run: quintics through positions, velocities and accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.messages import short, unlike
from pytrammel.errors import ModelError, RunWarning
from pytrammel.results.constraint_check import largest_violation
from pytrammel.results.forces.initial_energy import Origin
from pytrammel.results.segments import Segment, part

if TYPE_CHECKING:
    from pytrammel.results.result import Result

Array = NDArray[np.float64]
Places = NDArray[np.int64]
TABLES = (
    "multipliers",
    "outputs",
    "work",
    "inner_states",
    "kinetic",
    "gravity",
)  # tables of simulations with a row per time
OPEN = 1e-6  # in units of the model's size: joints that are open by more between instants are told


@dataclass(frozen=True, eq=False)
class _Where:
    """New instants among those of a run.

    Attributes:
        times: The new instants, shape (n,).
        left: Instant of the run at or before each.
        share: How far it is towards the next one, 0 to 1.
        length: Distance of those two [s].
        row: Instant of the run that it is nearest to in kind: the one it equals, or on whose side of a jump it lies.
        smooth: Whether motion goes on smoothly between the two.
    """

    times: Array
    left: Places
    share: Array
    length: Array
    row: Places
    smooth: NDArray[np.bool_]


def resampled(result: Result, times: Any) -> Result:
    """The same run at other instants within it.

    What is interpolated across a jump is continued from its own side of it, and told in a warning.
    """
    where = _places(result, _checked(result, times))
    segments = _segments(result, where.row)
    q, v, a = _motion(result, where)
    data = result.dynamics
    if data is not None:
        others: dict[str, Any] = {name: _plainly(result, getattr(data, name), where) for name in TABLES}
        parameters = None if data.parameters is None else _plainly(result, data.parameters, where)
        data = replace(data, made={}, parameters=parameters, **others)
    found = replace(
        result, times=where.times, q=q, v=v, a=a, _notes=np.zeros((where.times.size, 4)), _segments=segments, dynamics=data, histories=(),
        _origin=result._origin or Origin(part(result, 0, 1)),
    )  # fmt: skip
    return replace(found, warnings=(*result.warnings, *_doubts(found, where)))


def inserted(result: Result, times: Any) -> tuple[Result, Places]:
    """The run with further output times [s] between its own, and the rows at which ``times`` stand, shape (n,).

    Its own rows keep their bits. A time of the run is not inserted again; of two rows at one time it gives the later one.
    """
    wanted = _checked(result, times)
    new = np.setdiff1d(wanted, result.times)
    if new.size:
        result = _merged(result, resampled(result, new), np.searchsorted(result.times, new))
    return result, np.searchsorted(result.times, wanted, side="right").astype(np.int64) - 1


def _merged(result: Result, more: Result, before: Places) -> Result:
    """The rows of two parts of one run in order; ``before`` names the row before which each row of the second one belongs."""

    def rows(own: Array | None, other: Array | None) -> Any:
        return None if own is None or other is None else np.insert(own, before, other, axis=0)

    data, other = result.dynamics, more.dynamics
    if data is not None and other is not None:
        tables = {name: rows(getattr(data, name), getattr(other, name)) for name in (*TABLES, "parameters")}
        data = replace(data, made={}, **tables)
    owner = np.insert(_owners(result), before, _owners(result)[_places(result, more.times).row])
    segments = [
        replace(s, first=int(own[0]), last=int(own[-1]) + 1)
        for k, s in enumerate(result._segments)
        if (own := np.flatnonzero(owner == k)).size
    ]
    return replace(
        result, times=rows(result.times, more.times), q=rows(result.q, more.q), v=rows(result.v, more.v), a=rows(result.a, more.a),
        _notes=rows(result._notes, more._notes), _segments=tuple(segments), dynamics=data, histories=(),
    )  # fmt: skip


def _checked(result: Result, times: Any) -> Array:
    try:
        wanted = np.atleast_1d(np.array(times, dtype=float, order="C"))
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"times={short(times)} are no instants; give numbers in seconds.") from None
    first, last = (float(result.times[0]), float(result.times[-1])) if len(result) else (np.nan, np.nan)
    if wanted.ndim != 1 or not wanted.size:
        raise ModelError(f"times={short(times)} must be one or more instants in a row.")
    outside = ~((wanted >= first) & (wanted <= last))
    if outside.any():
        texts = unlike(wanted[int(np.argmax(outside))], first, last, digits=9)
        raise ModelError(f"t = {texts[0]} s lies outside this run, which goes from {texts[1]} s to {texts[2]} s.")
    if (np.diff(wanted) < 0.0).any():
        k = int(np.argmax(np.diff(wanted) < 0.0))
        texts = unlike(wanted[k], wanted[k + 1], digits=9)
        raise ModelError(f"instants must not go back: {texts[0]} s is followed by {texts[1]} s.")
    return wanted


def breaks(result: Result) -> Array:
    """Instants at which events, impacts and switches may have made the motion jump [s], in order."""
    events = () if result.dynamics is None else result.dynamics.events
    return np.sort(np.array([*(e.time for e in events), *(s.time for s in result._switches)], dtype=np.float64))


def _owners(result: Result) -> Places:
    """Segment of every instant; -1 where there is none."""
    owner = np.full(len(result), -1, dtype=np.int64)
    for k, segment in enumerate(result._segments):
        owner[segment.first : segment.last] = k
    return owner


def _motions(result: Result) -> Places:
    """Number of the smooth motion at every output time: segments that differ in speeds of first touch only share one."""
    found = np.full(len(result), -1, dtype=np.int64)
    number = 0
    for k, segment in enumerate(result._segments):
        number += k > 0 and not result._segments[k - 1].same_motion(segment)
        found[segment.first : segment.last] = number
    return found


def smooth_intervals(result: Result) -> NDArray[np.bool_]:
    """Whether the motion goes on smoothly from each instant to the next, shape (n - 1,)."""
    times, jumps, owner = result.times, breaks(result), _motions(result)
    count = np.searchsorted(jumps, times, side="right")
    before = np.searchsorted(jumps, times, side="left")
    # a jump at an instant belongs to the interval that leads there: the instant itself is after it
    return np.asarray((count[1:] == count[:-1]) & (before[1:] >= count[:-1]) & (owner[1:] == owner[:-1]))


def _places(result: Result, wanted: Array) -> _Where:
    times, n = result.times, len(result)
    left = np.clip(np.searchsorted(times, wanted, side="right") - 1, 0, max(0, n - 2)).astype(np.int64)
    right = np.minimum(left + 1, n - 1)
    length = times[right] - times[left]
    share = np.divide(wanted - times[left], length, out=np.zeros(wanted.size), where=length > 0.0)
    smooth = smooth_intervals(result)[left] if n > 1 else np.ones(wanted.size, dtype=bool)
    jumps = breaks(result)
    after = np.searchsorted(jumps, wanted, side="right") == np.searchsorted(jumps, times[right], side="right")
    known = np.searchsorted(jumps, times[right], side="right") > np.searchsorted(jumps, times[left], side="right")
    later = np.where(known, after, share > 0.5)
    owner = _owners(result)
    # a contact that begins within an interval acts with the speed at its touch, which the later segment holds
    row = np.where(np.where(smooth, owner[left] != owner[right], later), right, left)
    row = np.where(wanted == times[left], left, np.where(wanted == times[right], right, row))
    return _Where(wanted, left, share, length, row.astype(np.int64), smooth)


def _segments(result: Result, rows: Places) -> tuple[Segment, ...]:
    owner = _owners(result)[rows]
    found = []
    for k, segment in enumerate(result._segments):
        own = np.flatnonzero(owner == k)
        if own.size:
            found.append(replace(segment, first=int(own[0]), last=int(own[-1]) + 1))
    return tuple(found)


def _motion(result: Result, where: _Where) -> tuple[Array, Array | None, Array | None]:
    """Coordinates, velocities and accelerations at new instants."""
    exact = where.times == result.times[where.row]
    if result.v is None:
        return _plainly(result, result.q, where), None, None
    rates = _rates(result)
    q, dq, ddq = _between(result, where, *rates)
    bodies = 7 * (len(result.model.bodies) - 1) if result.model.space.dimension == 3 else 0
    turns = len(result.model.turns)
    if turns:  # counters rest between instants as far as rates know
        q[:, -turns:] = _plainly(result, result.q[:, -turns:], where)
    v, a = _from_rates(q, dq, ddq, bodies, result.v.shape[1])
    row = where.row[exact]
    q[exact], v[exact] = result.q[row], result.v[row]
    if result.a is not None:
        a[exact] = result.a[row]
    return q, v, None if result.a is None else a


def _rates(result: Result) -> tuple[Array, Array, Array | None]:
    """Coordinates with their first and second time derivatives, shape (n, n_coordinates) each."""
    q, v, a = result.q, result.v, result.a
    assert v is not None
    if result.model.space.dimension == 2:
        return q, _wide(v, q), None if a is None else _wide(a, q)
    bodies = len(result.model.bodies) - 1
    dq, ddq = np.zeros_like(q), np.zeros_like(q)
    for b in range(bodies):
        p, w = q[:, 7 * b + 3 : 7 * b + 7], v[:, 6 * b + 3 : 6 * b + 6]
        dq[:, 7 * b : 7 * b + 3] = v[:, 6 * b : 6 * b + 3]
        dq[:, 7 * b + 3 : 7 * b + 7] = rotations.parameter_rate(p, w)
        if a is not None:
            ddq[:, 7 * b : 7 * b + 3] = a[:, 6 * b : 6 * b + 3]
            ddq[:, 7 * b + 3 : 7 * b + 7] = rotations.parameter_acceleration(p, w, a[:, 6 * b + 3 : 6 * b + 6])
    plain = v.shape[1] - 6 * bodies
    dq[:, 7 * bodies : 7 * bodies + plain] = v[:, 6 * bodies :]
    if a is not None:
        ddq[:, 7 * bodies : 7 * bodies + plain] = a[:, 6 * bodies :]
    return q, dq, None if a is None else ddq


def _wide(values: Array, q: Array) -> Array:
    return np.hstack([values, np.zeros((len(q), q.shape[1] - values.shape[1]))])


def _from_rates(q: Array, dq: Array, ddq: Array, bodies: int, columns: int) -> tuple[Array, Array]:
    """Velocities and accelerations from derivatives of coordinates; Euler parameters are brought to length one."""
    if not bodies:
        return dq[:, :columns].copy(), ddq[:, :columns].copy()
    v, a = np.zeros((len(q), columns)), np.zeros((len(q), columns))
    for b in range(bodies // 7):
        p = q[:, 7 * b + 3 : 7 * b + 7]
        p /= np.linalg.norm(p, axis=1)[:, None]
        v[:, 6 * b : 6 * b + 3], a[:, 6 * b : 6 * b + 3] = dq[:, 7 * b : 7 * b + 3], ddq[:, 7 * b : 7 * b + 3]
        v[:, 6 * b + 3 : 6 * b + 6] = rotations.angular_velocity(p, dq[:, 7 * b + 3 : 7 * b + 7])
        a[:, 6 * b + 3 : 6 * b + 6] = rotations.angular_acceleration(p, ddq[:, 7 * b + 3 : 7 * b + 7])
    own = 6 * (bodies // 7)
    v[:, own:], a[:, own:] = dq[:, bodies : bodies + columns - own], ddq[:, bodies : bodies + columns - own]
    return v, a


def _between(result: Result, where: _Where, q: Array, dq: Array, ddq: Array | None) -> tuple[Array, Array, Array]:
    """Coordinates and their derivatives at new instants: quintics, or a parabola from one's own side of a jump."""
    left, right = where.left, np.minimum(where.left + 1, len(q) - 1)
    h, s = where.length[:, None], where.share[:, None]
    same = np.ones((left.size, q.shape[1]))
    if result.model.space.dimension == 3:  # p and -p are one rotation: take the nearer one
        for b in range(len(result.model.bodies) - 1):
            span = slice(7 * b + 3, 7 * b + 7)
            same[:, span] = np.where((q[left, span] * q[right, span]).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
    second = None if ddq is None else (ddq[left], same * ddq[right])
    out = hermite(h, s, (q[left], same * q[right]), (dq[left], same * dq[right]), second)
    jump = ~where.smooth
    if jump.any():
        row = where.row[jump]
        d = (where.times[jump] - result.times[row])[:, None]
        acceleration = np.zeros((row.size, q.shape[1])) if ddq is None else ddq[row]
        out[0][jump] = q[row] + d * dq[row] + 0.5 * d * d * acceleration
        out[1][jump] = dq[row] + d * acceleration
        out[2][jump] = acceleration
    return out


def hermite(
    h: Array, s: Array, value: tuple[Array, Array], rate: tuple[Array, Array], second: tuple[Array, Array] | None
) -> tuple[Array, Array, Array]:
    """Value, rate and second rate at a share s of intervals of length h, from those at both ends (cubic without second rates)."""
    c = polynomial(h, value, rate, second)
    safe = np.where(h > 0.0, h, 1.0)
    p = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))))
    dp = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])))
    ddp = 2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5]))
    return p, dp / safe, ddp / safe**2


def polynomial(
    h: Array, value: tuple[Array, Array], rate: tuple[Array, Array], second: tuple[Array, Array] | None
) -> Sequence[Array]:
    """Coefficients of powers 0 to 5 of the share s of an interval."""
    d0, d1 = h * rate[0], h * rate[1]
    zero = np.zeros_like(d0)
    if second is None:
        rise = value[1] - value[0]
        return value[0], d0, 3.0 * rise - 2.0 * d0 - d1, d0 + d1 - 2.0 * rise, zero, zero
    c0, c1 = h * h * second[0], h * h * second[1]
    x, y, z = value[1] - value[0] - d0 - 0.5 * c0, d1 - d0 - c0, c1 - c0
    return value[0], d0, 0.5 * c0, 10.0 * x - 4.0 * y + 0.5 * z, -15.0 * x + 7.0 * y - z, 6.0 * x - 3.0 * y + 0.5 * z


def _plainly(result: Result, table: Array, where: _Where) -> Array:
    """Tables without derivatives at new instants: cubics through four instants of one smooth stretch, else straight lines."""
    n, times = len(result), result.times
    flat = table.reshape(n, -1)
    smooth = smooth_intervals(result) if n > 1 else np.zeros(0, dtype=bool)
    out = np.empty((where.times.size, flat.shape[1]))
    for k, t in enumerate(where.times):
        i, row = int(where.left[k]), int(where.row[k])
        if t == times[row] or not where.smooth[k]:
            out[k] = flat[row]
            continue
        first = i - 1 if i > 0 and smooth[i - 1] else i
        last = i + 2 if i + 2 < n and smooth[i + 1] else i + 1
        if last - first < 3:  # at an end of the stretch the third neighbour lies inside
            if last + 1 < n and smooth[last]:
                last += 1
            elif first > 0 and smooth[first - 1]:
                first -= 1
        own = np.arange(first, last + 1)
        weights = np.array([np.prod([(t - times[j]) / (times[m] - times[j]) for j in own if j != m]) for m in own])
        out[k] = weights @ flat[own]
    return out.reshape(where.times.size, *table.shape[1:])


def _doubts(found: Result, where: _Where) -> list[RunWarning]:
    out = []
    jumped = ~where.smooth & (where.share > 0.0) & (where.share < 1.0)
    if jumped.any():
        t = float(where.times[int(np.argmax(jumped))])
        out.append(
            RunWarning(
                "interpolation",
                f"at t = {t:.6g} s and {int(jumped.sum()) - 1} other instants the motion is continued from an instant of the run up to a "
                "jump: run with more samples there for full accuracy.",
                time=t,
            )
        )
    gap = largest_violation(found)
    if gap > OPEN:
        out.append(
            RunWarning(
                "interpolation",
                f"between the instants of this run joints are open by {gap:.2g} of the model's size: the instants are too far apart to "
                "interpolate well; run with more samples.",
            )
        )
    return out
