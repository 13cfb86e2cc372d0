"""Batches: one analysis of thousands of variants of a model in one call."""

from __future__ import annotations

import inspect
import os
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked, checked_bool
from pytrammel._util.messages import brief, short
from pytrammel._util.progress import Progress, analysis_scope
from pytrammel.analysis.analysis import Analysis
from pytrammel.analysis.batches.branches import added, branch_warnings
from pytrammel.analysis.batches.columns import column_of
from pytrammel.analysis.batches.loads import load_column
from pytrammel.analysis.batches.result import BatchResult
from pytrammel.analysis.batches.runner import Runner
from pytrammel.analysis.batches.samples import Table, columns_of, table_of
from pytrammel.analysis.batches.store import Store
from pytrammel.analysis.batches.straight import checked_device
from pytrammel.analysis.batches.work import Task, about_events
from pytrammel.analysis.driven.kinematics import kinematics
from pytrammel.analysis.options import MEMORY_SHARE, checked_options, instants_from, machine_memory, verb, whole_number
from pytrammel.analysis.rest.equilibrium import equilibrium
from pytrammel.analysis.runs.dynamics import simulate
from pytrammel.errors import ExpressionError, ModelError, RunWarning, tell
from pytrammel.model.base import Model
from pytrammel.results.formulas.reductions import Reduction
from pytrammel.system.lowering import lower

Array = NDArray[np.float64]
F = TypeVar("F", bound=Callable[..., Any])
VERBS = ("kinematics", "simulate", "equilibrium")
OWN = ("keep", "reduce", "workers", "executor", "store", "device", "progress")  # options of batches
OURS = ("progress", "callback", "store")  # options of single runs that mean nothing in a batch, or something else


def _with_options_of(function: Callable[..., Any]) -> Callable[[F], F]:
    """A method of a batch that shows the options of the verb which it passes them on to."""

    def decorate(method: F) -> F:
        own = [p for p in inspect.signature(method).parameters.values() if p.kind is not p.VAR_KEYWORD]
        listed = list(inspect.signature(function).parameters.values())[1:]
        more = [p.replace(kind=p.KEYWORD_ONLY) for p in listed if p.name not in {*OURS, *(known.name for known in own)}]
        method.__signature__ = inspect.signature(method).replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        return method

    return decorate


@verb
def batch(model: Model, parameters: Any = None, *, states: Any = None) -> Batch:
    """Many variants of a model, for one analysis of all of them in one call.

        b = m.batch(tm.grid(crank=[0.08, 0.1, 0.12], rod=np.linspace(0.3, 0.5, 11)))
        b.kinematics(1.0, keep=["P.x", "P.y"]).values("P.x")
        m.batch(tm.sample(1000)).simulate(2.0, reduce={"peak": "max(abs(P.ay))"}).reductions["peak"]

    Args:
        model: The model; parameters that vary are those made by ``m.parameter``.
        parameters: Values of parameters, one row per variant: arrays by name (one number stands for all variants), a list of dicts, a
            structured array, a pandas DataFrame, ``tm.grid(...)``, or ``tm.sample(...)`` within bounds or tolerances.
        states: Starting values that vary, as ``initial=`` of `simulate` names them: {"A.angle": [...], "A.angle.rate": [...]}.
    """
    table = table_of(model, parameters)
    given = {} if states is None else columns_of(states, "states", {})
    count = len(table) if table is not None else len(next(iter(given.values()), ()))
    if not count:
        raise ModelError("batch needs values of parameters= or states=: tm.grid(crank=[0.08, 0.1]), or arrays by name.")
    for name, values in given.items():
        if values.size == 1:
            given[name] = np.full(count, values[0])
        elif values.size != count:
            raise ModelError(f"states of a batch: {name!r} has {values.size} values, but there are {count} variants.")
    return Batch(model, table, given, count)


