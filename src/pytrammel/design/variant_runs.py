"""Runs of variants of a model: what formulas over their results are worth, and how that changes with the parameters."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import brief, number_of, short
from pytrammel._util.progress import analysis_scope
from pytrammel.analysis.gradients.verbs import gradient
from pytrammel.design.analysis import VariantAnalysis
from pytrammel.design.clearances import Pin
from pytrammel.errors import (
    AssemblyError,
    ConvergenceError,
    MobilityError,
    ModelError,
    RunWarning,
    SingularError,
    TrammelError,
    distinct,
)
from pytrammel.model.base import Model
from pytrammel.model.limits import EVERYTHING
from pytrammel.model.parameters import resolved, restated
from pytrammel.results.formulas.reductions import Reduction
from pytrammel.results.result import Result

Array = NDArray[np.float64]
STEP = 1e-3  # of a parameter's range, for differences of fourth order: rounding and truncation are both about 1e-11
_STENCILS = (  # places in steps, and weights in twelfths
    ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0)),
    ((1, 6.0), (-1, -6.0)),
    ((0, -12.0), (1, 12.0)),
    ((0, 12.0), (-1, -12.0)),
)
_LOST = {  # what happens to variants that cannot be run
    AssemblyError: "do not close",
    SingularError: "reach a dead point",
    MobilityError: "cannot move as driven",
    ConvergenceError: "do not converge",
    ModelError: "cannot be described",
    TrammelError: "stop for other reasons",
}
CROSSING = "pass a singular position"
_DOUBTS = ("branch", "forced steps", "start")  # warnings of runs that may have changed to another branch
BATCHED = ("kinematics", "simulate", "equilibrium")
FEW = 8  # variants that are not worth a batch
AT_ONCE = 512
_KEPT = 256


@brief
@dataclass(frozen=True)
class Trial:
    """One variant.

    Attributes:
        x: Values of the variables, SI, shape (n_variables,).
        values: Of each formula, shape () or (n_instants,); empty if the variant could not be run.
        reason: Why it could not be run, or "".
        warnings: Warnings of its run.
    """

    x: Array
    values: tuple[Array, ...] = ()
    reason: str = ""
    warnings: tuple[RunWarning, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.reason


class Looked(NamedTuple):
    """A run of one variant: output times [s], quantities and parameters by name, and warnings."""

    times: Array
    series: dict[str, Array]
    numbers: dict[str, float]
    warnings: tuple[RunWarning, ...] = ()


class Trials:
    """Variants of a model, each run once.

    Attributes:
        names: Parameters that are varied.
        formulas: What is wanted of each run.
        runs: How many variants were run.
        singly: Number of variants of batches that compiled chunks could not run.
        n_gradients: How many derivatives were found.
        inexact: Why derivatives are differences of whole runs, or "" while they are exact.
        failed: What happened to variants that could not be run, with how often.
        doubted: Number of variants with warnings of a kind, and the first of these warnings, by kind.
    """

    def __init__(
        self,
        model: Model,
        names: Sequence[str],
        analysis: VariantAnalysis,
        formulas: Sequence[Reduction],
        scales: Array,
        *,
        pins: Sequence[Pin] = (),
        singular: bool = True,
        extra: Array | None = None,
        dense: Iterable[int] = (),
    ) -> None:
        """Say what to vary and what is wanted.

        Args:
            model: The model.
            names: Free parameters of it.
            analysis: What is run.
            formulas: What is wanted of each run.
            scales: How much each variable may change, SI, shape (n_variables,).
            pins: Joints whose pin may lie beside its hole: more variables for each, how far it does along each of its ways [m].
            singular: Whether variants that pass a singular position, behind which their branch is a matter of chance, have values.
            extra: Output times of the analysis that only some formulas use [s].
            dense: Numbers of these formulas.
        """
        self.extra = np.zeros(0) if extra is None else extra
        self.dense = frozenset(dense)
        self.singular = singular
        self.model, self.names, self.analysis, self.formulas = model, tuple(names), analysis, tuple(formulas)
        self.scales, self.pins = scales, tuple(pins)
        self.runs = self.singly = self.n_gradients = 0
        self.inexact = ""
        self._free = unbounded(model)
        self.failed: dict[str, int] = {}
        self.doubted: dict[str, tuple[int, RunWarning]] = {}
        self._known: dict[bytes, Trial] = {}
        self._last: tuple[bytes, Looked] | None = None
        self._slopes: dict[bytes, tuple[Array, ...]] = {}
        self._slope_warnings: dict[bytes, tuple[RunWarning, ...]] = {}
        self._quantities = tuple(sorted({name for formula in formulas for name in formula.quantities}))
        self._needs_run = bool(self._quantities) or any("t" in formula.expression.names for formula in formulas)

    def of(self, formulas: Sequence[Reduction]) -> Trials:
        """The same variants, asked for something else."""
        return Trials(
            self.model, self.names, self.analysis, formulas, self.scales, pins=self.pins, singular=self.singular
        )

    @property
    def instants(self) -> Array:
        """Output times of the analysis [s]; none where nothing is run, or at rest."""
        return self.analysis.times if self._needs_run else np.zeros(0)

    def refined(self, extra: Array, dense: Iterable[int]) -> Trials:
        """The same variants with further output times, which only some of the formulas use."""
        analysis = self.analysis.at_times(np.union1d(self.analysis.times, extra))
        out = Trials(
            self.model, self.names, analysis, self.formulas, self.scales, pins=self.pins, singular=self.singular,
            extra=np.union1d(self.extra, extra), dense=dense,
        )  # fmt: skip
        out.runs, out.n_gradients, out.inexact, out.failed = self.runs, self.n_gradients, self.inexact, self.failed
        out.doubted = self.doubted
        return out

    @property
    def start(self) -> Array:
        """Values that the model has now; pins are in the middle of their holes."""
        beside = [0.0] * sum(len(pin.ways) for pin in self.pins)
        return np.array([*(self.model.parameters[name].value for name in self.names), *beside])

    def variant(self, x: Array) -> Model:
        """The model with other values, also beyond bounds."""
        found = self._free._with_parameters(dict(zip(self.names, map(float, x), strict=False)))
        moved = {pin.name: pin.moved(found, x[own]) for pin, own in self.places() if np.any(x[own])}
        return found.copy(changes=moved) if moved else found

    def at(self, x: Array) -> Trial:
        """What the formulas are worth for one variant."""
        key = np.asarray(x, dtype=float).tobytes()
        if key not in self._known:
            self._known[key] = self._tried(np.array(x, dtype=float))
            self._forget(self._known)
        return self._known[key]

    def many(self, table: Array) -> list[Trial]:
        """What the formulas are worth for many variants, values of shape (N, n_parameters)."""
        table = np.asarray(table, dtype=float)
        batched = self.analysis.name in BATCHED and not any(map(self.analysis.is_of_mode, self._quantities))
        idle = set(self.names) <= set(self.model.unused_parameters)
        if not self._needs_run or not batched or len(table) < FEW or self.pins or idle:
            return [self.at(x) for x in table]
        return [trial for k in range(0, len(table), AT_ONCE) for trial in self._batch(table[k : k + AT_ONCE])]

    def slopes(self, x: Array) -> tuple[Array, ...]:
        """Derivatives of each formula with respect to the parameters, shape (n_parameters,) or (n_parameters, n_instants)."""
        key = np.asarray(x, dtype=float).tobytes()
        if key not in self._slopes:
            self.n_gradients += 1
            x = np.array(x, dtype=float)
            times, series, numbers, _ = self._read(x)
            moved, shifts = self._changes(x, series)
            self._slopes[key] = tuple(
                _sized(self._along(k, times, series, moved, shifts, numbers), x.size) for k in range(len(self.formulas))
            )
            self._forget(self._slopes)
        return self._slopes[key]

    def warnings(self, x: Array) -> tuple[RunWarning, ...]:
        """Warnings of the run of one variant and of its derivatives, as far as they were computed."""
        own = self._slope_warnings.get(np.asarray(x, dtype=float).tobytes(), ())
        return distinct([*self.at(x).warnings, *own])

    # --- inside ----------------------------------------------------------------------------------------------------------

    def _batch(self, table: Array) -> list[Trial]:
        """Variants run together."""
        with analysis_scope(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            idle = self._free.unused_parameters  # formulas alone may use them
            many = self._free.batch({name: table[:, k] for k, name in enumerate(self.names) if name not in idle})
            found = getattr(many, self.analysis.name)(keep=self._quantities, progress=False, **self.analysis.options)
        self.runs += len(table)
        self.singly += found.n_fallback
        series = {q: found.values(q) for q in self._quantities}
        lost = dict(found.failures)
        listed = [self._numbers_of(x, k, lost) for k, x in enumerate(table)]
        numbers = {name: np.array([each[name] for each in listed]) for name in self.model.parameters}
        values = self._values(found.times, series, numbers)
        out = []
        for k, x in enumerate(table):
            own = tuple(np.asarray(value[k] if np.ndim(value) else value) for value in values)
            told = found.warnings.get(k, ())
            crossed = self._crossed(told)
            if k in lost:
                out.append(self._lost(x, _kind_of(lost[k]), lost[k]))
            elif crossed:
                out.append(self._lost(x, CROSSING, crossed))
            else:
                out.append(self._valued(x, own, told))
        return out

    def _tried(self, x: Array) -> Trial:
        self.runs += 1
        try:
            times, series, numbers, told = self._read(x)
        except _CrossedError as error:
            return self._lost(x, CROSSING, str(error))
        except TrammelError as error:
            return self._lost(x, next(words for kind, words in _LOST.items() if isinstance(error, kind)), str(error))
        return self._valued(x, tuple(self._values(times, series, numbers)), told)

    def _values(self, times: Array, series: Mapping[str, Array], numbers: Mapping[str, Any]) -> list[Array]:
        """Values of all formulas, each on its own output times."""
        out = []
        for k, formula in enumerate(self.formulas):
            own = self._own(k, times)
            out.append(formula.of({q: x[..., own] for q, x in series.items()}, times[own], numbers))
        return out

    def _along(
        self,
        k: int,
        times: Array,
        series: Mapping[str, Array],
        moved: Mapping[str, Array],
        shifts: Mapping[str, Array],
        numbers: Mapping[str, float],
    ) -> tuple[Array, Array]:
        """Value and derivatives of one formula on its own output times."""
        own = self._own(k, times)
        changes = {q: x[..., own] for q, x in moved.items()} | dict(shifts)
        return self.formulas[k].along({q: x[..., own] for q, x in series.items()}, times[own], changes, numbers)

    def _own(self, k: int, times: Array) -> Any:
        """Output times that a formula uses: all, or all but the extra ones."""
        if not self.extra.size or k in self.dense:
            return slice(None)
        return ~np.isin(times, self.extra)

    def _valued(self, x: Array, values: tuple[Array, ...], told: tuple[RunWarning, ...]) -> Trial:
        for formula, value in zip(self.formulas, values, strict=True):
            if not np.isfinite(value).all():
                return self._lost(x, "have no number as a value", f"the formula {short(formula.text)} is no number.")
        for kind, warning in {each.kind: each for each in reversed(told)}.items():
            count, first = self.doubted.get(kind, (0, warning))
            self.doubted[kind] = (count + 1, first)
        return Trial(x, values, "", told)

    def _lost(self, x: Array, kind: str, reason: str) -> Trial:
        self.failed[kind] = self.failed.get(kind, 0) + 1
        return Trial(x, (), reason)

    def _read(self, x: Array) -> Looked:
        """The run of a variant; the last one is remembered, because its derivatives may be asked for."""
        key = x.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = (key, self._looked(x))
        return self._last[1]

    def _looked(self, x: Array) -> Looked:
        if not self._needs_run:
            return Looked(np.zeros(1), {}, self._numbers(x))
        variant = self.variant(x)
        result, series = self.analysis.looked(variant, self._quantities)
        crossed = self._crossed(result.warnings) or _crossed(result)
        if crossed and not self.singular:
            raise _CrossedError(crossed)
        numbers = {name: p.value for name, p in variant.parameters.items()}
        return Looked(result.times, series, numbers, distinct(result.warnings))

    def _crossed(self, told: Sequence[RunWarning]) -> str:
        """Why it is a matter of chance on which branch a run is, by its warnings; "" if it is not, or does not matter."""
        doubts = [str(each) for each in told if each.kind in _DOUBTS and each.kind not in self._usual]
        return doubts[0] if doubts and not self.singular else ""

    @cached_property
    def _usual(self) -> frozenset[str]:
        """Doubts about where runs start that the model as it is has, too: its variants are as good as it."""
        if not self._needs_run:
            return frozenset()
        try:
            told = self.analysis.run(self.model).warnings
        except TrammelError:
            return frozenset()
        return frozenset({"start"} & {each.kind for each in told})

    def _numbers(self, x: Array) -> dict[str, float]:
        """All parameters of a variant; those that are formulas of others follow."""
        given = {name: p.stated for name, p in self.model.parameters.items()}
        values = restated(given, dict(zip(self.names, map(float, x), strict=False)))
        return {name: p.value for name, p in resolved(values, bounded=False).items()}

    def _numbers_of(self, x: Array, k: int, lost: dict[int, str]) -> dict[str, float]:
        """The same for variant k of many; NaN, with the reason kept, where a formula has no value."""
        try:
            return self._numbers(x)
        except TrammelError as error:
            lost.setdefault(k, str(error))
            return dict.fromkeys(self.model.parameters, np.nan)

    def _changes(self, x: Array, series: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
        """How series and parameters change with each varied parameter: exactly, or by differences where that cannot be had."""
        if not self.inexact and self._needs_run and self.names:
            try:
                moved, shifts = self._exact_changes(x)
            except (ModelError, SingularError) as error:
                self.inexact = str(error)
            else:
                beside, nothing = self._differences(x, series, range(len(self.names), x.size))
                for q, rows in moved.items():
                    beside[q][: len(self.names)] = rows
                for name, rows in shifts.items():
                    nothing[name][: len(self.names)] = rows
                return beside, nothing
        return self._differences(x, series, range(x.size))

    def _exact_changes(self, x: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        used = sorted({name for formula in self.formulas for name in formula.parameters})
        count = len(self.names)
        with analysis_scope(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = gradient(
                self.variant(x),
                [*self._quantities, "t", *used],
                analysis=self.analysis,
                wrt=list(self.names),
            )
        self._slope_warnings[x.tobytes()] = distinct(each for one in found for each in one.warnings)
        self._forget(self._slope_warnings)
        split = len(self._quantities) + 1
        moved = {q: g.array.reshape(-1, count).T for q, g in zip((*self._quantities, "t"), found[:split], strict=True)}
        return moved, {name: g.array.reshape(count) for name, g in zip(used, found[split:], strict=True)}

    def _differences(
        self, x: Array, series: Mapping[str, Array], which: Iterable[int]
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """The same by differences of whole runs, for some of the variables."""
        moved = {q: np.zeros((x.size, values.size)) for q, values in series.items()}
        moved["t"] = np.zeros((x.size, self._read(x).times.size))
        shifts = {name: np.zeros(x.size) for name in self.model.parameters}
        for k in which:
            for weight, (times, columns, numbers, _) in self._stencil(x, k):
                other = {**columns, "t": times}
                for q in moved:
                    if other[q].size != moved[q].shape[1]:
                        raise ConvergenceError(
                            f"there is no derivative with respect to {self._label(k)}: runs nearby have another number of instants."
                        )
                    moved[q][k] += weight * other[q]
                for name in shifts:
                    shifts[name][k] += weight * numbers[name]
        return moved, shifts

    def _label(self, k: int) -> str:
        pins = [pin.name for pin, own in self.places() if own.start <= k < own.stop]
        return f"the pin {pins[0]!r}" if pins else repr(self.names[k])

    def places(self) -> list[tuple[Pin, slice]]:
        """Pins, each with where its variables stand."""
        ends = np.cumsum([len(self.names), *(len(pin.ways) for pin in self.pins)]).tolist()
        return [(pin, slice(*span)) for pin, span in zip(self.pins, itertools.pairwise(ends), strict=True)]

    def _stencil(self, x: Array, k: int) -> list[tuple[float, Any]]:
        """Weights and runs whose sum is the derivative with respect to one parameter; of lower order where neighbours cannot be run."""
        step = STEP * self.scales[k]
        for places in _STENCILS:
            try:
                return [(weight / (12.0 * step), self._read(_moved(x, k, place * step))) for place, weight in places]
            except TrammelError as error:
                reason = error
        raise ConvergenceError(
            f"there is no derivative with respect to {self._label(k)} at {x[k]:g}: {reason}"
        ) from reason

    def _forget(self, kept: dict[bytes, Any]) -> None:
        while len(kept) > _KEPT:
            del kept[next(iter(kept))]


def counted(doubted: Mapping[str, tuple[int, RunWarning]], among: int, what: str) -> list[RunWarning]:
    """One warning for each kind of warning that runs of many variants have, with their number.

    Args:
        doubted: Number of variants and the first warning, by kind.
        among: Number of variants.
        what: A variant in words: "run", "design of the front".
    """
    return [
        RunWarning(
            kind,
            f"{count} of {number_of(among, what)} have a warning ({kind}). The first one: {first}",
            time=first.time,
        )
        for kind, (count, first) in doubted.items()
    ]


class _CrossedError(SingularError):
    """A variant that passes a singular position."""


def _crossed(result: Result) -> str:
    """Where a run passes a singular position; "" if it does not."""
    if result.dynamics is not None and result.dynamics.statistics.steps:
        return ""  # momentum decides
    places = [each.time for each in result.singularities if each.kind == "change point"]
    return (
        f"it passes a singular position (a change point) at t = {places[0]:.6g} s, behind which its branch is a matter of chance."
        if places
        else ""
    )


def unbounded(model: Model) -> Model:
    """A copy whose parameters may have any value: searches have their own bounds, and differences go a little beyond them."""
    twin = model.copy()
    twin._parameters = {
        name: replace(p, bounds=EVERYTHING, stated=p.stated._replace(bounds=None))
        for name, p in model.parameters.items()
    }
    return twin


def _kind_of(reason: str) -> str:
    """What happened to a variant of a batch, by its sentence."""
    words = {
        "cannot be assembled": AssemblyError,
        "dead point": SingularError,
        "drivers": MobilityError,
        "a finite number": ModelError,
    }
    return next((_LOST[kind] for text, kind in words.items() if text in reason), _LOST[TrammelError])


def _moved(x: Array, k: int, by: float) -> Array:
    out = x.copy()
    out[k] += by
    return out


def _sized(found: tuple[Array, Array], count: int) -> Array:
    """Changes of a formula for every parameter, also where nothing changes."""
    value, change = found
    return np.array(np.broadcast_to(change, (count, *np.shape(value))), dtype=float)
