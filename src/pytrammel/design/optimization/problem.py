"""A design task in numbers: scaled variables, one objective, inequalities and equalities, each with its derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief
from pytrammel.design.optimization.goals import Limit, Objective
from pytrammel.design.variant_runs import Trial, Trials
from pytrammel.errors import TrammelError
from pytrammel.results.formulas.reductions import Reduction

Array = NDArray[np.float64]
KEPT = 1e-7  # by how much of its scale a limit may be missed
ROUNDING = 1e-14  # difference of both sides of a limit, relative to them, that rounding explains
WORSE = 10.0  # scales by which a variant that cannot be run is worse than the last that could


@brief
@dataclass
class History:
    """Everything that was tried, in order.

    Attributes:
        values: Of the parameters, SI, one row per variant.
        objective: NaN where the variant could not be run.
        violation: By how much the worst limit is missed, as a share of its scale; 0 where all hold.
        reasons: Why a variant could not be run; "" if it could.
        starts: Which start it belongs to, from 0.
    """

    values: list[Array] = field(default_factory=list)
    objective: list[float] = field(default_factory=list)
    violation: list[float] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.objective)

    def best(self, sign: float) -> Array:
        """Best objective so far that keeps all limits, after each variant; NaN before there is one."""
        good = sign * np.where(np.array(self.violation) <= KEPT, np.array(self.objective, dtype=float), np.nan)
        return np.asarray(sign * np.fmin.accumulate(good))

    def best_now(self, sign: float) -> float:
        """The best objective that keeps all limits; NaN if none does."""
        return float(self.best(sign)[-1])


class Problem:
    """Objective and limits over scaled variables z: the parameters, and one level above all samples of a maximum.

    Attributes:
        trials: Variants.
        objective: What should be small; None for a sum of squares.
        residuals: Formulas whose squares are summed; empty if there is an objective.
        limits: What must hold.
        low, high: Bounds of the parameters, SI, infinite where there are none.
        scale: Of the objective, at the start of the present search; `reference` that at the first design, `scales` those of limits.
        history: What was tried.
    """

    def __init__(
        self,
        trials: Trials,
        objective: Objective | None,
        residuals: Sequence[Reduction],
        limits: Sequence[Limit],
        bounds: tuple[Array, Array],
        notice: Callable[[Problem], None] | None = None,
    ) -> None:
        self.trials, self.objective, self.residuals, self.limits = trials, objective, tuple(residuals), tuple(limits)
        self.low, self.high = bounds
        self.history = History()
        self.start = 0
        self.notice = notice
        bounded = np.isfinite(self.low)
        self.origin = np.where(bounded, self.low, 0.0)
        self.factor = trials.scales
        self.smooth = True
        self.scale = 1.0
        self.reference = 0.0
        self.scales = np.ones(len(self.limits))
        self._last: tuple[Trial, Array] | None = None
        self._noted: set[bytes] = set()
        self._place = {id(formula): k for k, formula in enumerate(trials.formulas)}

    # --- variables -------------------------------------------------------------------------------------------------------

    @property
    def levels(self) -> int:
        """Variables beside the parameters: one, above all samples of a maximum."""
        return int(self.smooth and self.objective is not None and bool(self.objective.tops))

    @property
    def box(self) -> tuple[Array, Array]:
        """Bounds of the scaled variables."""
        more = np.full(self.levels, np.inf)
        return np.append(self.scaled(self.low), -more), np.append(self.scaled(self.high), more)

    def scaled(self, x: Array) -> Array:
        return np.asarray((x - self.origin) / self.factor)

    def unscaled(self, z: Array) -> Array:
        x = self.origin + self.factor * np.asarray(z, dtype=float)[: self.factor.size]
        return np.asarray(np.clip(x, self.low, self.high))

    def begin(self, x: Array) -> Array:
        """Scaled variables at a start; scales of objective and limits are those there."""
        trial = self.trials.at(x)
        if trial.ok:
            self._last = None
            self.rescale(trial)
        z = self.scaled(x)
        return np.append(z, self.value(trial) / self.scale) if self.levels else z

    def rescale(self, trial: Trial) -> None:
        """Let the slope of the objective be about 1; limits and slopes that are left are measured as at the first design."""
        slopes = self.trials.slopes(trial.x)
        size = abs(self.merit(trial))
        steep = float(np.abs(self._merit_slope(trial, slopes) * self.factor).max(initial=0.0))
        self.scale = max(steep, 1e-3 * size) or size or 1.0
        if self.reference:
            return
        self.reference = self.scale
        for k, limit in enumerate(self.limits):
            right = np.abs(self.of(trial, limit.right)).max()
            left = np.abs(self.of(trial, limit.left)).max()
            self.scales[k] = float(right or left or 1.0)

    # --- values ----------------------------------------------------------------------------------------------------------

    def of(self, trial: Trial, formula: Reduction) -> Array:
        """Value of a formula for a variant."""
        return trial.values[self._place[id(formula)]]

    def value(self, trial: Trial) -> float:
        """The objective, smaller is better."""
        if self.objective is None:
            return 0.5 * float(np.sum(self.errors(trial) ** 2))
        return self.objective.sign * float(self.of(trial, self.objective.formula))

    def merit(self, trial: Trial) -> float:
        """What methods minimise: the objective, or its square where that is smoother."""
        value = self.value(trial)
        return 0.5 * value * value if self._squared else value

    def shown(self, trial: Trial) -> float:
        """The objective as the user asked for it."""
        return self.value(trial) * (self.objective.sign if self.objective is not None else 1.0)

    def errors(self, trial: Trial) -> Array:
        """What is squared and summed."""
        return np.concatenate([np.atleast_1d(self.of(trial, formula)) for formula in self.residuals])

    def missed(self, trial: Trial) -> list[float]:
        """By how much each limit is missed, SI; 0 where it holds."""
        out = []
        for limit in self.limits:
            worst = max(
                float(np.max(np.abs(v) if limit.equal else v)) for v in (self.of(trial, p) for p in limit.parts)
            )
            sides = (float(np.abs(self.of(trial, side)).max()) for side in (limit.left, limit.right))
            out.append(worst if worst > ROUNDING * max(sides) else 0.0)
        return out

    def violation(self, trial: Trial) -> float:
        """The worst of the limits that are missed, as a share of its scale."""
        return max((m / s for m, s in zip(self.missed(trial), self.scales, strict=True)), default=0.0)

    def note(self, trial: Trial) -> None:
        """Remember a variant, once."""
        key = trial.x.tobytes()
        if key in self._noted:
            return
        self._noted.add(key)
        kept = self.history
        kept.values.append(trial.x)
        kept.objective.append(self.shown(trial) if trial.ok else np.nan)
        kept.violation.append(self.violation(trial) if trial.ok else np.inf)
        kept.reasons.append(trial.reason)
        kept.starts.append(self.start)
        if self.notice is not None:
            self.notice(self)

    def miss(self, trial: Trial, violation: float) -> None:
        """Correct the history: limits are missed between samples."""
        for k, x in enumerate(self.history.values):
            if np.array_equal(x, trial.x):
                self.history.violation[k] = max(self.history.violation[k], violation)

    def replace(self, trials: Trials) -> None:
        """Take the same variants with other output times."""
        self.trials, self._last = trials, None

    def rank(self, trial: Trial) -> float:
        """A number by which variants are ordered: those that keep the limits by their objective, others behind by what they miss."""
        if not trial.ok:
            return np.inf
        violation = self.violation(trial)
        return self.merit(trial) / (self.reference or 1.0) if violation <= KEPT else 1e12 * (1.0 + violation)

    # --- for methods that follow slopes --------------------------------------------------------------------------------------

    def fun(self, z: Array) -> float:
        if self.levels:
            self._good(z)
            return float(z[-1])
        trial, worse = self._good(z)
        return self.merit(trial) / self.scale + worse

    def gradient(self, z: Array) -> Array:
        if self.levels:
            return np.append(np.zeros(z.size - 1), 1.0)
        trial, slopes = self._sloped(z)
        return self._merit_slope(trial, slopes) * self.factor / self.scale

    def inequalities(self, z: Array) -> Array:
        """Numbers that must not be negative."""
        trial, worse = self._good(z)
        out = [-self._whole(trial, part) / s for limit, s in self._limits(False) for part in limit.parts]
        if self.levels:
            assert self.objective is not None
            out += [z[-1] - self._whole(trial, top) / self.scale for top in self.objective.tops]
        return self._flat(out) - worse

    def inequality_slopes(self, z: Array) -> Array:
        """Shape (n_inequalities, n_variables)."""
        _, slopes = self._sloped(z)
        out = [-self._row(slopes, part, s) for limit, s in self._limits(False) for part in limit.parts]
        if self.levels:
            assert self.objective is not None
            out += [self._row(slopes, top, -self.scale, level=1.0) for top in self.objective.tops]
        return np.vstack(out) if out else np.zeros((0, z.size))

    def equalities(self, z: Array) -> Array:
        """Numbers that must be nil."""
        trial, _ = self._good(z)
        return self._flat([self._whole(trial, part) / s for limit, s in self._limits(True) for part in limit.parts])

    def equality_slopes(self, z: Array) -> Array:
        """Shape (n_equalities, n_variables)."""
        _, slopes = self._sloped(z)
        out = [self._row(slopes, part, s) for limit, s in self._limits(True) for part in limit.parts]
        return np.vstack(out) if out else np.zeros((0, z.size))

    def owners(self) -> list[int]:
        """Which limit each inequality belongs to, -1 for those of a level, then each equality."""
        trial = self._good_trial()
        out: list[int] = []
        for equal in (False, True):
            for k, limit in enumerate(self.limits):
                if limit.equal == equal:
                    out += [k] * sum(np.size(self._whole(trial, part)) for part in limit.parts)
            if self.levels and not equal:
                assert self.objective is not None
                out += [-1] * sum(np.size(self._whole(trial, top)) for top in self.objective.tops)
        return out

    def error_slopes(self, z: Array) -> Array:
        """Derivatives of what is squared, shape (n_errors, n_variables)."""
        _, slopes = self._sloped(z)
        return np.vstack([self._row(slopes, formula, 1.0) for formula in self.residuals])

    # --- inside ----------------------------------------------------------------------------------------------------------

    @property
    def _squared(self) -> bool:
        return self.smooth and self.objective is not None and self.objective.squared

    def _limits(self, equal: bool) -> list[tuple[Limit, float]]:
        return [(limit, s) for limit, s in zip(self.limits, self.scales, strict=True) if limit.equal == equal]

    def _merit_slope(self, trial: Trial, slopes: tuple[Array, ...]) -> Array:
        if self.objective is None:
            rows = [slopes[self._place[id(f)]].reshape(self.factor.size, -1) for f in self.residuals]
            return np.asarray(np.hstack(rows) @ self.errors(trial))
        slope = self.objective.sign * slopes[self._place[id(self.objective.formula)]]
        return np.asarray(slope * self.value(trial) if self._squared else slope)

    def _whole(self, trial: Trial, formula: Reduction) -> Array:
        """Value of a formula with one number per output time of the analysis: the last sample stands for times after an early end."""
        value = self.of(trial, formula)
        return np.pad(value, (0, self._omitted(formula, value.size)), mode="edge") if value.ndim else value

    def _omitted(self, formula: Reduction, count: int) -> int:
        """Number of output times of the analysis that a series with a number of samples does not reach."""
        trials = self.trials
        dense = self._place[id(formula)] in trials.dense
        return max(0, trials.instants.size - (0 if dense else trials.extra.size) - count)

    def _row(self, slopes: tuple[Array, ...], formula: Reduction, scale: float, level: float = 0.0) -> Array:
        own = slopes[self._place[id(formula)]]
        found = own.reshape(self.factor.size, -1).T * self.factor / scale
        if own.ndim > 1:
            found = np.pad(found, ((0, self._omitted(formula, len(found))), (0, 0)), mode="edge")
        return np.hstack([found, np.full((len(found), self.levels), level)])

    @staticmethod
    def _flat(parts: list[Array]) -> Array:
        return np.concatenate([np.atleast_1d(part) for part in parts]) if parts else np.zeros(0)

    def _good(self, z: Array) -> tuple[Trial, float]:
        """The variant, or the last that could be run, with how much worse this one is."""
        trial = self.trials.at(self.unscaled(z))
        self.note(trial)
        if trial.ok:
            self._last = (trial, np.array(z))
            return trial, 0.0
        if self._last is None:
            raise TrammelError(trial.reason)
        return self._last[0], WORSE

    def _good_trial(self) -> Trial:
        assert self._last is not None
        return self._last[0]

    def _sloped(self, z: Array) -> tuple[Trial, tuple[Array, ...]]:
        trial, _ = self._good(z)
        return trial, self.trials.slopes(trial.x)