@brief
@dataclass(frozen=True)
class Batch:
    """Many variants of a model; `kinematics`, `simulate` and `equilibrium` run them all. Made by ``m.batch``."""

    model: Model = field(repr=False)
    table: Table | None
    states: Mapping[str, Array]
    count: int

    def __len__(self) -> int:
        return self.count

    @_with_options_of(kinematics)
    def kinematics(
        self,
        duration: float | None = None,
        *,
        keep: Sequence[str] | None = None,
        reduce: Mapping[str, str] | None = None,
        workers: int | None = None,
        executor: Any = None,
        store: str | os.PathLike[str] | None = None,
        device: str = "auto",
        progress: bool = True,
        **options: Any,
    ) -> BatchResult:
        """Follow every variant through time; each equals its single run to the last bit.

        Args:
            duration: Length of the run [s].
            keep: Quantities whose series are kept; by default the coordinates of all bodies, or nothing where there are reductions.
            reduce: Formulas over each run by name, ``{"peak": "max(abs(P.ay))"}``; only their values are kept, so that memory does not
                grow with the number of instants. "events(hit)" counts an event or switch, "first(hit)" is when it happened first [s].
            workers: Threads; by default one per processor.
            executor: An executor of concurrent.futures or a Dask client that runs the variants, in chunks, instead of our threads.
            store: Folder in which what is done is kept: the same call goes on where a killed one was.
            device: "auto", this processor, with kernels written out for the model where these save more time than they take; "cpu",
                without these: the answers of both are those of single runs to the last bit. "specialized", such kernels whatever
                they take, which do not spend time on the last bits; "gpu", the same on a graphics card.
            progress: Show a progress bar if it takes longer than a second.
            **options: Those of `kinematics`.

        Ctrl-C ends the batch early and keeps what is done.
        """
        if self.states:
            raise ModelError(
                "kinematics starts where its drivers say; leave out states=, or vary parameters of the drivers."
            )
        return self._run("kinematics", duration, keep, reduce, workers, executor, store, progress, options, device)

    @_with_options_of(simulate)
    def simulate(
        self,
        duration: float | None = None,
        *,
        keep: Sequence[str] | None = None,
        reduce: Mapping[str, str] | None = None,
        workers: int | None = None,
        executor: Any = None,
        store: str | os.PathLike[str] | None = None,
        device: str = "auto",
        progress: bool = True,
        **options: Any,
    ) -> BatchResult:
        """Integrate the motion of every variant; each equals its single run to the last bit.

        Args:
            duration, keep, reduce, workers, executor, store, device, progress: As in `kinematics`.
            **options: Those of `simulate`.
        """
        return self._run("simulate", duration, keep, reduce, workers, executor, store, progress, options, device)

    @_with_options_of(equilibrium)
    def equilibrium(
        self,
        *,
        keep: Sequence[str] | None = None,
        reduce: Mapping[str, str] | None = None,
        workers: int | None = None,
        executor: Any = None,
        store: str | os.PathLike[str] | None = None,
        progress: bool = True,
        **options: Any,
    ) -> BatchResult:
        """Find the position of rest of every variant; series have one time.

        Args:
            keep: As in `kinematics`; also "stable" (1 or 0), "neutral" (free directions) and "frequency" (the lowest natural one, rad/s).
            reduce, workers, executor, store, progress: As in `kinematics`.
            **options: Those of `equilibrium`.
        """
        if self.states:
            raise ModelError(
                "equilibrium starts from the drawn pose; leave out states=, or vary parameters of the poses."
            )
        return self._run("equilibrium", None, keep, reduce, workers, executor, store, progress, options)

    @checked("analysis", "keep", "reduce", "workers", "executor", "store", "device", "progress")
    def run(
        self,
        analysis: Analysis,
        *,
        keep: Sequence[str] | None = None,
        reduce: Mapping[str, str] | None = None,
        workers: int | None = None,
        executor: Any = None,
        store: str | os.PathLike[str] | None = None,
        device: str = "auto",
        progress: bool = True,
    ) -> BatchResult:
        """Run an analysis of every variant.

            b.run(tm.Analysis("simulate", 2.0, samples=401), keep=["P.x"])

        Args:
            analysis: A `kinematics`, `simulate` or `equilibrium` with its options.
            keep, reduce, workers, executor, store, device, progress: As in `kinematics`.
        """
        if not isinstance(analysis, Analysis) or analysis.name not in VERBS:
            raise ModelError(f"analysis must be tm.Analysis of {', '.join(VERBS)}, but it is {short(analysis)}.")
        options = {key: value for key, value in analysis.options.items() if value is not None}
        more = {} if analysis.at_rest else {"device": device}
        found: BatchResult = getattr(self, analysis.name)(
            keep=keep,
            reduce=reduce,
            workers=workers,
            executor=executor,
            store=store,
            progress=progress,
            **more,
            **options,
        )
        return found

    def _run(
        self, verb_name: str, duration: float | None, keep: Any, reduce: Any, workers: Any, executor: Any, store: Any, progress: bool,
        options: dict[str, Any], device: str = "auto",
    ) -> BatchResult:  # fmt: skip
        began = clock.perf_counter()
        task = self._task(verb_name, duration, keep, reduce, options)
        task = replace(task, device=checked_device(device), count=self.count)
        values = np.zeros((self.count, 0)) if self.table is None else self.table.values
        states = np.column_stack(list(self.states.values())) if self.states else np.zeros((self.count, 0))
        self._refuse_too_much(task)
        threads = None if workers is None else whole_number(workers, "workers", 1)
        kept_at = None if store is None else Store(store, task, values, states)
        runner = Runner(task, values, states, executor=executor, workers=threads, store=kept_at)
        checked_bool(progress, "progress")
        with analysis_scope(), Progress(f"{verb_name} of {self.count} variants", enabled=progress) as bar:
            found = runner.go(bar)
        if not found.interrupted:
            added(found.warnings, branch_warnings(task, values, states, found.failures), list(found.failures))
        if found.interrupted:
            missing = found.missing()
            found.failures.update(dict.fromkeys(missing, "it was not computed: the batch was interrupted."))
            found.told.append(
                RunWarning(
                    "interrupted",
                    f"the batch was interrupted: {len(missing)} of {self.count} variants were not computed.",
                )
            )
        result = BatchResult(
            parameters={} if self.table is None else {name: values[:, k] for k, name in enumerate(self.table.names)},
            states=dict(self.states), times=task.times, quantities=task.keep, units=_units(task),
            reductions={name: found.reduced[:, k] for k, (name, _) in enumerate(task.reductions)},
            failures=dict(sorted(found.failures.items())), warnings=dict(sorted(found.warnings.items())),
            singularities=dict(sorted(found.passages.items())), interrupted=found.interrupted,
            wall_time=clock.perf_counter() - began, n_fallback=found.singly, fallback_reason=found.reason, device=task.device,
            kernels=found.kernels, _kept=found.kept, _task=task, _values=values, _states=states, _table=self.table,
        )  # fmt: skip
        tell([*found.told, *_about(result)], result)
        return result

    def _task(self, verb_name: str, duration: float | None, keep: Any, reduce: Any, options: dict[str, Any]) -> Task:
        model = self.model
        function = getattr(model, verb_name)
        known = {key: p for key, p in inspect.signature(function).parameters.items() if key not in OURS}
        if duration is not None:
            options = {"duration": duration, **options}
        options = checked_options(f"{verb_name} of a batch", [*known, *OWN], options, function.__func__)
        if verb_name == "equilibrium":
            times = np.array([float(options.get("time", 0.0))])
        else:
            times = instants_from(1, options)
        reductions = _reductions(model, reduce, options.get("events"))
        if keep is None:
            kept = () if reductions else _coordinates(model)
        else:
            kept = _names(keep)
        for name, _ in reductions:
            if name in kept:
                raise ModelError(f"reduce: {name!r} is kept as a series already; choose another name.")
        return Task(
            model,
            verb_name,
            options,
            () if self.table is None else self.table.names,
            tuple(self.states),
            times,
            kept,
            reductions,
        )

    def _refuse_too_much(self, task: Task) -> None:
        needed = 8.0 * self.count * (task.times.size * len(task.keep) + len(task.reductions))
        there = machine_memory()
        if needed > MEMORY_SHARE * there:
            raise ModelError(
                f"{self.count} variants with {len(task.keep)} quantities at {task.times.size} instants need {needed / 1e9:.3g} GB of "
                f"memory, more than {MEMORY_SHARE:.0%} of the {there / 1e9:.3g} GB of this machine; keep fewer quantities (keep=[...]) or "
                'only what matters of each run (reduce={"peak": "max(P.y)"}).'
            )


