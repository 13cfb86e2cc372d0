"""YAML 1.2, where ruamel.yaml is installed: no, on and off are texts, tags and aliases are refused."""

from __future__ import annotations

import io
from typing import Any

from pytrammel._util.extras import install_command
from pytrammel.errors import ModelError
from pytrammel.io.models.formats import json_text
from pytrammel.io.models.formats.document import MAX_DEPTH, MAX_ITEMS, Document, Path, TextError, check_size

MISSING = f"reading and writing YAML needs the package ruamel.yaml: {install_command('yaml')}, or use TOML or JSON."


def read(text: str) -> Document:
    """Data and lines of a YAML text."""
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError
    except ImportError:
        raise ModelError(MISSING) from None
    yaml = YAML(typ="safe", pure=True)
    try:
        _check_events(yaml, text)
        node = YAML(typ="safe", pure=True).compose(text)
        lines: dict[Path, int] = {}
        data = _value(node, (), lines, yaml.constructor)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error)
        raise TextError(1 if mark is None else mark.line + 1, f"this is no YAML: {reason}.") from None
    except (ValueError, RecursionError, OverflowError, AttributeError, TypeError) as error:
        raise TextError(1, f"this is no YAML that can be read: {error}.") from None
    if not isinstance(data, dict):
        raise TextError(1, "a model file is a table: 'format: 1' and so on.")
    check_size(data)
    return Document(data, lines)


def _check_events(yaml: Any, text: str) -> None:
    """Refuse what could unfold to more than the text holds, or make objects."""
    depth = 0
    for count, event in enumerate(yaml.parse(io.StringIO(text))):
        kind = type(event).__name__
        line = event.start_mark.line + 1
        if kind == "AliasEvent" or getattr(event, "anchor", None):
            raise TextError(
                line, "anchors and aliases (&, *) are not read in model files; use parameters or subsystems."
            )
        tag = getattr(event, "tag", None)
        if tag is not None and not str(tag).startswith("tag:yaml.org,2002:"):
            raise TextError(line, f"the tag {tag} is not read in model files; leave it out.")
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            depth += 1
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            depth -= 1
        if depth > MAX_DEPTH or count > MAX_ITEMS:
            raise TextError(
                line, f"tables and lists are nested more than {MAX_DEPTH} levels deep, or there are too many."
            )


def _value(node: Any, path: Path, lines: dict[Path, int], constructor: Any) -> Any:
    if node is None:
        return {}
    lines.setdefault(path, node.start_mark.line + 1)
    kind = type(node).__name__
    if kind == "MappingNode":
        table: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            line = key_node.start_mark.line + 1
            if key in table:
                raise TextError(line, f"{key!r} is given twice in one table; keep one.")
            lines[(*path, key)] = line
            table[key] = _value(value_node, (*path, key), lines, constructor)
        return table
    if kind == "SequenceNode":
        return [_value(item, (*path, k), lines, constructor) for k, item in enumerate(node.value)]
    value = constructor.construct_object(node)
    if not isinstance(value, str | int | float | bool):
        raise TextError(
            node.start_mark.line + 1, f"{node.value!r} is no text, number or truth value; put it in quotes."
        )
    return value


def write(data: dict[str, Any]) -> str:
    """YAML 1.2 takes JSON as it is."""
    return json_text.write(data)
