"""Analyses in model files: ``[[analysis]]`` sections with a verb and its own options, checked against its signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytrammel._util.checks import listed
from pytrammel._util.messages import short
from pytrammel.analysis.choices import read_choice
from pytrammel.analysis.start.given import read_initial
from pytrammel.errors import ModelError
from pytrammel.io.models.problems import did_you_mean
from pytrammel.model.arguments.plain_values import check_keys
from pytrammel.model.arguments.signatures import dimensions
from pytrammel.model.base import Model
from pytrammel.model.parameters import number_from
from pytrammel.units import Dimension

if TYPE_CHECKING:
    from pytrammel.io.models.reader import Reader

# options are those of the method of the same name
VERBS = (
    "assemble", "mobility", "partition", "kinematics", "simulate", "statics", "inverse_dynamics", "equilibrium", "equilibria", "linearize",
    "potential_energy",
)  # fmt: skip
NOT_IN_FILES = ("model", "progress", "callback", "store")
CHOICES = {"method": "methods", "constraints": "enforcement", "formulation": "formulations"}  # registry of options
TAKEN = ("job", "summary", "report")  # files of every run
DEVICES = (
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{k}" for port in ("com", "lpt") for k in range(1, 10)),
)  # no files on Windows
LONGEST = 100  # letters of a name of files; systems allow some 250 bytes with the ending
# what to make of a result, beside the verb's own options
OUTPUTS: Mapping[str, str] = {
    "plots": 'columns to plot, e.g. ["A.angle", "P.vx"]',
    "traces": "points whose paths are shown",
}


def verb_function(verb: str) -> Callable[..., Any]:
    """The function of a verb."""
    function: Callable[..., Any] = getattr(Model, verb)
    return function


def options(verb: str) -> Mapping[str, inspect.Parameter]:
    """Options of a verb by name, with those that it hands on to kinematics."""
    parameters = inspect.signature(verb_function(verb)).parameters
    handed_on = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    found = {} if not handed_on or verb == "kinematics" else dict(options("kinematics"))
    found.update({key: p for key, p in parameters.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)})
    return {key: p for key, p in found.items() if key not in NOT_IN_FILES}


def read_analyses(reader: Reader, listed: list[Any]) -> dict[str, dict[str, Any]]:
    """Analyses by name: the verb under "type", and its options."""
    out: dict[str, dict[str, Any]] = {}
    folded: set[str] = set()
    for k, given in enumerate(listed):
        path = ("analysis", k)
        if not isinstance(given, dict):
            reader.wrong(path, f"an analysis is a table with a type, but it is {short(given)}.")
            continue
        verb = given.get("type")
        if not isinstance(verb, str) or verb not in VERBS:
            what = "the type of an analysis is missing" if "type" not in given else f"{short(verb)} is no analysis"
            reader.wrong((*path, "type"), f"{what}; {did_you_mean(verb, VERBS)}")
            continue
        for key, sentence in faults(given):
            reader.wrong((*path, key), sentence)
        name = given.get("name", verb)
        if not isinstance(name, str) or not name.replace("_", "").replace("-", "").isalnum() or len(name) > LONGEST:
            reader.wrong(
                (*path, "name"),
                f"the name of an analysis is {short(name)}; use up to {LONGEST} letters, digits, - and _: it names files.",
            )
            continue
        if name.casefold() in (*TAKEN, *DEVICES):
            reader.wrong(
                (*path, "name"),
                f'the name of an analysis is {name!r}, the name of a file of every run or of a device; write name = "{name}_2".',
            )
            continue
        if name.casefold() in folded:  # file names may differ by more than case only
            reader.wrong(
                path, f'there are two analyses of the name {name!r}; give each a name of its own: name = "{name}_2".'
            )
            continue
        folded.add(name.casefold())
        out[name] = {key: value for key, value in given.items() if key != "name"}
    return out


def faults(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Entries of an analysis that mean nothing to its verb, each with a sentence."""
    known = options(given["type"])
    for key, value in given.items():
        if key not in (*known, *OUTPUTS, "type", "name"):
            yield key, f"{key}: {did_you_mean(key, [*known, *OUTPUTS])}"
        elif key in OUTPUTS and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            yield key, f"{key} must be a list of names, but it is {short(value)}."
        elif key == "events" and not isinstance(value, list):
            yield key, f"events must be a list of tables with name and when, but it is {short(value)}."


def run_analysis(model: Model, given: Mapping[str, Any], *, progress: bool = True, store: Path | None = None) -> Any:
    """Do what an analysis of a file says; what comes back is what the verb gives.

    Args:
        model: The model.
        given: The verb under "type", its options as plain data; numbers may be texts with units or formulas of parameters.
        progress: Show a progress bar if the verb has one and takes longer than a second.
        store: File to which a verb that can streams its run.
    """
    verb = given["type"]
    function = verb_function(verb)
    ready = ready_options(model, given)
    if "progress" in inspect.signature(function).parameters or verb == "inverse_dynamics":
        ready["progress"] = progress
    if store is not None and "store" in inspect.signature(function).parameters:
        ready["store"] = store
    return getattr(model, verb)(**ready)


def ready_options(model: Model, given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of an analysis as its verb takes them: texts with units and formulas of parameters are numbers."""
    known, function = options(given["type"]), verb_function(given["type"])
    return {
        key: _option(model, function, known[key], value)
        for key, value in given.items() if key not in ("type", *OUTPUTS)
    }  # fmt: skip


def _option(model: Model, function: Callable[..., Any], parameter: inspect.Parameter, value: Any) -> Any:
    kind = str(parameter.annotation)
    what = f"{parameter.name} of {function.__name__}"
    if isinstance(value, str) and kind.removesuffix(" | None") == "float":
        allowed: tuple[Dimension, ...] = dimensions(function, parameter.name)
        if parameter.name in ("duration", "output_step", "time", "start_time", "max_step"):
            allowed = ((0, 0, 1, 0),)
        return number_from(model, value, what, allowed)
    if parameter.name in CHOICES and isinstance(value, Mapping):
        return read_choice(CHOICES[parameter.name], _in_seconds(model, value, what), what)
    if parameter.name == "initial":
        return read_initial(value, what)
    if parameter.name == "events":
        return tuple(_event(item, what) for item in listed(value, what))
    return value


def _in_seconds(model: Model, given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Options of a choice; the step of a method may be a text with a unit."""
    step = given.get("step")
    return (
        {**given, "step": number_from(model, step, f"step of {what}", ((0, 0, 1, 0),))}
        if isinstance(step, str)
        else dict(given)
    )


def _event(given: Any, what: str) -> Any:
    from pytrammel.analysis.events.events import Event

    if not isinstance(given, Mapping):
        raise ModelError(f"{what}: an event is a table with name and when, but it is {short(given)}.")
    check_keys(given, tuple(inspect.signature(Event).parameters), what, ("name", "when"))
    return Event(**given)
