"""Copies of a model: everything is described again, with some arguments changed and some parts left out.

A part is replayed with the arguments its user gave, so that a copy with a changed argument is the model that would have been
described with it. One thing is kept instead: a joint or force whose bodies are drawn elsewhere in the copy stays where it is on
its bodies, with the numbers it once read off the drawing, unless it is changed itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.forces.force import Force
from pytrammel.joints.constraint import Constraint
from pytrammel.model.arguments.recorded import Said, argument_names, unknown_argument
from pytrammel.model.bodies import GROUND
from pytrammel.model.parameters import names_used
from pytrammel.model.phases import Phase, Switch
from pytrammel.model.quantities.quantity import Quantity

if TYPE_CHECKING:
    from pytrammel.model.base import Model

OWN = ("gravity", "display_unit", "name", "closure_tolerance")  # of the model itself


def fill_copy(
    model: Model, twin: Model, without: Iterable[str], changes: Mapping[str, Mapping[str, Any]] | None
) -> None:
    """Describe everything in the model again in an empty one."""
    left_out = _checked_names(model, without)
    changed = _checked_changes(model, {} if changes is None else changes, left_out)
    _check_nothing_hangs(model, left_out)
    for name in [name for name in model._said if name in model._bodies and name not in left_out]:
        twin.body(name, **{**model._said[name].arguments, **changed.get(name, {})})
    moved = {name for name, body in twin._bodies.items() if body.coordinates != model._bodies[name].coordinates}
    for name in [name for name in model._said if name not in model._bodies and name not in left_out]:
        _replay(model, twin, name, changed.get(name, {}), moved)
    twin._groups = {
        name: kept for name, listed in model._groups.items() if (kept := tuple(b for b in listed if b in twin._bodies))
    }
    # bodies came first, but named points keep their order; a changed body may have others
    twin._points = {name: twin._points[name] for name in [*model._points, *twin._points] if name in twin._points}


def replay_all(model: Model, twin: Model) -> None:
    """Describe everything in the model again, in the same order, in an empty one that has other parameters."""
    twin._groups = dict(model._groups)
    for name, said in model._said.items():
        if name in model._bodies:
            twin.body(name, **said.arguments)
            continue
        if said.redrawn and names_used(list(said.arguments.values()), model.parameters):
            raise ModelError(
                f"{name!r} was drawn with parameters before its bodies were drawn elsewhere; describe it again to change parameters now."
            )
        _replay(model, twin, name, {}, {GROUND, *model._bodies} if said.redrawn else set())


def _replay(model: Model, twin: Model, name: str, change: Mapping[str, Any], moved: set[str]) -> None:
    """Add one point, joint, force, phase or switch to the copy."""
    kind, _part, bodies, resolved = _facts(model, name)
    said = model._said[name]
    arguments = {**_without_alternatives(kind, said.arguments, change), **change}
    redrawn = said.redrawn or not moved.isdisjoint(bodies)
    given: Mapping[str, Any] = arguments
    if redrawn:
        stale = [key for key in said.arguments if key not in change and _drawn(key, said.arguments, resolved)]
        placed = {key for key in change if stale and _is_place(model, resolved.get(key))}
        if change.keys() <= resolved.keys() - placed:
            given = {**resolved, **change}
        elif stale:
            raise ModelError(
                f"{kind} {name!r} was drawn with {', '.join(f'{key}=' for key in stale)} before its bodies were drawn elsewhere; to "
                f"change {', '.join(f'{key}=' for key in change)} now, give {', '.join(f'{key}=' for key in stale)} again as well."
            )
        else:
            redrawn = False
    twin._redrawing = redrawn
    try:
        getattr(twin, kind)(name, **{key: _here(model, twin, value) for key, value in given.items()})
    finally:
        twin._redrawing = False
    if redrawn:
        twin._said[name] = Said(arguments, redrawn=True)


def _facts(model: Model, name: str) -> tuple[str, Any, Sequence[str], Mapping[str, Any]]:
    """Method, part, bodies, and arguments in body-fixed terms of something that was described."""
    if name in model._points:
        point = model._points[name]
        return "point", point, (point.body,), {"body": point.body, "local": point.local}
    if name in model._phases:
        return "phase", model._phases[name], (), {}
    if name in model._switches:
        return "switch", model._switches[name], (), {}
    part: Constraint | Force = model._constraints.get(name) or model._forces[name]
    return part.kind, part, part.bodies, part.parameters


def _without_alternatives(kind: str, said: Mapping[str, Any], change: Mapping[str, Any]) -> Mapping[str, Any]:
    """A point has one place: the new one takes the old one's turn."""
    if kind == "point" and change.keys() & {"at", "local"}:
        return {key: value for key, value in said.items() if key not in ("at", "local")}
    return said


def _drawn(key: str, said: Mapping[str, Any], resolved: Mapping[str, Any]) -> bool:
    """An argument that is true in one drawn pose only: it was turned into something fixed in the bodies."""
    if said[key] is None:
        return False
    return key not in resolved or (_numeric(said[key]) and not _numeric(resolved[key]))


def _numeric(value: object) -> bool:
    if isinstance(value, list | tuple):
        return any(_numeric(item) for item in value)
    return isinstance(value, int | float | np.ndarray | np.number)


