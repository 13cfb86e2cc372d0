"""``trammel kap``: analyse a KAP deck."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from trammel.commands.common import (
    add_deck_options,
    check_deck,
    deck_source,
    print_report,
    run_deck,
    with_help,
    write_files,
)

if TYPE_CHECKING:
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
    from trammel.files.kap_report import deck_text, in_words, report
    from trammel.files.result_json import result_json

    source, name = deck_source(options, COUNTS, GROUPS, read_kap)
    deck = read_kap(source, degrees=options.degrees, name=name)
    check_deck(options, lambda: in_words(deck), lambda: deck_text(deck))

    def output(result: Result, error: str | None) -> None:
        if not options.quiet:
            print_report(options, report(deck, result, options.level, deck.degrees))
        write_files(options, result, result_json(deck, result, error=error) if options.json else None)

    return run_deck(
        options,
        "KAP",
        lambda: deck.run(level=options.level, progress=not options.quiet),
        output,
        lambda result: compatibility_notes(deck, result),
    )
