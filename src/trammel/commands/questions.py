"""Questions on a terminal: prompts with checks, decks record by record, and paging of long answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from trammel.errors import TrammelError

PAGE = 20  # lines
MEANINGS = {
    "NB": "bodies", "NR": "revolute joints", "NT": "translational joints", "NG": "grounded bodies",
    "NS": "simple constraints (one coordinate held)", "ND": "drivers", "NSP": "springs, dampers and actuators", "NP": "points of interest",
}  # fmt: skip
DIRECTION = "dir: 1 is x, 2 is y, 3 is phi"


def question(what: str, default: str = "") -> str:
    """One line of answer; Enter alone keeps the default. Without a terminal to ask, Ctrl-C."""
    print(f"{what} [{default}]: " if default else f"{what}: ", end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise KeyboardInterrupt
    return line.strip() or default


def asked_deck(count_names: Sequence[str], groups: Sequence[Any], read: Callable[[str], Any]) -> str:
    """A deck typed in record by record; every record is checked at once, the deck as a whole at its end.

    Args:
        count_names: Names of the counts.
        groups: Records: name of their count, title, fields, whole numbers among them.
        read: Reader of the whole deck, which says what is wrong.
    """
    print("Numbers are separated by blanks or commas. A wrong record is asked for again; Ctrl-C stops.")
    counts = {name: _whole(f"{name}, number of {MEANINGS[name]}") for name in count_names}
    records = [", ".join(str(counts[name]) for name in count_names)]
    for count, title, fields, whole in groups:
        if counts[count]:
            print(f"\n{title}: {', '.join(fields)}" + (f"   ({DIRECTION})" if "dir" in fields else ""))
        for k in range(counts[count]):
            records.append(_record(f"{title} {k + 1}", fields, whole, counts["NB"]))
    print("\ntimes: T0, TE, DT   (first, last, step [s])")
    records.append(_record("times", ("T0", "TE", "DT"), (), 0))
    return _reviewed(records, read)


def _whole(what: str) -> int:
    while True:
        answer = question(what, "0")
        if answer.isdecimal() and int(answer) <= 1000:
            return int(answer)
        print(f"  {answer!r} must be a whole number from 0 to 1000.")


def _record(title: str, fields: tuple[str, ...], whole: tuple[str, ...], bodies: int) -> str:
    from trammel.files.deck_fields import FieldReader

    while True:
        answer = question(f"  {title}")
        try:
            record = FieldReader(answer or "?", "your answer").take(title, fields, integers=whole)
            for name in whole:
                most = 3 if name == "dir" else bodies
                if not 1 <= record.integer(name) <= most:
                    raise record.error(f"{record.integer(name)} must be from 1 to {most}.", name)
        except TrammelError as error:
            print(f"    {error}")
            continue
        return answer


def _reviewed(records: list[str], read: Callable[[str], Any]) -> str:
    """The deck once more, with the chance to type records again until it can be read."""
    while True:
        print("\nThe deck:")
        paged("\n".join(f"{k:>4}  {record}" for k, record in enumerate(records, 1)))
        try:
            read("\n".join(records) + "\n")
            fault = ""
        except TrammelError as error:
            fault = str(error)
            print(fault)
        answer = question("number of a record to type again" + ("" if fault else ", or Enter to go on"))
        if not answer and not fault:
            return "\n".join(records) + "\n"
        if answer.isdecimal() and 1 <= int(answer) <= len(records):
            records[int(answer) - 1] = question(f"  record {answer}", records[int(answer) - 1])


def paged(text: str) -> None:
    """Print a text a page at a time where somebody is looking."""
    lines = text.splitlines()
    stops = sys.stdout.isatty() and sys.stdin.isatty()
    for first in range(0, len(lines), PAGE):
        print("\n".join(lines[first : first + PAGE]))
        if stops and first + PAGE < len(lines) and question("-- Enter for more, q to stop").startswith("q"):
            return
