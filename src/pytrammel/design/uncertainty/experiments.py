"""Measured runs: what was measured in each, and what variants of the model give at the same instants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import brief, short, unlike
from pytrammel.design.analysis import VariantAnalysis
from pytrammel.design.argument_checks import by_name
from pytrammel.design.optimization.goals import Words, read_formula
from pytrammel.design.variant_runs import Trials
from pytrammel.errors import ConvergenceError, ModelError, RunWarning, TrammelError
from pytrammel.model.base import Model
from pytrammel.results.formulas.reductions import Reduction

Array = NDArray[np.float64]


@checked("measured")
@brief
@dataclass(frozen=True)
class Experiment:
    """One of several measured runs from which `identify` finds one set of parameters.

    Attributes:
        measured: Series by quantity or formula over results, SI: {"rod.phi": (times, values)}, arrays of shape (n,) each.
        parameters: Known values of other parameters in this run, e.g. its load or the speed of its drive.
        options: Of the analysis in this run, e.g. {"initial": {"rod.phi": 0.3}}; they replace those that are given for all.
    """

    measured: Mapping[str, tuple[Any, Any]]
    parameters: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    options: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        _check_measured(self.measured)


class MeasuredRun:
    """What was measured in one run, and variants of the model that are run alike.

    Attributes:
        parameters: Those whose values are known in it.
        formulas: What was measured, by quantity.
        data: Times and values, by quantity.
        trials: The variants.
    """

    trials: Trials

    def __init__(self, model: Model, experiment: Experiment, analysis: VariantAnalysis, title: str) -> None:
        self._title = title
        with self._named():
            self.parameters = by_name(experiment.parameters, "parameters", "values")
            self.model = model._with_parameters(self.parameters) if self.parameters else model
            self.formulas, self.data = _series(
                Words(self.model, None, VariantAnalysis("simulate")), experiment.measured
            )
            own = by_name(experiment.options, "options", "options of the analysis")
            self._analysis, instants = _run(analysis, own, self.data)
        self._places = [np.searchsorted(instants, times) for times, _ in self.data.values()]

    def label(self, quantity: str) -> str:
        """Of one of its series, among those of all runs."""
        return f"{quantity} of {self._title}" if self._title else quantity

    def vary(self, names: Sequence[str], scales: Array) -> None:
        """Say which parameters are varied, and how much each may change."""
        used = {name for formula in self.formulas.values() for name in formula.parameters}
        with self._named():
            for name in names:
                if name in self.parameters:
                    raise ModelError(
                        f"its parameters= give {name!r}, which is to be found; leave it out there, or name only others in variables=."
                    )
        idle = set(self.model.unused_parameters) - used  # only other runs see them
        self._seen = [k for k, name in enumerate(names) if name not in idle]
        self._count = len(names)
        self.trials = Trials(
            self.model, [names[k] for k in self._seen], self._analysis, [*self.formulas.values()], scales[self._seen]
        )

    def begin(self, x: Array) -> None:
        """Say what is wrong with the start, or with what is asked."""
        with self._named():
            if not self.trials.at(x[self._seen]).ok:
                self._analysis.looked(self.model, self.trials._quantities)

    def fitted(self, x: Array) -> list[Array]:
        """What the model gives for each series, shape (n,) each."""
        trial = self.trials.at(x[self._seen])
        with self._named():
            if not trial.ok:
                raise ConvergenceError(trial.reason)
        return [values[places] for values, places in zip(trial.values, self._places, strict=True)]

    def slopes(self, x: Array) -> Array:
        """How that changes with the parameters, shape (n_measurements, n_parameters)."""
        with self._named():
            found = self.trials.slopes(x[self._seen])
        rows = np.vstack([slopes[:, places].T for slopes, places in zip(found, self._places, strict=True)])
        out = np.zeros((len(rows), self._count))
        out[:, self._seen] = rows
        return out

    def warnings(self, x: Array) -> list[RunWarning]:
        """Warnings of the run and of its derivatives; of several runs, each with the name of its run."""
        title = f"{self._title}: " if self._title else ""
        found = self.trials.warnings(x[self._seen])
        return [RunWarning(each.kind, f"{title}{each}", time=each.time) for each in found]

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors inside say in which of several runs they happened."""
        try:
            yield
        except TrammelError as error:
            if self._title:
                error.args = (f"{self._title}: {error}",)
            raise


def measured_runs(model: Model, measured: Any, analysis: VariantAnalysis) -> list[MeasuredRun]:
    """Of one run or of a list of them."""
    if not isinstance(measured, list | tuple):
        return [MeasuredRun(model, _experiment(measured, ""), analysis, "")]
    if not measured:
        raise ModelError("measured= is an empty list; give what was measured in each run, as in [tm.Experiment(…), …].")
    return [
        MeasuredRun(model, _experiment(each, f"experiment {k}: "), analysis, f"experiment {k}")
        for k, each in enumerate(measured, 1)
    ]


def _experiment(given: Any, title: str) -> Experiment:
    try:
        return given if isinstance(given, Experiment) else Experiment(given)
    except ModelError as error:
        raise ModelError(f"{title}{error}") from None


def _check_measured(measured: Any) -> None:
    if not isinstance(measured, Mapping) or not measured:
        raise ModelError(
            f"measured= must give (times, values) by quantity, as in {{'rod.phi': (t, phi)}}, but it is {short(measured)}; several "
            "runs are a list of these, or of tm.Experiment."
        )


def _series(words: Words, measured: Any) -> tuple[dict[str, Reduction], dict[str, tuple[Array, Array]]]:
    formulas, data = {}, {}
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
        formulas[str(name)] = formula
        data[str(name)] = (times[order], values[order])
    return formulas, data


def _run(
    analysis: VariantAnalysis, own: Mapping[str, Any], data: Mapping[str, tuple[Array, Array]]
) -> tuple[VariantAnalysis, Array]:
    name, options = analysis.name, {**analysis.options, **own}
    if name not in ("simulate", "kinematics"):
        raise ModelError(f"analysis is {short(name)}; series are measured of 'simulate' or 'kinematics'.")
    for key in ("duration", "samples", "output_step", "times"):
        if key in options:
            raise ModelError(f"identify runs at the instants of the measurements; remove {key}=.")
    start = checked_number(options.pop("start_time", 0.0), "start_time")
    first = min(float(times[0]) for times, _ in data.values())
    if first < start:
        texts = unlike(first, start, digits=6)
        raise ModelError(
            f"measurements begin at t = {texts[0]} s, before the run does at {texts[1]} s; give start_time={texts[0]}."
        )
    instants = np.unique(np.concatenate([[start], *(times for times, _ in data.values())]))
    return VariantAnalysis(name, **{**options, "times": instants}), instants
