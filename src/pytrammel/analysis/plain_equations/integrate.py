"""Integrate plain differential equations with the methods and the run of the mechanisms."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.messages import short, unlike
from pytrammel._util.progress import Progress, complete_rows, is_partial_allowed
from pytrammel.analysis.events.breaks import merged_breaks
from pytrammel.analysis.events.events import Event, check_different_names
from pytrammel.analysis.methods import DEFAULT, MAX_STEPS, Method, chosen_method, method_named, unsolved
from pytrammel.analysis.options import instants_of, tool
from pytrammel.analysis.plain_equations.plain import PlainEquations, absolute_tolerance, read_equations
from pytrammel.analysis.runs.automatic import Choice
from pytrammel.analysis.runs.fit import fewer_steps, refuse_countless_steps, refuse_plain
from pytrammel.errors import ConvergenceError, ModelError, RunWarning, tell
from pytrammel.expressions.breakpoints import breakpoints
from pytrammel.expressions.expression import Expression
from pytrammel.kernels import engine as seam
from pytrammel.kernels import run as rk
from pytrammel.kernels import step_control
from pytrammel.kernels.equations import plain
from pytrammel.kernels.jit import prepare
from pytrammel.results.events import EventReport
from pytrammel.results.studies.integration import Effort, Integration

Array = NDArray[np.float64]
FEWEST_STEPS, MOST_STEPS = 5, 100_000  # per call of the kernel
HEARD = 0.1  # seconds: how long Ctrl-C may have to wait
FASTEST = (
    1e6  # e-foldings within the time since the start, at the rate of growth now, that mark an escape in finite time
)
LARGEST = 1e290  # value from which the next steps of an exponential growth exceed the largest number
ROUNDING = 1e-15  # a smaller relative error cannot be told from rounding
BITS, ROUNDINGS = 16, 30.0  # of every state: what they can do to an event's formula, times this, is no crossing
A_MOMENT = 1e-7  # of a run: what an event's formula does right after the start


@tool("atol", "initial", "given")
def integrate(
    equations: Any,
    initial: Any,
    duration: float | None = None,
    *,
    start_time: float = 0.0,
    samples: int = 201,
    output_step: float | None = None,
    times: ArrayLike | None = None,
    given: Mapping[str, Any] | None = None,
    method: str | Method = DEFAULT,
    rtol: float = 1e-8,
    atol: float | Sequence[float] | Mapping[str, float] = 1e-10,
    max_step: float = math.inf,
    events: Sequence[Event] = (),
    progress: bool = True,
) -> Integration:
    """Integrate differential equations that are no mechanism.

        tm.textbook.integrate({"x''": "-k*x - c*x'"}, {"x": 1.0, "x'": 0.0}, 10.0, given={"k": 4.0, "c": 0.1})
        tm.textbook.integrate(lambda t, y: (y[1], -4.0 * y[0]), [1.0, 0.0], 10.0, method=tm.methods.abm4(step=0.01))

    Args:
        equations: Formulas of the rates by name, ``{"x": "v", "v": "-x"}``, or of the highest derivatives, ``{"x''": "-x"}``; texts,
            ``["x' = v", "v' = -x"]``, also implicit ones, ``["m*x'' + c*x' + k*x = 0"]``, with constraints of index 1 to 3,
            ``["x'' = -l*x", "y'' = -l*y - g", "x^2 + y^2 = 1"]``; or a function f(t, y) that gives y', with y
            an array, or a number if `initial` is one. Functions are compiled if Numba can, else called back.
        initial: Values at the start: by name; for a function also a list or a number. Of implicit equations the highest derivatives may
            be guessed, where there are several; quantities without derivatives must be.
        duration: Length of the run.
        start_time, samples, output_step, times: Output times, as in `simulate`; they do not influence the integration.
        given: Parameters of formulas by name: numbers, or formulas of t.
        method: Integration method: a name, or an object of ``tm.methods`` with options. The `starter` of a multistep method is the name of
            an explicit Runge–Kutta method, or the states after the first 1, 2, … steps, shape (k, states).
        rtol, atol: Allowed error per step: rtol |y| + atol for each state; atol may be a list, or by name.
        max_step: Largest step.
        events: What to watch for: formulas of the states and t. They are reported, and may stop the run.
        progress: Show a progress bar if the run takes longer than a second.

    Raises:
        ConvergenceError: The integration stopped; ``error.partial`` holds what was computed. What a function raised is the error's
            ``__cause__``.

    Ctrl-C ends the run early: what was computed comes back, with ``result.interrupted`` set.
    """
    read = read_equations(equations, initial, given, start_time if isinstance(start_time, float | int) else 0.0)
    instants = instants_of(2 * len(read.names), duration, samples, output_step, times, start_time)
    refuse_plain(method_named(method))
    scheme, step, max_steps = chosen_method(method, len(read.names))
    refuse_countless_steps(scheme, float(instants[-1] - instants[0]), step or 0.0, max_step, max_steps)
    run = PlainRun(
        read, instants, scheme, rtol=rtol, atol=absolute_tolerance(atol, read.names), time_step=step or 0.0, max_step=max_step,
        events=events, max_steps=max_steps,
    )  # fmt: skip
    with Progress("integration", enabled=progress) as bar:
        run.go(bar)
    result = run.result()
    tell(result.warnings, result)
    return result


class PlainRun:
    """One integration: kernel calls between events."""

    def __init__(
        self, equations: PlainEquations, instants: Array, method: Method, *, rtol: float = 1e-8, atol: Array | None = None,
        time_step: float = 0.0, max_step: float = math.inf, events: Sequence[Event] = (), max_steps: int = MAX_STEPS,
        scale: float = 1.0,
    ) -> None:  # fmt: skip
        self.equations, self.instants, self.method = equations, instants, method
        self.rtol, self.time_step, self.max_steps = rtol, time_step, max_steps
        n = len(equations.names)
        if not method.fixed and rtol < ROUNDING:
            texts = unlike(rtol, ROUNDING, digits=6)
            raise ModelError(
                f"rtol = {texts[0]} asks for more than double precision can give; the limit is {texts[1]}."
            )
        allowed = np.full(n, 1e-10) if atol is None else atol
        self.events = tuple(_checked(event) for event in events)
        check_different_names(self.events)
        watched = [equations.formula(e.when, f"event {e.name!r}") for e in self.events]
        first, last = float(instants[0]), float(instants[-1])
        self.breaks = self._breaks(watched, first, last)
        if method.back_end is not None and equations.projects:
            raise ModelError(
                f"method {method.name!r} has no projection, which equations of index 2 and 3 need after every step. Use one of our own "
                "methods, such as 'dop853' or 'radau5'."
            )
        if method.back_end is not None and (watched or self.breaks.table.size):
            what = f"event {self.events[0].name!r}" if watched else "a corner in time"
            raise ModelError(
                f"method {method.name!r} steps over what happens meanwhile, and there is something to watch for: {what}. Use one of "
                "our own methods, such as 'bdf', 'radau5' or 'dop853'."
            )
        prepare(["integration_run", *equations.needs(method)])
        self.table, self.counted = equations.table(method, rtol, allowed, watched, scale)
        self.y = scale * equations.start
        self.clock = np.array([self.breaks.start(first)])
        self.rows = np.full((instants.size, 2 * n), np.nan)
        self.counters = np.zeros(rk.N_COUNTERS)
        self.options = np.zeros(rk.N_OPTIONS)
        self.options[rk.FIXED_STEP] = time_step if method.fixed else 0.0
        self.options[rk.LARGEST_STEP] = min(max_step, (last - first) or 1.0)
        self.control = np.zeros(step_control.CONTROL_SIZE)
        self.control[[step_control.LAST_NORM, step_control.FRESH, step_control.TOUCHED]] = 1e-2, 1.0, 1.0
        self.choice = Choice(method)
        self.choice.begin(self)
        self.done, self.asked = 0, instants.size
        self.seconds = 0.0
        self.interrupted = False
        self.reports: list[EventReport] = []
        self.warnings: list[RunWarning] = [RunWarning("method", method.doubt)] if method.doubt else []
        self.directions = np.array([e.direction for e in self.events] or [0], dtype=np.int64)
        self.noise, self._signs = np.zeros(max(1, len(watched))), np.full(max(1, len(watched)), np.nan)
        self.control[step_control.NEXT] = self._first_step(allowed, last - first)
        if watched:
            self._look_at_start(watched)

    def _breaks(self, watched: Sequence[Expression], first: float, last: float) -> Any:
        found = [t for f in self.equations.all_formulas for t in breakpoints(f, first, last, "the equations")]
        for event, formula in zip(self.events, watched, strict=True):
            found += list(breakpoints(formula, first, last, f"event {event.name!r}", zeros=formula.names == {"t"}))
        return merged_breaks([(float(t), False) for t in found], first, last)

    def _rates_now(self) -> Array:
        return self.equations.rates(float(self.clock[0]), self.equations.start)

    def _first_step(self, allowed: Array, span: float) -> float:
        """A cautious start: the error control finds the right step within a few tries."""
        y, rates = np.abs(self.equations.start), np.abs(self._rates_now())
        with np.errstate(all="ignore"):
            allowed = self.rtol * y + allowed
            size, speed = float(np.nanmax(y / allowed)), float(np.nanmax(rates / allowed))
        guess = 1e-3 * span or 1.0
        if size > 0.0 and speed > 0.0 and math.isfinite(size / speed):
            guess = min(guess, max(0.01 * size / speed, 1e-6 * guess))
        return float(guess)

    def _look_at_start(self, watched: Sequence[Expression]) -> None:
        """Events whose formula is zero at the start and goes their way fire there; what rounding does to formulas is no crossing."""
        t = self.breaks.told(float(self.clock[0]))
        y = self.equations.start
        dt = A_MOMENT * max(float(self.instants[-1] - self.instants[0]), 1e-9)
        names = (*self.equations.inner, "t")
        now = np.append(y, t)
        soon = np.append(y + dt * self._rates_now(), t + dt)
        nudges = BITS * np.finfo(float).eps * np.maximum(np.abs(now), 1.0)
        due = []
        with np.errstate(all="ignore"):
            for k, (event, formula) in enumerate(zip(self.events, watched, strict=True)):

                def value(x: Array, formula: Expression = formula) -> float:
                    return float(formula.evaluate(dict(zip(names, map(float, x), strict=True))))

                here, later = value(now), value(soon)
                rounding = sum(abs(value(now + nudge) - here) for nudge in np.diag(nudges))
                self.noise[k] = 0.0 if formula.names == {"t"} else ROUNDINGS * rounding
                leaves = 0 if abs(later) <= rounding else int(np.sign(later))
                if abs(here) <= rounding and (event.direction == 0 or leaves in (0, event.direction)):
                    due.append(k)
        self._signs[due] = 0.0
        self._due = due

    # --- the run -----------------------------------------------------------------------------------------------------

    def go(self, bar: Progress) -> None:
        began = clock.perf_counter()
        function = self.equations.function
        steps = FEWEST_STEPS
        try:
            for k in getattr(self, "_due", []):
                self._act(self.events[k])
            while self.done < self.instants.size:
                called, before = clock.perf_counter(), self.counters[rk.N_STEPS]
                self.options[rk.MAX_STEPS] = min(steps, self.choice.patience, self.max_steps - before)
                self.options[rk.MAX_STIFF] = self.choice.stiff_steps
                status, index = self._call()
                taken, lasted = self.counters[rk.N_STEPS] - before, clock.perf_counter() - called
                steps = int(np.clip(HEARD * max(1.0, taken) / max(lasted, 1e-6), FEWEST_STEPS, MOST_STEPS))
                span = self.instants[-1] - self.instants[0]
                if span > 0.0:
                    bar.update((self.clock[0] - self.instants[0]) / span, f"t = {self.clock[0]:.4g}")
                failed = status in (rk.NOT_A_NUMBER, rk.STEP_TOO_SMALL)
                if function is not None and not failed and function.complaint():
                    self._forgive(function.complaint())
                    function.forget()
                other = self.choice.look(self, self.table.numbers) if status == rk.TOO_MANY_STEPS else None
                if other is not None:
                    self._use(other)
                if status == rk.EVENT:
                    self._act(self.events[index])
                elif failed or (status == rk.TOO_MANY_STEPS and self.counters[rk.N_STEPS] >= self.max_steps):
                    self.seconds = clock.perf_counter() - began
                    raise self._stopped(status)
        except KeyboardInterrupt:
            self.done += complete_rows(self.rows[self.done :])
            if not self.done or not is_partial_allowed():
                raise
            self.interrupted = True
            text = f"the run was interrupted at t = {self.clock[0]:.6g}: {self.done} of {self.asked} instants were computed."
            self.warnings.append(RunWarning("interrupted", text, time=float(self.clock[0])))
        self.seconds = clock.perf_counter() - began

    @property
    def evaluations(self) -> float:
        """Evaluations of the rates so far."""
        return float(self.counted[seam.EVALUATIONS])

    def _use(self, method: Method) -> None:
        """Go on with another method, which knows nothing of what was before."""
        prepare(self.equations.needs(method))
        self.equations.put_method(self.table, method)
        self.control[step_control.FRESH] = 1.0

    def _call(self) -> tuple[int, int]:
        passed = self.breaks.after(float(self.clock[0]))
        if self.method.back_end is not None:
            self.options[rk.MAX_STEPS] = self.max_steps  # it goes through to the end
            done, status, index = self.method.back_end(
                self.table, self.options, self.instants, self.clock, self.y, self.rows, self.counters
            )
            self.done = int(done)
            return int(status), int(index)
        done, status, index = rk.integration_run(
            self.table.entries, self.options, self.directions, self.noise, self._signs, self.instants[self.done :],
            self.breaks.table[passed:], self.clock, self.control, self.y, self.rows[self.done :], self.counters,
        )  # fmt: skip
        self.done += int(done)
        return int(status), int(index)

    def _forgive(self, complaint: str) -> None:
        """The function raised, but a shorter step went well: say so once, and go on."""
        if not any(w.kind == "function" for w in self.warnings):
            text = f"{complaint}, in a step that was then tried shorter and went well; check it there."
            self.warnings.append(RunWarning("function", text, time=float(self.clock[0])))

    def _act(self, event: Event) -> None:
        told = self.breaks.told(float(self.clock[0]))
        self.reports.append(EventReport(event.name, told, "", 0.0, event.stop))
        if event.stop:
            ended = self.done > 0 and self.instants[self.done - 1] in (told, self.clock[0])
            kept = self.instants[: self.done]
            self.instants = kept if ended else np.append(kept, self.clock[0])
            self.rows = self.rows[: max(self.instants.size, 1)]

    def _stopped(self, status: int) -> ConvergenceError:
        t = float(self.clock[0])
        function = self.equations.function
        cause = None
        if function is not None and function.complaint():
            why, cause = f"{function.complaint()}.", function.error
        elif self._beyond():
            why = self._beyond()
        elif status == rk.NOT_A_NUMBER:
            why = self._not_a_number(t)
        elif status == rk.STEP_TOO_SMALL and self._escape(t):
            why = self._escape(t)
        elif status == rk.STEP_TOO_SMALL and self._unsolved():
            why = f"no step is short enough: {self._unsolved()}"
        elif status == rk.STEP_TOO_SMALL:
            why = (
                f"the step became smaller than the clock resolves. The tolerance rtol = {self.rtol:g} cannot be met there: the solution "
                "may go to infinity, or its rates jump."
            )
        else:
            span, steps = float(self.instants[-1] - self.instants[0]), (self.time_step, self.options[rk.LARGEST_STEP])
            limit = fewer_steps(self.method, span, steps, self.max_steps, self.rtol)
            why = f"it has taken {self.max_steps} steps; raise max_steps of the method, {limit}, or take a method for stiff equations."
        text = f"the integration stopped at t = {t:.6g}: {why} {self.done} of {self.asked} instants were computed (error.partial)."
        error = ConvergenceError(text, partial=self.result())
        error.__cause__ = cause
        return error

    def _beyond(self) -> str:
        """What to say of a variable that exceeds what numbers can hold; empty if none does."""
        y = self.y / self.counted[plain.SCALE]
        k = int(np.argmax(np.abs(y))) if y.size else 0
        if not y.size or not abs(y[k]) > LARGEST:
            return ""
        name = self.equations.names[k]
        return f"{name} = {y[k]:.3g} grows beyond the largest number. Tolerances and steps do not matter; end the run before."

    def _escape(self, t: float) -> str:
        """What to say of a variable that goes to infinity in a finite time; empty if none does."""
        y = self.y / self.counted[plain.SCALE]
        with np.errstate(all="ignore"):
            try:
                growth = np.asarray(self.equations.rates(t, y), dtype=float) / y
            except ConvergenceError:
                return ""
        growth = np.where(np.isfinite(growth), growth, 0.0)
        k = int(np.argmax(growth))
        if not growth[k] * (t - float(self.instants[0])) > FASTEST:
            return ""
        return (
            f"{self.equations.names[k]} = {y[k]:.3g} grows ever faster: it escapes to infinity in a finite time, near t = "
            f"{t + 1.0 / growth[k]:.6g}. Tolerances and steps do not matter; end the run before."
        )

    def _not_a_number(self, t: float) -> str:
        y = self.y / self.counted[plain.SCALE]
        with np.errstate(all="ignore"):
            try:
                rates = self.equations.rates(t, y)
            except ConvergenceError as problem:
                return str(problem)
        names = self.equations.names
        wrong = [name for name, rate in zip(names, rates, strict=True) if not math.isfinite(rate)]
        at = ", ".join(f"{name} = {value:.6g}" for name, value in zip(names[:6], y, strict=False))
        if wrong:
            return f"the rate of {', '.join(wrong)} is not a number there ({at})."
        if self._unsolved():
            return self._unsolved()
        advice = "shorten the step of the method" if self.method.fixed else "the solution may go to infinity there"
        return f"a step from there meets rates that are not a number ({at}); {advice}."

    def _unsolved(self) -> str:
        """What to say where the iteration of an implicit method does not converge; empty where it does."""
        if not self.table.numbers[seam.UNSOLVED]:
            return ""
        worst, names = self.table.worst(), self.equations.names
        where = "" if worst is None or worst >= len(names) else f"the equation of {names[worst]}"
        return unsolved(self.table.method or self.method, self.time_step, where)

    def result(self) -> Integration:
        """What was computed."""
        k, n = self.done, len(self.equations.names)
        return Integration(
            names=self.equations.names,
            times=self.instants[:k].copy(),
            y=self.rows[:k, :n].copy(),
            rates=self.rows[:k, n:].copy(),
            method=self.choice.uses[0].name if self.method.name == DEFAULT else self.method.name,
            statistics=Effort(
                int(self.counters[rk.N_STEPS]), int(self.counters[rk.N_REJECTED]), int(self.counted[seam.EVALUATIONS]), self.seconds
            ),
            events=tuple(self.reports),
            warnings=tuple(self.warnings),
            interrupted=self.interrupted,
            methods=tuple(self.choice.uses),
            others=self.equations.others(self.instants[:k], self.rows[:k, :n]),
        )  # fmt: skip


def _checked(event: Any) -> Event:
    if not isinstance(event, Event):
        raise ModelError(f"events= must be a list of tm.Event(...), but it holds {short(event)}.")
    for key in ("change", "impulse", "enter", "release"):
        if getattr(event, key):
            raise ModelError(
                f"event {event.name!r}: {key}= belongs to mechanisms; events of plain equations are reported and may stop the run."
            )
    return replace(event)
