"""What a simulation watches while it steps: events, switches, ends of curves, touches, and corners of laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.at_state import evaluate_state
from pytrammel.analysis.events.corners import (
    contact_corners,
    event_corners,
    law_corners,
    reversal_layers,
    touch_formula,
)
from pytrammel.analysis.events.curve_ends import curve_ends
from pytrammel.analysis.events.due import due_at_start, rounding_of, values_of
from pytrammel.analysis.events.events import Event, LawCorner, Touch
from pytrammel.analysis.events.from_results import ROUNDINGS, FromResults
from pytrammel.analysis.events.names import is_measured
from pytrammel.expressions.expression import as_expression
from pytrammel.forces.force import Force
from pytrammel.kernels import events as kernel_events
from pytrammel.model.quantities.measures import measured_formula
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import System, lower_measures
from pytrammel.system.positions import moved

if TYPE_CHECKING:
    from pytrammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
A_MOMENT = 1e-7  # of a run: what an event's formula does right after the start
SAME_PLACE = 1e-12  # of the model's size: a corner of a law is not passed by less
PLACEHOLDER = as_expression("t", "a placeholder")  # row of a formula that Python evaluates


@dataclass(frozen=True)
class Watched:
    """What a run watches: events and corners of laws, their formulas lowered, their directions, and the values that count as zero.

    Formulas of `others` are placeholders among the lowered ones. `quantities` are given where contacts are compared with fixed steps.
    """

    events: list[Event]
    system: System
    directions: NDArray[np.int64]
    noise: Array
    others: FromResults | None = None
    quantities: Sequence[Quantity] = ()

    def values(self, time: float, y: Array) -> Array:
        """Values of all formulas at an integrated vector."""
        nq, n = self.system.n_coordinates, self.system.n_columns
        out: Array = values_of(self.system, np.array([time]), y[None, :nq], y[None, nq : nq + n])[0]
        if self.others is not None:
            out[list(self.others.places)] = self.others.value(time, y)
        return out

    def rounding(self, time: float, y: Array) -> Array:
        """Change of each formula with the last bits of the state."""
        nq, n = self.system.n_coordinates, self.system.n_columns
        out = rounding_of(self.system, (time, y[:nq], y[nq : nq + n]))
        if self.others is not None:
            out[list(self.others.places)] = self.others.rounding(time, y)
        return out


def watch_for(run: Simulation) -> Watched:
    """Events of the user, switches of the present phase, and first touches that a law must know of."""
    watched = list(run.user_events)
    for s in run.model.switches.values():
        if s.leave == run.phase:
            watched.append(Event(s.name, s.when, s.direction, enter=s.enter))
    watched += curve_ends(run.model, run.acting)
    formulas = [(e.name, as_expression(e.when, f"event {e.name!r}")) for e in watched]
    directions = [e.direction for e in watched]
    # steps end where contacts begin and end and where laws have corners, so that no step straddles one
    bent = [(name, zero) for name, formula in formulas for zero in event_corners(formula)]
    corners: list[Quantity] = []
    noted = run.options.method.fixed and not run.every_corner  # steps may be long against a contact
    touched: list[Force] = []
    for force in run.model.forces.values():
        corners += law_corners(force)
        if run.options.method.ends_at_layers:
            corners += reversal_layers(force)
        if run.every_corner:
            corners += contact_corners(run.model, force)
        touches = any(use.role == "contact" for use in force.uses) and {"gap", "distance"} & set(force.measures)
        if touches and run.holds.watches(force.name):
            touched.append(force)
            watched.append(Touch(force.name, touch_formula(force)))
            asks = noted or force.impact_slot is not None or force.name in run.holds.rigid
            directions.append(kernel_events.TOUCH if asks else kernel_events.SILENT)
    # corners of events come before those of laws
    watched += [Touch(name, zero) for name, zero in bent]
    watched += [LawCorner(q.label, q.formula) for q in corners if q.formula is not None]
    directions += [kernel_events.SILENT] * len(bent)
    directions += [kernel_events.TOUCH if noted else kernel_events.SILENT] * len(corners)
    given = [*formulas, *((force.name, touch_formula(force)) for force in touched), *bent]
    others = {k: (f"event {name!r}", zero) for k, (name, zero) in enumerate(given) if not is_measured(run.model, zero)}
    quantities = [
        measured_formula(run.model, name, PLACEHOLDER if k in others else zero) for k, (name, zero) in enumerate(given)
    ]
    lowered = lower_measures(run.model, quantities + corners)
    noise = np.full(max(1, len(watched)), SAME_PLACE * float(run.system.column_scales().max(initial=0.0)))
    # the gap of rigid bodies is a length: it must not overshoot what counts as closed where a radian is far more than the model's size
    gaps = [k for k, event in enumerate(watched) if isinstance(event, Touch) and event.name in run.holds.rigid]
    noise[gaps] = SAME_PLACE * run.system.length
    found = Watched(
        watched,
        lowered,
        np.array(directions or [0], dtype=np.int64),
        noise,
        FromResults(run, others) if others else None,
        [*quantities, *corners] if noted else [],
    )
    # a formula that a joint keeps at zero must not fire by rounding; time alone has none
    heard = [k for k, d in enumerate(directions) if d < kernel_events.SILENT or k in others]
    if heard:
        of_time = [k < len(formulas) and formulas[k][1].names == {"t"} for k in heard]
        rounding = found.rounding(float(run.clock[0]), run.y)[heard]
        noise[heard] = np.where(of_time, 0.0, ROUNDINGS * rounding)
    if found.others is not None:
        found.others.watch_noise(noise)
    return found


def due_now(run: Simulation, watch: Watched) -> list[int]:
    """Numbers of the events whose formula is zero at the start of a run and goes their way, or stays zero, right after it."""
    heard = [k for k, d in enumerate(watch.directions[: len(watch.events)]) if d < kernel_events.SILENT]
    if not heard:
        return []
    t = run.breaks.told(float(run.clock[0]))
    value, later, rounding = watch.values(t, run.y), _soon(run, watch), watch.rounding(t, run.y)
    return [k for k in due_at_start(value, later, rounding, watch.directions) if k in heard]


def _soon(run: Simulation, watch: Watched) -> Array:
    """Values of all formulas a moment later."""
    t = run.breaks.told(float(run.clock[0]))
    dt = A_MOMENT * max(float(run.instants[-1] - run.instants[0]), 1e-9)
    if watch.others is not None:
        soon = watch.others.at.later(t, run.y, dt)
    else:
        a = evaluate_state(run.system, run.floats, run.pattern, t, run.q, run.v).accelerations
        soon = run.y.copy()
        nq, n = run.q.size, run.v.size
        soon[:nq] = moved(run.system, run.q, dt * run.v + 0.5 * dt * dt * a)
        soon[nq : nq + n] += dt * a
    return watch.values(t + dt, soon)


def at_zero(run: Simulation, watch: Watched) -> NDArray[np.bool_]:
    """Formulas whose present values are rounding."""
    t = float(run.clock[0])
    return np.asarray(np.abs(watch.values(t, run.y)) <= np.maximum(watch.noise, watch.rounding(t, run.y)))


def due_with(run: Simulation, watch: Watched, index: int) -> list[int]:
    """Numbers of other events of the user that pass zero at the time at which event `index` fires, before it acts."""
    count = len(run.user_events)
    signs = run._signs[:count]
    if index >= count or not (np.abs(signs) > 0.0).any():
        return []
    near = at_zero(run, watch)[:count] & (np.abs(signs) > 0.0)
    near[index] = False
    if not near.any():
        return []
    later = _soon(run, watch)[:count]
    passes = near & (later * signs < 0.0) & (watch.directions[:count] * later >= 0.0)
    return [int(k) for k in np.flatnonzero(passes)]
