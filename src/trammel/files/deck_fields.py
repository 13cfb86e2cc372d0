"""Records of numbers in free format, as Fortran reads them, with the line and field of whatever is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trammel.errors import FileFormatError
from trammel.visible import one_line

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?")
LONGEST_WHOLE = 18  # digits; counts and numbers of bodies have a few
_REPEATED = re.compile(r"(\d+)\*(.+)")


@dataclass(frozen=True)
class Record:
    """Values of one record.

    Attributes:
        title: What the record is, e.g. "revolute joint 2".
        line: Line on which it begins, counted from 1.
        names: Names of its fields.
        values: One number per field; whole numbers are ints.
        source: Name of the file.
    """

    title: str
    line: int
    names: tuple[str, ...]
    values: tuple[float, ...]
    source: str

    def integer(self, field: str) -> int:
        return int(self.values[self.names.index(field)])

    def error(self, reason: str, field: str = "") -> FileFormatError:
        """Sentence with file, line and field."""
        which = f"field {self.names.index(field) + 1} ({field}) of " if field else ""
        return FileFormatError(f"{self.source}, line {self.line}, {which}{self.title}: {reason}")


class FieldReader:
    """Takes records off a text, each beginning on a new line and going on over as many lines as it needs.

    Comments begin with ``!`` or ``#``; blank lines do not count; a ``/`` ends a line as it does in Fortran.
    """

    def __init__(self, text: str, source: str) -> None:
        self.source = one_line(source)
        self._lines = [
            (number, content)
            for number, line in enumerate(text.splitlines(), start=1)
            if (content := re.split(r"[!#/]", line, maxsplit=1)[0].strip())
        ]
        self._next = 0
        self.last_line = self._lines[-1][0] if self._lines else 0

    def take(self, title: str, names: Sequence[str], *, integers: Sequence[str] = (), awaited: str = "") -> Record:
        """Read one record.

        Args:
            title: What it is, for messages.
            names: Names of its fields.
            integers: Fields that must be whole numbers.
            awaited: What else the deck must still hold, for the message when it ends too early.
        """
        tokens: list[tuple[str, int]] = []
        while len(tokens) < len(names):
            if self._next == len(self._lines):
                raise self._ended(title, names, tokens, awaited)
            tokens += self._tokens(title)
        if len(tokens) > len(names):
            raise self._miscounted(title, names, tokens)
        values = [
            self._number(text, line, k, names[k], title, names[k] in integers) for k, (text, line) in enumerate(tokens)
        ]
        return Record(title, tokens[0][1], tuple(names), tuple(values), self.source)

    def finish(self, title: str) -> None:
        """Nothing may be left."""
        if self._next < len(self._lines):
            line, content = self._lines[self._next]
            raise FileFormatError(
                f"{self.source}, line {line}: nothing may follow the {title}, but '{_short(content)}' does; are the counts "
                "in the first record too small?"
            )

    def _tokens(self, title: str) -> list[tuple[str, int]]:
        line, content = self._lines[self._next]
        self._next += 1
        out: list[tuple[str, int]] = []
        parts = [part.split() for part in content.removesuffix(",").split(",")]
        for part in parts:
            if not part:
                raise FileFormatError(
                    f"{self.source}, line {line}, {title}: there is nothing between two commas in '{_short(content)}'; "
                    "every value must be written."
                )
            for word in part:
                repeated = _REPEATED.fullmatch(word)
                # a count with more digits than any deck has values need not be read in full
                count, text = (int(repeated[1][:9]), repeated[2]) if repeated else (1, word)
                out += [(text, line)] * min(count, 1000)  # nobody repeats a value more often on purpose
        return out

    def _number(self, text: str, line: int, k: int, name: str, title: str, whole: bool) -> float:
        where = f"{self.source}, line {line}, field {k + 1} ({name}) of {title}"
        if not _NUMBER.fullmatch(text):
            raise FileFormatError(f"{where}: '{_short(text)}' is not a number.")
        if whole:
            if not re.fullmatch(r"[+-]?\d+", text):
                raise FileFormatError(
                    f"{where}: {_short(text)} must be a whole number, written without a decimal point."
                )
            if len(text) > LONGEST_WHOLE:
                raise FileFormatError(f"{where}: {_short(text)} is too large a whole number.")
            return int(text)
        value = float(text.replace("d", "e").replace("D", "e"))
        if abs(value) > 1e150:  # squares of it must still be numbers
            raise FileFormatError(f"{where}: {_short(text)} is too large.")
        return value

    def _miscounted(self, title: str, names: Sequence[str], tokens: list[tuple[str, int]]) -> FileFormatError:
        first, last = tokens[0][1], tokens[-1][1]
        needs = f"{title} takes {_values(len(names))} ({', '.join(names)})"
        if first == last:
            return FileFormatError(
                f"{self.source}, line {first}: {needs}, but the line has {len(tokens)}. Is a record missing before it, or "
                "is a count in the first record wrong?"
            )
        here = sum(line == first for _, line in tokens)
        return FileFormatError(
            f"{self.source}, line {first}: {needs}, but line {first} has {here} and with line {last} there are {len(tokens)}. "
            f"Is a value missing on line {first}?"
        )

    def _ended(self, title: str, names: Sequence[str], tokens: list[tuple[str, int]], awaited: str) -> FileFormatError:
        if not self._lines:
            return FileFormatError(
                f"{self.source}: the deck is empty; it must begin with the {title} ({', '.join(names)})."
            )
        got = f" (only {len(tokens)} of its {_values(len(names))} are there)" if tokens else ""
        then = f", then {awaited}" if awaited else ""
        return FileFormatError(
            f"{self.source}, line {self.last_line}: the deck ends here, but {title} ({', '.join(names)}) is still "
            f"expected{got}{then}."
        )


def _values(n: int) -> str:
    return "1 value" if n == 1 else f"{n} values"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
