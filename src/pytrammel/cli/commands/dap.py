"""``pytrammel dap``: analyse a DAP deck."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pytrammel.cli.output import (
    add_deck_options,
    check_deck,
    count,
    deck_source,
    number,
    other_program,
    positive,
    print_report,
    run_deck,
    with_help,
    write_files,
)

if TYPE_CHECKING:
    from pytrammel.results.result import Result

EPSLU = 1e-5
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
is added to every body. Bodies that joints hold may have no mass. Numbers after
the last one of a record are ignored until the end of the line, with a note.
"""
EPILOG = """\
examples:
  pytrammel dap four_bar.dap
  pytrammel dap four_bar.dap --method rk4 --uncorrected     # as DAP itself did
  pytrammel dap four_bar.dap --formulation joint
  pytrammel dap four_bar.dap --constraints partitioning --rtol 1e-6
  pytrammel dap four_bar.dap --hold body2.phi            # or --hold 2,3
  pytrammel dap platform.dap --every 10 --animate platform.html
  pytrammel dap platform.dap --plot force.png --of element1.spring --over body3.y
  pytrammel dap dump_truck.dap --draw unloading.png --stages 6
  pytrammel dap platform.dap --equilibrium --quiet --json platform.json
  pytrammel dap --interactive --save-deck mine.dap     # prompts as printed in the book
  pytrammel dap mine.dap --gravity off --degrees --echo

Without options the start is made consistent, the integration controls its own
error, and the constraints hold to rounding. The report is rounded to three
decimals as DAP's was; --json gives every number in full, angles in radians,
reactions and element forces included.

exit codes: 0 success; 1 the analysis stopped early, what was computed is
written; 2 the deck or an option is wrong; 130 interrupted by Ctrl-C.
"""


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the parser of the command."""
    parser = with_help(commands.add_parser, "dap", HELP, EPILOG, help="analyse a DAP deck")
    add_deck_options(parser)
    parser.add_argument("--method", default="default", metavar="NAME",
                        help="integration method: default (dop853, or auto where it pays), rk4 with step DT as DAP itself, or any other of "
                        "the list in the documentation")  # fmt: skip
    parser.add_argument("--constraints", metavar="NAME",
                        help="how joints are kept closed: projection (default), baumgarte, partitioning, none (default with --uncorrected) "
                             "or "
                        "any other of the list in the documentation")  # fmt: skip
    parser.add_argument("--formulation", default="cartesian", metavar="NAME",
                        help="in which coordinates: cartesian (default, as DAP itself), joint, auto or any other of the list in the "
                        "documentation")  # fmt: skip
    parser.add_argument("--alpha", type=number, default=None, metavar="A",
                        help="baumgarte: weight of the velocity error [1/s] (default: 5)")  # fmt: skip
    parser.add_argument("--beta", type=number, default=None, metavar="B",
                        help="baumgarte: weight of the position error [1/s] (default: 5)")  # fmt: skip
    parser.add_argument("--rtol", type=positive, default=None, metavar="E",
                        help="allowed error per step of methods with error control, relative (default: 1e-8)")  # fmt: skip
    parser.add_argument("--atol", type=number, default=None, metavar="E",
                        help="allowed error per step of methods with error control, absolute in units of the mechanism's size "
                        "(default: 1e-10)")  # fmt: skip
    parser.add_argument("--epslu", type=positive, default=EPSLU, metavar="E",
                        help=f"smallest pivot that DAP takes for nonzero, for the notes (default: {EPSLU:g})")  # fmt: skip
    parser.add_argument("--hold", metavar="NAME", action="append", default=[],
                        help="typed coordinate or velocity that the correction of the start keeps: body2.phi (or 2,3, as in a simple "
                        "constraint), body2.omega, P1.x; may be given often")  # fmt: skip
    parser.add_argument("--every", type=count, default=1, metavar="N", help="report every N-th step (default: 1)")
    parser.add_argument("--gravity", type=_gravity, default=(0.0, -9.81), metavar="on|off|GX,GY",
                        help="gravity in m/s² (default: on, which is 0,-9.81); write --gravity=-1,0 if GX is negative")  # fmt: skip
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--correct", action="store_true", help="make the typed start satisfy the constraints (default)")
    start.add_argument("--uncorrected", action="store_true", help="take the typed start as it is, as DAP did")
    start.add_argument("--equilibrium", action="store_true",
                       help="begin in the position of rest nearest to the typed one, with the typed velocities")  # fmt: skip
    return parser


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


def _enforcement(options: argparse.Namespace) -> Any:
    """Enforcement of constraints with its gains; None where nothing was specified."""
    from pytrammel.analysis.treatments import treatment_named

    gains = {key: getattr(options, key) for key in ("alpha", "beta") if getattr(options, key) is not None}
    if options.constraints is None and not gains:
        return None
    return treatment_named(options.constraints or "projection").with_options(gains).plain()


def run(options: argparse.Namespace) -> int:
    """Read, analyse, report."""
    from pytrammel.io.decks.dap_deck import read_dap
    from pytrammel.io.decks.dap_quirks import compatibility_notes
    from pytrammel.io.decks.dap_report import dap_json, deck_text, in_words, reports

    source, name = deck_source(options, "DAP")
    with other_program(options, "DAP"):
        deck = read_dap(source, degrees=options.degrees, name=name)
    check_deck(options, lambda: in_words(deck), lambda: deck_text(deck))

    def analyse() -> Result:
        return deck.run(
            method=options.method,
            constraints=_enforcement(options),
            rtol=options.rtol,
            atol=options.atol,
            hold=options.hold,
            formulation=options.formulation,
            every=options.every,
            gravity=options.gravity,
            correct=not options.uncorrected,
            equilibrium=options.equilibrium,
            progress=not options.quiet,
        )

    def output(result: Result, error: str | None) -> None:
        if not options.quiet:
            print_report(options, reports(deck, result))
        data = (
            dap_json(deck, result, compatibility_notes(deck, result, options.epslu), error=error)
            if options.json
            else None
        )
        write_files(options, result, data)

    return run_deck(options, "DAP", analyse, output, lambda result: compatibility_notes(deck, result, options.epslu))