def _coordinates(model: Model) -> tuple[str, ...]:
    return tuple(f"{body}.{c}" for body in list(model.bodies)[1:] for c in model.space.positions)


def _names(keep: Any) -> tuple[str, ...]:
    keep = tuple(keep) if getattr(keep, "ndim", 0) == 1 else keep  # an array, an index of a table
    if isinstance(keep, str) or not isinstance(keep, Sequence) or any(not isinstance(name, str) for name in keep):
        raise ModelError(f"keep must be a list of names of quantities, ['P.x'], but it is {short(keep)}.")
    if len(set(keep)) < len(keep):
        raise ModelError(f"keep names a quantity twice: {short(keep)}.")
    return tuple(keep)


def _reductions(model: Model, reduce: Any, events: Any) -> tuple[tuple[str, str], ...]:
    if reduce is None:
        return ()
    if not isinstance(reduce, Mapping) or any(not isinstance(x, str) for pair in reduce.items() for x in pair):
        raise ModelError(f"reduce must be formulas by name, {{'peak': 'max(P.y)'}}, but it is {short(reduce)}.")
    for name, text in reduce.items():
        if name in model.parameters:
            raise ModelError(f"reduce: {name!r} is a parameter already; choose another name.")
        asked = about_events(text)
        if asked:
            _refuse_unknown_event(model, name, asked.name, events)
        elif _reduction(model, name, text).is_series:
            raise ModelError(
                f"reduce: {name!r} = {text} is a series; make one number of it, as in max({text}), or keep it (keep=[...])."
            )
    return tuple(reduce.items())


