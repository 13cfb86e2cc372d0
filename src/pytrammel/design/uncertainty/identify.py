"""`identify`: values of parameters from measured series, by least squares, with what the data say about them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import short
from pytrammel.analysis.analysis import Analysis
from pytrammel.design.analysis import variant_analysis, with_analysis
from pytrammel.design.argument_checks import lies_within, small, whole
from pytrammel.design.optimization.arguments import bounded_parameters
from pytrammel.design.uncertainty.experiments import Experiment, MeasuredRun, measured_runs
from pytrammel.design.uncertainty.identification import Identification
from pytrammel.errors import ModelError, RunWarning, TrammelError, tell
from pytrammel.model.base import Model

Array = NDArray[np.float64]
BLIND = 1e-7  # of the largest singular value: directions in which nothing that was measured changes
REWEIGHTED = 2  # times
MET = 1e-6  # numbers of a series that the fit leaves free: with fewer it is met exactly, whatever it scatters
AT_BOUND = 1e-5  # of its size: how near to its bound a parameter ends there
LEAST = 1e-150  # of standard deviations whose squares weigh
TIED = 0.99  # correlation of two parameters that is worth a word


@with_analysis
@checked("measured", "variables", "sigma", "bounds", "confidence", "max_iterations", "tol", "analysis")
def identify(
    model: Model,
    measured: Mapping[str, tuple[Any, Any]] | Sequence[Experiment | Mapping[str, tuple[Any, Any]]],
    *,
    variables: Sequence[str] | None = None,
    sigma: float | Mapping[str, float] | None = None,
    analysis: str | Analysis = "simulate",
    bounds: Mapping[str, Sequence[Any]] | None = None,
    confidence: float = 0.95,
    max_iterations: int = 100,
    tol: float = 1e-10,
) -> Identification:
    """Find the values of parameters for which a model gives what was measured, with confidence intervals.

    Args:
        model: The model; the search begins at its values.
        measured: Series by quantity or formula over results, SI: {"rod.phi": (times, values)}, arrays of shape (n,) each. Of several
            runs, a list of these, or of `Experiment` with what was different in each.
        variables: Parameters to find; by default all that have bounds.
        sigma: Standard deviation of the measurements, one number for all or one per quantity [SI]; by default it is estimated from what
            is left over, for each quantity in all runs together.
        analysis: What is run: "simulate" or "kinematics", or an `Analysis` of one of them without output times:
            ``tm.Analysis("simulate", rtol=1e-10)``. The output times are the times of the measurements.
        bounds: Bounds by name, instead of those of the parameters.
        confidence: Probability with which an interval should hold the true value.
        max_iterations: Largest number of runs with derivatives.
        tol: Relative change of values and of the sum of squares at which to stop.

    Returns:
        The `Identification`: values, intervals, correlations; ``print`` it, ``plot_fit()``.
    """
    if not isinstance(confidence, float) or not 0.0 < confidence < 1.0:
        raise ModelError(f"confidence is {short(confidence)}; it must be between 0 and 1, such as 0.95.")
    max_iterations = whole(max_iterations, "max_iterations", 1)
    small(tol, "tol")
    runs = measured_runs(model, measured, variant_analysis(analysis))
    used = {name for run in runs for formula in run.formulas.values() for name in formula.parameters}
    names, low, high = bounded_parameters(model, variables, bounds, used, what="identify")
    fit = _Fit(model, runs, names, (low, high))
    fit.sigma = _deviations(sigma, fit.pooled(fit.measured))
    x, message = fit.solved(max_iterations, tol)
    for _ in range(REWEIGHTED if sigma is None and len(fit.sigma) > 1 else 0):  # each weighs by what is left over of it
        free, left = fit.freedom(x), fit.pooled(fit.left(x))
        sizes = {name: float(np.sqrt(np.mean(each**2))) or 1e-300 for name, each in left.items()}
        fit.sigma, fit.start = {name: sizes[name] if free[name] > MET else fit.sigma[name] for name in sizes}, x
        x, message = fit.solved(max_iterations, tol)
    return _told(fit, x, message, confidence, given=sigma is not None)


def _deviations(sigma: Any, data: Mapping[str, Array]) -> dict[str, float]:
    if sigma is None:  # to begin with, series of any unit weigh the same
        return {name: float(np.std(values)) or 1.0 for name, values in data.items()}
    given = dict(sigma) if isinstance(sigma, Mapping) else dict.fromkeys(data, sigma)
    for name in data:
        value: Any = given.get(name)
        if not lies_within(value, LEAST, 1.0 / LEAST):
            raise ModelError(
                f"sigma of {name!r} is {short(value)}; it must be a standard deviation from {LEAST:g} to {1.0 / LEAST:g}."
            )
    for name in given:
        if name not in data:
            raise ModelError(f"sigma is given for {name!r}, which was not measured; measured are: {', '.join(data)}.")
    return {name: float(given[name]) for name in data}


class _Fit:
    """Least squares over scaled values.

    Attributes:
        sigma: Standard deviation by quantity.
        measured: All measurements, run by run and series by series, shape (n_measurements,).
    """

    sigma: dict[str, float]

    def __init__(
        self, model: Model, runs: Sequence[MeasuredRun], names: Sequence[str], bounds: tuple[Array, Array]
    ) -> None:
        self.model, self.runs, self.names, self.bounds = model, runs, names, bounds
        self.start = np.array([model.parameters[name].value for name in names])
        width = bounds[1] - bounds[0]
        self.scales = np.where(self.start != 0.0, np.abs(self.start), np.where(np.isfinite(width), width, 1.0))
        for run in runs:
            run.vary(names, self.scales)
        series = [(name, values) for run in runs for name, (_, values) in run.data.items()]
        self.measured: Array = np.concatenate([values for _, values in series])
        self._quantities = list(dict.fromkeys(name for name, _ in series))
        self._which = np.repeat([self._quantities.index(name) for name, _ in series], [v.size for _, v in series])

    def pooled(self, each: Array) -> dict[str, Array]:
        """Numbers of all measurements by quantity."""
        return {name: each[self._which == k] for k, name in enumerate(self._quantities)}

    def spread(self, by_quantity: Mapping[str, float]) -> Array:
        """The number of its quantity for every measurement."""
        return np.take([by_quantity[name] for name in self._quantities], self._which)

    def left(self, x: Array) -> Array:
        """Fitted less measured."""
        return np.concatenate([values for run in self.runs for values in run.fitted(x)]) - self.measured

    def errors(self, x: Array) -> Array:
        return self.left(x) / self.spread(self.sigma)

    def slopes(self, x: Array) -> Array:
        """Shape (n_measurements, n_parameters)."""
        return np.vstack([run.slopes(x) for run in self.runs]) / self.spread(self.sigma)[:, None]

    def freedom(self, x: Array) -> dict[str, float]:
        """Degrees of freedom of the residuals of each quantity, from which its scatter is estimated."""
        left, sizes, _ = np.linalg.svd(self.slopes(x) * self.scales, full_matrices=False)
        used = (left[:, sizes > BLIND * sizes.max(initial=0.0)] ** 2).sum(axis=1)
        return {name: float(part.sum()) for name, part in self.pooled(1.0 - used).items()}

    def solved(self, iterations: int, tolerance: float) -> tuple[Array, str]:
        from scipy.optimize import least_squares

        scales = self.scales
        for run in self.runs:
            run.begin(self.start)
        size = self.errors(self.start).size
        if size < self.start.size:
            raise ModelError(
                f"identify: {size} measurements cannot tell {self.start.size} parameters; measure more, or name fewer in variables=."
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


def _told(fit: _Fit, x: Array, message: str, confidence: float, *, given: bool) -> Identification:
    from scipy.stats import chi2, t

    errors, slopes = fit.errors(x), fit.slopes(x)
    n, p = slopes.shape
    free = n - p
    scales = np.where(x != 0.0, np.abs(x), fit.scales)
    warnings = [RunWarning("not told", _blindness(v, fit.names)) for v in _covariance(slopes * scales, scales)[1]]
    warnings += _at_bounds(fit, x, errors @ slopes)
    sigma = fit.sigma
    if not given:  # every quantity by its own: what is left over of it says how much it scatters
        left = fit.pooled(fit.left(x))
        met = [name for name, free_of_it in fit.freedom(x).items() if free_of_it <= MET]
        warnings += [RunWarning("scatter", _met(name, left[name].size)) for name in met]
        sizes = {name: float(np.sqrt(np.mean(each**2) * n / max(free, 1))) for name, each in left.items()}
        sigma = {name: math.nan if name in met else size or 1e-300 for name, size in sizes.items()}
        weights = fit.spread({name: 0.0 if name in met else fit.sigma[name] / sigma[name] for name in sigma})
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
                names = fit.names
                warnings.append(
                    RunWarning(
                        "tied",
                        f"{names[j]} and {names[i]} are hard to tell apart: their correlation is {correlation[i, j]:.4f}.",
                    )
                )
    wide = (
        float(t.ppf(0.5 + 0.5 * confidence, max(free, 1))) if not given else float(t.ppf(0.5 + 0.5 * confidence, 1e9))
    )
    warnings += [warning for run in fit.runs for warning in run.warnings(x)]
    values = dict(zip(fit.names, map(float, x), strict=True))
    series = [(run.label(name), name, data) for run in fit.runs for name, data in run.data.items()]
    fitted = [found for run in fit.runs for found in run.fitted(x)]
    answer = Identification(
        model=fit.model._with_parameters(values, bounded=False),
        values=values,
        std=dict(zip(fit.names, map(float, deviations), strict=True)),
        intervals={
            name: (v - wide * float(d), v + wide * float(d))
            for (name, v), d in zip(values.items(), deviations, strict=True)
        },
        confidence=confidence,
        covariance=covariance,
        correlation=correlation,
        sigma={label: sigma[name] for label, name, _ in series},
        p_value=float(chi2.sf(np.sum(errors**2), free)) if given and free > 0 else math.nan,
        measured={label: data for label, _, data in series},
        fitted={label: found for (label, *_), found in zip(series, fitted, strict=True)},
        converged=not message,
        original=fit.model,
        runs=sum(run.trials.runs for run in fit.runs),
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
    for k, name in enumerate(fit.names):
        for bound, side, outwards in zip((low[k] for low in fit.bounds), ("lower", "upper"), (1.0, -1.0), strict=True):
            if abs(x[k] - bound) <= AT_BOUND * fit.scales[k] and outwards * slope[k] > 0.0:
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
        "together. Leave one of them out of variables=, or measure something else."
    )
