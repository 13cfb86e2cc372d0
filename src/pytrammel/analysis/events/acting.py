"""What events do to a run: other numbers, other rows, impulses, its end; and drivers whose velocity jumps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_state import measured_value, mechanical_energy
from pytrammel.analysis.events.breaks import jump_sentence
from pytrammel.analysis.events.curve_ends import CurveEnd
from pytrammel.analysis.events.events import Event, LawCorner, Touch, impact_speed
from pytrammel.analysis.events.impulses import SAME_SPEED, slips, velocities_after
from pytrammel.analysis.events.on_curves import placed_on_curves
from pytrammel.analysis.events.switching import hold_targets, rows_not_held
from pytrammel.analysis.freedom.rank import slack
from pytrammel.analysis.positions.assembly import active_rows, residuals
from pytrammel.analysis.runs.deep_contacts import overlaps_at
from pytrammel.analysis.start.initial import velocity_target
from pytrammel.analysis.start.light import own_inertias_where_free
from pytrammel.errors import ConvergenceError, ModelError
from pytrammel.kernels import run as rk
from pytrammel.results.events import EventReport
from pytrammel.results.forces.overlaps import warnings_about
from pytrammel.system.lowering import lower

if TYPE_CHECKING:
    from pytrammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
FITS = 1e-6  # of a row's scale: an opening that the next projection may close
CROWD, CROWDED = 1000, 1e-5  # so many events within this share of a run have no end
TORN = 1e-9  # of a row's scale: a jump of what a driver asks for that is more than rounding


def act(run: Simulation, event: Event) -> None:
    """Do what an event asks for."""
    t = float(run.clock[0])
    told = run.breaks.told(t)
    before = run.v.copy()
    if isinstance(event, Touch):
        if isinstance(event, LawCorner):
            return
        if event.name in run.holds.rigid:
            run.holds.meet()
        note_impact(run, event.name)
        return
    if isinstance(event, CurveEnd):
        run.left_curve = event
        _end_here(run, t)
        return
    energy = _energy(run)
    if event.change or event.enter is not None or event.released:
        run.look_anew()  # other conditions may count from now on
    if event.change:
        _change(run, event)
    if event.enter is not None:
        run.phase, phase = event.enter, run.model.phases[event.enter]
        run.q[:] = placed_on_curves(run.system, run.q, t, rows_not_held(run.system, run.steady_rows(), phase))
        run.floats = hold_targets(run.system, run.floats, phase, run.q, t)
    run.released |= set(event.released)
    if event.enter is not None or event.change:
        _refuse_to_tear(run, event, t)
    slipping = event.change and slips(run.system, run.active, t, run.q, run.v)
    if event.enter is not None or event.impulse or event.released or slipping:
        run.holds.loosen()
        run.choose_rows(run.q, t)
        _jump(run, event.impulse, t)
    # what an exchange of parts or a blow gives or takes is work put in from outside
    run.y[-1] += _energy(run) - energy
    run.holds.begin()
    if event.stop:
        _end_here(run, t if told in run.instants[max(0, run.done - 1) : run.done] else told)
    _report(run, event.name, told, before, event.stop)
    _refuse_crowds(run, t)


def _refuse_crowds(run: Simulation, t: float) -> None:
    """End a run whose events follow each other without end."""
    if len(run.reports) < CROWD:
        return
    crowd = run.reports[-CROWD:]
    if t - crowd[0].time <= CROWDED * max(abs(t), float(run.instants[-1] - run.instants[0])):
        names = ", ".join(dict.fromkeys(repr(report.name) for report in crowd))
        raise ConvergenceError(
            f"the simulation stopped at t = {t:.6g} s: the last {CROWD} events ({names}) follow each other within "
            f"{t - crowd[0].time:.2g} s, and there is no end to them. What they switch must not lead straight back: give the "
            "conditions some play, or stop the run at the first. "
            f"{run.done} of {run.instants.size} instants were computed (error.partial).",
            partial=run.result(),
        )


def pass_break(run: Simulation, at: Array) -> None:
    """Over a time at which a driver jumps: its velocity by an impulse, its position not at all."""
    before, after = float(at[rk.BEFORE]), float(at[rk.AFTER])
    run.controllers.sample(after)
    active = list(run.active)
    if not active:
        return
    scales = run.system.row_scales()[active]
    opened = (residuals(run.system, run.q, after) - residuals(run.system, run.q, before))[active]
    worst = int(np.argmax(np.abs(opened) / scales))
    if abs(opened[worst]) > TORN * scales[worst]:
        owner = run.model.constraints[run.system.rows[active[worst]].owner]
        size = f"by {-opened[worst]:.6g}"
        raise ModelError(jump_sentence(f"{owner.kind} {owner.name!r}", size, after), partial=run.result())
    speeds = [velocity_target(run.system, active, t, run.q) for t in (before, after)]
    change = np.abs(speeds[1] - speeds[0])
    worst = int(np.argmax(change))
    if change[worst] <= SAME_SPEED * max(1.0, float(np.abs(speeds).max())):
        return
    old, energy = run.v.copy(), _energy(run)
    run.holds.loosen()
    _jump(run, (), after)
    run.y[-1] += _energy(run) - energy
    run.holds.begin()
    _report(run, f"velocity jump of {run.system.rows[active[worst]].owner}", run.breaks.told(after), old)


def _report(run: Simulation, name: str, time: float, old: Array, stop: bool = False) -> None:
    bodies = run.system.n_columns - len(run.system.extras)  # rates of curve parameters follow from theirs
    jump = np.abs(run.v - old)[:bodies]
    worst = int(np.argmax(jump / run.system.column_scales()[:bodies])) if jump.size else 0
    of, size = (run.system.columns[worst], float(jump[worst])) if jump.size else ("", 0.0)
    if size and jump[worst] / run.system.column_scales()[worst] <= _rounding(run, old, bodies):
        of, size = "", 0.0
    run.reports.append(EventReport(name, time, of, size, stop))


def _rounding(run: Simulation, old: Array, bodies: int) -> float:
    """Scaled jump of a velocity that is rounding: against all speeds, and against one that covers the model's size in the run."""
    scales, span = run.system.column_scales()[:bodies], float(run.instants[-1] - run.instants[0])
    speeds = max(float(np.abs(v[:bodies] / scales).max(initial=0.0)) for v in (old, run.v))
    return SAME_SPEED * max(speeds, 1.0 / span if span > 0.0 else 0.0)


