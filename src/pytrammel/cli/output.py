"""What the subcommands share."""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from pytrammel._util.atomic_write import check_target, write_whole
from pytrammel._util.terminal_text import visible, writable
from pytrammel.errors import FileFormatError, ModelError, ModelWarning, RunWarning, TrammelError
from pytrammel.io.models.formats import ENDINGS

if TYPE_CHECKING:
    from pytrammel.results.result import Result


def with_help(make: Any, name: str, description: str, epilog: str, **options: str) -> argparse.ArgumentParser:
    """Parser whose help keeps its line breaks."""
    first = {"prog": name} if make is argparse.ArgumentParser else {"name": name}
    layout = argparse.RawDescriptionHelpFormatter
    parser: argparse.ArgumentParser = make(
        **first, description=description, epilog=epilog, formatter_class=layout, **options
    )
    if "prog" not in first:  # the main parser reads the words of all commands as one argument
        parser.register("type", None, _text)
    return parser


def _text(given: str) -> str:
    if not given.strip():
        raise argparse.ArgumentTypeError(f"{given!r} is empty; give a value or omit the option")
    return given


def count(text: str) -> int:
    """Argument that must be a whole number of at least 1."""
    if not text.isdecimal() or not 1 <= len(text) <= 9 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, 1 or more")
    return int(text)


def digits(text: str) -> int:
    """Argument that must be a number of significant digits, 1 to 17."""
    if not text.isdecimal() or len(text) > 2 or not 1 <= int(text) <= 17:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from 1 to 17")
    return int(text)


def add_digits(parser: argparse.ArgumentParser, tables: str) -> None:
    """Add the option for the digits of tables."""
    parser.add_argument(
        "--digits", type=digits, metavar="N", help=f"significant digits in {tables}, 1 to 17 (default: all)"
    )


def number_writer(digits: int | None) -> Callable[[float], str]:
    """Return the function that writes a number of a table with so many digits; with None, with all that are needed."""
    return repr if digits is None else f"{{:.{digits}g}}".format


def number(text: str) -> float:
    """Argument that must be a number and not negative."""
    value = _real(text)
    if not 0.0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number, not negative")
    return value


def positive(text: str) -> float:
    """Argument that must be a positive number."""
    value = _real(text)
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number greater than 0")
    return value


def _real(text: str) -> float:
    try:
        return float(text.lower().replace("d", "e"))
    except ValueError:
        return math.nan


def add_deck_options(parser: argparse.ArgumentParser) -> None:
    """Options of every command that reads a deck."""
    parser.add_argument("deck", metavar="DECK", nargs="?", help="file to read; - reads standard input")
    parser.add_argument(
        "--interactive", action="store_true", help="ask for the deck, record by record, and pause after each report"
    )
    parser.add_argument("--pause", action=argparse.BooleanOptionalAction, default=None,
                        help="pause after each report: C continues, T terminates, G continues without pauses (default with "
                        "--interactive)")  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write the results as JSON; - writes to standard output")
    parser.add_argument("--csv", metavar="FILE", help="write the results as a table")
    add_digits(parser, "the table")
    parser.add_argument(
        "--plot", metavar="FILE.png", help="plot the joint angles and distances, or what --of names (png, svg or pdf)"
    )
    parser.add_argument("--of", metavar="NAME", action="append", default=[],
                        help="quantity to plot: body4.ax, P1.vy, revolute1.angle; a point or body alone plots its "
                        "path; may be given often")  # fmt: skip
    parser.add_argument("--over", metavar="NAME", help="quantity on the x axis of the plot instead of time")
    parser.add_argument("--draw", metavar="FILE.png", help="draw the mechanism in its first position (png, svg or pdf)")
    parser.add_argument(
        "--stages", type=count, metavar="N", help="draw N stages of the motion in one picture, evenly spread in time"
    )
    parser.add_argument("--animate", metavar="FILE.html", help="write an animation that plays in any browser")
    parser.add_argument("--degrees", action="store_true", help="angles in the deck and in the report are in degrees")
    parser.add_argument("--echo", action="store_true", help="say in words what was read")
    parser.add_argument("--quiet", action="store_true", help="print neither report nor notes")
    parser.add_argument("--save-deck", metavar="FILE", help="write the deck again, tidy, with a comment on each record")


