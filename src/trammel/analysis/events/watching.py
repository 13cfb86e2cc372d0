"""What a simulation watches while it steps: events, switches, ends of curves, touches, and corners of laws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.at_state import evaluate_state
from trammel.analysis.events.corners import contact_corners, event_corners, law_corners, touch_formula
from trammel.analysis.events.curve_ends import curve_ends
from trammel.analysis.events.due import due_at_start, rounding_of
from trammel.analysis.events.events import Event, Touch
from trammel.kernels import events as kernel_events
from trammel.model.expression import as_expression
from trammel.model.measured import measured_formula
from trammel.system.lowering import System, lower_measures
from trammel.system.positions import moved

if TYPE_CHECKING:
    from trammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
A_MOMENT = 1e-7  # of a run: what an event's formula does right after the start
SAME_PLACE = 1e-12  # of the model's size: a corner of a law is not passed by less
ROUNDINGS = 30.0  # what the last bits can do to an event's formula, times this, is no crossing


@dataclass(frozen=True)
class Watched:
    """What a run watches: events and corners of laws, their formulas lowered, their directions, and the values that count as zero."""

    events: list[Event]
    system: System
    directions: NDArray[np.int64]
    noise: Array


def watch_for(run: Simulation) -> Watched:
    """Events of the user, switches of the present phase, and first touches that a law must know of."""
    watched = list(run.user_events)
    for s in run.model.switches.values():
        if s.leave == run.phase:
            watched.append(Event(s.name, s.when, s.direction, enter=s.enter))
    watched += curve_ends(run.model, run.acting)
    formulas = [(e.name, as_expression(e.when, f"event {e.name!r}")) for e in watched]
    quantities = [measured_formula(run.model, *formula) for formula in formulas]
    directions = [e.direction for e in watched]
    # steps end where contacts begin and end and where laws have corners, so that no step straddles one
    corners = [q for formula in formulas for q in event_corners(run.model, *formula)]
    for force in run.model.forces.values():
        corners += law_corners(force)
        if run.every_corner:
            corners += contact_corners(run.model, force)
        touches = any(use.role == "contact" for use in force.uses) and {"gap", "distance"} & set(force.measures)
        if touches and run.holds.watches(force.name):
            watched.append(Touch(force.name, touch_formula(force)))
            quantities.append(measured_formula(run.model, force.name, touch_formula(force)))
            asks = force.impact_slot is not None or force.name in run.holds.rigid
            directions.append(kernel_events.TOUCH if asks else kernel_events.SILENT)
    watched += [Touch(q.label, q.formula) for q in corners if q.formula is not None]
    directions += [kernel_events.SILENT] * len(corners)
    lowered = lower_measures(run.model, quantities + corners)
    noise = np.full(max(1, len(watched)), SAME_PLACE * float(run.system.column_scales().max(initial=0.0)))
    # the gap of rigid bodies is a length: it must not overshoot what counts as closed where a radian is far more than the model's size
    gaps = [k for k, event in enumerate(watched) if isinstance(event, Touch) and event.name in run.holds.rigid]
    noise[gaps] = SAME_PLACE * run.system.length
    # a formula that a joint keeps at zero must not fire by rounding; time alone has none
    heard = [k for k, d in enumerate(directions) if d < kernel_events.SILENT]
    if heard:
        of_time = [formulas[k][1].names == {"t"} for k in heard]
        rounding = rounding_of(lowered, (float(run.clock[0]), run.q, run.v))[heard]
        noise[heard] = np.where(of_time, 0.0, ROUNDINGS * rounding)
    return Watched(watched, lowered, np.array(directions or [0], dtype=np.int64), noise)


def due_now(run: Simulation, watch: Watched) -> list[int]:
    """Numbers of the events whose formula is zero at the start of a run and goes their way, or stays zero, right after it."""
    heard = [k for k, d in enumerate(watch.directions[: len(watch.events)]) if d < kernel_events.SILENT]
    if not heard:
        return []
    t = run.breaks.told(float(run.clock[0]))
    a = evaluate_state(run.system, run.floats, run.pattern, t, run.q, run.v).accelerations
    dt = A_MOMENT * max(float(run.instants[-1] - run.instants[0]), 1e-9)
    step = dt * run.v + 0.5 * dt * dt * a
    soon = (t + dt, moved(run.system, run.q, step), run.v + dt * a)
    due = due_at_start(watch.system, watch.directions, (t, run.q.copy(), run.v.copy()), soon)
    return [k for k in due if k in heard]
