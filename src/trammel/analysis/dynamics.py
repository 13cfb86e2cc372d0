"""Simulate: motion under forces."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trammel.analysis.assembly import active_rows, residuals
from trammel.analysis.initial import consistent_start, consistent_velocity
from trammel.analysis.kinematics import instants_of
from trammel.analysis.methods import Method, method_named
from trammel.analysis.mobility import truly_redundant
from trammel.analysis.rank import jacobian, rank_of
from trammel.analysis.ready import make_ready
from trammel.analysis.switching import hold_targets, measured_formula
from trammel.errors import ConvergenceError, ModelError, SingularError, TrammelError
from trammel.kernels import layout as L
from trammel.kernels import runge_kutta as rk
from trammel.kernels import step_control, steps
from trammel.kernels.measures import measures_run
from trammel.model.expression import Expression, as_expression
from trammel.model.force import ForceUse
from trammel.model.model import PlanarModel
from trammel.model.quantity import Quantity
from trammel.progress import Progress
from trammel.results.dynamics import DynamicsData, EventReport, StepStatistics
from trammel.results.result import Result
from trammel.system.pattern import pattern
from trammel.system.planar import System, lower, lower_measures

Array = NDArray[np.float64]
ROUNDING = 1e-15  # errors smaller than this cannot be told from rounding
CHUNK = 400  # steps between looks at the progress bar


@dataclass(frozen=True)
class Event:
    """Something to watch for during a simulation, and what to do then.

    Attributes:
        name: Name in the report.
        when: Formula of measured quantities and t; the event is its passing zero.
        direction: +1 rising, -1 falling, 0 either way.
        stop: End the simulation there.
        change: Parameters to change from then on, per force, body or joint name: ``{"brake": {"stiffness": 0.0}}``.
        impulse: Impulses to apply: (point or body, (px, py)) or (body, angular impulse) [N s, N m s].
        enter: Phase to enter.
    """

    name: str
    when: str | Expression
    direction: int = 0
    stop: bool = False
    change: Mapping[str, Mapping[str, Any]] | None = None
    impulse: Sequence[tuple[Any, Any]] = ()
    enter: str | None = None


def simulate(
    model: PlanarModel,
    duration: float | None = None,
    *,
    samples: int = 201,
    step: float | None = None,
    times: ArrayLike | None = None,
    start: float = 0.0,
    method: Literal["dop853", "dopri5", "rk4"] = "dop853",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    time_step: float | None = None,
    max_step: float = math.inf,
    constraints: Literal["projection", "baumgarte", "none"] = "projection",
    alpha: float = 5.0,
    beta: float = 5.0,
    hold: Sequence[str] = (),
    correct: bool = True,
    events: Sequence[Event] = (),
    max_steps: int = 10_000_000,
    progress: bool = True,
) -> Result:
    """Integrate the motion of a model under its forces.

    The default needs no tuning: an eighth-order method with error control and projection onto the constraints after every
    step. Starting positions and velocities are made consistent first.

    Args:
        model: The model; every body needs a mass and an inertia.
        duration: Length of the run [s].
        samples, step, times, start: Output instants, as in `kinematics`; they do not influence the integration.
        method: "dop853" (order 8), "dopri5" (order 5, better for many contacts) or "rk4" (fixed step, as in the program DAP).
        rtol: Allowed error per step: positions against the model's size, velocities against the fastest one.
        atol: Allowed absolute error, in units of the model's size.
        time_step: Step of "rk4" [s].
        max_step: Largest step [s].
        constraints: How constraints are held: "projection" after each step, "baumgarte" stabilisation with `alpha` and `beta`, or
            "none" (they drift).
        hold: Coordinates ("crank.phi") and velocities ("crank.omega") that the correction of the start must leave alone.
        correct: Make the start consistent; False takes it as drawn.
        events: What to watch for.
        max_steps: Give up after this many steps.
        progress: Show a progress bar if the run takes longer than a second.

    Raises:
        ConvergenceError: The integration stopped; ``error.partial`` holds what was computed.
    """
    if constraints not in ("projection", "baumgarte", "none"):
        raise ModelError(f"constraints={constraints!r} is not known; use 'projection', 'baumgarte' or 'none'.")
    if not (rtol > 0.0 and atol >= 0.0):
        raise ModelError(f"rtol = {rtol} and atol = {atol}: rtol must be greater than 0 and atol not negative.")
    instants = instants_of(duration, samples, step, times, start)
    scheme = method_named(method)
    if scheme.fixed:
        if time_step is None:
            raise ModelError(f"method {method!r} has no error control; give time_step= [s].")
        if not time_step > 0.0:
            raise ModelError(f"time_step is {time_step:g} s; it must be greater than 0.")
    options = _Options(
        scheme,
        rtol,
        atol,
        time_step or 0.0,
        max_step,
        constraints,
        alpha,
        beta,
        max_steps,
    )
    check_events(model, events)
    kernels = ["dynamics_run", "assemble_run", "jacobian_run", "measures_run", "reactions_run"]
    make_ready(model, kernels, forces=True, formulas=[as_expression(e.when, f"event {e.name!r}") for e in events])
    run = _Simulation(model, instants, options, tuple(events), tuple(hold), correct)
    if not scheme.fixed and rtol + atol < ROUNDING:
        run.instants = instants[:1]
        run.go(Progress("start", enabled=False))
        raise ConvergenceError(
            f"rtol = {rtol:g} with atol = {atol:g} asks for more than double precision can give; the limit is {ROUNDING:g}.",
            partial=run.result(),
        )
    with Progress("simulation", enabled=progress) as bar:
        try:
            run.go(bar)
        except KeyboardInterrupt:
            run.interrupted = True
    return run.result()


class _Touch(Event):
    """The beginning or end of a contact, named after its force: not reported, but steps end there."""


@dataclass(frozen=True)
class _Options:
    method: Method
    rtol: float
    atol: float
    time_step: float
    max_step: float
    constraints: str
    alpha: float
    beta: float
    max_steps: int

    def arrays(self, span: float) -> tuple[Array, ...]:
        """The method as the kernel takes it: options, tableau, weights, extra stages, interpolant."""
        m = self.method
        stabilised = self.constraints == "baumgarte"
        options = np.zeros(rk.N_OPTIONS)
        options[rk.RTOL], options[rk.ATOL] = self.rtol, self.atol
        options[rk.FIXED_STEP] = self.time_step if m.fixed else 0.0
        options[rk.LARGEST_STEP] = min(self.max_step, span or 1.0)
        options[rk.ALPHA], options[rk.BETA] = (self.alpha, self.beta) if stabilised else (0.0, 0.0)
        options[rk.ORDER], options[rk.PROJECT], options[rk.MAX_STEPS] = (
            m.order,
            float(self.constraints == "projection"),
            CHUNK,
        )
        weights = np.zeros((4, m.b.size + 1))
        weights[steps.B_ROW, :-1], weights[steps.C_ROW, :-1] = m.b, m.c
        weights[steps.E5_ROW], weights[steps.E3_ROW] = m.e5, m.e3
        tables = (options, m.a, weights, m.a_extra, m.c_extra, m.dense)
        return tuple(np.ascontiguousarray(t, dtype=float) for t in tables)


class _Simulation:
    """One run: kernel calls between events, each with its own set of rows."""

    def __init__(
        self,
        model: PlanarModel,
        instants: Array,
        options: _Options,
        events: tuple[Event, ...],
        hold: tuple[str, ...],
        correct: bool,
    ) -> None:
        self.model, self.instants, self.options = model, instants, options
        self.user_events = events
        self._watch: tuple[list[Event], System, NDArray[np.int64]] | None = None
        self._signs = np.zeros(0)
        self.system = lower(model, dynamics=True)
        self.floats = self.system.floats.copy()
        self.phase = next(iter(model.phases), None)
        self.reports: list[EventReport] = []
        self.counters = np.zeros(rk.N_COUNTERS)
        self.counters[rk.SMALLEST_ANGLE] = 1.0
        self.done = 0
        self.seconds = 0.0
        self.interrupted = False
        n, nf = self.system.n_columns, len(self.system.forces)
        count = instants.size
        start = float(instants[0])
        rows = self._rows()
        if correct:
            q, v, self.changed = consistent_start(self.system, rows, start, hold)
        else:
            from trammel.analysis.initial import drawn_velocity

            q, v, self.changed = (
                self.system.start.copy(),
                drawn_velocity(self.system),
                [],
            )
        self._choose_rows(q, start)
        self.y = np.concatenate([q, v, np.zeros(int(self.system.ints[L.N_STATES]) + nf + 1)])
        self.stored = self._stored(start)
        self.Y = np.zeros((count, self.y.size))
        self.A = np.zeros((count, n))
        self.LAM = np.zeros((count, len(self.system.rows)))
        self.OUTS = np.zeros((count, max(1, 2 * nf)))
        self.ENERGIES = np.zeros((count, 2))
        self.clock = np.array([start])
        self.control = np.zeros(step_control.CONTROL_SIZE)
        self.control[step_control.LAST_NORM] = 1e-2
        self.segments: list[tuple[int, int, NDArray[np.int64], tuple[int, ...], Array]] = []
        span = float(instants[-1] - instants[0])
        self.control[step_control.NEXT] = self._first_step(span)

    def _rows(self) -> list[int]:
        return active_rows(self.system, phase=self.phase)

    def _choose_rows(self, q: Array, time: float) -> None:
        rows = self._rows()
        ordered = [k for k in rows if not self.system.rows[k].is_driver] + [
            k for k in rows if self.system.rows[k].is_driver
        ]
        found = rank_of(jacobian(self.system, q, time, ordered))
        if found.redundant and not truly_redundant(self.system, ordered, found, q, time):
            names = ", ".join(dict.fromkeys(repr(self.system.rows[ordered[k]].owner) for k in found.redundant))
            raise SingularError(
                f"at t = {time:g} s model {self.model.name!r} is in a singular position: {names} depends on the other constraints "
                "there, but not nearby, so the reactions are not determined. Start in another position."
            )
        self.redundant = tuple(ordered[k] for k in found.redundant)
        self.active = tuple(ordered[k] for k in found.independent)
        self.pattern = pattern(self.system, self.active)

    def _stored(self, time: float) -> Array:
        """Energy in each spring at the start, where its law gives it in closed form; zero elsewhere."""
        n = self.system.n_columns
        out = np.zeros(len(self.system.forces))
        for k, force in enumerate(self.system.forces):
            if force.use.stored is not None and force.use.along is not None:
                x, _ = measured_value(self.model, force.use.along, time, self.y[:n], self.y[n : 2 * n])
                out[k] = float(force.use.stored.evaluate({"x": x}))
        return out

    def _first_step(self, span: float) -> float:
        """A cautious start: the error control finds the right step within a few tries."""
        if span == 0.0:
            return 1.0
        speed = float(
            np.abs(self.y[self.system.n_columns : 2 * self.system.n_columns] / self.system.column_scales()).max(
                initial=0.0
            )
        )
        guess = 1e-3 * span
        if speed > 0.0:
            guess = min(guess, 0.01 / speed)
        return float(guess)

    # --- the run -----------------------------------------------------------------------------------------------------

    def go(self, bar: Progress) -> None:
        began = clock.perf_counter()
        try:
            while self.done < self.instants.size:
                self._piece(bar)
        finally:
            self.seconds = clock.perf_counter() - began

    def _watched(self) -> tuple[list[Event], System, NDArray[np.int64]]:
        """Events of the user, switches of the present phase, and first touches that a law must know of."""
        watched = list(self.user_events)
        for s in self.model.switches.values():
            if s.leave == self.phase:
                watched.append(Event(s.name, s.when, s.direction, enter=s.enter))
        # steps end where contacts begin and end, so that no step straddles the kink in the force
        for force in self.model.forces.values():
            if any(use.role == "contact" for use in force.uses) and {
                "gap",
                "distance",
            } & set(force.measures):
                watched.append(_Touch(force.name, _touch_formula(force)))
        formulas = [measured_formula(self.model, e.name, as_expression(e.when, f"event {e.name!r}")) for e in watched]
        directions = np.array([e.direction for e in watched] or [0], dtype=np.int64)
        return watched, lower_measures(self.model, formulas), directions

    def _piece(self, bar: Progress) -> None:
        """Integrate until an event, the end, or trouble."""
        if self._watch is None:
            self._watch = self._watched()
            self._signs = np.full(max(1, len(self._watch[0])), np.nan)  # to be read at the first state
        watched, watch, directions = self._watch
        first = self.done
        method = self.options.arrays(float(self.instants[-1] - self.instants[0]))
        total = self.instants[-1] - self.instants[0]
        lam = np.zeros((self.instants.size, len(self.active)))
        try:
            while True:
                begin = self.done
                done, status, index = rk.dynamics_run(
                    self.system.ints, self.floats, self.pattern, *method, watch.ints, watch.floats, directions, self._signs,
                    self.instants[begin:], self.clock, self.control, self.y, self.Y[begin:], self.A[begin:], lam[begin:],
                    self.OUTS[begin:], self.ENERGIES[begin:], self.counters,
                )  # fmt: skip
                self.done = begin + int(done)
                if total > 0.0:
                    bar.update((self.clock[0] - self.instants[0]) / total, f"t = {self.clock[0]:.4g} s")
                if status != rk.TOO_MANY_STEPS or self.counters[rk.N_STEPS] >= self.options.max_steps:
                    break
        finally:  # also when the user interrupts
            order = self.pattern[int(self.pattern[L.P_AT_ROWS]) :][: len(self.active)]
            self.LAM[first : self.done][:, order] = lam[first : self.done]
            targets = self.system.targets(self.floats).copy()
            self.segments.append((first, self.done, self.pattern, tuple(self._rows()), targets))
        if status == rk.EVENT:
            self._act(watched[int(index)])
        elif status != rk.OK:
            raise self._trouble(int(status), int(index))

    def _act(self, event: Event) -> None:
        """Do what an event asks for."""
        t = float(self.clock[0])
        n = self.system.n_columns
        before = self.y[n : 2 * n].copy()
        if isinstance(event, _Touch):
            self._note_impact(event.name)
            return
        if event.change or event.enter is not None:
            self._watch = None  # other conditions may count from now on
        if event.change:
            self._change(event)
        if event.enter is not None:
            self.phase = event.enter
            self.floats = hold_targets(self.system, self.floats, self.model.phases[event.enter], self.y[:n], t)
        if event.enter is not None or event.impulse:
            self._choose_rows(self.y[:n], t)
            self._jump(event, t)
        if event.stop:
            # the run ends here: make this its last instant
            recorded = self.done > 0 and self.instants[self.done - 1] == t
            self.instants = self.instants[: self.done] if recorded else np.append(self.instants[: self.done], t)
        jump = np.abs(self.y[n : 2 * n] - before)
        worst = int(np.argmax(jump / self.system.column_scales())) if n else 0
        self.reports.append(
            EventReport(
                event.name,
                t,
                self.system.columns[worst] if n else "",
                float(jump[worst]) if n else 0.0,
                event.stop,
            )
        )

    def _note_impact(self, name: str) -> None:
        """Lankarani–Nikravesh damping needs the speed at first touch."""
        force = self.model.forces[name]
        if force.impact_slot is None:
            return
        n = self.system.n_columns
        quantity = force.measures.get("gap") or force.measures["distance"]
        _, rate = measured_value(self.model, quantity, float(self.clock[0]), self.y[:n], self.y[n : 2 * n])
        if rate >= 0.0:
            return  # parting, not touching
        speed = max(-rate, 1e-9)
        for lowered in self.system.forces:
            if lowered.owner == name:
                self.floats[lowered.floats + int(force.impact_slot or 0)] = speed

    def _change(self, event: Event) -> None:
        """Go on with other numbers; what is held or remembered stays."""
        before, old_floats = self.system, self.floats
        self.model = self.model.copy(changes=event.change)
        fresh = lower(self.model, dynamics=True)
        if fresh.columns != before.columns or len(fresh.forces) != len(before.forces):
            raise ModelError(f"event {event.name!r} changes the structure of the model; change numbers only.")
        self.system = fresh
        self.floats = fresh.floats.copy()
        if self.phase is not None:
            held = fresh.rows_of(self.model.phases[self.phase].hold)
            fresh.targets(self.floats)[held] = before.targets(old_floats)[held]
        for old, new in zip(before.forces, fresh.forces, strict=True):
            slot = self.model.forces[new.owner].impact_slot
            if slot is not None:
                self.floats[new.floats + slot] = old_floats[old.floats + slot]
        self._book_change(before, fresh)
        self.pattern = pattern(fresh, self.active)

    def _book_change(self, before: System, fresh: System) -> None:
        """Energy that springs gain by being exchanged is work put in from outside."""
        n = fresh.n_columns
        for k, (old, new) in enumerate(zip(before.forces, fresh.forces, strict=True)):
            if old.use.stored is None or new.use.stored is None or new.use.along is None:
                continue
            x = measured_value(self.model, new.use.along, float(self.clock[0]), self.y[:n], self.y[n : 2 * n])[0]
            gain = float(new.use.stored.evaluate({"x": x})) - float(old.use.stored.evaluate({"x": x}))
            self.y[self.y.size - len(fresh.forces) - 1 + k] -= gain
            self.y[-1] += gain

    def _jump(self, event: Event, t: float) -> None:
        """Velocities after an impulsive change: momentum balance with the constraints that act from now on."""
        from trammel.analysis.inverse import mass_matrix

        n = self.system.n_columns
        q = self.y[:n]
        mass = mass_matrix(self.system, q)
        momentum = mass @ self.y[n : 2 * n]
        for place, amount in event.impulse:
            body = self.model.body_of(place)
            k = self.system.columns.index(f"{body.name}.x")
            if isinstance(amount, int | float):
                momentum[k + 2] += float(amount)
                continue
            point = self.model.place(place, None, f"the impulse of event {event.name!r}", origin=True)
            c, s = math.cos(q[k + 2]), math.sin(q[k + 2])
            sx, sy = c * point.xi - s * point.eta, s * point.xi + c * point.eta
            momentum[k : k + 3] += [
                amount[0],
                amount[1],
                sx * amount[1] - sy * amount[0],
            ]
        scales, row_scales = (
            self.system.column_scales(),
            self.system.row_scales()[list(self.active)],
        )
        from trammel.analysis.initial import velocity_target

        J = jacobian(self.system, q, t, self.active) / scales * row_scales[:, None]
        nu = velocity_target(self.system, self.active, t, q) * row_scales
        m = len(self.active)
        kkt = np.block([[mass, -J.T], [J, np.zeros((m, m))]])
        solution, *_ = np.linalg.lstsq(kkt, np.concatenate([momentum, nu]), rcond=None)
        before = self.y[n : 2 * n].copy()
        self.y[n : 2 * n] = solution[:n]
        # what the impulse gives or takes is booked as work put in
        self.y[-1] += 0.5 * float(solution[:n] @ mass @ solution[:n] - before @ mass @ before)

    # --- afterwards --------------------------------------------------------------------------------------------------

    def _trouble(self, status: int, detail: int) -> TrammelError:
        t = float(self.clock[0])
        if status == rk.NOT_A_NUMBER:
            culprit = self._not_a_number(t)
            text = f"the simulation stopped at t = {t:.6g} s: {culprit}"
        elif status == rk.STEP_TOO_SMALL:
            text = (
                f"the simulation stopped at t = {t:.6g} s: the step became smaller than the clock resolves. The tolerance rtol = "
                f"{self.options.rtol:g} cannot be met there; loosen it, soften the stiffest contact or spring, or look for a "
                "singular position."
            )
        else:
            text = (
                f"the simulation stopped at t = {t:.6g} s after {self.options.max_steps} steps; raise max_steps or loosen "
                f"rtol = {self.options.rtol:g}."
            )
        text += f" {self.done} of {self.instants.size} instants were computed (error.partial)."
        return ConvergenceError(text, partial=self.result())

    def _not_a_number(self, t: float) -> str:
        """Which force law, constraint or mass gives a value that is not a number."""
        from trammel.analysis.inverse import evaluate_state

        n = self.system.n_columns
        for law, force in zip(
            self.system.laws,
            [f for f in self.system.forces if f.use.function is not None],
            strict=True,
        ):
            if law.error is not None:
                return f"the law of {force.owner!r} raised {type(law.error).__name__}: {law.error}"
        for ahead in (
            0.0,
            5.0 * float(self.control[step_control.NEXT]),
        ):  # the step that failed was five times the next one
            state = evaluate_state(
                self.system,
                self.floats,
                self.pattern,
                t + ahead,
                self.y[:n] + ahead * self.y[n : 2 * n],
                self.y[n : 2 * n],
            )
            for k, force in enumerate(self.system.forces):
                if not np.isfinite(state.forces[k]):
                    raised = self._raised(
                        force.use, t + ahead, self.y[:n] + ahead * self.y[n : 2 * n], self.y[n : 2 * n]
                    )
                    if raised is not None:
                        return f"the law of {force.owner!r} raised {type(raised).__name__}: {raised}"
                    return f"the force {force.use.label!r} of {force.owner!r} is not a number there; check its law."
        gap = residuals(self.system, self.y[:n], t)
        for k, row in enumerate(self.system.rows):
            if not np.isfinite(gap[k]):
                return f"constraint {row.owner!r} gives a value that is not a number there."
        return "the equations have no solution there (a singular position, or a coordinate without mass that nothing holds)."

    def _raised(self, use: ForceUse, t: float, q: Array, v: Array) -> Exception | None:
        """The exception that a user's function raises at a state, if it does."""
        if use.function is None:
            return None
        arguments = []
        for given in use.inputs.values():
            if given.quantity is None:
                arguments.append(t)
            else:
                arguments.append(measured_value(self.model, given.quantity, t, q, v)[int(given.kind == "rate")])
        try:
            use.function(*arguments)
        except Exception as error:  # whatever the user's code may raise
            return error
        return None

    def result(self) -> Result:
        k = self.done
        n = self.system.n_columns
        counters = self.counters
        data = DynamicsData(
            multipliers=self.LAM[:k].copy(),
            outputs=self.OUTS[:k].copy(),
            work=self.Y[:k, self.y.size - len(self.system.forces) - 1 :].copy(),
            inner_states=self.Y[:k, 2 * n : self.y.size - len(self.system.forces) - 1].copy(),
            kinetic=self.ENERGIES[:k, 0].copy(),
            gravity=self.ENERGIES[:k, 1].copy(),
            segments=tuple((a, min(b, k), p) for a, b, p, *_ in self.segments),
            events=tuple(self.reports),
            changed=tuple(self.changed),
            floats=self.floats,
            stored_at_start=self.stored,
            statistics=StepStatistics(
                int(counters[rk.N_STEPS]), int(counters[rk.N_REJECTED]), int(counters[rk.N_EVALUATIONS]),
                float(counters[rk.LARGEST_PHI]), float(counters[rk.LARGEST_RATE]), float(counters[rk.SMALLEST_ANGLE]),
                int(counters[rk.N_FORCED]),
            ),
            interrupted=self.interrupted,
        )  # fmt: skip
        notes = np.zeros((k, 4))
        return Result(
            model=self.model,
            system=self.system,
            times=self.instants[:k].copy(),
            q=self.Y[:k, :n].copy(),
            v=self.Y[:k, n : 2 * n].copy(),
            a=self.A[:k].copy(),
            notes=notes,
            redundant=tuple(dict.fromkeys(self.system.rows[r].owner for r in self.redundant)),
            seconds=self.seconds,
            checks=tuple((a, min(b, k), rows, targets) for a, b, _, rows, targets in self.segments),
            dynamics=data,
        )


