"""A run that carries the changes of its states along directions with it, through everything that happens on its way.

Between events the changes are integrated beside the motion (`kernels.equations.sensitive`). An event comes at g(t, y, p) = 0, at instants
that move by tau = -(g_y X + g_p) / g' along a direction; it leads from y to R(t, y, p). So does a break of a formula of time, whose tau is
known. The state that the event meets changes by Z = X + tau f, and behind it

    X+ = R_y Z + R_t tau + R_p - tau f+,

where R is what the run itself does: one evaluation, differenced along (tau, Z) like any other.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.events.acting import act, pass_break
from pytrammel.analysis.events.breaks import Breaks
from pytrammel.analysis.events.events import Event, Touch, checked_events
from pytrammel.analysis.events.from_results import FromResults
from pytrammel.analysis.events.holds import CHANGE
from pytrammel.analysis.events.watching import Watched, at_zero, due_with, watch_for
from pytrammel.analysis.gradients.directions import Direction, Variant, same_structure
from pytrammel.analysis.gradients.meetings import (
    A_MOMENT,
    Meeting,
    changing,
    met,
    refuse_together,
    watched_formula,
)
from pytrammel.analysis.runs.engine import EQUATIONS, Cartesian, Table, vector_size
from pytrammel.analysis.runs.simulation import Simulation
from pytrammel.errors import ConvergenceError, ModelError, RunWarning
from pytrammel.expressions.expression import as_expression
from pytrammel.kernels import engine as places
from pytrammel.kernels import events as kernel_events
from pytrammel.kernels import layout as L
from pytrammel.kernels import run as rk
from pytrammel.kernels.equations import sensitive
from pytrammel.kernels.measures import measures_run
from pytrammel.kernels.sweep import settle_run, sweep_run
from pytrammel.model.base import Model
from pytrammel.results.result import Result
from pytrammel.system.lowering import System

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
FINEST = 1e-11  # error of changes that differences of rates can meet
ONTO = 20  # corrections at most that bring a state onto an event


Action = Callable[[Simulation, Variant], None]
"""What an event does to a run, as it is for a variant."""


class Followed(Cartesian):
    """Constrained motion in body coordinates with its changes along directions."""

    own = tuple(f"sensitive_{part}" for part in EQUATIONS)
    needs = (*Cartesian.needs, *own)

    def __init__(self, options: Any, count: int) -> None:
        super().__init__(options)
        self.count = count
        self.inner = Table()

    def more(self, ints: Ints) -> int:
        return self.count * vector_size(ints)

    def kept(self, ints: Ints) -> int:
        return self.count * vector_size(ints)

    def table(self, run: Any, watch: System) -> Table:
        self.inner = inner = super().table(run, watch)
        size, p = int(inner.entries[places.SIZE]), self.count
        along, formulas = run.numbers[:p], run.watched[:p]
        changed, watched = (np.flatnonzero(each.any(axis=0)) for each in (along, formulas))
        guarded, sides = run.sides(inner)
        ints = run.system.ints
        turns = len(run.model.turns)
        record = size + int(ints[L.N_COLUMNS]) + 2 * int(ints[L.N_FORCES]) + 2 + int(ints[L.N_ROWS])
        head = [p, size, changed.size, watched.size, guarded.size, run.system.n_coordinates - turns, turns, record]
        integers = np.concatenate([head, changed, watched, guarded]).astype(np.int64)
        events = int(inner.entries[places.N_EVENTS])
        room = int(sensitive.places(p, size, changed.size, watched.size, guarded.size, events)[-1])
        since, begin, slope = run.stretch
        given = [
            [max(run.options.rtol, FINEST), since], run.reach[:p], begin[:p], slope[:p], run.floats[changed], along[:, changed].ravel(),
            watch.floats[watched], formulas[:, watched].ravel(), sides, run.scales,
        ]  # fmt: skip
        numbers = np.zeros(room)
        filled = np.concatenate([np.asarray(part, dtype=float) for part in given])
        numbers[: filled.size] = filled
        table = Table()
        table.shared = self.counted
        table.entries[:] = inner.entries
        table.entries[[places.SIZE, places.N_ACTIVE]] = size * (1 + p)
        table.entries[places.ROW] = record + p * size
        table.entries[places.UNTREATED] = 0
        table.data = dict(inner.data)
        table.put_routines(places.RATES, self.own, sensitive.__name__)
        for place, data in (
            (places.REDUCED, integers), (places.REDUCED_NUMBERS, numbers), (places.INNER, inner.entries),
        ):  # fmt: skip
            table.put_data(place, data)
        table.keep(inner)
        return table


class FollowedRun(Simulation):
    """One run with the changes of its states.

    Attributes:
        directions: Along which.
        numbers: How the system's numbers change now, shape (directions, n).
        slopes: The same per segment, by the identity of its numbers, with what events have changed of the model until then.
        end: How the last time moves with each direction, and the rates of the state there; None if it stands still.
    """

    every_corner = True
    hands_over = False

    def __init__(
        self, directions: Sequence[Direction], numbers: Array, X: Array, scales: Array,
        model: Model, instants: Array, options: Any, events: Sequence[Event],
        speed: float, lowered: Callable[[Model, tuple[Any, ...]], System], given: tuple[tuple[Any, ...], Any, bool],
    ) -> None:  # fmt: skip
        self.directions, self.p = directions, len(directions)
        self.reach = np.array([d.size for d in directions])
        self.numbers, self.scales, self.listed = numbers, scales, tuple(events)
        self.moment = A_MOMENT / max(speed, 1.0 / max(float(np.ptp(instants)), 1e-300))
        self.speed, self.lowered = speed, lowered
        self.changes: list[Any] = []  # of the model, by events so far
        self.watched = np.zeros((self.p, 0))
        self._formulas: dict[int, Array] = {}
        self.end: tuple[Array, Array] | None = None
        self.slopes: dict[int, tuple[Array, tuple[Any, ...]]] = {}
        self.stretch = (float(instants[0]), np.zeros(self.p), np.zeros(self.p))
        super().__init__(model, instants, options, checked_events(model, events), *given)
        self.slopes[id(self.floats)] = (numbers, ())
        self.Z[:] = X
        self._stretch_from(float(self.clock[0]), np.zeros(self.p))

    @property
    def Z(self) -> Array:
        """Changes of the state in stretched time, a view of shape (directions, size)."""
        return self.whole[self.y.size :].reshape(self.p, self.y.size)

    def _act_at_start(self) -> None:
        watch = self._look_out()
        before = len(self.reports)
        super()._act_at_start()
        if len(self.reports) > before and any(_effects(e) for e in watch.events if e.name == self.reports[-1].name):
            raise ModelError(
                f"event {self.reports[-1].name!r} is due at the very start of the run, where it comes or does not come with the values "
                "that are varied, so that there is no derivative; start before or behind it."
            )

    def result(self, *, hurry: bool = False) -> Result:
        """The motion alone; doubts about it are those of the run that was asked for."""
        found = self.computed(hurry=hurry)
        assert found.dynamics is not None
        return replace(found, dynamics=replace(found.dynamics, parameters=None))

    # --- instants that are known beforehand ----------------------------------------------------------------------------------

    def find_breaks(self, start: float) -> None:
        super().find_breaks(start)
        found = self.breaks
        self.moving = np.zeros((len(found.times), self.p))
        if not found.times.size:
            return
        found.table[:, rk.IMPULSIVE] = 1.0  # the kernel returns at each

        self._others: dict[int, Breaks] = {}
        self.moving = (
            np.array([d.slope(lambda v: self._breaks_of(v).times) for d in self.directions]).reshape(self.p, -1).T
        )

    def _breaks_of(self, variant: Variant) -> Breaks:
        """Breaks of a variant; found once."""
        if id(variant) not in self._others:
            other = _same(self)
            other.model = self.lowered(variant.model, tuple(self.changes)).model
            other.user_events = checked_events(other.model, self.listed)
            assert self.pulses is not None
            other.pulses = (
                other.model,
                self.pulses[1],
            )  # steps may end anywhere in a pulse, so these breaks do not move
            other.find_breaks(self.breaks_from)
            if other.breaks.times.size != self.breaks.times.size:
                raise ModelError(
                    "formulas of time break more or less often nearby, so that there is no derivative; end the run elsewhere."
                )
            self._others[id(variant)] = other.breaks
        return self._others[id(variant)]

    def _stretch_from(self, t: float, w: Array) -> None:
        """Stretch time so that the next break stays where it is."""
        k = self.breaks.after(t)
        known = k < len(self.breaks.table)
        goal = self.moving[k] if known else np.zeros(self.p)
        until = float(self.breaks.table[k, rk.BEFORE] if known else self.instants[-1])
        self.stretch = (t, w, (goal - w) / (until - t) if until > t else np.zeros(self.p))

    def _stretched(self, t: float) -> Array:
        since, begin, slope = self.stretch
        return np.asarray(begin + slope * (t - since))

    # --- what is watched -----------------------------------------------------------------------------------------------------

    def _look_out(self) -> Watched:
        fresh = self._watch is None
        watch = super()._look_out()
        if fresh:
            self._silent = watch.directions == kernel_events.SILENT
            watch.directions[self._silent] = kernel_events.TOUCH  # the kernel returns at each
            self._formulas = {}
            self.watched = np.zeros((self.p, watch.system.floats.size))
            if watch.events:
                self.watched[:] = [d.slope(self._formula_numbers) for d in self.directions]
        return watch

    def _formula_numbers(self, variant: Variant) -> Array:
        """Numbers of the watched formulas of a variant."""
        if id(variant) not in self._formulas:
            twin = self._twin(variant, 0, float(self.clock[0]), self.y)
            twin.user_events = checked_events(twin.model, self.listed)
            assert self._watch is not None
            self._formulas[id(variant)] = same_structure(self._watch.system, watch_for(twin).system).floats
        return self._formulas[id(variant)]

    def _values(self, time: float, y: Array, floats: Array) -> Array:
        watch = self._look_out().system
        nq, n = self.system.n_coordinates, self.system.n_columns
        out = [np.zeros((1, len(watch.rows))) for _ in range(3)]
        q, v = (np.ascontiguousarray(part[None, :]) for part in (y[:nq], y[nq : nq + n]))
        measures_run(watch.ints, floats, np.array([time]), q, v, np.zeros((1, n)), *out)
        return np.asarray(out[0][0])

    def formula_of_results(self, index: int, watch: Watched) -> Callable[[Variant | None, int, float, Array], float]:
        """A watched formula that is evaluated through the result of a state, by its number."""
        others = watch.others
        assert others is not None
        place = others.places.index(index)

        def value(variant: Variant | None, i: int, t: float, y: Array) -> float:
            if variant is None:
                return float(others.value(t, y)[place])
            twin = self._twin(variant, i, t, y)
            user, formula = others.formulas[index]
            if index < len(self.user_events):
                formula = as_expression(checked_events(twin.model, self.listed)[index].when, user)
            elif watch.events[index].name in twin.model.switches:
                formula = twin.model.switches[watch.events[index].name].when
            return float(FromResults(twin, {index: (user, formula)}).value(t, twin.y)[0])

        return value

    def sides(self, inner: Table) -> tuple[Ints, Array]:
        """Formulas of corners of laws, and on which side of them the motion goes on."""
        watch = self._look_out()
        guarded = np.flatnonzero(watch.directions[: len(watch.events)] >= kernel_events.SILENT)
        if not guarded.size:
            return guarded, np.zeros(0)
        t, f = float(self.clock[0]), self._rates_of(inner, float(self.clock[0]), self.y)
        ahead = watch.values(t + self.moment, self.y + self.moment * f)
        return guarded, np.sign(ahead[guarded])

    # --- through events ------------------------------------------------------------------------------------------------------

    def _pass(self, status: int, index: int, watch: Watched, passed: int) -> None:
        if status not in (rk.EVENT, rk.BREAK, CHANGE):
            super()._pass(status, index, watch, passed)
            return
        t, y = float(self.clock[0]), self.y.copy()
        held = self._held_behind() if status == CHANGE else None
        if held is not None and held == self.holds.on and not self.holds.striking():
            super()._pass(status, index, watch, passed)  # what slides slowly cannot be held
            return
        at = self.breaks.table[passed + index] if status == rk.BREAK else np.array([t, t, 0.0])
        before = self._rates_beside(float(at[rk.BEFORE]), y, -1.0 if held is None else 0.0)
        w = self._stretched(float(at[rk.BEFORE]))
        X = self.Z - w[:, None] * before
        if status == rk.BREAK:
            meeting = Meeting(t, y, before, self.moving[passed + index])
        elif held is not None:
            meeting = changing(self, held, Meeting(t, y, before, np.zeros(self.p)), X)
        else:
            value = watched_formula(self, index, watch)
            meeting = met(self, value, Meeting(t, y, before, np.zeros(self.p)), X, watch.events[index].name)
            refuse_together(self, index, watch, meeting, X)
        tau = meeting.tau
        event = watch.events[index] if status == rk.EVENT else None
        act = self._action(held, event, passed + index)
        Z = X + tau[:, None] * before
        if act is not None:
            Z = self._behind(act, meeting, Z, passed + index if status == rk.BREAK else None)
            self.floats = self.floats.copy()
        if event is not None and event.change:
            self.changes.append(event.change)
        resting, closed = self.holds.on, self.holds._closed() if self.holds.rigid else {}
        if event is None or not self._silent[index]:
            super()._pass(status, index, watch, passed)
        self._warn_of_rest(resting, closed, t)
        if act is not None:
            self.slopes[id(self.floats)] = (self.numbers, tuple(self.changes))
        after = self._rates_beside(float(at[rk.AFTER]), self.y, 1.0 if held is None else 0.0)
        if status == rk.BREAK or (event is not None and event.change):
            self._stretch_from(t, tau if status == rk.BREAK else w)
        self.Z[:] = Z + (self._stretched(t) - tau)[:, None] * after
        if event is not None and event.stop:
            self.end = (tau, after)

    def _fire(self, watch: Watched, index: int) -> None:
        """Events of the same time follow one by one, unless this one hides that another passed zero."""
        due = due_with(self, watch, index)
        act(self, watch.events[index])
        if due and not at_zero(self, watch)[due].all():
            names = " and ".join(repr(watch.events[k].name) for k in (index, *due))
            raise self.apart(float(self.clock[0]), names)

    def apart(self, t: float, names: str) -> ModelError:
        """What to say where things happen at the same time that come apart along a direction."""
        return ModelError(
            f"{names} come at the same instant, t = {t:.6g} s, and which comes first depends on the values that are varied, so that "
            "there is no derivative beyond. End the run before, or change the values."
        )

    def _held_behind(self) -> frozenset[str]:
        """What sticks and rests once rows have let go or come into play."""
        twin = self._twin(None, 0, float(self.clock[0]), self.y)
        twin.holds.change()
        return twin.holds.on

    def _warn_of_rest(self, before: frozenset[str], closed: Mapping[str, float], t: float) -> None:
        """Bounces below what can be seen are left out, and with them what they would do to derivatives."""
        for name, rate in closed.items():
            impact = self.holds.rigid[name]
            if impact.rest in self.holds.on - before and impact.restitution > 0.0:
                share = abs(rate) / max(self.holds.fastest.get(name, 0.0), abs(rate), 1e-300)
                text = f"the last bounces of {name!r} at t = {t:.6g} s are left out: derivatives behind them are good to {share:.1g} or so."
                self.warnings.append(RunWarning("gradient", text, time=t))

    def _action(self, held: frozenset[str] | None, event: Event | None, k: int) -> Action | None:
        """What happens to the state of a variant, k being the number of the break; None if nothing does."""
        if held is not None:
            strikes = self.holds.striking()
            return lambda run, variant: run.holds.change() if strikes else run.holds.hold(held)
        if event is None:
            tried = self._twin(None, 0, float(self.breaks.table[k, rk.AFTER]), self.y)
            pass_break(tried, self.breaks.table[k])
            if np.array_equal(tried.v, self.v):
                return None
            return lambda run, variant: pass_break(run, self._breaks_of(variant).table[k])
        if isinstance(event, Touch):
            force = self.model.forces.get(event.name)
            if event.name not in self.holds.rigid and (force is None or force.impact_slot is None):
                return None
        elif not _effects(event):
            return None
        return lambda run, variant: act(run, event)

    def _behind(self, act: Action, meeting: Meeting, Z: Array, k: int | None) -> Array:
        """Changes of the state, and of the system's numbers, behind what happens to them: at a break by its number, or an event."""

        shares = self._shares(Z)

        def after(variant: Variant, i: int) -> Array:
            ahead = shares[i] * variant.offset
            now = meeting.time + ahead * meeting.tau[i]
            before, behind = (now, now) if k is None else self._breaks_of(variant).table[k, [rk.BEFORE, rk.AFTER]]
            twin = self._twin(variant, i, before, meeting.state + ahead * Z[i])
            self._settle(twin)
            twin.clock[0] = behind
            if meeting.value is not None:
                for _ in range(ONTO):  # the event, from which it is away by the second order
                    more = -meeting.value(variant, i, float(twin.clock[0]), twin.y) / meeting.rate
                    twin.clock[0] += more
                    twin.y[:] += more * meeting.rates
                    if abs(more) < A_MOMENT * self.moment:
                        break
            act(twin, variant)
            return np.concatenate([twin.y, twin.floats])

        slopes = np.array([d.slope(lambda v, i=i: after(v, i)) for i, d in enumerate(self.directions)])  # type: ignore[misc]
        slopes /= shares[:, None]
        self.numbers = slopes[:, meeting.state.size :]
        Z = slopes[:, : meeting.state.size]
        nq = self.system.n_coordinates
        Z[:, nq - len(self.model.turns) : nq] = 0.0  # they tell turns apart, and follow angles
        return Z

    def _shares(self, Z: Array) -> Array:
        """Of what is varied, so much is a change worth noticing, for each direction."""
        return np.ones(self.p)

    # --- variants of the run as it is now ------------------------------------------------------------------------------------

    def _twin(self, variant: Variant | None, i: int, time: float, y: Array) -> Simulation:
        """A plain run in a state near that of this one, with the numbers of a variant along a direction."""
        twin = _plain(self)
        twin.whole = y.copy()
        twin.y = twin.whole[:]
        twin.clock = np.array([time])
        twin.floats = self.floats.copy()
        if variant is not None:
            twin.system = self.lowered(variant.model, tuple(self.changes))
            twin.model = twin.system.model
            twin.floats += variant.offset * self.numbers[i]
        twin.holds = copy.copy(self.holds)
        twin.holds.run, twin.holds.fastest = twin, dict(self.holds.fastest)
        twin.holds._read_model()
        return twin

    def _settle(self, twin: Simulation) -> None:
        """Onto the constraints of the variant.

        Raises:
            ConvergenceError: It is too far away from them.
        """
        kept, self.floats[:] = self.floats.copy(), twin.floats
        assert isinstance(self.equations, Followed)
        opened = settle_run(self.equations.inner.entries, float(twin.clock[0]), twin.y)
        self.floats[:] = kept
        if math.isnan(opened):  # differences are then taken over shorter ways
            raise ConvergenceError(
                f"beside the motion joints cannot be closed at t = {float(twin.clock[0]):.6g} s, so that there is no derivative beyond."
            )

    # --- rates -----------------------------------------------------------------------------------------------------------------

    def _rates_of(self, table: Table, time: float, y: Array) -> Array:
        out, floats = np.zeros((1, y.size)), table.data[places.FLOATS]
        sweep_run(
            table.entries, floats, floats[None, :].copy(), np.array([time]), y[None, :].copy(), out, np.zeros((1, 1))
        )
        return np.asarray(out[0])

    def _rates_beside(self, time: float, y: Array, side: float) -> Array:
        """Rates just before or behind a time, where laws may jump, from two times a moment away; at it for side 0."""
        table = Cartesian(self.options).table(self, self._look_out().system)
        step, rates = side * self.moment, self._rates_of(table, time, y)
        if side == 0.0:
            return rates
        one, two = (self._rates_of(table, time + k * step, y + k * step * rates) for k in (1.0, 2.0))
        return 2.0 * one - two


def _effects(event: Event) -> bool:
    """Return True if an event changes the state or the model."""
    return bool(event.change or event.impulse or event.enter is not None or event.released)


def _same(run: Simulation) -> Simulation:
    """All that a run has, without the changes along directions."""
    other = Simulation.__new__(Simulation)
    other.__dict__.update(run.__dict__, every_corner=True)
    return other


def _plain(run: Simulation) -> Simulation:
    """A run in the same state that goes on by itself."""
    other = _same(run)
    other._watch = None
    other.released, other.reports, other.warnings = set(run.released), list(run.reports), []
    other.segments, other.model_changes = [], list(run.model_changes)
    other.control, other.counters, other._signs = run.control.copy(), run.counters.copy(), run._signs.copy()
    return other
