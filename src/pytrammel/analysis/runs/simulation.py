"""A running simulation: kernel calls between events, each with its own set of rows."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.progress import Progress, complete_rows
from pytrammel.analysis.at_state import in_formulation, kinetic_energy
from pytrammel.analysis.events.acting import act, note_impact, pass_break
from pytrammel.analysis.events.breaks import find_breaks, pulses_of
from pytrammel.analysis.events.curve_ends import CurveEnd
from pytrammel.analysis.events.events import Event, Touch
from pytrammel.analysis.events.holds import CHANGE, Holds
from pytrammel.analysis.events.watching import Watched, due_now, due_with, watch_for
from pytrammel.analysis.freedom.mobility import truly_redundant
from pytrammel.analysis.freedom.rank import (
    WORTH_CHANGING,
    best_rows_at,
    is_worth_changing,
    measure_of,
    rank_at,
    slack,
    starting_rows,
    surely_independent,
    weakened,
)
from pytrammel.analysis.methods import Method
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.positions.phase_at import late_start
from pytrammel.analysis.positions.tolerant import rounded_loop
from pytrammel.analysis.runs.automatic import Choice
from pytrammel.analysis.runs.checkpoint import Inside, Keeper
from pytrammel.analysis.runs.computed import computed_by
from pytrammel.analysis.runs.controllers import Controllers, sampling
from pytrammel.analysis.runs.crossing import HELD_UP, Crossing
from pytrammel.analysis.runs.doubts import about_haste, doubts
from pytrammel.analysis.runs.engine import DENSE, EXACT, Cartesian, Table
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.pace import Pace
from pytrammel.analysis.runs.rotations import equations_of
from pytrammel.analysis.runs.run_partition import Independent, partition_for
from pytrammel.analysis.runs.short_contacts import ShortContacts
from pytrammel.analysis.runs.stops import check_on_curves, left_curve, stop_reason
from pytrammel.analysis.runs.straight import Rates
from pytrammel.analysis.start.conditions import Wanted
from pytrammel.analysis.start.idle import refuse_pushed, undetermined, undetermined_sentences
from pytrammel.analysis.start.initial import Start, consistent_start, drawn_velocity
from pytrammel.analysis.start.light import own_inertias_where_free
from pytrammel.errors import ModelError, RunWarning, SingularError
from pytrammel.expressions.expression import as_expression
from pytrammel.kernels import engine as seam
from pytrammel.kernels import layout as L
from pytrammel.kernels import run as rk
from pytrammel.kernels import step_control
from pytrammel.kernels.equations import cartesian
from pytrammel.kernels.jit import HAVE_JIT, prepare
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.results.events import EventReport
from pytrammel.results.result import Result
from pytrammel.results.segments import Segment
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import moved

Array = NDArray[np.float64]
CHUNK = 400  # steps between looks at the progress bar and the keyboard, at most
WORK_PER_CALL = 40_000  # steps times columns between such looks: a tenth of a second or so
OPEN_CHUNK, HOP = 5, 0.05  # steps, and their largest motion in column scales, where redundant equations may open
SLOW_CHUNK = 20  # steps if Python itself computes them or a force law in them, and while somebody watches the motion
PASSES = 100  # of the iteration of multipliers, at most
LOOKS, MOST_LOOKS = 33, 1000  # times at which forces on parts without mass are looked at before the run
MASSLESS = "massless"  # kind of the warning of undetermined motions
MARKED = 1 << 16  # rows ahead of a streamed run that are marked as still to come
REGULAR = 1e-3  # singularity measure of rows that are worth a change where those in use are dependent
SHORTEST = 1e-6  # fraction of the run's duration below which steps are not shortened to choose other rows
SLOWEST = 1e-3  # scales per second: the slowest motion whose velocity counts relative to itself

Watch = Callable[[float, Array], None]
"""Told time [s] and coordinates at every output instant."""


class Simulation:
    """One run: kernel calls between events, each with its own set of rows."""

    every_corner = False  # whether steps end also where a law bends so little that the motion hardly feels it
    hands_over = True  # whether others pass singular positions for methods, treatments and coordinates that cannot

    def __init__(
        self,
        model: Model,
        instants: Array,
        options: Options,
        events: tuple[Event, ...],
        hold: tuple[Any, ...],
        initial: Wanted | None,
        correct: bool,
        keeper: Keeper | None = None,
        begin: Start | None = None,
    ) -> None:
        self.model, self.instants, self.options = model, instants, options
        self.asked_options = options
        self.crossing = Crossing()
        self.chosen_at = math.nan  # time at which rows were chosen last that are independent ahead [s]
        self.keeper = keeper
        self.inside: Inside | None = None  # where a run that was cut goes on in the middle of a piece
        self.given, self.corrected = model, correct
        self.user_events = events
        self._watch: Watched | None = None
        self.sizes = (0, 0)  # numbers that are integrated, equations that hold by equations
        self._signs = np.zeros(0)
        self.independent: Independent | None = None
        self.measured: tuple[Quantity, ...] = ()  # independent coordinates that are no coordinates of bodies
        if options.treatment.partitioned:
            self.independent = partition_for(model, options)
            self.measured = self.independent.measured
        self.system = lower(model, dynamics=True, measured=self.measured)
        self.floats = self.system.floats.copy()
        self.holds = Holds(self)
        self.phase = next(iter(model.phases), None)
        self.released: set[str] = set()
        self.reports: list[EventReport] = []
        self.counters = np.zeros(rk.N_COUNTERS + rk.ROOM_FOR_PASSAGES)
        self.counters[rk.SMALLEST_ANGLE] = 1.0
        self.worked = 0.0  # by all forces together, whatever their signs [J]; counted where steps have error control
        self.done = 0
        self.seconds = 0.0
        self.interrupted = False
        self.left_curve: CurveEnd | None = None
        self.pace = Pace()
        self.short_contacts = ShortContacts()
        self.choice = Choice(options.method)
        self.rates = Rates()
        self.asked = instants.size
        self.warnings: list[RunWarning] = []
        self.segments: list[Segment] = []
        self.model_changes: list[str] = []  # events that have changed numbers of the model
        self.pulses: tuple[Model, Array] | None = None  # times of short pulses of the formulas of a model
        self.find_breaks(float(instants[0]))
        start = self.breaks.start(float(instants[0]))
        self.begin = self._settled(begin, start, hold, initial)
        self.changed = self.begin.changed
        self.warnings += [*late_start(model, float(instants[0])), *self.begin.warnings]
        self.floats = self.system.floats.copy()
        self.first_system = self.system
        self.clock = np.array([start])
        self.equations = equations_of(options)
        self._make_vector()
        self.control = np.zeros(step_control.CONTROL_SIZE)
        self.control[step_control.LAST_NORM] = 1e-2
        self.control[step_control.TOUCHED] = 1.0  # what lies behind the start is not known
        self.penalties = np.array([options.penalty, PASSES if options.treatment.iterated else 1.0, 0.0])
        self.choose_rows(self.begin.q, start)
        self._make_tables()
        self.control[step_control.NEXT] = self._first_step(float(instants[-1] - instants[0]))
        for force in model.forces:  # a run may begin with an impact
            note_impact(self, force)
        self.holds.begin()
        self.controllers = Controllers(self)

    def _settled(self, begin: Start | None, time: float, hold: tuple[Any, ...], initial: Wanted | None) -> Start:
        """Where the run begins; light parts that move by themselves there are given their own inertia."""
        rows, fresh = self.acting_rows, begin is None
        if begin is None and self.corrected:
            begin = consistent_start(self.system, rows, time, hold, initial)
        elif begin is None:
            begin = Start(self.system.start.copy(), drawn_velocity(self.system))
        massless = bool(self.system.ints[L.HAS_MASSLESS])
        refuse_pushed(self.system, rows, time, begin.q, self._looks(time) if massless else ())
        if fresh:
            self._name_undetermined(rows, time, begin.q)
        own_inertias_where_free(self.system, rows, time, begin.q)
        return begin

    def _name_undetermined(self, rows: list[int], time: float, q: Array) -> None:
        """Warn of massless bodies whose motion nothing determines."""
        found = undetermined(self.system, rows, time, q) if int(self.system.ints[L.HAS_MASSLESS]) else []
        self.warnings += [RunWarning(MASSLESS, text) for text in undetermined_sentences(found)]

    def _looks(self, time: float) -> Array:
        """Times at which forces are looked at before the run: evenly spread, and between corners."""
        end = float(self.instants[-1])
        table = self.breaks.table
        corners = _distinct(np.concatenate([[time, end], table[:, :2].ravel() if table.size else []]))
        corners = corners[(corners >= time) & (corners <= end)]
        between = 0.5 * (corners[1:] + corners[:-1])
        return _distinct(np.concatenate([np.linspace(time, end, LOOKS), between]))[:MOST_LOOKS]

    def _make_vector(self) -> None:
        """What is integrated, as it is at the start: positions, velocities, inner states, works; and what the equations add."""
        q, v, inner = self.begin.q, self.begin.v, self.system.inner_start
        self.inner_at = q.size + v.size
        size = self.inner_at + int(self.system.ints[L.N_STATES]) + len(self.system.forces) + 1
        self.whole = np.zeros(size + self.equations.more(self.system.ints))
        self.y = self.whole[:size]
        self.y[: self.inner_at] = np.concatenate([q, v])
        self.y[self.inner_at : self.inner_at + inner.size] = inner
        if any(row.is_driver for row in self.system.rows):
            # energy of a creep of a thousandth of a scale per second: below it, works need not be accurate
            creep = SLOWEST * self.system.column_scales()
            self.equations.counted[cartesian.ENERGY_MET] = kinetic_energy(self.system, q, creep)

    def _make_tables(self) -> None:
        """Room for what is recorded at every time."""
        n_forces, n_rows = len(self.system.forces), len(self.system.rows)
        kept = self.equations.kept(self.system.ints)
        ends = np.cumsum([self.y.size, self.system.n_columns, 2 * n_forces, 2, n_rows, kept])
        make: Callable[[int, int], Array] = (
            (lambda *shape: np.zeros(shape)) if self.keeper is None else self.keeper.table
        )
        self.rows = make(self.instants.size, int(ends[-1]))
        # views
        self.Y, self.A, self.OUTS, self.ENERGIES, self._lam, self.kept_rows = np.split(self.rows, ends[:-1], axis=1)
        self.LAM = make(self.instants.size, n_rows)
        self.marked = 0
        self._mark_rows()

    @property
    def evaluations(self) -> float:
        """Evaluations of the equations so far."""
        return float(sum(each.counted[seam.EVALUATIONS] for each in self.all_equations))

    @property
    def all_equations(self) -> list[Cartesian]:
        """Equations of the run, and those that it changes to near singular positions."""
        return [self.equations, *([self.crossing.own["equations"]] if self.crossing.own else [])]

    @property
    def q(self) -> Array:
        """Coordinates now, a view."""
        return self.y[: self.system.n_coordinates]

    @property
    def v(self) -> Array:
        """Velocities now, a view."""
        nq = self.system.n_coordinates
        return self.y[nq : nq + self.system.n_columns]

    def _mark_rows(self) -> None:
        """Tell rows that are still to come from those that are complete."""
        wanted = self.instants.size if self.keeper is None else min(self.instants.size, self.done + MARKED)
        if wanted > self.marked:
            self.ENERGIES[max(self.marked, self.done) : wanted] = np.nan
            self.marked = wanted

    def find_breaks(self, start: float) -> None:
        """Times from now on at which a formula of time has a corner or a jump."""
        self.breaks_from = start
        watched = [(f"event {e.name!r}", as_expression(e.when, f"event {e.name!r}")) for e in self.user_events]
        watched += [(f"switch {s.name!r}", s.when) for s in self.model.switches.values()]
        end = float(self.instants[-1])
        if self.pulses is None or self.pulses[0] is not self.model:  # another model: numbers were changed
            own = self.options.method.back_end is None  # solvers of others step over what happens meanwhile
            self.pulses = (self.model, pulses_of(self.model, start, end, watched) if own else np.zeros(0))
        calls = sampling(self.model, float(self.instants[0]), end)
        self.breaks = find_breaks(self.model, start, end, watched, calls, self.pulses[1])

    @property
    def acting_rows(self) -> list[int]:
        """Active equations now, redundant ones too."""
        return self.steady_rows() + self.holds.rows()

    def steady_rows(self) -> list[int]:
        """Active equations now, but for those that forces bring into play by turns."""
        rows = active_rows(self.system, phase=self.phase)
        return [k for k in rows if self.system.rows[k].owner not in self.released]

    @property
    def acting(self) -> list[str]:
        """Joints, constraints and drivers that act now."""
        return list(dict.fromkeys(self.system.rows[k].owner for k in self.steady_rows()))

    def choose_rows(self, q: Array, time: float) -> None:
        """Act with rows that are independent in a position."""
        rows = self.acting_rows
        ordered = [k for k in rows if not self.system.rows[k].is_driver] + [
            k for k in rows if self.system.rows[k].is_driver
        ]
        self.redundant: tuple[int, ...] = ()
        if surely_independent(self.system, q, time, ordered):
            self._use_rows(ordered, q, time)
            return
        found = rank_at(self.system, q, time, ordered)
        if found.redundant and not truly_redundant(self.system, ordered, found, q, time):
            names = ", ".join(dict.fromkeys(repr(self.system.rows[ordered[k]].owner) for k in found.redundant))
            raise SingularError(
                f"at t = {time:g} s model {self.model.name!r} is in a singular position: {names} depends on the other constraints "
                "there, but not nearby, so the reactions are not determined. Start in another position."
            )
        if found.rank == self.system.n_columns and not any(self.system.rows[k].is_driver for k in ordered):
            self._note_rounded_loop(ordered, q, time)
        self.redundant = tuple(ordered[k] for k in found.redundant)
        self._use_rows(starting_rows(self.system, q, time, ordered, found), q, time)

    def _note_rounded_loop(self, rows: list[int], q: Array, time: float) -> None:
        """Warn of a model that cannot move and could with dimensions of more digits."""
        hint = rounded_loop(self.system, rows, q, time)
        if hint and not any(w.kind == "closure gap" for w in self.warnings):
            text = f"model {self.model.name!r} cannot move, and its rows depend on each other nearly.{hint}"
            self.warnings.append(RunWarning("closure gap", text, time=time))

    def _use_rows(self, rows: list[int], q: Array, time: float) -> None:
        """Act with these rows; where there are redundant ones, say when to choose anew."""
        self.active = tuple(rows)
        self.pattern = self.row_pattern()
        self.control[step_control.WEAK] = (
            weakened(self.system, rk.WEAKENED) * measure_of(self.system, q, time, rows) if self.redundant else 0.0
        )

    def row_pattern(self) -> NDArray[np.int64]:
        """Elimination pattern of the active equations; forces that depend on reactions see the redundant ones share the load."""
        asked = int(self.system.ints[L.N_REACTIONS]) > 0
        return pattern(self.system, self.active, sorted(set(self.acting_rows) - set(self.active)) if asked else ())

    def _choose_anew(self) -> None:
        """The rows in use have become nearly dependent: take others if that helps. In a truly singular position none are better."""
        rows, time = self.acting_rows, float(self.clock[0])
        chosen = [rows[k] for k in best_rows_at(self.system, self.q, time, rows, len(self.active))]
        now = measure_of(self.system, self.q, time, self.active)
        if not is_worth_changing(self.system, self.q, time, self.active, chosen, now):
            self.control[step_control.WEAK] *= weakened(self.system, rk.WEAKENED)
            return
        self.control[step_control.REFERENCE] = 0.0
        self._use_rows(chosen, self.q, time)

    def _choose_ahead(self) -> None:
        """The rows in use become dependent within the next step: take others that do not, or a shorter step, if others are better there."""
        rows, time = self.acting_rows, float(self.clock[0])
        until = float(self.control[step_control.AHEAD]) - time
        place = moved(self.system, self.q, until * self.v)
        chosen = [rows[k] for k in best_rows_at(self.system, place, time + until, rows, len(self.active))]
        now, then = (measure_of(self.system, place, time + until, each) for each in (self.active, chosen))
        if then < max(REGULAR, WORTH_CHANGING * now):
            self.control[step_control.WEAK] *= -1.0
        elif time != self.chosen_at and measure_of(self.system, self.q, time, chosen) > REGULAR:
            self.chosen_at = time
            self.control[step_control.REFERENCE] = 0.0
            self._use_rows(chosen, self.q, time)
        elif (
            self.options.method.fixed
            or then < rk.WORTH_A_CHOICE
            or until < SHORTEST * float(self.instants[-1] - self.instants[0])
        ):
            self.control[step_control.WEAK] *= -1.0
        else:
            self.control[step_control.NEXT], self.control[step_control.TRIES] = 0.5 * until, 0.0

    def _use_treatment(self, table: Table, ints: NDArray[np.int64]) -> None:
        """Enter what the treatment of constraints needs besides the equations."""
        if self.independent is None:
            table.put_data(seam.TREATMENT, self.penalties)
            return
        self.independent.choose(self.system, self.active, self.q, float(self.clock[0]))
        self.independent.enter(table, ints, self.system, self.active)

    def _partition_anew(self) -> bool:
        """Take other independent coordinates, if there are better ones here."""
        found = self.independent
        return found is not None and found.choose_anew(self.system, self.active, self.q, float(self.clock[0]))

    def _first_step(self, span: float) -> float:
        """A cautious start: the error control finds the right step within a few tries."""
        if span == 0.0:
            return 1.0
        speed = float(np.abs(self.v / self.system.column_scales()).max(initial=0.0))
        guess = 1e-3 * span
        if speed > 0.0:
            guess = min(guess, 0.01 / speed)
        return float(guess)

    # --- the run -----------------------------------------------------------------------------------------------------

    def go(self, bar: Progress, watch: Watch | None = None) -> None:
        began, before = clock.perf_counter(), self.seconds
        try:
            if self.keeper is None or not self.keeper.resumed:
                check_on_curves(self)
                self.controllers.sample(float(self.instants[0]))
                self._act_at_start()
            while self.done < self.instants.size:
                if self.keeper is not None:
                    self.seconds = before + clock.perf_counter() - began
                    self.keeper.before_piece(self)
                self._piece(bar, watch)
        finally:
            self.seconds = before + clock.perf_counter() - began
            if self.crossing.active:
                self.crossing.end(self)
        if self.left_curve is not None:
            raise left_curve(self)

    def _act_at_start(self) -> None:
        """Events and switches whose formula is zero at the start and goes their way fire there."""
        watch = self._look_out()
        due = due_now(self, watch)
        self._signs[due] = 0.0
        for k in due:
            act(self, watch.events[k])

    def _look_out(self) -> Watched:
        """What is watched now. User events come first: what is known of their signs is kept."""
        if self._watch is None:
            self._watch = watch_for(self)
            signs = np.full(max(1, len(self._watch.events)), np.nan)  # to be read at the first state
            known = self._signs[: len(self.user_events)]
            signs[: known.size] = known
            self._signs = signs
        return self._watch

    def look_anew(self) -> None:
        """Other conditions may count from now on."""
        self._watch = None

    def engine(self, watch: Watched, options: Array, ints: NDArray[np.int64]) -> Table:
        """Equations and method as the kernels take them, in the state that the run is in."""
        self.equations.counted[cartesian.CONTROL_WORK] = float(any(self.system.rows[k].is_driver for k in self.active))
        self.equations.begin(self.system, float(self.clock[0]), self.whole)
        table = self.equations.table(self, watch.system)
        if watch.others is not None:
            table.put_python_watch(watch.others)
        if self.options.method.back_end is not None:
            self._refuse_events(watch)
        self._use_treatment(table, ints)
        self._use_method(table, ints, options, self.choice.begin(self))
        return table

    def _piece(self, bar: Progress, spectator: Watch | None) -> None:
        """Integrate until an event, the end, or trouble."""
        watch = self._look_out()
        self.holds.read_signs(watch, self._signs)
        first = self.done
        total = self.instants[-1] - self.instants[0]
        options = self.options.step_lengths(float(total))
        ints = in_formulation(self.system, self.options.formulation.variant)
        table = self.engine(watch, options, ints)
        self.crossing.settle(self, table)
        if self.inside is not None:
            self.inside.put_words(self)
            if self.choice.method is not table.method:
                self._use_method(table, ints, options, self.choice.method)
            self.inside.put_numbers(self, table)
            self.inside = None
        try:
            while True:
                begin = self.done
                self._mark_rows()
                passed = self.breaks.after(float(self.clock[0]))

                def kernel(
                    instants: Array, steps: int, begin: int = begin, passed: int = passed
                ) -> tuple[int, int, int]:
                    options[rk.MAX_STEPS], options[rk.MAX_STIFF] = steps, self.choice.stiff_steps
                    if self._opens:
                        options[rk.LARGEST_STEP] = min(
                            self.options.step_lengths(float(total))[rk.LARGEST_STEP], self._hop()
                        )
                    if self.holds and self.choice.method.own_constraints:  # which goes back and tries again
                        self.control[step_control.FRESH] = 1.0
                    y = self.equations.vector(self)
                    try:
                        if self.options.method.back_end is not None:
                            options[rk.MAX_STEPS] = self.options.max_steps  # it goes through to the end
                            return self.options.method.back_end(  # type: ignore[no-any-return]
                                table, options, instants, self.clock, y, self.rows[begin:], self.counters, self.control
                            )
                        self.rates.choose(table)
                        return rk.integration_run(  # type: ignore[no-any-return]
                            table.entries, options, watch.directions, watch.noise, self._signs,
                            instants, self.breaks.table[passed:], self.clock, self.control, y, self.rows[begin:], self.counters,
                        )  # fmt: skip
                    finally:
                        self.rates.count(table)
                        self.equations.give_back(self)

                ahead, most = self.instants[begin:], self._steps_per_call(spectator is not None)
                done, status, index = self.holds.step(kernel, ahead) if self.holds else kernel(ahead, most)
                self.done = begin + int(done)
                if total > 0.0:
                    bar.update((self.clock[0] - self.instants[0]) / total, f"t = {self.clock[0]:.4g} s")
                if spectator is not None:
                    for k in range(begin, self.done):
                        spectator(float(self.instants[k]), self.Y[k, : self.system.n_coordinates].copy())
                if status not in (rk.NOT_A_NUMBER, rk.STEP_TOO_SMALL):
                    self._forgive_laws()
                self.crossing.note(self)
                self.pace.look(self)
                other = self.choice.look(self, table.numbers) if status == rk.TOO_MANY_STEPS else None
                if other is not None:
                    self._use_method(table, ints, options, other)
                if status == rk.TOO_MANY_STEPS and self.crossing.is_held_up(self):
                    status = HELD_UP
                if status != rk.TOO_MANY_STEPS or self.counters[rk.N_STEPS] >= self.options.max_steps:
                    break
                if self.pace.stuck:
                    status = rk.NO_PROGRESS
                    break
                if self.keeper is not None:
                    self.keeper.inside_piece(self, table, first)
        except KeyboardInterrupt:
            begun = slice(self.done, self.marked)
            self.done += complete_rows(self.ENERGIES[begun], self.A[begun])
            raise
        finally:
            self._note_work(table)
            self.end_segment(first)
        self._pass(int(status), int(index), watch, passed)

    def _pass(self, status: int, index: int, watch: Watched, passed: int) -> None:
        """Do what is due where the kernel has stopped; `passed` breaks were behind it when it began."""
        if status == rk.EVENT:
            event = watch.events[index]
            self._fire(watch, index)
            if watch.quantities and isinstance(event, Touch) and event.name not in self.holds.rigid:
                self.short_contacts.note(self, event.name, watch.quantities[index])
        elif status == rk.BREAK:
            pass_break(self, self.breaks.table[passed + index])
        elif status == CHANGE:
            self.holds.change()
        elif status == rk.CLOSE_BY:
            self.crossing.begin(self)
        elif status in (rk.PASSED_BY, HELD_UP):
            self.crossing.end(self, persists=status == HELD_UP)
        elif status == rk.WEAK_ROWS and index == 1:
            self._choose_ahead()
        elif status == rk.WEAK_ROWS:
            self._choose_anew()
        elif status == rk.EQUATIONS_CHANGE:
            self._partition_anew()
        elif status != rk.OK and not (status in (rk.NOT_A_NUMBER, rk.STEP_TOO_SMALL) and self._partition_anew()):
            raise stop_reason(self, status)

    def _fire(self, watch: Watched, index: int) -> None:
        """Apply an event and then the others of its time, also those whose formula the first one changed."""
        due = due_with(self, watch, index)
        self._signs[due] = 0.0
        for k in (index, *due):
            act(self, watch.events[k])

    def _refuse_events(self, watch: Watched) -> None:
        """Solvers of others know neither events nor times at which steps must end."""
        what = [repr(event.name) for event in watch.events] or [repr(name) for name in self.holds.all]
        what = what or (["corners in time"] if self.breaks.table.size else [])
        if what:
            raise ModelError(
                f"method {self.options.method.name!r} steps over what happens meanwhile, and this model has something to watch for: "
                f"{', '.join(what[:4])}. Use one of our own methods, such as 'bdf', 'radau5' or 'dop853'."
            )

    def _note_work(self, table: Table) -> None:
        """Add the works done in the steps of a method, whatever their signs, before its numbers are left."""
        if table.numbers.size > seam.WORKS_DONE:
            self.worked += float(table.numbers[seam.WORKS_DONE])
            table.numbers[seam.WORKS_DONE] = 0.0

    def _use_method(self, table: Table, ints: NDArray[np.int64], options: Array, method: Method) -> None:
        """Go on with a method, which knows nothing of what was before."""
        exact = EXACT if self.options.formulation.in_bodies else ()
        prepare([*method.routines, *((*DENSE, *exact) if method.implicit else ())])
        self._note_work(table)
        table.put_method(method)
        self.method_numbers, self.stepping = table.numbers, table
        self.sizes = int(table.entries[seam.N_ACTIVE]), self.equations.n_rows(table)
        explicit = not method.implicit and method.back_end is None
        table.put_rates_on_constraints(explicit and self.options.treatment.project and self.sizes[1] > 0)
        if method.implicit:
            self.equations.put_matrices(table, self.system, ints, self.pattern)
        if method.own_constraints:
            self.equations.put_steps(table, self.system, method)
        self.crossing.enter(self, table, method)
        self.control[step_control.FRESH] = 1.0

    def _forgive_laws(self) -> None:
        """A law raised, but a shorter step went well: say so once, and go on."""
        for law in self.system.laws:
            if law.complaint():
                text = f"{law.complaint()}, in a step that was then tried shorter and went well; check the law there."
                if not any(w.kind == "law" for w in self.warnings):
                    self.warnings.append(RunWarning("law", text, time=float(self.clock[0])))
                law.forget()

    @property
    def _opens(self) -> bool:
        """True if redundant equations may open within closure_tolerance: rows in use must then stay far from dependence."""
        return bool(self.redundant) and slack(self.system) > 0.0

    def _hop(self) -> float:
        """Largest step after which the rows in use are looked at, where the gap of others grows as they weaken."""
        speed = float(np.abs(self.v / self.system.column_scales()).max(initial=0.0))
        return HOP / speed if speed > 0.0 else float("inf")

    def _steps_per_call(self, watched: bool) -> int:
        """How many steps a kernel call may take so that neither Ctrl-C nor a spectator waits long."""
        if self._opens:
            return OPEN_CHUNK
        taken = int(self.counters[rk.N_STEPS])
        slow = watched or taken == 0 or not HAVE_JIT or any(not law.compiled for law in self.system.laws)
        most = SLOW_CHUNK if slow else CHUNK
        # times inside the steps take time as well
        per_step = self.system.n_columns * (1 + self.done // max(1, taken))
        return max(5, min(most, self.choice.patience, WORK_PER_CALL // max(1, per_step)))

    def end_segment(self, first: int) -> None:
        """Keep with which model and rows the times since `first` were computed, and what these carried."""
        first = first if self.keeper is None else max(first, self.keeper.kept)
        order = self.pattern[int(self.pattern[L.P_AT_ROWS]) :][: len(self.active)]
        self.LAM[first : self.done][:, order] = self._lam[first : self.done, : len(self.active)]
        segment = Segment(first, self.done, self.model, self.system, tuple(self.acting_rows), self.floats, self.pattern)
        if self.segments and self.segments[-1].goes_on_as(segment):
            segment = replace(segment, first=self.segments.pop().first)
        self.segments.append(segment)

    # --- afterwards --------------------------------------------------------------------------------------------------

    def result(self, *, hurry: bool = False) -> Result:
        """What was computed. In a hurry, loads that were not yet shared are not a number, and the books are not looked through."""
        found = self.computed(hurry=hurry) if self.keeper is None else self.keeper.gathered(self, hurry=hurry)
        return replace(found, warnings=(*self.warnings, *(about_haste(found) if hurry else doubts(self, found))))

    def computed(self, first: int = 0, *, hurry: bool = False) -> Result:
        """What was computed from a time on, as it is: nothing is said about doubts."""
        return computed_by(self, first, hurry)

    def release(self) -> None:
        """End the circular references of a run that nobody uses any more, so that its memory is free without the garbage collector."""
        del self.holds, self.controllers


def _distinct(values: Array) -> Array:
    """Sorted values without repeats; `numpy.unique` imports `numpy.ma`, which runs do not use."""
    return np.array(sorted(set(values.tolist())))
