"""Simulated motions: how states change along directions, integrated beside the motion itself.

With y' = f(t, y, F) for coordinates, velocities, inner states and works, and F the numbers of the system, the change X of y along a
direction obeys X' = f_y X + f_F F.: the derivative of *one evaluation* of f along (X, F.), by differences of the fourth order. X is kept on
the derivatives of the constraints after every step, as y is on the constraints.

Where forces break at instants that move with a parameter, time is stretched along with them: breaks stay where they are in stretched time
t + e w(t), w linear between breaks, and what is integrated is X + w y', which does not jump.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.events.breaks import find_breaks
from trammel.analysis.freedom.rank import jacobian_places, rank_at
from trammel.analysis.freedom.sharing import smallest_multipliers
from trammel.analysis.gradients.adjoint import FOURTH, SMALL, Backwards
from trammel.analysis.gradients.directions import Direction, Variant, same_structure
from trammel.analysis.gradients.problem import Analysis, analysis_type
from trammel.analysis.methods import method_named
from trammel.analysis.runs.dynamics import simulate
from trammel.analysis.runs.engine import Cartesian
from trammel.analysis.runs.simulation import Options
from trammel.analysis.start.initial import Start, consistent_start, drawn_velocity
from trammel.analysis.start.light import own_inertias_where_free
from trammel.errors import ConvergenceError, ModelError, RunWarning
from trammel.kernels import engine as seam
from trammel.kernels import layout as L
from trammel.kernels.closure import closure_run
from trammel.kernels.jit import prepare
from trammel.kernels.sweep import settle_run, sweep_run
from trammel.model.base import Model
from trammel.results.result import Result
from trammel.results.segments import Segment
from trammel.system.lowering import System, lower, lower_measures
from trammel.system.pattern import pattern
from trammel.system.positions import coordinate_steps

Array = NDArray[np.float64]
TIGHTER = 1e-2  # error allowed here against that of the run
FINEST, COARSEST = 1e-12, 1e-10
MOST_STEPS = 200_000
SAME = 1e-3  # share by which whole runs nearby may differ from what derivatives say
NEARBY = 1e-4  # how far these are, in sizes of what is varied
OPTIONS = Options(method_named("dop853"), 1e-8, 1e-10, 0.0, np.inf, "projection", 0.0, 0.0, 1)


class Evaluation:
    """One evaluation of the equations of motion, at many states with numbers of their own."""

    def __init__(self, system: System, floats: Array, P: NDArray[np.int64]) -> None:
        prepare(["sweep_run", "settle_run", "closure_run", *Cartesian.needs])
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
        """What a run records of instants."""
        out = np.zeros((len(times), self.row))
        sweep_run(self.table.entries, self.used, floats, times, states, np.zeros_like(states), out)
        return out

    def settle(self, time: float, state: Array) -> None:
        self.used[:] = self.floats
        settle_run(self.table.entries, time, state)

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
        self.result = simulate(model, **self.options)
        self.times = self.result.times
        self.warnings: tuple[RunWarning, ...] = self.result.warnings
        self._refuse()
        segment = self.result.segments[0]
        self.floats = segment.floats
        nq, n = self.result.system.n_coordinates, self.result.system.n_columns
        data = self.result.dynamics
        assert data is not None and self.result.v is not None
        self.states = np.hstack([self.result.q, self.result.v, data.inner_states, data.work])
        self.speed = max(float(np.abs(self.result.v / self.result.system.column_scales()).max(initial=0.0)), 1e-9)
        self.nq, self.n = nq, n
        self.pieces = [
            (s, Evaluation(s.system, self.floats, self._pattern(s))) for s in self.result.segments if s.last > s.first
        ]

    def _refuse(self) -> None:
        result, model = self.result, self.model
        data = result.dynamics
        assert data is not None
        if data.events:
            event = data.events[0]
            raise ModelError(
                f"event {event.name!r} changes the run of model {model.name!r} at t = {event.time:.6g} s, and derivatives end there; end "
                "the run before, or let the event go."
            )
        first = result.segments[0]
        if any(s.model is not first.model or not np.array_equal(s.floats, first.floats) for s in result.segments):
            raise ModelError(
                f"model {model.name!r} changes during the run, and derivatives end there; end the run before."
            )
        held = next((f.name for f in model.forces.values() if f.holds), None)
        if held is not None:
            raise ModelError(
                f"{held!r} holds and lets go by turns, so that the motion has no derivative across that; use a friction that is smooth in "
                "the velocity."
            )
        sampled = next((f.name for f in model.forces.values() if f.kind == "controller"), None)
        if sampled is not None:
            raise ModelError(
                f"the controller {sampled!r} is a Python function, whose derivative nobody knows; write it as a formula of a state."
            )

    def _pattern(self, segment: Segment) -> NDArray[np.int64]:
        """Independent rows of a segment."""
        system, rows = segment.system, list(segment.rows)
        k = segment.first
        found = rank_at(system, self.result.q[k], float(self.times[k]), rows)
        active = [rows[j] for j in found.independent]
        shares = int(system.ints[L.N_REACTIONS]) > 0
        return pattern(system, active, sorted(set(rows) - set(active)) if shares else ())

    # --- values ------------------------------------------------------------------------------------------------------------

    def values(self) -> Array:
        return self._columns(self.result)

    def _columns(self, result: Result) -> Array:
        found = [column for column, _unit in result._columns(self.names)]
        return np.array(found).reshape(len(self.names), len(result))

    def look(self, model: Model, states: Array) -> Array:
        """The wanted quantities of a variant in given states at the instants of the run."""
        system = self._lowered(model)
        result, data = self.result, self.result.dynamics
        assert data is not None
        multipliers, outputs = np.zeros_like(data.multipliers), np.zeros_like(data.outputs)
        a, energies = np.zeros((len(result), self.n)), np.zeros((len(result), 2))
        for segment, evaluation in self.pieces:
            span = slice(segment.first, segment.last)
            rows = evaluation.recorded(self.times[span], np.ascontiguousarray(states[span]), system.floats[None, :])
            rows = rows[:, evaluation.size :]
            nf = 2 * len(system.forces)
            a[span], outputs[span, :nf] = rows[:, : self.n], rows[:, self.n : self.n + nf]
            energies[span] = rows[:, self.n + nf : self.n + nf + 2]
            order = _order(evaluation.P)
            multipliers[span, order] = rows[:, self.n + nf + 2 :]
            if len(order) < len(segment.rows):
                multipliers[span, list(segment.rows)] = smallest_multipliers(
                    system, list(segment.rows), order, self.times[span], states[span, : self.nq], multipliers[span]
                )
        nz = data.inner_states.shape[1]
        q, v, z, work = map(np.ascontiguousarray, np.split(states, np.cumsum([self.nq, self.n, nz]), axis=1))
        other = replace(
            data, multipliers=multipliers, outputs=outputs, work=work, inner_states=z, kinetic=energies[:, 0], gravity=energies[:, 1],
            made={},
        )  # fmt: skip
        segments = tuple(replace(s, model=model, system=system, floats=system.floats) for s in result.segments)
        return self._columns(
            replace(result, model=model, system=system, q=q, v=v, a=a, dynamics=other, segments=segments)
        )

    def _lowered(self, model: Model) -> System:
        """A variant as the run would have it."""
        system = same_structure(self.result.system, lower(model, dynamics=True))
        own_inertias_where_free(system, list(self.result.segments[0].rows), float(self.times[0]), self.result.q[0])
        return system

    # --- the start ---------------------------------------------------------------------------------------------------------

    def _start(self, variant: Variant) -> Array:
        """State in which a variant starts."""
        system = self._lowered(variant.model)
        rows, time = list(self.result.segments[0].rows), float(self.times[0])
        if self.options.get("correct", True):
            hold = self.options.get("hold", ())
            start = consistent_start(
                system, rows, time, (hold,) if isinstance(hold, str) else tuple(hold), variant.initial
            )
        else:
            start = Start(system.start.copy(), drawn_velocity(system))
        works = np.zeros(self.states.shape[1] - start.q.size - start.v.size - system.inner_start.size)
        return np.concatenate([start.q, start.v, system.inner_start, works])

    # --- forwards ----------------------------------------------------------------------------------------------------------

    def numbers(self, directions: Sequence[Direction]) -> Array:
        """How the system's numbers change along directions, shape (directions, n)."""
        found = [d.slope(lambda variant: self._lowered(variant.model).floats) for d in directions]
        return np.array(found).reshape(len(directions), self.floats.size)

    def start_changes(self, directions: Sequence[Direction]) -> Array:
        """How the state at the start changes along directions, shape (directions, size)."""
        X = np.array([d.slope(self._start) for d in directions])
        X[:, self.nq - len(self.model.turns) : self.nq] = 0.0  # they tell turns apart, and follow angles
        return X

    def tangents(self, directions: Sequence[Direction]) -> Array:
        """Changes of the states at all instants, shape (directions, n, size)."""
        sizes = np.array([d.size for d in directions])
        follower = _Sensitivities(self, self.numbers(directions), sizes, self.breaks(directions))
        return follower.follow(self.start_changes(directions))

    def evaluation_at(self, instant: int) -> Evaluation:
        """The equations in force up to an instant, by its number."""
        return next(evaluation for segment, evaluation in self.pieces if instant < segment.last)

    def breaks(self, directions: Sequence[Direction]) -> tuple[Array, Array]:
        """Instants before and after which formulas of time break, and how these change, shape (breaks, 2) and (breaks, directions)."""
        start, end = float(self.times[0]), float(self.times[-1])
        found = find_breaks(self.model, start, end)

        def times(variant: Variant) -> Array:
            other = find_breaks(variant.model, start, end).times
            if other.size != found.times.size:
                raise ModelError(
                    "formulas of time break more or less often nearby, so that there is no derivative; end the run elsewhere."
                )
            return other

        if not found.times.size:
            return np.zeros((0, 2)), np.zeros((0, len(directions)))
        return found.table[:, :2], np.array([d.slope(times) for d in directions]).reshape(
            len(directions), found.times.size
        ).T

    def alongs(self, directions: Sequence[Direction]) -> list[Array]:
        """How the wanted quantities change along directions, each of shape (names, n)."""
        X = self.tangents(directions)
        found = [d.slope(self._looked_along(x)) for d, x in zip(directions, X, strict=True)]
        self.warnings = (*self.warnings, *self._doubts(directions, found))
        return found

    def _looked_along(self, change: Array) -> Callable[[Variant], Array]:
        return lambda variant: self.look(variant.model, self.states + variant.offset * change)

    def backwards(self, weights: Array, directions: Sequence[Direction]) -> list[float]:
        follower = _Sensitivities(
            self, np.zeros((0, self.floats.size)), np.zeros(0), (np.zeros((0, 2)), np.zeros((0, 0)))
        )
        return Backwards(self, weights, follower.scales, follower.rtol).along(directions)

    def _doubts(self, directions: Sequence[Direction], found: Sequence[Array]) -> list[RunWarning]:
        """Whole runs a little to both sides must change as the derivatives say, or the motion is not smooth."""
        out: list[RunWarning] = []
        if self.times.size == 1:
            return out  # nothing was integrated
        for d, slope in zip(directions, found, strict=True):
            h = NEARBY * d.size
            runs = []
            for sign in (1.0, -1.0):
                variant = d.at(sign * h)
                given = {**self.options, **({} if variant.initial is None else {"initial": variant.initial})}
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", RunWarning)  # it was said about the run itself
                    runs.append(self._columns(simulate(variant.model, **given)))
            seen = (runs[0] - runs[1]) / (2.0 * h)
            for name, one, other, values in zip(self.names, slope, seen, self.values(), strict=True):
                noise = 1e3 * self.options.get("rtol", 1e-8) * float(np.abs(values).max(initial=0.0)) / h
                off = float(np.abs(one - other).max(initial=0.0))
                if not off <= SAME * float(np.abs(one).max(initial=0.0)) + noise:
                    out.append(
                        RunWarning(
                            "gradient",
                            f"the derivative of {name!r} with respect to {d.name!r} is {float(np.abs(one).max()):.6g} at most, but runs "
                            f"nearby differ from it by {off:.3g}: the motion is not smooth in it (impacts, dry friction, chaos).",
                        )
                    )
        return out


