"""JSON: read by the standard library, with a light scanner beside it that finds the line of every entry."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from pytrammel.io.models.formats.document import (
    MAX_DEPTH,
    Document,
    Path,
    TextError,
    check_size,
    quoted,
    written_number,
)

_TOKEN = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+)', re.DOTALL)
_HALF = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
WIDTH = 110


def read(text: str) -> Document:
    """Data and lines of a JSON text."""
    twice: list[str] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(found)
        if len(table) < len(found):
            twice.extend(key for key, count in Counter(key for key, _ in found).items() if count > 1)
        return table

    def refused(word: str) -> Any:
        raise ValueError(f"{word} is no number of JSON")

    try:
        data = json.loads(text, object_pairs_hook=pairs, parse_constant=refused)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise TextError(error.lineno, f"this is no JSON: {reason} (column {error.colno}).") from None
    except RecursionError:
        raise TextError(1, f"tables and lists are nested more than {MAX_DEPTH} levels deep.") from None
    except (ValueError, OverflowError) as error:
        raise TextError(1, f"this is no JSON that can be read: {error}.") from None
    if not isinstance(data, dict):
        raise TextError(1, 'a model file is a table: {"format": 1, ...}.')
    check_size(data)
    if half := _HALF.search(text):
        try:
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            code = ord(error.object[error.start])
            line = text.count("\n", 0, half.start()) + 1
            raise TextError(
                line, f"a text has \\u{code:04x}, which is half a character (a lone surrogate). Remove it."
            ) from None
    document = Document(data, _lines(text))
    if twice:
        line = next((line for path, line in document.lines.items() if path[-1] == twice[0]), 1)
        raise TextError(line, f"{twice[0]!r} is given twice in one table; keep one.")
    return document


def _lines(text: str) -> dict[Path, int]:
    """Lines of all entries of a good text."""
    lines: dict[Path, int] = {}
    stack: list[list[Any]] = []  # [key or index, whether it is a list]
    line, counted = 1, 0
    key_next = False
    for match in _TOKEN.finditer(text):
        token = match[1]
        line += text.count("\n", counted, match.start(1))
        counted = match.start(1)
        inside_list = bool(stack) and stack[-1][1]
        if token in "]}":
            stack.pop()
            key_next = False
            continue
        if token == ",":
            key_next = not inside_list
            continue
        if token == ":":
            key_next = False
            continue
        if key_next:
            stack[-1][0] = json.loads(token)
            lines.setdefault(tuple(frame[0] for frame in stack), line)
            continue
        if inside_list:
            stack[-1][0] += 1
            lines.setdefault(tuple(frame[0] for frame in stack), line)
        if token in "[{":
            stack.append([-1 if token == "[" else "", token == "["])
            key_next = token == "{"
    return lines


def write(data: dict[str, Any]) -> str:
    """Tables on lines of their own, lists of numbers on one."""
    return _text(data, "") + "\n"


def _text(value: Any, indent: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int | float):
        return written_number(value)
    deeper = indent + "  "
    if isinstance(value, dict):
        items = [f"{quoted(key)}: {_text(item, deeper)}" for key, item in value.items()]
        opened, closed = "{", "}"
    else:
        items = [_text(item, deeper) for item in value]
        opened, closed = "[", "]"
    flat = opened + ", ".join(items) + closed
    if len(flat) + len(indent) <= WIDTH and "\n" not in flat:
        return flat
    separator = ",\n" + deeper
    return f"{opened}\n{deeper}{separator.join(items)}\n{indent}{closed}"
