"""A running simulation: kernel calls between events, each with its own set of rows."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.at_state import in_formulation, kinetic_energy, measured_value, mechanical_energy
from trammel.analysis.events.breaks import find_breaks, jump_sentence
from trammel.analysis.events.curve_ends import CurveEnd
from trammel.analysis.events.events import Event, Touch, impact_speed
from trammel.analysis.events.holds import CHANGE, Holds
from trammel.analysis.events.impulses import SAME_SPEED, slips, velocities_after
from trammel.analysis.events.switching import hold_targets
from trammel.analysis.events.watching import Watched, due_now, watch_for
from trammel.analysis.formulations import Formulation, formulation
from trammel.analysis.freedom.mobility import truly_redundant
from trammel.analysis.freedom.rank import WORTH_CHANGING, best_rows_at, measure_of, rank_at, surely_independent
from trammel.analysis.freedom.sharing import smallest_multipliers
from trammel.analysis.methods import Method
from trammel.analysis.positions.assembly import active_rows, residuals
from trammel.analysis.runs.automatic import Choice
from trammel.analysis.runs.checkpoint import Inside, Keeper
from trammel.analysis.runs.controllers import Controllers, sampling
from trammel.analysis.runs.doubts import about_haste, doubts
from trammel.analysis.runs.engine import DENSE, EXACT, Table
from trammel.analysis.runs.pace import Pace
from trammel.analysis.runs.rotations import equations_of
from trammel.analysis.runs.run_partition import Independent, partition_for
from trammel.analysis.runs.stops import check_on_curves, left_curve, stop_reason
from trammel.analysis.start.conditions import Wanted
from trammel.analysis.start.idle import refuse_pushed
from trammel.analysis.start.initial import Start, consistent_start, drawn_velocity, velocity_target
from trammel.analysis.start.light import own_inertias_where_free
from trammel.analysis.treatments import Treatment, treatment_named
from trammel.errors import ConvergenceError, ModelError, RunWarning, SingularError
from trammel.kernels import engine as seam
from trammel.kernels import layout as L
from trammel.kernels import run as rk
from trammel.kernels import step_control
from trammel.kernels.equations import cartesian
from trammel.kernels.jit import HAVE_JIT, prepare
from trammel.model.base import Model
from trammel.model.expression import as_expression
from trammel.model.quantity import Quantity
from trammel.progress import Progress, complete_rows
from trammel.results.dynamics import DynamicsData, EventReport, StepStatistics
from trammel.results.result import Result
from trammel.results.segments import Segment
from trammel.system.lowering import lower
from trammel.system.pattern import pattern

Array = NDArray[np.float64]
CHUNK = 400  # steps between looks at the progress bar and the keyboard, at most
WORK_PER_CALL = 40_000  # steps times columns between such looks: a tenth of a second or so
SLOW_CHUNK = 20  # steps if Python itself computes them or a force law in them, and while somebody watches the motion
FITS = 1e-6  # of a row's scale: an opening that the next projection may close
CROWD, CROWDED = 1000, 1e-5  # so many events within this share of a run have no end
TORN = 1e-9  # of a row's scale: a jump of what a driver asks for that is more than rounding
OPEN = 1e-8  # of a row's scale: an opening that is put right in runs without error control
PASSES = 100  # of the iteration of multipliers, at most
MARKED = 1 << 16  # rows ahead of a streamed run that are marked as still to come
SLOWEST = 1e-3  # scales per second: the slowest motion whose velocity counts relative to itself

Watch = Callable[[float, Array], None]
"""Told time [s] and coordinates at every output instant."""


@dataclass(frozen=True)
class Options:
    method: Method
    rtol: float
    atol: float
    time_step: float
    max_step: float
    constraints: str
    alpha: float
    beta: float
    max_steps: int
    formulation: Formulation = field(default_factory=lambda: formulation("cartesian"))
    partition: str | tuple[str | Quantity, ...] = "lu-full"
    penalty: float = 1e10
    rotations: str = "velocities"
    euler_parameters: str = "corrected"
    corrected: bool = True
    formulation_reason: str = ""

    @property
    def said_formulation(self) -> str:
        """The formulation, and why it was chosen where that was left open."""
        return f"{self.formulation} ({self.formulation_reason})" if self.formulation_reason else str(self.formulation)

    @property
    def treatment(self) -> Treatment:
        """How constraints are held."""
        return treatment_named(self.constraints)

    @property
    def bound(self) -> float:
        """Opening of joints above which the hybrid treatment puts dependent coordinates right, in row scales."""
        if "alpha" not in self.treatment.takes:
            return 0.0
        return OPEN if self.method.fixed else self.rtol + self.atol

    def step_lengths(self, span: float) -> Array:
        """Step lengths as the kernel takes them."""
        options = np.zeros(rk.N_OPTIONS)
        options[rk.FIXED_STEP] = self.time_step if self.method.fixed else 0.0
        options[rk.LARGEST_STEP] = min(self.max_step, span or 1.0)
        return options


class Simulation:
    """One run: kernel calls between events, each with its own set of rows."""

    every_corner = False  # whether steps end also where a law bends so little that the motion hardly feels it

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
        self.keeper = keeper
        self.inside: Inside | None = None  # where a run that was cut goes on in the middle of a piece
        self.given, self.corrected = model, correct
        self.user_events = events
        self._watch: Watched | None = None
        self.sizes = (0, 0)  # numbers that are integrated, rows that hold by equations
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
        self.counters = np.zeros(rk.N_COUNTERS)
        self.counters[rk.SMALLEST_ANGLE] = 1.0
        self.done = 0
        self.seconds = 0.0
        self.interrupted = False
        self.left_curve: CurveEnd | None = None
        self.pace = Pace()
        self.choice = Choice(options.method)
        self.asked = instants.size
        self.warnings: list[RunWarning] = []
        n, nf = self.system.n_columns, len(self.system.forces)
        count = instants.size
        self._find_breaks(float(instants[0]))
        start = self.breaks.start(float(instants[0]))
        rows = self._rows()
        if begin is None and correct:
            begin = consistent_start(self.system, rows, start, hold, initial)
        elif begin is None:
            begin = Start(self.system.start.copy(), drawn_velocity(self.system))
        self.begin = begin
        q, v, self.changed = begin.q.copy(), begin.v.copy(), begin.changed
        refuse_pushed(self.system, rows, start, q)
        own_inertias_where_free(self.system, rows, start, q)
        self.floats = self.system.floats.copy()
        self.warnings += begin.warnings
        self.equations = equations_of(options)
        size = q.size + v.size + int(self.system.ints[L.N_STATES]) + nf + 1
        self.whole = np.zeros(size + self.equations.more(self.system.ints))  # as it is integrated
        self.y = self.whole[:size]
        self.y[: q.size + v.size] = np.concatenate([q, v])
        self.inner_at = q.size + v.size
        self.y[self.inner_at : self.inner_at + self.system.inner_start.size] = self.system.inner_start
        self.control = np.zeros(step_control.CONTROL_SIZE)
        self.control[step_control.LAST_NORM] = 1e-2
        self.penalties = np.array([options.penalty, PASSES if options.treatment.iterated else 1.0, 0.0])
        if any(row.is_driver for row in self.system.rows):
            # energy of a creep of a thousandth of a scale per second: below it, works need not be accurate
            creep = SLOWEST * self.system.column_scales()
            self.equations.counted[cartesian.ENERGY_MET] = kinetic_energy(self.system, q, creep)
        self.control[step_control.TOUCHED] = 1.0  # what lies behind the start is not known
        self._choose_rows(q, start)
        kept = self.equations.kept(self.system.ints)
        ends = np.cumsum([self.y.size, n, 2 * nf, 2, len(self.system.rows), kept])
        make: Callable[[int, int], Array] = (lambda *shape: np.zeros(shape)) if keeper is None else keeper.table
        self.rows = make(count, int(ends[-1]))
        self.Y, self.A, self.OUTS, self.ENERGIES, self._lam, self._kept = np.split(
            self.rows, ends[:-1], axis=1
        )  # views
        self.marked = 0
        self._mark_rows()
        self.LAM = make(count, len(self.system.rows))
        self.clock = np.array([start])
        self.segments: list[Segment] = []
        self.first_system = self.system
        self.model_changes: list[str] = []  # events that have changed numbers of the model
        span = float(instants[-1] - instants[0])
        self.control[step_control.NEXT] = self._first_step(span)
        for force in model.forces:  # a run may begin with an impact
            self._note_impact(force)
        self.holds.begin()
        self.controllers = Controllers(self)

    @property
    def evaluations(self) -> float:
        """Evaluations of the equations so far."""
        return float(self.equations.counted[seam.EVALUATIONS])

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

    def _find_breaks(self, start: float) -> None:
        """Instants from now on at which a formula of time has a corner or a jump."""
        self.breaks_from = start
        watched = [(f"event {e.name!r}", as_expression(e.when, f"event {e.name!r}")) for e in self.user_events]
        watched += [(f"switch {s.name!r}", s.when) for s in self.model.switches.values()]
        end = float(self.instants[-1])
        self.breaks = find_breaks(self.model, start, end, watched, sampling(self.model, float(self.instants[0]), end))

    def _rows(self) -> list[int]:
        return self._steady_rows() + self.holds.rows()

    @property
    def acting_rows(self) -> list[int]:
        """Rows that act now, redundant ones too."""
        return self._rows()

    def _steady_rows(self) -> list[int]:
        """Rows that act now, but for those that forces bring into play by turns."""
        rows = active_rows(self.system, phase=self.phase)
        return [k for k in rows if self.system.rows[k].owner not in self.released]

    @property
    def acting(self) -> list[str]:
        """Joints, constraints and drivers that act now."""
        return list(dict.fromkeys(self.system.rows[k].owner for k in self._steady_rows()))

    def _choose_rows(self, q: Array, time: float) -> None:
        rows = self._rows()
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
        self.redundant = tuple(ordered[k] for k in found.redundant)
        self._use_rows([ordered[k] for k in found.independent], q, time)

    def _use_rows(self, rows: list[int], q: Array, time: float) -> None:
        """Act with these rows; where there are redundant ones, say when to choose anew."""
        self.active = tuple(rows)
        self.pattern = self._pattern()
        self.control[step_control.WEAK] = (
            rk.WEAKENED * measure_of(self.system, q, time, rows) if self.redundant else 0.0
        )

    def _pattern(self) -> NDArray[np.int64]:
        """Elimination pattern of the active rows; forces that depend on reactions see the redundant ones share the load."""
        asked = int(self.system.ints[L.N_REACTIONS]) > 0
        return pattern(self.system, self.active, sorted(set(self._rows()) - set(self.active)) if asked else ())

    def _choose_anew(self) -> None:
        """The rows in use have become nearly dependent: take others if that helps. In a truly singular position none are better."""
        rows, time = self._rows(), float(self.clock[0])
        chosen = [rows[k] for k in best_rows_at(self.system, self.q, time, rows, len(self.active))]
        now = measure_of(self.system, self.q, time, self.active)
        if measure_of(self.system, self.q, time, chosen) < WORTH_CHANGING * now:
            self.control[step_control.WEAK] *= rk.WEAKENED
            return
        self.control[step_control.REFERENCE] = 0.0
        self._use_rows(chosen, self.q, time)

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
        if self.left_curve is not None:
            raise left_curve(self)

    def _act_at_start(self) -> None:
        """Events and switches whose formula is zero at the start and goes their way fire there."""
        watch = self._look_out()
        due = due_now(self, watch)
        self._signs[due] = 0.0
        for k in due:
            self._act(watch.events[k])

    def _look_out(self) -> Watched:
        """What is watched now. User events come first: what is known of their signs is kept."""
        if self._watch is None:
            self._watch = watch_for(self)
            signs = np.full(max(1, len(self._watch.events)), np.nan)  # to be read at the first state
            known = self._signs[: len(self.user_events)]
            signs[: known.size] = known
            self._signs = signs
        return self._watch

    def engine(self, watch: Watched, options: Array, ints: NDArray[np.int64]) -> Table:
        """Equations and method as the kernels take them, in the state that the run is in."""
        self.equations.counted[cartesian.CONTROL_WORK] = float(any(self.system.rows[k].is_driver for k in self.active))
        self.equations.begin(self.system, float(self.clock[0]), self.whole)
        table = self.equations.table(self, watch.system)
        if self.options.method.back_end is not None:
            self._refuse_events(watch)
        self._use_treatment(table, ints)
        self._use_method(table, ints, options, self.choice.begin(self))
        return table

    def _piece(self, bar: Progress, spectator: Watch | None) -> None:
        """Integrate until an event, the end, or trouble."""
        watch = self._look_out()
        self.holds.read_signs(watch.events, watch.system, self._signs)
        first = self.done
        total = self.instants[-1] - self.instants[0]
        options = self.options.step_lengths(float(total))
        ints = in_formulation(self.system, self.options.formulation.variant)
        table = self.engine(watch, options, ints)
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
                    if self.holds:  # which goes back and tries again
                        self.control[step_control.FRESH] = 1.0
                    y = self.equations.vector(self)
                    try:
                        if self.options.method.back_end is not None:
                            options[rk.MAX_STEPS] = self.options.max_steps  # it goes through to the end
                            return self.options.method.back_end(  # type: ignore[no-any-return]
                                table, options, instants, self.clock, y, self.rows[begin:], self.counters
                            )
                        return rk.integration_run(  # type: ignore[no-any-return]
                            table.entries, options, watch.directions, watch.noise, self._signs,
                            instants, self.breaks.table[passed:], self.clock, self.control, y, self.rows[begin:], self.counters,
                        )  # fmt: skip
                    finally:
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
                self.pace.look(self)
                other = self.choice.look(self, table.numbers) if status == rk.TOO_MANY_STEPS else None
                if other is not None:
                    self._use_method(table, ints, options, other)
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
            self.end_segment(first)
        self._pass(int(status), int(index), watch, passed)

    def _pass(self, status: int, index: int, watch: Watched, passed: int) -> None:
        """Do what is due where the kernel has stopped; `passed` breaks were behind it when it began."""
        if status == rk.EVENT:
            self._act(watch.events[index])
        elif status == rk.BREAK:
            self._pass_break(self.breaks.table[passed + index])
        elif status == CHANGE:
            self.holds.change()
        elif status == rk.WEAK_ROWS:
            self._choose_anew()
        elif status == rk.EQUATIONS_CHANGE:
            self._partition_anew()
        elif status != rk.OK and not (status in (rk.NOT_A_NUMBER, rk.STEP_TOO_SMALL) and self._partition_anew()):
            raise stop_reason(self, status)

    def _refuse_events(self, watch: Watched) -> None:
        """Solvers of others know neither events nor instants at which steps must end."""
        what = [repr(event.name) for event in watch.events] or [repr(name) for name in self.holds.all]
        what = what or (["corners in time"] if self.breaks.table.size else [])
        if what:
            raise ModelError(
                f"method {self.options.method.name!r} steps over what happens meanwhile, and this model has something to watch for: "
                f"{', '.join(what[:4])}. Use one of our own methods, such as 'bdf', 'radau5' or 'dop853'."
            )

    def _use_method(self, table: Table, ints: NDArray[np.int64], options: Array, method: Method) -> None:
        """Go on with a method, which knows nothing of what was before."""
        exact = EXACT if self.options.formulation.in_bodies else ()
        prepare([*method.routines, *((*DENSE, *exact) if method.implicit else ())])
        table.put_method(method)
        self.method_numbers, self.stepping = table.numbers, table
        self.sizes = int(table.entries[seam.N_ACTIVE]), self.equations.n_rows(table)
        explicit = not method.implicit and method.back_end is None
        table.put_rates_on_constraints(explicit and self.options.treatment.project and self.sizes[1] > 0)
        if method.implicit:
            self.equations.put_matrices(table, self.system, ints, self.pattern)
        if method.own_constraints:
            self.equations.put_steps(table, self.system, method)
        self.control[step_control.FRESH] = 1.0

    def _forgive_laws(self) -> None:
        """A law raised, but a shorter step went well: say so once, and go on."""
        for law in self.system.laws:
            if law.complaint():
                text = f"{law.complaint()}, in a step that was then tried shorter and went well; check the law there."
                if not any(w.kind == "law" for w in self.warnings):
                    self.warnings.append(RunWarning("law", text, time=float(self.clock[0])))
                law.forget()

    def _steps_per_call(self, watched: bool) -> int:
        """How many steps a kernel call may take so that neither Ctrl-C nor a spectator waits long."""
        taken = int(self.counters[rk.N_STEPS])
        slow = watched or taken == 0 or not HAVE_JIT or any(not law.compiled for law in self.system.laws)
        most = SLOW_CHUNK if slow else CHUNK
        per_step = self.system.n_columns * (
            1 + self.done // max(1, taken)
        )  # instants inside the steps take time as well
        return max(5, min(most, self.choice.patience, WORK_PER_CALL // max(1, per_step)))

    def end_segment(self, first: int) -> None:
        """Keep with which model and rows the instants since `first` were computed, and what these carried."""
        first = first if self.keeper is None else max(first, self.keeper.kept)
        order = self.pattern[int(self.pattern[L.P_AT_ROWS]) :][: len(self.active)]
        self.LAM[first : self.done][:, order] = self._lam[first : self.done, : len(self.active)]
        segment = Segment(first, self.done, self.model, self.system, tuple(self._rows()), self.floats, self.pattern)
        if self.segments and self.segments[-1].goes_on_as(segment):
            segment = replace(segment, first=self.segments.pop().first)
        self.segments.append(segment)

    def _act(self, event: Event) -> None:
        """Do what an event asks for."""
        t = float(self.clock[0])
        told = self.breaks.told(t)
        before = self.v.copy()
        if isinstance(event, Touch):
            if event.name in self.holds.rigid:
                self.holds.meet()
            self._note_impact(event.name)
            return
        if isinstance(event, CurveEnd):
            self.left_curve = event
            self._end_here(t)
            return
        energy = self._energy()
        if event.change or event.enter is not None or event.released:
            self._watch = None  # other conditions may count from now on
        if event.change:
            self._change(event)
        if event.enter is not None:
            self.phase = event.enter
            self.floats = hold_targets(self.system, self.floats, self.model.phases[event.enter], self.q, t)
        self.released |= set(event.released)
        if event.enter is not None or event.change:
            self._refuse_to_tear(event, t)
        slipping = event.change and slips(self.system, self.active, t, self.q, self.v)
        if event.enter is not None or event.impulse or event.released or slipping:
            self.holds.loosen()
            self._choose_rows(self.q, t)
            self._jump(event.impulse, t)
        # what an exchange of parts or a blow gives or takes is work put in from outside
        self.y[-1] += self._energy() - energy
        self.holds.begin()
        if event.stop:
            self._end_here(t if told in self.instants[max(0, self.done - 1) : self.done] else told)
        self._report(event.name, told, before, event.stop)
        self._refuse_crowds(t)

    def _refuse_crowds(self, t: float) -> None:
        """End a run whose events follow each other without end."""
        if len(self.reports) < CROWD:
            return
        crowd = self.reports[-CROWD:]
        if t - crowd[0].time <= CROWDED * max(abs(t), float(self.instants[-1] - self.instants[0])):
            names = ", ".join(dict.fromkeys(repr(report.name) for report in crowd))
            raise ConvergenceError(
                f"the simulation stopped at t = {t:.6g} s: the last {CROWD} events ({names}) follow each other within "
                f"{t - crowd[0].time:.2g} s, and there is no end to them. What they switch must not lead straight back: give the "
                "conditions some play, or stop the run at the first. "
                f"{self.done} of {self.instants.size} instants were computed (error.partial).",
                partial=self.result(),
            )

    def _pass_break(self, at: Array) -> None:
        """Over an instant at which a driver jumps: its velocity by an impulse, its position not at all."""
        before, after = float(at[rk.BEFORE]), float(at[rk.AFTER])
        self.controllers.sample(after)
        active = list(self.active)
        if not active:
            return
        scales = self.system.row_scales()[active]
        opened = (residuals(self.system, self.q, after) - residuals(self.system, self.q, before))[active]
        worst = int(np.argmax(np.abs(opened) / scales))
        if abs(opened[worst]) > TORN * scales[worst]:
            owner = self.model.constraints[self.system.rows[active[worst]].owner]
            size = f"by {-opened[worst]:.6g}"
            raise ModelError(jump_sentence(f"{owner.kind} {owner.name!r}", size, after), partial=self.result())
        speeds = [velocity_target(self.system, active, t, self.q) for t in (before, after)]
        change = np.abs(speeds[1] - speeds[0])
        worst = int(np.argmax(change))
        if change[worst] <= SAME_SPEED * max(1.0, float(np.abs(speeds).max())):
            return
        old, energy = self.v.copy(), self._energy()
        self.holds.loosen()
        self._jump((), after)
        self.y[-1] += self._energy() - energy
        self.holds.begin()
        self._report(f"velocity jump of {self.system.rows[active[worst]].owner}", self.breaks.told(after), old)

    def _report(self, name: str, time: float, old: Array, stop: bool = False) -> None:
        bodies = self.system.n_columns - len(self.system.extras)  # rates of curve parameters follow from theirs
        jump = np.abs(self.v - old)[:bodies]
        worst = int(np.argmax(jump / self.system.column_scales()[:bodies])) if jump.size else 0
        of, size = (self.system.columns[worst], float(jump[worst])) if jump.size else ("", 0.0)
        self.reports.append(EventReport(name, time, of, size, stop))

    def _end_here(self, t: float) -> None:
        """End the run now: make this its last instant."""
        recorded = self.done > 0 and self.instants[self.done - 1] == t
        self.instants = self.instants[: self.done] if recorded else np.append(self.instants[: self.done], t)

    def _note_impact(self, name: str) -> None:
        """Laws with restitution need the speed at first touch."""
        force = self.model.forces[name]
        if force.impact_slot is None:
            return
        speed = impact_speed(force, self.model, float(self.clock[0]), self.q, self.v)
        for lowered in self.system.forces:
            if lowered.owner == name and speed is not None:
                self.floats[lowered.floats + force.impact_slot] = speed

    def _change(self, event: Event) -> None:
        """Go on with other numbers; what is held or remembered stays."""
        before, old_floats = self.system, self.floats
        self.model = self.model.copy(changes=event.change)
        self.model_changes.append(event.name)
        fresh = lower(self.model, dynamics=True, measured=self.measured)
        if fresh.columns != before.columns or len(fresh.forces) != len(before.forces):
            raise ModelError(
                f"event {event.name!r} changes the structure of the model; change numbers only.", partial=self.result()
            )
        own_inertias_where_free(fresh, active_rows(fresh, phase=self.phase), float(self.clock[0]), self.q)
        self.system = fresh
        self.floats = fresh.floats.copy()
        if self.phase is not None:
            held = fresh.rows_of(self.model.phases[self.phase].hold)
            fresh.targets(self.floats)[held] = before.targets(old_floats)[held]
        for old, new in zip(before.forces, fresh.forces, strict=True):
            slot = self.model.forces[new.owner].impact_slot
            if slot is not None:
                self.floats[new.floats + slot] = old_floats[old.floats + slot]
        self.holds.take_over(before, old_floats)
        self._find_breaks(float(self.clock[0]))
        self.pattern = self._pattern()

    def _refuse_to_tear(self, event: Event, t: float) -> None:
        """Nothing teleports: an event after which a joint would be open ends the run."""
        rows = self._rows()
        held = self.system.targets(self.floats) - self.system.targets(self.system.floats)
        opened = (residuals(self.system, self.q, t) - held)[rows]
        gaps = np.abs(opened) / self.system.row_scales()[rows]
        if not gaps.size or gaps.max() <= FITS:
            return
        worst = int(np.argmax(gaps))
        joint = self.model.constraints[self.system.rows[rows[worst]].owner]
        raise ModelError(
            f"event {event.name!r} at t = {t:.6g} s would tear {joint.kind} {joint.name!r} open by {abs(opened[worst]):.6g} in an "
            "instant, and no body can be in two places at once. Change it gradually, with a driver or a formula of t, or when it fits. "
            f"{self.done} of {self.instants.size} instants were computed (error.partial).",
            partial=self.result(),
        )

    def _energy(self) -> float:
        """Energy that the model has now by its masses, gravity and springs with a formula [J]."""
        time = float(self.clock[0])
        total = mechanical_energy(self.system, self.q, self.v)
        for force in self.system.forces:
            if force.use.stored is not None:
                inputs = force.use.stored_inputs()
                known = {k: measured_value(self.model, x, time, self.q, self.v)[0] for k, x in inputs.items()}
                total += float(force.use.stored.evaluate(known))
        return total

    def _jump(self, impulses: Sequence[tuple[Any, Any]], t: float) -> None:
        """Velocities after an impulsive change."""
        self.v[:] = velocities_after(self.system, self.active, t, self.q, self.v, impulses)

    # --- afterwards --------------------------------------------------------------------------------------------------

    def _share(self, hurry: bool) -> None:
        """Redundant rows share the load with the smallest sum of squares; the motion does not depend on how."""
        for k, segment in enumerate(self.segments):
            used = segment.pattern
            assert used is not None
            active, chosen = used[int(used[L.P_AT_ROWS]) :][: int(used[L.P_ROWS])], list(segment.rows)
            if len(active) == len(chosen):
                continue
            span = slice(segment.first, segment.last)
            q = self.Y[span, : self.system.n_coordinates]
            self.LAM[span, chosen] = np.nan if hurry else smallest_multipliers(
                segment.system, chosen, active, self.instants[span], q, self.LAM[span]
            )  # fmt: skip
            self.segments[k] = replace(segment, pattern=pattern(segment.system, segment.rows))

    def result(self, *, hurry: bool = False) -> Result:
        """What was computed. In a hurry, loads that were not yet shared are not a number, and the books are not looked through."""
        found = self.computed(hurry=hurry) if self.keeper is None else self.keeper.gathered(self, hurry=hurry)
        return replace(found, warnings=(*self.warnings, *(about_haste(found) if hurry else doubts(self, found))))

    def computed(self, first: int = 0, *, hurry: bool = False) -> Result:
        """What was computed from an instant on, as it is: nothing is said about doubts."""
        span = slice(first, self.done)
        nq, n = self.system.n_coordinates, self.system.n_columns
        counters, counted = self.counters, self.equations.counted
        self._share(hurry)
        self.holds.report()
        data = DynamicsData(
            multipliers=self.LAM[span].copy(),
            outputs=self.OUTS[span].copy(),
            work=self.Y[span, self.y.size - len(self.system.forces) - 1 :].copy(),
            inner_states=self.Y[span, nq + n : self.y.size - len(self.system.forces) - 1].copy(),
            kinetic=self.ENERGIES[span, 0].copy(),
            gravity=self.ENERGIES[span, 1].copy(),
            events=tuple(self.reports),
            changed=tuple(self.changed),
            statistics=StepStatistics(
                int(counters[rk.N_STEPS]), int(counters[rk.N_REJECTED]), int(counted[seam.EVALUATIONS]),
                float(counted[seam.LARGEST_PHI]), float(counted[seam.LARGEST_RATE]), float(counters[rk.SMALLEST_ANGLE]),
                int(counters[rk.N_FORCED]), () if self.independent is None else tuple(self.independent.history),
                tuple(self.equations.history), *self.sizes,
            ),
            interrupted=self.interrupted,
            methods=tuple(self.choice.uses),
            formulation=self.options.said_formulation,
            parameters=self._kept[span].copy() if self._kept.size else None,
        )  # fmt: skip
        return Result(
            model=self.given,
            system=self.first_system,
            times=self.instants[span].copy(),
            q=self.Y[span, :nq].copy(),
            v=self.Y[span, nq : nq + n].copy(),
            a=self.A[span].copy(),
            notes=np.zeros((self.done - first, 4)),
            redundant=tuple(dict.fromkeys(self.system.rows[r].owner for r in self.redundant)),
            seconds=self.seconds,
            segments=tuple(self.segments),
            dynamics=data,
            interrupted=self.interrupted,
        )