def measured_value(model: PlanarModel, quantity: Quantity, t: float, q: Array, v: Array) -> tuple[float, float]:
    """Value and rate of a quantity at one state."""
    small = lower_measures(model, [quantity])
    values, rates, seconds = (np.zeros((1, 1)) for _ in range(3))
    zeros = np.zeros((1, q.size))
    measures_run(
        small.ints,
        small.floats,
        np.array([t]),
        q.reshape(1, -1).copy(),
        v.reshape(1, -1).copy(),
        zeros,
        values,
        rates,
        seconds,
    )
    return float(values[0, 0]), float(rates[0, 0])


def check_events(model: PlanarModel, events: Sequence[Event]) -> None:
    """Find mistakes in events before the run, not in the middle of it."""
    for event in events:
        if event.enter is not None and event.enter not in model.phases:
            known = ", ".join(model.phases) or "none"
            raise ModelError(
                f"event {event.name!r}: there is no phase {event.enter!r} to enter; the model has: {known}."
            )
        if event.change:
            model.copy(changes=event.change)
        for place, amount in event.impulse:
            body = model.body_of(place)
            if body.name == "ground":
                raise ModelError(f"event {event.name!r}: an impulse on the ground does nothing; name a moving body.")
            if not isinstance(amount, int | float) and len(amount) != 2:
                raise ModelError(
                    f"event {event.name!r}: an impulse is a number [N m s] or two components [N s], not {amount!r}."
                )
        measured_formula(model, f"event {event.name!r}", as_expression(event.when, f"event {event.name!r}"))


def _touch_formula(force: Any) -> Expression:
    measure = "gap" if "gap" in force.measures else "distance"
    reach = sum(force.parameters["radii"]) if "radii" in force.parameters else 0.0
    return as_expression(f"{force.name}.{measure} - {float(reach)!r}", force.name)


__all__ = ["Event", "consistent_velocity", "simulate"]
