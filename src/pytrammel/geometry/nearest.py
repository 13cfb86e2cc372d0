"""Questions about a whole curve: nearest point, crossings with itself, undercut.

Each is a search over samples, then a refinement with exact derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pytrammel.geometry.curves import Curve

Floats = NDArray[np.float64]
MAX_NEWTON_STEPS = 30
BLOCK = 64  # segments that are looked at together
UNDERCUT_MARGIN = 1e-12


def nearest(curve: Curve, point: Floats) -> float:
    """Best of all local minima of the distance; each is bracketed by samples, then bisected with Newton steps."""
    u = curve.search_parameters
    distance = np.linalg.norm(curve.point(u) - point, axis=1)
    candidates = [curve.start, curve.end]
    for i in _local_minima(distance, curve.closed):
        low, high = _neighbours(curve, u, i)
        candidates.append(rising_root(lambda at: _along(curve, at, point), low, high))
    distances = [float(np.linalg.norm(curve.point(at) - point)) for at in candidates]
    return _into_range(curve, candidates[int(np.argmin(distances))])


def farthest(curve: Curve, direction: Sequence[float]) -> float:
    """Parameter of the point that reaches farthest in a direction."""
    u, (x, y) = curve.search_parameters, direction
    reach = curve.point(u) @ np.array([x, y])
    i = int(np.argmax(reach))
    low, high = _neighbours(curve, u, 0 if curve.closed and i == len(u) - 1 else i)
    at = rising_root(lambda place: -float(np.dot(curve.first_derivative(place), (x, y))), low, high)
    return _into_range(curve, at)


def _along(curve: Curve, u: float, point: Floats) -> float:
    """Half the derivative of the squared distance."""
    return float(np.dot(curve.point(u) - point, curve.first_derivative(u)))


def self_crossings(curve: Curve) -> list[tuple[float, float, float, float]]:
    """Crossing segments of the sampled curve, refined by Newton on point(u1) = point(u2)."""
    u = curve.search_parameters
    points = curve.point(u)
    size = float(np.max(np.ptp(points, axis=0)))
    found: list[tuple[float, float, float, float]] = []
    for i, j in _crossed_segments(points, size, curve.closed):
        crossing = _refine_crossing(curve, (u[i], u[i + 1]), (u[j], u[j + 1]), size)
        if crossing is not None and not any(_same(curve, crossing, other) for other in found):
            found.append(crossing)
    return found


def _crossed_segments(points: Floats, size: float, closed: bool) -> list[tuple[int, int]]:
    """Pairs of segments i < j of a polygon that meet; only blocks of segments whose boxes overlap are looked at."""
    n = len(points) - 1
    firsts = range(0, n, BLOCK)
    low = np.array([points[k : k + BLOCK + 1].min(axis=0) for k in firsts]) - 1e-12 * size
    high = np.array([points[k : k + BLOCK + 1].max(axis=0) for k in firsts]) + 1e-12 * size
    pairs: list[tuple[int, int]] = []
    for b, k in enumerate(firsts):
        near = np.nonzero(((low[b:] <= high[b]) & (high[b:] >= low[b])).all(axis=1))[0] + b
        for m in near * BLOCK:
            p, q = points[k : k + BLOCK + 1], points[m : m + BLOCK + 1]
            met = _meet(p[:-1, None], p[1:, None], q[None, :-1], q[None, 1:], size)
            i, j = np.nonzero(met)
            i, j = i + k, j + m
            # neighbours always share a point; on a closed curve so do the last and the first
            apart = (j >= i + 2) & ~(closed & (i == 0) & (j == n - 1))
            pairs += zip(i[apart].tolist(), j[apart].tolist(), strict=True)
    return sorted(pairs)


def _meet(p: Floats, q: Floats, a: Floats, b: Floats, size: float) -> Any:
    """Whether segments p-q meet segments a-b; touching counts, the refinement decides."""
    slack = 1e-12 * size * size  # rounding of the areas below
    along, across = q - p, b - a
    side_a = along[..., 0] * (a[..., 1] - p[..., 1]) - along[..., 1] * (a[..., 0] - p[..., 0])
    side_b = along[..., 0] * (b[..., 1] - p[..., 1]) - along[..., 1] * (b[..., 0] - p[..., 0])
    side_p = across[..., 0] * (p[..., 1] - a[..., 1]) - across[..., 1] * (p[..., 0] - a[..., 0])
    side_q = across[..., 0] * (q[..., 1] - a[..., 1]) - across[..., 1] * (q[..., 0] - a[..., 0])
    apart = (np.minimum(side_a, side_b) > slack) | (np.maximum(side_a, side_b) < -slack)
    apart |= (np.minimum(side_p, side_q) > slack) | (np.maximum(side_p, side_q) < -slack)
    for axis in (0, 1):  # parallel segments in one line pass the side test wherever they are
        apart |= np.maximum(a, b)[..., axis] < np.minimum(p, q)[..., axis] - 1e-12 * size
        apart |= np.minimum(a, b)[..., axis] > np.maximum(p, q)[..., axis] + 1e-12 * size
    return ~apart


def _refine_crossing(
    curve: Curve, first: tuple[float, float], second: tuple[float, float], size: float
) -> tuple[float, float, float, float] | None:
    """Newton with least squares, so that a touching contact (parallel tangents) converges as well."""
    u1, u2 = sum(first) / 2, sum(second) / 2
    reach1, reach2 = first[1] - first[0], second[1] - second[0]
    for _ in range(MAX_NEWTON_STEPS):
        gap = curve.point(u1) - curve.point(u2)
        jacobian = np.stack([curve.first_derivative(u1), -curve.first_derivative(u2)], axis=1)
        move, *_rest = np.linalg.lstsq(jacobian, -gap, rcond=1e-12)
        # a step is never longer than a segment: far jumps end on other branches
        shorten = 1.0 / max(1.0, abs(move[0]) / reach1, abs(move[1]) / reach2)
        u1, u2 = u1 + shorten * float(move[0]), u2 + shorten * float(move[1])
        if not curve.closed:
            u1, u2 = (min(max(v, curve.start), curve.end) for v in (u1, u2))
        if np.linalg.norm(move) <= 1e-14 * curve.period:
            break
    # a touching contact is found only to the square root of the rounding
    close = float(np.linalg.norm(curve.point(u1) - curve.point(u2))) <= 1e-9 * size
    stayed = abs(u1 - sum(first) / 2) <= 2 * reach1 and abs(u2 - sum(second) / 2) <= 2 * reach2
    separate = abs(u2 - u1) > reach1 and (not curve.closed or abs(abs(u2 - u1) - curve.period) > reach1)
    if not (close and stayed and separate):
        return None
    u1, u2 = sorted((_into_range(curve, u1), _into_range(curve, u2)))
    if curve.closed and curve.end - u2 <= 1e-9 * curve.period:  # the end is the start
        u1, u2 = curve.start, u1
    x, y = curve.point(u1)
    return u1, u2, float(x), float(y)


def _same(curve: Curve, one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    # two roots nearer than this are one: tangential contacts are found only roughly
    return max(abs(a - b) for a, b in zip(one[:2], other[:2], strict=True)) <= 1e-6 * curve.period


def undercut(curve: Curve, offset_distance: float) -> list[tuple[float, float]]:
    """Intervals where the factor 1 + offset * curvature is not positive, with both ends bisected."""
    side = curve.orientation() if curve.closed else 1

    def factors(u: Any) -> Any:
        value = 1.0 + offset_distance * side * curve.curvature(u)
        # a cusp cannot be offset; the margin keeps rounding out of a curve that lies exactly at the limit
        return np.where(np.isfinite(value), value - UNDERCUT_MARGIN, -np.inf)

    def factor(u: float) -> float:
        return float(factors(u))

    u = curve.search_parameters
    values = factors(u)
    dips: list[float] = []
    lows = list(_local_minima(values, curve.closed))
    # all at once: where the curve is a circle, rounding makes every other sample a minimum
    around = np.array([_neighbours(curve, u, i) for i in lows]).reshape(-1, 2)
    for i, (low, high), beside in zip(lows, around.tolist(), factors(around), strict=True):  # a dip between two samples
        # between samples it cannot fall much further than it rises to the neighbours
        if 0.0 < values[i] <= 4.0 * float(np.max(np.abs(beside - values[i]))):
            at = _lowest(factor, low, high)
            if factor(at) <= 0.0:
                dips.append(_into_range(curve, at))
    if dips:
        u = np.union1d(u, dips)
        values = factors(u)
    bad = values <= 0.0
    if bad.all():
        return [(curve.start, curve.end)]
    intervals: list[tuple[float, float]] = []
    for begin, end in _runs(bad):
        low = float(u[0]) if begin == 0 else _edge(factor, float(u[begin]), float(u[begin - 1]))
        high = float(u[-1]) if end == len(u) - 1 else _edge(factor, float(u[end]), float(u[end + 1]))
        intervals.append((low, high))
    if curve.closed and len(intervals) > 1 and bad[0] and bad[-1]:  # one interval across the seam
        (_, seam_end), (seam_begin, _) = intervals[0], intervals[-1]
        intervals = [*intervals[1:-1], (seam_begin, seam_end + curve.period)]
    return intervals


def report(curve: Curve, offset_distance: float | None) -> list[str]:
    """Sentences about everything that would trouble a follower."""
    found: list[str] = []
    u = curve.search_parameters
    speed = np.linalg.norm(curve.first_derivative(u), axis=1)
    slow = int(np.argmin(speed))
    if not speed[slow] > 1e-9 * float(np.mean(speed)):
        found.append(
            f"curve '{curve.name}': it stands still at u = {u[slow]:.6g}, so it has no tangent there; "
            "choose a parameter that keeps moving."
        )
    if curve.closed:
        ends = curve.tangent(np.array([curve.start, curve.end - 1e-9 * curve.period]))
        turn = math.degrees(math.atan2(_cross(ends[1], ends[0]), float(np.dot(ends[1], ends[0]))))
        # a billionth of the turn before the end, a smooth curve has turned by far less than this
        if abs(turn) > 1e-3:
            found.append(
                f"curve '{curve.name}': it closes with a corner of {turn:.3g} degrees at u = {curve.start:.6g}; "
                "make the slopes at both ends equal."
            )
    for u1, u2, x, y in self_crossings(curve):
        found.append(f"curve '{curve.name}': it crosses itself at ({x:.6g}, {y:.6g}), where u = {u1:.6g} and {u2:.6g}.")
    if offset_distance is not None:
        for low, high in undercut(curve, offset_distance):
            worst = float(np.min(curve.offset_factor(np.linspace(low, high, 33), offset_distance)))
            # factor = 1 - offset / hollow radius
            radius = abs(offset_distance) / (1.0 - worst)
            found.append(
                f"curve '{curve.name}': a roller of radius {abs(offset_distance):.6g} undercuts between u = {low:.6g} "
                f"and {high:.6g}, where the radius of the hollow falls to {radius:.6g}; use a smaller roller or a "
                "flatter hollow."
            )
    return found


# small tools ---------------------------------------------------------------------------------------------------------


def _cross(a: Floats, b: Floats) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def _into_range(curve: Curve, u: float) -> float:
    if not curve.closed:
        return float(min(max(u, curve.start), curve.end))
    return float(u - curve.period * math.floor((u - curve.start) / curve.period))


def _local_minima(values: Floats, closed: bool) -> list[int]:
    """Samples not above their neighbours; the last sample of a closed curve is the first again."""
    n = len(values)
    if closed:
        before, after = np.roll(values[:-1], 1), np.roll(values[:-1], -1)
        inner = values[:-1]
        return [int(i) for i in np.nonzero((inner <= before) & (inner <= after))[0]]
    padded = np.concatenate([[np.inf], values, [np.inf]])
    return [i for i in range(n) if padded[i + 1] <= padded[i] and padded[i + 1] <= padded[i + 2]]


def _neighbours(curve: Curve, u: Floats, i: int) -> tuple[float, float]:
    """The samples on both sides; on a closed curve they may lie beyond its ends."""
    if curve.closed and i == 0:
        return float(u[-2]) - curve.period, float(u[1])
    return float(u[max(i - 1, 0)]), float(u[min(i + 1, len(u) - 1)])


def rising_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Zero of a function that rises through it (bisection with secant steps); an end when there is none inside."""
    f_low, f_high = function(low), function(high)
    if f_low >= 0.0:
        return low
    if f_high <= 0.0:
        return high
    for step in range(200):
        middle = (low + high) / 2
        if step % 2 == 0:  # the secant inside the bracket, halving in between so that the bracket surely shrinks
            middle = low - f_low * (high - low) / (f_high - f_low)
        value = function(middle)
        if value == 0.0 or not low < middle < high:
            return middle
        if value < 0.0:
            low, f_low = middle, value
        else:
            high, f_high = middle, value
        if high - low <= 1e-15 * max(abs(low), abs(high)):
            break
    return low if -f_low < f_high else high


def _edge(function: Callable[[float], float], bad: float, good: float) -> float:
    """Border between function <= 0 at ``bad`` and function > 0 at ``good``."""
    for _ in range(60):
        middle = (bad + good) / 2
        if function(middle) <= 0.0:
            bad = middle
        else:
            good = middle
    return bad


def _lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """Golden-section search for a minimum; the ends are allowed."""
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    for _ in range(60):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if function(a) <= function(b):
            high = b
        else:
            low = a
    return (low + high) / 2


def _runs(mask: Any) -> list[tuple[int, int]]:
    """First and last number of each run of true values."""
    padded = np.concatenate([[0], mask.astype(int), [0]])
    change = np.diff(padded)
    return list(zip(np.nonzero(change == 1)[0].tolist(), (np.nonzero(change == -1)[0] - 1).tolist(), strict=True))
