"""Records of numbers typed at a prompt, over as many lines as they take, as FORTRAN reads them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import TextIO

from pytrammel._util.terminal_text import visible
from pytrammel.cli.prompts import Terminated
from pytrammel.errors import FileFormatError, ModelError
from pytrammel.io.decks.deck_fields import FieldReader, Record, is_whole_record

INDENT = 5  # columns before a prompt
SOURCE = "the record"


def typed_line(expected: str, out: TextIO) -> str:
    """Next line of the input.

    Raises:
        ModelError: The input has ended.
    """
    out.flush()
    line = sys.stdin.readline()
    if not line:
        raise ModelError(f"the input ends, but {expected} is still expected.")
    return line


def terminate_only(line: str) -> None:
    """Obey T; any other word is reported on standard output."""
    if line.strip().lower() in ("t", "terminate"):
        raise Terminated
    print(f"{visible(line.strip())[:40]!r} is not a record of numbers. T terminates.")


def typed_record(
    prompt: str,
    title: str,
    fields: tuple[str, ...],
    whole: tuple[str, ...],
    out: TextIO,
    obey: Callable[[str], None] | None = None,
) -> Record | None:
    """Print a prompt and read a record over as many lines as it takes; a wrong record is requested again.

    Args:
        prompt: Prompt, one or more lines.
        title: Kind and number of the record, for messages.
        fields: Names of its values.
        whole: Names of the values that must be whole numbers.
        out: Stream of the prompts.
        obey: Receives a line that begins with a letter. None is returned then; without `obey`, T terminates and the record is
            requested again.
    """
    lines: list[str] = []
    while True:
        if not lines:
            print(
                "\n".join(f"{'' if line.startswith(' ') else ' ' * INDENT}{line}" for line in prompt.split("\n")),
                file=out,
            )
        line = typed_line(f"{title} ({_listed(fields)})", out)
        if re.match(r"\s*[A-Za-z?]", line):
            if obey is not None:
                obey(line)
                return None
            terminate_only(line)
            lines = []
            continue
        lines.append(line)
        try:
            if not is_whole_record("\n".join(lines), len(fields)):
                _report_missing(lines, fields, out)
                continue
            reader = FieldReader("\n".join(lines), SOURCE)
            record = reader.take(title, fields, integers=whole)
        except FileFormatError as error:
            print(
                re.sub(rf"^{SOURCE}, line \d+, ", "", str(error)), file=out
            )  # the lines of one record have no numbers
            lines = []
            continue
        for surplus in reader.surplus:
            print(f"{', '.join(surplus.values)} ignored, as in FORTRAN: {title} takes {len(fields)}.", file=out)
        return record


def _report_missing(lines: list[str], fields: tuple[str, ...], out: TextIO) -> None:
    reader = FieldReader("\n".join(lines), SOURCE)
    held = 0
    while not reader.is_at_end:
        held += len(reader.values_of_line()[0])
    if held:
        print(f"{' ' * INDENT}{held} of {len(fields)} values; next: {_listed(fields[held:])}", file=out, flush=True)


def _listed(fields: tuple[str, ...]) -> str:
    return ", ".join(fields if len(fields) <= 12 else (*fields[:10], "...", fields[-1]))
