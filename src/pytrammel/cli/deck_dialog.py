"""Decks typed in on a terminal: the prompts of KAP and DAP, with checks, and commands that change records typed before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TextIO

from pytrammel._util.terminal_text import visible
from pytrammel.cli.prompts import Terminated
from pytrammel.cli.typed_records import typed_line, typed_record
from pytrammel.errors import FileFormatError, TrammelError
from pytrammel.io.decks.deck_fields import Record
from pytrammel.io.decks.deck_forms import TIME_PROMPT, DeckForm
from pytrammel.io.decks.deck_records import TIMES, check_bodies

MOST = 1000  # largest count that may be typed; a slip of the finger otherwise requests records without end
HELP = """\
     L      list the records, with their numbers
     E n    enter record n again; record 1 are the counts
     R n    remove record n
     A kind add a record: {kinds}
     X      drop the lines typed of this record
     T      terminate"""


class DeckDialog:
    """Dialogue that requests a deck record by record.

    Attributes:
        form: Records and prompts of the program.
        out: Stream of the prompts.
        counts: Counts by name; empty before they are typed.
        records: Records by the name of their count, as read.
        times: Time record, or None.
    """

    def __init__(self, form: DeckForm, out: TextIO) -> None:
        self.form = form
        self.out = out
        self.counts: dict[str, int] = {}
        self.records: dict[str, list[Record]] = {group[0]: [] for group in form.groups}
        self.times: Record | None = None

    # --- the deck so far ---------------------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """Records in the order of the deck, as texts."""
        if not self.counts:
            return []
        out = [", ".join(str(count) for count in self.counts.values())]
        out += [_text(record) for group in self.form.groups for record in self.records[group[0]]]
        return out + ([_text(self.times)] if self.times else [])

    def text(self) -> str:
        """Deck as it would stand in a file."""
        return "".join(f"{line}\n" for line in self.lines())

    def request(self) -> str:
        """Request everything that is missing, and return the text of a deck that can be read.

        Raises:
            Terminated: The user has typed T.
            ModelError: The input ends before the deck does.
        """
        print(f"Numbers are separated by commas or blanks; a record may take several lines. ? lists commands, T terminates "
              f"({self.form.program} decks: 'pytrammel {self.form.program.lower()} --help').", file=self.out)  # fmt: skip
        while True:
            while (step := self._next()) is not None:
                step()
            try:
                self.form.read(self.text())
            except TrammelError as error:
                print(error, file=self.out)
                print(
                    "     E n ENTERS RECORD n AGAIN, R n REMOVES IT, A kind ADDS ONE, L LISTS, T TERMINATES",
                    file=self.out,
                )
                self._obey(typed_line("a correction", self.out))
                continue
            return self.text()

    def _next(self) -> Callable[[], None] | None:
        """Return the question for the first record that is missing."""
        if not self.counts:
            return self._request_counts
        for key, _, _, _ in self.form.groups:
            if len(self.records[key]) < self.counts[key]:
                return lambda: self._request_record(key, len(self.records[key]))
        return self._request_times if self.times is None else None

    # --- questions ---------------------------------------------------------------------------------------------------

    def _request_counts(self) -> None:
        record = self._typed(self.form.count_prompt, "counts", self.form.counts, self.form.counts)
        if record is None:
            return
        counts = {name: record.integer(name) for name in self.form.counts}
        for name, count in counts.items():
            if not 0 <= count <= MOST:
                print(f"{name} is {count}; it must be from 0 to {MOST}.", file=self.out)
                return
        if counts["NB"] < 1:
            print("NB is 0; there must be at least one body.", file=self.out)
            return
        if self._is_unbalanced(counts):
            return
        self.counts = counts
        for key in self.records:
            if len(self.records[key]) > counts[key]:
                print(
                    f"records dropped: {len(self.records[key]) - counts[key]} of kind {self.form.kinds[key]}, the last ones.",
                    file=self.out,
                )
                del self.records[key][counts[key] :]

    def _is_unbalanced(self, counts: dict[str, int]) -> bool:
        excess, n = self.form.excess(counts), 3 * counts["NB"]
        least = self.form.least_excess
        if excess > 0 or (least is not None and excess < least):
            print(f"     ***INPUT ERROR*** N= {n} M= {n + excess}", file=self.out)
            what = "too many" if excess > 0 else "missing"
            print(f"{abs(excess)} constraint{'' if abs(excess) == 1 else 's'} {what}: {self._balance()}", file=self.out)
            return True
        return False

    def _balance(self) -> str:
        drivers = "+ND" if "ND" in self.form.counts else ""
        needed = "must be equal to" if self.form.least_excess == 0 else "must not be larger than"
        return f"M = 2(NR+NT)+3NG+NS{drivers} {needed} N = 3NB."

    def _request_record(self, key: str, index: int) -> None:
        """Request a record, which takes its place or is added at the end."""
        _, title, fields, whole = next(group for group in self.form.groups if group[0] == key)
        while True:
            record = self._typed(self.form.prompts[key].format(k=index + 1), f"{title} {index + 1}", fields, whole)
            if record is None:
                return
            record = replace(record, line=self._line_of(key, index))
            own = [*self.records[key][:index], *self.records[key][index + 1 :], record]
            try:
                check_bodies(record, whole, self.counts["NB"])
                self.form.check_group(key, {**self.records, key: own})
            except FileFormatError as error:
                print(error, file=self.out)
                continue
            self.records[key][index : index + 1] = [record]
            return

    def _request_times(self) -> None:
        record = self._typed(TIME_PROMPT, "time record", TIMES, ())
        if record is None:
            return
        record = replace(record, line=len(self.lines()) + 1)
        try:
            self.form.check_times(record, self.counts)
        except FileFormatError as error:
            print(error, file=self.out)
            return
        self.times = record

    def _line_of(self, key: str, index: int) -> int:
        """Number of a record in the deck."""
        keys = [group[0] for group in self.form.groups]
        return 2 + sum(len(self.records[other]) for other in keys[: keys.index(key)]) + index

    def _typed(self, prompt: str, title: str, fields: tuple[str, ...], whole: tuple[str, ...]) -> Record | None:
        """Read a record; None where a command changed the deck instead."""
        first, *others = prompt.split("\n")
        lines = [first, *(f"          {other}" for other in others)]
        return typed_record("\n".join(lines), title, fields, whole, self.out, self._obey)

    # --- commands ----------------------------------------------------------------------------------------------------

    def _obey(self, line: str) -> None:
        words = line.split()
        verb, rest = (words[0].lower(), words[1:]) if words else ("", [])
        if verb in ("t", "terminate"):
            raise Terminated
        if verb in ("x",) and not rest:
            return
        if verb in ("l", "list") and not rest:
            print("\n".join(f"{k:>6}  {record}" for k, record in enumerate(self.lines(), 1)), file=self.out)
        elif verb in ("e", "enter", "r", "remove") and len(rest) == 1 and rest[0].isdecimal() and len(rest[0]) < 9:
            self._change(int(rest[0]), is_removed=verb.startswith("r"))
        elif verb in ("a", "add") and len(rest) == 1 and rest[0].lower() in self.form.kinds.values() and self.counts:
            key = next(key for key, kind in self.form.kinds.items() if kind == rest[0].lower())
            self._add(key)
        else:
            if verb not in ("?", "h", "help", ""):
                print(f"{visible(line.strip())[:40]!r} is neither numbers nor a command.", file=self.out)
            print(HELP.format(kinds=", ".join(self.form.kinds.values())), file=self.out)

    def _place(self, number: int) -> tuple[str, int] | None:
        """Kind and index of a record by its number, from 2 on."""
        for group in self.form.groups:
            first = self._line_of(group[0], 0)
            if first <= number < first + len(self.records[group[0]]):
                return group[0], number - first
        return None

    def _change(self, number: int, *, is_removed: bool) -> None:
        held = len(self.lines())
        place = self._place(number)
        if not 1 <= number <= held or (is_removed and place is None):
            what = "the counts and the times cannot be removed" if 1 <= number <= held else f"records are 1 to {held}"
            print(f"there is no record {number} to {'remove' if is_removed else 'enter'}; {what}.", file=self.out)
        elif is_removed and place is not None:
            self._remove(*place)
        elif place is not None:
            self._request_record(*place)
        elif number == 1:
            self._request_counts()
        else:
            self.times = None

    def _add(self, key: str) -> None:
        """Add a record at the end of its kind; records of this kind that are missing are asked for first."""
        before = len(self.records[key])
        if before < self.counts[key]:
            self._request_record(key, before)
            return
        self._request_record(key, before)
        if len(self.records[key]) > before:
            self.counts[key] += 1

    def _remove(self, key: str, index: int) -> None:
        if key == "NB":
            uses = [self._line_of(other, k) for other, k, record in self._users() if index + 1 in _bodies(record)]
            if uses:
                print(
                    f"body {index + 1} is used by records {', '.join(map(str, uses))}; remove or change them first.",
                    file=self.out,
                )
                return
            for other, k, record in self._users():
                self.records[other][k] = _renumbered(record, index + 1)
        del self.records[key][index]
        self.counts[key] -= 1

    def _users(self) -> list[tuple[str, int, Record]]:
        return [(key, k, record) for key, held in self.records.items() if key != "NB" for k, record in enumerate(held)]


_BODY_FIELDS = ("i", "j", "body")


def _bodies(record: Record) -> list[int]:
    return [record.integer(name) for name in record.names if name in _BODY_FIELDS]


def _renumbered(record: Record, removed: int) -> Record:
    """Record after the removal of a body with a smaller number."""
    values = [
        value - 1 if name in _BODY_FIELDS and value > removed else value
        for name, value in zip(record.names, record.values, strict=True)
    ]
    return replace(record, values=tuple(values))


def _text(record: Record) -> str:
    return ", ".join(repr(value) for value in record.values)
