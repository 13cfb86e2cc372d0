"""What one worker does: some variants of a batch, the compiled way where that gives the same numbers, else one by one."""

from __future__ import annotations

import hashlib
import pickle
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.progress import analysis_scope
from pytrammel._util.threads import one_thread
from pytrammel.analysis.batches.columns import Motion
from pytrammel.analysis.batches.fast import Fast, NotFast, fast_ways, numbers_of
from pytrammel.analysis.batches.on_the_fly import Split, split
from pytrammel.analysis.rest.equilibrium import Equilibrium
from pytrammel.analysis.start.given import with_values
from pytrammel.errors import MobilityError, ModelError, RunWarning, TrammelError, untold
from pytrammel.kernels.structure.specialise import NotStraightError
from pytrammel.model.base import Model
from pytrammel.model.parameters import free_parameters
from pytrammel.results.events import Singularity
from pytrammel.results.formulas.reductions import Reduction
from pytrammel.results.result import Result
from pytrammel.system.lowering import System
from pytrammel.system.parameter_map import ParameterMap, parameter_map

Array = NDArray[np.float64]
LOOSE = 1e-5  # agreement of two ways with the same tolerances that is no coincidence
AT_REST: Mapping[str, Callable[[Equilibrium], float]] = {
    "stable": lambda rest: float(rest.stable),
    "neutral": lambda rest: float(rest.neutral),
    "frequency": lambda rest: float(rest.frequencies[0]) if len(rest.frequencies) else np.nan,
}
"""What is known of a position of rest beside its quantities: 1 if it is stable, free directions, lowest natural frequency [rad/s]."""


@dataclass(frozen=True)
class Task:
    """A batch without its values: small enough to be sent to other processes.

    Attributes:
        model: The model.
        verb: Which analysis.
        options: Its options.
        names: Parameters that vary.
        states: Starting values that vary, as `initial` names them.
        times: Instants that are asked for [s], shape (n,).
        keep: Quantities whose series are kept.
        reductions: Names and formulas of what is made of each run.
        device: "auto", "cpu", "specialized" or "gpu".
        count: How many variants there are in all.
    """

    model: Model
    verb: str
    options: Mapping[str, Any]
    names: tuple[str, ...]
    states: tuple[str, ...]
    times: Array
    keep: tuple[str, ...]
    reductions: tuple[tuple[str, str], ...]
    device: str = "auto"
    count: int = 1

    def variant(self, values: Iterable[float]) -> Model:
        """The model of one variant, described again."""
        given = dict(zip(self.names, map(float, values), strict=True))
        return self.model.with_parameters(**given) if given else self.model

    def single(self, values: Iterable[float], states: Iterable[float]) -> Any:
        """The full run of one variant."""
        options = dict(self.options)
        if self.states:
            varied = dict(zip(self.states, map(float, states), strict=True))
            options["initial"] = with_values(options.get("initial"), varied)
        if self.verb != "equilibrium":
            options["progress"] = False
        return getattr(self.variant(values), self.verb)(**options)


@dataclass
class Piece:
    """What came out of some variants, counted from the first of them.

    Attributes:
        kept: Series, shape (N, n, len(keep)); NaN where a run did not get.
        reduced: Shape (N, len(reductions)); NaN where a run failed.
        failures: Why a variant has no full result.
        warnings: What runs know to be doubtful.
        passages: Singular positions that were passed.
        singly: How many were run one by one.
        reason: Why all were, if so, or why others than the kernels that were asked for ran them.
        kernels: Which ones ran the others, "generic" or "specialized"; empty if there were no others.
    """

    kept: Array
    reduced: Array
    failures: dict[int, str] = field(default_factory=dict)
    warnings: dict[int, tuple[RunWarning, ...]] = field(default_factory=dict)
    passages: dict[int, tuple[Singularity, ...]] = field(default_factory=dict)
    singly: int = 0
    reason: str = ""
    kernels: str = ""


FIRST_CHECKS = (
    1000  # variants of the compiled way before another one is run by itself as well; then twice as many, and so on
)