def _end_here(run: Simulation, t: float) -> None:
    """End the run now: make this its last time."""
    recorded = run.done > 0 and run.instants[run.done - 1] == t
    run.instants = run.instants[: run.done] if recorded else np.append(run.instants[: run.done], t)


def note_impact(run: Simulation, name: str) -> None:
    """Laws with restitution need the speed at first touch."""
    force = run.model.forces[name]
    if force.impact_slot is None:
        return
    speed = impact_speed(force, run.model, float(run.clock[0]), run.q, run.v)
    slots = [lowered.floats + force.impact_slot for lowered in run.system.forces if lowered.owner == name]
    if speed is not None and (run.floats[slots] != speed).any():
        run.floats = run.floats.copy()  # segments keep the speeds with which they were computed
        run.floats[slots] = speed


def _change(run: Simulation, event: Event) -> None:
    """Go on with other numbers; what is held or remembered stays."""
    before, old_floats = run.system, run.floats
    run.model = run.model.copy(changes=event.change)
    run.model_changes.append(event.name)
    fresh = lower(run.model, dynamics=True, measured=run.measured)
    if fresh.columns != before.columns or len(fresh.forces) != len(before.forces):
        raise ModelError(
            f"event {event.name!r} changes the structure of the model; change numbers only.", partial=run.result()
        )
    own_inertias_where_free(fresh, active_rows(fresh, phase=run.phase), float(run.clock[0]), run.q)
    run.system = fresh
    run.floats = fresh.floats.copy()
    if run.phase is not None:
        held = fresh.rows_of(run.model.phases[run.phase].hold)
        fresh.targets(run.floats)[held] = before.targets(old_floats)[held]
    for old, new in zip(before.forces, fresh.forces, strict=True):
        slot = run.model.forces[new.owner].impact_slot
        if slot is not None:
            run.floats[new.floats + slot] = old_floats[old.floats + slot]
    run.holds.take_over(before, old_floats)
    changed = [name for name in event.change or () if name in run.model.forces]
    deep = overlaps_at(fresh, float(run.clock[0]), run.q, run.v, floats=run.floats, names=changed)
    run.warnings += warnings_about(deep)
    run.find_breaks(float(run.clock[0]))
    run.pattern = run.row_pattern()


def _refuse_to_tear(run: Simulation, event: Event, t: float) -> None:
    """Nothing teleports: an event after which a joint would be open ends the run."""
    rows = run.acting_rows
    held = run.system.targets(run.floats) - run.system.targets(run.system.floats)
    opened = (residuals(run.system, run.q, t) - held)[rows]
    gaps = np.abs(opened) / run.system.row_scales()[rows]
    if not gaps.size or gaps.max() <= FITS + 2.0 * slack(run.system):
        return
    worst = int(np.argmax(gaps))
    joint = run.model.constraints[run.system.rows[rows[worst]].owner]
    raise ModelError(
        f"event {event.name!r} at t = {t:.6g} s would tear {joint.kind} {joint.name!r} open by {abs(opened[worst]):.6g} in an "
        "instant, and no body can be in two places at once. Change it gradually, with a driver or a formula of t, or when it fits. "
        f"{run.done} of {run.instants.size} instants were computed (error.partial).",
        partial=run.result(),
    )


def _energy(run: Simulation) -> float:
    """Energy that the model has now by its masses, gravity and springs with a formula [J]."""
    time = float(run.clock[0])
    total = mechanical_energy(run.system, run.q, run.v)
    for force in run.system.forces:
        if force.use.stored is not None:
            inputs = force.use.stored_inputs()
            known = {k: measured_value(run.model, x, time, run.q, run.v)[0] for k, x in inputs.items()}
            total += float(force.use.stored.evaluate(known))
    return total


def _jump(run: Simulation, impulses: Sequence[tuple[Any, Any]], t: float) -> None:
    """Velocities after an impulsive change."""
    run.v[:] = velocities_after(run.system, run.active, t, run.q, run.v, impulses)
