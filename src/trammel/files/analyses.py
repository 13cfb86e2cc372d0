"""Analyses in model files: ``[[analysis]]`` sections with a verb and its own options, checked against its signature."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trammel.files.problems import did_you_mean
from trammel.sentences import short

if TYPE_CHECKING:
    from trammel.files.model_reader import Reader

# verb -> where its function is; options are those of the function
VERBS = {
    "assemble": "trammel.analysis.assembly", "mobility": "trammel.analysis.mobility", "partition": "trammel.analysis.partition",
    "kinematics": "trammel.analysis.kinematics", "simulate": "trammel.analysis.dynamics", "statics": "trammel.analysis.statics",
    "inverse_dynamics": "trammel.analysis.statics", "equilibrium": "trammel.analysis.equilibrium",
    "equilibria": "trammel.analysis.equilibria", "linearize": "trammel.analysis.linearize",
    "potential_energy": "trammel.analysis.potential",
}  # fmt: skip
NOT_IN_FILES = ("model", "progress")
# what to make of a result, beside the verb's own options
OUTPUTS: Mapping[str, str] = {
    "plots": "columns to plot, e.g. [\"A.angle\", \"P.vx\"]",
    "traces": "points whose paths are shown",
}  # fmt: skip


def options(verb: str) -> Mapping[str, inspect.Parameter]:
    """Options of a verb, by name."""
    function = getattr(importlib.import_module(VERBS[verb]), verb)
    return {
        key: parameter for key, parameter in inspect.signature(function).parameters.items()
        if key not in NOT_IN_FILES and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }  # fmt: skip


def read_analyses(reader: Reader, listed: list[Any]) -> dict[str, dict[str, Any]]:
    """Analyses by name: the verb under "type", and its options."""
    out: dict[str, dict[str, Any]] = {}
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
        known = options(verb)
        for key in given:
            if key not in (*known, *OUTPUTS, "type", "name"):
                reader.wrong((*path, key), f"{key}: {did_you_mean(key, [*known, *OUTPUTS])}")
        name = given.get("name", verb)
        if not isinstance(name, str) or not name.replace("_", "").replace("-", "").replace(" ", "").isalnum():
            reader.wrong(
                (*path, "name"), f"the name of an analysis is {short(name)}; use letters, digits and underscores."
            )
            continue
        if name in out:
            reader.wrong(
                path, f'there are two analyses of the name {name!r}; give each a name of its own: name = "{name}_2".'
            )
            continue
        out[name] = {key: value for key, value in given.items() if key != "name"}
    return out
