"""Options of the verbs: unknown names, wrong kinds and impossible numbers are answered with a sentence before any work."""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import os
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trammel.errors import ModelError
from trammel.model.base import Model
from trammel.model.body import checked_bool, checked_number
from trammel.sentences import short

P = ParamSpec("P")
R = TypeVar("R")

DEFAULT_SAMPLES = 201
MEMORY_SHARE = 0.5  # of the machine's memory that the tables of one run may fill


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """An analysis that knows its options by name and says so."""
    parameters = inspect.signature(function).parameters
    known = [key for key, p in parameters.items() if p.kind is not inspect.Parameter.VAR_KEYWORD][1:]
    free = len(known) < len(parameters) - 1
    spoken = [key for key in known if parameters[key].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]

    @functools.wraps(function)
    def careful(*args: P.args, **given: P.kwargs) -> R:
        name = function.__name__
        model = args[0] if args else given.get("model")
        if not isinstance(model, Model):
            raise ModelError(f"{name} needs a model, but it is given {short(model)}.")
        if len(args) > len(spoken) + 1:
            raise ModelError(
                f"{name} takes {', '.join(('a model', *spoken))} without a name, but {len(args)} values are given; name the others."
            )
        for key in given:
            if not free and key not in known and key != "model":
                near = difflib.get_close_matches(key, known, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise ModelError(f"{name} has no option {key!r}; it has: {', '.join(known)}.{hint}")
        return function(*args, **given)

    return careful


def whole_number(value: object, what: str, least: int) -> int:
    """An int, also from 5.0, but not from 2.5 or True."""
    number = checked_number(value, what)
    if number != math.floor(number) or number < least:
        raise ModelError(f"{what} is {number:g}; it must be a whole number of at least {least}.")
    return int(number)


def checked_time(value: object) -> float:
    """The instant at which a model is looked at [s]."""
    return checked_number(value, "time")


def checked_names(value: object, what: str) -> tuple[str, ...]:
    """Names in a list; a single text is no list."""
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        raise ModelError(f"{what} must be a list of names, but it is {short(value)}.")
    names = tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise ModelError(f"{what} must be a list of names, but it holds {short(name)}.")
    return names


def checked_mapping(value: object, what: str) -> Mapping[str, Any]:
    """Things by name."""
    if not isinstance(value, Mapping) or any(not isinstance(key, str) for key in value):
        raise ModelError(f"{what} must be a mapping by name, {{'A': ...}}, but it is {short(value)}.")
    return value


def checked_flag(value: object, what: str) -> bool:
    return checked_bool(value, what)


def instants_of(
    model: Model, duration: object, samples: object, step: object, times: ArrayLike | None, start: object
) -> NDArray[np.float64]:
    """Output instants [s]: given, or from a duration with a number of samples or a step."""
    if times is not None:
        for key, value in (("duration", duration), ("samples", samples), ("step", step), ("start", start)):
            if value is not None:
                raise ModelError(f"times= are given, so that {key}= would not be used; give one or the other.")
        return _given_instants(times)
    if duration is None:
        raise ModelError("say how long: give duration= [s] or times=.")
    length = checked_number(duration, "duration")
    if length < 0.0:
        raise ModelError(f"duration is {length:g} s; it must be 0 or more.")
    if samples is not None and step is not None:
        raise ModelError("samples= and step= are both given; give one of them.")
    begin = 0.0 if start is None else checked_number(start, "start")
    count = DEFAULT_SAMPLES if samples is None else whole_number(samples, "samples", 1 if length == 0.0 else 2)
    if step is not None:
        pace = checked_number(step, "step")
        if not pace > 0.0:
            raise ModelError(f"step is {pace:g} s; it must be greater than 0.")
        _check_memory(model, length / pace, f"step = {pace:g} s")
        count = math.floor(length / pace * (1.0 + 1e-12)) + 1
    _check_memory(model, float(count), f"samples = {count}")
    if length == 0.0:
        return np.array([begin])
    instants = begin + pace * np.arange(count) if step is not None else np.linspace(begin, begin + length, count)
    if count > 1 and not (np.diff(instants) > 0.0).all():
        apart = length / (count - 1)
        raise ModelError(
            f"instants {apart:g} s apart cannot be told from each other at start = {begin:g} s, where numbers are {np.spacing(begin):g} s "
            "apart; start nearer to 0."
        )
    return np.asarray(instants, dtype=float)


def _given_instants(times: ArrayLike) -> NDArray[np.float64]:
    try:
        instants = np.atleast_1d(np.asarray(times, dtype=float)).copy()
        words = np.asarray(times).dtype.kind in "SUb"
    except (TypeError, ValueError, OverflowError):
        words = True
    if words or instants.ndim != 1 or instants.size == 0 or not np.isfinite(instants).all():
        raise ModelError(f"times must be a list of finite numbers [s], but it is {short(times)}.")
    wrong = np.flatnonzero(np.diff(instants) <= 0.0)
    if wrong.size:
        k = int(wrong[0])
        raise ModelError(
            f"times must increase, but times[{k + 1}] = {instants[k + 1]:g} s follows {instants[k]:g} s; sort them."
        )
    return instants


def _check_memory(model: Model, count: float, said: str) -> None:
    """The tables of a run: coordinates, velocities, accelerations, multipliers and notes at every instant."""
    rows = sum(constraint.n_rows for constraint in model.constraints.values())
    width = 3 * (len(model.bodies) * len(model.space.positions)) + rows + 2 * len(model.forces) + 16
    needed, there = 8.0 * width * count, _memory()
    if needed > MEMORY_SHARE * there:
        raise ModelError(
            f"{said}: {count:.3g} instants need about {needed / 1e9:.3g} GB of memory, more than {MEMORY_SHARE:.0%} of the "
            f"{there / 1e9:.3g} GB of this machine; ask for fewer instants."
        )


def _memory() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # not on this system
        return 8e9
