"""Options of the verbs: unknown names, wrong kinds and impossible numbers are answered with a sentence before any work."""

from __future__ import annotations

import functools
import inspect
import math
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import Kind, checked_bool, checked_number, kinds_of, number_in
from pytrammel._util.checks import listed as listed
from pytrammel._util.checks import whole_number as whole_number
from pytrammel._util.messages import short, surplus_values, unknown_option, unlike
from pytrammel._util.progress import analysis_scope
from pytrammel._util.threads import one_thread
from pytrammel.analysis.start.given import checked_hold, checked_values, initial_conditions
from pytrammel.analysis.treatments import treatment_named
from pytrammel.errors import ModelError
from pytrammel.model.base import Model

P = ParamSpec("P")
R = TypeVar("R")

LONGEST = 1e12  # seconds, of times and durations
MEMORY_SHARE = 0.5  # of the machine's memory that the tables of one run may fill


FEW_COLUMNS = 1000  # of a model whose matrices are not worth several threads
WRITTEN = ("store",)  # targets of files, which raise `FileWriteError`
SAME_INSTANT = 1e-9  # share of `output_step` by which the last whole step may miss the end


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """An analysis whose options are checked by name, kind and number before it begins; see `CHECKS`."""
    parameters = inspect.signature(function).parameters
    known = [key for key, p in parameters.items() if p.kind is not inspect.Parameter.VAR_KEYWORD][1:]
    free = len(known) < len(parameters) - 1
    spoken = [key for key in known if parameters[key].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    kinds = functools.cache(functools.partial(kinds_of, function))

    @functools.wraps(function)
    def careful(*args: P.args, **given: P.kwargs) -> R:
        name = function.__name__
        model = args[0] if args else given.get("model")
        if not isinstance(model, Model):
            raise ModelError(f"{name} needs a model, but it is given {short(model)}.")
        if len(args) > len(spoken) + 1:
            raise surplus_values(name, spoken, len(args) - 1, after=" after the model")
        first = dict(zip(spoken, args[1:], strict=False))
        twice = [key for key in first if key in given]
        if twice:
            raise ModelError(f"{name} is given {twice[0]} twice; give it once.")
        settled = _settled(name, [] if free else ["model", *known], {**first, **given}, kinds())
        missing = [key for key in known if key not in settled and parameters[key].default is inspect.Parameter.empty]
        if missing:
            raise ModelError(f"{name} needs {', '.join(missing)}; it takes: {', '.join(known)}.")
        _refuse_unused({**first, **given})
        settled["model"] = model
        with analysis_scope(), one_thread(when=len(model.bodies) * len(model.space.columns) <= FEW_COLUMNS):
            return function(**settled)  # type: ignore[call-arg]

    return careful


def tool(*unchecked: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function without a model whose options are checked by name, kind and number before it begins; see `CHECKS`.

    Args:
        unchecked: Options that it checks itself.
    """
    return lambda function: _tool(function, unchecked)


def _tool(function: Callable[P, R], unchecked: tuple[str, ...]) -> Callable[P, R]:
    parameters = inspect.signature(function).parameters
    spoken = [key for key, p in parameters.items() if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    kinds = functools.cache(functools.partial(kinds_of, function))

    @functools.wraps(function)
    def careful(*args: P.args, **given: P.kwargs) -> R:
        name = function.__name__
        if len(args) > len(spoken):
            raise surplus_values(name, spoken, len(args))
        said = {**dict(zip(spoken, args, strict=False)), **given}
        settled = _settled(name, list(parameters), said, kinds(), unchecked)
        missing = [key for key in spoken if key not in said and parameters[key].default is inspect.Parameter.empty]
        if missing:
            raise ModelError(f"{name} needs {', '.join(missing)}; it takes: {', '.join(parameters)}.")
        twice = [key for key in spoken[: len(args)] if key in given]
        if twice:
            raise ModelError(f"{name} is given {twice[0]} twice; give it once.")
        _refuse_unused(said)
        with analysis_scope():
            return function(**settled)  # type: ignore[call-arg]

    return careful


def _settled(
    name: str,
    known: list[str],
    given: Mapping[str, Any],
    kinds: Mapping[str, Kind] | None = None,
    unchecked: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Options after their checks; names must be known, if a list of them is given.

    Args:
        kinds: What annotations allow for options that have no check in `CHECKS`.
        unchecked: Options that the function checks itself.
    """
    settled, kinds = dict(given), kinds or {}
    for key, value in given.items():
        if known and key not in known:
            raise unknown_option(name, key, (k for k in known if k != "model"))
        if key in unchecked or key in WRITTEN:
            continue
        if key in INSTANTS and "times" in known:
            INSTANTS[key](value, key)
            continue
        if key in CHECKS:
            settled[key] = CHECKS[key](value, key)
        elif key in kinds and not kinds[key].passes(value):
            settled[key] = kinds[key].check(value, key)
    return settled


def checked_options(name: str, known: Iterable[str], given: Mapping[str, Any], *functions: Any) -> dict[str, Any]:
    """Options of an analysis that is to be run later, checked by name, kind and number as it would check them.

    Args:
        name: How messages call the analysis.
        known: Names of its options.
        given: Those given.
        functions: Functions whose annotations state what they may be.
    """
    kinds = {key: kind for function in functions for key, kind in kinds_of(function).items()}
    settled = _settled(name, list(known), given, kinds)
    _refuse_unused(settled)
    return settled


# options that mean nothing beside others
UNUSED: tuple[tuple[str, Callable[[Mapping[str, Any]], bool], str], ...] = (
    *(
        (key, lambda given: given.get("times") is not None, "times= are given")
        for key in ("duration", "samples", "output_step", "start_time")
    ),
    ("samples", lambda given: given.get("output_step") is not None, "output_step= is given"),
    ("method", lambda given: given.get("coordinates") is not None, "coordinates= are given"),
    *((key, lambda given: _fixed(given), "the method has a fixed step") for key in ("rtol", "atol", "max_step")),
)  # fmt: skip


def _fixed(given: Mapping[str, Any]) -> bool:
    """Return True if the method that was chosen takes steps of a given length."""
    from pytrammel.analysis.methods import Method, method_named, methods

    method = given.get("method") or ""
    if not isinstance(method, Method) and method not in methods:
        return False  # raises an error elsewhere
    found = method_named(method)
    return found.fixed and not (found.can_control and found.options.get("step") is None)


def _refuse_unused(given: Mapping[str, Any]) -> None:
    for key, beside, why in UNUSED:
        if given.get(key) is not None and beside(given):
            raise ModelError(f"{key}={short(given[key])} would not be used, because {why}. Remove {key}=.")


def _time(value: Any, what: str) -> float:
    number = checked_number(value, what)
    if abs(number) > LONGEST:
        raise ModelError(f"{what} is {number:g} s; it must be within {LONGEST:g} s (thirty thousand years).")
    return number


def _method(value: Any, what: str) -> Any:
    from pytrammel.analysis.methods import methods

    return value if isinstance(value, str) else methods.chosen(value).plain()


def _formulation(value: Any, what: str) -> Any:
    from pytrammel.analysis.formulations import formulation

    return formulation(value).plain()


def _treatment(value: Any, what: str) -> Any:
    return treatment_named(value).plain()


def _initial(value: Any, what: str) -> Any:
    return value if value is None else initial_conditions(value, what).plain()


def _callable(value: Any, what: str) -> Any:
    if value is not None and not callable(value):
        raise ModelError(f"{what} must be a function, but it is {short(value)}.")
    return value


CHECKS: Mapping[str, Callable[[Any, str], Any]] = {
    "time": _time, "initial": _initial,
    "drivers": checked_bool, "allow_unstable": checked_bool, "progress": checked_bool, "deflation": checked_bool,
    "prescribed": checked_values, "weights": checked_values,
    "cut": checked_hold, "cut_stiffness": number_in(0.0, above=True, optional=True), "unknowns": checked_hold,
    "inputs": checked_hold, "outputs": lambda value, what: None if value is None else checked_hold(value, what),
    "hold": checked_hold, "coordinates": lambda value, what: None if value is None else checked_hold(value, what),
    "events": listed, "callback": _callable, "method": _method, "constraints": _treatment, "formulation": _formulation,
    "rtol": number_in(0.0, above=True), "atol": number_in(0.0), "max_step": number_in(0.0, above=True, endless=True),
}  # fmt: skip


def _number_or_none(value: Any, what: str) -> Any:
    return value if value is None else checked_number(value, what)


def _count(value: Any, what: str) -> Any:
    number = _number_or_none(value, what)
    return value if number is None or number == math.floor(number) else whole_number(value, what, 2)


# kinds of what `instants_of` checks with its limits
INSTANTS: Mapping[str, Callable[[Any, str], Any]] = {
    "duration": lambda value, what: value if value is None else _time(value, what), "samples": _count, "output_step": _number_or_none,
    "times": lambda value, what: value if value is None else given_instants(value), "start_time": checked_number,
}  # fmt: skip


def instants_of(
    model: Model | int,
    duration: object,
    samples: object,
    output_step: object,
    times: ArrayLike | None,
    start_time: object,
) -> NDArray[np.float64]:
    """Output times [s]: given, or from a duration with a number of samples or a step.

    Args:
        model: Model, or how many numbers are kept of a time.
    """
    if times is not None:
        if duration is not None:
            raise ModelError("give either times or a duration, not both.")
        return given_instants(times)
    if duration is None:
        raise ModelError("say how long: give duration= [s] or times=.")
    length = _time(duration, "duration")
    if length < 0.0:
        raise ModelError(f"duration is {length} s; it must be 0 or more.")
    begin = checked_number(start_time, "start_time")
    count = whole_number(samples, "samples", 1 if length == 0.0 else 2)
    if output_step is not None:
        pace = checked_number(output_step, "output_step")
        if not pace > 0.0:
            raise ModelError(f"output_step is {pace:g} s; it must be greater than 0.")
        _check_memory(model, length / pace, f"output_step = {pace:g} s")
        count = math.floor(length / pace * (1.0 + 1e-12)) + 1
    _check_memory(model, float(count), f"samples = {count}")
    if length == 0.0:
        return np.array([begin])
    end = begin + length
    instants = begin + pace * np.arange(count) if output_step is not None else np.linspace(begin, end, count)
    if output_step is not None and end - instants[-1] > SAME_INSTANT * pace:
        instants = np.append(instants, end)
    if count > 1 and not (np.diff(instants) > 0.0).all():
        apart = length / (count - 1)
        raise ModelError(
            f"output times {apart:g} s apart cannot be distinguished at start_time = {begin:g} s, where numbers are "
            f"{np.spacing(begin):g} s apart; start nearer to 0."
        )
    return np.asarray(instants, dtype=float)


def instants_from(model: Model | int, options: Mapping[str, Any]) -> NDArray[np.float64]:
    """Output times [s] of an analysis with the given options; see `instants_of`."""
    usual: dict[str, Any] = {"duration": None, "samples": 201, "output_step": None, "times": None, "start_time": 0.0}
    return instants_of(model, *(options.get(key, value) for key, value in usual.items()))


def given_instants(times: ArrayLike) -> NDArray[np.float64]:
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
        texts = unlike(instants[k + 1], instants[k], digits=6)
        raise ModelError(
            f"times must increase, but times[{k + 1}] = {texts[0]} s follows {texts[1]} s; sort them, each once."
        )
    return instants


def _check_memory(model: Model | int, count: float, said: str) -> None:
    """The tables of a run: coordinates, velocities, accelerations, multipliers and notes at every time."""
    if isinstance(model, int):
        width = model
    else:
        rows = sum(constraint.n_rows for constraint in model.constraints.values())
        width = 3 * (len(model.bodies) * len(model.space.positions)) + rows + 2 * len(model.forces) + 16
    needed, there = 8.0 * width * count, machine_memory()
    if needed > MEMORY_SHARE * there:
        raise ModelError(
            f"{said}: {count:.3g} instants need about {needed / 1e9:.3g} GB of memory, more than {MEMORY_SHARE:.0%} of the "
            f"{there / 1e9:.3g} GB of this machine; ask for fewer instants."
        )


@functools.cache  # asking the system takes longer than all the other checks
def machine_memory() -> float:
    """Memory of this machine [bytes]."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # not on this system
        return 8e9