def deck_source(options: argparse.Namespace, program: str) -> tuple[str | Path, str | None]:
    """Deck and name for messages: a path, the text on standard input, or the answers to questions."""
    if options.pause is None:
        options.pause = options.interactive
    elif options.pause and options.quiet:
        raise ModelError("--pause waits after each report, but --quiet prints none. Remove one of them.")
    if options.interactive:
        if options.deck is not None:
            raise ModelError(f"--interactive asks for the deck, but {options.deck!r} is given as well; choose one.")
        return _typed_deck(options, program), "your deck"
    if options.deck is None:
        raise ModelError("which deck? Give a file, - for standard input, or say --interactive.")
    if options.deck == "-":
        if options.pause:
            raise ModelError("--pause reads standard input, which holds the deck. Pass the deck as a file.")
        # an ending newline marks a text of one line as a text, not a path
        return sys.stdin.read() + "\n", "standard input"
    deck = Path(options.deck)
    if deck.suffix.lower() in ENDINGS:
        raise ModelError(f"{deck.name} is a model file and no deck; say pytrammel run {options.deck}")
    return deck, None


@contextlib.contextmanager
def other_program(options: argparse.Namespace, program: str) -> Iterator[None]:
    """Add a hint to the error of a deck whose name ends as those of the other program."""
    other = {"KAP": "dap", "DAP": "kap"}[program]
    try:
        yield
    except FileFormatError as error:
        if Path(options.deck or "").suffix.lower() != f".{other}":
            raise
        raise FileFormatError(f"{error} The name ends in .{other}: use 'pytrammel {other} {options.deck}'.") from None


def _typed_deck(options: argparse.Namespace, program: str) -> str:
    """Text of a deck that the user types in; an incomplete one is written to the file of ``--save-deck``.

    Raises:
        Terminated: The user has ended the dialogue.
    """
    from pytrammel.cli.deck_dialog import DeckDialog
    from pytrammel.io.decks import deck_forms

    check_files(options)
    dialog = DeckDialog({"KAP": deck_forms.KAP_FORM, "DAP": deck_forms.DAP_FORM}[program], questions_to(options))
    try:
        return dialog.request()
    except BaseException:
        if options.save_deck and dialog.lines():
            write_whole(options.save_deck, f"! incomplete\n{dialog.text()}")
            print(f"pytrammel: the records typed so far are in {options.save_deck}.", file=sys.stderr)
        raise


def questions_to(options: argparse.Namespace) -> TextIO:
    """Stream of prompts: standard output, unless results go there."""
    return sys.stderr if options.json == "-" else sys.stdout


def check_deck(options: argparse.Namespace, words: Callable[[], str], text: Callable[[], str]) -> None:
    """Before a deck is run: say what was read, refuse what could not be written, and write the deck again, where that was asked for."""
    if options.echo:
        print(words())
    check_files(options)
    if options.save_deck:
        write_whole(options.save_deck, text())


def run_deck(
    options: argparse.Namespace,
    program: str,
    analyse: Callable[[], Result],
    output: Callable[[Result, str | None], None],
    notes: Callable[[Result | None], Sequence[str]],
) -> int:
    """Run a deck, put out what it gave, also if it stopped early, and say what its own program would have done differently."""
    try:
        result = analyse()
    except TrammelError as error:
        is_partial = error.partial is not None and len(error.partial) > 0
        if is_partial:
            output(error.partial, str(error))
        say_error(error)
        if isinstance(error, ModelError | FileFormatError) and not is_partial:
            return 2
        if not options.quiet:
            say_notes(program, notes(error.partial))
        return 1
    output(result, "interrupted" if result.interrupted else None)
    if not options.quiet:
        say_notes(program, notes(result))
    return 130 if result.interrupted else 0


