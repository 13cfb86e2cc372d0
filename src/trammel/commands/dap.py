"""``trammel dap``: analyse a DAP deck."""

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
Analyse a deck of DAP, the dynamic analysis program of Nikravesh (1988), and
print DAP's report: the motion under gravity, loads and springs with all joint
reactions, or the reactions of a structure. Notes on what DAP itself would
have done, and on what was corrected, follow on standard error.

A deck holds numbers in free format, each record beginning on a new line:

  NB, NR, NT, NG, NS, NSP, NP                counts
  x, y, phi, xd, yd, phid, m, mu, fx, fy, n  each of NB bodies: position and
                                             velocity, mass, inertia, load
  i, j, xi_P_i, eta_P_i, xi_P_j, eta_P_j     each of NR revolute joints
  i, j, P_i, Q_i, P_j (two numbers each)     each of NT translational joints
  body                                       each of NG grounded bodies
  body, dir                                  each of NS simple constraints
  i, j, P_i, P_j, k, d, fa, l0               each of NSP springs, dampers and
                                             actuators between two points
  body, xi, eta                              each of NP points of interest
  T0, TE, DT                                 first and last time, step

dir is 1 for x, 2 for y, 3 for phi. Text after ! or # is a comment. The weight
is added to every body. Only grounded bodies may have no mass.
"""
EPILOG = """\
examples:
  trammel dap four_bar.dap
  trammel dap four_bar.dap --method rk4 --as-typed     # as DAP itself did
  trammel dap four_bar.dap --formulation joint
  trammel dap four_bar.dap --constraints partitioning
  trammel dap platform.dap --every 10 --animate platform.html
  trammel dap platform.dap --equilibrium --quiet --json platform.json
  trammel dap --interactive --save-deck mine.dap     # asks for every record
  trammel dap mine.dap --gravity off --degrees --echo

Without options the start is made consistent, the integration controls its own
error, and the constraints hold to rounding. The report is rounded to three
decimals as DAP's was; --json gives every number in full, angles in radians,
reactions and element forces included.
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "dap", HELP, EPILOG, help="analyse a DAP deck")
    add_deck_options(parser)
    parser.add_argument("--method", default="default", metavar="NAME",
                        help="integration method: default (dop853, or auto where it pays), rk4 with step DT as DAP itself, or any other of "
                        "the list in the documentation")  # fmt: skip
    parser.add_argument("--constraints", metavar="NAME",
                        help="how joints are kept closed: projection (default), baumgarte, partitioning, none (default with --as-typed) or "
                        "any other of the list in the documentation")  # fmt: skip
    parser.add_argument("--formulation", default="cartesian", metavar="NAME",
                        help="in which coordinates: cartesian (default, as DAP itself), joint, auto or any other of the list in the "
                        "documentation")  # fmt: skip
    parser.add_argument("--alpha", type=_number, default=None, metavar="A",
                        help="baumgarte: weight of the velocity error [1/s] (default: 5)")  # fmt: skip
    parser.add_argument("--beta", type=_number, default=None, metavar="B",
                        help="baumgarte: weight of the position error [1/s] (default: 5)")  # fmt: skip
    parser.add_argument("--every", type=_count, default=1, metavar="N", help="report every N-th step (default: 1)")
    parser.add_argument("--gravity", type=_gravity, default=(0.0, -9.81), metavar="on|off|GX,GY",
                        help="gravity in m/s² (default: on, which is 0,-9.81); write --gravity=-1,0 if GX is negative")  # fmt: skip
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--correct", action="store_true", help="make the typed start satisfy the constraints (default)")
    start.add_argument("--as-typed", action="store_true", help="take the typed start as it is, as DAP did")
    start.add_argument("--equilibrium", action="store_true",
                       help="begin in the position of rest nearest to the typed one, with the typed velocities")  # fmt: skip
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, 1 or more")
    return int(text)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} must be a number, not negative")
    return value


def _gravity(text: str) -> tuple[float, float]:
    if text in ("on", "off"):
        return (0.0, -9.81) if text == "on" else (0.0, 0.0)
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        x = y = float("nan")
    if not (abs(x) < float("inf") and abs(y) < float("inf")):
        raise argparse.ArgumentTypeError(f"{text!r} must be on, off or two numbers such as 0,-1.62")
    return x, y


def run(options: argparse.Namespace) -> int:
    """Read, analyse, report."""
    from trammel.files.dap_deck import COUNTS, GROUPS, read_dap
    from trammel.files.dap_quirks import compatibility_notes
    from trammel.files.dap_report import dap_json, deck_text, in_words, report

    source, name = deck_source(options, COUNTS, GROUPS, read_dap)
    deck = read_dap(source, degrees=options.degrees, name=name)
    check_deck(options, lambda: in_words(deck), lambda: deck_text(deck))

    def analyse() -> Result:
        return deck.run(
            method=options.method,
            constraints=options.constraints,
            alpha=options.alpha,
            beta=options.beta,
            formulation=options.formulation,
            every=options.every,
            gravity=options.gravity,
            correct=not options.as_typed,
            equilibrium=options.equilibrium,
            progress=not options.quiet,
        )

    def output(result: Result, error: str | None) -> None:
        if not options.quiet:
            print_report(options, report(deck, result))
        data = dap_json(deck, result, compatibility_notes(deck, result), error=error) if options.json else None
        write_files(options, result, data)

    return run_deck(options, "DAP", analyse, output, lambda result: compatibility_notes(deck, result))
