"""Plain data with lines, and the limits that keep a hostile file from filling the memory or the day."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str | int, ...]

MAX_BYTES = 32_000_000  # of one file
MAX_DEPTH = 24  # tables and lists inside each other
MAX_ITEMS = 4_000_000  # numbers, texts, tables and lists together
MAX_LETTERS = 4_000_000  # of all texts together, which may be formulas
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class TextError(Exception):
    """A text that cannot be read as its format."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line = line


@dataclass
class Document:
    """What a text says.

    Attributes:
        data: Tables as dictionaries, lists, texts, numbers and truth values.
        lines: Line of every entry, from 1, by the keys and places that lead to it.
    """

    data: dict[str, Any]
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """Line of an entry, or of the nearest one around it."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return 1


def check_size(data: Any) -> None:
    """Refuse what is nested too deeply or holds too many things, whatever format it came from."""
    items = letters = 0
    waiting: list[tuple[Any, int]] = [(data, 0)]
    while waiting:
        value, depth = waiting.pop()
        items += 1
        if depth > MAX_DEPTH:
            raise TextError(1, f"tables and lists are nested more than {MAX_DEPTH} levels deep.")
        if items > MAX_ITEMS:
            raise TextError(1, f"the file holds more than {MAX_ITEMS} numbers and texts.")
        if isinstance(value, str):
            letters += len(value)
            if letters > MAX_LETTERS:
                raise TextError(
                    1, f"the texts of the file have more than {MAX_LETTERS} letters together; use tables for data."
                )
        elif isinstance(value, dict):
            waiting.extend((item, depth + 1) for item in value.values())
        elif isinstance(value, list):
            waiting.extend((item, depth + 1) for item in value)


def written_number(value: float) -> str:
    """A number with all its digits, so that it is read back to the last bit."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} cannot be written as a number of a file")
    return repr(value)


def quoted(text: str) -> str:
    """A text in double quotes, as TOML, JSON and YAML all read it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def key_text(key: str) -> str:
    """A key as TOML writes it: bare where it can be."""
    return key if _BARE_KEY.fullmatch(key) else quoted(key)


def wrapped(items: list[str], indent: str, width: int = 110) -> Iterator[str]:
    """Items of a list on lines of some width."""
    line = ""
    for item in items:
        if line and len(indent) + len(line) + len(item) + 2 > width:
            yield f"{indent}{line.rstrip(' ')}"
            line = ""
        line += f"{item}, "
    if line:
        yield f"{indent}{line.rstrip(' ')}"
