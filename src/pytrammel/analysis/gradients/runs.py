"""Simulated motions: how quantities change along directions, from changes of the states that a run carries with it (`followed`).

A quantity is looked at along states and numbers that move together: one evaluation, differenced."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.progress import Progress
from pytrammel.analysis.analysis import TIMES
from pytrammel.analysis.at_state import kinetic_energy
from pytrammel.analysis.events.holds import report_held
from pytrammel.analysis.freedom.rank import rank_at
from pytrammel.analysis.freedom.sharing import smallest_multipliers
from pytrammel.analysis.gradients.adjoint import Backwards
from pytrammel.analysis.gradients.directions import Direction, Variant, same_structure
from pytrammel.analysis.gradients.followed import Followed, FollowedRun
from pytrammel.analysis.gradients.lines import Line, lines, state_columns
from pytrammel.analysis.gradients.nearby import Nearby
from pytrammel.analysis.gradients.problem import Kind, analysis_type
from pytrammel.analysis.methods import Method, method_named
from pytrammel.analysis.options import instants_from
from pytrammel.analysis.runs.dynamics import simulate
from pytrammel.analysis.runs.engine import Cartesian
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.simulation import Simulation
from pytrammel.analysis.start.given import initial_conditions, with_values
from pytrammel.analysis.start.initial import Start, consistent_start, drawn_velocity
from pytrammel.analysis.start.light import own_inertias_where_free
from pytrammel.errors import ConvergenceError, ModelError, RunWarning
from pytrammel.kernels import engine as seam
from pytrammel.kernels import layout as L
from pytrammel.kernels.closure import closure_run
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.sweep import sweep_run
from pytrammel.model.base import Model
from pytrammel.results.result import Result
from pytrammel.results.segments import Segment
from pytrammel.system.lowering import System, lower, lower_measures
from pytrammel.system.pattern import pattern

Array = NDArray[np.float64]
Run = TypeVar("Run", bound=FollowedRun)
TIGHTER = 1e-2  # error allowed here against that of the run
FINEST, COARSEST = 1e-12, 1e-10
MOST_STEPS = 200_000
LEAST_ORDER = 5  # of methods that reach that error in a few times as many steps
TINY = 1e-9  # an inner state that never gets larger counts as nothing
OPTIONS = Options(method_named("dop853"), 1e-8, 1e-10, 0.0, np.inf, "projection", 0.0, 0.0, 1)


class Evaluation:
    """One evaluation of the equations of motion, at many states with numbers of their own."""

    def __init__(self, system: System, floats: Array, P: NDArray[np.int64]) -> None:
        prepare(["sweep_run", "closure_run", *Cartesian.needs])
        self.system, self.P, self.floats, self.used = system, P, floats.copy(), floats.copy()
        run: Any = SimpleNamespace(system=system, options=OPTIONS, floats=self.used, pattern=P)
        self.table = Cartesian(OPTIONS).table(run, lower_measures(system.model, []))
        self.size, self.row = int(self.table.entries[seam.SIZE]), int(self.table.entries[seam.ROW])

    def rates(self, times: Array, states: Array, floats: Array) -> Array:
        """Rates of states, shape (N, size), with float buffers of shape (N, n) or (1, n)."""
        out = np.zeros_like(states)
        if sweep_run(self.table.entries, self.used, floats, times, states, out, np.zeros((len(times), 1))) < len(times):
            raise ConvergenceError(
                "the equations of motion give no numbers beside the motion, so that it has no derivative there."
            )
        return out

    def recorded(self, times: Array, states: Array, floats: Array) -> Array:
        """What a run records of times."""
        out = np.zeros((len(times), self.row))
        sweep_run(self.table.entries, self.used, floats, times, states, np.zeros_like(states), out)
        return out

    def gaps(self, times: Array, states: Array, floats: Array) -> tuple[Array, Array, Array]:
        """By how much rows are open in position and velocity, and stored Jacobian entries."""
        nq, n, m = self.system.n_coordinates, self.system.n_columns, int(self.P[L.P_ROWS])
        tables = [np.zeros((len(times), w)) for w in (m, m, m, int(self.system.ints[L.N_JACOBIAN]) + 1)]
        q, v = np.ascontiguousarray(states[:, :nq]), np.ascontiguousarray(states[:, nq : nq + n])
        closure_run(self.system.ints, floats, self.P, times, q, v, np.zeros_like(v), *tables)
        return tables[0], tables[1], tables[3]


class OfRun:
    """Quantities of a simulated motion."""

    def __init__(self, model: Model, names: tuple[str, ...], options: Mapping[str, Any]) -> None:
        self.model, self.names, self.options = model, names, {"progress": False, **options}
        self._refuse()
        self.result = simulate(model, **self.options)
        self.times = self.result.times
        self.moving: Array | None = None
        data = self.result.dynamics
        self.end_moves = data is not None and any(event.stopped for event in data.events)
        self._back: Backwards | None = None
        self._doubted = False
        self._nearby: Nearby | None = None
        self._systems: dict[tuple[int, int], tuple[System, Model]] = {}
        self.warnings: tuple[RunWarning, ...] = self.result.warnings
        self._follow(self.result)

    def _follow(self, result: Result, slopes: Mapping[int, tuple[Array, tuple[Any, ...]]] | None = None) -> None:
        """Look at quantities along the states of a run; `slopes` are the changes of the numbers of its segments."""
        self.path, self.slopes = result, slopes or {}
        data = result.dynamics
        assert data is not None and result.v is not None
        self.nq, self.n = result._system.n_coordinates, result._system.n_columns
        self.states = np.hstack([result.q, result.v, data.inner_states, data.work])
        slowest = 1.0 / max(float(np.ptp(result.times)), 1e-9)  # what moves less in a run stands
        self.speed = max(float(np.abs(result.v / result._system.column_scales()).max(initial=0.0)), min(slowest, 1.0))
        self.pieces = [
            (s, Evaluation(s.system, s.floats, self._pattern(s))) for s in result._segments if s.last > s.first
        ]

    @property
    def floats(self) -> Array:
        """Numbers of the system, of a run in which they do not change."""
        return self.path._segments[0].floats

    def _refuse(self) -> None:
        sampled = next((f.name for f in self.model.forces.values() if f.kind == "controller"), None)
        if sampled is not None:
            raise ModelError(
                f"the controller {sampled!r} is a Python function, whose derivative nobody knows; write it as a formula of a state."
            )

    def _pattern(self, segment: Segment) -> NDArray[np.int64]:
        """Independent equations of a segment."""
        system, rows = segment.system, list(segment.rows)
        k = segment.first
        found = rank_at(system, self.path.q[k], float(self.path.times[k]), rows)
        active = [rows[j] for j in found.independent]
        shares = int(system.ints[L.N_REACTIONS]) > 0
        return pattern(system, active, sorted(set(rows) - set(active)) if shares else ())

    # --- values ------------------------------------------------------------------------------------------------------------

    def values(self) -> Array:
        return self._columns(self.result)

    def _columns(self, result: Result) -> Array:
        found = [column for column, _unit in result._columns(self.names)]
        return np.array(found).reshape(len(self.names), len(result))

    def look(self, variant: Variant, states: Array, times: Array, direction: int = 0) -> Array:
        """The wanted quantities of a variant in given states at given times."""
        path, data = self.path, self.path.dynamics
        assert data is not None
        multipliers, outputs = np.zeros_like(data.multipliers), np.zeros_like(data.outputs)
        a, energies = np.zeros((len(path), self.n)), np.zeros((len(path), 2))
        segments = []
        for segment, evaluation in self.pieces:
            span = slice(segment.first, segment.last)
            if self.slopes:
                numbers, changes = self.slopes[id(segment.floats)]
                system = self.system_of(variant.model, changes)
                floats = segment.floats + variant.offset * (numbers[direction] if direction < len(numbers) else 0.0)
            else:
                system = self.system_of(variant.model)
                floats = system.floats
            rows = evaluation.recorded(times[span], np.ascontiguousarray(states[span]), floats[None, :])
            rows = rows[:, evaluation.size :]
            nf = 2 * len(system.forces)
            a[span], outputs[span, :nf] = rows[:, : self.n], rows[:, self.n : self.n + nf]
            energies[span] = rows[:, self.n + nf : self.n + nf + 2]
            order = _order(evaluation.P)
            multipliers[span, order] = rows[:, self.n + nf + 2 :]
            if len(order) < len(segment.rows):
                multipliers[span, list(segment.rows)] = smallest_multipliers(
                    system, list(segment.rows), order, times[span], states[span, : self.nq], multipliers[span]
                )
            segments.append(replace(segment, model=system.model, system=system, floats=floats))
        report_held(segments, multipliers, outputs)
        nz = data.inner_states.shape[1]
        q, v, z, work = map(np.ascontiguousarray, np.split(states, np.cumsum([self.nq, self.n, nz]), axis=1))
        other = replace(
            data, multipliers=multipliers, outputs=outputs, work=work, inner_states=z, kinetic=energies[:, 0], gravity=energies[:, 1],
            made={},
        )  # fmt: skip
        system = segments[0].system
        return self._columns(
            replace(
                path,
                model=variant.model,
                _system=system,
                times=times,
                q=q,
                v=v,
                a=a,
                dynamics=other,
                _segments=tuple(segments),
            )
        )

    def system_of(self, model: Model, changes: tuple[Any, ...] = ()) -> System:
        """A variant as the run would have it, after events have changed it; made once."""
        key = id(model), len(changes)
        if key not in self._systems:
            changed = model
            for change in changes:
                changed = changed.copy(changes=change)
            system = lower(changed, dynamics=True)
            if not changes:
                system = same_structure(self.result._system, system)
            own_inertias_where_free(system, list(self.result._segments[0].rows), float(self.times[0]), self.result.q[0])
            self._systems[key] = (system, model)  # which keeps the key
        return self._systems[key][0]

    # --- the start ---------------------------------------------------------------------------------------------------------

    @property
    def _given(self) -> tuple[tuple[Any, ...], Any, bool]:
        """What the start must be: held, initial, and whether it is corrected."""
        given = initial_conditions(self.options.get("initial"))
        return given.hold, given.values or None, given.correct

    def _start(self, variant: Variant) -> Array:
        """State and numbers with which a variant starts."""
        system = self.system_of(variant.model)
        rows, time = list(self.result._segments[0].rows), float(self.times[0])
        held, _, correct = self._given
        if any(f.holds or f.impact_slot is not None for f in variant.model.forces.values()):
            # what rests, sticks or strikes at the start
            run = Simulation(variant.model, self.times[:1], OPTIONS, (), held, variant.initial, correct)
            self._refuse_other_holds(run.holds.on)
            return np.concatenate([run.y, run.floats])
        start = (
            consistent_start(system, rows, time, held, variant.initial)
            if correct
            else Start(system.start.copy(), drawn_velocity(system))
        )
        works = np.zeros(self.states.shape[1] - start.q.size - start.v.size - system.inner_start.size)
        return np.concatenate([start.q, start.v, system.inner_start, works, system.floats])

    @cached_property
    def _held_at_start(self) -> frozenset[str]:
        held, initial, correct = self._given
        return Simulation(self.model, self.times[:1], OPTIONS, (), held, initial, correct).holds.on

    def _refuse_other_holds(self, on: frozenset[str]) -> None:
        """What sticks or rests at the start must do so nearby."""
        for name in sorted(on ^ self._held_at_start):
            raise ModelError(
                f"{name!r} holds at the start of the run for some of the values nearby and for others not, so that there is no derivative; "
                "start elsewhere, or differentiate by something else."
            )

    # --- forwards ----------------------------------------------------------------------------------------------------------

    def begun(self, directions: Sequence[Direction]) -> tuple[Array, Array]:
        """How the state at the start and the system's numbers change along directions, shapes (directions, size) and (directions, n)."""
        size = self.states.shape[1]
        short = self._lines(directions)
        if short is None:
            found = np.array([d.slope(self._start) for d in directions]).reshape(len(directions), -1)
            X, numbers = found[:, :size].copy(), found[:, size:]
        else:
            goals = [g for c in self.model.constraints.values() for block in c.blocks for g in block.targets]
            driven = any(
                not isinstance(goal, int | float) for goal in goals
            )  # speeds of drivers are read from the model
            ways = [d if driven else line.along for d, line in zip(directions, short, strict=True)]
            X = np.array([way.slope(self._started_along(line)) for way, line in zip(ways, short, strict=True)])
            numbers = np.array([line.floats for line in short])
        X[:, self.nq - len(self.model.turns) : self.nq] = 0.0  # they tell turns apart, and follow angles
        return X, numbers

    def _lines(self, directions: Sequence[Direction]) -> list[Line] | None:
        """Changes of the system along directions, where the start follows from it alone."""
        held, initial, correct = self._given
        forces = self.model.forces.values()
        if held or initial or not correct or any(f.holds or f.impact_slot is not None for f in forces):
            return None
        return lines(self.result._system, directions, dynamics=True)

    def _started_along(self, line: Line) -> Callable[[Variant], Array]:
        system, rows = self.result._system, list(self.result._segments[0].rows)

        def state(variant: Variant) -> Array:
            floats, drawn = system.floats + variant.offset * line.floats, system.start + variant.offset * line.start
            moved = replace(system, model=variant.model, floats=floats, start=drawn)
            begin = consistent_start(moved, rows, float(self.times[0]))
            rest = np.zeros(self.states.shape[1] - begin.q.size - begin.v.size)
            return np.concatenate([begin.q, begin.v, rest])

        return state

    def scales(self) -> Array:
        """What counts as one for every entry of the state."""
        system, data = self.result._system, self.result.dynamics
        assert data is not None
        at = int(system.ints[L.AT_COORDINATE_SCALES])
        fast = self.speed * system.column_scales()
        inner = np.abs(data.inner_states).max(axis=0, initial=0.0)
        energy = max(float(np.abs(data.work).max(initial=0.0)), kinetic_energy(system, self.result.q[0], fast))
        return np.concatenate(
            [
                np.minimum(self.floats[at : at + self.nq], 1e3),
                fast,
                np.where(inner > TINY, inner, 1.0),
                np.full(data.work.shape[1], energy or 1.0),
            ]
        )

    @property
    def rtol(self) -> float:
        """Error allowed per step where derivatives are integrated."""
        return min(COARSEST, max(FINEST, TIGHTER * float(self.options.get("rtol", 1e-8))))

    def follow(self, make: Callable[..., Run], options: Options) -> Run:
        """Go the same way once more, by a run that notes more of it, and look at quantities along that."""
        instants = instants_from(self.model, self.options)
        run = make(
            self.model,
            instants,
            options,
            tuple(self.options.get("events", ())),
            self.speed,
            self.system_of,
            self._given,
        )
        run.go(Progress("derivatives", enabled=False))
        path = run.result()
        self.warnings = (*self.warnings, *(w for w in run.warnings if w.kind == "gradient"))
        self._refuse_other(path)
        self._follow(path, run.slopes)
        return run

    def _finer(self, count: int) -> Options:
        """Options of a run that carries changes along so many directions with it."""
        return replace(
            OPTIONS, rtol=self.rtol, atol=0.1 * self.rtol, max_steps=MOST_STEPS,
            formulation=replace(OPTIONS.formulation, equations=lambda given: Followed(given, count)),
        )  # fmt: skip

    def tangents(self, directions: Sequence[Direction]) -> Array:
        """Changes of the states at all times, shape (directions, n, size), and with them how the last time moves (`moving`)."""
        prepare(["settle_run", "state_run", *Followed.needs])
        p, size = len(directions), self.states.shape[1]
        X, numbers = self.begun(directions)
        scales = self.scales()
        run = self.follow(lambda *given: FollowedRun(directions, numbers, X, scales, *given), self._finer(p))
        found = run.kept_rows[: run.done].reshape(run.done, p, size).swapaxes(0, 1).copy()
        if run.end is not None:
            self.moving = np.zeros((p, run.done))
            self.moving[:, -1] = run.end[0]
            found[:, -1] += run.end[0][:, None] * run.end[1]
        return found

    def _refuse_other(self, path: Result) -> None:
        """The same run at a finer tolerance must go the same way."""
        one, other = (r.dynamics for r in (self.result, path))
        assert one is not None and other is not None
        names = [[event.name for event in data.events] for data in (one, other)]
        if names[0] != names[1] or path.times.size != self.times.size:
            raise ModelError(
                f"the run of model {self.model.name!r} goes another way at a finer tolerance: {len(names[0])} events in {self.times.size} "
                f"instants, then {len(names[1])} in {path.times.size}; there is no derivative of what hangs on rounding. End it before."
            )

    def alongs(self, directions: Sequence[Direction]) -> list[Array]:
        """How the wanted quantities change along directions, each of shape (names, n)."""
        X = self.tangents(directions)
        columns = state_columns(self.result._system, self.names)
        if columns is not None and all(level < 2 for level, _ in columns):
            found = [
                np.array([x[:, level * self.nq + c] for level, c in columns]).reshape(-1, self.times.size) for x in X
            ]
        else:
            found = [d.slope(self._looked_along(x, k)) for k, (d, x) in enumerate(zip(directions, X, strict=True))]
        self.warnings = (*self.warnings, *self._doubts(directions, found))
        return found

    def _looked_along(self, change: Array, k: int) -> Callable[[Variant], Array]:
        times, later = self.path.times, 0.0 if self.moving is None else self.moving[k]
        return lambda variant: self.look(
            variant, self.states + variant.offset * change, times + variant.offset * later, k
        )

    def backwards(self, weights: Array, later: float, directions: Sequence[Direction]) -> list[float]:
        if self._back is None or self._back.directions is not directions:
            self._back = Backwards(self, directions, self._finer(0))
        found = self._back.along(weights, later)
        if not self._doubted:
            doubts = self._doubts(directions, [np.array([x]) for x in found], weights, later)
            self._doubted, self.warnings = bool(doubts), (*self.warnings, *doubts)
        return found

    def _doubts(
        self, directions: Sequence[Direction], found: Sequence[Array], weights: Array | None = None, later: float = 0.0
    ) -> list[RunWarning]:
        """What whole runs nearby say against derivatives, as `Nearby.doubts` takes them."""
        if self.times.size == 1:
            return []  # nothing was integrated
        if self._nearby is None:
            projected = str(self.options.get("constraints", "projection")) == "projection"
            self._nearby = Nearby(
                self.model,
                directions,
                self._run_at,
                self.rtol if self._finely else float(self.options.get("rtol", 1e-8)),
                sure=projected and not self._method.fixed,
            )
        at_work = 0.0
        if any(name.startswith("energy.") for name in self.names):
            energy = self.result.energy
            at_work = float(np.abs([energy.kinetic, energy.gravity, energy.stored]).max(initial=0.0))
        return self._nearby.doubts(self.names, self.values(), found, weights, later, at_work)

    @property
    def _method(self) -> Method:
        return method_named(self.options.get("method", "default"))

    @property
    def _finely(self) -> bool:
        """Return True if runs nearby can afford the tolerance of derivatives."""
        return not self._method.fixed and self._method.order >= LEAST_ORDER

    def _run_at(self, variant: Variant) -> tuple[Array, float]:
        given = dict(self.options)
        if variant.initial is not None:
            given["initial"] = with_values(given.get("initial"), variant.initial)
        if self._finely:
            given["rtol"] = self.rtol
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # it was said about the run itself
            found = simulate(variant.model, **given)
            return self._columns(found), float(found.times[-1])


def _order(P: NDArray[np.int64]) -> list[int]:
    return [int(k) for k in P[int(P[L.P_AT_ROWS]) :][: int(P[L.P_ROWS])]]


def _initial(model: Model, names: Sequence[str], options: Mapping[str, Any]) -> Mapping[str, float]:
    """Values with which quantities start."""
    given = dict(initial_conditions(options.get("initial")).values)
    asked = [name for name in names if name not in given]
    found = {name: given[name] for name in names if name in given}
    for name, value in found.items():
        if isinstance(value, str):
            raise ModelError(f"initial= gives {name!r} as the formula {value!r}; give a number to differentiate by it.")
    if asked:
        only = {key: value for key, value in options.items() if key not in TIMES}
        begin = simulate(
            model, times=[_first(options)], progress=False, **{k: v for k, v in only.items() if k != "progress"}
        )
        for name in asked:
            found[name] = float(begin._column(name)[0][0])
    return {name: float(value) for name, value in found.items()}


def _first(options: Mapping[str, Any]) -> float:
    times = options.get("times")
    return float(options.get("start_time", 0.0)) if times is None else float(np.asarray(times, dtype=float).ravel()[0])


analysis_type(Kind("simulate", OfRun, _initial, many=0.5))