def _is_place(model: Model, value: object) -> bool:
    """A body or something on one."""
    if isinstance(value, list | tuple):
        return any(_is_place(model, item) for item in value)
    return hasattr(value, "local") or (isinstance(value, str) and value in model._bodies)


def _here(model: Model, twin: Model, value: Any) -> Any:
    """What was given, as it is in the copy: named points and measured quantities are looked up afresh."""
    if isinstance(value, Quantity):
        return model.spoken(value)
    if hasattr(value, "local") and value.name in twin._points and model._points.get(value.name) == value:
        return twin._points[value.name]
    if type(value) in (list, tuple):
        return type(value)(_here(model, twin, item) for item in value)
    return value


# --- what may be named -----------------------------------------------------------------------------------------------


def _checked_names(model: Model, without: Iterable[str]) -> set[str]:
    if isinstance(without, str):
        raise ModelError(f"without={without!r} must be a list of names; write without=[{without!r}].")
    try:
        left_out = set(without)
    except TypeError:
        raise ModelError(f"without= must be a list of names, but it is {short(without)}.") from None
    for name in left_out:
        _check_known(model, name, "left out")
    return left_out


def _checked_changes(
    model: Model, changes: Mapping[str, Mapping[str, Any]], left_out: set[str]
) -> Mapping[str, Mapping[str, Any]]:
    if not isinstance(changes, Mapping):
        raise ModelError(f"changes must be a mapping such as {{'crank': {{'mass': 2.0}}}}, but it is {short(changes)}.")
    for name, change in changes.items():
        _check_known(model, name, "changed")
        if name in left_out:
            raise ModelError(f"{name!r} is both left out and changed; choose one.")
        kind = "body" if name in model._bodies else _facts(model, name)[0]
        what = f"{kind} {name!r}"
        if not isinstance(change, Mapping):
            raise ModelError(
                f"the changes of {what} must be arguments by name such as {{'mass': 2.0}}, but they are {short(change)}."
            )
        known = argument_names(getattr(type(model), kind))
        for key in change:
            if key not in known:
                raise unknown_argument(what, key, known)
    return changes


def _check_known(model: Model, name: object, doing: str) -> None:
    if isinstance(name, str) and name in model._said:
        return
    if name == GROUND:
        raise ModelError(f"the ground cannot be {doing}; it is the fixed body of every model.")
    if isinstance(name, str) and name in model._points:
        owner = name.rpartition(".")[0]
        raise ModelError(
            f"point {name!r} belongs to body {owner!r} and cannot be {doing} alone; change the body: "
            f"changes={{{owner!r}: {{'points': ...}}}}."
        )
    if name in OWN:
        raise ModelError(f"{name} belongs to the model itself; give it as copy({name}=...).")
    raise model._unknown(str(name), "body, joint, force, point, phase or switch", model._said)


# --- what hangs on what ----------------------------------------------------------------------------------------------


def _check_nothing_hangs(model: Model, left_out: set[str]) -> None:
    """Refuse to leave out what others need, and say who they are."""
    for name in sorted(left_out):
        users = [
            other for other in model._said
            if other not in left_out and other not in model._bodies and name in set(_leans_on(model, other))
        ]  # fmt: skip
        if users:
            listed = ", ".join(repr(user) for user in users)
            raise ModelError(
                f"{name!r} cannot be left out alone, because {listed} {'needs' if len(users) == 1 else 'need'} it; leave out "
                f"{'that' if len(users) == 1 else 'those'} as well: without=[{', '.join(repr(n) for n in (name, *users))}]."
            )


def _leans_on(model: Model, name: str) -> Iterator[str]:
    """Names of bodies, points, joints, forces and phases without which something cannot be."""
    _, part, bodies, resolved = _facts(model, name)
    yield from bodies
    for value in (*model._said[name].arguments.values(), *resolved.values()):
        yield from _points_in(value)
    if isinstance(part, Phase):
        yield from part.active
    elif isinstance(part, Switch):
        yield from (part.leave, part.enter)
        for key in part.when.names - {"t"}:
            found = model.law_input(key, f"switch {name!r}")
            yield from [] if found.quantity is None else _owners(model, found.quantity)
            yield found.joint
    elif isinstance(part, Constraint):
        for block in part.blocks:
            yield from (owner for owner in _owners(model, block.quantity) if owner != name)
    elif isinstance(part, Force):
        for use in part.uses:
            for quantity in (use.along, *(given.quantity for given in use.inputs.values())):
                if quantity is not None:
                    yield from (owner for owner in _owners(model, quantity) if owner != name)
            yield from (given.joint for given in use.inputs.values() if given.kind != "state")
            used = (model.states.get(given.joint, "") for given in use.inputs.values() if given.kind == "state")
            yield from (owner for owner in used if owner != name)


def _points_in(value: Any) -> Iterator[str]:
    if hasattr(value, "local"):
        yield value.name
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _points_in(item)


def _owners(model: Model, quantity: Quantity) -> Iterator[str]:
    """Bodies of a quantity, and whatever measures it."""
    yield from quantity.bodies
    spoken = model.spoken(quantity)
    if isinstance(spoken, str):
        yield spoken.rpartition(".")[0]
    for inner in quantity.inputs.values():
        yield from _owners(model, inner)
