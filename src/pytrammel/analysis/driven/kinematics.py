"""Kinematics: positions, velocities and accelerations of a driven mechanism."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.messages import number_of
from pytrammel._util.progress import Progress, complete_rows, is_partial_allowed
from pytrammel.analysis.driven.given_motions import too_few_motions, too_many_motions
from pytrammel.analysis.driven.independent import with_prescribed
from pytrammel.analysis.driven.plain_kinematics import follow_plainly, jumps, refuse_phases, refuse_velocity_equations
from pytrammel.analysis.driven.too_fast import refuse_endless
from pytrammel.analysis.driven.trouble import passages, stop_error
from pytrammel.analysis.driven.velocity_equations import (
    ALONG,
    Follower,
    refuse_curved,
    refuse_not_integrable,
    velocity_rows,
)
from pytrammel.analysis.events.breaks import refuse_jumps
from pytrammel.analysis.events.on_curves import placed_on_curves
from pytrammel.analysis.events.switching import (
    Crossing,
    SwitchWatch,
    Track,
    hold_targets,
    rows_not_held,
    switch_report,
)
from pytrammel.analysis.formulations import Formulation, offered
from pytrammel.analysis.freedom.rank import (
    best_rows_at,
    is_worth_changing,
    measure_of,
    rank_at,
    slack,
    starting_rows,
    surely_independent,
    weakened,
)
from pytrammel.analysis.options import instants_of, verb
from pytrammel.analysis.positions.assembly import Newton, active_rows, assembled, residuals, whole_turns
from pytrammel.analysis.positions.phase_at import leaves_first
from pytrammel.analysis.positions.tolerant import rounded_loop, too_open
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.runs.doubts import about_end, about_meshes, about_start
from pytrammel.errors import AssemblyError, MobilityError, ModelError, TrammelError, tell
from pytrammel.kernels import layout as L
from pytrammel.kernels.instant import NOTE_SIZE
from pytrammel.kernels.jit import HAVE_JIT
from pytrammel.kernels.kinematics import (
    CURSOR_PATIENCE,
    CURSOR_SIZE,
    CURSOR_SPAN,
    CURSOR_STARTED,
    CURSOR_TIME,
    CURSOR_WEAK,
    LAST_ANGLE,
    MOST_DIPS,
    N_DIPS,
    OLDER_ANGLE,
    WEAKENED,
    kinematics_run,
)
from pytrammel.model.base import Model
from pytrammel.results.events import Singularity, SwitchReport
from pytrammel.results.forces.gaps import gap_warnings, largest_gaps
from pytrammel.results.result import Result
from pytrammel.results.segments import Segment, part
from pytrammel.results.studies.newton import NewtonHistory
from pytrammel.system.lowering import System, lower
from pytrammel.system.pattern import pattern

Array = NDArray[np.float64]
Level = Literal["position", "velocity", "acceleration"]
WORK_PER_CALL = 100_000  # steps times columns between looks at the progress bar and the keyboard: a tenth of a second
SLOW_STEPS = 10  # the same in plain Python
WATCHED_CHUNK = 64  # steps between looks for a switch


@verb
def kinematics(
    model: Model,
    duration: float | None = None,
    *,
    start_time: float = 0.0,
    samples: int = 201,
    output_step: float | None = None,
    times: ArrayLike | None = None,
    level: Level = "acceleration",
    prescribed: Mapping[str, Any] | None = None,
    newton: Newton = "damped",
    formulation: str | Formulation = "cartesian",
    progress: bool = True,
) -> Result:
    """Follow a driven mechanism through time.

    Drivers are appended to the constraints (the book's algorithm K-II). With `prescribed`, the drivers are left out and the
    named coordinates are prescribed instead; the others are solved for (coordinate partitioning, K-I).

    Args:
        model: The model.
        duration: Length of the run [s].
        start_time: First output time [s]. A model with phases is in its first one at 0 s and is followed from there.
        samples: Number of output times, both ends included.
        output_step: Spacing of the output times [s], instead of `samples`; the end is one, too, after a shorter last step where it must be.
        times: The output times themselves [s], instead of all of the above; they must increase.
        level: Stop at "position", "velocity" or "acceleration" (default: everything).
        prescribed: Prescribed coordinates by name, e.g. ``{"crank.phi": "2*pi*t"}``; also joint angles and other measured quantities
            (``"A.angle"``), and in space a body's orientation by three angles (``{"arm.orientation": ("t", 0, 0)}``), about x, y
            and z of the body in turn.
        newton: Newton–Raphson method: "damped", or "full", the method of the books: at every time full corrections from the last time's
            position, kept in ``result.histories``. It fails where steps are too long, and may change the branch, which is warned of.
        formulation: In which coordinates Newton's method works: "cartesian" (of all bodies) or "joint" (along a tree: only what closes
            loops and what drives are equations), or an object of ``tm.formulations`` with options. Both give the same motion.
        progress: Show a progress bar if the run takes longer than a second.

    Raises:
        AssemblyError: The mechanism does not close at the first time.
        MobilityError: Too few or too many drivers, or contradictory constraints.
        SingularError, ConvergenceError: The run stopped; ``error.partial`` holds the times before.

    Ctrl-C ends the run early: what was computed comes back, with ``result.interrupted`` set.
    """
    if level not in ("position", "velocity", "acceleration"):
        raise ModelError(f"level {level!r} is not known; use 'position', 'velocity' or 'acceleration'.")
    instants = instants_of(model, duration, samples, output_step, times, start_time)
    chosen = offered(
        formulation, model, "kinematics", "instants", "it finds positions of bodies, or along a tree of joints"
    )
    if newton == "full" and not chosen.in_bodies:
        raise ModelError(
            f"newton='full' works in body coordinates, not in formulation {chosen.name!r}. Use newton='damped' or formulation='cartesian'."
        )
    own = () if chosen.in_bodies else ("tree_instant", *chosen.needs(model.space.dimension))
    make_ready(model, ["kinematics_run", "assemble_run", "jacobian_run", "rates_run", "measures_run", *own])
    if prescribed is not None:
        given = with_prescribed(model, prescribed, rows=not chosen.in_bodies)
        refuse_jumps(model, float(instants[0]), float(instants[-1]), given.motions)
        refuse_endless(model, instants, given.motions)
        model, system = given.model, lower(given.model, prescribed=given.columns)
    else:
        refuse_jumps(model, float(instants[0]), float(instants[-1]))
        refuse_endless(model, instants, {})
        system = lower(model)
    if newton == "full":
        refuse_phases(model)
        refuse_velocity_equations(system)
    lead = instants[0] > 0.0 and leaves_first(model)  # phases change from 0 s on
    if lead:
        instants = np.concatenate([[0.0], instants])
    run = Run(model, system, instants, level, plain=newton == "full", formulation=chosen, lead=int(lead))
    with Progress("kinematics", enabled=progress) as bar:
        try:
            run.follow(bar)
        except KeyboardInterrupt:
            if run.done <= run.lead or not is_partial_allowed():
                raise
            run.interrupted = True
        except MobilityError as error:
            if prescribed is None:
                raise
            listed = ", ".join(prescribed) or "none"
            raise MobilityError(
                f"with the independent coordinates {listed} in the place of drivers: {error}", partial=error.partial
            ) from None
    result = run.result()
    result = replace(result, warnings=(*result.warnings, *about_meshes(result), *(jumps(run) if run.plain else ())))
    tell(result.warnings, result)
    return result


REDUNDANT = 1e-7  # largest residual of redundant equations, in units of the model's size


class Run:
    """One kinematic run: segments between phase switches, each a few kernel calls."""

    def __init__(
        self, model: Model, system: System, instants: Array, level: Level, *, plain: bool, formulation: Formulation,
        lead: int = 0,
    ) -> None:  # fmt: skip
        self.model, self.system, self.instants, self.level, self.plain = model, system, instants, level, plain
        self.formulation = formulation
        self.lead = lead  # times before the first one asked for
        self.histories: list[NewtonHistory] = []  # of the plain method
        self.follower: Follower | None = None  # where rows restrain velocities only
        self.floats = system.floats
        self.Q, self.V, self.A = motion_tables(system, instants.size)
        self.A[:] = np.nan  # written last: tells which times are complete
        self.notes = np.zeros((instants.size, NOTE_SIZE))
        self.done = 0
        self.phase = next(iter(model.phases), None)
        self.switches: list[SwitchReport] = []
        self.passages: list[Singularity] = []
        self.dead_point: float | None = None  # time at which the drivers cannot be followed any further [s]
        self.redundant: tuple[int, ...] = ()
        self.segments: list[tuple[Segment, Array]] = []  # each with the dips of its singularity measure
        self.dips = np.zeros((MOST_DIPS, 2))
        self.cursor = np.zeros(CURSOR_SIZE)
        self.at = np.zeros((3, system.n_coordinates))
        self.cpu_seconds = 0.0
        self.starts_tried = 1
        self.interrupted = False
        self.patience = max(SLOW_STEPS, WORK_PER_CALL // max(1, system.n_columns) if HAVE_JIT else 0)

    # --- the run ---------------------------------------------------------------------------------------------------

    def follow(self, bar: Progress) -> None:
        start = float(self.instants[0])
        span = float(self.instants[-1] - self.instants[0])
        self.cursor[CURSOR_SPAN] = span if span > 0.0 else 1.0
        self.cursor[CURSOR_TIME] = start
        if self.plain:
            self.at[0] = whole_turns(self.system, self.rows_in_force(), start)
            follow_plainly(self, bar)
            self._check_redundant()
            return
        try:
            assembly = assembled(self.model, time=start, system=self.system, rows=self.rows_in_force())
        except AssemblyError as error:
            raise too_many_motions(self, start) or error from None
        self.at[0] = assembly.q
        self.starts_tried = assembly.tries
        self.choose_rows(assembly.q, start)
        began = clock.perf_counter()
        while self.done < self.instants.size:
            crossing = self._segment(bar)
            if crossing is None:
                break
            self._switch(crossing)
        self.cpu_seconds = clock.perf_counter() - began
        self._check_redundant()
        self._check_integrable()

    def rows_in_force(self) -> list[int]:
        return active_rows(self.system, phase=self.phase)

    def choose_rows(self, q: Array, time: float) -> None:
        """Leave out consistent redundant equations; complain if the drivers do not fit the degrees of freedom."""
        system, rows = self.system, self.rows_in_force()
        refuse_not_integrable(system, rows, q, time)
        constraints = [k for k in rows if not system.rows[k].is_driver]
        drivers = [k for k in rows if system.rows[k].is_driver]
        ordered = constraints + drivers
        if not system.prescribed and len(ordered) == system.n_columns and surely_independent(system, q, time, ordered):
            self.redundant = ()
            self._use_rows(ordered, q, time)
            return
        free = np.ones(system.n_columns, dtype=bool)
        free[list(system.prescribed)] = False
        found = rank_at(system, q, time, ordered, free)
        n_free = int(free.sum())
        if found.rank < n_free:
            raise too_few_motions(self, ordered, free, q, time, found)
        blamed = [ordered[k] for k in found.redundant]
        extra_drivers = [system.rows[k].owner for k in blamed if system.rows[k].is_driver]
        if extra_drivers:
            dof = n_free - rank_at(system, q, time, constraints, free).rank
            raise MobilityError(
                f"model {self.model.name!r} has {number_of(dof, 'degree of freedom')} but {number_of(len(drivers), 'driver')}: "
                f"{', '.join(map(repr, extra_drivers))} is one too many. Remove a driver or free a joint."
                + rounded_loop(system, constraints, q, time)
            )
        self.redundant = tuple(blamed)
        self._use_rows(starting_rows(system, q, time, ordered, found, system.prescribed), q, time)

    def _use_rows(self, rows: list[int], q: Array, time: float) -> None:
        """Follow the motion with these rows; where there are redundant ones, say when to choose anew."""
        self.active, self.pattern = rows, pattern(self.system, rows)
        share = weakened(self.system, WEAKENED)
        self.cursor[CURSOR_WEAK] = share * measure_of(self.system, q, time, rows) if self.redundant else 0.0
        restrained = velocity_rows(self.system, rows)
        self.follower = Follower(self.system, self._in_one_call) if restrained else None
        assert self.formulation.instants is not None
        self.table = self.formulation.instants(
            self.system, self.formulation, self.rows_in_force(), self.floats, q, time, bool(self.redundant)
        )

    @property
    def _solver(self) -> NDArray[np.int64]:
        """The table of what solves a time; empty for body coordinates."""
        return self.table.entries if self.table.data else np.zeros(0, dtype=np.int64)

    def _choose_anew(self, first: int) -> int:
        """The rows in use have become nearly dependent: take others if that helps. Returns where the segment in progress begins.

        In a truly singular position no choice is better; the run then goes on as it is.
        """
        rows, q, time = self.rows_in_force(), self.at[0], float(self.cursor[CURSOR_TIME])
        chosen = [rows[k] for k in best_rows_at(self.system, q, time, rows, len(self.active), self.system.prescribed)]
        now, then = float(self.cursor[LAST_ANGLE]), measure_of(self.system, q, time, chosen)
        if not is_worth_changing(self.system, q, time, self.active, chosen, now):
            self.cursor[CURSOR_WEAK] = weakened(self.system, WEAKENED) * now
            return first
        self.end_segment(first)
        self._use_rows(chosen, q, time)
        # the measure of other rows: no dip is to be seen in the jump
        self.cursor[LAST_ANGLE], self.cursor[OLDER_ANGLE] = then, 0.0
        return self.done

    def _segment(self, bar: Progress) -> Crossing | None:
        """Follow the motion with the present rows until all times are done or a switch is due."""
        watch = SwitchWatch(self.model, self.system, self.phase)
        first = self.done
        crossing = None
        try:
            while self.done < self.instants.size and crossing is None:
                if watch.switches:
                    status, where, crossing = self._watched_chunk(watch)
                else:
                    status, where = self._plain_chunk()
                if status == L.WEAK_ROWS and crossing is None:
                    first = self._choose_anew(first)
                elif status not in (L.OK, L.PAUSED) and crossing is None:
                    self.end_segment(first)
                    raise stop_error(self, status, where, float(self.instants[self.done]))
                gone = (self.cursor[CURSOR_TIME] - self.instants[0]) / self.cursor[CURSOR_SPAN]
                bar.update(gone, f"t = {self.cursor[CURSOR_TIME]:.4g} s")
        except KeyboardInterrupt:
            self.done += complete_rows(self.A[self.done :])
            self.end_segment(first)
            raise
        self.end_segment(first)
        return crossing

    def end_segment(self, first: int) -> None:
        segment = Segment(
            first, self.done, self.model, self.system, tuple(self.rows_in_force()), self.floats, self.pattern
        )
        self.segments.append((segment, self.dips[: int(self.cursor[N_DIPS])].copy()))
        self.cursor[N_DIPS] = 0.0

    def _plain_chunk(self) -> tuple[int, float]:
        """Go on towards the last time for as long as Ctrl-C can wait."""
        ahead = slice(self.done, self.instants.size)
        count, status, where = self._call(
            self.instants[ahead], self.Q[ahead], self.V[ahead], self.A[ahead], self.notes[ahead]
        )
        self.done += count
        return status, where

    def _call(self, times: Array, Q: Array, V: Array, A: Array, notes: Array) -> tuple[int, int, float]:
        """Follow the motion from the cursor, filling one row per time; the call pauses after a number of steps."""
        return self._kernel(times, self.cursor, self.at, Q, V, A, notes, self.dips)

    def _kernel(
        self, times: Array, cursor: Array, at: Array, Q: Array, V: Array, A: Array, notes: Array, dips: Array
    ) -> tuple[int, int, float]:
        if self.follower is not None:
            return self.follower.run(times, cursor, at, Q, V, A, notes)
        return self._in_one_call(times, cursor, at, Q, V, A, notes, dips)

    def _in_one_call(
        self, times: Array, cursor: Array, at: Array, Q: Array, V: Array, A: Array, notes: Array, dips: Array
    ) -> tuple[int, int, float]:
        cursor[CURSOR_PATIENCE] = self.patience
        count, status, where = kinematics_run(
            self.system.ints, self.floats, self.pattern, times, cursor, at.ravel(), Q, V, A, notes, dips, self._solver
        )
        return int(count), int(status), float(where)

    def _watched_chunk(self, watch: SwitchWatch) -> tuple[int, float, Crossing | None]:
        """A chunk with looks at the switching conditions between the times."""
        grid = watch.grid(self, WATCHED_CHUNK)
        before = (self.cursor.copy(), self.at.copy())
        q, v, a = motion_tables(self.system, grid.size)
        notes = np.zeros((grid.size, NOTE_SIZE))
        count, status, where = 0, L.PAUSED, 0.0
        while status == L.PAUSED:
            more, status, where = self._call(grid[count:], q[count:], v[count:], a[count:], notes[count:])
            count += more
        track = Track(grid[:count], q[:count], v[:count], a[:count])
        crossing = watch.first_crossing(self, before, track)
        for k in range(count):
            if self.done < self.instants.size and grid[k] == self.instants[self.done]:
                if crossing is not None and grid[k] > crossing.time:
                    break
                self.Q[self.done], self.V[self.done], self.A[self.done] = q[k], v[k], a[k]
                self.notes[self.done] = notes[k]
                self.done += 1
        return status, where, crossing

    def solve_at(self, time: float, cursor: Array, at: Array) -> tuple[int, Array, Array, Array, Array]:
        """Follow the motion from a cursor to one time with the rows in use; the cursor and `at` move along."""
        weak, cursor[CURSOR_WEAK] = cursor[CURSOR_WEAK], 0.0
        q, v, a = motion_tables(self.system, 1)
        note = np.zeros((1, NOTE_SIZE))
        goal, no_dips = np.array([float(time)]), np.zeros((0, 2))
        count, status = 0, L.PAUSED
        while status == L.PAUSED:
            count, status, _ = self._kernel(goal, cursor, at, q, v, a, note, no_dips)
        cursor[CURSOR_WEAK] = weak
        return (status if count == 0 else L.OK), q[0], v[0], a[0], note[0]

    def _switch(self, crossing: Crossing) -> None:
        """Change the set of rows at a crossing; positions must agree, velocities may jump."""
        switch = crossing.switch
        before = crossing.at.copy()
        self.phase, phase = switch.enter, self.model.phases[switch.enter]
        entered = rows_not_held(self.system, self.rows_in_force(), phase)
        before[0] = placed_on_curves(self.system, before[0], crossing.time, entered)
        self.floats = hold_targets(self.system, self.floats, phase, before[0], crossing.time)
        gap = residuals_with(self.system, self.floats, before[0], crossing.time, self.rows_in_force())
        worst = int(np.argmax(np.abs(gap)))
        limit = max(1e-6, 2.0 * slack(self.system))
        if abs(gap[worst]) > limit:
            row = self.system.rows[self.rows_in_force()[worst]]
            raise self._attach(
                MobilityError(
                    f"switch {switch.name!r} at t = {crossing.time:.6g} s would make {row.owner!r} ({row.label}) jump by "
                    f"{abs(gap[worst]) * self.system.row_scales()[self.rows_in_force()[worst]]:.4g} {row.unit}: the position must be "
                    f"continuous. Correct the condition ({switch.when}) or hold {row.owner!r} in phase {switch.enter!r}."
                )
            )
        self.choose_rows(before[0], crossing.time)
        self.cursor[CURSOR_TIME] = crossing.time
        self.cursor[CURSOR_STARTED] = 0.0
        self.at[:] = before
        status, _, v, a, _ = self.solve_at(crossing.time, self.cursor, self.at)
        if status != L.OK:
            raise stop_error(self, status, crossing.time, crossing.time)
        self.switches.append(
            switch_report(self.system, switch, crossing.time, before, v, a, float(np.abs(gap).max(initial=0.0)))
        )

    def _check_integrable(self) -> None:
        """Constraints on velocities must be integrable all the way."""
        for segment, _ in self.segments:
            if velocity_rows(self.system, segment.rows):
                for k in range(segment.first, segment.last, max(1, (segment.last - segment.first) // ALONG)):
                    refuse_curved(self.system, segment.rows, self.Q[k], float(self.instants[k]))

    # --- after the run ---------------------------------------------------------------------------------------------

    def _check_redundant(self) -> None:
        """Rows left out as redundant must hold all the way, or they were contradictions in waiting."""
        if not self.redundant or self.switches:
            return
        if slack(self.system):
            self._check_gaps()
            return
        rows = self.rows_in_force()
        for k in range(0, self.done, max(1, self.done // 50)):
            gap = np.abs(residuals(self.system, self.Q[k], float(self.instants[k]))[rows])
            scaled = gap / self.system.row_scales()[rows]
            if scaled.max() > REDUNDANT:
                worst = int(scaled.argmax())
                row = self.system.rows[rows[worst]]
                self.done = max(k, 1)
                raise self._attach(
                    MobilityError(
                        f"constraint {row.owner!r} is redundant in the first position but does not hold at t = "
                        f"{self.instants[k]:g} s (off by {gap[worst]:.3g} {row.unit}): it contradicts the others. Remove it or a driver."
                    )
                )

    def _check_gaps(self) -> None:
        """Redundant equations must hold within closure_tolerance all the way."""
        rows, accepted = self.rows_in_force(), slack(self.system)
        times = [float(t) for t in self.instants[: self.done]]
        off = np.array([np.abs(residuals(self.system, self.Q[k], t))[rows] for k, t in enumerate(times)])
        scaled = off / self.system.row_scales()[rows]
        late = np.flatnonzero(~(scaled <= max(REDUNDANT, accepted)).all(axis=1))
        if late.size:
            when, worst = np.unravel_index(int(scaled.argmax()), scaled.shape)
            message = too_open(self.system, rows[int(worst)], float(off[when, worst]), times[int(when)])
            self.done = max(int(late[0]), 1)
            raise self._attach(MobilityError(message))

    def _look_back(self) -> list[Singularity]:
        try:
            return passages(self)
        except KeyboardInterrupt:
            if not is_partial_allowed():
                raise
            self.interrupted = True
            return []

    def _attach(self, error: TrammelError) -> TrammelError:
        error.partial = self.result()
        return error

    def result(self) -> Result:
        n = self.done
        if not self.passages and (n > 1 or self.dead_point is not None) and not self.interrupted:
            self.passages = self._look_back()
        keep_v = self.level != "position"
        keep_a = self.level == "acceleration"
        result = Result(
            model=self.model,
            _system=self.system,
            times=self.instants[:n].copy(),
            q=self.Q[:n].copy(),
            v=self.V[:n].copy() if keep_v else None,
            a=self.A[:n].copy() if keep_a else None,
            _notes=self.notes[:n].copy(),
            _switches=tuple(self.switches),
            singularities=tuple(self.passages),
            redundant=tuple(dict.fromkeys(self.system.rows[k].owner for k in self.redundant)),
            wall_time=self.cpu_seconds,
            n_starts=self.starts_tried,
            _segments=tuple(segment for segment, _ in self.segments),
            histories=tuple(self.histories),
            warnings=(
                *about_start(self.model.name, self.starts_tried),
                *about_end(self, float(self.cursor[CURSOR_TIME])),
            ),
            interrupted=self.interrupted,
        )
        found = part(result, min(self.lead, n), n) if self.lead else result
        return replace(found, warnings=(*found.warnings, *gap_warnings(largest_gaps(found))))


def motion_tables(system: System, count: int) -> tuple[Array, Array, Array]:
    """Empty tables of coordinates, velocities and accelerations, one row per time."""
    return (
        np.zeros((count, system.n_coordinates)),
        np.zeros((count, system.n_columns)),
        np.zeros((count, system.n_columns)),
    )


def residuals_with(system: System, floats: Array, q: Array, time: float, rows: Sequence[int]) -> Array:
    """Scaled residuals of some rows with targets from another float buffer (held values)."""
    held = system.targets(floats) - system.targets(system.floats)
    return np.asarray(((residuals(system, q, time) - held) / system.row_scales())[list(rows)])
