"""``pytrammel kap``: analyse a KAP deck."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pytrammel.cli.output import (
    add_deck_options,
    check_deck,
    count,
    deck_source,
    other_program,
    positive,
    print_report,
    run_deck,
    with_help,
    write_files,
)

if TYPE_CHECKING:
    from pytrammel.results.result import Result

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

dir is 1 for x, 2 for y, 3 for phi. Text after ! or # is a comment. Numbers after
the last one of a record are ignored until the end of the line, with a note.
"""
EPILOG = """\
examples:
  pytrammel kap four_bar.kap
  pytrammel kap four_bar.kap --animate four_bar.html --plot four_bar.png
  pytrammel kap four_bar.kap --plot alpha.png --of body4.alpha --over body4.phi
  pytrammel kap four_bar.kap --plot path.png --of P1 --draw stages.png --stages 6
  pytrammel kap four_bar.kap --quiet --json - | python -m json.tool
  pytrammel kap --interactive --save-deck mine.kap     # prompts as printed in the book
  pytrammel kap mine.kap --degrees --level 1 --echo
  pytrammel kap mine.kap --as-kap --nrmax 40 --feps 1e-6     # KAP's own algorithm
  pytrammel example --source kap_four_bar > four_bar.kap      # a deck to start from

The report is rounded to three decimals as KAP's was; --json and --csv give
every number in full, angles in radians, lengths in the deck's own unit.

exit codes: 0 success; 1 the analysis stopped early, what was computed is
written; 2 the deck or an option is wrong; 130 interrupted by Ctrl-C.
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "kap", HELP, EPILOG, help="analyse a KAP deck")
    add_deck_options(parser)
    parser.add_argument("--level", type=int, choices=(1, 2, 3), default=3, metavar="N",
                        help="1 positions, 2 also velocities, 3 also accelerations (default)")  # fmt: skip
    own = parser.add_argument_group("KAP's own algorithm")
    own.add_argument("--as-kap", action="store_true",
                     help="compute as the listing does: undamped Newton iteration from the last position, LU factors with its pivot "
                     "test; the run stops where KAP's stops")  # fmt: skip
    own.add_argument(
        "--nrmax", type=count, metavar="N", help="Newton iterations at most (default: 20); implies --as-kap"
    )
    own.add_argument("--feps", type=positive, metavar="E",
                     help="largest correction that ends the iteration, lengths and radians alike (default: 0.001); implies "
                     "--as-kap")  # fmt: skip
    own.add_argument("--epslu", type=positive, metavar="E",
                     help="smallest pivot taken for nonzero (default: 0.001); implies --as-kap")  # fmt: skip
    return parser


def run(options: argparse.Namespace) -> int:
    """Read, analyse, report."""
    from pytrammel.io.decks.kap_deck import read_kap
    from pytrammel.io.decks.kap_quirks import Constants, compatibility_notes
    from pytrammel.io.decks.kap_report import deck_text, in_words, reports
    from pytrammel.io.results.result_json import result_json

    source, name = deck_source(options, "KAP")
    with other_program(options, "KAP"):
        deck = read_kap(source, degrees=options.degrees, name=name)
    check_deck(options, lambda: in_words(deck), lambda: deck_text(deck))

    given = {name: getattr(options, name) for name in ("nrmax", "feps", "epslu")}
    given = {name: value for name, value in given.items() if value is not None}
    constants, is_own = Constants(**given), options.as_kap or bool(given)

    def output(result: Result, error: str | None) -> None:
        if not options.quiet:
            print_report(options, reports(deck, result, options.level, deck.degrees))
        write_files(options, result, result_json(deck, result, error=error) if options.json else None)

    return run_deck(
        options,
        "KAP",
        lambda: deck.run(level=options.level, constants=constants if is_own else None, progress=not options.quiet),
        output,
        lambda result: compatibility_notes(deck, result, constants, is_own=is_own),
    )
