"""JSON Schema of model files, generated from the registries: editors complete and explain with it."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

from pytrammel.io.models.analyses import CHOICES, OUTPUTS, VERBS, options, verb_function
from pytrammel.io.models.words import FORMAT, KINDS, SINGLE, needed, types
from pytrammel.model.arguments.recorded import argument_names
from pytrammel.model.arguments.signatures import annotation, explained, role
from pytrammel.units import LENGTH_UNITS

Schema = dict[str, Any]
NUMBER: Schema = {"anyOf": [{"type": "number"}, {"type": "string"}]}
_PLACE: Schema = {"anyOf": [{"type": "string"}, {"type": "object", "required": ["body"]}]}
_PARAMETER: Schema = {
    "type": "object",
    "required": ["value"],
    "additionalProperties": False,
    "properties": {
        "value": {**NUMBER, "description": "a number (SI), a number with a unit, or a formula of other parameters"},
        "bounds": {
            "type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2,
            "description": 'the least and the greatest value that designs may give it; "free" where there is none',
        },
        "tolerance": {
            "anyOf": [*NUMBER["anyOf"], {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}],
            "description": "by how much it may differ when it is made: one number for both sides, or (minus, plus)",
        },
        "note": {"type": "string", "description": "what it is for"},
    },
}  # fmt: skip


def schema() -> Schema:
    """The schema of planar and spatial model files."""
    head: Schema = {
        "format": {"const": FORMAT, "description": "version of the format"},
        "name": {"type": "string"},
        "display_unit": {"enum": list(LENGTH_UNITS), "description": "length unit of printed tables and pictures"},
        "gravity": {"type": "array", "items": NUMBER, "description": "acceleration of gravity [m/s²]"},
        "closure_tolerance": {**NUMBER, "description": "gap that redundant rows of a closed loop may keep [m]"},
        "include": {"type": "array", "items": {"type": "string"}},
        "order": {"type": "array", "items": {"type": "string"}},
        "parameters": {
            "type": "object",
            "additionalProperties": {"anyOf": [{"type": ["number", "string"]}, _PARAMETER]},
        },
        "tables": {"type": "object", "additionalProperties": {"type": "object", "required": ["x", "y"]}},
        "curves": {"type": "object", "additionalProperties": {"type": "object", "required": ["type"]}},
        "formulas": {"type": "object", "additionalProperties": {"type": "string"}},
        "groups": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "subsystems": {"type": "object", "additionalProperties": {"type": "object", "required": ["file"]}},
        "analysis": {"type": "array", "items": {"oneOf": [_analysis(verb) for verb in VERBS]}},
    }
    kinds = []
    for kind in KINDS:
        said = {"const": kind} if kind != "planar" else {"enum": ["planar"]}
        sections = {
            section: {"type": "object", "additionalProperties": _section(kind, section)}
            for section in ("bodies", "points", "constraints", "forces", "phases", "switches")
        }
        required = ["format"] if kind == "planar" else ["format", "model"]
        properties = {**head, "model": said, **sections}
        kinds.append({"type": "object", "properties": properties, "required": required, "additionalProperties": False})
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Trammel model file", "oneOf": kinds}


def _section(kind: str, section: str) -> Schema:
    builders = types(kind, section)
    if section in SINGLE:
        return _element(builders[SINGLE[section]])
    return {"oneOf": [_element(builder, name) for name, builder in builders.items()]}


def _element(builder: Callable[..., Any], name: str | None = None) -> Schema:
    text = inspect.getdoc(builder) or ""
    properties: Schema = {} if name is None else {"type": {"const": name}}
    properties["redrawn"] = {"type": "boolean"}
    for key in argument_names(builder):
        properties[key] = _argument(builder, key)
    required = [*needed(builder), *([] if name is None else ["type"])]
    return {
        "type": "object", "description": text.partition("\n")[0], "properties": properties, "required": required,
        "additionalProperties": False,
    }  # fmt: skip


def _argument(builder: Callable[..., Any], key: str) -> Schema:
    kind = annotation(builder, key).removesuffix(" | None")
    out: Schema = _typed(builder, key, kind)
    text = explained(builder, key)
    return {**out, "description": text} if text else out


def _typed(builder: Callable[..., Any], key: str, kind: str) -> Schema:
    if kind == "bool":
        return {"type": "boolean"}
    if kind == "int":
        return {"type": "integer"}
    words = _words(builder, kind)
    if words:
        return {"enum": words}
    if kind == "str":
        return {"type": "string"}
    if kind == "float":
        return NUMBER
    if kind == "Place":
        return _PLACE
    if re.match(r"(Sequence|tuple|Iterable)\[", kind):
        return {"type": "array"}
    if role(builder, key) == "points":
        return {"type": "object"}
    return {}


def _words(builder: Callable[..., Any], kind: str) -> list[str]:
    if kind.startswith("Literal["):
        return list(ast.literal_eval(f"({kind[8:-1]},)"))
    inner = inspect.unwrap(builder)
    found = get_args(inner.__globals__.get(kind))
    return list(found) if found and all(isinstance(word, str) for word in found) else []


# a name, or a table with the name and options: method = {name = "rk4", step = 0.001}
CHOICE: Schema = {
    "anyOf": [
        {"type": "string"},
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    ]
}


def _analysis(verb: str) -> Schema:
    function = verb_function(verb)
    properties: Schema = {"type": {"const": verb}, "name": {"type": "string"}}
    known: Mapping[str, inspect.Parameter] = options(verb)
    for key, parameter in known.items():
        kind = str(parameter.annotation).removesuffix(" | None")
        out = {"bool": {"type": "boolean"}, "int": {"type": "integer"}, "float": NUMBER}.get(kind, {})
        if key in CHOICES and "|" in kind:
            out = CHOICE
        text = explained(function, key)
        properties[key] = {**out, "description": text} if text else out
    for key, text in OUTPUTS.items():
        properties[key] = {"type": "array", "items": {"type": "string"}, "description": text}
    text = (inspect.getdoc(function) or "").partition("\n")[0]
    return {
        "type": "object",
        "description": text,
        "properties": properties,
        "required": ["type"],
        "additionalProperties": False,
    }