class _Sensitivities:
    """The motion and its changes along directions, integrated together."""

    def __init__(self, run: OfRun, numbers: Array, sizes: Array, breaks: tuple[Array, Array]) -> None:
        self.run, self.numbers, self.sizes, self.breaks = run, numbers, sizes, breaks
        self.p, self.size = len(numbers), run.states.shape[1]
        self.evaluation = run.pieces[0][1]
        scales = run.result.system.column_scales()
        at = int(run.result.system.ints[L.AT_COORDINATE_SCALES])
        energy = 1e-9 + float(np.abs(run.states[:, run.nq + run.n :]).max(initial=0.0))
        rest = np.full(self.size - run.nq - run.n, energy)
        places = np.minimum(run.floats[at : at + run.nq], 1e3)
        self.scales = np.concatenate([places, run.speed * scales, rest])
        rtol = float(run.options.get("rtol", 1e-8))
        self.rtol = min(COARSEST, max(FINEST, TIGHTER * rtol))
        self.evaluations = 0
        self.epsilon = np.ones(self.p)
        self.floats = np.zeros((1 + 4 * self.p, run.floats.size))
        self.stretch: tuple[float, Array, Array] = (
            0.0,
            np.zeros(self.p),
            np.zeros(self.p),
        )  # since when, w there and its slope

    def _stretched(self, t: float) -> tuple[Array, Array]:
        """By how much time is stretched along each direction, and the rate of that."""
        since, begin, slope = self.stretch
        return begin + slope * (t - since), slope

    def _times(self, t: float) -> Array:
        """Time of the states of `_beside`."""
        out = np.full(1 + 4 * self.p, t)
        w, _ = self._stretched(t)
        for k, (ahead, _) in enumerate(FOURTH):
            out[1 + k :: 4] += ahead * self.epsilon * w
        return out

    def _set_steps(self, X: Array) -> None:
        """Lengths of the differences along each direction: small against the state and against what is varied."""
        active = self.size - len(self.run.result.system.forces) - 1
        reach = np.abs(X[:, :active] / self.scales[:active]).max(axis=1, initial=0.0)
        self.epsilon = SMALL / np.maximum(reach, 1.0 / self.sizes)
        base = self.evaluation.floats
        self.floats[0] = base
        for k, (ahead, _) in enumerate(FOURTH):
            self.floats[1 + k :: 4] = base + ahead * self.epsilon[:, None] * self.numbers

    def _beside(self, y: Array, X: Array) -> Array:
        """The state, then four states beside it per direction."""
        out = np.empty((1 + 4 * self.p, self.size))
        out[0] = y
        for k, (ahead, _) in enumerate(FOURTH):
            out[1 + k :: 4] = y + ahead * self.epsilon[:, None] * X
        return out

    def _slopes(self, table: Array) -> Array:
        """Derivatives from values at those states."""
        return np.asarray(sum(w * table[1 + k :: 4] for k, (_, w) in enumerate(FOURTH)) / self.epsilon[:, None])

    def rates(self, t: float, whole: Array) -> Array:
        self.evaluations += 1
        y, X = whole[: self.size], whole[self.size :].reshape(self.p, self.size)
        states = self._beside(y, X)
        found = self.evaluation.rates(self._times(t), states, self.floats)
        changes = self._slopes(found) + self._stretched(t)[1][:, None] * found[0]
        return np.concatenate([found[0], changes.ravel()])

    def settle(self, t: float, whole: Array) -> None:
        """Back onto the constraints and their derivatives, in place."""
        y, X = whole[: self.size], whole[self.size :].reshape(self.p, self.size)
        self.evaluation.settle(t, y)
        system, nq, n = self.run.result.system, self.run.nq, self.run.n
        if system.per_body == 6:
            bodies = len(system.model.bodies) - 1
            e = y[: 7 * bodies].reshape(bodies, 7)[:, 3:]
            own = X[:, : 7 * bodies].reshape(self.p, bodies, 7)[:, :, 3:]
            own -= e * (own * e).sum(axis=2, keepdims=True)
        if not int(self.evaluation.P[L.P_ROWS]):
            return
        states = self._beside(y, X)
        phi, rate, entries = self.evaluation.gaps(self._times(t), states, self.floats)
        order = tuple(_order(self.evaluation.P))
        row, column, entry = jacobian_places(system, order)
        J = np.zeros((len(order), n))
        scales = system.column_scales()
        np.add.at(J, (row, column), entries[0, entry] * scales[column])
        back = scales[:, None] * np.linalg.pinv(J, rcond=1e-12)
        X[:, :nq] -= coordinate_steps(system, np.repeat(y[None, :nq], self.p, axis=0), self._slopes(phi) @ back.T)
        X[:, nq : nq + n] -= self._slopes(rate) @ back.T

    def follow(self, X: Array) -> Array:
        """Changes at all instants from those at the start, shape (directions, n, size)."""
        times, table, moving = self.run.times, *self.breaks
        out = np.zeros((self.p, times.size, self.size))
        whole = np.concatenate([self.run.states[0], X.ravel()])
        self._set_steps(X)
        t = float(times[0])
        self.settle(t, whole)
        out[:, 0] = whole[self.size :].reshape(self.p, self.size)
        for segment, evaluation in self.run.pieces:
            self.evaluation = evaluation
            end = float(times[segment.last - 1])
            inside = (table[:, 0] > t) & (table[:, 1] < end)
            stops = [
                *zip(table[inside, 0], table[inside, 1], moving[inside], strict=True),
                (end, end, np.zeros(self.p)),
            ]
            w = np.zeros(self.p)
            for stop, later, change in stops:
                self.stretch = t, w, (change - w) / max(float(stop) - t, 1e-300)
                wanted = np.flatnonzero((times > t) & (times <= stop))
                whole = self._smoothly(t, whole, float(stop), wanted, out)
                t, w = float(later), change
                for k in np.flatnonzero((times > stop) & (times <= later)):
                    self.stretch = t, w, np.zeros(self.p)
                    out[:, k] = self._at(t, whole, self.run.states[k])
        return out

    def _at(self, t: float, whole: Array, y: Array) -> Array:
        """Changes at an instant of the run, at which its state is known."""
        here = whole.copy()
        here[: self.size] = y
        self.settle(t, here)
        w, _ = self._stretched(t)
        X = here[self.size :].reshape(self.p, self.size)
        if w.any():
            X = X - w[:, None] * self.evaluation.rates(
                np.array([t]), here[None, : self.size].copy(), self.evaluation.floats[None, :]
            )
        return X

    def _smoothly(self, t: float, whole: Array, end: float, wanted: NDArray[np.int64], out: Array) -> Array:
        """Integrate without breaks; fills the wanted instants."""
        from scipy.integrate import DOP853

        if not end > t:
            return whole
        allowed = np.concatenate([self.scales, (self.scales / self.sizes[:, None]).ravel()])
        solver = DOP853(self.rates, t, whole, end, rtol=self.rtol, atol=0.1 * self.rtol * allowed)
        steps = 0
        while solver.status == "running":
            self._set_steps(solver.y[self.size :].reshape(self.p, self.size))
            problem = solver.step()
            steps += 1
            if problem or steps > MOST_STEPS:
                raise ConvergenceError(
                    f"the derivatives of the motion cannot be followed beyond t = {solver.t:.6g} s: the motion is too stiff or not smooth "
                    f"there ({problem or f'{steps} steps'}). End the run before."
                )
            due = wanted[(self.run.times[wanted] > solver.t_old) & (self.run.times[wanted] <= solver.t)]
            if due.size:
                between = solver.dense_output()
                for k in due:
                    now = float(self.run.times[k])
                    out[:, k] = self._at(now, between(now) if now < solver.t else solver.y, self.run.states[k])
            self.settle(solver.t, solver.y)
            solver.f = self.rates(solver.t, solver.y)
        return np.asarray(solver.y)


def _order(P: NDArray[np.int64]) -> list[int]:
    return [int(k) for k in P[int(P[L.P_AT_ROWS]) :][: int(P[L.P_ROWS])]]


def _initial(model: Model, names: Sequence[str], options: Mapping[str, Any]) -> Mapping[str, float]:
    """Values with which quantities start."""
    given = dict(options.get("initial") or {})
    asked = [name for name in names if name not in given]
    found = {name: given[name] for name in names if name in given}
    for name, value in found.items():
        if isinstance(value, str):
            raise ModelError(f"initial= gives {name!r} as the formula {value!r}; give a number to differentiate by it.")
    if asked:
        only = {
            key: value for key, value in options.items() if key not in ("duration", "samples", "step", "times", "start")
        }
        begin = simulate(
            model, times=[_first(options)], progress=False, **{k: v for k, v in only.items() if k != "progress"}
        )
        for name in asked:
            found[name] = float(begin.column(name)[0][0])
    return {name: float(value) for name, value in found.items()}


def _first(options: Mapping[str, Any]) -> float:
    times = options.get("times")
    return float(options.get("start", 0.0)) if times is None else float(np.asarray(times, dtype=float).ravel()[0])


analysis_type(Analysis("simulate", OfRun, _initial, many=np.inf))
