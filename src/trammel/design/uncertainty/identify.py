"""`identify`: values of parameters from measured series, by least squares, with what the data say about them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.design.asked import by_name, small, whole
from trammel.design.optimise.goals import Words, read_formula
from trammel.design.optimise.task import bounded_parameters
from trammel.design.trials import Analysis, Trials
from trammel.design.uncertainty.identification import Identification
from trammel.errors import ConvergenceError, ModelError, RunWarning, TrammelError, tell
from trammel.model.base import Model
from trammel.model.body import checked_number
from trammel.results.reductions import Reduction
from trammel.sentences import short

Array = NDArray[np.float64]
BLIND = 1e-7  # of the largest singular value: directions in which nothing that was measured changes
REWEIGHTED = 2  # times
MET = 1e-6  # numbers of a series that the fit leaves free: with fewer it is met exactly, whatever it scatters
AT_BOUND = 1e-5  # of its size: how near to its bound a parameter ends there
TIED = 0.99  # correlation of two parameters that is worth a word


def identify(
    model: Model,
    measured: Mapping[str, tuple[Any, Any]],
    *,
    over: Sequence[str] | None = None,
    sigma: float | Mapping[str, float] | None = None,
    analysis: str = "simulate",
    bounds: Mapping[str, Sequence[Any]] | None = None,
    confidence: float = 0.95,
    iterations: int = 100,
    tolerance: float = 1e-10,
    analysis_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Identification:
    """Find the values of parameters for which a model gives what was measured, with confidence intervals.

    Args:
        model: The model; the search begins at its values.
        measured: Series by quantity or formula over results, SI: {"rod.phi": (times, values)}, arrays of shape (n,) each.
        over: Parameters to find; by default all that have bounds.
        sigma: Standard deviation of the measurements, one number for all or one per series [SI]; by default it is estimated from what is
            left over, for each series.
        analysis: What is run: "simulate" or "kinematics"; it gets the instants of the measurements.
        bounds: Bounds by name, instead of those of the parameters.
        confidence: Probability with which an interval should hold the true value.
        iterations: Runs with derivatives, at most.
        tolerance: Relative change of values and of the sum of squares at which to stop.
        analysis_options: Options of the analysis whose names are taken here.
        options: Those of the analysis, without instants.

    Returns:
        The `Identification`: values, intervals, correlations; ``print`` it, ``plot_fit()``.
    """
    if not isinstance(model, Model):
        raise ModelError(f"identify needs a model, but it is given {short(model)}.")
    if not isinstance(confidence, float) or not 0.0 < confidence < 1.0:
        raise ModelError(f"confidence is {short(confidence)}; it must be between 0 and 1, such as 0.95.")
    whole(iterations, "iterations", 1)
    small(tolerance, "tolerance")
    formulas, data = _series(Words(model, None, Analysis("simulate")), measured)
    deviations = _deviations(sigma, data)
    used = {name for formula in formulas for name in formula.parameters}
    names, low, high = bounded_parameters(model, over, bounds, used, what="identify")
    run, instants = _run(analysis, {**options, **by_name(analysis_options, "analysis_options", "options")}, data)
    now = np.array([model.parameters[name].value for name in names])
    scales = np.where(now != 0.0, np.abs(now), np.where(np.isfinite(high - low), high - low, 1.0))
    trials = Trials(model, names, run, formulas, scales)
    fit = _Fit(trials, data, instants, deviations, now, (low, high))
    x, message = fit.solved(iterations, tolerance)
    for _ in range(REWEIGHTED if sigma is None and len(data) > 1 else 0):  # series weigh by what is left over of each
        free, left = fit.freedom(x), fit.left(x)
        sizes = {name: float(np.sqrt(np.mean(each**2))) or 1e-300 for name, each in left.items()}
        fit.sigma, fit.start = {name: sizes[name] if free[name] > MET else fit.sigma[name] for name in sizes}, x
        x, message = fit.solved(iterations, tolerance)
    return _told(fit, x, message, deviations, confidence, given=sigma is not None)


def _series(words: Words, measured: Any) -> tuple[list[Reduction], dict[str, tuple[Array, Array]]]:
    if not isinstance(measured, Mapping) or not measured:
        raise ModelError(
            f"measured= must give (times, values) by quantity, as in {{'rod.phi': (t, phi)}}, but it is {short(measured)}."
        )
    formulas, data = [], {}
    for name, given in measured.items():
        formula = read_formula(words, name, "identify")
        if not formula.is_series:
            raise ModelError(
                f"identify: {short(name)} is one number, not a series; name a quantity that was measured over time."
            )
        try:
            if any(np.iscomplexobj(each) for each in given):
                raise TypeError
            times, values = (np.array(each, dtype=float) for each in given)
        except (TypeError, ValueError):
            raise ModelError(
                f"measured {name!r} must be (times, values), two lists of numbers, but it is {short(given)}."
            ) from None
        if times.ndim != 1 or times.shape != values.shape or not times.size:
            raise ModelError(
                f"measured {name!r} has {times.size} times and {values.size} values; both must be lists of one length."
            )
        if not (np.isfinite(times).all() and np.isfinite(values).all()):
            raise ModelError(f"measured {name!r} has entries that are no numbers; leave those instants out.")
        order = np.argsort(times, kind="stable")
        formulas.append(formula)
        data[str(name)] = (times[order], values[order])
    return formulas, data


def _deviations(sigma: Any, data: Mapping[str, Any]) -> dict[str, float]:
    if sigma is None:  # to begin with, series of any unit weigh the same
        return {name: float(np.std(values)) or 1.0 for name, (_, values) in data.items()}
    given = dict(sigma) if isinstance(sigma, Mapping) else dict.fromkeys(data, sigma)
    for name in data:
        value = given.get(name)
        if isinstance(value, bool) or not isinstance(value, float | int) or not 0.0 < value < math.inf:
            raise ModelError(f"sigma of {name!r} is {short(value)}; it must be a positive standard deviation.")
    for name in given:
        if name not in data:
            raise ModelError(f"sigma is given for {name!r}, which was not measured; measured are: {', '.join(data)}.")
    return {name: float(given[name]) for name in data}


def _run(name: str, options: dict[str, Any], data: Mapping[str, tuple[Array, Array]]) -> tuple[Analysis, Array]:
    if name not in ("simulate", "kinematics"):
        raise ModelError(f"analysis is {short(name)}; series are measured of 'simulate' or 'kinematics'.")
    for key in ("duration", "samples", "step", "times"):
        if key in options:
            raise ModelError(f"identify runs at the instants of the measurements; leave {key}= out.")
    start = checked_number(options.pop("start", 0.0), "start")
    first = min(float(times[0]) for times, _ in data.values())
    if first < start:
        raise ModelError(
            f"measurements begin at t = {first:g} s, before the run does at {start:g} s; give start={first:g}."
        )
    instants = np.unique(np.concatenate([[start], *(times for times, _ in data.values())]))
    return Analysis(name, {**options, "times": instants}), instants


class _Fit:
    """Least squares over scaled values."""

    def __init__(
        self, trials: Trials, data: Mapping[str, tuple[Array, Array]], instants: Array, sigma: Mapping[str, float], start: Array,
        bounds: tuple[Array, Array],
    ) -> None:  # fmt: skip
        self.trials, self.data, self.sigma, self.start, self.bounds = trials, data, sigma, start, bounds
        self.places = {name: np.searchsorted(instants, times) for name, (times, _) in data.items()}

    def fitted(self, x: Array) -> dict[str, Array]:
        trial = self.trials.at(x)
        if not trial.ok:
            raise ConvergenceError(trial.reason)
        return {name: trial.values[k][self.places[name]] for k, name in enumerate(self.data)}

    def left(self, x: Array) -> dict[str, Array]:
        """Fitted less measured, by series."""
        found = self.fitted(x)
        return {name: found[name] - values for name, (_, values) in self.data.items()}

    def errors(self, x: Array) -> Array:
        return np.concatenate([left / self.sigma[name] for name, left in self.left(x).items()])

    def slopes(self, x: Array) -> Array:
        """Shape (n_measurements, n_parameters)."""
        found = self.trials.slopes(x)
        return np.vstack([found[k][:, self.places[name]].T / self.sigma[name] for k, name in enumerate(self.data)])

    def freedom(self, x: Array) -> dict[str, float]:
        """How many numbers of each series the fit leaves free, so that they tell its scatter."""
        left, sizes, _ = np.linalg.svd(self.slopes(x) * self.trials.scales, full_matrices=False)
        used = (left[:, sizes > BLIND * sizes.max(initial=0.0)] ** 2).sum(axis=1)
        ends = np.cumsum([values.size for _, values in self.data.values()])
        parts = np.split(1.0 - used, ends[:-1])
        return {name: float(part.sum()) for name, part in zip(self.data, parts, strict=True)}

    def solved(self, iterations: int, tolerance: float) -> tuple[Array, str]:
        from scipy.optimize import least_squares

        scales, trials = self.trials.scales, self.trials
        if not trials.at(self.start).ok:
            trials.analysis.looked(
                trials.model, trials._quantities
            )  # says what is wrong with the start, or with what is asked
        size = self.errors(self.start).size
        if size < self.start.size:
            raise ModelError(
                f"identify: {size} measurements cannot tell {self.start.size} parameters; measure more, or name fewer in over=."
            )

        def errors(z: Array) -> Array:
            try:
                return self.errors(z * scales)
            except TrammelError:
                return np.full(size, np.inf)

        low, high = (np.asarray(bound / scales) for bound in self.bounds)
        inside = 1e-10
        z = np.clip(
            self.start / scales,
            np.where(np.isfinite(low), low + inside, low),
            np.where(np.isfinite(high), high - inside, high),
        )
        with np.errstate(all="ignore"):
            end = least_squares(
                errors, z, jac=lambda z: self.slopes(z * scales) * scales, bounds=(low, high), max_nfev=iterations, xtol=tolerance,
                ftol=tolerance, gtol=1e-14,
            )  # fmt: skip
        return np.asarray(end.x * scales), "" if end.status > 0 else str(end.message)


def _told(
    fit: _Fit, x: Array, message: str, sigma: Mapping[str, float], confidence: float, *, given: bool
) -> Identification:
    from scipy.stats import chi2, t

    errors, slopes = fit.errors(x), fit.slopes(x)
    n, p = slopes.shape
    free = n - p
    scales = np.where(x != 0.0, np.abs(x), fit.trials.scales)
    warnings = [
        RunWarning("not told", _blindness(v, fit.trials.names)) for v in _covariance(slopes * scales, scales)[1]
    ] + _at_bounds(fit, x, errors @ slopes)
    if not given:  # every series by its own: what is left over of it says how much it scatters
        sizes = {name: float(np.sqrt(np.mean(left**2) * n / max(free, 1))) for name, left in fit.left(x).items()}
        met = [name for name, left in fit.freedom(x).items() if left <= MET]
        warnings += [RunWarning("scatter", _met(name, fit.data[name][0].size)) for name in met]
        sigma = {name: math.nan if name in met else size or 1e-300 for name, size in sizes.items()}
        shares = {name: 0.0 if name in met else fit.sigma[name] / sigma[name] for name in sigma}
        weights = np.concatenate([np.full(v.size, shares[name]) for name, (_, v) in fit.data.items()])
        errors, slopes = errors * weights, slopes * weights[:, None]
    covariance, blind = _covariance(slopes * scales, scales)
    deviations = np.sqrt(np.diag(covariance))
    for v in blind:
        deviations[np.abs(v) > 1e-3] = np.inf
    if message:
        warnings.append(RunWarning("not converged", f"the fit did not come to rest: {message}"))
    with np.errstate(invalid="ignore"):
        correlation = covariance / np.outer(deviations, deviations)
    for i in range(p):
        for j in range(i):
            if TIED < abs(correlation[i, j]) < 1.0 + 1e-9 and not blind:
                names = fit.trials.names
                warnings.append(
                    RunWarning(
                        "tied",
                        f"{names[j]} and {names[i]} are hard to tell apart: their correlation is {correlation[i, j]:.4f}.",
                    )
                )
    wide = (
        float(t.ppf(0.5 + 0.5 * confidence, max(free, 1))) if not given else float(t.ppf(0.5 + 0.5 * confidence, 1e9))
    )
    values = dict(zip(fit.trials.names, map(float, x), strict=True))
    model = fit.trials.model
    answer = Identification(
        model=model._with_parameters(values, bounded=False),
        values=values,
        std=dict(zip(fit.trials.names, map(float, deviations), strict=True)),
        intervals={
            name: (v - wide * float(d), v + wide * float(d))
            for (name, v), d in zip(values.items(), deviations, strict=True)
        },
        confidence=confidence,
        covariance=covariance,
        correlation=correlation,
        sigma=dict(sigma),
        chance=float(chi2.sf(np.sum(errors**2), free)) if given and free > 0 else math.nan,
        measured=fit.data,
        fitted=fit.fitted(x),
        converged=not message,
        original=model,
        runs=fit.trials.runs,
        warnings=tuple(warnings),
    )
    tell(answer.warnings, answer)
    return answer


def _covariance(slopes: Array, scales: Array) -> tuple[Array, list[Array]]:
    """Covariance of the values, and relative directions that the data say nothing about."""
    _, sizes, axes = np.linalg.svd(slopes, full_matrices=False)
    seen = sizes > BLIND * sizes.max(initial=0.0)
    kept = axes[seen].T / sizes[seen]
    return (kept @ kept.T) * np.outer(scales, scales), [axes[k] for k in np.flatnonzero(~seen)]


def _met(name: str, count: int) -> str:
    many = "its only measurement is" if count == 1 else f"all of its {count} measurements are"
    return f"how much {name} scatters cannot be told: {many} met exactly by what they determine. Give sigma=, or measure more."


def _at_bounds(fit: _Fit, x: Array, slope: Array) -> list[RunWarning]:
    """A warning for every parameter that the data would have beyond a bound."""
    told = []
    for k, name in enumerate(fit.trials.names):
        for bound, side, outwards in zip((low[k] for low in fit.bounds), ("lower", "upper"), (1.0, -1.0), strict=True):
            if abs(x[k] - bound) <= AT_BOUND * fit.trials.scales[k] and outwards * slope[k] > 0.0:
                said = f"{name} ends at its {side} bound {bound:.6g}: the data would have it beyond, and intervals do not hold there. "
                told.append(
                    RunWarning("bound", said + "Widen its bounds, or doubt the model or the units of the data.")
                )
    return told


def _blindness(direction: Array, names: Sequence[str]) -> str:
    shares = direction / direction[np.argmax(np.abs(direction))]
    parts = [(name, share) for name, share in zip(names, shares, strict=True) if abs(share) > 1e-3]
    if len(parts) == 1:
        return f"the data say nothing about {parts[0][0]}: what was measured does not change with it."
    listed = ", ".join(f"{name} by {share:+.3g} %" for name, share in parts)
    return (
        f"the data cannot tell {' and '.join(name for name, _ in parts)} apart: what was measured stays the same if {listed} change "
        "together. Leave one of them out of over=, or measure something else."
    )
