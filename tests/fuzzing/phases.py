"""Phases: a joint that comes into play during a run, or goes out of it."""

from __future__ import annotations

from fuzzing.case import Case, number
from fuzzing.conditions import During, Geared
from fuzzing.mobility import free_directions
from fuzzing.motions import GAPS


def add_phases(case: Case) -> None:
    """Half-way a driver stops where it is, a measured quantity is locked, or a loop opens."""
    at = case.scale.time * case.rng.uniform(*GAPS[1])
    loops = [name for name in case.joints if name.startswith("L")]
    if case.drivers:
        _halt(case, at)
    elif loops and case.rng.random() < 0.5:
        _open(case, loops[-1], at)
    else:
        _lock(case, at)


def _switch(case: Case, names: list[str], first: str, second: str, at: float) -> None:
    """Two phases, by the arguments of each, and the change from one to the other."""
    case.write(f'm.phase("first", {first})', "first", names)
    case.write(f'm.phase("second", {second})', "second", [*names, "first"])
    case.write(f'm.switch("change", "first", "second", when="t - {number(at)}")', "change", ["first", "second"])
    case.conservative = False


def _halt(case: Case, at: float) -> None:
    name, quantity = case.drivers[0], case.drivers_on[0]
    case.joints[name] = [During(c, 0.0, at) for c in case.joints[name]]
    _add_lock(case, quantity, at)
    _switch(case, [name, "lock"], f'active=["{name}"]', 'active=["lock"], hold=["lock"]', at)


def _open(case: Case, name: str, at: float) -> None:
    case.joints[name] = [During(c, 0.0, at) for c in case.joints[name]]
    _switch(case, [name], f'active=["{name}"]', "active=[]", at)


def _lock(case: Case, at: float) -> None:
    free = [q for q in case.measures if free_directions(case, [q]) < free_directions(case)]
    if not free:
        return
    quantity = str(case.rng.choice(free))
    _add_lock(case, quantity, at)
    _switch(case, ["lock"], "active=[]", 'active=["lock"], hold=["lock"]', at)


def _add_lock(case: Case, quantity: str, at: float) -> None:
    text = f'm.constrain("lock", "{quantity}", value={number(case.start(quantity))})'
    case.write(text, "lock", [quantity.partition(".")[0]])
    case.joints["lock"] = [During(Geared(((1.0, case.measures[quantity]),), case.unit(quantity)), at, float("inf"))]
