"""``trammel kap``: analyse a KAP deck."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from trammel.commands.common import (
    add_deck_options,
    check_files,
    deck_source,
    print_report,
    say_error,
    say_notes,
    with_help,
    write_files,
)
from trammel.errors import TrammelError
from trammel.whole_file import write_whole

if TYPE_CHECKING:
    from trammel.files.kap_deck import KapDeck
    from trammel.results.result import Result

HELP = """\
Analyse a deck of KAP, the kinematic analysis program of Nikravesh (1988),
and print KAP's report. Notes on what KAP itself would have done follow on
standard error.

A deck holds numbers in free format, each record beginning on a new line:

  NB, NR, NT, NG, NS, ND, NP                 counts
  x, y, phi                                  estimate of each of NB bodies
  i, j, xi_P_i, eta_P_i, xi_P_j, eta_P_j     each of NR revolute joints
  i, j, P_i, Q_i, P_j (two numbers each)     each of NT translational joints
  body                                       each of NG grounded bodies
  body, dir                                  each of NS simple constraints
  body, dir, pos0, vel0, acc                 each of ND drivers
  body, xi, eta                              each of NP points of interest
  T0, TE, DT                                 first and last time, step

dir is 1 for x, 2 for y, 3 for phi. Text after ! or # is a comment.
"""
EPILOG = """\
examples:
  trammel kap four_bar.kap
  trammel kap four_bar.kap --animate four_bar.html --plot four_bar.png
  trammel kap four_bar.kap --quiet --json - | python -m json.tool
  trammel kap --interactive --save-deck mine.kap     # asks for every record
  trammel kap mine.kap --degrees --level 1 --echo
  trammel example --source kap_four_bar > four_bar.kap      # a deck to start from

The report is rounded to three decimals as KAP's was; --json and --csv give
every number in full, angles in radians, lengths in the deck's own unit.
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "kap", HELP, EPILOG, help="analyse a KAP deck")
    add_deck_options(parser)
    parser.add_argument("--level", type=int, choices=(1, 2, 3), default=3, metavar="N",
                        help="1 positions, 2 also velocities, 3 also accelerations (default)")  # fmt: skip
    return parser


def run(options: argparse.Namespace) -> int:
    """Read, analyse, report."""
    from trammel.files.kap_deck import COUNTS, GROUPS, read_kap
    from trammel.files.kap_quirks import compatibility_notes
    from trammel.files.kap_report import deck_text, in_words

    source, name = deck_source(options, COUNTS, GROUPS, read_kap)
    deck = read_kap(source, degrees=options.degrees, name=name)
    if options.echo:
        print(in_words(deck))
    check_files(options)
    if options.save_deck:
        write_whole(options.save_deck, deck_text(deck))
    try:
        result = deck.run(level=options.level, progress=not options.quiet)
    except TrammelError as error:
        if error.partial is not None and len(error.partial):
            _output(options, deck, error.partial, str(error))
        code = say_error(error)
        if not options.quiet:
            say_notes("KAP", compatibility_notes(deck, error.partial))
        return code
    _output(options, deck, result, "interrupted" if result.interrupted else None)
    if not options.quiet:
        say_notes("KAP", compatibility_notes(deck, result))
    return 130 if result.interrupted else 0


def _output(options: argparse.Namespace, deck: KapDeck, result: Result, error: str | None) -> None:
    """The report and the files that were asked for; also of a run that stopped early."""
    from trammel.files.kap_report import report
    from trammel.files.result_json import result_json

    if not options.quiet:
        print_report(options, report(deck, result, options.level, deck.degrees))
    write_files(options, result, result_json(deck, result, error=error) if options.json else None)
