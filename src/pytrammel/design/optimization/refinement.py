"""Limits between samples: a design is run at refined output times, and limits get further samples where they are missed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.design.optimization.goals import Limit
from pytrammel.design.optimization.problem import KEPT, Problem
from pytrammel.design.variant_runs import Trial
from pytrammel.errors import RunWarning, TrammelError
from pytrammel.expressions.expression import Expression
from pytrammel.results.formulas.reductions import Reduction
from pytrammel.results.formulas.series_functions import Reduced
from pytrammel.results.formulas.time_windows import Window

Array = NDArray[np.float64]
Read = Callable[[Expression], Reduction]
PEAKED = ("max", "min", "range")  # functions whose values depend on what lies between samples
COUNTED = ("sum", "sample")  # functions of the number of samples
SHARES = (
    0.26,
    0.52,
    0.77,
)  # places of new samples in an interval; uneven, so that periodic motions do not hide between them
ZOOMS, ROUNDS = 14, 8  # refinements of one run, and searches with further samples
MOST = 400  # intervals that are refined at a time, for each series
NEAR = 1e-3  # distance from a limit, as a fraction of its scale, within which a peak becomes a sample


@dataclass(frozen=True)
class Watched:
    """A series whose largest value decides on a limit.

    Attributes:
        limit: Number of the limit.
        series: The series.
        free: Whether its peaks count relative to its own largest value; otherwise they must not be positive.
        window: Time window within which peaks count, None for the whole run.
    """

    limit: int
    series: Reduction
    free: bool
    window: Window | None = None

    def inside(self, times: Array) -> slice:
        """Return the samples within the time window and their next neighbours."""
        if self.window is None:
            return slice(None)
        places = np.flatnonzero(self.window.inside(times))
        if not places.size:
            near = int(np.searchsorted(times, self.window.start))
            return slice(max(near - 1, 0), near + 1)
        return slice(max(int(places[0]) - 1, 0), int(places[-1]) + 2)


def _depends_on_peaks(formula: Reduction) -> bool | None:
    """Return True if values between samples matter, None if the formula is bound to its samples."""
    reduced = [node for node in formula.expression.nodes() if isinstance(node, Reduced)]
    if any(array.ndim for array in formula.data.values()) or any(node.label[0] in COUNTED for node in reduced):
        return None
    return formula.is_series or any(node.label[0] in PEAKED for node in reduced)


class BetweenSamples:
    """Checks limits of a problem between samples, and adds samples where they are missed."""

    def __init__(self, problem: Problem, read: Read, excluded: Collection[str] = ()) -> None:
        """Find the series to watch.

        Args:
            problem: The problem.
            read: Makes a formula over results of an expression.
            excluded: Texts of limits that hold at samples by definition.
        """
        self.problem = problem
        self.limits: list[int] = []
        self.watched: list[Watched] = []
        for k, limit in enumerate(problem.limits):
            kinds = [_depends_on_peaks(each) for each in (limit.left, limit.right, *limit.parts)]
            if limit.text in excluded or None in kinds or not any(kinds) or problem.trials.instants.size < 2:
                continue
            self.limits.append(k)
            for part in limit.parts:
                self.watched += _series(k, limit, part, read)

    @property
    def dense(self) -> list[int]:
        """Numbers of the formulas of limits that are checked."""
        chosen = [self.problem.limits[k] for k in self.limits]
        return [self.problem._place[id(f)] for limit in chosen for f in (limit.left, limit.right, *limit.parts)]

    def missed(self, found: Trial) -> tuple[dict[int, float], Array]:
        """By how much limits are missed at refined output times, SI, by number; and output times of the peaks [s]."""
        trials, problem = self.problem.trials, self.problem
        variant, scales = trials.variant(found.x), problem.scales
        names = tuple(
            sorted({name for each in self.watched for name in each.series.quantities} | set(trials._quantities))
        )
        numbers = {name: p.value for name, p in variant.parameters.items()}
        times = np.unique(np.concatenate([trials.analysis.times, *_inside(trials.analysis.times)]))
        t, values = times, [np.zeros(0)] * len(self.watched)
        series: dict[str, Array] = {}
        for _ in range(ZOOMS):
            result, series = trials.analysis.at_times(times).looked(variant, names)
            t = result.times
            values = [np.asarray(each.series.of(series, t, numbers)) for each in self.watched]
            parts_of = [(each, v, each.inside(t)) for each, v in zip(self.watched, values, strict=True) if v.ndim]
            new = [_open(t[part], v[part], scales[each.limit], each.free) for each, v, part in parts_of]
            chosen = np.unique(np.concatenate([np.zeros(0), *new]))
            if not chosen.size:
                break
            times = np.union1d(times, chosen)
        out: dict[int, float] = {}
        peaks: list[Array] = []
        for k in self.limits:
            limit = problem.limits[k]
            parts = [np.asarray(part.of(series, t, numbers)) for part in limit.parts]
            out[k] = max(0.0, *(float(np.max(np.abs(v) if limit.equal else v)) for v in parts))
        for each, v in zip(self.watched, values, strict=True):
            if v.ndim and out[each.limit] > KEPT * scales[each.limit]:
                part = each.inside(t)
                peaks.append(t[part][_peaks(v[part], each.free, NEAR * scales[each.limit])])
        return out, np.unique(np.concatenate(peaks)) if peaks else np.zeros(0)


def hold_between(
    checks: BetweenSamples, found: Trial, message: str, solve: Callable[[Array], tuple[Trial, str]]
) -> tuple[Trial, str, tuple[RunWarning, ...]]:
    """Search again with further samples until limits hold between samples.

    Args:
        checks: The limits.
        found: Design of the search over samples.
        message: Why that search ended.
        solve: Searches from a design.

    Returns:
        The design, why its search ended, and warnings: with one, a limit may be missed between samples.
    """
    problem = checks.problem
    if not checks.limits or not found.ok or problem.violation(found) > KEPT:
        return found, message, ()
    worst = 0.0
    for turn in range(ROUNDS + 1):
        try:
            missed, peaks = checks.missed(found)
        except TrammelError as error:
            return found, message, (_doubt(f"limits could not be checked between samples: {error}"),)
        shares = {k: over / problem.scales[k] for k, over in missed.items()}
        worst = max(shares.values())
        if worst <= KEPT:
            return found, message, ()
        problem.miss(found, worst)
        extra = np.setdiff1d(peaks, problem.trials.analysis.times)
        if turn == ROUNDS or not extra.size:
            break
        problem.replace(problem.trials.refined(extra, checks.dense))
        try:
            found, message = solve(found.x)
        except TrammelError as error:
            return problem.trials.at(found.x), str(error), ()
        if problem.violation(found) > KEPT:  # the result reports limits that cannot be met
            return found, message, ()
    k = max(shares, key=lambda k: shares[k])
    return found, message, (
        _doubt(
            f"{problem.limits[k].text} holds at the samples, but is missed by {missed[k]:.3g} between them. Use more samples."
        ),
    )  # fmt: skip


def _doubt(text: str) -> RunWarning:
    return RunWarning("between samples", text)


def _series(k: int, limit: Limit, part: Reduction, read: Read) -> list[Watched]:
    if part.is_series:
        return [Watched(k, part, False)] + ([Watched(k, read(-part.expression), False)] if limit.equal else [])
    peaked = [node for node in part.expression.nodes() if isinstance(node, Reduced) and node.label[0] in PEAKED]
    return [
        Watched(k, read(each), True, node.window) for node in peaked for each in (node.children[0], -node.children[0])
    ]


def _inside(times: Array) -> list[Array]:
    return [times[:-1] + share * np.diff(times) for share in SHARES]


def _open(t: Array, v: Array, scale: float, free: bool) -> Array:
    """New output times where a series may exceed its limit, or its own largest value, between samples."""
    if t.size < 3 or v.ndim == 0 or not np.isfinite(v).all():
        return np.zeros(0)
    h = np.diff(t)
    width = np.where(t[2:] > t[:-2], t[2:] - t[:-2], 1.0)
    bent = np.zeros(t.size)
    bent[1:-1] = np.abs(v[1:-1] - (v[:-2] * (t[2:] - t[1:-1]) + v[2:] * (t[1:-1] - t[:-2])) / width)
    over = bent[:-1] + bent[1:]  # four times what a parabola exceeds its samples by
    ends = np.maximum(v[:-1], v[1:])
    size = float(np.ptp(v)) if free else scale
    least = float(v.max()) if free else 0.5 * KEPT * scale
    may = (ends + over > least) & (over > 0.1 * KEPT * size) & (h > 1e-9 * float(t[-1] - t[0]))
    places = np.flatnonzero(may)
    if places.size > MOST:
        places = places[np.argsort(-(ends + over)[places], kind="stable")[:MOST]]
    return np.concatenate([t[places] + share * h[places] for share in SHARES])


def _peaks(v: Array, free: bool, near: float) -> NDArray[np.int64]:
    """Samples that are larger than their neighbours and near their limit, or near the largest."""
    if v.ndim == 0:
        return np.zeros(0, dtype=np.int64)
    left, right = np.append(-np.inf, v[:-1]), np.append(v[1:], -np.inf)
    low = float(v.max()) - near if free else -near
    return np.flatnonzero((v >= left) & (v > right) & (v > low))