def print_report(options: argparse.Namespace, reports: Sequence[str]) -> None:
    """Print the report of a deck, a part for each time, with pauses where they are wanted."""
    if options.pause:
        from pytrammel.cli.prompts import paused

        paused(reports, questions_to(options))
    else:
        print("\n".join(reports), flush=True)


def say_error(error: TrammelError) -> int:
    """One sentence on standard error, and the exit code that goes with it."""
    print(f"pytrammel: error: {error}", file=sys.stderr)
    return 2


class VisibleControls:
    """A text stream that shows control characters as escapes: names from a file cannot steer the terminal.

    Characters that the stream's encoding lacks are escaped as well, as on consoles and pipes without UTF-8.

    Attributes:
        unchanged: The stream without escapes.
    """

    def __init__(self, stream: TextIO) -> None:
        self.unchanged = stream

    def write(self, text: str) -> int:
        self.unchanged.write(writable(self.unchanged, visible(text)))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unchanged, name)


class _Nowhere(io.TextIOBase):
    """Stream of a program without a console, as `pythonw` on Windows."""

    def write(self, text: str) -> int:
        return len(text)


@contextlib.contextmanager
def visible_controls() -> Iterator[None]:
    """Show control characters as escapes on standard output and standard error."""
    with contextlib.ExitStack() as stack:
        for name, redirect in (("stdout", contextlib.redirect_stdout), ("stderr", contextlib.redirect_stderr)):
            stream = getattr(sys, name)
            if stream is None:
                stream = _Nowhere()
            stack.enter_context(redirect(cast(TextIO, VisibleControls(stream))))
        yield


@contextlib.contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Warnings of runs become one sentence each on standard error, not a line of Python, and end no command."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, RunWarning | ModelWarning):
                print(f"pytrammel: warning: {message}", file=sys.stderr)
            else:
                usual(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        warnings.simplefilter("always", RunWarning)
        warnings.simplefilter("always", ModelWarning)
        yield


def check_files(options: argparse.Namespace) -> None:
    """Refuse, before anything is computed, files that could not be written afterwards."""
    for flag, needed in (("of", "plot"), ("over", "plot"), ("stages", "draw"), ("digits", "csv")):
        if getattr(options, flag) and not getattr(options, needed):
            raise ModelError(f"--{flag} has no effect without --{needed} FILE.")
    for target in (options.json, options.csv, options.plot, options.draw, options.animate, options.save_deck):
        if target and target != "-":
            check_target(target)


def write_files(options: argparse.Namespace, result: Result, data: dict[str, Any] | None) -> None:
    """The files that were asked for; `data` is what goes into the JSON one."""
    if data is not None:
        _write_json(options.json, data)
    if options.csv:
        result.to_csv(options.csv, digits=options.digits)
    if options.plot:
        plot_names(result, options.of, options.over, options.plot)
    if options.draw and options.stages:
        result.draw_stages(options.stages, path=options.draw)
    elif options.draw:
        result.draw(path=options.draw)
    if options.animate:
        result.animate(options.animate)


def plot_names(result: Result, names: Sequence[str], over: str | None, path: str | Path) -> None:
    """Plot quantities over time or over another one; names of points and bodies alone give their paths."""
    holders = {*result.model.points, *result.model.bodies}
    if names and over is None and all(name in holders for name in names):
        result.plot.path(*names, path=path)
    else:
        result.plot(*names, x=over, path=path)


def _write_json(target: str, data: dict[str, Any]) -> None:
    import json

    text = json.dumps(data, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        write_whole(target, text)


def say_notes(program: str, notes: Sequence[str]) -> None:
    """Notes on standard error, after the report."""
    sys.stdout.flush()
    if notes:
        print(f"Compared with {program}:", *(f"  {note}" for note in notes), sep="\n", file=sys.stderr)
