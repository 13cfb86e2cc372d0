"""Worst case of a quantity within tolerances: corners, samples and searches along gradients inside the box."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief, number_of
from pytrammel.analysis.batches.samples import Sample
from pytrammel.design.variant_runs import Trial, Trials
from pytrammel.errors import RunWarning, TrammelError

Array = NDArray[np.float64]
MOST = 10  # parameters up to which every corner is run
FEW = 5  # parameters up to which every corner is run although pins have clearances
PER_VARIABLE, SAMPLES = 16, 128  # interior samples for each variable, and in total
MORE_PER_VARIABLE, MORE_SAMPLES = 64, 512  # further ones where derivatives change their signs
SINGLE = 4  # interior samples for each variable where pins have clearances: these variants run one by one
STARTS = 3  # starting points of searches for each end of the range
ROUNDS = 5  # turns of pins towards gradients
ITERATIONS = 40  # of one search along gradients
STATIONARY = 1e-4  # projected gradient, as a fraction of the range, above which a pattern search continues
PATTERN = 60  # sweeps of a pattern search
CHAINS, SWEEPS = (
    8,
    5,
)  # points that scans along single parameters start from, and rounds of scans, for each end of the range
LEVELS = np.linspace(-1.0, 1.0, 9)  # values of a scan; odd, so that the middle is one
SCAN_STARTS = 4  # best different points of scans from which searches along gradients start
MOST_STARTS = 12  # searches along gradients for each end of the range, where derivatives change their signs
SINGLE_STARTS = 6  # the same where variants run one by one
SAME_PLACE = 1e-3  # of the tolerances: searches that end closer have found the same extreme
SAME_VALUE = 1e-6  # of the range: so have those whose values differ by less
UNSEEN = 0.5  # expected number of extremes that were not found, below which searches end


@brief
@dataclass(frozen=True)
class WorstCase:
    """Range of a quantity within all tolerances, as found by runs.

    Both ends are values of runs that are within the tolerances: the true range is at least as wide. That it is not wider is the result
    of a search, not of a proof.

    Attributes:
        low, high: Least and greatest value.
        at_low, at_high: Values of the parameters there, and offsets "pin A.1", "pin A.2" … of pins with clearance, SI.
        corners, samples: Number of corners and of interior samples that were run.
        scanned: Number of points of scans along single parameters.
        starts: Number of searches along gradients inside the tolerances.
        maxima, minima: Values of the different local extremes at which these searches ended, best first.
        reached_low, reached_high: Number of searches that ended at the least and at the greatest value.
        gradients: Number of points at which derivatives were computed.
        turning: Parameters whose derivative has both signs at these points; without them and without pins the corners decide.
        runs: Number of variants that were run.
        failed: Number of variants that could not be run.
    """

    low: float
    high: float
    at_low: Mapping[str, float] = field(repr=False)
    at_high: Mapping[str, float] = field(repr=False)
    corners: int
    samples: int
    scanned: int
    starts: int
    maxima: tuple[float, ...] = field(repr=False)
    minima: tuple[float, ...] = field(repr=False)
    reached_low: int
    reached_high: int
    gradients: int
    turning: tuple[str, ...]
    runs: int
    failed: int

    @property
    def range(self) -> tuple[float, float]:
        """Least and greatest value."""
        return self.low, self.high

    @property
    def searched(self) -> str:
        """Extent of the search, in words."""
        if self.turning:
            signs = f"derivatives that change their sign: {', '.join(self.turning)}; {self._extremes}"
        else:
            signs = "derivatives by parameters keep their signs"
        scans = f", {number_of(self.scanned, 'point')} of scans" if self.scanned else ""
        return (
            f"searched at {number_of(self.corners, 'corner')}, {number_of(self.samples, 'interior point')}{scans} and along gradients "
            f"from {number_of(self.starts, 'start')}; {signs}"
        )

    @property
    def _extremes(self) -> str:
        """Local extremes that were found, in words."""
        said = []
        for one, more, values, count in (
            ("minimum", "minima", self.minima, self.reached_low),
            ("maximum", "maxima", self.maxima, self.reached_high),
        ):
            spread = f" from {min(values):.4g} to {max(values):.4g}" if len(values) > 1 else ""
            said.append(
                f"{len(values)} local {one if len(values) == 1 else more}{spread}, the best from {number_of(count, 'start')}"
            )
        return "; ".join(said)


class Box:
    """Tolerances as variables z: -1 to 1 for each parameter, a disc or ball of radius 1 for each pin."""

    def __init__(self, trials: Trials, given: Mapping[str, tuple[float, float]]) -> None:
        self.trials, self.count = trials, len(given)
        start = trials.start
        middle, half = start.copy(), np.zeros(start.size)
        for k, (minus, plus) in enumerate(given.values()):
            middle[k] += 0.5 * (plus - minus)
            half[k] = 0.5 * (plus + minus)
        for pin, own in trials.places():
            half[own] = pin.radius
        self.middle, self.half = middle, half
        self.low, self.high = start.copy(), start.copy()
        for k, (minus, plus) in enumerate(given.values()):
            self.low[k], self.high[k] = start[k] - minus, start[k] + plus

    def inside(self, z: Array) -> Array:
        """The nearest point within the tolerances."""
        z = np.clip(z, -1.0, 1.0)
        for _, own in self.trials.places():
            z[own] /= max(1.0, float(np.linalg.norm(z[own])))
        return np.asarray(z)

    def values(self, z: Array) -> Array:
        """Values of the variables, SI; ends of a tolerance are exact."""
        z = self.inside(z)
        x = self.middle + self.half * z
        own = slice(0, self.count)
        x[own] = np.where(z[own] == 1.0, self.high[own], np.where(z[own] == -1.0, self.low[own], x[own]))
        return np.asarray(x)

    def scaled(self, x: Array) -> Array:
        return np.asarray(np.divide(x - self.middle, self.half, out=np.zeros(x.size), where=self.half > 0.0))

    def holds(self, x: Array) -> bool:
        """Return True if values lie within the tolerances."""
        z = self.scaled(x)
        return bool(np.all(np.abs(z - self.inside(z)) <= 0.0))

    def corner(self, lean: Array) -> Array:
        """The corner of all tolerances in the direction of a gradient, as z."""
        z = np.where(lean > 0.0, 1.0, -1.0)
        for _, own in self.trials.places():
            size = float(np.linalg.norm(lean[own]))
            z[own] = lean[own] / size if size else 0.0
        return np.asarray(z)


class _Search:
    """Runs within a box, and the best of them at both ends."""

    def __init__(self, box: Box) -> None:
        self.box, self.trials = box, box.trials
        self.good: list[tuple[float, Array]] = []
        self.failed = self.corners = self.samples = self.starts = 0
        self.scanned = 0
        self.ends: dict[float, list[tuple[float, Array]]] = {1.0: [], -1.0: []}  # of searches, by the end of the range
        self.gradients: list[Array] = []
        self._seen: set[bytes] = set()

    def value(self, z: Array) -> float | None:
        """Quantity at one point; None if the variant cannot be run."""
        return self._kept(self.trials.at(self.box.values(z)))

    def many(self, table: Sequence[Array] | Array) -> list[float | None]:
        return [self._kept(trial) for trial in self.trials.many(np.array([self.box.values(z) for z in table]))]

    @property
    def turning(self) -> NDArray[np.bool_]:
        """Parameters whose derivative has both signs at the points that were looked at, shape (n_parameters,)."""
        found = np.array(self.gradients)[:, : self.box.count]
        tiny = 1e-9 * max(float(np.abs(found).max(initial=0.0)), 1e-300)
        return np.logical_and((found > tiny).any(axis=0), (found < -tiny).any(axis=0))

    def extremes(self, sign: float) -> list[tuple[float, int]]:
        """Values of the different extremes at which searches ended, best first, and how many ended at each."""
        low, high = self.reached
        out: list[tuple[float, Array, int]] = []
        for value, z in sorted(self.ends[sign], key=lambda each: -sign * each[0]):
            for k, (known, place, count) in enumerate(out):
                near = float(np.abs(z - place).max(initial=0.0)) <= SAME_PLACE
                if near or abs(value - known) <= SAME_VALUE * (high - low):
                    out[k] = (known, place, count + 1)
                    break
            else:
                out.append((value, z, 1))
        return [(value, count) for value, _, count in out]

    def use(self, found: Sequence[Trial]) -> None:
        """Take variants that were run for another purpose."""
        for trial in found:
            self._kept(trial)
        self.samples += len(found)

    def slope(self, z: Array) -> Array | None:
        """Gradient along z; None where there is none."""
        try:
            found = self.trials.slopes(self.box.values(z))[0] * self.box.half
        except TrammelError:
            return None
        if not np.isfinite(found).all():
            return None
        self.gradients.append(found)
        return np.asarray(found)

    @property
    def reached(self) -> tuple[float, float]:
        values = [value for value, _ in self.good]
        return min(values), max(values)

    def best(self, sign: float, count: int) -> list[Array]:
        """Points with the greatest (sign = 1) or least values that are not next to each other."""
        out: list[Array] = []
        for _, x in sorted(self.good, key=lambda each: -sign * each[0]):
            z = self.box.scaled(x)
            if all(float(np.abs(z - other).max(initial=0.0)) > 0.25 for other in out):
                out.append(z)
            if len(out) == count:
                break
        return out

    def _kept(self, trial: Trial) -> float | None:
        key = trial.x.tobytes()
        if key not in self._seen:
            self._seen.add(key)
            if trial.ok:
                self.good.append((float(trial.values[0]), trial.x))
            else:
                self.failed += 1
        return float(trial.values[0]) if trial.ok else None


def worst_case(
    trials: Trials,
    given: Mapping[str, tuple[float, float]],
    slopes: Array,
    seed: int,
    told: list[RunWarning],
    also: Sequence[Trial] = (),
) -> WorstCase:
    """Search the least and the greatest value inside all tolerances.

    Args:
        trials: Variants; the first formula counts.
        given: Tolerances (minus, plus) by parameter.
        slopes: Gradient at the nominal values, SI, shape (n_variables,).
        seed: Of the interior samples.
        told: Warnings, to which those of the search are added.
        also: Variants of a Monte Carlo run; those within the tolerances are used.
    """
    before = trials.runs
    search = _Search(Box(trials, given))
    search._kept(trials.at(trials.start))
    search.gradients.append(slopes * search.box.half)
    _corners(search, slopes)
    _interior(search, seed)
    search.use([trial for trial in also if trial.ok and search.box.holds(trial.x)])
    nominal = search.box.scaled(trials.start)
    for sign in (1.0, -1.0):
        for z in [*search.best(sign, 1 if trials.pins else STARTS), nominal]:
            _climb(search, z, sign)
    if search.turning.any():
        for sign in (1.0, -1.0):
            _explore(search, sign, seed)
    if search.failed:
        told.append(
            RunWarning(
                "tolerances",
                f"{number_of(search.failed, 'variant')} within the tolerances cannot be run; the worst case leaves out what cannot.",
            )
        )
    low, high = (end(search.good, key=lambda each: each[0]) for end in (min, max))
    names = [*given, *(f"pin {pin.name}.{k}" for pin in trials.pins for k in range(1, len(pin.ways) + 1))]
    signs = search.turning.tolist()
    lows, highs = search.extremes(-1.0), search.extremes(1.0)
    return WorstCase(
        low=low[0],
        high=high[0],
        at_low=dict(zip(names, map(float, low[1]), strict=True)),
        at_high=dict(zip(names, map(float, high[1]), strict=True)),
        corners=search.corners,
        samples=search.samples,
        scanned=search.scanned,
        starts=search.starts,
        maxima=tuple(value for value, _ in highs),
        minima=tuple(value for value, _ in lows),
        reached_low=lows[0][1] if lows else 0,
        reached_high=highs[0][1] if highs else 0,
        gradients=len(search.gradients),
        turning=tuple(name for name, both in zip(given, signs, strict=True) if both),
        runs=trials.runs - before,
        failed=search.failed,
    )


def _corners(search: _Search, slopes: Array) -> None:
    """Run all corners, or those in the direction of gradients."""
    box, count = search.box, search.box.count
    leans: list[Array] = []
    if count <= (FEW if search.trials.pins else MOST):
        for ends in itertools.product((-1.0, 1.0), repeat=count):
            leans += [
                np.append(ends, sign * slopes[count:]) for sign in ((1.0, -1.0) if search.trials.pins else (1.0,))
            ]
    else:
        leans += [slopes, -slopes]
    search.corners = len(leans)
    search.many(np.array([box.corner(lean) for lean in leans]))


def _interior(search: _Search, seed: int, each: int = PER_VARIABLE, most: int = SAMPLES) -> None:
    """Run samples that fill the box."""
    trials, count = search.trials, search.box.count
    turns = sum(len(pin.ways) - 1 for pin in trials.pins)
    samples = min((SINGLE if trials.pins else each) * trials.start.size, most)
    search.samples += samples
    unit = Sample(samples, "sobol", seed, None, "tolerances").unit(count + turns)
    table = np.zeros((samples, trials.start.size))
    table[:, :count] = 2.0 * unit[:, :count] - 1.0
    left = unit[:, count:]
    for pin, own in trials.places():  # a pin lies at the edge of its hole, or halfway
        mine, left = np.split(left, [len(pin.ways) - 1], axis=1)
        table[:, own] = pin.spread(mine)
        table[1::2, own] *= 0.5
    search.many(table)


def _explore(search: _Search, sign: float, seed: int) -> None:
    """Scan single parameters from the best points, and search from further starts until few extremes are expected to be missing."""
    # variants that run one by one cost too much for scans
    single = bool(search.trials.pins) or search.trials.singly > search.failed
    if not single:
        if sign > 0.0:
            _interior(search, seed + 1, MORE_PER_VARIABLE, MORE_SAMPLES)
        for z in _scans(search, sign)[:SCAN_STARTS]:
            if _is_new(z, search.ends[sign]):
                _climb(search, z, sign)
    most = SINGLE_STARTS if single else MOST_STARTS
    for z in search.best(sign, most):
        if len(search.ends[sign]) >= most or _all_seen(len(search.extremes(sign)), len(search.ends[sign])):
            break
        if _is_new(z, search.ends[sign]):
            _climb(search, z, sign)


def _is_new(z: Array, ends: Sequence[tuple[float, Array]]) -> bool:
    """Return True if no search ended at a point or next to it."""
    return all(float(np.abs(z - other).max(initial=0.0)) > SAME_PLACE for _, other in ends)


def _all_seen(different: int, searches: int) -> bool:
    """Return True if searches ended at so few different extremes that less than `UNSEEN` others are expected (Boender, Rinnooy Kan)."""
    spare = searches - different - 2
    return spare > 0 and different * (searches - 1) / spare - different <= UNSEEN


def _scans(search: _Search, sign: float) -> list[Array]:
    """Points that scans along single parameters lead to; those of a round are run together."""
    free = np.flatnonzero(search.box.half[: search.box.count] > 0.0)
    chains = [(z, search.value(z)) for z in search.best(sign, CHAINS)]
    for _ in range(SWEEPS):
        table = []
        for z, _ in chains:
            for k in free:
                for level in LEVELS:
                    table.append(z.copy())
                    table[-1][k] = level
        search.scanned += len(table)
        values = np.array([-np.inf if x is None else sign * x for x in search.many(table)]).reshape(len(chains), -1)
        better = False
        for c, (z, value) in enumerate(chains):
            own = values[c].reshape(free.size, LEVELS.size)
            together = z.copy()
            together[free] = np.where(own.max(axis=1) > sign * (value or 0.0), LEVELS[own.argmax(axis=1)], z[free])
            options = [(z, value), (table[c * own.size + int(own.argmax())], sign * float(own.max()))]
            options.append((together, search.value(together)))
            found = max((each for each in options if each[1] is not None), key=lambda each: sign * (each[1] or 0.0))
            better = better or found is not options[0]
            chains[c] = found
        if not better:
            break
    out: list[Array] = []
    for z, _ in sorted(chains, key=lambda each: -sign * (each[1] or 0.0)):
        if all(float(np.abs(z - other).max(initial=0.0)) > SAME_PLACE for other in out):
            out.append(z)
    return out


class _EndedError(Exception):
    """A search has reached a variant without a value or a gradient."""


def _climb(search: _Search, z: Array, sign: float) -> None:
    """Search along gradients, then by a pattern where gradients end before a stationary point."""
    from scipy.optimize import minimize

    box = search.box
    low, high = search.reached
    scale = max(high - low, 1e-12 * max(abs(low), abs(high)), 1e-300)
    best: list[tuple[float, Array]] = []

    def value(z: Array) -> float:
        found = search.value(z)
        if found is None:
            raise _EndedError
        best.append((sign * found, box.inside(np.array(z))))
        return -sign * found / scale

    def slope(z: Array) -> Array:
        found = search.slope(z)
        if found is None:
            raise _EndedError
        return -sign * found / scale

    fixed = box.half == 0.0
    search.starts += 1
    corner = _led(search, z, sign, fixed)
    if corner is not None:
        search.ends[sign].append((search.value(corner) or 0.0, corner))
        return
    if search.trials.pins:  # turned towards gradients meanwhile
        z = search.best(sign, 1)[0]
    bounds = [(0.0, 0.0) if still else (-1.0, 1.0) for still in fixed]
    try:
        minimize(
            value, z, jac=slope, bounds=bounds, constraints=_discs(search.trials), method="SLSQP",
            options={"maxiter": ITERATIONS, "ftol": 1e-14},
        )  # fmt: skip
        end = max(best, key=lambda each: each[0])[1]
        moved = box.inside(end - slope(end)) - end
        if float(np.abs(moved).max(initial=0.0)) <= STATIONARY:
            found = max(best, key=lambda each: each[0])
            search.ends[sign].append((sign * found[0], found[1]))
            return
    except _EndedError:
        pass
    if best:
        _pattern(value, max(best, key=lambda each: each[0])[1], fixed)
        found = max(best, key=lambda each: each[0])
        search.ends[sign].append((sign * found[0], found[1]))


def _led(search: _Search, z: Array, sign: float, fixed: NDArray[np.bool_]) -> Array | None:
    """The corner to which gradients at it lead; None if they lead inside. Pins turn towards gradients until they lead there."""
    for _ in range(ROUNDS if search.trials.pins else 1):
        found = search.slope(z)
        if found is None:
            return None
        corner = np.where(fixed, z, search.box.corner(sign * found))
        if np.allclose(corner, z, rtol=0.0, atol=1e-6):
            return np.asarray(z)
        if not search.trials.pins or search.value(corner) is None:
            return None
        z = corner
    return None


def _discs(trials: Trials) -> list[dict[str, object]]:
    """Constraints that keep pins in their holes."""

    def disc(own: slice) -> dict[str, object]:
        def slope(z: Array) -> Array:
            out = np.zeros(z.size)
            out[own] = -2.0 * z[own]
            return out

        return {"type": "ineq", "fun": lambda z: 1.0 - float(z[own] @ z[own]), "jac": slope}

    return [disc(own) for _, own in trials.places()]


def _pattern(value: Callable[[Array], float], z: Array, fixed: NDArray[np.bool_]) -> None:
    """Steps along each variable that halve where none improves: for quantities with kinks, whose gradients mislead."""

    def worth(z: Array) -> float:
        try:
            return value(np.clip(z, -1.0, 1.0))
        except _EndedError:
            return math.inf

    step, now = 0.1, worth(z)
    for _ in range(PATTERN):
        before = now
        for k in np.flatnonzero(~fixed):
            for way in (step, -step):
                other = z.copy()
                other[k] = np.clip(z[k] + way, -1.0, 1.0)
                found = worth(other)
                if found < now:
                    z, now = other, found
                    break
        if now >= before:
            step *= 0.25
        if step < 1e-6:
            break
