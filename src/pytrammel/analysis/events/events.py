"""Events of a simulation: what to watch for, and what to do then."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked, checked_bool
from pytrammel._util.messages import brief, short
from pytrammel.analysis.at_state import measured_value
from pytrammel.analysis.events.corners import touch_formula
from pytrammel.analysis.events.impulses import check_impulse
from pytrammel.analysis.events.names import check_names
from pytrammel.analysis.plain_equations.primes import read_formula
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, calls_tables
from pytrammel.forces.force import Force
from pytrammel.model.base import Model
from pytrammel.model.parameters import read_formula as model_formula
from pytrammel.model.phases import checked_direction
from pytrammel.model.quantities.measures import measured_formula

Array = NDArray[np.float64]
TOUCHING = 1e-9  # gap that counts as closed where an event has just found it so [m]
SLOWEST = 1e-9  # approach that counts as none [m/s]


@checked("name", "when", "direction", "stop", "change", "impulse", "enter")
@brief
@dataclass(frozen=True)
class Event:
    """Something to watch for during a simulation, and what to do then.

    Attributes:
        name: Name in the report.
        when: Formula of t and any quantity that a result of the run has at one time: measured quantities and their rates, accelerations,
            reactions, efforts, forces of elements, energies, states ("A.reaction.y", "S.force - 50"). The event is its passing zero, or
            being zero at the start and then going the way that is watched for.
        direction: +1 rising, -1 falling, 0 either way.
        stop: End the simulation there.
        change: Parameters to change from then on, per force, body or joint name: ``{"brake": {"stiffness": 0.0}}``.
        impulse: Impulses to apply: (point or body, (px, py)) or (body, angular impulse) [N s, N m s]; in space (point or body,
            (px, py, pz)), or six components, linear and angular, all global.
        enter: Phase to enter.
        release: Joints that let go from then on: a pin that leaves the end of its slot, a link that breaks.
    """

    name: str
    when: str | Expression
    direction: int = 0
    stop: bool = False
    change: Mapping[str, Mapping[str, Any]] | None = None
    impulse: Sequence[tuple[Any, Any]] = ()
    enter: str | None = None
    release: str | Sequence[str] = ()

    @property
    def released(self) -> tuple[str, ...]:
        """Joints that let go; a single name counts as one."""
        return (self.release,) if isinstance(self.release, str) else tuple(self.release)

    def plain(self, model: Model) -> dict[str, Any]:
        """The event as plain data, from which ``Event(**data)`` is made again for the same model.

        Raises:
            ModelError: It holds something that has no name there, such as a table inside a formula.
        """
        change = None if self.change is None else {key: dict(given) for key, given in self.change.items()}
        places = [[getattr(place, "name", place), amount] for place, amount in self.impulse]
        data = {
            "name": self.name, "when": str(self.when), "direction": self.direction, "stop": self.stop, "change": change,
            "impulse": places, "enter": self.enter, "release": list(self.released),
        }  # fmt: skip
        try:
            told: dict[str, Any] = json.loads(json.dumps(data, default=_numbers))
            same = _checked(model, Event(**told)).when == self.when
        except (TypeError, ValueError, ModelError):
            same = False
        if not same:
            raise ModelError(
                f"event {self.name!r} cannot be stored with its run: write its formulas as texts, with tables that the model knows by name "
                "(m.define_table), and name points and bodies instead of giving them."
            )
        return told

    def __post_init__(self) -> None:
        what = f"event {short(self.name)}"
        if not isinstance(self.name, str):
            raise ModelError(f"the name of an event must be a text, but it is {short(self.name)}.")
        if not self.name.strip():
            raise ModelError(
                f"the name of an event is {self.name!r}, but it must not be empty. Use a name such as 'lift-off'."
            )
        if not self.name.isprintable():
            raise ModelError(
                f"the name of an event is {short(self.name)}, but it must be one line without control characters. Remove them."
            )
        if not calls_tables(self.when):  # tables are known to models, which read it before the run
            read_formula(self.when, what)
        checked_direction(self.direction, what)
        checked_bool(self.stop, f"stop of {what}")
        if self.change is not None and not isinstance(self.change, Mapping):
            raise ModelError(
                f"{what}: change must be arguments by name, {{'brake': {{'stiffness': 0.0}}}}, but it is {short(self.change)}."
            )
        pairs = self.impulse if isinstance(self.impulse, Sequence) and not isinstance(self.impulse, str) else (None,)
        if any(not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2 for pair in pairs):
            raise ModelError(
                f"{what}: impulse must be a list of (place, amount), [('b', (1.0, 0.0))], but it is {short(self.impulse)}."
            )
        if self.enter is not None and not isinstance(self.enter, str):
            raise ModelError(f"{what}: enter must be the name of a phase, but it is {short(self.enter)}.")


class Touch(Event):
    """The beginning or end of a contact, or another corner of a force law, named after its force: not reported, but steps end there."""


class LawCorner(Touch):
    """A corner of a force law that is no distance of bodies."""


def checked_events(model: Model, events: Sequence[Event]) -> tuple[Event, ...]:
    """Events with their formulas as the model reads them; mistakes are found before the run, not in the middle of it."""
    found = tuple(_checked(model, event) for event in events)
    check_different_names(found)
    return found


def check_different_names(events: Sequence[Event]) -> None:
    """Raise `ModelError` if two events have one name, so that reports and formulas could mean either."""
    names: dict[str, int] = {}
    for k, event in enumerate(events):
        if event.name in names:
            raise ModelError(
                f"events= holds two events with the name {short(event.name)}, members {names[event.name]} and {k}. Use different names."
            )
        names[event.name] = k


def _checked(model: Model, event: Event) -> Event:
    if not isinstance(event, Event):
        raise ModelError(f"events= must be a list of tm.Event(...), but it holds {short(event)}.")
    if event.enter is not None and event.enter not in model.phases:
        known = ", ".join(model.phases) or "none"
        raise ModelError(f"event {event.name!r}: there is no phase {event.enter!r} to enter; the model has: {known}.")
    if event.change:
        _check_change(model, event)
    for joint in event.released:
        model.joint(joint, f"release of event {event.name!r}")
    for place, amount in event.impulse:
        check_impulse(model, place, amount, f"event {event.name!r}")
    formula = model_formula(model, event.when, f"event {event.name!r}")
    check_names(model, f"event {event.name!r}", formula)
    return replace(event, when=formula)


def impact_speed(force: Force, model: Model, t: float, q: Array, v: Array) -> float | None:
    """Speed at which a contact that touches now is met [m/s]; None if it is open or opening."""
    quantity = measured_formula(model, force.name, touch_formula(force))
    gap, rate = measured_value(model, quantity, t, q, v)
    return -rate if gap <= TOUCHING and rate < -SLOWEST else None


def _numbers(value: Any) -> Any:
    """Arrays and formulas as JSON has them."""
    if isinstance(value, Expression):
        return str(value)
    return np.asarray(value, dtype=float).tolist()


DRAWN = frozenset({"position", "angle", "rotation", "velocity", "omega"})


def _check_change(model: Model, event: Event) -> None:
    model.copy(changes=event.change)
    for name, arguments in (event.change or {}).items():
        given = sorted(DRAWN & arguments.keys())
        if name in model.bodies and given:
            raise ModelError(
                f"event {event.name!r} changes {given[0]} of body {name!r}, which only says how the run starts; a body moves by forces, "
                "drivers and impulses. Use impulse=, or change a force."
            )
