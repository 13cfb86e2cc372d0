"""Friction that sticks and rigid bodies that rest on each other: rows that forces bring into play by turns.

A row holds as long as it can: friction up to its limit, a rest as long as it pushes. The run looks after every step; where a row carried
too much, the step is taken back and repeated up to the time at which it reached its limit, and the row lets go there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.lazy_imports import optimize
from pytrammel._util.messages import apart
from pytrammel.analysis.at_state import StateValues, evaluate_state, evaluate_states, in_formulation, mass_matrix
from pytrammel.analysis.events import lapses
from pytrammel.analysis.events.events import Touch
from pytrammel.analysis.events.impacts import Touching, admittance, after_impact, solved
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.freedom.sharing import smallest_multipliers
from pytrammel.errors import ConvergenceError, ModelError, RunWarning, SingularError
from pytrammel.forces.force import Hold, Impact
from pytrammel.forces.friction import LEAST_SHARE, SLOW_SHARE
from pytrammel.kernels import layout as L
from pytrammel.kernels import newton, step_control
from pytrammel.kernels import run as rk
from pytrammel.kernels.measures import measures_run
from pytrammel.model.base import Model
from pytrammel.results.segments import Segment
from pytrammel.system.lowering import System
from pytrammel.system.positions import moved

if TYPE_CHECKING:
    from pytrammel.analysis.events.watching import Watched
    from pytrammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
Outcome = tuple[int, int, int]  # times done, status, event index
CHANGE = 100  # status of a step after which rows must come into play or let go
CLOSED = 1e-9  # share of the model's size below which a gap counts as closed
LAST_BOUNCE = 1e-6  # share of the fastest impact below which a bounce is the last one
SQUEEZED = 1e-6  # of the fastest approach at any contact: what still closes so fast after all blows is held
ROUNDING = 1e-9  # share of the forces at work by which a row may exceed what it can carry
MOST_ROUNDING = 5  # decades by which that share may grow where the clock does not advance
OVERLAP = 1e-6  # share of the model's size by which rigid bodies may overlap at the start
MOST_CHANGES = 500  # at one time
MOST_PATIENCE = 63  # steps
SHORTEST = 1e-12  # step at the onset of sliding, as a fraction of the time
GROWTH = 0.5  # step at the onset of sliding, as a fraction of the time since; the rate of friction there is one over that time
APPROACH = 0.8  # share of the time to a standstill at which a step of a given length ends before it
STANDING = 1e-12  # speed that counts as none [m/s]


@dataclass(frozen=True)
class _Carried:
    """What equations carry at one state.

    Attributes:
        margins: Per hold in play, what is left up to its limit [N or N m].
        size: What counts as one for them.
        spare: The same as functions without corners: of friction along one line, what is left either way.
        end: The state.
    """

    margins: dict[str, float]
    size: float
    spare: Array
    end: lapses.End


@dataclass(frozen=True)
class _Place:
    """Places of one hold.

    Attributes:
        rows: Its entries among the multipliers, or of its bristle among the forces.
        limit: Its limit among the forces; -1 without one.
        columns: Its margins.
    """

    name: str
    hold: Hold
    rows: list[int]
    limit: int
    columns: slice


@dataclass(frozen=True)
class _Places:
    """Places of the holds in play, valid for these rows.

    Attributes:
        on, system, pattern: What they are valid for.
        all: One for each hold.
        columns: Number of margins.
        active: Rows of the multipliers.
        shared: All active equations, if some are redundant and share the load; else none.
        scales: Weights of generalised forces, as forces [1/m or 1].
        ints: Integers of the formulation.
    """

    on: frozenset[str]
    system: System
    pattern: NDArray[np.int64]
    all: list[_Place]
    columns: int
    active: list[int]
    shared: list[int]
    scales: Array
    ints: NDArray[np.int64]


def left_out_at_rest(model: Model) -> str:
    """For sentences about balance at rest: what could hold there, but only in a simulation; empty if there is nothing."""
    named = ", ".join(repr(force.name) for force in model.forces.values() if force.holds)
    return (
        f" Friction that sticks and rigid contacts ({named}) hold only in simulate: let it come to rest there."
        if named
        else ""
    )


class Holds:
    """The rows that are in play, and the impacts that bring them there."""

    def __init__(self, run: Simulation) -> None:
        self.run = run
        self.on: frozenset[str] = frozenset()
        self.fastest: dict[str, float] = {}
        self._last, self._stalled = -np.inf, 0
        self._known: _Places | None = None
        self._latest: tuple[frozenset[str], _Carried] | None = None  # what was carried where it was last looked at
        self._stood: tuple[frozenset[str], Array, frozenset[str]] | None = None
        self._patience, self._waited = 0, 0  # steps to let pass before the next try to catch, and those passed
        self._onset: tuple[float, float] | None = (
            None  # time at which sliding began, and length of the first step from there [s]
        )
        self._read_model()

    def _read_model(self) -> None:
        self._known = self._latest = self._stood = None
        forces = self.run.model.forces.values()
        self.all: dict[str, Hold] = {hold.name: hold for force in forces for hold in force.holds}
        self.owner: dict[str, str] = {hold.name: force.name for force in forces for hold in force.holds}
        self.rigid: dict[str, Impact] = {force.name: force.impact for force in forces if force.impact is not None}

    def __bool__(self) -> bool:
        return bool(self.all)

    # --- what is in play ---------------------------------------------------------------------------------------------

    def rows(self) -> list[int]:
        """Rows in play now; a bristle holds without any."""
        acting = {name for name in self.on if self.all[name].bristle is None}
        return [k for k, row in enumerate(self.run.system.rows) if row.owner in acting]

    def watches(self, force: str) -> bool:
        """Return True if the beginning of a contact must be watched for: not where rigid bodies rest on each other already."""
        return force not in self.rigid or self.rigid[force].rest not in self.on

    def _rows_of(self, name: str) -> list[int]:
        return [k for k, row in enumerate(self.run.system.rows) if row.owner == name]

    def _uses(self, name: str) -> list[int]:
        """Places of the uses of a hold's force among all."""
        return [k for k, lowered in enumerate(self.run.system.forces) if lowered.owner == self.owner[name]]

    def _measured(self, accelerations: Array | None = None) -> tuple[Array, Array, Array]:
        """Values, rates and second rates of all rows now; the last without their share of accelerations unless these are given."""
        run = self.run
        values, rates, seconds = (np.zeros((1, len(run.system.rows))) for _ in range(3))
        measures_run(
            run.system.ints, run.floats, np.array([float(run.clock[0])]), run.q.reshape(1, -1).copy(), run.v.reshape(1, -1).copy(),
            np.zeros((1, run.system.n_columns)) if accelerations is None else accelerations.reshape(1, -1), values, rates, seconds,
        )  # fmt: skip
        return values[0], rates[0], seconds[0]

    def _state(self, ahead: float = 0.0) -> Any:
        """The equations of motion, solved now, or for velocities of now some time ahead."""
        run = self.run
        nq, n = run.system.n_coordinates, run.system.n_columns
        z = run.y[nq + n : nq + n + int(run.system.ints[L.N_STATES])].copy()
        t, formulation = float(run.clock[0]) + ahead, run.options.formulation.variant
        q = moved(run.system, run.q, ahead * run.v) if ahead else run.q
        return evaluate_state(run.system, run.floats, run.pattern, t, q, run.v, z, formulation=formulation)

    def _closed(self) -> dict[str, float]:
        """Rigid contacts that touch, and the rate of their gap [m/s]."""
        run = self.run
        if not self.rigid:
            return {}
        values, rates, _ = self._measured()
        gaps = values - run.system.targets(run.system.floats)
        found = {}
        for name, impact in self.rigid.items():
            (row,) = self._rows_of(impact.rest)
            if gaps[row] <= CLOSED * run.system.length:
                found[name] = float(rates[row])
        return found

    # --- stepping ----------------------------------------------------------------------------------------------------

    def step(self, call: Callable[[Array, int], Outcome], instants: Array) -> Outcome:
        """One step, and no further than the rows in play can hold; `call(instants, steps)` runs the kernel.

        Friction changes between its limits within a tiny speed, which a step of a given length would jump over: such steps grow from that
        at the onset of sliding, and end before a standstill.
        """
        due = min(self._end_of_onset_step(), self._before_standstill()) if self.run.options.method.fixed else math.inf
        if not due < instants[-1]:
            return self._step(call, instants)

        def shortened(times: Array, steps: int) -> Outcome:
            done, status, index = call(times, steps)
            return done, rk.TOO_MANY_STEPS if status == rk.OK else status, index

        while True:
            ahead = instants[instants < due]
            done, status, index = self._step(shortened, np.append(ahead, due))
            self.run.control[step_control.FRESH] = 1.0  # methods of several steps start anew
            now = float(self.run.clock[0])
            if status != rk.NOT_A_NUMBER or not due - now > SHORTEST * now:
                return min(int(done), ahead.size), status, index
            due = now + 0.5 * (due - now)  # fixed-point iterations of implicit methods converge in short steps only

    def _end_of_onset_step(self) -> float:
        """Time at which a step at the onset of sliding ends; infinite for all others."""
        if self._onset is None:
            return math.inf
        begin, first = self._onset
        now = float(self.run.clock[0])
        length = max(first, GROWTH * (now - begin))
        if not length < self.run.options.time_step:
            self._onset = None
            return math.inf
        return now + length

    def _before_standstill(self) -> float:
        """Time just before what slides along one line comes to stand within a step; infinite if nothing does.

        Friction keeps its direction until then, so that accelerations at both ends of the step tell.
        """
        rates = self._directions()
        if not rates:
            return math.inf
        run = self.run
        h, now = run.options.time_step, float(run.clock[0])
        first, last = (self._measured(self._state(ahead).accelerations)[2] for ahead in (0.0, h))
        left = math.inf
        for name, share in rates.items():
            (row,) = self._rows_of(name)
            # v + a t + (b - a) t^2/(2 h) = 0
            roots = np.roots([0.5 * (last[row] - first[row]) / h, first[row], share * self.all[name].slow])
            left = min([left, *(float(t.real) for t in roots if abs(t.imag) < 1e-9 * abs(t) and t.real > 0.0)])
        return now + max(APPROACH * left, SHORTEST * now) if APPROACH * left < h else math.inf

    def _note_onset(self, loose: frozenset[str]) -> None:
        """Plan short steps where friction lets go, in runs whose steps no estimated error makes short enough there.

        Those are steps of a given length, and those of implicit methods: they damp what changes as fast as friction does then, the error
        included.
        """
        run, method = self.run, self.run.options.method
        sliding = [n for n in loose - self.on if self.all[n].limit is not None and self.all[n].bristle is None]
        if not (sliding and (run.options.time_step if method.fixed else run.choice.method.implicit)):
            return
        seconds = self._measured(self._state().accelerations)[2]
        rises = [
            (self.all[n].slow * LEAST_SHARE / SLOW_SHARE, float(np.linalg.norm(seconds[self._rows_of(n)])))
            for n in sliding
        ]
        now = float(run.clock[0])
        first = max(min((speed / rise for speed, rise in rises if rise > 0.0), default=math.inf), SHORTEST * now)
        if method.fixed:
            self._onset = (now, first) if first < run.options.time_step else None
        else:
            run.control[step_control.NEXT] = min(first, run.control[step_control.NEXT])

    def _step(self, call: Callable[[Array, int], Outcome], instants: Array) -> Outcome:
        run = self.run
        states = run.whole, run.clock, run.control, run._signs, run.counters, run.method_numbers
        kept = [state.copy() for state in states]
        integrated = run.equations.keep()
        hovering = [name for name in self._closed() if self.rigid[name].rest not in self.on]
        standing = self._standing()
        sliding = self._directions() if run.options.method.fixed else {}
        before = self._carried_now() if self.on else None
        done, status, index = call(instants, 1)
        if status not in (rk.OK, rk.EVENT, rk.BREAK, rk.TOO_MANY_STEPS, rk.WEAK_ROWS, rk.PASSED_BY):
            return done, status, index
        begin, end = float(kept[1][0]), float(run.clock[0])
        stopping: frozenset[str] = frozenset()  # what comes to stand in this step
        turned: dict[str, float] = {}  # directions of what slides back at its end
        lapse: float | None = end
        if end == begin or self.margin(hovering) >= -ROUNDING:
            lapse = None if before is None or end == begin else self._lapse(before)
        if lapse is None:
            slow = stopping
            if status == rk.TOO_MANY_STEPS:
                slow = self._slow()
                self._stood = self.on, run.whole.copy(), slow
            turned = self._turned(sliding)
            stopping = (slow - standing) | frozenset(turned)
            if not stopping:
                return done, CHANGE if self._worth_a_try(slow) else status, index

        def reach(t: float) -> float:
            for own, saved in zip(states, kept, strict=True):
                own[:] = saved
            run.equations.restore(integrated)
            if run.choice.method.family in newton.FAMILIES:  # matrices and factors are those of another state
                newton.forget_matrix_of(run.method_numbers)
            if t > begin:
                call(np.array([t]), run.options.max_steps)
            return min(self.haste(name, turned.get(name)) for name in stopping) if stopping else self.margin(hovering)

        due = begin
        if stopping and reach(end) >= 0.0:
            due = end
        elif reach(begin) > 0.0:
            last = end if lapse is None else lapse
            if stopping or reach(last) < 0.0:
                due = float(
                    optimize.brentq(reach, begin, last, xtol=1e-15 * max(1.0, abs(end)), rtol=8.9e-16, maxiter=80)
                )
                # one more bit of the clock may be more than the rounding of speeds
                while stopping and due < last and reach(due) > ROUNDING:
                    due = math.nextafter(due, last)
            else:
                due = last  # the polynomial was wrong: the rows are looked at again there
        reach(begin)
        ahead = instants[instants < due]
        if due > begin:
            done, *_ = call(np.append(ahead, due), run.options.max_steps)
        else:
            done = 0
        return min(int(done), ahead.size), CHANGE, 0

    def read_signs(self, watch: Watched, signs: Array) -> None:
        """Where events stand before the next step; a gap that an impact has just opened counts as open."""
        run = self.run
        if not self.rigid or not watch.events:
            return
        values = watch.values(float(run.clock[0]), run.y)
        for k, event in enumerate(watch.events):
            if isinstance(event, Touch) and event.name in self.rigid:
                # zero: the side that the motion leads to counts, so that a gap that has just opened is open
                signs[k] = 0.0 if values[k] <= CLOSED * run.system.length else values[k]
            elif np.isnan(signs[k]) or (event.direction and np.sign(values[k]) == -event.direction):
                signs[k] = values[k]  # a velocity that a blow has turned the other way than is watched for is no event

    # --- letting go and catching ---------------------------------------------------------------------------------------

    def _check_apart(self) -> None:
        """Rigid bodies cannot overlap."""
        run = self.run
        gaps = self._measured()[0] - run.system.targets(run.system.floats)
        for name, impact in self.rigid.items():
            gap = float(gaps[self._rows_of(impact.rest)[0]])
            if gap < -OVERLAP * run.system.length:
                depth, limit = apart(-gap, OVERLAP * run.system.length)
                raise ModelError(
                    f"the bodies of rigid contact {name!r} overlap by {depth} m at t = {float(run.clock[0]):g} s (limit {limit} m). Draw "
                    "them apart, on the free side of each other."
                )

    def _progress(self) -> None:
        """End a run in which rows come into play and let go without end at one time."""
        now = float(self.run.clock[0])
        self._stalled = self._stalled + 1 if now <= self._last else 0
        self._last = now
        if self._stalled > MOST_CHANGES:
            named = ", ".join(repr(name) for name in sorted(set(self.owner.values())))
            raise ConvergenceError(
                f"the simulation stopped at t = {now:.6g} s: sticking, resting and bouncing of {named} find no end there. Change a "
                "coefficient of friction or restitution slightly, or use a compliant law.",
                partial=self.run.result(),
            )

    def loosen(self) -> None:
        """Let everything go for a time: a blow is no friction's to bear."""
        if self.on:
            self.hold(frozenset())

    def begin(self) -> None:
        """What sticks, rests or strikes at the start of a run, or after a blow."""
        if not self.all:
            return
        self._check_apart()
        if any(rate < -STANDING for rate in self._closed().values()):
            self.meet()
        else:
            self.settle()

    def striking(self) -> bool:
        """Return True if rigid bodies touch that still close."""
        return any(rate < -STANDING and self.rigid[n].rest not in self.on for n, rate in self._closed().items())

    def change(self) -> None:
        """After a step: strike what closes, let go what carries too much, else catch what stands."""
        self._progress()
        if self.striking():
            self.meet()
            return
        carried = self._carried() if self.on else None
        # the time at which a row reaches its limit is found to rounding: where the clock stands, a little more counts as that
        little = ROUNDING * 10.0 ** min(self._stalled, MOST_ROUNDING)
        failing = [] if carried is None else [n for n in self.on if carried.margins[n] < little * carried.size]
        if carried is None or not failing:
            self.settle()
            if self._onset is None:
                self._note_onset(self._slow())
            return
        worst = min(failing, key=lambda name: carried.margins[name])
        loose = {worst} | {name for name in self.on if self.all[name].needs == worst}
        self.hold(self.on - loose)
        self.settle(but=frozenset(loose))
        self._note_onset(frozenset(loose))

    def margin(self, hovering: list[str]) -> float:
        """The least that any row in play has left, as a share of the forces at work; negative where one carries too much, or where bodies
        that touched without pressing have come closer."""
        left = 1.0
        if hovering:
            run = self.run
            gaps = self._measured()[0] - run.system.targets(run.system.floats)
            left = min(
                1.0 + float(gaps[self._rows_of(self.rigid[n].rest)[0]]) / (2.0 * CLOSED * run.system.length)
                for n in hovering
            )
        if not self.on:
            return left
        carried = self._carried()
        return min(left, min(carried.margins.values()) / carried.size)

    def _places(self) -> _Places:
        """Places of what the holds in play carry, found again where other equations act."""
        run = self.run
        known = self._known
        if (
            known is None
            or known.on is not self.on
            or known.pattern is not run.pattern
            or known.system is not run.system
        ):
            system, acting = run.system, run.acting_rows
            active = run.pattern[int(run.pattern[L.P_AT_ROWS]) :][: len(run.active)].tolist()
            shared = acting if len(acting) > len(active) else []
            found, columns = [], 0
            for name in self.on:
                hold, uses, at = self.all[name], self._uses(name), self._rows_of(name)
                if hold.bristle is not None:
                    at = [uses[hold.reported[0]]]
                elif not shared:
                    at = [active.index(k) for k in at]
                width = len(at) if hold.limit is None else 2 if len(at) == 1 else 1
                limit = -1 if hold.limit is None else uses[hold.limit]
                found.append(_Place(name, hold, at, limit, slice(columns, columns + width)))
                columns += width
            self._known = known = _Places(
                self.on, system, run.pattern, found, columns, active, shared, system.column_scales() / system.length,
                in_formulation(system, run.options.formulation.variant),
            )  # fmt: skip
        return known

    def _lapse(self, before: _Carried) -> float | None:
        """Time inside the last step at which a row carried too much, though not at its ends; None if there is none."""
        assert self._latest is not None
        after = self._latest[1]
        first, last, size = before.end, after.end, max(before.size, after.size)

        def spare(theta: Array) -> Array:
            return self._spare(*self._loads(*lapses.inside(self.run.system, first, last, theta))) / size

        found = lapses.first_lapse(spare, np.array([before.spare, after.spare]) / size, ROUNDING)
        return None if found is None else first.time + found * (last.time - first.time)

    def _carried_now(self) -> _Carried:
        """What equations carry now, evaluated again only where the state is another one."""
        if self._latest is not None and self._latest[0] == self.on:
            end, run = self._latest[1].end, self.run
            if end.time == run.clock[0] and np.array_equal(end.q, run.q) and np.array_equal(end.v, run.v):
                return self._latest[1]
        return self._carried()

    def _carried(self) -> _Carried:
        run = self.run
        nq, n = run.system.n_coordinates, run.system.n_columns
        q, v, z = run.q.copy(), run.v.copy(), run.y[nq + n : nq + n + int(run.system.ints[L.N_STATES])].copy()
        state, lam = self._loads(run.clock[:1].copy(), q[None], v[None], z[None])
        spare, places = self._spare(state, lam), self._places()
        margins = {at.name: float(spare[0, at.columns].min()) for at in places.all}
        size = max(1e-6 * float(np.abs(state.generalised[0] * places.scales).max(initial=0.0)), 1e-300)
        for at in places.all:
            own = lam if at.hold.bristle is None else state.forces
            size = max(size, *(abs(float(own[0, k])) for k in at.rows))
            if at.limit >= 0:
                size = max(size, at.hold.share * float(state.forces[0, at.limit]))
        self._latest = (
            self.on,
            _Carried(margins, size, spare[0], lapses.End(float(run.clock[0]), q, v, state.accelerations[0], z)),
        )
        return self._latest[1]

    def _loads(self, times: Array, q: Array, v: Array, z: Array) -> tuple[StateValues, Array]:
        """Forces at states, and the multipliers in which `_Place.rows` count; one row per state."""
        run, places = self.run, self._places()
        state = evaluate_states(places.ints, run.floats, run.pattern, times, q, v, z)
        if not places.shared:
            return state, state.multipliers
        lam = np.zeros((times.size, len(run.system.rows)))
        lam[:, places.active] = state.multipliers
        lam[:, places.shared] = smallest_multipliers(run.system, places.shared, run.active, times, q, lam)
        return state, lam

    def _spare(self, state: StateValues, lam: Array) -> Array:
        """What is left up to every limit, one row per state."""
        places = self._places()
        spare = np.empty((len(lam), places.columns))
        for at in places.all:
            own, first = lam if at.hold.bristle is None else state.forces, at.columns.start
            if at.limit < 0:
                spare[:, at.columns] = own[:, at.rows]
                continue
            limit = at.hold.share * state.forces[:, at.limit]
            if len(at.rows) == 1:
                spare[:, first], spare[:, first + 1] = limit - own[:, at.rows[0]], limit + own[:, at.rows[0]]
            else:
                spare[:, first] = limit - np.sqrt((own[:, at.rows] ** 2).sum(axis=1))
        return spare

    def _slow(self) -> frozenset[str]:
        """Sticking that could begin: what slides so slowly that it might as well stand."""
        able = [
            n
            for n, h in self.all.items()
            if n not in self.on and h.limit is not None and (not h.needs or h.needs in self.on)
        ]
        rates = self._measured()[1] if able else np.zeros(0)
        return frozenset(name for name in able if self._faster(name, rates) <= ROUNDING)

    def _standing(self) -> frozenset[str]:
        """What is slow now, looked for again only where the state is another one."""
        if self._stood is not None and self._stood[0] == self.on and np.array_equal(self._stood[1], self.run.whole):
            return self._stood[2]
        return self._slow()

    def haste(self, name: str, direction: float | None = None) -> float:
        """By how much something slides faster than what counts as standing (in a direction), as a share of that."""
        rates = self._measured()[1]
        if direction is None:
            return self._faster(name, rates)
        (row,) = self._rows_of(name)
        return direction * float(rates[row]) / self.all[name].slow - 1.0

    def _directions(self) -> dict[str, float]:
        """Rates of what slides along one line, in multiples of what counts as standing."""
        able = {n: self._rows_of(n) for n, h in self.all.items() if n not in self.on and h.limit is not None and h.slow}
        rates = self._measured()[1] if able else np.zeros(0)
        found = {n: float(rates[rows[0]]) / self.all[n].slow for n, rows in able.items() if len(rows) == 1}
        return {n: x for n, x in found.items() if abs(x) > 1.0}

    def _turned(self, before: dict[str, float]) -> dict[str, float]:
        """Directions before a step of what slides the other way after it: friction that turned inside the step."""
        after = self._directions() if before else {}
        # what begins next to a standstill was tried there
        return {n: math.copysign(1.0, x) for n, x in before.items() if abs(x) > 2.0 and x * after.get(n, x) < 0.0}

    def _faster(self, name: str, rates: Array) -> float:
        return float(np.linalg.norm(rates[self._rows_of(name)])) / self.all[name].slow - 1.0

    def _worth_a_try(self, slow: frozenset[str]) -> bool:
        """Return True if a slowly sliding contact is to be tried again: after each try in vain, twice as many steps are let pass."""
        self._waited = self._waited + 1 if slow else 0
        if not slow:
            self._patience = 0
        if self._waited <= self._patience:
            return False
        self._patience, self._waited = min(2 * self._patience + 1, MOST_PATIENCE), 0
        return True

    def settle(self, but: frozenset[str] = frozenset()) -> None:
        """Bring into play what can hold now: rests first, then what sticks."""
        closed = self._closed()
        slow = self._last_bounces(list(closed))
        rests = {self.rigid[name].rest for name, rate in closed.items() if rate <= slow[name]}
        self._try(rests - self.on - but)
        self._try(self._slow() - but)

    def _last_bounces(self, names: list[str]) -> dict[str, float]:
        """Speeds below which bodies that touch no longer bounce [m/s]: slow against the first impact, or too low to see."""
        if not names:
            return {}
        run = self.run
        accelerations = self._state().accelerations
        _, _, seconds = self._measured(accelerations)
        out = {}
        for name in names:
            (row,) = self._rows_of(self.rigid[name].rest)
            lowest = math.sqrt(2.0 * max(0.0, -float(seconds[row])) * CLOSED * run.system.length)
            out[name] = max(LAST_BOUNCE * self.fastest.get(name, 0.0), lowest, STANDING)
        return out

    def _try(self, fresh: set[str] | frozenset[str]) -> None:
        """Take up those of the candidates that can hold; drop the worst until the others can."""
        run = self.run
        while fresh:
            kept = (
                self.on,
                run.whole.copy(),
                run.floats,
                run.active,
                run.pattern,
                run.redundant,
                run._watch,
                run._signs,
            )
            weak = run.control[step_control.WEAK]
            worst = sorted(fresh)[-1]
            try:
                self.hold(self.on | fresh)
                carried = self._carried()
                standing = np.abs(self._measured()[1][self.rows()]).max(initial=0.0)
                failing = [n for n in fresh if not carried.margins[n] > ROUNDING * carried.size]
                if not failing and standing <= 1e-6 * (1.0 + np.abs(run.v).max(initial=0.0)):
                    return
                if failing:
                    worst = min(failing, key=lambda name: carried.margins[name])
            except SingularError:
                pass  # the rows contradict joints or drivers here
            self.on, y, run.floats, run.active, run.pattern, run.redundant, run._watch, run._signs = kept
            run.whole[:], run.control[step_control.WEAK] = y, weak
            fresh = fresh - {worst}

    def hold(self, on: frozenset[str]) -> None:
        """Let exactly these hold from now on; velocities follow, and what that takes is booked as dissipated."""
        run = self.run
        fresh, gone = on - self.on, self.on - on
        values, *_ = self._measured()
        state = self._state().forces if any(self.all[name].bristle is not None for name in fresh) else None
        self.on = on
        run.floats = run.floats.copy()
        targets = run.system.targets(run.floats)
        for name in fresh | gone:
            hold = self.all[name]
            if hold.bristle is not None:
                self._bend(name, state, sticks=name in fresh)
            elif hold.limit is not None:
                targets[self._rows_of(name)] = values[self._rows_of(name)]
            else:
                run._watch = None  # its touch is watched while it is open only
        run.choose_rows(run.q, float(run.clock[0]))
        if fresh:
            self._stop_motion(fresh)

    def _bend(self, name: str, forces: Array | None, *, sticks: bool) -> None:
        """A bristle takes over the force that sliding had, or lets it go."""
        run, hold = self.run, self.all[name]
        assert hold.bristle is not None
        place = self._uses(name)[hold.reported[0]]
        lowered = run.system.forces[place]
        run.floats[lowered.floats + hold.bristle] = 0.0 if sticks else 1.0
        if forces is not None:
            inner = sum(f.use.has_state for f in run.system.forces[:place])
            stiffness = run.floats[lowered.floats + hold.bristle - 2]
            run.y[run.system.n_coordinates + run.system.n_columns + inner] = -forces[place] / stiffness

    def _stop_motion(self, fresh: frozenset[str]) -> None:
        run = self.run
        rows = self.rows() + [k for name in fresh if self.all[name].bristle is not None for k in self._rows_of(name)]
        speeds = self._measured()[1][rows]
        if not speeds.any():
            return  # at rest already, as at the start of a run
        before, mass = run.v.copy(), mass_matrix(run.system, run.q)
        gain = admittance(mass, self._dense(run.steady_rows()))
        J = self._dense(rows)
        impulse = solved(J, gain, J, -speeds)
        run.v[:] += gain @ J.T @ impulse
        works: dict[str, float] = {}
        for k, work in zip(rows, 0.5 * impulse * speeds, strict=True):  # each row is brought to rest
            name = run.system.rows[k].owner
            works[name] = works.get(name, 0.0) + float(work)
        self._book(works, before, mass, J.T @ impulse)

    def _dense(self, rows: list[int]) -> Array:
        """Jacobian of rows in true units."""
        run = self.run
        scaled = jacobian(run.system, run.q, float(run.clock[0]), rows)
        return scaled / run.system.column_scales() * run.system.row_scales()[rows][:, None]

    def _book(self, works: Mapping[str, float], before: Array, mass: Array, impulse: Array) -> float:
        """Book what a blow did: work of drivers, which hold their speed against it, and of the forces that struck; return their sum [J]."""
        run = self.run
        kinetic = 0.5 * float(run.v @ mass @ run.v - before @ mass @ before)
        driven = float((mass @ (run.v - before) - impulse) @ before)  # joints do no work, and drivers move as before
        run.y[-1] += driven
        sizes = np.abs(list(works.values()))
        rounding = (kinetic - driven - sum(works.values())) / max(float(sizes.sum()), 1e-300)
        for (name, work), size in zip(works.items(), sizes, strict=True):
            run.y[run.y.size - len(run.system.forces) - 1 + self._uses(name)[0]] += work + rounding * size
        return kinetic - driven

    # --- impacts -----------------------------------------------------------------------------------------------------

    def meet(self) -> None:
        """Rigid bodies meet: blows at all points that touch, then see what rests."""
        self._progress()
        run, t = self.run, float(self.run.clock[0])
        touching, names = [], list(self._closed())
        for name in names:
            impact = self.rigid[name]
            (normal,) = self._dense(self._rows_of(impact.rest))
            tangents = self._dense(self._rows_of(impact.slip)) if impact.slip else np.zeros((0, normal.size))
            touching.append(Touching(normal, tangents, impact.restitution, impact.friction, impact.poisson))
            self.fastest[name] = max(self.fastest.get(name, 0.0), -float(normal @ run.v))
        mass = mass_matrix(run.system, run.q)
        gain = admittance(mass, self._dense(run.steady_rows()))
        before = run.v.copy()
        self.hold(frozenset())  # a blow may loosen everything
        run.v[:], impulse, works = after_impact(before, gain, touching)
        self._refuse_to_squeeze(names, touching)
        booked = dict(zip((self.rigid[name].rest for name in names), works.tolist(), strict=True))
        gained = self._book(booked, before, mass, impulse)
        if gained > ROUNDING * 0.5 * float(before @ mass @ before + run.v @ mass @ run.v):
            run.warnings.append(
                RunWarning(
                    "impact",
                    f"the impact of {', '.join(map(repr, names))} at t = {t:.6g} s gains {gained:.3g} J: a fixed restitution can do that "
                    "for eccentric blows with friction. Use smaller coefficients.",
                    time=t,
                )
            )
        self.settle()

    def _refuse_to_squeeze(self, names: list[str], touching: list[Touching]) -> None:
        """End a run in which joints and drivers push bodies into each other: no blow changes that."""
        run, fastest = self.run, max(self.fastest.values(), default=0.0)
        for name, place in zip(names, touching, strict=True):
            speed = -float(place.normal @ run.v)
            if speed > SQUEEZED * fastest:
                raise ConvergenceError(
                    f"the simulation stopped at t = {float(run.clock[0]):.6g} s: the bodies that meet at {name!r} cannot yield, because "
                    f"joints and drivers push them into each other at {speed:.3g} m/s. Let the driver end before, move the body by a force "
                    "instead, or use a compliant law.",
                    partial=run.result(),
                )

    # --- around a run ------------------------------------------------------------------------------------------------

    def take_over(self, before: System, floats: Array) -> None:
        """After numbers of the model were changed: what holds goes on holding where it was."""
        run = self.run
        self._read_model()
        for k, row in enumerate(run.system.rows):
            if row.by_turns:
                run.system.targets(run.floats)[k] = before.targets(floats)[k]
        for name, hold in self.all.items():
            if hold.bristle is not None and name in self.on:
                run.floats[run.system.forces[self._uses(name)[hold.reported[0]]].floats + hold.bristle] = 0.0


def report_held(segments: Sequence[Segment], multipliers: Array, outputs: Array) -> None:
    """Write what rows carried into the columns of the forces that they stood for."""
    for segment in segments:
        span, system = slice(segment.first, segment.last), segment.system
        for force in segment.model.forces.values():
            uses = [k for k, lowered in enumerate(system.forces) if lowered.owner == force.name]
            for hold in force.holds:
                rows = [k for k in segment.rows if system.rows[k].owner == hold.name]
                for use, row in zip(hold.reported, rows, strict=False):
                    outputs[span, 2 * uses[use]] = multipliers[span, row]
