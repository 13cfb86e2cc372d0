"""What the subcommands share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trammel.errors import TrammelError

if TYPE_CHECKING:
    from trammel.results.result import Result


def with_help(make: Any, name: str, description: str, epilog: str, **options: str) -> argparse.ArgumentParser:
    """Parser whose help keeps its line breaks."""
    first = {"prog": name} if make is argparse.ArgumentParser else {"name": name}
    layout = argparse.RawDescriptionHelpFormatter
    parser: argparse.ArgumentParser = make(
        **first, description=description, epilog=epilog, formatter_class=layout, **options
    )
    return parser


def add_deck_options(parser: argparse.ArgumentParser) -> None:
    """Options of every command that reads a deck."""
    parser.add_argument("deck", metavar="DECK", help="file to read; - reads standard input")
    parser.add_argument("--json", metavar="FILE", help="write the results as JSON; - writes to standard output")
    parser.add_argument("--csv", metavar="FILE", help="write the results as a table")
    parser.add_argument("--plot", metavar="FILE.png", help="plot the joint angles and distances (png, svg or pdf)")
    parser.add_argument("--animate", metavar="FILE.html", help="write an animation that plays in any browser")
    parser.add_argument("--degrees", action="store_true", help="angles in the deck and in the report are in degrees")
    parser.add_argument("--echo", action="store_true", help="say in words what was read")
    parser.add_argument("--quiet", action="store_true", help="print neither report nor notes")
    parser.add_argument("--save-deck", metavar="FILE", help="write the deck again, tidy, with a comment on each record")


def deck_source(argument: str) -> tuple[str | Path, str | None]:
    """Deck and name for messages: a path, or the text on standard input."""
    if argument == "-":
        # an ending newline marks a text of one line as a text, not a path
        return sys.stdin.read() + "\n", "standard input"
    return Path(argument), None


def say_error(error: TrammelError) -> int:
    """One sentence on standard error, and the exit code that goes with it."""
    print(f"trammel: error: {error}", file=sys.stderr)
    return 2


def write_files(options: argparse.Namespace, result: Result, data: dict[str, Any] | None) -> None:
    """The files that were asked for; `data` is what goes into the JSON one."""
    if data is not None:
        _write_json(options.json, data)
    if options.csv:
        result.to_csv(options.csv)
    if options.plot:
        write_plot(result, (), Path(options.plot))
    if options.animate:
        result.animate(options.animate)


def _write_json(target: str, data: dict[str, Any]) -> None:
    import json

    text = json.dumps(data, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        Path(target).write_text(text, encoding="utf-8")


def write_plot(result: Result, names: Sequence[str], path: Path) -> None:
    """Plot named columns into a file whose suffix says what kind."""
    try:
        result.plot(*names, path=path)
    except ValueError as error:  # matplotlib knows by the suffix what to write
        raise TrammelError(f"the plot cannot be written to {str(path)!r}: {error}.") from None


def say_notes(program: str, notes: Sequence[str]) -> None:
    """Notes on standard error, after the report."""
    sys.stdout.flush()
    if notes:
        print(f"Compared with {program}:", *(f"  {note}" for note in notes), sep="\n", file=sys.stderr)