def _reduction(model: Model, name: str, text: str) -> Reduction:
    try:
        return Reduction.parse(text, model)
    except (ExpressionError, ModelError) as error:
        raise type(error)(f"reduce: {name!r}: {error}") from None


def _refuse_unknown_event(model: Model, label: str, name: str, events: Any) -> None:
    own = [str(getattr(each, "name", "")) for each in events] if isinstance(events, Sequence) else []
    # joints and forces tell when they part, hit or slide under their own names
    if name not in (*own, *model.switches, *model.constraints, *model.forces):
        known = ", ".join([*own, *model.switches]) or "none"
        raise ModelError(
            f"reduce: {label!r} asks for the event {name!r}, which is not known; events and switches of this run: {known}."
        )


def _units(task: Task) -> dict[str, str]:
    found: dict[str, Any] = {name: column_of(task.model, name, 3) for name in task.keep}
    if task.verb != "kinematics" and None in found.values():
        system = lower(task.model, dynamics=True)
        found |= {name: load_column(system, name) for name, column in found.items() if column is None}
    return {name: "" if column is None else column.shown for name, column in found.items()}


def _about(result: BatchResult) -> list[RunWarning]:
    """One sentence about all variants that failed, and one about those with warnings."""
    count, told = len(result), []
    failed = {k: text for k, text in result.failures.items() if not text.startswith("it was not computed")}
    if failed:
        k = next(iter(failed))
        told.append(
            RunWarning(
                "failures", f"{len(failed)} of {count} variants have no full result; the first is variant {k}: {failed[k]} All are in "
                "result.failures.",
            )
        )  # fmt: skip
    if result.warnings:
        k = next(iter(result.warnings))
        told.append(
            RunWarning(
                "doubts", f"{len(result.warnings)} of {count} variants have warnings; the first is variant {k}: {result.warnings[k][0]} "
                "All are in result.warnings.",
            )
        )  # fmt: skip
    return told
