"""Records of numbers in free format, as Fortran reads them, with line and field in error messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytrammel._util.terminal_text import one_line
from pytrammel.errors import FileFormatError

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?")
LONGEST_WHOLE = 18  # digits; counts and numbers of bodies have a few
_REPEATED = re.compile(r"(\d+)\*(.+)")


@dataclass(frozen=True)
class Record:
    """Values of one record.

    Attributes:
        title: Kind and number of the record, e.g. "revolute joint 2".
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
        """Message with file, line and field."""
        which = f"field {self.names.index(field) + 1} ({field}) of " if field else ""
        return FileFormatError(f"{self.source}, line {self.line}, {which}{self.title}: {reason}")


@dataclass(frozen=True)
class Surplus:
    """Numbers on the last line of a record that the record does not take; Fortran ignores them.

    Attributes:
        title: Record.
        names: Names of its fields.
        first, last: First and last line of the record.
        begun: Numbers on its first line.
        values: Ignored numbers, as typed.
    """

    title: str
    names: tuple[str, ...]
    first: int
    last: int
    begun: int
    values: tuple[str, ...]

    def __str__(self) -> str:
        ignored = f"{_short(', '.join(self.values))} {'is' if len(self.values) == 1 else 'are'} ignored, as in FORTRAN"
        needs = f"{self.title} takes {_values(len(self.names))} ({', '.join(self.names)})"
        if self.first == self.last:
            return f"line {self.first}: {needs}, but the line has {self.begun}; {ignored}"
        return f"line {self.first}: {needs}, but the line has {self.begun}; of the rest of line {self.last}, {ignored}"

    @property
    def suspicion(self) -> str:
        """Probable mistake, where the deck cannot be read after all."""
        if self.first == self.last:
            return "Is a record missing before it, or is a count in the first record wrong?"
        return f"Is a value missing on line {self.first}?"


def is_whole_record(text: str, count: int) -> bool:
    """Return True if the lines typed so far hold all values of a record, or end it by a slash."""
    reader = FieldReader(text, "")
    held = 0
    while held < count and not reader.is_at_end:
        more, is_ended = reader.values_of_line()
        held += len(more)
        if is_ended:
            return True
    return held >= count


class FieldReader:
    """Takes records off a text, each beginning on a new line and continuing over as many lines as it needs.

    Comments begin with ``!`` or ``#``. Blank lines are ignored. A ``/`` ends a record as it does in Fortran. Numbers after the
    last one that a record takes are ignored until the end of that line, as in Fortran, and listed in `surplus`.
    """

    def __init__(self, text: str, source: str) -> None:
        self.source = one_line(source)
        self._lines = [
            (number, content)
            for number, line in enumerate(text.splitlines(), start=1)
            if (content := re.split(r"[!#]", line, maxsplit=1)[0].strip())
        ]
        self._next = 0
        self.last_line = self._lines[-1][0] if self._lines else 0
        self.surplus: list[Surplus] = []

    @property
    def is_at_end(self) -> bool:
        return self._next == len(self._lines)

    def explained(self, error: FileFormatError) -> FileFormatError:
        """Error with the first surplus numbers before it, which may be its cause."""
        if not self.surplus:
            return error
        return FileFormatError(f"{error} Before it, {self.surplus[0]}. {self.surplus[0].suspicion}")

    def take(self, title: str, names: Sequence[str], *, integers: Sequence[str] = (), awaited: str = "") -> Record:
        """Read one record.

        Args:
            title: Kind and number of the record, for messages.
            names: Names of its fields.
            integers: Fields that must be whole numbers.
            awaited: Rest that the deck must still hold, for the message when it ends too early.
        """
        tokens: list[tuple[str, int]] = []
        while len(tokens) < len(names):
            if self.is_at_end:
                raise self._ended(title, names, tokens, awaited)
            more, is_ended = self.values_of_line()
            tokens += more
            if is_ended and len(tokens) < len(names):
                raise FileFormatError(
                    f"{self.source}, line {self._lines[self._next - 1][0]}, {title}: the / ends the record after {_values(len(tokens))} of "
                    f"{len(names)} ({', '.join(names)}). Type every value."
                )
        values = [
            self._number(text, line, k, names[k], title, names[k] in integers)
            for k, (text, line) in enumerate(tokens[: len(names)])
        ]
        if len(tokens) > len(names):
            self._note_surplus(title, names, tokens)
        return Record(title, tokens[0][1], tuple(names), tuple(values), self.source)

    def finish(self, title: str) -> None:
        """Raise an error where the deck continues after its last record."""
        if not self.is_at_end:
            line, content = self._lines[self._next]
            raise FileFormatError(
                f"{self.source}, line {line}: nothing may follow the {title}, but '{_short(content)}' does; are the counts "
                "in the first record too small?"
            )

    def values_of_line(self) -> tuple[list[tuple[str, int]], bool]:
        """Values of the next line with its number, empty between two commas, and whether a slash ends the record there."""
        line, content = self._lines[self._next]
        self._next += 1
        out: list[tuple[str, int]] = []
        content, slash, _ = content.partition("/")
        content = content.strip()
        if slash and not content:
            return out, True
        parts = [part.split() for part in content.removesuffix(",").split(",")]
        for part in parts:
            for word in part or [""]:
                repeated = _REPEATED.fullmatch(word)
                # a count with more digits than any deck has values need not be read in full
                count, text = (int(repeated[1][:9]), repeated[2]) if repeated else (1, word)
                out += [(text, line)] * min(count, 1000)  # no record has so many values
        return out, bool(slash)

    def _number(self, text: str, line: int, k: int, name: str, title: str, whole: bool) -> float:
        where = f"{self.source}, line {line}, field {k + 1} ({name}) of {title}"
        if not text:
            raise FileFormatError(f"{where}: there is nothing between two commas. Type every value.")
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

    def _note_surplus(self, title: str, names: Sequence[str], tokens: list[tuple[str, int]]) -> None:
        first, last = tokens[0][1], tokens[-1][1]
        begun = sum(line == first for _, line in tokens)
        extra = tuple(text for text, _ in tokens[len(names) :] if text)
        if extra:
            self.surplus.append(Surplus(title, tuple(names), first, last, begun, extra))

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