class Worker:
    """Runs variants of one task; made once per process."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.reductions = [Reduction.parse(text, task.model) for _, text in task.reductions if not about_events(text)]
        self.fast: Fast | None = None
        self.reason = ""  # why the compiled way cannot be had
        self._general = False  # whether kernels written out for the model cannot be had
        self._since, self._ahead = 0, 0  # variants since the last check, and how many may be before the next
        self._halves: list[Split] = []  # of reductions of which kernels do a share
        self._following: ParameterMap | None = None  # to parameters that follow others, where reductions use some
        self._looked = False  # whether the model as it is was run, after the first failure
        try:
            self._find_fast()
        except NotFast as why:
            self.reason = str(why)
        self.expected = task.count  # variants, of which none has been seen

    def _write_out(self, values: Array, states: Array) -> None:
        """Have kernels written out if the variants that are expected are worth it; these are as good as any."""
        count, self.expected = self.expected, 0
        if not count or self.task.device == "cpu" or self.fast is None or self.fast.straight or self._general:
            return
        try:
            if self.fast.pays(count, values, states):
                self.fast.write_out()
        except NotStraightError:
            self._general = True

    def _find_fast(self) -> None:
        task = self.task
        if len(self.reductions) < len(task.reductions):
            raise NotFast("events are asked for")
        wanted = list(dict.fromkeys([*task.keep, *(name for r in self.reductions for name in r.quantities)]))
        free = set(free_parameters(task.model))
        if any(r.parameters.keys() - free for r in self.reductions):
            self._following = parameter_map(task.model, constraints=(), also={"values": _values_of_parameters})
        for ways in fast_ways(task.device):
            try:
                if task.verb in ways:
                    self.fast = ways[task.verb](task.model, task.options, task.names, task.states, task.times, wanted)
                    break
            except (NotFast, ImportError) as why:  # an entry point may have no address
                self.reason = self.reason or str(why)
        if self.fast is not None and self.fast.loose and not task.keep:
            halves = [split(r) for r in self.reductions]
            self._halves = [half for half in halves if half is not None] if None not in halves else []

    def prove(self, values: Array, states: Array) -> None:
        """Find out whether the compiled way serves for variants such as these."""
        with one_thread():
            if self.fast is not None:
                self._check(values, states)

    def piece(self, values: Array, states: Array) -> Piece:
        """Run some variants.

        Args:
            values: Of the parameters that vary, shape (N, len(names)).
            states: Starting values, shape (N, len(states)).
        """
        with one_thread():  # as single runs of small models have it
            return self._piece(values, states)

    def _piece(self, values: Array, states: Array) -> Piece:
        count = len(values)
        found = self._empty(count)
        left = np.ones(count, dtype=bool)
        if self.fast is not None:
            self._check(values, states)
        if self.fast is not None:
            left[self._fast(found, values, states)] = False
            found.kernels = ("specialized" if self.fast.straight else "generic") if not left.all() else ""
        for k in np.flatnonzero(left):
            self._single(found, int(k), values[k], states[k])
        found.reason = self.reason
        return found

    def _check(self, values: Array, states: Array) -> None:
        """The compiled way must give what a single run gives, bit for bit, or it is not taken at all.

        It is looked at first of all and then more and more seldom, at the variant that is farthest from the model as it is.
        """
        self._write_out(values[:1], states[:1])
        self._since += len(values)
        if self._since < self._ahead:
            return
        for k in dict.fromkeys((self._farthest(values, states), 0)):
            assert self.fast is not None
            one, start = values[k : k + 1], states[k : k + 1]
            quick, slow = self._empty(), self._empty()
            if not self._fast(quick, one, start).size:
                continue  # nothing to compare
            self._since, self._ahead = 0, max(FIRST_CHECKS, 2 * self._ahead)
            self._single(slow, 0, one[0], start[0])
            same = self._same(quick.kept, slow.kept) and self._same(quick.reduced, slow.reduced)
            if same and not slow.failures and bool(slow.warnings) == bool(quick.warnings):
                return
            if self.fast.straight and not self.fast.loose:
                self.fast.straight, self._general, self._ahead = False, True, 0
                self._check(values, states)
            else:
                self.fast, self.reason = None, "the compiled way did not give the numbers of a single run"
            return

    def _farthest(self, values: Array, states: Array) -> int:
        """The variant whose parameters are farthest from the model as it is, or whose start is farthest from the first."""
        if not self.task.names:
            values, usual = states, states[0]
        else:
            usual = np.array([self.task.model.parameters[name].value for name in self.task.names])
        away = np.abs(values - usual) / np.where(usual != 0.0, np.abs(usual), 1.0)
        return int(np.argmax(away.max(axis=1, initial=0.0)))

    def _same(self, quick: Array, slow: Array) -> bool:
        """Bit for bit, or for straight kernels to what the tolerance leaves of a motion."""
        if self.fast is not None and not self.fast.loose:
            return np.array_equal(quick, slow, equal_nan=True)
        size = np.abs(slow[np.isfinite(slow)]).max(initial=0.0)
        return np.allclose(quick, slow, rtol=LOOSE, atol=LOOSE * size, equal_nan=True)

    def _fast(self, found: Piece, values: Array, states: Array) -> NDArray[np.int64]:
        """Run variants the compiled way; returns which were done."""
        assert self.fast is not None
        if not self._halves:
            try:
                which, motion = self.fast.run(values, states)
            except np.linalg.LinAlgError:  # some variant spoilt the stack: none is to suffer for it
                return np.zeros(0, dtype=np.int64)
            self._take(found, which, motion, values)
            return which
        parts = [part for half in self._halves for part in half.parts]
        done: NDArray[np.int64]
        done, left = self.fast.reduced(values, states, parts)  # type: ignore[attr-defined]
        at = 0
        for k, half in enumerate(self._halves):
            found.reduced[done, k] = half.of(left[:, at : at + len(half.parts)])
            at += len(half.parts)
        return done

    def _empty(self, count: int = 1) -> Piece:
        task = self.task
        return Piece(
            np.full((count, task.times.size, len(task.keep)), np.nan), np.full((count, len(task.reductions)), np.nan)
        )

    def _take(self, found: Piece, done: NDArray[np.int64], motion: Motion, values: Array) -> None:
        """Take what the compiled way gave for some variants."""
        fast = self.fast
        if fast is None or not done.size:
            return
        series = {name: column.of(motion, fast.measured) for name, column in fast.columns.items()}
        for k, name in enumerate(self.task.keep):
            found.kept[done, :, k] = series[name]
        own = {name: values[done, k] for k, name in enumerate(self.task.names)}
        if self._following is not None:
            follow = np.asarray(numbers_of(self._following, self.task.names, values[done]).also["values"])
            own = {name: follow[:, k] for k, name in enumerate(self.task.model.parameters)}
        for k, (reduction, (label, _)) in enumerate(zip(self.reductions, self.task.reductions, strict=True)):
            numbers = np.asarray(reduction.of(series, motion.times, own))
            found.reduced[done, k] = np.where(np.isfinite(numbers), numbers, np.nan)
            for j in done[np.flatnonzero(~np.isfinite(np.broadcast_to(numbers, done.shape)))]:
                self._warn(found, int(j), _no_number(label, reduction))

    def _single(self, found: Piece, k: int, values: Array, states: Array) -> None:
        found.singly += 1
        try:
            with analysis_scope(), untold():
                result = self.task.single(values, states)
        except TrammelError as error:
            self._refuse_for_all(error, states)
            found.failures[k] = str(error)
            if isinstance(error.partial, Result):
                self._keep(found, k, error.partial)
                self._note_passages(found, k, error.partial)
            return
        rest: Equilibrium | None = None
        try:
            if isinstance(result, Equilibrium):
                rest, result = result, result.result
            self._keep(found, k, result, rest)
            self._reduce(found, k, result)
        except TrammelError as error:
            if rest is None or isinstance(error, ModelError):
                raise
            found.failures[k] = str(error)  # a rest whose reactions are not determined
            return
        for each in (*(rest.warnings if rest is not None else ()), *result.warnings):
            self._warn(found, k, each)
        self._note_passages(found, k, result)

    def _refuse_for_all(self, error: TrammelError, states: Array) -> None:
        """Raise what the model as it is runs into as well: a wrong option, a missing driver."""
        if self._looked or error.partial is not None or not isinstance(error, ModelError | MobilityError):
            return
        self._looked = True
        task = self.task
        usual = [task.model.parameters[name].value for name in task.names]
        try:
            with untold():
                task.single(usual, states)
        except TrammelError as own:
            if str(own) == str(error):
                raise error from None

    def _keep(self, found: Piece, k: int, result: Result, rest: Equilibrium | None = None) -> None:
        """Series of one run; where it ended early, the rest is not a number."""
        count = min(len(result), self.task.times.size)
        while count and result.times[count - 1] != self.task.times[count - 1]:
            count -= 1  # the time at which an event ended the run
        if not count or not self.task.keep:
            return
        names = [name for name in self.task.keep if rest is None or name not in AT_REST]
        for name, (series, _) in zip(names, result._columns(names), strict=True):
            found.kept[k, :count, self.task.keep.index(name)] = series[:count]
        for name in set(self.task.keep) - set(names):
            assert rest is not None
            found.kept[k, :, self.task.keep.index(name)] = AT_REST[name](rest)

    def _reduce(self, found: Piece, k: int, result: Result) -> None:
        """Formulas over one run; a quantity that it does not have is refused for all."""
        for j, (label, text) in enumerate(self.task.reductions):
            asked = about_events(text)
            if asked:
                found.reduced[k, j] = asked.of(result)
                continue
            reduction = Reduction.parse(text, result.model)
            series = reduction.series_of(result)
            try:
                found.reduced[k, j] = reduction.of(series, result.times)
            except ModelError as error:
                self._warn(found, k, RunWarning("reduction", f"{label}: {error}"))
            else:
                if not np.isfinite(found.reduced[k, j]):
                    found.reduced[k, j] = np.nan
                    self._warn(found, k, _no_number(label, reduction))

    @staticmethod
    def _note_passages(found: Piece, k: int, result: Result) -> None:
        if result.singularities:
            found.passages[k] = result.singularities

    @staticmethod
    def _warn(found: Piece, k: int, warning: RunWarning) -> None:
        found.warnings[k] = (*found.warnings.get(k, ()), warning)


@dataclass(frozen=True)
class AboutEvents:
    """How often an event happened, "events(hit)", or when it did first, "first(hit)" [s]."""

    what: str
    name: str

    def of(self, result: Result) -> float:
        """The number for one run; NaN where an event that never happened is asked for its time."""
        events = result.dynamics.events if result.dynamics is not None else ()
        times = [event.time for event in events if event.name == self.name]
        times += [switch.time for switch in result._switches if switch.name == self.name]
        return float(len(times)) if self.what == "events" else min(times, default=np.nan)


def about_events(text: str) -> AboutEvents | None:
    """What a reduction asks about events, if it does."""
    found = re.fullmatch(r"\s*(events|first)\(\s*(.+?)\s*\)\s*", text)
    return AboutEvents(found[1], found[2]) if found else None


def _no_number(label: str, reduction: Reduction) -> RunWarning:
    return RunWarning("reduction", f"{label}: the formula '{reduction.text}' is no number.")


def _values_of_parameters(system: System) -> list[float]:
    return [parameter.value for parameter in system.model.parameters.values()]


_recent: list[tuple[tuple[Any, ...], tuple[Any, ...], Worker]] = []  # latest last
MOST_RECENT = 2
_PLAIN = (str, int, float, bool, type(None))


def worker_for(task: Task) -> Worker:
    """A worker for a task; that of the last tasks serves again where neither the model nor what is asked for has changed.

    Searches ask for one batch after another. All parts of a model are frozen, so that one that has changed is another object.
    """
    model = task.model
    parts = (
        model, *model.bodies.values(), *model.points.values(), *model.constraints.values(), *model.forces.values(),
        *model.parameters.values(), *model.definitions.values(),
    )  # fmt: skip
    said = {key: value for key, value in task.options.items() if key != "times"}
    if not all(isinstance(value, _PLAIN) for value in said.values()):
        return Worker(task)
    asked = (
        task.verb, tuple(said.items()), task.names, task.states, task.times.tobytes(), task.keep, task.reductions, model.gravity,
        task.device,
    )  # fmt: skip
    for k, (known, others, worker) in enumerate(_recent):
        if known == asked and len(others) == len(parts) and all(map(is_, others, parts)):
            _recent.append(_recent.pop(k))
            worker.expected = task.count
            return worker
    worker = Worker(task)
    _recent.append((asked, parts, worker))
    del _recent[:-MOST_RECENT]
    return worker


_workers: dict[str, Worker] = {}


def run_pickled(packed: bytes, values: Array, states: Array) -> Piece:
    """Run some variants of a task that was sent from another process."""
    key = hashlib.sha256(packed).hexdigest()
    if key not in _workers:
        while len(_workers) > 3:
            _workers.pop(next(iter(_workers)))
        _workers[key] = Worker(pickle.loads(packed))
    return _workers[key].piece(values, states)
