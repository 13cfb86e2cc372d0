"""TOML: read by the standard library, with a light scanner beside it that finds the line of every entry."""

from __future__ import annotations

import re
import tomllib
from datetime import date, time
from typing import Any

from pytrammel.io.models.formats.document import (
    MAX_DEPTH,
    Document,
    Path,
    TextError,
    check_size,
    key_text,
    quoted,
    wrapped,
    written_number,
)

_LINE = re.compile(r" ?\(at (?:line (\d+), column \d+|end of document)\)")
_MANY_DOTS = re.compile(rf"(?<![\w-])(?:(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')[ \t]*\.[ \t]*){{{MAX_DEPTH},}}")
_KEY = re.compile(r"[ \t]*(?:\"((?:[^\"\\\n]|\\.)*)\"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}|\'\'\'(?:[^\']|\'(?!\'\'))*\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL
)
_BARE = re.compile(r"[^,\]}\n#]*")
WIDTH = 110


def read(text: str) -> Document:
    """Data and lines of a TOML text."""
    deep = _MANY_DOTS.search(text)
    if deep is not None:
        line = text.count("\n", 0, deep.start()) + 1
        raise TextError(line, f"tables are nested more than {MAX_DEPTH} levels deep.")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        line = text.count("\n") + 1 if found is None or found[1] is None else int(found[1])
        raise TextError(line, f"this is no TOML: {_remedy(_LINE.sub('', str(error)), text, line)}") from None
    except RecursionError:
        raise TextError(1, f"tables and lists are nested more than {MAX_DEPTH} levels deep.") from None
    except (ValueError, OverflowError) as error:
        raise TextError(1, f"this is no TOML that can be read: {error}.") from None
    check_size(data)
    return Document(data, _Lines(text).find())


def _remedy(message: str, text: str, line: int) -> str:
    """What the standard library says, and what it most often means."""
    rows = text.splitlines()
    row = rows[line - 1].strip() if line <= len(rows) else ""
    plain = message[:1].lower() + message[1:]
    if "Invalid value" in message and re.search(r"=\s*[A-Za-z]", row):
        return f'{plain}; texts stand in quotes: {row.partition("=")[0].strip()} = "{row.partition("=")[2].strip()}".'
    return f"{plain}."


class _Lines:
    """Walks over a text that is known to be good, and notes where each entry begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.counted = 0
        self.line = 1
        self.lines: dict[Path, int] = {}
        self.arrays: dict[Path, int] = {}  # index of the last table of each list of tables

    def find(self) -> dict[Path, int]:
        table: Path = ()
        self._blank()
        while self.place < len(self.text):
            if self.text.startswith("[", self.place):
                table = self._header()
            else:
                self._entry(table)
            self._blank()
        return self.lines

    def _note(self, path: Path) -> None:
        self.line += self.text.count("\n", self.counted, self.place)
        self.counted = self.place
        self.lines.setdefault(path, self.line)

    def _blank(self) -> None:
        match = _BLANK.match(self.text, self.place)
        assert match is not None
        self.place = match.end()

    def _header(self) -> Path:
        begin = self.place
        listed = self.text.startswith("[[", begin)
        self.place += 2 if listed else 1
        keys = self._keys()
        path: Path = ()
        for k, key in enumerate(keys):
            path += (key,)
            last = k == len(keys) - 1
            if listed and last:
                self.arrays[path] = self.arrays.get(path, -1) + 1
            if path in self.arrays:
                path += (self.arrays[path],)
        self.place, end = begin, self.place
        for count in range(1, len(path) + 1):
            self._note(path[:count])
        self.place = end + (2 if listed else 1)
        return path

    def _keys(self) -> list[str]:
        keys: list[str] = []
        while True:
            match = _KEY.match(self.text, self.place)
            if match is None:  # cannot be, in a good text
                self.place = len(self.text)
                return keys or [""]
            basic, literal, bare = match.groups()
            keys.append(bare if bare is not None else literal if literal is not None else _unescaped(basic))
            self.place = match.end()
            if not self.text.startswith(".", self.place):
                return keys
            self.place += 1

    def _entry(self, table: Path) -> None:
        begin = self.place
        keys = self._keys()
        after, self.place = self.place, begin
        path = table
        for key in keys:
            path += (key,)
            self._note(path)
        self.place = after + 1  # the equals sign
        self._value(path)

    def _value(self, path: Path) -> None:
        while self.text[self.place : self.place + 1] in (" ", "\t"):
            self.place += 1
        first = self.text[self.place : self.place + 1]
        if first in ('"', "'"):
            match = _STRING.match(self.text, self.place)
        elif first == "[":
            return self._list(path)
        elif first == "{":
            return self._inline(path)
        else:
            match = _BARE.match(self.text, self.place)
        self.place = len(self.text) if match is None else match.end()
        return None

    def _list(self, path: Path) -> None:
        self.place += 1
        index = 0
        while self.place < len(self.text):
            self._blank()
            if self.text.startswith("]", self.place):
                break
            self._note((*path, index))
            self._value((*path, index))
            index += 1
            self._blank()
            if self.text.startswith(",", self.place):
                self.place += 1
        self.place += 1

    def _inline(self, path: Path) -> None:
        self.place += 1
        while self.place < len(self.text):
            self._blank()
            if self.text.startswith("}", self.place):
                break
            self._entry(path)
            self._blank()
            if self.text.startswith(",", self.place):
                self.place += 1
        self.place += 1


def _unescaped(text: str) -> str:
    return str(tomllib.loads(f'x = "{text}"')["x"])


# --- writing ---------------------------------------------------------------------------------------------------------


def write(data: dict[str, Any]) -> str:
    """Tables of tables become sections, everything inside them inline."""
    parts = ["".join(f"{key_text(key)} = {_text(value)}\n" for key, value in data.items() if not _is_section(value))]
    for key, value in data.items():
        if not _is_section(value):
            continue
        if isinstance(value, list):
            parts += [f"[[{key_text(key)}]]\n{_entries(item)}" for item in value]
        elif value and all(isinstance(item, dict) for item in value.values()):
            parts += [f"[{key_text(key)}.{key_text(name)}]\n{_entries(item)}" for name, item in value.items()]
        else:
            parts.append(f"[{key_text(key)}]\n{_entries(value)}")
    return "\n".join(part for part in parts if part)


def _is_section(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
    )


def _entries(table: dict[str, Any]) -> str:
    return "".join(f"{key_text(key)} = {_text(value)}\n" for key, value in table.items())


def _text(value: Any, *, wrap: bool = True) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int | float):
        return written_number(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_text(key)} = {_text(item, wrap=False)}" for key, item in value.items()) + "}"
    if isinstance(value, date | time):
        return value.isoformat()
    items = [_text(item, wrap=False) for item in value]
    flat = f"[{', '.join(items)}]"
    if len(flat) <= WIDTH or not wrap:  # only outermost lists are wrapped
        return flat
    return "[\n" + "\n".join(wrapped(items, "    ", WIDTH)) + "\n]"
